//! Plants a person in every store, and searches every store for a text.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use extension_model::feeds::{LogLevel, LogRecord, TelemetryBatch};
use foundation::{
    events::{Channel, Event, Removal, RemovalAction},
    jobs::{Job, RunTriggers, settings},
};
use live_model::{AccountEvent, ChatMessage, EventRow, Removals, RowBuffer};
use lumio_tests::TestApp;
use queue::EnqueueOptions;
use serde_json::json;
use uuid::Uuid;

/// Statements that insert a person into each table: `$1` is an account with one of everything, `$2` the
/// platform, `$3` the person.
pub const PLANTED: &[(&str, &str)] = &[
    ("chat_messages", "INSERT INTO chat_messages (id, account_id, platform, platform_message_id, platform_user_id, username,
            display_name, text, sent_at)
        SELECT gen_random_uuid(), $1, $2, 'planted-' || $3 || i, $3, 'name-of-' || $3, 'Name of ' || $3, 'hi', now()
        FROM generate_series(1, 3) AS i"),
    ("events", "INSERT INTO events (id, account_id, event_type, platform, platform_event_id, platform_user_id, data, occurred_at)
        VALUES (gen_random_uuid(), $1, $2 || ':follower', $2, 'planted-' || $3, $3, jsonb_build_object('user_id', $3), now()),
            (gen_random_uuid(), $1, $2 || ':gift_sub', $2, 'gift-' || $3, 'giver', jsonb_build_object('recipient_user_id', $3), now()),
            (gen_random_uuid(), $1, $2 || ':member', $2, 'gifted-' || $3, 'taker', jsonb_build_object('gifter_user_id', $3), now())"),
    ("platform_users", "INSERT INTO platform_users (account_id, platform, platform_user_id, username, display_name,
            message_count, first_seen_at, last_seen_at) VALUES ($1, $2, $3, 'n', 'N', 1, now(), now())"),
    ("platform_user_profiles", "INSERT INTO platform_user_profiles (account_id, platform, platform_user_id, profile,
            enriched_at) VALUES ($1, $2, $3, '{}', now())"),
    ("extension_failed_runs", "INSERT INTO extension_failed_runs (id, extension_id, install_id, account_id, version_id,
            handler, platform, platform_user_id, run, person_ids, failed_at)
        SELECT gen_random_uuid(), extension_id, id, $1, version_id, 'h', $2, $3, convert_to($3, 'UTF8'), '{}', now()
        FROM extension_installs WHERE account_id = $1 LIMIT 1"),
    // Another person triggered it, and the person is in the sealed payload.
    ("extension_failed_runs", "INSERT INTO extension_failed_runs (id, extension_id, install_id, account_id, version_id,
            handler, platform, platform_user_id, run, person_ids, failed_at)
        SELECT gen_random_uuid(), extension_id, id, $1, version_id, 'h', $2, 'giver', 'sealed', ARRAY['giver', $3], now()
        FROM extension_installs WHERE account_id = $1 LIMIT 1"),
    ("extension_errors", "INSERT INTO extension_errors (id, extension_id, install_id, account_id, handler, error_type,
            message, stack_trace, occurred_at)
        SELECT gen_random_uuid(), extension_id, id, $1, 'h', 'Error', $2 || ' has no viewer ' || $3, 'at ' || $3 || ':1', now()
        FROM extension_installs WHERE account_id = $1 LIMIT 1"),
    ("extension_logs", "INSERT INTO extension_logs (id, extension_id, install_id, account_id, level, message, created_at)
        SELECT gen_random_uuid(), extension_id, id, $1, 'info', $2 || ':' || $3 || ' said hello', now()
        FROM extension_installs WHERE account_id = $1 LIMIT 1"),
    // The answer of a receiver repeats what it got.
    ("webhook_deliveries", "INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id, event_type, occurred_at, status,
            response_excerpt, expires_at, created_at)
        SELECT gen_random_uuid(), $1, id, gen_random_uuid(), 'custom:a', now(), 'failed', $2 || ' has no viewer ' || $3, now(), now()
        FROM webhook_endpoints WHERE account_id = $1 LIMIT 1"),
    // Answers to requests with a key: in a field, in a list, and in an address only.
    ("idempotent_requests", "INSERT INTO idempotent_requests
            (id, request, account_id, operation, fingerprint, status, headers, answer, started_at, created_at)
        SELECT gen_random_uuid(), gen_random_uuid(), $1, 'planted', sha256('planted'), 201, headers, answer, now(), now()
        FROM (VALUES (NULL::jsonb, json_build_object('data', json_build_object('platform', $2, 'platform_user_id', $3))),
            (NULL, json_build_object('viewers', json_build_array($3))),
            (jsonb_build_object('location', '/v1/chat/users/' || $2 || '/' || $3 || '/notes/1'), '{}'::json))
            AS stored (headers, answer)"),
    ("user_notes", "INSERT INTO user_notes (id, account_id, platform, platform_user_id, body)
        VALUES (gen_random_uuid(), $1, $2, $3, 'about ' || $3)"),
    ("moderation_log", "INSERT INTO moderation_log (id, account_id, platform, action, target, moderator_type)
        VALUES (gen_random_uuid(), $1, $2, 'ban', $3, 'system')"),
    ("moderation_log", "INSERT INTO moderation_log (id, account_id, platform, action, target, moderator_type, reason, author_id)
        VALUES (gen_random_uuid(), $1, $2, 'delete', 'planted', 'system', 'an insult of ' || $3, $3)"),
    ("extension_values", "INSERT INTO extension_values (extension_id, scope, subject, owner, key, account_id, value, bytes)
        SELECT extension_id, 'user', id, $2 || ':' || $3, 'k', $1, '1', 1 FROM extension_installs WHERE account_id = $1
        LIMIT 1"),
    ("extension_usage", "INSERT INTO extension_usage (extension_id, scope, subject, owner, account_id, bytes, keys)
        SELECT extension_id, 'user', id, $2 || ':' || $3, $1, 1, 1 FROM extension_installs WHERE account_id = $1 LIMIT 1"),
    ("webhook_inbox", "INSERT INTO webhook_inbox (id, platform, delivery_id, event_type, body, sent_at, handled_at)
        VALUES (gen_random_uuid(), $2, 'text-' || $1, 'chat', jsonb_build_object('a', jsonb_build_array(
            jsonb_build_object('user_id', $3))), now(), now())"),
    ("outbox", "INSERT INTO outbox (id, queue, payload, idempotency_key)
        VALUES (gen_random_uuid(), 'live_events', jsonb_build_object('event', jsonb_build_object('data',
            jsonb_build_object('platform', $2, 'platform_user_id', $3))), 'planted-' || $1)"),
    ("audit_log", "INSERT INTO audit_log (id, scope, account_id, actor_type, action, resource_type, resource_id, metadata)
        VALUES (gen_random_uuid(), 'account', $1, 'system', 'chat:user_banned', 'chat_user', $3,
            jsonb_build_object('platform', $2, 'reason', 'because of ' || $3, 'success', true))"),
    ("audit_log", "INSERT INTO audit_log (id, scope, account_id, actor_type, action, resource_type, resource_id, metadata)
        VALUES (gen_random_uuid(), 'account', $1, 'system', 'chat:message_deleted', 'chat_message', 'planted',
            jsonb_build_object('platform', $2, 'reason', 'an insult of ' || $3, 'author_id', $3, 'success', true))"),
    ("stream_sessions", "INSERT INTO stream_sessions (id, account_id, session_type, platforms, started_at, ended_at, last_off_at,
            minutes_from, minutes_to, report, report_made_at)
        SELECT gen_random_uuid(), $1, 'single', ARRAY[$2], now() - interval '1 hour', now(), now(), now() - interval '1 hour',
            now(), jsonb_build_object('top_chatters', jsonb_build_array(
                jsonb_build_object('platform', $2, 'platform_user_id', $3, 'username', 'name-of-' || $3),
                jsonb_build_object('platform', $2, 'platform_user_id', 'other'))), now()"),
    ("public_streams", "INSERT INTO public_streams (platform, broadcast_id, platform_channel_id, source, started_at, top_chatters)
        VALUES ($2, 'planted-' || $1 || md5($3), 'planted', 'first_party', now(), jsonb_build_array(
            jsonb_build_object('platform', $2, 'platform_user_id', $3, 'username', 'name-of-' || $3)))"),
    ("automation_runs", "INSERT INTO automation_runs (id, account_id, automation_id, trigger, dedupe_key)
        SELECT gen_random_uuid(), $1, id, jsonb_build_object('data', jsonb_build_object('platform_user_id', $3)), $2 || $3
        FROM automations WHERE account_id = $1 LIMIT 1"),
    ("automation_runs", "INSERT INTO automation_runs (id, account_id, automation_id, trigger, context, dedupe_key)
        SELECT gen_random_uuid(), $1, id, '{}', jsonb_build_object('user', jsonb_build_object('platform', $2, 'id', $3)),
            'context of ' || $2 || $3
        FROM automations WHERE account_id = $1 LIMIT 1"),
    ("automation_runs", "INSERT INTO automation_runs (id, account_id, automation_id, trigger, status, error, dedupe_key)
        SELECT gen_random_uuid(), $1, id, '{}', 'failed', 'There is no viewer ' || $3, 'error of ' || $2 || $3
        FROM automations WHERE account_id = $1 LIMIT 1"),
    // More steps than one statement reads.
    ("automation_runs", "WITH run AS (
            INSERT INTO automation_runs (id, account_id, automation_id, trigger, dedupe_key)
            SELECT gen_random_uuid(), $1, id, '{}', 'steps of ' || $2 || $3 FROM automations WHERE account_id = $1 LIMIT 1
            RETURNING id)
        INSERT INTO automation_steps (account_id, run_id, position, node_id, status, input)
        SELECT $1, id, position, gen_random_uuid(), 'succeeded',
            CASE position WHEN 450 THEN jsonb_build_object('viewer_id', $3) ELSE '{}' END
        FROM run, generate_series(0, 450) AS position"),
    // Runs that name the person in one column of a step only; `cut` has the beginning of a large value.
    ("automation_runs", r#"WITH run AS (
            INSERT INTO automation_runs (id, account_id, automation_id, trigger, dedupe_key)
            SELECT gen_random_uuid(), $1, (SELECT id FROM automations WHERE account_id = $1 LIMIT 1), '{}', place || ' of ' || $2 || $3
            FROM unnest(ARRAY['input', 'output', 'result', 'answer', 'failure', 'cut']) AS place
            RETURNING id, split_part(dedupe_key, ' ', 1) AS place, jsonb_build_object('viewers', jsonb_build_array($3)) AS named)
        INSERT INTO automation_steps (account_id, run_id, position, node_id, status, input, output, result, answer, error)
        SELECT $1, id, 0, gen_random_uuid(), 'running',
            CASE place WHEN 'input' THEN named ELSE '{}' END,
            CASE place WHEN 'output' THEN named
                WHEN 'cut' THEN jsonb_build_object('truncated', true, 'text', '{"viewers": ["' || $3 || '", "') END,
            CASE place WHEN 'result' THEN named END, CASE place WHEN 'answer' THEN named END,
            CASE place WHEN 'failure' THEN 'There is no viewer ' || $3 END
        FROM run"#),
];

#[derive(QueryableByName)]
pub struct Named {
    #[diesel(sql_type = Text)]
    pub name: String,
}

#[derive(QueryableByName)]
struct Counted {
    #[diesel(sql_type = BigInt)]
    rows: i64,
}

/// Runs a statement; returns the number of rows that it changed.
pub async fn run(app: &TestApp, sql: &str) -> usize {
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query(sql).execute(&mut *db).await.unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// Values of the column `name` of a query.
pub async fn texts(app: &TestApp, sql: &str) -> BTreeSet<String> {
    let mut db = app.databases.postgres.get().await.unwrap();
    let found: Vec<Named> = sql_query(sql).load(&mut *db).await.unwrap();
    found.into_iter().map(|found| found.name).collect()
}

/// Repeats a query until it returns rows, or none.
pub async fn until(app: &TestApp, is_answered: bool, sql: &str) {
    for _ in 0..600 {
        if texts(app, sql).await.is_empty() != is_answered {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("half a minute did not bring what was looked for: {sql}");
}

pub async fn plant(app: &TestApp, account_id: Uuid, platform: &str, user_id: &str) {
    let mut db = app.databases.postgres.get().await.unwrap();
    for (table, sql) in PLANTED {
        sql_query(*sql)
            .bind::<SqlUuid, _>(account_id)
            .bind::<Text, _>(platform)
            .bind::<Text, _>(user_id)
            .execute(&mut *db)
            .await
            .unwrap_or_else(|error| panic!("{table}: {error}"));
    }
    plant_in_redis(app, account_id, platform, user_id).await;
}

pub async fn plant_in_redis(app: &TestApp, account_id: Uuid, platform: &str, user_id: &str) {
    let now = app.clock.now();
    let message = message(account_id, platform, user_id, now);
    let event = event(account_id, platform, user_id, now);
    app.state.events.append(&message.announcement().unwrap()).await.unwrap();
    app.state.events.append(&event.event.announcement().unwrap()).await.unwrap();
    let removal = Removal::User {
        platform_user_id: user_id.into(),
        action: RemovalAction::Ban,
        duration_secs: None,
        moderator_platform_user_id: None,
        moderator_user_id: None,
    };
    let chat = Channel::Chat(account_id);
    let cleared = Event::new(chat, removal.event_type(), removal.data(platform), now);
    app.state.events.append(&cleared).await.unwrap();
    Removals::new(app.state.redis.clone()).note(account_id, platform, &removal, now).await.unwrap();
    RowBuffer::<ChatMessage>::new(app.state.redis.clone()).push(&[message]).await.unwrap();
    RowBuffer::<EventRow>::new(app.state.redis.clone()).push(&[event]).await.unwrap();
    for key in ["profile", "profile_refresh"] {
        let key = app.state.redis.key(format_args!("{key}:{account_id}:{platform}:{user_id}"));
        let mut redis = app.state.redis.get().await.unwrap();
        redis::cmd("SET").arg(key).arg("cached").query_async::<()>(&mut *redis).await.unwrap();
    }
    plant_by_handlers(app, account_id, user_id).await;
    plant_in_queues(app, account_id, platform, user_id).await;
}

/// Plants the person in the queued actions, the stored values and the logs of an extension's handlers.
async fn plant_by_handlers(app: &TestApp, account_id: Uuid, user_id: &str) {
    let key = |name: String| app.state.redis.key(name);
    let nil = Uuid::nil();
    let namespace = format!("ext_cache:{nil}:{account_id}");
    let (by_name, by_value) = (format!("seen:{user_id}"), format!("last-{}", shared::id::new()));
    let wanted = json!({ "state": "ran", "actions": [{ "ban": { "user_id": user_id, "reason": null } }] });
    let done = json!({ "state": "done", "wanted": false });
    let logged = TelemetryBatch {
        logs: vec![LogRecord {
            id: shared::id::new(),
            install_id: nil,
            level: LogLevel::Info,
            message: format!("{user_id} said hello"),
            trigger_type: None,
            execution_ms: None,
            created_at: app.clock.now(),
        }],
        ..TelemetryBatch::default()
    };
    let mut pipe = redis::pipe();
    for (invocation, note) in [(shared::id::new(), wanted), (nil, done)] {
        let notes = key(format!("runtime_done:{account_id}:{nil}"));
        pipe.cmd("HSET").arg(notes).arg(invocation.to_string()).arg(note.to_string());
    }
    for (name, value) in [(&by_name, json!(1)), (&by_value, json!({ "viewer": user_id }))] {
        pipe.cmd("SET").arg(key(format!("{namespace}:v:{name}"))).arg(value.to_string());
        pipe.cmd("ZADD").arg(key(format!("{namespace}:index"))).arg(1).arg(name);
        pipe.cmd("HSET").arg(key(format!("{namespace}:sizes"))).arg(name).arg(1);
    }
    // A name whose value has expired.
    pipe.cmd("ZADD").arg(key(format!("{namespace}:index"))).arg(1).arg(format!("gone:{user_id}"));
    let left = serde_json::to_string(&logged).unwrap();
    pipe.cmd("RPUSH").arg(key("runtime_telemetry_left".to_owned())).arg(left);
    pipe.query_async::<redis::Value>(&mut *app.state.redis.get().await.unwrap()).await.unwrap();
}

/// Plants jobs about the person: one running, one waiting, one delayed and one dead.
async fn plant_in_queues(app: &TestApp, account_id: Uuid, platform: &str, user_id: &str) {
    let config = &app.state.config.redis;
    let queues = queue::Connection::open(config.url.expose(), &config.prefix).unwrap();
    let jobs = queue::Producer::<RunTriggers>::new(&queues, settings(RunTriggers::QUEUE)).unwrap();
    let event = message(account_id, platform, user_id, app.clock.now()).announcement().unwrap();
    let job = RunTriggers { account_id, event, channel_id: None };
    let key = |part: &str| format!("{{{}:{}}}:{part}", config.prefix, RunTriggers::QUEUE);
    let mut redis = app.state.redis.get().await.unwrap();
    jobs.enqueue(&job, EnqueueOptions::new()).await.unwrap();
    let mut group = redis::cmd("XGROUP");
    group.arg("CREATE").arg(key("s")).arg("workers").arg("0");
    // The key exists already when another person was planted before.
    group.query_async::<()>(&mut *redis).await.ok();
    let mut read = redis::cmd("XREADGROUP");
    read.arg("GROUP").arg("workers").arg("somebody").arg("STREAMS").arg(key("s")).arg(">");
    read.query_async::<redis::Value>(&mut *redis).await.unwrap();
    jobs.enqueue(&job, EnqueueOptions::new()).await.unwrap();
    jobs.enqueue(&job, EnqueueOptions::new().delay(Duration::from_secs(3600))).await.unwrap();
    let mut newest = redis::cmd("ZRANGE");
    newest.arg(key("delayed")).arg(-1).arg(-1);
    let [envelope]: [String; 1] =
        newest.query_async::<Vec<String>>(&mut *redis).await.unwrap().try_into().unwrap();
    let mut bury = redis::cmd("XADD");
    bury.arg(key("dead")).arg("*").arg("j").arg(envelope).arg("e").arg("no");
    bury.query_async::<()>(&mut *redis).await.unwrap();
}

pub fn message(account_id: Uuid, platform: &str, user_id: &str, sent_at: DateTime<Utc>) -> ChatMessage {
    ChatMessage {
        id: shared::id::new(),
        account_id,
        platform: platform.into(),
        platform_message_id: shared::id::new().to_string(),
        platform_user_id: user_id.into(),
        username: "n".into(),
        display_name: "N".into(),
        color: None,
        badges: Vec::new(),
        text: "waits".into(),
        fragments: Vec::new(),
        emotes: Vec::new(),
        reply_to: None,
        is_deleted: false,
        is_action: false,
        sent_at,
        forgets_user: false,
        counted_as: None,
    }
}

fn event(account_id: Uuid, platform: &str, user_id: &str, occurred_at: DateTime<Utc>) -> EventRow {
    let event = AccountEvent {
        id: shared::id::new(),
        account_id,
        event_type: format!("{platform}:follower"),
        platform: Some(platform.into()),
        platform_user_id: Some(user_id.into()),
        username: None,
        display_name: None,
        avatar_url: None,
        amount: None,
        currency: None,
        message: None,
        data: json!({ "user_id": user_id }),
        is_test: false,
        occurred_at,
    };
    EventRow::new(event, shared::id::new().to_string())
}

/// Tables that contain a text, with the number of their rows that do.
pub async fn tables_with(app: &TestApp, text: &str) -> BTreeMap<String, i64> {
    let mut db = app.databases.postgres.get().await.unwrap();
    let tables: Vec<Named> = sql_query(
        "SELECT relname::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace \
         AND relkind IN ('r', 'p') AND NOT relispartition",
    )
    .load(&mut *db)
    .await
    .unwrap();
    let mut found = BTreeMap::new();
    for Named { name } in tables {
        let sql = format!("SELECT count(*) AS rows FROM {name} AS t WHERE strpos(t::text, $1) > 0");
        let Counted { rows } = sql_query(sql).bind::<Text, _>(text).get_result(&mut *db).await.unwrap();
        if rows > 0 {
            found.insert(name, rows);
        }
    }
    found
}

/// Redis keys of the deployment that contain a text in their name or value.
pub async fn keys_with(app: &TestApp, text: &str) -> BTreeSet<String> {
    let mut redis = app.state.redis.get().await.unwrap();
    let mut keys: Vec<String> = Vec::new();
    // Keys of queues begin with a brace.
    for pattern in [app.state.redis.key("*"), format!("{{{}", app.state.redis.key("*"))] {
        let found: Vec<String> = redis::cmd("KEYS").arg(pattern).query_async(&mut *redis).await.unwrap();
        keys.extend(found);
    }
    let mut found = BTreeSet::new();
    for key in keys {
        let kind: String = redis::cmd("TYPE").arg(&key).query_async(&mut *redis).await.unwrap();
        let mut read = match kind.as_str() {
            "string" => redis::cmd("GET"),
            "hash" => redis::cmd("HGETALL"),
            "set" => redis::cmd("SMEMBERS"),
            "zset" | "list" => redis::cmd(if kind == "zset" { "ZRANGE" } else { "LRANGE" }),
            "stream" => redis::cmd("XRANGE"),
            _ => continue,
        };
        read.arg(&key);
        match kind.as_str() {
            "zset" | "list" => read.arg(0).arg(-1),
            "stream" => read.arg("-").arg("+"),
            _ => &mut read,
        };
        let value: redis::Value = read.query_async(&mut *redis).await.unwrap();
        if key.contains(text) || format!("{value:?}").contains(text) {
            found.insert(key);
        }
    }
    found
}
