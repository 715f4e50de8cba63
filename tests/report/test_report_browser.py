"""The report in a real browser: it draws, opens rules, filters and switches without an error and without a network."""

import re

import browsers
import pytest
from oracles import people, project

from anonduck import Project
from anonduck.offer.candidates import kept_offer
from anonduck.report.contents import gather
from anonduck.report.described import Beside
from anonduck.report.report import write_report
from anonduck.rules.dependency import percent

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(browsers.missing()), reason=browsers.missing() or "a browser is there"),
]
POINTS = "#frontier-chart path[aria-roledescription='point']"
LOOKS = [(scheme, width) for scheme in ("light", "dark") for width in browsers.WIDTHS]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    with project(people(600), coverage=[0.05, 0.1, 0.3], models=["tree", "bayes"], requirement={"k": 3}) as one:
        one.discover()
        one.report(path)
        rules = {rule.id: rule for rule in one.discovered().rules}
    return path, rules


@pytest.fixture
def browser():
    """A browser for a test: one that stays open between tests takes processor time all the while."""
    with browsers.chromium() as one:
        yield one


@pytest.fixture
def page(browser, report):
    with browsers.opened(browser, report[0]) as one:
        yield one
        assert one.said == []


@pytest.mark.some(1, 1)
@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_it_draws_without_an_error_or_a_request(browser, report, scheme, width):
    with browsers.opened(browser, report[0], scheme=scheme, width=width) as page:
        assert page.said == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width, "nothing is wider than the screen"
        assert page.locator(POINTS).count() >= len(report[1])
        assert (
            page.locator(".chart svg").count()
            == page.locator(".chart").count() - page.locator("[hidden] .chart").count()
        )
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", paper)[:3])) > 380) == (scheme == "light")


PAGES = {
    "report.html": "body[data-ready]",
    "out.parquet.report.html": "body[data-ready]",
    "certificate.html": "footer",
    "for-the-owner.html": "footer",
}
ROOMY = (1280, 1920)


@pytest.mark.parametrize("width", browsers.WIDTHS)
def test_nothing_keeps_people_from_reading_report_and_certificates(browser, offered, width):
    for name, ready in PAGES.items():
        with browsers.opened(browser, offered[0].with_name(name), width=width, ready=ready) as page:
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            assert browsers.barriers(page) == [], name
            assert page.said == []
            if width in ROOMY and "report" in name:
                assert browsers.cramped(page) == [], name


def test_a_chart_that_is_drawn_anew_in_another_width_has_names_for_its_marks(browser, offered):
    with browsers.opened(browser, offered[0], width=1280) as page:
        page.set_viewport_size({"width": 1000, "height": 900})
        page.wait_for_timeout(300)
        assert browsers.barriers(page) == []


def test_a_table_that_is_cut_and_a_cell_of_three_lines_are_found(browser, tmp_path):
    page = tmp_path / "page.html"
    cell = "<td style='width: 1em'>one two three</td><td style='min-width: 900px'>four</td>"
    page.write_text(
        f"<main><div class='scroll' aria-label='it' style='overflow-x: auto'><table><tr>{cell}</table></div>"
    )
    with browsers.opened(browser, page, width=360, ready="main") as opened:
        assert browsers.cramped(opened) == ["cut: it", "squeezed: one two three"]


def test_beside_a_release_the_page_is_about_it(browser, offered):
    path, candidates, _ = offered
    made = candidates.set_index("id").loc["M1"]
    with browsers.opened(browser, path.with_name("out.parquet.report.html")) as page:
        titles = page.locator("main > section:visible > h2").all_inner_texts()
        assert titles == [
            "The offer", f"Released: out.parquet, by M1, {made['label']}", "Rules: the frontier of the paper",
            "About this page",
        ]  # fmt: skip
        assert page.locator("#offered .option h3").inner_text() == f"Released: M1, {made['label']}"
        assert page.locator("#offered-rows tr.recommended td").first.inner_text() == "M1"
        assert page.locator("#release .facts strong").first.inner_text() == f"k = {made['k']:,}"
        assert page.get_by_text("Recommended", exact=False).count() == 0
        rules = page.locator("#frontier").inner_text()
        assert "out.parquet is none of them" in rules
        assert page.locator("#decision .option h4").first.inner_text().startswith("The best rule: R")
        assert not re.search(r"\bR\d", page.locator("#release").inner_text())
        assert page.locator("#release table").first.inner_text().startswith("column")


def test_an_axis_does_not_blow_up_what_nobody_would_notice(page):
    """Accuracies of 84.62 and 84.72 % are nearly as high, and values far apart fill the axis."""
    asked = """values => { for (const [at, rule] of report.rules.entries()) rule.values = [values[at % values.length]];
        report.suppression_curve = []; report.releases = [];
        return height(Object.assign(report.measures[0], {share: true, most: null, lines: []})); }"""
    page.evaluate("report.measures = [report.measures[0]]")
    low, high = page.evaluate(asked, [0.8462, 0.8472])
    assert high - low == pytest.approx(0.05)
    assert (low + high) / 2 == pytest.approx(0.8467)
    low, high = page.evaluate(asked, [0.5, 0.9])
    assert (low, high) == pytest.approx((0.484, 0.916))


def test_a_page_with_a_barrier_has_a_finding(browser, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<html><title>x</title><main><h1>x</h1><img src='data:,'></main></html>")
    with browsers.opened(browser, page, ready="main") as opened:
        found = browsers.barriers(opened)
    assert [one.partition(":")[0] for one in found] == ["html-has-lang", "image-alt"]


def rule_at(page, place):
    """Click the point of a place in the chart; the id of the rule that is then open."""
    page.locator(POINTS).nth(place).click(force=True)
    return page.locator("#rule-title").inner_text().removeprefix("Rule ")


@pytest.mark.nightly
def test_a_click_on_a_point_opens_its_rule(page, report):
    _, rules = report
    seen = {rule_at(page, place) for place in range(min(6, len(rules)))}
    assert len(seen) > 1
    identifier = rule_at(page, 0)
    rule = rules[identifier]
    assert page.locator("#rule-body code").first.inner_text() == rule.as_json()["literal"]
    assert f"k = {rule.measures.k}" in page.locator("#rule-body .facts").inner_text()
    assert page.locator("#command").inner_text() == f'project.release("{identifier}", "released.parquet")'
    words = page.locator("#rule-body").inner_text()
    assert f"at most 1 in {rule.measures.k}" in words or rule.measures.k == 1
    assert "all have the same class" in words or "No group has one class in all its records" in words
    assert (
        page.locator("#dependency .rfd").inner_text().replace("≤", "<=").replace("→", "->") == rule.dependency.notation
    )
    differing = percent(rule.dependency.violating_pairs / rule.dependency.alike_pairs)
    told = f"{differing} differ in class"
    assert told in page.locator("#dependency").inner_text()
    assert words.count("of the column's information") == len(rule.levels)
    assert page.locator("#rules tr.opened").get_attribute("data-rule") == identifier
    assert page.locator("#rule-body .attribute svg").count() == len(rule.levels)


@pytest.mark.nightly
def test_dragging_over_a_range_of_k_filters_the_table(page, report):
    _, rules = report
    page.locator("#frontier-chart svg").scroll_into_view_if_needed()
    box = page.locator("#frontier-chart svg").bounding_box()
    left, right, middle = box["x"] + box["width"] * 0.45, box["x"] + box["width"] * 0.8, box["y"] + box["height"] * 0.4
    page.mouse.move(left, middle)
    page.mouse.down()
    page.mouse.move((left + right) / 2, middle, steps=4)
    page.mouse.move(right, middle, steps=4)
    page.mouse.up()
    low, high = (int(page.locator(f"#k-{end}").input_value()) for end in ("from", "to"))
    assert low < high
    expected = {rule.id for rule in rules.values() if low <= rule.measures.k <= high}
    assert 0 < len(expected) < len(rules)
    assert {row.get_attribute("data-rule") for row in page.locator("#rules tbody tr").all()} == expected
    assert page.locator("#table-note").inner_text().startswith(f"{len(expected)} rule")
    page.locator("#choices button").click()
    assert page.locator("#rules tbody tr").count() == len(rules)


@pytest.mark.nightly
def test_the_same_filter_by_keyboard(page, report):
    _, rules = report
    page.locator("#k-from").fill("10")
    page.locator("#k-from").press("Tab")
    assert page.locator("#rules tbody tr").count() == sum(rule.measures.k >= 10 for rule in rules.values())
    page.locator("#only-frontier").press("Space")
    kept = [rule for rule in rules.values() if rule.on_frontier and rule.measures.k >= 10]
    assert page.locator("#rules tbody tr").count() == len(kept)


@pytest.mark.nightly
def test_another_measure_has_another_frontier(page, report):
    def on_the_line():
        return {row.get_attribute("data-rule") for row in page.locator("#rules tbody tr", has_text="yes").all()}

    before = on_the_line()
    assert before == {rule.id for rule in report[1].values() if rule.on_frontier}
    for name in ("information gain", "loss", "balanced accuracy (bayes)"):
        page.locator("#measure").select_option(label=name)
        page.locator("#rules thead", has_text=name).wait_for()
        assert name in page.locator("#frontier-chart svg").text_content()
        assert name in page.locator("#rule-body .facts").inner_text()
    page.locator("#measure").select_option(label="loss")
    page.locator("#rules thead", has_text="loss").wait_for()
    assert on_the_line() != before


@pytest.mark.nightly
def test_arrow_keys_walk_along_the_frontier(page, report):
    line = sorted((rule for rule in report[1].values() if rule.on_frontier), key=lambda rule: rule.measures.k)
    page.locator("#frontier-chart").focus()
    for _ in line:
        page.keyboard.press("ArrowLeft")
    assert page.locator("#rule-title").inner_text() == f"Rule {line[0].id}"
    page.keyboard.press("ArrowRight")
    assert page.locator("#rule-title").inner_text() == f"Rule {line[1].id}"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "rule"


@pytest.mark.nightly
def test_neighbours_say_what_a_step_costs(page, report):
    line = sorted((rule for rule in report[1].values() if rule.on_frontier), key=lambda rule: rule.measures.k)
    page.locator(f"#rules tr[data-rule={line[0].id}] a").click()
    words = page.locator("#rule-body").inner_text()
    points = 100 * (line[0].accuracy["tree"] - line[1].accuracy["tree"])
    digits = 2 if points < 0.1 else 1
    assert f"One step more private, {line[1].id}" in words
    assert f"costs {points:.{digits}f} points of accuracy (tree)" in words
    assert "No rule on the frontier is less private." in words


def test_the_policy_lets_the_page_reach_nothing(browser, report):
    with browsers.opened(browser, report[0]) as page:
        reached = page.evaluate("fetch('https://example.org/').then(() => 'reached', () => 'refused')")
        assert reached == "refused"
        assert all("Content Security Policy" in words or "example.org" in words for words in page.said)


@pytest.mark.nightly
@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_a_certificate_fits_the_screen_and_prints(browser, tmp_path, monkeypatch, scheme, width):
    monkeypatch.chdir(tmp_path)
    with project(people(400)) as one:
        one.release({"job": 1}, "out.parquet")
        path = tmp_path / one.certificate("out.parquet", "certificate.html")
    with browsers.opened(browser, path, scheme=scheme, width=width, ready="footer") as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        titles = page.locator("h2").all_inner_texts()
        assert len(titles) == 13
        assert not any("for the owner alone" in title for title in titles)
        assert page.locator(".signed .signatures div").count() == 9
        assert page.pdf(format="A4").startswith(b"%PDF")
        assert page.said == []


@pytest.mark.nightly
def test_a_report_without_rules_says_why(browser, tmp_path):
    with project(people(60), coverage=[0.5], requirement={"k": 50}) as one:
        one.discover()
        why = one.discovered().summary["explanation"]
        path = one.report(tmp_path / "report.html")
    with browsers.opened(browser, path) as page:
        assert page.said == []
        assert page.locator("#frontier-note").inner_text() == why
        assert page.locator("#rule-body").inner_text() == why
        assert page.locator("#decision-body").inner_text() == why


@pytest.mark.nightly
def test_it_opens_with_the_recommendation_and_ends_with_the_research(page, report):
    _, rules = report
    titles = page.locator("section:not([hidden]) > h2").all_inner_texts()
    best = max(rules.values(), key=lambda rule: (rule.accuracy["tree"], rule.measures.k))
    assert titles[0] == f"Recommended: release by rule {best.id}"
    assert titles[1:] == ["Rules: the frontier of the paper", "About this page"]
    rules = page.locator("#frontier > section > h3").all_inner_texts()
    assert [title.partition(":")[0] for title in rules] == [
        "This rule, and others beside it", "What privacy costs", f"Rule {best.id}", "Appendix",
    ]  # fmt: skip
    section = page.locator("#release").inner_text()
    for words in ("What it does to a record", "a made-up person", "They cannot", "Who is left out", "Risks"):
        assert words in section
    assert "RFD" not in section
    assert "coverage" not in section
    assert page.locator("#appendix .rfd").count() == 1


@pytest.mark.nightly
def test_cards_say_what_a_rule_protects_and_keeps(page, report):
    _, rules = report
    cards = page.locator(".option").all()
    assert 1 < len(cards) <= 3
    for card in cards:
        link = card.locator("h4 a")
        if not link.count():
            continue
        rule, words = rules[link.inner_text()], card.inner_text()
        assert f"at least {rule.measures.k - 1} other" in words
        assert f"{100 * rule.accuracy['tree']:.1f} % of records, in-sample" in words
        kept, _, left = words.partition("Leaves out.")
        assert all(name in kept.partition("Keeps.")[2] for name in rule.levels)
        assert all(name in left for name in ("age", "job", "rate") if name not in rule.levels)


def test_a_link_to_a_rule_opens_it(browser, report):
    path, rules = report
    with browsers.opened(browser, path) as page:
        for identifier in (list(rules)[-1], next(iter(rules))):
            page.evaluate(f"location.hash = '#{identifier}'")
            page.locator("#rule-title", has_text=re.compile(f"^Rule {identifier}$")).wait_for()
            assert page.evaluate("document.activeElement.id") == "rule"
        page.evaluate("location.hash = '#R99999'")
        page.locator("#rule-title", has_text="R99999 is not on this page").wait_for()
        last = list(rules)[-1]
        page.locator(f"#rules tr[data-rule={last}] a").click()
        assert page.evaluate("location.hash") == f"#{last}"
        page.reload()
        page.locator("#rule-title", has_text=re.compile(f"^Rule {last}$")).wait_for()


@pytest.mark.nightly
def test_no_measure_is_a_number_without_a_scale(page, report):
    rows = {
        row.locator("th").inner_text(): row.locator("td").first.inner_text()
        for row in page.locator("#measures tbody tr").all()
    }
    for name in ("loss", "ncp", "precision", "distortion", "nonuniform entropy", "discernibility"):
        assert rows[name].endswith("%"), name
    rule = report[1][page.locator("#rule-title").inner_text().removeprefix("Rule ")]
    assert rows["discernibility"] == f"{100 * rule.utility['discernibility'] / 600**2:.1f} %"
    assert rows["distortion"] == f"{100 * rule.utility['distortion'] / (3 * 600):.1f} %"


def pages(pdf):
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


@pytest.mark.nightly
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_printing_gives_a_document_of_four_pages_at_most(browser, report, scheme):
    with browsers.opened(browser, report[0], scheme=scheme) as page:
        assert 2 <= pages(page.pdf(format="A4")) <= 4
        page.emulate_media(media="print")
        assert not [one for one in page.locator("button, form, nav, #appendix, #rule").all() if one.is_visible()]
        assert all(
            head.evaluate("one => getComputedStyle(one).display") == "table-header-group"
            for head in page.locator("#release thead, #rules thead").all()
        )
        kept = {row.get_attribute("data-rule") for row in page.locator("#rules tbody tr").all() if row.is_visible()}
        assert kept <= {rule.id for rule in report[1].values() if rule.on_frontier}
        assert page.locator("#rules thead").inner_text().split()[:2] == ["rule", "k"]
        assert page.said == []


@pytest.mark.nightly
def test_another_rule_is_printed_beside_the_recommended(browser, report):
    path, rules = report
    with browsers.opened(browser, path) as page:
        first = page.locator(".option.recommended h4 a").inner_text()
        other = next(one for one in rules if one != first)
        page.evaluate(f"openRule('{other}')")
        page.emulate_media(media="print")
        assert page.locator("#rule-title").is_visible()
        assert page.locator("#rule-title").inner_text() == f"Rule {other}"


@pytest.fixture(scope="module")
def offered(tmp_path_factory):
    """A report with an offer, its candidates, and the one that `run` would choose."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    with project(people(300), coverage=[0.3], requirement={"k": 5}, methods=["rules", "mondrian"]) as one:
        one.discover()
        one.report(path)
        made = one.release("M1", path.with_name("out.parquet"))
        candidate = next(each for each in kept_offer(one.workspace, one.discovered()) if each.id == "M1")
        beside = Beside(made, candidate, candidate.expected, "asked for")
        write_report(one.workspace, path.with_name("out.parquet.report.html"), beside=beside)
        one.certificate(path.with_name("out.parquet"), path.with_name("certificate.html"))
        one.certificate(path.with_name("out.parquet"), path.with_name("for-the-owner.html"), owner=True)
        found = one.candidates()
        chosen = gather(one.workspace)["chosen"]["id"]
    return path, found[found["failed"].isna()], chosen


@pytest.mark.parametrize("width", [360, 1920])
def test_the_offer_comes_first_and_recommends_one_candidate(browser, offered, width):
    path, candidates, chosen = offered
    with browsers.opened(browser, path, width=width) as page:
        assert page.said == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("main section:visible h2").first.inner_text() == "The offer"
        (card,) = page.locator("#offered .option").all()
        assert card.locator("h3").inner_text().startswith(f"Recommended: {chosen}")
        rows = page.locator("#offered-rows tbody tr").all()
        assert [row.locator("td").first.inner_text() for row in rows] == list(candidates["id"])
        detail = dict(zip(candidates["id"], candidates["detail"], strict=True))
        assert f"{100 * detail[chosen]:.1f} %" in page.locator("#offered-rows tr.recommended").inner_text()
        title = page.locator("#release-title").inner_text()
        assert title.startswith(f"Recommended: release by {'rule ' if chosen.startswith('R') else ''}{chosen}")


def test_without_a_class_the_page_speaks_of_none(browser, tmp_path):
    table = people(300).drop(columns=["id", "class"])
    path = tmp_path / "report.html"
    with Project(source=table, requirement={"k": 3}) as one:
        one.discover(offers=["mondrian"])
        one.report(path)
    with browsers.opened(browser, path) as page:
        told = page.locator("body").inner_text()
        assert "No class is predicted" in told
        assert "Recommended" in told
        assert not re.findall("null|undefined|NaN|#no class|inference gain|information gain|RFD", told)
        assert page.said == []
