//! Sends the mails that were written beside what they tell of (specification C B19).
//!
//! A mail is a row and a job. Its row is deleted once the mail server has taken it, or once its file is written; a
//! process that dies in between leaves both, and the mail goes out a second time under the same Message-ID.

mod claim;
mod delivery;
mod message;

use std::sync::Arc;

use anyhow::Context as _;
use apalis::prelude::{AbortError, BoxDynError, Data};
use prometheus::IntCounterVec;
use shared::jobs::SendMail;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{Context, supervisor::JOB_DRAIN};
use claim::{Claim, Claimed};
use delivery::{Delivery, Failure};
use message::Writer;

#[derive(Clone)]
struct Postman {
    context: Context,
    writer: Arc<Writer>,
    delivery: Arc<Delivery>,
    mails: IntCounterVec,
}

/// Runs until `shutdown` is cancelled.
pub(crate) async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let mails = context.metrics.counters(
        "lumio_mails_total",
        "Mails by what became of them: delivered, dropped, refused or failed.",
        &["outcome"],
    )?;
    let config = &context.config.mail;
    let writer = Writer::new(&config.from, context.config.http.web_url.clone()).context("LUMIO_MAIL_FROM")?;
    let delivery = Delivery::open(&config.delivery).await.context("mails cannot be delivered")?;
    let postman =
        Postman { context: context.clone(), writer: Arc::new(writer), delivery: Arc::new(delivery), mails };
    let queue = context.queue::<SendMail>()?;
    let monitor = queue::monitor()
        .shutdown_timeout(JOB_DRAIN)
        .register(move |_| queue.worker().data(postman.clone()).build(send_mail));
    let stop = async move {
        shutdown.cancelled_owned().await;
        Ok(())
    };
    monitor.run_with_signal(stop).await?;
    Ok(())
}

async fn send_mail(job: SendMail, postman: Data<Postman>) -> Result<(), BoxDynError> {
    let claim = match claim::take(&postman.context, job.mail_id).await? {
        Claimed::Mine(claim) => claim,
        Claimed::Gone => return Ok(()),
        Claimed::Others => return Err("somebody else is sending this mail".into()),
    };
    let outcome = postman.deliver(&claim).await;
    let label = match &outcome {
        Ok(label) => label,
        Err(Failure::Refused(_)) => "refused",
        Err(Failure::Transient(_)) => "failed",
    };
    postman.mails.with_label_values(&[label]).inc();
    match outcome {
        Ok(label) => {
            tracing::info!(mail_id = %claim.id, template = claim.mail.template(), outcome = label, "mail");
            Ok(claim::settle(&postman.context, claim.id).await?)
        }
        Err(failure) => {
            release(&postman.context, claim.id).await;
            Err(match failure {
                // Another attempt would meet the same answer.
                Failure::Refused(why) => AbortError::new(why).into(),
                Failure::Transient(why) => why.into(),
            })
        }
    }
}

impl Postman {
    /// What became of the mail, for the metric.
    async fn deliver(&self, claim: &Claim) -> Result<&'static str, Failure> {
        let Some(address) = &claim.address else { return Ok("dropped") };
        let now = self.context.clock.now();
        let message = self.writer.write(claim.id, address, &claim.mail, now).map_err(Failure::Refused)?;
        self.delivery.deliver(claim.id, &message).await
    }
}

/// The next attempt need not wait until the claim has run out.
async fn release(context: &Context, mail_id: Uuid) {
    if let Err(error) = claim::release(context, mail_id).await {
        tracing::warn!(%mail_id, %error, "a mail stays claimed for a while");
    }
}
