"use strict";
/* A rule as a dependency of the data: the RFD in the notation of its paper, what violates it, what each column keeps. */

/** Attributes with their levels as subscripts, as Caruccio et al. 2022 write them. */
function constraints(levels) {
  return Object.entries(levels).flatMap(([name, level], place) => [place ? ", " : "", name, element("sub", {}, `≤${level}`)]);
}

/** The RFD of a rule beside what it says in words; empty without a class. */
function dependency(rule) {
  if (!rule.dependency.length) return [];
  const before = Object.keys(rule.levels).length ? constraints(rule.levels) : ["{}"];
  return [
    element("h4", {}, "Why this rule: a dependency of the data"),
    element("p", { class: "rfd" }, ...before, " → ", ...constraints({ [report.class]: 0 })),
    ...rule.dependency.map((sentence) => element("p", {}, sentence)),
    element("p", { class: "hint" }, report.words.dependency)];
}

/** What a column keeps of its information, for the words under its name; empty where that is not known. */
function kept(rule, name) {
  const share = rule.information_kept[name];
  return typeof share === "number" ? ` Keeps ${percent(share)} of the column's information (entropy).` : "";
}
