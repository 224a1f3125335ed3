//! A connection pooler that shares connections by transaction, between the programs and the main database.

use std::{fs, path::Path};

use futures::future::join_all;
use lumio_tests::{Person, PgBouncer, PostgresServer, TestApp, run, world::workers};
use lumio_worker::Daemon;
use regex::Regex;
use serde_json::{Value, json};

use super::{Channel, eventually, is_database_error};
use lumio_tests::world::messages;

/// Callers at a time: many more than connections to the server.
const CALLERS: usize = 12;

/// Writes and reads of one caller, in transactions and without.
async fn use_roles(owner: &Person, number: usize) {
    let name = format!("Role {number}");
    let made = owner.post("/v1/roles", json!({ "name": name, "permissions": ["chat:read"] })).await;
    let id = made.expect(201)["data"]["id"].as_str().expect("an id").to_owned();
    let changed = json!({ "permissions": ["chat:read", "chat:write"] });
    owner.patch(&format!("/v1/roles/{id}"), changed).await.expect(200);
    let listed = owner.graphql("{ roles { id name permissions } }", json!({})).await.field("roles");
    let is_own = |role: &&Value| role["id"] == json!(id);
    let own = listed.as_array().expect("a list").iter().find(is_own).expect("the role");
    assert_eq!((&own["name"], own["permissions"].as_array().map(Vec::len)), (&json!(name), Some(2)));
    owner.delete(&format!("/v1/roles/{id}")).await.expect(204);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pooler_shares_connections_by_transaction() {
    let postgres = PostgresServer::start().await;
    let Some(mut pooler) = PgBouncer::start(postgres.port()).await else {
        eprintln!("SKIPPED: PgBouncer is not installed");
        return;
    };
    let settings: &[u8] = if pooler.keeps_statements() { &[0, 1] } else { &[0] };
    for prepared in settings {
        let app = TestApp::builder()
            .with("DATABASE_URL", pooler.url())
            .with("LUMIO_DATABASE_DIRECT_URL", postgres.url())
            .with("LUMIO_DATABASE_PREPARED", prepared)
            .with("LUMIO_DATABASE_POOL_TIMEOUT_MS", 2000)
            .start()
            .await;
        let migrated = run("lumio-api", &["migrate"], &app.variables()).await;
        assert_eq!(migrated.code, Some(0), "past the pooler: {migrated:?}");
        let channel = Channel::open(&app).await;
        let owners: Vec<Person> = join_all((0..CALLERS).map(|_| app.owner())).await;
        let running = workers(&app, &[Daemon::Ingest, Daemon::Outbox]).await;
        let calls = owners.iter().enumerate().map(|(number, owner)| async move {
            for round in 0..3 {
                use_roles(owner, number * 10 + round).await;
            }
        });
        let lines = async {
            for number in 0..20 {
                channel.say(&app, &format!("line {number}")).await;
            }
        };
        tokio::join!(join_all(calls), lines);

        pooler.kill();
        is_database_error(&channel.owner.get("/v1/accounts").await);
        pooler.restart().await;
        eventually("it serves again", async || channel.owner.get("/v1/accounts").await.status == 200).await;
        use_roles(&channel.owner, 1).await;
        let account = channel.owner.account_id;
        eventually("every line is stored", async || messages(&app, account).await.len() >= 20).await;
        assert_eq!(messages(&app, account).await.len(), 20, "each once");
        running.stop().await.unwrap();
        app.stop().await;
    }
}

/// State of a session that the next transaction would miss behind a pooler. `SET LOCAL`, advisory locks of a
/// transaction, and temporary tables that end with their transaction are none.
const SESSION_STATE: &str = r#"(?x)
    \bLISTEN\s+[a-z"] | \bNOTIFY\s+[a-z"] | pg_notify\(
    | pg_(try_)?advisory_(lock|unlock)\w*\( | \bSET\s+(SESSION\s|TIME\s+ZONE|ROLE\s)
    | set_config\([^()]*,\s*false\) | \bWITH\s+HOLD\b | "\s*PREPARE\s | \bDISCARD\s+ALL
    | CREATE\s+TEMP(ORARY)?\s+TABLE(?:[^;"]*;|[^;"]*")
"#;
/// End of a temporary table with its transaction.
const OF_A_TRANSACTION: &str = "ON COMMIT DROP";

#[test]
fn pooler_finds_no_statement_that_leaves_state_in_a_session() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let pattern = Regex::new(SESSION_STATE).expect("a pattern");
    let mut found = Vec::new();
    for folder in ["shared", "api", "workers", "migrations"] {
        for file in files_below(&root.join(folder)) {
            let text = fs::read_to_string(&file).expect("a text");
            let places = pattern.find_iter(&text).map(|place| place.as_str());
            let kept = places.filter(|place| !place.contains(OF_A_TRANSACTION));
            found.extend(kept.map(|place| format!("{}: {place}", file.display())));
        }
    }
    assert_eq!(found, Vec::<String>::new(), "docs/reference/storage.md#connection-poolers");
}

/// Sources and migrations.
fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "sql") {
            files.push(path);
        }
    }
    files
}
