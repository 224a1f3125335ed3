// Handlers: each export that lumio.config.json names. They run in a sandbox, and reach what `ctx` offers.
import { query } from '@lumio/sdk/server';

/** Returns the count of followers that this install has seen. */
export const count = query(async (ctx) => (await ctx.db.get('install', 'followers')) ?? 0);

/**
 * A follow: counts it, and sends the count to the layers.
 *
 * @param {Lumio.ActionContext} ctx
 * @param {Lumio.EventInput<'twitch:follower'>} input
 * @returns {Promise<Lumio.BotResult>}
 */
export async function followed(ctx, input) {
  const followers = 1 + ((await ctx.db.get('install', 'followers')) ?? 0);
  await ctx.db.set('install', 'followers', followers);
  await ctx.push('followers', { count: followers, name: input.event.display_name });
  return null;
}
