"""A proposal as the text of an anonduck.yml that a person reads and edits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from anonduck.config.file_names import SCHEMA_NAME
from anonduck.config.requirement import DEFAULT_K, INFERENCE_GAIN
from anonduck.config.ways import RANGES
from anonduck.init.proposal import ColumnProposal, Proposal, RepeatingKey, Role
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
    f"{CHOOSES}keeps most detail, of those whose expected accuracy (where a value of the class is frequent, ROC AUC) "
    "is within one standard error of the best; `methods: [rules]` looks at rules alone"
)
OFFERED_BY_DETAIL = f"{CHOOSES}loses least (`select: loss`); `methods: [rules]` looks at rules alone"
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


def usual_methods(*, has_class: bool) -> tuple[str, ...]:
    """What ``run`` chooses among by a proposed config, with a class to predict or without."""
    return METHODS if has_class else METHODS_BY_DETAIL


def render_config(
    proposal: Proposal,
    source: str,
    *,
    where: str | None = None,
    types: Mapping[str, str] | None = None,
    csv: Mapping[str, Any] | None = None,
    dates: Mapping[str, Any] | None = None,
    why: Mapping[str, str] | None = None,
    engine: Mapping[str, Any] | None = None,
    advice: Advice | None = None,
    entity: RepeatingKey | None = None,
    methods: Sequence[str] | None = None,
    show: Sequence[str] = (RANGES,),
    publication: Mapping[str, str] | None = None,
    requirement: Mapping[str, Any] | None = None,
) -> str:
    """The text of an anonduck.yml: every column under its role, with its counts and the reason in a comment.

    ``anonduck.config.reading.read_config`` reads it back with the same meaning. Comments hold counts, never values.
    An engine outside DuckDB makes releases by rules, so that no ``methods`` are written for it.
    """
    predicted = next(iter(proposal.of_role("class")), None)
    methods = methods or usual_methods(has_class=predicted is not None)
    lines = [
        f"# yaml-language-server: $schema={SCHEMA_NAME}",
        "# Proposed by `anonduck init` from the columns of the source. Read and edit it, then run `anonduck discover`.",
        "",
        f"source: {_scalar(source)}",
        *_mapping("engine", engine or {}),
        *([] if where is None else [f"where: {_scalar(where)}"]),
        *_mapping("types", types or {}),
        *_mapping("csv", csv or {}),
        *_mapping("dates", dates or {}),
        *_expected(proposal, why or {}),
        "",
        *_class(predicted, chooses=not engine),
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
        offered = OFFERED_BY_DETAIL if predicted is None else OFFERED
        lines += ["", *_wrapped(offered), f"methods: {_flow(methods)}"]
        lines += [] if tuple(show) == (RANGES,) else [f"show: {_flow(show)}"]
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
    yield from _wrapped(". ".join(entity.lines))
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
