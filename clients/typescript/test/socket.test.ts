import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { WebSocket } from 'ws';

import { createClient, headerSockets, type ChannelEvent, type Gap, type LumioSocket, type SubscriptionEnd } from '../src/index.js';
import { eventually, FakeServer } from './fake-server.js';

const CHAT = 'chat:0190a000-0000-7000-8000-000000000001';

class Recorder {
  readonly ids: string[] = [];
  readonly gaps: Gap[] = [];
  readonly ends: SubscriptionEnd[] = [];
  event = (event: ChannelEvent): void => void this.ids.push(event.id);
  gap = (gap: Gap): void => void this.gaps.push(gap);
  ended = (end: SubscriptionEnd): void => void this.ends.push(end);
}

let server: FakeServer;
let socket: LumioSocket;
let problems: unknown[];

function open(token: string | ((expired: boolean) => string) = 'lm_token'): LumioSocket {
  const client = createClient({ url: server.url, token, openSocket: headerSockets(WebSocket) });
  return client.socket({ backoff: { base: 4, max: 20 }, problem: (problem) => problems.push(problem) });
}

beforeEach(async () => {
  server = await FakeServer.start();
  problems = [];
  socket = open();
});

afterEach(async () => {
  socket.close();
  await server.stop();
});

test('socket loses and doubles no event while its connections are cut at random', async () => {
  const [first, second] = [new Recorder(), new Recorder()];
  const other = 'events:0190a000-0000-7000-8000-000000000001';
  const start = server.publish(CHAT, 'chat:message');
  const otherStart = server.publish(other, 'event:new');
  socket.subscribe(CHAT, first, { after: start });
  socket.subscribe(other, second, { after: otherStart });
  server.chaos = 0.05;
  for (let round = 0; round < 400; round += 1) {
    server.publish(CHAT, 'chat:message', { round });
    if (round % 3 === 0) server.publish(other, 'event:new', { round });
    if (round % 50 === 25) server.cut();
    server.refuse = () => (Math.random() < 0.2 ? 503 : 0);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
  }
  server.chaos = 0;
  const expected = (channel: string) => server.log(channel).slice(1).map(({ id }) => id);
  await eventually(() => first.ids.length >= 400 && second.ids.length >= 134, 'every event');
  assert.deepEqual(first.ids, expected(CHAT));
  assert.deepEqual(second.ids, expected(other));
  assert.deepEqual([...first.gaps, ...second.gaps], []);
  assert.ok(server.upgrades > 10, `only ${server.upgrades} connections`);
  const cursors = server.received.filter(({ type, channel }) => type === 'subscribe' && channel === CHAT);
  assert.ok(new Set(cursors.map(({ after }) => after)).size > 5, 'the position does not advance');
});

test('subscription hands a gap when the log no longer holds its position', async () => {
  const recorder = new Recorder();
  const subscription = socket.subscribe(CHAT, recorder);
  await subscription.ready;
  const last = server.publish(CHAT, 'chat:message');
  await eventually(() => recorder.ids.length === 1, 'the first event');
  assert.equal(subscription.position, last);
  server.log(CHAT).length = 0;
  server.cut();
  await eventually(() => recorder.gaps.length === 1, 'the gap');
  assert.deepEqual(recorder.gaps[0], { channel: CHAT, after: last, recovered: false, reason: 'expired' });
  const next = server.publish(CHAT, 'chat:message');
  await eventually(() => recorder.ids.length === 2, 'the live event');
  assert.deepEqual(recorder.ids, [last, next]);
});

test('subscription hands a gap when it had no event to resume after', async () => {
  const recorder = new Recorder();
  await socket.subscribe(CHAT, recorder).ready;
  server.cut();
  await eventually(() => recorder.gaps.length === 1, 'the gap');
  assert.deepEqual(recorder.gaps[0], { channel: CHAT, after: undefined, recovered: false, reason: 'no_position' });
});

test('subscription resumes after the last event of the log, not after one that no log holds', async () => {
  const channel = 'ext-storage:0190a000-0000-7000-8000-000000000001';
  const recorder = new Recorder();
  const subscription = socket.subscribe(channel, recorder);
  await subscription.ready;
  const logged = server.publish(channel, 'storage:updated');
  server.publish(channel, 'ext:push', {}, { isLogged: false });
  await eventually(() => recorder.ids.length === 2, 'both events');
  assert.equal(subscription.position, logged);
});

test('events that a surface repeats after a resume are dropped', async () => {
  const channel = 'overlay:abcdefghjkmn';
  const recorder = new Recorder();
  await socket.subscribe(channel, recorder).ready;
  const ids = [server.publish(channel, 'chat:message'), server.publish(channel, 'chat:message')];
  await eventually(() => recorder.ids.length === 2, 'both events');
  for (const { frame } of server.log(channel)) server.send(JSON.parse(frame) as object);
  const last = server.publish(channel, 'chat:message');
  await eventually(() => recorder.ids.length === 3, 'the last event');
  assert.deepEqual(recorder.ids, [...ids, last]);
});

test('close codes end the socket, renew its token, or let it rest', async () => {
  for (const [code, reason] of [[4002, 'token revoked'], [4008, 'rate limit'], [1009, 'message larger than 64 KiB'], [4001, 'token expired']] as const) {
    const recorder = new Recorder();
    const own = open();
    await own.subscribe(CHAT, recorder).ready;
    server.close(code, reason);
    assert.deepEqual(await own.ended, { code, reason });
    assert.deepEqual(recorder.ends, [{ channel: CHAT, code: String(code), message: reason }]);
  }
  const asked: boolean[] = [];
  const recorder = new Recorder();
  const renewing = open((expired) => {
    asked.push(expired);
    return expired ? 'lm_new' : 'lm_old';
  });
  const subscription = renewing.subscribe(CHAT, recorder);
  await subscription.ready;
  server.publish(CHAT, 'chat:message');
  await eventually(() => recorder.ids.length === 1, 'the first event');
  server.close(4001, 'token expired');
  await eventually(() => server.tokens.at(-1) === 'Bearer lm_new', 'the new token');
  server.publish(CHAT, 'chat:message');
  await eventually(() => recorder.ids.length === 2, 'the second event');
  assert.deepEqual([asked, recorder.gaps], [[false, true], []]);

  subscription.close();
  const before = server.upgrades;
  server.close(4008, 'no subscription');
  await eventually(() => renewing.state === 'resting', 'the rest');
  assert.equal(server.upgrades, before);
  await renewing.subscribe(CHAT, recorder).ready;
  renewing.close();
});

test('refused handshakes end the socket by their status', async () => {
  server.refuse = () => 401;
  const recorder = new Recorder();
  const subscription = socket.subscribe(CHAT, recorder);
  await assert.rejects(subscription.ready);
  assert.deepEqual(await socket.ended, { code: 401, reason: 'The handshake was refused' });

  const renewing = open((expired) => (expired ? 'lm_new' : 'lm_old'));
  const statuses = [503, 429, 401];
  server.refuse = () => statuses.shift() ?? 0;
  await renewing.subscribe(CHAT, recorder).ready;
  assert.equal(server.tokens.at(-1), 'Bearer lm_new');
  renewing.close();
  assert.deepEqual(await renewing.ended, { code: 1000, reason: '' });
});

test('subscription ends by refusals and reasons, and repeats what passes', async () => {
  const recorder = new Recorder();
  server.special = ({ type, channel, request_id }, peer) => {
    if (type !== 'subscribe') return false;
    peer.send(JSON.stringify({ type: 'error', code: 'UNAUTHORIZED', message: 'Not allowed', channel, request_id }));
    return true;
  };
  await assert.rejects(socket.subscribe(CHAT, recorder).ready, /UNAUTHORIZED/);
  assert.deepEqual(recorder.ends, [{ channel: CHAT, code: 'UNAUTHORIZED', message: 'Not allowed' }]);

  let failures = 3;
  server.special = ({ type, request_id }, peer) => {
    if (type !== 'subscribe' || failures === 0) return false;
    failures -= 1;
    peer.send(JSON.stringify({ type: 'error', code: 'INTERNAL_SERVER_ERROR', message: 'no events', request_id }));
    return true;
  };
  await socket.subscribe(CHAT, recorder).ready;
  assert.equal(failures, 0);
  server.send({ type: 'unsubscribed', channel: CHAT, reason: 'permission_revoked' });
  await eventually(() => recorder.ends.length === 2, 'the end');
  assert.equal(recorder.ends[1]?.code, 'permission_revoked');
});

test('calls and broadcasts are answered, refused, or lost with their connection', async () => {
  const install = '0190a000-0000-7000-8000-000000000001';
  assert.deepEqual(await socket.call(install, 'hello', { name: 'x' }), { called: 'hello' });
  await socket.broadcast(`overlay-editor:${install}`, 'presence:cursor', { x: 1 });
  server.special = ({ type, request_id }, peer) => {
    if (type === 'broadcast') peer.send(JSON.stringify({ type: 'error', code: 'FORBIDDEN', message: 'no', request_id }));
    return true;
  };
  await assert.rejects(socket.broadcast(`overlay-editor:${install}`, 'presence:cursor', {}), { code: 'FORBIDDEN' });
  const lost = socket.call(install, 'hello');
  await eventually(() => server.received.filter(({ type }) => type === 'call').length === 2, 'the call');
  server.cut();
  await assert.rejects(lost, { code: 'CONNECTION_LOST' });
});

test('handler that throws ends nothing', async () => {
  const recorder = new Recorder();
  await socket.subscribe(CHAT, { ...recorder, event: () => { throw new Error('a mistake'); } }).ready;
  server.publish(CHAT, 'chat:message');
  await eventually(() => problems.length === 1, 'the problem');
  assert.equal(socket.state, 'open');
  assert.throws(() => socket.subscribe(CHAT, recorder), /There is a subscription/);
});
