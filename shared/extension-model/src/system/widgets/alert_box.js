// Announces events one after the other. What comes in a storm waits, up to a bound.

import { address, between, element, fill, kindOf, listenToEvents, stage, valuesOf } from './assets/parts.js';

export const events = ['event:new', 'event:test'];

/** Alerts that wait; beyond it the newest are dropped, so that a raid storm ends some day. */
const LONGEST_QUEUE = 50;
const COUNTED = ['cheer', 'raid', 'tip'];

export function mount(root, lumio) {
  const { config } = lumio;
  const { place, clear } = stage(root, 'alert-box', {
    size: `${between(config.font_size, 8, 160, 40)}px`,
    color: config.text_color,
    accent: config.accent_color,
  });
  const duration = between(config.duration_secs, 1, 60, 6) * 1000;
  const waiting = [];
  let timer = null;

  function take(event) {
    const kind = kindOf(event);
    const template = kind && config[`${kind}_text`];
    if (!template) return;
    if (COUNTED.includes(kind) && (event.amount ?? 0) < between(config.min_amount, 0, Infinity, 0)) return;
    if (waiting.length < LONGEST_QUEUE) waiting.push({ kind, template, event });
    if (timer === null) next();
  }

  function next() {
    place.replaceChildren();
    const alert = waiting.shift();
    if (alert === undefined) {
      timer = null;
      return;
    }
    place.append(alertOf(alert, config));
    play(config);
    timer = setTimeout(next, duration);
  }

  const end = listenToEvents(lumio, take);
  return () => {
    end();
    clearTimeout(timer);
    clear();
  };
}

function alertOf({ kind, template, event }, config) {
  const alert = element('section', 'alert');
  alert.dataset.kind = kind;
  if (event.is_test) alert.dataset.test = 'true';
  const picture = address(config.image);
  if (picture) {
    const image = element('img', 'picture');
    image.alt = '';
    image.src = picture;
    alert.append(image);
  }
  const values = valuesOf(event);
  alert.append(element('p', 'headline', fill(template, values)));
  if (config.show_message && values.message) alert.append(element('p', 'message', values.message));
  return alert;
}

function play(config) {
  const sound = address(config.sound);
  if (!sound) return;
  const audio = new Audio(sound);
  audio.volume = between(config.volume, 0, 100, 60) / 100;
  // A browser that lets no page play by itself stays silent; the alert is shown all the same.
  audio.play().catch(() => {});
}
