"""All methods by name, with their options and papers."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

from anonduck.errors import ConfigError
from anonduck.methods.method import Algorithm, Method, MethodOption, Setting, at_most_k, no_suppression
from anonduck.methods.settings import DETAIL, EQUATION_8, IMPUTE, LOSSES, QUARTILE, TABLE_5
from anonduck.words import did_you_mean

NUMBERS = MethodOption(
    "numbers",
    "nodes",
    "show numbers and dates by nodes of their taxonomies, or by any intervals of the finest ones of these",
    choices=("nodes", "intervals"),
    of_data=True,
)


def _found_by(name: str) -> Algorithm:
    """The algorithm of a method, whose module is loaded when it is called: whoever lists methods need not wait."""

    def algorithm(*arguments: Any, **options: Any) -> Any:
        from anonduck.methods.algorithms import ALGORITHMS

        return ALGORITHMS[name](*arguments, **options)

    return algorithm


METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Method(
            name="mondrian",
            recoding="classes",
            options=(
                MethodOption("strict", True, "never part records that are alike in a column by cutting at its median"),
                MethodOption(
                    "splits",
                    "width",
                    "cut in the widest column, or where the class is least mixed afterwards",
                    choices=("width", "entropy"),
                    reads_class=("entropy",),
                    method_words={
                        "entropy": "cuts the records into ever smaller classes, each time where the class column is "
                        "least mixed afterwards"
                    },
                ),
                NUMBERS,
            ),
            source="LeFevre, DeWitt and Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006",
            words="cuts the records into ever smaller classes, each time in the column that is widest",
            algorithm=_found_by("mondrian"),
            cuts=True,
        ),
        Method(
            name="tds",
            recoding="cuts",
            options=(),
            source="Fung, Wang and Yu, Top-down specialization for information and privacy preservation, ICDE 2005; "
            "with the score of their Anonymizing classification data for privacy preservation, TKDE 2007",
            words="specializes values from the roots down, where that tells most of the class for the k that it costs",
            algorithm=_found_by("tds"),
            by_class="specializes by what values tell of the class",
        ),
        Method(
            name="pais",
            recoding="cuts",
            options=(),
            source="Mohammed et al., Anonymizing healthcare data: a case study on the blood transfusion service, KDD "
            "2009",
            words="specializes values from the roots down, where that tells most of the class",
            algorithm=_found_by("pais"),
            by_class="specializes by what values tell of the class",
        ),
        Method(
            name="datafly",
            recoding="levels",
            options=(
                MethodOption("suppress", False, "leave out up to k records, as in the paper, whatever is configured"),
            ),
            source="Sweeney, Guaranteeing anonymity when sharing medical data, the Datafly system, AMIA 1997",
            words="generalizes the column with the most distinct values, until few enough records are left out",
            algorithm=_found_by("datafly"),
            allowance=at_most_k,
        ),
        Method(
            name="ola",
            recoding="levels",
            options=(MethodOption("entropy", False, "measure what is lost by non-uniform entropy, not by loss"),),
            source="El Emam et al., A globally optimal k-anonymity method for the de-identification of health data, "
            "JAMIA 2009",
            words="finds, of all rules that meet what is required, the one that loses least",
            algorithm=_found_by("ola"),
        ),
        Method(
            name="incognito",
            recoding="levels",
            options=(
                MethodOption("height", True, "the lowest levels in sum go first, and of equal ones the least loss"),
            ),
            source="LeFevre, DeWitt and Ramakrishnan, Incognito: efficient full-domain k-anonymity, SIGMOD 2005",
            words="finds, of all rules that leave no record out, the one of least height",
            algorithm=_found_by("incognito"),
            allowance=no_suppression,
        ),
        Method(
            name="sequential",
            recoding="classes",
            options=(NUMBERS,),
            source="Goldberger and Tassa, Efficient anonymizations with enhanced utility, TDP 2010",
            words="begins with the classes of mondrian and moves records between them as long as the loss falls",
            algorithm=_found_by("sequential"),
            bounded=True,
        ),
        Method(
            name="topdown",
            recoding="classes",
            options=(NUMBERS,),
            source="Xu et al., Utility-based anonymization using local recoding, KDD 2006",
            words="parts the records around two that are as far from each other as can be, and each side again",
            algorithm=_found_by("topdown"),
        ),
        Method(
            name="guided",
            recoding="classes",
            options=(
                MethodOption("detail", DETAIL, "how much detail weighs against what models gain by a cut", least=0),
                MethodOption("diverse", 1, "how many values of the class both sides of a cut have at least", least=1),
                NUMBERS,
            ),
            source="after LeFevre, DeWitt and Ramakrishnan, Workload-aware anonymization techniques for large-scale "
            "datasets, TODS 2008, and Goldsteen et al., Anonymizing machine learning models, 2020",
            words="cuts the records into ever smaller classes where a model that has not seen them expects other "
            "classes, and where most detail is kept",
            algorithm=_found_by("guided"),
            taught=True,
            cuts=True,
        ),
        Method(
            name="flexible",
            recoding="classes",
            options=(
                MethodOption(
                    "weights",
                    TABLE_5,
                    "columns that hardly tell of the class are useful, as in table 5 of the paper, or those that tell "
                    "most of it, which is its equation 8 as printed",
                    choices=(TABLE_5, EQUATION_8),
                    aliases={"paper": TABLE_5, "predictive": EQUATION_8},
                ),
                MethodOption(
                    "levels",
                    "rule",
                    "show a class by usefulness and uncertainty, or as little generalized as can be",
                    choices=("rule", "least"),
                    reads_class=("rule",),
                ),
                MethodOption(
                    "threshold",
                    QUARTILE,
                    "bits of entropy above which a class is uncertain: the first quartile of all, or so many",
                    choices=(QUARTILE,),
                    least=0,
                ),
                MethodOption("join", True, "join classes that the rule shows with one sensitive value to similar ones"),
                MethodOption(
                    "missing",
                    "keep",
                    "leave missing values missing, or impute the mean of numbers and the rarest of other values",
                    choices=("keep", IMPUTE),
                    of_data=True,
                ),
                MethodOption(
                    "outliers",
                    "",
                    "the logical range of numbers, such as age=0..120, income=0..; what is outside counts as missing",
                    of_data=True,
                    text=True,
                ),
            ),
            source="Majeed and Hwang, A generic approach towards enhancing utility and privacy in person-specific data "
            "publishing based on attribute usefulness and uncertainty, Electronics 2023",
            words="puts similar records together, and generalizes columns that are useful less, and classes whose "
            "sensitive values are uncertain",
            algorithm=_found_by("flexible"),
            weighed=True,
            eased="`--set join=false` or `--set levels=least`",
        ),
        Method(
            name="nsvdist",
            recoding="distributions",
            options=(
                MethodOption("l", 1.0, "no value of the class has more than 1/l of a distribution", least=1),
                MethodOption("loss", "lm", "measure what is lost by the loss metric or by entropy", choices=LOSSES),
                MethodOption("intervals", True, "cover numbers by intervals that fit, not by those of their taxonomy"),
                MethodOption("repair", False, "also cover those that chose a record: k then holds in both directions"),
                MethodOption("frequencies", False, "publish in the receipt how often values occur that k records hold"),
                MethodOption(
                    "clusters",
                    0,
                    "compare records within clusters of about so many; 0: only where they are many",
                    least=0,
                ),
            ),
            source="Last, Tassa, Zhmudyak and Shmueli, Improving accuracy of classification models induced from "
            "anonymized datasets, Information Sciences 2014",
            words="shows each record with k - 1 like it, and how often these have each value of the class",
            algorithm=_found_by("nsvdist"),
            by_class="releases distributions of the class",
        ),
        Method(
            name="probabilistic",
            recoding="swapped",
            options=(
                MethodOption(
                    "dissimilarity",
                    "gower",
                    "records are alike by their values, or by what occurs with these",
                    choices=("gower", "ahmad-dey"),
                ),
                MethodOption(
                    "blocks",
                    "",
                    "columns that are swapped together, such as age+sex, job+city; none: in pairs, by what they tell "
                    "of the class",
                    text=True,
                ),
                MethodOption(
                    "top", "", "the largest numbers to show, such as income=200000, of single columns", text=True
                ),
                MethodOption("levels", "", "levels of taxonomies to show, such as age=1, of single columns", text=True),
                MethodOption("unique", True, "show values that one record alone has; false: refuse to release them"),
            ),
            source="Senavirathne and Torra, Systematic evaluation of probabilistic k-anonymity for privacy preserving "
            "micro-data publishing and analysis, SECRYPT 2021",
            words="swaps values between records that are alike, so that columns keep their values and types",
            algorithm=_found_by("probabilistic"),
            bounded=True,
            by_class="swaps columns by what they tell of the class",
        ),
    )
}


def method_named(name: str) -> Method:
    """The method of this name; raises ConfigError that lists the known ones for any other name."""
    if name not in METHODS:
        raise ConfigError(
            f"the method {name[:40]!r} is not known{did_you_mean(name, METHODS)}; known are {', '.join(METHODS)}"
        )
    return METHODS[name]


def method_label(name: str, settings: Mapping[str, Setting]) -> str:
    """What a method with options over those of the config is called where there are several.

    >>> method_label("mondrian", {"splits": "entropy"})
    'mondrian:splits=entropy'
    """
    told = ",".join(f"{one}={str(value).lower()}" for one, value in settings.items())
    return f"{name}:{told}" if told else name


def named_method(text: str) -> tuple[str, dict[str, Setting]]:
    """Read a method with settings, such as ``mondrian`` or ``mondrian:splits=entropy``.

    Raises ConfigError for a method or a setting that is not known.
    """
    name, colon, options = text.partition(":")
    given = list(map(_setting, options.split(","))) if colon else []
    settings = dict(given)
    if len(settings) < len(given):
        raise ConfigError(f"{text[:80]!r} gives a setting twice; give each of {', '.join(settings)} once")
    method_named(name).resolve_options(settings)
    return name, settings


WEIGHED_ALONE = {"levels": "a rule of its own", "distributions": "distributions", "swapped": "swapped values"}
OFFERED = ("classes", "cuts")
"""Kinds of recodings that are weighed beside rules; the others promise something else than k, or are rules."""


def is_offered(method: str) -> bool:
    """Whether what a method finds is weighed beside rules; raises ConfigError for a method that is not known."""
    return method_named(method).recoding in OFFERED


def offered_method(text: str) -> tuple[str, dict[str, Setting]]:
    """Read a method with settings whose recodings are weighed beside rules.

    Raises ConfigError for one that is not known, and for one that a release is made by alone.
    """
    name, settings = named_method(text)
    if not is_offered(name):
        raise ConfigError(
            f"{name} is not weighed beside rules, as it finds {WEIGHED_ALONE[method_named(name).recoding]}. Release "
            f"by it alone: `method: {name}` in the config in place of a list of `methods`, or "
            f"`anonduck anonymize {name}`; `anonduck compare --method {name}` measures it"
        )
    return name, settings


def why_class(name: str, given: Mapping[str, Setting], *, sensitive: bool) -> str:
    """Why a method needs a class with these options over its defaults; empty where it does not.

    Raises ConfigError for a method or an option that is not known.
    """
    method = method_named(name)
    return method.why_class(method.resolve_options(given), sensitive=sensitive)


def _setting(text: str) -> tuple[str, Setting]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise ConfigError(f"settings of a method are NAME=VALUE, such as mondrian:splits=entropy; got {text[:40]!r}")
    known = {"true": True, "false": False}
    if value in known:
        return name, known[value]
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return name, kind(value)
    return name, value
