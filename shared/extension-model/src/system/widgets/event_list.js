// Lists the latest events, the newest on top.

import { appendText } from './assets/emotes.js';
import { kindsOf, phraseOf, shapeOf, valuesOf } from './assets/events.js';
import { between, colors, drawing, element, listenToEvents, now, oneOf, stage } from './assets/parts.js';

export const events = ['event:new', 'event:test'];

const TICK_MS = 30_000;
const MAX_MESSAGE_LENGTH = 200;

export function mount(root, lumio) {
  const { config } = lumio;
  const { place, clear } = stage(root, 'event-list', {
    ...colors(config),
    size: `${between(config.font_size, 8, 96, 20)}px`,
  });
  place.dataset.direction = oneOf(config.direction, ['down', 'up']);
  const max = between(config.max_events, 1, 50, 8);
  const seen = new Set();

  function add(event) {
    const kinds = kindsOf(event);
    const shown = config[`show_${kinds.at(-1)}s`] ?? kinds.at(-1) !== 'reward';
    if (kinds.length === 0 || !shown || seen.has(event.id)) return null;
    const row = rowOf(kinds[0], event, lumio);
    place.prepend(row);
    if (event.id) seen.add(event.id);
    while (place.childElementCount > max) {
      seen.delete(place.lastElementChild.dataset.event);
      place.lastElementChild.remove();
    }
    return row;
  }

  for (const event of lumio.recent ?? []) add(event);
  const end = listenToEvents(lumio, (event) => add(event)?.classList.add('new'));
  const timer = config.show_time === false ? null : setInterval(() => {
    for (const row of place.children) write(row, lumio);
  }, TICK_MS);
  return () => {
    end();
    clearInterval(timer);
    clear();
  };
}

function rowOf(kind, event, lumio) {
  const { config } = lumio;
  const values = valuesOf(event);
  const row = element('div', 'event panel');
  row.dataset.kind = kind;
  if (event.id) row.dataset.event = event.id;
  if (event.is_test) row.dataset.test = 'true';
  if (config.show_icons !== false) {
    const art = row.appendChild(element('span', 'art'));
    art.append(drawing('icon', shapeOf(kind)));
  }
  const words = row.appendChild(element('div', 'words'));
  const line = words.appendChild(element('p', 'what'));
  line.append(element('span', 'user', values.user), element('span', 'kind', phrase(kind, values)));
  if (config.show_messages && values.message) {
    appendText(words.appendChild(element('p', 'message')), String(values.message).slice(0, MAX_MESSAGE_LENGTH), lumio.emotes);
  }
  if (values.amount) row.append(element('span', 'amount', values.amount));
  const at = Date.parse(event.occurred_at ?? '');
  if (config.show_time !== false && !Number.isNaN(at)) {
    row.dataset.at = at;
    row.append(element('span', 'time'));
    write(row, lumio);
  }
  return row;
}

function phrase(kind, { months, count, recipient, reward }) {
  if (kind === 'resub' && months > 1) return `${phraseOf(kind)} (${months} months)`;
  if (kind === 'gift') return count > 1 ? `gifted ${count} subscriptions` : `gifted ${recipient || 'a subscription'}`;
  if (kind === 'reward' && reward) return `redeemed ${reward}`;
  return phraseOf(kind);
}

/** Writes how long ago the event of a row was. */
function write(row, lumio) {
  const shown = row.querySelector('.time');
  if (shown === null) return;
  const minutes = Math.max(0, Math.floor((now(lumio) - Number(row.dataset.at)) / 60_000));
  const text = minutes < 1 ? 'now' : minutes < 60 ? `${minutes}m` : minutes < 1440 ? `${Math.floor(minutes / 60)}h` : `${Math.floor(minutes / 1440)}d`;
  if (shown.textContent !== text) shown.textContent = text;
}
