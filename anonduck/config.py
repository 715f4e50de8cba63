"""The configuration: anonduck.yml, validated, with every default in one place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, Field, ValidationError, field_validator, model_validator

from anonduck.errors import ConfigError
from anonduck.presets import PRESETS
from anonduck.taxonomy_options import Column, Strict, TaxonomyOptions
from anonduck.utility_names import ALL, DEFAULT_UTILITY, UTILITY

FILE_NAME = "anonduck.yml"
DATABASE_NAME = "anonduck.duckdb"
DEFAULT_K = 5
PAIR_SAMPLE = 50_000
MAX_COUNT = 2**53

MODEL_NAMES = ("tree", "svm", "logistic", "forest", "bayes")
_IMPORT_PATH = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*[.:][^\W\d]\w*")


AUDIT_ONLY = {
    "k_map": "--population FILE",
    "delta_presence": "--population FILE",
    "journalist_risk": "--population FILE",
    "population_uniqueness": "--sampling-fraction F",
    "composition": "--against EARLIER",
}
"""Requirements that need more than the export, and the option of `audit` that gives it."""

OF_RECORDS = ("k", "prosecutor_risk", "marketer_risk", "sample_uniqueness")
"""Requirements that need no sensitive column."""

Share = Annotated[float, Field(ge=0, le=1)]


class RecursiveL(Strict):
    """What recursive (c,l)-diversity requires."""

    l: Annotated[int, Field(ge=2, le=MAX_COUNT)] = Field(description="which of a class's values, by falling frequency")  # noqa: E741 - as the literature calls it
    c: Annotated[float, Field(gt=0)] = Field(
        description="the most frequent value occurs less than c times as often as the l-th and all rarer ones together"
    )


class Lkc(Strict):
    """What LKC-privacy requires."""

    l: Annotated[int, Field(ge=1, le=MAX_COUNT)] = Field(description="how many quasi-identifiers somebody knows")  # noqa: E741 - as the literature calls it
    k: Annotated[int, Field(ge=1, le=MAX_COUNT)] = Field(description="records that are alike in those, at least")
    c: Share = Field(description="the largest share of a sensitive value among them")


class Requirement(Strict):
    """What a release must meet."""

    preset: Literal[*PRESETS] | None = Field(  # type: ignore[valid-type]
        None,
        description="the k of a context of publication: "
        + ", ".join(f"`{name}` {preset.k}" for name, preset in PRESETS.items())
        + "; a `k` beside it takes its place",
    )
    k: Annotated[int, Field(ge=1, le=MAX_COUNT)] = Field(
        DEFAULT_K, description="records in the smallest equivalence class"
    )
    l: Annotated[int, Field(ge=1, le=MAX_COUNT)] | None = Field(  # noqa: E741 - as the literature calls it
        None, description="distinct sensitive values of each class, at least"
    )
    entropy_l: Annotated[float, Field(ge=1)] | None = Field(
        None, description="exp of the entropy of the sensitive values of each class, at least"
    )
    recursive_l: RecursiveL | None = Field(None, description="recursive (c,l)-diversity of each class")
    frequency_l: Annotated[float, Field(ge=1)] | None = Field(
        None, description="1 / the largest share of a sensitive value in each class, at least"
    )
    alpha: Share | None = Field(None, description="share of a sensitive value in a class, at most")
    t: Share | None = Field(None, description="t-closeness with equal distance, at most")
    t_ordered: Share | None = Field(None, description="t-closeness with ordered distance, at most")
    t_hierarchical: Share | None = Field(
        None, description="t-closeness over the taxonomy of the sensitive column, at most"
    )
    beta: Annotated[float, Field(ge=0)] | None = Field(None, description="basic beta-likeness, at most")
    enhanced_beta: Annotated[float, Field(ge=0)] | None = Field(None, description="enhanced beta-likeness, at most")
    delta_disclosure: Annotated[float, Field(ge=0)] | None = Field(
        None, description="delta-disclosure privacy, at most"
    )
    lkc: Lkc | None = Field(None, description="LKC-privacy")
    prosecutor_risk: Share | None = Field(None, description="the highest 1 / records of a class, at most")
    marketer_risk: Share | None = Field(None, description="the average of 1 / records of a class over records, at most")
    sample_uniqueness: Share | None = Field(None, description="share of records alone in their class, at most")
    homogeneous_classes: Share | None = Field(None, description="share of classes with one sensitive value, at most")
    ha: Share | None = Field(None, description="share of records in classes with one sensitive value, at most")
    pd: Share | None = Field(None, description="average share of the most frequent value of a class, at most")
    suppression: Annotated[float, Field(ge=0, lt=1)] = Field(
        0.0, description="share of the records that may be left out, those in classes that fail"
    )

    @model_validator(mode="before")
    @classmethod
    def _k_of_the_preset(cls, given: Any) -> Any:
        preset = given.get("preset") if isinstance(given, dict) else None
        if isinstance(preset, str) and preset in PRESETS and "k" not in given:
            return {**given, "k": PRESETS[preset].k}
        return given

    @model_validator(mode="before")
    @classmethod
    def _refuse_what_only_an_audit_knows(cls, given: Any) -> Any:
        for name in [name for name in given if name in AUDIT_ONLY] if isinstance(given, dict) else []:
            raise ValueError(
                f"{name} cannot be required here, for the export does not tell it: require it of the released file, "
                f"`anonduck audit FILE {AUDIT_ONLY[name]} --require {name}=...`"
            )
        return given

    @property
    def asked(self) -> dict[str, Any]:
        """What is required by name, without ``preset`` and ``suppression``: a number, or a mapping of several."""
        return self.model_dump(exclude_none=True, exclude={"preset", "suppression"})


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
    skip: Annotated[int, Field(ge=0)] | None = Field(None, description="lines to skip at the top")
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
    insensitive: list[Column] = Field(default_factory=list, description="columns kept as they are")
    quasi_identifiers: list[Column] | None = Field(None, description="default: every column without another role")
    taxonomies: dict[Column, TaxonomyOptions] = Field(
        default_factory=dict,
        description="how each quasi-identifier is generalized; default: intervals for ordered values, else clusters",
    )
    requirement: Requirement = Field(
        default_factory=lambda: Requirement(k=DEFAULT_K), description="what `run` and `release` must meet"
    )
    publication: Publication = Field(
        default_factory=Publication, description="who gets releases and what for, as their certificates say"
    )
    coverage: list[Annotated[float, Field(gt=0, le=1)]] = Field(
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
    nulls: Literal["value", "reject"] = Field("value", description="NULL is a value of its own, or refuses the source")
    search: Literal["rfd", "lattice"] = Field(
        "rfd",
        description="how rules are found: by the RFDs of the data, or as the optimum by `select` and the frontier "
        "among all rules there are",
    )
    lattice_frontier: bool = Field(
        True, description="whether a lattice search finds the frontier beside the optimum, or the optimum alone"
    )
    time_limit: Annotated[float, Field(gt=0)] | None = Field(
        60.0, description="seconds for a lattice search; then the best found is taken, with the bound of what is left"
    )
    models: list[str] = Field(
        default_factory=lambda: ["tree"],
        description=f"models that are measured: {', '.join(MODEL_NAMES)}, or the import path of an estimator; "
        "an empty list measures none",
    )
    test_on: Literal["generalized", "original"] = Field(
        "generalized", description="what models are tested on: records as the rule shows them, or as they came"
    )
    train: Literal["auto", "all", "frontier"] = Field(
        "auto",
        description="models are trained for all rules, or for those that can be on the frontier of k and accuracy; "
        "`auto` does the latter for many large rules",
    )
    measures: list[Literal[*UTILITY, ALL]] = Field(  # type: ignore[valid-type]
        default_factory=lambda: list(DEFAULT_UTILITY), description="utility measures of each rule; `all` for every one"
    )
    weights: dict[Column, Annotated[float, Field(ge=0)]] = Field(
        default_factory=dict, description="weights of quasi-identifiers in `distortion`; 1 where none is given"
    )
    select: str = Field("accuracy", description="`run` takes the best rule by this measure")
    rule: str | None = Field(None, description="pins the rule of `run`: an id or a literal")
    unmapped: Literal["refuse", "root"] = Field("refuse", description="values that a nominal taxonomy does not know")
    sample: Annotated[int, Field(ge=2)] | Literal["all"] = Field(
        PAIR_SAMPLE, description="records whose pairs are joined"
    )
    max_rfds: Annotated[int, Field(ge=1)] = Field(5_000, description="RFDs of one coverage; more marks it incomplete")
    max_rules: Annotated[int, Field(ge=1)] = Field(500, description="rules of one coverage; more marks it incomplete")
    pool: bool = Field(False, description="join rules across coverages too")
    seed: Annotated[int, Field(ge=0)] = Field(0, description="of the sampled records, the folds and the models")
    database: str = Field(DATABASE_NAME, description="the decision database, beside the config")
    threads: Annotated[int, Field(ge=1)] | None = Field(None, description="DuckDB's threads; default: all cores")
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
                "with `where`, or require k over persons of the released file: `anonduck audit FILE --entity COLUMN`"
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
    def _one_role_each(self) -> Config:
        roles: dict[str, list[str]] = {}
        for role, columns in self.named_roles().items():
            for column in columns:
                roles.setdefault(column, []).append(role)
        for column, held in roles.items():
            if len(held) > 1:
                raise ValueError(f"column {column!r} has {len(held)} roles ({', '.join(held)}); a column has one")
        return self

    def named_roles(self) -> dict[str, list[str]]:
        """The columns that the config names, by role."""
        return {
            "class": [self.class_],
            "identifiers": self.identifiers,
            "sensitive": self.sensitive,
            "insensitive": self.insensitive,
            "quasi_identifiers": self.quasi_identifiers or [],
        }


class _Loader(yaml.SafeLoader):
    """YAML whose keys stand once, and whose texts stay as written: `no` is no boolean, 0012 and 12:30 no numbers."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """A mapping; YAML would let the last of two equal keys win, and drop the identifiers of the first."""
        seen = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in seen:
                words = f"the key {key.value!r} stands twice; merge the two"
                raise yaml.constructor.ConstructorError(problem=words, problem_mark=key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {
    first: [
        (tag, pattern)
        for tag, pattern in resolvers
        if tag.removeprefix("tag:yaml.org,2002:") not in ("bool", "timestamp", "int", "float")
    ]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")
)
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?(?:0|[1-9][0-9]*)$"), list("-+0123456789"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(
        r"^(?:[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)\.[0-9]*)(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"
    ),
    list("-+.0123456789"),
)


def read_config(path: Path) -> Config:
    """Read and validate a config file; raises ConfigError with the key, what is allowed and what came."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(f"there is no config {path}; write one with `anonduck init SOURCE --class COLUMN`") from None
    except IsADirectoryError:
        raise ConfigError(f"{path} is a directory; name the config file in it, such as {path / FILE_NAME}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"the config {path} is not UTF-8 text; save it as UTF-8") from None
    except OSError as error:
        raise ConfigError(f"the config {path} cannot be read: {error.strerror}") from None
    try:
        data = yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader with fewer implicit types
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or "cannot be parsed"
        raise ConfigError(f"the config {path}{where} is not what it must be in YAML: {problem}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"the config {path} must be a mapping of keys to values; see `anonduck init`")
    return make_config(data, whose=str(path))


def make_config(data: dict[str, Any], *, whose: str = "the arguments") -> Config:
    """Validate config keys given as a mapping (``class`` or ``class_``); raises ConfigError."""
    if "class" not in data and "class_" not in data:
        raise ConfigError(f"{whose}: no class; name the column that models will predict, such as `class: churned`")
    try:
        return Config.model_validate(data)
    except ValidationError as error:
        raise ConfigError(
            f"{whose}: " + "; ".join(dict.fromkeys(_explained(item) for item in error.errors()))
        ) from None


def read_options(texts: Sequence[str], column: str, cluster_on: Sequence[str] = ()) -> TaxonomyOptions | None:
    """Options of a builder given as KEY=VALUE, the value as YAML; None for none. Raises ConfigError."""
    keys: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not (key and equals and value):
            raise ConfigError(f"an option is KEY=VALUE, such as width=10 or 'quantiles=[20, 5]'; it got {text!r}")
        try:
            keys[key.strip()] = yaml.load(value, Loader=_Loader)  # noqa: S506 - a SafeLoader with fewer implicit types
        except yaml.YAMLError:
            raise ConfigError(f"the value of the option {key} is not YAML; lists are written as [20, 5]") from None
    if cluster_on:
        keys = {"clusters": True, **keys, "cluster_on": list(cluster_on)}
    if not keys:
        return None
    checked = make_config({"class": column + "?", "taxonomies": {column: keys}}, whose="the options")
    return checked.taxonomies[column]


def json_schema() -> dict[str, Any]:
    """The JSON schema of anonduck.yml, for editors."""
    return Config.model_json_schema(by_alias=True)


_UNION_BRANCHES = ("constrained-int", "literal['all']")


def _explained(item: Any) -> str:
    where = ".".join(str(part) for part in item["loc"] if str(part) not in _UNION_BRANCHES)
    if item["type"] == "extra_forbidden":
        parts: dict[str, type[BaseModel]] = {
            "taxonomies": TaxonomyOptions,
            "requirement": Requirement,
            "csv": CsvOptions,
            "publication": Publication,
        }
        places = [str(place) for place in item["loc"]]
        model = parts.get(places[0] if len(places) > 1 else "", Config)
        if model is Requirement and len(places) > 2:
            model = RecursiveL if places[1] == "recursive_l" else Lkc
        known = ", ".join(field.alias or name for name, field in model.model_fields.items())
        return f"unknown key {where}; known keys are {known}"
    message = str(item["msg"]).removeprefix("Value error, ").replace("Input should be", "it should be")
    came = _came(item)
    return f"{where}: {message}{came}" if where else message


def _came(item: Any) -> str:
    """What came, if it is a setting; `where` and taxonomies may name values of the source."""
    if item["type"] == "value_error" or item["loc"][0] in ("where", "taxonomies"):
        return ""
    value = item["input"]
    if value is None:
        return "; it is empty"
    if isinstance(value, (bool, int, float, str)):
        return f"; it is {str(value)[:40]!r}"
    return f"; it is a {'list' if isinstance(value, list) else 'mapping' if isinstance(value, dict) else 'thing'}"
