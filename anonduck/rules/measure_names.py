"""The names of the utility measures: which way each is better, and whether `discover` measures it unasked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class UtilityName:
    """What one needs to know of a utility measure to ask for it and to compare by it.

    ``of_values`` says that it counts values under the search's floor, and is not measured where there is one.
    """

    meaning: str
    smaller_is_better: bool = True
    by_default: bool = True
    of_values: bool = False


UTILITY: dict[str, UtilityName] = {
    "loss": UtilityName("loss metric LM, mean over cells, 0 to 1"),
    "ncp": UtilityName("normalized certainty penalty, mean over cells, 0 to 1"),
    "precision": UtilityName("1 - level / root level, mean over cells, 0 to 1", smaller_is_better=False),
    "distortion": UtilityName("weighted sum of level / root level over cells"),
    "nonuniform_entropy": UtilityName("bits that the values lose, given the labels", of_values=True),
    "discernibility": UtilityName("sum of squared sizes of equivalence classes"),
    "average_class_size": UtilityName("records / equivalence classes / the required k", by_default=False),
    "classification_metric": UtilityName(
        "share of records outside the majority class of their equivalence class", by_default=False
    ),
    "kl_divergence": UtilityName(
        "bits from the original distribution to the released one, spread evenly over leaves",
        by_default=False,
        of_values=True,
    ),
    "mutual_information_loss": UtilityName(
        "bits of mutual information that columns lose on average", by_default=False, of_values=True
    ),
}

DEFAULT_UTILITY = tuple(name for name, measure in UTILITY.items() if measure.by_default)
OF_VALUES = tuple(name for name, measure in UTILITY.items() if measure.of_values)
ALL = "all"

PLAIN = (
    "k",
    "k_with_class",
    "classes",
    "information_gain",
    "information_gain_corrected",
    "violating_share",
    "violating_pairs",
)
BY_MODEL = ("accuracy", "balanced_accuracy", "macro_f1", "roc_auc")
OBJECTIVES = (*PLAIN, *BY_MODEL, *UTILITY)
"""What rules can be compared by; of the models' scores also each model's, such as ``accuracy.svm``."""

RELEASED, HELD_OUT = "released", "held-out"
"""Protocols of scores: models are tested on records as a release shows them, or on original ones of people who were not
there when it was made."""
GENERALIZED, ORIGINAL = "generalized", "original"
"""What models of rules are tested on: records that are generalized too, or as they came."""

SHARES = ("accuracy", "balanced_accuracy", "precision", "loss", "ncp")
"""Measures that are a share, at most 1."""

OF_CLASS = (
    "k_with_class",
    "information_gain",
    "information_gain_corrected",
    "violating_share",
    "violating_pairs",
    "classification_metric",
    *BY_MODEL,
)
"""Measures of how well the class is predicted, or of its values in equivalence classes, which need a class."""


def is_of_class(name: str) -> bool:
    """Whether a measure is of how well the class is predicted; also the score of one model, ``accuracy.svm``.

    >>> is_of_class("accuracy.svm"), is_of_class("loss")
    (True, False)
    """
    return name.partition(".")[0] in OF_CLASS


DEFAULT_OBJECTIVES = ("k", "accuracy")
WITHOUT_MODELS = ("k", "information_gain")
WITHOUT_CLASS = ("k", "loss")


def default_objectives(models: Sequence[str], *, has_class: bool = True) -> tuple[str, str]:
    """k and the first model's accuracy; without models the information gain, without a class the loss."""
    if not has_class:
        return WITHOUT_CLASS
    return DEFAULT_OBJECTIVES if models else WITHOUT_MODELS
