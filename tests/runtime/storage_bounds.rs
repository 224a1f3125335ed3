//! Use of the database by one account's handlers, and the size of one result (reference/handlers.md#storage).

use diesel::{QueryableByName, sql_query, sql_types::BigInt};
use diesel_async::{RunQueryDsl, SimpleAsyncConnection};
use serde_json::{Value, json};

use super::{
    functions::call,
    stage::{Installed, Module, Stage, Streamer},
};

const CODE: &str = "
    import { query, mutation, action } from '@lumio/sdk/server';
    export const set = action((ctx, { key, value }) => ctx.db.set('install', key, value));
    export const get = query((ctx, { key }) => ctx.db.get('install', key));
    export const keys = query((ctx, { prefix }) => ctx.db.list('install', prefix));
    export const fill = action(async (ctx, { count }) => {
        for (let i = 0; i < count; i++) await ctx.db.set('install', 'fill', i, 'x'.repeat(65000));
    });
    export const rows = query((ctx, options) => ctx.db.query('scores', options));
    export const fillRows = mutation(async (ctx, { count }) => {
        for (let i = 0; i < count; i++) await ctx.db.insert('scores', { player: 'x'.repeat(65000), points: i });
    });
";

fn module() -> Module {
    let function = |kind: &str, name: &str| json!({ "kind": kind, "handler": name });
    let functions = json!({
        "set": function("action", "set"), "get": function("query", "get"), "keys": function("query", "keys"),
        "fill": function("action", "fill"), "rows": function("query", "rows"),
        "fillRows": function("mutation", "fillRows"),
        "ofPlayer": { "kind": "query", "declarative": {
            "operation": "queryRows", "table": "scores", "filter": { "player": { "arg": "player" } },
        } },
        "addDeclared": { "kind": "mutation", "declarative": {
            "operation": "insertRow", "table": "scores",
            "data": { "player": { "arg": "player" }, "points": { "arg": "points" } },
        } },
        "anything": { "kind": "query", "declarative": {
            "operation": "queryRows", "table": "scores", "filter": { "arg": "filter" },
        } },
    });
    let tables = json!({ "scores": { "columns": { "player": "string", "points": "number" } } });
    Module { tables, ..Module::with_functions(functions, CODE) }
}

async fn of(streamer: &Streamer, install: &Installed, function: &str, args: Value) -> Value {
    call(&streamer.person, install, function, args).await.data().clone()
}

async fn refused(streamer: &Streamer, install: &Installed, function: &str, args: Value) -> String {
    let answer = call(&streamer.person, install, function, args).await;
    assert_eq!(answer.status, 400, "{}", answer.text);
    answer.error().1
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn storage_bounds_refuse_results_above_four_megabytes() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = stage.install(&ada, module()).await;
    of(&ada, &install, "fill", json!({ "count": 66 })).await;
    assert_eq!(
        refused(&ada, &install, "keys", json!({ "prefix": "fill" })).await,
        "ctx.db.list: the values are larger than 4 MB together; use a longer prefix"
    );
    let some = of(&ada, &install, "get", json!({ "key": "fill:1" })).await;
    assert_eq!(some.as_str().unwrap().len(), 65_000);
    assert_eq!(of(&ada, &install, "keys", json!({ "prefix": "none" })).await, json!([]));
    let few = of(&ada, &install, "keys", json!({ "prefix": "fill:1" })).await;
    assert_eq!(few.as_array().unwrap().len(), 11, "1 and 10 to 19");

    let other = stage.install(&ada, module()).await;
    of(&ada, &other, "fillRows", json!({ "count": 66 })).await;
    assert_eq!(
        refused(&ada, &other, "rows", json!({ "orderBy": "points", "orderDir": "desc" })).await,
        "ctx.db.query: the rows are larger than 4 MB together; ask for fewer with limit"
    );
    let part = of(&ada, &other, "rows", json!({ "orderBy": "points", "orderDir": "desc", "limit": 3 })).await;
    let points: Vec<&Value> = part.as_array().unwrap().iter().map(|row| &row["points"]).collect();
    assert_eq!(points, [65, 64, 63], "in their order");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn storage_bounds_leave_connections_to_other_accounts() {
    #[derive(QueryableByName)]
    struct Waiting {
        #[diesel(sql_type = BigInt)]
        waiting: i64,
    }
    let stage = Stage::start().await;
    let (ada, bob) = (stage.streamer().await, stage.streamer().await);
    let extension = stage.publish(&module()).await;
    let of_ada = stage.install_published(&ada, extension, &[]).await;
    let of_bob = stage.install_published(&bob, extension, &[]).await;
    let one = json!({ "key": "k", "value": 1 });
    for (streamer, install) in [(&ada, &of_ada), (&bob, &of_bob)] {
        of(streamer, install, "set", one.clone()).await;
    }

    // The lock holds the row that all of ada's calls write.
    let mut lock = stage.app.databases.postgres.get().await.unwrap();
    lock.batch_execute(&format!(
        "BEGIN; SELECT 1 FROM extension_values WHERE subject = '{}' FOR UPDATE",
        of_ada.id
    ))
    .await
    .unwrap();
    let storm: Vec<_> = (0..8)
        .map(|_| {
            let (caller, one) = (ada.person.caller.clone(), one.clone());
            tokio::spawn(async move { call(&caller, &of_ada, "set", one).await })
        })
        .collect();
    let mut db = stage.app.databases.postgres.get().await.unwrap();
    let mut waiting = async || {
        let found: Waiting = sql_query(
            "SELECT count(*) AS waiting FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
        .get_result(&mut *db)
        .await
        .unwrap();
        found.waiting
    };
    let mut most = 0;
    stage
        .eventually("every place of the account is taken", async || {
            most = most.max(waiting().await);
            most >= 4
        })
        .await;
    for n in 0..20 {
        assert_eq!(of(&bob, &of_bob, "get", json!({ "key": "k" })).await, 1, "call {n}");
        most = most.max(waiting().await);
    }
    assert_eq!(most, 4, "a quarter of the pool's sixteen connections is an account's share");
    // No call waits for long, and none is half done.
    for answer in futures::future::join_all(storm).await {
        let (status, message) = (answer.as_ref().unwrap().status, answer.unwrap().text);
        assert!(status == 400 && message.contains("the storage is busy with other calls"), "{message}");
    }
    lock.batch_execute("ROLLBACK").await.unwrap();
    of(&ada, &of_ada, "set", json!({ "key": "k", "value": 2 })).await;
    assert_eq!(of(&ada, &of_ada, "get", json!({ "key": "k" })).await, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn storage_bounds_require_values_as_declared_arguments() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = stage.install(&ada, module()).await;
    for (player, points) in [("ada", 1), ("bob", 2)] {
        of(&ada, &install, "addDeclared", json!({ "player": player, "points": points })).await;
    }
    let found = of(&ada, &install, "ofPlayer", json!({ "player": "ada" })).await;
    assert_eq!((found.as_array().unwrap().len(), &found[0]["points"]), (1, &json!(1)));
    for operators in [json!({ "ne": "nobody" }), json!({ "gte": "" }), json!({ "in": ["ada", "bob"] })] {
        assert_eq!(
            refused(&ada, &install, "ofPlayer", json!({ "player": operators })).await,
            "ctx.db.query: filter.player must be string"
        );
    }
    for (function, args, message) in [
        ("ofPlayer", json!({}), "args.player: is required"),
        ("addDeclared", json!({ "player": "cleo" }), "args.points: is required"),
        (
            "ofPlayer",
            json!({ "player": "a", "filter": {} }),
            "args.filter: is not an argument of this handler",
        ),
        (
            "anything",
            json!({ "filter": { "points": { "gte": 0 } } }),
            "declarative: the argument filter must stand for a value, not for a condition",
        ),
    ] {
        assert_eq!(refused(&ada, &install, function, args).await, message);
    }
    assert_eq!(of(&ada, &install, "rows", json!({})).await.as_array().unwrap().len(), 2, "nothing was added");
}
