// What layers show of events: kinds, drawings, words and amounts.

/** Kind of an event by the part of its type behind the colon, and the kind whose settings hold where it has none. */
const KINDS = {
  follower: ['follow'],
  subscriber: ['follow'],
  subscribe: ['subscription'],
  resub: ['resub', 'subscription'],
  member: ['member', 'subscription'],
  member_milestone: ['resub', 'subscription'],
  gift_sub: ['gift'],
  member_gift: ['gift'],
  cheer: ['cheer'],
  spell: ['cheer'],
  raid: ['raid'],
  superchat: ['superchat', 'tip'],
  supersticker: ['superchat', 'tip'],
  tip: ['tip'],
  order: ['order'],
  reward: ['reward'],
};

/** Drawings on a field of 24 by 24. */
const SHAPES = {
  follow: 'M12 20.6C5.2 15.4 2.5 12 2.5 8.4 2.5 5.6 4.7 3.5 7.4 3.5c1.8 0 3.5.9 4.6 2.6 1.1-1.7 2.8-2.6 4.6-2.6 2.7 0 4.9 2.1 4.9 4.9 0 3.6-2.7 7-9.5 12.2z',
  subscription: 'M12 2.6l2.9 6 6.5.9-4.7 4.6 1.1 6.5L12 17.5l-5.8 3.1 1.1-6.5L2.6 9.5l6.5-.9z',
  resub: 'M12 4a8 8 0 0 1 7.4 5H21l-3.2 4.3L14.4 9H16.6a5.3 5.3 0 0 0-9.5 1.2H4.3A8 8 0 0 1 12 4zM6.2 10.7L9.6 15H7.4a5.3 5.3 0 0 0 9.5-1.2h2.8A8 8 0 0 1 4.6 15H3z',
  member: 'M12 2.5l7.5 2.8v5.9c0 4.6-3 8.3-7.5 10.3-4.5-2-7.5-5.7-7.5-10.3V5.3zM10.9 15.6l5.3-5.3-1.5-1.5-3.8 3.8-1.7-1.7-1.5 1.5z',
  gift: 'M7.8 2.5c1.9 0 3.3 1.3 4.2 3 .9-1.7 2.3-3 4.2-3 1.5 0 2.7 1.1 2.7 2.5 0 .7-.2 1.3-.6 1.8H21v4.4H3V6.8h2.7A2.9 2.9 0 0 1 5.1 5c0-1.4 1.2-2.5 2.7-2.5zM4.3 12.5h6.9v9H4.3zm8.5 0h6.9v9h-6.9z',
  cheer: 'M12 2l6.5 9.3L12 14.6l-6.5-3.3zM5.5 13.4L12 16.7l6.5-3.3L12 22z',
  raid: 'M2.5 7.5h9V3.8L20.5 12l-9 8.2v-3.7h-9l3-4.5z',
  tip: 'M12 2.5a9.5 9.5 0 1 0 0 19 9.5 9.5 0 0 0 0-19zM12.9 6v1.3c1.4.2 2.4 1 2.9 2.3l-1.9.7c-.3-.7-.9-1.1-1.8-1.1-1 0-1.7.5-1.7 1.2 0 .8.7 1.1 2.2 1.4 2.3.5 3.5 1.3 3.5 3.1 0 1.6-1.2 2.7-3.2 3V19h-1.8v-1.2c-1.6-.2-2.7-1.2-3.1-2.7l2-.6c.3 1 1 1.5 2.1 1.5 1.2 0 1.9-.4 1.9-1.2s-.7-1.1-2.2-1.4c-2.2-.5-3.4-1.3-3.4-3.1 0-1.5 1.1-2.7 2.8-3V6z',
  superchat: 'M4.5 3.5h15A2.5 2.5 0 0 1 22 6v8.5a2.5 2.5 0 0 1-2.5 2.5H12l-5.5 4.3V17h-2A2.5 2.5 0 0 1 2 14.5V6a2.5 2.5 0 0 1 2.5-2.5zM13 5.7l-5.5 5.8h3.6L10 15l5.8-5.9h-3.7z',
  order: 'M8 8V6.5a4 4 0 0 1 8 0V8h3.6L21 21.5H3L4.4 8zm2 0h4V6.5a2 2 0 0 0-4 0z',
  reward: 'M12 2.5a9.5 9.5 0 1 0 0 19 9.5 9.5 0 0 0 0-19zm0 3.3l1.8 4.4 4.4 1.8-4.4 1.8L12 18.2l-1.8-4.4L5.8 12l4.4-1.8z',
};

const PHRASES = {
  follow: 'followed',
  subscription: 'subscribed',
  resub: 'resubscribed',
  member: 'became a member',
  gift: 'gifted',
  cheer: 'cheered',
  raid: 'raided',
  superchat: 'sent a Super Chat',
  tip: 'tipped',
  order: 'ordered',
  reward: 'redeemed',
};

/** Currencies whose minor unit is no hundredth, by its decimal places (ISO 4217). Equal to the table of the server. */
const DECIMALS = {
  0: [
    'BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI', 'VND', 'VUV', 'XAF', 'XOF',
    'XPF',
  ],
  3: ['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'],
  4: ['CLF', 'UYW'],
};

/** Kinds of an event, the narrowest first; empty for events that no layer shows. */
export function kindsOf(event) {
  const name = String(event?.event_type ?? '').split(':')[1];
  return Object.hasOwn(KINDS, name) ? KINDS[name] : [];
}

/** Drawing of a kind. */
export const shapeOf = (kind) => SHAPES[kind] ?? SHAPES.subscription;

/** Words for a kind. */
export const phraseOf = (kind) => PHRASES[kind] ?? kind;

/** What an event holds, as `fill` takes it. */
export function valuesOf(event) {
  const data = event.data ?? {};
  return {
    user: event.display_name ?? event.username ?? 'Somebody',
    amount: amountOf(event),
    months: data.months ?? '',
    tier: tierOf(data),
    count: data.count ?? 1,
    recipient: data.recipient_name ?? '',
    reward: data.reward_title ?? '',
    message: event.message ?? '',
    platform: event.platform ?? '',
  };
}

/** Number that thresholds of alerts compare: main units of a currency, months, or a count. */
export function sizeOf(event) {
  if (typeof event.amount === 'number') {
    return isMoney(event) ? event.amount / 10 ** digitsOf(event.currency) : event.amount;
  }
  const data = event.data ?? {};
  return Number(data.months ?? data.count ?? 1) || 0;
}

/** The amount of an event: money in minor units of its currency, anything else a count. */
function amountOf(event) {
  if (typeof event.amount !== 'number') return '';
  if (!isMoney(event)) return event.amount.toLocaleString();
  const { currency } = event;
  const digits = digitsOf(currency);
  const format = { style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits };
  return (event.amount / 10 ** digits).toLocaleString(undefined, format);
}

const isMoney = (event) => /^[A-Z]{3}$/.test(event.currency ?? '');

/** Decimal places of a currency's minor unit. Browsers round some currencies to fewer than ISO 4217 has. */
function digitsOf(currency) {
  const places = Object.keys(DECIMALS).find((digits) => DECIMALS[digits].includes(currency));
  return Number(places ?? 2);
}

/** Twitch counts the levels of subscriptions in thousands. */
function tierOf(data) {
  const tier = data.tier ?? data.level_name ?? '';
  return /^[123]000$/.test(tier) ? String(tier)[0] : String(tier);
}
