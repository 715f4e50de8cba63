"use strict";
/* The best of the rules beside a safer and a more useful one, in plain words. */
const decision = report.decision;
/** Whether the rule that comes first is what the page is about. */
const isReleased = decision !== null && report.release !== null && report.release.levels !== null && report.release.id === decision.options[0]?.id;
const KINDS = { recommended: !isReleased ? "The best rule" : report.release.file ? "Released" : "Recommended", safer: "Safer", useful: "More useful" };

/** What is known of an option: its rule, or the point of the suppression curve that it is. */
const knownOf = (option) => option.id ? byId.get(option.id)
  : { ...report.suppression_curve.find((one) => one.literal === option.literal && one.share === option.share), expected: null, privacy: {} };
const nameOf = (option) => option.id ?? `Leave out ${percent(option.suppressed / report.records)}`;
const listed = (names) => (names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}` : names.join(""));
const decidedBy = () => report.measures.find((measure) => measure.key === decision.measure);
const hiddenBy = (option) => Object.keys(report.attributes).filter((name) => !(name in option.levels));

/** A column as an option shows it, in words. */
function grouped(name, level) {
  const taxonomy = report.attributes[name];
  return level === 0 ? `${name} as it is` : `${name} in ${plural(taxonomy.nodes[level], "group", "groups")}`;
}

function protection(option) {
  const average = Math.round((report.records - option.suppressed) / option.classes) - 1;
  const persons = personsIn(option.k);
  if (persons < option.k) return `Everyone looks like at least ${plural(persons - 1, "other person", "others")} (k = ${whole(option.k)} records, of which one person may have ${whole(report.entity.at_most)}), like ${whole(average)} records on average.`;
  if (option.k < 2) return "Somebody is the only one of their kind (k = 1).";
  return `Everyone looks like at least ${plural(option.k - 1, "other person", "others")} (k = ${whole(option.k)}), like ${whole(average)} on average.`;
}

/** How well a model does that learns from a release, beside the original data and a plain guess. */
function usefulness(option) {
  const known = knownOf(option);
  const model = report.models.includes(decision.measure.split(".")[1]) ? decision.measure.split(".")[1] : report.models[0];
  const measure = report.measures.find((one) => one.key === `accuracy.${model}`);
  if (!measure) return `${decidedBy().name}: ${shown(valueOf(known, decidedBy()), decidedBy())}.`;
  if (known.nothing) return `It tells nothing about ${report.class}: a model does no better than naming the commonest value.`;
  const line = (name) => measure.lines.find((one) => one.name.startsWith(name))?.value;
  const seen = known.expected?.[model];
  const right = seen ? `${percent(seen.accuracy)} of people it has not seen` : `${shown(valueOf(known, measure), measure)} of records, in-sample`;
  if (!seen && typeof valueOf(known, measure) !== "number") return "No model was trained for it.";
  const baseline = seen ? seen.baseline.accuracy : line("baseline");
  return `A model (${model}) that learns from it is right for ${right}; ${typeof baseline === "number" ? `from the original data, ${percent(baseline)}; ` : ""}` +
    `by always naming the commonest ${report.class}, ${percent(line("majority"))}.`;
}

function leavesOut(option) {
  return option.suppressed ? `${plural(option.suppressed, "record is", "records are")} left out (${percent(option.suppressed / report.records)}).` : "No record is left out.";
}

/** A neighbour beside the recommended rule. */
function against(option, first) {
  const measure = decidedBy();
  const unseen = [option, first].map((one) => measure.key.startsWith("accuracy.") ? knownOf(one).expected?.[measure.key.split(".")[1]]?.accuracy : undefined);
  const both = unseen.every((one) => typeof one === "number");
  const [own, other] = both ? unseen : [option, first].map((one) => valueOf(knownOf(one), measure));
  const name = both ? "the accuracy expected of people it has not seen" : `the ${measure.name}`;
  const size = option.k === first.k ? "The smallest group is as large" : `The smallest group is ${Number((option.k / first.k).toPrecision(2))} times as large`;
  if (typeof own !== "number" || typeof other !== "number") return `${size} as that of ${nameOf(first)}.`;
  if (own === other) return `${size} as that of ${nameOf(first)}, and ${name} is the same.`;
  return `${size} as that of ${nameOf(first)}, and ${name} is ${own > other ? "higher" : "lower"} by ${difference(other, own, measure)}.`;
}

function card(option) {
  const [first] = decision.options;
  const line = (title, words) => element("p", {}, element("strong", {}, title), ` ${words}`);
  const hidden = hiddenBy(option);
  const title = option.id ? [`${KINDS[option.kind]}: `, ruleLink(option.id)] : [`${KINDS[option.kind]}: leave out more records`];
  return element("div", { class: `option ${option.kind}` },
    element("h4", {}, ...title),
    element("p", { class: "literal" }, element("code", {}, option.literal)),
    line("Protects.", protection(option)),
    line("Keeps.", `${listed(Object.entries(option.levels).map(([name, level]) => grouped(name, level)))}.`),
    hidden.length ? line("Leaves out.", `${listed(hidden)}: these columns are not in it. ${leavesOut(option)}`) : line("Leaves out.", leavesOut(option)),
    line("Is good for.", usefulness(option)),
    option === first ? line("Why this one.", `${decision.reason[0].toUpperCase()}${decision.reason.slice(1)}.`) : line("Instead.", against(option, first)),
    option.share === null ? null : element("p", { class: "note" }, `Not allowed yet. Set `, element("code", {}, `requirement: {suppression: ${option.share}}`), " in the config and discover again."));
}

function missing() {
  const kinds = decision.options.map((option) => option.kind);
  const told = [kinds.includes("safer") ? "" : "No rule that was found protects more for what it keeps.",
    kinds.includes("useful") ? "" : `No rule that was found is more useful with k ≥ ${whole(report.requirement.k)}.`].filter(Boolean);
  return told.length ? element("p", { class: "note" }, told.join(" ")) : null;
}

function drawDecision() {
  const body = document.getElementById("decision-body");
  if (!decision) {
    document.getElementById("decision-title").textContent = "No rule to recommend";
    body.replaceChildren(element("p", {}, report.explanation || "There is no rule to show."));
    return;
  }
  document.getElementById("decision-title").textContent = !decision.meets ? "No rule meets what is required" : isReleased ? "This rule, and others beside it" : "The best of the rules";
  body.replaceChildren(element("div", { class: "options" }, decision.options.map(card)), missing() ?? "");
}
