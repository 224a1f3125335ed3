// Work of the page in small parts: what arrives in a storm waits, so that no frame is late because of this page.

/** Milliseconds of the main thread that the page takes of a frame. */
const FRAME_BUDGET_MS = 4;
const FRAME_MS = 16;
/** Waiting parts; beyond it the oldest event is dropped. */
const MAX_WAITING = 5000;

const waiting = [];
const frame = { ends: 0, spent: 0, timer: null };

/** Runs a part in order, now or in one of the next frames. An event may be dropped in a storm; other parts may not. */
function work(part, isEvent = false) {
  part.isEvent = isEvent;
  waiting.push(part);
  if (waiting.length > MAX_WAITING) {
    const oldest = waiting.findIndex((candidate) => candidate.isEvent);
    if (oldest >= 0) waiting.splice(oldest, 1);
  }
  if (frame.timer === null) runWaiting();
}

/** Puts parts before everything that waits: what arrived later sees their effect. */
function workNext(parts) {
  waiting.unshift(...parts);
  if (frame.timer === null) runWaiting();
}

function runWaiting() {
  frame.timer = null;
  while (waiting.length > 0) {
    const start = performance.now();
    if (start >= frame.ends) Object.assign(frame, { ends: start + FRAME_MS, spent: 0 });
    if (frame.spent >= FRAME_BUDGET_MS) {
      frame.timer = setTimeout(runWaiting, frame.ends - start);
      return;
    }
    // A part that adds parts must not run them inside of itself.
    frame.timer = 0;
    guarded('a part of the page', waiting.shift());
    frame.timer = null;
    frame.spent += performance.now() - start;
  }
}

/** Runs code that may fail without an effect on anything else. */
function guarded(name, code) {
  try {
    return code();
  } catch (error) {
    console.warn(`${name} failed`, error);
    return undefined;
  }
}
