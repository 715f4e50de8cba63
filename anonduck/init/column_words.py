"""What the name of a column suggests about its values: words for keys and names of persons, and sensitive matters.

Words are in lower case, as `words_of` returns them, and a trailing s is ignored. A phrase matches its words in a row.
"""

from __future__ import annotations

from collections.abc import Mapping

from anonduck.init.value_kinds import words_of

PERSONS = frozenset(
    (
        *("account", "applicant", "borrower", "caller", "citizen", "client", "customer", "debtor", "defendant"),
        *("donor", "driver", "employee", "guest", "holder", "household", "insured", "member", "participant"),
        *("passenger", "patient", "person", "policyholder", "respondent", "student", "subject", "subscriber"),
        *("taxpayer", "user", "voter", "worker"),
    )
)
"""Whom a record may be about."""

KEYS = frozenset(
    (
        *("email", "guid", "iban", "id", "identifier", "imei", "key", "mail", "mrn", "msisdn", "no", "nr"),
        *("number", "passport", "phone", "ssn", "telephone", "uuid", "vin"),
    )
)
"""Last words that make the key of a person of the word before: `customer no`."""

IDENTIFYING_LAST_WORDS = frozenset(
    (
        *("address", "cookie", "digest", "email", "fingerprint", "guid", "hash", "iban", "id", "imei", "mail", "md5"),
        *("mrn", "msisdn", "passport", "phone", "sha1", "sha256", "ssn", "street", "telephone", "token", "uuid", "vin"),
    )
)
"""Last words that make an identifier of any column."""

PERSONAL_NAMES = frozenset(
    (
        *("name", "first name", "last name", "full name", "middle name", "given name", "family name"),
        *("maiden name", "forename", "surname", "firstname", "lastname", "fullname", "middlename", "nickname"),
        *("username", "user name", "fname", "lname", "mname", "login"),
    )
)
"""Names of columns with people's names."""

PARTS_OF_NAMES = frozenset(("first", "last", "middle", "given", "family"))
"""The same, if their values are words: such columns may hold dates and numbers too."""

ORDERED = frozenset(
    (
        *("age", "amount", "bathroom", "bedroom", "bin", "bucket", "children", "cnt", "cost", "count", "cylinder"),
        *("day", "decade", "decile", "degree", "dependent", "distance", "door", "duration", "edu", "education"),
        *("experience", "floor", "frequency", "gear", "generation", "grade", "height", "hour", "income", "kid"),
        *("length", "level", "likert", "member", "minute", "month", "n", "no", "nr", "num", "number", "order"),
        *("percentile", "period", "person", "point", "price", "prior", "priority", "qty", "quantile", "quantity"),
        *("quarter", "quartile", "rank", "rating", "room", "salary", "satisfaction", "scale", "score", "seat"),
        *("severity", "sibling", "size", "stage", "star", "step", "sum", "tenure", "time", "total", "visit"),
        *("wave", "week", "weight", "width", "year", "yr"),
    )
)
"""Words of columns whose whole numbers count or rank something, however few there are."""

AMOUNTS = frozenset(
    (
        *("amount", "area", "balance", "bonus", "cost", "debt", "distance", "duration", "earning", "expense", "fee"),
        *("height", "income", "length", "loan", "pension", "price", "profit", "rent", "revenue", "salary", "salaries"),
        *("sales", "savings", "spending", "tax", "turnover", "wage", "wealth", "weight", "width"),
    )
)
"""Words of columns whose whole numbers measure something, and are no keys even where hardly any two are alike."""

SENSITIVE: Mapping[str, tuple[str, ...]] = {
    "health": (
        *("abortion", "addiction", "allergy", "cancer", "depression", "diabetes", "diagnosis", "diagnoses"),
        *("disability", "disabled", "disease", "disorder", "drug", "dx", "genetic", "genotype"),
        *("health status", "hiv", "icd", "icd10", "illness", "medication", "mental health", "pregnancy"),
        *("pregnant", "suicide", "symptom", "therapy"),
    ),
    "religion": ("denomination", "faith", "religion", "religious"),
    "politics": ("ideology", "political", "politics", "trade union", "union member", "union membership"),
    "sexual life": ("sexual", "sexuality"),
    "income": ("credit score", "debt", "earning", "income", "net worth", "salary", "salaries", "wage", "wealth"),
    "offences": (
        *("arrest", "charge degree", "charge desc", "charge description", "conviction", "convicted", "crime"),
        *("criminal", "felony", "misdemeanor", "offence", "offense", "recidivism"),
    ),
}
"""Matters that nobody should infer about a person, each with words and phrases that columns are named by."""


def sensitive_matter(name: str) -> str | None:
    """The sensitive matter that a column's name suggests, or None.

    >>> sensitive_matter("c_charge_desc"), sensitive_matter("MonthlyIncome"), sensitive_matter("outcome")
    ('offences', 'income', None)
    """
    words = _in_a_row(words_of(name))
    return next(
        (matter for matter, phrases in SENSITIVE.items() if any(_in_a_row(one.split()) in words for one in phrases)),
        None,
    )


def is_key_of_person(name: str) -> bool:
    """Whether a column's name is that of a person's key.

    >>> [is_key_of_person(name) for name in ("customer_no", "patient", "order_id", "member_since")]
    [True, True, False, False]
    """
    *before, last = words_of(name) or ("",)
    return last in PERSONS or (last in KEYS and bool(before) and before[-1] in PERSONS)


def counts_or_ranks(name: str) -> bool:
    """Whether a column's name says that the order of its numbers means something.

    >>> [counts_or_ranks(name) for name in ("n_children", "EducationLevel", "sex", "race", "status")]
    [True, True, False, False, False]
    """
    return any({word, word.removesuffix("s")} & ORDERED for word in words_of(name))


def names_an_amount(name: str) -> bool:
    """Whether a column's name is that of an amount.

    >>> [names_an_amount(name) for name in ("MonthlyIncome", "loan_amount", "loan_id", "income_no", "outcome")]
    [True, True, False, False, False]
    """
    words = [word for word in words_of(name) if not word.isdigit()]
    named = any({word, word.removesuffix("s")} & AMOUNTS for word in words)
    return named and words[-1] not in (KEYS | IDENTIFYING_LAST_WORDS)


def _in_a_row(words: list[str] | tuple[str, ...]) -> str:
    return f" {' '.join(word.removesuffix('s') if len(word) > 3 else word for word in words)} "
