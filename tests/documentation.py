"""The documentation as a program: its blocks run in order in a folder of their own, its outputs are what came out.

A fence's first word is its language; ``not run: reason`` after it keeps it from running. What runs:

console  lines after ``$ `` run in bash; the lines below are what they print, where ``...`` stands for left-out lines
python   runs in one namespace per page
sql      runs in the decision database of the page's folder
yaml     must be a config
json     must be JSON
text     is not looked at; after ``of: COMMAND``, it is a paragraph of what that command, elsewhere on the page, prints

``python tests/documentation.py --write`` rewrites outputs and generated tables by what comes out now.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
from forked import forked_commands
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

ROOT = Path(__file__).parents[1]
SCRIPTS = str(Path(sys.executable).parent)
ELLIPSIS = "..."
PART = "of: "
MINUTE_LINE = re.compile(r"^\S[^\n]*, (?:after )?\d+ min\n", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: where it starts, its language, why it does not run ('' if it does), its text.

    One that shows a part of what a command prints does not run either; its reason says ``of: COMMAND``.
    """

    line: int
    language: str
    reason: str
    text: str


def pages() -> list[Path]:
    """Every page that users read."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found = []
    for match in re.finditer(r"^```(\w+)([^\n]*)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL):
        line = text.count("\n", 0, match.start()) + 1
        found.append(Block(line, match[1], match[2].strip().removeprefix("not run:").strip(), match[3]))
    return found


def steps(block: Block) -> list[tuple[str, str]]:
    """The commands of a console block, each with the output that the page shows."""
    found: list[tuple[str, str]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
        elif found and found[-1][0].endswith("\\") and not found[-1][1]:
            found[-1] = (found[-1][0] + "\n" + line, "")
        else:
            found[-1] = (found[-1][0], found[-1][1] + line + "\n")
    return found


def shell(command: str, folder: Path, commands: str = SCRIPTS) -> str:
    """What a command prints, paths relative, with the folder of commands first; raises AssertionError if it fails.

    What long work writes once a minute is left out, so that a slow machine shows the same.
    """
    environment = {**os.environ, "PATH": os.pathsep.join([commands, SCRIPTS, os.environ["PATH"]])}
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "PYTHONWARNINGS"):
        environment.pop(name, None)
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{done.stdout}"
    printed = MINUTE_LINE.sub("", done.stdout)
    return printed.replace(f"{folder.resolve()}{os.sep}", "")


def same(shown: str, printed: str) -> bool:
    """Whether a page's output is what was printed, but for digits, blanks and what an ellipsis stands for."""
    parts = [[]]
    for line in _plain(shown):
        if line == ELLIPSIS:
            parts.append([])
        else:
            parts[-1].append(line)
    rest = _plain(printed)
    if len(parts) == 1:
        return parts[0] == rest
    first, *middle, last = parts
    if rest[: len(first)] != first or (last and rest[-len(last) :] != last):
        return False
    if len(first) + len(last) > len(rest):
        return False
    rest = rest[len(first) : len(rest) - len(last)]
    for part in middle:
        at = next((i for i in range(len(rest) - len(part) + 1) if rest[i : i + len(part)] == part), None)
        if at is None:
            return False
        rest = rest[at + len(part) :]
    return True


def _plain(text: str) -> list[str]:
    """Lines with each number as one mark and each run of blanks as one blank; empty lines left out."""
    lines = (" ".join(re.sub(r"\d[\d,]*(\.\d+)?(e-?\d+)?", "0", line).split()) for line in text.splitlines())
    return [line for line in lines if line]


class Openings:
    """What pages open with, kept: the folder and the output after the same first commands, which many pages share."""

    KEPT = ("anonduck demo", "anonduck init ", "anonduck discover", "anonduck taxonomy build")

    def __init__(self, home: Path) -> None:
        self.home = home
        self.known: dict[tuple[str, ...], tuple[Path, str]] = {}

    def printed(self, done: tuple[str, ...], folder: Path, commands: str) -> str:
        """What the last of these commands prints, all of which a page began with: run, or as it was left."""
        if not all(command.startswith(self.KEPT) for command in done):
            return shell(done[-1], folder, commands)
        if done in self.known:
            kept, text = self.known[done]
            shutil.copytree(kept, folder, dirs_exist_ok=True)
            return text
        text, kept = shell(done[-1], folder, commands), self.home / str(len(self.known))
        shutil.copytree(folder, kept)
        self.known[done] = kept, text
        return text


def run_page(path: Path, folder: Path, commands: str, openings: Openings) -> list[tuple[int, str, str, str]]:
    """Run the blocks of a page in order; returns (line, command, output shown, output printed) of its commands."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    outputs = []
    done: tuple[str, ...] = ()
    found = blocks(path.read_text(encoding="utf-8"))
    for block in found:
        if block.reason:
            continue
        if block.language in ("python", "sql"):
            done = (*done, block.language)
        if block.language == "console":
            for command, shown in steps(block):
                done = (*done, command)
                outputs.append((block.line, command, shown, openings.printed(done, folder, commands)))
        elif block.language == "python":
            with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block.text, f"{path.name}:{block.line}", "exec"), namespace)  # noqa: S102 - the docs' own code
        elif block.language == "sql":
            _query(block.text, folder)
        elif block.language == "yaml":
            _config(block.text, folder)
        elif block.language == "json":
            json.loads(block.text)
        else:
            assert block.language == "text", f"{path.name}:{block.line}: no way to check {block.language}"
    printed = {command: output for _, command, _, output in outputs}
    parts = [(block, block.reason.removeprefix(PART)) for block in found if block.reason.startswith(PART)]
    return [*outputs, *((block.line, command, block.text, printed[command]) for block, command in parts)]


def _query(text: str, folder: Path) -> None:
    import duckdb

    with duckdb.connect(str(folder / "anonduck.duckdb"), read_only=True) as connection:
        connection.execute(text).fetchall()


def _config(text: str, folder: Path) -> None:
    from anonduck.config.reading import read_config

    path = folder / ".checked.yml"
    path.write_text(text, encoding="utf-8")
    read_config(path)


@contextlib.contextmanager
def workplace() -> Iterator[Path]:
    """A folder with the export that the pages work on: 3,000 made-up persons, and a second month of them.

    Its name has the same length everywhere, for a printed statement is wrapped by the length of the paths in it."""
    from anonduck.demo.export import write_demo_export

    folder = Path(tempfile.mkdtemp(prefix="", dir="/tmp"))
    try:
        write_demo_export(folder / "persons.parquet", rows=3_000)
        write_demo_export(folder / "december.parquet", rows=3_000, seed=12)
        yield folder
    finally:
        shutil.rmtree(folder)


# -- tables that are written from the code ----------------------------------------------------------------------------


def key_table(model: type[BaseModel]) -> str:
    """The keys of a part of the config as a table."""
    lines = ["| key | allowed | default | meaning |", "| --- | --- | --- | --- |"]
    schema = model.model_json_schema(by_alias=True)
    for name, field in model.model_fields.items():
        key = field.alias or name
        words = (field.description or "").replace("|", "\\|")
        lines.append(f"| `{key}` | {_allowed(schema['properties'][key])} | {_default(field)} | {words} |")
    return "\n".join(lines)


def _default(field: object) -> str:
    value = field.get_default(call_default_factory=True)  # type: ignore[attr-defined]
    if value is PydanticUndefined:
        return "must be given"
    if isinstance(value, BaseModel):
        value = value.model_dump(exclude_none=True)
    return "" if value is None or value in ([], {}) else f"`{json.dumps(value)}`"


def _allowed(part: dict[str, object]) -> str:
    """What a part of a JSON schema allows, in words."""
    if "anyOf" in part:
        options = [_allowed(option) for option in part["anyOf"] if option.get("type") != "null"]
        return " or ".join(dict.fromkeys(options))
    choices = [part["const"]] if "const" in part else part.get("enum")
    if choices:
        return ", ".join(dict.fromkeys(f"`{json.dumps(value)}`".replace('"', "") for value in choices))
    if "$ref" in part or "allOf" in part:
        return "mapping, see below"
    if part.get("type") == "array":
        return f"list of {_allowed(part.get('items', {}))}"
    held = part.get("additionalProperties")
    if part.get("type") == "object":
        return f"mapping to {_allowed(held)}" if isinstance(held, dict) else "mapping"
    return _scalar(part)


def _scalar(part: dict[str, object]) -> str:
    words = {"string": "text", "integer": "whole number", "number": "number", "boolean": "`true`, `false`"}
    signs = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
    bounds = ", ".join(f"{sign} {part[key]}" for key, sign in signs.items() if key in part)
    return f"{words.get(str(part.get('type')), 'any')} {bounds}".strip()


COMMON = ("--json", "--json-line", "--verbose", "--show-sql", "--show-values", "--help")
OF_CONFIG = "Config file, or its folder.  [default: anonduck.yml]"


def command_group() -> click.Group:
    """The group of all commands."""
    from anonduck.cli.app import cli

    return cli


def command_reference(path: str) -> str:
    """How a command is used: its usage, its help after the summary, and a table of the options that are its own."""
    command: click.Command = command_group()
    context = click.Context(command, info_name="anonduck")
    for word in path.split():
        assert isinstance(command, click.Group), f"{path!r} is no command"
        found = command.get_command(context, word)
        assert found is not None, f"{path!r} is no command"
        command, context = found, click.Context(found, info_name=word, parent=context)
    usage = " ".join(command.get_usage(context).removeprefix("Usage: ").split())
    summary, *paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    if " " in path:  # the page lists the summaries of the others
        paragraphs = [summary, *paragraphs]
    parts = [f"`{usage}`", *(" ".join(paragraph.split()) for paragraph in paragraphs)]
    rows = [_option_row(*record) for record in _option_records(command, context)]
    if rows:
        parts.append("\n".join(["| option | meaning |", "| --- | --- |", *rows]))
    return "\n\n".join(parts)


def _option_records(command: click.Command, context: click.Context) -> list[tuple[str, str]]:
    """Names and meanings of the options but for those that all commands share."""
    options = [option for option in command.get_params(context) if isinstance(option, click.Option)]
    records = [(option, option.get_help_record(context)) for option in options if not set(COMMON) & set(option.opts)]
    return [record for option, record in records if record and not ("-p" in option.opts and record[1] == OF_CONFIG)]


def _option_row(names: str, meaning: str) -> str:
    choices = re.sub(r"\[([^\]=]*)\]", r"\1", names).replace("|", "/")
    words = " ".join(meaning.split()).replace("|", "\\|")
    return f"| `{choices}` | {words} |"


def generated(name: str) -> str:
    """The text that belongs between ``<!-- generated: NAME -->`` and ``<!-- end -->``."""
    from anonduck.config import config, requirement

    kind, _, what = name.partition(" ")
    if kind == "options":
        return command_reference(what)
    assert kind == "keys", f"nothing generates {name!r}"
    home = config if hasattr(config, what) else requirement
    return key_table(getattr(home, what))


def with_tables(text: str) -> str:
    """A page with its generated tables as they are now."""
    return re.sub(
        r"(<!-- generated: ([\w -]+) -->\n).*?(<!-- end -->)",
        lambda match: f"{match[1]}\n{generated(match[2])}\n\n{match[3]}",
        text,
        flags=re.DOTALL,
    )


# -- rewriting --------------------------------------------------------------------------------------------------------


def rewritten(text: str, outputs: list[tuple[int, str, str, str]]) -> str:
    """A page with the outputs that came out; an output that was shown in parts keeps the lengths of its parts."""
    printed, texts = iter(outputs), {command: output for _, command, _, output in outputs}

    def block(match: re.Match[str]) -> str:
        if match[2].strip().startswith("not run:"):
            return match[0]
        if match[1] == "text":
            command = match[2].strip().removeprefix(PART)
            return f"```text{match[2]}\n{_paragraph(match[3], texts[command])}```"
        found = steps(Block(0, "console", "", match[3]))
        lines = []
        for command, shown in found:
            _, ran, _, output = next(printed)
            assert ran == command
            lines += [f"$ {command}\n", _trimmed(shown, output)]
        return f"```console{match[2]}\n{''.join(lines)}```"

    return re.sub(r"^```(console|text(?= of: ))([^\n]*)\n(.*?)^```$", block, text, flags=re.MULTILINE | re.DOTALL)


def _paragraph(shown: str, output: str) -> str:
    """From the line that is shown first, or else begins as it does, to the next empty line; as it was without one."""
    (first,) = _plain(next(line for line in shown.splitlines() if line != ELLIPSIS))
    lines = [line.rstrip() for line in output.splitlines()]
    begins = [number for number, line in enumerate(lines) if line.split()[:1] == first.split()[:1]]
    at = next((number for number in begins if _plain(lines[number]) == [first]), next(iter(begins), None))
    if at is None:
        return shown
    end = lines.index("", at) if "" in lines[at:] else len(lines)
    return "".join(f"{line}\n" for line in [ELLIPSIS, *lines[at:end], ELLIPSIS])


def _trimmed(shown: str, output: str) -> str:
    lines = [line.rstrip() for line in output.splitlines()]
    if shown.strip() == ELLIPSIS:
        return f"{ELLIPSIS}\n"
    if ELLIPSIS in shown.splitlines() and not same(shown, output):
        before = shown.splitlines().index(ELLIPSIS)
        after = len(shown.splitlines()) - before - 1
        lines = [*lines[:before], ELLIPSIS, *(lines[-after:] if after else [])]
    elif ELLIPSIS in shown.splitlines():
        return _renumbered(shown, lines)
    return "".join(f"{line}\n" for line in lines)


def _renumbered(shown: str, lines: list[str]) -> str:
    """The shown lines, each replaced by the first printed line that equals it but for its numbers."""
    rest = list(lines)
    result = []
    for line in shown.splitlines():
        at = next((i for i, other in enumerate(rest) if line != ELLIPSIS and _plain(other) == _plain(line)), None)
        result.append(line if at is None else rest[at])
        rest = rest if at is None else rest[at + 1 :]
    return "".join(f"{line}\n" for line in result)


def write(names: list[str]) -> None:
    """Rewrite the pages of these names, or all."""
    with forked_commands() as commands, tempfile.TemporaryDirectory() as home:
        openings = Openings(Path(home))
        for path in pages():
            if names and path.name not in names:
                continue
            with workplace() as folder:
                text = with_tables(path.read_text(encoding="utf-8"))
                path.write_text(text, encoding="utf-8")
                path.write_text(rewritten(text, run_page(path, folder, commands, openings)), encoding="utf-8")
                print(f"{path.name} is up to date")


if __name__ == "__main__":
    write([name for name in sys.argv[1:] if name != "--write"])
