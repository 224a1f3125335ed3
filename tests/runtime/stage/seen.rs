//! Observations of a stage: figures, messages, errors, logs and counts.

use std::time::Duration;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use platforms_stand_in::{Platform, SentMessage};
use shared::schema::timeseries;

use super::{Installed, Stage, Streamer};

impl Stage {
    /// Value of a metric of the worker: of the series whose labels contain `label`; 0 when there is none.
    pub fn figure(&self, name: &str, label: &str) -> i64 {
        let figures = self.worker.context.metrics.render().unwrap();
        let series = format!("{name}{{");
        let mut lines = figures.lines().filter(|line| line.starts_with(&series) && line.contains(label));
        lines.next().and_then(|line| line.rsplit(' ').next()?.parse().ok()).unwrap_or(0)
    }

    /// Waits until the worker has done a number of jobs and sent all telemetry.
    pub async fn done(&self, jobs: i64) {
        self.eventually(&format!("{jobs} jobs are done"), async || {
            let figures = self.worker.context.metrics.render().unwrap();
            figures.lines().any(|line| {
                line.starts_with("lumio_jobs_total{")
                    && line.contains("outcome=\"done\"")
                    && line.contains("queue=\"extension_triggers\"")
                    && line.ends_with(&format!(" {jobs}"))
            })
        })
        .await;
        self.eventually("telemetry is sent", async || {
            self.figure("lumio_runtime_telemetry_buffered", "") == 0
        })
        .await;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }

    /// Texts that were sent to a channel, once there are as many as expected and a short time after.
    pub async fn sent(&self, streamer: &Streamer, count: usize) -> Vec<String> {
        self.eventually(&format!("{count} messages are sent"), async || {
            self.sent_now(streamer).len() >= count
        })
        .await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        self.sent_now(streamer).into_iter().map(|message| message.text).collect()
    }

    pub fn sent_now(&self, streamer: &Streamer) -> Vec<SentMessage> {
        let sent = self.app.platforms.sent_messages(Platform::Twitch);
        sent.into_iter().filter(|message| message.channel_id == streamer.channel.id).collect()
    }

    /// `(error_type, message)` of an install's errors, oldest first, once there are as many as expected.
    pub async fn errors(&self, install: &Installed, count: usize) -> Vec<(String, String)> {
        self.eventually(&format!("{count} errors are recorded"), async || {
            self.errors_now(install).await.len() >= count
        })
        .await;
        self.errors_now(install).await
    }

    pub async fn errors_now(&self, install: &Installed) -> Vec<(String, String)> {
        use timeseries::extension_errors::dsl;
        dsl::extension_errors
            .filter(dsl::install_id.eq(install.id))
            .order((dsl::occurred_at, dsl::id))
            .select((dsl::error_type, dsl::message))
            .load(&mut *self.app.databases.timescaledb.get().await.unwrap())
            .await
            .unwrap()
    }

    /// The lines of an install's log, oldest first, once there are as many as expected.
    pub async fn logs(&self, install: &Installed, count: usize) -> Vec<(String, String)> {
        use timeseries::extension_logs::dsl;
        let read = async || {
            dsl::extension_logs
                .filter(dsl::install_id.eq(install.id))
                .order((dsl::created_at, dsl::id))
                .select((dsl::level, dsl::message))
                .load::<(String, String)>(&mut *self.app.databases.timescaledb.get().await.unwrap())
                .await
                .unwrap()
        };
        self.eventually(&format!("{count} lines are logged"), async || read().await.len() >= count).await;
        read().await
    }

    /// Number of runs of an install's handlers in its metrics.
    pub async fn invocations(&self, install: &Installed) -> i64 {
        use timeseries::extension_invocations::dsl;
        let counts: Vec<i64> = dsl::extension_invocations
            .filter(dsl::install_id.eq(install.id))
            .select(dsl::count)
            .load(&mut *self.app.databases.timescaledb.get().await.unwrap())
            .await
            .unwrap();
        counts.iter().sum()
    }
}
