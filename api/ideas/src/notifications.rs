//! Notifications about ideas (reference/ideas.md#notifications). They never reach the person who acts, and
//! name neither that person nor what was written.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use notices::notify::{self, Notice};
use shared::id::UserId;
use uuid::Uuid;

/// Idea that people are notified about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject<'a> {
    /// Idea.
    pub idea: Uuid,
    /// Title of the idea.
    pub title: &'a str,
    /// Person who acts.
    pub actor: UserId,
    /// Time.
    pub now: DateTime<Utc>,
}

impl Subject<'_> {
    /// Notifies people who are mentioned in the idea or in a comment on it.
    ///
    /// # Errors
    /// `DATABASE_ERROR` when the database fails.
    pub async fn mention(
        &self,
        connection: &mut AsyncPgConnection,
        comment: Option<Uuid>,
        people: &[UserId],
    ) -> Result<()> {
        let notice = Notice::IdeaMention { idea_id: self.idea, comment_id: comment, title: self.title };
        self.send(connection, people, &notice).await
    }

    /// Notifies the authors of the idea and of the comment that a comment replies to.
    ///
    /// # Errors
    /// `DATABASE_ERROR` when the database fails.
    pub async fn comment(
        &self,
        connection: &mut AsyncPgConnection,
        comment: Uuid,
        people: &[UserId],
    ) -> Result<()> {
        let notice = Notice::IdeaComment { idea_id: self.idea, comment_id: comment, title: self.title };
        self.send(connection, people, &notice).await
    }

    /// Notifies the author of a new status.
    ///
    /// # Errors
    /// `DATABASE_ERROR` when the database fails.
    pub async fn status(
        &self,
        connection: &mut AsyncPgConnection,
        author: UserId,
        status: &str,
    ) -> Result<()> {
        let notice = Notice::IdeaStatus { idea_id: self.idea, title: self.title, status };
        self.send(connection, &[author], &notice).await
    }

    async fn send(
        &self,
        connection: &mut AsyncPgConnection,
        people: &[UserId],
        notice: &Notice<'_>,
    ) -> Result<()> {
        let mut others: Vec<UserId> = people.iter().copied().filter(|person| *person != self.actor).collect();
        others.sort_unstable();
        others.dedup();
        if others.is_empty() {
            return Ok(());
        }
        notify::notify(connection, &others, notice, self.now).await?;
        Ok(())
    }
}
