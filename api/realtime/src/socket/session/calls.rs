//! The `call` frame (reference/realtime.md#calls): functions and storage of an extension, with the rules of
//! their routes.

use std::sync::Arc;

use api_core::{ApiError, Code, Cx, access::SystemReason};
use extension_calls::{FunctionCaller, StorageChange, call_function, set_storage};
use foundation::events::Channel;
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};
use tokio::sync::OwnedSemaphorePermit;
use uuid::Uuid;

use super::{Session, encoded, unavailable};
use crate::{
    gates,
    hub::Hub,
    protocol::{Call, ErrorCode, Refusal, ServerFrame},
    socket::Socket,
};

/// Largest number of concurrent calls of one socket.
pub(super) const MAX_CALLS: usize = 16;

/// One call, which runs beside the session.
struct RunningCall {
    hub: Hub,
    cx: Cx,
    socket: Arc<Socket>,
    channel: Channel,
    install: Uuid,
    request_id: Box<RawValue>,
    _place: OwnedSemaphorePermit,
}

impl Session {
    /// Starts a call. Its result may come after replies to later frames.
    pub(super) fn call(
        &self,
        channel: Channel,
        call: Call,
        request_id: Option<&RawValue>,
    ) -> Result<(), Refusal> {
        let Channel::ExtStorage(install) = channel else {
            return Err(Refusal::new(ErrorCode::Forbidden, "This channel takes no calls"));
        };
        let Some(request_id) = request_id else {
            return Err(Refusal::new(ErrorCode::InvalidMessage, "Missing field: request_id"));
        };
        let place = self.calls.clone().try_acquire_owned().map_err(|_taken| {
            Refusal::new(ErrorCode::RateLimitExceeded, format!("At most {MAX_CALLS} calls at once"))
        })?;
        let asked = RunningCall {
            hub: self.hub.clone(),
            cx: self.cx.clone(),
            socket: Arc::clone(&self.socket),
            channel,
            install,
            request_id: request_id.to_owned(),
            _place: place,
        };
        actix_web::rt::spawn(asked.answer(call));
        Ok(())
    }
}

impl RunningCall {
    async fn answer(self, call: Call) {
        let result = self
            .run(call)
            .await
            .and_then(|value| to_raw_value(&value).map_err(|error| unavailable(ApiError::internal(error))));
        let frame = match &result {
            Ok(data) => encoded(&ServerFrame::Result { request_id: &self.request_id, data }),
            Err(refusal) => encoded(&ServerFrame::Error {
                code: refusal.code,
                message: &refusal.message,
                channel: Some(&self.channel.to_string()),
                request_id: Some(&self.request_id),
            }),
        };
        if let Some(frame) = frame {
            self.hub.push(&self.socket, frame);
        }
    }

    async fn run(&self, call: Call) -> Result<Value, Refusal> {
        let gate = gates::check(&self.hub, &self.cx, self.channel).await.map_err(unavailable)?;
        if let Some((code, message)) = gate.refusal() {
            return Err(Refusal::new(code, message));
        }
        let caller = FunctionCaller::of(&self.cx).await.map_err(unavailable)?;
        let caller = caller.ok_or_else(|| {
            Refusal::new(ErrorCode::Unauthorized, "This credential calls no functions of extensions")
        })?;
        match call {
            Call::Function { name, args } => {
                call_function(&self.cx, &caller, self.install, &name, Some(args)).await.map_err(refusal)
            }
            Call::StorageSet { value } => {
                let change = StorageChange { value, if_version: None };
                let system = self.cx.state().system(SystemReason::ExtensionCall);
                let stored = set_storage(&self.cx, &system, &caller, self.install, change).await;
                let stored = stored.map_err(refusal)?;
                serde_json::to_value(stored).map_err(|error| unavailable(ApiError::internal(error)))
            }
        }
    }
}

/// Refusal for the error of a route.
fn refusal(error: ApiError) -> Refusal {
    let code = match error.code {
        Code::Unauthorized => ErrorCode::Unauthorized,
        Code::Forbidden | Code::PlanLimitReached => ErrorCode::Forbidden,
        Code::FeatureDisabled => ErrorCode::FeatureDisabled,
        Code::RateLimitExceeded => ErrorCode::RateLimitExceeded,
        Code::DatabaseError | Code::RedisError | Code::InternalServerError => ErrorCode::InternalServerError,
        _ => ErrorCode::InvalidMessage,
    };
    Refusal::new(code, error.message)
}
