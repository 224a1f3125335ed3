// Subscribes to one channel and shows its frames, newest first. Reconnects after a cut and resumes after the
// last event.
"use strict";

const MOST_SHOWN = 200;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30000;
const CHECK_TIMEOUT_MS = 10000;
// Close codes after which a reconnection would not help.
const FINAL = [1000, 1003, 4001, 4002, 4008];

const element = (id) => document.getElementById(id);

let socket = null;
let timer = null;
let wanted = null;

function show(kind, text) {
  const state = element("state");
  state.dataset.state = kind;
  state.textContent = text;
}

function add(frame) {
  const item = document.createElement("li");
  item.dataset.type = frame.type;
  const name = document.createElement("strong");
  name.textContent = frame.event_type ?? frame.type;
  const time = document.createElement("time");
  time.textContent = frame.timestamp ?? frame.server_time ?? "";
  const body = document.createElement("pre");
  body.textContent = JSON.stringify(frame.data ?? frame, null, 2);
  item.append(name, time, body);
  const list = element("frames");
  list.prepend(item);
  while (list.children.length > MOST_SHOWN) list.lastElementChild.remove();
}

function receive(frame) {
  document.dispatchEvent(new CustomEvent("lumio:frame", { detail: frame }));
  if (frame.type === "event") wanted.after = frame.id;
  if (frame.type === "connected") {
    const request = { type: "subscribe", channel: wanted.channel, request_id: "live" };
    if (wanted.after) request.after = wanted.after;
    socket.send(JSON.stringify(request));
  }
  if (frame.type === "subscribed") {
    wanted.pause = FIRST_PAUSE_MS;
    const gap = frame.recovered === false ? "; events were missed" : "";
    show("open", `Listening to ${frame.channel}${gap}`);
  }
  if (frame.type === "error") show("failed", `${frame.code}: ${frame.message}`);
  add(frame);
}

function open() {
  const address = new URL("/v1/ws", location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  address.searchParams.set("token", wanted.token);
  show("opening", "Connecting");
  const own = new WebSocket(address);
  socket = own;
  own.addEventListener("message", (event) => {
    if (own === socket) receive(JSON.parse(event.data));
  });
  let upgraded = false;
  own.addEventListener("open", () => {
    upgraded = true;
  });
  own.addEventListener("close", async (event) => {
    if (own !== socket) return;
    // A page cannot distinguish a refused upgrade from a cut, so the server is asked for the reason.
    const refusal = upgraded ? null : await refusalOf(wanted.token);
    if (own === socket) closed(event.code, event.reason, refusal);
  });
}

// Reason why the server refuses a socket of this page; null when it does not, or is not reached.
async function refusalOf(token) {
  try {
    const answer = await fetch("/v1/live/check", {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
      credentials: "omit",
      signal: AbortSignal.timeout(CHECK_TIMEOUT_MS),
    });
    return answer.ok ? null : { status: answer.status, ...(await answer.json()) };
  } catch {
    return null;
  }
}

function closed(code, reason, refusal) {
  socket = null;
  if (refusal && refusal.status < 500 && refusal.status !== 429) {
    const isOrigin = refusal.message === "Origin is not allowed";
    const hint = isOrigin ? ` (${location.origin}); open the page at LUMIO_PUBLIC_URL` : "";
    show("failed", `${refusal.error}: ${refusal.message}${hint}`);
    return;
  }
  if (FINAL.includes(code)) {
    show("failed", `Closed with ${code} ${reason}`);
    return;
  }
  const why = refusal ? `${refusal.error}: ${refusal.message}` : `Closed with ${code} ${reason}`;
  show("failed", `${why.trim()}; trying again`);
  timer = setTimeout(open, wanted.pause * (0.5 + Math.random() / 2));
  wanted.pause = Math.min(wanted.pause * 2, LONGEST_PAUSE_MS);
}

function stop() {
  clearTimeout(timer);
  const open = socket;
  socket = null;
  if (open) open.close(1000);
  show("closed", "Not connected");
}

element("connect").addEventListener("submit", (event) => {
  event.preventDefault();
  stop();
  wanted = {
    token: element("token").value.trim(),
    channel: element("channel").value.trim(),
    after: null,
    pause: FIRST_PAUSE_MS,
  };
  open();
});
element("stop").addEventListener("click", stop);
element("clear").addEventListener("click", () => element("frames").replaceChildren());
