// Removes links that the account has not allowed.

// Bare names are links only below a domain that people use: "end.of" is none.
const DOMAINS =
  'com|net|org|info|biz|io|co|gg|tv|me|ly|be|de|at|ch|uk|us|eu|fr|es|it|nl|pl|ru|jp|cn|br|in|ca|au|se|no|fi|dk|cz|pt|' +
  'app|dev|xyz|site|online|store|shop|club|live|link|click|top|icu|page|pro|world|fun|space|website|tech|cc|to|gl|sh|ai';
const LINK = new RegExp(
  `(?:https?://|www\\.)[^\\s<>"]+|(?<![\\p{L}\\p{N}.@-])(?:[\\p{L}\\p{N}-]{1,63}\\.)+(?:${DOMAINS})(?![\\p{L}\\p{N}-])(?:[/?#:][^\\s<>"]*)?`,
  'giu',
);

// The host of a link in lower case. What stands before an @ is no host, whatever it looks like.
const hostOf = (link) => {
  const authority = link.replace(/^https?:\/\//i, '').split(/[/?#\\]/)[0];
  return authority.split('@').pop().replace(/:\d*$/, '').replace(/^www\./i, '').replace(/\.$/, '').toLowerCase();
};

const isAllowed = (host, domains) =>
  domains.some((domain) => {
    const allowed = domain.toLowerCase().replace(/^www\./, '');
    return host === allowed || host.endsWith(`.${allowed}`);
  });

const permitKey = (platform, name) => `permit:${platform}:${name.toLowerCase().slice(0, 100)}`;

const isPermitted = async (ctx, { platform, user }) => {
  const names = new Set([user.username, user.displayName].filter(Boolean));
  for (const name of names) {
    if (await ctx.cache.get(permitKey(platform, name))) return true;
  }
  return false;
};

// Time-outs exist on Twitch and YouTube, removing a message also on Kick.
const sanction = ({ action, timeout_secs, warn_message }, { id, platform }, reason) => {
  const warning = { action: 'send_message', message: warn_message, reply_to: id };
  if (action === 'warn' || platform === 'trovo') return warning;
  if (action === 'timeout' && platform !== 'kick') {
    return { action: 'timeout', duration_secs: Math.round(timeout_secs), reason };
  }
  return { action: 'delete' };
};

export async function moderate(ctx, { message }) {
  const links = message.text.match(LINK) ?? [];
  if (links.every((link) => isAllowed(hostOf(link), ctx.config.allowed_domains))) return null;
  if (await isPermitted(ctx, message)) return null;
  return sanction(ctx.config, message, 'Links are not allowed here');
}

export async function permit(ctx, { argsText, message }) {
  const name = argsText.replace(/^@/, '').trim();
  if (name === '' || name.length > 100) {
    return { action: 'send_message', message: 'Usage: !permit name', reply_to: message.id };
  }
  const seconds = Math.round(ctx.config.permit_secs);
  await ctx.cache.set(permitKey(message.platform, name), true, seconds);
  return { action: 'send_message', message: `@${name} may post links for ${seconds} seconds.` };
}
