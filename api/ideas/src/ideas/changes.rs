//! Changes of ideas by their authors and by moderators (reference/ideas.md#changes).

use api_core::{
    Cx, Input, Operation, Result,
    access::{Grants, Participant},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit::{self, Entry};
use serde_json::json;
use shared::catalogue::{Feature, UserPermission};
use uuid::Uuid;

use super::{GqlIdea, UpdateIdeaInput, db, input::Changes, row};
use crate::{
    categories,
    html::Html,
    limits::Limit,
    mentions::{self, Text},
    notifications::Subject,
    people,
    rights::{Part, Rights, entry},
    stored::{self, StoredIdea},
    tags,
    timeline::{self, IdeaTimelineAction},
};

pub static UPDATE_IDEA: Operation<Participant> = Operation::user_or_admin(
    "updateIdea",
    &[UserPermission::IdeasEdit, UserPermission::IdeasModerateEdit],
    Grants::Nothing,
)
.feature(Feature::IdeasHub);

/// Changes title, description, category or tags of an idea.
///
/// Absent fields stay, and an equal value changes nothing. Authors change their own ideas, moderators every
/// idea. People whom the description did not mention before are notified.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field, and for a mention of a person who does not exist; 403 for the
/// idea of another person without the permission of moderators; 404 for an unknown idea, category or tag; 429 beyond 30
/// changes of own ideas and comments an hour.
#[api_core::operation]
pub async fn update_idea(cx: &Cx, id: Input<Uuid>, input: Input<UpdateIdeaInput>) -> Result<GqlIdea> {
    let caller = cx.authorize(&UPDATE_IDEA).await?;
    let (id, changes) = (id?, input?.check()?);
    let rights = Rights::of(cx, UserPermission::IdeasEdit, UserPermission::IdeasModerateEdit).await?;
    let (user, now) = (caller.user, cx.state().clock.now());
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let found = stored::find(connection, id).await?;
            let part = rights.over(found.author == user)?;
            people::lock_key_share(cx, connection, user, &[]).await?;
            if let Some(description) = &changes.description {
                mentions::require(connection, "description", &description.mentions).await?;
            }
            if is_limited(connection, id, &found, part, &changes).await? {
                Limit::Edits.take(cx, user).await?;
            }
            let idea = stored::lock(connection, id).await?;
            let (title, description) = stored::texts(connection, id).await?;
            let texts = changed_texts(&changes, &title, &description);
            let mut entries = Vec::new();
            entries.extend(change_texts(connection, id, &title, texts).await?);
            let category = change_category(connection, &idea, changes.category).await?;
            let category_id = category.is_some().then_some(changes.category).flatten();
            entries.extend(category);
            entries.extend(change_tags(connection, id, changes.tags.as_deref()).await?);
            if entries.is_empty() {
                return row::find(connection, id, Some(user)).await;
            }
            db::update(connection, id, &db::Columns { category_id, status: None, updated_at: now }).await?;
            timeline::add(connection, id, user, &entries, now).await?;
            if let Some(description) = texts.description {
                let text = Text::Description(id);
                let mentioned = mentions::add(connection, text, &description.mentions).await?;
                let title = texts.title.unwrap_or(&title);
                Subject { idea: id, title, actor: user, now }.mention(connection, None, &mentioned).await?;
            }
            let changed: Vec<_> = entries.iter().map(|entry| entry.action).collect();
            let metadata = json!({ "changes": changed, "author_id": idea.author });
            let entry = entry(cx, "idea:updated", "idea", id, part);
            audit::record(connection, Entry { metadata, ..entry }).await?;
            row::find(connection, id, Some(user)).await
        })
        .await
}

/// True for a change that counts: each of an author, because it adds to the timeline, and of a moderator one that
/// mentions further people.
async fn is_limited(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    stored: &StoredIdea,
    part: Part,
    changes: &Changes,
) -> Result<bool> {
    let (title, description) = stored::texts(connection, id).await?;
    let texts = changed_texts(changes, &title, &description);
    match (part, texts.description) {
        (Part::Moderator, None) => Ok(false),
        (Part::Moderator, Some(new)) => {
            mentions::has_new(connection, Text::Description(id), &new.mentions).await
        }
        (Part::Author, _) => Ok(!texts.is_empty()
            || changes.category.is_some_and(|category| category != stored.category)
            || match &changes.tags {
                Some(wanted) => tag_ids(&db::tags(connection, id).await?) != *wanted,
                None => false,
            }),
    }
}

/// Texts that differ from the stored ones.
#[derive(Debug, Clone, Copy)]
struct ChangedTexts<'a> {
    title: Option<&'a str>,
    description: Option<&'a Html>,
}

impl ChangedTexts<'_> {
    const fn is_empty(&self) -> bool {
        self.title.is_none() && self.description.is_none()
    }
}

fn changed_texts<'a>(changes: &'a Changes, title: &str, description: &str) -> ChangedTexts<'a> {
    ChangedTexts {
        title: changes.title.as_deref().filter(|new| *new != title),
        description: changes.description.as_ref().filter(|new| new.text != description),
    }
}

async fn change_texts(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    former_title: &str,
    texts: ChangedTexts<'_>,
) -> Result<Option<timeline::Entry>> {
    if texts.is_empty() {
        return Ok(None);
    }
    let ChangedTexts { title, description } = texts;
    let columns = db::Texts { title, description: description.map(|html| html.text.as_str()) };
    db::update_texts(connection, id, &columns).await?;
    let old = title.map(|_| former_title.to_owned());
    Ok(Some(timeline::Entry { action: IdeaTimelineAction::Edited, old, new: title.map(str::to_owned) }))
}

/// Entry of a new category; its column is changed with the others.
async fn change_category(
    connection: &mut AsyncPgConnection,
    idea: &StoredIdea,
    category: Option<Uuid>,
) -> Result<Option<timeline::Entry>> {
    let Some(category) = category.filter(|category| *category != idea.category) else { return Ok(None) };
    let new = categories::lock_key_share(connection, category).await?;
    let old = categories::lock_key_share(connection, idea.category).await?;
    let action = IdeaTimelineAction::CategoryChanged;
    Ok(Some(timeline::Entry { action, old: Some(old), new: Some(new) }))
}

async fn change_tags(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    tags: Option<&[Uuid]>,
) -> Result<Option<timeline::Entry>> {
    let Some(wanted) = tags else { return Ok(None) };
    let former = db::tags(connection, id).await?;
    if tag_ids(&former) == wanted {
        return Ok(None);
    }
    let old = former.into_iter().map(|(_id, name)| name).collect();
    let new = tags::lock_key_share(connection, wanted).await?;
    db::replace_tags(connection, id, wanted).await?;
    let named = |names: Vec<String>| Some(names.join(", "));
    Ok(Some(timeline::Entry { action: IdeaTimelineAction::TagsChanged, old: named(old), new: named(new) }))
}

/// Ids of tags in the order of [`Changes::tags`].
fn tag_ids(tags: &[(Uuid, String)]) -> Vec<Uuid> {
    let mut ids: Vec<Uuid> = tags.iter().map(|(id, _name)| *id).collect();
    ids.sort_unstable();
    ids
}
