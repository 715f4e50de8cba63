"use strict";
/* The frontier chart and the table of rules. */
const state = { measure: report.measures[0], opened: report.opened, from: null, to: null, only: false, sort: "k", falling: true };
const MOST_ROWS = 200, MOST_PRINTED = 14;
let mostRows = MOST_ROWS;
let frontierView = null;

const onFrontier = (rule) => state.measure.frontier.includes(rule.id);

/** The rules with a larger k that a rule of the frontier is better than by noise alone. */
const tiesOf = (rule) => state.measure.ties[rule.id] ?? [];

/** Where a rule is seen from the frontier, in words. */
function place(rule) {
  if (onFrontier(rule)) return tiesOf(rule).length ? `on it, ties with ${tiesOf(rule).join(", ")}` : "on it";
  return state.measure.off && rule.nothing ? "off it, tells nothing" : "behind it";
}

/** The same in a column that is about the frontier. */
function standing(rule) {
  const tied = tiesOf(rule).length ? `ties with ${tiesOf(rule).join(", ")}` : "";
  return [onFrontier(rule) ? "yes" : "", onFrontier(rule) ? tied : "", rule.nothing ? "tells nothing" : ""].filter(Boolean).join(", ");
}

/** The span of k that charts show: the requirement, all rules, and some room. */
function span(rules = report.rules) {
  const ks = [report.requirement.k, ...[...rules, ...report.suppression_curve, ...report.releases].map((rule) => rule.k)];
  return [Math.max(0.8, Math.min(...ks) / 1.7), Math.max(...ks) * 1.5];
}

function comparisons(measure) {
  return measure.lines.map((line) => ({ ...line, label: `${line.name} ${shown(line.value, measure)}` }));
}

/** The span of the measure: all rules and what they compare with, and some room. */
function height(measure) {
  const values = [...[...report.rules, ...report.suppression_curve, ...report.releases].map((rule) => valueOf(rule, measure)).filter((value) => typeof value === "number"), ...measure.lines.map((line) => line.value)];
  const [low, high] = values.length ? [Math.min(...values), Math.max(...values)] : [0, 1];
  const least = 0.05 * (isShare(measure) ? 1 : Math.abs(high) || 1); // differences that nobody would notice look small
  const room = Math.max(0.04 * (high - low), (least - (high - low)) / 2);
  return [low - room, high + room];
}

/** The rules that more suppression makes possible, as points of the chart. */
function suppressedPoints(measure) {
  return report.suppression_curve.filter((rule) => typeof valueOf(rule, measure) === "number").map((rule) => ({
    literal: rule.literal, k: rule.k, value: valueOf(rule, measure), shown: shown(valueOf(rule, measure), measure),
    share: `${Number((100 * rule.share).toPrecision(3))} %`, left: rule.suppressed,
  }));
}

/** The releases by methods that have a measure. */
const releasePoints = (measure) => report.releases.map((one) => ({ ...one, value: valueOf(one, measure), shown: shown(valueOf(one, measure), measure) }))
  .filter((one) => typeof one.value === "number");

async function drawFrontier() {
  const measure = state.measure;
  const rules = report.rules.filter((rule) => typeof valueOf(rule, measure) === "number").map((rule) => ({
    id: rule.id, literal: rule.literal, k: rule.k, value: valueOf(rule, measure), shown: shown(valueOf(rule, measure), measure),
    origin: rule.origin, frontier: onFrontier(rule), place: place(rule),
  }));
  rules.sort((a, b) => a.frontier - b.frontier || a.k - b.k);
  const domain = span();
  const datasets = {
    rules, lines: comparisons(measure), suppressed: suppressedPoints(measure), opened: openedPoint(), releases: releasePoints(measure),
    limit: [{ from: domain[0], to: report.requirement.k, name: `required k ${whole(report.requirement.k)}` }],
  };
  const words = { domain, range: height(measure), measure: measure.name, reverse: measure.smaller, format: axisFormat(measure),
    title: measure.smaller ? `${measure.name} (smaller is better)` : measure.name };
  frontierView = await draw("#frontier-chart", "frontier", words, datasets);
  frontierView.addEventListener("click", (_, item) => item && item.datum && byId.has(item.datum.id) && openRule(item.datum.id));
  frontierView.addSignalListener("brush", (_, brushed) => {
    const range = brushed && brushed.k;
    if (range && range[1] / range[0] > 1.001) setRange(Math.ceil(Math.min(...range)), Math.floor(Math.max(...range)));
    else if (state.from !== null || state.to !== null) setRange(null, null);
  });
  noteFrontier(rules.length);
}

/** Whether a measure is a score of models, which flatters the rules that it picked. */
const inSample = (measure) => report.models.some((model) => measure.key.endsWith(`.${model}`));

function noteFrontier(drawn) {
  const { measure } = state;
  const left = report.rules.length - drawn;
  const first = `${measure.name}: ${measure.meaning}. ${plural(measure.frontier.length, "rule", "rules")} of ${whole(report.rules_found)} on the frontier of k and ${measure.name}.`;
  const parts = [
    measure.proven === null ? "" : report.words[measure.proven ? "proven" : "unproven"],
    Object.keys(measure.ties).length ? report.words.ties : "",
    measure.off && report.rules.some((rule) => rule.nothing) ? report.words.nothing : "",
    inSample(measure) ? report.words.in_sample : "",
    left ? `${plural(left, "rule has", "rules have")} no ${measure.name}: the time was up before it was measured.` : "",
    suppressedPoints(measure).length ? report.words.suppression_curve : "",
    releasePoints(measure).length ? report.words.releases : "",
    report.rules.length < report.rules_found ? `The page shows ${whole(report.rules.length)} of them, those on a frontier first.` : "",
  ];
  document.getElementById("frontier-note").textContent = first;
  document.getElementById("frontier-notes").replaceChildren(...parts.filter(Boolean).map((words) => element("li", {}, words)));
}

function openedPoint() {
  const rule = byId.get(state.opened);
  const value = rule && valueOf(rule, state.measure);
  return typeof value === "number" ? [{ k: rule.k, value }] : [];
}

function markOpened() {
  if (frontierView) frontierView.data("opened", openedPoint()).runAsync();
  for (const row of document.querySelectorAll("#rules tbody tr")) row.classList.toggle("opened", row.dataset.rule === state.opened);
}

/** Show the rules of a range of k only; null is no end. */
function setRange(from, to) {
  [state.from, state.to] = [from, to];
  document.getElementById("k-from").value = from ?? "";
  document.getElementById("k-to").value = to ?? "";
  mostRows = MOST_ROWS;
  drawTable();
}

function chosenRules() {
  const { from, to, only, sort, falling, measure } = state;
  const rules = report.rules.filter((rule) => (from === null || rule.k >= from) && (to === null || rule.k <= to) && (!only || onFrontier(rule)));
  const key = { k: (rule) => rule.k, value: (rule) => valueOf(rule, measure), classes: (rule) => rule.classes, id: (rule) => Number(rule.id.slice(1)) }[sort];
  const turn = falling ? -1 : 1;
  return rules.sort((a, b) => turn * ((key(a) ?? -Infinity) - (key(b) ?? -Infinity)) || b.k - a.k);
}

function drawTable() {
  const rules = chosenRules();
  const suppressed = report.rules.some((rule) => rule.suppressed);
  const columns = [["id", "rule", ""], ["k", "k", "number"], ["value", state.measure.name, "number"], ["classes", "groups", "number"],
    ...(suppressed ? [[null, "records left out", "number"]] : []), [null, "origin", ""], [null, "frontier", ""], [null, "levels", ""]];
  const head = element("tr", {}, columns.map(([key, name, kind]) => element("th", { class: kind, scope: "col",
    "aria-sort": key === state.sort ? (state.falling ? "descending" : "ascending") : false },
    key ? [element("button", { type: "button", onclick: () => sortBy(key) }, name + (key === state.sort ? (state.falling ? " ▾" : " ▴") : "")),
      element("span", { class: "in-print" }, name)] : name)));
  document.querySelector("#rules thead").replaceChildren(head);
  document.querySelector("#rules tbody").replaceChildren(...rules.slice(0, mostRows).map((rule) => tableRow(rule, suppressed)));
  const note = document.getElementById("table-note");
  note.textContent = `${plural(rules.length, "rule", "rules")} of ${whole(report.rules.length)} in the table` +
    (rules.length > mostRows ? `, the first ${whole(mostRows)} shown. ` : ".");
  note.append(element("span", { class: "in-print" }, ` In print: ${state.measure.frontier.length > MOST_PRINTED ? `the ${MOST_PRINTED} nearest to the recommended rule of` : ""} those on the frontier.`));
  if (rules.length > mostRows) note.append(element("button", { type: "button", onclick: () => { mostRows = Infinity; drawTable(); } }, "Show all"));
  markOpened();
}

/** The rules that the printed table has: those of the frontier, and of a long one those nearest to the recommended. */
function printedRules() {
  const k = report.decision ? report.decision.options[0].k : report.requirement.k;
  const far = (rule) => Math.abs(Math.log(rule.k / k));
  const line = state.measure.frontier.map((id) => byId.get(id)).sort((a, b) => far(a) - far(b));
  return new Set(line.slice(0, MOST_PRINTED).map((rule) => rule.id));
}

function tableRow(rule, suppressed) {
  return element("tr", { "data-rule": rule.id, class: printedRules().has(rule.id) ? "printed" : "" },
    element("td", {}, ruleLink(rule.id), rule.id === report.released ? " (released)" : ""),
    element("td", { class: "number" }, whole(rule.k)),
    element("td", { class: "number" }, shown(valueOf(rule, state.measure), state.measure)),
    element("td", { class: "number" }, whole(rule.classes)),
    suppressed ? element("td", { class: "number" }, whole(rule.suppressed)) : null,
    element("td", {}, rule.origin),
    element("td", {}, standing(rule)),
    element("td", { class: "wrap" }, rule.literal));
}

function sortBy(key) {
  state.falling = state.sort === key ? !state.falling : key !== "id";
  state.sort = key;
  drawTable();
  document.querySelector(`#rules thead th[aria-sort] button`).focus();
}

/** Arrow keys walk along the frontier. */
function walk(event) {
  const steps = { ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1 };
  const line = state.measure.frontier.map((id) => byId.get(id)).sort((a, b) => a.k - b.k);
  if (event.key === "Enter") goTo("rule");
  else if (!(event.key in steps) || !line.length) return;
  else {
    const step = steps[event.key];
    const k = byId.get(state.opened)?.k ?? 0;
    const at = line.findIndex((rule) => rule.id === state.opened);
    const next = at >= 0 ? line[at + step] : step > 0 ? line.find((rule) => rule.k > k) : line.findLast((rule) => rule.k < k);
    if (next) openRule(next.id);
  }
  event.preventDefault();
}

function goTo(id) {
  const section = document.getElementById(id);
  section.scrollIntoView();
  section.focus({ preventScroll: true });
}
