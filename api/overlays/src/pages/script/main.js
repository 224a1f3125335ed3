// The page: what arrives, and what is done with it.

const shown = { id: null, width: 0, height: 0 };
/** The shown overlay, as it is now; layers read it at use. A widget is never the default. */
const pageOverlay = { is_default: false };

/** Fits the stage into the window; a browser source of its size shows it pixel by pixel. */
function fitStage() {
  const stage = document.getElementById('stage');
  const scale = Math.min(innerWidth / shown.width, innerHeight / shown.height);
  stage.style.transform = Number.isFinite(scale) && scale !== 1 ? `scale(${scale})` : '';
}

function showStage({ id, width, height, background, is_default: isDefault }) {
  Object.assign(shown, { id, width, height });
  const { style } = document.getElementById('stage');
  style.width = `${width}px`;
  style.height = `${height}px`;
  style.background = background ?? 'transparent';
  pageOverlay.is_default = isDefault === true;
  document.documentElement.dataset.default = pageOverlay.is_default;
  fitStage();
}

function showSnapshot(data, isAfresh) {
  hideMessage();
  showStage(data.overlay ?? data.widget);
  setAlerts(data.alerts);
  Object.assign(state, { nowPlaying: data.now_playing ?? null, emotes: data.emotes ?? {} });
  takeInstalls(data);
  recent = (data.recent_events ?? []).slice(-MAX_RECENT);
  takeAssets(data.assets ?? {});
  showLayers(data.layers ?? [], isAfresh);
  updateFrames();
}

/** Takes what belongs to installs: storages, and the tokens for bundles that are not public. */
function takeInstalls({ storages, bundle_tokens: bundleTokens }) {
  Object.assign(state, { storages: storages ?? {}, bundleTokens: bundleTokens ?? {} });
}

const CHANGES = {
  'overlay:updated': ({ overlay }) => {
    if (!overlay) return;
    showStage(overlay);
    updateFrames();
  },
  'overlay:layers_updated': (data) => {
    takeInstalls(data);
    takeAssets(data.assets ?? {});
    showLayers(data.layers);
    updateFrames();
  },
  'layer:visibility': (data) => {
    takeInstalls(data);
    takeAssets(data.assets ?? {});
    if (data.visible && data.layer) showLayer(data.layer);
    else removeLayer(data.layer_id);
  },
  'widget:updated': (data) => showSnapshot(data, false),
  'ext:storage': changeStorage,
};

function takeEvent(type, data, meta) {
  if (Object.hasOwn(CHANGES, type)) CHANGES[type](data);
  if (type === 'sound:play' || type === 'sound:stop') hearSound(type, data, meta, shown.id);
  publishEvent(type, data, meta);
}

function stopPage(message) {
  removeLayers();
  stopSounds();
  takeAssets({});
  document.getElementById('stage').style.background = '';
  showMessage(message);
}

function start() {
  const address = readAddress();
  if (!address.token) {
    showMessage('token');
    return;
  }
  addEventListener('resize', fitStage);
  const connection = new Connection(address, {
    snapshot: showSnapshot,
    event: takeEvent,
    mayDrop: (type) => type !== undefined && !type.endsWith(':snapshot') && !Object.hasOwn(CHANGES, type),
    stopped: stopPage,
    unreachable: () => showMessage('unreachable', true),
  });
  renewAssets = () => connection.subscribe();
}

start();
