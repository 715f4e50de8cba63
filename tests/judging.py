"""Small random tables with sensitive columns, what can be required of them, and who judges them."""

from dataclasses import dataclass

import pandas as pd
from hypothesis import strategies as st
from oracles import CLASS, coded, judge_over, tables
from query_judge import judged_by_queries

from anonduck.database.connection import Database
from anonduck.frequency.frequency_set import make_coded_sensitive
from anonduck.measures.measures import CODED
from anonduck.measures.requirement import Requirement
from anonduck.privacy.audited_tables import kept_rows, sensitive_names
from anonduck.privacy.chosen_values import ValueChoice
from anonduck.privacy.lookup import paths as listed_paths
from anonduck.privacy.models import MODELS
from anonduck.privacy.requirement import ask
from anonduck.rules.rule import RuleSpace
from anonduck.source.source import Roles
from anonduck.statements import Statement
from anonduck.statements.pipeline.column_names import CLASS as CLASS_CODE
from anonduck.statements.pipeline.column_names import CODED_SENSITIVE, code_column

ILL, WAGE = 'the "illness', "wage, net"
ILLNESSES = ["1", "2", "3", "10", None]
WAGES = {
    "numbers": ["2.5", "-1", "30", None],
    "dates": ["2024-02-01", "2023-11-05", None],
    "names": ["low", "x", "", None],
}
TREE = pd.DataFrame(
    [["1", "few", "*"], ["2", "few", "*"], ["3", "some", "*"], ["10", "many", "*"], ["11", "many", "*"]]
)
STRANGE = 99

CLASS_WISE = [
    *({"l": least} for least in (1, 2, 3)),
    *({"entropy_l": least} for least in (1.5, 1.9)),
    *({"recursive_l": {"l": least, "c": c}} for least, c in ((2, 2), (2, 1.5), (3, 2), (4, 3))),
    *({"frequency_l": least} for least in (1.5, 2.0)),
    *({"alpha": share} for share in (0.5, 0.7)),
    *({"t": distance} for distance in (0.2, 0.4)),
    *({"t_ordered": distance} for distance in (0.15, 0.3)),
    *({"t_hierarchical": distance} for distance in (0.15, 0.35)),
    *({name: gain} for name in ("beta", "enhanced_beta") for gain in (0.5, 1.5)),
    *({"delta_disclosure": bound} for bound in (0.8, {"delta": 1.5, "log": 2})),
    {"prosecutor_risk": 0.4},
]
OF_ALL = [
    *(
        {name: share}
        for name in ("marketer_risk", "sample_uniqueness", "homogeneous_classes", "ha")
        for share in (0.3,)
    ),
    {"pd": 0.7},
    {"lkc": {"l": 1, "k": 2, "c": 0.8}},
    {"lkc": {"l": 2, "k": 2, "c": 0.6}},
]
choices = st.builds(
    ValueChoice, st.lists(st.sampled_from(ILLNESSES), min_size=1, unique=True).map(tuple), st.booleans()
)


@st.composite
def judged_tables(draw):
    """A table with NULLs, duplicates, maybe values that no taxonomy knows, and two sensitive columns beside it."""
    names, paths, rows = draw(tables(max_rows=20, max_attributes=3, max_values=3))
    rows += [(STRANGE, *row[1:]) for row in rows[: draw(st.integers(0, 2))]]
    wages = WAGES[draw(st.sampled_from(sorted(WAGES)))]
    secrets = {
        name: draw(st.lists(st.sampled_from(values), min_size=len(rows), max_size=len(rows)))
        for name, values in ((ILL, ILLNESSES[: draw(st.integers(2, 5))]), (WAGE, wages))
    }
    return names, paths, rows, secrets


@st.composite
def requirements(draw):
    """One to three requirements beside k, of one or two sensitive columns, with what else a config can say of them."""
    asked = {"k": draw(st.integers(1, 3))}
    for one in draw(st.lists(st.sampled_from([*CLASS_WISE, *OF_ALL]), min_size=1, max_size=3)):
        asked |= one
    reads = any("sensitive" in MODELS[name].needs for name in asked)
    sensitive = draw(st.sampled_from([(ILL,), (ILL, WAGE)])) if reads else ()
    chosen = {ILL: draw(choices)} if draw(st.booleans()) else {}
    paths = {ILL: listed_paths(ILL, TREE)} if reads else {}
    suppression = draw(st.sampled_from([0.0, 0.2, 0.5, 0.9]))
    return Requirement(ask(asked), suppression, sensitive, paths=paths, chosen=chosen)


def judges(database, table, requirement):
    """What judges by the queries of sql/privacy, the judge of level vectors, and the taxonomies."""
    names, paths, rows, secrets = table
    taxonomies = coded(database, names, paths, rows)
    columns = {f"{name}@value": pd.array([row[i] for row in rows], dtype="Int64") for i, name in enumerate(names)}
    frame = pd.DataFrame({**columns, f"{CLASS}@value": pd.array([row[-1] for row in rows], dtype="string")})
    for name in requirement.sensitive:
        frame[f"{name}@value"] = pd.array(secrets[name], dtype="string")
    frame["#records"] = 1
    database.register("given_rows", frame)
    database.run(Statement("sensitive", "CREATE OR REPLACE TABLE sensitive_set AS FROM given_rows"))
    database.unregister("given_rows")
    called = {name: f"s_{number}" for number, name in enumerate(requirement.sensitive, start=1)}
    make_coded_sensitive(database, Roles(CLASS, tuple(names)), taxonomies, called)
    space = RuleSpace(tuple(names), tuple(taxonomies[name].root for name in names))
    judge = judge_over(database, space, requirement)
    return JudgeInSql(database, space, requirement), judge, {name: taxonomies[name] for name in names}


@dataclass
class JudgeInSql:
    """Judges level vectors as a release is: classes are grouped, left out and measured by queries."""

    database: Database
    space: RuleSpace
    requirement: Requirement

    def verdict(self, vector):
        """What a rule comes to; the numbered set of the classes that stay is there until the next."""
        sensitive = sensitive_names(len(self.requirement.sensitive))
        table = CODED_SENSITIVE if self.requirement.sensitive else CODED
        return judged_by_queries(self.database, table, self.attributes(vector), sensitive, self.requirement)

    def attributes(self, vector):
        """The columns whose values the records of an equivalence class share."""
        return [code_column(name, level) for name, level in self.space.named(vector).items()]

    def staying(self, vector):
        """The rows of the frequency set that stay under the rule that was judged last, as leaf codes and class."""
        self.database.run(kept_rows(CODED, self.attributes(vector), "kept_by_query"))
        return rows_of(self.database, "kept_by_query", self.space)


def rows_of(database, table, space):
    """The leaf codes and class codes of a coded frequency set."""
    leaves = [*(code_column(name, 0) for name in space.attributes), CLASS_CODE]
    listed = ", ".join('"' + name.replace('"', '""') + '"' for name in leaves)
    return set(database.rows(Statement("staying", f"SELECT DISTINCT {listed} FROM {table}")))
