// Builds elements from data. Nothing here takes markup: what people wrote only ever becomes text.

export const find = (name) => document.getElementById(name);

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "on") for (const [event, handler] of Object.entries(value)) made.addEventListener(event, handler);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export function show(made, shown) {
  made.hidden = !shown;
}

// Whole per cents, but never all or nothing by rounding: the rule of `allonym.metrics.figures`.
export function percent(share) {
  const whole = Math.floor(100 * share + 0.5);
  if (share > 0 && share < 1 && !(whole > 0 && whole < 100)) return whole < 1 ? "under 1 %" : "over 99 %";
  return `${whole} %`;
}

export function interval(figure) {
  const [low, high] = [percent(figure.low), percent(figure.high)];
  return low === high && !/^\d/.test(high) ? high : `${low.replace(" %", "")}–${high}`;
}

// A level of protection: its name, why, and as many lamps as colours, so that no colour says anything alone.
export function light(box, level) {
  box.classList.remove("level-strong", "level-partial", "level-weak");
  box.classList.add(`level-${level.name}`);
  box.querySelector(".title").textContent = level.title;
  box.querySelector(".reason").textContent = level.reason;
}

// Browsers that refuse the clipboard to pages still copy what is selected.
export async function copy(words) {
  try {
    await navigator.clipboard.writeText(words);
  } catch {
    const field = element("textarea", { class: "unseen", "aria-hidden": "true", tabindex: -1 });
    const focused = document.activeElement;
    field.value = words;
    document.body.append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    focused?.focus();
    if (!copied) {
      say("The browser did not allow copying; select the text and copy it.");
      return false;
    }
  }
  say("Copied.");
  return true;
}

export function say(words) {
  find("said").textContent = words;
}

// Arrow keys move among the entries of a list, of which one alone is in the tab order.
export function roving(container, selector) {
  const entries = () => [...container.querySelectorAll(selector)];
  container.addEventListener("keydown", (event) => {
    const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
    const all = entries();
    const at = all.indexOf(document.activeElement);
    if (at < 0) return;
    let to = event.key in steps ? at + steps[event.key] : { Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    to = Math.max(0, Math.min(all.length - 1, to));
    event.preventDefault();
    focusOn(all, all[to]);
  });
}

export function focusOn(all, entry) {
  for (const other of all) other.tabIndex = -1;
  entry.tabIndex = 0;
  entry.focus();
  entry.scrollIntoView({ block: "nearest" });
}
