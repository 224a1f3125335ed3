//! Built-in extensions: their installs and bundles (reference/extensions.md#built-in-extensions).

use diesel::{QueryableByName, prelude::*, sql_query, sql_types};
use diesel_async::RunQueryDsl;
use extension_bundle::{Expected, Limits};
use extension_model::system::{BOT_MODULES, SystemFile, SystemWidget, WIDGETS, put_files};
use lumio_tests::{TestApp, both_refused, extensions::archive};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use shared::schema::{extension_installs, extension_versions, extensions};
use uuid::Uuid;

use super::{id_of, install, uninstall_over_graphql};

/// Slugs of the extensions that every account has, in their order; true when enabled at first.
const INSTALLED: [(&str, bool); 10] = [
    ("system-link-protection", false),
    ("system-spam-protection", false),
    ("system-word-filter", false),
    ("system-timed-messages", false),
    ("system-chat-box", true),
    ("system-alert-box", true),
    ("system-event-list", true),
    ("system-text", true),
    ("system-image", true),
    ("system-timer", true),
];
const AVAILABLE: [&str; 2] = ["system-now-playing", "system-obs-browser-source"];

/// Fields of a bundle that the check of uploads refuses.
fn refusals(extension_id: Uuid, files: &[SystemFile]) -> Vec<String> {
    let entries: Vec<(&str, &[u8])> = files.iter().map(|file| (file.path, file.content.as_bytes())).collect();
    let packed = archive(&entries);
    let bundle = extension_bundle::read(packed.as_slice(), Limits::default(), |_| Ok(std::io::sink()))
        .expect("it unpacks");
    let manifest: Value =
        serde_json::from_slice(bundle.manifest.as_deref().expect("a manifest")).expect("JSON");
    let version = manifest["version"].as_str().expect("a version");
    let checked = extension_bundle::check(
        &bundle,
        Expected {
            extension_id,
            version,
            verified: false,
            limits: &extension_model::limits::ResolvedLimits::default(),
        },
    );
    checked.err().into_iter().flatten().map(|error| error.field).collect()
}

#[test]
fn system_bundles_pass_the_check_of_uploads() {
    for widget in &WIDGETS {
        assert_eq!(refusals(widget.extension_id, &widget.files()), [""; 0], "{}", widget.name);
    }
    for module in &BOT_MODULES {
        let refused = refusals(module.extension_id, &module.files());
        // Its messages are objects, a type that developers cannot declare.
        let expected: &[&str] = match module.name {
            "timed_messages" => &["config_schema.messages.type"],
            _ => &[],
        };
        assert_eq!(refused, expected, "{}", module.name);
    }
}

#[derive(Debug, QueryableByName)]
struct Installed {
    #[diesel(sql_type = sql_types::Text)]
    slug: String,
    #[diesel(sql_type = sql_types::Bool)]
    enabled: bool,
    #[diesel(sql_type = sql_types::Bool)]
    is_current: bool,
}

async fn installs(app: &TestApp, account: Uuid) -> Vec<(String, bool)> {
    let rows: Vec<Installed> = sql_query(
        "SELECT slug, enabled, installs.version_id = current_version_id AS is_current
         FROM extension_installs AS installs JOIN extensions ON extensions.id = extension_id
         WHERE account_id = $1 ORDER BY installs.created_at",
    )
    .bind::<sql_types::Uuid, _>(account)
    .load(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    assert!(rows.iter().all(|row| row.is_current), "{rows:?}");
    rows.into_iter().map(|row| (row.slug, row.enabled)).collect()
}

#[tokio::test]
async fn system_extensions_are_installed_in_new_and_old_accounts() {
    let app = TestApp::start().await;
    let expected: Vec<(String, bool)> = INSTALLED.map(|(slug, enabled)| (slug.to_owned(), enabled)).into();
    let user = app.user("new").await;
    let new = account_model::accounts::NewAccount {
        name: "New",
        description: None,
        owner: user.into(),
        primary_login_connection: None,
        plan: "free",
    };
    let mut db = app.databases.postgres.get().await.unwrap();
    let account =
        account_model::accounts::create_with_default_roles(&mut db, &new, app.clock.now()).await.unwrap();
    drop(db);
    assert_eq!(installs(&app, account.uuid()).await, expected);

    // This account is older than the built-in extensions.
    let old = app.owner().await;
    assert_eq!(installs(&app, old.account_id).await, []);
    for _ in 0..2 {
        lumio_api::seeds::apply(&app.databases.postgres).await.unwrap();
        assert_eq!(installs(&app, old.account_id).await, expected);
        assert_eq!(installs(&app, account.uuid()).await, expected);
    }
    let listed = old.get("/v1/extension-installs").await.data().clone();
    assert_eq!(listed.as_array().unwrap().len(), INSTALLED.len());
    assert!(
        listed.as_array().unwrap().iter().all(|install| install["update_available"] == false),
        "{listed}"
    );
    let system = app.system_key().await;
    let active = system.get("/v1/internal/accounts/active").await;
    assert_eq!(active.expect(200)["account_ids"], json!([]), "workers have nothing to run for a widget");

    let store = old.get("/v1/extensions?limit=100&category=widget").await.data().clone();
    let is_installed = |slug: &str| {
        let row = store.as_array().unwrap().iter().find(|row| row["slug"] == slug);
        row.unwrap_or_else(|| panic!("{slug} is listed: {store}"))["installed"].clone()
    };
    for (slug, _) in &INSTALLED[4..] {
        assert_eq!(is_installed(slug), true, "{slug}");
    }
    for slug in AVAILABLE {
        assert_eq!(is_installed(slug), false, "{slug}");
        let page = old.get(&format!("/v1/extensions/{slug}")).await.data().clone();
        assert_eq!((&page["visibility"], &page["extension"]["developer"]), (&json!("system"), &Value::Null));
        let extension: Uuid = page["extension"]["id"].as_str().unwrap().parse().unwrap();
        let installed = install(&old, extension, &[], &json!({})).await;
        assert_eq!(installed.expect(201)["data"]["category"], "widget");
        let id = id_of(&installed);
        let rest = old.delete(&format!("/v1/extension-installs/{id}")).await;
        let graphql = uninstall_over_graphql(&old, id).await;
        both_refused(&rest, &graphql, 409, "CONFLICT", "System extensions cannot be uninstalled");
        let count: i32 = extensions::table
            .find(extension)
            .select(extensions::install_count)
            .first(&mut *app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
        assert_eq!(count, 0, "installs of what is built in are not counted");
    }
}

#[tokio::test]
async fn configure_extension_validates_settings_of_system_widgets() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    lumio_api::seeds::apply(&app.databases.postgres).await.unwrap();
    let listed = owner.get("/v1/extension-installs").await.data().clone();
    let install = listed.as_array().unwrap().iter().find(|row| row["extension_slug"] == "system-chat-box");
    let path = format!("/v1/extension-installs/{}", install.unwrap()["id"].as_str().unwrap());
    let wrong = json!({ "config": { "max_messages": 101 } });
    owner
        .patch(&path, wrong)
        .await
        .refused("VALIDATION_ERROR", "config.max_messages must be between 1 and 100");
    let config = json!({ "max_messages": 5, "hidden_users": ["a bot"] });
    assert_eq!(owner.patch(&path, json!({ "config": config })).await.data()["config"], config);
}

/// Number of the current version of an extension.
async fn current(app: &TestApp, extension: Uuid) -> String {
    extension_versions::table
        .inner_join(
            extensions::table.on(extensions::current_version_id.eq(extension_versions::id.nullable())),
        )
        .filter(extensions::id.eq(extension))
        .select(extension_versions::version)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

pub(super) async fn address(app: &TestApp, widget: &SystemWidget, path: &str) -> String {
    format!(
        "/v1/extension-bundles/{}/{}/{path}",
        widget.extension_id,
        current(app, widget.extension_id).await
    )
}

#[tokio::test]
async fn extension_bundle_file_serves_files_of_system_extensions() {
    let app = TestApp::start().await;
    put_files(&app.state.storage).await.unwrap();
    for widget in &WIDGETS {
        for file in widget.files() {
            let served = app.anonymous().get(&address(&app, widget, file.path).await).await;
            assert_eq!(
                (served.status, served.text.as_str()),
                (200, file.content),
                "{} {}",
                widget.name,
                file.path
            );
            assert_eq!(served.header("cache-control"), "public, max-age=86400, immutable");
            assert_eq!(served.header("x-content-type-options"), "nosniff");
            assert_eq!(served.header("etag"), format!("\"{}\"", hex::encode(Sha256::digest(file.content))));
            let kind = match file.path.rsplit_once('.').unwrap().1 {
                "js" => "text/javascript; charset=utf-8",
                "css" => "text/css; charset=utf-8",
                _ => "application/json",
            };
            assert_eq!(served.header("content-type"), kind, "{}", file.path);
        }
        let legacy = app.anonymous().get(&address(&app, widget, "bundle.js").await).await;
        assert_eq!(legacy.text, widget.files()[1].content);
        let version = current(&app, widget.extension_id).await;
        let path = format!("/v1/extensions/{}/versions/{version}/files", widget.extension_id);
        assert_eq!(app.anonymous().get(&path).await.data().as_array().unwrap().len(), widget.files().len());
    }
}

#[tokio::test]
async fn system_extensions_update_every_install_on_release() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    lumio_api::seeds::apply(&app.databases.postgres).await.unwrap();
    let widget = &WIDGETS[1];
    let now = current(&app, widget.extension_id).await;
    let mut db = app.databases.postgres.get().await.unwrap();
    let earlier = shared::id::new();
    diesel::insert_into(extension_versions::table)
        .values((
            extension_versions::id.eq(earlier),
            extension_versions::extension_id.eq(widget.extension_id),
            extension_versions::version.eq("0.9.0+00000000"),
            extension_versions::status.eq("approved"),
            extension_versions::manifest.eq(serde_json::to_value(widget.manifest().unwrap()).unwrap()),
            extension_versions::bundle_size_bytes.eq(1),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    diesel::update(
        extension_installs::table.filter(extension_installs::extension_id.eq(widget.extension_id)),
    )
    .set((
        extension_installs::version_id.eq(earlier),
        extension_installs::pinned_version.eq("0.9.0+00000000"),
    ))
    .execute(&mut *db)
    .await
    .unwrap();
    diesel::update(extensions::table.find(widget.extension_id))
        .set(extensions::current_version_id.eq(earlier))
        .execute(&mut *db)
        .await
        .unwrap();
    drop(db);
    lumio_api::seeds::apply(&app.databases.postgres).await.unwrap();
    assert_eq!(current(&app, widget.extension_id).await, now);
    let listed = owner.get("/v1/extension-installs").await.data().clone();
    let install = listed.as_array().unwrap().iter().find(|row| row["extension_slug"] == widget.slug).unwrap();
    assert_eq!((&install["version"], &install["pinned_version"]), (&json!(now), &Value::Null));
}
