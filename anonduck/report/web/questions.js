"use strict";
/* The three research questions of Caruccio et al. (2022, section 6), answered for these rules. */

/** The measures that the questions are asked of: the first model's accuracy and information gain. */
function questioned() {
  return report.measures.filter((measure, place) => place === 0 || measure.key === "information_gain");
}

const coverageName = (coverage) => `${Number((100 * coverage).toPrecision(6))} %`;
/** The rules of each coverage, or all rules where they were not found by coverages. */
function searches() {
  const of = (key, name) => ({ key, name, rules: report.rules.filter((rule) => key in rule.origins) });
  const found = report.coverages.map(({ coverage }) => of(String(coverage), coverageName(coverage)))
    .filter(({ rules }) => rules.length);
  return found.length ? found : [{ key: null, name: "all rules", rules: report.rules }];
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function drawQuestions() {
  const body = document.getElementById("questions-body");
  if (!report.rules.length) return;
  const measures = questioned();
  const charts = (kind) => element("div", { class: "pair" }, measures.map((measure, place) => element("div", {},
    element("h6", {}, measure.name), element("div", { class: "chart", id: `${kind}-${place}` }))));
  const incomplete = report.coverages.filter((one) => one.incomplete).map((one) => coverageName(one.coverage));
  body.replaceChildren(
    report.coverages.length ? element("p", { class: "note" }, `A coverage is the share of record pairs whose most frequent distance patterns were mined.` +
      (incomplete.length ? ` Incomplete, because a bound was reached: ${incomplete.join(", ")}.` : "")) : "",
    element("h5", {}, "1. Are joined rules better than extracted ones?"), element("p", { id: "answer-1" }, joinedAgainstExtracted(measures)), charts("boxes"),
    element("h5", {}, "2. What is the best that each k allows?"), element("p", { id: "answer-2" }, bestAtEach(measures[0])), charts("trade"),
    element("h5", {}, "3. How many rules are there to consider?"), element("p", { id: "answer-3" }, howMany(measures[0])),
    element("div", { class: "pair" }, ["before", "after"].map((when) => element("div", {}, element("h6", {}, `${when} the frontier`),
      element("div", { class: "chart", id: `counts-${when}` })))),
    ...(report.three.length ? [element("h6", {}, "All three at once"), element("p", { id: "answer-three" }, onThree()), element("div", { class: "chart", id: "three" })] : []));
  measures.forEach((measure, place) => { drawBoxes(measure, place); drawTrade(measure, place); });
  drawCounts(measures[0]);
  if (report.three.length) drawThree();
}

function joinedAgainstExtracted(measures) {
  const sentences = measures.map((measure) => {
    const values = (origin) => report.rules.filter((rule) => rule.origin === origin).map((rule) => valueOf(rule, measure)).filter((value) => typeof value === "number");
    const [joined, extracted] = [values("joined"), values("extracted")];
    if (!joined.length || !extracted.length) return null;
    return `The median ${measure.name} is ${shown(median(joined), measure)} over ${plural(joined.length, "joined rule", "joined rules")} and ${shown(median(extracted), measure)} over ${whole(extracted.length)} extracted.`;
  }).filter(Boolean);
  return sentences.length ? sentences.join(" ") : "All rules have the same origin.";
}

function bestAtEach(measure) {
  const line = frontierOf(report.rules, measure);
  if (!line.length) return `No rule has ${measure.name}.`;
  const [first, last] = [line[line.length - 1], line[0]];
  if (first.k === last.k) return `One step: up to k ${whole(last.k)}, ${measure.name} is ${shown(valueOf(last, measure), measure)}.`;
  return `From k ${whole(first.k)} to k ${whole(last.k)} the best ${measure.name} goes from ${shown(valueOf(first, measure), measure)} to ${shown(valueOf(last, measure), measure)}. Dotted lines mark the largest k of each coverage${measure.lines.length ? `, dashed lines ${measure.lines.map((line) => `${line.name} (${shown(line.value, measure)})`).join(" and ")}` : ""}.`;
}

function howMany(measure) {
  const kept = frontierOf(report.rules, measure).length;
  const measured = report.rules.filter((rule) => typeof valueOf(rule, measure) === "number").length;
  return `${plural(report.rules_found, "rule meets", "rules meet")} the requirement` +
    (report.rules.length < report.rules_found ? ` (${whole(report.rules.length)} are on this page)` : "") +
    `, ${whole(kept)} of them ${kept === 1 ? "is" : "are"} on the frontier of k and ${measure.name}` +
    (measured < report.rules.length ? `; ${whole(report.rules.length - measured)} were not trained, because they cannot be on it.` : ".");
}

/** What the third objective is weighed with: the first measure and information gain. */
function threeMeasures() {
  const gain = report.measures.find((measure) => measure.key === "information_gain");
  return [report.measures.find((measure) => measure !== gain), gain];
}

function onThree() {
  const [measure, gain] = threeMeasures();
  return `${plural(report.three.length, "rule is", "rules are")} on the frontier of k, ${measure.name} and ${gain.name}: no rule beats them in all three. ` +
    "They are coloured by information gain; click one to open it." + (report.three.length < report.rules.length ? " The others are grey." : "");
}

async function drawThree() {
  const [measure, gain] = threeMeasures();
  const rules = report.rules.map((rule) => ({ id: rule.id, literal: rule.literal, k: rule.k, value: valueOf(rule, measure),
    shown: shown(valueOf(rule, measure), measure), gain: valueOf(rule, gain), frontier: report.three.includes(rule.id) }))
    .filter((row) => typeof row.value === "number");
  const view = await draw("#three", "three", { domain: span(), range: height(measure), title: measure.name, format: axisFormat(measure) },
    { rules, dominated: rules.filter((rule) => !rule.frontier) });
  view.addEventListener("click", (_, item) => { if (item?.datum?.id) openRule(item.datum.id, true); });
}

function drawBoxes(measure, place) {
  const rules = searches().flatMap(({ key, name, rules: found }) => found.map((rule) => ({ coverage: name,
    origin: rule.origins[key] ?? rule.origin, value: valueOf(rule, measure) }))).filter((row) => typeof row.value === "number");
  draw(`#boxes-${place}`, "boxes", { range: height(measure), title: measure.name, format: axisFormat(measure) }, { rules });
}

function drawTrade(measure, place) {
  const line = frontierOf(report.rules, measure).reverse();
  const domain = span();
  const best = line.map((rule) => ({ k: rule.k, value: valueOf(rule, measure), id: rule.id, shown: shown(valueOf(rule, measure), measure) }));
  if (best.length) best.unshift({ k: domain[0], value: best[0].value, id: null });
  const largest = new Map();
  for (const { name, rules } of searches()) {
    const most = Math.max(...rules.map((rule) => rule.k));
    largest.set(most, [...(largest.get(most) ?? []), name]);
  }
  const maxima = [...largest].sort(([a], [b]) => b - a).map(([k, names], row) => ({ k, label: names.join(", "), row: 4 + 14 * row }));
  draw(`#trade-${place}`, "trade", { domain, range: height(measure), title: measure.name, format: axisFormat(measure) },
    { best, maxima, lines: comparisons(measure).filter((one) => one.name !== "majority class" || measure.share) });
}

function drawCounts(measure) {
  const domain = span();
  const steps = (rules, name) => {
    const ks = [...new Set(rules.map((rule) => rule.k))].sort((a, b) => a - b);
    const rows = ks.map((k) => ({ coverage: name, k, rules: rules.filter((rule) => rule.k >= k).length }));
    return rows.length ? [{ coverage: name, k: domain[0], rules: rules.length }, ...rows, { coverage: name, k: domain[1], rules: 0 }] : [];
  };
  const colours = ["extracted", "joined", "lattice", "peer", "ink", "soft"].map(colour);
  for (const when of ["before", "after"]) {
    const counts = searches().flatMap(({ name, rules }) => steps(when === "before" ? rules : frontierOf(rules, measure), name));
    draw(`#counts-${when}`, "counts", { domain, colours, title: "rules" }, { counts });
  }
}
