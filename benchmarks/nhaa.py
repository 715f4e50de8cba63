"""NSVDist beside NHAA and Mondrian at k = l, by what they lose and how well models learn (Last et al. 2014, Figure 5).

NHAA is the ring generalization of Wong et al. (see benchmarks.ring_generalization). The paper takes Abalone; in its
place are as many complete training records of Adult with five quasi-identifiers, and their occupation as the class. All
three cover records by the same closures, with lowest intervals of two values each, and lose by the same measure. From
each release tables are drawn, and models learn and are tested, as in benchmarks.papers.drawn_tables.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from anonduck import Project, reconstruct
from anonduck.database.connection import Database
from anonduck.methods.coded_records import CodedRecords
from anonduck.methods.method import Method
from anonduck.methods.nsvdist import Distributions
from anonduck.methods.registry import METHODS
from anonduck.opened_project import target_here
from anonduck.release.distribution_recoder import DistributionRecoder, distribution_recoder
from anonduck.release.distribution_tables import ClosureLabels
from anonduck.release.job import release_by
from anonduck.release.recoder import Recipe, ReleaseInputs, asked_of_file
from anonduck.taxonomy.files.export import export_taxonomy
from benchmarks.papers.drawn_tables import Split, adult, folded, majority, scores
from benchmarks.real_data.folder import data as data_folder
from benchmarks.ring_generalization import apart, mondrian_views, ring_generalization, told_apart

RECORDS = 4_177
OCCUPATION = ["age", "workclass", "education", "sex", "hours-per-week"]
NUMBERS = ["wife_age", "wife_education", "num_children", "age", "hours-per-week"]
VIEWS: Mapping[str, Callable[..., Distributions]] = {"nhaa": ring_generalization, "mondrian": mondrian_views}


def main() -> None:
    """Print a line for each data set, k = l and method."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data-set", nargs="*", choices=["cmc", "occupation"], default=["cmc", "occupation"])
    parser.add_argument("-k", type=int, nargs="*", default=[2, 3, 4, 5], help="k = l; those that a data set allows")
    parser.add_argument("--method", nargs="*", choices=["nsvdist", *VIEWS], default=["nsvdist", *VIEWS])
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--svm", action="store_true")
    options = parser.parse_args()
    data = data_folder()
    for name in options.data_set:
        splits = list(folded(data, name, options.folds) if name == "cmc" else occupations(data, options.folds))
        show(name, "source", [scores([train], test, class_, svm=options.svm) for train, test, class_ in splits])
        show(name, "majority", [{"majority": majority(*split)} for split in splits])
        for k in options.k:
            lacking = sum((train[class_].value_counts() * k > len(train)).any() for train, _, class_ in splits)
            if lacking:
                print(f"{name} k={k}: not feasible in {lacking} of {len(splits)} folds", flush=True)
                continue
            for method in options.method:
                start = time.process_time()
                found = [measured(split, k, method, options.samples, svm=options.svm) for split in splits]
                show(name, f"{method} k={k}", found)
                print(f"  {time.process_time() - start:.0f} s of the processor", flush=True)


def occupations(data: Path, folds: int) -> Iterator[Split]:
    """Folds of some records of Adult, whose class is their occupation; rare ones need not be in each."""
    from sklearn.model_selection import KFold

    ((table, _, _),) = adult(data)
    table = table[[*OCCUPATION, "occupation"]].sample(RECORDS, random_state=0).reset_index(drop=True)
    drawn = KFold(10, shuffle=True, random_state=0).split(table)
    for _, (train, test) in zip(range(folds), drawn, strict=False):
        yield table.iloc[train], table.iloc[test], "occupation"


def measured(split: Split, k: int, method: str, samples: int, *, svm: bool) -> dict[str, float]:
    """What a release of the training records loses (LM), and what models reach; of NHAA, the records told apart."""
    train, test, class_ = split
    with tempfile.TemporaryDirectory() as folder:
        file, source = Path(folder) / "out.parquet", Path(folder) / "in.csv"
        train.to_csv(source, index=False)
        finer = {name: {"intervals": 2} for name in NUMBERS if name in train}
        with Project(source=str(source), class_=class_, requirement={"k": k}, taxonomies=finer, models=[]) as project:
            found = released(project, file, method, k)
            trees = {str(name): Path(folder) / f"{name}.csv" for name in train if name != class_}
            for name, tree in trees.items():
                export_taxonomy(project.database, name, tree, format_="csv")
        tables = reconstruct(file, samples, class_=class_, original=source, taxonomies=trees)
    return found | scores(tables, test, class_, svm=svm)


def released(project: Project, file: Path, method: str, k: int) -> dict[str, float]:
    """The loss of a release by a method at k = l, which it writes; of NHAA, the share of records told apart too."""
    views: list[Distributions] = []
    if method == "nsvdist":
        made = project.anonymize(method, file, settings={"l": k})
    else:
        recipe = Recipe(partial(view_recoder, method, views.append), of_file=asked_of_file, proven=method)
        made = release_by(project.workspace, recipe, target_here(file))
    told = {"told apart": told_apart(views[0])} if method == "nhaa" else {}
    return {"loss": float(made.owner["method"]["loss"]), **told}


@dataclass(frozen=True, kw_only=True)
class ViewRecoder(DistributionRecoder):
    """Closures of single records, each with one value: what is proven of distributions need not hold of them."""

    def _keep(
        self,
        database: Database,
        records: CodedRecords,
        found: Distributions,
        labels: Sequence[ClosureLabels],
        values: Sequence[str],
    ) -> None:
        super()._keep(database, apart(records), found, labels, values)

    def proven(self, database: Database, written: object) -> dict[str, Any]:
        """Nothing."""
        return {"requirements": [], "warnings": [], "remarks": []}


def view_recoder(name: str, hear: Callable[[Distributions], None], inputs: ReleaseInputs) -> ViewRecoder:
    """The views that a rival of NSVDist makes of a source, with NSVDist's defaults for closures and loss."""

    def algorithm(data: CodedRecords, k: int, **given: Any) -> Distributions:
        numbers: Sequence[np.ndarray | None] = given["numbers"]
        found = VIEWS[name](data, k, numbers=numbers, seed=given["seed"])
        hear(found)
        return found

    like = METHODS["nsvdist"]
    method = Method(name, "distributions", like.options, VIEWS[name].__module__, "for the evaluation", algorithm)
    made = distribution_recoder(method, like.resolve_options(), 0, inputs, as_json=False)
    return ViewRecoder(**{field.name: getattr(made, field.name) for field in fields(made)})


def show(data: str, what: str, found: list[dict[str, float]]) -> None:
    """Print the means over folds."""
    means = {name: np.mean([one[name] for one in found]) for name in found[0]}
    print(f"{data} {what}: " + ", ".join(f"{name} {100 * value:.2f}" for name, value in means.items()), flush=True)


if __name__ == "__main__":
    main()
