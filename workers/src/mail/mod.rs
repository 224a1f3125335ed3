//! Sending of mails that were written in the transaction of their cause (reference/notifications.md#mail).
//!
//! A mail is a row and a job. Its row is deleted once the mail server has accepted it, or once its file is
//! written. A process that dies in between leaves both, and the mail is sent a second time under the same
//! Message-ID.

mod claim;
mod delivery;
mod message;

use std::sync::Arc;

use anyhow::Context as _;
use apalis::prelude::{AbortError, BoxDynError, Data};
use foundation::jobs::SendMail;
use prometheus::IntCounterVec;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use claim::{Claim, Claimed};
use delivery::{Delivery, Failure};
use message::Writer;
use worker_core::{Context, JOB_DRAIN_TIMEOUT};

#[derive(Clone)]
struct Mailer {
    context: Context,
    writer: Arc<Writer>,
    delivery: Arc<Delivery>,
    mails: IntCounterVec,
}

/// Runs until `shutdown` is cancelled.
pub(crate) async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let mails = context.metrics.counters(
        "lumio_mails_total",
        "Mails by outcome: delivered, dropped, refused or failed.",
        &["outcome"],
    )?;
    let config = &context.config.mail;
    let writer = Writer::new(&config.from, context.config.http.web_url.clone()).context("LUMIO_MAIL_FROM")?;
    let delivery = Delivery::open(&config.delivery).await.context("mails cannot be delivered")?;
    let mailer =
        Mailer { context: context.clone(), writer: Arc::new(writer), delivery: Arc::new(delivery), mails };
    let queue = context.queue::<SendMail>()?;
    let monitor = queue::monitor()
        .shutdown_timeout(JOB_DRAIN_TIMEOUT)
        .register(move |_| queue.worker().data(mailer.clone()).build(send_mail));
    let stop = async move {
        shutdown.cancelled_owned().await;
        Ok(())
    };
    monitor.run_with_signal(stop).await?;
    Ok(())
}

async fn send_mail(job: SendMail, mailer: Data<Mailer>) -> Result<(), BoxDynError> {
    let claim = match claim::take(&mailer.context, job.mail_id).await? {
        Claimed::Mine(claim) => claim,
        Claimed::Gone => return Ok(()),
        Claimed::Others => return Err("somebody else is sending this mail".into()),
    };
    let outcome = mailer.deliver(&claim).await;
    let label = match &outcome {
        Ok(label) => label,
        Err(Failure::Refused(_)) => "refused",
        Err(Failure::Transient(_)) => "failed",
    };
    mailer.mails.with_label_values(&[label]).inc();
    match outcome {
        Ok(label) => {
            tracing::info!(mail_id = %claim.id, template = claim.mail.template(), outcome = label, "mail");
            Ok(claim::settle(&mailer.context, claim.id).await?)
        }
        Err(failure) => {
            release(&mailer.context, claim.id).await;
            Err(match failure {
                // Another attempt would get the same reply.
                Failure::Refused(why) => AbortError::new(why).into(),
                Failure::Transient(why) => why.into(),
            })
        }
    }
}

impl Mailer {
    /// Sends the mail; returns the outcome for the metric.
    async fn deliver(&self, claim: &Claim) -> Result<&'static str, Failure> {
        let Some(address) = &claim.address else { return Ok("dropped") };
        let now = self.context.clock.now();
        let message = self.writer.write(claim.id, address, &claim.mail, now).map_err(Failure::Refused)?;
        self.delivery.deliver(claim.id, &message).await
    }
}

/// Releases the claim early: the next attempt need not wait until it expires.
async fn release(context: &Context, mail_id: Uuid) {
    if let Err(error) = claim::release(context, mail_id).await {
        tracing::warn!(%mail_id, %error, "the claim of a mail was not released; it expires");
    }
}
