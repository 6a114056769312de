// The report page in a real browser: paint, keyboard, accessibility, and hostile logs that inject nothing.
// How to run it: README.md beside this file. Prints a line a check; exit status 1 if one fails.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

// The packages are looked up where the script is called, so that none lie in the source tree.
const require = createRequire(path.join(process.cwd(), "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [folder, shots] = process.argv.slice(2);
const MAX_PAINT_MS = 1000;
let failures = 0;
const check = (what, ok, facts = "") => {
  if (!ok) failures += 1;
  console.log(`${ok ? "ok  " : "FAIL"} ${what}${facts === "" ? "" : `: ${facts}`}`);
};

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  // A container has no namespaces to give away; the page is ours, and its network is watched.
  args: ["--no-sandbox"],
});

async function opened(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const noticed = [];
  page.on("dialog", (dialog) => { noticed.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
  page.on("pageerror", (error) => noticed.push(`error ${error.message}`));
  page.on("console", (message) => noticed.push(`console ${message.text()}`));
  page.on("popup", () => noticed.push("a window opened"));
  const url = pathToFileURL(path.join(folder, `${name}.html`)).href;
  page.on("request", (request) => { if (request.url() !== url) noticed.push(`request ${request.url()}`); });
  await page.addInitScript(() => {
    window.paints = {};
    new PerformanceObserver((list) => { for (const e of list.getEntries()) window.paints[e.name || e.entryType] = e.startTime; }).observe({ type: "paint", buffered: true });
    // When the first call of the log is on the page, and a frame with it has been shown.
    new MutationObserver((_, self) => {
      if (!document.querySelector(".call")) return;
      self.disconnect();
      requestAnimationFrame(() => setTimeout(() => { window.paints["first-call"] = performance.now(); }));
    }).observe(document, { childList: true, subtree: true });
  });
  const begun = Date.now();
  await page.goto(url);
  await page.waitForFunction(() => document.documentElement.dataset.drawn === "all" && window.paints["first-contentful-paint"] && window.paints["first-call"]);
  return { page, noticed, all_ms: Date.now() - begun, close: () => context.close() };
}

async function violations(page) {
  // The content security policy lets no script in: the checker is put there from outside of it.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe });
  const { result } = await session.send("Runtime.evaluate", {
    expression: "axe.run(document, { resultTypes: ['violations'] }).then((r) => JSON.stringify(r.violations.map((v) => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200), v.nodes[0].failureSummary])))",
    awaitPromise: true,
  });
  return JSON.parse(result.value);
}

const focused = (page) => page.evaluate(() => {
  const node = document.activeElement, style = getComputedStyle(node), box = node.getBoundingClientRect();
  const header = document.querySelector("header").getBoundingClientRect();
  return {
    tag: node.tagName.toLowerCase(), id: node.id, text: node.textContent.slice(0, 60),
    isVisible: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 && box.height > 0 && box.bottom > 0 && box.top < innerHeight,
    isCovered: node.matches("main *") && box.top < header.bottom - 1,
  };
});

for (const name of ["calls-10", "calls-1000", "calls-10000", "sessions-10000", "hostile"]) {
  for (const colorScheme of ["light", "dark"]) {
    const { page, noticed, all_ms, close } = await opened(name, { colorScheme });
    const paints = await page.evaluate(() => window.paints);
    check(`${name} ${colorScheme}: first paint below ${MAX_PAINT_MS} ms`, paints["first-paint"] < MAX_PAINT_MS && paints["first-contentful-paint"] < MAX_PAINT_MS && paints["first-call"] < MAX_PAINT_MS,
      `first paint ${paints["first-paint"].toFixed(0)}, contentful ${paints["first-contentful-paint"].toFixed(0)}, first call ${paints["first-call"].toFixed(0)}, all drawn ${all_ms} ms`);
    const nodes = await page.evaluate(() => document.querySelectorAll(".call").length);
    check(`${name} ${colorScheme}: no request, dialog, error or message`, noticed.length === 0, [`${nodes} calls`, ...noticed].join("; "));
    if (shots) await page.screenshot({ path: path.join(shots, `${name}-${colorScheme}.png`) });
    await page.evaluate(() => { for (const call of [...document.querySelectorAll(".call")].slice(0, 15)) call.open = true; });
    await page.waitForTimeout(100);
    if (shots) await page.screenshot({ path: path.join(shots, `${name}-${colorScheme}-open.png`), fullPage: nodes < 50 });
    if (nodes < 5000 || colorScheme === "light") {
      // The rest of ten thousand alike rows tells the checker nothing new and takes it minutes.
      await page.evaluate(() => { for (const call of [...document.querySelectorAll(".rows > .call")].slice(200)) call.remove(); });
      const found = await violations(page);
      check(`${name} ${colorScheme}: axe-core finds nothing`, found.length === 0, found.length ? JSON.stringify(found, null, 1) : "0 violations");
    }
    await close();
  }
}

{
  const { page, noticed, close } = await opened("hostile");
  const before = await page.evaluate(() => document.querySelectorAll("script, style, img, svg, iframe, link, object, b").length);
  await page.evaluate(() => { for (const call of document.querySelectorAll(".call")) call.open = true; });
  await page.fill("#search", "<script>");
  await page.waitForTimeout(200);
  await page.fill("#search", "");
  await page.waitForTimeout(200);
  const facts = await page.evaluate(() => ({
    injected: window.injected, elements: document.querySelectorAll("script, style, img, svg, iframe, link, object, b").length,
    attributes: [...document.querySelectorAll("*")].flatMap((n) => [...n.attributes]).filter((a) => /^on|^src$|^href$/.test(a.name)).length,
    text: document.body.innerText, pieces: ["</script><script>window.injected=1</script>", "<img src=http://127.0.0.1:9/x onerror=window.injected=2>", "--><script>window.injected=3</script><!--", "]]></style><svg onload=window.injected=4>", "{SCRIPT}{DATA}{STYLE}{SCRIPT_SHA}", "\\u202egnp.exe", "\\u001b[2J", "\\u2028window.injected=6", "\\u{e0041}"].filter((piece) => !document.body.innerText.includes(piece)),
  }));
  check("hostile: nothing was injected", facts.injected === undefined && facts.elements === before && facts.attributes === 0 && noticed.length === 0, `${facts.elements} elements of the page's own, ${noticed.join("; ") || "nothing noticed"}`);
  check("hostile: the marks are on the page as text", facts.pieces.length === 0, facts.pieces.join(" "));
  check("hostile: no control or bidirectional character is shown", !/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(facts.text));
  await close();
}

{
  const { page, noticed, close } = await opened("calls-1000");
  const press = async (key, times = 1) => { for (let i = 0; i < times; i += 1) await page.keyboard.press(key); return focused(page); };
  let at = await press("Tab");
  check("keyboard: Tab reaches the search first, visibly", at.id === "search" && at.isVisible, JSON.stringify(at));
  at = await press("Tab");
  check("keyboard: then the outcome", at.id === "outcome" && at.isVisible, at.id);
  const visited = [];
  for (let i = 0; i < 25; i += 1) { at = await press("Tab"); visited.push(at); }
  check("keyboard: every stop of Tab is visible and not under the header", visited.every((one) => one.isVisible && !one.isCovered), visited.map((one) => one.tag).join(" "));
  at = await press("Shift+Tab", 3);
  check("keyboard: and back", at.isVisible, at.tag);
  await press("Escape");
  at = await press("/");
  check("keyboard: / goes to the search", at.id === "search" && at.isVisible);
  await page.keyboard.type("door 77\"");
  const count = await page.textContent("#found");
  check("keyboard: typing searches", /^[1-9]\d* of 1003 calls$/.test(count), count);
  at = await press("Enter");
  check("keyboard: Enter goes to the first hit", at.tag === "summary" && at.isVisible && at.text.includes("door 77"), at.text);
  at = await press("ArrowUp");
  check("keyboard: the arrow goes to the program above it", at.tag === "summary" && at.text.includes("run_code"), at.text);
  at = await press("ArrowDown");
  check("keyboard: and back to the call", at.tag === "summary" && at.text.includes("door 77"), at.text);
  await press("Enter");
  await page.waitForSelector("details[open] > dl");
  check("keyboard: Enter unfolds it", await page.evaluate(() => document.activeElement.parentElement.open && document.activeElement.parentElement.querySelector("dl").offsetHeight > 0));
  await press("Enter");
  check("keyboard: and folds it", await page.evaluate(() => !document.activeElement.parentElement.open));
  await press("Escape");
  check("keyboard: Escape clears", (await page.textContent("#found")) === "1003 calls");
  at = await press("j", 3);
  const third = at.text;
  at = await press("k");
  check("keyboard: j and k step", at.tag === "summary" && at.text !== third && at.isVisible, at.text);
  at = await press("n");
  check("keyboard: n goes to the next that was not ok", at.tag === "summary" && !/ ok/.test(at.text) && at.isVisible, at.text);
  await page.focus("#outcome");
  await page.selectOption("#outcome", "denied");
  check("keyboard: the outcome filters", (await page.textContent("#found")) === "100 of 1003 calls", await page.textContent("#found"));
  if (shots) await page.screenshot({ path: path.join(shots, "denied.png") });
  await page.selectOption("#outcome", "");
  await page.focus(".chip");
  at = await press("Enter");
  check("keyboard: a chip beside a line goes to its call", at.tag === "summary" && at.isVisible && !at.isCovered, at.text);
  check("keyboard: nothing went wrong meanwhile", noticed.length === 0, noticed.join("; "));
  await close();
}

{
  const { page, close } = await opened("calls-10", { viewport: { width: 400, height: 800 }, colorScheme: "light" });
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  check("a narrow window needs no scrolling sideways", width <= 400, `${width} px`);
  if (shots) await page.screenshot({ path: path.join(shots, "narrow.png") });
  await close();
}

await browser.close();
console.log(failures ? `${failures} checks failed` : "all checks passed");
process.exit(failures ? 1 : 0);
