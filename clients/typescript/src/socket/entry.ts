import { isPosition, type ChannelEvent, type Gap, type Handler, type SubscriptionEnd } from './channels.js';

/** Number of latest ids that are known, so that a repeated event is dropped. */
const MAX_KNOWN_IDS = 1000;

/** State of a subscription across connections. */
export class Entry {
  position: string | undefined;
  /** Waits for the answer to this request. */
  requestId: string | undefined;
  /** Attempts since the server accepted the subscription. */
  attempt = 0;
  timer: ReturnType<typeof setTimeout> | undefined;
  readonly ready: Promise<void>;
  readonly channel: string;
  readonly #handler: Handler;
  readonly #report: (problem: unknown) => void;
  readonly #known = new Set<string>();
  #isAccepted = false;
  #accept: () => void = () => {};
  #refuse: (end: Error) => void = () => {};

  constructor(channel: string, handler: Handler, after: string | undefined, report: (problem: unknown) => void) {
    this.channel = channel;
    this.position = after;
    this.#handler = handler;
    this.#report = report;
    this.ready = new Promise((resolve, reject) => {
      this.#accept = resolve;
      this.#refuse = reject;
    });
    this.ready.catch(() => {});
  }

  /** The server has accepted the subscription. Without a position to resume after, events may be missing. */
  accepted(recovered: boolean | undefined): void {
    this.requestId = undefined;
    this.attempt = 0;
    if (recovered === false) this.#gap('expired');
    else if (recovered === undefined && this.#isAccepted) this.#gap('no_position');
    this.#isAccepted = true;
    this.#accept();
  }

  /** Takes an event, unless it is of an earlier subscription to the channel. */
  take(event: ChannelEvent): void {
    if (this.requestId !== undefined || this.#known.has(event.id)) return;
    this.#remember(event.id);
    if (isPosition(this.channel, event.event_type)) this.position = event.id;
    this.#call(() => this.#handler.event(event));
  }

  end(code: string, message: string): void {
    this.stop(`${code}: ${message}`);
    const end: SubscriptionEnd = { channel: this.channel, code, message };
    this.#call(() => this.#handler.ended?.(end));
  }

  stop(reason = 'closed'): void {
    clearTimeout(this.timer);
    this.#refuse(new Error(`The subscription to ${this.channel} has ended: ${reason}`));
  }

  #gap(reason: Gap['reason']): void {
    const gap: Gap = { channel: this.channel, after: this.position, recovered: false, reason };
    // An event before the gap is no position any more.
    this.position = undefined;
    this.#call(() => this.#handler.gap(gap));
  }

  #remember(id: string): void {
    this.#known.add(id);
    const [oldest] = this.#known;
    if (this.#known.size > MAX_KNOWN_IDS && oldest !== undefined) this.#known.delete(oldest);
  }

  /** A handler that throws does not end the socket. */
  #call(handle: () => void): void {
    try {
      handle();
    } catch (problem) {
      this.#report(problem);
    }
  }
}
