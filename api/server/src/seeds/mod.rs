//! Applies the catalogues to a migrated database. A second run keeps every change of an operator, except that
//! the System Admin role is restored (see [`staff`]).

mod staff;

use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};

use foundation::db::Database;
use shared::{
    Result,
    catalogue::{self, DEFAULT_OFF_FEATURES, FEATURES, PLANS},
    id,
    schema::{feature_flags, plan_features, plans, user_roles},
};

/// Inserts the flags, plans and roles that are missing; existing ones stay as they are. Built-in extensions
/// become those of this release, in every account.
///
/// # Errors
/// An error when the database fails. Nothing is half-applied.
pub async fn apply(database: &Database) -> Result<()> {
    let mut connection = database.get().await?;
    connection
        .transaction(async |connection| {
            feature_flags(connection).await?;
            plans(connection).await?;
            features_of_plans(connection).await?;
            user_roles(connection).await?;
            staff::system_admin(connection).await?;
            staff::reserved_permissions(connection).await?;
            extension_model::system::seed(connection).await
        })
        .await
}

async fn feature_flags(connection: &mut AsyncPgConnection) -> Result<()> {
    use feature_flags::dsl;
    let rows: Vec<_> = FEATURES
        .iter()
        .flat_map(|(category, keys)| {
            keys.iter().map(move |rest| (*category, format!("{}:{rest}", category.as_str())))
        })
        .map(|(category, key)| {
            (
                dsl::id.eq(id::new()),
                dsl::label.eq(label(&key)),
                dsl::category.eq(category.as_str()),
                dsl::globally_enabled.eq(!DEFAULT_OFF_FEATURES.contains(&key.as_str())),
                dsl::key.eq(key),
            )
        })
        .collect();
    insert_into(feature_flags::table)
        .values(rows)
        .on_conflict(dsl::key)
        .do_nothing()
        .execute(connection)
        .await?;
    Ok(())
}

/// Readable name for a key: its last part, in words.
fn label(key: &str) -> String {
    let words = key.split_once(':').map_or(key, |(_, rest)| rest).replace(['_', ':'], " ");
    let mut characters = words.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

async fn plans(connection: &mut AsyncPgConnection) -> Result<()> {
    use plans::dsl;
    let rows: Vec<_> = PLANS
        .iter()
        .map(|plan| {
            (
                (
                    dsl::id.eq(id::new()),
                    dsl::slug.eq(plan.slug),
                    dsl::name.eq(plan.name),
                    dsl::currency.eq("EUR"),
                ),
                (
                    dsl::price_monthly.eq(plan.price_monthly),
                    dsl::price_yearly.eq(plan.price_yearly),
                    dsl::sort_order.eq(plan.sort_order),
                    dsl::max_accounts.eq(plan.max_accounts),
                ),
                (
                    dsl::max_overlays.eq(plan.max_overlays),
                    dsl::max_storage_bytes.eq(plan.max_storage_bytes),
                    dsl::max_upload_size_bytes.eq(plan.max_upload_size_bytes),
                    dsl::max_integrations.eq(plan.max_integrations),
                    dsl::chat_retention_days.eq(plan.chat_retention_days),
                ),
                (
                    dsl::max_sounds.eq(plan.max_sounds),
                    dsl::max_sound_file_size.eq(plan.max_sound_file_size),
                    dsl::max_sound_storage_bytes.eq(plan.max_sound_storage_bytes),
                    dsl::max_automations.eq(plan.max_automations),
                ),
            )
        })
        .collect();
    insert_into(plans::table).values(rows).on_conflict(dsl::slug).do_nothing().execute(connection).await?;
    Ok(())
}

/// Gives the seeded plans rows for every planned flag that has none yet, so that a flag of a later release
/// reaches the existing plans.
async fn features_of_plans(connection: &mut AsyncPgConnection) -> Result<()> {
    let plans: Vec<(uuid::Uuid, String)> =
        plans::table.select((plans::id, plans::slug)).load(connection).await?;
    let flags: Vec<(uuid::Uuid, String, String)> = feature_flags::table
        .select((feature_flags::id, feature_flags::key, feature_flags::category))
        .load(connection)
        .await?;
    let mut rows = Vec::new();
    for (plan_id, slug) in &plans {
        let Some(seed) = PLANS.iter().find(|seed| seed.slug == slug) else { continue };
        for (feature_id, key, category) in &flags {
            if catalogue::FeatureCategory::parse(category).is_some_and(catalogue::FeatureCategory::is_planned)
            {
                rows.push((
                    plan_features::plan_id.eq(*plan_id),
                    plan_features::feature_id.eq(*feature_id),
                    plan_features::enabled.eq(seed.includes(key)),
                ));
            }
        }
    }
    insert_into(plan_features::table).values(rows).on_conflict_do_nothing().execute(connection).await?;
    Ok(())
}

async fn user_roles(connection: &mut AsyncPgConnection) -> Result<()> {
    for role in catalogue::user_roles() {
        insert_into(user_roles::table)
            .values((
                user_roles::id.eq(id::new()),
                user_roles::slug.eq(role.slug),
                user_roles::name.eq(role.name),
                user_roles::is_default.eq(role.is_default),
                user_roles::is_system.eq(true),
                user_roles::permissions.eq(role.permissions.to_strings()),
            ))
            .on_conflict(user_roles::slug)
            .do_nothing()
            .execute(connection)
            .await?;
    }
    Ok(())
}
