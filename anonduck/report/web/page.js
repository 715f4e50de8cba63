"use strict";
/* The page as a whole: its head, its choices, and what happens when they change. */
function drawHead() {
  const source = report.source ? `${report.source}: ` : "";
  document.getElementById("about").textContent =
    `${source}${plural(report.records, "record", "records")}${report.source_day ? `, as of ${report.source_day}` : ""}. ${report.class ? `Class to predict: ${report.class}` : "No class is predicted"}.` +
    (report.release?.file ? "" : ` Required: ${requirementText()}.`);
  document.getElementById("frontier-about").textContent = `A rule shows each column at one level in all records. ${plural(report.rules_found, "rule was", "rules were")} found${report.found_day ? ` on ${report.found_day}` : ""}; ` +
    `required of them: ${requirementText()}.${report.floor ? ` Note that ${report.floor}.` : ""}${isReleased ? "" : aboutRelease()}`;
  document.getElementById("label-k").textContent = whole(report.requirement.k);
  document.getElementById("made").textContent = `Made by anonduck ${report.anonduck}. Charts by Vega, Vega-Lite and Vega-Embed (BSD-3-Clause).`;
}

/** That the rules are another thing than what the page is about. */
function aboutRelease() {
  return report.release ? ` ${report.release.file ?? report.release.id} is none of them: what follows is what one level for all records would come to.` : "";
}

function requirementText() {
  const { k, ...others } = report.requirement;
  const rest = Object.entries(others).map(([name, value]) => `${name} ${told(value)}`);
  const persons = report.entity ? ` (${plural(report.entity.k, "person", "persons")}, none of whom has more than ${plural(report.entity.at_most, "record", "records")})` : "";
  const linked = report.entity && report.entity.linked_k ? [`linked_k ≥ ${whole(report.entity.linked_k)} (judged of a release alone, so not of these rules)`] : [];
  return [`k ≥ ${whole(k)}${persons}`, ...rest, ...linked].join(", ");
}

function fillMeasures() {
  const options = report.measures.map((measure, place) => element("option", { value: place }, measure.name));
  document.getElementById("measure").replaceChildren(...options);
}

function listen() {
  const number = (id) => { const text = document.getElementById(id).value; return text === "" ? null : Number(text); };
  document.getElementById("measure").addEventListener("change", (event) => {
    state.measure = report.measures[Number(event.target.value)];
    drawFrontier().then(drawTable);
    drawReleases();
    drawRule();
  });
  addEventListener("hashchange", openNamed);
  for (const id of ["k-from", "k-to"]) document.getElementById(id).addEventListener("change", () => setRange(number("k-from"), number("k-to")));
  document.getElementById("only-frontier").addEventListener("change", (event) => { state.only = event.target.checked; drawTable(); });
  document.getElementById("choices").addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("choices").addEventListener("reset", (event) => {
    event.preventDefault();
    document.getElementById("only-frontier").checked = state.only = false;
    setRange(null, null);
    drawFrontier();
  });
  document.getElementById("frontier-chart").addEventListener("keydown", walk);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
}

/** The releases by methods, with the chosen measure where one of them has it. */
function drawReleases() {
  const place = document.getElementById("releases");
  place.hidden = !report.releases.length;
  if (place.hidden) return;
  const { measure } = state;
  const told = releasePoints(measure).length > 0;
  const kind = (column) => (column > 1 ? "cell number" : "cell");
  const row = (tag, cells) => element("tr", {}, cells.map((cell, at) => element(tag, { scope: tag === "th" ? "col" : false, class: kind(at) }, cell)));
  const rows = report.releases.map((one) => row("td", [one.file, element("span", { title: one.method }, one.name), whole(one.k), whole(one.classes),
    whole(one.suppressed), ...(told ? [shown(valueOf(one, measure), measure)] : [])]));
  place.replaceChildren(element("h4", {}, "Releases by methods"), element("table", {},
    element("thead", {}, row("th", ["release", "method", "k", "classes", "left out", ...(told ? [measure.name] : [])])),
    element("tbody", {}, rows)));
}

async function drawAll() {
  drawDecision();
  drawRule();
  drawQuestions();
  if (report.rules.length) {
    await drawFrontier();
    drawTable();
  }
  if (!drawing.size) document.body.dataset.ready = "yes";
}

document.querySelector('nav a[href="#release"]').hidden = document.getElementById("release").hidden = report.release === null;
drawHead();
if (report.stale.length) {
  const note = document.getElementById("stale");
  note.hidden = false;
  note.textContent = `Out of date, discover again before you decide. Since these rules were found: ${report.stale.join("; ")}.`;
}
fillMeasures();
drawReleases();
listen();
if (!report.rules.length) {
  document.getElementById("choices").hidden = true;
  document.getElementById("frontier-note").textContent = report.explanation;
}
drawAll().then(openNamed);
