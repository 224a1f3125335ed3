/** Refusal of a call or broadcast, or an end of the connection before its answer. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  /** Code of the server, `CONNECTION_LOST` (the outcome is unknown), `TIMEOUT` or `CLOSED`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

interface Pending {
  frame: object;
  isSent: boolean;
  timer: ReturnType<typeof setTimeout>;
  resolve: (data: unknown) => void;
  reject: (problem: RequestError) => void;
}

/** Requests that wait for an answer. Those that were not sent survive the loss of a connection. */
export class Requests {
  readonly #pending = new Map<string, Pending>();

  get isEmpty(): boolean {
    return this.#pending.size === 0;
  }

  add(id: string, frame: object, timeout: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.fail(id, 'TIMEOUT', `No answer within ${timeout} ms`), timeout);
      this.#pending.set(id, { frame, isSent: false, timer, resolve, reject });
    });
  }

  send(send: (frame: object) => void): void {
    for (const request of this.#pending.values()) {
      if (request.isSent) continue;
      request.isSent = true;
      send(request.frame);
    }
  }

  answer(id: string, data: unknown): void {
    this.#take(id)?.resolve(data);
  }

  /** Returns false when no request has the id. */
  fail(id: string, code: string, message: string): boolean {
    const request = this.#take(id);
    request?.reject(new RequestError(code, message));
    return request !== undefined;
  }

  /** Rejects those that were sent; with `all` also those that wait. */
  lost(code: string, message: string, all: boolean): void {
    for (const [id, request] of [...this.#pending]) {
      if (all || request.isSent) this.fail(id, code, message);
    }
  }

  #take(id: string): Pending | undefined {
    const request = this.#pending.get(id);
    if (request) clearTimeout(request.timer);
    this.#pending.delete(id);
    return request;
  }
}
