"""Prints how well people are linked to a release by swapping, by Splink: a table of docs/probabilistic.md.

As in Senavirathne and Torra (2021, section 4): of the people whom somebody knows by their quasi-identifiers, half are
in the release and half are not (they were held out). Each is linked to the released row of the highest match weight.
Precision is the share of the links whose person is in the release, recall the share of the people in it who are linked:
of all links, and of the surer half. AUC is how often the weight of a person in the release is the higher one of two.
"""

from __future__ import annotations

import argparse
import logging
import shlex
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parent))

from probabilistic import DATA_SETS, print_line, release, split
from sklearn.metrics import roc_auc_score
from splink import DuckDBAPI, Linker, SettingsCreator

from anonduck.attacks.splink_linkage import NEAR, SAMPLED_PAIRS

COLUMNS = ("data", "columns", "k", "precision", "recall", "linked from 0.5", "precision, surer half", "recall", "AUC")


def main() -> None:
    """Print the command and a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data-set", nargs="*", choices=list(DATA_SETS), default=list(DATA_SETS))
    parser.add_argument("-k", type=int, nargs="*", default=[5, 50])
    parser.add_argument("--records", type=int, default=2_000, help="of Adult, drawn at random")
    parser.add_argument("--people", type=int, default=200, help="in the release, and as many others")
    options = parser.parse_args()
    logging.getLogger("splink").setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore")
    print(f"`{shlex.join(['python', 'benchmarks/swap_linkage.py', *sys.argv[1:]])}`\n")
    print_line(COLUMNS)
    print_line(["---"] * len(COLUMNS))
    for name in options.data_set:
        for row in rows(name, options):
            print_line(row)


def rows(name: str, options: argparse.Namespace) -> Iterator[list[str]]:
    """A row for all columns as quasi-identifiers, at each k."""
    one = split(name, options.records, ["full"])
    words, quasi = one.sets[0]
    people = one.train.sample(min(options.people, len(one.held)), random_state=0)
    known = pd.concat([people, one.held[: len(people)]], ignore_index=True)
    for k in options.k:
        released, _, _ = release(one.train, quasi, one.class_, k, "gower", 0)
        best = best_links(known[quasi], released[quasi])
        there = np.arange(len(known)) < len(people)
        surer = best["match_weight"] >= best["match_weight"].median()
        halves = [*told(np.ones(len(known), dtype=bool), there), str(int((best["match_probability"] >= 0.5).sum()))]
        area = roc_auc_score(there, best["match_weight"])
        yield [name, words, str(k), *halves, *told(surer.to_numpy(), there), f"{area:.3f}"]


def told(linked: np.ndarray, there: np.ndarray) -> list[str]:
    """Precision and recall of links."""
    right = int((linked & there).sum())
    return [f"{right / linked.sum():.3f}", f"{right / there.sum():.3f}"]


def best_links(known: pd.DataFrame, released: pd.DataFrame) -> pd.DataFrame:
    """By person, the weight and the probability of the released row of the highest match weight."""
    names = {name: f"c_{number}" for number, name in enumerate(known)}
    tables = [one.rename(columns=names).assign(unique_id=np.arange(len(one))) for one in (known, released)]
    settings = SettingsCreator(
        link_type="link_only",
        comparisons=[comparison(name, released[column]) for column, name in names.items()],
        blocking_rules_to_generate_predictions=["1=1"],
        probability_two_random_records_match=1 / len(released),
        retain_matching_columns=False,
    )
    api = DuckDBAPI()
    given = [
        api.register(one, dataset_display_name=name) for one, name in zip(tables, ("a_known", "b_rows"), strict=True)
    ]
    linker = Linker(given, settings, log_level=logging.CRITICAL)
    linker.training.estimate_u_using_random_sampling(max_pairs=SAMPLED_PAIRS, seed=1)
    linker.training.estimate_parameters_using_expectation_maximisation("1=1", fix_u_probabilities=True)
    pairs = linker.inference.predict().as_pandas_dataframe().sort_values("match_weight", ascending=False)
    return pairs.drop_duplicates("unique_id_l").set_index("unique_id_l").sort_index()


def comparison(name: str, values: pd.Series) -> dict[str, Any]:
    """The levels of agreement in a column: equal, of numbers near, or neither."""
    levels: Sequence[tuple[str, str]] = [("equal", f"{name}_l = {name}_r")]
    if pd.api.types.is_numeric_dtype(values):
        span = float(values.max() - values.min())
        levels = [*levels, ("near", f"abs({name}_l - {name}_r) <= {NEAR * span!r}")]
    unknown = {
        "sql_condition": f"{name}_l IS NULL OR {name}_r IS NULL",
        "label_for_charts": "unknown",
        "is_null_level": True,
    }
    return {
        "output_column_name": name,
        "comparison_levels": [
            unknown,
            *({"sql_condition": condition, "label_for_charts": label} for label, condition in levels),
            {"sql_condition": "ELSE", "label_for_charts": "neither"},
        ],
    }


if __name__ == "__main__":
    main()
