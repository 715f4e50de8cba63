"use strict";
/* What the page draws with: its document, elements, numbers, and charts from Vega-Lite specifications. */
const report = JSON.parse(document.getElementById("data").textContent);
const specifications = JSON.parse(document.getElementById("charts").textContent);
const ORIGINS = ["extracted", "joined", "lattice", "peer"];
const SHAPES = { extracted: "circle", joined: "diamond", lattice: "triangle-up", peer: "triangle-down" };
const byId = new Map(report.rules.map((rule) => [rule.id, rule]));

/** An element with attributes and children; texts are never read as HTML. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

const whole = (number) => number.toLocaleString("en");
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
const plural = (number, one, many) => `${whole(number)} ${number === 1 ? one : many}`;

/** What a privacy model requires or reaches: a number, or several by name. */
const told = (value) => (value !== null && typeof value === "object" ? `(${Object.entries(value).map(([name, one]) => `${name} = ${told(one)}`).join(", ")})` : String(value));

/** Whether a measure is told as a share of the most that it can be. Bits of information gain stay bits. */
const isScaled = (measure) => measure.most !== null && measure.key !== "information_gain";
const isShare = (measure) => measure.share || isScaled(measure);
const scale = (value, measure) => (typeof value === "number" && isScaled(measure) ? value / measure.most : value);

/** A measure's value as a person reads it; what was not measured has none. */
function shown(value, measure) {
  if (value === null || value === undefined) return "not measured";
  if (isShare(measure)) return value && Math.abs(value) < 0.001 ? percent(value, 3) : percent(value);
  if (value !== 0 && Math.abs(value) < 1e-4) return value.toExponential(2);
  return Math.abs(value) >= 1000 ? whole(Math.round(value)) : String(Number(value.toPrecision(4)));
}

/** How an axis writes a measure. */
function axisFormat(measure) {
  if (isShare(measure)) {
    const [low, high] = height(measure);
    return high - low > 0.06 ? ".0%" : high - low > 0.006 ? ".1%" : ".2%";
  }
  return report.rules.some((rule) => Math.abs(valueOf(rule, measure) ?? 0) >= 1000) ? "~s" : "~g";
}

/** The difference of two values: points for shares. */
function difference(from, to, measure) {
  const size = Math.abs(to - from);
  if (!isShare(measure)) return shown(size, measure);
  const points = 100 * size;
  return `${points.toFixed(points < 0.1 && points > 0 ? 2 : 1)} points`;
}

const valueOf = (rule, measure) => scale(rule.values?.[report.measures.indexOf(measure)], measure);
const better = (a, b, measure) => (measure.smaller ? a < b : a > b);
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** The origins that these rules have, each with its own colour and shape. */
function origins() {
  const found = [...new Set(report.rules.map((rule) => rule.origin))];
  return [...ORIGINS.filter((name) => found.includes(name)), ...found.filter((name) => !ORIGINS.includes(name))];
}

const originColours = () => origins().map((name) => colour(name in SHAPES ? name : "peer"));
const originShapes = () => origins().map((name) => SHAPES[name] ?? SHAPES.peer);

/** The colours of the page in a chart. */
function theme() {
  const ink = colour("ink"), soft = colour("soft"), line = colour("line");
  const text = { labelColor: soft, titleColor: ink, labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500 };
  return {
    background: "transparent",
    font: getComputedStyle(document.body).fontFamily,
    view: { stroke: null },
    axis: { ...text, gridColor: line, gridOpacity: 0.5, domainColor: line, tickColor: line, labelOverlap: true },
    legend: { ...text, orient: "bottom", direction: "horizontal" },
    text: { color: ink, fontSize: 12 },
    range: { category: originColours(), symbol: originShapes() },
  };
}

/** A specification with each "$word" replaced. */
function worded(specification, words) {
  const known = { ink: colour("ink"), soft: colour("soft"), limit: colour("limit"), chosen: colour("chosen"),
    paper: colour("paper"), node: colour("node"), nodeChosen: colour("node-chosen"), origins: origins(), ...words };
  return JSON.parse(JSON.stringify(specification), (_, value) =>
    typeof value === "string" && value[0] === "$" && value.slice(1) in known ? known[value.slice(1)] : value);
}

const drawing = new Set();

/** Wait for what draws; the page is ready when nothing draws any more. */
async function settle(drawn) {
  drawing.add(drawn);
  try {
    return await drawn;
  } finally {
    drawing.delete(drawn);
    if (!drawing.size) document.body.dataset.ready = "yes";
  }
}

/** Give each mark of a chart a name that a screen reader can say: its kind, where the chart names it no better. */
function nameMarks() {
  for (const mark of document.querySelectorAll('.chart [role="graphics-symbol"]:not([aria-label])'))
    mark.setAttribute("aria-label", mark.getAttribute("aria-roledescription"));
}

new MutationObserver(nameMarks).observe(document.body, { childList: true, subtree: true, attributeFilter: ["role", "aria-label"] }); // also when a chart is drawn anew in another width

/** Draw a chart; without eval, so that the page's policy can forbid it. Resolves to the chart's view. */
async function draw(place, name, words, datasets) {
  const specification = { ...worded(specifications[name], words), datasets, config: theme() };
  specification.layer = specification.layer?.filter(({ data }) => !["lines", "suppressed", "releases", "dominated"].includes(data?.name) || datasets[data.name].length);
  const drawn = vegaEmbed(place, specification, { ast: true, actions: false, renderer: "svg", mode: "vega-lite",
    tooltip: { theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light" } });
  return (await settle(drawn)).view;
}

/** The rules that no other beats in k and a measure, by falling k; rules without the measure take no part, nor do those
    that tell nothing, where the measure is about that. */
function frontierOf(rules, measure) {
  const measured = rules.filter((rule) => typeof valueOf(rule, measure) === "number" && !(measure.off && rule.nothing));
  measured.sort((a, b) => b.k - a.k || (better(valueOf(a, measure), valueOf(b, measure), measure) ? -1 : 1));
  const kept = [];
  let best = null, bestK = null;
  for (const rule of measured) {
    const value = valueOf(rule, measure);
    if (best === null || better(value, best, measure)) {
      kept.push(rule);
      [best, bestK] = [value, rule.k];
    } else if (value === best && rule.k === bestK) kept.push(rule);
  }
  return kept;
}
