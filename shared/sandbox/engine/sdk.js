// The module that authors import as "@lumio/sdk/server". Everything here builds plain data: the runtime
// checks arguments with it, and the platform reads definitions from it.

const { freeze, keys } = Object;
const { isArray } = Array;

// ---- validators ---------------------------------------------------------------------------------------------------

const validators = new WeakSet();

class Validator {
  constructor(rule) {
    Object.assign(this, rule);
    validators.add(this);
    freeze(this);
  }

  optional() {
    return new Validator({ type: 'optional', value: this });
  }
}

const validator = (rule) => new Validator(rule);

const mustBeValidator = (rule, where) => {
  if (!validators.has(rule)) throw new TypeError(`${where} must be a validator made with v`);
  return rule;
};

const mustBeFields = (fields, where) => {
  if (typeof fields !== 'object' || fields === null || isArray(fields)) {
    throw new TypeError(`${where} must be an object of validators`);
  }
  if (validators.has(fields)) {
    if (fields.type === 'object') return fields.fields;
    throw new TypeError(`${where} must be an object of validators, not v.${fields.type}()`);
  }
  for (const name of keys(fields)) mustBeValidator(fields[name], `${where}.${name}`);
  return freeze({ ...fields });
};

const simple = (type) => () => validator({ type });

const literal = (value) => {
  if (value !== null && !['string', 'number', 'boolean'].includes(typeof value)) {
    throw new TypeError('v.literal: the value must be a string, a number, a boolean or null');
  }
  return validator({ type: 'literal', value });
};

const union = (...members) => {
  if (members.length === 0) throw new TypeError('v.union needs at least one validator');
  members.forEach((member, i) => mustBeValidator(member, `v.union: argument ${i + 1}`));
  return validator({ type: 'union', members: freeze(members) });
};

/** Describes arguments of handlers and columns of tables. */
export const v = freeze({
  any: simple('any'),
  string: simple('string'),
  number: simple('number'),
  boolean: simple('boolean'),
  null: simple('null'),
  literal,
  array: (items) => validator({ type: 'array', items: mustBeValidator(items, 'v.array: the argument') }),
  object: (fields) => validator({ type: 'object', fields: mustBeFields(fields, 'v.object') }),
  record: (values) => validator({ type: 'record', values: mustBeValidator(values, 'v.record: the argument') }),
  optional: (value) => validator({ type: 'optional', value: mustBeValidator(value, 'v.optional: the argument') }),
  union,
});

// ---- handlers -----------------------------------------------------------------------------------------------------

const definer = (kind) => (definition) => {
  const { args, handler } = typeof definition === 'function' ? { handler: definition } : (definition ?? {});
  if (typeof handler !== 'function') throw new TypeError(`${kind}: handler must be a function`);
  return freeze({ kind, args: args === undefined ? undefined : mustBeFields(args, `${kind}: args`), handler });
};

/** Reads data. May run again at any time. */
export const query = definer('query');
/** Changes data, in one transaction. */
export const mutation = definer('mutation');
/** Reaches the world outside: network, secrets, host actions. */
export const action = definer('action');

// ---- tables -------------------------------------------------------------------------------------------------------

const SCOPES = ['instance', 'account'];

class Table {
  constructor(columns, scope) {
    this.columns = columns;
    this.scope = scope;
    freeze(this);
  }

  /** Says whether an install ("instance") or the whole account ("account") shares the rows. */
  storage(scope) {
    if (!SCOPES.includes(scope)) throw new TypeError(`storage: scope must be one of ${SCOPES.join(', ')}`);
    return new Table(this.columns, scope);
  }
}

/** A table with its columns; id, created_at and updated_at come by themselves. */
export const defineTable = (columns) => new Table(mustBeFields(columns, 'defineTable: columns'), 'instance');

/** The tables of an extension by name. */
export const defineSchema = (tables) => {
  for (const name of keys(tables)) {
    if (!(tables[name] instanceof Table)) throw new TypeError(`defineSchema: ${name} must be made with defineTable`);
  }
  return freeze({ tables: freeze({ ...tables }) });
};

// ---- declarative functions ----------------------------------------------------------------------------------------

const declarative = (kind, operation, table, parts, { editorOnly = false } = {}) => {
  if (typeof table !== 'string' || table === '') throw new TypeError(`${operation}: the table must be a name`);
  return freeze({ kind, editorOnly, declarative: freeze({ operation, table, ...parts }) });
};

/** Stands for an argument of the call. */
export const arg = (name) => freeze({ arg: name });

/** A condition on a column. */
export const filter = (column, operator, value) => freeze({ column, operator, value });

export const queryRows = (table, { filter, orderBy, orderDir, limit, offset, ...options } = {}) =>
  declarative('query', 'queryRows', table, { filter, orderBy, orderDir, limit, offset }, options);

export const insertRow = (table, data, options) => declarative('mutation', 'insertRow', table, { data }, options);

export const patchRow = (table, id, data, options) =>
  declarative('mutation', 'patchRow', table, { id, data }, options);

export const deleteRow = (table, id, options) => declarative('mutation', 'deleteRow', table, { id }, options);
