// The Table screen: a file, its first rows, which columns, and how far the work is.
import { element, find, say, show } from "/static/dom.js";
import { ask, example, get, post, Problem, remove, tell } from "/static/net.js";

let state = { state: "none", done: 0, total: 0, promise: "", command: "" };
let usable = [];

function positions() {
  const card = usable.find((one) => one.method === find("method").value);
  find("position").replaceChildren(...card.points.map((point, place) => element("option", { value: place }, point.label)));
  find("position").selectedIndex = Math.floor(card.points.length / 2);
}
find("method").addEventListener("change", positions);

function tellTable() {
  show(find("nothing"), state.state === "none");
  show(find("with-table"), state.state !== "none");
  if (state.state === "none") return;
  find("name").textContent = state.name;
  const head = element("tr", {}, ...state.columns.map((name) => element("th", { scope: "col" }, name)));
  const rows = state.rows.map((cells) => element("tr", {}, ...cells.map((cell) => element("td", {}, cell))));
  find("preview").replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
  const options = () => state.columns.map((name) => element("option", { value: name }, name));
  find("column").replaceChildren(...options());
  find("author").replaceChildren(element("option", { value: "" }, "none"), ...options());
  const longest = state.columns.map((_, at) => Math.max(0, ...state.rows.map((cells) => cells[at].length)));
  find("column").selectedIndex = longest.indexOf(Math.max(...longest));
  find("keep").replaceChildren(find("keep").firstElementChild, ...state.columns.map((name, at) =>
    element("div", { class: "option" }, element("input", { type: "checkbox", id: `keep-${at}`, value: name }), element("label", { for: `keep-${at}` }, name))));
}

function tellState() {
  const running = state.state === "running";
  find("start").disabled = running;
  show(find("stop"), running);
  show(find("resume"), state.state === "stopped");
  show(find("progress"), running || state.state === "stopped");
  find("bar").max = Math.max(1, state.total);
  find("bar").value = state.done;
  find("told").textContent = `${state.done.toLocaleString("en")} of ${state.total.toLocaleString("en")} rows done${state.state === "stopped" ? "; stopped" : ""}`;
  show(find("finished"), state.state === "done");
  find("promise").textContent = state.promise;
  find("command").textContent = state.command ?? "";
}

async function follow() {
  tellState();
  while (state.state === "running") {
    await new Promise((done) => setTimeout(done, 400));
    state = await get("/table");
    tellState();
  }
  if (state.state === "done") {
    say("The table is done.");
    find("finished-title").focus();
  }
  if (state.state === "failed") {
    tell({ happened: state.problem, kept: "The table is still here.", next: "" });
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
    const boxes = [...find("keep").querySelectorAll("input:checked")];
    const keep = boxes.map((box) => box.value).filter((name) => name !== find("column").value);
    const given = { text: find("column").value, keep, method: find("method").value, position: Number(find("position").value) };
    if (find("author").value) given.author = find("author").value;
    state = await post("/table/start", given);
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

usable = (await get("/methods")).cards.filter((card) => !card.problem);
find("method").replaceChildren(...usable.map((card) => element("option", { value: card.method }, card.title)));
find("method").value = usable.some((card) => card.method === "erae") ? "erae" : usable[0].method;
positions();
if (state.state === "none") state = await get("/table");
tellTable();
follow();
