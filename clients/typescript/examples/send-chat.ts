// Sends a line to a chat of the account. Usage: node send-chat.js [PLATFORM [TEXT]]
import { LumioError, unwrap, type Schemas } from '@lumio/client';

import { client } from './client.js';

const [first = 'twitch', message = 'Hello'] = process.argv.slice(2);
const platform = first as Schemas['SendChatToPlatformInput']['platform'];
try {
  const { data } = await unwrap(client.rest.POST('/v1/chat/send', { body: { platform, message } }));
  console.log(data.platform, data.sent ? `sent ${data.message_id}` : `not sent: ${data.error}`);
} catch (problem) {
  if (!(problem instanceof LumioError)) throw problem;
  console.error(`${problem.code}: ${problem.message} (request ${problem.requestId})`);
  process.exitCode = 1;
}
