"""The frequency set of 20 million records against a bare DuckDB GROUP BY of the same columns, then the k of rules."""

from __future__ import annotations

import argparse
import random
import statistics

import measuring
import synthetic

COLUMNS = (*synthetic.QUASI_IDENTIFIERS, synthetic.CLASS)


def main() -> None:
    """Measure in a process of its own, so that its peak memory is the frequency set's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=synthetic.ROWS)
    parser.add_argument("--times", type=int, default=5, help="counted runs of each")
    parser.add_argument("--inner", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inner:
        measure(options.rows, options.times)
        return
    synthetic.export(options.rows)
    finished = measuring.inner(__file__, "--rows", str(options.rows), "--times", str(options.times))
    print(finished.output, end="")
    measuring.report_memory("frequency set and bare GROUP BY in one process", finished)


def measure(rows: int, times: int) -> None:
    """The ratio of both in this process, and the k of 100 random rules."""
    import duckdb

    from anonduck import Project
    from anonduck.frequency.preparation import prepare
    from anonduck.measures.judge import RuleJudge
    from anonduck.measures.measures import measure_totals
    from anonduck.measures.requirement import Requirement
    from anonduck.privacy.requirement import ask
    from anonduck.rules.rule import RuleSpace

    bare = duckdb.connect()
    names = ", ".join(f'"{name}"' for name in COLUMNS)
    query = f"CREATE OR REPLACE TABLE bare AS SELECT {names}, count(*) FROM '{synthetic.export(rows)}' GROUP BY ALL"
    with Project(synthetic.config("frequency-set", rows)) as project:
        project.roles  # noqa: B018 - opens the source
        ours, plain, ratio = measuring.alternated(
            lambda: project.source.engine.frequency_set(COLUMNS), lambda: bare.execute(query).fetchall(), times
        )
        (combinations,) = bare.execute("SELECT count(*) FROM bare").fetchone() or (0,)
        print(f"{rows:,} records, {combinations:,} combinations: {ours:.2f} s, bare GROUP BY {plain:.2f} s")
        measuring.report("frequency set / bare GROUP BY", ratio, "x", 1.2)
        roles = project.roles
        taxonomies = prepare(project.database, project.config, project.folder, project.source, roles, label_k=5)
        space = RuleSpace(roles.quasi_identifiers, tuple(taxonomies[name].root for name in roles.quasi_identifiers))
        judge = RuleJudge(project.database, space, Requirement(ask({"k": 1})), measure_totals(project.database))
        measure_rule = judge.whole
        draw = random.Random(0)  # noqa: S311 - which rules are timed is no secret
        vectors = [tuple(draw.randint(0, root) for root in space.roots) for _ in range(100)]
        each = [measuring.seconds(lambda vector=vector: measure_rule(vector)) for vector in vectors]
    print(f"k, classes, information gain of a random rule: median {statistics.median(each) * 1000:.1f} ms of 100")


if __name__ == "__main__":
    main()
