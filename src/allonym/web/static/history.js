// What can be taken back: the texts before and after each change that was taken, not typed.
const MOST = 5_000_000; // characters that are remembered

const past = [];
const future = [];

export const canUndo = () => past.length > 0;
export const canRedo = () => future.length > 0;

export function remember(before, after) {
  past.push({ before, after });
  future.length = 0;
  let size = past.reduce((sum, one) => sum + one.before.length + one.after.length, 0);
  while (past.length > 1 && size > MOST) {
    const [oldest] = past.splice(0, 1);
    size -= oldest.before.length + oldest.after.length;
  }
}

// Whether the text is still what the last change made of it: otherwise something was typed since.
export const isLatest = (text) => past.length > 0 && past[past.length - 1].after === text;

export function undo(text) {
  const last = past.pop();
  if (!last) return text;
  future.push({ before: last.before, after: text }); // with what was typed since, so that nothing is lost
  return last.before;
}

export function redo(text) {
  const next = future.pop();
  if (!next) return text;
  past.push({ before: text, after: next.after });
  return next.after;
}
