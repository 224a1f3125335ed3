import { UsageError } from './open.js';

type Token = (expired: boolean) => Promise<string | undefined>;

/**
 * Credentials for addresses. A personal key is replaced by a token for one socket; other keys live long, and the server
 * refuses them in addresses (docs/reference/realtime.md#credentials).
 */
export function queryTokens(token: Token, issue: () => Promise<{ data: { ws_token: string } }>): Token {
  return async (expired) => {
    const current = await token(expired);
    if (current?.startsWith('lm_usr_')) return (await issue()).data.ws_token;
    if (current?.startsWith('lm_svc_') || current?.startsWith('lm_sys_')) {
      throw new UsageError('A service key opens no socket of a browser: use headerSockets(WebSocket) of `ws` on a server');
    }
    return current;
  };
}
