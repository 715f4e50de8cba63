"""The explorer in a real browser: sliders move, numbers follow, a rule is saved and taken back."""

import contextlib

import browsers
import pytest
from oracles import people

from anonduck import Project
from anonduck.report.explorer.explorer import explorer_of
from anonduck.report.explorer.server import serving

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(browsers.missing()), reason=browsers.missing() or "a browser is there"),
]
CONFIG = """source: people.parquet
class: class
identifiers: [id]
insensitive: [note]   # free text
requirement: {k: 4, suppression: 0.05}
models: []
methods: [rules, mondrian]
select: loss
rule: age=3,job=1
"""
LOOKS = [(scheme, width) for scheme in ("light", "dark") for width in browsers.WIDTHS]


@pytest.fixture
def browser():
    """A browser for a test: one that stays open between tests takes processor time all the while."""
    with browsers.chromium() as one:
        yield one


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("explored")
    people(300).to_parquet(made / "people.parquet")
    return made


@pytest.fixture(scope="module")
def explorer(folder):
    (folder / "anonduck.yml").write_text(CONFIG)
    with Project(folder / "anonduck.yml") as one:
        one.discover(budget=50)
        with explorer_of(one.workspace) as opened:
            yield opened


@pytest.fixture(scope="module")
def server(explorer):
    with serving(explorer) as one:
        yield one


@contextlib.contextmanager
def opened(browser, server, scheme="light", width=1400):
    """The page; ``said`` holds messages, errors and requests for anything but its own questions."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page, said = context.new_page(), []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda one: None if one.url.startswith(server.url) else said.append(f"asked for {one.url}"))
    page.said = said
    page.goto(server.url)
    page.wait_for_selector("body[data-ready]", state="attached")
    try:
        yield page
    finally:
        context.close()


def fact(page, name):
    return page.locator(f"[data-fact={name}] strong").inner_text()


def shown(page, explorer, **asked):
    """Wait until the page shows what is asked; what the explorer itself says of it."""
    wanted = explorer.measure(asked)
    page.wait_for_function(
        "([rule, k]) => document.getElementById('literal').textContent === rule && "
        "document.body.dataset.shown.includes(`k >= ${k}`)",
        arg=[wanted["literal"], asked["k"]],
    )
    return wanted


@pytest.mark.some(1, 1)
@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_it_draws_without_an_error_or_a_request(browser, server, scheme, width):
    with opened(browser, server, scheme, width) as page:
        assert page.said == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("#sliders input").count() == 3
        assert browsers.barriers(page) == []


def test_numbers_follow_the_sliders(browser, server, explorer):
    with opened(browser, server) as page:
        first = shown(page, explorer, levels={"age": 3, "job": 1}, k=4, suppression=0.05)
        assert fact(page, "k") == str(first["k"])
        page.locator("input[data-column=age]").press("ArrowLeft")
        second = shown(page, explorer, levels={"age": 2, "job": 1}, k=4, suppression=0.05)
        assert (fact(page, "k"), fact(page, "classes")) == (str(second["k"]), str(second["classes"]))
        assert (second["k"], second["classes"]) != (first["k"], first["classes"])
        assert "Meets" in page.locator("#verdict").inner_text()
        page.locator("#k").fill("60")
        third = shown(page, explorer, levels={"age": 2, "job": 1}, k=60, suppression=0.05)
        assert third["unmet"]
        assert "Misses" in page.locator("#verdict").inner_text()
        assert fact(page, "blocked") == str(third["failing"])
        bars = page.locator("#sizes .bar").all_inner_texts()
        assert len(bars) == len(third["sizes"])
        page.locator("#required").click()
        shown(page, explorer, levels={"age": 2, "job": 1}, k=4, suppression=0.05)
        assert page.said == []


def test_candidates_are_listed_and_rules_among_them_tried(browser, server, explorer):
    offered = explorer.state()["offered"]
    with opened(browser, server) as page:
        rows = page.locator("#offered tbody tr")
        assert rows.count() == len(offered) > 1
        rule = next(one for one in offered if one["levels"])
        page.get_by_role("button", name=f"Try {rule['id']}", exact=True).click()
        shown(page, explorer, levels=rule["levels"], k=4, suppression=0.05)
        assert fact(page, "k") == str(rule["k"])
        coarse = explorer.state()["starts"][-1]
        page.locator("#start").select_option(coarse["name"])
        told = shown(page, explorer, levels=coarse["levels"], k=4, suppression=0.05)
        marked = page.locator("#offered tr.better").evaluate_all("rows => rows.map((row) => row.dataset.candidate)")
        assert marked == told["beaten_by"]
        assert all(name in page.locator("#beaten").inner_text() for name in marked)
        assert page.said == []


@pytest.mark.nightly
def test_k_counts_persons_where_the_config_has_an_entity(browser):
    table = people(300).assign(id=[number // 3 for number in range(300)])
    given = {"class_": "class", "entity": "id", "insensitive": ["note"], "requirement": {"k": 2}}
    with (
        Project(source=table, **given) as one,
        explorer_of(one.workspace) as own,
        serving(own) as server,
        opened(browser, server) as page,
    ):
        assert "Persons in each class" in page.locator("#asked").inner_text()
        assert "up to 3 records, so that k persons are sure to be in 3 (k - 1) + 1" in page.inner_text("header")
        assert page.locator("#k").input_value() == "2"
        found = own.measure({"levels": {"age": 1, "job": 1, "rate": 1}, "k": 2, "suppression": 0.0})
        page.locator("#k").fill("5")
        page.wait_for_function("() => document.body.dataset.shown.includes('k >= 13 (5 persons)')")
        assert page.locator("#sizes .bar").count()
        assert found["k_required"] == 4
        assert page.said == []


def test_a_rule_is_saved_and_taken_back(browser, server, folder):
    path = folder / "anonduck.yml"
    with opened(browser, server) as page:
        page.locator("input[data-column=age]").fill("0")
        page.locator("input[data-column=job]").fill("0")
        page.locator("input[data-column=rate]").fill("0")
        page.wait_for_function("() => document.getElementById('literal').textContent === 'age=0,job=0,rate=0'")
        assert page.locator("#save").is_disabled()
        assert "anonduck.yml requires more" in page.locator("#saved").inner_text()
        page.locator("#start").select_option(index=0)
        page.locator("input[data-column=age]").press("End")
        page.wait_for_function("() => document.getElementById('literal').textContent === 'job=1'")
        page.locator("#save").click()
        page.wait_for_selector("#undo:not([hidden])")
        assert "now has the rule job=1" in page.locator("#saved").inner_text()
        assert path.read_text() == CONFIG.replace("rule: age=3,job=1", "rule: 'job=1'")
        page.locator("#undo").click()
        page.wait_for_selector("#undo", state="hidden")
        assert path.read_text() == CONFIG
        assert page.said == []


def choose(page, literal, *moves):
    """Start from the file's rule, move sliders, and wait for the rule that is then shown."""
    page.locator("#start").select_option(index=0)
    for column, key in moves:
        page.locator(f"input[data-column={column}]").press(key)
    page.wait_for_function("rule => document.getElementById('literal').textContent === rule", arg=literal)


def test_in_two_tabs_each_takes_back_its_own_save(browser, server, folder):
    path = folder / "anonduck.yml"
    path.write_text(CONFIG)
    with opened(browser, server) as one, opened(browser, server) as other:
        for page, literal, column in ((one, "job=1", "age"), (other, "age=3", "job")):
            choose(page, literal, (column, "End"))
            page.locator("#save").click()
            page.wait_for_selector("#undo:not([hidden])")
        assert path.read_text() == CONFIG.replace("rule: age=3,job=1", "rule: 'age=3'")
        one.locator("#undo").click()
        one.wait_for_function("() => document.getElementById('saved').textContent.includes('another page saved')")
        assert path.read_text() == CONFIG.replace("rule: age=3,job=1", "rule: 'age=3'")
        other.locator("#undo").click()
        other.wait_for_selector("#undo", state="hidden")
        assert "job=1" in other.locator("#saved").inner_text()
        assert path.read_text() == CONFIG.replace("rule: age=3,job=1", "rule: 'job=1'")
        assert other.said == []
        assert ["status of 422" in said for said in one.said] == [True]  # what was refused
    path.write_text(CONFIG)


@pytest.mark.nightly
def test_a_page_whose_server_has_stopped_says_so(browser, explorer):
    with serving(explorer) as short, opened(browser, short) as page:
        short.shutdown()
        short.server_close()
        page.locator("input[data-column=age]").press("ArrowLeft")
        page.wait_for_selector("body[data-failed]", state="attached", timeout=60_000)
        assert "Start it again" in page.locator("#verdict").inner_text()
        assert page.locator("#save").is_disabled()
