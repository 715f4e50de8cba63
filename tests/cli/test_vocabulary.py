"""The library speaks Python, the command line speaks in options."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from anonduck import audit
from anonduck.cli.app import cli, run
from anonduck.cli.vocabulary import COMMANDS, OPTIONS, PHRASES, document_in_options, in_options
from anonduck.errors import AnonduckError
from anonduck.project import Project

ROOT = Path(__file__).parents[2] / "anonduck"
FOR_A_SHELL = {
    "demo/demo.py": "the demo ends with commands to type",
    "init/config_file.py": "a config is a file that a person reads beside the commands",
    "report/certificate.py": "a document that names commands to those who hold it",
    "report/inferred.py": "sentences of the certificate",
    "report/vouched.py": "sentences of the certificate",
    "report/contents.py": "the report shows the command that releases a rule",
    "config/lock.py": "a file that a person reads beside the commands",
    "config/taxonomy.py": "a description in the JSON schema of the config",
}
OPTION = re.compile(
    r"(?<![\w-])--[a-z]|\banonduck (" + "|".join({*COMMANDS.values(), "init", "purge", "attack"}) + r")\b"
)


def texts(path: Path) -> Iterator[str]:
    """The texts of a module that are no documentation."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(v.value) if isinstance(v, ast.Constant) else "'x'" for v in node.values)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.value


def library() -> list[Path]:
    return [path for path in sorted(ROOT.rglob("*.py")) if "cli" not in path.relative_to(ROOT).parts]


@pytest.mark.slow
def test_no_message_of_the_library_names_an_option_or_a_command() -> None:
    named = [
        (path.name, text)
        for path in library()
        if path.relative_to(ROOT).as_posix() not in FOR_A_SHELL
        for text in texts(path)
        if OPTION.search(text)
    ]
    assert named == []


@pytest.mark.slow
def test_each_call_and_argument_that_a_message_names_has_words_of_the_command_line() -> None:
    quoted = [
        (path.name, found) for path in library() for text in texts(path) for found in re.findall(r"`([^`\n]+)`", text)
    ]
    of_python = [
        (name, found)
        for name, found in quoted
        if re.match(r"\w+=|(project\.)?\w+\(", found) and not OPTION.search(found) and name != "rule.py"
    ]
    assert len(of_python) > 40
    left = {(name, found) for name, found in of_python if in_options(f"`{found}`") == f"`{found}`"}
    assert left == set()


def commands() -> Iterator[tuple[str, click.Command]]:
    groups: list[tuple[str, click.Group]] = [("", cli)]
    while groups:
        path, group = groups.pop()
        for name in group.list_commands(click.Context(group)):
            command = group.get_command(click.Context(group), name)
            assert command is not None
            yield f"{path}{name}", command
            if isinstance(command, click.Group):
                groups.append((f"{path}{name} ", command))


def test_the_vocabulary_names_commands_and_options_that_exist() -> None:
    known = dict(commands())
    options = {option for command in known.values() for one in command.params for option in one.opts}
    assert set(OPTIONS.values()) <= options
    assert set(COMMANDS.values()) <= set(known)
    for phrase in PHRASES.values():
        words = phrase.split()
        assert words[0] == "anonduck"
        assert words[1] in known
        assert {word for word in words if word.startswith("--")} <= options


def test_calls_become_commands_and_arguments_options() -> None:
    pairs = {
        "`project.discover()`": "`anonduck discover`",
        "`project.build_taxonomies(['home town'], replace=True)`": "`anonduck taxonomy build 'home town' --replace`",
        "`audit(FILE, population=FILE, requirements={'k_map': ...})`": (
            "`anonduck audit FILE --population FILE --require k_map=...`"
        ),
        "`sample=N` sets it, `sample='all'` takes all": "`--sample N` sets it, `--sample all` takes all",
        "`sensitive_values={COLUMN: [VALUE]}`": "`--sensitive-value COLUMN=VALUE`",
        "`initialize(PATH, SOURCE, COLUMN)`": "`anonduck init SOURCE --class COLUMN`",
    }
    assert {told: in_options(told) for told in pairs} == pairs


@pytest.mark.parametrize(
    "told", ["where: `age=3`", "`k: 5`", "`measures`", "`f(`", "`sample=…`", "sample=3", "", "`\x00`"]
)
def test_what_is_not_of_the_vocabulary_stays(told: str) -> None:
    assert in_options(told) == told


def test_documents_are_told_in_options_too() -> None:
    told = {"explanation": "`coverage=C`", "rows": 3, "rules": [{"unmet": ("`min_k=K`",)}], "nothing": None}
    found = document_in_options(told)
    assert found == {"explanation": "`--coverage C`", "rows": 3, "rules": [{"unmet": ["`--min-k K`"]}], "nothing": None}


def test_python_and_the_command_line_tell_the_same_error_each_in_its_own_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "s.csv"
    file.write_text("age,ill\n30,yes\n,no\n")
    with pytest.raises(AnonduckError, match="`against=FILE`") as raised:
        audit(str(file), ["age"], uncompared=["ill"])
    assert not OPTION.search(str(raised.value))
    assert run(["audit", str(file), "-q", "age", "--uncompared", "ill"]) == 2
    assert "`--against FILE`" in capsys.readouterr().err
    with pytest.raises(AnonduckError, match="`project.discover()`".replace("(", r"\(").replace(")", r"\)")):
        Project(source=str(file), class_="ill").discovered()
    config = tmp_path / "anonduck.yml"
    config.write_text("source: s.csv\nclass: ill\n")
    assert run(["rules", "-p", str(config), "--json"]) == 2
    told = capsys.readouterr()
    assert "`anonduck discover`" in told.err
    assert "`anonduck discover`" in told.out
