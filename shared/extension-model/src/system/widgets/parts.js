// What the built-in layers share. A layer exports `events`, the types of live events that it listens to, and
// `mount(root, lumio)`, which draws into `root` and answers what takes it away again. `lumio` is the page around it:
//   lumio.config            the settings with their defaults; pictures and sounds are addresses by now
//   lumio.on(type, listen)  calls `listen(data)` for every event of a type; answers what ends that
// What viewers write is only ever set as text.

/** An element with a class and, if given, a text. */
export function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined && text !== null) made.textContent = String(text);
  return made;
}

/** Prepares the place of a layer: its style sheet, and an element that carries settings as custom properties. */
export function stage(root, name, properties = {}) {
  const sheet = element('link');
  sheet.rel = 'stylesheet';
  sheet.href = new URL('layer.css', import.meta.url).href;
  const place = element('div', `lumio-${name}`);
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

/** Listens to several types; answers what ends all of it. */
export function listen(lumio, listeners) {
  const ends = Object.entries(listeners).map(([type, listener]) => lumio.on(type, listener));
  return () => ends.forEach((end) => end());
}

/** Listens to events and to test events, which differ from them by `is_test` only. */
export function listenToEvents(lumio, listener) {
  return listen(lumio, {
    'event:new': listener,
    'event:test': (event) => listener({ ...event, is_test: true }),
  });
}

/** A text with `{name}` replaced by the values; what is no name of one stays. */
export function fill(template, values) {
  return String(template).replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(values, name) ? values[name] : whole));
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

/** A number within bounds; the fallback for what is none. */
export function between(value, least, most, fallback) {
  const number = Number(value);
  return Number.isFinite(number) && value !== null && value !== '' ? Math.min(Math.max(number, least), most) : fallback;
}

const KINDS = {
  follower: 'follow',
  subscriber: 'follow',
  subscribe: 'subscription',
  resub: 'subscription',
  member: 'subscription',
  member_milestone: 'subscription',
  gift_sub: 'gift',
  member_gift: 'gift',
  cheer: 'cheer',
  spell: 'cheer',
  raid: 'raid',
  superchat: 'tip',
  supersticker: 'tip',
  tip: 'tip',
};

/** The kind of an event: `follow`, `subscription`, `gift`, `cheer`, `raid`, `tip`; null for others. */
export function kindOf(event) {
  const name = String(event?.event_type ?? '').split(':')[1];
  return Object.hasOwn(KINDS, name) ? KINDS[name] : null;
}

/** What an event says, as `fill` takes it. */
export function valuesOf(event) {
  const data = event.data ?? {};
  return {
    user: event.display_name ?? event.username ?? 'Somebody',
    amount: amountOf(event),
    months: data.months ?? '',
    tier: data.tier ?? data.level_name ?? '',
    recipient: data.recipient_name ?? '',
    message: event.message ?? '',
    platform: event.platform ?? '',
  };
}

/** The amount of an event: money in minor units of its currency, anything else a count. */
function amountOf(event) {
  if (typeof event.amount !== 'number') return '';
  if (!/^[A-Z]{3}$/.test(event.currency ?? '')) return String(event.amount);
  try {
    const format = new Intl.NumberFormat(undefined, { style: 'currency', currency: event.currency });
    return format.format(event.amount / 10 ** format.resolvedOptions().maximumFractionDigits);
  } catch {
    return `${event.amount} ${event.currency}`;
  }
}
