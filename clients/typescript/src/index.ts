import type { components } from './generated/rest.js';
import { createGraphql, type GraphqlClient } from './graphql.js';
import { authorizedFetch, currentToken, type HttpOptions } from './http.js';
import { createRest, unwrap, type RestClient } from './rest.js';
import { queryTokens } from './socket/credentials.js';
import { browserSockets, type OpenSocket } from './socket/open.js';
import { LumioSocket, type SocketOptions } from './socket/socket.js';

export interface ClientOptions extends HttpOptions {
  /** Address of the server, for example `https://api.example.org`. */
  url: string;
  /** Opens WebSockets (default: the class of the platform; in Node.js `headerSockets(WebSocket)` of `ws`). */
  openSocket?: OpenSocket | undefined;
}

export interface LumioClient {
  rest: RestClient;
  graphql: GraphqlClient;
  /** Makes a socket. It connects with the first subscription. */
  socket(options?: Partial<SocketOptions>): LumioSocket;
}

/** Makes the three clients of a server, which share their credential. */
export function createClient(options: ClientOptions): LumioClient {
  const url = options.url.replace(/\/+$/, '');
  const send = authorizedFetch(options);
  const rest = createRest(url, send);
  return {
    rest,
    graphql: createGraphql(url, send),
    socket: (given = {}) => {
      const open = options.openSocket ?? browserSockets();
      const source = given.token ?? options.token;
      const token = (expired: boolean) => currentToken(source, expired);
      return new LumioSocket({
        url,
        open,
        canRenew: typeof source === 'function',
        ...given,
        token: open.sendsHeaders ? token : queryTokens(token, () => unwrap(rest.POST('/v1/auth/ws-token'))),
        isRefused: async () => (await rest.GET('/v1/tokens/me')).response.status === 401,
      });
    },
  };
}

export { LumioError, type GraphqlProblem } from './errors.js';
export type { components, operations, paths } from './generated/rest.js';
export type { ChannelEvents, PublishedTypes } from './generated/events.js';
export type { GraphqlClient, GraphqlOptions, TypedDocument } from './graphql.js';
export type { HttpOptions, TokenSource } from './http.js';
export { entries, unwrap, type RestClient } from './rest.js';
export type { Backoff } from './socket/backoff.js';
export type {
  ChannelEvent,
  ChannelName,
  ChannelPrefix,
  Gap,
  Handler,
  Subscription,
  SubscriptionEnd,
} from './socket/channels.js';
export { browserSockets, headerSockets, UsageError, type OpenSocket, type SocketLike } from './socket/open.js';
export { RequestError } from './socket/requests.js';
export { LumioSocket, type SocketEnd, type SocketOptions, type SocketState } from './socket/socket.js';

/** Types of the REST API by name: `Schemas['ChatMessage']`. */
export type Schemas = components['schemas'];
