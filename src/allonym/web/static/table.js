// The Table screen: a file, its first rows, which columns, and how far the work is.
import { element, find, interval, percent, say, show } from "/static/dom.js";
import { ask, example, get, latest, post, Problem, remove, tell } from "/static/net.js";

let state = { state: "none", done: 0, total: 0, promise: "", command: "", ledger: "" };
let usable = [];

// Every position of every slider, by what it is called; a style change has a slider for each style.
function points() {
  const card = usable.find((one) => one.name === find("protection").value);
  return card.sliders.flatMap((about) => about.points.map((point) => ({ about, ...point,
    label: about.label ? `${about.label}, ${point.label}` : point.label })));
}

function positions() {
  find("position").replaceChildren(...points().map((point) => element("option", { value: point.position }, point.label)));
  find("position").selectedIndex = points()[0].about.label ? 1 : Math.floor(points().length / 2);
}

function expect() {
  const { about, attack, kept } = points()[find("position").selectedIndex];
  find("expected").textContent = attack
    ? `Measured on ${about.bench}, by ${about.by}: ${about.attack_means} ${percent(attack.value)} (${interval(attack)}; `
      + `before ${percent(about.attack_before.value)}, by chance ${percent(about.chance)}); kept ${percent(kept)}, ${about.kept_means}. Not on your texts.`
    : "What this reaches was not measured.";
  find("warning").textContent = about.warning ?? "";
  show(find("warning"), Boolean(about.warning));
}

function choice() {
  const boxes = [...find("keep").querySelectorAll("input:checked:enabled")];
  const given = { text: find("column").value, keep: boxes.map((box) => box.value), protection: find("protection").value,
    position: Number(find("position").value) };
  if (!find("names-part").hidden) given.names = find("names").value;
  if (find("author").value) given.author = find("author").value;
  if (find("first-row").checked) given.first_row = "names";
  return given;
}

const price = latest(async () => {
  if (state.state === "none" || state.state === "running") return;
  if (!state.named && !find("first-row").checked) {
    find("cost").textContent = "Names of columns are written to the result: say above that the first row holds names, or add such a row.";
    return;
  }
  const found = await post("/table/price", choice());
  find("cost").textContent = found.sentence;
  find("ledger").textContent = found.ledger;
  show(find("ledger"), Boolean(found.ledger));
});

// Neither the texts nor the authors are copied as they are.
function chosen() {
  show(find("names-part"), !usable.find((one) => one.name === find("protection").value).proved);
  for (const box of find("keep").querySelectorAll("input")) {
    box.disabled = [find("column").value, find("author").value].includes(box.value);
  }
  expect();
  price();
}

find("columns").addEventListener("change", (event) => {
  if (event.target.id === "protection") positions();
  chosen();
});

function tellTable() {
  show(find("nothing"), state.state === "none");
  show(find("with-table"), state.state !== "none");
  if (state.state === "none") return;
  find("name").textContent = state.name;
  find("previewed").textContent = state.rows.length;
  find("first-row").checked = false;
  show(find("unnamed"), !state.named);
  const head = element("tr", {}, ...state.columns.map((name) => element("th", { scope: "col" }, name)));
  const rows = state.rows.map((cells) => element("tr", {}, ...cells.map((cell) => element("td", {}, cell))));
  find("preview").replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
  const options = () => state.columns.map((name) => element("option", { value: name }, name));
  find("column").replaceChildren(...options());
  find("author").replaceChildren(element("option", { value: "" }, "none"), ...options());
  const longest = state.columns.map((_, at) => Math.max(0, ...state.rows.map((cells) => cells[at].length)));
  find("column").selectedIndex = longest.indexOf(Math.max(...longest));
  const writers = state.columns.filter((name) => /^(author|writer|user|username|respondent|participant)(_?id)?$/i.test(name));
  if (state.named && writers.length === 1) find("author").value = writers[0];
  find("keep").replaceChildren(find("keep").firstElementChild, ...state.columns.map((name, at) =>
    element("div", { class: "option" }, element("input", { type: "checkbox", id: `keep-${at}`, value: name }), element("label", { for: `keep-${at}` }, name))));
  restore(state.chosen);
  chosen();
}

// What was chosen before the page was loaded again; the server keeps it with the table.
function restore(before) {
  if (!before) return;
  find("column").value = before.text;
  find("author").value = before.author ?? "";
  if (usable.some((one) => one.name === before.protection)) {
    find("protection").value = before.protection;
    positions();
    find("position").value = String(before.position);
  }
  find("names").value = before.names ?? "keep";
  find("first-row").checked = before.first_row === "names";
  for (const box of find("keep").querySelectorAll("input")) box.checked = before.keep.includes(box.value);
}

function tellState() {
  const running = state.state === "running";
  find("start").disabled = running;
  show(find("stop"), running);
  show(find("resume"), state.state === "stopped" || (state.state === "failed" && state.done > 0));
  show(find("progress"), running || state.state === "stopped");
  find("bar").max = Math.max(1, state.total);
  find("bar").value = state.done;
  find("told").textContent = `${state.done.toLocaleString("en")} of ${state.total.toLocaleString("en")} rows done${state.state === "stopped" ? "; stopped" : ""}`;
  show(find("finished"), state.state === "done");
  find("promise").textContent = state.promise;
  find("command").textContent = state.command;
  find("held").textContent = state.ledger;
  show(find("held"), Boolean(state.ledger));
}

async function follow() {
  const moving = state.state === "running";
  tellState();
  while (state.state === "running") {
    await new Promise((done) => setTimeout(done, 400));
    state = await get("/table");
    tellState();
  }
  if (state.state === "done" && moving) {
    say("The table is done.");
    find("finished-title").focus();
  }
  price();
  if (state.problem) {
    const none = state.state === "none";
    tell({ happened: state.problem, kept: none ? "There is no table here." : "The table is still here.", next: none ? "Choose another file." : "" });
  }
}

async function send(file) {
  const form = new FormData();
  form.append("file", file);
  state = await ask("POST", "/api/v1/table", form);
  tellTable();
  tellState();
  say("The table was read.");
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
  const sentences = (await example()).split(/(?<=[.;])\s+/).filter((one) => one.length > 20);
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
find("drop").addEventListener("click", () => careful(async () => {
  state = await remove("/table");
  tellTable();
  tellState();
}));

const offered = await get("/methods");
usable = offered.cards.filter((card) => !card.problem);
find("protection").replaceChildren(...usable.map((card) => element("option", { value: card.name }, card.title)));
find("protection").value = usable.some((card) => card.name === offered.default) ? offered.default : usable[0].name;
positions();
if (state.state === "none") state = await get("/table");
tellTable();
follow();
