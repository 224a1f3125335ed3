//! `lumio-api admin …` and a graceful stop.

use std::time::Duration;

use clap::Parser;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_api::cli::AdminCommand;
use lumio_tests::{TestApp, run};
use serde_json::{Value, json};
use shared::schema::{admin_role_members, admin_roles, channel_connections, developer_profiles};
use uuid::Uuid;

#[derive(Debug, Parser)]
struct Console {
    #[command(subcommand)]
    command: AdminCommand,
}

/// Runs a command as the console would; its result goes to standard output, so tests check its effects.
async fn admin(app: &TestApp, arguments: &[&str]) -> Result<(), String> {
    let arguments = ["admin"].iter().chain(arguments);
    let console = Console::try_parse_from(arguments).map_err(|error| error.to_string())?;
    lumio_api::cli::admin(&app.state, &app.databases, console.command)
        .await
        .map_err(|error| format!("{error:#}"))
}

#[tokio::test]
async fn console_grants_admin_with_immediate_effect() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let before = owner.get("/v1/users/me").await;
    assert_eq!(before.data()["admin_permissions"], json!([]));
    admin(&app, &["grant-admin", "--user", &owner.user_id.to_string()]).await.unwrap();
    let mut admin_permissions = json!([]);
    for _ in 0..50 {
        admin_permissions = owner.get("/v1/users/me").await.data()["admin_permissions"].clone();
        if admin_permissions != json!([]) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(admin_permissions.as_array().unwrap().contains(&json!("admin:access")), "{admin_permissions}");
    let unknown = admin(&app, &["grant-admin", "--user", &Uuid::now_v7().to_string()]).await.unwrap_err();
    assert!(unknown.starts_with("there is no person"), "{unknown}");
}

#[tokio::test]
async fn console_finds_the_system_admin_role_under_any_name() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let user = owner.user_id.to_string();
    diesel::update(admin_roles::table.filter(admin_roles::is_system))
        .set(admin_roles::name.eq("Renamed by an earlier release"))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    admin(&app, &["grant-admin", "--user", &user]).await.unwrap();
    let members: Vec<Uuid> = admin_role_members::table
        .inner_join(admin_roles::table)
        .filter(admin_roles::is_system)
        .select(admin_role_members::user_id)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(members, [owner.user_id]);
    let unknown = admin(&app, &["grant-admin", "--user", &user, "--role", "Nobody's"]).await.unwrap_err();
    assert_eq!(unknown, "there is no admin role `Nobody's`");
}

#[tokio::test]
async fn console_lists_people_and_accounts_by_pages() {
    let app = TestApp::start().await;
    for (name, email) in
        [("Ada", "ada@example.org"), ("Grace", "grace@example.org"), ("100% Ada", "other@example.org")]
    {
        admin(&app, &["create-user", "--display-name", name, "--email", email]).await.unwrap();
    }
    let variables = app.variables();
    let list = async |arguments: &[&str]| {
        let ended = run("lumio-api", &[&["admin"][..], arguments].concat(), &variables).await;
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let entries = ended.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON"));
        (entries.collect::<Vec<Value>>(), ended.stderr)
    };
    let (first, counted) = list(&["list-people", "--search", "Ada", "--limit", "1"]).await;
    assert!(first.len() == 1 && counted.contains("page 1 of 2, 2 in all"), "{first:?} {counted}");
    let (second, _) = list(&["list-people", "--search", "Ada", "--limit", "1", "--page", "2"]).await;
    let names = [&first, &second].map(|page| page[0]["display_name"].clone());
    assert_eq!((names, second.len()), ([json!("100% Ada"), json!("Ada")], 1), "the newest first");
    let (of_address, _) = list(&["list-people", "--search", "grace@"]).await;
    assert_eq!((of_address.len(), &of_address[0]["email"]), (1, &json!("grace@example.org")));

    // `%` is literal.
    let (accounts, counted) = list(&["list-accounts", "--search", "100% a"]).await;
    assert!(counted.contains("page 1 of 1, 1 in all"), "{counted}");
    assert_eq!((accounts.len(), &accounts[0]["name"]), (1, &json!("100% Ada")));
    assert_eq!(accounts[0]["owner"]["email"], "other@example.org");
    let id = accounts[0]["id"].as_str().unwrap();
    assert_eq!(list(&["list-accounts", "--search", id]).await.0, accounts);
    let (nothing, counted) = list(&["list-accounts", "--search", "no such account"]).await;
    assert!(nothing.is_empty() && counted.contains("0 in all"), "{counted}");

    for (option, value, message) in [
        ("--limit", "0", "limit must be between 1 and 100"),
        ("--limit", "101", "limit must be between 1 and 100"),
        ("--page", "0", "page must be 1 or greater"),
    ] {
        for list in ["list-people", "list-accounts"] {
            let refused = admin(&app, &[list, option, value]).await.unwrap_err();
            assert!(refused.contains(message), "{list} {option} {value}: {refused}");
        }
    }
    let refused = admin(&app, &["list-accounts", "--search", &"x".repeat(101)]).await.unwrap_err();
    assert!(refused.contains("search must be between 0 and 100 characters"), "{refused}");
    app.stop().await;
}

#[tokio::test]
async fn console_creates_a_developer_profile_once() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let user = owner.user_id.to_string();
    let create = async |more: &[&str]| {
        admin(&app, &[&["create-developer", "--user", &user], more].concat()).await.unwrap();
        let profiles: Vec<(Uuid, String, bool)> = developer_profiles::table
            .select((developer_profiles::id, developer_profiles::display_name, developer_profiles::verified))
            .load(&mut *app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
        profiles
    };
    let created: [_; 1] = create(&["--display-name", "Ada"]).await.try_into().unwrap();
    let [(id, name, false)] = created else { panic!("an unverified profile") };
    assert_eq!(name, "Ada");
    let verified = vec![(id, name, true)];
    assert_eq!(create(&["--verified"]).await, verified);
    assert_eq!(create(&["--display-name", "Eve"]).await, verified);
    assert_eq!(create(&["--verified"]).await, verified);
    app.audited_once("developer:profile_created").await;
    app.audited_once("developer:verified").await;
    assert_eq!(owner.get("/v1/users/me").await.data()["is_developer"], true);
}

#[tokio::test]
async fn console_records_a_payment_once() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let extension = studio.extension("Greeter").await.to_string();
    let record = async |more: &[&str]| {
        let payment = ["record-payment", "--extension", &extension, "--reference", "pay-1", "--amount"];
        admin(&app, &[&payment[..], more].concat()).await
    };
    record(&["9999", "--paid-at", "2026-09-01T12:00:00Z"]).await.unwrap();
    record(&["9999"]).await.unwrap();
    let other = studio.extension("Other").await.to_string();
    let of_another = ["record-payment", "--extension", &other, "--reference", "pay-1", "--amount", "9999"];
    let message = "the reference pay-1 was recorded for another extension or amount";
    assert_eq!(record(&["9998"]).await.unwrap_err(), message);
    assert_eq!(admin(&app, &of_another).await.unwrap_err(), message);
    let query = "from=2026-09-01T00:00:00Z&to=2026-10-01T00:00:00Z";
    let revenue = studio.person.get(&format!("/v1/developer/revenue?{query}")).await.data().clone();
    assert_eq!((&revenue["total_amount"], &revenue["total_share"]), (&json!(9_999), &json!(6_999)));
    assert_eq!(revenue["items"][0]["payments"], 1);
    let entry = app.audited_once("developer:payment_recorded").await;
    assert_eq!((entry.scope.as_str(), &entry.metadata["amount"]), ("system", &json!(9_999)));

    let future = record(&["100", "--paid-at", "2126-01-01T00:00:00Z"]).await.unwrap_err();
    assert_eq!(future, "paid-at must not be in the future");
    let nothing = record(&["0"]).await.unwrap_err();
    assert!(nothing.contains("1..=100000000"), "{nothing}");
    let unknown = Uuid::now_v7().to_string();
    let arguments = ["record-payment", "--extension", &unknown, "--reference", "pay-2", "--amount", "100"];
    let unknown = admin(&app, &arguments).await.unwrap_err();
    assert!(unknown.starts_with("there is no extension"), "{unknown}");
    app.stop().await;
}

#[tokio::test]
async fn console_reports_allowed_values_for_wrong_arguments() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let account = owner.account_id.to_string();
    let wrong_platform = [
        "connect-channel",
        "--account",
        &account,
        "--platform",
        "myspace",
        "--channel-id",
        "1",
        "--channel-name",
        "n",
    ];
    assert!(admin(&app, &wrong_platform).await.unwrap_err().contains("myspace"));
    let wrong_queue = admin(&app, &["jobs", "dead", "--queue", "nothing"]).await.unwrap_err();
    assert!(wrong_queue.contains("there are: webhook_inbox"), "{wrong_queue}");
    let empty = admin(&app, &["create-system-key", "--label", "  "]).await.unwrap_err();
    assert!(empty.contains("label must not be empty"), "{empty}");
    let stranger = admin(
        &app,
        &["issue-session", "--user", &owner.user_id.to_string(), "--account", &Uuid::now_v7().to_string()],
    )
    .await;
    assert!(stranger.unwrap_err().contains("does not belong"));
    admin(&app, &["jobs", "list"]).await.unwrap();
}

#[tokio::test]
async fn console_connects_a_channel_in_place_of_the_previous_one() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let account = owner.account_id.to_string();
    for id in ["1", "2"] {
        let arguments = [
            "connect-channel",
            "--account",
            &account,
            "--platform",
            "twitch",
            "--channel-id",
            id,
            "--channel-name",
            "name",
        ];
        admin(&app, &arguments).await.unwrap();
    }
    let channels: Vec<String> = channel_connections::table
        .filter(channel_connections::account_id.eq(owner.account_id))
        .select(channel_connections::platform_channel_id)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(channels, ["2"]);
}

#[tokio::test]
async fn console_stop_lets_requests_in_progress_end() {
    let app = TestApp::start().await;
    let (owner, anonymous) = (app.owner().await, app.anonymous());
    let (mut rest_of_body, body) = futures::channel::mpsc::channel::<Result<&str, std::io::Error>>(4);
    rest_of_body.try_send(Ok(r#"{"label":"#)).unwrap();
    let in_progress = tokio::spawn(async move {
        owner.post_raw("/v1/api-keys", "application/json", reqwest::Body::wrap_stream(body)).await.status
    });
    // Long enough for the head to arrive, which cannot be observed outside the server.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let stop = tokio::spawn(app.stop());
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!stop.is_finished(), "a request is in progress");
    rest_of_body.try_send(Ok(r#""late","permissions":[]}"#)).unwrap();
    drop(rest_of_body);
    assert_eq!(in_progress.await.unwrap(), 201);
    stop.await.unwrap();
    assert!(anonymous.request(reqwest::Method::GET, "/v1").send().await.is_err(), "nothing listens any more");
}
