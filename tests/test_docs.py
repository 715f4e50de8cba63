"""The documentation holds: blocks run, outputs are what comes out, links lead somewhere, no command or key lacks."""

import re
from pathlib import Path

import click
import documentation
import pytest
import yaml

from anonduck.cli.app import cli
from anonduck.config.config import Config, CsvOptions, Publication
from anonduck.config.engine import EngineOptions
from anonduck.config.requirement import AllBut, DeltaDisclosure, Lkc, RecursiveL, RequirementOptions
from anonduck.config.taxonomy import TaxonomyOptions

PAGES = documentation.pages()
ROOT = documentation.ROOT


def commands(group: click.Group, prefix: str = "anonduck") -> list[str]:
    context = click.Context(group)
    found = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        found.append(f"{prefix} {name}")
        if isinstance(command, click.Group):
            found += commands(command, f"{prefix} {name}")
    return found


@pytest.fixture(scope="session")
def openings(tmp_path_factory):
    return documentation.Openings(tmp_path_factory.mktemp("openings"))


@pytest.mark.slow
@pytest.mark.newest
@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_blocks_run_and_print_what_the_page_shows(page, forked, openings):
    with documentation.workplace() as folder:
        outputs = documentation.run_page(page, folder, forked, openings)
    for line, command, shown, printed in outputs:
        assert documentation.same(shown, printed), (
            f"{page.name}:{line}: `{command}` printed\n{printed}\nwhere the page shows\n{shown}\n"
            "`make docs` rewrites the page"
        )


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_a_block_that_does_not_run_says_why(page):
    text = page.read_text(encoding="utf-8")
    fences = re.findall(r"^```.*$", text, flags=re.MULTILINE)
    assert len(fences) == 2 * len(documentation.blocks(text)), "each fence names its language and is closed"
    for opening in fences[::2]:
        assert re.fullmatch(r"```\w+( not run: \w.*| of: \w.*)?", opening), opening


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if target.startswith(("https://", "mailto:")):
            continue
        name, _, anchor = target.partition("#")
        there = page.parent / name if name else page
        assert there.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in anchors(there), f"{page.name} links to {target}"


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("command", commands(cli))
def test_every_command_is_in_the_reference(command):
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert f"<!-- generated: options {command.removeprefix('anonduck ')} -->" in text, (
        f"docs/commands.md lacks {command}"
    )


@pytest.mark.parametrize(
    "model",
    [
        Config,
        TaxonomyOptions,
        RequirementOptions,
        RecursiveL,
        DeltaDisclosure,
        Lkc,
        AllBut,
        CsvOptions,
        EngineOptions,
        Publication,
    ],
)
def test_every_key_of_the_config_is_in_the_reference(model):
    text = (ROOT / "docs" / "config.md").read_text(encoding="utf-8")
    for name, field in model.model_fields.items():
        assert f"| `{field.alias or name}` |" in text, "`make docs` rewrites the tables"


@pytest.mark.newest
@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_generated_tables_are_current(page):
    text = page.read_text(encoding="utf-8")
    assert documentation.with_tables(text) == text, "`make docs` rewrites the tables"


def test_docs_are_linked_from_the_readme():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        assert f"]({page.relative_to(ROOT)})" in text


def test_ci_runs_the_entry_that_contributing_names():
    entry = "make check"
    assert f"\n$ {entry}\n" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert re.search(rf"^{entry}\b", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), flags=re.MULTILINE)


@pytest.mark.parametrize(
    ("shown", "printed", "expected"),
    [
        ("k = 5\n", "k = 12,345\n", True),
        ("k = 5\n", "k = 5\nmore\n", False),
        ("k = 5\n...\n", "k = 5\nmore\n", True),
        ("...\nlast 1\n", "first\nlast 2\n", True),
        ("...\nlast 1\n", "last 2\nfirst\n", False),
        ("a\n...\nc\n...\ne\n", "a\nb\nc\nd\ne\n", True),
        ("a\n...\nx\n...\ne\n", "a\nb\nc\nd\ne\n", False),
        ("a\nb\n...\nb\n", "a\nb\n", False),
    ],
)
def test_outputs_are_compared_but_for_numbers(shown, printed, expected):
    assert documentation.same(shown, printed) is expected


def test_a_paragraph_of_an_output_is_checked_and_rewritten_by_its_first_line():
    page = "```text of: job\n...\nkept 4:\na 1\n...\n```\n\n```console\n$ job\n...\n```\n"
    printed = "begins\n\nkept 5:\nb 2\nc 3\n\nends\n"
    (part, _) = documentation.blocks(page)
    assert not documentation.same(part.text, printed)
    outputs = [(7, "job", "...\n", printed), (1, "job", part.text, printed)]
    written = documentation.rewritten(page, outputs)
    assert written == page.replace("kept 4:\na 1\n", "kept 5:\nb 2\nc 3\n")
    assert documentation.same(documentation.blocks(written)[0].text, printed)


@pytest.mark.parametrize(
    "line",
    [
        "still working, done with cutting classes, after 1 min",
        "measuring the offer: 37 %, less than a minute left, after 4 min",
        "searching all rules: 36 %, about 1 min left, after 12 min",
    ],
)
def test_a_line_that_a_slow_machine_prints_each_minute_is_no_output(line):
    assert documentation.MINUTE_LINE.sub("", f"first\n{line}\nlast\n") == "first\nlast\n"


def test_the_example_config_of_the_reference_is_read_as_yaml():
    found = [
        block
        for block in documentation.blocks((ROOT / "docs" / "config.md").read_text(encoding="utf-8"))
        if block.language == "yaml"
    ]
    assert found
    assert all(isinstance(yaml.safe_load(block.text), dict) for block in found)
