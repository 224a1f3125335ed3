// The connection: one socket with one channel, opened again after a loss, with what was missed.

const PING_INTERVAL_MS = 25_000;
const MAX_SILENCE_MS = 60_000;
const MAX_BACKOFF_MS = 30_000;
const CLOSED_RETRY_MS = 60_000;
/** Upgrades refused one after the other until the page says so. */
const MAX_SILENT_FAILURES = 3;
/** Close codes that end the page for good. */
const FINAL_CODES = [4001, 4002];

class Connection {
  /** `listener` has `snapshot(data, isAfresh)`, `event(type, data, meta)`, `mayDrop(type)`, `stopped(message)` and
   *  `unreachable()`. */
  constructor({ kind, id, token }, listener) {
    Object.assign(this, { channel: `${kind}:${id}`, token, listener });
    Object.assign(this, { socket: null, attempts: 0, cursor: null, isAfresh: false, missedFollow: false });
    Object.assign(this, { hasSubscribed: false, isOver: false, heard: 0, retry: null });
    setInterval(() => this.check(), PING_INTERVAL_MS);
    this.open();
  }

  open() {
    this.retry = null;
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = new WebSocket(`${scheme}://${location.host}/v1/ws?token=${encodeURIComponent(this.token)}`);
    Object.assign(this, { socket, heard: performance.now() });
    let isOpen = false;
    socket.onopen = () => (isOpen = true);
    socket.onmessage = ({ data }) => {
      this.heard = performance.now();
      const frame = JSON.parse(data);
      work(() => this.take(frame), this.listener.mayDrop(frame.event_type));
    };
    socket.onclose = ({ code }) => {
      // What arrived before the end comes first.
      work(() => this.lost(code, isOpen));
    };
  }

  send(frame) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(frame));
  }

  /** Subscribes, after the last event where there was one. */
  subscribe() {
    const after = this.cursor === null ? {} : { after: this.cursor };
    this.send({ type: 'subscribe', channel: this.channel, ...after });
  }

  take(frame) {
    if (this.isOver) return;
    if (frame.type === 'connected') {
      setServerTime(frame.server_time);
      this.subscribe();
    } else if (frame.channel === this.channel || frame.channel === undefined) {
      if (frame.type === 'subscribed') this.subscribed(frame);
      if (frame.type === 'event') this.event(frame);
      if (frame.type === 'unsubscribed' && frame.reason) this.closed(frame.reason);
      if (frame.type === 'error') this.refused(frame.code);
    }
  }

  subscribed({ recovered }) {
    this.attempts = 0;
    this.isAfresh = this.hasSubscribed && recovered !== true;
    this.missedFollow = recovered === true;
    this.hasSubscribed = true;
  }

  event({ event_type: type, data, id, timestamp }) {
    const isSnapshot = type.endsWith(':snapshot');
    // Missed events follow the state, so they are older than it. Pushes are not kept by the server.
    if (!(isSnapshot && this.missedFollow) && type !== 'ext:push') this.cursor = id ?? this.cursor;
    if (isSnapshot) this.missedFollow = false;
    if (!isNew(id)) return;
    const meta = { id, timestamp, age_ms: Math.max(0, serverTime() - Date.parse(timestamp)) };
    if (isSnapshot) {
      this.listener.snapshot(data, this.isAfresh);
      this.isAfresh = false;
    } else {
      this.listener.event(type, data, meta);
    }
  }

  refused(code) {
    if (code === 'TOKEN_EXPIRED' || code === 'TOKEN_REVOKED') this.end('revoked');
    else if (code === 'UNAUTHORIZED' || code === 'INVALID_CHANNEL') this.end('foreign');
    else if (code === 'FEATURE_DISABLED') this.closed('feature_disabled');
    else if (code === 'INTERNAL_SERVER_ERROR') this.socket.close();
  }

  closed(reason) {
    if (reason === 'resource_deleted') this.end('deleted');
    else if (reason === 'permission_revoked') this.end('revoked');
    else {
      this.listener.stopped('disabled');
      this.leave();
      this.retry = setTimeout(() => this.open(), CLOSED_RETRY_MS);
    }
  }

  lost(code, wasOpen) {
    if (this.isOver || this.retry !== null) return;
    if (FINAL_CODES.includes(code)) {
      this.end('revoked');
      return;
    }
    this.attempts += 1;
    if (!wasOpen && this.attempts >= MAX_SILENT_FAILURES) this.listener.unreachable();
    const longest = Math.min(MAX_BACKOFF_MS, 1000 * 2 ** Math.min(this.attempts, 10));
    this.retry = setTimeout(() => this.open(), 1000 + Math.random() * (longest - 1000));
  }

  /** Sends a ping; a socket without an answer is given up. */
  check() {
    if (this.isOver || this.retry !== null) return;
    if (performance.now() - this.heard > MAX_SILENCE_MS) {
      this.leave();
      this.lost(1006, true);
    } else {
      this.send({ type: 'ping' });
    }
  }

  /** Leaves the present socket without waiting for its end. */
  leave() {
    const { socket } = this;
    if (socket === null) return;
    Object.assign(socket, { onopen: null, onmessage: null, onclose: null });
    socket.close();
    this.socket = null;
  }

  /** Ends the page for good. */
  end(message) {
    if (this.isOver) return;
    this.isOver = true;
    this.leave();
    keepToken(null);
    this.listener.stopped(message);
  }
}
