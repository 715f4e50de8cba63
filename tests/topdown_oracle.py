"""Top-down anonymization as one would write it on paper: a region is a list of rows, in the order of their ranks."""

from dataclasses import dataclass

from mondrian_oracle import Oracle

DEPTH, STEPS = 64, 3


@dataclass(frozen=True)
class TopDown:
    """``mondrian`` is an oracle that has not begun; rows come in the order of their ``ranks``."""

    mondrian: Oracle
    ranks: list

    def classes(self):
        waiting, done = [sorted(range(len(self.mondrian.rows)), key=self.ranks.__getitem__)], []
        for _ in range(DEPTH):
            sides = [self.parted(region) for region in waiting]
            done += [region for region, parts in zip(waiting, sides, strict=True) if not parts]
            waiting = [side for parts in sides for side in parts]
        return self.mondrian.classes([sorted(region) for region in [*done, *waiting]])

    def width(self, rows):
        trees = enumerate(self.mondrian.trees)
        return sum(tree.width({self.mondrian.rows[row][i] for row in rows}) for i, tree in trees)

    def farthest(self, region, row):
        return max(region, key=lambda other: (self.width([row, other]), -self.ranks[other]))

    def parted(self, region):
        if self.mondrian.size(region) < 2 * self.mondrian.k:
            return []
        one, other = region[0], self.farthest(region, region[0])
        for _ in range(STEPS):
            one, other = other, self.farthest(region, other)
        sides, waiting, together = ([], []), list(region), 1
        while waiting:
            coming, waiting = waiting[:together], waiting[together:]
            chosen = [min((0, 1), key=lambda side: self.key(row, sides[side], (one, other)[side])) for row in coming]
            for row, side in zip(coming, chosen, strict=True):
                sides[side].append(row)
            together *= 2
        parts = self.repaired(region, *sides)
        return parts if all(map(self.mondrian.allowed, parts)) else []

    def key(self, row, side, seed):
        """A side has its seed's nodes from the beginning, but not its records before it comes itself."""
        held = self.mondrian.size(side)
        rise = (held + self.mondrian.sizes[row]) * self.width([*side, seed, row]) - held * self.width([*side, seed])
        return rise, self.width([row, seed]), held

    def repaired(self, region, first, second):
        k, size = self.mondrian.k, self.mondrian.size
        small, large = (first, second) if size(first) < k else (second, first)
        nearest = sorted(large, key=lambda row: (self.width([*small, row]), self.ranks[row])) if small else large
        taken = []
        while size([*small, *taken]) < k:
            taken.append(nearest[len(taken)])
        rest = [row for row in region if row in large and row not in taken]
        return [[row for row in region if row in small or row in taken], rest]
