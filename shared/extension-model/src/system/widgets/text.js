// Shows a text, line breaks and all. Names in braces are replaced by what the page knows.

import { kindsOf, valuesOf } from './assets/events.js';
import { between, colors, element, fill, listenToEvents, now, oneOf, stage } from './assets/parts.js';

export const events = ['event:new', 'event:test', 'spotify:track'];

const TICK_MS = 1000;

export function mount(root, lumio) {
  const { config } = lumio;
  const shades = colors(config, '#00000000');
  const { place, clear } = stage(root, 'text', {
    color: shades.color,
    outline: shades.outline,
    background: shades.background,
    size: `${between(config.font_size, 8, 300, 32)}px`,
    weight: config.bold ? 700 : 400,
    align: ['center', 'right'].includes(config.align) ? config.align : 'left',
    run: `${between(config.scroll_secs, 2, 300, 15)}s`,
  });
  place.dataset.valign = oneOf(config.vertical_align, ['top', 'center', 'bottom']);
  const shown = element('p', ['text', config.scroll && 'runs', config.outline !== false && 'outlined'].filter(Boolean).join(' '));
  place.append(shown);
  const template = String(config.text ?? '');
  const known = starting(String(config.empty_text ?? '–'));

  function write() {
    const at = new Date(now(lumio));
    const text = fill(template, {
      ...known,
      time: at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }),
      date: at.toLocaleDateString(),
    });
    if (shown.textContent !== text) shown.textContent = text;
  }

  for (const event of lumio.recent ?? []) note(known, event);
  if (lumio.now_playing) play(known, lumio.now_playing);
  write();
  const end = listenToEvents(
    lumio,
    (event) => {
      note(known, event);
      if (!event.is_test) count(known, event);
      write();
    },
    {
      'spotify:track': (track) => {
        play(known, track);
        write();
      },
    },
  );
  const timer = /\{(time|date)\}/.test(template) ? setInterval(write, TICK_MS) : null;
  return () => {
    end();
    clearInterval(timer);
    clear();
  };
}

function starting(empty) {
  const last = ['last_follower', 'last_subscriber', 'last_gifter', 'last_tip', 'last_tipper', 'last_cheer', 'last_cheerer', 'last_raid', 'last_raider'];
  return {
    ...Object.fromEntries(last.map((name) => [name, empty])),
    song: empty,
    artist: empty,
    followers: 0,
    subscribers: 0,
    gifts: 0,
    cheers: 0,
    raids: 0,
    tips: 0,
  };
}

/** Remembers who caused the latest event of its kind. */
function note(known, event) {
  const { user, amount } = valuesOf(event);
  switch (kindsOf(event).at(-1)) {
    case 'follow':
      known.last_follower = user;
      break;
    case 'subscription':
      known.last_subscriber = user;
      break;
    case 'gift':
      known.last_gifter = user;
      break;
    case 'cheer':
      [known.last_cheerer, known.last_cheer] = [user, `${user} (${amount})`];
      break;
    case 'raid':
      [known.last_raider, known.last_raid] = [user, `${user} (${amount})`];
      break;
    case 'tip':
      [known.last_tipper, known.last_tip] = [user, `${user} (${amount})`];
      break;
  }
}

/** Counts events since the layer is shown. */
function count(known, event) {
  const name = { follow: 'followers', subscription: 'subscribers', gift: 'gifts', cheer: 'cheers', raid: 'raids', tip: 'tips' };
  const kind = kindsOf(event).at(-1);
  if (!Object.hasOwn(name, kind ?? '')) return;
  known[name[kind]] += kind === 'cheer' ? (event.amount ?? 0) : kind === 'gift' ? valuesOf(event).count : 1;
}

function play(known, track) {
  known.song = track?.title ?? '';
  known.artist = Array.isArray(track?.artist) ? track.artist.join(', ') : (track?.artist ?? '');
}
