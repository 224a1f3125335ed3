//! From an event of an account to the handlers it triggers and what they want done (specification C B3.4).
//!
//! Moderation comes first: the modules run one after the other in the order they were installed in, and the first
//! that wants something ends the matter. Then a command of the account is answered; where it has none of the name, those
//! of extensions run one after the other. Keywords, patterns and events run
//! beside each other. A job is done when all of that is; when the API was away or there was no room for an event it runs
//! again, which repeats no action and no handler that has finished. A line or a timer that is too old by then is not
//! answered: an answer minutes later helps nobody. Moderation looks at a line however old it is.

use std::{collections::HashSet, sync::Arc};

use chrono::TimeDelta;
use futures::{StreamExt, stream};
use sandbox::bot_result::BotAction;
use shared::{clock::Clock, jobs::RunTriggers};
use tokio_util::sync::CancellationToken;

use super::{
    actions::{Acting, Actions, RefusedAction},
    api::ApiFailure,
    commands::{Answers, Commands},
    cooldown::{Cooldowns, Use},
    feed::Feed,
    invoker::{InvocationId, Invoker, Occasion, Postponed},
    metrics::{Refusal, RuntimeMetrics},
    notes::{JobNotes, Note, Notes},
    telemetry::Telemetry,
    timers::ChatLines,
    triggers::{Call, ChatCalls, CommandLine, Line, Source, Triggers, Unreadable},
};

/// Keywords, patterns and events that one message or event may trigger; the rest do not run.
const MAX_TRIGGERED: usize = 200;
/// How many of them wait or run at once, so that one message does not fill its account's lane.
const MAX_CONCURRENT: usize = 16;

/// Handles the jobs of the queue. Cheap to clone.
#[derive(Clone)]
pub struct Dispatcher {
    pub feed: Feed,
    pub invoker: Invoker,
    pub cooldowns: Cooldowns,
    pub answers: Answers,
    pub lines: ChatLines,
    pub actions: Actions,
    pub notes: Notes,
    pub telemetry: Telemetry,
    pub metrics: RuntimeMetrics,
    pub clock: Clock,
    /// How old a line or a timer may be to be answered.
    pub answer_within: TimeDelta,
}

/// Why a job could not be done.
#[derive(Debug, thiserror::Error)]
pub enum JobFailure {
    /// Another run may succeed.
    #[error(transparent)]
    Postponed(#[from] Postponed),
    /// No run ever will.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
}

impl From<Arc<ApiFailure>> for JobFailure {
    fn from(away: Arc<ApiFailure>) -> Self {
        Self::Postponed(away.into())
    }
}

/// One run of a job.
#[derive(Clone, Copy)]
struct Work<'a> {
    occasion: Occasion<'a>,
    notes: &'a JobNotes,
}

/// A chat line and what it triggers.
struct Said<'a> {
    line: &'a Line,
    /// The account's commands and the line read as one.
    command: Option<(&'a Commands, &'a CommandLine<'a>)>,
    calls: ChatCalls,
}

impl Dispatcher {
    /// Runs everything that the event of a job triggers.
    ///
    /// # Errors
    /// When the event cannot be read, the API stays away, or there is no room for the handlers of an event.
    pub async fn dispatch(&self, job: &RunTriggers) -> Result<(), JobFailure> {
        let Some(source) = Source::of(&job.event, job.channel_id.clone())? else { return Ok(()) };
        let is_answered = !matches!(source, Source::Event(_));
        let occasion = Occasion {
            account_id: job.account_id,
            event_id: job.event.id,
            source: &source,
            answer_by: is_answered.then(|| job.event.timestamp + self.answer_within),
        };
        let is_late = occasion.is_late(self.clock.now());
        if is_late {
            self.metrics.refused(Refusal::Late);
        }
        if is_late && !matches!(source, Source::Chat(_)) {
            return Ok(());
        }
        let triggers = self.feed.triggers(job.account_id).await?;
        match &source {
            Source::Chat(line) if is_late => self.late_line(occasion, line, &triggers).await,
            Source::Chat(line) => self.line(occasion, line, &triggers).await,
            Source::Event(event) => self.events(occasion, &triggers.of_event(event)).await,
            Source::Timer(due) => self.events(occasion, triggers.of_timer(due).as_slice()).await,
        }
    }

    async fn line(&self, occasion: Occasion<'_>, line: &Line, triggers: &Triggers) -> Result<(), JobFailure> {
        let commands = self.feed.commands(occasion.account_id).await?;
        let command = CommandLine::parse(&line.message.text, commands.prefix());
        let calls = triggers.of_chat(line, command.as_ref());
        let platform = line.message.platform.as_str();
        let is_answered = command.as_ref().is_some_and(|said| commands.find(said, platform).is_some());
        let invocations =
            calls.moderate.len() + calls.commands.len() + calls.others.len() + usize::from(is_answered);
        let notes = self.notes.of(occasion.account_id, occasion.event_id, invocations);
        let command = command.as_ref().map(|command| (&*commands, command));
        self.chat(Work { occasion, notes: &notes }, Said { line, command, calls }).await?;
        notes.forget().await;
        // At the end, so that a line whose job runs again counts once.
        if triggers.counts_lines() && !line.is_test {
            self.lines.count(occasion.account_id, &line.message.platform).await;
        }
        Ok(())
    }

    /// Has a line moderated that is too old to be answered.
    async fn late_line(
        &self,
        occasion: Occasion<'_>,
        line: &Line,
        triggers: &Triggers,
    ) -> Result<(), JobFailure> {
        let calls = triggers.of_chat(line, None).moderate;
        let notes = self.notes.of(occasion.account_id, occasion.event_id, calls.len());
        self.one_after_the_other(Work { occasion, notes: &notes }, &calls).await?;
        notes.forget().await;
        Ok(())
    }

    async fn events(&self, occasion: Occasion<'_>, calls: &[Call]) -> Result<(), JobFailure> {
        let notes = self.notes.of(occasion.account_id, occasion.event_id, calls.len());
        self.beside_each_other(Work { occasion, notes: &notes }, calls).await?;
        notes.forget().await;
        Ok(())
    }

    async fn chat(&self, work: Work<'_>, said: Said<'_>) -> Result<(), Postponed> {
        if self.one_after_the_other(work, &said.calls.moderate).await? {
            return Ok(());
        }
        // Run even when the command cannot be finished: the two have nothing to do with each other.
        let (command, others) =
            futures::join!(self.command(work, &said), self.beside_each_other(work, &said.calls.others));
        command.and(others)
    }

    async fn command(&self, work: Work<'_>, said: &Said<'_>) -> Result<(), Postponed> {
        let Some((commands, command)) = said.command else { return Ok(()) };
        if self.answers.answer(work.occasion, commands, said.line, command).await? {
            return Ok(());
        }
        self.one_after_the_other(work, &said.calls.commands).await.map(drop)
    }

    /// Runs calls until one wants something; true when one did.
    async fn one_after_the_other(&self, work: Work<'_>, calls: &[Call]) -> Result<bool, Postponed> {
        for call in calls {
            if self.run(work, call).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn beside_each_other(&self, work: Work<'_>, calls: &[Call]) -> Result<(), Postponed> {
        let (calls, rest) = calls.split_at(calls.len().min(MAX_TRIGGERED));
        self.leave_out(rest);
        let mut runs = Vec::with_capacity(calls.len());
        for call in calls {
            runs.push(self.run(work, call));
        }
        let mut runs = stream::iter(runs).buffer_unordered(MAX_CONCURRENT);
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
                    format!("more than {MAX_TRIGGERED} triggers of the account met one message or event");
                self.telemetry.problem(call, "TOO_MANY_TRIGGERS", &message, None);
            }
        }
    }

    /// Runs a call and carries out what its handler wants; true when it wanted something.
    async fn run(&self, work: Work<'_>, call: &Call) -> Result<bool, Postponed> {
        let id = InvocationId::of(work.occasion.event_id, call);
        let name = id.text();
        // On every way out of here the result was delivered or is given up.
        let delivered = CancellationToken::new();
        let _deferred_may_go_on = delivered.clone().drop_guard();
        let actions = match work.notes.of(&name).await {
            Some(Note::Done { wanted }) => return Ok(wanted),
            Some(Note::Ran { actions }) => actions,
            None if self.is_rested(work.occasion, call).await => {
                self.invoker.run(work.occasion, call, &id, &delivered).await?
            }
            None => {
                self.metrics.refused(Refusal::Cooldown);
                Vec::new()
            }
        };
        let is_wanted = !actions.is_empty();
        if is_wanted && let Err(away) = self.carry_out(work.occasion, call, &name, &actions).await {
            work.notes.ran(&name, actions).await;
            return Err(away.into());
        }
        work.notes.done(&name, is_wanted).await;
        Ok(is_wanted)
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
        invocation_id: &str,
        actions: &[BotAction],
    ) -> Result<(), Arc<ApiFailure>> {
        if self.feed.install(occasion.account_id, call.install_id).is_none() {
            // Killed while its handler ran.
            self.metrics.refused(Refusal::Disabled);
            return Ok(());
        }
        let invocation = Acting {
            account_id: occasion.account_id,
            install_id: call.install_id,
            invocation_id,
            source: occasion.source,
            expires_at: occasion.act_by(call),
        };
        let refused = self.actions.carry_out(invocation, actions).await.map_err(Arc::new)?;
        for RefusedAction { code, message } in refused {
            self.telemetry.problem(call, &code, &message, None);
        }
        Ok(())
    }
}
