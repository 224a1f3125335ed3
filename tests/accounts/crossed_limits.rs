//! Present limits and the tests that cross them, one for each (reference/limits.md#present-limits).

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use diesel_async::SimpleAsyncConnection;
use lumio_tests::{
    Person, TestApp, both_refused,
    world::{connect, count},
};
use platforms_stand_in::{
    Platform,
    spotify::player::{Device, Player, Track},
};
use reqwest::Method;
use serde_json::json;
use shared::id;
use uuid::Uuid;

use super::limits::limits;

/// Test of each limit, with what it expects beyond the limit.
const CROSSED: &str = include_str!("crossed.txt");
/// Windows that are counted and in no list, each with the reason.
const UNLISTED: [(&str, &str); 5] = [
    ("automation_webhook", "of an install: who delivers is no caller"),
    ("idempotency_answers", "refuses nothing: further answers are not kept"),
    ("invites_to", "of the recipient, over all senders"),
    ("team_invites", "of a team of developers"),
    ("wrong", "of the tests of the counter"),
];

/// Codes of 429.
const REFUSALS: [&str; 2] = ["RateLimitExceeded", "RefreshCooldown"];
/// Files that refuse calls with 429 by themselves, each with what the reference says of each of their limits: it has rows,
/// or a reason to have none.
const REFUSING: [(&str, &str); 17] = [
    ("account-archives/src/archives/mod.rs", "[Exports of an account]"),
    ("automations/src/dry_run/permits.rs", "[dry runs]"),
    ("core/src/error.rs", "[shares of one caller]"),
    ("core/src/http/metering.rs", "[Budgets]"),
    ("core/src/http/verdict.rs", "- Calls of single operations: "),
    ("extension-calls/src/functions.rs", "waiting [function calls]"),
    ("extension-calls/src/functions.rs", "| Invocations of an [install]"),
    ("history/src/admission.rs", "[Concurrent work of a process]"),
    ("history/src/passwords.rs", "[Concurrent work of a process]"),
    ("integrations/src/obs/control/send.rs", "[commands to OBS]"),
    ("live/src/chat/acting/obstacle.rs", "| 429 of a platform |"),
    ("live/src/platform_users/mod.rs", "| [Refresh of a profile]"),
    ("media/src/files/permits.rs", "[Concurrent work of a process]"),
    ("platform-access/src/spotify/player.rs", "| 429 of a platform |"),
    ("realtime/src/handshake.rs", "[Open sockets]"),
    ("rewards/src/rewards/channel.rs", "| 429 of a platform |"),
    ("server/src/transport/gql/threads.rs", "new [GraphQL documents]"),
];

/// Line of the list.
struct Crossed {
    limit: (String, String),
    file: &'static str,
    test: &'static str,
    text: &'static str,
}

fn crossed() -> Vec<Crossed> {
    let lines = CROSSED.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| {
            let parts: Vec<&str> = line.splitn(5, ' ').collect();
            let &[scope, name, file, test, text] = parts.as_slice() else { panic!("crossed.txt: `{line}`") };
            Crossed { limit: (scope.to_owned(), name.to_owned()), file, test, text }
        })
        .collect()
}

#[tokio::test]
async fn crossed_limits_are_all_that_callers_have() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for unit in ["requests", "handler_ms", "fetches", "messages", "stored_bytes"] {
        let budget = json!({ "unit": unit, "period": "day", "maximum": 1_000_000 });
        owner.put("/v1/usage/budgets", budget).await.expect(200);
    }
    let mut listed = BTreeSet::new();
    for caller in [
        owner.caller.clone(),
        app.personal_key(&owner, &[]).await,
        app.service_key(owner.account_id, &[]).await,
        app.popout(&owner, &["chat:read"]).await,
    ] {
        listed.extend(limits(&caller).await.into_keys());
    }
    let crossed: BTreeSet<_> = crossed().into_iter().map(|crossed| crossed.limit).collect();
    assert_eq!(listed, crossed, "the limits (left) have a line with their test in crossed.txt (right)");
    app.stop().await;
}

#[test]
fn crossed_limits_have_a_test_that_expects_the_refusal() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    for Crossed { limit, file, test, text } in crossed() {
        let source = fs::read_to_string(tests.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let after = source.split_once(&format!("async fn {test}("));
        let (_, after) = after.unwrap_or_else(|| panic!("{limit:?}: {file} has no test {test}"));
        let body = after.split("\n}\n").next().unwrap_or_default();
        assert!(body.contains(text), "{limit:?}: {test} of {file} does not expect `{text}`");
    }
}

#[test]
fn limits_list_every_window_that_the_api_counts() {
    let api = Path::new(env!("CARGO_MANIFEST_DIR")).join("../api");
    let mut counted = BTreeSet::new();
    for file in sources(&api) {
        let source = fs::read_to_string(&file).expect("a source");
        for call in ["limiter.count(\"", "limiter.count_many(\""] {
            let names = source.split(call).skip(1).filter_map(|rest| rest.split('"').next());
            counted.extend(names.map(str::to_owned));
        }
    }
    assert!(counted.len() >= UNLISTED.len() + 8, "{counted:?}");
    let listed: BTreeSet<&str> = api_core::limits::windows().map(|window| window.name).collect();
    for name in &counted {
        let is_unlisted = UNLISTED.iter().any(|(unlisted, _why)| unlisted == name);
        assert_ne!(listed.contains(name.as_str()), is_unlisted, "{name}: a `WindowLimit` or a reason");
    }
    for (name, _why) in UNLISTED {
        assert!(counted.contains(name), "{name} is counted no more");
    }
}

#[test]
fn limits_of_every_refusal_are_in_the_list_or_in_the_reference() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let reference = fs::read_to_string(tests.join("../docs/reference/limits.md")).expect("the reference");
    let (_, reference) = reference.split_once("## Present limits\n").expect("the chapter of the list");
    let (reference, _) = reference.split_once("\n## ").expect("a further chapter");
    let api = tests.join("../api");
    let refuses = |file: &PathBuf| {
        let source = fs::read_to_string(file).expect("a source");
        let code: String = source.split_whitespace().collect();
        REFUSALS.iter().any(|refusal| code.contains(&format!("::new(Code::{refusal}")))
    };
    let refusing: BTreeSet<_> = sources(&api).into_iter().filter(refuses).collect();
    let known: BTreeSet<_> = REFUSING.iter().map(|(file, _text)| api.join(file)).collect();
    assert_eq!(refusing, known, "files that refuse (left) have a line in `REFUSING` (right)");
    for (file, text) in REFUSING {
        assert!(reference.contains(text), "{file}: limits.md does not say `{text}`");
    }
    for (window, _why) in UNLISTED.into_iter().filter(|(window, _why)| *window != "wrong") {
        assert!(reference.contains(&format!("`{window}`")), "limits.md has no reason for `{window}`");
    }
}

/// Files of Rust below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// Plants an extension that every account finds by its id; returns its id and that of its version.
async fn offered(app: &TestApp) -> (Uuid, Uuid) {
    let extension = id::new();
    let manifest = json!({
        "extensionId": extension, "name": "Test", "description": "Test", "category": "bot_module",
        "version": "1.0.0", "server": true, "permissions": ["chat:read"],
        "egress": { "allowHosts": [], "allowPorts": [] }, "config_schema": {}, "functions": {}, "tables": {},
        "bot_module": {},
    });
    let version = app.plant_extension(&manifest, "").await;
    let offer = format!(
        "UPDATE extensions SET visibility = 'unlisted', current_version_id = '{version}'
         WHERE id = '{extension}'"
    );
    app.databases.postgres.get().await.unwrap().batch_execute(&offer).await.unwrap();
    (extension, version)
}

#[tokio::test]
async fn install_extension_is_limited_to_500_per_account() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let ((planted, version), (last, _), (further, _)) =
        (offered(&app).await, offered(&app).await, offered(&app).await);
    let installs = format!(
        "INSERT INTO extension_installs (id, account_id, extension_id, version_id)
         SELECT gen_random_uuid(), '{}', '{planted}', '{version}' FROM generate_series(1, 499)",
        owner.account_id
    );
    app.databases.postgres.get().await.unwrap().batch_execute(&installs).await.unwrap();
    let input = |extension: Uuid| json!({ "extension_id": extension, "granted_permissions": ["chat:read"] });
    let install =
        async |owner: &Person, extension: Uuid| owner.post("/v1/extension-installs", input(extension)).await;
    install(&owner, last).await.expect(201);
    let rest = install(&owner, further).await;
    let graphql = owner.mutate("installExtension", &input(further), "{ id }").await;
    let message = "An account can have at most 500 extensions";
    both_refused(&rest, &graphql, 403, "PLAN_LIMIT_REACHED", message);
    install(&other, further).await.expect(201);
    app.stop().await;
}

#[tokio::test]
async fn spotify_pause_is_limited_to_120_calls_a_minute() {
    let app = TestApp::start().await;
    app.begin_a_window(60);
    let (owner, other) = (app.owner().await, app.owner().await);
    let track = Track::new(1, "Sun", &["Ravi"]);
    app.platforms.spotify_add_tracks([track.clone()]);
    for (person, login) in [(&owner, "first"), (&other, "second")] {
        let listener = connect(&app, person.account_id, Platform::Spotify, login).await;
        let devices = vec![Device::new("computer", true)];
        let player = Player { devices, ..Player::playing(track.clone()) };
        app.platforms.spotify_set_player(&listener, player);
    }
    let account = owner.account_id.to_string();
    app.state.limiter.count_many("spotify_calls", &account, 120, 60, 119).await;
    let pause = async |person: &Person| person.send(person.request(Method::POST, "/v1/spotify/pause")).await;
    pause(&owner).await.expect(200);
    let graphql = owner.graphql("mutation { spotifyPause { success } }", json!({})).await;
    both_refused(&pause(&owner).await, &graphql, 429, "RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    pause(&other).await.expect(200);
    app.stop().await;
}

#[tokio::test]
async fn leave_account_notifies_at_most_a_thousand_members_of_disabled_webhooks() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let account = owner.account_id;
    let maker = app.member_with(account, &["settings:edit", "events:read"]).await;
    let endpoint = json!({ "url": "https://hooks.example/", "event_types": ["custom:goal"] });
    maker.post("/v1/webhook-endpoints", endpoint).await.expect(201);
    // With the owner there is one more than are notified.
    app.members_like(&maker, 1_000).await;
    maker.post(&format!("/v1/accounts/{account}/leave"), json!({})).await.expect(200);
    assert_eq!(count(&app, "notifications WHERE notification_type = 'webhook_disabled'").await, 1000);
    app.stop().await;
}
