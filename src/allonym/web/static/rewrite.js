// The Rewrite screen: three cards, one slider, the cost, and then each change.
import { copy, element, find, focusOn, interval, light, percent, roving, say, show } from "/static/dom.js";
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
    const within = cards.filter((card) => card.group === box.dataset.group);
    box.querySelector(".options").replaceChildren(...within.map(option));
  }
  const first = cards.find((card) => card.name === (draft?.protection ?? preferred) && !card.problem) ?? cards.find((card) => !card.problem);
  if (!first) return;
  form.querySelector(`[value="${first.name}"]`).checked = true;
  moved();
  if (draft && first.name === draft.protection) {
    const at = first.sliders.findIndex((each) => each.points.some((mark) => mark.position === draft.position));
    if (at < 0) return;
    styles.value = at;
    slider.value = first.sliders[at].points.findIndex((mark) => mark.position === draft.position);
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
    styles.replaceChildren(...card.sliders.map((each, index) => element("option", { value: index }, each.label)));
  }
  const last = sliding().points.length - 1;
  show(find("slider-part"), last > 0);
  if (Number(slider.max) !== last) {
    slider.max = last;
    slider.value = Math.round(last / 2);
  }
  expect(sliding(), point());
  price();
}

function expect(about, at) {
  find("slider-label").textContent = `How much to change: ${at.label}`;
  light(find("level"), at.level);
  find("keeps").textContent = at.keeps ? `It keeps ${at.keeps}.` : "";
  const keeps = at.keeps ? `, keeps ${at.keeps}` : "";
  slider.setAttribute("aria-valuetext", `${at.label}: ${at.level.title.toLowerCase()}${keeps}`);
  find("warning").textContent = about.warning ?? "";
  show(find("warning"), Boolean(about.warning));
  for (const name of ["attack", "kept"]) show(find(name).parentElement, Boolean(at.attack));
  if (!at.attack) {
    find("bench").textContent = "What this reaches was not measured.";
    return;
  }
  find("attack").textContent = `${about.attack_means}: ${percent(at.attack.value)} (${interval(at.attack)}); `
    + `before ${percent(about.attack_before.value)}, by chance ${percent(about.chance)}`;
  find("kept").textContent = `${at.kept.toFixed(2)}, ${about.kept_means}`;
  find("bench").textContent = `Measured on ${about.bench}, by ${about.by}; not on your text.`
    + (about.current ? "" : " The model shipped now is not the one that was measured then.");
}

const REFUSAL = /^The ledger will refuse/;

const price = latest(async () => {
  const costs = await post("/price", { protection: chosen().name, position: point().position });
  find("cost").textContent = costs.sentence;
  find("language").textContent = costs.language;
  show(find("language"), Boolean(costs.language));
  const refused = REFUSAL.test(costs.ledger);
  find("refused").textContent = refused ? costs.ledger : "";
  show(find("refused"), refused);
  find("spent").textContent = costs.spent ? `${costs.spent} Another draw adds to it.` : "";
  show(find("again"), Boolean(costs.spent));
  find("ledger").textContent = refused ? "" : costs.ledger;
  show(find("ledger"), Boolean(costs.ledger) && !refused);
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
    draft = await drawn(chosen().name, point().position);
    tellDraft();
    find("draft-title").focus({ preventScroll: true });
    find("draft").scrollIntoView({ block: "start" });
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
  const answer = await post("/rewrite", { protection, position });
  if (!answer.running) return answer;
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
  for (const part of document.querySelectorAll("#views, #diff-hint, #texts")) show(part, !counts);
  show(find("terms"), counts);
  if (counts) find("terms").replaceChildren(termList(draft.terms));
  else draw();
  measure();
}

function tellBadge(badge) {
  const box = find("badge");
  box.className = `badge light ${badge.state}`;
  light(box, badge.level);
  box.querySelector(".proof").textContent = badge.detail ? `${badge.proof}. ${badge.detail}` : badge.proof;
  box.querySelector(".statement").textContent = badge.statement;
  const edits = Object.keys(draft.edits).length;
  show(find("restore"), edits > 0);
  const changes = draft.changes.filter(([, , same]) => !same).length;
  find("changed").textContent = `${changes === 1 ? "1 change" : `${changes.toLocaleString("en")} changes`}${edits ? `, ${edits} by you` : ""}`;
}

// What is copied is what would be saved: a text, or counts as lines.
find("copy").addEventListener("click", async () => {
  const answer = await fetch("/save/result", { cache: "no-store", credentials: "same-origin" });
  if (!answer.ok || !(await copy(await answer.text()))) return;
  find("copy").textContent = "Copied";
  setTimeout(() => { find("copy").textContent = "Copy"; }, 4000);
});

function termList(terms) {
  const entries = terms.map(([word, count]) => element("li", {}, `${word} `, element("b", {}, String(count))));
  return element("ul", { class: "terms", "aria-label": "Released words and how often each occurs" }, ...entries);
}

function now(number) {
  return draft.edits[number] ?? draft.changes[number][1];
}

function draw() {
  find("texts").className = view === "beside" ? "texts beside" : "texts";
  find("drawn").classList.toggle("wide", view === "beside");
  show(find("original"), view === "beside");
  if (view === "beside") find("original").replaceChildren(draft.changes.map(([before]) => before).join(""));
  find("original").tabIndex = 0;
  result.tabIndex = 0;
  const pieces = [];
  draft.changes.forEach((_, number) => {
    const parts = stretch(number);
    const last = pieces.at(-1);
    // What was left out at the end of a paragraph is shown there, not where the next one begins.
    if (parts[0]?.className?.includes("gap") && typeof last === "string" && /\n\s*$/.test(last)) {
      const breaks = /\s*\n\s*$/.exec(last)[0];
      pieces.splice(-1, 1, last.slice(0, last.length - breaks.length), " ", parts[0], breaks);
    } else {
      pieces.push(...parts);
    }
  });
  result.replaceChildren(...pieces);
  const first = result.querySelector(".change");
  if (first) first.tabIndex = 0;
}

const FEW = 60; // characters of what was left out that a label reads out

function stretch(number) {
  const [before, , same] = draft.changes[number];
  const words = now(number);
  const mine = String(number) in draft.edits;
  if (same && !mine) return [view !== "inline" || /\s$/.test(words) ? words : `${words} `];
  if (!words.trim() && !before.trim()) return [words];
  const body = words.trimEnd();
  const space = words.slice(body.length);
  const was = before.trim();
  const parts = [];
  if (view === "inline" && !same && was) parts.push(element("del", {}, before.trimEnd()), " ");
  const count = was.split(/\s+/).length;
  const told = body || (count === 1 ? "1 word left out" : `${count.toLocaleString("en")} words left out`);
  const span = element("span", { class: `change${mine ? " mine" : ""}${body ? "" : " gap"}`, role: "button", tabindex: -1, "data-change": number,
    "aria-label": `${told}, was ${was.length > FEW ? `${was.slice(0, FEW)} and so on` : was || "nothing"}`,
    on: { click: () => inspect(number), keydown: (event) => entered(event, number) } }, body || "[…]");
  parts.push(span, space || (body ? "" : " "));
  return parts;
}

function entered(event, number) {
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    inspect(number);
  }
}

function inspect(number) {
  const [before, after] = draft.changes[number];
  const from = result.querySelector(`[data-change="${number}"]`);
  for (const other of result.querySelectorAll(".on")) other.classList.remove("on");
  from?.classList.add("on");
  const was = before.trim();
  const standsFor = after.trim() ? `In place of “${was || "nothing"}”.` : `Left out: “${was}”.`;
  const ends = draft.badge.state === "unproved" ? "What was measured for this method does not cover words that you choose yourself."
    : "What you choose yourself ends the proof, and what was measured for this method does not cover it.";
  open({
    title: after.trim() ? `“${after.trim()}”` : "Left out",
    note: `${standsFor} ${ends}`,
    actions: [
      { name: after.trim() ? "Keep as drawn" : "Leave it out", run: () => edit(number, "drawn") },
      { name: "Put the original back", run: () => edit(number, "original") },
    ],
    words: after.trim() ? post("/draft/words", { change: number }).then(({ words }) => words) : null,
    pick: (word) => edit(number, "word", word),
    from,
  });
}

async function edit(number, to, word) {
  const answer = await post("/draft/edit", word === undefined ? { change: number, to } : { change: number, to, word });
  if (answer.now === null) delete draft.edits[number];
  else draft.edits[number] = answer.now;
  close();
  draw();
  const span = result.querySelector(`[data-change="${number}"]`);
  if (span) focusOn([...result.querySelectorAll(".change")], span);
  else result.focus();
  draft.badge = answer.badge;
  tellBadge(answer.badge);
  say(answer.badge.level.title);
  measure();
}

const measure = latest(async () => {
  const { before, after, changed, oddities, meaning_kept: likeness, meaning_in_words: meaning, same_writer: alike } = await get("/draft/risk");
  const plain = [];
  const numbers = [];
  if (before.basis === "known" && after.risk !== null) {
    plain.push(figure(`${percent(before.risk)} → ${percent(after.risk)}`, after.risk_means));
  }
  for (const { before: was, after: is, means } of changed) plain.push(figure(`${was} → ${is}`, means));
  if (oddities) plain.push(element("div", {}, element("small", {}, oddities)));
  if (before.risk !== null && after.risk === null) {
    plain.push(element("div", {}, element("small", {}, "Attackers who know texts of yours can try all the same: give some on the Read screen.")));
  }
  if (meaning !== null) plain.push(figure(meaning, "is kept"));
  plain.push(figure(`${before.words.toLocaleString("en")} → ${after.words.toLocaleString("en")}`, "words"));
  if (alike !== null) {
    numbers.push(figure(percent(Math.min(alike.probability, 1 - 1e-9)), `that one writer wrote the original and this, by style alone (such verdicts are right ${percent(alike.right.value)} of the time at ${alike.words} words)`));
  }
  if (likeness !== null) numbers.push(figure(Math.max(0, likeness).toFixed(2), "likeness of meaning (cosine of sentence embeddings)"));
  find("risk").replaceChildren(...plain);
  find("measures").querySelector(".risk").replaceChildren(...numbers);
  show(find("measures"), numbers.length > 0);
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
  const offered = await get("/methods");
  cards = offered.cards;
  offer(offered.default);
  if (draft) tellDraft();
}
