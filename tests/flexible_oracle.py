"""Flexible generalization as one would write it on paper: classes are lists of rows, compared pair by pair."""

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

EQUAL = 1 << 20


@dataclass(frozen=True)
class Flexible:
    """``trees``, ``rows`` and ``sizes`` as Mondrian's oracle has them; ``secrets`` are the records of each row by
    value, ``meets`` judges a list of rows; ``block`` is how many rows are compared with each other.
    """

    trees: list
    rows: list
    sizes: list
    secrets: list
    k: int
    meets: object
    block: int

    # -- Algorithm 1 ---------------------------------------------------------------------------------------------------

    def held(self, i):
        """The numbers that rows have in a column, in their order."""
        tree = self.trees[i]
        known = {row[i] for row in self.rows if row[i] != 0 and tree.paths[row[i]] is not None}
        return sorted(known, key=tree.place)

    def value(self, row, i):
        """A category, or the place of a number among the numbers that rows have."""
        tree, code = self.trees[i], self.rows[row][i]
        if code == 0 or tree.paths[code] is None:
            return "NULL" if code == 0 else "unknown"
        return self.held(i).index(code) if tree.ordered else code

    def likeness(self, one, other):
        found = 0
        for i in range(len(self.trees)):
            mine, theirs = self.value(one, i), self.value(other, i)
            if mine == theirs:
                found += EQUAL
            elif self.trees[i].ordered and isinstance(mine, int) and isinstance(theirs, int):
                share = abs(mine - theirs) / (len(self.held(i)) - 1)
                found += round(math.cos(share * (math.pi / 2)) * EQUAL)
        return found

    def order(self):
        """All rows, by categories with few values first, then by numbers with few values first."""
        columns = range(len(self.trees))
        nominal = [i for i in columns if not self.trees[i].ordered]
        nominal.sort(key=lambda i: len({self.value(row, i) for row in range(len(self.rows))}))
        numbers = sorted((i for i in columns if self.trees[i].ordered), key=lambda i: max(len(self.held(i)), 1))

        def place(row, i):
            tree, code = self.trees[i], self.rows[row][i]
            if tree.ordered:
                value = self.value(row, i)
                return {"NULL": (1,), "unknown": (2,)}.get(value, (0, value))
            return tree.place(code)

        return sorted(range(len(self.rows)), key=lambda row: [place(row, i) for i in (*nominal, *numbers)])

    def size(self, rows):
        return sum(self.sizes[row] for row in rows)

    def formed(self):
        """Lists of rows, the one that began the class first."""
        classes = [[row] for row in self.order() if self.sizes[row] >= self.k]
        left = [row for row in self.order() if self.sizes[row] < self.k]
        count = 0
        while count != 1:
            count = max(math.ceil(len(left) / max(self.block, 4 * self.k)), 1)
            rest = []
            for block in split(left, count):
                while self.size(block) >= self.k:
                    new = [block.pop(0)]
                    while self.size(new) < self.k:
                        nearest = max(block, key=lambda row: (self.likeness(new[0], row), -block.index(row)))
                        block.remove(nearest)
                        new.append(nearest)
                    classes.append(new)
                rest += block
            left = rest
        if not classes:
            return [left]
        firsts = sorted(one[0] for one in classes)
        of_first = {one[0]: one for one in classes}
        for row in left:
            of_first[max(firsts, key=lambda first: (self.likeness(row, first), -first))].append(row)
        return list(of_first.values())

    def put_together(self, classes, failing):
        """Each that fails joins the most similar one of its block that does not, or one that does."""
        place = {row: number for number, row in enumerate(self.order())}
        in_order = sorted(classes, key=lambda one: place[one[0]])
        joined = {one[0]: {one[0]} for one in classes}
        for block in split(in_order, math.ceil(len(in_order) / self.block)):
            bad = [failing(one) for one in block]
            for one, fails in zip(block, bad, strict=True):
                if fails:
                    others = [
                        other
                        for other, its in zip(block, bad, strict=True)
                        if other is not one and (all(bad) or not its)
                    ]
                    target = max(others, key=lambda other: self.likeness(one[0], other[0]))
                    both = joined[one[0]] | joined[target[0]]
                    joined |= dict.fromkeys(both, both)
        by_first = {one[0]: one for one in classes}
        together = {min(firsts): firsts for firsts in joined.values()}
        return [
            [least, *(row for first in firsts for row in by_first[first] if row != least)]
            for least, firsts in together.items()
        ]

    def meeting(self, classes):
        while len(classes) > 1 and not all(map(self.meets, classes)):
            classes = self.put_together(classes, lambda one: not self.meets(one))
        return classes

    # -- Algorithms 2 and 3 --------------------------------------------------------------------------------------------

    def uncertainty(self, rows):
        if len({value for one in self.secrets for value in one}) == 1:
            return math.inf
        counts = sum((Counter(self.secrets[row]) for row in rows), Counter())
        total = sum(counts.values())
        return round(sum(-count / total * math.log2(count / total) for count in counts.values()), 12)

    def shown(self, rows, grades, above):
        """Level and node of a class in each column."""
        found = []
        for i, (tree, grade) in enumerate(zip(self.trees, grades, strict=True)):
            codes, root, share = [self.rows[row][i] for row in rows], tree.height, Fraction(grade, 3)
            rule = math.ceil(share * root / 2) if above else math.ceil((Fraction(1, 2) + share / 2) * root)
            level = max(rule, tree.common_level(codes))
            if "unknown" in tree.nodes(codes[0]):
                level = root
            if set(codes) == {0} and rule < root:
                level = 0
            found.append((level, tree.nodes(codes[0])[level]))
        return tuple(found)

    def released(self, grades, threshold, join):
        """Classes and what each shows; without ``grades`` by least levels."""
        classes = self.meeting(self.formed())
        formed = sorted(map(self.uncertainty, classes))
        limit = threshold
        if threshold == "quartile":
            limit = formed[math.ceil(len(formed) / 4) - 1]
            if limit == formed[-1]:
                limit = max((one for one in formed if one < limit), default=0)

        def shown(one):
            if grades is None:
                return self.shown(one, [0] * len(self.trees), True)
            return self.shown(one, grades, self.uncertainty(one) > limit)

        while join and grades is not None and len(classes) > 1:
            alike = {}
            for one in classes:
                alike.setdefault(shown(one), []).extend(one)
            certain = {id(one) for one in classes if self.uncertainty(alike[shown(one)]) == 0}
            if not certain:
                break
            classes = self.meeting(self.put_together(classes, lambda one, certain=certain: id(one) in certain))
        return {frozenset(one): shown(one) for one in classes}

    def revealed(self, released, grades):
        """The records of classes with one value that are shown otherwise than with an uncertain one."""
        told = 0
        for one, shown in released.items():
            rows = sorted(one)
            if self.uncertainty(rows) == 0 and self.shown(rows, grades, True) != shown:
                told += self.size(rows)
        return told


def split(rows, count):
    """Parts of a list, the first ones longer by one where they cannot be equal."""
    each, more = divmod(len(rows), count)
    ends = [number * each + min(number, more) for number in range(count + 1)]
    return [list(rows[start:end]) for start, end in pairwise(ends)]
