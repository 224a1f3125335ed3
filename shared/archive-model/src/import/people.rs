//! People whom the rows name (reference/archives.md#people).

use std::collections::BTreeSet;

use diesel::{
    sql_query,
    sql_types::{Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Deserialize;
use uuid::Uuid;

use super::{Found, limits::Limits, lines, reader::Reader};
use crate::{Error, Result, manifest::PEOPLE, tables};

/// Fields of a person in the archive.
pub(super) const FIELDS: [&str; 4] = ["id", "display_name", "username", "avatar_url"];

#[derive(Deserialize)]
struct Account {
    owner_id: Uuid,
}

/// Makes placeholders of people who do not exist, and a table with everyone's id here, which states who may get rights by
/// rows of the archive: placeholders and the named owner. Returns the number of placeholders. A placeholder cannot be
/// used to sign in.
pub(super) async fn write(
    connection: &mut AsyncPgConnection,
    reader: &Reader,
    owner: Option<Uuid>,
) -> Result<u64> {
    sql_query(
        "CREATE TEMPORARY TABLE archive_people (archived_id uuid PRIMARY KEY, id uuid NOT NULL, may_hold boolean NOT NULL)
         ON COMMIT DROP",
    )
    .execute(connection)
    .await?;
    let archived_owner = archived_owner(reader).await?;
    let owner = match owner {
        Some(owner) => owner,
        None => {
            refuse_known(connection, archived_owner).await?;
            archived_owner
        }
    };
    let file = reader.file(PEOPLE).ok_or_else(|| Error::Archive(format!("The archive has no {PEOPLE}")))?;
    let (mut placeholders, known) = (0, BTreeSet::from(FIELDS));
    let mut parts = reader.begin(file.clone(), lines::read(file, Limits::default()));
    while let Some(batch) = parts.next().await {
        for line in &batch {
            lines::check_fields(PEOPLE, line, &known)?;
        }
        placeholders += insert(connection, &lines::array(&batch), archived_owner, owner).await?;
    }
    parts.end().await?;
    Ok(placeholders)
}

/// Owner of the account where the archive was made.
async fn archived_owner(reader: &Reader) -> Result<Uuid> {
    let missing = || Error::Archive("The archive has no account".to_owned());
    let file = tables::table("accounts").and_then(|table| reader.file(&table.file())).ok_or_else(missing)?;
    let mut found = None;
    let mut parts = reader.begin(file.clone(), lines::read(file, Limits::default()));
    while let Some(batch) = parts.next().await {
        for line in &batch {
            found = Some(serde_json::from_str::<Account>(line)?.owner_id);
        }
    }
    parts.end().await?;
    found.ok_or_else(missing)
}

/// Refuses an owner who exists already and was not named.
async fn refuse_known(connection: &mut AsyncPgConnection, owner: Uuid) -> Result<()> {
    let known = sql_query("SELECT EXISTS (SELECT FROM users WHERE id = $1) AS found");
    if known.bind::<SqlUuid, _>(owner).get_result::<Found>(connection).await?.found {
        return Err(Error::Refused(format!("The person {owner} exists here: name the owner of the account")));
    }
    Ok(())
}

async fn insert(
    connection: &mut AsyncPgConnection,
    array: &str,
    archived_owner: Uuid,
    owner: Uuid,
) -> Result<u64> {
    // Another row of the named owner is skipped for that of the archived one.
    sql_query(
        "INSERT INTO archive_people (archived_id, id, may_hold)
         SELECT person.id, CASE WHEN person.id = $2 THEN $3 ELSE person.id END,
             person.id = $2 OR person.id <> $3 AND NOT EXISTS (SELECT FROM users WHERE users.id = person.id)
         FROM (SELECT (r ->> 'id')::uuid AS id FROM jsonb_array_elements($1::jsonb) AS r) AS person",
    )
    .bind::<Text, _>(array)
    .bind::<SqlUuid, _>(archived_owner)
    .bind::<SqlUuid, _>(owner)
    .execute(connection)
    .await
    .map_err(|error| Error::Refused(format!("{PEOPLE}: {error}")))?;
    let made = sql_query(
        "INSERT INTO users (id, display_name, username, avatar_url)
         SELECT (r ->> 'id')::uuid, left(r ->> 'display_name', 100), left(r ->> 'username', 100), r ->> 'avatar_url'
         FROM jsonb_array_elements($1::jsonb) AS r
         WHERE (r ->> 'id')::uuid <> $2 OR $2 = $3
         ON CONFLICT (id) DO NOTHING",
    )
    .bind::<Text, _>(array)
    .bind::<SqlUuid, _>(archived_owner)
    .bind::<SqlUuid, _>(owner)
    .execute(connection)
    .await
    .map_err(|error| Error::Refused(format!("{PEOPLE}: {error}")))?;
    Ok(u64::try_from(made).unwrap_or(u64::MAX))
}
