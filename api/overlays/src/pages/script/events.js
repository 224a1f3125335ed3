// Events of the channel: each once, to the layers that listen to its type.

const MAX_SEEN = 2000;
const MAX_RECENT = 50;

/** Ids of the latest events, oldest first. */
const seen = new Set();
/** Type → layers that listen to it. */
const listening = new Map();
/** Latest events of `event:new`, newest last. */
let recent = [];
/** What layers read when they begin. */
const state = { nowPlaying: null, emotes: {}, storages: {}, bundleTokens: {} };

/** Storage of an install as the state brought it. */
const storageOf = (install) => state.storages[install?.id];

/** True the first time. */
function isNew(id) {
  if (id === undefined || id === null) return true;
  if (seen.has(id)) return false;
  seen.add(id);
  if (seen.size > MAX_SEEN) seen.delete(seen.values().next().value);
  return true;
}

/** Gives an event to the layers; those that are not mounted yet get it then. */
function publishEvent(type, data, meta) {
  if (data !== null && typeof data === 'object') frameTimes.set(data, Date.parse(meta.timestamp));
  if (type === 'event:new') {
    recent.push(data);
    if (recent.length > MAX_RECENT) recent.shift();
  }
  if (type === 'spotify:track') state.nowPlaying = data;
  for (const layer of loadingLayers) layer.keep(type, data, meta);
  for (const layer of listening.get(type) ?? []) layer.receive(type, data, meta);
}

function addListening(type, layer) {
  if (!listening.has(type)) listening.set(type, new Set());
  listening.get(type).add(layer);
}

function removeListening(type, layer) {
  const layers = listening.get(type);
  layers?.delete(layer);
  if (layers?.size === 0) listening.delete(type);
}
