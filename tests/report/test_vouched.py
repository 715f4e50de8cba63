"""What is missing for a signature, by what people vouch for."""

from datetime import date, timedelta

import pytest

from anonduck.config.signed_word import SignedWord
from anonduck.report.vouched import UNREAD, Vouched

JANE = SignedWord(name="Jane Doe", date="2026-01-05")
LATER = SignedWord(name="Jane Doe", date=(date.today() + timedelta(days=9)).isoformat())


@pytest.mark.parametrize(
    ("reviewed", "accepted", "unattacked", "missing"),
    [
        (JANE, None, (), []),
        (JANE, JANE, ("age",), []),
        (JANE, None, None, []),  # the certificate attacks it before it is said to be ready
        (None, None, (), [UNREAD]),
        (LATER, None, (), [f"the config was read by Jane Doe on {LATER.date}, which is yet to come"]),
        (
            JANE,
            LATER,
            ("age",),
            [f"Jane Doe accepts on {LATER.date}, which is yet to come, what was not attacked"],
        ),
    ],
)
def test_a_signature_waits_for_words_of_people_whose_day_has_come(reviewed, accepted, unattacked, missing):
    assert list(Vouched("nobody", reviewed, accepted, unattacked, True, ()).missing) == missing


def test_what_was_not_attacked_is_named_for_the_owner_alone():
    (owner,) = Vouched("nobody", JANE, None, ("age", "town"), True, ()).missing
    (recipient,) = Vouched("nobody", JANE, None, ("age", "town"), False, ()).missing
    assert owner.startswith("not attacked: age, town (")
    assert "age" not in recipient.partition("(")[0]
    assert recipient.startswith("not each quasi-identifier that it shows was attacked (")


def test_columns_of_another_role_ask_for_another_release():
    (words,) = Vouched("nobody", JANE, None, (), True, ("age",)).missing
    assert words.startswith("the config has another role for age by now")
