// Validates the GraphQL documents among the code blocks of the handbook. Usage: node graphql.cjs SCHEMA FOLDER
const fs = require('node:fs');
const path = require('node:path');
const { buildSchema, parse, validate } = require('graphql');

const [, , schemaFile, folder] = process.argv;
const schema = buildSchema(fs.readFileSync(schemaFile, 'utf8'));

function problems(text) {
  try {
    return validate(schema, parse(text)).map((problem) => problem.message);
  } catch (problem) {
    return [problem.message];
  }
}

for (const name of fs.readdirSync(folder).filter((file) => file.endsWith('.graphql'))) {
  for (const problem of problems(fs.readFileSync(path.join(folder, name), 'utf8'))) {
    console.error(`${name}: ${problem}`);
    process.exitCode = 1;
  }
}
