//! Chat lines as Twitch delivers them, and the times of their replies.

use std::{
    collections::HashMap,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, Result, ensure};
use chrono::{DateTime, Utc};
use demo::StandIn;
use stack::twitch::Twitch;
use tokio::task::JoinSet;

/// Delivers the lines of one channel.
#[derive(Clone)]
pub struct Chat {
    pub twitch: Twitch,
    pub origin: String,
    pub channel: String,
}

/// A line that is answered. Its id is also that of its delivery.
pub struct Line {
    pub id: String,
    pub text: String,
    pub reply: String,
}

impl Chat {
    pub async fn say(&self, text: &str, id: &str) -> Result<()> {
        self.request(text, id)?.send().await?.error_for_status()?;
        Ok(())
    }

    /// Sends `lines` greetings, one every `pace`, independent of the replies; returns each expected reply with the Unix
    /// seconds of its line. `prefix` distinguishes these lines from others.
    pub async fn greet(&self, prefix: &str, lines: u64, pace: Duration) -> Result<HashMap<String, f64>> {
        let line = |number: u64| {
            let name = format!("{prefix}{number}");
            Line {
                id: format!("{prefix}-{number}"),
                text: format!("!hello {name}"),
                reply: format!("Welcome, {name}!"),
            }
        };
        self.deliver((0..lines).map(line).collect(), pace).await
    }

    /// Sends lines, one every `pace`, independent of the replies; returns each expected reply with the Unix seconds of
    /// its line.
    pub async fn deliver(&self, lines: Vec<Line>, pace: Duration) -> Result<HashMap<String, f64>> {
        let mut sent = HashMap::new();
        let mut next = tokio::time::Instant::now();
        let mut calls = JoinSet::new();
        for Line { id, text, reply } in lines {
            tokio::time::sleep_until(next).await;
            next += pace;
            sent.insert(reply, now());
            let request = self.request(&text, &id)?;
            calls.spawn(async move { request.send().await.and_then(reqwest::Response::error_for_status) });
        }
        while let Some(call) = calls.join_next().await {
            call?.context("a delivery was refused")?;
        }
        Ok(sent)
    }

    fn request(&self, text: &str, id: &str) -> Result<reqwest::RequestBuilder> {
        self.twitch.chat_line(&self.origin, &self.channel, text, id)
    }
}

/// Milliseconds from each line to the arrival of its reply at the platform, once all have one or no more arrive.
pub async fn answered(stand_in: &StandIn, sent: &HashMap<String, f64>) -> Result<Vec<f64>> {
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let replies = stand_in.sent("twitch").await?;
        let waits: Vec<f64> = replies
            .iter()
            .filter_map(|reply| {
                let began = sent.get(reply["text"].as_str()?)?;
                let arrived: DateTime<Utc> = serde_json::from_value(reply["sent_at"].clone()).ok()?;
                #[expect(clippy::cast_precision_loss, reason = "microseconds of today fit a double")]
                Some((arrived.timestamp_micros() as f64 / 1e6 - began) * 1000.0)
            })
            .collect();
        if waits.len() >= sent.len() || Instant::now() > until {
            ensure!(!waits.is_empty(), "no line was answered");
            return Ok(waits);
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// Unix seconds.
fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}
