//! Dispatcher: runs the handlers that an event of an account triggers, and executes their results
//! (reference/handlers.md#scheduling).
//!
//! Moderation comes first: the modules run one after the other in the order of their installation, and the
//! first that requests an action ends the message. Then a command of the account is answered; where there is
//! none of the name, those of extensions run one after the other. Keywords, patterns and events run
//! concurrently. A job is done when all of that is. It runs again when the API was away or there was no slot
//! for an event; a repeated job repeats no action and no finished handler. A line or timer that is too old by
//! then is not answered, because a reply minutes later is useless. Moderation runs however old the line is.

use std::{collections::HashSet, sync::Arc};

use chrono::TimeDelta;
use foundation::jobs::RunTriggers;
use futures::{StreamExt, stream};
use sandbox::bot_result::BotAction;
use shared::clock::Clock;
use tokio_util::sync::CancellationToken;

use super::{
    actions::{ActionContext, Actions, RefusedAction},
    api_failure::ApiFailure,
    commands::{Answers, Commands},
    cooldown::{CommandUse, Cooldowns},
    feed::Feed,
    invoker::{InvocationId, Invoker, Postponed, TriggerContext},
    metrics::{Refusal, RuntimeMetrics},
    progress::{InvocationProgress, JobProgress, ProgressStore},
    telemetry::Telemetry,
    timers::ChatLines,
    triggers::{Call, ChatCalls, CommandLine, Line, Source, Triggers, Unreadable},
};

/// Maximum number of keywords, patterns and events that one message or event triggers; the rest do not run.
const MAX_TRIGGERS_PER_EVENT: usize = 200;
/// Maximum number of those that wait or run concurrently, so that one message does not fill its account's
/// queue.
const MAX_CONCURRENT_CALLS: usize = 16;

/// Handles the jobs of the queue. Cheap to clone.
#[derive(Clone)]
pub struct Dispatcher {
    /// Feed of installs, triggers and commands.
    pub feed: Feed,
    /// Runner of calls.
    pub invoker: Invoker,
    /// Cooldowns of commands.
    pub cooldowns: Cooldowns,
    /// Replies of the account's commands.
    pub answers: Answers,
    /// Counts of chat lines.
    pub lines: ChatLines,
    /// Executor of actions.
    pub actions: Actions,
    /// Progress of repeated jobs.
    pub progress: ProgressStore,
    /// Telemetry of installs.
    pub telemetry: Telemetry,
    /// Metrics of the runtime.
    pub metrics: RuntimeMetrics,
    /// Source of the time.
    pub clock: Clock,
    /// Maximum age of a line or a timer that is answered.
    pub answer_within: TimeDelta,
}

/// Reason why a job failed.
#[derive(Debug, thiserror::Error)]
pub enum JobFailure {
    /// Retry: another run may succeed.
    #[error(transparent)]
    Postponed(#[from] Postponed),
    /// Permanent: no run can succeed.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
}

impl From<Arc<ApiFailure>> for JobFailure {
    fn from(away: Arc<ApiFailure>) -> Self {
        Self::Postponed(away.into())
    }
}

/// Run of a job.
#[derive(Clone, Copy)]
struct JobRun<'a> {
    trigger: TriggerContext<'a>,
    progress: &'a JobProgress,
}

/// Chat line with its triggers.
struct ChatLineContext<'a> {
    line: &'a Line,
    /// Commands of the account, and the line parsed as a command.
    command: Option<(&'a Commands, &'a CommandLine<'a>)>,
    calls: ChatCalls,
}

impl Dispatcher {
    /// Runs everything that the event of a job triggers.
    ///
    /// # Errors
    /// `Unreadable` for an event that cannot be read; `Postponed` while the API is away or there is no slot
    /// for the handlers of an event.
    pub async fn dispatch(&self, job: &RunTriggers) -> Result<(), JobFailure> {
        let Some(source) = Source::of(&job.event, job.channel_id.clone())? else { return Ok(()) };
        let is_answered = !matches!(source, Source::Event(_));
        let trigger = TriggerContext {
            account_id: job.account_id,
            event_id: job.event.id,
            source: &source,
            answer_by: is_answered.then(|| job.event.timestamp + self.answer_within),
        };
        let is_late = trigger.is_late(self.clock.now());
        if is_late {
            self.metrics.refused(Refusal::Late);
        }
        if is_late && !matches!(source, Source::Chat(_)) {
            return Ok(());
        }
        let triggers = self.feed.triggers(job.account_id).await?;
        match &source {
            Source::Chat(line) if is_late => self.late_line(trigger, line, &triggers).await,
            Source::Chat(line) => self.line(trigger, line, &triggers).await,
            Source::Event(event) => self.events(trigger, &triggers.of_event(event)).await,
            Source::Timer(due) => self.events(trigger, triggers.of_timer(due).as_slice()).await,
        }
    }

    async fn line(
        &self,
        trigger: TriggerContext<'_>,
        line: &Line,
        triggers: &Triggers,
    ) -> Result<(), JobFailure> {
        let commands = self.feed.commands(trigger.account_id).await?;
        let command = CommandLine::parse(&line.message.text, commands.prefix());
        let calls = triggers.of_chat(line, command.as_ref());
        let platform = line.message.platform.as_str();
        let is_answered = command.as_ref().is_some_and(|command| commands.find(command, platform).is_some());
        let invocations =
            calls.moderate.len() + calls.commands.len() + calls.others.len() + usize::from(is_answered);
        let progress = self.progress.of(trigger.account_id, trigger.event_id, invocations);
        let command = command.as_ref().map(|command| (&*commands, command));
        self.chat(JobRun { trigger, progress: &progress }, ChatLineContext { line, command, calls }).await?;
        progress.forget().await;
        // At the end, so that a line whose job runs again counts once.
        if triggers.counts_lines() && !line.is_test {
            self.lines.count(trigger.account_id, &line.message.platform).await;
        }
        Ok(())
    }

    /// Moderates a line that is too old to be answered.
    async fn late_line(
        &self,
        trigger: TriggerContext<'_>,
        line: &Line,
        triggers: &Triggers,
    ) -> Result<(), JobFailure> {
        let calls = triggers.of_chat(line, None).moderate;
        let progress = self.progress.of(trigger.account_id, trigger.event_id, calls.len());
        self.run_until_handled(JobRun { trigger, progress: &progress }, &calls).await?;
        progress.forget().await;
        Ok(())
    }

    async fn events(&self, trigger: TriggerContext<'_>, calls: &[Call]) -> Result<(), JobFailure> {
        let progress = self.progress.of(trigger.account_id, trigger.event_id, calls.len());
        self.run_concurrently(JobRun { trigger, progress: &progress }, calls).await?;
        progress.forget().await;
        Ok(())
    }

    async fn chat(&self, job_run: JobRun<'_>, chat_line: ChatLineContext<'_>) -> Result<(), Postponed> {
        if self.run_until_handled(job_run, &chat_line.calls.moderate).await? {
            return Ok(());
        }
        // Run even when the command cannot be finished: the two are independent.
        let (command, others) = futures::join!(
            self.command(job_run, &chat_line),
            self.run_concurrently(job_run, &chat_line.calls.others)
        );
        command.and(others)
    }

    async fn command(&self, job_run: JobRun<'_>, chat_line: &ChatLineContext<'_>) -> Result<(), Postponed> {
        let Some((commands, command)) = chat_line.command else { return Ok(()) };
        if self.answers.answer(job_run.trigger, commands, chat_line.line, command).await? {
            return Ok(());
        }
        self.run_until_handled(job_run, &chat_line.calls.commands).await.map(drop)
    }

    /// Runs calls until one requests an action; true when one did.
    async fn run_until_handled(&self, job_run: JobRun<'_>, calls: &[Call]) -> Result<bool, Postponed> {
        for call in calls {
            if self.run(job_run, call).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn run_concurrently(&self, job_run: JobRun<'_>, calls: &[Call]) -> Result<(), Postponed> {
        let (calls, rest) = calls.split_at(calls.len().min(MAX_TRIGGERS_PER_EVENT));
        self.drop_excess(rest);
        let mut runs = Vec::with_capacity(calls.len());
        for call in calls {
            runs.push(self.run(job_run, call));
        }
        let mut runs = stream::iter(runs).buffer_unordered(MAX_CONCURRENT_CALLS);
        let mut result = Ok(());
        while let Some(end) = runs.next().await {
            result = result.and(end.map(drop));
        }
        result
    }

    /// Counts the calls beyond the limit, and reports them once to each install.
    fn drop_excess(&self, calls: &[Call]) {
        let mut reported = HashSet::new();
        for call in calls {
            self.metrics.refused(Refusal::TooMany);
            if reported.insert(call.install_id) {
                let message = format!(
                    "more than {MAX_TRIGGERS_PER_EVENT} triggers of the account met one message or event"
                );
                self.telemetry.problem(call, "TOO_MANY_TRIGGERS", &message, None);
            }
        }
    }

    /// Runs a call and executes its result; true when it requested an action.
    async fn run(&self, job_run: JobRun<'_>, call: &Call) -> Result<bool, Postponed> {
        let id = InvocationId::of(job_run.trigger.event_id, call);
        let name = id.text();
        // Cancelled on every way out of here: the result was delivered or is given up.
        let delivered = CancellationToken::new();
        let _resume_deferred = delivered.clone().drop_guard();
        let actions = match job_run.progress.of(&name).await {
            Some(InvocationProgress::Done { wanted }) => return Ok(wanted),
            Some(InvocationProgress::Ran { actions }) => actions,
            None if self.cooldown_elapsed(job_run.trigger, call).await => {
                self.invoker.run(job_run.trigger, call, &id, &delivered).await?
            }
            None => {
                self.metrics.refused(Refusal::Cooldown);
                Vec::new()
            }
        };
        let is_wanted = !actions.is_empty();
        if is_wanted && let Err(away) = self.execute(job_run.trigger, call, &name, &actions).await {
            job_run.progress.ran(&name, actions).await;
            return Err(away.into());
        }
        job_run.progress.done(&name, is_wanted).await;
        Ok(is_wanted)
    }

    async fn cooldown_elapsed(&self, trigger: TriggerContext<'_>, call: &Call) -> bool {
        let Some(cooldown) = call.cooldown.as_ref().filter(|_| !trigger.source.is_test()) else {
            return true;
        };
        let of = CommandUse {
            account_id: trigger.account_id,
            event_id: trigger.event_id,
            platform: trigger.source.platform().unwrap_or_default(),
            user_id: trigger.source.user_id().unwrap_or_default(),
            cooldown,
        };
        self.cooldowns.claim(&of).await
    }

    async fn execute(
        &self,
        trigger: TriggerContext<'_>,
        call: &Call,
        invocation_id: &str,
        actions: &[BotAction],
    ) -> Result<(), Arc<ApiFailure>> {
        let Some(install) = self.feed.install(trigger.account_id, call.install_id) else {
            // Killed while its handler ran.
            self.metrics.refused(Refusal::Disabled);
            return Ok(());
        };
        let limits = self.invoker.executor.limits.of(install.extension_id);
        let invocation = ActionContext {
            account_id: trigger.account_id,
            install_id: call.install_id,
            invocation_id,
            source: trigger.source,
            expires_at: trigger.act_by(call, &limits),
        };
        let refused = self.actions.execute(invocation, actions).await.map_err(Arc::new)?;
        for RefusedAction { code, message } in refused {
            self.telemetry.problem(call, &code, &message, None);
        }
        Ok(())
    }
}
