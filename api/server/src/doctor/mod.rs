//! Doctor of a deployment: checks everything that the processes need, and names a remedy for each finding
//! (reference/telemetry.md#doctor-of-a-deployment). It changes nothing that lasts.

mod clocks;
mod files;
mod finding;
mod reach;
mod replica;
mod secrets;
mod stores;
mod work;

use std::time::Duration;

use foundation::{crypto::Keyring, db::Databases, redis::Redis};
use shared::{clock::Clock, config::Config};
use tokio::time::timeout;

pub use finding::{Check, Finding, Report, Severity};

/// Longest time of one check.
const CHECK_TIMEOUT: Duration = Duration::from_secs(20);

/// Parts that the checks share.
struct Deployment<'a> {
    config: &'a Config,
    clock: Clock,
    databases: Databases,
    /// `None` when the URL cannot be used: the check of the stores reports it.
    redis: Option<Redis>,
    /// `None` when the keys cannot be used: the check of the secrets reports it.
    keyring: Option<Keyring>,
}

/// Checks a deployment as a process with this configuration finds it. Failures are findings.
pub async fn examine(config: &Config, clock: Clock) -> Report {
    let deployment = Deployment {
        config,
        clock,
        databases: Databases::new(&config.databases),
        redis: Redis::new(&config.redis).ok(),
        keyring: Keyring::new(config.secrets.encryption_keys.clone()).ok(),
    };
    let this = &deployment;
    let (stores, replica, storage, secrets, encryption) = tokio::join!(
        within("stores", stores::databases_and_redis(this)),
        within("replica", replica::follows(this)),
        within("storage", stores::objects(this)),
        within("secrets", secrets::forms(this)),
        within("encryption", secrets::samples(this)),
    );
    let (clocks, address, fonts, engine) = tokio::join!(
        within("clocks", clocks::compare(this)),
        within("public_address", reach::public_address(this)),
        within("fonts", files::fonts(this)),
        within("engine", files::engine(this)),
    );
    let (queues, workers) =
        tokio::join!(within("queues", work::queues(this)), within("workers", work::daemons(this)));
    Report {
        checks: vec![
            stores, replica, storage, secrets, encryption, clocks, address, fonts, engine, queues, workers,
        ],
    }
}

async fn within(name: &'static str, check: impl Future<Output = Vec<Finding>>) -> Check {
    let findings = timeout(CHECK_TIMEOUT, check).await.unwrap_or_else(|_elapsed| {
        let message = format!("the check took longer than {} s", CHECK_TIMEOUT.as_secs());
        vec![Finding::error("timeout", message, "Repeat the command; read the log of what it waits for.")]
    });
    Check { name, findings }
}
