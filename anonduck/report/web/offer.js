"use strict";
/* The offer: rules and other recodings, measured alike, and the one that is chosen, in plain words. */
const MOST_WHOLE = 30;
const able = report.candidates.filter((one) => one.failed === null);
const chosenCandidate = able.find((one) => one.id === report.chosen?.id);
const testedModels = [...new Set(able.flatMap((one) => Object.keys(one.expected)))];
const ways = { ranges: "", typical: ", shown by typical values", swapped: ", shown by swapped values (no k-anonymity: k is of the classes in which they change places, and run takes none of these)" };
const shows = (one) => ways[one.shows];
/** What found it; a method with settings may go on in the next line after a colon or a comma. */
const named = (one) => (one.levels ? "rule" : element("span", {}, ...`${one.label}${shows(one)}`.split(/(?<=[:,])(?=\S)/).flatMap((part, at) => (at ? [element("wbr"), part] : [part]))));

/** What each column keeps, those that keep most first. */
function keptDetail(one) {
  const kept = Object.entries(one.detail_by_column).filter(([name]) => one.columns.includes(name)).sort(([, first], [, second]) => second - first);
  return listed(kept.map(([name, detail]) => `${name} (${percent(detail)})`));
}

/** A share as points, with one digit. */
const points = (share) => (100 * share).toFixed(1);

/** How often a model is right about people who are not in the release, by what neither chose it nor the candidate. */
function chosenModel(one) {
  const [model, score] = [one.learner, report.chosen.expected[one.learner]];
  if (!score) return report.class ? "No model was tested." : null;
  return `A model (${model}) that learns from it is right for ${percent(score.accuracy)} (± ${points(score.error)} points) of people who are not in it; from the original data, for ${percent(score.baseline.accuracy)}.`;
}

function guesses(one) {
  if (!one.inference) return null;
  return `Whoever finds the group of a person in it guesses ${report.class} right for ${percent(one.inference.released)}; of people who are not in it, a model does for ${percent(one.inference.control)}, as the offer lists it: ` +
    `an inference gain of ${points(Math.max(0, one.inference.gain))} points.`;
}

function candidateCard(one) {
  const line = (title, words) => (words ? element("p", {}, element("strong", {}, title), ` ${words}`) : null);
  const hidden = Object.keys(report.attributes).filter((name) => !one.columns.includes(name));
  return element("div", { class: "option recommended" },
    element("h3", {}, `${report.release?.file ? "Released" : "Recommended"}: ${one.id}, `, one.levels ? "a rule" : element("code", {}, one.label), shows(one)),
    line("Protects.", protection(one)),
    line("Keeps.", `${percent(one.detail)} of the detail of the quasi-identifiers: ${keptDetail(one)}.`),
    line("Leaves out.", hidden.length ? `${listed(hidden)}: these columns are not in it. ${leavesOut(one)}` : leavesOut(one)),
    line("Is good for.", chosenModel(one)),
    line("Tells.", guesses(one)),
    line("Why this one.", `${report.chosen.reason[0].toUpperCase()}${report.chosen.reason.slice(1)}.`));
}

/** An accuracy with its error, in per cent. */
const accuracyOf = (score) => (score ? `${(100 * score[0]).toFixed(1)} ± ${(100 * score[1]).toFixed(1)}` : "");

/** The area under the ROC curve. */
const areaOf = (score) => score?.roc_auc?.toFixed(3) ?? "";

/** Who is left out of the recommended candidate, what they keep, and how well models serve them. */
function drawSubgroups() {
  const cells = (tag, texts) => element("tr", {}, texts.map((text, at) => element(tag, { scope: tag === "th" ? "col" : false, class: at > 0 ? "cell number" : "cell" }, text)));
  const tested = (group) => [group.scores[chosenCandidate.learner]].filter(Boolean).map((one) => [one.accuracy, one.error])[0];
  const row = (name, group) => cells("td", [name, whole(group.records), `${(100 * group.share).toFixed(1)} %`, percent(group.detail), accuracyOf(tested(group)), areaOf(group.scores[chosenCandidate.learner])]);
  const table = (line) => (line.reason ? element("p", { class: "note" }, `${line.column}: ${line.reason}`) : element("table", {},
    element("thead", {}, cells("th", [line.column, "records", "left out", "detail", "accuracy (%)", "ROC AUC"])),
    element("tbody", {}, [...line.values.map((group) => row(group.value ?? "NULL", group)), ...(line.others ? [row(`${whole(line.others.number)} other values`, line.others)] : [])])));
  document.getElementById("offered-groups").replaceChildren(...(chosenCandidate?.subgroups ?? []).map(table));
}

/** Candidates of all kinds, where an offer was made. */
function drawOffer() {
  const place = document.getElementById("offered");
  document.querySelector('nav a[href="#offered"]').hidden = place.hidden = !able.length;
  if (!able.length) return;
  document.getElementById("offered-class").hidden = !report.class;
  document.getElementById("offered-chosen").replaceChildren(...(chosenCandidate ? [candidateCard(chosenCandidate)] : []));
  const line = (tag, cells, kind = false) => element("tr", { class: kind }, cells.map((cell, at) => element(tag, { scope: tag === "th" ? "col" : false, class: at > 1 ? "cell number" : "cell" }, cell)));
  const [asked, grouped, ranked] = ["workload", "worst_group", "learner"].map((name) => able.some((one) => one[name]));
  const share = (number) => (number === null || number === undefined ? "" : percent(number));
  const score = (one, model) => accuracyOf(one.expected[model] && [one.expected[model].accuracy, one.expected[model].error]);
  const heads = ["id", "found by", "k", "columns", "detail", ...(ranked ? ["ROC AUC"] : []), ...testedModels.map((model) => `accuracy (${model},\u00a0%)`),
    ...(report.class ? ["inference gain\u00a0(points)"] : []), ...(asked ? ["queries off by (median)"] : []), ...(grouped ? ["worst subgroup (%)"] : [])];
  const row = (one) => [one.levels ? ruleLink(one.id) : one.id, named(one), whole(one.k), whole(one.columns.length), share(one.detail), ...(ranked ? [areaOf(one.expected[one.learner])] : []),
    ...testedModels.map((model) => score(one, model)), ...(report.class ? [one.inference ? points(one.inference.gain) : ""] : []),
    ...(asked ? [share(one.query_error)] : []), ...(grouped ? [accuracyOf(one.worst_group)] : [])];
  const rows = document.getElementById("offered-rows");
  rows.classList.toggle("whole", able.length <= MOST_WHOLE);
  rows.replaceChildren(element("table", {}, element("thead", {}, line("th", heads)), element("tbody", {}, able.map((one) => line("td", row(one), one === chosenCandidate && "recommended")))));
  drawSubgroups();
  const kinds = [...new Map(able.map((one) => [one.recoding, one])).values()];
  document.getElementById("offered-words").replaceChildren(...kinds.map((one) =>
    element("p", { class: "note" }, `${one.recoding}: ${one.protects}. Attacks: ${one.attacks}.`)));
}

/** How far answers to the workload are from those on the source, where one was asked. */
function drawWorkload() {
  const place = document.getElementById("asked");
  document.querySelector('nav a[href="#asked"]').hidden = place.hidden = !report.workload;
  if (!report.workload) return;
  document.getElementById("asked-words").replaceChildren(...report.workload.lines.map((words) => element("p", {}, words)));
  const line = (tag, cells) => element("tr", {}, cells.map((cell, at) => element(tag, { scope: tag === "th" ? "col" : false, class: at > 1 ? "cell number" : "cell" }, cell)));
  const error = (number) => (number === null ? "" : `${(100 * number).toFixed(1)} %`);
  const count = (number) => (number === null ? "" : whole(number));
  document.getElementById("asked-rows").replaceChildren(element("table", {},
    element("thead", {}, line("th", ["query", "called", "rows", "missing", "extra", "mean error", "median", "worst"])),
    element("tbody", {}, report.workload.queries.map((one) => line("td", [`${one.query}`, one.lacks.length ? `${one.name} (needs ${one.lacks.join(", ")})` : one.reason ? `${one.name} (not answered)` : one.name,
      whole(one.rows), count(one.missing), count(one.extra), error(one.mean), error(one.median), error(one.worst)])))));
}

drawOffer();
drawWorkload();
