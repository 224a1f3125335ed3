"""Generated from the OpenAPI document by `./scripts/clients --update`. Edits are lost."""

from __future__ import annotations

from typing import Any, Literal

from ..transport import AsyncTransport, Body, Transport, path_of
from . import models


class Operations:
    """Operations of the REST API by their names, for blocking code."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def abandon_extension_version(self, id: str, v: str, *, idempotency_key: str | None = None) -> models.EnvelopedDeveloperVersion:
        """Abandons a version in testing.

        `POST /v1/developer/extensions/{id}/versions/{v}/abandon`
        """
        result: models.EnvelopedDeveloperVersion = self._transport.json("POST", path_of("/v1/developer/extensions/{id}/versions/{v}/abandon", id, v), header={"Idempotency-Key": idempotency_key})
        return result

    def accept_developer_team_invite(self, code: str, *, idempotency_key: str | None = None) -> models.EnvelopedDeveloperTeam:
        """Accepts an invite: the caller becomes a member of the team with the invite's role.

        `POST /v1/developer/team-invites/{code}/accept`
        """
        result: models.EnvelopedDeveloperTeam = self._transport.json("POST", path_of("/v1/developer/team-invites/{code}/accept", code), header={"Idempotency-Key": idempotency_key})
        return result

    def accept_extension_update(self, id: str, *, body: models.AcceptExtensionUpdateInput, idempotency_key: str | None = None) -> models.EnvelopedExtensionInstall:
        """Updates an install to the extension's current version, with the account's consent.

        `POST /v1/extension-installs/{id}/update`
        """
        result: models.EnvelopedExtensionInstall = self._transport.json("POST", path_of("/v1/extension-installs/{id}/update", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def accept_invite(self, code: str, *, idempotency_key: str | None = None) -> models.EnvelopedJoinedAccount:
        """Accepts an invite: the caller becomes a member of the account with the invite's role.

        `POST /v1/invites/{code}/accept`
        """
        result: models.EnvelopedJoinedAccount = self._transport.json("POST", path_of("/v1/invites/{code}/accept", code), header={"Idempotency-Key": idempotency_key})
        return result

    def account(self, id: str) -> models.EnvelopedAccount:
        """Returns the account that the caller acts in.

        `GET /v1/accounts/{id}`
        """
        result: models.EnvelopedAccount = self._transport.json("GET", path_of("/v1/accounts/{id}", id))
        return result

    def account_archive(self, id: str, archive_id: str) -> models.EnvelopedAccountArchive:
        """Returns an archive of an account, with the address of its content once it is ready.

        `GET /v1/accounts/{id}/archives/{archive_id}`
        """
        result: models.EnvelopedAccountArchive = self._transport.json("GET", path_of("/v1/accounts/{id}/archives/{archive_id}", id, archive_id))
        return result

    def account_archives(self, id: str) -> models.ListedAccountArchive:
        """Lists the archives of an account, newest first.

        `GET /v1/accounts/{id}/archives`
        """
        result: models.ListedAccountArchive = self._transport.json("GET", path_of("/v1/accounts/{id}/archives", id))
        return result

    def account_feature_statuses(self, id: str, *, if_none_match: str | None = None) -> models.ListedFeatureStatus:
        """Lists the status of every feature flag of the active account, with the reason why a flag is off.

        `GET /v1/accounts/{id}/feature-statuses`
        """
        result: models.ListedFeatureStatus = self._transport.json("GET", path_of("/v1/accounts/{id}/feature-statuses", id), header={"If-None-Match": if_none_match})
        return result

    def account_features(self, id: str, *, if_none_match: str | None = None) -> models.ListedString:
        """Returns the feature flags of the active account.

        `GET /v1/accounts/{id}/enabled-features`
        """
        result: models.ListedString = self._transport.json("GET", path_of("/v1/accounts/{id}/enabled-features", id), header={"If-None-Match": if_none_match})
        return result

    def account_login_assignments(self, *, user_id: str | None = None) -> models.ListedLoginAssignment:
        """Lists the login assignments of the account, or of one member.

        `GET /v1/accounts/login-assignments`
        """
        result: models.ListedLoginAssignment = self._transport.json("GET", "/v1/accounts/login-assignments", query={"user_id": user_id})
        return result

    def account_permissions(self) -> models.ListedAccountPermissionInfo:
        """Lists the permissions that a role may hold, in the order of the catalogue.

        `GET /v1/roles/permissions`
        """
        result: models.ListedAccountPermissionInfo = self._transport.json("GET", "/v1/roles/permissions")
        return result

    def account_service_keys(self) -> models.ListedAccountServiceKey:
        """Lists the service keys of the account.

        `GET /v1/service-keys`
        """
        result: models.ListedAccountServiceKey = self._transport.json("GET", "/v1/service-keys")
        return result

    def account_settings(self, *, if_none_match: str | None = None) -> models.EnvelopedAccountSettings:
        """Returns the settings of the account.

        `GET /v1/settings`
        """
        result: models.EnvelopedAccountSettings = self._transport.json("GET", "/v1/settings", header={"If-None-Match": if_none_match})
        return result

    def accounts(self, *, if_none_match: str | None = None) -> models.ListedAccount:
        """Lists the accounts of the caller.

        `GET /v1/accounts`
        """
        result: models.ListedAccount = self._transport.json("GET", "/v1/accounts", header={"If-None-Match": if_none_match})
        return result

    def add_blocked_song(self, *, body: models.CopyrightSongInput, idempotency_key: str | None = None) -> models.EnvelopedListedSong:
        """Adds a song to the account's list of blocked songs.

        `POST /v1/copyright/blocked-songs`
        """
        result: models.EnvelopedListedSong = self._transport.json("POST", "/v1/copyright/blocked-songs", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def add_safe_song(self, *, body: models.CopyrightSongInput, idempotency_key: str | None = None) -> models.EnvelopedListedSong:
        """Adds a song to the account's list of safe songs.

        `POST /v1/copyright/safe-songs`
        """
        result: models.EnvelopedListedSong = self._transport.json("POST", "/v1/copyright/safe-songs", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def add_to_watchlist(self, *, body: models.AddToWatchlistInput, idempotency_key: str | None = None) -> models.EnvelopedWatchlistEntry:
        """Adds a channel to the caller's watchlist.

        `POST /v1/watchlist`
        """
        result: models.EnvelopedWatchlistEntry = self._transport.json("POST", "/v1/watchlist", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def admin_account(self, id: str) -> models.EnvelopedAdminAccount:
        """Returns an account with its connections.

        `GET /v1/admin/accounts/{id}`
        """
        result: models.EnvelopedAdminAccount = self._transport.json("GET", path_of("/v1/admin/accounts/{id}", id))
        return result

    def admin_account_feature_overrides(self, id: str) -> models.ListedAccountFeatureOverride:
        """Lists the feature overrides of an account.

        `GET /v1/admin/accounts/{id}/feature-overrides`
        """
        result: models.ListedAccountFeatureOverride = self._transport.json("GET", path_of("/v1/admin/accounts/{id}/feature-overrides", id))
        return result

    def admin_account_limits(self, id: str) -> models.EnvelopedAccountLimits:
        """Returns the limits of an account that have priority over its plan.

        `GET /v1/admin/accounts/{id}/limits`
        """
        result: models.EnvelopedAccountLimits = self._transport.json("GET", path_of("/v1/admin/accounts/{id}/limits", id))
        return result

    def admin_account_permission_overrides(self, id: str) -> models.ListedAccountPermissionOverride:
        """Lists the permission overrides of an account, by permission.

        `GET /v1/admin/accounts/{id}/permission-overrides`
        """
        result: models.ListedAccountPermissionOverride = self._transport.json("GET", path_of("/v1/admin/accounts/{id}/permission-overrides", id))
        return result

    def admin_accounts(self, *, search: str | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionAdminAccountSummary:
        """Lists accounts, newest first.

        `GET /v1/admin/accounts`
        """
        result: models.CollectionAdminAccountSummary = self._transport.json("GET", "/v1/admin/accounts", query={"search": search, "page": page, "limit": limit})
        return result

    def admin_add_crawler_watchlist_entry(self, *, body: models.AdminAddCrawlerWatchlistEntryInput, idempotency_key: str | None = None) -> models.EnvelopedCrawlerWatchlistEntry:
        """Adds a channel that is crawled outside of the scope.

        `POST /v1/admin/crawler/watchlist`
        """
        result: models.EnvelopedCrawlerWatchlistEntry = self._transport.json("POST", "/v1/admin/crawler/watchlist", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def admin_add_user_membership(self, id: str, *, body: models.AdminAddUserMembershipInput, idempotency_key: str | None = None) -> models.EnvelopedAdminUserMembership:
        """Makes a person a member of an account.

        `POST /v1/admin/users/{id}/memberships`
        """
        result: models.EnvelopedAdminUserMembership = self._transport.json("POST", path_of("/v1/admin/users/{id}/memberships", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def admin_approve_copyright_candidate(self, id: str, *, idempotency_key: str | None = None) -> models.EnvelopedCopyrightCandidate:
        """Approves a candidate: the song enters a list of all accounts.

        `POST /v1/admin/copyright/candidates/{id}/approve`
        """
        result: models.EnvelopedCopyrightCandidate = self._transport.json("POST", path_of("/v1/admin/copyright/candidates/{id}/approve", id), header={"Idempotency-Key": idempotency_key})
        return result

    def admin_approve_developer_application(self, id: str, *, body: models.AdminApproveDeveloperApplicationInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperApplicationDecision:
        """Approves an application: the applicant becomes a developer.

        `POST /v1/admin/developer-applications/{id}/approve`
        """
        result: models.EnvelopedDeveloperApplicationDecision = self._transport.json("POST", path_of("/v1/admin/developer-applications/{id}/approve", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def admin_approve_developer_verification(self, id: str, *, body: models.AdminApproveDeveloperVerificationInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperVerificationDecision:
        """Approves a verification: the developer is verified and may sell extensions and be paid.

        `POST /v1/admin/developer-verifications/{id}/approve`
        """
        result: models.EnvelopedDeveloperVerificationDecision = self._transport.json("POST", path_of("/v1/admin/developer-verifications/{id}/approve", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def admin_approve_extension_testing(self, id: str, *, idempotency_key: str | None = None) -> models.EnvelopedReviewVersion:
        """Approves a version for testing.

        `POST /v1/admin/extension-versions/{id}/approve-testing`
        """
        result: models.EnvelopedReviewVersion = self._transport.json("POST", path_of("/v1/admin/extension-versions/{id}/approve-testing", id), header={"Idempotency-Key": idempotency_key})
        return result

    def admin_assign_user_role(self, id: str, *, body: models.AssignAdminRoleInput, idempotency_key: str | None = None) -> models.AdminRoleAssigned:
        """Assigns a role of operator staff to a person.

        `POST /v1/admin/admin-roles/{id}/members`
        """
        result: models.AdminRoleAssigned = self._transport.json("POST", path_of("/v1/admin/admin-roles/{id}/members", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def admin_audit(self, *, scope: Literal['system', 'account', 'user'] | None = None, action: str | None = None, actor_id: str | None = None, account_id: str | None = None, from_: str | None = None, to: str | None = None, page: int | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionAuditEntry:
        """Lists one page of the audit logs of the deployment.

        `GET /v1/admin/audit`
        """
        result: models.CollectionAuditEntry = self._transport.json("GET", "/v1/admin/audit", query={"scope": scope, "action": action, "actor_id": actor_id, "account_id": account_id, "from": from_, "to": to, "page": page, "limit": limit, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    def admin_authorize_bot(self, platform: str, *, body: models.AuthorizeInput) -> models.EnvelopedOauthAuthorization:
        """Begins to connect a bot of the deployment.

        `POST /v1/admin/bot-connections/{platform}/authorize`
        """
        result: models.EnvelopedOauthAuthorization = self._transport.json("POST", path_of("/v1/admin/bot-connections/{platform}/authorize", platform), body=Body("json", "application/json", body))
        return result

    def admin_bot_commands(self, *, scope: Literal['global', 'account'] | None = None, search: str | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionBotCommand:
        """Lists the global commands, or the commands of all accounts, by name.

        `GET /v1/admin/bot-commands`
        """
        result: models.CollectionBotCommand = self._transport.json("GET", "/v1/admin/bot-commands", query={"scope": scope, "search": search, "page": page, "limit": limit})
        return result

    def admin_bot_connections(self) -> models.ListedBotConnection:
        """Lists the bots of the deployment.

        `GET /v1/admin/bot-connections`
        """
        result: models.ListedBotConnection = self._transport.json("GET", "/v1/admin/bot-connections")
        return result

    def admin_bot_control(self, *, platform: str | None = None, search: str | None = None, page: int | None = None, limit: int | None = None, if_none_match: str | None = None) -> models.CollectionBotControlRow:
        """Lists the bots of every account, by account and platform.

        `GET /v1/admin/bot-control`
        """
        result: models.CollectionBotControlRow = self._transport.json("GET", "/v1/admin/bot-control", query={"platform": platform, "search": search, "page": page, "limit": limit}, header={"If-None-Match": if_none_match})
        return result

    def admin_copyright_candidates(self, *, status: models.CopyrightCandidateStatus | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionCopyrightCandidate:
        """Lists the candidates, newest first.

        `GET /v1/admin/copyright/candidates`
        """
        result: models.CollectionCopyrightCandidate = self._transport.json("GET", "/v1/admin/copyright/candidates", query={"status": status, "page": page, "limit": limit})
        return result

    def admin_coupons(self, *, is_active: bool | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionCoupon:
        """Lists the coupons of the deployment.

        `GET /v1/admin/coupons`
        """
        result: models.CollectionCoupon = self._transport.json("GET", "/v1/admin/coupons", query={"is_active": is_active, "page": page, "limit": limit})
        return result

    def admin_crawler_scope(self) -> models.EnvelopedCrawlerScope:
        """Returns the scope of the crawler.

        `GET /v1/admin/crawler/scope`
        """
        result: models.EnvelopedCrawlerScope = self._transport.json("GET", "/v1/admin/crawler/scope")
        return result

    def admin_crawler_watchlist(self, *, page: int | None = None, limit: int | None = None) -> models.CollectionCrawlerWatchlistEntry:
        """Lists the channels that are crawled outside of the scope, newest first.

        `GET /v1/admin/crawler/watchlist`
        """
        result: models.CollectionCrawlerWatchlistEntry = self._transport.json("GET", "/v1/admin/crawler/watchlist", query={"page": page, "limit": limit})
        return result

    def admin_create_bot_command(self, *, body: models.CreateBotCommandInput, idempotency_key: str | None = None) -> models.EnvelopedBotCommand:
        """Creates a global command, which every account has at once.

        `POST /v1/admin/bot-commands`
        """
        result: models.EnvelopedBotCommand = self._transport.json("POST", "/v1/admin/bot-commands", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def admin_create_coupon(self, *, body: models.AdminCreateCouponInput, idempotency_key: str | None = None) -> models.EnvelopedCoupon:
        """Creates a coupon.

        `POST /v1/admin/coupons`
        """
        result: models.EnvelopedCoupon = self._transport.json("POST", "/v1/admin/coupons", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def admin_create_oauth_client(self, *, body: models.AdminCreateOauthClientInput, idempotency_key: str | None = None) -> models.EnvelopedOauthClient:
        """Creates an OAuth client.

        `POST /v1/admin/oauth-clients`
        """
        result: models.EnvelopedOauthClient = self._transport.json("POST", "/v1/admin/oauth-clients", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def admin_create_plan(self, *, body: models.AdminCreatePlanInput, idempotency_key: str | None = None) -> models.EnvelopedAdminPlan:
        """Creates a plan.

        `POST /v1/admin/plans`
        """
        result: models.EnvelopedAdminPlan = self._transport.json("POST", "/v1/admin/plans", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def admin_create_role(self, *, body: models.CreateAdminRoleInput, idempotency_key: str | None = None) -> models.EnvelopedAdminRole:
        """Creates a role of operator staff.

        `POST /v1/admin/admin-roles`
        """
        result: models.EnvelopedAdminRole = self._transport.json("POST", "/v1/admin/admin-roles", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def admin_create_system_key(self, *, body: models.AdminCreateSystemKeyInput, idempotency_key: str | None = None) -> models.EnvelopedCreatedSystemKeyKeyLinks:
        """Creates a system key.

        `POST /v1/admin/system-keys`
        """
        result: models.EnvelopedCreatedSystemKeyKeyLinks = self._transport.json("POST", "/v1/admin/system-keys", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def admin_csp_reports(self, *, directive: str | None = None, page: int | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionCspReport:
        """Lists the reports of browsers, newest first.

        `GET /v1/admin/csp-reports`
        """
        result: models.CollectionCspReport = self._transport.json("GET", "/v1/admin/csp-reports", query={"directive": directive, "page": page, "limit": limit, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    def admin_deactivate_coupon(self, id: str) -> None:
        """Deactivates a coupon.

        `DELETE /v1/admin/coupons/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/admin/coupons/{id}", id))

    def admin_delete_account(self, id: str) -> None:
        """Deletes an account with everything in it.

        `DELETE /v1/admin/accounts/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/admin/accounts/{id}", id))

    def admin_delete_bot_command(self, id: str) -> None:
        """Deletes a global command with the overrides of accounts.

        `DELETE /v1/admin/bot-commands/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/admin/bot-commands/{id}", id))

    def admin_delete_discord_guild(self, id: str) -> None:
        """Unlinks a Discord server from its account.

        `DELETE /v1/admin/discord-guilds/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/admin/discord-guilds/{id}", id))

    def admin_delete_oauth_client(self, id: str) -> None:
        """Deletes an OAuth client, whose hosts are no longer allowed as return addresses.

        `DELETE /v1/admin/oauth-clients/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/admin/oauth-clients/{id}", id))

    def admin_delete_plan(self, id: str) -> None:
        """Deletes a plan that no account is on.

        `DELETE /v1/admin/plans/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/admin/plans/{id}", id))

    def admin_delete_role(self, id: str) -> None:
        """Deletes a role of operator staff with its permissions and assignments.

        `DELETE /v1/admin/admin-roles/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/admin/admin-roles/{id}", id))

    def admin_delete_se_token(self, id: str) -> None:
        """Deletes a token of an account. Tips of its channel are no longer received.

        `DELETE /v1/admin/se-tokens/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/admin/se-tokens/{id}", id))

    def admin_delete_system_connection(self, platform: str, *, kind: models.SystemConnectionKind | None = None) -> None:
        """Deletes the applications of the deployment on a platform, of one kind or of every kind.

        `DELETE /v1/admin/system-connections/{platform}`
        """
        self._transport.nothing("DELETE", path_of("/v1/admin/system-connections/{platform}", platform), query={"kind": kind})

    def admin_delete_system_key(self, id: str) -> None:
        """Revokes a system key.

        `DELETE /v1/admin/system-keys/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/admin/system-keys/{id}", id))

    def admin_delete_user(self, id: str) -> None:
        """Deletes a person with the accounts that the person owns.

        `DELETE /v1/admin/users/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/admin/users/{id}", id))

    def admin_developer_application(self, id: str) -> models.EnvelopedDeveloperApplication:
        """Returns an application of a person to become a developer.

        `GET /v1/admin/developer-applications/{id}`
        """
        result: models.EnvelopedDeveloperApplication = self._transport.json("GET", path_of("/v1/admin/developer-applications/{id}", id))
        return result

    def admin_developer_applications(self, *, status: models.DeveloperApplicationStatus | None = None, page: int | None = None, limit: int | None = None) -> models.EnvelopedDeveloperApplicationList:
        """Lists the applications of people to become developers, newest first.

        `GET /v1/admin/developer-applications`
        """
        result: models.EnvelopedDeveloperApplicationList = self._transport.json("GET", "/v1/admin/developer-applications", query={"status": status, "page": page, "limit": limit})
        return result

    def admin_developer_limit_requests(self, id: str, *, status: models.LimitRequestStatus | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionLimitRequest:
        """Lists the requests of one developer for higher limits, newest first.

        `GET /v1/admin/developers/{id}/limit-requests`
        """
        result: models.CollectionLimitRequest = self._transport.json("GET", path_of("/v1/admin/developers/{id}/limit-requests", id), query={"status": status, "page": page, "limit": limit})
        return result

    def admin_developer_verification(self, id: str) -> models.EnvelopedAdminDeveloperVerification:
        """Returns the verification of a developer with the data that was submitted.

        `GET /v1/admin/developer-verifications/{id}`
        """
        result: models.EnvelopedAdminDeveloperVerification = self._transport.json("GET", path_of("/v1/admin/developer-verifications/{id}", id))
        return result

    def admin_developer_verifications(self, *, status: models.DeveloperVerificationStatus | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionDeveloperVerificationItem:
        """Lists the verifications of developers, newest first, without the data that was submitted.

        `GET /v1/admin/developer-verifications`
        """
        result: models.CollectionDeveloperVerificationItem = self._transport.json("GET", "/v1/admin/developer-verifications", query={"status": status, "page": page, "limit": limit})
        return result

    def admin_disconnect_account_bot(self, id: str, platform: str) -> None:
        """Disconnects an account's own bot on a platform.

        `DELETE /v1/admin/accounts/{id}/bot-connections/{platform}`
        """
        self._transport.nothing("DELETE", path_of("/v1/admin/accounts/{id}/bot-connections/{platform}", id, platform))

    def admin_disconnect_account_channel(self, id: str, platform: str) -> None:
        """Disconnects an account from its channel on a platform.

        `DELETE /v1/admin/accounts/{id}/channel-connections/{platform}`
        """
        self._transport.nothing("DELETE", path_of("/v1/admin/accounts/{id}/channel-connections/{platform}", id, platform))

    def admin_disconnect_bot(self, platform: str) -> None:
        """Disconnects a bot of the deployment.

        `DELETE /v1/admin/bot-connections/{platform}`
        """
        self._transport.nothing("DELETE", path_of("/v1/admin/bot-connections/{platform}", platform))

    def admin_disconnect_user_login(self, id: str, cid: str) -> None:
        """Removes a login connection of a person.

        `DELETE /v1/admin/users/{id}/login-connections/{cid}`
        """
        self._transport.nothing("DELETE", path_of("/v1/admin/users/{id}/login-connections/{cid}", id, cid))

    def admin_discord_guilds(self, *, page: int | None = None, limit: int | None = None) -> models.CollectionLinkedDiscordGuild:
        """Lists the Discord servers of every account, newest first.

        `GET /v1/admin/discord-guilds`
        """
        result: models.CollectionLinkedDiscordGuild = self._transport.json("GET", "/v1/admin/discord-guilds", query={"page": page, "limit": limit})
        return result

    def admin_dismiss_copyright_candidate(self, id: str, *, idempotency_key: str | None = None) -> models.EnvelopedCopyrightCandidate:
        """Dismisses a candidate. It does not become one again by the same vote.

        `POST /v1/admin/copyright/candidates/{id}/dismiss`
        """
        result: models.EnvelopedCopyrightCandidate = self._transport.json("POST", path_of("/v1/admin/copyright/candidates/{id}/dismiss", id), header={"Idempotency-Key": idempotency_key})
        return result

    def admin_extension_version(self, id: str) -> models.EnvelopedReviewVersionDetail:
        """Returns a version with its manifest and files.

        `GET /v1/admin/extension-versions/{id}`
        """
        result: models.EnvelopedReviewVersionDetail = self._transport.json("GET", path_of("/v1/admin/extension-versions/{id}", id))
        return result

    def admin_extension_versions(self, *, status: models.ExtensionVersionStatus | None = None, awaits_listing: bool | None = None, page: int | None = None, limit: int | None = None, if_none_match: str | None = None) -> models.CollectionReviewVersion:
        """Lists versions of all developers, the longest waiting first.

        `GET /v1/admin/extension-versions`
        """
        result: models.CollectionReviewVersion = self._transport.json("GET", "/v1/admin/extension-versions", query={"status": status, "awaits_listing": awaits_listing, "page": page, "limit": limit}, header={"If-None-Match": if_none_match})
        return result

    def admin_feature_flags(self, *, category: models.FeatureCategory | None = None, search: str | None = None) -> models.ListedFeatureFlag:
        """Lists the feature flags of the deployment.

        `GET /v1/admin/feature-flags`
        """
        result: models.ListedFeatureFlag = self._transport.json("GET", "/v1/admin/feature-flags", query={"category": category, "search": search})
        return result

    def admin_limit_request(self, id: str) -> models.EnvelopedLimitRequest:
        """Returns a request for a higher limit.

        `GET /v1/admin/limit-requests/{id}`
        """
        result: models.EnvelopedLimitRequest = self._transport.json("GET", path_of("/v1/admin/limit-requests/{id}", id))
        return result

    def admin_limit_request_events(self, id: str) -> models.ListedLimitRequestEvent:
        """Lists the timeline of a request, oldest first.

        `GET /v1/admin/limit-requests/{id}/events`
        """
        result: models.ListedLimitRequestEvent = self._transport.json("GET", path_of("/v1/admin/limit-requests/{id}/events", id))
        return result

    def admin_limit_requests(self, *, status: models.LimitRequestStatus | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionLimitRequest:
        """Lists the requests of all developers for higher limits, newest first.

        `GET /v1/admin/limit-requests`
        """
        result: models.CollectionLimitRequest = self._transport.json("GET", "/v1/admin/limit-requests", query={"status": status, "page": page, "limit": limit})
        return result

    def admin_oauth_clients(self) -> models.ListedOauthClient:
        """Lists the OAuth clients by name.

        `GET /v1/admin/oauth-clients`
        """
        result: models.ListedOauthClient = self._transport.json("GET", "/v1/admin/oauth-clients")
        return result

    def admin_pause_bot(self, account_id: str, platform: str, *, idempotency_key: str | None = None) -> models.EnvelopedBotControlRow:
        """Pauses the bot in an account's channel until it is resumed.

        `POST /v1/admin/bot-control/{account_id}/{platform}/pause`
        """
        result: models.EnvelopedBotControlRow = self._transport.json("POST", path_of("/v1/admin/bot-control/{account_id}/{platform}/pause", account_id, platform), header={"Idempotency-Key": idempotency_key})
        return result

    def admin_payouts(self, *, status: models.PayoutStatus | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionAdminPayout:
        """Lists the payouts to developers.

        `GET /v1/admin/payouts`
        """
        result: models.CollectionAdminPayout = self._transport.json("GET", "/v1/admin/payouts", query={"status": status, "page": page, "limit": limit})
        return result

    def admin_plan(self, id: str) -> models.EnvelopedAdminPlan:
        """Returns a plan, as staff manages it.

        `GET /v1/admin/plans/{id}`
        """
        result: models.EnvelopedAdminPlan = self._transport.json("GET", path_of("/v1/admin/plans/{id}", id))
        return result

    def admin_plan_features(self, id: str) -> models.ListedAdminPlanFeature:
        """Lists the features of a plan.

        `GET /v1/admin/plans/{id}/features`
        """
        result: models.ListedAdminPlanFeature = self._transport.json("GET", path_of("/v1/admin/plans/{id}/features", id))
        return result

    def admin_plans(self) -> models.ListedAdminPlan:
        """Lists all plans, including those that are not public.

        `GET /v1/admin/plans`
        """
        result: models.ListedAdminPlan = self._transport.json("GET", "/v1/admin/plans")
        return result

    def admin_platforms(self) -> models.ListedAdminPlatform:
        """Lists the platforms with their switches.

        `GET /v1/admin/platforms`
        """
        result: models.ListedAdminPlatform = self._transport.json("GET", "/v1/admin/platforms")
        return result

    def admin_providers(self) -> models.ListedAdminProvider:
        """Lists the providers with switches, applications and counts of connections.

        `GET /v1/admin/providers`
        """
        result: models.ListedAdminProvider = self._transport.json("GET", "/v1/admin/providers")
        return result

    def admin_publish_extension_version(self, id: str, *, idempotency_key: str | None = None) -> models.EnvelopedReviewVersion:
        """Publishes a version.

        `POST /v1/admin/extension-versions/{id}/publish`
        """
        result: models.EnvelopedReviewVersion = self._transport.json("POST", path_of("/v1/admin/extension-versions/{id}/publish", id), header={"Idempotency-Key": idempotency_key})
        return result

    def admin_reject_developer_application(self, id: str, *, body: models.AdminRejectDeveloperApplicationInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperApplicationDecision:
        """Rejects an application.

        `POST /v1/admin/developer-applications/{id}/reject`
        """
        result: models.EnvelopedDeveloperApplicationDecision = self._transport.json("POST", path_of("/v1/admin/developer-applications/{id}/reject", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def admin_reject_developer_verification(self, id: str, *, body: models.AdminRejectDeveloperVerificationInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperVerificationDecision:
        """Rejects a verification.

        `POST /v1/admin/developer-verifications/{id}/reject`
        """
        result: models.EnvelopedDeveloperVerificationDecision = self._transport.json("POST", path_of("/v1/admin/developer-verifications/{id}/reject", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def admin_reject_extension_version(self, id: str, *, body: models.RejectExtensionVersionInput, idempotency_key: str | None = None) -> models.EnvelopedReviewVersion:
        """Rejects a version.

        `POST /v1/admin/extension-versions/{id}/reject`
        """
        result: models.EnvelopedReviewVersion = self._transport.json("POST", path_of("/v1/admin/extension-versions/{id}/reject", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def admin_remove_account_feature_override(self, id: str, feature_id: str) -> None:
        """Removes the override of a feature flag for an account.

        `DELETE /v1/admin/accounts/{id}/feature-overrides/{feature_id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/admin/accounts/{id}/feature-overrides/{feature_id}", id, feature_id))

    def admin_remove_account_permission_override(self, id: str, permission: str) -> None:
        """Removes a permission override of an account, so that the roles decide again.

        `DELETE /v1/admin/accounts/{id}/permission-overrides/{permission}`
        """
        self._transport.nothing("DELETE", path_of("/v1/admin/accounts/{id}/permission-overrides/{permission}", id, permission))

    def admin_remove_crawler_watchlist_entry(self, id: str) -> None:
        """Removes a channel from those that are crawled outside of the scope.

        `DELETE /v1/admin/crawler/watchlist/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/admin/crawler/watchlist/{id}", id))

    def admin_remove_user_membership(self, id: str, membership_id: str) -> None:
        """Ends a person's membership of an account, with everything that the person has through it.

        `DELETE /v1/admin/users/{id}/memberships/{membership_id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/admin/users/{id}/memberships/{membership_id}", id, membership_id))

    def admin_resume_bot(self, account_id: str, platform: str, *, idempotency_key: str | None = None) -> models.EnvelopedBotControlRow:
        """Ends the pause of the bot in an account's channel.

        `POST /v1/admin/bot-control/{account_id}/{platform}/resume`
        """
        result: models.EnvelopedBotControlRow = self._transport.json("POST", path_of("/v1/admin/bot-control/{account_id}/{platform}/resume", account_id, platform), header={"Idempotency-Key": idempotency_key})
        return result

    def admin_review_limit_request(self, id: str, *, body: models.AdminReviewLimitRequestInput) -> models.EnvelopedLimitRequest:
        """Approves or rejects a request for a higher limit, or marks it as in review.

        `PUT /v1/admin/limit-requests/{id}`
        """
        result: models.EnvelopedLimitRequest = self._transport.json("PUT", path_of("/v1/admin/limit-requests/{id}", id), body=Body("json", "application/json", body))
        return result

    def admin_revoke_extension_version(self, id: str, *, body: models.RevokeExtensionVersionInput, idempotency_key: str | None = None) -> models.EnvelopedReviewVersion:
        """Revokes a version for good.

        `POST /v1/admin/extension-versions/{id}/revoke`
        """
        result: models.EnvelopedReviewVersion = self._transport.json("POST", path_of("/v1/admin/extension-versions/{id}/revoke", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def admin_role(self, id: str) -> models.EnvelopedAdminRole:
        """Returns a role of operator staff.

        `GET /v1/admin/admin-roles/{id}`
        """
        result: models.EnvelopedAdminRole = self._transport.json("GET", path_of("/v1/admin/admin-roles/{id}", id))
        return result

    def admin_role_members(self, id: str) -> models.ListedAdminRoleMember:
        """Lists the people who hold a role of operator staff, the latest 1000.

        `GET /v1/admin/admin-roles/{id}/members`
        """
        result: models.ListedAdminRoleMember = self._transport.json("GET", path_of("/v1/admin/admin-roles/{id}/members", id))
        return result

    def admin_roles(self) -> models.ListedAdminRole:
        """Lists the roles of operator staff: the seeded ones first, then by name.

        `GET /v1/admin/admin-roles`
        """
        result: models.ListedAdminRole = self._transport.json("GET", "/v1/admin/admin-roles")
        return result

    def admin_se_tokens(self, *, page: int | None = None, limit: int | None = None) -> models.CollectionAdminSeToken:
        """Lists the tokens of StreamElements of all accounts, newest first.

        `GET /v1/admin/se-tokens`
        """
        result: models.CollectionAdminSeToken = self._transport.json("GET", "/v1/admin/se-tokens", query={"page": page, "limit": limit})
        return result

    def admin_set_account_feature_override(self, id: str, *, body: models.AdminSetAccountFeatureOverrideInput) -> models.EnvelopedAccountFeatureOverride:
        """Sets the override of a feature flag for an account.

        `PUT /v1/admin/accounts/{id}/feature-overrides`
        """
        result: models.EnvelopedAccountFeatureOverride = self._transport.json("PUT", path_of("/v1/admin/accounts/{id}/feature-overrides", id), body=Body("json", "application/json", body))
        return result

    def admin_set_account_permission_override(self, id: str, *, body: models.SetPermissionOverrideInput) -> models.EnvelopedAccountPermissionOverride:
        """Grants or denies an account permission to everybody in an account, whatever their roles hold.

        `PUT /v1/admin/accounts/{id}/permission-overrides`
        """
        result: models.EnvelopedAccountPermissionOverride = self._transport.json("PUT", path_of("/v1/admin/accounts/{id}/permission-overrides", id), body=Body("json", "application/json", body))
        return result

    def admin_set_discord_bot_token(self, *, body: models.SetDiscordBotTokenInput) -> models.EnvelopedBotConnection:
        """Sets the token of the deployment's bot in Discord.

        `PUT /v1/admin/bot-connections/discord/token`
        """
        result: models.EnvelopedBotConnection = self._transport.json("PUT", "/v1/admin/bot-connections/discord/token", body=Body("json", "application/json", body))
        return result

    def admin_set_plan_feature(self, id: str, *, body: models.AdminSetPlanFeatureInput) -> models.ListedAdminPlanFeature:
        """Sets features of a plan and returns all of them.

        `PUT /v1/admin/plans/{id}/features`
        """
        result: models.ListedAdminPlanFeature = self._transport.json("PUT", path_of("/v1/admin/plans/{id}/features", id), body=Body("json", "application/json", body))
        return result

    def admin_subscriptions(self, *, status: models.SubscriptionStatus | None = None, plan_id: str | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionAdminSubscription:
        """Lists the subscriptions of all accounts.

        `GET /v1/admin/subscriptions`
        """
        result: models.CollectionAdminSubscription = self._transport.json("GET", "/v1/admin/subscriptions", query={"status": status, "plan_id": plan_id, "page": page, "limit": limit})
        return result

    def admin_support_ticket(self, id: str) -> models.EnvelopedSupportTicket:
        """Returns a support ticket.

        `GET /v1/admin/support/tickets/{id}`
        """
        result: models.EnvelopedSupportTicket = self._transport.json("GET", path_of("/v1/admin/support/tickets/{id}", id))
        return result

    def admin_support_tickets(self, *, status: models.SupportTicketStatus | None = None, page: int | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionSupportTicket:
        """Lists the support tickets of all people, newest first.

        `GET /v1/admin/support/tickets`
        """
        result: models.CollectionSupportTicket = self._transport.json("GET", "/v1/admin/support/tickets", query={"status": status, "page": page, "limit": limit, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    def admin_suspend_extension(self, id: str, *, body: models.SuspendExtensionInput, idempotency_key: str | None = None) -> models.EnvelopedReviewedExtension:
        """Suspends an extension.

        `POST /v1/admin/extensions/{id}/suspend`
        """
        result: models.EnvelopedReviewedExtension = self._transport.json("POST", path_of("/v1/admin/extensions/{id}/suspend", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def admin_system_connections(self) -> models.ListedSystemConnection:
        """Lists the applications of the deployment: a row for each platform and kind, whether there is one or not.

        `GET /v1/admin/system-connections`
        """
        result: models.ListedSystemConnection = self._transport.json("GET", "/v1/admin/system-connections")
        return result

    def admin_system_keys(self) -> models.ListedAdminSystemKey:
        """Lists the system keys of the deployment.

        `GET /v1/admin/system-keys`
        """
        result: models.ListedAdminSystemKey = self._transport.json("GET", "/v1/admin/system-keys")
        return result

    def admin_unassign_user_role(self, id: str, user_id: str) -> models.AdminRoleUnassigned:
        """Removes a role of operator staff from a person.

        `DELETE /v1/admin/admin-roles/{id}/members/{user_id}`
        """
        result: models.AdminRoleUnassigned = self._transport.json("DELETE", path_of("/v1/admin/admin-roles/{id}/members/{user_id}", id, user_id))
        return result

    def admin_unsuspend_extension(self, id: str, *, idempotency_key: str | None = None) -> models.EnvelopedReviewedExtension:
        """Lifts the suspension of an extension.

        `POST /v1/admin/extensions/{id}/unsuspend`
        """
        result: models.EnvelopedReviewedExtension = self._transport.json("POST", path_of("/v1/admin/extensions/{id}/unsuspend", id), header={"Idempotency-Key": idempotency_key})
        return result

    def admin_update_account(self, id: str, *, body: models.AdminUpdateAccountInput) -> models.EnvelopedAdminAccount:
        """Changes the name or the description of an account.

        `PATCH /v1/admin/accounts/{id}`
        """
        result: models.EnvelopedAdminAccount = self._transport.json("PATCH", path_of("/v1/admin/accounts/{id}", id), body=Body("json", "application/json", body))
        return result

    def admin_update_account_plan(self, id: str, *, body: models.AdminUpdateAccountPlanInput) -> models.EnvelopedAdminAccount:
        """Assigns a plan to an account, whatever the plan costs.

        `PUT /v1/admin/accounts/{id}/plan`
        """
        result: models.EnvelopedAdminAccount = self._transport.json("PUT", path_of("/v1/admin/accounts/{id}/plan", id), body=Body("json", "application/json", body))
        return result

    def admin_update_bot_command(self, id: str, *, body: models.UpdateBotCommandInput) -> models.EnvelopedBotCommand:
        """Changes a global command in every account.

        `PATCH /v1/admin/bot-commands/{id}`
        """
        result: models.EnvelopedBotCommand = self._transport.json("PATCH", path_of("/v1/admin/bot-commands/{id}", id), body=Body("json", "application/json", body))
        return result

    def admin_update_coupon(self, id: str, *, body: models.AdminUpdateCouponInput) -> models.EnvelopedCoupon:
        """Updates the maximum number of redemptions, the expiry and the activation of a coupon.

        `PATCH /v1/admin/coupons/{id}`
        """
        result: models.EnvelopedCoupon = self._transport.json("PATCH", path_of("/v1/admin/coupons/{id}", id), body=Body("json", "application/json", body))
        return result

    def admin_update_crawler_scope(self, *, body: models.AdminUpdateCrawlerScopeInput) -> models.EnvelopedCrawlerScope:
        """Replaces the scope of the crawler.

        `PUT /v1/admin/crawler/scope`
        """
        result: models.EnvelopedCrawlerScope = self._transport.json("PUT", "/v1/admin/crawler/scope", body=Body("json", "application/json", body))
        return result

    def admin_update_extension_limits(self, id: str, *, body: models.AdminUpdateExtensionLimitsInput) -> models.EnvelopedSuccess:
        """Sets the overrides of an extension for its sounds.

        `PATCH /v1/admin/extensions/{id}/limits`
        """
        result: models.EnvelopedSuccess = self._transport.json("PATCH", path_of("/v1/admin/extensions/{id}/limits", id), body=Body("json", "application/json", body))
        return result

    def admin_update_feature_flag(self, id: str, *, body: models.AdminUpdateFeatureFlagInput) -> models.EnvelopedFeatureFlag:
        """Updates a feature flag.

        `PATCH /v1/admin/feature-flags/{id}`
        """
        result: models.EnvelopedFeatureFlag = self._transport.json("PATCH", path_of("/v1/admin/feature-flags/{id}", id), body=Body("json", "application/json", body))
        return result

    def admin_update_oauth_client(self, id: str, *, body: models.AdminUpdateOauthClientInput) -> models.EnvelopedOauthClient:
        """Changes an OAuth client.

        `PATCH /v1/admin/oauth-clients/{id}`
        """
        result: models.EnvelopedOauthClient = self._transport.json("PATCH", path_of("/v1/admin/oauth-clients/{id}", id), body=Body("json", "application/json", body))
        return result

    def admin_update_payout(self, id: str, *, body: models.AdminUpdatePayoutInput) -> models.EnvelopedAdminPayout:
        """Changes the status of a payout.

        `PATCH /v1/admin/payouts/{id}`
        """
        result: models.EnvelopedAdminPayout = self._transport.json("PATCH", path_of("/v1/admin/payouts/{id}", id), body=Body("json", "application/json", body))
        return result

    def admin_update_plan(self, id: str, *, body: models.AdminUpdatePlanInput) -> models.EnvelopedAdminPlan:
        """Replaces the whole editable state of a plan.

        `PATCH /v1/admin/plans/{id}`
        """
        result: models.EnvelopedAdminPlan = self._transport.json("PATCH", path_of("/v1/admin/plans/{id}", id), body=Body("json", "application/json", body))
        return result

    def admin_update_platform(self, platform: str, *, body: models.PlatformSwitchesInput) -> models.EnvelopedAdminPlatform:
        """Sets switches of a platform.

        `PATCH /v1/admin/platforms/{platform}`
        """
        result: models.EnvelopedAdminPlatform = self._transport.json("PATCH", path_of("/v1/admin/platforms/{platform}", platform), body=Body("json", "application/json", body))
        return result

    def admin_update_provider(self, platform: str, *, body: models.PlatformSwitchesInput) -> models.EnvelopedAdminProvider:
        """Sets switches of a provider.

        `PATCH /v1/admin/providers/{platform}`
        """
        result: models.EnvelopedAdminProvider = self._transport.json("PATCH", path_of("/v1/admin/providers/{platform}", platform), body=Body("json", "application/json", body))
        return result

    def admin_update_role(self, id: str, *, body: models.UpdateAdminRoleInput) -> models.EnvelopedAdminRole:
        """Changes a role of operator staff.

        `PATCH /v1/admin/admin-roles/{id}`
        """
        result: models.EnvelopedAdminRole = self._transport.json("PATCH", path_of("/v1/admin/admin-roles/{id}", id), body=Body("json", "application/json", body))
        return result

    def admin_update_support_ticket(self, id: str, *, body: models.UpdateSupportTicketInput) -> models.EnvelopedSupportTicket:
        """Changes the status of a support ticket.

        `PATCH /v1/admin/support/tickets/{id}`
        """
        result: models.EnvelopedSupportTicket = self._transport.json("PATCH", path_of("/v1/admin/support/tickets/{id}", id), body=Body("json", "application/json", body))
        return result

    def admin_update_user(self, id: str, *, body: models.AdminUpdateUserInput) -> models.EnvelopedAdminUser:
        """Changes the display name, the e-mail address or the account overrides of a person.

        `PATCH /v1/admin/users/{id}`
        """
        result: models.EnvelopedAdminUser = self._transport.json("PATCH", path_of("/v1/admin/users/{id}", id), body=Body("json", "application/json", body))
        return result

    def admin_upsert_account_limits(self, id: str, *, body: models.AdminUpsertAccountLimitsInput) -> models.EnvelopedAccountLimits:
        """Sets the limits of an account that have priority over its plan.

        `PUT /v1/admin/accounts/{id}/limits`
        """
        result: models.EnvelopedAccountLimits = self._transport.json("PUT", path_of("/v1/admin/accounts/{id}/limits", id), body=Body("json", "application/json", body))
        return result

    def admin_upsert_system_connection(self, platform: str, *, body: models.UpsertSystemConnectionInput) -> models.EnvelopedSystemConnection:
        """Saves an application of the deployment for a platform and kind.

        `PUT /v1/admin/system-connections/{platform}`
        """
        result: models.EnvelopedSystemConnection = self._transport.json("PUT", path_of("/v1/admin/system-connections/{platform}", platform), body=Body("json", "application/json", body))
        return result

    def admin_user(self, id: str) -> models.EnvelopedAdminUser:
        """Returns a person with memberships and login connections.

        `GET /v1/admin/users/{id}`
        """
        result: models.EnvelopedAdminUser = self._transport.json("GET", path_of("/v1/admin/users/{id}", id))
        return result

    def admin_users(self, *, search: str | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionAdminUserSummary:
        """Lists people, newest first.

        `GET /v1/admin/users`
        """
        result: models.CollectionAdminUserSummary = self._transport.json("GET", "/v1/admin/users", query={"search": search, "page": page, "limit": limit})
        return result

    def all_admin_permissions(self) -> models.ListedAdminPermissionInfo:
        """Lists the permissions that a role of operator staff may hold, in the order of the catalogue.

        `GET /v1/admin/admin-permissions`
        """
        result: models.ListedAdminPermissionInfo = self._transport.json("GET", "/v1/admin/admin-permissions")
        return result

    def api_key_assignable_permissions(self, *, kind: Literal['personal', 'service']) -> models.ListedApiKeyPermission:
        """Lists the scopes that keys of a kind may carry.

        `GET /v1/api-keys/permissions`
        """
        result: models.ListedApiKeyPermission = self._transport.json("GET", "/v1/api-keys/permissions", query={"kind": kind})
        return result

    def app_credentials(self) -> models.ListedAppCredentials:
        """Lists the account's own applications.

        `GET /v1/connections/app-credentials`
        """
        result: models.ListedAppCredentials = self._transport.json("GET", "/v1/connections/app-credentials")
        return result

    def assign_login_connection(self, *, body: models.AssignLoginConnectionInput, idempotency_key: str | None = None) -> models.EnvelopedLoginAssignment:
        """Assigns a login connection to a member of the account.

        `POST /v1/accounts/login-assignments`
        """
        result: models.EnvelopedLoginAssignment = self._transport.json("POST", "/v1/accounts/login-assignments", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def assign_user_role(self, user_id: str, *, body: models.AssignUserRoleInput, idempotency_key: str | None = None) -> models.EnvelopedUserRoleAssignment:
        """Assigns a platform-wide role to a person.

        `POST /v1/users/{user_id}/roles`
        """
        result: models.EnvelopedUserRoleAssignment = self._transport.json("POST", path_of("/v1/users/{user_id}/roles", user_id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def audit_log(self, *, action: str | None = None, actor_id: str | None = None, resource_type: str | None = None, from_: str | None = None, to: str | None = None, page: int | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionAuditEntry:
        """Lists one page of the account's audit log.

        `GET /v1/audit-log`
        """
        result: models.CollectionAuditEntry = self._transport.json("GET", "/v1/audit-log", query={"action": action, "actor_id": actor_id, "resource_type": resource_type, "from": from_, "to": to, "page": page, "limit": limit, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    def authorize_bot(self, platform: str, *, body: models.AuthorizeInput) -> models.EnvelopedOauthAuthorization:
        """Begins to connect the account's own bot.

        `POST /v1/bot-connections/{platform}`
        """
        result: models.EnvelopedOauthAuthorization = self._transport.json("POST", path_of("/v1/bot-connections/{platform}", platform), body=Body("json", "application/json", body))
        return result

    def authorize_channel(self, platform: str, *, body: models.AuthorizeInput) -> models.EnvelopedOauthAuthorization:
        """Begins to connect a channel.

        `POST /v1/connections/channel/{platform}/authorize`
        """
        result: models.EnvelopedOauthAuthorization = self._transport.json("POST", path_of("/v1/connections/channel/{platform}/authorize", platform), body=Body("json", "application/json", body))
        return result

    def authorize_discord_guild(self, *, body: models.AuthorizeInput) -> models.EnvelopedOauthAuthorization:
        """Begins to add the deployment's bot to a Discord server.

        `POST /v1/bot-connections/discord/guilds/authorize`
        """
        result: models.EnvelopedOauthAuthorization = self._transport.json("POST", "/v1/bot-connections/discord/guilds/authorize", body=Body("json", "application/json", body))
        return result

    def authorize_login(self, *, body: models.AuthorizeLoginInput) -> models.EnvelopedExchangedToken:
        """Signs a known person in with an access token of a provider, in an account of their choice.

        `POST /v1/auth/authorize`
        """
        result: models.EnvelopedExchangedToken = self._transport.json("POST", "/v1/auth/authorize", body=Body("json", "application/json", body))
        return result

    def automation(self, id: str, *, if_none_match: str | None = None) -> models.EnvelopedAutomation:
        """Returns one of the account's automations with its graph.

        `GET /v1/automations/{id}`
        """
        result: models.EnvelopedAutomation = self._transport.json("GET", path_of("/v1/automations/{id}", id), header={"If-None-Match": if_none_match})
        return result

    def automation_node_types(self) -> models.ListedAutomationNodeTypeEntry:
        """Lists the node types that graphs of the account may use.

        `GET /v1/automation/node-types`
        """
        result: models.ListedAutomationNodeTypeEntry = self._transport.json("GET", "/v1/automation/node-types")
        return result

    def automation_run(self, run_id: str, *, if_none_match: str | None = None) -> models.EnvelopedAutomationRun:
        """Returns a run of an automation of the account, with its steps.

        `GET /v1/automation/runs/{run_id}`
        """
        result: models.EnvelopedAutomationRun = self._transport.json("GET", path_of("/v1/automation/runs/{run_id}", run_id), header={"If-None-Match": if_none_match})
        return result

    def automation_runs(self, id: str, *, status: models.AutomationRunStatus | None = None, page: int | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionAutomationRunSummary:
        """Lists the runs of an automation without their steps, newest first.

        `GET /v1/automations/{id}/runs`
        """
        result: models.CollectionAutomationRunSummary = self._transport.json("GET", path_of("/v1/automations/{id}/runs", id), query={"status": status, "page": page, "limit": limit, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    def automation_webhook_url(self, extension_id_or_install_id: str, install_id_or_automation_id: str) -> models.EnvelopedAutomationWebhook:
        """Returns address and secret of a trigger node's webhook.

        `GET /v1/automation/webhooks/{extension_id_or_install_id}/{install_id_or_automation_id}`
        """
        result: models.EnvelopedAutomationWebhook = self._transport.json("GET", path_of("/v1/automation/webhooks/{extension_id_or_install_id}/{install_id_or_automation_id}", extension_id_or_install_id, install_id_or_automation_id))
        return result

    def automations(self, *, if_none_match: str | None = None) -> models.ListedAutomationSummary:
        """Lists the account's automations without their graphs, oldest first.

        `GET /v1/automations`
        """
        result: models.ListedAutomationSummary = self._transport.json("GET", "/v1/automations", header={"If-None-Match": if_none_match})
        return result

    def billing_status(self, *, if_none_match: str | None = None) -> models.EnvelopedBillingStatus:
        """Returns the plan, limits and subscription of the account.

        `GET /v1/billing/status`
        """
        result: models.EnvelopedBillingStatus = self._transport.json("GET", "/v1/billing/status", header={"If-None-Match": if_none_match})
        return result

    def blocked_songs(self, *, search: str | None = None, page: int | None = None, limit: int | None = None, if_none_match: str | None = None) -> models.CollectionListedSong:
        """Lists the songs that the account does not play, newest first.

        `GET /v1/copyright/blocked-songs`
        """
        result: models.CollectionListedSong = self._transport.json("GET", "/v1/copyright/blocked-songs", query={"search": search, "page": page, "limit": limit}, header={"If-None-Match": if_none_match})
        return result

    def bot_channels(self, *, platform: str, after: str | None = None, limit: int | None = None) -> models.ListedBotChannel:
        """Lists the channels of a platform in which a bot is active, by account.

        `GET /v1/internal/bot-channels`
        """
        result: models.ListedBotChannel = self._transport.json("GET", "/v1/internal/bot-channels", query={"platform": platform, "after": after, "limit": limit})
        return result

    def bot_command(self, id: str) -> models.EnvelopedBotCommand:
        """Returns one of the account's own commands.

        `GET /v1/bot-commands/{id}`
        """
        result: models.EnvelopedBotCommand = self._transport.json("GET", path_of("/v1/bot-commands/{id}", id))
        return result

    def bot_commands(self, *, if_none_match: str | None = None) -> models.ListedBotCommand:
        """Lists the account's own commands by name.

        `GET /v1/bot-commands`
        """
        result: models.ListedBotCommand = self._transport.json("GET", "/v1/bot-commands", header={"If-None-Match": if_none_match})
        return result

    def bot_connections(self) -> models.ListedBotConnection:
        """Lists the bots that write for the caller's account, one for each platform.

        `GET /v1/bot-connections`
        """
        result: models.ListedBotConnection = self._transport.json("GET", "/v1/bot-connections")
        return result

    def bot_module(self, name: str) -> models.EnvelopedBotModule:
        """Returns a built-in module.

        `GET /v1/bot-modules/{name}`
        """
        result: models.EnvelopedBotModule = self._transport.json("GET", path_of("/v1/bot-modules/{name}", name))
        return result

    def bot_modules(self, *, if_none_match: str | None = None) -> models.ListedBotModule:
        """Lists the bot modules of the account.

        `GET /v1/bot-modules`
        """
        result: models.ListedBotModule = self._transport.json("GET", "/v1/bot-modules", header={"If-None-Match": if_none_match})
        return result

    def bot_status(self, *, if_none_match: str | None = None) -> models.ListedBotStatus:
        """Lists the state of the bot in each connected channel.

        `GET /v1/bot-status`
        """
        result: models.ListedBotStatus = self._transport.json("GET", "/v1/bot-status", header={"If-None-Match": if_none_match})
        return result

    def call_extension_function(self, install_id: str, function: str, *, body: models.CallExtensionFunctionInput, idempotency_key: str | None = None) -> models.EnvelopedJson:
        """Calls a server function of an install and returns its result.

        `POST /v1/extension-functions/{install_id}/{function}`
        """
        result: models.EnvelopedJson = self._transport.json("POST", path_of("/v1/extension-functions/{install_id}/{function}", install_id, function), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def cancel_automation_run(self, run_id: str, *, idempotency_key: str | None = None) -> models.EnvelopedAutomationRun:
        """Cancels a run.

        `POST /v1/automation/runs/{run_id}/cancel`
        """
        result: models.EnvelopedAutomationRun = self._transport.json("POST", path_of("/v1/automation/runs/{run_id}/cancel", run_id), header={"Idempotency-Key": idempotency_key})
        return result

    def cancel_raid(self, *, platform: str | None = None) -> None:
        """Cancels a raid that has not departed yet.

        `DELETE /v1/chat/raid`
        """
        self._transport.nothing("DELETE", "/v1/chat/raid", query={"platform": platform})

    def cancel_subscription(self, *, idempotency_key: str | None = None) -> models.EnvelopedBillingStatus:
        """Cancels the subscription of the account at the end of the paid period.

        `POST /v1/billing/cancel`
        """
        result: models.EnvelopedBillingStatus = self._transport.json("POST", "/v1/billing/cancel", header={"Idempotency-Key": idempotency_key})
        return result

    def change_plan(self, *, body: models.ChangePlanInput) -> models.EnvelopedBillingStatus:
        """Moves the account to another public plan.

        `PUT /v1/billing/plan`
        """
        result: models.EnvelopedBillingStatus = self._transport.json("PUT", "/v1/billing/plan", body=Body("json", "application/json", body))
        return result

    def channel_connections(self, *, if_none_match: str | None = None) -> models.ListedChannelConnection:
        """Lists the connected channels of the caller's account.

        `GET /v1/connections/channel`
        """
        result: models.ListedChannelConnection = self._transport.json("GET", "/v1/connections/channel", header={"If-None-Match": if_none_match})
        return result

    def channel_emotes(self, platform: str, channel_id: str, *, if_none_match: str | None = None) -> models.EnvelopedEmoteSets:
        """Lists the emotes of a channel, by provider.

        `GET /v1/emotes/{platform}/{channel_id}`
        """
        result: models.EnvelopedEmoteSets = self._transport.json("GET", path_of("/v1/emotes/{platform}/{channel_id}", platform, channel_id), header={"If-None-Match": if_none_match})
        return result

    def channel_status(self, *, if_none_match: str | None = None) -> models.ListedChannelStatus:
        """Lists the broadcasts of the account's channels.

        `GET /v1/channel-status`
        """
        result: models.ListedChannelStatus = self._transport.json("GET", "/v1/channel-status", header={"If-None-Match": if_none_match})
        return result

    def chat_messages(self, *, platform: str | None = None, user_id: str | None = None, search: str | None = None, from_: str | None = None, to: str | None = None, before: str | None = None, limit: int | None = None, if_none_match: str | None = None) -> models.ListedChatMessage:
        """Lists messages of the account's chats, newest first.

        `GET /v1/chat/messages`
        """
        result: models.ListedChatMessage = self._transport.json("GET", "/v1/chat/messages", query={"platform": platform, "user_id": user_id, "search": search, "from": from_, "to": to, "before": before, "limit": limit}, header={"If-None-Match": if_none_match})
        return result

    def check_song(self, *, spotify_track_id: str | None = None, isrc: str | None = None, title: str | None = None, artist: str | None = None) -> models.EnvelopedCopyrightCheck:
        """Returns the copyright status of a song in the account.

        `GET /v1/copyright/check`
        """
        result: models.EnvelopedCopyrightCheck = self._transport.json("GET", "/v1/copyright/check", query={"spotify_track_id": spotify_track_id, "isrc": isrc, "title": title, "artist": artist})
        return result

    def configure_extension(self, id: str, *, body: models.ConfigureExtensionInput) -> models.EnvelopedExtensionInstall:
        """Changes the settings of an install, switches it on or off, or pins its version.

        `PATCH /v1/extension-installs/{id}`
        """
        result: models.EnvelopedExtensionInstall = self._transport.json("PATCH", path_of("/v1/extension-installs/{id}", id), body=Body("json", "application/json", body))
        return result

    def connection_doctor(self) -> models.ListedConnectionDiagnosis:
        """Tries each connected channel of the account now, and returns findings with remedies.

        `GET /v1/connections/doctor`
        """
        result: models.ListedConnectionDiagnosis = self._transport.json("GET", "/v1/connections/doctor")
        return result

    def connection_statuses(self, *, if_none_match: str | None = None) -> models.ListedConnectionStatus:
        """Lists the connection status of every platform that has channels.

        `GET /v1/connections/status`
        """
        result: models.ListedConnectionStatus = self._transport.json("GET", "/v1/connections/status", header={"If-None-Match": if_none_match})
        return result

    def copyright_playlist_syncs(self, *, if_none_match: str | None = None) -> models.ListedCopyrightPlaylistSync:
        """Lists the playlists that the account follows, newest first: at most 20.

        `GET /v1/copyright/playlist-syncs`
        """
        result: models.ListedCopyrightPlaylistSync = self._transport.json("GET", "/v1/copyright/playlist-syncs", header={"If-None-Match": if_none_match})
        return result

    def create_account(self, *, body: models.CreateAccountInput, idempotency_key: str | None = None) -> models.EnvelopedCreatedAccount:
        """Creates an account that the caller owns.

        `POST /v1/accounts`
        """
        result: models.EnvelopedCreatedAccount = self._transport.json("POST", "/v1/accounts", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_account_service_key(self, *, body: models.CreateAccountServiceKeyInput, idempotency_key: str | None = None) -> models.EnvelopedCreatedAccountServiceKeyKeyLinks:
        """Creates a service key.

        `POST /v1/service-keys`
        """
        result: models.EnvelopedCreatedAccountServiceKeyKeyLinks = self._transport.json("POST", "/v1/service-keys", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_automation(self, *, body: models.CreateAutomationInput, idempotency_key: str | None = None) -> models.EnvelopedAutomation:
        """Creates a disabled automation with an empty graph.

        `POST /v1/automations`
        """
        result: models.EnvelopedAutomation = self._transport.json("POST", "/v1/automations", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_bot_command(self, *, body: models.CreateBotCommandInput, idempotency_key: str | None = None) -> models.EnvelopedBotCommand:
        """Creates a command of the account.

        `POST /v1/bot-commands`
        """
        result: models.EnvelopedBotCommand = self._transport.json("POST", "/v1/bot-commands", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_checkout(self, *, body: models.CreateCheckoutInput, idempotency_key: str | None = None) -> models.EnvelopedCheckoutSession:
        """Starts the purchase of a plan at the payment provider.

        `POST /v1/billing/checkout`
        """
        result: models.EnvelopedCheckoutSession = self._transport.json("POST", "/v1/billing/checkout", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_csp_report(self, *, body: Any) -> None:
        """Stores violations of the content security policy that a browser reports.

        `POST /v1/csp-reports`
        """
        self._transport.nothing("POST", "/v1/csp-reports", body=Body("json", "application/csp-report", body))

    def create_developer_team(self, *, body: models.CreateDeveloperTeamInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperTeam:
        """Creates a team of developers.

        `POST /v1/developer/teams`
        """
        result: models.EnvelopedDeveloperTeam = self._transport.json("POST", "/v1/developer/teams", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_developer_team_invite(self, id: str, *, body: models.CreateDeveloperTeamInviteInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperTeamInvite:
        """Creates an invite to a team.

        `POST /v1/developer/teams/{id}/invites`
        """
        result: models.EnvelopedDeveloperTeamInvite = self._transport.json("POST", path_of("/v1/developer/teams/{id}/invites", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_developer_team_role(self, id: str, *, body: models.CreateDeveloperTeamRoleInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperTeamRole:
        """Creates a role of a team.

        `POST /v1/developer/teams/{id}/roles`
        """
        result: models.EnvelopedDeveloperTeamRole = self._transport.json("POST", path_of("/v1/developer/teams/{id}/roles", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_extension(self, *, body: models.CreateExtensionInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperExtension:
        """Creates an extension.

        `POST /v1/developer/extensions`
        """
        result: models.EnvelopedDeveloperExtension = self._transport.json("POST", "/v1/developer/extensions", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_extension_review(self, id: str, *, body: models.CreateExtensionReviewInput, idempotency_key: str | None = None) -> models.EnvelopedExtensionReview:
        """Reviews an extension that the account has installed.

        `POST /v1/extensions/{id}/reviews`
        """
        result: models.EnvelopedExtensionReview = self._transport.json("POST", path_of("/v1/extensions/{id}/reviews", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_idea(self, *, body: models.CreateIdeaInput, idempotency_key: str | None = None) -> models.EnvelopedGqlIdea:
        """Creates an idea.

        `POST /v1/ideas`
        """
        result: models.EnvelopedGqlIdea = self._transport.json("POST", "/v1/ideas", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_idea_category(self, *, body: models.CreateIdeaCategoryInput, idempotency_key: str | None = None) -> models.EnvelopedIdeaCategory:
        """Creates a category of ideas.

        `POST /v1/ideas/categories`
        """
        result: models.EnvelopedIdeaCategory = self._transport.json("POST", "/v1/ideas/categories", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_idea_comment(self, id: str, *, body: models.NewIdeaComment, idempotency_key: str | None = None) -> models.EnvelopedIdeaComment:
        """Comments on an idea, or replies to a comment on it.

        `POST /v1/ideas/{id}/comments`
        """
        result: models.EnvelopedIdeaComment = self._transport.json("POST", path_of("/v1/ideas/{id}/comments", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_idea_tag(self, *, body: models.NewIdeaTag, idempotency_key: str | None = None) -> models.EnvelopedIdeaTag:
        """Creates a tag of ideas, or returns the one that has the name.

        `POST /v1/ideas/tags`
        """
        result: models.EnvelopedIdeaTag = self._transport.json("POST", "/v1/ideas/tags", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_invite(self, *, body: models.CreateInviteInput, idempotency_key: str | None = None) -> models.EnvelopedInvite:
        """Creates an invite to the account.

        `POST /v1/invites`
        """
        result: models.EnvelopedInvite = self._transport.json("POST", "/v1/invites", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_limit_request(self, *, body: models.CreateLimitRequestInput, idempotency_key: str | None = None) -> models.EnvelopedLimitRequest:
        """Requests a higher limit.

        `POST /v1/developer/limit-requests`
        """
        result: models.EnvelopedLimitRequest = self._transport.json("POST", "/v1/developer/limit-requests", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_overlay(self, *, body: models.CreateOverlayInput, idempotency_key: str | None = None) -> models.EnvelopedOverlay:
        """Creates an overlay without layers.

        `POST /v1/overlays`
        """
        result: models.EnvelopedOverlay = self._transport.json("POST", "/v1/overlays", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_overlay_share(self, id: str, *, body: models.CreateOverlayShareInput, idempotency_key: str | None = None) -> models.EnvelopedCreatedOverlayShare:
        """Shares an overlay for a time.

        `POST /v1/overlays/{id}/shares`
        """
        result: models.EnvelopedCreatedOverlayShare = self._transport.json("POST", path_of("/v1/overlays/{id}/shares", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_poll(self, *, body: models.CreatePollInput, idempotency_key: str | None = None) -> models.EnvelopedPoll:
        """Starts a poll on the account's channel.

        `POST /v1/chat/polls`
        """
        result: models.EnvelopedPoll = self._transport.json("POST", "/v1/chat/polls", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_popout_token(self, *, body: models.CreatePopoutTokenInput, idempotency_key: str | None = None) -> models.EnvelopedCreatePopoutTokenResultKeyLinks:
        """Creates a popout token.

        `POST /v1/tokens`
        """
        result: models.EnvelopedCreatePopoutTokenResultKeyLinks = self._transport.json("POST", "/v1/tokens", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_portal(self, *, idempotency_key: str | None = None) -> models.EnvelopedPortalSession:
        """Opens the page of the payment provider for managing payments.

        `POST /v1/billing/portal`
        """
        result: models.EnvelopedPortalSession = self._transport.json("POST", "/v1/billing/portal", header={"Idempotency-Key": idempotency_key})
        return result

    def create_prediction(self, *, body: models.CreatePredictionInput, idempotency_key: str | None = None) -> models.EnvelopedPrediction:
        """Starts a prediction on the account's channel.

        `POST /v1/chat/predictions`
        """
        result: models.EnvelopedPrediction = self._transport.json("POST", "/v1/chat/predictions", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_reward(self, *, body: models.CreateRewardInput, idempotency_key: str | None = None) -> models.EnvelopedReward:
        """Adds a reward: links one that exists at its platform, or creates one at Twitch.

        `POST /v1/rewards`
        """
        result: models.EnvelopedReward = self._transport.json("POST", "/v1/rewards", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_role(self, *, body: models.CreateRoleInput, idempotency_key: str | None = None) -> models.EnvelopedAccountRole:
        """Creates a role at the end of the list.

        `POST /v1/roles`
        """
        result: models.EnvelopedAccountRole = self._transport.json("POST", "/v1/roles", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_se_token(self, *, body: models.CreateSeTokenInput, idempotency_key: str | None = None) -> models.EnvelopedSeToken:
        """Stores the token of a platform, in place of an earlier one. Tips are received with it from then on.

        `POST /v1/se-tokens`
        """
        result: models.EnvelopedSeToken = self._transport.json("POST", "/v1/se-tokens", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_shared_link(self, id: str, *, body: models.CreateSharedLinkInput, idempotency_key: str | None = None) -> models.EnvelopedCreatedSharedLink:
        """Creates a link that shows a report without a credential.

        `POST /v1/history/reports/{id}/shared-links`
        """
        result: models.EnvelopedCreatedSharedLink = self._transport.json("POST", path_of("/v1/history/reports/{id}/shared-links", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_sound(self, *, body: models.SoundForm, idempotency_key: str | None = None) -> models.EnvelopedSound:
        """Adds a sound.

        `POST /v1/sounds`
        """
        result: models.EnvelopedSound = self._transport.json("POST", "/v1/sounds", header={"Idempotency-Key": idempotency_key}, body=Body("form", "multipart/form-data", body))
        return result

    def create_support_ticket(self, *, body: models.CreateSupportTicketInput, idempotency_key: str | None = None) -> models.EnvelopedSupportTicket:
        """Files a support ticket of the caller.

        `POST /v1/support/tickets`
        """
        result: models.EnvelopedSupportTicket = self._transport.json("POST", "/v1/support/tickets", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_upload(self, *, body: models.UploadForm, idempotency_key: str | None = None) -> models.EnvelopedUpload:
        """Stores a file.

        `POST /v1/uploads`
        """
        result: models.EnvelopedUpload = self._transport.json("POST", "/v1/uploads", header={"Idempotency-Key": idempotency_key}, body=Body("form", "multipart/form-data", body))
        return result

    def create_user_api_key(self, *, body: models.CreateUserApiKeyInput, idempotency_key: str | None = None) -> models.EnvelopedCreatedUserApiKeyKeyLinks:
        """Creates a personal API key.

        `POST /v1/api-keys`
        """
        result: models.EnvelopedCreatedUserApiKeyKeyLinks = self._transport.json("POST", "/v1/api-keys", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_user_note(self, platform: str, platform_user_id: str, *, body: models.CreateUserNoteInput, idempotency_key: str | None = None) -> models.EnvelopedUserNote:
        """Creates a note about a user.

        `POST /v1/chat/users/{platform}/{platform_user_id}/notes`
        """
        result: models.EnvelopedUserNote = self._transport.json("POST", path_of("/v1/chat/users/{platform}/{platform_user_id}/notes", platform, platform_user_id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_user_role(self, *, body: models.CreateUserRoleInput, idempotency_key: str | None = None) -> models.EnvelopedUserRole:
        """Creates a platform-wide role.

        `POST /v1/user-roles`
        """
        result: models.EnvelopedUserRole = self._transport.json("POST", "/v1/user-roles", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_webhook_endpoint(self, *, body: models.CreateWebhookEndpointInput, idempotency_key: str | None = None) -> models.EnvelopedCreatedWebhookEndpoint:
        """Creates a webhook endpoint.

        `POST /v1/webhook-endpoints`
        """
        result: models.EnvelopedCreatedWebhookEndpoint = self._transport.json("POST", "/v1/webhook-endpoints", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def create_widget(self, *, body: models.CreateWidgetInput, idempotency_key: str | None = None) -> models.EnvelopedWidget:
        """Creates a widget.

        `POST /v1/widgets`
        """
        result: models.EnvelopedWidget = self._transport.json("POST", "/v1/widgets", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def decline_invite(self, code: str, *, idempotency_key: str | None = None) -> models.Success:
        """Declines an invite.

        `POST /v1/invites/{code}/decline`
        """
        result: models.Success = self._transport.json("POST", path_of("/v1/invites/{code}/decline", code), header={"Idempotency-Key": idempotency_key})
        return result

    def delete_account_archive(self, id: str, archive_id: str) -> None:
        """Deletes an archive of an account, or ends its export.

        `DELETE /v1/accounts/{id}/archives/{archive_id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/accounts/{id}/archives/{archive_id}", id, archive_id))

    def delete_account_service_key(self, id: str) -> None:
        """Revokes a service key.

        `DELETE /v1/service-keys/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/service-keys/{id}", id))

    def delete_app_credentials(self, platform: str) -> None:
        """Deletes the application of the account for a platform.

        `DELETE /v1/connections/app-credentials/{platform}`
        """
        self._transport.nothing("DELETE", path_of("/v1/connections/app-credentials/{platform}", platform))

    def delete_automation(self, id: str) -> None:
        """Deletes an automation with its graph, runs and webhook secrets.

        `DELETE /v1/automations/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/automations/{id}", id))

    def delete_blocked_song(self, id: str) -> None:
        """Removes a song from the account's list of blocked songs.

        `DELETE /v1/copyright/blocked-songs/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/copyright/blocked-songs/{id}", id))

    def delete_bot_command(self, id: str) -> None:
        """Deletes a command of the account.

        `DELETE /v1/bot-commands/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/bot-commands/{id}", id))

    def delete_bot_module(self, name: str) -> None:
        """Switches a built-in module off and deletes its settings.

        `DELETE /v1/bot-modules/{name}`
        """
        self._transport.nothing("DELETE", path_of("/v1/bot-modules/{name}", name))

    def delete_copyright_playlist_sync(self, id: str) -> None:
        """Stops following a playlist.

        `DELETE /v1/copyright/playlist-syncs/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/copyright/playlist-syncs/{id}", id))

    def delete_developer_team(self, id: str) -> None:
        """Deletes a team.

        `DELETE /v1/developer/teams/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/developer/teams/{id}", id))

    def delete_developer_team_invite(self, id: str, invite_id: str) -> None:
        """Deletes an invite of a team.

        `DELETE /v1/developer/teams/{id}/invites/{invite_id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/developer/teams/{id}/invites/{invite_id}", id, invite_id))

    def delete_developer_team_role(self, id: str, rid: str) -> None:
        """Deletes a role of a team that no member holds.

        `DELETE /v1/developer/teams/{id}/roles/{rid}`
        """
        self._transport.nothing("DELETE", path_of("/v1/developer/teams/{id}/roles/{rid}", id, rid))

    def delete_extension(self, id: str) -> None:
        """Deletes one of the caller's extensions that was never publicly listed.

        `DELETE /v1/developer/extensions/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/developer/extensions/{id}", id))

    def delete_extension_review(self, id: str, review_id: str) -> None:
        """Deletes the caller's own review.

        `DELETE /v1/extensions/{id}/reviews/{review_id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/extensions/{id}/reviews/{review_id}", id, review_id))

    def delete_extension_secret(self, id: str, key: str) -> None:
        """Deletes a secret of one of the caller's extensions.

        `DELETE /v1/developer/extensions/{id}/secrets/{key}`
        """
        self._transport.nothing("DELETE", path_of("/v1/developer/extensions/{id}/secrets/{key}", id, key))

    def delete_idea(self, id: str) -> None:
        """Deletes an idea with its votes, comments and timeline.

        `DELETE /v1/ideas/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/ideas/{id}", id))

    def delete_idea_category(self, id: str) -> None:
        """Deletes a category that no idea has.

        `DELETE /v1/ideas/categories/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/ideas/categories/{id}", id))

    def delete_idea_comment(self, id: str) -> None:
        """Deletes a comment with its replies.

        `DELETE /v1/ideas/comments/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/ideas/comments/{id}", id))

    def delete_idea_tag(self, id: str) -> None:
        """Deletes a tag. The ideas that have it stay, without it.

        `DELETE /v1/ideas/tags/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/ideas/tags/{id}", id))

    def delete_invite(self, code_or_id: str) -> None:
        """Deletes an invite of the account.

        `DELETE /v1/invites/{code_or_id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/invites/{code_or_id}", code_or_id))

    def delete_notification(self, id: str) -> None:
        """Deletes a notification of the caller.

        `DELETE /v1/notifications/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/notifications/{id}", id))

    def delete_obs_config(self) -> None:
        """Deletes how the account reaches its OBS, with the password.

        `DELETE /v1/integrations/obs`
        """
        self._transport.nothing("DELETE", "/v1/integrations/obs")

    def delete_overlay(self, id: str) -> None:
        """Deletes an overlay with its layers, shares and access entries.

        `DELETE /v1/overlays/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/overlays/{id}", id))

    def delete_popout_token(self, id: str) -> None:
        """Deletes a popout token.

        `DELETE /v1/tokens/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/tokens/{id}", id))

    def delete_reward(self, id: str) -> None:
        """Deletes a reward.

        `DELETE /v1/rewards/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/rewards/{id}", id))

    def delete_role(self, id: str) -> None:
        """Deletes a role that no member holds.

        `DELETE /v1/roles/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/roles/{id}", id))

    def delete_safe_song(self, id: str) -> None:
        """Removes a song from the account's list of safe songs.

        `DELETE /v1/copyright/safe-songs/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/copyright/safe-songs/{id}", id))

    def delete_se_token(self, id: str) -> None:
        """Deletes a token. Tips of its channel are no longer received.

        `DELETE /v1/se-tokens/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/se-tokens/{id}", id))

    def delete_sound(self, id: str) -> None:
        """Deletes a sound.

        `DELETE /v1/sounds/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/sounds/{id}", id))

    def delete_stream_report(self, id: str) -> None:
        """Deletes a stream session with its report and samples.

        `DELETE /v1/history/reports/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/history/reports/{id}", id))

    def delete_upload(self, id: str) -> None:
        """Deletes an upload.

        `DELETE /v1/uploads/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/uploads/{id}", id))

    def delete_usage_budget(self, budget_id: str) -> None:
        """Deletes a budget of the account. What it refused is allowed again.

        `DELETE /v1/usage/budgets/{budget_id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/usage/budgets/{budget_id}", budget_id))

    def delete_user_api_key(self, id: str) -> None:
        """Revokes one of the caller's own keys.

        `DELETE /v1/api-keys/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/api-keys/{id}", id))

    def delete_user_note(self, id: str) -> None:
        """Deletes a note.

        `DELETE /v1/chat/notes/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/chat/notes/{id}", id))

    def delete_user_role(self, id: str) -> None:
        """Deletes a platform-wide role with its assignments.

        `DELETE /v1/user-roles/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/user-roles/{id}", id))

    def delete_webhook_endpoint(self, endpoint_id: str) -> None:
        """Deletes a webhook endpoint with its secrets and deliveries.

        `DELETE /v1/webhook-endpoints/{endpoint_id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/webhook-endpoints/{endpoint_id}", endpoint_id))

    def delete_widget(self, id: str) -> None:
        """Deletes a widget with its access entries.

        `DELETE /v1/widgets/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/widgets/{id}", id))

    def developer_api_create_extension(self, *, body: models.CreateExtensionBody, idempotency_key: str | None = None) -> models.CreatedExtensionBody:
        """Creates an extension.

        `POST /developer/v1/extensions`
        """
        result: models.CreatedExtensionBody = self._transport.json("POST", "/developer/v1/extensions", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def developer_api_delete_extension(self, id: str) -> None:
        """Deletes an extension that was never publicly listed.

        `DELETE /developer/v1/extensions/{id}`
        """
        self._transport.nothing("DELETE", path_of("/developer/v1/extensions/{id}", id))

    def developer_api_delete_secret(self, id: str, key: str) -> None:
        """Deletes a secret of an extension.

        `DELETE /developer/v1/extensions/{id}/secrets/{key}`
        """
        self._transport.nothing("DELETE", path_of("/developer/v1/extensions/{id}/secrets/{key}", id, key))

    def developer_api_extension(self, id: str) -> models.Extension:
        """Returns one of the developer's extensions.

        `GET /developer/v1/extensions/{id}`
        """
        result: models.Extension = self._transport.json("GET", path_of("/developer/v1/extensions/{id}", id))
        return result

    def developer_api_extensions(self, *, limit: int | None = None, cursor: str | None = None) -> models.ExtensionPage:
        """Lists the developer's extensions and those of the developer's teams, newest first.

        `GET /developer/v1/extensions`
        """
        result: models.ExtensionPage = self._transport.json("GET", "/developer/v1/extensions", query={"limit": limit, "cursor": cursor})
        return result

    def developer_api_install_stats(self, id: str) -> models.InstallStats:
        """Counts the installs of an extension.

        `GET /developer/v1/extensions/{id}/installs`
        """
        result: models.InstallStats = self._transport.json("GET", path_of("/developer/v1/extensions/{id}/installs", id))
        return result

    def developer_api_secrets(self, id: str) -> models.SecretKeys:
        """Lists the names of an extension's secrets.

        `GET /developer/v1/extensions/{id}/secrets`
        """
        result: models.SecretKeys = self._transport.json("GET", path_of("/developer/v1/extensions/{id}/secrets", id))
        return result

    def developer_api_set_secret(self, id: str, key: str, *, body: models.SecretBody) -> None:
        """Sets a secret of an extension, or replaces it.

        `PUT /developer/v1/extensions/{id}/secrets/{key}`
        """
        self._transport.nothing("PUT", path_of("/developer/v1/extensions/{id}/secrets/{key}", id, key), body=Body("json", "application/json", body))

    def developer_api_submit_version(self, id: str, *, body: models.SubmitVersionForm) -> models.SubmittedVersionBody:
        """Uploads a version of an extension for review.

        `POST /developer/v1/extensions/{id}/versions`
        """
        result: models.SubmittedVersionBody = self._transport.json("POST", path_of("/developer/v1/extensions/{id}/versions", id), body=Body("form", "multipart/form-data", body))
        return result

    def developer_api_update_extension(self, id: str, *, body: models.UpdateExtensionBody) -> models.Extension:
        """Changes an extension.

        `PATCH /developer/v1/extensions/{id}`
        """
        result: models.Extension = self._transport.json("PATCH", path_of("/developer/v1/extensions/{id}", id), body=Body("json", "application/json", body))
        return result

    def developer_api_version(self, id: str, version_id: str) -> models.VersionBody:
        """Returns one version of an extension.

        `GET /developer/v1/extensions/{id}/versions/{version_id}`
        """
        result: models.VersionBody = self._transport.json("GET", path_of("/developer/v1/extensions/{id}/versions/{version_id}", id, version_id))
        return result

    def developer_api_versions(self, id: str, *, limit: int | None = None, cursor: str | None = None) -> models.VersionPage:
        """Lists the versions of an extension, newest upload first.

        `GET /developer/v1/extensions/{id}/versions`
        """
        result: models.VersionPage = self._transport.json("GET", path_of("/developer/v1/extensions/{id}/versions", id), query={"limit": limit, "cursor": cursor})
        return result

    def developer_application(self) -> models.EnvelopedDeveloperApplication:
        """Returns the latest application of the caller to become a developer.

        `GET /v1/developer/application`
        """
        result: models.EnvelopedDeveloperApplication = self._transport.json("GET", "/v1/developer/application")
        return result

    def developer_extension(self, id: str, *, if_none_match: str | None = None) -> models.EnvelopedDeveloperExtensionDetail:
        """Returns one of the caller's extensions with its versions.

        `GET /v1/developer/extensions/{id}`
        """
        result: models.EnvelopedDeveloperExtensionDetail = self._transport.json("GET", path_of("/v1/developer/extensions/{id}", id), header={"If-None-Match": if_none_match})
        return result

    def developer_extensions(self, *, if_none_match: str | None = None) -> models.ListedDeveloperExtension:
        """Lists the caller's extensions and those of the caller's teams, newest first.

        `GET /v1/developer/extensions`
        """
        result: models.ListedDeveloperExtension = self._transport.json("GET", "/v1/developer/extensions", header={"If-None-Match": if_none_match})
        return result

    def developer_limit_request(self, id: str) -> models.EnvelopedLimitRequest:
        """Returns one of the caller's requests for a higher limit.

        `GET /v1/developer/limit-requests/{id}`
        """
        result: models.EnvelopedLimitRequest = self._transport.json("GET", path_of("/v1/developer/limit-requests/{id}", id))
        return result

    def developer_limit_request_events(self, id: str) -> models.ListedLimitRequestEvent:
        """Lists the timeline of one of the caller's requests, oldest first.

        `GET /v1/developer/limit-requests/{id}/events`
        """
        result: models.ListedLimitRequestEvent = self._transport.json("GET", path_of("/v1/developer/limit-requests/{id}/events", id))
        return result

    def developer_limit_requests(self, *, status: models.LimitRequestStatus | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionLimitRequest:
        """Lists the caller's requests for higher limits, newest first.

        `GET /v1/developer/limit-requests`
        """
        result: models.CollectionLimitRequest = self._transport.json("GET", "/v1/developer/limit-requests", query={"status": status, "page": page, "limit": limit})
        return result

    def developer_limits(self) -> models.EnvelopedDeveloperLimits:
        """Returns the limits of the caller as a developer.

        `GET /v1/developer/limits`
        """
        result: models.EnvelopedDeveloperLimits = self._transport.json("GET", "/v1/developer/limits")
        return result

    def developer_payout_settings(self, *, team_id: str | None = None) -> models.EnvelopedDeveloperPayoutSettings:
        """Returns the ways in which the caller, or a team, is paid, and the balance.

        `GET /v1/developer/payout-settings`
        """
        result: models.EnvelopedDeveloperPayoutSettings = self._transport.json("GET", "/v1/developer/payout-settings", query={"team_id": team_id})
        return result

    def developer_payouts(self, *, team_id: str | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionDeveloperPayout:
        """Lists the payouts to the caller, or to a team, newest first.

        `GET /v1/developer/payouts`
        """
        result: models.CollectionDeveloperPayout = self._transport.json("GET", "/v1/developer/payouts", query={"team_id": team_id, "page": page, "limit": limit})
        return result

    def developer_profile(self) -> models.EnvelopedDeveloperProfile:
        """Returns the caller's own profile as a developer.

        `GET /v1/developer/profile`
        """
        result: models.EnvelopedDeveloperProfile = self._transport.json("GET", "/v1/developer/profile")
        return result

    def developer_revenue(self, *, team_id: str | None = None, from_: str | None = None, to: str | None = None) -> models.EnvelopedDeveloperRevenue:
        """Returns the revenue of the caller, or of a team, by extension and month.

        `GET /v1/developer/revenue`
        """
        result: models.EnvelopedDeveloperRevenue = self._transport.json("GET", "/v1/developer/revenue", query={"team_id": team_id, "from": from_, "to": to})
        return result

    def developer_team(self, id: str) -> models.EnvelopedDeveloperTeam:
        """Returns a team of the caller.

        `GET /v1/developer/teams/{id}`
        """
        result: models.EnvelopedDeveloperTeam = self._transport.json("GET", path_of("/v1/developer/teams/{id}", id))
        return result

    def developer_team_invite_by_code(self, code: str) -> models.EnvelopedDeveloperTeamInvitePreview:
        """Returns the preview of the invite with a code.

        `GET /v1/developer/team-invites/{code}`
        """
        result: models.EnvelopedDeveloperTeamInvitePreview = self._transport.json("GET", path_of("/v1/developer/team-invites/{code}", code))
        return result

    def developer_team_invites(self, id: str) -> models.ListedDeveloperTeamInvite:
        """Lists the invites of a team, newest first.

        `GET /v1/developer/teams/{id}/invites`
        """
        result: models.ListedDeveloperTeamInvite = self._transport.json("GET", path_of("/v1/developer/teams/{id}/invites", id))
        return result

    def developer_team_members(self, id: str) -> models.ListedDeveloperTeamMember:
        """Lists the members of a team, the first joined one first.

        `GET /v1/developer/teams/{id}/members`
        """
        result: models.ListedDeveloperTeamMember = self._transport.json("GET", path_of("/v1/developer/teams/{id}/members", id))
        return result

    def developer_team_permissions(self) -> models.ListedDeveloperTeamPermissionInfo:
        """Lists the permissions that a role of a team may hold, in the order of the catalogue.

        `GET /v1/developer/teams/permissions`
        """
        result: models.ListedDeveloperTeamPermissionInfo = self._transport.json("GET", "/v1/developer/teams/permissions")
        return result

    def developer_team_roles(self, id: str) -> models.ListedDeveloperTeamRole:
        """Lists the roles of a team, the oldest first.

        `GET /v1/developer/teams/{id}/roles`
        """
        result: models.ListedDeveloperTeamRole = self._transport.json("GET", path_of("/v1/developer/teams/{id}/roles", id))
        return result

    def developer_teams(self) -> models.ListedDeveloperTeam:
        """Lists the teams of the caller, the first joined one first.

        `GET /v1/developer/teams`
        """
        result: models.ListedDeveloperTeam = self._transport.json("GET", "/v1/developer/teams")
        return result

    def developer_verification(self) -> models.EnvelopedOptionDeveloperVerification:
        """Returns the verification of the caller as a developer; null when nothing was submitted.

        `GET /v1/developer/verification`
        """
        result: models.EnvelopedOptionDeveloperVerification = self._transport.json("GET", "/v1/developer/verification")
        return result

    def disconnect_bot(self, platform: str) -> None:
        """Disconnects the account's own bot on a platform.

        `DELETE /v1/bot-connections/{platform}`
        """
        self._transport.nothing("DELETE", path_of("/v1/bot-connections/{platform}", platform))

    def disconnect_channel(self, platform: str) -> None:
        """Disconnects the account's channel on a platform.

        `DELETE /v1/connections/channel/{platform}`
        """
        self._transport.nothing("DELETE", path_of("/v1/connections/channel/{platform}", platform))

    def disconnect_login_connection(self, id: str) -> None:
        """Removes a login connection of the caller, or discards one that waits for confirmation.

        `DELETE /v1/login-connections/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/login-connections/{id}", id))

    def discord_guilds(self) -> models.ListedDiscordGuild:
        """Lists the account's Discord servers, oldest first.

        `GET /v1/bot-connections/discord/guilds`
        """
        result: models.ListedDiscordGuild = self._transport.json("GET", "/v1/bot-connections/discord/guilds")
        return result

    def dissolve_account(self, id: str, *, body: models.DissolveAccountInput) -> models.Success:
        """Dissolves the account that the caller owns and acts in.

        `POST /v1/accounts/{id}/dissolve`
        """
        result: models.Success = self._transport.json("POST", path_of("/v1/accounts/{id}/dissolve", id), body=Body("json", "application/json", body))
        return result

    def download_account_archive(self, id: str, *, exp: int | None = None, sig: str | None = None) -> bytes:
        """Returns the content of an archive as raw bytes, for its signed address.

        `GET /v1/media/archive/{id}`
        """
        result: bytes = self._transport.content("GET", path_of("/v1/media/archive/{id}", id), query={"exp": exp, "sig": sig})
        return result

    def dry_run_automation(self, id: str, *, body: models.DryRunAutomationInput) -> models.EnvelopedAutomationDryRun:
        """Runs an automation without any effect, and returns what each step would have done.

        `POST /v1/automations/{id}/dry-run`
        """
        result: models.EnvelopedAutomationDryRun = self._transport.json("POST", path_of("/v1/automations/{id}/dry-run", id), body=Body("json", "application/json", body))
        return result

    def duplicate_automation(self, id: str, *, idempotency_key: str | None = None) -> models.EnvelopedAutomation:
        """Copies an automation with its graph.

        `POST /v1/automations/{id}/duplicate`
        """
        result: models.EnvelopedAutomation = self._transport.json("POST", path_of("/v1/automations/{id}/duplicate", id), header={"Idempotency-Key": idempotency_key})
        return result

    def duplicate_overlay(self, id: str, *, idempotency_key: str | None = None) -> models.EnvelopedOverlay:
        """Copies an overlay with its layers.

        `POST /v1/overlays/{id}/duplicate`
        """
        result: models.EnvelopedOverlay = self._transport.json("POST", path_of("/v1/overlays/{id}/duplicate", id), header={"Idempotency-Key": idempotency_key})
        return result

    def duplicate_widget(self, id: str, *, idempotency_key: str | None = None) -> models.EnvelopedWidget:
        """Copies a widget.

        `POST /v1/widgets/{id}/duplicate`
        """
        result: models.EnvelopedWidget = self._transport.json("POST", path_of("/v1/widgets/{id}/duplicate", id), header={"Idempotency-Key": idempotency_key})
        return result

    def emit_event(self, *, body: models.EmitEventInput, idempotency_key: str | None = None) -> models.EnvelopedEvent:
        """Emits an event of the account.

        `POST /v1/events`
        """
        result: models.EnvelopedEvent = self._transport.json("POST", "/v1/events", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def enabled_platforms(self, *, if_none_match: str | None = None) -> models.ListedString:
        """Lists the slugs of the platforms that are open for sign-in or bots.

        `GET /v1/platforms/enabled`
        """
        result: models.ListedString = self._transport.json("GET", "/v1/platforms/enabled", header={"If-None-Match": if_none_match})
        return result

    def enabled_providers(self, *, connection_type: Literal['login', 'channel', 'bot'], if_none_match: str | None = None) -> models.ListedString:
        """Lists the slugs of the platforms that are switched on for a use, in the fixed order of platforms.

        `GET /v1/connections/providers`
        """
        result: models.ListedString = self._transport.json("GET", "/v1/connections/providers", query={"connection_type": connection_type}, header={"If-None-Match": if_none_match})
        return result

    def end_poll(self, id: str, *, body: models.EndPollInput) -> models.EnvelopedPoll:
        """Ends a poll before its time.

        `PATCH /v1/chat/polls/{id}`
        """
        result: models.EnvelopedPoll = self._transport.json("PATCH", path_of("/v1/chat/polls/{id}", id), body=Body("json", "application/json", body))
        return result

    def end_prediction(self, id: str, *, body: models.EndPredictionInput) -> models.EnvelopedPrediction:
        """Locks, resolves or cancels a prediction.

        `PATCH /v1/chat/predictions/{id}`
        """
        result: models.EnvelopedPrediction = self._transport.json("PATCH", path_of("/v1/chat/predictions/{id}", id), body=Body("json", "application/json", body))
        return result

    def erase_chat_subject_data(self, *, body: models.EraseChatSubjectInput, idempotency_key: str | None = None) -> models.EnvelopedEraseChatSubjectResult:
        """Erases the data about a person who chatted, in every account.

        `POST /v1/admin/privacy/chat/erase`
        """
        result: models.EnvelopedEraseChatSubjectResult = self._transport.json("POST", "/v1/admin/privacy/chat/erase", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def erase_youtube_member_data(self, id: str) -> models.EnvelopedEraseYoutubeMemberResult:
        """Erases the data about a YouTube channel as a viewer, in every account.

        `DELETE /v1/admin/privacy/youtube/member/{id}`
        """
        result: models.EnvelopedEraseYoutubeMemberResult = self._transport.json("DELETE", path_of("/v1/admin/privacy/youtube/member/{id}", id))
        return result

    def event(self, id: str, *, if_none_match: str | None = None) -> models.EnvelopedEvent:
        """Returns one event of the account.

        `GET /v1/events/{id}`
        """
        result: models.EnvelopedEvent = self._transport.json("GET", path_of("/v1/events/{id}", id), header={"If-None-Match": if_none_match})
        return result

    def events(self, *, types: str | None = None, platform: str | None = None, search: str | None = None, from_: str | None = None, to: str | None = None, page: int | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionEvent:
        """Returns one page of the account's events, newest first.

        `GET /v1/events`
        """
        result: models.CollectionEvent = self._transport.json("GET", "/v1/events", query={"types": types, "platform": platform, "search": search, "from": from_, "to": to, "page": page, "limit": limit, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    def exchange_oauth(self, platform: str, *, body: models.ExchangeOauthInput) -> models.EnvelopedOauthExchange:
        """Makes the connection that a state handle stands for, with the platform's authorization code.

        `POST /v1/connections/oauth/{platform}/exchange`
        """
        result: models.EnvelopedOauthExchange = self._transport.json("POST", path_of("/v1/connections/oauth/{platform}/exchange", platform), body=Body("json", "application/json", body))
        return result

    def exchange_popout_token(self, *, body: models.ExchangePopoutTokenInput) -> models.EnvelopedPopoutSession:
        """Exchanges a popout token for a session of 15 minutes.

        `POST /v1/auth/popout/exchange`
        """
        result: models.EnvelopedPopoutSession = self._transport.json("POST", "/v1/auth/popout/exchange", body=Body("json", "application/json", body))
        return result

    def exchange_token(self, *, body: models.ExchangeTokenInput) -> models.EnvelopedExchangedToken:
        """Signs a person in with an access token of a provider and opens a session.

        `POST /v1/auth/token`
        """
        result: models.EnvelopedExchangedToken = self._transport.json("POST", "/v1/auth/token", body=Body("json", "application/json", body))
        return result

    def execute_automation(self, id: str, *, body: models.ExecuteAutomationInput, idempotency_key: str | None = None) -> models.EnvelopedAutomationExecution:
        """Starts an automation by hand.

        `POST /v1/automations/{id}/execute`
        """
        result: models.EnvelopedAutomationExecution = self._transport.json("POST", path_of("/v1/automations/{id}/execute", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def explain_access(self, *, operation: str, subject: str | None = None) -> models.EnvelopedAccessExplanation:
        """Explains whether the rule of an operation admits a member or key of the account, and why.

        `GET /v1/access/explain`
        """
        result: models.EnvelopedAccessExplanation = self._transport.json("GET", "/v1/access/explain", query={"operation": operation, "subject": subject})
        return result

    def export_account(self, id: str, *, body: models.ExportAccountInput, idempotency_key: str | None = None) -> models.EnvelopedAccountArchive:
        """Requests an archive of everything that belongs to an account.

        `POST /v1/accounts/{id}/archives`
        """
        result: models.EnvelopedAccountArchive = self._transport.json("POST", path_of("/v1/accounts/{id}/archives", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def export_shared_report(self, token: str, *, format: Literal['csv', 'txt', 'json', 'pdf'], x_share_password: str | None = None) -> bytes:
        """Returns the report that a shared link shows as a file.

        `GET /v1/history/shared/{token}/export`
        """
        result: bytes = self._transport.content("GET", path_of("/v1/history/shared/{token}/export", token), query={"format": format}, header={"X-Share-Password": x_share_password})
        return result

    def export_stream_report(self, id: str, *, format: Literal['csv', 'txt', 'json', 'pdf']) -> bytes:
        """Returns the report of a stream session as a file.

        `GET /v1/history/reports/{id}/export`
        """
        result: bytes = self._transport.content("GET", path_of("/v1/history/reports/{id}/export", id), query={"format": format})
        return result

    def extend_shared_link(self, id: str, *, body: models.ExtendSharedLinkInput) -> models.EnvelopedSharedLink:
        """Sets the end of an active link anew. The lifetime counts from now on.

        `PATCH /v1/history/shared-links/{id}`
        """
        result: models.EnvelopedSharedLink = self._transport.json("PATCH", path_of("/v1/history/shared-links/{id}", id), body=Body("json", "application/json", body))
        return result

    def extension_access_grants(self, id: str) -> models.ListedExtensionAccessGrant:
        """Lists the accounts with an access grant for one of the caller's extensions, the oldest grant first.

        `GET /v1/developer/extensions/{id}/access`
        """
        result: models.ListedExtensionAccessGrant = self._transport.json("GET", path_of("/v1/developer/extensions/{id}/access", id))
        return result

    def extension_bundle(self, extension_id: str, version: str) -> str:
        """Returns the code of a version's layer, at the address of old clients.

        `GET /v1/extension-bundles/{extension_id}/{version}/bundle.js`
        """
        result: str = self._transport.text("GET", path_of("/v1/extension-bundles/{extension_id}/{version}/bundle.js", extension_id, version))
        return result

    def extension_bundle_file(self, extension_id: str, version: str, path: str) -> bytes:
        """Returns one file of a version as raw bytes.

        `GET /v1/extension-bundles/{extension_id}/{version}/{path}`
        """
        result: bytes = self._transport.content("GET", path_of("/v1/extension-bundles/{extension_id}/{version}/{path}", extension_id, version, path))
        return result

    def extension_errors(self, id: str, *, limit: int | None = None, offset: int | None = None, since: models.Timestamp | None = None, before: str | None = None, if_none_match: str | None = None) -> models.ListedExtensionError:
        """Lists the runtime errors of one of the caller's extensions, newest first.

        `GET /v1/developer/extensions/{id}/errors`
        """
        result: models.ListedExtensionError = self._transport.json("GET", path_of("/v1/developer/extensions/{id}/errors", id), query={"limit": limit, "offset": offset, "since": since, "before": before}, header={"If-None-Match": if_none_match})
        return result

    def extension_install(self, id: str, *, if_none_match: str | None = None) -> models.EnvelopedExtensionInstall:
        """Returns one of the account's installs.

        `GET /v1/extension-installs/{id}`
        """
        result: models.EnvelopedExtensionInstall = self._transport.json("GET", path_of("/v1/extension-installs/{id}", id), header={"If-None-Match": if_none_match})
        return result

    def extension_install_logs(self, id: str, *, limit: int | None = None, offset: int | None = None, level: models.InstallLogLevel | None = None, before: str | None = None, if_none_match: str | None = None) -> models.ListedInstallLog:
        """Lists the lines that the handlers of an install logged, newest first.

        `GET /v1/extension-installs/{id}/logs`
        """
        result: models.ListedInstallLog = self._transport.json("GET", path_of("/v1/extension-installs/{id}/logs", id), query={"limit": limit, "offset": offset, "level": level, "before": before}, header={"If-None-Match": if_none_match})
        return result

    def extension_installs(self, *, if_none_match: str | None = None) -> models.ListedExtensionInstall:
        """Lists the account's installs, oldest first.

        `GET /v1/extension-installs`
        """
        result: models.ListedExtensionInstall = self._transport.json("GET", "/v1/extension-installs", header={"If-None-Match": if_none_match})
        return result

    def extension_limits(self, id: str) -> models.EnvelopedExtensionLimits:
        """Returns the limits of one of the caller's extensions.

        `GET /v1/developer/extensions/{id}/limits`
        """
        result: models.EnvelopedExtensionLimits = self._transport.json("GET", path_of("/v1/developer/extensions/{id}/limits", id))
        return result

    def extension_metrics(self, id: str, *, since: models.Timestamp | None = None, if_none_match: str | None = None) -> models.EnvelopedExtensionMetrics:
        """Returns the invocations of one of the caller's extensions, summed in total, by handler and by hour.

        `GET /v1/developer/extensions/{id}/metrics`
        """
        result: models.EnvelopedExtensionMetrics = self._transport.json("GET", path_of("/v1/developer/extensions/{id}/metrics", id), query={"since": since}, header={"If-None-Match": if_none_match})
        return result

    def extension_reviews(self, id: str, *, page: int | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionExtensionReview:
        """Lists the reviews of an extension, newest first.

        `GET /v1/extensions/{id}/reviews`
        """
        result: models.CollectionExtensionReview = self._transport.json("GET", path_of("/v1/extensions/{id}/reviews", id), query={"page": page, "limit": limit, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    def extension_secret_keys(self, id: str) -> models.EnvelopedExtensionSecretKeys:
        """Lists the names of the secrets of one of the caller's extensions.

        `GET /v1/developer/extensions/{id}/secrets`
        """
        result: models.EnvelopedExtensionSecretKeys = self._transport.json("GET", path_of("/v1/developer/extensions/{id}/secrets", id))
        return result

    def extension_storage(self, id: str) -> models.EnvelopedExtensionStorage:
        """Returns the shared storage of an install.

        `GET /v1/extension-installs/{id}/storage`
        """
        result: models.EnvelopedExtensionStorage = self._transport.json("GET", path_of("/v1/extension-installs/{id}/storage", id))
        return result

    def extension_testers(self, id: str) -> models.ListedExtensionTester:
        """Lists the testers of one of the caller's extensions, the oldest first.

        `GET /v1/developer/extensions/{id}/testers`
        """
        result: models.ListedExtensionTester = self._transport.json("GET", path_of("/v1/developer/extensions/{id}/testers", id))
        return result

    def extension_upload(self, extension_id: str, filename: str) -> bytes:
        """Returns an uploaded file as raw bytes.

        `GET /v1/extensions/{extension_id}/uploads/{filename}`
        """
        result: bytes = self._transport.content("GET", path_of("/v1/extensions/{extension_id}/uploads/{filename}", extension_id, filename))
        return result

    def extension_version_files(self, id: str, version: str) -> models.ListedBundleFile:
        """Lists the files of a version by path.

        `GET /v1/extensions/{id}/versions/{version}/files`
        """
        result: models.ListedBundleFile = self._transport.json("GET", path_of("/v1/extensions/{id}/versions/{version}/files", id, version))
        return result

    def flagged_connections(self, *, if_none_match: str | None = None) -> models.ListedFlaggedConnection:
        """Lists the flagged connections that the person can make again.

        `GET /v1/connections/flagged`
        """
        result: models.ListedFlaggedConnection = self._transport.json("GET", "/v1/connections/flagged", header={"If-None-Match": if_none_match})
        return result

    def global_bot_commands(self) -> models.ListedBotCommand:
        """Lists the global commands by name, with the account's overrides.

        `GET /v1/bot-commands/global`
        """
        result: models.ListedBotCommand = self._transport.json("GET", "/v1/bot-commands/global")
        return result

    def grant_extension_access(self, id: str, *, body: models.GrantExtensionAccessInput, idempotency_key: str | None = None) -> models.EnvelopedExtensionAccessGrant:
        """Grants an account access to one of the caller's extensions.

        `POST /v1/developer/extensions/{id}/access`
        """
        result: models.EnvelopedExtensionAccessGrant = self._transport.json("POST", path_of("/v1/developer/extensions/{id}/access", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def graphql(self, *, body: models.GraphqlRequest, idempotency_key: str | None = None) -> models.GraphqlAnswer:
        """Executes a GraphQL operation.

        `POST /v1/gql`
        """
        result: models.GraphqlAnswer = self._transport.json("POST", "/v1/gql", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def graphql_schema(self) -> str:
        """The schema in the schema definition language.

        `GET /v1/schema`
        """
        result: str = self._transport.text("GET", "/v1/schema")
        return result

    def health(self) -> models.HealthAnswer:
        """Reports the state of the process and of its dependencies.

        `GET /v1/health`
        """
        result: models.HealthAnswer = self._transport.json("GET", "/v1/health")
        return result

    def idea(self, id: str, *, if_none_match: str | None = None) -> models.EnvelopedGqlIdea:
        """Returns an idea.

        `GET /v1/ideas/{id}`
        """
        result: models.EnvelopedGqlIdea = self._transport.json("GET", path_of("/v1/ideas/{id}", id), header={"If-None-Match": if_none_match})
        return result

    def idea_categories(self) -> models.ListedIdeaCategory:
        """Lists the categories of ideas in their order.

        `GET /v1/ideas/categories`
        """
        result: models.ListedIdeaCategory = self._transport.json("GET", "/v1/ideas/categories")
        return result

    def idea_comments(self, id: str, *, sort: Literal['oldest', 'newest', 'top'] | None = None, limit: int | None = None, offset: int | None = None, if_none_match: str | None = None) -> models.ListedIdeaComment:
        """Lists the comments on an idea that reply to none, each with its replies.

        `GET /v1/ideas/{id}/comments`
        """
        result: models.ListedIdeaComment = self._transport.json("GET", path_of("/v1/ideas/{id}/comments", id), query={"sort": sort, "limit": limit, "offset": offset}, header={"If-None-Match": if_none_match})
        return result

    def idea_participants(self, id: str, *, search: str | None = None) -> models.ListedIdeaAuthor:
        """Lists the first 50 people of an idea: its author, then those who have voted or commented, by name.

        `GET /v1/ideas/{id}/participants`
        """
        result: models.ListedIdeaAuthor = self._transport.json("GET", path_of("/v1/ideas/{id}/participants", id), query={"search": search})
        return result

    def idea_tags(self, *, search: str | None = None) -> models.ListedIdeaTag:
        """Lists tags of ideas by name, the first 100.

        `GET /v1/ideas/tags`
        """
        result: models.ListedIdeaTag = self._transport.json("GET", "/v1/ideas/tags", query={"search": search})
        return result

    def idea_timeline(self, id: str, *, limit: int | None = None, offset: int | None = None) -> models.ListedIdeaTimelineEntry:
        """Lists the timeline of an idea, oldest entry first.

        `GET /v1/ideas/{id}/timeline`
        """
        result: models.ListedIdeaTimelineEntry = self._transport.json("GET", path_of("/v1/ideas/{id}/timeline", id), query={"limit": limit, "offset": offset})
        return result

    def idea_voters(self, id: str, *, vote_type: models.IdeaVoteType | None = None, limit: int | None = None, offset: int | None = None) -> models.ListedIdeaVoter:
        """Lists the people who have voted on an idea, latest first vote first.

        `GET /v1/ideas/{id}/voters`
        """
        result: models.ListedIdeaVoter = self._transport.json("GET", path_of("/v1/ideas/{id}/voters", id), query={"vote_type": vote_type, "limit": limit, "offset": offset})
        return result

    def ideas(self, *, category_id: str | None = None, tag_ids: str | None = None, status: str | None = None, author_id: str | None = None, search: str | None = None, mine: bool | None = None, voted_by_me: bool | None = None, sort: Literal['newest', 'oldest', 'most_voted', 'most_commented', 'recently_updated', 'trending'] | None = None, limit: int | None = None, offset: int | None = None, if_none_match: str | None = None) -> models.EnvelopedGqlIdeaConnection:
        """Lists ideas in the requested order with the number of all that the filter admits.

        `GET /v1/ideas`
        """
        result: models.EnvelopedGqlIdeaConnection = self._transport.json("GET", "/v1/ideas", query={"category_id": category_id, "tag_ids": tag_ids, "status": status, "author_id": author_id, "search": search, "mine": mine, "voted_by_me": voted_by_me, "sort": sort, "limit": limit, "offset": offset}, header={"If-None-Match": if_none_match})
        return result

    def import_copyright_playlist(self, *, body: models.ImportCopyrightPlaylistInput, idempotency_key: str | None = None) -> models.EnvelopedCopyrightPlaylistImport:
        """Adds the songs of a playlist of Spotify to a list of the account, and follows the playlist from then on.

        `POST /v1/copyright/import`
        """
        result: models.EnvelopedCopyrightPlaylistImport = self._transport.json("POST", "/v1/copyright/import", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def install_extension(self, *, body: models.InstallExtensionInput, idempotency_key: str | None = None) -> models.EnvelopedExtensionInstall:
        """Installs the current version of an extension.

        `POST /v1/extension-installs`
        """
        result: models.EnvelopedExtensionInstall = self._transport.json("POST", "/v1/extension-installs", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def installed_automation_nodes(self) -> models.ListedExtensionAutomationNode:
        """Lists the automation nodes of the account's installed extensions.

        `GET /v1/automation/extension-nodes`
        """
        result: models.ListedExtensionAutomationNode = self._transport.json("GET", "/v1/automation/extension-nodes")
        return result

    def internal_active_accounts(self, *, limit: int | None = None, after: str | None = None) -> models.ActiveAccounts:
        """Lists the accounts with an enabled bot or install, by id.

        `GET /v1/internal/accounts/active`
        """
        result: models.ActiveAccounts = self._transport.json("GET", "/v1/internal/accounts/active", query={"limit": limit, "after": after})
        return result

    def internal_automation_polls(self, *, limit: int | None = None, after: str | None = None, brief: bool | None = None) -> models.PollFeed:
        """Lists the trigger nodes to poll, by id.

        `GET /v1/internal/automation-triggers/polls`
        """
        result: models.PollFeed = self._transport.json("GET", "/v1/internal/automation-triggers/polls", query={"limit": limit, "after": after, "brief": brief})
        return result

    def internal_automation_trigger_state(self, id: str, *, body: models.PollState) -> None:
        """Stores the state of a trigger for its handler's next call.

        `PUT /v1/internal/automation-triggers/{id}/state`
        """
        self._transport.nothing("PUT", path_of("/v1/internal/automation-triggers/{id}/state", id), body=Body("json", "application/json", body))

    def internal_bot_commands(self, account_id: str) -> models.CommandFeed:
        """Lists the commands that work in an account, for workers.

        `GET /v1/internal/bot-commands/{account_id}`
        """
        result: models.CommandFeed = self._transport.json("GET", path_of("/v1/internal/bot-commands/{account_id}", account_id))
        return result

    def internal_extension_secrets(self, extension_id: str) -> models.Secrets:
        """Returns the decrypted secrets of an extension.

        `POST /v1/internal/secrets/{extension_id}`
        """
        result: models.Secrets = self._transport.json("POST", path_of("/v1/internal/secrets/{extension_id}", extension_id))
        return result

    def internal_fire_automation_trigger(self, *, body: models.FireTrigger) -> models.TriggerFired:
        """Starts a run of an automation from a fired trigger, once for each key.

        `POST /v1/internal/automation-triggers/fire`
        """
        result: models.TriggerFired = self._transport.json("POST", "/v1/internal/automation-triggers/fire", body=Body("json", "application/json", body))
        return result

    def internal_redeem_reward(self, reward_id: str, *, body: models.RewardRedemptionInput) -> models.RewardRedemptionResult:
        """Runs the action of a redeemed reward.

        `POST /v1/internal/rewards/{reward_id}/redemptions`
        """
        result: models.RewardRedemptionResult = self._transport.json("POST", path_of("/v1/internal/rewards/{reward_id}/redemptions", reward_id), body=Body("json", "application/json", body))
        return result

    def internal_reply_to_command(self, command_id: str, *, body: models.CommandReply) -> models.ExtensionActionResult:
        """Sends the response of a chat command, or starts its automation.

        `POST /v1/internal/bot-commands/{command_id}/replies`
        """
        result: models.ExtensionActionResult = self._transport.json("POST", path_of("/v1/internal/bot-commands/{command_id}/replies", command_id), body=Body("json", "application/json", body))
        return result

    def internal_run_automation_action(self, *, body: models.AutomationActionInput) -> models.AutomationActionResult:
        """Executes an action of an automation with the connections of its account.

        `POST /v1/internal/automation-actions`
        """
        result: models.AutomationActionResult = self._transport.json("POST", "/v1/internal/automation-actions", body=Body("json", "application/json", body))
        return result

    def internal_telemetry(self, *, body: models.TelemetryBatch) -> models.TelemetryAccepted:
        """Stores a batch of telemetry: runtime errors, lines of logs, and sums of invocations.

        `POST /v1/internal/telemetry`
        """
        result: models.TelemetryAccepted = self._transport.json("POST", "/v1/internal/telemetry", body=Body("json", "application/json", body))
        return result

    def invite_by_code(self, code_or_id: str) -> models.EnvelopedInvitePreview:
        """Returns the preview of the invite with a code.

        `GET /v1/invites/{code_or_id}`
        """
        result: models.EnvelopedInvitePreview = self._transport.json("GET", path_of("/v1/invites/{code_or_id}", code_or_id))
        return result

    def invite_extension_tester(self, id: str, *, body: models.InviteExtensionTesterInput, idempotency_key: str | None = None) -> models.EnvelopedExtensionTester:
        """Adds a tester to one of the caller's extensions.

        `POST /v1/developer/extensions/{id}/testers`
        """
        result: models.EnvelopedExtensionTester = self._transport.json("POST", path_of("/v1/developer/extensions/{id}/testers", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def invites(self) -> models.ListedInvite:
        """Lists the invites of the account.

        `GET /v1/invites`
        """
        result: models.ListedInvite = self._transport.json("GET", "/v1/invites")
        return result

    def invoices(self) -> models.ListedInvoice:
        """Lists the invoices of the account.

        `GET /v1/billing/invoices`
        """
        result: models.ListedInvoice = self._transport.json("GET", "/v1/billing/invoices")
        return result

    def issue_extension_token(self, id: str, *, body: models.IssueExtensionTokenInput, idempotency_key: str | None = None) -> models.EnvelopedExtensionToken:
        """Issues a token for a page of an install, valid for 15 minutes.

        `POST /v1/extension-installs/{id}/token`
        """
        result: models.EnvelopedExtensionToken = self._transport.json("POST", path_of("/v1/extension-installs/{id}/token", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def issue_popout_ws_token(self) -> models.EnvelopedWsToken:
        """Issues a short-lived token for the WebSocket to the session of a popout.

        `POST /v1/auth/popout/ws-token`
        """
        result: models.EnvelopedWsToken = self._transport.json("POST", "/v1/auth/popout/ws-token")
        return result

    def issue_ws_token(self) -> models.EnvelopedWsToken:
        """Issues a short-lived token for the WebSocket.

        `POST /v1/auth/ws-token`
        """
        result: models.EnvelopedWsToken = self._transport.json("POST", "/v1/auth/ws-token")
        return result

    def kill_bot_module(self, *, body: models.KillBotModuleInput, idempotency_key: str | None = None) -> None:
        """Stops the triggers of an install at once, in every worker.

        `POST /v1/bot-modules/kill`
        """
        self._transport.nothing("POST", "/v1/bot-modules/kill", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))

    def leave_account(self, id: str, *, idempotency_key: str | None = None) -> models.Success:
        """Ends the caller's own membership of an account.

        `POST /v1/accounts/{id}/leave`
        """
        result: models.Success = self._transport.json("POST", path_of("/v1/accounts/{id}/leave", id), header={"Idempotency-Key": idempotency_key})
        return result

    def limits(self) -> models.ListedPresentLimit:
        """Lists the present limits of the caller with what is left of each.

        `GET /v1/limits`
        """
        result: models.ListedPresentLimit = self._transport.json("GET", "/v1/limits")
        return result

    def link_login_provider(self, *, body: models.ExchangeTokenInput) -> models.EnvelopedLoginConnection:
        """Adds another identity for sign-in to the caller, or renews the grant of an existing one.

        `POST /v1/auth/link`
        """
        result: models.EnvelopedLoginConnection = self._transport.json("POST", "/v1/auth/link", body=Body("json", "application/json", body))
        return result

    def liveness(self) -> models.Liveness:
        """Reports that the process lives.

        `GET /v1`
        """
        result: models.Liveness = self._transport.json("GET", "/v1")
        return result

    def login_connections(self) -> models.ListedLoginConnection:
        """Lists the login connections of the caller.

        `GET /v1/users/me/login-connections`
        """
        result: models.ListedLoginConnection = self._transport.json("GET", "/v1/users/me/login-connections")
        return result

    def logout(self, *, body: models.LogoutInput) -> None:
        """Signs the caller out: ends the session of the credential.

        `POST /v1/auth/logout`
        """
        self._transport.nothing("POST", "/v1/auth/logout", body=Body("json", "application/json", body))

    def mark_all_notifications_read(self, *, idempotency_key: str | None = None) -> models.Success:
        """Marks every notification of the caller as read.

        `POST /v1/notifications/read-all`
        """
        result: models.Success = self._transport.json("POST", "/v1/notifications/read-all", header={"Idempotency-Key": idempotency_key})
        return result

    def mark_notification_read(self, id: str, *, idempotency_key: str | None = None) -> models.Success:
        """Marks a notification of the caller as read.

        `POST /v1/notifications/{id}/read`
        """
        result: models.Success = self._transport.json("POST", path_of("/v1/notifications/{id}/read", id), header={"Idempotency-Key": idempotency_key})
        return result

    def me(self) -> models.EnvelopedCurrentUser:
        """Returns the current user as the credential sees it.

        `GET /v1/users/me`
        """
        result: models.EnvelopedCurrentUser = self._transport.json("GET", "/v1/users/me")
        return result

    def members(self, id: str, *, if_none_match: str | None = None) -> models.ListedMember:
        """Lists the members of the account.

        `GET /v1/accounts/{id}/members`
        """
        result: models.ListedMember = self._transport.json("GET", path_of("/v1/accounts/{id}/members", id), header={"If-None-Match": if_none_match})
        return result

    def moderate_chat(self, *, body: models.ModerationInput, idempotency_key: str | None = None) -> models.GqlModerationResult:
        """Bans a user, times a user out, or removes a message, in the name of the account's channel.

        `POST /v1/chat/moderate`
        """
        result: models.GqlModerationResult = self._transport.json("POST", "/v1/chat/moderate", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def moderation_log(self, *, page: int | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionModerationLogEntry:
        """Returns one page of the account's moderation log, newest first.

        `GET /v1/chat/moderation-log`
        """
        result: models.CollectionModerationLogEntry = self._transport.json("GET", "/v1/chat/moderation-log", query={"page": page, "limit": limit, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    def move_role(self, id: str, *, body: models.MoveRoleInput) -> models.EnvelopedAccountRole:
        """Moves a role in the list; the others close up.

        `PUT /v1/roles/{id}/position`
        """
        result: models.EnvelopedAccountRole = self._transport.json("PUT", path_of("/v1/roles/{id}/position", id), body=Body("json", "application/json", body))
        return result

    def music_check(self, *, url: str) -> models.EnvelopedMusicCheck:
        """Returns the status of a track by its address.

        `GET /v1/music/check`
        """
        result: models.EnvelopedMusicCheck = self._transport.json("GET", "/v1/music/check", query={"url": url})
        return result

    def music_song(self, id: str) -> models.EnvelopedMusicSong:
        """Returns a song of the directory.

        `GET /v1/music/songs/{id}`
        """
        result: models.EnvelopedMusicSong = self._transport.json("GET", path_of("/v1/music/songs/{id}", id))
        return result

    def music_songs(self, *, search: str | None = None, status: models.CopyrightStatus | None = None, page: int | None = None, limit: int | None = None, if_none_match: str | None = None) -> models.CollectionMusicSong:
        """Lists the songs about which staff has decided, by title.

        `GET /v1/music/songs`
        """
        result: models.CollectionMusicSong = self._transport.json("GET", "/v1/music/songs", query={"search": search, "status": status, "page": page, "limit": limit}, header={"If-None-Match": if_none_match})
        return result

    def my_permissions(self) -> models.EnvelopedTokenPermissions:
        """Returns the kind, account and present permissions of the caller's credential.

        `GET /v1/tokens/me`
        """
        result: models.EnvelopedTokenPermissions = self._transport.json("GET", "/v1/tokens/me")
        return result

    def my_sessions(self) -> models.ListedSession:
        """Lists the caller's sessions that have not ended.

        `GET /v1/users/me/sessions`
        """
        result: models.ListedSession = self._transport.json("GET", "/v1/users/me/sessions")
        return result

    def notification_preferences(self) -> models.ListedNotificationPreference:
        """Lists every notification type with the channel of its delivery to the caller.

        `GET /v1/notifications/preferences`
        """
        result: models.ListedNotificationPreference = self._transport.json("GET", "/v1/notifications/preferences")
        return result

    def notifications(self, *, unread: bool | None = None, limit: int | None = None, before: str | None = None, if_none_match: str | None = None) -> models.EnvelopedNotificationListListLinks:
        """Lists the caller's own notifications, newest first.

        `GET /v1/notifications`
        """
        result: models.EnvelopedNotificationListListLinks = self._transport.json("GET", "/v1/notifications", query={"unread": unread, "limit": limit, "before": before}, header={"If-None-Match": if_none_match})
        return result

    def obs_config(self) -> models.EnvelopedObsConfig:
        """Returns how the account reaches its OBS.

        `GET /v1/integrations/obs`
        """
        result: models.EnvelopedObsConfig = self._transport.json("GET", "/v1/integrations/obs")
        return result

    def obs_remote_status(self, *, if_none_match: str | None = None) -> models.EnvelopedObsRemoteStatus:
        """Returns what the service knows of the OBS of the account: stream, recording and scenes.

        `GET /v1/integrations/obs/remote-status`
        """
        result: models.EnvelopedObsRemoteStatus = self._transport.json("GET", "/v1/integrations/obs/remote-status", header={"If-None-Match": if_none_match})
        return result

    def obs_status(self, *, if_none_match: str | None = None) -> models.EnvelopedObsStatus:
        """Returns whether the service is connected to the OBS of the account.

        `GET /v1/integrations/obs/status`
        """
        result: models.EnvelopedObsStatus = self._transport.json("GET", "/v1/integrations/obs/status", header={"If-None-Match": if_none_match})
        return result

    def overlay(self, id: str) -> models.EnvelopedOverlay:
        """Returns one of the account's overlays.

        `GET /v1/overlays/{id}`
        """
        result: models.EnvelopedOverlay = self._transport.json("GET", path_of("/v1/overlays/{id}", id))
        return result

    def overlay_access(self, id: str) -> models.ListedOverlayAccessEntry:
        """Lists the access entries of an overlay, oldest first.

        `GET /v1/overlays/{id}/access`
        """
        result: models.ListedOverlayAccessEntry = self._transport.json("GET", path_of("/v1/overlays/{id}/access", id))
        return result

    def overlay_access_candidates(self, id: str) -> models.ListedAccessCandidate:
        """Lists the members without an entry of an overlay, by name.

        `GET /v1/overlays/{id}/access/candidates`
        """
        result: models.ListedAccessCandidate = self._transport.json("GET", path_of("/v1/overlays/{id}/access/candidates", id))
        return result

    def overlay_layers(self, id: str) -> models.ListedOverlayLayer:
        """Lists the layers of an overlay, from back to front.

        `GET /v1/overlays/{id}/layers`
        """
        result: models.ListedOverlayLayer = self._transport.json("GET", path_of("/v1/overlays/{id}/layers", id))
        return result

    def overlay_page(self, key: str) -> str:
        """Returns the page of an overlay, for browser sources of OBS and similar programs.

        `GET /v1/overlays/{key}/page`
        """
        result: str = self._transport.text("GET", path_of("/v1/overlays/{key}/page", key))
        return result

    def overlay_shares(self, id: str) -> models.ListedOverlayShare:
        """Lists the shares of an overlay that have not ended, newest first.

        `GET /v1/overlays/{id}/shares`
        """
        result: models.ListedOverlayShare = self._transport.json("GET", path_of("/v1/overlays/{id}/shares", id))
        return result

    def overlay_token(self, id: str) -> models.EnvelopedOverlayToken:
        """Returns the token of an overlay and the address of its page.

        `GET /v1/overlays/{id}/token`
        """
        result: models.EnvelopedOverlayToken = self._transport.json("GET", path_of("/v1/overlays/{id}/token", id))
        return result

    def overlays(self, *, if_none_match: str | None = None) -> models.ListedOverlay:
        """Lists the account's overlays, oldest first.

        `GET /v1/overlays`
        """
        result: models.ListedOverlay = self._transport.json("GET", "/v1/overlays", header={"If-None-Match": if_none_match})
        return result

    def override_global_command(self, id: str, *, body: models.OverrideGlobalCommandInput) -> models.EnvelopedBotCommand:
        """Replaces the account's override of a global command.

        `PUT /v1/bot-commands/global/{id}/override`
        """
        result: models.EnvelopedBotCommand = self._transport.json("PUT", path_of("/v1/bot-commands/global/{id}/override", id), body=Body("json", "application/json", body))
        return result

    def plan_limits(self, *, if_none_match: str | None = None) -> models.ListedPlanLimit:
        """Lists the limits of the account and how much of each is used.

        `GET /v1/billing/limits`
        """
        result: models.ListedPlanLimit = self._transport.json("GET", "/v1/billing/limits", header={"If-None-Match": if_none_match})
        return result

    def plans(self, *, if_none_match: str | None = None) -> models.ListedBillingPlan:
        """Lists the public plans.

        `GET /v1/plans`
        """
        result: models.ListedBillingPlan = self._transport.json("GET", "/v1/plans", header={"If-None-Match": if_none_match})
        return result

    def platform_credential_modes(self) -> models.ListedPlatformCredentialMode:
        """Lists the credential modes: whether new connections use the deployment's or the account's application.

        `GET /v1/connections/credential-modes`
        """
        result: models.ListedPlatformCredentialMode = self._transport.json("GET", "/v1/connections/credential-modes")
        return result

    def platform_user_profile(self, platform: str, platform_user_id: str) -> models.EnvelopedGqlUnifiedProfile:
        """Returns the profile of a user who chats.

        `GET /v1/chat/users/{platform}/{platform_user_id}`
        """
        result: models.EnvelopedGqlUnifiedProfile = self._transport.json("GET", path_of("/v1/chat/users/{platform}/{platform_user_id}", platform, platform_user_id))
        return result

    def play_sound(self, id: str, *, body: models.PlaySoundInput, idempotency_key: str | None = None) -> models.Success:
        """Plays a sound in browser sources.

        `POST /v1/sounds/{id}/play`
        """
        result: models.Success = self._transport.json("POST", path_of("/v1/sounds/{id}/play", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def polls(self, *, page: int | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionPoll:
        """Returns one page of the account's polls, newest first.

        `GET /v1/chat/polls`
        """
        result: models.CollectionPoll = self._transport.json("GET", "/v1/chat/polls", query={"page": page, "limit": limit, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    def popout_token(self, id: str) -> models.EnvelopedPopoutToken:
        """Returns a popout token of the account.

        `GET /v1/tokens/{id}`
        """
        result: models.EnvelopedPopoutToken = self._transport.json("GET", path_of("/v1/tokens/{id}", id))
        return result

    def popout_tokens(self) -> models.ListedPopoutToken:
        """Lists the popout tokens of the account.

        `GET /v1/tokens`
        """
        result: models.ListedPopoutToken = self._transport.json("GET", "/v1/tokens")
        return result

    def predictions(self, *, page: int | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionPrediction:
        """Returns one page of the account's predictions, newest first.

        `GET /v1/chat/predictions`
        """
        result: models.CollectionPrediction = self._transport.json("GET", "/v1/chat/predictions", query={"page": page, "limit": limit, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    def public_channel_panel_history(self, platform: str, channel: str) -> models.ListedPublicPanel:
        """Lists the panels of a channel: the active ones, then the removed ones.

        `GET /v1/public-stats/channels/{platform}/{channel}/panel-history`
        """
        result: models.ListedPublicPanel = self._transport.json("GET", path_of("/v1/public-stats/channels/{platform}/{channel}/panel-history", platform, channel))
        return result

    def public_channel_profile_history(self, platform: str, channel: str, *, limit: int | None = None, offset: int | None = None) -> models.ListedPublicProfileChange:
        """Lists the changes of a channel's profile, newest first.

        `GET /v1/public-stats/channels/{platform}/{channel}/profile-history`
        """
        result: models.ListedPublicProfileChange = self._transport.json("GET", path_of("/v1/public-stats/channels/{platform}/{channel}/profile-history", platform, channel), query={"limit": limit, "offset": offset})
        return result

    def public_channel_stats(self, platform: str, channel: str) -> models.EnvelopedPublicChannelStats:
        """Returns the figures of a channel with its newest streams.

        `GET /v1/public-stats/channels/{platform}/{channel}`
        """
        result: models.EnvelopedPublicChannelStats = self._transport.json("GET", path_of("/v1/public-stats/channels/{platform}/{channel}", platform, channel))
        return result

    def public_channel_trends(self, platform: str, channel: str, *, range: Literal['DAYS_30', 'DAYS_90', 'DAYS_180', 'DAYS_365']) -> models.EnvelopedPublicChannelTrends:
        """Returns followers and average viewers of a channel by UTC day, oldest first.

        `GET /v1/public-stats/channels/{platform}/{channel}/trends`
        """
        result: models.EnvelopedPublicChannelTrends = self._transport.json("GET", path_of("/v1/public-stats/channels/{platform}/{channel}/trends", platform, channel), query={"range": range})
        return result

    def public_developer_profile(self, slug: str) -> models.EnvelopedPublicDeveloperProfile:
        """Returns the public profile of a developer with the listed extensions.

        `GET /v1/developer/profiles/{slug}`
        """
        result: models.EnvelopedPublicDeveloperProfile = self._transport.json("GET", path_of("/v1/developer/profiles/{slug}", slug))
        return result

    def public_developer_team_profile(self, slug: str) -> models.EnvelopedPublicDeveloperTeamProfile:
        """Returns the public profile of a team.

        `GET /v1/developer/teams/{slug}/profile`
        """
        result: models.EnvelopedPublicDeveloperTeamProfile = self._transport.json("GET", path_of("/v1/developer/teams/{slug}/profile", slug))
        return result

    def public_stats_browse(self, *, platform: Literal['twitch', 'youtube', 'kick', 'trovo'] | None = None, game: str | None = None, language: str | None = None, broadcaster_type: str | None = None, is_live: bool | None = None, search: str | None = None, min_viewers: int | None = None, max_viewers: int | None = None, sort: Literal['avg_viewers', 'peak_viewers', 'followers', 'hours_streamed', 'total_messages', 'last_streamed_at'] | None = None, order: Literal['asc', 'desc'] | None = None, range: Literal['DAYS_7', 'DAYS_30', 'DAYS_90'] | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionPublicChannel:
        """Lists channels with their figures over a range of days.

        `GET /v1/public-stats/browse`
        """
        result: models.CollectionPublicChannel = self._transport.json("GET", "/v1/public-stats/browse", query={"platform": platform, "game": game, "language": language, "broadcaster_type": broadcaster_type, "is_live": is_live, "search": search, "min_viewers": min_viewers, "max_viewers": max_viewers, "sort": sort, "order": order, "range": range, "page": page, "limit": limit})
        return result

    def public_stats_channels(self) -> models.ListedPublicChannelSettings:
        """Lists the account's channels with their settings in the public statistics, by platform.

        `GET /v1/public-stats/channels`
        """
        result: models.ListedPublicChannelSettings = self._transport.json("GET", "/v1/public-stats/channels")
        return result

    def public_stats_emotes(self, *, platform: Literal['twitch', 'youtube', 'kick', 'trovo'] | None = None, provider: Literal['twitch', '7tv', 'bttv', 'ffz', 'youtube', 'kick'] | None = None, channel: str | None = None, search: str | None = None, sort: Literal['usage', 'channels', 'name'] | None = None, order: Literal['asc', 'desc'] | None = None, range: Literal['DAYS_7', 'DAYS_30', 'DAYS_90'] | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionPublicEmote:
        """Lists emotes with their use in the chats of channels over a range of days.

        `GET /v1/public-stats/emotes`
        """
        result: models.CollectionPublicEmote = self._transport.json("GET", "/v1/public-stats/emotes", query={"platform": platform, "provider": provider, "channel": channel, "search": search, "sort": sort, "order": order, "range": range, "page": page, "limit": limit})
        return result

    def public_stats_game(self, platform: str, game_id: str, *, range: Literal['DAYS_7', 'DAYS_30', 'DAYS_90'] | None = None) -> models.EnvelopedPublicGameStats:
        """Returns the figures of a game with its channels on air and its viewers by UTC day.

        `GET /v1/public-stats/games/{platform}/{game_id}`
        """
        result: models.EnvelopedPublicGameStats = self._transport.json("GET", path_of("/v1/public-stats/games/{platform}/{game_id}", platform, game_id), query={"range": range})
        return result

    def public_stats_games(self, *, platform: Literal['twitch', 'youtube', 'kick', 'trovo'] | None = None, search: str | None = None, sort: Literal['viewers', 'channels', 'hours_watched', 'name'] | None = None, order: Literal['asc', 'desc'] | None = None, range: Literal['DAYS_7', 'DAYS_30', 'DAYS_90'] | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionPublicGame:
        """Lists games with their present figures and those over a range of days.

        `GET /v1/public-stats/games`
        """
        result: models.CollectionPublicGame = self._transport.json("GET", "/v1/public-stats/games", query={"platform": platform, "search": search, "sort": sort, "order": order, "range": range, "page": page, "limit": limit})
        return result

    def public_stream_stats(self, platform: str, broadcast_id: str) -> models.EnvelopedPublicStreamStats:
        """Returns the figures of a stream.

        `GET /v1/public-stats/streams/{platform}/{broadcast_id}`
        """
        result: models.EnvelopedPublicStreamStats = self._transport.json("GET", path_of("/v1/public-stats/streams/{platform}/{broadcast_id}", platform, broadcast_id))
        return result

    def readiness(self) -> models.ReadinessAnswer:
        """Reports whether the process can serve.

        `GET /ready`
        """
        result: models.ReadinessAnswer = self._transport.json("GET", "/ready")
        return result

    def receive_automation_webhook(self, extension_id_or_install_id: str, install_id_or_automation_id: str, *, body: Any, x_webhook_secret: str) -> models.EnvelopedSuccess:
        """Accepts a delivery for a trigger node's webhook.

        `POST /v1/automation/webhooks/{extension_id_or_install_id}/{install_id_or_automation_id}`
        """
        result: models.EnvelopedSuccess = self._transport.json("POST", path_of("/v1/automation/webhooks/{extension_id_or_install_id}/{install_id_or_automation_id}", extension_id_or_install_id, install_id_or_automation_id), header={"X-Webhook-Secret": x_webhook_secret}, body=Body("json", "application/json", body))
        return result

    def receive_kick_webhook(self, *, body: Any, kick_event_message_id: str, kick_event_message_timestamp: str, kick_event_signature: str, kick_event_type: str, kick_event_version: str) -> None:
        """Receives a delivery of Kick.

        `POST /v1/webhooks/kick`
        """
        self._transport.nothing("POST", "/v1/webhooks/kick", header={"Kick-Event-Message-Id": kick_event_message_id, "Kick-Event-Message-Timestamp": kick_event_message_timestamp, "Kick-Event-Signature": kick_event_signature, "Kick-Event-Type": kick_event_type, "Kick-Event-Version": kick_event_version}, body=Body("json", "application/json", body))

    def receive_oauth_callback(self, platform: str, *, code: str | None = None, state: str | None = None, error: str | None = None) -> None:
        """Receives the browser from the platform's page and redirects it (303).

        `GET /v1/connections/oauth/{platform}/exchange`
        """
        self._transport.nothing("GET", path_of("/v1/connections/oauth/{platform}/exchange", platform), query={"code": code, "state": state, "error": error})

    def receive_shopify_webhook(self, *, body: Any, x_shopify_hmac_sha256: str, x_shopify_shop_domain: str, x_shopify_topic: str, x_shopify_webhook_id: str, x_shopify_triggered_at: str | None = None) -> None:
        """Receives a delivery of Shopify: an order in a connected shop.

        `POST /v1/webhooks/shopify`
        """
        self._transport.nothing("POST", "/v1/webhooks/shopify", header={"X-Shopify-Hmac-SHA256": x_shopify_hmac_sha256, "X-Shopify-Shop-Domain": x_shopify_shop_domain, "X-Shopify-Topic": x_shopify_topic, "X-Shopify-Webhook-Id": x_shopify_webhook_id, "X-Shopify-Triggered-At": x_shopify_triggered_at}, body=Body("json", "application/json", body))

    def receive_trovo_webhook(self, *, body: Any, x_trovo_signature: str) -> None:
        """Receives a delivery of Trovo: chat in the form of its socket.

        `POST /v1/webhooks/trovo`
        """
        self._transport.nothing("POST", "/v1/webhooks/trovo", header={"X-Trovo-Signature": x_trovo_signature}, body=Body("json", "application/json", body))

    def receive_twitch_webhook(self, *, body: Any, twitch_eventsub_message_id: str, twitch_eventsub_message_timestamp: str, twitch_eventsub_message_signature: str, twitch_eventsub_message_type: str) -> str:
        """Receives a delivery of Twitch EventSub: a notification, a verification, or the end of a subscription.

        `POST /v1/webhooks/twitch`
        """
        result: str = self._transport.text("POST", "/v1/webhooks/twitch", header={"Twitch-Eventsub-Message-Id": twitch_eventsub_message_id, "Twitch-Eventsub-Message-Timestamp": twitch_eventsub_message_timestamp, "Twitch-Eventsub-Message-Signature": twitch_eventsub_message_signature, "Twitch-Eventsub-Message-Type": twitch_eventsub_message_type}, body=Body("json", "application/json", body))
        return result

    def receive_youtube_webhook(self, *, body: str, channel: str, t: str, x_hub_signature: str) -> None:
        """Receives a delivery of YouTube's hub: videos that were published or changed.

        `POST /v1/webhooks/youtube`
        """
        self._transport.nothing("POST", "/v1/webhooks/youtube", query={"channel": channel, "t": t}, header={"X-Hub-Signature": x_hub_signature}, body=Body("text", "application/atom+xml", body))

    def refresh_platform_user_profile(self, platform: str, platform_user_id: str, *, idempotency_key: str | None = None) -> models.EnvelopedGqlUnifiedProfile:
        """Requests the profile of a user from the platform, independent of the last request, and returns it.

        `POST /v1/chat/users/{platform}/{platform_user_id}/refresh`
        """
        result: models.EnvelopedGqlUnifiedProfile = self._transport.json("POST", path_of("/v1/chat/users/{platform}/{platform_user_id}/refresh", platform, platform_user_id), header={"Idempotency-Key": idempotency_key})
        return result

    def refresh_token(self, *, body: models.RefreshTokenInput) -> models.EnvelopedRefreshedToken:
        """Exchanges a refresh token for the next pair of tokens of its session.

        `POST /v1/auth/refresh`
        """
        result: models.EnvelopedRefreshedToken = self._transport.json("POST", "/v1/auth/refresh", body=Body("json", "application/json", body))
        return result

    def rejoin_bot(self, *, body: models.RejoinBotInput, idempotency_key: str | None = None) -> models.Success:
        """Requests that the bot leaves a channel and joins it again.

        `POST /v1/bot-rejoin`
        """
        result: models.Success = self._transport.json("POST", "/v1/bot-rejoin", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def remove_developer_team_member(self, id: str, member_id: str) -> None:
        """Removes a member of a team, or ends the caller's own membership.

        `DELETE /v1/developer/teams/{id}/members/{member_id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/developer/teams/{id}/members/{member_id}", id, member_id))

    def remove_extension_tester(self, id: str, user_id: str) -> None:
        """Removes a tester from one of the caller's extensions.

        `DELETE /v1/developer/extensions/{id}/testers/{user_id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/developer/extensions/{id}/testers/{user_id}", id, user_id))

    def remove_from_watchlist(self, id: str) -> None:
        """Removes a channel from the caller's watchlist.

        `DELETE /v1/watchlist/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/watchlist/{id}", id))

    def remove_idea_comment_vote(self, id: str) -> models.EnvelopedIdeaComment:
        """Removes the caller's vote on a comment. Without a vote nothing changes.

        `DELETE /v1/ideas/comments/{id}/vote`
        """
        result: models.EnvelopedIdeaComment = self._transport.json("DELETE", path_of("/v1/ideas/comments/{id}/vote", id))
        return result

    def remove_login_assignment(self, provider: str, *, user_id: str | None = None) -> None:
        """Removes the login assignment of a member for a platform.

        `DELETE /v1/accounts/login-assignments/{provider}`
        """
        self._transport.nothing("DELETE", path_of("/v1/accounts/login-assignments/{provider}", provider), query={"user_id": user_id})

    def remove_member(self, id: str, membership_id: str) -> None:
        """Removes a member from the account.

        `DELETE /v1/accounts/{id}/members/{membership_id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/accounts/{id}/members/{membership_id}", id, membership_id))

    def remove_overlay_access(self, id: str, user_id: str) -> None:
        """Removes a member's entry of an overlay.

        `DELETE /v1/overlays/{id}/access/{user_id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/overlays/{id}/access/{user_id}", id, user_id))

    def remove_user_permission_override(self, user_id: str, permission: str) -> None:
        """Removes a permission override of a person, so that the roles decide again.

        `DELETE /v1/users/{user_id}/permission-overrides/{permission}`
        """
        self._transport.nothing("DELETE", path_of("/v1/users/{user_id}/permission-overrides/{permission}", user_id, permission))

    def remove_user_role(self, user_id: str, role_id: str) -> None:
        """Removes a platform-wide role from a person.

        `DELETE /v1/users/{user_id}/roles/{role_id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/users/{user_id}/roles/{role_id}", user_id, role_id))

    def remove_vote(self, id: str) -> models.EnvelopedGqlIdea:
        """Removes the caller's vote on an idea, also on one that is done or declined. Without a vote nothing changes.

        `DELETE /v1/ideas/{id}/vote`
        """
        result: models.EnvelopedGqlIdea = self._transport.json("DELETE", path_of("/v1/ideas/{id}/vote", id))
        return result

    def remove_widget_access(self, id: str, user_id: str) -> None:
        """Removes a member's entry of a widget.

        `DELETE /v1/widgets/{id}/access/{user_id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/widgets/{id}/access/{user_id}", id, user_id))

    def replay_webhook_delivery(self, endpoint_id: str, delivery_id: str, *, idempotency_key: str | None = None) -> models.EnvelopedWebhookDelivery:
        """Sends a delivery of a webhook endpoint once more.

        `POST /v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/replay`
        """
        result: models.EnvelopedWebhookDelivery = self._transport.json("POST", path_of("/v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/replay", endpoint_id, delivery_id), header={"Idempotency-Key": idempotency_key})
        return result

    def request_developer_payout(self, *, body: models.RequestDeveloperPayoutInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperPayout:
        """Requests a payout of the balance of the caller, or of a team, by the method of the payout settings.

        `POST /v1/developer/payouts/request`
        """
        result: models.EnvelopedDeveloperPayout = self._transport.json("POST", "/v1/developer/payouts/request", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def request_extension_publication(self, id: str, v: str, *, idempotency_key: str | None = None) -> models.EnvelopedDeveloperVersion:
        """Requests the publication of a version in testing.

        `POST /v1/developer/extensions/{id}/versions/{v}/request-publication`
        """
        result: models.EnvelopedDeveloperVersion = self._transport.json("POST", path_of("/v1/developer/extensions/{id}/versions/{v}/request-publication", id, v), header={"Idempotency-Key": idempotency_key})
        return result

    def reset_command_override(self, id: str) -> None:
        """Removes the account's override of a global command.

        `DELETE /v1/bot-commands/global/{id}/override`
        """
        self._transport.nothing("DELETE", path_of("/v1/bot-commands/global/{id}/override", id))

    def resolved_user_permissions(self, user_id: str) -> models.EnvelopedResolvedUserPermissions:
        """Returns the effective permissions of a person, with their sources.

        `GET /v1/users/{user_id}/permissions/resolved`
        """
        result: models.EnvelopedResolvedUserPermissions = self._transport.json("GET", path_of("/v1/users/{user_id}/permissions/resolved", user_id))
        return result

    def revoke_extension_access(self, id: str, account_id: str) -> None:
        """Revokes an account's access to one of the caller's extensions.

        `DELETE /v1/developer/extensions/{id}/access/{account_id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/developer/extensions/{id}/access/{account_id}", id, account_id))

    def revoke_other_sessions(self) -> None:
        """Ends every session of the caller except the current one.

        `DELETE /v1/users/me/sessions`
        """
        self._transport.nothing("DELETE", "/v1/users/me/sessions")

    def revoke_overlay_share(self, id: str) -> None:
        """Revokes a share of an overlay.

        `DELETE /v1/overlay-shares/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/overlay-shares/{id}", id))

    def revoke_session(self, id: str) -> None:
        """Ends one of the caller's sessions.

        `DELETE /v1/users/me/sessions/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/users/me/sessions/{id}", id))

    def revoke_shared_link(self, id: str) -> None:
        """Revokes an active link.

        `DELETE /v1/history/shared-links/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/history/shared-links/{id}", id))

    def reward(self, id: str) -> models.EnvelopedReward:
        """Returns a reward of the account.

        `GET /v1/rewards/{id}`
        """
        result: models.EnvelopedReward = self._transport.json("GET", path_of("/v1/rewards/{id}", id))
        return result

    def rewards(self, *, if_none_match: str | None = None) -> models.ListedReward:
        """Lists the account's rewards, oldest first.

        `GET /v1/rewards`
        """
        result: models.ListedReward = self._transport.json("GET", "/v1/rewards", header={"If-None-Match": if_none_match})
        return result

    def role(self, id: str) -> models.EnvelopedAccountRole:
        """Returns a role of the active account.

        `GET /v1/roles/{id}`
        """
        result: models.EnvelopedAccountRole = self._transport.json("GET", path_of("/v1/roles/{id}", id))
        return result

    def roles(self) -> models.ListedAccountRole:
        """Lists the roles of the active account by position.

        `GET /v1/roles`
        """
        result: models.ListedAccountRole = self._transport.json("GET", "/v1/roles")
        return result

    def rotate_overlay_token(self, id: str, *, idempotency_key: str | None = None) -> models.EnvelopedOverlayToken:
        """Replaces the token of an overlay.

        `POST /v1/overlays/{id}/token/rotate`
        """
        result: models.EnvelopedOverlayToken = self._transport.json("POST", path_of("/v1/overlays/{id}/token/rotate", id), header={"Idempotency-Key": idempotency_key})
        return result

    def rotate_webhook_secret(self, endpoint_id: str, *, idempotency_key: str | None = None) -> models.EnvelopedWebhookSecret:
        """Replaces the secret of a webhook endpoint.

        `POST /v1/webhook-endpoints/{endpoint_id}/rotate-secret`
        """
        result: models.EnvelopedWebhookSecret = self._transport.json("POST", path_of("/v1/webhook-endpoints/{endpoint_id}/rotate-secret", endpoint_id), header={"Idempotency-Key": idempotency_key})
        return result

    def rotate_widget_token(self, id: str, *, idempotency_key: str | None = None) -> models.EnvelopedWidget:
        """Replaces the token of a widget. The response contains the new one.

        `POST /v1/widgets/{id}/token/rotate`
        """
        result: models.EnvelopedWidget = self._transport.json("POST", path_of("/v1/widgets/{id}/token/rotate", id), header={"Idempotency-Key": idempotency_key})
        return result

    def run_extension_action(self, *, body: models.RunExtensionActionInput) -> models.ExtensionActionResult:
        """Executes an action of an extension's handler.

        `POST /v1/internal/actions`
        """
        result: models.ExtensionActionResult = self._transport.json("POST", "/v1/internal/actions", body=Body("json", "application/json", body))
        return result

    def run_notification_action(self, id: str, key: str, *, idempotency_key: str | None = None) -> models.Success:
        """Runs an action that a notification of the caller offers.

        `POST /v1/notifications/{id}/actions/{key}`
        """
        result: models.Success = self._transport.json("POST", path_of("/v1/notifications/{id}/actions/{key}", id, key), header={"Idempotency-Key": idempotency_key})
        return result

    def safe_songs(self, *, search: str | None = None, page: int | None = None, limit: int | None = None, if_none_match: str | None = None) -> models.CollectionListedSong:
        """Lists the songs that the account plays, newest first.

        `GET /v1/copyright/safe-songs`
        """
        result: models.CollectionListedSong = self._transport.json("GET", "/v1/copyright/safe-songs", query={"search": search, "page": page, "limit": limit}, header={"If-None-Match": if_none_match})
        return result

    def save_app_credentials(self, platform: str, *, body: models.SaveAppCredentialsInput) -> models.EnvelopedAppCredentials:
        """Saves an application of the account for a platform.

        `PUT /v1/connections/app-credentials/{platform}`
        """
        result: models.EnvelopedAppCredentials = self._transport.json("PUT", path_of("/v1/connections/app-credentials/{platform}", platform), body=Body("json", "application/json", body))
        return result

    def save_obs_config(self, *, body: models.SaveObsConfigInput) -> models.EnvelopedObsConfig:
        """Saves how the account reaches its OBS.

        `PUT /v1/integrations/obs`
        """
        result: models.EnvelopedObsConfig = self._transport.json("PUT", "/v1/integrations/obs", body=Body("json", "application/json", body))
        return result

    def se_tokens(self) -> models.ListedSeToken:
        """Lists the account's tokens of StreamElements by platform.

        `GET /v1/se-tokens`
        """
        result: models.ListedSeToken = self._transport.json("GET", "/v1/se-tokens")
        return result

    def search_platform_users(self, *, q: str, platform: str | None = None, limit: int | None = None) -> models.ListedPlatformUser:
        """Lists users who chatted and whose username or display name begins with the query.

        `GET /v1/chat/users/search`
        """
        result: models.ListedPlatformUser = self._transport.json("GET", "/v1/chat/users/search", query={"q": q, "platform": platform, "limit": limit})
        return result

    def search_users(self, *, q: str | None = None, limit: int | None = None) -> models.ListedFoundUser:
        """Finds people who are not members by the beginning of a name.

        `GET /v1/members/search`
        """
        result: models.ListedFoundUser = self._transport.json("GET", "/v1/members/search", query={"q": q, "limit": limit})
        return result

    def send_chat_to_platform(self, *, body: models.SendChatToPlatformInput, idempotency_key: str | None = None) -> models.EnvelopedGqlSendResult:
        """Sends a chat message to one platform.

        `POST /v1/chat/send`
        """
        result: models.EnvelopedGqlSendResult = self._transport.json("POST", "/v1/chat/send", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def set_channel_reconnect_flag(self, id: str, *, body: models.ChannelReconnectFlagInput) -> models.EnvelopedChannelConnection:
        """Clears or sets the reconnect flag of a channel.

        `PUT /v1/channel-connections/{id}/reconnect-flag`
        """
        result: models.EnvelopedChannelConnection = self._transport.json("PUT", path_of("/v1/channel-connections/{id}/reconnect-flag", id), body=Body("json", "application/json", body))
        return result

    def set_extension_secret(self, id: str, key: str, *, body: models.SetExtensionSecretInput) -> None:
        """Sets a secret of one of the caller's extensions, or replaces it.

        `PUT /v1/developer/extensions/{id}/secrets/{key}`
        """
        self._transport.nothing("PUT", path_of("/v1/developer/extensions/{id}/secrets/{key}", id, key), body=Body("json", "application/json", body))

    def set_extension_storage(self, id: str, *, body: models.SetExtensionStorageInput) -> models.EnvelopedExtensionStorage:
        """Replaces the shared storage of an install.

        `PUT /v1/extension-installs/{id}/storage`
        """
        result: models.EnvelopedExtensionStorage = self._transport.json("PUT", path_of("/v1/extension-installs/{id}/storage", id), body=Body("json", "application/json", body))
        return result

    def set_extension_storage_by_post(self, id: str, *, body: models.SetExtensionStorageInput, idempotency_key: str | None = None) -> models.EnvelopedExtensionStorage:
        """Replaces the shared storage of an install, for clients that can send POST only.

        `POST /v1/extension-installs/{id}/storage`
        """
        result: models.EnvelopedExtensionStorage = self._transport.json("POST", path_of("/v1/extension-installs/{id}/storage", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def set_extension_visibility(self, id: str, *, body: models.SetExtensionVisibilityInput) -> models.EnvelopedDeveloperExtension:
        """Sets the visibility of one of the caller's extensions.

        `PUT /v1/developer/extensions/{id}/visibility`
        """
        result: models.EnvelopedDeveloperExtension = self._transport.json("PUT", path_of("/v1/developer/extensions/{id}/visibility", id), body=Body("json", "application/json", body))
        return result

    def set_login_reconnect_flag(self, id: str, *, body: models.LoginReconnectFlagInput) -> models.EnvelopedLoginConnection:
        """Clears or sets the prompt to reconnect a login connection.

        `PUT /v1/login-connections/{id}/reconnect-flag`
        """
        result: models.EnvelopedLoginConnection = self._transport.json("PUT", path_of("/v1/login-connections/{id}/reconnect-flag", id), body=Body("json", "application/json", body))
        return result

    def set_obs_scene(self, *, body: models.SetObsSceneInput, idempotency_key: str | None = None) -> models.ObsCommandResult:
        """Puts a scene of OBS on air.

        `POST /v1/integrations/obs/scene`
        """
        result: models.ObsCommandResult = self._transport.json("POST", "/v1/integrations/obs/scene", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def set_obs_source(self, *, body: models.SetObsSourceInput, idempotency_key: str | None = None) -> models.ObsCommandResult:
        """Shows or hides a source of a scene of OBS.

        `POST /v1/integrations/obs/source`
        """
        result: models.ObsCommandResult = self._transport.json("POST", "/v1/integrations/obs/source", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def set_overlay_access(self, id: str, user_id: str, *, body: models.SetAccessInput) -> models.EnvelopedOverlayAccessEntry:
        """Gives a member a role for an overlay, or removes it with `none`.

        `PUT /v1/overlays/{id}/access/{user_id}`
        """
        result: models.EnvelopedOverlayAccessEntry = self._transport.json("PUT", path_of("/v1/overlays/{id}/access/{user_id}", id, user_id), body=Body("json", "application/json", body))
        return result

    def set_primary_login_connection(self, *, body: models.SetPrimaryLoginConnectionInput) -> models.EnvelopedAccount:
        """Sets the login connection that gives an account its avatar.

        `PUT /v1/accounts/primary-connection`
        """
        result: models.EnvelopedAccount = self._transport.json("PUT", "/v1/accounts/primary-connection", body=Body("json", "application/json", body))
        return result

    def set_usage_budget(self, *, body: models.SetUsageBudgetInput) -> models.EnvelopedUsageBudget:
        """Sets a budget of the account, or of an extension or key in it.

        `PUT /v1/usage/budgets`
        """
        result: models.EnvelopedUsageBudget = self._transport.json("PUT", "/v1/usage/budgets", body=Body("json", "application/json", body))
        return result

    def set_user_permission_override(self, user_id: str, *, body: models.SetPermissionOverrideInput) -> models.EnvelopedUserPermissionOverride:
        """Grants or denies a platform-wide permission to a person, whatever the roles hold.

        `PUT /v1/users/{user_id}/permission-overrides`
        """
        result: models.EnvelopedUserPermissionOverride = self._transport.json("PUT", path_of("/v1/users/{user_id}/permission-overrides", user_id), body=Body("json", "application/json", body))
        return result

    def set_widget_access(self, id: str, user_id: str, *, body: models.SetAccessInput) -> models.EnvelopedWidgetAccessEntry:
        """Gives a member a role for a widget, or removes it with `none`.

        `PUT /v1/widgets/{id}/access/{user_id}`
        """
        result: models.EnvelopedWidgetAccessEntry = self._transport.json("PUT", path_of("/v1/widgets/{id}/access/{user_id}", id, user_id), body=Body("json", "application/json", body))
        return result

    def shared_links(self, id: str) -> models.ListedSharedLink:
        """Lists the shared links of a report, the newest first, also those that have ended.

        `GET /v1/history/reports/{id}/shared-links`
        """
        result: models.ListedSharedLink = self._transport.json("GET", path_of("/v1/history/reports/{id}/shared-links", id))
        return result

    def shared_report(self, token: str, *, x_share_password: str | None = None) -> models.EnvelopedSharedStreamReport:
        """Returns the report that a shared link shows, with its samples.

        `GET /v1/history/shared/{token}`
        """
        result: models.EnvelopedSharedStreamReport = self._transport.json("GET", path_of("/v1/history/shared/{token}", token), header={"X-Share-Password": x_share_password})
        return result

    def shared_report_page(self, token: str) -> str:
        """Returns the page that shows a shared report to people.

        `GET /v1/history/shared/{token}/page`
        """
        result: str = self._transport.text("GET", path_of("/v1/history/shared/{token}/page", token))
        return result

    def sound(self, id: str) -> models.EnvelopedSound:
        """Returns a sound of the account or of one of its installed extensions.

        `GET /v1/sounds/{id}`
        """
        result: models.EnvelopedSound = self._transport.json("GET", path_of("/v1/sounds/{id}", id))
        return result

    def sound_media(self, id: str, *, exp: int | None = None, sig: str | None = None, install: str | None = None) -> bytes:
        """Returns a sound as raw bytes, for its signed address.

        `GET /v1/media/sound/{id}`
        """
        result: bytes = self._transport.content("GET", path_of("/v1/media/sound/{id}", id), query={"exp": exp, "sig": sig, "install": install})
        return result

    def sound_stream(self, id: str) -> bytes:
        """Returns a sound as raw bytes.

        `GET /v1/sounds/{id}/stream`
        """
        result: bytes = self._transport.content("GET", path_of("/v1/sounds/{id}/stream", id))
        return result

    def sounds(self, *, limit: int | None = None, offset: int | None = None, search: str | None = None) -> models.EnvelopedSoundList:
        """Lists the sounds of the account and of its installed extensions, newest first, with the limits of the plan.

        `GET /v1/sounds`
        """
        result: models.EnvelopedSoundList = self._transport.json("GET", "/v1/sounds", query={"limit": limit, "offset": offset, "search": search})
        return result

    def spotify_add_to_queue(self, *, body: models.SpotifyAddToQueueInput, idempotency_key: str | None = None) -> models.Success:
        """Adds a track to the queue. The change is published as `spotify:queue`.

        `POST /v1/spotify/queue`
        """
        result: models.Success = self._transport.json("POST", "/v1/spotify/queue", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def spotify_manual_connect(self) -> models.EnvelopedSpotifyManualConnect:
        """Returns whether the player is polled although no channel is live, and for how long.

        `GET /v1/spotify/manual-connect`
        """
        result: models.EnvelopedSpotifyManualConnect = self._transport.json("GET", "/v1/spotify/manual-connect")
        return result

    def spotify_next(self, *, idempotency_key: str | None = None) -> models.Success:
        """Skips to the next track.

        `POST /v1/spotify/next`
        """
        result: models.Success = self._transport.json("POST", "/v1/spotify/next", header={"Idempotency-Key": idempotency_key})
        return result

    def spotify_pause(self, *, idempotency_key: str | None = None) -> models.Success:
        """Pauses playback.

        `POST /v1/spotify/pause`
        """
        result: models.Success = self._transport.json("POST", "/v1/spotify/pause", header={"Idempotency-Key": idempotency_key})
        return result

    def spotify_play(self, *, body: models.SpotifyPlayInput, idempotency_key: str | None = None) -> models.Success:
        """Resumes playback, or plays the given track in place of the present one.

        `POST /v1/spotify/play`
        """
        result: models.Success = self._transport.json("POST", "/v1/spotify/play", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def spotify_play_playlist(self, id: str, *, idempotency_key: str | None = None) -> models.Success:
        """Plays a playlist by its id at Spotify, also one that is not in the user's library.

        `POST /v1/spotify/playlists/{id}/play`
        """
        result: models.Success = self._transport.json("POST", path_of("/v1/spotify/playlists/{id}/play", id), header={"Idempotency-Key": idempotency_key})
        return result

    def spotify_playlists(self) -> models.ListedSpotifyPlaylist:
        """Lists the first 50 playlists of the user's library, in its order.

        `GET /v1/spotify/playlists`
        """
        result: models.ListedSpotifyPlaylist = self._transport.json("GET", "/v1/spotify/playlists")
        return result

    def spotify_previous(self, *, idempotency_key: str | None = None) -> models.Success:
        """Returns to the previous track.

        `POST /v1/spotify/previous`
        """
        result: models.Success = self._transport.json("POST", "/v1/spotify/previous", header={"Idempotency-Key": idempotency_key})
        return result

    def spotify_repeat(self, *, body: models.SpotifyRepeatInput, idempotency_key: str | None = None) -> models.Success:
        """Sets what is repeated: nothing, the track, or the playlist or album.

        `POST /v1/spotify/repeat`
        """
        result: models.Success = self._transport.json("POST", "/v1/spotify/repeat", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def spotify_search(self, *, q: str, limit: int | None = None) -> models.ListedSpotifyTrack:
        """Finds tracks in Spotify's catalogue, best matches first.

        `GET /v1/spotify/search`
        """
        result: models.ListedSpotifyTrack = self._transport.json("GET", "/v1/spotify/search", query={"q": q, "limit": limit})
        return result

    def spotify_seek(self, *, body: models.SpotifySeekInput, idempotency_key: str | None = None) -> models.Success:
        """Jumps to a position in the track. A position behind its end starts the next track.

        `POST /v1/spotify/seek`
        """
        result: models.Success = self._transport.json("POST", "/v1/spotify/seek", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def spotify_set_device(self, *, body: models.SpotifySetDeviceInput, idempotency_key: str | None = None) -> models.Success:
        """Moves playback to another device. It plays there if it played before.

        `POST /v1/spotify/device`
        """
        result: models.Success = self._transport.json("POST", "/v1/spotify/device", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def spotify_set_volume(self, *, body: models.SpotifySetVolumeInput) -> models.Success:
        """Sets the volume of the device that plays.

        `PUT /v1/spotify/volume`
        """
        result: models.Success = self._transport.json("PUT", "/v1/spotify/volume", body=Body("json", "application/json", body))
        return result

    def spotify_shuffle(self, *, body: models.SpotifyShuffleInput, idempotency_key: str | None = None) -> models.Success:
        """Starts or ends random order of the tracks.

        `POST /v1/spotify/shuffle`
        """
        result: models.Success = self._transport.json("POST", "/v1/spotify/shuffle", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def spotify_state(self, *, if_none_match: str | None = None) -> models.EnvelopedSpotifyState:
        """Returns the state of the player with its queue, devices and playlists, as Spotify has it now.

        `GET /v1/spotify/state`
        """
        result: models.EnvelopedSpotifyState = self._transport.json("GET", "/v1/spotify/state", header={"If-None-Match": if_none_match})
        return result

    def start_obs_record(self, *, idempotency_key: str | None = None) -> models.ObsCommandResult:
        """Starts the recording in OBS.

        `POST /v1/integrations/obs/record/start`
        """
        result: models.ObsCommandResult = self._transport.json("POST", "/v1/integrations/obs/record/start", header={"Idempotency-Key": idempotency_key})
        return result

    def start_obs_stream(self, *, idempotency_key: str | None = None) -> models.ObsCommandResult:
        """Starts the stream in OBS.

        `POST /v1/integrations/obs/stream/start`
        """
        result: models.ObsCommandResult = self._transport.json("POST", "/v1/integrations/obs/stream/start", header={"Idempotency-Key": idempotency_key})
        return result

    def start_raid(self, *, body: models.StartRaidInput, idempotency_key: str | None = None) -> models.EnvelopedRaid:
        """Starts a raid from the account's channel to another channel.

        `POST /v1/chat/raid`
        """
        result: models.EnvelopedRaid = self._transport.json("POST", "/v1/chat/raid", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def start_spotify_manual_connect(self, *, idempotency_key: str | None = None) -> models.EnvelopedSpotifyManualConnect:
        """Polls the player for 30 minutes although no channel is live. An active manual connect lasts for 30 minutes from now on.

        `POST /v1/spotify/manual-connect`
        """
        result: models.EnvelopedSpotifyManualConnect = self._transport.json("POST", "/v1/spotify/manual-connect", header={"Idempotency-Key": idempotency_key})
        return result

    def stop_obs_record(self, *, idempotency_key: str | None = None) -> models.ObsCommandResult:
        """Stops the recording in OBS.

        `POST /v1/integrations/obs/record/stop`
        """
        result: models.ObsCommandResult = self._transport.json("POST", "/v1/integrations/obs/record/stop", header={"Idempotency-Key": idempotency_key})
        return result

    def stop_obs_stream(self, *, idempotency_key: str | None = None) -> models.ObsCommandResult:
        """Stops the stream in OBS.

        `POST /v1/integrations/obs/stream/stop`
        """
        result: models.ObsCommandResult = self._transport.json("POST", "/v1/integrations/obs/stream/stop", header={"Idempotency-Key": idempotency_key})
        return result

    def stop_sound(self, id: str, *, body: models.StopSoundInput, idempotency_key: str | None = None) -> models.Success:
        """Ends a sound in browser sources.

        `POST /v1/sounds/{id}/stop`
        """
        result: models.Success = self._transport.json("POST", path_of("/v1/sounds/{id}/stop", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def stop_spotify_manual_connect(self) -> models.EnvelopedSpotifyManualConnect:
        """Ends a manual connect. The player is still polled while a channel is live. Without effect when it is not active.

        `DELETE /v1/spotify/manual-connect`
        """
        result: models.EnvelopedSpotifyManualConnect = self._transport.json("DELETE", "/v1/spotify/manual-connect")
        return result

    def store_extension(self, id: str, *, if_none_match: str | None = None) -> models.EnvelopedStoreExtensionDetail:
        """Returns one extension of the store, by id or slug.

        `GET /v1/extensions/{id}`
        """
        result: models.EnvelopedStoreExtensionDetail = self._transport.json("GET", path_of("/v1/extensions/{id}", id), header={"If-None-Match": if_none_match})
        return result

    def store_extensions(self, *, search: str | None = None, category: Literal['widget', 'bot_module', 'automation_node', 'theme', 'integration'] | None = None, pricing: Literal['free', 'one_time', 'subscription'] | None = None, sort: Literal['popular', 'newest', 'rating', 'name'] | None = None, page: int | None = None, limit: int | None = None, if_none_match: str | None = None) -> models.CollectionStoreExtension:
        """Lists the extensions of the store.

        `GET /v1/extensions`
        """
        result: models.CollectionStoreExtension = self._transport.json("GET", "/v1/extensions", query={"search": search, "category": category, "pricing": pricing, "sort": sort, "page": page, "limit": limit}, header={"If-None-Match": if_none_match})
        return result

    def stream_history(self, *, page: int | None = None, per_page: int | None = None, from_: str | None = None, to: str | None = None, session_type: models.StreamSessionType | None = None, platform: str | None = None, search: str | None = None, category: str | None = None, sort_by: Literal['started_at', 'duration_secs', 'peak_viewers', 'avg_viewers', 'total_messages', 'unique_chatters', 'new_followers'] | None = None, sort_dir: Literal['asc', 'desc'] | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionStreamSession:
        """Returns one page of the account's stream sessions, the newest first unless another order is requested.

        `GET /v1/history`
        """
        result: models.CollectionStreamSession = self._transport.json("GET", "/v1/history", query={"page": page, "per_page": per_page, "from": from_, "to": to, "session_type": session_type, "platform": platform, "search": search, "category": category, "sort_by": sort_by, "sort_dir": sort_dir, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    def stream_history_filter_options(self) -> models.EnvelopedStreamHistoryFilterOptions:
        """Returns the platforms and categories of the account's sessions.

        `GET /v1/history/filter-options`
        """
        result: models.EnvelopedStreamHistoryFilterOptions = self._transport.json("GET", "/v1/history/filter-options")
        return result

    def stream_report(self, id: str, *, if_none_match: str | None = None) -> models.EnvelopedStreamReport:
        """Returns the report of a stream session.

        `GET /v1/history/reports/{id}`
        """
        result: models.EnvelopedStreamReport = self._transport.json("GET", path_of("/v1/history/reports/{id}", id), header={"If-None-Match": if_none_match})
        return result

    def stream_report_stats(self, id: str, *, platform: str | None = None) -> models.ListedStreamSample:
        """Returns the samples of a stream session, one for each minute and platform, by time.

        `GET /v1/history/reports/{id}/stats`
        """
        result: models.ListedStreamSample = self._transport.json("GET", path_of("/v1/history/reports/{id}/stats", id), query={"platform": platform})
        return result

    def submit_developer_application(self, *, body: models.SubmitDeveloperApplicationInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperApplication:
        """Applies to become a developer, alone or with a team.

        `POST /v1/developer/application`
        """
        result: models.EnvelopedDeveloperApplication = self._transport.json("POST", "/v1/developer/application", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def submit_developer_verification(self, *, body: models.SubmitDeveloperVerificationInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperVerification:
        """Submits the data by which staff verifies the caller as a developer.

        `POST /v1/developer/verification`
        """
        result: models.EnvelopedDeveloperVerification = self._transport.json("POST", "/v1/developer/verification", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def submit_extension_feedback(self, id: str, *, body: models.SubmitExtensionFeedbackInput, idempotency_key: str | None = None) -> models.EnvelopedExtensionFeedback:
        """Sends feedback on the version in testing that an install runs.

        `POST /v1/extension-installs/{id}/feedback`
        """
        result: models.EnvelopedExtensionFeedback = self._transport.json("POST", path_of("/v1/extension-installs/{id}/feedback", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def submit_extension_version(self, id: str, v: str, *, idempotency_key: str | None = None) -> models.EnvelopedDeveloperVersion:
        """Submits a draft for review again.

        `POST /v1/developer/extensions/{id}/versions/{v}/submit`
        """
        result: models.EnvelopedDeveloperVersion = self._transport.json("POST", path_of("/v1/developer/extensions/{id}/versions/{v}/submit", id, v), header={"Idempotency-Key": idempotency_key})
        return result

    def test_obs_connection(self, *, idempotency_key: str | None = None) -> models.ObsTestResult:
        """Tests the stored configuration: connects to OBS, identifies and disconnects, within 10 seconds.

        `POST /v1/integrations/obs/test`
        """
        result: models.ObsTestResult = self._transport.json("POST", "/v1/integrations/obs/test", header={"Idempotency-Key": idempotency_key})
        return result

    def test_webhook_endpoint(self, endpoint_id: str, *, idempotency_key: str | None = None) -> models.EnvelopedWebhookDelivery:
        """Sends a test to a webhook endpoint.

        `POST /v1/webhook-endpoints/{endpoint_id}/test`
        """
        result: models.EnvelopedWebhookDelivery = self._transport.json("POST", path_of("/v1/webhook-endpoints/{endpoint_id}/test", endpoint_id), header={"Idempotency-Key": idempotency_key})
        return result

    def toggle_bot_for_platform(self, *, body: models.ToggleBotForPlatformInput, idempotency_key: str | None = None) -> models.EnvelopedBotStatus:
        """Switches the bot in a channel on or off.

        `POST /v1/bot-toggle`
        """
        result: models.EnvelopedBotStatus = self._transport.json("POST", "/v1/bot-toggle", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def transfer_extension(self, id: str, *, body: models.TransferExtensionInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperExtension:
        """Transfers an extension to a team, or from a team to its owner.

        `POST /v1/developer/extensions/{id}/transfer`
        """
        result: models.EnvelopedDeveloperExtension = self._transport.json("POST", path_of("/v1/developer/extensions/{id}/transfer", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def uninstall_extension(self, id: str) -> None:
        """Uninstalls an extension from the account.

        `DELETE /v1/extension-installs/{id}`
        """
        self._transport.nothing("DELETE", path_of("/v1/extension-installs/{id}", id))

    def update_account(self, id: str, *, body: models.UpdateAccountInput) -> models.EnvelopedAccount:
        """Updates name and description of the account that the caller acts in.

        `PATCH /v1/accounts/{id}`
        """
        result: models.EnvelopedAccount = self._transport.json("PATCH", path_of("/v1/accounts/{id}", id), body=Body("json", "application/json", body))
        return result

    def update_account_service_key(self, id: str, *, body: models.UpdateAccountServiceKeyInput) -> models.EnvelopedAccountServiceKey:
        """Renames a service key.

        `PATCH /v1/service-keys/{id}`
        """
        result: models.EnvelopedAccountServiceKey = self._transport.json("PATCH", path_of("/v1/service-keys/{id}", id), body=Body("json", "application/json", body))
        return result

    def update_account_settings(self, *, body: models.UpdateAccountSettingsInput) -> models.EnvelopedAccountSettings:
        """Updates settings of the account.

        `PATCH /v1/settings`
        """
        result: models.EnvelopedAccountSettings = self._transport.json("PATCH", "/v1/settings", body=Body("json", "application/json", body))
        return result

    def update_automation(self, id: str, *, body: models.AutomationChanges) -> models.EnvelopedAutomation:
        """Changes an automation, enables or disables it.

        `PATCH /v1/automations/{id}`
        """
        result: models.EnvelopedAutomation = self._transport.json("PATCH", path_of("/v1/automations/{id}", id), body=Body("json", "application/json", body))
        return result

    def update_automation_graph(self, id: str, *, body: models.UpdateAutomationGraphInput) -> models.EnvelopedAutomation:
        """Replaces the graph of an automation.

        `PUT /v1/automations/{id}/graph`
        """
        result: models.EnvelopedAutomation = self._transport.json("PUT", path_of("/v1/automations/{id}/graph", id), body=Body("json", "application/json", body))
        return result

    def update_bot_command(self, id: str, *, body: models.UpdateBotCommandInput) -> models.EnvelopedBotCommand:
        """Changes a command of the account.

        `PATCH /v1/bot-commands/{id}`
        """
        result: models.EnvelopedBotCommand = self._transport.json("PATCH", path_of("/v1/bot-commands/{id}", id), body=Body("json", "application/json", body))
        return result

    def update_bot_module(self, name: str, *, body: models.UpdateBotModuleInput) -> models.EnvelopedBotModule:
        """Replaces the settings of a built-in module and switches it on or off.

        `PUT /v1/bot-modules/{name}`
        """
        result: models.EnvelopedBotModule = self._transport.json("PUT", path_of("/v1/bot-modules/{name}", name), body=Body("json", "application/json", body))
        return result

    def update_developer_payout_settings(self, *, body: models.UpdateDeveloperPayoutSettingsInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperPayoutSettings:
        """Changes the ways in which the caller, or a team, is paid.

        `POST /v1/developer/payouts`
        """
        result: models.EnvelopedDeveloperPayoutSettings = self._transport.json("POST", "/v1/developer/payouts", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def update_developer_profile(self, *, body: models.UpdateDeveloperProfileInput) -> models.EnvelopedDeveloperProfile:
        """Changes the caller's own profile as a developer. The slug stays as it is.

        `PATCH /v1/developer/profile`
        """
        result: models.EnvelopedDeveloperProfile = self._transport.json("PATCH", "/v1/developer/profile", body=Body("json", "application/json", body))
        return result

    def update_developer_team(self, id: str, *, body: models.UpdateDeveloperTeamInput) -> models.EnvelopedDeveloperTeam:
        """Changes a team.

        `PATCH /v1/developer/teams/{id}`
        """
        result: models.EnvelopedDeveloperTeam = self._transport.json("PATCH", path_of("/v1/developer/teams/{id}", id), body=Body("json", "application/json", body))
        return result

    def update_developer_team_member_role(self, id: str, member_id: str, *, body: models.UpdateDeveloperTeamMemberRoleInput) -> models.EnvelopedDeveloperTeamMember:
        """Gives a member of a team another role.

        `PATCH /v1/developer/teams/{id}/members/{member_id}/role`
        """
        result: models.EnvelopedDeveloperTeamMember = self._transport.json("PATCH", path_of("/v1/developer/teams/{id}/members/{member_id}/role", id, member_id), body=Body("json", "application/json", body))
        return result

    def update_developer_team_role(self, id: str, rid: str, *, body: models.UpdateDeveloperTeamRoleInput) -> models.EnvelopedDeveloperTeamRole:
        """Changes a role of a team.

        `PATCH /v1/developer/teams/{id}/roles/{rid}`
        """
        result: models.EnvelopedDeveloperTeamRole = self._transport.json("PATCH", path_of("/v1/developer/teams/{id}/roles/{rid}", id, rid), body=Body("json", "application/json", body))
        return result

    def update_extension(self, id: str, *, body: models.UpdateExtensionInput) -> models.EnvelopedDeveloperExtension:
        """Changes one of the caller's extensions.

        `PATCH /v1/developer/extensions/{id}`
        """
        result: models.EnvelopedDeveloperExtension = self._transport.json("PATCH", path_of("/v1/developer/extensions/{id}", id), body=Body("json", "application/json", body))
        return result

    def update_extension_review(self, id: str, review_id: str, *, body: models.UpdateExtensionReviewInput) -> models.EnvelopedExtensionReview:
        """Changes the caller's own review.

        `PATCH /v1/extensions/{id}/reviews/{review_id}`
        """
        result: models.EnvelopedExtensionReview = self._transport.json("PATCH", path_of("/v1/extensions/{id}/reviews/{review_id}", id, review_id), body=Body("json", "application/json", body))
        return result

    def update_idea(self, id: str, *, body: models.UpdateIdeaInput) -> models.EnvelopedGqlIdea:
        """Changes title, description, category or tags of an idea.

        `PATCH /v1/ideas/{id}`
        """
        result: models.EnvelopedGqlIdea = self._transport.json("PATCH", path_of("/v1/ideas/{id}", id), body=Body("json", "application/json", body))
        return result

    def update_idea_category(self, id: str, *, body: models.UpdateIdeaCategoryInput) -> models.EnvelopedIdeaCategory:
        """Changes a category of ideas. Absent fields stay; without a field nothing changes.

        `PATCH /v1/ideas/categories/{id}`
        """
        result: models.EnvelopedIdeaCategory = self._transport.json("PATCH", path_of("/v1/ideas/categories/{id}", id), body=Body("json", "application/json", body))
        return result

    def update_idea_comment(self, id: str, *, body: models.IdeaCommentChange) -> models.EnvelopedIdeaComment:
        """Changes an own comment.

        `PATCH /v1/ideas/comments/{id}`
        """
        result: models.EnvelopedIdeaComment = self._transport.json("PATCH", path_of("/v1/ideas/comments/{id}", id), body=Body("json", "application/json", body))
        return result

    def update_idea_status(self, id: str, *, body: models.NewIdeaStatus) -> models.EnvelopedGqlIdea:
        """Sets the status of an idea, as a moderator.

        `PATCH /v1/ideas/{id}/status`
        """
        result: models.EnvelopedGqlIdea = self._transport.json("PATCH", path_of("/v1/ideas/{id}/status", id), body=Body("json", "application/json", body))
        return result

    def update_me(self, *, body: models.UpdateMeInput) -> models.EnvelopedCurrentUser:
        """Updates the current user.

        `PATCH /v1/users/me`
        """
        result: models.EnvelopedCurrentUser = self._transport.json("PATCH", "/v1/users/me", body=Body("json", "application/json", body))
        return result

    def update_member_role(self, id: str, membership_id: str, *, body: models.MemberRoleInput) -> models.EnvelopedMember:
        """Changes the role of a member.

        `PATCH /v1/accounts/{id}/members/{membership_id}`
        """
        result: models.EnvelopedMember = self._transport.json("PATCH", path_of("/v1/accounts/{id}/members/{membership_id}", id, membership_id), body=Body("json", "application/json", body))
        return result

    def update_notification_preference(self, type: str, *, body: models.UpdateNotificationPreferenceInput) -> models.EnvelopedNotificationPreference:
        """Changes the channel of a notification type for the caller.

        `PATCH /v1/notifications/preferences/{type}`
        """
        result: models.EnvelopedNotificationPreference = self._transport.json("PATCH", path_of("/v1/notifications/preferences/{type}", type), body=Body("json", "application/json", body))
        return result

    def update_overlay(self, id: str, *, body: models.OverlayChanges) -> models.EnvelopedOverlay:
        """Changes an overlay.

        `PATCH /v1/overlays/{id}`
        """
        result: models.EnvelopedOverlay = self._transport.json("PATCH", path_of("/v1/overlays/{id}", id), body=Body("json", "application/json", body))
        return result

    def update_overlay_layer(self, id: str, layer_id: str, *, body: models.UpdateOverlayLayerInput) -> models.EnvelopedOverlayLayer:
        """Changes one layer of an overlay.

        `PATCH /v1/overlays/{id}/layers/{layer_id}`
        """
        result: models.EnvelopedOverlayLayer = self._transport.json("PATCH", path_of("/v1/overlays/{id}/layers/{layer_id}", id, layer_id), body=Body("json", "application/json", body))
        return result

    def update_overlay_layers(self, id: str, *, body: models.UpdateOverlayLayersInput) -> models.ListedOverlayLayer:
        """Replaces all layers of an overlay.

        `PUT /v1/overlays/{id}/layers`
        """
        result: models.ListedOverlayLayer = self._transport.json("PUT", path_of("/v1/overlays/{id}/layers", id), body=Body("json", "application/json", body))
        return result

    def update_popout_token(self, id: str, *, body: models.PopoutTokenChanges) -> models.EnvelopedPopoutToken:
        """Changes a popout token.

        `PATCH /v1/tokens/{id}`
        """
        result: models.EnvelopedPopoutToken = self._transport.json("PATCH", path_of("/v1/tokens/{id}", id), body=Body("json", "application/json", body))
        return result

    def update_public_stats_channel(self, platform: str, *, body: models.UpdatePublicStatsChannelInput) -> models.EnvelopedPublicChannelSettings:
        """Replaces the settings of the account's channel on a platform.

        `PUT /v1/public-stats/channels/{platform}`
        """
        result: models.EnvelopedPublicChannelSettings = self._transport.json("PUT", path_of("/v1/public-stats/channels/{platform}", platform), body=Body("json", "application/json", body))
        return result

    def update_reward(self, id: str, *, body: models.UpdateReward) -> models.EnvelopedReward:
        """Changes a reward.

        `PATCH /v1/rewards/{id}`
        """
        result: models.EnvelopedReward = self._transport.json("PATCH", path_of("/v1/rewards/{id}", id), body=Body("json", "application/json", body))
        return result

    def update_role(self, id: str, *, body: models.UpdateRoleInput) -> models.EnvelopedAccountRole:
        """Changes a role.

        `PATCH /v1/roles/{id}`
        """
        result: models.EnvelopedAccountRole = self._transport.json("PATCH", path_of("/v1/roles/{id}", id), body=Body("json", "application/json", body))
        return result

    def update_sound(self, id: str, *, body: models.UpdateSoundInput) -> models.EnvelopedSound:
        """Updates the name of a sound, or what is known of its length and peaks.

        `PATCH /v1/sounds/{id}`
        """
        result: models.EnvelopedSound = self._transport.json("PATCH", path_of("/v1/sounds/{id}", id), body=Body("json", "application/json", body))
        return result

    def update_user_api_key(self, id: str, *, body: models.UpdateUserApiKeyInput) -> models.EnvelopedUserApiKey:
        """Renames one of the caller's own keys.

        `PATCH /v1/api-keys/{id}`
        """
        result: models.EnvelopedUserApiKey = self._transport.json("PATCH", path_of("/v1/api-keys/{id}", id), body=Body("json", "application/json", body))
        return result

    def update_user_note(self, id: str, *, body: models.UpdateUserNoteInput) -> models.EnvelopedUserNote:
        """Changes the text of a note.

        `PATCH /v1/chat/notes/{id}`
        """
        result: models.EnvelopedUserNote = self._transport.json("PATCH", path_of("/v1/chat/notes/{id}", id), body=Body("json", "application/json", body))
        return result

    def update_user_role(self, id: str, *, body: models.UpdateUserRoleInput) -> models.EnvelopedUserRole:
        """Changes a platform-wide role.

        `PATCH /v1/user-roles/{id}`
        """
        result: models.EnvelopedUserRole = self._transport.json("PATCH", path_of("/v1/user-roles/{id}", id), body=Body("json", "application/json", body))
        return result

    def update_webhook_endpoint(self, endpoint_id: str, *, body: models.WebhookEndpointChanges) -> models.EnvelopedWebhookEndpoint:
        """Changes a webhook endpoint, enables or disables it.

        `PATCH /v1/webhook-endpoints/{endpoint_id}`
        """
        result: models.EnvelopedWebhookEndpoint = self._transport.json("PATCH", path_of("/v1/webhook-endpoints/{endpoint_id}", endpoint_id), body=Body("json", "application/json", body))
        return result

    def update_widget(self, id: str, *, body: models.UpdateWidgetInput) -> models.EnvelopedWidget:
        """Changes a widget. Its type stays.

        `PATCH /v1/widgets/{id}`
        """
        result: models.EnvelopedWidget = self._transport.json("PATCH", path_of("/v1/widgets/{id}", id), body=Body("json", "application/json", body))
        return result

    def upload(self, id: str) -> models.EnvelopedUpload:
        """Returns an upload with an address of its content.

        `GET /v1/uploads/{id}`
        """
        result: models.EnvelopedUpload = self._transport.json("GET", path_of("/v1/uploads/{id}", id))
        return result

    def upload_extension_file(self, extension_id: str, *, body: models.ExtensionUploadForm) -> models.EnvelopedExtensionUpload:
        """Stores an image of an installed extension.

        `POST /v1/extensions/{extension_id}/uploads`
        """
        result: models.EnvelopedExtensionUpload = self._transport.json("POST", path_of("/v1/extensions/{extension_id}/uploads", extension_id), body=Body("form", "multipart/form-data", body))
        return result

    def upload_extension_version(self, id: str, *, body: models.SubmitVersionForm) -> models.EnvelopedDeveloperVersion:
        """Uploads a version of one of the caller's extensions for review.

        `POST /v1/developer/extensions/{id}/versions`
        """
        result: models.EnvelopedDeveloperVersion = self._transport.json("POST", path_of("/v1/developer/extensions/{id}/versions", id), body=Body("form", "multipart/form-data", body))
        return result

    def upload_media(self, id: str, *, exp: int | None = None, sig: str | None = None) -> bytes:
        """Returns the content of an upload as raw bytes, for its signed address.

        `GET /v1/media/upload/{id}`
        """
        result: bytes = self._transport.content("GET", path_of("/v1/media/upload/{id}", id), query={"exp": exp, "sig": sig})
        return result

    def uploads(self, *, purpose: models.UploadPurpose | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionUpload:
        """Lists the uploads of the account, newest first.

        `GET /v1/uploads`
        """
        result: models.CollectionUpload = self._transport.json("GET", "/v1/uploads", query={"purpose": purpose, "page": page, "limit": limit})
        return result

    def usage_budgets(self, *, if_none_match: str | None = None) -> models.ListedUsageBudget:
        """Lists the budgets of the account with their present use, oldest first.

        `GET /v1/usage/budgets`
        """
        result: models.ListedUsageBudget = self._transport.json("GET", "/v1/usage/budgets", header={"If-None-Match": if_none_match})
        return result

    def usage_hours(self, *, subject: models.UsageSubject | None = None, subject_id: str | None = None, from_: str | None = None, to: str | None = None, page: int | None = None, limit: int | None = None, if_none_match: str | None = None) -> models.CollectionUsageHour:
        """Lists the usage of the account, its extensions or its keys by hour, newest first.

        `GET /v1/usage`
        """
        result: models.CollectionUsageHour = self._transport.json("GET", "/v1/usage", query={"subject": subject, "subject_id": subject_id, "from": from_, "to": to, "page": page, "limit": limit}, header={"If-None-Match": if_none_match})
        return result

    def usage_totals(self, *, subject: models.UsageSubject | None = None, subject_id: str | None = None, from_: str | None = None, to: str | None = None, page: int | None = None, limit: int | None = None, if_none_match: str | None = None) -> models.CollectionUsageTotal:
        """Lists the sums of the usage of the account, its extensions or its keys in a span, most time of handlers and then most requests first.

        `GET /v1/usage/totals`
        """
        result: models.CollectionUsageTotal = self._transport.json("GET", "/v1/usage/totals", query={"subject": subject, "subject_id": subject_id, "from": from_, "to": to, "page": page, "limit": limit}, header={"If-None-Match": if_none_match})
        return result

    def user_api_keys(self) -> models.ListedUserApiKey:
        """Lists the caller's own keys in the active account.

        `GET /v1/api-keys`
        """
        result: models.ListedUserApiKey = self._transport.json("GET", "/v1/api-keys")
        return result

    def user_emotes(self) -> models.EnvelopedEmoteSets:
        """Lists the global emotes and those of the account's channels and servers, by provider.

        `GET /v1/emotes/user`
        """
        result: models.EnvelopedEmoteSets = self._transport.json("GET", "/v1/emotes/user")
        return result

    def user_notes(self, platform: str, platform_user_id: str) -> models.ListedUserNote:
        """Lists the account's notes about a user, newest first.

        `GET /v1/chat/users/{platform}/{platform_user_id}/notes`
        """
        result: models.ListedUserNote = self._transport.json("GET", path_of("/v1/chat/users/{platform}/{platform_user_id}/notes", platform, platform_user_id))
        return result

    def user_permission_overrides(self, user_id: str) -> models.ListedUserPermissionOverride:
        """Lists the permission overrides of a person, by permission.

        `GET /v1/users/{user_id}/permission-overrides`
        """
        result: models.ListedUserPermissionOverride = self._transport.json("GET", path_of("/v1/users/{user_id}/permission-overrides", user_id))
        return result

    def user_role_assignments(self, user_id: str) -> models.ListedUserRoleAssignment:
        """Lists the platform-wide roles that a person was assigned.

        `GET /v1/users/{user_id}/roles`
        """
        result: models.ListedUserRoleAssignment = self._transport.json("GET", path_of("/v1/users/{user_id}/roles", user_id))
        return result

    def user_role_members(self, id: str) -> models.ListedUserRoleMember:
        """Lists the people who were assigned a platform-wide role, the latest 1000.

        `GET /v1/user-roles/{id}/members`
        """
        result: models.ListedUserRoleMember = self._transport.json("GET", path_of("/v1/user-roles/{id}/members", id))
        return result

    def user_roles(self) -> models.ListedUserRole:
        """Lists the platform-wide roles: the seeded ones first, then by name.

        `GET /v1/user-roles`
        """
        result: models.ListedUserRole = self._transport.json("GET", "/v1/user-roles")
        return result

    def validate_coupon(self, code: str) -> models.EnvelopedCouponValidation:
        """Checks whether a coupon can be redeemed.

        `GET /v1/billing/coupons/{code}`
        """
        result: models.EnvelopedCouponValidation = self._transport.json("GET", path_of("/v1/billing/coupons/{code}", code))
        return result

    def verify_youtube_webhook(self, *, channel: str, t: str, hub_mode: str | None = None, hub_topic: str | None = None, hub_challenge: str | None = None, hub_lease_seconds: int | None = None) -> str:
        """Confirms to YouTube's hub that its deliveries are wanted.

        `GET /v1/webhooks/youtube`
        """
        result: str = self._transport.text("GET", "/v1/webhooks/youtube", query={"hub.mode": hub_mode, "hub.topic": hub_topic, "hub.challenge": hub_challenge, "hub.lease_seconds": hub_lease_seconds, "channel": channel, "t": t})
        return result

    def vote_copyright(self, *, body: models.VoteCopyrightInput, idempotency_key: str | None = None) -> models.EnvelopedCopyrightVote:
        """Votes on a song, or changes the caller's vote.

        `POST /v1/copyright/vote`
        """
        result: models.EnvelopedCopyrightVote = self._transport.json("POST", "/v1/copyright/vote", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    def vote_idea(self, id: str, *, body: models.NewIdeaVote) -> models.EnvelopedGqlIdea:
        """Votes on an idea, or changes the caller's vote.

        `PUT /v1/ideas/{id}/vote`
        """
        result: models.EnvelopedGqlIdea = self._transport.json("PUT", path_of("/v1/ideas/{id}/vote", id), body=Body("json", "application/json", body))
        return result

    def vote_idea_comment(self, id: str, *, body: models.NewIdeaVote) -> models.EnvelopedIdeaComment:
        """Votes on a comment, or changes the caller's vote.

        `PUT /v1/ideas/comments/{id}/vote`
        """
        result: models.EnvelopedIdeaComment = self._transport.json("PUT", path_of("/v1/ideas/comments/{id}/vote", id), body=Body("json", "application/json", body))
        return result

    def watchlist(self, *, if_none_match: str | None = None) -> models.ListedWatchlistEntry:
        """Lists the caller's favourite channels with their live state, newest first.

        `GET /v1/watchlist`
        """
        result: models.ListedWatchlistEntry = self._transport.json("GET", "/v1/watchlist", header={"If-None-Match": if_none_match})
        return result

    def webhook_deliveries(self, endpoint_id: str, *, status: models.WebhookDeliveryStatus | None = None, event_type: str | None = None, page: int | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionWebhookDelivery:
        """Lists the deliveries of a webhook endpoint, newest first.

        `GET /v1/webhook-endpoints/{endpoint_id}/deliveries`
        """
        result: models.CollectionWebhookDelivery = self._transport.json("GET", path_of("/v1/webhook-endpoints/{endpoint_id}/deliveries", endpoint_id), query={"status": status, "event_type": event_type, "page": page, "limit": limit, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    def webhook_endpoint(self, endpoint_id: str, *, if_none_match: str | None = None) -> models.EnvelopedWebhookEndpoint:
        """Returns one of the account's webhook endpoints.

        `GET /v1/webhook-endpoints/{endpoint_id}`
        """
        result: models.EnvelopedWebhookEndpoint = self._transport.json("GET", path_of("/v1/webhook-endpoints/{endpoint_id}", endpoint_id), header={"If-None-Match": if_none_match})
        return result

    def webhook_endpoints(self, *, if_none_match: str | None = None) -> models.ListedWebhookEndpoint:
        """Lists the webhook endpoints of the account, oldest first.

        `GET /v1/webhook-endpoints`
        """
        result: models.ListedWebhookEndpoint = self._transport.json("GET", "/v1/webhook-endpoints", header={"If-None-Match": if_none_match})
        return result

    def webhook_secret(self, endpoint_id: str) -> models.EnvelopedWebhookSecret:
        """Returns the secret that signs the deliveries of a webhook endpoint.

        `GET /v1/webhook-endpoints/{endpoint_id}/secret`
        """
        result: models.EnvelopedWebhookSecret = self._transport.json("GET", path_of("/v1/webhook-endpoints/{endpoint_id}/secret", endpoint_id))
        return result

    def widget(self, id: str) -> models.EnvelopedWidget:
        """Returns one of the account's widgets.

        `GET /v1/widgets/{id}`
        """
        result: models.EnvelopedWidget = self._transport.json("GET", path_of("/v1/widgets/{id}", id))
        return result

    def widget_access(self, id: str) -> models.ListedWidgetAccessEntry:
        """Lists the access entries of a widget, oldest first.

        `GET /v1/widgets/{id}/access`
        """
        result: models.ListedWidgetAccessEntry = self._transport.json("GET", path_of("/v1/widgets/{id}/access", id))
        return result

    def widget_access_candidates(self, id: str) -> models.ListedAccessCandidate:
        """Lists the members without an entry of a widget, by name.

        `GET /v1/widgets/{id}/access/candidates`
        """
        result: models.ListedAccessCandidate = self._transport.json("GET", path_of("/v1/widgets/{id}/access/candidates", id))
        return result

    def widget_page(self, id: str) -> str:
        """Returns the page of a widget, for browser sources of OBS and similar programs.

        `GET /v1/widgets/{id}/page`
        """
        result: str = self._transport.text("GET", path_of("/v1/widgets/{id}/page", id))
        return result

    def widgets(self, *, type: str | None = None, search: str | None = None) -> models.ListedWidget:
        """Lists the account's widgets, oldest first.

        `GET /v1/widgets`
        """
        result: models.ListedWidget = self._transport.json("GET", "/v1/widgets", query={"type": type, "search": search})
        return result

    def withdraw_extension_version(self, id: str, v: str, *, idempotency_key: str | None = None) -> models.EnvelopedDeveloperVersion:
        """Withdraws a version that waits for its review.

        `POST /v1/developer/extensions/{id}/versions/{v}/withdraw`
        """
        result: models.EnvelopedDeveloperVersion = self._transport.json("POST", path_of("/v1/developer/extensions/{id}/versions/{v}/withdraw", id, v), header={"Idempotency-Key": idempotency_key})
        return result

    def youtube_active_streams(self, *, if_none_match: str | None = None) -> models.ListedYoutubeStream:
        """Lists the broadcasts of the account's YouTube channel that are live or scheduled, live ones first.

        `GET /v1/youtube/active-streams`
        """
        result: models.ListedYoutubeStream = self._transport.json("GET", "/v1/youtube/active-streams", header={"If-None-Match": if_none_match})
        return result

    def youtube_membership_tiers(self) -> models.ListedMembershipTier:
        """Lists the membership tiers of the account's YouTube channel, in the order in which they were first seen.

        `GET /v1/youtube/memberships/tiers`
        """
        result: models.ListedMembershipTier = self._transport.json("GET", "/v1/youtube/memberships/tiers")
        return result


class AsyncOperations:
    """Operations of the REST API by their names, for asyncio."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def abandon_extension_version(self, id: str, v: str, *, idempotency_key: str | None = None) -> models.EnvelopedDeveloperVersion:
        """Abandons a version in testing.

        `POST /v1/developer/extensions/{id}/versions/{v}/abandon`
        """
        result: models.EnvelopedDeveloperVersion = await self._transport.json("POST", path_of("/v1/developer/extensions/{id}/versions/{v}/abandon", id, v), header={"Idempotency-Key": idempotency_key})
        return result

    async def accept_developer_team_invite(self, code: str, *, idempotency_key: str | None = None) -> models.EnvelopedDeveloperTeam:
        """Accepts an invite: the caller becomes a member of the team with the invite's role.

        `POST /v1/developer/team-invites/{code}/accept`
        """
        result: models.EnvelopedDeveloperTeam = await self._transport.json("POST", path_of("/v1/developer/team-invites/{code}/accept", code), header={"Idempotency-Key": idempotency_key})
        return result

    async def accept_extension_update(self, id: str, *, body: models.AcceptExtensionUpdateInput, idempotency_key: str | None = None) -> models.EnvelopedExtensionInstall:
        """Updates an install to the extension's current version, with the account's consent.

        `POST /v1/extension-installs/{id}/update`
        """
        result: models.EnvelopedExtensionInstall = await self._transport.json("POST", path_of("/v1/extension-installs/{id}/update", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def accept_invite(self, code: str, *, idempotency_key: str | None = None) -> models.EnvelopedJoinedAccount:
        """Accepts an invite: the caller becomes a member of the account with the invite's role.

        `POST /v1/invites/{code}/accept`
        """
        result: models.EnvelopedJoinedAccount = await self._transport.json("POST", path_of("/v1/invites/{code}/accept", code), header={"Idempotency-Key": idempotency_key})
        return result

    async def account(self, id: str) -> models.EnvelopedAccount:
        """Returns the account that the caller acts in.

        `GET /v1/accounts/{id}`
        """
        result: models.EnvelopedAccount = await self._transport.json("GET", path_of("/v1/accounts/{id}", id))
        return result

    async def account_archive(self, id: str, archive_id: str) -> models.EnvelopedAccountArchive:
        """Returns an archive of an account, with the address of its content once it is ready.

        `GET /v1/accounts/{id}/archives/{archive_id}`
        """
        result: models.EnvelopedAccountArchive = await self._transport.json("GET", path_of("/v1/accounts/{id}/archives/{archive_id}", id, archive_id))
        return result

    async def account_archives(self, id: str) -> models.ListedAccountArchive:
        """Lists the archives of an account, newest first.

        `GET /v1/accounts/{id}/archives`
        """
        result: models.ListedAccountArchive = await self._transport.json("GET", path_of("/v1/accounts/{id}/archives", id))
        return result

    async def account_feature_statuses(self, id: str, *, if_none_match: str | None = None) -> models.ListedFeatureStatus:
        """Lists the status of every feature flag of the active account, with the reason why a flag is off.

        `GET /v1/accounts/{id}/feature-statuses`
        """
        result: models.ListedFeatureStatus = await self._transport.json("GET", path_of("/v1/accounts/{id}/feature-statuses", id), header={"If-None-Match": if_none_match})
        return result

    async def account_features(self, id: str, *, if_none_match: str | None = None) -> models.ListedString:
        """Returns the feature flags of the active account.

        `GET /v1/accounts/{id}/enabled-features`
        """
        result: models.ListedString = await self._transport.json("GET", path_of("/v1/accounts/{id}/enabled-features", id), header={"If-None-Match": if_none_match})
        return result

    async def account_login_assignments(self, *, user_id: str | None = None) -> models.ListedLoginAssignment:
        """Lists the login assignments of the account, or of one member.

        `GET /v1/accounts/login-assignments`
        """
        result: models.ListedLoginAssignment = await self._transport.json("GET", "/v1/accounts/login-assignments", query={"user_id": user_id})
        return result

    async def account_permissions(self) -> models.ListedAccountPermissionInfo:
        """Lists the permissions that a role may hold, in the order of the catalogue.

        `GET /v1/roles/permissions`
        """
        result: models.ListedAccountPermissionInfo = await self._transport.json("GET", "/v1/roles/permissions")
        return result

    async def account_service_keys(self) -> models.ListedAccountServiceKey:
        """Lists the service keys of the account.

        `GET /v1/service-keys`
        """
        result: models.ListedAccountServiceKey = await self._transport.json("GET", "/v1/service-keys")
        return result

    async def account_settings(self, *, if_none_match: str | None = None) -> models.EnvelopedAccountSettings:
        """Returns the settings of the account.

        `GET /v1/settings`
        """
        result: models.EnvelopedAccountSettings = await self._transport.json("GET", "/v1/settings", header={"If-None-Match": if_none_match})
        return result

    async def accounts(self, *, if_none_match: str | None = None) -> models.ListedAccount:
        """Lists the accounts of the caller.

        `GET /v1/accounts`
        """
        result: models.ListedAccount = await self._transport.json("GET", "/v1/accounts", header={"If-None-Match": if_none_match})
        return result

    async def add_blocked_song(self, *, body: models.CopyrightSongInput, idempotency_key: str | None = None) -> models.EnvelopedListedSong:
        """Adds a song to the account's list of blocked songs.

        `POST /v1/copyright/blocked-songs`
        """
        result: models.EnvelopedListedSong = await self._transport.json("POST", "/v1/copyright/blocked-songs", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def add_safe_song(self, *, body: models.CopyrightSongInput, idempotency_key: str | None = None) -> models.EnvelopedListedSong:
        """Adds a song to the account's list of safe songs.

        `POST /v1/copyright/safe-songs`
        """
        result: models.EnvelopedListedSong = await self._transport.json("POST", "/v1/copyright/safe-songs", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def add_to_watchlist(self, *, body: models.AddToWatchlistInput, idempotency_key: str | None = None) -> models.EnvelopedWatchlistEntry:
        """Adds a channel to the caller's watchlist.

        `POST /v1/watchlist`
        """
        result: models.EnvelopedWatchlistEntry = await self._transport.json("POST", "/v1/watchlist", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def admin_account(self, id: str) -> models.EnvelopedAdminAccount:
        """Returns an account with its connections.

        `GET /v1/admin/accounts/{id}`
        """
        result: models.EnvelopedAdminAccount = await self._transport.json("GET", path_of("/v1/admin/accounts/{id}", id))
        return result

    async def admin_account_feature_overrides(self, id: str) -> models.ListedAccountFeatureOverride:
        """Lists the feature overrides of an account.

        `GET /v1/admin/accounts/{id}/feature-overrides`
        """
        result: models.ListedAccountFeatureOverride = await self._transport.json("GET", path_of("/v1/admin/accounts/{id}/feature-overrides", id))
        return result

    async def admin_account_limits(self, id: str) -> models.EnvelopedAccountLimits:
        """Returns the limits of an account that have priority over its plan.

        `GET /v1/admin/accounts/{id}/limits`
        """
        result: models.EnvelopedAccountLimits = await self._transport.json("GET", path_of("/v1/admin/accounts/{id}/limits", id))
        return result

    async def admin_account_permission_overrides(self, id: str) -> models.ListedAccountPermissionOverride:
        """Lists the permission overrides of an account, by permission.

        `GET /v1/admin/accounts/{id}/permission-overrides`
        """
        result: models.ListedAccountPermissionOverride = await self._transport.json("GET", path_of("/v1/admin/accounts/{id}/permission-overrides", id))
        return result

    async def admin_accounts(self, *, search: str | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionAdminAccountSummary:
        """Lists accounts, newest first.

        `GET /v1/admin/accounts`
        """
        result: models.CollectionAdminAccountSummary = await self._transport.json("GET", "/v1/admin/accounts", query={"search": search, "page": page, "limit": limit})
        return result

    async def admin_add_crawler_watchlist_entry(self, *, body: models.AdminAddCrawlerWatchlistEntryInput, idempotency_key: str | None = None) -> models.EnvelopedCrawlerWatchlistEntry:
        """Adds a channel that is crawled outside of the scope.

        `POST /v1/admin/crawler/watchlist`
        """
        result: models.EnvelopedCrawlerWatchlistEntry = await self._transport.json("POST", "/v1/admin/crawler/watchlist", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def admin_add_user_membership(self, id: str, *, body: models.AdminAddUserMembershipInput, idempotency_key: str | None = None) -> models.EnvelopedAdminUserMembership:
        """Makes a person a member of an account.

        `POST /v1/admin/users/{id}/memberships`
        """
        result: models.EnvelopedAdminUserMembership = await self._transport.json("POST", path_of("/v1/admin/users/{id}/memberships", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def admin_approve_copyright_candidate(self, id: str, *, idempotency_key: str | None = None) -> models.EnvelopedCopyrightCandidate:
        """Approves a candidate: the song enters a list of all accounts.

        `POST /v1/admin/copyright/candidates/{id}/approve`
        """
        result: models.EnvelopedCopyrightCandidate = await self._transport.json("POST", path_of("/v1/admin/copyright/candidates/{id}/approve", id), header={"Idempotency-Key": idempotency_key})
        return result

    async def admin_approve_developer_application(self, id: str, *, body: models.AdminApproveDeveloperApplicationInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperApplicationDecision:
        """Approves an application: the applicant becomes a developer.

        `POST /v1/admin/developer-applications/{id}/approve`
        """
        result: models.EnvelopedDeveloperApplicationDecision = await self._transport.json("POST", path_of("/v1/admin/developer-applications/{id}/approve", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def admin_approve_developer_verification(self, id: str, *, body: models.AdminApproveDeveloperVerificationInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperVerificationDecision:
        """Approves a verification: the developer is verified and may sell extensions and be paid.

        `POST /v1/admin/developer-verifications/{id}/approve`
        """
        result: models.EnvelopedDeveloperVerificationDecision = await self._transport.json("POST", path_of("/v1/admin/developer-verifications/{id}/approve", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def admin_approve_extension_testing(self, id: str, *, idempotency_key: str | None = None) -> models.EnvelopedReviewVersion:
        """Approves a version for testing.

        `POST /v1/admin/extension-versions/{id}/approve-testing`
        """
        result: models.EnvelopedReviewVersion = await self._transport.json("POST", path_of("/v1/admin/extension-versions/{id}/approve-testing", id), header={"Idempotency-Key": idempotency_key})
        return result

    async def admin_assign_user_role(self, id: str, *, body: models.AssignAdminRoleInput, idempotency_key: str | None = None) -> models.AdminRoleAssigned:
        """Assigns a role of operator staff to a person.

        `POST /v1/admin/admin-roles/{id}/members`
        """
        result: models.AdminRoleAssigned = await self._transport.json("POST", path_of("/v1/admin/admin-roles/{id}/members", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def admin_audit(self, *, scope: Literal['system', 'account', 'user'] | None = None, action: str | None = None, actor_id: str | None = None, account_id: str | None = None, from_: str | None = None, to: str | None = None, page: int | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionAuditEntry:
        """Lists one page of the audit logs of the deployment.

        `GET /v1/admin/audit`
        """
        result: models.CollectionAuditEntry = await self._transport.json("GET", "/v1/admin/audit", query={"scope": scope, "action": action, "actor_id": actor_id, "account_id": account_id, "from": from_, "to": to, "page": page, "limit": limit, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    async def admin_authorize_bot(self, platform: str, *, body: models.AuthorizeInput) -> models.EnvelopedOauthAuthorization:
        """Begins to connect a bot of the deployment.

        `POST /v1/admin/bot-connections/{platform}/authorize`
        """
        result: models.EnvelopedOauthAuthorization = await self._transport.json("POST", path_of("/v1/admin/bot-connections/{platform}/authorize", platform), body=Body("json", "application/json", body))
        return result

    async def admin_bot_commands(self, *, scope: Literal['global', 'account'] | None = None, search: str | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionBotCommand:
        """Lists the global commands, or the commands of all accounts, by name.

        `GET /v1/admin/bot-commands`
        """
        result: models.CollectionBotCommand = await self._transport.json("GET", "/v1/admin/bot-commands", query={"scope": scope, "search": search, "page": page, "limit": limit})
        return result

    async def admin_bot_connections(self) -> models.ListedBotConnection:
        """Lists the bots of the deployment.

        `GET /v1/admin/bot-connections`
        """
        result: models.ListedBotConnection = await self._transport.json("GET", "/v1/admin/bot-connections")
        return result

    async def admin_bot_control(self, *, platform: str | None = None, search: str | None = None, page: int | None = None, limit: int | None = None, if_none_match: str | None = None) -> models.CollectionBotControlRow:
        """Lists the bots of every account, by account and platform.

        `GET /v1/admin/bot-control`
        """
        result: models.CollectionBotControlRow = await self._transport.json("GET", "/v1/admin/bot-control", query={"platform": platform, "search": search, "page": page, "limit": limit}, header={"If-None-Match": if_none_match})
        return result

    async def admin_copyright_candidates(self, *, status: models.CopyrightCandidateStatus | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionCopyrightCandidate:
        """Lists the candidates, newest first.

        `GET /v1/admin/copyright/candidates`
        """
        result: models.CollectionCopyrightCandidate = await self._transport.json("GET", "/v1/admin/copyright/candidates", query={"status": status, "page": page, "limit": limit})
        return result

    async def admin_coupons(self, *, is_active: bool | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionCoupon:
        """Lists the coupons of the deployment.

        `GET /v1/admin/coupons`
        """
        result: models.CollectionCoupon = await self._transport.json("GET", "/v1/admin/coupons", query={"is_active": is_active, "page": page, "limit": limit})
        return result

    async def admin_crawler_scope(self) -> models.EnvelopedCrawlerScope:
        """Returns the scope of the crawler.

        `GET /v1/admin/crawler/scope`
        """
        result: models.EnvelopedCrawlerScope = await self._transport.json("GET", "/v1/admin/crawler/scope")
        return result

    async def admin_crawler_watchlist(self, *, page: int | None = None, limit: int | None = None) -> models.CollectionCrawlerWatchlistEntry:
        """Lists the channels that are crawled outside of the scope, newest first.

        `GET /v1/admin/crawler/watchlist`
        """
        result: models.CollectionCrawlerWatchlistEntry = await self._transport.json("GET", "/v1/admin/crawler/watchlist", query={"page": page, "limit": limit})
        return result

    async def admin_create_bot_command(self, *, body: models.CreateBotCommandInput, idempotency_key: str | None = None) -> models.EnvelopedBotCommand:
        """Creates a global command, which every account has at once.

        `POST /v1/admin/bot-commands`
        """
        result: models.EnvelopedBotCommand = await self._transport.json("POST", "/v1/admin/bot-commands", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def admin_create_coupon(self, *, body: models.AdminCreateCouponInput, idempotency_key: str | None = None) -> models.EnvelopedCoupon:
        """Creates a coupon.

        `POST /v1/admin/coupons`
        """
        result: models.EnvelopedCoupon = await self._transport.json("POST", "/v1/admin/coupons", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def admin_create_oauth_client(self, *, body: models.AdminCreateOauthClientInput, idempotency_key: str | None = None) -> models.EnvelopedOauthClient:
        """Creates an OAuth client.

        `POST /v1/admin/oauth-clients`
        """
        result: models.EnvelopedOauthClient = await self._transport.json("POST", "/v1/admin/oauth-clients", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def admin_create_plan(self, *, body: models.AdminCreatePlanInput, idempotency_key: str | None = None) -> models.EnvelopedAdminPlan:
        """Creates a plan.

        `POST /v1/admin/plans`
        """
        result: models.EnvelopedAdminPlan = await self._transport.json("POST", "/v1/admin/plans", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def admin_create_role(self, *, body: models.CreateAdminRoleInput, idempotency_key: str | None = None) -> models.EnvelopedAdminRole:
        """Creates a role of operator staff.

        `POST /v1/admin/admin-roles`
        """
        result: models.EnvelopedAdminRole = await self._transport.json("POST", "/v1/admin/admin-roles", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def admin_create_system_key(self, *, body: models.AdminCreateSystemKeyInput, idempotency_key: str | None = None) -> models.EnvelopedCreatedSystemKeyKeyLinks:
        """Creates a system key.

        `POST /v1/admin/system-keys`
        """
        result: models.EnvelopedCreatedSystemKeyKeyLinks = await self._transport.json("POST", "/v1/admin/system-keys", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def admin_csp_reports(self, *, directive: str | None = None, page: int | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionCspReport:
        """Lists the reports of browsers, newest first.

        `GET /v1/admin/csp-reports`
        """
        result: models.CollectionCspReport = await self._transport.json("GET", "/v1/admin/csp-reports", query={"directive": directive, "page": page, "limit": limit, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    async def admin_deactivate_coupon(self, id: str) -> None:
        """Deactivates a coupon.

        `DELETE /v1/admin/coupons/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/admin/coupons/{id}", id))

    async def admin_delete_account(self, id: str) -> None:
        """Deletes an account with everything in it.

        `DELETE /v1/admin/accounts/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/admin/accounts/{id}", id))

    async def admin_delete_bot_command(self, id: str) -> None:
        """Deletes a global command with the overrides of accounts.

        `DELETE /v1/admin/bot-commands/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/admin/bot-commands/{id}", id))

    async def admin_delete_discord_guild(self, id: str) -> None:
        """Unlinks a Discord server from its account.

        `DELETE /v1/admin/discord-guilds/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/admin/discord-guilds/{id}", id))

    async def admin_delete_oauth_client(self, id: str) -> None:
        """Deletes an OAuth client, whose hosts are no longer allowed as return addresses.

        `DELETE /v1/admin/oauth-clients/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/admin/oauth-clients/{id}", id))

    async def admin_delete_plan(self, id: str) -> None:
        """Deletes a plan that no account is on.

        `DELETE /v1/admin/plans/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/admin/plans/{id}", id))

    async def admin_delete_role(self, id: str) -> None:
        """Deletes a role of operator staff with its permissions and assignments.

        `DELETE /v1/admin/admin-roles/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/admin/admin-roles/{id}", id))

    async def admin_delete_se_token(self, id: str) -> None:
        """Deletes a token of an account. Tips of its channel are no longer received.

        `DELETE /v1/admin/se-tokens/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/admin/se-tokens/{id}", id))

    async def admin_delete_system_connection(self, platform: str, *, kind: models.SystemConnectionKind | None = None) -> None:
        """Deletes the applications of the deployment on a platform, of one kind or of every kind.

        `DELETE /v1/admin/system-connections/{platform}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/admin/system-connections/{platform}", platform), query={"kind": kind})

    async def admin_delete_system_key(self, id: str) -> None:
        """Revokes a system key.

        `DELETE /v1/admin/system-keys/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/admin/system-keys/{id}", id))

    async def admin_delete_user(self, id: str) -> None:
        """Deletes a person with the accounts that the person owns.

        `DELETE /v1/admin/users/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/admin/users/{id}", id))

    async def admin_developer_application(self, id: str) -> models.EnvelopedDeveloperApplication:
        """Returns an application of a person to become a developer.

        `GET /v1/admin/developer-applications/{id}`
        """
        result: models.EnvelopedDeveloperApplication = await self._transport.json("GET", path_of("/v1/admin/developer-applications/{id}", id))
        return result

    async def admin_developer_applications(self, *, status: models.DeveloperApplicationStatus | None = None, page: int | None = None, limit: int | None = None) -> models.EnvelopedDeveloperApplicationList:
        """Lists the applications of people to become developers, newest first.

        `GET /v1/admin/developer-applications`
        """
        result: models.EnvelopedDeveloperApplicationList = await self._transport.json("GET", "/v1/admin/developer-applications", query={"status": status, "page": page, "limit": limit})
        return result

    async def admin_developer_limit_requests(self, id: str, *, status: models.LimitRequestStatus | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionLimitRequest:
        """Lists the requests of one developer for higher limits, newest first.

        `GET /v1/admin/developers/{id}/limit-requests`
        """
        result: models.CollectionLimitRequest = await self._transport.json("GET", path_of("/v1/admin/developers/{id}/limit-requests", id), query={"status": status, "page": page, "limit": limit})
        return result

    async def admin_developer_verification(self, id: str) -> models.EnvelopedAdminDeveloperVerification:
        """Returns the verification of a developer with the data that was submitted.

        `GET /v1/admin/developer-verifications/{id}`
        """
        result: models.EnvelopedAdminDeveloperVerification = await self._transport.json("GET", path_of("/v1/admin/developer-verifications/{id}", id))
        return result

    async def admin_developer_verifications(self, *, status: models.DeveloperVerificationStatus | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionDeveloperVerificationItem:
        """Lists the verifications of developers, newest first, without the data that was submitted.

        `GET /v1/admin/developer-verifications`
        """
        result: models.CollectionDeveloperVerificationItem = await self._transport.json("GET", "/v1/admin/developer-verifications", query={"status": status, "page": page, "limit": limit})
        return result

    async def admin_disconnect_account_bot(self, id: str, platform: str) -> None:
        """Disconnects an account's own bot on a platform.

        `DELETE /v1/admin/accounts/{id}/bot-connections/{platform}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/admin/accounts/{id}/bot-connections/{platform}", id, platform))

    async def admin_disconnect_account_channel(self, id: str, platform: str) -> None:
        """Disconnects an account from its channel on a platform.

        `DELETE /v1/admin/accounts/{id}/channel-connections/{platform}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/admin/accounts/{id}/channel-connections/{platform}", id, platform))

    async def admin_disconnect_bot(self, platform: str) -> None:
        """Disconnects a bot of the deployment.

        `DELETE /v1/admin/bot-connections/{platform}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/admin/bot-connections/{platform}", platform))

    async def admin_disconnect_user_login(self, id: str, cid: str) -> None:
        """Removes a login connection of a person.

        `DELETE /v1/admin/users/{id}/login-connections/{cid}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/admin/users/{id}/login-connections/{cid}", id, cid))

    async def admin_discord_guilds(self, *, page: int | None = None, limit: int | None = None) -> models.CollectionLinkedDiscordGuild:
        """Lists the Discord servers of every account, newest first.

        `GET /v1/admin/discord-guilds`
        """
        result: models.CollectionLinkedDiscordGuild = await self._transport.json("GET", "/v1/admin/discord-guilds", query={"page": page, "limit": limit})
        return result

    async def admin_dismiss_copyright_candidate(self, id: str, *, idempotency_key: str | None = None) -> models.EnvelopedCopyrightCandidate:
        """Dismisses a candidate. It does not become one again by the same vote.

        `POST /v1/admin/copyright/candidates/{id}/dismiss`
        """
        result: models.EnvelopedCopyrightCandidate = await self._transport.json("POST", path_of("/v1/admin/copyright/candidates/{id}/dismiss", id), header={"Idempotency-Key": idempotency_key})
        return result

    async def admin_extension_version(self, id: str) -> models.EnvelopedReviewVersionDetail:
        """Returns a version with its manifest and files.

        `GET /v1/admin/extension-versions/{id}`
        """
        result: models.EnvelopedReviewVersionDetail = await self._transport.json("GET", path_of("/v1/admin/extension-versions/{id}", id))
        return result

    async def admin_extension_versions(self, *, status: models.ExtensionVersionStatus | None = None, awaits_listing: bool | None = None, page: int | None = None, limit: int | None = None, if_none_match: str | None = None) -> models.CollectionReviewVersion:
        """Lists versions of all developers, the longest waiting first.

        `GET /v1/admin/extension-versions`
        """
        result: models.CollectionReviewVersion = await self._transport.json("GET", "/v1/admin/extension-versions", query={"status": status, "awaits_listing": awaits_listing, "page": page, "limit": limit}, header={"If-None-Match": if_none_match})
        return result

    async def admin_feature_flags(self, *, category: models.FeatureCategory | None = None, search: str | None = None) -> models.ListedFeatureFlag:
        """Lists the feature flags of the deployment.

        `GET /v1/admin/feature-flags`
        """
        result: models.ListedFeatureFlag = await self._transport.json("GET", "/v1/admin/feature-flags", query={"category": category, "search": search})
        return result

    async def admin_limit_request(self, id: str) -> models.EnvelopedLimitRequest:
        """Returns a request for a higher limit.

        `GET /v1/admin/limit-requests/{id}`
        """
        result: models.EnvelopedLimitRequest = await self._transport.json("GET", path_of("/v1/admin/limit-requests/{id}", id))
        return result

    async def admin_limit_request_events(self, id: str) -> models.ListedLimitRequestEvent:
        """Lists the timeline of a request, oldest first.

        `GET /v1/admin/limit-requests/{id}/events`
        """
        result: models.ListedLimitRequestEvent = await self._transport.json("GET", path_of("/v1/admin/limit-requests/{id}/events", id))
        return result

    async def admin_limit_requests(self, *, status: models.LimitRequestStatus | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionLimitRequest:
        """Lists the requests of all developers for higher limits, newest first.

        `GET /v1/admin/limit-requests`
        """
        result: models.CollectionLimitRequest = await self._transport.json("GET", "/v1/admin/limit-requests", query={"status": status, "page": page, "limit": limit})
        return result

    async def admin_oauth_clients(self) -> models.ListedOauthClient:
        """Lists the OAuth clients by name.

        `GET /v1/admin/oauth-clients`
        """
        result: models.ListedOauthClient = await self._transport.json("GET", "/v1/admin/oauth-clients")
        return result

    async def admin_pause_bot(self, account_id: str, platform: str, *, idempotency_key: str | None = None) -> models.EnvelopedBotControlRow:
        """Pauses the bot in an account's channel until it is resumed.

        `POST /v1/admin/bot-control/{account_id}/{platform}/pause`
        """
        result: models.EnvelopedBotControlRow = await self._transport.json("POST", path_of("/v1/admin/bot-control/{account_id}/{platform}/pause", account_id, platform), header={"Idempotency-Key": idempotency_key})
        return result

    async def admin_payouts(self, *, status: models.PayoutStatus | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionAdminPayout:
        """Lists the payouts to developers.

        `GET /v1/admin/payouts`
        """
        result: models.CollectionAdminPayout = await self._transport.json("GET", "/v1/admin/payouts", query={"status": status, "page": page, "limit": limit})
        return result

    async def admin_plan(self, id: str) -> models.EnvelopedAdminPlan:
        """Returns a plan, as staff manages it.

        `GET /v1/admin/plans/{id}`
        """
        result: models.EnvelopedAdminPlan = await self._transport.json("GET", path_of("/v1/admin/plans/{id}", id))
        return result

    async def admin_plan_features(self, id: str) -> models.ListedAdminPlanFeature:
        """Lists the features of a plan.

        `GET /v1/admin/plans/{id}/features`
        """
        result: models.ListedAdminPlanFeature = await self._transport.json("GET", path_of("/v1/admin/plans/{id}/features", id))
        return result

    async def admin_plans(self) -> models.ListedAdminPlan:
        """Lists all plans, including those that are not public.

        `GET /v1/admin/plans`
        """
        result: models.ListedAdminPlan = await self._transport.json("GET", "/v1/admin/plans")
        return result

    async def admin_platforms(self) -> models.ListedAdminPlatform:
        """Lists the platforms with their switches.

        `GET /v1/admin/platforms`
        """
        result: models.ListedAdminPlatform = await self._transport.json("GET", "/v1/admin/platforms")
        return result

    async def admin_providers(self) -> models.ListedAdminProvider:
        """Lists the providers with switches, applications and counts of connections.

        `GET /v1/admin/providers`
        """
        result: models.ListedAdminProvider = await self._transport.json("GET", "/v1/admin/providers")
        return result

    async def admin_publish_extension_version(self, id: str, *, idempotency_key: str | None = None) -> models.EnvelopedReviewVersion:
        """Publishes a version.

        `POST /v1/admin/extension-versions/{id}/publish`
        """
        result: models.EnvelopedReviewVersion = await self._transport.json("POST", path_of("/v1/admin/extension-versions/{id}/publish", id), header={"Idempotency-Key": idempotency_key})
        return result

    async def admin_reject_developer_application(self, id: str, *, body: models.AdminRejectDeveloperApplicationInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperApplicationDecision:
        """Rejects an application.

        `POST /v1/admin/developer-applications/{id}/reject`
        """
        result: models.EnvelopedDeveloperApplicationDecision = await self._transport.json("POST", path_of("/v1/admin/developer-applications/{id}/reject", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def admin_reject_developer_verification(self, id: str, *, body: models.AdminRejectDeveloperVerificationInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperVerificationDecision:
        """Rejects a verification.

        `POST /v1/admin/developer-verifications/{id}/reject`
        """
        result: models.EnvelopedDeveloperVerificationDecision = await self._transport.json("POST", path_of("/v1/admin/developer-verifications/{id}/reject", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def admin_reject_extension_version(self, id: str, *, body: models.RejectExtensionVersionInput, idempotency_key: str | None = None) -> models.EnvelopedReviewVersion:
        """Rejects a version.

        `POST /v1/admin/extension-versions/{id}/reject`
        """
        result: models.EnvelopedReviewVersion = await self._transport.json("POST", path_of("/v1/admin/extension-versions/{id}/reject", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def admin_remove_account_feature_override(self, id: str, feature_id: str) -> None:
        """Removes the override of a feature flag for an account.

        `DELETE /v1/admin/accounts/{id}/feature-overrides/{feature_id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/admin/accounts/{id}/feature-overrides/{feature_id}", id, feature_id))

    async def admin_remove_account_permission_override(self, id: str, permission: str) -> None:
        """Removes a permission override of an account, so that the roles decide again.

        `DELETE /v1/admin/accounts/{id}/permission-overrides/{permission}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/admin/accounts/{id}/permission-overrides/{permission}", id, permission))

    async def admin_remove_crawler_watchlist_entry(self, id: str) -> None:
        """Removes a channel from those that are crawled outside of the scope.

        `DELETE /v1/admin/crawler/watchlist/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/admin/crawler/watchlist/{id}", id))

    async def admin_remove_user_membership(self, id: str, membership_id: str) -> None:
        """Ends a person's membership of an account, with everything that the person has through it.

        `DELETE /v1/admin/users/{id}/memberships/{membership_id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/admin/users/{id}/memberships/{membership_id}", id, membership_id))

    async def admin_resume_bot(self, account_id: str, platform: str, *, idempotency_key: str | None = None) -> models.EnvelopedBotControlRow:
        """Ends the pause of the bot in an account's channel.

        `POST /v1/admin/bot-control/{account_id}/{platform}/resume`
        """
        result: models.EnvelopedBotControlRow = await self._transport.json("POST", path_of("/v1/admin/bot-control/{account_id}/{platform}/resume", account_id, platform), header={"Idempotency-Key": idempotency_key})
        return result

    async def admin_review_limit_request(self, id: str, *, body: models.AdminReviewLimitRequestInput) -> models.EnvelopedLimitRequest:
        """Approves or rejects a request for a higher limit, or marks it as in review.

        `PUT /v1/admin/limit-requests/{id}`
        """
        result: models.EnvelopedLimitRequest = await self._transport.json("PUT", path_of("/v1/admin/limit-requests/{id}", id), body=Body("json", "application/json", body))
        return result

    async def admin_revoke_extension_version(self, id: str, *, body: models.RevokeExtensionVersionInput, idempotency_key: str | None = None) -> models.EnvelopedReviewVersion:
        """Revokes a version for good.

        `POST /v1/admin/extension-versions/{id}/revoke`
        """
        result: models.EnvelopedReviewVersion = await self._transport.json("POST", path_of("/v1/admin/extension-versions/{id}/revoke", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def admin_role(self, id: str) -> models.EnvelopedAdminRole:
        """Returns a role of operator staff.

        `GET /v1/admin/admin-roles/{id}`
        """
        result: models.EnvelopedAdminRole = await self._transport.json("GET", path_of("/v1/admin/admin-roles/{id}", id))
        return result

    async def admin_role_members(self, id: str) -> models.ListedAdminRoleMember:
        """Lists the people who hold a role of operator staff, the latest 1000.

        `GET /v1/admin/admin-roles/{id}/members`
        """
        result: models.ListedAdminRoleMember = await self._transport.json("GET", path_of("/v1/admin/admin-roles/{id}/members", id))
        return result

    async def admin_roles(self) -> models.ListedAdminRole:
        """Lists the roles of operator staff: the seeded ones first, then by name.

        `GET /v1/admin/admin-roles`
        """
        result: models.ListedAdminRole = await self._transport.json("GET", "/v1/admin/admin-roles")
        return result

    async def admin_se_tokens(self, *, page: int | None = None, limit: int | None = None) -> models.CollectionAdminSeToken:
        """Lists the tokens of StreamElements of all accounts, newest first.

        `GET /v1/admin/se-tokens`
        """
        result: models.CollectionAdminSeToken = await self._transport.json("GET", "/v1/admin/se-tokens", query={"page": page, "limit": limit})
        return result

    async def admin_set_account_feature_override(self, id: str, *, body: models.AdminSetAccountFeatureOverrideInput) -> models.EnvelopedAccountFeatureOverride:
        """Sets the override of a feature flag for an account.

        `PUT /v1/admin/accounts/{id}/feature-overrides`
        """
        result: models.EnvelopedAccountFeatureOverride = await self._transport.json("PUT", path_of("/v1/admin/accounts/{id}/feature-overrides", id), body=Body("json", "application/json", body))
        return result

    async def admin_set_account_permission_override(self, id: str, *, body: models.SetPermissionOverrideInput) -> models.EnvelopedAccountPermissionOverride:
        """Grants or denies an account permission to everybody in an account, whatever their roles hold.

        `PUT /v1/admin/accounts/{id}/permission-overrides`
        """
        result: models.EnvelopedAccountPermissionOverride = await self._transport.json("PUT", path_of("/v1/admin/accounts/{id}/permission-overrides", id), body=Body("json", "application/json", body))
        return result

    async def admin_set_discord_bot_token(self, *, body: models.SetDiscordBotTokenInput) -> models.EnvelopedBotConnection:
        """Sets the token of the deployment's bot in Discord.

        `PUT /v1/admin/bot-connections/discord/token`
        """
        result: models.EnvelopedBotConnection = await self._transport.json("PUT", "/v1/admin/bot-connections/discord/token", body=Body("json", "application/json", body))
        return result

    async def admin_set_plan_feature(self, id: str, *, body: models.AdminSetPlanFeatureInput) -> models.ListedAdminPlanFeature:
        """Sets features of a plan and returns all of them.

        `PUT /v1/admin/plans/{id}/features`
        """
        result: models.ListedAdminPlanFeature = await self._transport.json("PUT", path_of("/v1/admin/plans/{id}/features", id), body=Body("json", "application/json", body))
        return result

    async def admin_subscriptions(self, *, status: models.SubscriptionStatus | None = None, plan_id: str | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionAdminSubscription:
        """Lists the subscriptions of all accounts.

        `GET /v1/admin/subscriptions`
        """
        result: models.CollectionAdminSubscription = await self._transport.json("GET", "/v1/admin/subscriptions", query={"status": status, "plan_id": plan_id, "page": page, "limit": limit})
        return result

    async def admin_support_ticket(self, id: str) -> models.EnvelopedSupportTicket:
        """Returns a support ticket.

        `GET /v1/admin/support/tickets/{id}`
        """
        result: models.EnvelopedSupportTicket = await self._transport.json("GET", path_of("/v1/admin/support/tickets/{id}", id))
        return result

    async def admin_support_tickets(self, *, status: models.SupportTicketStatus | None = None, page: int | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionSupportTicket:
        """Lists the support tickets of all people, newest first.

        `GET /v1/admin/support/tickets`
        """
        result: models.CollectionSupportTicket = await self._transport.json("GET", "/v1/admin/support/tickets", query={"status": status, "page": page, "limit": limit, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    async def admin_suspend_extension(self, id: str, *, body: models.SuspendExtensionInput, idempotency_key: str | None = None) -> models.EnvelopedReviewedExtension:
        """Suspends an extension.

        `POST /v1/admin/extensions/{id}/suspend`
        """
        result: models.EnvelopedReviewedExtension = await self._transport.json("POST", path_of("/v1/admin/extensions/{id}/suspend", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def admin_system_connections(self) -> models.ListedSystemConnection:
        """Lists the applications of the deployment: a row for each platform and kind, whether there is one or not.

        `GET /v1/admin/system-connections`
        """
        result: models.ListedSystemConnection = await self._transport.json("GET", "/v1/admin/system-connections")
        return result

    async def admin_system_keys(self) -> models.ListedAdminSystemKey:
        """Lists the system keys of the deployment.

        `GET /v1/admin/system-keys`
        """
        result: models.ListedAdminSystemKey = await self._transport.json("GET", "/v1/admin/system-keys")
        return result

    async def admin_unassign_user_role(self, id: str, user_id: str) -> models.AdminRoleUnassigned:
        """Removes a role of operator staff from a person.

        `DELETE /v1/admin/admin-roles/{id}/members/{user_id}`
        """
        result: models.AdminRoleUnassigned = await self._transport.json("DELETE", path_of("/v1/admin/admin-roles/{id}/members/{user_id}", id, user_id))
        return result

    async def admin_unsuspend_extension(self, id: str, *, idempotency_key: str | None = None) -> models.EnvelopedReviewedExtension:
        """Lifts the suspension of an extension.

        `POST /v1/admin/extensions/{id}/unsuspend`
        """
        result: models.EnvelopedReviewedExtension = await self._transport.json("POST", path_of("/v1/admin/extensions/{id}/unsuspend", id), header={"Idempotency-Key": idempotency_key})
        return result

    async def admin_update_account(self, id: str, *, body: models.AdminUpdateAccountInput) -> models.EnvelopedAdminAccount:
        """Changes the name or the description of an account.

        `PATCH /v1/admin/accounts/{id}`
        """
        result: models.EnvelopedAdminAccount = await self._transport.json("PATCH", path_of("/v1/admin/accounts/{id}", id), body=Body("json", "application/json", body))
        return result

    async def admin_update_account_plan(self, id: str, *, body: models.AdminUpdateAccountPlanInput) -> models.EnvelopedAdminAccount:
        """Assigns a plan to an account, whatever the plan costs.

        `PUT /v1/admin/accounts/{id}/plan`
        """
        result: models.EnvelopedAdminAccount = await self._transport.json("PUT", path_of("/v1/admin/accounts/{id}/plan", id), body=Body("json", "application/json", body))
        return result

    async def admin_update_bot_command(self, id: str, *, body: models.UpdateBotCommandInput) -> models.EnvelopedBotCommand:
        """Changes a global command in every account.

        `PATCH /v1/admin/bot-commands/{id}`
        """
        result: models.EnvelopedBotCommand = await self._transport.json("PATCH", path_of("/v1/admin/bot-commands/{id}", id), body=Body("json", "application/json", body))
        return result

    async def admin_update_coupon(self, id: str, *, body: models.AdminUpdateCouponInput) -> models.EnvelopedCoupon:
        """Updates the maximum number of redemptions, the expiry and the activation of a coupon.

        `PATCH /v1/admin/coupons/{id}`
        """
        result: models.EnvelopedCoupon = await self._transport.json("PATCH", path_of("/v1/admin/coupons/{id}", id), body=Body("json", "application/json", body))
        return result

    async def admin_update_crawler_scope(self, *, body: models.AdminUpdateCrawlerScopeInput) -> models.EnvelopedCrawlerScope:
        """Replaces the scope of the crawler.

        `PUT /v1/admin/crawler/scope`
        """
        result: models.EnvelopedCrawlerScope = await self._transport.json("PUT", "/v1/admin/crawler/scope", body=Body("json", "application/json", body))
        return result

    async def admin_update_extension_limits(self, id: str, *, body: models.AdminUpdateExtensionLimitsInput) -> models.EnvelopedSuccess:
        """Sets the overrides of an extension for its sounds.

        `PATCH /v1/admin/extensions/{id}/limits`
        """
        result: models.EnvelopedSuccess = await self._transport.json("PATCH", path_of("/v1/admin/extensions/{id}/limits", id), body=Body("json", "application/json", body))
        return result

    async def admin_update_feature_flag(self, id: str, *, body: models.AdminUpdateFeatureFlagInput) -> models.EnvelopedFeatureFlag:
        """Updates a feature flag.

        `PATCH /v1/admin/feature-flags/{id}`
        """
        result: models.EnvelopedFeatureFlag = await self._transport.json("PATCH", path_of("/v1/admin/feature-flags/{id}", id), body=Body("json", "application/json", body))
        return result

    async def admin_update_oauth_client(self, id: str, *, body: models.AdminUpdateOauthClientInput) -> models.EnvelopedOauthClient:
        """Changes an OAuth client.

        `PATCH /v1/admin/oauth-clients/{id}`
        """
        result: models.EnvelopedOauthClient = await self._transport.json("PATCH", path_of("/v1/admin/oauth-clients/{id}", id), body=Body("json", "application/json", body))
        return result

    async def admin_update_payout(self, id: str, *, body: models.AdminUpdatePayoutInput) -> models.EnvelopedAdminPayout:
        """Changes the status of a payout.

        `PATCH /v1/admin/payouts/{id}`
        """
        result: models.EnvelopedAdminPayout = await self._transport.json("PATCH", path_of("/v1/admin/payouts/{id}", id), body=Body("json", "application/json", body))
        return result

    async def admin_update_plan(self, id: str, *, body: models.AdminUpdatePlanInput) -> models.EnvelopedAdminPlan:
        """Replaces the whole editable state of a plan.

        `PATCH /v1/admin/plans/{id}`
        """
        result: models.EnvelopedAdminPlan = await self._transport.json("PATCH", path_of("/v1/admin/plans/{id}", id), body=Body("json", "application/json", body))
        return result

    async def admin_update_platform(self, platform: str, *, body: models.PlatformSwitchesInput) -> models.EnvelopedAdminPlatform:
        """Sets switches of a platform.

        `PATCH /v1/admin/platforms/{platform}`
        """
        result: models.EnvelopedAdminPlatform = await self._transport.json("PATCH", path_of("/v1/admin/platforms/{platform}", platform), body=Body("json", "application/json", body))
        return result

    async def admin_update_provider(self, platform: str, *, body: models.PlatformSwitchesInput) -> models.EnvelopedAdminProvider:
        """Sets switches of a provider.

        `PATCH /v1/admin/providers/{platform}`
        """
        result: models.EnvelopedAdminProvider = await self._transport.json("PATCH", path_of("/v1/admin/providers/{platform}", platform), body=Body("json", "application/json", body))
        return result

    async def admin_update_role(self, id: str, *, body: models.UpdateAdminRoleInput) -> models.EnvelopedAdminRole:
        """Changes a role of operator staff.

        `PATCH /v1/admin/admin-roles/{id}`
        """
        result: models.EnvelopedAdminRole = await self._transport.json("PATCH", path_of("/v1/admin/admin-roles/{id}", id), body=Body("json", "application/json", body))
        return result

    async def admin_update_support_ticket(self, id: str, *, body: models.UpdateSupportTicketInput) -> models.EnvelopedSupportTicket:
        """Changes the status of a support ticket.

        `PATCH /v1/admin/support/tickets/{id}`
        """
        result: models.EnvelopedSupportTicket = await self._transport.json("PATCH", path_of("/v1/admin/support/tickets/{id}", id), body=Body("json", "application/json", body))
        return result

    async def admin_update_user(self, id: str, *, body: models.AdminUpdateUserInput) -> models.EnvelopedAdminUser:
        """Changes the display name, the e-mail address or the account overrides of a person.

        `PATCH /v1/admin/users/{id}`
        """
        result: models.EnvelopedAdminUser = await self._transport.json("PATCH", path_of("/v1/admin/users/{id}", id), body=Body("json", "application/json", body))
        return result

    async def admin_upsert_account_limits(self, id: str, *, body: models.AdminUpsertAccountLimitsInput) -> models.EnvelopedAccountLimits:
        """Sets the limits of an account that have priority over its plan.

        `PUT /v1/admin/accounts/{id}/limits`
        """
        result: models.EnvelopedAccountLimits = await self._transport.json("PUT", path_of("/v1/admin/accounts/{id}/limits", id), body=Body("json", "application/json", body))
        return result

    async def admin_upsert_system_connection(self, platform: str, *, body: models.UpsertSystemConnectionInput) -> models.EnvelopedSystemConnection:
        """Saves an application of the deployment for a platform and kind.

        `PUT /v1/admin/system-connections/{platform}`
        """
        result: models.EnvelopedSystemConnection = await self._transport.json("PUT", path_of("/v1/admin/system-connections/{platform}", platform), body=Body("json", "application/json", body))
        return result

    async def admin_user(self, id: str) -> models.EnvelopedAdminUser:
        """Returns a person with memberships and login connections.

        `GET /v1/admin/users/{id}`
        """
        result: models.EnvelopedAdminUser = await self._transport.json("GET", path_of("/v1/admin/users/{id}", id))
        return result

    async def admin_users(self, *, search: str | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionAdminUserSummary:
        """Lists people, newest first.

        `GET /v1/admin/users`
        """
        result: models.CollectionAdminUserSummary = await self._transport.json("GET", "/v1/admin/users", query={"search": search, "page": page, "limit": limit})
        return result

    async def all_admin_permissions(self) -> models.ListedAdminPermissionInfo:
        """Lists the permissions that a role of operator staff may hold, in the order of the catalogue.

        `GET /v1/admin/admin-permissions`
        """
        result: models.ListedAdminPermissionInfo = await self._transport.json("GET", "/v1/admin/admin-permissions")
        return result

    async def api_key_assignable_permissions(self, *, kind: Literal['personal', 'service']) -> models.ListedApiKeyPermission:
        """Lists the scopes that keys of a kind may carry.

        `GET /v1/api-keys/permissions`
        """
        result: models.ListedApiKeyPermission = await self._transport.json("GET", "/v1/api-keys/permissions", query={"kind": kind})
        return result

    async def app_credentials(self) -> models.ListedAppCredentials:
        """Lists the account's own applications.

        `GET /v1/connections/app-credentials`
        """
        result: models.ListedAppCredentials = await self._transport.json("GET", "/v1/connections/app-credentials")
        return result

    async def assign_login_connection(self, *, body: models.AssignLoginConnectionInput, idempotency_key: str | None = None) -> models.EnvelopedLoginAssignment:
        """Assigns a login connection to a member of the account.

        `POST /v1/accounts/login-assignments`
        """
        result: models.EnvelopedLoginAssignment = await self._transport.json("POST", "/v1/accounts/login-assignments", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def assign_user_role(self, user_id: str, *, body: models.AssignUserRoleInput, idempotency_key: str | None = None) -> models.EnvelopedUserRoleAssignment:
        """Assigns a platform-wide role to a person.

        `POST /v1/users/{user_id}/roles`
        """
        result: models.EnvelopedUserRoleAssignment = await self._transport.json("POST", path_of("/v1/users/{user_id}/roles", user_id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def audit_log(self, *, action: str | None = None, actor_id: str | None = None, resource_type: str | None = None, from_: str | None = None, to: str | None = None, page: int | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionAuditEntry:
        """Lists one page of the account's audit log.

        `GET /v1/audit-log`
        """
        result: models.CollectionAuditEntry = await self._transport.json("GET", "/v1/audit-log", query={"action": action, "actor_id": actor_id, "resource_type": resource_type, "from": from_, "to": to, "page": page, "limit": limit, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    async def authorize_bot(self, platform: str, *, body: models.AuthorizeInput) -> models.EnvelopedOauthAuthorization:
        """Begins to connect the account's own bot.

        `POST /v1/bot-connections/{platform}`
        """
        result: models.EnvelopedOauthAuthorization = await self._transport.json("POST", path_of("/v1/bot-connections/{platform}", platform), body=Body("json", "application/json", body))
        return result

    async def authorize_channel(self, platform: str, *, body: models.AuthorizeInput) -> models.EnvelopedOauthAuthorization:
        """Begins to connect a channel.

        `POST /v1/connections/channel/{platform}/authorize`
        """
        result: models.EnvelopedOauthAuthorization = await self._transport.json("POST", path_of("/v1/connections/channel/{platform}/authorize", platform), body=Body("json", "application/json", body))
        return result

    async def authorize_discord_guild(self, *, body: models.AuthorizeInput) -> models.EnvelopedOauthAuthorization:
        """Begins to add the deployment's bot to a Discord server.

        `POST /v1/bot-connections/discord/guilds/authorize`
        """
        result: models.EnvelopedOauthAuthorization = await self._transport.json("POST", "/v1/bot-connections/discord/guilds/authorize", body=Body("json", "application/json", body))
        return result

    async def authorize_login(self, *, body: models.AuthorizeLoginInput) -> models.EnvelopedExchangedToken:
        """Signs a known person in with an access token of a provider, in an account of their choice.

        `POST /v1/auth/authorize`
        """
        result: models.EnvelopedExchangedToken = await self._transport.json("POST", "/v1/auth/authorize", body=Body("json", "application/json", body))
        return result

    async def automation(self, id: str, *, if_none_match: str | None = None) -> models.EnvelopedAutomation:
        """Returns one of the account's automations with its graph.

        `GET /v1/automations/{id}`
        """
        result: models.EnvelopedAutomation = await self._transport.json("GET", path_of("/v1/automations/{id}", id), header={"If-None-Match": if_none_match})
        return result

    async def automation_node_types(self) -> models.ListedAutomationNodeTypeEntry:
        """Lists the node types that graphs of the account may use.

        `GET /v1/automation/node-types`
        """
        result: models.ListedAutomationNodeTypeEntry = await self._transport.json("GET", "/v1/automation/node-types")
        return result

    async def automation_run(self, run_id: str, *, if_none_match: str | None = None) -> models.EnvelopedAutomationRun:
        """Returns a run of an automation of the account, with its steps.

        `GET /v1/automation/runs/{run_id}`
        """
        result: models.EnvelopedAutomationRun = await self._transport.json("GET", path_of("/v1/automation/runs/{run_id}", run_id), header={"If-None-Match": if_none_match})
        return result

    async def automation_runs(self, id: str, *, status: models.AutomationRunStatus | None = None, page: int | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionAutomationRunSummary:
        """Lists the runs of an automation without their steps, newest first.

        `GET /v1/automations/{id}/runs`
        """
        result: models.CollectionAutomationRunSummary = await self._transport.json("GET", path_of("/v1/automations/{id}/runs", id), query={"status": status, "page": page, "limit": limit, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    async def automation_webhook_url(self, extension_id_or_install_id: str, install_id_or_automation_id: str) -> models.EnvelopedAutomationWebhook:
        """Returns address and secret of a trigger node's webhook.

        `GET /v1/automation/webhooks/{extension_id_or_install_id}/{install_id_or_automation_id}`
        """
        result: models.EnvelopedAutomationWebhook = await self._transport.json("GET", path_of("/v1/automation/webhooks/{extension_id_or_install_id}/{install_id_or_automation_id}", extension_id_or_install_id, install_id_or_automation_id))
        return result

    async def automations(self, *, if_none_match: str | None = None) -> models.ListedAutomationSummary:
        """Lists the account's automations without their graphs, oldest first.

        `GET /v1/automations`
        """
        result: models.ListedAutomationSummary = await self._transport.json("GET", "/v1/automations", header={"If-None-Match": if_none_match})
        return result

    async def billing_status(self, *, if_none_match: str | None = None) -> models.EnvelopedBillingStatus:
        """Returns the plan, limits and subscription of the account.

        `GET /v1/billing/status`
        """
        result: models.EnvelopedBillingStatus = await self._transport.json("GET", "/v1/billing/status", header={"If-None-Match": if_none_match})
        return result

    async def blocked_songs(self, *, search: str | None = None, page: int | None = None, limit: int | None = None, if_none_match: str | None = None) -> models.CollectionListedSong:
        """Lists the songs that the account does not play, newest first.

        `GET /v1/copyright/blocked-songs`
        """
        result: models.CollectionListedSong = await self._transport.json("GET", "/v1/copyright/blocked-songs", query={"search": search, "page": page, "limit": limit}, header={"If-None-Match": if_none_match})
        return result

    async def bot_channels(self, *, platform: str, after: str | None = None, limit: int | None = None) -> models.ListedBotChannel:
        """Lists the channels of a platform in which a bot is active, by account.

        `GET /v1/internal/bot-channels`
        """
        result: models.ListedBotChannel = await self._transport.json("GET", "/v1/internal/bot-channels", query={"platform": platform, "after": after, "limit": limit})
        return result

    async def bot_command(self, id: str) -> models.EnvelopedBotCommand:
        """Returns one of the account's own commands.

        `GET /v1/bot-commands/{id}`
        """
        result: models.EnvelopedBotCommand = await self._transport.json("GET", path_of("/v1/bot-commands/{id}", id))
        return result

    async def bot_commands(self, *, if_none_match: str | None = None) -> models.ListedBotCommand:
        """Lists the account's own commands by name.

        `GET /v1/bot-commands`
        """
        result: models.ListedBotCommand = await self._transport.json("GET", "/v1/bot-commands", header={"If-None-Match": if_none_match})
        return result

    async def bot_connections(self) -> models.ListedBotConnection:
        """Lists the bots that write for the caller's account, one for each platform.

        `GET /v1/bot-connections`
        """
        result: models.ListedBotConnection = await self._transport.json("GET", "/v1/bot-connections")
        return result

    async def bot_module(self, name: str) -> models.EnvelopedBotModule:
        """Returns a built-in module.

        `GET /v1/bot-modules/{name}`
        """
        result: models.EnvelopedBotModule = await self._transport.json("GET", path_of("/v1/bot-modules/{name}", name))
        return result

    async def bot_modules(self, *, if_none_match: str | None = None) -> models.ListedBotModule:
        """Lists the bot modules of the account.

        `GET /v1/bot-modules`
        """
        result: models.ListedBotModule = await self._transport.json("GET", "/v1/bot-modules", header={"If-None-Match": if_none_match})
        return result

    async def bot_status(self, *, if_none_match: str | None = None) -> models.ListedBotStatus:
        """Lists the state of the bot in each connected channel.

        `GET /v1/bot-status`
        """
        result: models.ListedBotStatus = await self._transport.json("GET", "/v1/bot-status", header={"If-None-Match": if_none_match})
        return result

    async def call_extension_function(self, install_id: str, function: str, *, body: models.CallExtensionFunctionInput, idempotency_key: str | None = None) -> models.EnvelopedJson:
        """Calls a server function of an install and returns its result.

        `POST /v1/extension-functions/{install_id}/{function}`
        """
        result: models.EnvelopedJson = await self._transport.json("POST", path_of("/v1/extension-functions/{install_id}/{function}", install_id, function), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def cancel_automation_run(self, run_id: str, *, idempotency_key: str | None = None) -> models.EnvelopedAutomationRun:
        """Cancels a run.

        `POST /v1/automation/runs/{run_id}/cancel`
        """
        result: models.EnvelopedAutomationRun = await self._transport.json("POST", path_of("/v1/automation/runs/{run_id}/cancel", run_id), header={"Idempotency-Key": idempotency_key})
        return result

    async def cancel_raid(self, *, platform: str | None = None) -> None:
        """Cancels a raid that has not departed yet.

        `DELETE /v1/chat/raid`
        """
        await self._transport.nothing("DELETE", "/v1/chat/raid", query={"platform": platform})

    async def cancel_subscription(self, *, idempotency_key: str | None = None) -> models.EnvelopedBillingStatus:
        """Cancels the subscription of the account at the end of the paid period.

        `POST /v1/billing/cancel`
        """
        result: models.EnvelopedBillingStatus = await self._transport.json("POST", "/v1/billing/cancel", header={"Idempotency-Key": idempotency_key})
        return result

    async def change_plan(self, *, body: models.ChangePlanInput) -> models.EnvelopedBillingStatus:
        """Moves the account to another public plan.

        `PUT /v1/billing/plan`
        """
        result: models.EnvelopedBillingStatus = await self._transport.json("PUT", "/v1/billing/plan", body=Body("json", "application/json", body))
        return result

    async def channel_connections(self, *, if_none_match: str | None = None) -> models.ListedChannelConnection:
        """Lists the connected channels of the caller's account.

        `GET /v1/connections/channel`
        """
        result: models.ListedChannelConnection = await self._transport.json("GET", "/v1/connections/channel", header={"If-None-Match": if_none_match})
        return result

    async def channel_emotes(self, platform: str, channel_id: str, *, if_none_match: str | None = None) -> models.EnvelopedEmoteSets:
        """Lists the emotes of a channel, by provider.

        `GET /v1/emotes/{platform}/{channel_id}`
        """
        result: models.EnvelopedEmoteSets = await self._transport.json("GET", path_of("/v1/emotes/{platform}/{channel_id}", platform, channel_id), header={"If-None-Match": if_none_match})
        return result

    async def channel_status(self, *, if_none_match: str | None = None) -> models.ListedChannelStatus:
        """Lists the broadcasts of the account's channels.

        `GET /v1/channel-status`
        """
        result: models.ListedChannelStatus = await self._transport.json("GET", "/v1/channel-status", header={"If-None-Match": if_none_match})
        return result

    async def chat_messages(self, *, platform: str | None = None, user_id: str | None = None, search: str | None = None, from_: str | None = None, to: str | None = None, before: str | None = None, limit: int | None = None, if_none_match: str | None = None) -> models.ListedChatMessage:
        """Lists messages of the account's chats, newest first.

        `GET /v1/chat/messages`
        """
        result: models.ListedChatMessage = await self._transport.json("GET", "/v1/chat/messages", query={"platform": platform, "user_id": user_id, "search": search, "from": from_, "to": to, "before": before, "limit": limit}, header={"If-None-Match": if_none_match})
        return result

    async def check_song(self, *, spotify_track_id: str | None = None, isrc: str | None = None, title: str | None = None, artist: str | None = None) -> models.EnvelopedCopyrightCheck:
        """Returns the copyright status of a song in the account.

        `GET /v1/copyright/check`
        """
        result: models.EnvelopedCopyrightCheck = await self._transport.json("GET", "/v1/copyright/check", query={"spotify_track_id": spotify_track_id, "isrc": isrc, "title": title, "artist": artist})
        return result

    async def configure_extension(self, id: str, *, body: models.ConfigureExtensionInput) -> models.EnvelopedExtensionInstall:
        """Changes the settings of an install, switches it on or off, or pins its version.

        `PATCH /v1/extension-installs/{id}`
        """
        result: models.EnvelopedExtensionInstall = await self._transport.json("PATCH", path_of("/v1/extension-installs/{id}", id), body=Body("json", "application/json", body))
        return result

    async def connection_doctor(self) -> models.ListedConnectionDiagnosis:
        """Tries each connected channel of the account now, and returns findings with remedies.

        `GET /v1/connections/doctor`
        """
        result: models.ListedConnectionDiagnosis = await self._transport.json("GET", "/v1/connections/doctor")
        return result

    async def connection_statuses(self, *, if_none_match: str | None = None) -> models.ListedConnectionStatus:
        """Lists the connection status of every platform that has channels.

        `GET /v1/connections/status`
        """
        result: models.ListedConnectionStatus = await self._transport.json("GET", "/v1/connections/status", header={"If-None-Match": if_none_match})
        return result

    async def copyright_playlist_syncs(self, *, if_none_match: str | None = None) -> models.ListedCopyrightPlaylistSync:
        """Lists the playlists that the account follows, newest first: at most 20.

        `GET /v1/copyright/playlist-syncs`
        """
        result: models.ListedCopyrightPlaylistSync = await self._transport.json("GET", "/v1/copyright/playlist-syncs", header={"If-None-Match": if_none_match})
        return result

    async def create_account(self, *, body: models.CreateAccountInput, idempotency_key: str | None = None) -> models.EnvelopedCreatedAccount:
        """Creates an account that the caller owns.

        `POST /v1/accounts`
        """
        result: models.EnvelopedCreatedAccount = await self._transport.json("POST", "/v1/accounts", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_account_service_key(self, *, body: models.CreateAccountServiceKeyInput, idempotency_key: str | None = None) -> models.EnvelopedCreatedAccountServiceKeyKeyLinks:
        """Creates a service key.

        `POST /v1/service-keys`
        """
        result: models.EnvelopedCreatedAccountServiceKeyKeyLinks = await self._transport.json("POST", "/v1/service-keys", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_automation(self, *, body: models.CreateAutomationInput, idempotency_key: str | None = None) -> models.EnvelopedAutomation:
        """Creates a disabled automation with an empty graph.

        `POST /v1/automations`
        """
        result: models.EnvelopedAutomation = await self._transport.json("POST", "/v1/automations", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_bot_command(self, *, body: models.CreateBotCommandInput, idempotency_key: str | None = None) -> models.EnvelopedBotCommand:
        """Creates a command of the account.

        `POST /v1/bot-commands`
        """
        result: models.EnvelopedBotCommand = await self._transport.json("POST", "/v1/bot-commands", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_checkout(self, *, body: models.CreateCheckoutInput, idempotency_key: str | None = None) -> models.EnvelopedCheckoutSession:
        """Starts the purchase of a plan at the payment provider.

        `POST /v1/billing/checkout`
        """
        result: models.EnvelopedCheckoutSession = await self._transport.json("POST", "/v1/billing/checkout", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_csp_report(self, *, body: Any) -> None:
        """Stores violations of the content security policy that a browser reports.

        `POST /v1/csp-reports`
        """
        await self._transport.nothing("POST", "/v1/csp-reports", body=Body("json", "application/csp-report", body))

    async def create_developer_team(self, *, body: models.CreateDeveloperTeamInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperTeam:
        """Creates a team of developers.

        `POST /v1/developer/teams`
        """
        result: models.EnvelopedDeveloperTeam = await self._transport.json("POST", "/v1/developer/teams", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_developer_team_invite(self, id: str, *, body: models.CreateDeveloperTeamInviteInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperTeamInvite:
        """Creates an invite to a team.

        `POST /v1/developer/teams/{id}/invites`
        """
        result: models.EnvelopedDeveloperTeamInvite = await self._transport.json("POST", path_of("/v1/developer/teams/{id}/invites", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_developer_team_role(self, id: str, *, body: models.CreateDeveloperTeamRoleInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperTeamRole:
        """Creates a role of a team.

        `POST /v1/developer/teams/{id}/roles`
        """
        result: models.EnvelopedDeveloperTeamRole = await self._transport.json("POST", path_of("/v1/developer/teams/{id}/roles", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_extension(self, *, body: models.CreateExtensionInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperExtension:
        """Creates an extension.

        `POST /v1/developer/extensions`
        """
        result: models.EnvelopedDeveloperExtension = await self._transport.json("POST", "/v1/developer/extensions", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_extension_review(self, id: str, *, body: models.CreateExtensionReviewInput, idempotency_key: str | None = None) -> models.EnvelopedExtensionReview:
        """Reviews an extension that the account has installed.

        `POST /v1/extensions/{id}/reviews`
        """
        result: models.EnvelopedExtensionReview = await self._transport.json("POST", path_of("/v1/extensions/{id}/reviews", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_idea(self, *, body: models.CreateIdeaInput, idempotency_key: str | None = None) -> models.EnvelopedGqlIdea:
        """Creates an idea.

        `POST /v1/ideas`
        """
        result: models.EnvelopedGqlIdea = await self._transport.json("POST", "/v1/ideas", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_idea_category(self, *, body: models.CreateIdeaCategoryInput, idempotency_key: str | None = None) -> models.EnvelopedIdeaCategory:
        """Creates a category of ideas.

        `POST /v1/ideas/categories`
        """
        result: models.EnvelopedIdeaCategory = await self._transport.json("POST", "/v1/ideas/categories", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_idea_comment(self, id: str, *, body: models.NewIdeaComment, idempotency_key: str | None = None) -> models.EnvelopedIdeaComment:
        """Comments on an idea, or replies to a comment on it.

        `POST /v1/ideas/{id}/comments`
        """
        result: models.EnvelopedIdeaComment = await self._transport.json("POST", path_of("/v1/ideas/{id}/comments", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_idea_tag(self, *, body: models.NewIdeaTag, idempotency_key: str | None = None) -> models.EnvelopedIdeaTag:
        """Creates a tag of ideas, or returns the one that has the name.

        `POST /v1/ideas/tags`
        """
        result: models.EnvelopedIdeaTag = await self._transport.json("POST", "/v1/ideas/tags", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_invite(self, *, body: models.CreateInviteInput, idempotency_key: str | None = None) -> models.EnvelopedInvite:
        """Creates an invite to the account.

        `POST /v1/invites`
        """
        result: models.EnvelopedInvite = await self._transport.json("POST", "/v1/invites", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_limit_request(self, *, body: models.CreateLimitRequestInput, idempotency_key: str | None = None) -> models.EnvelopedLimitRequest:
        """Requests a higher limit.

        `POST /v1/developer/limit-requests`
        """
        result: models.EnvelopedLimitRequest = await self._transport.json("POST", "/v1/developer/limit-requests", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_overlay(self, *, body: models.CreateOverlayInput, idempotency_key: str | None = None) -> models.EnvelopedOverlay:
        """Creates an overlay without layers.

        `POST /v1/overlays`
        """
        result: models.EnvelopedOverlay = await self._transport.json("POST", "/v1/overlays", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_overlay_share(self, id: str, *, body: models.CreateOverlayShareInput, idempotency_key: str | None = None) -> models.EnvelopedCreatedOverlayShare:
        """Shares an overlay for a time.

        `POST /v1/overlays/{id}/shares`
        """
        result: models.EnvelopedCreatedOverlayShare = await self._transport.json("POST", path_of("/v1/overlays/{id}/shares", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_poll(self, *, body: models.CreatePollInput, idempotency_key: str | None = None) -> models.EnvelopedPoll:
        """Starts a poll on the account's channel.

        `POST /v1/chat/polls`
        """
        result: models.EnvelopedPoll = await self._transport.json("POST", "/v1/chat/polls", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_popout_token(self, *, body: models.CreatePopoutTokenInput, idempotency_key: str | None = None) -> models.EnvelopedCreatePopoutTokenResultKeyLinks:
        """Creates a popout token.

        `POST /v1/tokens`
        """
        result: models.EnvelopedCreatePopoutTokenResultKeyLinks = await self._transport.json("POST", "/v1/tokens", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_portal(self, *, idempotency_key: str | None = None) -> models.EnvelopedPortalSession:
        """Opens the page of the payment provider for managing payments.

        `POST /v1/billing/portal`
        """
        result: models.EnvelopedPortalSession = await self._transport.json("POST", "/v1/billing/portal", header={"Idempotency-Key": idempotency_key})
        return result

    async def create_prediction(self, *, body: models.CreatePredictionInput, idempotency_key: str | None = None) -> models.EnvelopedPrediction:
        """Starts a prediction on the account's channel.

        `POST /v1/chat/predictions`
        """
        result: models.EnvelopedPrediction = await self._transport.json("POST", "/v1/chat/predictions", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_reward(self, *, body: models.CreateRewardInput, idempotency_key: str | None = None) -> models.EnvelopedReward:
        """Adds a reward: links one that exists at its platform, or creates one at Twitch.

        `POST /v1/rewards`
        """
        result: models.EnvelopedReward = await self._transport.json("POST", "/v1/rewards", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_role(self, *, body: models.CreateRoleInput, idempotency_key: str | None = None) -> models.EnvelopedAccountRole:
        """Creates a role at the end of the list.

        `POST /v1/roles`
        """
        result: models.EnvelopedAccountRole = await self._transport.json("POST", "/v1/roles", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_se_token(self, *, body: models.CreateSeTokenInput, idempotency_key: str | None = None) -> models.EnvelopedSeToken:
        """Stores the token of a platform, in place of an earlier one. Tips are received with it from then on.

        `POST /v1/se-tokens`
        """
        result: models.EnvelopedSeToken = await self._transport.json("POST", "/v1/se-tokens", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_shared_link(self, id: str, *, body: models.CreateSharedLinkInput, idempotency_key: str | None = None) -> models.EnvelopedCreatedSharedLink:
        """Creates a link that shows a report without a credential.

        `POST /v1/history/reports/{id}/shared-links`
        """
        result: models.EnvelopedCreatedSharedLink = await self._transport.json("POST", path_of("/v1/history/reports/{id}/shared-links", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_sound(self, *, body: models.SoundForm, idempotency_key: str | None = None) -> models.EnvelopedSound:
        """Adds a sound.

        `POST /v1/sounds`
        """
        result: models.EnvelopedSound = await self._transport.json("POST", "/v1/sounds", header={"Idempotency-Key": idempotency_key}, body=Body("form", "multipart/form-data", body))
        return result

    async def create_support_ticket(self, *, body: models.CreateSupportTicketInput, idempotency_key: str | None = None) -> models.EnvelopedSupportTicket:
        """Files a support ticket of the caller.

        `POST /v1/support/tickets`
        """
        result: models.EnvelopedSupportTicket = await self._transport.json("POST", "/v1/support/tickets", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_upload(self, *, body: models.UploadForm, idempotency_key: str | None = None) -> models.EnvelopedUpload:
        """Stores a file.

        `POST /v1/uploads`
        """
        result: models.EnvelopedUpload = await self._transport.json("POST", "/v1/uploads", header={"Idempotency-Key": idempotency_key}, body=Body("form", "multipart/form-data", body))
        return result

    async def create_user_api_key(self, *, body: models.CreateUserApiKeyInput, idempotency_key: str | None = None) -> models.EnvelopedCreatedUserApiKeyKeyLinks:
        """Creates a personal API key.

        `POST /v1/api-keys`
        """
        result: models.EnvelopedCreatedUserApiKeyKeyLinks = await self._transport.json("POST", "/v1/api-keys", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_user_note(self, platform: str, platform_user_id: str, *, body: models.CreateUserNoteInput, idempotency_key: str | None = None) -> models.EnvelopedUserNote:
        """Creates a note about a user.

        `POST /v1/chat/users/{platform}/{platform_user_id}/notes`
        """
        result: models.EnvelopedUserNote = await self._transport.json("POST", path_of("/v1/chat/users/{platform}/{platform_user_id}/notes", platform, platform_user_id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_user_role(self, *, body: models.CreateUserRoleInput, idempotency_key: str | None = None) -> models.EnvelopedUserRole:
        """Creates a platform-wide role.

        `POST /v1/user-roles`
        """
        result: models.EnvelopedUserRole = await self._transport.json("POST", "/v1/user-roles", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_webhook_endpoint(self, *, body: models.CreateWebhookEndpointInput, idempotency_key: str | None = None) -> models.EnvelopedCreatedWebhookEndpoint:
        """Creates a webhook endpoint.

        `POST /v1/webhook-endpoints`
        """
        result: models.EnvelopedCreatedWebhookEndpoint = await self._transport.json("POST", "/v1/webhook-endpoints", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def create_widget(self, *, body: models.CreateWidgetInput, idempotency_key: str | None = None) -> models.EnvelopedWidget:
        """Creates a widget.

        `POST /v1/widgets`
        """
        result: models.EnvelopedWidget = await self._transport.json("POST", "/v1/widgets", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def decline_invite(self, code: str, *, idempotency_key: str | None = None) -> models.Success:
        """Declines an invite.

        `POST /v1/invites/{code}/decline`
        """
        result: models.Success = await self._transport.json("POST", path_of("/v1/invites/{code}/decline", code), header={"Idempotency-Key": idempotency_key})
        return result

    async def delete_account_archive(self, id: str, archive_id: str) -> None:
        """Deletes an archive of an account, or ends its export.

        `DELETE /v1/accounts/{id}/archives/{archive_id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/accounts/{id}/archives/{archive_id}", id, archive_id))

    async def delete_account_service_key(self, id: str) -> None:
        """Revokes a service key.

        `DELETE /v1/service-keys/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/service-keys/{id}", id))

    async def delete_app_credentials(self, platform: str) -> None:
        """Deletes the application of the account for a platform.

        `DELETE /v1/connections/app-credentials/{platform}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/connections/app-credentials/{platform}", platform))

    async def delete_automation(self, id: str) -> None:
        """Deletes an automation with its graph, runs and webhook secrets.

        `DELETE /v1/automations/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/automations/{id}", id))

    async def delete_blocked_song(self, id: str) -> None:
        """Removes a song from the account's list of blocked songs.

        `DELETE /v1/copyright/blocked-songs/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/copyright/blocked-songs/{id}", id))

    async def delete_bot_command(self, id: str) -> None:
        """Deletes a command of the account.

        `DELETE /v1/bot-commands/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/bot-commands/{id}", id))

    async def delete_bot_module(self, name: str) -> None:
        """Switches a built-in module off and deletes its settings.

        `DELETE /v1/bot-modules/{name}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/bot-modules/{name}", name))

    async def delete_copyright_playlist_sync(self, id: str) -> None:
        """Stops following a playlist.

        `DELETE /v1/copyright/playlist-syncs/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/copyright/playlist-syncs/{id}", id))

    async def delete_developer_team(self, id: str) -> None:
        """Deletes a team.

        `DELETE /v1/developer/teams/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/developer/teams/{id}", id))

    async def delete_developer_team_invite(self, id: str, invite_id: str) -> None:
        """Deletes an invite of a team.

        `DELETE /v1/developer/teams/{id}/invites/{invite_id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/developer/teams/{id}/invites/{invite_id}", id, invite_id))

    async def delete_developer_team_role(self, id: str, rid: str) -> None:
        """Deletes a role of a team that no member holds.

        `DELETE /v1/developer/teams/{id}/roles/{rid}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/developer/teams/{id}/roles/{rid}", id, rid))

    async def delete_extension(self, id: str) -> None:
        """Deletes one of the caller's extensions that was never publicly listed.

        `DELETE /v1/developer/extensions/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/developer/extensions/{id}", id))

    async def delete_extension_review(self, id: str, review_id: str) -> None:
        """Deletes the caller's own review.

        `DELETE /v1/extensions/{id}/reviews/{review_id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/extensions/{id}/reviews/{review_id}", id, review_id))

    async def delete_extension_secret(self, id: str, key: str) -> None:
        """Deletes a secret of one of the caller's extensions.

        `DELETE /v1/developer/extensions/{id}/secrets/{key}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/developer/extensions/{id}/secrets/{key}", id, key))

    async def delete_idea(self, id: str) -> None:
        """Deletes an idea with its votes, comments and timeline.

        `DELETE /v1/ideas/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/ideas/{id}", id))

    async def delete_idea_category(self, id: str) -> None:
        """Deletes a category that no idea has.

        `DELETE /v1/ideas/categories/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/ideas/categories/{id}", id))

    async def delete_idea_comment(self, id: str) -> None:
        """Deletes a comment with its replies.

        `DELETE /v1/ideas/comments/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/ideas/comments/{id}", id))

    async def delete_idea_tag(self, id: str) -> None:
        """Deletes a tag. The ideas that have it stay, without it.

        `DELETE /v1/ideas/tags/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/ideas/tags/{id}", id))

    async def delete_invite(self, code_or_id: str) -> None:
        """Deletes an invite of the account.

        `DELETE /v1/invites/{code_or_id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/invites/{code_or_id}", code_or_id))

    async def delete_notification(self, id: str) -> None:
        """Deletes a notification of the caller.

        `DELETE /v1/notifications/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/notifications/{id}", id))

    async def delete_obs_config(self) -> None:
        """Deletes how the account reaches its OBS, with the password.

        `DELETE /v1/integrations/obs`
        """
        await self._transport.nothing("DELETE", "/v1/integrations/obs")

    async def delete_overlay(self, id: str) -> None:
        """Deletes an overlay with its layers, shares and access entries.

        `DELETE /v1/overlays/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/overlays/{id}", id))

    async def delete_popout_token(self, id: str) -> None:
        """Deletes a popout token.

        `DELETE /v1/tokens/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/tokens/{id}", id))

    async def delete_reward(self, id: str) -> None:
        """Deletes a reward.

        `DELETE /v1/rewards/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/rewards/{id}", id))

    async def delete_role(self, id: str) -> None:
        """Deletes a role that no member holds.

        `DELETE /v1/roles/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/roles/{id}", id))

    async def delete_safe_song(self, id: str) -> None:
        """Removes a song from the account's list of safe songs.

        `DELETE /v1/copyright/safe-songs/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/copyright/safe-songs/{id}", id))

    async def delete_se_token(self, id: str) -> None:
        """Deletes a token. Tips of its channel are no longer received.

        `DELETE /v1/se-tokens/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/se-tokens/{id}", id))

    async def delete_sound(self, id: str) -> None:
        """Deletes a sound.

        `DELETE /v1/sounds/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/sounds/{id}", id))

    async def delete_stream_report(self, id: str) -> None:
        """Deletes a stream session with its report and samples.

        `DELETE /v1/history/reports/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/history/reports/{id}", id))

    async def delete_upload(self, id: str) -> None:
        """Deletes an upload.

        `DELETE /v1/uploads/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/uploads/{id}", id))

    async def delete_usage_budget(self, budget_id: str) -> None:
        """Deletes a budget of the account. What it refused is allowed again.

        `DELETE /v1/usage/budgets/{budget_id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/usage/budgets/{budget_id}", budget_id))

    async def delete_user_api_key(self, id: str) -> None:
        """Revokes one of the caller's own keys.

        `DELETE /v1/api-keys/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/api-keys/{id}", id))

    async def delete_user_note(self, id: str) -> None:
        """Deletes a note.

        `DELETE /v1/chat/notes/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/chat/notes/{id}", id))

    async def delete_user_role(self, id: str) -> None:
        """Deletes a platform-wide role with its assignments.

        `DELETE /v1/user-roles/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/user-roles/{id}", id))

    async def delete_webhook_endpoint(self, endpoint_id: str) -> None:
        """Deletes a webhook endpoint with its secrets and deliveries.

        `DELETE /v1/webhook-endpoints/{endpoint_id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/webhook-endpoints/{endpoint_id}", endpoint_id))

    async def delete_widget(self, id: str) -> None:
        """Deletes a widget with its access entries.

        `DELETE /v1/widgets/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/widgets/{id}", id))

    async def developer_api_create_extension(self, *, body: models.CreateExtensionBody, idempotency_key: str | None = None) -> models.CreatedExtensionBody:
        """Creates an extension.

        `POST /developer/v1/extensions`
        """
        result: models.CreatedExtensionBody = await self._transport.json("POST", "/developer/v1/extensions", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def developer_api_delete_extension(self, id: str) -> None:
        """Deletes an extension that was never publicly listed.

        `DELETE /developer/v1/extensions/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/developer/v1/extensions/{id}", id))

    async def developer_api_delete_secret(self, id: str, key: str) -> None:
        """Deletes a secret of an extension.

        `DELETE /developer/v1/extensions/{id}/secrets/{key}`
        """
        await self._transport.nothing("DELETE", path_of("/developer/v1/extensions/{id}/secrets/{key}", id, key))

    async def developer_api_extension(self, id: str) -> models.Extension:
        """Returns one of the developer's extensions.

        `GET /developer/v1/extensions/{id}`
        """
        result: models.Extension = await self._transport.json("GET", path_of("/developer/v1/extensions/{id}", id))
        return result

    async def developer_api_extensions(self, *, limit: int | None = None, cursor: str | None = None) -> models.ExtensionPage:
        """Lists the developer's extensions and those of the developer's teams, newest first.

        `GET /developer/v1/extensions`
        """
        result: models.ExtensionPage = await self._transport.json("GET", "/developer/v1/extensions", query={"limit": limit, "cursor": cursor})
        return result

    async def developer_api_install_stats(self, id: str) -> models.InstallStats:
        """Counts the installs of an extension.

        `GET /developer/v1/extensions/{id}/installs`
        """
        result: models.InstallStats = await self._transport.json("GET", path_of("/developer/v1/extensions/{id}/installs", id))
        return result

    async def developer_api_secrets(self, id: str) -> models.SecretKeys:
        """Lists the names of an extension's secrets.

        `GET /developer/v1/extensions/{id}/secrets`
        """
        result: models.SecretKeys = await self._transport.json("GET", path_of("/developer/v1/extensions/{id}/secrets", id))
        return result

    async def developer_api_set_secret(self, id: str, key: str, *, body: models.SecretBody) -> None:
        """Sets a secret of an extension, or replaces it.

        `PUT /developer/v1/extensions/{id}/secrets/{key}`
        """
        await self._transport.nothing("PUT", path_of("/developer/v1/extensions/{id}/secrets/{key}", id, key), body=Body("json", "application/json", body))

    async def developer_api_submit_version(self, id: str, *, body: models.SubmitVersionForm) -> models.SubmittedVersionBody:
        """Uploads a version of an extension for review.

        `POST /developer/v1/extensions/{id}/versions`
        """
        result: models.SubmittedVersionBody = await self._transport.json("POST", path_of("/developer/v1/extensions/{id}/versions", id), body=Body("form", "multipart/form-data", body))
        return result

    async def developer_api_update_extension(self, id: str, *, body: models.UpdateExtensionBody) -> models.Extension:
        """Changes an extension.

        `PATCH /developer/v1/extensions/{id}`
        """
        result: models.Extension = await self._transport.json("PATCH", path_of("/developer/v1/extensions/{id}", id), body=Body("json", "application/json", body))
        return result

    async def developer_api_version(self, id: str, version_id: str) -> models.VersionBody:
        """Returns one version of an extension.

        `GET /developer/v1/extensions/{id}/versions/{version_id}`
        """
        result: models.VersionBody = await self._transport.json("GET", path_of("/developer/v1/extensions/{id}/versions/{version_id}", id, version_id))
        return result

    async def developer_api_versions(self, id: str, *, limit: int | None = None, cursor: str | None = None) -> models.VersionPage:
        """Lists the versions of an extension, newest upload first.

        `GET /developer/v1/extensions/{id}/versions`
        """
        result: models.VersionPage = await self._transport.json("GET", path_of("/developer/v1/extensions/{id}/versions", id), query={"limit": limit, "cursor": cursor})
        return result

    async def developer_application(self) -> models.EnvelopedDeveloperApplication:
        """Returns the latest application of the caller to become a developer.

        `GET /v1/developer/application`
        """
        result: models.EnvelopedDeveloperApplication = await self._transport.json("GET", "/v1/developer/application")
        return result

    async def developer_extension(self, id: str, *, if_none_match: str | None = None) -> models.EnvelopedDeveloperExtensionDetail:
        """Returns one of the caller's extensions with its versions.

        `GET /v1/developer/extensions/{id}`
        """
        result: models.EnvelopedDeveloperExtensionDetail = await self._transport.json("GET", path_of("/v1/developer/extensions/{id}", id), header={"If-None-Match": if_none_match})
        return result

    async def developer_extensions(self, *, if_none_match: str | None = None) -> models.ListedDeveloperExtension:
        """Lists the caller's extensions and those of the caller's teams, newest first.

        `GET /v1/developer/extensions`
        """
        result: models.ListedDeveloperExtension = await self._transport.json("GET", "/v1/developer/extensions", header={"If-None-Match": if_none_match})
        return result

    async def developer_limit_request(self, id: str) -> models.EnvelopedLimitRequest:
        """Returns one of the caller's requests for a higher limit.

        `GET /v1/developer/limit-requests/{id}`
        """
        result: models.EnvelopedLimitRequest = await self._transport.json("GET", path_of("/v1/developer/limit-requests/{id}", id))
        return result

    async def developer_limit_request_events(self, id: str) -> models.ListedLimitRequestEvent:
        """Lists the timeline of one of the caller's requests, oldest first.

        `GET /v1/developer/limit-requests/{id}/events`
        """
        result: models.ListedLimitRequestEvent = await self._transport.json("GET", path_of("/v1/developer/limit-requests/{id}/events", id))
        return result

    async def developer_limit_requests(self, *, status: models.LimitRequestStatus | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionLimitRequest:
        """Lists the caller's requests for higher limits, newest first.

        `GET /v1/developer/limit-requests`
        """
        result: models.CollectionLimitRequest = await self._transport.json("GET", "/v1/developer/limit-requests", query={"status": status, "page": page, "limit": limit})
        return result

    async def developer_limits(self) -> models.EnvelopedDeveloperLimits:
        """Returns the limits of the caller as a developer.

        `GET /v1/developer/limits`
        """
        result: models.EnvelopedDeveloperLimits = await self._transport.json("GET", "/v1/developer/limits")
        return result

    async def developer_payout_settings(self, *, team_id: str | None = None) -> models.EnvelopedDeveloperPayoutSettings:
        """Returns the ways in which the caller, or a team, is paid, and the balance.

        `GET /v1/developer/payout-settings`
        """
        result: models.EnvelopedDeveloperPayoutSettings = await self._transport.json("GET", "/v1/developer/payout-settings", query={"team_id": team_id})
        return result

    async def developer_payouts(self, *, team_id: str | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionDeveloperPayout:
        """Lists the payouts to the caller, or to a team, newest first.

        `GET /v1/developer/payouts`
        """
        result: models.CollectionDeveloperPayout = await self._transport.json("GET", "/v1/developer/payouts", query={"team_id": team_id, "page": page, "limit": limit})
        return result

    async def developer_profile(self) -> models.EnvelopedDeveloperProfile:
        """Returns the caller's own profile as a developer.

        `GET /v1/developer/profile`
        """
        result: models.EnvelopedDeveloperProfile = await self._transport.json("GET", "/v1/developer/profile")
        return result

    async def developer_revenue(self, *, team_id: str | None = None, from_: str | None = None, to: str | None = None) -> models.EnvelopedDeveloperRevenue:
        """Returns the revenue of the caller, or of a team, by extension and month.

        `GET /v1/developer/revenue`
        """
        result: models.EnvelopedDeveloperRevenue = await self._transport.json("GET", "/v1/developer/revenue", query={"team_id": team_id, "from": from_, "to": to})
        return result

    async def developer_team(self, id: str) -> models.EnvelopedDeveloperTeam:
        """Returns a team of the caller.

        `GET /v1/developer/teams/{id}`
        """
        result: models.EnvelopedDeveloperTeam = await self._transport.json("GET", path_of("/v1/developer/teams/{id}", id))
        return result

    async def developer_team_invite_by_code(self, code: str) -> models.EnvelopedDeveloperTeamInvitePreview:
        """Returns the preview of the invite with a code.

        `GET /v1/developer/team-invites/{code}`
        """
        result: models.EnvelopedDeveloperTeamInvitePreview = await self._transport.json("GET", path_of("/v1/developer/team-invites/{code}", code))
        return result

    async def developer_team_invites(self, id: str) -> models.ListedDeveloperTeamInvite:
        """Lists the invites of a team, newest first.

        `GET /v1/developer/teams/{id}/invites`
        """
        result: models.ListedDeveloperTeamInvite = await self._transport.json("GET", path_of("/v1/developer/teams/{id}/invites", id))
        return result

    async def developer_team_members(self, id: str) -> models.ListedDeveloperTeamMember:
        """Lists the members of a team, the first joined one first.

        `GET /v1/developer/teams/{id}/members`
        """
        result: models.ListedDeveloperTeamMember = await self._transport.json("GET", path_of("/v1/developer/teams/{id}/members", id))
        return result

    async def developer_team_permissions(self) -> models.ListedDeveloperTeamPermissionInfo:
        """Lists the permissions that a role of a team may hold, in the order of the catalogue.

        `GET /v1/developer/teams/permissions`
        """
        result: models.ListedDeveloperTeamPermissionInfo = await self._transport.json("GET", "/v1/developer/teams/permissions")
        return result

    async def developer_team_roles(self, id: str) -> models.ListedDeveloperTeamRole:
        """Lists the roles of a team, the oldest first.

        `GET /v1/developer/teams/{id}/roles`
        """
        result: models.ListedDeveloperTeamRole = await self._transport.json("GET", path_of("/v1/developer/teams/{id}/roles", id))
        return result

    async def developer_teams(self) -> models.ListedDeveloperTeam:
        """Lists the teams of the caller, the first joined one first.

        `GET /v1/developer/teams`
        """
        result: models.ListedDeveloperTeam = await self._transport.json("GET", "/v1/developer/teams")
        return result

    async def developer_verification(self) -> models.EnvelopedOptionDeveloperVerification:
        """Returns the verification of the caller as a developer; null when nothing was submitted.

        `GET /v1/developer/verification`
        """
        result: models.EnvelopedOptionDeveloperVerification = await self._transport.json("GET", "/v1/developer/verification")
        return result

    async def disconnect_bot(self, platform: str) -> None:
        """Disconnects the account's own bot on a platform.

        `DELETE /v1/bot-connections/{platform}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/bot-connections/{platform}", platform))

    async def disconnect_channel(self, platform: str) -> None:
        """Disconnects the account's channel on a platform.

        `DELETE /v1/connections/channel/{platform}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/connections/channel/{platform}", platform))

    async def disconnect_login_connection(self, id: str) -> None:
        """Removes a login connection of the caller, or discards one that waits for confirmation.

        `DELETE /v1/login-connections/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/login-connections/{id}", id))

    async def discord_guilds(self) -> models.ListedDiscordGuild:
        """Lists the account's Discord servers, oldest first.

        `GET /v1/bot-connections/discord/guilds`
        """
        result: models.ListedDiscordGuild = await self._transport.json("GET", "/v1/bot-connections/discord/guilds")
        return result

    async def dissolve_account(self, id: str, *, body: models.DissolveAccountInput) -> models.Success:
        """Dissolves the account that the caller owns and acts in.

        `POST /v1/accounts/{id}/dissolve`
        """
        result: models.Success = await self._transport.json("POST", path_of("/v1/accounts/{id}/dissolve", id), body=Body("json", "application/json", body))
        return result

    async def download_account_archive(self, id: str, *, exp: int | None = None, sig: str | None = None) -> bytes:
        """Returns the content of an archive as raw bytes, for its signed address.

        `GET /v1/media/archive/{id}`
        """
        result: bytes = await self._transport.content("GET", path_of("/v1/media/archive/{id}", id), query={"exp": exp, "sig": sig})
        return result

    async def dry_run_automation(self, id: str, *, body: models.DryRunAutomationInput) -> models.EnvelopedAutomationDryRun:
        """Runs an automation without any effect, and returns what each step would have done.

        `POST /v1/automations/{id}/dry-run`
        """
        result: models.EnvelopedAutomationDryRun = await self._transport.json("POST", path_of("/v1/automations/{id}/dry-run", id), body=Body("json", "application/json", body))
        return result

    async def duplicate_automation(self, id: str, *, idempotency_key: str | None = None) -> models.EnvelopedAutomation:
        """Copies an automation with its graph.

        `POST /v1/automations/{id}/duplicate`
        """
        result: models.EnvelopedAutomation = await self._transport.json("POST", path_of("/v1/automations/{id}/duplicate", id), header={"Idempotency-Key": idempotency_key})
        return result

    async def duplicate_overlay(self, id: str, *, idempotency_key: str | None = None) -> models.EnvelopedOverlay:
        """Copies an overlay with its layers.

        `POST /v1/overlays/{id}/duplicate`
        """
        result: models.EnvelopedOverlay = await self._transport.json("POST", path_of("/v1/overlays/{id}/duplicate", id), header={"Idempotency-Key": idempotency_key})
        return result

    async def duplicate_widget(self, id: str, *, idempotency_key: str | None = None) -> models.EnvelopedWidget:
        """Copies a widget.

        `POST /v1/widgets/{id}/duplicate`
        """
        result: models.EnvelopedWidget = await self._transport.json("POST", path_of("/v1/widgets/{id}/duplicate", id), header={"Idempotency-Key": idempotency_key})
        return result

    async def emit_event(self, *, body: models.EmitEventInput, idempotency_key: str | None = None) -> models.EnvelopedEvent:
        """Emits an event of the account.

        `POST /v1/events`
        """
        result: models.EnvelopedEvent = await self._transport.json("POST", "/v1/events", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def enabled_platforms(self, *, if_none_match: str | None = None) -> models.ListedString:
        """Lists the slugs of the platforms that are open for sign-in or bots.

        `GET /v1/platforms/enabled`
        """
        result: models.ListedString = await self._transport.json("GET", "/v1/platforms/enabled", header={"If-None-Match": if_none_match})
        return result

    async def enabled_providers(self, *, connection_type: Literal['login', 'channel', 'bot'], if_none_match: str | None = None) -> models.ListedString:
        """Lists the slugs of the platforms that are switched on for a use, in the fixed order of platforms.

        `GET /v1/connections/providers`
        """
        result: models.ListedString = await self._transport.json("GET", "/v1/connections/providers", query={"connection_type": connection_type}, header={"If-None-Match": if_none_match})
        return result

    async def end_poll(self, id: str, *, body: models.EndPollInput) -> models.EnvelopedPoll:
        """Ends a poll before its time.

        `PATCH /v1/chat/polls/{id}`
        """
        result: models.EnvelopedPoll = await self._transport.json("PATCH", path_of("/v1/chat/polls/{id}", id), body=Body("json", "application/json", body))
        return result

    async def end_prediction(self, id: str, *, body: models.EndPredictionInput) -> models.EnvelopedPrediction:
        """Locks, resolves or cancels a prediction.

        `PATCH /v1/chat/predictions/{id}`
        """
        result: models.EnvelopedPrediction = await self._transport.json("PATCH", path_of("/v1/chat/predictions/{id}", id), body=Body("json", "application/json", body))
        return result

    async def erase_chat_subject_data(self, *, body: models.EraseChatSubjectInput, idempotency_key: str | None = None) -> models.EnvelopedEraseChatSubjectResult:
        """Erases the data about a person who chatted, in every account.

        `POST /v1/admin/privacy/chat/erase`
        """
        result: models.EnvelopedEraseChatSubjectResult = await self._transport.json("POST", "/v1/admin/privacy/chat/erase", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def erase_youtube_member_data(self, id: str) -> models.EnvelopedEraseYoutubeMemberResult:
        """Erases the data about a YouTube channel as a viewer, in every account.

        `DELETE /v1/admin/privacy/youtube/member/{id}`
        """
        result: models.EnvelopedEraseYoutubeMemberResult = await self._transport.json("DELETE", path_of("/v1/admin/privacy/youtube/member/{id}", id))
        return result

    async def event(self, id: str, *, if_none_match: str | None = None) -> models.EnvelopedEvent:
        """Returns one event of the account.

        `GET /v1/events/{id}`
        """
        result: models.EnvelopedEvent = await self._transport.json("GET", path_of("/v1/events/{id}", id), header={"If-None-Match": if_none_match})
        return result

    async def events(self, *, types: str | None = None, platform: str | None = None, search: str | None = None, from_: str | None = None, to: str | None = None, page: int | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionEvent:
        """Returns one page of the account's events, newest first.

        `GET /v1/events`
        """
        result: models.CollectionEvent = await self._transport.json("GET", "/v1/events", query={"types": types, "platform": platform, "search": search, "from": from_, "to": to, "page": page, "limit": limit, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    async def exchange_oauth(self, platform: str, *, body: models.ExchangeOauthInput) -> models.EnvelopedOauthExchange:
        """Makes the connection that a state handle stands for, with the platform's authorization code.

        `POST /v1/connections/oauth/{platform}/exchange`
        """
        result: models.EnvelopedOauthExchange = await self._transport.json("POST", path_of("/v1/connections/oauth/{platform}/exchange", platform), body=Body("json", "application/json", body))
        return result

    async def exchange_popout_token(self, *, body: models.ExchangePopoutTokenInput) -> models.EnvelopedPopoutSession:
        """Exchanges a popout token for a session of 15 minutes.

        `POST /v1/auth/popout/exchange`
        """
        result: models.EnvelopedPopoutSession = await self._transport.json("POST", "/v1/auth/popout/exchange", body=Body("json", "application/json", body))
        return result

    async def exchange_token(self, *, body: models.ExchangeTokenInput) -> models.EnvelopedExchangedToken:
        """Signs a person in with an access token of a provider and opens a session.

        `POST /v1/auth/token`
        """
        result: models.EnvelopedExchangedToken = await self._transport.json("POST", "/v1/auth/token", body=Body("json", "application/json", body))
        return result

    async def execute_automation(self, id: str, *, body: models.ExecuteAutomationInput, idempotency_key: str | None = None) -> models.EnvelopedAutomationExecution:
        """Starts an automation by hand.

        `POST /v1/automations/{id}/execute`
        """
        result: models.EnvelopedAutomationExecution = await self._transport.json("POST", path_of("/v1/automations/{id}/execute", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def explain_access(self, *, operation: str, subject: str | None = None) -> models.EnvelopedAccessExplanation:
        """Explains whether the rule of an operation admits a member or key of the account, and why.

        `GET /v1/access/explain`
        """
        result: models.EnvelopedAccessExplanation = await self._transport.json("GET", "/v1/access/explain", query={"operation": operation, "subject": subject})
        return result

    async def export_account(self, id: str, *, body: models.ExportAccountInput, idempotency_key: str | None = None) -> models.EnvelopedAccountArchive:
        """Requests an archive of everything that belongs to an account.

        `POST /v1/accounts/{id}/archives`
        """
        result: models.EnvelopedAccountArchive = await self._transport.json("POST", path_of("/v1/accounts/{id}/archives", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def export_shared_report(self, token: str, *, format: Literal['csv', 'txt', 'json', 'pdf'], x_share_password: str | None = None) -> bytes:
        """Returns the report that a shared link shows as a file.

        `GET /v1/history/shared/{token}/export`
        """
        result: bytes = await self._transport.content("GET", path_of("/v1/history/shared/{token}/export", token), query={"format": format}, header={"X-Share-Password": x_share_password})
        return result

    async def export_stream_report(self, id: str, *, format: Literal['csv', 'txt', 'json', 'pdf']) -> bytes:
        """Returns the report of a stream session as a file.

        `GET /v1/history/reports/{id}/export`
        """
        result: bytes = await self._transport.content("GET", path_of("/v1/history/reports/{id}/export", id), query={"format": format})
        return result

    async def extend_shared_link(self, id: str, *, body: models.ExtendSharedLinkInput) -> models.EnvelopedSharedLink:
        """Sets the end of an active link anew. The lifetime counts from now on.

        `PATCH /v1/history/shared-links/{id}`
        """
        result: models.EnvelopedSharedLink = await self._transport.json("PATCH", path_of("/v1/history/shared-links/{id}", id), body=Body("json", "application/json", body))
        return result

    async def extension_access_grants(self, id: str) -> models.ListedExtensionAccessGrant:
        """Lists the accounts with an access grant for one of the caller's extensions, the oldest grant first.

        `GET /v1/developer/extensions/{id}/access`
        """
        result: models.ListedExtensionAccessGrant = await self._transport.json("GET", path_of("/v1/developer/extensions/{id}/access", id))
        return result

    async def extension_bundle(self, extension_id: str, version: str) -> str:
        """Returns the code of a version's layer, at the address of old clients.

        `GET /v1/extension-bundles/{extension_id}/{version}/bundle.js`
        """
        result: str = await self._transport.text("GET", path_of("/v1/extension-bundles/{extension_id}/{version}/bundle.js", extension_id, version))
        return result

    async def extension_bundle_file(self, extension_id: str, version: str, path: str) -> bytes:
        """Returns one file of a version as raw bytes.

        `GET /v1/extension-bundles/{extension_id}/{version}/{path}`
        """
        result: bytes = await self._transport.content("GET", path_of("/v1/extension-bundles/{extension_id}/{version}/{path}", extension_id, version, path))
        return result

    async def extension_errors(self, id: str, *, limit: int | None = None, offset: int | None = None, since: models.Timestamp | None = None, before: str | None = None, if_none_match: str | None = None) -> models.ListedExtensionError:
        """Lists the runtime errors of one of the caller's extensions, newest first.

        `GET /v1/developer/extensions/{id}/errors`
        """
        result: models.ListedExtensionError = await self._transport.json("GET", path_of("/v1/developer/extensions/{id}/errors", id), query={"limit": limit, "offset": offset, "since": since, "before": before}, header={"If-None-Match": if_none_match})
        return result

    async def extension_install(self, id: str, *, if_none_match: str | None = None) -> models.EnvelopedExtensionInstall:
        """Returns one of the account's installs.

        `GET /v1/extension-installs/{id}`
        """
        result: models.EnvelopedExtensionInstall = await self._transport.json("GET", path_of("/v1/extension-installs/{id}", id), header={"If-None-Match": if_none_match})
        return result

    async def extension_install_logs(self, id: str, *, limit: int | None = None, offset: int | None = None, level: models.InstallLogLevel | None = None, before: str | None = None, if_none_match: str | None = None) -> models.ListedInstallLog:
        """Lists the lines that the handlers of an install logged, newest first.

        `GET /v1/extension-installs/{id}/logs`
        """
        result: models.ListedInstallLog = await self._transport.json("GET", path_of("/v1/extension-installs/{id}/logs", id), query={"limit": limit, "offset": offset, "level": level, "before": before}, header={"If-None-Match": if_none_match})
        return result

    async def extension_installs(self, *, if_none_match: str | None = None) -> models.ListedExtensionInstall:
        """Lists the account's installs, oldest first.

        `GET /v1/extension-installs`
        """
        result: models.ListedExtensionInstall = await self._transport.json("GET", "/v1/extension-installs", header={"If-None-Match": if_none_match})
        return result

    async def extension_limits(self, id: str) -> models.EnvelopedExtensionLimits:
        """Returns the limits of one of the caller's extensions.

        `GET /v1/developer/extensions/{id}/limits`
        """
        result: models.EnvelopedExtensionLimits = await self._transport.json("GET", path_of("/v1/developer/extensions/{id}/limits", id))
        return result

    async def extension_metrics(self, id: str, *, since: models.Timestamp | None = None, if_none_match: str | None = None) -> models.EnvelopedExtensionMetrics:
        """Returns the invocations of one of the caller's extensions, summed in total, by handler and by hour.

        `GET /v1/developer/extensions/{id}/metrics`
        """
        result: models.EnvelopedExtensionMetrics = await self._transport.json("GET", path_of("/v1/developer/extensions/{id}/metrics", id), query={"since": since}, header={"If-None-Match": if_none_match})
        return result

    async def extension_reviews(self, id: str, *, page: int | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionExtensionReview:
        """Lists the reviews of an extension, newest first.

        `GET /v1/extensions/{id}/reviews`
        """
        result: models.CollectionExtensionReview = await self._transport.json("GET", path_of("/v1/extensions/{id}/reviews", id), query={"page": page, "limit": limit, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    async def extension_secret_keys(self, id: str) -> models.EnvelopedExtensionSecretKeys:
        """Lists the names of the secrets of one of the caller's extensions.

        `GET /v1/developer/extensions/{id}/secrets`
        """
        result: models.EnvelopedExtensionSecretKeys = await self._transport.json("GET", path_of("/v1/developer/extensions/{id}/secrets", id))
        return result

    async def extension_storage(self, id: str) -> models.EnvelopedExtensionStorage:
        """Returns the shared storage of an install.

        `GET /v1/extension-installs/{id}/storage`
        """
        result: models.EnvelopedExtensionStorage = await self._transport.json("GET", path_of("/v1/extension-installs/{id}/storage", id))
        return result

    async def extension_testers(self, id: str) -> models.ListedExtensionTester:
        """Lists the testers of one of the caller's extensions, the oldest first.

        `GET /v1/developer/extensions/{id}/testers`
        """
        result: models.ListedExtensionTester = await self._transport.json("GET", path_of("/v1/developer/extensions/{id}/testers", id))
        return result

    async def extension_upload(self, extension_id: str, filename: str) -> bytes:
        """Returns an uploaded file as raw bytes.

        `GET /v1/extensions/{extension_id}/uploads/{filename}`
        """
        result: bytes = await self._transport.content("GET", path_of("/v1/extensions/{extension_id}/uploads/{filename}", extension_id, filename))
        return result

    async def extension_version_files(self, id: str, version: str) -> models.ListedBundleFile:
        """Lists the files of a version by path.

        `GET /v1/extensions/{id}/versions/{version}/files`
        """
        result: models.ListedBundleFile = await self._transport.json("GET", path_of("/v1/extensions/{id}/versions/{version}/files", id, version))
        return result

    async def flagged_connections(self, *, if_none_match: str | None = None) -> models.ListedFlaggedConnection:
        """Lists the flagged connections that the person can make again.

        `GET /v1/connections/flagged`
        """
        result: models.ListedFlaggedConnection = await self._transport.json("GET", "/v1/connections/flagged", header={"If-None-Match": if_none_match})
        return result

    async def global_bot_commands(self) -> models.ListedBotCommand:
        """Lists the global commands by name, with the account's overrides.

        `GET /v1/bot-commands/global`
        """
        result: models.ListedBotCommand = await self._transport.json("GET", "/v1/bot-commands/global")
        return result

    async def grant_extension_access(self, id: str, *, body: models.GrantExtensionAccessInput, idempotency_key: str | None = None) -> models.EnvelopedExtensionAccessGrant:
        """Grants an account access to one of the caller's extensions.

        `POST /v1/developer/extensions/{id}/access`
        """
        result: models.EnvelopedExtensionAccessGrant = await self._transport.json("POST", path_of("/v1/developer/extensions/{id}/access", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def graphql(self, *, body: models.GraphqlRequest, idempotency_key: str | None = None) -> models.GraphqlAnswer:
        """Executes a GraphQL operation.

        `POST /v1/gql`
        """
        result: models.GraphqlAnswer = await self._transport.json("POST", "/v1/gql", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def graphql_schema(self) -> str:
        """The schema in the schema definition language.

        `GET /v1/schema`
        """
        result: str = await self._transport.text("GET", "/v1/schema")
        return result

    async def health(self) -> models.HealthAnswer:
        """Reports the state of the process and of its dependencies.

        `GET /v1/health`
        """
        result: models.HealthAnswer = await self._transport.json("GET", "/v1/health")
        return result

    async def idea(self, id: str, *, if_none_match: str | None = None) -> models.EnvelopedGqlIdea:
        """Returns an idea.

        `GET /v1/ideas/{id}`
        """
        result: models.EnvelopedGqlIdea = await self._transport.json("GET", path_of("/v1/ideas/{id}", id), header={"If-None-Match": if_none_match})
        return result

    async def idea_categories(self) -> models.ListedIdeaCategory:
        """Lists the categories of ideas in their order.

        `GET /v1/ideas/categories`
        """
        result: models.ListedIdeaCategory = await self._transport.json("GET", "/v1/ideas/categories")
        return result

    async def idea_comments(self, id: str, *, sort: Literal['oldest', 'newest', 'top'] | None = None, limit: int | None = None, offset: int | None = None, if_none_match: str | None = None) -> models.ListedIdeaComment:
        """Lists the comments on an idea that reply to none, each with its replies.

        `GET /v1/ideas/{id}/comments`
        """
        result: models.ListedIdeaComment = await self._transport.json("GET", path_of("/v1/ideas/{id}/comments", id), query={"sort": sort, "limit": limit, "offset": offset}, header={"If-None-Match": if_none_match})
        return result

    async def idea_participants(self, id: str, *, search: str | None = None) -> models.ListedIdeaAuthor:
        """Lists the first 50 people of an idea: its author, then those who have voted or commented, by name.

        `GET /v1/ideas/{id}/participants`
        """
        result: models.ListedIdeaAuthor = await self._transport.json("GET", path_of("/v1/ideas/{id}/participants", id), query={"search": search})
        return result

    async def idea_tags(self, *, search: str | None = None) -> models.ListedIdeaTag:
        """Lists tags of ideas by name, the first 100.

        `GET /v1/ideas/tags`
        """
        result: models.ListedIdeaTag = await self._transport.json("GET", "/v1/ideas/tags", query={"search": search})
        return result

    async def idea_timeline(self, id: str, *, limit: int | None = None, offset: int | None = None) -> models.ListedIdeaTimelineEntry:
        """Lists the timeline of an idea, oldest entry first.

        `GET /v1/ideas/{id}/timeline`
        """
        result: models.ListedIdeaTimelineEntry = await self._transport.json("GET", path_of("/v1/ideas/{id}/timeline", id), query={"limit": limit, "offset": offset})
        return result

    async def idea_voters(self, id: str, *, vote_type: models.IdeaVoteType | None = None, limit: int | None = None, offset: int | None = None) -> models.ListedIdeaVoter:
        """Lists the people who have voted on an idea, latest first vote first.

        `GET /v1/ideas/{id}/voters`
        """
        result: models.ListedIdeaVoter = await self._transport.json("GET", path_of("/v1/ideas/{id}/voters", id), query={"vote_type": vote_type, "limit": limit, "offset": offset})
        return result

    async def ideas(self, *, category_id: str | None = None, tag_ids: str | None = None, status: str | None = None, author_id: str | None = None, search: str | None = None, mine: bool | None = None, voted_by_me: bool | None = None, sort: Literal['newest', 'oldest', 'most_voted', 'most_commented', 'recently_updated', 'trending'] | None = None, limit: int | None = None, offset: int | None = None, if_none_match: str | None = None) -> models.EnvelopedGqlIdeaConnection:
        """Lists ideas in the requested order with the number of all that the filter admits.

        `GET /v1/ideas`
        """
        result: models.EnvelopedGqlIdeaConnection = await self._transport.json("GET", "/v1/ideas", query={"category_id": category_id, "tag_ids": tag_ids, "status": status, "author_id": author_id, "search": search, "mine": mine, "voted_by_me": voted_by_me, "sort": sort, "limit": limit, "offset": offset}, header={"If-None-Match": if_none_match})
        return result

    async def import_copyright_playlist(self, *, body: models.ImportCopyrightPlaylistInput, idempotency_key: str | None = None) -> models.EnvelopedCopyrightPlaylistImport:
        """Adds the songs of a playlist of Spotify to a list of the account, and follows the playlist from then on.

        `POST /v1/copyright/import`
        """
        result: models.EnvelopedCopyrightPlaylistImport = await self._transport.json("POST", "/v1/copyright/import", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def install_extension(self, *, body: models.InstallExtensionInput, idempotency_key: str | None = None) -> models.EnvelopedExtensionInstall:
        """Installs the current version of an extension.

        `POST /v1/extension-installs`
        """
        result: models.EnvelopedExtensionInstall = await self._transport.json("POST", "/v1/extension-installs", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def installed_automation_nodes(self) -> models.ListedExtensionAutomationNode:
        """Lists the automation nodes of the account's installed extensions.

        `GET /v1/automation/extension-nodes`
        """
        result: models.ListedExtensionAutomationNode = await self._transport.json("GET", "/v1/automation/extension-nodes")
        return result

    async def internal_active_accounts(self, *, limit: int | None = None, after: str | None = None) -> models.ActiveAccounts:
        """Lists the accounts with an enabled bot or install, by id.

        `GET /v1/internal/accounts/active`
        """
        result: models.ActiveAccounts = await self._transport.json("GET", "/v1/internal/accounts/active", query={"limit": limit, "after": after})
        return result

    async def internal_automation_polls(self, *, limit: int | None = None, after: str | None = None, brief: bool | None = None) -> models.PollFeed:
        """Lists the trigger nodes to poll, by id.

        `GET /v1/internal/automation-triggers/polls`
        """
        result: models.PollFeed = await self._transport.json("GET", "/v1/internal/automation-triggers/polls", query={"limit": limit, "after": after, "brief": brief})
        return result

    async def internal_automation_trigger_state(self, id: str, *, body: models.PollState) -> None:
        """Stores the state of a trigger for its handler's next call.

        `PUT /v1/internal/automation-triggers/{id}/state`
        """
        await self._transport.nothing("PUT", path_of("/v1/internal/automation-triggers/{id}/state", id), body=Body("json", "application/json", body))

    async def internal_bot_commands(self, account_id: str) -> models.CommandFeed:
        """Lists the commands that work in an account, for workers.

        `GET /v1/internal/bot-commands/{account_id}`
        """
        result: models.CommandFeed = await self._transport.json("GET", path_of("/v1/internal/bot-commands/{account_id}", account_id))
        return result

    async def internal_extension_secrets(self, extension_id: str) -> models.Secrets:
        """Returns the decrypted secrets of an extension.

        `POST /v1/internal/secrets/{extension_id}`
        """
        result: models.Secrets = await self._transport.json("POST", path_of("/v1/internal/secrets/{extension_id}", extension_id))
        return result

    async def internal_fire_automation_trigger(self, *, body: models.FireTrigger) -> models.TriggerFired:
        """Starts a run of an automation from a fired trigger, once for each key.

        `POST /v1/internal/automation-triggers/fire`
        """
        result: models.TriggerFired = await self._transport.json("POST", "/v1/internal/automation-triggers/fire", body=Body("json", "application/json", body))
        return result

    async def internal_redeem_reward(self, reward_id: str, *, body: models.RewardRedemptionInput) -> models.RewardRedemptionResult:
        """Runs the action of a redeemed reward.

        `POST /v1/internal/rewards/{reward_id}/redemptions`
        """
        result: models.RewardRedemptionResult = await self._transport.json("POST", path_of("/v1/internal/rewards/{reward_id}/redemptions", reward_id), body=Body("json", "application/json", body))
        return result

    async def internal_reply_to_command(self, command_id: str, *, body: models.CommandReply) -> models.ExtensionActionResult:
        """Sends the response of a chat command, or starts its automation.

        `POST /v1/internal/bot-commands/{command_id}/replies`
        """
        result: models.ExtensionActionResult = await self._transport.json("POST", path_of("/v1/internal/bot-commands/{command_id}/replies", command_id), body=Body("json", "application/json", body))
        return result

    async def internal_run_automation_action(self, *, body: models.AutomationActionInput) -> models.AutomationActionResult:
        """Executes an action of an automation with the connections of its account.

        `POST /v1/internal/automation-actions`
        """
        result: models.AutomationActionResult = await self._transport.json("POST", "/v1/internal/automation-actions", body=Body("json", "application/json", body))
        return result

    async def internal_telemetry(self, *, body: models.TelemetryBatch) -> models.TelemetryAccepted:
        """Stores a batch of telemetry: runtime errors, lines of logs, and sums of invocations.

        `POST /v1/internal/telemetry`
        """
        result: models.TelemetryAccepted = await self._transport.json("POST", "/v1/internal/telemetry", body=Body("json", "application/json", body))
        return result

    async def invite_by_code(self, code_or_id: str) -> models.EnvelopedInvitePreview:
        """Returns the preview of the invite with a code.

        `GET /v1/invites/{code_or_id}`
        """
        result: models.EnvelopedInvitePreview = await self._transport.json("GET", path_of("/v1/invites/{code_or_id}", code_or_id))
        return result

    async def invite_extension_tester(self, id: str, *, body: models.InviteExtensionTesterInput, idempotency_key: str | None = None) -> models.EnvelopedExtensionTester:
        """Adds a tester to one of the caller's extensions.

        `POST /v1/developer/extensions/{id}/testers`
        """
        result: models.EnvelopedExtensionTester = await self._transport.json("POST", path_of("/v1/developer/extensions/{id}/testers", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def invites(self) -> models.ListedInvite:
        """Lists the invites of the account.

        `GET /v1/invites`
        """
        result: models.ListedInvite = await self._transport.json("GET", "/v1/invites")
        return result

    async def invoices(self) -> models.ListedInvoice:
        """Lists the invoices of the account.

        `GET /v1/billing/invoices`
        """
        result: models.ListedInvoice = await self._transport.json("GET", "/v1/billing/invoices")
        return result

    async def issue_extension_token(self, id: str, *, body: models.IssueExtensionTokenInput, idempotency_key: str | None = None) -> models.EnvelopedExtensionToken:
        """Issues a token for a page of an install, valid for 15 minutes.

        `POST /v1/extension-installs/{id}/token`
        """
        result: models.EnvelopedExtensionToken = await self._transport.json("POST", path_of("/v1/extension-installs/{id}/token", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def issue_popout_ws_token(self) -> models.EnvelopedWsToken:
        """Issues a short-lived token for the WebSocket to the session of a popout.

        `POST /v1/auth/popout/ws-token`
        """
        result: models.EnvelopedWsToken = await self._transport.json("POST", "/v1/auth/popout/ws-token")
        return result

    async def issue_ws_token(self) -> models.EnvelopedWsToken:
        """Issues a short-lived token for the WebSocket.

        `POST /v1/auth/ws-token`
        """
        result: models.EnvelopedWsToken = await self._transport.json("POST", "/v1/auth/ws-token")
        return result

    async def kill_bot_module(self, *, body: models.KillBotModuleInput, idempotency_key: str | None = None) -> None:
        """Stops the triggers of an install at once, in every worker.

        `POST /v1/bot-modules/kill`
        """
        await self._transport.nothing("POST", "/v1/bot-modules/kill", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))

    async def leave_account(self, id: str, *, idempotency_key: str | None = None) -> models.Success:
        """Ends the caller's own membership of an account.

        `POST /v1/accounts/{id}/leave`
        """
        result: models.Success = await self._transport.json("POST", path_of("/v1/accounts/{id}/leave", id), header={"Idempotency-Key": idempotency_key})
        return result

    async def limits(self) -> models.ListedPresentLimit:
        """Lists the present limits of the caller with what is left of each.

        `GET /v1/limits`
        """
        result: models.ListedPresentLimit = await self._transport.json("GET", "/v1/limits")
        return result

    async def link_login_provider(self, *, body: models.ExchangeTokenInput) -> models.EnvelopedLoginConnection:
        """Adds another identity for sign-in to the caller, or renews the grant of an existing one.

        `POST /v1/auth/link`
        """
        result: models.EnvelopedLoginConnection = await self._transport.json("POST", "/v1/auth/link", body=Body("json", "application/json", body))
        return result

    async def liveness(self) -> models.Liveness:
        """Reports that the process lives.

        `GET /v1`
        """
        result: models.Liveness = await self._transport.json("GET", "/v1")
        return result

    async def login_connections(self) -> models.ListedLoginConnection:
        """Lists the login connections of the caller.

        `GET /v1/users/me/login-connections`
        """
        result: models.ListedLoginConnection = await self._transport.json("GET", "/v1/users/me/login-connections")
        return result

    async def logout(self, *, body: models.LogoutInput) -> None:
        """Signs the caller out: ends the session of the credential.

        `POST /v1/auth/logout`
        """
        await self._transport.nothing("POST", "/v1/auth/logout", body=Body("json", "application/json", body))

    async def mark_all_notifications_read(self, *, idempotency_key: str | None = None) -> models.Success:
        """Marks every notification of the caller as read.

        `POST /v1/notifications/read-all`
        """
        result: models.Success = await self._transport.json("POST", "/v1/notifications/read-all", header={"Idempotency-Key": idempotency_key})
        return result

    async def mark_notification_read(self, id: str, *, idempotency_key: str | None = None) -> models.Success:
        """Marks a notification of the caller as read.

        `POST /v1/notifications/{id}/read`
        """
        result: models.Success = await self._transport.json("POST", path_of("/v1/notifications/{id}/read", id), header={"Idempotency-Key": idempotency_key})
        return result

    async def me(self) -> models.EnvelopedCurrentUser:
        """Returns the current user as the credential sees it.

        `GET /v1/users/me`
        """
        result: models.EnvelopedCurrentUser = await self._transport.json("GET", "/v1/users/me")
        return result

    async def members(self, id: str, *, if_none_match: str | None = None) -> models.ListedMember:
        """Lists the members of the account.

        `GET /v1/accounts/{id}/members`
        """
        result: models.ListedMember = await self._transport.json("GET", path_of("/v1/accounts/{id}/members", id), header={"If-None-Match": if_none_match})
        return result

    async def moderate_chat(self, *, body: models.ModerationInput, idempotency_key: str | None = None) -> models.GqlModerationResult:
        """Bans a user, times a user out, or removes a message, in the name of the account's channel.

        `POST /v1/chat/moderate`
        """
        result: models.GqlModerationResult = await self._transport.json("POST", "/v1/chat/moderate", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def moderation_log(self, *, page: int | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionModerationLogEntry:
        """Returns one page of the account's moderation log, newest first.

        `GET /v1/chat/moderation-log`
        """
        result: models.CollectionModerationLogEntry = await self._transport.json("GET", "/v1/chat/moderation-log", query={"page": page, "limit": limit, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    async def move_role(self, id: str, *, body: models.MoveRoleInput) -> models.EnvelopedAccountRole:
        """Moves a role in the list; the others close up.

        `PUT /v1/roles/{id}/position`
        """
        result: models.EnvelopedAccountRole = await self._transport.json("PUT", path_of("/v1/roles/{id}/position", id), body=Body("json", "application/json", body))
        return result

    async def music_check(self, *, url: str) -> models.EnvelopedMusicCheck:
        """Returns the status of a track by its address.

        `GET /v1/music/check`
        """
        result: models.EnvelopedMusicCheck = await self._transport.json("GET", "/v1/music/check", query={"url": url})
        return result

    async def music_song(self, id: str) -> models.EnvelopedMusicSong:
        """Returns a song of the directory.

        `GET /v1/music/songs/{id}`
        """
        result: models.EnvelopedMusicSong = await self._transport.json("GET", path_of("/v1/music/songs/{id}", id))
        return result

    async def music_songs(self, *, search: str | None = None, status: models.CopyrightStatus | None = None, page: int | None = None, limit: int | None = None, if_none_match: str | None = None) -> models.CollectionMusicSong:
        """Lists the songs about which staff has decided, by title.

        `GET /v1/music/songs`
        """
        result: models.CollectionMusicSong = await self._transport.json("GET", "/v1/music/songs", query={"search": search, "status": status, "page": page, "limit": limit}, header={"If-None-Match": if_none_match})
        return result

    async def my_permissions(self) -> models.EnvelopedTokenPermissions:
        """Returns the kind, account and present permissions of the caller's credential.

        `GET /v1/tokens/me`
        """
        result: models.EnvelopedTokenPermissions = await self._transport.json("GET", "/v1/tokens/me")
        return result

    async def my_sessions(self) -> models.ListedSession:
        """Lists the caller's sessions that have not ended.

        `GET /v1/users/me/sessions`
        """
        result: models.ListedSession = await self._transport.json("GET", "/v1/users/me/sessions")
        return result

    async def notification_preferences(self) -> models.ListedNotificationPreference:
        """Lists every notification type with the channel of its delivery to the caller.

        `GET /v1/notifications/preferences`
        """
        result: models.ListedNotificationPreference = await self._transport.json("GET", "/v1/notifications/preferences")
        return result

    async def notifications(self, *, unread: bool | None = None, limit: int | None = None, before: str | None = None, if_none_match: str | None = None) -> models.EnvelopedNotificationListListLinks:
        """Lists the caller's own notifications, newest first.

        `GET /v1/notifications`
        """
        result: models.EnvelopedNotificationListListLinks = await self._transport.json("GET", "/v1/notifications", query={"unread": unread, "limit": limit, "before": before}, header={"If-None-Match": if_none_match})
        return result

    async def obs_config(self) -> models.EnvelopedObsConfig:
        """Returns how the account reaches its OBS.

        `GET /v1/integrations/obs`
        """
        result: models.EnvelopedObsConfig = await self._transport.json("GET", "/v1/integrations/obs")
        return result

    async def obs_remote_status(self, *, if_none_match: str | None = None) -> models.EnvelopedObsRemoteStatus:
        """Returns what the service knows of the OBS of the account: stream, recording and scenes.

        `GET /v1/integrations/obs/remote-status`
        """
        result: models.EnvelopedObsRemoteStatus = await self._transport.json("GET", "/v1/integrations/obs/remote-status", header={"If-None-Match": if_none_match})
        return result

    async def obs_status(self, *, if_none_match: str | None = None) -> models.EnvelopedObsStatus:
        """Returns whether the service is connected to the OBS of the account.

        `GET /v1/integrations/obs/status`
        """
        result: models.EnvelopedObsStatus = await self._transport.json("GET", "/v1/integrations/obs/status", header={"If-None-Match": if_none_match})
        return result

    async def overlay(self, id: str) -> models.EnvelopedOverlay:
        """Returns one of the account's overlays.

        `GET /v1/overlays/{id}`
        """
        result: models.EnvelopedOverlay = await self._transport.json("GET", path_of("/v1/overlays/{id}", id))
        return result

    async def overlay_access(self, id: str) -> models.ListedOverlayAccessEntry:
        """Lists the access entries of an overlay, oldest first.

        `GET /v1/overlays/{id}/access`
        """
        result: models.ListedOverlayAccessEntry = await self._transport.json("GET", path_of("/v1/overlays/{id}/access", id))
        return result

    async def overlay_access_candidates(self, id: str) -> models.ListedAccessCandidate:
        """Lists the members without an entry of an overlay, by name.

        `GET /v1/overlays/{id}/access/candidates`
        """
        result: models.ListedAccessCandidate = await self._transport.json("GET", path_of("/v1/overlays/{id}/access/candidates", id))
        return result

    async def overlay_layers(self, id: str) -> models.ListedOverlayLayer:
        """Lists the layers of an overlay, from back to front.

        `GET /v1/overlays/{id}/layers`
        """
        result: models.ListedOverlayLayer = await self._transport.json("GET", path_of("/v1/overlays/{id}/layers", id))
        return result

    async def overlay_page(self, key: str) -> str:
        """Returns the page of an overlay, for browser sources of OBS and similar programs.

        `GET /v1/overlays/{key}/page`
        """
        result: str = await self._transport.text("GET", path_of("/v1/overlays/{key}/page", key))
        return result

    async def overlay_shares(self, id: str) -> models.ListedOverlayShare:
        """Lists the shares of an overlay that have not ended, newest first.

        `GET /v1/overlays/{id}/shares`
        """
        result: models.ListedOverlayShare = await self._transport.json("GET", path_of("/v1/overlays/{id}/shares", id))
        return result

    async def overlay_token(self, id: str) -> models.EnvelopedOverlayToken:
        """Returns the token of an overlay and the address of its page.

        `GET /v1/overlays/{id}/token`
        """
        result: models.EnvelopedOverlayToken = await self._transport.json("GET", path_of("/v1/overlays/{id}/token", id))
        return result

    async def overlays(self, *, if_none_match: str | None = None) -> models.ListedOverlay:
        """Lists the account's overlays, oldest first.

        `GET /v1/overlays`
        """
        result: models.ListedOverlay = await self._transport.json("GET", "/v1/overlays", header={"If-None-Match": if_none_match})
        return result

    async def override_global_command(self, id: str, *, body: models.OverrideGlobalCommandInput) -> models.EnvelopedBotCommand:
        """Replaces the account's override of a global command.

        `PUT /v1/bot-commands/global/{id}/override`
        """
        result: models.EnvelopedBotCommand = await self._transport.json("PUT", path_of("/v1/bot-commands/global/{id}/override", id), body=Body("json", "application/json", body))
        return result

    async def plan_limits(self, *, if_none_match: str | None = None) -> models.ListedPlanLimit:
        """Lists the limits of the account and how much of each is used.

        `GET /v1/billing/limits`
        """
        result: models.ListedPlanLimit = await self._transport.json("GET", "/v1/billing/limits", header={"If-None-Match": if_none_match})
        return result

    async def plans(self, *, if_none_match: str | None = None) -> models.ListedBillingPlan:
        """Lists the public plans.

        `GET /v1/plans`
        """
        result: models.ListedBillingPlan = await self._transport.json("GET", "/v1/plans", header={"If-None-Match": if_none_match})
        return result

    async def platform_credential_modes(self) -> models.ListedPlatformCredentialMode:
        """Lists the credential modes: whether new connections use the deployment's or the account's application.

        `GET /v1/connections/credential-modes`
        """
        result: models.ListedPlatformCredentialMode = await self._transport.json("GET", "/v1/connections/credential-modes")
        return result

    async def platform_user_profile(self, platform: str, platform_user_id: str) -> models.EnvelopedGqlUnifiedProfile:
        """Returns the profile of a user who chats.

        `GET /v1/chat/users/{platform}/{platform_user_id}`
        """
        result: models.EnvelopedGqlUnifiedProfile = await self._transport.json("GET", path_of("/v1/chat/users/{platform}/{platform_user_id}", platform, platform_user_id))
        return result

    async def play_sound(self, id: str, *, body: models.PlaySoundInput, idempotency_key: str | None = None) -> models.Success:
        """Plays a sound in browser sources.

        `POST /v1/sounds/{id}/play`
        """
        result: models.Success = await self._transport.json("POST", path_of("/v1/sounds/{id}/play", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def polls(self, *, page: int | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionPoll:
        """Returns one page of the account's polls, newest first.

        `GET /v1/chat/polls`
        """
        result: models.CollectionPoll = await self._transport.json("GET", "/v1/chat/polls", query={"page": page, "limit": limit, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    async def popout_token(self, id: str) -> models.EnvelopedPopoutToken:
        """Returns a popout token of the account.

        `GET /v1/tokens/{id}`
        """
        result: models.EnvelopedPopoutToken = await self._transport.json("GET", path_of("/v1/tokens/{id}", id))
        return result

    async def popout_tokens(self) -> models.ListedPopoutToken:
        """Lists the popout tokens of the account.

        `GET /v1/tokens`
        """
        result: models.ListedPopoutToken = await self._transport.json("GET", "/v1/tokens")
        return result

    async def predictions(self, *, page: int | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionPrediction:
        """Returns one page of the account's predictions, newest first.

        `GET /v1/chat/predictions`
        """
        result: models.CollectionPrediction = await self._transport.json("GET", "/v1/chat/predictions", query={"page": page, "limit": limit, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    async def public_channel_panel_history(self, platform: str, channel: str) -> models.ListedPublicPanel:
        """Lists the panels of a channel: the active ones, then the removed ones.

        `GET /v1/public-stats/channels/{platform}/{channel}/panel-history`
        """
        result: models.ListedPublicPanel = await self._transport.json("GET", path_of("/v1/public-stats/channels/{platform}/{channel}/panel-history", platform, channel))
        return result

    async def public_channel_profile_history(self, platform: str, channel: str, *, limit: int | None = None, offset: int | None = None) -> models.ListedPublicProfileChange:
        """Lists the changes of a channel's profile, newest first.

        `GET /v1/public-stats/channels/{platform}/{channel}/profile-history`
        """
        result: models.ListedPublicProfileChange = await self._transport.json("GET", path_of("/v1/public-stats/channels/{platform}/{channel}/profile-history", platform, channel), query={"limit": limit, "offset": offset})
        return result

    async def public_channel_stats(self, platform: str, channel: str) -> models.EnvelopedPublicChannelStats:
        """Returns the figures of a channel with its newest streams.

        `GET /v1/public-stats/channels/{platform}/{channel}`
        """
        result: models.EnvelopedPublicChannelStats = await self._transport.json("GET", path_of("/v1/public-stats/channels/{platform}/{channel}", platform, channel))
        return result

    async def public_channel_trends(self, platform: str, channel: str, *, range: Literal['DAYS_30', 'DAYS_90', 'DAYS_180', 'DAYS_365']) -> models.EnvelopedPublicChannelTrends:
        """Returns followers and average viewers of a channel by UTC day, oldest first.

        `GET /v1/public-stats/channels/{platform}/{channel}/trends`
        """
        result: models.EnvelopedPublicChannelTrends = await self._transport.json("GET", path_of("/v1/public-stats/channels/{platform}/{channel}/trends", platform, channel), query={"range": range})
        return result

    async def public_developer_profile(self, slug: str) -> models.EnvelopedPublicDeveloperProfile:
        """Returns the public profile of a developer with the listed extensions.

        `GET /v1/developer/profiles/{slug}`
        """
        result: models.EnvelopedPublicDeveloperProfile = await self._transport.json("GET", path_of("/v1/developer/profiles/{slug}", slug))
        return result

    async def public_developer_team_profile(self, slug: str) -> models.EnvelopedPublicDeveloperTeamProfile:
        """Returns the public profile of a team.

        `GET /v1/developer/teams/{slug}/profile`
        """
        result: models.EnvelopedPublicDeveloperTeamProfile = await self._transport.json("GET", path_of("/v1/developer/teams/{slug}/profile", slug))
        return result

    async def public_stats_browse(self, *, platform: Literal['twitch', 'youtube', 'kick', 'trovo'] | None = None, game: str | None = None, language: str | None = None, broadcaster_type: str | None = None, is_live: bool | None = None, search: str | None = None, min_viewers: int | None = None, max_viewers: int | None = None, sort: Literal['avg_viewers', 'peak_viewers', 'followers', 'hours_streamed', 'total_messages', 'last_streamed_at'] | None = None, order: Literal['asc', 'desc'] | None = None, range: Literal['DAYS_7', 'DAYS_30', 'DAYS_90'] | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionPublicChannel:
        """Lists channels with their figures over a range of days.

        `GET /v1/public-stats/browse`
        """
        result: models.CollectionPublicChannel = await self._transport.json("GET", "/v1/public-stats/browse", query={"platform": platform, "game": game, "language": language, "broadcaster_type": broadcaster_type, "is_live": is_live, "search": search, "min_viewers": min_viewers, "max_viewers": max_viewers, "sort": sort, "order": order, "range": range, "page": page, "limit": limit})
        return result

    async def public_stats_channels(self) -> models.ListedPublicChannelSettings:
        """Lists the account's channels with their settings in the public statistics, by platform.

        `GET /v1/public-stats/channels`
        """
        result: models.ListedPublicChannelSettings = await self._transport.json("GET", "/v1/public-stats/channels")
        return result

    async def public_stats_emotes(self, *, platform: Literal['twitch', 'youtube', 'kick', 'trovo'] | None = None, provider: Literal['twitch', '7tv', 'bttv', 'ffz', 'youtube', 'kick'] | None = None, channel: str | None = None, search: str | None = None, sort: Literal['usage', 'channels', 'name'] | None = None, order: Literal['asc', 'desc'] | None = None, range: Literal['DAYS_7', 'DAYS_30', 'DAYS_90'] | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionPublicEmote:
        """Lists emotes with their use in the chats of channels over a range of days.

        `GET /v1/public-stats/emotes`
        """
        result: models.CollectionPublicEmote = await self._transport.json("GET", "/v1/public-stats/emotes", query={"platform": platform, "provider": provider, "channel": channel, "search": search, "sort": sort, "order": order, "range": range, "page": page, "limit": limit})
        return result

    async def public_stats_game(self, platform: str, game_id: str, *, range: Literal['DAYS_7', 'DAYS_30', 'DAYS_90'] | None = None) -> models.EnvelopedPublicGameStats:
        """Returns the figures of a game with its channels on air and its viewers by UTC day.

        `GET /v1/public-stats/games/{platform}/{game_id}`
        """
        result: models.EnvelopedPublicGameStats = await self._transport.json("GET", path_of("/v1/public-stats/games/{platform}/{game_id}", platform, game_id), query={"range": range})
        return result

    async def public_stats_games(self, *, platform: Literal['twitch', 'youtube', 'kick', 'trovo'] | None = None, search: str | None = None, sort: Literal['viewers', 'channels', 'hours_watched', 'name'] | None = None, order: Literal['asc', 'desc'] | None = None, range: Literal['DAYS_7', 'DAYS_30', 'DAYS_90'] | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionPublicGame:
        """Lists games with their present figures and those over a range of days.

        `GET /v1/public-stats/games`
        """
        result: models.CollectionPublicGame = await self._transport.json("GET", "/v1/public-stats/games", query={"platform": platform, "search": search, "sort": sort, "order": order, "range": range, "page": page, "limit": limit})
        return result

    async def public_stream_stats(self, platform: str, broadcast_id: str) -> models.EnvelopedPublicStreamStats:
        """Returns the figures of a stream.

        `GET /v1/public-stats/streams/{platform}/{broadcast_id}`
        """
        result: models.EnvelopedPublicStreamStats = await self._transport.json("GET", path_of("/v1/public-stats/streams/{platform}/{broadcast_id}", platform, broadcast_id))
        return result

    async def readiness(self) -> models.ReadinessAnswer:
        """Reports whether the process can serve.

        `GET /ready`
        """
        result: models.ReadinessAnswer = await self._transport.json("GET", "/ready")
        return result

    async def receive_automation_webhook(self, extension_id_or_install_id: str, install_id_or_automation_id: str, *, body: Any, x_webhook_secret: str) -> models.EnvelopedSuccess:
        """Accepts a delivery for a trigger node's webhook.

        `POST /v1/automation/webhooks/{extension_id_or_install_id}/{install_id_or_automation_id}`
        """
        result: models.EnvelopedSuccess = await self._transport.json("POST", path_of("/v1/automation/webhooks/{extension_id_or_install_id}/{install_id_or_automation_id}", extension_id_or_install_id, install_id_or_automation_id), header={"X-Webhook-Secret": x_webhook_secret}, body=Body("json", "application/json", body))
        return result

    async def receive_kick_webhook(self, *, body: Any, kick_event_message_id: str, kick_event_message_timestamp: str, kick_event_signature: str, kick_event_type: str, kick_event_version: str) -> None:
        """Receives a delivery of Kick.

        `POST /v1/webhooks/kick`
        """
        await self._transport.nothing("POST", "/v1/webhooks/kick", header={"Kick-Event-Message-Id": kick_event_message_id, "Kick-Event-Message-Timestamp": kick_event_message_timestamp, "Kick-Event-Signature": kick_event_signature, "Kick-Event-Type": kick_event_type, "Kick-Event-Version": kick_event_version}, body=Body("json", "application/json", body))

    async def receive_oauth_callback(self, platform: str, *, code: str | None = None, state: str | None = None, error: str | None = None) -> None:
        """Receives the browser from the platform's page and redirects it (303).

        `GET /v1/connections/oauth/{platform}/exchange`
        """
        await self._transport.nothing("GET", path_of("/v1/connections/oauth/{platform}/exchange", platform), query={"code": code, "state": state, "error": error})

    async def receive_shopify_webhook(self, *, body: Any, x_shopify_hmac_sha256: str, x_shopify_shop_domain: str, x_shopify_topic: str, x_shopify_webhook_id: str, x_shopify_triggered_at: str | None = None) -> None:
        """Receives a delivery of Shopify: an order in a connected shop.

        `POST /v1/webhooks/shopify`
        """
        await self._transport.nothing("POST", "/v1/webhooks/shopify", header={"X-Shopify-Hmac-SHA256": x_shopify_hmac_sha256, "X-Shopify-Shop-Domain": x_shopify_shop_domain, "X-Shopify-Topic": x_shopify_topic, "X-Shopify-Webhook-Id": x_shopify_webhook_id, "X-Shopify-Triggered-At": x_shopify_triggered_at}, body=Body("json", "application/json", body))

    async def receive_trovo_webhook(self, *, body: Any, x_trovo_signature: str) -> None:
        """Receives a delivery of Trovo: chat in the form of its socket.

        `POST /v1/webhooks/trovo`
        """
        await self._transport.nothing("POST", "/v1/webhooks/trovo", header={"X-Trovo-Signature": x_trovo_signature}, body=Body("json", "application/json", body))

    async def receive_twitch_webhook(self, *, body: Any, twitch_eventsub_message_id: str, twitch_eventsub_message_timestamp: str, twitch_eventsub_message_signature: str, twitch_eventsub_message_type: str) -> str:
        """Receives a delivery of Twitch EventSub: a notification, a verification, or the end of a subscription.

        `POST /v1/webhooks/twitch`
        """
        result: str = await self._transport.text("POST", "/v1/webhooks/twitch", header={"Twitch-Eventsub-Message-Id": twitch_eventsub_message_id, "Twitch-Eventsub-Message-Timestamp": twitch_eventsub_message_timestamp, "Twitch-Eventsub-Message-Signature": twitch_eventsub_message_signature, "Twitch-Eventsub-Message-Type": twitch_eventsub_message_type}, body=Body("json", "application/json", body))
        return result

    async def receive_youtube_webhook(self, *, body: str, channel: str, t: str, x_hub_signature: str) -> None:
        """Receives a delivery of YouTube's hub: videos that were published or changed.

        `POST /v1/webhooks/youtube`
        """
        await self._transport.nothing("POST", "/v1/webhooks/youtube", query={"channel": channel, "t": t}, header={"X-Hub-Signature": x_hub_signature}, body=Body("text", "application/atom+xml", body))

    async def refresh_platform_user_profile(self, platform: str, platform_user_id: str, *, idempotency_key: str | None = None) -> models.EnvelopedGqlUnifiedProfile:
        """Requests the profile of a user from the platform, independent of the last request, and returns it.

        `POST /v1/chat/users/{platform}/{platform_user_id}/refresh`
        """
        result: models.EnvelopedGqlUnifiedProfile = await self._transport.json("POST", path_of("/v1/chat/users/{platform}/{platform_user_id}/refresh", platform, platform_user_id), header={"Idempotency-Key": idempotency_key})
        return result

    async def refresh_token(self, *, body: models.RefreshTokenInput) -> models.EnvelopedRefreshedToken:
        """Exchanges a refresh token for the next pair of tokens of its session.

        `POST /v1/auth/refresh`
        """
        result: models.EnvelopedRefreshedToken = await self._transport.json("POST", "/v1/auth/refresh", body=Body("json", "application/json", body))
        return result

    async def rejoin_bot(self, *, body: models.RejoinBotInput, idempotency_key: str | None = None) -> models.Success:
        """Requests that the bot leaves a channel and joins it again.

        `POST /v1/bot-rejoin`
        """
        result: models.Success = await self._transport.json("POST", "/v1/bot-rejoin", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def remove_developer_team_member(self, id: str, member_id: str) -> None:
        """Removes a member of a team, or ends the caller's own membership.

        `DELETE /v1/developer/teams/{id}/members/{member_id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/developer/teams/{id}/members/{member_id}", id, member_id))

    async def remove_extension_tester(self, id: str, user_id: str) -> None:
        """Removes a tester from one of the caller's extensions.

        `DELETE /v1/developer/extensions/{id}/testers/{user_id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/developer/extensions/{id}/testers/{user_id}", id, user_id))

    async def remove_from_watchlist(self, id: str) -> None:
        """Removes a channel from the caller's watchlist.

        `DELETE /v1/watchlist/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/watchlist/{id}", id))

    async def remove_idea_comment_vote(self, id: str) -> models.EnvelopedIdeaComment:
        """Removes the caller's vote on a comment. Without a vote nothing changes.

        `DELETE /v1/ideas/comments/{id}/vote`
        """
        result: models.EnvelopedIdeaComment = await self._transport.json("DELETE", path_of("/v1/ideas/comments/{id}/vote", id))
        return result

    async def remove_login_assignment(self, provider: str, *, user_id: str | None = None) -> None:
        """Removes the login assignment of a member for a platform.

        `DELETE /v1/accounts/login-assignments/{provider}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/accounts/login-assignments/{provider}", provider), query={"user_id": user_id})

    async def remove_member(self, id: str, membership_id: str) -> None:
        """Removes a member from the account.

        `DELETE /v1/accounts/{id}/members/{membership_id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/accounts/{id}/members/{membership_id}", id, membership_id))

    async def remove_overlay_access(self, id: str, user_id: str) -> None:
        """Removes a member's entry of an overlay.

        `DELETE /v1/overlays/{id}/access/{user_id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/overlays/{id}/access/{user_id}", id, user_id))

    async def remove_user_permission_override(self, user_id: str, permission: str) -> None:
        """Removes a permission override of a person, so that the roles decide again.

        `DELETE /v1/users/{user_id}/permission-overrides/{permission}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/users/{user_id}/permission-overrides/{permission}", user_id, permission))

    async def remove_user_role(self, user_id: str, role_id: str) -> None:
        """Removes a platform-wide role from a person.

        `DELETE /v1/users/{user_id}/roles/{role_id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/users/{user_id}/roles/{role_id}", user_id, role_id))

    async def remove_vote(self, id: str) -> models.EnvelopedGqlIdea:
        """Removes the caller's vote on an idea, also on one that is done or declined. Without a vote nothing changes.

        `DELETE /v1/ideas/{id}/vote`
        """
        result: models.EnvelopedGqlIdea = await self._transport.json("DELETE", path_of("/v1/ideas/{id}/vote", id))
        return result

    async def remove_widget_access(self, id: str, user_id: str) -> None:
        """Removes a member's entry of a widget.

        `DELETE /v1/widgets/{id}/access/{user_id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/widgets/{id}/access/{user_id}", id, user_id))

    async def replay_webhook_delivery(self, endpoint_id: str, delivery_id: str, *, idempotency_key: str | None = None) -> models.EnvelopedWebhookDelivery:
        """Sends a delivery of a webhook endpoint once more.

        `POST /v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/replay`
        """
        result: models.EnvelopedWebhookDelivery = await self._transport.json("POST", path_of("/v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/replay", endpoint_id, delivery_id), header={"Idempotency-Key": idempotency_key})
        return result

    async def request_developer_payout(self, *, body: models.RequestDeveloperPayoutInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperPayout:
        """Requests a payout of the balance of the caller, or of a team, by the method of the payout settings.

        `POST /v1/developer/payouts/request`
        """
        result: models.EnvelopedDeveloperPayout = await self._transport.json("POST", "/v1/developer/payouts/request", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def request_extension_publication(self, id: str, v: str, *, idempotency_key: str | None = None) -> models.EnvelopedDeveloperVersion:
        """Requests the publication of a version in testing.

        `POST /v1/developer/extensions/{id}/versions/{v}/request-publication`
        """
        result: models.EnvelopedDeveloperVersion = await self._transport.json("POST", path_of("/v1/developer/extensions/{id}/versions/{v}/request-publication", id, v), header={"Idempotency-Key": idempotency_key})
        return result

    async def reset_command_override(self, id: str) -> None:
        """Removes the account's override of a global command.

        `DELETE /v1/bot-commands/global/{id}/override`
        """
        await self._transport.nothing("DELETE", path_of("/v1/bot-commands/global/{id}/override", id))

    async def resolved_user_permissions(self, user_id: str) -> models.EnvelopedResolvedUserPermissions:
        """Returns the effective permissions of a person, with their sources.

        `GET /v1/users/{user_id}/permissions/resolved`
        """
        result: models.EnvelopedResolvedUserPermissions = await self._transport.json("GET", path_of("/v1/users/{user_id}/permissions/resolved", user_id))
        return result

    async def revoke_extension_access(self, id: str, account_id: str) -> None:
        """Revokes an account's access to one of the caller's extensions.

        `DELETE /v1/developer/extensions/{id}/access/{account_id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/developer/extensions/{id}/access/{account_id}", id, account_id))

    async def revoke_other_sessions(self) -> None:
        """Ends every session of the caller except the current one.

        `DELETE /v1/users/me/sessions`
        """
        await self._transport.nothing("DELETE", "/v1/users/me/sessions")

    async def revoke_overlay_share(self, id: str) -> None:
        """Revokes a share of an overlay.

        `DELETE /v1/overlay-shares/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/overlay-shares/{id}", id))

    async def revoke_session(self, id: str) -> None:
        """Ends one of the caller's sessions.

        `DELETE /v1/users/me/sessions/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/users/me/sessions/{id}", id))

    async def revoke_shared_link(self, id: str) -> None:
        """Revokes an active link.

        `DELETE /v1/history/shared-links/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/history/shared-links/{id}", id))

    async def reward(self, id: str) -> models.EnvelopedReward:
        """Returns a reward of the account.

        `GET /v1/rewards/{id}`
        """
        result: models.EnvelopedReward = await self._transport.json("GET", path_of("/v1/rewards/{id}", id))
        return result

    async def rewards(self, *, if_none_match: str | None = None) -> models.ListedReward:
        """Lists the account's rewards, oldest first.

        `GET /v1/rewards`
        """
        result: models.ListedReward = await self._transport.json("GET", "/v1/rewards", header={"If-None-Match": if_none_match})
        return result

    async def role(self, id: str) -> models.EnvelopedAccountRole:
        """Returns a role of the active account.

        `GET /v1/roles/{id}`
        """
        result: models.EnvelopedAccountRole = await self._transport.json("GET", path_of("/v1/roles/{id}", id))
        return result

    async def roles(self) -> models.ListedAccountRole:
        """Lists the roles of the active account by position.

        `GET /v1/roles`
        """
        result: models.ListedAccountRole = await self._transport.json("GET", "/v1/roles")
        return result

    async def rotate_overlay_token(self, id: str, *, idempotency_key: str | None = None) -> models.EnvelopedOverlayToken:
        """Replaces the token of an overlay.

        `POST /v1/overlays/{id}/token/rotate`
        """
        result: models.EnvelopedOverlayToken = await self._transport.json("POST", path_of("/v1/overlays/{id}/token/rotate", id), header={"Idempotency-Key": idempotency_key})
        return result

    async def rotate_webhook_secret(self, endpoint_id: str, *, idempotency_key: str | None = None) -> models.EnvelopedWebhookSecret:
        """Replaces the secret of a webhook endpoint.

        `POST /v1/webhook-endpoints/{endpoint_id}/rotate-secret`
        """
        result: models.EnvelopedWebhookSecret = await self._transport.json("POST", path_of("/v1/webhook-endpoints/{endpoint_id}/rotate-secret", endpoint_id), header={"Idempotency-Key": idempotency_key})
        return result

    async def rotate_widget_token(self, id: str, *, idempotency_key: str | None = None) -> models.EnvelopedWidget:
        """Replaces the token of a widget. The response contains the new one.

        `POST /v1/widgets/{id}/token/rotate`
        """
        result: models.EnvelopedWidget = await self._transport.json("POST", path_of("/v1/widgets/{id}/token/rotate", id), header={"Idempotency-Key": idempotency_key})
        return result

    async def run_extension_action(self, *, body: models.RunExtensionActionInput) -> models.ExtensionActionResult:
        """Executes an action of an extension's handler.

        `POST /v1/internal/actions`
        """
        result: models.ExtensionActionResult = await self._transport.json("POST", "/v1/internal/actions", body=Body("json", "application/json", body))
        return result

    async def run_notification_action(self, id: str, key: str, *, idempotency_key: str | None = None) -> models.Success:
        """Runs an action that a notification of the caller offers.

        `POST /v1/notifications/{id}/actions/{key}`
        """
        result: models.Success = await self._transport.json("POST", path_of("/v1/notifications/{id}/actions/{key}", id, key), header={"Idempotency-Key": idempotency_key})
        return result

    async def safe_songs(self, *, search: str | None = None, page: int | None = None, limit: int | None = None, if_none_match: str | None = None) -> models.CollectionListedSong:
        """Lists the songs that the account plays, newest first.

        `GET /v1/copyright/safe-songs`
        """
        result: models.CollectionListedSong = await self._transport.json("GET", "/v1/copyright/safe-songs", query={"search": search, "page": page, "limit": limit}, header={"If-None-Match": if_none_match})
        return result

    async def save_app_credentials(self, platform: str, *, body: models.SaveAppCredentialsInput) -> models.EnvelopedAppCredentials:
        """Saves an application of the account for a platform.

        `PUT /v1/connections/app-credentials/{platform}`
        """
        result: models.EnvelopedAppCredentials = await self._transport.json("PUT", path_of("/v1/connections/app-credentials/{platform}", platform), body=Body("json", "application/json", body))
        return result

    async def save_obs_config(self, *, body: models.SaveObsConfigInput) -> models.EnvelopedObsConfig:
        """Saves how the account reaches its OBS.

        `PUT /v1/integrations/obs`
        """
        result: models.EnvelopedObsConfig = await self._transport.json("PUT", "/v1/integrations/obs", body=Body("json", "application/json", body))
        return result

    async def se_tokens(self) -> models.ListedSeToken:
        """Lists the account's tokens of StreamElements by platform.

        `GET /v1/se-tokens`
        """
        result: models.ListedSeToken = await self._transport.json("GET", "/v1/se-tokens")
        return result

    async def search_platform_users(self, *, q: str, platform: str | None = None, limit: int | None = None) -> models.ListedPlatformUser:
        """Lists users who chatted and whose username or display name begins with the query.

        `GET /v1/chat/users/search`
        """
        result: models.ListedPlatformUser = await self._transport.json("GET", "/v1/chat/users/search", query={"q": q, "platform": platform, "limit": limit})
        return result

    async def search_users(self, *, q: str | None = None, limit: int | None = None) -> models.ListedFoundUser:
        """Finds people who are not members by the beginning of a name.

        `GET /v1/members/search`
        """
        result: models.ListedFoundUser = await self._transport.json("GET", "/v1/members/search", query={"q": q, "limit": limit})
        return result

    async def send_chat_to_platform(self, *, body: models.SendChatToPlatformInput, idempotency_key: str | None = None) -> models.EnvelopedGqlSendResult:
        """Sends a chat message to one platform.

        `POST /v1/chat/send`
        """
        result: models.EnvelopedGqlSendResult = await self._transport.json("POST", "/v1/chat/send", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def set_channel_reconnect_flag(self, id: str, *, body: models.ChannelReconnectFlagInput) -> models.EnvelopedChannelConnection:
        """Clears or sets the reconnect flag of a channel.

        `PUT /v1/channel-connections/{id}/reconnect-flag`
        """
        result: models.EnvelopedChannelConnection = await self._transport.json("PUT", path_of("/v1/channel-connections/{id}/reconnect-flag", id), body=Body("json", "application/json", body))
        return result

    async def set_extension_secret(self, id: str, key: str, *, body: models.SetExtensionSecretInput) -> None:
        """Sets a secret of one of the caller's extensions, or replaces it.

        `PUT /v1/developer/extensions/{id}/secrets/{key}`
        """
        await self._transport.nothing("PUT", path_of("/v1/developer/extensions/{id}/secrets/{key}", id, key), body=Body("json", "application/json", body))

    async def set_extension_storage(self, id: str, *, body: models.SetExtensionStorageInput) -> models.EnvelopedExtensionStorage:
        """Replaces the shared storage of an install.

        `PUT /v1/extension-installs/{id}/storage`
        """
        result: models.EnvelopedExtensionStorage = await self._transport.json("PUT", path_of("/v1/extension-installs/{id}/storage", id), body=Body("json", "application/json", body))
        return result

    async def set_extension_storage_by_post(self, id: str, *, body: models.SetExtensionStorageInput, idempotency_key: str | None = None) -> models.EnvelopedExtensionStorage:
        """Replaces the shared storage of an install, for clients that can send POST only.

        `POST /v1/extension-installs/{id}/storage`
        """
        result: models.EnvelopedExtensionStorage = await self._transport.json("POST", path_of("/v1/extension-installs/{id}/storage", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def set_extension_visibility(self, id: str, *, body: models.SetExtensionVisibilityInput) -> models.EnvelopedDeveloperExtension:
        """Sets the visibility of one of the caller's extensions.

        `PUT /v1/developer/extensions/{id}/visibility`
        """
        result: models.EnvelopedDeveloperExtension = await self._transport.json("PUT", path_of("/v1/developer/extensions/{id}/visibility", id), body=Body("json", "application/json", body))
        return result

    async def set_login_reconnect_flag(self, id: str, *, body: models.LoginReconnectFlagInput) -> models.EnvelopedLoginConnection:
        """Clears or sets the prompt to reconnect a login connection.

        `PUT /v1/login-connections/{id}/reconnect-flag`
        """
        result: models.EnvelopedLoginConnection = await self._transport.json("PUT", path_of("/v1/login-connections/{id}/reconnect-flag", id), body=Body("json", "application/json", body))
        return result

    async def set_obs_scene(self, *, body: models.SetObsSceneInput, idempotency_key: str | None = None) -> models.ObsCommandResult:
        """Puts a scene of OBS on air.

        `POST /v1/integrations/obs/scene`
        """
        result: models.ObsCommandResult = await self._transport.json("POST", "/v1/integrations/obs/scene", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def set_obs_source(self, *, body: models.SetObsSourceInput, idempotency_key: str | None = None) -> models.ObsCommandResult:
        """Shows or hides a source of a scene of OBS.

        `POST /v1/integrations/obs/source`
        """
        result: models.ObsCommandResult = await self._transport.json("POST", "/v1/integrations/obs/source", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def set_overlay_access(self, id: str, user_id: str, *, body: models.SetAccessInput) -> models.EnvelopedOverlayAccessEntry:
        """Gives a member a role for an overlay, or removes it with `none`.

        `PUT /v1/overlays/{id}/access/{user_id}`
        """
        result: models.EnvelopedOverlayAccessEntry = await self._transport.json("PUT", path_of("/v1/overlays/{id}/access/{user_id}", id, user_id), body=Body("json", "application/json", body))
        return result

    async def set_primary_login_connection(self, *, body: models.SetPrimaryLoginConnectionInput) -> models.EnvelopedAccount:
        """Sets the login connection that gives an account its avatar.

        `PUT /v1/accounts/primary-connection`
        """
        result: models.EnvelopedAccount = await self._transport.json("PUT", "/v1/accounts/primary-connection", body=Body("json", "application/json", body))
        return result

    async def set_usage_budget(self, *, body: models.SetUsageBudgetInput) -> models.EnvelopedUsageBudget:
        """Sets a budget of the account, or of an extension or key in it.

        `PUT /v1/usage/budgets`
        """
        result: models.EnvelopedUsageBudget = await self._transport.json("PUT", "/v1/usage/budgets", body=Body("json", "application/json", body))
        return result

    async def set_user_permission_override(self, user_id: str, *, body: models.SetPermissionOverrideInput) -> models.EnvelopedUserPermissionOverride:
        """Grants or denies a platform-wide permission to a person, whatever the roles hold.

        `PUT /v1/users/{user_id}/permission-overrides`
        """
        result: models.EnvelopedUserPermissionOverride = await self._transport.json("PUT", path_of("/v1/users/{user_id}/permission-overrides", user_id), body=Body("json", "application/json", body))
        return result

    async def set_widget_access(self, id: str, user_id: str, *, body: models.SetAccessInput) -> models.EnvelopedWidgetAccessEntry:
        """Gives a member a role for a widget, or removes it with `none`.

        `PUT /v1/widgets/{id}/access/{user_id}`
        """
        result: models.EnvelopedWidgetAccessEntry = await self._transport.json("PUT", path_of("/v1/widgets/{id}/access/{user_id}", id, user_id), body=Body("json", "application/json", body))
        return result

    async def shared_links(self, id: str) -> models.ListedSharedLink:
        """Lists the shared links of a report, the newest first, also those that have ended.

        `GET /v1/history/reports/{id}/shared-links`
        """
        result: models.ListedSharedLink = await self._transport.json("GET", path_of("/v1/history/reports/{id}/shared-links", id))
        return result

    async def shared_report(self, token: str, *, x_share_password: str | None = None) -> models.EnvelopedSharedStreamReport:
        """Returns the report that a shared link shows, with its samples.

        `GET /v1/history/shared/{token}`
        """
        result: models.EnvelopedSharedStreamReport = await self._transport.json("GET", path_of("/v1/history/shared/{token}", token), header={"X-Share-Password": x_share_password})
        return result

    async def shared_report_page(self, token: str) -> str:
        """Returns the page that shows a shared report to people.

        `GET /v1/history/shared/{token}/page`
        """
        result: str = await self._transport.text("GET", path_of("/v1/history/shared/{token}/page", token))
        return result

    async def sound(self, id: str) -> models.EnvelopedSound:
        """Returns a sound of the account or of one of its installed extensions.

        `GET /v1/sounds/{id}`
        """
        result: models.EnvelopedSound = await self._transport.json("GET", path_of("/v1/sounds/{id}", id))
        return result

    async def sound_media(self, id: str, *, exp: int | None = None, sig: str | None = None, install: str | None = None) -> bytes:
        """Returns a sound as raw bytes, for its signed address.

        `GET /v1/media/sound/{id}`
        """
        result: bytes = await self._transport.content("GET", path_of("/v1/media/sound/{id}", id), query={"exp": exp, "sig": sig, "install": install})
        return result

    async def sound_stream(self, id: str) -> bytes:
        """Returns a sound as raw bytes.

        `GET /v1/sounds/{id}/stream`
        """
        result: bytes = await self._transport.content("GET", path_of("/v1/sounds/{id}/stream", id))
        return result

    async def sounds(self, *, limit: int | None = None, offset: int | None = None, search: str | None = None) -> models.EnvelopedSoundList:
        """Lists the sounds of the account and of its installed extensions, newest first, with the limits of the plan.

        `GET /v1/sounds`
        """
        result: models.EnvelopedSoundList = await self._transport.json("GET", "/v1/sounds", query={"limit": limit, "offset": offset, "search": search})
        return result

    async def spotify_add_to_queue(self, *, body: models.SpotifyAddToQueueInput, idempotency_key: str | None = None) -> models.Success:
        """Adds a track to the queue. The change is published as `spotify:queue`.

        `POST /v1/spotify/queue`
        """
        result: models.Success = await self._transport.json("POST", "/v1/spotify/queue", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def spotify_manual_connect(self) -> models.EnvelopedSpotifyManualConnect:
        """Returns whether the player is polled although no channel is live, and for how long.

        `GET /v1/spotify/manual-connect`
        """
        result: models.EnvelopedSpotifyManualConnect = await self._transport.json("GET", "/v1/spotify/manual-connect")
        return result

    async def spotify_next(self, *, idempotency_key: str | None = None) -> models.Success:
        """Skips to the next track.

        `POST /v1/spotify/next`
        """
        result: models.Success = await self._transport.json("POST", "/v1/spotify/next", header={"Idempotency-Key": idempotency_key})
        return result

    async def spotify_pause(self, *, idempotency_key: str | None = None) -> models.Success:
        """Pauses playback.

        `POST /v1/spotify/pause`
        """
        result: models.Success = await self._transport.json("POST", "/v1/spotify/pause", header={"Idempotency-Key": idempotency_key})
        return result

    async def spotify_play(self, *, body: models.SpotifyPlayInput, idempotency_key: str | None = None) -> models.Success:
        """Resumes playback, or plays the given track in place of the present one.

        `POST /v1/spotify/play`
        """
        result: models.Success = await self._transport.json("POST", "/v1/spotify/play", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def spotify_play_playlist(self, id: str, *, idempotency_key: str | None = None) -> models.Success:
        """Plays a playlist by its id at Spotify, also one that is not in the user's library.

        `POST /v1/spotify/playlists/{id}/play`
        """
        result: models.Success = await self._transport.json("POST", path_of("/v1/spotify/playlists/{id}/play", id), header={"Idempotency-Key": idempotency_key})
        return result

    async def spotify_playlists(self) -> models.ListedSpotifyPlaylist:
        """Lists the first 50 playlists of the user's library, in its order.

        `GET /v1/spotify/playlists`
        """
        result: models.ListedSpotifyPlaylist = await self._transport.json("GET", "/v1/spotify/playlists")
        return result

    async def spotify_previous(self, *, idempotency_key: str | None = None) -> models.Success:
        """Returns to the previous track.

        `POST /v1/spotify/previous`
        """
        result: models.Success = await self._transport.json("POST", "/v1/spotify/previous", header={"Idempotency-Key": idempotency_key})
        return result

    async def spotify_repeat(self, *, body: models.SpotifyRepeatInput, idempotency_key: str | None = None) -> models.Success:
        """Sets what is repeated: nothing, the track, or the playlist or album.

        `POST /v1/spotify/repeat`
        """
        result: models.Success = await self._transport.json("POST", "/v1/spotify/repeat", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def spotify_search(self, *, q: str, limit: int | None = None) -> models.ListedSpotifyTrack:
        """Finds tracks in Spotify's catalogue, best matches first.

        `GET /v1/spotify/search`
        """
        result: models.ListedSpotifyTrack = await self._transport.json("GET", "/v1/spotify/search", query={"q": q, "limit": limit})
        return result

    async def spotify_seek(self, *, body: models.SpotifySeekInput, idempotency_key: str | None = None) -> models.Success:
        """Jumps to a position in the track. A position behind its end starts the next track.

        `POST /v1/spotify/seek`
        """
        result: models.Success = await self._transport.json("POST", "/v1/spotify/seek", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def spotify_set_device(self, *, body: models.SpotifySetDeviceInput, idempotency_key: str | None = None) -> models.Success:
        """Moves playback to another device. It plays there if it played before.

        `POST /v1/spotify/device`
        """
        result: models.Success = await self._transport.json("POST", "/v1/spotify/device", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def spotify_set_volume(self, *, body: models.SpotifySetVolumeInput) -> models.Success:
        """Sets the volume of the device that plays.

        `PUT /v1/spotify/volume`
        """
        result: models.Success = await self._transport.json("PUT", "/v1/spotify/volume", body=Body("json", "application/json", body))
        return result

    async def spotify_shuffle(self, *, body: models.SpotifyShuffleInput, idempotency_key: str | None = None) -> models.Success:
        """Starts or ends random order of the tracks.

        `POST /v1/spotify/shuffle`
        """
        result: models.Success = await self._transport.json("POST", "/v1/spotify/shuffle", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def spotify_state(self, *, if_none_match: str | None = None) -> models.EnvelopedSpotifyState:
        """Returns the state of the player with its queue, devices and playlists, as Spotify has it now.

        `GET /v1/spotify/state`
        """
        result: models.EnvelopedSpotifyState = await self._transport.json("GET", "/v1/spotify/state", header={"If-None-Match": if_none_match})
        return result

    async def start_obs_record(self, *, idempotency_key: str | None = None) -> models.ObsCommandResult:
        """Starts the recording in OBS.

        `POST /v1/integrations/obs/record/start`
        """
        result: models.ObsCommandResult = await self._transport.json("POST", "/v1/integrations/obs/record/start", header={"Idempotency-Key": idempotency_key})
        return result

    async def start_obs_stream(self, *, idempotency_key: str | None = None) -> models.ObsCommandResult:
        """Starts the stream in OBS.

        `POST /v1/integrations/obs/stream/start`
        """
        result: models.ObsCommandResult = await self._transport.json("POST", "/v1/integrations/obs/stream/start", header={"Idempotency-Key": idempotency_key})
        return result

    async def start_raid(self, *, body: models.StartRaidInput, idempotency_key: str | None = None) -> models.EnvelopedRaid:
        """Starts a raid from the account's channel to another channel.

        `POST /v1/chat/raid`
        """
        result: models.EnvelopedRaid = await self._transport.json("POST", "/v1/chat/raid", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def start_spotify_manual_connect(self, *, idempotency_key: str | None = None) -> models.EnvelopedSpotifyManualConnect:
        """Polls the player for 30 minutes although no channel is live. An active manual connect lasts for 30 minutes from now on.

        `POST /v1/spotify/manual-connect`
        """
        result: models.EnvelopedSpotifyManualConnect = await self._transport.json("POST", "/v1/spotify/manual-connect", header={"Idempotency-Key": idempotency_key})
        return result

    async def stop_obs_record(self, *, idempotency_key: str | None = None) -> models.ObsCommandResult:
        """Stops the recording in OBS.

        `POST /v1/integrations/obs/record/stop`
        """
        result: models.ObsCommandResult = await self._transport.json("POST", "/v1/integrations/obs/record/stop", header={"Idempotency-Key": idempotency_key})
        return result

    async def stop_obs_stream(self, *, idempotency_key: str | None = None) -> models.ObsCommandResult:
        """Stops the stream in OBS.

        `POST /v1/integrations/obs/stream/stop`
        """
        result: models.ObsCommandResult = await self._transport.json("POST", "/v1/integrations/obs/stream/stop", header={"Idempotency-Key": idempotency_key})
        return result

    async def stop_sound(self, id: str, *, body: models.StopSoundInput, idempotency_key: str | None = None) -> models.Success:
        """Ends a sound in browser sources.

        `POST /v1/sounds/{id}/stop`
        """
        result: models.Success = await self._transport.json("POST", path_of("/v1/sounds/{id}/stop", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def stop_spotify_manual_connect(self) -> models.EnvelopedSpotifyManualConnect:
        """Ends a manual connect. The player is still polled while a channel is live. Without effect when it is not active.

        `DELETE /v1/spotify/manual-connect`
        """
        result: models.EnvelopedSpotifyManualConnect = await self._transport.json("DELETE", "/v1/spotify/manual-connect")
        return result

    async def store_extension(self, id: str, *, if_none_match: str | None = None) -> models.EnvelopedStoreExtensionDetail:
        """Returns one extension of the store, by id or slug.

        `GET /v1/extensions/{id}`
        """
        result: models.EnvelopedStoreExtensionDetail = await self._transport.json("GET", path_of("/v1/extensions/{id}", id), header={"If-None-Match": if_none_match})
        return result

    async def store_extensions(self, *, search: str | None = None, category: Literal['widget', 'bot_module', 'automation_node', 'theme', 'integration'] | None = None, pricing: Literal['free', 'one_time', 'subscription'] | None = None, sort: Literal['popular', 'newest', 'rating', 'name'] | None = None, page: int | None = None, limit: int | None = None, if_none_match: str | None = None) -> models.CollectionStoreExtension:
        """Lists the extensions of the store.

        `GET /v1/extensions`
        """
        result: models.CollectionStoreExtension = await self._transport.json("GET", "/v1/extensions", query={"search": search, "category": category, "pricing": pricing, "sort": sort, "page": page, "limit": limit}, header={"If-None-Match": if_none_match})
        return result

    async def stream_history(self, *, page: int | None = None, per_page: int | None = None, from_: str | None = None, to: str | None = None, session_type: models.StreamSessionType | None = None, platform: str | None = None, search: str | None = None, category: str | None = None, sort_by: Literal['started_at', 'duration_secs', 'peak_viewers', 'avg_viewers', 'total_messages', 'unique_chatters', 'new_followers'] | None = None, sort_dir: Literal['asc', 'desc'] | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionStreamSession:
        """Returns one page of the account's stream sessions, the newest first unless another order is requested.

        `GET /v1/history`
        """
        result: models.CollectionStreamSession = await self._transport.json("GET", "/v1/history", query={"page": page, "per_page": per_page, "from": from_, "to": to, "session_type": session_type, "platform": platform, "search": search, "category": category, "sort_by": sort_by, "sort_dir": sort_dir, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    async def stream_history_filter_options(self) -> models.EnvelopedStreamHistoryFilterOptions:
        """Returns the platforms and categories of the account's sessions.

        `GET /v1/history/filter-options`
        """
        result: models.EnvelopedStreamHistoryFilterOptions = await self._transport.json("GET", "/v1/history/filter-options")
        return result

    async def stream_report(self, id: str, *, if_none_match: str | None = None) -> models.EnvelopedStreamReport:
        """Returns the report of a stream session.

        `GET /v1/history/reports/{id}`
        """
        result: models.EnvelopedStreamReport = await self._transport.json("GET", path_of("/v1/history/reports/{id}", id), header={"If-None-Match": if_none_match})
        return result

    async def stream_report_stats(self, id: str, *, platform: str | None = None) -> models.ListedStreamSample:
        """Returns the samples of a stream session, one for each minute and platform, by time.

        `GET /v1/history/reports/{id}/stats`
        """
        result: models.ListedStreamSample = await self._transport.json("GET", path_of("/v1/history/reports/{id}/stats", id), query={"platform": platform})
        return result

    async def submit_developer_application(self, *, body: models.SubmitDeveloperApplicationInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperApplication:
        """Applies to become a developer, alone or with a team.

        `POST /v1/developer/application`
        """
        result: models.EnvelopedDeveloperApplication = await self._transport.json("POST", "/v1/developer/application", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def submit_developer_verification(self, *, body: models.SubmitDeveloperVerificationInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperVerification:
        """Submits the data by which staff verifies the caller as a developer.

        `POST /v1/developer/verification`
        """
        result: models.EnvelopedDeveloperVerification = await self._transport.json("POST", "/v1/developer/verification", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def submit_extension_feedback(self, id: str, *, body: models.SubmitExtensionFeedbackInput, idempotency_key: str | None = None) -> models.EnvelopedExtensionFeedback:
        """Sends feedback on the version in testing that an install runs.

        `POST /v1/extension-installs/{id}/feedback`
        """
        result: models.EnvelopedExtensionFeedback = await self._transport.json("POST", path_of("/v1/extension-installs/{id}/feedback", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def submit_extension_version(self, id: str, v: str, *, idempotency_key: str | None = None) -> models.EnvelopedDeveloperVersion:
        """Submits a draft for review again.

        `POST /v1/developer/extensions/{id}/versions/{v}/submit`
        """
        result: models.EnvelopedDeveloperVersion = await self._transport.json("POST", path_of("/v1/developer/extensions/{id}/versions/{v}/submit", id, v), header={"Idempotency-Key": idempotency_key})
        return result

    async def test_obs_connection(self, *, idempotency_key: str | None = None) -> models.ObsTestResult:
        """Tests the stored configuration: connects to OBS, identifies and disconnects, within 10 seconds.

        `POST /v1/integrations/obs/test`
        """
        result: models.ObsTestResult = await self._transport.json("POST", "/v1/integrations/obs/test", header={"Idempotency-Key": idempotency_key})
        return result

    async def test_webhook_endpoint(self, endpoint_id: str, *, idempotency_key: str | None = None) -> models.EnvelopedWebhookDelivery:
        """Sends a test to a webhook endpoint.

        `POST /v1/webhook-endpoints/{endpoint_id}/test`
        """
        result: models.EnvelopedWebhookDelivery = await self._transport.json("POST", path_of("/v1/webhook-endpoints/{endpoint_id}/test", endpoint_id), header={"Idempotency-Key": idempotency_key})
        return result

    async def toggle_bot_for_platform(self, *, body: models.ToggleBotForPlatformInput, idempotency_key: str | None = None) -> models.EnvelopedBotStatus:
        """Switches the bot in a channel on or off.

        `POST /v1/bot-toggle`
        """
        result: models.EnvelopedBotStatus = await self._transport.json("POST", "/v1/bot-toggle", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def transfer_extension(self, id: str, *, body: models.TransferExtensionInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperExtension:
        """Transfers an extension to a team, or from a team to its owner.

        `POST /v1/developer/extensions/{id}/transfer`
        """
        result: models.EnvelopedDeveloperExtension = await self._transport.json("POST", path_of("/v1/developer/extensions/{id}/transfer", id), header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def uninstall_extension(self, id: str) -> None:
        """Uninstalls an extension from the account.

        `DELETE /v1/extension-installs/{id}`
        """
        await self._transport.nothing("DELETE", path_of("/v1/extension-installs/{id}", id))

    async def update_account(self, id: str, *, body: models.UpdateAccountInput) -> models.EnvelopedAccount:
        """Updates name and description of the account that the caller acts in.

        `PATCH /v1/accounts/{id}`
        """
        result: models.EnvelopedAccount = await self._transport.json("PATCH", path_of("/v1/accounts/{id}", id), body=Body("json", "application/json", body))
        return result

    async def update_account_service_key(self, id: str, *, body: models.UpdateAccountServiceKeyInput) -> models.EnvelopedAccountServiceKey:
        """Renames a service key.

        `PATCH /v1/service-keys/{id}`
        """
        result: models.EnvelopedAccountServiceKey = await self._transport.json("PATCH", path_of("/v1/service-keys/{id}", id), body=Body("json", "application/json", body))
        return result

    async def update_account_settings(self, *, body: models.UpdateAccountSettingsInput) -> models.EnvelopedAccountSettings:
        """Updates settings of the account.

        `PATCH /v1/settings`
        """
        result: models.EnvelopedAccountSettings = await self._transport.json("PATCH", "/v1/settings", body=Body("json", "application/json", body))
        return result

    async def update_automation(self, id: str, *, body: models.AutomationChanges) -> models.EnvelopedAutomation:
        """Changes an automation, enables or disables it.

        `PATCH /v1/automations/{id}`
        """
        result: models.EnvelopedAutomation = await self._transport.json("PATCH", path_of("/v1/automations/{id}", id), body=Body("json", "application/json", body))
        return result

    async def update_automation_graph(self, id: str, *, body: models.UpdateAutomationGraphInput) -> models.EnvelopedAutomation:
        """Replaces the graph of an automation.

        `PUT /v1/automations/{id}/graph`
        """
        result: models.EnvelopedAutomation = await self._transport.json("PUT", path_of("/v1/automations/{id}/graph", id), body=Body("json", "application/json", body))
        return result

    async def update_bot_command(self, id: str, *, body: models.UpdateBotCommandInput) -> models.EnvelopedBotCommand:
        """Changes a command of the account.

        `PATCH /v1/bot-commands/{id}`
        """
        result: models.EnvelopedBotCommand = await self._transport.json("PATCH", path_of("/v1/bot-commands/{id}", id), body=Body("json", "application/json", body))
        return result

    async def update_bot_module(self, name: str, *, body: models.UpdateBotModuleInput) -> models.EnvelopedBotModule:
        """Replaces the settings of a built-in module and switches it on or off.

        `PUT /v1/bot-modules/{name}`
        """
        result: models.EnvelopedBotModule = await self._transport.json("PUT", path_of("/v1/bot-modules/{name}", name), body=Body("json", "application/json", body))
        return result

    async def update_developer_payout_settings(self, *, body: models.UpdateDeveloperPayoutSettingsInput, idempotency_key: str | None = None) -> models.EnvelopedDeveloperPayoutSettings:
        """Changes the ways in which the caller, or a team, is paid.

        `POST /v1/developer/payouts`
        """
        result: models.EnvelopedDeveloperPayoutSettings = await self._transport.json("POST", "/v1/developer/payouts", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def update_developer_profile(self, *, body: models.UpdateDeveloperProfileInput) -> models.EnvelopedDeveloperProfile:
        """Changes the caller's own profile as a developer. The slug stays as it is.

        `PATCH /v1/developer/profile`
        """
        result: models.EnvelopedDeveloperProfile = await self._transport.json("PATCH", "/v1/developer/profile", body=Body("json", "application/json", body))
        return result

    async def update_developer_team(self, id: str, *, body: models.UpdateDeveloperTeamInput) -> models.EnvelopedDeveloperTeam:
        """Changes a team.

        `PATCH /v1/developer/teams/{id}`
        """
        result: models.EnvelopedDeveloperTeam = await self._transport.json("PATCH", path_of("/v1/developer/teams/{id}", id), body=Body("json", "application/json", body))
        return result

    async def update_developer_team_member_role(self, id: str, member_id: str, *, body: models.UpdateDeveloperTeamMemberRoleInput) -> models.EnvelopedDeveloperTeamMember:
        """Gives a member of a team another role.

        `PATCH /v1/developer/teams/{id}/members/{member_id}/role`
        """
        result: models.EnvelopedDeveloperTeamMember = await self._transport.json("PATCH", path_of("/v1/developer/teams/{id}/members/{member_id}/role", id, member_id), body=Body("json", "application/json", body))
        return result

    async def update_developer_team_role(self, id: str, rid: str, *, body: models.UpdateDeveloperTeamRoleInput) -> models.EnvelopedDeveloperTeamRole:
        """Changes a role of a team.

        `PATCH /v1/developer/teams/{id}/roles/{rid}`
        """
        result: models.EnvelopedDeveloperTeamRole = await self._transport.json("PATCH", path_of("/v1/developer/teams/{id}/roles/{rid}", id, rid), body=Body("json", "application/json", body))
        return result

    async def update_extension(self, id: str, *, body: models.UpdateExtensionInput) -> models.EnvelopedDeveloperExtension:
        """Changes one of the caller's extensions.

        `PATCH /v1/developer/extensions/{id}`
        """
        result: models.EnvelopedDeveloperExtension = await self._transport.json("PATCH", path_of("/v1/developer/extensions/{id}", id), body=Body("json", "application/json", body))
        return result

    async def update_extension_review(self, id: str, review_id: str, *, body: models.UpdateExtensionReviewInput) -> models.EnvelopedExtensionReview:
        """Changes the caller's own review.

        `PATCH /v1/extensions/{id}/reviews/{review_id}`
        """
        result: models.EnvelopedExtensionReview = await self._transport.json("PATCH", path_of("/v1/extensions/{id}/reviews/{review_id}", id, review_id), body=Body("json", "application/json", body))
        return result

    async def update_idea(self, id: str, *, body: models.UpdateIdeaInput) -> models.EnvelopedGqlIdea:
        """Changes title, description, category or tags of an idea.

        `PATCH /v1/ideas/{id}`
        """
        result: models.EnvelopedGqlIdea = await self._transport.json("PATCH", path_of("/v1/ideas/{id}", id), body=Body("json", "application/json", body))
        return result

    async def update_idea_category(self, id: str, *, body: models.UpdateIdeaCategoryInput) -> models.EnvelopedIdeaCategory:
        """Changes a category of ideas. Absent fields stay; without a field nothing changes.

        `PATCH /v1/ideas/categories/{id}`
        """
        result: models.EnvelopedIdeaCategory = await self._transport.json("PATCH", path_of("/v1/ideas/categories/{id}", id), body=Body("json", "application/json", body))
        return result

    async def update_idea_comment(self, id: str, *, body: models.IdeaCommentChange) -> models.EnvelopedIdeaComment:
        """Changes an own comment.

        `PATCH /v1/ideas/comments/{id}`
        """
        result: models.EnvelopedIdeaComment = await self._transport.json("PATCH", path_of("/v1/ideas/comments/{id}", id), body=Body("json", "application/json", body))
        return result

    async def update_idea_status(self, id: str, *, body: models.NewIdeaStatus) -> models.EnvelopedGqlIdea:
        """Sets the status of an idea, as a moderator.

        `PATCH /v1/ideas/{id}/status`
        """
        result: models.EnvelopedGqlIdea = await self._transport.json("PATCH", path_of("/v1/ideas/{id}/status", id), body=Body("json", "application/json", body))
        return result

    async def update_me(self, *, body: models.UpdateMeInput) -> models.EnvelopedCurrentUser:
        """Updates the current user.

        `PATCH /v1/users/me`
        """
        result: models.EnvelopedCurrentUser = await self._transport.json("PATCH", "/v1/users/me", body=Body("json", "application/json", body))
        return result

    async def update_member_role(self, id: str, membership_id: str, *, body: models.MemberRoleInput) -> models.EnvelopedMember:
        """Changes the role of a member.

        `PATCH /v1/accounts/{id}/members/{membership_id}`
        """
        result: models.EnvelopedMember = await self._transport.json("PATCH", path_of("/v1/accounts/{id}/members/{membership_id}", id, membership_id), body=Body("json", "application/json", body))
        return result

    async def update_notification_preference(self, type: str, *, body: models.UpdateNotificationPreferenceInput) -> models.EnvelopedNotificationPreference:
        """Changes the channel of a notification type for the caller.

        `PATCH /v1/notifications/preferences/{type}`
        """
        result: models.EnvelopedNotificationPreference = await self._transport.json("PATCH", path_of("/v1/notifications/preferences/{type}", type), body=Body("json", "application/json", body))
        return result

    async def update_overlay(self, id: str, *, body: models.OverlayChanges) -> models.EnvelopedOverlay:
        """Changes an overlay.

        `PATCH /v1/overlays/{id}`
        """
        result: models.EnvelopedOverlay = await self._transport.json("PATCH", path_of("/v1/overlays/{id}", id), body=Body("json", "application/json", body))
        return result

    async def update_overlay_layer(self, id: str, layer_id: str, *, body: models.UpdateOverlayLayerInput) -> models.EnvelopedOverlayLayer:
        """Changes one layer of an overlay.

        `PATCH /v1/overlays/{id}/layers/{layer_id}`
        """
        result: models.EnvelopedOverlayLayer = await self._transport.json("PATCH", path_of("/v1/overlays/{id}/layers/{layer_id}", id, layer_id), body=Body("json", "application/json", body))
        return result

    async def update_overlay_layers(self, id: str, *, body: models.UpdateOverlayLayersInput) -> models.ListedOverlayLayer:
        """Replaces all layers of an overlay.

        `PUT /v1/overlays/{id}/layers`
        """
        result: models.ListedOverlayLayer = await self._transport.json("PUT", path_of("/v1/overlays/{id}/layers", id), body=Body("json", "application/json", body))
        return result

    async def update_popout_token(self, id: str, *, body: models.PopoutTokenChanges) -> models.EnvelopedPopoutToken:
        """Changes a popout token.

        `PATCH /v1/tokens/{id}`
        """
        result: models.EnvelopedPopoutToken = await self._transport.json("PATCH", path_of("/v1/tokens/{id}", id), body=Body("json", "application/json", body))
        return result

    async def update_public_stats_channel(self, platform: str, *, body: models.UpdatePublicStatsChannelInput) -> models.EnvelopedPublicChannelSettings:
        """Replaces the settings of the account's channel on a platform.

        `PUT /v1/public-stats/channels/{platform}`
        """
        result: models.EnvelopedPublicChannelSettings = await self._transport.json("PUT", path_of("/v1/public-stats/channels/{platform}", platform), body=Body("json", "application/json", body))
        return result

    async def update_reward(self, id: str, *, body: models.UpdateReward) -> models.EnvelopedReward:
        """Changes a reward.

        `PATCH /v1/rewards/{id}`
        """
        result: models.EnvelopedReward = await self._transport.json("PATCH", path_of("/v1/rewards/{id}", id), body=Body("json", "application/json", body))
        return result

    async def update_role(self, id: str, *, body: models.UpdateRoleInput) -> models.EnvelopedAccountRole:
        """Changes a role.

        `PATCH /v1/roles/{id}`
        """
        result: models.EnvelopedAccountRole = await self._transport.json("PATCH", path_of("/v1/roles/{id}", id), body=Body("json", "application/json", body))
        return result

    async def update_sound(self, id: str, *, body: models.UpdateSoundInput) -> models.EnvelopedSound:
        """Updates the name of a sound, or what is known of its length and peaks.

        `PATCH /v1/sounds/{id}`
        """
        result: models.EnvelopedSound = await self._transport.json("PATCH", path_of("/v1/sounds/{id}", id), body=Body("json", "application/json", body))
        return result

    async def update_user_api_key(self, id: str, *, body: models.UpdateUserApiKeyInput) -> models.EnvelopedUserApiKey:
        """Renames one of the caller's own keys.

        `PATCH /v1/api-keys/{id}`
        """
        result: models.EnvelopedUserApiKey = await self._transport.json("PATCH", path_of("/v1/api-keys/{id}", id), body=Body("json", "application/json", body))
        return result

    async def update_user_note(self, id: str, *, body: models.UpdateUserNoteInput) -> models.EnvelopedUserNote:
        """Changes the text of a note.

        `PATCH /v1/chat/notes/{id}`
        """
        result: models.EnvelopedUserNote = await self._transport.json("PATCH", path_of("/v1/chat/notes/{id}", id), body=Body("json", "application/json", body))
        return result

    async def update_user_role(self, id: str, *, body: models.UpdateUserRoleInput) -> models.EnvelopedUserRole:
        """Changes a platform-wide role.

        `PATCH /v1/user-roles/{id}`
        """
        result: models.EnvelopedUserRole = await self._transport.json("PATCH", path_of("/v1/user-roles/{id}", id), body=Body("json", "application/json", body))
        return result

    async def update_webhook_endpoint(self, endpoint_id: str, *, body: models.WebhookEndpointChanges) -> models.EnvelopedWebhookEndpoint:
        """Changes a webhook endpoint, enables or disables it.

        `PATCH /v1/webhook-endpoints/{endpoint_id}`
        """
        result: models.EnvelopedWebhookEndpoint = await self._transport.json("PATCH", path_of("/v1/webhook-endpoints/{endpoint_id}", endpoint_id), body=Body("json", "application/json", body))
        return result

    async def update_widget(self, id: str, *, body: models.UpdateWidgetInput) -> models.EnvelopedWidget:
        """Changes a widget. Its type stays.

        `PATCH /v1/widgets/{id}`
        """
        result: models.EnvelopedWidget = await self._transport.json("PATCH", path_of("/v1/widgets/{id}", id), body=Body("json", "application/json", body))
        return result

    async def upload(self, id: str) -> models.EnvelopedUpload:
        """Returns an upload with an address of its content.

        `GET /v1/uploads/{id}`
        """
        result: models.EnvelopedUpload = await self._transport.json("GET", path_of("/v1/uploads/{id}", id))
        return result

    async def upload_extension_file(self, extension_id: str, *, body: models.ExtensionUploadForm) -> models.EnvelopedExtensionUpload:
        """Stores an image of an installed extension.

        `POST /v1/extensions/{extension_id}/uploads`
        """
        result: models.EnvelopedExtensionUpload = await self._transport.json("POST", path_of("/v1/extensions/{extension_id}/uploads", extension_id), body=Body("form", "multipart/form-data", body))
        return result

    async def upload_extension_version(self, id: str, *, body: models.SubmitVersionForm) -> models.EnvelopedDeveloperVersion:
        """Uploads a version of one of the caller's extensions for review.

        `POST /v1/developer/extensions/{id}/versions`
        """
        result: models.EnvelopedDeveloperVersion = await self._transport.json("POST", path_of("/v1/developer/extensions/{id}/versions", id), body=Body("form", "multipart/form-data", body))
        return result

    async def upload_media(self, id: str, *, exp: int | None = None, sig: str | None = None) -> bytes:
        """Returns the content of an upload as raw bytes, for its signed address.

        `GET /v1/media/upload/{id}`
        """
        result: bytes = await self._transport.content("GET", path_of("/v1/media/upload/{id}", id), query={"exp": exp, "sig": sig})
        return result

    async def uploads(self, *, purpose: models.UploadPurpose | None = None, page: int | None = None, limit: int | None = None) -> models.CollectionUpload:
        """Lists the uploads of the account, newest first.

        `GET /v1/uploads`
        """
        result: models.CollectionUpload = await self._transport.json("GET", "/v1/uploads", query={"purpose": purpose, "page": page, "limit": limit})
        return result

    async def usage_budgets(self, *, if_none_match: str | None = None) -> models.ListedUsageBudget:
        """Lists the budgets of the account with their present use, oldest first.

        `GET /v1/usage/budgets`
        """
        result: models.ListedUsageBudget = await self._transport.json("GET", "/v1/usage/budgets", header={"If-None-Match": if_none_match})
        return result

    async def usage_hours(self, *, subject: models.UsageSubject | None = None, subject_id: str | None = None, from_: str | None = None, to: str | None = None, page: int | None = None, limit: int | None = None, if_none_match: str | None = None) -> models.CollectionUsageHour:
        """Lists the usage of the account, its extensions or its keys by hour, newest first.

        `GET /v1/usage`
        """
        result: models.CollectionUsageHour = await self._transport.json("GET", "/v1/usage", query={"subject": subject, "subject_id": subject_id, "from": from_, "to": to, "page": page, "limit": limit}, header={"If-None-Match": if_none_match})
        return result

    async def usage_totals(self, *, subject: models.UsageSubject | None = None, subject_id: str | None = None, from_: str | None = None, to: str | None = None, page: int | None = None, limit: int | None = None, if_none_match: str | None = None) -> models.CollectionUsageTotal:
        """Lists the sums of the usage of the account, its extensions or its keys in a span, most time of handlers and then most requests first.

        `GET /v1/usage/totals`
        """
        result: models.CollectionUsageTotal = await self._transport.json("GET", "/v1/usage/totals", query={"subject": subject, "subject_id": subject_id, "from": from_, "to": to, "page": page, "limit": limit}, header={"If-None-Match": if_none_match})
        return result

    async def user_api_keys(self) -> models.ListedUserApiKey:
        """Lists the caller's own keys in the active account.

        `GET /v1/api-keys`
        """
        result: models.ListedUserApiKey = await self._transport.json("GET", "/v1/api-keys")
        return result

    async def user_emotes(self) -> models.EnvelopedEmoteSets:
        """Lists the global emotes and those of the account's channels and servers, by provider.

        `GET /v1/emotes/user`
        """
        result: models.EnvelopedEmoteSets = await self._transport.json("GET", "/v1/emotes/user")
        return result

    async def user_notes(self, platform: str, platform_user_id: str) -> models.ListedUserNote:
        """Lists the account's notes about a user, newest first.

        `GET /v1/chat/users/{platform}/{platform_user_id}/notes`
        """
        result: models.ListedUserNote = await self._transport.json("GET", path_of("/v1/chat/users/{platform}/{platform_user_id}/notes", platform, platform_user_id))
        return result

    async def user_permission_overrides(self, user_id: str) -> models.ListedUserPermissionOverride:
        """Lists the permission overrides of a person, by permission.

        `GET /v1/users/{user_id}/permission-overrides`
        """
        result: models.ListedUserPermissionOverride = await self._transport.json("GET", path_of("/v1/users/{user_id}/permission-overrides", user_id))
        return result

    async def user_role_assignments(self, user_id: str) -> models.ListedUserRoleAssignment:
        """Lists the platform-wide roles that a person was assigned.

        `GET /v1/users/{user_id}/roles`
        """
        result: models.ListedUserRoleAssignment = await self._transport.json("GET", path_of("/v1/users/{user_id}/roles", user_id))
        return result

    async def user_role_members(self, id: str) -> models.ListedUserRoleMember:
        """Lists the people who were assigned a platform-wide role, the latest 1000.

        `GET /v1/user-roles/{id}/members`
        """
        result: models.ListedUserRoleMember = await self._transport.json("GET", path_of("/v1/user-roles/{id}/members", id))
        return result

    async def user_roles(self) -> models.ListedUserRole:
        """Lists the platform-wide roles: the seeded ones first, then by name.

        `GET /v1/user-roles`
        """
        result: models.ListedUserRole = await self._transport.json("GET", "/v1/user-roles")
        return result

    async def validate_coupon(self, code: str) -> models.EnvelopedCouponValidation:
        """Checks whether a coupon can be redeemed.

        `GET /v1/billing/coupons/{code}`
        """
        result: models.EnvelopedCouponValidation = await self._transport.json("GET", path_of("/v1/billing/coupons/{code}", code))
        return result

    async def verify_youtube_webhook(self, *, channel: str, t: str, hub_mode: str | None = None, hub_topic: str | None = None, hub_challenge: str | None = None, hub_lease_seconds: int | None = None) -> str:
        """Confirms to YouTube's hub that its deliveries are wanted.

        `GET /v1/webhooks/youtube`
        """
        result: str = await self._transport.text("GET", "/v1/webhooks/youtube", query={"hub.mode": hub_mode, "hub.topic": hub_topic, "hub.challenge": hub_challenge, "hub.lease_seconds": hub_lease_seconds, "channel": channel, "t": t})
        return result

    async def vote_copyright(self, *, body: models.VoteCopyrightInput, idempotency_key: str | None = None) -> models.EnvelopedCopyrightVote:
        """Votes on a song, or changes the caller's vote.

        `POST /v1/copyright/vote`
        """
        result: models.EnvelopedCopyrightVote = await self._transport.json("POST", "/v1/copyright/vote", header={"Idempotency-Key": idempotency_key}, body=Body("json", "application/json", body))
        return result

    async def vote_idea(self, id: str, *, body: models.NewIdeaVote) -> models.EnvelopedGqlIdea:
        """Votes on an idea, or changes the caller's vote.

        `PUT /v1/ideas/{id}/vote`
        """
        result: models.EnvelopedGqlIdea = await self._transport.json("PUT", path_of("/v1/ideas/{id}/vote", id), body=Body("json", "application/json", body))
        return result

    async def vote_idea_comment(self, id: str, *, body: models.NewIdeaVote) -> models.EnvelopedIdeaComment:
        """Votes on a comment, or changes the caller's vote.

        `PUT /v1/ideas/comments/{id}/vote`
        """
        result: models.EnvelopedIdeaComment = await self._transport.json("PUT", path_of("/v1/ideas/comments/{id}/vote", id), body=Body("json", "application/json", body))
        return result

    async def watchlist(self, *, if_none_match: str | None = None) -> models.ListedWatchlistEntry:
        """Lists the caller's favourite channels with their live state, newest first.

        `GET /v1/watchlist`
        """
        result: models.ListedWatchlistEntry = await self._transport.json("GET", "/v1/watchlist", header={"If-None-Match": if_none_match})
        return result

    async def webhook_deliveries(self, endpoint_id: str, *, status: models.WebhookDeliveryStatus | None = None, event_type: str | None = None, page: int | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> models.CollectionWebhookDelivery:
        """Lists the deliveries of a webhook endpoint, newest first.

        `GET /v1/webhook-endpoints/{endpoint_id}/deliveries`
        """
        result: models.CollectionWebhookDelivery = await self._transport.json("GET", path_of("/v1/webhook-endpoints/{endpoint_id}/deliveries", endpoint_id), query={"status": status, "event_type": event_type, "page": page, "limit": limit, "cursor": cursor}, header={"If-None-Match": if_none_match})
        return result

    async def webhook_endpoint(self, endpoint_id: str, *, if_none_match: str | None = None) -> models.EnvelopedWebhookEndpoint:
        """Returns one of the account's webhook endpoints.

        `GET /v1/webhook-endpoints/{endpoint_id}`
        """
        result: models.EnvelopedWebhookEndpoint = await self._transport.json("GET", path_of("/v1/webhook-endpoints/{endpoint_id}", endpoint_id), header={"If-None-Match": if_none_match})
        return result

    async def webhook_endpoints(self, *, if_none_match: str | None = None) -> models.ListedWebhookEndpoint:
        """Lists the webhook endpoints of the account, oldest first.

        `GET /v1/webhook-endpoints`
        """
        result: models.ListedWebhookEndpoint = await self._transport.json("GET", "/v1/webhook-endpoints", header={"If-None-Match": if_none_match})
        return result

    async def webhook_secret(self, endpoint_id: str) -> models.EnvelopedWebhookSecret:
        """Returns the secret that signs the deliveries of a webhook endpoint.

        `GET /v1/webhook-endpoints/{endpoint_id}/secret`
        """
        result: models.EnvelopedWebhookSecret = await self._transport.json("GET", path_of("/v1/webhook-endpoints/{endpoint_id}/secret", endpoint_id))
        return result

    async def widget(self, id: str) -> models.EnvelopedWidget:
        """Returns one of the account's widgets.

        `GET /v1/widgets/{id}`
        """
        result: models.EnvelopedWidget = await self._transport.json("GET", path_of("/v1/widgets/{id}", id))
        return result

    async def widget_access(self, id: str) -> models.ListedWidgetAccessEntry:
        """Lists the access entries of a widget, oldest first.

        `GET /v1/widgets/{id}/access`
        """
        result: models.ListedWidgetAccessEntry = await self._transport.json("GET", path_of("/v1/widgets/{id}/access", id))
        return result

    async def widget_access_candidates(self, id: str) -> models.ListedAccessCandidate:
        """Lists the members without an entry of a widget, by name.

        `GET /v1/widgets/{id}/access/candidates`
        """
        result: models.ListedAccessCandidate = await self._transport.json("GET", path_of("/v1/widgets/{id}/access/candidates", id))
        return result

    async def widget_page(self, id: str) -> str:
        """Returns the page of a widget, for browser sources of OBS and similar programs.

        `GET /v1/widgets/{id}/page`
        """
        result: str = await self._transport.text("GET", path_of("/v1/widgets/{id}/page", id))
        return result

    async def widgets(self, *, type: str | None = None, search: str | None = None) -> models.ListedWidget:
        """Lists the account's widgets, oldest first.

        `GET /v1/widgets`
        """
        result: models.ListedWidget = await self._transport.json("GET", "/v1/widgets", query={"type": type, "search": search})
        return result

    async def withdraw_extension_version(self, id: str, v: str, *, idempotency_key: str | None = None) -> models.EnvelopedDeveloperVersion:
        """Withdraws a version that waits for its review.

        `POST /v1/developer/extensions/{id}/versions/{v}/withdraw`
        """
        result: models.EnvelopedDeveloperVersion = await self._transport.json("POST", path_of("/v1/developer/extensions/{id}/versions/{v}/withdraw", id, v), header={"Idempotency-Key": idempotency_key})
        return result

    async def youtube_active_streams(self, *, if_none_match: str | None = None) -> models.ListedYoutubeStream:
        """Lists the broadcasts of the account's YouTube channel that are live or scheduled, live ones first.

        `GET /v1/youtube/active-streams`
        """
        result: models.ListedYoutubeStream = await self._transport.json("GET", "/v1/youtube/active-streams", header={"If-None-Match": if_none_match})
        return result

    async def youtube_membership_tiers(self) -> models.ListedMembershipTier:
        """Lists the membership tiers of the account's YouTube channel, in the order in which they were first seen.

        `GET /v1/youtube/memberships/tiers`
        """
        result: models.ListedMembershipTier = await self._transport.json("GET", "/v1/youtube/memberships/tiers")
        return result
