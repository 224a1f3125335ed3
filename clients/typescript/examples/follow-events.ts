// Follows the events of the account, and goes on after the last one of the previous start.
// Usage: node follow-events.js [FILE [NUMBER]]: the file keeps the position; ends after a number of events.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { unwrap } from '@lumio/client';

import { accountId, client } from './client.js';

const file = process.argv[2] ?? 'position.txt';
let left = Number(process.argv[3] ?? Infinity);
const socket = client.socket();

const subscription = socket.subscribe(
  `events:${await accountId()}`,
  {
    event(event) {
      if (event.event_type === 'event:new' && event.data.event_type === 'twitch:raid') {
        console.log(`raid of ${event.data.data.viewer_count} viewers`);
      } else {
        console.log(event.event_type, event.id);
      }
      writeFileSync(file, event.id);
      left -= 1;
      if (left <= 0) socket.close();
    },
    gap({ reason }) {
      console.log(`events are missing (${reason}): reading the newest ones`);
      void latest();
    },
    ended({ code, message }) {
      console.error(`ended: ${code} ${message}`);
    },
  },
  { after: existsSync(file) ? readFileSync(file, 'utf8') : undefined },
);

async function latest(): Promise<void> {
  const { data } = await unwrap(client.rest.GET('/v1/events', { params: { query: { limit: 10 } } }));
  for (const event of data) console.log('stored', event.event_type, event.id);
}

await subscription.ready;
console.log('listening');
await socket.ended;
