//! Operations over the archives of an account (reference/archives.md#archives).

use std::time::Duration;

use archive_model::{
    Error, Target,
    export::{Request, Run, SNAPSHOT_TIMEOUT, export},
    stored,
};
use chrono::TimeDelta;
use diesel::sql_query;
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, TestApp, both_refused, eventually, world};
use lumio_worker::Daemon;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use uuid::Uuid;

use super::{content, execute, file, path_of, stores, text_of};

const SELECTION: &str =
    "{ id accountId status withSecrets sizeBytes sha256 error requestedBy createdAt startedAt
    finishedAt expiresAt }";

/// Path of the archives of an account.
fn archives(account: Uuid) -> String {
    format!("/v1/accounts/{account}/archives")
}

fn archive_of(account: Uuid, archive: &Value) -> String {
    format!("{}/{}", archives(account), archive["id"].as_str().expect("an id"))
}

/// Requests an archive.
pub(super) async fn requested(owner: &Person, input: Value) -> Value {
    owner.post(&archives(owner.account_id), input).await.expect(201)["data"].clone()
}

/// Makes a requested archive as a worker would.
pub(super) async fn make(app: &TestApp, archive: &Value) -> stored::Outcome {
    let settings = stored::Settings {
        now: app.clock.now(),
        deployment: app.state.config.http.public_url.as_str(),
        program_version: "0",
        max_bytes: app.state.config.archives.max_bytes,
    };
    let id = archive["id"].as_str().unwrap().parse().unwrap();
    stored::make(stores(app), id, settings).await.unwrap()
}

pub(super) async fn read(owner: &Person, archive: &Value) -> Value {
    owner.get(&archive_of(owner.account_id, archive)).await.data().clone()
}

/// The four operations over the archives of an account, over both protocols.
async fn every_operation(caller: &Caller, account: Uuid, archive: Uuid) -> [(Answer, Answer); 4] {
    let (list, one) = (archives(account), format!("{}/{archive}", archives(account)));
    let variables = json!({ "id": account, "archive": archive });
    let both = "query($id: UUID!, $archive: UUID!) { accountArchive(id: $id, archiveId: $archive) { id } }";
    let delete =
        "mutation($id: UUID!, $archive: UUID!) { deleteAccountArchive(id: $id, archiveId: $archive) }";
    let listed = "query($id: UUID!) { accountArchives(id: $id) { id } }";
    [
        (caller.get(&list).await, caller.graphql(listed, json!({ "id": account })).await),
        (caller.get(&one).await, caller.graphql(both, variables.clone()).await),
        (
            caller.post(&list, json!({})).await,
            caller.mutate_at("exportAccount", &[("id", account)], &json!({}), "{ id }").await,
        ),
        (caller.delete(&one).await, caller.graphql(delete, variables).await),
    ]
}

/// Sends a download and gives the response with its raw bytes.
async fn download(app: &TestApp, path: &str, range: Option<&str>) -> Response {
    let mut request = app.anonymous().request(Method::GET, path);
    if let Some(range) = range {
        request = request.header("range", range);
    }
    request.send().await.unwrap()
}

/// A server, and an owner with an archive that is ready.
async fn with_archive() -> (TestApp, Person, Value) {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let archive = requested(&owner, json!({})).await;
    assert!(matches!(make(&app, &archive).await, stored::Outcome::Ready(_)));
    let ready = read(&owner, &archive).await;
    (app, owner, ready)
}

#[tokio::test]
async fn export_account_makes_one_archive_at_a_time() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let account = owner.account_id;
    let answer = owner.post(&archives(account), json!({})).await;
    let queued = answer.expect(201)["data"].clone();
    let path = archive_of(account, &queued);
    assert_eq!(answer.header("location"), path);
    assert_eq!((&queued["status"], &queued["with_secrets"]), (&json!("queued"), &json!(false)));
    assert!(queued["download_url"].is_null() && queued["expires_at"].is_null(), "{queued}");
    let entry = app.audited_once("account:export_requested").await;
    assert_eq!((entry.scope.as_str(), entry.account_id), ("account", Some(account)));
    assert_eq!((entry.actor_id, entry.metadata), (Some(owner.user_id), json!({ "with_secrets": false })));

    // One export at a time, however it is requested.
    let rest = owner.post(&archives(account), json!({})).await;
    let graphql = owner.mutate_at("exportAccount", &[("id", account)], &json!({}), "{ id }").await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "An export of the account is running");

    let running = world::workers(&app, &[Daemon::Outbox, Daemon::Housekeeping]).await;
    eventually("the archive is made", async || owner.get(&path).await.data()["status"] == "ready").await;
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn account_archives_are_for_the_session_of_the_owner() {
    let (app, owner, ready) = with_archive().await;
    let stranger = app.owner().await;
    let account = owner.account_id;
    let id: Uuid = ready["id"].as_str().unwrap().parse().unwrap();
    let administrator = app.member_as(account, "administrator").await;
    let session_only = "First-party session required";
    let only_owner = "Only the account owner can export the account";
    for (caller, status, code, message) in [
        (administrator.caller.clone(), 403, "FORBIDDEN", only_owner),
        (stranger.caller.clone(), 404, "NOT_FOUND", "Account not found"),
        (app.personal_key(&owner, &["chat:read"]).await, 403, "FORBIDDEN", session_only),
        (app.service_key(account, &["chat:read"]).await, 403, "FORBIDDEN", session_only),
        (app.popout(&owner, &["chat:read"]).await, 403, "FORBIDDEN", session_only),
        (app.anonymous(), 401, "UNAUTHORIZED", "Authentication required"),
    ] {
        for (rest, graphql) in every_operation(&caller, account, id).await {
            both_refused(&rest, &graphql, status, code, message);
        }
    }
    let list = owner.get(&archives(account)).await;
    assert_eq!(list.data().as_array().unwrap().len(), 1);
    assert_eq!((&list.data()[0]["id"], &list.data()[0]["status"]), (&ready["id"], &json!("ready")));
    let listed = "query($id: UUID!) { accountArchives(id: $id) { id } }";
    let graphql = owner.graphql(listed, json!({ "id": account })).await;
    assert_eq!(graphql.field("accountArchives"), json!([{ "id": ready["id"] }]));
    // A list has a bound. The newest are in it.
    let older = format!(
        "INSERT INTO account_archives (id, account_id, status, error, created_at, finished_at, expires_at)
         SELECT gen_random_uuid(), '{account}', 'failed', 'e', now() - interval '1 hour', now(), now() + interval '7 days'
         FROM generate_series(1, 100)"
    );
    assert_eq!(execute(&app, &older).await, 100);
    let list = owner.get(&archives(account)).await;
    assert_eq!(list.data().as_array().unwrap().len(), 100);
    assert_eq!(list.data()[0]["id"], ready["id"]);
    app.stop().await;
}

#[tokio::test]
async fn account_archive_is_equal_over_both_protocols_and_of_one_account() {
    let (app, owner, ready) = with_archive().await;
    let stranger = app.owner().await;
    let id: Uuid = ready["id"].as_str().unwrap().parse().unwrap();
    let document = format!(
        "query($id: UUID!, $archive: UUID!) {{ accountArchive(id: $id, archiveId: $archive) {SELECTION} }}"
    );
    let graphql = owner.graphql(&document, json!({ "id": owner.account_id, "archive": id })).await;
    let mut graphql = graphql.field("accountArchive");
    assert_eq!(graphql["status"].take(), "READY");
    graphql["status"] = json!("ready");
    for (name, value) in graphql.as_object().unwrap() {
        assert_eq!(&ready[name], value, "{name}");
    }
    // The archive of another account is not reached by way of one's own.
    let [_, read_foreign, _, delete_foreign] = every_operation(&stranger, stranger.account_id, id).await;
    for (rest, graphql) in [read_foreign, delete_foreign] {
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Archive not found");
    }
    assert_eq!(read(&owner, &ready).await["status"], "ready");
    app.stop().await;
}

#[tokio::test]
async fn download_account_archive_serves_whoever_has_the_address() {
    let (app, owner, ready) = with_archive().await;
    let folder = TempDir::new().unwrap();
    // The whole archive or a part of it, and nothing else.
    let address = path_of(&ready["download_url"]);
    let response = download(&app, &address, None).await;
    assert_eq!(
        (response.status().as_u16(), text_of(&response, "content-type")),
        (200, "application/zip".to_owned())
    );
    assert_eq!(text_of(&response, "content-disposition"), "attachment; filename=\"account.zip\"");
    let bytes = response.bytes().await.unwrap();
    assert_eq!(json!(hex::encode(Sha256::digest(&bytes))), ready["sha256"]);
    assert_eq!(json!(bytes.len()), ready["size_bytes"]);
    let part = download(&app, &address, Some("bytes=0-3")).await;
    assert_eq!((part.status().as_u16(), &part.bytes().await.unwrap()[..]), (206, &bytes[..4]));
    let (zip, _) = file(&folder, "downloaded.zip");
    std::fs::write(&zip, &bytes).unwrap();
    let accounts = String::from_utf8(content(&zip)["tables/accounts.ndjson"].clone()).unwrap();
    assert!(accounts.contains(&owner.user_id.to_string()), "{accounts}");
    let (start, query) = address.split_once('?').unwrap();
    for altered in [
        start.to_owned(),
        format!("{start}?{}", query.replacen("exp=", "exp=9", 1)),
        format!("/v1/media/archive/{}?{query}", Uuid::now_v7()),
        format!("{}?{query}", start.replace("/archive/", "/upload/")),
    ] {
        app.anonymous().get(&altered).await.refused("FORBIDDEN", "The address is not signed");
    }
    app.clock.advance(TimeDelta::hours(1));
    app.anonymous().get(&address).await.refused("FORBIDDEN", "The address has ended");
    let owner = app.session(owner.user_id, owner.account_id).await;
    let address = path_of(&read(&owner, &ready).await["download_url"]);
    assert_eq!(download(&app, &address, None).await.status().as_u16(), 200);
    app.stop().await;
}

#[tokio::test]
async fn delete_account_archive_removes_the_object_and_ends_an_export() {
    let (app, owner, ready) = with_archive().await;
    let account = owner.account_id;
    let address = path_of(&ready["download_url"]);
    assert_eq!(owner.delete(&archive_of(account, &ready)).await.status, 204);
    let entry = app.audited_once("account:archive_deleted").await;
    assert_eq!(
        (entry.account_id, entry.resource_id),
        (Some(account), ready["id"].as_str().map(str::to_owned))
    );
    app.anonymous().get(&address).await.refused("NOT_FOUND", "Archive not found");
    assert_eq!(app.state.storage.delete_below(&format!("accounts/{account}/archives")).await.unwrap(), 0);

    let mutation =
        "mutation($id: UUID!, $archive: UUID!) { deleteAccountArchive(id: $id, archiveId: $archive) }";
    let of = |archive: &Value| json!({ "id": account, "archive": archive["id"] });
    owner.graphql(mutation, of(&ready)).await.refused("NOT_FOUND", "Archive not found");
    let open = requested(&owner, json!({})).await;
    let answer = owner.graphql(mutation, of(&open)).await;
    assert_eq!(answer.field("deleteAccountArchive"), json!(true));
    assert_eq!(make(&app, &open).await, stored::Outcome::Gone, "a deleted export is not made");
    app.stop().await;
}

#[tokio::test]
async fn export_account_refuses_malformed_keys_and_too_many_archives() {
    let app = TestApp::builder().with("LUMIO_ARCHIVE_MAX_BYTES", 1024).start().await;
    let owner = app.owner().await;
    let account = owner.account_id;
    let message = "secrets_key must be an X25519 public key: 32 bytes in base64";
    for key in ["", "key", "AAAA", &"A".repeat(44), &format!("{}=", "A".repeat(43))] {
        let input = json!({ "secrets_key": key });
        let rest = owner.post(&archives(account), input.clone()).await;
        let graphql = owner.mutate_at("exportAccount", &[("id", account)], &input, "{ id }").await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    // The size has a bound. A failure leaves no object and does not count.
    let failed = requested(&owner, json!({})).await;
    let reason = "The archive is larger than 1024 bytes";
    assert_eq!(make(&app, &failed).await, stored::Outcome::Failed(reason.to_owned()));
    let failed = read(&owner, &failed).await;
    assert_eq!((&failed["status"], &failed["error"]), (&json!("failed"), &json!(reason)));
    assert!(failed["download_url"].is_null() && !failed["expires_at"].is_null(), "{failed}");
    assert_eq!(app.state.storage.delete_below(&format!("accounts/{account}/archives")).await.unwrap(), 0);

    let ready = format!(
        "INSERT INTO account_archives (id, account_id, status, storage_key, size_bytes, sha256, finished_at, expires_at)
         SELECT gen_random_uuid(), '{account}', 'ready', 'k' || n, 1, '', now(), now() + interval '7 days'
         FROM generate_series(1, 5) AS n"
    );
    assert_eq!(execute(&app, &ready).await, 5);
    let rest = owner.post(&archives(account), json!({})).await;
    let graphql = owner.mutate_at("exportAccount", &[("id", account)], &json!({}), "{ id }").await;
    both_refused(&rest, &graphql, 403, "PLAN_LIMIT_REACHED", "Archive limit reached");
    execute(&app, "DELETE FROM account_archives WHERE storage_key = 'k1'").await;
    let archive = requested(&owner, json!({})).await;

    // Two were requested; eight more make ten, also when their archives are gone.
    assert_eq!(owner.delete(&archive_of(account, &archive)).await.status, 204);
    let more = format!(
        "INSERT INTO audit_log (id, scope, account_id, actor_type, action, resource_type)
         SELECT gen_random_uuid(), 'account', '{account}', 'system', 'account:export_requested', 'account_archive'
         FROM generate_series(1, 8)"
    );
    assert_eq!(execute(&app, &more).await, 8);
    let rest = owner.post(&archives(account), json!({})).await;
    let graphql = owner.mutate_at("exportAccount", &[("id", account)], &json!({}), "{ id }").await;
    let message = "An account can be exported 10 times a day";
    both_refused(&rest, &graphql, 429, "RATE_LIMIT_EXCEEDED", message);
    execute(&app, "UPDATE account_archives SET status = 'discarded' WHERE storage_key = 'k2'").await;
    let archive = requested(&owner, json!({})).await;
    assert_eq!(owner.delete(&archive_of(account, &archive)).await.status, 204);
    app.clock.advance(TimeDelta::hours(25));
    let owner = app.session(owner.user_id, account).await;
    requested(&owner, json!({})).await;

    // An export ends when its archive does.
    let (folder, run) = (TempDir::new().unwrap(), Run { archive: Uuid::now_v7(), attempt: Uuid::now_v7() });
    let request = Request {
        account,
        secrets_key: None,
        now: app.clock.now(),
        deployment: "http://lumio.example/",
        program_version: "0",
        max_bytes: 1 << 30,
        snapshot_timeout: SNAPSHOT_TIMEOUT,
        run: Some(run),
    };
    let target = std::fs::File::create(file(&folder, "gone.zip").0).unwrap();
    let ended = export(stores(&app), request, Target::File(target.into())).await;
    assert!(matches!(ended, Err(Error::Gone)), "{ended:?}");

    // The rows of the main database are read in time, or not at all.
    let request = Request { snapshot_timeout: Duration::from_millis(100), run: None, ..request };
    let target = Target::File(std::fs::File::create(file(&folder, "slow.zip").0).unwrap().into());
    let mut db = app.databases.postgres.get().await.unwrap();
    for statement in ["BEGIN", "LOCK TABLE predictions IN ACCESS EXCLUSIVE MODE"] {
        sql_query(statement).execute(&mut *db).await.unwrap();
    }
    let error = export(stores(&app), request, target).await.unwrap_err();
    assert_eq!(error.public_text(), "The rows of the account cannot be read in time");
    sql_query("ROLLBACK").execute(&mut *db).await.unwrap();
    drop(db);
    app.stop().await;
}
