"""What a person sees in a terminal: messages and progress on stderr, tables on stdout."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from anonduck.reporting import Reporter

if TYPE_CHECKING:
    from anonduck.privacy import Reached

BIDIRECTIONAL = (0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
CONTROLS = (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *BIDIRECTIONAL)
ESCAPED = {code: chr(code).encode("unicode_escape").decode("ascii") for code in CONTROLS if chr(code) not in "\n\t"}
ESCAPED_IN_JSON = {code: f"\\u{code:04x}" for code in CONTROLS if code > 0x7E}  # JSON itself escapes those under 0x20


THIS_EXPORT = "this export"


def plain(text: str) -> str:
    r"""Text that a terminal shows and does not obey: names of columns, files and labels may hold its commands.

    >>> plain("a\x1b[2Jb\tc")
    'a\\x1b[2Jb\tc'
    """
    return text.translate(ESCAPED)


def on_one_line(text: str) -> str:
    """Plain text without line breaks, which would look like words of anonduck's own."""
    return plain(text).replace("\n", "\\n").replace("\t", "\\t")


def say(text: str, *, err: bool = False) -> None:
    """Print a line, on stdout or stderr, that holds no command for the terminal."""
    click.echo(plain(text), err=err)


@contextlib.contextmanager
def reporting(*, quiet: bool = False) -> Iterator[Reporter]:
    """Messages to stderr; progress bars with the time left only where stderr is a terminal."""

    def announce(text: str) -> None:
        if not quiet:
            say(on_one_line(text), err=True)

    if quiet or not sys.stderr.isatty():
        yield Reporter(announce)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True) as bars:
        tasks: dict[str, Any] = {}

        def progress(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(plain(stage), total=total)
            bars.update(tasks[stage], completed=done, visible=done < total)

        yield Reporter(lambda text: bars.console.print(on_one_line(text), markup=False, highlight=False), progress)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], *, right: Sequence[str] = ()) -> None:
    """A plain table on stdout; as wide as it needs where stdout is no terminal."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(
            plain(name), justify="right" if name in right else "left", no_wrap=name in right, overflow="fold"
        )
    for row in rows:
        table.add_row(*[_cell(value) for value in row])
    width = None if sys.stdout.isatty() else 400
    Console(width=width, soft_wrap=False).print(table, markup=False)


def print_rules(
    rules: Sequence[Mapping[str, Any]], models: Sequence[str], utility: Sequence[str] = (), gaps: Sequence[str] = ()
) -> None:
    """Rules as a table: what each protects, what it keeps (with the named utility measures), what it is.

    ``gaps`` are measures that each rule has a gap of.
    """
    accuracy = [f"{model} accuracy" for model in models] + [f"{model} balanced" for model in models]
    told = [model for model in models if any(rule.get("expected") for rule in rules)]
    expected = [f"{model} expected" for model in told]
    privacy = list(dict.fromkeys(name for rule in rules for name in rule["privacy"]))
    suppressed = ["suppressed"] if any(rule["suppressed"] for rule in rules) else []
    protects = ["k", *privacy, "classes", *suppressed]
    behind = [f"gap in {name.replace('_', ' ')}" for name in gaps]
    columns = [
        "rule",
        *protects,
        "gain (bits)",
        *accuracy,
        *expected,
        *utility,
        *behind,
        "origin",
        "frontier",
        "levels",
    ]
    rows = [
        [
            rule["id"],
            f"{rule['k']:,}",
            *[reached(rule["privacy"].get(name)) for name in privacy],
            f"{rule['classes']:,}",
            *[f"{rule[name]:,}" for name in suppressed],
            f"{rule['information_gain']:.4f}",
            *[_share(rule["accuracy"].get(model)) for model in models],
            *[_share(rule["balanced_accuracy"].get(model)) for model in models],
            *[_expected((rule["expected"] or {}).get(model)) for model in told],
            *[f"{rule['utility'][name]:,.4f}" for name in utility],
            *[_share(rule["gap"].get(name, {}).get("gap")) for name in gaps],
            rule["origin"],
            ("yes" + (f" (= {', '.join(rule['equal_to'])})" if rule["equal_to"] else ""))
            if rule["on_frontier"]
            else "",
            rule["literal"],
        ]
        for rule in rules
    ]
    print_table(columns, rows, right=[*protects, "gain (bits)", *accuracy, *expected, *utility, *behind])


def print_accuracies(rules: Sequence[Mapping[str, Any]], models: Sequence[str], found: int) -> None:
    """What the accuracies of a table of rules are, and what they are not."""
    if not models:
        return
    told = [score["protocol"] for rule in rules for score in (rule.get("expected") or {}).values()]
    say(
        f"accuracies are in-sample: cross-validated on the records by which these rules were picked from {found:,}, "
        "so the best look better than they are" + ("" if told else "; `anonduck frontier --expected` tells by how much")
    )
    for protocol in dict.fromkeys(told):
        say(f"expected is by {protocol}")


def print_baseline(summary: Mapping[str, Any]) -> None:
    """What the rules compare to."""
    baseline = summary["baseline"]
    parts = [
        f"{model} {value:.4f} (balanced {baseline['balanced_accuracy'][model]:.4f})"
        for model, value in baseline["accuracy"].items()
    ]
    majority = baseline["class"]["majority_share"]
    accuracy = f"accuracy on the data as it came: {', '.join(parts)}; " if parts else ""
    counted = "; k counts the class" if summary.get("k_counts") else ""
    say(f"{summary['rows']:,} records; {accuracy}majority class {majority:.4f}{counted}")


def print_expected(expected: Mapping[str, Mapping[str, Any]]) -> None:
    """What is expected of a release by model, how that was measured, and the same model on the data as it came."""
    for model, score in expected.items():
        say(
            f"expected accuracy of {model} on people who were not there: {score['accuracy']:.4f} +- "
            f"{score['error']:.4f} (data as it came: {score['baseline']['accuracy']:.4f})"
        )
    for protocol in dict.fromkeys(score["protocol"] for score in expected.values()):
        say(f"  by {protocol}")
    if any(score.get("measured_on", THIS_EXPORT) != THIS_EXPORT for score in expected.values()):
        say("  measured on another export, on which the rule was selected; --reselect measures anew")


def reached(value: Any) -> str:
    """What is reached, as JSON tells it: a number, several by name, or nothing."""
    if value is None:
        return ""
    return numbers(value) if isinstance(value, Mapping) else number(value)


def requirement(line: Mapping[str, Any]) -> str:
    """What a line of a receipt requires."""
    required = line["required"]
    if isinstance(required, Mapping):
        return f"{line['name']} ({', '.join(f'{name} = {number(value)}' for name, value in required.items())})"
    return f"{line['name']} {'<=' if line.get('at_most') else '>='} {required}"


def numbers(found: Mapping[str, Any]) -> str:
    """What is reached: one number, or several by name."""
    if len(found) == 1:
        return number(next(iter(found.values())))
    return ", ".join(f"{name} = {number(value)}" for name, value in found.items())


def reached_words(reached: Reached) -> str:
    """What is reached, and of several sensitive attributes by which."""
    worst = "" if reached.attribute is None else f", column {reached.attribute!r}"
    return numbers(reached.numbers) + worst


def number(value: float | str) -> str:
    """A number as a person reads it; words stay."""
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    if value == float("inf"):
        return "infinite"
    return f"{value:,.2f}" if value >= 10 else f"{value:.4g}"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _expected(score: Mapping[str, Any] | None) -> str:
    return "" if score is None else f"{score['accuracy']:.4f} +- {score['error']:.4f}"


def _cell(value: Any) -> str:
    return "" if value is None else on_one_line(str(value))
