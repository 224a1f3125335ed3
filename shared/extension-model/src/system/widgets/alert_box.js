// Announces events one after the other. What comes in a storm waits, up to a bound.

import { appendText } from './assets/emotes.js';
import { kindsOf, phraseOf, shapeOf, sizeOf, valuesOf } from './assets/events.js';
import {
  LEAVE_MS, appendFilled, between, colors, drawing, element, listenToEvents, media, oneOf, picture, play, stage,
} from './assets/parts.js';

export const events = ['event:new', 'event:test'];

/** Alerts that wait; beyond it the newest are dropped, so that a raid storm ends some day. */
const MAX_WAITING = 100;
/** Age from which an event is no news; it came late, after a connection was lost. */
const MAX_AGE_MS = 60_000;
const MAX_VARIATIONS = 20;
const MAX_MESSAGE_LENGTH = 500;
const COUNTED = ['cheer', 'raid', 'tip'];
const ANIMATIONS = ['slide', 'pop', 'fade', 'bounce', 'zoom', 'flip', 'rush', 'drop', 'none'];
/** Texts of the manifest that have better words where an event says more. */
const REFINED = {
  '{user} subscribed': {
    resub: ({ months }) => (months > 1 ? '{user} subscribed for {months} months' : null),
    member: () => '{user} became a member',
  },
  '{user} gifted a subscription': {
    gift: ({ count, recipient }) =>
      (count > 1 && '{user} gifted {count} subscriptions') || (recipient && '{user} gifted {recipient} a subscription'),
  },
};

export function mount(root, lumio) {
  const { config } = lumio;
  const { place, clear } = stage(root, 'alert-box', {
    ...colors(config),
    size: `${between(config.font_size, 8, 160, 40)}px`,
  });
  place.dataset.layout = oneOf(config.layout, ['stacked', 'side']);
  place.dataset.position = oneOf(config.position, ['center', 'top', 'bottom']);
  const gap = between(config.gap_secs, 0, 60, 0) * 1000;
  const waiting = [];
  let timer = null;
  let silence = () => {};

  function take(event, meta) {
    if (meta?.age_ms > MAX_AGE_MS || lumio.isOld?.(event) === true) return;
    const alert = alertFor(event, config);
    if (alert === null || waiting.length >= MAX_WAITING) return;
    waiting.push(alert);
    if (timer === null) next();
  }

  function next() {
    const alert = waiting.shift();
    if (alert === undefined) {
      timer = null;
      return;
    }
    const shown = draw(alert, lumio);
    place.replaceChildren(shown);
    silence();
    silence = sound(alert, lumio);
    timer = setTimeout(() => {
      shown.classList.add('leaving');
      timer = setTimeout(() => {
        place.replaceChildren();
        timer = setTimeout(next, gap);
      }, LEAVE_MS);
    }, alert.seconds * 1000);
  }

  const end = listenToEvents(lumio, take);
  return () => {
    end();
    clearTimeout(timer);
    silence();
    waiting.length = 0;
    clear();
  };
}

/** The alert of an automation, with its own title, text and duration. */
function ownAlert(event, config) {
  const { title, message, duration_secs: seconds } = event.data ?? {};
  return {
    event,
    kind: 'alert',
    values: { title: title ?? '', message: message ?? '' },
    template: '{title}',
    varied: false,
    image: config.image,
    sound: config.sound,
    animation: oneOf(undefined, ANIMATIONS),
    seconds: between(seconds ?? config.duration_secs, 1, 60, 6),
  };
}

/** The alert that the settings give an event, or null. */
function alertFor(event, config) {
  if (event.event_type === 'custom:alert' && event.data?.title) return ownAlert(event, config);
  const kinds = kindsOf(event);
  const [kind] = kinds;
  if (kind === undefined || config[`${kind}_on`] === false) return null;
  if (COUNTED.includes(kinds.at(-1)) && (event.amount ?? 0) < between(config.min_amount, 0, Infinity, 0)) return null;
  const values = valuesOf(event);
  const variation = variationOf(config[`${kind}_variations`], sizeOf(event));
  const template = variation.text || textOf(kinds, config, values);
  if (!template) return null;
  const setting = (name) => variation[name] || kinds.map((kind) => config[`${kind}_${name}`]).find(Boolean);
  return {
    event,
    kind,
    values,
    template,
    varied: variation.threshold !== undefined,
    image: setting('image') || config.image,
    sound: setting('sound') || config.sound,
    animation: oneOf(setting('animation'), ANIMATIONS),
    seconds: between(setting('secs') || config.duration_secs, 1, 60, 6),
  };
}

/** The template of a kind, else that of the wider kind. */
function textOf(kinds, config, values) {
  for (const kind of kinds) {
    const text = config[`${kind}_text`];
    if (text) return REFINED[text]?.[kinds[0]]?.(values) || text;
  }
  return null;
}

/**
 * The variation with the greatest threshold that an amount reaches. A variation is a line such as
 * `1000: {user} cheered {amount}!! | sound | image | animation=zoom | secs=12`; a line that is none is skipped.
 */
function variationOf(lines, amount) {
  let best = {};
  for (const line of (Array.isArray(lines) ? lines : []).slice(0, MAX_VARIATIONS)) {
    const [, threshold, rest] = /^\s*(\d+(?:\.\d+)?)\s*:(.*)$/s.exec(line) ?? [];
    if (threshold === undefined || Number(threshold) > amount || Number(threshold) < (best.threshold ?? 0)) continue;
    const [text, ...parts] = rest.split('|').map((part) => part.trim());
    best = { threshold: Number(threshold), text };
    const media = ['sound', 'image'];
    for (const part of parts) {
      const [, name, value] = /^(animation|secs)\s*=\s*(.+)$/.exec(part) ?? [];
      best[name ?? media.shift() ?? 'other'] = value ?? part;
    }
  }
  return best;
}

function draw({ event, kind, values, template, varied, image, animation }, lumio) {
  const { config } = lumio;
  const alert = element('section', `alert panel in-${animation}`);
  alert.dataset.kind = kind;
  if (varied) alert.dataset.varied = 'true';
  if (event.is_test) alert.dataset.test = 'true';
  const url = media(lumio, image);
  if (url !== null) {
    const shown = picture('picture', url);
    shown.onerror = () => shown.remove();
    alert.append(shown);
  } else if (config.show_icon !== false) {
    const art = element('span', 'art');
    art.title = phraseOf(kind);
    art.append(drawing('icon', shapeOf(kind)));
    alert.append(art);
  }
  const words = alert.appendChild(element('div', 'words'));
  words.append(appendFilled(element('p', 'headline'), template, values));
  if (config.show_message && values.message) {
    const message = String(values.message).slice(0, MAX_MESSAGE_LENGTH);
    const place = words.appendChild(element('p', 'message'));
    appendText(place, message, lumio.emotes);
  }
  alert.style.setProperty('--fit', fitOf(words));
  return alert;
}

/** Part of the usual size at which the words of an alert stay within a low box. */
function fitOf(words) {
  const [headline, message] = [...words.children].map((text) => text.textContent.length);
  const lines = Math.ceil(headline / 22) + Math.min(3, Math.ceil((message ?? 0) / 40)) * 0.75;
  return Math.min(1, 4 / (lines + 1.6)).toFixed(2);
}

/** Plays the sound of an alert; returns the function that stops it. */
function sound(alert, lumio) {
  const url = media(lumio, alert.sound);
  return url === null ? () => {} : play(lumio, url, between(lumio.config.volume, 0, 100, 60) / 100);
}
