// Writes the generated files of clients/typescript. Usage: node generate.mjs DOCUMENTS OUT
// DOCUMENTS holds openapi.json, asyncapi.json and schema.graphql, OUT gets rest.ts, graphql.ts and events.ts.
import fs from 'node:fs/promises';
import path from 'node:path';

import { protocol } from './events.mjs';
import { typedDocuments } from './graphql.mjs';
import { declarations } from './openapi.mjs';

const [documents, out] = process.argv.slice(2);
const read = (name) => fs.readFile(path.join(documents, name), 'utf8');

const FILES = {
  'rest.ts': async () => declarations(JSON.parse(await read('openapi.json'))),
  'graphql.ts': async () => typedDocuments(await read('schema.graphql')),
  'events.ts': async () => protocol(JSON.parse(await read('asyncapi.json'))),
};
const SOURCES = { 'rest.ts': 'OpenAPI document', 'graphql.ts': 'GraphQL schema', 'events.ts': 'AsyncAPI document' };

await fs.mkdir(out, { recursive: true });
for (const [name, make] of Object.entries(FILES)) {
  const header = `// Generated from the ${SOURCES[name]} by \`./scripts/clients --update\`. Edits are lost.\n`;
  const text = (await make()).replace(/[ \t]+$/gm, '').trimEnd();
  await fs.writeFile(path.join(out, name), `${header}\n${text}\n`);
}
