"""The SQL that answers a question gives the stored answer, in a DuckDB shell on the decision database."""

import os

import duckdb
import pytest
import sqlglot

from anonduck.cli.app import run
from anonduck.errors import ConfigError, RuleError
from anonduck.frequency.patterns import join_pairs
from anonduck.frequency.preparation import prepare
from anonduck.project import Project
from anonduck.search.questions import OF_RULE
from anonduck.statements import Statement

CONFIG = """\
source: people.csv
where: age IS NULL OR age < 48
class: c
search: rfd
models: [tree]
coverage: [0.2, 0.5]
requirement: {requirement}
"""


def laid_out(folder, requirement):
    """120 people with NULL in two columns, and what was discovered on them."""
    lines = ["age,job,sex,c"]
    for number in range(120):
        age = 20 + number * 17 % 30
        job = ["baker", "cook", "o'hara", ""][number * 7 % 11 % 4]
        said = "y" if (age > 35) != (job == "cook") else "n"
        lines.append(f"{age if age % 7 else ''},{job},{'fm'[number % 2]},{said}")
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    (folder / "anonduck.yml").write_text(CONFIG.format(requirement=requirement))
    with Project(folder / "anonduck.yml") as project:
        project.discover()
    return folder


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return laid_out(tmp_path_factory.mktemp("plain"), "{k: 3}")


@pytest.fixture(scope="module")
def suppressing(tmp_path_factory):
    return laid_out(tmp_path_factory.mktemp("suppressing"), "{k: 4, suppression: 0.3}")


def answers(folder, script):
    """What the statements of a script give, as a DuckDB shell runs them on the decision database, read only."""
    connection = duckdb.connect(str(folder / "anonduck.duckdb"), read_only=True)
    results = []
    for tree in sqlglot.parse(script, read="duckdb"):
        connection.execute(tree.sql("duckdb"))
        names = [column[0] for column in connection.description]
        results.append([dict(zip(names, row, strict=True)) for row in connection.fetchall()])
    connection.execute(script).fetchall()  # the text itself, too
    connection.close()
    return results


def check_answers(folder, chosen, asked):
    """Each question that is asked has the stored answer of each of the chosen rules; returns these rules."""
    with Project(folder / "anonduck.yml") as project:
        rules = chosen(project.rules().to_dict("records"))
        scripts = [{of: project.sql(rule["id"], of=of) for of in asked} for rule in rules]
    for rule, written in zip(rules, scripts, strict=True):
        for of, script in written.items():
            check_answer(rule, of, script, answers(folder, script))
    return rules


def check_answer(rule, of, script, told):
    assert script.startswith(f"-- {of} of {rule['literal']}: ")
    if of in ("k", "classes"):
        assert (told[-1][0]["k"], told[-1][0]["classes"]) == (rule["k"], rule["classes"])
        assert script.startswith(f"-- {of} of {rule['literal']}: the column {of}.\n")
    elif of in ("entropy", "information-gain"):
        before, measured = told[-2][0], told[-1][0]
        left = before["entropy"] if "entropy" in before else before["prior_bits"]
        gain = left - before.get("kept_share", 1) * measured["conditional_entropy"]
        assert max(0.0, gain) == pytest.approx(rule["information_gain"], abs=1e-11)
        assert ("kept_share" in before) == ("kept_share * " in script) == (rule.get("suppressed", 0) > 0)
    else:
        classes = {}
        for cell in told[-1]:
            node = tuple(value for name, value in cell.items() if "@" in name)
            classes[node] = classes.get(node, 0) + sum(cell[f"fold_{number}"] for number in range(10))
        assert (min(classes.values()), len(classes)) == (rule["k"], rule["classes"])


ONE_OF_EACH = ("k", "information-gain", "contingency")
OTHERS = ("classes", "entropy", "contingency")


def test_the_answers_are_the_stored_ones(plain):
    assert {*ONE_OF_EACH, *OTHERS} == set(OF_RULE)
    check_answers(plain, lambda rules: rules[-1:], ONE_OF_EACH)


def test_the_answers_are_of_the_records_that_stay(prepared, tmp_path):
    folder = prepared("people suppressed", tmp_path)
    assert check_answers(folder, lambda rules: suppressed(rules)[:1], ONE_OF_EACH)


@pytest.mark.slow
def test_the_answers_are_the_stored_ones_of_all_rules(plain, suppressing):
    assert not suppressed(check_answers(plain, list, OTHERS))
    rules = check_answers(suppressing, list, OTHERS)
    assert 0 < len(suppressed(rules)) < len(rules)


def suppressed(rules):
    return [rule for rule in rules if rule.get("suppressed", 0) > 0]


def rows_of(folder, table):
    connection = duckdb.connect(str(folder / "anonduck.duckdb"), read_only=True)
    found = connection.execute(f'SELECT * FROM "{table}"')
    names = [column[0] for column in found.description]
    rows = {frozenset(zip(names, row, strict=True)) for row in found.fetchall()}
    connection.close()
    return rows


def test_the_frequency_set_is_the_stored_one(plain):
    with Project(plain / "anonduck.yml") as project:
        script = project.sql(of="frequency-set")
    (rows,) = answers(plain, script)
    assert {frozenset(row.items()) for row in rows} == rows_of(plain, "frequency_set")
    assert len(rows) > 5


def joined_anew(folder):
    """The histogram of the records that the last discovery joined, by the join that it ran."""
    with Project(folder / "anonduck.yml") as project:
        prepare(
            project.database,
            project.config,
            folder,
            project.source,
            project.roles,
            label_k=project.config.requirement.k,
        )
        roots = {name: project.taxonomies[name].root for name in project.roles.quasi_identifiers}
        sample = project.database.value(Statement("joined", "SELECT joined_records FROM pattern_join"))
        join_pairs(project.database, roots, project.config.model_copy(update={"sample": sample}))
        found = project.database.records(Statement("patterns", 'SELECT * EXCLUDE ("#missed") FROM distance_patterns'))
    return {frozenset(row.items()) for row in found}


@pytest.mark.slow
def test_patterns_are_those_that_were_joined(plain):
    with Project(plain / "anonduck.yml") as project:
        script = project.sql(of="patterns")
    (rows,) = answers(plain, script)
    assert {frozenset(row.items()) for row in rows} == joined_anew(plain)
    assert len(rows) > 5


@pytest.mark.slow
def test_patterns_of_a_sample_are_those_that_were_joined(plain, tmp_path):
    (tmp_path / "people.csv").write_bytes((plain / "people.csv").read_bytes())
    (tmp_path / "anonduck.yml").write_bytes((plain / "anonduck.yml").read_bytes())
    with Project(tmp_path / "anonduck.yml") as project:
        project.discover(sample=60)
        script = project.sql(of="patterns")
    (rows,) = answers(tmp_path, script)
    assert {frozenset(row.items()) for row in rows} == joined_anew(tmp_path)


@pytest.mark.slow
def test_a_literal_has_the_same_answer_as_its_rule(plain):
    with Project(plain / "anonduck.yml") as project:
        listed = project.rules()
        rule, levels = listed.to_dict("records")[0], listed.attrs["levels"]["R1"]
        by_id, by_literal = project.sql(rule["id"], of="k"), project.sql(rule["literal"], of="k")
        assert by_id == by_literal == project.sql(levels, of="k")
        assert project.sql(rule["id"], of="release") == project.sql(rule["id"])


def without_coverage(folder, other):
    """Copy the source and the config, with no search or coverage whose RFDs would be mined."""
    (other / "people.csv").write_bytes((folder / "people.csv").read_bytes())
    lines = (folder / "anonduck.yml").read_text().splitlines()
    kept = [line for line in lines if not line.startswith(("coverage", "search"))]
    (other / "anonduck.yml").write_text("\n".join(kept))


@pytest.mark.slow
def test_what_the_search_did_not_make_is_refused(plain, tmp_path):
    without_coverage(plain, tmp_path)
    with Project(tmp_path / "anonduck.yml") as project:
        project.discover(models=[], select="information_gain")
        with pytest.raises(ConfigError, match="no pairs of records were joined"):
            project.sql(of="patterns")


@pytest.mark.slow
def test_pairs_that_an_earlier_search_joined_are_refused(plain, tmp_path):
    without_coverage(plain, tmp_path)
    with Project(tmp_path / "anonduck.yml") as project:
        project.discover(sample=60, models=[], search="rfd")
        assert "joined_records" in project.sql(of="patterns")
        project.discover(models=[], select="information_gain")
        with pytest.raises(ConfigError, match=r"no pairs of records were joined; run .*--search rfd"):
            project.sql(of="patterns")


@pytest.mark.parametrize(
    ("of", "rule", "kind", "words"),
    [
        ("accuracy", "R1", ConfigError, "no SQL of 'accuracy'; there is that of frequency-set, patterns, k, classes"),
        ("k", None, ConfigError, "the SQL of k takes a rule; name one, such as R12"),
        ("release", None, ConfigError, "the SQL of a release takes a rule"),
        ("patterns", "R1", ConfigError, "the SQL of patterns takes no rule"),
        ("k", "R999", RuleError, "there is no rule R999"),
        ("k", "nope=1", RuleError, "nope"),
    ],
)
def test_what_cannot_be_asked_is_refused(plain, of, rule, kind, words):
    with Project(plain / "anonduck.yml") as project, pytest.raises(kind, match=words):
        project.sql(rule, of=of)


@pytest.mark.parametrize(
    "given", [{"dialect": "spark"}, {"table": "t"}, {"requirement": {"k": 3}}, {"unmapped": "root"}], ids=str
)
def test_what_a_release_alone_takes_is_refused(plain, given):
    ((name, value),) = given.items()
    with Project(plain / "anonduck.yml") as project, pytest.raises(ConfigError) as error:
        project.sql("age=1", of="k", **given)
    assert str(error.value) == f"only the SQL of a release takes `{name}={value!r}`, not that of k; leave it out"


@pytest.mark.slow
def test_a_script_says_that_it_holds_values_where_it_does(plain, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(plain)
    target = str(tmp_path / "made.sql")
    assert run(["sql", "--of", "k", "age=1", "-o", target]) == 0
    assert f"wrote {target}\n" in capsys.readouterr().err
    assert run(["sql", "age=1", "-o", target, "--overwrite"]) == 0
    assert f"wrote {target}; it contains values of the source" in capsys.readouterr().err


@pytest.mark.slow
def test_the_command_prints_it(plain, monkeypatch, capsys):
    monkeypatch.chdir(plain)
    assert run(["sql", "--of", "k", "age=1"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("-- k of age=1: the column k.\n")
    assert answers(plain, printed)[0][0]["k"] >= 1
    assert run(["sql", "--of", "frequency-set"]) == 0
    assert f"'{os.fspath(plain)}/people.csv'" in capsys.readouterr().out
    assert run(["sql"]) == 2
    assert "takes a rule" in capsys.readouterr().err
