// Guided rewriting: what could be changed, what each change does to the figure, a preview, and the way back.
import { find, percent, say, show } from "/static/dom.js";
import { latest, post, Problem } from "/static/net.js";
import { close, fill, focusOnChoices, look, note, open } from "/static/inspector.js";
import { canRedo, canUndo, isLatest, redo, remember, undo } from "/static/history.js";

const BEST = 6; // changes that are named for a habit of the whole text
let page = null; // what the Read screen can do: see `begin`
let answer = { suggestions: [], candidates: 0, measured: 0 };
let asked = ""; // the text that the answer is about
export let previewed = null;

// The Read screen gives its text, a way to show marks, to read again, and what the figure is of.
export function begin(screen) {
  page = screen;
  find("best").addEventListener("click", () => best(0));
  find("undo").addEventListener("click", () => back(undo, "Undone."));
  find("redo").addEventListener("click", () => back(redo, "Done again."));
  document.addEventListener("keydown", keys);
}

export const suggest = latest(async (words) => {
  if (!words.trim()) {
    forgetAnswer();
    return;
  }
  const found = await post("/suggestions", { text: words });
  if (page.text() !== words) return;
  [answer, asked] = [found, words];
  tell();
});

export function forgetAnswer() {
  [answer, asked] = [{ suggestions: [], candidates: 0, measured: 0 }, ""];
  tell();
}

function tell() {
  const count = answer.suggestions.length;
  const first = answer.suggestions[0];
  find("guide-told").textContent = !asked ? "" : count
    ? `${count === 1 ? "One change makes" : `${count} changes make`} it less recognisable. The best: ${effect(first)}.`
    : "No change that is known here makes it less recognisable. Rewrite a sentence: open a mark.";
  show(find("best"), count > 0);
  find("undo").disabled = !canUndo();
  find("redo").disabled = !canRedo();
  show(find("guide"), Boolean(asked) || canUndo() || canRedo());
}

function effect({ before, after }) {
  if (before === null || after === null) return "closer to usual habits";
  const [from, to] = [percent(before), percent(after)].map((share) => share.replace(" ", "\u00a0"));
  const what = page.basis() === "known" ? "less like you" : "less unusual";
  return from === to ? `a little ${what}` : `${what}: ${from} → ${to}`;
}

// Offsets count characters, as the page's own do.
const slice = (start, stop) => page.slice(start, stop);

function choice(suggestion) {
  const [old, now] = [slice(suggestion.start, suggestion.stop).trim(), suggestion.new.trim()];
  const words = /[\p{L}\p{N}]/u;
  const label = !now && !words.test(old) ? suggestion.why : !now ? "leave it out"
    : suggestion.kind === "punctuation" ? `${old || "blank"} → ${now}` : now;
  const why = label === suggestion.why || (label === "leave it out" && suggestion.why === "left out") ? "" : `${suggestion.why}; `;
  return { label, detail: `${why}${effect(suggestion)}`, suggestion };
}

function at(start, stop) {
  return answer.suggestions.filter((one) => one.start < stop && start < one.stop);
}

// The changes at a place: those that are known, or in a long text those that the page is asked for.
async function around(start, stop) {
  if (asked === page.text() && answer.measured === answer.candidates) return at(start, stop);
  const found = await post("/suggestions", { text: page.text(), start, stop });
  return found.suggestions;
}

// Opens the panel on a place of the text. `start` is null for a habit of the whole.
export function inspect({ title, told, start, stop, actions, from, own, others }) {
  const found = start === null ? Promise.resolve(answer.suggestions.slice(0, BEST)) : around(start, stop);
  const more = start === null ? [] : [{ name: "Rewrite this sentence", run: () => sentence(start) }];
  open({
    title,
    note: told,
    actions: [...actions, ...more],
    words: found.then((all) => all.map(choice)),
    own: own && start !== null,
    pick: (picked, at) => (typeof picked === "string" ? take(others(picked), picked) : press(picked.suggestion, at)),
    from,
    leave: unpreview,
    guided: true,
    nothing: "No change that is known here makes the text less recognisable.",
  });
}

function best(rank) {
  const suggestion = answer.suggestions[rank];
  if (!suggestion) return;
  const around = [suggestion, ...at(suggestion.start, suggestion.stop).filter((one) => one !== suggestion)];
  const next = answer.suggestions.slice(rank + 1).findIndex((one) => !around.includes(one));
  const actions = next < 0 ? [] : [{ name: "Another place", run: () => best(rank + 1 + next) }];
  open({
    title: `“${slice(suggestion.start, suggestion.stop).trim() || "blank"}”`,
    note: "Press it again to take it.",
    actions: [...actions, { name: "Rewrite this sentence", run: () => sentence(suggestion.start) }],
    words: around.map(choice),
    own: false,
    pick: (picked, at) => press(picked.suggestion, at),
    from: find("best"),
    leave: unpreview,
    guided: true,
  }).then(() => {
    press(suggestion, 0);
    focusOnChoices();
  });
}

async function sentence(start) {
  unpreview();
  note("Writing three versions …");
  fill([]);
  try {
    const words = page.text();
    const found = await post("/suggestions/sentence", { text: words, start });
    if (page.text() !== words) return;
    const choices = found.versions;
    if (choices.length) note("Versions that state the same and are less recognisable. Press one to see it, again to take it.");
    else if (found.missing) note(found.missing);
    else note(found.written ? "What was written is no less recognisable than your sentence." : "No version states the same as your sentence.");
    fill(choices.map((one) => ({ label: one.new, detail: effect(one), suggestion: one })));
    focusOnChoices();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    close();
  }
}

// The first press shows what a change does, the second takes it.
function press(suggestion, at) {
  if (previewed === suggestion) {
    take([suggestion], `${effect(suggestion)}`);
    return;
  }
  previewed = suggestion;
  page.preview();
  look(at);
  say(`Preview: ${suggestion.new.trim() || "left out"}; ${effect(suggestion)}. Press again to take it.`);
}

function unpreview() {
  if (previewed === null) return;
  previewed = null;
  page.redraw();
}

// Puts words into places of the text, the last first, so that the others stay in place.
export function take(changes, told) {
  previewed = null;
  const before = page.text();
  let changed = before;
  for (const { start, stop, new: words } of [...changes].sort((one, other) => other.start - one.start)) {
    changed = page.slice(0, start, changed) + words + page.slice(stop, Infinity, changed);
  }
  remember(before, changed);
  page.set(changed);
  close();
  say(`Taken: ${told}.`);
  settle();
}

function back(step, told) {
  close();
  page.set(step(page.text()));
  say(told);
  settle();
}

function settle() {
  forgetAnswer();
  show(find("guide"), true);
  page.focus();
}

function keys(event) {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  const again = key === "y" || (key === "z" && event.shiftKey);
  if (key !== "z" && key !== "y") return;
  if (event.target.tagName === "INPUT") return;
  if (event.target.tagName === "TEXTAREA" && !again && !isLatest(page.text())) return; // what was typed is the browser's
  if (event.target.tagName === "TEXTAREA" && again && !canRedo()) return;
  if (again ? !canRedo() : !canUndo()) return;
  event.preventDefault();
  if (again) back(redo, "Done again.");
  else back(undo, "Undone.");
}
