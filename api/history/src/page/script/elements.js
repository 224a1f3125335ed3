// Elements of the page. Texts are set as texts, never as markup.

const SVG = 'http://www.w3.org/2000/svg';

const find = (id) => document.getElementById(id);

/** Element with properties; `children` are elements and texts. */
function element(name, properties = {}, children = []) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

const BREAKS = /[\t\n\r\u0085\u2028\u2029]/g;
// The flag of a region consists of a black flag, tags and their end.
const FLAG = '\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{1,6}\u{E007F}';
const INVISIBLE =
  '\\p{Cc}\u00AD\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u2800\u3164\uFEFF' +
  '\uFFA0\uFFF9-\uFFFB\u{E0001}\u{E0020}-\u{E007F}';
const HIDDEN = new RegExp(`${FLAG}|[${INVISIBLE}]`, 'gu');

/** The text with every character visible, as in the PDF: controls and marks of direction become `<U+202E>`. */
function visible(text) {
  const code = (c) => c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
  return text.replace(BREAKS, ' ').replace(HIDDEN, (c) => (c.startsWith('\u{1F3F4}') ? c : `<U+${code(c)}>`));
}

/** Element with a text of a person, whose direction stays its own. */
const personal = (name, text, properties = {}) =>
  element(name, { textContent: visible(String(text ?? '')), dir: 'auto', ...properties });

/** Element of a drawing with attributes. */
function shape(name, attributes, text = null) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== null) made.textContent = text;
  return made;
}

const PLATFORMS = { twitch: 'Twitch', youtube: 'YouTube', kick: 'Kick', trovo: 'Trovo' };
const platformName = (platform) => PLATFORMS[platform] ?? platform;
const platformClass = (platform) => (platform in PLATFORMS ? platform : 'other');

/** Number with a comma between thousands; `–` where nothing is known. */
const number = (value) => (value === null || value === undefined ? '–' : value.toLocaleString('en-US'));
const decimal = (value) =>
  value === null || value === undefined
    ? '–'
    : value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Date and time to the minute in UTC, of a text or of milliseconds. */
const moment = (at) => (at === null ? '–' : new Date(at).toISOString().slice(0, 16).replace('T', ' '));

/** Length of time: `5 h 12 min`, `12 min`, `40 s`. */
function duration(seconds) {
  if (seconds === null || seconds === undefined) return '–';
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours > 0) return `${number(hours)} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min` : `${seconds} s`;
}
