"""The records of a source and of its training parts, read once each for all recodings that are evaluated on them."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from anonduck.config.config import Config
from anonduck.config.reading import with_changes
from anonduck.config.requirement_change import with_requirement
from anonduck.database.connection import Database
from anonduck.database.progress import no_message
from anonduck.evaluation.cell_records import PartRecords
from anonduck.evaluation.cells import Cells, called_columns, read_cells
from anonduck.evaluation.part_cells import PART_SET, part_of, write_drawn
from anonduck.evaluation.workload import records_of_set
from anonduck.frequency.copies import in_memory
from anonduck.frequency.taxonomies import build
from anonduck.measures.requirement import requirement_of
from anonduck.source.columns import NO_CLASS
from anonduck.source.source import types_of
from anonduck.statements import line
from anonduck.statements.column_types import OF_128_BITS
from anonduck.statements.pipeline.column_names import value_column
from anonduck.taxonomy.catalog import digests, entries
from anonduck.taxonomy.plans import TaxonomyPlan, make_plan

if TYPE_CHECKING:
    from anonduck.workspace import Workspace


class SourceCells:
    """The cells of a source, by the k that labels are made for, and those of the training part of each fold.

    Databases in memory are closed with ``stack``.
    """

    def __init__(self, workspace: Workspace, stack: contextlib.ExitStack) -> None:
        self.workspace = workspace
        self._stack = stack
        self._cells: dict[int, Cells] = {}
        self._parts: dict[tuple[int, int], Cells] = {}
        self._plans: dict[int, dict[str, TaxonomyPlan]] = {}

    @cached_property
    def counted(self) -> Workspace:
        """The workspace that holds the counted records, with the taxonomies of the config's k."""
        one = self._stack.enter_context(in_memory(self.workspace))
        k = self.workspace.config.requirement.k
        self._cells[k] = read_cells(one, k, requirement_of(one.config, one.folder))
        return one

    @property
    def own(self) -> Cells:
        """The cells with labels for the config's k."""
        return self.cells(self.workspace.config.requirement.k)

    def cells(self, k: int) -> Cells:
        """All records, with labels for a k, at least that of the config."""
        k = max(k, self.workspace.config.requirement.k)
        counted = self.counted
        if k not in self._cells:
            self._cells[k] = self._grouped_for(k)
        assert counted is not None
        return self._cells[k]

    def _grouped_for(self, k: int) -> Cells:
        """The counted records with the taxonomies of another k: those that follow from values are made again from what
        was counted, and the source is read again only where there are none."""
        whole = self.own
        if self._plans_of(k):
            nobody = np.zeros(len(whole.records), dtype=np.int64)
            cells = part_of(whole, nobody, self.counted.database, self._plans_of(k), self._called)
            return replace(cells, blocks=whole.blocks)
        quiet = replace(self.workspace.reporter, announce=no_message)  # taxonomies were announced for the k before
        with in_memory(self.workspace.with_reporter(quiet)) as one:
            return read_cells(one, k, requirement_of(one.config, one.folder), checked=True)

    @cached_property
    def folds(self) -> np.ndarray:
        """The records of each row in each fold, (rows, folds), whatever the k."""
        return self.own.folds(self.workspace.config.seed)

    def part(self, fold: int, k: int) -> Cells:
        """The records of the training part of a fold, with labels for a k that are made from these alone."""
        k = max(k, self.workspace.config.requirement.k)
        if (fold, k) not in self._parts:
            self._parts[fold, k] = self._part(fold, k)
        return self._parts[fold, k]

    def part_records(self, fold: int) -> PartRecords:
        """The training part of a fold, with labels for the config's k, as records that rules are searched on."""
        config = self.workspace.config
        part = self.part(fold, config.requirement.k)
        columns = [one.counted for one in part.columns]
        return PartRecords(self.counted.database, columns, part, part.sampled_folds(config.seed, no_message))

    def _part(self, fold: int, k: int) -> Cells:
        whole, taken = self.own, self.folds[:, fold]
        if not self._plans_of(k):
            return self.cells(k).without(taken)
        return part_of(whole, taken, self.counted.database, self._plans_of(k), self._called)

    def _plans_of(self, k: int) -> dict[str, TaxonomyPlan]:
        if k not in self._plans:
            self._plans[k] = self._planned(k)
        return self._plans[k]

    def _planned(self, k: int) -> dict[str, TaxonomyPlan]:
        """How the taxonomies are made that follow from the values of a part, with labels for a k."""
        counted = self.counted
        stored = entries(counted.database)
        config = _config_of_part(counted, with_requirement(self.workspace.config, {"k": k}), self._called)
        types = types_of(counted.source, counted.roles)
        return {
            name: make_plan(config, counted.folder, name, types, k, stored=stored[name])
            for name in made_from_values(counted.database)
        }

    @property
    def _called(self) -> dict[str, str]:
        return called_columns(self.counted, requirement_of(self.workspace.config, self.counted.folder))

    @contextlib.contextmanager
    def opened_part(
        self, fold: int, workspace: Workspace, columns: Collection[str] | None = None
    ) -> Iterator[Workspace]:
        """The workspace over the records of a training part: a source of its own, in a database of its own.

        Taxonomies that were imported, edited or read from a file are the project's; what is made from the values of the
        source is made anew from the part alone, for ``columns`` (None: all); others' stay those of the project.
        """
        counted = self.counted
        called = called_columns(counted, requirement_of(workspace.config, counted.folder))
        write_drawn(counted.database, called, self.own.records - self.folds[:, fold], PART_SET)
        try:
            names = {name: value_column(name) for name in called if name != NO_CLASS}
            table = counted.database.arrow(records_of_set(PART_SET, names))
        finally:
            counted.database.drop(("temp", PART_SET))
        with in_memory(workspace) as one:
            text = 'CREATE TABLE evaluated_cells AS SELECT * FROM "{catalog}"."main"."evaluated_cells"'
            one.database.run(line("evaluation/source_cells.opened_part", text, catalog=counted.database.catalog))
            quiet = replace(one.reporter, announce=no_message)
            own = _config_of_part(counted, workspace.config, called)
            part = replace(one, written=own, fixed=True, data=table, reporter=quiet)
            made = [name for name in made_from_values(one.database) if columns is None or name in columns]
            if made:
                build(part, made, replace=True, options=None)
            yield part


def made_from_values(database: Database) -> list[str]:
    """The columns whose taxonomy is made from the values that records have, and was not edited since."""
    made = {name: entry for name, entry in entries(database).items() if "label_k" in json.loads(entry.options)}
    now = digests(database, made)
    return [name for name, entry in made.items() if now[name] == entry.digest]


def _config_of_part(workspace: Workspace, config: Config, called: dict[str, str]) -> Config:
    """The config, of a table that holds the compared columns alone."""
    types = {name: workspace.source.column(name).type for name in called}
    changes = {
        "identifiers": [],
        "insensitive": [],
        "drop": [],
        "quasi_identifiers": list(workspace.roles.quasi_identifiers),
        "sensitive": [name for name in workspace.roles.sensitive if name in called],
        "types": {name: kind for name, kind in types.items() if kind in OF_128_BITS},
    }
    changed = with_changes(config, changes)
    return changed.model_copy(update={"source": None, "where": None, "entity": None, "dates": {}, "expected_types": {}})
