//! Bringing installs to newer versions (specification C B1.3): unpinned installs follow by themselves as long as no
//! version on the way is breaking and none asks for more than the account granted.

use diesel::{
    QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use semver::Version;
use uuid::Uuid;

use super::Manifest;
use crate::{
    Result,
    db::schema::{extension_installs, extension_versions},
};

/// Installs that one call moves at most.
pub const BATCH: i64 = 500;

/// An install that runs another version now.
#[derive(Debug, Clone, PartialEq, Eq, QueryableByName)]
pub struct MovedInstall {
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
}

/// A version as the roll-out sees it.
#[derive(Debug, Clone)]
struct Step {
    id: Uuid,
    version: Version,
    /// Whether installs may run it at all.
    runs: bool,
    /// Whether installs may be moved to it: archived and revoked ones are no targets.
    is_target: bool,
    breaking: bool,
    permissions: Vec<String>,
}

/// Moves up to [`BATCH`] unpinned installs of an extension to the newest version that each may run without consent;
/// installs of a revoked version fall back to the newest approved one. Call it until it answers nothing, each time in
/// a transaction of its own; then announce what was moved.
///
/// # Errors
/// When the database fails or a stored manifest cannot be read.
pub async fn roll_out(connection: &mut AsyncPgConnection, extension_id: Uuid) -> Result<Vec<MovedInstall>> {
    let steps = steps(connection, extension_id).await?;
    let used: Vec<Uuid> = extension_installs::table
        .filter(extension_installs::extension_id.eq(extension_id))
        .select(extension_installs::version_id)
        .distinct()
        .load(connection)
        .await?;
    for from in steps.iter().filter(|step| used.contains(&step.id)) {
        let Some(to) = target(&steps, from) else { continue };
        let moved = move_installs(connection, extension_id, from, to).await?;
        if !moved.is_empty() {
            return Ok(moved);
        }
    }
    Ok(Vec::new())
}

/// Whether an install of version `from` needs the account's consent for `to`: a version after `from` up to `to` is
/// breaking, or `asked` has a permission that is not in `granted`.
#[must_use]
pub fn consent_needed(
    from: &Version,
    to: &Version,
    breaking: &[Version],
    asked: &[String],
    granted: &[String],
) -> bool {
    let on_the_way =
        |version: &&Version| version.cmp_precedence(from).is_gt() && version.cmp_precedence(to).is_le();
    breaking.iter().find(on_the_way).is_some() || asked.iter().any(|permission| !granted.contains(permission))
}

/// The newest version that installs of `from` may be moved to.
fn target<'a>(steps: &'a [Step], from: &Step) -> Option<&'a Step> {
    if !from.runs {
        return steps.iter().rfind(|step| step.is_target);
    }
    steps
        .iter()
        .filter(|step| step.version.cmp_precedence(&from.version).is_gt())
        .take_while(|step| !step.breaking)
        .filter(|step| step.is_target)
        .last()
}

/// Every version that was ever published, oldest first.
async fn steps(connection: &mut AsyncPgConnection, extension_id: Uuid) -> Result<Vec<Step>> {
    let rows: Vec<(Uuid, String, String, bool, serde_json::Value)> = extension_versions::table
        .filter(extension_versions::extension_id.eq(extension_id))
        .filter(extension_versions::status.eq_any(["approved", "archived", "revoked"]))
        .select((
            extension_versions::id,
            extension_versions::version,
            extension_versions::status,
            extension_versions::breaking,
            extension_versions::manifest,
        ))
        .load(connection)
        .await?;
    let mut steps = rows
        .into_iter()
        .map(|(id, version, status, breaking, manifest)| {
            let version = Version::parse(&version)
                .map_err(|error| crate::Error::Internal(format!("version {version}: {error}")))?;
            let permissions = Manifest::stored(manifest)?.permissions;
            let is_target = status == "approved";
            Ok(Step { id, version, runs: status != "revoked", is_target, breaking, permissions })
        })
        .collect::<Result<Vec<Step>>>()?;
    steps.sort_by(|a, b| a.version.cmp_precedence(&b.version));
    Ok(steps)
}

async fn move_installs(
    connection: &mut AsyncPgConnection,
    extension_id: Uuid,
    from: &Step,
    to: &Step,
) -> Result<Vec<MovedInstall>> {
    // A revoked version is left even by pinned installs: nothing else of it would run.
    let pinned = if from.runs { "AND pinned_version IS NULL" } else { "" };
    Ok(sql_query(format!(
        "UPDATE extension_installs SET version_id = $1, updated_at = now(),
                pinned_version = CASE WHEN pinned_version IS NULL THEN NULL ELSE $2 END
         WHERE id IN (SELECT id FROM extension_installs
                      WHERE extension_id = $3 AND version_id = $4 AND granted_permissions @> $5 {pinned}
                      ORDER BY id LIMIT $6 FOR UPDATE)
         RETURNING id, account_id"
    ))
    .bind::<SqlUuid, _>(to.id)
    .bind::<Text, _>(to.version.to_string())
    .bind::<SqlUuid, _>(extension_id)
    .bind::<SqlUuid, _>(from.id)
    .bind::<Array<Text>, _>(&to.permissions)
    .bind::<BigInt, _>(BATCH)
    .load(connection)
    .await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(version: &str, status: &str, breaking: bool) -> Step {
        Step {
            id: crate::id::new(),
            version: Version::parse(version).unwrap(),
            runs: status != "revoked",
            is_target: status == "approved",
            breaking,
            permissions: Vec::new(),
        }
    }

    fn targets(steps: &[Step]) -> Vec<Option<String>> {
        steps.iter().map(|from| target(steps, from).map(|to| to.version.to_string())).collect()
    }

    #[test]
    fn installs_stop_before_a_breaking_version() {
        let steps = [
            step("1.0.0", "approved", false),
            step("1.1.0", "approved", false),
            step("2.0.0", "approved", true),
            step("2.0.1", "approved", false),
        ];
        let to = |version: &str| Some(version.to_owned());
        assert_eq!(targets(&steps), [to("1.1.0"), None, to("2.0.1"), None]);
    }

    #[test]
    fn revoked_versions_are_left_and_never_targets() {
        let steps = [step("1.0.0", "approved", false), step("1.1.0", "revoked", false)];
        assert_eq!(targets(&steps), [None, Some("1.0.0".to_owned())]);
        assert_eq!(targets(&[step("1.0.0", "revoked", false)]), [None]);
    }

    #[test]
    fn consent_is_needed_for_a_breaking_version_on_the_way_or_a_new_permission() {
        let [one, two, three] = ["1.0.0", "2.0.0", "3.0.0"].map(|text| Version::parse(text).unwrap());
        let asked = ["chat:read".to_owned()];
        assert!(!consent_needed(&one, &two, &[], &asked, &asked));
        assert!(consent_needed(&one, &two, &[], &asked, &[]));
        assert!(consent_needed(&one, &three, std::slice::from_ref(&two), &[], &[]));
        assert!(!consent_needed(&two, &three, std::slice::from_ref(&two), &[], &[]));
    }
}
