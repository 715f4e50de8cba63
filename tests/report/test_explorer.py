"""The explorer: its numbers against the rows themselves, who may ask, and what is saved."""

import http.client
import itertools
import json
import socket
import threading
from collections import Counter

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from judging import judged_tables, judges, requirements
from oracles import coded, generalized, measured, people, project, records_of, roots_of, tables, told_of_all

from anonduck import Project
from anonduck.database.connection import Database
from anonduck.errors import AuditError, ConfigError, RequirementNotMet
from anonduck.measures.judge import RuleJudge
from anonduck.measures.measures import measure_totals
from anonduck.measures.requirement import Requirement
from anonduck.measures.rule_utility import utility_of
from anonduck.privacy.requirement import ask
from anonduck.report.explorer.explorer import LOSS, answer_of, asked_for, explorer_of
from anonduck.report.explorer.server import ExplorerServer, serving
from anonduck.rules.rule import RuleSpace
from anonduck.search.lattice.costs import make_goal


def loss_of(database, taxonomies, judge):
    attributes = records_of(database, taxonomies, judge).attributes(LOSS)
    return make_goal(LOSS, list(attributes), list(attributes.values()), k=1, weights={})


@st.composite
def asked(draw):
    names, paths, _ = table = draw(tables())
    vector = tuple(draw(st.integers(0, root)) for root in roots_of(names, paths))
    return table, vector, draw(st.integers(1, 5)), draw(st.sampled_from([0.0, 0.1, 0.5, 0.9]))


@pytest.mark.slow
@given(asked())
@examples(60)
def test_numbers_are_those_of_the_rows(shared, drawn):
    (names, paths, rows), vector, k, suppression = drawn
    taxonomies = coded(shared, names, paths, rows)
    space, totals = RuleSpace(tuple(names), roots_of(names, paths)), measure_totals(shared)
    requirement = Requirement(ask({"k": 2}))
    judge = RuleJudge(shared, space, requirement, totals)
    goal = loss_of(shared, {name: taxonomies[name] for name in names}, judge)
    answer = answer_of(judge.under(asked_for(requirement, k, suppression)), goal, vector)

    shown = generalized(names, paths, rows, vector)
    sized = Counter(row[:-1] for row in shown)
    failing = sum(size for size in sized.values() if size < k)
    allowed = failing / len(rows) <= suppression + 1e-9
    stays = [at for at, row in enumerate(shown) if sized[row[:-1]] >= k]
    stays = stays if allowed and suppression else list(range(len(rows)))
    assert answer.failing == failing
    assert bool(answer.unmet) == (failing > 0 and not (allowed and suppression))
    kept = [shown[at] for at in stays]
    sizes = Counter(row[:-1] for row in kept)
    assert answer.measures.k == min(sizes.values())
    assert answer.measures.classes == len({row[:-1] for row in kept})
    assert answer.measures.information_gain == pytest.approx(told_of_all(names, paths, rows, stays, vector), abs=2e-6)
    assert answer.measures.violating_pairs == measured(names, paths, rows, vector)[4]
    assert sum(one.records for one in answer.sizes) == len(kept)
    assert sum(one.classes for one in answer.sizes) == len(sizes)
    ends = [*(one.lower for one in answer.sizes[1:]), len(rows) + 1]
    for one, end in zip(answer.sizes, ends, strict=True):
        assert one.records == sum(size for size in sizes.values() if one.lower <= size < end)
    assert not [one for one in answer.sizes if 1 < one.lower < k], "sizes under k stand together"


def project_config():
    with project(people(40), models=[]) as one:
        return one.config


@pytest.mark.slow
@given(judged_tables(), requirements(), st.data())
@examples(40)
def test_the_loss_is_that_of_the_rule(shared, table, requirement, data):
    names, paths, *_ = table
    _, judge, taxonomies = judges(shared, table, requirement)
    vector = tuple(data.draw(st.integers(0, root)) for root in roots_of(names, paths))
    try:
        answer = answer_of(judge, loss_of(shared, taxonomies, judge), vector)
    except AuditError:
        return
    utility = utility_of(records_of(shared, taxonomies, judge).columns, project_config(), judge)
    if not answer.unmet:
        levels = judge.space.named(vector)
        assert answer.loss == pytest.approx(utility(levels, answer.measures.suppressed, ["loss"])["loss"], abs=1e-9)


# -- a project ---------------------------------------------------------------------------------------------------------

CONFIG = """# the people
source: people.parquet
class: class  # yes or no
identifiers: [id]
insensitive: [note]
requirement: {k: 3, suppression: 0.05}
models: []
select: information_gain
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("people")
    people(200).to_parquet(made / "people.parquet")
    (made / "anonduck.yml").write_text(CONFIG)
    return made


@pytest.fixture(autouse=True)
def config(request):
    """The config is the same before each test."""
    yield
    if "folder" in request.fixturenames:
        (request.getfixturevalue("folder") / "anonduck.yml").write_text(CONFIG)


@pytest.fixture(scope="module")
def explorer(folder):
    with Project(folder / "anonduck.yml") as one, explorer_of(one.workspace) as opened:
        yield opened


MET = {"levels": {"age": 3, "job": 1}, "k": 3, "suppression": 0.05}
MISSED = {"levels": {"age": 0, "job": 0}, "k": 3, "suppression": 0.05}


def test_candidates_stand_beside_the_rule_that_is_tried():
    asked = {"class_": "class", "identifiers": ["id"], "insensitive": ["note"], "requirement": {"k": 3}, "models": []}
    with project(people(120), **asked, methods=["rules", "mondrian"], select="loss") as one:
        one.discover(budget=100)
        found = one.candidates().to_dict("records")
        with explorer_of(one.workspace) as opened:
            told = opened.state()["offered"]
            assert {line["id"] for line in told} == {row["id"] for row in found if row["failed"] is None}
            rules = [line for line in told if line["levels"]]
            assert rules
            assert [line["levels"] for line in told if line["id"] == "M1"] == [None]
            for line in rules:
                answer = opened.measure({"levels": line["levels"], "k": 3, "suppression": 0})
                assert (answer["k"], answer["loss"]) == (line["k"], pytest.approx(line["loss"], abs=1e-6))
            beaten = set()
            columns = opened.state()["columns"]
            for vector in itertools.product(*(range(one["root"] + 1) for one in columns)):
                levels = {one["name"]: level for one, level in zip(columns, vector, strict=True)}
                answer = opened.measure({"levels": levels, "k": 3, "suppression": 0})
                better = [
                    line["id"] for line in told if line["k"] >= answer["k"] and line["loss"] < answer["loss"] - 1e-6
                ]
                assert answer["beaten_by"] == better
                beaten |= set(better)
            assert "M1" in beaten


@pytest.mark.slow
def test_what_it_says_of_a_rule_is_what_a_release_comes_to(explorer, folder):
    with Project(folder / "anonduck.yml") as one:
        for levels in ({"age": 3, "job": 1}, {"age": 2}, {"rate": 0, "job": 1}):
            told = explorer.measure({**MET, "levels": levels})
            release = one.release(levels, dry_run=True)
            assert (told["k"], told["classes"], told["suppressed"]) == (release.k, release.classes, release.suppressed)
            assert told["records"] == release.rows
            assert told["unmet"] == told["misses"] == []
        told = explorer.measure(MISSED)
        assert told["unmet"] == told["misses"] != []
        with pytest.raises(RequirementNotMet):
            one.release(MISSED["levels"], dry_run=False, path=folder / "r.parquet")
        assert one.release(MISSED["levels"], dry_run=True).blocked.failing == told["failing"]


def test_sensitive_values_are_read_before_the_database_is_closed():
    required = {"k": 2, "l": 2, "suppression": 0.2}
    given = {"sensitive": ["job"], "quasi_identifiers": ["age"], "requirement": required, "models": []}
    with project(people(60), **given) as one, explorer_of(one.workspace) as opened:
        told = opened.measure({"levels": {"age": 2}, "k": 2, "suppression": 0.2})
        release = one.release({"age": 2}, dry_run=True)
    reached = {one["name"]: one["reached"] for one in release.receipt["requirements"]}
    assert {"k": told["k"], **told["privacy"]} == {name: reached[name] for name in ("k", "l")}


@pytest.mark.slow
def test_what_is_tried_is_not_what_the_config_requires(explorer):
    told = explorer.measure({**MISSED, "k": 1})
    assert told["unmet"] == []
    assert told["misses"], "the config asks for more"
    assert explorer.measure({**MET, "k": 150})["unmet"]
    assert explorer.measure({**MET, "levels": {}})["unmet"] == [
        "no column is under its root, so that there is nothing to release"
    ]


@pytest.mark.slow
def test_it_leaves_the_decision_database_alone_and_free(folder):
    with Project(folder / "anonduck.yml") as one:
        one.discover()
        before = one.rules()
        with explorer_of(one.workspace) as opened:
            other = Database(folder / "anonduck.duckdb")
            other.close()
            assert len(opened.starts) > 1
        assert one.rules().equals(before)
        assert one.stale() == []


@pytest.mark.slow
def test_two_projects_on_one_file_take_turns_while_it_is_read(folder):
    found = []

    def explore():
        with Project(folder / "anonduck.yml") as one, explorer_of(one.workspace) as opened:
            found.append(opened.measure(MET)["k"])

    with Project(folder / "anonduck.yml") as one:
        threads = [threading.Thread(target=explore) for _ in range(2)]
        for thread in threads:
            thread.start()
        k = one.release(MET["levels"], dry_run=True).k
        for thread in threads:
            thread.join()
    assert found == [k, k]


@pytest.mark.slow
def test_a_rule_is_saved_and_taken_back(explorer, folder):
    path = folder / "anonduck.yml"
    assert explorer.save(MET) == {"rule": "age=3,job=1", "config": "anonduck.yml", "save": 1}
    assert path.read_text() == CONFIG + "rule: 'age=3,job=1'\n"
    with Project(path) as one:
        assert one.run(folder / "r.parquet", report=False).levels == MET["levels"]
    assert explorer.save({**MET, "levels": {"age": 3}})["save"] == 2
    assert path.read_text() == CONFIG + "rule: 'age=3'\n"
    with pytest.raises(ConfigError, match="another page saved a rule after this one"):
        explorer.undo({"save": 1})  # as the page does on which the first was saved
    assert path.read_text() == CONFIG + "rule: 'age=3'\n"
    assert explorer.undo({"save": 2}) == {"rule": "age=3,job=1"}
    assert path.read_text() == CONFIG + "rule: 'age=3,job=1'\n"
    with pytest.raises(ConfigError, match="no rule was saved here"):
        explorer.undo({"save": 2})


@pytest.mark.slow
def test_what_is_taken_back_is_what_the_file_had(explorer, folder):
    path = folder / "anonduck.yml"
    path.write_text(f"{CONFIG}rule: age=2  # chosen by hand\n")
    done = explorer.save(MET)
    assert explorer.undo(done) == {"rule": "age=2"}
    assert path.read_text() == f"{CONFIG}rule: age=2  # chosen by hand\n"


def test_a_rule_that_misses_what_the_config_requires_is_not_saved(explorer, folder):
    for asked in (MISSED, {**MISSED, "k": 1}, {**MISSED, "suppression": 0.9}, {**MET, "levels": {}}):
        with pytest.raises(ConfigError, match="was not saved"):
            explorer.save(asked)
    assert (folder / "anonduck.yml").read_text() == CONFIG
    (folder / "anonduck.yml").write_text(CONFIG.replace("k: 3", "k: 4"))
    with pytest.raises(ConfigError, match="was changed since it was read"):
        explorer.save(MET)


@pytest.mark.slow
def test_a_project_of_arguments_has_nowhere_to_save():
    with project(people(60), models=[]) as one, explorer_of(one.workspace) as opened:
        assert not opened.state()["savable"]
        with pytest.raises(ConfigError, match="no config file"):
            opened.save(MET)
        assert one.release({"job": 1}, dry_run=True).k, "a database in memory stays open"


# -- who may ask -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server(explorer):
    with serving(explorer) as one:
        yield one


def ask_for(server, method, path, body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    given = {"Content-Type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        connection.request(method, path, None if body is None else json.dumps(body), given)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()
    finally:
        connection.close()


@pytest.mark.slow
def test_whoever_knows_the_address_gets_the_page_and_answers(server):
    status, headers, page = ask_for(server, "GET", f"/{server.token}/")
    assert status == 200
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "connect-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert not [name for name in headers if name.startswith("Access-Control")]
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "Python" not in headers["Server"]
    for value in ("clerk", "nurse", "smith"):
        assert value not in page, "no value of the source is served"
    status, _, told = ask_for(server, "POST", f"/{server.token}/measure", MET)
    assert status == 200
    assert json.loads(told)["literal"] == "age=3,job=1"
    assert "clerk" not in told


@pytest.mark.parametrize(("method", "place"), [("GET", ""), ("POST", "measure"), ("POST", "save"), ("POST", "undo")])
def test_without_the_token_nothing_is_told(server, folder, method, place):
    for token in ("", "wrong", server.token[:-1], server.token + "x", "%C3%A9", f"x/../{server.token}"):
        status, _, told = ask_for(server, method, f"/{token}/{place}", MET)
        assert status == 403
        assert "people" not in told
    assert (folder / "anonduck.yml").read_text() == CONFIG


@pytest.mark.parametrize(("method", "place"), [("GET", ""), ("POST", "measure"), ("POST", "save")])
def test_a_page_of_another_origin_is_refused(server, folder, method, place):
    path, port = f"/{server.token}/{place}", server.port
    wrong = (f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}", f"127.0.0.1.evil.example:{port}", "")
    for host in wrong:
        assert ask_for(server, method, path, MET, Host=host)[0] == 403
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}"):
        assert ask_for(server, method, path, MET, Origin=origin)[0] == 403
    assert (folder / "anonduck.yml").read_text() == CONFIG
    for host in (f"127.0.0.1:{port}", f"localhost:{port}"):
        assert ask_for(server, method, path, MET, Host=host, Origin=f"http://{host}")[0] == 200


def test_a_request_without_a_host_or_with_two_is_refused(server):
    for hosts in ("", f"Host: 127.0.0.1:{server.port}\r\nHost: evil.example\r\n", "Host: \xe9\r\n"):
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
            connection.sendall(f"GET /{server.token}/ HTTP/1.1\r\n{hosts}\r\n".encode("latin-1"))
            assert connection.recv(100).startswith(b"HTTP/1.0 403")


def test_only_this_machine_can_connect(server):
    assert server.server_address[0] == "127.0.0.1"
    assert server.socket.family == socket.AF_INET
    own = socket.gethostbyname(socket.gethostname())
    if not own.startswith("127."):
        with pytest.raises(OSError):  # noqa: PT011 - which error depends on the system
            socket.create_connection((own, server.port), timeout=5)


def test_what_is_no_question_is_refused_and_says_why(server):
    asks = f"/{server.token}/measure"
    assert ask_for(server, "POST", asks, [1])[0] == 400
    assert ask_for(server, "POST", asks, MET, Content_Type="text/plain")[0] == 400
    assert ask_for(server, "POST", asks, MET, Content_Length="99999999")[0] == 400
    assert ask_for(server, "POST", f"/{server.token}/nothing", MET)[0] == 404
    assert ask_for(server, "GET", f"/{server.token}/measure")[0] == 404
    assert ask_for(server, "PUT", asks, MET)[0] == 501
    for wrong, words in (
        ({"k": 0}, "k is a whole number"),
        ({"k": True}, "k is a whole number"),
        ({"k": 2.5}, "k is a whole number"),
        ({"suppression": 1}, "a share of the records"),
        ({"suppression": float("nan")}, "a share of the records"),
        ({"levels": {"age": "x"}}, "levels are whole numbers"),
        ({"levels": None}, "levels are whole numbers"),
        ({"levels": {"nope": 1}}, "not a quasi-identifier"),
        ({"levels": {"age": 99}}, "its taxonomy has levels 0 to"),
    ):
        status, _, told = ask_for(server, "POST", asks, {**MET, **wrong})
        assert status == 422
        assert words in json.loads(told)["error"]


def test_a_connection_that_says_nothing_holds_nobody_up(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=20):
        assert ask_for(server, "POST", f"/{server.token}/measure", MET)[0] == 200


@pytest.mark.slow
def test_each_session_has_a_token_of_its_own_and_a_port_that_is_free(explorer, server):
    with serving(explorer) as other:
        assert other.token != server.token
        assert len(other.token) >= 40
        assert ask_for(other, "GET", f"/{server.token}/")[0] == 403
    for port in (server.port, 70_000):
        with pytest.raises(ConfigError, match="cannot be used"):
            ExplorerServer(explorer, port)
