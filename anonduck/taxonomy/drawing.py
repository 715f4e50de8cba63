"""A taxonomy drawn for a terminal, folded to fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from anonduck.taxonomy.view import TaxonomyNode, TaxonomyView
from anonduck.words import counted

LINES = 60
Children = Mapping[tuple[int, int], Sequence[TaxonomyNode]]


def draw(view: TaxonomyView, width: int = 80, max_children: int = 12, lines: int = LINES) -> str:
    """The tree of a view, ``width`` cells wide, or the list of the one level that it holds.

    A node shows at most ``max_children`` children and folds the rest into one line with their records. Levels open from
    the root down as long as about ``lines`` lines hold them; the children of the root always show.
    """
    outside = _outside(view)
    if view.level is not None:
        rows = [(node.label, _counts(node)) for node in view.nodes] + outside
    else:
        rows = _tree(view, outside, max_children, lines)
    return "\n".join([_title(view), *(_fitted(label, counts, width) for label, counts in rows)])


def _title(view: TaxonomyView) -> str:
    taxonomy = view.taxonomy
    where = f"level {view.level}" if view.level is not None else f"levels 0 to {taxonomy.root}"
    return _printable(f"{taxonomy.column} ({taxonomy.kind}, {where}, {counted(taxonomy.leaves, 'leaf', 'leaves')})")


def _outside(view: TaxonomyView) -> list[tuple[str, str]]:
    rows = []
    if view.null_records:
        rows.append(("NULL", counted(view.null_records, "record", "records")))
    if view.unknown_records:
        rows.append(
            (f"without a leaf (values: {view.unknown_values:,})", counted(view.unknown_records, "record", "records"))
        )
    return rows


def _tree(view: TaxonomyView, outside: list[tuple[str, str]], most: int, lines: int) -> list[tuple[str, str]]:
    children: dict[tuple[int, int], list[TaxonomyNode]] = {}
    for node in view.nodes:
        if node.parent is not None:
            children.setdefault((node.level + 1, node.parent), []).append(node)
    top = [node for node in view.nodes if node.parent is None]
    lowest = _lowest_open(top, children, most, lines)
    rows: list[tuple[str, str]] = []
    for root in top:
        rows.append((root.label, _counts(root, view.null_records)))
        rows += _branches(root, children, most, lowest, "", after=len(outside))
    rows += [
        ("└── " + label if at == len(outside) - 1 else "├── " + label, counts)
        for at, (label, counts) in enumerate(outside)
    ]
    return rows


def _lowest_open(top: Sequence[TaxonomyNode], children: Children, most: int, lines: int) -> int:
    """The lowest level that shows: levels open while what they show stays within the lines."""
    shown, used, level = list(top), len(top), max((node.level for node in top), default=0)
    while shown:
        fresh = [child for node in shown for child in children.get((node.level, node.code), [])[:most]]
        used += len(fresh)
        if not fresh or (used > lines and shown[0] not in top):
            break
        shown, level = fresh, level - 1
    return level


def _branches(
    node: TaxonomyNode, children: Children, most: int, lowest: int, prefix: str, *, after: int = 0
) -> Iterable[tuple[str, str]]:
    below = children.get((node.level, node.code), ()) if node.level > lowest else ()
    folded = below[most:]
    for at, child in enumerate(below[:most]):
        last = at == len(below) - 1 and not after
        yield f"{prefix}{'└── ' if last else '├── '}{child.label}", _counts(child)
        yield from _branches(child, children, most, lowest, prefix + ("    " if last else "│   "))
    if folded:
        records = counted(sum(child.records for child in folded), "record", "records")
        yield f"{prefix}{'├── ' if after else '└── '}… and {len(folded):,} more ({records})", ""


def _counts(node: TaxonomyNode, nulls: int = 0) -> str:
    leaves = f"{counted(node.leaves, 'leaf', 'leaves')}, " if node.level else ""
    return f"{leaves}{counted(node.records + nulls, 'record', 'records')}"


def _fitted(label: str, counts: str, width: int) -> str:
    from rich.cells import cell_len, set_cell_size

    label = _printable(label)
    room = max(width - len(counts) - 2, 12) if counts else width
    if cell_len(label) > room:
        label = set_cell_size(label, room - 1) + "…"
    return f"{set_cell_size(label, room)}  {counts}".rstrip() if counts else label


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)
