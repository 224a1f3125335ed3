//! Failed runs are kept and can be replayed to the same end, without any effect.

use chrono::Duration;
use diesel::{ExpressionMethods, QueryDsl};
use diesel_async::RunQueryDsl;
use extension_runtime::failed_runs::replay::replay;
use foundation::crypto::{self, SecretLocation};
use sandbox::FailureCode;
use serde_json::json;
use shared::schema::timeseries::{extension_errors, extension_failed_runs};
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
                .get_result::<i64>(&mut *stage.app.databases.timescaledb.get().await.unwrap())
                .await
                .unwrap()
                > 0
        })
        .await;
    extension_errors::table
        .filter(extension_errors::install_id.eq(install.id))
        .order(extension_errors::occurred_at.desc())
        .select(extension_errors::id)
        .first(&mut *stage.app.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replay_of_a_failed_run_ends_alike_and_has_no_effect() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    // Its error depends on every input.
    let code = "
        export const run = async (ctx, input) => {
            const [n, cached] = await Promise.all([ctx.db.get('install', 'n'), ctx.cache.incr('c')]);
            await ctx.db.set('install', 'n', (n ?? 0) + 1);
            await ctx.actions.run('chat:send', { message: 'once' });
            ctx.log.info('before the end');
            const { event_type, data } = input.event;
            throw new Error([n, cached, Math.random(), Date.now(), data.words, event_type].join());
        }";
    // The deadline of an event is long enough for it on any machine.
    let events = json!({ "events": [{ "event_type": "twitch:raid", "handler": "run" }] });
    let install = stage.install(&ada, Module::of(events, code)).await;
    stage.happen(&ada, "twitch:raid", json!({ "words": "with words" })).await;
    assert_eq!(stage.sent(&ada, 1).await, ["once"]);
    let id = error_id(&stage, &install).await;
    let message = stage.errors_now(&install).await.remove(0).1;
    assert!(message.starts_with(",1,0.") && message.ends_with(",with words,twitch:raid"), "{message}");

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
async fn replay_exceeds_the_same_limits() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let never = "export const run = async () => { await new Promise(() => setTimeout(() => {}, 60000)) }";
    let install = stage.install(&ada, Module::command("never", never)).await;
    stage.say(&ada, "!never").await;
    let id = error_id(&stage, &install).await;
    let replayed = replay(&stage.worker.context, id).await.unwrap();
    assert_eq!(replayed.recorded.code, FailureCode::Timeout);
    assert!(replayed.is_the_same(), "{replayed:?}");

    // With the deadline of an event, which is long enough for these on any machine.
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
async fn replay_data_holds_no_secrets() {
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
        .first(&mut *stage.app.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap();
    assert!(!String::from_utf8_lossy(&sealed).contains("[secret]"), "what is stored is sealed");
    let row = crypto::row(id);
    let place = SecretLocation { table: "extension_failed_runs", column: "run", row: &row };
    let run = stage.app.state.keyring.open(place, &sealed).unwrap();
    assert!(run.expose().contains("[secret]") && !run.expose().contains("hush-hush"), "{}", run.expose());
    assert_eq!(user_id, Some(ada.person.user_id), "an erasure of the caller finds it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replay_data_names_the_persons_of_the_event() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let events = json!({ "events": [{ "event_type": "twitch:raid", "handler": "run" }] });
    let code = "export const run = () => { throw new Error('no') }";
    let install = stage.install(&ada, Module::of(events, code)).await;
    let data = json!({ "recipient_user_id": "900101", "text": "900102", "viewers": 12 });
    stage.happen(&ada, "twitch:raid", data).await;
    let id = error_id(&stage, &install).await;
    let named: Vec<String> = extension_failed_runs::table
        .filter(extension_failed_runs::id.eq(id))
        .select(extension_failed_runs::person_ids)
        .first(&mut *stage.app.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap();
    for (person, is_named) in [("4711", true), ("900101", true), ("900102", true), ("12", false)] {
        assert_eq!(named.iter().any(|named| named == person), is_named, "{person} in {named:?}");
    }
}

/// Persons of each kept run of an install.
async fn named(stage: &Stage, install: &Installed) -> Vec<Vec<String>> {
    extension_failed_runs::table
        .filter(extension_failed_runs::install_id.eq(install.id))
        .select(extension_failed_runs::person_ids)
        .load(&mut *stage.app.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replay_data_is_erased_with_a_person_that_it_read() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let events = json!({ "events": [{ "event_type": "twitch:raid", "handler": "run" }] });
    // No field is declared as an id, and the error contains none.
    let code = "
        const kept = ['900111', ['900112', 'x'], { viewer: '900113' }, { winner: 'kick:900114' }, 900115];
        export const run = async (ctx, input) => {
            await ctx.cache.set('last', kept[input.event.data.index]);
            await ctx.cache.get('last');
            throw new Error('no');
        }";
    let install = stage.install(&ada, Module::of(events, code)).await;
    let people = ["900111", "900112", "900113", "900114", "900115"];
    for index in 0..people.len() {
        stage.happen(&ada, "twitch:raid", json!({ "index": index })).await;
        stage.eventually("the run is kept", async || named(&stage, &install).await.len() == index + 1).await;
    }
    let of = |runs: &[Vec<String>], person: &str| {
        runs.iter().filter(|named| named.iter().any(|named| named == person)).count()
    };
    let runs = named(&stage, &install).await;
    for person in people {
        assert_eq!(of(&runs, person), 1, "{person} in {runs:?}");
    }

    // Also the person of another platform than the run's trigger.
    let staff = stage.app.admin_with(&["admin:privacy-erase"]).await;
    for (platform, person, left) in [("kick", "900114", 4), ("twitch", "900111", 3)] {
        let subject = json!({ "platform": platform, "user_id": person });
        staff.post("/v1/admin/privacy/chat/erase", subject).await.expect(200);
        let runs = named(&stage, &install).await;
        assert_eq!((of(&runs, person), runs.len()), (0, left), "{person} in {runs:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replay_reports_an_unknown_run() {
    let stage = Stage::start().await;
    let error = replay(&stage.worker.context, Uuid::now_v7()).await.unwrap_err().to_string();
    assert!(error.starts_with("there is no failed run"), "{error}");
}
