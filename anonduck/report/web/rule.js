"use strict";
/* One rule: what a recipient sees, what it measures and risks, its neighbours, and how to release it. */
const MOST_NAMES = 12;

/** A sentence with its {names} replaced. */
function sentence(name, values) {
  return report.words[name].replace(/\{(\w+)\}/g, (_, word) => String(values[word]));
}

function openRule(id, go = false) {
  state.opened = id;
  history.replaceState(null, "", `#${id}`);
  markOpened();
  drawRule();
  if (go) goTo("rule");
}

/** Open the rule that the address of the page names, such as report.html#R12. */
function openNamed() {
  const id = decodeURIComponent(location.hash.slice(1));
  if (byId.has(id)) openRule(id, true);
  else if (/^R\d+$/.test(id)) {
    document.getElementById("rule-title").textContent = `${id} is not on this page`;
    goTo("rule");
  }
}

/** A rule's id as a link that opens it, here and in a copy of the page. */
function ruleLink(id) {
  if (!byId.has(id)) return id;
  return element("a", { href: `#${id}`, onclick: (event) => { event.preventDefault(); openRule(id, true); } }, id);
}

function drawRule() {
  const rule = byId.get(state.opened);
  const body = document.getElementById("rule-body");
  if (!rule) {
    body.replaceChildren(element("p", {}, report.explanation || "There is no rule to show."));
    return;
  }
  document.getElementById("rule-title").textContent = `Rule ${rule.id}`;
  const attributes = Object.keys(rule.levels);
  body.replaceChildren(
    element("p", {}, element("code", {}, rule.literal), rule.id === report.released ? " This rule was released last." : ""),
    facts(rule),
    element("h4", {}, "What a recipient sees"),
    element("p", { class: "legend" }, element("span", { class: "swatch chosen" }), " the groups that this rule shows ", element("span", { class: "swatch" }),
      " those of other levels; each as wide as its share of the records"),
    element("div", { class: "attributes" }, attributes.map((name) => attribute(rule, name))),
    leftOut(rule),
    element("h4", {}, "How large the groups are"), ...groupSizes(rule),
    element("h4", {}, "All measures"), measuresTable(rule), ...protocols(rule),
    element("h4", {}, "Remaining risks"), ...risks(rule),
    element("h4", {}, "Where it stands"), ...neighbours(rule),
    element("h4", {}, "To release it"), ...release(rule));
  document.body.dataset.opened = rule.id === report.decision?.options[0].id ? "recommended" : "other";
  document.getElementById("dependency").replaceChildren(...dependency(rule), element("p", {}, `How ${rule.id} was found: `, ...howFound(rule), "."));
  for (const name of attributes) drawTaxonomy(rule, name);
  drawSizes(rule);
}

function facts(rule) {
  const { measure } = state;
  const required = report.requirement.k;
  const error = rule.errors[measure.key.split(".")[1]];
  const spread = measure.key.startsWith("accuracy.") && error !== undefined ? ` ± ${(100 * error).toFixed(1)}` : "";
  const met = rule.k >= required;
  const fact = (value, words, kind = "") => element("li", {}, element("strong", { class: kind }, value), element("span", {}, words));
  return element("ul", { class: "facts" },
    fact(`k = ${whole(rule.k)}`, `${met ? "meets" : "misses"} k ≥ ${whole(required)}`, met ? "met" : "unmet"),
    fact(shown(valueOf(rule, measure), measure) + spread, measure.name + (error === undefined ? "" : ", in-sample")),
    ...expected(rule).map(([model, found]) => fact(`${percent(found.accuracy, 1)} ± ${(100 * found.error).toFixed(1)}`, `expected accuracy of ${model} on unseen records`)),
    fact(whole(rule.classes), "groups of records that look alike"),
    rule.suppressed ? fact(whole(rule.suppressed), `records left out (${percent(rule.suppressed / report.records)})`) : null,
    fact(`${Object.keys(rule.levels).length} of ${Object.keys(report.attributes).length}`, "quasi-identifiers kept"),
    typeof rule.information_kept_overall === "number" ? fact(percent(rule.information_kept_overall), "of the information in all quasi-identifiers kept") : null);
}

/** What each model is expected to reach on records that the search did not see; empty where that was not measured. */
const expected = (rule) => Object.entries(rule.expected ?? {});

function attribute(rule, name) {
  const taxonomy = report.attributes[name];
  const level = rule.levels[name];
  const nodes = taxonomy.levels[level];
  const count = nodes ? nodes.length - (taxonomy.nulls ? 1 : 0) : taxonomy.nodes[level];
  const missing = taxonomy.nulls ? ", and missing values as one more" : "";
  let words;
  if (level === 0) words = `Level 0: all ${whole(taxonomy.nodes[0])} values are released as they are.`;
  else if (!nodes) words = `Level ${level} of ${taxonomy.root}: ${whole(count)} groups of its ${whole(taxonomy.nodes[0])} values${missing}.`;
  else words = `Level ${level} of ${taxonomy.root}: ${plural(count, "group", "groups")} of its ${plural(taxonomy.nodes[0], "value", "values")}${missing}: ${names(nodes)}.`;
  return element("div", { class: "attribute" }, element("h5", {}, name), element("p", { class: "groups" }, words + kept(rule, name)),
    element("div", { class: "chart", id: chartId(name) }));
}

const chartId = (name) => `taxonomy-${Object.keys(report.attributes).indexOf(name)}`;

function names(nodes) {
  const named = nodes.filter((node) => node[0] !== null).map((node) => `${node[0]} (${whole(node[2])})`);
  const hidden = nodes.length - named.length;
  const parts = named.slice(0, MOST_NAMES);
  if (named.length > MOST_NAMES) parts.push(`${whole(named.length - MOST_NAMES)} more`);
  if (hidden) parts.push(`${whole(hidden)} of fewer than ${whole(report.requirement.k)} records, not named here`);
  return parts.join(", ");
}

function drawTaxonomy(rule, name) {
  const taxonomy = report.attributes[name];
  const place = document.getElementById(chartId(name));
  const wide = Math.max(180, place.clientWidth - 60);
  const rows = [];
  for (let level = taxonomy.root; level >= 0; level -= 1) {
    const chosen = level === rule.levels[name];
    const nodes = taxonomy.levels[level];
    if (!nodes) {
      const label = level ? `${whole(taxonomy.nodes[level])} groups` : `${whole(taxonomy.nodes[0])} values, not shown here`;
      rows.push({ level, from: 0, to: 1, label, leaves: taxonomy.nodes[0], records: "", chosen, fits: true });
      continue;
    }
    for (const [label, leaves, records, from, to] of nodes) {
      const text = label ?? `fewer than ${whole(report.requirement.k)} records`;
      rows.push({ level, from, to, label: text, leaves, records: records === null ? "few" : whole(records), chosen,
        fits: label !== null && (to - from) * wide > 6.6 * text.length + 6 });
    }
  }
  draw(place, "taxonomy", { height: 24 * (taxonomy.root + 1) + 6, description: `Levels of ${name}; level ${rule.levels[name]} is released` }, { nodes: rows });
}

function leftOut(rule) {
  const out = Object.keys(report.attributes).filter((name) => !(name in rule.levels));
  const list = (columns) => columns.join(", ");
  return element("ul", {},
    out.length ? element("li", {}, `Not in the release: ${list(out)}. (With --keep-roots these columns are there, with one label for all records.)`) : null,
    report.class || report.kept.length ? element("li", {}, `Kept as they are: ${list([report.class, ...report.kept].filter(Boolean))}${report.kept.length ? "; k does not count these" : ""}.`) : null,
    (report.kept_lines ?? []).map((line) => element("li", {}, `${line[0].toUpperCase()}${line.slice(1)}.`)),
    report.identifiers.length ? element("li", {}, `Never in a release: ${list(report.identifiers)}.`) : null);
}

function groupSizes(rule) {
  const sizes = report.sizes[rule.id];
  if (!sizes) return [element("p", {}, `${plural(rule.classes, "group", "groups")}, the smallest of ${whole(rule.k)} records. Group sizes are shown for the ${whole(Object.keys(report.sizes).length)} rules nearest to a frontier.`)];
  const average = Math.round((report.records - rule.suppressed) / rule.classes);
  return [element("p", {}, `${plural(rule.classes, "group", "groups")}: the smallest has ${whole(rule.k)} records, the average ${whole(average)}. Each bar is the number of groups of a size.`),
    element("div", { class: "chart", id: "sizes-chart" })];
}

function drawSizes(rule) {
  const sizes = report.sizes[rule.id];
  if (!sizes) return;
  const lowers = [];
  for (let lower = sizes[0][0]; lower <= sizes[sizes.length - 1][0]; lower = following(lower)) lowers.push(lower);
  const held = new Map(sizes.map((row) => [row[0], row]));
  const rows = lowers.map((lower) => ({ range: `${short(lower)}–${short(following(lower) - 1)}`, classes: held.get(lower)?.[1] ?? 0, records: held.get(lower)?.[2] ?? 0 }));
  draw("#sizes-chart", "sizes", {}, { sizes: rows });
}

/** The next of 1, 2, 5, 10, 20, 50 and so on. */
const following = (lower) => (String(lower)[0] === "2" ? lower * 2.5 : lower * 2);
const short = (number) => (number >= 10_000 ? new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(number) : whole(number));

function measuresTable(rule) {
  const row = (name, value, than, meaning) => element("tr", {}, element("th", { scope: "row" }, name), element("td", { class: "number" }, value),
    element("td", { class: "number" }, than), element("td", { class: "wrap meaning" }, meaning));
  const rows = report.measures.map((measure) => {
    const error = measure.key.startsWith("accuracy.") ? rule.errors[measure.key.split(".")[1]] : undefined;
    const value = valueOf(rule, measure);
    const spread = error === undefined ? "" : ` ± ${(100 * error).toFixed(1)}`;
    const than = measure.lines.find((line) => line.name === "baseline (ungeneralized)");
    return row(measure.name, shown(value, measure) + spread, than ? shown(than.value, measure) : "",
      measure.meaning + scaleWords(rule, measure) + (rule.suppressed && measure.key.includes(".") ? "; records left out count as the majority guess" : "") + (spread ? "; ± is the standard error over the ten folds" : "") + (measure.smaller ? "; smaller is better" : ""));
  });
  const outside = expected(rule).map(([model, found]) => row(`expected accuracy (${model})`, `${percent(found.accuracy, 1)} ± ${(100 * found.error).toFixed(1)}`,
    percent(found.baseline.accuracy, 1), `on ${whole(found.records)} records that the search did not see; ± is the standard error`));
  const privacy = Object.entries(rule.privacy).map(([name, reached]) => row(name, told(reached), "",
    name in report.requirement ? `required: ${told(report.requirement[name])}` : ""));
  return element("div", { class: "scroll whole", tabindex: "0", role: "group", "aria-label": "All measures" }, element("table", { id: "measures" },
    element("thead", {}, element("tr", {}, [["measure", ""], ["this rule", "number"], ["baseline (ungeneralized)", "number"], ["what it is", "meaning"]].map(([name, kind]) => element("th", { scope: "col", class: kind }, name)))),
    element("tbody", {}, row("k", whole(rule.k), "", "records in the smallest group"), privacy, outside, rows)));
}

/** How what is expected of a rule was measured. */
const protocols = (rule) => [...new Set(expected(rule).map(([, found]) => found.protocol))].map((words) => element("p", { class: "note" }, `Expected accuracy by ${words}.`));

/** What a measure's share is of, and the number itself. */
function scaleWords(rule, measure) {
  if (measure.key === "information_gain" && measure.most) return `, of the ${shown(measure.most, measure)} bits that it has`;
  const value = valueOf(rule, measure);
  if (!isScaled(measure) || typeof value !== "number") return "";
  const number = (one) => (one >= 1000 ? whole(Math.round(one)) : String(Number(one.toPrecision(4))));
  return `: ${number(value * measure.most)} of the ${number(measure.most)} of hiding every column`;
}

/** The fewest persons whose records so many can be: as many as there are records, unless a person may have several. */
function personsIn(records) {
  return report.entity ? Math.ceil(records / report.entity.at_most) : records;
}

function risks(rule) {
  const sizes = report.sizes[rule.id];
  const sum = (place) => sizes.reduce((total, row) => total + row[place], 0);
  const values = { k: whole(rule.k), others: whole(rule.k - 1), columns: Object.keys(rule.levels).join(", "), kept: report.kept.join(", "),
    ...(report.entity ? { at_most: whole(report.entity.at_most), persons: whole(personsIn(rule.k)) } : {}),
    highest: percent(1 / personsIn(rule.k), 2), average: percent(rule.classes / (report.records - rule.suppressed), 2), classes: whole(rule.classes),
    class: report.class, sensitive: report.sensitive.join(", "), privacy: Object.entries(rule.privacy).map(([name, value]) => `${name} ${told(value)}`).join(", "),
    ...(sizes ? { alike: whole(sum(3)), groups: whole(rule.classes), column: report.class, share: percent(sum(4) / (report.records - rule.suppressed)) } : {}) };
  const singling = personsIn(rule.k) < 2 ? "singling_out_one" : report.entity && report.entity.at_most > 1 ? "singling_out_persons" : "singling_out";
  const said = (...which) => which.filter(Boolean).map((name) => element("p", {}, sentence(name, values)));
  const question = (title, open, ...children) => element("div", { class: open ? "question open" : "question" }, element("h5", {}, title), ...children);
  return [
    question("Can a person be singled out?", personsIn(rule.k) < 2, said(singling, report.kept.length && "singling_out_kept")),
    question("Can records be linked to a person?", true, said("linkability_released", "linkability_alike", "linkability_against")),
    question("Can something be inferred about a person?", true, said(report.class && sizes ? (sum(3) ? "alike_released" : "alike_none_released") : !values.privacy && "inference_not_measured",
      values.privacy ? "inference_measured" : report.sensitive.length && "inference_unmeasured")),
    element("p", {}, report.words.attacks),
    element("h5", {}, "Known limits of the method"),
    element("ul", {}, report.words.limits.map((limit) => element("li", {}, limit)))];
}

function neighbours(rule) {
  const { measure } = state;
  const value = valueOf(rule, measure);
  const line = measure.frontier.map((id) => byId.get(id)).sort((a, b) => a.k - b.k);
  const found = [];
  const described = (other) => `k ${whole(other.k)} instead of ${whole(rule.k)}`;
  if (typeof value !== "number") found.push(element("p", {}, `Its ${measure.name} was not measured, so its place in that trade-off is unknown.`));
  else {
    const above = line.find((other) => other.k > rule.k);
    const below = line.findLast((other) => other.k < rule.k);
    const beaten = onFrontier(rule) ? null : line.find((other) => other.k >= rule.k && !better(value, valueOf(other, measure), measure));
    found.push(element("p", {}, onFrontier(rule) ? `On the frontier of k and ${measure.name}: no rule${measure.off && report.rules.some((one) => one.nothing) ? " that tells something" : ""} beats it in both.` : `Not on the frontier of k and ${measure.name}.`));
    if (tiesOf(rule).length) found.push(element("p", {}, "It ties with ", ...tiesOf(rule).flatMap((id, at) => (at ? [", ", ruleLink(id)] : [ruleLink(id)])), ": what it is better by is less than the spread over folds, and the larger k protects more."));
    if (rule.nothing) found.push(element("p", {}, "It tells nothing: it is no better than naming the majority class for every record."));
    if (beaten) found.push(element("p", {}, ruleLink(beaten.id), ` is at least as good in both: k ${whole(beaten.k)}, ${measure.name} ${shown(valueOf(beaten, measure), measure)}.`));
    if (above) found.push(element("p", {}, `One step more private, `, ruleLink(above.id), ` (${described(above)}), ${change(value, valueOf(above, measure))}.`));
    else found.push(element("p", {}, "No rule on the frontier is more private."));
    if (below) found.push(element("p", {}, `One step less private, `, ruleLink(below.id), ` (${described(below)}), ${change(value, valueOf(below, measure))}.`));
    else found.push(element("p", {}, "No rule on the frontier is less private."));
  }
  return found;
}

/** How a rule was found, and from which. */
function howFound(rule) {
  const where = (key) => (Number(key) ? ` at coverage ${coverageName(Number(key))}` : "");
  const how = Object.entries(rule.origins).map(([key, origin]) => origin + where(key)).join(", ");
  const parents = rule.parents.length ? ["; joined from ", ...rule.parents.flatMap((id, place) => [place ? " and " : "", ruleLink(id)])] : [];
  return [how, ...parents];
}

function change(from, to) {
  const { measure } = state;
  if (from === to) return `costs no ${measure.name}`;
  return `${better(to, from, measure) ? "gains" : "costs"} ${difference(from, to, measure)} of ${measure.name}`;
}

function release(rule) {
  const found = [element("pre", { id: "command" }, report.command.replace("RULE", rule.id))];
  if (rule.k < report.requirement.k) found.unshift(element("p", { class: "unmet" }, `This command will be refused: the rule has k = ${whole(rule.k)}, but ${whole(report.requirement.k)} is required.`));
  return found;
}
