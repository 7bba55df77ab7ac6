// What every screen has: closing an error, and forgetting everything.
import { find, show } from "/static/dom.js";
import { remove } from "/static/net.js";

find("problem").querySelector(".close").addEventListener("click", () => show(find("problem"), false));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") show(find("problem"), false);
});

const forget = find("forget");
forget.addEventListener("click", async () => {
  if (forget.dataset.sure !== "yes") {
    forget.dataset.sure = "yes";
    forget.textContent = "Really forget? Press again";
    setTimeout(() => {
      forget.dataset.sure = "";
      forget.textContent = "Forget everything";
    }, 6000);
    return;
  }
  await remove("/desk");
  sessionStorage.clear();
  location.assign("/read");
});
