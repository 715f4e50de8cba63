"""How many rules a second `discover` measures on Adult at a coverage of 5 %, once the patterns are given."""

from __future__ import annotations

import argparse
from typing import Any

import adult
import measuring

COVERAGE = 0.05


def main() -> None:
    """Join the pairs once; then time what follows, without models and with the tree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", default="all", help="records whose pairs are joined; default: all")
    parser.add_argument("--times", type=int, default=3, help="counted runs; the median is reported")
    options = parser.parse_args()
    sample: int | str = options.sample if options.sample == "all" else int(options.sample)
    with adult.project(sample=sample) as project:
        join = patterns(project)
        for _ in range(options.times):
            rates(project, join)


def patterns(project: Any) -> Any:
    """The pair join of the project, whose patterns are there as long as it is open."""
    from anonduck.frequency.patterns import join_pairs

    roots = {name: project.taxonomies[name].root for name in project.roles.quasi_identifiers}
    return join_pairs(project.database, roots, project.config)


def rates(project: Any, join: Any) -> None:
    """Rules a second for k and information gain, and for these and the accuracy of the tree."""
    from anonduck.database.progress import Reporter
    from anonduck.measures.judge import RuleJudge
    from anonduck.measures.measures import measure_totals
    from anonduck.measures.requirement import Requirement
    from anonduck.privacy.requirement import ask
    from anonduck.rules.rule import RuleSpace
    from anonduck.search.discovery import numbered_rules
    from anonduck.search.explanation import SearchedVectors
    from anonduck.search.mining import mine_coverages
    from anonduck.search.rfd.joining import JoinResult
    from anonduck.search.searched_records import StoredRecords
    from anonduck.search.strategies import FoundRules, rfd_origins
    from anonduck.search.training import stored_survivors, train_rules

    config, taxonomies = project.config.model_copy(update={"named_coverage": [COVERAGE]}), project.taxonomies
    names = project.roles.quasi_identifiers
    space = RuleSpace(names, tuple(taxonomies[name].root for name in names))
    rules: list[Any] = []

    def judge_of_two() -> RuleJudge:
        return RuleJudge(project.database, space, Requirement(ask({"k": 2})), measure_totals(project.database))

    def measured() -> None:
        judge = judge_of_two()
        measure = judge.whole
        mined = mine_coverages(
            project.database, config, space, join, measure, min_k=2, reporter=Reporter(), forget=False
        )
        origins, parents = rfd_origins(mined, JoinResult(), judge)
        rules[:] = numbered_rules(FoundRules(origins, SearchedVectors(), parents), judge)
        rules.append(len(measure.known))

    without = measuring.seconds(measured)
    count = rules.pop()
    all_trained = config.model_copy(update={"models": ["tree"], "train": "all"})

    def train() -> None:
        judge = judge_of_two()
        records = StoredRecords(project.database, {name: taxonomies[name] for name in names}, judge.records)
        train_rules(rules, judge, records, all_trained, Reporter(), survivors=stored_survivors(judge))

    trained = measuring.seconds(train)
    print(f"{len(rules)} rules of {count} measured: {without:.2f} s; trees {trained:.2f} s")
    measuring.report("rules/s with k and information gain", len(rules) / without, "", 30, most=False)
    measuring.report("rules/s with tree accuracy too", len(rules) / (without + trained), "", 10, most=False)


if __name__ == "__main__":
    main()
