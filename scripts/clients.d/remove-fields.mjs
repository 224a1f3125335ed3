// Copies the documents without fields that the examples use. Usage: node remove-fields.mjs DOCUMENTS OUT
// Prints the names of the removed fields. The type check of the examples must then fail for each of them.
import fs from 'node:fs/promises';
import path from 'node:path';

import { parse, print, visit } from 'graphql';

const [documents, out] = process.argv.slice(2);
const read = (name) => fs.readFile(path.join(documents, name), 'utf8');
const write = (name, text) => fs.writeFile(path.join(out, name), text);

await fs.mkdir(out, { recursive: true });
await write('openapi.json', withoutProperty(await read('openapi.json'), 'ChannelConnection', 'channel_name'));
await write('asyncapi.json', withoutProperty(await read('asyncapi.json'), 'EventData.twitch.raid', 'viewer_count'));
await write('schema.graphql', withoutField(await read('schema.graphql'), 'ChannelConnection', 'channelName'));
console.log('channel_name viewer_count channelName');

function withoutProperty(text, name, property) {
  const document = JSON.parse(text);
  const schema = document.components.schemas[name];
  if (!schema.properties[property]) throw new Error(`${name} has no ${property}`);
  delete schema.properties[property];
  schema.required = schema.required.filter((required) => required !== property);
  return JSON.stringify(document);
}

function withoutField(text, type, name) {
  let count = 0;
  const document = visit(parse(text), {
    FieldDefinition(field, key, parent, place, ancestors) {
      if (field.name.value !== name || ancestors.at(-1).name.value !== type) return undefined;
      count += 1;
      return null;
    },
  });
  if (count !== 1) throw new Error(`${type} has no ${name}`);
  return print(document);
}
