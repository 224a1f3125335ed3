//! Commands for archives of accounts.

use std::{
    fs,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};
use api_core::State;
use archive_model::{
    Target, Written,
    export::{Request, SNAPSHOT_TIMEOUT, Stores, export},
    import::{Imported, Options, import},
    sealing::{KeyPair, PublicKey},
};
use audit_chain::ChainKeys;
use foundation::{
    audit::{self, Entry},
    db::Databases,
    invalidation::{self, Invalidation},
};
use serde::Serialize;
use serde_json::json;
use shared::secret::Secret;
use tokio::io::AsyncReadExt;
use uuid::Uuid;

use super::people::entry;

/// Longest file with a key.
const MAX_KEY_FILE_BYTES: u64 = 4096;

/// Archive to write.
pub struct NewArchive {
    /// The account.
    pub account: Uuid,
    /// File to write, which must not exist.
    pub file: PathBuf,
    /// Public key that the secrets are sealed to.
    pub secrets_key: Option<String>,
}

/// Archive to read.
pub struct GivenArchive {
    /// File to read.
    pub file: PathBuf,
    /// Slug of the plan of the account; the plan of new accounts when absent.
    pub plan: Option<String>,
    /// Person who owns the account, in place of the archived owner.
    pub owner: Option<Uuid>,
    /// File with the private key that opens the secrets.
    pub private_key_file: Option<PathBuf>,
}

/// A written archive.
#[derive(Debug, Serialize)]
pub struct Exported {
    /// The account.
    pub account_id: Uuid,
    /// Size in bytes.
    pub size_bytes: u64,
    /// SHA-256 in hexadecimal.
    pub sha256: String,
}

fn stores<'a>(state: &'a State, databases: &'a Databases) -> Stores<'a> {
    Stores {
        postgres: &databases.postgres,
        timescaledb: &databases.timescaledb,
        storage: &state.storage,
        keyring: &state.keyring,
    }
}

/// Writes the archive of an account into a file that only its owner may read.
pub async fn export_account(
    state: &State,
    databases: &Databases,
    new: NewArchive,
) -> anyhow::Result<Exported> {
    let secrets_key = new.secrets_key.as_deref().map(PublicKey::parse).transpose()?;
    let shown = new.file.display();
    let file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&new.file)
        .with_context(|| format!("{shown} cannot be made"))?;
    let request = Request {
        account: new.account,
        secrets_key: secrets_key.as_ref(),
        now: state.clock.now(),
        deployment: state.config.http.public_url.as_str(),
        program_version: crate::VERSION,
        max_bytes: state.config.archives.max_bytes,
        snapshot_timeout: SNAPSHOT_TIMEOUT,
        run: None,
    };
    let target = Target::File(tokio::fs::File::from_std(file));
    let written = match export(stores(state, databases), request, target).await {
        Ok(written) => written,
        Err(error) => {
            fs::remove_file(&new.file).with_context(|| format!("{shown} is not complete: remove it"))?;
            return Err(error.into());
        }
    };
    let entry = Entry {
        metadata: json!({ "by": "console", "with_secrets": secrets_key.is_some() }),
        ..entry("account:exported", "account", new.account)
    };
    audit::record(&mut *databases.postgres.get().await?, entry).await.context("the audit trail")?;
    let Written { size_bytes, sha256 } = written;
    Ok(Exported { account_id: new.account, size_bytes, sha256 })
}

/// Imports an archive whose audit log is intact, and announces the account.
pub async fn import_account(
    state: &State,
    databases: &Databases,
    given: GivenArchive,
) -> anyhow::Result<Imported> {
    let private_key = match &given.private_key_file {
        Some(file) => Some(read_key(file).await?),
        None => None,
    };
    let chain_keys = ChainKeys::new(&state.config.secrets.audit_keys)?;
    let options = Options {
        plan: given.plan.as_deref().unwrap_or(&state.config.billing.default_plan),
        owner: given.owner,
        private_key: private_key.as_ref(),
        chain_keys: &chain_keys,
        now: state.clock.now(),
    };
    let imported = import(stores(state, databases), &given.file, options).await?;
    let account_id = imported.account_id;
    for change in [
        Invalidation::Account { account_id },
        Invalidation::Features { account_id },
        Invalidation::Automations { account_id },
        Invalidation::Webhooks { account_id },
        Invalidation::PublicStats,
    ] {
        invalidation::announce(&state.redis, &change).await?;
    }
    Ok(imported)
}

/// Makes a key pair, writes the private key into a file that only its owner may read, and returns the public key.
pub fn create_archive_key(file: &Path) -> anyhow::Result<String> {
    let pair = KeyPair::generate()?;
    let shown = file.display();
    let mut options = fs::OpenOptions::new();
    let mut made = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)
        .with_context(|| format!("{shown} cannot be made"))?;
    std::io::Write::write_all(&mut made, format!("{}\n", pair.private.expose()).as_bytes())
        .with_context(|| format!("{shown} cannot be written"))?;
    Ok(pair.public.text())
}

async fn read_key(file: &Path) -> anyhow::Result<Secret> {
    let shown = file.display();
    let mut text = String::new();
    let opened = tokio::fs::File::open(file).await.with_context(|| format!("{shown} cannot be read"))?;
    opened
        .take(MAX_KEY_FILE_BYTES)
        .read_to_string(&mut text)
        .await
        .with_context(|| format!("{shown} cannot be read"))?;
    ensure!(!text.trim().is_empty(), "{shown} is empty");
    Ok(Secret::new(text.trim()))
}
