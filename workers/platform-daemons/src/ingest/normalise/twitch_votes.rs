//! EventSub notifications of polls and predictions, as their new state.

use shared::engagement::{
    PlatformPoll, PlatformPrediction, PollChoice, PollStatus, PredictionOutcome, PredictionStatus,
};

use super::{Unreadable, fields::Fields};

/// Vote of viewers.
#[derive(Debug, Clone, PartialEq)]
pub enum Vote {
    /// A poll.
    Poll(PlatformPoll),
    /// A prediction.
    Prediction(PlatformPrediction),
}

/// Returns the poll or prediction of a notification; `None` for other notifications.
pub(super) fn vote(event_type: &str, event: &Fields<'_>) -> Result<Option<Vote>, Unreadable> {
    Ok(Some(match event_type {
        "channel.poll.begin" | "channel.poll.progress" => Vote::Poll(poll(event, PollStatus::Active)?),
        "channel.poll.end" => {
            let status = PollStatus::parse(&event.text("status")?);
            Vote::Poll(poll(event, status.unwrap_or(PollStatus::Invalid))?)
        }
        "channel.prediction.begin" | "channel.prediction.progress" => {
            Vote::Prediction(prediction(event, PredictionStatus::Active)?)
        }
        "channel.prediction.lock" => Vote::Prediction(prediction(event, PredictionStatus::Locked)?),
        "channel.prediction.end" => {
            let status = PredictionStatus::parse(&event.text("status")?);
            let status = status.ok_or_else(|| event.lacks("status that is known"))?;
            Vote::Prediction(prediction(event, status)?)
        }
        _ => return Ok(None),
    }))
}

fn poll(event: &Fields<'_>, status: PollStatus) -> Result<PlatformPoll, Unreadable> {
    let started_at = event.time("started_at").ok_or_else(|| event.lacks("started_at"))?;
    let ended_at = event.time("ended_at");
    let choices = event.objects("choices").into_iter().map(|choice| {
        Ok(PollChoice {
            id: choice.text("id")?,
            title: choice.text("title")?,
            votes: choice.number("votes").unwrap_or(0),
        })
    });
    Ok(PlatformPoll {
        id: event.text("id")?,
        title: event.text("title")?,
        choices: choices.collect::<Result<_, Unreadable>>()?,
        status,
        started_at,
        ends_at: event.time("ends_at").or(ended_at).unwrap_or(started_at),
        ended_at,
    })
}

fn prediction(event: &Fields<'_>, status: PredictionStatus) -> Result<PlatformPrediction, Unreadable> {
    let started_at = event.time("started_at").ok_or_else(|| event.lacks("started_at"))?;
    let locks_at = event.time("locked_at").or_else(|| event.time("locks_at"));
    let outcomes = event.objects("outcomes").into_iter().map(|outcome| {
        Ok(PredictionOutcome {
            id: outcome.text("id")?,
            title: outcome.text("title")?,
            users: outcome.number("users").unwrap_or(0),
            channel_points: outcome.number("channel_points").unwrap_or(0),
        })
    });
    let ended_at = event.time("ended_at");
    Ok(PlatformPrediction {
        id: event.text("id")?,
        title: event.text("title")?,
        outcomes: outcomes.collect::<Result<_, Unreadable>>()?,
        status,
        winning_outcome_id: event.optional_text("winning_outcome_id"),
        started_at,
        locks_at: locks_at.or(ended_at).unwrap_or(started_at),
        ended_at,
    })
}
