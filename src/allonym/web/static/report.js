// The Report screen: copying, a warning before the internal report, and the example.
import { copy, find, say } from "/static/dom.js";
import { example, get, post } from "/static/net.js";

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    if (await copy(find(button.dataset.copy).textContent)) button.textContent = "Copied";
  });
}

// The first press on a file that holds the original says so; the second saves it.
for (const link of document.querySelectorAll("[data-warn]")) {
  link.addEventListener("click", (event) => {
    if (link.dataset.told) return;
    event.preventDefault();
    link.dataset.told = "yes";
    link.nextElementSibling.textContent = `${link.dataset.warn} Press again to save it.`;
    say(link.dataset.warn);
  });
}

find("example")?.addEventListener("click", async () => {
  await post("/read", { text: await example() });
  const { cards, default: protection } = await get("/methods");
  const { sliders } = cards.find((card) => card.name === protection);
  await post("/rewrite", { protection, position: sliders[0].points.at(-1).position });
  location.reload();
});

// On a narrow screen the figure is wider than its frame: what was chosen is in the middle of it.
const ring = document.querySelector("figure .ring");
const frame = ring?.closest(".scroll");
if (frame) frame.scrollLeft = ring.getBoundingClientRect().left - frame.getBoundingClientRect().left - frame.clientWidth / 2;
