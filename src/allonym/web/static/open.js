// Exchanges the token behind # for a cookie. The token is never part of a request's address.
const state = document.getElementById("state");
const form = document.getElementById("by-hand");

async function enter(token) {
  const answer = await fetch("/open", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token }),
  });
  if (answer.ok) {
    location.replace("/read");
    return;
  }
  const content = await answer.json().catch(() => null);
  state.textContent = content ? `${content.error.happened} ${content.error.next}` : "The page refused.";
  form.hidden = false;
}

const token = location.hash.slice(1);
history.replaceState(null, "", "/open");
if (token) {
  enter(token);
} else {
  state.textContent = "This browser has not opened the page yet.";
  form.hidden = false;
}
form.addEventListener("submit", (event) => {
  event.preventDefault();
  enter(document.getElementById("token").value.trim().split("#").pop());
});
