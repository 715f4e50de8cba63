"""An attack on a release from the written file: opened, placed, attacked by each question, compared with a control
group.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonduck.attacks import inference, linkability, placing, splink_linkage
from anonduck.attacks.placing import CONTROL, ORIGINAL, PLACED, RELEASE, Placed
from anonduck.attacks.rates import Rate
from anonduck.attacks.report import INFERENCE, LINKABILITY, SINGLING_OUT, AttackReport, Attempt
from anonduck.attacks.singling_out import single_out
from anonduck.audited_file import listed, open_release
from anonduck.auditing import chosen_quasi_identifiers
from anonduck.database import Database
from anonduck.errors import AuditError
from anonduck.statements import builder_attack, statement
from anonduck.statements.builder_attack import Attribute

MOST_KNOWN = 62  # columns: a pattern of agreement has a bit for each
UNEQUAL = 1.25  # a control that is so much larger or smaller than the original makes single records rarer or commoner


@dataclass(frozen=True)
class Plan:
    """What is attacked: the columns, the sets of columns that link, the columns that are guessed, how many guesses."""

    placed: Placed
    sets: tuple[tuple[Attribute, ...], ...]
    guessed: tuple[Attribute, ...]
    rows: int
    guesses: int
    seed: int
    control: bool
    splink: bool


def attack(
    release: str | Path | object,
    original: str | Path | object,
    quasi_identifiers: Sequence[str] | None = None,
    *,
    control: str | Path | object | None = None,
    sensitive: Sequence[str] = (),
    class_: str | None = None,
    insensitive: Sequence[str] = (),
    link: Sequence[Sequence[str]] = (),
    taxonomies: Mapping[str, Any] | None = None,
    project: str | Path | None = None,
    guesses: int = 1_000,
    seed: int = 0,
    splink: bool | None = None,
    delim: str | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    database: Database | None = None,
) -> AttackReport:
    """Attack a release as somebody would who knows the quasi-identifiers of people: singling out, linkability,
    inference.

    ``original`` holds the records that the release was made from, ``control`` records of other people of the same
    population; each is a Parquet or CSV file, ``FILE.duckdb::TABLE`` or a table, as in ``anonduck.audit``. Values meet
    released labels by their text, by intervals, and by taxonomies: lookup files or DataFrames by column, or those of
    the decision database of the config ``project``. Inference guesses the sensitive columns, or the class if there are
    none. ``link`` names two sets of quasi-identifiers that an attacker holds in two places. At most ``guesses``
    records are attacked in each group, drawn by ``seed``. Splink links records too if it is installed, always or never
    with ``splink``.

    Raises AuditError for files that cannot be read or lack columns, and if no quasi-identifier can be attacked.
    """
    if guesses < 1:
        raise AuditError(f"an attack makes at least one guess; it was asked for {guesses}")
    with_splink = splink_linkage.chosen(splink)
    work = database or Database(threads=threads, memory_limit=memory_limit)
    try:
        roles = _Roles(work, quasi_identifiers, [*sensitive, *([class_] if class_ else []), *insensitive], delim)
        file = roles.read(release, original, control)
        _check_named(roles, link, taxonomies or {})
        placed = placing.place(
            work,
            roles.quasi,
            roles.kept,
            control=control is not None,
            taxonomies=taxonomies or {},
            project=None if project is None else Path(project),
        )
        left_out = {**roles.missing, **placed.left_out}
        if not placed.known:
            raise AuditError(f"no quasi-identifier can be attacked: {_reasons(left_out)}")
        if len(placed.known) > MOST_KNOWN:
            raise AuditError(
                f"at most {MOST_KNOWN} quasi-identifiers can be attacked at once; there are {len(placed.known)}"
            )
        records = _records(work, control=control is not None)
        goals = list(sensitive) or ([class_] if class_ else [])
        guessed, notes = _guessed(placed, goals)
        plan = Plan(
            placed,
            _sets(placed, link),
            guessed,
            records["release"],
            guesses,
            seed,
            control is not None,
            with_splink and bool(splink_linkage.compared(placed)),
        )
        if splink is None and not with_splink:
            notes.append(splink_linkage.LACKING)
        elif with_splink and not plan.splink:
            notes.append(splink_linkage.ALIKE)
        attempts = tuple(_attempts(work, plan))
    finally:
        placing.forget(work)
        work.run(statement("audit/detach.sql"))
        if database is None:
            work.close()
    kept = tuple(one.name for one in placed.attributes if one.kept)
    told = (*notes, *_notes(records, placed))
    return AttackReport(file, records, tuple(one.name for one in placed.known), kept, left_out, attempts, told)


# -- columns -----------------------------------------------------------------------------------------------------------


class _Roles:
    """The columns of a release that the original has too, by role, and the grouped tables of both."""

    def __init__(self, work: Database, quasi: Sequence[str] | None, kept: Sequence[str], delim: str | None) -> None:
        self._work, self._named, self._delim = work, quasi, delim
        self.kept: tuple[str, ...] = tuple(kept)
        self.quasi: tuple[str, ...] = ()
        self.missing: dict[str, str] = {}

    def read(self, release: object, original: object, control: object | None) -> str | None:
        """Group release, original and control; returns the name of the release's file."""
        with open_release(self._work, original, self._delim):
            there = self._columns()
        with open_release(self._work, release, self._delim) as file:
            quasi = chosen_quasi_identifiers(self._columns(), self._named, self.kept)
            self.missing = {n: "the original has no such column" for n in (*quasi, *self.kept) if n not in there}
            self.quasi = tuple(name for name in quasi if name not in self.missing)
            self.kept = tuple(name for name in self.kept if name not in self.missing)
            if not self.quasi:
                raise AuditError(f"no quasi-identifier can be attacked: {_reasons(self.missing)}")
            self._group(RELEASE, "the release")
        with open_release(self._work, original, self._delim):
            self._group(ORIGINAL, "the original")
        if control is not None:
            with open_release(self._work, control, self._delim):
                lacking = [name for name in (*self.quasi, *self.kept) if name not in self._columns()]
                if lacking:
                    raise AuditError(
                        f"the control group has no column {listed(lacking)}; it needs those of the original"
                    )
                self._group(CONTROL, "the control group")
        return file

    def _columns(self) -> tuple[str, ...]:
        return tuple(name for (name,) in self._work.rows(statement("audit/columns.sql")))

    def _group(self, table: str, whose: str) -> None:
        self._work.run(builder_attack.grouped(table, [*self.quasi, *self.kept]))
        if not self._work.value(statement("attacks/total.sql", table={"counted": table})):
            raise AuditError(f"{whose} holds no records; check what wrote it")


def _check_named(roles: _Roles, link: Sequence[Sequence[str]], taxonomies: Mapping[str, Any]) -> None:
    for name in taxonomies:
        if name not in roles.quasi:
            raise AuditError(
                f"a taxonomy is given for {name!r}, which is no quasi-identifier; those are {listed(roles.quasi)}"
            )
    if link and len(link) != 2:
        raise AuditError(f"two sets of columns are linked with each other; {len(link)} are given")
    strangers = [name for names in link for name in names if name not in roles.quasi]
    if strangers:
        raise AuditError(f"{listed(strangers)} to link is no quasi-identifier; those are {listed(roles.quasi)}")


def _reasons(left_out: Mapping[str, str]) -> str:
    return "; ".join(f"{name!r}: {why}" for name, why in left_out.items())


def _sets(placed: Placed, link: Sequence[Sequence[str]]) -> tuple[tuple[Attribute, ...], ...]:
    """The two sets to link, as far as their columns can be attacked; none if one of them is empty."""
    sets = tuple(tuple(one for one in placed.known if one.name in names) for names in link)
    return sets if all(sets) else ()


def _guessed(placed: Placed, goals: Sequence[str]) -> tuple[tuple[Attribute, ...], list[str]]:
    kept = {one.name: one for one in placed.attributes if one.kept}
    wide = [name for name in goals if name in kept and placed.labels[kept[name].number] > inference.MOST_VALUES]
    notes = [f"{name!r} holds more than {inference.MOST_VALUES} values and is not guessed" for name in wide]
    if not goals:
        notes.append(
            "inference was not tried; name what nobody should learn with --sensitive, or the class with --class"
        )
    return tuple(kept[name] for name in goals if name in kept and name not in wide), notes


# -- attacks -----------------------------------------------------------------------------------------------------------


def _attempts(work: Database, plan: Plan) -> Iterator[Attempt]:
    rates = single_out(work, plan.placed, plan.guesses, plan.seed, control=plan.control)
    yield Attempt(
        SINGLING_OUT,
        "rare combinations",
        None,
        rates["original"],
        rates.get("control"),
        rates["baseline"].share,
    )
    known = inference.learn_from(work, plan.placed, plan.seed) if plan.guessed else None
    learned: list[splink_linkage.Model] = []
    found = _on_group(work, plan, known, ORIGINAL, learned)
    control = _on_group(work, plan, known, CONTROL, learned) if plan.control else {}
    for (question, name, about), rate in found.items():
        if name == "baseline":
            continue
        baseline = found[question, "baseline", about].share if question == INFERENCE else 1 / plan.rows
        yield Attempt(question, name, about, rate, control.get((question, name, about)), baseline)


def _on_group(
    work: Database, plan: Plan, known: inference.Known | None, group: str, learned: list[splink_linkage.Model]
) -> dict[tuple[str, str, str | None], Rate]:
    """The rates of linkability and inference on records drawn from a group, by question, attack and what it is
    about; ``learned`` takes the model of Splink from the first group to the next.
    """
    work.run(
        statement("attacks/targets.sql", table={"pool": PLACED[group]}), {"seed": plan.seed, "limit": plan.guesses}
    )
    everything, columns = plan.placed.attributes, plan.placed.known
    found: dict[tuple[str, str, str | None], Rate] = {
        (LINKABILITY, "nearest neighbour (Gower)", None): linkability.nearest(work, everything, columns),
        (LINKABILITY, "record linkage (Fellegi-Sunter)", None): linkability.probabilistic(
            work, everything, columns, plan.rows, estimate=group == ORIGINAL
        ),
    }
    if plan.splink:
        model = learned[0] if learned else None
        rate, model = splink_linkage.link(work, plan.placed, plan.guesses, plan.seed, model)
        found[LINKABILITY, "record linkage (Splink)", None] = rate
        learned.append(model)
    if plan.sets:
        about = " with ".join("+".join(one.name for one in attributes) for attributes in plan.sets)
        found[LINKABILITY, "two sources (Gower)", about] = linkability.joined(work, everything, *plan.sets)
    if known is not None:
        targets = inference.read_targets(work, plan.placed)
        for one in plan.guessed:
            for name, rate in inference.infer(known, columns, one, targets).items():
                found[INFERENCE, name, one.name] = rate
    for made in ("targets", "linked", "compared", *(("agreement",) if group == CONTROL or not plan.control else ())):
        work.run(statement("attacks/forget.sql", table={"made": made}))
    return found


# -- notes -------------------------------------------------------------------------------------------------------------


def _records(work: Database, *, control: bool) -> dict[str, int]:
    tables = {"release": RELEASE, "original": ORIGINAL, **({"control": CONTROL} if control else {})}
    return {
        name: work.value(statement("attacks/total.sql", table={"counted": table})) for name, table in tables.items()
    }


def _notes(records: Mapping[str, int], placed: Placed) -> Iterator[str]:
    if records["original"] != records["release"]:
        yield (
            f"the release has {records['release']:,} records and the original {records['original']:,}: the original "
            "is to hold the people of the release and nobody else, but for suppressed records"
        )
    held = records.get("control")
    if held is None:
        yield "there is no control group: name records of people who are not in the release with --control"
    elif not 1 / UNEQUAL <= held / records["original"] <= UNEQUAL:
        yield (
            f"the control group has {held:,} records and the original {records['original']:,}: how often a "
            "combination holds for just one depends on how many there are; take groups of one size"
        )
    for name, share in placed.unplaced.items():
        yield (
            f"{share:.0%} of the control records have a value of {name!r} that no released label covers, so that "
            "guesses about them fail; a taxonomy that knows all values shows less excess"
        )
