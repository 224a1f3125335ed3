//! Change of an account's plan, by its owner or by staff (reference/billing.md#plan-of-an-account).

use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, update};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::json;
use uuid::Uuid;

use foundation::{
    events::{Channel, Event},
    jobs::PublishEvent,
    outbox,
};
use notices::notify::{self, Notice};
use shared::{
    Result,
    id::{self, AccountId, UserId},
    schema::{accounts, plans, subscriptions},
};

/// A plan's id and names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanName {
    /// Id.
    pub id: Uuid,
    /// Slug, unique.
    pub slug: String,
    /// Display name.
    pub name: String,
}

/// Result of an assignment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assigned {
    /// The account does not exist.
    NoAccount,
    /// The plan does not exist.
    NoPlan,
    /// The account is on the plan already.
    Unchanged(PlanName),
    /// The account moved from one plan to another.
    Changed { from: PlanName, to: PlanName },
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = plans)]
struct PlanRow {
    id: Uuid,
    slug: String,
    name: String,
    price_monthly: i64,
    price_yearly: i64,
}

impl PlanRow {
    const fn is_free(&self) -> bool {
        self.price_monthly == 0 && self.price_yearly == 0
    }

    fn names(self) -> PlanName {
        PlanName { id: self.id, slug: self.slug, name: self.name }
    }
}

/// Puts an account on a plan. Its subscription follows. Its owner is notified unless `by` is the owner.
/// `plan:updated` is published through the outbox.
///
/// Call it in a transaction, write the audit row `plan:changed`, and drop the account's cached features after
/// the commit.
///
/// # Errors
/// Database failure.
pub async fn assign(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    plan: Uuid,
    by: Option<UserId>,
    now: DateTime<Utc>,
) -> Result<Assigned> {
    // Locked until the commit, so that assignments of one account run one after the other.
    let found: Option<(String, UserId, Uuid)> = accounts::table
        .filter(accounts::id.eq(account))
        .select((accounts::name, accounts::owner_id, accounts::plan_id))
        .for_update()
        .first(connection)
        .await
        .optional()?;
    let Some((account_name, owner, present)) = found else { return Ok(Assigned::NoAccount) };
    // Locked against deletion until the commit.
    let mut rows: Vec<PlanRow> = plans::table
        .filter(plans::id.eq_any([present, plan]))
        .select(PlanRow::as_select())
        .for_key_share()
        .load(connection)
        .await?;
    let Some(to) = rows.iter().position(|row| row.id == plan).map(|at| rows.swap_remove(at)) else {
        return Ok(Assigned::NoPlan);
    };
    // The remaining row is the present plan's; there is none when both are the same.
    let Some(from) = rows.pop() else { return Ok(Assigned::Unchanged(to.names())) };
    update(accounts::table.filter(accounts::id.eq(account)))
        .set((accounts::plan_id.eq(plan), accounts::updated_at.eq(now)))
        .execute(connection)
        .await?;
    follow(connection, account, &to, now).await?;
    if by != Some(owner) {
        let notice = Notice::PlanChanged {
            account_id: account.uuid(),
            account_name: &account_name,
            plan_slug: &to.slug,
            plan_name: &to.name,
        };
        notify::notify(connection, &[owner], &notice, now).await?;
    }
    let data = json!({ "plan_id": to.id, "plan_slug": to.slug });
    let event = Event::new(Channel::Account(account.uuid()), "plan:updated", data, now);
    let key = format!("plan:updated:{}", event.id);
    outbox::add(connection, &PublishEvent { event }, &key).await?;
    Ok(Assigned::Changed { from: from.names(), to: to.names() })
}

/// Updates the subscription of an account that moved to a plan: active on a paid plan, else cancelled.
async fn follow(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    plan: &PlanRow,
    now: DateTime<Utc>,
) -> Result<()> {
    use subscriptions::dsl;
    if plan.is_free() {
        let own = subscriptions::table.filter(dsl::account_id.eq(account).and(dsl::status.ne("cancelled")));
        update(own)
            .set((
                dsl::status.eq("cancelled"),
                dsl::renews_at.eq(None::<DateTime<Utc>>),
                dsl::cancelled_at.eq(now),
                dsl::updated_at.eq(now),
            ))
            .execute(connection)
            .await?;
        return Ok(());
    }
    let is_active = (
        dsl::plan_id.eq(plan.id),
        dsl::status.eq("active"),
        dsl::cancelled_at.eq(None::<DateTime<Utc>>),
        dsl::updated_at.eq(now),
    );
    insert_into(subscriptions::table)
        .values((dsl::id.eq(id::new()), dsl::account_id.eq(account), dsl::created_at.eq(now), is_active))
        .on_conflict(dsl::account_id)
        .do_update()
        .set(is_active)
        .execute(connection)
        .await?;
    Ok(())
}
