//! Transports of mails: a mail server, a folder, or none.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context as _;
use lettre::{
    AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    transport::smtp::{self, PoolConfig},
};
use shared::config::MailDelivery;
use uuid::Uuid;

/// Maximum wait for the mail server, at every step of the conversation.
const STEP_TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum duration of the whole conversation: shorter than a job may run.
const CONVERSATION_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum number of connections to the mail server.
const MAX_CONNECTIONS: u32 = 4;
/// Reply codes about our own credentials (RFC 4954). An operator can fix them, so the mail waits.
const CREDENTIAL_CODES: [u16; 4] = [530, 534, 535, 538];

/// Transport of this deployment's mails.
pub enum Delivery {
    /// Sends over SMTP.
    Smtp(AsyncSmtpTransport<Tokio1Executor>),
    /// Writes one file for each mail into a folder.
    Folder(PathBuf),
    /// Drops mails: no transport is configured.
    Dropped,
}

/// Reason why a mail was not sent. Neither text names the recipient.
pub enum Failure {
    /// Permanent: another attempt would fail too.
    Refused(String),
    /// Transient: another attempt may succeed.
    Transient(String),
}

impl Delivery {
    /// Opens the configured transport.
    pub async fn open(config: &MailDelivery) -> anyhow::Result<Self> {
        Ok(match config {
            MailDelivery::Smtp(url) => {
                // The library's message would show the URL with its password.
                let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(url.expose())
                    .map_err(|_unusable| anyhow::anyhow!("LUMIO_SMTP_URL is not usable"))?;
                let pool = PoolConfig::new().max_size(MAX_CONNECTIONS);
                Self::Smtp(transport.timeout(Some(STEP_TIMEOUT)).pool_config(pool).build())
            }
            MailDelivery::Folder(folder) => {
                tokio::fs::create_dir_all(folder)
                    .await
                    .with_context(|| format!("LUMIO_MAIL_DIR: {} cannot be made", folder.display()))?;
                Self::Folder(folder.clone())
            }
            MailDelivery::Dropped => {
                tracing::warn!("LUMIO_SMTP_URL is not set: mails are logged and dropped");
                Self::Dropped
            }
        })
    }

    /// Delivers a message. Returns the outcome for the metric.
    pub async fn deliver(&self, mail_id: Uuid, message: &Message) -> Result<&'static str, Failure> {
        match self {
            Self::Smtp(transport) => {
                let conversation =
                    tokio::time::timeout(CONVERSATION_TIMEOUT, transport.send(message.clone()));
                match conversation.await {
                    Ok(Ok(_)) => Ok("delivered"),
                    Ok(Err(error)) => Err(failure(&error)),
                    Err(_elapsed) => Err(Failure::Transient("the mail server took too long".into())),
                }
            }
            Self::Folder(folder) => write(folder, mail_id, &message.formatted())
                .await
                .map(|()| "delivered")
                .map_err(|error| Failure::Transient(format!("the mail could not be written: {error}"))),
            Self::Dropped => Ok("dropped"),
        }
    }
}

/// Writes under a temporary name first: a file with its final name is complete.
async fn write(folder: &Path, mail_id: Uuid, message: &[u8]) -> std::io::Result<()> {
    let draft = folder.join(format!(".{mail_id}.draft"));
    tokio::fs::write(&draft, message).await?;
    tokio::fs::rename(draft, folder.join(format!("{mail_id}.eml"))).await
}

/// Describes an error by its code only: the server's text can repeat the recipient's address.
fn failure(error: &smtp::Error) -> Failure {
    match error.status().map(u16::from) {
        Some(code) if error.is_permanent() && !CREDENTIAL_CODES.contains(&code) => {
            Failure::Refused(format!("the mail server refuses the mail with {code}"))
        }
        Some(code) => Failure::Transient(format!("the mail server answers {code}")),
        None if error.is_timeout() => Failure::Transient("the mail server does not answer in time".into()),
        None if error.is_tls() => Failure::Transient("the mail server's encryption fails".into()),
        None => Failure::Transient("the mail server cannot be reached or ended the conversation".into()),
    }
}
