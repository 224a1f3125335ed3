// `ctx.fetch`: a subset of the standard. Evaluated once, before the snapshot; the result is called by runtime.js.
//
// `perform` starts a host operation, `decodeUtf8` turns bytes into text.
(function (perform, decodeUtf8) {
  'use strict';

  const { TypeError, String, Map, Uint8Array, ArrayBuffer, Symbol } = globalThis;
  const { parse, stringify } = JSON;
  const { freeze, keys } = Object;
  const { isArray } = Array;
  const { isView } = ArrayBuffer;
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const mapGet = uncurry(Map.prototype.get);
  const mapSet = uncurry(Map.prototype.set);
  const mapHas = uncurry(Map.prototype.has);
  const mapForEach = uncurry(Map.prototype.forEach);
  const mapKeys = uncurry(Map.prototype.keys);
  const mapValues = uncurry(Map.prototype.values);
  const mapEntries = uncurry(Map.prototype.entries);
  const slice = uncurry(String.prototype.slice);
  const toLowerCase = uncurry(String.prototype.toLowerCase);
  const toUpperCase = uncurry(String.prototype.toUpperCase);
  const toWellFormed = uncurry(String.prototype.toWellFormed);
  const charCodeAt = uncurry(String.prototype.charCodeAt);
  const sliceBuffer = uncurry(ArrayBuffer.prototype.slice);

  const headerPairs = (headers) => {
    const pairs = [];
    const add = (name, value) => {
      pairs[pairs.length] = [toWellFormed(toLowerCase(String(name))), toWellFormed(String(value))];
    };
    if (headers === undefined || headers === null) return pairs;
    if (headers instanceof Headers || headers instanceof Map) {
      headers.forEach((value, name) => add(name, value));
    } else if (isArray(headers)) {
      for (let i = 0; i < headers.length; i++) add(headers[i][0], headers[i][1]);
    } else if (typeof headers === 'object') {
      const names = keys(headers);
      for (let i = 0; i < names.length; i++) add(names[i], headers[names[i]]);
    } else {
      throw new TypeError('fetch: headers must be an object or an array of pairs');
    }
    return pairs;
  };

  const requestBody = (body) => {
    if (body === undefined || body === null) return undefined;
    if (typeof body === 'string') return toWellFormed(body);
    if (body instanceof ArrayBuffer) return body;
    if (isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
    throw new TypeError('fetch: body must be a string, an ArrayBuffer or a typed array');
  };

  const REDIRECTS = freeze({ __proto__: null, follow: true, manual: true, error: true });

  const requestOf = (url, init) => {
    const redirect = init.redirect === undefined ? 'follow' : String(init.redirect);
    if (!(redirect in REDIRECTS)) {
      throw new TypeError(`fetch: redirect must be "follow", "manual" or "error", got ${stringify(redirect)}`);
    }
    return {
      url: toWellFormed(String(url)),
      method: toWellFormed(toUpperCase(String(init.method ?? 'GET'))),
      headers: headerPairs(init.headers),
      redirect,
    };
  };

  class Headers {
    #values = new Map();

    constructor(pairs) {
      for (let i = 0; i < pairs.length; i++) {
        const name = toLowerCase(pairs[i][0]);
        const earlier = mapGet(this.#values, name);
        mapSet(this.#values, name, earlier === undefined ? pairs[i][1] : `${earlier}, ${pairs[i][1]}`);
      }
    }

    get(name) {
      return mapGet(this.#values, toLowerCase(String(name))) ?? null;
    }

    has(name) {
      return mapHas(this.#values, toLowerCase(String(name)));
    }

    forEach(callback) {
      mapForEach(this.#values, (value, name) => callback(value, name, this));
    }

    keys() {
      return mapKeys(this.#values);
    }

    values() {
      return mapValues(this.#values);
    }

    entries() {
      return mapEntries(this.#values);
    }

    [Symbol.iterator]() {
      return mapEntries(this.#values);
    }
  }

  // Without the mark that may stand before the text.
  const decode = (bytes) => {
    const text = decodeUtf8(bytes);
    return charCodeAt(text, 0) === 0xfeff ? slice(text, 1) : text;
  };

  class Response {
    #body;

    constructor(head, body) {
      this.status = head.status;
      this.statusText = head.status_text;
      this.ok = head.status >= 200 && head.status < 300;
      this.url = head.url;
      this.redirected = head.redirected;
      this.headers = new Headers(head.headers);
      this.#body = body;
    }

    async text() {
      return decode(this.#body);
    }

    async json() {
      return parse(decode(this.#body));
    }

    async arrayBuffer() {
      return sliceBuffer(this.#body, 0);
    }

    async bytes() {
      return new Uint8Array(sliceBuffer(this.#body, 0));
    }
  }

  return async (url, init) => {
    const options = init ?? {};
    const { value, body } = await perform('fetch', requestOf(url, options), requestBody(options.body));
    return new Response(value, body);
  };
});
