// A handler module of about 5 KB, as extensions have them: tables, helpers, a little state, two exports.
const GREETINGS = ['hi', 'hello', 'hey', 'yo', 'sup'];

const RULES = [
  { id: 'roll', match: /^!roll\s+(\d+)d(\d+)$/i, kind: 'dice' },
  { id: 'greet', match: /^!greet\s+(\w+)/i, kind: 'greet' },
  { id: 'sum', match: /^!sum((?:\s+-?\d+)+)$/i, kind: 'sum' },
  { id: 'shout', match: /^!shout\s+(.+)$/i, kind: 'shout' },
];

class Store {
  #entries = new Map();

  put(key, value) {
    this.#entries.set(key, { value, at: 0 });
    return this;
  }

  get(key) {
    return this.#entries.get(key)?.value;
  }

  *entries() {
    for (const [key, { value }] of this.#entries) yield [key, value];
  }
}

const store = new Store();
for (let i = 0; i < 64; i++) {
  store.put(`k${i}`, { i, label: `item ${i}`, tags: ['a', 'b', String(i % 7)] });
}

const parse = (text) => {
  for (const rule of RULES) {
    const match = rule.match.exec(text);
    if (match) return { rule: rule.id, kind: rule.kind, args: match.slice(1) };
  }
  return { rule: null, kind: 'none', args: [] };
};

const sum = (numbers) =>
  numbers
    .trim()
    .split(/\s+/)
    .map(Number)
    .reduce((a, b) => a + b, 0);

const format = (template, values) =>
  template.replace(/\{(\w+)\}/g, (_, key) => (key in values ? String(values[key]) : ''));

const hash = (text) => {
  let value = 2166136261;
  for (let i = 0; i < text.length; i++) {
    value ^= text.charCodeAt(i);
    value = Math.imul(value, 16777619);
  }
  return value >>> 0;
};

const level = (xp) => {
  let reached = 0;
  let need = 100;
  while (xp >= need) {
    xp -= need;
    need = Math.floor(need * 1.15);
    reached++;
  }
  return { level: reached, left: xp, need };
};

const top = (list, count) =>
  [...list]
    .sort((a, b) => b.score - a.score)
    .slice(0, count)
    .map((entry, i) => ({ ...entry, rank: i + 1 }));

const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;

const ago = (seconds) => {
  const steps = [
    [60, 'second', 'seconds'],
    [60, 'minute', 'minutes'],
    [24, 'hour', 'hours'],
    [7, 'day', 'days'],
  ];
  let value = seconds;
  for (const [size, one, many] of steps) {
    if (value < size) return `${plural(Math.floor(value), one, many)} ago`;
    value /= size;
  }
  return `${plural(Math.floor(value), 'week', 'weeks')} ago`;
};

const wrap = (text, width) => {
  const lines = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line.length + word.length + 1 > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join('\n');
};

const roll = (count, sides) => {
  const dice = [];
  for (let i = 0; i < Math.min(count, 20); i++) dice.push(1 + Math.floor(Math.random() * sides));
  return { dice, total: dice.reduce((a, b) => a + b, 0) };
};

const groupBy = (items, key) => {
  const groups = {};
  for (const item of items) (groups[item[key]] ??= []).push(item);
  return groups;
};

const mask = (text, words) => {
  let result = text;
  for (const word of words) {
    const pattern = new RegExp(`\\b${word}\\b`, 'gi');
    result = result.replace(pattern, '*'.repeat(word.length));
  }
  return result;
};

const duration = (text) => {
  const match = /^(\d+)([smhd])$/.exec(text);
  if (!match) return null;
  const units = { s: 1, m: 60, h: 3600, d: 86400 };
  return Number(match[1]) * units[match[2]];
};

const median = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

const titleCase = (text) => text.replace(/\w+/g, (word) => word[0].toUpperCase() + word.slice(1).toLowerCase());

const distance = (a, b) => {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      row[j] = Math.min(row[j - 1] + 1, previous[j] + 1, previous[j - 1] + change);
    }
    previous = row;
  }
  return previous[b.length];
};

export async function onCommand(ctx, event) {
  const { kind, args } = parse(event.text);
  ctx.log.info('command', kind, event.user.name);
  let answer;
  switch (kind) {
    case 'sum':
      answer = { sum: sum(args[0]) };
      break;
    case 'greet':
      answer = { text: format('{g}, {n}!', { g: GREETINGS[hash(args[0]) % GREETINGS.length], n: args[0] }) };
      break;
    case 'dice':
      answer = roll(Number(args[0]), Number(args[1]));
      break;
    case 'shout':
      answer = { text: wrap(mask(titleCase(args[0]), ['darn']), 40) };
      break;
    default:
      answer = { text: '?' };
  }
  return {
    fired: true,
    output: {
      ...answer,
      board: top(event.scores, 3),
      level: level(event.user.xp),
      seen: store.get('k7').label,
      hash: hash(event.text),
    },
  };
}

export async function onWait(ctx, event) {
  const result = await onCommand(ctx, event);
  await ctx.fetch('https://api.example/');
  return { ...result, ago: ago(duration('2h')), groups: groupBy(event.scores, 'name'), median: median([3, 1, 2]), distance: distance('a', 'b') };
}
