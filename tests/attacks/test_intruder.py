"""The motivated intruder: links, confidence and hits against plain Python, and what is written where."""

import json
import os
from collections import Counter
from math import exp, log

import numpy as np
import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

import anonduck
from anonduck.attacks.intruder import AttackedFiles, intrude
from anonduck.attacks.plan import AttackOptions
from anonduck.attacks.probable_links import LinkedClasses, LinkedColumn, claim, effort, learn
from anonduck.attacks.rates import Rate
from anonduck.attacks.tables import AttackedTables
from anonduck.cli.app import run
from anonduck.errors import AuditError, ConfigError

pytestmark = pytest.mark.usefixtures("without_splink", "few_trees")

QUASI, KEPT, KEY = ['odd "zone', "street, no"], "#disease", "who is who"
ZONES = {"a": ("ab", "*"), "b": ("ab", "*"), "c": ("cd", "*"), "d": ("cd", "*"), None: ("*", "*")}
STREETS = {"x": ("xy", "*"), "y": ("xy", "*"), "z": ("z", "*"), None: ("*", "*")}
PATHS = (ZONES, STREETS)

# -- by brute force ----------------------------------------------------------------------------------------------------

zone, street = st.sampled_from([*ZONES]), st.sampled_from([*STREETS])
values = st.tuples(zone, street, st.sampled_from(["flu", "cold"]))


@st.composite
def registers(draw):
    """Records with keys, several of some people; their release at one level or each at its own; and a register with
    missing and wrong facts, and controls.
    """
    rows = draw(st.lists(values, min_size=2, max_size=9))
    keys = [draw(st.integers(0, len(rows) - 1)) for _ in rows]
    level = st.tuples(st.integers(0, 2), st.integers(0, 2))
    nested, one = draw(st.booleans()), draw(level)
    levels = [draw(level) if nested else one for _ in rows]
    released = [
        (*((row[j], *PATHS[j][row[j]])[at[j]] for j in range(2)), row[2]) for row, at in zip(rows, levels, strict=True)
    ]
    known = sorted({draw(st.sampled_from(keys)), *draw(st.lists(st.sampled_from(keys), max_size=5))})
    people = []
    for key in [*known, *(100 + n for n in range(draw(st.integers(0, 3))))]:
        facts = rows[keys.index(key)][:2] if key in keys and draw(st.booleans()) else (draw(zone), draw(street))
        people.append((key, *facts))
    columns = draw(st.sampled_from([(0, 1), (0,), (1,)]))
    return list(zip(keys, rows, strict=True)), released, people, columns


def covers(j, label, value):
    return label in (value, *PATHS[j][value])


class Intruder:
    """The links by their definition, over each pair of a person and a row."""

    def __init__(self, released, people, columns):
        self.rows, self.people, self.columns = released, people, columns
        self.right = {j: max(0.9, (1 + self.by_chance(j)) / 2) for j in columns}
        self.most = min(1.0, len(released) / len(people))
        self.inside = min(self.most, 1 - 1e-6) / 2
        for _ in range(200):
            before = [*self.right.values(), self.inside]
            self.step()
            if max(abs(a - b) for a, b in zip(before, [*self.right.values(), self.inside], strict=True)) < 1e-6:
                break

    def share(self, j, label):
        known = [person[1 + j] for person in self.people if person[1 + j] is not None]
        return sum(covers(j, label, value) for value in known) / max(len(known), 1)

    def by_chance(self, j):
        return min(max(sum(self.share(j, row[j]) for row in self.rows) / len(self.rows), 1e-6), 1 - 1e-6)

    def weight(self, person, row):
        found = 0.0
        for j in self.columns:
            if person[1 + j] is not None:
                m, u = self.right[j], min(max(self.share(j, row[j]), 1e-6), 1 - 1e-6)
                found += log(m / u) if covers(j, row[j], person[1 + j]) else log((1 - m) / (1 - u))
        return found

    def posteriors(self, person):
        parts = [self.inside / len(self.rows) * exp(self.weight(person, row)) for row in self.rows]
        return [part / (1 - min(self.inside, 1 - 1e-12) + sum(parts)) for part in parts]

    def step(self):
        sums = {j: [0.0, 0.0] for j in self.columns}
        inside = 0.0
        for person in self.people:
            for row, chance in zip(self.rows, self.posteriors(person), strict=True):
                inside += chance
                for j in self.columns:
                    if person[1 + j] is not None:
                        sums[j][0] += chance * covers(j, row[j], person[1 + j])
                        sums[j][1] += chance
        self.inside = min(max(inside / len(self.people), 1e-6), self.most)
        for j, (agreeing, every) in sums.items():
            learned = agreeing / every if every else self.right[j]
            self.right[j] = min(max(learned, self.by_chance(j)), 1 - 1e-6)

    def best(self, person):
        weights = [self.weight(person, row) for row in self.rows]
        return [at for at, one in enumerate(weights) if one >= max(weights) - 1e-9]

    def fitting(self, person):
        known = [j for j in self.columns if person[1 + j] is not None]
        return [at for at, row in enumerate(self.rows) if all(covers(j, row[j], person[1 + j]) for j in known)]


def own_chances(records, released):
    """By record and row, the chance that it is its own: matched one to one as evenly as can be."""
    fit = np.array(
        [[row[2] == r[2] and all(covers(j, row[j], r[j]) for j in (0, 1)) for row in released] for _, r in records],
        dtype=float,
    )
    for _ in range(3000):
        fit = fit / fit.sum(axis=1, keepdims=True)
        fit = fit / fit.sum(axis=0, keepdims=True)
    return fit / fit.sum(axis=1, keepdims=True)


def texts(rows, names):
    columns = zip(*rows, strict=True)
    return pd.DataFrame({name: pd.array([*one], dtype="string") for name, one in zip(names, columns, strict=True)})


def looked_for(shared, released, original, register, quasi, **given):
    """The finding of an intruder, without the other attacks."""
    options = AttackOptions(quasi, **{"sensitive": [KEPT], "intruder_all": True, **given})
    tables = AttackedTables(shared, quasi, options.others, None)
    tables.read(released, original, None, disjoint=False)
    return intrude(shared, AttackedFiles(released, original, None, register), tables, options)


@pytest.mark.slow
@examples(60)
@given(registers())
def test_claims_are_those_of_the_definition(shared, drawn):
    records, released, people, columns = drawn
    names = [QUASI[j] for j in columns]
    taxonomies = {
        name: pd.DataFrame([(value, *above) for value, above in paths.items() if value is not None])
        for name, paths in zip(QUASI, PATHS, strict=True)
    }
    register = texts([(str(key), *(facts[j] for j in columns)) for key, *facts in people], [KEY, *names])
    original = texts([(str(key), *row) for key, row in records], [KEY, *QUASI, KEPT])
    found = looked_for(shared, texts(released, [*QUASI, KEPT]), original, register, QUASI, taxonomies=taxonomies)
    intruder, own = Intruder(released, people, columns), own_chances(records, released)
    hits, chances, members = [], [], {key for key, _ in records}
    for person in people:
        best, fitting = intruder.best(person), intruder.fitting(person)
        mine = [at for at, (key, _) in enumerate(records) if key == person[0]]
        hits.append(sum(own[at][row] for at in mine for row in best) / len(best))
        among = fitting or range(len(released))
        chances.append(sum(own[at][row] for at in mine for row in among) / len(among))
    assert found.people == len(people)
    assert found.members == found.inside == sum(person[0] in members for person in people)
    assert found.controls == len(people) - found.members
    assert found.estimated == pytest.approx(intruder.inside, abs=1e-4)
    assert [one.right for one in found.facts] == pytest.approx([intruder.right[j] for j in columns], abs=1e-4)
    assert found.right.right == pytest.approx(sum(hits), abs=0.02 * len(people))
    assert found.chance == pytest.approx(sum(chances), abs=0.02 * len(people))
    confidence = [max(intruder.posteriors(person)) for person in people]
    if all(abs(one - edge) > 1e-3 for one in confidence for edge in (0.9, 0.5, 0.2, 0.05)):
        bands = Counter(min(place for place, b in enumerate(found.bands) if c >= b.least) for c in confidence)
        assert [band.right.tried for band in found.bands] == [bands[place] for place in range(5)]
        sure = sum(hit for hit, one in zip(hits, confidence, strict=True) if one >= 0.5)
        assert found.found.right == pytest.approx(sure, abs=0.02 * len(people))
    assert found.guesses[0].about == KEPT
    assert found.guesses[0].right.tried == found.inside


@examples(60)
@given(st.lists(st.tuples(st.sampled_from([0.0, 0.3, 0.7, 1.0]), st.sampled_from([0.0, 0.5, 1.0])), min_size=1))
def test_the_effort_curve_orders_claims_by_confidence_and_ties_at_random(claims):
    confidence, hits = (np.array(one) for one in zip(*claims, strict=True))
    for count, right in effort(confidence, hits):
        ordered = sorted(set(confidence), reverse=True)
        left, expected = count, 0.0
        for level in ordered:
            of_it = hits[confidence == level]
            taken = min(left, len(of_it))
            expected += taken * of_it.mean()
            left -= taken
        assert right == pytest.approx(expected)
    assert effort(confidence, hits)[-1][0] == len(claims)


# -- the interval of a sample ------------------------------------------------------------------------------------------


def made_up(seed):
    """A release of 60 rows and 120 people, half of them in it; numbers in groups of a width that the seed draws."""
    drawn = np.random.default_rng(seed)
    people, inside, columns = 120, 60, 3
    truth = drawn.integers(0, 24, (people, columns))
    width = drawn.integers(1, 5)
    facts = np.where(drawn.random(truth.shape) < 0.15, drawn.integers(0, 24, truth.shape), truth)
    facts[drawn.random(truth.shape) < 0.1] = -1
    labels = truth[:inside] // width
    held, places = np.unique(labels, axis=0, return_inverse=True)
    linked = []
    for place in range(columns):
        known = facts[:, place][facts[:, place] >= 0] // width
        shares = np.bincount(known, minlength=24) / len(known)
        linked.append(LinkedColumn(held[:, place], np.arange(25), np.arange(24) // width, shares))
    return LinkedClasses(tuple(linked), np.bincount(places.ravel())), facts, places.ravel()


def right(classes, facts, places, people):
    """By person the chance that the claim is right."""
    asked = facts[people]
    learned = learn(classes, asked, np.ones(len(asked)), 0.5)
    own = np.flatnonzero(people < len(places))
    claims = claim(classes, asked, learned, (own, places[people[own]]))
    hits = np.zeros(len(people))
    hits[own] = claims.chosen / claims.rows[own]
    assert ((claims.confidence >= 0) & (claims.confidence <= 1)).all()
    return hits


@pytest.mark.slow
def test_the_interval_of_a_sample_covers_the_rate_of_the_register():
    covered = 0
    for seed in range(100):
        classes, facts, places = made_up(seed)
        everyone = right(classes, facts, places, np.arange(len(facts))).mean()
        people = np.sort(np.random.default_rng(1000 + seed).choice(len(facts), 40, replace=False))
        hits = right(classes, facts, places, people)
        low, high = Rate(float(hits.sum()), len(people)).interval
        covered += low <= everyone <= high
    assert covered >= 95


def test_rare_facts_weigh_more_and_missing_facts_nothing():
    """Two rows: a label that covers one person of ten, and one that covers the others."""
    column = LinkedColumn(np.array([0, 1]), np.array([0, 1, 2]), np.array([0, 1]), np.array([0.1, 0.9]))
    classes = LinkedClasses((column,), np.array([1, 1]))
    facts = np.array([[0], [1], [-1]])
    learned = learn(classes, facts, np.array([1, 8, 1]), 0.2)
    claims = claim(classes, facts, learned, (np.array([0, 1]), np.array([0, 1])))
    assert claims.confidence[0] > 3 * claims.confidence[1]
    assert claims.confidence[2] == pytest.approx(learned.inside / 2)
    assert claims.rows.tolist() == [1, 1, 2]


# -- releases that are known to leak, and not --------------------------------------------------------------------------


def people(seed, count, noise=0.1):
    """Records with a key, and as a register: names, a fact in ten a year off or missing."""
    drawn = np.random.default_rng(seed)
    records = pd.DataFrame(
        {
            "id": [f"K{seed}-{n}" for n in drawn.permutation(count)],
            "born": drawn.integers(1930, 2000, count),
            "zip": drawn.integers(10000, 10050, count),
            "income": drawn.integers(0, 400, count),
            "ill": drawn.choice(["flu", "cold", "none"], count),
        }
    )
    register = records.drop(columns="ill").assign(name=[f"Ada Nr {seed} {n}" for n in range(count)])
    register["born"] += drawn.random(count) < noise
    register["income"] = register["income"].astype("Int64").mask(drawn.random(count) < noise)
    return records, register.sample(frac=1, random_state=seed)


@pytest.fixture(scope="module")
def both():
    """Records of 600 people in the release, 600 who are not, and a register of them all."""
    (records, known), (others, unknown) = people(1, 600), people(2, 600)
    return records, others, pd.concat([known, unknown])


def test_a_release_of_single_rows_leaks(shared, both):
    records, _, register = both
    found = looked_for(shared, records.drop(columns="id"), records, register, None, sensitive=["ill"])
    assert (found.people, found.members, found.inside, found.controls) == (1200, 600, 600, 600)
    assert found.right.right > 560
    assert found.found.share > 0.9
    sure = [band for band in found.bands if band.least >= 0.5]
    assert sum(band.outside for band in sure) < 0.1 * sum(band.right.tried for band in sure)
    assert dict(found.effort)[100] > 98
    assert found.guesses[0].right.share > 0.9
    assert found.estimated == pytest.approx(0.5, abs=0.05)


def test_a_release_of_large_groups_does_not(shared, both):
    records, _, register = both
    released = records.drop(columns=["id", "income"]).assign(
        born=(records["born"] // 40 * 40).map(lambda low: f"[{low}, {low + 40})"),
        zip=(records["zip"] // 25 * 25).map(lambda low: f"[{low}, {low + 25})"),
    )
    assert released.groupby(["born", "zip"]).size().min() >= 50
    found = looked_for(shared, released, records, register, None, sensitive=["ill"])
    assert found.right.right / 600 < 1 / 50
    assert all(band.right.right == 0 for band in found.bands if band.least >= 0.5)
    assert found.found.share == 0


def test_people_whose_records_were_left_out_are_told_from_controls(shared, both):
    records, _, register = both
    released = records[records["zip"] > 10001].drop(columns="id")
    found = looked_for(shared, released, records, register, None, sensitive=["ill"])
    assert (found.inside, found.left_out, found.controls) == (len(released), 600 - len(released), 600)


def test_more_people_than_rows_share_the_rows(shared, both):
    """Of two equal people one was left out: either is right in half of the cases."""
    records, _, register = both
    doubled = pd.concat([records, records.assign(id="K1-twin")]).iloc[[0, 600]]
    both_known = pd.concat([register[register["id"] == records["id"][0]]] * 2).assign(id=doubled["id"].to_numpy())
    found = looked_for(shared, records.iloc[:1].drop(columns="id"), doubled, both_known, None, sensitive=["ill"])
    assert (found.inside, found.right.right) == (2, pytest.approx(1.0))


# -- what is written where ---------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch, both):
    records, others, register = both
    records.drop(columns="id").to_parquet(tmp_path / "out.parquet")
    records.to_parquet(tmp_path / "records.parquet")
    others.to_parquet(tmp_path / "others.parquet")
    register.to_csv(tmp_path / "register.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


ATTACK = ["attack", "out.parquet", "--original", "records.parquet", "--sensitive", "ill", "--no-splink"]


@pytest.mark.slow
def test_only_counts_are_printed_and_the_owners_file_keeps_them(folder, capsys, both):
    _, _, register = both
    owners = folder / "out.parquet.owner.json"
    owners.write_text(json.dumps({"sha256": "of it", "utility": {"accuracy": 0.5}}))
    wanted = [*ATTACK, "--control", "others.parquet", "--intruder", "register.csv", "--guesses", "200"]
    assert run([*wanted, "--downcoding", "--link", "born,zip", "--link", "income", "--json"]) == 0
    told = capsys.readouterr()
    printed, kept = json.loads(told.out), json.loads(owners.read_text())
    assert {one["attack"] for one in printed["attacks"]} >= {"two sources (Gower)", "rare combinations"}
    assert kept["utility"] == {"accuracy": 0.5}
    assert {**printed["intruder"], "attacked_sha256": kept["intruder"]["attacked_sha256"]} == kept["intruder"]
    assert kept["intruder"]["attacked"] == 200
    assert kept["intruder"]["inference"][0]["control_people"] == kept["intruder"]["controls"] > 50
    assert owners.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in folder.iterdir()) == [
        *("others.parquet", "out.parquet", "out.parquet.owner.json", "records.parquet", "register.csv")
    ]
    owners.unlink()
    assert run([*wanted, "--seed", "3"]) == 0
    shown = capsys.readouterr()
    assert json.loads(owners.read_text()).keys() == {"file", "intruder"}
    assert owners.stat().st_mode & 0o777 == 0o600
    assert "claims of an intruder" in shown.out
    every = " ".join([told.out, told.err, shown.out, shown.err, json.dumps(kept), owners.read_text()])
    assert not any(secret in every for secret in (*register["id"], *register["name"]))
    assert not any(f" {zip_code}" in every for zip_code in register["zip"].unique())


@pytest.mark.slow
def test_python_returns_the_same_and_looks_for_all_on_request(folder, both):
    records, _, register = both
    found = anonduck.attack(
        records.drop(columns="id"), records, intruder=register, intruder_key="id", intruder_all=True
    )
    assert found.intruder.right.tried == 1200
    assert found.as_json()["intruder"]["people"] == 1200
    assert list(folder.glob("*.owner.json")) == []  # a table in memory has none
    again = anonduck.attack("out.parquet", records, intruder=register.sort_values("zip"), intruder_all=True)
    assert again.intruder.as_json()["bands"] == found.intruder.as_json()["bands"]


REFUSED = {
    "the register shares no quasi-identifier": (["id", "name"], {}, []),
    "have no column in common": (["born", "zip"], {}, []),
    "has to be a column of the register and the original": (["id", "born"], {}, ["--intruder-key", "name"]),
    "the key is the one column": (["id", "born"], {"id": "K1-1"}, []),
    "the key 'id' of the register has 1 values": (["id", "born"], {"id": "K1-1"}, ["--intruder-key", "id"]),
    "nobody of the register is in the original": (["id", "born"], {"id": None}, []),
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_cannot_be_checked_is_refused(folder, capsys, both, said):
    columns, changed, options = REFUSED[said]
    register = both[2][columns].copy()
    for name, value in changed.items():
        register[name] = value if value else [f"unknown {n}" for n in range(len(register))]
    register.to_csv(folder / "register.csv", index=False)
    before = sorted(os.listdir(folder))
    assert run([*ATTACK, "--intruder", "register.csv", *options]) == 2
    told = capsys.readouterr()
    assert said in " ".join(told.err.split())
    assert "K1-" not in told.err
    assert told.out == ""
    assert sorted(os.listdir(folder)) == before


def test_a_register_without_people_or_several_keys_is_refused(folder, capsys, both):
    records, _, register = both
    register.iloc[:0].to_csv(folder / "register.csv", index=False)
    assert run([*ATTACK, "--intruder", "register.csv"]) == 2
    assert "the register has no people" in capsys.readouterr().err
    register.assign(number=range(1200)).to_csv(folder / "register.csv", index=False)
    records.assign(number=range(600)).to_parquet(folder / "records.parquet")
    assert run([*ATTACK, "--intruder", "register.csv"]) == 2
    assert "Name it with `--intruder-key COLUMN`" in " ".join(capsys.readouterr().err.split())
    assert run([*ATTACK, "--intruder-all"]) == 2
    assert "name it with --intruder REGISTER" in " ".join(capsys.readouterr().err.split())
    with pytest.raises(AuditError, match="--intruder REGISTER"):
        anonduck.attack("out.parquet", records, intruder_key="id")


def test_swapped_values_are_refused(shared, both):
    records, _, register = both
    swapped = records.drop(columns="id").assign(income=records["income"].sample(frac=1, random_state=1).to_numpy())
    with pytest.raises(AuditError, match="no released row that agrees"):
        looked_for(shared, swapped, records, register, None, sensitive=["ill"])


def test_an_owners_file_that_cannot_be_kept_is_refused_first(folder, both):
    records, _, register = both
    (folder / "out.parquet.owner.json").write_text("[]")
    with pytest.raises(AuditError, match="is no owner's file"):
        anonduck.attack("out.parquet", records, intruder=register)
    assert (folder / "out.parquet.owner.json").read_text() == "[]"


@pytest.mark.slow
def test_a_failed_write_leaves_the_owners_file_as_it_was(folder, monkeypatch, both):
    records, _, register = both
    owners = folder / "out.parquet.owner.json"
    owners.write_text(json.dumps({"utility": 1}))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(ConfigError):
        anonduck.attack("out.parquet", records, ["born"], intruder=register)
    assert json.loads(owners.read_text()) == {"utility": 1}
    assert list(folder.glob(".*")) == []
