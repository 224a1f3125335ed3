//! File with the secrets that a deployment makes up itself, for `LUMIO_CONFIG_FILE`.

use std::{
    collections::BTreeMap,
    env, fs,
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use anyhow::{Context, anyhow};
use clap::Args;
use shared::{
    config::{file, named_keys_of},
    id,
    secret::NamedKey,
};

use super::output;

/// Password of the database, which its server reads from a file of its own.
const DATABASE_PASSWORD: &str = "PGPASSWORD";

/// Files that the command writes.
#[derive(Debug, Args)]
pub struct Files {
    /// File of variables. One that exists keeps its values and gets those that are missing.
    #[arg(long)]
    file: PathBuf,
    /// File that contains only the password of the database, as POSTGRES_PASSWORD_FILE of PostgreSQL's image
    /// reads it.
    #[arg(long)]
    database_password_file: Option<PathBuf>,
}

/// Writes the files and prints which secrets are new. A secret that the environment sets is taken from there.
///
/// # Errors
/// A file that cannot be read or written.
pub fn write(files: &Files) -> anyhow::Result<()> {
    let shown = files.file.display();
    let mut variables = existing(&files.file)?;
    let mut added = Vec::new();
    for (name, generate) in SECRETS {
        if !variables.contains_key(name) {
            variables.insert(name.to_owned(), set(name).unwrap_or_else(generate));
            added.push(name);
        }
    }
    if !added.is_empty() {
        append(&files.file, &added, &variables)?;
    }
    if let Some(path) = &files.database_password_file {
        // The environment wins, as in the programs.
        let password = set(DATABASE_PASSWORD).or_else(|| variables.get(DATABASE_PASSWORD).cloned());
        replace(path, &password.unwrap_or_default())?;
    }
    match added.as_slice() {
        [] => output::print(format_args!("{shown} holds every secret"))?,
        added => output::print(format_args!("{shown} holds new values of {}", added.join(", ")))?,
    }
    Ok(())
}

type Generate = fn() -> String;

/// Secrets that only the deployment itself knows.
const SECRETS: [(&str, Generate); 5] = [
    ("LUMIO_ENCRYPTION_KEYS", named_key),
    ("LUMIO_AUDIT_KEYS", named_key),
    ("LUMIO_JWT_SECRET", secret),
    ("LUMIO_TWITCH_EVENTSUB_SECRET", secret),
    (DATABASE_PASSWORD, secret),
];

fn secret() -> String {
    hex::encode(rand::random::<[u8; 32]>())
}

fn named_key() -> String {
    named_keys_of(&NamedKey { id: "k1".to_owned(), key: rand::random() }).expose().to_owned()
}

fn set(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn existing(path: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    if !path.try_exists().with_context(|| path.display().to_string())? {
        return Ok(BTreeMap::new());
    }
    file::read(path).map_err(|reason| anyhow!("--file {reason}"))
}

/// Adds lines to the file and keeps what an operator has written there.
fn append(path: &Path, added: &[&str], variables: &BTreeMap<String, String>) -> anyhow::Result<()> {
    let mut text = if path.exists() { fs::read_to_string(path)? } else { String::new() };
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    for name in added {
        text.push_str(&file::line(name, variables.get(*name).map_or("", String::as_str)));
        text.push('\n');
    }
    replace(path, &text)
}

/// Replaces a file as a whole by one that only its owner may read.
fn replace(path: &Path, text: &str) -> anyhow::Result<()> {
    let draft = path.with_extension(format!("{}.new", id::new().simple()));
    let written = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&draft)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        // The first failure is reported; without the draft there is nothing to remove.
        drop(fs::remove_file(&draft));
    }
    written.with_context(|| format!("{} cannot be written", path.display()))
}
