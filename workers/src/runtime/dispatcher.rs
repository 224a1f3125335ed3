//! From an event of an account to the handlers it triggers and what they want done (specification C B3.4).
//!
//! Moderation comes first: the modules run one after the other in the order they were installed in, and the first
//! that wants something ends the matter. Then a command of the account is answered; where it has none of the name, those
//! of extensions run one after the other. Keywords, patterns and events run
//! beside each other. A job is done when all of that is; when the API was away it runs again, which repeats no
//! action.

use std::{collections::HashSet, sync::Arc};

use futures::{StreamExt, stream};
use shared::jobs::RunTriggers;

use super::{
    actions::{Actions, RefusedAction},
    api::ApiFailure,
    commands::{Answers, Commands},
    cooldown::{Cooldowns, Use},
    feed::Feed,
    invoker::{Invoker, Occasion, Wanted},
    metrics::{Refusal, RuntimeMetrics},
    telemetry::Telemetry,
    timers::ChatLines,
    triggers::{Call, ChatCalls, CommandLine, Line, Source, Unreadable},
};

/// Keywords, patterns and events that one message or event may trigger; the rest do not run.
const MOST_BESIDE: usize = 200;
/// How many of them wait or run at once, so that one message does not fill its account's lane.
const BESIDE_AT_ONCE: usize = 16;

/// Handles the jobs of the queue. Cheap to clone.
#[derive(Clone)]
pub struct Dispatcher {
    pub feed: Feed,
    pub invoker: Invoker,
    pub cooldowns: Cooldowns,
    pub answers: Answers,
    pub lines: ChatLines,
    pub actions: Actions,
    pub telemetry: Telemetry,
    pub metrics: RuntimeMetrics,
}

/// Why a job could not be done.
#[derive(Debug, thiserror::Error)]
pub enum JobFailure {
    /// Another run may succeed.
    #[error(transparent)]
    Away(#[from] Arc<ApiFailure>),
    /// No run ever will.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
}

impl Dispatcher {
    /// Runs everything that the event of a job triggers.
    ///
    /// # Errors
    /// When the event cannot be read, or the API stays away.
    pub async fn dispatch(&self, job: &RunTriggers) -> Result<(), JobFailure> {
        let Some(source) = Source::of(&job.event, job.channel_id.clone())? else { return Ok(()) };
        let occasion = Occasion { account_id: job.account_id, event_id: job.event.id, source: &source };
        let triggers = self.feed.triggers(job.account_id).await?;
        match &source {
            Source::Chat(line) => {
                let commands = self.feed.commands(job.account_id).await?;
                let said = CommandLine::parse(&line.message.text, commands.prefix());
                let calls = triggers.of_chat(line, said.as_ref());
                if triggers.counts_lines() && !line.is_test {
                    self.lines.count(job.account_id, &line.message.platform).await;
                }
                self.chat(occasion, line, said.as_ref().map(|said| (&*commands, said)), calls).await?;
            }
            Source::Event(event) => self.beside_each_other(occasion, &triggers.of_event(event)).await?,
            Source::Timer(due) => {
                let call = triggers.of_timer(due);
                self.beside_each_other(occasion, call.as_slice()).await?;
            }
        }
        Ok(())
    }

    async fn chat(
        &self,
        occasion: Occasion<'_>,
        line: &Line,
        command: Option<(&Commands, &CommandLine<'_>)>,
        calls: ChatCalls,
    ) -> Result<(), Arc<ApiFailure>> {
        if self.one_after_the_other(occasion, &calls.moderate).await? {
            return Ok(());
        }
        // Run even when the command cannot be finished: the two have nothing to do with each other.
        let (command, others) = futures::join!(
            self.command(occasion, line, command, &calls.commands),
            self.beside_each_other(occasion, &calls.others)
        );
        command.and(others)
    }

    async fn command(
        &self,
        occasion: Occasion<'_>,
        line: &Line,
        command: Option<(&Commands, &CommandLine<'_>)>,
        calls: &[Call],
    ) -> Result<(), Arc<ApiFailure>> {
        let Some((commands, said)) = command else { return Ok(()) };
        let of = (occasion.account_id, occasion.event_id);
        if self.answers.answer(of, commands, line, said).await? {
            return Ok(());
        }
        self.one_after_the_other(occasion, calls).await.map(drop)
    }

    /// Runs calls until one wants something; true when one did.
    async fn one_after_the_other(
        &self,
        occasion: Occasion<'_>,
        calls: &[Call],
    ) -> Result<bool, Arc<ApiFailure>> {
        for call in calls {
            if self.run(occasion, call).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn beside_each_other(&self, occasion: Occasion<'_>, calls: &[Call]) -> Result<(), Arc<ApiFailure>> {
        let (calls, rest) = calls.split_at(calls.len().min(MOST_BESIDE));
        self.leave_out(rest);
        let mut runs = Vec::with_capacity(calls.len());
        for call in calls {
            runs.push(self.run(occasion, call));
        }
        let mut runs = stream::iter(runs).buffer_unordered(BESIDE_AT_ONCE);
        let mut result = Ok(());
        while let Some(end) = runs.next().await {
            result = result.and(end.map(drop));
        }
        result
    }

    /// Counts the calls that were too many and tells each install once.
    fn leave_out(&self, calls: &[Call]) {
        let mut told = HashSet::new();
        for call in calls {
            self.metrics.refused(Refusal::TooMany);
            if told.insert(call.install_id) {
                let message =
                    format!("more than {MOST_BESIDE} triggers of the account met one message or event");
                self.telemetry.problem(call, "TOO_MANY_TRIGGERS", &message, None);
            }
        }
    }

    /// Runs a call and carries out what its handler wants; true when it wanted something.
    async fn run(&self, occasion: Occasion<'_>, call: &Call) -> Result<bool, Arc<ApiFailure>> {
        if !self.is_rested(occasion, call).await {
            self.metrics.refused(Refusal::Cooldown);
            return Ok(false);
        }
        let wanted = self.invoker.run(occasion, call).await?;
        if wanted.actions.is_empty() {
            return Ok(false);
        }
        self.carry_out(occasion, call, &wanted).await?;
        Ok(true)
    }

    async fn is_rested(&self, occasion: Occasion<'_>, call: &Call) -> bool {
        let Some(cooldown) = call.cooldown.as_ref().filter(|_| !occasion.source.is_test()) else {
            return true;
        };
        let of = Use {
            account_id: occasion.account_id,
            event_id: occasion.event_id,
            platform: occasion.source.platform().unwrap_or_default(),
            user_id: occasion.source.user_id().unwrap_or_default(),
            cooldown,
        };
        self.cooldowns.claim(&of).await
    }

    async fn carry_out(
        &self,
        occasion: Occasion<'_>,
        call: &Call,
        wanted: &Wanted,
    ) -> Result<(), Arc<ApiFailure>> {
        if self.feed.install(occasion.account_id, call.install_id).is_none() {
            // Killed while its handler ran.
            self.metrics.refused(Refusal::Disabled);
            return Ok(());
        }
        let refused = self
            .actions
            .carry_out(call.install_id, &wanted.invocation_id, &wanted.actions, occasion.source)
            .await
            .map_err(Arc::new)?;
        for RefusedAction { code, message } in refused {
            self.telemetry.problem(call, &code, &message, None);
        }
        Ok(())
    }
}
