// Sends the account's messages when they are due. Each has a timer of its own, named by its place
// in the list; messages that take turns share the timer "rotation".

const isFor = ({ platforms }, platform) => !platforms?.length || platforms.includes(platform);

export async function send(ctx, { name, platform, run }) {
  const messages = ctx.config.messages.filter((message) => isFor(message, platform));
  const message = name === 'rotation' ? messages[run % messages.length] : ctx.config.messages[Number(name)];
  if (message === undefined || !isFor(message, platform)) return null;
  return { action: 'send_message', message: message.text };
}
