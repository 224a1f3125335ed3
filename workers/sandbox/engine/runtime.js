// What handler code finds around itself: console, timers, ctx, and the way back to the host. Evaluated once, before
// the snapshot, so everything used later is taken into constants here: a handler that replaces JSON or
// Promise.prototype.then confuses itself and nothing else.
//
// The first four arguments are native functions of shim.c, the others come from the files of their names; the
// result is what shim.c calls.
(function (call, start, decodeUtf8, random, fetchWith, violationOfArguments) {
  'use strict';

  const { Error, TypeError, Promise, String, Map, WeakMap, isFinite } = globalThis;
  const { parse, stringify } = JSON;
  const { freeze, defineProperty, getPrototypeOf, hasOwn } = Object;
  const { apply, ownKeys } = Reflect;
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const mapGet = uncurry(Map.prototype.get);
  const mapSet = uncurry(Map.prototype.set);
  const mapDelete = uncurry(Map.prototype.delete);
  const mapForEach = uncurry(Map.prototype.forEach);
  const codeOf = uncurry(WeakMap.prototype.get);
  const setCode = uncurry(WeakMap.prototype.set);
  const slice = uncurry(String.prototype.slice);
  const trim = uncurry(String.prototype.trim);
  const toWellFormed = uncurry(String.prototype.toWellFormed);

  // ---- errors -------------------------------------------------------------------------------------------------

  // Failure codes of errors that were made here. An error that a handler makes has none, whatever it looks like.
  const codes = new WeakMap();

  const failure = (code, name, message) => {
    const error = new Error(message);
    defineProperty(error, 'name', { value: name, writable: true, configurable: true });
    if (code !== undefined) setCode(codes, error, code);
    return error;
  };

  // `json` is what the host says of a failed operation: {"name", "message", "code"}.
  const hostError = (json) => {
    const { name, message, code } = parse(json);
    return failure(code ?? undefined, name, message);
  };

  const text = (value, characters) => toWellFormed(slice(String(value), 0, characters));

  // What the host reads of a failure, not longer than it can use.
  const describeError = (error, code) => {
    try {
      if (!(error instanceof Error)) {
        return stringify({ name: 'Error', message: text(display(error), 4096), code });
      }
      return stringify({
        name: text(error.name, 128),
        message: text(error.message, 4096),
        stack: text(error.stack ?? '', 8192),
        code: code ?? codeOf(codes, error),
      });
    } catch {
      return '{"name":"Error","message":"the handler threw a value that cannot be described"}';
    }
  };

  // ---- host operations ----------------------------------------------------------------------------------------

  const waiting = new Map();

  const ask = (operation, argument) => {
    let reply;
    try {
      reply = call(operation, stringify(argument));
    } catch (refusal) {
      throw typeof refusal === 'string' ? hostError(refusal) : refusal;
    }
    return parse(reply);
  };

  const begin = (operation, argument, body, callbacks) => {
    try {
      mapSet(waiting, start(operation, stringify(argument), body), callbacks);
    } catch (refusal) {
      throw typeof refusal === 'string' ? hostError(refusal) : refusal;
    }
  };

  const perform = (operation, argument, body) => {
    // The stack of an error that arrives later would say nothing about who asked.
    const { stack } = new Error();
    return new Promise((resolve, reject) => begin(operation, argument, body, { resolve, reject, stack }));
  };

  const complete = (ticket, failed, json, body) => {
    const { resolve, reject, stack } = mapGet(waiting, ticket);
    mapDelete(waiting, ticket);
    if (failed) {
      const error = hostError(json);
      defineProperty(error, 'stack', { value: stack, writable: true, configurable: true });
      reject(error);
    } else {
      resolve({ value: parse(json), body });
    }
  };

  // ---- log ----------------------------------------------------------------------------------------------------

  // Longer lines are cut by the host too; cutting here keeps huge strings from crossing.
  const MAX_LINE_CHARACTERS = 4096;

  const display = (value) => {
    if (typeof value === 'string') return value;
    try {
      if (value instanceof Error) {
        const stack = trim(String(value.stack ?? ''));
        return `${value.name}: ${value.message}${stack === '' ? '' : `\n    ${stack}`}`;
      }
      const json = stringify(value);
      return json === undefined ? String(value) : json;
    } catch {
      try {
        return String(value);
      } catch {
        return '[value that cannot be displayed]';
      }
    }
  };

  const logger = (level) => (...values) => {
    let message = '';
    for (let i = 0; i < values.length && message.length < MAX_LINE_CHARACTERS; i++) {
      message += (i === 0 ? '' : ' ') + display(values[i]);
    }
    ask('log', { level, message: toWellFormed(slice(message, 0, MAX_LINE_CHARACTERS)) });
  };

  const log = freeze({ info: logger('info'), warn: logger('warn'), error: logger('error') });

  globalThis.console = { log: log.info, info: log.info, debug: log.info, warn: log.warn, error: log.error };

  const rejections = new Map();

  const trackRejection = (promise, reason, handled) => {
    if (handled) mapDelete(rejections, promise);
    else mapSet(rejections, promise, reason);
  };

  const reportRejections = () => {
    mapForEach(rejections, (reason) => log.error('Unhandled rejection:', reason));
  };

  // ---- timers -------------------------------------------------------------------------------------------------

  // A timer ends with its invocation. Cancelled ones still hold their place among the outstanding operations.
  const timers = new Map();
  let lastTimer = 0;

  const milliseconds = (delay) => (isFinite(delay) && delay > 0 ? +delay : 0);

  globalThis.setTimeout = (callback, delay, ...values) => {
    if (typeof callback !== 'function') throw new TypeError('setTimeout: the first argument must be a function');
    const timer = ++lastTimer;
    // Async, so that what the callback throws is reported as an unhandled rejection.
    const resolve = async () => {
      if (mapDelete(timers, timer)) apply(callback, undefined, values);
    };
    begin('sleep', { milliseconds: milliseconds(delay) }, undefined, { resolve });
    mapSet(timers, timer, true);
    return timer;
  };

  globalThis.clearTimeout = (timer) => {
    mapDelete(timers, timer);
  };

  // ---- ctx ----------------------------------------------------------------------------------------------------

  const fetch = fetchWith(perform, decodeUtf8);

  const secrets = freeze({ get: (name) => ask('secrets.get', { name: toWellFormed(String(name)) }) });

  // Queries and mutations stay repeatable: they get neither the network nor secrets.
  const contextFor = (kind, { auth, config, user }) => {
    const ctx = { auth, config, log };
    if (user !== undefined) ctx.user = user;
    if (kind === 'action') {
      ctx.fetch = fetch;
      ctx.secrets = secrets;
    }
    return ctx;
  };

  // ---- handlers -----------------------------------------------------------------------------------------------

  const KINDS = freeze({ __proto__: null, query: true, mutation: true, action: true });

  const isDefinition = (value) =>
    typeof value === 'object' && value !== null && value.kind in KINDS && typeof value.handler === 'function';

  const exportType = (value) => {
    if (typeof value === 'function') return 'function';
    return isDefinition(value) ? value.kind : 'value';
  };

  const describeExports = (namespace) => {
    const names = ownKeys(namespace);
    const list = [];
    for (let i = 0; i < names.length; i++) {
      if (typeof names[i] === 'string') {
        list[list.length] = { name: toWellFormed(names[i]), type: exportType(namespace[names[i]]) };
      }
    }
    return stringify(list);
  };

  const unknownHandler = (message) => failure('UNKNOWN_HANDLER', 'Error', message);

  const resolveHandler = (namespace, name, kind) => {
    if (!hasOwn(namespace, name)) throw unknownHandler(`the module has no export ${stringify(name)}`);
    const value = namespace[name];
    if (typeof value === 'function') return { handler: value };
    if (!isDefinition(value)) {
      throw unknownHandler(`export ${stringify(name)} is neither a function nor a query, mutation or action`);
    }
    if (value.kind !== kind) {
      throw unknownHandler(`export ${stringify(name)} is of kind ${value.kind}, not ${kind}`);
    }
    return value;
  };

  const checkedArguments = (fields, input) => {
    const value = input === null || input === undefined ? {} : input;
    const violation = violationOfArguments(fields, value);
    if (violation !== undefined) throw failure('INVALID_ARGUMENTS', 'ValidationError', violation);
    return value;
  };

  // `request` is {"handler", "kind", "context": {"auth", "config", "user"?}, "input"} as JSON text.
  const invoke = async (namespace, request) => {
    try {
      const { handler: name, kind, context, input } = parse(request);
      const { handler, args } = resolveHandler(namespace, name, kind);
      const value = args === undefined || args === null ? input : checkedArguments(args, input);
      const result = stringify(await handler(contextFor(kind, context), value));
      return result === undefined ? 'null' : result;
    } finally {
      reportRejections();
    }
  };

  // ---- the global object --------------------------------------------------------------------------------------

  // Like a page that forbids code from strings: the constructors stay for `instanceof`, and refuse.
  const forbidCodeFromStrings = () => {
    const samples = [function () {}, async function () {}, function* () {}, async function* () {}];
    for (let i = 0; i < samples.length; i++) {
      const prototype = getPrototypeOf(samples[i]);
      const { name } = prototype.constructor;
      const constructor = function () {
        throw new TypeError('code from strings is not available in handlers');
      };
      defineProperty(constructor, 'name', { value: name });
      defineProperty(constructor, 'prototype', { value: prototype, writable: false });
      defineProperty(prototype, 'constructor', { value: constructor, writable: true, configurable: true });
      if (i === 0) defineProperty(globalThis, 'Function', { value: constructor, writable: true, configurable: true });
    }
    delete globalThis.eval;
  };

  forbidCodeFromStrings();
  defineProperty(Math, 'random', { value: random, writable: true, configurable: true });
  // Its origin is the moment of the snapshot.
  delete globalThis.performance;

  return { invoke, complete, describeError, describeExports, trackRejection };
});
