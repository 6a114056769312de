"use strict";
// Draws the report from the JSON in the page. Text reaches the page as text nodes only, and what
// could change the order of the text or hide in it is shown as an escape. Drawing is a generator
// that gives way to the browser, so that ten thousand calls do not keep the first ones waiting.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const hidden = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;
  const escaped = (c) => { const n = c.codePointAt(0).toString(16); return n.length > 4 ? `\\u{${n}}` : `\\u${n.padStart(4, "0")}`; };
  const clean = (text) => String(text).replace(hidden, escaped);
  const el = (tag, cls, text) => {
    const node = document.createElement(tag);
    if (cls) node.className = cls;
    if (text !== undefined) node.textContent = clean(text);
    return node;
  };
  const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));
  const time = (ms) => (ms == null ? "" : ms < 1000 ? `${ms.toFixed(1)} ms` : ms < 1e8 ? `${(ms / 1000).toFixed(1)} s` : `${ms.toExponential(1)} ms`);
  const short = (text, n) => (text.length > n ? text.slice(0, n) + "…" : text);
  const kinds = new Set(["ok", "error", "aborted", "denied", "stopped", "unknown", "open", "refused", "deferred", "discarded"]);
  const kind = (call) => (kinds.has(call.outcome) ? call.outcome : "open");
  const tone = (call) => (call.outcome === "ok" ? "--ok" : call.outcome === "error" || call.outcome === "aborted" ? "--error" : "--loud");

  const args = (value) => {
    if (value && typeof value === "object" && !Array.isArray(value) && !value.$preview)
      return Object.entries(value).map(([k, v]) => `${k}=${JSON.stringify(v)}`).join(", ");
    return value == null ? "" : JSON.stringify(value);
  };
  // What a model wrote is a raw string: shown as the object in it, if there is one.
  const parsed = (call) => {
    if (call.kind !== "call" || typeof call.arguments !== "string") return call.arguments;
    try { return JSON.parse(call.arguments); } catch { return call.arguments; }
  };
  const title = (call) => {
    if (call.kind === "refused" && !call.name) return JSON.stringify(short(call.error.detail || "?", 300));
    if (call.program == null) return `${call.name || "?"}(${short(args(parsed(call)), 300)})`;
    const label = parsed(call)?.description;
    return `${call.name} ${call.call_id}${typeof label === "string" ? ` “${short(label, 200)}”` : ""}`;
  };
  // What a reviewer must not overlook, said on the call's own line.
  const marks = (call) => {
    const d = call.decision, found = [];
    if (["deny", "stop", "defer"].includes(d.outcome)) found.push(`by ${[d.rule, d.layer && `(${d.layer})`].filter(Boolean).join(" ")}`);
    for (const a of call.approvals) found.push(`approval ${a.outcome}${a.by ? ` by ${a.by}` : ""}`);
    if (call.kind === "refused") found.push(`never started: ${call.error.code || ""}`);
    if (call.late) found.push(`ended late: ${call.late}`);
    if (call.redacted.length) found.push("redacted");
    return found;
  };

  const fact = (list, name, value, block) => {
    if (value == null || value === "" || (Array.isArray(value) && !value.length)) return;
    if (typeof value === "object" && !Array.isArray(value) && !Object.keys(value).length) return;
    const text = shown(value), body = el(block ? "pre" : "span", "", text), dd = el("dd");
    // A text that scrolls must be reached by the keyboard too.
    if (block && (text.length > 1000 || text.split("\n").length > 12)) body.tabIndex = 0;
    dd.append(body);
    list.append(el("dt", "", name), dd);
  };
  const notesOf = (notes) => notes.map((n) => ({ seq: n.seq, type: n.type, version: n.version, data: n.data }));
  const details = (call) => {
    const list = el("dl"), d = call.decision;
    fact(list, "id", call.call_id);
    fact(list, "events", call.end_seq && call.end_seq !== call.start_seq ? `${call.start_seq}–${call.end_seq}` : call.start_seq);
    fact(list, "time", call.time);
    fact(list, "line (guest)", call.line);
    fact(list, "decision", d.outcome && `${d.outcome} by ${[d.rule, d.layer].filter(Boolean).join(", ")}${d.reason ? ": " + d.reason : ""}`);
    for (const a of call.approvals) fact(list, "approval", `${a.outcome}${a.by ? " by " + a.by : ""}${a.waited_ms ? ", waited " + time(a.waited_ms) : ""}${a.reason ? " (" + a.reason + ")" : ""}`);
    fact(list, "error", call.error, true);
    fact(list, "arguments", call.program == null ? parsed(call) : null, true);
    fact(list, "received", call.effective_arguments, true);
    fact(list, "content", call.content, true);
    fact(list, "ended late", call.late);
    const origin = call.resumed_from;
    if (origin.call_id) {
      fact(list, "resumed from", `${origin.call_id} of ${origin.session}, ${origin.restored} answers restored`);
      fact(list, "answered by the host", origin.answered.join(", "));
      fact(list, "made again", origin.repeated.join(", "));
    }
    fact(list, "redacted", call.redacted.join(", "));
    fact(list, "claimed by", call.claimed_by === "guest" ? "the guest" : "");
    fact(list, "usage", call.usage, true);
    fact(list, "own events", notesOf(call.notes), true);
    return list;
  };

  // Every call of the page in order; `node` once it is drawn.
  const rows = [];
  const texts = new Map();
  const search = document.getElementById("search"), outcome = document.getElementById("outcome"), found = document.getElementById("found");
  const wants = (call) => {
    if (outcome.value && call.outcome !== outcome.value) return false;
    const wanted = search.value.toLowerCase();
    if (!wanted) return true;
    if (!texts.has(call)) texts.set(call, JSON.stringify([call.name, call.call_id, call.outcome, call.arguments, call.effective_arguments, call.content, call.error, call.decision, call.approvals, call.program, call.notes]).toLowerCase());
    // As in the text itself, and as a JSON text has it.
    return texts.get(call).includes(wanted) || texts.get(call).includes(JSON.stringify(wanted).slice(1, -1));
  };
  const draw = (row) => {
    const call = row.call;
    const node = el("details", `call is-${kind(call)}${call.kind === "call" ? " model" : ""}`);
    const summary = el("summary"), side = el("span", "marks");
    for (const mark of marks(call)) side.append(el("span", "mark", mark));
    summary.append(el("span", "at mono", call.line == null ? "" : `L${call.line}`), el("span", "name mono", title(call)), side, el("span", `outcome to-${kind(call)}`, call.outcome), el("span", "time", time(call.duration_ms)));
    node.append(summary);
    let isDrawn = false;
    node.addEventListener("toggle", () => {
      if (node.open && !isDrawn) { isDrawn = true; node.append(details(call)); }
    });
    node.hidden = !row.keep;
    row.node = node;
    return node;
  };
  const reveal = (row) => {
    while (!row.node) pump(50);
    row.node.hidden = false;
    row.node.open = true;
    row.node.scrollIntoView({ block: "center" });
    row.node.querySelector("summary").focus();
  };

  // The program, each line with what it called: one chip for all calls of a tool that ended alike.
  const program = (call, byCall) => {
    const table = el("div", "program mono context");
    table.tabIndex = 0;
    table.setAttribute("role", "region");
    table.setAttribute("aria-label", `program of ${clean(call.call_id)}`);
    const lines = new Map();
    for (const child of call.children) {
      if (child.line == null) continue;
      if (!lines.has(child.line)) lines.set(child.line, new Map());
      const groups = lines.get(child.line), key = JSON.stringify([child.name, child.outcome]);
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(child);
    }
    const source = String(call.program).replace(/\n$/, "").split("\n");
    for (const [i, text] of source.entries()) {
      const groups = lines.get(i + 1), row = el("div", groups ? "called" : ""), side = el("span", "side");
      for (const group of groups ? groups.values() : []) {
        const first = group[0];
        const chip = el("button", `chip to-${kind(first)}`, `${short(first.name || "?", 60)} ${first.outcome}${group.length > 1 ? ` ×${group.length}` : ""}`);
        chip.type = "button";
        if (group.length > 1) chip.title = "each press goes to the next of them";
        let at = 0;
        chip.addEventListener("click", () => { reveal(byCall.get(group[at % group.length])); at += 1; });
        side.append(chip);
      }
      row.append(el("span", "number", i + 1), el("span", "source", text), side);
      table.append(row);
    }
    return table;
  };

  const LANE = 14, LANES = 40;
  const moment = (call) => Date.parse(call.time.slice(0, 23) + "Z") + Number(call.time.slice(23, 26)) / 1000;
  // Redrawn when it comes into view, changes its width, or the colours change.
  const painters = new Map();
  const inView = new IntersectionObserver((entries) => { for (const e of entries) { const p = painters.get(e.target); p.isSeen = e.isIntersecting; if (p.isSeen) p.paint(); } });
  const sized = new ResizeObserver((entries) => { for (const e of entries) { const p = painters.get(e.target); if (p.isSeen) p.paint(); } });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { for (const p of painters.values()) if (p.isSeen) p.paint(); });

  const timeline = (call, byCall) => {
    const spans = [];
    for (const c of call.children) {
      const from = moment(c);
      if (c.kind === "nested" && Number.isFinite(from)) spans.push({ c, from, to: from + Math.max(c.duration_ms || 0, 0.01) });
    }
    if (spans.length < 2) return null;
    let from = Infinity, to = -Infinity;
    for (const s of spans) { from = Math.min(from, s.from); to = Math.max(to, s.to); }
    const lanes = [];
    for (const s of spans) {
      let lane = lanes.findIndex((end) => end <= s.from);
      if (lane < 0) lane = lanes.length < LANES ? lanes.push(0) - 1 : lanes.indexOf(lanes.reduce((a, b) => Math.min(a, b)));
      lanes[lane] = s.to;
      s.lane = lane;
    }
    const figure = el("figure", "context"), canvas = el("canvas"), caption = el("figcaption");
    const counts = new Map();
    for (const s of spans) counts.set(s.c.outcome, (counts.get(s.c.outcome) || 0) + 1);
    const asked = spans.filter((s) => s.c.approvals.length).length;
    const legend = `${spans.length} calls in ${time(to - from)}, up to ${lanes.length} at once`;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `Timeline: ${legend}; ${[...counts].map(([k, n]) => `${n} ${clean(k)}`).join(", ")}`);
    caption.append(el("span", "", legend));
    for (const [name, n] of counts) caption.append(el("span", `to-${kinds.has(name) ? name : "open"}`, `${["ok", "error", "aborted"].includes(name) ? "■" : "□"} ${n} ${name}`));
    if (asked) caption.append(el("span", "", `▲ ${asked} asked a person`));
    const painted = [...spans].sort((a, b) => (a.c.outcome !== "ok") - (b.c.outcome !== "ok"));
    const height = lanes.length * LANE + 22;
    canvas.style.height = `${height}px`;
    const place = (s, width) => {
      const scale = (width - 4) / (to - from);
      return { x: (s.from - from) * scale + 2, y: s.lane * LANE + 3, w: Math.max((s.to - s.from) * scale, 2), h: LANE - 4 };
    };
    const paint = () => {
      const style = getComputedStyle(document.documentElement);
      const scale = window.devicePixelRatio || 1, width = canvas.clientWidth;
      canvas.width = width * scale; canvas.height = height * scale;
      const pen = canvas.getContext("2d");
      pen.scale(scale, scale);
      // What was not ok is painted last, so that no neighbour covers it.
      for (const s of painted) {
        const { x, y, w, h } = place(s, width), colour = style.getPropertyValue(tone(s.c));
        pen.fillStyle = pen.strokeStyle = colour;
        // What was stopped is hollow, so that colour is not the only difference.
        if (tone(s.c) === "--loud" && w > 4) { pen.lineWidth = 1.5; pen.strokeRect(x + 1, y + 1, w - 2, h - 2); } else pen.fillRect(x, y, w, h);
        if (s.c.approvals.length && w > 9) { pen.fillStyle = style.getPropertyValue("--ink"); pen.beginPath(); pen.moveTo(x, y + h); pen.lineTo(x + 8, y + h); pen.lineTo(x + 4, y + 1); pen.fill(); }
      }
      pen.fillStyle = style.getPropertyValue("--soft"); pen.font = "11px system-ui";
      pen.fillText("0", 4, height - 6);
      const end = time(to - from);
      pen.fillText(end, width - pen.measureText(end).width - 6, height - 6);
    };
    const at = (event) => {
      const box = canvas.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
      return spans.find((s) => { const { x, y, w, h } = place(s, box.width); return px >= x - 1 && px <= x + w + 1 && py >= y - 1 && py <= y + h + 1; });
    };
    canvas.addEventListener("mousemove", (event) => { const s = at(event); canvas.title = s ? clean(`${s.c.line == null ? "" : `L${s.c.line} `}${title(s.c)} ${s.c.outcome} ${time(s.c.duration_ms)}`) : ""; });
    canvas.addEventListener("click", (event) => { const s = at(event); if (s) reveal(byCall.get(s.c)); });
    painters.set(canvas, { paint, isSeen: false });
    inView.observe(canvas);
    sized.observe(canvas);
    figure.append(canvas, caption);
    return figure;
  };

  function* drawCalls(into, entries) {
    for (const row of entries) {
      into.append(draw(row));
      yield;
      if (!row.below.length && typeof row.call.program !== "string") continue;
      const byCall = new Map(row.below.map((child) => [child.call, child]));
      if (typeof row.call.program === "string") into.append(program(row.call, byCall));
      const line = timeline(row.call, byCall);
      if (line) into.append(line);
      const children = el("div", "rows");
      into.append(children);
      yield* drawCalls(children, row.below);
    }
  }
  const turnsDrawn = [];
  function* drawSession(tree) {
    const part = el("section"), list = el("dl", "facts");
    part.append(el("h2", "", `Session ${tree.session}`), list);
    for (const [name, value] of [["events", tree.events], ["state", tree.is_closed ? "closed" : "not closed"], ["opened", tree.opened], ["engine", tree.engine], ["head", `${tree.events}:${tree.head}`]]) {
      if (!value) continue;
      const one = el("div");
      one.append(el("dt", "", name), el("dd", name === "head" ? "mono" : "", value));
      list.append(one);
    }
    if (tree.repaired.length) part.append(el("p", "to-error", `Repaired after a crash: ${tree.repaired.length} calls settled as unknown`));
    main.append(part);
    for (const { turn, entries } of tree.plan) {
      const box = el("section", "turn");
      box.append(el("h3", "", turn.number == null ? "Outside of any turn" : `Turn ${turn.number}${turn.mode ? ", mode " + turn.mode : ""}${turn.is_open ? ", open" : ""}`));
      turnsDrawn.push({ box, entries, hasNotes: turn.notes.length > 0 });
      box.hidden = isFiltering() && !entries.some((row) => row.keep);
      part.append(box);
      yield* drawCalls(box, entries);
      if (turn.notes.length) { const notes = el("pre", "context", shown(notesOf(turn.notes))); notes.tabIndex = 0; box.append(el("p", "soft context", "Other events"), notes); }
    }
  }

  // A call stays while one below it does.
  const judge = (row) => {
    row.hit = wants(row.call);
    let below = false;
    for (const child of row.below) below = judge(child) || below;
    return (row.keep = row.hit || below);
  };
  const isFiltering = () => Boolean(search.value || outcome.value);
  const plan = (calls) => calls.map((call) => {
    const row = { call, node: null, keep: true, hit: true, below: [] };
    rows.push(row);
    row.below = plan(call.children);
    return row;
  });
  const apply = () => {
    for (const tree of data.trees) for (const { entries } of tree.plan) entries.forEach(judge);
    let count = 0;
    for (const row of rows) {
      if (row.hit) count += 1;
      if (row.node) row.node.hidden = !row.keep;
    }
    for (const { box, entries } of turnsDrawn) box.hidden = isFiltering() && !entries.some((row) => row.keep);
    for (const node of main.querySelectorAll(".context")) node.hidden = isFiltering();
    found.textContent = isFiltering() ? `${count} of ${rows.length} calls` : `${rows.length} calls`;
    for (const button of main.querySelectorAll(".tally button")) button.setAttribute("aria-pressed", String(button.value === outcome.value));
  };

  const main = document.getElementById("sessions"), verdict = document.getElementById("verdict");
  for (const tree of data.trees) tree.plan = tree.turns.map((turn) => ({ turn, entries: plan(turn.calls) }));
  const broken = data.report.first_broken;
  verdict.textContent = clean(data.report.ok ? "verify: ok" : `verify: ${broken ? `BROKEN at ${broken.session} event ${broken.seq}: ${short(broken.message, 500)}` : "not anchored"}`);
  verdict.className = data.report.ok ? "good" : "bad";
  if (data.report.warnings.length) {
    const list = el("ul", "warnings");
    for (const warning of data.report.warnings) list.append(el("li", "", warning));
    main.append(list);
  }
  const counts = new Map();
  for (const { call } of rows) counts.set(call.outcome, (counts.get(call.outcome) || 0) + 1);
  const tally = el("div", "tally");
  tally.setAttribute("role", "group");
  tally.setAttribute("aria-label", "calls by outcome");
  for (const [name, count] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const option = el("option", "", name);
    option.value = name;
    outcome.append(option);
    const button = el("button", `to-${kinds.has(name) ? name : "open"}`, `${count} ${name}`);
    button.type = "button";
    button.value = name;
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => { outcome.value = outcome.value === name ? "" : name; apply(); });
    tally.append(button);
  }
  main.append(tally);
  apply();

  const drawing = (function* () { for (const tree of data.trees) yield* drawSession(tree); })();
  let isDone = false;
  const pump = (budget) => {
    const end = performance.now() + budget;
    while (!isDone && performance.now() < end) for (let i = 0; i < 20 && !isDone; i += 1) isDone = Boolean(drawing.next().done);
  };
  const goOn = () => {
    pump(12);
    // Filters that were set meanwhile also hold for what has just been drawn.
    if (isFiltering()) for (const node of main.querySelectorAll(".context:not([hidden])")) node.hidden = true;
    if (!isDone) setTimeout(goOn); else document.documentElement.dataset.drawn = "all";
  };
  pump(40);
  setTimeout(goOn);

  const filter = () => { apply(); scrollTo(0, 0); };
  search.addEventListener("input", filter);
  outcome.addEventListener("change", filter);
  document.getElementById("filters").addEventListener("submit", (event) => { event.preventDefault(); go(rows.find((row) => row.hit)); });

  const go = (row) => {
    if (!row) return;
    while (!row.node) pump(50);
    const summary = row.node.querySelector("summary");
    summary.focus();
    summary.scrollIntoView({ block: "nearest" });
  };
  const here = () => rows.findIndex((row) => row.node && row.node.contains(document.activeElement));
  const step = (by, fits = () => true) => {
    for (let at = here() + by; at >= 0 && at < rows.length; at += by) if (rows[at].keep && fits(rows[at].call)) return go(rows[at]);
  };
  document.addEventListener("keydown", (event) => {
    const typing = event.target === search || event.target === outcome;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Escape") { search.value = ""; outcome.value = ""; apply(); search.blur(); }
    else if (typing) return;
    else if (event.key === "/") { event.preventDefault(); search.focus(); search.select(); }
    else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "n") step(1, (call) => call.outcome !== "ok");
    else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && event.target.matches("summary")) { event.preventDefault(); step(event.key === "ArrowDown" ? 1 : -1); }
  });
})();
