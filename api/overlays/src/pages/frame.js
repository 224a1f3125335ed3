// Runs first in the frame of a layer: takes away what would reach the network past the policy, and gives the layer the
// same `lumio` that layers of the page get, over a port.
(() => {
  'use strict';
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCDataChannel', 'RTCIceTransport', 'open']) {
    delete globalThis[name];
  }
  const MAX_ALERT_AGE_MS = 60_000;
  const page = parent.parent;
  const root = document.getElementById('root');
  const { parse, stringify } = JSON;
  const listeners = new Map();
  const storageListeners = new Set();
  const assets = new Map();
  const state = {};
  let port = null;
  let sounds = 0;

  const send = (...message) => port.postMessage(stringify(message));
  const now = () => Date.now() + state.offset;
  const frameTimes = new WeakMap();

  function guarded(code) {
    try {
      code();
    } catch (error) {
      send('failed', String(error?.stack ?? error).slice(0, 2000));
    }
  }

  function takeAssets(given) {
    for (const [id, file] of Object.entries(given)) {
      const known = assets.get(id);
      if (typeof file === 'string') {
        if (!known?.startsWith('blob:')) assets.set(id, file);
      } else if (!known?.startsWith('blob:')) {
        assets.set(id, URL.createObjectURL(file));
      }
    }
  }

  /** The id of an address that `asset` returned, because the page cannot read those of a frame. */
  function idOf(address) {
    for (const [id, known] of assets) if (known === address) return id;
    return address;
  }

  const lumio = {
    get config() {
      return state.config;
    },
    get size() {
      return state.size;
    },
    get alerts() {
      return state.alerts;
    },
    get overlay() {
      return state.overlay;
    },
    get recent() {
      return state.recent;
    },
    get now_playing() {
      return state.nowPlaying;
    },
    get emotes() {
      return state.emotes;
    },
    on(type, listener) {
      if (!listeners.has(type)) {
        listeners.set(type, new Set());
        send('listen', type);
      }
      listeners.get(type).add(listener);
      return () => listeners.get(type).delete(listener);
    },
    asset: (id) => assets.get(id) ?? null,
    play(address, volume = 1) {
      const number = (sounds += 1);
      send('play', number, idOf(address), volume);
      return { stop: () => send('stop', number) };
    },
    storage: {
      get value() {
        return state.storage;
      },
      on(listener) {
        storageListeners.add(listener);
        return () => storageListeners.delete(listener);
      },
    },
    serverTime: now,
    isOld: (event) => now() - (frameTimes.get(event) ?? Date.parse(event?.occurred_at ?? '')) > MAX_ALERT_AGE_MS,
  };

  const VERBS = {
    mount: (beginning) => {
      const { assets: files, script, custom, ...rest } = beginning;
      Object.assign(state, rest);
      takeAssets(files);
      const mounted = custom === null ? mountScript(script) : mountCustom(custom);
      mounted.catch((error) => send('failed', String(error?.stack ?? error).slice(0, 2000))).finally(() => send('mounted'));
    },
    event: (type, data, meta) => {
      if (data !== null && typeof data === 'object') frameTimes.set(data, Date.parse(meta.timestamp));
      for (const listener of listeners.get(type) ?? []) guarded(() => listener(data, meta));
    },
    size: (size) => Object.assign(state.size, size),
    alerts: (alerts) => Object.assign(state.alerts, alerts),
    overlay: (overlay) => Object.assign(state.overlay, overlay),
    assets: takeAssets,
    storage: (value) => {
      state.storage = value;
      for (const listener of storageListeners) guarded(() => listener(value));
    },
  };

  /** A script of the document may load no code, only a script that it has made. `code` is an address or a file. */
  async function mountScript(code) {
    await run('globalThis.lumioImport = (address) => import(address);');
    const load = globalThis.lumioImport;
    delete globalThis.lumioImport;
    const script = await load(typeof code === 'string' ? code : URL.createObjectURL(code));
    script.mount(root, lumio);
  }

  /** Code in the text of `html` does not run; `js` does, with `lumio`. */
  async function mountCustom({ html, css, js }) {
    const style = document.createElement('style');
    style.textContent = String(css ?? '');
    document.head.append(style);
    root.innerHTML = String(html ?? '');
    if (!js) return;
    globalThis.lumio = lumio;
    await run(String(js));
  }

  async function run(code) {
    const script = document.createElement('script');
    script.src = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
    await new Promise((resolve, reject) => {
      script.onload = resolve;
      script.onerror = () => reject(new Error('the script does not load'));
      document.body.append(script);
    });
    URL.revokeObjectURL(script.src);
  }

  addEventListener('message', function take(event) {
    if (event.source !== page || event.data !== 'lumio') return;
    removeEventListener('message', take);
    [port] = event.ports;
    port.onmessage = ({ data: [verb, ...values] }) => VERBS[verb](...values);
  });
})();
