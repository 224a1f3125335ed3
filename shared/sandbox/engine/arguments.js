// Checks the arguments of a call against the `args` of its handler, before the handler runs. Evaluated once, before
// the snapshot; the result is a function for runtime.js. The rules are the plain data that `v` of sdk.js makes.
(function () {
  'use strict';

  const { stringify } = JSON;
  const { keys, hasOwn } = Object;
  const { isArray } = Array;
  const { TypeError } = globalThis;

  const typeName = (value) => (value === null ? 'null' : isArray(value) ? 'array' : typeof value);

  const ruleName = (rule) => {
    switch (rule.type) {
      case 'literal':
        return stringify(rule.value);
      case 'union': {
        let names = '';
        for (let i = 0; i < rule.members.length; i++) names += (i === 0 ? '' : ' or ') + ruleName(rule.members[i]);
        return names;
      }
      case 'optional':
        return ruleName(rule.value);
      default:
        return rule.type;
    }
  };

  const expected = (rule, value, path) =>
    value === undefined ? `${path}: is required` : `${path}: expected ${ruleName(rule)}, got ${typeName(value)}`;

  // Says what is wrong with `value`, or nothing.
  const violation = (rule, value, path) => {
    switch (rule?.type) {
      case 'any':
        return value === undefined ? `${path}: is required` : undefined;
      case 'string':
      case 'number':
      case 'boolean':
        return typeof value === rule.type ? undefined : expected(rule, value, path);
      case 'null':
        return value === null ? undefined : expected(rule, value, path);
      case 'literal':
        if (value === rule.value) return undefined;
        if (value === undefined) return `${path}: is required`;
        return `${path}: expected ${ruleName(rule)}, got ${typeof value === 'object' ? typeName(value) : stringify(value)}`;
      case 'array':
        return isArray(value) ? violationInItems(rule, value, path) : expected(rule, value, path);
      case 'object':
        return typeName(value) === 'object' ? violationInFields(rule, value, path) : expected(rule, value, path);
      case 'record':
        return typeName(value) === 'object' ? violationInValues(rule, value, path) : expected(rule, value, path);
      case 'optional':
        return value === undefined ? undefined : violation(rule.value, value, path);
      case 'union':
        return violationOfUnion(rule, value, path);
      default:
        throw new TypeError(`${path}: the handler's args hold something that is not a validator made with v`);
    }
  };

  const violationInItems = (rule, items, path) => {
    for (let i = 0; i < items.length; i++) {
      const found = violation(rule.items, items[i], `${path}[${i}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  };

  const violationInFields = (rule, object, path) => {
    const names = keys(rule.fields);
    for (let i = 0; i < names.length; i++) {
      const value = hasOwn(object, names[i]) ? object[names[i]] : undefined;
      const found = violation(rule.fields[names[i]], value, `${path}.${names[i]}`);
      if (found !== undefined) return found;
    }
    const given = keys(object);
    for (let i = 0; i < given.length; i++) {
      if (!hasOwn(rule.fields, given[i])) return `${path}.${given[i]}: is not an argument of this handler`;
    }
    return undefined;
  };

  const violationInValues = (rule, object, path) => {
    const names = keys(object);
    for (let i = 0; i < names.length; i++) {
      const found = violation(rule.values, object[names[i]], `${path}.${names[i]}`);
      if (found !== undefined) return found;
    }
    return undefined;
  };

  const violationOfUnion = (rule, value, path) => {
    for (let i = 0; i < rule.members.length; i++) {
      if (violation(rule.members[i], value, path) === undefined) return undefined;
    }
    return expected(rule, value, path);
  };

  return (fields, input) => violation({ type: 'object', fields }, input, 'args');
});
