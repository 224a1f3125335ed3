// A document with types for every root field of the GraphQL schema.
import { codegen } from '@graphql-codegen/core';
import * as documents from '@graphql-codegen/typed-document-node';
import * as operations from '@graphql-codegen/typescript-operations';
import { buildSchema, getNamedType, isInputObjectType, isLeafType, isNonNullType, isUnionType, parse, validate } from 'graphql';

// Bounds of the server (docs/reference/graphql.md#bounds), and the largest page of any list.
const MAX_DEPTH = 12;
const MAX_COMPLEXITY = 1000;
const ROWS_PER_COST = 10;
const MAX_ROWS = 200;
// Levels of objects below the object that a field returns.
const LEVELS = 3;

const CONFIG = {
  documentMode: 'string',
  enumType: 'string-literal',
  skipTypename: true,
  scalars: { UUID: 'string', Timestamp: 'string', Int64: 'number', JSON: 'unknown' },
};
const IMPORT = "import { DocumentTypeDecoration } from '@graphql-typed-document-node/core';";
// The same interface as the one of that package, which has no other content.
const DECORATION = `/** Types of a document, as other GraphQL clients read them. */
export interface DocumentTypeDecoration<TResult, TVariables> {
  __apiType?: (variables: TVariables) => TResult;
}`;

/** Returns the documents of a schema with their types. */
export async function typedDocuments(text) {
  const schema = buildSchema(text);
  const written = roots(schema).flatMap(([kind, root]) =>
    Object.values(root.getFields()).map((field) => documentOf(schema, kind, field)));
  const made = await codegen({
    schema: parse(text),
    documents: written.map((document) => ({ location: 'generated', document })),
    filename: 'graphql.ts',
    config: CONFIG,
    plugins: [{ operations: {} }, { documents: {} }],
    pluginMap: { operations, documents },
  });
  if (!made.includes(IMPORT)) throw new Error('the import of DocumentTypeDecoration has changed');
  return made.replace(IMPORT, DECORATION);
}

function roots(schema) {
  return [['query', schema.getQueryType()], ['mutation', schema.getMutationType()]];
}

/** Writes the document of a field with as many levels of objects as the bounds allow. */
function documentOf(schema, kind, field) {
  for (let levels = LEVELS; levels >= 0; levels -= 1) {
    const selection = selectionOf(field.type, levels, []);
    const rows = hasLimit(field) ? MAX_ROWS / ROWS_PER_COST : 1;
    if (1 + selection.depth > MAX_DEPTH || 1 + rows * selection.cost > MAX_COMPLEXITY) continue;
    const document = parse(textOf(kind, field, selection.text));
    const [problem] = validate(schema, document);
    if (problem) throw new Error(`${field.name}: ${problem.message}`);
    return document;
  }
  throw new Error(`${field.name}: no selection is within the bounds of the server`);
}

function textOf(kind, field, selection) {
  const name = field.name[0].toUpperCase() + field.name.slice(1);
  const variables = field.args.map((argument) => `$${argument.name}: ${argument.type}`).join(', ');
  const values = field.args.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  const inner = `${field.name}${values && `(${values})`} ${selection}`;
  return `${kind} ${name}${variables && `(${variables})`} { ${inner} }`;
}

/** Selects the values of a type, and of the objects within it down to a level. `above` prevents circles. */
function selectionOf(type, levels, above) {
  const named = getNamedType(type);
  if (isLeafType(named)) return { text: '', cost: 0, depth: 0 };
  if (isUnionType(named)) return ofUnion(named, levels, above);
  const texts = [];
  let [cost, depth] = [0, 0];
  for (const field of Object.values(named.getFields())) {
    const target = getNamedType(field.type);
    const isObject = !isLeafType(target);
    const isBeyond = isObject && (levels === 0 || above.includes(target.name));
    if (isBeyond || field.args.some(({ type }) => isNonNullType(type))) continue;
    const inner = selectionOf(field.type, levels - 1, [...above, named.name]);
    if (isObject && !inner.text) continue;
    texts.push(`${field.name} ${inner.text}`.trim());
    cost += 1 + inner.cost;
    depth = Math.max(depth, 1 + inner.depth);
  }
  return { text: texts.length ? `{ ${texts.join(' ')} }` : '', cost, depth };
}

function ofUnion(named, levels, above) {
  const parts = named.getTypes().map((type) => [type.name, selectionOf(type, levels, above)]);
  const sum = parts.reduce((cost, [, selection]) => cost + selection.cost, 1);
  return {
    text: `{ __typename ${parts.map(([name, { text }]) => `... on ${name} ${text}`).join(' ')} }`,
    cost: sum,
    depth: Math.max(...parts.map(([, { depth }]) => depth)),
  };
}

function hasLimit(field) {
  const limits = ['limit', 'first'];
  return field.args.some(({ name, type }) => {
    const named = getNamedType(type);
    return limits.includes(name) || (isInputObjectType(named) && limits.some((limit) => named.getFields()[limit]));
  });
}
