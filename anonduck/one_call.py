"""One call for what ``init`` and ``run`` do: a table in, its release out, of the same kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Unpack

from anonduck.config.changes import Settings
from anonduck.config.config import Config
from anonduck.config.reading import make_config, mapping_of
from anonduck.config.requirement import DEFAULT_K
from anonduck.database.connection import is_relation, relation_of
from anonduck.database.progress import Reporter
from anonduck.errors import ConfigError, RuleError, SourceError
from anonduck.offer.candidates import kept_offer
from anonduck.opened_project import here
from anonduck.project import Project
from anonduck.release.frames import OF_A_FILE, as_frame
from anonduck.report.offer_picture import offer_picture, offered_point, offered_row, score_called
from anonduck.words import Picture, html_table, line_row, summary_line

if TYPE_CHECKING:
    from anonduck.offer.candidates import Candidate
    from anonduck.run import Run

ROLES = ("identifiers", "sensitive", "insensitive", "drop", "quasi_identifiers")
READ_BY = ("where", "types", "csv", "dates", "missing_columns", "timezone", "threads", "memory_limit")
"""Keys of the config that say how a source is read."""

PROPOSED_READING = ("types", "csv", "dates")
"""Those that a proposal adds to: what it says holds what was given."""


@dataclass(frozen=True, eq=False, repr=False)
class Anonymized:
    """A release as a table, with what it reached and how it came about.

    Attributes:
        frame: the released records, a table of the kind that came in; of a file, a pandas one.
        k: the number of records that share each combination of generalized values, at least.
        utility: what is expected of models on people who are not in it (``expected``, by model), and the utility
            measures (``measures``).
        receipt: what the receipt of a file would say, but for the file.
        config: all that was assumed, as an ``anonduck.yml`` would hold it.
        assumptions: the same in a few sentences.
        reason: why this release was chosen.
        project: the project, with all that it found: ``project.frontier()``, ``project.candidates()``.
    """

    frame: Any
    k: int
    utility: Mapping[str, Any]
    receipt: Mapping[str, Any]
    config: Config
    assumptions: Sequence[str]
    reason: str
    project: Project
    _run: Run
    _back: Callable[[Any], Any] = field(repr=False)

    def candidate(self, rule: str) -> Any:
        """The release by another rule (``"R2"``) or candidate (``"M3"``) as a table; raises what a release raises."""
        with TemporaryDirectory(prefix="anonduck-") as folder:
            path = Path(folder) / "released.parquet"
            self.project.release(rule, path)
            return self._back(_read(path))

    def __repr__(self) -> str:
        """What it left out although it need not, what was asked and reached, and why it was chosen."""
        asked = self.config.requirement.k
        reached = f"k {self.k:,}" + ("" if self.k == asked else f" ({asked:,} asked)")
        records = f"{self.receipt['rows']:,} records"
        return summary_line("Anonymized", [self._run.left_out, records, reached, self.reason])

    def _repr_html_(self) -> str:
        """The offer as a picture, what was asked and reached, what was assumed, and what it was chosen among."""
        owner = self._run.release.owner
        k = {"asked": self.config.requirement.k}  # in persons where there is an entity
        lines = [line if line["name"] != "k" else k | line for line in owner["requirements"]]
        asked = map(line_row, [*lines, *owner["of_choice"]])
        assumed = html_table("assumed", [{"": line} for line in self.assumptions])
        offered = self._offered()
        rows = [offered_row(one, self._run.weighed_by, chosen=one.id == self._id) for one in offered]
        table = html_table(f"offered: {self.reason}", rows) if rows else ""
        return self.plot().svg + html_table(repr(self), asked) + assumed + table

    def plot(self) -> Picture:
        """The candidates and the released one by what decided, an expected score and the detail that is kept, as a
        picture that a notebook displays.

        ``plot().save("offer.svg")`` writes it to a file. Where no candidate has a score, k stands in its place; where
        nothing was offered, it shows the release alone.
        """
        kept = 1 - float((self.utility["measures"] or {}).get("ncp", 1.0))
        points = [offered_point(one, self._run.weighed_by) for one in self._offered()]
        chosen = next((one for one in points if one["id"] == self._id), None)
        alone = {"id": "released", "k": self.k, "detail": kept}
        return offer_picture(points, chosen or alone, score_called(self._run.weighed_by), self.reason)

    @property
    def _id(self) -> str | None:
        """The id of the released candidate or rule, if it has one."""
        chosen = self._run.candidate or self._run.rule
        return None if chosen is None else chosen.id

    def _offered(self) -> list[Candidate]:
        """The candidates that were found; none where a method was named, and nothing searched."""
        try:
            stored = self.project.discovered()
        except RuleError:
            return []
        return [one for one in kept_offer(self.project.workspace, stored) if one.failed is None]


def anonymize(
    data: Any,
    class_: str | None = None,
    k: int | None = None,
    *,
    reporter: Reporter = Reporter(),
    **settings: Unpack[Settings],
) -> Anonymized:
    """Anonymize a table in one call: propose a config for it as ``anonduck init`` does, and run that.

    Args:
        data: a pandas, Polars or Arrow table, a relation of DuckDB, or a file by its path.
        class_: the column that models will predict; without one, the release is chosen by the detail that it keeps.
        k: how many records share each combination of generalized values at least; by default 5.
        reporter: gets messages and progress.
        settings: keys of the config, in place of what is proposed; roles of columns are kept, all others proposed.

    Raises:
        ConfigError: where a person has to decide, such as for a column that was to be kept and names people.
        SourceError, NoRuleMeetsRequirement, RequirementNotMet: as ``Project.run`` does.
    """
    from anonduck.init.frame_texts import with_read_texts
    from anonduck.init.init import suggest
    from anonduck.init.unread import assumptions, refuse_unread

    table, back, remarks = _taken(data)
    given: dict[str, Any] = dict(settings)
    given |= {"missing_columns": "null"} if given.get("missing_columns", "") is None else {}
    required = _requirement(k, given.pop("requirement", None) or {})
    roles = {name: list(given.pop(name, None) or ()) for name in ROLES}
    methods, entity = list(given.pop("methods", None) or ()), given.pop("entity", None)
    named = str(table) if isinstance(table, (str, Path)) else None
    read = {name: given[name] for name in READ_BY if given.get(name) is not None}
    if back is as_frame and named is None:
        decided = [*(given.get("types") or {}), *(given.get("dates") or {})]
        table, told = with_read_texts(table, decided, reporter)
        remarks = (*remarks, *told)
    opened = make_config({"class": class_, **({} if named is None else {"source": named}), **read})
    column = entity["column"] if isinstance(entity, Mapping) else entity
    held = None if named is not None else table
    found = suggest(opened, here(), roles, entity=column, data=held, reporter=reporter)
    asked = required.get("k", DEFAULT_K)
    refuse_unread(found, asked)
    keys = mapping_of(found.text("data", methods), Path("anonduck.yml"))
    del keys["source"]
    keys.pop("class", None)
    if given.get("method") is not None or given.get("rule") is not None:
        keys.pop("methods", None)  # which are to choose among
    keys["requirement"] = {**keys["requirement"], **required}
    keys["taxonomies"] = {**keys.get("taxonomies", {}), **dict(given.pop("taxonomies", None) or {})}
    keys |= {name: value for name, value in given.items() if value is not None and name not in PROPOSED_READING}
    keys |= {} if entity is None else {"entity": entity}
    project = Project(source=table, class_=class_, reporter=reporter, **keys)
    try:
        with TemporaryDirectory(prefix="anonduck-") as folder:
            path = Path(folder) / "released.parquet"
            done = project.run(path, report=False)
            frame = back(_read(path))
    except BaseException:
        project.close()
        raise
    return Anonymized(
        frame=frame,
        k=done.release.k,
        utility=_utility(done),
        receipt={name: value for name, value in done.release.receipt.items() if name not in OF_A_FILE},
        config=project.config,
        assumptions=(*remarks, *assumptions(found, asked), *found.warnings),
        reason=done.reason,
        project=project,
        _run=done,
        _back=back,
    )


def _requirement(k: int | None, required: Mapping[str, Any]) -> dict[str, Any]:
    """What is required, with the k of its own argument; raises ConfigError for two of them."""
    if k is not None and required.get("k", k) != k:
        raise ConfigError(f"`k` is {k!r}, and `requirement` has a k of {required['k']!r}; give one of the two")
    return {**required, **({} if k is None else {"k": k})}


def _utility(done: Run) -> dict[str, Any]:
    """What is expected of the release, and its utility measures, of a candidate or of a rule."""
    measures: Any = None
    if done.candidate is not None:
        measures = done.candidate.measures
    elif done.rule is not None:
        measures = done.rule.as_json()["utility"]
    return {"expected": dict(done.expected), "measures": dict(measures or {})}


# -- tables of several kinds -------------------------------------------------------------------------------------------


def _taken(data: Any) -> tuple[Any, Callable[[Any], Any], tuple[str, ...]]:
    """The table as it is read, with each column under a name of its own, how an Arrow table becomes one of its kind,
    and what to say of names."""
    kind = f"{type(data).__module__.partition('.')[0]}.{type(data).__name__}"
    if isinstance(data, (str, Path)):
        return data, as_frame, ()
    if is_relation(data):
        return data, relation_of, ()
    if kind == "polars.DataFrame":
        return data, _as_polars, ()
    if kind == "pandas.DataFrame":
        names, remarks = _numbered([str(name) for name in data.columns])
        return data.set_axis(names, axis="columns") if remarks else data, as_frame, remarks
    if kind == "pyarrow.Table":
        names, remarks = _numbered(data.column_names)
        return data.rename_columns(names) if remarks else data, lambda table: table, remarks
    raise SourceError(
        f"the data is a {kind}; give a pandas, Polars or Arrow table, a relation of DuckDB, or a file by its path"
    )


def _numbered(names: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Names that differ in more than case, those that an earlier column has numbered, and a sentence for each.

    >>> _numbered(["age", "sex", "Sex"])
    (['age', 'sex', 'Sex_1'], ("column 3 is called 'Sex' like an earlier one, and is read as 'Sex_1'",))
    """
    taken = {name.lower() for name in names}
    seen: set[str] = set()
    found, remarks = [], []
    for place, name in enumerate(names, start=1):
        new, number = name, 0
        while new.lower() in (seen if number == 0 else taken | seen):
            number += 1
            new = f"{name}_{number}"
        seen.add(new.lower())
        found.append(new)
        if number:
            remarks.append(f"column {place} is called {name!r} like an earlier one, and is read as {new!r}")
    return found, tuple(remarks)


def _as_polars(table: Any) -> Any:
    import polars

    return polars.from_arrow(table)


def _read(path: Path) -> Any:
    """The rows of a release as an Arrow table."""
    import pyarrow.parquet as pq

    return pq.read_table(path)
