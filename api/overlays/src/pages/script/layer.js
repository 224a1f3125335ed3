// One layer on the stage: its place, its listeners, and the `lumio` that its script gets.

/** Events that wait for a layer that loads. */
const MAX_KEPT_EVENTS = 50;
/** Permission that an extension needs for events of a group. */
const NEEDED_PERMISSIONS = { event: 'events:read', chat: 'chat:read' };

/** Layers that are not mounted yet. */
const loadingLayers = new Set();

class Layer {
  constructor(given) {
    this.given = given;
    this.signature = signatureOf(given);
    this.element = document.createElement('div');
    this.element.className = 'layer';
    this.element.dataset.layer = given.id;
    this.element.dataset.type = given.type;
    this.size = {};
    /** Address or content of the script of a frame. */
    this.script = undefined;
    this.listeners = new Map();
    this.storageListeners = new Set();
    this.storage = { value: null, version: 0, ...storageOf(given.install) };
    this.ends = [];
    this.kept = [];
    this.recent = this.mayReceive('event:new', null) ? recent.slice() : [];
    this.isRemoved = false;
    this.onResize = () => {};
    loadingLayers.add(this);
  }

  /** Sets position, size, rotation, opacity and order. Nothing is mounted again. */
  place(given) {
    const { style } = this.element;
    style.width = `${given.width}px`;
    style.height = `${given.height}px`;
    style.transform = `translate(${given.x}px, ${given.y}px) rotate(${given.rotation}deg)`;
    style.opacity = given.opacity;
    style.zIndex = given.sort_order;
    const hasChanged = this.size.width !== given.width || this.size.height !== given.height;
    Object.assign(this.size, { width: given.width, height: given.height });
    if (hasChanged) this.onResize();
    const { value, version } = storageOf(given.install) ?? {};
    this.takeStorage(value, version);
  }

  /** Listens to a type; returns what ends it. */
  on(type, listener) {
    if (this.isRemoved) return () => {};
    if (!this.listeners.has(type)) {
      this.listeners.set(type, new Set());
      addListening(type, this);
    }
    this.listeners.get(type).add(listener);
    return () => {
      const listeners = this.listeners.get(type);
      if (!listeners?.delete(listener) || listeners.size > 0) return;
      this.listeners.delete(type);
      removeListening(type, this);
    };
  }

  /** Keeps an event until the layer is mounted. */
  keep(type, data, meta) {
    this.kept.push([type, data, meta]);
    if (this.kept.length > MAX_KEPT_EVENTS) this.kept.shift();
  }

  receive(type, data, meta) {
    if (!this.mayReceive(type, data)) return;
    for (const listener of this.listeners.get(type) ?? []) {
      guarded(`a listener of the layer ${this.given.id}`, () => listener(data, meta));
    }
  }

  /** An extension gets what was granted to it, and its own storage and pushes only. */
  mayReceive(type, data) {
    const install = this.given.install ?? null;
    const [group] = type.split(':');
    if (group === 'ext') return install !== null && data.install_id === install.id;
    const needed = NEEDED_PERMISSIONS[group];
    return install === null || needed === undefined || (install.permissions ?? []).includes(needed);
  }

  takeStorage(value, version) {
    if (version === undefined || version === null || version <= this.storage.version) return;
    Object.assign(this.storage, { value, version });
    for (const listener of this.storageListeners) guarded('a listener of a storage', () => listener(value));
  }

  /** The layer is mounted: it gets what arrived meanwhile. */
  finishLoading() {
    loadingLayers.delete(this);
    for (const [type, data, meta] of this.kept.splice(0)) if (this.listeners.has(type)) this.receive(type, data, meta);
  }

  /** Removes the layer with everything that it left. */
  remove() {
    this.isRemoved = true;
    loadingLayers.delete(this);
    for (const end of this.ends.splice(0)) guarded(`the end of the layer ${this.given.id}`, end);
    for (const type of this.listeners.keys()) removeListening(type, this);
    this.listeners.clear();
    this.storageListeners.clear();
    this.kept = [];
    this.element.remove();
  }

  /** What a script of this page gets. */
  get lumio() {
    const layer = this;
    return {
      config: this.given.config,
      size: this.size,
      alerts,
      overlay: pageOverlay,
      recent: this.recent,
      get now_playing() {
        return state.nowPlaying;
      },
      get emotes() {
        return state.emotes;
      },
      on: (type, listener) => this.on(type, listener),
      asset: assetAddress,
      play: (address, volume) => this.play(address, volume),
      serverTime,
      isOld,
      storage: {
        get value() {
          return layer.storage.value;
        },
        on(listener) {
          layer.storageListeners.add(listener);
          return () => layer.storageListeners.delete(listener);
        },
      },
    };
  }

  play(address, volume) {
    return this.isRemoved ? { stop() {} } : playSound(address, volume);
  }
}

/** What decides whether a layer is mounted again. */
function signatureOf({ id, type, script, sandboxed, install, config }) {
  return JSON.stringify([id, type, script, sandboxed, install?.id, install?.version, config]);
}
