"""The section of the report on one release, or on what is recommended, as HTML: what it does, to whom, and what risks
remain.

It is made from what ``anonduck.report.described`` says, whatever the kind of the recoding. Where there is nothing to
say of that kind, there is no heading for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from anonduck.config.persons import PersonCounts, persons_in
from anonduck.methods.method import ATTACKS
from anonduck.offer.choice import learns
from anonduck.report.described import AS_IT_IS, DISTRIBUTIONS, RANGES, SWAPPED, TYPICAL
from anonduck.report.page import Markup, element, table, together, words
from anonduck.words import counted

Said = Mapping[str, Any]
MOST_COLUMNS, MOST_GROUPS = 8, 5
ARROW = "\N{RIGHTWARDS ARROW}"
QUESTIONS = (
    "Can a person be singled out?",
    "Can records be linked to a person?",
    "Can something be inferred about a person?",
)
CELLS: Mapping[str, str] = {
    RANGES: "Count and compare people by {columns}. Values are at most grouped, and none is changed or added: how many "
    "records have a label is exact.",
    TYPICAL: "Compare people by {columns}. A cell that shows a typical value is no fact about its record, so that "
    "counts and means are near those of the source, and not equal to them.",
    SWAPPED: "Count people by single columns: {columns}. Which values stand side by side is true of groups of similar "
    "records, and not of a single one.",
    DISTRIBUTIONS: "Compare people by {columns}, and by how often those whom a record fits have each value of "
    "{class_}.",
}
"""By what the cells of a release are, what somebody can do with them."""


def release_section(found: Said, records: int, label_k: int) -> Markup:
    """All of it; ``records`` are those of the source.

    Values that ``label_k`` records hold, and groups of which so many are left out, may be named.
    """
    name = name_of(found)
    parts: Sequence[tuple[str, Iterator[Markup]]] = (
        ("What it does to a record", _example_rows(found, label_k)),
        (f"What a recipient can do with {name}, and what not", _recipient(found)),
        ("Who is left out", _left_out(found, name, records, label_k)),
        ("Risks that remain", _risks(found)),
    )
    shown = ((title, together(made)) for title, made in parts)
    return together(
        [
            element("h2", title_of(found), id="release-title"),
            *_opening(found, records),
            *(together([element("h3", title), body]) for title, body in shown if body),
        ]
    )


def name_of(found: Said) -> str:
    """What the page calls it: its file, or its id."""
    return str(found["file"] or found["id"])


def title_of(found: Said) -> str:
    """What the page is about: the file that it stands beside, or what is recommended."""
    if found["levels"] is not None:
        made_by = f"rule {found['id'] or found['called']}"
    else:
        made_by = f"{found['id']}, {found['called']}" if found["id"] else found["called"]
    if found["file"]:
        return f"Released: {found['file']}, by {made_by}"
    if not all(line["met"] for line in found["requirements"]):
        return "No rule meets what is required"
    return f"Recommended: release by {made_by}"


def _opening(found: Said, records: int) -> Iterator[Markup]:
    """What is required and reached, how much is there, and what made it."""
    facts = [*_reached(found), (f"{found['records']:,}", _of(found["records"], records, "records"))]
    if found["shows"] in (RANGES, TYPICAL):
        average = found["records"] / max(found["classes"], 1)
        facts.append((f"{found['classes']:,}", f"groups of records that look alike, of {average:,.0f} on average"))
    shown = len(found["columns"])
    facts.append((f"{shown} of {shown + len(found['hidden'])}", "quasi-identifiers are in it"))
    made = [element("li", element("strong", value), element("span", said)) for value, said in facts]
    yield element("ul", *made, class_="facts")
    yield element("p", f"Made by {found['made']}.")
    if found["entity"]:
        yield element("p", f"{'. '.join(map(_capital, PersonCounts.of(found['entity']).lines))}.")
    if found["reason"]:
        yield element("p", f"Why this one: {found['reason']}.")


def _reached(found: Said) -> Iterator[tuple[str, str]]:
    """Each requirement on what is there, and whether it is met; k is none of releases without groups of k records."""
    for line in found["requirements"]:
        if line["name"] == "k" and found["shows"] in (SWAPPED, DISTRIBUTIONS):
            continue
        side = "≤" if line.get("at_most") else "≥"
        judged = "meets" if line["met"] else "misses"
        of = f" ({line['attribute']})" if "attribute" in line else ""
        yield f"{line['name']} = {_number(line['reached'])}", f"{judged} {side} {_number(line['required'])}{of}"


def _of(part: int, whole: int, what: str) -> str:
    return what if part == whole else f"{what}, of {whole:,}"


# -- what it does to a record ------------------------------------------------------------------------------------------


def _example_rows(found: Said, label_k: int) -> Iterator[Markup]:
    examples = found["examples"]
    if examples is None:
        return
    people = examples["before"], examples["after"]
    shown = [at for at, cells in enumerate(zip(*examples["after"], strict=True)) if cells[0] is not None]
    hidden = [at for at in range(len(examples["columns"])) if at not in shown]
    told = sorted([*shown, *hidden[: max(0, MOST_COLUMNS - len(shown))]])
    rows = [
        [examples["columns"][at], *(_becomes(before[at], after[at]) for before, after in zip(*people, strict=True))]
        for at in told
    ]
    yield table(["column", "a made-up person", "another", "a third"], rows, whole=True)
    several = found["local"] and found["shows"] == RANGES
    rest = len(examples["columns"]) - len(told)
    sentences = [
        words()["examples"].format(k=f"{label_k:,}"),
        "Records with the same value may have other labels, by the group that they are in; the one is shown that most "
        "of them have."
        if several
        else "",
        f"{_capital(counted(rest, 'more column is', 'more columns are'))} not in it either." if rest else "",
    ]
    yield element("p", " ".join(filter(None, sentences)), class_="note")


def _becomes(before: str, after: str | None) -> str:
    """A value of the source, and what the release shows in its place."""
    return f"{before} (not in it)" if after is None else f"{before} {ARROW} {after}"


# -- what a recipient can do -------------------------------------------------------------------------------------------


def _recipient(found: Said) -> Iterator[Markup]:
    can, cannot = (
        element("div", element("h4", title), element("ul", *(element("li", line) for line in lines)))
        for title, lines in (("They can", _can(found)), ("They cannot", _cannot(found)))
    )
    yield element("div", can, cannot, class_="pair")


def _can(found: Said) -> Iterator[str]:
    class_ = found["class"]
    columns = found["columns"]
    if columns:
        yield CELLS[found["shows"]].format(columns=listed(_together(columns)), class_=class_)
    if class_ and columns:
        yield f"Learn how these go together with {class_}.{_model(found)}"
    if found["kept"]:
        yield f"Use {listed(found['kept'])} as {'they are' if len(found['kept']) > 1 else 'it is'}, record by record."


def _together(columns: Sequence[Mapping[str, str]]) -> list[str]:
    """Columns with how they show their values; those that do so alike are named together."""
    alike: dict[str, list[str]] = {}
    for one in columns:
        alike.setdefault(one["how"], []).append(one["name"])
    return [f"{listed(names)} {_plural(how) if len(names) > 1 else how}".rstrip() for how, names in alike.items()]


def _plural(how: str) -> str:
    return "as they are" if how == AS_IT_IS else f"{how} each" if how.startswith("in ") else how


def _model(found: Said) -> str:
    """How well a model does that learns from it, about people who are not in it."""
    score = found["expected"]
    if score is None:
        return ""
    area = "" if score.get("roc_auc") is None else f" (ROC AUC {score['roc_auc']:.3f})"
    right = f"right for {_percent(score['accuracy'])} (± {100 * score['error']:.1f} points) of people who are not in it"
    raw = f"from the original data, for {_percent(score['baseline']['accuracy'])}"
    if learns(score):
        return f" A model ({found['learner']}) that learns from it is {right}{area}; {raw}."
    return (
        f" But no model is shown to learn {found['class']} from it: the best guess without one is right for "
        f"{_percent(score['majority'])}, and {found['learner']} is {right}{area}; {raw}."
    )


def _cannot(found: Said) -> Iterator[str]:
    if found["hidden"]:
        yield f"See {listed(found['hidden'])}."
    if any(one["how"] != AS_IT_IS for one in found["columns"]) and found["shows"] == RANGES:
        yield "Tell values apart that share a label."
    if found["shows"] == TYPICAL:
        yield "Tell what a record's own value is where a typical one stands."
    if found["shows"] == SWAPPED:
        yield "Tell which of the values of a record are its own."
    if found["identifiers"]:
        yield f"Look records up by {listed(found['identifiers'])}."
    if found["k"] > 1 and found["shows"] in (RANGES, TYPICAL):
        yield (
            f"Pick the record of a person whose {listed(found['counted'])} they know: at least {found['k']:,} records "
            "look alike."
        )
    if found["suppressed"]:
        yield f"Say anything about the {counted(found['suppressed'], 'record', 'records')} left out."


# -- who is left out ---------------------------------------------------------------------------------------------------


def _left_out(found: Said, name: str, records: int, label_k: int) -> Iterator[Markup]:
    left = found["suppressed"]
    if not left:
        yield element("p", f"Nobody: {name} has all {found['records']:,} records.")
        return
    told = f"{name} leaves out {counted(left, 'record', 'records')} ({_percent(left / records)} of all)"
    if not found["left_out"]:
        yield element("p", f"{told}, as their groups do not reach what is required.")
        return
    yield element("p", f"{told}, as they look like too few others. {words()['left_out'].format(k=f'{label_k:,}')}")
    rows = [row for column in found["left_out"] for row in _left_out_rows(column)]
    if rows:
        yield table(["column", "group", "records", "left out", "of the group"], rows)
    else:
        why = f"no group has {label_k:,} of them"
        yield element("p", f"They are too few, or too different from each other, to say who they are: {why}.")


def _left_out_rows(column: Said) -> Iterator[list[str]]:
    """The groups of a column of which most are left out, and all others."""
    groups = column["groups"]
    for at, (label, records, left) in enumerate(groups[:MOST_GROUPS]):
        yield ["" if at else column["column"], label, f"{records:,}", f"{left:,}", _percent(left / records)]
    rest = column["others"] + sum(left for _, _, left in groups[MOST_GROUPS:])
    if rest and groups:
        yield ["", "all others", "", f"{rest:,}", ""]


# -- risks that remain -------------------------------------------------------------------------------------------------


def _risks(found: Said) -> Iterator[Markup]:
    asked = (_singled_out(found), _linked(found), _inferred(found))
    for question, sentences in zip(QUESTIONS, asked, strict=True):
        parts = [element("p", sentence) for sentence in sentences]
        yield element("div", element("h4", question), *parts, class_="question")
    if found["warnings"]:
        yield element("ul", *(element("li", f"{_capital(one)}.") for one in found["warnings"]))
    yield element("p", words()["attacks"])
    yield element("h4", "Known limits of the method")
    yield element("ul", *(element("li", limit) for limit in words()["limits"]))


def _singled_out(found: Said) -> Iterator[str]:
    said, entity = words(), found["entity"]
    values = _values(found)
    if found["shows"] == SWAPPED:
        yield said["singling_out_swapped"].format_map(values)
    elif found["shows"] == DISTRIBUTIONS:
        yield f"{_capital(ATTACKS[DISTRIBUTIONS])}."
    elif _persons(found) < 2:
        yield said["singling_out_one"].format_map(values)
    else:
        several = entity is not None and entity["at_most"] > 1
        yield said["singling_out_persons" if several else "singling_out"].format_map(values)
    if values["kept"] and found["shows"] in (RANGES, TYPICAL):
        yield said["singling_out_kept"].format_map(values)
    yield from (f"{_capital(line)}." for line in found["kept_lines"])


def _linked(found: Said) -> Iterator[str]:
    if found["shows"] == SWAPPED:
        yield words()["linkability_swapped"].format_map(_values(found))
    told = ["linkability_released", *(["linkability_alike"] if found["shows"] in (RANGES, TYPICAL) else [])]
    yield " ".join(words()[name].format_map(_values(found)) for name in (*told, "linkability_against"))


def _inferred(found: Said) -> Iterator[str]:
    said, gain = words(), found["inference"]
    if found["shows"] == SWAPPED:
        yield said["inference_swapped"]
    for one in found["alike"] or ():
        share = {"share": _percent(one["records"] / found["records"]), "groups": f"{found['classes']:,}"}
        told = {"column": one["column"], "alike": f"{one['classes']:,}", **share}
        yield said["alike_released" if one["classes"] else "alike_none_released"].format_map(told)
    if gain is not None:
        yield said["gain_released"].format(
            class_=found["class"],
            released=_percent(gain["released"]),
            control=_percent(gain["control"]),
            gain=f"{max(0.0, 100 * gain['gain']):.1f}",
        )
    privacy = [line for line in found["requirements"] if line["name"] not in ("k", "suppression", "probabilistic_k")]
    if privacy:
        reached = ", ".join(f"{line['name']} {_number(line['reached'])}" for line in privacy)
        yield said["inference_measured"].format(privacy=reached)
    if not (found["alike"] or gain or privacy or found["shows"] == SWAPPED):
        yield said["inference_not_measured"]


def _values(found: Said) -> dict[str, str]:
    persons = max(_persons(found), 1)
    return {
        "k": f"{persons:,}",
        "others": f"{found['k'] - 1:,}",
        "persons": f"{persons:,}",
        "at_most": f"{found['entity']['at_most']:,}" if found["entity"] else "1",
        "columns": ", ".join(found["counted"]),
        "kept": ", ".join(name for name in found["kept"] if name not in found["counted"] and name != found["class"]),
        "highest": f"{100 / persons:.2f} %",
        "average": f"{100 * found['classes'] / max(found['records'], 1):.2f} %",
        "cluster": f"{found['cluster']:,}",
    }


def _persons(found: Said) -> int:
    """The fewest persons that the smallest group can be."""
    return persons_in(found["k"], found["entity"]["at_most"]) if found["entity"] else int(found["k"])


# -- words -------------------------------------------------------------------------------------------------------------


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> listed(["age", "sex", "zip"]), listed(["age"])
    ('age, sex and zip', 'age')
    """
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def _capital(sentence: str) -> str:
    """The sentence with a capital, but for a measure such as k that it begins with."""
    return sentence if sentence[1:2] == " " else sentence[:1].upper() + sentence[1:]


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _number(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_number(one)}" for name, one in value.items())
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
