-- Extensions of teams return to the developer profile of the team's owner.
UPDATE extensions SET owner_developer_id = developer_profiles.id, owner_team_id = NULL
FROM developer_teams JOIN developer_profiles ON developer_profiles.user_id = developer_teams.owner_id
WHERE developer_teams.id = extensions.owner_team_id;
ALTER TABLE extensions DROP COLUMN owner_team_id;
DROP TABLE developer_team_invites, developer_team_members, developer_team_roles, developer_teams;
