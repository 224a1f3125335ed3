import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createClient, entries, LumioError, unwrap, type ClientOptions } from '../src/index.js';
import { EventsDocument, MeDocument } from '../src/generated/graphql.js';

interface Recorded {
  request: Request;
  body: string;
}

/** Client of a server that answers with the given responses, in order. */
function client(answers: Response[], options: Partial<ClientOptions> = {}) {
  const requests: Recorded[] = [];
  const fetch = async (input: RequestInfo | URL): Promise<Response> => {
    const request = input as Request;
    requests.push({ request, body: await request.clone().text() });
    const answer = answers.shift();
    assert.ok(answer, 'one request too many');
    return answer;
  };
  return { requests, ...createClient({ url: 'https://api.test/', token: 'lm_1', fetch, ...options }) };
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });

test('unwrap returns the body of an answer and throws any body of an error', async () => {
  const { rest, requests } = client([
    json({ data: [], _links: { self: '/v1/connections/channel' } }),
    json({ error: 'VALIDATION_ERROR', message: 'no', details: { fields: [] } }, 400, { 'X-Request-Id': 'r-1' }),
    json({ error: { code: 'extension_not_found', message: 'none', status: 404, fields: ['a'] } }, 404),
    json({ error: 'Account creation is currently disabled', error_code: 'account_creation_disabled' }, 403),
    new Response('<html>', { status: 502 }),
  ]);
  assert.deepEqual((await unwrap(rest.GET('/v1/connections/channel'))).data, []);
  assert.equal(requests[0]?.request.headers.get('Authorization'), 'Bearer lm_1');
  assert.equal(requests[0]?.request.url, 'https://api.test/v1/connections/channel');
  const failures = [];
  for (let index = 0; index < 4; index += 1) {
    failures.push(await unwrap(rest.GET('/v1/connections/channel')).catch((problem: LumioError) => problem) as LumioError);
  }
  const fields = failures.map(({ code, status, message, details, requestId }) => ({ code, status, message, details, requestId }));
  assert.deepEqual(fields, [
    { code: 'VALIDATION_ERROR', status: 400, message: 'no', details: { fields: [] }, requestId: 'r-1' },
    { code: 'extension_not_found', status: 404, message: 'none', details: { fields: ['a'] }, requestId: undefined },
    { code: 'ACCOUNT_CREATION_DISABLED', status: 403, message: 'Account creation is currently disabled', details: {}, requestId: undefined },
    { code: 'HTTP_502', status: 502, message: 'The server answered 502', details: {}, requestId: undefined },
  ]);
});

test('requests are repeated after 429 and with a renewed token after 401', async () => {
  const expirations: boolean[] = [];
  const token = (expired: boolean) => {
    expirations.push(expired);
    return expired ? 'lm_new' : 'lm_old';
  };
  const refused = json({ error: 'UNAUTHORIZED', message: 'no' }, 401);
  const limited = json({ error: 'RATE_LIMIT_EXCEEDED', message: 'no' }, 429, { 'Retry-After': '0' });
  const { rest, requests } = client([refused, limited, json({ data: {}, _links: {} }, 201)], { token });
  await unwrap(rest.POST('/v1/overlays', { body: { name: 'Scene' } }));
  assert.deepEqual(requests.map(({ request }) => request.headers.get('Authorization')), ['Bearer lm_old', 'Bearer lm_new', 'Bearer lm_new']);
  assert.deepEqual(requests.map(({ body }) => body), Array(3).fill('{"name":"Scene"}'));
  assert.deepEqual(expirations, [false, true, true]);

  const later = json({ error: 'REFRESH_COOLDOWN', message: 'no' }, 429, { 'Retry-After': '600' });
  const patient = client([later]);
  const problem = await unwrap(patient.rest.GET('/v1/users/me')).catch((problem: LumioError) => problem);
  assert.equal((problem as LumioError).retryAfter, 600);
});

test('entries reads every page', async () => {
  const page = (number: number) => json({ data: [{ id: `e${number}` }], _links: {}, _meta: { total: 3, page: number, limit: 1, pages: 3 } });
  const { rest, requests } = client([page(1), page(2), page(3)]);
  const ids: string[] = [];
  for await (const event of entries((page) => rest.GET('/v1/events', { params: { query: { page, limit: 1 } } }))) ids.push(event.id);
  assert.deepEqual(ids, ['e1', 'e2', 'e3']);
  assert.equal(requests[2]?.request.url, 'https://api.test/v1/events?page=3&limit=1');
});

test('uploads are sent as a form', async () => {
  const { rest, requests } = client([json({ data: {}, _links: {} }, 201)]);
  await unwrap(rest.POST('/v1/uploads', { body: { file: new Blob(['x'], { type: 'image/png' }), purpose: 'overlay_asset' } }));
  assert.match(requests[0]?.request.headers.get('Content-Type') ?? '', /^multipart\/form-data; boundary=/);
  assert.match(requests[0]?.body ?? '', /name="purpose"\r\n\r\noverlay_asset/);
});

test('graphql returns data, and throws the first of its errors with the rest of the data', async () => {
  const { graphql, requests } = client([
    json({ data: { me: { id: 'u' } } }),
    json({ data: { me: null }, errors: [{ message: 'no', path: ['me'], extensions: { code: 'FORBIDDEN' } }] }),
    json({ error: 'UNAUTHORIZED', message: 'no' }, 401),
  ]);
  assert.equal((await graphql(MeDocument)).me.id, 'u');
  assert.match((JSON.parse(requests[0]?.body ?? '') as { query: string }).query, /query Me {\n {2}me {/);
  const failed = (await graphql(EventsDocument, { filter: { limit: 5 } }).catch((problem: LumioError) => problem)) as LumioError;
  assert.deepEqual([failed.code, failed.status, failed.data, failed.errors.length], ['FORBIDDEN', 200, { me: null }, 1]);
  assert.deepEqual((JSON.parse(requests[1]?.body ?? '') as { variables: unknown }).variables, { filter: { limit: 5 } });
  await assert.rejects(graphql(MeDocument), { code: 'UNAUTHORIZED' });
});
