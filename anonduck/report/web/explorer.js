"use strict";
(() => {
  const state = JSON.parse(document.getElementById("state").textContent);
  const at = (id) => document.getElementById(id);
  const number = (value) => value.toLocaleString("en-US");
  const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
  const levels = new Map();
  let asking = false, again = false, share = state.suppression, saved = null;
  const ofPersons = state.most > 1;

  const element = (tag, text, attributes = {}) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  };
  const counted = (count, one, many) => `${number(count)} ${count === 1 ? one : many}`;

  const asked = () => ({
    levels: Object.fromEntries(levels),
    k: Number(at("k").value),
    suppression: share,
  });

  async function post(question, body) {
    const answer = await fetch(question, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
    const told = await answer.json();
    if (!answer.ok) throw new Error(told.error);
    return told;
  }

  /* One question at a time; what changes meanwhile is asked next. */
  async function measure() {
    if (asking) { again = true; return; }
    asking = true;
    try {
      do {
        again = false;
        show(await post("measure", asked()));
      } while (again);
    } catch (error) {
      fail(error);
    } finally {
      asking = false;
    }
    if (again) measure();
  }

  function fail(error) {
    const gone = error instanceof TypeError;
    at("verdict").textContent = gone ? "No answer: anonduck explore was stopped. Start it again." : error.message;
    at("verdict").className = "unmet";
    at("save").disabled = true;
    document.body.dataset.failed = "yes";
  }

  function show(answer) {
    delete document.body.dataset.failed;
    const met = answer.unmet.length === 0;
    at("verdict").textContent = met ? `Meets ${answer.required}.` : `Misses ${answer.required}: ${answer.unmet.join("; ")}.`;
    at("verdict").className = met ? "met" : "unmet";
    at("facts").replaceChildren(...facts(answer).map(fact));
    sizes(answer);
    beaten(answer.beaten_by);
    at("literal").textContent = answer.literal || "no column is under its root";
    at("save").disabled = !state.savable || answer.misses.length > 0;
    at("saved").className = "";
    at("saved").textContent = note(answer);
    at("timing").textContent = `Counted in ${answer.milliseconds} ms, in memory.`;
    document.body.dataset.ready = "yes";
    document.body.dataset.shown = JSON.stringify(answer.levels) + answer.required;
  }

  function note(answer) {
    if (!state.savable) return state.config ? `${state.config} releases by a method, and has no rule.` : "This project has no config file to save a rule in.";
    if (answer.misses.length) return `${state.config} requires more than this rule reaches: ${answer.misses.join("; ")}.`;
    return "";
  }

  function facts(answer) {
    const left = answer.suppressed
      ? `left out: ${percent(answer.suppressed / state.records, 2)} of the records, up to ${number(answer.allowed)} may be`
      : answer.failing > answer.allowed
        ? `would have to be left out; ${answer.allowed ? `only ${number(answer.allowed)} may be` : "none may be"}`
        : "nothing is left out";
    return [
      smallest(answer),
      ["classes", number(answer.classes), "equivalence classes"],
      ["blocked", number(answer.failing), `in classes that fail; ${left}`],
      ...(state.class === null ? [] : [["gain", `${answer.information_gain.toFixed(4)} bits`, `information about ${state.class}, of ${state.entropy.toFixed(4)} bits`]]),
      ["loss", percent(answer.loss), "of the detail is lost (loss metric)"],
      ["records", number(answer.records), answer.unmet.length ? "records, none of them left out" : "records would be released"],
      ...Object.entries(answer.privacy).map(([name, value]) => [name, typeof value === "object" && value ? Object.values(value).join(", ") : String(value), `${name} reached`]),
    ];
  }

  /* A class of so many records is sure to be of so many persons. */
  function smallest(answer) {
    const place = answer.suppressed ? "in the smallest class that stays" : "in the smallest class";
    if (!ofPersons) return ["k", number(answer.k), `records ${place}`];
    return ["k", number(answer.persons), `${answer.persons === 1 ? "person" : "persons"} at least ${place}, which has ${counted(answer.k, "record", "records")}`];
  }

  function fact([name, value, words]) {
    const line = element("li", undefined, { "data-fact": name });
    line.append(element("strong", value), element("span", words));
    return line;
  }

  function sizes(answer) {
    const k = answer.k_required, most = Math.max(...answer.sizes.map((one) => one.records), 1);
    at("sizes").replaceChildren(...answer.sizes.map((one, place) => {
      const next = answer.sizes[place + 1];
      const small = one.lower < k;
      const line = element("div", undefined, { class: small ? "bar small" : "bar" });
      const bar = element("i");
      bar.style.width = `${(100 * one.records) / most}%`;
      const words = small ? `under ${number(k)}` : next ? `${number(one.lower)} to ${number(next.lower - 1)}` : `${number(one.lower)} or more`;
      line.append(element("span", words), bar, element("span", `${number(one.records)} in ${counted(one.classes, "class", "classes")}`));
      return line;
    }));
    at("sizes-note").textContent = answer.suppressed ? `Without the ${counted(answer.suppressed, "record", "records")} that ${answer.suppressed === 1 ? "is" : "are"} left out.` : "";
  }

  /* Candidates that are better in all that a rule shows are marked. */
  function beaten(ids) {
    const better = new Set(ids);
    for (const row of at("offered").querySelectorAll("tbody tr")) row.classList.toggle("better", better.has(row.dataset.candidate));
    at("beaten").textContent = ids.length
      ? `${ids.join(", ")} ${ids.length === 1 ? "loses" : "lose"} less detail than this rule, at as large a k, and ${ids.length === 1 ? "leaves" : "leave"} out no more records.`
      : "No candidate loses less detail than this rule at as large a k.";
  }

  function offer() {
    const offered = state.offered;
    at("offer").hidden = !offered.length;
    if (!offered.length) return;
    const model = offered.find((one) => one.learner)?.learner;
    const titles = ["id", "found by", ofPersons ? "k (persons)" : "k", "columns", "detail lost", ...(model ? [`${model} accuracy`, "guessed (points)"] : []), "here"];
    const head = element("tr");
    head.append(...titles.map((title) => element("th", title, { scope: "col" })));
    const rows = offered.map((one) => {
      const row = element("tr", undefined, { "data-candidate": one.id });
      const score = one.score ? `${(100 * one.score[0]).toFixed(1)} ± ${(100 * one.score[1]).toFixed(1)}` : "";
      const texts = [one.id, one.words, number(one.k), `${one.columns.length}`, one.loss === null ? "" : percent(one.loss),
        ...(model ? [score, one.inference ? `${one.inference.gain > 0 ? "+" : ""}${(100 * one.inference.gain).toFixed(1)}` : ""] : [])];
      row.append(...texts.map((text, place) => element("td", text, { class: place > 1 ? "cell number" : "cell" })));
      const last = element("td", one.levels ? undefined : "no rule");
      if (one.levels) {
        const button = element("button", `Try ${one.id}`, { type: "button" });
        button.addEventListener("click", () => begin(one));
        last.append(button);
      }
      row.append(last);
      return row;
    });
    const table = element("table"), top = element("thead"), body = element("tbody");
    top.append(head);
    body.append(...rows);
    table.append(top, body);
    at("offered").replaceChildren(table);
    at("offered-note").textContent = "Detail lost is the loss metric, as of the rule above"
      + (model ? "; accuracy is in % on people who are not in the release; guessed is how much more often the class of people in it is guessed than that of others" : "")
      + `. anonduck release ${offered.find((one) => !one.levels)?.id ?? offered[0].id} -o FILE writes a candidate; sliders try rules alone.`;
  }

  function slider(column, place) {
    const line = element("div", undefined, { class: "slider" });
    const input = element("input", undefined, { type: "range", id: `level-${place}`, min: 0, max: column.root, step: 1, "data-column": column.name });
    line.append(element("label", column.name, { for: input.id }), input, element("output", "", { for: input.id }));
    input.addEventListener("input", () => { set(column, Number(input.value)); measure(); });
    return line;
  }

  function set(column, level) {
    levels.set(column.name, level);
    const line = at("sliders").children[state.columns.indexOf(column)];
    const [, input, output] = line.children;
    input.value = level;
    const out = level === column.root;
    const words = out ? "left out" : level === 0 ? `its own values, ${number(column.groups[0])}` : `level ${level} of ${column.root}: ${counted(column.groups[level], "group", "groups")}`;
    output.textContent = words + (level > column.cap ? "; the config keeps it lower" : "");
    input.setAttribute("aria-valuetext", words);
    line.classList.toggle("out", out);
  }

  function begin(start) {
    for (const column of state.columns) set(column, start.levels[column.name] ?? column.root);
    measure();
  }

  function shareShown() {
    at("share").textContent = percent(share);
  }

  function require() {
    at("k").value = at("k-slider").value = state.k;
    share = state.suppression;
    at("suppression").value = 100 * share;
    shareShown();
  }

  async function change(question, words) {
    try {
      const done = await post(question, { ...asked(), save: saved });
      saved = done.save ?? null;
      at("saved").textContent = words(done);
      at("saved").className = "met";
      at("undo").hidden = question === "undo";
    } catch (error) {
      at("saved").textContent = error.message;
      at("saved").className = "unmet";
    }
  }

  at("about").textContent = `${state.source ?? "A table in memory"}: ${number(state.records)} records; ${state.class === null ? "no class is predicted" : `the class is ${state.class}`}.`;
  if (ofPersons) {
    const unused = state.persons.left_out;
    at("k-words").textContent = "Persons in each class, at least (k)";
    at("persons").textContent = `One person has up to ${number(state.most)} records, so that k persons are sure to be in ${number(state.most)} (k - 1) + 1 records.`
      + (unused ? ` ${counted(unused, "record is", "records are")} not used, of persons who have more.` : "");
  }
  at("sliders").append(...state.columns.map(slider));
  at("start").append(...state.starts.map((one, place) => element("option", one.name, { value: place })));
  at("start").addEventListener("change", () => begin(state.starts[at("start").value]));
  at("k-slider").max = Math.max(100, 4 * state.k);
  at("suppression").max = Math.max(20, Math.ceil(100 * state.suppression));
  at("k-slider").addEventListener("input", () => { at("k").value = at("k-slider").value; measure(); });
  at("k").addEventListener("input", () => {
    if (!at("k").value || !at("k").checkValidity()) return;
    at("k-slider").value = at("k").value;
    measure();
  });
  at("suppression").addEventListener("input", () => {
    share = Number(at("suppression").value) / 100;
    shareShown();
    measure();
  });
  at("required").addEventListener("click", () => { require(); measure(); });
  at("save").addEventListener("click", () => change("save", (done) => `Saved: ${done.config} now has the rule ${done.rule}, which anonduck run releases by.`));
  at("undo").addEventListener("click", () => change("undo", (done) => `${state.config} is as it was before, ${done.rule ? `with the rule ${done.rule}` : "without a rule"}.`));
  at("asked").addEventListener("submit", (event) => event.preventDefault());
  offer();
  require();
  begin(state.starts[0]);
})();
