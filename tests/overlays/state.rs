//! State that a page gets: settings, the flag of a widget, and addresses of files
//! (reference/realtime.md#state).

use std::collections::BTreeSet;

use diesel::{prelude::*, sql_query, sql_types::Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use lumio_tests::{PUBLIC_URL, Socket, SocketRequest, TestApp, world::workers};
use lumio_worker::Daemon;
use serde_json::{Value, json};
use shared::schema::feature_flags;
use uuid::Uuid;

use super::{OVERLAYS, WIDGETS, id_of, overlay, text};

/// A socket with this token that has subscribed to the channel.
async fn page(app: &TestApp, token: &str, channel: &str) -> Socket {
    let mut client = SocketRequest::to(app.url()).query(token).connect().await;
    client.subscribe(channel).await;
    client
}

/// Data of the next frame, which must be an event of this type.
async fn next(client: &mut Socket, event_type: &str) -> Value {
    let frame = client.frame().await;
    assert_eq!(frame["event_type"], event_type, "{frame}");
    frame["data"].clone()
}

/// Runs a statement that adds a file to the account `$1`; returns the id of the file.
async fn stored(app: &TestApp, account: Uuid, sql: &str) -> Uuid {
    #[derive(QueryableByName)]
    struct Made {
        #[diesel(sql_type = SqlUuid)]
        id: Uuid,
    }
    let mut db = app.databases.postgres.get().await.unwrap();
    let made: Made = sql_query(sql).bind::<SqlUuid, _>(account).get_result(&mut *db).await.unwrap();
    made.id
}

async fn upload(app: &TestApp, account: Uuid, purpose: &str) -> Uuid {
    let sql = format!(
        "INSERT INTO uploads (id, account_id, filename, content_type, size_bytes, storage_key, purpose, sha256)
         VALUES (gen_random_uuid(), $1, 'a', 'image/png', 1, gen_random_uuid()::text, '{purpose}', 'x') RETURNING id"
    );
    stored(app, account, &sql).await
}

async fn sound(app: &TestApp, account: Uuid) -> Uuid {
    let sql = "INSERT INTO sounds (id, account_id, name, filename, content_type, size_bytes, storage_key, sha256)
        VALUES (gen_random_uuid(), $1, 's', 's.mp3', 'audio/mpeg', 1, gen_random_uuid()::text, 'x') RETURNING id";
    stored(app, account, sql).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn state_of_a_widget_follows_the_settings_and_the_flag_of_its_type() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let account = owner.account_id;
    let running = workers(&app, &[Daemon::Outbox]).await;
    let widget = json!({ "name": "Text", "type": "text" });
    let made = owner.post(WIDGETS, widget).await.expect(201)["data"].clone();
    let channel = format!("widget:{}", id_of(&made));
    let mut client = page(&app, text(&made["access_token"]), &channel).await;
    let state = next(&mut client, "widget:snapshot").await;
    assert_eq!(state["alerts"], json!({ "muted": false, "volume": 1.0 }));

    let settings = json!({ "alerts": { "muted": true, "volume": 30 } });
    owner.patch("/v1/settings", settings).await.expect(200);
    let state = next(&mut client, "widget:updated").await;
    assert_eq!(state["alerts"], json!({ "muted": true, "volume": 0.3 }));
    let flag = feature_flags::table.filter(feature_flags::key.eq("widget:text")).select(feature_flags::id);
    let flag: Uuid = flag.first(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap();
    let admin = app.admin_with(&["features:edit"]).await;
    for (is_on, layers) in [(false, 0), (true, 1)] {
        let change = json!({ "feature_id": flag, "enabled": is_on });
        admin.put(&format!("/v1/admin/accounts/{account}/feature-overrides"), change).await.expect(200);
        let shown = next(&mut client, "widget:updated").await["layers"].clone();
        assert_eq!(shown.as_array().map(Vec::len), Some(layers), "{shown}");
    }
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn state_has_addresses_of_own_files_that_are_no_documents() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let (account, other) = (owner.account_id, stranger.account_id);
    let (picture, horn) = (upload(&app, account, "overlay_asset").await, sound(&app, account).await);
    let hidden = [
        upload(&app, account, "developer_document").await,
        upload(&app, other, "overlay_asset").await,
        sound(&app, other).await,
        Uuid::now_v7(),
    ];
    let made = overlay(&owner, "Mine").await;
    let path = format!("{OVERLAYS}/{}", id_of(&made));
    let config = json!({ "html": "", "files": hidden, "image": picture, "line": format!("5: Wow | {horn}") });
    let layer = json!({ "type": "custom_html", "name": "Files", "width": 1, "height": 1, "config": config });
    owner.put(&format!("{path}/layers"), json!({ "layers": [layer] })).await.expect(200);
    let token = owner.get(&format!("{path}/token")).await.data()["token"].clone();
    let mut client = page(&app, text(&token), &format!("overlay:{}", text(&made["key"]))).await;

    let assets = next(&mut client, "overlay:snapshot").await["assets"].clone();
    let named: BTreeSet<String> = assets.as_object().expect("addresses by id").keys().cloned().collect();
    assert_eq!(named, BTreeSet::from([picture.to_string(), horn.to_string()]));
    for (kind, id) in [("upload", picture), ("sound", horn)] {
        let address = text(&assets[id.to_string()]);
        let start = format!("{PUBLIC_URL}/v1/media/{kind}/{id}?exp=");
        assert!(address.starts_with(&start), "{address}");
        assert!(address.contains("&sig="), "{address}");
    }
    app.stop().await;
}
