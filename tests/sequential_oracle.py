"""Sequential anonymization as one would write it on paper: a class is a set of rows, and a move is made row by row."""

from dataclasses import dataclass, replace

from mondrian_oracle import Oracle

PASSES, ROUNDS, LEAST, LISTED = 10, 200, 500, 8


@dataclass
class Sequential:
    """``mondrian`` is an oracle that has not begun; ``ranks`` end ties; ``classes`` may become empty."""

    mondrian: Oracle
    ranks: list
    classes: list

    def loss(self, rows):
        trees = enumerate(self.mondrian.trees)
        widths = sum(tree.width({self.mondrian.rows[row][i] for row in rows}) for i, tree in trees) if rows else 0
        return self.mondrian.size(rows) * widths

    def total(self):
        return sum(map(self.loss, self.classes))

    def of(self, row):
        return next(one for one in self.classes if row in one)

    def rank(self, members):
        return self.ranks[min(members)]

    def rise(self, row, members):
        if not members or row in members:
            return float("inf")
        return self.loss(members | {row}) - self.loss(members)

    def change(self, row, members):
        own = self.of(row)
        return self.rise(row, members) + self.loss(own - {row}) - self.loss(own)

    def improved(self):
        for _ in range(PASSES):
            before = self.total()
            self.improve()
            cut = replace(self.mondrian).classes([sorted(one) for one in self.classes if one])
            self.classes = [set(one) for one in cut]
            gained = before - self.total()
            if gained * LEAST < before or not gained:
                break
        return {frozenset(one) for one in self.classes}

    def improve(self):
        in_order = sorted(self.classes, key=self.rank)
        parts = [in_order[number::LISTED] for number in range(min(LISTED, len(in_order)))]
        listed = {
            row: [min(part, key=lambda one: self.rise(row, one)) for part in parts]
            for members in self.classes
            if self.loss(members)
            for row in members
        }
        for _ in range(ROUNDS):
            if not self.round(listed):
                break
        self.give_up(listed)

    def best(self, row, listed):
        return min(listed, key=lambda one: self.rise(row, one))

    def round(self, listed):
        allowed, k = self.mondrian.meets, self.mondrian.k
        wanted = []
        for row, others in listed.items():
            own, target = self.of(row), self.best(row, others)
            if own == {row} or self.mondrian.size(own - {row}) >= k:
                wanted.append((self.change(row, target), self.ranks[row], row, target))
        used, chosen = [], []
        for change, _, row, target in sorted(wanted, key=lambda one: one[:2]):
            own = self.of(row)
            if change < 0 and not any(one is own or one is target for one in used):
                used += [own, target]
                chosen.append((row, own, target))
        for row, own, target in chosen:
            stays, comes = own == {row} or allowed(sorted(own - {row})), allowed(sorted(target | {row}))
            if stays and comes:
                own.remove(row)
                target.add(row)
            listed[row] = [own if not stays or (not comes and one is target) else one for one in listed[row]]
        return bool(chosen)

    def give_up(self, listed):
        wanted = []
        for members in self.classes:
            if members and members <= listed.keys():
                targets = {row: self.best(row, listed[row]) for row in members}
                change = sum(self.rise(row, target) for row, target in targets.items()) - self.loss(members)
                wanted.append((change, self.rank(members), members, targets))
        used, chosen = [], []
        for change, _, members, targets in sorted(wanted, key=lambda one: one[:2]):
            touched = [members, *targets.values()]
            if change < 0 and not any(one is other for one in used for other in touched):
                used += touched
                chosen.append((members, targets))
        for members, targets in chosen:
            there = {id(target): target for target in targets.values()}
            grown = {key: target | {row for row in members if targets[row] is target} for key, target in there.items()}
            falls = sum(map(self.loss, grown.values())) < self.loss(members) + sum(map(self.loss, there.values()))
            if falls and all(self.mondrian.meets(sorted(one)) for one in grown.values()):
                members.clear()
                for key, target in there.items():
                    target.update(grown[key])
