"""The library's words as the command line has them: a message names Python's arguments, a person types options.

Messages of the library write a next step in backticks, as Python has it: `` `show_values=True` ``,
`` `project.discover(coverage=C)` ``. What stands there is read as Python and written as words of a shell. Names in
capitals are left to be filled in. Whatever is not of this vocabulary, such as a key of the config, stays as it is.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from typing import Any

COMMANDS = {
    "project.advise": "advise",
    "project.anonymize": "anonymize",
    "project.compare": "compare",
    "project.build_taxonomies": "taxonomy build",
    "project.check_taxonomies": "taxonomy check",
    "project.discover": "discover",
    "project.explore": "explore",
    "project.frontier": "frontier",
    "project.identifying_columns": "quasi-identifiers",
    "project.lock": "lock",
    "project.import_taxonomies": "taxonomy import",
    "project.release": "release",
    "project.rules": "rules",
    "project.run": "run",
    "project.show_taxonomy": "taxonomy show",
    "project.usefulness": "usefulness",
    "audit": "audit",
    "list_shipped": "taxonomy list",
}
"""Calls, and the commands that make them."""

PHRASES = {
    "attack(...).as_json()": "anonduck attack --json",
    "attack(RELEASE, ORIGINAL, minimality=True)": "anonduck attack RELEASE --original ORIGINAL --minimality",
    "audit_original(RELEASE, ORIGINAL)": "anonduck audit RELEASE --original ORIGINAL --class COLUMN",
    "initialize(PATH, SOURCE, COLUMN)": "anonduck init SOURCE --class COLUMN",
    "project.anonymize(METHOD, dry_run=True)": "anonduck anonymize METHOD --dry-run",
    "project.candidates()": "anonduck frontier",
    "project.discover(offers=METHODS)": "anonduck discover --method NAME",
    "project.expected()": "anonduck frontier --expected",
    "purge(PATH)": "anonduck purge",
}
"""What is said as a whole."""

NAMED_OTHERWISE = {
    "as_": "--as",
    "k": "-k",
    "models": "--model",
    "class_": "--class",
    "everything": "--all",
    "measures": "--measure",
    "methods": "--method",
    "options": "--option",
    "quasi_identifiers": "--quasi-identifier",
    "requirement": "--require",
    "requirements": "--require",
    "sensitive_values": "--sensitive-value",
    "settings": "--set",
    "taxonomies": "--taxonomy",
}
OPTIONS = NAMED_OTHERWISE | {
    name: "--" + name.replace("_", "-")
    for name in (
        "against",
        "allow_absent",
        "budget",
        "check",
        "column",
        "control",
        "coverage",
        "csv",
        "missing_columns",
        "dialect",
        "drop",
        "engine",
        "entity",
        "identifiers",
        "if_exists",
        "intruder",
        "intruder_all",
        "intruder_key",
        "key",
        "locked",
        "max_rfds",
        "max_rules",
        "max_tried",
        "min_k",
        "minimality",
        "name",
        "original",
        "overwrite",
        "population",
        "receipt",
        "replace",
        "reselect",
        "row_order",
        "sample",
        "sampling_fraction",
        "search",
        "select",
        "sensitive",
        "share",
        "show_values",
        "table",
        "time_limit",
        "train",
        "uncompared",
        "unmapped",
    )
}
"""Arguments, and the options that give them."""

_QUOTED = re.compile(r"`([^`\n]+)`")


def in_options(text: str) -> str:
    """A message of the library in the words of the command line.

    >>> in_options("`project.check_taxonomies(show_values=True)` lists them; or `unmapped='root'`, or `k: 5`")
    '`anonduck taxonomy check --show-values` lists them; or `--unmapped root`, or `k: 5`'
    """
    return _QUOTED.sub(lambda found: f"`{_phrase(found[1])}`", text) if "`" in text else text


def document_in_options(document: Any) -> Any:
    """A JSON document whose texts are in the words of the command line."""
    if isinstance(document, str):
        return in_options(document)
    if isinstance(document, dict):
        return {key: document_in_options(value) for key, value in document.items()}
    if isinstance(document, (list, tuple)):
        return [document_in_options(value) for value in document]
    return document


def _phrase(text: str) -> str:
    if text in PHRASES:
        return PHRASES[text]
    call = _call(text) or _call(f"said({text})")
    if call is None:
        return text
    name = ast.unparse(call.func)
    known = (name in COMMANDS or name == "said") and all(one.arg in OPTIONS for one in call.keywords)
    if not known or (name == "said" and (call.args or not call.keywords)):
        return text
    command = ["anonduck", COMMANDS[name]] if name in COMMANDS else []
    given = [word for argument in call.args for word in _values(argument)]
    return " ".join([*command, *given, *(word for one in call.keywords for word in _option(one))])


def _call(text: str) -> ast.Call | None:
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None
    return node if isinstance(node, ast.Call) else None


def _option(argument: ast.keyword) -> Iterator[str]:
    """The words that give an argument: a flag, or an option once for each of its values."""
    option = OPTIONS[str(argument.arg)]
    if isinstance(argument.value, ast.Constant) and argument.value.value is True:
        yield option
        return
    for value in _values(argument.value):
        yield f"{option} {value}"


def _values(node: ast.expr) -> list[str]:
    """A value, or each of several, as one types it in a shell."""
    if isinstance(node, ast.List):
        return [value for item in node.elts for value in _values(item)]
    if isinstance(node, ast.Dict):
        pairs = [(key, value) for key, value in zip(node.keys, node.values, strict=True) if key is not None]
        return [f"{_values(key)[0]}={value}" for key, named in pairs for value in _values(named)]
    if isinstance(node, ast.Call):
        return [f"{one.arg}={value}" for one in node.keywords for value in _values(one.value)]
    if isinstance(node, ast.Constant):
        return ["..." if node.value is ... else shlex.quote(str(node.value))]
    return [ast.unparse(node)]
