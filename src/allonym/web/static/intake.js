// Texts on their way in: files of a word processor, saved mails, and mails that were pasted.
import { find, say, show } from "/static/dom.js";
import { ask, latest, post, tell } from "/static/net.js";

const DOCUMENT = /\.(docx|eml)$/i;
const OTHER = /\.(doc|odt|pdf|rtf|pages)$/i;
const HERE = "Your text here is as it was.";
// What makes it worth asking whether a text is a mail; the server looks properly.
const LIKE_MAIL = /^(?:\s?>|-- ?$|(?:From|Subject|Sent|Date): )/m;

// Returns the text of a file, or null after it was told why there is none.
export async function textOf(file) {
  if (DOCUMENT.test(file.name)) {
    const form = new FormData();
    form.append("file", file);
    const { text, note } = await ask("POST", "/api/v1/letter", form);
    find("taken").textContent = note;
    show(find("taken"), Boolean(note));
    return text;
  }
  const words = await file.text();
  show(find("taken"), false);
  if (!words.includes("\u0000") && !OTHER.test(file.name)) return words;
  tell({ happened: "This is not a plain text.", kept: HERE,
    next: "Save it as .docx or .txt first: documents of a word processor also hold names, dates and earlier versions." });
  return null;
}

// Points out the lines of a mail that are not its writer's, and leaves them out on demand; `changed` is told.
export function watchMail(field, changed) {
  let whole = null; // the text before lines were left out
  let body = "";

  const look = latest(async () => {
    const words = field.value;
    if (whole !== null && words === body) return;
    whole = null;
    if (!LIKE_MAIL.test(words)) {
      show(find("mail"), false);
      return;
    }
    const parts = await post("/mail", { text: words });
    if (field.value !== words) return;
    body = parts.body;
    const told = [[parts.headers, "of headers"], [parts.quoted, "quoted from others"], [parts.signature, "of a signature"]]
      .filter(([lines]) => lines > 0).map(([lines, what]) => `${lines === 1 ? "1 line" : `${lines} lines`} ${what}`);
    find("mail-found").textContent = `This looks like an e-mail: ${told.join(", ")}. They are not how you write.`;
    find("leave-out").textContent = "Leave them out";
    show(find("mail"), told.length > 0);
  });

  find("leave-out").addEventListener("click", () => {
    const left = whole === null;
    if (left) [whole, field.value] = [field.value, body];
    else [field.value, whole] = [whole, null];
    find("mail-found").textContent = left ? "Headers, quoted lines and the signature are left out." : "The e-mail is whole again.";
    find("leave-out").textContent = left ? "Put them back" : "Leave them out";
    say(find("mail-found").textContent);
    changed();
  });

  return look;
}
