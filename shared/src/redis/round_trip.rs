//! Calls that are sent together: each costs its work, but all of them one way to the server and back.

use std::marker::PhantomData;

use redis::{Cmd, ErrorKind, FromRedisValue, Pipeline, Script, ScriptInvocation, ServerErrorKind, Value};

use super::{Connection, Redis};
use crate::{Error, Result};

/// Calls in the order in which the server does them. They are not one step: others may come in between, and a call that
/// fails does not keep the later ones from being done.
#[derive(Default)]
pub struct RoundTrip {
    calls: Pipeline,
    scripts: Vec<&'static Script>,
}

/// The place of an answer of type `T` in [`Answers`].
#[must_use]
#[derive(Debug)]
pub struct Asked<T> {
    index: usize,
    answer: PhantomData<fn() -> T>,
}

/// What the server answered.
#[derive(Debug)]
pub struct Answers(Vec<Value>);

impl RoundTrip {
    /// Adds a command.
    pub fn command<T>(&mut self, command: Cmd) -> Asked<T> {
        self.calls.add_command(command);
        self.last()
    }

    /// Adds a call of a script; `prepare` gives it its keys and arguments. When the server does not know the script,
    /// everything is sent a second time, so that the calls beside it must be such as may be repeated.
    pub fn script<T>(
        &mut self,
        script: &'static Script,
        prepare: impl FnOnce(&mut ScriptInvocation<'static>),
    ) -> Asked<T> {
        let mut call = script.prepare_invoke();
        prepare(&mut call);
        self.calls.invoke_script(&call);
        self.scripts.push(script);
        self.last()
    }

    /// Sends the calls; without any, asks nobody.
    ///
    /// # Errors
    /// When Redis cannot be reached or fails one of the calls.
    pub async fn send(self, redis: &Redis) -> Result<Answers> {
        if self.calls.is_empty() {
            return Ok(Answers(Vec::new()));
        }
        let mut connection = redis.get().await?;
        match self.calls.query_async(&mut *connection).await {
            Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {
                self.load(&mut connection).await?;
                Ok(Answers(self.calls.query_async(&mut *connection).await?))
            }
            answers => Ok(Answers(answers?)),
        }
    }

    async fn load(&self, connection: &mut Connection<'_>) -> Result<()> {
        for script in &self.scripts {
            script.load_async(&mut **connection).await?;
        }
        Ok(())
    }

    fn last<T>(&self) -> Asked<T> {
        Asked { index: self.calls.len().saturating_sub(1), answer: PhantomData }
    }
}

impl Answers {
    /// The answer to a call of this round trip.
    ///
    /// # Errors
    /// When it is of another type.
    pub fn take<T: FromRedisValue>(&mut self, asked: Asked<T>) -> Result<T> {
        let answer = self.0.get_mut(asked.index).map(|answer| std::mem::replace(answer, Value::Nil));
        let answer = answer.ok_or_else(|| Error::Redis("a call has no answer".to_owned()))?;
        Ok(redis::from_redis_value(answer).map_err(redis::RedisError::from)?)
    }
}
