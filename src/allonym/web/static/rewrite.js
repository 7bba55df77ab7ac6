// The Rewrite screen: three cards, one slider, the cost, and then each change.
import { element, find, focusOn, interval, percent, roving, say, show } from "/static/dom.js";
import { example, get, latest, post, Problem, remove } from "/static/net.js";
import { close, open } from "/static/inspector.js";

const form = find("choice");
const slider = find("slider");
const styles = find("style");
const result = find("result");
let cards = [];
let draft = null;
let view = "result";

const chosen = () => cards.find((card) => card.name === form.elements.protection?.value);
// A style change has a slider for each style; the others have one.
const sliding = () => chosen().sliders[chosen().sliders.length > 1 ? Number(styles.value) : 0];
const point = () => sliding().points[Math.min(Number(slider.value), sliding().points.length - 1)];

function offer(preferred) {
  for (const box of document.querySelectorAll(".card")) {
    const own = cards.filter((card) => card.group === box.dataset.group);
    box.querySelector(".options").replaceChildren(...own.map(option));
  }
  const first = cards.find((card) => card.name === (draft?.protection ?? preferred) && !card.problem) ?? cards.find((card) => !card.problem);
  if (!first) return;
  form.querySelector(`[value="${first.name}"]`).checked = true;
  moved();
  if (draft && first.name === draft.protection) {
    const at = first.sliders.findIndex((one) => one.points.some((each) => each.position === draft.position));
    if (at < 0) return;
    styles.value = at;
    slider.value = first.sliders[at].points.findIndex((each) => each.position === draft.position);
    moved();
  }
}

function option(card) {
  if (card.problem) return element("p", { class: "away" }, card.problem);
  const name = `protection-${card.name}`;
  return element("div", { class: "option" },
    element("input", { type: "radio", name: "protection", value: card.name, id: name, "aria-describedby": `${name}-gives` }),
    element("label", { for: name }, card.title, element("small", { id: `${name}-gives` }, card.gives)));
}

function moved() {
  const card = chosen();
  if (!card) return;
  for (const box of document.querySelectorAll(".card")) box.classList.toggle("chosen", box.dataset.group === card.group);
  const several = card.sliders.length > 1;
  show(find("style-part"), several);
  if (several && styles.options.length !== card.sliders.length) {
    styles.replaceChildren(...card.sliders.map((one, place) => element("option", { value: place }, one.label)));
  }
  const last = sliding().points.length - 1;
  if (Number(slider.max) !== last) {
    slider.max = last;
    slider.value = Math.round(last / 2);
  }
  expect(sliding(), point());
  price();
}

function expect(about, at) {
  find("slider-label").textContent = `How much to change: ${at.label}`;
  find("epsilon").textContent = at.loss ? `ε ≤ ${at.loss} for each word` : "";
  show(find("expected"), Boolean(at.attack));
  find("warning").textContent = about.warning ?? "";
  show(find("warning"), Boolean(about.warning));
  if (!at.attack) {
    slider.setAttribute("aria-valuetext", `${at.label}: not measured`);
    find("bench").textContent = "What this reaches was not measured.";
    return;
  }
  slider.setAttribute("aria-valuetext", `${at.label}: attackers right ${percent(at.attack.value)}, kept ${percent(at.kept)}`);
  find("attack").replaceChildren(
    element("strong", {}, percent(at.attack.value)),
    `${about.attack_means}: ${interval(at.attack)}; before ${percent(about.attack_before.value)}, by chance ${percent(about.chance)}`);
  find("kept").replaceChildren(element("strong", {}, percent(at.kept)), about.kept_means);
  find("bench").textContent = `Measured on ${about.bench}, by ${about.by}; not on your text.`
    + (about.current ? "" : " The model shipped now is not the one that was measured then.");
}

const price = latest(async () => {
  const found = await post("/price", { protection: chosen().name, position: point().position });
  find("cost").textContent = found.sentence;
  tellSpent(found);
});

// What was spent in this sitting, and what the ledger holds or would hold.
function tellSpent({ spent, ledger }) {
  find("spent").textContent = spent ? `${spent} Another draw adds to it.` : "";
  find("ledger").textContent = ledger;
  show(find("ledger"), Boolean(ledger));
}

form.addEventListener("change", moved);
slider.addEventListener("input", moved);
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = find("draw");
  button.disabled = true;
  button.textContent = "Drawing …";
  say("Drawing.");
  try {
    draft = await drawn(chosen().name, point().position);
    tellDraft();
    find("draft-title").focus();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  } finally {
    button.disabled = false;
    price();
    button.textContent = draft ? "Draw again" : "Rewrite";
  }
});

// A draw that takes long is answered at once; it is on the desk when it is done.
async function drawn(protection, position) {
  const { drafts } = await get("/desk");
  const found = await post("/rewrite", { protection, position });
  if (!found.running) return found;
  say("Still drawing.");
  while ((await get("/desk")).drafts === drafts) await new Promise((done) => setTimeout(done, 1500));
  return get("/draft");
}

function tellDraft() {
  show(find("draft"), true);
  find("draw").textContent = "Draw again";
  find("draft-title").textContent = `The rewrite: ${draft.title.toLowerCase()}`;
  show(find("stale"), !draft.current);
  tellBadge(draft.badge);
  find("held").textContent = draft.ledger;
  show(find("held"), Boolean(draft.ledger));
  const counts = draft.terms !== null;
  for (const part of document.querySelectorAll("#draft > .bar, #diff-hint, #texts")) show(part, !counts);
  show(find("terms"), counts);
  if (counts) find("terms").replaceChildren(termList(draft.terms));
  else draw();
  measure();
}

function tellBadge(badge) {
  const box = find("badge");
  box.className = `badge ${badge.state}`;
  box.querySelector("strong").textContent = badge.title;
  box.querySelector("span").textContent = badge.detail;
  show(box.querySelector("details"), Boolean(badge.statement));
  box.querySelector("details p").textContent = badge.statement;
  const edits = Object.keys(draft.edits).length;
  show(find("restore"), edits > 0);
  const changes = draft.changes.filter(([, , same]) => !same).length;
  find("changed").textContent = `${changes === 1 ? "1 change" : `${changes.toLocaleString("en")} changes`}${edits ? `, ${edits} by you` : ""}`;
}

function termList(terms) {
  const entries = terms.map(([word, count]) => element("li", {}, `${word} `, element("b", {}, String(count))));
  return element("ul", { class: "terms", "aria-label": "Released words and how often each occurs" }, ...entries);
}

function now(place) {
  return draft.edits[place] ?? draft.changes[place][1];
}

function draw() {
  find("texts").className = view === "beside" ? "texts beside" : "texts";
  show(find("original"), view === "beside");
  if (view === "beside") find("original").replaceChildren(draft.changes.map(([before]) => before).join(""));
  find("original").tabIndex = 0;
  result.tabIndex = 0;
  result.replaceChildren(...draft.changes.flatMap((_, place) => stretch(place)));
  const first = result.querySelector(".change");
  if (first) first.tabIndex = 0;
}

const FEW = 60; // characters of what was left out that a label reads out

function stretch(place) {
  const [before, , same] = draft.changes[place];
  const words = now(place);
  const mine = String(place) in draft.edits;
  if (same && !mine) return [view !== "inline" || /\s$/.test(words) ? words : `${words} `];
  if (!words.trim() && !before.trim()) return [words];
  const body = words.trimEnd();
  const space = words.slice(body.length);
  const was = before.trim();
  const parts = [];
  if (view === "inline" && !same && was) parts.push(element("del", {}, before.trimEnd()), " ");
  const count = was.split(/\s+/).length;
  const told = body || (count === 1 ? "1 word left out" : `${count.toLocaleString("en")} words left out`);
  const span = element("span", { class: `change${mine ? " mine" : ""}${body ? "" : " gap"}`, role: "button", tabindex: -1, "data-place": place,
    "aria-label": `${told}, was ${was.length > FEW ? `${was.slice(0, FEW)} and so on` : was || "nothing"}`,
    on: { click: () => inspect(place), keydown: (event) => entered(event, place) } }, body || "[…]");
  parts.push(span, space || (body ? "" : " "));
  return parts;
}

function entered(event, place) {
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    inspect(place);
  }
}

function inspect(place) {
  const [before, after] = draft.changes[place];
  const from = result.querySelector(`[data-place="${place}"]`);
  for (const other of result.querySelectorAll(".on")) other.classList.remove("on");
  from?.classList.add("on");
  const was = before.trim();
  const drawnFor = after.trim() ? `Drawn for “${was || "nothing"}”.` : `Left out: “${was}”.`;
  open({
    title: after.trim() ? `“${after.trim()}”` : "Left out",
    note: `${drawnFor} What you choose yourself ends the proof; the risk is then measured only.`,
    actions: [
      { name: after.trim() ? "Keep as drawn" : "Leave it out", run: () => edit(place, "drawn") },
      { name: "Put the original back", run: () => edit(place, "original") },
    ],
    words: after.trim() ? post("/draft/words", { change: place }).then((found) => found.words) : null,
    pick: (word) => edit(place, "word", word),
    from,
  });
}

async function edit(place, to, word) {
  const found = await post("/draft/edit", word === undefined ? { change: place, to } : { change: place, to, word });
  if (found.now === null) delete draft.edits[place];
  else draft.edits[place] = found.now;
  close();
  draw();
  const span = result.querySelector(`[data-place="${place}"]`);
  if (span) focusOn([...result.querySelectorAll(".change")], span);
  else result.focus();
  tellBadge(found.badge);
  say(found.badge.title);
  measure();
}

const measure = latest(async () => {
  const found = await get("/draft/risk");
  const parts = [];
  if (found.before.basis === "known" && found.after.risk !== null) {
    parts.push(figure(`${percent(found.before.risk)} → ${percent(found.after.risk)}`, found.after.risk_means));
  }
  for (const { before, after, means } of found.changed) parts.push(figure(`${before} → ${after}`, means));
  if (found.oddities) parts.push(element("div", {}, element("small", {}, found.oddities)));
  if (found.same_writer !== null) {
    const { probability, right, words } = found.same_writer;
    parts.push(figure(percent(Math.min(probability, 1 - 1e-9)), `that one writer wrote the original and this, by style alone (such verdicts are right ${percent(right.value)} of the time at ${words} words)`));
  }
  if (found.meaning_kept !== null) parts.push(figure(percent(Math.max(0, found.meaning_kept)), "of the meaning kept (likeness of sentence embeddings)"));
  parts.push(figure(`${found.before.words.toLocaleString("en")} → ${found.after.words.toLocaleString("en")}`, "words"));
  find("risk").replaceChildren(...parts);
});

function figure(number, words) {
  return element("div", {}, element("strong", {}, number), element("small", {}, words));
}

for (const button of document.querySelectorAll("[data-view]")) {
  button.addEventListener("click", () => {
    view = button.dataset.view;
    for (const other of document.querySelectorAll("[data-view]")) other.setAttribute("aria-pressed", String(other === button));
    close();
    draw();
  });
}
find("restore").addEventListener("click", async () => {
  draft = await remove("/draft");
  close();
  tellDraft();
});
find("reject").addEventListener("click", async () => {
  draft = await post("/draft/reject");
  close();
  tellDraft();
});
find("example").addEventListener("click", async () => {
  await post("/read", { text: await example() });
  location.reload();
});
roving(result, ".change");

const desk = await get("/desk");
show(find("no-text"), !desk.text);
show(find("with-text"), Boolean(desk.text));
if (desk.text) {
  if (desk.drawn) draft = await get("/draft");
  const found = await get("/methods");
  cards = found.cards;
  offer(found.default);
  if (draft) tellDraft();
}
