// Types of the WebSocket protocol, from the AsyncAPI document.
import { declarations } from './openapi.mjs';

/** Returns the types of frames and events, and the tables that the client reads. */
export async function protocol(document) {
  const text = await declarations({
    openapi: '3.1.0',
    info: { title: document.info.title, version: '0' },
    paths: {},
    components: { schemas: { ...document.components.schemas, ...dataSchemas(document) } },
  });
  return `${text.slice(text.indexOf('export interface components'), text.indexOf('export type $defs'))}
${channelEvents(document)}
${tables(document)}`;
}

/** Data of each event under the name of its message; references stay references. */
function dataSchemas(document) {
  const messages = Object.entries(eventMessages(document));
  return Object.fromEntries(messages.map(([key, message]) => [`data.${key}`, dataOf(message)]));
}

export function eventMessages(document) {
  const messages = Object.entries(document.components.messages);
  return Object.fromEntries(messages.filter(([, message]) => message.payload.allOf));
}

export function dataOf(message) {
  return message.payload.allOf[1].properties.data;
}

export function channelsOf(document) {
  return Object.entries(document.channels).filter(([name]) => name !== 'socket');
}

function channelEvents(document) {
  const lines = channelsOf(document).flatMap(([name, channel]) => [
    `  /** \`${channel.address}\`. ${channel.description} */`,
    `  '${name}': {`,
    ...Object.keys(channel.messages).flatMap((key) => {
      const message = document.components.messages[key];
      return [
        `    /** ${message.summary} */`,
        `    '${message.name}': components['schemas']['data.${key}'];`,
      ];
    }),
    '  };',
  ]);
  return `/** Data of the events by the prefix of their channel and their type. */
export interface ChannelEvents {
${lines.join('\n')}
}
`;
}

function tables(document) {
  const codes = document['x-lumio-close-codes'].map(({ code, reason, reconnect }) => ({ code, reason, reconnect }));
  const published = channelsOf(document)
    .map(([name, channel]) => [name, channel['x-lumio-client-publish']])
    .filter(([, types]) => types.length);
  const types = published.map(([name, types]) => `  '${name}': ${types.map((type) => `'${type}'`).join(' | ')};`);
  return `/** Event types that clients publish, by the prefix of the channel. */
export interface PublishedTypes {
${types.join('\n')}
}

/** Close codes of the server, and whether a client connects again by itself. */
export const CLOSE_CODES: readonly { code: number; reason: string; reconnect: boolean }[] = ${JSON.stringify(codes, null, 2)};

/** Limits of a socket. */
export const SOCKET_LIMITS = ${JSON.stringify(document['x-lumio-limits'], null, 2)} as const;
`;
}
