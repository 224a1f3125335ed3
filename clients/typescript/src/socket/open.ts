/** Part of a WebSocket that the client uses. */
export interface SocketLike {
  onopen: ((event: unknown) => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
  onerror: ((event: unknown) => void) | null;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

/** Use of the client that cannot work, so that it is not repeated. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Opens a WebSocket with a credential. */
export interface OpenSocket {
  (url: string, token: string | undefined): SocketLike;
  /** True when the credential is sent in a header, false when it is in the address. */
  readonly sendsHeaders: boolean;
}

type BrowserConstructor = new (url: string) => unknown;
type HeaderConstructor = new (url: string, options: { headers: Record<string, string> }) => unknown;

/** Opens sockets with the class of the platform. Browsers send no headers, so the credential is in the query. */
export function browserSockets(constructor?: BrowserConstructor): OpenSocket {
  const open = (url: string, token: string | undefined): SocketLike => {
    const platform = constructor ?? (globalThis as { WebSocket?: BrowserConstructor }).WebSocket;
    if (!platform) {
      throw new UsageError('This platform has no WebSocket: pass openSocket: headerSockets(WebSocket) of `ws`');
    }
    const address = token === undefined ? url : `${url}?token=${encodeURIComponent(token)}`;
    return new platform(address) as SocketLike;
  };
  return Object.assign(open, { sendsHeaders: false });
}

/** Opens sockets with the class of the package `ws`, which sends the credential in a header. */
export function headerSockets(constructor: HeaderConstructor): OpenSocket {
  const open = (url: string, token: string | undefined): SocketLike => {
    const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    return new constructor(url, { headers }) as SocketLike;
  };
  return Object.assign(open, { sendsHeaders: true });
}
