// Plays against the stack that `scripts/clients --live` has started.
import assert from 'node:assert/strict';
import { WebSocket } from 'ws';

import * as documents from '../src/generated/graphql.js';
import { browserSockets, createClient, entries, headerSockets, LumioError, unwrap, type ChannelEvent, type Gap, type OpenSocket } from '../src/index.js';
import { eventually } from './fake-server.js';

const EVENTS = 300;
const url = process.env['LUMIO_URL'] ?? '';
const token = process.env['LUMIO_TOKEN'] ?? '';
const session = process.env['LUMIO_SESSION'] ?? '';

/** Sockets that keep the one that is open, so that it can be cut. */
const cuttable = (open: OpenSocket) => {
  let current: WebSocket | undefined;
  const wrapped = (address: string, credential: string | undefined) => {
    const socket = open(address, credential);
    current = socket as unknown as WebSocket;
    return socket;
  };
  return { open: Object.assign(wrapped, { sendsHeaders: open.sendsHeaders }), cut: () => current?.terminate() };
};

const { open, cut } = cuttable(headerSockets(WebSocket));
const client = createClient({ url, token, openSocket: open });

await restAndGraphqlAgree();
await everyQueryIsWithinTheBounds();
await refusalsAreErrors();
await socketLosesNothingWhileItIsCut(client, cut);
await browsersExchangeTheirKey();
await gapsAndRevocations();
console.log('    TypeScript: REST, GraphQL and the socket answer as the documents say');

async function restAndGraphqlAgree(): Promise<void> {
  const { data } = await unwrap(client.rest.GET('/v1/connections/channel'));
  const { channelConnections } = await client.graphql(documents.ChannelConnectionsDocument);
  assert.ok(data.length >= 2);
  assert.deepEqual(data.map((connection) => connection.channel_name), channelConnections.map((connection) => connection.channelName));
  const { me } = await client.graphql(documents.MeDocument);
  assert.equal(me.id, (await unwrap(client.rest.GET('/v1/users/me'))).data.id);
  const ids = new Set<string>();
  for await (const event of entries((page) => client.rest.GET('/v1/events', { params: { query: { page, limit: 2 } } }))) ids.add(event.id);
  const { events } = await client.graphql(documents.EventsDocument, { filter: { limit: 1 } });
  assert.equal(ids.size, events.total);
}

/** Executes every query; those with required variables are sent without, and stop at the check of the variables. */
async function everyQueryIsWithinTheBounds(): Promise<void> {
  const texts = Object.values(documents).map(String).filter((text) => /^\s*query /.test(text));
  assert.ok(texts.length > 200, `only ${texts.length} queries`);
  for (const text of texts) {
    const variables = text.includes('$limit: Int') ? { limit: 50 } : {};
    const problem = await client.graphql(new documents.TypedDocumentString<unknown, Record<string, unknown>>(text), variables).catch((problem: unknown) => problem);
    if (!(problem instanceof LumioError)) continue;
    const [head = ''] = text.trim().split('\n');
    const isRequired = /: [\w[\]!]+!/.test(head);
    assert.ok(problem.code !== 'QUERY_TOO_COMPLEX' && problem.code !== 'GRAPHQL_PARSE_FAILED', `${head} ${problem.message}`);
    assert.ok(isRequired || problem.code !== 'GRAPHQL_VALIDATION_FAILED', `${head} ${problem.message}`);
  }
}

async function refusalsAreErrors(): Promise<void> {
  const params = { path: { id: crypto.randomUUID() } };
  const missing = await unwrap(client.rest.GET('/v1/overlays/{id}', { params })).catch((problem: unknown) => problem);
  assert.ok(missing instanceof LumioError && missing.code === 'NOT_FOUND' && missing.status === 404 && missing.requestId);
  const anonymous = createClient({ url });
  await assert.rejects(unwrap(anonymous.rest.GET('/v1/users/me')), { code: 'UNAUTHORIZED', status: 401 });
  await assert.rejects(anonymous.graphql(documents.MeDocument), { code: 'UNAUTHORIZED' });
}

async function accountId(): Promise<string> {
  return (await unwrap(client.rest.GET('/v1/tokens/me'))).data.account_id ?? '';
}

async function emit(number: number): Promise<string> {
  const body = { event_type: 'custom:clients', is_test: false, data: { number } };
  return (await unwrap(client.rest.POST('/v1/events', { body }))).data.id;
}

async function socketLosesNothingWhileItIsCut(from: typeof client, cutNow: () => void): Promise<void> {
  const socket = from.socket({ backoff: { base: 20, max: 200 } });
  const numbers: number[] = [];
  const gaps: Gap[] = [];
  const event = (event: ChannelEvent<'events'>) => {
    if (event.event_type !== 'event:new' || event.data.event_type !== 'custom:clients') return;
    const { number } = event.data.data;
    assert.ok(typeof number === 'number');
    numbers.push(number);
  };
  await socket.subscribe(`events:${await accountId()}`, { event, gap: (gap) => gaps.push(gap) }).ready;
  // The first event gives the subscription a position.
  await emit(0);
  await eventually(() => numbers.length === 1, 'the first event');
  let states = 0;
  const cutting = setInterval(() => {
    if (Math.random() < 0.4) {
      states += 1;
      cutNow();
    }
  }, 50);
  for (let number = 1; number < EVENTS; number += 1) await emit(number);
  clearInterval(cutting);
  await eventually(() => numbers.length >= EVENTS, 'every event');
  assert.deepEqual(numbers, Array.from({ length: EVENTS }, (_, number) => number));
  assert.deepEqual(gaps, []);
  assert.ok(states > 3, `the socket was cut ${states} times only`);
  socket.close();
}

async function browsersExchangeTheirKey(): Promise<void> {
  const browser = createClient({ url, token, openSocket: browserSockets(WebSocket) });
  const socket = browser.socket();
  await socket.subscribe(`account:${await accountId()}`, { event: () => {}, gap: () => {} }).ready;
  socket.close();
  const refused = createClient({ url, token: 'lm_wrong', openSocket: browserSockets(WebSocket) }).socket();
  const subscription = refused.subscribe(`account:${await accountId()}`, { event: () => {}, gap: () => {} });
  await assert.rejects(subscription.ready);
  assert.equal((await refused.ended).code, 401);
}

async function gapsAndRevocations(): Promise<void> {
  const owner = createClient({ url, token: session });
  const { data } = await unwrap(owner.rest.POST('/v1/api-keys', { body: { label: 'short', permissions: ['events:read'] } }));
  const socket = createClient({ url, token: data.key, openSocket: headerSockets(WebSocket) }).socket();
  const gaps: Gap[] = [];
  const after = '0190a000-0000-7000-8000-000000000001';
  await socket.subscribe(`events:${await accountId()}`, { event: () => {}, gap: (gap) => gaps.push(gap) }, { after }).ready;
  assert.deepEqual(gaps.map((gap) => [gap.after, gap.reason]), [[after, 'expired']]);
  const chat = socket.subscribe(`chat:${await accountId()}`, { event: () => {}, gap: () => {} });
  await assert.rejects(chat.ready, /UNAUTHORIZED/);
  await unwrap(owner.rest.DELETE('/v1/api-keys/{id}', { params: { path: { id: data.id } } }));
  assert.deepEqual(await socket.ended, { code: 4002, reason: 'token revoked' });
}
