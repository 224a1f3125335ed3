//! Archives of accounts, and the hash chains of the audit log.

mod anchors;
mod audit;
mod chains;
mod classes;
mod hostile;
mod operations;
mod retention;
mod round_trip;
mod scene;
mod secrets;

use std::{
    collections::BTreeMap,
    io::Read,
    path::{Path, PathBuf},
};

use archive_model::export::Stores;
use clap::Parser;
use diesel::sql_query;
use diesel_async::RunQueryDsl;
use lumio_api::cli::AdminCommand;
use lumio_tests::{PUBLIC_URL, TestApp};
use reqwest::Response;
use serde_json::Value;
use tempfile::TempDir;
use uuid::Uuid;

#[derive(Debug, Parser)]
struct Console {
    #[command(subcommand)]
    command: AdminCommand,
}

/// Runs a command as the console would.
async fn admin(app: &TestApp, arguments: &[&str]) -> Result<(), String> {
    let console = Console::try_parse_from(["admin"].iter().chain(arguments)).expect("a command");
    let ended = lumio_api::cli::admin(&app.state, &app.databases, console.command).await;
    ended.map_err(|error| format!("{error:#}"))
}

fn stores(app: &TestApp) -> Stores<'_> {
    Stores {
        postgres: &app.databases.postgres,
        timescaledb: &app.databases.timescaledb,
        storage: &app.state.storage,
        keyring: &app.state.keyring,
    }
}

async fn execute(app: &TestApp, sql: &str) -> usize {
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query(sql).execute(&mut *db).await.unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// A file in a folder that ends with the test.
fn file(folder: &TempDir, name: &str) -> (PathBuf, String) {
    let path = folder.path().join(name);
    let text = path.to_str().expect("a path of text").to_owned();
    (path, text)
}

/// Exports an account at the console into a file.
async fn export(app: &TestApp, account: Uuid, path: &str, more: &[&str]) {
    let account = account.to_string();
    let arguments = ["export-account", "--account", &account, path];
    admin(app, &[&arguments, more].concat()).await.unwrap();
}

/// Content of the files of an archive, by name.
fn content(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    let names: Vec<String> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    let mut files = BTreeMap::new();
    for name in names {
        let mut bytes = Vec::new();
        archive.by_name(&name).unwrap().read_to_end(&mut bytes).unwrap();
        files.insert(name, bytes);
    }
    files
}

/// Path and query of an address below the public address.
fn path_of(url: &Value) -> String {
    let url = url.as_str().expect("an address");
    url.strip_prefix(PUBLIC_URL).unwrap_or_else(|| panic!("{url} is elsewhere")).to_owned()
}

/// Value of a header.
fn text_of(response: &Response, header: &str) -> String {
    response.headers().get(header).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
}
