// Talks to the page's own server, and shows what went wrong in words.
import { find, show } from "/static/dom.js";

export class Problem extends Error {}

export async function ask(method, path, body) {
  const options = { method, headers: {}, cache: "no-store", credentials: "same-origin", redirect: "error" };
  if (body instanceof FormData) {
    options.body = body;
  } else if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, options);
    // What only looks may be asked for again: the page is busy, and goes on.
    for (let times = 0; answer.status === 503 && method === "GET" && times < 30; times += 1) {
      await new Promise((done) => setTimeout(done, 1000 * Number(answer.headers.get("Retry-After") ?? 2)));
      answer = await fetch(path, options);
    }
  } catch {
    throw tell({ happened: "The page does not answer.", kept: "What you see here is still here: copy it.", next: "Start `allonym serve` again." });
  }
  if (answer.status === 204) return null;
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok) throw tell(content.error ?? { happened: "The page refused.", kept: "Nothing was changed.", next: "Load it again." });
  return content;
}

export const get = (path) => ask("GET", `/api/v1${path}`);
export const post = (path, body) => ask("POST", `/api/v1${path}`, body);
export const remove = (path) => ask("DELETE", `/api/v1${path}`);

export function tell(error) {
  const bar = find("problem");
  if (bar) {
    bar.querySelector(".happened").textContent = error.happened;
    bar.querySelector(".kept").textContent = error.kept;
    bar.querySelector(".next").textContent = error.next;
    show(bar, true);
  }
  return new Problem(error.happened);
}

// Runs one request at a time and only the latest of those that came meanwhile.
export function latest(work) {
  let running = false;
  let waiting = null;
  return async function run(...given) {
    if (running) {
      waiting = given;
      return;
    }
    running = true;
    try {
      await work(...given);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    } finally {
      running = false;
      if (waiting) {
        const next = waiting;
        waiting = null;
        run(...next);
      }
    }
  };
}

export async function example() {
  const answer = await fetch("/static/example.txt", { cache: "no-store" });
  return (await answer.text()).trim();
}
