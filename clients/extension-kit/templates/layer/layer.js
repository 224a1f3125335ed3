// Layer: a page of an overlay or a widget calls `mount` with an empty element of the size of the layer.

/** Types of events that the layer listens to. */
export const events = ['ext:push'];

/**
 * @param {HTMLElement} root
 * @param {Lumio.LayerHost} lumio
 */
export function mount(root, lumio) {
  const name = document.createElement('p');
  const count = document.createElement('p');
  root.style.color = lumio.config.color;
  root.append(name, count);
  return lumio.on('ext:push', ({ topic, payload }) => {
    if (topic !== 'followers') return;
    name.textContent = payload.name;
    count.textContent = String(payload.count);
  });
}
