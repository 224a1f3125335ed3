// Removes messages in capitals, of symbols, of emotes, and the same message over and over.

const count = (text, pattern) => (text.match(pattern) ?? []).length;

// The text without its emotes, whose names are often capitals.
const words = ({ text, emotes }) => {
  const names = new Set(emotes.map(({ name }) => name));
  return text.split(/\s+/).filter((word) => word !== '' && !names.has(word)).join(' ');
};

const emotesIn = ({ text, emotes }) => {
  const names = new Set(emotes.map(({ name }) => name));
  const named = text.split(/\s+/).filter((word) => names.has(word)).length;
  return Math.max(named, emotes.length) + count(text, /\p{Extended_Pictographic}/gu);
};

const problem = (config, message) => {
  if (emotesIn(message) > config.max_emotes) return 'Too many emotes';
  const text = words(message).replace(/\s/g, '');
  const length = [...text].length;
  if (length < config.min_length) return null;
  const letters = count(text, /\p{L}/gu);
  if (letters > 0 && (100 * count(text, /\p{Lu}/gu)) / letters > config.max_caps_percent) return 'Too many capital letters';
  const symbols = length - count(text, /[\p{L}\p{N}\p{M}]/gu) - count(text, /\p{Extended_Pictographic}/gu);
  return (100 * symbols) / length > config.max_symbols_percent ? 'Too many symbols' : null;
};

// 64 bits of a text, as two sums that start differently.
const digest = (text) =>
  [2166136261, 40389]
    .map((start) => {
      let sum = start;
      for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 16777619);
      return (sum >>> 0).toString(36);
    })
    .join('-');

const isRepeated = async (ctx, { platform, user, text }) => {
  const said = text.toLowerCase().replace(/\s+/g, ' ').trim();
  if (said === '') return false;
  const times = await ctx.cache.incr(`said:${platform}:${user.id}:${digest(said)}`, 1, Math.round(ctx.config.repeat_window_secs));
  return times > ctx.config.max_repeats;
};

// Time-outs exist on Twitch and YouTube, removing a message also on Kick.
const sanction = ({ action, timeout_secs }, { id, platform }, reason) => {
  if (action === 'warn' || platform === 'trovo') {
    return { action: 'send_message', message: `${reason}, please stop.`, reply_to: id };
  }
  if (action === 'timeout' && platform !== 'kick') {
    return { action: 'timeout', duration_secs: Math.round(timeout_secs), reason };
  }
  return { action: 'delete' };
};

export async function moderate(ctx, { message }) {
  const reason = problem(ctx.config, message) ?? ((await isRepeated(ctx, message)) ? 'Too many repeats' : null);
  return reason === null ? null : sanction(ctx.config, message, reason);
}
