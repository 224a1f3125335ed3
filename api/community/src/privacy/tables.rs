//! Erasure of a person's rows, at most 10,000 in a statement (reference/privacy.md#databases).

use std::collections::BTreeMap;

use api_core::{ApiError, Result, State, access::SystemReason};
use diesel::{
    QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use foundation::db::Connection;
use live_model::count_chatters;
use shared::{person_ids::FIELD_FOR_IDS, platform::Platform, schema::accounts};
use uuid::Uuid;

use super::{
    Identity,
    stores::{Search, Store, TABLES, Table},
};

/// Rows of one statement.
pub(super) const BATCH_SIZE: i64 = 10_000;
/// Accounts of one statement.
const ACCOUNT_BATCH_SIZE: i64 = 1000;
/// Largest number of statements on one table that is searched by an index. No row is found twice, so the next
/// call erases the rest.
const MAX_BATCHES: usize = 10_000;

/// Numbers of erased rows, by table and account.
#[derive(Debug, Default)]
pub(super) struct Erased {
    /// Rows by table.
    pub rows: BTreeMap<&'static str, i64>,
    /// Rows by account.
    pub accounts: BTreeMap<Uuid, i64>,
}

#[derive(QueryableByName)]
pub(super) struct Gone {
    /// Account of the rows; `None` for rows without an account.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub account_id: Option<Uuid>,
    /// Number of rows.
    #[diesel(sql_type = BigInt)]
    pub rows: i64,
}

#[derive(QueryableByName)]
struct Last {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

#[derive(QueryableByName)]
struct Page {
    #[diesel(sql_type = Nullable<SqlUuid>)]
    last: Option<Uuid>,
    #[diesel(sql_type = Array<Nullable<SqlUuid>>)]
    accounts: Vec<Option<Uuid>>,
}

impl Erased {
    pub(super) fn add(&mut self, table: &'static str, account: Option<Uuid>, rows: i64) {
        *self.rows.entry(table).or_default() += rows;
        if let Some(account) = account {
            *self.accounts.entry(account).or_default() += rows;
        }
    }
}

/// Moves the recorded chatters to `platform_users`, so that no person is known by such a record only.
pub(super) async fn count_recorded_chatters(state: &State) -> Result<()> {
    count_chatters(&mut *state.system(SystemReason::PrivacyErasure).timeseries().await?).await?;
    Ok(())
}

/// Erases a person's rows from every table, or from those that workers may have written meanwhile. Automation
/// runs are left to [`super::runs`], texts of logs to [`super::texts`].
pub(super) async fn erase(
    state: &State,
    identity: &Identity,
    only_late: bool,
    erased: &mut Erased,
) -> Result<()> {
    for table in TABLES.iter().filter(|table| table.is_written_late || !only_late) {
        match table.search {
            Search::Everywhere | Search::Rewritten(_) => {
                erase_rows(state, table, identity, &[], erased).await?
            }
            Search::ByAccount => erase_by_account(state, table, identity, erased).await?,
            Search::Inside(_) | Search::Emptied(_) | Search::Nulled(_) => {
                erase_inside(state, table, identity, erased).await?;
            }
            Search::Runs | Search::Cleared(_) => {}
        }
    }
    Ok(())
}

async fn erase_by_account(
    state: &State,
    table: &'static Table,
    identity: &Identity,
    erased: &mut Erased,
) -> Result<()> {
    let mut after = Uuid::nil();
    loop {
        let page: Vec<Uuid> = accounts::table
            .filter(accounts::id.gt(after))
            .order(accounts::id)
            .limit(ACCOUNT_BATCH_SIZE)
            .select(accounts::id)
            .load(&mut *state.system(SystemReason::PrivacyErasure).db().await?)
            .await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = *last;
        erase_rows(state, table, identity, &page, erased).await?;
    }
}

async fn erase_rows(
    state: &State,
    table: &'static Table,
    identity: &Identity,
    of_accounts: &[Uuid],
    erased: &mut Erased,
) -> Result<()> {
    let (name, condition) = (table.name, table.condition);
    let accounts = match table.search {
        Search::ByAccount => "account_id = ANY ($4)",
        _ => "$4::uuid[] IS NOT NULL",
    };
    let effect = match table.search {
        Search::Rewritten(assignments) => format!("UPDATE {name} SET {assignments}"),
        _ => format!("DELETE FROM {name}"),
    };
    let account = if table.has_account { "account_id" } else { "NULL::uuid" };
    // A `ctid` is unique in its partition only, so the condition is repeated beside it.
    let sql = format!(
        "WITH gone AS ({effect} WHERE {accounts} AND {condition} AND ctid = ANY (ARRAY( \
             SELECT ctid FROM {name} WHERE {accounts} AND {condition} LIMIT $3)) RETURNING {account} AS account_id) \
         SELECT account_id, count(*) AS rows FROM gone GROUP BY account_id"
    );
    for _ in 0..MAX_BATCHES {
        let gone: Vec<Gone> = sql_query(&sql)
            .bind::<Text, _>(identity.platform.slug())
            .bind::<Text, _>(&identity.user_id)
            .bind::<BigInt, _>(BATCH_SIZE)
            .bind::<Array<SqlUuid>, _>(of_accounts)
            .load(&mut *connection(state, table.place).await?)
            .await?;
        if gone.is_empty() {
            return Ok(());
        }
        for Gone { account_id, rows } in gone {
            erased.add(name, account_id, rows);
        }
    }
    Err(too_many(name))
}

/// Reads the table in the order of its ids, up to the last id at the beginning.
async fn erase_inside(
    state: &State,
    table: &'static Table,
    identity: &Identity,
    erased: &mut Erased,
) -> Result<()> {
    let (name, condition) = (table.name, table.condition);
    let account = if table.has_account { "account_id" } else { "NULL::uuid" };
    let (effect, names) = match table.search {
        Search::Inside(column) => (format!("DELETE FROM {name}"), names_the_person(column, identity)),
        // An emptied delivery is of the person's platform and was handled, so that a false match does no harm.
        Search::Emptied(column) => (format!("UPDATE {name} SET {column} = '{{}}'"), holds(column)),
        Search::Nulled(columns) => {
            let nulls: Vec<String> = columns.iter().map(|column| format!("{column} = NULL")).collect();
            let names: Vec<String> = columns.iter().map(|column| answer_names(column, identity)).collect();
            (format!("UPDATE {name} SET {}", nulls.join(", ")), format!("({})", names.join(" OR ")))
        }
        _ => return Ok(()),
    };
    let sql = format!(
        "WITH page AS (SELECT id FROM {name} WHERE id > $5 ORDER BY id LIMIT $3), \
         gone AS ({effect} WHERE id IN (SELECT id FROM page) AND {condition} \
             AND {names} RETURNING {account} AS account_id) \
         SELECT (SELECT max(id::text)::uuid FROM page) AS last, \
             ARRAY(SELECT account_id FROM gone) AS accounts"
    );
    let number = identity.number();
    let (mut after, last) = (Uuid::nil(), last_id(state, table).await?);
    while after < last {
        let page: Page = sql_query(&sql)
            .bind::<Text, _>(identity.platform.slug())
            .bind::<Text, _>(&identity.user_id)
            .bind::<BigInt, _>(BATCH_SIZE)
            .bind::<Nullable<BigInt>, _>(number)
            .bind::<SqlUuid, _>(after)
            .get_result(&mut *connection(state, table.place).await?)
            .await?;
        for account in page.accounts {
            erased.add(name, account, 1);
        }
        let Some(read) = page.last else { break };
        after = read;
    }
    Ok(())
}

/// Returns the last id of a table, or the nil id when it is empty. Rows that are written meanwhile have later
/// ids, so that reading up to it ends.
pub(super) async fn last_id(state: &State, table: &Table) -> Result<Uuid> {
    let last: Option<Last> = sql_query(format!("SELECT id FROM {} ORDER BY id DESC LIMIT 1", table.name))
        .get_result(&mut *connection(state, table.place).await?)
        .await
        .optional()?;
    Ok(last.map_or_else(Uuid::nil, |last| last.id))
}

/// Returns true when deliveries that name the person wait to be handled. Their rows are written later.
pub(super) async fn is_waited_for(state: &State, identity: &Identity) -> Result<bool> {
    // A named platform is no evidence here: every delivery of a platform may name it.
    let holds = if identity.is_short() { holds_in_a_field_for_ids("body") } else { holds("body") };
    let sql = format!(
        "SELECT count(*) AS rows, NULL::uuid AS account_id FROM (SELECT 1 FROM webhook_inbox \
         WHERE handled_at IS NULL AND platform = $1 AND {holds} LIMIT $3) AS waiting"
    );
    let waiting: Gone = sql_query(sql)
        .bind::<Text, _>(identity.platform.slug())
        .bind::<Text, _>(&identity.user_id)
        .bind::<BigInt, _>(1)
        .bind::<Nullable<BigInt>, _>(identity.number())
        .get_result(&mut *state.system(SystemReason::PrivacyErasure).db().await?)
        .await?;
    Ok(waiting.rows > 0)
}

/// Condition for a JSON that contains the person's id. An id of few characters counts only beside the name of the
/// platform, or in a field for ids.
pub(super) fn names_the_person(column: &str, identity: &Identity) -> String {
    let holds = holds(column);
    if !identity.is_short() {
        return holds;
    }
    format!("({holds} AND ({} OR {}))", names_the_platform(column), holds_in_a_field_for_ids(column))
}

/// Condition for a stored answer that names the person, also in an address. A text with the escape of a null character
/// cannot be read as `jsonb`, so it counts as one.
fn answer_names(column: &str, identity: &Identity) -> String {
    let text = format!("{column}::text");
    if !identity.is_short() {
        return format!("(strpos({text}, $2) > 0 OR strpos({text}, $4::text) > 0)");
    }
    let named = names_the_person(&format!("{column}::jsonb"), identity);
    format!(
        "(strpos({text}, '/' || $1 || '/' || $2) > 0 \
         OR CASE WHEN strpos({text}, '\\u0000') > 0 THEN true ELSE {named} END)"
    )
}

/// Condition for a JSON that contains the person's id, as a text (`$2`) or as a number (`$4`). The number is null for
/// an id that is none, and null is no id.
pub(super) fn holds(column: &str) -> String {
    format!(
        "jsonb_path_exists({column}, '$.** ? (@ == $text || @ == $number && $number != null)', \
         jsonb_build_object('text', $2::text, 'number', $4::bigint))"
    )
}

/// Condition for a JSON that contains the id in a field for ids.
fn holds_in_a_field_for_ids(column: &str) -> String {
    format!(
        "jsonb_path_exists({column}, '$.** ? (@.type() == \"object\").keyvalue() \
             ? (@.key like_regex \"{FIELD_FOR_IDS}\" && (@.value == $text || @.value == $number && $number != null))', \
         jsonb_build_object('text', $2::text, 'number', $4::bigint))"
    )
}

/// Condition for a JSON that names the person's platform (`$1`).
pub(super) fn names_the_platform(column: &str) -> String {
    format!(
        "jsonb_path_exists({column}, '$.** ? (@ == $platform)', jsonb_build_object('platform', $1::text))"
    )
}

impl Identity {
    /// Id as a number, the form that Kick uses.
    pub(super) fn number(&self) -> Option<i64> {
        self.user_id.parse().ok()
    }
}

/// Tables in which extensions keep data about a registered user.
const OWNED: [(Store, &str, &str); 3] = [
    (Store::Primary, "extension_values", "scope = 'user' AND owner = $1"),
    (Store::Primary, "extension_usage", "scope = 'user' AND owner = $1"),
    (Store::TimeSeries, "extension_failed_runs", "user_id = $1::uuid"),
];

/// Erases the data that extensions keep about a registered user.
pub(super) async fn erase_owned(state: &State, user: Uuid, erased: &mut Erased) -> Result<()> {
    for (place, name, condition) in OWNED {
        let sql = format!(
            "WITH gone AS (DELETE FROM {name} WHERE {condition} AND ctid = ANY (ARRAY( \
                 SELECT ctid FROM {name} WHERE {condition} LIMIT $2)) RETURNING account_id) \
             SELECT account_id, count(*) AS rows FROM gone GROUP BY account_id"
        );
        loop {
            let gone: Vec<Gone> = sql_query(&sql)
                .bind::<Text, _>(user.to_string())
                .bind::<BigInt, _>(BATCH_SIZE)
                .load(&mut *connection(state, place).await?)
                .await?;
            if gone.is_empty() {
                break;
            }
            for Gone { account_id, rows } in gone {
                erased.add(name, account_id, rows);
            }
        }
    }
    Ok(())
}

/// Takes a connection for one statement, so that other callers do not wait for the whole erasure.
pub(super) async fn connection(state: &State, place: Store) -> Result<Connection<'_>> {
    let system = state.system(SystemReason::PrivacyErasure);
    match place {
        Store::Primary => system.db().await,
        Store::TimeSeries => system.timeseries().await,
    }
}

fn too_many(table: &str) -> ApiError {
    ApiError::internal(format_args!("more rows of a person are left in {table} than one call erases"))
}

/// Returns the identities of a registered user's login connections; `None` when there is no such user.
pub(super) async fn identities(state: &State, user: Uuid) -> Result<Option<Vec<Identity>>> {
    use shared::schema::{login_connections, users};
    let mut connection = state.system(SystemReason::PrivacyErasure).db().await?;
    let known: Option<Uuid> =
        users::table.find(user).select(users::id).first(&mut *connection).await.optional()?;
    if known.is_none() {
        return Ok(None);
    }
    let logins: Vec<(String, String)> = login_connections::table
        .filter(login_connections::user_id.eq(user))
        .limit(ACCOUNT_BATCH_SIZE)
        .select((login_connections::platform, login_connections::provider_user_id))
        .load(&mut *connection)
        .await?;
    let identity = |(platform, user_id): (String, String)| {
        let platform: Platform = platform.parse().map_err(ApiError::internal)?;
        Ok(Identity { platform, user_id })
    };
    logins.into_iter().map(identity).collect::<Result<_>>().map(Some)
}
