/** Frames in a window: fewer than the 60 of the server, which also counts pongs (docs/reference/realtime.md#limits). */
const MAX_FRAMES = 45;
const WINDOW = 10_000;

/** Sends frames in their order and holds back those beyond the rate that the server allows. */
export class Pacer {
  readonly #send: (text: string) => void;
  readonly #waiting: string[] = [];
  readonly #sent: number[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  push(text: string): void {
    this.#waiting.push(text);
    if (this.#timer === undefined) this.#drain();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#waiting.length = 0;
  }

  #drain(): void {
    this.#timer = undefined;
    while (this.#waiting.length > 0) {
      const wait = this.#wait();
      if (wait > 0) {
        this.#timer = setTimeout(() => this.#drain(), wait);
        return;
      }
      this.#sent.push(Date.now());
      this.#send(this.#waiting.shift() ?? '');
    }
  }

  /** Milliseconds until the next frame may be sent. */
  #wait(): number {
    const now = Date.now();
    while (this.#sent[0] !== undefined && this.#sent[0] <= now - WINDOW) this.#sent.shift();
    const first = this.#sent[0];
    return this.#sent.length < MAX_FRAMES || first === undefined ? 0 : first + WINDOW - now;
  }
}
