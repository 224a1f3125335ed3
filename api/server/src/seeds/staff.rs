//! The System Admin role, and the permissions that no other role of operator staff may hold
//! (reference/permissions.md#reserved-permissions). Rows of earlier releases, which let staff change all of
//! this, are corrected.

use diesel::{insert_into, prelude::*, sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use shared::{
    Result,
    catalogue::{self, AdminPermission, Permission, PermissionSet, is_reserved},
    id,
    schema::admin_roles::dsl,
};

/// Inserts the System Admin role, or restores the name and every permission of this release of the existing
/// one. Another role that took the name gets the beginning of its id as a suffix.
pub(super) async fn system_admin(connection: &mut AsyncPgConnection) -> Result<()> {
    let seed = catalogue::system_admin();
    sql_query(
        "UPDATE admin_roles SET name = name || ' ' || left(id::text, 8), updated_at = now()
         WHERE NOT is_system AND lower(name) = lower($1)",
    )
    .bind::<Text, _>(seed.name)
    .execute(connection)
    .await?;
    let permissions = seed.permissions.to_strings();
    let restored = diesel::update(dsl::admin_roles.filter(dsl::is_system))
        .set((dsl::name.eq(seed.name), dsl::permissions.eq(&permissions)))
        .execute(connection)
        .await?;
    if restored == 0 {
        insert_into(dsl::admin_roles)
            .values((
                dsl::id.eq(id::new()),
                dsl::seed.eq(seed.slug),
                dsl::name.eq(seed.name),
                dsl::description.eq(seed.description),
                dsl::is_system.eq(true),
                dsl::permissions.eq(permissions),
            ))
            .on_conflict_do_nothing()
            .execute(connection)
            .await?;
    }
    Ok(())
}

/// Removes the reserved permissions from every other role.
pub(super) async fn reserved_permissions(connection: &mut AsyncPgConnection) -> Result<()> {
    let roles: Vec<(Uuid, Vec<String>)> = dsl::admin_roles
        .filter(dsl::is_system.eq(false))
        .select((dsl::id, dsl::permissions))
        .load(connection)
        .await?;
    for (role, held) in roles {
        let allowed = without_reserved(&held);
        if allowed != held {
            diesel::update(dsl::admin_roles.find(role))
                .set(dsl::permissions.eq(allowed))
                .execute(connection)
                .await?;
        }
    }
    Ok(())
}

/// Permissions without the reserved ones. A wildcard that covers a reserved one is replaced by the others
/// that it covers.
fn without_reserved(held: &[String]) -> Vec<String> {
    held.iter()
        .flat_map(|text| {
            let meant: PermissionSet<AdminPermission> = PermissionSet::from_strings([text]);
            if meant.iter().any(is_reserved) {
                let allowed = meant.iter().filter(|permission| !is_reserved(*permission));
                allowed.map(|permission| permission.as_str().to_owned()).collect()
            } else {
                vec![text.clone()]
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_reserved_removes_reserved_permissions_also_from_wildcards() {
        let left = |texts: &[&str]| {
            without_reserved(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(
            left(&["users:read", "crawler:scope-edit", "legacy:thing"]),
            ["users:read", "legacy:thing"]
        );
        assert_eq!(left(&["crawler:*", "csp-reports:*"]), Vec::<String>::new());
        assert_eq!(left(&["users:*", "admin:*"]), ["users:*", "admin:access"]);
        assert!(!left(&["copyright:*"]).contains(&"copyright:moderate".to_owned()));
        assert!(left(&["copyright:*"]).contains(&"copyright:read".to_owned()));
    }
}
