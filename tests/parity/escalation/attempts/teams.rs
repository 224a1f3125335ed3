//! Rights in teams of developers.

use serde_json::json;
use uuid::Uuid;

use super::{Actor, Attempt, Stage};

/// A team of the stage's owner, in which the actor holds one permission.
struct Team {
    id: Uuid,
    /// Role with every permission.
    great_role: Uuid,
    /// Membership of a person with that role.
    great: Uuid,
    /// Role and membership of the actor.
    own_role: Uuid,
    own: Uuid,
    /// Membership of the owner.
    owner: Uuid,
    owners_role: Uuid,
}

pub async fn of(stage: &Stage<'_>, actor: &Actor, operation: &str) -> Vec<Attempt> {
    let permission = match operation {
        "createDeveloperTeam" => return vec![creation()],
        "adminApproveDeveloperApplication" => return approvals(stage, actor).await,
        "acceptDeveloperTeamInvite" => "team-members:invite",
        "deleteDeveloperTeam" => "team-settings:read",
        "createDeveloperTeamRole" | "updateDeveloperTeamRole" | "deleteDeveloperTeamRole" => {
            "team-settings:edit"
        }
        "updateDeveloperTeamMemberRole" => "team-members:edit",
        "removeDeveloperTeamMember" => "team-members:remove",
        "createDeveloperTeamInvite" | "deleteDeveloperTeamInvite" => "team-members:invite",
        _ => return Vec::new(),
    };
    let team = team(stage, actor, permission).await;
    let at = |more: serde_json::Value| {
        let mut names = json!({ "id": team.id });
        let fields = more.as_object().cloned().unwrap_or_default();
        names.as_object_mut().expect("an object").extend(fields);
        names
    };
    let more = json!([permission, "team-payouts:edit"]);
    match operation {
        "acceptDeveloperTeamInvite" => {
            let code = invite(stage, &team, actor.user).await.1;
            let tried = "one that exceeds its maker, as a member";
            vec![Attempt::new(tried, json!({ "code": code }), json!({}))]
        }
        "deleteDeveloperTeam" => vec![Attempt::new("as a member", at(json!({})), json!({}))],
        "createDeveloperTeamRole" => {
            vec![Attempt::new(
                "with more than one's own",
                at(json!({})),
                json!({ "name": "More", "permissions": more }),
            )]
        }
        "updateDeveloperTeamRole" => vec![
            Attempt::new(
                "raising one's own",
                at(json!({ "rid": team.own_role })),
                json!({ "permissions": more }),
            ),
            Attempt::new(
                "lowering a greater one",
                at(json!({ "rid": team.great_role })),
                json!({ "permissions": [] }),
            ),
            Attempt::new(
                "lowering the owner's",
                at(json!({ "rid": team.owners_role })),
                json!({ "permissions": [] }),
            ),
        ],
        "deleteDeveloperTeamRole" => {
            vec![Attempt::new("a greater one", at(json!({ "rid": team.great_role })), json!({}))]
        }
        "updateDeveloperTeamMemberRole" => vec![
            Attempt::new(
                "raising oneself",
                at(json!({ "member_id": team.own })),
                json!({ "role_id": team.great_role }),
            ),
            Attempt::new(
                "lowering a greater one",
                at(json!({ "member_id": team.great })),
                json!({ "role_id": team.own_role }),
            ),
            Attempt::new(
                "lowering the owner",
                at(json!({ "member_id": team.owner })),
                json!({ "role_id": team.own_role }),
            ),
        ],
        "removeDeveloperTeamMember" => vec![
            Attempt::new("a greater one", at(json!({ "member_id": team.great })), json!({})),
            Attempt::new("the owner", at(json!({ "member_id": team.owner })), json!({})),
        ],
        "createDeveloperTeamInvite" => {
            vec![Attempt::new("with a greater role", at(json!({})), json!({ "role_id": team.great_role }))]
        }
        _ => {
            let invite = invite(stage, &team, stage.owner.user_id).await.0;
            vec![Attempt::new("the owner's", at(json!({ "invite_id": invite })), json!({}))]
        }
    }
}

fn creation() -> Attempt {
    let slug = format!("team-{}", &Uuid::now_v7().simple().to_string()[16..]);
    Attempt::new("without a developer profile", json!({}), json!({ "name": "Team", "slug": slug }))
}

/// Approvals of applications that were rejected: a later decision must not make a team.
async fn approvals(stage: &Stage<'_>, actor: &Actor) -> Vec<Attempt> {
    let mut attempts = Vec::new();
    for (tried, user) in
        [("an own rejected one", actor.user), ("a rejected one of a friend", stage.friend.user_id)]
    {
        let slug = format!("team-{}", Uuid::now_v7().simple());
        let sql = format!(
            "INSERT INTO developer_applications (id, user_id, application_type, display_name, slug, description,
                 motivation, what_to_build, status)
             SELECT gen_random_uuid(), '{user}', 'team', 'Team', '{slug}', 'd', 'm', 'w', 'rejected'
             WHERE $1 IS NOT NULL AND $2 IS NOT NULL RETURNING id"
        );
        attempts.push(Attempt::new(tried, json!({ "id": stage.row(&sql).await }), json!({})));
    }
    attempts
}

async fn team(stage: &Stage<'_>, actor: &Actor, permission: &str) -> Team {
    let slug = format!("team-{}", Uuid::now_v7().simple());
    let id = stage
        .row(&format!(
            "INSERT INTO developer_teams (id, owner_id, name, slug)
             SELECT gen_random_uuid(), $2, 'Team', '{slug}' WHERE $1 IS NOT NULL RETURNING id"
        ))
        .await;
    let every = "(SELECT permissions FROM developer_team_roles WHERE is_system AND team_id = TEAM)";
    let owners_role = role(stage, id, "Owner", &all(), true).await;
    let great_role = role(stage, id, "Great", &every.replace("TEAM", &format!("'{id}'")), false).await;
    let own_role = role(stage, id, "Own", &format!("ARRAY['{permission}']"), false).await;
    Team {
        id,
        owner: member(stage, id, stage.owner.user_id, owners_role).await,
        great: member(stage, id, stage.administrator.user_id, great_role).await,
        own: member(stage, id, actor.user, own_role).await,
        great_role,
        own_role,
        owners_role,
    }
}

/// Every permission as an array of SQL.
fn all() -> String {
    use shared::catalogue::{Permission, TeamPermission};
    let quoted: Vec<String> = TeamPermission::ALL.iter().map(|one| format!("'{one}'")).collect();
    format!("ARRAY[{}]", quoted.join(", "))
}

async fn role(stage: &Stage<'_>, team: Uuid, name: &str, permissions: &str, is_system: bool) -> Uuid {
    let sql = format!(
        "INSERT INTO developer_team_roles (id, team_id, slug, name, permissions, is_system)
         SELECT gen_random_uuid(), '{team}', lower('{name}'), '{name}', {permissions}, {is_system}
         WHERE $1 IS NOT NULL AND $2 IS NOT NULL RETURNING id"
    );
    stage.row(&sql).await
}

async fn member(stage: &Stage<'_>, team: Uuid, user: Uuid, role: Uuid) -> Uuid {
    let sql = format!(
        "INSERT INTO developer_team_members (id, team_id, user_id, role_id)
         SELECT gen_random_uuid(), '{team}', '{user}', '{role}'
         WHERE $1 IS NOT NULL AND $2 IS NOT NULL RETURNING id"
    );
    stage.row(&sql).await
}

/// An invite with the greater role, and its code.
async fn invite(stage: &Stage<'_>, team: &Team, maker: Uuid) -> (Uuid, String) {
    let code = Uuid::now_v7().simple().to_string();
    let sql = format!(
        "INSERT INTO developer_team_invites (id, team_id, role_id, code, max_uses, expires_at, created_by)
         SELECT gen_random_uuid(), '{}', '{}', '{code}', 1, now() + interval '1 day', '{maker}'
         WHERE $1 IS NOT NULL AND $2 IS NOT NULL RETURNING id",
        team.id, team.great_role
    );
    (stage.row(&sql).await, code)
}
