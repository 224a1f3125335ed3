import { CLOSE_CODES } from '../generated/events.js';

/** What follows a closed connection. */
export type Consequence =
  /** Connect again after a pause. */
  | 'reconnect'
  /** Connect again after a pause, with a renewed credential. */
  | 'renew'
  /** Wait for the next subscription. */
  | 'rest'
  /** The socket has ended. */
  | 'end';

export const TOKEN_EXPIRED = 4001;

/** Consequence of a close code (docs/reference/realtime.md#close-codes). Codes that are no server's reconnect. */
export function consequence(code: number, reason: string, canRenew: boolean): Consequence {
  if (code === TOKEN_EXPIRED) return canRenew ? 'renew' : 'end';
  if (reason === 'no subscription') return 'rest';
  // Only this client closes with 1000. From another party it is a proxy that ended the connection.
  if (code === 1000) return 'reconnect';
  const known = CLOSE_CODES.filter((entry) => entry.code === code);
  const exact = known.find((entry) => entry.reason === reason) ?? known[0];
  return exact === undefined || exact.reconnect ? 'reconnect' : 'end';
}

/** Consequence of a refused handshake. Without a status the server was not reached. */
export function ofHandshake(status: number | undefined, canRenew: boolean, isRenewed: boolean): Consequence {
  if (status === 401) return canRenew && !isRenewed ? 'renew' : 'end';
  if (status === undefined || status === 429 || status === 408 || status >= 500) return 'reconnect';
  return 'end';
}
