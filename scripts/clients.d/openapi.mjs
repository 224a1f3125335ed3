// Types of a document in the form of OpenAPI, by openapi-typescript.
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

/** Returns the copy of the document from which types are made. */
export function prepared(document) {
  const copy = structuredClone(document);
  for (const schema of schemasOf(copy)) {
    // The generator would type an event of the account by the name of its schema: a mapping cannot name all.
    if (schema.oneOf && schema.discriminator && !mapsAll(schema)) delete schema.discriminator;
    // An object without properties is any object.
    if (schema.type === 'object' && !schema.properties) schema.additionalProperties ??= true;
  }
  return copy;
}

function mapsAll({ oneOf, discriminator }) {
  const mapped = new Set(Object.values(discriminator.mapping ?? {}));
  return oneOf.every(({ $ref }) => mapped.has($ref));
}

function* schemasOf(value) {
  if (value === null || typeof value !== 'object') return;
  if (!Array.isArray(value)) yield value;
  for (const [key, entry] of Object.entries(value)) {
    if (key !== 'example' && key !== 'examples') yield* schemasOf(entry);
  }
}

/** Returns the declarations of a document. */
export async function declarations(document) {
  const nodes = await openapiTS(prepared(document), { silent: true, transform });
  return astToString(nodes);
}

function transform(schema) {
  if (schema.format === 'binary') return ts.factory.createTypeReferenceNode('Blob');
  // A pattern that begins with a fixed text is the type of a text that begins so: unions stay distinguishable.
  const prefix = schema.type === 'string' && /^\^([a-z_]+:)/.exec(schema.pattern ?? '')?.[1];
  return prefix ? ts.factory.createTypeReferenceNode('`' + prefix + '${string}`') : undefined;
}
