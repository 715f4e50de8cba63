"use strict";
/* What the page opens with: the recommended rule beside a safer and a more useful one, in plain words. */
const decision = report.decision;
/** Whether the offer recommends another candidate than the rule that is the best of the rules. */
const isOnlyBestRule = Boolean(report.chosen) && decision !== null && report.chosen.id !== decision.options[0]?.id;
const KINDS = { recommended: isOnlyBestRule ? "The best rule" : "Recommended", safer: "Safer", useful: "More useful" };
const MOST_COLUMNS = 8, MOST_GROUPS = 5;

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
  const alike = report.k_counts.length ? ` with the same ${report.class}` : "";
  const average = Math.round((report.records - option.suppressed) / option.classes) - 1;
  const persons = personsIn(option.k);
  if (persons < option.k) return `Everyone looks like at least ${plural(persons - 1, "other person", "others")}${alike} (k = ${whole(option.k)} records, of which one person may have ${whole(report.entity.at_most)}), like ${whole(average)} records on average.`;
  if (option.k < 2) return "Somebody is the only one of their kind (k = 1).";
  return `Everyone looks like at least ${plural(option.k - 1, "other person", "others")}${alike} (k = ${whole(option.k)}), like ${whole(average)} on average.`;
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
    element("h3", {}, ...title),
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

/** The columns of the made-up rows: those that some option keeps, and others as far as there is room. */
function exampleColumns() {
  const names = decision.examples.columns;
  const keptOnes = names.filter((name) => decision.options.some((option) => name in option.levels));
  const room = Math.max(0, MOST_COLUMNS - keptOnes.length);
  const others = new Set(names.filter((name) => !keptOnes.includes(name)).slice(0, room));
  return names.map((name, at) => [name, at]).filter(([name]) => keptOnes.includes(name) || others.has(name));
}

function exampleRows() {
  const { before, after, columns } = decision.examples;
  const told = exampleColumns();
  const row = (cells) => element("tr", {}, told.map(([, at]) => element("td", { class: cells[at] === null ? "cell absent" : "cell" }, cells[at] ?? "–")));
  const group = (title, rows, kind = "") => element("tbody", { class: kind }, element("tr", {}, element("th", { colspan: told.length, scope: "rowgroup", class: "group" }, title)), rows.map(row));
  const rest = columns.length - told.length;
  return [element("div", { class: "scroll whole", tabindex: "0", role: "group", "aria-label": "Made-up rows" }, element("table", { id: "examples" },
    element("thead", {}, element("tr", {}, told.map(([name]) => element("th", { scope: "col" }, name)))),
    group("Three made-up people", before),
    decision.options.map((option, at) => group(`The same as ${option.id ? `${option.id} shows` : "they are shown if more records are left out"} (${KINDS[option.kind].toLowerCase()})`, after[at], option.kind)))),
    element("p", { class: "note" }, `${report.words.examples.replace("{k}", whole(report.requirement.k))} A dash stands where the column is not in the release.` +
      (rest ? ` ${plural(rest, "more column is", "more columns are")} in none of these releases.` : ""))];
}

function recipient(option) {
  const hidden = hiddenBy(option), names = Object.keys(option.levels), known = knownOf(option);
  const asIs = [report.class, ...report.kept].filter(Boolean);
  const told = (...lines) => element("ul", {}, lines.filter(Boolean).map((words) => element("li", {}, words)));
  const can = told(
    `Count and compare people by ${listed(names.map((name) => grouped(name, option.levels[name])))}. Counts are exact: values are grouped, and none is changed or added.`,
    known.nothing || !report.class ? null : `Learn how these go together with ${report.class}. ${usefulness(option)}`,
    asIs.length ? `Use ${listed(asIs)} as ${asIs.length > 1 ? "they are" : "it is"}, record by record.` : null);
  const cannot = told(
    hidden.length ? `See ${listed(hidden)}.` : null,
    names.some((name) => option.levels[name]) ? "Tell values apart that share a group." : null,
    report.identifiers.length ? `Look records up by ${listed(report.identifiers)}.` : null,
    option.k > 1 ? `Pick the record of a person whose ${listed(names)} they know: at least ${whole(option.k)} records look alike.` : null,
    option.suppressed ? `Say anything about the ${plural(option.suppressed, "record", "records")} left out.` : null);
  return element("div", { class: "pair" },
    element("div", {}, element("h4", {}, "They can"), can), element("div", {}, element("h4", {}, "They cannot"), cannot));
}

/** Who an option leaves out, by what it shows of each column; the rows are groups, those that lose most first. */
function leftOutRows(option) {
  const rows = option.left_out.flatMap(({ column, groups, others }) => {
    const told = groups.slice(0, MOST_GROUPS);
    const rest = others + groups.slice(MOST_GROUPS).reduce((sum, [, , left]) => sum + left, 0);
    const line = (name, label, records, left, share) => element("tr", {}, element("th", { scope: "row" }, name), element("td", { class: "cell" }, label),
      [records, left, share].map((text) => element("td", { class: "number" }, text)));
    return [...told.map(([label, records, left], at) => line(at ? "" : column, label, whole(records), whole(left), percent(left / records))),
      ...(rest && told.length ? [line("", "all others", "", whole(rest), "")] : [])];
  });
  return rows.length ? element("div", { class: "scroll whole", tabindex: "0", role: "group", "aria-label": "Who is left out" }, element("table", {},
    element("thead", {}, element("tr", {}, [["column", ""], ["group", ""], ["records", "number"], ["left out", "number"], ["of the group", "number"]]
      .map(([name, kind]) => element("th", { scope: "col", class: kind }, name)))), element("tbody", {}, rows)))
    : element("p", {}, `They are too few, or too different from each other, to say who they are: no group has ${whole(report.requirement.k)} of them.`);
}

function whoIsLeftOut() {
  const losing = decision.options.filter((option) => option.suppressed);
  const [first] = decision.options;
  return [
    first.suppressed ? null : element("p", {}, `Nobody: ${nameOf(first)} keeps all ${whole(report.records)} records.`),
    ...losing.flatMap((option) => [
      element("p", {}, `${option.id ? `${option.id} leaves` : "The more useful one would leave"} out ${plural(option.suppressed, "record", "records")} (${percent(option.suppressed / report.records)} of all), as they look like too few others. ${report.words.left_out.replace("{k}", whole(report.requirement.k))}`),
      leftOutRows(option)])];
}

function drawDecision() {
  const body = document.getElementById("decision-body");
  if (!decision) {
    document.getElementById("decision-title").textContent = "No rule to recommend";
    body.replaceChildren(element("p", {}, report.explanation || "There is no rule to show."));
    return;
  }
  const [first] = decision.options;
  document.getElementById("decision-title").textContent = decision.meets ? (isOnlyBestRule ? "The best of the rules" : `Recommended: release by rule ${first.id}`) : "No rule meets what is required";
  body.replaceChildren(
    element("div", { class: "options" }, decision.options.map(card)), missing() ?? "",
    element("h3", {}, "What it does to a record"), ...exampleRows(),
    element("h3", {}, `What a recipient can do with ${nameOf(first)}, and what not`), recipient(first),
    element("h3", {}, "Who is left out"), ...whoIsLeftOut().filter(Boolean),
    element("h3", {}, "Risks that remain"), ...risks(knownOf(first)));
}
