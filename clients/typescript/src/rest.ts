import createFetchClient, { type Client } from 'openapi-fetch';

import { errorOf } from './errors.js';
import type { paths } from './generated/rest.js';

/** Client of the REST API: a method for each HTTP method, typed by the path. */
export type RestClient = Client<paths>;

export function createRest(url: string, send: (request: Request) => Promise<Response>): RestClient {
  return createFetchClient<paths>({ baseUrl: url, fetch: send, bodySerializer });
}

/** Body with a file as a form, any other body as JSON. */
function bodySerializer(body: unknown): BodyInit {
  if (body instanceof FormData) return body;
  const entries = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  if (!entries.some(([, value]) => value instanceof Blob)) return JSON.stringify(body);
  const form = new FormData();
  for (const [name, value] of entries) {
    if (value instanceof Blob) form.append(name, value);
    else if (value !== undefined && value !== null) form.append(name, String(value));
  }
  return form;
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/**
 * Returns the body of an answer.
 *
 * @throws {LumioError} when the server refused the call.
 */
export async function unwrap<T>(answer: Promise<Answer<T>> | Answer<T>): Promise<T> {
  const { data, error, response } = await answer;
  if (!response.ok) throw errorOf(response, error);
  return data as T;
}

interface Page<T> {
  data: T[];
  _meta: { page: number; pages: number };
}

/** Returns the entries of all pages. `read` gets the number of a page, from 1. */
export async function* entries<T>(read: (page: number) => Promise<Answer<Page<T>>>): AsyncGenerator<T, void, undefined> {
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const body = await unwrap(read(page));
    pages = body._meta.pages;
    yield* body.data;
  }
}
