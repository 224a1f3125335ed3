// Creates an overlay with a text, and prints the address for OBS. Usage: node create-overlay.js [NAME]
import { unwrap } from '@lumio/client';

import { client } from './client.js';

const overlay = (await unwrap(client.rest.POST('/v1/overlays', { body: { name: process.argv[2] ?? 'Scene' } }))).data;
const params = { path: { id: overlay.id } };
await unwrap(
  client.rest.PUT('/v1/overlays/{id}/layers', {
    params,
    body: {
      version: overlay.version,
      layers: [{ type: 'text', name: 'Title', width: 800, height: 100, config: { text: 'Starting soon' } }],
    },
  }),
);
const token = (await unwrap(client.rest.GET('/v1/overlays/{id}/token', { params }))).data;
console.log(overlay.name, token.url);
