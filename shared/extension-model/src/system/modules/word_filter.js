// Removes messages that hold a word or a pattern of the account's lists. The runtime looks for
// them, in linear time, and calls only for messages that hold one.

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
  return sanction(ctx.config, message, 'A word that is not allowed here');
}
