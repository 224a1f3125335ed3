import type { PublishedTypes } from '../generated/events.js';
import { DEFAULT_BACKOFF, pause, type Backoff } from './backoff.js';
import type { ChannelPrefix, Handler, Subscription } from './channels.js';
import { consequence, ofHandshake, type Consequence } from './closing.js';
import { Connection, type Closed, type ServerFrame } from './connection.js';
import { Entry } from './entry.js';
import { UsageError, type OpenSocket } from './open.js';
import { Requests } from './requests.js';

export interface SocketOptions {
  /** Address of the server. */
  url: string;
  open: OpenSocket;
  /** Returns the credential. `expired` is true when the server refused the last one. */
  token: (expired: boolean) => Promise<string | undefined>;
  /** True when `token` can renew the credential: an expired one then is no end. */
  canRenew: boolean;
  /** Finds out whether the server refuses the credential, for platforms that hide the status of a handshake. */
  isRefused?: () => Promise<boolean>;
  backoff?: Partial<Backoff>;
  /** Takes problems that end nothing: what a handler throws, errors without a request (default: `console.error`). */
  problem?: (problem: unknown) => void;
  /** Takes each new state. */
  changed?: (state: SocketState) => void;
}

/** `resting`: without a subscription. `waiting`: before the next attempt. `ended`: no event follows. */
export type SocketState = 'resting' | 'connecting' | 'open' | 'waiting' | 'ended';

/** Reason why a socket ended: its last close code, the status of the refused handshake, or 0 for a wrong use. */
export interface SocketEnd {
  code: number;
  reason: string;
}

/** Time of an open connection after which the next pause is short again. */
const STABLE_TIME = 5000;
const REQUEST_TIMEOUT = 30_000;
/** Refusals of a subscription that pass. */
const TRANSIENT = ['INTERNAL_SERVER_ERROR', 'RATE_LIMIT_EXCEEDED'];

/**
 * Socket that connects again by itself. It resumes each subscription after its last event, so that a handler gets every
 * event once, or a gap (docs/reference/realtime.md#resume).
 */
export class LumioSocket {
  /** Resolves when the socket has ended, also by `close`. */
  readonly ended: Promise<SocketEnd>;
  readonly #options: SocketOptions;
  readonly #backoff: Backoff;
  readonly #entries = new Map<string, Entry>();
  readonly #requests = new Requests();
  #state: SocketState = 'resting';
  #connection: Connection | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #attempt = 0;
  #openSince = 0;
  #isExpired = false;
  #nextId = 0;
  #end: (end: SocketEnd) => void = () => {};

  constructor(options: SocketOptions) {
    this.#options = options;
    this.#backoff = { ...DEFAULT_BACKOFF, ...options.backoff };
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  get state(): SocketState {
    return this.#state;
  }

  /** Subscribes to a channel, after an event when one is given. A channel has one subscription. */
  subscribe<P extends ChannelPrefix>(
    channel: `${P}:${string}`,
    handler: Handler<P>,
    options: { after?: string | undefined } = {},
  ): Subscription {
    if (this.#state === 'ended') throw new Error('The socket has ended');
    if (this.#entries.has(channel)) throw new Error(`There is a subscription to ${channel}`);
    const entry = new Entry(channel, handler as unknown as Handler, options.after, (problem) => this.#problem(problem));
    this.#entries.set(channel, entry);
    this.#request(entry);
    this.#wake();
    return {
      channel,
      get position() {
        return entry.position;
      },
      ready: entry.ready,
      close: () => this.#unsubscribe(entry),
    };
  }

  /** Calls a server function of an extension (docs/reference/realtime.md#calls). */
  call(installId: string, name: string, args?: unknown): Promise<unknown> {
    return this.#ask({ type: 'call', channel: `ext-storage:${installId}`, function: name, args: args ?? null });
  }

  /** Replaces the shared storage of an install. */
  setStorage(installId: string, value: Record<string, unknown>): Promise<unknown> {
    return this.#ask({ type: 'call', channel: `ext-storage:${installId}`, storage_set: value });
  }

  /** Publishes on a channel that takes the type from clients. */
  async broadcast<P extends keyof PublishedTypes>(
    channel: `${P}:${string}`,
    eventType: PublishedTypes[P],
    data: Record<string, unknown>,
  ): Promise<void> {
    await this.#ask({ type: 'broadcast', channel, event_type: eventType, data });
  }

  /** Ends the socket and all subscriptions. Their handlers are not called any more. */
  close(): void {
    for (const entry of this.#entries.values()) entry.stop();
    this.#entries.clear();
    this.#finish({ code: 1000, reason: '' });
  }

  #ask(frame: object): Promise<unknown> {
    if (this.#state === 'ended') return Promise.reject(new Error('The socket has ended'));
    const id = this.#id();
    const answer = this.#requests.add(id, { ...frame, request_id: id }, REQUEST_TIMEOUT);
    this.#flush();
    this.#wake();
    return answer;
  }

  #id(): string {
    this.#nextId += 1;
    return `r${this.#nextId}`;
  }

  #flush(): void {
    if (this.#state === 'open') this.#requests.send((frame) => this.#connection?.send(frame));
  }

  #request(entry: Entry): void {
    if (this.#state !== 'open') return;
    entry.requestId = this.#id();
    const after = entry.position === undefined ? {} : { after: entry.position };
    this.#connection?.send({ type: 'subscribe', channel: entry.channel, request_id: entry.requestId, ...after });
  }

  #unsubscribe(entry: Entry): void {
    if (this.#entries.get(entry.channel) !== entry) return;
    entry.stop();
    this.#entries.delete(entry.channel);
    if (this.#state === 'open') this.#connection?.send({ type: 'unsubscribe', channel: entry.channel });
  }

  #set(state: SocketState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#options.changed?.(state);
  }

  #wake(): void {
    if (this.#state === 'resting') void this.#connect();
  }

  async #connect(): Promise<void> {
    this.#set('connecting');
    const isRenewed = this.#isExpired;
    try {
      const token = await this.#options.token(this.#isExpired);
      if (this.#state !== 'connecting') return;
      const address = `${this.#options.url.replace(/^http/, 'ws')}/v1/ws`;
      const connection: Connection = new Connection(this.#options.open(address, token), {
        frame: (frame) => this.#receive(frame),
        closed: (closed) => void this.#closed(closed, isRenewed),
      });
      this.#connection = connection;
    } catch (problem) {
      if (this.#state !== 'connecting') return;
      if (problem instanceof UsageError) return this.#fail({ code: 0, reason: problem.message });
      this.#problem(problem);
      this.#retry();
    }
  }

  #receive(frame: ServerFrame): void {
    switch (frame.type) {
      case 'connected':
        return this.#opened();
      case 'subscribed': {
        const entry = this.#entries.get(frame.channel);
        if (entry && entry.requestId === frame.request_id) entry.accepted(frame.recovered);
        return;
      }
      case 'event':
        return this.#entries.get(frame.channel)?.take(frame);
      case 'unsubscribed':
        return this.#unsubscribed(frame.channel, frame.reason);
      case 'result':
        return this.#requests.answer(String(frame.request_id), frame.data);
      case 'ack':
        return this.#requests.answer(String(frame.request_id), undefined);
      case 'error':
        return this.#refused(String(frame.request_id ?? ''), frame.code, frame.message);
      case 'pong':
    }
  }

  #opened(): void {
    this.#openSince = Date.now();
    this.#isExpired = false;
    this.#set('open');
    for (const entry of this.#entries.values()) this.#request(entry);
    this.#flush();
  }

  /** Without a reason the server could not restart the subscription; the refusal of the request follows. */
  #unsubscribed(channel: string, reason: string | undefined): void {
    const entry = this.#entries.get(channel);
    if (!entry || reason === undefined) return;
    this.#entries.delete(channel);
    entry.end(reason, 'The server ended the subscription');
  }

  #refused(id: string, code: string, message: string): void {
    if (this.#requests.fail(id, code, message)) return;
    const entry = [...this.#entries.values()].find((entry) => entry.requestId === id);
    if (!entry) {
      this.#problem(new Error(`${code}: ${message}`));
    } else if (TRANSIENT.includes(code)) {
      entry.timer = setTimeout(() => this.#request(entry), pause(this.#backoff, entry.attempt));
      entry.attempt += 1;
    } else {
      this.#entries.delete(entry.channel);
      entry.end(code, message);
    }
  }

  async #closed(closed: Closed, isRenewed: boolean): Promise<void> {
    this.#connection = undefined;
    if (this.#state === 'open' && Date.now() - this.#openSince >= STABLE_TIME) this.#attempt = 0;
    this.#set('waiting');
    for (const entry of this.#entries.values()) clearTimeout(entry.timer);
    this.#requests.lost('CONNECTION_LOST', 'The connection was lost before the answer', false);
    const next = closed.wasOpen ? this.#consequence(closed) : await this.#ofHandshake(closed, isRenewed);
    if (this.#state !== 'waiting') return;
    const isIdle = this.#entries.size === 0 && this.#requests.isEmpty;
    if (next === 'end') return this.#fail(endOf(closed));
    if (next === 'renew') this.#isExpired = true;
    if (isIdle) return this.#set('resting');
    this.#retry();
  }

  #consequence({ code, reason }: Closed): Consequence {
    return consequence(code, reason, this.#options.canRenew);
  }

  async #ofHandshake({ status }: Closed, isRenewed: boolean): Promise<Consequence> {
    const known = status ?? ((await this.#isRefused()) ? 401 : undefined);
    return ofHandshake(known, this.#options.canRenew, isRenewed);
  }

  async #isRefused(): Promise<boolean> {
    try {
      return (await this.#options.isRefused?.()) ?? false;
    } catch {
      return false;
    }
  }

  #retry(): void {
    this.#set('waiting');
    this.#timer = setTimeout(() => void this.#connect(), pause(this.#backoff, this.#attempt));
    this.#attempt += 1;
  }

  #problem(problem: unknown): void {
    (this.#options.problem ?? console.error)(problem);
  }

  #fail(end: SocketEnd): void {
    for (const entry of this.#entries.values()) entry.end(String(end.code), end.reason);
    this.#entries.clear();
    this.#finish(end);
  }

  #finish(end: SocketEnd): void {
    if (this.#state === 'ended') return;
    clearTimeout(this.#timer);
    this.#connection?.close();
    this.#connection = undefined;
    this.#requests.lost('CLOSED', 'The socket has ended', true);
    this.#set('ended');
    this.#end(end);
  }
}

function endOf({ code, reason, wasOpen, status }: Closed): SocketEnd {
  return wasOpen ? { code, reason } : { code: status ?? 401, reason: 'The handshake was refused' };
}
