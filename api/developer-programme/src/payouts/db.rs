//! Queries over payout settings, payouts and revenue. Each carries the payee.

use api_core::{
    Result, Timestamp,
    graphql::{Int64, int},
    page::Window,
};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName,
    dsl::{exists, select},
    insert_into,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
    upsert::excluded,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{self, UserId},
    schema::{
        developer_payout_settings as settings_table, developer_payouts as payouts_table,
        developer_team_payout_settings as team_settings,
    },
};
use uuid::Uuid;

use super::{
    method::{DeveloperPayoutMethod, DeveloperPayoutStatus},
    objects::{DeveloperPayout, DeveloperRevenueItem},
    payee::Payee,
};

/// Bound of a report (reference/programme.md#revenue).
const MAX_REVENUE_ROWS: i64 = 2000;

/// Stored settings with the sealed accounts.
#[derive(Queryable)]
pub(super) struct Settings {
    /// Method.
    pub payout_method: Option<String>,
    /// Sealed accounts.
    pub details: Vec<u8>,
    /// Time of the first settings.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Sums over a payee, in cents.
#[derive(QueryableByName)]
pub(super) struct Balance {
    /// Shares of all payments.
    #[diesel(sql_type = BigInt)]
    pub earned: i64,
    /// Payouts that have not failed.
    #[diesel(sql_type = BigInt)]
    paid_out: i64,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = payouts_table)]
struct Payout {
    id: Uuid,
    amount: i64,
    currency: String,
    method: String,
    status: String,
    created_at: Timestamp,
    paid_at: Option<Timestamp>,
}

#[derive(QueryableByName)]
struct Revenue {
    #[diesel(sql_type = Nullable<SqlUuid>)]
    extension_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    extension_name: Option<String>,
    #[diesel(sql_type = Text)]
    month: String,
    #[diesel(sql_type = BigInt)]
    payments: i64,
    #[diesel(sql_type = BigInt)]
    amount: i64,
    #[diesel(sql_type = BigInt)]
    share: i64,
    #[diesel(sql_type = BigInt)]
    total_amount: i64,
    #[diesel(sql_type = BigInt)]
    total_share: i64,
}

impl Balance {
    /// Amount that can be paid out.
    pub(super) const fn available(&self) -> i64 {
        self.earned - self.paid_out
    }
}

pub(super) async fn settings(connection: &mut AsyncPgConnection, payee: &Payee) -> Result<Option<Settings>> {
    let found = match payee.team {
        None => {
            use settings_table::dsl;
            let columns = (dsl::payout_method, dsl::details, dsl::created_at, dsl::updated_at);
            settings_table::table.find(payee.developer.id).select(columns).first(connection).await
        }
        Some(team) => {
            use team_settings::dsl;
            let columns = (dsl::payout_method, dsl::details, dsl::created_at, dsl::updated_at);
            team_settings::table.find(team).select(columns).first(connection).await
        }
    };
    Ok(found.optional()?)
}

/// Writes settings into the table of a kind of payee. The two tables differ in their key.
macro_rules! put_settings_of {
    ($connection:ident, $table:ident, $key:ident = $id:expr, ($method:ident, $details:ident), $now:ident) => {{
        use $table::dsl;
        insert_into($table::table)
            .values((
                dsl::$key.eq($id),
                dsl::payout_method.eq($method),
                dsl::details.eq($details),
                dsl::created_at.eq($now),
                dsl::updated_at.eq($now),
            ))
            .on_conflict(dsl::$key)
            .do_update()
            .set((
                dsl::payout_method.eq(excluded(dsl::payout_method)),
                dsl::details.eq(excluded(dsl::details)),
                dsl::updated_at.eq(excluded(dsl::updated_at)),
            ))
            .execute($connection)
            .await?
    }};
}

pub(super) async fn put_settings(
    connection: &mut AsyncPgConnection,
    payee: &Payee,
    (method, details): (Option<DeveloperPayoutMethod>, &[u8]),
    now: DateTime<Utc>,
) -> Result<()> {
    let method = method.map(DeveloperPayoutMethod::as_str);
    match payee.team {
        None => {
            let id = payee.developer.id;
            put_settings_of!(connection, settings_table, developer_id = id, (method, details), now)
        }
        Some(team) => put_settings_of!(connection, team_settings, team_id = team, (method, details), now),
    };
    Ok(())
}

/// Returns what a payee has earned and what is paid out or about to be.
pub(super) async fn balance(connection: &mut AsyncPgConnection, payee: &Payee) -> Result<Balance> {
    Ok(sql_query(
        "SELECT (SELECT coalesce(sum(share), 0)::bigint FROM developer_revenue
                 WHERE developer_id = $1 AND team_id IS NOT DISTINCT FROM $2) AS earned,
                (SELECT coalesce(sum(amount), 0)::bigint FROM developer_payouts
                 WHERE developer_id = $1 AND team_id IS NOT DISTINCT FROM $2 AND status <> 'failed') AS paid_out",
    )
    .bind::<SqlUuid, _>(payee.developer.id)
    .bind::<Nullable<SqlUuid>, _>(payee.team)
    .get_result(connection)
    .await?)
}

pub(super) async fn has_pending(connection: &mut AsyncPgConnection, payee: &Payee) -> Result<bool> {
    use payouts_table::dsl;
    let pending = payouts_table::table
        .filter(dsl::developer_id.eq(payee.developer.id).and(dsl::status.eq("pending")))
        .filter(dsl::team_id.is_not_distinct_from(payee.team));
    Ok(select(exists(pending)).get_result(connection).await?)
}

pub(super) async fn insert_payout(
    connection: &mut AsyncPgConnection,
    (payee, requester): (&Payee, UserId),
    (method, amount): (DeveloperPayoutMethod, i64),
    now: DateTime<Utc>,
) -> Result<DeveloperPayout> {
    use payouts_table::dsl;
    let row = insert_into(payouts_table::table)
        .values((
            dsl::id.eq(id::new()),
            dsl::developer_id.eq(payee.developer.id),
            dsl::team_id.eq(payee.team),
            dsl::requested_by.eq(requester),
            dsl::amount.eq(amount),
            dsl::method.eq(method.as_str()),
            dsl::created_at.eq(now),
            dsl::updated_at.eq(now),
        ))
        .returning(Payout::as_returning())
        .get_result(connection)
        .await?;
    payout(row)
}

/// Returns one page of the payouts of a payee, newest first, and the total number.
pub(super) async fn payouts(
    connection: &mut AsyncPgConnection,
    payee: &Payee,
    window: Window,
) -> Result<(Vec<DeveloperPayout>, i64)> {
    use payouts_table::dsl;
    let own = || {
        payouts_table::table
            .filter(dsl::developer_id.eq(payee.developer.id))
            .filter(dsl::team_id.is_not_distinct_from(payee.team))
    };
    let rows: Vec<Payout> = own()
        .order((dsl::created_at.desc(), dsl::id.desc()))
        .limit(window.limit)
        .offset(window.offset())
        .select(Payout::as_select())
        .load(connection)
        .await?;
    let items = rows.into_iter().map(payout).collect::<Result<_>>()?;
    Ok((items, own().count().get_result(connection).await?))
}

/// Returns the revenue in a span by extension and month, and the sums of payments and shares.
pub(super) async fn revenue(
    connection: &mut AsyncPgConnection,
    payee: &Payee,
    (from, to): (DateTime<Utc>, DateTime<Utc>),
) -> Result<(Vec<DeveloperRevenueItem>, (i64, i64))> {
    let rows: Vec<Revenue> = sql_query(
        "SELECT sums.*, extensions.name AS extension_name,
                (sum(sums.amount) OVER ())::bigint AS total_amount, (sum(sums.share) OVER ())::bigint AS total_share
         FROM (SELECT extension_id, to_char(paid_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month, count(*) AS payments,
                      sum(amount)::bigint AS amount, sum(share)::bigint AS share
               FROM developer_revenue
               WHERE developer_id = $1 AND team_id IS NOT DISTINCT FROM $5 AND paid_at >= $2 AND paid_at < $3
               GROUP BY 1, 2) AS sums
         LEFT JOIN extensions ON extensions.id = sums.extension_id
         ORDER BY sums.month DESC, sums.share DESC, sums.extension_id LIMIT $4",
    )
    .bind::<SqlUuid, _>(payee.developer.id)
    .bind::<Timestamptz, _>(from)
    .bind::<Timestamptz, _>(to)
    .bind::<BigInt, _>(MAX_REVENUE_ROWS)
    .bind::<Nullable<SqlUuid>, _>(payee.team)
    .load(connection)
    .await?;
    let totals = rows.iter().map(|row| (row.total_amount, row.total_share)).next().unwrap_or_default();
    Ok((rows.into_iter().map(item).collect(), totals))
}

fn payout(row: Payout) -> Result<DeveloperPayout> {
    Ok(DeveloperPayout {
        id: row.id,
        amount: Int64(row.amount),
        currency: row.currency,
        method: DeveloperPayoutMethod::stored(&row.method)?,
        status: DeveloperPayoutStatus::stored(&row.status)?,
        created_at: row.created_at,
        paid_at: row.paid_at,
    })
}

fn item(row: Revenue) -> DeveloperRevenueItem {
    DeveloperRevenueItem {
        extension_id: row.extension_id,
        extension_name: row.extension_name,
        month: row.month,
        payments: int(row.payments),
        amount: Int64(row.amount),
        fee: Int64(row.amount - row.share),
        share: Int64(row.share),
    }
}
