"""Real tables: what comes out is held against plain Python that reads the same files by itself."""

import csv
import random
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from oracles import judge_over

from anonduck import Project, audit
from anonduck.frequency.preparation import prepare
from anonduck.measures.measures import contingency
from anonduck.rules.rule import RuleSpace


def records(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def block_paths(path: Path, block: str, sep: str) -> dict[str, list[str]]:
    """Leaf -> labels from level 1 to the root, of one block of an authors' file."""
    paths: dict[str, list[str]] = {}
    for part in path.read_text(encoding="utf-8").split("%")[1:]:
        name, *lines = part.split()
        if name == block:
            for line in lines:
                leaf, *labels = [field for field in line.split(sep) if field]
                paths[leaf] = labels
    return paths


def smallest_group(rows) -> int:
    return min(Counter(rows).values())


@pytest.mark.nightly
@pytest.mark.slow
def test_a_release_of_electricity_equals_a_generalization_in_python(data_dir, tmp_path):
    levels = {"day": 0, "period": 2, "nswprice": 4}
    taxonomies = data_dir / "authors-taxonomies" / "TaxElectricity"
    nswprice = {float(v.replace(",", ".")): p for v, p in block_paths(taxonomies, "nswprice", "#").items()}
    period = {float(v.replace(",", ".")): p for v, p in block_paths(taxonomies, "period", "#").items()}
    expected = Counter(
        (row["day"], period[float(row["period"])][1], nswprice[float(row["nswprice"])][3], row["class"])
        for row in records(data_dir / "electricity.csv")
    )
    target = tmp_path / "released.csv"
    with Project(source=str(data_dir / "electricity.csv"), class_="class") as project:
        project.import_taxonomies(taxonomies, format_="blocks")
        made = project.release(levels, target, requirement={"k": 1})
    released = records(target)
    assert list(released[0]) == ["day", "period", "nswprice", "class"]
    assert Counter(tuple(row.values()) for row in released) == expected
    assert made.k == smallest_group(tuple(list(row.values())[:3]) for row in released)
    assert audit(target, quasi_identifiers=list(levels)).k == made.k


@pytest.mark.nightly
@pytest.mark.slow
def test_k_of_random_rules_on_arx_adult_equals_a_count_in_python(data_dir):
    source = data_dir / "arx" / "adult.csv"
    rows = records(source, ";")
    names = [name for name in rows[0] if name != "salary-class"]
    paths = {}
    for name in names:
        with (data_dir / "arx" / f"adult_hierarchy_{name}.csv").open(encoding="utf-8", newline="") as file:
            paths[name] = {line[0]: line for line in csv.reader(file, delimiter=";")}
    with Project(source=str(source), class_="salary-class") as project:
        for name in names:
            project.import_taxonomies(data_dir / "arx" / f"adult_hierarchy_{name}.csv", column=name)
        roots = {name: project.taxonomies[name].root for name in names}
        assert roots == {name: len(next(iter(paths[name].values()))) - 1 for name in names}
        prepare(project.database, project.config, project.folder, project.source, project.roles, label_k=1)
        space = RuleSpace(tuple(names), tuple(roots[name] for name in names))
        measure = judge_over(project.database, space).whole
        generator = random.Random(5)  # noqa: S311 - any seed will do
        for number in range(50):
            chosen = generator.sample(names, generator.randint(1, 5))
            levels = {name: generator.randint(0, roots[name] - 1) for name in chosen}
            groups = Counter(tuple(paths[name][row[name]][level] for name, level in levels.items()) for row in rows)
            found = measure(space.vector(levels))
            assert (found.k, found.classes) == (min(groups.values()), len(groups)), levels
            if number < 5:
                released = project.release(levels, None, dry_run=True, requirement={"k": 1})
                assert (released.k, released.classes, released.rows) == (found.k, found.classes, 30_162), levels


def test_mammographic_masses_from_csv_to_audited_release_with_null_as_a_value(data_dir, tmp_path):
    source, target = data_dir / "mammographic_masses.csv", tmp_path / "released.csv"
    with Project(source=str(source), class_="severity", requirement={"k": 5}) as project:
        done = project.run(target)
        levels, k = dict(done.levels), done.release.k
        stored = project.discovered()
    released = records(target)
    assert len(released) == 961
    assert smallest_group(tuple(row[name] for name in levels) for row in released) == k >= 5
    raw = records(source)
    for name in levels:
        assert sum(row[name] == "" for row in released) == sum(row[name] == "" for row in raw)
    assert Counter(row["severity"] for row in released) == Counter(row["severity"] for row in raw)
    assert stored.summary["rows"] == 961
    assert done.rule is not None
    assert done.rule.measures.k == k


@pytest.mark.nightly
@pytest.mark.slow
def test_electricity_reaches_the_papers_largest_k_where_the_class_counts_as_an_attribute(data_dir):
    """Section 6.2 of Caruccio et al. 2022: 7846 at 5 % and 130 at 50 %, see docs/papers/rfd.md."""
    settings = {"sample": "all", "coverage": [0.05, 0.5], "search": "rfd", "models": []}
    settings |= {"time_limit": None}  # however busy the machine is
    with Project(source=str(data_dir / "electricity.csv"), class_="class", **settings) as project:
        project.import_taxonomies(data_dir / "authors-taxonomies" / "TaxElectricity", format_="blocks")
        rules = project.discover(min_k=2).rules
        ks = defaultdict(list)
        for rule in rules:
            k = rule.measures.k_with_class
            table = contingency(project.database, rule.levels, project.taxonomies)
            assert k == int(table.folds.sum(axis=1).min())
            for coverage in rule.coverages if k >= 2 else ():
                ks[coverage].append(k)
    assert {coverage: max(found) for coverage, found in ks.items()} == {0.05: 7_846, 0.5: 130}
    assert {coverage: len(found) for coverage, found in ks.items()} == {0.05: 36, 0.5: 11}
