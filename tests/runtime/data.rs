//! `ctx.db`: declared tables, key-value storage, transactions, quotas and isolation (reference/handlers.md#storage).

use diesel::{QueryableByName, sql_query, sql_types::BigInt};
use diesel_async::RunQueryDsl;
use serde_json::{Value, json};

use super::{
    functions::call,
    stage::{Installed, Module, Stage, Streamer},
};

const CODE: &str = "
    import { query, mutation, action, v } from '@lumio/sdk/server';
    export const list = query((ctx, options) => ctx.db.query('scores', options));
    export const find = query((ctx, { filter }) => ctx.db.get('scores', { filter }));
    export const add = mutation((ctx, row) => ctx.db.insert('scores', row));
    export const change = mutation((ctx, { id, ...rest }) => ctx.db.patch('scores', id, rest));
    export const remove = mutation((ctx, { id }) => ctx.db.delete('scores', id));
    export const share = mutation((ctx, row) => ctx.db.insert('shared', row));
    export const sharedRows = query((ctx) => ctx.db.query('shared'));
    export const addThenThrow = mutation(async (ctx) => {
        await ctx.db.insert('scores', { player: 'ghost', points: 1 });
        await ctx.db.set('install', 'ghost', 1);
        await ctx.push('ghost', {});
        throw new Error('undone');
    });
    export const bump = mutation(async (ctx) => {
        const before = await ctx.db.get('install', 'n') ?? 0;
        await new Promise((resolve) => setTimeout(resolve, 20));
        await ctx.db.set('install', 'n', before + 1);
    });
    export const set = mutation((ctx, { at, value }) => ctx.db.set(...at, value));
    export const get = query((ctx, { at }) => ctx.db.get(...at));
    export const del = mutation((ctx, { at }) => ctx.db.delete(...at));
    export const keys = query((ctx, { scope, prefix }) => ctx.db.list(scope, prefix));
    export const fill = action(async (ctx, { scope, count, size }) => {
        let kept = 0;
        for (let i = 0; i < count; i++) {
            try { await ctx.db.set(scope, 'fill', i, 'x'.repeat(size)); kept++ }
            catch (error) { return `${kept} ${error.name}: ${error.message}` }
        }
        return kept;
    });
    export const fillAtOnce = mutation(async (ctx, { scope, count, size }) => {
        for (let i = 0; i < count; i++) await ctx.db.set(scope, 'fill', i, 'x'.repeat(size));
    });
    export const writeInQuery = query((ctx) => ctx.db.set('install', 'k', 1));
    export const manyCalls = query(async (ctx) => { for (let i = 0; i < 1001; i++) await ctx.db.get('install', 'k') });
    export const run = async (ctx) => {
        const seen = (await ctx.db.get('user', 'seen') ?? 0) + 1;
        await ctx.db.set('user', 'seen', seen);
        return { action: 'send_message', message: `seen ${seen}` };
    };
";

fn module() -> Module {
    let handler = |kind: &str, name: &str| json!({ "kind": kind, "handler": name });
    let functions = json!({
        "list": handler("query", "list"), "find": handler("query", "find"),
        "add": handler("mutation", "add"), "change": handler("mutation", "change"),
        "remove": handler("mutation", "remove"), "share": handler("mutation", "share"),
        "sharedRows": handler("query", "sharedRows"), "addThenThrow": handler("mutation", "addThenThrow"),
        "bump": handler("mutation", "bump"), "set": handler("mutation", "set"), "get": handler("query", "get"),
        "del": handler("mutation", "del"), "keys": handler("query", "keys"), "fill": handler("action", "fill"),
        "fillAtOnce": handler("mutation", "fillAtOnce"), "writeInQuery": handler("query", "writeInQuery"),
        "manyCalls": handler("query", "manyCalls"),
        "best": { "kind": "query", "declarative": {
            "operation": "queryRows", "table": "scores", "orderBy": "points", "orderDir": "desc", "limit": 1,
            "filter": { "column": "player", "operator": "ne", "value": { "arg": "not" } },
        } },
        "addDeclared": { "kind": "mutation", "declarative": {
            "operation": "insertRow", "table": "scores",
            "data": { "player": { "arg": "player" }, "points": { "arg": "points" } },
        } },
    });
    let tables = json!({
        "scores": { "columns": {
            "player": "string", "points": "number", "tags": { "type": "string[]", "optional": true },
            "more": { "type": "object", "optional": true },
        } },
        "shared": { "scope": "account", "columns": { "text": "string" } },
    });
    let commands = json!({ "commands": [{ "name": "seen", "handler": "run" }] });
    Module { functions, tables, ..Module::of(commands, CODE) }
}

async fn of(streamer: &Streamer, install: &Installed, function: &str, args: Value) -> Value {
    call(&streamer.person, install, function, args).await.data().clone()
}

async fn refused(streamer: &Streamer, install: &Installed, function: &str, args: Value) -> String {
    let answer = call(&streamer.person, install, function, args).await;
    assert_eq!(answer.status, 400, "{}", answer.text);
    answer.error().1
}

fn players(rows: &Value) -> Vec<&str> {
    rows.as_array().unwrap().iter().map(|row| row["player"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_rows_are_inserted_found_changed_and_deleted() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = stage.install(&ada, module()).await;
    for (player, points) in [("ada", 30), ("bob", 10), ("cleo", 20)] {
        let row = of(&ada, &install, "add", json!({ "player": player, "points": points })).await;
        assert_eq!((&row["player"], &row["points"]), (&json!(player), &json!(points)));
        assert!(row["id"].is_string() && row["created_at"].as_str().unwrap().ends_with('Z'), "{row}");
    }
    let list = async |options: Value| of(&ada, &install, "list", options).await;
    assert_eq!(players(&list(json!({})).await), ["ada", "bob", "cleo"], "in the order they were made");
    let by_points = json!({ "orderBy": "points", "orderDir": "desc", "limit": 2 });
    assert_eq!(players(&list(by_points).await), ["ada", "cleo"]);
    assert_eq!(players(&list(json!({ "offset": 2 })).await), ["cleo"]);
    assert_eq!(players(&list(json!({ "filter": { "points": { "gte": 20, "lt": 30 } } })).await), ["cleo"]);
    assert_eq!(
        players(&list(json!({ "filter": { "player": { "in": ["ada", "bob"] } } })).await),
        ["ada", "bob"]
    );
    assert_eq!(players(&list(json!({ "filter": { "tags": null } })).await).len(), 3);

    let bob = of(&ada, &install, "find", json!({ "filter": { "player": "bob" } })).await;
    let changed =
        of(&ada, &install, "change", json!({ "id": bob["id"], "points": 99, "tags": ["new"] })).await;
    assert_eq!(
        (&changed["points"], &changed["tags"], &changed["player"]),
        (&json!(99), &json!(["new"]), &json!("bob"))
    );
    let deleted = of(&ada, &install, "remove", json!({ "id": bob["id"] })).await;
    assert_eq!(deleted["id"], bob["id"]);
    assert_eq!(of(&ada, &install, "remove", json!({ "id": bob["id"] })).await, Value::Null);
    assert_eq!(of(&ada, &install, "find", json!({ "filter": { "player": "bob" } })).await, Value::Null);

    let best = of(&ada, &install, "best", json!({ "not": "ada" })).await;
    assert_eq!(players(&best), ["cleo"]);
    of(&ada, &install, "addDeclared", json!({ "player": "dan", "points": 50 })).await;
    assert_eq!(players(&of(&ada, &install, "best", json!({ "not": "x" })).await), ["dan"]);
    assert_eq!(
        refused(&ada, &install, "best", json!({ "not": "x", "more": 1 })).await,
        "args.more: is not an argument of this handler"
    );
    assert_eq!(
        refused(&ada, &install, "addDeclared", json!({ "player": 7, "points": 1 })).await,
        "ctx.db.insert: scores.player must be string"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_against_the_schema_is_refused_by_name() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = stage.install(&ada, module()).await;
    for (row, message) in [
        (json!({ "player": "a" }), "ctx.db.insert: scores.points is required"),
        (json!({ "player": "a", "points": "many" }), "ctx.db.insert: scores.points must be number"),
        (json!({ "player": "a", "points": 1, "colour": 1 }), "ctx.db.insert: scores has no column colour"),
        (
            json!({ "player": "a\u{0}", "points": 1 }),
            "ctx.db.insert: scores.player must not contain NUL characters",
        ),
    ] {
        assert_eq!(refused(&ada, &install, "add", row).await, message);
    }
    let large = json!({ "player": "x".repeat(70_000), "points": 1 });
    assert!(refused(&ada, &install, "add", large).await.contains("the limit is 65536"));
    for (options, part) in [
        (json!({ "limit": 1001 }), "limit must be a whole number between 1 and 1000"),
        (json!({ "orderBy": "nothing" }), "orderBy names no column"),
        (json!({ "filter": { "nothing": 1 } }), "there is no column nothing"),
        (json!({ "orderBy": "points; DROP TABLE extension_rows" }), "orderBy names no column"),
    ] {
        let message = refused(&ada, &install, "list", options).await;
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(of(&ada, &install, "list", json!({})).await, json!([]));
    let message = refused(&ada, &install, "writeInQuery", json!({})).await;
    assert_eq!(message, "ctx.db.set is not available in a query");
    assert!(refused(&ada, &install, "manyCalls", json!({})).await.contains("the limit of 1000 calls"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_of_a_mutation_that_throws_is_rolled_back() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = stage.install(&ada, module()).await;
    let (mut pushed, mut messages) = stage.app.state.redis.subscription().await.unwrap();
    pushed.subscribe(&[stage.app.state.events.topic(&format!("ext-storage:{}", install.id))]).await.unwrap();
    assert_eq!(refused(&ada, &install, "addThenThrow", json!({})).await, "undone");
    assert_eq!(of(&ada, &install, "list", json!({})).await, json!([]));
    assert_eq!(of(&ada, &install, "get", json!({ "at": ["install", "ghost"] })).await, Value::Null);
    let quiet = tokio::time::timeout(std::time::Duration::from_millis(300), messages.next());
    assert!(quiet.await.is_err(), "what was undone is not pushed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_loses_no_update_of_concurrent_mutations() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = stage.install(&ada, module()).await;
    let bumps = (0..20).map(|_| call(&ada.person, &install, "bump", json!({})));
    for answer in futures::future::join_all(bumps).await {
        answer.data();
    }
    assert_eq!(of(&ada, &install, "get", json!({ "at": ["install", "n"] })).await, 20);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_is_isolated_by_install_account_and_extension() {
    let stage = Stage::start().await;
    let (ada, bob) = (stage.streamer().await, stage.streamer().await);
    let extension = stage.publish(&module()).await;
    let granted = ["chat:read", "chat:send"];
    let first = stage.install_published(&ada, extension, &granted).await;
    let second = stage.install_published(&ada, extension, &granted).await;
    let of_bob = stage.install_published(&bob, extension, &granted).await;
    let other = stage.install(&ada, module()).await;

    let row = of(&ada, &first, "add", json!({ "player": "ada", "points": 1 })).await;
    of(&ada, &first, "set", json!({ "at": ["install", "k"], "value": "mine" })).await;
    of(&ada, &first, "set", json!({ "at": ["global", "k"], "value": "everybody's" })).await;
    of(&ada, &first, "set", json!({ "at": ["user", "k"], "value": "ada's" })).await;
    of(&ada, &first, "share", json!({ "text": "in the account" })).await;

    for (streamer, install) in [(&ada, &second), (&bob, &of_bob), (&ada, &other)] {
        assert_eq!(of(streamer, install, "list", json!({})).await, json!([]));
        assert_eq!(
            of(streamer, install, "find", json!({ "filter": { "id": row["id"] } })).await,
            Value::Null
        );
        assert_eq!(
            of(streamer, install, "change", json!({ "id": row["id"], "points": 7 })).await,
            Value::Null
        );
        assert_eq!(of(streamer, install, "remove", json!({ "id": row["id"] })).await, Value::Null);
        assert_eq!(of(streamer, install, "get", json!({ "at": ["install", "k"] })).await, Value::Null);
        assert_eq!(of(streamer, install, "get", json!({ "at": ["user", "k"] })).await, Value::Null);
    }
    let shared = async |streamer, install| {
        of(streamer, install, "sharedRows", json!({})).await.as_array().unwrap().len()
    };
    assert_eq!(shared(&ada, &second).await, 1, "the account's tables are shared by its installs");
    assert_eq!((shared(&bob, &of_bob).await, shared(&ada, &other).await), (0, 0));
    let global =
        async |streamer, install| of(streamer, install, "get", json!({ "at": ["global", "k"] })).await;
    assert_eq!(global(&bob, &of_bob).await, "everybody's");
    assert_eq!(global(&ada, &other).await, Value::Null, "another extension");
    assert_eq!(of(&ada, &first, "list", json!({})).await.as_array().unwrap().len(), 1, "nobody changed it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_values_keep_any_json() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = stage.install(&ada, module()).await;
    let value = json!({ "list": [1, 2.5, null, true], "text": "ä" });
    for at in [json!(["install", "a"]), json!(["install", "a", "b", 7]), json!(["user", "x"])] {
        assert_eq!(of(&ada, &install, "set", json!({ "at": at, "value": value })).await, Value::Null);
        assert_eq!(of(&ada, &install, "get", json!({ "at": at })).await, value);
    }
    let keys = of(&ada, &install, "keys", json!({ "scope": "install", "prefix": "a" })).await;
    assert_eq!(keys[0]["key"], "a");
    assert_eq!(keys[1], json!({ "key": "a:b:7", "value": value }));
    assert_eq!(
        of(&ada, &install, "keys", json!({ "scope": "install", "prefix": "a:" }))
            .await
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(of(&ada, &install, "del", json!({ "at": ["install", "a"] })).await, true);
    assert_eq!(of(&ada, &install, "del", json!({ "at": ["install", "a"] })).await, false);
    assert_eq!(of(&ada, &install, "get", json!({ "at": ["install", "a"] })).await, Value::Null);
    let long = json!({ "at": ["install", "k".repeat(256)], "value": 1 });
    assert!(refused(&ada, &install, "set", long).await.contains("1 to 255 bytes"));
    let large = json!({ "at": ["install", "k"], "value": "x".repeat(65 * 1024) });
    assert!(refused(&ada, &install, "set", large).await.contains("the limit is 65536"));

    // A viewer of the chat has a scope of their own.
    stage.say(&ada, "!seen").await;
    assert_eq!(stage.sent(&ada, 1).await, ["seen 1"]);
    stage.say(&ada, "!seen").await;
    assert_eq!(stage.sent(&ada, 2).await[1], "seen 2");
    assert_eq!(of(&ada, &install, "get", json!({ "at": ["user", "seen"] })).await, Value::Null);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_of_each_scope_has_a_quota() {
    #[derive(QueryableByName)]
    struct Used {
        #[diesel(sql_type = BigInt)]
        bytes: i64,
        #[diesel(sql_type = BigInt)]
        keys: i64,
    }
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = stage.install(&ada, module()).await;
    let fill = async |scope: &str, count: u32, size: u32| {
        of(&ada, &install, "fill", json!({ "scope": scope, "count": count, "size": size })).await
    };
    // 1 MB of one viewer: 16 values of 65,000 bytes.
    let end = fill("user", 20, 65_000).await;
    assert_eq!(end, "16 LimitError: ctx.db: the quota of the scope user is used up: 1 MB, 1000 keys");
    // 10 MB of an install.
    let end = fill("install", 170, 65_000).await;
    assert!(
        end.as_str().unwrap().starts_with("161 LimitError: ctx.db: the quota of the scope install"),
        "{end}"
    );
    let message = refused(&ada, &install, "add", json!({ "player": "x".repeat(60_000), "points": 1 })).await;
    assert!(message.contains("the quota of the scope install"), "rows count too: {message}");
    // What is counted is what is there.
    let used: Vec<Used> = sql_query(
        "SELECT used.bytes, used.keys FROM extension_usage AS used WHERE scope = 'install'
           AND bytes = (SELECT sum(bytes) FROM extension_values WHERE scope = 'install')
           AND keys = (SELECT count(*) FROM extension_values WHERE scope = 'install')",
    )
    .load(&mut *stage.app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    assert_eq!(used.len(), 1);
    assert_eq!(used[0].keys, 161);
    assert!(used[0].bytes <= 10 * 1024 * 1024, "{}", used[0].bytes);
    // Deleting makes room.
    of(&ada, &install, "del", json!({ "at": ["install", "fill", 0] })).await;
    of(&ada, &install, "set", json!({ "at": ["install", "again"], "value": "y".repeat(60_000) })).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_of_a_mutation_over_its_quota_is_rolled_back() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = stage.install(&ada, module()).await;
    let message =
        refused(&ada, &install, "fillAtOnce", json!({ "scope": "user", "count": 17, "size": 65_000 })).await;
    assert!(message.contains("the quota of the scope user"), "{message}");
    assert_eq!(of(&ada, &install, "keys", json!({ "scope": "user", "prefix": "" })).await, json!([]));
    // The 1,001st key.
    sql_query(
        "INSERT INTO extension_usage (extension_id, scope, subject, account_id, bytes, keys)
         VALUES ($1, 'install', $2, $3, 1000, 999)",
    )
    .bind::<diesel::sql_types::Uuid, _>(install.extension_id)
    .bind::<diesel::sql_types::Uuid, _>(install.id)
    .bind::<diesel::sql_types::Uuid, _>(ada.person.account_id)
    .execute(&mut *stage.app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    of(&ada, &install, "set", json!({ "at": ["install", "last"], "value": 1 })).await;
    of(&ada, &install, "set", json!({ "at": ["install", "last"], "value": 2 })).await;
    let message = refused(&ada, &install, "set", json!({ "at": ["install", "one more"], "value": 1 })).await;
    assert!(message.contains("1000 keys"), "{message}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_of_the_global_scope_is_limited_to_100_mb_and_10_000_keys() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = stage.install(&ada, module()).await;
    let planted = async |bytes: i64, keys: i64| {
        sql_query(
            "INSERT INTO extension_usage (extension_id, scope, subject, bytes, keys) VALUES ($1, 'global', $1, $2, $3)
             ON CONFLICT (extension_id, scope, subject, owner) DO UPDATE SET bytes = excluded.bytes, keys = excluded.keys",
        )
        .bind::<diesel::sql_types::Uuid, _>(install.extension_id)
        .bind::<BigInt, _>(bytes)
        .bind::<BigInt, _>(keys)
        .execute(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    };
    let set = json!({ "at": ["global", "k"], "value": "x".repeat(1000) });
    for (bytes, keys) in [(100 * 1024 * 1024 - 500, 1), (1000, 10_000)] {
        planted(bytes, keys).await;
        let message = refused(&ada, &install, "set", set.clone()).await;
        assert_eq!(message, "ctx.db: the quota of the scope global is used up: 100 MB, 10000 keys");
    }
    planted(100 * 1024 * 1024 - 2000, 9_999).await;
    of(&ada, &install, "set", set).await;
}
