//! Mails that the daemon has written into its folder.

use std::path::{Path, PathBuf};

use diesel_async::AsyncConnection;
use notices::mail::{Mail, Recipient, enqueue};
use shared::config::MailDelivery;

use crate::TestApp;

/// Folder that the daemon writes into.
pub fn folder(app: &TestApp) -> PathBuf {
    match app.config().mail.delivery {
        MailDelivery::Folder(folder) => folder,
        other => panic!("mails go elsewhere: {other:?}"),
    }
}

/// Texts of the mails in a folder.
pub fn files(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let eml = paths.filter(|path| path.extension().is_some_and(|extension| extension == "eml"));
    eml.map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

/// Enqueues a mail with an invite.
pub async fn invite(app: &TestApp, to: &str, account_name: &str) {
    let mail = Mail::Invite {
        account_name: account_name.into(),
        role_name: "Moderator".into(),
        invited_by: Some("Ada".into()),
        code: "the-code".into(),
        expires_at: None,
    };
    let now = app.clock.now();
    app.databases
        .postgres
        .get()
        .await
        .unwrap()
        .transaction(async |connection| enqueue(connection, Recipient::Address(to.into()), &mail, now).await)
        .await
        .unwrap();
}
