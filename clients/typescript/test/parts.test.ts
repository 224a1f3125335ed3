import assert from 'node:assert/strict';
import { test } from 'node:test';

import { pause } from '../src/socket/backoff.js';
import { consequence, ofHandshake } from '../src/socket/closing.js';
import { queryTokens } from '../src/socket/credentials.js';
import { browserSockets } from '../src/socket/open.js';
import { Pacer } from '../src/socket/pacing.js';

test('pause is any time up to a ceiling that doubles to 30 seconds', () => {
  const ceilings = [0, 1, 2, 3, 4, 5, 6, 40].map((attempt) => pause({ base: 1000, max: 30_000, random: () => 1 }, attempt));
  assert.deepEqual(ceilings, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  assert.equal(pause({ base: 1000, max: 30_000, random: () => 0 }, 3), 0);
});

test('pacer holds back frames beyond 45 in ten seconds and keeps their order', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const sent: string[] = [];
  const pacer = new Pacer((text) => sent.push(text));
  const all = Array.from({ length: 100 }, (_, number) => String(number));
  for (const text of all) pacer.push(text);
  assert.equal(sent.length, 45);
  context.mock.timers.tick(9_999);
  assert.equal(sent.length, 45);
  context.mock.timers.tick(1);
  assert.equal(sent.length, 90);
  context.mock.timers.tick(10_000);
  assert.deepEqual(sent, all);
});

test('consequence follows the published close codes, and codes of proxies reconnect', () => {
  const of = (code: number, reason = '', canRenew = false) => consequence(code, reason, canRenew);
  assert.deepEqual([1001, 4003, 1005, 1006, 1011, 1012, 1000].map((code) => of(code)), Array(7).fill('reconnect'));
  assert.deepEqual([1002, 1003, 1007, 1009, 4002].map((code) => of(code, '', true)), Array(5).fill('end'));
  assert.deepEqual([of(4001), of(4001, '', true)], ['end', 'renew']);
  assert.deepEqual([of(4008, 'rate limit'), of(4008, 'no subscription')], ['end', 'rest']);
  assert.equal(of(1001, 'events were lost, resume'), 'reconnect');
});

test('handshake is repeated unless the server refuses the client', () => {
  const statuses = [undefined, 408, 429, 500, 503].map((status) => ofHandshake(status, false, false));
  assert.deepEqual(statuses, Array(5).fill('reconnect'));
  assert.deepEqual([400, 403, 404].map((status) => ofHandshake(status, true, false)), Array(3).fill('end'));
  assert.deepEqual([ofHandshake(401, true, false), ofHandshake(401, true, true)], ['renew', 'end']);
});

test('credentials of addresses are never keys', async () => {
  const issue = async () => ({ data: { ws_token: 'lm_short' } });
  const of = (token: string) => queryTokens(async () => token, issue)(false);
  assert.equal(await of('lm_usr_1'), 'lm_short');
  assert.equal(await of('lm_overlay_1'), 'lm_overlay_1');
  await assert.rejects(of('lm_svc_1'), { name: 'UsageError' });
});

test('browser sockets send the token in the query', () => {
  const urls: string[] = [];
  class Recorded {
    constructor(url: string) {
      urls.push(url);
    }
  }
  const open = browserSockets(Recorded);
  open('wss://api.example.org/v1/ws', 'a b');
  open('wss://api.example.org/v1/ws', undefined);
  assert.deepEqual(urls, ['wss://api.example.org/v1/ws?token=a%20b', 'wss://api.example.org/v1/ws']);
  assert.equal(open.sendsHeaders, false);
});
