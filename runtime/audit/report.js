"use strict";
// Draws the report from the JSON in the page. Text reaches the page as text nodes only, and what
// could change the order of the text or hide in it is shown as an escape.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
  const clean = (text) => String(text).replace(hidden, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
  const el = (tag, cls, text) => {
    const node = document.createElement(tag);
    if (cls) node.className = cls;
    if (text !== undefined) node.textContent = clean(text);
    return node;
  };
  const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));
  const time = (ms) => (ms == null ? "" : ms < 1000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(1)} s`);
  const calls = [];

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
  const short = (text, n) => (text.length > n ? text.slice(0, n) + "…" : text);

  const fact = (list, name, value, block) => {
    if (value == null || value === "" || (Array.isArray(value) && !value.length)) return;
    if (typeof value === "object" && !Array.isArray(value) && !Object.keys(value).length) return;
    list.append(el("dt", "", name));
    const dd = el("dd");
    dd.append(block ? el("pre", "", shown(value)) : el("span", "", shown(value)));
    list.append(dd);
  };

  const details = (call) => {
    const list = el("dl");
    fact(list, "id", call.call_id);
    fact(list, "events", call.end_seq && call.end_seq !== call.start_seq ? `${call.start_seq}–${call.end_seq}` : call.start_seq);
    fact(list, "time", call.time);
    fact(list, "line (guest)", call.line);
    const d = call.decision;
    fact(list, "decision", d.outcome && `${d.outcome} by ${[d.rule, d.layer].filter(Boolean).join(", ")}${d.reason ? ": " + d.reason : ""}`);
    for (const a of call.approvals) fact(list, "approval", `${a.outcome}${a.by ? " by " + a.by : ""}${a.waited_ms ? ", waited " + time(a.waited_ms) : ""}${a.reason ? " (" + a.reason + ")" : ""}`);
    fact(list, "error", call.error, true);
    fact(list, "arguments", call.arguments, true);
    fact(list, "received", call.effective_arguments, true);
    fact(list, "content", call.content, true);
    fact(list, "ended late", call.late);
    fact(list, "redacted", call.redacted.join(", "));
    fact(list, "claimed by", call.claimed_by === "guest" ? "the guest" : "");
    fact(list, "usage", call.usage, true);
    fact(list, "own events", call.notes.map((n) => ({ seq: n.seq, type: n.type, data: n.data })), true);
    return list;
  };

  const texts = new Map();
  const matches = (call, wanted) => {
    if (!texts.has(call)) texts.set(call, JSON.stringify([call.name, call.call_id, call.outcome, call.arguments, call.content, call.error, call.decision]).toLowerCase());
    return texts.get(call).includes(wanted);
  };

  const callNode = (call) => {
    const node = el("details", `call ${call.outcome}`);
    const summary = el("summary");
    summary.append(el("span", "name", `${call.line == null ? "" : "L" + call.line + "  "}${call.name || "?"}(${short(call.program == null ? args(parsed(call)) : call.call_id, 200)})`));
    summary.append(el("span", "outcome", call.outcome), el("span", "soft time", time(call.duration_ms)));
    node.append(summary);
    let drawn = false;
    node.addEventListener("toggle", () => {
      if (node.open && !drawn) { drawn = true; node.append(details(call)); }
    });
    calls.push({ node, call });
    return node;
  };

  const program = (call, nodes) => {
    const table = el("div", "program mono");
    table.tabIndex = 0;
    table.setAttribute("role", "region");
    table.setAttribute("aria-label", "program");
    const byLine = new Map();
    call.children.forEach((child, i) => {
      if (child.line == null) return;
      if (!byLine.has(child.line)) byLine.set(child.line, []);
      byLine.get(child.line).push(i);
    });
    String(call.program).split("\n").forEach((source, i) => {
      const row = el("div", "row");
      row.append(el("span", "", i + 1), el("span", "source", source));
      const side = el("span");
      const here = byLine.get(i + 1) || [];
      for (const at of here.slice(0, 8)) {
        const child = call.children[at];
        const chip = el("button", `chip ${child.outcome}`, `${child.name} ${child.outcome}`);
        chip.type = "button";
        chip.addEventListener("click", () => reveal(nodes[at]));
        side.append(chip);
      }
      if (here.length > 8) side.append(el("span", "soft", `and ${here.length - 8} more`));
      row.append(side);
      table.append(row);
    });
    return table;
  };

  const timeline = (call) => {
    const timed = call.children.filter((c) => c.kind === "nested");
    if (timed.length < 2) return null;
    const start = (c) => Date.parse(c.time.slice(0, 23) + "Z") + Number(c.time.slice(23, 26)) / 1000;
    const spans = timed.map((c) => ({ c, from: start(c), to: start(c) + Math.max(c.duration_ms || 0, 0.01) }));
    const from = Math.min(...spans.map((s) => s.from)), to = Math.max(...spans.map((s) => s.to));
    const lanes = [];
    for (const s of spans) {
      let lane = lanes.findIndex((end) => end <= s.from);
      if (lane < 0) lane = lanes.length < 40 ? lanes.push(0) - 1 : lanes.indexOf(Math.min(...lanes));
      lanes[lane] = s.to;
      s.lane = lane;
    }
    const canvas = el("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `Timeline: ${timed.length} calls in ${time(to - from)}, at most ${lanes.length} at once`);
    const height = lanes.length * 12 + 20;
    canvas.style.height = `${height}px`;
    const draw = () => {
      const style = getComputedStyle(document.documentElement);
      const colour = (n) => style.getPropertyValue(n);
      const scale = window.devicePixelRatio || 1, width = canvas.clientWidth;
      canvas.width = width * scale; canvas.height = height * scale;
      const pen = canvas.getContext("2d");
      pen.scale(scale, scale);
      for (const s of spans) {
        pen.fillStyle = colour(s.c.outcome === "ok" ? "--ok" : s.c.outcome === "error" || s.c.outcome === "aborted" ? "--error" : "--loud");
        const x = ((s.from - from) / (to - from)) * (width - 4) + 2;
        pen.fillRect(x, s.lane * 12 + 3, Math.max(((s.to - s.from) / (to - from)) * (width - 4), 1.5), 8);
      }
      pen.fillStyle = colour("--soft"); pen.font = "11px system-ui";
      pen.fillText("0", 2, height - 4);
      const end = time(to - from);
      pen.fillText(end, width - pen.measureText(end).width - 4, height - 4);
    };
    new ResizeObserver(draw).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    return canvas;
  };

  const reveal = (node) => {
    node.hidden = false;
    node.open = true;
    node.scrollIntoView({ block: "center" });
    node.querySelector("summary").focus();
  };

  const session = (tree) => {
    const part = el("section");
    part.append(el("h2", "", `Session ${tree.session}`));
    part.append(el("p", "soft", `${tree.events} events, ${tree.is_closed ? "closed" : "not closed"}, opened ${tree.opened}, head ${tree.head}`));
    if (tree.repaired.length) part.append(el("p", "bad", `Repaired after a crash: ${tree.repaired.length} calls settled as unknown`));
    for (const turn of tree.turns) {
      part.append(el("h3", "", `Turn ${turn.number}${turn.mode ? ", mode " + turn.mode : ""}${turn.is_open ? ", open" : ""}`));
      for (const call of turn.calls) {
        part.append(callNode(call));
        const nodes = [];
        const children = document.createDocumentFragment();
        for (const child of call.children) { const node = callNode(child); nodes.push(node); children.append(node); }
        if (typeof call.program === "string") part.append(program(call, nodes));
        const line = timeline(call);
        if (line) part.append(line);
        part.append(children);
      }
    }
    return part;
  };

  const verdict = document.getElementById("verdict");
  verdict.textContent = clean(data.report.ok ? "verify: ok" : `verify: ${data.report.first_broken ? "BROKEN at " + data.report.first_broken.session + " event " + data.report.first_broken.seq + ": " + data.report.first_broken.message : "not anchored"}`);
  verdict.className = data.report.ok ? "good" : "bad";
  const main = document.getElementById("sessions");
  for (const warning of data.report.warnings) main.append(el("p", "soft", `Warning: ${warning}`));
  for (const tree of data.trees) main.append(session(tree));

  const search = document.getElementById("search"), outcome = document.getElementById("outcome"), found = document.getElementById("found");
  for (const name of [...new Set(calls.map((c) => c.call.outcome))].sort()) {
    const option = el("option", "", name);
    option.value = name;
    outcome.append(option);
  }
  const apply = () => {
    const wanted = search.value.toLowerCase();
    let count = 0;
    for (const { node, call } of calls) {
      const keep = (!wanted || matches(call, wanted)) && (!outcome.value || call.outcome === outcome.value);
      node.hidden = !keep;
      if (keep) count += 1;
    }
    found.textContent = `${count} of ${calls.length} calls`;
  };
  search.addEventListener("input", apply);
  outcome.addEventListener("change", apply);
  document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
  apply();

  const step = (by) => {
    const visible = calls.filter((c) => !c.node.hidden);
    if (!visible.length) return;
    const at = visible.findIndex((c) => c.node.contains(document.activeElement));
    const next = visible[Math.min(Math.max(at + by, 0), visible.length - 1)].node.querySelector("summary");
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  };
  document.addEventListener("keydown", (event) => {
    const typing = event.target === search || event.target === outcome;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Escape") { search.value = ""; outcome.value = ""; apply(); search.blur(); }
    else if (typing) return;
    else if (event.key === "/") { event.preventDefault(); search.focus(); }
    else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
  });
})();
