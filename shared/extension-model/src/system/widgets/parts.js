// What the built-in layers share. A layer exports `events`, the types of live events that it listens to, and
// `mount(root, lumio)`, which draws into `root` and returns the function that removes it. `lumio` is the page around it:
//   lumio.config            the settings with their defaults
//   lumio.on(type, listen)  calls `listen(data, meta)` for every event of a type; returns the function that ends that
// A page may also give `asset(id)`, `play(address, volume)`, `alerts`, `recent`, `emotes`, `now_playing`, `serverTime()`
// and `isOld(event)`. A layer works without each of them.
// What viewers write is only ever set as text.

const THEMES = ['glass', 'solid', 'minimal'];
const ASSET_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const SVG = 'http://www.w3.org/2000/svg';
const COLOR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i;
/** Time that an element has to leave; the style sheets animate `.leaving` for as long. */
export const LEAVE_MS = 400;

/** An element with a class and, if given, a text. */
export function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined && text !== null) made.textContent = String(text);
  return made;
}

/** A picture without a description. */
export function picture(className, url) {
  const made = element('img', className);
  made.alt = '';
  made.decoding = 'async';
  made.referrerPolicy = 'no-referrer';
  made.src = url;
  return made;
}

/** A drawing of one path on a field of 24 by 24, in the colour of the text around it. */
export function drawing(className, path) {
  const made = document.createElementNS(SVG, 'svg');
  made.setAttribute('class', className);
  made.setAttribute('viewBox', '0 0 24 24');
  made.setAttribute('aria-hidden', 'true');
  const shape = document.createElementNS(SVG, 'path');
  shape.setAttribute('d', path);
  shape.setAttribute('fill-rule', 'evenodd');
  made.append(shape);
  return made;
}

/** Prepares the place of a layer: its style sheet, and an element that carries settings as custom properties. */
export function stage(root, name, { theme, ...properties } = {}) {
  const sheet = element('link');
  sheet.rel = 'stylesheet';
  sheet.href = new URL('layer.css', import.meta.url).href;
  const place = element('div', `lumio-layer lumio-${name}`);
  if (theme !== undefined) place.dataset.theme = oneOf(theme, THEMES);
  for (const [property, value] of Object.entries(properties)) {
    if (value !== undefined && value !== null) place.style.setProperty(`--${property}`, String(value));
  }
  root.append(sheet, place);
  return {
    place,
    clear() {
      sheet.remove();
      place.remove();
    },
  };
}

/** Colours of a themed layer as properties of its stage. */
export function colors(config, background = '#0f111ad1') {
  const behind = COLOR.test(config.background_color ?? '') ? config.background_color : background;
  const text = COLOR.test(config.text_color ?? '') ? config.text_color : '#ffffff';
  const accent = COLOR.test(config.accent_color ?? '') ? config.accent_color : '#8b7bff';
  const isDark = luminance(channels(text)) < 0.3;
  return {
    theme: config.theme ?? 'glass',
    color: text,
    accent,
    'accent-text': readable(accent, isDark ? '#ffffff' : '#000000'),
    'accent-ink': luminance(channels(accent)) > 0.4 ? '#0b0c12' : '#ffffff',
    background: behind,
    backing: opaque(behind),
    outline: isDark ? '#ffffffd9' : '#000000d9',
  };
}

/** Listens to several types; returns the function that ends all of it. */
export function listen(lumio, listeners) {
  const ends = Object.entries(listeners).map(([type, listener]) => lumio.on(type, listener));
  return () => ends.forEach((end) => end());
}

/** Listens to events and to test events, which differ from them by `is_test` only. */
export function listenToEvents(lumio, listener, others = {}) {
  return listen(lumio, {
    'event:new': listener,
    'event:test': (event, meta) => listener({ ...event, is_test: true }, meta),
    ...others,
  });
}

/** A text with `{name}` replaced by the values; a name without a value stays. */
export function fill(template, values) {
  return String(template).replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(values, name) ? values[name] : whole));
}

/** Appends a filled text to an element, each value in a `span` of its own. */
export function appendFilled(place, template, values) {
  String(template).split(/(\{\w+\})/).forEach((part, index) => {
    const name = part.slice(1, -1);
    if (index % 2 === 0 || !Object.hasOwn(values, name)) place.append(part);
    else place.append(element('span', `value ${name}`, values[name]));
  });
  return place;
}

/** An address that a page may load, or null: nothing that runs, nothing that is part of the text. */
export function address(text, { secure = false } = {}) {
  if (typeof text !== 'string' || text.trim() === '') return null;
  try {
    const url = new URL(text, document.baseURI);
    const allowed = secure ? ['https:'] : ['https:', 'http:'];
    return allowed.includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** Address of a setting of type `image` or `sound`: the id of an upload or sound, or an address. */
export function media(lumio, text) {
  if (typeof text !== 'string') return null;
  const id = text.trim();
  return lumio.asset?.(id) ?? (ASSET_ID.test(id) ? null : address(id));
}

/** Plays a sound at 0 to 1 of the volume, as the page allows; returns the function that stops it. */
export function play(lumio, url, volume) {
  if (lumio.play) {
    const playing = lumio.play(url, volume);
    return () => playing?.stop?.();
  }
  if (lumio.alerts?.muted) return () => {};
  const audio = new Audio(url);
  audio.volume = volume * between(lumio.alerts?.volume, 0, 1, 1);
  // A browser that lets no page play by itself stays silent; the layer draws nevertheless.
  audio.play().catch(() => {});
  return () => audio.pause();
}

/** A number within bounds; the fallback for what is none. */
export function between(value, least, most, fallback) {
  const number = Number(value);
  const given = value !== null && value !== undefined && value !== '' && Number.isFinite(number);
  return given ? Math.min(Math.max(number, least), most) : fallback;
}

/** A value of a list, else the first of the list. */
export function oneOf(value, list) {
  return list.includes(value) ? value : list[0];
}

/** Milliseconds of the server's clock, else of this machine. */
export function now(lumio) {
  const time = lumio.serverTime?.();
  const millis = time === undefined || time === null ? Number.NaN : new Date(time).getTime();
  return Number.isNaN(millis) ? Date.now() : millis;
}

/** Hours, minutes and seconds; hours only where there are some. */
export function clock(seconds) {
  const two = (number) => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Red, green and blue of a colour, 0 to 255. */
export function channels(color) {
  const digits = color.slice(1);
  const wide = digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits;
  return [0, 2, 4].map((at) => Number.parseInt(wide.slice(at, at + 2), 16));
}

/** Relative luminance of red, green and blue, 0 to 1. */
export function luminance(rgb) {
  const [red, green, blue] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** A colour, made lighter or darker until it can be read before a background; null for what is no colour. */
export function readable(color, background) {
  if (!COLOR.test(color ?? '')) return null;
  const behind = luminance(channels(COLOR.test(background ?? '') ? background : '#000'));
  const [target, enough] = behind < 0.3 ? [255, (value) => value >= 0.42] : [0, (value) => value <= 0.1];
  const rgb = channels(color);
  for (let part = 0; part < 1; part += 0.1) {
    const mixed = rgb.map((value) => Math.round(value + (target - value) * part));
    if (enough(luminance(mixed))) return `rgb(${mixed.join(', ')})`;
  }
  return `rgb(${[target, target, target].join(', ')})`;
}

function opaque(color) {
  return `rgb(${channels(color).join(', ')})`;
}
