// Handlers: each export that lumio.config.json names. They run in a sandbox, and reach what `ctx` offers.

/**
 * !roll [sides]
 *
 * @param {Lumio.ChatContext} ctx
 * @param {Lumio.CommandInput} input
 * @returns {Promise<Lumio.BotResult>}
 */
export async function roll(ctx, input) {
  const sides = Number(input.args[0] ?? ctx.config.sides);
  if (!Number.isInteger(sides) || sides < 2 || sides > 1000) {
    return { action: 'send_message', message: 'A die has 2 to 1000 sides.', reply_to: input.message.id };
  }
  const rolled = 1 + Math.floor(Math.random() * sides);
  const rolls = 1 + ((await ctx.db.get('install', 'rolls')) ?? 0);
  await ctx.db.set('install', 'rolls', rolls);
  ctx.log.info(`${ctx.user.displayName} rolls a die of ${sides} sides`);
  return { action: 'send_message', message: `You rolled ${rolled} (roll no. ${rolls}).`, reply_to: input.message.id };
}

/**
 * A raid arrives.
 *
 * @param {Lumio.ActionContext} ctx
 * @param {Lumio.EventInput<'twitch:raid'>} input
 * @returns {Promise<Lumio.BotResult>}
 */
export async function welcome(ctx, input) {
  const { from_broadcaster_name: from, viewer_count: viewers } = input.event.data;
  return { action: 'send_message', message: `Welcome, ${viewers ?? 0} raiders of ${from ?? 'a friend'}!` };
}
