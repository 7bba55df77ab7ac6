// The Read screen: a text, one sentence about it, and what gives it away.
import { element, find, interval, percent, roving, say, show } from "/static/dom.js";
import { example, get, latest, post, Problem, remove, tell } from "/static/net.js";
import { textOf, watchMail } from "/static/intake.js";
import { close, open } from "/static/inspector.js";
import { begin, forgetAnswer, inspect as guide, previewed, suggest, take as change } from "/static/guided.js";

const text = find("text");
const marked = find("marked");
const list = find("marks");
const MOST = 1_000_000;
let reading = null;
let marks = []; // names and the like first, then habits
let editing = false;
let timer = 0;

const score = latest(async (words) => {
  const found = await post("/read", { text: words });
  if (text.value !== words) return;
  reading = found;
  tellReading();
  suggest(words);
});

function changed() {
  show(find("empty"), !text.value);
  forgetAnswer();
  clearTimeout(timer);
  timer = setTimeout(() => {
    score(text.value);
    lookForMail();
  }, 250);
}

const lookForMail = watchMail(text, () => {
  edit(false);
  changed();
});

function tellReading() {
  find("sentence").textContent = reading.sentence;
  find("verdict").textContent = reading.verdict;
  find("count").textContent = reading.words === 1 ? "1 word" : `${reading.words.toLocaleString("en")} words`;
  find("gauges").replaceChildren(...reading.gauges.map(gauge));
  show(find("gauges"), reading.gauges.length > 0);
  const weak = reading.notes.filter((note) => /^(The estimate is weak|This text seems to be)/.test(note));
  const others = reading.notes.filter((note) => !weak.includes(note));
  find("weak").textContent = weak.join(" ");
  show(find("weak"), weak.length > 0);
  find("notes").replaceChildren(...others.map((note) => element("li", {}, note)));
  show(find("notes-part"), others.length > 0);
  find("attackers").replaceChildren(...reading.attackers.map(attacker));
  show(find("attackers-part"), reading.attackers.length > 0);
  marks = [...reading.names.map(named), ...reading.marks];
  list.replaceChildren(...marks.map(entry));
  if (list.firstElementChild) list.querySelector("button").tabIndex = 0;
  show(find("marks-part"), marks.length > 0);
  show(find("onward"), reading.words > 0);
  if (editing) draw();
}

// A bar with its safer end named; the sentence above says the same in words.
function gauge({ title, figure, position, better }) {
  const needle = element("span", { class: "needle" });
  needle.style.setProperty("--at", `${Math.round(1000 * position) / 10}%`);
  const bar = element("span", { class: `scale ${better}`, "aria-hidden": "true" }, needle);
  const safer = { lower: "← safer", higher: "safer →" }[better];
  return element("li", {}, element("strong", {}, figure), " ", element("span", {}, title), bar,
    safer ? element("small", { class: better, "aria-hidden": "true" }, safer) : null);
}

function attacker(row) {
  return element("li", {},
    element("span", { class: "right" }, percent(row.right.value), element("small", {}, interval(row.right))),
    element("span", {}, element("span", { class: "who" }, row.attacker), element("br"), element("span", { class: "says" }, row.says)),
  );
}

// Names have no share: they give away what is told, not how.
function named({ what, placeholder, places: where }) {
  const [start, stop] = where[0];
  const words = slice(pieces(text.value), start, stop);
  const times = where.length > 1 ? `, ${where.length} times` : "";
  return { kind: "named", feature: words, share: null, note: `${what}${times}`, places: where, placeholder };
}

function entry(mark, place) {
  const name = element("span", { class: `mark ${mark.kind}` }, mark.feature);
  const button = element("button", { type: "button", tabindex: -1, on: { click: () => inspect(place, 0, button) } },
    element("span", { class: "share" }, mark.share === null ? "" : percent(mark.share)), name, element("span", { class: "note" }, mark.note));
  return element("li", {}, button);
}

// Offsets count characters; a script's strings count halves of some of them.
function pieces(words) {
  return /[\ud800-\udfff]/.test(words) ? Array.from(words) : words;
}

function slice(characters, start, stop) {
  return typeof characters === "string" ? characters.slice(start, stop) : characters.slice(start, stop).join("");
}

function draw() {
  const characters = pieces(text.value);
  const borders = new Set([0, characters.length]);
  const spans = [];
  marks.forEach((mark, rank) => mark.places.forEach(([start, stop], at) => {
    spans.push({ start, stop, rank, at, kind: mark.kind });
    borders.add(start).add(stop);
  }));
  spans.sort((one, other) => one.start - other.start || one.rank - other.rank);
  if (previewed) borders.add(previewed.start).add(previewed.stop);
  const ordered = [...borders].sort((one, other) => one - other);
  const active = [];
  let next = 0;
  const made = [];
  for (let at = 0; at + 1 < ordered.length; at += 1) {
    while (next < spans.length && spans[next].start <= ordered[at]) active.push(spans[next++]);
    for (let old = active.length - 1; old >= 0; old -= 1) if (active[old].stop <= ordered[at]) active.splice(old, 1);
    const words = slice(characters, ordered[at], ordered[at + 1]);
    const best = active.reduce((one, other) => (one && one.rank <= other.rank ? one : other), null);
    const node = best ? drawn(words, best) : words;
    const goes = previewed && previewed.start <= ordered[at] && ordered[at + 1] <= previewed.stop;
    made.push(goes ? element("del", { class: "looked" }, node) : node);
    if (previewed && ordered[at + 1] === previewed.stop) made.push(element("ins", { class: "looked" }, previewed.new));
  }
  marked.replaceChildren(...made);
  marked.querySelector("ins.looked")?.scrollIntoView({ block: "center" });
}

function drawn(words, { rank, at, kind }) {
  const span = element("span", { class: `mark ${kind}`, role: "button", tabindex: -1, "data-rank": rank, "data-at": at,
    on: { click: () => inspect(rank, at, span) } }, words);
  return span;
}

function inspect(rank, at, from) {
  const mark = marks[rank];
  for (const other of marked.querySelectorAll(".on")) other.classList.remove("on");
  if (!mark.places.length) {
    const told = `${mark.note}. It is a habit of the whole text, so there is no single place to change.`;
    guide({ title: mark.feature, told, start: null, actions: [], from, own: false });
    return;
  }
  const [start, stop] = mark.places[at];
  const words = slice(pieces(text.value), start, stop);
  if (editing) for (const span of marked.querySelectorAll(`[data-rank="${rank}"]`)) span.classList.add("on");
  const alike = mark.placeholder ? mark.places : places(mark, words);
  let everywhere = Boolean(mark.placeholder);
  const more = mark.places.length > 1
    ? [{ name: `Next place (${at + 1} of ${mark.places.length})`, run: () => inspect(rank, (at + 1) % mark.places.length, from) }]
    : [];
  if (alike.length > 1) {
    const name = mark.placeholder ? `Change all ${alike.length}` : `Your own word in all ${alike.length}`;
    more.push({ name, run: ({ target }) => {
      everywhere = !everywhere;
      target.setAttribute("aria-pressed", String(everywhere));
    }, pressed: everywhere });
  }
  const share = mark.share === null ? "" : `: ${percent(mark.share)} of what gives the text away`;
  const told = mark.placeholder
    ? `${mark.note}. Whoever knows it knows whom or what this is about.`
    : `${mark.feature}${share}; ${mark.note}.`;
  const title = `“${words.trim() || "blank"}”`;
  const others = (word) => written(everywhere ? alike : [[start, stop]], word);
  if (mark.placeholder) {
    open({ title, note: told, actions: more, words: [mark.placeholder], pick: (word) => change(others(word), word), from });
    return;
  }
  guide({ title, told, start, stop, actions: more, from, own: true, others });
}

// The places of a mark where the same words stand, but for their case.
function places(mark, words) {
  const characters = pieces(text.value);
  const same = words.trim().toLowerCase();
  return mark.places.filter(([start, stop]) => slice(characters, start, stop).trim().toLowerCase() === same);
}

// A word in the place of others, with the blanks around them.
function written(where, word) {
  const characters = pieces(text.value);
  return where.map(([start, stop]) => {
    const old = slice(characters, start, stop);
    const put = where.length > 1 ? cased(word, old.trim()) : word;
    return { start, stop, new: old.match(/^\s*/)[0] + put + old.match(/\s*$/)[0] };
  });
}

// A word in the case of the one whose place it takes.
function cased(word, like) {
  const first = word.charAt(0);
  const upper = like.charAt(0) !== like.charAt(0).toLowerCase();
  return (upper ? first.toUpperCase() : first.toLowerCase()) + word.slice(1);
}

function edit(now, stay = false) {
  editing = now;
  sessionStorage.setItem("mode", now ? "edit" : "write");
  find("to-write").setAttribute("aria-pressed", String(!now));
  find("to-edit").setAttribute("aria-pressed", String(now));
  show(text, !now);
  show(marked, now);
  show(find("legend"), now);
  marked.tabIndex = 0;
  if (!stay) close();
  if (now && reading) draw();
}

async function take(words, name) {
  if ([...words].length > MOST) {
    tell({ happened: "This text has more than 1,000,000 characters.", kept: "Your text here is as it was.", next: "Shorten it, or use `allonym check`." });
    return;
  }
  text.value = words;
  edit(false);
  changed();
  say(`${name} was taken.`);
}

const paper = document.querySelector(".paper");
for (const event of ["dragover", "dragenter"]) {
  paper.addEventListener(event, (dragged) => {
    dragged.preventDefault();
    paper.classList.add("over");
  });
}
paper.addEventListener("dragleave", () => paper.classList.remove("over"));
paper.addEventListener("drop", async (dropped) => {
  dropped.preventDefault();
  paper.classList.remove("over");
  const [file] = dropped.dataTransfer.files;
  if (file) await takeFile(file);
  else take(dropped.dataTransfer.getData("text/plain"), "The text");
});

async function takeFile(file) {
  try {
    const words = await textOf(file);
    if (words !== null) await take(words, file.name);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}

find("open-file").addEventListener("change", async () => {
  const [file] = find("open-file").files;
  if (file) await takeFile(file);
  find("open-file").value = "";
});

text.addEventListener("input", changed);
find("to-write").addEventListener("click", () => edit(false));
find("to-edit").addEventListener("click", () => edit(true));
find("example").addEventListener("click", async () => {
  await take(await example(), "The example");
  edit(true);
  text.focus();
});
roving(list, "button");
begin({
  text: () => text.value,
  slice: (start, stop, words = text.value) => slice(pieces(words), start, stop),
  basis: () => reading?.basis,
  redraw: () => editing && draw(),
  focus: () => (editing ? marked : text).focus(),
  preview: () => {
    if (editing) draw();
    else edit(true, true);
  },
  set: (words) => {
    text.value = words;
    if (editing) marked.textContent = words;
    clearTimeout(timer);
    score(words);
  },
});

// Other texts: read here, sent as text, and kept in memory only.
const chosen = { mine: [], others: [] };

async function texts(input, writer) {
  const plain = [...input.files].filter((file) => file.name.toLowerCase().endsWith(".txt"));
  return Promise.all(plain.map(async (file) => ({ author: writer(file), text: await file.text() })));
}

async function choose() {
  chosen.mine = (await texts(find("mine"), () => "you")).map((one) => one.text);
  const single = await texts(find("others"), (file) => file.name.replace(/\.txt$/i, ""));
  const nested = await texts(find("folder"), (file) => {
    const path = file.webkitRelativePath.split("/");
    return path.length > 2 ? path[1] : file.name.replace(/\.txt$/i, "");
  });
  chosen.others = [...single, ...nested];
  const writers = new Set(chosen.others.map((one) => one.author)).size;
  find("chosen").textContent = `${chosen.mine.length} of yours, ${chosen.others.length} of ${writers} others.`;
  find("train").disabled = chosen.mine.length + chosen.others.length === 0;
}

for (const name of ["mine", "others", "folder"]) find(name).addEventListener("change", choose);

find("train").addEventListener("click", async () => {
  find("train").disabled = true;
  try {
    await follow(await post("/references", chosen));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    find("train").disabled = false;
  }
});
find("drop").addEventListener("click", async () => {
  await remove("/references");
  show(find("drop"), false);
  find("chosen").textContent = "No other texts yet.";
  score(text.value);
});

async function follow(state) {
  show(find("drop"), state.own_texts + state.other_texts > 0);
  while (state.state === "training") {
    show(find("progress"), true);
    find("bar").max = Math.max(1, state.total);
    find("bar").value = state.done;
    await new Promise((done) => setTimeout(done, 400));
    state = await get("/references");
  }
  show(find("progress"), false);
  find("train").disabled = false;
  if (state.state === "failed") {
    tell({ happened: state.problem, kept: "Your text is still here.", next: "" });
  } else if (state.own_texts + state.other_texts > 0) {
    find("chosen").textContent = state.other_texts
      ? `Compared with ${state.writers} writers, you among them.`
      : "Compared with your own texts alone; add texts of others for attackers.";
  }
  if (text.value) score(text.value);
}

const desk = await get("/desk");
if (desk.text && !text.value) text.value = desk.text;
show(find("empty"), !text.value);
edit(sessionStorage.getItem("mode") === "edit" && Boolean(text.value));
if (text.value) score(text.value);
if (desk.references.state !== "none" || desk.references.own_texts) {
  find("compare").open = true;
  follow(desk.references);
}
