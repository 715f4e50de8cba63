"""The configuration: every key of anonduck.yml, with its default and what it may be."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from anonduck.requirement_options import DEFAULT_K, OF_RECORDS, Requirement, SensitiveValues
from anonduck.taxonomy_options import Column, Strict, TaxonomyOptions
from anonduck.utility_names import ALL, DEFAULT_UTILITY, UTILITY

FILE_NAME = "anonduck.yml"
DATABASE_NAME = "anonduck.duckdb"
PAIR_SAMPLE = 50_000
MAX_SEED = (1 << 32) - 1  # what estimators take
MAX_THREADS = 1024

MODEL_NAMES = ("tree", "svm", "logistic", "forest", "bayes")
_IMPORT_PATH = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*[.:][^\W\d]\w*")


class CsvOptions(Strict):
    """How a CSV source is written; what is not given is found from the file."""

    delim: str | None = Field(None, description="what stands between fields")
    quote: str | None = Field(None, description="what quotes a field")
    escape: str | None = Field(None, description="what escapes a quote inside a quoted field")
    header: bool | None = Field(None, description="whether the first line names the columns")
    encoding: str | None = Field(None, description="the file's encoding, such as latin-1; UTF-8 if not given")
    nullstr: str | list[str] | None = Field(None, description="texts that stand for NULL")
    decimal_separator: str | None = Field(None, description="what stands before the decimals of a number")
    dateformat: str | None = Field(None, description="how dates are written, such as %d.%m.%Y")
    timestampformat: str | None = Field(None, description="how timestamps are written")
    skip: Annotated[int, Field(strict=True, ge=0)] | None = Field(None, description="lines to skip at the top")
    comment: str | None = Field(None, description="what a line of comment begins with")


class Publication(Strict):
    """To whom a release goes, for its certificate."""

    recipient: str | None = Field(None, description="who gets the release")
    purpose: str | None = Field(None, description="what they get it for")


class Config(Strict):
    """Everything that decides a release, except the data."""

    source: str | None = Field(
        None, description="a CSV, Parquet or JSON Lines file or glob, or shop.duckdb::schema.table"
    )
    where: str | None = Field(None, description="SQL condition; only the records that meet it are used")
    class_: Column = Field(alias="class", description="the column that models will predict")
    identifiers: list[Column] = Field(default_factory=list, description="columns that no release holds")
    sensitive: list[Column] = Field(
        default_factory=list, description="columns kept as they are whose values must not be inferred"
    )
    sensitive_values: dict[Column, SensitiveValues] = Field(
        default_factory=dict,
        description="by sensitive column the values that alpha, lkc, beta, enhanced_beta and delta_disclosure bound, "
        "such as `[hiv, cancer]`, or all others, `{except: [none]}`; default: every value",
    )
    insensitive: list[Column] = Field(default_factory=list, description="columns kept as they are")
    quasi_identifiers: list[Column] | None = Field(None, description="default: every column without another role")
    taxonomies: dict[Column, TaxonomyOptions] = Field(
        default_factory=dict,
        description="how each quasi-identifier is generalized; default: intervals for ordered values, else clusters",
    )
    requirement: Requirement = Field(
        default_factory=lambda: Requirement(k=DEFAULT_K), description="what `run` and `release` must meet"
    )
    k_counts: list[Literal["class"]] = Field(
        default_factory=list,
        description="what k counts beside the quasi-identifiers: `[class]` lets the records of an equivalence class be "
        "alike in class too",
    )
    publication: Publication = Field(
        default_factory=Publication, description="who gets releases and what for, as their certificates say"
    )
    coverage: list[Annotated[float, Field(strict=True, gt=0, le=1)]] = Field(
        default_factory=lambda: [0.05, 0.1, 0.2, 0.5],
        min_length=1,
        description="shares of record pairs whose most frequent distance patterns are mined",
    )
    coverage_over: Literal["pairs", "class_differing"] = Field(
        "pairs",
        description="what `coverage` is a share of: all pairs, or for rare classes those that differ in class",
    )
    types: dict[Column, str] = Field(default_factory=dict, description="DuckDB types that override what DuckDB guesses")
    csv: CsvOptions = Field(default_factory=CsvOptions, description="how a CSV source is written")
    timezone: str = Field(
        "UTC", description="the time zone that timestamps with zone are read, compared and written in"
    )
    nulls: Literal["value", "reject"] = Field("value", description="NULL is a value of its own, or refuses the source")
    search: Literal["combined", "rfd", "lattice"] = Field(
        "combined",
        description="how rules are found: by the RFDs of the data and what `combine` adds to them, by the RFDs alone, "
        "or as the optimum by `select` and the frontier among all rules there are",
    )
    combine: list[Literal["tolerant", "refined"]] = Field(
        ["refined"],
        description="what a combined search adds to the rules of RFDs: those of tolerant RFDs, and those that moving a "
        "rule of a frontier by one level leads to",
    )
    max_tried: Annotated[int, Field(strict=True, ge=1)] = Field(
        10_000, description="level vectors that each part of `combine` looks at; more marks it incomplete"
    )
    lattice_frontier: bool = Field(
        True, description="whether a lattice search finds the frontier beside the optimum, or the optimum alone"
    )
    time_limit: Annotated[float, Field(strict=True, gt=0)] | None = Field(
        60.0,
        description="seconds for a lattice search, which then takes the best found, with the bound of what is left; or "
        "for joining the rules of a coverage, and for what a combined search adds",
    )
    models: list[str] = Field(
        default_factory=lambda: ["tree"],
        description=f"models that are measured: {', '.join(MODEL_NAMES)}, or the import path of an estimator; "
        "an empty list measures none",
    )
    test_on: Literal["generalized", "original"] = Field(
        "generalized", description="what models are tested on: records as the rule shows them, or as they came"
    )
    split_by: Column | None = Field(
        None,
        description="the column in whose order the ten folds follow each other, such as a date, so that models are "
        "tested on a time that they were not trained on; default: folds drawn at random",
    )
    train: Literal["auto", "all", "frontier"] = Field(
        "auto",
        description="models are trained for all rules, or for those that can be on the frontier of k and accuracy; "
        "`auto` does the latter for many large rules",
    )
    measures: list[Literal[*UTILITY, ALL]] = Field(  # type: ignore[valid-type]
        default_factory=lambda: list(DEFAULT_UTILITY), description="utility measures of each rule; `all` for every one"
    )
    weights: dict[Column, Annotated[float, Field(strict=True, ge=0)]] = Field(
        default_factory=dict, description="weights of quasi-identifiers in `distortion`; 1 where none is given"
    )
    holdout: Annotated[float, Field(ge=0, le=0.5)] = Field(
        0.2,
        description="share of the records that a repeated search does not see, so that the expected accuracy is "
        "measured on them; small sources take turns instead, and 0 measures none",
    )
    select: str = Field("accuracy", description="`run` takes the best rule by this measure")
    rule: str | None = Field(None, description="pins the rule of `run`: an id or a literal")
    unmapped: Literal["refuse", "root"] = Field("refuse", description="values that a nominal taxonomy does not know")
    sample: Annotated[int, Field(strict=True, ge=2)] | Literal["all"] = Field(
        PAIR_SAMPLE, description="records whose pairs are joined"
    )
    max_rfds: Annotated[int, Field(strict=True, ge=1)] = Field(
        5_000, description="RFDs of one coverage; more marks it incomplete"
    )
    max_rules: Annotated[int, Field(strict=True, ge=1)] = Field(
        500, description="rules of one coverage; more marks it incomplete"
    )
    pool: bool = Field(False, description="join rules across coverages too")
    seed: Annotated[int, Field(strict=True, ge=0, le=MAX_SEED)] = Field(
        0, description="of the sampled records, the folds and the models"
    )
    database: str = Field(DATABASE_NAME, description="the decision database, beside the config")
    threads: Annotated[int, Field(strict=True, ge=1, le=MAX_THREADS)] | None = Field(
        None, description="DuckDB's threads; default: all cores"
    )
    memory_limit: str | None = Field(
        None, description="DuckDB's memory limit, such as 8GB (default: 3 GiB at most); more spills to disk"
    )

    @field_validator("coverage")
    @classmethod
    def _distinct_shares(cls, shares: list[float]) -> list[float]:
        return sorted(set(shares))

    @field_validator("models")
    @classmethod
    def _known_models(cls, models: list[str]) -> list[str]:
        for model in models:
            if model not in MODEL_NAMES and not _IMPORT_PATH.fullmatch(model):
                raise ValueError(
                    f"there is no model {model[:40]!r}; allowed are {', '.join(MODEL_NAMES)}, or the import path of "
                    "an estimator, such as sklearn.linear_model.SGDClassifier or mypackage.models:MyClassifier"
                )
        return list(dict.fromkeys(models))

    @field_validator("measures")
    @classmethod
    def _distinct_measures(cls, measures: list[str]) -> list[str]:
        return list(UTILITY) if ALL in measures else list(dict.fromkeys(measures))

    @model_validator(mode="after")
    def _selects_what_is_measured(self) -> Config:
        if self.select in UTILITY and self.select not in self.measures:
            raise ValueError(f"select: {self.select} is not among the `measures`; name it there")
        return self

    @model_validator(mode="before")
    @classmethod
    def _no_entity(cls, given: Any) -> Any:
        if isinstance(given, dict) and "entity" in given:
            raise ValueError(
                "entity: rules are searched by records, not by persons who may have several. Keep one record a person "
                "with `where`, or require k over persons of the released file: `audit(FILE, entity=COLUMN)`"
            )
        return given

    @model_validator(mode="after")
    def _can_measure_what_is_required(self) -> Config:
        lacking = [name for name in self.requirement.asked if name not in OF_RECORDS]
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
                    f"taxonomies.{name}: {name!r} is sensitive and is not generalized; its taxonomy is a file of one "
                    f"line per value, leaf first, and nothing else: `{name}: {{file: FILE}}`"
                )
        return self

    @model_validator(mode="after")
    def _names_values_of_sensitive_columns(self) -> Config:
        strangers = [name for name in self.sensitive_values if name not in self.sensitive]
        if strangers:
            raise ValueError(
                f"sensitive_values: {', '.join(map(repr, strangers))} is not among the `sensitive` columns; name it "
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
                raise ValueError(f"column {column!r} has {len(held)} roles ({', '.join(held)}); a column has one")
        return self

    @property
    def named_values(self) -> dict[str, Any]:
        """The values that are named for sensitive columns, as the config writes them."""
        named: dict[str, Any] = self.model_dump(by_alias=True, include={"sensitive_values"})["sensitive_values"]
        return named

    def named_roles(self) -> dict[str, list[str]]:
        """The columns that the config names, by role."""
        return {
            "class": [self.class_],
            "identifiers": self.identifiers,
            "sensitive": self.sensitive,
            "insensitive": self.insensitive,
            "quasi_identifiers": self.quasi_identifiers or [],
        }


def json_schema() -> dict[str, Any]:
    """The JSON schema of anonduck.yml, for editors."""
    return Config.model_json_schema(by_alias=True)
