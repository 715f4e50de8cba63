"use strict";
/* The comparison of methods and rules, where one was made: a chart of a measure against k, and all rows. */
const compared = report.comparison;
const COMPARED = [["k", "k asked"], ["reached", "k"], ["classes", "classes"], ["suppressed", "left out"], ["ncp", "NCP"], ["risk", "marketer risk"]];

/** The scores of a row that are told, by model. */
const comparedScores = () => compared.models.flatMap((model) => compared.scores.map((score) => [model, score]));

function comparedRow(row) {
  const count = (number) => (number === null ? "" : whole(number));
  const share = (number) => (number === null || number === undefined ? "" : Number(number).toFixed(4));
  if (row.k === null) return [row.method, row.protocol, count(row.k_required), element("span", { title: row.reason }, row.status)];
  return [row.method, row.protocol, count(row.k_required), count(row.k), count(row.classes), count(row.suppressed), share(row.ncp), share(row.risk),
    ...comparedScores().map(([model, score]) => share(row.scores[model]?.[score]))];
}

/** The chart of the chosen measure, in the colours of the page. */
function drawComparedChart() {
  const name = document.getElementById("compared-measure").value;
  const { config, background, $schema, ...specification } = compared.charts[name];
  const drawn = vegaEmbed(document.getElementById("compared-chart"), { ...specification, config: { ...theme(), range: {} } },
    { ast: true, actions: false, renderer: "svg", mode: "vega-lite" });
  settle(drawn);
}

function drawComparison() {
  const place = document.getElementById("compared");
  document.querySelector('nav a[href="#compared"]').hidden = place.hidden = !compared;
  if (!compared) return;
  document.getElementById("compared-about").textContent = Object.entries(compared.protocols).map(([name, words]) => `${name}: ${words}.`).join(" ");
  const chosen = document.getElementById("compared-measure");
  chosen.replaceChildren(...Object.keys(compared.charts).map((name) => element("option", { value: name }, name.replaceAll("_", " "))));
  chosen.addEventListener("change", drawComparedChart);
  const heads = ["method", "protocol", ...COMPARED.map(([, title]) => title), ...comparedScores().map(([model, score]) => `${model} ${score.replaceAll("_", " ")}`)];
  const line = (tag, cells) => element("tr", {}, cells.map((cell, at) => element(tag, { scope: tag === "th" ? "col" : false, class: at > 1 ? "cell number" : "cell" }, cell)));
  document.getElementById("compared-rows").replaceChildren(element("table", {}, element("thead", {}, line("th", heads)),
    element("tbody", {}, compared.rows.map((row) => line("td", comparedRow(row))))));
  document.getElementById("compared-notes").replaceChildren(...compared.notes.map((note) => element("p", { class: "note" }, note)));
  if (Object.keys(compared.charts).length) drawComparedChart();
}

drawComparison();
