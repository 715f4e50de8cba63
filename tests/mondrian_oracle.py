"""Mondrian as one would write it on paper: a region is a list of rows, and a cut is a list of regions."""

import math
from collections import Counter
from dataclasses import dataclass

WHOLE = 1 << 30


@dataclass(frozen=True)
class Tree:
    """``paths[code]`` are the nodes of a leaf code over itself, without the root; None for a code that is not known.

    Code 0 is NULL and has no path. ``leaves`` are those of the taxonomy, some of which no row may have. With ``free``,
    classes show any nodes of level 1 that follow one another.
    """

    paths: dict
    height: int
    ordered: bool
    free: bool = False

    def nodes(self, code):
        """The node at each level, level 0 first, the root last."""
        if code == 0:
            return ["NULL"] * self.height + ["root"]
        if self.paths[code] is None:
            return ["unknown"] * self.height + ["root"]
        return [code, *self.paths[code], "root"]

    def common_level(self, codes):
        return next(level for level, at in enumerate(zip(*map(self.nodes, codes), strict=True)) if len(set(at)) == 1)

    def width(self, codes):
        if self.free and len(set(codes)) > 1:
            return self.width_between(min(codes), max(codes))
        level = self.common_level(codes)
        node = self.nodes(min(codes))[level]
        if node in {"root", "unknown"}:
            return WHOLE
        known = [code for code, path in self.paths.items() if path is not None]
        covered = sum(self.nodes(code)[level] == node for code in known)
        return covered * WHOLE // len(known) if covered > 1 else 0

    def width_between(self, least, most):
        if least == 0:
            return WHOLE
        cells = [path[0] for path in self.paths.values()]
        through, before = (
            sum(under(cell) for cell in cells) for under in (self.paths[most][0].__ge__, self.paths[least][0].__gt__)
        )
        return round(through / len(cells) * WHOLE) - round(before / len(cells) * WHOLE)

    def place(self, code):
        """Where a value stands in a row in which every node is a stretch: by the first code of each of its nodes."""
        every = [0, *self.paths]
        nodes = self.nodes(code)[:-1]
        return tuple(
            min(one for one in every if self.nodes(one)[level] == nodes[level])
            for level in reversed(range(self.height))
        )


def times_log(records):
    return round(records * math.log2(max(records, 1)) * (1 << 20))


class Cutting:
    """Cuts ``rows`` of ``sizes`` records by the ``best_cut`` of a region until none has one."""

    def classes(self, begun=None):
        done, waiting = set(), begun or [list(range(len(self.rows)))]
        while waiting:
            region = waiting.pop()
            sides = self.best_cut(region)
            waiting += sides
            if not sides:
                done.add(frozenset(region))
        return done

    def size(self, region):
        return sum(self.sizes[row] for row in region)


@dataclass(frozen=True)
class Oracle(Cutting):
    """``rows`` are the leaf codes of each combination, ``sizes`` its records; ``meets`` judges a list of rows.

    With ``outcomes``, the records of each row by value of the class, cuts leave the class mixed as little as can be.
    """

    trees: list
    rows: list
    sizes: list
    k: int
    meets: object
    strict: bool
    column_order: list
    row_ranks: list
    outcomes: list | None = None

    def allowed(self, region):
        return self.size(region) >= self.k and self.meets(region)

    def best_cut(self, region):
        best, chosen = (float("-inf"),), []
        for column in self.column_order if self.size(region) >= 2 * self.k else ():
            tree, codes = self.trees[column], {self.rows[row][column] for row in region}
            if len({tree.place(code) for code in codes}) == 1:
                continue
            sides = self.through_children(region, column) or (tree.free and self.between_cells(region, column)) or []
            sides = sides or (tree.ordered and self.at_median(region, column)) or []
            score = (-sum(map(self.mixed, sides)), tree.width(codes), max(map(self.size, sides), default=0))
            if sides and score > best:
                best, chosen = score, sides
        return chosen

    def mixed(self, side):
        counts = sum((self.outcomes[row] for row in side), Counter()) if self.outcomes else Counter()
        return times_log(sum(counts.values())) - sum(map(times_log, counts.values()))

    def through_children(self, region, column):
        tree = self.trees[column]
        level = tree.common_level({self.rows[row][column] for row in region}) - 1
        children = {}
        for row in sorted(region, key=lambda row: tree.place(self.rows[row][column])):
            code = self.rows[row][column]
            children.setdefault(code == 0 if tree.free else tree.nodes(code)[level], []).append(row)
        alone = sorted(filter(self.allowed, children.values()), key=self.size, reverse=False)
        together = [row for child in children.values() if not self.allowed(child) for row in child]
        while together and not self.allowed(together) and alone:
            together += alone.pop(0)
        sides = [*alone, *([together] if together else [])]
        return sides if len(sides) > 1 and all(map(self.allowed, sides)) else []

    def at_median(self, region, column):
        tree = self.trees[column]
        return self.halves(region, lambda row: tree.place(self.rows[row][column]), strict=self.strict)

    def between_cells(self, region, column):
        codes = {row: self.rows[row][column] for row in region}
        return self.halves(
            region, lambda row: self.trees[column].paths[codes[row]][0] if codes[row] else 0, strict=True
        )

    def halves(self, region, place, *, strict):
        row_of = sorted(region, key=lambda row: (place(row), 0 if strict else self.row_ranks[row]))
        ends = [end for end in range(1, len(row_of)) if not strict or place(row_of[end - 1]) != place(row_of[end])]
        if not ends:
            return []
        total = self.size(region)
        end = min(ends, key=lambda end: abs(2 * self.size(row_of[:end]) - total))
        sides = [row_of[:end], row_of[end:]]
        return sides if all(map(self.allowed, sides)) else []
