use serde_json::json;

use crate::support::result_of;

#[tokio::test]
async fn language_refuses_code_from_strings_in_every_way() {
    let source = "const attempt = (f) => { try { return f() } catch (error) { return error.name } };
        const constructorOf = (f) => Object.getPrototypeOf(f).constructor;
        export const run = () => [
          attempt(() => typeof eval),
          attempt(() => globalThis.eval('1')),
          attempt(() => Function('return 1')()),
          attempt(() => new Function('return 1')()),
          attempt(() => (() => {}).constructor('return 1')()),
          attempt(() => constructorOf(async () => {})('return 1')()),
          attempt(() => constructorOf(function* () {})('return 1')()),
          attempt(() => constructorOf(async function* () {})('return 1')()),
          attempt(() => Reflect.construct(Function, ['return 1'])()),
          attempt(() => new (class extends Function {})('return 1')()),
          attempt(() => (() => {}) instanceof Function),
          attempt(() => setTimeout('1', 1)),
        ]";

    assert_eq!(
        result_of(source).await,
        json!([
            "undefined",
            "TypeError",
            "TypeError",
            "TypeError",
            "TypeError",
            "TypeError",
            "TypeError",
            "TypeError",
            "TypeError",
            "TypeError",
            true,
            "TypeError",
        ])
    );
}

#[tokio::test]
async fn language_gives_no_access_to_the_machine() {
    let source = "const names = ['process', 'require', 'std', 'os', 'bjson', 'print', 'fetch', 'XMLHttpRequest', 'WebAssembly',
          'performance', 'setInterval', 'load', 'module', 'Deno', 'scriptArgs', 'gc'];
        export const run = () => names.filter((name) => name in globalThis)";

    assert_eq!(result_of(source).await, json!([]));
}

#[tokio::test]
async fn language_builtins_replaced_by_a_handler_affect_only_it() {
    let source = "JSON.stringify = () => 'pwned';
        JSON.parse = () => ({ pwned: true });
        Promise.prototype.then = function () { return 1 };
        Map.prototype.get = () => 0;
        Function.prototype.call = () => 'pwned';
        Array.prototype[Symbol.iterator] = function* () {};
        globalThis.String = () => 'pwned';
        export async function run(ctx, input) {
          const response = await ctx.fetch('https://api.example/');
          return { status: response.status, secret: typeof ctx.secrets.get('KEY') };
        }";

    assert_eq!(result_of(source).await, json!({ "status": 200, "secret": "string" }));
}

#[tokio::test]
async fn language_is_es2022() {
    let source = "class A { #x = 1; static s = 2; get x() { return this.#x } static { this.t = 3 } }
        const later = await Promise.resolve('awaited');
        export const run = async () => {
          const { groups } = /(?<year>\\d{4})/d.exec('in 2022');
          const list = [];
          for await (const n of (async function* () { yield 1; yield 2 })()) list.push(n);
          return [new A().x, A.s, A.t, later, groups.year, list.at(-1), 1_000, 2n ** 64n + '', null ?? 'n', 'aa'.replaceAll('a', 'b'),
            Object.hasOwn({ a: 1 }, 'a'), new Error('e', { cause: 1 }).cause, Object.fromEntries([['k', 1]])];
        }";

    assert_eq!(
        result_of(source).await,
        json!([1, 2, 3, "awaited", "2022", 2, 1000, "18446744073709551616", "n", "bb", true, 1, { "k": 1 }])
    );
}
