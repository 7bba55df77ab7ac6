// The Rewrite screen: three cards, one slider, the cost, and then each change.
import { element, find, focusOn, interval, percent, roving, say, show } from "/static/dom.js";
import { example, get, latest, post, Problem, remove } from "/static/net.js";
import { close, open } from "/static/inspector.js";

const form = find("choice");
const slider = find("slider");
const result = find("result");
let cards = [];
let draft = null;
let view = "result";

const chosen = () => cards.find((card) => card.method === form.elements.method?.value);

function offer() {
  for (const box of document.querySelectorAll(".card")) {
    const own = cards.filter((card) => card.group === box.dataset.group);
    box.querySelector(".options").replaceChildren(...own.map(option));
  }
  const first = cards.find((card) => card.method === (draft?.method ?? "erae") && !card.problem) ?? cards.find((card) => !card.problem);
  if (first) form.querySelector(`[value="${first.method}"]`).checked = true;
  moved();
  if (draft && first?.method === draft.method) {
    slider.value = draft.position;
    find("style").value = draft.position;
    moved();
  }
}

function option(card) {
  if (card.problem) return element("p", { class: "away" }, card.problem);
  const name = `method-${card.method}`;
  return element("div", { class: "option" },
    element("input", { type: "radio", name: "method", value: card.method, id: name }),
    element("label", { for: name }, card.title, element("small", {}, card.gives)));
}

function moved() {
  const card = chosen();
  if (!card) return;
  for (const box of document.querySelectorAll(".card")) box.classList.toggle("chosen", box.dataset.group === card.group);
  slider.max = card.points.length - 1;
  const curve = card.points[0].attack !== undefined;
  show(find("slider-part"), curve);
  show(find("style-part"), !curve);
  if (curve) {
    const point = card.points[position()];
    find("slider-label").textContent = `How much to change: ${point.label}`;
    find("epsilon").textContent = `ε ≤ ${upwards(point.loss_per_word)} for each word`;
    slider.setAttribute("aria-valuetext", `${point.label}: attackers right ${percent(point.attack.value)}, kept ${percent(point.kept)}`);
    expect(card, point);
  } else if (find("style").options.length !== card.points.length) {
    find("style").replaceChildren(...card.points.map((point, place) => element("option", { value: place }, point.label)));
  }
  price();
}

// Which of the card's points is chosen: by the slider, or by the list of styles.
function position() {
  return Number(chosen().points[0].attack === undefined ? find("style").value || 0 : slider.value);
}

function upwards(value) {
  return (Math.ceil(value * 100) / 100).toFixed(2);
}

function expect(card, point) {
  find("attack").replaceChildren(
    element("strong", {}, percent(point.attack.value)),
    `${interval(point.attack)}; ${percent(card.attack_before.value)} before, chance ${percent(card.chance)}`);
  find("kept").replaceChildren(element("strong", {}, percent(point.kept)), card.kept_means);
  find("bench").textContent = `Measured on ${card.bench}, by attackers who had learned from rewritten texts; not on your text.`
    + (card.measured ? "" : " The model that ships today is another one than was measured then.");
}

const price = latest(async () => {
  const card = chosen();
  const found = await post("/price", { method: card.method, position: position() });
  const before = found.earlier_draws === 1 ? "1 earlier draw" : `${found.earlier_draws} earlier draws`;
  const again = found.earlier_draws ? ` It adds to what ${before} cost.` : "";
  find("cost").textContent = `This draw will cost: ${found.sentence}.${again}`;
});

form.addEventListener("change", moved);
slider.addEventListener("input", moved);
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = find("draw");
  button.disabled = true;
  button.textContent = "Drawing …";
  say("Drawing.");
  try {
    draft = await drawn(chosen().method, position());
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
async function drawn(method, at) {
  const { drafts } = await get("/desk");
  const found = await post("/rewrite", { method, position: at });
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
  find("changed").textContent = `${changes.toLocaleString("en")} changes${edits ? `, ${edits} by you` : ""}`;
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

function stretch(place) {
  const [before, after, same] = draft.changes[place];
  const words = now(place);
  const mine = String(place) in draft.edits;
  if (same && !mine) return [words];
  const body = words.trimEnd();
  const space = words.slice(body.length);
  const parts = [];
  if (view === "inline" && !same && before.trim()) parts.push(element("del", {}, before.trimEnd()), " ");
  const span = element("span", { class: mine ? "change mine" : "change", role: "button", tabindex: -1, "data-place": place,
    "aria-label": `${body || "left out"}, was ${before.trim() || "nothing"}`,
    on: { click: () => inspect(place), keydown: (event) => entered(event, place) } }, body || "∅");
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
  open({
    title: after.trim() ? `“${after.trim()}”` : "left out",
    note: `Drawn for “${before.trim() || "nothing"}”. A word you choose yourself ends the proof; the risk is then measured only.`,
    actions: [
      { name: "Keep as drawn", run: () => edit(place, "drawn") },
      { name: "Put the original back", run: () => edit(place, "original") },
    ],
    words: after.trim() ? post("/draft/words", { change: place }).then((found) => found.words) : [],
    pick: (word) => edit(place, "word", word),
    from,
  });
}

async function edit(place, to, word) {
  const found = await post("/draft/edit", word === undefined ? { change: place, to } : { change: place, to, word });
  if (found.now === null) delete draft.edits[place];
  else draft.edits[place] = found.now;
  close();
  const old = result.querySelector(`[data-place="${place}"]`);
  const anchor = old.previousSibling;
  const [span] = stretch(place).filter((part) => part instanceof Element && part.matches(".change"));
  const words = now(place);
  if (span) {
    old.replaceWith(span);
    focusOn([...result.querySelectorAll(".change")], span);
  } else {
    old.replaceWith(words.trimEnd());
    anchor?.parentElement?.focus?.();
  }
  tellBadge(found.badge);
  say(found.badge.title);
  measure();
}

const measure = latest(async () => {
  const found = await get("/draft/risk");
  const parts = [];
  if (found.after.risk !== null && found.before.risk !== null) {
    parts.push(figure(`${percent(found.before.risk)} → ${percent(found.after.risk)}`, found.after.risk_means));
  }
  if (found.same_writer !== null) {
    const { probability, right, words } = found.same_writer;
    parts.push(figure(percent(Math.min(probability, 1 - 1e-9)), `that one writer wrote the original and this, by style alone (such verdicts are right ${percent(right.value)} of the time at ${words} words)`));
  }
  if (found.meaning_kept !== null) parts.push(figure(percent(Math.max(0, found.meaning_kept)), "of the meaning kept (likeness of sentence embeddings)"));
  parts.push(figure(`${found.before.words} → ${found.after.words}`, "words"));
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
  offer();
  if (draft) tellDraft();
}
