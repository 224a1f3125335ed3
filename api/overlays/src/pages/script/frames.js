// Layers with code of third parties: each in a frame of opaque origin without a network, in a frame that lets it navigate
// nowhere. All that it reaches of the page is one port with bounded messages.

const MAX_MESSAGES_PER_SECOND = 100;
/** So many in one second end the layer, or more than the bound in so many seconds one after the other. */
const MAX_FLOOD_MESSAGES = 2000;
const MAX_FLOOD_SECONDS = 5;
const MAX_MESSAGE_LENGTH = 64 * 1024;
const MAX_LISTENED_TYPES = 32;
const MAX_FRAME_SOUNDS = 16;
const EVENT_TYPE = /^[a-z]+:[a-z_:]{1,60}$/;

/** Frame of code → its layer. */
const frames = new Map();

/** Script of a frame, or null. A frame has no token, so the page reads the script of a bundle that is not public. */
async function readScript({ given: { script, install } }) {
  if (script === null) return null;
  const token = state.bundleTokens[install?.id];
  if (token === undefined) return reachable(script);
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(reachable(script), { headers, credentials: 'omit', referrerPolicy: 'no-referrer' });
  if (!response.ok) throw new Error(`its script cannot be read: ${response.status}`);
  return new Blob([await response.blob()], { type: 'text/javascript' });
}

function mountFrame(layer) {
  const cage = document.createElement('iframe');
  cage.className = 'cage';
  cage.setAttribute('sandbox', 'allow-scripts');
  cage.referrerPolicy = 'no-referrer';
  cage.srcdoc = cageDocument(layer.given);
  const { port1: port, port2 } = new MessageChannel();
  const bound = { second: 0, count: 0, flooded: 0 };
  const sounds = new Map();
  port.onmessage = ({ data }) => {
    if (!isWithinBound(layer, bound)) return;
    if (typeof data !== 'string' || data.length > MAX_MESSAGE_LENGTH) return;
    guarded('a message of a layer', () => takeMessage(layer, port, sounds, JSON.parse(data)));
  };
  let frame = null;
  cage.onload = () => {
    frame = cage.contentWindow[0];
    cage.onload = null;
    frames.set(frame, { layer, bound });
    frame.postMessage('lumio', '*', [port2]);
    port.postMessage(['mount', beginningOf(layer)]);
    // Changes come after the beginning.
    layer.onResize = () => port.postMessage(['size', layer.size]);
    layer.storageListeners.add((value) => port.postMessage(['storage', value]));
    layer.publishSettings = () => {
      port.postMessage(['alerts', alerts]);
      port.postMessage(['overlay', pageOverlay]);
    };
    layer.publishAssets = () => port.postMessage(['assets', frameAssets(layer)]);
  };
  layer.ends.push(() => {
    frames.delete(frame);
    port.onmessage = null;
    port.close();
    cage.remove();
    for (const sound of sounds.values()) sound.stop();
  });
  layer.element.append(cage);
}

/** What the code in the frame begins with. */
function beginningOf(layer) {
  const { config, type } = layer.given;
  const { html, css, js } = config;
  return {
    script: layer.script,
    custom: type === 'custom_html' ? { html, css, js } : null,
    config,
    size: layer.size,
    alerts,
    overlay: pageOverlay,
    recent: layer.recent,
    nowPlaying: state.nowPlaying,
    emotes: state.emotes,
    storage: layer.storage.value,
    assets: frameAssets(layer),
    offset: clockOffset,
  };
}

/** Files of a layer: kept ones themselves, because a frame of opaque origin cannot read addresses of this page. */
function frameAssets(layer) {
  const found = {};
  for (const id of assetsIn(layer.given.config)) {
    const { blob, address } = assets.get(id);
    found[id] = blob ?? address;
  }
  return found;
}

/** Publishes changes that concern every frame. */
function updateFrames() {
  for (const layer of layers.values()) {
    layer.publishSettings?.();
    layer.publishAssets?.();
  }
}

function takeMessage(layer, port, sounds, message) {
  const [verb, ...values] = Array.isArray(message) ? message : [];
  if (verb === 'listen') listenForFrame(layer, port, values[0]);
  if (verb === 'mounted') layer.finishLoading();
  if (verb === 'failed') console.warn(`the layer ${layer.given.id} failed`, String(values[0]).slice(0, 500));
  if (verb === 'play') playForFrame(sounds, ...values);
  if (verb === 'stop') {
    sounds.get(values[0])?.stop();
    sounds.delete(values[0]);
  }
}

function listenForFrame(layer, port, type) {
  if (typeof type !== 'string' || !EVENT_TYPE.test(type)) return;
  if (layer.listeners.has(type) || layer.listeners.size >= MAX_LISTENED_TYPES) return;
  layer.on(type, (data, meta) => port.postMessage(['event', type, data, meta]));
}

/** A frame plays its files and files of the API: an address of elsewhere would carry what it knows away. */
function playForFrame(sounds, number, source, volume) {
  const address = assetAddress(source) ?? ownFile(source);
  if (address === null || typeof number !== 'number') return;
  if (sounds.size >= MAX_FRAME_SOUNDS) {
    const [oldest, sound] = sounds.entries().next().value;
    sound.stop();
    sounds.delete(oldest);
  }
  sounds.set(number, playSound(address, volume));
}

function ownFile(address) {
  if (typeof address !== 'string' || !URL.canParse(address)) return null;
  const url = new URL(address);
  if (url.origin !== location.origin && url.origin !== BUNDLE_ORIGIN) return null;
  return /^\/v1\/(media|extension-bundles)\//.test(url.pathname) ? url.href : null;
}

/** Counts a message; a layer that floods is removed. */
function isWithinBound(layer, bound) {
  const second = Math.floor(performance.now() / 1000);
  if (second !== bound.second) {
    const isNext = second === bound.second + 1;
    bound.flooded = isNext && bound.count > MAX_MESSAGES_PER_SECOND ? bound.flooded + 1 : 0;
    Object.assign(bound, { second, count: 0 });
  }
  bound.count += 1;
  if (bound.count > MAX_FLOOD_MESSAGES || bound.flooded >= MAX_FLOOD_SECONDS) endFlood(layer);
  return bound.count <= MAX_MESSAGES_PER_SECOND && !layer.isStopped;
}

function endFlood(layer) {
  if (layer.isStopped || layer.isRemoved) return;
  layer.isStopped = true;
  loadingLayers.delete(layer);
  for (const end of layer.ends.splice(0)) end();
  const note = document.createElement('p');
  note.className = 'note';
  note.textContent = 'This layer was stopped: it sends too many messages.';
  layer.element.append(note);
}

// Messages past the port have no effect, but they count.
addEventListener('message', (event) => {
  const known = event.source && frames.get(event.source);
  if (known) isWithinBound(known.layer, known.bound);
});
