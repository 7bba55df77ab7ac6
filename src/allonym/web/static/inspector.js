// The small panel that opens on a mark or a change: what it is, what to do, which other words.
import { element, find, show } from "/static/dom.js";

const panel = find("inspector");
let back = null;
let choose = () => {};
let opened = 0;

panel.querySelector(".close").addEventListener("click", close);
panel.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    event.stopPropagation();
    close();
  }
  const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
  if (event.key in steps && event.target.tagName === "BUTTON") {
    const all = [...panel.querySelectorAll(".actions button, .choices button")];
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
  if (back && back.isConnected) back.focus();
}

// `words` may be a promise; the panel opens at once and fills in. Without words to look for, it is null.
export async function open({ title, note, actions = [], words, own = true, pick, from }) {
  const turn = ++opened;
  back = from;
  choose = pick;
  find("inspector-title").textContent = title;
  panel.querySelector(".note").textContent = note;
  panel.querySelector(".actions").replaceChildren(
    ...actions.map(({ name, run, pressed }) =>
      element("button", { type: "button", ...(pressed === undefined ? {} : { "aria-pressed": String(pressed) }), on: { click: run } }, name)),
  );
  const choices = panel.querySelector(".choices");
  choices.replaceChildren();
  show(panel.querySelector(".own"), own);
  find("own-word").value = "";
  show(panel, true);
  const first = panel.querySelector(".actions button");
  (first ?? panel.querySelector(".close")).focus();
  const looked = await Promise.resolve(words).catch(() => []); // what went wrong is told elsewhere
  if (turn !== opened) return; // another one was opened meanwhile
  const found = looked ?? [];
  choices.replaceChildren(
    ...found.map((word) => element("button", { type: "button", on: { click: () => pick(word) } }, word)),
  );
  if (!first && found.length && panel.contains(document.activeElement)) choices.firstElementChild.focus();
  if (looked && !looked.length && own) panel.querySelector(".note").textContent = `${note} No other word is known for this one.`;
}
