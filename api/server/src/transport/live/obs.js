// Executes the commands of a channel `obs:{account_id}` in the OBS of this machine: the reference client of local
// mode. It speaks obs-websocket 5 with the loopback address only, and keeps the password in this page.
"use strict";

{
  const RPC_VERSION = 1;
  const HANDSHAKE_TIMEOUT_MS = 10000;
  const REQUEST_TIMEOUT_MS = 4000;
  const MAX_AGE_MS = 5000;
  const MAX_REMEMBERED = 1000;
  const INITIAL_PAUSE_MS = 1000;
  const MAX_PAUSE_MS = 30000;
  // What only a person can change: version, password, session ended in OBS.
  const FINAL = [4009, 4010, 4011];

  const PLAIN = {
    start_stream: "StartStream",
    stop_stream: "StopStream",
    start_record: "StartRecord",
    stop_record: "StopRecord",
  };

  const field = (id) => document.getElementById(id);
  const executed = new Set();

  let attached = null;
  let timer = null;
  let pause = INITIAL_PAUSE_MS;
  // Milliseconds by which the clock of the server is ahead.
  let ahead = 0;
  let last = Promise.resolve();

  function report(kind, text) {
    const state = field("obs-state");
    state.dataset.state = kind;
    state.textContent = text;
  }

  const within = (promise, milliseconds) => {
    let late;
    const timeout = new Promise((_resolve, reject) => {
      late = setTimeout(() => reject(new Error("OBS does not answer")), milliseconds);
    });
    return Promise.race([promise, timeout]).finally(() => clearTimeout(late));
  };

  async function hash(text) {
    const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    return btoa(String.fromCharCode(...new Uint8Array(bytes)));
  }

  async function identification(hello, password) {
    const data = { rpcVersion: RPC_VERSION, eventSubscriptions: 0 };
    if (hello.authentication) {
      const secret = await hash(password + hello.authentication.salt);
      data.authentication = await hash(secret + hello.authentication.challenge);
    }
    return { op: 1, d: data };
  }

  // An identified session; rejected with the reason when OBS refuses it.
  function connect({ port, password }) {
    const socket = new WebSocket("ws:" + `//127.0.0.1:${port}`);
    const waiting = new Map();
    const session = { socket, isOpen: false, code: null };
    session.request = (requestType, requestData) => {
      const requestId = crypto.randomUUID();
      const answered = new Promise((resolve, reject) => waiting.set(requestId, { resolve, reject }));
      socket.send(JSON.stringify({ op: 6, d: { requestType, requestId, requestData } }));
      return within(answered, REQUEST_TIMEOUT_MS).finally(() => waiting.delete(requestId));
    };
    const identified = new Promise((resolve, reject) => {
      socket.addEventListener("message", async ({ data }) => {
        try {
          const { op, d } = JSON.parse(data);
          if (op === 0) socket.send(JSON.stringify(await identification(d, password)));
          if (op === 2) {
            session.isOpen = true;
            resolve(session);
          }
          if (op === 7) answer(waiting.get(d.requestId), d);
        } catch {
          socket.close();
        }
      });
      socket.addEventListener("close", ({ code, reason }) => {
        session.isOpen = false;
        const ended = new Error(reason || `OBS closed the connection (${code})`);
        ended.code = code;
        reject(ended);
        waiting.forEach((request) => request.reject(ended));
      });
    });
    return within(identified, HANDSHAKE_TIMEOUT_MS).catch((error) => {
      socket.close();
      throw error;
    });
  }

  function answer(request, { requestStatus, responseData }) {
    if (requestStatus.result) request?.resolve(responseData ?? {});
    else request?.reject(new Error(requestStatus.comment ?? `OBS refuses it with status ${requestStatus.code}`));
  }

  async function perform({ command, scene, source, visible }) {
    if (command === "test") {
      const session = await connect(attached.settings);
      session.socket.close();
      return;
    }
    const { session } = attached;
    if (!session?.isOpen) throw new Error("OBS is not connected");
    if (command === "set_scene") await session.request("SetCurrentProgramScene", { sceneName: scene });
    else if (command === "set_source") {
      const found = await session.request("GetSceneItemId", { sceneName: scene, sourceName: source });
      const item = { sceneName: scene, sceneItemId: found.sceneItemId, sceneItemEnabled: visible };
      await session.request("SetSceneItemEnabled", item);
    } else if (Object.hasOwn(PLAIN, command)) await session.request(PLAIN[command]);
    else throw new Error("The command is unknown");
  }

  // Commands run in their order, each at most once and none that is old.
  function take(command, channel) {
    const own = attached;
    if (!own || channel !== own.channel || executed.has(command.command_id)) return;
    executed.add(command.command_id);
    if (executed.size > MAX_REMEMBERED) executed.delete(executed.values().next().value);
    // A command without a time is old.
    const isOld = () => !(Date.now() + ahead - Date.parse(command.issued_at) <= MAX_AGE_MS);
    last = last.then(async () => {
      if (own !== attached) return;
      if (isOld()) {
        report("failed", `${command.command}: too old`);
        return;
      }
      try {
        await perform(command);
        report("open", `${command.command}: done`);
      } catch (error) {
        report("failed", `${command.command}: ${error.message}`);
      }
    });
  }

  async function open(own) {
    report("opening", "Connecting to OBS");
    try {
      const session = await connect(own.settings);
      if (own !== attached) {
        session.socket.close();
        return;
      }
      own.session = session;
      pause = INITIAL_PAUSE_MS;
      report("open", "Connected to OBS");
      session.socket.addEventListener("close", ({ code }) => again(own, code, `OBS closed the connection (${code})`));
    } catch (error) {
      again(own, error.code, error.message);
    }
  }

  function again(own, code, reason) {
    if (own !== attached) return;
    own.session = null;
    if (FINAL.includes(code)) {
      report("failed", reason);
      return;
    }
    report("failed", `${reason}; trying again`);
    timer = setTimeout(() => open(own), pause * (0.5 + Math.random() / 2));
    pause = Math.min(pause * 2, MAX_PAUSE_MS);
  }

  function detach() {
    clearTimeout(timer);
    const own = attached;
    attached = null;
    own?.session?.socket.close();
    report("closed", "Not attached to OBS");
  }

  document.addEventListener("lumio:frame", ({ detail: frame }) => {
    if (frame.type === "connected" && frame.server_time) ahead = Date.parse(frame.server_time) - Date.now();
    if (frame.type === "event" && frame.event_type === "obs:command") take(frame.data, frame.channel);
  });
  // An OBS stays attached for one channel only.
  field("connect").addEventListener("submit", detach);
  field("stop").addEventListener("click", detach);
  field("obs").addEventListener("submit", (event) => {
    event.preventDefault();
    detach();
    if (!wanted?.channel.startsWith("obs:")) {
      report("failed", "Listen to a channel obs:{account_id} first");
      return;
    }
    pause = INITIAL_PAUSE_MS;
    const settings = { port: field("obs-port").valueAsNumber, password: field("obs-password").value };
    attached = { channel: wanted.channel, settings, session: null };
    open(attached);
  });
  field("obs-detach").addEventListener("click", detach);
}
