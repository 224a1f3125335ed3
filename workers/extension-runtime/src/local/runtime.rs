//! Runs of handlers for local triggers.

use std::{collections::BTreeMap, sync::Arc, time::Instant};

use chrono::{DateTime, Utc};
use extension_model::{
    AutomationNode, Function, Manifest,
    calls::{CallerOfFunction, FunctionCall, NodeCall},
    feeds::NodeType,
    limits::ResolvedLimits,
};
use sandbox::{
    Failure, FailureCode, FunctionKind, Handler, Invocation, Limits, Outcome, bot_result::BotResult,
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    LocalInstall, LocalMemory, Network,
    actions::requested,
    host::{HostState, LocalHost, LocalReach},
    moment::Moment,
    recorded::RecordedRun,
    report::RunReport,
    trigger::{FunctionCaller, NodeInput, Trigger, Undeclared},
};
use crate::{
    actions::{ActionContext, request},
    automations::answer,
    executor::{failed, limited},
    feed::Install,
    functions::{InstallOfCall, declarative, handler_run, kind_of, node},
    invoker::{InvocationId, TriggerContext, read_result, run_of},
    run::Run,
    storage::Owner,
    triggers::{Call, CommandLine, Line, Source, TimerRun, Triggers},
};

/// Prefix of commands of an account that has set no other.
const COMMAND_PREFIX: &str = "!";

/// Runs handlers of one version of an extension. Cheap to make; the memory outlives it.
pub struct LocalRuntime {
    /// `None` for a version without code.
    handler: Option<Handler>,
    install: Install,
    pub(super) of_call: InstallOfCall,
    /// Automation node of any kind.
    node: Option<AutomationNode>,
    triggers: Triggers,
    secrets: Arc<BTreeMap<String, String>>,
    permissions: Arc<[String]>,
    pub(super) limits: Arc<ResolvedLimits>,
    pub(super) memory: LocalMemory,
    network: Network,
}

/// Result of a run, before its actions are checked.
struct Ended {
    result: Result<Value, Failure>,
    deferred: Option<Failure>,
    state: HostState,
    report: RunReport,
}

impl LocalRuntime {
    /// Returns a runtime of a loaded module. Every permission of the manifest is granted, and the limits are the
    /// defaults of the platform.
    #[must_use]
    pub fn new(
        handler: Option<Handler>,
        install: &LocalInstall,
        memory: LocalMemory,
        network: Network,
    ) -> Self {
        let Manifest { permissions, automation_node, .. } = &install.manifest;
        Self {
            handler,
            install: install.runnable(),
            of_call: install.of_call(),
            node: automation_node.clone(),
            triggers: Triggers::compile(&install.triggers()),
            secrets: Arc::new(install.secrets.clone()),
            permissions: permissions.as_slice().into(),
            limits: Arc::default(),
            memory,
            network,
        }
    }

    /// Returns the name of the person that the scope `user` of the storage belongs to.
    #[must_use]
    pub fn viewer(trigger: &Trigger) -> Option<String> {
        let by = |platform: &str, id: &str| format!("{platform}:{id}");
        match trigger {
            Trigger::Line(line) => Some(by(&line.message.platform, &line.message.platform_user_id)),
            Trigger::Event(event) => Some(by(event.platform.as_deref()?, event.platform_user_id.as_deref()?)),
            Trigger::Function { caller, .. } => caller.user_id.map(|id| id.to_string()),
            Trigger::Timer { .. } | Trigger::Node(_) => None,
        }
    }

    /// Runs everything that a trigger runs, one handler after the other.
    ///
    /// # Errors
    /// A timer, function or node that the manifest does not declare.
    pub async fn run(&self, trigger: &Trigger, moment: &Moment) -> Result<Vec<RunReport>, Undeclared> {
        let viewer = Self::viewer(trigger);
        match trigger {
            Trigger::Line(line) => Ok(self.line(line, moment).await),
            Trigger::Event(event) => {
                let calls = self.triggers.of_event(event);
                Ok(self.all(&Source::Event(event.clone()), &calls, moment).await)
            }
            Trigger::Timer { name, platform, run } => {
                let (name, platform) = (name.clone(), platform.clone());
                let due = TimerRun { install_id: self.install.id, name, platform, run: *run };
                let call = self.triggers.of_timer(&due).ok_or_else(|| undeclared("timer", &due.name))?;
                Ok(self.all(&Source::Timer(Box::new(due)), &[call], moment).await)
            }
            Trigger::Function { name, args, caller } => {
                let function =
                    self.of_call.functions.get(name).ok_or_else(|| undeclared("function", name))?;
                let call = self.function_call(name, args, caller, moment);
                Ok(vec![self.function(function, &call, viewer, moment).await])
            }
            Trigger::Node(input) => Ok(vec![self.node(input, moment).await?]),
        }
    }

    /// Runs a line as the dispatcher does: moderation first; then a command, beside keywords and patterns.
    async fn line(&self, line: &Line, moment: &Moment) -> Vec<RunReport> {
        let command = CommandLine::parse(&line.message.text, COMMAND_PREFIX);
        let (calls, source) =
            (self.triggers.of_chat(line, command.as_ref()), Source::Chat(Box::new(line.clone())));
        let mut reports = Vec::new();
        if self.until_handled(&source, &calls.moderate, moment, &mut reports).await {
            return reports;
        }
        self.until_handled(&source, &calls.commands, moment, &mut reports).await;
        reports.extend(self.all(&source, &calls.others, moment).await);
        reports
    }

    /// Runs calls until one requests an action; true when one did.
    async fn until_handled(
        &self,
        source: &Source,
        calls: &[Call],
        moment: &Moment,
        reports: &mut Vec<RunReport>,
    ) -> bool {
        for call in calls {
            let (report, is_wanted) = self.call(source, call, moment).await;
            reports.push(report);
            if is_wanted {
                return true;
            }
        }
        false
    }

    async fn all(&self, source: &Source, calls: &[Call], moment: &Moment) -> Vec<RunReport> {
        let mut reports = Vec::new();
        for call in calls {
            reports.push(self.call(source, call, moment).await.0);
        }
        reports
    }

    /// Runs one call; true when its result requests an action.
    async fn call(&self, source: &Source, call: &Call, moment: &Moment) -> (RunReport, bool) {
        let trigger = TriggerContext {
            account_id: self.install.account_id,
            event_id: moment.event_id,
            source,
            answer_by: None,
        };
        let id = InvocationId::of(moment.event_id, call);
        let run = run_of(trigger, call, &self.install, &id);
        let mut requested_actions = BotResult::default();
        let ended = self
            .execute(run, moment, |value| {
                requested_actions = read_result(value.clone())?;
                Ok(value)
            })
            .await;
        let mut report = ended.finish();
        let of = ActionContext {
            account_id: self.install.account_id,
            install_id: self.install.id,
            invocation_id: &id.text(),
            source,
            expires_at: None,
        };
        if report.result.is_ok() {
            for (index, action) in requested_actions.actions.iter().enumerate() {
                let checked = request(of, index, action)
                    .map_err(|refused| super::RefusedEffect { code: refused.code, message: refused.message })
                    .and_then(|request| requested(&request, &self.permissions));
                match checked {
                    Ok(effect) => report.effects.push(effect),
                    Err(refused) => report.refused.push(refused),
                }
            }
        }
        let is_wanted = report.result.is_ok() && !requested_actions.is_none();
        (report, is_wanted)
    }

    fn function_call(
        &self,
        name: &str,
        args: &Value,
        caller: &FunctionCaller,
        moment: &Moment,
    ) -> FunctionCall {
        FunctionCall {
            id: moment.event_id,
            account_id: self.install.account_id,
            install_id: self.install.id,
            extension_id: self.install.extension_id,
            revision: moment.at(),
            function: name.to_owned(),
            node: None,
            args: args.clone(),
            caller: CallerOfFunction {
                user_id: caller.user_id,
                role: caller.role.clone(),
                surface: caller.surface.clone(),
            },
            expires_at: DateTime::<Utc>::MAX_UTC,
        }
    }

    async fn function(
        &self,
        function: &Function,
        call: &FunctionCall,
        viewer: Option<String>,
        moment: &Moment,
    ) -> RunReport {
        let Some(declared) = &function.declarative else {
            return self.execute(handler_run(call, function, &self.of_call), moment, Ok).await.finish();
        };
        let started = Instant::now();
        let request = declarative::request_of(kind_of(function), declared, &call.args);
        let result = request.and_then(|request| {
            self.store(&request, viewer.as_deref(), moment).map_err(|error| declarative::refused(&error))
        });
        RunReport { result, ..report_of(call.function.clone(), "function", started) }
    }

    async fn node(&self, input: &NodeInput, moment: &Moment) -> Result<RunReport, Undeclared> {
        let declared = self.node.as_ref().ok_or_else(|| Undeclared("automation_node".to_owned()))?;
        let is_trigger = declared.node_type == NodeType::Trigger;
        let run = match input {
            NodeInput::Step { config, input } if !is_trigger => {
                let args = json!({ "config": config, "input": input });
                let caller = FunctionCaller { user_id: None, role: String::new(), surface: String::new() };
                let call = self.function_call("", &args, &caller, moment);
                let of = NodeCall { automation_id: Uuid::nil(), is_test: true };
                node::run_of(&call, of, declared, &self.of_call)
            }
            NodeInput::Poll { state, config } if is_trigger => {
                let input = json!({ "source": "poll", "state": state, "config": config });
                Run { limits: Limits::poll(), ..self.trigger_run(declared, input, moment) }
            }
            NodeInput::Webhook { body, headers, state, config } if is_trigger => {
                let input = json!({
                    "source": "webhook", "body": body, "headers": headers, "state": state, "config": config,
                });
                self.trigger_run(declared, input, moment)
            }
            _ if is_trigger => return Err(Undeclared("action or logic node".to_owned())),
            _ => return Err(Undeclared("trigger node".to_owned())),
        };
        let read = |value: Value| -> Result<Value, Failure> {
            if is_trigger { answer::read(value.clone()).map(|_| value) } else { node::read(value, declared) }
        };
        Ok(self.execute(run, moment, read).await.finish())
    }

    /// Returns the run of a trigger node.
    fn trigger_run(&self, declared: &AutomationNode, input: Value, moment: &Moment) -> Run {
        let caller = FunctionCaller { user_id: None, role: String::new(), surface: String::new() };
        let call = self.function_call("", &Value::Null, &caller, moment);
        let of = NodeCall { automation_id: Uuid::nil(), is_test: true };
        Run { input, ..node::run_of(&call, of, declared, &self.of_call) }
    }

    async fn execute(
        &self,
        run: Run,
        moment: &Moment,
        read: impl FnOnce(Value) -> Result<Value, Failure>,
    ) -> Ended {
        let started = Instant::now();
        let run = Run { limits: limited(run.limits.clone(), &self.limits), ..run };
        let mut report = report_of(run.handler.to_string(), run.trigger, started);
        let Some(handler) = &self.handler else {
            let failure = failed(FailureCode::UnknownHandler, "Error", "the bundle has no server.js");
            return Ended { result: Err(failure), deferred: None, state: HostState::default(), report };
        };
        let host = LocalHost::new(self.reach(&run, moment));
        let invocation = Invocation {
            kind: run.kind,
            context: run.context.clone(),
            limits: run.limits.clone(),
            clock: moment.clock(),
            seed: run.seed,
            secrets: self.secret_settings().to_vec(),
            record: true,
            ..Invocation::new(&*run.handler, run.input.clone())
        };
        let Outcome { result, deferred, metrics, recording } = handler.invoke(invocation, host.clone()).await;
        let replied = host.reply();
        let result = replied.map_or(result, Ok).and_then(read);
        let state = host.finish(result.is_ok());
        report.wall = metrics.wall;
        if let (Some(failure), Some(recording)) = (result.as_ref().err().or(deferred.as_ref()), recording)
            && !matches!(failure.code, FailureCode::Internal | FailureCode::Overloaded)
        {
            let recorded = RecordedRun::new(run, self.secret_settings(), failure.clone(), recording);
            report.recorded = Some(Box::new(recorded));
        }
        Ended { result, deferred, state, report }
    }

    fn secret_settings(&self) -> &[String] {
        &self.of_call.runnable.secret_settings
    }

    fn reach(&self, run: &Run, moment: &Moment) -> LocalReach {
        let secrets = if run.kind == FunctionKind::Action { self.secrets.clone() } else { Arc::default() };
        LocalReach {
            memory: self.memory.clone(),
            network: self.network.clone(),
            allow_list: self.of_call.runnable.allow_list.clone(),
            owner: self.owner(run.viewer.clone()),
            tables: self.of_call.runnable.tables.clone(),
            limits: self.limits.clone(),
            kind: run.kind,
            secrets,
            permissions: self.permissions.clone(),
            platform: run.platform.clone(),
            clock: moment.clock(),
        }
    }

    /// Returns the owner of the data that an invocation for a person reaches.
    pub(super) fn owner(&self, viewer: Option<String>) -> Owner {
        Owner {
            extension_id: self.install.extension_id,
            account_id: self.install.account_id,
            install_id: self.install.id,
            viewer,
        }
    }
}

impl Ended {
    fn finish(self) -> RunReport {
        RunReport {
            result: self.result,
            deferred: self.deferred,
            effects: self.state.effects,
            logs: self.state.lines,
            unanswered: self.state.unanswered,
            ..self.report
        }
    }
}

fn undeclared(kind: &str, name: &str) -> Undeclared {
    Undeclared(format!("{kind} `{name}`"))
}

fn report_of(handler: String, trigger: &'static str, started: Instant) -> RunReport {
    RunReport {
        handler,
        trigger,
        result: Ok(Value::Null),
        deferred: None,
        effects: Vec::new(),
        refused: Vec::new(),
        logs: Vec::new(),
        unanswered: Vec::new(),
        wall: started.elapsed(),
        recorded: None,
    }
}
