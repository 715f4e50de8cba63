"""The configuration: every key of anonduck.yml, with its default and what it may be."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    Field,
    PrivateAttr,
    StrictBool,
    StrictFloat,
    StrictInt,
    field_validator,
    model_validator,
)
from pydantic.json_schema import GenerateJsonSchema

from anonduck.config.dates import DateOptions
from anonduck.config.engine import EngineOptions
from anonduck.config.entity import Entity
from anonduck.config.file_names import DATABASE_NAME
from anonduck.config.persons import persons_in, records_for
from anonduck.config.requirement import (
    DEFAULT_K,
    OF_PERSONS,
    OF_RECORDS,
    RequirementOptions,
    SensitiveValues,
)
from anonduck.config.selection import AUTO, WORKLOAD, Selection
from anonduck.config.signed_word import SignedWord, day_of
from anonduck.config.taxonomy import (
    MAX_COUNT,
    ColumnName,
    DeclaredOrder,
    GroupNames,
    NullMeans,
    Strict,
    TaxonomyOptions,
    Unit,
    Words,
)
from anonduck.config.ways import LEARNER, RANGES, RULES, SWAPPED, TREE, TYPICAL, WAYS
from anonduck.config.without_class import refuse_without_class, with_defaults
from anonduck.errors import check_path
from anonduck.rules.frontier import is_score
from anonduck.rules.measure_names import ALL, DEFAULT_UTILITY, OBJECTIVES, UTILITY
from anonduck.rules.selection import BY_FOLD, ONE_ERROR, refuse_without_error
from anonduck.words import __version__, did_you_mean

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Way = Literal["ranges", "typical", "swapped"]
ColumnWay = Literal["ranges", "typical"]
PAIR_SAMPLE = 50_000
COVERAGE = (0.05, 0.1, 0.2, 0.5)
PATTERN_LIMIT = 5_000_000
MAX_SEED = (1 << 32) - 1  # what estimators take
MAX_THREADS = 1024

MODEL_NAMES = ("tree", "svm", "logistic", "forest", "bayes", "boosting")
ROLE_WORDS = {
    "class": "the class",
    "sensitive": "sensitive",
    "insensitive": "insensitive",
    "drop": "among the columns to `drop`",
    "quasi_identifiers": "a quasi-identifier",
}
_IMPORT_PATH = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*[.:][^\W\d]\w*")


def _kept_columns(value: Any) -> Any:
    """Read `keep`: a mapping of columns to levels, or a list of names and such mappings, as one mapping."""
    if not isinstance(value, list):
        return value
    found: dict[Any, Any] = {}
    for one in value:
        if not isinstance(one, (str, dict)):
            raise ValueError("write a list of columns, each with its highest level if you like: [education, age: 2]")
        for name, level in one.items() if isinstance(one, dict) else ((one, None),):
            if name in found:
                raise ValueError(f"{name!r} is listed twice; list it once, with its level if you like")
            found[name] = level
    return found


def _as_mapping_or_list(schema: dict[str, Any]) -> None:
    """The JSON schema of ``keep``, which may be written as a list too."""
    mapping = {key: schema.pop(key) for key in ("type", "additionalProperties", "propertyNames") if key in schema}
    schema["anyOf"] = [mapping, {"type": "array", "items": {"anyOf": [{"type": "string", "minLength": 1}, mapping]}}]


def _or_null(schema: dict[str, Any]) -> None:
    """The JSON schema of ``missing_columns``, whose ``null`` YAML reads as no text but as its own null."""
    schema["enum"] = [*schema["enum"], None]
    schema.pop("type", None)


class CsvOptions(Strict):
    """How a CSV source is written; options that are not given are detected."""

    delim: str | None = Field(None, description="separator of fields")
    quote: str | None = Field(None, description="what quotes a field")
    escape: str | None = Field(None, description="what escapes a quote inside a quoted field")
    header: StrictBool | None = Field(
        None,
        description="whether the first line names the columns; default: it does, or is refused if like a record",
    )
    encoding: Words | None = Field(
        None,
        description="file encoding, such as windows-1252 or cp850; default: UTF-8, UTF-16 or Windows-1252, as found",
    )
    nullstr: str | list[str] | None = Field(None, description="texts to read as NULL")
    decimal_separator: Literal[".", ","] | None = Field(None, description="decimal separator of numbers")
    thousands: Literal[".", ",", "'", " ", "_"] | None = Field(
        None, description="separator of thousands in numbers, such as `.` in 18.582,97"
    )
    dateformat: Words | None = Field(None, description="date format, such as %d.%m.%Y")
    timestampformat: Words | None = Field(None, description="timestamp format")
    skip: Annotated[int, Field(strict=True, ge=0, le=MAX_COUNT)] | None = Field(
        None, description="lines to skip at the top; default: blank ones"
    )
    comment: str | None = Field(None, description="what a comment line begins with")

    @model_validator(mode="after")
    def _separates_by_two(self) -> CsvOptions:
        decimals = self.decimal_separator or "."
        if self.thousands == decimals:
            other = "," if decimals == "." else "."
            raise ValueError(
                f"thousands and decimals are both parted by {decimals!r}; where {decimals!r} parts thousands, write "
                f"`decimal_separator: {other!r}` too"
            )
        return self


class Publication(Strict):
    """To whom a release goes, for its certificate."""

    recipient: Words | None = Field(None, description="who receives the release")
    purpose: Words | None = Field(None, description="what it is released for")
    review_by: Words | None = Field(None, description="day by which it has to be looked at again, such as 2027-03-01")
    audience: Words | None = Field(None, description="which audience of the `policy` that is, such as `partner`")

    @field_validator("review_by")
    @classmethod
    def _is_a_day(cls, day: str | None) -> str | None:
        return None if day is None else day_of(day)


class Config(Strict):
    """Everything that decides a release, except the data."""

    source: str | None = Field(
        None,
        description="a CSV, Parquet or JSON Lines file or glob, shop.duckdb::schema.table, delta:FOLDER or "
        "iceberg:CATALOG::schema.table; with an `engine`, "
        "table:catalog.schema.table or Parquet files as it reads them",
    )
    engine: EngineOptions = Field(
        default_factory=EngineOptions,
        description="what holds the source, such as `{kind: spark, master: local[2]}`; default: DuckDB, here",
    )
    where: str | None = Field(None, description="SQL condition that selects the records to use")
    class_: ColumnName | None = Field(
        None,
        alias="class",
        description="column that models will predict; default: none, so that `run` chooses by detail",
    )
    identifiers: list[ColumnName] = Field(default_factory=list, description="column to leave out of every release")
    entity: Entity | None = Field(
        None,
        description="key of a person, who may have several records: k counts persons then, and no release holds the "
        "column. Such as `customer_id` or `{column: customer_id, at_most: 5}`",
    )
    sensitive: list[ColumnName] = Field(
        default_factory=list, description="column to keep as it is, whose values nobody should infer"
    )
    sensitive_values: dict[ColumnName, SensitiveValues] = Field(
        default_factory=dict,
        description="values to check in alpha, lkc, beta, enhanced_beta and delta_disclosure, per sensitive column, "
        "such as `[hiv, cancer]`, or all but some, `{except: [none]}`; default: every value",
    )
    insensitive: list[ColumnName] = Field(default_factory=list, description="column to keep as it is")
    drop: list[ColumnName] = Field(
        default_factory=list,
        description="column to leave aside, such as a duplicate of another: in no release, and no quasi-identifier",
    )
    quasi_identifiers: list[ColumnName] | None = Field(
        None, description="column to generalize; default: every column without another role"
    )
    taxonomies: dict[ColumnName, TaxonomyOptions] = Field(
        default_factory=dict,
        description="how to generalize each quasi-identifier; default: intervals of ordered values, else clusters",
    )
    order: dict[ColumnName, DeclaredOrder] = Field(
        default_factory=dict,
        description="values of a column from lowest to highest, where they are neither numbers nor dates, such as "
        "`severity: [low, mid, high]`, for its default taxonomy, and for t_ordered; default: of a sensitive "
        "column's enumerated type",
    )
    labels: dict[ColumnName, GroupNames] = Field(
        default_factory=dict,
        description='names for groups that anonduck made, such as `race: {"Caucasian and 3 others": others}`, or by '
        "level, `race: {2: {group 1: others}}`",
    )
    requirement: RequirementOptions = Field(
        default_factory=lambda: RequirementOptions(k=DEFAULT_K), description="what `run` and `release` must meet"
    )
    keep: dict[ColumnName, Annotated[int, Field(strict=True, ge=0, le=MAX_COUNT)] | None] = Field(
        default_factory=dict,
        description="quasi-identifier that every release must have: never at the root, or at a level N at most. "
        "Such as `[education, age: 2]`",
        json_schema_extra=_as_mapping_or_list,
    )
    publication: Publication = Field(
        default_factory=Publication, description="who receives releases and for what purpose, as certificates state"
    )
    reviewed: SignedWord | None = Field(
        None,
        description="who has read this config, and when, such as `Jane Doe, 2027-03-01`; no certificate is ready to be "
        "signed before",
    )
    accepted_unattacked: SignedWord | None = Field(
        None,
        description="who accepts, and when, that quasi-identifiers of a release were not attacked, such as `Jane Doe, "
        "2027-03-01`; without it, a certificate is ready to be signed once each was",
    )
    policy: Words | None = Field(
        None,
        description="file of an organization's policy: floors of privacy for each audience, which this config may not "
        "go under",
    )
    named_coverage: list[Annotated[float, Field(strict=True, gt=0, le=1), Unit("SHARE")]] | None = Field(
        None,
        alias="coverage",
        min_length=1,
        description="share of record pairs whose most frequent distance patterns to mine; default: 0.05, 0.1, 0.2 and "
        "0.5; with `auto`, none",
    )
    coverage_over: Literal["pairs", "class_differing"] = Field(
        "pairs",
        description="what `coverage` is a share of: all pairs, or (for rare classes) only those that differ in class",
    )
    types: dict[ColumnName, Words] = Field(
        default_factory=dict, description="DuckDB types that override the detected ones"
    )
    csv: CsvOptions = Field(default_factory=CsvOptions, description="how a CSV source is written")
    missing_columns: Annotated[Literal["refuse", "null"], NullMeans("the columns are NULL there")] = Field(
        "refuse",
        description="what to do about a column that some files of the source lack: `refuse` them, or `null`, let it be "
        "NULL in the records of these files",
        json_schema_extra=_or_null,
    )
    dates: dict[ColumnName, DateOptions] = Field(
        default_factory=dict,
        description="how dates are read, such as `{born: {format: %d.%m.%y, latest: 2026}}`",
    )
    expected_types: dict[ColumnName, Words] = Field(
        default_factory=dict,
        description="types that columns had when the config was made; an export in which one is of another kind "
        "(number, date, time, text, boolean) is refused. `init` writes them",
    )
    timezone: Words = Field(
        "UTC", description="time zone in which timestamps with time zone are read, compared and written"
    )
    nulls: Literal["value", "reject"] = Field(
        "value", description="treat NULL as a value of its own, or reject a source that has NULLs"
    )
    search: Literal["auto", "rfd"] = Field(
        "auto", description="how to find rules: `auto` looks at all rules, `rfd` at those of RFDs"
    )
    budget: Annotated[int, Field(strict=True, ge=1, le=MAX_COUNT)] | Literal["auto"] = Field(
        "auto",
        description="stop a search after this much work, the same on every machine: level vectors evaluated, and 30 or "
        "more for each model trained; `auto` takes about a minute",
    )
    time_limit: Annotated[Annotated[float, Field(strict=True, gt=0), Unit("SECONDS")] | None, NullMeans("no limit")] = (
        Field(
            300.0,
            description="stop a search this many seconds after its scan, with the best found. "
            "What is found then depends on the machine; with `budget` it does not",
        )
    )
    models: list[Annotated[str, Unit("NAME")]] = Field(
        default_factory=lambda: [TREE],
        description=f"model to measure: {', '.join(MODEL_NAMES)}, or the import path of an estimator. "
        "An empty list measures none. Candidates of an offer are tested by boosting, and by these but for `[tree]`",
    )
    test_on: Literal["generalized", "original"] = Field(
        "generalized", description="test models on generalized records, or on the original ones"
    )
    split_by: ColumnName | None = Field(
        None,
        description="column that orders the ten folds, such as a date, so that models are tested on a time that they "
        "were not trained on; default: random folds",
    )
    measures: list[Annotated[Literal[*UTILITY, ALL], Unit("NAME")]] = Field(  # type: ignore[valid-type]
        default_factory=lambda: list(DEFAULT_UTILITY),
        description=f"utility measure to compute for each rule: {', '.join(UTILITY)}, or all",
    )
    weights: dict[ColumnName, Annotated[float, Field(strict=True, ge=0)]] = Field(
        default_factory=dict, description="weights of quasi-identifiers in `distortion`; default: 1 each"
    )
    holdout: Annotated[float, Field(ge=0, le=0.5)] = Field(
        0.2,
        description="share of the records held out of a repeated search, to measure the expected accuracy on; small "
        "sources use nested cross-validation instead, and 0 measures none",
    )
    selection: Selection = Field(
        default_factory=lambda: Selection(measure=AUTO),
        alias="select",
        description=f"measure used to pick the best rule or candidate: {', '.join(OBJECTIVES)}. `{AUTO}`: ROC AUC "
        "among candidates, accuracy among rules; information gain where `models` is empty. `{measure: accuracy, "
        "within: 0.01}` takes the largest k, among candidates the most detail, that is so near to the best; `within: "
        f"1se` one standard error. Among candidates also {WORKLOAD}: the smallest mean error of its queries among "
        "those that are so near to the best score",
    )
    method: str = Field(RULES, description="what `run` releases by: `rules`, or the name of a method")
    methods: dict[str, dict[str, StrictBool | StrictInt | StrictFloat | str]] | list[Annotated[str, Unit("NAME")]] = (
        Field(
            default_factory=dict,
            description="options of such methods, such as `{NAME: {strict: false}}`; or, in a list, what `run` chooses "
            "among: `rules`, and methods with their options, such as `[rules, mondrian, mondrian:splits=entropy]`",
        )
    )
    show: Literal["ranges", "typical", "swapped"] | list[Way] | dict[ColumnName, ColumnWay] = Field(
        "ranges",
        description="what the classes of a method show in a column: the range of their values, one typical value, of "
        "the column's type, or values swapped within the class, which is no k-anonymity; of a list, `run` chooses "
        "among `ranges` and `typical`, and what one method releases shows the first; by column, as in `{age: typical}`,"
        " what is shown in each, `ranges` in those that are not named",
    )
    blocks: list[Annotated[list[ColumnName], Field(min_length=2)]] = Field(
        default_factory=list,
        description="quasi-identifiers that change places together where classes show swapped values, such as "
        "`[[age, education], [city, region]]`, so that their relation stays; default: each by itself",
    )
    bounds: Literal["text", "columns"] = Field(
        "text",
        description="how ranges of numbers and dates are written: as a text, such as [20, 30), or as two columns of "
        "the column's type, such as age_from and age_to",
    )
    next: Literal["prune", "refuse"] = Field(
        "prune",
        description="what becomes of a class of a cut tree (`mondrian`, `guided`) to which a later export gives fewer "
        "records than is required: `prune` merges it with its neighbours, `refuse` leaves its records out as far as "
        "`suppression` allows, or ends",
    )
    cut_anew: Annotated[float, Field(strict=True, gt=0, le=1), Unit("SHARE")] = Field(
        0.9, description="say that it is time to cut anew where a tree keeps less than this share of its first detail"
    )
    rule: Words | None = Field(None, description="rule that `run` always uses: an id or a literal")
    unmapped: Literal["refuse", "root"] = Field(
        "refuse", description="refuse values missing from a nominal taxonomy, or generalize them to the root"
    )
    sample: Annotated[int, Field(strict=True, ge=2)] | Literal["all"] = Field(
        PAIR_SAMPLE, description="compare the pairs of N sampled records, or of all"
    )
    pattern_limit: Annotated[int, Field(strict=True, ge=1, le=MAX_COUNT)] = Field(
        PATTERN_LIMIT,
        description="most distinct distance patterns held at once; where the pairs are estimated to have more, fewer "
        "records are compared, or none",
    )
    max_rfds: Annotated[int, Field(strict=True, ge=1, le=MAX_COUNT)] = Field(
        5_000, description="keep at most N RFDs of one coverage; if there are more, it is marked incomplete"
    )
    max_rules: Annotated[int, Field(strict=True, ge=1, le=MAX_COUNT)] = Field(
        500, description="keep at most N rules of one coverage; if there are more, it is marked incomplete"
    )
    seed: Annotated[int, Field(strict=True, ge=0, le=MAX_SEED)] = Field(
        0, description="seed of the sample, the folds and the models"
    )
    workload: Words | None = Field(
        None,
        description="file of SELECT statements over the table `released`; each release is measured by how far their "
        "answers are from those on the source",
    )
    subgroups: list[ColumnName] = Field(
        default_factory=list,
        description="column by whose values the records that a release leaves out are counted, and the models of "
        "candidates scored, such as sex or region",
    )
    database: Words = Field(DATABASE_NAME, description="decision database, next to the config")
    threads: Annotated[int, Field(strict=True, ge=1, le=MAX_THREADS)] | None = Field(
        None, description="DuckDB threads; default: all cores"
    )
    memory_limit: Words | None = Field(
        None, description="DuckDB memory limit, such as 8GB; more spills to disk; default: at most 3 GiB"
    )

    _most: int | None = PrivateAttr(None)

    @model_validator(mode="before")
    @classmethod
    def _by_detail_without_class(cls, given: Any) -> Any:
        return with_defaults(given) if isinstance(given, Mapping) else given

    @field_validator("source", "database", "workload")
    @classmethod
    def _can_be_a_file(cls, path: str | None) -> str | None:
        if path is not None:
            check_path(path)
        return path

    @field_validator("missing_columns", mode="before")
    @classmethod
    def _null_as_written(cls, value: Any) -> Any:
        return "null" if value is None else value

    @field_validator("keep", mode="before")
    @classmethod
    def _columns_with_levels(cls, value: Any) -> Any:
        return _kept_columns(value)

    @field_validator("named_coverage")
    @classmethod
    def _distinct_shares(cls, shares: list[float] | None) -> list[float] | None:
        return None if shares is None else sorted(set(shares))

    @field_validator("show", mode="before")
    @classmethod
    def _ways_of_columns(cls, show: Any) -> Any:
        for name, way in show.items() if isinstance(show, dict) else ():
            if way not in (RANGES, TYPICAL):
                raise ValueError(f"the column {name!r} shows {RANGES} or {TYPICAL} values; got {str(way)[:40]!r}")
        return show

    @field_validator("show")
    @classmethod
    def _distinct_ways(cls, show: str | list[str] | dict[str, str]) -> str | list[str] | dict[str, str]:
        if isinstance(show, str):
            return show
        if isinstance(show, dict):
            return show if TYPICAL in show.values() else RANGES
        if not show:
            raise ValueError(f"an empty list leaves nothing to show; name {' or '.join(WAYS)}, or take it out")
        found = list(dict.fromkeys(show))
        return found if len(found) > 1 else found[0]

    @field_validator("models")
    @classmethod
    def _known_models(cls, models: list[str]) -> list[str]:
        for model in models:
            if model not in MODEL_NAMES and not _IMPORT_PATH.fullmatch(model):
                raise ValueError(
                    f"unknown model {model[:40]!r}{did_you_mean(model, MODEL_NAMES)}; choose among "
                    f"{', '.join(MODEL_NAMES)}, or the import path of "
                    "an estimator, such as sklearn.linear_model.SGDClassifier or mypackage.models:MyClassifier"
                )
        return list(dict.fromkeys(models))

    @field_validator("measures")
    @classmethod
    def _distinct_measures(cls, measures: list[str]) -> list[str]:
        return list(UTILITY) if ALL in measures else list(dict.fromkeys(measures))

    @model_validator(mode="after")
    def _needs_no_class_that_is_not_there(self) -> Config:
        if self.class_ is None:
            refuse_without_class(self)
        return self

    @model_validator(mode="after")
    def _knows_methods(self) -> Config:
        if self.method == RULES and not self.methods:
            return self
        from anonduck.methods.registry import method_named, offered_method

        for name, options in self.method_options.items():
            method_named(name).resolve_options(options)
        for name in self.offered:
            if name != RULES:
                offered_method(name)
        if isinstance(self.methods, list) and self.method != RULES:
            raise ValueError(
                f"methods: a list is what `run` chooses among, and `method: {self.method}` leaves no choice; take out "
                "one of the two"
            )
        if self.method != RULES:
            method_named(self.method)
            if self.rule is not None:
                raise ValueError(f"rule: a release by the method {self.method} has no rule; take out one of the two")
        return self

    @model_validator(mode="after")
    def _names_an_audience_of_a_policy(self) -> Config:
        if self.publication.audience is not None and self.policy is None:
            raise ValueError(
                "publication: audience names one of a policy's, and none is given; name its file, such as "
                "`policy: ../privacy-policy.yml`, or take it out"
            )
        return self

    @model_validator(mode="after")
    def _asks_where_it_can(self) -> Config:
        named = [key for key in ("workload", "subgroups") if getattr(self, key)]
        if named and self.engine.elsewhere:
            raise ValueError(
                f"{named[0]}: it is measured on a source in DuckDB, and this one stays in {self.engine.kind}; take out "
                f"`{named[0]}`, or export the table to Parquet"
            )
        for name in self.subgroups:
            if name in self.left_out:
                raise ValueError(
                    f"subgroups: {name!r} tells persons apart, and so has no groups of records; name another column"
                )
        return self

    @model_validator(mode="after")
    def _selects_by_a_workload_that_is_there(self) -> Config:
        if self.weighed_by != WORKLOAD:
            return self
        if self.workload is None:
            raise ValueError(
                "select: workload chooses by the queries of `workload`, which names no file; write your queries into a "
                "file and add it, such as `workload: queries.sql`, or select by another measure"
            )
        if not self.chooses_among_candidates:
            raise ValueError(
                "select: workload chooses among candidates, and there are rules alone; name what `run` chooses among, "
                "such as `methods: [rules, mondrian]`, or select by another measure"
            )
        return self

    @model_validator(mode="after")
    def _selects_within_an_error_that_is_there(self) -> Config:
        if not self.chooses_among_candidates or not is_score(self.select):
            refuse_without_error(self.select, self.selection.within)
        return self

    @model_validator(mode="after")
    def _selects_what_is_measured(self) -> Config:
        if self.select in UTILITY and self.select not in self.measures:
            raise ValueError(f"select: {self.select} is not among the `measures`; add it there")
        return self

    @model_validator(mode="after")
    def _entity_is_in_no_release(self) -> Config:
        column = None if self.entity is None else self.entity.column
        for role, names in self.named_roles().items():
            if column in names and role != "identifiers":
                raise ValueError(
                    f"entity: {column!r} is {ROLE_WORDS[role]} too, and what tells persons apart is in no release; "
                    "name another column"
                )
        return self

    @model_validator(mode="after")
    def _can_measure_what_is_required(self) -> Config:
        if self.requirement.linked_k is not None and self.entity is None:
            raise ValueError(
                "requirement: linked_k counts persons by all of their rows; name the column that tells them apart, "
                "such as `entity: customer_id`"
            )
        lacking = [name for name in self.requirement.asked if name not in (*OF_RECORDS, *OF_PERSONS)]
        if lacking and not self.sensitive:
            raise ValueError(
                f"requirement: {', '.join(lacking)} needs a sensitive column; name it under `sensitive`, such as "
                "`sensitive: [diagnosis]`"
            )
        listed = [name for name in self.sensitive if name in self.taxonomies]
        if self.requirement.t_hierarchical is not None and not listed:
            raise ValueError(
                "requirement: t_hierarchical needs the taxonomy of a sensitive column; name its file under "
                f"`taxonomies`, such as `{self.sensitive[0]}: {{file: FILE}}`"
            )
        for name in listed:
            if self.taxonomies[name].model_dump(exclude_defaults=True).keys() != {"file"}:
                raise ValueError(
                    f"taxonomies.{name}: {name!r} is sensitive and so is not generalized; its taxonomy must be a file "
                    f"with one line per value, leaf first, with no other option: `{name}: {{file: FILE}}`"
                )
        return self

    @model_validator(mode="after")
    def _names_values_of_sensitive_columns(self) -> Config:
        strangers = [name for name in self.sensitive_values if name not in self.sensitive]
        if strangers:
            raise ValueError(
                f"sensitive_values: {', '.join(map(repr, strangers))} is not among the `sensitive` columns; add it "
                "there"
            )
        return self

    @model_validator(mode="after")
    def _one_role_each(self) -> Config:
        roles: dict[str, list[str]] = {}
        for role, columns in self.named_roles().items():
            for column in columns:
                roles.setdefault(column, []).append(role)
        for column, held in roles.items():
            if len(held) > 1:
                raise ValueError(
                    f"column {column!r} has {len(held)} roles ({', '.join(held)}); a column can have only one"
                )
        return self

    @model_validator(mode="after")
    def _keeps_quasi_identifiers(self) -> Config:
        others = {name: role for role, names in self.named_roles().items() for name in names}
        for name in self.keep:
            role = others.get(name, "quasi_identifiers" if self.quasi_identifiers is None else "no role")
            if role != "quasi_identifiers":
                raise ValueError(
                    f"keep: {name!r} is no quasi-identifier (it has the role {role}); name quasi-identifiers, which "
                    "rules would else drop"
                    if role != "no role"
                    else f"keep: {name!r} is not among the `quasi_identifiers`"
                    f"{did_you_mean(name, self.quasi_identifiers or ())}; add it there"
                )
        return self

    @property
    def prunes(self) -> bool:
        """Whether classes of a cut tree that have too few records are merged."""
        return self.next == "prune"

    @property
    def coverage(self) -> list[float]:
        """The shares of record pairs whose most frequent patterns are mined: those named, or the default ones."""
        return list(COVERAGE) if self.named_coverage is None else self.named_coverage

    @property
    def method_options(self) -> dict[str, dict[str, bool | int | float | str]]:
        """Options of methods, by their names."""
        return {} if isinstance(self.methods, list) else self.methods

    @property
    def ways(self) -> tuple[str, ...]:
        """What classes may show: `ranges`, `typical` or `swapped` values, the first where nothing chooses of them."""
        if isinstance(self.show, dict):
            return (TYPICAL,)
        return (self.show,) if isinstance(self.show, str) else tuple(self.show)

    @property
    def shown_columns(self) -> Mapping[str, str] | None:
        """By column, what one method shows in it; None where all columns show the same."""
        return self.show if isinstance(self.show, dict) else None

    def shown_by(self, method: str | None) -> str:
        """What a method shows where nothing chose a way: the first that it can, else the first that is configured. None
        is a rule, which shows levels."""
        from anonduck.methods.method import SWAPPED_ABLE, TYPICAL_ABLE

        if method is None:
            return RANGES
        able = {RANGES: True, TYPICAL: method in TYPICAL_ABLE, SWAPPED: method in SWAPPED_ABLE}
        return next((way for way in self.ways if able[way]), RANGES if RANGES in self.ways else self.ways[0])

    @property
    def offered(self) -> list[str]:
        """What `run` chooses among: `rules`, and methods with their settings."""
        return self.methods if isinstance(self.methods, list) else [RULES]

    @property
    def chooses_among_candidates(self) -> bool:
        """Whether `run` weighs candidates: it is given methods, or what is required of its choice."""
        return self.offered != [RULES] or self.requirement.judges_choices

    @property
    def tested_beside(self) -> tuple[str, ...]:
        """The models that are tested on held-out records beside ``models``: one where `run` weighs candidates."""
        return (LEARNER,) if self.chooses_among_candidates else ()

    @property
    def select(self) -> str:
        """The measure that the best rule is picked by, also where candidates are weighed by the workload."""
        if self.weighed_by not in (AUTO, WORKLOAD):
            return self.weighed_by
        without_models = "loss" if "loss" in self.measures else "k"
        return "accuracy" if self.models else "information_gain" if self.class_ is not None else without_models

    @property
    def within_of_rules(self) -> float | str | None:
        """How near to the best a rule with a larger k has to be; None takes the best itself."""
        within, has_error = self.selection.within, self.select.partition(".")[0] in BY_FOLD
        return None if within == ONE_ERROR and not has_error else within

    @property
    def weighed_by(self) -> str:
        """What `run` chooses among candidates by: `auto`, `workload`, or a measure."""
        return self.selection.measure

    @property
    def named_values(self) -> dict[str, Any]:
        """The key `sensitive_values` as the config writes it."""
        named: dict[str, Any] = self.model_dump(by_alias=True, include={"sensitive_values"})["sensitive_values"]
        return named

    @property
    def left_out(self) -> list[str]:
        """The columns that are left out of every release because they identify persons: identifiers and entity."""
        return list(dict.fromkeys([*self.identifiers, *([] if self.entity is None else [self.entity.column])]))

    @property
    def most_of_entity(self) -> int:
        """The most records of one person, by which k was converted to records; 1 if k counts records anyway."""
        return self._most or 1

    def with_orders(self, listed: Mapping[str, list[str]]) -> Config:
        """The config with the orders of a source's ENUMs, for sensitive columns that it declares none of.

        Not for quasi-identifiers, whose taxonomy would depend on whether the source is open: ``init`` writes their
        orders into the config.
        """
        added = {name: order for name, order in listed.items() if name in self.sensitive and name not in self.order}
        if not added:
            return self
        changed = self.model_copy(update={"order": {**self.order, **added}})
        changed._most = self._most
        return changed

    def in_records(self, most: int) -> Config:
        """The config with k converted from persons to records, if nobody has more than ``most`` records."""
        return self._counting(most, lambda k: records_for(k, most)) if self._most is None else self

    def in_persons(self) -> Config:
        """The config with k converted back, as it was before ``in_records``."""
        most = self._most
        return self if most is None else self._counting(None, lambda k: persons_in(k, most))

    def persons_in(self, records: int) -> int:
        """The fewest persons that so many records belong to, if k counts records; else the number itself."""
        return persons_in(records, self.most_of_entity)

    def counted_as(self, other: Config) -> Config:
        """The config whose k counts persons or records, whichever the k of another config counts."""
        return self if other._most is None else self.in_records(other._most)

    def fixed(self) -> Config:
        """The config whose requirement counts records for good, even if single requirements are replaced."""
        return self._counting(None, lambda k: k)

    def records_for(self, persons: int) -> int:
        """The records that a k of persons needs, if k counts records; else the number itself."""
        return records_for(persons, self.most_of_entity)

    def _counting(self, most: int | None, count: Callable[[int], int]) -> Config:
        required = self.requirement
        lkc = None if required.lkc is None else required.lkc.model_copy(update={"k": count(required.lkc.k)})
        counted = required.model_copy(update={"k": count(required.k), "lkc": lkc})
        changed = self.model_copy(update={"requirement": counted})
        changed._most = most
        return changed

    def named_roles(self) -> dict[str, list[str]]:
        """The columns that the config names, by role."""
        return {
            "class": [] if self.class_ is None else [self.class_],
            "identifiers": self.left_out,
            "sensitive": self.sensitive,
            "insensitive": self.insensitive,
            "drop": self.drop,
            "quasi_identifiers": self.quasi_identifiers or [],
        }


class _Schema(GenerateJsonSchema):
    """Names the sections of a config as users know them: a requirement, not its options."""

    def normalize_name(self, name: str) -> str:
        """The name of a definition, from that of its class."""
        return super().normalize_name("Requirement" if name == RequirementOptions.__name__ else name)


def json_schema() -> dict[str, Any]:
    """The JSON schema of anonduck.yml, for editors."""
    named = {"$schema": DIALECT, "$id": f"urn:anonduck:config:{__version__}"}
    return named | Config.model_json_schema(by_alias=True, schema_generator=_Schema)
