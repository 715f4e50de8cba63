"""A proposal as the text of an anonduck.yml that a person reads and edits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from anonduck.config.file_names import SCHEMA_NAME
from anonduck.config.requirement import DEFAULT_K, INFERENCE_GAIN
from anonduck.config.ways import RANGES, RULES
from anonduck.errors import ConfigError
from anonduck.init.proposal import ColumnProposal, Proposal, RepeatingKey, Role
from anonduck.methods.registry import is_offered, named_method
from anonduck.source.expected_types import KINDS, kind_of

if TYPE_CHECKING:
    from anonduck.init.advice import Advice

ROLES: Mapping[Role, str] = {
    "identifiers": "left out of every release",
    "drop": "left out of every release too, as nothing is lost without them, or too much is told with them",
    "sensitive": "kept as they are; nobody should be able to infer a person's value",
    "insensitive": "kept as they are",
    "quasi_identifiers": "generalized, because together they may reveal who a record is about",
}

METHODS = ("rules", "mondrian", "mondrian:splits=entropy")
METHODS_BY_DETAIL = ("rules", "mondrian")
CHOOSES = (
    "what `run` chooses among: rules show a column at one level in all records, other recodings keep more detail at "
    "the same k. It takes the one that "
)
OFFERED = (
    f"{CHOOSES}keeps most detail, of those whose expected ROC AUC is within 0.01 or one paired error of the best; "
    "`methods: [rules]` looks at rules alone"
)
OFFERED_BY_DETAIL = f"{CHOOSES}loses least (`select: loss`); `methods: [rules]` looks at rules alone"
OFFERED_BY_SELECT = f"{CHOOSES}is best by `select`; `methods: [rules]` looks at rules alone"
RULES_ALONE = "what `run` chooses among: rules alone"
BY_ONE_METHOD = "what `run` releases by"
NO_CLASS = "no column is predicted, and `run` chooses by detail; to have models predict one, name it: `class: COLUMN`"
GUARDED = (
    "it is taken for sensitive: `run` chooses nothing by which the class of people in the release is shown to be "
    f"guessed more than {INFERENCE_GAIN:g} oftener than that of others. `requirement: {{inference_gain: "
    f"{INFERENCE_GAIN:g}}}` holds for the measured figure, whatever its error; 1 allows any"
)
LISTED = ("clusters", "order", "shipped")
"""Kinds of taxonomy that know the values of today alone."""
LATER = (
    "values that a later export adds become the root label, and are counted, until `anonduck taxonomy build COLUMN "
    "--replace` places them; `refuse` ends a run that meets them"
)

IN_USE: tuple[Role, ...] = ("class", "sensitive", "insensitive", "quasi_identifiers")
EXPECTED = (
    "what the columns hold as they were read; `run` refuses an export in which one holds something else, as where a "
    "text stands among numbers"
)

WIDTH = 118
LONGEST_KEY = 1_000  # YAML reads longer keys only after a question mark

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[./-][A-Za-z0-9_]+)*")
_WORDS = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n"))
_ESCAPED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def way_to_release(methods: Sequence[str] | None, settings: Mapping[str, Any], *, has_class: bool) -> dict[str, Any]:
    """The keys of a proposed config that say what ``run`` chooses among, or which one method it releases by.

    Args:
        methods: those that are named; by default what is usual. One that is not weighed beside rules stands alone.
        settings: further keys; a ``search`` asks for rules alone.
        has_class: whether there is a class to predict.

    Raises ConfigError for a search beside methods, and for a method that is not known.
    """
    named = list(methods or ())
    if settings.get("search"):
        if named not in ([], [RULES]):
            asked = " ".join(f"--method {one}" for one in named)
            raise ConfigError(
                f"`--search {settings['search']}` chooses among rules alone, and `{asked}` among what these find; "
                "give one of the two"
            )
        return {"methods": [RULES]}
    if len(named) == 1 and named[0] != RULES:
        method, options = named_method(named[0])
        if not is_offered(method):
            return {"method": method, **({"methods": {method: options}} if options else {})}
    return {"methods": named or list(METHODS if has_class else METHODS_BY_DETAIL)}


def _way_to_release(keys: Mapping[str, Any], settings: Mapping[str, Any], *, has_class: bool) -> Iterator[str]:
    if "method" in keys:
        words = BY_ONE_METHOD
    elif keys["methods"] == [RULES]:
        words = RULES_ALONE
    elif "select" in settings:
        words = OFFERED_BY_SELECT
    else:
        words = OFFERED if has_class else OFFERED_BY_DETAIL
    yield from _wrapped(words)
    yield from (f"{key}: {_flow(value)}" for key, value in keys.items())


def render_config(
    proposal: Proposal,
    source: str,
    *,
    where: str | None = None,
    types: Mapping[str, str] | None = None,
    csv: Mapping[str, Any] | None = None,
    missing_columns: str = "refuse",
    dates: Mapping[str, Any] | None = None,
    why: Mapping[str, str] | None = None,
    engine: Mapping[str, Any] | None = None,
    advice: Advice | None = None,
    entity: RepeatingKey | None = None,
    methods: Sequence[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    show: Sequence[str] = (RANGES,),
    publication: Mapping[str, str] | None = None,
    requirement: Mapping[str, Any] | None = None,
) -> str:
    """The text of an anonduck.yml: every column under its role, with its counts and the reason in a comment.

    ``anonduck.config.reading.read_config`` reads it back with the same meaning. Comments hold counts, never values.
    An engine outside DuckDB makes releases by rules, so that no ``methods`` are written for it. ``settings`` are keys
    that say how ``run`` searches and selects, as they were asked for.
    """
    predicted = next(iter(proposal.of_role("class")), None)
    settings = settings or {}
    way = way_to_release(methods, settings, has_class=predicted is not None)
    lines = [
        f"# yaml-language-server: $schema={SCHEMA_NAME}",
        "# Proposed by `anonduck init` from the columns of the source. Read and edit it, then run `anonduck discover`.",
        "",
        f"source: {_scalar(source)}",
        *_mapping("engine", engine or {}),
        *([] if where is None else [f"where: {_scalar(where)}"]),
        *_mapping("types", types or {}),
        *_mapping("csv", csv or {}),
        *(["missing_columns: null"] if missing_columns == "null" else []),
        *_mapping("dates", dates or {}),
        *_expected(proposal, why or {}),
        "",
        *_class(predicted, chooses=not engine and way.get("methods") != [RULES] and "method" not in way),
    ]
    for role, meaning in ROLES.items():
        comments: Iterable[str] = ()
        if role == "quasi_identifiers" and advice is not None:
            comments = _comments(advice)
        lines += ["", f"# {meaning}", *comments, *_role(role, proposal.of_role(role))]
        if role == "identifiers" and entity is not None:
            lines += ["", *_entity(entity)]
    lines += ["", "# how to generalize each quasi-identifier", *_taxonomies(proposal.of_role("quasi_identifiers"))]
    lines += _unmapped(proposal.of_role("quasi_identifiers"))
    lines += ["", "# what a release must meet", *_requirement(advice, requirement or {}, proposal)]
    if not engine:  # which holds the records of a release, and makes it by rules
        lines += ["", *_way_to_release(way, settings, has_class=predicted is not None)]
        lines += [] if tuple(show) == (RANGES,) else [f"show: {_flow(show)}"]
    if settings:
        lines += ["", "# how rules are searched, measured and selected, as it was asked for"]
        lines += [f"{key}: {_flow(value)}" for key, value in settings.items()]
    if publication:
        lines += ["", "# who receives releases and for what purpose, as certificates state"]
        lines += _mapping("publication", publication)
    return "\n".join(lines) + "\n"


def _expected(proposal: Proposal, why: Mapping[str, str]) -> Iterator[str]:
    """The types of the columns that are in use, with what was taken so that they are read so."""
    used = [column.profile for role in IN_USE for column in proposal.of_role(role)]
    held = [one for one in used if kind_of(one.type) in KINDS]
    if held:
        yield from _wrapped(EXPECTED)
        yield "expected_types:"
    for one in held:
        taken = "; ".join(filter(None, (one.read_as, why.get(one.name))))
        yield f"  {_key(one.name)}: {_scalar(one.type)}" + (f"  # {taken}" if taken else "")


def _class(predicted: ColumnProposal | None, *, chooses: bool) -> Iterator[str]:
    """The class, and that it is guarded where `run` chooses among candidates; or how to name one."""
    if predicted is None:
        yield from _wrapped(NO_CLASS)
        return
    yield "# the column that models will predict; kept as it is"
    yield from _wrapped(GUARDED) if chooses else ()
    yield f"class: {_scalar(predicted.profile.name)}  # {predicted.profile.counts}"


def _comments(advice: Advice) -> Iterator[str]:
    """What a person should know who reads the quasi-identifiers of a wide table."""
    if advice.wide:
        yield from (f"# {line}" for line in advice.lines)
        yield "# To leave a column out of every release, move it to `drop`, and delete its taxonomy below."


def _entity(entity: RepeatingKey) -> Iterator[str]:
    """The entity and why; as a comment where records without it are in the way."""
    whole = ". ".join(entity.lines).replace(entity.bounded_line, entity.bounded_line.replace(" ", "\0"))
    yield from (line.replace("\0", " ") for line in _wrapped(whole))  # on one line, to be copied
    yield ("" if entity.proposed else "# ") + f"entity: {_scalar(entity.column)}"


def _wrapped(text: str) -> Iterator[str]:
    yield from (f"# {line}" for line in wrap(text, WIDTH, break_on_hyphens=False))


def _requirement(advice: Advice | None, given: Mapping[str, Any], proposal: Proposal) -> Iterator[str]:
    """The requirement; with diversity and suppression where they are of use, for a person to decide on."""
    required = {"k": DEFAULT_K, **given}
    yield f"requirement: {_flow(required)}"
    if proposal.of_role("sensitive") and "l" not in required:
        yield "# k alone lets a sensitive value be inferred where all records of a class share it; l: 2 does not:"
        yield f"# requirement: {_flow({**required, 'l': 2})}"
    if advice is not None and advice.suppression is not None and "suppression" not in required:
        comments = (
            f"{advice.rare_text}. They would be missing from it, so you decide; this line in place of the one above:"
        )
        yield from _wrapped(comments)
        yield f"# requirement: {_flow({**required, 'suppression': advice.suppression})}"


def _role(role: Role, columns: Iterable[ColumnProposal]) -> Iterator[str]:
    items = [f"  - {_scalar(c.profile.name)}  # {c.profile.counts}: {c.reason}" for c in columns]
    yield f"{role}:" if items else f"{role}: []"
    yield from items


def _taxonomies(columns: Iterable[ColumnProposal]) -> Iterator[str]:
    return _mapping("taxonomies", {c.profile.name: c.taxonomy for c in columns if c.taxonomy is not None})


def _unmapped(columns: Iterable[ColumnProposal]) -> list[str]:
    """A run of a later export goes on where it has new values, as no person listed those of these taxonomies."""
    listed = any(kind in (column.taxonomy or {}) for column in columns for kind in LISTED)
    return ["", *_wrapped(LATER), "unmapped: root"] if listed else []


def _mapping(key: str, entries: Mapping[str, Any]) -> Iterator[str]:
    if entries:
        yield f"{key}:"
    for name, value in entries.items():
        yield f"  {_key(name)}: {_flow(value)}"


def _key(name: str) -> str:
    """A name as a key; YAML reads one that is long only after a question mark, and on a line of its own."""
    quoted = _scalar(name)
    return quoted if len(quoted) <= LONGEST_KEY else f"? {quoted}\n  "


def _flow(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_scalar(key)}: {_flow(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_flow(entry) for entry in value) + "]"
    return _scalar(value)


def _scalar(value: str | float | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{Decimal(repr(value)):f}"  # YAML takes 1e-07 for a text
    if isinstance(value, int):
        return str(value)
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return '"' + "".join(_escaped(letter) for letter in value) + '"'


def _escaped(letter: str) -> str:
    if letter in _ESCAPED:
        return _ESCAPED[letter]
    return letter if letter.isprintable() else f"\\U{ord(letter):08X}"
