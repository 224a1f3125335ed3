//! Stored profiles, and the changes between two readings. The first reading of a part is no change.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Array, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use serde::Serialize;
use shared::{Result, platform::Platform};
use uuid::Uuid;

/// Maximum length of a bio in characters.
const MAX_BIO_LENGTH: usize = 2_000;
/// Maximum length of a link, of the name of a team and of the id of a panel, in characters.
const MAX_ENTRY_LENGTH: usize = 500;
/// Maximum number of links, teams and panels each.
const MAX_ENTRIES: usize = 50;

/// Profile of a channel. `None`: the platform does not report the part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// Text of the channel about itself; empty when it has none.
    pub bio: Option<String>,
    /// Addresses that the channel links to.
    pub links: Option<Vec<String>>,
    /// Names of the channel's teams.
    pub teams: Option<Vec<String>>,
    /// Panels below the stream.
    pub panels: Option<Vec<Panel>>,
}

/// Panel of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Panel {
    /// Id on the platform.
    pub panel_id: String,
    /// Text.
    pub content: String,
    /// Addresses of its pictures.
    pub images: Vec<String>,
}

#[derive(QueryableByName)]
struct Known {
    #[diesel(sql_type = Nullable<Text>)]
    bio: Option<String>,
    #[diesel(sql_type = Nullable<Array<Text>>)]
    links: Option<Vec<String>>,
    #[diesel(sql_type = Nullable<Array<Text>>)]
    teams: Option<Vec<String>>,
}

#[derive(QueryableByName)]
struct Hidden {
    #[diesel(sql_type = Bool)]
    is_hidden: bool,
}

/// Change of a part of a profile.
#[derive(Debug, PartialEq, Eq)]
struct Change {
    id: Uuid,
    change_type: &'static str,
    old_value: Option<String>,
    new_value: Option<String>,
}

/// Kept against an opt-out, which first changes this row and then deletes what is stored here.
const CHANNEL: &str = "
    SELECT is_hidden FROM public_channels WHERE platform = $1 AND platform_channel_id = $2 FOR SHARE";

const KNOWN: &str = "
    SELECT bio, links, teams FROM crawler_channels WHERE platform = $1 AND platform_channel_id = $2 FOR UPDATE";

const UPDATE: &str = "
    UPDATE crawler_channels SET bio = coalesce($3, bio), links = coalesce($4, links), teams = coalesce($5, teams),
        profiled_at = $6, profile_next_at = $6 + interval '1 day'
    WHERE platform = $1 AND platform_channel_id = $2";

const CHANGES: &str = "
    INSERT INTO public_profile_changes
        (id, platform, platform_channel_id, change_type, old_value, new_value, changed_at)
    SELECT given.id, $1, $2, given.change_type, given.old_value, given.new_value, $7
    FROM unnest($3, $4, $5, $6) AS given (id, change_type, old_value, new_value)";

const PANELS: &str = "
    INSERT INTO public_panels AS known
        (platform, platform_channel_id, panel_id, content, images, first_seen_at, last_seen_at)
    SELECT DISTINCT ON (given.panel_id) $1, $2, given.panel_id, given.content, given.images, $4, $4
    FROM jsonb_to_recordset($3) AS given (panel_id text, content text, images jsonb)
    ORDER BY given.panel_id
    ON CONFLICT (platform, platform_channel_id, panel_id) DO UPDATE SET content = excluded.content,
        images = excluded.images, last_seen_at = excluded.last_seen_at, removed_at = NULL";

const REMOVED_PANELS: &str = "
    UPDATE public_panels SET removed_at = $3
    WHERE platform = $1 AND platform_channel_id = $2 AND removed_at IS NULL AND last_seen_at < $3";

/// Stores a profile and its changes. False when the channel is not crawled any more, or was opted out.
///
/// # Errors
/// A failure of the database.
pub async fn store(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    channel: &str,
    profile: &Profile,
    now: DateTime<Utc>,
) -> Result<bool> {
    let profile = profile.bounded();
    connection
        .transaction(async |connection| {
            let hidden: Option<Hidden> = sql_query(CHANNEL)
                .bind::<Text, _>(platform.slug())
                .bind::<Text, _>(channel)
                .prepared()
                .get_result(connection)
                .await
                .optional()?;
            if hidden.is_some_and(|channel| channel.is_hidden) {
                return Ok(false);
            }
            let known: Option<Known> = sql_query(KNOWN)
                .bind::<Text, _>(platform.slug())
                .bind::<Text, _>(channel)
                .prepared()
                .get_result(connection)
                .await
                .optional()?;
            let Some(known) = known else { return Ok(false) };
            update(connection, platform, channel, &profile, now).await?;
            insert_changes(connection, platform, channel, &changes(&known, &profile), now).await?;
            if let Some(panels) = &profile.panels {
                store_panels(connection, platform, channel, panels, now).await?;
            }
            Ok(true)
        })
        .await
}

async fn update(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    channel: &str,
    profile: &Profile,
    now: DateTime<Utc>,
) -> Result<()> {
    sql_query(UPDATE)
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(channel)
        .bind::<Nullable<Text>, _>(profile.bio.as_deref())
        .bind::<Nullable<Array<Text>>, _>(profile.links.as_deref())
        .bind::<Nullable<Array<Text>>, _>(profile.teams.as_deref())
        .bind::<Timestamptz, _>(now)
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

async fn insert_changes(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    channel: &str,
    changes: &[Change],
    now: DateTime<Utc>,
) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    sql_query(CHANGES)
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(channel)
        .bind::<Array<SqlUuid>, _>(column(changes, |change| change.id))
        .bind::<Array<Text>, _>(column(changes, |change| change.change_type))
        .bind::<Array<Nullable<Text>>, _>(column(changes, |change| change.old_value.as_deref()))
        .bind::<Array<Nullable<Text>>, _>(column(changes, |change| change.new_value.as_deref()))
        .bind::<Timestamptz, _>(now)
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

async fn store_panels(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    channel: &str,
    panels: &[Panel],
    now: DateTime<Utc>,
) -> Result<()> {
    sql_query(PANELS)
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(channel)
        .bind::<Jsonb, _>(serde_json::to_value(panels)?)
        .bind::<Timestamptz, _>(now)
        .prepared()
        .execute(connection)
        .await?;
    sql_query(REMOVED_PANELS)
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(channel)
        .bind::<Timestamptz, _>(now)
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

fn changes(known: &Known, profile: &Profile) -> Vec<Change> {
    let mut changes = Vec::new();
    if let (Some(old), Some(new)) = (&known.bio, &profile.bio)
        && old != new
    {
        let filled = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        changes.push(Change::new("bio", filled(old), filled(new)));
    }
    entries("link", known.links.as_deref(), profile.links.as_deref(), &mut changes);
    entries("team", known.teams.as_deref(), profile.teams.as_deref(), &mut changes);
    changes
}

/// Adds the entries that are gone, then those that are new.
fn entries(
    change_type: &'static str,
    old: Option<&[String]>,
    new: Option<&[String]>,
    changes: &mut Vec<Change>,
) {
    let (Some(old), Some(new)) = (old, new) else { return };
    let (old, new): (BTreeSet<&String>, BTreeSet<&String>) = (old.iter().collect(), new.iter().collect());
    let gone = old.difference(&new).map(|entry| Change::new(change_type, Some((*entry).clone()), None));
    changes.extend(gone);
    let added = new.difference(&old).map(|entry| Change::new(change_type, None, Some((*entry).clone())));
    changes.extend(added);
}

impl Change {
    fn new(change_type: &'static str, old_value: Option<String>, new_value: Option<String>) -> Self {
        Self { id: shared::id::new(), change_type, old_value, new_value }
    }
}

impl Profile {
    /// Profile within the limits of the tables.
    fn bounded(&self) -> Self {
        let entries = |entries: &Vec<String>| {
            let entries = entries.iter().map(|entry| cut(entry, MAX_ENTRY_LENGTH));
            entries.filter(|entry| !entry.is_empty()).take(MAX_ENTRIES).collect()
        };
        let panel = |panel: &Panel| Panel {
            panel_id: cut(&panel.panel_id, MAX_ENTRY_LENGTH),
            content: cut(&panel.content, MAX_BIO_LENGTH),
            images: entries(&panel.images),
        };
        Self {
            bio: self.bio.as_ref().map(|bio| cut(bio, MAX_BIO_LENGTH)),
            links: self.links.as_ref().map(entries),
            teams: self.teams.as_ref().map(entries),
            panels: self.panels.as_ref().map(|panels| panels.iter().take(MAX_ENTRIES).map(panel).collect()),
        }
    }
}

/// Text without NUL characters and surrounding whitespace, cut to a length.
fn cut(text: &str, max_length: usize) -> String {
    text.trim().chars().filter(|character| *character != '\0').take(max_length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Option<Vec<String>> {
        Some(texts.iter().map(|text| (*text).to_owned()).collect())
    }

    fn found(known: &Known, profile: &Profile) -> Vec<(&'static str, Option<String>, Option<String>)> {
        let changes = changes(known, &profile.bounded());
        changes.into_iter().map(|change| (change.change_type, change.old_value, change.new_value)).collect()
    }

    #[test]
    fn changes_begin_with_the_second_reading() {
        let nothing = Known { bio: None, links: None, teams: None };
        let profile =
            Profile { bio: Some("Hi".into()), links: texts(&["a"]), teams: texts(&["t"]), panels: None };
        assert_eq!(found(&nothing, &profile), []);
        let known = Known { bio: Some("Hi".into()), links: texts(&["a"]), teams: texts(&["t"]) };
        assert_eq!(found(&known, &Profile::default()), [], "what is not reported did not change");
        assert_eq!(found(&known, &profile), []);
    }

    #[test]
    fn changes_name_each_entry_once() {
        let known = Known { bio: Some("Hi".into()), links: texts(&["a", "b"]), teams: texts(&[]) };
        let profile = Profile {
            bio: Some(" ".into()),
            links: texts(&["c", "a", "c", ""]),
            teams: texts(&["t"]),
            panels: None,
        };
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            found(&known, &profile),
            [
                ("bio", text("Hi"), None),
                ("link", text("b"), None),
                ("link", None, text("c")),
                ("team", None, text("t"))
            ]
        );
    }
}
