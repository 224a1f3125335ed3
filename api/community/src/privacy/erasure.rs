//! One erasure from its first note to its audit entries.

use std::time::Duration;

use api_core::{ApiError, Cx, Result};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncConnection, RunQueryDsl};
use serde_json::json;
use sha2::{Digest, Sha256};
use shared::{
    audit::{self, Scope},
    db::schema::privacy_erasures::{self, dsl},
    id::UserId,
};
use uuid::Uuid;

use super::{Identity, deletions, names::Person, queues, redis_keys, stores::MESSAGES, tables, texts};

/// Longer than a worker holds rows that it has read.
const SETTLED_AFTER: Duration = Duration::from_millis(2500);
/// How often deliveries that wait are waited for.
const MAX_WAITS: usize = 4;

/// What is erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    YoutubeMember,
    ChatSubject,
}

/// A person, as they are known here and there.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    pub identities: Vec<Identity>,
    pub lumio_user: Option<Uuid>,
}

/// What was erased.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    pub messages: i64,
    pub keys: i64,
    pub accounts: Vec<Uuid>,
}

/// What is erased so far, counted where it goes, so that it can be told also when the rest fails.
#[derive(Debug, Default)]
struct Progress {
    rows: tables::Erased,
    kept: redis_keys::Erased,
}

/// How an erasure ended.
#[derive(Debug, Clone, Copy)]
enum Status {
    Done,
    /// Something is left, and the caller was told so.
    Failed,
}

/// The note of an erasure. It names the person by a hash only, with a salt of its own: whoever asks later whether this
/// person was erased can be answered, and nobody can be found by trying.
struct Note {
    id: Uuid,
    kind: Kind,
    subject_hash: String,
    salt: String,
    requested_by: UserId,
    started_at: DateTime<Utc>,
}

impl Kind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::YoutubeMember => "youtube_member",
            Self::ChatSubject => "chat_subject",
        }
    }
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

/// Runs on a task of its own: a caller that hangs up must not leave half of a person behind. What was erased before
/// something failed is noted and told to its accounts: the next call does not find it.
pub(super) async fn erase(cx: &Cx, admin: UserId, kind: Kind, subject: Subject) -> Result<Outcome> {
    let cx = cx.clone();
    let task = tokio::spawn(async move {
        let note = begin(&cx, admin, kind, &subject).await?;
        let mut progress = Progress::default();
        let erased = erase_everywhere(&cx, &subject, &mut progress).await;
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
        .execute(&mut *cx.state().databases.postgres.get().await?)
        .await?;
    Ok(note)
}

async fn erase_everywhere(cx: &Cx, subject: &Subject, progress: &mut Progress) -> Result<()> {
    let state = cx.state();
    let Progress { rows, kept } = progress;
    tables::count_what_was_noted(state).await?;
    let mut people = Vec::with_capacity(subject.identities.len());
    for identity in &subject.identities {
        people.push(Person::read(state, identity).await?);
    }
    for person in &people {
        let identity = person.identity;
        // What waits to be done or written first, or it would be written after the rows were erased.
        queues::erase(state, identity, kept).await?;
        redis_keys::erase_buffered(state, identity, kept).await?;
        deletions::erase(state, identity, rows).await?;
        tables::erase(state, identity, false, rows).await?;
        redis_keys::erase_keys(state, person, kept).await?;
    }
    if let Some(user) = subject.lumio_user {
        tables::erase_owned(state, user, rows).await?;
    }
    settle(cx, subject).await?;
    tables::count_what_was_noted(state).await?;
    for person in &people {
        let identity = person.identity;
        queues::erase(state, identity, kept).await?;
        redis_keys::erase_buffered(state, identity, kept).await?;
        deletions::erase(state, identity, rows).await?;
        tables::erase(state, identity, true, rows).await?;
        redis_keys::erase_keys(state, person, kept).await?;
    }
    // Logs last: reading them takes longest, and nothing else may wait for that.
    for person in &people {
        texts::clear(state, person, rows).await?;
    }
    Ok(())
}

/// Waits until workers have written what they had read, and handled what waited.
async fn settle(cx: &Cx, subject: &Subject) -> Result<()> {
    if subject.identities.is_empty() {
        return Ok(());
    }
    for _ in 0..MAX_WAITS {
        tokio::time::sleep(SETTLED_AFTER).await;
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

/// One entry for the operators, and one for each account that lost something.
async fn finish(cx: &Cx, note: &Note, status: Status, outcome: &Outcome) -> Result<()> {
    let entry = match note.kind {
        Kind::YoutubeMember => cx.audit_system("youtube_member_erasure", "privacy_erasure", note.id),
        Kind::ChatSubject => cx.audit_system("chat_pii_erasure", "privacy_erasure", note.id),
    };
    let metadata = json!({
        "subject_hash": note.subject_hash,
        "salt": note.salt,
        "status": status.as_str(),
        "deleted_message_count": outcome.messages,
        "erased_key_count": outcome.keys,
        "affected_accounts": outcome.accounts.len(),
    });
    let of_account = json!({ "subject_hash": note.subject_hash, "salt": note.salt });
    let mut entries = vec![audit::Entry { metadata, ..entry.clone() }];
    entries.extend(outcome.accounts.iter().map(|account| audit::Entry {
        scope: Scope::Account(*account),
        metadata: of_account.clone(),
        ..entry.clone()
    }));
    let affected = i32::try_from(outcome.accounts.len()).unwrap_or(i32::MAX);
    let now = cx.state().clock.now();
    let mut connection = cx.state().databases.postgres.get().await?;
    connection
        .transaction(async |connection| {
            diesel::update(dsl::privacy_erasures.find(note.id))
                .set((
                    dsl::status.eq(status.as_str()),
                    dsl::deleted_message_count.eq(outcome.messages),
                    dsl::erased_key_count.eq(outcome.keys),
                    dsl::affected_accounts.eq(affected),
                    dsl::finished_at.eq(now),
                ))
                .execute(connection)
                .await?;
            Ok(audit::record_each(connection, entries).await?)
        })
        .await
}
