// The Table screen: a file, its first rows, which columns, and how far the work is.
import { element, find, interval, light, percent, say, show } from "/static/dom.js";
import { ask, example, get, latest, post, Problem, remove, tell } from "/static/net.js";

const LONG = 40; // characters of a cell that wants room
const SOON = 400; // milliseconds until it is asked again how far the work is
let state = { state: "none", done: 0, total: 0, promise: "", command: "", ledger: "" };
let usable = [];
let asked = 0; // how often a price was asked for

const busy = () => state.state === "checking" || state.state === "running";
const pause = () => new Promise((done) => setTimeout(done, SOON));
const count = (number) => number.toLocaleString("en");
const chosen = () => usable.find((card) => card.name === find("protection").value);

// Every position of every slider, by what it is called; a style change has a slider for each style.
function points() {
  return chosen().sliders.flatMap((about) => about.points.map((point) => ({ about, ...point,
    label: about.label ? `${about.label}, ${point.label}` : point.label })));
}

function positions() {
  find("position").replaceChildren(...points().map((point) => element("option", { value: point.position }, point.label)));
  find("position").selectedIndex = points()[0].about.label ? 1 : Math.floor(points().length / 2);
}

function expect() {
  const { about, attack, kept, keeps, level } = points()[find("position").selectedIndex];
  light(find("level"), level);
  find("keeps").textContent = keeps ? `It keeps ${keeps}.` : "";
  find("expected").textContent = attack
    ? `Measured on ${about.bench}, by ${about.by}: ${about.attack_means} ${percent(attack.value)} (${interval(attack)}; `
      + `before ${percent(about.attack_before.value)}, by chance ${percent(about.chance)}); kept ${kept.toFixed(2)}, ${about.kept_means}. Not on your texts.`
    : "What this reaches was not measured.";
  find("warning").textContent = about.warning ?? "";
  show(find("warning"), Boolean(about.warning));
}

function choice() {
  const boxes = [...find("keep").querySelectorAll("input:checked:enabled")];
  const given = { text: find("column").value, keep: boxes.map((box) => box.value), protection: find("protection").value,
    position: Number(find("position").value) };
  if (!find("names-part").hidden) given.names = find("names").value;
  if (!find("counts-part").hidden) given.counts_as = find("counts-as").value;
  if (find("author").value) given.author = find("author").value;
  if (find("first-row").checked) given.first_row = "names";
  return given;
}

const REFUSAL = /^The ledger will refuse/;

function tellQuote(quote) {
  const refused = quote.problem || (REFUSAL.test(quote.ledger) ? quote.ledger : "");
  find("refused").textContent = refused;
  show(find("refused"), Boolean(refused));
  find("cost").textContent = quote.sentence;
  find("notes").textContent = quote.notes;
  show(find("notes"), Boolean(quote.notes));
  find("ledger").textContent = refused === quote.ledger ? "" : quote.ledger;
  show(find("ledger"), Boolean(find("ledger").textContent));
  find("forecast").textContent = quote.forecast || (quote.looking ? "Trying the first rows, to say how long it will take …" : "");
}

// What it costs is known at once or soon; how long it takes, when the first rows have been tried.
const price = latest(async () => {
  if (["none", "reading"].includes(state.state) || busy()) return;
  if (!state.named && !find("first-row").checked) {
    tellQuote({ problem: "Names of columns are written to the result: say above that the first row holds names, or add such a row.", sentence: "", notes: "", ledger: "", forecast: "" });
    return;
  }
  const turn = ++asked;
  const quote = await post("/table/price", choice());
  if (turn !== asked) return;
  tellQuote(quote);
  if (quote.looking) careful(() => watch(turn));
});

// Asks on until all is known, or something else was chosen.
async function watch(turn) {
  for (;;) {
    await pause();
    if (turn !== asked || busy()) return;
    const { quote } = await get("/table");
    if (turn !== asked || !quote) return;
    tellQuote(quote);
    if (!quote.looking) return;
  }
}

// Neither the texts nor the writers are copied as they are.
function picked() {
  asked += 1;
  show(find("names-part"), !chosen().proved);
  show(find("counts-part"), chosen().counts);
  for (const box of find("keep").querySelectorAll("input")) {
    box.disabled = [find("column").value, find("author").value].includes(box.value);
  }
  expect();
  price();
}

find("columns").addEventListener("change", (event) => {
  if (event.target.id === "protection") positions();
  picked();
});

function tellTable() {
  const there = !["none", "reading"].includes(state.state);
  show(find("nothing"), state.state === "none");
  show(find("reading"), state.state === "reading");
  show(find("with-table"), there);
  if (!there) return;
  find("name").textContent = state.name;
  find("previewed").textContent = state.rows.length;
  find("row-count").textContent = count(state.count);
  find("guess").textContent = state.guess.reason;
  find("first-row").checked = false;
  show(find("unnamed"), !state.named);
  const head = element("tr", {}, ...state.columns.map((name) => element("th", { scope: "col" }, name)));
  const rows = state.rows.map((cells) => element("tr", {}, ...cells.map((cell) => element("td", { class: cell.length > LONG ? "long" : null }, cell))));
  find("preview").replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
  const options = () => state.columns.map((name) => element("option", { value: name }, name));
  find("column").replaceChildren(...options());
  find("author").replaceChildren(element("option", { value: "" }, "none"), ...options());
  find("column").value = state.guess.text;
  find("author").value = state.guess.author ?? "";
  find("counts-as").value = state.name.toLowerCase().endsWith(".parquet") ? "parquet" : "csv";
  find("keep").replaceChildren(find("keep").firstElementChild, ...state.columns.map((name, at) =>
    element("div", { class: "option" }, element("input", { type: "checkbox", id: `keep-${at}`, value: name }), element("label", { for: `keep-${at}` }, name))));
  restore(state.chosen);
  picked();
}

// What was chosen before the page was loaded again; the server keeps it with the table.
function restore(before) {
  if (!before) return;
  find("column").value = before.text;
  find("author").value = before.author ?? "";
  if (usable.some((card) => card.name === before.protection)) {
    find("protection").value = before.protection;
    positions();
    find("position").value = String(before.position);
  }
  find("names").value = before.names ?? "keep";
  if (before.counts_as) find("counts-as").value = before.counts_as;
  find("first-row").checked = before.first_row === "names";
  for (const box of find("keep").querySelectorAll("input")) box.checked = before.keep.includes(box.value);
}

function rowsDone() {
  if (state.state === "checking") return "Looking at the table …";
  if (state.state === "running" && state.done === state.total) return `All ${count(state.total)} rows are done; the file is being put together …`;
  return `${count(state.done)} of ${count(state.total)} rows done${state.state === "stopped" ? "; stopped" : ""}`;
}

function tellState() {
  find("start").disabled = busy();
  show(find("stop"), busy());
  show(find("resume"), state.state === "stopped" || (state.state === "failed" && state.done > 0));
  show(find("progress"), busy() || state.state === "stopped");
  find("bar").max = Math.max(1, state.total);
  if (state.state === "checking") find("bar").removeAttribute("value");
  else find("bar").value = state.done;
  find("rows-done").textContent = rowsDone();
  show(find("finished"), state.state === "done");
  find("promise").textContent = state.promise;
  find("command").textContent = state.command;
  find("held").textContent = state.ledger;
  show(find("held"), Boolean(state.ledger));
}

async function follow() {
  const moving = busy();
  tellState();
  while (busy()) {
    await pause();
    state = await get("/table");
    tellState();
  }
  if (state.state === "done" && moving) {
    say("The table is done.");
    find("finished-title").focus();
  }
  if (!moving || state.state !== "done") price();
  complain();
}

function complain() {
  if (!state.problem) return;
  const none = state.state === "none";
  tell({ happened: state.problem, kept: none ? "There is no table here." : "The table is still here.", next: none ? "Choose another file." : "" });
}

async function send(file) {
  const form = new FormData();
  form.append("file", file);
  find("read-so-far").textContent = "Sending the table …";
  state = { ...state, state: "reading", done: 0 };
  tellTable();
  try {
    state = await ask("POST", "/api/v1/table", form);
  } catch (error) {
    state = await get("/table");
    tellTable();
    tellState();
    throw error;
  }
  await arrive();
}

// A table is read in the background; how many rows of it are read is shown until it is here.
async function arrive() {
  while (state.state === "reading") {
    find("read-so-far").textContent = `Reading the table: ${count(state.done)} rows so far`;
    tellTable();
    await pause();
    state = await get("/table");
  }
  tellTable();
  tellState();
  if (state.state === "none" || state.problem) complain();
  else say("The table was read.");
}

async function careful(work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}

find("file").addEventListener("change", () => careful(async () => {
  const [file] = find("file").files;
  if (file) await send(file);
}));
find("example").addEventListener("click", () => careful(async () => {
  const sentences = (await example()).split(/(?<=[.;])\s+/).filter((words) => words.length > 20);
  const rows = sentences.map((words, at) => JSON.stringify({ id: at + 1, writer: at % 2 ? "second" : "first", text: words }));
  await send(new File([rows.join("\n")], "example.jsonl"));
}));
find("columns").addEventListener("submit", (event) => {
  event.preventDefault();
  careful(async () => {
    state = await post("/table/start", choice());
    await follow();
  });
});
find("stop").addEventListener("click", () => careful(async () => { await post("/table/stop"); }));
find("resume").addEventListener("click", () => careful(async () => {
  state = await post("/table/resume");
  await follow();
}));
for (const button of ["drop", "give-up"]) {
  find(button).addEventListener("click", () => careful(async () => {
    state = await remove("/table");
    find("file").value = "";
    tellTable();
    tellState();
  }));
}

// Counts of words first, then what else suits a table.
const leads = (card) => (card.suits.includes("table") ? 1 + Number(card.counts) : 0);
const offered = await get("/methods");
usable = offered.cards.filter((card) => !card.problem).sort((first, second) => leads(second) - leads(first));
find("protection").replaceChildren(...usable.map((card) => element("option", { value: card.name }, card.title)));
find("protection").value = usable.some((card) => card.name === offered.default_table) ? offered.default_table : usable[0].name;
positions();
if (state.state === "none") state = await get("/table");
if (state.state === "reading") arrive();
else tellTable();
follow();
