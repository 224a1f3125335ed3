//! One erasure, from its record to its audit entries (reference/privacy.md#order-of-the-erasure).

use std::time::Duration;

use api_core::{ApiError, Cx, Result, access::SystemReason};
use archive_model::stored;
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncConnection, RunQueryDsl};
use foundation::{audit, invalidation::Invalidation};
use serde_json::json;
use sha2::{Digest, Sha256};
use shared::{
    id::UserId,
    schema::privacy_erasures::{self, dsl},
};
use uuid::Uuid;

use super::{
    Identity, account_entries, deletions,
    erased_keys::ErasedKeys,
    kind::Kind,
    lines,
    names::Person,
    queues, redis_keys, runs,
    stores::{MESSAGES, PUBLIC_STREAMS},
    tables, texts,
};

/// Wait before the second pass. It is longer than a worker keeps rows that it has read.
const SETTLE_DELAY: Duration = Duration::from_millis(2500);
/// Largest number of waits for waiting deliveries.
const MAX_WAITS: usize = 4;

/// Person with all known identities.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    /// Identities on platforms.
    pub identities: Vec<Identity>,
    /// Registered user; `None` for a pair of platform and id.
    pub lumio_user: Option<Uuid>,
}

/// Result of an erasure.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    /// Number of deleted messages.
    pub messages: i64,
    /// Number of erased keys and entries in Redis.
    pub keys: i64,
    /// Accounts that lost data.
    pub accounts: Vec<Uuid>,
}

/// Counts of the data that is erased so far. They are reported also when a later step fails.
#[derive(Debug, Default)]
struct Progress {
    rows: tables::Erased,
    kept: ErasedKeys,
}

/// Final state of an erasure.
#[derive(Debug, Clone, Copy)]
enum Status {
    Done,
    /// Data is left, and the caller got an error.
    Failed,
}

/// Record of an erasure (reference/privacy.md#record-of-an-erasure). It names the person only by a hash with
/// a salt of its own. It can be checked later for a given person, but persons cannot be found by trying ids.
struct Note {
    id: Uuid,
    kind: Kind,
    subject_hash: String,
    salt: String,
    requested_by: UserId,
    started_at: DateTime<Utc>,
}

impl Status {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }
}

impl Progress {
    fn outcome(self) -> Outcome {
        let Self { rows, kept } = self;
        let mut accounts: Vec<Uuid> = rows.accounts.into_keys().chain(kept.accounts).collect();
        accounts.sort_unstable();
        accounts.dedup();
        let messages = rows.rows.get(MESSAGES).copied().unwrap_or_default();
        Outcome { messages, keys: kept.keys, accounts }
    }
}

impl Subject {
    /// Subject with one identity.
    pub fn of(identity: Identity) -> Self {
        Self { identities: vec![identity], lumio_user: None }
    }

    fn hash(&self, salt: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(salt);
        for Identity { platform, user_id } in &self.identities {
            hash.update(format!("\0{platform}:{user_id}"));
        }
        if let Some(user) = self.lumio_user {
            hash.update(format!("\0lumio:{user}"));
        }
        hex::encode(hash.finalize())
    }
}

/// Runs an erasure on a task of its own, so that a caller that disconnects leaves no half of a person. Counts
/// of a failed erasure are recorded and reported to the accounts, because the next call no longer finds that
/// data.
pub(super) async fn erase(cx: &Cx, admin: UserId, kind: Kind, subject: Subject) -> Result<Outcome> {
    cx.begin_effect();
    let cx = cx.clone();
    let task = tokio::spawn(async move {
        let note = begin(&cx, admin, kind, &subject).await?;
        let mut progress = Progress::default();
        let erased = erase_everywhere(&cx, &subject, &mut progress).await;
        if progress.rows.rows.contains_key(PUBLIC_STREAMS) {
            cx.changed(Invalidation::PublicStats).await;
        }
        let outcome = progress.outcome();
        let status = if erased.is_ok() { Status::Done } else { Status::Failed };
        let finished = finish(&cx, &note, status, &outcome).await;
        if let (Err(_), Err(error)) = (&erased, &finished) {
            tracing::error!(%error, erasure = %note.id, "what an erasure did before it failed cannot be noted");
        }
        erased.and(finished).map(|()| outcome)
    });
    task.await.map_err(ApiError::internal)?
}

async fn begin(cx: &Cx, admin: UserId, kind: Kind, subject: &Subject) -> Result<Note> {
    let salt = Uuid::new_v4().simple().to_string();
    let note = Note {
        id: shared::id::new(),
        kind,
        subject_hash: subject.hash(&salt),
        salt,
        requested_by: admin,
        started_at: cx.state().clock.now(),
    };
    insert_into(privacy_erasures::table)
        .values((
            dsl::id.eq(note.id),
            dsl::kind.eq(kind.as_str()),
            dsl::subject_hash.eq(&note.subject_hash),
            dsl::salt.eq(&note.salt),
            dsl::requested_by.eq(note.requested_by),
            dsl::started_at.eq(note.started_at),
        ))
        .execute(&mut *cx.state().system(SystemReason::PrivacyErasure).db().await?)
        .await?;
    Ok(note)
}

async fn erase_everywhere(cx: &Cx, subject: &Subject, progress: &mut Progress) -> Result<()> {
    let state = cx.state();
    let Progress { rows, kept } = progress;
    tables::count_recorded_chatters(state).await?;
    let mut people = Vec::with_capacity(subject.identities.len());
    for identity in &subject.identities {
        people.push(Person::read(state, identity).await?);
    }
    for person in &people {
        let identity = person.identity;
        // Jobs and buffered rows first, else they would be written after the rows were erased.
        queues::erase(state, identity, kept).await?;
        redis_keys::erase_buffered(state, identity, kept).await?;
        deletions::erase(state, identity, rows).await?;
        tables::erase(state, identity, false, rows).await?;
        runs::erase(state, identity, rows).await?;
        lines::forget(state, identity, rows).await?;
        redis_keys::erase_keys(state, person, kept).await?;
    }
    if let Some(user) = subject.lumio_user {
        tables::erase_owned(state, user, rows).await?;
    }
    settle(cx, subject).await?;
    tables::count_recorded_chatters(state).await?;
    for person in &people {
        let identity = person.identity;
        queues::erase(state, identity, kept).await?;
        redis_keys::erase_buffered(state, identity, kept).await?;
        deletions::erase(state, identity, rows).await?;
        tables::erase(state, identity, true, rows).await?;
        runs::erase(state, identity, rows).await?;
        lines::forget(state, identity, rows).await?;
        redis_keys::erase_keys(state, person, kept).await?;
    }
    // Logs last: reading them takes longest, and no other step may wait for it.
    for person in &people {
        texts::clear(state, person, rows).await?;
    }
    Ok(())
}

/// Waits until workers have written the rows that they had read and handled the deliveries that waited.
async fn settle(cx: &Cx, subject: &Subject) -> Result<()> {
    if subject.identities.is_empty() {
        return Ok(());
    }
    for _ in 0..MAX_WAITS {
        tokio::time::sleep(SETTLE_DELAY).await;
        if !is_waited_for(cx, subject).await? {
            return Ok(());
        }
    }
    tracing::warn!(
        "deliveries about an erased person wait to be handled: the erasure is to be repeated after that"
    );
    Ok(())
}

async fn is_waited_for(cx: &Cx, subject: &Subject) -> Result<bool> {
    for identity in &subject.identities {
        if tables::is_waited_for(cx.state(), identity).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Writes one audit entry for each account that lost data, discards the archives, which name the person still, and
/// completes the record with one entry for the operators. A failure of one of the first two does not prevent the other.
/// Each step may be repeated, and the next erasure continues the entries of one that was killed or has failed.
async fn finish(cx: &Cx, note: &Note, status: Status, outcome: &Outcome) -> Result<()> {
    let written = write_entries(cx, note, outcome).await;
    let discarded = discard_archives(cx).await;
    let left_out = written?;
    let status = if left_out == 0 && discarded.is_ok() { status } else { Status::Failed };
    complete(cx, note, status, outcome).await?;
    account_entries::continue_interrupted(cx).await;
    discarded?;
    if left_out > 0 {
        let message =
            format!("the audit log of {left_out} accounts takes no entry of the erasure {}", note.id);
        return Err(ApiError::internal(message));
    }
    Ok(())
}

async fn write_entries(cx: &Cx, note: &Note, outcome: &Outcome) -> Result<usize> {
    let mut connection = cx.state().system(SystemReason::PrivacyErasure).db().await?;
    account_entries::begin(&mut connection, note.id, &outcome.accounts).await?;
    drop(connection);
    account_entries::write(cx, note.id, cx.request().truncated_ip().as_deref()).await
}

async fn discard_archives(cx: &Cx) -> Result<()> {
    let now = cx.state().clock.now();
    let mut connection = cx.state().system(SystemReason::PrivacyErasure).db().await?;
    Ok(stored::discard(&mut connection, now).await?)
}

async fn complete(cx: &Cx, note: &Note, status: Status, outcome: &Outcome) -> Result<()> {
    let metadata = json!({
        "subject_hash": note.subject_hash,
        "salt": note.salt,
        "status": status.as_str(),
        "deleted_message_count": outcome.messages,
        "erased_key_count": outcome.keys,
        "affected_accounts": outcome.accounts.len(),
    });
    let entry = cx.audit_system(note.kind.action(), account_entries::RESOURCE_TYPE, note.id);
    let affected = i32::try_from(outcome.accounts.len()).unwrap_or(i32::MAX);
    let now = cx.state().clock.now();
    let mut connection = cx.state().system(SystemReason::PrivacyErasure).db().await?;
    connection
        .transaction(async |connection| {
            diesel::update(dsl::privacy_erasures.find(note.id))
                .set((
                    dsl::status.eq(status.as_str()),
                    dsl::deleted_message_count.eq(outcome.messages),
                    dsl::erased_key_count.eq(outcome.keys),
                    dsl::affected_accounts.eq(affected),
                    dsl::account_ids.eq(Vec::<Uuid>::new()),
                    dsl::entered_accounts.eq(0),
                    dsl::finished_at.eq(now),
                ))
                .execute(connection)
                .await?;
            Ok(audit::record(connection, audit::Entry { metadata, ..entry }).await?)
        })
        .await
}
