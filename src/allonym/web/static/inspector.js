// The small panel that opens on a mark or a change: what it is, what to do, which other words.
import { element, find, show } from "/static/dom.js";

const panel = find("inspector");
let back = null;
let choose = () => {};
let left = () => {};
let opened = 0;

panel.querySelector(".close").addEventListener("click", close);
panel.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    event.stopPropagation();
    close();
  }
  const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
  if (event.key in steps && event.target.tagName === "BUTTON") {
    const all = [...panel.querySelectorAll(".actions button, .choices button")]; // in the order in which they stand
    const to = all[all.indexOf(event.target) + steps[event.key]];
    if (to) {
      event.preventDefault();
      to.focus();
    }
  }
});
panel.querySelector(".own").addEventListener("submit", (event) => {
  event.preventDefault();
  const word = find("own-word").value.trim();
  if (word) choose(word);
});

export function close() {
  if (panel.hidden) return;
  show(panel, false);
  const after = left;
  left = () => {};
  after();
  again(back)?.focus();
}

// What the panel was opened from, or what was drawn in its place since.
function again(from) {
  if (!from || from.isConnected) return from;
  const { rank, at } = from.dataset;
  return rank === undefined ? null : document.querySelector(`[data-rank="${rank}"][data-at="${at}"]`);
}

// What stands under the title.
export function note(words) {
  panel.querySelector(".note").textContent = words;
}

// Shows which of the choices is looked at, and what that does.
export function look(at) {
  [...panel.querySelectorAll(".choices button")].forEach((button, place) => button.setAttribute("aria-pressed", String(place === at)));
}

// Puts other choices into the panel. A choice is a word, or a label with what it does.
export function fill(choices) {
  panel.querySelector(".choices").replaceChildren(...choices.map((choice, at) => {
    const [label, detail] = typeof choice === "string" ? [choice, ""] : [choice.label, choice.detail];
    const parts = detail ? [element("span", {}, label), element("small", {}, detail)] : [label];
    return element("button", { type: "button", class: detail ? "effect" : false, on: { click: () => choose(choice, at) } }, ...parts);
  }));
}

export function focusOnChoices() {
  panel.querySelector(".choices button")?.focus();
}

// `words` may be a promise; the panel opens at once and fills in. Without words to look for, it is null. `leave` runs
// when the panel is closed, by whatever.
export async function open({ title, note: told, actions = [], words, own = true, pick, from, leave = () => {}, guided = false, nothing = "No other word is known for this one." }) {
  const turn = ++opened;
  left();
  left = leave;
  back = from;
  choose = pick;
  find("inspector-title").textContent = title;
  note(told);
  panel.querySelector(".actions").replaceChildren(
    ...actions.map(({ name, run, pressed }) =>
      element("button", { type: "button", ...(pressed === undefined ? {} : { "aria-pressed": String(pressed) }), on: { click: run } }, name)),
  );
  fill([]);
  const [actionsPart, choicesPart] = [panel.querySelector(".actions"), panel.querySelector(".choices")];
  if (guided) actionsPart.before(choicesPart); // what is measured comes first
  else actionsPart.after(choicesPart);
  show(panel.querySelector(".own"), own);
  find("own-word").value = "";
  show(panel, true);
  const first = panel.querySelector(".actions button");
  (first ?? panel.querySelector(".close")).focus();
  const looked = await Promise.resolve(words).catch(() => []); // what went wrong is told elsewhere
  if (turn !== opened) return; // another one was opened meanwhile
  const found = looked ?? [];
  fill(found);
  if ((guided || !first) && found.length && panel.contains(document.activeElement)) focusOnChoices();
  if (looked && !looked.length && nothing) note(`${told} ${nothing}`);
}
