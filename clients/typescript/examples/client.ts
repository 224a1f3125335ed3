import { createClient, headerSockets, unwrap } from '@lumio/client';
import { WebSocket } from 'ws';

/** Client with the address and the key of the environment. */
export const client = createClient({
  url: process.env['LUMIO_URL'] ?? 'http://localhost:8080',
  token: process.env['LUMIO_TOKEN'] ?? '',
  openSocket: headerSockets(WebSocket),
});

/** Account that the credential acts in. */
export async function accountId(): Promise<string> {
  const { account_id: id } = (await unwrap(client.rest.GET('/v1/tokens/me'))).data;
  if (!id) throw new Error('the credential belongs to no account');
  return id;
}
