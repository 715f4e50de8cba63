"""Top-down specialization as one would write it on paper: a cut is a list of nodes, a node a set of leaf codes."""

from collections import Counter
from dataclasses import dataclass, field
from math import log2

BIT, SHARE = 1 << 30, 1 << 20


def bits(counts):
    """The entropy of counts, in bits, times their sum."""
    total = sum(counts)
    return total * log2(total) - sum(count * log2(count) for count in counts if count)


@dataclass
class Oracle:
    """``rows`` are the leaf codes of each combination, ``classes`` its records as a list of class values.

    ``meets`` judges a list of classes, each a list of rows, with the cuts; ``trees`` are those of mondrian_oracle.
    """

    trees: list
    rows: list
    classes: list
    k: int
    meets: object
    by_loss: bool
    column_order: list
    refused: set = field(default_factory=set)

    def levels(self):
        """By column, the level at which each leaf code that a row has is shown."""
        cuts = [[frozenset(row[column] for row in self.rows)] for column in range(len(self.trees))]
        while (best := self.best(cuts)) is not None:
            column, node = best
            tried = [*cuts]
            tried[column] = [one for one in cuts[column] if one != node] + self.children(column, node)
            if self.meets(self.groups(tried), tried):
                cuts = tried
            else:
                self.refused.add(best)
        return [
            {code: self.trees[column].common_level(node) for node in cut for code in node}
            for column, cut in enumerate(cuts)
        ]

    def best(self, cuts):
        """Column and node of the highest score, the first of equal ones."""
        least, found = self.smallest(cuts), []
        for column in self.column_order:
            for node in sorted(cuts[column], key=lambda node: self.first(column, node)):
                children = self.children(column, node)
                if not children or (column, node) in self.refused or not self.beneficial(column, node):
                    continue
                tried = [*cuts]
                tried[column] = [one for one in cuts[column] if one != node] + children
                after = self.smallest(tried)
                if after >= self.k:
                    gain = self.gain(column, node, children)
                    score = gain * SHARE // (least - after + 1) if self.by_loss else gain
                    found.append((score, (column, node)))
        return max(found, key=lambda one: one[0])[1] if found else None

    def first(self, column, node):
        return min(self.trees[column].place(code) for code in node)

    def children(self, column, node):
        """The children that rows have, by their places; none of a leaf."""
        tree = self.trees[column]
        level = tree.common_level(node)
        parts = {}
        for code in sorted(node, key=tree.place):
            parts.setdefault(tree.nodes(code)[level - 1], set()).add(code)
        return [frozenset(part) for part in parts.values()] if level else []

    def told(self, column, node):
        """The records under a node by class value."""
        return Counter(
            value
            for row, values in zip(self.rows, self.classes, strict=True)
            for value in values
            if row[column] in node
        )

    def beneficial(self, column, node):
        return not self.by_loss or len(self.told(column, node)) > 1

    def gain(self, column, node, children):
        whole = self.told(column, node)
        parts = sum(bits(self.told(column, child).values()) for child in children)
        return round((bits(whole.values()) - parts) / whole.total() * BIT)

    def groups(self, cuts):
        """The rows of each class."""
        found = {}
        for number, row in enumerate(self.rows):
            key = tuple(next(node for node in cut if code in node) for code, cut in zip(row, cuts, strict=True))
            found.setdefault(key, []).append(number)
        return list(found.values())

    def smallest(self, cuts):
        return min(sum(len(self.classes[row]) for row in group) for group in self.groups(cuts))
