"""The motivated intruder: somebody with a register of people who looks for them in the release.

The test that the Information Commissioner's Office asks for (*Anonymisation* guidance, the motivated intruder test), by
machine. What is known of each person is compared with each class of the release (``probable_links``), and the likeliest
row is claimed to be the person's. A key that the register shares with the original decides which claims are right; the
intruder does not use it. People whose key is not in the original are controls: every claim about them is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anonduck.attacks import knowledge, people, probable_links
from anonduck.attacks.attacked_columns import AttackedColumn, items_of
from anonduck.attacks.intruder_report import BANDS, SURE, ClaimBand, IntruderFinding, KnownFact, ValueGuesses
from anonduck.attacks.knowledge import PlacedColumns
from anonduck.attacks.plan import AttackOptions, check_known
from anonduck.attacks.probable_links import UNKNOWN, Agreement, Claims, GuessedColumn, LinkedClasses, LinkedColumn
from anonduck.attacks.rates import Rate
from anonduck.attacks.tables import AttackedTables, reasons
from anonduck.database.connection import Database
from anonduck.errors import AuditError
from anonduck.privacy import grouped_texts
from anonduck.privacy.audited_file import listed, open_release
from anonduck.privacy.composition import columns_of
from anonduck.privacy.relations import forget
from anonduck.statements import Statement, line, statement
from anonduck.statements.expansion import Item
from anonduck.statements.template import temporary_table_of

if TYPE_CHECKING:
    import pandas as pd

MEMBERS = """
SELECT count(*) FROM register_people AS p WHERE EXISTS (SELECT 1 FROM release WHERE p.key = release."{key}"::VARCHAR)"""
RECORDS, CONTROLS = "register_records", "register_controls"
MADE = (
    *knowledge.OF_PLACING,
    "register_people",
    RECORDS,
    CONTROLS,
    "placed_people",
    knowledge.REGISTER,
    "numbered_values",
)
CHANGED = 0.01  # of the original, without a row of its own and not suppressed: over this, values were changed


@dataclass(frozen=True)
class AttackedFiles:
    """The release, the records it was made from, those of people who are not in it, and the register.

    ``disjoint``: original and control group are known to share nobody, so that their overlap is not measured.
    """

    release: object
    original: object
    control: object | None
    register: object
    disjoint: bool = False


@dataclass(frozen=True)
class _Register:
    """The columns that a register shares with the release, its people, how many of them are in the original, how many
    are looked for, and whether the values of controls are known.
    """

    shared: tuple[str, ...]
    people: int
    members: int
    limit: int
    with_controls: bool


def intrude(work: Database, files: AttackedFiles, tables: AttackedTables, options: AttackOptions) -> IntruderFinding:
    """Look for the people of a register; ``tables`` has been read. Makes its own placed tables, and removes them.

    Raises AuditError where the register has no people, key, or column in common with the release, or where people have
    no row of their own in the release.
    """
    try:
        register = _read(work, files, tables, options)
        placed = knowledge.place(
            work,
            tables.quasi,
            tables.kept,
            control=False,
            taxonomies=options.taxonomies,
            project=options.project,
            registered=register.shared,
        )
        check_known(placed, {**tables.missing, **placed.left_out})
        known = tuple(one for one in placed.known if one.name in register.shared)
        if not known:
            raise AuditError(f"no column of the register can be compared with labels: {reasons(placed.left_out)}")
        return _found(work, placed, known, options, register)
    finally:
        forget(work, MADE)


# -- reading -----------------------------------------------------------------------------------------------------------


def _read(work: Database, files: AttackedFiles, tables: AttackedTables, options: AttackOptions) -> _Register:
    """Read the register and its people's records."""
    numbers = dict(enumerate([*tables.quasi, *tables.kept], start=1))
    released, theirs, ours = (
        columns_of(work, one, options.delim) for one in (files.release, files.register, files.original)
    )
    shared = {number: name for number, name in numbers.items() if name in theirs and name in tables.quasi}
    if not shared:
        raise AuditError(
            f"the register shares no quasi-identifier with the release; those are {listed(tables.quasi)}, and the "
            f"register has {listed(theirs)}. Name its columns as the release does"
        )
    keys = [name for name in theirs if name in ours and name not in released]
    with open_release(work, files.register, options.delim, noun="register", one_zero=True):
        key = _key(work, keys, options.intruder_key)
        lists = {"columns": _by_number(shared)}
        work.run(statement("attacks/register_people.sql", column={"key": key}, lists=lists), {"seed": options.seed})
    people = work.count("register_people")
    limit = people if options.intruder_all else min(options.guesses, people)
    with open_release(work, files.original, options.delim, one_zero=True):
        members = work.value(line("attacks/intruder.MEMBERS", MEMBERS, key=key))
        work.run(_keyed_records(RECORDS, key, numbers), {"limit": limit})
    if not members:
        raise AuditError(
            f"nobody of the register is in the original by {key!r}; name the column that both write in the same way, "
            "or another register"
        )
    known = files.control is not None and key in columns_of(work, files.control, options.delim)
    if known:
        with open_release(work, files.control, options.delim, one_zero=True):
            work.run(_keyed_records(CONTROLS, key, numbers), {"limit": limit})
    text = "SELECT each(columns, a_{number};), count(*) AS records FROM register_people GROUP BY ALL"
    work.run(temporary_table_of(knowledge.REGISTER, line("attacks/intruder._read", text, **lists)))
    return _Register(tuple(shared.values()), people, members, limit, known)


def _key(work: Database, keys: Sequence[str], named: str | None) -> str:
    """The key of the register, which is open; raises AuditError if there is none."""
    if named is not None and named not in keys:
        allowed = f"such are {listed(keys)}" if keys else "there is no such column"
        raise AuditError(
            f"the key {named!r} has to be a column of the register and the original that the release lacks; {allowed}"
        )
    if not keys:
        raise AuditError(
            "the register and the original have no column in common that the release lacks; both need a key that says "
            "who is who, such as a customer number"
        )
    unique = []
    for name in [named] if named is not None else keys:
        records, without, values = work.row(statement("attacks/key_values.sql", column={"key": name}))
        if not records:
            raise AuditError("the register has no people; check the program that wrote it")
        if values == records:
            unique.append(name)
        elif named is not None:
            raise AuditError(
                f"the key {named!r} of the register has {values:,} values in {records:,} records, {without:,} of them "
                "without one; a register has one record a person, each with a key"
            )
    if len(unique) != 1:
        which = f"those are {listed(unique)}" if unique else f"of {listed(keys)} none is"
        raise AuditError(
            f"the key is the one column that is unique in the register, is in the original and not in the release; "
            f"{which}. Name it with `--intruder-key COLUMN`"
        )
    return unique[0]


# -- linking -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Rows:
    """The distinct released rows: labels by attribute and records; ``places`` is the class of each by known columns."""

    frame: pd.DataFrame
    places: np.ndarray
    classes: int

    def of(self, one: AttackedColumn) -> np.ndarray:
        """The label of each row in a column."""
        return self.frame[f"l_{one.number}"].to_numpy(np.int64)

    @property
    def records(self) -> np.ndarray:
        """The records of each row."""
        return self.frame["records"].to_numpy(np.int64)

    def guessed(self, one: AttackedColumn) -> GuessedColumn:
        """The records of each class by the value of a kept column."""
        import pandas as pd

        table = pd.DataFrame({"place": self.places, "label": self.of(one), "records": self.records})
        held = table.groupby(["place", "label"], sort=True)["records"].sum().reset_index()
        starts = np.searchsorted(held["place"].to_numpy(), np.arange(self.classes + 1))
        return GuessedColumn(starts, held["label"].to_numpy(), held["records"].to_numpy())


def _found(
    work: Database,
    placed: PlacedColumns,
    known: Sequence[AttackedColumn],
    options: AttackOptions,
    register: _Register,
) -> IntruderFinding:
    rows = _released(work, placed, known)
    owners, places, chances = _own(work, placed, rows)
    classes, numbers, wholes = _linked(work, placed, known, rows, register.limit)
    facts, lines = probable_links.distinct(numbers)
    learned = _learned(classes, facts, lines, register.people)
    goals = [placed.kept[name] for name in options.goals if name in placed.kept]
    order = np.argsort(lines[owners], kind="stable")
    owners, places, chances = owners[order], places[order], chances[order]
    guessed = [rows.guessed(one) for one in goals]
    claims = probable_links.claim(classes, facts, learned, (lines[owners], places), guessed)
    counted = _Counted(claims, lines, owners, chances, classes.rows)
    text = 'SELECT DISTINCT person FROM "{records}" ORDER BY person'
    found = work.arrays(line("attacks/intruder._found", text, records=RECORDS))["person"]
    keyed = np.isin(np.arange(len(lines)), found - 1)
    inside = int(counted.inside.sum())
    facts_known = zip(known, learned.right, wholes, strict=True)
    asked = zip(goals, claims.guessed[:, lines], strict=True)
    return IntruderFinding(
        people=register.people,
        members=register.members,
        inside=inside,
        left_out=int((keyed & ~counted.inside).sum()),
        controls=int((~keyed).sum()),
        facts=tuple(KnownFact(one.name, float(right), *shares) for one, right, shares in facts_known),
        estimated=learned.inside,
        bands=counted.bands(),
        right=Rate(float(counted.hits.sum()), len(lines)),
        chance=float(counted.by_chance().sum()),
        effort=tuple(probable_links.effort(counted.confidence, counted.hits)),
        found=Rate(float(counted.hits[counted.confidence >= SURE].sum()), inside),
        guesses=tuple(
            _guesses(work, one, values, (counted.inside, keyed), rows, controls=register.with_controls)
            for one, values in asked
        ),
    )


def _linked(
    work: Database, placed: PlacedColumns, known: Sequence[AttackedColumn], rows: _Rows, limit: int
) -> tuple[LinkedClasses, np.ndarray, list[tuple[float, float]]]:
    """The classes by the known columns, what is known of people (people, columns), and of each column the shares of
    people of whom it is missing or uncovered.
    """
    work.run(statement("attacks/numbered_values.sql"))
    values = work.frame(statement("attacks/covering_labels.sql"))
    numbers = work.frame(statement("attacks/numbered_people.sql", lists={"known": items_of(known)}), {"limit": limit})
    _, first = np.unique(rows.places, return_index=True)
    columns, facts, wholes = list[LinkedColumn](), list[np.ndarray](), list[tuple[float, float]]()
    for one in known:
        of_it = values[values["attribute"] == one.number]
        column, missing, shares = _column(of_it, rows.of(one)[first] - 1, placed.labels[one.number])
        number = numbers[f"v_{one.number}"].to_numpy(np.int64)
        columns.append(column)
        facts.append(np.where(missing[number], UNKNOWN, number))
        wholes.append(shares)
    records = np.bincount(rows.places, rows.records).astype(np.int64)
    return LinkedClasses(tuple(columns), records), np.column_stack(facts), wholes


def _released(work: Database, placed: PlacedColumns, known: Sequence[AttackedColumn]) -> _Rows:
    frame = work.frame(knowledge.labels_of_rows(placed.attributes))
    places = frame.groupby([f"l_{one.number}" for one in known], sort=True).ngroup().to_numpy(np.int64)
    return _Rows(frame, places, int(places.max()) + 1)


def _own(work: Database, placed: PlacedColumns, rows: _Rows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of a person, from 0, and a class, and the chance that a row of the person's is in it; by the person's
    original values in all that is released.

    Raises AuditError where too many people of the original have no row of their own.
    """
    rates = people.own_rates(work, placed)
    original = work.value(grouped_texts.total(knowledge.ORIGINAL))
    if rates.without > max(0.0, 1 - rows.records.sum() / original) + CHANGED:
        raise AuditError(
            f"{rates.without:.0%} of the people have no released row that agrees with them, as where values were "
            "swapped: an intruder cannot find a person's own row there, and no claim could be checked. Attack it "
            "without a register, and look at inference"
        )
    work.run(knowledge.placed_records("placed_people", RECORDS, placed.attributes, ("person", "record")))
    pairs = work.frame(statement("attacks/own_rows.sql", lists={"attributes": items_of(placed.attributes)}))
    owners, number = pairs["person"].to_numpy(np.int64) - 1, pairs["class"].to_numpy(np.int64) - 1
    weights, filled = _by_class(rates, rows.records)
    _, records = np.unique(pairs["record"].to_numpy(np.int64), return_inverse=True)
    chances = weights[number] / np.bincount(records, weights[number])[records] * filled[number]
    return owners, rows.places[number], chances


def _by_class(rates: people.OwnRates, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rate of each released row, and by how much it is filled; a row that was not sampled has the mean rate of a
    record.
    """
    held, filled = rates.classes - 1, np.ones(len(records))
    weights = records * (rates.rates.sum() / max(records[held].sum(), 1))
    weights[held], filled[held] = rates.rates, rates.filled
    return np.maximum(weights, people.LEAST), filled


def _column(
    values: pd.DataFrame, labels: np.ndarray, count: int
) -> tuple[LinkedColumn, np.ndarray, tuple[float, float]]:
    """A known column; by number of its value whether that is missing; and the shares of people of whom it is missing,
    or whose value no label covers.
    """
    number, covering = values["number"].to_numpy(np.int64), values["label"].to_numpy(np.int64) - 1
    _, first = np.unique(number, return_index=True)
    missing, held = values["missing"].to_numpy(bool)[first], values["people"].to_numpy(np.int64)[first]
    uncovered = (covering[first] < 0) & ~missing
    column = probable_links.columns_of_values(labels, number, covering, np.where(missing, 0, held), count)
    everyone = max(int(held.sum()), 1)
    return column, missing, (float(held[missing].sum() / everyone), float(held[uncovered].sum() / everyone))


def _learned(classes: LinkedClasses, facts: np.ndarray, lines: np.ndarray, register: int) -> Agreement:
    """Learn from the first people, who are drawn at random."""
    used, alike = np.unique(lines[: probable_links.LEARNED], return_counts=True)
    return probable_links.learn(classes, facts[used], alike, min(1.0, classes.rows / register))


# -- counting ----------------------------------------------------------------------------------------------------------


class _Counted:
    """The claims by person: confidence, the chance that each is right (hits), and who is in the release (inside)."""

    def __init__(self, claims: Claims, lines: np.ndarray, owners: np.ndarray, chances: np.ndarray, rows: int) -> None:
        self._claims, self._lines, self._owners, self._chances, self._rows = claims, lines, owners, chances, rows
        self.confidence = claims.confidence[lines]
        self.hits = self._summed(chances * claims.chosen) / claims.rows[lines]
        self.inside = self._summed(chances) > 0

    def _summed(self, chances: np.ndarray) -> np.ndarray:
        return np.bincount(self._owners, chances, len(self._lines))

    def by_chance(self) -> np.ndarray:
        """The chance of each person that a random row is right: of the fitting rows, or of all where none fits."""
        fitting = self._claims.fitting[self._lines]
        fit = self._summed(self._chances * self._claims.fits) / np.maximum(fitting, 1)
        return np.where(fitting > 0, fit, self._summed(self._chances) / self._rows)

    def bands(self) -> tuple[ClaimBand, ...]:
        """The claims by their confidence."""
        found, before = [], np.inf
        for least in BANDS:
            of_it = (self.confidence >= least) & (self.confidence < before)
            right = Rate(float(self.hits[of_it].sum()), int(of_it.sum()))
            found.append(ClaimBand(least, right, int((of_it & ~self.inside).sum())))
            before = least
        return tuple(found)


def _guesses(
    work: Database,
    about: AttackedColumn,
    guessed: np.ndarray,
    people: tuple[np.ndarray, np.ndarray],
    rows: _Rows,
    *,
    controls: bool,
) -> ValueGuesses:
    """How often guessed values (people,) are right; of several records of a person any may have the value. ``people``
    are those in the release, and those in the original.
    """
    inside, keyed = people
    common = int(np.bincount(rows.of(about), rows.records).argmax())
    held = _held(work, RECORDS, about)
    right, plain = (_right(held, values, inside) for values in (guessed, np.full(len(guessed), common)))
    if not controls:
        return ValueGuesses(about.name, right, None, plain)
    theirs = _held(work, CONTROLS, about)
    known = np.isin(np.arange(len(guessed)), theirs[0]) & ~keyed
    return ValueGuesses(about.name, right, _right(theirs, guessed, known) if known.any() else None, plain)


def _held(work: Database, table: str, about: AttackedColumn) -> tuple[np.ndarray, np.ndarray]:
    found = work.arrays(
        statement("attacks/held_labels.sql", table={"people": table}, lists={"about": items_of([about])})
    )
    return found["person"].astype(np.int64) - 1, found["label"].astype(np.int64)


def _right(held: tuple[np.ndarray, np.ndarray], guessed: np.ndarray, people: np.ndarray) -> Rate:
    owners, labels = held
    found = np.bincount(owners, labels == guessed[owners], len(guessed)) > 0
    return Rate(int(found[people].sum()), int(people.sum()))


def _keyed_records(target: str, key: str, columns: Mapping[int, str]) -> Statement:
    lists = {"columns": _by_number(columns)}
    return statement("attacks/keyed_records.sql", table={"target": target}, column={"key": key}, lists=lists)


def _by_number(columns: Mapping[int, str]) -> list[Item]:
    return [{"number": number, "name": name} for number, name in columns.items()]
