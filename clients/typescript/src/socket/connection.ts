import type { components } from '../generated/events.js';
import { Pacer } from './pacing.js';
import type { ChannelEvent } from './channels.js';
import type { SocketLike } from './open.js';

type Frames = components['schemas'];

/** Frame of the server. */
export type ServerFrame =
  | Frames['connected']
  | Frames['subscribed']
  | Frames['unsubscribed']
  | Frames['ack']
  | Frames['result']
  | Frames['pong']
  | Frames['error']
  | ChannelEvent;

/** End of a connection. `wasOpen` is false when the handshake failed; `status` is that of its answer, if known. */
export interface Closed {
  code: number;
  reason: string;
  wasOpen: boolean;
  status: number | undefined;
}

export interface ConnectionHooks {
  frame(frame: ServerFrame): void;
  closed(closed: Closed): void;
}

/** Time until the first frame of the server. */
const HANDSHAKE_TIMEOUT = 20_000;
/** Intervals without a frame after which a connection is lost; the server waits as long for the client. */
const SILENT_INTERVALS = 2.5;
/** Code of a connection that the client gave up. No server sends it. */
const LOST = 1006;

/** One WebSocket from its opening to its end, which is reported once. */
export class Connection {
  readonly #socket: SocketLike;
  readonly #hooks: ConnectionHooks;
  readonly #pacer: Pacer;
  #timer: ReturnType<typeof setTimeout>;
  #lastFrameAt = Date.now();
  #isOpen = false;
  #isOver = false;
  #status: number | undefined;

  constructor(socket: SocketLike, hooks: ConnectionHooks) {
    this.#socket = socket;
    this.#hooks = hooks;
    this.#pacer = new Pacer((text) => socket.send(text));
    this.#timer = setTimeout(() => this.#lost('no answer to the handshake'), HANDSHAKE_TIMEOUT);
    socket.onmessage = ({ data }) => this.#read(data);
    socket.onclose = ({ code, reason }) => this.#end(code, reason);
    socket.onerror = (event) => {
      this.#status ??= statusOf(event);
    };
  }

  send(frame: object): void {
    this.#pacer.push(JSON.stringify(frame));
  }

  /** Closes the connection without a report. */
  close(): void {
    this.#stop();
    this.#socket.close(1000);
  }

  #read(data: unknown): void {
    if (this.#isOver) return;
    this.#lastFrameAt = Date.now();
    const frame = parsed(data);
    if (!frame) return;
    if (frame.type === 'connected' && !this.#isOpen) {
      this.#isOpen = true;
      this.#watch(frame.heartbeat_interval_ms);
    }
    this.#hooks.frame(frame);
  }

  /** Sends a ping when nothing has arrived for an interval: browsers do not show the pings of the server. */
  #watch(interval: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const silence = Date.now() - this.#lastFrameAt;
      if (silence >= interval * SILENT_INTERVALS) return this.#lost('no sign of the server');
      if (silence >= interval) this.send({ type: 'ping' });
      this.#watch(interval);
    }, interval / 2);
  }

  #lost(reason: string): void {
    this.#end(LOST, reason);
    this.#socket.close(1000);
  }

  #end(code: number, reason: string): void {
    if (this.#isOver) return;
    const closed = { code, reason, wasOpen: this.#isOpen, status: this.#status };
    this.#stop();
    this.#hooks.closed(closed);
  }

  #stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#pacer.stop();
  }
}

function parsed(data: unknown): ServerFrame | undefined {
  try {
    return JSON.parse(String(data)) as ServerFrame;
  } catch {
    return undefined;
  }
}

/** Status of a refused handshake, which `ws` has in its message. Browsers hide it. */
function statusOf(event: unknown): number | undefined {
  const message = String((event as { message?: unknown } | null)?.message ?? '');
  const found = /response: (\d{3})/.exec(message);
  return found ? Number(found[1]) : undefined;
}
