"""Attack a written release: open the tables, place their values, try each question, compare with a control group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anonduck.attacks import inference, knowledge, linkability, posterior, skew, splink_linkage
from anonduck.attacks.attacked_columns import AttackedColumn, items_of
from anonduck.attacks.downcoding import downcode
from anonduck.attacks.intruder import AttackedFiles, intrude
from anonduck.attacks.intruder_report import OwnersFile
from anonduck.attacks.knowledge import CONTROL, ORIGINAL, PLACED, RELEASE, PlacedColumns
from anonduck.attacks.known_requirement import known_requirement
from anonduck.attacks.minimality import MinimalityFinding, weigh_minimality
from anonduck.attacks.people import read_people
from anonduck.attacks.plan import AttackOptions, AttackPlan, check_known, is_wide, plan_attack, size_notes
from anonduck.attacks.rates import Rate
from anonduck.attacks.report import (
    INFERENCE,
    LARGEST_GAIN,
    LINKABILITY,
    SINGLING_OUT,
    TWO_SOURCES,
    AttackReport,
    Attempt,
    corrected,
)
from anonduck.attacks.skew import Skew
from anonduck.attacks.tables import AttackedTables
from anonduck.database.connection import Database
from anonduck.database.session import Tracer
from anonduck.errors import AuditError
from anonduck.privacy import grouped_texts
from anonduck.privacy.audited_file import DETACH, read_receipt
from anonduck.privacy.relations import forget
from anonduck.privacy.requirement import Required
from anonduck.statements import statement

NEAREST, MATCHED = "nearest neighbour (Gower)", "record linkage (Fellegi-Sunter)"
CHANGED = 0.01  # of the original, without a row of its own and not suppressed: over this, values were changed


def single_out(work: Database, placed: PlacedColumns, guesses: int, seed: int, *, control: bool) -> dict[str, Rate]:
    """The rates of predicates that hold for one record: ``original``, ``control`` and ``baseline``."""
    given = {"seed": seed, "limit": guesses}
    labels = [{"number": one.number, "count": placed.labels[one.number]} for one in placed.attributes]
    work.run(statement("attacks/random_predicates.sql", lists={"labels": labels}), given)
    found = {"baseline": _isolated(work, placed, ORIGINAL)}
    work.run(statement("attacks/rarest.sql"), given)
    found["original"] = _isolated(work, placed, ORIGINAL)
    if control:
        found["control"] = _isolated(work, placed, CONTROL)
    forget(work, ["predicates"])
    return found


def _isolated(work: Database, placed: PlacedColumns, table: str) -> Rate:
    lists = {"attributes": items_of(placed.attributes)}
    tried, right = work.row(statement("attacks/isolated.sql", lists=lists, table={"pool": PLACED[table]}))
    return Rate(right, tried)


def attack(
    release: str | Path | object,
    original: str | Path | object,
    quasi_identifiers: Sequence[str] | None = None,
    *,
    control: str | Path | object | None = None,
    intruder: str | Path | object | None = None,
    intruder_key: str | None = None,
    intruder_all: bool = False,
    sensitive: Sequence[str] = (),
    class_: str | None = None,
    insensitive: Sequence[str] = (),
    link: Sequence[Sequence[str]] = (),
    taxonomies: Mapping[str, Any] | None = None,
    project: str | Path | None = None,
    guesses: int = 1_000,
    seed: int = 0,
    splink: bool | None = None,
    strict: bool = False,
    downcoding: bool = False,
    minimality: bool = False,
    requirements: Mapping[str, Required] | None = None,
    delim: str | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    database: Database | None = None,
    tracer: Tracer | None = None,
) -> AttackReport:
    """Attack a release as somebody would who knows people's quasi-identifiers: singling out, linkability, inference.

    ``original`` holds the records that the release was made from, ``control`` records of other people of the same
    population. ``intruder`` is a register of people with a key and known facts, who are looked for in the release; what
    that finds is added to the owner's file beside a release that is a file. Each is a Parquet or CSV file,
    ``FILE.duckdb::TABLE`` or a table in memory, as in ``anonduck.audit``. The other options are those of
    ``anonduck.attacks.plan.AttackOptions``. ``tracer``, such as ``print``, receives each SQL statement that ran, with
    its values.

    Raises:
        AuditError: a file cannot be read or lacks columns, no quasi-identifier can be attacked, or the control group or
            the register is refused.
        ConfigError: the owner's file cannot be written.
    """
    if intruder is None and (intruder_key is not None or intruder_all):
        raise AuditError(
            "`--intruder-key` and `--intruder-all` are about a register; name it with `--intruder REGISTER`"
        )
    owners_file = None if intruder is None else OwnersFile.of(release)
    options = AttackOptions(
        quasi_identifiers,
        sensitive=sensitive,
        class_=class_,
        insensitive=insensitive,
        link=link,
        taxonomies=taxonomies or {},
        project=None if project is None else Path(project),
        guesses=guesses,
        seed=seed,
        splink=splink,
        strict=strict,
        downcoding=downcoding,
        minimality=minimality,
        requirements=requirements,
        delim=delim,
        intruder_key=intruder_key,
        intruder_all=intruder_all,
    )
    files = AttackedFiles(release, original, control, intruder)
    work = database or Database(threads=threads, memory_limit=memory_limit, tracer=tracer)
    try:
        report = attack_files(work, files, options)
    finally:
        if database is None:
            work.close()
    if owners_file is not None and report.intruder is not None:
        owners_file.add(report.intruder.as_json())
    return report


def _refuse_typical(release: object) -> None:
    """Raise AuditError for a release whose receipt says that it shows no nodes, of which the attacks make something."""
    shows = (read_receipt(release).get("recoding") or {}).get("shows", "ranges")
    if shows != "ranges":
        raise AuditError(
            f"downcoding and minimality ask what labels over values reveal, and the release shows {shows} values, as "
            "its receipt says; leave them out, or attack the release that shows ranges"
        )


def _refuse_bounds(release: object) -> None:
    """Raise AuditError for a release whose receipt says that it shows ends of ranges, which no taxonomy has."""
    ends = [one["name"] for one in read_receipt(release).get("columns") or [] if "bound" in one]
    if ends:
        raise AuditError(
            f"the release shows ends of ranges ({', '.join(map(repr, ends))}), as its receipt says, and an attack "
            "reads labels; attack the same release with `bounds: text`, which shows the same classes"
        )


def attack_files(work: Database, files: AttackedFiles, options: AttackOptions) -> AttackReport:
    """Attack in a database, from which all that was made for it is removed."""
    try:
        return _attacked(work, files, options)
    finally:
        forget(work, knowledge.MADE)
        work.run(DETACH)


def _attacked(work: Database, files: AttackedFiles, options: AttackOptions) -> AttackReport:
    """Run the attack: open the tables, place their values, ask each question, collect notes."""
    release, original, control = files.release, files.original, files.control
    requirement = None
    _refuse_bounds(release)
    if options.minimality or options.downcoding:
        _refuse_typical(release)
    if options.minimality:
        requirement = known_requirement(release, options.requirements, options.sensitive)
    roles = AttackedTables(work, options.quasi_identifiers, options.others, options.delim)
    file = roles.read(release, original, control, disjoint=files.disjoint)
    roles.check_named(options.link, options.taxonomies)
    shared = None if control is None or files.disjoint else roles.overlap(original, control)
    if options.strict and shared is not None and shared.beyond_chance:
        raise AuditError(str(shared.words))
    grouped = control is not None
    found = None if files.register is None else intrude(work, files, roles, options)
    placed = knowledge.place(
        work, roles.quasi, roles.kept, control=grouped, taxonomies=options.taxonomies, project=options.project
    )
    left_out = {**roles.missing, **placed.left_out}
    check_known(placed, left_out)
    records = _records(work, control=grouped)
    plan = plan_attack(placed, options, requirement, records, control=grouped)
    attempts, skews, unchecked, weighed = _tried(work, plan)
    overlapping = [shared.words] if shared is not None and shared.words else []
    notes = (*work.take_remarks(), *_untried(plan, options), *unchecked, *overlapping, *size_notes(records, placed))
    known, kept = tuple(one.name for one in placed.known), tuple(placed.kept)
    minimality = None if weighed is None else weighed.as_json()
    return AttackReport(
        file,
        records,
        known,
        kept,
        left_out,
        attempts,
        notes,
        skews,
        shared,
        minimality=minimality,
        intruder=found,
    )


# -- attacks -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GroupFindings:
    """What the attacks found for one group of people.

    ``links`` are rates by attack and the columns that are linked, ``inferred`` results by guessed column. ``changed``
    is the share of people without a released row of their own, if it is too large to look for own rows; ``by_links``
    then has the rates of inferring a value from linked rows, by attack and column.
    """

    links: Mapping[tuple[str, str | None], Rate]
    inferred: Mapping[str, inference.InferenceResult]
    changed: float | None = None
    by_links: Mapping[tuple[str, str], Rate] = field(default_factory=dict)


def _tried(
    work: Database, plan: AttackPlan
) -> tuple[tuple[Attempt, ...], tuple[Skew, ...], tuple[str, ...], MinimalityFinding | None]:
    rates = single_out(work, plan.placed, plan.guesses, plan.seed, control=plan.control)
    single = Attempt(
        SINGLING_OUT, "rare combinations", None, rates["original"], rates.get("control"), rates["baseline"].share
    )
    known = inference.learn_from(work, plan.placed, plan.seed) if plan.guessed else None
    own = _on_group(work, plan, known, ORIGINAL)
    control = _on_group(work, plan, known, CONTROL, own.changed) if plan.control else None
    attempts: list[Attempt] = [
        single,
        *_linked(plan, own, control),
        *_inferred_by_links(own, control),
        *_inferred(plan, own, control),
    ]
    notes = () if own.changed is None else (_changed_words(own.changed),)
    if plan.downcoding:
        found = downcode(work, plan.placed, plan.guesses, plan.seed, control=plan.control)
        attempts, notes = [*attempts, *found.attempts], (*notes, *found.notes)
    weighed = None
    if plan.requirement is not None:
        weighed = weigh_minimality(work, plan.placed, plan.sensitive, plan.requirement, plan.guesses, plan.seed)
        attempts, notes = [*attempts, *weighed.attempts], (*notes, *weighed.notes)
    skews = [skew for one in plan.guessed for skew in _skewed(work, plan, one, own, control)]
    return corrected(attempts), tuple(skews), notes, weighed


def _on_group(
    work: Database,
    plan: AttackPlan,
    known: inference.ReleasedRows | None,
    group: str,
    changed: float | None = None,
) -> GroupFindings:
    """Try linkability and inference on records drawn from a group. The control group has no own rows to link to."""
    work.run(
        statement("attacks/targets.sql", table={"pool": PLACED[group]}), {"seed": plan.seed, "limit": plan.guesses}
    )
    columns = plan.placed.known
    links: dict[tuple[str, str | None], Rate] = {}
    if group == ORIGINAL:
        nearest = linkability.nearest(work, plan.placed.attributes, columns)
        changed = _changed(work, plan)
        links = {} if changed is not None else {(NEAREST, None): nearest, **_own_rows(work, plan)}
    if plan.sets:
        about = " with ".join("+".join(one.name for one in attributes) for attributes in plan.sets)
        links[TWO_SOURCES, about] = linkability.joined(work, plan.placed.attributes, *plan.sets)
    inferred = {}
    if known is not None:
        people = read_people(work, plan.placed)
        inferred = {one.name: inference.infer(known, columns, one, people) for one in plan.guessed}
    by_links = {} if changed is None else _by_links(work, plan)
    forget(work, ("targets", "linked", "compared", "label_weights", "known_classes"))
    return GroupFindings(links, inferred, changed, by_links)


def _changed(work: Database, plan: AttackPlan) -> float | None:
    """The share of targets without a row of their own, after ``linkability.nearest``; None if suppression
    explains it.
    """
    share = linkability.without_own_row(work)
    return share if share > plan.missing + CHANGED else None


def _by_links(work: Database, plan: AttackPlan) -> dict[tuple[str, str], Rate]:
    """By attack and column, how many targets have the value of a row that they are linked to."""
    known, found = plan.placed.known, {}
    for one in plan.guessed:
        found[NEAREST, one.name] = linkability.nearest_value(work, known, one)
        found[MATCHED, one.name] = linkability.matched_value(work, known, one, plan.rows)
    return found


def _own_rows(work: Database, plan: AttackPlan) -> dict[tuple[str, str | None], Rate]:
    """How many targets are linked to their own row by match weights over all known columns."""
    links: dict[tuple[str, str | None], Rate] = {
        (MATCHED, None): linkability.probabilistic(work, plan.placed, plan.rows),
    }
    if plan.splink:
        links["record linkage (Splink)", None] = splink_linkage.link(work, plan.placed, plan.guesses, plan.seed)
    return links


def _linked(plan: AttackPlan, own: GroupFindings, control: GroupFindings | None) -> Iterator[Attempt]:
    for (name, about), rate in own.links.items():
        compared = control.links.get((name, about)) if control else None
        yield Attempt(LINKABILITY, name, about, rate, compared, 1 / plan.rows, own_rows=name != TWO_SOURCES)


def _inferred_by_links(own: GroupFindings, control: GroupFindings | None) -> Iterator[Attempt]:
    for (name, about), rate in own.by_links.items():
        compared = control.by_links[name, about] if control else None
        baseline = own.inferred[about].rates["baseline"].share
        yield Attempt(INFERENCE, name, about, rate, compared, baseline)


def _inferred(plan: AttackPlan, own: GroupFindings, control: GroupFindings | None) -> Iterator[Attempt]:
    for one in plan.guessed:
        ours, theirs = own.inferred[one.name], control.inferred[one.name] if control else None
        for name in inference.METHODS:
            compared_beliefs = posterior.compare(ours.beliefs[name], theirs.beliefs[name] if theirs else None)
            rate, baseline = ours.rates[name], ours.rates["baseline"].share
            compared = theirs.rates[name] if theirs else None
            yield Attempt(INFERENCE, name, one.name, rate, compared, baseline, posterior=compared_beliefs)
        for name in inference.METHODS:
            rate, baseline = posterior.largest_gain(ours.beliefs[name])
            compared = posterior.largest_gain(theirs.beliefs[name])[0] if theirs else None
            yield Attempt(INFERENCE, f"{LARGEST_GAIN}, {name}", one.name, rate, compared, baseline)


def _skewed(
    work: Database, plan: AttackPlan, one: AttackedColumn, own: GroupFindings, control: GroupFindings | None
) -> tuple[Skew, ...]:
    ours, theirs = own.inferred[one.name], control.inferred[one.name] if control else None
    prior = ours.beliefs[inference.METHODS[0]].prior
    held = (theirs.counts, theirs.beliefs[inference.METHODS[0]].held) if theirs else None
    return skew.find(work, plan.placed.known, one, ours.values, prior, held)


# -- notes -------------------------------------------------------------------------------------------------------------


def _records(work: Database, *, control: bool) -> dict[str, int]:
    tables = {"release": RELEASE, "original": ORIGINAL, **({"control": CONTROL} if control else {})}
    return {name: work.value(grouped_texts.total(table)) for name, table in tables.items()}


def _changed_words(share: float) -> str:
    return (
        f"{share:.0%} of the people have no released row that agrees with them, as where values were swapped or "
        "classes show typical values: links to a person's own row cannot be checked and were not tried, which is no "
        "sign that there are none. Rows that look like a person still reveal values: look at inference"
    )


def _untried(plan: AttackPlan, options: AttackOptions) -> Iterator[str]:
    """Notes on what was not tried, and why."""
    kept = plan.placed.kept
    for name in options.goals:
        if name in kept and is_wide(plan.placed, kept[name]):
            yield f"{name!r} holds more than {inference.MOST_VALUES} values and is not guessed"
    if not options.goals:
        yield (
            "inference was not tried; name what nobody should learn with `--sensitive COLUMN`, or the class with "
            "`--class COLUMN`"
        )
    if not options.with_splink and options.splink is None:
        yield splink_linkage.LACKING
    elif options.with_splink and not plan.splink:
        yield splink_linkage.ALIKE
