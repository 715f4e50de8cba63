"""Guided cuts as one would write them on paper: every cut of a region is tried, and the best one is made."""

from dataclasses import dataclass
from functools import cached_property

from mondrian_oracle import WHOLE, Cutting


@dataclass(frozen=True)
class Guided(Cutting):
    """``shares[row]`` are the expected shares of the class values of a row; ``meets`` judges a list of rows."""

    trees: list
    rows: list
    sizes: list
    shares: list
    k: int
    meets: object
    detail: float
    column_order: list

    def best_cut(self, region):
        best, chosen = (float("-inf"),), []
        for column in self.column_order:
            for sides in self.cuts(region, column):
                if all(self.size(side) >= self.k and self.meets(side) for side in sides):
                    score = (self.score(region, sides, column), -max(map(self.size, sides)))
                    if score > best:
                        best, chosen = score, sides
        return chosen

    def cuts(self, region, column):
        """Every cut: an ordered column between two places, a nominal one between a child and all others."""
        tree, codes = self.trees[column], {row: self.rows[row][column] for row in region}
        level = max(tree.common_level(codes.values()) - 1, 0)
        units = {}
        for row in sorted(region, key=lambda row: tree.place(codes[row])):
            units.setdefault(tree.place(codes[row]) if tree.ordered else tree.nodes(codes[row])[level], []).append(row)
        parts = list(units.values())
        for number, part in enumerate(parts[: len(parts) - tree.ordered] if len(parts) > 1 else []):
            one = parts[: number + 1] if tree.ordered else [part]
            other = parts[number + 1 :] if tree.ordered else parts[:number] + parts[number + 1 :]
            yield [[row for some in side for row in some] for side in (one, other)]

    def score(self, region, sides, column):
        tree = self.trees[column]
        width, *others = (tree.width({self.rows[row][column] for row in rows}) for rows in (region, *sides))
        saved = sum((width - narrow) * self.size(side) for narrow, side in zip(others, sides, strict=True))
        gain = 0.0
        for value in range(len(self.whole[0]) if self.variance and saved else 0):
            one, other, both = (float(self.sum(rows, value)) for rows in (*sides, region))
            gain += (
                one * one / self.size(sides[0]) + other * other / self.size(sides[1]) - both * both / self.size(region)
            )
        detail = saved / (float(sum(self.sizes)) * len(self.trees) * WHOLE)
        return round((gain / self.variance + self.detail * detail if self.variance else detail) * 2**40)

    # -- what is expected, as whole numbers around the mean ------------------------------------------------------------

    def sum(self, rows, value):
        return sum(self.sizes[row] * self.whole[row][value] for row in rows)

    @cached_property
    def whole(self):
        found = [[round(share * 2**16) for share in shares] for shares in self.shares]
        weighed = list(zip(self.sizes, found, strict=True))
        means = [
            round(sum(size * one[value] for size, one in weighed) / sum(self.sizes)) for value in range(len(found[0]))
        ]
        return [[share - mean for share, mean in zip(one, means, strict=True)] for one in found]

    @cached_property
    def variance(self):
        every = range(len(self.rows))
        squares = [
            float(sum(self.sizes[row] * self.whole[row][value] ** 2 for row in every))
            - float(self.sum(every, value)) ** 2 / sum(self.sizes)
            for value in range(len(self.shares[0]))
        ]
        return max(sum(squares), 0.0)
