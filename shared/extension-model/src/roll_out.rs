//! Moves of installs to other versions (reference/extensions.md#roll-out). Unpinned installs follow by
//! themselves as long as no version on the way is breaking and none asks for more than the account granted.
//! Installs of a revoked version fall back to the newest approved version that the account has consented to.

use chrono::{DateTime, Utc};
use diesel::{
    dsl::sql,
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Bool, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use semver::Version;
use uuid::Uuid;

use crate::{BATCH_SIZE, Manifest, MovedInstall, feeds::Egress, run_status};
use shared::{Result, schema::extension_versions};

/// True for versions that an install runs; reads one install of each version.
const IS_USED: &str =
    "EXISTS (SELECT FROM extension_installs AS installs WHERE installs.version_id = extension_versions.id)";

/// A published version.
#[derive(Debug, Clone)]
struct Step {
    id: Uuid,
    version: Version,
    /// False for revoked versions.
    runs: bool,
    /// True for approved versions; archived and revoked ones are no targets.
    is_target: bool,
    breaking: bool,
    permissions: Vec<String>,
    egress: Egress,
}

/// Moves up to [`BATCH_SIZE`] installs of an extension. Unpinned installs move to the newest version that each may
/// run without consent. Installs of a revoked version fall back to the newest approved version that asks for
/// nothing new, and their owners are notified. Call it, each time in a transaction of its own, until it
/// returns nothing; then announce the moved installs.
///
/// # Errors
/// Database failure, or a stored manifest that cannot be read.
pub async fn roll_out(
    connection: &mut AsyncPgConnection,
    extension_id: Uuid,
    now: DateTime<Utc>,
) -> Result<Vec<MovedInstall>> {
    let steps = steps(connection, extension_id).await?;
    let used: Vec<Uuid> = extension_versions::table
        .filter(extension_versions::extension_id.eq(extension_id))
        .filter(sql::<Bool>(IS_USED))
        .select(extension_versions::id)
        .load(connection)
        .await?;
    for from in steps.iter().filter(|step| used.contains(&step.id)) {
        for to in targets(&steps, from) {
            let moved = move_installs(connection, extension_id, from, to).await?;
            if moved.is_empty() {
                continue;
            }
            if !from.runs {
                run_status::notify_fall_back(connection, extension_id, &moved, &to.version, now).await?;
            }
            return Ok(moved);
        }
    }
    Ok(Vec::new())
}

/// True when an install of version `from` needs the account's consent for `to`: a version after `from` up to
/// `to` is breaking, or `asked` has a permission that is not in `granted`.
#[must_use]
pub fn consent_needed(
    from: &Version,
    to: &Version,
    breaking: &[Version],
    asked: &[String],
    granted: &[String],
) -> bool {
    let intermediate =
        |version: &&Version| version.cmp_precedence(from).is_gt() && version.cmp_precedence(to).is_le();
    breaking.iter().find(intermediate).is_some()
        || asked.iter().any(|permission| !granted.contains(permission))
}

/// Versions that installs of `from` may be moved to, the best first.
fn targets<'a>(steps: &'a [Step], from: &Step) -> Vec<&'a Step> {
    let later = steps.iter().filter(|step| step.version.cmp_precedence(&from.version).is_gt());
    let later = later.take_while(|step| !step.breaking).filter(|step| step.is_target);
    if from.runs {
        return later.last().into_iter().collect();
    }
    // The account was never asked for hosts or ports beyond those of its version. A later version with more
    // is not marked as breaking when there was no current version to compare it with.
    let earlier = steps.iter().filter(|step| step.version.cmp_precedence(&from.version).is_lt());
    let either = earlier.filter(|step| step.is_target).chain(later);
    let mut targets: Vec<&Step> = either.filter(|step| step.reaches_no_more_than(from)).collect();
    targets.reverse();
    targets
}

impl Step {
    fn reaches_no_more_than(&self, other: &Self) -> bool {
        let (ours, theirs) = (&self.egress, &other.egress);
        ours.allow_hosts.iter().all(|host| theirs.allow_hosts.contains(host))
            && ours.allow_ports.iter().all(|port| theirs.allow_ports.contains(port))
    }
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
                .map_err(|error| shared::Error::Internal(format!("version {version}: {error}")))?;
            let manifest = Manifest::stored(manifest)?;
            let egress = manifest.egress();
            let (runs, is_target) = (status != "revoked", status == "approved");
            Ok(Step { id, version, runs, is_target, breaking, permissions: manifest.permissions, egress })
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
    // Pinned installs leave a revoked version too: it does not run any more.
    let pinned = if from.runs { "AND pinned_version IS NULL" } else { "" };
    Ok(sql_query(format!(
        "UPDATE extension_installs AS installs SET version_id = $1, updated_at = now(),
                pinned_version = CASE WHEN pinned_version IS NULL THEN NULL ELSE $2 END
         FROM accounts
         WHERE accounts.id = installs.account_id
           AND installs.id IN (SELECT id FROM extension_installs
                               WHERE extension_id = $3 AND version_id = $4 AND granted_permissions @> $5 {pinned}
                               ORDER BY id LIMIT $6 FOR UPDATE)
         RETURNING installs.id, installs.account_id, accounts.owner_id"
    ))
    .bind::<SqlUuid, _>(to.id)
    .bind::<Text, _>(to.version.to_string())
    .bind::<SqlUuid, _>(extension_id)
    .bind::<SqlUuid, _>(from.id)
    .bind::<Array<Text>, _>(&to.permissions)
    .bind::<BigInt, _>(BATCH_SIZE)
    .load(connection)
    .await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(version: &str, status: &str, breaking: bool) -> Step {
        Step {
            id: shared::id::new(),
            version: Version::parse(version).unwrap(),
            runs: status != "revoked",
            is_target: status == "approved",
            breaking,
            permissions: Vec::new(),
            egress: Egress::default(),
        }
    }

    /// Targets of each version, the best first.
    fn moves(steps: &[Step]) -> Vec<Vec<String>> {
        let names = |from| targets(steps, from).iter().map(|to| to.version.to_string()).collect();
        steps.iter().map(names).collect()
    }

    #[test]
    fn roll_out_stops_before_a_breaking_version() {
        let steps = [
            step("1.0.0", "approved", false),
            step("1.1.0", "approved", false),
            step("2.0.0", "approved", true),
            step("2.0.1", "approved", false),
        ];
        assert_eq!(moves(&steps), [&["1.1.0"][..], &[], &["2.0.1"], &[]]);
    }

    #[test]
    fn roll_out_leaves_revoked_versions_and_never_targets_them() {
        let steps = [step("1.0.0", "approved", false), step("1.1.0", "revoked", false)];
        assert_eq!(moves(&steps), [&[][..], &["1.0.0"]]);
        assert_eq!(moves(&[step("1.0.0", "revoked", false)]), [[""; 0]]);
    }

    #[test]
    fn roll_out_falls_back_only_to_versions_that_need_no_consent() {
        let mut steps = [
            step("1.0.0", "approved", false),
            step("1.1.0", "approved", false),
            step("1.2.0", "archived", false),
            step("1.3.0", "revoked", false),
            step("1.4.0", "approved", false),
            step("2.0.0", "approved", true),
        ];
        assert_eq!(moves(&steps)[3], ["1.4.0", "1.1.0", "1.0.0"], "never over a breaking version");
        steps[1].egress.allow_hosts.push("old.example".into());
        assert_eq!(moves(&steps)[3], ["1.4.0", "1.0.0"], "never to what reaches more");
    }

    #[test]
    fn consent_needed_for_a_breaking_version_between_or_a_new_permission() {
        let [one, two, three] = ["1.0.0", "2.0.0", "3.0.0"].map(|text| Version::parse(text).unwrap());
        let asked = ["chat:read".to_owned()];
        assert!(!consent_needed(&one, &two, &[], &asked, &asked));
        assert!(consent_needed(&one, &two, &[], &asked, &[]));
        assert!(consent_needed(&one, &three, std::slice::from_ref(&two), &[], &[]));
        assert!(!consent_needed(&two, &three, std::slice::from_ref(&two), &[], &[]));
    }
}
