import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

interface LoggedEvent {
  id: string;
  frame: string;
}

interface Received {
  type: string;
  channel?: string;
  after?: string;
  request_id?: string;
  [key: string]: unknown;
}

/** Server with the log and the answers of the real one. `chaos` cuts connections at any moment. */
export class FakeServer {
  readonly logs = new Map<string, LoggedEvent[]>();
  readonly received: Received[] = [];
  readonly tokens: (string | undefined)[] = [];
  /** Number of upgrades. */
  upgrades = 0;
  /** Status for the next upgrades; 0 accepts. */
  refuse: () => number = () => 0;
  /** Likelihood that a connection is cut before a frame is sent. */
  chaos = 0;
  /** Answers a frame; returns true when it did. */
  special: (frame: Received, socket: WebSocket) => boolean = () => false;
  readonly #http: Server;
  readonly #sockets = new Map<WebSocket, Set<string>>();
  #lastId = 0;

  private constructor(http: Server) {
    this.#http = http;
    const sockets = new WebSocketServer({ noServer: true });
    http.on('upgrade', (request, stream, head) => {
      this.upgrades += 1;
      const status = this.refuse();
      if (status) {
        stream.end(`HTTP/1.1 ${status} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
        return;
      }
      this.tokens.push(request.headers.authorization);
      sockets.handleUpgrade(request, stream, head, (socket) => this.#accept(socket));
    });
  }

  static async start(): Promise<FakeServer> {
    const http = createServer((_, answer) => answer.writeHead(404).end());
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    return new FakeServer(http);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets.keys()) socket.terminate();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  /** Appends an event to the log of a channel and sends it to the listeners. */
  publish(channel: string, eventType: string, data: unknown = {}, { isLogged = true } = {}): string {
    this.#lastId += 1;
    const id = `01900000-0000-7000-8000-${String(this.#lastId).padStart(12, '0')}`;
    const frame = JSON.stringify({ type: 'event', channel, event_type: eventType, data, id, timestamp: 'now' });
    if (isLogged) this.log(channel).push({ id, frame });
    for (const [socket, channels] of this.#sockets) {
      if (channels.has(channel)) this.#send(socket, frame);
    }
    return id;
  }

  log(channel: string): LoggedEvent[] {
    const log = this.logs.get(channel) ?? [];
    this.logs.set(channel, log);
    return log;
  }

  close(code: number, reason: string): void {
    for (const socket of this.#sockets.keys()) socket.close(code, reason);
  }

  cut(): void {
    for (const socket of this.#sockets.keys()) socket.terminate();
  }

  send(frame: object): void {
    for (const socket of this.#sockets.keys()) socket.send(JSON.stringify(frame));
  }

  #accept(socket: WebSocket): void {
    this.#sockets.set(socket, new Set());
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => {});
    socket.on('message', (data) => this.#answer(socket, JSON.parse(String(data)) as Received));
    this.#say(socket, { type: 'connected', session_id: 's', heartbeat_interval_ms: 30_000, server_time: 'now' });
  }

  #answer(socket: WebSocket, frame: Received): void {
    this.received.push(frame);
    const { type, channel = '', request_id } = frame;
    if (this.special(frame, socket)) return;
    if (type === 'subscribe') this.#subscribe(socket, frame);
    else if (type === 'unsubscribe') {
      this.#sockets.get(socket)?.delete(channel);
      this.#say(socket, { type: 'unsubscribed', channel });
    } else if (type === 'broadcast') this.#say(socket, { type: 'ack', request_id });
    else if (type === 'call') this.#say(socket, { type: 'result', request_id, data: { called: frame['function'] } });
    else if (type === 'ping') this.#say(socket, { type: 'pong' });
  }

  #subscribe(socket: WebSocket, { channel = '', after, request_id }: Received): void {
    const log = this.log(channel);
    const at = log.findIndex(({ id }) => id === after);
    const answer = { type: 'subscribed', channel, request_id };
    this.#sockets.get(socket)?.add(channel);
    this.#say(socket, after === undefined ? answer : { ...answer, recovered: at >= 0 });
    if (after !== undefined && at >= 0) for (const { frame } of log.slice(at + 1)) this.#send(socket, frame);
  }

  #say(socket: WebSocket, frame: object): void {
    this.#send(socket, JSON.stringify(frame));
  }

  #send(socket: WebSocket, text: string): void {
    if (Math.random() < this.chaos) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.send(text);
  }
}

/** Waits until a condition holds; only a hang reaches the deadline. */
export async function eventually(holds: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`still waiting for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
