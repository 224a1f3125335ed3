// Lists the channels of the account, over REST and over GraphQL.
import { unwrap } from '@lumio/client';
import { ChannelConnectionsDocument } from '@lumio/client/graphql';

import { client } from './client.js';

const { data } = await unwrap(client.rest.GET('/v1/connections/channel'));
for (const connection of data) {
  console.log(connection.platform, connection.channel_name, connection.reconnect_required ? 'must be renewed' : 'connected');
}

const { channelConnections } = await client.graphql(ChannelConnectionsDocument);
console.log(`${channelConnections.length} connections: ${channelConnections.map(({ channelName }) => channelName).join(', ')}`);
