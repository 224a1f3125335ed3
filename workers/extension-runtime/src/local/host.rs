//! Host of one local invocation.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, SubsecRound, Utc};
use extension_model::{
    Table,
    limits::{LimitKey, ResolvedLimits},
};
use sandbox::{
    Clock, FetchRequest, FetchResponse, FunctionKind, Host, HostError, HostRequest, LogLine, Push,
};
use serde_json::Value;
use tokio::sync::Semaphore;

use super::{
    actions,
    memory::LocalMemory,
    network::{Missed, Network},
    report::Effect,
    store::{Store, StoreContext},
};
use crate::{
    egress::{AllowList, Budget},
    host::MAX_CONCURRENT_FETCHES,
    push::{MAX_BUFFERED_MESSAGES, checked, too_fast, too_many_buffered},
    storage::Owner,
};

/// Everything that a local invocation reaches.
pub(super) struct LocalReach {
    pub memory: LocalMemory,
    pub network: Network,
    pub allow_list: AllowList,
    pub owner: Owner,
    pub tables: Arc<BTreeMap<String, Table>>,
    pub limits: Arc<ResolvedLimits>,
    pub kind: FunctionKind,
    pub secrets: Arc<BTreeMap<String, String>>,
    /// Permissions that the account granted.
    pub permissions: Arc<[String]>,
    /// Platform of the trigger.
    pub platform: Option<String>,
    pub clock: Arc<dyn Clock>,
}

/// Host of one local invocation.
pub(super) struct LocalHost {
    reach: LocalReach,
    state: Mutex<HostState>,
    fetches: Semaphore,
    answers: Budget,
}

/// Traces of an invocation.
#[derive(Debug, Default)]
pub(super) struct HostState {
    pub lines: Vec<LogLine>,
    pub effects: Vec<Effect>,
    pub reply: Option<Value>,
    pub unanswered: Vec<String>,
    /// Messages of a mutation until its commit.
    held: Vec<Push>,
    /// Storage before the first request of a mutation.
    before: Option<Store>,
}

impl LocalHost {
    /// Host without effects and lines.
    pub fn new(reach: LocalReach) -> Arc<Self> {
        Arc::new(Self {
            reach,
            state: Mutex::default(),
            fetches: Semaphore::new(MAX_CONCURRENT_FETCHES),
            answers: Budget::default(),
        })
    }

    /// Returns the result that reached the caller before the end, when functions were deferred.
    pub fn reply(&self) -> Option<Value> {
        self.state().reply.clone()
    }

    /// Takes the traces at the end. A mutation that failed leaves no change and no message.
    pub fn finish(&self, succeeded: bool) -> HostState {
        let mut state = std::mem::take(&mut *self.state());
        let (before, held) = (state.before.take(), std::mem::take(&mut state.held));
        if succeeded {
            for push in held {
                if self.deliver().is_ok() {
                    state.effects.push(pushed(push));
                }
            }
        } else if let Some(before) = before {
            self.reach.memory.lock().store = before;
        }
        state
    }

    fn state(&self) -> MutexGuard<'_, HostState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> DateTime<Utc> {
        let now = DateTime::from_timestamp_micros(self.reach.clock.unix_micros()).unwrap_or_default();
        now.trunc_subsecs(3)
    }

    fn store(&self, request: &HostRequest) -> Result<Value, HostError> {
        let mut memory = self.reach.memory.lock();
        if self.reach.kind == FunctionKind::Mutation {
            self.state().before.get_or_insert_with(|| memory.store.clone());
        }
        let cx = StoreContext {
            owner: &self.reach.owner,
            tables: &self.reach.tables,
            limits: &self.reach.limits,
            now: self.now(),
        };
        memory.store.perform(&cx, request)
    }

    fn push(&self, push: &Push) -> Result<Value, HostError> {
        checked(push, self.reach.limits.size(LimitKey::PushBytes))?;
        if self.reach.kind == FunctionKind::Mutation {
            let mut state = self.state();
            if state.held.len() >= MAX_BUFFERED_MESSAGES {
                return Err(too_many_buffered());
            }
            state.held.push(push.clone());
            return Ok(Value::Null);
        }
        self.deliver()?;
        self.state().effects.push(pushed(push.clone()));
        Ok(Value::Null)
    }

    /// Counts a message against the limit of this second.
    fn deliver(&self) -> Result<(), HostError> {
        let max = u32::try_from(self.reach.limits.value(LimitKey::PushPerSecond)).unwrap_or(u32::MAX);
        let second = self.now().timestamp();
        let mut memory = self.reach.memory.lock();
        let (last, count) = memory.pushes;
        let count = if last == second { count + 1 } else { 1 };
        memory.pushes = (second, count);
        if count > max { Err(too_fast(max)) } else { Ok(()) }
    }
}

fn pushed(push: Push) -> Effect {
    Effect::Push { push: push.topic, payload: push.payload }
}

#[async_trait::async_trait]
impl Host for LocalHost {
    fn log(&self, line: LogLine) {
        self.state().lines.push(line);
    }

    fn secret(&self, name: &str) -> Option<String> {
        self.reach.secrets.get(name).cloned()
    }

    async fn fetch(&self, request: FetchRequest) -> Result<FetchResponse, HostError> {
        let _permit =
            self.fetches.acquire().await.map_err(|_closed| HostError::internal("ctx.fetch is closed"))?;
        match self.reach.network.fetch(&self.reach.allow_list, request, &self.answers).await {
            Ok(response) => Ok(response),
            Err(Missed::Failed(error)) => Err(error),
            Err(Missed::Unanswered(asked)) => {
                let error = HostError::network(format!("ctx.fetch: the fixture has no answer for {asked}"));
                self.state().unanswered.push(asked);
                Err(error)
            }
        }
    }

    async fn perform(&self, request: HostRequest) -> Result<Value, HostError> {
        match &request {
            HostRequest::CacheGet(_)
            | HostRequest::CacheSet(_)
            | HostRequest::CacheDelete(_)
            | HostRequest::CacheIncrement(_) => {
                let now = self.now().timestamp();
                self.reach.memory.lock().cache.perform(&request, now)
            }
            HostRequest::Push(push) => self.push(push),
            HostRequest::RunAction(asked) => {
                let (platform, permissions) = (self.reach.platform.as_deref(), &self.reach.permissions);
                let (effect, result) = actions::run(asked, platform, permissions)?;
                self.state().effects.push(effect);
                Ok(result)
            }
            _ => self.store(&request),
        }
    }

    fn replied(&self, result: Value) {
        self.state().reply = Some(result);
    }
}
