import { seconds } from './errors.js';

/**
 * A credential, or a function that returns one. The function is called for each request; `expired` is true when the
 * server refused the last one, so a cached one must be renewed.
 */
export type TokenSource = string | ((expired: boolean) => string | undefined | Promise<string | undefined>);

export interface HttpOptions {
  token?: TokenSource | undefined;
  fetch?: typeof globalThis.fetch | undefined;
  /** Largest number of repeats of a request that was refused with 429 (default 2). */
  retries?: number | undefined;
}

/** Seconds that a repeat waits at most. A longer `Retry-After` is returned as a refusal. */
const MAX_RETRY_WAIT = 30;

export async function currentToken(source: TokenSource | undefined, expired: boolean): Promise<string | undefined> {
  return typeof source === 'function' ? source(expired) : source;
}

/**
 * Wraps `fetch`: adds the credential, renews it once after a 401, and repeats after a 429. The API refuses both before
 * a request has an effect, so any method may be repeated.
 */
export function authorizedFetch(options: HttpOptions): (request: Request) => Promise<Response> {
  const base = options.fetch ?? globalThis.fetch;
  const retries = options.retries ?? 2;
  return async (request) => {
    let expired = false;
    for (let attempt = 0; ; attempt += 1) {
      const token = await currentToken(options.token, expired);
      const copy = request.clone();
      if (token !== undefined && !copy.headers.has('Authorization')) {
        copy.headers.set('Authorization', `Bearer ${token}`);
      }
      const response = await base(copy);
      if (response.status === 401 && typeof options.token === 'function' && !expired) {
        expired = true;
      } else if (response.status === 429 && attempt < retries) {
        const wait = seconds(response.headers.get('Retry-After')) ?? 1;
        if (wait > MAX_RETRY_WAIT) return response;
        await sleep(wait * 1000, request.signal);
      } else {
        return response;
      }
      await response.body?.cancel();
    }
  };
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', abort, { once: true });
  });
}
