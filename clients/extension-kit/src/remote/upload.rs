//! `lumio-ext upload` (reference/extension-kit.md#upload).

use std::{io::Write, path::Path, time::Duration};

use anyhow::{Context, Result, bail};
use clap::Args;
use reqwest::{
    Method,
    multipart::{Form, Part},
};
use serde_json::Value;
use uuid::Uuid;

use super::{RemoteOptions, client::Client};
use crate::{
    check::{bundle_of, findings, report},
    output::{Outcome, print},
    pack,
};

/// Maximum time of an upload; a bundle may have 50 MB.
const UPLOAD_TIMEOUT: Duration = Duration::from_secs(300);

/// Form of an upload.
#[derive(Debug, Clone, Args)]
pub struct UploadOptions {
    /// Semantic version; equals that of the manifest.
    #[arg(long)]
    pub version: String,
    /// Id of the extension; that of the manifest when absent.
    #[arg(long)]
    pub extension: Option<Uuid>,
    /// Text for accounts about what changes.
    #[arg(long, default_value = "")]
    pub changelog: String,
    /// Accounts must accept the version before they get it.
    #[arg(long)]
    pub breaking: bool,
}

/// Packs and uploads a version. Prints its state, or the findings of the upload with their places.
///
/// # Errors
/// Files that cannot be read, an API that cannot be reached, and a refusal that is not about the extension.
pub async fn upload(
    target: &Path,
    options: &UploadOptions,
    remote: &RemoteOptions,
    out: &mut dyn Write,
) -> Result<Outcome> {
    let packed = pack::bytes(target)?;
    let bundle = bundle_of(&packed);
    let extension = options.extension.or_else(|| extension_of(bundle.manifest.as_deref()));
    let extension =
        extension.context("lumio.config.json has no extensionId: name the extension by --extension")?;
    let client = Client::new(remote)?;
    let archive = Part::bytes(packed).file_name("bundle.tar.gz").mime_str("application/gzip")?;
    let form = Form::new()
        .text("version", options.version.clone())
        .text("changelog", options.changelog.clone())
        .text("breaking", options.breaking.to_string())
        .part("bundle", archive);
    let request = client.request(Method::POST, &format!("/developer/v1/extensions/{extension}/versions"));
    match client.send(request.multipart(form).timeout(UPLOAD_TIMEOUT)).await? {
        Ok(answer) => {
            let version = &answer["version"];
            let text = |key: &str| version[key].as_str().unwrap_or_default().to_owned();
            print(out, format_args!("{} {} ({})", text("version"), text("status"), text("id")))?;
            Ok(Outcome::Good)
        }
        Err(refusal) if !refusal.fields.is_empty() => {
            report(&findings(target, &bundle, &refusal.fields), false, out)?;
            Ok(Outcome::Bad)
        }
        Err(refusal) => bail!("the upload is refused: {} {}", refusal.status.as_u16(), refusal.message),
    }
}

fn extension_of(manifest: Option<&[u8]>) -> Option<Uuid> {
    let manifest: Value = serde_json::from_slice(manifest?).ok()?;
    manifest.get("extensionId")?.as_str()?.parse().ok()
}
