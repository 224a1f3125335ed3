//! Rules of a developer's extensions, shared by the developer API and the main API.

use api_core::{Code, Cx, Patch, validate};
use chrono::{DateTime, Utc};
use developer_access::extensions::Owner;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use extension_model::{
    announce,
    limits::{self, LimitKey},
    release_objects,
};
use foundation::db::Connection;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{CreateExtensionBody, ExtensionRow, UpdateExtensionBody, db, listing, slug};
use crate::envelope::{DeveloperError, Result};

pub(crate) const MAX_NAME_LENGTH: usize = 255;
pub(crate) const MAX_SHORT_DESCRIPTION_LENGTH: usize = 255;
pub(crate) const MAX_DESCRIPTION_LENGTH: usize = 10_000;

/// Creates an extension, a private draft.
///
/// # Errors
/// 422 for an invalid field, for a price of a developer who is not verified, and above 25 extensions.
pub(crate) async fn create(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    owner: &Owner,
    body: CreateExtensionBody,
) -> Result<ExtensionRow> {
    let new = new_extension(body, owner, cx.state().clock.now())?;
    connection
        .transaction(async |connection| {
            let count = db::count_locked(connection, owner).await?;
            let max = max_extensions(connection, owner).await?;
            if count >= max {
                let message = format!("A developer can have at most {max} extensions");
                return Err(DeveloperError::invalid(message).on_main(Code::PlanLimitReached));
            }
            let row = db::insert(connection, new).await?;
            foundation::audit::record(connection, cx.audit("extension:created", "extension", row.id)).await?;
            Ok(row)
        })
        .await
}

/// Maximum number of extensions of an owner. That of a team is the one of the team's owner
/// (reference/teams.md#limits).
///
/// # Errors
/// Database failure.
pub(crate) async fn max_extensions(connection: &mut AsyncPgConnection, owner: &Owner) -> Result<i64> {
    Ok(match owner.profile {
        Some(profile) => limits::of_developer(connection, profile, LimitKey::MaxExtensions).await?,
        None => LimitKey::MaxExtensions.default_value(),
    })
}

fn new_extension(body: CreateExtensionBody, owner: &Owner, now: DateTime<Utc>) -> Result<db::NewExtension> {
    let pricing = listing::pricing(body.pricing.as_ref(), owner.verified)?;
    let name = validate::text("name", &body.name, 1, MAX_NAME_LENGTH)?;
    let short_description =
        validate::text("short_description", &body.short_description, 0, MAX_SHORT_DESCRIPTION_LENGTH)?;
    Ok(db::NewExtension {
        id: shared::id::new(),
        short_id: slug::short_id(),
        slug: slug::of(&name),
        owner_developer_id: owner.developer,
        owner_team_id: owner.team,
        description: validate::long_text("description", &body.description, 0, MAX_DESCRIPTION_LENGTH)?,
        short_description,
        name,
        pricing_type: pricing.pricing_type,
        pricing_amount: pricing.amount,
        pricing_interval: pricing.interval,
        created_at: now,
        updated_at: now,
    })
}

/// Checked changes of a body.
///
/// # Errors
/// 422 for an invalid field.
pub(crate) fn changes(body: UpdateExtensionBody, verified: bool, now: DateTime<Utc>) -> Result<db::Changes> {
    let text = |patch: Patch<String>, field: &str, min, max| {
        let given = patch.not_null(field)?;
        given.map(|given| validate::long_text(field, &given, min, max)).transpose()
    };
    let name = body.name.not_null("name")?;
    let pricing = body.pricing.not_null("pricing")?;
    let pricing = pricing.map(|given| listing::pricing(Some(&given), verified)).transpose()?;
    let visibility = body.visibility.not_null("visibility")?;
    Ok(db::Changes {
        name: name.map(|name| validate::text("name", &name, 1, MAX_NAME_LENGTH)).transpose()?,
        short_description: text(
            body.short_description,
            "short_description",
            0,
            MAX_SHORT_DESCRIPTION_LENGTH,
        )?,
        description: text(body.description, "description", 0, MAX_DESCRIPTION_LENGTH)?,
        pricing_type: pricing.map(|pricing| pricing.pricing_type),
        pricing_amount: pricing.map(|pricing| pricing.amount),
        pricing_interval: pricing.map(|pricing| pricing.interval),
        visibility: visibility.map(|given| listing::visibility(&given, verified)).transpose()?,
        updated_at: now,
        ..db::Changes::default()
    })
}

/// Checks a slug that a developer chose (reference/developers.md#slug).
///
/// # Errors
/// 422 with the broken rule.
pub(crate) fn chosen_slug(slug: &str) -> Result<String> {
    slug::check(slug).map(|()| slug.to_owned()).map_err(DeveloperError::invalid)
}

/// Changes an extension of the developer's own.
///
/// # Errors
/// 404 when the developer has no such extension. On the main API 409 for a slug that may not change or is
/// taken, and for archiving an extension that is not approved.
pub(crate) async fn update(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    owner: &Owner,
    id: Uuid,
    changes: db::Changes,
) -> Result<ExtensionRow> {
    connection
        .transaction(async |connection| {
            let before = db::find_locked(connection, owner, id).await?;
            let changes = admissible(connection, &before, changes).await?;
            let metadata = audit_metadata(&before, &changes);
            let row = db::update(connection, owner, id, changes).await?;
            let entry =
                foundation::audit::Entry { metadata, ..cx.audit("extension:updated", "extension", id) };
            foundation::audit::record(connection, entry).await?;
            Ok(row)
        })
        .await
}

/// Applies the rules that depend on the present state of the extension.
async fn admissible(
    connection: &mut AsyncPgConnection,
    before: &ExtensionRow,
    mut changes: db::Changes,
) -> Result<db::Changes> {
    let refuse = |message: &str| Err(DeveloperError::invalid(message).on_main(Code::Conflict));
    if changes.status.is_some() && before.status != "approved" {
        return refuse("Only an approved extension can be archived");
    }
    changes.slug = changes.slug.filter(|slug| *slug != before.slug);
    if let Some(slug) = &changes.slug {
        if before.listed_at.is_some() {
            return refuse("The slug is frozen after the first public listing");
        }
        if before.slug_changed_at.is_some() {
            return refuse("The slug can be changed once only");
        }
        if db::is_taken(connection, slug, before.id).await? {
            return refuse("Slug is already taken");
        }
        changes.slug_changed_at = Some(changes.updated_at);
    }
    Ok(changes)
}

/// Metadata of the audit entry: the changes of visibility, slug and status.
fn audit_metadata(before: &ExtensionRow, changes: &db::Changes) -> Value {
    let mut changed = Map::new();
    for (field, from, to) in [
        ("visibility", &before.visibility, changes.visibility.as_deref()),
        ("slug", &before.slug, changes.slug.as_deref()),
        ("status", &before.status, changes.status),
    ] {
        if let Some(to) = to {
            changed.insert(field.to_owned(), json!({ "from": from, "to": to }));
        }
    }
    Value::Object(changed)
}

/// Deletes an extension that was never publicly listed, with its installs.
///
/// # Errors
/// 404 when the developer has no such extension; 422 (on the main API 409) when it was ever listed.
pub(crate) async fn delete(cx: &Cx, mut connection: Connection<'_>, owner: &Owner, id: Uuid) -> Result<()> {
    let now = cx.state().clock.now();
    let installs = connection
        .transaction(async |connection| {
            let row = db::find_locked(connection, owner, id).await?;
            if row.listed_at.is_some() {
                let message = "An extension that was publicly listed cannot be deleted";
                return Err(DeveloperError::invalid(message).on_main(Code::Conflict));
            }
            release_objects(connection, id, now).await?;
            let installs = db::delete(connection, owner, id).await?;
            foundation::audit::record(connection, cx.audit("extension:deleted", "extension", id)).await?;
            Ok(installs)
        })
        .await?;
    drop(connection);
    for (account, install) in installs {
        if let Err(error) = announce_removal(cx, account, install).await {
            tracing::warn!(%error, %account, "the removal of an install was not announced");
        }
    }
    Ok(())
}

/// Announces to the workers and sockets of an account that an install is gone.
async fn announce_removal(cx: &Cx, account: Uuid, install: Uuid) -> shared::Result<()> {
    let state = cx.state();
    announce::refresh(&state.redis, account).await?;
    let data = json!({ "id": install });
    announce::publish(&state.events, &state.clock, account, "install:removed", data).await
}
