//! Commands that call the API of a deployment with a personal key (reference/extension-kit.md#commands-that-call-the-api).

mod client;
mod logs;
mod upload;

use std::path::PathBuf;

use clap::Args;
use url::Url;

pub use logs::{LogOptions, logs};
pub use upload::{UploadOptions, upload};

/// Deployment and credential.
#[derive(Debug, Clone, Args)]
pub struct RemoteOptions {
    /// Address of the API.
    #[arg(long, env = "LUMIO_URL", value_name = "URL")]
    pub url: Url,
    /// File of the personal key; without it the key is read from LUMIO_TOKEN.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
}
