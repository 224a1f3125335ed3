//! Failed runs are kept and run again to the same end, without reaching anything.

use chrono::Duration;
use diesel::{ExpressionMethods, QueryDsl};
use diesel_async::RunQueryDsl;
use lumio_worker::replay;
use sandbox::FailureCode;
use serde_json::json;
use shared::{
    crypto::{self, Place},
    db::schema::timeseries::{extension_errors, extension_failed_runs},
};
use uuid::Uuid;

use super::{
    functions::call,
    stage::{Installed, Module, Stage},
};

async fn error_id(stage: &Stage, install: &Installed) -> Uuid {
    stage.errors(install, 1).await;
    stage
        .eventually("the run is kept", async || {
            extension_failed_runs::table
                .filter(extension_failed_runs::install_id.eq(install.id))
                .count()
                .get_result::<i64>(&mut *stage.app.state.databases.timescaledb.get().await.unwrap())
                .await
                .unwrap()
                > 0
        })
        .await;
    extension_errors::table
        .filter(extension_errors::install_id.eq(install.id))
        .order(extension_errors::occurred_at.desc())
        .select(extension_errors::id)
        .first(&mut *stage.app.state.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failed_run_ends_the_same_way_again_and_touches_nothing() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    // What it fails with depends on everything that it is told.
    let code = "
        export const run = async (ctx, input) => {
            const [n, cached] = await Promise.all([ctx.db.get('install', 'n'), ctx.cache.incr('c')]);
            await ctx.db.set('install', 'n', (n ?? 0) + 1);
            await ctx.actions.run('chat:send', { message: 'once' });
            ctx.log.info('before the end');
            throw new Error([n, cached, Math.random(), Date.now(), input.argsText, ctx.user.username].join());
        }";
    let install = stage.install(&ada, Module::command("fail", code)).await;
    stage.say(&ada, "!fail with words").await;
    assert_eq!(stage.sent(&ada, 1).await, ["once"]);
    let id = error_id(&stage, &install).await;
    let message = stage.errors_now(&install).await.remove(0).1;
    assert!(message.starts_with(",1,0.") && message.ends_with(",with words,ada"), "{message}");

    let replayed = replay(&stage.worker.context, id).await.unwrap();
    assert!(replayed.is_the_same(), "{replayed:?}");
    assert_eq!(replayed.result.unwrap_err().message, message);
    assert_eq!(replayed.lines.len(), 1);
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    assert_eq!(stage.sent_now(&ada).len(), 1, "nothing is done again");
    assert_eq!(stage.errors_now(&install).await.len(), 1);

    stage.app.clock.advance(Duration::days(8));
    let gone = replay(&stage.worker.context, id).await.unwrap_err().to_string();
    assert!(gone.contains("kept for seven days"), "{gone}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_that_were_crossed_are_crossed_again() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let never = "export const run = async () => { await new Promise(() => setTimeout(() => {}, 60000)) }";
    let install = stage.install(&ada, Module::command("never", never)).await;
    stage.say(&ada, "!never").await;
    let id = error_id(&stage, &install).await;
    let replayed = replay(&stage.worker.context, id).await.unwrap();
    assert_eq!(replayed.recorded.code, FailureCode::Timeout);
    assert!(replayed.is_the_same(), "{replayed:?}");

    // With the time of an event, which is enough for these on any machine.
    for (event, expected, code) in [
        (
            "twitch:cheer",
            FailureCode::ResponseTooLarge,
            "export const run = () => 'x'.repeat(2 * 1024 * 1024)",
        ),
        (
            "twitch:raid",
            FailureCode::MemoryLimit,
            "export const run = () => { const all = []; for (;;) all.push('y'.repeat(1 << 20) + all.length) }",
        ),
    ] {
        let events = json!({ "events": [{ "event_type": event, "handler": "run" }] });
        let install = stage.install(&ada, Module::of(events, code)).await;
        stage.happen(&ada, event, json!({})).await;
        let id = error_id(&stage, &install).await;
        let replayed = replay(&stage.worker.context, id).await.unwrap();
        assert_eq!(replayed.recorded.code, expected);
        assert!(replayed.is_the_same(), "{replayed:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets_are_in_no_kept_run() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let code = "
        export const run = async (ctx) => {
            const key = ctx.secrets.get('KEY');
            await ctx.db.set('install', 'copy', `kept ${key}`);
            const copy = await ctx.db.get('install', 'copy');
            throw new Error(`${key.length} ${copy}`);
        }";
    let install = stage
        .install(&ada, Module::with_functions(json!({ "run": { "kind": "action", "handler": "run" } }), code))
        .await;
    stage.secret(&install, "KEY", "hush-hush-secret").await;
    call(&ada.person, &install, "run", json!({})).await.refused("BAD_REQUEST", "16 kept [secret]");
    let id = error_id(&stage, &install).await;
    let (sealed, user_id): (Vec<u8>, Option<Uuid>) = extension_failed_runs::table
        .filter(extension_failed_runs::id.eq(id))
        .select((extension_failed_runs::run, extension_failed_runs::user_id))
        .first(&mut *stage.app.state.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap();
    assert!(!String::from_utf8_lossy(&sealed).contains("[secret]"), "what is stored is sealed");
    let row = crypto::row(id);
    let place = Place { table: "extension_failed_runs", column: "run", row: &row };
    let run = stage.app.state.keyring.open(place, &sealed).unwrap();
    assert!(run.expose().contains("[secret]") && !run.expose().contains("hush-hush"), "{}", run.expose());
    assert_eq!(user_id, Some(ada.person.user_id), "an erasure of the caller finds it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_is_unknown_is_said_to_be() {
    let stage = Stage::start().await;
    let error = replay(&stage.worker.context, Uuid::now_v7()).await.unwrap_err().to_string();
    assert!(error.starts_with("there is no failed run"), "{error}");
}
