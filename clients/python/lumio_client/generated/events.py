"""Generated from the AsyncAPI document by `./scripts/clients --update`. Edits are lost."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict

from typing_extensions import NotRequired


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


BroadcastStatus: TypeAlias = Literal['live', 'upcoming']
"""
State of a broadcast.
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


ErrorCode: TypeAlias = Literal['UNAUTHORIZED', 'FEATURE_DISABLED', 'INVALID_MESSAGE', 'INVALID_CHANNEL', 'FORBIDDEN', 'TOO_MANY_SUBSCRIPTIONS', 'RATE_LIMIT_EXCEEDED', 'PAYLOAD_TOO_LARGE', 'TOKEN_EXPIRED', 'TOKEN_REVOKED', 'INTERNAL_SERVER_ERROR']


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


InstallStopReason: TypeAlias = Literal['suspended', 'version_withdrawn', 'global_off', 'plan_locked', 'account_override', 'killed', 'disabled']
"""
Reason why an install does not run: the first of these that holds.
"""


Int64: TypeAlias = int
"""
Whole number of 64 bits, written as a number (docs/reference/billing.md#64-bit-numbers).
"""


Json: TypeAlias = dict[str, Any]
"""
Any JSON value. Output is nested. Input is nested through variables (see the request's coercion) or JSON
text.
"""


Locale: TypeAlias = Literal['en', 'de']
"""
Language of the account.
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


Timestamp: TypeAlias = str
"""
Moment: RFC 3339 in UTC with exactly three digits of a second and `Z`. Every time that leaves the API has
this type; neither GraphQL nor the OpenAPI document knows `DateTime`, so none leaves it in another form.
"""


UnsubscribeReason: TypeAlias = Literal['permission_revoked', 'feature_disabled', 'resource_deleted']
"""
Reason why the server ended a subscription.
"""


class AckFrame(TypedDict):
    """
    The published event was accepted.
    """

    request_id: NotRequired[str | float]
    type: Literal['ack']


class ConnectedFrame(TypedDict):
    """
    First frame of a session.
    """

    heartbeat_interval_ms: int
    """
    Interval of pings; a client without any frame for 75 seconds is disconnected.
    """
    server_time: str
    session_id: str
    type: Literal['connected']


class ErrorFrame(TypedDict):
    """
    A refused request, or the end of the session: the two `TOKEN_` codes precede the close of the socket,
    all others keep it open.
    """

    channel: NotRequired[str]
    code: ErrorCode
    message: str
    request_id: NotRequired[str | float]
    type: Literal['error']


class PongFrame(TypedDict):
    """
    Response to a ping.
    """

    request_id: NotRequired[str | float]
    ts: NotRequired[Any]
    type: Literal['pong']


class ResultFrame(TypedDict):
    """
    Result of a call.
    """

    data: Any
    request_id: str | float
    type: Literal['result']


class SubscribedFrame(TypedDict):
    """
    The subscription exists from now on.
    """

    channel: str
    recovered: NotRequired[bool]
    """
    Present only when `after` was given: true when exactly the missed events follow.
    """
    request_id: NotRequired[str | float]
    type: Literal['subscribed']


class UnsubscribedFrame(TypedDict):
    """
    The subscription has ended.
    """

    channel: str
    reason: NotRequired[UnsubscribeReason]
    """
    Present only when the client did not ask for it.
    """
    request_id: NotRequired[str | float]
    type: Literal['unsubscribed']


class Data(TypedDict):
    automation_id: str
    branch: NotRequired[str | None]
    duration_ms: NotRequired[int | None]
    error: NotRequired[str | None]
    node_id: str
    position: int
    run_id: str
    started_at: str
    status: str


class AutomationNodeFinishedEvent(TypedDict):
    """
    A step of a run ended. The run has its input and output.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['automation:node_finished']
    data: Data
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data1(TypedDict):
    automation_id: str
    error: NotRequired[str | None]
    finished_at: str
    run_id: str
    status: str


class AutomationRunFinishedEvent(TypedDict):
    """
    A run ended: it `succeeded`, `failed` or was `cancelled`.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['automation:run_finished']
    data: Data1
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data2(TypedDict):
    automation_id: str
    is_test: bool
    run_id: str
    started_at: str
    status: str
    trigger: Any


class AutomationRunStartedEvent(TypedDict):
    """
    A run began.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['automation:run_started']
    data: Data2
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data3(TypedDict):
    action: str
    automation_id: str
    version: int


class AutomationUpdatedEvent(TypedDict):
    """
    An automation was `created`, `updated` or `deleted`; `version` is that of its graph.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['automation:updated']
    data: Data3
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data4(TypedDict):
    install_id: str


class BotModuleKilledEvent(TypedDict):
    """
    The triggers of an install were stopped.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['bot_module:killed']
    data: Data4
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data5(TypedDict):
    platform: str


class ChatClearEvent(TypedDict):
    """
    The whole chat was removed.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['chat:clear']
    data: Data5
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data6(TypedDict):
    action: str
    duration_secs: NotRequired[int | None]
    moderator_id: NotRequired[str | None]
    moderator_platform_user_id: NotRequired[str | None]
    platform: str
    platform_user_id: str


class ChatClearUserEvent(TypedDict):
    """
    Everything that somebody wrote was removed; `action` is `ban`, `timeout` or `clear`. `moderator_id` is the user of Lumio who did it, where one did.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['chat:clear_user']
    data: Data6
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data7(TypedDict):
    message_id: str
    platform: str


class ChatDeleteMessageEvent(TypedDict):
    """
    A message was removed; `message_id` is the platform's.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['chat:delete_message']
    data: Data7
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data8(TypedDict):
    platform: str
    platform_user_id: str
    profile: NotRequired[Any]


class ChatUserUpdatedEvent(TypedDict):
    """
    What is known of a chatter changed.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['chat:user_updated']
    data: Data8
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data9(TypedDict):
    action: str
    kind: str
    platform: str


class ConnectionsUpdatedEvent(TypedDict):
    """
    A connection was made, flagged, changed or ended.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['connections:updated']
    data: Data9
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data10(TypedDict):
    install_id: NotRequired[str | None]
    payload: NotRequired[Any]
    topic: str


class ExtPushEvent(TypedDict):
    """
    A handler of the extension pushed something; pages of overlays and widgets get the install's id.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['ext:push']
    data: Data10
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data11(TypedDict):
    install_id: str
    value: Any
    version: int


class ExtStorageEvent(TypedDict):
    """
    The storage of an install with a layer was replaced.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['ext:storage']
    data: Data11
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class FeaturesUpdatedEvent(TypedDict):
    """
    Features of the account changed: ask for them again.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['features:updated']
    data: dict[str, Any]
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data12(TypedDict):
    id: str


class InstallRemovedEvent(TypedDict):
    """
    An extension was uninstalled.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['install:removed']
    data: Data12
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data13(TypedDict):
    id: str
    version: str


class InstallUpdateAvailableEvent(TypedDict):
    """
    A newer version waits for the account's consent.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['install:update_available']
    data: Data13
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data14(TypedDict):
    id: str


class InstallUpdatedEvent(TypedDict):
    """
    An install was configured, switched or brought to another version; some sources send its id alone.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['install:updated']
    data: Data14
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data15(TypedDict):
    assets: Any
    bundle_tokens: Any
    layer: NotRequired[Any]
    layer_id: str
    storages: Any
    version: int
    visible: bool


class LayerVisibilityEvent(TypedDict):
    """
    A layer was shown or hidden; `layer` is null when it is hidden.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['layer:visibility']
    data: Data15
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data16(TypedDict):
    change: str
    membership_id: str
    user_id: str


class MembersUpdatedEvent(TypedDict):
    """
    Somebody joined, left or changed roles.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['members:updated']
    data: Data16
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data17(TypedDict):
    id: NotRequired[str | None]
    unread_count: int


class NotificationReadEvent(TypedDict):
    """
    Notifications were read: one, or without an id all.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['notification:read']
    data: Data17
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data18(TypedDict):
    command: str
    command_id: str
    issued_at: str
    scene: NotRequired[str | None]
    source: NotRequired[str | None]
    visible: NotRequired[bool | None]


class ObsCommandEvent(TypedDict):
    """
    A command for the page that controls OBS on the streamer's machine.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['obs:command']
    data: Data18
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data19(TypedDict):
    active: bool
    paused: bool
    state: str


class ObsRecordStateEvent(TypedDict):
    """
    The recording began, was paused or ended.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['obs:record_state']
    data: Data19
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data20(TypedDict):
    scene: str


class ObsSceneChangedEvent(TypedDict):
    """
    Another scene is on air.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['obs:scene_changed']
    data: Data20
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data21(TypedDict):
    connected: bool
    current_scene: NotRequired[str | None]
    error: NotRequired[str | None]
    recording: bool
    streaming: bool
    updated_at: str


class ObsStatusEvent(TypedDict):
    """
    The connection to OBS changed, or what is known of OBS.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['obs:status']
    data: Data21
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data22(TypedDict):
    active: bool
    state: str


class ObsStreamStateEvent(TypedDict):
    """
    The stream began or ended.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['obs:stream_state']
    data: Data22
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data23(TypedDict):
    alerts: Any
    assets: Any
    bundle_tokens: Any
    layers: Any
    now_playing: NotRequired[Any]
    overlay: Any
    recent_events: Any
    server_time: str
    storages: Any
    version: int


class OverlayLayersUpdatedEvent(TypedDict):
    """
    Layers changed; all layers that show, as in a snapshot, without `emotes`.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['overlay:layers_updated']
    data: Data23
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data24(TypedDict):
    alerts: Any
    assets: Any
    bundle_tokens: Any
    emotes: NotRequired[Any]
    layers: Any
    now_playing: NotRequired[Any]
    overlay: Any
    recent_events: Any
    server_time: str
    storages: Any
    version: int


class OverlaySnapshotEvent(TypedDict):
    """
    The whole state of the page: after each subscription, and after changes of settings and installs.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['overlay:snapshot']
    data: Data24
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data25(TypedDict):
    change: NotRequired[str | None]
    layer_id: NotRequired[str | None]
    overlay: NotRequired[Any]
    overlay_id: str
    user_id: NotRequired[str | None]
    version: int


class OverlayUpdatedEvent(TypedDict):
    """
    An overlay changed. Editors get the part that changed (`overlay`, `layers`, `layer`, `deleted`) and who changed it; the page gets the overlay.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['overlay:updated']
    data: Data25
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data26(TypedDict):
    account_id: NotRequired[str | None]


class PermissionsUpdatedEvent(TypedDict):
    """
    What the person may do changed, in an account or beyond accounts.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['permissions:updated']
    data: Data26
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data27(TypedDict):
    plan_id: str
    plan_slug: str


class PlanUpdatedEvent(TypedDict):
    """
    The account is on another plan.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['plan:updated']
    data: Data27
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data28(TypedDict):
    platform: str
    poll: Any


class PollUpdatedEvent(TypedDict):
    """
    A poll began, changed or ended.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['poll:updated']
    data: Data28
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data29(TypedDict):
    platform: str
    prediction: Any


class PredictionUpdatedEvent(TypedDict):
    """
    A prediction began, changed or ended.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['prediction:updated']
    data: Data29
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data30(TypedDict):
    data: Any
    session_id: str
    user_id: NotRequired[str | None]


class PresenceCursorEvent(TypedDict):
    """
    Somebody moved the pointer; `data` is the client's.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['presence:cursor']
    data: Data30
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data31(TypedDict):
    session_id: str
    user_id: NotRequired[str | None]


class PresenceJoinEvent(TypedDict):
    """
    Somebody opened the overlay.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['presence:join']
    data: Data31
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class PresenceLeaveEvent(TypedDict):
    """
    Somebody closed the overlay.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['presence:leave']
    data: Data31
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data33(TypedDict):
    data: Any
    session_id: str
    user_id: NotRequired[str | None]


class PresenceSelectionEvent(TypedDict):
    """
    Somebody selected layers; `data` is the client's.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['presence:selection']
    data: Data33
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data34(TypedDict):
    platform: str
    raid: Any


class RaidUpdatedEvent(TypedDict):
    """
    A raid of the channel's began or was cancelled.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['raid:updated']
    data: Data34
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data35(TypedDict):
    role_id: NotRequired[str | None]


class RolesUpdatedEvent(TypedDict):
    """
    A role changed; without a role, what everybody in the account may do.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['roles:updated']
    data: Data35
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data36(TypedDict):
    session_id: str


class SessionRevokedEvent(TypedDict):
    """
    A session of the person was revoked.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['session:revoked']
    data: Data36
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data37(TypedDict):
    action: str
    sound_id: str


class SoundListUpdatedEvent(TypedDict):
    """
    A sound was `created`, `updated` or `deleted`.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['sound:list:updated']
    data: Data37
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data38(TypedDict):
    sound_id: str
    target: NotRequired[Any]
    url: str
    volume: float


class SoundPlayEvent(TypedDict):
    """
    A sound is to be played by the `target`, or by every browser source. `url` is valid for ten minutes; `volume` is from 0 to 1.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['sound:play']
    data: Data38
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data39(TypedDict):
    sound_id: NotRequired[str | None]
    target: NotRequired[Any]


class SoundStopEvent(TypedDict):
    """
    A sound, or without an id every sound, is to end in the `target`, or in every browser source.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['sound:stop']
    data: Data39
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data40(TypedDict):
    artist: str
    status: str
    title: str
    track_id: NotRequired[str | None]


class SpotifyCopyrightAlertEvent(TypedDict):
    """
    A song of the list of blocked songs plays while the account is on air.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['spotify:copyright_alert']
    data: Data40
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data41(TypedDict):
    progress_ms: NotRequired[int | None]
    track_id: NotRequired[str | None]


class SpotifyPauseEvent(TypedDict):
    """
    The song was paused.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['spotify:pause']
    data: Data41
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class SpotifyPlayEvent(TypedDict):
    """
    The song goes on.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['spotify:play']
    data: Data41
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class SpotifyQueueEvent(TypedDict):
    """
    The queue changed: ask for it again.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['spotify:queue']
    data: dict[str, Any]
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data43(TypedDict):
    track_id: NotRequired[str | None]


class SpotifySkipEvent(TypedDict):
    """
    The song was left before its end.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['spotify:skip']
    data: Data43
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data44(TypedDict):
    device: NotRequired[Any]
    is_playing: bool
    progress_ms: NotRequired[int | None]
    repeat: str
    shuffle: bool
    volume: NotRequired[int | None]


class SpotifyStateEvent(TypedDict):
    """
    The player changed, or its position did.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['spotify:state']
    data: Data44
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data45(TypedDict):
    album: NotRequired[str | None]
    artist: NotRequired[str | None]
    artists: Any
    copyright_status: NotRequired[str | None]
    duration_ms: NotRequired[int | None]
    image_url: NotRequired[str | None]
    is_playing: bool
    progress_ms: NotRequired[int | None]
    title: NotRequired[str | None]
    track_id: NotRequired[str | None]
    uri: NotRequired[str | None]
    url: NotRequired[str | None]


class SpotifyTrackEvent(TypedDict):
    """
    Another song plays; null keys: none. `copyright_status` is `safe`, `blocked`, `reported` or `unknown`.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['spotify:track']
    data: Data45
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data46(TypedDict):
    value: Any
    version: int


class StorageUpdatedEvent(TypedDict):
    """
    The storage of the install was replaced.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['storage:updated']
    data: Data46
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data47(TypedDict):
    broadcaster_id: NotRequired[str | None]
    broadcaster_name: NotRequired[str | None]
    platform: str


class StreamOfflineEvent(TypedDict):
    """
    A stream ended; comes beside `event:new`.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['stream:offline']
    data: Data47
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data48(TypedDict):
    broadcaster_id: NotRequired[str | None]
    broadcaster_name: NotRequired[str | None]
    platform: str
    started_at: NotRequired[str | None]


class StreamOnlineEvent(TypedDict):
    """
    A stream began; comes beside `event:new`.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['stream:online']
    data: Data48
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class Data49(TypedDict):
    alerts: Any
    assets: Any
    bundle_tokens: Any
    emotes: NotRequired[Any]
    layers: Any
    now_playing: NotRequired[Any]
    recent_events: Any
    server_time: str
    storages: Any
    widget: Any


class WidgetSnapshotEvent(TypedDict):
    """
    The whole state of the page, after each subscription.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['widget:snapshot']
    data: Data49
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class WidgetUpdatedEvent(TypedDict):
    """
    The widget changed; the whole state, as in a snapshot.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['widget:updated']
    data: Data49
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


AutomationsChannelEvent: TypeAlias = AutomationNodeFinishedEvent | AutomationRunFinishedEvent | AutomationRunStartedEvent | AutomationUpdatedEvent
"""
Event of `automations:{account_id}`. Who may listen: whoever holds the permission in the account, and system keys.
"""


ExtStorageChannelEvent: TypeAlias = ExtPushEvent | StorageUpdatedEvent
"""
Event of `ext-storage:{install_id}`. Who may listen: the extension token of the install, whoever holds the permission in its account, and system keys.
"""


ObsChannelEvent: TypeAlias = ObsCommandEvent | ObsRecordStateEvent | ObsSceneChangedEvent | ObsStatusEvent | ObsStreamStateEvent
"""
Event of `obs:{account_id}`. Who may listen: whoever holds the permission in the account, and system keys.
"""


OverlayEditorChannelEvent: TypeAlias = OverlayUpdatedEvent | PresenceCursorEvent | PresenceJoinEvent | PresenceLeaveEvent | PresenceSelectionEvent
"""
Event of `overlay-editor:{overlay_id}`. Who may listen: whoever holds the permission in the account and reaches the overlay.
"""


SoundsChannelEvent: TypeAlias = SoundListUpdatedEvent | SoundPlayEvent | SoundStopEvent
"""
Event of `sounds:{account_id}`. Who may listen: any session or key of a member, popouts, keys of the account, and system keys.
"""


SpotifyChannelEvent: TypeAlias = SpotifyCopyrightAlertEvent | SpotifyPauseEvent | SpotifyPlayEvent | SpotifyQueueEvent | SpotifySkipEvent | SpotifyStateEvent | SpotifyTrackEvent
"""
Event of `spotify:{account_id}`. Who may listen: whoever holds the permission in the account, and system keys.
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


class InstallEffective(TypedDict):
    """
    Effective state of an install.
    """

    reason: NotRequired[InstallStopReason | None]
    runs: bool
    """
    True when it runs.
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


class ChannelStatusUpdatedEvent(TypedDict):
    """
    What is known of a channel changed.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['channel_status:updated']
    data: ChannelStatus
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class ChatMessageEvent(TypedDict):
    """
    Somebody wrote. A simulated line has `is_test: true` beside its fields.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['chat:message']
    data: ChatMessage
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class NotificationNewEvent(TypedDict):
    """
    A notification arrived.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['notification:new']
    data: Notification
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class SettingsUpdatedEvent(TypedDict):
    """
    The settings of the account, as they are now.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['settings:updated']
    data: AccountSettings
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


AccountChannelEvent: TypeAlias = ConnectionsUpdatedEvent | FeaturesUpdatedEvent | MembersUpdatedEvent | PlanUpdatedEvent | RolesUpdatedEvent | SettingsUpdatedEvent
"""
Event of `account:{account_id}`. Who may listen: any session or key of a member, keys of the account, and system keys.
"""


ChatChannelEvent: TypeAlias = ChatClearEvent | ChatClearUserEvent | ChatDeleteMessageEvent | ChatMessageEvent | ChatUserUpdatedEvent | PollUpdatedEvent | PredictionUpdatedEvent | RaidUpdatedEvent
"""
Event of `chat:{account_id}`. Who may listen: whoever holds the permission in the account, and system keys.
"""


UserChannelEvent: TypeAlias = NotificationNewEvent | NotificationReadEvent | PermissionsUpdatedEvent | SessionRevokedEvent
"""
Event of `user:{user_id}`. Who may listen: sessions of the person, and system keys.
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


class InstallCreatedEvent(TypedDict):
    """
    An extension was installed.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['install:created']
    data: ExtensionInstall
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


ExtensionsChannelEvent: TypeAlias = BotModuleKilledEvent | InstallCreatedEvent | InstallRemovedEvent | InstallUpdateAvailableEvent | InstallUpdatedEvent
"""
Event of `extensions:{account_id}`. Who may listen: whoever holds the permission in the account, and system keys.
"""


Event: TypeAlias = EventTwitchFollower | EventTwitchSubscribe | EventTwitchResub | EventTwitchGiftSub | EventTwitchCheer | EventTwitchRaid | EventTwitchReward | EventTwitchHypeTrain | EventTwitchHypeTrainEnd | EventTwitchPoll | EventTwitchPollEnd | EventTwitchPrediction | EventTwitchPredictionLock | EventTwitchPredictionEnd | EventTwitchGoal | EventTwitchGoalEnd | EventTwitchAdBreak | EventTwitchBan | EventTwitchUnban | EventTwitchStreamOnline | EventTwitchStreamOffline | EventTwitchStreamUpdate | EventYoutubeSubscriber | EventYoutubeMember | EventYoutubeMemberMilestone | EventYoutubeMemberGift | EventYoutubeSuperchat | EventYoutubeSupersticker | EventYoutubeStreamOnline | EventYoutubeStreamOffline | EventKickFollower | EventKickSubscribe | EventKickGiftSub | EventKickRaid | EventKickStreamOnline | EventKickStreamOffline | EventTrovoFollower | EventTrovoSubscribe | EventTrovoGiftSub | EventTrovoSpell | EventTrovoRaid | EventTrovoStreamOnline | EventTrovoStreamOffline | EventStreamelementsTip | EventSpotifyTrack | EventShopifyOrder | EventCustom
"""
Event of an account.
"""


class EventNewEvent(TypedDict):
    """
    Something happened to the account: `event_type` of the resource says what.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['event:new']
    data: Event
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


class EventTestEvent(TypedDict):
    """
    The same for an event that was made to be looked at.
    """

    type: Literal['event']
    channel: str
    event_type: Literal['event:test']
    data: Event
    id: str
    """
    UUID of version 7; the position of a subscription.
    """
    timestamp: str


EventsChannelEvent: TypeAlias = ChannelStatusUpdatedEvent | EventNewEvent | EventTestEvent | StreamOfflineEvent | StreamOnlineEvent
"""
Event of `events:{account_id}`. Who may listen: whoever holds the permission in the account, and system keys.
"""


OverlayChannelEvent: TypeAlias = ChatClearEvent | ChatClearUserEvent | ChatDeleteMessageEvent | ChatMessageEvent | EventNewEvent | ExtPushEvent | ExtStorageEvent | LayerVisibilityEvent | OverlayLayersUpdatedEvent | OverlaySnapshotEvent | OverlayUpdatedEvent | SoundPlayEvent | SoundStopEvent | SpotifyPauseEvent | SpotifyPlayEvent | SpotifyStateEvent | SpotifyTrackEvent
"""
Event of `overlay:{key}`. Who may listen: the token of the overlay and its shares.
"""


WidgetChannelEvent: TypeAlias = ChatClearEvent | ChatClearUserEvent | ChatDeleteMessageEvent | ChatMessageEvent | EventNewEvent | ExtPushEvent | ExtStorageEvent | SoundPlayEvent | SoundStopEvent | SpotifyPauseEvent | SpotifyPlayEvent | SpotifyStateEvent | SpotifyTrackEvent | WidgetSnapshotEvent | WidgetUpdatedEvent
"""
Event of `widget:{widget_id}`. Who may listen: the token of the widget, and whoever holds the permission in the account and reaches the widget.
"""


CLOSE_CODES: list[tuple[int, str, bool]] = [
    (1000, '', False),
    (1001, 'server shutdown', True),
    (1001, 'no sign of life', True),
    (1001, 'events were lost, resume', True),
    (1002, 'protocol error', False),
    (1003, 'binary frames are not accepted', False),
    (1007, 'text is not UTF-8', False),
    (1009, 'message larger than 64 KiB', False),
    (4001, 'token expired', False),
    (4002, 'token revoked', False),
    (4003, 'slow consumer', True),
    (4008, 'rate limit', False),
    (4008, 'no subscription', False),
]
"""Code, reason, and whether a client connects again by itself."""

SOCKET_LIMITS: dict[str, int] = {
    "heartbeat_interval_ms": 30000,
    "message_bytes": 65536,
    "queued_frames": 512,
    "seconds_without_subscription": 60,
    "subscriptions": 100,
}
"""Limits of a socket."""
