//! Limits of extensions that the runtime and the sockets enforce, each of them reached and exceeded at the default, at
//! the developer and at the extension (reference/developer-limits.md#keys). tests/programme/limits has the others.

use std::time::Duration;

use api_core::token::TokenKind;
use diesel::{insert_into, prelude::*, sql_query, sql_types};
use diesel_async::RunQueryDsl;
use extension_model::limits::{self, LimitKey, LimitSubject};
use foundation::invalidation::{self, Invalidation};
use lumio_tests::{Answer, SocketRequest, eventually_within};
use serde_json::{Value, json};
use shared::schema::{extension_limits, extensions};
use uuid::Uuid;

use super::{
    functions::call,
    stage::{Installed, Module, Stage, Streamer},
};

const CODE: &str = "
    import { query, mutation, action } from '@lumio/sdk/server';
    export const echo = query(async (ctx, { size }) => 'x'.repeat(size));
    export const set = mutation(async (ctx, { scope, key, size }) => {
        await ctx.db.set(scope, key, 'x'.repeat(size));
    });
    export const wait = action(async (ctx, { ms }) => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        return ms;
    });
    export const reach = action(async (ctx, { count }) => {
        for (let i = 0; i < count; i++) {
            try { await ctx.fetch('https://not-listed.example/') }
            catch (error) { if (error.name !== 'EgressError') throw error }
        }
        return count;
    });
    export const push = action(async (ctx, { count, size }) => {
        let sent = 0;
        for (let i = 0; i < count; i++) {
            try { await ctx.push('topic', 'x'.repeat(size)); sent++ }
            catch (error) { if (!String(error.message).includes('in a second')) throw error }
        }
        return sent;
    });
";

/// Level that decides about the value of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Default,
    Developer,
    Extension,
}

/// Limited value of a test: small, so that it is reached soon. `None` for a limit that the API enforces.
fn small(key: LimitKey) -> Option<i64> {
    match key {
        LimitKey::StorageGlobalBytes
        | LimitKey::StorageInstallBytes
        | LimitKey::ValueBytes
        | LimitKey::ResponseBytes
        | LimitKey::PushBytes => Some(100),
        LimitKey::StorageKeysGlobal | LimitKey::StorageKeysInstall | LimitKey::InvocationsPerMinute => {
            Some(5)
        }
        LimitKey::FetchesPerInvocation | LimitKey::WsConnections => Some(2),
        LimitKey::PushPerSecond => Some(3),
        LimitKey::FunctionTimeoutMs => Some(3000),
        LimitKey::MaxExtensions
        | LimitKey::MaxVersions
        | LimitKey::MaxTeamMembers
        | LimitKey::MaxApiKeys
        | LimitKey::MaxSecrets
        | LimitKey::FunctionsMax
        | LimitKey::EgressHosts
        | LimitKey::MaxSoundsPerExtension
        | LimitKey::MaxSoundFileSize
        | LimitKey::MaxSoundStorageBytes => None,
    }
}

fn module() -> Module {
    let handler = |kind: &str, name: &str| json!({ "kind": kind, "handler": name });
    let functions = json!({
        "echo": handler("query", "echo"), "set": handler("mutation", "set"), "wait": handler("action", "wait"),
        "reach": handler("action", "reach"), "push": handler("action", "push"),
    });
    Module::with_functions(functions, CODE)
}

/// A stage with an install whose limits show when the runtime has read a change.
struct Limited {
    stage: Stage,
    ada: Streamer,
    developer: Uuid,
    canary: Installed,
}

impl Limited {
    async fn start() -> Self {
        let stage = Stage::start().await;
        let ada = stage.streamer().await;
        let developer = stage.app.developer_profile(ada.person.user_id).await;
        let canary = stage.install(&ada, module()).await;
        Self { stage, ada, developer, canary }
    }

    /// A new install of an extension of the developer, with a limit at a level; returns it with the value in force.
    async fn install(&self, key: LimitKey, level: Level) -> (Installed, i64) {
        let install = self.stage.install(&self.ada, module()).await;
        let mut db = self.stage.app.databases.postgres.get().await.unwrap();
        diesel::update(extensions::table.find(install.extension_id))
            .set(extensions::owner_developer_id.eq(self.developer))
            .execute(&mut *db)
            .await
            .unwrap();
        sql_query("DELETE FROM developer_limits").execute(&mut *db).await.unwrap();
        let (small, now) = (small(key).expect("a limit of the runtime"), self.stage.app.clock.now());
        let (developer, extension) =
            (LimitSubject::Developer(self.developer), LimitSubject::Extension(install.extension_id));
        let value = match level {
            Level::Default => key.default_value(),
            Level::Developer => {
                limits::set_override(&mut db, developer, key, small, now).await.unwrap();
                small
            }
            Level::Extension => {
                limits::set_override(&mut db, developer, key, small + 7, now).await.unwrap();
                limits::set_override(&mut db, extension, key, small, now).await.unwrap();
                small
            }
        };
        drop(db);
        self.are_read().await;
        (install, value)
    }

    /// Waits until the runtime has read the limits: it reads all of them together.
    async fn are_read(&self) {
        let own = extension_limits::table.find((self.canary.extension_id, LimitKey::ResponseBytes.as_str()));
        let mut db = self.stage.app.databases.postgres.get().await.unwrap();
        let before: Option<i64> =
            own.select(extension_limits::value).first(&mut *db).await.optional().unwrap();
        let is_small = before != Some(10);
        let (value, subject) =
            (if is_small { 10 } else { 1000 }, LimitSubject::Extension(self.canary.extension_id));
        let now = self.stage.app.clock.now();
        limits::set_override(&mut db, subject, LimitKey::ResponseBytes, value, now).await.unwrap();
        drop(db);
        invalidation::announce(&self.stage.app.state.redis, &Invalidation::Limits).await.unwrap();
        self.stage
            .eventually("the limits are read", async || {
                let answer = call(&self.ada.person, &self.canary, "echo", json!({ "size": 100 })).await;
                (answer.status == 400) == is_small
            })
            .await;
    }

    async fn call(&self, install: &Installed, function: &str, args: Value) -> Answer {
        call(&self.ada.person, install, function, args).await
    }

    async fn sets(&self, install: &Installed, scope: &str, key: &str, size: i64) -> bool {
        let args = json!({ "scope": scope, "key": key, "size": size });
        self.call(install, "set", args).await.status == 200
    }

    /// Uses up a part of a quota.
    async fn preset(&self, install: &Installed, scope: &str, bytes: i64, keys: i64) {
        let (subject, account) = match scope {
            "global" => (install.extension_id, None),
            _ => (install.id, Some(self.ada.person.account_id)),
        };
        sql_query(
            "INSERT INTO extension_usage (extension_id, scope, subject, owner, account_id, bytes, keys)
             VALUES ($1, $2, $3, '', $4, $5, $6)",
        )
        .bind::<sql_types::Uuid, _>(install.extension_id)
        .bind::<sql_types::Text, _>(scope)
        .bind::<sql_types::Uuid, _>(subject)
        .bind::<sql_types::Nullable<sql_types::Uuid>, _>(account)
        .bind::<sql_types::BigInt, _>(bytes)
        .bind::<sql_types::BigInt, _>(keys)
        .execute(&mut *self.stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    }

    /// Reaches the limit and exceeds it by one: true where the runtime accepted that.
    async fn cross(&self, key: LimitKey, install: &Installed, limit: i64) -> (bool, bool) {
        let answered =
            async |function: &str, args: Value| self.call(install, function, args).await.status == 200;
        match key {
            LimitKey::StorageGlobalBytes => self.fill(install, "global", limit).await,
            LimitKey::StorageInstallBytes => self.fill(install, "install", limit).await,
            LimitKey::StorageKeysGlobal => self.fill_keys(install, "global", limit).await,
            LimitKey::StorageKeysInstall => self.fill_keys(install, "install", limit).await,
            // A text has two quotation marks.
            LimitKey::ValueBytes => (
                self.sets(install, "install", "a", limit - 2).await,
                self.sets(install, "install", "a", limit - 1).await,
            ),
            LimitKey::ResponseBytes => (
                answered("echo", json!({ "size": limit - 2 })).await,
                answered("echo", json!({ "size": limit - 1 })).await,
            ),
            LimitKey::PushBytes => (
                answered("push", json!({ "count": 1, "size": limit - 2 })).await,
                answered("push", json!({ "count": 1, "size": limit - 1 })).await,
            ),
            LimitKey::FetchesPerInvocation => (
                answered("reach", json!({ "count": limit })).await,
                answered("reach", json!({ "count": limit + 1 })).await,
            ),
            LimitKey::InvocationsPerMinute => {
                self.stage.app.begin_a_window(60);
                self.count_invocations(install, limit - 1).await;
                (answered("echo", json!({ "size": 1 })).await, answered("echo", json!({ "size": 1 })).await)
            }
            LimitKey::FunctionTimeoutMs => {
                let (short, long) = (json!({ "ms": limit / 2 }), json!({ "ms": limit + 2000 }));
                futures::join!(answered("wait", short), answered("wait", long))
            }
            LimitKey::PushPerSecond => {
                // A second may begin while the handler pushes; then more are accepted, and the next try begins in
                // a second of its own.
                let mut sent = 0;
                for _ in 0..20 {
                    self.stage.app.begin_a_window(1);
                    let answer = self.call(install, "push", json!({ "count": limit + 5, "size": 1 })).await;
                    sent = answer.data().as_i64().unwrap();
                    assert!(sent >= limit, "{sent}");
                    if sent == limit {
                        break;
                    }
                }
                (sent >= limit, sent > limit)
            }
            LimitKey::WsConnections => self.connect(install, limit).await,
            other => panic!("{other} is a limit of the API"),
        }
    }

    async fn fill(&self, install: &Installed, scope: &str, limit: i64) -> (bool, bool) {
        if limit > 100 {
            self.preset(install, scope, limit - 100, 0).await;
        }
        // A key of one byte and a text of 97 characters have 100 bytes.
        (self.sets(install, scope, "a", 97).await, self.sets(install, scope, "b", 0).await)
    }

    async fn fill_keys(&self, install: &Installed, scope: &str, limit: i64) -> (bool, bool) {
        self.preset(install, scope, 0, limit - 1).await;
        (self.sets(install, scope, "a", 1).await, self.sets(install, scope, "b", 1).await)
    }

    async fn count_invocations(&self, install: &Installed, count: i64) {
        let (state, minute) = (&self.stage.app.state, self.stage.app.clock.now().timestamp() / 60);
        let key = state.redis.key(format_args!("runtime:invocations:{}:{minute}", install.id));
        let mut redis = state.redis.get().await.unwrap();
        let set =
            redis::cmd("SET").arg(key).arg(count).arg("EX").arg(120).query_async::<()>(&mut *redis).await;
        set.unwrap();
    }

    async fn connect(&self, install: &Installed, limit: i64) -> (bool, bool) {
        let (app, subject) = (&self.stage.app, install.id.to_string());
        let token = app.surface_token(TokenKind::Extension, self.ada.person.account_id, &subject, None).await;
        let mut sockets = Vec::new();
        for _ in 0..limit {
            sockets.push(SocketRequest::to(app.url()).query(token.token()).connect().await);
        }
        let beyond = SocketRequest::to(app.url()).query(token.token()).try_connect().await;
        (sockets.len() == usize::try_from(limit).unwrap(), beyond.is_ok())
    }
}

async fn cross_at_each_level(limited: &Limited, key: LimitKey) {
    for level in [Level::Default, Level::Developer, Level::Extension] {
        let (install, limit) = limited.install(key, level).await;
        let (at, beyond) = limited.cross(key, &install, limit).await;
        assert!(at, "{key} at the limit of {level:?}, {limit}");
        assert!(!beyond, "{key} beyond the limit of {level:?}, {limit}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn extension_limits_of_the_runtime_hold_at_each_level() {
    let limited = Limited::start().await;
    let keys = LimitKey::ALL.into_iter().filter(|key| small(*key).is_some());
    for key in keys.filter(|key| *key != LimitKey::FunctionTimeoutMs) {
        cross_at_each_level(&limited, key).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn extension_limits_of_the_time_of_a_function_hold_at_each_level() {
    cross_at_each_level(&Limited::start().await, LimitKey::FunctionTimeoutMs).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn extension_limits_that_are_approved_are_in_force_in_a_runtime_within_a_second() {
    let limited = Limited::start().await;
    let (install, limit) = limited.install(LimitKey::PushBytes, Level::Extension).await;
    let answered = async |size: i64| {
        limited.call(&install, "push", json!({ "count": 1, "size": size })).await.status == 200
    };
    assert!(!answered(limit + 50).await);
    let body = json!({
        "scope": "extension", "extension_id": install.extension_id, "limit_key": "push_bytes",
        "requested_value": limit + 100, "reason": "Our pages draw a map of the whole level.",
    });
    let made =
        limited.ada.person.post("/v1/developer/limit-requests", body).await.expect(201)["data"].clone();
    let staff = limited.stage.app.admin_with(&["developer-limits:edit"]).await;
    let path = format!("/v1/admin/limit-requests/{}", made["id"].as_str().unwrap());
    staff.put(&path, json!({ "action": "approve" })).await.expect(200);
    eventually_within(Duration::from_secs(1), "the limit is raised", async || answered(limit + 50).await)
        .await;
    assert!(!answered(limit + 100).await, "two quotation marks too many");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn extension_limits_never_exceed_the_bounds_of_the_sandbox() {
    let limited = Limited::start().await;
    let install = limited.stage.install(&limited.ada, module()).await;
    let (subject, now) = (LimitSubject::Extension(install.extension_id), limited.stage.app.clock.now());
    let mut db = limited.stage.app.databases.postgres.get().await.unwrap();
    // More than an approval can set.
    insert_into(extension_limits::table)
        .values((
            extension_limits::extension_id.eq(install.extension_id),
            extension_limits::limit_key.eq(LimitKey::ResponseBytes.as_str()),
            extension_limits::value.eq(1_i64 << 40),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    limits::set_override(&mut db, subject, LimitKey::PushBytes, 10, now).await.unwrap();
    drop(db);
    limited.are_read().await;
    let large = limited.call(&install, "echo", json!({ "size": 11 * 1024 * 1024 })).await;
    assert_eq!(large.status, 400, "{}", large.text);
}
