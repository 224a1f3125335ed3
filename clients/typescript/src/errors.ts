/** Item of `errors` of a GraphQL answer. */
export interface GraphqlProblem {
  message: string;
  path?: readonly (string | number)[];
  extensions?: { code?: string; details?: Record<string, unknown>; [key: string]: unknown };
}

/** Refusal or failure of a call. */
export class LumioError extends Error {
  override readonly name = 'LumioError';
  /** HTTP status; 200 for a GraphQL operation with failed fields. */
  readonly status: number;
  /** Code of the API (docs/reference/errors.md#codes), or `HTTP_{status}` when the body had none. */
  readonly code: string;
  readonly details: Record<string, unknown>;
  /** Id of the request, for the operator of the server. */
  readonly requestId: string | undefined;
  /** Seconds after which the call may be repeated. */
  readonly retryAfter: number | undefined;
  /** Failed fields of a GraphQL operation. */
  readonly errors: readonly GraphqlProblem[];
  /** Data of the fields of a GraphQL operation that did not fail. */
  readonly data: unknown;

  constructor(fields: {
    message: string;
    status: number;
    code: string;
    details?: Record<string, unknown>;
    headers?: Headers;
    errors?: readonly GraphqlProblem[];
    data?: unknown;
  }) {
    super(fields.message);
    this.status = fields.status;
    this.code = fields.code;
    this.details = fields.details ?? {};
    this.requestId = fields.headers?.get('X-Request-Id') ?? undefined;
    this.retryAfter = seconds(fields.headers?.get('Retry-After'));
    this.errors = fields.errors ?? [];
    this.data = fields.data;
  }
}

/** Reads any of the error bodies of the API (docs/reference/errors.md#error-body). */
export function errorOf(response: Response, body: unknown): LumioError {
  const { status, headers } = response;
  const fields = record(body);
  const nested = record(fields['error']);
  if (typeof nested['code'] === 'string') {
    // The developer API.
    const details = nested['fields'] === undefined ? {} : { fields: nested['fields'] };
    return new LumioError({ status, headers, details, code: nested['code'], message: String(nested['message']) });
  }
  if (typeof fields['error_code'] === 'string') {
    const code = fields['error_code'].toUpperCase();
    return new LumioError({ status, headers, code, message: String(fields['error']) });
  }
  if (typeof fields['error'] === 'string') {
    const details = record(fields['details']);
    return new LumioError({ status, headers, details, code: fields['error'], message: String(fields['message']) });
  }
  return new LumioError({ status, headers, code: `HTTP_${status}`, message: `The server answered ${status}` });
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Reads the header `Retry-After`, which the API sends in seconds. */
export function seconds(header: string | null | undefined): number | undefined {
  const value = Number(header ?? Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}
