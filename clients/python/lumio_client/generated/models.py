"""Generated from the OpenAPI document by `./scripts/clients --update`. Edits are lost."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict


class AcceptExtensionUpdateInput(TypedDict):
    """
    Consent to a newer version.
    """

    accept_permissions: NotRequired[list[str] | None]
    """
    Permissions that the newer version asks for beyond the granted ones.
    """


class AccessCandidate(TypedDict):
    """
    Member without an entry, whom entries would bind.
    """

    avatar_url: NotRequired[str | None]
    """
    Address of the avatar. Null: none.
    """
    display_name: str
    """
    Display name.
    """
    id: str
    """
    Id of the person.
    """


AccessStepEffect: TypeAlias = Literal['grants', 'denies', 'neutral']
"""
Effect of a step.
"""


AccessStepKind: TypeAlias = Literal['credential', 'membership', 'role', 'override', 'scopes', 'maker', 'admin_role', 'user_role', 'user_override', 'permission', 'switch', 'plan', 'feature_override', 'feature', 'input']
"""
Subject of a step. Checks are `credential`, `permission` and `feature`; the others are sources of what the next
check reads.
"""


AccountArchiveStatus: TypeAlias = Literal['queued', 'running', 'ready', 'failed', 'discarded']
"""
State of an archive.
"""


AccountCreationOverride: TypeAlias = Literal['default', 'allow', 'deny']
"""
Override of the global switch of account creation for a person (docs/reference/features.md#account-creation).
"""


class AccountPermissionInfo(TypedDict):
    """
    Permission that a role may hold.
    """

    category: str
    """
    Resource of the permission.
    """
    label: str
    """
    Readable name.
    """
    permission: str
    """
    Text `resource:action`.
    """


class AccountPlan(TypedDict):
    """
    Plan of an account.
    """

    id: str
    """
    Id of the plan.
    """
    name: str
    """
    Name of the plan.
    """
    slug: str
    """
    Slug of the plan.
    """


ActionErrorCode: TypeAlias = Literal['PERMISSION_ERROR', 'UNKNOWN_ACTION', 'INVALID_PAYLOAD', 'INSTALL_DISABLED', 'NOT_CONNECTED', 'BOT_DISABLED', 'RECONNECT_REQUIRED', 'NOT_SUPPORTED', 'FORBIDDEN', 'NOT_FOUND', 'RATE_LIMITED', 'PLATFORM_REJECTED', 'PLATFORM_UNAVAILABLE', 'IN_PROGRESS', 'OUTCOME_UNKNOWN', 'INVOCATION_MISMATCH', 'EXPIRED']
"""
Reason why an action was not executed (docs/reference/handlers.md#action-errors).
"""


class ActiveAccounts(TypedDict):
    """
    `GET /v1/internal/accounts/active`: accounts with an enabled bot or install, by id.
    """

    account_ids: list[str]
    """
    Accounts of this page.
    """
    next: NotRequired[str | None]
    """
    `after` of the next page; null on the last.
    """


class AddToWatchlistInput(TypedDict):
    """
    Channel for the watchlist.
    """

    channel: str
    """
    The platform's id or the login of the channel: 1 to 128 characters.
    """
    platform: str
    """
    `twitch`, `youtube`, `kick` or `trovo`.
    """


class AdminAccountOwner(TypedDict):
    """
    Owner of an account.
    """

    display_name: str
    """
    Display name.
    """
    email: NotRequired[str | None]
    """
    E-mail address. Null: none.
    """
    id: str
    """
    Identifier of the person.
    """


class AdminAccountPlan(TypedDict):
    """
    Plan of an account.
    """

    id: str
    """
    Identifier.
    """
    name: str
    """
    Display name.
    """
    slug: str
    """
    Unique slug.
    """


class AdminAddCrawlerWatchlistEntryInput(TypedDict):
    """
    Channel to crawl outside of the scope.
    """

    channel: str
    """
    Id or login on the platform: 1 to 100 letters, digits, `_`, `-`, `.` and `@`.
    """
    note: NotRequired[str | None]
    """
    At most 500 characters; empty is null.
    """
    platform: str
    """
    `twitch`, `youtube`, `kick` or `trovo`.
    """


class AdminAddUserMembershipInput(TypedDict):
    """
    New membership of a person.
    """

    account_id: str
    """
    Identifier of the account.
    """
    role_id: str
    """
    Identifier of a role of the account, except the owner's.
    """


class AdminApproveDeveloperApplicationInput(TypedDict):
    """
    Approval of an application.
    """

    notes: NotRequired[str | None]
    """
    Notes for the applicant, at most 2,000 characters.
    """


class AdminApproveDeveloperVerificationInput(TypedDict):
    """
    Approval of a verification.
    """

    notes: NotRequired[str | None]
    """
    Notes for the developer, at most 2,000 characters.
    """


class AdminCreateOauthClientInput(TypedDict):
    """
    New OAuth client.
    """

    allowed_hosts: list[str]
    """
    At most 20 host names, with a port unless it is the default one.
    """
    is_active: NotRequired[bool | None]
    """
    True when absent.
    """
    name: str
    """
    1 to 100 characters.
    """
    redirect_uris: list[str]
    """
    At most 20 addresses; `https`, or `http` on the local machine.
    """


class AdminCreatePlanInput(TypedDict):
    """
    A plan to create.
    """

    chat_retention_days: int
    """
    Days that chat is kept; 2147483647: unlimited.
    """
    currency: NotRequired[str | None]
    """
    Code of the currency, ISO 4217; absent: `USD`.
    """
    description: NotRequired[str | None]
    """
    Description, at most 2,000 characters.
    """
    is_public: bool
    """
    True: the plan is public.
    """
    max_integrations: int
    """
    Maximum number of integrations; 2147483647: unlimited.
    """
    max_overlays: int
    """
    Maximum number of overlays; 2147483647: unlimited.
    """
    max_storage_bytes: int
    """
    Maximum size of all stored objects, in bytes.
    """
    max_upload_size_bytes: int
    """
    Maximum size of one upload, in bytes.
    """
    name: str
    """
    Name, 1 to 100 characters.
    """
    payment_monthly_price_id: NotRequired[str | None]
    """
    Id of the monthly price at a payment provider, at most 255 characters.
    """
    payment_product_id: NotRequired[str | None]
    """
    Id of the product at a payment provider, at most 255 characters.
    """
    payment_yearly_price_id: NotRequired[str | None]
    """
    Id of the yearly price at a payment provider, at most 255 characters.
    """
    price_monthly: int
    """
    Price a month, in minor units of `currency`.
    """
    price_yearly: int
    """
    Price a year, in minor units of `currency`.
    """
    slug: str
    """
    Slug: lower-case letters and digits with single hyphens between, 2 to 40 characters. Cannot be changed
    later.
    """
    sort_order: int
    """
    Position in lists; the lowest comes first.
    """


class AdminCreateSystemKeyInput(TypedDict):
    """
    A system key to create.
    """

    label: str
    """
    Name of the key, 1 to 100 characters.
    """


class AdminPermissionInfo(TypedDict):
    """
    Permission that a role of operator staff may hold.
    """

    category: str
    """
    Resource of the permission.
    """
    permission: str
    """
    Text `resource:action`.
    """


class AdminPlanFeature(TypedDict):
    """
    A feature of a plan.
    """

    enabled: bool
    """
    True when the plan includes the feature.
    """
    feature_id: str
    """
    Id of the flag.
    """
    feature_key: str
    """
    Key of the flag.
    """
    label: str
    """
    Name of the flag.
    """


class AdminPlatform(TypedDict):
    """
    A platform and its switches. A use is on only while the platform is on.
    """

    bot: NotRequired[bool | None]
    """
    Switch of bots; null when the platform has none.
    """
    channel: NotRequired[bool | None]
    """
    Switch of channel connections; null when the platform has none.
    """
    enabled: bool
    """
    Switch of the platform.
    """
    login: NotRequired[bool | None]
    """
    Switch of sign-in; null when the platform has none.
    """
    platform: str
    """
    Slug of the platform.
    """


class AdminRejectDeveloperApplicationInput(TypedDict):
    """
    Rejection of an application.
    """

    notes: NotRequired[str | None]
    """
    Notes for the applicant, 1 to 2,000 characters; required.
    """


class AdminRejectDeveloperVerificationInput(TypedDict):
    """
    Rejection of a verification.
    """

    notes: NotRequired[str | None]
    """
    Notes for the developer, 1 to 2,000 characters; required.
    """


class AdminRoleAssigned(TypedDict):
    """
    Result of an assignment.
    """

    assigned: bool
    """
    False when the person held the role already.
    """


class AdminRoleUnassigned(TypedDict):
    """
    Result of a removal.
    """

    removed: bool
    """
    False when the person did not hold the role.
    """


class AdminSetAccountFeatureOverrideInput(TypedDict):
    """
    Override to set.
    """

    enabled: bool
    """
    True lifts the lock of the plan; false switches the feature off.
    """
    feature_id: str
    """
    Id of the flag.
    """
    reason: NotRequired[str | None]
    """
    Reason for staff, at most 500 characters.
    """


class AdminUpdateAccountInput(TypedDict):
    """
    Change of an account.
    """

    description: NotRequired[str | None]
    """
    At most 500 characters; null clears.
    """
    name: NotRequired[str | None]
    """
    1 to 100 characters.
    """


class AdminUpdateAccountPlanInput(TypedDict):
    """
    Plan to assign.
    """

    plan_id: str
    """
    Identifier of the plan.
    """


class AdminUpdateCrawlerScopeInput(TypedDict):
    """
    New scope of the crawler.
    """

    enabled: bool
    """
    False: the crawler rests.
    """
    interval_secs: int
    """
    Seconds between two visits of a channel.
    """
    languages: list[str]
    """
    ISO 639-1 codes of the languages to crawl, each once, at most 100. Empty: all.
    """
    max_channels: int
    """
    Number of channels to crawl at most.
    """
    min_viewers: int
    """
    Viewers from which a channel is crawled.
    """
    platforms: list[str]
    """
    Platforms to crawl, each once: `twitch`, `youtube`, `kick`, `trovo`.
    """


class AdminUpdateExtensionLimitsInput(TypedDict):
    """
    Overrides of an extension. Absent fields stay; null removes the override.
    """

    max_sound_file_size: NotRequired[int | None]
    """
    Size of a sound in bytes, at most 100 MiB.
    """
    max_sound_storage_bytes: NotRequired[int | None]
    """
    Size of all sounds of a version in bytes, at most 200 MiB.
    """
    max_sounds: NotRequired[int | None]
    """
    Number of sounds of a version, at most 200.
    """


class AdminUpdateFeatureFlagInput(TypedDict):
    """
    Changes of a flag. Absent fields stay as they are.
    """

    default_for_accounts: NotRequired[bool | None]
    """
    Intention of staff for new plans.
    """
    description: NotRequired[str | None]
    """
    Description, at most 1,000 characters.
    """
    globally_enabled: NotRequired[bool | None]
    """
    False: the flag is off for every account.
    """
    label: NotRequired[str | None]
    """
    Name of the flag, 1 to 100 characters.
    """


class AdminUpdateOauthClientInput(TypedDict):
    """
    Change of an OAuth client.
    """

    allowed_hosts: NotRequired[list[str] | None]
    """
    At most 20 host names, with a port unless it is the default one.
    """
    is_active: NotRequired[bool | None]
    """
    False: the hosts are not allowed.
    """
    name: NotRequired[str | None]
    """
    1 to 100 characters.
    """
    redirect_uris: NotRequired[list[str] | None]
    """
    At most 20 addresses; `https`, or `http` on the local machine.
    """


class AdminUpdatePlanInput(TypedDict):
    """
    Whole editable state of a plan. Absent optional fields are cleared.
    """

    chat_retention_days: int
    """
    Days that chat is kept; 2147483647: unlimited.
    """
    currency: str
    """
    Code of the currency, ISO 4217.
    """
    description: NotRequired[str | None]
    """
    Description, at most 2,000 characters.
    """
    is_public: bool
    """
    True: the plan is public.
    """
    max_integrations: int
    """
    Maximum number of integrations; 2147483647: unlimited.
    """
    max_overlays: int
    """
    Maximum number of overlays; 2147483647: unlimited.
    """
    max_storage_bytes: int
    """
    Maximum size of all stored objects, in bytes.
    """
    max_upload_size_bytes: int
    """
    Maximum size of one upload, in bytes.
    """
    name: str
    """
    Name, 1 to 100 characters.
    """
    payment_monthly_price_id: NotRequired[str | None]
    """
    Id of the monthly price at a payment provider, at most 255 characters.
    """
    payment_product_id: NotRequired[str | None]
    """
    Id of the product at a payment provider, at most 255 characters.
    """
    payment_yearly_price_id: NotRequired[str | None]
    """
    Id of the yearly price at a payment provider, at most 255 characters.
    """
    price_monthly: int
    """
    Price a month, in minor units of `currency`.
    """
    price_yearly: int
    """
    Price a year, in minor units of `currency`.
    """
    sort_order: int
    """
    Position in lists; the lowest comes first.
    """


class AdminUpdateUserInput(TypedDict):
    """
    Change of a person.
    """

    account_creation_override: NotRequired[AccountCreationOverride | None]
    display_name: NotRequired[str | None]
    """
    1 to 100 characters.
    """
    email: NotRequired[str | None]
    """
    E-mail address; null clears.
    """
    max_accounts_override: NotRequired[int | None]
    """
    0 to 1000; null clears, and the plans of the owned accounts decide again.
    """


class AdminUpsertAccountLimitsInput(TypedDict):
    """
    Complete set of limits: absent or null leaves a limit to the plan.
    """

    chat_retention_days: NotRequired[int | None]
    """
    Retention of chat messages in days, 0 or more; 2147483647: without end.
    """
    copyright_detection_allowed: NotRequired[bool | None]
    """
    True when the account may use copyright detection.
    """
    custom_bot_allowed: NotRequired[bool | None]
    """
    True when the account may connect its own bot.
    """
    max_integrations: NotRequired[int | None]
    """
    Number of integrations, 0 or more; 2147483647: unlimited.
    """
    max_overlays: NotRequired[int | None]
    """
    Number of overlays, 0 or more; 2147483647: unlimited.
    """
    max_storage_bytes: NotRequired[int | None]
    """
    Storage in bytes, 0 or more.
    """
    max_upload_size_bytes: NotRequired[int | None]
    """
    Size of one upload in bytes, 0 or more.
    """
    notes: NotRequired[str | None]
    """
    Remarks for other operators, at most 2000 characters.
    """
    obs_remote_allowed: NotRequired[bool | None]
    """
    True when the account may use OBS remote control.
    """


class AlertSettings(TypedDict):
    """
    Settings of alerts.
    """

    muted: bool
    """
    True when alerts make no sound.
    """
    volume: int
    """
    Volume in percent, 0 to 100.
    """


class ApiKeyPermission(TypedDict):
    """
    A scope that a key may carry.
    """

    category: str
    """
    Resource that the scope belongs to.
    """
    key: str
    """
    Text of the scope, as `resource:action`.
    """
    label: str
    """
    English name of the scope.
    """


class AssignAdminRoleInput(TypedDict):
    """
    Person who gets the role.
    """

    user_id: str
    """
    Identifier of the person.
    """


class AssignLoginConnectionInput(TypedDict):
    """
    A login connection to assign.
    """

    login_connection_id: str
    """
    Login connection of the member.
    """
    provider: Literal['twitch', 'youtube', 'kick', 'trovo', 'discord']
    """
    Slug of the platform of the login connection.
    """
    user_id: NotRequired[str | None]
    """
    Member to assign it to; absent: the caller.
    """


class AssignUserRoleInput(TypedDict):
    """
    Role to assign.
    """

    role_id: str
    """
    Identifier of the role.
    """


AuditActorType: TypeAlias = Literal['user', 'service_key', 'system', 'extension', 'automation']
"""
Kind of the actor of a change.
"""


class AuthorizeInput(TypedDict):
    """
    Options of an authorization.
    """

    return_to: NotRequired[str | None]
    """
    Address for the browser after the exchange: on the host of the web or admin address, or of an active
    OAuth client. At most 2,048 bytes.
    """


class AutomationActionInput(TypedDict):
    """
    Action of a step of an automation run.
    """

    account_id: str
    """
    Account of the automation.
    """
    action: Literal['send_chat', 'delete_message', 'timeout_user', 'ban_user', 'show_alert', 'emit_event', 'spotify_play', 'spotify_pause', 'spotify_skip', 'spotify_queue', 'set_stream_title', 'create_clip', 'discord_message']
    """
    Type of the node.
    """
    arguments: NotRequired[dict[str, Any]]
    """
    Arguments of the action, checked and with their templates filled in.
    """
    automation_id: str
    """
    The automation.
    """
    position: int
    """
    Position of the step in the run. A run executes the action of a position once.
    """
    run_id: str
    """
    The run.
    """


class AutomationActionResult(TypedDict):
    """
    Result of an action of an automation.
    """

    error: NotRequired[str | None]
    """
    Message of the failure; absent on success.
    """
    ok: bool
    """
    True when the action was executed.
    """
    output: NotRequired[dict[str, Any] | None]
    """
    Output of the node; absent on failure.
    """
    unknown: NotRequired[bool | None]
    """
    True when the action may have had its effect although no success is known; absent otherwise.
    """


class AutomationChanges(TypedDict):
    """
    Changes of an automation. Absent fields stay.
    """

    description: NotRequired[str | None]
    """
    At most 500 characters; null or empty removes it.
    """
    enabled: NotRequired[bool | None]
    """
    True starts it by its triggers; its graph must be able to run.
    """
    name: NotRequired[str | None]
    """
    1 to 100 characters.
    """


AutomationDryRunStatus: TypeAlias = Literal['succeeded', 'failed']
"""
Ending of a dry run.
"""


class AutomationEdge(TypedDict):
    """
    Edge of an automation's graph.
    """

    id: str
    """
    Identifier, chosen by the client.
    """
    source_handle: str
    """
    Handle of that node: `out`, `true`, `false`, `done`, `error`, or the name of a branch.
    """
    source_node_id: str
    """
    Node that the edge leaves.
    """
    target_node_id: str
    """
    Node that the edge enters.
    """


class AutomationEdgeInput(TypedDict):
    """
    Edge as an editor saves it.
    """

    id: str
    """
    Identifier, chosen by the client, once in a graph.
    """
    source_handle: str
    """
    Handle of that node: 1 to 32 letters, digits, `_` and `-`.
    """
    source_node_id: str
    """
    Node that the edge leaves.
    """
    target_node_id: str
    """
    Node that the edge enters.
    """


class AutomationExecution(TypedDict):
    """
    Started run.
    """

    run_id: str
    """
    Identifier of the run.
    """


AutomationNodeKind: TypeAlias = Literal['trigger', 'logic', 'action']
"""
Role of a node in an automation.
"""


class AutomationNodePosition(TypedDict):
    """
    Place of a node in the editor.
    """

    x: float
    """
    Horizontal distance from the origin.
    """
    y: float
    """
    Vertical distance from the origin.
    """


class AutomationNodePositionInput(TypedDict):
    """
    Place of a node in the editor.
    """

    x: float
    """
    -1,000,000 to 1,000,000.
    """
    y: float
    """
    -1,000,000 to 1,000,000.
    """


AutomationNodeType: TypeAlias = Literal['trigger', 'action', 'logic']
"""
Role of a node in an automation.
"""


AutomationRunStatus: TypeAlias = Literal['queued', 'running', 'succeeded', 'failed', 'cancelled', 'skipped']
"""
State of a run.
"""


AutomationStepStatus: TypeAlias = Literal['running', 'succeeded', 'failed', 'unknown', 'cancelled']
"""
State of a step.
"""


AutomationTriggerMode: TypeAlias = Literal['webhook', 'polling', 'both']
"""
Source of a trigger node's starts.
"""


class AutomationWebhook(TypedDict):
    """
    Webhook of a trigger node.
    """

    webhook_secret: str
    """
    Secret for the header `X-Webhook-Secret`.
    """
    webhook_url: str
    """
    Address that other services send to.
    """


BillingInterval: TypeAlias = Literal['monthly', 'yearly']
"""
Interval of the payments for a plan.
"""


class BotChannel(TypedDict):
    """
    Channel in which a bot is active, with the bot's identity.
    """

    account_id: str
    """
    Identifier of the account.
    """
    bot_connection_id: str
    """
    Identifier of the bot connection.
    """
    bot_user_id: str
    """
    Id of the bot's user at the platform.
    """
    bot_username: str
    """
    User name of the bot.
    """
    channel_name: str
    """
    Name of the channel.
    """
    is_custom: bool
    """
    True when the bot is the account's own.
    """
    platform: str
    """
    Slug of the platform.
    """
    platform_channel_id: str
    """
    Id of the channel at the platform.
    """


BotCommandResponseType: TypeAlias = Literal['text', 'template', 'automation']
"""
Effect of a command.
"""


BotCommandRole: TypeAlias = Literal['everyone', 'follower', 'subscriber', 'vip', 'moderator', 'broadcaster']
"""
Lowest role that may use a command. Each includes those after it: broadcaster, moderator, vip, subscriber,
follower, everyone.
"""


class BotConnection(TypedDict):
    """
    Identity under which a bot writes. Its tokens are never returned.
    """

    avatar_url: NotRequired[str | None]
    """
    URL of the bot's picture; null without one.
    """
    bot_user_id: str
    """
    The platform's id of the bot's user.
    """
    bot_username: str
    """
    Login name of the bot's user.
    """
    credential_source: str
    """
    Owner of the application that the connection is pinned to: `system` or `account`.
    """
    id: str
    """
    Id of the connection.
    """
    is_custom: bool
    """
    True for the account's own bot, false for the deployment's.
    """
    platform: str
    """
    Slug of the platform.
    """
    reconnect_required: bool
    """
    True when the bot must be connected again before it works.
    """


BotModuleSource: TypeAlias = Literal['builtin', 'extension']
"""
Source of a module.
"""


BotState: TypeAlias = Literal['active', 'paused', 'no_connection']
"""
State of the bot in a channel.
"""


BroadcastStatus: TypeAlias = Literal['live', 'upcoming']
"""
State of a broadcast.
"""


class CallExtensionFunctionInput(TypedDict):
    """
    Arguments of a call.
    """

    args: NotRequired[dict[str, Any] | None]
    """
    An object, checked by the function's validators; absent means no arguments.
    """


class ChangePlanInput(TypedDict):
    """
    New plan of the account.
    """

    plan_id: str
    """
    Id of the plan.
    """


class ChannelReconnectFlagInput(TypedDict):
    """
    New value of the reconnect flag.
    """

    reconnect_required: NotRequired[bool]
    """
    False, the default, clears the flag; true is for staff only.
    """


class ChatBadge(TypedDict):
    """
    Badge beside a user's name.
    """

    id: str
    """
    The platform's name of the badge: `broadcaster`, `moderator`, `vip`, `subscriber` and others.
    """
    info: NotRequired[str | None]
    """
    Text of the platform for the badge, for example the months of a subscription.
    """
    version: str
    """
    Variant of the badge.
    """


class ChatEmote(TypedDict):
    """
    Picture that replaces a word of a message.
    """

    animated: bool
    """
    True when the picture is animated.
    """
    id: str
    """
    The provider's id.
    """
    name: str
    """
    Word in messages.
    """
    url: str
    """
    Address of the picture.
    """


ChatFragmentType: TypeAlias = Literal['text', 'emote', 'mention', 'cheermote']
"""
Kind of a part of a message.
"""


ChatSender: TypeAlias = Literal['user', 'bot']
"""
Sender of a message.
"""


class ChatSettings(TypedDict):
    """
    Settings of the chat.
    """

    default_platforms: list[str]
    """
    Slugs of the platforms to write to by default.
    """
    font_size: int
    """
    Font size in pixels, 8 to 72.
    """
    highlight_mentions: bool
    """
    True when messages that mention the channel are highlighted.
    """
    show_timestamps: bool
    """
    True when messages are shown with their time.
    """


class CheckoutSession(TypedDict):
    """
    Page of the payment provider for buying a plan.
    """

    url: str
    """
    Address of the page.
    """


class ConfigureExtensionInput(TypedDict):
    """
    Changes of an install; absent fields stay.
    """

    config: NotRequired[dict[str, Any] | None]
    """
    Replaces all settings. A masked secret keeps its value.
    """
    enabled: NotRequired[bool | None]
    """
    `true` also lifts a kill.
    """
    pinned_version: NotRequired[str | None]
    """
    Published version to stay at; null follows updates again.
    """


ConnectionDiagnosisStatus: TypeAlias = Literal['ok', 'warning', 'error']
"""
Result of a diagnosis.
"""


ConnectionFindingCode: TypeAlias = Literal['reconnect_required', 'token_missing', 'token_expired', 'token_refused', 'scopes_missing', 'application_missing', 'application_gone', 'application_undecryptable', 'application_refused', 'platform_unavailable', 'rate_limited', 'clock_skew', 'subscriptions_lost', 'subscriptions_refused', 'subscriptions_pending', 'reader_missing', 'reader_waiting', 'reader_refused', 'no_events']
"""
Kind of a finding.
"""


ConnectionFindingSeverity: TypeAlias = Literal['warning', 'error']
"""
Severity of a finding.
"""


ConnectionReaderState: TypeAlias = Literal['connecting', 'reading', 'waiting', 'refused']
"""
State of the reader of a channel.
"""


CopyrightCandidateStatus: TypeAlias = Literal['open', 'approved', 'dismissed']
"""
State of a candidate.
"""


CopyrightPlaylistList: TypeAlias = Literal['safe', 'blocked']
"""
List that a playlist fills.
"""


class CopyrightSong(TypedDict):
    """
    Song.
    """

    artist: str
    """
    Artist.
    """
    id: str
    """
    Identifier.
    """
    isrc: NotRequired[str | None]
    """
    International Standard Recording Code without dashes. Null: unknown.
    """
    spotify_track_id: NotRequired[str | None]
    """
    Id of the track at Spotify. Null: unknown.
    """
    title: str
    """
    Title.
    """


class CopyrightSongInput(TypedDict):
    """
    Song as a caller names it.
    """

    artist: str
    """
    1 to 200 characters.
    """
    isrc: NotRequired[str | None]
    """
    International Standard Recording Code: 12 characters, dashes between them may be given.
    """
    spotify_track_id: NotRequired[str | None]
    """
    22 letters and digits.
    """
    title: str
    """
    1 to 200 characters.
    """


CopyrightStatus: TypeAlias = Literal['safe', 'blocked', 'reported', 'unknown']
"""
Copyright status of a song.
"""


CopyrightVoteKind: TypeAlias = Literal['blocked', 'safe', 'report', 'recommend']
"""
Vote on a song.
"""


CouponDuration: TypeAlias = Literal['once', 'forever']
"""
Payments that a coupon discounts.
"""


class CrawlerScope(TypedDict):
    """
    Scope of the crawler.
    """

    enabled: bool
    """
    False: the crawler rests.
    """
    interval_secs: int
    """
    Seconds between two visits of a channel.
    """
    languages: list[str]
    """
    ISO 639-1 codes of the languages that are crawled. Empty: all.
    """
    max_channels: int
    """
    Number of channels that are crawled at most.
    """
    min_viewers: int
    """
    Viewers from which a channel is crawled.
    """
    platforms: list[str]
    """
    Platforms that are crawled.
    """


class CreateAccountInput(TypedDict):
    """
    An account to create.
    """

    description: NotRequired[str | None]
    """
    Description, at most 500 characters.
    """
    login_connection_ids: NotRequired[list[str] | None]
    """
    Login connections of the caller through which the caller writes in the account, at most one for each
    platform.
    """
    name: str
    """
    Name, 1 to 100 characters.
    """
    primary_login_connection_id: NotRequired[str | None]
    """
    Login connection of the caller that gives the account its avatar.
    """


class CreateAdminRoleInput(TypedDict):
    """
    New role of operator staff.
    """

    description: NotRequired[str | None]
    """
    At most 500 characters.
    """
    name: str
    """
    1 to 50 characters; unique in any case.
    """
    permissions: list[str]
    """
    Permissions that the caller holds; may be empty. `admin:access` is added.
    """


class CreateAutomationInput(TypedDict):
    """
    New automation.
    """

    description: NotRequired[str | None]
    """
    At most 500 characters; empty is null.
    """
    name: str
    """
    1 to 100 characters.
    """


class CreateBotCommandInput(TypedDict):
    """
    New command.
    """

    aliases: NotRequired[list[str] | None]
    """
    At most 10, each in the form of a name.
    """
    automation_id: NotRequired[str | None]
    """
    Automation of the account, for the response type `automation`.
    """
    cooldown_global: NotRequired[int | None]
    """
    0 to 86,400 seconds; 0 when absent.
    """
    cooldown_user: NotRequired[int | None]
    """
    0 to 86,400 seconds; 0 when absent.
    """
    description: NotRequired[str | None]
    """
    At most 200 characters.
    """
    enabled: NotRequired[bool | None]
    """
    True when absent.
    """
    min_role: NotRequired[BotCommandRole | None]
    name: str
    """
    Name without the prefix: `^[a-z0-9_]{1,32}$`.
    """
    platforms: NotRequired[list[Literal['twitch', 'youtube', 'kick', 'trovo', 'discord']] | None]
    """
    Some of `twitch`, `youtube`, `kick`, `trovo`, `discord`; all when absent.
    """
    response: NotRequired[str | None]
    """
    1 to 500 characters; may be absent for an automation.
    """
    response_type: NotRequired[BotCommandResponseType | None]


class CreateCheckoutInput(TypedDict):
    """
    A plan to buy.
    """

    coupon_code: NotRequired[str | None]
    """
    Code of a coupon to redeem.
    """
    interval: BillingInterval
    """
    Interval of the payments.
    """
    plan_id: str
    """
    Id of the plan.
    """


class CreateDeveloperTeamInput(TypedDict):
    """
    A team to create.
    """

    avatar_key: NotRequired[str | None]
    """
    Upload of an image in the caller's account.
    """
    description: NotRequired[str | None]
    """
    At most 2,000 characters.
    """
    github_url: NotRequired[str | None]
    """
    An https address.
    """
    name: str
    """
    1 to 60 characters.
    """
    slug: str
    """
    3 to 50 lower-case letters, digits and hyphens, the first one a letter.
    """
    website_url: NotRequired[str | None]
    """
    An https address.
    """


class CreateDeveloperTeamInviteInput(TypedDict):
    """
    An invite to create.
    """

    email: NotRequired[str | None]
    """
    Address to mail the invite to.
    """
    expires_in: NotRequired[int | None]
    """
    Lifetime in seconds, 60 to 2,592,000; 604,800 when absent.
    """
    max_uses: NotRequired[int | None]
    """
    Maximum number of uses, 1 to 100; 1 when absent.
    """
    role_id: str
    """
    Role of a new member: not the owner's, and none with a permission that the caller lacks.
    """


class CreateDeveloperTeamRoleInput(TypedDict):
    """
    A role to create.
    """

    description: NotRequired[str | None]
    """
    At most 500 characters.
    """
    name: str
    """
    1 to 50 characters; unique in the team in any case.
    """
    permissions: list[str]
    """
    Permissions that the caller holds; no wildcards.
    """


class CreateExtensionReviewInput(TypedDict):
    """
    A new review.
    """

    body: NotRequired[str | None]
    """
    At most 2,000 characters.
    """
    rating: int
    """
    1 to 5.
    """
    title: NotRequired[str | None]
    """
    At most 100 characters.
    """


class CreateIdeaCategoryInput(TypedDict):
    """
    New category.
    """

    color: str
    """
    `#` and six hexadecimal digits.
    """
    label: str
    """
    Displayed name: 1 to 60 characters.
    """
    name: str
    """
    Slug: 2 to 30 letters, digits and hyphens, stored in lower case. No other category has it.
    """
    sort_order: NotRequired[int | None]
    """
    Place in the list, 0 to 10,000; 0 when absent.
    """


class CreateIdeaInput(TypedDict):
    """
    New idea.
    """

    category_id: str
    """
    Category.
    """
    description: str
    """
    HTML of 10 to 10,000 characters, as given and as sanitised; at most 20 users are mentioned.
    """
    tag_ids: NotRequired[list[str] | None]
    """
    At most 5 tags; none when absent.
    """
    title: str
    """
    5 to 120 characters.
    """


class CreateOverlayInput(TypedDict):
    """
    New overlay.
    """

    background: NotRequired[str | None]
    """
    `transparent` or a CSS color, at most 64 characters; `transparent` when absent.
    """
    height: NotRequired[int | None]
    """
    1 to 7,680 pixels; 1,080 when absent.
    """
    name: NotRequired[str | None]
    """
    1 to 100 characters; `Main Overlay` when absent.
    """
    width: NotRequired[int | None]
    """
    1 to 7,680 pixels; 1,920 when absent.
    """


class CreateOverlayShareInput(TypedDict):
    """
    Share to create.
    """

    expires_in: int
    """
    60 to 2,592,000 seconds (30 days).
    """
    label: NotRequired[str | None]
    """
    1 to 100 characters. Null or absent: none.
    """


class CreatePollInput(TypedDict):
    """
    Input of a new poll.
    """

    choices: list[str]
    """
    2 to 5, each of 1 to 25 characters.
    """
    duration_secs: int
    """
    15 to 1800.
    """
    platform: Literal['twitch']
    """
    `twitch`.
    """
    title: str
    """
    1 to 60 characters.
    """


class CreatePredictionInput(TypedDict):
    """
    Input of a new prediction.
    """

    outcomes: list[str]
    """
    2 to 10, each of 1 to 25 characters.
    """
    platform: Literal['twitch']
    """
    `twitch`.
    """
    title: str
    """
    1 to 45 characters.
    """
    window_secs: int
    """
    Seconds in which viewers may predict: 30 to 1800.
    """


class CreateRewardInput(TypedDict):
    """
    New reward.
    """

    action: NotRequired[dict[str, Any] | None]
    """
    Action of a redemption in one of the forms of a reward; none when absent. A reward of `kick` has none.
    """
    cost: int
    """
    1 to 1,000,000 channel points.
    """
    platform: Literal['twitch', 'kick']
    """
    `twitch` or `kick`.
    """
    platform_reward_id: NotRequired[str | None]
    """
    Id of a reward that exists at the platform, 1 to 255 characters. Absent or null: Lumio creates the reward
    at Twitch.
    """
    title: str
    """
    1 to 45 characters.
    """


class CreateRoleInput(TypedDict):
    """
    New role.
    """

    color: NotRequired[str | None]
    """
    `#rrggbb`
    """
    description: NotRequired[str | None]
    """
    At most 500 characters.
    """
    name: str
    """
    1 to 50 characters; unique in the account in any case.
    """
    permissions: list[str]
    """
    Permissions that the caller holds; no wildcards.
    """


class CreateSeTokenInput(TypedDict):
    """
    New token.
    """

    label: NotRequired[str | None]
    """
    1 to 100 characters. Absent or null: none.
    """
    platform: Literal['twitch', 'youtube', 'kick', 'trovo']
    """
    `twitch`, `youtube`, `kick` or `trovo`.
    """
    token: str
    """
    JWT or overlay token of the channel at StreamElements: 1 to 2048 printable characters without spaces.
    """


class CreateSharedLinkInput(TypedDict):
    """
    Link to create.
    """

    allow_export: bool
    """
    True to allow exports of the report through the link.
    """
    duration_secs: Literal[3600, 21600, 86400, 604800, 2592000]
    """
    Lifetime in seconds: 3600, 21600, 86400, 604800 or 2592000.
    """
    password: NotRequired[str | None]
    """
    4 to 128 characters. Null or absent: the link needs no password.
    """


class CreateSupportTicketInput(TypedDict):
    """
    New ticket.
    """

    account_id: NotRequired[str | None]
    """
    Account that it concerns, of which the caller is a member.
    """
    body: str
    """
    1 to 10,000 characters.
    """
    subject: str
    """
    1 to 200 characters.
    """


class CreateUserNoteInput(TypedDict):
    """
    Input of a new note.
    """

    body: str
    """
    1 to 2000 characters.
    """


class CreateUserRoleInput(TypedDict):
    """
    New platform-wide role.
    """

    description: NotRequired[str | None]
    """
    At most 500 characters.
    """
    name: str
    """
    1 to 50 characters; the slug is made of it.
    """
    permissions: list[str]
    """
    Permissions out of the ten of an ordinary member.
    """


EventType: TypeAlias = str


class CreateWebhookEndpointInput(TypedDict):
    """
    New endpoint.
    """

    description: NotRequired[str | None]
    """
    At most 200 characters; empty is null.
    """
    event_types: list[EventType]
    """
    1 to 50 types of the catalogue, `custom:{name}`, `chat:message`, or `*` for every type except
    `chat:message`.
    """
    is_enabled: NotRequired[bool | None]
    """
    False creates it disabled; true when absent.
    """
    url: str
    """
    Address that begins with `https://` and is on the public internet, without user name, password and fragment.
    """


CredentialKind: TypeAlias = Literal['channel', 'bot']
"""
Kind of a connection.
"""


CredentialMode: TypeAlias = Literal['system', 'account']
"""
Intended owner of the application.
"""


DeveloperApplicationStatus: TypeAlias = Literal['pending', 'approved', 'rejected']
"""
Status of an application.
"""


DeveloperApplicationType: TypeAlias = Literal['solo', 'team']
"""
Kind of an application.
"""


DeveloperLimitSource: TypeAlias = Literal['default', 'developer_override', 'extension_override']
"""
Source of the value of a limit.
"""


DeveloperPayoutMethod: TypeAlias = Literal['connect', 'paypal_style', 'bank']
"""
Method by which a developer is paid.
"""


DeveloperPayoutStatus: TypeAlias = Literal['pending', 'processing', 'paid', 'failed']
"""
Status of a payout. `paid` and `failed` are final.
"""


class DeveloperTeamPermissionInfo(TypedDict):
    """
    A permission that a role of a team may hold.
    """

    category: str
    """
    Resource of the permission.
    """
    label: str
    """
    Readable name.
    """
    permission: str
    """
    Text `resource:action`.
    """


DeveloperVerificationStatus: TypeAlias = Literal['pending', 'verified', 'rejected']
"""
Status of a verification.
"""


DiscordFeature: TypeAlias = Literal['live_notification', 'event_feed', 'chat_mirror']
"""
Feature that writes in a server.
"""


class DiscordGuildChannel(TypedDict):
    """
    Channel of a server that a feature writes in.
    """

    channel_id: str
    """
    Id of the channel at Discord.
    """
    feature: DiscordFeature
    """
    Feature.
    """


class DissolveAccountInput(TypedDict):
    """
    Confirmation of a dissolution.
    """

    confirm_name: str
    """
    Name of the account, exactly as stored.
    """


DurationHistogramItem: TypeAlias = int


DurationHistogram: TypeAlias = list[DurationHistogramItem]
"""
How many invocations lasted how long, by class. Trailing empty classes may be left out.
"""


class EmitEventInput(TypedDict):
    """
    Input of an event to emit.
    """

    data: dict[str, Any]
    """
    Values of the type's keys. Missing keys are null, unknown ones are left out. A `custom:` type accepts
    any object. At most 65,536 bytes of JSON.
    """
    event_type: str
    """
    Type of the catalogue, or `custom:{name}` with 1 to 64 characters of `a-z`, `0-9` and `_`.
    """
    is_test: NotRequired[bool | None]
    """
    True, the default, for a test: sockets get `event:test`, and it counts nowhere.
    """
    platform: NotRequired[Literal['twitch', 'youtube', 'kick', 'trovo', 'streamelements', 'spotify', 'shopify'] | None]
    """
    Determined by the type; only a `custom:` type may be of any platform, or of none.
    """


class EmoteSet(TypedDict):
    """
    Emotes of one provider.
    """

    emotes: list[ChatEmote]
    """
    Emotes of the provider.
    """
    provider: str
    """
    `twitch`, `7tv`, `ffz`, `bttv`, `discord`, `youtube`, `kick` or `trovo`.
    """


class EmoteSets(TypedDict):
    """
    Emotes by provider.
    """

    sets: list[EmoteSet]
    """
    One set a provider.
    """


class EraseChatSubjectInput(TypedDict):
    """
    Person whose data is erased: exactly one of a registered user, and a pair of platform and id.
    """

    lumio_user_id: NotRequired[str | None]
    """
    Registered user: the data of every login connection of the user is erased.
    """
    platform: NotRequired[Literal['twitch', 'youtube', 'kick', 'trovo', 'spotify', 'discord'] | None]
    """
    Slug of the platform; with `user_id`.
    """
    user_id: NotRequired[str | None]
    """
    Id on the platform, 1 to 128 characters; on YouTube that of a channel.
    """


class Error(TypedDict):
    """
    The body of every error.
    """

    details: NotRequired[dict[str, Any]]
    """
    More, for programs; absent when there is none.
    """
    error: str
    """
    The code, for programs.
    """
    message: str
    """
    What is wrong, for people.
    """


class EventDataKickGiftSub(TypedDict):
    """
    What `kick:gift_sub` carries.
    """

    gifter_name: str | None
    gifter_user_id: str | None
    recipient_name: str | None
    recipient_user_id: str | None
    tier: str | None


class EventDataKickRaid(TypedDict):
    """
    What `kick:raid` carries.
    """

    from_broadcaster_id: str | None
    from_broadcaster_name: str | None
    viewer_count: int | None


class EventDataKickStreamOffline(TypedDict):
    """
    What `kick:stream_offline` carries.
    """

    broadcaster_id: str | None
    broadcaster_name: str | None


class EventDataKickSubscribe(TypedDict):
    """
    What `kick:subscribe` carries.
    """

    message: str | None
    months: int | None
    tier: str | None
    user_id: str | None
    user_name: str | None


class EventDataShopifyOrder(TypedDict):
    """
    What `shopify:order` carries.
    """

    amount: int | None
    """
    Minor units of `currency`.
    """
    currency: str | None
    item_count: int | None
    order_id: str | None
    order_number: int | None
    user_id: str | None
    user_name: str | None


class EventDataSpotifyTrack(TypedDict):
    """
    What `spotify:track` carries.
    """

    album: str | None
    artist: str | None
    duration_ms: int | None
    title: str | None
    track_id: str | None


class EventDataStreamelementsTip(TypedDict):
    """
    What `streamelements:tip` carries.
    """

    amount: int | None
    """
    Minor units of `currency`.
    """
    currency: str | None
    message: str | None
    user_id: str | None
    user_name: str | None


class EventDataTrovoGiftSub(TypedDict):
    """
    What `trovo:gift_sub` carries.
    """

    count: int | None
    gifter_name: str | None
    gifter_user_id: str | None
    recipient_name: str | None
    recipient_user_id: str | None
    tier: str | None


class EventDataTrovoRaid(TypedDict):
    """
    What `trovo:raid` carries.
    """

    from_broadcaster_id: str | None
    from_broadcaster_name: str | None
    viewer_count: int | None


class EventDataTrovoSpell(TypedDict):
    """
    What `trovo:spell` carries.
    """

    count: int | None
    spell_name: str | None
    user_id: str | None
    user_name: str | None
    value: int | None
    value_type: str | None


class EventDataTrovoStreamOffline(TypedDict):
    """
    What `trovo:stream_offline` carries.
    """

    broadcaster_id: str | None
    broadcaster_name: str | None


class EventDataTrovoSubscribe(TypedDict):
    """
    What `trovo:subscribe` carries.
    """

    message: str | None
    months: int | None
    tier: str | None
    user_id: str | None
    user_name: str | None


class EventDataTwitchBan(TypedDict):
    """
    What `twitch:ban` carries.
    """

    moderator_name: str | None
    reason: str | None
    user_id: str | None
    user_name: str | None


class EventDataTwitchCheer(TypedDict):
    """
    What `twitch:cheer` carries.
    """

    bits: int | None
    message: str | None
    user_id: str | None
    user_name: str | None


class EventDataTwitchGiftSub(TypedDict):
    """
    What `twitch:gift_sub` carries.
    """

    gifter_name: str | None
    gifter_user_id: str | None
    recipient_name: str | None
    recipient_user_id: str | None
    tier: str | None


class EventDataTwitchGoal(TypedDict):
    """
    What `twitch:goal` carries.
    """

    current_amount: int | None
    description: str | None
    goal_id: str | None
    is_achieved: bool | None
    target_amount: int | None
    type: str | None


class EventDataTwitchGoalEnd(TypedDict):
    """
    What `twitch:goal_end` carries.
    """

    current_amount: int | None
    description: str | None
    goal_id: str | None
    is_achieved: bool | None
    target_amount: int | None
    type: str | None


class EventDataTwitchHypeTrain(TypedDict):
    """
    What `twitch:hype_train` carries.
    """

    goal: int | None
    level: int | None
    progress: int | None
    total: int | None


class EventDataTwitchHypeTrainEnd(TypedDict):
    """
    What `twitch:hype_train_end` carries.
    """

    level: int | None
    total: int | None


class EventDataTwitchPoll(TypedDict):
    """
    What `twitch:poll` carries.
    """

    choices: list[dict[str, Any]] | None
    poll_id: str | None
    status: str | None
    title: str | None
    winning_choice_id: str | None


class EventDataTwitchPollEnd(TypedDict):
    """
    What `twitch:poll_end` carries.
    """

    choices: list[dict[str, Any]] | None
    poll_id: str | None
    status: str | None
    title: str | None
    winning_choice_id: str | None


class EventDataTwitchPrediction(TypedDict):
    """
    What `twitch:prediction` carries.
    """

    outcomes: list[dict[str, Any]] | None
    prediction_id: str | None
    status: str | None
    title: str | None
    winning_outcome_id: str | None


class EventDataTwitchPredictionEnd(TypedDict):
    """
    What `twitch:prediction_end` carries.
    """

    outcomes: list[dict[str, Any]] | None
    prediction_id: str | None
    status: str | None
    title: str | None
    winning_outcome_id: str | None


class EventDataTwitchPredictionLock(TypedDict):
    """
    What `twitch:prediction_lock` carries.
    """

    outcomes: list[dict[str, Any]] | None
    prediction_id: str | None
    status: str | None
    title: str | None
    winning_outcome_id: str | None


class EventDataTwitchRaid(TypedDict):
    """
    What `twitch:raid` carries.
    """

    from_broadcaster_id: str | None
    from_broadcaster_name: str | None
    viewer_count: int | None


class EventDataTwitchResub(TypedDict):
    """
    What `twitch:resub` carries.
    """

    message: str | None
    months: int | None
    tier: str | None
    user_id: str | None
    user_name: str | None


class EventDataTwitchReward(TypedDict):
    """
    What `twitch:reward` carries.
    """

    input: str | None
    reward_cost: int | None
    reward_id: str | None
    reward_title: str | None
    status: str | None
    user_id: str | None
    user_name: str | None


class EventDataTwitchStreamOffline(TypedDict):
    """
    What `twitch:stream_offline` carries.
    """

    broadcaster_id: str | None
    broadcaster_name: str | None


class EventDataTwitchStreamUpdate(TypedDict):
    """
    What `twitch:stream_update` carries.
    """

    category_id: str | None
    category_name: str | None
    title: str | None


class EventDataTwitchSubscribe(TypedDict):
    """
    What `twitch:subscribe` carries.
    """

    message: str | None
    months: int | None
    tier: str | None
    user_id: str | None
    user_name: str | None


class EventDataTwitchUnban(TypedDict):
    """
    What `twitch:unban` carries.
    """

    moderator_name: str | None
    reason: str | None
    user_id: str | None
    user_name: str | None


class EventDataYoutubeMember(TypedDict):
    """
    What `youtube:member` carries.
    """

    gifter_user_id: str | None
    is_gift: bool | None
    is_upgrade: bool | None
    level_name: str | None
    user_id: str | None
    user_name: str | None


class EventDataYoutubeMemberGift(TypedDict):
    """
    What `youtube:member_gift` carries.
    """

    count: int | None
    gifter_name: str | None
    gifter_user_id: str | None
    level_name: str | None


class EventDataYoutubeMemberMilestone(TypedDict):
    """
    What `youtube:member_milestone` carries.
    """

    level_name: str | None
    message: str | None
    months: int | None
    user_id: str | None
    user_name: str | None


class EventDataYoutubeSuperchat(TypedDict):
    """
    What `youtube:superchat` carries.
    """

    amount_display: str | None
    amount_micros: int | None
    currency: str | None
    message: str | None
    tier: int | None
    user_id: str | None
    user_name: str | None


class EventDataYoutubeSupersticker(TypedDict):
    """
    What `youtube:supersticker` carries.
    """

    amount_display: str | None
    amount_micros: int | None
    currency: str | None
    sticker_id: str | None
    sticker_text: str | None
    tier: int | None
    user_id: str | None
    user_name: str | None


class ExchangeOauthInput(TypedDict):
    """
    Authorization to exchange.
    """

    code: str
    """
    Authorization code of the platform.
    """
    state: str
    """
    State handle of the authorization.
    """


class ExchangePopoutTokenInput(TypedDict):
    """
    A popout token to exchange.
    """

    token: str
    """
    Text of the popout token, `lm_pop_…`.
    """


class ExemptRoles(TypedDict):
    """
    Roles of chatters whose messages a module skips.
    """

    moderator: bool
    """
    True: messages of moderators are skipped.
    """
    subscriber: bool
    """
    True: messages of subscribers are skipped.
    """
    vip: bool
    """
    True: messages of VIPs are skipped.
    """


class ExemptRolesInput(TypedDict):
    """
    Roles of chatters whose messages a module skips. An absent role is not skipped.
    """

    moderator: NotRequired[bool | None]
    """
    True: messages of moderators are skipped.
    """
    subscriber: NotRequired[bool | None]
    """
    True: messages of subscribers are skipped.
    """
    vip: NotRequired[bool | None]
    """
    True: messages of VIPs are skipped.
    """


class ExportAccountInput(TypedDict):
    """
    Options of an export.
    """

    secrets_key: NotRequired[str | None]
    """
    X25519 public key in base64 that the secrets of the account are sealed to. Without it the archive has no secrets.
    """


class ExtendSharedLinkInput(TypedDict):
    """
    New lifetime of a link.
    """

    duration_secs: Literal[3600, 21600, 86400, 604800, 2592000]
    """
    Lifetime in seconds from now on: 3600, 21600, 86400, 604800 or 2592000.
    """


class ExtensionActionResult(TypedDict):
    """
    Result of an action.
    """

    error: NotRequired[str | None]
    """
    Message for the extension's developer; absent on success.
    """
    error_code: NotRequired[ActionErrorCode | None]
    ok: bool
    """
    True when the action was executed.
    """
    result: NotRequired[dict[str, Any] | None]
    """
    Result of the action; absent on failure.
    """


class ExtensionPricingInput(TypedDict):
    """
    Price of an extension.
    """

    amount: NotRequired[int | None]
    """
    Cents of EUR: 100 to 9999 once, 99 to 9999 a month.
    """
    interval: NotRequired[Literal['monthly'] | None]
    """
    `monthly` for a subscription.
    """
    type: Literal['free', 'one_time', 'subscription']
    """
    `free`; `one_time` and `subscription` need a verified developer.
    """


class ExtensionSecretKeys(TypedDict):
    """
    Names of an extension's secrets.
    """

    keys: list[str]


class ExtensionUpload(TypedDict):
    """
    Address of an upload.
    """

    url: str
    """
    Public address.
    """


class ExtensionUploadForm(TypedDict):
    """
    Fields of an upload.
    """

    file: bytes
    """
    A PNG, JPEG, GIF, SVG, WebP or AVIF image of at most 256 KB.
    """


ExtensionVersionStatus: TypeAlias = Literal['pending', 'draft', 'testing', 'pending_publish', 'approved', 'rejected', 'archived', 'revoked']
"""
Status of a version (docs/reference/developers.md#version-states).
"""


FeatureCategory: TypeAlias = Literal['system', 'platform', 'widget', 'feature', 'integration', 'bot_module', 'automation', 'copyright_provider', 'event']
"""
Category of a flag, in display order.
"""


FeatureDisabledReason: TypeAlias = Literal['global_off', 'plan_locked', 'account_override', 'user_override']
"""
Reason why a feature is off.
"""


class FeatureStatus(TypedDict):
    """
    Status of a feature, with the reason when it is off.
    """

    enabled: bool
    """
    True when the feature is on.
    """
    key: str
    """
    Key of the flag, for example `feature:apikeys`.
    """
    reason: NotRequired[FeatureDisabledReason | None]


FeedbackCategory: TypeAlias = Literal['bug', 'visual', 'feature', 'comment']
"""
Subject of feedback.
"""


class FieldError(TypedDict):
    """
    An error of one field.
    """

    field: str
    """
    Path of the field, for example `bot_module.commands[0].name`.
    """
    message: str
    """
    Rule that the field breaks.
    """


FlaggedConnectionKind: TypeAlias = Literal['login', 'channel']
"""
Kind of a flagged connection.
"""


class FoundUserConnection(TypedDict):
    """
    Names of a person on a platform.
    """

    avatar_url: NotRequired[str | None]
    """
    Address of the avatar on the platform; null when unknown.
    """
    display_name: str
    """
    Display name on the platform.
    """
    platform: str
    """
    Slug of the platform.
    """
    username: str
    """
    User name on the platform.
    """


GlobalBotStatus: TypeAlias = Literal['not_connected', 'connected', 'reconnect_required']
"""
Status of the deployment's own bot on a platform.
"""


class GqlModerationResult(TypedDict):
    """
    Result of a moderation.
    """

    details: NotRequired[str | None]
    """
    Reason of the failure; null on success.
    """
    success: bool
    """
    True when the platform did it.
    """


class GrantExtensionAccessInput(TypedDict):
    """
    Account that gets access.
    """

    account_id: str
    """
    Account.
    """


class GraphqlAnswer(TypedDict):
    """
    Outcome of one operation.
    """

    data: NotRequired[dict[str, Any] | None]
    errors: NotRequired[list[dict[str, Any]] | None]
    """
    Each has `message`, `locations`, `path` and `extensions.code`. Absent when there are none; at most
    100.
    """
    extensions: NotRequired[dict[str, Any] | None]
    """
    Cost of the operation: `{ cost: { asked, allowed } }`; absent when it was not executed.
    """


class GraphqlRequest(TypedDict):
    """
    One operation as it arrives.
    """

    operationName: NotRequired[str | None]
    """
    Name of the operation to execute; required when the document has several.
    """
    query: str
    """
    A document in the GraphQL language.
    """
    variables: NotRequired[dict[str, Any] | None]
    """
    Values of the variables by name; any JSON where the schema says `JSON`.
    """


HealthStatus: TypeAlias = Literal['healthy', 'degraded', 'unhealthy']
"""
All up, some up, none up.
"""


class Href(TypedDict):
    """
    A link as an object.
    """

    href: str
    """
    Path of the resource.
    """


class IdeaAuthor(TypedDict):
    """
    Person as everyone sees them on the board.
    """

    avatar_url: NotRequired[str | None]
    """
    Address of the avatar. Null: none.
    """
    display_name: str
    """
    Display name.
    """
    id: str
    """
    Identifier.
    """


class IdeaCommentChange(TypedDict):
    """
    Changed comment.
    """

    body: str
    """
    HTML of 1 to 5,000 characters, as given and as sanitised; at most 20 users are mentioned.
    """


IdeaStatus: TypeAlias = Literal['open', 'planned', 'in_progress', 'done', 'declined']
"""
Status of an idea.
"""


IdeaTimelineAction: TypeAlias = Literal['created', 'edited', 'status_changed', 'category_changed', 'tags_changed', 'comment_deleted']
"""
Change of an idea.
"""


IdeaVoteType: TypeAlias = Literal['up', 'down']
"""
Kind of a vote.
"""


class IdeaVoter(TypedDict):
    """
    Person who has voted on an idea.
    """

    avatar_url: NotRequired[str | None]
    """
    Address of the avatar. Null: none.
    """
    display_name: str
    """
    Display name.
    """
    user_id: str
    """
    Person.
    """
    vote_type: IdeaVoteType
    """
    Kind of the vote.
    """


class ImportCopyrightPlaylistInput(TypedDict):
    """
    Playlist to import.
    """

    list: CopyrightPlaylistList
    """
    List that gets the songs.
    """
    playlist_url: str
    """
    Address of a playlist: `https://open.spotify.com/playlist/…` or `spotify:playlist:…`; at most 500
    characters.
    """


InstallLogLevel: TypeAlias = Literal['info', 'warn', 'error']
"""
Importance of a line.
"""


class InstallStats(TypedDict):
    """
    Number of installs of an extension.
    """

    active: int
    """
    Installs that are switched on, included in `total`.
    """
    byVersion: dict[str, int]
    """
    Installs by version id.
    """
    total: int
    """
    All installs.
    """


InstallStopReason: TypeAlias = Literal['suspended', 'version_withdrawn', 'global_off', 'plan_locked', 'account_override', 'killed', 'disabled']
"""
Reason why an install does not run: the first of these that holds.
"""


Int64: TypeAlias = int
"""
Whole number of 64 bits, written as a number (docs/reference/billing.md#64-bit-numbers).
"""


class InviteExtensionTesterInput(TypedDict):
    """
    Person to invite as a tester.
    """

    username: str
    """
    Username, case-insensitive.
    """


InviteMethod: TypeAlias = Literal['link', 'token', 'person']
"""
Method by which an invite is delivered.
"""


InviteStatus: TypeAlias = Literal['active', 'used_up', 'expired']
"""
Status of an invite.
"""


class InvitingTeam(TypedDict):
    """
    A team in the preview of an invite.
    """

    avatar_key: NotRequired[str | None]
    """
    Upload of the picture, or null.
    """
    name: str
    """
    Name.
    """
    slug: str
    """
    Slug.
    """


class IssueExtensionTokenInput(TypedDict):
    """
    Page that the token is for.
    """

    surface: Literal['editor', 'layer', 'interactive']
    """
    `editor`, `layer` or `interactive`: a surface that the extension has code for.
    """


Json: TypeAlias = dict[str, Any]
"""
Any JSON value. Output is nested. Input is nested through variables (see the request's coercion) or JSON
text.
"""


class KeyLinks(TypedDict):
    """
    `_links` of a created key, where `self` is an object.
    """

    self: Href
    """
    Link of the key.
    """


class KillBotModuleInput(TypedDict):
    """
    Install to stop.
    """

    install_id: str
    """
    Identifier of the install.
    """


LimitRequestAction: TypeAlias = Literal['approve', 'reject', 'start_review']
"""
Step of a review.
"""


LimitRequestScope: TypeAlias = Literal['developer', 'extension']
"""
Subject of a request.
"""


LimitRequestStatus: TypeAlias = Literal['open', 'in_review', 'approved', 'rejected']
"""
Status of a request.
"""


class Link(TypedDict):
    """
    A document or an endpoint that this deployment serves.
    """

    description: str
    """
    One sentence for people.
    """
    name: str
    """
    Name for people.
    """
    path: str
    """
    Path on this host.
    """


class ListLinks(TypedDict):
    """
    `_links` of a whole list, or of a part of one.
    """

    next: NotRequired[str | None]
    """
    Next part of a list that continues by `before`; absent when there is none.
    """
    self: str
    """
    Path and query of the request.
    """


class ListedAccessCandidate(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[AccessCandidate]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedAccountPermissionInfo(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[AccountPermissionInfo]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedAdminPermissionInfo(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[AdminPermissionInfo]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedAdminPlanFeature(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[AdminPlanFeature]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedAdminPlatform(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[AdminPlatform]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedApiKeyPermission(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[ApiKeyPermission]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedBotChannel(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[BotChannel]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedBotConnection(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[BotConnection]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedDeveloperTeamPermissionInfo(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[DeveloperTeamPermissionInfo]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedFeatureStatus(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[FeatureStatus]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedIdeaAuthor(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[IdeaAuthor]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedIdeaVoter(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[IdeaVoter]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedString(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[str]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class Liveness(TypedDict):
    """
    Liveness of the process, with links to the documents that it serves.
    """

    links: list[Link]
    status: str
    """
    `ok`
    """


Locale: TypeAlias = Literal['en', 'de']
"""
Language of the account.
"""


LogLevel: TypeAlias = Literal['info', 'warn', 'error']
"""
Importance of a log line.
"""


class LoginProfile(TypedDict):
    """
    Profile of the person. User name and avatar that the provider reports have priority.
    """

    avatar_url: NotRequired[str | None]
    """
    Address of an image, with the scheme http or https.
    """
    display_name: str
    """
    Display name, 1 to 100 characters.
    """
    email: NotRequired[str | None]
    """
    E-mail address. Ignored for `google` and `kick`, which report it themselves.
    """
    username: str
    """
    User name, 1 to 100 characters.
    """


class LoginReconnectFlagInput(TypedDict):
    """
    Reconnect flag of a login connection.
    """

    reconnect_required: NotRequired[bool | None]
    """
    New value of the flag. Null or absent: false. True needs `users:edit` as staff.
    """


class LogoutInput(TypedDict):
    """
    Input of a sign-out.
    """

    refresh_token: NotRequired[str | None]
    """
    Accepted and ignored: the session of the access token ends, and its refresh token with it.
    """


class MemberRole(TypedDict):
    """
    Role of a member or of an invite.
    """

    color: NotRequired[str | None]
    """
    Color `#rrggbb`; null without one.
    """
    id: str
    """
    Id of the role.
    """
    name: str
    """
    Name of the role.
    """
    slug: str
    """
    Slug of the role, unique in the account.
    """


class MemberRoleInput(TypedDict):
    """
    New role of a member.
    """

    role_id: str


class MembershipRole(TypedDict):
    """
    Role of a member.
    """

    color: NotRequired[str | None]
    """
    Colour as `#rrggbb`; null when it has none.
    """
    id: str
    """
    Id of the role.
    """
    name: str
    """
    Name of the role.
    """
    slug: str
    """
    Slug of the role.
    """


MinRole: TypeAlias = Literal['everyone', 'follower', 'subscriber', 'vip', 'moderator', 'broadcaster']
"""
Least role that may use a command; the roles after it may use it too (docs/reference/extensions.md#roles).
"""


ModerationAction: TypeAlias = Literal['ban', 'timeout', 'delete']
"""
Moderation action. REST accepts upper and lower case.
"""


class ModerationInput(TypedDict):
    """
    Action and its target.
    """

    action: ModerationAction
    """
    Action; REST accepts upper and lower case.
    """
    duration_secs: NotRequired[int | None]
    """
    Seconds, needed for `TIMEOUT`: 1 to 86400 on YouTube, to 1209600 elsewhere.
    """
    live_chat_id: NotRequired[str | None]
    """
    YouTube only: chat of one of the channel's broadcasts; that of the active one when absent.
    """
    message_id: NotRequired[str | None]
    """
    The platform's id of a message of the account's chat; needed for `DELETE`.
    """
    platform: Literal['twitch', 'youtube', 'kick', 'trovo']
    """
    `twitch`, `youtube`, `kick` or `trovo`.
    """
    reason: NotRequired[str | None]
    """
    At most 500 characters. Kept in the log, and sent to platforms that take one.
    """
    user_id: NotRequired[str | None]
    """
    The platform's id of the user; needed for `BAN` and `TIMEOUT`.
    """


ModerationLogAction: TypeAlias = Literal['ban', 'timeout', 'delete', 'unban']
"""
Action in the log. Only extensions lift bans.
"""


ModeratorType: TypeAlias = Literal['user', 'service_key', 'extension', 'automation', 'system']
"""
Kind of a caller that moderates.
"""


class MoveRoleInput(TypedDict):
    """
    New position of a role.
    """

    position: int
    """
    Position in the list, from 0.
    """


class NewIdeaComment(TypedDict):
    """
    New comment on the idea of the path.
    """

    body: str
    """
    HTML of 1 to 5,000 characters, as given and as sanitised; at most 20 users are mentioned.
    """
    parent_id: NotRequired[str | None]
    """
    Comment to reply to: one that replies to none itself.
    """


class NewIdeaStatus(TypedDict):
    """
    New status.
    """

    status: IdeaStatus
    """
    Status.
    """


class NewIdeaTag(TypedDict):
    """
    New tag.
    """

    name: str
    """
    2 to 30 letters, digits and hyphens; stored in lower case.
    """


class NewIdeaVote(TypedDict):
    """
    Vote of the caller.
    """

    vote_type: IdeaVoteType
    """
    Kind of the vote.
    """


class NotificationAction(TypedDict):
    """
    Action that a notification offers.
    """

    key: str
    """
    Key for `runNotificationAction`.
    """
    label: str
    """
    Label of the button.
    """


NotificationChannel: TypeAlias = Literal['off', 'in_app', 'email', 'in_app_email']
"""
Channels on which notifications are delivered.
"""


class NotificationPreference(TypedDict):
    """
    Delivery of a notification type.
    """

    channel: NotificationChannel
    """
    Channel of delivery.
    """
    locked: bool
    """
    True when the channel cannot be changed.
    """
    notification_type: str
    """
    Type, for example `invite`.
    """


class OauthAuthorization(TypedDict):
    """
    Address for the browser.
    """

    authorize_url: str
    """
    Address of the platform's page.
    """
    state: str
    """
    State handle that the browser brings back. It is valid once, for ten minutes.
    """


OauthKind: TypeAlias = Literal['channel', 'account_bot', 'global_bot', 'discord_guild']
"""
Kind of a connection.
"""


class ObsCommandResult(TypedDict):
    """
    Outcome of a command.
    """

    relayed: bool
    """
    True when the command went to the account's own page: whether it arrived is not known. False: OBS did it.
    """
    success: bool
    """
    Always true: a failure is an error.
    """


class ObsRecordState(TypedDict):
    """
    Recording of OBS.
    """

    active: bool
    """
    True while it runs, also while it is paused.
    """
    paused: bool
    """
    True while it is paused.
    """
    state: str
    """
    `starting`, `started`, `stopping`, `stopped`, `paused`, `resumed` or `unknown`.
    """


class ObsStreamState(TypedDict):
    """
    Stream of OBS.
    """

    active: bool
    """
    True while it runs.
    """
    state: str
    """
    `starting`, `started`, `stopping`, `stopped`, `reconnecting`, `reconnected` or `unknown`.
    """


class ObsTestResult(TypedDict):
    """
    Outcome of a test.
    """

    error: NotRequired[str | None]
    """
    Reason of a failure. Null: success.
    """
    relayed: bool
    """
    True when the test went to the account's own page: its outcome is not known.
    """
    success: bool
    """
    True when OBS was reached and took the password, or when the test was relayed.
    """


class OverlayChanges(TypedDict):
    """
    Changes of an overlay. Absent fields stay.
    """

    background: NotRequired[str | None]
    """
    `transparent` or a CSS color, at most 64 characters.
    """
    height: NotRequired[int | None]
    """
    1 to 7,680 pixels.
    """
    name: NotRequired[str | None]
    """
    1 to 100 characters.
    """
    thumbnail_upload_id: NotRequired[str | None]
    """
    Upload of the account with a picture of the overlay; null removes it.
    """
    version: NotRequired[int | None]
    """
    Version that the caller has seen. Null or absent: the change replaces any version.
    """
    width: NotRequired[int | None]
    """
    1 to 7,680 pixels.
    """


OverlayLayerType: TypeAlias = Literal['alert_box', 'chat_box', 'event_list', 'text', 'image', 'video', 'timer', 'music', 'browser', 'custom_html', 'extension']
"""
Content of a layer.
"""


class OverlayShareCreator(TypedDict):
    """
    Person who created a share.
    """

    display_name: str
    """
    Display name.
    """
    id: str
    """
    Id of the person.
    """


class OverrideGlobalCommandInput(TypedDict):
    """
    Override of a global command. Absent fields follow the global command.
    """

    cooldown_global: NotRequired[int | None]
    """
    0 to 86,400 seconds.
    """
    cooldown_user: NotRequired[int | None]
    """
    0 to 86,400 seconds.
    """
    enabled: NotRequired[bool | None]
    """
    True switches the command on in the account.
    """
    min_role: NotRequired[BotCommandRole | None]
    platforms: NotRequired[list[Literal['twitch', 'youtube', 'kick', 'trovo', 'discord']] | None]
    """
    Some of `twitch`, `youtube`, `kick`, `trovo`, `discord`.
    """
    response: NotRequired[str | None]
    """
    1 to 500 characters.
    """


class PageMeta(TypedDict):
    """
    `_meta` of a page.
    """

    limit: int
    """
    Highest number of rows of a page.
    """
    page: int
    """
    Number of the page, from 1.
    """
    pages: int
    """
    Number of pages; 0 for an empty collection.
    """
    total: int
    """
    Rows of all pages.
    """


class PagedLinks(TypedDict):
    """
    `_links` of a page; `prev` and `next` are left out at the ends.
    """

    first: str
    """
    First page.
    """
    last: str
    """
    Last page.
    """
    next: NotRequired[str | None]
    """
    Page after; absent on the last page.
    """
    prev: NotRequired[str | None]
    """
    Page before; absent on the first page.
    """
    self: str
    """
    Path and query of the request.
    """


PayoutMethod: TypeAlias = Literal['connect', 'paypal_style', 'bank']
"""
Method by which a developer is paid.
"""


PayoutStatus: TypeAlias = Literal['pending', 'processing', 'paid', 'failed']
"""
Status of a payout. `paid` and `failed` are final.
"""


Peak: TypeAlias = float
"""
Peak of a part of a sound.
"""


class PlanFeature(TypedDict):
    """
    A feature of a plan. It is available when both `enabled` and `globally_enabled` are true.
    """

    enabled: bool
    """
    True when the plan includes the feature.
    """
    feature_id: str
    """
    Id of the flag.
    """
    feature_key: str
    """
    Key of the flag.
    """
    globally_enabled: bool
    """
    True when the flag is on globally.
    """
    label: str
    """
    Name of the flag.
    """


class PlanFeatureInput(TypedDict):
    """
    Decision of a plan about a feature.
    """

    enabled: bool
    """
    True: the plan includes the feature.
    """
    feature_id: str
    """
    Id of the flag.
    """


PlanLimitKey: TypeAlias = Literal['max_overlays', 'max_storage_bytes', 'max_upload_size_bytes', 'max_integrations', 'chat_retention_days']
"""
Kind of limit.
"""


PlanLimitSource: TypeAlias = Literal['plan', 'override']
"""
Source of a limit.
"""


class PlatformCredentialMode(TypedDict):
    """
    Credential mode of a platform and kind.
    """

    kind: CredentialKind
    """
    Kind of the connection.
    """
    mode: CredentialMode
    """
    Intended owner. `system` without an application of the deployment uses the account's application.
    """
    platform: str
    """
    Slug of the platform.
    """
    system_configured: bool
    """
    True when the deployment has an application that serves the kind.
    """


class PlatformSubscription(TypedDict):
    """
    One type of event that the platform was asked to deliver.
    """

    event_type: str
    """
    The platform's name of the type, such as `channel.follow`.
    """
    refusal: NotRequired[str | None]
    """
    Reason why the platform does not deliver it; null when it does.
    """


PlatformSubscriptionStatus: TypeAlias = Literal['active', 'pending', 'refused', 'lost', 'unknown']
"""
State of a delivery.
"""


class PlatformSwitchesInput(TypedDict):
    """
    Switches to set. Absent ones stay as they are.
    """

    bot: NotRequired[bool | None]
    """
    Switch of bots.
    """
    channel: NotRequired[bool | None]
    """
    Switch of channel connections.
    """
    enabled: NotRequired[bool | None]
    """
    Switch of the platform.
    """
    login: NotRequired[bool | None]
    """
    Switch of sign-in.
    """


class PollChoice(TypedDict):
    """
    Choice of a poll.
    """

    id: str
    """
    The platform's id of the choice.
    """
    title: str
    """
    Text of the choice.
    """
    votes: Int64
    """
    Number of votes.
    """


PollEnding: TypeAlias = Literal['terminated', 'archived']
"""
Kind of an end before the time.
"""


class PollRegistration(TypedDict):
    """
    A trigger node that is polled while its automation is enabled.
    """

    account_id: str
    """
    Account.
    """
    automation_id: str
    """
    Automation of the node.
    """
    config: NotRequired[Any]
    """
    Configuration of the node. Absent from a brief feed.
    """
    id: str
    """
    Registration.
    """
    install_id: str
    """
    Install of the extension.
    """
    node_id: str
    """
    Node in the automation.
    """
    poll_interval_seconds: int
    """
    10 to 300.
    """
    state: NotRequired[Any]
    """
    State from the handler's last poll; null before the first. Absent from a brief feed.
    """


class PollState(TypedDict):
    """
    `PUT /v1/internal/automation-triggers/{id}/state`.
    """

    state: Any
    """
    At most 64 KiB of JSON.
    """


PollStatus: TypeAlias = Literal['active', 'completed', 'terminated', 'archived', 'moderated', 'invalid']
"""
State of a poll.
"""


class PortalSession(TypedDict):
    """
    Page of the payment provider for managing payments.
    """

    url: str
    """
    Address of the page.
    """


PredictionEnding: TypeAlias = Literal['locked', 'resolved', 'cancelled']
"""
New state of a prediction.
"""


class PredictionOutcome(TypedDict):
    """
    Outcome of a prediction.
    """

    channel_points: Int64
    """
    Channel points on it.
    """
    id: str
    """
    The platform's id of the outcome.
    """
    title: str
    """
    Text of the outcome.
    """
    users: Int64
    """
    Number of viewers who predicted it.
    """


PredictionStatus: TypeAlias = Literal['active', 'locked', 'resolved', 'cancelled']
"""
State of a prediction.
"""


PresentLimitScope: TypeAlias = Literal['credential', 'account', 'address']
"""
Holder of a limit.
"""


PresentLimitSource: TypeAlias = Literal['configuration', 'constant', 'plan', 'override', 'budget']
"""
Source of a limit.
"""


class PricingBody(TypedDict):
    """
    Price of an extension on the developer API.
    """

    amount: NotRequired[int | None]
    """
    Cents of EUR: 100 to 9999 once, 99 to 9999 a month; absent when it is free.
    """
    interval: NotRequired[Literal['monthly'] | None]
    """
    `monthly` for a subscription, else absent.
    """
    type: Literal['free', 'one_time', 'subscription']
    """
    `free`; `one_time` and `subscription` need a verified developer.
    """


class PrivacySettings(TypedDict):
    """
    Settings of the storage of chat data.
    """

    store_chat: bool
    """
    True when chat messages are stored. They are broadcast in any case.
    """
    store_user_profiles: bool
    """
    True when counters and profiles of those who write are stored.
    """


class PublicAverageDay(TypedDict):
    """
    Viewers of a day.
    """

    avg_viewers: float
    """
    Average of the viewers while it was on air.
    """
    date: str
    """
    UTC day, `YYYY-MM-DD`.
    """


class PublicDeveloperStats(TypedDict):
    """
    Figures over the listed extensions of a developer.
    """

    avg_rating: float
    """
    Average of all ratings, 1 to 5; 0 without ratings.
    """
    extension_count: int
    """
    Number of extensions.
    """
    total_installs: int
    """
    Number of installs.
    """


class PublicFollowerDay(TypedDict):
    """
    Followers at the end of a day.
    """

    date: str
    """
    UTC day, `YYYY-MM-DD`.
    """
    follower_count: Int64
    """
    Number of followers.
    """


class PublicGame(TypedDict):
    """
    Game in the directory.
    """

    avg_viewers: float
    """
    Average of the viewers in the range while a channel was on air in it; 0 when none was.
    """
    box_art_url: NotRequired[str | None]
    """
    Address of the picture. Null: not known.
    """
    game_id: str
    """
    The platform's id.
    """
    hours_watched: float
    """
    Hours that viewers have watched in the range.
    """
    live_channels: Int64
    """
    Channels that are on air in it.
    """
    live_viewers: Int64
    """
    Present viewers of all channels.
    """
    name: str
    """
    Name.
    """
    peak_viewers: Int64
    """
    Peak of the viewers in the range; 0 when no channel was on air in it.
    """
    platform: str
    """
    `twitch`, `youtube`, `kick` or `trovo`.
    """


class PublicGameChannel(TypedDict):
    """
    Channel that is on air in a game.
    """

    avatar_url: NotRequired[str | None]
    """
    Address of the picture. Null: not known.
    """
    avg_viewers: float
    """
    Average of the channel's viewers in the range, in all games.
    """
    channel_display_name: NotRequired[str | None]
    """
    Displayed name. Null: not known.
    """
    channel_login: NotRequired[str | None]
    """
    Login name. Null: not known.
    """
    current_viewers: NotRequired[Int64 | None]
    peak_viewers: Int64
    """
    Peak of the channel's viewers in the range, in all games.
    """
    platform_channel_id: str
    """
    The platform's id of the channel.
    """


class PublicGameDay(TypedDict):
    """
    Viewers of a game on a day.
    """

    avg_viewers: float
    """
    Average of the viewers while a channel was on air in it.
    """
    date: str
    """
    UTC day, `YYYY-MM-DD`.
    """


class PublicGameStats(TypedDict):
    """
    Game with its channels and its days.
    """

    avg_viewers: float
    """
    Average of the viewers in the range while a channel was on air in it; 0 when none was.
    """
    box_art_url: NotRequired[str | None]
    """
    Address of the picture. Null: not known.
    """
    game_id: str
    """
    The platform's id.
    """
    hours_watched: float
    """
    Hours that viewers have watched in the range.
    """
    live_channels: Int64
    """
    Channels that are on air in it.
    """
    live_viewers: Int64
    """
    Present viewers of all channels.
    """
    name: str
    """
    Name.
    """
    peak_viewers: Int64
    """
    Peak of the viewers in the range; 0 when no channel was on air in it.
    """
    platform: str
    """
    `twitch`, `youtube`, `kick` or `trovo`.
    """
    top_channels: list[PublicGameChannel]
    """
    Channels that are on air in it, most viewers first, at most 25.
    """
    viewer_series: list[PublicGameDay]
    """
    Days of the range on which a channel was on air in it, oldest first.
    """


class PublicStreamChatter(TypedDict):
    """
    Person who wrote in the chat of a stream, without an id.
    """

    display_name: str
    """
    Displayed name.
    """
    message_count: Int64
    """
    Number of messages.
    """


class PublicStreamEmote(TypedDict):
    """
    Use of an emote in a stream.
    """

    count: Int64
    """
    Number of times that it was used.
    """
    id: str
    """
    The provider's id.
    """
    name: str
    """
    Code in messages.
    """
    provider: str
    """
    Provider.
    """
    url: NotRequired[str | None]
    """
    Address of the picture. Null: not known.
    """


class PublicStreamGif(TypedDict):
    """
    Use of a GIF in a stream.
    """

    alt: NotRequired[str | None]
    """
    Description. Null: none.
    """
    count: Int64
    """
    Number of times that it was used.
    """
    id: str
    """
    The provider's id.
    """
    provider: str
    """
    `tenor` or `giphy`.
    """
    url: str
    """
    Address of the picture.
    """


class PublicTeamMember(TypedDict):
    """
    A member of a team in its public profile.
    """

    avatar_url: NotRequired[str | None]
    """
    Address of the picture, or null.
    """
    display_name: str
    """
    Display name.
    """
    role: str
    """
    Name of the role.
    """
    user_id: str
    """
    Person.
    """


class PublicTeamStats(TypedDict):
    """
    Figures over the listed extensions of a team.
    """

    avg_rating: float
    """
    Average of all ratings, 1 to 5; 0 without ratings.
    """
    extension_count: int
    """
    Number of extensions.
    """
    total_installs: int
    """
    Number of installs.
    """


class RatingCount(TypedDict):
    """
    Number of reviews with one rating.
    """

    count: Int64
    """
    Number of reviews.
    """
    rating: int
    """
    1 to 5.
    """


ReadinessStatus: TypeAlias = Literal['ready', 'unready']
"""
State of the readiness.
"""


RedemptionOutcome: TypeAlias = Literal['fulfilled', 'refunded', 'failed', 'skipped']
"""
Outcome of a redemption.
"""


class RefreshTokenInput(TypedDict):
    """
    The refresh token of a session.
    """

    refresh_token: str
    """
    Text of the refresh token.
    """


class RejectExtensionVersionInput(TypedDict):
    """
    Reason of a rejection.
    """

    notes: NotRequired[str | None]
    """
    1 to 2,000 characters; required.
    """


class RejoinBotInput(TypedDict):
    """
    Bot that joins again.
    """

    platform: Literal['twitch', 'youtube', 'kick', 'trovo']
    """
    Slug of the platform.
    """


class RequestDeveloperPayoutInput(TypedDict):
    """
    Request for a payout.
    """

    amount: NotRequired[int | None]
    """
    Amount in cents, at most the balance; the whole balance when absent.
    """
    team_id: NotRequired[str | None]
    """
    Team whose balance is paid; the caller's own when absent.
    """


ResponseType: TypeAlias = Literal['text', 'template', 'automation']
"""
Effect of a command.
"""


class ReviewAuthor(TypedDict):
    """
    Author of a review.
    """

    avatar_url: NotRequired[str | None]
    """
    Address of the picture, or null.
    """
    display_name: str
    """
    Display name.
    """
    id: str
    """
    Person.
    """


class ReviewDiff(TypedDict):
    """
    Difference to the last approved version.
    """

    added: list[str]
    """
    Entries that the last approved version does not have.
    """
    removed: list[str]
    """
    Entries that only the last approved version has.
    """


class ReviewFile(TypedDict):
    """
    A file of a version.
    """

    content_hash: str
    """
    SHA-256 of the content.
    """
    content_type: str
    """
    Content type.
    """
    file_path: str
    """
    Path in the bundle.
    """
    size_bytes: Int64
    """
    Size in bytes.
    """


class RevokeExtensionVersionInput(TypedDict):
    """
    Reason of a revocation.
    """

    reason: str
    """
    1 to 2,000 characters, for the developer.
    """


class RewardRedemptionResult(TypedDict):
    """
    Result of a redemption.
    """

    error: NotRequired[str | None]
    """
    Reason why the action failed in this call; null without one.
    """
    outcome: NotRequired[RedemptionOutcome | None]
    repeat: bool
    """
    True when the call must be repeated later: the action runs, or the platform did not answer.
    """


class SaveAppCredentialsInput(TypedDict):
    """
    Application to save.
    """

    client_id: str
    """
    1 to 255 characters.
    """
    client_secret: str
    """
    1 to 1024 characters.
    """
    kind: NotRequired[CredentialKind | None]


class SaveObsConfigInput(TypedDict):
    """
    Configuration that replaces the stored one.
    """

    password: NotRequired[str | None]
    """
    Password of obs-websocket, 1 to 256 characters. Absent: the stored one stays. Null: none.
    """
    port: NotRequired[int | None]
    """
    1 to 65,535. Null or absent: 4455.
    """
    remote_enabled: NotRequired[bool | None]
    """
    True: the service connects to `remote_host`. Null or absent: false.
    """
    remote_host: NotRequired[str | None]
    """
    Name or address of a public host, without scheme and port; at most 253 characters. Null or absent: none.
    """


class SecretBody(TypedDict):
    """
    Value of a secret.
    """

    value: str
    """
    1 byte to 64 KiB. The value is never returned.
    """


class SecretKeys(TypedDict):
    """
    Names of an extension's secrets.
    """

    keys: list[str]
    """
    Names, in alphabetical order.
    """


class Secrets(TypedDict):
    """
    `POST /v1/internal/secrets/{extension_id}`: all secrets of an extension, for one batch of invocations.
    Never written to a disk or a log.
    """

    secrets: dict[str, str]
    """
    Decrypted values by name.
    """


class SelfLink(TypedDict):
    """
    `_links` of a single resource.
    """

    self: str
    """
    Path and query of the resource.
    """


class SendChatToPlatformInput(TypedDict):
    """
    Message for one platform.
    """

    message: str
    """
    1 to 500 characters on Twitch and Kick, 200 on YouTube, 300 on Trovo.
    """
    platform: Literal['twitch', 'youtube', 'kick', 'trovo']
    """
    `twitch`, `youtube`, `kick` or `trovo`.
    """
    reply_to_message_id: NotRequired[str | None]
    """
    The platform's id of the message to reply to; YouTube and Trovo have no replies.
    """
    send_as: NotRequired[ChatSender | None]


SendErrorCode: TypeAlias = Literal['login_reconnect_required', 'internal_error', 'send_failed']
"""
Reason why a message was not sent.
"""


ServiceStatus: TypeAlias = Literal['healthy', 'unhealthy']
"""
State of a dependency.
"""


class SetAccessInput(TypedDict):
    """
    Role of a member for one overlay or widget.
    """

    role: Literal['viewer', 'editor', 'none']
    """
    `viewer` reads, `editor` reads and changes, `none` removes the entry.
    """


class SetDiscordBotTokenInput(TypedDict):
    """
    Token of Discord's bot, which is not connected by OAuth.
    """

    application_id: str
    """
    Id of the application at Discord: 1 to 20 digits.
    """
    bot_token: str
    """
    Static token of the bot, at most 512 characters.
    """


class SetExtensionSecretInput(TypedDict):
    """
    Value of a secret.
    """

    value: str
    """
    1 byte to 64 KiB. The value is never returned.
    """


class SetExtensionStorageInput(TypedDict):
    """
    New content of the storage.
    """

    value: dict[str, Any]
    """
    An object of at most 1,000 keys with at most 64 KB each; replaces the whole content.
    """
    version: NotRequired[int | None]
    """
    Version that it replaces; any other present version is 409. Over REST also as `If-Match`.
    """


class SetExtensionVisibilityInput(TypedDict):
    """
    Visibility of an extension.
    """

    visibility: Literal['private', 'unlisted', 'public', 'paid']
    """
    `private`, `unlisted`, `public` or `paid`.
    """


class SetObsSceneInput(TypedDict):
    """
    Scene to put on air.
    """

    scene: str
    """
    Name of the scene, 1 to 256 characters.
    """


class SetObsSourceInput(TypedDict):
    """
    Source to show or to hide.
    """

    scene: str
    """
    Name of the scene that has the source, 1 to 256 characters.
    """
    source: str
    """
    Name of the source, 1 to 256 characters.
    """
    visible: bool
    """
    True to show it, false to hide it.
    """


class SetPermissionOverrideInput(TypedDict):
    """
    Override of one permission.
    """

    granted: bool
    """
    True grants, false denies.
    """
    permission: str
    """
    `resource:action`; no wildcards.
    """
    reason: NotRequired[str | None]
    """
    Reason for later readers, at most 500 characters.
    """


class SetPrimaryLoginConnectionInput(TypedDict):
    """
    Choice of the primary login connection.
    """

    account_id: NotRequired[str | None]
    """
    Account to change; absent: the one that the caller acts in.
    """
    login_connection_id: NotRequired[str | None]
    """
    Login connection of the caller, or null: the account shows the avatar of its owner. Required.
    """


SharedLinkStatus: TypeAlias = Literal['active', 'expired', 'revoked']
"""
State of a link.
"""


class Sockets(TypedDict):
    """
    Open sockets of this process, and channels with subscribers.
    """

    channels: int
    sessions: int


SongListScope: TypeAlias = Literal['account', 'global']
"""
Owner of a list.
"""


SongMatch: TypeAlias = Literal['spotify_track_id', 'isrc', 'names']
"""
Field by which a list has a song.
"""


class SoundForm(TypedDict):
    """
    Fields of a sound.
    """

    file: bytes
    """
    An MP3, WAV, OGG or FLAC sound.
    """
    name: NotRequired[str | None]
    """
    Name, 1 to 100 characters; that of the file when absent.
    """


SoundTargetType: TypeAlias = Literal['widget', 'overlay']
"""
Kind of a browser source.
"""


class SpotifyAddToQueueInput(TypedDict):
    """
    Track for the queue.
    """

    uri: str
    """
    Track: `spotify:track:…` or `https://open.spotify.com/track/…`; at most 500 characters.
    """


class SpotifyDevice(TypedDict):
    """
    Device that plays music of Spotify.
    """

    id: NotRequired[str | None]
    """
    Id. Null: a device that cannot be chosen.
    """
    is_active: bool
    """
    True for the device that plays.
    """
    is_restricted: bool
    """
    True when the device takes no commands.
    """
    name: str
    """
    Name.
    """
    type: str
    """
    Kind of device as Spotify names it, for example `Computer`.
    """
    volume: NotRequired[int | None]
    """
    Volume in percent. Null: it cannot be read.
    """


class SpotifyManualConnect(TypedDict):
    """
    Manual connect of an account.
    """

    active: bool
    """
    True while the player is polled although no channel is live.
    """
    remaining_seconds: int
    """
    Time until it ends, in seconds. 0 when it is not active.
    """


class SpotifyNowPlaying(TypedDict):
    """
    Track in the player, as `spotify:track` publishes it.
    """

    album: NotRequired[str | None]
    """
    Name of the album. Null: unknown.
    """
    artist: str
    """
    Names of the artists, separated by commas.
    """
    artists: list[str]
    """
    Names of the artists.
    """
    copyright_status: NotRequired[str | None]
    """
    `safe`, `blocked`, `reported` or `unknown`. Null: not checked, because the player is not polled or the
    account has no `feature:copyright_detection`.
    """
    duration_ms: int
    """
    Duration in milliseconds.
    """
    image_url: NotRequired[str | None]
    """
    Address of the cover. Null: none.
    """
    is_playing: bool
    """
    True while it plays.
    """
    progress_ms: NotRequired[int | None]
    """
    Position in milliseconds. Null: unknown.
    """
    title: str
    """
    Title.
    """
    track_id: NotRequired[str | None]
    """
    Id of the track. Null: a local file.
    """
    uri: str
    """
    Address of the form `spotify:track:{id}`.
    """
    url: NotRequired[str | None]
    """
    Address of the track's page. Null: none.
    """


class SpotifyPlayInput(TypedDict):
    """
    Music to play.
    """

    uri: NotRequired[str | None]
    """
    Track: `spotify:track:…` or `https://open.spotify.com/track/…`; at most 500 characters. Absent or null: playback
    resumes.
    """


class SpotifyPlaylist(TypedDict):
    """
    Playlist in the user's library at Spotify.
    """

    id: str
    """
    Id at Spotify.
    """
    image_url: NotRequired[str | None]
    """
    Address of the picture. Null: none.
    """
    name: str
    """
    Name.
    """
    owner: NotRequired[str | None]
    """
    Name of the owner. Null: unknown.
    """
    track_count: int
    """
    Number of entries.
    """
    uri: str
    """
    Address of the form `spotify:playlist:{id}`.
    """
    url: NotRequired[str | None]
    """
    Address of the playlist's page. Null: none.
    """


SpotifyRepeatMode: TypeAlias = Literal['off', 'track', 'context']
"""
Repetition of a player.
"""


class SpotifySeekInput(TypedDict):
    """
    Position in the track.
    """

    position_ms: int
    """
    Milliseconds from the begin, at most a day.
    """


class SpotifySetDeviceInput(TypedDict):
    """
    Device to play on.
    """

    device_id: str
    """
    Id of one of the devices of `spotifyState`, 1 to 128 characters.
    """


class SpotifySetVolumeInput(TypedDict):
    """
    Volume of the device that plays.
    """

    percent: int
    """
    0 to 100.
    """


class SpotifyShuffleInput(TypedDict):
    """
    Order of the tracks.
    """

    enabled: bool
    """
    True for random order.
    """


class SpotifyTrack(TypedDict):
    """
    Track of Spotify.
    """

    album: NotRequired[str | None]
    """
    Name of the album. Null: unknown.
    """
    artist: str
    """
    Names of the artists, separated by commas.
    """
    artists: list[str]
    """
    Names of the artists.
    """
    duration_ms: int
    """
    Duration in milliseconds.
    """
    image_url: NotRequired[str | None]
    """
    Address of the cover. Null: none.
    """
    title: str
    """
    Title.
    """
    track_id: NotRequired[str | None]
    """
    Id of the track. Null: a local file.
    """
    uri: str
    """
    Address of the form `spotify:track:{id}`.
    """
    url: NotRequired[str | None]
    """
    Address of the track's page. Null: none.
    """


class StartRaidInput(TypedDict):
    """
    Input of a new raid.
    """

    platform: Literal['twitch']
    """
    `twitch`.
    """
    target: str
    """
    Name of the target channel, with or without an `@` before it.
    """


class StoreDeveloper(TypedDict):
    """
    Developer of an extension.
    """

    display_name: str
    """
    Display name.
    """
    slug: str
    """
    Slug of the developer.
    """


class StoreReviewSummary(TypedDict):
    """
    Summary of an extension's reviews.
    """

    rating_avg: float
    """
    Average, 1 to 5; 0 without reviews.
    """
    rating_count: int
    """
    Number of reviews.
    """
    ratings: list[RatingCount]
    """
    Number of reviews by rating, from 5 to 1, each rating once.
    """


class StreamHistoryFilterOptions(TypedDict):
    """
    Values that the filter of the sessions can have.
    """

    categories: list[str]
    """
    Categories of the account's sessions, sorted; at most 500.
    """
    platforms: list[str]
    """
    Platforms of the account's sessions, sorted.
    """


class StreamReportChatter(TypedDict):
    """
    Person with a number of stored lines.
    """

    avatar_url: NotRequired[str | None]
    """
    Picture, or null. Null in a shared report.
    """
    display_name: str
    """
    Displayed name.
    """
    message_count: Int64
    """
    Stored lines.
    """
    platform: str
    """
    Platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the person. Null in a shared report.
    """
    username: str
    """
    Login name.
    """


class StreamReportEmote(TypedDict):
    """
    Emote with the number of its uses.
    """

    count: Int64
    """
    Uses.
    """
    id: str
    """
    The provider's id.
    """
    name: str
    """
    Name in chat.
    """
    provider: str
    """
    Provider.
    """
    url: NotRequired[str | None]
    """
    Picture, or null.
    """


class StreamReportGif(TypedDict):
    """
    Animated picture with the number of its uses.
    """

    alt: NotRequired[str | None]
    """
    Description, or null.
    """
    count: Int64
    """
    Uses.
    """
    id: str
    """
    The provider's id.
    """
    provider: str
    """
    Provider.
    """
    url: str
    """
    Link as it was posted.
    """


StreamReportMarkerType: TypeAlias = Literal['title_change', 'category_change', 'raid', 'hype_train', 'clip', 'ad_break']
"""
Kind of a moment for charts.
"""


class StreamReportModeration(TypedDict):
    """
    Numbers of actions of moderators.
    """

    bans: Int64
    """
    Bans without an end.
    """
    deletions: Int64
    """
    Deleted lines.
    """
    timeouts: Int64
    """
    Bans with an end.
    """


class StreamReportTip(TypedDict):
    """
    Sum of tips in one currency.
    """

    amount: str
    """
    Decimal amount in the main unit of the currency.
    """
    currency: str
    """
    Currency, three letters.
    """


class StreamReportTotals(TypedDict):
    """
    Sums of the events of a session.
    """

    cheers_bits: Int64
    """
    Bits of cheers.
    """
    follows: Int64
    """
    New followers.
    """
    gift_subs: Int64
    """
    Subscriptions and memberships that were given.
    """
    raid_viewers: Int64
    """
    Viewers of these raids.
    """
    raids_in: Int64
    """
    Raids that arrived.
    """
    redemptions: Int64
    """
    Redemptions of rewards.
    """
    resubs: Int64
    """
    Renewals and milestones.
    """
    subs: Int64
    """
    New subscriptions and memberships.
    """
    superchats: Int64
    """
    Super Chats and Super Stickers.
    """
    tips: list[StreamReportTip]
    """
    Tips by currency.
    """


StreamSessionType: TypeAlias = Literal['single', 'multi']
"""
Kind of a session.
"""


class SubmitDeveloperApplicationInput(TypedDict):
    """
    Application to become a developer.
    """

    application_type: Literal['solo', 'team']
    """
    `solo` or `team`.
    """
    avatar_key: NotRequired[str | None]
    """
    Id of an image among the uploads of the account.
    """
    description: str
    """
    Description of the developer or team: 1 to 2,000 characters.
    """
    display_name: str
    """
    Name of the developer or team: 1 to 60 characters.
    """
    experience: NotRequired[str | None]
    """
    At most 5,000 characters.
    """
    github_url: NotRequired[str | None]
    """
    An https address; at most 500 characters.
    """
    motivation: str
    """
    Reason of the application: 1 to 5,000 characters.
    """
    slug: str
    """
    3 to 50 lowercase letters, digits and hyphens, beginning with a letter.
    """
    website_url: NotRequired[str | None]
    """
    An https address; at most 500 characters.
    """
    what_to_build: str
    """
    Extensions that are planned: 1 to 5,000 characters.
    """


class SubmitDeveloperVerificationInput(TypedDict):
    """
    Data by which a developer is verified. It has no `Debug`, so that it is in no log.
    """

    address_line1: NotRequired[str | None]
    """
    First line of the address, required: at most 200 characters.
    """
    address_line2: NotRequired[str | None]
    """
    Second line of the address: at most 200 characters.
    """
    city: NotRequired[str | None]
    """
    City, required: at most 200 characters.
    """
    company_name: NotRequired[str | None]
    """
    Name of the company, for a company: at most 200 characters.
    """
    country: NotRequired[str | None]
    """
    Code of the country, required: two letters, ISO 3166-1 alpha-2.
    """
    document_key: NotRequired[str | None]
    """
    Id of an upload with the purpose `developer_document`.
    """
    legal_name: NotRequired[str | None]
    """
    Legal name, required: at most 200 characters.
    """
    postal_code: NotRequired[str | None]
    """
    Postal code, required: at most 50 characters.
    """
    tax_id: NotRequired[str | None]
    """
    Tax id: at most 50 characters.
    """
    trade_register_id: NotRequired[str | None]
    """
    Id in the trade register: at most 50 characters.
    """


class SubmitExtensionFeedbackInput(TypedDict):
    """
    New feedback of a tester.
    """

    body: str
    """
    1 to 2,000 characters.
    """
    category: FeedbackCategory
    """
    Subject.
    """


class SubmitVersionForm(TypedDict):
    """
    Fields of an upload.
    """

    breaking: NotRequired[bool | None]
    """
    `true` when accounts must accept the version.
    """
    bundle: bytes
    """
    A `.tar.gz` archive of at most 50 MB with `lumio.config.json` in its root. All files of a published
    version are public, `server.js` included and only `source.tar.gz` excepted: code must not hold
    secrets.
    """
    changelog: NotRequired[str | None]
    """
    At most 10,000 characters.
    """
    version: str
    """
    Semantic version, greater than every approved one.
    """


SubscriptionStatus: TypeAlias = Literal['none', 'active', 'past_due', 'cancelled']
"""
Status of a subscription.
"""


class Success(TypedDict):
    """
    Body of an action: `{ success: true }`.
    """

    success: bool
    """
    Always true: a failure is an error.
    """


SupportTicketStatus: TypeAlias = Literal['open', 'pending', 'closed']
"""
State of a ticket.
"""


class SuspendExtensionInput(TypedDict):
    """
    Reason of a suspension.
    """

    reason: str
    """
    1 to 2,000 characters, for the developer.
    """


SystemConnectionKind: TypeAlias = Literal['channel', 'bot', 'login']
"""
Use of an application.
"""


class TeamRoleName(TypedDict):
    """
    A role by which a team names it.
    """

    id: str
    """
    Id.
    """
    name: str
    """
    Name.
    """
    slug: str
    """
    Slug.
    """


class TelemetryAccepted(TypedDict):
    """
    Result of a batch.
    """

    accepted: int
    """
    Stored records.
    """
    ignored: int
    """
    Records of installs that no longer exist.
    """


Timestamp: TypeAlias = str
"""
Moment: RFC 3339 in UTC with exactly three digits of a second and `Z`. Every time that leaves the API has
this type; neither GraphQL nor the OpenAPI document knows `DateTime`, so none leaves it in another form.
"""


class ToggleBotForPlatformInput(TypedDict):
    """
    Switch of the bot on a platform.
    """

    enabled: bool
    """
    True switches the bot on.
    """
    platform: Literal['twitch', 'youtube', 'kick', 'trovo']
    """
    Slug of the platform.
    """


class TokenPermissions(TypedDict):
    """
    A credential and its permissions.
    """

    account_id: NotRequired[str | None]
    """
    Account that the credential acts in; null when it acts in none.
    """
    permissions: list[str]
    """
    Permissions by name, sorted. Wildcards are expanded.
    """
    token_type: str
    """
    Kind of the credential: `session`, `user_api_key`, `service_key` or `popout`.
    """


class TransferExtensionInput(TypedDict):
    """
    New owner of an extension.
    """

    team_id: NotRequired[str | None]
    """
    Team that takes the extension over; null gives it to the caller. It cannot be absent.
    """


class TriggerFired(TypedDict):
    """
    Result of a fire: the run that it started, or that an earlier fire with the same key started.
    """

    run_id: str
    """
    Run of the automation.
    """
    status: str
    """
    `queued`, or `skipped` beyond 60 starts a minute (docs/reference/automations.md#starts). For an
    earlier run, its present status.
    """


class UnreadyReason(TypedDict):
    """
    Reason why the process is not ready. The cause in words is in the log and on the internal listener only,
    because it may name hosts.
    """

    code: str
    """
    `starting`, `unreachable`, `refused`, `schema_outdated` or `draining`.
    """
    subject: str
    """
    `postgres`, `timescaledb`, `redis` or `process`.
    """


class UpdateAccountInput(TypedDict):
    """
    Changes of an account. Absent fields stay as they are.
    """

    description: NotRequired[str | None]
    """
    Description, at most 500 characters; null clears it.
    """
    name: NotRequired[str | None]
    """
    Name, 1 to 100 characters.
    """


class UpdateAccountServiceKeyInput(TypedDict):
    """
    Changes of a service key. Absent fields stay as they are.
    """

    label: NotRequired[str | None]
    """
    New name, 1 to 100 characters.
    """


class UpdateAdminRoleInput(TypedDict):
    """
    Change of a role of operator staff.
    """

    description: NotRequired[str | None]
    """
    At most 500 characters; null clears.
    """
    name: NotRequired[str | None]
    """
    1 to 50 characters; unique in any case.
    """
    permissions: NotRequired[list[str] | None]
    """
    Complete set of permissions that the caller holds: others are taken away, except those that this
    version does not know. `admin:access` is added.
    """


class UpdateAlertSettingsInput(TypedDict, closed=True):
    """
    Changes of the alert settings.
    """

    muted: NotRequired[bool | None]
    """
    True: alerts make no sound.
    """
    volume: NotRequired[int | None]
    """
    Volume in percent, 0 to 100.
    """


class UpdateBotCommandInput(TypedDict):
    """
    Change of a command. Absent fields stay.
    """

    aliases: NotRequired[list[str] | None]
    """
    At most 10, each in the form of a name.
    """
    automation_id: NotRequired[str | None]
    """
    Automation of the account, for the response type `automation`.
    """
    cooldown_global: NotRequired[int | None]
    """
    0 to 86,400 seconds.
    """
    cooldown_user: NotRequired[int | None]
    """
    0 to 86,400 seconds.
    """
    description: NotRequired[str | None]
    """
    At most 200 characters.
    """
    enabled: NotRequired[bool | None]
    """
    True switches the command on.
    """
    min_role: NotRequired[BotCommandRole | None]
    name: NotRequired[str | None]
    """
    Name without the prefix: `^[a-z0-9_]{1,32}$`.
    """
    platforms: NotRequired[list[Literal['twitch', 'youtube', 'kick', 'trovo', 'discord']] | None]
    """
    Some of `twitch`, `youtube`, `kick`, `trovo`, `discord`.
    """
    response: NotRequired[str | None]
    """
    1 to 500 characters; may be empty for an automation.
    """
    response_type: NotRequired[BotCommandResponseType | None]


class UpdateBotModuleInput(TypedDict):
    """
    Complete state of a built-in module, which replaces the present one.
    """

    config: NotRequired[Json | None]
    enabled: bool
    """
    True switches the module on.
    """
    exempt_roles: NotRequired[ExemptRolesInput | None]


class UpdateChatSettingsInput(TypedDict, closed=True):
    """
    Changes of the chat settings.
    """

    default_platforms: NotRequired[list[Literal['twitch', 'youtube', 'kick', 'trovo']] | None]
    """
    Platforms to write to by default: `twitch`, `youtube`, `kick`, `trovo`, each at most once.
    """
    font_size: NotRequired[int | None]
    """
    Font size in pixels, 8 to 72.
    """
    highlight_mentions: NotRequired[bool | None]
    """
    True: messages that mention the channel are highlighted.
    """
    show_timestamps: NotRequired[bool | None]
    """
    True: messages are shown with their time.
    """


class UpdateDeveloperPayoutSettingsInput(TypedDict):
    """
    Changes of the payout settings. An absent field stays as it is. It has no `Debug`, so that it is in no log.
    """

    bank_bic: NotRequired[str | None]
    """
    BIC of 8 or 11 characters; null for none.
    """
    bank_iban: NotRequired[str | None]
    """
    IBAN with or without spaces; null for none.
    """
    bank_name: NotRequired[str | None]
    """
    Name of the bank, at most 100 characters; null for none.
    """
    payment_connect_id: NotRequired[str | None]
    """
    Id of the connected account, at most 255 characters; null for none.
    """
    payout_method: NotRequired[DeveloperPayoutMethod | None]
    paypal_style_email: NotRequired[str | None]
    """
    E-mail address of the wallet; null for none.
    """
    team_id: NotRequired[str | None]
    """
    Team that is paid; the caller when absent.
    """


class UpdateDeveloperProfileInput(TypedDict):
    """
    Changes of the caller's profile. An absent field stays as it is.
    """

    avatar_key: NotRequired[str | None]
    """
    Id of an image among the uploads of the account; null for none.
    """
    description: NotRequired[str | None]
    """
    1 to 2,000 characters; null for none.
    """
    display_name: NotRequired[str | None]
    """
    Name: 1 to 60 characters.
    """
    github_url: NotRequired[str | None]
    """
    An https address; null for none.
    """
    website_url: NotRequired[str | None]
    """
    An https address; null for none.
    """


class UpdateDeveloperTeamInput(TypedDict):
    """
    Changes of a team; absent fields stay.
    """

    avatar_key: NotRequired[str | None]
    """
    Upload of an image in the caller's account; null clears.
    """
    description: NotRequired[str | None]
    """
    At most 2,000 characters; null clears.
    """
    github_url: NotRequired[str | None]
    """
    An https address; null clears.
    """
    name: NotRequired[str | None]
    """
    1 to 60 characters.
    """
    website_url: NotRequired[str | None]
    """
    An https address; null clears.
    """


class UpdateDeveloperTeamMemberRoleInput(TypedDict):
    """
    New role of a member.
    """

    role_id: str
    """
    Role of the team, not the owner's.
    """


class UpdateDeveloperTeamRoleInput(TypedDict):
    """
    Changes of a role; absent fields stay.
    """

    description: NotRequired[str | None]
    """
    At most 500 characters; null clears.
    """
    name: NotRequired[str | None]
    """
    1 to 50 characters; unique in the team in any case.
    """
    permissions: NotRequired[list[str] | None]
    """
    Replaces the set. Permissions that the caller holds; no wildcards.
    """


class UpdateExtensionBody(TypedDict):
    """
    Changes of an extension; absent fields stay.
    """

    description: NotRequired[str | None]
    """
    At most 10,000 characters.
    """
    name: NotRequired[str | None]
    """
    1 to 255 characters.
    """
    pricing: NotRequired[PricingBody | None]
    short_description: NotRequired[str | None]
    """
    At most 255 characters.
    """
    visibility: NotRequired[Literal['private', 'unlisted', 'public', 'paid'] | None]
    """
    `private`, `unlisted`, `public` or `paid`.
    """


Screenshot: TypeAlias = str


Tag: TypeAlias = str


class UpdateExtensionInput(TypedDict):
    """
    Changes of an extension; absent fields stay.
    """

    description: NotRequired[str | None]
    """
    At most 10,000 characters.
    """
    icon_key: NotRequired[str | None]
    """
    Path of an image in the bundle, below `assets/`; null for none.
    """
    name: NotRequired[str | None]
    """
    1 to 255 characters.
    """
    pricing: NotRequired[ExtensionPricingInput | None]
    screenshots: NotRequired[list[Screenshot] | None]
    """
    Paths of at most 10 images in the bundle, below `assets/`.
    """
    short_description: NotRequired[str | None]
    """
    At most 255 characters.
    """
    slug: NotRequired[str | None]
    """
    Lower-case letters, digits, hyphens; changes once, before the first public listing.
    """
    status: NotRequired[Literal['archived'] | None]
    """
    `archived` retires an approved extension: it is not offered any more, and its installs keep running.
    """
    support_url: NotRequired[str | None]
    """
    An https address; null for none.
    """
    tags: NotRequired[list[Tag] | None]
    """
    At most 5 of 1 to 30 characters.
    """


class UpdateExtensionReviewInput(TypedDict):
    """
    Changes of a review; absent fields stay.
    """

    body: NotRequired[str | None]
    """
    At most 2,000 characters.
    """
    rating: NotRequired[int | None]
    """
    1 to 5.
    """
    title: NotRequired[str | None]
    """
    At most 100 characters.
    """


class UpdateIdeaCategoryInput(TypedDict):
    """
    Changes of a category. Absent fields stay.
    """

    color: NotRequired[str | None]
    """
    `#` and six hexadecimal digits.
    """
    label: NotRequired[str | None]
    """
    Displayed name: 1 to 60 characters.
    """
    name: NotRequired[str | None]
    """
    Slug: 2 to 30 letters, digits and hyphens, stored in lower case. No other category has it.
    """
    sort_order: NotRequired[int | None]
    """
    Place in the list, 0 to 10,000.
    """


class UpdateIdeaInput(TypedDict):
    """
    Changes of an idea. Absent fields stay.
    """

    category_id: NotRequired[str | None]
    """
    Category.
    """
    description: NotRequired[str | None]
    """
    HTML of 10 to 10,000 characters, as given and as sanitised; at most 20 users are mentioned.
    """
    tag_ids: NotRequired[list[str] | None]
    """
    At most 5 tags in place of the present ones.
    """
    title: NotRequired[str | None]
    """
    5 to 120 characters.
    """


class UpdateMeInput(TypedDict):
    """
    Changes of the current user, at least one field.
    """

    active_account_id: NotRequired[str | None]
    """
    Account of the person to act in; null: none. Needs a session.
    """
    clear_active_account: NotRequired[bool | None]
    """
    True: act in no account. Needs a session.
    """
    display_name: NotRequired[str | None]
    """
    Display name, 1 to 100 characters.
    """
    email: NotRequired[str | None]
    """
    E-mail address. Null clears it, which needs a session. An address that an API key sets is
    `pending_email` until a session of the person confirms it.
    """
    extension_dev_mode: NotRequired[bool | None]
    """
    Preference: extensions that the person develops load in their latest draft or testing version.
    """
    streamer_mode: NotRequired[bool | None]
    """
    Preference: clients hide what must not be on stream.
    """


class UpdateNotificationPreferenceInput(TypedDict):
    """
    New channel of a notification type.
    """

    channel: NotificationChannel
    """
    Channel of delivery.
    """


class UpdateOverlayLayerInput(TypedDict):
    """
    Changes of a layer. Absent fields stay.
    """

    config: NotRequired[dict[str, Any] | None]
    """
    Object of at most 64 KiB; replaces all settings.
    """
    height: NotRequired[float | None]
    """
    More than 0, at most 7,680 pixels.
    """
    locked: NotRequired[bool | None]
    """
    True protects the layer from accidental moves.
    """
    name: NotRequired[str | None]
    """
    1 to 100 characters.
    """
    opacity: NotRequired[float | None]
    """
    0 to 1.
    """
    rotation: NotRequired[float | None]
    """
    -360 to 360 degrees.
    """
    version: NotRequired[int | None]
    """
    Version of the overlay that the caller has seen. Null or absent: the change replaces any version.
    """
    visible: NotRequired[bool | None]
    """
    False hides the layer.
    """
    width: NotRequired[float | None]
    """
    More than 0, at most 7,680 pixels.
    """
    x: NotRequired[float | None]
    """
    -100,000 to 100,000 pixels from the left edge.
    """
    y: NotRequired[float | None]
    """
    -100,000 to 100,000 pixels from the upper edge.
    """


class UpdatePrivacySettingsInput(TypedDict, closed=True):
    """
    Changes of the privacy settings.
    """

    store_chat: NotRequired[bool | None]
    """
    True: chat messages are stored.
    """
    store_user_profiles: NotRequired[bool | None]
    """
    True: counters and profiles of those who write are stored.
    """


class UpdatePublicStatsChannelInput(TypedDict):
    """
    New settings of a channel.
    """

    is_public: bool
    """
    False hides the channel in every public list and answer.
    """
    show_top_chatters: bool
    """
    True shows the names of the top chatters of its streams.
    """


class UpdateReward(TypedDict):
    """
    Change of a reward. Absent fields stay.
    """

    action: NotRequired[dict[str, Any] | None]
    """
    Action of a redemption in one of the forms of a reward. It replaces the whole action.
    """
    cost: NotRequired[int | None]
    """
    1 to 1,000,000 channel points.
    """
    enabled: NotRequired[bool | None]
    """
    True lets a redemption run the action.
    """
    title: NotRequired[str | None]
    """
    1 to 45 characters.
    """


class UpdateRoleInput(TypedDict):
    """
    Change of a role.
    """

    color: NotRequired[str | None]
    """
    `#rrggbb`; null clears.
    """
    description: NotRequired[str | None]
    """
    At most 500 characters; null clears.
    """
    name: NotRequired[str | None]
    """
    1 to 50 characters; unique in the account in any case.
    """
    permissions: NotRequired[list[str] | None]
    """
    Replaces the set. Permissions that the caller holds; no wildcards.
    """


class UpdateSoundInput(TypedDict):
    """
    Changes of a sound. Absent fields stay as they are.
    """

    duration_ms: NotRequired[int | None]
    """
    Length in milliseconds, at most a day. Null: not known.
    """
    name: NotRequired[str | None]
    """
    Name, 1 to 100 characters.
    """
    waveform: NotRequired[list[Peak] | None]
    """
    Peaks in equal parts of the sound, 1 to 1,024 numbers from 0 to 1. Null: not known.
    """


class UpdateSupportTicketInput(TypedDict):
    """
    Change of a ticket.
    """

    status: NotRequired[SupportTicketStatus | None]


class UpdateUserApiKeyInput(TypedDict):
    """
    Changes of a personal API key. Absent fields stay as they are.
    """

    label: NotRequired[str | None]
    """
    New name, 1 to 100 characters.
    """


class UpdateUserNoteInput(TypedDict):
    """
    Input of a change.
    """

    body: str
    """
    1 to 2000 characters.
    """


class UpdateUserRoleInput(TypedDict):
    """
    Change of a platform-wide role.
    """

    description: NotRequired[str | None]
    """
    At most 500 characters; null clears.
    """
    is_default: NotRequired[bool | None]
    """
    True makes it the default instead of the present one. The default cannot be cleared otherwise.
    """
    name: NotRequired[str | None]
    """
    1 to 50 characters; the slug follows it.
    """
    permissions: NotRequired[list[str] | None]
    """
    Replaces the set.
    """


class UpdateWidgetInput(TypedDict):
    """
    Changes of a widget. Absent fields stay.
    """

    config: NotRequired[dict[str, Any] | None]
    """
    Object of at most 64 KiB; replaces all settings.
    """
    enabled: NotRequired[bool | None]
    """
    False: the page shows nothing.
    """
    height: NotRequired[int | None]
    """
    1 to 7,680 pixels.
    """
    name: NotRequired[str | None]
    """
    1 to 100 characters.
    """
    width: NotRequired[int | None]
    """
    1 to 7,680 pixels.
    """


UploadPurpose: TypeAlias = Literal['overlay_asset', 'alert_image', 'alert_sound', 'avatar', 'developer_document', 'other']
"""
Purpose of an upload.
"""


class UpsertSystemConnectionInput(TypedDict):
    """
    Application to save.
    """

    client_id: str
    """
    1 to 255 characters.
    """
    client_secret: str
    """
    1 to 1024 characters.
    """
    kind: SystemConnectionKind
    """
    Use of the application.
    """


UsagePeriod: TypeAlias = Literal['hour', 'day', 'month']
"""
Period of a budget, in UTC.
"""


UsageSubject: TypeAlias = Literal['account', 'extension', 'key']
"""
Subject of a count or a budget.
"""


class UsageTotal(TypedDict):
    """
    Usage of a subject in a span.
    """

    fetches: Int64
    """
    Requests of handlers to other hosts.
    """
    handler_ms: Int64
    """
    Time of handlers, in milliseconds.
    """
    messages: Int64
    """
    Chat messages that were sent.
    """
    requests: Int64
    """
    Requests to the API.
    """
    stored_bytes: Int64
    """
    Bytes that were stored at the last measurement of the last of these hours.
    """
    subject: UsageSubject
    """
    Kind of the subject.
    """
    subject_id: str
    """
    Account, extension or key.
    """


UsageUnit: TypeAlias = Literal['requests', 'handler_ms', 'fetches', 'messages', 'stored_bytes']
"""
Unit of a budget.
"""


class UserApiKey(TypedDict):
    """
    A personal API key, without its text.
    """

    account_id: str
    """
    Owning account.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    expires_at: NotRequired[Timestamp | None]
    id: str
    """
    Id of the key.
    """
    key_prefix: str
    """
    Prefix of the kind and the first characters of the key, for display.
    """
    label: str
    """
    Name that the owner gave to the key.
    """
    last_used_at: NotRequired[Timestamp | None]
    permissions: list[str]
    """
    Scopes of the key, fixed at creation.
    """
    user_id: str
    """
    Owning user.
    """


class UserNoteAuthor(TypedDict):
    """
    Author of a note.
    """

    avatar_url: NotRequired[str | None]
    """
    Picture of the person.
    """
    display_name: str
    """
    Name of the person.
    """
    id: str
    """
    Id of the person.
    """


class UserPermissionOverride(TypedDict):
    """
    Platform-wide permission that is granted or denied to a person beside the roles.
    """

    created_at: Timestamp
    """
    Time of the last setting.
    """
    granted: bool
    """
    True grants, false denies.
    """
    permission: str
    """
    Text `resource:action`.
    """
    reason: NotRequired[str | None]
    """
    Reason. Null: none.
    """
    set_by: NotRequired[str | None]
    """
    Person who set it. Null when that person was deleted.
    """
    user_id: str
    """
    Identifier of the person.
    """


class UserRole(TypedDict):
    """
    Platform-wide role.
    """

    created_at: Timestamp
    """
    Time of creation.
    """
    description: NotRequired[str | None]
    """
    Description. Null: none.
    """
    id: str
    """
    Identifier.
    """
    is_default: bool
    """
    True for the role of people without an assigned role. Exactly one role is the default.
    """
    is_system: bool
    """
    True for a seeded role, which can be neither renamed nor deleted.
    """
    name: str
    """
    Name.
    """
    permissions: list[str]
    """
    Permissions, sorted.
    """
    slug: str
    """
    Made of the name; unique.
    """


class UserRoleAssignment(TypedDict):
    """
    Assignment of a role to a person.
    """

    assigned_by: NotRequired[str | None]
    """
    Person who assigned it. Null when that person was deleted.
    """
    created_at: Timestamp
    """
    Time of the assignment.
    """
    role_id: str
    """
    Identifier of the role.
    """
    user_id: str
    """
    Identifier of the person.
    """


class UserRoleMember(TypedDict):
    """
    Person who holds a role.
    """

    assigned_at: Timestamp
    """
    Time of the assignment.
    """
    assigned_by: NotRequired[str | None]
    """
    Person who assigned the role. Null when that person was deleted.
    """
    avatar_url: NotRequired[str | None]
    """
    Address of the avatar. Null: none.
    """
    display_name: str
    """
    Display name.
    """
    email: NotRequired[str | None]
    """
    E-mail address. Null: none.
    """
    user_id: str
    """
    Identifier of the person.
    """


class Version(TypedDict):
    """
    A version.
    """

    approvedAt: NotRequired[Timestamp | None]
    bundleSizeBytes: int
    """
    Size of the archive in bytes.
    """
    id: str
    """
    Id.
    """
    status: str
    """
    `pending`, `draft`, `testing`, `pending_publish`, `approved`, `rejected`, `archived` or `revoked`.
    """
    submittedAt: Timestamp
    """
    Time of the last submission for review.
    """
    version: str
    """
    Semantic version.
    """


class VersionBody(TypedDict):
    """
    One version.
    """

    version: Version


class VersionPage(TypedDict):
    """
    A page of versions, newest first.
    """

    nextCursor: NotRequired[str | None]
    """
    `cursor` of the next page; null on the last.
    """
    versions: list[Version]
    """
    Versions of this page.
    """


class VoteCopyrightInput(TypedDict):
    """
    New vote.
    """

    reason: NotRequired[str | None]
    """
    At most 500 characters.
    """
    song: CopyrightSongInput
    """
    Song.
    """
    vote: CopyrightVoteKind
    """
    Vote.
    """


class WatchlistEntry(TypedDict):
    """
    Favourite channel with its live state.
    """

    added_at: Timestamp
    """
    Time at which it was added.
    """
    avatar_url: NotRequired[str | None]
    """
    Address of the picture. Null: not known.
    """
    channel_display_name: NotRequired[str | None]
    """
    Displayed name. Null: not known.
    """
    current_viewers: NotRequired[Int64 | None]
    id: str
    """
    Identifier of the entry.
    """
    is_live: bool
    """
    True while the channel is on air.
    """
    platform: str
    """
    `twitch`, `youtube`, `kick` or `trovo`.
    """
    platform_channel_id: str
    """
    The platform's id of the channel.
    """


WebhookDeliveryStatus: TypeAlias = Literal['pending', 'delivered', 'failed']
"""
State of a delivery.
"""


WebhookDisabledReason: TypeAlias = Literal['gone', 'failing', 'member_left']
"""
Reason why the service disabled an endpoint.
"""


class WebhookEndpoint(TypedDict):
    """
    Webhook endpoint: an address that receives events of the account.
    """

    account_id: str
    """
    Account.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    created_by: NotRequired[str | None]
    """
    Person who created it. Null: a service key, or the person is gone.
    """
    description: NotRequired[str | None]
    """
    Description, or null.
    """
    disabled_reason: NotRequired[WebhookDisabledReason | None]
    event_types: list[str]
    """
    Types of events that it receives.
    """
    failing_since: NotRequired[Timestamp | None]
    id: str
    """
    Identifier.
    """
    is_enabled: bool
    """
    True when it receives events.
    """
    previous_secret_expires_at: NotRequired[Timestamp | None]
    skipped_count: Int64
    """
    Number of events that were left out, because too many deliveries waited or chat was too fast.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """
    url: str
    """
    Address.
    """


class WebhookEndpointChanges(TypedDict):
    """
    Changes of an endpoint. Absent fields stay.
    """

    description: NotRequired[str | None]
    """
    At most 200 characters; null or empty removes it.
    """
    event_types: NotRequired[list[EventType] | None]
    """
    1 to 50 types of the catalogue, `custom:{name}`, `chat:message`, or `*` for every type except
    `chat:message`.
    """
    is_enabled: NotRequired[bool | None]
    """
    False: it gets no further events. True: what waits is sent.
    """
    url: NotRequired[str | None]
    """
    Address that begins with `https://` and is on the public internet, without user name, password and fragment.
    """


class WebhookSecret(TypedDict):
    """
    Secret of a webhook endpoint.
    """

    previous_secret_expires_at: NotRequired[Timestamp | None]
    secret: str
    """
    Secret that signs: `whsec_` and base64.
    """


class Widget(TypedDict):
    """
    Widget: one layer as a browser source of its own.
    """

    access_token: NotRequired[str | None]
    """
    Text of the token, `lm_widget_…`. Only the responses that create, copy or rotate it contain it; null in
    all others.
    """
    account_id: str
    """
    Account.
    """
    config: Json
    """
    Settings of the widget, by its type.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    enabled: bool
    """
    False when the page shows nothing.
    """
    height: int
    """
    Height in pixels.
    """
    id: str
    """
    Identifier.
    """
    install_id: NotRequired[str | None]
    """
    Install that shows the widget. Null: a system widget.
    """
    my_access: str
    """
    Present use by the caller: `viewer` reads, `editor` reads and changes.
    """
    name: str
    """
    Name.
    """
    token_prefix: str
    """
    Display prefix of the token.
    """
    type: str
    """
    Name of a system widget, or slug of an extension.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """
    url: str
    """
    Address of the page; with the token in its fragment where `access_token` is given.
    """
    width: int
    """
    Width in pixels.
    """


class WidgetAccessEntry(TypedDict):
    """
    Role of a member for a widget.
    """

    created_at: Timestamp
    """
    Time of creation.
    """
    granted_by: NotRequired[str | None]
    """
    Person who set the role last. Null: a service key, or the person is gone.
    """
    id: str
    """
    Identifier.
    """
    role: str
    """
    `viewer` or `editor`; `none` in the response to its removal.
    """
    user_avatar: NotRequired[str | None]
    """
    Address of the member's avatar. Null: none.
    """
    user_id: str
    """
    Member.
    """
    user_name: str
    """
    Display name of the member.
    """
    widget_id: str
    """
    Widget.
    """


class WsToken(TypedDict):
    """
    A token for the WebSocket.
    """

    ws_token: str
    """
    Token that is accepted at `/v1/ws` only.
    """


YoutubeStreamStatus: TypeAlias = Literal['live', 'upcoming']
"""
State of a broadcast.
"""


class AccessStep(TypedDict):
    """
    One step on the way to a decision.
    """

    detail: str
    """
    Explanation for people.
    """
    effect: AccessStepEffect
    """
    Effect on the decision. A later source of the same check may lift `denies`.
    """
    kind: AccessStepKind
    """
    Subject of the step. `credential`, `permission` and `feature` are the checks; the steps before a check are
    the sources of what it reads.
    """
    name: str
    """
    Name of the kind of credential, role, permission, plan or flag.
    """
    order: int
    """
    Number of the step, from 1.
    """


class Account(TypedDict):
    """
    An account.
    """

    avatar_url: NotRequired[str | None]
    """
    Address of the avatar of the primary login connection, else of the owner; null when there is none.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    description: NotRequired[str | None]
    """
    Description; null when there is none.
    """
    id: str
    """
    Id of the account.
    """
    member_count: int
    """
    Number of members.
    """
    name: str
    """
    Name, 1 to 100 characters.
    """
    owner_id: str
    """
    Person who owns the account.
    """
    plan: AccountPlan
    """
    Plan of the account.
    """
    primary_login_connection_id: NotRequired[str | None]
    """
    Login connection that gives the account its avatar; null when none is chosen.
    """
    slug: str
    """
    Slug, derived from the name at creation and never changed.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """


class AccountArchive(TypedDict):
    """
    Archive of an account.
    """

    account_id: str
    """
    The account.
    """
    created_at: Timestamp
    """
    Time of the request.
    """
    download_url: NotRequired[str | None]
    """
    Address of the content, for everybody who has it. It is valid for an hour from this response on. Null unless the
    archive is ready.
    """
    error: NotRequired[str | None]
    """
    Reason of a failure. Null otherwise.
    """
    expires_at: NotRequired[Timestamp | None]
    finished_at: NotRequired[Timestamp | None]
    id: str
    """
    Identifier.
    """
    requested_by: NotRequired[str | None]
    """
    Person who requested it. Null: the person is gone.
    """
    sha256: NotRequired[str | None]
    """
    SHA-256 of the content, in hexadecimal. Null until it is ready.
    """
    size_bytes: NotRequired[Int64 | None]
    started_at: NotRequired[Timestamp | None]
    status: AccountArchiveStatus
    """
    State.
    """
    with_secrets: bool
    """
    True when it has the secrets of the account, sealed to the key of the request.
    """


class AccountFeatureOverride(TypedDict):
    """
    Override of a feature flag for an account.
    """

    account_id: str
    """
    Id of the account.
    """
    created_at: Timestamp
    """
    Time of the last change.
    """
    enabled: bool
    """
    True lifts the lock of the plan, but not a flag that is off globally. False switches the feature off.
    """
    feature_id: str
    """
    Id of the flag.
    """
    feature_key: str
    """
    Key of the flag.
    """
    label: str
    """
    Name of the flag.
    """
    reason: NotRequired[str | None]
    """
    Reason that staff gave; null when there is none.
    """
    set_by: NotRequired[str | None]
    """
    Person who set the override; null once that person was deleted.
    """


class AccountLimits(TypedDict):
    """
    Limits of an account that have priority over its plan. Null: the plan decides.
    """

    account_id: str
    """
    Identifier of the account.
    """
    chat_retention_days: NotRequired[Int64 | None]
    copyright_detection_allowed: NotRequired[bool | None]
    """
    True when the account may use copyright detection.
    """
    custom_bot_allowed: NotRequired[bool | None]
    """
    True when the account may connect its own bot.
    """
    max_integrations: NotRequired[Int64 | None]
    max_overlays: NotRequired[Int64 | None]
    max_storage_bytes: NotRequired[Int64 | None]
    max_upload_size_bytes: NotRequired[Int64 | None]
    notes: NotRequired[str | None]
    """
    Remarks for other operators. Null: none.
    """
    obs_remote_allowed: NotRequired[bool | None]
    """
    True when the account may use OBS remote control.
    """
    updated_at: NotRequired[Timestamp | None]
    updated_by: NotRequired[str | None]
    """
    Person who set the limits last. Null when they were never set, or when that person was deleted.
    """


class AccountPermissionOverride(TypedDict):
    """
    Account permission that is granted or denied to everybody in an account beside the roles.
    """

    account_id: str
    """
    Identifier of the account.
    """
    created_at: Timestamp
    """
    Time of the last setting.
    """
    granted: bool
    """
    True grants, false denies.
    """
    permission: str
    """
    Text `resource:action`.
    """
    reason: NotRequired[str | None]
    """
    Reason. Null: none.
    """
    set_by: NotRequired[str | None]
    """
    Person who set it. Null when that person was deleted.
    """


class AccountRole(TypedDict):
    """
    Role of an account.
    """

    account_id: str
    """
    Identifier of the account.
    """
    color: NotRequired[str | None]
    """
    `#rrggbb` in lower case. Null: none.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    description: NotRequired[str | None]
    """
    Description. Null: none.
    """
    id: str
    """
    Identifier.
    """
    is_system: bool
    """
    True for the owner's role, which holds every permission and cannot be deleted.
    """
    member_count: int
    """
    Number of members who hold the role.
    """
    name: str
    """
    Name, unique in the account in any case.
    """
    permissions: list[str]
    """
    Permissions, sorted.
    """
    position: int
    """
    Position in the list, from 0.
    """
    slug: str
    """
    Made of the name at creation. It stays when the role is renamed.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """


class AccountServiceKey(TypedDict):
    """
    A service key of an account, without its text.
    """

    account_id: str
    """
    Owning account.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    created_by: NotRequired[str | None]
    """
    Member who created the key; null once that member has left the account, which does not end the key.
    """
    expires_at: NotRequired[Timestamp | None]
    id: str
    """
    Id of the key.
    """
    key_prefix: str
    """
    Prefix of the kind and the first characters of the key, for display.
    """
    label: str
    """
    Name of the key.
    """
    last_used_at: NotRequired[Timestamp | None]
    permissions: list[str]
    """
    Scopes of the key, fixed at creation.
    """
    updated_at: Timestamp
    """
    Time of the last change of the label, else of the creation.
    """


class AccountSettings(TypedDict):
    """
    Settings of the account.
    """

    alerts: AlertSettings
    """
    Alert settings.
    """
    chat: ChatSettings
    """
    Chat settings.
    """
    command_prefix: str
    """
    Prefix of chat commands, 1 to 3 characters.
    """
    currency: str
    """
    Code of a currency, three letters of ISO 4217.
    """
    default_overlay_id: NotRequired[str | None]
    """
    Overlay to show by default; null when none is chosen.
    """
    locale: Locale
    """
    Language.
    """
    privacy: PrivacySettings
    """
    Privacy settings.
    """
    timezone: str
    """
    Name of a time zone of the IANA database.
    """


class AdminAccountConnection(TypedDict):
    """
    Channel or bot of an account. It never contains tokens of the platform.
    """

    connected_at: Timestamp
    """
    Time of the connection.
    """
    display_name: str
    """
    Display name on the platform.
    """
    id: str
    """
    Identifier of the connection.
    """
    platform: str
    """
    Slug of the platform.
    """
    reconnect_required: bool
    """
    True when the platform no longer accepts the token.
    """
    username: str
    """
    User name on the platform.
    """


class AdminAccountSummary(TypedDict):
    """
    Account in the list.
    """

    created_at: Timestamp
    """
    Time of creation.
    """
    id: str
    """
    Identifier.
    """
    member_count: int
    """
    Number of members, the owner included.
    """
    name: str
    """
    Display name.
    """
    owner: AdminAccountOwner
    """
    Owner.
    """
    plan: AdminAccountPlan
    """
    Present plan.
    """
    slug: str
    """
    Unique slug.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """


class AdminCreateCouponInput(TypedDict):
    """
    A coupon to create, with either a percentage or an amount.
    """

    amount_off: NotRequired[int | None]
    """
    Discount in minor units of the plan's currency, 1 to 100,000,000. Exclusive with `percent_off`.
    """
    code: str
    """
    Code: 3 to 40 letters, digits, `-` and `_`, the first a letter or digit. Stored in upper case.
    """
    duration: NotRequired[CouponDuration | None]
    expires_at: NotRequired[Timestamp | None]
    max_redemptions: NotRequired[int | None]
    """
    Maximum number of redemptions, 1 or more. Null or absent: no maximum.
    """
    percent_off: NotRequired[int | None]
    """
    Discount in percent, 1 to 100. Exclusive with `amount_off`.
    """


class AdminDeveloperVerification(TypedDict):
    """
    Verification with the data that was submitted, for staff.
    """

    address_line1: str
    """
    First line of the address.
    """
    address_line2: NotRequired[str | None]
    """
    Second line of the address. Null: none.
    """
    city: str
    """
    City.
    """
    company_name: NotRequired[str | None]
    """
    Name of the company; null for a person.
    """
    country: str
    """
    Code of the country, ISO 3166-1 alpha-2.
    """
    created_at: Timestamp
    """
    Time of the first submission.
    """
    developer_id: str
    """
    Developer profile.
    """
    developer_name: str
    """
    Name of the developer.
    """
    developer_slug: str
    """
    Slug of the developer.
    """
    document_key: NotRequired[str | None]
    """
    Id of the upload with the document. Null: none.
    """
    document_url: NotRequired[str | None]
    """
    Address of the document, valid for an hour. Null: none.
    """
    id: str
    """
    Identifier.
    """
    legal_name: str
    """
    Legal name.
    """
    postal_code: str
    """
    Postal code.
    """
    review_notes: NotRequired[str | None]
    """
    Notes of the reviewer. Null: none.
    """
    reviewed_at: NotRequired[Timestamp | None]
    reviewed_by: NotRequired[str | None]
    """
    Reviewer; null before a decision.
    """
    status: DeveloperVerificationStatus
    """
    Status.
    """
    tax_id: NotRequired[str | None]
    """
    Tax id. Null: none.
    """
    trade_register_id: NotRequired[str | None]
    """
    Id in the trade register. Null: none.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """
    user_id: str
    """
    Person.
    """


class AdminPayout(TypedDict):
    """
    A payout to a developer.
    """

    amount: Int64
    """
    Amount in minor units of `currency`.
    """
    created_at: Timestamp
    """
    Time of the request.
    """
    currency: str
    """
    Code of the currency, ISO 4217.
    """
    developer_id: str
    """
    Id of the developer profile.
    """
    developer_name: str
    """
    Display name of the developer.
    """
    id: str
    """
    Id of the payout.
    """
    method: PayoutMethod
    """
    Method of payment.
    """
    paid_at: NotRequired[Timestamp | None]
    status: PayoutStatus
    """
    Present status.
    """
    team_id: NotRequired[str | None]
    """
    Team of the developer whose balance is paid. Null: the developer's own.
    """


class AdminPlan(TypedDict):
    """
    A plan, as staff manages it.
    """

    accounts_using: int
    """
    Number of accounts on the plan.
    """
    chat_retention_days: int
    """
    Days that chat is kept; 2147483647: unlimited.
    """
    currency: str
    """
    Code of the currency, ISO 4217.
    """
    description: NotRequired[str | None]
    """
    Description; null when there is none.
    """
    features: list[AdminPlanFeature]
    """
    Every flag that plans decide about.
    """
    id: str
    """
    Id of the plan.
    """
    is_public: bool
    """
    True when the plan is public.
    """
    max_integrations: int
    """
    Maximum number of integrations; 2147483647: unlimited.
    """
    max_overlays: int
    """
    Maximum number of overlays; 2147483647: unlimited.
    """
    max_storage_bytes: Int64
    """
    Maximum size of all stored objects, in bytes.
    """
    max_upload_size_bytes: Int64
    """
    Maximum size of one upload, in bytes.
    """
    name: str
    """
    Name.
    """
    payment_monthly_price_id: NotRequired[str | None]
    """
    Id of the monthly price at a payment provider; null when none is entered.
    """
    payment_product_id: NotRequired[str | None]
    """
    Id of the product at a payment provider, which the service never calls; null when none is entered.
    """
    payment_yearly_price_id: NotRequired[str | None]
    """
    Id of the yearly price at a payment provider; null when none is entered.
    """
    price_monthly: int
    """
    Price a month, in minor units of `currency`.
    """
    price_yearly: int
    """
    Price a year, in minor units of `currency`.
    """
    slug: str
    """
    Slug, fixed at creation.
    """
    sort_order: int
    """
    Position in lists; the lowest comes first.
    """


class AdminProvider(TypedDict):
    """
    A platform for sign-in or connections.
    """

    bot: NotRequired[bool | None]
    """
    Switch of bots; null when the platform has none.
    """
    bot_connections: int
    """
    Number of bots of accounts.
    """
    channel: NotRequired[bool | None]
    """
    Switch of channel connections; null when the platform has none.
    """
    channel_connections: int
    """
    Number of channel connections.
    """
    credentials_configured: bool
    """
    True when the deployment has an application of any kind at the platform.
    """
    enabled: bool
    """
    Switch of the platform.
    """
    global_bot_status: GlobalBotStatus
    """
    Status of the deployment's own bot.
    """
    login: NotRequired[bool | None]
    """
    Switch of sign-in; null when the platform has none.
    """
    login_connections: int
    """
    Number of login connections.
    """
    platform: str
    """
    Slug of the platform.
    """


class AdminReviewLimitRequestInput(TypedDict):
    """
    Step of a review with its notes.
    """

    action: LimitRequestAction
    """
    Step.
    """
    notes: NotRequired[str | None]
    """
    1 to 2,000 characters; required for `reject`. The developer reads them.
    """


class AdminRole(TypedDict):
    """
    Role of operator staff.
    """

    created_at: Timestamp
    """
    Time of creation.
    """
    description: NotRequired[str | None]
    """
    Description. Null: none.
    """
    id: str
    """
    Identifier.
    """
    is_system: bool
    """
    True for the System Admin role, which holds every permission and can be neither changed nor deleted.
    """
    member_count: int
    """
    Number of people who hold the role.
    """
    name: str
    """
    Name, unique in any case.
    """
    permissions: list[str]
    """
    Permissions, sorted.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """


class AdminRoleMember(TypedDict):
    """
    Person who holds a role of operator staff.
    """

    assigned_at: Timestamp
    """
    Time of the assignment.
    """
    avatar_url: NotRequired[str | None]
    """
    Address of the avatar. Null: none.
    """
    display_name: str
    """
    Display name.
    """
    email: NotRequired[str | None]
    """
    E-mail address. Null: none.
    """
    user_id: str
    """
    Identifier of the person.
    """


class AdminSeToken(TypedDict):
    """
    Token of StreamElements of an account.
    """

    account_id: str
    """
    Identifier of the account.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    hint: str
    """
    First and last four characters of the token with `***` between them, or `****`.
    """
    id: str
    """
    Identifier.
    """
    label: NotRequired[str | None]
    """
    Name that the account gave it. Null: none.
    """
    platform: str
    """
    `twitch`, `youtube`, `kick` or `trovo`.
    """
    refused_at: NotRequired[Timestamp | None]
    updated_at: Timestamp
    """
    Time of the last replacement.
    """


class AdminSetPlanFeatureInput(TypedDict):
    """
    Features of a plan to set. Features that are not listed stay as they are.
    """

    features: list[PlanFeatureInput]
    """
    At most 500 entries, each flag once.
    """


class AdminSubscription(TypedDict):
    """
    Subscription of an account to a plan with a price.
    """

    account_id: str
    """
    Id of the account.
    """
    account_name: str
    """
    Name of the account.
    """
    cancelled_at: NotRequired[Timestamp | None]
    created_at: Timestamp
    """
    Time of creation.
    """
    id: str
    """
    Id of the subscription.
    """
    plan_id: str
    """
    Id of the plan.
    """
    plan_name: str
    """
    Name of the plan.
    """
    plan_slug: str
    """
    Slug of the plan.
    """
    renews_at: NotRequired[Timestamp | None]
    status: SubscriptionStatus
    """
    Status of the subscription.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """


class AdminSystemKey(TypedDict):
    """
    A system key, without its text.
    """

    created_at: Timestamp
    """
    Time of creation.
    """
    created_by: NotRequired[str | None]
    """
    Person who created the key; null for a key made at the command line, or when that person was deleted.
    """
    id: str
    """
    Id of the key.
    """
    key_prefix: str
    """
    Prefix of the kind and the first characters of the key, for display.
    """
    label: str
    """
    Name of the key.
    """
    last_used_at: NotRequired[Timestamp | None]


class AdminUpdateCouponInput(TypedDict):
    """
    Changes of a coupon. Absent fields stay as they are.
    """

    expires_at: NotRequired[Timestamp | None]
    is_active: NotRequired[bool | None]
    """
    False: the coupon cannot be redeemed.
    """
    max_redemptions: NotRequired[int | None]
    """
    Maximum number of redemptions, 1 or more; null: no maximum.
    """


class AdminUpdatePayoutInput(TypedDict):
    """
    New status of a payout.
    """

    status: PayoutStatus
    """
    New status: from `pending` any other, from `processing` `paid` or `failed`.
    """


class AdminUserLogin(TypedDict):
    """
    Login connection of a person. It never contains tokens of the provider.
    """

    created_at: Timestamp
    """
    Time of the connection.
    """
    display_name: str
    """
    Display name at the platform.
    """
    id: str
    """
    Identifier of the connection.
    """
    provider: str
    """
    Slug of the platform.
    """
    provider_user_id: str
    """
    Identifier of the person at the platform.
    """
    reconnect_required: bool
    """
    True when the platform no longer accepts the token.
    """
    username: str
    """
    User name at the platform.
    """


class AdminUserMembership(TypedDict):
    """
    Membership of a person in an account.
    """

    account_id: str
    """
    Identifier of the account.
    """
    account_name: str
    """
    Name of the account.
    """
    is_owner: bool
    """
    True when the person owns the account.
    """
    joined_at: Timestamp
    """
    Time of joining.
    """
    membership_id: str
    """
    Identifier of the membership.
    """
    role_id: str
    """
    Identifier of the role.
    """
    role_name: str
    """
    Name of the role.
    """


class AdminUserSummary(TypedDict):
    """
    Person in the list.
    """

    account_creation_override: AccountCreationOverride
    """
    Permission to create accounts, beside the global switch.
    """
    avatar_url: NotRequired[str | None]
    """
    Address of the avatar. Null: none.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    display_name: str
    """
    Display name.
    """
    email: NotRequired[str | None]
    """
    E-mail address. Null: none.
    """
    id: str
    """
    Identifier.
    """
    is_developer: bool
    """
    True when the person has a developer profile.
    """
    last_login_at: NotRequired[Timestamp | None]
    max_accounts_override: NotRequired[int | None]
    """
    Number of accounts that the person may own. Null: the plans of the owned accounts decide.
    """
    membership_count: int
    """
    Number of memberships, those of owned accounts included.
    """
    owned_account_count: int
    """
    Number of owned accounts.
    """
    username: str
    """
    User name.
    """


class AppCredentials(TypedDict):
    """
    Application of an account. Neither its id nor its secret is returned.
    """

    client_id_hint: str
    """
    Last four characters of the client id; empty for an id of four or fewer.
    """
    decryptable: bool
    """
    False when no configured key opens the secret. The credentials must then be entered again.
    """
    kind: CredentialKind
    """
    `channel` serves bots too, where the platform allows it; `bot` serves bots only.
    """
    platform: str
    """
    Slug of the platform.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """


class AuditActor(TypedDict):
    """
    Actor of a change.
    """

    display_name: NotRequired[str | None]
    """
    Name of the actor; null for the system and for an actor that no longer exists.
    """
    id: NotRequired[str | None]
    """
    Id of the user, service key, install or automation; null for the system.
    """
    type: AuditActorType
    """
    Kind of the actor.
    """


class AuditEntry(TypedDict):
    """
    A change and its actor.
    """

    account_id: NotRequired[str | None]
    """
    Account that the entry belongs to; null when it belongs to none.
    """
    action: str
    """
    Action as `area:verb`, for example `extension:installed`.
    """
    actor: AuditActor
    """
    Caller who made the change.
    """
    created_at: Timestamp
    """
    Time of the change.
    """
    id: str
    """
    Id of the entry.
    """
    ip: NotRequired[str | None]
    """
    Address of the caller, truncated to /24 or /48; null when unknown.
    """
    metadata: Json
    """
    Details of the action, without secrets.
    """
    resource_id: NotRequired[str | None]
    """
    Id of the changed object; null when it has none.
    """
    resource_type: str
    """
    Kind of the changed object, for example `membership`.
    """


class AuthorizeLoginInput(TypedDict):
    """
    An identity at a provider, the proof of it, and the account to act in.
    """

    access_token: str
    """
    Access token that the provider issued to an application of this deployment.
    """
    account_id: NotRequired[str | None]
    """
    Account of the person to act in. Null or absent: the one that they acted in last.
    """
    profile: LoginProfile
    """
    Names of the person at the provider.
    """
    provider: Literal['twitch', 'google', 'kick', 'trovo', 'discord']
    """
    `twitch`, `google`, `discord`, `kick` or `trovo`.
    """
    provider_user_id: str
    """
    Id of the person at the provider.
    """


class AutomationEffect(TypedDict):
    """
    Effect that a run would have.
    """

    arguments: Json
    """
    Arguments without templates, cut at 16 KiB.
    """
    type: str
    """
    Name of the action, or `extension`.
    """


class AutomationNode(TypedDict):
    """
    Node of an automation's graph.
    """

    config: Json
    """
    Settings, by the type.
    """
    id: str
    """
    Identifier, chosen by the client.
    """
    install_id: NotRequired[str | None]
    """
    Install of a node of an extension. Null for built-in types.
    """
    label: NotRequired[str | None]
    """
    Label in the editor, or null.
    """
    position: AutomationNodePosition
    """
    Place in the editor.
    """
    type: str
    """
    Name of the node type.
    """


class AutomationNodeInput(TypedDict):
    """
    Node as an editor saves it.
    """

    config: NotRequired[Json | None]
    id: str
    """
    Identifier, chosen by the client, once in a graph.
    """
    install_id: NotRequired[str | None]
    """
    Install of the account. For the type `extension` only, which needs it.
    """
    label: NotRequired[str | None]
    """
    At most 100 characters; empty is null.
    """
    position: NotRequired[AutomationNodePositionInput | None]
    type: str
    """
    Name of a node type.
    """


class AutomationNodeTypeEntry(TypedDict):
    """
    Node type: a built-in one, or the node of an install that runs.
    """

    color: NotRequired[str | None]
    """
    Colour, or null.
    """
    config_schema: NotRequired[Json | None]
    enabled: bool
    """
    False when the flag is off for the account.
    """
    feature: NotRequired[str | None]
    """
    Key of the flag of an action, or null.
    """
    handles: list[str]
    """
    Handles that edges may leave at. Those of branches, which the configuration names, are not among them.
    """
    icon: NotRequired[str | None]
    """
    Icon, or null.
    """
    install_id: NotRequired[str | None]
    """
    Install. Null for built-in types.
    """
    kind: AutomationNodeKind
    """
    Role.
    """
    name: NotRequired[str | None]
    """
    Display name of a node of an extension. Null for built-in types.
    """
    output_schema: NotRequired[Json | None]
    type: str
    """
    Value of `type` of a node. `extension` for nodes of installs.
    """


class AutomationRunSummary(TypedDict):
    """
    Run of an automation without its steps.
    """

    automation_id: str
    """
    Automation.
    """
    created_at: Timestamp
    """
    Time of the start.
    """
    error: NotRequired[str | None]
    """
    Reason of a failure, or null.
    """
    finished_at: NotRequired[Timestamp | None]
    id: str
    """
    Identifier.
    """
    is_test: bool
    """
    True for a run that a test event started.
    """
    parent_run_id: NotRequired[str | None]
    """
    Run that started this one, or null.
    """
    started_at: NotRequired[Timestamp | None]
    status: AutomationRunStatus
    """
    State.
    """
    trigger: Json
    """
    Cause: `node_id`, `type` and `payload`.
    """


class AutomationStep(TypedDict):
    """
    Step of a run.
    """

    branch: NotRequired[str | None]
    """
    Handle at which the run goes on. Null: `out`.
    """
    duration_ms: NotRequired[int | None]
    """
    Length in milliseconds. Null until the end.
    """
    error: NotRequired[str | None]
    """
    Reason of a failure, or null.
    """
    input: Json
    """
    Configuration with its templates filled in, cut at 16 KiB.
    """
    node_id: str
    """
    Node.
    """
    output: NotRequired[Json | None]
    position: int
    """
    Number of the step, from 0.
    """
    started_at: Timestamp
    """
    Time of the begin.
    """
    status: AutomationStepStatus
    """
    State.
    """


class AutomationSummary(TypedDict):
    """
    Automation without its graph.
    """

    account_id: str
    """
    Account.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    created_by: NotRequired[str | None]
    """
    Person who created it, or null.
    """
    description: NotRequired[str | None]
    """
    Description, or null.
    """
    enabled: bool
    """
    True when its triggers start runs.
    """
    id: str
    """
    Identifier.
    """
    last_run_at: NotRequired[Timestamp | None]
    name: str
    """
    Name.
    """
    next_run_at: NotRequired[Timestamp | None]
    run_count: Int64
    """
    Number of runs.
    """
    trigger_types: list[str]
    """
    Types of its trigger nodes, each once.
    """
    updated_at: Timestamp
    """
    Time of the last change of the automation or its graph.
    """
    version: int
    """
    Number of the present graph. Each change of the graph adds one.
    """


class BillingPlan(TypedDict):
    """
    A plan in its public form. Numbers that may need 64 bits are decimal strings.
    """

    chat_retention_days: int
    """
    Days that chat is kept; 2147483647: unlimited.
    """
    currency: str
    """
    Code of the currency, ISO 4217.
    """
    description: NotRequired[str | None]
    """
    Description; null when there is none.
    """
    features: list[PlanFeature]
    """
    Flags of the categories `feature`, `widget`, `integration` and `bot_module`.
    """
    id: str
    """
    Id of the plan.
    """
    is_public: bool
    """
    True when the plan is public.
    """
    max_integrations: int
    """
    Maximum number of integrations; 2147483647: unlimited.
    """
    max_overlays: int
    """
    Maximum number of overlays; 2147483647: unlimited.
    """
    max_storage_bytes: str
    """
    Maximum size of all stored objects, in bytes.
    """
    max_upload_size_bytes: str
    """
    Maximum size of one upload, in bytes.
    """
    name: str
    """
    Name.
    """
    price_monthly: str
    """
    Price a month in minor units of `currency`, for example `999`.
    """
    price_yearly: str
    """
    Price a year in minor units of `currency`.
    """
    slug: str
    """
    Slug, fixed at creation.
    """
    sort_order: int
    """
    Position in lists; the lowest comes first.
    """


class BotCommand(TypedDict):
    """
    Chat command.
    """

    account_id: NotRequired[str | None]
    """
    Identifier of the account. Null: a global command.
    """
    aliases: list[str]
    """
    Other names, without the prefix.
    """
    automation_id: NotRequired[str | None]
    """
    Automation that is started. Null for other response types, and when it was deleted.
    """
    cooldown_global: int
    """
    Cooldown for everybody after a use, in seconds.
    """
    cooldown_user: int
    """
    Cooldown for the same chatter, in seconds.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    description: str
    """
    Description. Empty: none.
    """
    enabled: bool
    """
    True when the command is switched on.
    """
    id: str
    """
    Identifier.
    """
    is_override: bool
    """
    True when the account overrides this global command.
    """
    min_role: BotCommandRole
    """
    Lowest role that may use the command.
    """
    name: str
    """
    Name without the prefix.
    """
    platforms: list[str]
    """
    Platforms on which the command works: some of `twitch`, `youtube`, `kick`, `trovo`, `discord`.
    """
    response: str
    """
    Text that is sent. In a template `{user} {channel} {platform} {uptime} {song} {count} {random:a,b,c}`
    are filled in.
    """
    response_type: BotCommandResponseType
    """
    Effect of the command.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """
    use_count: Int64
    """
    Number of uses in the account; for operators in all accounts.
    """


class BotControlRow(TypedDict):
    """
    Bot in a channel of an account.
    """

    account_id: str
    """
    Identifier of the account.
    """
    account_name: str
    """
    Name of the account.
    """
    bot_enabled: bool
    """
    Switch of the account.
    """
    channel_name: str
    """
    Name of the channel.
    """
    is_paused_by_staff: bool
    """
    True when staff paused the bot.
    """
    last_heartbeat_at: NotRequired[Timestamp | None]
    platform: str
    """
    Slug of the platform.
    """
    status: BotState
    """
    State of the bot.
    """


class BotModule(TypedDict):
    """
    Bot module of an account.
    """

    config: Json
    """
    Settings; for a built-in module with the defaults of absent ones.
    """
    enabled: bool
    """
    False when it is switched off or killed.
    """
    exempt_roles: ExemptRoles
    """
    Roles of chatters whose messages the module skips.
    """
    install_id: NotRequired[str | None]
    """
    Identifier of the install. Null when a built-in module was never installed.
    """
    killed: bool
    """
    True when it is stopped by the kill switch. Enabling the install lifts it.
    """
    name: str
    """
    `link_protection`, `spam_protection`, `word_filter` or `timed_messages`; for an extension its name.
    """
    source: BotModuleSource
    """
    Source of the module.
    """


class BotStatus(TypedDict):
    """
    Bot in one of the account's channels.
    """

    bot_enabled: bool
    """
    Switch of the account.
    """
    bot_username: NotRequired[str | None]
    """
    User name that the bot writes under. Null when there is no bot.
    """
    is_paused_by_staff: bool
    """
    True when staff paused the bot. The account's switch does not lift the pause.
    """
    last_heartbeat_at: NotRequired[Timestamp | None]
    platform: str
    """
    Slug of the platform.
    """
    status: BotState
    """
    State of the bot.
    """


class BundleFile(TypedDict):
    """
    A file of a version.
    """

    content_hash: str
    """
    SHA-256 of the content.
    """
    content_type: str
    """
    Content type.
    """
    created_at: Timestamp
    """
    Time of the upload.
    """
    file_path: str
    """
    Path in the bundle.
    """
    id: str
    """
    Id.
    """
    size_bytes: Int64
    """
    Size in bytes.
    """
    version_id: str
    """
    Version of the file.
    """


class ChannelStatus(TypedDict):
    """
    Broadcast of a connected channel, or a channel without one.
    """

    broadcast_id: NotRequired[str | None]
    """
    Id of the broadcast. Null where the platform has one broadcast for each channel.
    """
    broadcast_status: NotRequired[BroadcastStatus | None]
    category: NotRequired[str | None]
    """
    Category or game. Null when unknown.
    """
    is_online: bool
    """
    True while the broadcast is on air.
    """
    like_count: NotRequired[Int64 | None]
    live_chat_id: NotRequired[str | None]
    """
    Id of YouTube's live chat of the broadcast. Null elsewhere.
    """
    platform: str
    """
    Slug of the platform.
    """
    scheduled_start: NotRequired[Timestamp | None]
    started_at: NotRequired[Timestamp | None]
    stream_title: NotRequired[str | None]
    """
    Title. Null when unknown.
    """
    total_views: NotRequired[Int64 | None]
    updated_at: NotRequired[Timestamp | None]
    viewer_count: NotRequired[Int64 | None]


class ChatCommand(TypedDict):
    """
    A chat command in effect in an account.
    """

    aliases: list[str]
    """
    Further names.
    """
    automation_id: NotRequired[str | None]
    """
    Automation that a response of the type `automation` starts; null when it was deleted.
    """
    cooldown_global: int
    """
    Seconds.
    """
    cooldown_user: int
    """
    Seconds for each chatter.
    """
    enabled: bool
    """
    False when switched off.
    """
    id: str
    """
    Command.
    """
    min_role: MinRole
    """
    Least role that may use it.
    """
    name: str
    """
    Name, without prefix.
    """
    platforms: list[str]
    """
    Platforms that the command runs on.
    """
    response: str
    """
    Text, or template.
    """
    response_type: ResponseType
    """
    Effect of the command.
    """
    use_count: int
    """
    Uses in the account at the time of the feed.
    """


class ChatFragment(TypedDict):
    """
    Part of a message.
    """

    bits: NotRequired[Int64 | None]
    emote_id: NotRequired[str | None]
    """
    The provider's id of an emote.
    """
    text: str
    """
    Text of the part.
    """
    type: ChatFragmentType
    """
    Kind of the part.
    """
    user_id: NotRequired[str | None]
    """
    The platform's id of a mentioned user.
    """


class ChatMessage(TypedDict):
    """
    Chat message.
    """

    account_id: str
    """
    Account of the chat.
    """
    badges: list[ChatBadge]
    """
    Badges of the user in this chat.
    """
    color: NotRequired[str | None]
    """
    `#RRGGBB`; null when the user chose none.
    """
    display_name: str
    """
    Name as the platform shows it.
    """
    emotes: list[ChatEmote]
    """
    Emotes in the message.
    """
    fragments: list[ChatFragment]
    """
    Parts of the message; their texts together are the message.
    """
    id: str
    """
    Id; also the cursor of the messages before it.
    """
    is_action: bool
    """
    True when it was written with `/me`.
    """
    is_deleted: bool
    """
    True when a moderator removed it.
    """
    platform: str
    """
    `twitch`, `youtube`, `kick` or `trovo`.
    """
    platform_message_id: str
    """
    The platform's id of the message.
    """
    platform_user_id: str
    """
    The platform's id of the user.
    """
    reply_to: NotRequired[str | None]
    """
    The platform's id of the message that this one replies to.
    """
    sent_at: Timestamp
    """
    Time of the message.
    """
    text: str
    """
    Whole text of the message.
    """
    username: str
    """
    Name in addresses of the platform.
    """


class CollectionAdminAccountSummary(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[AdminAccountSummary]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionAdminPayout(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[AdminPayout]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionAdminSeToken(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[AdminSeToken]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionAdminSubscription(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[AdminSubscription]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionAdminUserSummary(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[AdminUserSummary]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionAuditEntry(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[AuditEntry]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionAutomationRunSummary(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[AutomationRunSummary]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionBotCommand(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[BotCommand]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionBotControlRow(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[BotControlRow]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionPublicGame(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[PublicGame]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionUsageTotal(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[UsageTotal]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CommandFeed(TypedDict):
    """
    `GET /v1/internal/bot-commands/{account_id}`.
    """

    commands: list[ChatCommand]
    """
    Commands of the account before global ones; a word that two of them have belongs to the first. Global
    commands with the name of one of the account's are left out. Overrides of the account are applied.
    """
    prefix: str
    """
    Prefix of commands in chat, 1 to 3 characters.
    """


class CommandReply(TypedDict):
    """
    `POST /v1/internal/bot-commands/{command_id}/replies`: a chatter used a command.
    """

    account_id: str
    """
    Account.
    """
    arguments: str
    """
    Text after the command's name.
    """
    automation_id: NotRequired[str | None]
    """
    Automation to start, or null.
    """
    event_id: str
    """
    Event of the chat message. One message gets one reply.
    """
    expires_at: NotRequired[Timestamp | None]
    message_id: str
    """
    Platform's id of the message.
    """
    platform: Literal['twitch', 'youtube', 'kick', 'trovo', 'spotify', 'discord']
    """
    Platform of the message.
    """
    response: str
    """
    Text, or template.
    """
    response_type: ResponseType
    """
    Effect of the command.
    """
    use_count: int
    """
    Uses of the command, including this one.
    """
    user_id: str
    """
    Platform's id of the chatter.
    """
    user_name: str
    """
    Display name of the chatter.
    """


class ConnectionFinding(TypedDict):
    """
    Finding with what to do about it.
    """

    code: ConnectionFindingCode
    """
    Code for programs.
    """
    message: str
    """
    Finding for people.
    """
    remedy: str
    """
    Remedy for people.
    """
    severity: ConnectionFindingSeverity
    """
    Severity of the finding.
    """


class ConnectionReader(TypedDict):
    """
    Reader of a channel.
    """

    detail: NotRequired[str | None]
    """
    Reason for the state, for people; null without one.
    """
    since: Timestamp
    """
    Start of the state.
    """
    state: ConnectionReaderState
    """
    State of the reader.
    """


class ConnectionStatus(TypedDict):
    """
    Connection status of a platform.
    """

    expires_at: NotRequired[Timestamp | None]
    is_connected: bool
    """
    True when a channel is connected and not flagged.
    """
    login_available: bool
    """
    True when the acting person has a login at the platform that is not flagged and not assigned to the
    account.
    """
    login_connected: bool
    """
    True when the acting person's login that is assigned to the account is not flagged. The person writes
    in chat through it.
    """
    login_reconnect_required: bool
    """
    True when that login is flagged.
    """
    platform: str
    """
    Slug of the platform.
    """
    reconnect_required: bool
    """
    True when a channel is connected and flagged.
    """


class CopyrightCandidate(TypedDict):
    """
    Song that enough accounts vote on in the same way.
    """

    accounts: int
    """
    Number of accounts that vote so at present.
    """
    created_at: Timestamp
    """
    Time at which the song became a candidate.
    """
    id: str
    """
    Identifier.
    """
    song: CopyrightSong
    """
    Song.
    """
    status: CopyrightCandidateStatus
    """
    State.
    """
    vote: CopyrightVoteKind
    """
    Vote that the accounts share.
    """


class CopyrightPlaylistSync(TypedDict):
    """
    Playlist whose songs are kept in a list of the account.
    """

    created_at: Timestamp
    """
    Time of the first import.
    """
    error: NotRequired[str | None]
    """
    Reason why the last reading failed. Null: it did not.
    """
    id: str
    """
    Identifier.
    """
    last_synced_at: NotRequired[Timestamp | None]
    list: CopyrightPlaylistList
    """
    List that has the songs.
    """
    name: str
    """
    Name of the playlist when it was last read.
    """
    playlist_id: str
    """
    Id of the playlist at Spotify.
    """
    track_count: int
    """
    Number of songs that were read last.
    """


class CopyrightVote(TypedDict):
    """
    Vote of a person on a song.
    """

    created_at: Timestamp
    """
    Time of the first vote.
    """
    id: str
    """
    Identifier.
    """
    reason: NotRequired[str | None]
    """
    Reason. Null: none.
    """
    song: CopyrightSong
    """
    Song.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """
    vote: CopyrightVoteKind
    """
    Vote.
    """


class Coupon(TypedDict):
    """
    A coupon.
    """

    amount_off: NotRequired[Int64 | None]
    code: str
    """
    Code: upper-case letters, digits, `-` and `_`.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    duration: CouponDuration
    """
    Payments that are discounted.
    """
    expires_at: NotRequired[Timestamp | None]
    id: str
    """
    Id of the coupon.
    """
    is_active: bool
    """
    False when the coupon cannot be redeemed.
    """
    max_redemptions: NotRequired[int | None]
    """
    Maximum number of redemptions; null when there is none.
    """
    percent_off: NotRequired[int | None]
    """
    Discount in percent, 1 to 100; null when an amount is taken off.
    """
    redeemed: int
    """
    Number of redemptions.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """


class CouponValidation(TypedDict):
    """
    A coupon, as customers see it.
    """

    amount_off: NotRequired[Int64 | None]
    code: str
    """
    Code of the coupon.
    """
    duration: CouponDuration
    """
    Payments that are discounted.
    """
    is_valid: bool
    """
    True when the coupon can be redeemed.
    """
    percent_off: NotRequired[int | None]
    """
    Discount in percent, 1 to 100; null when an amount is taken off.
    """


class CrawlerWatchlistEntry(TypedDict):
    """
    Channel that is crawled outside of the scope.
    """

    channel: str
    """
    Id or login on the platform.
    """
    created_at: Timestamp
    """
    Time at which it was added.
    """
    created_by: NotRequired[str | None]
    """
    Person who added it. Null: the person is deleted.
    """
    id: str
    """
    Identifier.
    """
    note: NotRequired[str | None]
    """
    Note of staff. Null: none.
    """
    platform: str
    """
    `twitch`, `youtube`, `kick` or `trovo`.
    """


class CreateAccountServiceKeyInput(TypedDict):
    """
    A service key to create.
    """

    expires_at: NotRequired[Timestamp | None]
    label: str
    """
    Name of the key, 1 to 100 characters.
    """
    permissions: list[str]
    """
    Scopes, as `resource:action` or `resource:*`, of the permissions of an account.
    """


class CreateExtensionBody(TypedDict):
    """
    An extension to create.
    """

    description: NotRequired[str]
    """
    At most 10,000 characters.
    """
    name: str
    """
    1 to 255 characters.
    """
    pricing: NotRequired[PricingBody | None]
    short_description: NotRequired[str]
    """
    At most 255 characters.
    """


class CreateExtensionInput(TypedDict):
    """
    An extension to create.
    """

    description: NotRequired[str | None]
    """
    At most 10,000 characters.
    """
    name: str
    """
    1 to 255 characters.
    """
    pricing: NotRequired[ExtensionPricingInput | None]
    short_description: NotRequired[str | None]
    """
    At most 255 characters.
    """
    team_id: NotRequired[str | None]
    """
    Team that owns the extension; the caller when absent.
    """


class CreateInviteInput(TypedDict):
    """
    An invite to create.
    """

    email: NotRequired[str | None]
    """
    Address to mail the invite to. Not allowed for the method `person`.
    """
    expires_in: NotRequired[Literal[3600, 86400, 604800, 2592000] | None]
    """
    Lifetime in seconds: 3600, 86400, 604800 or 2592000. Null: no expiry. Absent: 604800.
    """
    max_uses: NotRequired[int | None]
    """
    Maximum number of uses, 1 to 100. Null: no maximum. Absent: 1.
    """
    method: InviteMethod
    """
    Method of delivery.
    """
    role_id: str
    """
    Role that a new member receives. Not the Owner role, and none with a permission that the caller lacks.
    """
    target_user_id: NotRequired[str | None]
    """
    Person that the invite is for. Required for the method `person`, not allowed for others.
    """


class CreateLimitRequestInput(TypedDict):
    """
    New request.
    """

    extension_id: NotRequired[str | None]
    """
    Extension; required for the scope `extension`, else absent.
    """
    limit_key: Literal['max_extensions', 'max_versions', 'max_team_members', 'max_api_keys', 'max_secrets', 'storage_global_bytes', 'storage_install_bytes', 'storage_keys_global', 'storage_keys_install', 'value_bytes', 'functions_max', 'invocations_per_minute', 'function_timeout_ms', 'fetches_per_invocation', 'response_bytes', 'egress_hosts', 'ws_connections', 'push_per_second', 'push_bytes', 'max_sounds_per_extension', 'max_sound_file_size', 'max_sound_storage_bytes']
    """
    Key of the limit.
    """
    reason: str
    """
    20 to 2,000 characters.
    """
    requested_value: int
    """
    Requested value, above the current one and at most the highest of the key.
    """
    scope: LimitRequestScope
    """
    Subject.
    """


class CreatePopoutTokenInput(TypedDict):
    """
    A popout token to create.
    """

    expires_at: NotRequired[Timestamp | None]
    label: NotRequired[str | None]
    """
    Name of the token, at most 100 characters.
    """
    permissions: list[str]
    """
    Permissions: 1 to 123 of the account, each by name.
    """
    user_id: NotRequired[str | None]
    """
    Member that the token acts for. Null or absent: the caller.
    """


class CreateUserApiKeyInput(TypedDict):
    """
    A personal API key to create.
    """

    expires_at: NotRequired[Timestamp | None]
    label: str
    """
    Name of the key, 1 to 100 characters.
    """
    permissions: list[str]
    """
    Scopes, as `resource:action` or `resource:*`.
    """


class CreateWidgetInput(TypedDict):
    """
    New widget.
    """

    config: NotRequired[Json | None]
    height: NotRequired[int | None]
    """
    1 to 7,680 pixels; 600 when absent.
    """
    name: str
    """
    1 to 100 characters.
    """
    type: str
    """
    Name of a system widget, or slug of an extension that runs in the account and has a layer.
    """
    width: NotRequired[int | None]
    """
    1 to 7,680 pixels; 800 when absent.
    """


class CreatedAccount(Account):
    """
    A new account with a session token that acts in it.
    """

    token: NotRequired[str | None]
    """
    Session token that acts in the new account. Absent for a caller with an API key.
    """


class CreatedAccountServiceKey(AccountServiceKey):
    """
    A new service key with its text.
    """

    key: str
    """
    Text of the key. This answer alone contains it.
    """


class CreatedExtension(TypedDict):
    """
    A new extension.
    """

    createdAt: Timestamp
    """
    Time of creation.
    """
    id: str
    """
    Id.
    """
    name: str
    """
    Name.
    """
    slug: str
    """
    Slug, derived from the name.
    """
    status: str
    """
    `draft`.
    """


class CreatedExtensionBody(TypedDict):
    """
    A new extension.
    """

    extension: CreatedExtension


class CreatedOverlayShare(TypedDict):
    """
    New share of an overlay with its token. This answer alone contains the token.
    """

    created_at: Timestamp
    """
    Time of creation.
    """
    created_by: NotRequired[OverlayShareCreator | None]
    expires_at: Timestamp
    """
    End.
    """
    id: str
    """
    Identifier.
    """
    label: NotRequired[str | None]
    """
    Label. Null: none.
    """
    overlay_id: str
    """
    Overlay.
    """
    token: str
    """
    Text of the token, `lm_share_…`.
    """
    token_prefix: str
    """
    Display prefix of the token.
    """
    url: str
    """
    Address of the overlay's page with the token in its fragment.
    """


class CreatedSharedLink(TypedDict):
    """
    New link with its token. This answer alone contains the token.
    """

    allow_export: bool
    """
    True when the report can be exported through the link.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    created_by: NotRequired[str | None]
    """
    Person who created it. Null: a service key.
    """
    expires_at: Timestamp
    """
    End.
    """
    has_password: bool
    """
    True when the link needs a password.
    """
    id: str
    """
    Identifier.
    """
    last_viewed_at: NotRequired[Timestamp | None]
    report_id: str
    """
    Report.
    """
    status: SharedLinkStatus
    """
    State.
    """
    token: str
    """
    Text of the token, 43 characters.
    """
    url: str
    """
    Address of the page of the report with the token in its fragment.
    """
    view_count: Int64
    """
    Number of views.
    """


class CreatedSystemKey(AdminSystemKey):
    """
    A new system key with its text.
    """

    key: str
    """
    Text of the key. This answer alone contains it.
    """


class CreatedUserApiKey(UserApiKey):
    """
    A new key with its text.
    """

    key: str
    """
    Text of the key. This answer alone contains it.
    """


class CreatedWebhookEndpoint(TypedDict):
    """
    New webhook endpoint with its secret.
    """

    account_id: str
    """
    Account.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    created_by: NotRequired[str | None]
    """
    Person who created it. Null: a service key.
    """
    description: NotRequired[str | None]
    """
    Description, or null.
    """
    disabled_reason: NotRequired[WebhookDisabledReason | None]
    event_types: list[str]
    """
    Types of events that it receives.
    """
    failing_since: NotRequired[Timestamp | None]
    id: str
    """
    Identifier.
    """
    is_enabled: bool
    """
    True when it receives events.
    """
    previous_secret_expires_at: NotRequired[Timestamp | None]
    secret: NotRequired[str | None]
    """
    Secret that signs its deliveries: `whsec_` and base64. Null for a caller without a session.
    """
    skipped_count: Int64
    """
    Number of events that were left out: 0.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """
    url: str
    """
    Address.
    """


class CspReport(TypedDict):
    """
    Report of a browser. Addresses have no query and fragment, which could contain secrets.
    """

    blocked_uri: str
    """
    Blocked resource: an address, or a word such as `inline`.
    """
    column_number: NotRequired[int | None]
    """
    Column in the source file. Null: not given.
    """
    disposition: NotRequired[str | None]
    """
    `enforce` or `report`. Null: not given.
    """
    document_uri: str
    """
    Address of the page.
    """
    id: str
    """
    Identifier.
    """
    line_number: NotRequired[int | None]
    """
    Line in the source file. Null: not given.
    """
    received_at: Timestamp
    """
    Time of receipt.
    """
    source_file: NotRequired[str | None]
    """
    Address of the script or style. Null: not given.
    """
    status_code: NotRequired[int | None]
    """
    HTTP status of the page. Null: not given.
    """
    user_agent: NotRequired[str | None]
    """
    `User-Agent` of the browser. Null: not given.
    """
    violated_directive: str
    """
    Directive that was violated.
    """


class DeveloperApplication(TypedDict):
    """
    Application of a person to become a developer.
    """

    application_type: DeveloperApplicationType
    """
    Kind.
    """
    avatar_key: NotRequired[str | None]
    """
    Id of the upload with the picture. Null: none.
    """
    created_at: Timestamp
    """
    Time of the application.
    """
    description: str
    """
    Description of the developer or team.
    """
    display_name: str
    """
    Name of the developer or team.
    """
    experience: NotRequired[str | None]
    """
    Experience of the applicant. Null: none.
    """
    github_url: NotRequired[str | None]
    """
    Address at GitHub. Null: none.
    """
    id: str
    """
    Identifier.
    """
    motivation: str
    """
    Reason of the application.
    """
    review_notes: NotRequired[str | None]
    """
    Notes of the reviewer. Null: none.
    """
    reviewed_at: NotRequired[Timestamp | None]
    reviewed_by: NotRequired[str | None]
    """
    Reviewer; null before a decision.
    """
    slug: str
    """
    Slug of the developer or team.
    """
    status: DeveloperApplicationStatus
    """
    Status.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """
    user_id: str
    """
    Applicant.
    """
    website_url: NotRequired[str | None]
    """
    Address of the website. Null: none.
    """
    what_to_build: str
    """
    Extensions that are planned.
    """


class DeveloperApplicationDecision(TypedDict):
    """
    Result of a decision about an application.
    """

    new_status: DeveloperApplicationStatus
    """
    Status after the decision.
    """
    success: bool
    """
    Always true: a failure is an error.
    """


class DeveloperApplicationItem(TypedDict):
    """
    Application in a list.
    """

    application_type: DeveloperApplicationType
    """
    Kind.
    """
    created_at: Timestamp
    """
    Time of the application.
    """
    display_name: str
    """
    Name of the developer or team.
    """
    id: str
    """
    Identifier.
    """
    slug: str
    """
    Slug of the developer or team.
    """
    status: DeveloperApplicationStatus
    """
    Status.
    """
    user_avatar_url: NotRequired[str | None]
    """
    Address of the applicant's avatar. Null: none.
    """
    user_display_name: str
    """
    Display name of the applicant.
    """
    user_id: str
    """
    Applicant.
    """


class DeveloperApplicationList(TypedDict):
    """
    Applications with their number.
    """

    items: list[DeveloperApplicationItem]
    """
    Applications of the page.
    """
    total: int
    """
    Number of applications on all pages.
    """


class DeveloperErrorDetail(TypedDict):
    """
    Content of an error.
    """

    code: str
    fields: NotRequired[list[FieldError] | None]
    message: str
    status: int


class DeveloperLimit(TypedDict):
    """
    Limit of a developer.
    """

    configurable: bool
    """
    True when a request may raise it: false at the highest value of the platform.
    """
    default_value: Int64
    """
    Value without an override.
    """
    key: str
    """
    Key, as a request for a higher limit names it.
    """
    label: str
    """
    Text for people.
    """
    source: DeveloperLimitSource
    """
    Source of the value.
    """
    value: Int64
    """
    Value in force, in bytes, milliseconds or pieces as the key says.
    """


class DeveloperLimitCategory(TypedDict):
    """
    Limits of one category.
    """

    category: str
    """
    `extensions`, `account`, `storage`, `functions`, `realtime` or `sounds`.
    """
    limits: list[DeveloperLimit]
    """
    Limits.
    """


class DeveloperPayout(TypedDict):
    """
    Payout to the caller.
    """

    amount: Int64
    """
    Amount in cents.
    """
    created_at: Timestamp
    """
    Time of the request.
    """
    currency: str
    """
    Code of the currency, ISO 4217.
    """
    id: str
    """
    Identifier.
    """
    method: DeveloperPayoutMethod
    """
    Method.
    """
    paid_at: NotRequired[Timestamp | None]
    status: DeveloperPayoutStatus
    """
    Status.
    """


class DeveloperPayoutSettings(TypedDict):
    """
    Ways in which the caller is paid. Of each account, the last four characters are shown.
    """

    bank_bic: NotRequired[str | None]
    """
    BIC, masked. Null: none.
    """
    bank_iban: NotRequired[str | None]
    """
    IBAN, masked. Null: none.
    """
    bank_name: NotRequired[str | None]
    """
    Name of the bank. Null: none.
    """
    created_at: Timestamp
    """
    Time of the first settings, or of the profile before them.
    """
    id: str
    """
    Developer profile that the settings belong to; for a team that of its owner.
    """
    payment_connect_id: NotRequired[str | None]
    """
    Id of the connected account, masked. Null: none.
    """
    payout_method: NotRequired[DeveloperPayoutMethod | None]
    paypal_style_email: NotRequired[str | None]
    """
    E-mail address of the wallet, masked. Null: none.
    """
    revenue_balance: Int64
    """
    Amount that can be paid out, in cents.
    """
    team_id: NotRequired[str | None]
    """
    Team that is paid. Null: the developer.
    """
    total_earned: Int64
    """
    Share of all payments, in cents.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """
    user_id: str
    """
    Person; for a team its owner.
    """


class DeveloperProfile(TypedDict):
    """
    Profile of the caller as a developer.
    """

    avatar_key: NotRequired[str | None]
    """
    Id of the upload with the picture. Null: none.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    description: NotRequired[str | None]
    """
    Description. Null: none.
    """
    display_name: str
    """
    Name.
    """
    github_url: NotRequired[str | None]
    """
    Address at GitHub. Null: none.
    """
    id: str
    """
    Identifier.
    """
    slug: str
    """
    Slug, which does not change.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """
    user_id: str
    """
    Person.
    """
    verified: bool
    """
    True when staff has verified the developer.
    """
    website_url: NotRequired[str | None]
    """
    Address of the website. Null: none.
    """


class DeveloperRevenueItem(TypedDict):
    """
    Revenue from an extension in a month. Amounts are in cents.
    """

    amount: Int64
    """
    Sum of the payments.
    """
    extension_id: NotRequired[str | None]
    """
    Extension; null when it is gone.
    """
    extension_name: NotRequired[str | None]
    """
    Name of the extension; null when it is gone.
    """
    fee: Int64
    """
    Fee of the platform.
    """
    month: str
    """
    Month in UTC, as `2026-11`.
    """
    payments: int
    """
    Number of payments.
    """
    share: Int64
    """
    Share of the developer.
    """


class DeveloperTeam(TypedDict):
    """
    A team of developers as its member sees it.
    """

    avatar_key: NotRequired[str | None]
    """
    Upload of the picture, or null.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    description: NotRequired[str | None]
    """
    Description, or null.
    """
    github_url: NotRequired[str | None]
    """
    Address at GitHub, or null.
    """
    id: str
    """
    Id.
    """
    member_count: int
    """
    Number of members, the owner included.
    """
    my_permissions: list[str]
    """
    Permissions of the caller, sorted.
    """
    my_role: TeamRoleName
    """
    Role of the caller.
    """
    name: str
    """
    Name.
    """
    owner_id: str
    """
    Person who owns the team.
    """
    slug: str
    """
    Slug, unique among developers and teams.
    """
    website_url: NotRequired[str | None]
    """
    Address of the website, or null.
    """


class DeveloperTeamInvite(TypedDict):
    """
    An invite to a team.
    """

    code: NotRequired[str | None]
    """
    Code, which every holder can take. Null for callers without every permission of the role.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    created_by: str
    """
    Member who made the invite.
    """
    email: NotRequired[str | None]
    """
    Address that the invite was mailed to; null when it was not mailed.
    """
    expires_at: Timestamp
    """
    Time of expiry.
    """
    id: str
    """
    Id.
    """
    max_uses: int
    """
    Maximum number of uses.
    """
    role: TeamRoleName
    """
    Role of a new member.
    """
    url: NotRequired[str | None]
    """
    Address with the code; null together with it.
    """
    use_count: int
    """
    Number of uses.
    """


class DeveloperTeamInvitePreview(TypedDict):
    """
    Preview of an invite for holders of its code.
    """

    expires_at: Timestamp
    """
    Time of expiry.
    """
    is_valid: bool
    """
    True when the invite can be taken.
    """
    role: TeamRoleName
    """
    Role of a new member.
    """
    team: InvitingTeam
    """
    Team.
    """


class DeveloperTeamMember(TypedDict):
    """
    A member of a team.
    """

    avatar_url: NotRequired[str | None]
    """
    Address of the picture, or null.
    """
    display_name: str
    """
    Display name.
    """
    id: str
    """
    Id of the membership.
    """
    joined_at: Timestamp
    """
    Time of joining.
    """
    role: TeamRoleName
    """
    Role.
    """
    user_id: str
    """
    Person.
    """


class DeveloperTeamRole(TypedDict):
    """
    A role of a team.
    """

    created_at: Timestamp
    """
    Time of creation.
    """
    description: NotRequired[str | None]
    """
    Description, or null.
    """
    id: str
    """
    Id.
    """
    is_system: bool
    """
    True for the owner's role, which neither changes nor ends.
    """
    member_count: int
    """
    Number of members with the role.
    """
    name: str
    """
    Name, unique in the team in any case.
    """
    permissions: list[str]
    """
    Permissions, sorted.
    """
    slug: str
    """
    Slug, made of the name at creation.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """


class DeveloperVerification(TypedDict):
    """
    Verification of the caller as a developer.
    """

    address_line1: str
    """
    First line of the address.
    """
    address_line2: NotRequired[str | None]
    """
    Second line of the address. Null: none.
    """
    city: str
    """
    City.
    """
    company_name: NotRequired[str | None]
    """
    Name of the company; null for a person.
    """
    country: str
    """
    Code of the country, ISO 3166-1 alpha-2.
    """
    created_at: Timestamp
    """
    Time of the first submission.
    """
    developer_id: str
    """
    Developer profile.
    """
    document_key: NotRequired[str | None]
    """
    Id of the upload with the document. Null: none.
    """
    id: str
    """
    Identifier.
    """
    legal_name: str
    """
    Legal name.
    """
    postal_code: str
    """
    Postal code.
    """
    review_notes: NotRequired[str | None]
    """
    Notes of the reviewer. Null: none.
    """
    reviewed_at: NotRequired[Timestamp | None]
    reviewed_by: NotRequired[str | None]
    """
    Reviewer; null before a decision.
    """
    status: DeveloperVerificationStatus
    """
    Status.
    """
    tax_id: NotRequired[str | None]
    """
    Tax id, of which the last four characters are shown. Null: none.
    """
    trade_register_id: NotRequired[str | None]
    """
    Id in the trade register, of which the last four characters are shown. Null: none.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """


class DeveloperVerificationDecision(TypedDict):
    """
    Result of a decision about a verification.
    """

    new_status: DeveloperVerificationStatus
    """
    Status after the decision.
    """
    success: bool
    """
    Always true: a failure is an error.
    """


class DeveloperVerificationItem(TypedDict):
    """
    Verification in a list, without the data that was submitted.
    """

    created_at: Timestamp
    """
    Time of the first submission.
    """
    developer_id: str
    """
    Developer profile.
    """
    developer_name: str
    """
    Name of the developer.
    """
    developer_slug: str
    """
    Slug of the developer.
    """
    id: str
    """
    Identifier.
    """
    reviewed_at: NotRequired[Timestamp | None]
    reviewed_by: NotRequired[str | None]
    """
    Reviewer; null before a decision.
    """
    status: DeveloperVerificationStatus
    """
    Status.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """
    user_id: str
    """
    Person.
    """


class DeveloperVersion(TypedDict):
    """
    A version as its developer sees it.
    """

    approved_at: NotRequired[Timestamp | None]
    breaking: bool
    """
    True when accounts must accept it.
    """
    bundle_size_bytes: Int64
    """
    Size of the archive in bytes.
    """
    changelog: str
    """
    Changes, as the developer describes them.
    """
    id: str
    """
    Id.
    """
    needs_enhanced_review: bool
    """
    True when two different reviewers must publish it.
    """
    review_notes: NotRequired[str | None]
    """
    Notes of the last rejection or revocation, or null.
    """
    status: ExtensionVersionStatus
    """
    Status.
    """
    submitted_at: Timestamp
    """
    Time of the last submission for review.
    """
    version: str
    """
    Semantic version.
    """


class DiagnosedSubscription(TypedDict):
    """
    Delivery that was requested from the platform.
    """

    detail: NotRequired[str | None]
    """
    Reason of the platform. Null without one.
    """
    event_type: str
    """
    The platform's name of the type, such as `channel.follow`.
    """
    status: PlatformSubscriptionStatus
    """
    State at the platform.
    """


class DiscordGuild(TypedDict):
    """
    Discord server that the deployment's bot was added to.
    """

    channels: list[DiscordGuildChannel]
    """
    Channels that features write in.
    """
    connected_at: Timestamp
    """
    Time of linking.
    """
    connected_by: NotRequired[str | None]
    """
    Person who linked it. Null when the person was deleted, or when a key linked it.
    """
    guild_id: str
    """
    Id of the server at Discord.
    """
    icon_url: NotRequired[str | None]
    """
    Address of the icon. Null: none.
    """
    id: str
    """
    Identifier of the link.
    """
    name: str
    """
    Name of the server.
    """


class DryRunAutomationInput(TypedDict):
    """
    Cause of a dry run: one of `input`, `event` and `event_id`, or none of them.
    """

    event: NotRequired[Json | None]
    event_id: NotRequired[str | None]
    """
    Event of the account that happened; needs `events:read` too.
    """
    input: NotRequired[Json | None]
    trigger_node_id: NotRequired[str | None]
    """
    Trigger node that starts; the first manual one when absent, else the first one.
    """


class EndPollInput(TypedDict):
    """
    Input of an end.
    """

    status: PollEnding
    """
    Kind of the end.
    """


class EndPredictionInput(TypedDict):
    """
    Input of a change.
    """

    status: PredictionEnding
    """
    New state.
    """
    winning_outcome_id: NotRequired[str | None]
    """
    The platform's id of the outcome that occurred; required for `resolved` and not allowed otherwise.
    """


class EnvelopedAccount(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: Account
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedAccountArchive(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: AccountArchive
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedAccountFeatureOverride(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: AccountFeatureOverride
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedAccountLimits(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: AccountLimits
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedAccountPermissionOverride(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: AccountPermissionOverride
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedAccountRole(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: AccountRole
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedAccountServiceKey(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: AccountServiceKey
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedAccountSettings(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: AccountSettings
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedAdminDeveloperVerification(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: AdminDeveloperVerification
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedAdminPayout(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: AdminPayout
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedAdminPlan(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: AdminPlan
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedAdminPlatform(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: AdminPlatform
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedAdminProvider(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: AdminProvider
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedAdminRole(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: AdminRole
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedAdminUserMembership(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: AdminUserMembership
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedAppCredentials(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: AppCredentials
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedAutomationExecution(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: AutomationExecution
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedAutomationWebhook(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: AutomationWebhook
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedBotCommand(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: BotCommand
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedBotConnection(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: BotConnection
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedBotControlRow(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: BotControlRow
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedBotModule(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: BotModule
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedBotStatus(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: BotStatus
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedCheckoutSession(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: CheckoutSession
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedCopyrightCandidate(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: CopyrightCandidate
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedCopyrightVote(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: CopyrightVote
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedCoupon(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: Coupon
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedCouponValidation(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: CouponValidation
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedCrawlerScope(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: CrawlerScope
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedCrawlerWatchlistEntry(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: CrawlerWatchlistEntry
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedCreatedAccount(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: CreatedAccount
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedCreatedAccountServiceKeyKeyLinks(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: CreatedAccountServiceKey
    _links: KeyLinks


class EnvelopedCreatedOverlayShare(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: CreatedOverlayShare
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedCreatedSharedLink(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: CreatedSharedLink
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedCreatedSystemKeyKeyLinks(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: CreatedSystemKey
    _links: KeyLinks


class EnvelopedCreatedUserApiKeyKeyLinks(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: CreatedUserApiKey
    _links: KeyLinks


class EnvelopedCreatedWebhookEndpoint(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: CreatedWebhookEndpoint
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedDeveloperApplication(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: DeveloperApplication
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedDeveloperApplicationDecision(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: DeveloperApplicationDecision
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedDeveloperApplicationList(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: DeveloperApplicationList
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedDeveloperPayout(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: DeveloperPayout
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedDeveloperPayoutSettings(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: DeveloperPayoutSettings
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedDeveloperProfile(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: DeveloperProfile
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedDeveloperTeam(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: DeveloperTeam
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedDeveloperTeamInvite(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: DeveloperTeamInvite
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedDeveloperTeamInvitePreview(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: DeveloperTeamInvitePreview
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedDeveloperTeamMember(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: DeveloperTeamMember
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedDeveloperTeamRole(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: DeveloperTeamRole
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedDeveloperVerification(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: DeveloperVerification
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedDeveloperVerificationDecision(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: DeveloperVerificationDecision
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedDeveloperVersion(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: DeveloperVersion
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedEmoteSets(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: EmoteSets
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedExtensionSecretKeys(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: ExtensionSecretKeys
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedExtensionUpload(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: ExtensionUpload
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedJson(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: dict[str, Any]
    """
    Any JSON value. Output is nested. Input is nested through variables (see the request's coercion) or JSON
    text.
    """
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedNotificationPreference(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: NotificationPreference
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedOauthAuthorization(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: OauthAuthorization
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedOptionDeveloperVerification(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: DeveloperVerification | None
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedPortalSession(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: PortalSession
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedPublicGameStats(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: PublicGameStats
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedSpotifyManualConnect(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: SpotifyManualConnect
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedStreamHistoryFilterOptions(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: StreamHistoryFilterOptions
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedSuccess(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: Success
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedTokenPermissions(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: TokenPermissions
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedUserApiKey(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: UserApiKey
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedUserPermissionOverride(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: UserPermissionOverride
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedUserRole(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: UserRole
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedUserRoleAssignment(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: UserRoleAssignment
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedWatchlistEntry(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: WatchlistEntry
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedWebhookEndpoint(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: WebhookEndpoint
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedWebhookSecret(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: WebhookSecret
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedWidget(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: Widget
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedWidgetAccessEntry(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: WidgetAccessEntry
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedWsToken(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: WsToken
    _links: SelfLink
    """
    Links of the resource.
    """


class EraseChatSubjectResult(TypedDict):
    """
    Result of the erasure of a person.
    """

    affected_account_ids: list[str]
    """
    Accounts that lost data.
    """
    deleted_message_count: Int64
    """
    Number of deleted chat messages.
    """


class EraseYoutubeMemberResult(TypedDict):
    """
    Result of the erasure of a YouTube channel as a viewer.
    """

    affected_account_ids: list[str]
    """
    Accounts that lost data.
    """
    deleted_message_count: Int64
    """
    Number of deleted chat messages.
    """
    erased_key_count: Int64
    """
    Number of erased keys in Redis, and of erased entries of shared keys.
    """


class ErrorRecord(TypedDict):
    """
    A failed invocation.
    """

    error_type: str
    """
    Type of the JavaScript error, or the exceeded limit, for example `TIMEOUT`. At most 128 bytes.
    """
    handler: str
    """
    Export that failed. At most 128 bytes.
    """
    id: str
    """
    Id made by the worker.
    """
    install_id: str
    """
    Install.
    """
    message: str
    """
    At most 4 KiB.
    """
    occurred_at: Timestamp
    stack_trace: NotRequired[str | None]
    """
    At most 8 KiB.
    """


class EventCustom(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: dict[str, Any]
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: str
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventKickGiftSub(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataKickGiftSub
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['kick:gift_sub']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventKickRaid(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataKickRaid
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['kick:raid']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventKickStreamOffline(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataKickStreamOffline
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['kick:stream_offline']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventKickSubscribe(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataKickSubscribe
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['kick:subscribe']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventShopifyOrder(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataShopifyOrder
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['shopify:order']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventSpotifyTrack(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataSpotifyTrack
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['spotify:track']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventStreamelementsTip(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataStreamelementsTip
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['streamelements:tip']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTrovoGiftSub(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTrovoGiftSub
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['trovo:gift_sub']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTrovoRaid(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTrovoRaid
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['trovo:raid']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTrovoSpell(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTrovoSpell
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['trovo:spell']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTrovoStreamOffline(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTrovoStreamOffline
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['trovo:stream_offline']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTrovoSubscribe(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTrovoSubscribe
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['trovo:subscribe']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTwitchBan(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTwitchBan
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['twitch:ban']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTwitchCheer(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTwitchCheer
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['twitch:cheer']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTwitchGiftSub(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTwitchGiftSub
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['twitch:gift_sub']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTwitchGoal(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTwitchGoal
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['twitch:goal']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTwitchGoalEnd(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTwitchGoalEnd
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['twitch:goal_end']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTwitchHypeTrain(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTwitchHypeTrain
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['twitch:hype_train']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTwitchHypeTrainEnd(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTwitchHypeTrainEnd
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['twitch:hype_train_end']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTwitchPoll(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTwitchPoll
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['twitch:poll']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTwitchPollEnd(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTwitchPollEnd
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['twitch:poll_end']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTwitchPrediction(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTwitchPrediction
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['twitch:prediction']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTwitchPredictionEnd(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTwitchPredictionEnd
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['twitch:prediction_end']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTwitchPredictionLock(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTwitchPredictionLock
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['twitch:prediction_lock']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTwitchRaid(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTwitchRaid
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['twitch:raid']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTwitchResub(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTwitchResub
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['twitch:resub']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTwitchReward(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTwitchReward
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['twitch:reward']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTwitchStreamOffline(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTwitchStreamOffline
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['twitch:stream_offline']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTwitchStreamUpdate(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTwitchStreamUpdate
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['twitch:stream_update']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTwitchSubscribe(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTwitchSubscribe
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['twitch:subscribe']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTwitchUnban(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTwitchUnban
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['twitch:unban']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventYoutubeMember(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataYoutubeMember
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['youtube:member']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventYoutubeMemberGift(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataYoutubeMemberGift
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['youtube:member_gift']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventYoutubeMemberMilestone(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataYoutubeMemberMilestone
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['youtube:member_milestone']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventYoutubeSuperchat(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataYoutubeSuperchat
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['youtube:superchat']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventYoutubeSupersticker(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataYoutubeSupersticker
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['youtube:supersticker']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventDataKickFollower(TypedDict):
    """
    What `kick:follower` carries.
    """

    followed_at: Timestamp | None
    user_id: str | None
    user_name: str | None


class EventDataKickStreamOnline(TypedDict):
    """
    What `kick:stream_online` carries.
    """

    broadcaster_id: str | None
    broadcaster_name: str | None
    started_at: Timestamp | None


class EventDataTrovoFollower(TypedDict):
    """
    What `trovo:follower` carries.
    """

    followed_at: Timestamp | None
    user_id: str | None
    user_name: str | None


class EventDataTrovoStreamOnline(TypedDict):
    """
    What `trovo:stream_online` carries.
    """

    broadcaster_id: str | None
    broadcaster_name: str | None
    started_at: Timestamp | None


class EventDataTwitchAdBreak(TypedDict):
    """
    What `twitch:ad_break` carries.
    """

    duration_seconds: int | None
    started_at: Timestamp | None


class EventDataTwitchFollower(TypedDict):
    """
    What `twitch:follower` carries.
    """

    followed_at: Timestamp | None
    user_id: str | None
    user_name: str | None


class EventDataTwitchStreamOnline(TypedDict):
    """
    What `twitch:stream_online` carries.
    """

    broadcaster_id: str | None
    broadcaster_name: str | None
    started_at: Timestamp | None


class EventDataYoutubeStreamOffline(TypedDict):
    """
    What `youtube:stream_offline` carries.
    """

    broadcast_id: str | None
    broadcaster_id: str | None
    broadcaster_name: str | None
    started_at: Timestamp | None
    title: str | None


class EventDataYoutubeStreamOnline(TypedDict):
    """
    What `youtube:stream_online` carries.
    """

    broadcast_id: str | None
    broadcaster_id: str | None
    broadcaster_name: str | None
    started_at: Timestamp | None
    title: str | None


class EventDataYoutubeSubscriber(TypedDict):
    """
    What `youtube:subscriber` carries.
    """

    subscribed_at: Timestamp | None
    user_id: str | None
    user_name: str | None


class ExchangeTokenInput(TypedDict):
    """
    An identity at a provider and the proof of it.
    """

    access_token: str
    """
    Access token that the provider issued to an application of this deployment.
    """
    profile: LoginProfile
    """
    Names of the person at the provider.
    """
    provider: Literal['twitch', 'google', 'kick', 'trovo', 'discord']
    """
    `twitch`, `google`, `discord`, `kick` or `trovo`.
    """
    provider_user_id: str
    """
    Id of the person at the provider.
    """


class ExchangedToken(TypedDict):
    """
    Pair of tokens of a new session.
    """

    expires_at: Timestamp
    """
    Time from which `token` no longer works.
    """
    is_new_user: bool
    """
    True when this sign-in created the user.
    """
    refresh_token: str
    """
    Refresh token, usable once at `POST /v1/auth/refresh`.
    """
    token: str
    """
    Session token for the `Authorization` header.
    """
    user_id: str
    """
    Id of the person.
    """


class ExecuteAutomationInput(TypedDict):
    """
    Start of an automation by hand.
    """

    input: NotRequired[Json | None]
    trigger_node_id: NotRequired[str | None]
    """
    Trigger node that starts; the first manual one when absent, else the first one.
    """


class ExtensionAccessGrant(TypedDict):
    """
    An account that may install an extension whatever its visibility.
    """

    account_id: str
    """
    Account.
    """
    account_name: str
    """
    Name of the account.
    """
    created_at: Timestamp
    """
    Time of the grant.
    """
    granted_by: NotRequired[str | None]
    """
    Person who made the grant; null when the person is gone.
    """


class ExtensionAutomationNode(TypedDict):
    """
    An automation node of an installed extension (docs/reference/automations.md#installed-nodes).
    """

    color: NotRequired[str | None]
    """
    Colour, or null.
    """
    extension_id: str
    """
    Extension of the node.
    """
    icon: NotRequired[str | None]
    """
    Icon, or null.
    """
    input_schema: NotRequired[Json | None]
    install_id: str
    """
    Install of the extension.
    """
    name: str
    """
    Display name.
    """
    node_type: AutomationNodeType
    """
    Role of the node in an automation.
    """
    output_schema: NotRequired[Json | None]
    trigger_mode: NotRequired[AutomationTriggerMode | None]


class ExtensionError(TypedDict):
    """
    A failed invocation.
    """

    account_id: str
    """
    Account of the install.
    """
    error_type: str
    """
    Type of the JavaScript error, or the exceeded limit.
    """
    id: str
    """
    Id.
    """
    install_id: str
    """
    Install whose handler failed.
    """
    message: str
    """
    Message, at most 4 KiB.
    """
    occurred_at: Timestamp
    """
    Time of the failure.
    """
    stack_trace: NotRequired[str | None]
    """
    Stack trace, or null.
    """


class ExtensionFeedback(TypedDict):
    """
    Feedback of a tester on a version.
    """

    body: str
    """
    Text.
    """
    category: FeedbackCategory
    """
    Subject.
    """
    created_at: Timestamp
    """
    Time of the feedback.
    """
    extension_id: str
    """
    Extension.
    """
    id: str
    """
    Id.
    """
    version: str
    """
    Semantic version.
    """


class ExtensionLimits(TypedDict):
    """
    Limits of an extension.
    """

    max_sounds: Int64
    """
    Maximum number of sounds of a version.
    """
    max_sounds_source: DeveloperLimitSource
    """
    Source of `max_sounds`.
    """


class ExtensionPricing(TypedDict):
    """
    Price of an extension.
    """

    amount: NotRequired[Int64 | None]
    currency: NotRequired[str | None]
    """
    `EUR`; null when it is free.
    """
    interval: NotRequired[str | None]
    """
    `monthly` for a subscription; null otherwise.
    """
    type: str
    """
    `free`, `one_time` or `subscription`.
    """


class ExtensionReview(TypedDict):
    """
    A review.
    """

    author: ReviewAuthor
    """
    Author.
    """
    body: str
    """
    Text; may be empty.
    """
    created_at: Timestamp
    """
    Time of the review.
    """
    developer_reply: NotRequired[str | None]
    """
    Reply of the developer, or null.
    """
    extension_id: str
    """
    Extension.
    """
    id: str
    """
    Id.
    """
    rating: int
    """
    1 to 5.
    """
    title: str
    """
    Title; may be empty.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """


class ExtensionStorage(TypedDict):
    """
    Shared storage of an install.
    """

    value: Json
    """
    JSON object; empty before the first change.
    """
    version: Int64
    """
    Number of changes; 0 before the first.
    """


class ExtensionSummary(TypedDict):
    """
    An extension in a list.
    """

    createdAt: Timestamp
    """
    Time of creation.
    """
    currentVersionId: NotRequired[str | None]
    """
    Version that new installs get; null before the first publication.
    """
    id: str
    """
    Id.
    """
    installCount: int
    """
    Number of installs.
    """
    name: str
    """
    Name.
    """
    slug: str
    """
    Slug.
    """
    status: str
    """
    `draft`, `in_review`, `testing`, `pending_publish`, `approved`, `rejected`, `suspended` or `archived`.
    """
    updatedAt: Timestamp
    """
    Time of the last change.
    """
    visibility: str
    """
    `private`, `unlisted`, `public` or `paid`.
    """


class ExtensionTester(TypedDict):
    """
    A tester of an extension.
    """

    avatar_url: NotRequired[str | None]
    """
    Address of the picture, or null.
    """
    created_at: Timestamp
    """
    Time of the invitation.
    """
    display_name: str
    """
    Display name.
    """
    user_id: str
    """
    Person.
    """
    username: str
    """
    Username.
    """


class ExtensionToken(TypedDict):
    """
    A token for a page of an extension. It opens the socket and uploads, and no other route.
    """

    expires_at: Timestamp
    """
    End of its validity.
    """
    token: str
    """
    `lm_ext_…`
    """


class FeatureFlag(TypedDict):
    """
    A feature flag.
    """

    category: FeatureCategory
    """
    Category of the flag.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    default_for_accounts: bool
    """
    Intention of staff for new plans. It has no effect by itself.
    """
    description: str
    """
    Description of what the flag switches.
    """
    globally_enabled: bool
    """
    False: the flag is off for every account, independent of plans and overrides.
    """
    id: str
    """
    Id of the flag.
    """
    key: str
    """
    Key as `category:name`.
    """
    label: str
    """
    Name of the flag.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """


class FireTrigger(TypedDict):
    """
    `POST /v1/internal/automation-triggers/fire`: a trigger handler returned `fired: true`
    (docs/reference/automations.md#trigger-result).
    """

    automation_id: str
    """
    Automation to start.
    """
    dedupe_key: str
    """
    Fires with the same key are one run. 1 to 200 characters.
    """
    install_id: str
    """
    Install of the trigger node.
    """
    keep: NotRequired[PollState | None]
    output: Any
    """
    Output of the handler. It must fit the output schema of the manifest.
    """
    registration_id: NotRequired[str | None]
    """
    Registration of the install in the automation; the first one when absent.
    """


class FlaggedConnection(TypedDict):
    """
    Connection that must be made again.
    """

    account_id: NotRequired[str | None]
    """
    Identifier of the account. Null for logins, which belong to a person.
    """
    flagged_at: Timestamp
    """
    Time of the flag.
    """
    id: str
    """
    Identifier of the connection.
    """
    kind: FlaggedConnectionKind
    """
    Kind of the connection.
    """
    platform: str
    """
    Slug of the platform.
    """


class FoundUser(TypedDict):
    """
    A person who is not a member.
    """

    avatar_url: NotRequired[str | None]
    """
    Address of the avatar; null when there is none.
    """
    connections: list[FoundUserConnection]
    """
    Names on platforms, without platforms for which sign-in is switched off.
    """
    display_name: str
    """
    Display name.
    """
    user_id: str
    """
    Id of the person.
    """
    username: str
    """
    User name.
    """


class GqlSendResult(TypedDict):
    """
    Result of sending.
    """

    error: NotRequired[str | None]
    """
    Reason of the failure; null on success.
    """
    error_code: NotRequired[SendErrorCode | None]
    message_id: NotRequired[str | None]
    """
    The platform's id of the message; null on Trovo, which returns none.
    """
    platform: str
    """
    Slug of the platform.
    """
    sent: bool
    """
    True when the platform accepted the message.
    """


class GqlUnifiedProfile(TypedDict):
    """
    Profile of a user who chats. Fields that the platform does not report are null.
    """

    account_created_at: NotRequired[Timestamp | None]
    avatar_url: NotRequired[str | None]
    """
    Address of the picture.
    """
    ban_reason: NotRequired[str | None]
    """
    Reason of the ban.
    """
    broadcaster_type: NotRequired[str | None]
    """
    Twitch: `partner`, `affiliate` or empty.
    """
    description: NotRequired[str | None]
    """
    Description that the user wrote on the platform.
    """
    display_name: NotRequired[str | None]
    """
    Name as the platform shows it.
    """
    enriched_at: NotRequired[Timestamp | None]
    first_seen_at: NotRequired[Timestamp | None]
    followed_at: NotRequired[Timestamp | None]
    is_banned: NotRequired[bool | None]
    """
    True when the user is banned from the channel.
    """
    is_follower: NotRequired[bool | None]
    """
    True when the user follows the account's channel.
    """
    is_moderator: NotRequired[bool | None]
    """
    True when the user is a moderator of the channel.
    """
    is_subscriber: NotRequired[bool | None]
    """
    True when the user subscribes to the account's channel, or is a member of it.
    """
    is_vip: NotRequired[bool | None]
    """
    True when the user is a VIP of the channel.
    """
    last_seen_at: NotRequired[Timestamp | None]
    message_count: Int64
    """
    Number of messages in the account's chat.
    """
    notes_count: Int64
    """
    Number of notes of the account's moderators.
    """
    platform: str
    """
    Slug of the platform.
    """
    platform_user_id: str
    """
    The platform's id of the user.
    """
    subscriber_tier: NotRequired[str | None]
    """
    Twitch: `1000`, `2000` or `3000`.
    """
    timeout_until: NotRequired[Timestamp | None]
    username: NotRequired[str | None]
    """
    Name in addresses.
    """


class HandlerMetrics(TypedDict):
    """
    Invocations of one handler.
    """

    avg_execution_ms: float
    """
    Average duration in milliseconds; 0 without invocations.
    """
    handler: str
    """
    Name of the export.
    """
    p99_execution_ms: float
    """
    99th percentile of the duration in milliseconds, exact to about an eighth.
    """
    total_errors: Int64
    """
    Number of failed invocations.
    """
    total_invocations: Int64
    """
    Number of invocations.
    """


class IdeaCategory(TypedDict):
    """
    Category of ideas.
    """

    color: str
    """
    Color: `#` and six hexadecimal digits.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    id: str
    """
    Identifier.
    """
    label: str
    """
    Displayed name.
    """
    name: str
    """
    Slug.
    """
    sort_order: int
    """
    Place in the list, from 0. Categories of the same place are ordered by name.
    """


class IdeaComment(TypedDict):
    """
    Comment on an idea.
    """

    author: IdeaAuthor
    """
    Author.
    """
    body: str
    """
    Sanitised HTML. Mentions are `span` elements with the attribute `data-mention-id`.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    id: str
    """
    Identifier.
    """
    idea_id: str
    """
    Idea.
    """
    my_vote: NotRequired[IdeaVoteType | None]
    parent_id: NotRequired[str | None]
    """
    Comment that this one replies to. Null: none.
    """
    replies: list[IdeaComment]
    """
    Replies, oldest first. A list of comments has at most 400: it may have only the first ones of each comment. A
    reply has none.
    """
    reply_count: int
    """
    Number of replies.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """
    vote_count_down: int
    """
    Number of votes against.
    """
    vote_count_up: int
    """
    Number of votes in favour.
    """


class IdeaTag(TypedDict):
    """
    Tag of ideas.
    """

    created_at: Timestamp
    """
    Time of creation.
    """
    created_by: NotRequired[str | None]
    """
    Person who made it. Null: the person is deleted.
    """
    id: str
    """
    Identifier.
    """
    name: str
    """
    Name: letters in lower case, digits and hyphens.
    """


class IdeaTimelineEntry(TypedDict):
    """
    Entry of a timeline.
    """

    action: IdeaTimelineAction
    """
    Change.
    """
    actor: NotRequired[IdeaAuthor | None]
    created_at: Timestamp
    """
    Time.
    """
    id: str
    """
    Identifier.
    """
    new_value: NotRequired[str | None]
    """
    New value of the same kind.
    """
    old_value: NotRequired[str | None]
    """
    Former value: status, name of the category, names of the tags, former title, or id of the deleted
    comment.
    """


class InstallEffective(TypedDict):
    """
    Effective state of an install.
    """

    reason: NotRequired[InstallStopReason | None]
    runs: bool
    """
    True when it runs.
    """


class InstallExtensionInput(TypedDict):
    """
    An extension to install.
    """

    config: NotRequired[Json | None]
    extension_id: str
    """
    Extension.
    """
    granted_permissions: list[str]
    """
    Exactly the permissions that the extension asks for: the account's consent.
    """


class InstallLog(TypedDict):
    """
    A line that a handler logged.
    """

    created_at: Timestamp
    """
    Time of the line.
    """
    execution_ms: NotRequired[int | None]
    """
    Duration of the invocation in milliseconds, or null.
    """
    id: str
    """
    Id.
    """
    level: InstallLogLevel
    """
    Importance.
    """
    message: str
    """
    Text, at most 4 KiB.
    """
    trigger_type: NotRequired[str | None]
    """
    Trigger that ran the handler, for example `command`; null when unknown.
    """


class Invite(TypedDict):
    """
    An invite to the account.
    """

    account_id: str
    """
    Account of the invite.
    """
    code: NotRequired[str | None]
    """
    Code of the invite. Null for callers without `members:create` or without every permission of the role,
    because every holder of the code can take the role.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    created_by: NotRequired[str | None]
    """
    Person who created the invite; null for one that a service key created.
    """
    email: NotRequired[str | None]
    """
    Address that the invite was mailed to; null when it was not mailed.
    """
    expires_at: NotRequired[Timestamp | None]
    id: str
    """
    Id of the invite.
    """
    max_uses: NotRequired[int | None]
    """
    Maximum number of uses; null when there is none.
    """
    method: InviteMethod
    """
    Method of delivery.
    """
    role: MemberRole
    """
    Role that a new member receives.
    """
    status: InviteStatus
    """
    Present status. The rights of the creator are not part of it.
    """
    target_user_id: NotRequired[str | None]
    """
    Person that an invite of the method `person` is for; null for others.
    """
    use_count: int
    """
    Number of uses.
    """


class InvitePreview(TypedDict):
    """
    Preview of an invite for holders of its code.
    """

    account_avatar_url: NotRequired[str | None]
    """
    Address of the account's avatar; null when there is none.
    """
    account_name: str
    """
    Name of the account.
    """
    expires_at: NotRequired[Timestamp | None]
    is_valid: bool
    """
    True when the invite can be taken.
    """
    role_name: str
    """
    Name of the role that a new member receives.
    """


class InvocationRecord(TypedDict):
    """
    Invocations of one handler of one install in one minute, counted by one worker.
    """

    bucket_minute: Timestamp
    count: int
    """
    Number of invocations.
    """
    duration_hist: DurationHistogram
    """
    Durations by class.
    """
    duration_ms_sum: float
    """
    Sum of the durations, in milliseconds.
    """
    errors: int
    """
    Failed invocations, included in `count`.
    """
    handler: str
    """
    Export that ran. At most 128 bytes.
    """
    id: str
    """
    Id made by the worker.
    """
    install_id: str
    """
    Install.
    """


class Invoice(TypedDict):
    """
    An invoice of the account.
    """

    amount: Int64
    """
    Amount in minor units of `currency`.
    """
    currency: str
    """
    Code of the currency, ISO 4217.
    """
    id: str
    """
    Id of the invoice.
    """
    issued_at: Timestamp
    """
    Time of issue.
    """
    number: str
    """
    Number of the invoice.
    """
    paid_at: NotRequired[Timestamp | None]


class JoinedAccount(TypedDict):
    """
    Account that a person has joined.
    """

    account_id: str
    """
    Id of the account.
    """
    account_name: str
    """
    Name of the account.
    """
    membership_id: str
    """
    Id of the new membership.
    """
    role: MemberRole
    """
    Role of the new member.
    """


class LastEvent(TypedDict):
    """
    Time of the last event of a type.
    """

    event_type: str
    """
    `chat:message`, `chat:delete_message`, `chat:clear_user`, `chat:clear`, or an event type such as
    `twitch:follower`.
    """
    last_event_at: Timestamp
    """
    Time at which it happened.
    """


class LimitRequest(TypedDict):
    """
    Request for a higher limit.
    """

    created_at: Timestamp
    """
    Time of the request.
    """
    current_value: Int64
    """
    Value at the time of the request.
    """
    developer_id: str
    """
    Developer profile.
    """
    extension_id: NotRequired[str | None]
    """
    Extension; null for the scope `developer`.
    """
    id: str
    """
    Identifier.
    """
    limit_key: str
    """
    Key of the limit.
    """
    reason: str
    """
    Reason of the developer.
    """
    requested_by: NotRequired[str | None]
    """
    Person who made the request; null when the person is gone.
    """
    requested_value: Int64
    """
    Requested value.
    """
    review_notes: NotRequired[str | None]
    """
    Notes of the decision. Null: none.
    """
    reviewed_at: NotRequired[Timestamp | None]
    reviewed_by: NotRequired[str | None]
    """
    Person who decided; null before a decision.
    """
    scope: LimitRequestScope
    """
    Subject.
    """
    status: LimitRequestStatus
    """
    Status.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """


class LimitRequestEvent(TypedDict):
    """
    Entry of the timeline of a request.
    """

    actor_id: NotRequired[str | None]
    """
    Person who acted; null when the person is gone.
    """
    created_at: Timestamp
    """
    Time of the event.
    """
    details: NotRequired[Json | None]
    event_type: str
    """
    `created`, `in_review`, `approved`, `rejected` or `comment`.
    """
    id: str
    """
    Identifier.
    """
    request_id: str
    """
    Request.
    """


class LimitedExtension(TypedDict):
    """
    An extension of a developer with its limits.
    """

    extension_id: str
    """
    Identifier of the extension.
    """
    extension_name: str
    """
    Name of the extension.
    """
    limits: ExtensionLimits
    """
    Limits.
    """


class LinkedDiscordGuild(TypedDict):
    """
    Linked server and its account.
    """

    account_id: str
    """
    Identifier of the account.
    """
    account_name: str
    """
    Name of the account.
    """
    connected_at: Timestamp
    """
    Time of linking.
    """
    guild_id: str
    """
    Id of the server at Discord.
    """
    icon_url: NotRequired[str | None]
    """
    Address of the icon. Null: none.
    """
    id: str
    """
    Identifier of the link.
    """
    name: str
    """
    Name of the server.
    """


class ListedSong(TypedDict):
    """
    Song in a list.
    """

    artist: str
    """
    Artist.
    """
    created_at: Timestamp
    """
    Time at which it was added.
    """
    id: str
    """
    Identifier.
    """
    isrc: NotRequired[str | None]
    """
    International Standard Recording Code without dashes. Null: not given.
    """
    spotify_track_id: NotRequired[str | None]
    """
    Id of the track at Spotify. Null: not given.
    """
    title: str
    """
    Title.
    """


class ListedAccount(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[Account]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedAccountArchive(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[AccountArchive]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedAccountFeatureOverride(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[AccountFeatureOverride]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedAccountPermissionOverride(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[AccountPermissionOverride]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedAccountRole(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[AccountRole]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedAccountServiceKey(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[AccountServiceKey]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedAdminPlan(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[AdminPlan]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedAdminProvider(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[AdminProvider]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedAdminRole(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[AdminRole]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedAdminRoleMember(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[AdminRoleMember]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedAdminSystemKey(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[AdminSystemKey]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedAppCredentials(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[AppCredentials]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedAutomationNodeTypeEntry(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[AutomationNodeTypeEntry]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedAutomationSummary(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[AutomationSummary]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedBillingPlan(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[BillingPlan]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedBotCommand(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[BotCommand]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedBotModule(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[BotModule]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedBotStatus(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[BotStatus]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedBundleFile(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[BundleFile]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedChannelStatus(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[ChannelStatus]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedChatMessage(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[ChatMessage]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedConnectionStatus(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[ConnectionStatus]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedCopyrightPlaylistSync(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[CopyrightPlaylistSync]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedDeveloperTeam(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[DeveloperTeam]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedDeveloperTeamInvite(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[DeveloperTeamInvite]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedDeveloperTeamMember(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[DeveloperTeamMember]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedDeveloperTeamRole(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[DeveloperTeamRole]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedDiscordGuild(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[DiscordGuild]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedExtensionAccessGrant(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[ExtensionAccessGrant]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedExtensionAutomationNode(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[ExtensionAutomationNode]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedExtensionError(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[ExtensionError]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedExtensionTester(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[ExtensionTester]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedFeatureFlag(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[FeatureFlag]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedFlaggedConnection(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[FlaggedConnection]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedFoundUser(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[FoundUser]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedIdeaCategory(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[IdeaCategory]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedIdeaComment(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[IdeaComment]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedIdeaTag(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[IdeaTag]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedIdeaTimelineEntry(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[IdeaTimelineEntry]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedInstallLog(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[InstallLog]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedInvite(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[Invite]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedInvoice(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[Invoice]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedLimitRequestEvent(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[LimitRequestEvent]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedNotificationPreference(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[NotificationPreference]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedPlatformCredentialMode(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[PlatformCredentialMode]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedSpotifyPlaylist(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[SpotifyPlaylist]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedSpotifyTrack(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[SpotifyTrack]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedUserApiKey(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[UserApiKey]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedUserPermissionOverride(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[UserPermissionOverride]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedUserRole(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[UserRole]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedUserRoleAssignment(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[UserRoleAssignment]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedUserRoleMember(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[UserRoleMember]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedWatchlistEntry(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[WatchlistEntry]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedWebhookEndpoint(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[WebhookEndpoint]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedWidget(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[Widget]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedWidgetAccessEntry(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[WidgetAccessEntry]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class LogRecord(TypedDict):
    """
    A line of an install's log.
    """

    created_at: Timestamp
    execution_ms: NotRequired[int | None]
    """
    Duration of the invocation in milliseconds, or null.
    """
    id: str
    """
    Id made by the worker.
    """
    install_id: str
    """
    Install.
    """
    level: LogLevel
    """
    Importance.
    """
    message: str
    """
    At most 4 KiB.
    """
    trigger_type: NotRequired[str | None]
    """
    Trigger that ran the handler: `command`, `keyword`, `pattern`, `moderate`, `event`, `timer`,
    `function` …
    """


class LoginAssignment(TypedDict):
    """
    Login connection through which a member writes in the account.
    """

    assigned_at: Timestamp
    login_connection_id: str
    provider: str
    """
    Slug of the platform.
    """
    user_id: str


class LoginConnection(TypedDict):
    """
    An identity that a person signs in with. The tokens of the provider are never included.
    """

    avatar_url: NotRequired[str | None]
    """
    Address of the avatar; null when unknown.
    """
    confirmed: bool
    """
    False for one that an API key linked. It cannot sign in and has no effect until a session of the
    person confirms it by the notification `login_linked`. It ends after 24 hours.
    """
    created_at: Timestamp
    """
    Time of linking.
    """
    display_name: str
    """
    Display name at the provider.
    """
    id: str
    """
    Id of the login connection.
    """
    is_primary_for: list[str]
    """
    Accounts that have this as their primary connection.
    """
    provider: str
    """
    Slug of the platform.
    """
    provider_user_id: str
    """
    Id of the person at the provider.
    """
    reconnect_required: bool
    """
    True when the platform no longer accepts its token.
    """
    username: str
    """
    User name at the provider.
    """


class Member(TypedDict):
    """
    A member of the account.
    """

    avatar_url: NotRequired[str | None]
    """
    Address of the person's avatar; null when there is none.
    """
    display_name: str
    """
    Display name of the person.
    """
    email: NotRequired[str | None]
    """
    E-mail address of the person. Null when there is none and for callers without `members:edit`.
    """
    is_owner: bool
    """
    True for the owner of the account.
    """
    joined_at: Timestamp
    """
    Time at which the person joined.
    """
    membership_id: str
    """
    Id of the membership.
    """
    role: MemberRole
    """
    Role of the member.
    """
    user_id: str
    """
    Id of the person.
    """


class Membership(TypedDict):
    """
    A person's membership of an account.
    """

    account_id: str
    """
    Id of the account.
    """
    account_name: str
    """
    Name of the account.
    """
    avatar_url: NotRequired[str | None]
    """
    Address of the avatar of the account's primary login, else of its owner; null when there is none.
    """
    is_owner: bool
    """
    True when the person owns the account.
    """
    joined_at: Timestamp
    """
    Time at which the person joined.
    """
    plan_slug: str
    """
    Slug of the account's plan.
    """
    role: MembershipRole
    """
    Role of the person in the account.
    """


class MembershipTier(TypedDict):
    """
    Tier of the channel's memberships, as collected from the chat.
    """

    badge_url: NotRequired[str | None]
    """
    Address of the badge; null when unknown.
    """
    duration_unit: NotRequired[str | None]
    """
    `MONTH`, `MONTHS`, `YEAR` or `YEARS`.
    """
    duration_value: NotRequired[int | None]
    """
    Duration of the membership that the badge shows.
    """
    first_seen_at: Timestamp
    """
    Time at which it was first seen.
    """
    last_seen_at: Timestamp
    """
    Time at which it was last seen.
    """
    member_months_min: NotRequired[int | None]
    """
    The same in months; 0 for new members.
    """
    sort_order: int
    """
    Position among the tiers, from 0.
    """
    tier_name: str
    """
    Name of the tier.
    """
    tooltip: str
    """
    Text of the badge, for example `Member (6 months)`.
    """


class MetricsBucket(TypedDict):
    """
    Invocations within one hour.
    """

    avg_execution_ms: float
    """
    Average duration in milliseconds; 0 without invocations.
    """
    bucket: Timestamp
    """
    Start of the hour.
    """
    total_errors: Int64
    """
    Number of failed invocations.
    """
    total_invocations: Int64
    """
    Number of invocations.
    """


class Moderator(TypedDict):
    """
    Caller of a moderation.
    """

    display_name: NotRequired[str | None]
    """
    Name; null when the user, key, extension or automation no longer exists.
    """
    id: NotRequired[str | None]
    """
    Id of the user, key, extension or automation; null for the system.
    """
    type: ModeratorType
    """
    Kind of the caller.
    """


class MusicSong(TypedDict):
    """
    Song of the public directory.
    """

    artist: str
    """
    Artist.
    """
    created_at: Timestamp
    """
    Time of the decision.
    """
    id: str
    """
    Identifier.
    """
    isrc: NotRequired[str | None]
    """
    International Standard Recording Code without dashes. Null: unknown.
    """
    spotify_track_id: NotRequired[str | None]
    """
    Id of the track at Spotify. Null: unknown.
    """
    status: CopyrightStatus
    """
    Status.
    """
    title: str
    """
    Title.
    """


class Notification(TypedDict):
    """
    Notification of a person.
    """

    actions: list[NotificationAction]
    """
    Actions that the notification offers.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    data: Json
    """
    Data for the client, by type; that of an invite has `inviteId`.
    """
    id: str
    """
    Identifier.
    """
    message: str
    """
    Text.
    """
    read_at: NotRequired[Timestamp | None]
    title: str
    """
    Title.
    """
    type: str
    """
    Type, for example `invite`.
    """
    user_id: str
    """
    Recipient.
    """


class NotificationList(TypedDict):
    """
    Notifications and the number of unread ones.
    """

    items: list[Notification]
    """
    Notifications, newest first.
    """
    unread_count: int
    """
    Number of unread notifications among all of the person, not only the listed ones.
    """


class OauthClient(TypedDict):
    """
    Application whose hosts are allowed as return addresses after a connection.
    """

    allowed_hosts: list[str]
    """
    Host names, with a port unless it is the default one.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    id: str
    """
    Identifier.
    """
    is_active: bool
    """
    False: the hosts are not allowed.
    """
    name: str
    """
    Name.
    """
    redirect_uris: list[str]
    """
    Absolute addresses.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """


class ObsConfig(TypedDict):
    """
    Address of the OBS of an account. Without a stored configuration: the defaults, and no times.
    """

    created_at: NotRequired[Timestamp | None]
    has_password: bool
    """
    True when a password is stored.
    """
    port: int
    """
    Port of obs-websocket.
    """
    remote_enabled: bool
    """
    True when the service connects to OBS itself; false when a page of the account does.
    """
    remote_host: NotRequired[str | None]
    """
    Host that the service connects to: a name or an address. Null: none.
    """
    updated_at: NotRequired[Timestamp | None]


class ObsRemoteStatus(TypedDict):
    """
    State of an OBS as the service knows it.
    """

    connected: bool
    """
    True while the service is connected.
    """
    current_scene: NotRequired[str | None]
    """
    Scene on air. Null: not known.
    """
    error: NotRequired[str | None]
    """
    Reason why it is not. Null: it is, it has not tried yet, or it does not have to.
    """
    record: ObsRecordState
    """
    The recording.
    """
    scenes: list[str]
    """
    Names of the scenes, at most 500.
    """
    stream: ObsStreamState
    """
    The stream.
    """
    updated_at: NotRequired[Timestamp | None]


class ObsStatus(TypedDict):
    """
    Connection of the service to an OBS.
    """

    configured: bool
    """
    True when a configuration is stored.
    """
    connected: bool
    """
    True while the service is connected.
    """
    current_scene: NotRequired[str | None]
    """
    Scene on air. Null: unknown.
    """
    error: NotRequired[str | None]
    """
    Reason why it is not connected. Null: it is, it has not tried yet, or it does not have to.
    """
    recording: bool
    """
    True while OBS records.
    """
    remote_enabled: bool
    """
    True when the service connects to OBS itself; false when a page of the account does.
    """
    streaming: bool
    """
    True while OBS streams.
    """
    updated_at: NotRequired[Timestamp | None]


class Overlay(TypedDict):
    """
    Overlay: a page of layers that a browser source shows.
    """

    account_id: str
    """
    Account.
    """
    background: str
    """
    `transparent` or a CSS color.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    height: int
    """
    Height in pixels.
    """
    id: str
    """
    Identifier.
    """
    key: str
    """
    Part of the address of its page: 12 letters, digits, `-` or `_`.
    """
    layer_count: int
    """
    Number of layers.
    """
    my_access: str
    """
    Present use by the caller: `viewer` reads, `editor` reads and changes.
    """
    name: str
    """
    Name.
    """
    thumbnail_upload_id: NotRequired[str | None]
    """
    Upload with a picture of the overlay. Null: none.
    """
    updated_at: Timestamp
    """
    Time of the last change of the overlay or of its layers.
    """
    version: int
    """
    Number of the present state. Each change of the overlay or of its layers adds one.
    """
    width: int
    """
    Width in pixels.
    """


class OverlayAccessEntry(TypedDict):
    """
    Role of a member for an overlay.
    """

    created_at: Timestamp
    """
    Time of creation.
    """
    granted_by: NotRequired[str | None]
    """
    Person who set the role last. Null: a service key, or the person is gone.
    """
    id: str
    """
    Identifier.
    """
    overlay_id: str
    """
    Overlay.
    """
    role: str
    """
    `viewer` or `editor`; `none` in the response to its removal.
    """
    user_avatar: NotRequired[str | None]
    """
    Address of the member's avatar. Null: none.
    """
    user_id: str
    """
    Member.
    """
    user_name: str
    """
    Display name of the member.
    """


class OverlayLayer(TypedDict):
    """
    Layer of an overlay.
    """

    config: Json
    """
    Settings of the layer, by its type.
    """
    height: float
    """
    Height in pixels.
    """
    id: str
    """
    Identifier.
    """
    install_id: NotRequired[str | None]
    """
    Install of the extension that draws the layer. Null for other types.
    """
    locked: bool
    """
    True when editors do not move it by accident. Changes through the API stay possible.
    """
    name: str
    """
    Name.
    """
    opacity: float
    """
    Opacity, from 0 to 1.
    """
    overlay_id: str
    """
    Overlay.
    """
    rotation: float
    """
    Rotation in degrees, clockwise.
    """
    sort_order: int
    """
    Place among the layers, from 0: later ones are in front.
    """
    type: OverlayLayerType
    """
    Content of the layer.
    """
    visible: bool
    """
    False when the page does not show it.
    """
    width: float
    """
    Width in pixels.
    """
    x: float
    """
    Distance from the left edge, in pixels.
    """
    y: float
    """
    Distance from the upper edge, in pixels.
    """


class OverlayLayerInput(TypedDict):
    """
    Layer of an overlay as an editor saves it.
    """

    config: NotRequired[Json | None]
    height: float
    """
    More than 0, at most 7,680 pixels.
    """
    id: NotRequired[str | None]
    """
    Layer of the overlay that keeps its identity. Null or absent: a new layer.
    """
    install_id: NotRequired[str | None]
    """
    Install of the account, whose extension has a layer. For the type `extension` only, which needs it.
    """
    locked: NotRequired[bool | None]
    """
    False when absent.
    """
    name: str
    """
    1 to 100 characters.
    """
    opacity: NotRequired[float | None]
    """
    0 to 1; 1 when absent.
    """
    rotation: NotRequired[float | None]
    """
    -360 to 360 degrees; 0 when absent.
    """
    type: OverlayLayerType
    """
    Content of the layer.
    """
    visible: NotRequired[bool | None]
    """
    True when absent.
    """
    width: float
    """
    More than 0, at most 7,680 pixels.
    """
    x: NotRequired[float | None]
    """
    -100,000 to 100,000 pixels from the left edge; 0 when absent.
    """
    y: NotRequired[float | None]
    """
    -100,000 to 100,000 pixels from the upper edge; 0 when absent.
    """


class OverlayShare(TypedDict):
    """
    Share of an overlay that has not ended.
    """

    created_at: Timestamp
    """
    Time of creation.
    """
    created_by: NotRequired[OverlayShareCreator | None]
    expires_at: Timestamp
    """
    End.
    """
    id: str
    """
    Identifier.
    """
    label: NotRequired[str | None]
    """
    Label. Null: none.
    """
    overlay_id: str
    """
    Overlay.
    """
    token_prefix: str
    """
    Display prefix of the token.
    """


class OverlayToken(TypedDict):
    """
    Token of the page of an overlay. It opens the overlay's channel of the socket and nothing else.
    """

    created_at: Timestamp
    """
    Time of creation.
    """
    token: str
    """
    Text of the token, `lm_overlay_…`.
    """
    token_prefix: str
    """
    Display prefix.
    """
    url: str
    """
    Address of the page with the token in its fragment, for a browser source.
    """


class PlanLimit(TypedDict):
    """
    A limit of an account and its use.
    """

    key: PlanLimitKey
    """
    Kind of limit.
    """
    limit: Int64
    """
    Effective value. 2147483647 means unlimited for numbers and days, not for bytes.
    """
    source: PlanLimitSource
    """
    Source of the value.
    """
    used: NotRequired[Int64 | None]


class PlatformUser(TypedDict):
    """
    User who chatted.
    """

    avatar_url: NotRequired[str | None]
    """
    Address of the picture; null when unknown.
    """
    display_name: str
    """
    Last name as the platform shows it.
    """
    last_seen_at: Timestamp
    """
    Time of the last message.
    """
    message_count: Int64
    """
    Number of messages in the account's chat.
    """
    platform: str
    """
    Slug of the platform.
    """
    platform_user_id: str
    """
    The platform's id of the user.
    """
    username: str
    """
    Last name in addresses.
    """


class Poll(TypedDict):
    """
    Poll among viewers.
    """

    account_id: str
    """
    Account of the channel.
    """
    choices: list[PollChoice]
    """
    Choices in their order.
    """
    ended_at: NotRequired[Timestamp | None]
    ends_at: Timestamp
    """
    Time of its end without a call.
    """
    id: str
    """
    Id of the poll.
    """
    platform: str
    """
    `twitch`.
    """
    platform_poll_id: str
    """
    The platform's id of the poll.
    """
    started_at: Timestamp
    """
    Time of the start.
    """
    status: PollStatus
    """
    State.
    """
    title: str
    """
    Question.
    """
    winning_choice_id: NotRequired[str | None]
    """
    The platform's id of the winner; null until the end, and for a tie or without votes.
    """


class PollFeed(TypedDict):
    """
    `GET /v1/internal/automation-triggers/polls`, by id.
    """

    next: NotRequired[str | None]
    """
    `after` of the next page; null on the last.
    """
    registrations: list[PollRegistration]
    """
    Registrations of this page.
    """


class PopoutSession(TypedDict):
    """
    The session of a popout.
    """

    account_id: str
    """
    Account that the popout acts in.
    """
    expires_at: Timestamp
    """
    Time from which `token` no longer works.
    """
    token: str
    """
    Session token for the `Authorization` header. The answer also sets it as a cookie.
    """


class PopoutToken(TypedDict):
    """
    A popout token, without its text.
    """

    account_id: str
    """
    Owning account.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    expires_at: NotRequired[Timestamp | None]
    id: str
    """
    Id of the token.
    """
    label: NotRequired[str | None]
    """
    Name of the token; null when it has none.
    """
    last_used_at: NotRequired[Timestamp | None]
    permissions: list[str]
    """
    Permissions of the account, each by name.
    """
    token_prefix: str
    """
    Prefix of the kind and the first characters of the token, for display.
    """
    user_id: str
    """
    Member that the token acts for. Its permissions never exceed the member's present ones.
    """


class PopoutTokenChanges(TypedDict):
    """
    Changes of a popout token. Absent fields stay as they are.
    """

    expires_at: NotRequired[Timestamp | None]
    label: NotRequired[str | None]
    """
    New label, at most 100 characters; null removes it.
    """
    permissions: NotRequired[list[str] | None]
    """
    New permissions: 1 to 123 of the account, each by name.
    """
    user_id: NotRequired[str | None]
    """
    Member that the token acts for.
    """


class Prediction(TypedDict):
    """
    Prediction among viewers.
    """

    account_id: str
    """
    Account of the channel.
    """
    ended_at: NotRequired[Timestamp | None]
    id: str
    """
    Id of the prediction.
    """
    locks_at: Timestamp
    """
    Time at which it locks without a call, or was locked.
    """
    outcomes: list[PredictionOutcome]
    """
    Outcomes in their order.
    """
    platform: str
    """
    `twitch`.
    """
    platform_prediction_id: str
    """
    The platform's id of the prediction.
    """
    started_at: Timestamp
    """
    Time of the start.
    """
    status: PredictionStatus
    """
    State.
    """
    title: str
    """
    Question.
    """
    winning_outcome_id: NotRequired[str | None]
    """
    The platform's id of the outcome that occurred; null unless it is resolved.
    """


class PresentLimit(TypedDict):
    """
    A limit with what is left of it.
    """

    limit: Int64
    """
    Highest value. 2147483647 means unlimited for objects and days that a plan states, not for bytes.
    """
    name: str
    """
    Name of the limit.
    """
    remaining: NotRequired[Int64 | None]
    resets_at: NotRequired[Timestamp | None]
    scope: PresentLimitScope
    """
    Holder of the limit.
    """
    source: PresentLimitSource
    """
    Source of the limit.
    """
    unit: str
    """
    `requests`, `objects`, `bytes` or `days`; of a budget also `milliseconds`, `fetches` or `messages`.
    """
    used: NotRequired[Int64 | None]
    window_secs: NotRequired[int | None]
    """
    Length of the window in seconds. Null for a limit that is not per time.
    """


class PublicChannel(TypedDict):
    """
    Channel in the directory.
    """

    avatar_url: NotRequired[str | None]
    """
    Address of the picture. Null: not known.
    """
    avg_viewers: float
    """
    Average of the viewers in the range; 0 when the channel was not on air.
    """
    channel_display_name: NotRequired[str | None]
    """
    Displayed name. Null: not known.
    """
    channel_login: NotRequired[str | None]
    """
    Login name. Null: not known.
    """
    current_game: NotRequired[str | None]
    """
    Present game. Null: it is not on air, or has none.
    """
    current_viewers: NotRequired[Int64 | None]
    followers: NotRequired[Int64 | None]
    hours_streamed: float
    """
    Hours on air in the range.
    """
    is_live: bool
    """
    True while the channel is on air.
    """
    language: NotRequired[str | None]
    """
    Language. Null: not known.
    """
    last_streamed_at: NotRequired[Timestamp | None]
    peak_viewers: Int64
    """
    Peak of the viewers in the range; 0 when the channel was not on air.
    """
    platform: str
    """
    `twitch`, `youtube`, `kick` or `trovo`.
    """
    platform_channel_id: str
    """
    The platform's id of the channel.
    """
    source: str
    """
    `first_party` when an account has connected the channel, else `external_crawler`.
    """


class PublicChannelSettings(TypedDict):
    """
    Settings of an account for one of its channels.
    """

    channel_name: NotRequired[str | None]
    """
    Login name of the channel.
    """
    is_public: bool
    """
    False: the channel is in no public list.
    """
    opted_out_via: NotRequired[str | None]
    """
    Place where the account opted out: `settings`. Null: it has not.
    """
    platform: str
    """
    `twitch`, `youtube`, `kick` or `trovo`.
    """
    platform_channel_id: str
    """
    The platform's id of the channel.
    """
    show_top_chatters: bool
    """
    True when the names of the top chatters of its streams are public.
    """
    updated_at: NotRequired[Timestamp | None]


class PublicChannelTrends(TypedDict):
    """
    Followers and viewers of a channel by day, oldest first.
    """

    avg_viewer_series: list[PublicAverageDay]
    """
    Days on which the channel was on air.
    """
    follower_series: list[PublicFollowerDay]
    """
    Days with a known number of followers.
    """


class PublicDeveloperExtension(TypedDict):
    """
    Listed extension of a developer.
    """

    category: NotRequired[str | None]
    """
    `widget`, `bot_module`, `automation_node`, `theme` or `integration`.
    """
    description: str
    """
    Short description.
    """
    icon_key: NotRequired[str | None]
    """
    Path of an image in the bundle. Null: none.
    """
    id: str
    """
    Identifier.
    """
    install_count: int
    """
    Number of installs.
    """
    name: str
    """
    Name.
    """
    pricing_amount: NotRequired[Int64 | None]
    pricing_currency: NotRequired[str | None]
    """
    `EUR`; null when it is free.
    """
    pricing_type: str
    """
    `free`, `one_time` or `subscription`.
    """
    published_at: NotRequired[Timestamp | None]
    rating_avg: float
    """
    Average of the ratings, 1 to 5; 0 without ratings.
    """
    rating_count: int
    """
    Number of ratings.
    """
    short_id: str
    """
    Short id of eight characters.
    """
    slug: str
    """
    Slug.
    """


class PublicDeveloperProfile(TypedDict):
    """
    Profile of a developer as everyone sees it.
    """

    avatar_key: NotRequired[str | None]
    """
    Id of the upload with the picture. Null: none.
    """
    avatar_url: NotRequired[str | None]
    """
    Address of the picture, valid for an hour. Null: none.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    description: NotRequired[str | None]
    """
    Description. Null: none.
    """
    display_name: str
    """
    Name.
    """
    extensions: list[PublicDeveloperExtension]
    """
    Listed extensions, most installs first: at most 100.
    """
    github_url: NotRequired[str | None]
    """
    Address at GitHub. Null: none.
    """
    id: str
    """
    Identifier.
    """
    slug: str
    """
    Slug.
    """
    stats: PublicDeveloperStats
    """
    Figures over the listed extensions.
    """
    website_url: NotRequired[str | None]
    """
    Address of the website. Null: none.
    """


class PublicEmote(TypedDict):
    """
    Emote in the catalogue.
    """

    animated: bool
    """
    True for a moving picture.
    """
    channel_count: Int64
    """
    Number of channels in whose chat it was used in the range.
    """
    emote_id: str
    """
    The provider's id.
    """
    first_seen_at: Timestamp
    """
    Time of the first observation.
    """
    name: str
    """
    Code in messages.
    """
    provider: str
    """
    `twitch`, `7tv`, `bttv`, `ffz`, `youtube` or `kick`.
    """
    url: NotRequired[str | None]
    """
    Address of the picture. Null: not known.
    """
    usage_count: Int64
    """
    Number of times that it was used in the range.
    """


class PublicPanel(TypedDict):
    """
    Panel below a channel.
    """

    content: str
    """
    Text of the panel.
    """
    first_seen_at: Timestamp
    """
    Time of the first observation.
    """
    images: list[str]
    """
    Addresses of its pictures.
    """
    last_seen_at: Timestamp
    """
    Time of the last observation.
    """
    panel_id: str
    """
    The platform's id of the panel.
    """
    removed_at: NotRequired[Timestamp | None]
    status: str
    """
    `active` or `removed`.
    """


class PublicProfileChange(TypedDict):
    """
    Change of a channel's profile.
    """

    change_type: str
    """
    `bio`, `link` or `team`.
    """
    changed_at: Timestamp
    """
    Time at which the change was observed.
    """
    new_value: NotRequired[str | None]
    """
    Value afterwards. Null: it was removed.
    """
    old_value: NotRequired[str | None]
    """
    Value before. Null: there was none.
    """


class PublicRecentStream(TypedDict):
    """
    Stream in the list of its channel.
    """

    avg_viewers: NotRequired[float | None]
    """
    Average of the viewers. Null: not known.
    """
    broadcast_id: str
    """
    The platform's id of the broadcast.
    """
    category: NotRequired[str | None]
    """
    Last category. Null: not known.
    """
    duration_secs: NotRequired[Int64 | None]
    ended_at: NotRequired[Timestamp | None]
    peak_viewers: NotRequired[Int64 | None]
    started_at: Timestamp
    """
    Start.
    """
    title: NotRequired[str | None]
    """
    Last title. Null: not known.
    """
    total_messages: Int64
    """
    Number of chat messages.
    """


class PublicStreamStats(TypedDict):
    """
    Figures of a stream.
    """

    avg_viewers: NotRequired[float | None]
    """
    Average of the viewers. Null: not known.
    """
    broadcast_id: str
    """
    The platform's id of the broadcast.
    """
    category: NotRequired[str | None]
    """
    Last category. Null: not known.
    """
    channel_display_name: NotRequired[str | None]
    """
    Displayed name of the channel. Null: not known.
    """
    duration_secs: NotRequired[Int64 | None]
    emote_count: Int64
    """
    Number of emotes in chat messages.
    """
    ended_at: NotRequired[Timestamp | None]
    gif_count: Int64
    """
    Number of GIFs in chat messages.
    """
    language: NotRequired[str | None]
    """
    Language. Null: not known.
    """
    peak_viewers: NotRequired[Int64 | None]
    platform: str
    """
    `twitch`, `youtube`, `kick` or `trovo`.
    """
    platform_channel_id: str
    """
    The platform's id of the channel.
    """
    source: str
    """
    `first_party` when the figures are of an account that has connected the channel, else
    `external_crawler`.
    """
    started_at: Timestamp
    """
    Start.
    """
    title: NotRequired[str | None]
    """
    Last title. Null: not known.
    """
    top_chatters: NotRequired[list[PublicStreamChatter] | None]
    """
    People who wrote most, at most 20. Null: an account that has connected the channel does not allow their
    names, or none has connected it.
    """
    top_emotes: list[PublicStreamEmote]
    """
    Most used emotes, at most 20.
    """
    top_gifs: list[PublicStreamGif]
    """
    Most used GIFs, at most 20.
    """
    total_messages: Int64
    """
    Number of chat messages.
    """


class PublicTeamExtension(TypedDict):
    """
    Listed extension of a team.
    """

    category: NotRequired[str | None]
    """
    `widget`, `bot_module`, `automation_node`, `theme` or `integration`.
    """
    description: str
    """
    Short description.
    """
    icon_key: NotRequired[str | None]
    """
    Path of an image in the bundle, or null.
    """
    id: str
    """
    Id.
    """
    install_count: int
    """
    Number of installs.
    """
    name: str
    """
    Name.
    """
    pricing_amount: NotRequired[Int64 | None]
    pricing_currency: NotRequired[str | None]
    """
    `EUR`; null when it is free.
    """
    pricing_type: str
    """
    `free`, `one_time` or `subscription`.
    """
    published_at: NotRequired[Timestamp | None]
    rating_avg: float
    """
    Average of the ratings, 1 to 5; 0 without ratings.
    """
    rating_count: int
    """
    Number of ratings.
    """
    short_id: str
    """
    Short id of eight characters.
    """
    slug: str
    """
    Slug.
    """


class Raid(TypedDict):
    """
    Raid that waits for its departure.
    """

    platform: str
    """
    `twitch`.
    """
    started_at: Timestamp
    """
    Time of the start.
    """
    status: str
    """
    `started`
    """
    target: str
    """
    Name of the target channel in addresses of the platform.
    """
    target_id: str
    """
    The platform's id of the target channel.
    """
    target_name: str
    """
    Name of the target channel as the platform shows it.
    """


class ReadinessReport(TypedDict):
    """
    Readiness of the process.
    """

    reasons: list[UnreadyReason]
    """
    Empty when it is ready.
    """
    status: ReadinessStatus


class ReceivedEvent(TypedDict):
    """
    Last event of a type.
    """

    event_type: str
    """
    `chat:message`, `chat:delete_message`, `chat:clear_user`, `chat:clear`, or an event type such as
    `twitch:follower`.
    """
    received_at: Timestamp
    """
    Time of the event.
    """


class RefreshedToken(TypedDict):
    """
    Next pair of tokens of a session.
    """

    expires_at: Timestamp
    """
    Time from which `token` no longer works.
    """
    refresh_token: str
    """
    Refresh token, usable once at `POST /v1/auth/refresh`.
    """
    token: str
    """
    Session token for the `Authorization` header.
    """
    user_id: str
    """
    Id of the person.
    """


class ResolvedUserPermissions(TypedDict):
    """
    Effective permissions of a person, with their sources.
    """

    account_overrides: list[AccountPermissionOverride]
    """
    Overrides of the person's active account. Empty without one.
    """
    overrides: list[UserPermissionOverride]
    """
    Overrides of the person.
    """
    permissions: list[str]
    """
    Permissions of the roles after the overrides of the person and those of the active account, sorted.
    """
    roles: list[str]
    """
    Slugs of the assigned roles, or of the default role when none is assigned.
    """


class ReviewVersion(TypedDict):
    """
    A version in the list of reviewers.
    """

    approvals: int
    """
    Number of reviewers who approved it.
    """
    approved_at: NotRequired[Timestamp | None]
    awaits_listing: bool
    """
    True when its developer made the extension public and a reviewer must publish the version once more to
    list it.
    """
    breaking: bool
    """
    True when accounts must accept it.
    """
    bundle_size_bytes: Int64
    """
    Size of the archive in bytes.
    """
    changelog: str
    """
    Changes, as the developer describes them.
    """
    extension_id: str
    """
    Extension.
    """
    extension_name: str
    """
    Name of the extension.
    """
    extension_slug: str
    """
    Slug of the extension.
    """
    id: str
    """
    Id.
    """
    needs_enhanced_review: bool
    """
    True when two different reviewers must publish it.
    """
    review_notes: NotRequired[str | None]
    """
    Notes of the last rejection or revocation, or null.
    """
    status: ExtensionVersionStatus
    """
    Status.
    """
    submitted_at: Timestamp
    """
    Time of the last submission for review.
    """
    version: str
    """
    Semantic version.
    """


class ReviewVersionDetail(TypedDict):
    """
    A version with all data of its review.
    """

    egress_hosts: ReviewDiff
    """
    Hosts, compared with the last approved version.
    """
    egress_ports: ReviewDiff
    """
    Ports, compared with the last approved version.
    """
    files: list[ReviewFile]
    """
    Files of the bundle.
    """
    manifest: Json
    """
    `lumio.config.json` as it was uploaded.
    """
    permissions: ReviewDiff
    """
    Permissions, compared with the last approved version.
    """
    source_key: NotRequired[str | None]
    """
    Key of the archive of the sources in the object store; null when there is none.
    """
    version: ReviewVersion
    """
    Version.
    """


class ReviewedExtension(TypedDict):
    """
    An extension as reviewers see it.
    """

    current_version: NotRequired[str | None]
    """
    Version that new installs get; null when no version is published.
    """
    id: str
    """
    Id.
    """
    name: str
    """
    Name.
    """
    slug: str
    """
    Slug.
    """
    status: str
    """
    `draft`, `in_review`, `testing`, `pending_publish`, `approved`, `rejected`, `suspended` or `archived`.
    """
    suspended_at: NotRequired[Timestamp | None]
    suspension_reason: NotRequired[str | None]
    """
    Reason of the suspension; null when it is not suspended.
    """
    visibility: str
    """
    `private`, `unlisted`, `public`, `paid` or `system`.
    """


class Reward(TypedDict):
    """
    Reward of channel points.
    """

    account_id: str
    """
    Identifier of the account.
    """
    action: dict[str, Any]
    """
    Action of a redemption: `{}` or `{ type: none }`, `{ type: automation, automation_id }`,
    `{ type: sound, sound_id, volume }`, `{ type: chat, template }`,
    `{ type: layer, layer_id, visible, duration_secs }`.
    """
    cost: int
    """
    Price in channel points.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    enabled: bool
    """
    True when a redemption runs the action.
    """
    id: str
    """
    Identifier.
    """
    platform: str
    """
    `twitch` or `kick`.
    """
    platform_reward_id: str
    """
    The platform's id of the reward.
    """
    title: str
    """
    Displayed text.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """


class RewardRedemptionInput(TypedDict):
    """
    Redemption of a reward.
    """

    account_id: str
    """
    Account of the reward.
    """
    cost: int
    """
    Points that the viewer spent.
    """
    input: str
    """
    Text that the viewer entered, at most 500 characters; empty without one.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the viewer, at most 255 characters; null when it is not known.
    """
    redeemed_at: Timestamp
    """
    Time of the redemption.
    """
    redemption_id: str
    """
    The platform's id of the redemption, 1 to 128 characters.
    """
    user_name: str
    """
    Display name of the viewer, at most 255 characters.
    """


class RunExtensionActionInput(TypedDict):
    """
    Action of a handler.
    """

    action: Literal['chat:send', 'chat:delete', 'chat:ban', 'chat:unban', 'chat:timeout', 'events:emit', 'obs:set_scene', 'obs:set_source_visible', 'obs:start_stream', 'obs:stop_stream', 'overlay:update_layer', 'send_message', 'delete', 'timeout', 'ban']
    """
    `chat:send`, `chat:delete`, `chat:ban`, `chat:unban`, `chat:timeout`, `events:emit`, or the name in a
    bot result: `send_message`, `delete`, `ban`, `timeout`.
    """
    expires_at: NotRequired[Timestamp | None]
    install_id: str
    """
    Id of the install.
    """
    invocation_id: str
    """
    The invocation and the index of the action in it, 1 to 128 characters. Equal ids are one action.
    """
    payload: NotRequired[dict[str, Any]]
    """
    Input of the action.
    """


class SeToken(TypedDict):
    """
    Token of StreamElements.
    """

    created_at: Timestamp
    """
    Time of creation.
    """
    hint: str
    """
    First and last four characters of the token with `***` between them, or `****`.
    """
    id: str
    """
    Identifier.
    """
    label: NotRequired[str | None]
    """
    Name that the account gave it. Null: none.
    """
    platform: str
    """
    `twitch`, `youtube`, `kick` or `trovo`.
    """
    refused_at: NotRequired[Timestamp | None]
    updated_at: Timestamp
    """
    Time of the last replacement.
    """


class Service(TypedDict):
    """
    One dependency.
    """

    latency_ms: int
    """
    Time until the response or the timeout.
    """
    status: ServiceStatus


class Services(TypedDict):
    """
    Dependencies of the process.
    """

    postgres: Service
    redis: Service
    timescaledb: Service


class Session(TypedDict):
    """
    A session of the caller.
    """

    created_at: Timestamp
    """
    Time of the sign-in.
    """
    expires_at: Timestamp
    """
    Time at which the session ends unless it is refreshed before.
    """
    id: str
    """
    Id of the session.
    """
    ip: NotRequired[str | None]
    """
    Address that the session was opened from, truncated to /24 or /48; null when unknown.
    """
    is_current: bool
    """
    True for the session of this request.
    """
    last_seen_at: Timestamp
    """
    Time of the last refresh of its tokens.
    """
    user_agent: NotRequired[str | None]
    """
    `User-Agent` of the sign-in; null when there was none.
    """


class SetUsageBudgetInput(TypedDict):
    """
    Budget of the account, or of an extension or key in it.
    """

    extension_id: NotRequired[str | None]
    """
    Extension that it limits, which is installed in the account. Not with `key_id`.
    """
    is_stopping: NotRequired[bool | None]
    """
    False: nothing is refused from the maximum on. True when absent.
    """
    key_id: NotRequired[str | None]
    """
    Key that it limits: one of the account, or of a person in it. Not with `extension_id`.
    """
    maximum: int
    """
    Maximum in a period: 1 to 1,000,000,000,000,000.
    """
    period: UsagePeriod
    """
    Period.
    """
    unit: UsageUnit
    """
    Unit. Keys have requests and messages only.
    """
    warn_percent: NotRequired[int | None]
    """
    Share of the maximum at which members are notified, in percent: 0 to 99, 0 for none; 80 when absent.
    """


class SharedLink(TypedDict):
    """
    Link that shows a report.
    """

    allow_export: bool
    """
    True when the report can be exported through the link.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    created_by: NotRequired[str | None]
    """
    Person who created it. Null: a service key, or the person is gone.
    """
    expires_at: Timestamp
    """
    End.
    """
    has_password: bool
    """
    True when the link needs a password.
    """
    id: str
    """
    Identifier.
    """
    last_viewed_at: NotRequired[Timestamp | None]
    report_id: str
    """
    Report.
    """
    status: SharedLinkStatus
    """
    State.
    """
    view_count: Int64
    """
    Number of views.
    """


class Sound(TypedDict):
    """
    Sound.
    """

    account_id: str
    """
    Account that the sound belongs to.
    """
    content_type: str
    """
    Content type, by the content.
    """
    created_at: Timestamp
    """
    Time at which it was added, for a sound of an extension that of its install.
    """
    duration_ms: NotRequired[Int64 | None]
    filename: str
    """
    Name of the file.
    """
    id: str
    """
    Identifier.
    """
    name: str
    """
    Name.
    """
    size_bytes: Int64
    """
    Size in bytes.
    """
    source_extension_name: NotRequired[str | None]
    """
    Name of the extension that the sound comes with. Null: a sound of the account.
    """
    waveform: NotRequired[list[float] | None]
    """
    Peaks in equal parts of the sound, from 0 to 1. Null: not known.
    """


class SoundList(TypedDict):
    """
    Sounds with the limits of the account.
    """

    max_sound_file_size: Int64
    """
    Size of a file that the plan allows, in bytes.
    """
    max_sound_storage_bytes: Int64
    """
    Size of all sounds of the account that the plan allows, in bytes.
    """
    max_sounds: Int64
    """
    Number of sounds that the plan allows.
    """
    sounds: list[Sound]
    """
    Sounds of this part of the list, newest first.
    """
    total_count: int
    """
    Number of all sounds that the search finds, with those of extensions.
    """
    used_storage_bytes: Int64
    """
    Size of all sounds of the account, in bytes.
    """
    user_sound_count: int
    """
    Number of sounds of the account, without those of extensions.
    """


class SoundTargetInput(TypedDict):
    """
    Browser source that plays a sound.
    """

    id: str
    """
    Widget or overlay of the account.
    """
    type: SoundTargetType
    """
    Kind of the browser source.
    """


class SpotifyRepeatInput(TypedDict):
    """
    Repetition to set.
    """

    mode: SpotifyRepeatMode
    """
    `off`, `track` or `context`.
    """


class SpotifyState(TypedDict):
    """
    Player of an account.
    """

    device: NotRequired[SpotifyDevice | None]
    devices: list[SpotifyDevice]
    """
    Devices that can be reached, at most 20.
    """
    is_playing: bool
    """
    True while it plays.
    """
    now_playing: NotRequired[SpotifyNowPlaying | None]
    playlists: list[SpotifyPlaylist]
    """
    First playlists of the user's library, at most 50. Empty when the connection lacks their scope.
    """
    progress_ms: NotRequired[int | None]
    """
    Position in the track in milliseconds. Null: no track.
    """
    queue: list[SpotifyTrack]
    """
    Tracks that play next, at most 20.
    """
    repeat: SpotifyRepeatMode
    """
    Repetition.
    """
    shuffle: bool
    """
    True when tracks play in random order.
    """
    volume: NotRequired[int | None]
    """
    Volume of the device in percent. Null: no device, or it has none.
    """


class StopSoundInput(TypedDict):
    """
    Ending of a sound.
    """

    target: NotRequired[SoundTargetInput | None]


class StoreExtension(TypedDict):
    """
    An extension in the store's list.
    """

    category: NotRequired[str | None]
    """
    `widget`, `bot_module`, `automation_node`, `theme` or `integration`.
    """
    description: str
    """
    Short description.
    """
    developer: NotRequired[StoreDeveloper | None]
    icon_key: NotRequired[str | None]
    """
    Path of an image in the bundle.
    """
    id: str
    """
    Id.
    """
    install_count: int
    """
    Number of installs.
    """
    installed: bool
    """
    True when the caller's account has installed it.
    """
    name: str
    """
    Name.
    """
    pricing_amount: NotRequired[Int64 | None]
    pricing_currency: NotRequired[str | None]
    """
    `EUR`; null when it is free.
    """
    pricing_type: str
    """
    `free`, `one_time` or `subscription`.
    """
    published_at: NotRequired[Timestamp | None]
    rating_avg: float
    """
    Average, 1 to 5; 0 without reviews.
    """
    rating_count: int
    """
    Number of reviews.
    """
    short_id: str
    """
    Short id of eight characters.
    """
    slug: str
    """
    Slug.
    """


class StoreVersion(TypedDict):
    """
    A published version.
    """

    approved_at: NotRequired[Timestamp | None]
    breaking: bool
    """
    True when accounts must accept it.
    """
    bundle_size_bytes: Int64
    """
    Size of the bundle in bytes.
    """
    changelog: str
    """
    Changes, as the developer describes them.
    """
    id: str
    """
    Id.
    """
    version: str
    """
    Semantic version.
    """


class StreamReportBroadcast(TypedDict):
    """
    Broadcast of a session on one platform.
    """

    avg_viewers: NotRequired[float | None]
    """
    Average number of viewers, or null.
    """
    broadcast_id: str
    """
    The platform's id of the broadcast, or one of ours.
    """
    category: NotRequired[str | None]
    """
    Newest category, or null.
    """
    ended_at: NotRequired[Timestamp | None]
    peak_viewers: NotRequired[Int64 | None]
    platform: str
    """
    Platform.
    """
    started_at: Timestamp
    """
    Start.
    """
    title: NotRequired[str | None]
    """
    Newest title, or null.
    """


class StreamReportCategory(TypedDict):
    """
    Span of a session in one category.
    """

    duration_secs: Int64
    """
    Length in seconds.
    """
    name: str
    """
    Name of the category.
    """
    started_at: Timestamp
    """
    Start.
    """


class StreamReportMarker(TypedDict):
    """
    Moment for charts.
    """

    at: Timestamp
    """
    Time.
    """
    label: NotRequired[str | None]
    """
    Text beside the marker, or null.
    """
    type: StreamReportMarkerType
    """
    Kind.
    """


class StreamReportTrack(TypedDict):
    """
    Song of a session.
    """

    artist: str
    """
    Artists.
    """
    played_at: Timestamp
    """
    Start.
    """
    title: str
    """
    Title.
    """


class StreamSample(TypedDict):
    """
    Figures of one minute on one platform.
    """

    at: Timestamp
    """
    Start of the minute.
    """
    follower_delta: Int64
    """
    Follows.
    """
    message_count: Int64
    """
    Chat lines.
    """
    platform: str
    """
    Platform.
    """
    unique_chatters: Int64
    """
    People who wrote.
    """
    viewer_count: NotRequired[Int64 | None]


class StreamSession(TypedDict):
    """
    Session of streams with its figures. Its report has the same id.
    """

    avg_viewers: NotRequired[float | None]
    """
    Average of these sums, or null.
    """
    category: NotRequired[str | None]
    """
    Newest category, or null.
    """
    duration_secs: NotRequired[Int64 | None]
    ended_at: NotRequired[Timestamp | None]
    id: str
    """
    Identifier of the session and of its report.
    """
    is_live: bool
    """
    True until the session is closed.
    """
    new_followers: NotRequired[Int64 | None]
    new_subscribers: NotRequired[Int64 | None]
    peak_viewers: NotRequired[Int64 | None]
    platforms: list[str]
    """
    Platforms, sorted.
    """
    session_type: StreamSessionType
    """
    Kind.
    """
    started_at: Timestamp
    """
    Start of the first broadcast.
    """
    title: NotRequired[str | None]
    """
    Newest title, or null.
    """
    total_messages: Int64
    """
    Chat lines.
    """
    unique_chatters: NotRequired[Int64 | None]


class SubmittedVersion(TypedDict):
    """
    A version that waits for its review.
    """

    id: str
    """
    Id.
    """
    status: str
    """
    `pending`.
    """
    submittedAt: Timestamp
    """
    Time of the upload.
    """
    version: str
    """
    Semantic version.
    """


class SubmittedVersionBody(TypedDict):
    """
    A version that waits for its review.
    """

    version: SubmittedVersion


class SupportTicket(TypedDict):
    """
    Support ticket.
    """

    account_id: NotRequired[str | None]
    """
    Account that it concerns. Null: none.
    """
    body: str
    """
    Text.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    id: str
    """
    Identifier.
    """
    status: SupportTicketStatus
    """
    State.
    """
    subject: str
    """
    Subject.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """
    user_display_name: str
    """
    Display name of that person.
    """
    user_id: str
    """
    Person who filed it.
    """


class SystemConnection(TypedDict):
    """
    Application of the deployment, or an empty place for one. Neither its id nor its secret is returned.
    """

    client_id_hint: NotRequired[str | None]
    """
    Last four characters of the client id. Null when there is none.
    """
    configured: bool
    """
    True when there is an application of this kind.
    """
    decryptable: bool
    """
    False when no configured key opens the secret. The credentials must then be entered again.
    """
    kind: SystemConnectionKind
    """
    Use of the application.
    """
    platform: str
    """
    Slug of the platform.
    """
    updated_at: NotRequired[Timestamp | None]


class TelemetryBatch(TypedDict):
    """
    `POST /v1/internal/telemetry`. Records carry ids (UUID version 7, made by the worker), so that a batch may
    be sent again after a lost response without being counted twice.
    """

    errors: NotRequired[list[ErrorRecord]]
    """
    Failed invocations.
    """
    invocations: NotRequired[list[InvocationRecord]]
    """
    Sums of invocations.
    """
    logs: NotRequired[list[LogRecord]]
    """
    Lines of logs.
    """


class UpdateAccountSettingsInput(TypedDict, closed=True):
    """
    Changes of the settings. Absent fields stay as they are; unknown ones are refused.
    """

    alerts: NotRequired[UpdateAlertSettingsInput | None]
    chat: NotRequired[UpdateChatSettingsInput | None]
    command_prefix: NotRequired[str | None]
    """
    Prefix of chat commands, 1 to 3 characters without white space.
    """
    currency: NotRequired[Literal['AED', 'AFN', 'ALL', 'AMD', 'AOA', 'ARS', 'AUD', 'AWG', 'AZN', 'BAM', 'BBD', 'BDT', 'BGN', 'BHD', 'BIF', 'BMD', 'BND', 'BOB', 'BRL', 'BSD', 'BTN', 'BWP', 'BYN', 'BZD', 'CAD', 'CDF', 'CHF', 'CLP', 'CNY', 'COP', 'CRC', 'CUP', 'CVE', 'CZK', 'DJF', 'DKK', 'DOP', 'DZD', 'EGP', 'ERN', 'ETB', 'EUR', 'FJD', 'FKP', 'GBP', 'GEL', 'GHS', 'GIP', 'GMD', 'GNF', 'GTQ', 'GYD', 'HKD', 'HNL', 'HTG', 'HUF', 'IDR', 'ILS', 'INR', 'IQD', 'IRR', 'ISK', 'JMD', 'JOD', 'JPY', 'KES', 'KGS', 'KHR', 'KMF', 'KPW', 'KRW', 'KWD', 'KYD', 'KZT', 'LAK', 'LBP', 'LKR', 'LRD', 'LSL', 'LYD', 'MAD', 'MDL', 'MGA', 'MKD', 'MMK', 'MNT', 'MOP', 'MRU', 'MUR', 'MVR', 'MWK', 'MXN', 'MYR', 'MZN', 'NAD', 'NGN', 'NIO', 'NOK', 'NPR', 'NZD', 'OMR', 'PAB', 'PEN', 'PGK', 'PHP', 'PKR', 'PLN', 'PYG', 'QAR', 'RON', 'RSD', 'RUB', 'RWF', 'SAR', 'SBD', 'SCR', 'SDG', 'SEK', 'SGD', 'SHP', 'SLE', 'SOS', 'SRD', 'SSP', 'STN', 'SVC', 'SYP', 'SZL', 'THB', 'TJS', 'TMT', 'TND', 'TOP', 'TRY', 'TTD', 'TWD', 'TZS', 'UAH', 'UGX', 'USD', 'UYU', 'UZS', 'VED', 'VES', 'VND', 'VUV', 'WST', 'XAF', 'XCD', 'XCG', 'XOF', 'XPF', 'YER', 'ZAR', 'ZMW'] | None]
    """
    Code of a currency, three letters of ISO 4217.
    """
    default_overlay_id: NotRequired[str | None]
    """
    Overlay to show by default; null: none.
    """
    locale: NotRequired[Locale | None]
    privacy: NotRequired[UpdatePrivacySettingsInput | None]
    timezone: NotRequired[str | None]
    """
    Name of a time zone of the IANA database.
    """


class UpdateAutomationGraphInput(TypedDict):
    """
    Whole graph of an automation.
    """

    edges: list[AutomationEdgeInput]
    """
    At most 200 edges. A run follows those of a handle in this order.
    """
    nodes: list[AutomationNodeInput]
    """
    At most 100 nodes.
    """
    version: int
    """
    Version of the graph that the caller has seen.
    """


class UpdateOverlayLayersInput(TypedDict):
    """
    All layers of an overlay, from back to front.
    """

    layers: list[OverlayLayerInput]
    """
    At most 100 layers.
    """
    version: NotRequired[int | None]
    """
    Version of the overlay that the caller has seen. Null or absent: the layers replace any version.
    """


class Upload(TypedDict):
    """
    Uploaded file.
    """

    account_id: str
    """
    Account that the file belongs to.
    """
    content_type: str
    """
    Content type, by the content.
    """
    created_at: Timestamp
    """
    Time of the upload.
    """
    created_by: NotRequired[str | None]
    """
    Person who sent the file. Null: a service key, or a person who no longer exists.
    """
    download_url: str
    """
    Address of the content, for everybody who has it. It is valid for an hour from this response on.
    """
    filename: str
    """
    Name that the client gave to the file, without folders.
    """
    id: str
    """
    Identifier.
    """
    purpose: UploadPurpose
    """
    Purpose.
    """
    sha256: str
    """
    SHA-256 of the content, in hexadecimal.
    """
    size_bytes: Int64
    """
    Size in bytes.
    """


class UploadForm(TypedDict):
    """
    Fields of an upload.
    """

    file: bytes
    """
    The file.
    """
    purpose: UploadPurpose
    """
    Purpose.
    """


class UsageBudget(TypedDict):
    """
    Budget with its present use.
    """

    created_at: Timestamp
    """
    Time of creation.
    """
    created_by: NotRequired[str | None]
    """
    Person who made it. Null: a service key, or the person is gone.
    """
    id: str
    """
    Identifier.
    """
    is_stopping: bool
    """
    True when use is refused from the maximum on.
    """
    maximum: Int64
    """
    Maximum in a period.
    """
    period: UsagePeriod
    """
    Period.
    """
    remaining: Int64
    """
    Rest of the maximum, 0 at least.
    """
    resets_at: Timestamp
    """
    End of the present period.
    """
    stopped_until: NotRequired[Timestamp | None]
    subject: UsageSubject
    """
    Kind of the subject.
    """
    subject_id: str
    """
    Account, extension or key.
    """
    unit: UsageUnit
    """
    Unit.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """
    used: Int64
    """
    Use in the present period; of stored bytes the present number.
    """
    warn_percent: NotRequired[int | None]
    """
    Share of the maximum at which members are notified, in percent. Null: at none.
    """


class UsageHour(TypedDict):
    """
    Usage of a subject in one hour.
    """

    fetches: Int64
    """
    Requests of handlers to other hosts.
    """
    handler_ms: Int64
    """
    Time of handlers, in milliseconds.
    """
    hour: Timestamp
    """
    Begin of the hour.
    """
    messages: Int64
    """
    Chat messages that were sent.
    """
    requests: Int64
    """
    Requests to the API.
    """
    stored_bytes: Int64
    """
    Bytes that were stored at the last measurement of the hour.
    """
    subject: UsageSubject
    """
    Kind of the subject.
    """
    subject_id: str
    """
    Account, extension or key.
    """


class UserNote(TypedDict):
    """
    Note about a user.
    """

    author: NotRequired[UserNoteAuthor | None]
    body: str
    """
    Text of the note.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    id: str
    """
    Id of the note.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """


class WebhookDelivery(TypedDict):
    """
    Delivery of an event to a webhook endpoint.
    """

    attempts: int
    """
    Number of attempts.
    """
    created_at: Timestamp
    """
    Time at which the delivery was made.
    """
    duration_ms: NotRequired[int | None]
    """
    Duration of the last request in milliseconds, or null.
    """
    endpoint_id: str
    """
    Endpoint.
    """
    event_id: str
    """
    Event or chat message; of a test the delivery itself.
    """
    event_type: str
    """
    Type of the event; `webhook.test` for a test.
    """
    id: str
    """
    Identifier: the `webhook-id` of every attempt.
    """
    last_attempt_at: NotRequired[Timestamp | None]
    last_error: NotRequired[str | None]
    """
    Reason why the last attempt failed, or null.
    """
    last_status_code: NotRequired[int | None]
    """
    HTTP status of the last attempt. Null without an answer.
    """
    next_attempt_at: NotRequired[Timestamp | None]
    occurred_at: Timestamp
    """
    Time of the event.
    """
    response_excerpt: NotRequired[str | None]
    """
    Begin of the last answer, at most 4 KiB. Null without one, and for a caller who may not read events of the type.
    """
    status: WebhookDeliveryStatus
    """
    State.
    """


class YoutubeStream(TypedDict):
    """
    Broadcast that is live or scheduled.
    """

    broadcast_id: str
    """
    YouTube's id of the broadcast.
    """
    live_chat_id: NotRequired[str | None]
    """
    YouTube's id of the chat; null when there is none.
    """
    scheduled_start: NotRequired[Timestamp | None]
    started_at: NotRequired[Timestamp | None]
    status: YoutubeStreamStatus
    """
    State of the broadcast.
    """
    title: str
    """
    Title of the broadcast.
    """
    viewer_count: NotRequired[Int64 | None]


class AccessExplanation(TypedDict):
    """
    Decision about an operation for a subject, with the steps that lead to it.
    """

    allowed: bool
    """
    True when the rule of the operation admits the subject.
    """
    operation: str
    """
    Name of the operation.
    """
    reason: NotRequired[str | None]
    """
    Message of the refusal that a call gets. Null when it is allowed.
    """
    steps: list[AccessStep]
    """
    Steps in the order of the checks, up to the first refusal.
    """
    subject: str
    """
    Subject: id of a person, or kind and id of a credential (`key:…`, `popout:…`).
    """


class AdminAccount(TypedDict):
    """
    Account with its connections.
    """

    bot_connections: list[AdminAccountConnection]
    """
    Own bots of the account, by platform.
    """
    channel_connections: list[AdminAccountConnection]
    """
    Channels of the account, by platform.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    description: NotRequired[str | None]
    """
    Description. Null: none.
    """
    id: str
    """
    Identifier.
    """
    member_count: int
    """
    Number of members, the owner included.
    """
    name: str
    """
    Display name.
    """
    owner: AdminAccountOwner
    """
    Owner.
    """
    plan: AdminAccountPlan
    """
    Present plan.
    """
    slug: str
    """
    Unique slug.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """


class AdminUser(TypedDict):
    """
    Person with memberships and login connections.
    """

    account_creation_override: AccountCreationOverride
    """
    Permission to create accounts, beside the global switch.
    """
    avatar_url: NotRequired[str | None]
    """
    Address of the avatar. Null: none.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    display_name: str
    """
    Display name.
    """
    email: NotRequired[str | None]
    """
    E-mail address. Null: none.
    """
    id: str
    """
    Identifier.
    """
    is_developer: bool
    """
    True when the person has a developer profile.
    """
    last_login_at: NotRequired[Timestamp | None]
    login_connections: list[AdminUserLogin]
    """
    Login connections, oldest first.
    """
    max_accounts_override: NotRequired[int | None]
    """
    Number of accounts that the person may own. Null: the plans of the owned accounts decide.
    """
    memberships: list[AdminUserMembership]
    """
    Memberships of the person, oldest first.
    """
    owned_account_count: int
    """
    Number of owned accounts.
    """
    username: str
    """
    User name.
    """


class Automation(TypedDict):
    """
    Automation with its graph.
    """

    account_id: str
    """
    Account.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    created_by: NotRequired[str | None]
    """
    Person who created it, or null.
    """
    description: NotRequired[str | None]
    """
    Description, or null.
    """
    edges: list[AutomationEdge]
    """
    Edges of its graph, in the order in which a run follows them.
    """
    enabled: bool
    """
    True when its triggers start runs.
    """
    id: str
    """
    Identifier.
    """
    last_run_at: NotRequired[Timestamp | None]
    name: str
    """
    Name.
    """
    next_run_at: NotRequired[Timestamp | None]
    nodes: list[AutomationNode]
    """
    Nodes of its graph, in the order in which they were saved.
    """
    run_count: Int64
    """
    Number of runs.
    """
    trigger_types: list[str]
    """
    Types of its trigger nodes, each once.
    """
    updated_at: Timestamp
    """
    Time of the last change of the automation or its graph.
    """
    version: int
    """
    Number of the present graph. Each change of the graph adds one.
    """


class AutomationDryRunStep(TypedDict):
    """
    Step of a dry run.
    """

    branch: NotRequired[str | None]
    """
    Handle at which the run goes on. Null: `out`.
    """
    effect: NotRequired[AutomationEffect | None]
    error: NotRequired[str | None]
    """
    Reason of a failure, or null.
    """
    input: Json
    """
    Configuration with its templates filled in, cut at 16 KiB.
    """
    node_id: str
    """
    Node.
    """
    output: NotRequired[Json | None]
    status: AutomationStepStatus
    """
    State.
    """


class AutomationRun(TypedDict):
    """
    Run of an automation with its steps.
    """

    automation_id: str
    """
    Automation.
    """
    created_at: Timestamp
    """
    Time of the start.
    """
    error: NotRequired[str | None]
    """
    Reason of a failure, or null.
    """
    finished_at: NotRequired[Timestamp | None]
    id: str
    """
    Identifier.
    """
    is_test: bool
    """
    True for a run that a test event started.
    """
    parent_run_id: NotRequired[str | None]
    """
    Run that started this one, or null.
    """
    started_at: NotRequired[Timestamp | None]
    status: AutomationRunStatus
    """
    State.
    """
    step_count: int
    """
    Number of steps.
    """
    steps: list[AutomationStep]
    """
    Steps in their order: the last 200.
    """
    trigger: Json
    """
    Cause: `node_id`, `type` and `payload`.
    """


class BillingStatus(TypedDict):
    """
    Plan, limits and subscription of an account.
    """

    limits: list[PlanLimit]
    """
    Effective limits of the account.
    """
    plan: BillingPlan
    """
    Plan of the account, also when it is not public.
    """
    renews_at: NotRequired[Timestamp | None]
    status: SubscriptionStatus
    """
    Status of the subscription.
    """


class CollectionCopyrightCandidate(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[CopyrightCandidate]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionCoupon(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[Coupon]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionCrawlerWatchlistEntry(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[CrawlerWatchlistEntry]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionCspReport(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[CspReport]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionDeveloperPayout(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[DeveloperPayout]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionDeveloperVerificationItem(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[DeveloperVerificationItem]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionExtensionReview(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[ExtensionReview]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionLimitRequest(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[LimitRequest]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionLinkedDiscordGuild(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[LinkedDiscordGuild]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionListedSong(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[ListedSong]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionMusicSong(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[MusicSong]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionPoll(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[Poll]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionPrediction(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[Prediction]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionPublicChannel(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[PublicChannel]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionPublicEmote(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[PublicEmote]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionReviewVersion(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[ReviewVersion]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionStoreExtension(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[StoreExtension]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionStreamSession(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[StreamSession]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionSupportTicket(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[SupportTicket]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionUpload(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[Upload]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionUsageHour(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[UsageHour]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class CollectionWebhookDelivery(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[WebhookDelivery]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class ConnectionDiagnosis(TypedDict):
    """
    Diagnosis of one connected channel.
    """

    clock_skew_secs: NotRequired[int | None]
    """
    Time of this server minus that of the platform, in whole seconds. Null when the platform did not answer.
    """
    connection_id: str
    """
    Id of the channel connection.
    """
    findings: list[ConnectionFinding]
    """
    Findings, in the order of the checks; empty when all is well.
    """
    last_events: list[ReceivedEvent]
    """
    Last event of each type, by type. Types without an event are left out.
    """
    platform: str
    """
    Slug of the platform.
    """
    scopes_missing: list[str]
    """
    Scopes that Lumio asks for and the token lacks, sorted.
    """
    status: ConnectionDiagnosisStatus
    """
    Severity of the worst finding.
    """
    subscriptions: list[DiagnosedSubscription]
    """
    Deliveries that were requested from the platform, by type.
    """
    token_expires_at: NotRequired[Timestamp | None]


class ConnectionHealth(TypedDict):
    """
    Health of a connected channel. Lists are ordered by type.
    """

    last_events: list[LastEvent]
    """
    Times of the last event of each type. Types without an event are left out.
    """
    reader: NotRequired[ConnectionReader | None]
    subscriptions: list[PlatformSubscription]
    """
    Events that the platform was asked to deliver.
    """


class CopyrightCheck(TypedDict):
    """
    Result of a check.
    """

    matched_by: NotRequired[SongMatch | None]
    scope: NotRequired[SongListScope | None]
    song: NotRequired[ListedSong | None]
    status: CopyrightStatus
    """
    Status.
    """


class CopyrightPlaylistImport(TypedDict):
    """
    Result of an import.
    """

    imported: int
    """
    Number of songs that were added to the list.
    """
    is_complete: bool
    """
    True when the whole playlist was read. False: the rest follows in the background.
    """
    skipped: int
    """
    Number of entries that were read and not added: songs that the list has, local files and episodes, and
    songs beyond the limit of the list.
    """
    sync: CopyrightPlaylistSync
    """
    The followed playlist.
    """


class CreatePopoutTokenResult(TypedDict):
    """
    A new popout token with its text.
    """

    popout_token: PopoutToken
    """
    The token as it is listed.
    """
    token: str
    """
    Text of the token. This answer alone contains it.
    """


class CurrentUser(TypedDict):
    """
    The person who calls.
    """

    active_account_id: NotRequired[str | None]
    """
    Account that the credential acts in; null when the person no longer belongs to it.
    """
    admin_permissions: list[str]
    """
    Admin permissions that this credential has.
    """
    avatar_url: NotRequired[str | None]
    """
    Address of the avatar; null when there is none.
    """
    created_at: Timestamp
    """
    Time of the first sign-in.
    """
    display_name: str
    """
    Display name.
    """
    email: NotRequired[str | None]
    """
    E-mail address; null when there is none.
    """
    enabled_features: list[str]
    """
    Keys of the flags that are on.
    """
    extension_dev_mode: bool
    """
    Preference of the person: extensions that they develop load in their latest draft or testing version.
    It makes a developer of staff only, because every person sets it for themselves.
    """
    feature_statuses: list[FeatureStatus]
    """
    Every flag of the active account, and `system:account_creation` of the person.
    """
    id: str
    """
    Id of the person.
    """
    is_developer: bool
    """
    True for a person with a developer profile, and for staff with `extension_dev_mode` on.
    """
    last_login_at: NotRequired[Timestamp | None]
    login_connections: list[LoginConnection]
    """
    Login connections, without those of platforms for which sign-in is switched off.
    """
    max_accounts: int
    """
    Maximum number of accounts that the person may own.
    """
    memberships: list[Membership]
    """
    Memberships of the person, oldest first, at most 500.
    """
    notifications_unread: int
    """
    Number of unread notifications.
    """
    owned_account_count: int
    """
    Number of accounts that the person owns.
    """
    pending_email: NotRequired[str | None]
    """
    Address that an API key requested. It becomes `email` when a session of the person confirms it by the
    notification `login_linked`.
    """
    streamer_mode: bool
    """
    Preference of the person: clients hide what must not be on stream.
    """
    token: NotRequired[str | None]
    """
    Session token that acts in the new account. Only in the answer to a switch of the account.
    """
    user_permissions: list[str]
    """
    Platform-wide permissions that this credential has.
    """
    username: str
    """
    User name.
    """


class DeveloperErrorBody(TypedDict):
    """
    Body of every error of the developer API.
    """

    error: DeveloperErrorDetail


class DeveloperExtension(TypedDict):
    """
    An extension as its developer sees it.
    """

    category: NotRequired[str | None]
    """
    Category of the current version's manifest; null before the first publication.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    current_version_id: NotRequired[str | None]
    """
    Version that new installs get; null before the first publication.
    """
    description: str
    """
    Long description.
    """
    icon_key: NotRequired[str | None]
    """
    Path of an image in the bundle, or null.
    """
    id: str
    """
    Id.
    """
    install_count: int
    """
    Number of installs.
    """
    listed_at: NotRequired[Timestamp | None]
    name: str
    """
    Name.
    """
    pricing: ExtensionPricing
    """
    Price.
    """
    published_at: NotRequired[Timestamp | None]
    rating_avg: float
    """
    Average, 1 to 5; 0 without reviews.
    """
    rating_count: int
    """
    Number of reviews.
    """
    screenshots: list[str]
    """
    Paths of images in the bundle.
    """
    short_description: str
    """
    Short description.
    """
    short_id: str
    """
    Short id of eight characters.
    """
    slug: str
    """
    Slug.
    """
    status: str
    """
    `draft`, `in_review`, `testing`, `pending_publish`, `approved`, `rejected`, `suspended` or `archived`.
    """
    support_url: NotRequired[str | None]
    """
    Address of the support, or null.
    """
    tags: list[str]
    """
    Tags, in lower case.
    """
    team_id: NotRequired[str | None]
    """
    Team that owns the extension; null for one of a person.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """
    visibility: str
    """
    `private`, `unlisted`, `public` or `paid`.
    """


class DeveloperExtensionDetail(TypedDict):
    """
    An extension with its versions.
    """

    extension: DeveloperExtension
    """
    Extension.
    """
    versions: list[DeveloperVersion]
    """
    Versions, the newest upload first; at most 500.
    """


class DeveloperLimits(TypedDict):
    """
    Limits of a developer and of their extensions.
    """

    categories: list[DeveloperLimitCategory]
    """
    Limits by category.
    """
    extensions: list[LimitedExtension]
    """
    Extensions of the developer, newest first; at most 500.
    """


DeveloperRevenue = TypedDict(
    'DeveloperRevenue',
    {
        'currency': str,
        'from': Timestamp,
        'items': list[DeveloperRevenueItem],
        'to': Timestamp,
        'total_amount': Int64,
        'total_share': Int64,
    },
)


class EnvelopedAccessExplanation(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: AccessExplanation
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedAdminAccount(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: AdminAccount
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedAdminUser(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: AdminUser
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedAutomation(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: Automation
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedAutomationRun(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: AutomationRun
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedBillingStatus(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: BillingStatus
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedCopyrightCheck(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: CopyrightCheck
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedCopyrightPlaylistImport(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: CopyrightPlaylistImport
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedCreatePopoutTokenResultKeyLinks(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: CreatePopoutTokenResult
    _links: KeyLinks


class EnvelopedCurrentUser(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: CurrentUser
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedDeveloperExtension(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: DeveloperExtension
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedDeveloperExtensionDetail(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: DeveloperExtensionDetail
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedDeveloperLimits(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: DeveloperLimits
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedDeveloperRevenue(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: DeveloperRevenue
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedEraseChatSubjectResult(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: EraseChatSubjectResult
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedEraseYoutubeMemberResult(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: EraseYoutubeMemberResult
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedExchangedToken(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: ExchangedToken
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedExtensionAccessGrant(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: ExtensionAccessGrant
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedExtensionFeedback(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: ExtensionFeedback
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedExtensionLimits(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: ExtensionLimits
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedExtensionReview(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: ExtensionReview
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedExtensionStorage(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: ExtensionStorage
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedExtensionTester(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: ExtensionTester
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedExtensionToken(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: ExtensionToken
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedFeatureFlag(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: FeatureFlag
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedGqlSendResult(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: GqlSendResult
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedGqlUnifiedProfile(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: GqlUnifiedProfile
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedIdeaCategory(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: IdeaCategory
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedIdeaComment(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: IdeaComment
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedIdeaTag(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: IdeaTag
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedInvite(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: Invite
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedInvitePreview(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: InvitePreview
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedJoinedAccount(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: JoinedAccount
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedLimitRequest(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: LimitRequest
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedListedSong(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: ListedSong
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedLoginAssignment(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: LoginAssignment
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedLoginConnection(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: LoginConnection
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedMember(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: Member
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedMusicSong(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: MusicSong
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedNotificationListListLinks(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: NotificationList
    _links: ListLinks


class EnvelopedOauthClient(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: OauthClient
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedObsConfig(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: ObsConfig
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedObsRemoteStatus(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: ObsRemoteStatus
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedObsStatus(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: ObsStatus
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedOverlay(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: Overlay
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedOverlayAccessEntry(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: OverlayAccessEntry
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedOverlayLayer(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: OverlayLayer
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedOverlayToken(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: OverlayToken
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedPoll(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: Poll
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedPopoutSession(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: PopoutSession
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedPopoutToken(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: PopoutToken
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedPrediction(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: Prediction
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedPublicChannelSettings(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: PublicChannelSettings
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedPublicChannelTrends(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: PublicChannelTrends
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedPublicDeveloperProfile(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: PublicDeveloperProfile
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedPublicStreamStats(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: PublicStreamStats
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedRaid(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: Raid
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedRefreshedToken(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: RefreshedToken
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedResolvedUserPermissions(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: ResolvedUserPermissions
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedReviewVersion(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: ReviewVersion
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedReviewVersionDetail(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: ReviewVersionDetail
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedReviewedExtension(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: ReviewedExtension
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedReward(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: Reward
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedSeToken(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: SeToken
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedSharedLink(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: SharedLink
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedSound(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: Sound
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedSoundList(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: SoundList
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedSpotifyState(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: SpotifyState
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedSupportTicket(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: SupportTicket
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedSystemConnection(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: SystemConnection
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedUpload(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: Upload
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedUsageBudget(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: UsageBudget
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedUserNote(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: UserNote
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedWebhookDelivery(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: WebhookDelivery
    _links: SelfLink
    """
    Links of the resource.
    """


class EventKickFollower(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataKickFollower
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['kick:follower']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventKickStreamOnline(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataKickStreamOnline
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['kick:stream_online']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTrovoFollower(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTrovoFollower
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['trovo:follower']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTrovoStreamOnline(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTrovoStreamOnline
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['trovo:stream_online']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTwitchAdBreak(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTwitchAdBreak
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['twitch:ad_break']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTwitchFollower(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTwitchFollower
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['twitch:follower']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventTwitchStreamOnline(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataTwitchStreamOnline
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['twitch:stream_online']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventYoutubeStreamOffline(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataYoutubeStreamOffline
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['youtube:stream_offline']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventYoutubeStreamOnline(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataYoutubeStreamOnline
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['youtube:stream_online']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class EventYoutubeSubscriber(TypedDict):
    """
    Event of an account.
    """

    account_id: str
    """
    Account that it belongs to.
    """
    amount: NotRequired[Int64 | None]
    avatar_url: NotRequired[str | None]
    """
    Picture of that user.
    """
    currency: NotRequired[str | None]
    """
    `bits`, `points`, or a currency of money in three capital letters.
    """
    data: EventDataYoutubeSubscriber
    display_name: NotRequired[str | None]
    """
    Name of that user as the platform shows it.
    """
    event_type: Literal['youtube:subscriber']
    id: str
    """
    Id of the event.
    """
    is_test: bool
    """
    True for a test, which counts nowhere.
    """
    message: NotRequired[str | None]
    """
    Message of that user.
    """
    occurred_at: Timestamp
    """
    Time of the event.
    """
    platform: NotRequired[str | None]
    """
    Slug of the platform; null for events of no platform.
    """
    platform_user_id: NotRequired[str | None]
    """
    The platform's id of the user who caused it.
    """
    username: NotRequired[str | None]
    """
    Name of that user in addresses.
    """


class Extension(ExtensionSummary):
    """
    An extension.
    """

    description: str
    """
    Long description.
    """
    pricing: PricingBody
    """
    Price.
    """
    ratingCount: int
    """
    Number of reviews.
    """
    short_description: str
    """
    Short description.
    """


class ExtensionInstall(TypedDict):
    """
    An install of an extension in an account.
    """

    account_id: str
    """
    Account.
    """
    category: NotRequired[str | None]
    """
    `widget`, `bot_module`, `automation_node`, `theme` or `integration`; null before the first
    publication.
    """
    config: Json
    """
    Settings as the account set them; secrets are masked.
    """
    config_schema: Json
    """
    Settings that the running version declares, by key.
    """
    created_at: Timestamp
    """
    Time of the installation.
    """
    effective: InstallEffective
    """
    Effective state; an enabled install may still be stopped for another reason.
    """
    effective_config: Json
    """
    Settings as the extension sees them, with defaults; secrets are masked.
    """
    enabled: bool
    """
    False when switched off or killed.
    """
    extension_id: str
    """
    Extension.
    """
    extension_name: str
    """
    Name of the extension.
    """
    extension_slug: str
    """
    Slug of the extension.
    """
    granted_permissions: list[str]
    """
    Permissions that the account granted.
    """
    id: str
    """
    Id.
    """
    installed_by: NotRequired[str | None]
    """
    Person who installed it; null when the person is gone.
    """
    pinned_version: NotRequired[str | None]
    """
    Version at which updates stop; null when updates are followed.
    """
    update_available: bool
    """
    True when a newer current version exists.
    """
    update_requires_consent: bool
    """
    True when the update waits for the account's consent.
    """
    updated_at: Timestamp
    """
    Time of the last change.
    """
    version: str
    """
    Version that runs.
    """


class ExtensionMetrics(TypedDict):
    """
    Invocations of an extension's handlers.
    """

    avg_execution_ms: float
    """
    Average duration in milliseconds; 0 without invocations.
    """
    by_handler: list[HandlerMetrics]
    """
    Sums by handler, the most used first; at most 100.
    """
    p99_execution_ms: float
    """
    99th percentile of the duration in milliseconds, exact to about an eighth.
    """
    time_series: list[MetricsBucket]
    """
    Sums by hour, oldest first; at most 1,000, the newest ones.
    """
    total_errors: Int64
    """
    Number of failed invocations.
    """
    total_invocations: Int64
    """
    Number of invocations.
    """


class ExtensionPage(TypedDict):
    """
    A page of extensions, newest first.
    """

    extensions: list[ExtensionSummary]
    """
    Extensions of this page.
    """
    nextCursor: NotRequired[str | None]
    """
    `cursor` of the next page; null on the last.
    """


class GqlIdea(TypedDict):
    """
    Idea.
    """

    author: IdeaAuthor
    """
    Author.
    """
    category: IdeaCategory
    """
    Category.
    """
    comment_count: int
    """
    Number of comments, replies among them.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    description: str
    """
    Description as sanitised HTML. Mentions are `span` elements with the attribute `data-mention-id`.
    """
    id: str
    """
    Identifier.
    """
    my_vote: NotRequired[IdeaVoteType | None]
    status: IdeaStatus
    """
    Status.
    """
    tags: list[IdeaTag]
    """
    Tags by name, at most 5.
    """
    title: str
    """
    Title.
    """
    updated_at: Timestamp
    """
    Time of the last change of title, description, category, tags or status.
    """
    vote_count_down: int
    """
    Number of votes against.
    """
    vote_count_up: int
    """
    Number of votes in favour.
    """


class GqlIdeaConnection(TypedDict):
    """
    Part of a list of ideas.
    """

    items: list[GqlIdea]
    """
    Ideas in the requested order.
    """
    total: int
    """
    Number of ideas that the filter admits.
    """


class Health(TypedDict):
    """
    State of the process and of its dependencies.
    """

    services: Services
    status: HealthStatus
    uptime_seconds: int
    version: str
    """
    `major.minor.patch+commit` (docs/reference/conventions.md#versioning).
    """
    websocket: Sockets


class HealthAnswer(TypedDict):
    """
    `{ data: … }`
    """

    data: Health


class ListedConnectionDiagnosis(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[ConnectionDiagnosis]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedDeveloperExtension(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[DeveloperExtension]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedExtensionInstall(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[ExtensionInstall]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedLoginAssignment(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[LoginAssignment]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedLoginConnection(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[LoginConnection]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedMember(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[Member]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedMembershipTier(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[MembershipTier]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedOauthClient(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[OauthClient]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedOverlay(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[Overlay]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedOverlayAccessEntry(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[OverlayAccessEntry]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedOverlayLayer(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[OverlayLayer]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedOverlayShare(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[OverlayShare]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedPlanLimit(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[PlanLimit]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedPlatformUser(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[PlatformUser]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedPopoutToken(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[PopoutToken]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedPresentLimit(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[PresentLimit]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedPublicChannelSettings(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[PublicChannelSettings]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedPublicPanel(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[PublicPanel]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedPublicProfileChange(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[PublicProfileChange]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedReward(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[Reward]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedSeToken(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[SeToken]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedSession(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[Session]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedSharedLink(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[SharedLink]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedStreamSample(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[StreamSample]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedSystemConnection(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[SystemConnection]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedUsageBudget(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[UsageBudget]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedUserNote(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[UserNote]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ListedYoutubeStream(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[YoutubeStream]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


class ModerationLogEntry(TypedDict):
    """
    Attempt to moderate.
    """

    action: ModerationLogAction
    """
    Attempted action.
    """
    created_at: Timestamp
    """
    Time of the attempt.
    """
    details: NotRequired[str | None]
    """
    Reason of the failure; null on success.
    """
    duration_secs: NotRequired[int | None]
    """
    Seconds of a `TIMEOUT`.
    """
    id: str
    """
    Id of the attempt.
    """
    moderator: Moderator
    """
    Caller.
    """
    platform: NotRequired[str | None]
    """
    Platform; null when no channel could be determined.
    """
    reason: NotRequired[str | None]
    """
    Given reason.
    """
    success: bool
    """
    True when the platform did it.
    """
    target: str
    """
    The platform's id of the user, or of the message of a `DELETE`.
    """


class MusicCheck(TypedDict):
    """
    Result of a public check.
    """

    song: NotRequired[MusicSong | None]
    status: CopyrightStatus
    """
    Status.
    """


class PlaySoundInput(TypedDict):
    """
    Playing of a sound.
    """

    target: NotRequired[SoundTargetInput | None]
    volume: NotRequired[float | None]
    """
    Volume from 0 to 1; 1 when absent.
    """


class PublicChannelStats(TypedDict):
    """
    Figures of a channel over all its days.
    """

    avg_viewers: NotRequired[float | None]
    """
    Average of the viewers while it was on air. Null: it never was.
    """
    broadcaster_type: NotRequired[str | None]
    """
    Kind of broadcaster in the words of the platform, such as `partner`. Null: not known.
    """
    channel_display_name: NotRequired[str | None]
    """
    Displayed name. Null: not known.
    """
    last_streamed_at: NotRequired[Timestamp | None]
    peak_viewers: NotRequired[Int64 | None]
    platform_channel_id: str
    """
    The platform's id of the channel.
    """
    recent_streams: list[PublicRecentStream]
    """
    Newest streams, at most 10.
    """
    source: str
    """
    `first_party` when an account has connected the channel, else `external_crawler`.
    """
    stream_count: int
    """
    Number of streams.
    """
    total_duration_secs: Int64
    """
    Time on air, in seconds.
    """
    total_messages: Int64
    """
    Number of chat messages.
    """


class PublicDeveloperTeamProfile(TypedDict):
    """
    Public profile of a team.
    """

    avatar_key: NotRequired[str | None]
    """
    Upload of the picture, or null.
    """
    created_at: Timestamp
    """
    Time of creation.
    """
    description: NotRequired[str | None]
    """
    Description, or null.
    """
    extensions: list[PublicTeamExtension]
    """
    Listed extensions, most installs first: at most 100.
    """
    github_url: NotRequired[str | None]
    """
    Address at GitHub, or null.
    """
    id: str
    """
    Id.
    """
    members: list[PublicTeamMember]
    """
    Members, the first joined one first: at most 100.
    """
    name: str
    """
    Name.
    """
    slug: str
    """
    Slug.
    """
    stats: PublicTeamStats
    """
    Figures over the listed extensions.
    """
    website_url: NotRequired[str | None]
    """
    Address of the website, or null.
    """


class ReadinessAnswer(TypedDict):
    """
    `{ data: … }`
    """

    data: ReadinessReport


class StoreExtensionDetail(TypedDict):
    """
    An extension with the content of its page in the store.
    """

    config_schema: Json
    """
    Settings that the current version declares, by key.
    """
    current_version: str
    """
    Version that new installs get.
    """
    description: str
    """
    Long description.
    """
    egress_hosts: list[str]
    """
    Hosts that the handlers of the current version may reach.
    """
    extension: StoreExtension
    """
    Entry in the list.
    """
    permissions: list[str]
    """
    Permissions that the current version asks for.
    """
    pricing_interval: NotRequired[str | None]
    """
    `monthly` for a subscription; null otherwise.
    """
    reviews: StoreReviewSummary
    """
    Summary of the reviews.
    """
    screenshots: list[str]
    """
    Paths of images in the bundle.
    """
    support_url: NotRequired[str | None]
    """
    Address of the support, or null.
    """
    tags: list[str]
    """
    Tags.
    """
    versions: list[StoreVersion]
    """
    Published versions, the newest first; at most 100.
    """
    visibility: str
    """
    `unlisted`, `public`, `paid` or `system`; `private` for those it is offered to.
    """


class StreamReport(TypedDict):
    """
    Report of a session: its figures and what happened.
    """

    avg_viewers: NotRequired[float | None]
    """
    Average of these sums, or null.
    """
    categories: list[StreamReportCategory]
    """
    Spans of one category by start.
    """
    category: NotRequired[str | None]
    """
    Newest category, or null.
    """
    chart_markers: list[StreamReportMarker]
    """
    Moments for charts, in order.
    """
    duration_secs: NotRequired[Int64 | None]
    ended_at: NotRequired[Timestamp | None]
    events_by_type: Json
    """
    Number of events by type.
    """
    id: str
    """
    Identifier of the session and of its report.
    """
    is_live: bool
    """
    True until the session is closed.
    """
    messages_per_minute_peak: Int64
    """
    Largest number of chat lines in one minute.
    """
    moderation: StreamReportModeration
    """
    Actions of moderators.
    """
    music: list[StreamReportTrack]
    """
    Songs that began during the session, in order.
    """
    new_followers: NotRequired[Int64 | None]
    new_subscribers: NotRequired[Int64 | None]
    peak_viewers: NotRequired[Int64 | None]
    platforms: list[str]
    """
    Platforms, sorted.
    """
    session_type: StreamSessionType
    """
    Kind.
    """
    started_at: Timestamp
    """
    Start of the first broadcast.
    """
    streams: list[StreamReportBroadcast]
    """
    Broadcasts by start.
    """
    title: NotRequired[str | None]
    """
    Newest title, or null.
    """
    top_chatters: list[StreamReportChatter]
    """
    People with the most stored lines, at most 20.
    """
    top_emotes: list[StreamReportEmote]
    """
    Emotes by use, at most 20.
    """
    top_gifs: list[StreamReportGif]
    """
    Animated pictures by use, at most 20.
    """
    total_messages: Int64
    """
    Chat lines.
    """
    totals: StreamReportTotals
    """
    Sums of events.
    """
    unique_chatters: NotRequired[Int64 | None]


class AutomationDryRun(TypedDict):
    """
    Outcome of a dry run.
    """

    status: AutomationDryRunStatus
    """
    Ending.
    """
    steps: list[AutomationDryRunStep]
    """
    Steps in their order.
    """


class ChannelConnection(TypedDict):
    """
    A channel that an account has connected. Its tokens are never returned.
    """

    avatar_url: NotRequired[str | None]
    """
    URL of the channel's picture; null without one.
    """
    bot_enabled: bool
    """
    True when the bot is to join the channel.
    """
    channel_name: str
    """
    Login name of the channel on the platform.
    """
    connected_at: Timestamp
    """
    Time of the connecting.
    """
    connected_by: NotRequired[str | None]
    """
    Person who connected it; null when the person is deleted or a key connected it.
    """
    credential_source: str
    """
    Owner of the application that the connection is pinned to: `system` or `account`.
    """
    display_name: str
    """
    Displayed name of the channel.
    """
    expires_at: NotRequired[Timestamp | None]
    health: ConnectionHealth
    """
    Deliveries of the platform, times of the last events, and the reader of the channel.
    """
    id: str
    """
    Id of the connection.
    """
    platform: str
    """
    `twitch`, `youtube`, `kick`, `trovo` or `spotify`.
    """
    platform_channel_id: str
    """
    The platform's id of the channel.
    """
    reconnect_required: bool
    """
    True when the channel must be connected again before it works.
    """
    scopes: list[str]
    """
    Scopes that the platform granted.
    """


class CollectionModerationLogEntry(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[ModerationLogEntry]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class EnvelopedAutomationDryRun(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: AutomationDryRun
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedChannelConnection(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: ChannelConnection
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedExtensionInstall(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: ExtensionInstall
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedExtensionMetrics(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: ExtensionMetrics
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedGqlIdea(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: GqlIdea
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedGqlIdeaConnection(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: GqlIdeaConnection
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedMusicCheck(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: MusicCheck
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedPublicChannelStats(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: PublicChannelStats
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedPublicDeveloperTeamProfile(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: PublicDeveloperTeamProfile
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedStoreExtensionDetail(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: StoreExtensionDetail
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedStreamReport(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: StreamReport
    _links: SelfLink
    """
    Links of the resource.
    """


Event: TypeAlias = EventTwitchFollower | EventTwitchSubscribe | EventTwitchResub | EventTwitchGiftSub | EventTwitchCheer | EventTwitchRaid | EventTwitchReward | EventTwitchHypeTrain | EventTwitchHypeTrainEnd | EventTwitchPoll | EventTwitchPollEnd | EventTwitchPrediction | EventTwitchPredictionLock | EventTwitchPredictionEnd | EventTwitchGoal | EventTwitchGoalEnd | EventTwitchAdBreak | EventTwitchBan | EventTwitchUnban | EventTwitchStreamOnline | EventTwitchStreamOffline | EventTwitchStreamUpdate | EventYoutubeSubscriber | EventYoutubeMember | EventYoutubeMemberMilestone | EventYoutubeMemberGift | EventYoutubeSuperchat | EventYoutubeSupersticker | EventYoutubeStreamOnline | EventYoutubeStreamOffline | EventKickFollower | EventKickSubscribe | EventKickGiftSub | EventKickRaid | EventKickStreamOnline | EventKickStreamOffline | EventTrovoFollower | EventTrovoSubscribe | EventTrovoGiftSub | EventTrovoSpell | EventTrovoRaid | EventTrovoStreamOnline | EventTrovoStreamOffline | EventStreamelementsTip | EventSpotifyTrack | EventShopifyOrder | EventCustom
"""
Event of an account.
"""


class ListedChannelConnection(TypedDict):
    """
    A whole list: `{ data: [], _links: { self } }`.
    """

    data: list[ChannelConnection]
    """
    All entries.
    """
    _links: ListLinks
    """
    Links of the list.
    """


OauthConnection: TypeAlias = ChannelConnection | BotConnection | DiscordGuild
"""
Connection that was made.
"""


class OauthExchange(TypedDict):
    """
    Result of an authorization.
    """

    connection: OauthConnection
    """
    Connection.
    """
    kind: OauthKind
    """
    Kind of the connection.
    """
    platform: str
    """
    Slug of the platform.
    """
    return_to: NotRequired[str | None]
    """
    Address where the client continues. Null when none was given or it is no longer allowed.
    """


class SharedStreamReport(TypedDict):
    """
    Report that a shared link shows.
    """

    allow_export: bool
    """
    True when the report can be exported through the link.
    """
    report: StreamReport
    """
    Report without the platforms' ids and the pictures of chatters.
    """
    samples: list[StreamSample]
    """
    Samples, one for each minute and platform, by time.
    """


class CollectionEvent(TypedDict):
    """
    One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
    """

    data: list[Event]
    """
    Rows of the page.
    """
    _links: PagedLinks
    """
    Links of the page.
    """
    _meta: PageMeta
    """
    Numbers of the page.
    """


class EnvelopedEvent(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: Event
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedOauthExchange(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: OauthExchange
    _links: SelfLink
    """
    Links of the resource.
    """


class EnvelopedSharedStreamReport(TypedDict):
    """
    A single resource: `{ data, _links: { self } }`.
    """

    data: SharedStreamReport
    _links: SelfLink
    """
    Links of the resource.
    """
