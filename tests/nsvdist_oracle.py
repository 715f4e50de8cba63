"""Algorithm 1 of NSVDist as it is printed, record by record, on leaf codes and trees."""

import math
from collections import Counter


class Printed:
    """Members and losses; records of one cell are alike, and equal ones go in the order of the ranks of their cells."""

    def __init__(self, trees, rows, data, k, most, ranks, numbers, loss):
        self.trees, self.k, self.most = trees, k, most
        self.scale = (1 << 31) // (len(trees) + 1)
        self.numbers = numbers
        cells = data.cells
        self.records = [
            (rank, cell, rows[combination], int(value))
            for cell, (combination, value, count, rank) in enumerate(
                zip(cells.combinations, cells.classes, cells.records, ranks, strict=True)
            )
            for _ in range(int(count))
        ]
        self.counts = [Counter(record[2][number] for record in self.records) for number in range(len(trees))]
        self.bits = max((self._entropy(counts, counts) for counts in self.counts), default=0)
        self.known = {}
        self.loss = self._by_entropy if loss == "entropy" else self._by_leaves
        self.cells = [self._cells(number) if numbers else None for number in range(len(trees))]

    def members(self, cell):
        """The cells of the records of a closure, and what it loses."""
        own = next(n for n, record in enumerate(self.records) if record[1] == cell)
        chosen = [own]
        held = Counter([self.records[own][3]])
        while len(chosen) < self.k:
            _, _, best = min(
                (self.loss_of([*chosen, n]), record[0], n)
                for n, record in enumerate(self.records)
                if n not in chosen and held[record[3]] < self.most
            )
            chosen.append(best)
            held[self.records[best][3]] += 1
        return Counter(self.records[n][1] for n in chosen), self.loss_of(chosen)

    def loss_of(self, chosen):
        """What the closure of some records loses."""
        return sum(
            self._of(number, frozenset(self.records[n][2][number] for n in chosen)) for number in range(len(self.trees))
        )

    def _of(self, number, codes):
        key = number, codes
        if key not in self.known:
            self.known[key] = self.loss(number, self.covered(number, codes))
        return self.known[key]

    def covered(self, number, codes):
        """The leaf codes that the smallest node, or run of cells, over some codes covers."""
        tree = self.trees[number]
        everything = set(range(len(tree.paths) + 1))
        if len(codes) == 1 and (0 in codes or tree.paths[min(codes)] is not None):
            return set(codes)
        if 0 in codes:
            return everything
        cells = self.cells[number]
        if cells is not None:
            at = [n for n, cell in enumerate(cells) if cell & codes]
            run = cells[min(at) : max(at) + 1]
            return everything if len(run) == len(cells) else set().union(*run)
        for level in range(tree.height - 1):
            labels = {None if tree.paths[code] is None else tree.paths[code][level] for code in codes}
            if len(labels) == 1 and None not in labels:
                return {c for c, path in tree.paths.items() if path is not None and path[level] in labels}
        return everything

    def _cells(self, number):
        """Runs of groups with k records; None where there are fewer than two."""
        tree, found, held = self.trees[number], [], set()
        for group in sorted({path[0] for path in tree.paths.values()}):
            held |= {code for code, path in tree.paths.items() if path[0] == group}
            if sum(self.counts[number][code] for code in held) >= self.k:
                found.append(held)
                held = set()
        if found and held:
            found[-1] |= held
        return found if len(found) > 1 else None

    def _by_leaves(self, number, covered):
        tree = self.trees[number]
        known = [code for code, path in tree.paths.items() if path is not None]
        if len(covered) == 1:
            return 0
        if len(covered) == len(tree.paths) + 1:
            return self.scale
        if self.cells[number] is not None:
            values = self.numbers[number]
            share = self.scale / (values[-1] - values[1])
            return round((values[max(covered)] - values[1]) * share - (values[min(covered)] - values[1]) * share)
        return (len(covered) - 1) * self.scale // max(len(known) - 1, 1)

    def _by_entropy(self, number, covered):
        bits = self._entropy(self.counts[number], covered)
        return round(bits * self.scale / self.bits) if self.bits else 0

    @staticmethod
    def _entropy(counts, covered):
        held = [counts[code] for code in covered if counts[code]]
        total = sum(held)
        return math.log2(total) - sum(count * math.log2(count) for count in held) / total if held else 0.0
