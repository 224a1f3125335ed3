//! Requests with a key, in progress and as they are stored.

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName,
    sql_types::{Binary, Jsonb, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid},
};
use serde_json::Value;
use shared::id::UserId;
use uuid::Uuid;

use super::key::Fingerprint;
use crate::access::{Principal, Rule};

/// Request in progress, as it is stored.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub id: Uuid,
    pub request: Uuid,
    pub rule: &'static Rule,
    pub fingerprint: Fingerprint,
    pub account: Option<Uuid>,
    pub user: Option<Uuid>,
    /// Begin of this execution.
    pub started_at: DateTime<Utc>,
    /// Begin of the first execution.
    pub created_at: DateTime<Utc>,
}

impl Entry {
    /// Entry of a request that begins now.
    pub fn new(
        principal: &Principal,
        now: DateTime<Utc>,
        rule: &'static Rule,
        (request, fingerprint): (Uuid, Fingerprint),
    ) -> Self {
        Self {
            id: shared::id::new(),
            request,
            rule,
            fingerprint,
            account: principal.account().map(Uuid::from),
            user: principal.user().map(|UserId(user)| user),
            started_at: now,
            created_at: now,
        }
    }
}

/// Stored request.
#[derive(Debug, Clone, QueryableByName)]
pub(super) struct Row {
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    #[diesel(sql_type = Binary)]
    pub fingerprint: Vec<u8>,
    /// Null while a claim runs.
    #[diesel(sql_type = Nullable<SmallInt>)]
    pub status: Option<i16>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    pub headers: Option<Value>,
    #[diesel(sql_type = Nullable<Text>)]
    pub answer: Option<String>,
    #[diesel(sql_type = Nullable<Binary>)]
    pub sealed_answer: Option<Vec<u8>>,
    #[diesel(sql_type = Timestamptz)]
    pub started_at: DateTime<Utc>,
    #[diesel(sql_type = Timestamptz)]
    pub created_at: DateTime<Utc>,
}
