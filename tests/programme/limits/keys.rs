//! Limits that the API enforces, each of them reached and exceeded at the default, at the developer and at the extension
//! (reference/developer-limits.md#keys). tests/runtime/extension_limits.rs has the others.

use diesel::{prelude::*, sql_query, sql_types};
use diesel_async::RunQueryDsl;
use extension_model::limits::{self, LimitKey, LimitSubject};
use lumio_tests::{
    Answer, TestApp,
    extensions::{SERVER, Studio, archive, bundle, manifest},
};
use serde_json::{Value, json};
use shared::schema::extension_versions;
use uuid::Uuid;

/// Level that decides about the value of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Default,
    Developer,
    Extension,
}

/// Limited value of a test: small, so that it is reached soon. `None` for a limit that the runtime or the sockets
/// enforce.
fn small(key: LimitKey) -> Option<i64> {
    match key {
        LimitKey::MaxExtensions
        | LimitKey::MaxVersions
        | LimitKey::MaxTeamMembers
        | LimitKey::MaxApiKeys
        | LimitKey::MaxSecrets
        | LimitKey::FunctionsMax
        | LimitKey::EgressHosts
        | LimitKey::MaxSoundsPerExtension => Some(3),
        LimitKey::MaxSoundFileSize | LimitKey::MaxSoundStorageBytes => Some(1000),
        LimitKey::StorageGlobalBytes
        | LimitKey::StorageInstallBytes
        | LimitKey::StorageKeysGlobal
        | LimitKey::StorageKeysInstall
        | LimitKey::ValueBytes
        | LimitKey::InvocationsPerMinute
        | LimitKey::FunctionTimeoutMs
        | LimitKey::FetchesPerInvocation
        | LimitKey::ResponseBytes
        | LimitKey::WsConnections
        | LimitKey::PushPerSecond
        | LimitKey::PushBytes => None,
    }
}

/// Sets an override of a developer.
pub async fn set_developer(app: &TestApp, developer: Uuid, key: &str, value: i64) {
    set(app, LimitSubject::Developer(developer), key.parse().unwrap(), value).await;
}

async fn set(app: &TestApp, subject: LimitSubject, key: LimitKey, value: i64) {
    let mut db = app.databases.postgres.get().await.unwrap();
    limits::set_override(&mut db, subject, key, value, app.clock.now()).await.unwrap();
}

/// A developer with an extension, and a limit at a level.
struct Limited<'a> {
    app: &'a TestApp,
    studio: Studio,
    extension: Uuid,
    limit: i64,
}

impl<'a> Limited<'a> {
    async fn at(app: &'a TestApp, key: LimitKey, level: Level) -> Self {
        let studio = app.studio().await;
        let (extension, small) = (studio.extension("Limited").await, small(key).expect("a limit of the API"));
        let (developer, own) =
            (LimitSubject::Developer(studio.profile_id), LimitSubject::Extension(extension));
        match level {
            Level::Default => {}
            Level::Developer => set(app, developer, key, small).await,
            Level::Extension => {
                set(app, developer, key, small + 7).await;
                set(app, own, key, small).await;
            }
        }
        let limit = if level == Level::Default { key.default_value() } else { small };
        Self { app, studio, extension, limit }
    }

    /// Reaches the limit and exceeds it by one: true where the API accepted that.
    async fn cross(&self, key: LimitKey) -> (bool, bool) {
        let limit = usize::try_from(self.limit).unwrap();
        match key {
            LimitKey::MaxExtensions => self.extensions().await,
            LimitKey::MaxVersions => self.versions().await,
            LimitKey::MaxTeamMembers => self.members().await,
            LimitKey::MaxApiKeys => self.keys().await,
            LimitKey::MaxSecrets => self.secrets().await,
            LimitKey::FunctionsMax => {
                let function = |n| (format!("f{n}"), json!({ "kind": "query", "handler": "hello" }));
                let functions = |count| json!({ "functions": (0..count).map(function).collect::<Value>() });
                self.manifests(&functions(limit), &functions(limit + 1)).await
            }
            LimitKey::EgressHosts => {
                let host = |n| format!("h{n}.example.com");
                let hosts =
                    |count| json!({ "egress": { "allowHosts": (0..count).map(host).collect::<Vec<_>>() } });
                self.manifests(&hosts(limit), &hosts(limit + 1)).await
            }
            LimitKey::MaxSoundsPerExtension => {
                let entry = |n| json!({ "key": format!("s{n}"), "file": "sounds/0.mp3", "label": "A" });
                let listed = |count| json!({ "sounds": (0..count).map(entry).collect::<Vec<_>>() });
                (
                    accepted(&self.sounds("1.0.0", &listed(limit), &[100]).await),
                    accepted(&self.sounds("1.1.0", &listed(limit + 1), &[100]).await),
                )
            }
            LimitKey::MaxSoundFileSize => (
                accepted(&self.sounds("1.0.0", &json!({}), &[limit]).await),
                accepted(&self.sounds("1.1.0", &json!({}), &[limit + 1]).await),
            ),
            LimitKey::MaxSoundStorageBytes => (
                accepted(&self.sounds("1.0.0", &json!({}), &parts(limit)).await),
                accepted(&self.sounds("1.1.0", &json!({}), &parts(limit + 1)).await),
            ),
            other => panic!("{other} is no limit of the API"),
        }
    }

    async fn extensions(&self) -> (bool, bool) {
        // One exists.
        for n in 2..self.limit {
            self.create(n).await.expect(201);
        }
        let (at, beyond) = (self.create(self.limit).await, self.create(self.limit + 1).await);
        (at.status == 201, !refused(&beyond))
    }

    async fn create(&self, n: i64) -> Answer {
        self.studio.person.post("/v1/developer/extensions", json!({ "name": format!("E {n}") })).await
    }

    /// Approved versions beyond the limit are archived.
    async fn versions(&self) -> (bool, bool) {
        sql_query(
            "INSERT INTO extension_versions (id, extension_id, version, status, manifest, bundle_size_bytes, approved_at)
             SELECT ('00' || substr(md5($1::text || n), 3))::uuid, $1, '1.0.' || n, 'approved', $2, 1, now()
             FROM generate_series(1, $3) AS n",
        )
        .bind::<sql_types::Uuid, _>(self.extension)
        .bind::<sql_types::Jsonb, _>(manifest(self.extension, "1.0.0", &json!({})))
        .bind::<sql_types::BigInt, _>(self.limit - 1)
        .execute(&mut *self.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
        self.studio.version(self.extension, "2.0.0", &json!({})).await;
        let at = self.archived().await == 0;
        self.studio.version(self.extension, "2.0.1", &json!({})).await;
        (at, self.archived().await == 0)
    }

    async fn archived(&self) -> i64 {
        extension_versions::table
            .filter(extension_versions::extension_id.eq(self.extension))
            .filter(extension_versions::status.eq("archived"))
            .count()
            .get_result(&mut *self.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap()
    }

    async fn members(&self) -> (bool, bool) {
        let (person, slug) =
            (&self.studio.person, format!("t{}", &Uuid::now_v7().simple().to_string()[12..]));
        let team = person.post("/v1/developer/teams", json!({ "name": "Team", "slug": slug })).await;
        let path = format!("/v1/developer/teams/{}", team.expect(201)["data"]["id"].as_str().unwrap());
        let roles = person.get(&format!("{path}/roles")).await.data().clone();
        let role = roles.as_array().unwrap().iter().find(|role| role["slug"] == "team-member").unwrap();
        // The owner is a member.
        let mut joined = true;
        for _ in 1..self.limit {
            joined &= self.join(&path, &role["id"]).await;
        }
        (joined, self.join(&path, &role["id"]).await)
    }

    async fn join(&self, team: &str, role: &Value) -> bool {
        let invite = self.studio.person.post(&format!("{team}/invites"), json!({ "role_id": role })).await;
        if refused(&invite) {
            return false;
        }
        let code = invite.expect(201)["data"]["code"].as_str().unwrap().to_owned();
        let guest = self.app.owner().await;
        let path = format!("/v1/developer/team-invites/{code}/accept");
        !refused(&guest.post(&path, json!({})).await)
    }

    async fn keys(&self) -> (bool, bool) {
        // The developer has one for the developer API.
        let mut accepted = true;
        for n in 1..self.limit {
            accepted &= !refused(&self.key(n).await);
        }
        (accepted, !refused(&self.key(self.limit).await))
    }

    async fn key(&self, n: i64) -> Answer {
        let body = json!({ "label": format!("k{n}"), "permissions": ["extension-dev:read"] });
        self.studio.person.post("/v1/api-keys", body).await
    }

    async fn secrets(&self) -> (bool, bool) {
        let path = format!("/v1/developer/extensions/{}/secrets", self.extension);
        let put =
            async |n: i64| self.studio.person.put(&format!("{path}/K{n}"), json!({ "value": "v" })).await;
        for n in 1..self.limit {
            put(n).await.expect(204);
        }
        (put(self.limit).await.status == 204, !refused(&put(self.limit + 1).await))
    }

    async fn manifests(&self, at: &Value, beyond: &Value) -> (bool, bool) {
        let upload = async |version: &str, changes: &Value| {
            let bundle = bundle(&manifest(self.extension, version, changes), Some(SERVER));
            accepted(&self.studio.upload(self.extension, version, &bundle).await)
        };
        (upload("1.0.0", at).await, upload("1.1.0", beyond).await)
    }

    /// Uploads a version with sounds of these sizes.
    async fn sounds(&self, version: &str, changes: &Value, sizes: &[usize]) -> Answer {
        let text = manifest(self.extension, version, changes).to_string();
        let sounds: Vec<(String, Vec<u8>)> =
            sizes.iter().enumerate().map(|(n, size)| (format!("sounds/{n}.mp3"), sound(*size))).collect();
        let mut files = vec![("lumio.config.json", text.as_bytes()), ("server.js", SERVER.as_bytes())];
        files.extend(sounds.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())));
        self.studio.upload(self.extension, version, &archive(&files)).await
    }
}

/// True when an upload was accepted; else it was refused for a limit.
#[track_caller]
fn accepted(answer: &Answer) -> bool {
    let is_of_limit = ["must have at most", "larger than"].iter().any(|part| answer.text.contains(part));
    assert!(answer.status == 202 || (answer.status == 422 && is_of_limit), "{}", answer.text);
    answer.status == 202
}

/// True when an operation was refused for a limit.
#[track_caller]
fn refused(answer: &Answer) -> bool {
    if answer.status < 400 {
        return false;
    }
    answer.refused_with("PLAN_LIMIT_REACHED");
    true
}

/// Sizes of sounds that have this size together and less than the limit of one.
fn parts(bytes: usize) -> Vec<usize> {
    const PART: usize = 9 * 1024 * 1024;
    let rest = bytes % PART;
    std::iter::repeat_n(PART, bytes / PART).chain((rest > 0).then_some(rest)).collect()
}

/// A sound that compresses to about an eighth.
fn sound(size: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut block = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let mut block = [0; 64];
        block[..8].copy_from_slice(&state.to_le_bytes());
        block
    };
    let noise = std::iter::repeat_with(&mut block).flatten();
    b"ID3".iter().copied().chain(noise).take(size).collect()
}

async fn cross_at_each_level(key: LimitKey) {
    let app = TestApp::start().await;
    for level in [Level::Default, Level::Developer, Level::Extension] {
        if level == Level::Extension && !key.definition().is_of_extensions {
            continue;
        }
        let limited = Limited::at(&app, key, level).await;
        let (at, beyond) = limited.cross(key).await;
        assert!(at, "{key} at the limit of {level:?}, {}", limited.limit);
        assert!(!beyond, "{key} beyond the limit of {level:?}, {}", limited.limit);
    }
    app.stop().await;
}

#[tokio::test]
async fn limits_of_the_api_hold_at_each_level() {
    for key in LimitKey::ALL.into_iter().filter(|key| small(*key).is_some() && !is_of_sounds(*key)) {
        cross_at_each_level(key).await;
    }
}

#[tokio::test]
async fn limits_of_sounds_hold_at_each_level() {
    for key in LimitKey::ALL.into_iter().filter(|key| is_of_sounds(*key)) {
        cross_at_each_level(key).await;
    }
}

fn is_of_sounds(key: LimitKey) -> bool {
    key.definition().category == "sounds"
}
