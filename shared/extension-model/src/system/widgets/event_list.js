// Lists the latest events, the newest on top.

import { between, element, kindOf, listenToEvents, stage, valuesOf } from './assets/parts.js';

export const events = ['event:new', 'event:test'];

export function mount(root, lumio) {
  const { config } = lumio;
  const { place, clear } = stage(root, 'event-list', {
    size: `${between(config.font_size, 8, 96, 20)}px`,
    color: config.text_color,
    background: config.background_color,
  });
  const most = between(config.max_events, 1, 50, 8);
  const end = listenToEvents(lumio, (event) => {
    const kind = kindOf(event);
    if (!kind || config[`show_${kind}s`] === false) return;
    place.prepend(rowOf(kind, event));
    while (place.childElementCount > most) place.lastElementChild.remove();
  });
  return () => {
    end();
    clear();
  };
}

function rowOf(kind, event) {
  const { user, amount } = valuesOf(event);
  const row = element('p', 'event');
  row.dataset.kind = kind;
  if (event.is_test) row.dataset.test = 'true';
  row.append(element('span', 'user', user), element('span', 'kind', kind));
  if (amount) row.append(element('span', 'amount', amount));
  return row;
}
