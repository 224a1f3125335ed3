// Checks the published documents with Redocly, Spectral, the AsyncAPI parser, graphql-js and graphql-schema-linter.
// Usage: node check.cjs FOLDER     with openapi.json, asyncapi.json and schema.graphql in FOLDER
// Every reported problem fails the run, unless accepted.txt lists its rule with a reason.
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

// Rules with exceptions in accepted.txt.
const MAX_RULES = 10;
const folder = path.resolve(process.argv[2]);
const programs = path.join(process.env.NODE_PATH, '.bin');
const read = (name) => fs.readFileSync(path.join(folder, name), 'utf8');

/** Runs a program of node_modules. Its exit status carries no more information than its output. */
function run(program, args) {
  const options = { maxBuffer: 256 << 20, timeout: 300_000, env: { ...process.env, REDOCLY_TELEMETRY: 'off' } };
  return new Promise((resolve, reject) => {
    execFile(path.join(programs, program), args, options, (failure, stdout, stderr) => {
      if (failure && (failure.killed || typeof failure.code !== 'number' || !stdout.trim().startsWith('{') && !stdout.trim().startsWith('['))) {
        reject(new Error(`${program}: ${failure.message}\n${stderr}`));
      } else {
        resolve(stdout);
      }
    });
  });
}

async function redocly() {
  const config = path.join(__dirname, 'redocly.yaml');
  const output = await run('redocly', ['lint', path.join(folder, 'openapi.json'), '--config', config, '--format', 'json', '--max-problems', '10000']);
  return JSON.parse(output).problems.map((problem) => ({
    tool: 'redocly', rule: problem.ruleId, place: problem.location[0]?.pointer ?? '#', message: problem.message,
  }));
}

async function spectral() {
  const rules = path.join(__dirname, 'spectral.yaml');
  const output = await run('spectral', ['lint', path.join(folder, 'openapi.json'), '--ruleset', rules, '--format', 'json', '--quiet', '--fail-severity', 'error']);
  return JSON.parse(output || '[]').map((problem) => ({
    tool: 'spectral', rule: String(problem.code), place: pointer(problem.path), message: problem.message,
  }));
}

async function asyncapi() {
  const { Parser } = require('@asyncapi/parser');
  const { document, diagnostics } = await new Parser().parse(read('asyncapi.json'));
  const found = diagnostics.map((problem) => ({
    tool: 'asyncapi', rule: String(problem.code), place: pointer(problem.path), message: problem.message,
  }));
  if (!document && found.length === 0) found.push({ tool: 'asyncapi', rule: 'parse', place: '#', message: 'no document' });
  return found;
}

async function graphql() {
  const { buildSchema, validateSchema } = require('graphql');
  try {
    return validateSchema(buildSchema(read('schema.graphql'))).map((problem) => (
      { tool: 'graphql', rule: 'validate', place: '#', message: problem.message }));
  } catch (problem) {
    return [{ tool: 'graphql', rule: 'build', place: '#', message: problem.message }];
  }
}

/** Every rule of the linter. A problem's place is the type, field or value that its message names. */
async function linter() {
  const output = await run('graphql-schema-linter', [path.join(folder, 'schema.graphql'), '--format', 'json']);
  return JSON.parse(output).errors.map((problem) => ({
    tool: 'linter', rule: problem.rule, message: problem.message,
    place: `#/${[...problem.message.matchAll(/`([^`]+)`/g)].slice(0, 2).map(([, name]) => name).join('/')}`,
  }));
}

function pointer(parts) {
  return '#/' + parts.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
}

/** Lines of `tool rule place reason`. A place that ends in `*` includes everything below it. */
function accepted() {
  const lines = fs.readFileSync(path.join(__dirname, 'accepted.txt'), 'utf8').split('\n');
  return lines.filter((line) => line.trim() && !line.startsWith('#')).map((line) => {
    const [tool, rule, place, ...reason] = line.split(/\s+/);
    if (reason.length < 3) throw new Error(`accepted.txt: "${line}" gives no reason`);
    return { tool, rule, place, line, count: 0 };
  });
}

function accepts(entry, problem) {
  const isPlace = entry.place.endsWith('*')
    ? problem.place.startsWith(entry.place.slice(0, -1))
    : problem.place === entry.place;
  return entry.tool === problem.tool && entry.rule === problem.rule && isPlace;
}

async function main() {
  const entries = accepted();
  let failures = 0;
  const tools = { redocly, spectral, asyncapi, graphql, linter };
  await Promise.all(Object.entries(tools).map(async ([name, tool]) => {
    const began = Date.now();
    const problems = await tool();
    const refused = problems.filter((problem) => {
      const entry = entries.find((entry) => accepts(entry, problem));
      if (entry) entry.count += 1;
      return !entry;
    });
    failures += refused.length;
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    console.log(`    ${name}: ${refused.length} problems, ${problems.length - refused.length} accepted (${seconds} s)`);
    for (const problem of refused.slice(0, 40)) {
      console.log(`      ${problem.rule} ${problem.place}: ${problem.message}`);
    }
    if (refused.length > 40) console.log(`      and ${refused.length - 40} more`);
  }));
  for (const entry of entries.filter((entry) => entry.count === 0)) {
    console.log(`    accepted.txt: no problem matches "${entry.line}"`);
    failures += 1;
  }
  failures += checkRules(entries);
  process.exitCode = failures > 0 ? 1 : 0;
}

/** Exceptions are few, and none excuses a missing description, a wrong example or a broken structure. */
function checkRules(entries) {
  const rules = new Set(entries.map(({ tool, rule }) => `${tool} ${rule}`));
  const forbidden = [...rules].filter((rule) => /struct|description|example/.test(rule));
  for (const rule of forbidden) console.log(`    accepted.txt: no exception is allowed from "${rule}"`);
  if (rules.size > MAX_RULES) console.log(`    accepted.txt: ${rules.size} rules have exceptions, more than ${MAX_RULES}`);
  return forbidden.length + (rules.size > MAX_RULES ? 1 : 0);
}

main().catch((problem) => {
  console.error(problem.message);
  process.exitCode = 1;
});
