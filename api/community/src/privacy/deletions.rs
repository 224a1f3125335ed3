//! Erasure of details about deleted messages whose author was not recorded. The stored messages identify the
//! author. They are in another database, so this runs before they are erased.

use api_core::{Result, State};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::{
    Identity,
    stores::{MESSAGES, OUT_OF_THE_TRAIL, Store},
    tables::{Erased, Gone, connection},
};

/// Deletions in one statement. Each is searched in every partition of the messages.
const PAGE_SIZE: usize = 500;

/// Table with deletions.
struct Deletions {
    table: &'static str,
    /// Column with the platform's id of the message.
    message: &'static str,
    /// Condition for a row that is a deletion on the platform `$1` or on an unknown one, has details and does
    /// not name the author.
    condition: &'static str,
    /// Assignments that remove the details about the person.
    assignments: &'static str,
}

static DELETIONS: [Deletions; 2] = [
    Deletions {
        table: "moderation_log",
        message: "target",
        condition: "(platform IS NULL OR platform = $1) AND action = 'delete' AND author_id IS NULL \
                    AND reason IS NOT NULL",
        assignments: "reason = NULL",
    },
    Deletions {
        table: "audit_log",
        message: "resource_id",
        condition: "resource_type = 'chat_message' AND NOT metadata ? 'author_id' AND resource_id <> 'erased' \
                    AND account_id IS NOT NULL AND coalesce(metadata ->> 'platform', $1) = $1",
        assignments: OUT_OF_THE_TRAIL,
    },
];

#[derive(QueryableByName)]
struct Deletion {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    #[diesel(sql_type = Text)]
    message: String,
}

#[derive(QueryableByName)]
struct OfPerson {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

/// Reads all such deletions in the order of their ids: those from before authors were recorded, and those
/// that were refused before the message was looked up.
pub(super) async fn erase(state: &State, identity: &Identity, erased: &mut Erased) -> Result<()> {
    for deletions in &DELETIONS {
        let mut after = Uuid::nil();
        loop {
            let page = page(state, deletions, identity, after).await?;
            let Some(last) = page.last() else { break };
            after = last.id;
            let theirs = of_person(state, identity, &page).await?;
            clear(state, deletions, identity, &theirs, erased).await?;
            if page.len() < PAGE_SIZE {
                break;
            }
        }
    }
    Ok(())
}

async fn page(
    state: &State,
    Deletions { table, message, condition, .. }: &Deletions,
    identity: &Identity,
    after: Uuid,
) -> Result<Vec<Deletion>> {
    let sql = format!(
        "SELECT id, account_id, {message} AS message FROM {table} WHERE {condition} AND id > $2 ORDER BY id LIMIT $3"
    );
    Ok(sql_query(sql)
        .bind::<Text, _>(identity.platform.slug())
        .bind::<SqlUuid, _>(after)
        .bind::<BigInt, _>(i64::try_from(PAGE_SIZE).unwrap_or(i64::MAX))
        .load(&mut *connection(state, Store::Primary).await?)
        .await?)
}

/// Returns the deletions of messages that the person wrote.
async fn of_person(state: &State, identity: &Identity, page: &[Deletion]) -> Result<Vec<Uuid>> {
    let sql = format!(
        "SELECT DISTINCT deletion.id FROM unnest($3::uuid[], $4::uuid[], $5::text[]) AS deletion (id, account_id, message) \
         JOIN {MESSAGES} AS said ON said.account_id = deletion.account_id AND said.platform = $1 \
             AND said.platform_message_id = deletion.message \
         WHERE said.platform_user_id = $2"
    );
    let found: Vec<OfPerson> = sql_query(sql)
        .bind::<Text, _>(identity.platform.slug())
        .bind::<Text, _>(&identity.user_id)
        .bind::<Array<SqlUuid>, _>(page.iter().map(|deletion| deletion.id).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(page.iter().map(|deletion| deletion.account_id).collect::<Vec<_>>())
        .bind::<Array<Text>, _>(page.iter().map(|deletion| deletion.message.as_str()).collect::<Vec<_>>())
        .load(&mut *connection(state, Store::TimeSeries).await?)
        .await?;
    Ok(found.into_iter().map(|deletion| deletion.id).collect())
}

async fn clear(
    state: &State,
    deletions: &Deletions,
    identity: &Identity,
    ids: &[Uuid],
    erased: &mut Erased,
) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let Deletions { table, condition, assignments, .. } = deletions;
    let sql = format!(
        "WITH gone AS (UPDATE {table} SET {assignments} WHERE {condition} AND id = ANY ($2) RETURNING account_id) \
         SELECT account_id, count(*) AS rows FROM gone GROUP BY account_id"
    );
    let gone: Vec<Gone> = sql_query(sql)
        .bind::<Text, _>(identity.platform.slug())
        .bind::<Array<SqlUuid>, _>(ids)
        .load(&mut *connection(state, Store::Primary).await?)
        .await?;
    for Gone { account_id, rows } in gone {
        erased.add(deletions.table, account_id, rows);
    }
    Ok(())
}
