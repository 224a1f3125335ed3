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
  const indexOf = uncurry(String.prototype.indexOf);
  const bind = uncurry(Function.prototype.bind);
  const then = uncurry(Promise.prototype.then);
  const species = Symbol.species;

  // ---- errors -------------------------------------------------------------------------------------------------

  // Failure codes of errors that were made here. An error that a handler makes has none, whatever it looks like.
  const codes = new WeakMap();

  // A stack without the frames of this platform, which say nothing to an author.
  const framesOfHandler = (stack) => {
    let frames = '';
    for (let from = 0; from < stack.length; ) {
      const newline = indexOf(stack, '\n', from);
      const end = newline < 0 ? stack.length : newline + 1;
      const frame = slice(stack, from, end);
      if (indexOf(frame, '(lumio:') < 0) frames += frame;
      from = end;
    }
    return frames;
  };

  const withStack = (error, stack) =>
    defineProperty(error, 'stack', { value: framesOfHandler(String(stack)), writable: true, configurable: true });

  // Called by nothing: the stack of what it throws ends with the function. What it returns is taken as it is, because
  // to resolve a promise with it would call the `then` that handlers can replace; `await` does not.
  const callAlone = async (callback, first, second) => {
    const returned = await new Promise((resolve, reject) => {
      const Taker = function (executor) {
        executor((value) => resolve({ __proto__: null, value }), reject);
      };
      const settled = new Promise((settle) => settle());
      defineProperty(settled, 'constructor', { value: { __proto__: null, [species]: Taker } });
      then(settled, bind(callback, undefined, first, second));
    });
    return await returned.value;
  };

  const failure = (code, name, message) => {
    const error = new Error(message);
    withStack(error, error.stack);
    defineProperty(error, 'name', { value: name, writable: true, configurable: true });
    if (code !== undefined) setCode(codes, error, code);
    return error;
  };

  const typeError = (message) => {
    const error = new TypeError(message);
    return withStack(error, error.stack);
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

  // The result of the handler, while the invocation goes on.
  const reply = (json) => {
    try {
      call('reply', json);
    } catch (refusal) {
      throw typeof refusal === 'string' ? hostError(refusal) : refusal;
    }
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
      reject(withStack(hostError(json), stack));
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
        const stack = trim(framesOfHandler(String(value.stack ?? '')));
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
    if (typeof callback !== 'function') throw typeError('setTimeout: the first argument must be a function');
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

  const request = async (operation, argument) => (await perform(operation, argument)).value;

  // Texts inside values keep half characters as they are: the host replaces them where it stores text.
  const word = (value) => toWellFormed(String(value));

  const mustBeJson = (where, value) => {
    if (stringify(value) === undefined) throw typeError(`${where}: the value must be JSON, not ${typeof value}`);
    return value;
  };

  // A first argument of these names means key-value storage; tables may not use them.
  const SCOPES = freeze({ __proto__: null, global: true, install: true, user: true });

  const isScope = (name) => typeof name === 'string' && name in SCOPES;

  const keyOf = (where, parts, count) => {
    if (count < 1) throw typeError(`${where}: a key must follow the scope`);
    let key = '';
    for (let i = 0; i < count; i++) {
      if (typeof parts[i] !== 'string' && typeof parts[i] !== 'number') {
        throw typeError(`${where}: keys must be strings or numbers`);
      }
      key += (i === 0 ? '' : ':') + word(parts[i]);
    }
    return key;
  };

  const mustBeScope = (where, scope) => {
    if (!isScope(scope)) throw typeError(`${where}: the scope must be one of global, install, user`);
    return scope;
  };

  const db = freeze({
    query: async (table, options) => {
      const { filter, orderBy, orderDir, limit, offset } = options ?? {};
      return request('db.query', { table: word(table), filter, order_by: orderBy, order_dir: orderDir, limit, offset });
    },
    get: async (first, ...rest) => {
      if (isScope(first)) {
        return request('db.value.get', { scope: first, key: keyOf('ctx.db.get', rest, rest.length) });
      }
      return request('db.get', { table: word(first), filter: rest[0]?.filter });
    },
    insert: async (table, row) => request('db.insert', { table: word(table), row: mustBeJson('ctx.db.insert', row) }),
    patch: async (table, id, partial) =>
      request('db.patch', { table: word(table), id: word(id), partial: mustBeJson('ctx.db.patch', partial) }),
    set: async (scope, ...rest) => {
      const key = keyOf('ctx.db.set', rest, rest.length - 1);
      const value = mustBeJson('ctx.db.set', rest[rest.length - 1]);
      return request('db.value.set', { scope: mustBeScope('ctx.db.set', scope), key, value });
    },
    delete: async (first, ...rest) => {
      if (isScope(first)) {
        return request('db.value.delete', { scope: first, key: keyOf('ctx.db.delete', rest, rest.length) });
      }
      return request('db.delete', { table: word(first), id: word(rest[0]) });
    },
    list: async (scope, prefix) =>
      request('db.value.list', { scope: mustBeScope('ctx.db.list', scope), prefix: word(prefix ?? '') }),
  });

  const cache = freeze({
    get: async (key) => request('cache.get', { key: word(key) }),
    set: async (key, value, ttlSecs) =>
      request('cache.set', { key: word(key), value: mustBeJson('ctx.cache.set', value), ttl_secs: ttlSecs }),
    delete: async (key) => request('cache.delete', { key: word(key) }),
    incr: async (key, by, ttlSecs) => request('cache.incr', { key: word(key), by, ttl_secs: ttlSecs }),
  });

  const push = async (topic, payload) => request('push', { topic: word(topic), payload: mustBeJson('ctx.push', payload) });

  const actions = freeze({
    run: async (action, payload) => request('actions.run', { action: word(action), payload: payload ?? {} }),
  });

  const MAX_DEFERRED = 16;

  const deferrer = (deferred) => (callback) => {
    if (typeof callback !== 'function') throw typeError('ctx.defer: the argument must be a function');
    if (deferred.length >= MAX_DEFERRED) {
      throw failure(undefined, 'LimitError', `ctx.defer: the limit of ${MAX_DEFERRED} functions is used up`);
    }
    deferred[deferred.length] = callback;
  };

  // Queries and mutations stay repeatable: they get neither the network nor secrets. What a query may not write and
  // a mutation may not do is refused by the host.
  const contextFor = (kind, { auth, config, user }, deferred) => {
    const ctx = { auth, config, log, db, cache };
    if (user !== undefined) ctx.user = user;
    if (kind !== 'query') ctx.push = push;
    if (kind === 'action') {
      ctx.fetch = fetch;
      ctx.secrets = secrets;
      ctx.actions = actions;
      ctx.defer = deferrer(deferred);
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

  // Reads no value: those of a module that has not run are not there.
  const describeNames = (namespace) => {
    const names = ownKeys(namespace);
    const list = [];
    for (let i = 0; i < names.length; i++) {
      if (typeof names[i] === 'string') list[list.length] = toWellFormed(names[i]);
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

  // Hands the result over first. A function that throws does not keep the others from running.
  const runDeferred = async (result, deferred) => {
    reply(result);
    let first;
    for (let i = 0; i < deferred.length; i++) {
      try {
        await callAlone(deferred[i]);
      } catch (error) {
        first ??= { error };
      }
    }
    if (first !== undefined) throw first.error;
  };

  // `request` is {"handler", "kind", "context": {"auth", "config", "user"?}, "input"} as JSON text.
  const invoke = async (namespace, request) => {
    try {
      const { handler: name, kind, context, input } = parse(request);
      const { handler, args } = resolveHandler(namespace, name, kind);
      const value = args === undefined || args === null ? input : checkedArguments(args, input);
      const deferred = [];
      const result = stringify(await callAlone(handler, contextFor(kind, context, deferred), value)) ?? 'null';
      if (deferred.length > 0) await runDeferred(result, deferred);
      return result;
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

  return { invoke, complete, describeError, describeExports, describeNames, trackRejection };
});
