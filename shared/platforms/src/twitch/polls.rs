//! Polls.

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use serde::Deserialize;
use serde_json::json;

use super::{TwitchClient, message};
use crate::{ChatCredentials, PlatformError, Result, http::Answer};
use shared::engagement::{NewPoll, PlatformPoll, PollChoice, PollEnd, PollStatus};

#[derive(Deserialize)]
struct Polls {
    data: Vec<Poll>,
}

#[derive(Deserialize)]
struct Poll {
    id: String,
    title: String,
    choices: Vec<Choice>,
    status: String,
    /// Seconds.
    duration: i64,
    started_at: DateTime<Utc>,
    ended_at: Option<DateTime<Utc>>,
}

#[derive(Deserialize)]
struct Choice {
    id: String,
    title: String,
    #[serde(default)]
    votes: i64,
}

impl TwitchClient {
    pub(super) async fn begin_poll(
        &self,
        credentials: &ChatCredentials,
        poll: &NewPoll,
    ) -> Result<PlatformPoll> {
        let choices: Vec<_> = poll.choices.iter().map(|title| json!({ "title": title })).collect();
        let body = json!({
            "broadcaster_id": poll.channel_id,
            "title": poll.title,
            "choices": choices,
            "duration": poll.duration.as_secs(),
        });
        let request = self.http.post(self.helix_url(&["polls"])).json(&body);
        let request = self.acting(request, credentials)?;
        the_poll(self.http.send("create_poll", request).await?)
    }

    pub(super) async fn finish_poll(
        &self,
        credentials: &ChatCredentials,
        channel_id: &str,
        poll_id: &str,
        end: PollEnd,
    ) -> Result<PlatformPoll> {
        let status = match end {
            PollEnd::Terminated => "TERMINATED",
            PollEnd::Archived => "ARCHIVED",
        };
        let body = json!({ "broadcaster_id": channel_id, "id": poll_id, "status": status });
        let request = self.http.patch(self.helix_url(&["polls"])).json(&body);
        let request = self.acting(request, credentials)?;
        the_poll(self.http.send("end_poll", request).await?)
    }
}

fn the_poll(answer: Answer) -> Result<PlatformPoll> {
    let poll = answer.success(message)?.json::<Polls>()?.data.into_iter().next();
    let poll = poll.ok_or_else(|| PlatformError::invalid("no poll in the answer"))?;
    let status = PollStatus::parse(&poll.status);
    let started_at = poll.started_at.trunc_subsecs(3);
    let duration = TimeDelta::try_seconds(poll.duration).unwrap_or_default();
    Ok(PlatformPoll {
        id: poll.id,
        title: poll.title,
        choices: poll.choices.into_iter().map(PollChoice::from).collect(),
        status: status.ok_or_else(|| PlatformError::invalid("a poll of an unknown status"))?,
        started_at,
        ends_at: started_at + duration,
        ended_at: poll.ended_at.map(|at| at.trunc_subsecs(3)),
    })
}

impl From<Choice> for PollChoice {
    fn from(choice: Choice) -> Self {
        Self { id: choice.id, title: choice.title, votes: choice.votes }
    }
}
