// Lists the latest events, the newest on top.

import { between, element, kindOf, listen, stage, valuesOf } from './assets/parts.js';

export const events = ['event:new'];

export function mount(root, lumio) {
  const { config } = lumio;
  const { place, clear } = stage(root, 'event-list', {
    size: `${between(config.font_size, 8, 96, 20)}px`,
    color: config.text_color,
    background: config.background_color,
  });
  const most = between(config.max_events, 1, 50, 8);
  const end = listen(lumio, {
    'event:new': (event) => {
      const kind = kindOf(event);
      if (!kind || config[`show_${kind}s`] === false) return;
      place.prepend(rowOf(kind, valuesOf(event)));
      while (place.childElementCount > most) place.lastElementChild.remove();
    },
  });
  return () => {
    end();
    clear();
  };
}

function rowOf(kind, { user, amount }) {
  const row = element('p', 'event');
  row.dataset.kind = kind;
  row.append(element('span', 'user', user), element('span', 'kind', kind));
  if (amount) row.append(element('span', 'amount', amount));
  return row;
}
