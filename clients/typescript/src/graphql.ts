import { errorOf, LumioError, type GraphqlProblem } from './errors.js';
import type { DocumentTypeDecoration } from './generated/graphql.js';

/** Document with the types of its result and variables, such as those of `@lumio/client/graphql`. */
export type TypedDocument<TResult, TVariables> = { toString(): string } & DocumentTypeDecoration<TResult, TVariables>;

/** Variables as an argument; it may be left out when none is required. */
export type VariablesOf<TVariables> = Record<string, never> extends TVariables
  ? [variables?: TVariables, options?: GraphqlOptions]
  : [variables: TVariables, options?: GraphqlOptions];

export interface GraphqlOptions {
  signal?: AbortSignal;
}

export interface GraphqlClient {
  /**
   * Executes a document and returns its data.
   *
   * @throws {LumioError} when the server refused the document or a field failed; `data` has the other fields.
   */
  <TResult, TVariables>(document: TypedDocument<TResult, TVariables>, ...rest: VariablesOf<TVariables>): Promise<TResult>;
}

export function createGraphql(url: string, send: (request: Request) => Promise<Response>): GraphqlClient {
  const address = `${url.replace(/\/$/, '')}/v1/gql`;
  return async <TResult, TVariables>(
    document: TypedDocument<TResult, TVariables>,
    ...[variables, options]: VariablesOf<TVariables>
  ): Promise<TResult> => {
    const request = new Request(address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/graphql-response+json, application/json' },
      body: JSON.stringify({ query: document.toString(), variables: variables ?? {} }),
      ...(options?.signal ? { signal: options.signal } : {}),
    });
    const response = await send(request);
    const body = await json(response);
    const errors = body.errors ?? [];
    if (errors.length > 0) throw failure(response, errors, body.data);
    if (!response.ok || body.data === undefined) throw errorOf(response, body);
    return body.data as TResult;
  };
}

interface Body {
  data?: unknown;
  errors?: GraphqlProblem[];
}

async function json(response: Response): Promise<Body> {
  try {
    return (await response.json()) as Body;
  } catch {
    throw errorOf(response, undefined);
  }
}

function failure(response: Response, errors: GraphqlProblem[], data: unknown): LumioError {
  const [first] = errors;
  return new LumioError({
    message: first?.message ?? 'The operation failed',
    status: response.status,
    code: first?.extensions?.code ?? `HTTP_${response.status}`,
    details: first?.extensions?.details ?? {},
    headers: response.headers,
    errors,
    data,
  });
}
