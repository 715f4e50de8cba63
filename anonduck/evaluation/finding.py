"""Recodings that methods find, on the counted records of a source."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.config.config import Config
from anonduck.config.requirement_change import with_requirement
from anonduck.config.ways import SWAPPED, TYPICAL
from anonduck.config.without_class import refuse_method
from anonduck.database.progress import Reporter
from anonduck.errors import ConfigError, RequirementNotMet
from anonduck.evaluation.cell_records import CellRecords
from anonduck.evaluation.cells import Cells, CodedColumn
from anonduck.evaluation.evaluation import RecodedCells, unlearnable
from anonduck.evaluation.only_k import WITHIN_CLASSES, refuse_unmet
from anonduck.evaluation.settled import settle
from anonduck.evaluation.shown import Shown, show_classes, show_cuts, show_levels
from anonduck.evaluation.swapped_shown import show_swapped
from anonduck.evaluation.typical_shown import show_typical
from anonduck.frequency.roll_up import distinct
from anonduck.frequency.taxonomies import taxonomies_of
from anonduck.measures.attributes import by_intervals
from anonduck.measures.counted_cells import CountedCells
from anonduck.measures.group_judge import CombinationCells, GroupJudge, WholeJudge
from anonduck.measures.requirement import Requirement, requirement_of
from anonduck.methods.coded_records import ClassCells, CodedRecords, PlacedColumn
from anonduck.methods.method import Method, RaisedClasses
from anonduck.methods.regions import Watcher
from anonduck.methods.registry import method_named
from anonduck.models.teacher import cross_fitted
from anonduck.models.usefulness import INTERPRETATIONS, Usefulness, usefulness
from anonduck.privacy.kept_columns import KEPT_RARE
from anonduck.search.level_space import CodedLevels, source_levels
from anonduck.source.source import MAX_CLASS_VALUES

if TYPE_CHECKING:
    from anonduck.methods.coded_records import MixedRecords
    from anonduck.workspace import Workspace


def recode_by_levels(
    cells: Cells, levels: Mapping[str, int], config: Config, requirement: Requirement, whose: str, words: str
) -> RecodedCells:
    """Recode cells by a rule; raises as ``settle`` does."""
    settled = settle(cells, show_levels(cells, levels), requirement, whose)
    return RecodedCells(settled, config, levels, words)


def recode_typically(workspace: Workspace, recoded: RecodedCells, k: int) -> RecodedCells:
    """The same classes, that show typical values; none that fewer than ``k`` released records hold."""
    kinds = {name: workspace.source.column(name).type for name in recoded.settled.cells.names}
    return replace(recoded, settled=show_typical(recoded.settled, k, kinds, workspace.config.shown_columns))


def recode_by_swaps(workspace: Workspace, recoded: RecodedCells, name: str, k: int) -> RecodedCells:
    """The same classes, whose columns are permuted within each; values that few records hold are generalized first.

    Raises ConfigError for what swapping cannot meet.
    """
    config = workspace.config
    wanted = requirement_of(with_requirement(config, {"k": k}), workspace.folder)
    refuse_unmet(method_named(name), wanted, but=(KEPT_RARE,), shows=WITHIN_CLASSES)
    kinds = {column: workspace.source.column(column).type for column in recoded.settled.cells.names}
    rare, keeps_rare = max(wanted.k, wanted.rare_under), config.requirement.kept_rare is not None
    shown = show_swapped(recoded.settled, rare, kinds, config.seed, keeps_rare=keeps_rare, blocks=config.blocks)
    return replace(recoded, settled=shown)


def recode_in_way(workspace: Workspace, recoded: RecodedCells, name: str, k: int, shows: str) -> RecodedCells:
    """The classes that a method found at ``k``, as they show ranges, typical or swapped values."""
    if shows == TYPICAL:
        return recode_typically(workspace, recoded, k)
    return recode_by_swaps(workspace, recoded, name, k) if shows == SWAPPED else recoded


def recode_by_method(
    workspace: Workspace,
    cells: Cells,
    name: str,
    settings: Mapping[str, Any],
    k: int,
) -> RecodedCells:
    """Recode cells by what a method finds at ``k``.

    Args:
        workspace: its config has the requirement beside k, the settings of methods, and the seed.
        cells: the records.
        name: the method, whose recoding is classes, cuts or levels.
        settings: options of the method, over those of the config.
        k: what is required.

    Raises ConfigError for a setting that cannot be evaluated, RequirementNotMet where nothing meets the requirement.
    """
    method, config = method_named(name), workspace.config
    options = method.resolve_options(config.method_options.get(name, {}), settings)
    _refuse_preprocessing(name, options)
    refuse_method(config, name, settings)
    whose, words = f"the classes of {name}", f"{name}: {method.words} ({method.source})"
    required: dict[str, Any] = {"k": k}
    if method.recoding == "levels":
        required = with_allowance(config, lambda: cells.total, method, options, required)
    wanted = requirement_of(with_requirement(config, required), workspace.folder)
    if method.recoding == "levels":
        records = CellRecords([column.counted for column in cells.columns], cells)
        rows = len(cells.by_class[0])
        space = CodedLevels(records, records.judge(wanted), rows, config, workspace.reporter)
        levels = levels_of(space, method, options)
        return recode_by_levels(cells, levels, config, wanted, whose, words)
    sensitive = tuple(workspace.roles.sensitive) if method.weighed else ()
    shown = show_found(method, options, cells, wanted, sensitive, config.seed, workspace.reporter)
    return RecodedCells(settle(cells, shown, wanted, whose), config, None, words)


def _refuse_preprocessing(name: str, options: Mapping[str, Any]) -> None:
    """Raise ConfigError for settings that change values before classes are found, which no evaluation does."""
    changed = [option for option in ("missing", "outliers") if options.get(option) not in (None, "", "keep")]
    if changed:
        raise ConfigError(
            f"a comparison takes the values of the source as they are, and {name} changes some by its option "
            f"{changed[0]!r}; `anonduck anonymize METHOD --dry-run` measures such a release"
        )


def show_found(
    method: Method,
    options: Mapping[str, Any],
    cells: Cells,
    requirement: Requirement,
    sensitive: Sequence[str],
    seed: int,
    reporter: Reporter,
) -> Shown:
    """What the classes or cuts that a method finds show of cells.

    ``options`` are all of the method, ``sensitive`` the columns that it weighs; the class where there are none.
    Raises RequirementNotMet where all records together do not meet what is required.
    """
    intervals = options.get("numbers") == "intervals"
    columns = [_placed(column, intervals) for column in cells.columns]
    if method.recoding == "cuts":
        return show_cuts(cells, found_cuts(method, options, cells, columns, requirement, seed, reporter))
    records = method_records(method, options, cells, columns, sensitive)
    found = found_classes(method, options, records, requirement, group_judge(cells, requirement), seed, reporter)
    if isinstance(found.found, RaisedClasses):
        return show_classes(cells, found.found.classes, found.found.levels, intervals=intervals)
    return show_classes(cells, found.found, intervals=intervals)


@dataclass(frozen=True, eq=False)
class MethodClasses:
    """The classes that a method finds: the class of each combination, or those with least levels; how its search
    ended, in words; and how useful columns are, where the method weighs them."""

    found: np.ndarray | RaisedClasses
    ended: tuple[str, ...]
    usefulness: Usefulness | None


def found_classes(
    method: Method,
    options: Mapping[str, Any],
    records: CodedRecords,
    requirement: Requirement,
    judge: GroupJudge | None,
    seed: int,
    reporter: Reporter,
    names: Sequence[str] = (),
    watcher: Watcher | None = None,
) -> MethodClasses:
    """Run a method that finds classes; raises RequirementNotMet where the records are too few.

    ``watcher`` is told of the cuts of a method that finds a cut tree; None for any other.
    """
    refuse_too_few(records, requirement.k)
    weighed = None
    if method.weighed and records.cells is not None:
        weighed = column_usefulness(records, names or [str(at) for at in range(len(records.columns))], seed, reporter)
        records = replace(
            records,
            weights={reading: weighed.shares(reading) for reading in INTERPRETATIONS},
            grades={reading: weighed.grades(reading) for reading in INTERPRETATIONS},
        )
    ended: list[str] = []
    if method.taught:
        records, why = taught(records, seed)
        ended += [f"detail alone decided where records were cut: {why}"] if why else []
    heard: dict[str, Any] = {"note": ended.append} if method.bounded else {}
    if watcher is not None:
        heard["watcher"] = watcher
    found = method.algorithm(
        records,
        requirement.k,
        judge,
        seed=seed,
        progress=reporter.progress,
        **heard,
        **method.algorithm_options(options),
    )
    for words in ended:
        reporter.announce(f"{method.name}: {words}")
    return MethodClasses(found, tuple(ended), weighed)


def taught(records: CodedRecords, seed: int) -> tuple[CodedRecords, str | None]:
    """The records with what a model expects of their class, or why none can learn it."""
    cells = records.cells
    why = unlearnable(0 if cells is None else len(np.unique(cells.classes)))
    if cells is None or why is not None:
        return records, why
    ordered = [at for at, column in enumerate(records.columns) if column.ordered]
    nominal = [at for at in range(len(records.columns)) if at not in ordered]
    features = np.column_stack([records.codes[at] for at in (*ordered, *nominal)]).astype(np.float64)
    numbers = features[:, : len(ordered)]
    numbers[numbers == 0] = np.nan
    shares = cross_fitted(features, len(ordered), cells.combinations, cells.classes, cells.records, seed=seed)
    return replace(records, expected=shares), None


def found_cuts(
    method: Method,
    options: Mapping[str, Any],
    cells: CountedCells,
    columns: Sequence[PlacedColumn],
    requirement: Requirement,
    seed: int,
    reporter: Reporter,
) -> Sequence[np.ndarray]:
    """Run a method that finds cuts: by column the level of each place; raises as ``found_classes`` does."""
    records = coded_records(cells, columns, with_class=True)
    refuse_too_few(records, requirement.k)
    judged = _judged_cells(cells, requirement)
    judge = None if judged is None else WholeJudge(requirement, judged)
    found: Sequence[np.ndarray] = method.algorithm(
        records, requirement.k, judge, seed=seed, progress=reporter.progress, **options
    )
    return found


def refuse_too_few(records: CodedRecords | MixedRecords, k: int) -> None:
    """Raise RequirementNotMet where all records together are fewer than k."""
    if records.total < k:
        raise RequirementNotMet(
            f"the source has {records.total:,} records, fewer than the required k = {k:,}; require a smaller k, or "
            "anonymize more records"
        )


def column_usefulness(records: CodedRecords, names: Sequence[str], seed: int, reporter: Reporter) -> Usefulness:
    """The usefulness of the columns of records, which have their class; raises ConfigError for a class with too many
    values."""
    if records.cells is None:
        raise ValueError("usefulness is measured by the class of records, which these lack")
    values = int(records.cells.classes.max(initial=-1)) + 1
    if values > MAX_CLASS_VALUES:
        raise ConfigError(
            f"the class has {values:,} distinct values; how useful columns are is measured for up to "
            f"{MAX_CLASS_VALUES}. Put them into groups in the source, or name another class"
        )
    cells, features = records.cells, np.column_stack(records.places)
    return usefulness(
        names, features, cells.combinations, cells.classes, cells.records, seed=seed, progress=reporter.progress
    )


# -- what methods read -------------------------------------------------------------------------------------------------


def method_records(
    method: Method,
    options: Mapping[str, Any],
    cells: CountedCells,
    columns: Sequence[PlacedColumn],
    sensitive: Sequence[str],
) -> CodedRecords:
    """What a method that finds classes reads; ``sensitive`` are the columns that it weighs, the class where
    there are none."""
    records = coded_records(cells, columns, with_class=method.reads_class(options))
    if not method.weighed:
        return records
    return replace(records, sensitive=tuple(_value_cells(cells, name) for name in sensitive or (None,)))


def coded_records(cells: CountedCells, columns: Sequence[PlacedColumn], *, with_class: bool = False) -> CodedRecords:
    """The combinations of quasi-identifiers, on request with their classes."""
    first, combination = cells.combinations
    records = np.bincount(combination, weights=cells.records, minlength=len(first)).astype(np.int64)
    return CodedRecords(
        columns=tuple(columns),
        codes=tuple(one[first] for one in cells.leaves),
        records=records,
        cells=_value_cells(cells, None) if with_class else None,
    )


def _placed(column: CodedColumn, intervals: bool) -> PlacedColumn:
    if not intervals or column.intervals is None:
        return column.placed
    return by_intervals(column.placed, column.cell.by_loss.paths[1], column.intervals, column.cell.leaves)


def _value_cells(cells: CountedCells, name: str | None) -> ClassCells:
    """The records of each combination by value of a column; None is the class."""
    codes = _null_last(cells.classes) if name is None else cells.sensitive[name].codes
    combinations, values, records = _counted(cells, [codes])
    return ClassCells(combinations, values, records)


def _null_last(classes: np.ndarray) -> np.ndarray:
    """Class codes that occur, from 0, NULL behind all others."""
    moved = np.where(classes == 0, int(classes.max(initial=0)) + 1, classes)
    found: np.ndarray = np.unique(moved, return_inverse=True)[1]
    return found


def _counted(cells: CountedCells, codes: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """The combinations with some codes, and the records of each."""
    _, combination = cells.combinations
    first, group = distinct([combination, *codes])
    records = np.bincount(group, weights=cells.records, minlength=len(first)).astype(np.int64)
    return (combination[first], *(one[first] for one in codes), records)


def group_judge(cells: CountedCells, requirement: Requirement) -> GroupJudge | None:
    """The judge of what is required of each class beside its size; None where that is all."""
    found = _judged_cells(cells, requirement)
    return None if found is None else GroupJudge(requirement, found)


def _judged_cells(cells: CountedCells, requirement: Requirement) -> dict[str, CombinationCells] | None:
    if requirement.only_k:
        return None
    if not requirement.sensitive:
        combinations, records = _counted(cells, [])
        return {"": CombinationCells(combinations, np.zeros(len(records), dtype=np.int64), records)}
    found = {}
    for name in requirement.sensitive:
        one = cells.sensitive[name]
        combinations, values, records = _counted(cells, [one.codes])
        found[name] = CombinationCells(combinations, values, records, one.values)
    return found


# -- levels ------------------------------------------------------------------------------------------------------------


def found_levels(
    workspace: Workspace,
    method: Method,
    options: Mapping[str, Any],
    requirement: Requirement,
    *,
    label_k: int,
    unmapped: str,
    show_values: bool = False,
) -> dict[str, int]:
    """The levels of the rule that a method finds; ``workspace`` has a database of its own.

    Raises RequirementNotMet where it finds none.
    """
    config = workspace.config
    taxonomies = taxonomies_of(workspace, list(workspace.roles.quasi_identifiers), label_k)
    source, roles = workspace.opened
    space = source_levels(
        source.engine,
        roles,
        taxonomies,
        config,
        requirement,
        refuse=unmapped != "root",
        show_values=show_values,
        reporter=workspace.reporter,
    )
    return levels_of(space, method, options)


def levels_of(space: CodedLevels, method: Method, options: Mapping[str, Any]) -> dict[str, int]:
    """The levels of the rule that a method finds; raises RequirementNotMet where it finds none."""
    vector = method.algorithm(space, seed=space.config.seed, progress=space.reporter.progress, **options)
    if vector is None or vector == space.space.roots:
        raise RequirementNotMet(
            f"{method.name} finds no rule with a column under its root that meets {space.judge.requirement.text}; "
            "nothing was written. Require less, allow more suppression, or use other taxonomies"
        )
    return space.space.named(vector)


def with_allowance(
    config: Config, records: Callable[[], int], method: Method, options: Mapping[str, Any], required: Mapping[str, Any]
) -> dict[str, Any]:
    """What is required, with the share of the records that the method leaves out, where that is its own."""
    k = with_requirement(config, required).requirement.k
    share = method.allowance(k, records(), **options)
    if share is None:
        return dict(required)
    if "suppression" in required:
        raise ConfigError(
            f"the method {method.name} decides by itself how many records are left out; leave `suppression` out of the "
            "replaced requirement"
        )
    return {**required, "suppression": share}
