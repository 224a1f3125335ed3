//! Uploads and sounds.

mod decoding;
mod images;
mod memory;
mod objects;
mod sounds;
mod storage;
mod uploads;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp};
use shared::schema::{account_limits, account_usage, accounts, plans, unclaimed_objects};
use uuid::Uuid;

/// A sound of half a second.
const TONE: &[u8] = include_bytes!("../fixtures/media/tone.wav");
const PNG: &[u8] = include_bytes!("../fixtures/media/pixel.png");

/// A multipart body and its content type. A file has a name.
fn form(fields: &[(&str, Option<&str>, &[u8])]) -> (String, Vec<u8>) {
    const BOUNDARY: &str = "lumio-media-boundary";
    let mut body = Vec::new();
    for (name, filename, content) in fields {
        let filename = filename.map(|name| format!("; filename=\"{name}\"")).unwrap_or_default();
        let head =
            format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"{filename}\r\n\r\n");
        body.extend(head.bytes());
        body.extend_from_slice(content);
        body.extend(b"\r\n");
    }
    body.extend(format!("--{BOUNDARY}--\r\n").bytes());
    (format!("multipart/form-data; boundary={BOUNDARY}"), body)
}

async fn send(caller: &Caller, path: &str, fields: &[(&str, Option<&str>, &[u8])]) -> Answer {
    let (content_type, body) = form(fields);
    caller.post_raw(path, &content_type, body).await
}

/// Path and query of an address below the public address.
fn path_of(app: &TestApp, url: &str) -> String {
    let base = app.state.config.http.public_url.as_str().trim_end_matches('/').to_owned();
    url.strip_prefix(&base).unwrap_or_else(|| panic!("{url} is not below {base}")).to_owned()
}

/// Bytes that count against the storage of an account.
async fn used(app: &TestApp, account: Uuid) -> i64 {
    account_usage::table
        .filter(account_usage::account_id.eq(account).and(account_usage::quota.eq("storage_bytes")))
        .select(account_usage::used)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .optional()
        .unwrap()
        .unwrap_or_default()
}

/// Limits the storage of an account, and the size of a file.
async fn limit_storage(app: &TestApp, account: Uuid, storage: i64, file: i64) {
    diesel::insert_into(account_limits::table)
        .values((
            account_limits::account_id.eq(account),
            account_limits::max_storage_bytes.eq(storage),
            account_limits::max_upload_size_bytes.eq(file),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

/// Limits the sounds of the account's plan: number, size of a file, and size together.
async fn limit_sounds(app: &TestApp, account: Uuid, (number, file, storage): (i64, i64, i64)) {
    let plan = accounts::table.find(account).select(accounts::plan_id).single_value();
    diesel::update(plans::table.filter(plans::id.nullable().eq(plan)))
        .set((
            plans::max_sounds.eq(number),
            plans::max_sound_file_size.eq(file),
            plans::max_sound_storage_bytes.eq(storage),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

/// Removes the objects of an account. Returns their number.
async fn removed_objects(app: &TestApp, account: Uuid) -> usize {
    app.state.storage.delete_below(&format!("accounts/{account}")).await.unwrap()
}

async fn unclaimed_count(app: &TestApp) -> i64 {
    let mut db = app.databases.postgres.get().await.unwrap();
    unclaimed_objects::table.count().get_result(&mut *db).await.unwrap()
}
