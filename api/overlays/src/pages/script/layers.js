// The layers of the stage: mounts, moves and removes them as the list of the server changes.

/** Id → layer. */
const layers = new Map();

/** Shows exactly these layers. `isAfresh`: events were lost, so layers that listen to some begin again. */
function showLayers(given, isAfresh = false) {
  const wanted = new Set(given.map(({ id }) => id));
  for (const [id, layer] of layers) {
    if (!wanted.has(id) || (isAfresh && (layer.listeners.size > 0 || layer.given.sandboxed))) removeLayer(id);
  }
  workNext(given.map((layer) => () => showLayer(layer)));
}

/** Shows one layer, as it is now. */
function showLayer(given) {
  const present = layers.get(given.id);
  if (present?.signature === signatureOf(given)) {
    present.place(given);
    return;
  }
  removeLayer(given.id);
  const layer = new Layer(given);
  layers.set(given.id, layer);
  layer.place(given);
  document.getElementById('stage').append(layer.element);
  // What is broken in one layer stays in it.
  mountLayer(layer).catch((error) => console.warn(`the layer ${given.id} failed`, error));
}

function removeLayer(id) {
  layers.get(id)?.remove();
  layers.delete(id);
}

function removeLayers() {
  for (const id of [...layers.keys()]) removeLayer(id);
}

async function mountLayer(layer) {
  const { given } = layer;
  try {
    await assetsReady(assetsIn(given.config));
    if (given.sandboxed) {
      layer.script = await readScript(layer);
      await nextPart(layer, () => mountFrame(layer));
    } else if (given.type === 'video') await nextPart(layer, () => mountVideo(layer));
    else if (given.script) {
      const script = await import(reachable(given.script));
      await nextPart(layer, () => mountScript(layer, script));
    }
  } finally {
    // A frame reports for itself that it is mounted.
    if (!given.sandboxed || layer.script === undefined) layer.finishLoading();
  }
}

/** Runs one part for a layer that is still there. */
function nextPart(layer, part) {
  return new Promise((resolve, reject) => {
    work(() => {
      try {
        resolve(layer.isRemoved ? undefined : part());
      } catch (error) {
        reject(error);
      }
    });
  });
}

function mountScript(layer, script) {
  const root = document.createElement('div');
  root.className = 'root';
  layer.element.append(root);
  const unmount = script.mount(root, layer.lumio);
  if (typeof unmount === 'function') layer.ends.push(unmount);
}

/** Updates storage and visibility of single layers. */
function changeStorage({ install_id, value, version }) {
  for (const layer of layers.values()) if (layer.given.install?.id === install_id) layer.takeStorage(value, version);
}
