"""What a release must meet, as a config says it: one key a requirement, and the range of each."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from anonduck.config.taxonomy import MAX_COUNT, Strict
from anonduck.privacy.requirement import PRESETS

DEFAULT_K = 5

AUDIT_ONLY = {
    "k_map": "--population FILE",
    "delta_presence": "--population FILE",
    "journalist_risk": "--population FILE",
    "population_uniqueness": "--sampling-fraction F",
    "composition": "--against EARLIER",
}
"""Requirements that need more than the export, and the option of `audit` that gives it."""

OF_RECORDS = ("k", "prosecutor_risk", "marketer_risk", "sample_uniqueness", "kept_rare")
"""Requirements that need no sensitive column."""

OF_PERSONS = ("linked_k",)
"""Requirements of all rows of a person together; only the source has their key, `entity`."""

OF_CANDIDATES = ("inference_gain", "min_columns", "max_loss", "min_gain")
"""Requirements of what `run` chooses among candidates; no release is judged by them."""

INFERENCE_GAIN = 0.1
"""The default of ``inference_gain``: the class of ten people in a hundred more may be guessed than of others."""

FromTwo = Annotated[int, Field(strict=True, ge=2, le=MAX_COUNT)]
Count = Annotated[int, Field(strict=True, ge=1, le=MAX_COUNT)]
FromOne = Annotated[float, Field(strict=True, ge=1)]
FromZero = Annotated[float, Field(strict=True, ge=0)]
Share = Annotated[float, Field(strict=True, ge=0, le=1)]


class AllBut(Strict):
    """All values of a sensitive column but the harmless."""

    except_: list[str | int | float | bool | None] = Field(alias="except", min_length=1, description="harmless values")


def _values(given: object) -> object:
    named = given.get("except", given) if isinstance(given, dict) and len(given) == 1 else given
    if isinstance(named, list) and named and all(one is None or isinstance(one, LEAF) for one in named):
        return given
    raise ValueError("name the values in a list, such as [hiv, cancer], or all but some, such as {except: [none]}")


LEAF = (str, int, float, bool)
SensitiveValues = Annotated[
    Annotated[list[str | int | float | bool | None], Field(min_length=1)] | AllBut, BeforeValidator(_values)
]


class RecursiveL(Strict):
    """What recursive (c,l)-diversity requires."""

    l: FromTwo = Field(description="rank of a value in its class, by falling frequency")  # noqa: E741 - as the literature calls it
    c: Annotated[float, Field(strict=True, gt=0)] = Field(
        description="the most frequent value occurs less than c times as often as the l-th and all rarer ones together"
    )


class DeltaDisclosure(Strict):
    """What delta-disclosure privacy requires."""

    delta: FromZero = Field(
        description="how far the logarithm of a value's share in a class may be from that of its share in all records"
    )
    log: FromTwo | None = Field(None, description="base of the logarithm; default: e")


class Lkc(Strict):
    """What LKC-privacy requires."""

    l: Count = Field(description="how many quasi-identifiers an attacker knows")  # noqa: E741 - as the literature calls it
    k: Count = Field(description="fewest records that agree in those")
    c: Share = Field(description="largest share of a sensitive value among them")


class RequirementOptions(Strict):
    """What a release must meet."""

    model_config = ConfigDict(title="Requirement")

    preset: Literal[*PRESETS] | None = Field(  # type: ignore[valid-type]
        None,
        description="the k of a publication context: "
        + ", ".join(f"`{name}` {preset.k}" for name, preset in PRESETS.items())
        + "; a `k` given with it overrides it",
    )
    k: Count = Field(DEFAULT_K, description="records in the smallest equivalence class")
    linked_k: Count | None = Field(
        None, description="persons who have all of their released rows in common, at least; needs `entity`"
    )
    l: Count | None = Field(  # noqa: E741 - as the literature calls it
        None, description="distinct sensitive values of each class, at least"
    )
    entropy_l: FromOne | None = Field(
        None, description="exp of the entropy of the sensitive values of each class, at least"
    )
    recursive_l: RecursiveL | None = Field(None, description="recursive (c,l)-diversity of each class")
    frequency_l: FromOne | None = Field(
        None, description="1 / the largest share of a sensitive value in each class, at least"
    )
    alpha: Share | None = Field(None, description="share of a sensitive value in a class, at most")
    t: Share | None = Field(None, description="t-closeness with equal distance, at most")
    t_ordered: Share | None = Field(None, description="t-closeness with ordered distance, at most")
    t_hierarchical: Share | None = Field(
        None, description="t-closeness over the taxonomy of the sensitive column, at most"
    )
    beta: FromZero | None = Field(None, description="basic beta-likeness, at most")
    enhanced_beta: FromZero | None = Field(None, description="enhanced beta-likeness, at most")
    delta_disclosure: FromZero | DeltaDisclosure | None = Field(
        None, description="delta-disclosure privacy with natural logarithms, at most"
    )
    lkc: Lkc | None = Field(None, description="LKC-privacy")
    prosecutor_risk: Share | None = Field(None, description="the highest 1 / records of a class, at most")
    marketer_risk: Share | None = Field(None, description="the average of 1 / records of a class over records, at most")
    sample_uniqueness: Share | None = Field(None, description="share of records alone in their class, at most")
    homogeneous_classes: Share | None = Field(None, description="share of classes with one sensitive value, at most")
    ha: Share | None = Field(None, description="share of records in classes with one sensitive value, at most")
    pd: Share | None = Field(
        None,
        description="average over classes of the share of the most frequent value, at most; each class counts alike",
    )
    kept_rare: Annotated[int, Field(strict=True, ge=0, le=MAX_COUNT)] | None = Field(
        None,
        description="in each column that is kept as it is, the records whose value fewer than k records hold, at most; "
        "judged on the written release",
    )
    inference_gain: Share | None = Field(
        None,
        description="how much more often the class of people in a release may be guessed right, by the most frequent "
        "value of their equivalence class, than that of others by a model; judged where `run` chooses among "
        f"candidates, default there: {INFERENCE_GAIN}, which leaves out those that exceed it by more than 1.645 "
        "standard errors",
    )
    min_columns: Annotated[int, Field(strict=True, ge=1, le=MAX_COUNT)] | None = Field(
        None, description="quasi-identifiers that the candidate that `run` chooses shows under the root, at least"
    )
    max_loss: Share | None = Field(
        None, description="share of detail that the candidate that `run` chooses loses (NCP), at most"
    )
    min_gain: FromZero | None = Field(
        None, description="information gain of the candidate that `run` chooses in bits, at least"
    )
    suppression: Annotated[float, Field(strict=True, ge=0, lt=1)] = Field(
        0.0, description="share of the records that may be left out: those in classes that miss the requirement"
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
                f"{name} cannot be required here, because the export does not determine it: require it of the release, "
                f"`anonduck audit FILE {AUDIT_ONLY[name]} --require {name}=...`"
            )
        return given

    @property
    def judges_choices(self) -> bool:
        """Whether something is named that the choice of `run` alone is judged by."""
        return any(getattr(self, name) is not None for name in OF_CANDIDATES)

    @property
    def asked(self) -> dict[str, Any]:
        """What is required of releases by name, without ``preset`` and ``suppression``: a number, or a mapping."""
        return self.model_dump(exclude_none=True, exclude={"preset", "suppression", *OF_CANDIDATES})
