//! Calls that are sent together and cost one round trip.

use std::marker::PhantomData;

use redis::{
    Cmd, ErrorKind, FromRedisValue, Pipeline, RedisResult, Script, ScriptInvocation, ServerErrorKind, Value,
};

use super::{Connection, Redis};
use shared::{Error, Result};

/// Calls in the order in which one server runs them. In a cluster those of different slots run at the same time, except
/// across a [barrier](Self::barrier). They are not atomic: calls of others may come in between, and a failed call does
/// not stop the later ones.
#[derive(Default)]
pub struct RoundTrip {
    calls: Pipeline,
    scripts: Vec<&'static Script>,
    /// Numbers of calls before each barrier.
    barriers: Vec<usize>,
}

/// Position of a reply of type `T` in [`Answers`].
#[must_use]
#[derive(Debug)]
pub struct PendingReply<T> {
    index: usize,
    answer: PhantomData<fn() -> T>,
}

/// Replies of the server.
#[derive(Debug)]
pub struct Answers(Vec<Value>);

impl RoundTrip {
    /// Adds a command.
    pub fn command<T>(&mut self, command: Cmd) -> PendingReply<T> {
        self.calls.add_command(command);
        self.last()
    }

    /// Adds a call of a script. `prepare` sets its keys and arguments. When the server does not know the
    /// script, all calls are sent a second time, so the other calls must be repeatable.
    pub fn script<T>(
        &mut self,
        script: &'static Script,
        prepare: impl FnOnce(&mut ScriptInvocation<'static>),
    ) -> PendingReply<T> {
        let mut call = script.prepare_invoke();
        prepare(&mut call);
        self.calls.invoke_script(&call);
        self.scripts.push(script);
        self.last()
    }

    /// Has later calls run after all earlier ones. In a cluster this costs one more round trip.
    pub fn barrier(&mut self) {
        self.barriers.push(self.calls.len());
    }

    /// Sends the calls. Without calls, nothing is sent.
    ///
    /// # Errors
    /// A failure of Redis, or a call that fails.
    pub async fn send(self, redis: &Redis) -> Result<Answers> {
        if self.calls.is_empty() {
            return Ok(Answers(Vec::new()));
        }
        let mut connection = redis.get().await?;
        let barriers = if redis.is_cluster() { self.barriers.as_slice() } else { &[] };
        match self.run(&mut connection, barriers).await {
            Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {
                self.load(&mut connection).await?;
                Ok(Answers(self.run(&mut connection, barriers).await?))
            }
            answers => Ok(Answers(answers?)),
        }
    }

    async fn run(&self, connection: &mut Connection<'_>, barriers: &[usize]) -> RedisResult<Vec<Value>> {
        if barriers.is_empty() {
            return self.calls.query_async(&mut **connection).await;
        }
        let (mut answers, mut calls) = (Vec::with_capacity(self.calls.len()), self.calls.cmd_iter());
        for end in barriers.iter().copied().chain([self.calls.len()]) {
            let mut part = Pipeline::new();
            for call in calls.by_ref().take(end.saturating_sub(answers.len())) {
                part.add_command(call.clone());
            }
            if !part.is_empty() {
                answers.extend(part.query_async::<Vec<Value>>(&mut **connection).await?);
            }
        }
        Ok(answers)
    }

    async fn load(&self, connection: &mut Connection<'_>) -> Result<()> {
        for script in &self.scripts {
            script.load_async(&mut **connection).await?;
        }
        Ok(())
    }

    fn last<T>(&self) -> PendingReply<T> {
        PendingReply { index: self.calls.len().saturating_sub(1), answer: PhantomData }
    }
}

impl Answers {
    /// Reply to a call of this round trip.
    ///
    /// # Errors
    /// A reply of another type.
    pub fn take<T: FromRedisValue>(&mut self, asked: PendingReply<T>) -> Result<T> {
        let answer = self.0.get_mut(asked.index).map(|answer| std::mem::replace(answer, Value::Nil));
        let answer = answer.ok_or_else(|| Error::Redis("a call has no answer".to_owned()))?;
        Ok(redis::from_redis_value(answer).map_err(redis::RedisError::from)?)
    }
}
