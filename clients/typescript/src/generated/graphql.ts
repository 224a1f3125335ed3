// Generated from the GraphQL schema by `./scripts/clients --update`. Edits are lost.

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** Types of a document, as other GraphQL clients read them. */
export interface DocumentTypeDecoration<TResult, TVariables> {
  __apiType?: (variables: TVariables) => TResult;
}
/** Effect of a step. */
export type AccessStepEffect =
  /** It admits the call, as far as it goes. */
  | 'GRANTS'
  /** It refuses the call, unless a later source of the same check grants. */
  | 'DENIES'
  /** It decides nothing by itself. */
  | 'NEUTRAL';

/**
 * Subject of a step. Checks are `credential`, `permission` and `feature`; the others are sources of what the next
 * check reads.
 */
export type AccessStepKind =
  /** Check of the kind of credential. */
  | 'CREDENTIAL'
  /** Membership of the person in the account. */
  | 'MEMBERSHIP'
  /** Role of the member. */
  | 'ROLE'
  /** Permission override of the account. */
  | 'OVERRIDE'
  /** Scopes of a key or popout. */
  | 'SCOPES'
  /** Rights of the member who made a popout. */
  | 'MAKER'
  /** Role of operator staff. */
  | 'ADMIN_ROLE'
  /** Platform-wide role of the person. */
  | 'USER_ROLE'
  /** Permission override of the person. */
  | 'USER_OVERRIDE'
  /** Check of the permission. */
  | 'PERMISSION'
  /** Global switch of a feature flag. */
  | 'SWITCH'
  /** Plan of the account. */
  | 'PLAN'
  /** Override of a feature flag for the account. */
  | 'FEATURE_OVERRIDE'
  /** Check of the feature flag. */
  | 'FEATURE'
  /** Part that the operation decides by its input. */
  | 'INPUT';

/** State of an archive. */
export type AccountArchiveStatus =
  /** It waits for a worker. */
  | 'QUEUED'
  /** A worker makes it. */
  | 'RUNNING'
  /** It can be downloaded. */
  | 'READY'
  /** It could not be made. */
  | 'FAILED'
  /** It was discarded, because a person whom it named was erased. */
  | 'DISCARDED';

/** Override of the global switch of account creation for a person (docs/reference/features.md#account-creation). */
export type AccountCreationOverride =
  /** The global switch decides. */
  | 'DEFAULT'
  /** Always allowed. */
  | 'ALLOW'
  /** Always blocked. */
  | 'DENY';

/** Kind of key that carries a scope. */
export type ApiKeyKind =
  /** Key of a person in an account. */
  | 'PERSONAL'
  /** Key of an account, without a person. */
  | 'SERVICE';

/** Kind of the actor of a change. */
export type AuditActorType =
  /** A person. */
  | 'USER'
  /** A service key of the account. */
  | 'SERVICE_KEY'
  /** The service itself, by a job or at the command line. */
  | 'SYSTEM'
  /** An install of an extension. */
  | 'EXTENSION'
  /** An automation of the account. */
  | 'AUTOMATION';

/** Scope of an audit log. */
export type AuditScope =
  /** Entries that belong to no account or person. */
  | 'SYSTEM'
  /** Entries of accounts. */
  | 'ACCOUNT'
  /** Entries of people. */
  | 'USER';

/** Ending of a dry run. */
export type AutomationDryRunStatus =
  /** No step failed, or its failure was handled. */
  | 'SUCCEEDED'
  /** A step failed. */
  | 'FAILED';

/** Role of a node in an automation. */
export type AutomationNodeKind =
  /** Starts runs. */
  | 'TRIGGER'
  /** Decides how a run goes on. */
  | 'LOGIC'
  /** Has an effect. */
  | 'ACTION';

/** Role of a node in an automation. */
export type AutomationNodeType =
  /** Starts the automation. */
  | 'TRIGGER'
  /** Has an effect. */
  | 'ACTION'
  /** Decides on the path. */
  | 'LOGIC';

/** State of a run. */
export type AutomationRunStatus =
  /** Waits for its begin. */
  | 'QUEUED'
  /** Has begun. */
  | 'RUNNING'
  /** Ended without a failure that was not handled. */
  | 'SUCCEEDED'
  /** A step failed. */
  | 'FAILED'
  /** Was cancelled. */
  | 'CANCELLED'
  /** Never begins, because the automation was started too often. */
  | 'SKIPPED';

/** State of a step. */
export type AutomationStepStatus =
  /** Has begun. */
  | 'RUNNING'
  /** Done. */
  | 'SUCCEEDED'
  /** Failed. */
  | 'FAILED'
  /** A process ended within the step: its effect may have happened. */
  | 'UNKNOWN'
  /** The run was cancelled. */
  | 'CANCELLED';

/** Source of a trigger node's starts. */
export type AutomationTriggerMode =
  /** A webhook. */
  | 'WEBHOOK'
  /** Calls at an interval. */
  | 'POLLING'
  /** Webhook and calls at an interval. */
  | 'BOTH';

/** Interval of the payments for a plan. */
export type BillingInterval =
  /** One payment a month. */
  | 'MONTHLY'
  /** One payment a year. */
  | 'YEARLY';

/** Effect of a command. */
export type BotCommandResponseType =
  /** Sends the response unchanged. */
  | 'TEXT'
  /** Sends the response with its variables filled in. */
  | 'TEMPLATE'
  /** Starts an automation. */
  | 'AUTOMATION';

/**
 * Lowest role that may use a command. Each includes those after it: broadcaster, moderator, vip, subscriber,
 * follower, everyone.
 */
export type BotCommandRole =
  /** Every chatter. */
  | 'EVERYONE'
  /**
   * Only Trovo reports this role with each message. On other platforms a follower without a higher role
   * counts as everyone.
   */
  | 'FOLLOWER'
  /** Subscribers. */
  | 'SUBSCRIBER'
  /** VIPs. */
  | 'VIP'
  /** Moderators. */
  | 'MODERATOR'
  /** Broadcaster. */
  | 'BROADCASTER';

/** Owner of commands. */
export type BotCommandScope =
  /** Global commands, which every account has. */
  | 'GLOBAL'
  /** Commands of accounts. */
  | 'ACCOUNT';

/** Source of a module. */
export type BotModuleSource =
  /** Built-in module. */
  | 'BUILTIN'
  /** Installed extension. */
  | 'EXTENSION';

/** State of the bot in a channel. */
export type BotState =
  /** Bot is enabled, and there is a working identity for it. */
  | 'ACTIVE'
  /** Account switched it off, or staff paused it. */
  | 'PAUSED'
  /** Channel or bot must be connected, or connected again. */
  | 'NO_CONNECTION';

/** State of a broadcast. */
export type BroadcastStatus =
  /** On air. */
  | 'LIVE'
  /** Announced. */
  | 'UPCOMING';

/** Kind of a part of a message. */
export type ChatFragmentType =
  /** Plain text. */
  | 'TEXT'
  /** An emote. */
  | 'EMOTE'
  /** A mentioned user. */
  | 'MENTION'
  /** A cheermote with its bits. */
  | 'CHEERMOTE';

/** Sender of a message. */
export type ChatSender =
  /** The person, through the login that is assigned to them, else the channel. */
  | 'USER'
  /** The bot. */
  | 'BOT';

/** Result of a diagnosis. */
export type ConnectionDiagnosisStatus =
  /** No finding. */
  | 'OK'
  /** The channel works, or may work again by itself; something needs attention. */
  | 'WARNING'
  /** The channel does not work, or not fully. */
  | 'ERROR';

/** Kind of a finding. */
export type ConnectionFindingCode =
  /** The connection is flagged: it must be made again. */
  | 'RECONNECT_REQUIRED'
  /** The connection holds no token. */
  | 'TOKEN_MISSING'
  /** The token has expired and cannot be renewed now. */
  | 'TOKEN_EXPIRED'
  /** The platform refuses the token. */
  | 'TOKEN_REFUSED'
  /** The token lacks scopes. */
  | 'SCOPES_MISSING'
  /** The deployment has no application for the connection. */
  | 'APPLICATION_MISSING'
  /** The application of the connection was deleted or replaced. */
  | 'APPLICATION_GONE'
  /** The secret of the application cannot be decrypted. */
  | 'APPLICATION_UNDECRYPTABLE'
  /** The platform refuses the application or the call. */
  | 'APPLICATION_REFUSED'
  /** The platform did not answer, or not as documented. */
  | 'PLATFORM_UNAVAILABLE'
  /** The platform takes no further calls for a while. */
  | 'RATE_LIMITED'
  /** The clocks of this server and of the platform differ. */
  | 'CLOCK_SKEW'
  /** Deliveries that the platform had accepted are gone. */
  | 'SUBSCRIPTIONS_LOST'
  /** The platform refused deliveries. */
  | 'SUBSCRIPTIONS_REFUSED'
  /** Deliveries are not requested or confirmed yet. */
  | 'SUBSCRIPTIONS_PENDING'
  /** No daemon reads the channel. */
  | 'READER_MISSING'
  /** The daemon that reads the channel waits although the channel is live, or does not get through. */
  | 'READER_WAITING'
  /** The platform refuses the daemon that reads the channel. */
  | 'READER_REFUSED'
  /** The channel is live, and nothing has arrived for days. */
  | 'NO_EVENTS';

/** Severity of a finding. */
export type ConnectionFindingSeverity =
  /** The channel works, or may work again by itself. */
  | 'WARNING'
  /** The channel does not work, or not fully. */
  | 'ERROR';

/** State of the reader of a channel. */
export type ConnectionReaderState =
  /** The connection is being made. */
  | 'CONNECTING'
  /** Events arrive. */
  | 'READING'
  /**
   * The reader tries again later: the connection broke, the platform asked for a pause, the quota is
   * spent, or the channel is offline.
   */
  | 'WAITING'
  /** The platform refuses the reader. */
  | 'REFUSED';

/** Use of a platform. */
export type ConnectionType =
  /** Signing in. */
  | 'LOGIN'
  /** Connecting a channel. */
  | 'CHANNEL'
  /** Connecting a bot. */
  | 'BOT';

/** State of a candidate. */
export type CopyrightCandidateStatus =
  /** Waits for a decision. */
  | 'OPEN'
  /** Song is in a list of all accounts. */
  | 'APPROVED'
  /** No list was changed. */
  | 'DISMISSED';

/** List that a playlist fills. */
export type CopyrightPlaylistList =
  /** Songs that can be played. */
  | 'SAFE'
  /** Songs that are claimed. */
  | 'BLOCKED';

/** Copyright status of a song. */
export type CopyrightStatus =
  /** Song can be played. */
  | 'SAFE'
  /** Song is claimed and should not be played. */
  | 'BLOCKED'
  /** Song caused trouble. */
  | 'REPORTED'
  /** No list has the song. */
  | 'UNKNOWN';

/** Vote on a song. */
export type CopyrightVoteKind =
  /** Song is claimed and should not be played. */
  | 'BLOCKED'
  /** Song can be played. */
  | 'SAFE'
  /** Song caused trouble. */
  | 'REPORT'
  /** Song can be played, and others should know it. */
  | 'RECOMMEND';

/** Payments that a coupon discounts. */
export type CouponDuration =
  /** The first payment. */
  | 'ONCE'
  /** Every payment. */
  | 'FOREVER';

/** Kind of a connection. */
export type CredentialKind =
  /** Channel of an account. */
  | 'CHANNEL'
  /** Bot. */
  | 'BOT';

/** Intended owner of the application. */
export type CredentialMode =
  /** Application of the deployment. */
  | 'SYSTEM'
  /** Application of the account. */
  | 'ACCOUNT';

/** Status of an application. */
export type DeveloperApplicationStatus =
  /** Waits for a decision. */
  | 'PENDING'
  /** The applicant is a developer. */
  | 'APPROVED'
  /** The applicant may apply again. */
  | 'REJECTED';

/** Kind of an application. */
export type DeveloperApplicationType =
  /** A person who develops alone. */
  | 'SOLO'
  /** A team, whose owner is the applicant. */
  | 'TEAM';

/** Source of the value of a limit. */
export type DeveloperLimitSource =
  /** Default of the platform. */
  | 'DEFAULT'
  /** Override of the developer. */
  | 'DEVELOPER_OVERRIDE'
  /** Override of the extension. */
  | 'EXTENSION_OVERRIDE';

/** Method by which a developer is paid. */
export type DeveloperPayoutMethod =
  /** Connected account at the payment provider. */
  | 'CONNECT'
  /** Account at a wallet service, by its e-mail address. */
  | 'PAYPAL_STYLE'
  /** Bank transfer. */
  | 'BANK';

/** Status of a payout. `paid` and `failed` are final. */
export type DeveloperPayoutStatus =
  /** Requested, not yet started. */
  | 'PENDING'
  /** Started. */
  | 'PROCESSING'
  /** Paid. */
  | 'PAID'
  /** Failed; the amount is part of the balance again. */
  | 'FAILED';

/** Status of a verification. */
export type DeveloperVerificationStatus =
  /** Waits for a decision. */
  | 'PENDING'
  /** The developer is verified. */
  | 'VERIFIED'
  /** The developer may submit it again. */
  | 'REJECTED';

/** Feature that writes in a server. */
export type DiscordFeature =
  /** Notice that the channel is live. */
  | 'LIVE_NOTIFICATION'
  /** Feed of events. */
  | 'EVENT_FEED'
  /** Mirror of the chat. */
  | 'CHAT_MIRROR';

/** Status of a version (docs/reference/developers.md#version-states). */
export type ExtensionVersionStatus =
  /** Waits for its review. */
  | 'PENDING'
  /** Withdrawn by its developer. */
  | 'DRAFT'
  /** Approved for testers. */
  | 'TESTING'
  /** Waits for its publication after testing. */
  | 'PENDING_PUBLISH'
  /** Published. */
  | 'APPROVED'
  /** Refused by a reviewer. */
  | 'REJECTED'
  /** Published and no longer among the newest versions. */
  | 'ARCHIVED'
  /** Taken back by a reviewer. */
  | 'REVOKED';

/** Category of a flag, in display order. */
export type FeatureCategory =
  /** Parts of the deployment. */
  | 'SYSTEM'
  /** Platforms and their uses. */
  | 'PLATFORM'
  /** Built-in widgets. */
  | 'WIDGET'
  /** Parts of the product. */
  | 'FEATURE'
  /** Integrations with other services. */
  | 'INTEGRATION'
  /** Built-in bot modules. */
  | 'BOT_MODULE'
  /** Built-in action nodes of automations. */
  | 'AUTOMATION'
  /** Providers of copyright data. */
  | 'COPYRIGHT_PROVIDER'
  /** Types of events. */
  | 'EVENT';

/** Reason why a feature is off. */
export type FeatureDisabledReason =
  /** Off for every account. */
  | 'GLOBAL_OFF'
  /** Not part of the account's plan. */
  | 'PLAN_LOCKED'
  /** Switched off for the account. */
  | 'ACCOUNT_OVERRIDE'
  /** Switched off for the person (`system:account_creation` only). */
  | 'USER_OVERRIDE';

/** Subject of feedback. */
export type FeedbackCategory =
  /** A fault. */
  | 'BUG'
  /** The appearance. */
  | 'VISUAL'
  /** A missing feature. */
  | 'FEATURE'
  /** Any other comment. */
  | 'COMMENT';

/** Kind of a flagged connection. */
export type FlaggedConnectionKind =
  /** Login of the person. */
  | 'LOGIN'
  /** Channel of an account. */
  | 'CHANNEL';

/** Status of the deployment's own bot on a platform. */
export type GlobalBotStatus =
  /** No bot is connected. */
  | 'NOT_CONNECTED'
  /** The bot is connected. */
  | 'CONNECTED'
  /** The platform no longer accepts the bot's token. */
  | 'RECONNECT_REQUIRED';

/** Order of comments. */
export type IdeaCommentSort =
  /** Oldest first. */
  | 'OLDEST'
  /** Newest first. */
  | 'NEWEST'
  /** Highest score first: votes in favour less votes against. */
  | 'TOP';

/** Order of ideas. Ideas that are equal in it are ordered by their time of creation, newest first. */
export type IdeaSort =
  /** Newest first. */
  | 'NEWEST'
  /** Oldest first. */
  | 'OLDEST'
  /** Highest score first: votes in favour less votes against. */
  | 'MOST_VOTED'
  /** Most comments first. */
  | 'MOST_COMMENTED'
  /** Latest change first. */
  | 'RECENTLY_UPDATED'
  /** Highest score for its age first: score / (hours + 2)^1.5. The list ends after 500 ideas. */
  | 'TRENDING';

/** Status of an idea. */
export type IdeaStatus =
  /** Nothing is decided. */
  | 'open'
  /** It will be made. */
  | 'planned'
  /** It is being made. */
  | 'in_progress'
  /** It is made. The idea takes no new votes. */
  | 'done'
  /** It will not be made. The idea takes no new votes. */
  | 'declined';

/** Change of an idea. */
export type IdeaTimelineAction =
  /** The idea was created. */
  | 'created'
  /** Title or description were changed. */
  | 'edited'
  /** The status was changed. */
  | 'status_changed'
  /** The category was changed. */
  | 'category_changed'
  /** The tags were changed. */
  | 'tags_changed'
  /** A comment was deleted. */
  | 'comment_deleted';

/** Kind of a vote. */
export type IdeaVoteType =
  /** In favour. */
  | 'up'
  /** Against. */
  | 'down';

/** Importance of a line. */
export type InstallLogLevel =
  /** Information. */
  | 'INFO'
  /** Warning. */
  | 'WARN'
  /** Something failed. */
  | 'ERROR';

/** Reason why an install does not run: the first of these that holds. */
export type InstallStopReason =
  /** Staff suspended the extension. */
  | 'SUSPENDED'
  /** The version may not run, or not any more. */
  | 'VERSION_WITHDRAWN'
  /** A feature that it needs is off for all accounts. */
  | 'GLOBAL_OFF'
  /** A feature that it needs is not part of the account's plan. */
  | 'PLAN_LOCKED'
  /** A feature that it needs is switched off for the account. */
  | 'ACCOUNT_OVERRIDE'
  /** The kill switch stopped it. */
  | 'KILLED'
  /** The account switched it off. */
  | 'DISABLED';

/** Method by which an invite is delivered. */
export type InviteMethod =
  /** Address to open, usable by every holder. */
  | 'LINK'
  /** Code to enter, usable by every holder. */
  | 'TOKEN'
  /** Notification of one person. No other person can take the invite. */
  | 'PERSON';

/** Status of an invite. */
export type InviteStatus =
  /** The invite can be taken. */
  | 'ACTIVE'
  /** The maximum number of uses is reached. */
  | 'USED_UP'
  /** The time of expiry has passed. */
  | 'EXPIRED';

/** Step of a review. */
export type LimitRequestAction =
  /** Raises the limit. */
  | 'APPROVE'
  /** Leaves the limit as it is; needs notes. */
  | 'REJECT'
  /** Marks the request as in review. With notes, a request in review gets a comment. */
  | 'START_REVIEW';

/** Subject of a request. */
export type LimitRequestScope =
  /** The developer: the default of all their extensions. */
  | 'DEVELOPER'
  /** One extension. */
  | 'EXTENSION';

/** Status of a request. */
export type LimitRequestStatus =
  /** No reviewer has read it. */
  | 'OPEN'
  /** A reviewer has read it. */
  | 'IN_REVIEW'
  /** The limit was raised. */
  | 'APPROVED'
  /** The limit stays. */
  | 'REJECTED';

/** Language of the account. */
export type Locale =
  /** English. */
  | 'EN'
  /** German. */
  | 'DE';

/** Moderation action. REST accepts upper and lower case. */
export type ModerationAction =
  /** Bans a user. */
  | 'BAN'
  /** Times a user out. */
  | 'TIMEOUT'
  /** Removes a message. */
  | 'DELETE';

/** Action in the log. Only extensions lift bans. */
export type ModerationLogAction =
  /** Ban of a user. */
  | 'BAN'
  /** Time-out of a user. */
  | 'TIMEOUT'
  /** Removal of a message. */
  | 'DELETE'
  /** Lift of a ban. */
  | 'UNBAN';

/** Kind of a caller that moderates. */
export type ModeratorType =
  /** A person. */
  | 'USER'
  /** A service key of the account. */
  | 'SERVICE_KEY'
  /** An extension. */
  | 'EXTENSION'
  /** An automation of the account. */
  | 'AUTOMATION'
  /** Lumio itself. */
  | 'SYSTEM';

/** Channels on which notifications are delivered. */
export type NotificationChannel =
  /** None. */
  | 'OFF'
  /** Application. */
  | 'IN_APP'
  /** Mail. */
  | 'EMAIL'
  /** Application and mail. */
  | 'IN_APP_EMAIL';

/** Kind of a connection. */
export type OauthKind =
  /** Channel of an account. */
  | 'CHANNEL'
  /** Bot of an account. */
  | 'ACCOUNT_BOT'
  /** Bot of the deployment. */
  | 'GLOBAL_BOT'
  /** Discord server that the deployment's bot was added to. */
  | 'DISCORD_GUILD';

/** Content of a layer. */
export type OverlayLayerType =
  /** Alerts of events. */
  | 'ALERT_BOX'
  /** Chat. */
  | 'CHAT_BOX'
  /** List of events. */
  | 'EVENT_LIST'
  /** Text. */
  | 'TEXT'
  /** Image. */
  | 'IMAGE'
  /** Video. */
  | 'VIDEO'
  /** Timer. */
  | 'TIMER'
  /** Song that plays. */
  | 'MUSIC'
  /** Web page. */
  | 'BROWSER'
  /** HTML, CSS and JavaScript of the account. */
  | 'CUSTOM_HTML'
  /** Layer of an installed extension. */
  | 'EXTENSION';

/** Method by which a developer is paid. */
export type PayoutMethod =
  /** Connected account at the payment provider. */
  | 'CONNECT'
  /** Account at a wallet service such as PayPal. */
  | 'PAYPAL_STYLE'
  /** Bank transfer. */
  | 'BANK';

/** Status of a payout. `paid` and `failed` are final. */
export type PayoutStatus =
  /** Requested, not yet started. */
  | 'PENDING'
  /** Started. */
  | 'PROCESSING'
  /** Paid. */
  | 'PAID'
  /** Failed. */
  | 'FAILED';

/** Kind of limit. */
export type PlanLimitKey =
  /** Number of overlays. */
  | 'MAX_OVERLAYS'
  /** Bytes of uploads, sounds and extension uploads together. */
  | 'MAX_STORAGE_BYTES'
  /** Bytes of one upload. */
  | 'MAX_UPLOAD_SIZE_BYTES'
  /** Number of integrations. */
  | 'MAX_INTEGRATIONS'
  /** Days that chat is kept. */
  | 'CHAT_RETENTION_DAYS';

/** Source of a limit. */
export type PlanLimitSource =
  /** Plan of the account. */
  | 'PLAN'
  /** Value that staff set for the account. */
  | 'OVERRIDE';

/** State of a delivery. */
export type PlatformSubscriptionStatus =
  /** The platform delivers. */
  | 'ACTIVE'
  /** The platform has not confirmed it yet. */
  | 'PENDING'
  /** The platform refused the request. */
  | 'REFUSED'
  /** It was accepted, and the platform knows it no longer. */
  | 'LOST'
  /** The platform could not be asked. */
  | 'UNKNOWN';

/** Kind of an end before the time. */
export type PollEnding =
  /** Viewers still see it. */
  | 'TERMINATED'
  /** Viewers no longer see it. */
  | 'ARCHIVED';

/** State of a poll. */
export type PollStatus =
  /** Viewers may vote. */
  | 'ACTIVE'
  /** Its time has passed. */
  | 'COMPLETED'
  /** Ended before its time. */
  | 'TERMINATED'
  /** Ended and hidden from viewers. */
  | 'ARCHIVED'
  /** Removed by the platform. */
  | 'MODERATED'
  /** Ended for a reason that the platform does not know. */
  | 'INVALID';

/** New state of a prediction. */
export type PredictionEnding =
  /** Viewers may not predict any more; it must still be resolved or cancelled. */
  | 'LOCKED'
  /** The outcome is known. */
  | 'RESOLVED'
  /** All points are returned. */
  | 'CANCELLED';

/** State of a prediction. */
export type PredictionStatus =
  /** Viewers may predict. */
  | 'ACTIVE'
  /** Viewers may not predict any more. */
  | 'LOCKED'
  /** The outcome is known. */
  | 'RESOLVED'
  /** All points were returned. */
  | 'CANCELLED';

/** Holder of a limit. */
export type PresentLimitScope =
  /** The credential of the request, or its person over all accounts. */
  | 'CREDENTIAL'
  /** The account. */
  | 'ACCOUNT'
  /** The address of the request. */
  | 'ADDRESS';

/** Source of a limit. */
export type PresentLimitSource =
  /** Configuration of the deployment. */
  | 'CONFIGURATION'
  /** The same for everybody. */
  | 'CONSTANT'
  /** Plan of the account, or of the person's accounts. */
  | 'PLAN'
  /** Value that staff has set for the account. */
  | 'OVERRIDE'
  /** Budget that the account has set. */
  | 'BUDGET';

/** Provider of emotes. */
export type PublicEmoteProvider =
  /** Twitch. */
  | 'TWITCH'
  /** 7TV. */
  | 'SEVEN_TV'
  /** BetterTTV. */
  | 'BTTV'
  /** FrankerFaceZ. */
  | 'FFZ'
  /** YouTube. */
  | 'YOUTUBE'
  /** Kick. */
  | 'KICK';

/** Sort key of the directory. */
export type PublicStatsBrowseSort =
  /** Average of the viewers in the range. */
  | 'AVG_VIEWERS'
  /** Peak of the viewers in the range. */
  | 'PEAK_VIEWERS'
  /** Followers. */
  | 'FOLLOWERS'
  /** Hours on air in the range. */
  | 'HOURS_STREAMED'
  /** Chat messages in the range. */
  | 'TOTAL_MESSAGES'
  /** Time of the last stream. */
  | 'LAST_STREAMED_AT';

/** Sort key of the catalogue. */
export type PublicStatsEmotesSort =
  /** Number of times that it was used in the range. */
  | 'USAGE'
  /** Number of channels in whose chat it was used in the range. */
  | 'CHANNELS'
  /** Code in messages. */
  | 'NAME';

/** Sort key of the directory of games. */
export type PublicStatsGamesSort =
  /** Present viewers. */
  | 'VIEWERS'
  /** Channels that are on air. */
  | 'CHANNELS'
  /** Hours that viewers have watched in the range. */
  | 'HOURS_WATCHED'
  /** Name. */
  | 'NAME';

/** Direction of an order. */
export type PublicStatsOrder =
  /** Lowest first. */
  | 'ASC'
  /** Highest first. */
  | 'DESC';

/** Platform of a filter. */
export type PublicStatsPlatform =
  /** Twitch. */
  | 'TWITCH'
  /** YouTube. */
  | 'YOUTUBE'
  /** Kick. */
  | 'KICK'
  /** Trovo. */
  | 'TROVO';

/** Days over which figures are summed up, today included. */
export type PublicStatsRange =
  /** 7 days. */
  | 'DAYS_7'
  /** 30 days. */
  | 'DAYS_30'
  /** 90 days. */
  | 'DAYS_90';

/** Days of a trend, today included. */
export type PublicTrendsRange =
  /** 30 days. */
  | 'DAYS_30'
  /** 90 days. */
  | 'DAYS_90'
  /** 180 days. */
  | 'DAYS_180'
  /** 365 days. */
  | 'DAYS_365';

/** Reason why a message was not sent. */
export type SendErrorCode =
  /** The sender's own login at the platform must be connected again. */
  | 'login_reconnect_required'
  /** A failure of Lumio. */
  | 'internal_error'
  /** The platform refused, or there is no channel to send to. */
  | 'send_failed';

/** State of a link. */
export type SharedLinkStatus =
  /** Shows the report. */
  | 'ACTIVE'
  /** Its time has ended. */
  | 'EXPIRED'
  /** Was revoked. */
  | 'REVOKED';

/** Owner of a list. */
export type SongListScope =
  /** List of the account. */
  | 'ACCOUNT'
  /** List of all accounts. */
  | 'GLOBAL';

/** Field by which a list has a song. */
export type SongMatch =
  /** Id of the track at Spotify. */
  | 'SPOTIFY_TRACK_ID'
  /** International Standard Recording Code. */
  | 'ISRC'
  /** Title and artist, in any case. */
  | 'NAMES';

/** Kind of a browser source. */
export type SoundTargetType =
  /** A widget. */
  | 'WIDGET'
  /** An overlay. */
  | 'OVERLAY';

/** Repetition of a player. */
export type SpotifyRepeatMode =
  /** Nothing. */
  | 'OFF'
  /** The track. */
  | 'TRACK'
  /** The playlist or album. */
  | 'CONTEXT';

/** Kind of an extension. */
export type StoreCategory =
  /** Layer of an overlay. */
  | 'WIDGET'
  /** Module of the bot. */
  | 'BOT_MODULE'
  /** Node of an automation. */
  | 'AUTOMATION_NODE'
  /** Theme. */
  | 'THEME'
  /** Integration of another service. */
  | 'INTEGRATION';

/** Kind of an extension's price. */
export type StorePricing =
  /** Free of charge. */
  | 'FREE'
  /** Paid once. */
  | 'ONE_TIME'
  /** Paid periodically. */
  | 'SUBSCRIPTION';

/** Order of the list. */
export type StoreSort =
  /** Most installs first. */
  | 'POPULAR'
  /** Latest publication first. */
  | 'NEWEST'
  /** Best rating first. */
  | 'RATING'
  /** By name. */
  | 'NAME';

/** Column by which sessions are sorted. */
export type StreamHistorySort =
  /** Start. */
  | 'STARTED_AT'
  /** Length. */
  | 'DURATION_SECS'
  /** Largest number of viewers. */
  | 'PEAK_VIEWERS'
  /** Average number of viewers. */
  | 'AVG_VIEWERS'
  /** Chat lines. */
  | 'TOTAL_MESSAGES'
  /** People who wrote. */
  | 'UNIQUE_CHATTERS'
  /** Follows. */
  | 'NEW_FOLLOWERS';

/** Direction in which sessions are sorted. */
export type StreamHistorySortDirection =
  /** Smallest first. */
  | 'ASC'
  /** Largest first. */
  | 'DESC';

/** Kind of a moment for charts. */
export type StreamReportMarkerType =
  /** New title. */
  | 'TITLE_CHANGE'
  /** New category. */
  | 'CATEGORY_CHANGE'
  /** Raid that arrived. */
  | 'RAID'
  /** Hype train that began. */
  | 'HYPE_TRAIN'
  /** Clip that was made. */
  | 'CLIP'
  /** Commercial break that began. */
  | 'AD_BREAK';

/** Kind of a session. */
export type StreamSessionType =
  /** One broadcast at a time. */
  | 'SINGLE'
  /** Broadcasts of several platforms at the same time. */
  | 'MULTI';

/** Status of a subscription. */
export type SubscriptionStatus =
  /** The account never had a subscription. */
  | 'NONE'
  /** The subscription is paid. */
  | 'ACTIVE'
  /** A payment is overdue. */
  | 'PAST_DUE'
  /** The subscription has ended. */
  | 'CANCELLED';

/** State of a ticket. */
export type SupportTicketStatus =
  /** Waits for the staff. */
  | 'OPEN'
  /** Waits for the person who filed it. */
  | 'PENDING'
  /** Done. */
  | 'CLOSED';

/** Use of an application. */
export type SystemConnectionKind =
  /** Connecting channels. */
  | 'CHANNEL'
  /** Connecting bots. */
  | 'BOT'
  /** Signing in. */
  | 'LOGIN';

/** Purpose of an upload. */
export type UploadPurpose =
  /** Something that an overlay shows. */
  | 'OVERLAY_ASSET'
  /** Picture of an alert. */
  | 'ALERT_IMAGE'
  /** Sound of an alert. */
  | 'ALERT_SOUND'
  /** Picture of the account. */
  | 'AVATAR'
  /** Document for operator staff. Of the account only its owner sees it. */
  | 'DEVELOPER_DOCUMENT'
  /** Anything else. */
  | 'OTHER';

/** Period of a budget, in UTC. */
export type UsagePeriod =
  /** Hour. */
  | 'HOUR'
  /** Day. */
  | 'DAY'
  /** Calendar month. */
  | 'MONTH';

/** Subject of a count or a budget. */
export type UsageSubject =
  /** The account with everything in it. */
  | 'ACCOUNT'
  /** An extension in the account. */
  | 'EXTENSION'
  /** A key of the account, or of a person in it. */
  | 'KEY';

/** Unit of a budget. */
export type UsageUnit =
  /** Requests to the API. */
  | 'REQUESTS'
  /** Time of handlers, in milliseconds. */
  | 'HANDLER_MS'
  /** Requests of handlers to other hosts. */
  | 'FETCHES'
  /** Chat messages that were sent. */
  | 'MESSAGES'
  /** Bytes that are stored at present. */
  | 'STORED_BYTES';

/** State of a delivery. */
export type WebhookDeliveryStatus =
  /** Waits for an attempt. */
  | 'PENDING'
  /** The receiver has answered 2xx. */
  | 'DELIVERED'
  /** No further attempt is made. */
  | 'FAILED';

/** Reason why the service disabled an endpoint. */
export type WebhookDisabledReason =
  /** It has answered 410. */
  | 'GONE'
  /** It has accepted nothing for five days. */
  | 'FAILING'
  /** The membership of the person who created it has ended. */
  | 'MEMBER_LEFT';

/** State of a broadcast. */
export type YoutubeStreamStatus =
  /** It is live. */
  | 'LIVE'
  /** It is scheduled. */
  | 'UPCOMING';

/** Consent to a newer version. */
export type AcceptExtensionUpdateInput = {
  /** Permissions that the newer version asks for beyond the granted ones. */
  acceptPermissions?: Array<string> | null | undefined;
};

/** Channel for the watchlist. */
export type AddToWatchlistInput = {
  /** `twitch`, `youtube`, `kick` or `trovo`. */
  platform: string;
  /** The platform's id or the login of the channel: 1 to 128 characters. */
  channel: string;
};

/** Channel to crawl outside of the scope. */
export type AdminAddCrawlerWatchlistEntryInput = {
  /** `twitch`, `youtube`, `kick` or `trovo`. */
  platform: string;
  /** Id or login on the platform: 1 to 100 letters, digits, `_`, `-`, `.` and `@`. */
  channel: string;
  /** At most 500 characters; empty is null. */
  note?: string | null | undefined;
};

/** New membership of a person. */
export type AdminAddUserMembershipInput = {
  /** Identifier of the account. */
  accountId: string;
  /** Identifier of a role of the account, except the owner's. */
  roleId: string;
};

/** Approval of an application. */
export type AdminApproveDeveloperApplicationInput = {
  /** Notes for the applicant, at most 2,000 characters. */
  notes?: string | null | undefined;
};

/** Approval of a verification. */
export type AdminApproveDeveloperVerificationInput = {
  /** Notes for the developer, at most 2,000 characters. */
  notes?: string | null | undefined;
};

/** Filter and page of an audit log. */
export type AdminAuditFilter = {
  /**
   * Scope of the entries. Absent: every scope that the caller may read, or `account` when an account is
   * named.
   */
  scope?: AuditScope | null | undefined;
  /** Exact action, for example `plan:updated`. */
  action?: string | null | undefined;
  /** Id of the actor. */
  actorId?: string | null | undefined;
  /** Account of the entries; only with the scope `account`. */
  accountId?: string | null | undefined;
  /** Inclusive start, in RFC 3339. */
  from?: string | null | undefined;
  /** Exclusive end, in RFC 3339. */
  to?: string | null | undefined;
  /** Number of the page, from 1; absent: 1. Not with `cursor`. */
  page?: number | null | undefined;
  /** Entries of a page, 1 to 100; absent: 25. */
  limit?: number | null | undefined;
  /** Cursor of the page before, from its `Link` or `nextCursor`. */
  cursor?: string | null | undefined;
};

/** A coupon to create, with either a percentage or an amount. */
export type AdminCreateCouponInput = {
  /** Code: 3 to 40 letters, digits, `-` and `_`, the first a letter or digit. Stored in upper case. */
  code: string;
  /** Discount in percent, 1 to 100. Exclusive with `amount_off`. */
  percentOff?: number | null | undefined;
  /** Discount in minor units of the plan's currency, 1 to 100,000,000. Exclusive with `percent_off`. */
  amountOff?: number | null | undefined;
  /** Payments that are discounted; absent: `once`. */
  duration?: CouponDuration | null | undefined;
  /** Maximum number of redemptions, 1 or more. Null or absent: no maximum. */
  maxRedemptions?: number | null | undefined;
  /** Time of expiry, in the future. Null or absent: no expiry. */
  expiresAt?: string | null | undefined;
};

/** New OAuth client. */
export type AdminCreateOauthClientInput = {
  /** 1 to 100 characters. */
  name: string;
  /** At most 20 addresses; `https`, or `http` on the local machine. */
  redirectUris: Array<string>;
  /** At most 20 host names, with a port unless it is the default one. */
  allowedHosts: Array<string>;
  /** True when absent. */
  isActive?: boolean | null | undefined;
};

/** A plan to create. */
export type AdminCreatePlanInput = {
  /**
   * Slug: lower-case letters and digits with single hyphens between, 2 to 40 characters. Cannot be changed
   * later.
   */
  slug: string;
  /** Name, 1 to 100 characters. */
  name: string;
  /** Description, at most 2,000 characters. */
  description?: string | null | undefined;
  /** Price a month, in minor units of `currency`. */
  priceMonthly: number;
  /** Price a year, in minor units of `currency`. */
  priceYearly: number;
  /** Code of the currency, ISO 4217; absent: `USD`. */
  currency?: string | null | undefined;
  /** True: the plan is public. */
  isPublic: boolean;
  /** Position in lists; the lowest comes first. */
  sortOrder: number;
  /** Maximum number of overlays; 2147483647: unlimited. */
  maxOverlays: number;
  /** Maximum size of all stored objects, in bytes. */
  maxStorageBytes: number;
  /** Maximum size of one upload, in bytes. */
  maxUploadSizeBytes: number;
  /** Maximum number of integrations; 2147483647: unlimited. */
  maxIntegrations: number;
  /** Days that chat is kept; 2147483647: unlimited. */
  chatRetentionDays: number;
  /** Id of the product at a payment provider, at most 255 characters. */
  paymentProductId?: string | null | undefined;
  /** Id of the monthly price at a payment provider, at most 255 characters. */
  paymentMonthlyPriceId?: string | null | undefined;
  /** Id of the yearly price at a payment provider, at most 255 characters. */
  paymentYearlyPriceId?: string | null | undefined;
};

/** A system key to create. */
export type AdminCreateSystemKeyInput = {
  /** Name of the key, 1 to 100 characters. */
  label: string;
};

/** Rejection of an application. */
export type AdminRejectDeveloperApplicationInput = {
  /** Notes for the applicant, 1 to 2,000 characters; required. */
  notes?: string | null | undefined;
};

/** Rejection of a verification. */
export type AdminRejectDeveloperVerificationInput = {
  /** Notes for the developer, 1 to 2,000 characters; required. */
  notes?: string | null | undefined;
};

/** Step of a review with its notes. */
export type AdminReviewLimitRequestInput = {
  /** Step. */
  action: LimitRequestAction;
  /** 1 to 2,000 characters; required for `reject`. The developer reads them. */
  notes?: string | null | undefined;
};

/** Override to set. */
export type AdminSetAccountFeatureOverrideInput = {
  /** Id of the flag. */
  featureId: string;
  /** True lifts the lock of the plan; false switches the feature off. */
  enabled: boolean;
  /** Reason for staff, at most 500 characters. */
  reason?: string | null | undefined;
};

/** Features of a plan to set. Features that are not listed stay as they are. */
export type AdminSetPlanFeatureInput = {
  /** At most 500 entries, each flag once. */
  features: Array<PlanFeatureInput>;
};

/** Change of an account. */
export type AdminUpdateAccountInput = {
  /** 1 to 100 characters. */
  name?: string | null | undefined;
  /** At most 500 characters; null clears. */
  description?: string | null | undefined;
};

/** Changes of a coupon. Absent fields stay as they are. */
export type AdminUpdateCouponInput = {
  /** Maximum number of redemptions, 1 or more; null: no maximum. */
  maxRedemptions?: number | null | undefined;
  /** Time of expiry, in the future; null: no expiry. */
  expiresAt?: string | null | undefined;
  /** False: the coupon cannot be redeemed. */
  isActive?: boolean | null | undefined;
};

/** New scope of the crawler. */
export type AdminUpdateCrawlerScopeInput = {
  /** False: the crawler rests. */
  enabled: boolean;
  /** Platforms to crawl, each once: `twitch`, `youtube`, `kick`, `trovo`. */
  platforms: Array<string>;
  /** Viewers from which a channel is crawled. */
  minViewers: number;
  /** ISO 639-1 codes of the languages to crawl, each once, at most 100. Empty: all. */
  languages: Array<string>;
  /** Number of channels to crawl at most. */
  maxChannels: number;
  /** Seconds between two visits of a channel. */
  intervalSecs: number;
};

/** Overrides of an extension. Absent fields stay; null removes the override. */
export type AdminUpdateExtensionLimitsInput = {
  /** Number of sounds of a version, at most 200. */
  maxSounds?: number | null | undefined;
  /** Size of a sound in bytes, at most 100 MiB. */
  maxSoundFileSize?: number | null | undefined;
  /** Size of all sounds of a version in bytes, at most 200 MiB. */
  maxSoundStorageBytes?: number | null | undefined;
};

/** Changes of a flag. Absent fields stay as they are. */
export type AdminUpdateFeatureFlagInput = {
  /** False: the flag is off for every account. */
  globallyEnabled?: boolean | null | undefined;
  /** Intention of staff for new plans. */
  defaultForAccounts?: boolean | null | undefined;
  /** Name of the flag, 1 to 100 characters. */
  label?: string | null | undefined;
  /** Description, at most 1,000 characters. */
  description?: string | null | undefined;
};

/** Change of an OAuth client. */
export type AdminUpdateOauthClientInput = {
  /** 1 to 100 characters. */
  name?: string | null | undefined;
  /** At most 20 addresses; `https`, or `http` on the local machine. */
  redirectUris?: Array<string> | null | undefined;
  /** At most 20 host names, with a port unless it is the default one. */
  allowedHosts?: Array<string> | null | undefined;
  /** False: the hosts are not allowed. */
  isActive?: boolean | null | undefined;
};

/** New status of a payout. */
export type AdminUpdatePayoutInput = {
  /** New status: from `pending` any other, from `processing` `paid` or `failed`. */
  status: PayoutStatus;
};

/** Whole editable state of a plan. Absent optional fields are cleared. */
export type AdminUpdatePlanInput = {
  /** Name, 1 to 100 characters. */
  name: string;
  /** Description, at most 2,000 characters. */
  description?: string | null | undefined;
  /** Price a month, in minor units of `currency`. */
  priceMonthly: number;
  /** Price a year, in minor units of `currency`. */
  priceYearly: number;
  /** Code of the currency, ISO 4217. */
  currency: string;
  /** True: the plan is public. */
  isPublic: boolean;
  /** Position in lists; the lowest comes first. */
  sortOrder: number;
  /** Maximum number of overlays; 2147483647: unlimited. */
  maxOverlays: number;
  /** Maximum size of all stored objects, in bytes. */
  maxStorageBytes: number;
  /** Maximum size of one upload, in bytes. */
  maxUploadSizeBytes: number;
  /** Maximum number of integrations; 2147483647: unlimited. */
  maxIntegrations: number;
  /** Days that chat is kept; 2147483647: unlimited. */
  chatRetentionDays: number;
  /** Id of the product at a payment provider, at most 255 characters. */
  paymentProductId?: string | null | undefined;
  /** Id of the monthly price at a payment provider, at most 255 characters. */
  paymentMonthlyPriceId?: string | null | undefined;
  /** Id of the yearly price at a payment provider, at most 255 characters. */
  paymentYearlyPriceId?: string | null | undefined;
};

/** Change of a person. */
export type AdminUpdateUserInput = {
  /** 1 to 100 characters. */
  displayName?: string | null | undefined;
  /** E-mail address; null clears. */
  email?: string | null | undefined;
  /** Permission to create accounts, with priority over the global switch. */
  accountCreationOverride?: AccountCreationOverride | null | undefined;
  /** 0 to 1000; null clears, and the plans of the owned accounts decide again. */
  maxAccountsOverride?: number | null | undefined;
};

/** Complete set of limits: absent or null leaves a limit to the plan. */
export type AdminUpsertAccountLimitsInput = {
  /** Number of overlays, 0 or more; 2147483647: unlimited. */
  maxOverlays?: number | null | undefined;
  /** Storage in bytes, 0 or more. */
  maxStorageBytes?: number | null | undefined;
  /** Size of one upload in bytes, 0 or more. */
  maxUploadSizeBytes?: number | null | undefined;
  /** Number of integrations, 0 or more; 2147483647: unlimited. */
  maxIntegrations?: number | null | undefined;
  /** Retention of chat messages in days, 0 or more; 2147483647: without end. */
  chatRetentionDays?: number | null | undefined;
  /** True when the account may connect its own bot. */
  customBotAllowed?: boolean | null | undefined;
  /** True when the account may use OBS remote control. */
  obsRemoteAllowed?: boolean | null | undefined;
  /** True when the account may use copyright detection. */
  copyrightDetectionAllowed?: boolean | null | undefined;
  /** Remarks for other operators, at most 2000 characters. */
  notes?: string | null | undefined;
};

/** Filter and page of the account's audit log. */
export type AuditLogFilter = {
  /** Exact action, for example `extension:installed`. */
  action?: string | null | undefined;
  /** Id of the actor. */
  actorId?: string | null | undefined;
  /** Exact kind of the changed object. */
  resourceType?: string | null | undefined;
  /** Inclusive start, in RFC 3339. */
  from?: string | null | undefined;
  /** Exclusive end, in RFC 3339. */
  to?: string | null | undefined;
  /** Number of the page, from 1; absent: 1. Not with `cursor`. */
  page?: number | null | undefined;
  /** Entries of a page, 1 to 100; absent: 25. */
  limit?: number | null | undefined;
  /** Cursor of the page before, from its `Link` or `nextCursor`. */
  cursor?: string | null | undefined;
};

/** An identity at a provider, the proof of it, and the account to act in. */
export type AuthorizeLoginInput = {
  /** `twitch`, `google`, `discord`, `kick` or `trovo`. */
  provider: string;
  /** Id of the person at the provider. */
  providerUserId: string;
  /** Access token that the provider issued to an application of this deployment. */
  accessToken: string;
  /** Names of the person at the provider. */
  profile: LoginProfile;
  /** Account of the person to act in. Null or absent: the one that they acted in last. */
  accountId?: string | null | undefined;
};

/** Edge as an editor saves it. */
export type AutomationEdgeInput = {
  /** Identifier, chosen by the client, once in a graph. */
  id: string;
  /** Node that the edge leaves. */
  sourceNodeId: string;
  /** Handle of that node: 1 to 32 letters, digits, `_` and `-`. */
  sourceHandle: string;
  /** Node that the edge enters. */
  targetNodeId: string;
};

/** Node as an editor saves it. */
export type AutomationNodeInput = {
  /** Identifier, chosen by the client, once in a graph. */
  id: string;
  /** Name of a node type. */
  type: string;
  /** At most 100 characters; empty is null. */
  label?: string | null | undefined;
  /** Object of at most 16 KiB; empty when absent. */
  config?: unknown;
  /** Place in the editor; the origin when absent. */
  position?: AutomationNodePositionInput | null | undefined;
  /** Install of the account. For the type `extension` only, which needs it. */
  installId?: string | null | undefined;
};

/** Place of a node in the editor. */
export type AutomationNodePositionInput = {
  /** -1,000,000 to 1,000,000. */
  x: number;
  /** -1,000,000 to 1,000,000. */
  y: number;
};

/** Arguments of a call. */
export type CallExtensionFunctionInput = {
  /** An object, checked by the function's validators; absent means no arguments. */
  args?: unknown;
};

/** Filter of messages. */
export type ChatMessagesFilter = {
  /** `twitch`, `youtube`, `kick` or `trovo`. */
  platform?: string | null | undefined;
  /** The platform's id of the author. */
  userId?: string | null | undefined;
  /**
   * Text that they contain, in any case. The search reads the 7 days before `to`, or from `from` on, 31
   * days at most.
   */
  search?: string | null | undefined;
  /** Only messages at or after this time. */
  from?: string | null | undefined;
  /** Only messages before this time. */
  to?: string | null | undefined;
  /** Id of a message: only those before it. */
  before?: string | null | undefined;
  /** 1 to 200; 50 when absent. */
  limit?: number | null | undefined;
};

/** Changes of an install; absent fields stay. */
export type ConfigureExtensionInput = {
  /** Replaces all settings. A masked secret keeps its value. */
  config?: unknown;
  /** `true` also lifts a kill. */
  enabled?: boolean | null | undefined;
  /** Published version to stay at; null follows updates again. */
  pinnedVersion?: string | null | undefined;
};

/** Song as a caller names it. */
export type CopyrightSongInput = {
  /** 1 to 200 characters. */
  title: string;
  /** 1 to 200 characters. */
  artist: string;
  /** 22 letters and digits. */
  spotifyTrackId?: string | null | undefined;
  /** International Standard Recording Code: 12 characters, dashes between them may be given. */
  isrc?: string | null | undefined;
};

/** An account to create. */
export type CreateAccountInput = {
  /** Name, 1 to 100 characters. */
  name: string;
  /** Description, at most 500 characters. */
  description?: string | null | undefined;
  /**
   * Login connections of the caller through which the caller writes in the account, at most one for each
   * platform.
   */
  loginConnectionIds?: Array<string> | null | undefined;
  /** Login connection of the caller that gives the account its avatar. */
  primaryLoginConnectionId?: string | null | undefined;
};

/** A service key to create. */
export type CreateAccountServiceKeyInput = {
  /** Name of the key, 1 to 100 characters. */
  label: string;
  /** Scopes, as `resource:action` or `resource:*`, of the permissions of an account. */
  permissions: Array<string>;
  /** Time of expiry in RFC 3339, in the future. Null or absent: the key does not expire. */
  expiresAt?: string | null | undefined;
};

/** New role of operator staff. */
export type CreateAdminRoleInput = {
  /** 1 to 50 characters; unique in any case. */
  name: string;
  /** At most 500 characters. */
  description?: string | null | undefined;
  /** Permissions that the caller holds; may be empty. `admin:access` is added. */
  permissions: Array<string>;
};

/** New automation. */
export type CreateAutomationInput = {
  /** 1 to 100 characters. */
  name: string;
  /** At most 500 characters; empty is null. */
  description?: string | null | undefined;
};

/** New command. */
export type CreateBotCommandInput = {
  /** Name without the prefix: `^[a-z0-9_]{1,32}$`. */
  name: string;
  /** At most 10, each in the form of a name. */
  aliases?: Array<string> | null | undefined;
  /** At most 200 characters. */
  description?: string | null | undefined;
  /** Effect of the command; `text` when absent. */
  responseType?: BotCommandResponseType | null | undefined;
  /** 1 to 500 characters; may be absent for an automation. */
  response?: string | null | undefined;
  /** Automation of the account, for the response type `automation`. */
  automationId?: string | null | undefined;
  /** Some of `twitch`, `youtube`, `kick`, `trovo`, `discord`; all when absent. */
  platforms?: Array<string> | null | undefined;
  /** Lowest role; `everyone` when absent. */
  minRole?: BotCommandRole | null | undefined;
  /** 0 to 86,400 seconds; 0 when absent. */
  cooldownGlobal?: number | null | undefined;
  /** 0 to 86,400 seconds; 0 when absent. */
  cooldownUser?: number | null | undefined;
  /** True when absent. */
  enabled?: boolean | null | undefined;
};

/** A plan to buy. */
export type CreateCheckoutInput = {
  /** Id of the plan. */
  planId: string;
  /** Interval of the payments. */
  interval: BillingInterval;
  /** Code of a coupon to redeem. */
  couponCode?: string | null | undefined;
};

/** Report of a song. */
export type CreateCopyrightReportInput = {
  /** Song. */
  song: CopyrightSongInput;
  /** At most 500 characters. */
  reason?: string | null | undefined;
};

/** A team to create. */
export type CreateDeveloperTeamInput = {
  /** 1 to 60 characters. */
  name: string;
  /** 3 to 50 lower-case letters, digits and hyphens, the first one a letter. */
  slug: string;
  /** At most 2,000 characters. */
  description?: string | null | undefined;
  /** An https address. */
  githubUrl?: string | null | undefined;
  /** An https address. */
  websiteUrl?: string | null | undefined;
  /** Upload of an image in the caller's account. */
  avatarKey?: string | null | undefined;
};

/** An invite to create. */
export type CreateDeveloperTeamInviteInput = {
  /** Role of a new member: not the owner's, and none with a permission that the caller lacks. */
  roleId: string;
  /** Address to mail the invite to. */
  email?: string | null | undefined;
  /** Lifetime in seconds, 60 to 2,592,000; 604,800 when absent. */
  expiresIn?: number | null | undefined;
  /** Maximum number of uses, 1 to 100; 1 when absent. */
  maxUses?: number | null | undefined;
};

/** A role to create. */
export type CreateDeveloperTeamRoleInput = {
  /** 1 to 50 characters; unique in the team in any case. */
  name: string;
  /** At most 500 characters. */
  description?: string | null | undefined;
  /** Permissions that the caller holds; no wildcards. */
  permissions: Array<string>;
};

/** An extension to create. */
export type CreateExtensionInput = {
  /** 1 to 255 characters. */
  name: string;
  /** At most 255 characters. */
  shortDescription?: string | null | undefined;
  /** At most 10,000 characters. */
  description?: string | null | undefined;
  /** Price; free when absent. */
  pricing?: ExtensionPricingInput | null | undefined;
  /** Team that owns the extension; the caller when absent. */
  teamId?: string | null | undefined;
};

/** A new review. */
export type CreateExtensionReviewInput = {
  /** 1 to 5. */
  rating: number;
  /** At most 100 characters. */
  title?: string | null | undefined;
  /** At most 2,000 characters. */
  body?: string | null | undefined;
};

/** New category. */
export type CreateIdeaCategoryInput = {
  /** Slug: 2 to 30 letters, digits and hyphens, stored in lower case. No other category has it. */
  name: string;
  /** Displayed name: 1 to 60 characters. */
  label: string;
  /** `#` and six hexadecimal digits. */
  color: string;
  /** Place in the list, 0 to 10,000; 0 when absent. */
  sortOrder?: number | null | undefined;
};

/** New comment. */
export type CreateIdeaCommentInput = {
  /** Idea. */
  ideaId: string;
  /** HTML of 1 to 5,000 characters, as given and as sanitised; at most 20 users are mentioned. */
  body: string;
  /** Comment to reply to: one that replies to none itself. */
  parentId?: string | null | undefined;
};

/** New idea. */
export type CreateIdeaInput = {
  /** 5 to 120 characters. */
  title: string;
  /** HTML of 10 to 10,000 characters, as given and as sanitised; at most 20 users are mentioned. */
  description: string;
  /** Category. */
  categoryId: string;
  /** At most 5 tags; none when absent. */
  tagIds?: Array<string> | null | undefined;
};

/** An invite to create. */
export type CreateInviteInput = {
  /** Role that a new member receives. Not the Owner role, and none with a permission that the caller lacks. */
  roleId: string;
  /** Method of delivery. */
  method: InviteMethod;
  /** Lifetime in seconds: 3600, 86400, 604800 or 2592000. Null: no expiry. Absent: 604800. */
  expiresIn?: number | null | undefined;
  /** Maximum number of uses, 1 to 100. Null: no maximum. Absent: 1. */
  maxUses?: number | null | undefined;
  /** Person that the invite is for. Required for the method `person`, not allowed for others. */
  targetUserId?: string | null | undefined;
  /** Address to mail the invite to. Not allowed for the method `person`. */
  email?: string | null | undefined;
};

/** New request. */
export type CreateLimitRequestInput = {
  /** Subject. */
  scope: LimitRequestScope;
  /** Extension; required for the scope `extension`, else absent. */
  extensionId?: string | null | undefined;
  /** Key of the limit. */
  limitKey: string;
  /** Requested value, above the current one and at most the highest of the key. */
  requestedValue: number;
  /** 20 to 2,000 characters. */
  reason: string;
};

/** New overlay. */
export type CreateOverlayInput = {
  /** 1 to 100 characters; `Main Overlay` when absent. */
  name?: string | null | undefined;
  /** 1 to 7,680 pixels; 1,920 when absent. */
  width?: number | null | undefined;
  /** 1 to 7,680 pixels; 1,080 when absent. */
  height?: number | null | undefined;
  /** `transparent` or a CSS color, at most 64 characters; `transparent` when absent. */
  background?: string | null | undefined;
};

/** Share to create. */
export type CreateOverlayShareInput = {
  /** 60 to 2,592,000 seconds (30 days). */
  expiresIn: number;
  /** 1 to 100 characters. Null or absent: none. */
  label?: string | null | undefined;
};

/** Input of a new poll. */
export type CreatePollInput = {
  /** `twitch`. */
  platform: string;
  /** 1 to 60 characters. */
  title: string;
  /** 2 to 5, each of 1 to 25 characters. */
  choices: Array<string>;
  /** 15 to 1800. */
  durationSecs: number;
};

/** A popout token to create. */
export type CreatePopoutTokenInput = {
  /** Permissions: 1 to 123 of the account, each by name. */
  permissions: Array<string>;
  /** Name of the token, at most 100 characters. */
  label?: string | null | undefined;
  /** Member that the token acts for. Null or absent: the caller. */
  userId?: string | null | undefined;
  /** Time of expiry in RFC 3339, in the future. Null or absent: the token does not expire. */
  expiresAt?: string | null | undefined;
};

/** Input of a new prediction. */
export type CreatePredictionInput = {
  /** `twitch`. */
  platform: string;
  /** 1 to 45 characters. */
  title: string;
  /** 2 to 10, each of 1 to 25 characters. */
  outcomes: Array<string>;
  /** Seconds in which viewers may predict: 30 to 1800. */
  windowSecs: number;
};

/** New reward. */
export type CreateRewardInput = {
  /** `twitch` or `kick`. */
  platform: string;
  /**
   * Id of a reward that exists at the platform, 1 to 255 characters. Absent or null: Lumio creates the reward
   * at Twitch.
   */
  platformRewardId?: string | null | undefined;
  /** 1 to 45 characters. */
  title: string;
  /** 1 to 1,000,000 channel points. */
  cost: number;
  /** Action of a redemption in one of the forms of a reward; none when absent. A reward of `kick` has none. */
  action?: unknown;
};

/** New role. */
export type CreateRoleInput = {
  /** 1 to 50 characters; unique in the account in any case. */
  name: string;
  /** At most 500 characters. */
  description?: string | null | undefined;
  /** `#rrggbb` */
  color?: string | null | undefined;
  /** Permissions that the caller holds; no wildcards. */
  permissions: Array<string>;
};

/** Recommendation of a song. */
export type CreateSafeRecommendationInput = {
  /** Song. */
  song: CopyrightSongInput;
  /** At most 500 characters. */
  reason?: string | null | undefined;
};

/** New token. */
export type CreateSeTokenInput = {
  /** `twitch`, `youtube`, `kick` or `trovo`. */
  platform: string;
  /** JWT or overlay token of the channel at StreamElements: 1 to 2048 printable characters without spaces. */
  token: string;
  /** 1 to 100 characters. Absent or null: none. */
  label?: string | null | undefined;
};

/** Link to create. */
export type CreateSharedLinkInput = {
  /** Lifetime in seconds: 3600, 21600, 86400, 604800 or 2592000. */
  durationSecs: number;
  /** 4 to 128 characters. Null or absent: the link needs no password. */
  password?: string | null | undefined;
  /** True to allow exports of the report through the link. */
  allowExport: boolean;
};

/** New ticket. */
export type CreateSupportTicketInput = {
  /** 1 to 200 characters. */
  subject: string;
  /** 1 to 10,000 characters. */
  body: string;
  /** Account that it concerns, of which the caller is a member. */
  accountId?: string | null | undefined;
};

/** A personal API key to create. */
export type CreateUserApiKeyInput = {
  /** Name of the key, 1 to 100 characters. */
  label: string;
  /** Scopes, as `resource:action` or `resource:*`. */
  permissions: Array<string>;
  /** Time of expiry in RFC 3339, in the future. Null or absent: the key does not expire. */
  expiresAt?: string | null | undefined;
};

/** Input of a new note. */
export type CreateUserNoteInput = {
  /** 1 to 2000 characters. */
  body: string;
};

/** New platform-wide role. */
export type CreateUserRoleInput = {
  /** 1 to 50 characters; the slug is made of it. */
  name: string;
  /** At most 500 characters. */
  description?: string | null | undefined;
  /** Permissions out of the ten of an ordinary member. */
  permissions: Array<string>;
};

/** New endpoint. */
export type CreateWebhookEndpointInput = {
  /** Address that begins with `https://` and is on the public internet, without user name, password and fragment. */
  url: string;
  /** At most 200 characters; empty is null. */
  description?: string | null | undefined;
  /**
   * 1 to 50 types of the catalogue, `custom:{name}`, `chat:message`, or `*` for every type except
   * `chat:message`.
   */
  eventTypes: Array<string>;
  /** False creates it disabled; true when absent. */
  isEnabled?: boolean | null | undefined;
};

/** New widget. */
export type CreateWidgetInput = {
  /** 1 to 100 characters. */
  name: string;
  /** Name of a system widget, or slug of an extension that runs in the account and has a layer. */
  type: string;
  /** Object of at most 64 KiB; empty when absent. */
  config?: unknown;
  /** 1 to 7,680 pixels; 800 when absent. */
  width?: number | null | undefined;
  /** 1 to 7,680 pixels; 600 when absent. */
  height?: number | null | undefined;
};

/** Confirmation of a dissolution. */
export type DissolveAccountInput = {
  /** Name of the account, exactly as stored. */
  confirmName: string;
};

/** Input of an event to emit. */
export type EmitEventInput = {
  /** Type of the catalogue, or `custom:{name}` with 1 to 64 characters of `a-z`, `0-9` and `_`. */
  eventType: string;
  /** Determined by the type; only a `custom:` type may be of any platform, or of none. */
  platform?: string | null | undefined;
  /**
   * Values of the type's keys. Missing keys are null, unknown ones are left out. A `custom:` type accepts
   * any object. At most 65,536 bytes of JSON.
   */
  data: unknown;
  /** True, the default, for a test: sockets get `event:test`, and it counts nowhere. */
  isTest?: boolean | null | undefined;
};

/** Input of an end. */
export type EndPollInput = {
  /** Kind of the end. */
  status: PollEnding;
};

/** Input of a change. */
export type EndPredictionInput = {
  /** New state. */
  status: PredictionEnding;
  /** The platform's id of the outcome that occurred; required for `resolved` and not allowed otherwise. */
  winningOutcomeId?: string | null | undefined;
};

/** Person whose data is erased: exactly one of a registered user, and a pair of platform and id. */
export type EraseChatSubjectInput = {
  /** Registered user: the data of every login connection of the user is erased. */
  lumioUserId?: string | null | undefined;
  /** Slug of the platform; with `user_id`. */
  platform?: string | null | undefined;
  /** Id on the platform, 1 to 128 characters; on YouTube that of a channel. */
  userId?: string | null | undefined;
};

/** Filter and page of events. */
export type EventsFilter = {
  /** Only these types, at most 50; over REST separated by commas. */
  types?: Array<string> | null | undefined;
  /** Only of this platform. */
  platform?: string | null | undefined;
  /** Only events whose user name or message contains this, in any case. */
  search?: string | null | undefined;
  /** Only events at or after this time. */
  from?: string | null | undefined;
  /** Only events before this time. */
  to?: string | null | undefined;
  /** 1 or more; 1 when absent. Not with `cursor`. */
  page?: number | null | undefined;
  /** 1 to 100; 25 when absent. */
  limit?: number | null | undefined;
  /** Cursor of the page before, from its `Link` or `nextCursor`. */
  cursor?: string | null | undefined;
};

/** Authorization to exchange. */
export type ExchangeOauthInput = {
  /** Authorization code of the platform. */
  code: string;
  /** State handle of the authorization. */
  state: string;
};

/** A popout token to exchange. */
export type ExchangePopoutTokenInput = {
  /** Text of the popout token, `lm_pop_…`. */
  token: string;
};

/** An identity at a provider and the proof of it. */
export type ExchangeTokenInput = {
  /** `twitch`, `google`, `discord`, `kick` or `trovo`. */
  provider: string;
  /** Id of the person at the provider. */
  providerUserId: string;
  /** Access token that the provider issued to an application of this deployment. */
  accessToken: string;
  /** Names of the person at the provider. */
  profile: LoginProfile;
};

/** Roles of chatters whose messages a module skips. An absent role is not skipped. */
export type ExemptRolesInput = {
  /** True: messages of moderators are skipped. */
  moderator?: boolean | null | undefined;
  /** True: messages of VIPs are skipped. */
  vip?: boolean | null | undefined;
  /** True: messages of subscribers are skipped. */
  subscriber?: boolean | null | undefined;
};

/** Options of an export. */
export type ExportAccountInput = {
  /** X25519 public key in base64 that the secrets of the account are sealed to. Without it the archive has no secrets. */
  secretsKey?: string | null | undefined;
};

/** New lifetime of a link. */
export type ExtendSharedLinkInput = {
  /** Lifetime in seconds from now on: 3600, 21600, 86400, 604800 or 2592000. */
  durationSecs: number;
};

/** Price of an extension. */
export type ExtensionPricingInput = {
  /** `free`; `one_time` and `subscription` need a verified developer. */
  type: string;
  /** Cents of EUR: 100 to 9999 once, 99 to 9999 a month. */
  amount?: number | null | undefined;
  /** `monthly` for a subscription. */
  interval?: string | null | undefined;
};

/** Account that gets access. */
export type GrantExtensionAccessInput = {
  /** Account. */
  accountId: string;
};

/** Filter of ideas. An idea passes when it meets every given field. An empty list is none. */
export type IdeaFilterInput = {
  /** Category. */
  categoryId?: string | null | undefined;
  /** Ideas with one of these tags at least; at most 20. */
  tagIds?: Array<string> | null | undefined;
  /** Ideas of one of these statuses. */
  status?: Array<IdeaStatus> | null | undefined;
  /** Author. */
  authorId?: string | null | undefined;
  /**
   * Words in title or description, the last one as the beginning of a word; 2 to 100 characters. The newest 1,000
   * ideas are found.
   */
  search?: string | null | undefined;
  /** True: own ideas of the caller. */
  mine?: boolean | null | undefined;
  /** True: ideas that the caller has voted on. */
  votedByMe?: boolean | null | undefined;
};

/** Playlist to import. */
export type ImportCopyrightPlaylistInput = {
  /**
   * Address of a playlist: `https://open.spotify.com/playlist/…` or `spotify:playlist:…`; at most 500
   * characters.
   */
  playlistUrl: string;
  /** List that gets the songs. */
  list: CopyrightPlaylistList;
};

/** An extension to install. */
export type InstallExtensionInput = {
  /** Extension. */
  extensionId: string;
  /** Settings by key, as the extension's `config_schema` declares them. */
  config?: unknown;
  /** Exactly the permissions that the extension asks for: the account's consent. */
  grantedPermissions: Array<string>;
};

/** Person to invite as a tester. */
export type InviteExtensionTesterInput = {
  /** Username, case-insensitive. */
  username: string;
};

/** Page that the token is for. */
export type IssueExtensionTokenInput = {
  /** `editor`, `layer` or `interactive`: a surface that the extension has code for. */
  surface: string;
};

/** Install to stop. */
export type KillBotModuleInput = {
  /** Identifier of the install. */
  installId: string;
};

/** Profile of the person. User name and avatar that the provider reports have priority. */
export type LoginProfile = {
  /** Display name, 1 to 100 characters. */
  displayName: string;
  /** User name, 1 to 100 characters. */
  username: string;
  /** Address of an image, with the scheme http or https. */
  avatarUrl?: string | null | undefined;
  /** E-mail address. Ignored for `google` and `kick`, which report it themselves. */
  email?: string | null | undefined;
};

/** Input of a sign-out. */
export type LogoutInput = {
  /** Accepted and ignored: the session of the access token ends, and its refresh token with it. */
  refreshToken?: string | null | undefined;
};

/** Action and its target. */
export type ModerationInput = {
  /** Action; REST accepts upper and lower case. */
  action: ModerationAction;
  /** `twitch`, `youtube`, `kick` or `trovo`. */
  platform: string;
  /** The platform's id of the user; needed for `BAN` and `TIMEOUT`. */
  userId?: string | null | undefined;
  /** The platform's id of a message of the account's chat; needed for `DELETE`. */
  messageId?: string | null | undefined;
  /** Seconds, needed for `TIMEOUT`: 1 to 86400 on YouTube, to 1209600 elsewhere. */
  durationSecs?: number | null | undefined;
  /** At most 500 characters. Kept in the log, and sent to platforms that take one. */
  reason?: string | null | undefined;
  /** YouTube only: chat of one of the channel's broadcasts; that of the active one when absent. */
  liveChatId?: string | null | undefined;
};

/** Layer of an overlay as an editor saves it. */
export type OverlayLayerInput = {
  /** Layer of the overlay that keeps its identity. Null or absent: a new layer. */
  id?: string | null | undefined;
  /** Content of the layer. */
  type: OverlayLayerType;
  /** 1 to 100 characters. */
  name: string;
  /** Object of at most 64 KiB; empty when absent. */
  config?: unknown;
  /** True when absent. */
  visible?: boolean | null | undefined;
  /** Install of the account, whose extension has a layer. For the type `extension` only, which needs it. */
  installId?: string | null | undefined;
  /** -100,000 to 100,000 pixels from the left edge; 0 when absent. */
  x?: number | null | undefined;
  /** -100,000 to 100,000 pixels from the upper edge; 0 when absent. */
  y?: number | null | undefined;
  /** More than 0, at most 7,680 pixels. */
  width: number;
  /** More than 0, at most 7,680 pixels. */
  height: number;
  /** -360 to 360 degrees; 0 when absent. */
  rotation?: number | null | undefined;
  /** 0 to 1; 1 when absent. */
  opacity?: number | null | undefined;
  /** False when absent. */
  locked?: boolean | null | undefined;
};

/** Override of a global command. Absent fields follow the global command. */
export type OverrideGlobalCommandInput = {
  /** 1 to 500 characters. */
  response?: string | null | undefined;
  /** Some of `twitch`, `youtube`, `kick`, `trovo`, `discord`. */
  platforms?: Array<string> | null | undefined;
  /** Lowest role, not below that of the global command. */
  minRole?: BotCommandRole | null | undefined;
  /** 0 to 86,400 seconds. */
  cooldownGlobal?: number | null | undefined;
  /** 0 to 86,400 seconds. */
  cooldownUser?: number | null | undefined;
  /** True switches the command on in the account. */
  enabled?: boolean | null | undefined;
};

/** Decision of a plan about a feature. */
export type PlanFeatureInput = {
  /** Id of the flag. */
  featureId: string;
  /** True: the plan includes the feature. */
  enabled: boolean;
};

/** Switches to set. Absent ones stay as they are. */
export type PlatformSwitchesInput = {
  /** Switch of the platform. */
  enabled?: boolean | null | undefined;
  /** Switch of sign-in. */
  login?: boolean | null | undefined;
  /** Switch of channel connections. */
  channel?: boolean | null | undefined;
  /** Switch of bots. */
  bot?: boolean | null | undefined;
};

/** Playing of a sound. */
export type PlaySoundInput = {
  /** Volume from 0 to 1; 1 when absent. */
  volume?: number | null | undefined;
  /** Browser source that plays it; every one of the account when absent. */
  target?: SoundTargetInput | null | undefined;
};

/** Filter, order and page of the directory. */
export type PublicStatsBrowseFilter = {
  /** Platform; all when absent. */
  platform?: PublicStatsPlatform | null | undefined;
  /** Channels on air in this game: its name in any case, with `platform` also its id; 1 to 128 characters. */
  game?: string | null | undefined;
  /** Language of the channel in any case, for example `en`, which also finds `en-us`; 1 to 16 characters. */
  language?: string | null | undefined;
  /** Kind of broadcaster in the words of the platform, for example `partner`; 1 to 32 characters. */
  broadcasterType?: string | null | undefined;
  /** True: channels on air. False: the others. */
  isLive?: boolean | null | undefined;
  /** Beginning of the login or displayed name, in any case; 2 to 100 characters. */
  search?: string | null | undefined;
  /** Least average of the viewers in the range. */
  minViewers?: number | null | undefined;
  /** Highest average of the viewers in the range. */
  maxViewers?: number | null | undefined;
  /** `avg_viewers` when absent. */
  sort?: PublicStatsBrowseSort | null | undefined;
  /** `desc` when absent. */
  order?: PublicStatsOrder | null | undefined;
  /** `DAYS_30` when absent. */
  range?: PublicStatsRange | null | undefined;
  /** Number of the page, from 1; 1 when absent. */
  page?: number | null | undefined;
  /** Channels of a page, 1 to 100; 25 when absent. */
  limit?: number | null | undefined;
};

/** Filter, order and page of the catalogue. */
export type PublicStatsEmotesFilter = {
  /** Platform of the chats; all when absent. */
  platform?: PublicStatsPlatform | null | undefined;
  /** Provider; all when absent. */
  provider?: PublicEmoteProvider | null | undefined;
  /** Emotes in the chat of this channel: its id or login, of `platform` when given; 1 to 128 characters. */
  channel?: string | null | undefined;
  /** Beginning of the code, in any case; 2 to 100 characters. */
  search?: string | null | undefined;
  /** `usage` when absent. */
  sort?: PublicStatsEmotesSort | null | undefined;
  /** `asc` for the sort key `name` when absent, else `desc`. */
  order?: PublicStatsOrder | null | undefined;
  /** `DAYS_30` when absent. */
  range?: PublicStatsRange | null | undefined;
  /** Number of the page, from 1; 1 when absent. */
  page?: number | null | undefined;
  /** Emotes of a page, 1 to 100; 25 when absent. */
  limit?: number | null | undefined;
};

/** Filter, order and page of the directory of games. */
export type PublicStatsGamesFilter = {
  /** Platform; all when absent. */
  platform?: PublicStatsPlatform | null | undefined;
  /** Beginning of the name, in any case; 2 to 100 characters. */
  search?: string | null | undefined;
  /** `viewers` when absent. */
  sort?: PublicStatsGamesSort | null | undefined;
  /** `asc` for the sort key `name` when absent, else `desc`. */
  order?: PublicStatsOrder | null | undefined;
  /** `DAYS_30` when absent. */
  range?: PublicStatsRange | null | undefined;
  /** Number of the page, from 1; 1 when absent. */
  page?: number | null | undefined;
  /** Games of a page, 1 to 100; 25 when absent. */
  limit?: number | null | undefined;
};

/** The refresh token of a session. */
export type RefreshTokenInput = {
  /** Text of the refresh token. */
  refreshToken: string;
};

/** Reason of a rejection. */
export type RejectExtensionVersionInput = {
  /** 1 to 2,000 characters; required. */
  notes?: string | null | undefined;
};

/** Bot that joins again. */
export type RejoinBotInput = {
  /** Slug of the platform. */
  platform: string;
};

/** Request for a payout. */
export type RequestDeveloperPayoutInput = {
  /** Team whose balance is paid; the caller's own when absent. */
  teamId?: string | null | undefined;
  /** Amount in cents, at most the balance; the whole balance when absent. */
  amount?: number | null | undefined;
};

/** Reason of a revocation. */
export type RevokeExtensionVersionInput = {
  /** 1 to 2,000 characters, for the developer. */
  reason: string;
};

/** Application to save. */
export type SaveAppCredentialsInput = {
  /** 1 to 255 characters. */
  clientId: string;
  /** 1 to 1024 characters. */
  clientSecret: string;
  /** Kind; `channel` when absent. */
  kind?: CredentialKind | null | undefined;
};

/** Configuration that replaces the stored one. */
export type SaveObsConfigInput = {
  /** 1 to 65,535. Null or absent: 4455. */
  port?: number | null | undefined;
  /** Password of obs-websocket, 1 to 256 characters. Absent: the stored one stays. Null: none. */
  password?: string | null | undefined;
  /** True: the service connects to `remote_host`. Null or absent: false. */
  remoteEnabled?: boolean | null | undefined;
  /** Name or address of a public host, without scheme and port; at most 253 characters. Null or absent: none. */
  remoteHost?: string | null | undefined;
};

/** Message for one platform. */
export type SendChatToPlatformInput = {
  /** `twitch`, `youtube`, `kick` or `trovo`. */
  platform: string;
  /** 1 to 500 characters on Twitch and Kick, 200 on YouTube, 300 on Trovo. */
  message: string;
  /** The platform's id of the message to reply to; YouTube and Trovo have no replies. */
  replyToMessageId?: string | null | undefined;
  /** `user` when absent. */
  sendAs?: ChatSender | null | undefined;
};

/** Role of a member for one overlay or widget. */
export type SetAccessInput = {
  /** `viewer` reads, `editor` reads and changes, `none` removes the entry. */
  role: string;
};

/** Token of Discord's bot, which is not connected by OAuth. */
export type SetDiscordBotTokenInput = {
  /** Id of the application at Discord: 1 to 20 digits. */
  applicationId: string;
  /** Static token of the bot, at most 512 characters. */
  botToken: string;
};

/** Value of a secret. */
export type SetExtensionSecretInput = {
  /** 1 byte to 64 KiB. The value is never returned. */
  value: string;
};

/** New content of the storage. */
export type SetExtensionStorageInput = {
  /** An object of at most 1,000 keys with at most 64 KB each; replaces the whole content. */
  value: unknown;
  /** Version that it replaces; any other present version is 409. Over REST also as `If-Match`. */
  version?: number | null | undefined;
};

/** Visibility of an extension. */
export type SetExtensionVisibilityInput = {
  /** `private`, `unlisted`, `public` or `paid`. */
  visibility: string;
};

/** Scene to put on air. */
export type SetObsSceneInput = {
  /** Name of the scene, 1 to 256 characters. */
  scene: string;
};

/** Source to show or to hide. */
export type SetObsSourceInput = {
  /** Name of the scene that has the source, 1 to 256 characters. */
  scene: string;
  /** Name of the source, 1 to 256 characters. */
  source: string;
  /** True to show it, false to hide it. */
  visible: boolean;
};

/** Choice of the primary login connection. */
export type SetPrimaryLoginConnectionInput = {
  /** Account to change; absent: the one that the caller acts in. */
  accountId?: string | null | undefined;
  /** Login connection of the caller, or null: the account shows the avatar of its owner. Required. */
  loginConnectionId?: string | null | undefined;
};

/** Budget of the account, or of an extension or key in it. */
export type SetUsageBudgetInput = {
  /** Extension that it limits, which is installed in the account. Not with `key_id`. */
  extensionId?: string | null | undefined;
  /** Key that it limits: one of the account, or of a person in it. Not with `extension_id`. */
  keyId?: string | null | undefined;
  /** Unit. Keys have requests and messages only. */
  unit: UsageUnit;
  /** Period. */
  period: UsagePeriod;
  /** Maximum in a period: 1 to 1,000,000,000,000,000. */
  maximum: number;
  /** Share of the maximum at which members are notified, in percent: 0 to 99, 0 for none; 80 when absent. */
  warnPercent?: number | null | undefined;
  /** False: nothing is refused from the maximum on. True when absent. */
  isStopping?: boolean | null | undefined;
};

/** Browser source that plays a sound. */
export type SoundTargetInput = {
  /** Kind of the browser source. */
  type: SoundTargetType;
  /** Widget or overlay of the account. */
  id: string;
};

/** Track for the queue. */
export type SpotifyAddToQueueInput = {
  /** Track: `spotify:track:…` or `https://open.spotify.com/track/…`; at most 500 characters. */
  uri: string;
};

/** Music to play. */
export type SpotifyPlayInput = {
  /**
   * Track: `spotify:track:…` or `https://open.spotify.com/track/…`; at most 500 characters. Absent or null: playback
   * resumes.
   */
  uri?: string | null | undefined;
};

/** Repetition to set. */
export type SpotifyRepeatInput = {
  /** `off`, `track` or `context`. */
  mode: SpotifyRepeatMode;
};

/** Position in the track. */
export type SpotifySeekInput = {
  /** Milliseconds from the begin, at most a day. */
  positionMs: number;
};

/** Device to play on. */
export type SpotifySetDeviceInput = {
  /** Id of one of the devices of `spotifyState`, 1 to 128 characters. */
  deviceId: string;
};

/** Volume of the device that plays. */
export type SpotifySetVolumeInput = {
  /** 0 to 100. */
  percent: number;
};

/** Order of the tracks. */
export type SpotifyShuffleInput = {
  /** True for random order. */
  enabled: boolean;
};

/** Input of a new raid. */
export type StartRaidInput = {
  /** `twitch`. */
  platform: string;
  /** Name of the target channel, with or without an `@` before it. */
  target: string;
};

/** Ending of a sound. */
export type StopSoundInput = {
  /** Browser source in which it ends; every one of the account when absent. */
  target?: SoundTargetInput | null | undefined;
};

/** Filter, order and page of the sessions. */
export type StreamHistoryFilter = {
  /** 1 or more; 1 when absent. Not with `cursor`. */
  page?: number | null | undefined;
  /** 1 to 100; 25 when absent. */
  perPage?: number | null | undefined;
  /** Only sessions that started at or after this time. */
  from?: string | null | undefined;
  /** Only sessions that started before this time. */
  to?: string | null | undefined;
  /** Only sessions of this kind. */
  sessionType?: StreamSessionType | null | undefined;
  /** Only sessions with a broadcast on this platform: `twitch`, `youtube`, `kick` or `trovo`. */
  platform?: string | null | undefined;
  /** Only sessions whose title contains this, in any case; 1 to 100 characters. */
  search?: string | null | undefined;
  /** Only sessions that were in this category at some time; 1 to 200 characters. */
  category?: string | null | undefined;
  /** Column to sort by; the start when absent. Sessions without a value come last. */
  sortBy?: StreamHistorySort | null | undefined;
  /** Direction; `desc` when absent. */
  sortDir?: StreamHistorySortDirection | null | undefined;
  /** Cursor of the page before, from its `Link` or `nextCursor`. Lists that are sorted by the start have them. */
  cursor?: string | null | undefined;
};

/** Application to become a developer. */
export type SubmitDeveloperApplicationInput = {
  /** `solo` or `team`. */
  applicationType: string;
  /** Name of the developer or team: 1 to 60 characters. */
  displayName: string;
  /** 3 to 50 lowercase letters, digits and hyphens, beginning with a letter. */
  slug: string;
  /** Description of the developer or team: 1 to 2,000 characters. */
  description: string;
  /** Reason of the application: 1 to 5,000 characters. */
  motivation: string;
  /** Extensions that are planned: 1 to 5,000 characters. */
  whatToBuild: string;
  /** An https address; at most 500 characters. */
  githubUrl?: string | null | undefined;
  /** An https address; at most 500 characters. */
  websiteUrl?: string | null | undefined;
  /** At most 5,000 characters. */
  experience?: string | null | undefined;
  /** Id of an image among the uploads of the account. */
  avatarKey?: string | null | undefined;
};

/** Data by which a developer is verified. It has no `Debug`, so that it is in no log. */
export type SubmitDeveloperVerificationInput = {
  /** Legal name, required: at most 200 characters. */
  legalName?: string | null | undefined;
  /** Name of the company, for a company: at most 200 characters. */
  companyName?: string | null | undefined;
  /** First line of the address, required: at most 200 characters. */
  addressLine1?: string | null | undefined;
  /** Second line of the address: at most 200 characters. */
  addressLine2?: string | null | undefined;
  /** Postal code, required: at most 50 characters. */
  postalCode?: string | null | undefined;
  /** City, required: at most 200 characters. */
  city?: string | null | undefined;
  /** Code of the country, required: two letters, ISO 3166-1 alpha-2. */
  country?: string | null | undefined;
  /** Tax id: at most 50 characters. */
  taxId?: string | null | undefined;
  /** Id in the trade register: at most 50 characters. */
  tradeRegisterId?: string | null | undefined;
  /** Id of an upload with the purpose `developer_document`. */
  documentKey?: string | null | undefined;
};

/** New feedback of a tester. */
export type SubmitExtensionFeedbackInput = {
  /** Subject. */
  category: FeedbackCategory;
  /** 1 to 2,000 characters. */
  body: string;
};

/** Reason of a suspension. */
export type SuspendExtensionInput = {
  /** 1 to 2,000 characters, for the developer. */
  reason: string;
};

/** Switch of the bot on a platform. */
export type ToggleBotForPlatformInput = {
  /** Slug of the platform. */
  platform: string;
  /** True switches the bot on. */
  enabled: boolean;
};

/** New owner of an extension. */
export type TransferExtensionInput = {
  /** Team that takes the extension over; null gives it to the caller. It cannot be absent. */
  teamId?: string | null | undefined;
};

/** Changes of an account. Absent fields stay as they are. */
export type UpdateAccountInput = {
  /** Name, 1 to 100 characters. */
  name?: string | null | undefined;
  /** Description, at most 500 characters; null clears it. */
  description?: string | null | undefined;
};

/** Changes of the settings. Absent fields stay as they are; unknown ones are refused. */
export type UpdateAccountSettingsInput = {
  /** Language. */
  locale?: Locale | null | undefined;
  /** Name of a time zone of the IANA database. */
  timezone?: string | null | undefined;
  /** Code of a currency, three letters of ISO 4217. */
  currency?: string | null | undefined;
  /** Prefix of chat commands, 1 to 3 characters without white space. */
  commandPrefix?: string | null | undefined;
  /** Chat settings. */
  chat?: UpdateChatSettingsInput | null | undefined;
  /** Alert settings. */
  alerts?: UpdateAlertSettingsInput | null | undefined;
  /** Privacy settings. */
  privacy?: UpdatePrivacySettingsInput | null | undefined;
  /** Overlay to show by default; null: none. */
  defaultOverlayId?: string | null | undefined;
};

/** Change of a role of operator staff. */
export type UpdateAdminRoleInput = {
  /** 1 to 50 characters; unique in any case. */
  name?: string | null | undefined;
  /** At most 500 characters; null clears. */
  description?: string | null | undefined;
  /**
   * Complete set of permissions that the caller holds: others are taken away, except those that this
   * version does not know. `admin:access` is added.
   */
  permissions?: Array<string> | null | undefined;
};

/** Changes of the alert settings. */
export type UpdateAlertSettingsInput = {
  /** True: alerts make no sound. */
  muted?: boolean | null | undefined;
  /** Volume in percent, 0 to 100. */
  volume?: number | null | undefined;
};

/** Changes of an automation. Absent fields stay. */
export type UpdateAutomationInput = {
  /** Automation. */
  id: string;
  /** 1 to 100 characters. */
  name?: string | null | undefined;
  /** At most 500 characters; null or empty removes it. */
  description?: string | null | undefined;
  /** True starts it by its triggers; its graph must be able to run. */
  enabled?: boolean | null | undefined;
};

/** Change of a command. Absent fields stay. */
export type UpdateBotCommandInput = {
  /** Name without the prefix: `^[a-z0-9_]{1,32}$`. */
  name?: string | null | undefined;
  /** At most 10, each in the form of a name. */
  aliases?: Array<string> | null | undefined;
  /** At most 200 characters. */
  description?: string | null | undefined;
  /** Effect of the command. */
  responseType?: BotCommandResponseType | null | undefined;
  /** 1 to 500 characters; may be empty for an automation. */
  response?: string | null | undefined;
  /** Automation of the account, for the response type `automation`. */
  automationId?: string | null | undefined;
  /** Some of `twitch`, `youtube`, `kick`, `trovo`, `discord`. */
  platforms?: Array<string> | null | undefined;
  /** Lowest role that may use the command. */
  minRole?: BotCommandRole | null | undefined;
  /** 0 to 86,400 seconds. */
  cooldownGlobal?: number | null | undefined;
  /** 0 to 86,400 seconds. */
  cooldownUser?: number | null | undefined;
  /** True switches the command on. */
  enabled?: boolean | null | undefined;
};

/** Complete state of a built-in module, which replaces the present one. */
export type UpdateBotModuleInput = {
  /** True switches the module on. */
  enabled: boolean;
  /** Settings of the module; absent ones have their defaults. */
  config?: unknown;
  /** Roles that are skipped; moderators when absent. */
  exemptRoles?: ExemptRolesInput | null | undefined;
};

/** Changes of the chat settings. */
export type UpdateChatSettingsInput = {
  /** Platforms to write to by default: `twitch`, `youtube`, `kick`, `trovo`, each at most once. */
  defaultPlatforms?: Array<string> | null | undefined;
  /** True: messages are shown with their time. */
  showTimestamps?: boolean | null | undefined;
  /** True: messages that mention the channel are highlighted. */
  highlightMentions?: boolean | null | undefined;
  /** Font size in pixels, 8 to 72. */
  fontSize?: number | null | undefined;
};

/** Changes of the payout settings. An absent field stays as it is. It has no `Debug`, so that it is in no log. */
export type UpdateDeveloperPayoutSettingsInput = {
  /** Team that is paid; the caller when absent. */
  teamId?: string | null | undefined;
  /** Method of payouts. Its account must be among the settings. */
  payoutMethod?: DeveloperPayoutMethod | null | undefined;
  /** Id of the connected account, at most 255 characters; null for none. */
  paymentConnectId?: string | null | undefined;
  /** E-mail address of the wallet; null for none. */
  paypalStyleEmail?: string | null | undefined;
  /** IBAN with or without spaces; null for none. */
  bankIban?: string | null | undefined;
  /** BIC of 8 or 11 characters; null for none. */
  bankBic?: string | null | undefined;
  /** Name of the bank, at most 100 characters; null for none. */
  bankName?: string | null | undefined;
};

/** Changes of the caller's profile. An absent field stays as it is. */
export type UpdateDeveloperProfileInput = {
  /** Name: 1 to 60 characters. */
  displayName?: string | null | undefined;
  /** 1 to 2,000 characters; null for none. */
  description?: string | null | undefined;
  /** An https address; null for none. */
  githubUrl?: string | null | undefined;
  /** An https address; null for none. */
  websiteUrl?: string | null | undefined;
  /** Id of an image among the uploads of the account; null for none. */
  avatarKey?: string | null | undefined;
};

/** Changes of a team; absent fields stay. */
export type UpdateDeveloperTeamInput = {
  /** 1 to 60 characters. */
  name?: string | null | undefined;
  /** At most 2,000 characters; null clears. */
  description?: string | null | undefined;
  /** An https address; null clears. */
  githubUrl?: string | null | undefined;
  /** An https address; null clears. */
  websiteUrl?: string | null | undefined;
  /** Upload of an image in the caller's account; null clears. */
  avatarKey?: string | null | undefined;
};

/** New role of a member. */
export type UpdateDeveloperTeamMemberRoleInput = {
  /** Role of the team, not the owner's. */
  roleId: string;
};

/** Changes of a role; absent fields stay. */
export type UpdateDeveloperTeamRoleInput = {
  /** 1 to 50 characters; unique in the team in any case. */
  name?: string | null | undefined;
  /** At most 500 characters; null clears. */
  description?: string | null | undefined;
  /** Replaces the set. Permissions that the caller holds; no wildcards. */
  permissions?: Array<string> | null | undefined;
};

/** Changes of an extension; absent fields stay. */
export type UpdateExtensionInput = {
  /** 1 to 255 characters. */
  name?: string | null | undefined;
  /** Lower-case letters, digits, hyphens; changes once, before the first public listing. */
  slug?: string | null | undefined;
  /** At most 255 characters. */
  shortDescription?: string | null | undefined;
  /** At most 10,000 characters. */
  description?: string | null | undefined;
  /** Price. */
  pricing?: ExtensionPricingInput | null | undefined;
  /** Path of an image in the bundle, below `assets/`; null for none. */
  iconKey?: string | null | undefined;
  /** Paths of at most 10 images in the bundle, below `assets/`. */
  screenshots?: Array<string> | null | undefined;
  /** At most 5 of 1 to 30 characters. */
  tags?: Array<string> | null | undefined;
  /** An https address; null for none. */
  supportUrl?: string | null | undefined;
  /** `archived` retires an approved extension: it is not offered any more, and its installs keep running. */
  status?: string | null | undefined;
};

/** Changes of a review; absent fields stay. */
export type UpdateExtensionReviewInput = {
  /** 1 to 5. */
  rating?: number | null | undefined;
  /** At most 100 characters. */
  title?: string | null | undefined;
  /** At most 2,000 characters. */
  body?: string | null | undefined;
};

/** Changes of a category. Absent fields stay. */
export type UpdateIdeaCategoryInput = {
  /** Slug: 2 to 30 letters, digits and hyphens, stored in lower case. No other category has it. */
  name?: string | null | undefined;
  /** Displayed name: 1 to 60 characters. */
  label?: string | null | undefined;
  /** `#` and six hexadecimal digits. */
  color?: string | null | undefined;
  /** Place in the list, 0 to 10,000. */
  sortOrder?: number | null | undefined;
};

/** Changes of an idea. Absent fields stay. */
export type UpdateIdeaInput = {
  /** 5 to 120 characters. */
  title?: string | null | undefined;
  /** HTML of 10 to 10,000 characters, as given and as sanitised; at most 20 users are mentioned. */
  description?: string | null | undefined;
  /** Category. */
  categoryId?: string | null | undefined;
  /** At most 5 tags in place of the present ones. */
  tagIds?: Array<string> | null | undefined;
};

/** Changes of the current user, at least one field. */
export type UpdateMeInput = {
  /** Display name, 1 to 100 characters. */
  displayName?: string | null | undefined;
  /**
   * E-mail address. Null clears it, which needs a session. An address that an API key sets is
   * `pending_email` until a session of the person confirms it.
   */
  email?: string | null | undefined;
  /** Account of the person to act in; null: none. Needs a session. */
  activeAccountId?: string | null | undefined;
  /** True: act in no account. Needs a session. */
  clearActiveAccount?: boolean | null | undefined;
  /** Preference: clients hide what must not be on stream. */
  streamerMode?: boolean | null | undefined;
  /** Preference: extensions that the person develops load in their latest draft or testing version. */
  extensionDevMode?: boolean | null | undefined;
};

/** Change of a member's role. */
export type UpdateMemberRoleInput = {
  /** Membership of the member. */
  membershipId: string;
  /** New role. */
  roleId: string;
};

/** Changes of an overlay. Absent fields stay. */
export type UpdateOverlayInput = {
  /** Overlay. */
  id: string;
  /** 1 to 100 characters. */
  name?: string | null | undefined;
  /** 1 to 7,680 pixels. */
  width?: number | null | undefined;
  /** 1 to 7,680 pixels. */
  height?: number | null | undefined;
  /** `transparent` or a CSS color, at most 64 characters. */
  background?: string | null | undefined;
  /** Upload of the account with a picture of the overlay; null removes it. */
  thumbnailUploadId?: string | null | undefined;
  /** Version that the caller has seen. Null or absent: the change replaces any version. */
  version?: number | null | undefined;
};

/** Changes of a layer. Absent fields stay. */
export type UpdateOverlayLayerInput = {
  /** 1 to 100 characters. */
  name?: string | null | undefined;
  /** Object of at most 64 KiB; replaces all settings. */
  config?: unknown;
  /** False hides the layer. */
  visible?: boolean | null | undefined;
  /** True protects the layer from accidental moves. */
  locked?: boolean | null | undefined;
  /** -100,000 to 100,000 pixels from the left edge. */
  x?: number | null | undefined;
  /** -100,000 to 100,000 pixels from the upper edge. */
  y?: number | null | undefined;
  /** More than 0, at most 7,680 pixels. */
  width?: number | null | undefined;
  /** More than 0, at most 7,680 pixels. */
  height?: number | null | undefined;
  /** -360 to 360 degrees. */
  rotation?: number | null | undefined;
  /** 0 to 1. */
  opacity?: number | null | undefined;
  /** Version of the overlay that the caller has seen. Null or absent: the change replaces any version. */
  version?: number | null | undefined;
};

/** Changes of a popout token. Absent fields stay as they are. */
export type UpdatePopoutTokenInput = {
  /** The popout token. */
  id: string;
  /** New label, at most 100 characters; null removes it. */
  label?: string | null | undefined;
  /** New permissions: 1 to 123 of the account, each by name. */
  permissions?: Array<string> | null | undefined;
  /** Member that the token acts for. */
  userId?: string | null | undefined;
  /** Time of expiry in RFC 3339. A time in the past revokes the token; null: it does not expire. */
  expiresAt?: string | null | undefined;
};

/** Changes of the privacy settings. */
export type UpdatePrivacySettingsInput = {
  /** True: chat messages are stored. */
  storeChat?: boolean | null | undefined;
  /** True: counters and profiles of those who write are stored. */
  storeUserProfiles?: boolean | null | undefined;
};

/** New settings of a channel. */
export type UpdatePublicStatsChannelInput = {
  /** False hides the channel in every public list and answer. */
  isPublic: boolean;
  /** True shows the names of the top chatters of its streams. */
  showTopChatters: boolean;
};

/** Change of a reward. Absent fields stay. */
export type UpdateRewardInput = {
  /** Identifier of the reward. */
  id: string;
  /** 1 to 45 characters. */
  title?: string | null | undefined;
  /** 1 to 1,000,000 channel points. */
  cost?: number | null | undefined;
  /** True lets a redemption run the action. */
  enabled?: boolean | null | undefined;
  /** Action of a redemption in one of the forms of a reward. It replaces the whole action. */
  action?: unknown;
};

/** Change of a role. */
export type UpdateRoleInput = {
  /** 1 to 50 characters; unique in the account in any case. */
  name?: string | null | undefined;
  /** At most 500 characters; null clears. */
  description?: string | null | undefined;
  /** `#rrggbb`; null clears. */
  color?: string | null | undefined;
  /** Replaces the set. Permissions that the caller holds; no wildcards. */
  permissions?: Array<string> | null | undefined;
};

/** Changes of a sound. Absent fields stay as they are. */
export type UpdateSoundInput = {
  /** Name, 1 to 100 characters. */
  name?: string | null | undefined;
  /** Length in milliseconds, at most a day. Null: not known. */
  durationMs?: number | null | undefined;
  /** Peaks in equal parts of the sound, 1 to 1,024 numbers from 0 to 1. Null: not known. */
  waveform?: Array<number> | null | undefined;
};

/** Change of a ticket. */
export type UpdateSupportTicketInput = {
  /** New state. */
  status?: SupportTicketStatus | null | undefined;
};

/** Changes of a personal API key. Absent fields stay as they are. */
export type UpdateUserApiKeyInput = {
  /** New name, 1 to 100 characters. */
  label?: string | null | undefined;
};

/** Input of a change. */
export type UpdateUserNoteInput = {
  /** 1 to 2000 characters. */
  body: string;
};

/** Change of a platform-wide role. */
export type UpdateUserRoleInput = {
  /** 1 to 50 characters; the slug follows it. */
  name?: string | null | undefined;
  /** At most 500 characters; null clears. */
  description?: string | null | undefined;
  /** Replaces the set. */
  permissions?: Array<string> | null | undefined;
  /** True makes it the default instead of the present one. The default cannot be cleared otherwise. */
  isDefault?: boolean | null | undefined;
};

/** Changes of an endpoint. Absent fields stay. */
export type UpdateWebhookEndpointInput = {
  /** Endpoint. */
  endpointId: string;
  /** Address that begins with `https://` and is on the public internet, without user name, password and fragment. */
  url?: string | null | undefined;
  /** At most 200 characters; null or empty removes it. */
  description?: string | null | undefined;
  /**
   * 1 to 50 types of the catalogue, `custom:{name}`, `chat:message`, or `*` for every type except
   * `chat:message`.
   */
  eventTypes?: Array<string> | null | undefined;
  /** False: it gets no further events. True: what waits is sent. */
  isEnabled?: boolean | null | undefined;
};

/** Changes of a widget. Absent fields stay. */
export type UpdateWidgetInput = {
  /** 1 to 100 characters. */
  name?: string | null | undefined;
  /** Object of at most 64 KiB; replaces all settings. */
  config?: unknown;
  /** 1 to 7,680 pixels. */
  width?: number | null | undefined;
  /** 1 to 7,680 pixels. */
  height?: number | null | undefined;
  /** False: the page shows nothing. */
  enabled?: boolean | null | undefined;
};

/** Application to save. */
export type UpsertSystemConnectionInput = {
  /** 1 to 255 characters. */
  clientId: string;
  /** 1 to 1024 characters. */
  clientSecret: string;
  /** Use of the application. */
  kind: SystemConnectionKind;
};

/** New vote. */
export type VoteCopyrightInput = {
  /** Song. */
  song: CopyrightSongInput;
  /** Vote. */
  vote: CopyrightVoteKind;
  /** At most 500 characters. */
  reason?: string | null | undefined;
};

export type MeQueryVariables = Exact<{ [key: string]: never; }>;


export type MeQuery = { me: { id: string, displayName: string, username: string, email: string | null, pendingEmail: string | null, avatarUrl: string | null, createdAt: string, lastLoginAt: string | null, activeAccountId: string | null, ownedAccountCount: number, maxAccounts: number, enabledFeatures: Array<string>, adminPermissions: Array<string>, userPermissions: Array<string>, isDeveloper: boolean, extensionDevMode: boolean, streamerMode: boolean, notificationsUnread: number, token: string | null, memberships: Array<{ accountId: string, accountName: string, avatarUrl: string | null, isOwner: boolean, planSlug: string, joinedAt: string, role: { id: string, slug: string, name: string, color: string | null } }>, featureStatuses: Array<{ key: string, enabled: boolean, reason: FeatureDisabledReason | null }>, loginConnections: Array<{ id: string, provider: string, providerUserId: string, username: string, displayName: string, avatarUrl: string | null, reconnectRequired: boolean, isPrimaryFor: Array<string>, confirmed: boolean, createdAt: string }> } };

export type MySessionsQueryVariables = Exact<{ [key: string]: never; }>;


export type MySessionsQuery = { mySessions: Array<{ id: string, createdAt: string, lastSeenAt: string, expiresAt: string, ip: string | null, userAgent: string | null, isCurrent: boolean }> };

export type LoginConnectionsQueryVariables = Exact<{ [key: string]: never; }>;


export type LoginConnectionsQuery = { loginConnections: Array<{ id: string, provider: string, providerUserId: string, username: string, displayName: string, avatarUrl: string | null, reconnectRequired: boolean, isPrimaryFor: Array<string>, confirmed: boolean, createdAt: string }> };

export type MyPermissionsQueryVariables = Exact<{ [key: string]: never; }>;


export type MyPermissionsQuery = { myPermissions: { tokenType: string, accountId: string | null, permissions: Array<string> } };

export type PopoutTokensQueryVariables = Exact<{ [key: string]: never; }>;


export type PopoutTokensQuery = { popoutTokens: Array<{ id: string, accountId: string, userId: string, tokenPrefix: string, label: string | null, permissions: Array<string>, createdAt: string, expiresAt: string | null, lastUsedAt: string | null }> };

export type PopoutTokenQueryVariables = Exact<{
  id: string;
}>;


export type PopoutTokenQuery = { popoutToken: { id: string, accountId: string, userId: string, tokenPrefix: string, label: string | null, permissions: Array<string>, createdAt: string, expiresAt: string | null, lastUsedAt: string | null } };

export type ApiKeyAssignablePermissionsQueryVariables = Exact<{
  kind: ApiKeyKind;
}>;


export type ApiKeyAssignablePermissionsQuery = { apiKeyAssignablePermissions: Array<{ key: string, label: string, category: string }> };

export type UserApiKeysQueryVariables = Exact<{ [key: string]: never; }>;


export type UserApiKeysQuery = { userApiKeys: Array<{ id: string, userId: string, accountId: string, keyPrefix: string, label: string, permissions: Array<string>, createdAt: string, expiresAt: string | null, lastUsedAt: string | null }> };

export type AccountServiceKeysQueryVariables = Exact<{ [key: string]: never; }>;


export type AccountServiceKeysQuery = { accountServiceKeys: Array<{ id: string, accountId: string, createdBy: string | null, keyPrefix: string, label: string, permissions: Array<string>, createdAt: string, updatedAt: string, expiresAt: string | null, lastUsedAt: string | null }> };

export type AdminSystemKeysQueryVariables = Exact<{ [key: string]: never; }>;


export type AdminSystemKeysQuery = { adminSystemKeys: Array<{ id: string, label: string, keyPrefix: string, createdBy: string | null, createdAt: string, lastUsedAt: string | null }> };

export type AccountsQueryVariables = Exact<{ [key: string]: never; }>;


export type AccountsQuery = { accounts: Array<{ id: string, name: string, description: string | null, slug: string, avatarUrl: string | null, ownerId: string, primaryLoginConnectionId: string | null, memberCount: number, createdAt: string, updatedAt: string, plan: { id: string, slug: string, name: string } }> };

export type AccountQueryVariables = Exact<{
  id?: string | null | undefined;
}>;


export type AccountQuery = { account: { id: string, name: string, description: string | null, slug: string, avatarUrl: string | null, ownerId: string, primaryLoginConnectionId: string | null, memberCount: number, createdAt: string, updatedAt: string, plan: { id: string, slug: string, name: string }, channelConnections: Array<{ id: string, platform: string, platformChannelId: string, channelName: string, displayName: string, avatarUrl: string | null, scopes: Array<string>, credentialSource: string, botEnabled: boolean, reconnectRequired: boolean, expiresAt: string | null, connectedAt: string, connectedBy: string | null, health: { subscriptions: Array<{ eventType: string, refusal: string | null }>, lastEvents: Array<{ eventType: string, lastEventAt: string }>, reader: { state: ConnectionReaderState, detail: string | null, since: string } | null } }>, botConnections: Array<{ id: string, platform: string, botUserId: string, botUsername: string, avatarUrl: string | null, isCustom: boolean, credentialSource: string, reconnectRequired: boolean }> } };

export type AccountArchivesQueryVariables = Exact<{
  id: string;
}>;


export type AccountArchivesQuery = { accountArchives: Array<{ id: string, accountId: string, status: AccountArchiveStatus, withSecrets: boolean, sizeBytes: number | null, sha256: string | null, error: string | null, downloadUrl: string | null, requestedBy: string | null, createdAt: string, startedAt: string | null, finishedAt: string | null, expiresAt: string | null }> };

export type AccountArchiveQueryVariables = Exact<{
  id: string;
  archiveId: string;
}>;


export type AccountArchiveQuery = { accountArchive: { id: string, accountId: string, status: AccountArchiveStatus, withSecrets: boolean, sizeBytes: number | null, sha256: string | null, error: string | null, downloadUrl: string | null, requestedBy: string | null, createdAt: string, startedAt: string | null, finishedAt: string | null, expiresAt: string | null } };

export type AuditLogQueryVariables = Exact<{
  filter?: AuditLogFilter | null | undefined;
}>;


export type AuditLogQuery = { auditLog: { total: number, page: number, limit: number, pages: number, nextCursor: string | null, items: Array<{ id: string, accountId: string | null, action: string, resourceType: string, resourceId: string | null, metadata: unknown, ip: string | null, createdAt: string, actor: { type: AuditActorType, id: string | null, displayName: string | null } }> } };

export type AdminAuditQueryVariables = Exact<{
  filter?: AdminAuditFilter | null | undefined;
}>;


export type AdminAuditQuery = { adminAudit: { total: number, page: number, limit: number, pages: number, nextCursor: string | null, items: Array<{ id: string, accountId: string | null, action: string, resourceType: string, resourceId: string | null, metadata: unknown, ip: string | null, createdAt: string, actor: { type: AuditActorType, id: string | null, displayName: string | null } }> } };

export type InvitesQueryVariables = Exact<{ [key: string]: never; }>;


export type InvitesQuery = { invites: Array<{ id: string, accountId: string, code: string | null, method: InviteMethod, targetUserId: string | null, email: string | null, maxUses: number | null, useCount: number, expiresAt: string | null, createdBy: string | null, createdAt: string, status: InviteStatus, role: { id: string, slug: string, name: string, color: string | null } }> };

export type InviteByCodeQueryVariables = Exact<{
  code: string;
}>;


export type InviteByCodeQuery = { inviteByCode: { accountName: string, accountAvatarUrl: string | null, roleName: string, expiresAt: string | null, isValid: boolean } };

export type LimitsQueryVariables = Exact<{ [key: string]: never; }>;


export type LimitsQuery = { limits: Array<{ name: string, scope: PresentLimitScope, limit: number, unit: string, windowSecs: number | null, used: number | null, remaining: number | null, resetsAt: string | null, source: PresentLimitSource }> };

export type AccountLoginAssignmentsQueryVariables = Exact<{
  userId?: string | null | undefined;
}>;


export type AccountLoginAssignmentsQuery = { accountLoginAssignments: Array<{ id: string, accountId: string, userId: string, loginConnectionId: string, provider: string, createdAt: string }> };

export type MembersQueryVariables = Exact<{ [key: string]: never; }>;


export type MembersQuery = { members: Array<{ membershipId: string, userId: string, displayName: string, email: string | null, avatarUrl: string | null, isOwner: boolean, joinedAt: string, role: { id: string, slug: string, name: string, color: string | null } }> };

export type SearchUsersQueryVariables = Exact<{
  query: string;
  limit?: number | null | undefined;
}>;


export type SearchUsersQuery = { searchUsers: Array<{ userId: string, displayName: string, username: string, avatarUrl: string | null, connections: Array<{ platform: string, username: string, displayName: string, avatarUrl: string | null }> }> };

export type AccountSettingsQueryVariables = Exact<{ [key: string]: never; }>;


export type AccountSettingsQuery = { accountSettings: { locale: Locale, timezone: string, currency: string, commandPrefix: string, defaultOverlayId: string | null, chat: { defaultPlatforms: Array<string>, showTimestamps: boolean, highlightMentions: boolean, fontSize: number }, alerts: { muted: boolean, volume: number }, privacy: { storeChat: boolean, storeUserProfiles: boolean } } };

export type AccountFeaturesQueryVariables = Exact<{ [key: string]: never; }>;


export type AccountFeaturesQuery = { accountFeatures: { enabledFeatures: Array<string>, featureStatuses: Array<{ key: string, enabled: boolean, reason: FeatureDisabledReason | null }> } };

export type EnabledPlatformsQueryVariables = Exact<{ [key: string]: never; }>;


export type EnabledPlatformsQuery = { enabledPlatforms: Array<string> };

export type AdminFeatureFlagsQueryVariables = Exact<{
  category?: FeatureCategory | null | undefined;
  search?: string | null | undefined;
}>;


export type AdminFeatureFlagsQuery = { adminFeatureFlags: Array<{ id: string, key: string, label: string, description: string, category: FeatureCategory, globallyEnabled: boolean, defaultForAccounts: boolean, createdAt: string, updatedAt: string }> };

export type AdminPlanFeaturesQueryVariables = Exact<{
  planId: string;
}>;


export type AdminPlanFeaturesQuery = { adminPlanFeatures: Array<{ featureId: string, featureKey: string, label: string, enabled: boolean }> };

export type AdminAccountFeatureOverridesQueryVariables = Exact<{
  accountId: string;
}>;


export type AdminAccountFeatureOverridesQuery = { adminAccountFeatureOverrides: Array<{ accountId: string, featureId: string, featureKey: string, label: string, enabled: boolean, reason: string | null, setBy: string | null, createdAt: string }> };

export type AdminPlatformsQueryVariables = Exact<{ [key: string]: never; }>;


export type AdminPlatformsQuery = { adminPlatforms: Array<{ platform: string, enabled: boolean, login: boolean | null, channel: boolean | null, bot: boolean | null }> };

export type AdminProvidersQueryVariables = Exact<{ [key: string]: never; }>;


export type AdminProvidersQuery = { adminProviders: Array<{ platform: string, enabled: boolean, login: boolean | null, channel: boolean | null, bot: boolean | null, credentialsConfigured: boolean, channelConnections: number, loginConnections: number, botConnections: number, globalBotStatus: GlobalBotStatus }> };

export type PlansQueryVariables = Exact<{ [key: string]: never; }>;


export type PlansQuery = { plans: Array<{ id: string, slug: string, name: string, description: string | null, priceMonthly: string, priceYearly: string, currency: string, isPublic: boolean, sortOrder: number, maxOverlays: number, maxStorageBytes: string, maxUploadSizeBytes: string, maxIntegrations: number, chatRetentionDays: number, features: Array<{ featureId: string, featureKey: string, label: string, enabled: boolean, globallyEnabled: boolean }> }> };

export type AdminPlansQueryVariables = Exact<{ [key: string]: never; }>;


export type AdminPlansQuery = { adminPlans: Array<{ id: string, slug: string, name: string, description: string | null, priceMonthly: number, priceYearly: number, currency: string, isPublic: boolean, sortOrder: number, maxOverlays: number, maxStorageBytes: number, maxUploadSizeBytes: number, maxIntegrations: number, chatRetentionDays: number, paymentProductId: string | null, paymentMonthlyPriceId: string | null, paymentYearlyPriceId: string | null, accountsUsing: number, features: Array<{ featureId: string, featureKey: string, label: string, enabled: boolean }> }> };

export type AdminPlanQueryVariables = Exact<{
  id: string;
}>;


export type AdminPlanQuery = { adminPlan: { id: string, slug: string, name: string, description: string | null, priceMonthly: number, priceYearly: number, currency: string, isPublic: boolean, sortOrder: number, maxOverlays: number, maxStorageBytes: number, maxUploadSizeBytes: number, maxIntegrations: number, chatRetentionDays: number, paymentProductId: string | null, paymentMonthlyPriceId: string | null, paymentYearlyPriceId: string | null, accountsUsing: number, features: Array<{ featureId: string, featureKey: string, label: string, enabled: boolean }> } };

export type BillingStatusQueryVariables = Exact<{ [key: string]: never; }>;


export type BillingStatusQuery = { billingStatus: { status: SubscriptionStatus, renewsAt: string | null, plan: { id: string, slug: string, name: string, description: string | null, priceMonthly: string, priceYearly: string, currency: string, isPublic: boolean, sortOrder: number, maxOverlays: number, maxStorageBytes: string, maxUploadSizeBytes: string, maxIntegrations: number, chatRetentionDays: number, features: Array<{ featureId: string, featureKey: string, label: string, enabled: boolean, globallyEnabled: boolean }> }, limits: Array<{ key: PlanLimitKey, limit: number, used: number | null, source: PlanLimitSource }> } };

export type PlanLimitsQueryVariables = Exact<{ [key: string]: never; }>;


export type PlanLimitsQuery = { planLimits: Array<{ key: PlanLimitKey, limit: number, used: number | null, source: PlanLimitSource }> };

export type InvoicesQueryVariables = Exact<{ [key: string]: never; }>;


export type InvoicesQuery = { invoices: Array<{ id: string, number: string, amount: number, currency: string, issuedAt: string, paidAt: string | null }> };

export type ValidateCouponQueryVariables = Exact<{
  code: string;
}>;


export type ValidateCouponQuery = { validateCoupon: { code: string, isValid: boolean, percentOff: number | null, amountOff: number | null, duration: CouponDuration } };

export type AdminSubscriptionsQueryVariables = Exact<{
  status?: SubscriptionStatus | null | undefined;
  planId?: string | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type AdminSubscriptionsQuery = { adminSubscriptions: { total: number, page: number, limit: number, pages: number, items: Array<{ id: string, accountId: string, accountName: string, planId: string, planSlug: string, planName: string, status: SubscriptionStatus, renewsAt: string | null, cancelledAt: string | null, createdAt: string, updatedAt: string }> } };

export type AdminCouponsQueryVariables = Exact<{
  isActive?: boolean | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type AdminCouponsQuery = { adminCoupons: { total: number, page: number, limit: number, pages: number, items: Array<{ id: string, code: string, percentOff: number | null, amountOff: number | null, duration: CouponDuration, maxRedemptions: number | null, redeemed: number, expiresAt: string | null, isActive: boolean, createdAt: string, updatedAt: string }> } };

export type AdminPayoutsQueryVariables = Exact<{
  status?: PayoutStatus | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type AdminPayoutsQuery = { adminPayouts: { total: number, page: number, limit: number, pages: number, items: Array<{ id: string, developerId: string, developerName: string, teamId: string | null, amount: number, currency: string, method: PayoutMethod, status: PayoutStatus, createdAt: string, paidAt: string | null }> } };

export type RolesQueryVariables = Exact<{ [key: string]: never; }>;


export type RolesQuery = { roles: Array<{ id: string, accountId: string, slug: string, name: string, description: string | null, color: string | null, isSystem: boolean, permissions: Array<string>, memberCount: number, position: number, createdAt: string, updatedAt: string }> };

export type RoleQueryVariables = Exact<{
  id: string;
}>;


export type RoleQuery = { role: { id: string, accountId: string, slug: string, name: string, description: string | null, color: string | null, isSystem: boolean, permissions: Array<string>, memberCount: number, position: number, createdAt: string, updatedAt: string } };

export type AccountPermissionsQueryVariables = Exact<{ [key: string]: never; }>;


export type AccountPermissionsQuery = { accountPermissions: Array<{ permission: string, category: string, label: string }> };

export type UserRolesQueryVariables = Exact<{ [key: string]: never; }>;


export type UserRolesQuery = { userRoles: Array<{ id: string, slug: string, name: string, description: string | null, isDefault: boolean, isSystem: boolean, createdAt: string, permissions: Array<string> }> };

export type UserRoleMembersQueryVariables = Exact<{
  roleId: string;
}>;


export type UserRoleMembersQuery = { userRoleMembers: Array<{ userId: string, displayName: string, email: string | null, avatarUrl: string | null, assignedBy: string | null, assignedAt: string }> };

export type UserRoleAssignmentsQueryVariables = Exact<{
  userId: string;
}>;


export type UserRoleAssignmentsQuery = { userRoleAssignments: Array<{ userId: string, roleId: string, assignedBy: string | null, createdAt: string }> };

export type UserPermissionOverridesQueryVariables = Exact<{
  userId: string;
}>;


export type UserPermissionOverridesQuery = { userPermissionOverrides: Array<{ userId: string, permission: string, granted: boolean, reason: string | null, setBy: string | null, createdAt: string }> };

export type ResolvedUserPermissionsQueryVariables = Exact<{
  userId: string;
}>;


export type ResolvedUserPermissionsQuery = { resolvedUserPermissions: { permissions: Array<string>, roles: Array<string>, overrides: Array<{ userId: string, permission: string, granted: boolean, reason: string | null, setBy: string | null, createdAt: string }>, accountOverrides: Array<{ accountId: string, permission: string, granted: boolean, reason: string | null, setBy: string | null, createdAt: string }> } };

export type AdminAccountPermissionOverridesQueryVariables = Exact<{
  accountId: string;
}>;


export type AdminAccountPermissionOverridesQuery = { adminAccountPermissionOverrides: Array<{ accountId: string, permission: string, granted: boolean, reason: string | null, setBy: string | null, createdAt: string }> };

export type AdminRolesQueryVariables = Exact<{ [key: string]: never; }>;


export type AdminRolesQuery = { adminRoles: Array<{ id: string, name: string, description: string | null, isSystem: boolean, permissions: Array<string>, memberCount: number, createdAt: string, updatedAt: string }> };

export type AdminRoleQueryVariables = Exact<{
  id: string;
}>;


export type AdminRoleQuery = { adminRole: { id: string, name: string, description: string | null, isSystem: boolean, permissions: Array<string>, memberCount: number, createdAt: string, updatedAt: string } };

export type AdminRoleMembersQueryVariables = Exact<{
  roleId: string;
}>;


export type AdminRoleMembersQuery = { adminRoleMembers: Array<{ userId: string, displayName: string, email: string | null, avatarUrl: string | null, assignedAt: string }> };

export type AllAdminPermissionsQueryVariables = Exact<{ [key: string]: never; }>;


export type AllAdminPermissionsQuery = { allAdminPermissions: Array<{ permission: string, category: string }> };

export type AdminUsersQueryVariables = Exact<{
  search?: string | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type AdminUsersQuery = { adminUsers: { total: number, page: number, limit: number, pages: number, items: Array<{ id: string, displayName: string, username: string, email: string | null, avatarUrl: string | null, createdAt: string, lastLoginAt: string | null, accountCreationOverride: AccountCreationOverride, maxAccountsOverride: number | null, ownedAccountCount: number, membershipCount: number, isDeveloper: boolean }> } };

export type AdminUserQueryVariables = Exact<{
  id: string;
}>;


export type AdminUserQuery = { adminUser: { id: string, displayName: string, username: string, email: string | null, avatarUrl: string | null, createdAt: string, lastLoginAt: string | null, accountCreationOverride: AccountCreationOverride, maxAccountsOverride: number | null, ownedAccountCount: number, isDeveloper: boolean, memberships: Array<{ membershipId: string, accountId: string, accountName: string, roleId: string, roleName: string, isOwner: boolean, joinedAt: string }>, loginConnections: Array<{ id: string, provider: string, providerUserId: string, username: string, displayName: string, reconnectRequired: boolean, createdAt: string }> } };

export type AdminAccountsQueryVariables = Exact<{
  search?: string | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type AdminAccountsQuery = { adminAccounts: { total: number, page: number, limit: number, pages: number, items: Array<{ id: string, name: string, slug: string, memberCount: number, createdAt: string, updatedAt: string, owner: { id: string, displayName: string, email: string | null }, plan: { id: string, slug: string, name: string } }> } };

export type AdminAccountQueryVariables = Exact<{
  id: string;
}>;


export type AdminAccountQuery = { adminAccount: { id: string, name: string, slug: string, description: string | null, memberCount: number, createdAt: string, updatedAt: string, owner: { id: string, displayName: string, email: string | null }, plan: { id: string, slug: string, name: string }, channelConnections: Array<{ id: string, platform: string, username: string, displayName: string, reconnectRequired: boolean, connectedAt: string }>, botConnections: Array<{ id: string, platform: string, username: string, displayName: string, reconnectRequired: boolean, connectedAt: string }> } };

export type AdminAccountLimitsQueryVariables = Exact<{
  accountId: string;
}>;


export type AdminAccountLimitsQuery = { adminAccountLimits: { accountId: string, maxOverlays: number | null, maxStorageBytes: number | null, maxUploadSizeBytes: number | null, maxIntegrations: number | null, chatRetentionDays: number | null, customBotAllowed: boolean | null, obsRemoteAllowed: boolean | null, copyrightDetectionAllowed: boolean | null, notes: string | null, updatedBy: string | null, updatedAt: string | null } };

export type AdminOauthClientsQueryVariables = Exact<{ [key: string]: never; }>;


export type AdminOauthClientsQuery = { adminOauthClients: Array<{ id: string, name: string, redirectUris: Array<string>, allowedHosts: Array<string>, isActive: boolean, createdAt: string, updatedAt: string }> };

export type ExplainAccessQueryVariables = Exact<{
  operation: string;
  subject?: string | null | undefined;
}>;


export type ExplainAccessQuery = { explainAccess: { operation: string, subject: string, allowed: boolean, reason: string | null, steps: Array<{ order: number, kind: AccessStepKind, name: string, effect: AccessStepEffect, detail: string }> } };

export type ConnectionStatusesQueryVariables = Exact<{ [key: string]: never; }>;


export type ConnectionStatusesQuery = { connectionStatuses: Array<{ platform: string, isConnected: boolean, reconnectRequired: boolean, expiresAt: string | null, loginConnected: boolean, loginReconnectRequired: boolean, loginAvailable: boolean }> };

export type ChannelConnectionsQueryVariables = Exact<{ [key: string]: never; }>;


export type ChannelConnectionsQuery = { channelConnections: Array<{ id: string, platform: string, platformChannelId: string, channelName: string, displayName: string, avatarUrl: string | null, scopes: Array<string>, credentialSource: string, botEnabled: boolean, reconnectRequired: boolean, expiresAt: string | null, connectedAt: string, connectedBy: string | null, health: { subscriptions: Array<{ eventType: string, refusal: string | null }>, lastEvents: Array<{ eventType: string, lastEventAt: string }>, reader: { state: ConnectionReaderState, detail: string | null, since: string } | null } }> };

export type EnabledProvidersQueryVariables = Exact<{
  connectionType: ConnectionType;
}>;


export type EnabledProvidersQuery = { enabledProviders: Array<string> };

export type FlaggedConnectionsQueryVariables = Exact<{ [key: string]: never; }>;


export type FlaggedConnectionsQuery = { flaggedConnections: Array<{ kind: FlaggedConnectionKind, id: string, platform: string, accountId: string | null, flaggedAt: string }> };

export type ChannelStatusQueryVariables = Exact<{ [key: string]: never; }>;


export type ChannelStatusQuery = { channelStatus: Array<{ platform: string, isOnline: boolean, broadcastId: string | null, broadcastStatus: BroadcastStatus | null, streamTitle: string | null, category: string | null, viewerCount: number | null, likeCount: number | null, totalViews: number | null, startedAt: string | null, scheduledStart: string | null, liveChatId: string | null, updatedAt: string | null }> };

export type AppCredentialsQueryVariables = Exact<{ [key: string]: never; }>;


export type AppCredentialsQuery = { appCredentials: Array<{ platform: string, kind: CredentialKind, clientIdHint: string, decryptable: boolean, updatedAt: string }> };

export type PlatformCredentialModesQueryVariables = Exact<{ [key: string]: never; }>;


export type PlatformCredentialModesQuery = { platformCredentialModes: Array<{ platform: string, kind: CredentialKind, mode: CredentialMode, systemConfigured: boolean }> };

export type BotConnectionsQueryVariables = Exact<{ [key: string]: never; }>;


export type BotConnectionsQuery = { botConnections: Array<{ id: string, platform: string, botUserId: string, botUsername: string, avatarUrl: string | null, isCustom: boolean, credentialSource: string, reconnectRequired: boolean }> };

export type AdminBotConnectionsQueryVariables = Exact<{ [key: string]: never; }>;


export type AdminBotConnectionsQuery = { adminBotConnections: Array<{ id: string, platform: string, botUserId: string, botUsername: string, avatarUrl: string | null, isCustom: boolean, credentialSource: string, reconnectRequired: boolean }> };

export type BotStatusQueryVariables = Exact<{ [key: string]: never; }>;


export type BotStatusQuery = { botStatus: Array<{ platform: string, status: BotState, botEnabled: boolean, isPausedByStaff: boolean, botUsername: string | null, lastHeartbeatAt: string | null }> };

export type AdminBotControlQueryVariables = Exact<{
  platform?: string | null | undefined;
  search?: string | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type AdminBotControlQuery = { adminBotControl: { total: number, page: number, limit: number, pages: number, items: Array<{ accountId: string, accountName: string, platform: string, channelName: string, status: BotState, botEnabled: boolean, isPausedByStaff: boolean, lastHeartbeatAt: string | null }> } };

export type BotChannelsQueryVariables = Exact<{
  platform: string;
  after?: string | null | undefined;
  limit?: number | null | undefined;
}>;


export type BotChannelsQuery = { botChannels: Array<{ accountId: string, platform: string, platformChannelId: string, channelName: string, botConnectionId: string, botUserId: string, botUsername: string, isCustom: boolean }> };

export type DiscordGuildsQueryVariables = Exact<{ [key: string]: never; }>;


export type DiscordGuildsQuery = { discordGuilds: Array<{ id: string, guildId: string, name: string, iconUrl: string | null, connectedAt: string, connectedBy: string | null, channels: Array<{ feature: DiscordFeature, channelId: string }> }> };

export type AdminDiscordGuildsQueryVariables = Exact<{
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type AdminDiscordGuildsQuery = { adminDiscordGuilds: { total: number, page: number, limit: number, pages: number, items: Array<{ id: string, accountId: string, accountName: string, guildId: string, name: string, iconUrl: string | null, connectedAt: string }> } };

export type ConnectionDoctorQueryVariables = Exact<{ [key: string]: never; }>;


export type ConnectionDoctorQuery = { connectionDoctor: Array<{ platform: string, connectionId: string, status: ConnectionDiagnosisStatus, tokenExpiresAt: string | null, scopesMissing: Array<string>, clockSkewSecs: number | null, findings: Array<{ code: ConnectionFindingCode, severity: ConnectionFindingSeverity, message: string, remedy: string }>, lastEvents: Array<{ eventType: string, receivedAt: string }>, subscriptions: Array<{ eventType: string, status: PlatformSubscriptionStatus, detail: string | null }> }> };

export type AdminSystemConnectionsQueryVariables = Exact<{ [key: string]: never; }>;


export type AdminSystemConnectionsQuery = { adminSystemConnections: Array<{ platform: string, kind: SystemConnectionKind, configured: boolean, clientIdHint: string | null, decryptable: boolean, updatedAt: string | null }> };

export type SearchPlatformUsersQueryVariables = Exact<{
  query: string;
  platforms?: Array<string> | string | null | undefined;
  limit?: number | null | undefined;
}>;


export type SearchPlatformUsersQuery = { searchPlatformUsers: Array<{ platform: string, platformUserId: string, username: string, displayName: string, avatarUrl: string | null, lastSeenAt: string, messageCount: number }> };

export type PlatformUserProfileQueryVariables = Exact<{
  platform: string;
  platformUserId: string;
}>;


export type PlatformUserProfileQuery = { platformUserProfile: { platform: string, platformUserId: string, username: string | null, displayName: string | null, avatarUrl: string | null, description: string | null, accountCreatedAt: string | null, broadcasterType: string | null, isFollower: boolean | null, followedAt: string | null, isModerator: boolean | null, isVip: boolean | null, isSubscriber: boolean | null, subscriberTier: string | null, isBanned: boolean | null, banReason: string | null, timeoutUntil: string | null, messageCount: number, firstSeenAt: string | null, lastSeenAt: string | null, enrichedAt: string | null, notesCount: number } };

export type UserNotesQueryVariables = Exact<{
  platform: string;
  platformUserId: string;
}>;


export type UserNotesQuery = { userNotes: Array<{ id: string, body: string, createdAt: string, updatedAt: string, author: { id: string, displayName: string, avatarUrl: string | null } | null }> };

export type YoutubeMembershipTiersQueryVariables = Exact<{ [key: string]: never; }>;


export type YoutubeMembershipTiersQuery = { youtubeMembershipTiers: Array<{ tooltip: string, tierName: string, badgeUrl: string | null, durationValue: number | null, durationUnit: string | null, memberMonthsMin: number | null, sortOrder: number, firstSeenAt: string, lastSeenAt: string }> };

export type YoutubeActiveStreamsQueryVariables = Exact<{ [key: string]: never; }>;


export type YoutubeActiveStreamsQuery = { youtubeActiveStreams: Array<{ broadcastId: string, title: string, status: YoutubeStreamStatus, scheduledStart: string | null, startedAt: string | null, viewerCount: number | null, liveChatId: string | null }> };

export type ChannelEmotesQueryVariables = Exact<{
  platform: string;
  channelId: string;
}>;


export type ChannelEmotesQuery = { channelEmotes: { sets: Array<{ provider: string, emotes: Array<{ id: string, name: string, url: string, animated: boolean }> }> } };

export type UserEmotesQueryVariables = Exact<{ [key: string]: never; }>;


export type UserEmotesQuery = { userEmotes: { sets: Array<{ provider: string, emotes: Array<{ id: string, name: string, url: string, animated: boolean }> }> } };

export type DeveloperExtensionsQueryVariables = Exact<{ [key: string]: never; }>;


export type DeveloperExtensionsQuery = { developerExtensions: Array<{ id: string, teamId: string | null, shortId: string, slug: string, name: string, shortDescription: string, description: string, category: string | null, visibility: string, status: string, iconKey: string | null, screenshots: Array<string>, tags: Array<string>, supportUrl: string | null, installCount: number, ratingAvg: number, ratingCount: number, currentVersionId: string | null, listedAt: string | null, publishedAt: string | null, createdAt: string, updatedAt: string, pricing: { type: string, amount: number | null, currency: string | null, interval: string | null } }> };

export type DeveloperExtensionQueryVariables = Exact<{
  id: string;
}>;


export type DeveloperExtensionQuery = { developerExtension: { extension: { id: string, teamId: string | null, shortId: string, slug: string, name: string, shortDescription: string, description: string, category: string | null, visibility: string, status: string, iconKey: string | null, screenshots: Array<string>, tags: Array<string>, supportUrl: string | null, installCount: number, ratingAvg: number, ratingCount: number, currentVersionId: string | null, listedAt: string | null, publishedAt: string | null, createdAt: string, updatedAt: string, pricing: { type: string, amount: number | null, currency: string | null, interval: string | null } }, versions: Array<{ id: string, version: string, status: ExtensionVersionStatus, changelog: string, breaking: boolean, needsEnhancedReview: boolean, bundleSizeBytes: number, reviewNotes: string | null, submittedAt: string, approvedAt: string | null }> } };

export type ExtensionSecretKeysQueryVariables = Exact<{
  id: string;
}>;


export type ExtensionSecretKeysQuery = { extensionSecretKeys: Array<string> };

export type ExtensionTestersQueryVariables = Exact<{
  id: string;
}>;


export type ExtensionTestersQuery = { extensionTesters: Array<{ userId: string, username: string, displayName: string, avatarUrl: string | null, createdAt: string }> };

export type ExtensionAccessGrantsQueryVariables = Exact<{
  id: string;
}>;


export type ExtensionAccessGrantsQuery = { extensionAccessGrants: Array<{ accountId: string, accountName: string, grantedBy: string | null, createdAt: string }> };

export type AdminExtensionVersionsQueryVariables = Exact<{
  status?: ExtensionVersionStatus | null | undefined;
  awaitsListing?: boolean | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type AdminExtensionVersionsQuery = { adminExtensionVersions: { total: number, page: number, limit: number, pages: number, items: Array<{ id: string, extensionId: string, extensionName: string, extensionSlug: string, version: string, status: ExtensionVersionStatus, breaking: boolean, needsEnhancedReview: boolean, approvals: number, awaitsListing: boolean, bundleSizeBytes: number, changelog: string, submittedAt: string, approvedAt: string | null, reviewNotes: string | null }> } };

export type AdminExtensionVersionQueryVariables = Exact<{
  id: string;
}>;


export type AdminExtensionVersionQuery = { adminExtensionVersion: { manifest: unknown, sourceKey: string | null, version: { id: string, extensionId: string, extensionName: string, extensionSlug: string, version: string, status: ExtensionVersionStatus, breaking: boolean, needsEnhancedReview: boolean, approvals: number, awaitsListing: boolean, bundleSizeBytes: number, changelog: string, submittedAt: string, approvedAt: string | null, reviewNotes: string | null }, permissions: { added: Array<string>, removed: Array<string> }, egressHosts: { added: Array<string>, removed: Array<string> }, egressPorts: { added: Array<string>, removed: Array<string> }, files: Array<{ filePath: string, contentType: string, sizeBytes: number, contentHash: string }> } };

export type ExtensionErrorsQueryVariables = Exact<{
  id: string;
  limit?: number | null | undefined;
  offset?: number | null | undefined;
  since?: string | null | undefined;
  before?: string | null | undefined;
}>;


export type ExtensionErrorsQuery = { extensionErrors: Array<{ id: string, errorType: string, message: string, stackTrace: string | null, occurredAt: string, installId: string, accountId: string }> };

export type ExtensionMetricsQueryVariables = Exact<{
  id: string;
  since?: string | null | undefined;
}>;


export type ExtensionMetricsQuery = { extensionMetrics: { totalInvocations: number, totalErrors: number, avgExecutionMs: number, p99ExecutionMs: number, byHandler: Array<{ handler: string, totalInvocations: number, totalErrors: number, avgExecutionMs: number, p99ExecutionMs: number }>, timeSeries: Array<{ bucket: string, totalInvocations: number, totalErrors: number, avgExecutionMs: number }> } };

export type DeveloperTeamsQueryVariables = Exact<{ [key: string]: never; }>;


export type DeveloperTeamsQuery = { developerTeams: Array<{ id: string, name: string, slug: string, description: string | null, githubUrl: string | null, websiteUrl: string | null, avatarKey: string | null, ownerId: string, memberCount: number, myPermissions: Array<string>, createdAt: string, myRole: { id: string, slug: string, name: string } }> };

export type DeveloperTeamPermissionsQueryVariables = Exact<{ [key: string]: never; }>;


export type DeveloperTeamPermissionsQuery = { developerTeamPermissions: Array<{ permission: string, category: string, label: string }> };

export type DeveloperTeamQueryVariables = Exact<{
  id: string;
}>;


export type DeveloperTeamQuery = { developerTeam: { id: string, name: string, slug: string, description: string | null, githubUrl: string | null, websiteUrl: string | null, avatarKey: string | null, ownerId: string, memberCount: number, myPermissions: Array<string>, createdAt: string, myRole: { id: string, slug: string, name: string } } };

export type PublicDeveloperTeamProfileQueryVariables = Exact<{
  slug: string;
}>;


export type PublicDeveloperTeamProfileQuery = { publicDeveloperTeamProfile: { id: string, name: string, slug: string, description: string | null, githubUrl: string | null, websiteUrl: string | null, avatarKey: string | null, createdAt: string, stats: { extensionCount: number, totalInstalls: number, avgRating: number }, members: Array<{ userId: string, displayName: string, avatarUrl: string | null, role: string }>, extensions: Array<{ id: string, shortId: string, slug: string, name: string, description: string, category: string | null, iconKey: string | null, pricingType: string, pricingAmount: number | null, pricingCurrency: string | null, installCount: number, ratingAvg: number, ratingCount: number, publishedAt: string | null }> } };

export type DeveloperTeamMembersQueryVariables = Exact<{
  id: string;
}>;


export type DeveloperTeamMembersQuery = { developerTeamMembers: Array<{ id: string, userId: string, displayName: string, avatarUrl: string | null, joinedAt: string, role: { id: string, slug: string, name: string } }> };

export type DeveloperTeamInvitesQueryVariables = Exact<{
  id: string;
}>;


export type DeveloperTeamInvitesQuery = { developerTeamInvites: Array<{ id: string, code: string | null, url: string | null, email: string | null, expiresAt: string, maxUses: number, useCount: number, createdBy: string, createdAt: string, role: { id: string, slug: string, name: string } }> };

export type DeveloperTeamInviteByCodeQueryVariables = Exact<{
  code: string;
}>;


export type DeveloperTeamInviteByCodeQuery = { developerTeamInviteByCode: { expiresAt: string, isValid: boolean, team: { name: string, slug: string, avatarKey: string | null }, role: { id: string, slug: string, name: string } } };

export type DeveloperTeamRolesQueryVariables = Exact<{
  id: string;
}>;


export type DeveloperTeamRolesQuery = { developerTeamRoles: Array<{ id: string, slug: string, name: string, description: string | null, permissions: Array<string>, isSystem: boolean, memberCount: number, createdAt: string, updatedAt: string }> };

export type DeveloperApplicationQueryVariables = Exact<{ [key: string]: never; }>;


export type DeveloperApplicationQuery = { developerApplication: { id: string, userId: string, applicationType: DeveloperApplicationType, displayName: string, slug: string, description: string, motivation: string, whatToBuild: string, githubUrl: string | null, websiteUrl: string | null, experience: string | null, avatarKey: string | null, status: DeveloperApplicationStatus, reviewNotes: string | null, reviewedBy: string | null, reviewedAt: string | null, createdAt: string, updatedAt: string } };

export type AdminDeveloperApplicationsQueryVariables = Exact<{
  status?: DeveloperApplicationStatus | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type AdminDeveloperApplicationsQuery = { adminDeveloperApplications: { total: number, items: Array<{ id: string, userId: string, applicationType: DeveloperApplicationType, displayName: string, slug: string, status: DeveloperApplicationStatus, createdAt: string, userDisplayName: string, userAvatarUrl: string | null }> } };

export type AdminDeveloperApplicationQueryVariables = Exact<{
  id: string;
}>;


export type AdminDeveloperApplicationQuery = { adminDeveloperApplication: { id: string, userId: string, applicationType: DeveloperApplicationType, displayName: string, slug: string, description: string, motivation: string, whatToBuild: string, githubUrl: string | null, websiteUrl: string | null, experience: string | null, avatarKey: string | null, status: DeveloperApplicationStatus, reviewNotes: string | null, reviewedBy: string | null, reviewedAt: string | null, createdAt: string, updatedAt: string } };

export type DeveloperVerificationQueryVariables = Exact<{ [key: string]: never; }>;


export type DeveloperVerificationQuery = { developerVerification: { id: string, developerId: string, legalName: string, companyName: string | null, addressLine1: string, addressLine2: string | null, postalCode: string, city: string, country: string, taxId: string | null, tradeRegisterId: string | null, documentKey: string | null, status: DeveloperVerificationStatus, reviewNotes: string | null, reviewedBy: string | null, reviewedAt: string | null, createdAt: string, updatedAt: string } | null };

export type AdminDeveloperVerificationsQueryVariables = Exact<{
  status?: DeveloperVerificationStatus | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type AdminDeveloperVerificationsQuery = { adminDeveloperVerifications: { total: number, page: number, limit: number, pages: number, items: Array<{ id: string, developerId: string, userId: string, developerName: string, developerSlug: string, status: DeveloperVerificationStatus, reviewedBy: string | null, reviewedAt: string | null, createdAt: string, updatedAt: string }> } };

export type AdminDeveloperVerificationQueryVariables = Exact<{
  id: string;
}>;


export type AdminDeveloperVerificationQuery = { adminDeveloperVerification: { id: string, developerId: string, userId: string, developerName: string, developerSlug: string, legalName: string, companyName: string | null, addressLine1: string, addressLine2: string | null, postalCode: string, city: string, country: string, taxId: string | null, tradeRegisterId: string | null, documentKey: string | null, documentUrl: string | null, status: DeveloperVerificationStatus, reviewNotes: string | null, reviewedBy: string | null, reviewedAt: string | null, createdAt: string, updatedAt: string } };

export type DeveloperProfileQueryVariables = Exact<{ [key: string]: never; }>;


export type DeveloperProfileQuery = { developerProfile: { id: string, userId: string, displayName: string, slug: string, description: string | null, githubUrl: string | null, websiteUrl: string | null, avatarKey: string | null, verified: boolean, createdAt: string, updatedAt: string } };

export type PublicDeveloperProfileQueryVariables = Exact<{
  slug: string;
}>;


export type PublicDeveloperProfileQuery = { publicDeveloperProfile: { id: string, displayName: string, slug: string, description: string | null, githubUrl: string | null, websiteUrl: string | null, avatarKey: string | null, avatarUrl: string | null, createdAt: string, stats: { extensionCount: number, totalInstalls: number, avgRating: number }, extensions: Array<{ id: string, shortId: string, slug: string, name: string, description: string, category: string | null, iconKey: string | null, pricingType: string, pricingAmount: number | null, pricingCurrency: string | null, installCount: number, ratingAvg: number, ratingCount: number, publishedAt: string | null }> } };

export type DeveloperPayoutSettingsQueryVariables = Exact<{
  teamId?: string | null | undefined;
}>;


export type DeveloperPayoutSettingsQuery = { developerPayoutSettings: { id: string, userId: string, teamId: string | null, paymentConnectId: string | null, paypalStyleEmail: string | null, bankIban: string | null, bankBic: string | null, bankName: string | null, payoutMethod: DeveloperPayoutMethod | null, revenueBalance: number, totalEarned: number, createdAt: string, updatedAt: string } };

export type DeveloperPayoutsQueryVariables = Exact<{
  teamId?: string | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type DeveloperPayoutsQuery = { developerPayouts: { total: number, page: number, limit: number, pages: number, items: Array<{ id: string, amount: number, currency: string, method: DeveloperPayoutMethod, status: DeveloperPayoutStatus, createdAt: string, paidAt: string | null }> } };

export type DeveloperRevenueQueryVariables = Exact<{
  teamId?: string | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
}>;


export type DeveloperRevenueQuery = { developerRevenue: { from: string, to: string, currency: string, totalAmount: number, totalShare: number, items: Array<{ extensionId: string | null, extensionName: string | null, month: string, payments: number, amount: number, fee: number, share: number }> } };

export type DeveloperLimitsQueryVariables = Exact<{ [key: string]: never; }>;


export type DeveloperLimitsQuery = { developerLimits: { categories: Array<{ category: string, limits: Array<{ key: string, label: string, value: number, source: DeveloperLimitSource, defaultValue: number, configurable: boolean }> }>, extensions: Array<{ extensionId: string, extensionName: string, limits: { maxSounds: number, maxSoundsSource: DeveloperLimitSource } }> } };

export type ExtensionLimitsQueryVariables = Exact<{
  id: string;
}>;


export type ExtensionLimitsQuery = { extensionLimits: { maxSounds: number, maxSoundsSource: DeveloperLimitSource } };

export type DeveloperLimitRequestsQueryVariables = Exact<{
  status?: LimitRequestStatus | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type DeveloperLimitRequestsQuery = { developerLimitRequests: { total: number, page: number, limit: number, pages: number, items: Array<{ id: string, developerId: string, requestedBy: string | null, scope: LimitRequestScope, extensionId: string | null, limitKey: string, currentValue: number, requestedValue: number, reason: string, status: LimitRequestStatus, reviewNotes: string | null, reviewedBy: string | null, reviewedAt: string | null, createdAt: string, updatedAt: string }> } };

export type DeveloperLimitRequestQueryVariables = Exact<{
  id: string;
}>;


export type DeveloperLimitRequestQuery = { developerLimitRequest: { id: string, developerId: string, requestedBy: string | null, scope: LimitRequestScope, extensionId: string | null, limitKey: string, currentValue: number, requestedValue: number, reason: string, status: LimitRequestStatus, reviewNotes: string | null, reviewedBy: string | null, reviewedAt: string | null, createdAt: string, updatedAt: string } };

export type DeveloperLimitRequestEventsQueryVariables = Exact<{
  id: string;
}>;


export type DeveloperLimitRequestEventsQuery = { developerLimitRequestEvents: Array<{ id: string, requestId: string, eventType: string, actorId: string | null, details: unknown, createdAt: string }> };

export type AdminLimitRequestsQueryVariables = Exact<{
  status?: LimitRequestStatus | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type AdminLimitRequestsQuery = { adminLimitRequests: { total: number, page: number, limit: number, pages: number, items: Array<{ id: string, developerId: string, requestedBy: string | null, scope: LimitRequestScope, extensionId: string | null, limitKey: string, currentValue: number, requestedValue: number, reason: string, status: LimitRequestStatus, reviewNotes: string | null, reviewedBy: string | null, reviewedAt: string | null, createdAt: string, updatedAt: string }> } };

export type AdminDeveloperLimitRequestsQueryVariables = Exact<{
  id: string;
  status?: LimitRequestStatus | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type AdminDeveloperLimitRequestsQuery = { adminDeveloperLimitRequests: { total: number, page: number, limit: number, pages: number, items: Array<{ id: string, developerId: string, requestedBy: string | null, scope: LimitRequestScope, extensionId: string | null, limitKey: string, currentValue: number, requestedValue: number, reason: string, status: LimitRequestStatus, reviewNotes: string | null, reviewedBy: string | null, reviewedAt: string | null, createdAt: string, updatedAt: string }> } };

export type AdminLimitRequestQueryVariables = Exact<{
  id: string;
}>;


export type AdminLimitRequestQuery = { adminLimitRequest: { id: string, developerId: string, requestedBy: string | null, scope: LimitRequestScope, extensionId: string | null, limitKey: string, currentValue: number, requestedValue: number, reason: string, status: LimitRequestStatus, reviewNotes: string | null, reviewedBy: string | null, reviewedAt: string | null, createdAt: string, updatedAt: string } };

export type AdminLimitRequestEventsQueryVariables = Exact<{
  id: string;
}>;


export type AdminLimitRequestEventsQuery = { adminLimitRequestEvents: Array<{ id: string, requestId: string, eventType: string, actorId: string | null, details: unknown, createdAt: string }> };

export type StoreExtensionsQueryVariables = Exact<{
  search?: string | null | undefined;
  category?: StoreCategory | null | undefined;
  pricing?: StorePricing | null | undefined;
  sort?: StoreSort | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type StoreExtensionsQuery = { storeExtensions: { total: number, page: number, limit: number, pages: number, items: Array<{ id: string, shortId: string, slug: string, name: string, description: string, category: string | null, iconKey: string | null, pricingType: string, pricingAmount: number | null, pricingCurrency: string | null, installCount: number, ratingAvg: number, ratingCount: number, publishedAt: string | null, installed: boolean, developer: { slug: string, displayName: string } | null }> } };

export type StoreExtensionQueryVariables = Exact<{
  id: string;
}>;


export type StoreExtensionQuery = { storeExtension: { description: string, visibility: string, pricingInterval: string | null, screenshots: Array<string>, tags: Array<string>, supportUrl: string | null, currentVersion: string, permissions: Array<string>, egressHosts: Array<string>, configSchema: unknown, extension: { id: string, shortId: string, slug: string, name: string, description: string, category: string | null, iconKey: string | null, pricingType: string, pricingAmount: number | null, pricingCurrency: string | null, installCount: number, ratingAvg: number, ratingCount: number, publishedAt: string | null, installed: boolean, developer: { slug: string, displayName: string } | null }, versions: Array<{ id: string, version: string, changelog: string, breaking: boolean, bundleSizeBytes: number, approvedAt: string | null }>, reviews: { ratingAvg: number, ratingCount: number, ratings: Array<{ rating: number, count: number }> } } };

export type ExtensionReviewsQueryVariables = Exact<{
  id: string;
  page?: number | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
}>;


export type ExtensionReviewsQuery = { extensionReviews: { total: number, page: number, limit: number, pages: number, nextCursor: string | null, items: Array<{ id: string, extensionId: string, rating: number, title: string, body: string, developerReply: string | null, createdAt: string, updatedAt: string, author: { id: string, displayName: string, avatarUrl: string | null } }> } };

export type ExtensionVersionFilesQueryVariables = Exact<{
  extensionId: string;
  version: string;
}>;


export type ExtensionVersionFilesQuery = { extensionVersionFiles: Array<{ id: string, versionId: string, filePath: string, contentType: string, sizeBytes: number, contentHash: string, createdAt: string }> };

export type ExtensionInstallsQueryVariables = Exact<{ [key: string]: never; }>;


export type ExtensionInstallsQuery = { extensionInstalls: Array<{ id: string, accountId: string, extensionId: string, extensionSlug: string, extensionName: string, category: string | null, version: string, pinnedVersion: string | null, enabled: boolean, config: unknown, configSchema: unknown, effectiveConfig: unknown, grantedPermissions: Array<string>, updateAvailable: boolean, updateRequiresConsent: boolean, installedBy: string | null, createdAt: string, updatedAt: string, effective: { runs: boolean, reason: InstallStopReason | null } }> };

export type ExtensionInstallQueryVariables = Exact<{
  id: string;
}>;


export type ExtensionInstallQuery = { extensionInstall: { id: string, accountId: string, extensionId: string, extensionSlug: string, extensionName: string, category: string | null, version: string, pinnedVersion: string | null, enabled: boolean, config: unknown, configSchema: unknown, effectiveConfig: unknown, grantedPermissions: Array<string>, updateAvailable: boolean, updateRequiresConsent: boolean, installedBy: string | null, createdAt: string, updatedAt: string, effective: { runs: boolean, reason: InstallStopReason | null } } };

export type ExtensionStorageQueryVariables = Exact<{
  id: string;
}>;


export type ExtensionStorageQuery = { extensionStorage: { value: unknown, version: number } };

export type ExtensionInstallLogsQueryVariables = Exact<{
  id: string;
  limit?: number | null | undefined;
  offset?: number | null | undefined;
  level?: InstallLogLevel | null | undefined;
  before?: string | null | undefined;
}>;


export type ExtensionInstallLogsQuery = { extensionInstallLogs: Array<{ id: string, level: InstallLogLevel, message: string, triggerType: string | null, executionMs: number | null, createdAt: string }> };

export type InstalledAutomationNodesQueryVariables = Exact<{ [key: string]: never; }>;


export type InstalledAutomationNodesQuery = { installedAutomationNodes: Array<{ extensionId: string, installId: string, name: string, nodeType: AutomationNodeType, inputSchema: unknown, outputSchema: unknown, triggerMode: AutomationTriggerMode | null, icon: string | null, color: string | null }> };

export type AutomationWebhookUrlQueryVariables = Exact<{
  installId: string;
  automationId: string;
}>;


export type AutomationWebhookUrlQuery = { automationWebhookUrl: { webhookUrl: string, webhookSecret: string } };

export type EventsQueryVariables = Exact<{
  filter?: EventsFilter | null | undefined;
}>;


export type EventsQuery = { events: { total: number, page: number, limit: number, pages: number, nextCursor: string | null, items: Array<{ id: string, accountId: string, eventType: string, platform: string | null, platformUserId: string | null, username: string | null, displayName: string | null, avatarUrl: string | null, amount: number | null, currency: string | null, message: string | null, data: unknown, isTest: boolean, occurredAt: string }> } };

export type EventQueryVariables = Exact<{
  id: string;
}>;


export type EventQuery = { event: { id: string, accountId: string, eventType: string, platform: string | null, platformUserId: string | null, username: string | null, displayName: string | null, avatarUrl: string | null, amount: number | null, currency: string | null, message: string | null, data: unknown, isTest: boolean, occurredAt: string } };

export type ChatMessagesQueryVariables = Exact<{
  filter?: ChatMessagesFilter | null | undefined;
}>;


export type ChatMessagesQuery = { chatMessages: Array<{ id: string, accountId: string, platform: string, platformMessageId: string, platformUserId: string, username: string, displayName: string, color: string | null, text: string, replyTo: string | null, isDeleted: boolean, isAction: boolean, sentAt: string, badges: Array<{ id: string, version: string, info: string | null }>, fragments: Array<{ type: ChatFragmentType, text: string, emoteId: string | null, userId: string | null, bits: number | null }>, emotes: Array<{ id: string, name: string, url: string, animated: boolean }> }> };

export type ModerationLogQueryVariables = Exact<{
  page?: number | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
}>;


export type ModerationLogQuery = { moderationLog: { total: number, page: number, limit: number, pages: number, nextCursor: string | null, items: Array<{ id: string, platform: string | null, action: ModerationLogAction, target: string, reason: string | null, durationSecs: number | null, success: boolean, details: string | null, createdAt: string, moderator: { type: ModeratorType, id: string | null, displayName: string | null } }> } };

export type PollsQueryVariables = Exact<{
  page?: number | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
}>;


export type PollsQuery = { polls: { total: number, page: number, limit: number, pages: number, nextCursor: string | null, items: Array<{ id: string, accountId: string, platform: string, platformPollId: string, title: string, status: PollStatus, winningChoiceId: string | null, startedAt: string, endsAt: string, endedAt: string | null, choices: Array<{ id: string, title: string, votes: number }> }> } };

export type PredictionsQueryVariables = Exact<{
  page?: number | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
}>;


export type PredictionsQuery = { predictions: { total: number, page: number, limit: number, pages: number, nextCursor: string | null, items: Array<{ id: string, accountId: string, platform: string, platformPredictionId: string, title: string, status: PredictionStatus, winningOutcomeId: string | null, startedAt: string, locksAt: string, endedAt: string | null, outcomes: Array<{ id: string, title: string, users: number, channelPoints: number }> }> } };

export type NotificationsQueryVariables = Exact<{
  unread?: boolean | null | undefined;
  limit?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type NotificationsQuery = { notifications: { unreadCount: number, items: Array<{ id: string, userId: string, type: string, title: string, message: string, data: unknown, readAt: string | null, createdAt: string, actions: Array<{ key: string, label: string }> }> } };

export type UnreadNotificationCountQueryVariables = Exact<{ [key: string]: never; }>;


export type UnreadNotificationCountQuery = { unreadNotificationCount: number };

export type NotificationPreferencesQueryVariables = Exact<{ [key: string]: never; }>;


export type NotificationPreferencesQuery = { notificationPreferences: Array<{ notificationType: string, channel: NotificationChannel, locked: boolean }> };

export type AdminSupportTicketsQueryVariables = Exact<{
  status?: SupportTicketStatus | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
}>;


export type AdminSupportTicketsQuery = { adminSupportTickets: { total: number, page: number, limit: number, pages: number, nextCursor: string | null, items: Array<{ id: string, userId: string, userDisplayName: string, accountId: string | null, subject: string, body: string, status: SupportTicketStatus, createdAt: string, updatedAt: string }> } };

export type AdminSupportTicketQueryVariables = Exact<{
  id: string;
}>;


export type AdminSupportTicketQuery = { adminSupportTicket: { id: string, userId: string, userDisplayName: string, accountId: string | null, subject: string, body: string, status: SupportTicketStatus, createdAt: string, updatedAt: string } };

export type AdminCspReportsQueryVariables = Exact<{
  directive?: string | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
}>;


export type AdminCspReportsQuery = { adminCspReports: { total: number, page: number, limit: number, pages: number, nextCursor: string | null, items: Array<{ id: string, documentUri: string, blockedUri: string, violatedDirective: string, disposition: string | null, sourceFile: string | null, lineNumber: number | null, columnNumber: number | null, statusCode: number | null, userAgent: string | null, receivedAt: string }> } };

export type BotCommandsQueryVariables = Exact<{ [key: string]: never; }>;


export type BotCommandsQuery = { botCommands: Array<{ id: string, accountId: string | null, name: string, aliases: Array<string>, description: string, responseType: BotCommandResponseType, response: string, automationId: string | null, platforms: Array<string>, minRole: BotCommandRole, cooldownGlobal: number, cooldownUser: number, enabled: boolean, useCount: number, isOverride: boolean, createdAt: string, updatedAt: string }> };

export type BotCommandQueryVariables = Exact<{
  id: string;
}>;


export type BotCommandQuery = { botCommand: { id: string, accountId: string | null, name: string, aliases: Array<string>, description: string, responseType: BotCommandResponseType, response: string, automationId: string | null, platforms: Array<string>, minRole: BotCommandRole, cooldownGlobal: number, cooldownUser: number, enabled: boolean, useCount: number, isOverride: boolean, createdAt: string, updatedAt: string } };

export type GlobalBotCommandsQueryVariables = Exact<{ [key: string]: never; }>;


export type GlobalBotCommandsQuery = { globalBotCommands: Array<{ id: string, accountId: string | null, name: string, aliases: Array<string>, description: string, responseType: BotCommandResponseType, response: string, automationId: string | null, platforms: Array<string>, minRole: BotCommandRole, cooldownGlobal: number, cooldownUser: number, enabled: boolean, useCount: number, isOverride: boolean, createdAt: string, updatedAt: string }> };

export type AdminBotCommandsQueryVariables = Exact<{
  scope?: BotCommandScope | null | undefined;
  search?: string | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type AdminBotCommandsQuery = { adminBotCommands: { total: number, page: number, limit: number, pages: number, items: Array<{ id: string, accountId: string | null, name: string, aliases: Array<string>, description: string, responseType: BotCommandResponseType, response: string, automationId: string | null, platforms: Array<string>, minRole: BotCommandRole, cooldownGlobal: number, cooldownUser: number, enabled: boolean, useCount: number, isOverride: boolean, createdAt: string, updatedAt: string }> } };

export type BotModulesQueryVariables = Exact<{ [key: string]: never; }>;


export type BotModulesQuery = { botModules: Array<{ source: BotModuleSource, name: string, installId: string | null, enabled: boolean, config: unknown, killed: boolean, exemptRoles: { moderator: boolean, vip: boolean, subscriber: boolean } }> };

export type BotModuleQueryVariables = Exact<{
  name: string;
}>;


export type BotModuleQuery = { botModule: { source: BotModuleSource, name: string, installId: string | null, enabled: boolean, config: unknown, killed: boolean, exemptRoles: { moderator: boolean, vip: boolean, subscriber: boolean } } };

export type CheckSongQueryVariables = Exact<{
  spotifyTrackId?: string | null | undefined;
  isrc?: string | null | undefined;
  title?: string | null | undefined;
  artist?: string | null | undefined;
}>;


export type CheckSongQuery = { checkSong: { status: CopyrightStatus, matchedBy: SongMatch | null, scope: SongListScope | null, song: { id: string, title: string, artist: string, spotifyTrackId: string | null, isrc: string | null, createdAt: string } | null } };

export type CopyrightCheckQueryVariables = Exact<{
  spotifyTrackId?: string | null | undefined;
  isrc?: string | null | undefined;
  title?: string | null | undefined;
  artist?: string | null | undefined;
}>;


export type CopyrightCheckQuery = { copyrightCheck: { status: CopyrightStatus, matchedBy: SongMatch | null, scope: SongListScope | null, song: { id: string, title: string, artist: string, spotifyTrackId: string | null, isrc: string | null, createdAt: string } | null } };

export type SafeSongsQueryVariables = Exact<{
  search?: string | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type SafeSongsQuery = { safeSongs: { total: number, page: number, limit: number, pages: number, items: Array<{ id: string, title: string, artist: string, spotifyTrackId: string | null, isrc: string | null, createdAt: string }> } };

export type BlockedSongsQueryVariables = Exact<{
  search?: string | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type BlockedSongsQuery = { blockedSongs: { total: number, page: number, limit: number, pages: number, items: Array<{ id: string, title: string, artist: string, spotifyTrackId: string | null, isrc: string | null, createdAt: string }> } };

export type CopyrightPlaylistSyncsQueryVariables = Exact<{ [key: string]: never; }>;


export type CopyrightPlaylistSyncsQuery = { copyrightPlaylistSyncs: Array<{ id: string, playlistId: string, name: string, list: CopyrightPlaylistList, trackCount: number, lastSyncedAt: string | null, error: string | null, createdAt: string }> };

export type AdminCopyrightCandidatesQueryVariables = Exact<{
  status?: CopyrightCandidateStatus | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type AdminCopyrightCandidatesQuery = { adminCopyrightCandidates: { total: number, page: number, limit: number, pages: number, items: Array<{ id: string, vote: CopyrightVoteKind, status: CopyrightCandidateStatus, accounts: number, createdAt: string, song: { id: string, title: string, artist: string, spotifyTrackId: string | null, isrc: string | null } }> } };

export type MusicSongsQueryVariables = Exact<{
  search?: string | null | undefined;
  status?: CopyrightStatus | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type MusicSongsQuery = { musicSongs: { total: number, page: number, limit: number, pages: number, items: Array<{ id: string, title: string, artist: string, spotifyTrackId: string | null, isrc: string | null, status: CopyrightStatus, createdAt: string }> } };

export type MusicSongQueryVariables = Exact<{
  id: string;
}>;


export type MusicSongQuery = { musicSong: { id: string, title: string, artist: string, spotifyTrackId: string | null, isrc: string | null, status: CopyrightStatus, createdAt: string } };

export type MusicCheckQueryVariables = Exact<{
  url: string;
}>;


export type MusicCheckQuery = { musicCheck: { status: CopyrightStatus, song: { id: string, title: string, artist: string, spotifyTrackId: string | null, isrc: string | null, status: CopyrightStatus, createdAt: string } | null } };

export type AutomationsQueryVariables = Exact<{ [key: string]: never; }>;


export type AutomationsQuery = { automations: Array<{ id: string, accountId: string, name: string, description: string | null, enabled: boolean, triggerTypes: Array<string>, version: number, lastRunAt: string | null, nextRunAt: string | null, runCount: number, createdBy: string | null, createdAt: string, updatedAt: string }> };

export type AutomationQueryVariables = Exact<{
  id: string;
}>;


export type AutomationQuery = { automation: { id: string, accountId: string, name: string, description: string | null, enabled: boolean, triggerTypes: Array<string>, version: number, lastRunAt: string | null, nextRunAt: string | null, runCount: number, createdBy: string | null, createdAt: string, updatedAt: string, nodes: Array<{ id: string, type: string, label: string | null, config: unknown, installId: string | null, position: { x: number, y: number } }>, edges: Array<{ id: string, sourceNodeId: string, sourceHandle: string, targetNodeId: string }> } };

export type AutomationRunsQueryVariables = Exact<{
  id: string;
  status?: AutomationRunStatus | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
}>;


export type AutomationRunsQuery = { automationRuns: { total: number, page: number, limit: number, pages: number, nextCursor: string | null, items: Array<{ id: string, automationId: string, status: AutomationRunStatus, trigger: unknown, isTest: boolean, parentRunId: string | null, error: string | null, createdAt: string, startedAt: string | null, finishedAt: string | null }> } };

export type AutomationRunQueryVariables = Exact<{
  runId: string;
}>;


export type AutomationRunQuery = { automationRun: { id: string, automationId: string, status: AutomationRunStatus, trigger: unknown, isTest: boolean, parentRunId: string | null, error: string | null, createdAt: string, startedAt: string | null, finishedAt: string | null, stepCount: number, steps: Array<{ position: number, nodeId: string, status: AutomationStepStatus, input: unknown, output: unknown, branch: string | null, error: string | null, startedAt: string, durationMs: number | null }> } };

export type AutomationNodeTypesQueryVariables = Exact<{ [key: string]: never; }>;


export type AutomationNodeTypesQuery = { automationNodeTypes: Array<{ type: string, kind: AutomationNodeKind, name: string | null, handles: Array<string>, configSchema: unknown, outputSchema: unknown, feature: string | null, enabled: boolean, installId: string | null, icon: string | null, color: string | null }> };

export type OverlaysQueryVariables = Exact<{ [key: string]: never; }>;


export type OverlaysQuery = { overlays: Array<{ id: string, accountId: string, name: string, key: string, width: number, height: number, background: string, version: number, thumbnailUploadId: string | null, myAccess: string, layerCount: number, createdAt: string, updatedAt: string }> };

export type OverlayQueryVariables = Exact<{
  id: string;
}>;


export type OverlayQuery = { overlay: { id: string, accountId: string, name: string, key: string, width: number, height: number, background: string, version: number, thumbnailUploadId: string | null, myAccess: string, layerCount: number, createdAt: string, updatedAt: string } };

export type OverlayLayersQueryVariables = Exact<{
  overlayId: string;
}>;


export type OverlayLayersQuery = { overlayLayers: Array<{ id: string, overlayId: string, type: OverlayLayerType, name: string, config: unknown, visible: boolean, sortOrder: number, installId: string | null, x: number, y: number, width: number, height: number, rotation: number, opacity: number, locked: boolean }> };

export type OverlayTokenQueryVariables = Exact<{
  overlayId: string;
}>;


export type OverlayTokenQuery = { overlayToken: { token: string, tokenPrefix: string, url: string, createdAt: string } };

export type OverlaySharesQueryVariables = Exact<{
  overlayId: string;
}>;


export type OverlaySharesQuery = { overlayShares: Array<{ id: string, overlayId: string, label: string | null, tokenPrefix: string, expiresAt: string, createdAt: string, createdBy: { id: string, displayName: string } | null }> };

export type OverlayAccessQueryVariables = Exact<{
  overlayId: string;
}>;


export type OverlayAccessQuery = { overlayAccess: Array<{ id: string, overlayId: string, userId: string, userName: string, userAvatar: string | null, role: string, grantedBy: string | null, createdAt: string }> };

export type OverlayAccessCandidatesQueryVariables = Exact<{
  overlayId: string;
}>;


export type OverlayAccessCandidatesQuery = { overlayAccessCandidates: Array<{ id: string, displayName: string, avatarUrl: string | null }> };

export type WidgetsQueryVariables = Exact<{
  type?: string | null | undefined;
  search?: string | null | undefined;
}>;


export type WidgetsQuery = { widgets: Array<{ id: string, accountId: string, name: string, type: string, installId: string | null, config: unknown, width: number, height: number, enabled: boolean, accessToken: string | null, tokenPrefix: string, url: string, myAccess: string, createdAt: string, updatedAt: string }> };

export type WidgetQueryVariables = Exact<{
  id: string;
}>;


export type WidgetQuery = { widget: { id: string, accountId: string, name: string, type: string, installId: string | null, config: unknown, width: number, height: number, enabled: boolean, accessToken: string | null, tokenPrefix: string, url: string, myAccess: string, createdAt: string, updatedAt: string } };

export type WidgetAccessQueryVariables = Exact<{
  widgetId: string;
}>;


export type WidgetAccessQuery = { widgetAccess: Array<{ id: string, widgetId: string, userId: string, userName: string, userAvatar: string | null, role: string, grantedBy: string | null, createdAt: string }> };

export type WidgetAccessCandidatesQueryVariables = Exact<{
  widgetId: string;
}>;


export type WidgetAccessCandidatesQuery = { widgetAccessCandidates: Array<{ id: string, displayName: string, avatarUrl: string | null }> };

export type UploadsQueryVariables = Exact<{
  purpose?: UploadPurpose | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type UploadsQuery = { uploads: { total: number, page: number, limit: number, pages: number, items: Array<{ id: string, accountId: string, filename: string, contentType: string, sizeBytes: number, purpose: UploadPurpose, sha256: string, createdBy: string | null, createdAt: string, downloadUrl: string }> } };

export type UploadQueryVariables = Exact<{
  id: string;
}>;


export type UploadQuery = { upload: { id: string, accountId: string, filename: string, contentType: string, sizeBytes: number, purpose: UploadPurpose, sha256: string, createdBy: string | null, createdAt: string, downloadUrl: string } };

export type SoundsQueryVariables = Exact<{
  limit?: number | null | undefined;
  offset?: number | null | undefined;
  search?: string | null | undefined;
}>;


export type SoundsQuery = { sounds: { totalCount: number, userSoundCount: number, maxSounds: number, maxSoundFileSize: number, maxSoundStorageBytes: number, usedStorageBytes: number, sounds: Array<{ id: string, accountId: string, name: string, filename: string, contentType: string, sizeBytes: number, durationMs: number | null, waveform: Array<number> | null, createdAt: string, sourceExtensionName: string | null }> } };

export type SoundQueryVariables = Exact<{
  id: string;
}>;


export type SoundQuery = { sound: { id: string, accountId: string, name: string, filename: string, contentType: string, sizeBytes: number, durationMs: number | null, waveform: Array<number> | null, createdAt: string, sourceExtensionName: string | null } };

export type RewardsQueryVariables = Exact<{ [key: string]: never; }>;


export type RewardsQuery = { rewards: Array<{ id: string, accountId: string, platform: string, platformRewardId: string, title: string, cost: number, enabled: boolean, action: unknown, createdAt: string, updatedAt: string }> };

export type RewardQueryVariables = Exact<{
  id: string;
}>;


export type RewardQuery = { reward: { id: string, accountId: string, platform: string, platformRewardId: string, title: string, cost: number, enabled: boolean, action: unknown, createdAt: string, updatedAt: string } };

export type SeTokensQueryVariables = Exact<{ [key: string]: never; }>;


export type SeTokensQuery = { seTokens: Array<{ id: string, platform: string, hint: string, label: string | null, createdAt: string, updatedAt: string, refusedAt: string | null }> };

export type AdminSeTokensQueryVariables = Exact<{
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type AdminSeTokensQuery = { adminSeTokens: { total: number, page: number, limit: number, pages: number, items: Array<{ id: string, accountId: string, platform: string, hint: string, label: string | null, createdAt: string, updatedAt: string, refusedAt: string | null }> } };

export type SpotifyStateQueryVariables = Exact<{ [key: string]: never; }>;


export type SpotifyStateQuery = { spotifyState: { isPlaying: boolean, progressMs: number | null, volume: number | null, shuffle: boolean, repeat: SpotifyRepeatMode, nowPlaying: { trackId: string | null, uri: string, title: string, artist: string, artists: Array<string>, album: string | null, imageUrl: string | null, url: string | null, durationMs: number, progressMs: number | null, isPlaying: boolean, copyrightStatus: string | null } | null, device: { id: string | null, name: string, type: string, volume: number | null, isActive: boolean, isRestricted: boolean } | null, queue: Array<{ trackId: string | null, uri: string, title: string, artist: string, artists: Array<string>, album: string | null, imageUrl: string | null, url: string | null, durationMs: number }>, devices: Array<{ id: string | null, name: string, type: string, volume: number | null, isActive: boolean, isRestricted: boolean }>, playlists: Array<{ id: string, uri: string, name: string, owner: string | null, imageUrl: string | null, url: string | null, trackCount: number }> } };

export type SpotifyPlaylistsQueryVariables = Exact<{ [key: string]: never; }>;


export type SpotifyPlaylistsQuery = { spotifyPlaylists: Array<{ id: string, uri: string, name: string, owner: string | null, imageUrl: string | null, url: string | null, trackCount: number }> };

export type SpotifySearchQueryVariables = Exact<{
  q: string;
  limit?: number | null | undefined;
}>;


export type SpotifySearchQuery = { spotifySearch: Array<{ trackId: string | null, uri: string, title: string, artist: string, artists: Array<string>, album: string | null, imageUrl: string | null, url: string | null, durationMs: number }> };

export type ObsConfigQueryVariables = Exact<{ [key: string]: never; }>;


export type ObsConfigQuery = { obsConfig: { port: number, hasPassword: boolean, remoteEnabled: boolean, remoteHost: string | null, createdAt: string | null, updatedAt: string | null } };

export type ObsStatusQueryVariables = Exact<{ [key: string]: never; }>;


export type ObsStatusQuery = { obsStatus: { configured: boolean, remoteEnabled: boolean, connected: boolean, streaming: boolean, recording: boolean, currentScene: string | null, error: string | null, updatedAt: string | null } };

export type ObsRemoteStatusQueryVariables = Exact<{ [key: string]: never; }>;


export type ObsRemoteStatusQuery = { obsRemoteStatus: { connected: boolean, error: string | null, scenes: Array<string>, currentScene: string | null, updatedAt: string | null, stream: { active: boolean, state: string }, record: { active: boolean, paused: boolean, state: string } } };

export type SpotifyManualConnectQueryVariables = Exact<{ [key: string]: never; }>;


export type SpotifyManualConnectQuery = { spotifyManualConnect: { active: boolean, remainingSeconds: number } };

export type IdeasQueryVariables = Exact<{
  filter?: IdeaFilterInput | null | undefined;
  sort?: IdeaSort | null | undefined;
  limit?: number | null | undefined;
  offset?: number | null | undefined;
}>;


export type IdeasQuery = { ideas: { total: number, items: Array<{ id: string, title: string, description: string, status: IdeaStatus, voteCountUp: number, voteCountDown: number, commentCount: number, myVote: IdeaVoteType | null, createdAt: string, updatedAt: string, author: { id: string, displayName: string, avatarUrl: string | null }, category: { id: string, name: string, label: string, color: string, sortOrder: number, createdAt: string }, tags: Array<{ id: string, name: string, createdBy: string | null, createdAt: string }> }> } };

export type IdeaQueryVariables = Exact<{
  id: string;
}>;


export type IdeaQuery = { idea: { id: string, title: string, description: string, status: IdeaStatus, voteCountUp: number, voteCountDown: number, commentCount: number, myVote: IdeaVoteType | null, createdAt: string, updatedAt: string, author: { id: string, displayName: string, avatarUrl: string | null }, category: { id: string, name: string, label: string, color: string, sortOrder: number, createdAt: string }, tags: Array<{ id: string, name: string, createdBy: string | null, createdAt: string }> } };

export type IdeaVotersQueryVariables = Exact<{
  ideaId: string;
  voteType?: IdeaVoteType | null | undefined;
  limit?: number | null | undefined;
  offset?: number | null | undefined;
}>;


export type IdeaVotersQuery = { ideaVoters: Array<{ userId: string, voteType: IdeaVoteType, displayName: string, avatarUrl: string | null }> };

export type IdeaCommentsQueryVariables = Exact<{
  ideaId: string;
  sort?: IdeaCommentSort | null | undefined;
  limit?: number | null | undefined;
  offset?: number | null | undefined;
}>;


export type IdeaCommentsQuery = { ideaComments: Array<{ id: string, ideaId: string, parentId: string | null, body: string, createdAt: string, updatedAt: string, voteCountUp: number, voteCountDown: number, myVote: IdeaVoteType | null, replyCount: number, author: { id: string, displayName: string, avatarUrl: string | null }, replies: Array<{ id: string, ideaId: string, parentId: string | null, body: string, createdAt: string, updatedAt: string, voteCountUp: number, voteCountDown: number, myVote: IdeaVoteType | null, replyCount: number, author: { id: string, displayName: string, avatarUrl: string | null } }> }> };

export type IdeaTimelineQueryVariables = Exact<{
  ideaId: string;
  limit?: number | null | undefined;
  offset?: number | null | undefined;
}>;


export type IdeaTimelineQuery = { ideaTimeline: Array<{ id: string, action: IdeaTimelineAction, oldValue: string | null, newValue: string | null, createdAt: string, actor: { id: string, displayName: string, avatarUrl: string | null } | null }> };

export type IdeaParticipantsQueryVariables = Exact<{
  ideaId: string;
  search?: string | null | undefined;
}>;


export type IdeaParticipantsQuery = { ideaParticipants: Array<{ id: string, displayName: string, avatarUrl: string | null }> };

export type IdeaCategoriesQueryVariables = Exact<{ [key: string]: never; }>;


export type IdeaCategoriesQuery = { ideaCategories: Array<{ id: string, name: string, label: string, color: string, sortOrder: number, createdAt: string }> };

export type IdeaTagsQueryVariables = Exact<{
  search?: string | null | undefined;
}>;


export type IdeaTagsQuery = { ideaTags: Array<{ id: string, name: string, createdBy: string | null, createdAt: string }> };

export type StreamHistoryQueryVariables = Exact<{
  filter?: StreamHistoryFilter | null | undefined;
}>;


export type StreamHistoryQuery = { streamHistory: { total: number, page: number, limit: number, pages: number, nextCursor: string | null, items: Array<{ id: string, sessionType: StreamSessionType, platforms: Array<string>, title: string | null, category: string | null, startedAt: string, endedAt: string | null, durationSecs: number | null, peakViewers: number | null, avgViewers: number | null, totalMessages: number, uniqueChatters: number | null, newFollowers: number | null, newSubscribers: number | null, isLive: boolean }> } };

export type StreamHistoryFilterOptionsQueryVariables = Exact<{ [key: string]: never; }>;


export type StreamHistoryFilterOptionsQuery = { streamHistoryFilterOptions: { platforms: Array<string>, categories: Array<string> } };

export type StreamReportQueryVariables = Exact<{
  id: string;
}>;


export type StreamReportQuery = { streamReport: { id: string, sessionType: StreamSessionType, platforms: Array<string>, title: string | null, category: string | null, startedAt: string, endedAt: string | null, durationSecs: number | null, peakViewers: number | null, avgViewers: number | null, totalMessages: number, uniqueChatters: number | null, newFollowers: number | null, newSubscribers: number | null, isLive: boolean, messagesPerMinutePeak: number, eventsByType: unknown, streams: Array<{ platform: string, broadcastId: string, title: string | null, category: string | null, startedAt: string, endedAt: string | null, peakViewers: number | null, avgViewers: number | null }>, categories: Array<{ name: string, startedAt: string, durationSecs: number }>, totals: { follows: number, subs: number, giftSubs: number, resubs: number, cheersBits: number, raidsIn: number, raidViewers: number, redemptions: number, superchats: number, tips: Array<{ currency: string, amount: string }> }, topChatters: Array<{ platform: string, platformUserId: string | null, username: string, displayName: string, avatarUrl: string | null, messageCount: number }>, topEmotes: Array<{ id: string, name: string, provider: string, url: string | null, count: number }>, topGifs: Array<{ id: string, url: string, provider: string, alt: string | null, count: number }>, moderation: { bans: number, timeouts: number, deletions: number }, music: Array<{ title: string, artist: string, playedAt: string }>, chartMarkers: Array<{ at: string, type: StreamReportMarkerType, label: string | null }> } };

export type StreamReportStatsQueryVariables = Exact<{
  id: string;
  platform?: string | null | undefined;
}>;


export type StreamReportStatsQuery = { streamReportStats: Array<{ at: string, platform: string, viewerCount: number | null, messageCount: number, uniqueChatters: number, followerDelta: number }> };

export type SharedLinksQueryVariables = Exact<{
  reportId: string;
}>;


export type SharedLinksQuery = { sharedLinks: Array<{ id: string, reportId: string, createdBy: string | null, createdAt: string, expiresAt: string, hasPassword: boolean, allowExport: boolean, viewCount: number, lastViewedAt: string | null, status: SharedLinkStatus }> };

export type SharedReportQueryVariables = Exact<{
  token: string;
  password?: string | null | undefined;
}>;


export type SharedReportQuery = { sharedReport: { allowExport: boolean, report: { id: string, sessionType: StreamSessionType, platforms: Array<string>, title: string | null, category: string | null, startedAt: string, endedAt: string | null, durationSecs: number | null, peakViewers: number | null, avgViewers: number | null, totalMessages: number, uniqueChatters: number | null, newFollowers: number | null, newSubscribers: number | null, isLive: boolean, messagesPerMinutePeak: number, eventsByType: unknown, streams: Array<{ platform: string, broadcastId: string, title: string | null, category: string | null, startedAt: string, endedAt: string | null, peakViewers: number | null, avgViewers: number | null }>, categories: Array<{ name: string, startedAt: string, durationSecs: number }>, totals: { follows: number, subs: number, giftSubs: number, resubs: number, cheersBits: number, raidsIn: number, raidViewers: number, redemptions: number, superchats: number, tips: Array<{ currency: string, amount: string }> }, topChatters: Array<{ platform: string, platformUserId: string | null, username: string, displayName: string, avatarUrl: string | null, messageCount: number }>, topEmotes: Array<{ id: string, name: string, provider: string, url: string | null, count: number }>, topGifs: Array<{ id: string, url: string, provider: string, alt: string | null, count: number }>, moderation: { bans: number, timeouts: number, deletions: number }, music: Array<{ title: string, artist: string, playedAt: string }>, chartMarkers: Array<{ at: string, type: StreamReportMarkerType, label: string | null }> }, samples: Array<{ at: string, platform: string, viewerCount: number | null, messageCount: number, uniqueChatters: number, followerDelta: number }> } };

export type PublicStatsChannelsQueryVariables = Exact<{ [key: string]: never; }>;


export type PublicStatsChannelsQuery = { publicStatsChannels: Array<{ platform: string, platformChannelId: string, channelName: string | null, isPublic: boolean, showTopChatters: boolean, optedOutVia: string | null, updatedAt: string | null }> };

export type PublicChannelStatsQueryVariables = Exact<{
  platform: string;
  channel: string;
}>;


export type PublicChannelStatsQuery = { publicChannelStats: { platformChannelId: string, channelDisplayName: string | null, source: string, streamCount: number, totalDurationSecs: number, peakViewers: number | null, avgViewers: number | null, totalMessages: number, lastStreamedAt: string | null, broadcasterType: string | null, recentStreams: Array<{ broadcastId: string, title: string | null, category: string | null, startedAt: string, endedAt: string | null, durationSecs: number | null, peakViewers: number | null, avgViewers: number | null, totalMessages: number }> } };

export type PublicChannelProfileHistoryQueryVariables = Exact<{
  platform: string;
  channel: string;
  limit?: number | null | undefined;
  offset?: number | null | undefined;
}>;


export type PublicChannelProfileHistoryQuery = { publicChannelProfileHistory: Array<{ changeType: string, oldValue: string | null, newValue: string | null, changedAt: string }> };

export type PublicChannelTrendsQueryVariables = Exact<{
  platform: string;
  channel: string;
  range: PublicTrendsRange;
}>;


export type PublicChannelTrendsQuery = { publicChannelTrends: { followerSeries: Array<{ date: string, followerCount: number }>, avgViewerSeries: Array<{ date: string, avgViewers: number }> } };

export type PublicChannelPanelHistoryQueryVariables = Exact<{
  platform: string;
  channel: string;
}>;


export type PublicChannelPanelHistoryQuery = { publicChannelPanelHistory: Array<{ panelId: string, content: string, firstSeenAt: string, lastSeenAt: string, status: string, removedAt: string | null, images: Array<string> }> };

export type PublicStreamStatsQueryVariables = Exact<{
  platform: string;
  broadcastId: string;
}>;


export type PublicStreamStatsQuery = { publicStreamStats: { platform: string, broadcastId: string, platformChannelId: string, channelDisplayName: string | null, source: string, title: string | null, category: string | null, language: string | null, startedAt: string, endedAt: string | null, durationSecs: number | null, peakViewers: number | null, avgViewers: number | null, totalMessages: number, emoteCount: number, gifCount: number, topEmotes: Array<{ id: string, name: string, provider: string, url: string | null, count: number }>, topGifs: Array<{ id: string, url: string, provider: string, alt: string | null, count: number }>, topChatters: Array<{ displayName: string, messageCount: number }> | null } };

export type PublicStatsBrowseQueryVariables = Exact<{
  filter?: PublicStatsBrowseFilter | null | undefined;
}>;


export type PublicStatsBrowseQuery = { publicStatsBrowse: { total: number, page: number, limit: number, pages: number, items: Array<{ platform: string, platformChannelId: string, channelLogin: string | null, channelDisplayName: string | null, avatarUrl: string | null, isLive: boolean, currentViewers: number | null, currentGame: string | null, language: string | null, avgViewers: number, peakViewers: number, followers: number | null, hoursStreamed: number, lastStreamedAt: string | null, source: string }> } };

export type PublicStatsGamesQueryVariables = Exact<{
  filter?: PublicStatsGamesFilter | null | undefined;
}>;


export type PublicStatsGamesQuery = { publicStatsGames: { total: number, page: number, limit: number, pages: number, items: Array<{ gameId: string, name: string, boxArtUrl: string | null, platform: string, liveViewers: number, liveChannels: number, avgViewers: number, peakViewers: number, hoursWatched: number }> } };

export type PublicStatsGameQueryVariables = Exact<{
  platform: string;
  gameId: string;
  range?: PublicStatsRange | null | undefined;
}>;


export type PublicStatsGameQuery = { publicStatsGame: { gameId: string, name: string, boxArtUrl: string | null, platform: string, liveViewers: number, liveChannels: number, avgViewers: number, peakViewers: number, hoursWatched: number, topChannels: Array<{ platformChannelId: string, channelLogin: string | null, channelDisplayName: string | null, avatarUrl: string | null, currentViewers: number | null, avgViewers: number, peakViewers: number }>, viewerSeries: Array<{ date: string, avgViewers: number }> } };

export type PublicStatsEmotesQueryVariables = Exact<{
  filter?: PublicStatsEmotesFilter | null | undefined;
}>;


export type PublicStatsEmotesQuery = { publicStatsEmotes: { total: number, page: number, limit: number, pages: number, items: Array<{ emoteId: string, name: string, provider: string, url: string | null, animated: boolean, usageCount: number, channelCount: number, firstSeenAt: string }> } };

export type WatchlistQueryVariables = Exact<{ [key: string]: never; }>;


export type WatchlistQuery = { watchlist: Array<{ id: string, platform: string, platformChannelId: string, channelDisplayName: string | null, avatarUrl: string | null, isLive: boolean, currentViewers: number | null, addedAt: string }> };

export type AdminCrawlerScopeQueryVariables = Exact<{ [key: string]: never; }>;


export type AdminCrawlerScopeQuery = { adminCrawlerScope: { enabled: boolean, platforms: Array<string>, minViewers: number, languages: Array<string>, maxChannels: number, intervalSecs: number } };

export type AdminCrawlerWatchlistQueryVariables = Exact<{
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type AdminCrawlerWatchlistQuery = { adminCrawlerWatchlist: { total: number, page: number, limit: number, pages: number, items: Array<{ id: string, platform: string, channel: string, note: string | null, createdBy: string | null, createdAt: string }> } };

export type WebhookEndpointsQueryVariables = Exact<{ [key: string]: never; }>;


export type WebhookEndpointsQuery = { webhookEndpoints: Array<{ id: string, accountId: string, url: string, description: string | null, eventTypes: Array<string>, isEnabled: boolean, disabledReason: WebhookDisabledReason | null, failingSince: string | null, skippedCount: number, previousSecretExpiresAt: string | null, createdBy: string | null, createdAt: string, updatedAt: string }> };

export type WebhookEndpointQueryVariables = Exact<{
  endpointId: string;
}>;


export type WebhookEndpointQuery = { webhookEndpoint: { id: string, accountId: string, url: string, description: string | null, eventTypes: Array<string>, isEnabled: boolean, disabledReason: WebhookDisabledReason | null, failingSince: string | null, skippedCount: number, previousSecretExpiresAt: string | null, createdBy: string | null, createdAt: string, updatedAt: string } };

export type WebhookSecretQueryVariables = Exact<{
  endpointId: string;
}>;


export type WebhookSecretQuery = { webhookSecret: { secret: string, previousSecretExpiresAt: string | null } };

export type WebhookDeliveriesQueryVariables = Exact<{
  endpointId: string;
  status?: WebhookDeliveryStatus | null | undefined;
  eventType?: string | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
}>;


export type WebhookDeliveriesQuery = { webhookDeliveries: { total: number, page: number, limit: number, pages: number, nextCursor: string | null, items: Array<{ id: string, endpointId: string, eventId: string, eventType: string, status: WebhookDeliveryStatus, attempts: number, nextAttemptAt: string | null, lastAttemptAt: string | null, lastStatusCode: number | null, lastError: string | null, responseExcerpt: string | null, durationMs: number | null, occurredAt: string, createdAt: string }> } };

export type UsageHoursQueryVariables = Exact<{
  subject?: UsageSubject | null | undefined;
  subjectId?: string | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type UsageHoursQuery = { usageHours: { total: number, page: number, limit: number, pages: number, items: Array<{ hour: string, subject: UsageSubject, subjectId: string, requests: number, handlerMs: number, fetches: number, messages: number, storedBytes: number }> } };

export type UsageTotalsQueryVariables = Exact<{
  subject?: UsageSubject | null | undefined;
  subjectId?: string | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
  page?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type UsageTotalsQuery = { usageTotals: { total: number, page: number, limit: number, pages: number, items: Array<{ subject: UsageSubject, subjectId: string, requests: number, handlerMs: number, fetches: number, messages: number, storedBytes: number }> } };

export type UsageBudgetsQueryVariables = Exact<{ [key: string]: never; }>;


export type UsageBudgetsQuery = { usageBudgets: Array<{ id: string, subject: UsageSubject, subjectId: string, unit: UsageUnit, period: UsagePeriod, maximum: number, warnPercent: number | null, isStopping: boolean, used: number, remaining: number, resetsAt: string, stoppedUntil: string | null, createdBy: string | null, createdAt: string, updatedAt: string }> };

export type ExchangeTokenMutationVariables = Exact<{
  input: ExchangeTokenInput;
}>;


export type ExchangeTokenMutation = { exchangeToken: { token: string, refreshToken: string, expiresAt: string, userId: string, isNewUser: boolean } };

export type AuthorizeLoginMutationVariables = Exact<{
  input: AuthorizeLoginInput;
}>;


export type AuthorizeLoginMutation = { authorizeLogin: { token: string, refreshToken: string, expiresAt: string, userId: string, isNewUser: boolean } };

export type LinkLoginProviderMutationVariables = Exact<{
  input: ExchangeTokenInput;
}>;


export type LinkLoginProviderMutation = { linkLoginProvider: { id: string, provider: string, providerUserId: string, username: string, displayName: string, avatarUrl: string | null, reconnectRequired: boolean, isPrimaryFor: Array<string>, confirmed: boolean, createdAt: string } };

export type RefreshTokenMutationVariables = Exact<{
  input: RefreshTokenInput;
}>;


export type RefreshTokenMutation = { refreshToken: { token: string, refreshToken: string, expiresAt: string, userId: string } };

export type LogoutMutationVariables = Exact<{
  input?: LogoutInput | null | undefined;
}>;


export type LogoutMutation = { logout: boolean };

export type IssueWsTokenMutationVariables = Exact<{ [key: string]: never; }>;


export type IssueWsTokenMutation = { issueWsToken: { wsToken: string } };

export type UpdateMeMutationVariables = Exact<{
  input: UpdateMeInput;
}>;


export type UpdateMeMutation = { updateMe: { id: string, displayName: string, username: string, email: string | null, pendingEmail: string | null, avatarUrl: string | null, createdAt: string, lastLoginAt: string | null, activeAccountId: string | null, ownedAccountCount: number, maxAccounts: number, enabledFeatures: Array<string>, adminPermissions: Array<string>, userPermissions: Array<string>, isDeveloper: boolean, extensionDevMode: boolean, streamerMode: boolean, notificationsUnread: number, token: string | null, memberships: Array<{ accountId: string, accountName: string, avatarUrl: string | null, isOwner: boolean, planSlug: string, joinedAt: string, role: { id: string, slug: string, name: string, color: string | null } }>, featureStatuses: Array<{ key: string, enabled: boolean, reason: FeatureDisabledReason | null }>, loginConnections: Array<{ id: string, provider: string, providerUserId: string, username: string, displayName: string, avatarUrl: string | null, reconnectRequired: boolean, isPrimaryFor: Array<string>, confirmed: boolean, createdAt: string }> } };

export type RevokeOtherSessionsMutationVariables = Exact<{ [key: string]: never; }>;


export type RevokeOtherSessionsMutation = { revokeOtherSessions: boolean };

export type RevokeSessionMutationVariables = Exact<{
  id: string;
}>;


export type RevokeSessionMutation = { revokeSession: boolean };

export type DisconnectLoginConnectionMutationVariables = Exact<{
  loginConnectionId: string;
}>;


export type DisconnectLoginConnectionMutation = { disconnectLoginConnection: boolean };

export type SetLoginReconnectFlagMutationVariables = Exact<{
  id: string;
  reconnectRequired?: boolean | null | undefined;
}>;


export type SetLoginReconnectFlagMutation = { setLoginReconnectFlag: { id: string, provider: string, providerUserId: string, username: string, displayName: string, avatarUrl: string | null, reconnectRequired: boolean, isPrimaryFor: Array<string>, confirmed: boolean, createdAt: string } };

export type CreateUserApiKeyMutationVariables = Exact<{
  input: CreateUserApiKeyInput;
}>;


export type CreateUserApiKeyMutation = { createUserApiKey: { key: string, apiKey: { id: string, userId: string, accountId: string, keyPrefix: string, label: string, permissions: Array<string>, createdAt: string, expiresAt: string | null, lastUsedAt: string | null } } };

export type UpdateUserApiKeyMutationVariables = Exact<{
  id: string;
  input: UpdateUserApiKeyInput;
}>;


export type UpdateUserApiKeyMutation = { updateUserApiKey: { id: string, userId: string, accountId: string, keyPrefix: string, label: string, permissions: Array<string>, createdAt: string, expiresAt: string | null, lastUsedAt: string | null } };

export type DeleteUserApiKeyMutationVariables = Exact<{
  id: string;
}>;


export type DeleteUserApiKeyMutation = { deleteUserApiKey: { success: boolean } };

export type CreateAccountServiceKeyMutationVariables = Exact<{
  input: CreateAccountServiceKeyInput;
}>;


export type CreateAccountServiceKeyMutation = { createAccountServiceKey: { key: string, serviceKey: { id: string, accountId: string, createdBy: string | null, keyPrefix: string, label: string, permissions: Array<string>, createdAt: string, updatedAt: string, expiresAt: string | null, lastUsedAt: string | null } } };

export type UpdateAccountServiceKeyMutationVariables = Exact<{
  id: string;
  label?: string | null | undefined;
}>;


export type UpdateAccountServiceKeyMutation = { updateAccountServiceKey: { id: string, accountId: string, createdBy: string | null, keyPrefix: string, label: string, permissions: Array<string>, createdAt: string, updatedAt: string, expiresAt: string | null, lastUsedAt: string | null } };

export type DeleteAccountServiceKeyMutationVariables = Exact<{
  id: string;
}>;


export type DeleteAccountServiceKeyMutation = { deleteAccountServiceKey: { success: boolean } };

export type AdminCreateSystemKeyMutationVariables = Exact<{
  input: AdminCreateSystemKeyInput;
}>;


export type AdminCreateSystemKeyMutation = { adminCreateSystemKey: { key: string, systemKey: { id: string, label: string, keyPrefix: string, createdBy: string | null, createdAt: string, lastUsedAt: string | null } } };

export type AdminDeleteSystemKeyMutationVariables = Exact<{
  id: string;
}>;


export type AdminDeleteSystemKeyMutation = { adminDeleteSystemKey: boolean };

export type CreatePopoutTokenMutationVariables = Exact<{
  input: CreatePopoutTokenInput;
}>;


export type CreatePopoutTokenMutation = { createPopoutToken: { token: string, popoutToken: { id: string, accountId: string, userId: string, tokenPrefix: string, label: string | null, permissions: Array<string>, createdAt: string, expiresAt: string | null, lastUsedAt: string | null } } };

export type UpdatePopoutTokenMutationVariables = Exact<{
  input: UpdatePopoutTokenInput;
}>;


export type UpdatePopoutTokenMutation = { updatePopoutToken: { id: string, accountId: string, userId: string, tokenPrefix: string, label: string | null, permissions: Array<string>, createdAt: string, expiresAt: string | null, lastUsedAt: string | null } };

export type DeletePopoutTokenMutationVariables = Exact<{
  id: string;
}>;


export type DeletePopoutTokenMutation = { deletePopoutToken: { success: boolean } };

export type ExchangePopoutTokenMutationVariables = Exact<{
  input: ExchangePopoutTokenInput;
}>;


export type ExchangePopoutTokenMutation = { exchangePopoutToken: { token: string, expiresAt: string, accountId: string } };

export type IssuePopoutWsTokenMutationVariables = Exact<{ [key: string]: never; }>;


export type IssuePopoutWsTokenMutation = { issuePopoutWsToken: { wsToken: string } };

export type CreateAccountMutationVariables = Exact<{
  input: CreateAccountInput;
}>;


export type CreateAccountMutation = { createAccount: { token: string | null, account: { id: string, name: string, description: string | null, slug: string, avatarUrl: string | null, ownerId: string, primaryLoginConnectionId: string | null, memberCount: number, createdAt: string, updatedAt: string, plan: { id: string, slug: string, name: string } } } };

export type UpdateAccountMutationVariables = Exact<{
  id?: string | null | undefined;
  input: UpdateAccountInput;
}>;


export type UpdateAccountMutation = { updateAccount: { id: string, name: string, description: string | null, slug: string, avatarUrl: string | null, ownerId: string, primaryLoginConnectionId: string | null, memberCount: number, createdAt: string, updatedAt: string, plan: { id: string, slug: string, name: string } } };

export type DissolveAccountMutationVariables = Exact<{
  id: string;
  input: DissolveAccountInput;
}>;


export type DissolveAccountMutation = { dissolveAccount: { success: boolean } };

export type LeaveAccountMutationVariables = Exact<{
  id: string;
}>;


export type LeaveAccountMutation = { leaveAccount: { success: boolean } };

export type SetPrimaryLoginConnectionMutationVariables = Exact<{
  input: SetPrimaryLoginConnectionInput;
}>;


export type SetPrimaryLoginConnectionMutation = { setPrimaryLoginConnection: { id: string, name: string, description: string | null, slug: string, avatarUrl: string | null, ownerId: string, primaryLoginConnectionId: string | null, memberCount: number, createdAt: string, updatedAt: string, plan: { id: string, slug: string, name: string } } };

export type ExportAccountMutationVariables = Exact<{
  id: string;
  input: ExportAccountInput;
}>;


export type ExportAccountMutation = { exportAccount: { id: string, accountId: string, status: AccountArchiveStatus, withSecrets: boolean, sizeBytes: number | null, sha256: string | null, error: string | null, downloadUrl: string | null, requestedBy: string | null, createdAt: string, startedAt: string | null, finishedAt: string | null, expiresAt: string | null } };

export type DeleteAccountArchiveMutationVariables = Exact<{
  id: string;
  archiveId: string;
}>;


export type DeleteAccountArchiveMutation = { deleteAccountArchive: boolean };

export type CreateInviteMutationVariables = Exact<{
  input: CreateInviteInput;
}>;


export type CreateInviteMutation = { createInvite: { id: string, accountId: string, code: string | null, method: InviteMethod, targetUserId: string | null, email: string | null, maxUses: number | null, useCount: number, expiresAt: string | null, createdBy: string | null, createdAt: string, status: InviteStatus, role: { id: string, slug: string, name: string, color: string | null } } };

export type DeleteInviteMutationVariables = Exact<{
  id: string;
}>;


export type DeleteInviteMutation = { deleteInvite: boolean };

export type AcceptInviteMutationVariables = Exact<{
  code: string;
}>;


export type AcceptInviteMutation = { acceptInvite: { accountId: string, accountName: string, membershipId: string, role: { id: string, slug: string, name: string, color: string | null } } };

export type DeclineInviteMutationVariables = Exact<{
  code: string;
}>;


export type DeclineInviteMutation = { declineInvite: { success: boolean } };

export type AssignLoginConnectionMutationVariables = Exact<{
  loginConnectionId: string;
  provider: string;
  userId?: string | null | undefined;
}>;


export type AssignLoginConnectionMutation = { assignLoginConnection: { id: string, accountId: string, userId: string, loginConnectionId: string, provider: string, createdAt: string } };

export type RemoveLoginAssignmentMutationVariables = Exact<{
  provider: string;
  userId?: string | null | undefined;
}>;


export type RemoveLoginAssignmentMutation = { removeLoginAssignment: boolean };

export type UpdateMemberRoleMutationVariables = Exact<{
  input: UpdateMemberRoleInput;
}>;


export type UpdateMemberRoleMutation = { updateMemberRole: { membershipId: string, userId: string, displayName: string, email: string | null, avatarUrl: string | null, isOwner: boolean, joinedAt: string, role: { id: string, slug: string, name: string, color: string | null } } };

export type RemoveMemberMutationVariables = Exact<{
  membershipId: string;
}>;


export type RemoveMemberMutation = { removeMember: boolean };

export type UpdateAccountSettingsMutationVariables = Exact<{
  input: UpdateAccountSettingsInput;
}>;


export type UpdateAccountSettingsMutation = { updateAccountSettings: { locale: Locale, timezone: string, currency: string, commandPrefix: string, defaultOverlayId: string | null, chat: { defaultPlatforms: Array<string>, showTimestamps: boolean, highlightMentions: boolean, fontSize: number }, alerts: { muted: boolean, volume: number }, privacy: { storeChat: boolean, storeUserProfiles: boolean } } };

export type AdminUpdateFeatureFlagMutationVariables = Exact<{
  id: string;
  input: AdminUpdateFeatureFlagInput;
}>;


export type AdminUpdateFeatureFlagMutation = { adminUpdateFeatureFlag: { id: string, key: string, label: string, description: string, category: FeatureCategory, globallyEnabled: boolean, defaultForAccounts: boolean, createdAt: string, updatedAt: string } };

export type AdminSetPlanFeatureMutationVariables = Exact<{
  planId: string;
  input: AdminSetPlanFeatureInput;
}>;


export type AdminSetPlanFeatureMutation = { adminSetPlanFeature: Array<{ featureId: string, featureKey: string, label: string, enabled: boolean }> };

export type AdminSetAccountFeatureOverrideMutationVariables = Exact<{
  accountId: string;
  input: AdminSetAccountFeatureOverrideInput;
}>;


export type AdminSetAccountFeatureOverrideMutation = { adminSetAccountFeatureOverride: { accountId: string, featureId: string, featureKey: string, label: string, enabled: boolean, reason: string | null, setBy: string | null, createdAt: string } };

export type AdminRemoveAccountFeatureOverrideMutationVariables = Exact<{
  accountId: string;
  featureId: string;
}>;


export type AdminRemoveAccountFeatureOverrideMutation = { adminRemoveAccountFeatureOverride: boolean };

export type AdminUpdatePlatformMutationVariables = Exact<{
  platform: string;
  input: PlatformSwitchesInput;
}>;


export type AdminUpdatePlatformMutation = { adminUpdatePlatform: { platform: string, enabled: boolean, login: boolean | null, channel: boolean | null, bot: boolean | null } };

export type AdminUpdateProviderMutationVariables = Exact<{
  platform: string;
  input: PlatformSwitchesInput;
}>;


export type AdminUpdateProviderMutation = { adminUpdateProvider: { platform: string, enabled: boolean, login: boolean | null, channel: boolean | null, bot: boolean | null, credentialsConfigured: boolean, channelConnections: number, loginConnections: number, botConnections: number, globalBotStatus: GlobalBotStatus } };

export type AdminCreatePlanMutationVariables = Exact<{
  input: AdminCreatePlanInput;
}>;


export type AdminCreatePlanMutation = { adminCreatePlan: { id: string, slug: string, name: string, description: string | null, priceMonthly: number, priceYearly: number, currency: string, isPublic: boolean, sortOrder: number, maxOverlays: number, maxStorageBytes: number, maxUploadSizeBytes: number, maxIntegrations: number, chatRetentionDays: number, paymentProductId: string | null, paymentMonthlyPriceId: string | null, paymentYearlyPriceId: string | null, accountsUsing: number, features: Array<{ featureId: string, featureKey: string, label: string, enabled: boolean }> } };

export type AdminUpdatePlanMutationVariables = Exact<{
  id: string;
  input: AdminUpdatePlanInput;
}>;


export type AdminUpdatePlanMutation = { adminUpdatePlan: { id: string, slug: string, name: string, description: string | null, priceMonthly: number, priceYearly: number, currency: string, isPublic: boolean, sortOrder: number, maxOverlays: number, maxStorageBytes: number, maxUploadSizeBytes: number, maxIntegrations: number, chatRetentionDays: number, paymentProductId: string | null, paymentMonthlyPriceId: string | null, paymentYearlyPriceId: string | null, accountsUsing: number, features: Array<{ featureId: string, featureKey: string, label: string, enabled: boolean }> } };

export type AdminDeletePlanMutationVariables = Exact<{
  id: string;
}>;


export type AdminDeletePlanMutation = { adminDeletePlan: boolean };

export type ChangePlanMutationVariables = Exact<{
  planId: string;
}>;


export type ChangePlanMutation = { changePlan: { status: SubscriptionStatus, renewsAt: string | null, plan: { id: string, slug: string, name: string, description: string | null, priceMonthly: string, priceYearly: string, currency: string, isPublic: boolean, sortOrder: number, maxOverlays: number, maxStorageBytes: string, maxUploadSizeBytes: string, maxIntegrations: number, chatRetentionDays: number, features: Array<{ featureId: string, featureKey: string, label: string, enabled: boolean, globallyEnabled: boolean }> }, limits: Array<{ key: PlanLimitKey, limit: number, used: number | null, source: PlanLimitSource }> } };

export type CreateCheckoutMutationVariables = Exact<{
  input: CreateCheckoutInput;
}>;


export type CreateCheckoutMutation = { createCheckout: { url: string } };

export type CreatePortalMutationVariables = Exact<{ [key: string]: never; }>;


export type CreatePortalMutation = { createPortal: { url: string } };

export type CancelSubscriptionMutationVariables = Exact<{ [key: string]: never; }>;


export type CancelSubscriptionMutation = { cancelSubscription: { status: SubscriptionStatus, renewsAt: string | null, plan: { id: string, slug: string, name: string, description: string | null, priceMonthly: string, priceYearly: string, currency: string, isPublic: boolean, sortOrder: number, maxOverlays: number, maxStorageBytes: string, maxUploadSizeBytes: string, maxIntegrations: number, chatRetentionDays: number, features: Array<{ featureId: string, featureKey: string, label: string, enabled: boolean, globallyEnabled: boolean }> }, limits: Array<{ key: PlanLimitKey, limit: number, used: number | null, source: PlanLimitSource }> } };

export type AdminCreateCouponMutationVariables = Exact<{
  input: AdminCreateCouponInput;
}>;


export type AdminCreateCouponMutation = { adminCreateCoupon: { id: string, code: string, percentOff: number | null, amountOff: number | null, duration: CouponDuration, maxRedemptions: number | null, redeemed: number, expiresAt: string | null, isActive: boolean, createdAt: string, updatedAt: string } };

export type AdminUpdateCouponMutationVariables = Exact<{
  id: string;
  input: AdminUpdateCouponInput;
}>;


export type AdminUpdateCouponMutation = { adminUpdateCoupon: { id: string, code: string, percentOff: number | null, amountOff: number | null, duration: CouponDuration, maxRedemptions: number | null, redeemed: number, expiresAt: string | null, isActive: boolean, createdAt: string, updatedAt: string } };

export type AdminDeactivateCouponMutationVariables = Exact<{
  id: string;
}>;


export type AdminDeactivateCouponMutation = { adminDeactivateCoupon: boolean };

export type AdminUpdatePayoutMutationVariables = Exact<{
  id: string;
  input: AdminUpdatePayoutInput;
}>;


export type AdminUpdatePayoutMutation = { adminUpdatePayout: { id: string, developerId: string, developerName: string, teamId: string | null, amount: number, currency: string, method: PayoutMethod, status: PayoutStatus, createdAt: string, paidAt: string | null } };

export type CreateRoleMutationVariables = Exact<{
  input: CreateRoleInput;
}>;


export type CreateRoleMutation = { createRole: { id: string, accountId: string, slug: string, name: string, description: string | null, color: string | null, isSystem: boolean, permissions: Array<string>, memberCount: number, position: number, createdAt: string, updatedAt: string } };

export type UpdateRoleMutationVariables = Exact<{
  id: string;
  input: UpdateRoleInput;
}>;


export type UpdateRoleMutation = { updateRole: { id: string, accountId: string, slug: string, name: string, description: string | null, color: string | null, isSystem: boolean, permissions: Array<string>, memberCount: number, position: number, createdAt: string, updatedAt: string } };

export type DeleteRoleMutationVariables = Exact<{
  id: string;
}>;


export type DeleteRoleMutation = { deleteRole: boolean };

export type MoveRoleMutationVariables = Exact<{
  id: string;
  position: number;
}>;


export type MoveRoleMutation = { moveRole: { id: string, accountId: string, slug: string, name: string, description: string | null, color: string | null, isSystem: boolean, permissions: Array<string>, memberCount: number, position: number, createdAt: string, updatedAt: string } };

export type CreateUserRoleMutationVariables = Exact<{
  input: CreateUserRoleInput;
}>;


export type CreateUserRoleMutation = { createUserRole: { id: string, slug: string, name: string, description: string | null, isDefault: boolean, isSystem: boolean, createdAt: string, permissions: Array<string> } };

export type UpdateUserRoleMutationVariables = Exact<{
  id: string;
  input: UpdateUserRoleInput;
}>;


export type UpdateUserRoleMutation = { updateUserRole: { id: string, slug: string, name: string, description: string | null, isDefault: boolean, isSystem: boolean, createdAt: string, permissions: Array<string> } };

export type DeleteUserRoleMutationVariables = Exact<{
  id: string;
}>;


export type DeleteUserRoleMutation = { deleteUserRole: boolean };

export type AssignUserRoleMutationVariables = Exact<{
  userId: string;
  roleId: string;
}>;


export type AssignUserRoleMutation = { assignUserRole: { userId: string, roleId: string, assignedBy: string | null, createdAt: string } };

export type RemoveUserRoleMutationVariables = Exact<{
  userId: string;
  roleId: string;
}>;


export type RemoveUserRoleMutation = { removeUserRole: boolean };

export type SetUserPermissionOverrideMutationVariables = Exact<{
  userId: string;
  permission: string;
  granted: boolean;
  reason?: string | null | undefined;
}>;


export type SetUserPermissionOverrideMutation = { setUserPermissionOverride: { userId: string, permission: string, granted: boolean, reason: string | null, setBy: string | null, createdAt: string } };

export type RemoveUserPermissionOverrideMutationVariables = Exact<{
  userId: string;
  permission: string;
}>;


export type RemoveUserPermissionOverrideMutation = { removeUserPermissionOverride: boolean };

export type AdminSetAccountPermissionOverrideMutationVariables = Exact<{
  accountId: string;
  permission: string;
  granted: boolean;
  reason?: string | null | undefined;
}>;


export type AdminSetAccountPermissionOverrideMutation = { adminSetAccountPermissionOverride: { accountId: string, permission: string, granted: boolean, reason: string | null, setBy: string | null, createdAt: string } };

export type AdminRemoveAccountPermissionOverrideMutationVariables = Exact<{
  accountId: string;
  permission: string;
}>;


export type AdminRemoveAccountPermissionOverrideMutation = { adminRemoveAccountPermissionOverride: boolean };

export type AdminCreateRoleMutationVariables = Exact<{
  input: CreateAdminRoleInput;
}>;


export type AdminCreateRoleMutation = { adminCreateRole: { id: string, name: string, description: string | null, isSystem: boolean, permissions: Array<string>, memberCount: number, createdAt: string, updatedAt: string } };

export type AdminUpdateRoleMutationVariables = Exact<{
  id: string;
  input: UpdateAdminRoleInput;
}>;


export type AdminUpdateRoleMutation = { adminUpdateRole: { id: string, name: string, description: string | null, isSystem: boolean, permissions: Array<string>, memberCount: number, createdAt: string, updatedAt: string } };

export type AdminDeleteRoleMutationVariables = Exact<{
  id: string;
}>;


export type AdminDeleteRoleMutation = { adminDeleteRole: boolean };

export type AdminAssignUserRoleMutationVariables = Exact<{
  userId: string;
  roleId: string;
}>;


export type AdminAssignUserRoleMutation = { adminAssignUserRole: boolean };

export type AdminUnassignUserRoleMutationVariables = Exact<{
  userId: string;
  roleId: string;
}>;


export type AdminUnassignUserRoleMutation = { adminUnassignUserRole: boolean };

export type AdminUpdateUserMutationVariables = Exact<{
  id: string;
  input: AdminUpdateUserInput;
}>;


export type AdminUpdateUserMutation = { adminUpdateUser: { id: string, displayName: string, username: string, email: string | null, avatarUrl: string | null, createdAt: string, lastLoginAt: string | null, accountCreationOverride: AccountCreationOverride, maxAccountsOverride: number | null, ownedAccountCount: number, isDeveloper: boolean, memberships: Array<{ membershipId: string, accountId: string, accountName: string, roleId: string, roleName: string, isOwner: boolean, joinedAt: string }>, loginConnections: Array<{ id: string, provider: string, providerUserId: string, username: string, displayName: string, reconnectRequired: boolean, createdAt: string }> } };

export type AdminUpdateUserAccountCreationOverrideMutationVariables = Exact<{
  userId: string;
  override: AccountCreationOverride;
}>;


export type AdminUpdateUserAccountCreationOverrideMutation = { adminUpdateUserAccountCreationOverride: { id: string, displayName: string, username: string, email: string | null, avatarUrl: string | null, createdAt: string, lastLoginAt: string | null, accountCreationOverride: AccountCreationOverride, maxAccountsOverride: number | null, ownedAccountCount: number, isDeveloper: boolean, memberships: Array<{ membershipId: string, accountId: string, accountName: string, roleId: string, roleName: string, isOwner: boolean, joinedAt: string }>, loginConnections: Array<{ id: string, provider: string, providerUserId: string, username: string, displayName: string, reconnectRequired: boolean, createdAt: string }> } };

export type AdminDeleteUserMutationVariables = Exact<{
  id: string;
}>;


export type AdminDeleteUserMutation = { adminDeleteUser: boolean };

export type AdminDisconnectUserLoginMutationVariables = Exact<{
  userId: string;
  loginConnectionId: string;
}>;


export type AdminDisconnectUserLoginMutation = { adminDisconnectUserLogin: boolean };

export type AdminAddUserMembershipMutationVariables = Exact<{
  userId: string;
  input: AdminAddUserMembershipInput;
}>;


export type AdminAddUserMembershipMutation = { adminAddUserMembership: { membershipId: string, accountId: string, accountName: string, roleId: string, roleName: string, isOwner: boolean, joinedAt: string } };

export type AdminRemoveUserMembershipMutationVariables = Exact<{
  userId: string;
  membershipId: string;
}>;


export type AdminRemoveUserMembershipMutation = { adminRemoveUserMembership: boolean };

export type AdminUpdateAccountMutationVariables = Exact<{
  id: string;
  input: AdminUpdateAccountInput;
}>;


export type AdminUpdateAccountMutation = { adminUpdateAccount: { id: string, name: string, slug: string, description: string | null, memberCount: number, createdAt: string, updatedAt: string, owner: { id: string, displayName: string, email: string | null }, plan: { id: string, slug: string, name: string }, channelConnections: Array<{ id: string, platform: string, username: string, displayName: string, reconnectRequired: boolean, connectedAt: string }>, botConnections: Array<{ id: string, platform: string, username: string, displayName: string, reconnectRequired: boolean, connectedAt: string }> } };

export type AdminDeleteAccountMutationVariables = Exact<{
  id: string;
}>;


export type AdminDeleteAccountMutation = { adminDeleteAccount: boolean };

export type AdminDisconnectAccountChannelMutationVariables = Exact<{
  accountId: string;
  platform: string;
}>;


export type AdminDisconnectAccountChannelMutation = { adminDisconnectAccountChannel: boolean };

export type AdminDisconnectAccountBotMutationVariables = Exact<{
  accountId: string;
  platform: string;
}>;


export type AdminDisconnectAccountBotMutation = { adminDisconnectAccountBot: boolean };

export type AdminUpdateAccountPlanMutationVariables = Exact<{
  accountId: string;
  planId: string;
}>;


export type AdminUpdateAccountPlanMutation = { adminUpdateAccountPlan: { id: string, name: string, slug: string, description: string | null, memberCount: number, createdAt: string, updatedAt: string, owner: { id: string, displayName: string, email: string | null }, plan: { id: string, slug: string, name: string }, channelConnections: Array<{ id: string, platform: string, username: string, displayName: string, reconnectRequired: boolean, connectedAt: string }>, botConnections: Array<{ id: string, platform: string, username: string, displayName: string, reconnectRequired: boolean, connectedAt: string }> } };

export type AdminUpsertAccountLimitsMutationVariables = Exact<{
  accountId: string;
  input: AdminUpsertAccountLimitsInput;
}>;


export type AdminUpsertAccountLimitsMutation = { adminUpsertAccountLimits: { accountId: string, maxOverlays: number | null, maxStorageBytes: number | null, maxUploadSizeBytes: number | null, maxIntegrations: number | null, chatRetentionDays: number | null, customBotAllowed: boolean | null, obsRemoteAllowed: boolean | null, copyrightDetectionAllowed: boolean | null, notes: string | null, updatedBy: string | null, updatedAt: string | null } };

export type AdminCreateOauthClientMutationVariables = Exact<{
  input: AdminCreateOauthClientInput;
}>;


export type AdminCreateOauthClientMutation = { adminCreateOauthClient: { id: string, name: string, redirectUris: Array<string>, allowedHosts: Array<string>, isActive: boolean, createdAt: string, updatedAt: string } };

export type AdminUpdateOauthClientMutationVariables = Exact<{
  id: string;
  input: AdminUpdateOauthClientInput;
}>;


export type AdminUpdateOauthClientMutation = { adminUpdateOauthClient: { id: string, name: string, redirectUris: Array<string>, allowedHosts: Array<string>, isActive: boolean, createdAt: string, updatedAt: string } };

export type AdminDeleteOauthClientMutationVariables = Exact<{
  id: string;
}>;


export type AdminDeleteOauthClientMutation = { adminDeleteOauthClient: boolean };

export type AuthorizeChannelMutationVariables = Exact<{
  platform: string;
  returnTo?: string | null | undefined;
}>;


export type AuthorizeChannelMutation = { authorizeChannel: { authorizeUrl: string, state: string } };

export type DisconnectChannelMutationVariables = Exact<{
  platform: string;
}>;


export type DisconnectChannelMutation = { disconnectChannel: boolean };

export type SetChannelReconnectFlagMutationVariables = Exact<{
  id: string;
  reconnectRequired?: boolean | null | undefined;
}>;


export type SetChannelReconnectFlagMutation = { setChannelReconnectFlag: { id: string, platform: string, platformChannelId: string, channelName: string, displayName: string, avatarUrl: string | null, scopes: Array<string>, credentialSource: string, botEnabled: boolean, reconnectRequired: boolean, expiresAt: string | null, connectedAt: string, connectedBy: string | null, health: { subscriptions: Array<{ eventType: string, refusal: string | null }>, lastEvents: Array<{ eventType: string, lastEventAt: string }>, reader: { state: ConnectionReaderState, detail: string | null, since: string } | null } } };

export type ExchangeOauthMutationVariables = Exact<{
  platform: string;
  input: ExchangeOauthInput;
}>;


export type ExchangeOauthMutation = { exchangeOauth: { kind: OauthKind, platform: string, returnTo: string | null, connection:
      | { __typename: 'ChannelConnection', id: string, platform: string, platformChannelId: string, channelName: string, displayName: string, avatarUrl: string | null, scopes: Array<string>, credentialSource: string, botEnabled: boolean, reconnectRequired: boolean, expiresAt: string | null, connectedAt: string, connectedBy: string | null, health: { subscriptions: Array<{ eventType: string, refusal: string | null }>, lastEvents: Array<{ eventType: string, lastEventAt: string }>, reader: { state: ConnectionReaderState, detail: string | null, since: string } | null } }
      | { __typename: 'BotConnection', id: string, platform: string, botUserId: string, botUsername: string, avatarUrl: string | null, isCustom: boolean, credentialSource: string, reconnectRequired: boolean }
      | { __typename: 'DiscordGuild', id: string, guildId: string, name: string, iconUrl: string | null, connectedAt: string, connectedBy: string | null, channels: Array<{ feature: DiscordFeature, channelId: string }> }
     } };

export type SaveAppCredentialsMutationVariables = Exact<{
  platform: string;
  input: SaveAppCredentialsInput;
}>;


export type SaveAppCredentialsMutation = { saveAppCredentials: { platform: string, kind: CredentialKind, clientIdHint: string, decryptable: boolean, updatedAt: string } };

export type DeleteAppCredentialsMutationVariables = Exact<{
  platform: string;
}>;


export type DeleteAppCredentialsMutation = { deleteAppCredentials: boolean };

export type AuthorizeBotMutationVariables = Exact<{
  platform: string;
  returnTo?: string | null | undefined;
}>;


export type AuthorizeBotMutation = { authorizeBot: { authorizeUrl: string, state: string } };

export type DisconnectBotMutationVariables = Exact<{
  platform: string;
}>;


export type DisconnectBotMutation = { disconnectBot: boolean };

export type AdminAuthorizeBotMutationVariables = Exact<{
  platform: string;
  returnTo?: string | null | undefined;
}>;


export type AdminAuthorizeBotMutation = { adminAuthorizeBot: { authorizeUrl: string, state: string } };

export type AdminSetDiscordBotTokenMutationVariables = Exact<{
  input: SetDiscordBotTokenInput;
}>;


export type AdminSetDiscordBotTokenMutation = { adminSetDiscordBotToken: { id: string, platform: string, botUserId: string, botUsername: string, avatarUrl: string | null, isCustom: boolean, credentialSource: string, reconnectRequired: boolean } };

export type AdminDisconnectBotMutationVariables = Exact<{
  platform: string;
}>;


export type AdminDisconnectBotMutation = { adminDisconnectBot: boolean };

export type ToggleBotForPlatformMutationVariables = Exact<{
  input: ToggleBotForPlatformInput;
}>;


export type ToggleBotForPlatformMutation = { toggleBotForPlatform: { platform: string, status: BotState, botEnabled: boolean, isPausedByStaff: boolean, botUsername: string | null, lastHeartbeatAt: string | null } };

export type RejoinBotMutationVariables = Exact<{
  input: RejoinBotInput;
}>;


export type RejoinBotMutation = { rejoinBot: { success: boolean } };

export type AdminPauseBotMutationVariables = Exact<{
  accountId: string;
  platform: string;
}>;


export type AdminPauseBotMutation = { adminPauseBot: { accountId: string, accountName: string, platform: string, channelName: string, status: BotState, botEnabled: boolean, isPausedByStaff: boolean, lastHeartbeatAt: string | null } };

export type AdminResumeBotMutationVariables = Exact<{
  accountId: string;
  platform: string;
}>;


export type AdminResumeBotMutation = { adminResumeBot: { accountId: string, accountName: string, platform: string, channelName: string, status: BotState, botEnabled: boolean, isPausedByStaff: boolean, lastHeartbeatAt: string | null } };

export type AuthorizeDiscordGuildMutationVariables = Exact<{
  returnTo?: string | null | undefined;
}>;


export type AuthorizeDiscordGuildMutation = { authorizeDiscordGuild: { authorizeUrl: string, state: string } };

export type AdminDeleteDiscordGuildMutationVariables = Exact<{
  id: string;
}>;


export type AdminDeleteDiscordGuildMutation = { adminDeleteDiscordGuild: boolean };

export type AdminUpsertSystemConnectionMutationVariables = Exact<{
  platform: string;
  input: UpsertSystemConnectionInput;
}>;


export type AdminUpsertSystemConnectionMutation = { adminUpsertSystemConnection: { platform: string, kind: SystemConnectionKind, configured: boolean, clientIdHint: string | null, decryptable: boolean, updatedAt: string | null } };

export type AdminDeleteSystemConnectionMutationVariables = Exact<{
  platform: string;
  kind?: SystemConnectionKind | null | undefined;
}>;


export type AdminDeleteSystemConnectionMutation = { adminDeleteSystemConnection: boolean };

export type RefreshPlatformUserProfileMutationVariables = Exact<{
  platform: string;
  platformUserId: string;
}>;


export type RefreshPlatformUserProfileMutation = { refreshPlatformUserProfile: { platform: string, platformUserId: string, username: string | null, displayName: string | null, avatarUrl: string | null, description: string | null, accountCreatedAt: string | null, broadcasterType: string | null, isFollower: boolean | null, followedAt: string | null, isModerator: boolean | null, isVip: boolean | null, isSubscriber: boolean | null, subscriberTier: string | null, isBanned: boolean | null, banReason: string | null, timeoutUntil: string | null, messageCount: number, firstSeenAt: string | null, lastSeenAt: string | null, enrichedAt: string | null, notesCount: number } };

export type CreateUserNoteMutationVariables = Exact<{
  platform: string;
  platformUserId: string;
  input: CreateUserNoteInput;
}>;


export type CreateUserNoteMutation = { createUserNote: { id: string, body: string, createdAt: string, updatedAt: string, author: { id: string, displayName: string, avatarUrl: string | null } | null } };

export type UpdateUserNoteMutationVariables = Exact<{
  id: string;
  input: UpdateUserNoteInput;
}>;


export type UpdateUserNoteMutation = { updateUserNote: { id: string, body: string, createdAt: string, updatedAt: string, author: { id: string, displayName: string, avatarUrl: string | null } | null } };

export type DeleteUserNoteMutationVariables = Exact<{
  id: string;
}>;


export type DeleteUserNoteMutation = { deleteUserNote: boolean };

export type CreateExtensionMutationVariables = Exact<{
  input: CreateExtensionInput;
}>;


export type CreateExtensionMutation = { createExtension: { id: string, teamId: string | null, shortId: string, slug: string, name: string, shortDescription: string, description: string, category: string | null, visibility: string, status: string, iconKey: string | null, screenshots: Array<string>, tags: Array<string>, supportUrl: string | null, installCount: number, ratingAvg: number, ratingCount: number, currentVersionId: string | null, listedAt: string | null, publishedAt: string | null, createdAt: string, updatedAt: string, pricing: { type: string, amount: number | null, currency: string | null, interval: string | null } } };

export type UpdateExtensionMutationVariables = Exact<{
  id: string;
  input: UpdateExtensionInput;
}>;


export type UpdateExtensionMutation = { updateExtension: { id: string, teamId: string | null, shortId: string, slug: string, name: string, shortDescription: string, description: string, category: string | null, visibility: string, status: string, iconKey: string | null, screenshots: Array<string>, tags: Array<string>, supportUrl: string | null, installCount: number, ratingAvg: number, ratingCount: number, currentVersionId: string | null, listedAt: string | null, publishedAt: string | null, createdAt: string, updatedAt: string, pricing: { type: string, amount: number | null, currency: string | null, interval: string | null } } };

export type DeleteExtensionMutationVariables = Exact<{
  id: string;
}>;


export type DeleteExtensionMutation = { deleteExtension: boolean };

export type SetExtensionVisibilityMutationVariables = Exact<{
  id: string;
  input: SetExtensionVisibilityInput;
}>;


export type SetExtensionVisibilityMutation = { setExtensionVisibility: { id: string, teamId: string | null, shortId: string, slug: string, name: string, shortDescription: string, description: string, category: string | null, visibility: string, status: string, iconKey: string | null, screenshots: Array<string>, tags: Array<string>, supportUrl: string | null, installCount: number, ratingAvg: number, ratingCount: number, currentVersionId: string | null, listedAt: string | null, publishedAt: string | null, createdAt: string, updatedAt: string, pricing: { type: string, amount: number | null, currency: string | null, interval: string | null } } };

export type TransferExtensionMutationVariables = Exact<{
  id: string;
  input: TransferExtensionInput;
}>;


export type TransferExtensionMutation = { transferExtension: { id: string, teamId: string | null, shortId: string, slug: string, name: string, shortDescription: string, description: string, category: string | null, visibility: string, status: string, iconKey: string | null, screenshots: Array<string>, tags: Array<string>, supportUrl: string | null, installCount: number, ratingAvg: number, ratingCount: number, currentVersionId: string | null, listedAt: string | null, publishedAt: string | null, createdAt: string, updatedAt: string, pricing: { type: string, amount: number | null, currency: string | null, interval: string | null } } };

export type WithdrawExtensionVersionMutationVariables = Exact<{
  id: string;
  version: string;
}>;


export type WithdrawExtensionVersionMutation = { withdrawExtensionVersion: { id: string, version: string, status: ExtensionVersionStatus, changelog: string, breaking: boolean, needsEnhancedReview: boolean, bundleSizeBytes: number, reviewNotes: string | null, submittedAt: string, approvedAt: string | null } };

export type SubmitExtensionVersionMutationVariables = Exact<{
  id: string;
  version: string;
}>;


export type SubmitExtensionVersionMutation = { submitExtensionVersion: { id: string, version: string, status: ExtensionVersionStatus, changelog: string, breaking: boolean, needsEnhancedReview: boolean, bundleSizeBytes: number, reviewNotes: string | null, submittedAt: string, approvedAt: string | null } };

export type RequestExtensionPublicationMutationVariables = Exact<{
  id: string;
  version: string;
}>;


export type RequestExtensionPublicationMutation = { requestExtensionPublication: { id: string, version: string, status: ExtensionVersionStatus, changelog: string, breaking: boolean, needsEnhancedReview: boolean, bundleSizeBytes: number, reviewNotes: string | null, submittedAt: string, approvedAt: string | null } };

export type AbandonExtensionVersionMutationVariables = Exact<{
  id: string;
  version: string;
}>;


export type AbandonExtensionVersionMutation = { abandonExtensionVersion: { id: string, version: string, status: ExtensionVersionStatus, changelog: string, breaking: boolean, needsEnhancedReview: boolean, bundleSizeBytes: number, reviewNotes: string | null, submittedAt: string, approvedAt: string | null } };

export type SetExtensionSecretMutationVariables = Exact<{
  id: string;
  key: string;
  input: SetExtensionSecretInput;
}>;


export type SetExtensionSecretMutation = { setExtensionSecret: { success: boolean } };

export type DeleteExtensionSecretMutationVariables = Exact<{
  id: string;
  key: string;
}>;


export type DeleteExtensionSecretMutation = { deleteExtensionSecret: boolean };

export type InviteExtensionTesterMutationVariables = Exact<{
  id: string;
  input: InviteExtensionTesterInput;
}>;


export type InviteExtensionTesterMutation = { inviteExtensionTester: { userId: string, username: string, displayName: string, avatarUrl: string | null, createdAt: string } };

export type RemoveExtensionTesterMutationVariables = Exact<{
  id: string;
  userId: string;
}>;


export type RemoveExtensionTesterMutation = { removeExtensionTester: boolean };

export type GrantExtensionAccessMutationVariables = Exact<{
  id: string;
  input: GrantExtensionAccessInput;
}>;


export type GrantExtensionAccessMutation = { grantExtensionAccess: { accountId: string, accountName: string, grantedBy: string | null, createdAt: string } };

export type RevokeExtensionAccessMutationVariables = Exact<{
  id: string;
  accountId: string;
}>;


export type RevokeExtensionAccessMutation = { revokeExtensionAccess: boolean };

export type AdminApproveExtensionTestingMutationVariables = Exact<{
  id: string;
}>;


export type AdminApproveExtensionTestingMutation = { adminApproveExtensionTesting: { id: string, extensionId: string, extensionName: string, extensionSlug: string, version: string, status: ExtensionVersionStatus, breaking: boolean, needsEnhancedReview: boolean, approvals: number, awaitsListing: boolean, bundleSizeBytes: number, changelog: string, submittedAt: string, approvedAt: string | null, reviewNotes: string | null } };

export type AdminPublishExtensionVersionMutationVariables = Exact<{
  id: string;
}>;


export type AdminPublishExtensionVersionMutation = { adminPublishExtensionVersion: { id: string, extensionId: string, extensionName: string, extensionSlug: string, version: string, status: ExtensionVersionStatus, breaking: boolean, needsEnhancedReview: boolean, approvals: number, awaitsListing: boolean, bundleSizeBytes: number, changelog: string, submittedAt: string, approvedAt: string | null, reviewNotes: string | null } };

export type AdminRejectExtensionVersionMutationVariables = Exact<{
  id: string;
  input: RejectExtensionVersionInput;
}>;


export type AdminRejectExtensionVersionMutation = { adminRejectExtensionVersion: { id: string, extensionId: string, extensionName: string, extensionSlug: string, version: string, status: ExtensionVersionStatus, breaking: boolean, needsEnhancedReview: boolean, approvals: number, awaitsListing: boolean, bundleSizeBytes: number, changelog: string, submittedAt: string, approvedAt: string | null, reviewNotes: string | null } };

export type AdminRevokeExtensionVersionMutationVariables = Exact<{
  id: string;
  input: RevokeExtensionVersionInput;
}>;


export type AdminRevokeExtensionVersionMutation = { adminRevokeExtensionVersion: { id: string, extensionId: string, extensionName: string, extensionSlug: string, version: string, status: ExtensionVersionStatus, breaking: boolean, needsEnhancedReview: boolean, approvals: number, awaitsListing: boolean, bundleSizeBytes: number, changelog: string, submittedAt: string, approvedAt: string | null, reviewNotes: string | null } };

export type AdminSuspendExtensionMutationVariables = Exact<{
  id: string;
  input: SuspendExtensionInput;
}>;


export type AdminSuspendExtensionMutation = { adminSuspendExtension: { id: string, slug: string, name: string, visibility: string, status: string, currentVersion: string | null, suspendedAt: string | null, suspensionReason: string | null } };

export type AdminUnsuspendExtensionMutationVariables = Exact<{
  id: string;
}>;


export type AdminUnsuspendExtensionMutation = { adminUnsuspendExtension: { id: string, slug: string, name: string, visibility: string, status: string, currentVersion: string | null, suspendedAt: string | null, suspensionReason: string | null } };

export type CreateDeveloperTeamMutationVariables = Exact<{
  input: CreateDeveloperTeamInput;
}>;


export type CreateDeveloperTeamMutation = { createDeveloperTeam: { id: string, name: string, slug: string, description: string | null, githubUrl: string | null, websiteUrl: string | null, avatarKey: string | null, ownerId: string, memberCount: number, myPermissions: Array<string>, createdAt: string, myRole: { id: string, slug: string, name: string } } };

export type UpdateDeveloperTeamMutationVariables = Exact<{
  id: string;
  input: UpdateDeveloperTeamInput;
}>;


export type UpdateDeveloperTeamMutation = { updateDeveloperTeam: { id: string, name: string, slug: string, description: string | null, githubUrl: string | null, websiteUrl: string | null, avatarKey: string | null, ownerId: string, memberCount: number, myPermissions: Array<string>, createdAt: string, myRole: { id: string, slug: string, name: string } } };

export type DeleteDeveloperTeamMutationVariables = Exact<{
  id: string;
}>;


export type DeleteDeveloperTeamMutation = { deleteDeveloperTeam: boolean };

export type UpdateDeveloperTeamMemberRoleMutationVariables = Exact<{
  id: string;
  memberId: string;
  input: UpdateDeveloperTeamMemberRoleInput;
}>;


export type UpdateDeveloperTeamMemberRoleMutation = { updateDeveloperTeamMemberRole: { id: string, userId: string, displayName: string, avatarUrl: string | null, joinedAt: string, role: { id: string, slug: string, name: string } } };

export type RemoveDeveloperTeamMemberMutationVariables = Exact<{
  id: string;
  memberId: string;
}>;


export type RemoveDeveloperTeamMemberMutation = { removeDeveloperTeamMember: boolean };

export type CreateDeveloperTeamInviteMutationVariables = Exact<{
  id: string;
  input: CreateDeveloperTeamInviteInput;
}>;


export type CreateDeveloperTeamInviteMutation = { createDeveloperTeamInvite: { id: string, code: string | null, url: string | null, email: string | null, expiresAt: string, maxUses: number, useCount: number, createdBy: string, createdAt: string, role: { id: string, slug: string, name: string } } };

export type DeleteDeveloperTeamInviteMutationVariables = Exact<{
  id: string;
  inviteId: string;
}>;


export type DeleteDeveloperTeamInviteMutation = { deleteDeveloperTeamInvite: boolean };

export type AcceptDeveloperTeamInviteMutationVariables = Exact<{
  code: string;
}>;


export type AcceptDeveloperTeamInviteMutation = { acceptDeveloperTeamInvite: { id: string, name: string, slug: string, description: string | null, githubUrl: string | null, websiteUrl: string | null, avatarKey: string | null, ownerId: string, memberCount: number, myPermissions: Array<string>, createdAt: string, myRole: { id: string, slug: string, name: string } } };

export type CreateDeveloperTeamRoleMutationVariables = Exact<{
  id: string;
  input: CreateDeveloperTeamRoleInput;
}>;


export type CreateDeveloperTeamRoleMutation = { createDeveloperTeamRole: { id: string, slug: string, name: string, description: string | null, permissions: Array<string>, isSystem: boolean, memberCount: number, createdAt: string, updatedAt: string } };

export type UpdateDeveloperTeamRoleMutationVariables = Exact<{
  id: string;
  rid: string;
  input: UpdateDeveloperTeamRoleInput;
}>;


export type UpdateDeveloperTeamRoleMutation = { updateDeveloperTeamRole: { id: string, slug: string, name: string, description: string | null, permissions: Array<string>, isSystem: boolean, memberCount: number, createdAt: string, updatedAt: string } };

export type DeleteDeveloperTeamRoleMutationVariables = Exact<{
  id: string;
  rid: string;
}>;


export type DeleteDeveloperTeamRoleMutation = { deleteDeveloperTeamRole: boolean };

export type SubmitDeveloperApplicationMutationVariables = Exact<{
  input: SubmitDeveloperApplicationInput;
}>;


export type SubmitDeveloperApplicationMutation = { submitDeveloperApplication: { id: string, userId: string, applicationType: DeveloperApplicationType, displayName: string, slug: string, description: string, motivation: string, whatToBuild: string, githubUrl: string | null, websiteUrl: string | null, experience: string | null, avatarKey: string | null, status: DeveloperApplicationStatus, reviewNotes: string | null, reviewedBy: string | null, reviewedAt: string | null, createdAt: string, updatedAt: string } };

export type AdminApproveDeveloperApplicationMutationVariables = Exact<{
  id: string;
  input?: AdminApproveDeveloperApplicationInput | null | undefined;
}>;


export type AdminApproveDeveloperApplicationMutation = { adminApproveDeveloperApplication: { success: boolean, newStatus: DeveloperApplicationStatus } };

export type AdminRejectDeveloperApplicationMutationVariables = Exact<{
  id: string;
  input: AdminRejectDeveloperApplicationInput;
}>;


export type AdminRejectDeveloperApplicationMutation = { adminRejectDeveloperApplication: { success: boolean, newStatus: DeveloperApplicationStatus } };

export type SubmitDeveloperVerificationMutationVariables = Exact<{
  input: SubmitDeveloperVerificationInput;
}>;


export type SubmitDeveloperVerificationMutation = { submitDeveloperVerification: { id: string, developerId: string, legalName: string, companyName: string | null, addressLine1: string, addressLine2: string | null, postalCode: string, city: string, country: string, taxId: string | null, tradeRegisterId: string | null, documentKey: string | null, status: DeveloperVerificationStatus, reviewNotes: string | null, reviewedBy: string | null, reviewedAt: string | null, createdAt: string, updatedAt: string } };

export type AdminApproveDeveloperVerificationMutationVariables = Exact<{
  id: string;
  input?: AdminApproveDeveloperVerificationInput | null | undefined;
}>;


export type AdminApproveDeveloperVerificationMutation = { adminApproveDeveloperVerification: { success: boolean, newStatus: DeveloperVerificationStatus } };

export type AdminRejectDeveloperVerificationMutationVariables = Exact<{
  id: string;
  input: AdminRejectDeveloperVerificationInput;
}>;


export type AdminRejectDeveloperVerificationMutation = { adminRejectDeveloperVerification: { success: boolean, newStatus: DeveloperVerificationStatus } };

export type UpdateDeveloperProfileMutationVariables = Exact<{
  input: UpdateDeveloperProfileInput;
}>;


export type UpdateDeveloperProfileMutation = { updateDeveloperProfile: { id: string, userId: string, displayName: string, slug: string, description: string | null, githubUrl: string | null, websiteUrl: string | null, avatarKey: string | null, verified: boolean, createdAt: string, updatedAt: string } };

export type UpdateDeveloperPayoutSettingsMutationVariables = Exact<{
  input: UpdateDeveloperPayoutSettingsInput;
}>;


export type UpdateDeveloperPayoutSettingsMutation = { updateDeveloperPayoutSettings: { id: string, userId: string, teamId: string | null, paymentConnectId: string | null, paypalStyleEmail: string | null, bankIban: string | null, bankBic: string | null, bankName: string | null, payoutMethod: DeveloperPayoutMethod | null, revenueBalance: number, totalEarned: number, createdAt: string, updatedAt: string } };

export type RequestDeveloperPayoutMutationVariables = Exact<{
  input?: RequestDeveloperPayoutInput | null | undefined;
}>;


export type RequestDeveloperPayoutMutation = { requestDeveloperPayout: { id: string, amount: number, currency: string, method: DeveloperPayoutMethod, status: DeveloperPayoutStatus, createdAt: string, paidAt: string | null } };

export type AdminUpdateExtensionLimitsMutationVariables = Exact<{
  id: string;
  input: AdminUpdateExtensionLimitsInput;
}>;


export type AdminUpdateExtensionLimitsMutation = { adminUpdateExtensionLimits: { success: boolean } };

export type CreateLimitRequestMutationVariables = Exact<{
  input: CreateLimitRequestInput;
}>;


export type CreateLimitRequestMutation = { createLimitRequest: { id: string, developerId: string, requestedBy: string | null, scope: LimitRequestScope, extensionId: string | null, limitKey: string, currentValue: number, requestedValue: number, reason: string, status: LimitRequestStatus, reviewNotes: string | null, reviewedBy: string | null, reviewedAt: string | null, createdAt: string, updatedAt: string } };

export type AdminReviewLimitRequestMutationVariables = Exact<{
  id: string;
  input: AdminReviewLimitRequestInput;
}>;


export type AdminReviewLimitRequestMutation = { adminReviewLimitRequest: { id: string, developerId: string, requestedBy: string | null, scope: LimitRequestScope, extensionId: string | null, limitKey: string, currentValue: number, requestedValue: number, reason: string, status: LimitRequestStatus, reviewNotes: string | null, reviewedBy: string | null, reviewedAt: string | null, createdAt: string, updatedAt: string } };

export type CreateExtensionReviewMutationVariables = Exact<{
  id: string;
  input: CreateExtensionReviewInput;
}>;


export type CreateExtensionReviewMutation = { createExtensionReview: { id: string, extensionId: string, rating: number, title: string, body: string, developerReply: string | null, createdAt: string, updatedAt: string, author: { id: string, displayName: string, avatarUrl: string | null } } };

export type UpdateExtensionReviewMutationVariables = Exact<{
  id: string;
  reviewId: string;
  input: UpdateExtensionReviewInput;
}>;


export type UpdateExtensionReviewMutation = { updateExtensionReview: { id: string, extensionId: string, rating: number, title: string, body: string, developerReply: string | null, createdAt: string, updatedAt: string, author: { id: string, displayName: string, avatarUrl: string | null } } };

export type DeleteExtensionReviewMutationVariables = Exact<{
  id: string;
  reviewId: string;
}>;


export type DeleteExtensionReviewMutation = { deleteExtensionReview: boolean };

export type SubmitExtensionFeedbackMutationVariables = Exact<{
  id: string;
  input: SubmitExtensionFeedbackInput;
}>;


export type SubmitExtensionFeedbackMutation = { submitExtensionFeedback: { id: string, extensionId: string, version: string, category: FeedbackCategory, body: string, createdAt: string } };

export type InstallExtensionMutationVariables = Exact<{
  input: InstallExtensionInput;
}>;


export type InstallExtensionMutation = { installExtension: { id: string, accountId: string, extensionId: string, extensionSlug: string, extensionName: string, category: string | null, version: string, pinnedVersion: string | null, enabled: boolean, config: unknown, configSchema: unknown, effectiveConfig: unknown, grantedPermissions: Array<string>, updateAvailable: boolean, updateRequiresConsent: boolean, installedBy: string | null, createdAt: string, updatedAt: string, effective: { runs: boolean, reason: InstallStopReason | null } } };

export type ConfigureExtensionMutationVariables = Exact<{
  id: string;
  input: ConfigureExtensionInput;
}>;


export type ConfigureExtensionMutation = { configureExtension: { id: string, accountId: string, extensionId: string, extensionSlug: string, extensionName: string, category: string | null, version: string, pinnedVersion: string | null, enabled: boolean, config: unknown, configSchema: unknown, effectiveConfig: unknown, grantedPermissions: Array<string>, updateAvailable: boolean, updateRequiresConsent: boolean, installedBy: string | null, createdAt: string, updatedAt: string, effective: { runs: boolean, reason: InstallStopReason | null } } };

export type AcceptExtensionUpdateMutationVariables = Exact<{
  id: string;
  input: AcceptExtensionUpdateInput;
}>;


export type AcceptExtensionUpdateMutation = { acceptExtensionUpdate: { id: string, accountId: string, extensionId: string, extensionSlug: string, extensionName: string, category: string | null, version: string, pinnedVersion: string | null, enabled: boolean, config: unknown, configSchema: unknown, effectiveConfig: unknown, grantedPermissions: Array<string>, updateAvailable: boolean, updateRequiresConsent: boolean, installedBy: string | null, createdAt: string, updatedAt: string, effective: { runs: boolean, reason: InstallStopReason | null } } };

export type UninstallExtensionMutationVariables = Exact<{
  id: string;
}>;


export type UninstallExtensionMutation = { uninstallExtension: boolean };

export type SetExtensionStorageMutationVariables = Exact<{
  id: string;
  input: SetExtensionStorageInput;
}>;


export type SetExtensionStorageMutation = { setExtensionStorage: { value: unknown, version: number } };

export type CallExtensionFunctionMutationVariables = Exact<{
  installId: string;
  function: string;
  input: CallExtensionFunctionInput;
}>;


export type CallExtensionFunctionMutation = { callExtensionFunction: unknown };

export type IssueExtensionTokenMutationVariables = Exact<{
  id: string;
  input: IssueExtensionTokenInput;
}>;


export type IssueExtensionTokenMutation = { issueExtensionToken: { token: string, expiresAt: string } };

export type EmitEventMutationVariables = Exact<{
  input: EmitEventInput;
}>;


export type EmitEventMutation = { emitEvent: { id: string, accountId: string, eventType: string, platform: string | null, platformUserId: string | null, username: string | null, displayName: string | null, avatarUrl: string | null, amount: number | null, currency: string | null, message: string | null, data: unknown, isTest: boolean, occurredAt: string } };

export type SendChatToPlatformMutationVariables = Exact<{
  input: SendChatToPlatformInput;
}>;


export type SendChatToPlatformMutation = { sendChatToPlatform: { sent: boolean, messageId: string | null, error: string | null, errorCode: SendErrorCode | null, platform: string } };

export type ModerateChatMutationVariables = Exact<{
  input: ModerationInput;
}>;


export type ModerateChatMutation = { moderateChat: { success: boolean, details: string | null } };

export type StartRaidMutationVariables = Exact<{
  input: StartRaidInput;
}>;


export type StartRaidMutation = { startRaid: { platform: string, status: string, target: string, targetId: string, targetName: string, startedAt: string } };

export type CancelRaidMutationVariables = Exact<{
  platform?: string | null | undefined;
}>;


export type CancelRaidMutation = { cancelRaid: { success: boolean } };

export type CreatePollMutationVariables = Exact<{
  input: CreatePollInput;
}>;


export type CreatePollMutation = { createPoll: { id: string, accountId: string, platform: string, platformPollId: string, title: string, status: PollStatus, winningChoiceId: string | null, startedAt: string, endsAt: string, endedAt: string | null, choices: Array<{ id: string, title: string, votes: number }> } };

export type EndPollMutationVariables = Exact<{
  id: string;
  input: EndPollInput;
}>;


export type EndPollMutation = { endPoll: { id: string, accountId: string, platform: string, platformPollId: string, title: string, status: PollStatus, winningChoiceId: string | null, startedAt: string, endsAt: string, endedAt: string | null, choices: Array<{ id: string, title: string, votes: number }> } };

export type CreatePredictionMutationVariables = Exact<{
  input: CreatePredictionInput;
}>;


export type CreatePredictionMutation = { createPrediction: { id: string, accountId: string, platform: string, platformPredictionId: string, title: string, status: PredictionStatus, winningOutcomeId: string | null, startedAt: string, locksAt: string, endedAt: string | null, outcomes: Array<{ id: string, title: string, users: number, channelPoints: number }> } };

export type EndPredictionMutationVariables = Exact<{
  id: string;
  input: EndPredictionInput;
}>;


export type EndPredictionMutation = { endPrediction: { id: string, accountId: string, platform: string, platformPredictionId: string, title: string, status: PredictionStatus, winningOutcomeId: string | null, startedAt: string, locksAt: string, endedAt: string | null, outcomes: Array<{ id: string, title: string, users: number, channelPoints: number }> } };

export type MarkNotificationReadMutationVariables = Exact<{
  id: string;
}>;


export type MarkNotificationReadMutation = { markNotificationRead: { success: boolean } };

export type MarkAllNotificationsReadMutationVariables = Exact<{ [key: string]: never; }>;


export type MarkAllNotificationsReadMutation = { markAllNotificationsRead: { success: boolean } };

export type RunNotificationActionMutationVariables = Exact<{
  id: string;
  key: string;
}>;


export type RunNotificationActionMutation = { runNotificationAction: { success: boolean } };

export type DeleteNotificationMutationVariables = Exact<{
  id: string;
}>;


export type DeleteNotificationMutation = { deleteNotification: boolean };

export type UpdateNotificationPreferenceMutationVariables = Exact<{
  notificationType: string;
  channel: NotificationChannel;
}>;


export type UpdateNotificationPreferenceMutation = { updateNotificationPreference: { notificationType: string, channel: NotificationChannel, locked: boolean } };

export type CreateSupportTicketMutationVariables = Exact<{
  input: CreateSupportTicketInput;
}>;


export type CreateSupportTicketMutation = { createSupportTicket: { id: string, userId: string, userDisplayName: string, accountId: string | null, subject: string, body: string, status: SupportTicketStatus, createdAt: string, updatedAt: string } };

export type AdminUpdateSupportTicketMutationVariables = Exact<{
  id: string;
  input: UpdateSupportTicketInput;
}>;


export type AdminUpdateSupportTicketMutation = { adminUpdateSupportTicket: { id: string, userId: string, userDisplayName: string, accountId: string | null, subject: string, body: string, status: SupportTicketStatus, createdAt: string, updatedAt: string } };

export type EraseYoutubeMemberDataMutationVariables = Exact<{
  id: string;
}>;


export type EraseYoutubeMemberDataMutation = { eraseYoutubeMemberData: { erasedKeyCount: number, deletedMessageCount: number, affectedAccountIds: Array<string> } };

export type EraseChatSubjectDataMutationVariables = Exact<{
  input: EraseChatSubjectInput;
}>;


export type EraseChatSubjectDataMutation = { eraseChatSubjectData: { deletedMessageCount: number, affectedAccountIds: Array<string> } };

export type CreateBotCommandMutationVariables = Exact<{
  input: CreateBotCommandInput;
}>;


export type CreateBotCommandMutation = { createBotCommand: { id: string, accountId: string | null, name: string, aliases: Array<string>, description: string, responseType: BotCommandResponseType, response: string, automationId: string | null, platforms: Array<string>, minRole: BotCommandRole, cooldownGlobal: number, cooldownUser: number, enabled: boolean, useCount: number, isOverride: boolean, createdAt: string, updatedAt: string } };

export type UpdateBotCommandMutationVariables = Exact<{
  id: string;
  input: UpdateBotCommandInput;
}>;


export type UpdateBotCommandMutation = { updateBotCommand: { id: string, accountId: string | null, name: string, aliases: Array<string>, description: string, responseType: BotCommandResponseType, response: string, automationId: string | null, platforms: Array<string>, minRole: BotCommandRole, cooldownGlobal: number, cooldownUser: number, enabled: boolean, useCount: number, isOverride: boolean, createdAt: string, updatedAt: string } };

export type DeleteBotCommandMutationVariables = Exact<{
  id: string;
}>;


export type DeleteBotCommandMutation = { deleteBotCommand: boolean };

export type OverrideGlobalCommandMutationVariables = Exact<{
  id: string;
  input: OverrideGlobalCommandInput;
}>;


export type OverrideGlobalCommandMutation = { overrideGlobalCommand: { id: string, accountId: string | null, name: string, aliases: Array<string>, description: string, responseType: BotCommandResponseType, response: string, automationId: string | null, platforms: Array<string>, minRole: BotCommandRole, cooldownGlobal: number, cooldownUser: number, enabled: boolean, useCount: number, isOverride: boolean, createdAt: string, updatedAt: string } };

export type ResetCommandOverrideMutationVariables = Exact<{
  id: string;
}>;


export type ResetCommandOverrideMutation = { resetCommandOverride: boolean };

export type AdminCreateBotCommandMutationVariables = Exact<{
  input: CreateBotCommandInput;
}>;


export type AdminCreateBotCommandMutation = { adminCreateBotCommand: { id: string, accountId: string | null, name: string, aliases: Array<string>, description: string, responseType: BotCommandResponseType, response: string, automationId: string | null, platforms: Array<string>, minRole: BotCommandRole, cooldownGlobal: number, cooldownUser: number, enabled: boolean, useCount: number, isOverride: boolean, createdAt: string, updatedAt: string } };

export type AdminUpdateBotCommandMutationVariables = Exact<{
  id: string;
  input: UpdateBotCommandInput;
}>;


export type AdminUpdateBotCommandMutation = { adminUpdateBotCommand: { id: string, accountId: string | null, name: string, aliases: Array<string>, description: string, responseType: BotCommandResponseType, response: string, automationId: string | null, platforms: Array<string>, minRole: BotCommandRole, cooldownGlobal: number, cooldownUser: number, enabled: boolean, useCount: number, isOverride: boolean, createdAt: string, updatedAt: string } };

export type AdminDeleteBotCommandMutationVariables = Exact<{
  id: string;
}>;


export type AdminDeleteBotCommandMutation = { adminDeleteBotCommand: boolean };

export type UpdateBotModuleMutationVariables = Exact<{
  name: string;
  input: UpdateBotModuleInput;
}>;


export type UpdateBotModuleMutation = { updateBotModule: { source: BotModuleSource, name: string, installId: string | null, enabled: boolean, config: unknown, killed: boolean, exemptRoles: { moderator: boolean, vip: boolean, subscriber: boolean } } };

export type DeleteBotModuleMutationVariables = Exact<{
  name: string;
}>;


export type DeleteBotModuleMutation = { deleteBotModule: boolean };

export type KillBotModuleMutationVariables = Exact<{
  input: KillBotModuleInput;
}>;


export type KillBotModuleMutation = { killBotModule: boolean };

export type AddSafeSongMutationVariables = Exact<{
  input: CopyrightSongInput;
}>;


export type AddSafeSongMutation = { addSafeSong: { id: string, title: string, artist: string, spotifyTrackId: string | null, isrc: string | null, createdAt: string } };

export type DeleteSafeSongMutationVariables = Exact<{
  id: string;
}>;


export type DeleteSafeSongMutation = { deleteSafeSong: boolean };

export type AddBlockedSongMutationVariables = Exact<{
  input: CopyrightSongInput;
}>;


export type AddBlockedSongMutation = { addBlockedSong: { id: string, title: string, artist: string, spotifyTrackId: string | null, isrc: string | null, createdAt: string } };

export type DeleteBlockedSongMutationVariables = Exact<{
  id: string;
}>;


export type DeleteBlockedSongMutation = { deleteBlockedSong: boolean };

export type ImportCopyrightPlaylistMutationVariables = Exact<{
  input: ImportCopyrightPlaylistInput;
}>;


export type ImportCopyrightPlaylistMutation = { importCopyrightPlaylist: { imported: number, skipped: number, isComplete: boolean, sync: { id: string, playlistId: string, name: string, list: CopyrightPlaylistList, trackCount: number, lastSyncedAt: string | null, error: string | null, createdAt: string } } };

export type DeleteCopyrightPlaylistSyncMutationVariables = Exact<{
  id: string;
}>;


export type DeleteCopyrightPlaylistSyncMutation = { deleteCopyrightPlaylistSync: boolean };

export type VoteCopyrightMutationVariables = Exact<{
  input: VoteCopyrightInput;
}>;


export type VoteCopyrightMutation = { voteCopyright: { id: string, vote: CopyrightVoteKind, reason: string | null, createdAt: string, updatedAt: string, song: { id: string, title: string, artist: string, spotifyTrackId: string | null, isrc: string | null } } };

export type CreateCopyrightReportMutationVariables = Exact<{
  input: CreateCopyrightReportInput;
}>;


export type CreateCopyrightReportMutation = { createCopyrightReport: { id: string, vote: CopyrightVoteKind, reason: string | null, createdAt: string, updatedAt: string, song: { id: string, title: string, artist: string, spotifyTrackId: string | null, isrc: string | null } } };

export type CreateSafeRecommendationMutationVariables = Exact<{
  input: CreateSafeRecommendationInput;
}>;


export type CreateSafeRecommendationMutation = { createSafeRecommendation: { id: string, vote: CopyrightVoteKind, reason: string | null, createdAt: string, updatedAt: string, song: { id: string, title: string, artist: string, spotifyTrackId: string | null, isrc: string | null } } };

export type AdminApproveCopyrightCandidateMutationVariables = Exact<{
  id: string;
}>;


export type AdminApproveCopyrightCandidateMutation = { adminApproveCopyrightCandidate: { id: string, vote: CopyrightVoteKind, status: CopyrightCandidateStatus, accounts: number, createdAt: string, song: { id: string, title: string, artist: string, spotifyTrackId: string | null, isrc: string | null } } };

export type AdminDismissCopyrightCandidateMutationVariables = Exact<{
  id: string;
}>;


export type AdminDismissCopyrightCandidateMutation = { adminDismissCopyrightCandidate: { id: string, vote: CopyrightVoteKind, status: CopyrightCandidateStatus, accounts: number, createdAt: string, song: { id: string, title: string, artist: string, spotifyTrackId: string | null, isrc: string | null } } };

export type CreateAutomationMutationVariables = Exact<{
  input: CreateAutomationInput;
}>;


export type CreateAutomationMutation = { createAutomation: { id: string, accountId: string, name: string, description: string | null, enabled: boolean, triggerTypes: Array<string>, version: number, lastRunAt: string | null, nextRunAt: string | null, runCount: number, createdBy: string | null, createdAt: string, updatedAt: string, nodes: Array<{ id: string, type: string, label: string | null, config: unknown, installId: string | null, position: { x: number, y: number } }>, edges: Array<{ id: string, sourceNodeId: string, sourceHandle: string, targetNodeId: string }> } };

export type UpdateAutomationMutationVariables = Exact<{
  input: UpdateAutomationInput;
}>;


export type UpdateAutomationMutation = { updateAutomation: { id: string, accountId: string, name: string, description: string | null, enabled: boolean, triggerTypes: Array<string>, version: number, lastRunAt: string | null, nextRunAt: string | null, runCount: number, createdBy: string | null, createdAt: string, updatedAt: string, nodes: Array<{ id: string, type: string, label: string | null, config: unknown, installId: string | null, position: { x: number, y: number } }>, edges: Array<{ id: string, sourceNodeId: string, sourceHandle: string, targetNodeId: string }> } };

export type DeleteAutomationMutationVariables = Exact<{
  id: string;
}>;


export type DeleteAutomationMutation = { deleteAutomation: boolean };

export type DuplicateAutomationMutationVariables = Exact<{
  id: string;
}>;


export type DuplicateAutomationMutation = { duplicateAutomation: { id: string, accountId: string, name: string, description: string | null, enabled: boolean, triggerTypes: Array<string>, version: number, lastRunAt: string | null, nextRunAt: string | null, runCount: number, createdBy: string | null, createdAt: string, updatedAt: string, nodes: Array<{ id: string, type: string, label: string | null, config: unknown, installId: string | null, position: { x: number, y: number } }>, edges: Array<{ id: string, sourceNodeId: string, sourceHandle: string, targetNodeId: string }> } };

export type UpdateAutomationGraphMutationVariables = Exact<{
  id: string;
  version: number;
  nodes: Array<AutomationNodeInput> | AutomationNodeInput;
  edges: Array<AutomationEdgeInput> | AutomationEdgeInput;
}>;


export type UpdateAutomationGraphMutation = { updateAutomationGraph: { id: string, accountId: string, name: string, description: string | null, enabled: boolean, triggerTypes: Array<string>, version: number, lastRunAt: string | null, nextRunAt: string | null, runCount: number, createdBy: string | null, createdAt: string, updatedAt: string, nodes: Array<{ id: string, type: string, label: string | null, config: unknown, installId: string | null, position: { x: number, y: number } }>, edges: Array<{ id: string, sourceNodeId: string, sourceHandle: string, targetNodeId: string }> } };

export type UpdateAutomationNodesMutationVariables = Exact<{
  id: string;
  version: number;
  nodes: Array<AutomationNodeInput> | AutomationNodeInput;
}>;


export type UpdateAutomationNodesMutation = { updateAutomationNodes: { id: string, accountId: string, name: string, description: string | null, enabled: boolean, triggerTypes: Array<string>, version: number, lastRunAt: string | null, nextRunAt: string | null, runCount: number, createdBy: string | null, createdAt: string, updatedAt: string, nodes: Array<{ id: string, type: string, label: string | null, config: unknown, installId: string | null, position: { x: number, y: number } }>, edges: Array<{ id: string, sourceNodeId: string, sourceHandle: string, targetNodeId: string }> } };

export type UpdateAutomationEdgesMutationVariables = Exact<{
  id: string;
  version: number;
  edges: Array<AutomationEdgeInput> | AutomationEdgeInput;
}>;


export type UpdateAutomationEdgesMutation = { updateAutomationEdges: { id: string, accountId: string, name: string, description: string | null, enabled: boolean, triggerTypes: Array<string>, version: number, lastRunAt: string | null, nextRunAt: string | null, runCount: number, createdBy: string | null, createdAt: string, updatedAt: string, nodes: Array<{ id: string, type: string, label: string | null, config: unknown, installId: string | null, position: { x: number, y: number } }>, edges: Array<{ id: string, sourceNodeId: string, sourceHandle: string, targetNodeId: string }> } };

export type ExecuteAutomationMutationVariables = Exact<{
  id: string;
  input?: unknown;
  triggerNodeId?: string | null | undefined;
}>;


export type ExecuteAutomationMutation = { executeAutomation: { runId: string } };

export type CancelAutomationRunMutationVariables = Exact<{
  runId: string;
}>;


export type CancelAutomationRunMutation = { cancelAutomationRun: { id: string, automationId: string, status: AutomationRunStatus, trigger: unknown, isTest: boolean, parentRunId: string | null, error: string | null, createdAt: string, startedAt: string | null, finishedAt: string | null, stepCount: number, steps: Array<{ position: number, nodeId: string, status: AutomationStepStatus, input: unknown, output: unknown, branch: string | null, error: string | null, startedAt: string, durationMs: number | null }> } };

export type DryRunAutomationMutationVariables = Exact<{
  id: string;
  input?: unknown;
  event?: unknown;
  eventId?: string | null | undefined;
  triggerNodeId?: string | null | undefined;
}>;


export type DryRunAutomationMutation = { dryRunAutomation: { status: AutomationDryRunStatus, steps: Array<{ nodeId: string, status: AutomationStepStatus, input: unknown, output: unknown, branch: string | null, error: string | null, effect: { type: string, arguments: unknown } | null }> } };

export type CreateOverlayMutationVariables = Exact<{
  input: CreateOverlayInput;
}>;


export type CreateOverlayMutation = { createOverlay: { id: string, accountId: string, name: string, key: string, width: number, height: number, background: string, version: number, thumbnailUploadId: string | null, myAccess: string, layerCount: number, createdAt: string, updatedAt: string } };

export type UpdateOverlayMutationVariables = Exact<{
  input: UpdateOverlayInput;
}>;


export type UpdateOverlayMutation = { updateOverlay: { id: string, accountId: string, name: string, key: string, width: number, height: number, background: string, version: number, thumbnailUploadId: string | null, myAccess: string, layerCount: number, createdAt: string, updatedAt: string } };

export type DeleteOverlayMutationVariables = Exact<{
  id: string;
}>;


export type DeleteOverlayMutation = { deleteOverlay: boolean };

export type DuplicateOverlayMutationVariables = Exact<{
  id: string;
}>;


export type DuplicateOverlayMutation = { duplicateOverlay: { id: string, accountId: string, name: string, key: string, width: number, height: number, background: string, version: number, thumbnailUploadId: string | null, myAccess: string, layerCount: number, createdAt: string, updatedAt: string } };

export type UpdateOverlayLayersMutationVariables = Exact<{
  overlayId: string;
  layers: Array<OverlayLayerInput> | OverlayLayerInput;
  version?: number | null | undefined;
}>;


export type UpdateOverlayLayersMutation = { updateOverlayLayers: Array<{ id: string, overlayId: string, type: OverlayLayerType, name: string, config: unknown, visible: boolean, sortOrder: number, installId: string | null, x: number, y: number, width: number, height: number, rotation: number, opacity: number, locked: boolean }> };

export type UpdateOverlayLayerMutationVariables = Exact<{
  overlayId: string;
  layerId: string;
  input: UpdateOverlayLayerInput;
}>;


export type UpdateOverlayLayerMutation = { updateOverlayLayer: { id: string, overlayId: string, type: OverlayLayerType, name: string, config: unknown, visible: boolean, sortOrder: number, installId: string | null, x: number, y: number, width: number, height: number, rotation: number, opacity: number, locked: boolean } };

export type RotateOverlayTokenMutationVariables = Exact<{
  overlayId: string;
}>;


export type RotateOverlayTokenMutation = { rotateOverlayToken: { token: string, tokenPrefix: string, url: string, createdAt: string } };

export type CreateOverlayShareMutationVariables = Exact<{
  overlayId: string;
  input: CreateOverlayShareInput;
}>;


export type CreateOverlayShareMutation = { createOverlayShare: { id: string, overlayId: string, label: string | null, token: string, tokenPrefix: string, url: string, expiresAt: string, createdAt: string, createdBy: { id: string, displayName: string } | null } };

export type RevokeOverlayShareMutationVariables = Exact<{
  id: string;
}>;


export type RevokeOverlayShareMutation = { revokeOverlayShare: boolean };

export type SetOverlayAccessMutationVariables = Exact<{
  overlayId: string;
  userId: string;
  input: SetAccessInput;
}>;


export type SetOverlayAccessMutation = { setOverlayAccess: { id: string, overlayId: string, userId: string, userName: string, userAvatar: string | null, role: string, grantedBy: string | null, createdAt: string } };

export type RemoveOverlayAccessMutationVariables = Exact<{
  overlayId: string;
  userId: string;
}>;


export type RemoveOverlayAccessMutation = { removeOverlayAccess: boolean };

export type CreateWidgetMutationVariables = Exact<{
  input: CreateWidgetInput;
}>;


export type CreateWidgetMutation = { createWidget: { id: string, accountId: string, name: string, type: string, installId: string | null, config: unknown, width: number, height: number, enabled: boolean, accessToken: string | null, tokenPrefix: string, url: string, myAccess: string, createdAt: string, updatedAt: string } };

export type UpdateWidgetMutationVariables = Exact<{
  id: string;
  input: UpdateWidgetInput;
}>;


export type UpdateWidgetMutation = { updateWidget: { id: string, accountId: string, name: string, type: string, installId: string | null, config: unknown, width: number, height: number, enabled: boolean, accessToken: string | null, tokenPrefix: string, url: string, myAccess: string, createdAt: string, updatedAt: string } };

export type DeleteWidgetMutationVariables = Exact<{
  id: string;
}>;


export type DeleteWidgetMutation = { deleteWidget: boolean };

export type DuplicateWidgetMutationVariables = Exact<{
  id: string;
}>;


export type DuplicateWidgetMutation = { duplicateWidget: { id: string, accountId: string, name: string, type: string, installId: string | null, config: unknown, width: number, height: number, enabled: boolean, accessToken: string | null, tokenPrefix: string, url: string, myAccess: string, createdAt: string, updatedAt: string } };

export type RotateWidgetTokenMutationVariables = Exact<{
  id: string;
}>;


export type RotateWidgetTokenMutation = { rotateWidgetToken: { id: string, accountId: string, name: string, type: string, installId: string | null, config: unknown, width: number, height: number, enabled: boolean, accessToken: string | null, tokenPrefix: string, url: string, myAccess: string, createdAt: string, updatedAt: string } };

export type SetWidgetAccessMutationVariables = Exact<{
  widgetId: string;
  userId: string;
  input: SetAccessInput;
}>;


export type SetWidgetAccessMutation = { setWidgetAccess: { id: string, widgetId: string, userId: string, userName: string, userAvatar: string | null, role: string, grantedBy: string | null, createdAt: string } };

export type RemoveWidgetAccessMutationVariables = Exact<{
  widgetId: string;
  userId: string;
}>;


export type RemoveWidgetAccessMutation = { removeWidgetAccess: boolean };

export type DeleteUploadMutationVariables = Exact<{
  id: string;
}>;


export type DeleteUploadMutation = { deleteUpload: boolean };

export type UpdateSoundMutationVariables = Exact<{
  id: string;
  input: UpdateSoundInput;
}>;


export type UpdateSoundMutation = { updateSound: { id: string, accountId: string, name: string, filename: string, contentType: string, sizeBytes: number, durationMs: number | null, waveform: Array<number> | null, createdAt: string, sourceExtensionName: string | null } };

export type DeleteSoundMutationVariables = Exact<{
  id: string;
}>;


export type DeleteSoundMutation = { deleteSound: boolean };

export type PlaySoundMutationVariables = Exact<{
  id: string;
  input?: PlaySoundInput | null | undefined;
}>;


export type PlaySoundMutation = { playSound: { success: boolean } };

export type StopSoundMutationVariables = Exact<{
  id: string;
  input?: StopSoundInput | null | undefined;
}>;


export type StopSoundMutation = { stopSound: { success: boolean } };

export type CreateRewardMutationVariables = Exact<{
  input: CreateRewardInput;
}>;


export type CreateRewardMutation = { createReward: { id: string, accountId: string, platform: string, platformRewardId: string, title: string, cost: number, enabled: boolean, action: unknown, createdAt: string, updatedAt: string } };

export type UpdateRewardMutationVariables = Exact<{
  input: UpdateRewardInput;
}>;


export type UpdateRewardMutation = { updateReward: { id: string, accountId: string, platform: string, platformRewardId: string, title: string, cost: number, enabled: boolean, action: unknown, createdAt: string, updatedAt: string } };

export type DeleteRewardMutationVariables = Exact<{
  id: string;
}>;


export type DeleteRewardMutation = { deleteReward: { success: boolean } };

export type CreateSeTokenMutationVariables = Exact<{
  input: CreateSeTokenInput;
}>;


export type CreateSeTokenMutation = { createSeToken: { id: string, platform: string, hint: string, label: string | null, createdAt: string, updatedAt: string, refusedAt: string | null } };

export type DeleteSeTokenMutationVariables = Exact<{
  id: string;
}>;


export type DeleteSeTokenMutation = { deleteSeToken: { success: boolean } };

export type AdminDeleteSeTokenMutationVariables = Exact<{
  id: string;
}>;


export type AdminDeleteSeTokenMutation = { adminDeleteSeToken: { success: boolean } };

export type SpotifyPlayMutationVariables = Exact<{
  input?: SpotifyPlayInput | null | undefined;
}>;


export type SpotifyPlayMutation = { spotifyPlay: { success: boolean } };

export type SpotifyPauseMutationVariables = Exact<{ [key: string]: never; }>;


export type SpotifyPauseMutation = { spotifyPause: { success: boolean } };

export type SpotifyNextMutationVariables = Exact<{ [key: string]: never; }>;


export type SpotifyNextMutation = { spotifyNext: { success: boolean } };

export type SpotifyPreviousMutationVariables = Exact<{ [key: string]: never; }>;


export type SpotifyPreviousMutation = { spotifyPrevious: { success: boolean } };

export type SpotifySeekMutationVariables = Exact<{
  input: SpotifySeekInput;
}>;


export type SpotifySeekMutation = { spotifySeek: { success: boolean } };

export type SpotifyShuffleMutationVariables = Exact<{
  input: SpotifyShuffleInput;
}>;


export type SpotifyShuffleMutation = { spotifyShuffle: { success: boolean } };

export type SpotifyRepeatMutationVariables = Exact<{
  input: SpotifyRepeatInput;
}>;


export type SpotifyRepeatMutation = { spotifyRepeat: { success: boolean } };

export type SpotifySetVolumeMutationVariables = Exact<{
  input: SpotifySetVolumeInput;
}>;


export type SpotifySetVolumeMutation = { spotifySetVolume: { success: boolean } };

export type SpotifyAddToQueueMutationVariables = Exact<{
  input: SpotifyAddToQueueInput;
}>;


export type SpotifyAddToQueueMutation = { spotifyAddToQueue: { success: boolean } };

export type SpotifySetDeviceMutationVariables = Exact<{
  input: SpotifySetDeviceInput;
}>;


export type SpotifySetDeviceMutation = { spotifySetDevice: { success: boolean } };

export type SpotifyPlayPlaylistMutationVariables = Exact<{
  id: string;
}>;


export type SpotifyPlayPlaylistMutation = { spotifyPlayPlaylist: { success: boolean } };

export type SaveObsConfigMutationVariables = Exact<{
  input: SaveObsConfigInput;
}>;


export type SaveObsConfigMutation = { saveObsConfig: { port: number, hasPassword: boolean, remoteEnabled: boolean, remoteHost: string | null, createdAt: string | null, updatedAt: string | null } };

export type DeleteObsConfigMutationVariables = Exact<{ [key: string]: never; }>;


export type DeleteObsConfigMutation = { deleteObsConfig: boolean };

export type TestObsConnectionMutationVariables = Exact<{ [key: string]: never; }>;


export type TestObsConnectionMutation = { testObsConnection: { success: boolean, error: string | null, relayed: boolean } };

export type StartObsStreamMutationVariables = Exact<{ [key: string]: never; }>;


export type StartObsStreamMutation = { startObsStream: { success: boolean, relayed: boolean } };

export type StopObsStreamMutationVariables = Exact<{ [key: string]: never; }>;


export type StopObsStreamMutation = { stopObsStream: { success: boolean, relayed: boolean } };

export type StartObsRecordMutationVariables = Exact<{ [key: string]: never; }>;


export type StartObsRecordMutation = { startObsRecord: { success: boolean, relayed: boolean } };

export type StopObsRecordMutationVariables = Exact<{ [key: string]: never; }>;


export type StopObsRecordMutation = { stopObsRecord: { success: boolean, relayed: boolean } };

export type SetObsSceneMutationVariables = Exact<{
  input: SetObsSceneInput;
}>;


export type SetObsSceneMutation = { setObsScene: { success: boolean, relayed: boolean } };

export type SetObsSourceMutationVariables = Exact<{
  input: SetObsSourceInput;
}>;


export type SetObsSourceMutation = { setObsSource: { success: boolean, relayed: boolean } };

export type StartSpotifyManualConnectMutationVariables = Exact<{ [key: string]: never; }>;


export type StartSpotifyManualConnectMutation = { startSpotifyManualConnect: { active: boolean, remainingSeconds: number } };

export type StopSpotifyManualConnectMutationVariables = Exact<{ [key: string]: never; }>;


export type StopSpotifyManualConnectMutation = { stopSpotifyManualConnect: { active: boolean, remainingSeconds: number } };

export type CreateIdeaMutationVariables = Exact<{
  input: CreateIdeaInput;
}>;


export type CreateIdeaMutation = { createIdea: { id: string, title: string, description: string, status: IdeaStatus, voteCountUp: number, voteCountDown: number, commentCount: number, myVote: IdeaVoteType | null, createdAt: string, updatedAt: string, author: { id: string, displayName: string, avatarUrl: string | null }, category: { id: string, name: string, label: string, color: string, sortOrder: number, createdAt: string }, tags: Array<{ id: string, name: string, createdBy: string | null, createdAt: string }> } };

export type UpdateIdeaMutationVariables = Exact<{
  id: string;
  input: UpdateIdeaInput;
}>;


export type UpdateIdeaMutation = { updateIdea: { id: string, title: string, description: string, status: IdeaStatus, voteCountUp: number, voteCountDown: number, commentCount: number, myVote: IdeaVoteType | null, createdAt: string, updatedAt: string, author: { id: string, displayName: string, avatarUrl: string | null }, category: { id: string, name: string, label: string, color: string, sortOrder: number, createdAt: string }, tags: Array<{ id: string, name: string, createdBy: string | null, createdAt: string }> } };

export type DeleteIdeaMutationVariables = Exact<{
  id: string;
}>;


export type DeleteIdeaMutation = { deleteIdea: boolean };

export type UpdateIdeaStatusMutationVariables = Exact<{
  id: string;
  status: IdeaStatus;
}>;


export type UpdateIdeaStatusMutation = { updateIdeaStatus: { id: string, title: string, description: string, status: IdeaStatus, voteCountUp: number, voteCountDown: number, commentCount: number, myVote: IdeaVoteType | null, createdAt: string, updatedAt: string, author: { id: string, displayName: string, avatarUrl: string | null }, category: { id: string, name: string, label: string, color: string, sortOrder: number, createdAt: string }, tags: Array<{ id: string, name: string, createdBy: string | null, createdAt: string }> } };

export type VoteIdeaMutationVariables = Exact<{
  id: string;
  voteType: IdeaVoteType;
}>;


export type VoteIdeaMutation = { voteIdea: { id: string, title: string, description: string, status: IdeaStatus, voteCountUp: number, voteCountDown: number, commentCount: number, myVote: IdeaVoteType | null, createdAt: string, updatedAt: string, author: { id: string, displayName: string, avatarUrl: string | null }, category: { id: string, name: string, label: string, color: string, sortOrder: number, createdAt: string }, tags: Array<{ id: string, name: string, createdBy: string | null, createdAt: string }> } };

export type RemoveVoteMutationVariables = Exact<{
  id: string;
}>;


export type RemoveVoteMutation = { removeVote: { id: string, title: string, description: string, status: IdeaStatus, voteCountUp: number, voteCountDown: number, commentCount: number, myVote: IdeaVoteType | null, createdAt: string, updatedAt: string, author: { id: string, displayName: string, avatarUrl: string | null }, category: { id: string, name: string, label: string, color: string, sortOrder: number, createdAt: string }, tags: Array<{ id: string, name: string, createdBy: string | null, createdAt: string }> } };

export type CreateIdeaCommentMutationVariables = Exact<{
  input: CreateIdeaCommentInput;
}>;


export type CreateIdeaCommentMutation = { createIdeaComment: { id: string, ideaId: string, parentId: string | null, body: string, createdAt: string, updatedAt: string, voteCountUp: number, voteCountDown: number, myVote: IdeaVoteType | null, replyCount: number, author: { id: string, displayName: string, avatarUrl: string | null }, replies: Array<{ id: string, ideaId: string, parentId: string | null, body: string, createdAt: string, updatedAt: string, voteCountUp: number, voteCountDown: number, myVote: IdeaVoteType | null, replyCount: number, author: { id: string, displayName: string, avatarUrl: string | null } }> } };

export type UpdateIdeaCommentMutationVariables = Exact<{
  id: string;
  body: string;
}>;


export type UpdateIdeaCommentMutation = { updateIdeaComment: { id: string, ideaId: string, parentId: string | null, body: string, createdAt: string, updatedAt: string, voteCountUp: number, voteCountDown: number, myVote: IdeaVoteType | null, replyCount: number, author: { id: string, displayName: string, avatarUrl: string | null }, replies: Array<{ id: string, ideaId: string, parentId: string | null, body: string, createdAt: string, updatedAt: string, voteCountUp: number, voteCountDown: number, myVote: IdeaVoteType | null, replyCount: number, author: { id: string, displayName: string, avatarUrl: string | null } }> } };

export type DeleteIdeaCommentMutationVariables = Exact<{
  id: string;
}>;


export type DeleteIdeaCommentMutation = { deleteIdeaComment: boolean };

export type VoteIdeaCommentMutationVariables = Exact<{
  id: string;
  voteType: IdeaVoteType;
}>;


export type VoteIdeaCommentMutation = { voteIdeaComment: { id: string, ideaId: string, parentId: string | null, body: string, createdAt: string, updatedAt: string, voteCountUp: number, voteCountDown: number, myVote: IdeaVoteType | null, replyCount: number, author: { id: string, displayName: string, avatarUrl: string | null }, replies: Array<{ id: string, ideaId: string, parentId: string | null, body: string, createdAt: string, updatedAt: string, voteCountUp: number, voteCountDown: number, myVote: IdeaVoteType | null, replyCount: number, author: { id: string, displayName: string, avatarUrl: string | null } }> } };

export type RemoveIdeaCommentVoteMutationVariables = Exact<{
  id: string;
}>;


export type RemoveIdeaCommentVoteMutation = { removeIdeaCommentVote: { id: string, ideaId: string, parentId: string | null, body: string, createdAt: string, updatedAt: string, voteCountUp: number, voteCountDown: number, myVote: IdeaVoteType | null, replyCount: number, author: { id: string, displayName: string, avatarUrl: string | null }, replies: Array<{ id: string, ideaId: string, parentId: string | null, body: string, createdAt: string, updatedAt: string, voteCountUp: number, voteCountDown: number, myVote: IdeaVoteType | null, replyCount: number, author: { id: string, displayName: string, avatarUrl: string | null } }> } };

export type CreateIdeaCategoryMutationVariables = Exact<{
  input: CreateIdeaCategoryInput;
}>;


export type CreateIdeaCategoryMutation = { createIdeaCategory: { id: string, name: string, label: string, color: string, sortOrder: number, createdAt: string } };

export type UpdateIdeaCategoryMutationVariables = Exact<{
  id: string;
  input: UpdateIdeaCategoryInput;
}>;


export type UpdateIdeaCategoryMutation = { updateIdeaCategory: { id: string, name: string, label: string, color: string, sortOrder: number, createdAt: string } };

export type DeleteIdeaCategoryMutationVariables = Exact<{
  id: string;
}>;


export type DeleteIdeaCategoryMutation = { deleteIdeaCategory: boolean };

export type CreateIdeaTagMutationVariables = Exact<{
  name: string;
}>;


export type CreateIdeaTagMutation = { createIdeaTag: { id: string, name: string, createdBy: string | null, createdAt: string } };

export type DeleteIdeaTagMutationVariables = Exact<{
  id: string;
}>;


export type DeleteIdeaTagMutation = { deleteIdeaTag: boolean };

export type DeleteStreamReportMutationVariables = Exact<{
  id: string;
}>;


export type DeleteStreamReportMutation = { deleteStreamReport: boolean };

export type CreateSharedLinkMutationVariables = Exact<{
  reportId: string;
  input: CreateSharedLinkInput;
}>;


export type CreateSharedLinkMutation = { createSharedLink: { id: string, reportId: string, createdBy: string | null, createdAt: string, expiresAt: string, hasPassword: boolean, allowExport: boolean, viewCount: number, lastViewedAt: string | null, status: SharedLinkStatus, token: string, url: string } };

export type ExtendSharedLinkMutationVariables = Exact<{
  id: string;
  input: ExtendSharedLinkInput;
}>;


export type ExtendSharedLinkMutation = { extendSharedLink: { id: string, reportId: string, createdBy: string | null, createdAt: string, expiresAt: string, hasPassword: boolean, allowExport: boolean, viewCount: number, lastViewedAt: string | null, status: SharedLinkStatus } };

export type RevokeSharedLinkMutationVariables = Exact<{
  id: string;
}>;


export type RevokeSharedLinkMutation = { revokeSharedLink: boolean };

export type UpdatePublicStatsChannelMutationVariables = Exact<{
  platform: string;
  input: UpdatePublicStatsChannelInput;
}>;


export type UpdatePublicStatsChannelMutation = { updatePublicStatsChannel: { platform: string, platformChannelId: string, channelName: string | null, isPublic: boolean, showTopChatters: boolean, optedOutVia: string | null, updatedAt: string | null } };

export type AddToWatchlistMutationVariables = Exact<{
  input: AddToWatchlistInput;
}>;


export type AddToWatchlistMutation = { addToWatchlist: { id: string, platform: string, platformChannelId: string, channelDisplayName: string | null, avatarUrl: string | null, isLive: boolean, currentViewers: number | null, addedAt: string } };

export type RemoveFromWatchlistMutationVariables = Exact<{
  id: string;
}>;


export type RemoveFromWatchlistMutation = { removeFromWatchlist: boolean };

export type AdminUpdateCrawlerScopeMutationVariables = Exact<{
  input: AdminUpdateCrawlerScopeInput;
}>;


export type AdminUpdateCrawlerScopeMutation = { adminUpdateCrawlerScope: { enabled: boolean, platforms: Array<string>, minViewers: number, languages: Array<string>, maxChannels: number, intervalSecs: number } };

export type AdminAddCrawlerWatchlistEntryMutationVariables = Exact<{
  input: AdminAddCrawlerWatchlistEntryInput;
}>;


export type AdminAddCrawlerWatchlistEntryMutation = { adminAddCrawlerWatchlistEntry: { id: string, platform: string, channel: string, note: string | null, createdBy: string | null, createdAt: string } };

export type AdminRemoveCrawlerWatchlistEntryMutationVariables = Exact<{
  id: string;
}>;


export type AdminRemoveCrawlerWatchlistEntryMutation = { adminRemoveCrawlerWatchlistEntry: boolean };

export type CreateWebhookEndpointMutationVariables = Exact<{
  input: CreateWebhookEndpointInput;
}>;


export type CreateWebhookEndpointMutation = { createWebhookEndpoint: { id: string, accountId: string, url: string, description: string | null, eventTypes: Array<string>, isEnabled: boolean, disabledReason: WebhookDisabledReason | null, failingSince: string | null, skippedCount: number, previousSecretExpiresAt: string | null, createdBy: string | null, createdAt: string, updatedAt: string, secret: string | null } };

export type UpdateWebhookEndpointMutationVariables = Exact<{
  input: UpdateWebhookEndpointInput;
}>;


export type UpdateWebhookEndpointMutation = { updateWebhookEndpoint: { id: string, accountId: string, url: string, description: string | null, eventTypes: Array<string>, isEnabled: boolean, disabledReason: WebhookDisabledReason | null, failingSince: string | null, skippedCount: number, previousSecretExpiresAt: string | null, createdBy: string | null, createdAt: string, updatedAt: string } };

export type DeleteWebhookEndpointMutationVariables = Exact<{
  endpointId: string;
}>;


export type DeleteWebhookEndpointMutation = { deleteWebhookEndpoint: boolean };

export type RotateWebhookSecretMutationVariables = Exact<{
  endpointId: string;
}>;


export type RotateWebhookSecretMutation = { rotateWebhookSecret: { secret: string, previousSecretExpiresAt: string | null } };

export type TestWebhookEndpointMutationVariables = Exact<{
  endpointId: string;
}>;


export type TestWebhookEndpointMutation = { testWebhookEndpoint: { id: string, endpointId: string, eventId: string, eventType: string, status: WebhookDeliveryStatus, attempts: number, nextAttemptAt: string | null, lastAttemptAt: string | null, lastStatusCode: number | null, lastError: string | null, responseExcerpt: string | null, durationMs: number | null, occurredAt: string, createdAt: string } };

export type ReplayWebhookDeliveryMutationVariables = Exact<{
  endpointId: string;
  deliveryId: string;
}>;


export type ReplayWebhookDeliveryMutation = { replayWebhookDelivery: { id: string, endpointId: string, eventId: string, eventType: string, status: WebhookDeliveryStatus, attempts: number, nextAttemptAt: string | null, lastAttemptAt: string | null, lastStatusCode: number | null, lastError: string | null, responseExcerpt: string | null, durationMs: number | null, occurredAt: string, createdAt: string } };

export type SetUsageBudgetMutationVariables = Exact<{
  input: SetUsageBudgetInput;
}>;


export type SetUsageBudgetMutation = { setUsageBudget: { id: string, subject: UsageSubject, subjectId: string, unit: UsageUnit, period: UsagePeriod, maximum: number, warnPercent: number | null, isStopping: boolean, used: number, remaining: number, resetsAt: string, stoppedUntil: string | null, createdBy: string | null, createdAt: string, updatedAt: string } };

export type DeleteUsageBudgetMutationVariables = Exact<{
  budgetId: string;
}>;


export type DeleteUsageBudgetMutation = { deleteUsageBudget: boolean };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}

export const MeDocument = new TypedDocumentString(`
    query Me {
  me {
    id
    displayName
    username
    email
    pendingEmail
    avatarUrl
    createdAt
    lastLoginAt
    activeAccountId
    memberships {
      accountId
      accountName
      avatarUrl
      role {
        id
        slug
        name
        color
      }
      isOwner
      planSlug
      joinedAt
    }
    ownedAccountCount
    maxAccounts
    featureStatuses {
      key
      enabled
      reason
    }
    enabledFeatures
    adminPermissions
    userPermissions
    isDeveloper
    extensionDevMode
    streamerMode
    loginConnections {
      id
      provider
      providerUserId
      username
      displayName
      avatarUrl
      reconnectRequired
      isPrimaryFor
      confirmed
      createdAt
    }
    notificationsUnread
    token
  }
}
    `) as unknown as TypedDocumentString<MeQuery, MeQueryVariables>;
export const MySessionsDocument = new TypedDocumentString(`
    query MySessions {
  mySessions {
    id
    createdAt
    lastSeenAt
    expiresAt
    ip
    userAgent
    isCurrent
  }
}
    `) as unknown as TypedDocumentString<MySessionsQuery, MySessionsQueryVariables>;
export const LoginConnectionsDocument = new TypedDocumentString(`
    query LoginConnections {
  loginConnections {
    id
    provider
    providerUserId
    username
    displayName
    avatarUrl
    reconnectRequired
    isPrimaryFor
    confirmed
    createdAt
  }
}
    `) as unknown as TypedDocumentString<LoginConnectionsQuery, LoginConnectionsQueryVariables>;
export const MyPermissionsDocument = new TypedDocumentString(`
    query MyPermissions {
  myPermissions {
    tokenType
    accountId
    permissions
  }
}
    `) as unknown as TypedDocumentString<MyPermissionsQuery, MyPermissionsQueryVariables>;
export const PopoutTokensDocument = new TypedDocumentString(`
    query PopoutTokens {
  popoutTokens {
    id
    accountId
    userId
    tokenPrefix
    label
    permissions
    createdAt
    expiresAt
    lastUsedAt
  }
}
    `) as unknown as TypedDocumentString<PopoutTokensQuery, PopoutTokensQueryVariables>;
export const PopoutTokenDocument = new TypedDocumentString(`
    query PopoutToken($id: UUID!) {
  popoutToken(id: $id) {
    id
    accountId
    userId
    tokenPrefix
    label
    permissions
    createdAt
    expiresAt
    lastUsedAt
  }
}
    `) as unknown as TypedDocumentString<PopoutTokenQuery, PopoutTokenQueryVariables>;
export const ApiKeyAssignablePermissionsDocument = new TypedDocumentString(`
    query ApiKeyAssignablePermissions($kind: ApiKeyKind!) {
  apiKeyAssignablePermissions(kind: $kind) {
    key
    label
    category
  }
}
    `) as unknown as TypedDocumentString<ApiKeyAssignablePermissionsQuery, ApiKeyAssignablePermissionsQueryVariables>;
export const UserApiKeysDocument = new TypedDocumentString(`
    query UserApiKeys {
  userApiKeys {
    id
    userId
    accountId
    keyPrefix
    label
    permissions
    createdAt
    expiresAt
    lastUsedAt
  }
}
    `) as unknown as TypedDocumentString<UserApiKeysQuery, UserApiKeysQueryVariables>;
export const AccountServiceKeysDocument = new TypedDocumentString(`
    query AccountServiceKeys {
  accountServiceKeys {
    id
    accountId
    createdBy
    keyPrefix
    label
    permissions
    createdAt
    updatedAt
    expiresAt
    lastUsedAt
  }
}
    `) as unknown as TypedDocumentString<AccountServiceKeysQuery, AccountServiceKeysQueryVariables>;
export const AdminSystemKeysDocument = new TypedDocumentString(`
    query AdminSystemKeys {
  adminSystemKeys {
    id
    label
    keyPrefix
    createdBy
    createdAt
    lastUsedAt
  }
}
    `) as unknown as TypedDocumentString<AdminSystemKeysQuery, AdminSystemKeysQueryVariables>;
export const AccountsDocument = new TypedDocumentString(`
    query Accounts {
  accounts {
    id
    name
    description
    slug
    avatarUrl
    ownerId
    plan {
      id
      slug
      name
    }
    primaryLoginConnectionId
    memberCount
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AccountsQuery, AccountsQueryVariables>;
export const AccountDocument = new TypedDocumentString(`
    query Account($id: UUID) {
  account(id: $id) {
    id
    name
    description
    slug
    avatarUrl
    ownerId
    plan {
      id
      slug
      name
    }
    primaryLoginConnectionId
    memberCount
    createdAt
    updatedAt
    channelConnections {
      id
      platform
      platformChannelId
      channelName
      displayName
      avatarUrl
      scopes
      credentialSource
      botEnabled
      reconnectRequired
      expiresAt
      connectedAt
      connectedBy
      health {
        subscriptions {
          eventType
          refusal
        }
        lastEvents {
          eventType
          lastEventAt
        }
        reader {
          state
          detail
          since
        }
      }
    }
    botConnections {
      id
      platform
      botUserId
      botUsername
      avatarUrl
      isCustom
      credentialSource
      reconnectRequired
    }
  }
}
    `) as unknown as TypedDocumentString<AccountQuery, AccountQueryVariables>;
export const AccountArchivesDocument = new TypedDocumentString(`
    query AccountArchives($id: UUID!) {
  accountArchives(id: $id) {
    id
    accountId
    status
    withSecrets
    sizeBytes
    sha256
    error
    downloadUrl
    requestedBy
    createdAt
    startedAt
    finishedAt
    expiresAt
  }
}
    `) as unknown as TypedDocumentString<AccountArchivesQuery, AccountArchivesQueryVariables>;
export const AccountArchiveDocument = new TypedDocumentString(`
    query AccountArchive($id: UUID!, $archiveId: UUID!) {
  accountArchive(id: $id, archiveId: $archiveId) {
    id
    accountId
    status
    withSecrets
    sizeBytes
    sha256
    error
    downloadUrl
    requestedBy
    createdAt
    startedAt
    finishedAt
    expiresAt
  }
}
    `) as unknown as TypedDocumentString<AccountArchiveQuery, AccountArchiveQueryVariables>;
export const AuditLogDocument = new TypedDocumentString(`
    query AuditLog($filter: AuditLogFilter) {
  auditLog(filter: $filter) {
    items {
      id
      accountId
      actor {
        type
        id
        displayName
      }
      action
      resourceType
      resourceId
      metadata
      ip
      createdAt
    }
    total
    page
    limit
    pages
    nextCursor
  }
}
    `) as unknown as TypedDocumentString<AuditLogQuery, AuditLogQueryVariables>;
export const AdminAuditDocument = new TypedDocumentString(`
    query AdminAudit($filter: AdminAuditFilter) {
  adminAudit(filter: $filter) {
    items {
      id
      accountId
      actor {
        type
        id
        displayName
      }
      action
      resourceType
      resourceId
      metadata
      ip
      createdAt
    }
    total
    page
    limit
    pages
    nextCursor
  }
}
    `) as unknown as TypedDocumentString<AdminAuditQuery, AdminAuditQueryVariables>;
export const InvitesDocument = new TypedDocumentString(`
    query Invites {
  invites {
    id
    accountId
    code
    role {
      id
      slug
      name
      color
    }
    method
    targetUserId
    email
    maxUses
    useCount
    expiresAt
    createdBy
    createdAt
    status
  }
}
    `) as unknown as TypedDocumentString<InvitesQuery, InvitesQueryVariables>;
export const InviteByCodeDocument = new TypedDocumentString(`
    query InviteByCode($code: String!) {
  inviteByCode(code: $code) {
    accountName
    accountAvatarUrl
    roleName
    expiresAt
    isValid
  }
}
    `) as unknown as TypedDocumentString<InviteByCodeQuery, InviteByCodeQueryVariables>;
export const LimitsDocument = new TypedDocumentString(`
    query Limits {
  limits {
    name
    scope
    limit
    unit
    windowSecs
    used
    remaining
    resetsAt
    source
  }
}
    `) as unknown as TypedDocumentString<LimitsQuery, LimitsQueryVariables>;
export const AccountLoginAssignmentsDocument = new TypedDocumentString(`
    query AccountLoginAssignments($userId: UUID) {
  accountLoginAssignments(userId: $userId) {
    id
    accountId
    userId
    loginConnectionId
    provider
    createdAt
  }
}
    `) as unknown as TypedDocumentString<AccountLoginAssignmentsQuery, AccountLoginAssignmentsQueryVariables>;
export const MembersDocument = new TypedDocumentString(`
    query Members {
  members {
    membershipId
    userId
    displayName
    email
    avatarUrl
    role {
      id
      slug
      name
      color
    }
    isOwner
    joinedAt
  }
}
    `) as unknown as TypedDocumentString<MembersQuery, MembersQueryVariables>;
export const SearchUsersDocument = new TypedDocumentString(`
    query SearchUsers($query: String!, $limit: Int) {
  searchUsers(query: $query, limit: $limit) {
    userId
    displayName
    username
    avatarUrl
    connections {
      platform
      username
      displayName
      avatarUrl
    }
  }
}
    `) as unknown as TypedDocumentString<SearchUsersQuery, SearchUsersQueryVariables>;
export const AccountSettingsDocument = new TypedDocumentString(`
    query AccountSettings {
  accountSettings {
    locale
    timezone
    currency
    commandPrefix
    chat {
      defaultPlatforms
      showTimestamps
      highlightMentions
      fontSize
    }
    alerts {
      muted
      volume
    }
    privacy {
      storeChat
      storeUserProfiles
    }
    defaultOverlayId
  }
}
    `) as unknown as TypedDocumentString<AccountSettingsQuery, AccountSettingsQueryVariables>;
export const AccountFeaturesDocument = new TypedDocumentString(`
    query AccountFeatures {
  accountFeatures {
    enabledFeatures
    featureStatuses {
      key
      enabled
      reason
    }
  }
}
    `) as unknown as TypedDocumentString<AccountFeaturesQuery, AccountFeaturesQueryVariables>;
export const EnabledPlatformsDocument = new TypedDocumentString(`
    query EnabledPlatforms {
  enabledPlatforms
}
    `) as unknown as TypedDocumentString<EnabledPlatformsQuery, EnabledPlatformsQueryVariables>;
export const AdminFeatureFlagsDocument = new TypedDocumentString(`
    query AdminFeatureFlags($category: FeatureCategory, $search: String) {
  adminFeatureFlags(category: $category, search: $search) {
    id
    key
    label
    description
    category
    globallyEnabled
    defaultForAccounts
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminFeatureFlagsQuery, AdminFeatureFlagsQueryVariables>;
export const AdminPlanFeaturesDocument = new TypedDocumentString(`
    query AdminPlanFeatures($planId: UUID!) {
  adminPlanFeatures(planId: $planId) {
    featureId
    featureKey
    label
    enabled
  }
}
    `) as unknown as TypedDocumentString<AdminPlanFeaturesQuery, AdminPlanFeaturesQueryVariables>;
export const AdminAccountFeatureOverridesDocument = new TypedDocumentString(`
    query AdminAccountFeatureOverrides($accountId: UUID!) {
  adminAccountFeatureOverrides(accountId: $accountId) {
    accountId
    featureId
    featureKey
    label
    enabled
    reason
    setBy
    createdAt
  }
}
    `) as unknown as TypedDocumentString<AdminAccountFeatureOverridesQuery, AdminAccountFeatureOverridesQueryVariables>;
export const AdminPlatformsDocument = new TypedDocumentString(`
    query AdminPlatforms {
  adminPlatforms {
    platform
    enabled
    login
    channel
    bot
  }
}
    `) as unknown as TypedDocumentString<AdminPlatformsQuery, AdminPlatformsQueryVariables>;
export const AdminProvidersDocument = new TypedDocumentString(`
    query AdminProviders {
  adminProviders {
    platform
    enabled
    login
    channel
    bot
    credentialsConfigured
    channelConnections
    loginConnections
    botConnections
    globalBotStatus
  }
}
    `) as unknown as TypedDocumentString<AdminProvidersQuery, AdminProvidersQueryVariables>;
export const PlansDocument = new TypedDocumentString(`
    query Plans {
  plans {
    id
    slug
    name
    description
    priceMonthly
    priceYearly
    currency
    isPublic
    sortOrder
    maxOverlays
    maxStorageBytes
    maxUploadSizeBytes
    maxIntegrations
    chatRetentionDays
    features {
      featureId
      featureKey
      label
      enabled
      globallyEnabled
    }
  }
}
    `) as unknown as TypedDocumentString<PlansQuery, PlansQueryVariables>;
export const AdminPlansDocument = new TypedDocumentString(`
    query AdminPlans {
  adminPlans {
    id
    slug
    name
    description
    priceMonthly
    priceYearly
    currency
    isPublic
    sortOrder
    maxOverlays
    maxStorageBytes
    maxUploadSizeBytes
    maxIntegrations
    chatRetentionDays
    paymentProductId
    paymentMonthlyPriceId
    paymentYearlyPriceId
    features {
      featureId
      featureKey
      label
      enabled
    }
    accountsUsing
  }
}
    `) as unknown as TypedDocumentString<AdminPlansQuery, AdminPlansQueryVariables>;
export const AdminPlanDocument = new TypedDocumentString(`
    query AdminPlan($id: UUID!) {
  adminPlan(id: $id) {
    id
    slug
    name
    description
    priceMonthly
    priceYearly
    currency
    isPublic
    sortOrder
    maxOverlays
    maxStorageBytes
    maxUploadSizeBytes
    maxIntegrations
    chatRetentionDays
    paymentProductId
    paymentMonthlyPriceId
    paymentYearlyPriceId
    features {
      featureId
      featureKey
      label
      enabled
    }
    accountsUsing
  }
}
    `) as unknown as TypedDocumentString<AdminPlanQuery, AdminPlanQueryVariables>;
export const BillingStatusDocument = new TypedDocumentString(`
    query BillingStatus {
  billingStatus {
    plan {
      id
      slug
      name
      description
      priceMonthly
      priceYearly
      currency
      isPublic
      sortOrder
      maxOverlays
      maxStorageBytes
      maxUploadSizeBytes
      maxIntegrations
      chatRetentionDays
      features {
        featureId
        featureKey
        label
        enabled
        globallyEnabled
      }
    }
    limits {
      key
      limit
      used
      source
    }
    status
    renewsAt
  }
}
    `) as unknown as TypedDocumentString<BillingStatusQuery, BillingStatusQueryVariables>;
export const PlanLimitsDocument = new TypedDocumentString(`
    query PlanLimits {
  planLimits {
    key
    limit
    used
    source
  }
}
    `) as unknown as TypedDocumentString<PlanLimitsQuery, PlanLimitsQueryVariables>;
export const InvoicesDocument = new TypedDocumentString(`
    query Invoices {
  invoices {
    id
    number
    amount
    currency
    issuedAt
    paidAt
  }
}
    `) as unknown as TypedDocumentString<InvoicesQuery, InvoicesQueryVariables>;
export const ValidateCouponDocument = new TypedDocumentString(`
    query ValidateCoupon($code: String!) {
  validateCoupon(code: $code) {
    code
    isValid
    percentOff
    amountOff
    duration
  }
}
    `) as unknown as TypedDocumentString<ValidateCouponQuery, ValidateCouponQueryVariables>;
export const AdminSubscriptionsDocument = new TypedDocumentString(`
    query AdminSubscriptions($status: SubscriptionStatus, $planId: UUID, $page: Int, $limit: Int) {
  adminSubscriptions(status: $status, planId: $planId, page: $page, limit: $limit) {
    items {
      id
      accountId
      accountName
      planId
      planSlug
      planName
      status
      renewsAt
      cancelledAt
      createdAt
      updatedAt
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<AdminSubscriptionsQuery, AdminSubscriptionsQueryVariables>;
export const AdminCouponsDocument = new TypedDocumentString(`
    query AdminCoupons($isActive: Boolean, $page: Int, $limit: Int) {
  adminCoupons(isActive: $isActive, page: $page, limit: $limit) {
    items {
      id
      code
      percentOff
      amountOff
      duration
      maxRedemptions
      redeemed
      expiresAt
      isActive
      createdAt
      updatedAt
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<AdminCouponsQuery, AdminCouponsQueryVariables>;
export const AdminPayoutsDocument = new TypedDocumentString(`
    query AdminPayouts($status: PayoutStatus, $page: Int, $limit: Int) {
  adminPayouts(status: $status, page: $page, limit: $limit) {
    items {
      id
      developerId
      developerName
      teamId
      amount
      currency
      method
      status
      createdAt
      paidAt
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<AdminPayoutsQuery, AdminPayoutsQueryVariables>;
export const RolesDocument = new TypedDocumentString(`
    query Roles {
  roles {
    id
    accountId
    slug
    name
    description
    color
    isSystem
    permissions
    memberCount
    position
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<RolesQuery, RolesQueryVariables>;
export const RoleDocument = new TypedDocumentString(`
    query Role($id: UUID!) {
  role(id: $id) {
    id
    accountId
    slug
    name
    description
    color
    isSystem
    permissions
    memberCount
    position
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<RoleQuery, RoleQueryVariables>;
export const AccountPermissionsDocument = new TypedDocumentString(`
    query AccountPermissions {
  accountPermissions {
    permission
    category
    label
  }
}
    `) as unknown as TypedDocumentString<AccountPermissionsQuery, AccountPermissionsQueryVariables>;
export const UserRolesDocument = new TypedDocumentString(`
    query UserRoles {
  userRoles {
    id
    slug
    name
    description
    isDefault
    isSystem
    createdAt
    permissions
  }
}
    `) as unknown as TypedDocumentString<UserRolesQuery, UserRolesQueryVariables>;
export const UserRoleMembersDocument = new TypedDocumentString(`
    query UserRoleMembers($roleId: UUID!) {
  userRoleMembers(roleId: $roleId) {
    userId
    displayName
    email
    avatarUrl
    assignedBy
    assignedAt
  }
}
    `) as unknown as TypedDocumentString<UserRoleMembersQuery, UserRoleMembersQueryVariables>;
export const UserRoleAssignmentsDocument = new TypedDocumentString(`
    query UserRoleAssignments($userId: UUID!) {
  userRoleAssignments(userId: $userId) {
    userId
    roleId
    assignedBy
    createdAt
  }
}
    `) as unknown as TypedDocumentString<UserRoleAssignmentsQuery, UserRoleAssignmentsQueryVariables>;
export const UserPermissionOverridesDocument = new TypedDocumentString(`
    query UserPermissionOverrides($userId: UUID!) {
  userPermissionOverrides(userId: $userId) {
    userId
    permission
    granted
    reason
    setBy
    createdAt
  }
}
    `) as unknown as TypedDocumentString<UserPermissionOverridesQuery, UserPermissionOverridesQueryVariables>;
export const ResolvedUserPermissionsDocument = new TypedDocumentString(`
    query ResolvedUserPermissions($userId: UUID!) {
  resolvedUserPermissions(userId: $userId) {
    permissions
    roles
    overrides {
      userId
      permission
      granted
      reason
      setBy
      createdAt
    }
    accountOverrides {
      accountId
      permission
      granted
      reason
      setBy
      createdAt
    }
  }
}
    `) as unknown as TypedDocumentString<ResolvedUserPermissionsQuery, ResolvedUserPermissionsQueryVariables>;
export const AdminAccountPermissionOverridesDocument = new TypedDocumentString(`
    query AdminAccountPermissionOverrides($accountId: UUID!) {
  adminAccountPermissionOverrides(accountId: $accountId) {
    accountId
    permission
    granted
    reason
    setBy
    createdAt
  }
}
    `) as unknown as TypedDocumentString<AdminAccountPermissionOverridesQuery, AdminAccountPermissionOverridesQueryVariables>;
export const AdminRolesDocument = new TypedDocumentString(`
    query AdminRoles {
  adminRoles {
    id
    name
    description
    isSystem
    permissions
    memberCount
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminRolesQuery, AdminRolesQueryVariables>;
export const AdminRoleDocument = new TypedDocumentString(`
    query AdminRole($id: UUID!) {
  adminRole(id: $id) {
    id
    name
    description
    isSystem
    permissions
    memberCount
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminRoleQuery, AdminRoleQueryVariables>;
export const AdminRoleMembersDocument = new TypedDocumentString(`
    query AdminRoleMembers($roleId: UUID!) {
  adminRoleMembers(roleId: $roleId) {
    userId
    displayName
    email
    avatarUrl
    assignedAt
  }
}
    `) as unknown as TypedDocumentString<AdminRoleMembersQuery, AdminRoleMembersQueryVariables>;
export const AllAdminPermissionsDocument = new TypedDocumentString(`
    query AllAdminPermissions {
  allAdminPermissions {
    permission
    category
  }
}
    `) as unknown as TypedDocumentString<AllAdminPermissionsQuery, AllAdminPermissionsQueryVariables>;
export const AdminUsersDocument = new TypedDocumentString(`
    query AdminUsers($search: String, $page: Int, $limit: Int) {
  adminUsers(search: $search, page: $page, limit: $limit) {
    items {
      id
      displayName
      username
      email
      avatarUrl
      createdAt
      lastLoginAt
      accountCreationOverride
      maxAccountsOverride
      ownedAccountCount
      membershipCount
      isDeveloper
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<AdminUsersQuery, AdminUsersQueryVariables>;
export const AdminUserDocument = new TypedDocumentString(`
    query AdminUser($id: UUID!) {
  adminUser(id: $id) {
    id
    displayName
    username
    email
    avatarUrl
    createdAt
    lastLoginAt
    accountCreationOverride
    maxAccountsOverride
    ownedAccountCount
    isDeveloper
    memberships {
      membershipId
      accountId
      accountName
      roleId
      roleName
      isOwner
      joinedAt
    }
    loginConnections {
      id
      provider
      providerUserId
      username
      displayName
      reconnectRequired
      createdAt
    }
  }
}
    `) as unknown as TypedDocumentString<AdminUserQuery, AdminUserQueryVariables>;
export const AdminAccountsDocument = new TypedDocumentString(`
    query AdminAccounts($search: String, $page: Int, $limit: Int) {
  adminAccounts(search: $search, page: $page, limit: $limit) {
    items {
      id
      name
      slug
      owner {
        id
        displayName
        email
      }
      plan {
        id
        slug
        name
      }
      memberCount
      createdAt
      updatedAt
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<AdminAccountsQuery, AdminAccountsQueryVariables>;
export const AdminAccountDocument = new TypedDocumentString(`
    query AdminAccount($id: UUID!) {
  adminAccount(id: $id) {
    id
    name
    slug
    description
    owner {
      id
      displayName
      email
    }
    plan {
      id
      slug
      name
    }
    memberCount
    createdAt
    updatedAt
    channelConnections {
      id
      platform
      username
      displayName
      reconnectRequired
      connectedAt
    }
    botConnections {
      id
      platform
      username
      displayName
      reconnectRequired
      connectedAt
    }
  }
}
    `) as unknown as TypedDocumentString<AdminAccountQuery, AdminAccountQueryVariables>;
export const AdminAccountLimitsDocument = new TypedDocumentString(`
    query AdminAccountLimits($accountId: UUID!) {
  adminAccountLimits(accountId: $accountId) {
    accountId
    maxOverlays
    maxStorageBytes
    maxUploadSizeBytes
    maxIntegrations
    chatRetentionDays
    customBotAllowed
    obsRemoteAllowed
    copyrightDetectionAllowed
    notes
    updatedBy
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminAccountLimitsQuery, AdminAccountLimitsQueryVariables>;
export const AdminOauthClientsDocument = new TypedDocumentString(`
    query AdminOauthClients {
  adminOauthClients {
    id
    name
    redirectUris
    allowedHosts
    isActive
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminOauthClientsQuery, AdminOauthClientsQueryVariables>;
export const ExplainAccessDocument = new TypedDocumentString(`
    query ExplainAccess($operation: String!, $subject: String) {
  explainAccess(operation: $operation, subject: $subject) {
    operation
    subject
    allowed
    reason
    steps {
      order
      kind
      name
      effect
      detail
    }
  }
}
    `) as unknown as TypedDocumentString<ExplainAccessQuery, ExplainAccessQueryVariables>;
export const ConnectionStatusesDocument = new TypedDocumentString(`
    query ConnectionStatuses {
  connectionStatuses {
    platform
    isConnected
    reconnectRequired
    expiresAt
    loginConnected
    loginReconnectRequired
    loginAvailable
  }
}
    `) as unknown as TypedDocumentString<ConnectionStatusesQuery, ConnectionStatusesQueryVariables>;
export const ChannelConnectionsDocument = new TypedDocumentString(`
    query ChannelConnections {
  channelConnections {
    id
    platform
    platformChannelId
    channelName
    displayName
    avatarUrl
    scopes
    credentialSource
    botEnabled
    reconnectRequired
    expiresAt
    connectedAt
    connectedBy
    health {
      subscriptions {
        eventType
        refusal
      }
      lastEvents {
        eventType
        lastEventAt
      }
      reader {
        state
        detail
        since
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ChannelConnectionsQuery, ChannelConnectionsQueryVariables>;
export const EnabledProvidersDocument = new TypedDocumentString(`
    query EnabledProviders($connectionType: ConnectionType!) {
  enabledProviders(connectionType: $connectionType)
}
    `) as unknown as TypedDocumentString<EnabledProvidersQuery, EnabledProvidersQueryVariables>;
export const FlaggedConnectionsDocument = new TypedDocumentString(`
    query FlaggedConnections {
  flaggedConnections {
    kind
    id
    platform
    accountId
    flaggedAt
  }
}
    `) as unknown as TypedDocumentString<FlaggedConnectionsQuery, FlaggedConnectionsQueryVariables>;
export const ChannelStatusDocument = new TypedDocumentString(`
    query ChannelStatus {
  channelStatus {
    platform
    isOnline
    broadcastId
    broadcastStatus
    streamTitle
    category
    viewerCount
    likeCount
    totalViews
    startedAt
    scheduledStart
    liveChatId
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<ChannelStatusQuery, ChannelStatusQueryVariables>;
export const AppCredentialsDocument = new TypedDocumentString(`
    query AppCredentials {
  appCredentials {
    platform
    kind
    clientIdHint
    decryptable
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AppCredentialsQuery, AppCredentialsQueryVariables>;
export const PlatformCredentialModesDocument = new TypedDocumentString(`
    query PlatformCredentialModes {
  platformCredentialModes {
    platform
    kind
    mode
    systemConfigured
  }
}
    `) as unknown as TypedDocumentString<PlatformCredentialModesQuery, PlatformCredentialModesQueryVariables>;
export const BotConnectionsDocument = new TypedDocumentString(`
    query BotConnections {
  botConnections {
    id
    platform
    botUserId
    botUsername
    avatarUrl
    isCustom
    credentialSource
    reconnectRequired
  }
}
    `) as unknown as TypedDocumentString<BotConnectionsQuery, BotConnectionsQueryVariables>;
export const AdminBotConnectionsDocument = new TypedDocumentString(`
    query AdminBotConnections {
  adminBotConnections {
    id
    platform
    botUserId
    botUsername
    avatarUrl
    isCustom
    credentialSource
    reconnectRequired
  }
}
    `) as unknown as TypedDocumentString<AdminBotConnectionsQuery, AdminBotConnectionsQueryVariables>;
export const BotStatusDocument = new TypedDocumentString(`
    query BotStatus {
  botStatus {
    platform
    status
    botEnabled
    isPausedByStaff
    botUsername
    lastHeartbeatAt
  }
}
    `) as unknown as TypedDocumentString<BotStatusQuery, BotStatusQueryVariables>;
export const AdminBotControlDocument = new TypedDocumentString(`
    query AdminBotControl($platform: String, $search: String, $page: Int, $limit: Int) {
  adminBotControl(
    platform: $platform
    search: $search
    page: $page
    limit: $limit
  ) {
    items {
      accountId
      accountName
      platform
      channelName
      status
      botEnabled
      isPausedByStaff
      lastHeartbeatAt
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<AdminBotControlQuery, AdminBotControlQueryVariables>;
export const BotChannelsDocument = new TypedDocumentString(`
    query BotChannels($platform: String!, $after: UUID, $limit: Int) {
  botChannels(platform: $platform, after: $after, limit: $limit) {
    accountId
    platform
    platformChannelId
    channelName
    botConnectionId
    botUserId
    botUsername
    isCustom
  }
}
    `) as unknown as TypedDocumentString<BotChannelsQuery, BotChannelsQueryVariables>;
export const DiscordGuildsDocument = new TypedDocumentString(`
    query DiscordGuilds {
  discordGuilds {
    id
    guildId
    name
    iconUrl
    channels {
      feature
      channelId
    }
    connectedAt
    connectedBy
  }
}
    `) as unknown as TypedDocumentString<DiscordGuildsQuery, DiscordGuildsQueryVariables>;
export const AdminDiscordGuildsDocument = new TypedDocumentString(`
    query AdminDiscordGuilds($page: Int, $limit: Int) {
  adminDiscordGuilds(page: $page, limit: $limit) {
    items {
      id
      accountId
      accountName
      guildId
      name
      iconUrl
      connectedAt
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<AdminDiscordGuildsQuery, AdminDiscordGuildsQueryVariables>;
export const ConnectionDoctorDocument = new TypedDocumentString(`
    query ConnectionDoctor {
  connectionDoctor {
    platform
    connectionId
    status
    findings {
      code
      severity
      message
      remedy
    }
    lastEvents {
      eventType
      receivedAt
    }
    tokenExpiresAt
    scopesMissing
    subscriptions {
      eventType
      status
      detail
    }
    clockSkewSecs
  }
}
    `) as unknown as TypedDocumentString<ConnectionDoctorQuery, ConnectionDoctorQueryVariables>;
export const AdminSystemConnectionsDocument = new TypedDocumentString(`
    query AdminSystemConnections {
  adminSystemConnections {
    platform
    kind
    configured
    clientIdHint
    decryptable
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminSystemConnectionsQuery, AdminSystemConnectionsQueryVariables>;
export const SearchPlatformUsersDocument = new TypedDocumentString(`
    query SearchPlatformUsers($query: String!, $platforms: [String!], $limit: Int) {
  searchPlatformUsers(query: $query, platforms: $platforms, limit: $limit) {
    platform
    platformUserId
    username
    displayName
    avatarUrl
    lastSeenAt
    messageCount
  }
}
    `) as unknown as TypedDocumentString<SearchPlatformUsersQuery, SearchPlatformUsersQueryVariables>;
export const PlatformUserProfileDocument = new TypedDocumentString(`
    query PlatformUserProfile($platform: String!, $platformUserId: String!) {
  platformUserProfile(platform: $platform, platformUserId: $platformUserId) {
    platform
    platformUserId
    username
    displayName
    avatarUrl
    description
    accountCreatedAt
    broadcasterType
    isFollower
    followedAt
    isModerator
    isVip
    isSubscriber
    subscriberTier
    isBanned
    banReason
    timeoutUntil
    messageCount
    firstSeenAt
    lastSeenAt
    enrichedAt
    notesCount
  }
}
    `) as unknown as TypedDocumentString<PlatformUserProfileQuery, PlatformUserProfileQueryVariables>;
export const UserNotesDocument = new TypedDocumentString(`
    query UserNotes($platform: String!, $platformUserId: String!) {
  userNotes(platform: $platform, platformUserId: $platformUserId) {
    id
    body
    author {
      id
      displayName
      avatarUrl
    }
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<UserNotesQuery, UserNotesQueryVariables>;
export const YoutubeMembershipTiersDocument = new TypedDocumentString(`
    query YoutubeMembershipTiers {
  youtubeMembershipTiers {
    tooltip
    tierName
    badgeUrl
    durationValue
    durationUnit
    memberMonthsMin
    sortOrder
    firstSeenAt
    lastSeenAt
  }
}
    `) as unknown as TypedDocumentString<YoutubeMembershipTiersQuery, YoutubeMembershipTiersQueryVariables>;
export const YoutubeActiveStreamsDocument = new TypedDocumentString(`
    query YoutubeActiveStreams {
  youtubeActiveStreams {
    broadcastId
    title
    status
    scheduledStart
    startedAt
    viewerCount
    liveChatId
  }
}
    `) as unknown as TypedDocumentString<YoutubeActiveStreamsQuery, YoutubeActiveStreamsQueryVariables>;
export const ChannelEmotesDocument = new TypedDocumentString(`
    query ChannelEmotes($platform: String!, $channelId: String!) {
  channelEmotes(platform: $platform, channelId: $channelId) {
    sets {
      provider
      emotes {
        id
        name
        url
        animated
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ChannelEmotesQuery, ChannelEmotesQueryVariables>;
export const UserEmotesDocument = new TypedDocumentString(`
    query UserEmotes {
  userEmotes {
    sets {
      provider
      emotes {
        id
        name
        url
        animated
      }
    }
  }
}
    `) as unknown as TypedDocumentString<UserEmotesQuery, UserEmotesQueryVariables>;
export const DeveloperExtensionsDocument = new TypedDocumentString(`
    query DeveloperExtensions {
  developerExtensions {
    id
    teamId
    shortId
    slug
    name
    shortDescription
    description
    category
    visibility
    status
    pricing {
      type
      amount
      currency
      interval
    }
    iconKey
    screenshots
    tags
    supportUrl
    installCount
    ratingAvg
    ratingCount
    currentVersionId
    listedAt
    publishedAt
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<DeveloperExtensionsQuery, DeveloperExtensionsQueryVariables>;
export const DeveloperExtensionDocument = new TypedDocumentString(`
    query DeveloperExtension($id: UUID!) {
  developerExtension(id: $id) {
    extension {
      id
      teamId
      shortId
      slug
      name
      shortDescription
      description
      category
      visibility
      status
      pricing {
        type
        amount
        currency
        interval
      }
      iconKey
      screenshots
      tags
      supportUrl
      installCount
      ratingAvg
      ratingCount
      currentVersionId
      listedAt
      publishedAt
      createdAt
      updatedAt
    }
    versions {
      id
      version
      status
      changelog
      breaking
      needsEnhancedReview
      bundleSizeBytes
      reviewNotes
      submittedAt
      approvedAt
    }
  }
}
    `) as unknown as TypedDocumentString<DeveloperExtensionQuery, DeveloperExtensionQueryVariables>;
export const ExtensionSecretKeysDocument = new TypedDocumentString(`
    query ExtensionSecretKeys($id: UUID!) {
  extensionSecretKeys(id: $id)
}
    `) as unknown as TypedDocumentString<ExtensionSecretKeysQuery, ExtensionSecretKeysQueryVariables>;
export const ExtensionTestersDocument = new TypedDocumentString(`
    query ExtensionTesters($id: UUID!) {
  extensionTesters(id: $id) {
    userId
    username
    displayName
    avatarUrl
    createdAt
  }
}
    `) as unknown as TypedDocumentString<ExtensionTestersQuery, ExtensionTestersQueryVariables>;
export const ExtensionAccessGrantsDocument = new TypedDocumentString(`
    query ExtensionAccessGrants($id: UUID!) {
  extensionAccessGrants(id: $id) {
    accountId
    accountName
    grantedBy
    createdAt
  }
}
    `) as unknown as TypedDocumentString<ExtensionAccessGrantsQuery, ExtensionAccessGrantsQueryVariables>;
export const AdminExtensionVersionsDocument = new TypedDocumentString(`
    query AdminExtensionVersions($status: ExtensionVersionStatus, $awaitsListing: Boolean, $page: Int, $limit: Int) {
  adminExtensionVersions(
    status: $status
    awaitsListing: $awaitsListing
    page: $page
    limit: $limit
  ) {
    items {
      id
      extensionId
      extensionName
      extensionSlug
      version
      status
      breaking
      needsEnhancedReview
      approvals
      awaitsListing
      bundleSizeBytes
      changelog
      submittedAt
      approvedAt
      reviewNotes
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<AdminExtensionVersionsQuery, AdminExtensionVersionsQueryVariables>;
export const AdminExtensionVersionDocument = new TypedDocumentString(`
    query AdminExtensionVersion($id: UUID!) {
  adminExtensionVersion(id: $id) {
    version {
      id
      extensionId
      extensionName
      extensionSlug
      version
      status
      breaking
      needsEnhancedReview
      approvals
      awaitsListing
      bundleSizeBytes
      changelog
      submittedAt
      approvedAt
      reviewNotes
    }
    manifest
    permissions {
      added
      removed
    }
    egressHosts {
      added
      removed
    }
    egressPorts {
      added
      removed
    }
    files {
      filePath
      contentType
      sizeBytes
      contentHash
    }
    sourceKey
  }
}
    `) as unknown as TypedDocumentString<AdminExtensionVersionQuery, AdminExtensionVersionQueryVariables>;
export const ExtensionErrorsDocument = new TypedDocumentString(`
    query ExtensionErrors($id: UUID!, $limit: Int, $offset: Int, $since: Timestamp, $before: UUID) {
  extensionErrors(
    id: $id
    limit: $limit
    offset: $offset
    since: $since
    before: $before
  ) {
    id
    errorType
    message
    stackTrace
    occurredAt
    installId
    accountId
  }
}
    `) as unknown as TypedDocumentString<ExtensionErrorsQuery, ExtensionErrorsQueryVariables>;
export const ExtensionMetricsDocument = new TypedDocumentString(`
    query ExtensionMetrics($id: UUID!, $since: Timestamp) {
  extensionMetrics(id: $id, since: $since) {
    totalInvocations
    totalErrors
    avgExecutionMs
    p99ExecutionMs
    byHandler {
      handler
      totalInvocations
      totalErrors
      avgExecutionMs
      p99ExecutionMs
    }
    timeSeries {
      bucket
      totalInvocations
      totalErrors
      avgExecutionMs
    }
  }
}
    `) as unknown as TypedDocumentString<ExtensionMetricsQuery, ExtensionMetricsQueryVariables>;
export const DeveloperTeamsDocument = new TypedDocumentString(`
    query DeveloperTeams {
  developerTeams {
    id
    name
    slug
    description
    githubUrl
    websiteUrl
    avatarKey
    ownerId
    memberCount
    myRole {
      id
      slug
      name
    }
    myPermissions
    createdAt
  }
}
    `) as unknown as TypedDocumentString<DeveloperTeamsQuery, DeveloperTeamsQueryVariables>;
export const DeveloperTeamPermissionsDocument = new TypedDocumentString(`
    query DeveloperTeamPermissions {
  developerTeamPermissions {
    permission
    category
    label
  }
}
    `) as unknown as TypedDocumentString<DeveloperTeamPermissionsQuery, DeveloperTeamPermissionsQueryVariables>;
export const DeveloperTeamDocument = new TypedDocumentString(`
    query DeveloperTeam($id: UUID!) {
  developerTeam(id: $id) {
    id
    name
    slug
    description
    githubUrl
    websiteUrl
    avatarKey
    ownerId
    memberCount
    myRole {
      id
      slug
      name
    }
    myPermissions
    createdAt
  }
}
    `) as unknown as TypedDocumentString<DeveloperTeamQuery, DeveloperTeamQueryVariables>;
export const PublicDeveloperTeamProfileDocument = new TypedDocumentString(`
    query PublicDeveloperTeamProfile($slug: String!) {
  publicDeveloperTeamProfile(slug: $slug) {
    id
    name
    slug
    description
    githubUrl
    websiteUrl
    avatarKey
    createdAt
    stats {
      extensionCount
      totalInstalls
      avgRating
    }
    members {
      userId
      displayName
      avatarUrl
      role
    }
    extensions {
      id
      shortId
      slug
      name
      description
      category
      iconKey
      pricingType
      pricingAmount
      pricingCurrency
      installCount
      ratingAvg
      ratingCount
      publishedAt
    }
  }
}
    `) as unknown as TypedDocumentString<PublicDeveloperTeamProfileQuery, PublicDeveloperTeamProfileQueryVariables>;
export const DeveloperTeamMembersDocument = new TypedDocumentString(`
    query DeveloperTeamMembers($id: UUID!) {
  developerTeamMembers(id: $id) {
    id
    userId
    displayName
    avatarUrl
    role {
      id
      slug
      name
    }
    joinedAt
  }
}
    `) as unknown as TypedDocumentString<DeveloperTeamMembersQuery, DeveloperTeamMembersQueryVariables>;
export const DeveloperTeamInvitesDocument = new TypedDocumentString(`
    query DeveloperTeamInvites($id: UUID!) {
  developerTeamInvites(id: $id) {
    id
    code
    url
    role {
      id
      slug
      name
    }
    email
    expiresAt
    maxUses
    useCount
    createdBy
    createdAt
  }
}
    `) as unknown as TypedDocumentString<DeveloperTeamInvitesQuery, DeveloperTeamInvitesQueryVariables>;
export const DeveloperTeamInviteByCodeDocument = new TypedDocumentString(`
    query DeveloperTeamInviteByCode($code: String!) {
  developerTeamInviteByCode(code: $code) {
    team {
      name
      slug
      avatarKey
    }
    role {
      id
      slug
      name
    }
    expiresAt
    isValid
  }
}
    `) as unknown as TypedDocumentString<DeveloperTeamInviteByCodeQuery, DeveloperTeamInviteByCodeQueryVariables>;
export const DeveloperTeamRolesDocument = new TypedDocumentString(`
    query DeveloperTeamRoles($id: UUID!) {
  developerTeamRoles(id: $id) {
    id
    slug
    name
    description
    permissions
    isSystem
    memberCount
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<DeveloperTeamRolesQuery, DeveloperTeamRolesQueryVariables>;
export const DeveloperApplicationDocument = new TypedDocumentString(`
    query DeveloperApplication {
  developerApplication {
    id
    userId
    applicationType
    displayName
    slug
    description
    motivation
    whatToBuild
    githubUrl
    websiteUrl
    experience
    avatarKey
    status
    reviewNotes
    reviewedBy
    reviewedAt
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<DeveloperApplicationQuery, DeveloperApplicationQueryVariables>;
export const AdminDeveloperApplicationsDocument = new TypedDocumentString(`
    query AdminDeveloperApplications($status: DeveloperApplicationStatus, $page: Int, $limit: Int) {
  adminDeveloperApplications(status: $status, page: $page, limit: $limit) {
    items {
      id
      userId
      applicationType
      displayName
      slug
      status
      createdAt
      userDisplayName
      userAvatarUrl
    }
    total
  }
}
    `) as unknown as TypedDocumentString<AdminDeveloperApplicationsQuery, AdminDeveloperApplicationsQueryVariables>;
export const AdminDeveloperApplicationDocument = new TypedDocumentString(`
    query AdminDeveloperApplication($id: UUID!) {
  adminDeveloperApplication(id: $id) {
    id
    userId
    applicationType
    displayName
    slug
    description
    motivation
    whatToBuild
    githubUrl
    websiteUrl
    experience
    avatarKey
    status
    reviewNotes
    reviewedBy
    reviewedAt
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminDeveloperApplicationQuery, AdminDeveloperApplicationQueryVariables>;
export const DeveloperVerificationDocument = new TypedDocumentString(`
    query DeveloperVerification {
  developerVerification {
    id
    developerId
    legalName
    companyName
    addressLine1
    addressLine2
    postalCode
    city
    country
    taxId
    tradeRegisterId
    documentKey
    status
    reviewNotes
    reviewedBy
    reviewedAt
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<DeveloperVerificationQuery, DeveloperVerificationQueryVariables>;
export const AdminDeveloperVerificationsDocument = new TypedDocumentString(`
    query AdminDeveloperVerifications($status: DeveloperVerificationStatus, $page: Int, $limit: Int) {
  adminDeveloperVerifications(status: $status, page: $page, limit: $limit) {
    items {
      id
      developerId
      userId
      developerName
      developerSlug
      status
      reviewedBy
      reviewedAt
      createdAt
      updatedAt
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<AdminDeveloperVerificationsQuery, AdminDeveloperVerificationsQueryVariables>;
export const AdminDeveloperVerificationDocument = new TypedDocumentString(`
    query AdminDeveloperVerification($id: UUID!) {
  adminDeveloperVerification(id: $id) {
    id
    developerId
    userId
    developerName
    developerSlug
    legalName
    companyName
    addressLine1
    addressLine2
    postalCode
    city
    country
    taxId
    tradeRegisterId
    documentKey
    documentUrl
    status
    reviewNotes
    reviewedBy
    reviewedAt
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminDeveloperVerificationQuery, AdminDeveloperVerificationQueryVariables>;
export const DeveloperProfileDocument = new TypedDocumentString(`
    query DeveloperProfile {
  developerProfile {
    id
    userId
    displayName
    slug
    description
    githubUrl
    websiteUrl
    avatarKey
    verified
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<DeveloperProfileQuery, DeveloperProfileQueryVariables>;
export const PublicDeveloperProfileDocument = new TypedDocumentString(`
    query PublicDeveloperProfile($slug: String!) {
  publicDeveloperProfile(slug: $slug) {
    id
    displayName
    slug
    description
    githubUrl
    websiteUrl
    avatarKey
    avatarUrl
    createdAt
    stats {
      extensionCount
      totalInstalls
      avgRating
    }
    extensions {
      id
      shortId
      slug
      name
      description
      category
      iconKey
      pricingType
      pricingAmount
      pricingCurrency
      installCount
      ratingAvg
      ratingCount
      publishedAt
    }
  }
}
    `) as unknown as TypedDocumentString<PublicDeveloperProfileQuery, PublicDeveloperProfileQueryVariables>;
export const DeveloperPayoutSettingsDocument = new TypedDocumentString(`
    query DeveloperPayoutSettings($teamId: UUID) {
  developerPayoutSettings(teamId: $teamId) {
    id
    userId
    teamId
    paymentConnectId
    paypalStyleEmail
    bankIban
    bankBic
    bankName
    payoutMethod
    revenueBalance
    totalEarned
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<DeveloperPayoutSettingsQuery, DeveloperPayoutSettingsQueryVariables>;
export const DeveloperPayoutsDocument = new TypedDocumentString(`
    query DeveloperPayouts($teamId: UUID, $page: Int, $limit: Int) {
  developerPayouts(teamId: $teamId, page: $page, limit: $limit) {
    items {
      id
      amount
      currency
      method
      status
      createdAt
      paidAt
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<DeveloperPayoutsQuery, DeveloperPayoutsQueryVariables>;
export const DeveloperRevenueDocument = new TypedDocumentString(`
    query DeveloperRevenue($teamId: UUID, $from: String, $to: String) {
  developerRevenue(teamId: $teamId, from: $from, to: $to) {
    from
    to
    currency
    totalAmount
    totalShare
    items {
      extensionId
      extensionName
      month
      payments
      amount
      fee
      share
    }
  }
}
    `) as unknown as TypedDocumentString<DeveloperRevenueQuery, DeveloperRevenueQueryVariables>;
export const DeveloperLimitsDocument = new TypedDocumentString(`
    query DeveloperLimits {
  developerLimits {
    categories {
      category
      limits {
        key
        label
        value
        source
        defaultValue
        configurable
      }
    }
    extensions {
      extensionId
      extensionName
      limits {
        maxSounds
        maxSoundsSource
      }
    }
  }
}
    `) as unknown as TypedDocumentString<DeveloperLimitsQuery, DeveloperLimitsQueryVariables>;
export const ExtensionLimitsDocument = new TypedDocumentString(`
    query ExtensionLimits($id: UUID!) {
  extensionLimits(id: $id) {
    maxSounds
    maxSoundsSource
  }
}
    `) as unknown as TypedDocumentString<ExtensionLimitsQuery, ExtensionLimitsQueryVariables>;
export const DeveloperLimitRequestsDocument = new TypedDocumentString(`
    query DeveloperLimitRequests($status: LimitRequestStatus, $page: Int, $limit: Int) {
  developerLimitRequests(status: $status, page: $page, limit: $limit) {
    items {
      id
      developerId
      requestedBy
      scope
      extensionId
      limitKey
      currentValue
      requestedValue
      reason
      status
      reviewNotes
      reviewedBy
      reviewedAt
      createdAt
      updatedAt
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<DeveloperLimitRequestsQuery, DeveloperLimitRequestsQueryVariables>;
export const DeveloperLimitRequestDocument = new TypedDocumentString(`
    query DeveloperLimitRequest($id: UUID!) {
  developerLimitRequest(id: $id) {
    id
    developerId
    requestedBy
    scope
    extensionId
    limitKey
    currentValue
    requestedValue
    reason
    status
    reviewNotes
    reviewedBy
    reviewedAt
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<DeveloperLimitRequestQuery, DeveloperLimitRequestQueryVariables>;
export const DeveloperLimitRequestEventsDocument = new TypedDocumentString(`
    query DeveloperLimitRequestEvents($id: UUID!) {
  developerLimitRequestEvents(id: $id) {
    id
    requestId
    eventType
    actorId
    details
    createdAt
  }
}
    `) as unknown as TypedDocumentString<DeveloperLimitRequestEventsQuery, DeveloperLimitRequestEventsQueryVariables>;
export const AdminLimitRequestsDocument = new TypedDocumentString(`
    query AdminLimitRequests($status: LimitRequestStatus, $page: Int, $limit: Int) {
  adminLimitRequests(status: $status, page: $page, limit: $limit) {
    items {
      id
      developerId
      requestedBy
      scope
      extensionId
      limitKey
      currentValue
      requestedValue
      reason
      status
      reviewNotes
      reviewedBy
      reviewedAt
      createdAt
      updatedAt
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<AdminLimitRequestsQuery, AdminLimitRequestsQueryVariables>;
export const AdminDeveloperLimitRequestsDocument = new TypedDocumentString(`
    query AdminDeveloperLimitRequests($id: UUID!, $status: LimitRequestStatus, $page: Int, $limit: Int) {
  adminDeveloperLimitRequests(
    id: $id
    status: $status
    page: $page
    limit: $limit
  ) {
    items {
      id
      developerId
      requestedBy
      scope
      extensionId
      limitKey
      currentValue
      requestedValue
      reason
      status
      reviewNotes
      reviewedBy
      reviewedAt
      createdAt
      updatedAt
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<AdminDeveloperLimitRequestsQuery, AdminDeveloperLimitRequestsQueryVariables>;
export const AdminLimitRequestDocument = new TypedDocumentString(`
    query AdminLimitRequest($id: UUID!) {
  adminLimitRequest(id: $id) {
    id
    developerId
    requestedBy
    scope
    extensionId
    limitKey
    currentValue
    requestedValue
    reason
    status
    reviewNotes
    reviewedBy
    reviewedAt
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminLimitRequestQuery, AdminLimitRequestQueryVariables>;
export const AdminLimitRequestEventsDocument = new TypedDocumentString(`
    query AdminLimitRequestEvents($id: UUID!) {
  adminLimitRequestEvents(id: $id) {
    id
    requestId
    eventType
    actorId
    details
    createdAt
  }
}
    `) as unknown as TypedDocumentString<AdminLimitRequestEventsQuery, AdminLimitRequestEventsQueryVariables>;
export const StoreExtensionsDocument = new TypedDocumentString(`
    query StoreExtensions($search: String, $category: StoreCategory, $pricing: StorePricing, $sort: StoreSort, $page: Int, $limit: Int) {
  storeExtensions(
    search: $search
    category: $category
    pricing: $pricing
    sort: $sort
    page: $page
    limit: $limit
  ) {
    items {
      id
      shortId
      slug
      name
      description
      category
      iconKey
      pricingType
      pricingAmount
      pricingCurrency
      installCount
      ratingAvg
      ratingCount
      publishedAt
      developer {
        slug
        displayName
      }
      installed
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<StoreExtensionsQuery, StoreExtensionsQueryVariables>;
export const StoreExtensionDocument = new TypedDocumentString(`
    query StoreExtension($id: String!) {
  storeExtension(id: $id) {
    extension {
      id
      shortId
      slug
      name
      description
      category
      iconKey
      pricingType
      pricingAmount
      pricingCurrency
      installCount
      ratingAvg
      ratingCount
      publishedAt
      developer {
        slug
        displayName
      }
      installed
    }
    description
    visibility
    pricingInterval
    screenshots
    tags
    supportUrl
    currentVersion
    permissions
    egressHosts
    configSchema
    versions {
      id
      version
      changelog
      breaking
      bundleSizeBytes
      approvedAt
    }
    reviews {
      ratingAvg
      ratingCount
      ratings {
        rating
        count
      }
    }
  }
}
    `) as unknown as TypedDocumentString<StoreExtensionQuery, StoreExtensionQueryVariables>;
export const ExtensionReviewsDocument = new TypedDocumentString(`
    query ExtensionReviews($id: UUID!, $page: Int, $limit: Int, $cursor: String) {
  extensionReviews(id: $id, page: $page, limit: $limit, cursor: $cursor) {
    items {
      id
      extensionId
      rating
      title
      body
      author {
        id
        displayName
        avatarUrl
      }
      developerReply
      createdAt
      updatedAt
    }
    total
    page
    limit
    pages
    nextCursor
  }
}
    `) as unknown as TypedDocumentString<ExtensionReviewsQuery, ExtensionReviewsQueryVariables>;
export const ExtensionVersionFilesDocument = new TypedDocumentString(`
    query ExtensionVersionFiles($extensionId: UUID!, $version: String!) {
  extensionVersionFiles(extensionId: $extensionId, version: $version) {
    id
    versionId
    filePath
    contentType
    sizeBytes
    contentHash
    createdAt
  }
}
    `) as unknown as TypedDocumentString<ExtensionVersionFilesQuery, ExtensionVersionFilesQueryVariables>;
export const ExtensionInstallsDocument = new TypedDocumentString(`
    query ExtensionInstalls {
  extensionInstalls {
    id
    accountId
    extensionId
    extensionSlug
    extensionName
    category
    version
    pinnedVersion
    enabled
    effective {
      runs
      reason
    }
    config
    configSchema
    effectiveConfig
    grantedPermissions
    updateAvailable
    updateRequiresConsent
    installedBy
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<ExtensionInstallsQuery, ExtensionInstallsQueryVariables>;
export const ExtensionInstallDocument = new TypedDocumentString(`
    query ExtensionInstall($id: UUID!) {
  extensionInstall(id: $id) {
    id
    accountId
    extensionId
    extensionSlug
    extensionName
    category
    version
    pinnedVersion
    enabled
    effective {
      runs
      reason
    }
    config
    configSchema
    effectiveConfig
    grantedPermissions
    updateAvailable
    updateRequiresConsent
    installedBy
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<ExtensionInstallQuery, ExtensionInstallQueryVariables>;
export const ExtensionStorageDocument = new TypedDocumentString(`
    query ExtensionStorage($id: UUID!) {
  extensionStorage(id: $id) {
    value
    version
  }
}
    `) as unknown as TypedDocumentString<ExtensionStorageQuery, ExtensionStorageQueryVariables>;
export const ExtensionInstallLogsDocument = new TypedDocumentString(`
    query ExtensionInstallLogs($id: UUID!, $limit: Int, $offset: Int, $level: InstallLogLevel, $before: UUID) {
  extensionInstallLogs(
    id: $id
    limit: $limit
    offset: $offset
    level: $level
    before: $before
  ) {
    id
    level
    message
    triggerType
    executionMs
    createdAt
  }
}
    `) as unknown as TypedDocumentString<ExtensionInstallLogsQuery, ExtensionInstallLogsQueryVariables>;
export const InstalledAutomationNodesDocument = new TypedDocumentString(`
    query InstalledAutomationNodes {
  installedAutomationNodes {
    extensionId
    installId
    name
    nodeType
    inputSchema
    outputSchema
    triggerMode
    icon
    color
  }
}
    `) as unknown as TypedDocumentString<InstalledAutomationNodesQuery, InstalledAutomationNodesQueryVariables>;
export const AutomationWebhookUrlDocument = new TypedDocumentString(`
    query AutomationWebhookUrl($installId: UUID!, $automationId: UUID!) {
  automationWebhookUrl(installId: $installId, automationId: $automationId) {
    webhookUrl
    webhookSecret
  }
}
    `) as unknown as TypedDocumentString<AutomationWebhookUrlQuery, AutomationWebhookUrlQueryVariables>;
export const EventsDocument = new TypedDocumentString(`
    query Events($filter: EventsFilter) {
  events(filter: $filter) {
    items {
      id
      accountId
      eventType
      platform
      platformUserId
      username
      displayName
      avatarUrl
      amount
      currency
      message
      data
      isTest
      occurredAt
    }
    total
    page
    limit
    pages
    nextCursor
  }
}
    `) as unknown as TypedDocumentString<EventsQuery, EventsQueryVariables>;
export const EventDocument = new TypedDocumentString(`
    query Event($id: UUID!) {
  event(id: $id) {
    id
    accountId
    eventType
    platform
    platformUserId
    username
    displayName
    avatarUrl
    amount
    currency
    message
    data
    isTest
    occurredAt
  }
}
    `) as unknown as TypedDocumentString<EventQuery, EventQueryVariables>;
export const ChatMessagesDocument = new TypedDocumentString(`
    query ChatMessages($filter: ChatMessagesFilter) {
  chatMessages(filter: $filter) {
    id
    accountId
    platform
    platformMessageId
    platformUserId
    username
    displayName
    color
    badges {
      id
      version
      info
    }
    text
    fragments {
      type
      text
      emoteId
      userId
      bits
    }
    emotes {
      id
      name
      url
      animated
    }
    replyTo
    isDeleted
    isAction
    sentAt
  }
}
    `) as unknown as TypedDocumentString<ChatMessagesQuery, ChatMessagesQueryVariables>;
export const ModerationLogDocument = new TypedDocumentString(`
    query ModerationLog($page: Int, $limit: Int, $cursor: String) {
  moderationLog(page: $page, limit: $limit, cursor: $cursor) {
    items {
      id
      platform
      action
      target
      moderator {
        type
        id
        displayName
      }
      reason
      durationSecs
      success
      details
      createdAt
    }
    total
    page
    limit
    pages
    nextCursor
  }
}
    `) as unknown as TypedDocumentString<ModerationLogQuery, ModerationLogQueryVariables>;
export const PollsDocument = new TypedDocumentString(`
    query Polls($page: Int, $limit: Int, $cursor: String) {
  polls(page: $page, limit: $limit, cursor: $cursor) {
    items {
      id
      accountId
      platform
      platformPollId
      title
      choices {
        id
        title
        votes
      }
      status
      winningChoiceId
      startedAt
      endsAt
      endedAt
    }
    total
    page
    limit
    pages
    nextCursor
  }
}
    `) as unknown as TypedDocumentString<PollsQuery, PollsQueryVariables>;
export const PredictionsDocument = new TypedDocumentString(`
    query Predictions($page: Int, $limit: Int, $cursor: String) {
  predictions(page: $page, limit: $limit, cursor: $cursor) {
    items {
      id
      accountId
      platform
      platformPredictionId
      title
      outcomes {
        id
        title
        users
        channelPoints
      }
      status
      winningOutcomeId
      startedAt
      locksAt
      endedAt
    }
    total
    page
    limit
    pages
    nextCursor
  }
}
    `) as unknown as TypedDocumentString<PredictionsQuery, PredictionsQueryVariables>;
export const NotificationsDocument = new TypedDocumentString(`
    query Notifications($unread: Boolean, $limit: Int, $before: UUID) {
  notifications(unread: $unread, limit: $limit, before: $before) {
    items {
      id
      userId
      type
      title
      message
      data
      actions {
        key
        label
      }
      readAt
      createdAt
    }
    unreadCount
  }
}
    `) as unknown as TypedDocumentString<NotificationsQuery, NotificationsQueryVariables>;
export const UnreadNotificationCountDocument = new TypedDocumentString(`
    query UnreadNotificationCount {
  unreadNotificationCount
}
    `) as unknown as TypedDocumentString<UnreadNotificationCountQuery, UnreadNotificationCountQueryVariables>;
export const NotificationPreferencesDocument = new TypedDocumentString(`
    query NotificationPreferences {
  notificationPreferences {
    notificationType
    channel
    locked
  }
}
    `) as unknown as TypedDocumentString<NotificationPreferencesQuery, NotificationPreferencesQueryVariables>;
export const AdminSupportTicketsDocument = new TypedDocumentString(`
    query AdminSupportTickets($status: SupportTicketStatus, $page: Int, $limit: Int, $cursor: String) {
  adminSupportTickets(
    status: $status
    page: $page
    limit: $limit
    cursor: $cursor
  ) {
    items {
      id
      userId
      userDisplayName
      accountId
      subject
      body
      status
      createdAt
      updatedAt
    }
    total
    page
    limit
    pages
    nextCursor
  }
}
    `) as unknown as TypedDocumentString<AdminSupportTicketsQuery, AdminSupportTicketsQueryVariables>;
export const AdminSupportTicketDocument = new TypedDocumentString(`
    query AdminSupportTicket($id: UUID!) {
  adminSupportTicket(id: $id) {
    id
    userId
    userDisplayName
    accountId
    subject
    body
    status
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminSupportTicketQuery, AdminSupportTicketQueryVariables>;
export const AdminCspReportsDocument = new TypedDocumentString(`
    query AdminCspReports($directive: String, $page: Int, $limit: Int, $cursor: String) {
  adminCspReports(
    directive: $directive
    page: $page
    limit: $limit
    cursor: $cursor
  ) {
    items {
      id
      documentUri
      blockedUri
      violatedDirective
      disposition
      sourceFile
      lineNumber
      columnNumber
      statusCode
      userAgent
      receivedAt
    }
    total
    page
    limit
    pages
    nextCursor
  }
}
    `) as unknown as TypedDocumentString<AdminCspReportsQuery, AdminCspReportsQueryVariables>;
export const BotCommandsDocument = new TypedDocumentString(`
    query BotCommands {
  botCommands {
    id
    accountId
    name
    aliases
    description
    responseType
    response
    automationId
    platforms
    minRole
    cooldownGlobal
    cooldownUser
    enabled
    useCount
    isOverride
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<BotCommandsQuery, BotCommandsQueryVariables>;
export const BotCommandDocument = new TypedDocumentString(`
    query BotCommand($id: UUID!) {
  botCommand(id: $id) {
    id
    accountId
    name
    aliases
    description
    responseType
    response
    automationId
    platforms
    minRole
    cooldownGlobal
    cooldownUser
    enabled
    useCount
    isOverride
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<BotCommandQuery, BotCommandQueryVariables>;
export const GlobalBotCommandsDocument = new TypedDocumentString(`
    query GlobalBotCommands {
  globalBotCommands {
    id
    accountId
    name
    aliases
    description
    responseType
    response
    automationId
    platforms
    minRole
    cooldownGlobal
    cooldownUser
    enabled
    useCount
    isOverride
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<GlobalBotCommandsQuery, GlobalBotCommandsQueryVariables>;
export const AdminBotCommandsDocument = new TypedDocumentString(`
    query AdminBotCommands($scope: BotCommandScope, $search: String, $page: Int, $limit: Int) {
  adminBotCommands(scope: $scope, search: $search, page: $page, limit: $limit) {
    items {
      id
      accountId
      name
      aliases
      description
      responseType
      response
      automationId
      platforms
      minRole
      cooldownGlobal
      cooldownUser
      enabled
      useCount
      isOverride
      createdAt
      updatedAt
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<AdminBotCommandsQuery, AdminBotCommandsQueryVariables>;
export const BotModulesDocument = new TypedDocumentString(`
    query BotModules {
  botModules {
    source
    name
    installId
    enabled
    config
    exemptRoles {
      moderator
      vip
      subscriber
    }
    killed
  }
}
    `) as unknown as TypedDocumentString<BotModulesQuery, BotModulesQueryVariables>;
export const BotModuleDocument = new TypedDocumentString(`
    query BotModule($name: String!) {
  botModule(name: $name) {
    source
    name
    installId
    enabled
    config
    exemptRoles {
      moderator
      vip
      subscriber
    }
    killed
  }
}
    `) as unknown as TypedDocumentString<BotModuleQuery, BotModuleQueryVariables>;
export const CheckSongDocument = new TypedDocumentString(`
    query CheckSong($spotifyTrackId: String, $isrc: String, $title: String, $artist: String) {
  checkSong(
    spotifyTrackId: $spotifyTrackId
    isrc: $isrc
    title: $title
    artist: $artist
  ) {
    status
    matchedBy
    scope
    song {
      id
      title
      artist
      spotifyTrackId
      isrc
      createdAt
    }
  }
}
    `) as unknown as TypedDocumentString<CheckSongQuery, CheckSongQueryVariables>;
export const CopyrightCheckDocument = new TypedDocumentString(`
    query CopyrightCheck($spotifyTrackId: String, $isrc: String, $title: String, $artist: String) {
  copyrightCheck(
    spotifyTrackId: $spotifyTrackId
    isrc: $isrc
    title: $title
    artist: $artist
  ) {
    status
    matchedBy
    scope
    song {
      id
      title
      artist
      spotifyTrackId
      isrc
      createdAt
    }
  }
}
    `) as unknown as TypedDocumentString<CopyrightCheckQuery, CopyrightCheckQueryVariables>;
export const SafeSongsDocument = new TypedDocumentString(`
    query SafeSongs($search: String, $page: Int, $limit: Int) {
  safeSongs(search: $search, page: $page, limit: $limit) {
    items {
      id
      title
      artist
      spotifyTrackId
      isrc
      createdAt
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<SafeSongsQuery, SafeSongsQueryVariables>;
export const BlockedSongsDocument = new TypedDocumentString(`
    query BlockedSongs($search: String, $page: Int, $limit: Int) {
  blockedSongs(search: $search, page: $page, limit: $limit) {
    items {
      id
      title
      artist
      spotifyTrackId
      isrc
      createdAt
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<BlockedSongsQuery, BlockedSongsQueryVariables>;
export const CopyrightPlaylistSyncsDocument = new TypedDocumentString(`
    query CopyrightPlaylistSyncs {
  copyrightPlaylistSyncs {
    id
    playlistId
    name
    list
    trackCount
    lastSyncedAt
    error
    createdAt
  }
}
    `) as unknown as TypedDocumentString<CopyrightPlaylistSyncsQuery, CopyrightPlaylistSyncsQueryVariables>;
export const AdminCopyrightCandidatesDocument = new TypedDocumentString(`
    query AdminCopyrightCandidates($status: CopyrightCandidateStatus, $page: Int, $limit: Int) {
  adminCopyrightCandidates(status: $status, page: $page, limit: $limit) {
    items {
      id
      song {
        id
        title
        artist
        spotifyTrackId
        isrc
      }
      vote
      status
      accounts
      createdAt
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<AdminCopyrightCandidatesQuery, AdminCopyrightCandidatesQueryVariables>;
export const MusicSongsDocument = new TypedDocumentString(`
    query MusicSongs($search: String, $status: CopyrightStatus, $page: Int, $limit: Int) {
  musicSongs(search: $search, status: $status, page: $page, limit: $limit) {
    items {
      id
      title
      artist
      spotifyTrackId
      isrc
      status
      createdAt
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<MusicSongsQuery, MusicSongsQueryVariables>;
export const MusicSongDocument = new TypedDocumentString(`
    query MusicSong($id: UUID!) {
  musicSong(id: $id) {
    id
    title
    artist
    spotifyTrackId
    isrc
    status
    createdAt
  }
}
    `) as unknown as TypedDocumentString<MusicSongQuery, MusicSongQueryVariables>;
export const MusicCheckDocument = new TypedDocumentString(`
    query MusicCheck($url: String!) {
  musicCheck(url: $url) {
    status
    song {
      id
      title
      artist
      spotifyTrackId
      isrc
      status
      createdAt
    }
  }
}
    `) as unknown as TypedDocumentString<MusicCheckQuery, MusicCheckQueryVariables>;
export const AutomationsDocument = new TypedDocumentString(`
    query Automations {
  automations {
    id
    accountId
    name
    description
    enabled
    triggerTypes
    version
    lastRunAt
    nextRunAt
    runCount
    createdBy
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AutomationsQuery, AutomationsQueryVariables>;
export const AutomationDocument = new TypedDocumentString(`
    query Automation($id: UUID!) {
  automation(id: $id) {
    id
    accountId
    name
    description
    enabled
    triggerTypes
    version
    lastRunAt
    nextRunAt
    runCount
    createdBy
    createdAt
    updatedAt
    nodes {
      id
      type
      label
      config
      position {
        x
        y
      }
      installId
    }
    edges {
      id
      sourceNodeId
      sourceHandle
      targetNodeId
    }
  }
}
    `) as unknown as TypedDocumentString<AutomationQuery, AutomationQueryVariables>;
export const AutomationRunsDocument = new TypedDocumentString(`
    query AutomationRuns($id: UUID!, $status: AutomationRunStatus, $page: Int, $limit: Int, $cursor: String) {
  automationRuns(
    id: $id
    status: $status
    page: $page
    limit: $limit
    cursor: $cursor
  ) {
    items {
      id
      automationId
      status
      trigger
      isTest
      parentRunId
      error
      createdAt
      startedAt
      finishedAt
    }
    total
    page
    limit
    pages
    nextCursor
  }
}
    `) as unknown as TypedDocumentString<AutomationRunsQuery, AutomationRunsQueryVariables>;
export const AutomationRunDocument = new TypedDocumentString(`
    query AutomationRun($runId: UUID!) {
  automationRun(runId: $runId) {
    id
    automationId
    status
    trigger
    isTest
    parentRunId
    error
    createdAt
    startedAt
    finishedAt
    stepCount
    steps {
      position
      nodeId
      status
      input
      output
      branch
      error
      startedAt
      durationMs
    }
  }
}
    `) as unknown as TypedDocumentString<AutomationRunQuery, AutomationRunQueryVariables>;
export const AutomationNodeTypesDocument = new TypedDocumentString(`
    query AutomationNodeTypes {
  automationNodeTypes {
    type
    kind
    name
    handles
    configSchema
    outputSchema
    feature
    enabled
    installId
    icon
    color
  }
}
    `) as unknown as TypedDocumentString<AutomationNodeTypesQuery, AutomationNodeTypesQueryVariables>;
export const OverlaysDocument = new TypedDocumentString(`
    query Overlays {
  overlays {
    id
    accountId
    name
    key
    width
    height
    background
    version
    thumbnailUploadId
    myAccess
    layerCount
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<OverlaysQuery, OverlaysQueryVariables>;
export const OverlayDocument = new TypedDocumentString(`
    query Overlay($id: UUID!) {
  overlay(id: $id) {
    id
    accountId
    name
    key
    width
    height
    background
    version
    thumbnailUploadId
    myAccess
    layerCount
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<OverlayQuery, OverlayQueryVariables>;
export const OverlayLayersDocument = new TypedDocumentString(`
    query OverlayLayers($overlayId: UUID!) {
  overlayLayers(overlayId: $overlayId) {
    id
    overlayId
    type
    name
    config
    visible
    sortOrder
    installId
    x
    y
    width
    height
    rotation
    opacity
    locked
  }
}
    `) as unknown as TypedDocumentString<OverlayLayersQuery, OverlayLayersQueryVariables>;
export const OverlayTokenDocument = new TypedDocumentString(`
    query OverlayToken($overlayId: UUID!) {
  overlayToken(overlayId: $overlayId) {
    token
    tokenPrefix
    url
    createdAt
  }
}
    `) as unknown as TypedDocumentString<OverlayTokenQuery, OverlayTokenQueryVariables>;
export const OverlaySharesDocument = new TypedDocumentString(`
    query OverlayShares($overlayId: UUID!) {
  overlayShares(overlayId: $overlayId) {
    id
    overlayId
    label
    tokenPrefix
    expiresAt
    createdAt
    createdBy {
      id
      displayName
    }
  }
}
    `) as unknown as TypedDocumentString<OverlaySharesQuery, OverlaySharesQueryVariables>;
export const OverlayAccessDocument = new TypedDocumentString(`
    query OverlayAccess($overlayId: UUID!) {
  overlayAccess(overlayId: $overlayId) {
    id
    overlayId
    userId
    userName
    userAvatar
    role
    grantedBy
    createdAt
  }
}
    `) as unknown as TypedDocumentString<OverlayAccessQuery, OverlayAccessQueryVariables>;
export const OverlayAccessCandidatesDocument = new TypedDocumentString(`
    query OverlayAccessCandidates($overlayId: UUID!) {
  overlayAccessCandidates(overlayId: $overlayId) {
    id
    displayName
    avatarUrl
  }
}
    `) as unknown as TypedDocumentString<OverlayAccessCandidatesQuery, OverlayAccessCandidatesQueryVariables>;
export const WidgetsDocument = new TypedDocumentString(`
    query Widgets($type: String, $search: String) {
  widgets(type: $type, search: $search) {
    id
    accountId
    name
    type
    installId
    config
    width
    height
    enabled
    accessToken
    tokenPrefix
    url
    myAccess
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<WidgetsQuery, WidgetsQueryVariables>;
export const WidgetDocument = new TypedDocumentString(`
    query Widget($id: UUID!) {
  widget(id: $id) {
    id
    accountId
    name
    type
    installId
    config
    width
    height
    enabled
    accessToken
    tokenPrefix
    url
    myAccess
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<WidgetQuery, WidgetQueryVariables>;
export const WidgetAccessDocument = new TypedDocumentString(`
    query WidgetAccess($widgetId: UUID!) {
  widgetAccess(widgetId: $widgetId) {
    id
    widgetId
    userId
    userName
    userAvatar
    role
    grantedBy
    createdAt
  }
}
    `) as unknown as TypedDocumentString<WidgetAccessQuery, WidgetAccessQueryVariables>;
export const WidgetAccessCandidatesDocument = new TypedDocumentString(`
    query WidgetAccessCandidates($widgetId: UUID!) {
  widgetAccessCandidates(widgetId: $widgetId) {
    id
    displayName
    avatarUrl
  }
}
    `) as unknown as TypedDocumentString<WidgetAccessCandidatesQuery, WidgetAccessCandidatesQueryVariables>;
export const UploadsDocument = new TypedDocumentString(`
    query Uploads($purpose: UploadPurpose, $page: Int, $limit: Int) {
  uploads(purpose: $purpose, page: $page, limit: $limit) {
    items {
      id
      accountId
      filename
      contentType
      sizeBytes
      purpose
      sha256
      createdBy
      createdAt
      downloadUrl
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<UploadsQuery, UploadsQueryVariables>;
export const UploadDocument = new TypedDocumentString(`
    query Upload($id: UUID!) {
  upload(id: $id) {
    id
    accountId
    filename
    contentType
    sizeBytes
    purpose
    sha256
    createdBy
    createdAt
    downloadUrl
  }
}
    `) as unknown as TypedDocumentString<UploadQuery, UploadQueryVariables>;
export const SoundsDocument = new TypedDocumentString(`
    query Sounds($limit: Int, $offset: Int, $search: String) {
  sounds(limit: $limit, offset: $offset, search: $search) {
    sounds {
      id
      accountId
      name
      filename
      contentType
      sizeBytes
      durationMs
      waveform
      createdAt
      sourceExtensionName
    }
    totalCount
    userSoundCount
    maxSounds
    maxSoundFileSize
    maxSoundStorageBytes
    usedStorageBytes
  }
}
    `) as unknown as TypedDocumentString<SoundsQuery, SoundsQueryVariables>;
export const SoundDocument = new TypedDocumentString(`
    query Sound($id: UUID!) {
  sound(id: $id) {
    id
    accountId
    name
    filename
    contentType
    sizeBytes
    durationMs
    waveform
    createdAt
    sourceExtensionName
  }
}
    `) as unknown as TypedDocumentString<SoundQuery, SoundQueryVariables>;
export const RewardsDocument = new TypedDocumentString(`
    query Rewards {
  rewards {
    id
    accountId
    platform
    platformRewardId
    title
    cost
    enabled
    action
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<RewardsQuery, RewardsQueryVariables>;
export const RewardDocument = new TypedDocumentString(`
    query Reward($id: UUID!) {
  reward(id: $id) {
    id
    accountId
    platform
    platformRewardId
    title
    cost
    enabled
    action
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<RewardQuery, RewardQueryVariables>;
export const SeTokensDocument = new TypedDocumentString(`
    query SeTokens {
  seTokens {
    id
    platform
    hint
    label
    createdAt
    updatedAt
    refusedAt
  }
}
    `) as unknown as TypedDocumentString<SeTokensQuery, SeTokensQueryVariables>;
export const AdminSeTokensDocument = new TypedDocumentString(`
    query AdminSeTokens($page: Int, $limit: Int) {
  adminSeTokens(page: $page, limit: $limit) {
    items {
      id
      accountId
      platform
      hint
      label
      createdAt
      updatedAt
      refusedAt
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<AdminSeTokensQuery, AdminSeTokensQueryVariables>;
export const SpotifyStateDocument = new TypedDocumentString(`
    query SpotifyState {
  spotifyState {
    nowPlaying {
      trackId
      uri
      title
      artist
      artists
      album
      imageUrl
      url
      durationMs
      progressMs
      isPlaying
      copyrightStatus
    }
    isPlaying
    progressMs
    volume
    shuffle
    repeat
    device {
      id
      name
      type
      volume
      isActive
      isRestricted
    }
    queue {
      trackId
      uri
      title
      artist
      artists
      album
      imageUrl
      url
      durationMs
    }
    devices {
      id
      name
      type
      volume
      isActive
      isRestricted
    }
    playlists {
      id
      uri
      name
      owner
      imageUrl
      url
      trackCount
    }
  }
}
    `) as unknown as TypedDocumentString<SpotifyStateQuery, SpotifyStateQueryVariables>;
export const SpotifyPlaylistsDocument = new TypedDocumentString(`
    query SpotifyPlaylists {
  spotifyPlaylists {
    id
    uri
    name
    owner
    imageUrl
    url
    trackCount
  }
}
    `) as unknown as TypedDocumentString<SpotifyPlaylistsQuery, SpotifyPlaylistsQueryVariables>;
export const SpotifySearchDocument = new TypedDocumentString(`
    query SpotifySearch($q: String!, $limit: Int) {
  spotifySearch(q: $q, limit: $limit) {
    trackId
    uri
    title
    artist
    artists
    album
    imageUrl
    url
    durationMs
  }
}
    `) as unknown as TypedDocumentString<SpotifySearchQuery, SpotifySearchQueryVariables>;
export const ObsConfigDocument = new TypedDocumentString(`
    query ObsConfig {
  obsConfig {
    port
    hasPassword
    remoteEnabled
    remoteHost
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<ObsConfigQuery, ObsConfigQueryVariables>;
export const ObsStatusDocument = new TypedDocumentString(`
    query ObsStatus {
  obsStatus {
    configured
    remoteEnabled
    connected
    streaming
    recording
    currentScene
    error
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<ObsStatusQuery, ObsStatusQueryVariables>;
export const ObsRemoteStatusDocument = new TypedDocumentString(`
    query ObsRemoteStatus {
  obsRemoteStatus {
    connected
    error
    stream {
      active
      state
    }
    record {
      active
      paused
      state
    }
    scenes
    currentScene
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<ObsRemoteStatusQuery, ObsRemoteStatusQueryVariables>;
export const SpotifyManualConnectDocument = new TypedDocumentString(`
    query SpotifyManualConnect {
  spotifyManualConnect {
    active
    remainingSeconds
  }
}
    `) as unknown as TypedDocumentString<SpotifyManualConnectQuery, SpotifyManualConnectQueryVariables>;
export const IdeasDocument = new TypedDocumentString(`
    query Ideas($filter: IdeaFilterInput, $sort: IdeaSort, $limit: Int, $offset: Int) {
  ideas(filter: $filter, sort: $sort, limit: $limit, offset: $offset) {
    items {
      id
      author {
        id
        displayName
        avatarUrl
      }
      category {
        id
        name
        label
        color
        sortOrder
        createdAt
      }
      tags {
        id
        name
        createdBy
        createdAt
      }
      title
      description
      status
      voteCountUp
      voteCountDown
      commentCount
      myVote
      createdAt
      updatedAt
    }
    total
  }
}
    `) as unknown as TypedDocumentString<IdeasQuery, IdeasQueryVariables>;
export const IdeaDocument = new TypedDocumentString(`
    query Idea($id: UUID!) {
  idea(id: $id) {
    id
    author {
      id
      displayName
      avatarUrl
    }
    category {
      id
      name
      label
      color
      sortOrder
      createdAt
    }
    tags {
      id
      name
      createdBy
      createdAt
    }
    title
    description
    status
    voteCountUp
    voteCountDown
    commentCount
    myVote
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<IdeaQuery, IdeaQueryVariables>;
export const IdeaVotersDocument = new TypedDocumentString(`
    query IdeaVoters($ideaId: UUID!, $voteType: IdeaVoteType, $limit: Int, $offset: Int) {
  ideaVoters(ideaId: $ideaId, voteType: $voteType, limit: $limit, offset: $offset) {
    userId
    voteType
    displayName
    avatarUrl
  }
}
    `) as unknown as TypedDocumentString<IdeaVotersQuery, IdeaVotersQueryVariables>;
export const IdeaCommentsDocument = new TypedDocumentString(`
    query IdeaComments($ideaId: UUID!, $sort: IdeaCommentSort, $limit: Int, $offset: Int) {
  ideaComments(ideaId: $ideaId, sort: $sort, limit: $limit, offset: $offset) {
    id
    ideaId
    author {
      id
      displayName
      avatarUrl
    }
    parentId
    body
    createdAt
    updatedAt
    voteCountUp
    voteCountDown
    myVote
    replyCount
    replies {
      id
      ideaId
      author {
        id
        displayName
        avatarUrl
      }
      parentId
      body
      createdAt
      updatedAt
      voteCountUp
      voteCountDown
      myVote
      replyCount
    }
  }
}
    `) as unknown as TypedDocumentString<IdeaCommentsQuery, IdeaCommentsQueryVariables>;
export const IdeaTimelineDocument = new TypedDocumentString(`
    query IdeaTimeline($ideaId: UUID!, $limit: Int, $offset: Int) {
  ideaTimeline(ideaId: $ideaId, limit: $limit, offset: $offset) {
    id
    actor {
      id
      displayName
      avatarUrl
    }
    action
    oldValue
    newValue
    createdAt
  }
}
    `) as unknown as TypedDocumentString<IdeaTimelineQuery, IdeaTimelineQueryVariables>;
export const IdeaParticipantsDocument = new TypedDocumentString(`
    query IdeaParticipants($ideaId: UUID!, $search: String) {
  ideaParticipants(ideaId: $ideaId, search: $search) {
    id
    displayName
    avatarUrl
  }
}
    `) as unknown as TypedDocumentString<IdeaParticipantsQuery, IdeaParticipantsQueryVariables>;
export const IdeaCategoriesDocument = new TypedDocumentString(`
    query IdeaCategories {
  ideaCategories {
    id
    name
    label
    color
    sortOrder
    createdAt
  }
}
    `) as unknown as TypedDocumentString<IdeaCategoriesQuery, IdeaCategoriesQueryVariables>;
export const IdeaTagsDocument = new TypedDocumentString(`
    query IdeaTags($search: String) {
  ideaTags(search: $search) {
    id
    name
    createdBy
    createdAt
  }
}
    `) as unknown as TypedDocumentString<IdeaTagsQuery, IdeaTagsQueryVariables>;
export const StreamHistoryDocument = new TypedDocumentString(`
    query StreamHistory($filter: StreamHistoryFilter) {
  streamHistory(filter: $filter) {
    items {
      id
      sessionType
      platforms
      title
      category
      startedAt
      endedAt
      durationSecs
      peakViewers
      avgViewers
      totalMessages
      uniqueChatters
      newFollowers
      newSubscribers
      isLive
    }
    total
    page
    limit
    pages
    nextCursor
  }
}
    `) as unknown as TypedDocumentString<StreamHistoryQuery, StreamHistoryQueryVariables>;
export const StreamHistoryFilterOptionsDocument = new TypedDocumentString(`
    query StreamHistoryFilterOptions {
  streamHistoryFilterOptions {
    platforms
    categories
  }
}
    `) as unknown as TypedDocumentString<StreamHistoryFilterOptionsQuery, StreamHistoryFilterOptionsQueryVariables>;
export const StreamReportDocument = new TypedDocumentString(`
    query StreamReport($id: UUID!) {
  streamReport(id: $id) {
    id
    sessionType
    platforms
    title
    category
    startedAt
    endedAt
    durationSecs
    peakViewers
    avgViewers
    totalMessages
    uniqueChatters
    newFollowers
    newSubscribers
    isLive
    streams {
      platform
      broadcastId
      title
      category
      startedAt
      endedAt
      peakViewers
      avgViewers
    }
    categories {
      name
      startedAt
      durationSecs
    }
    totals {
      follows
      subs
      giftSubs
      resubs
      cheersBits
      tips {
        currency
        amount
      }
      raidsIn
      raidViewers
      redemptions
      superchats
    }
    messagesPerMinutePeak
    topChatters {
      platform
      platformUserId
      username
      displayName
      avatarUrl
      messageCount
    }
    topEmotes {
      id
      name
      provider
      url
      count
    }
    topGifs {
      id
      url
      provider
      alt
      count
    }
    moderation {
      bans
      timeouts
      deletions
    }
    music {
      title
      artist
      playedAt
    }
    chartMarkers {
      at
      type
      label
    }
    eventsByType
  }
}
    `) as unknown as TypedDocumentString<StreamReportQuery, StreamReportQueryVariables>;
export const StreamReportStatsDocument = new TypedDocumentString(`
    query StreamReportStats($id: UUID!, $platform: String) {
  streamReportStats(id: $id, platform: $platform) {
    at
    platform
    viewerCount
    messageCount
    uniqueChatters
    followerDelta
  }
}
    `) as unknown as TypedDocumentString<StreamReportStatsQuery, StreamReportStatsQueryVariables>;
export const SharedLinksDocument = new TypedDocumentString(`
    query SharedLinks($reportId: UUID!) {
  sharedLinks(reportId: $reportId) {
    id
    reportId
    createdBy
    createdAt
    expiresAt
    hasPassword
    allowExport
    viewCount
    lastViewedAt
    status
  }
}
    `) as unknown as TypedDocumentString<SharedLinksQuery, SharedLinksQueryVariables>;
export const SharedReportDocument = new TypedDocumentString(`
    query SharedReport($token: String!, $password: String) {
  sharedReport(token: $token, password: $password) {
    report {
      id
      sessionType
      platforms
      title
      category
      startedAt
      endedAt
      durationSecs
      peakViewers
      avgViewers
      totalMessages
      uniqueChatters
      newFollowers
      newSubscribers
      isLive
      streams {
        platform
        broadcastId
        title
        category
        startedAt
        endedAt
        peakViewers
        avgViewers
      }
      categories {
        name
        startedAt
        durationSecs
      }
      totals {
        follows
        subs
        giftSubs
        resubs
        cheersBits
        tips {
          currency
          amount
        }
        raidsIn
        raidViewers
        redemptions
        superchats
      }
      messagesPerMinutePeak
      topChatters {
        platform
        platformUserId
        username
        displayName
        avatarUrl
        messageCount
      }
      topEmotes {
        id
        name
        provider
        url
        count
      }
      topGifs {
        id
        url
        provider
        alt
        count
      }
      moderation {
        bans
        timeouts
        deletions
      }
      music {
        title
        artist
        playedAt
      }
      chartMarkers {
        at
        type
        label
      }
      eventsByType
    }
    samples {
      at
      platform
      viewerCount
      messageCount
      uniqueChatters
      followerDelta
    }
    allowExport
  }
}
    `) as unknown as TypedDocumentString<SharedReportQuery, SharedReportQueryVariables>;
export const PublicStatsChannelsDocument = new TypedDocumentString(`
    query PublicStatsChannels {
  publicStatsChannels {
    platform
    platformChannelId
    channelName
    isPublic
    showTopChatters
    optedOutVia
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<PublicStatsChannelsQuery, PublicStatsChannelsQueryVariables>;
export const PublicChannelStatsDocument = new TypedDocumentString(`
    query PublicChannelStats($platform: String!, $channel: String!) {
  publicChannelStats(platform: $platform, channel: $channel) {
    platformChannelId
    channelDisplayName
    source
    streamCount
    totalDurationSecs
    peakViewers
    avgViewers
    totalMessages
    lastStreamedAt
    broadcasterType
    recentStreams {
      broadcastId
      title
      category
      startedAt
      endedAt
      durationSecs
      peakViewers
      avgViewers
      totalMessages
    }
  }
}
    `) as unknown as TypedDocumentString<PublicChannelStatsQuery, PublicChannelStatsQueryVariables>;
export const PublicChannelProfileHistoryDocument = new TypedDocumentString(`
    query PublicChannelProfileHistory($platform: String!, $channel: String!, $limit: Int, $offset: Int) {
  publicChannelProfileHistory(
    platform: $platform
    channel: $channel
    limit: $limit
    offset: $offset
  ) {
    changeType
    oldValue
    newValue
    changedAt
  }
}
    `) as unknown as TypedDocumentString<PublicChannelProfileHistoryQuery, PublicChannelProfileHistoryQueryVariables>;
export const PublicChannelTrendsDocument = new TypedDocumentString(`
    query PublicChannelTrends($platform: String!, $channel: String!, $range: PublicTrendsRange!) {
  publicChannelTrends(platform: $platform, channel: $channel, range: $range) {
    followerSeries {
      date
      followerCount
    }
    avgViewerSeries {
      date
      avgViewers
    }
  }
}
    `) as unknown as TypedDocumentString<PublicChannelTrendsQuery, PublicChannelTrendsQueryVariables>;
export const PublicChannelPanelHistoryDocument = new TypedDocumentString(`
    query PublicChannelPanelHistory($platform: String!, $channel: String!) {
  publicChannelPanelHistory(platform: $platform, channel: $channel) {
    panelId
    content
    firstSeenAt
    lastSeenAt
    status
    removedAt
    images
  }
}
    `) as unknown as TypedDocumentString<PublicChannelPanelHistoryQuery, PublicChannelPanelHistoryQueryVariables>;
export const PublicStreamStatsDocument = new TypedDocumentString(`
    query PublicStreamStats($platform: String!, $broadcastId: String!) {
  publicStreamStats(platform: $platform, broadcastId: $broadcastId) {
    platform
    broadcastId
    platformChannelId
    channelDisplayName
    source
    title
    category
    language
    startedAt
    endedAt
    durationSecs
    peakViewers
    avgViewers
    totalMessages
    emoteCount
    topEmotes {
      id
      name
      provider
      url
      count
    }
    gifCount
    topGifs {
      id
      url
      provider
      alt
      count
    }
    topChatters {
      displayName
      messageCount
    }
  }
}
    `) as unknown as TypedDocumentString<PublicStreamStatsQuery, PublicStreamStatsQueryVariables>;
export const PublicStatsBrowseDocument = new TypedDocumentString(`
    query PublicStatsBrowse($filter: PublicStatsBrowseFilter) {
  publicStatsBrowse(filter: $filter) {
    items {
      platform
      platformChannelId
      channelLogin
      channelDisplayName
      avatarUrl
      isLive
      currentViewers
      currentGame
      language
      avgViewers
      peakViewers
      followers
      hoursStreamed
      lastStreamedAt
      source
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<PublicStatsBrowseQuery, PublicStatsBrowseQueryVariables>;
export const PublicStatsGamesDocument = new TypedDocumentString(`
    query PublicStatsGames($filter: PublicStatsGamesFilter) {
  publicStatsGames(filter: $filter) {
    items {
      gameId
      name
      boxArtUrl
      platform
      liveViewers
      liveChannels
      avgViewers
      peakViewers
      hoursWatched
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<PublicStatsGamesQuery, PublicStatsGamesQueryVariables>;
export const PublicStatsGameDocument = new TypedDocumentString(`
    query PublicStatsGame($platform: String!, $gameId: String!, $range: PublicStatsRange) {
  publicStatsGame(platform: $platform, gameId: $gameId, range: $range) {
    gameId
    name
    boxArtUrl
    platform
    liveViewers
    liveChannels
    avgViewers
    peakViewers
    hoursWatched
    topChannels {
      platformChannelId
      channelLogin
      channelDisplayName
      avatarUrl
      currentViewers
      avgViewers
      peakViewers
    }
    viewerSeries {
      date
      avgViewers
    }
  }
}
    `) as unknown as TypedDocumentString<PublicStatsGameQuery, PublicStatsGameQueryVariables>;
export const PublicStatsEmotesDocument = new TypedDocumentString(`
    query PublicStatsEmotes($filter: PublicStatsEmotesFilter) {
  publicStatsEmotes(filter: $filter) {
    items {
      emoteId
      name
      provider
      url
      animated
      usageCount
      channelCount
      firstSeenAt
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<PublicStatsEmotesQuery, PublicStatsEmotesQueryVariables>;
export const WatchlistDocument = new TypedDocumentString(`
    query Watchlist {
  watchlist {
    id
    platform
    platformChannelId
    channelDisplayName
    avatarUrl
    isLive
    currentViewers
    addedAt
  }
}
    `) as unknown as TypedDocumentString<WatchlistQuery, WatchlistQueryVariables>;
export const AdminCrawlerScopeDocument = new TypedDocumentString(`
    query AdminCrawlerScope {
  adminCrawlerScope {
    enabled
    platforms
    minViewers
    languages
    maxChannels
    intervalSecs
  }
}
    `) as unknown as TypedDocumentString<AdminCrawlerScopeQuery, AdminCrawlerScopeQueryVariables>;
export const AdminCrawlerWatchlistDocument = new TypedDocumentString(`
    query AdminCrawlerWatchlist($page: Int, $limit: Int) {
  adminCrawlerWatchlist(page: $page, limit: $limit) {
    items {
      id
      platform
      channel
      note
      createdBy
      createdAt
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<AdminCrawlerWatchlistQuery, AdminCrawlerWatchlistQueryVariables>;
export const WebhookEndpointsDocument = new TypedDocumentString(`
    query WebhookEndpoints {
  webhookEndpoints {
    id
    accountId
    url
    description
    eventTypes
    isEnabled
    disabledReason
    failingSince
    skippedCount
    previousSecretExpiresAt
    createdBy
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<WebhookEndpointsQuery, WebhookEndpointsQueryVariables>;
export const WebhookEndpointDocument = new TypedDocumentString(`
    query WebhookEndpoint($endpointId: UUID!) {
  webhookEndpoint(endpointId: $endpointId) {
    id
    accountId
    url
    description
    eventTypes
    isEnabled
    disabledReason
    failingSince
    skippedCount
    previousSecretExpiresAt
    createdBy
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<WebhookEndpointQuery, WebhookEndpointQueryVariables>;
export const WebhookSecretDocument = new TypedDocumentString(`
    query WebhookSecret($endpointId: UUID!) {
  webhookSecret(endpointId: $endpointId) {
    secret
    previousSecretExpiresAt
  }
}
    `) as unknown as TypedDocumentString<WebhookSecretQuery, WebhookSecretQueryVariables>;
export const WebhookDeliveriesDocument = new TypedDocumentString(`
    query WebhookDeliveries($endpointId: UUID!, $status: WebhookDeliveryStatus, $eventType: String, $page: Int, $limit: Int, $cursor: String) {
  webhookDeliveries(
    endpointId: $endpointId
    status: $status
    eventType: $eventType
    page: $page
    limit: $limit
    cursor: $cursor
  ) {
    items {
      id
      endpointId
      eventId
      eventType
      status
      attempts
      nextAttemptAt
      lastAttemptAt
      lastStatusCode
      lastError
      responseExcerpt
      durationMs
      occurredAt
      createdAt
    }
    total
    page
    limit
    pages
    nextCursor
  }
}
    `) as unknown as TypedDocumentString<WebhookDeliveriesQuery, WebhookDeliveriesQueryVariables>;
export const UsageHoursDocument = new TypedDocumentString(`
    query UsageHours($subject: UsageSubject, $subjectId: UUID, $from: String, $to: String, $page: Int, $limit: Int) {
  usageHours(
    subject: $subject
    subjectId: $subjectId
    from: $from
    to: $to
    page: $page
    limit: $limit
  ) {
    items {
      hour
      subject
      subjectId
      requests
      handlerMs
      fetches
      messages
      storedBytes
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<UsageHoursQuery, UsageHoursQueryVariables>;
export const UsageTotalsDocument = new TypedDocumentString(`
    query UsageTotals($subject: UsageSubject, $subjectId: UUID, $from: String, $to: String, $page: Int, $limit: Int) {
  usageTotals(
    subject: $subject
    subjectId: $subjectId
    from: $from
    to: $to
    page: $page
    limit: $limit
  ) {
    items {
      subject
      subjectId
      requests
      handlerMs
      fetches
      messages
      storedBytes
    }
    total
    page
    limit
    pages
  }
}
    `) as unknown as TypedDocumentString<UsageTotalsQuery, UsageTotalsQueryVariables>;
export const UsageBudgetsDocument = new TypedDocumentString(`
    query UsageBudgets {
  usageBudgets {
    id
    subject
    subjectId
    unit
    period
    maximum
    warnPercent
    isStopping
    used
    remaining
    resetsAt
    stoppedUntil
    createdBy
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<UsageBudgetsQuery, UsageBudgetsQueryVariables>;
export const ExchangeTokenDocument = new TypedDocumentString(`
    mutation ExchangeToken($input: ExchangeTokenInput!) {
  exchangeToken(input: $input) {
    token
    refreshToken
    expiresAt
    userId
    isNewUser
  }
}
    `) as unknown as TypedDocumentString<ExchangeTokenMutation, ExchangeTokenMutationVariables>;
export const AuthorizeLoginDocument = new TypedDocumentString(`
    mutation AuthorizeLogin($input: AuthorizeLoginInput!) {
  authorizeLogin(input: $input) {
    token
    refreshToken
    expiresAt
    userId
    isNewUser
  }
}
    `) as unknown as TypedDocumentString<AuthorizeLoginMutation, AuthorizeLoginMutationVariables>;
export const LinkLoginProviderDocument = new TypedDocumentString(`
    mutation LinkLoginProvider($input: ExchangeTokenInput!) {
  linkLoginProvider(input: $input) {
    id
    provider
    providerUserId
    username
    displayName
    avatarUrl
    reconnectRequired
    isPrimaryFor
    confirmed
    createdAt
  }
}
    `) as unknown as TypedDocumentString<LinkLoginProviderMutation, LinkLoginProviderMutationVariables>;
export const RefreshTokenDocument = new TypedDocumentString(`
    mutation RefreshToken($input: RefreshTokenInput!) {
  refreshToken(input: $input) {
    token
    refreshToken
    expiresAt
    userId
  }
}
    `) as unknown as TypedDocumentString<RefreshTokenMutation, RefreshTokenMutationVariables>;
export const LogoutDocument = new TypedDocumentString(`
    mutation Logout($input: LogoutInput) {
  logout(input: $input)
}
    `) as unknown as TypedDocumentString<LogoutMutation, LogoutMutationVariables>;
export const IssueWsTokenDocument = new TypedDocumentString(`
    mutation IssueWsToken {
  issueWsToken {
    wsToken
  }
}
    `) as unknown as TypedDocumentString<IssueWsTokenMutation, IssueWsTokenMutationVariables>;
export const UpdateMeDocument = new TypedDocumentString(`
    mutation UpdateMe($input: UpdateMeInput!) {
  updateMe(input: $input) {
    id
    displayName
    username
    email
    pendingEmail
    avatarUrl
    createdAt
    lastLoginAt
    activeAccountId
    memberships {
      accountId
      accountName
      avatarUrl
      role {
        id
        slug
        name
        color
      }
      isOwner
      planSlug
      joinedAt
    }
    ownedAccountCount
    maxAccounts
    featureStatuses {
      key
      enabled
      reason
    }
    enabledFeatures
    adminPermissions
    userPermissions
    isDeveloper
    extensionDevMode
    streamerMode
    loginConnections {
      id
      provider
      providerUserId
      username
      displayName
      avatarUrl
      reconnectRequired
      isPrimaryFor
      confirmed
      createdAt
    }
    notificationsUnread
    token
  }
}
    `) as unknown as TypedDocumentString<UpdateMeMutation, UpdateMeMutationVariables>;
export const RevokeOtherSessionsDocument = new TypedDocumentString(`
    mutation RevokeOtherSessions {
  revokeOtherSessions
}
    `) as unknown as TypedDocumentString<RevokeOtherSessionsMutation, RevokeOtherSessionsMutationVariables>;
export const RevokeSessionDocument = new TypedDocumentString(`
    mutation RevokeSession($id: UUID!) {
  revokeSession(id: $id)
}
    `) as unknown as TypedDocumentString<RevokeSessionMutation, RevokeSessionMutationVariables>;
export const DisconnectLoginConnectionDocument = new TypedDocumentString(`
    mutation DisconnectLoginConnection($loginConnectionId: UUID!) {
  disconnectLoginConnection(loginConnectionId: $loginConnectionId)
}
    `) as unknown as TypedDocumentString<DisconnectLoginConnectionMutation, DisconnectLoginConnectionMutationVariables>;
export const SetLoginReconnectFlagDocument = new TypedDocumentString(`
    mutation SetLoginReconnectFlag($id: UUID!, $reconnectRequired: Boolean) {
  setLoginReconnectFlag(id: $id, reconnectRequired: $reconnectRequired) {
    id
    provider
    providerUserId
    username
    displayName
    avatarUrl
    reconnectRequired
    isPrimaryFor
    confirmed
    createdAt
  }
}
    `) as unknown as TypedDocumentString<SetLoginReconnectFlagMutation, SetLoginReconnectFlagMutationVariables>;
export const CreateUserApiKeyDocument = new TypedDocumentString(`
    mutation CreateUserApiKey($input: CreateUserApiKeyInput!) {
  createUserApiKey(input: $input) {
    key
    apiKey {
      id
      userId
      accountId
      keyPrefix
      label
      permissions
      createdAt
      expiresAt
      lastUsedAt
    }
  }
}
    `) as unknown as TypedDocumentString<CreateUserApiKeyMutation, CreateUserApiKeyMutationVariables>;
export const UpdateUserApiKeyDocument = new TypedDocumentString(`
    mutation UpdateUserApiKey($id: UUID!, $input: UpdateUserApiKeyInput!) {
  updateUserApiKey(id: $id, input: $input) {
    id
    userId
    accountId
    keyPrefix
    label
    permissions
    createdAt
    expiresAt
    lastUsedAt
  }
}
    `) as unknown as TypedDocumentString<UpdateUserApiKeyMutation, UpdateUserApiKeyMutationVariables>;
export const DeleteUserApiKeyDocument = new TypedDocumentString(`
    mutation DeleteUserApiKey($id: UUID!) {
  deleteUserApiKey(id: $id) {
    success
  }
}
    `) as unknown as TypedDocumentString<DeleteUserApiKeyMutation, DeleteUserApiKeyMutationVariables>;
export const CreateAccountServiceKeyDocument = new TypedDocumentString(`
    mutation CreateAccountServiceKey($input: CreateAccountServiceKeyInput!) {
  createAccountServiceKey(input: $input) {
    key
    serviceKey {
      id
      accountId
      createdBy
      keyPrefix
      label
      permissions
      createdAt
      updatedAt
      expiresAt
      lastUsedAt
    }
  }
}
    `) as unknown as TypedDocumentString<CreateAccountServiceKeyMutation, CreateAccountServiceKeyMutationVariables>;
export const UpdateAccountServiceKeyDocument = new TypedDocumentString(`
    mutation UpdateAccountServiceKey($id: UUID!, $label: String) {
  updateAccountServiceKey(id: $id, label: $label) {
    id
    accountId
    createdBy
    keyPrefix
    label
    permissions
    createdAt
    updatedAt
    expiresAt
    lastUsedAt
  }
}
    `) as unknown as TypedDocumentString<UpdateAccountServiceKeyMutation, UpdateAccountServiceKeyMutationVariables>;
export const DeleteAccountServiceKeyDocument = new TypedDocumentString(`
    mutation DeleteAccountServiceKey($id: UUID!) {
  deleteAccountServiceKey(id: $id) {
    success
  }
}
    `) as unknown as TypedDocumentString<DeleteAccountServiceKeyMutation, DeleteAccountServiceKeyMutationVariables>;
export const AdminCreateSystemKeyDocument = new TypedDocumentString(`
    mutation AdminCreateSystemKey($input: AdminCreateSystemKeyInput!) {
  adminCreateSystemKey(input: $input) {
    key
    systemKey {
      id
      label
      keyPrefix
      createdBy
      createdAt
      lastUsedAt
    }
  }
}
    `) as unknown as TypedDocumentString<AdminCreateSystemKeyMutation, AdminCreateSystemKeyMutationVariables>;
export const AdminDeleteSystemKeyDocument = new TypedDocumentString(`
    mutation AdminDeleteSystemKey($id: UUID!) {
  adminDeleteSystemKey(id: $id)
}
    `) as unknown as TypedDocumentString<AdminDeleteSystemKeyMutation, AdminDeleteSystemKeyMutationVariables>;
export const CreatePopoutTokenDocument = new TypedDocumentString(`
    mutation CreatePopoutToken($input: CreatePopoutTokenInput!) {
  createPopoutToken(input: $input) {
    token
    popoutToken {
      id
      accountId
      userId
      tokenPrefix
      label
      permissions
      createdAt
      expiresAt
      lastUsedAt
    }
  }
}
    `) as unknown as TypedDocumentString<CreatePopoutTokenMutation, CreatePopoutTokenMutationVariables>;
export const UpdatePopoutTokenDocument = new TypedDocumentString(`
    mutation UpdatePopoutToken($input: UpdatePopoutTokenInput!) {
  updatePopoutToken(input: $input) {
    id
    accountId
    userId
    tokenPrefix
    label
    permissions
    createdAt
    expiresAt
    lastUsedAt
  }
}
    `) as unknown as TypedDocumentString<UpdatePopoutTokenMutation, UpdatePopoutTokenMutationVariables>;
export const DeletePopoutTokenDocument = new TypedDocumentString(`
    mutation DeletePopoutToken($id: UUID!) {
  deletePopoutToken(id: $id) {
    success
  }
}
    `) as unknown as TypedDocumentString<DeletePopoutTokenMutation, DeletePopoutTokenMutationVariables>;
export const ExchangePopoutTokenDocument = new TypedDocumentString(`
    mutation ExchangePopoutToken($input: ExchangePopoutTokenInput!) {
  exchangePopoutToken(input: $input) {
    token
    expiresAt
    accountId
  }
}
    `) as unknown as TypedDocumentString<ExchangePopoutTokenMutation, ExchangePopoutTokenMutationVariables>;
export const IssuePopoutWsTokenDocument = new TypedDocumentString(`
    mutation IssuePopoutWsToken {
  issuePopoutWsToken {
    wsToken
  }
}
    `) as unknown as TypedDocumentString<IssuePopoutWsTokenMutation, IssuePopoutWsTokenMutationVariables>;
export const CreateAccountDocument = new TypedDocumentString(`
    mutation CreateAccount($input: CreateAccountInput!) {
  createAccount(input: $input) {
    account {
      id
      name
      description
      slug
      avatarUrl
      ownerId
      plan {
        id
        slug
        name
      }
      primaryLoginConnectionId
      memberCount
      createdAt
      updatedAt
    }
    token
  }
}
    `) as unknown as TypedDocumentString<CreateAccountMutation, CreateAccountMutationVariables>;
export const UpdateAccountDocument = new TypedDocumentString(`
    mutation UpdateAccount($id: UUID, $input: UpdateAccountInput!) {
  updateAccount(id: $id, input: $input) {
    id
    name
    description
    slug
    avatarUrl
    ownerId
    plan {
      id
      slug
      name
    }
    primaryLoginConnectionId
    memberCount
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<UpdateAccountMutation, UpdateAccountMutationVariables>;
export const DissolveAccountDocument = new TypedDocumentString(`
    mutation DissolveAccount($id: UUID!, $input: DissolveAccountInput!) {
  dissolveAccount(id: $id, input: $input) {
    success
  }
}
    `) as unknown as TypedDocumentString<DissolveAccountMutation, DissolveAccountMutationVariables>;
export const LeaveAccountDocument = new TypedDocumentString(`
    mutation LeaveAccount($id: UUID!) {
  leaveAccount(id: $id) {
    success
  }
}
    `) as unknown as TypedDocumentString<LeaveAccountMutation, LeaveAccountMutationVariables>;
export const SetPrimaryLoginConnectionDocument = new TypedDocumentString(`
    mutation SetPrimaryLoginConnection($input: SetPrimaryLoginConnectionInput!) {
  setPrimaryLoginConnection(input: $input) {
    id
    name
    description
    slug
    avatarUrl
    ownerId
    plan {
      id
      slug
      name
    }
    primaryLoginConnectionId
    memberCount
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<SetPrimaryLoginConnectionMutation, SetPrimaryLoginConnectionMutationVariables>;
export const ExportAccountDocument = new TypedDocumentString(`
    mutation ExportAccount($id: UUID!, $input: ExportAccountInput!) {
  exportAccount(id: $id, input: $input) {
    id
    accountId
    status
    withSecrets
    sizeBytes
    sha256
    error
    downloadUrl
    requestedBy
    createdAt
    startedAt
    finishedAt
    expiresAt
  }
}
    `) as unknown as TypedDocumentString<ExportAccountMutation, ExportAccountMutationVariables>;
export const DeleteAccountArchiveDocument = new TypedDocumentString(`
    mutation DeleteAccountArchive($id: UUID!, $archiveId: UUID!) {
  deleteAccountArchive(id: $id, archiveId: $archiveId)
}
    `) as unknown as TypedDocumentString<DeleteAccountArchiveMutation, DeleteAccountArchiveMutationVariables>;
export const CreateInviteDocument = new TypedDocumentString(`
    mutation CreateInvite($input: CreateInviteInput!) {
  createInvite(input: $input) {
    id
    accountId
    code
    role {
      id
      slug
      name
      color
    }
    method
    targetUserId
    email
    maxUses
    useCount
    expiresAt
    createdBy
    createdAt
    status
  }
}
    `) as unknown as TypedDocumentString<CreateInviteMutation, CreateInviteMutationVariables>;
export const DeleteInviteDocument = new TypedDocumentString(`
    mutation DeleteInvite($id: UUID!) {
  deleteInvite(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteInviteMutation, DeleteInviteMutationVariables>;
export const AcceptInviteDocument = new TypedDocumentString(`
    mutation AcceptInvite($code: String!) {
  acceptInvite(code: $code) {
    accountId
    accountName
    membershipId
    role {
      id
      slug
      name
      color
    }
  }
}
    `) as unknown as TypedDocumentString<AcceptInviteMutation, AcceptInviteMutationVariables>;
export const DeclineInviteDocument = new TypedDocumentString(`
    mutation DeclineInvite($code: String!) {
  declineInvite(code: $code) {
    success
  }
}
    `) as unknown as TypedDocumentString<DeclineInviteMutation, DeclineInviteMutationVariables>;
export const AssignLoginConnectionDocument = new TypedDocumentString(`
    mutation AssignLoginConnection($loginConnectionId: UUID!, $provider: String!, $userId: UUID) {
  assignLoginConnection(
    loginConnectionId: $loginConnectionId
    provider: $provider
    userId: $userId
  ) {
    id
    accountId
    userId
    loginConnectionId
    provider
    createdAt
  }
}
    `) as unknown as TypedDocumentString<AssignLoginConnectionMutation, AssignLoginConnectionMutationVariables>;
export const RemoveLoginAssignmentDocument = new TypedDocumentString(`
    mutation RemoveLoginAssignment($provider: String!, $userId: UUID) {
  removeLoginAssignment(provider: $provider, userId: $userId)
}
    `) as unknown as TypedDocumentString<RemoveLoginAssignmentMutation, RemoveLoginAssignmentMutationVariables>;
export const UpdateMemberRoleDocument = new TypedDocumentString(`
    mutation UpdateMemberRole($input: UpdateMemberRoleInput!) {
  updateMemberRole(input: $input) {
    membershipId
    userId
    displayName
    email
    avatarUrl
    role {
      id
      slug
      name
      color
    }
    isOwner
    joinedAt
  }
}
    `) as unknown as TypedDocumentString<UpdateMemberRoleMutation, UpdateMemberRoleMutationVariables>;
export const RemoveMemberDocument = new TypedDocumentString(`
    mutation RemoveMember($membershipId: UUID!) {
  removeMember(membershipId: $membershipId)
}
    `) as unknown as TypedDocumentString<RemoveMemberMutation, RemoveMemberMutationVariables>;
export const UpdateAccountSettingsDocument = new TypedDocumentString(`
    mutation UpdateAccountSettings($input: UpdateAccountSettingsInput!) {
  updateAccountSettings(input: $input) {
    locale
    timezone
    currency
    commandPrefix
    chat {
      defaultPlatforms
      showTimestamps
      highlightMentions
      fontSize
    }
    alerts {
      muted
      volume
    }
    privacy {
      storeChat
      storeUserProfiles
    }
    defaultOverlayId
  }
}
    `) as unknown as TypedDocumentString<UpdateAccountSettingsMutation, UpdateAccountSettingsMutationVariables>;
export const AdminUpdateFeatureFlagDocument = new TypedDocumentString(`
    mutation AdminUpdateFeatureFlag($id: UUID!, $input: AdminUpdateFeatureFlagInput!) {
  adminUpdateFeatureFlag(id: $id, input: $input) {
    id
    key
    label
    description
    category
    globallyEnabled
    defaultForAccounts
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminUpdateFeatureFlagMutation, AdminUpdateFeatureFlagMutationVariables>;
export const AdminSetPlanFeatureDocument = new TypedDocumentString(`
    mutation AdminSetPlanFeature($planId: UUID!, $input: AdminSetPlanFeatureInput!) {
  adminSetPlanFeature(planId: $planId, input: $input) {
    featureId
    featureKey
    label
    enabled
  }
}
    `) as unknown as TypedDocumentString<AdminSetPlanFeatureMutation, AdminSetPlanFeatureMutationVariables>;
export const AdminSetAccountFeatureOverrideDocument = new TypedDocumentString(`
    mutation AdminSetAccountFeatureOverride($accountId: UUID!, $input: AdminSetAccountFeatureOverrideInput!) {
  adminSetAccountFeatureOverride(accountId: $accountId, input: $input) {
    accountId
    featureId
    featureKey
    label
    enabled
    reason
    setBy
    createdAt
  }
}
    `) as unknown as TypedDocumentString<AdminSetAccountFeatureOverrideMutation, AdminSetAccountFeatureOverrideMutationVariables>;
export const AdminRemoveAccountFeatureOverrideDocument = new TypedDocumentString(`
    mutation AdminRemoveAccountFeatureOverride($accountId: UUID!, $featureId: UUID!) {
  adminRemoveAccountFeatureOverride(accountId: $accountId, featureId: $featureId)
}
    `) as unknown as TypedDocumentString<AdminRemoveAccountFeatureOverrideMutation, AdminRemoveAccountFeatureOverrideMutationVariables>;
export const AdminUpdatePlatformDocument = new TypedDocumentString(`
    mutation AdminUpdatePlatform($platform: String!, $input: PlatformSwitchesInput!) {
  adminUpdatePlatform(platform: $platform, input: $input) {
    platform
    enabled
    login
    channel
    bot
  }
}
    `) as unknown as TypedDocumentString<AdminUpdatePlatformMutation, AdminUpdatePlatformMutationVariables>;
export const AdminUpdateProviderDocument = new TypedDocumentString(`
    mutation AdminUpdateProvider($platform: String!, $input: PlatformSwitchesInput!) {
  adminUpdateProvider(platform: $platform, input: $input) {
    platform
    enabled
    login
    channel
    bot
    credentialsConfigured
    channelConnections
    loginConnections
    botConnections
    globalBotStatus
  }
}
    `) as unknown as TypedDocumentString<AdminUpdateProviderMutation, AdminUpdateProviderMutationVariables>;
export const AdminCreatePlanDocument = new TypedDocumentString(`
    mutation AdminCreatePlan($input: AdminCreatePlanInput!) {
  adminCreatePlan(input: $input) {
    id
    slug
    name
    description
    priceMonthly
    priceYearly
    currency
    isPublic
    sortOrder
    maxOverlays
    maxStorageBytes
    maxUploadSizeBytes
    maxIntegrations
    chatRetentionDays
    paymentProductId
    paymentMonthlyPriceId
    paymentYearlyPriceId
    features {
      featureId
      featureKey
      label
      enabled
    }
    accountsUsing
  }
}
    `) as unknown as TypedDocumentString<AdminCreatePlanMutation, AdminCreatePlanMutationVariables>;
export const AdminUpdatePlanDocument = new TypedDocumentString(`
    mutation AdminUpdatePlan($id: UUID!, $input: AdminUpdatePlanInput!) {
  adminUpdatePlan(id: $id, input: $input) {
    id
    slug
    name
    description
    priceMonthly
    priceYearly
    currency
    isPublic
    sortOrder
    maxOverlays
    maxStorageBytes
    maxUploadSizeBytes
    maxIntegrations
    chatRetentionDays
    paymentProductId
    paymentMonthlyPriceId
    paymentYearlyPriceId
    features {
      featureId
      featureKey
      label
      enabled
    }
    accountsUsing
  }
}
    `) as unknown as TypedDocumentString<AdminUpdatePlanMutation, AdminUpdatePlanMutationVariables>;
export const AdminDeletePlanDocument = new TypedDocumentString(`
    mutation AdminDeletePlan($id: UUID!) {
  adminDeletePlan(id: $id)
}
    `) as unknown as TypedDocumentString<AdminDeletePlanMutation, AdminDeletePlanMutationVariables>;
export const ChangePlanDocument = new TypedDocumentString(`
    mutation ChangePlan($planId: UUID!) {
  changePlan(planId: $planId) {
    plan {
      id
      slug
      name
      description
      priceMonthly
      priceYearly
      currency
      isPublic
      sortOrder
      maxOverlays
      maxStorageBytes
      maxUploadSizeBytes
      maxIntegrations
      chatRetentionDays
      features {
        featureId
        featureKey
        label
        enabled
        globallyEnabled
      }
    }
    limits {
      key
      limit
      used
      source
    }
    status
    renewsAt
  }
}
    `) as unknown as TypedDocumentString<ChangePlanMutation, ChangePlanMutationVariables>;
export const CreateCheckoutDocument = new TypedDocumentString(`
    mutation CreateCheckout($input: CreateCheckoutInput!) {
  createCheckout(input: $input) {
    url
  }
}
    `) as unknown as TypedDocumentString<CreateCheckoutMutation, CreateCheckoutMutationVariables>;
export const CreatePortalDocument = new TypedDocumentString(`
    mutation CreatePortal {
  createPortal {
    url
  }
}
    `) as unknown as TypedDocumentString<CreatePortalMutation, CreatePortalMutationVariables>;
export const CancelSubscriptionDocument = new TypedDocumentString(`
    mutation CancelSubscription {
  cancelSubscription {
    plan {
      id
      slug
      name
      description
      priceMonthly
      priceYearly
      currency
      isPublic
      sortOrder
      maxOverlays
      maxStorageBytes
      maxUploadSizeBytes
      maxIntegrations
      chatRetentionDays
      features {
        featureId
        featureKey
        label
        enabled
        globallyEnabled
      }
    }
    limits {
      key
      limit
      used
      source
    }
    status
    renewsAt
  }
}
    `) as unknown as TypedDocumentString<CancelSubscriptionMutation, CancelSubscriptionMutationVariables>;
export const AdminCreateCouponDocument = new TypedDocumentString(`
    mutation AdminCreateCoupon($input: AdminCreateCouponInput!) {
  adminCreateCoupon(input: $input) {
    id
    code
    percentOff
    amountOff
    duration
    maxRedemptions
    redeemed
    expiresAt
    isActive
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminCreateCouponMutation, AdminCreateCouponMutationVariables>;
export const AdminUpdateCouponDocument = new TypedDocumentString(`
    mutation AdminUpdateCoupon($id: UUID!, $input: AdminUpdateCouponInput!) {
  adminUpdateCoupon(id: $id, input: $input) {
    id
    code
    percentOff
    amountOff
    duration
    maxRedemptions
    redeemed
    expiresAt
    isActive
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminUpdateCouponMutation, AdminUpdateCouponMutationVariables>;
export const AdminDeactivateCouponDocument = new TypedDocumentString(`
    mutation AdminDeactivateCoupon($id: UUID!) {
  adminDeactivateCoupon(id: $id)
}
    `) as unknown as TypedDocumentString<AdminDeactivateCouponMutation, AdminDeactivateCouponMutationVariables>;
export const AdminUpdatePayoutDocument = new TypedDocumentString(`
    mutation AdminUpdatePayout($id: UUID!, $input: AdminUpdatePayoutInput!) {
  adminUpdatePayout(id: $id, input: $input) {
    id
    developerId
    developerName
    teamId
    amount
    currency
    method
    status
    createdAt
    paidAt
  }
}
    `) as unknown as TypedDocumentString<AdminUpdatePayoutMutation, AdminUpdatePayoutMutationVariables>;
export const CreateRoleDocument = new TypedDocumentString(`
    mutation CreateRole($input: CreateRoleInput!) {
  createRole(input: $input) {
    id
    accountId
    slug
    name
    description
    color
    isSystem
    permissions
    memberCount
    position
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<CreateRoleMutation, CreateRoleMutationVariables>;
export const UpdateRoleDocument = new TypedDocumentString(`
    mutation UpdateRole($id: UUID!, $input: UpdateRoleInput!) {
  updateRole(id: $id, input: $input) {
    id
    accountId
    slug
    name
    description
    color
    isSystem
    permissions
    memberCount
    position
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<UpdateRoleMutation, UpdateRoleMutationVariables>;
export const DeleteRoleDocument = new TypedDocumentString(`
    mutation DeleteRole($id: UUID!) {
  deleteRole(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteRoleMutation, DeleteRoleMutationVariables>;
export const MoveRoleDocument = new TypedDocumentString(`
    mutation MoveRole($id: UUID!, $position: Int!) {
  moveRole(id: $id, position: $position) {
    id
    accountId
    slug
    name
    description
    color
    isSystem
    permissions
    memberCount
    position
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<MoveRoleMutation, MoveRoleMutationVariables>;
export const CreateUserRoleDocument = new TypedDocumentString(`
    mutation CreateUserRole($input: CreateUserRoleInput!) {
  createUserRole(input: $input) {
    id
    slug
    name
    description
    isDefault
    isSystem
    createdAt
    permissions
  }
}
    `) as unknown as TypedDocumentString<CreateUserRoleMutation, CreateUserRoleMutationVariables>;
export const UpdateUserRoleDocument = new TypedDocumentString(`
    mutation UpdateUserRole($id: UUID!, $input: UpdateUserRoleInput!) {
  updateUserRole(id: $id, input: $input) {
    id
    slug
    name
    description
    isDefault
    isSystem
    createdAt
    permissions
  }
}
    `) as unknown as TypedDocumentString<UpdateUserRoleMutation, UpdateUserRoleMutationVariables>;
export const DeleteUserRoleDocument = new TypedDocumentString(`
    mutation DeleteUserRole($id: UUID!) {
  deleteUserRole(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteUserRoleMutation, DeleteUserRoleMutationVariables>;
export const AssignUserRoleDocument = new TypedDocumentString(`
    mutation AssignUserRole($userId: UUID!, $roleId: UUID!) {
  assignUserRole(userId: $userId, roleId: $roleId) {
    userId
    roleId
    assignedBy
    createdAt
  }
}
    `) as unknown as TypedDocumentString<AssignUserRoleMutation, AssignUserRoleMutationVariables>;
export const RemoveUserRoleDocument = new TypedDocumentString(`
    mutation RemoveUserRole($userId: UUID!, $roleId: UUID!) {
  removeUserRole(userId: $userId, roleId: $roleId)
}
    `) as unknown as TypedDocumentString<RemoveUserRoleMutation, RemoveUserRoleMutationVariables>;
export const SetUserPermissionOverrideDocument = new TypedDocumentString(`
    mutation SetUserPermissionOverride($userId: UUID!, $permission: String!, $granted: Boolean!, $reason: String) {
  setUserPermissionOverride(
    userId: $userId
    permission: $permission
    granted: $granted
    reason: $reason
  ) {
    userId
    permission
    granted
    reason
    setBy
    createdAt
  }
}
    `) as unknown as TypedDocumentString<SetUserPermissionOverrideMutation, SetUserPermissionOverrideMutationVariables>;
export const RemoveUserPermissionOverrideDocument = new TypedDocumentString(`
    mutation RemoveUserPermissionOverride($userId: UUID!, $permission: String!) {
  removeUserPermissionOverride(userId: $userId, permission: $permission)
}
    `) as unknown as TypedDocumentString<RemoveUserPermissionOverrideMutation, RemoveUserPermissionOverrideMutationVariables>;
export const AdminSetAccountPermissionOverrideDocument = new TypedDocumentString(`
    mutation AdminSetAccountPermissionOverride($accountId: UUID!, $permission: String!, $granted: Boolean!, $reason: String) {
  adminSetAccountPermissionOverride(
    accountId: $accountId
    permission: $permission
    granted: $granted
    reason: $reason
  ) {
    accountId
    permission
    granted
    reason
    setBy
    createdAt
  }
}
    `) as unknown as TypedDocumentString<AdminSetAccountPermissionOverrideMutation, AdminSetAccountPermissionOverrideMutationVariables>;
export const AdminRemoveAccountPermissionOverrideDocument = new TypedDocumentString(`
    mutation AdminRemoveAccountPermissionOverride($accountId: UUID!, $permission: String!) {
  adminRemoveAccountPermissionOverride(
    accountId: $accountId
    permission: $permission
  )
}
    `) as unknown as TypedDocumentString<AdminRemoveAccountPermissionOverrideMutation, AdminRemoveAccountPermissionOverrideMutationVariables>;
export const AdminCreateRoleDocument = new TypedDocumentString(`
    mutation AdminCreateRole($input: CreateAdminRoleInput!) {
  adminCreateRole(input: $input) {
    id
    name
    description
    isSystem
    permissions
    memberCount
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminCreateRoleMutation, AdminCreateRoleMutationVariables>;
export const AdminUpdateRoleDocument = new TypedDocumentString(`
    mutation AdminUpdateRole($id: UUID!, $input: UpdateAdminRoleInput!) {
  adminUpdateRole(id: $id, input: $input) {
    id
    name
    description
    isSystem
    permissions
    memberCount
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminUpdateRoleMutation, AdminUpdateRoleMutationVariables>;
export const AdminDeleteRoleDocument = new TypedDocumentString(`
    mutation AdminDeleteRole($id: UUID!) {
  adminDeleteRole(id: $id)
}
    `) as unknown as TypedDocumentString<AdminDeleteRoleMutation, AdminDeleteRoleMutationVariables>;
export const AdminAssignUserRoleDocument = new TypedDocumentString(`
    mutation AdminAssignUserRole($userId: UUID!, $roleId: UUID!) {
  adminAssignUserRole(userId: $userId, roleId: $roleId)
}
    `) as unknown as TypedDocumentString<AdminAssignUserRoleMutation, AdminAssignUserRoleMutationVariables>;
export const AdminUnassignUserRoleDocument = new TypedDocumentString(`
    mutation AdminUnassignUserRole($userId: UUID!, $roleId: UUID!) {
  adminUnassignUserRole(userId: $userId, roleId: $roleId)
}
    `) as unknown as TypedDocumentString<AdminUnassignUserRoleMutation, AdminUnassignUserRoleMutationVariables>;
export const AdminUpdateUserDocument = new TypedDocumentString(`
    mutation AdminUpdateUser($id: UUID!, $input: AdminUpdateUserInput!) {
  adminUpdateUser(id: $id, input: $input) {
    id
    displayName
    username
    email
    avatarUrl
    createdAt
    lastLoginAt
    accountCreationOverride
    maxAccountsOverride
    ownedAccountCount
    isDeveloper
    memberships {
      membershipId
      accountId
      accountName
      roleId
      roleName
      isOwner
      joinedAt
    }
    loginConnections {
      id
      provider
      providerUserId
      username
      displayName
      reconnectRequired
      createdAt
    }
  }
}
    `) as unknown as TypedDocumentString<AdminUpdateUserMutation, AdminUpdateUserMutationVariables>;
export const AdminUpdateUserAccountCreationOverrideDocument = new TypedDocumentString(`
    mutation AdminUpdateUserAccountCreationOverride($userId: UUID!, $override: AccountCreationOverride!) {
  adminUpdateUserAccountCreationOverride(userId: $userId, override: $override) {
    id
    displayName
    username
    email
    avatarUrl
    createdAt
    lastLoginAt
    accountCreationOverride
    maxAccountsOverride
    ownedAccountCount
    isDeveloper
    memberships {
      membershipId
      accountId
      accountName
      roleId
      roleName
      isOwner
      joinedAt
    }
    loginConnections {
      id
      provider
      providerUserId
      username
      displayName
      reconnectRequired
      createdAt
    }
  }
}
    `) as unknown as TypedDocumentString<AdminUpdateUserAccountCreationOverrideMutation, AdminUpdateUserAccountCreationOverrideMutationVariables>;
export const AdminDeleteUserDocument = new TypedDocumentString(`
    mutation AdminDeleteUser($id: UUID!) {
  adminDeleteUser(id: $id)
}
    `) as unknown as TypedDocumentString<AdminDeleteUserMutation, AdminDeleteUserMutationVariables>;
export const AdminDisconnectUserLoginDocument = new TypedDocumentString(`
    mutation AdminDisconnectUserLogin($userId: UUID!, $loginConnectionId: UUID!) {
  adminDisconnectUserLogin(userId: $userId, loginConnectionId: $loginConnectionId)
}
    `) as unknown as TypedDocumentString<AdminDisconnectUserLoginMutation, AdminDisconnectUserLoginMutationVariables>;
export const AdminAddUserMembershipDocument = new TypedDocumentString(`
    mutation AdminAddUserMembership($userId: UUID!, $input: AdminAddUserMembershipInput!) {
  adminAddUserMembership(userId: $userId, input: $input) {
    membershipId
    accountId
    accountName
    roleId
    roleName
    isOwner
    joinedAt
  }
}
    `) as unknown as TypedDocumentString<AdminAddUserMembershipMutation, AdminAddUserMembershipMutationVariables>;
export const AdminRemoveUserMembershipDocument = new TypedDocumentString(`
    mutation AdminRemoveUserMembership($userId: UUID!, $membershipId: UUID!) {
  adminRemoveUserMembership(userId: $userId, membershipId: $membershipId)
}
    `) as unknown as TypedDocumentString<AdminRemoveUserMembershipMutation, AdminRemoveUserMembershipMutationVariables>;
export const AdminUpdateAccountDocument = new TypedDocumentString(`
    mutation AdminUpdateAccount($id: UUID!, $input: AdminUpdateAccountInput!) {
  adminUpdateAccount(id: $id, input: $input) {
    id
    name
    slug
    description
    owner {
      id
      displayName
      email
    }
    plan {
      id
      slug
      name
    }
    memberCount
    createdAt
    updatedAt
    channelConnections {
      id
      platform
      username
      displayName
      reconnectRequired
      connectedAt
    }
    botConnections {
      id
      platform
      username
      displayName
      reconnectRequired
      connectedAt
    }
  }
}
    `) as unknown as TypedDocumentString<AdminUpdateAccountMutation, AdminUpdateAccountMutationVariables>;
export const AdminDeleteAccountDocument = new TypedDocumentString(`
    mutation AdminDeleteAccount($id: UUID!) {
  adminDeleteAccount(id: $id)
}
    `) as unknown as TypedDocumentString<AdminDeleteAccountMutation, AdminDeleteAccountMutationVariables>;
export const AdminDisconnectAccountChannelDocument = new TypedDocumentString(`
    mutation AdminDisconnectAccountChannel($accountId: UUID!, $platform: String!) {
  adminDisconnectAccountChannel(accountId: $accountId, platform: $platform)
}
    `) as unknown as TypedDocumentString<AdminDisconnectAccountChannelMutation, AdminDisconnectAccountChannelMutationVariables>;
export const AdminDisconnectAccountBotDocument = new TypedDocumentString(`
    mutation AdminDisconnectAccountBot($accountId: UUID!, $platform: String!) {
  adminDisconnectAccountBot(accountId: $accountId, platform: $platform)
}
    `) as unknown as TypedDocumentString<AdminDisconnectAccountBotMutation, AdminDisconnectAccountBotMutationVariables>;
export const AdminUpdateAccountPlanDocument = new TypedDocumentString(`
    mutation AdminUpdateAccountPlan($accountId: UUID!, $planId: UUID!) {
  adminUpdateAccountPlan(accountId: $accountId, planId: $planId) {
    id
    name
    slug
    description
    owner {
      id
      displayName
      email
    }
    plan {
      id
      slug
      name
    }
    memberCount
    createdAt
    updatedAt
    channelConnections {
      id
      platform
      username
      displayName
      reconnectRequired
      connectedAt
    }
    botConnections {
      id
      platform
      username
      displayName
      reconnectRequired
      connectedAt
    }
  }
}
    `) as unknown as TypedDocumentString<AdminUpdateAccountPlanMutation, AdminUpdateAccountPlanMutationVariables>;
export const AdminUpsertAccountLimitsDocument = new TypedDocumentString(`
    mutation AdminUpsertAccountLimits($accountId: UUID!, $input: AdminUpsertAccountLimitsInput!) {
  adminUpsertAccountLimits(accountId: $accountId, input: $input) {
    accountId
    maxOverlays
    maxStorageBytes
    maxUploadSizeBytes
    maxIntegrations
    chatRetentionDays
    customBotAllowed
    obsRemoteAllowed
    copyrightDetectionAllowed
    notes
    updatedBy
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminUpsertAccountLimitsMutation, AdminUpsertAccountLimitsMutationVariables>;
export const AdminCreateOauthClientDocument = new TypedDocumentString(`
    mutation AdminCreateOauthClient($input: AdminCreateOauthClientInput!) {
  adminCreateOauthClient(input: $input) {
    id
    name
    redirectUris
    allowedHosts
    isActive
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminCreateOauthClientMutation, AdminCreateOauthClientMutationVariables>;
export const AdminUpdateOauthClientDocument = new TypedDocumentString(`
    mutation AdminUpdateOauthClient($id: UUID!, $input: AdminUpdateOauthClientInput!) {
  adminUpdateOauthClient(id: $id, input: $input) {
    id
    name
    redirectUris
    allowedHosts
    isActive
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminUpdateOauthClientMutation, AdminUpdateOauthClientMutationVariables>;
export const AdminDeleteOauthClientDocument = new TypedDocumentString(`
    mutation AdminDeleteOauthClient($id: UUID!) {
  adminDeleteOauthClient(id: $id)
}
    `) as unknown as TypedDocumentString<AdminDeleteOauthClientMutation, AdminDeleteOauthClientMutationVariables>;
export const AuthorizeChannelDocument = new TypedDocumentString(`
    mutation AuthorizeChannel($platform: String!, $returnTo: String) {
  authorizeChannel(platform: $platform, returnTo: $returnTo) {
    authorizeUrl
    state
  }
}
    `) as unknown as TypedDocumentString<AuthorizeChannelMutation, AuthorizeChannelMutationVariables>;
export const DisconnectChannelDocument = new TypedDocumentString(`
    mutation DisconnectChannel($platform: String!) {
  disconnectChannel(platform: $platform)
}
    `) as unknown as TypedDocumentString<DisconnectChannelMutation, DisconnectChannelMutationVariables>;
export const SetChannelReconnectFlagDocument = new TypedDocumentString(`
    mutation SetChannelReconnectFlag($id: UUID!, $reconnectRequired: Boolean) {
  setChannelReconnectFlag(id: $id, reconnectRequired: $reconnectRequired) {
    id
    platform
    platformChannelId
    channelName
    displayName
    avatarUrl
    scopes
    credentialSource
    botEnabled
    reconnectRequired
    expiresAt
    connectedAt
    connectedBy
    health {
      subscriptions {
        eventType
        refusal
      }
      lastEvents {
        eventType
        lastEventAt
      }
      reader {
        state
        detail
        since
      }
    }
  }
}
    `) as unknown as TypedDocumentString<SetChannelReconnectFlagMutation, SetChannelReconnectFlagMutationVariables>;
export const ExchangeOauthDocument = new TypedDocumentString(`
    mutation ExchangeOauth($platform: String!, $input: ExchangeOauthInput!) {
  exchangeOauth(platform: $platform, input: $input) {
    kind
    platform
    connection {
      __typename
      ... on ChannelConnection {
        id
        platform
        platformChannelId
        channelName
        displayName
        avatarUrl
        scopes
        credentialSource
        botEnabled
        reconnectRequired
        expiresAt
        connectedAt
        connectedBy
        health {
          subscriptions {
            eventType
            refusal
          }
          lastEvents {
            eventType
            lastEventAt
          }
          reader {
            state
            detail
            since
          }
        }
      }
      ... on BotConnection {
        id
        platform
        botUserId
        botUsername
        avatarUrl
        isCustom
        credentialSource
        reconnectRequired
      }
      ... on DiscordGuild {
        id
        guildId
        name
        iconUrl
        channels {
          feature
          channelId
        }
        connectedAt
        connectedBy
      }
    }
    returnTo
  }
}
    `) as unknown as TypedDocumentString<ExchangeOauthMutation, ExchangeOauthMutationVariables>;
export const SaveAppCredentialsDocument = new TypedDocumentString(`
    mutation SaveAppCredentials($platform: String!, $input: SaveAppCredentialsInput!) {
  saveAppCredentials(platform: $platform, input: $input) {
    platform
    kind
    clientIdHint
    decryptable
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<SaveAppCredentialsMutation, SaveAppCredentialsMutationVariables>;
export const DeleteAppCredentialsDocument = new TypedDocumentString(`
    mutation DeleteAppCredentials($platform: String!) {
  deleteAppCredentials(platform: $platform)
}
    `) as unknown as TypedDocumentString<DeleteAppCredentialsMutation, DeleteAppCredentialsMutationVariables>;
export const AuthorizeBotDocument = new TypedDocumentString(`
    mutation AuthorizeBot($platform: String!, $returnTo: String) {
  authorizeBot(platform: $platform, returnTo: $returnTo) {
    authorizeUrl
    state
  }
}
    `) as unknown as TypedDocumentString<AuthorizeBotMutation, AuthorizeBotMutationVariables>;
export const DisconnectBotDocument = new TypedDocumentString(`
    mutation DisconnectBot($platform: String!) {
  disconnectBot(platform: $platform)
}
    `) as unknown as TypedDocumentString<DisconnectBotMutation, DisconnectBotMutationVariables>;
export const AdminAuthorizeBotDocument = new TypedDocumentString(`
    mutation AdminAuthorizeBot($platform: String!, $returnTo: String) {
  adminAuthorizeBot(platform: $platform, returnTo: $returnTo) {
    authorizeUrl
    state
  }
}
    `) as unknown as TypedDocumentString<AdminAuthorizeBotMutation, AdminAuthorizeBotMutationVariables>;
export const AdminSetDiscordBotTokenDocument = new TypedDocumentString(`
    mutation AdminSetDiscordBotToken($input: SetDiscordBotTokenInput!) {
  adminSetDiscordBotToken(input: $input) {
    id
    platform
    botUserId
    botUsername
    avatarUrl
    isCustom
    credentialSource
    reconnectRequired
  }
}
    `) as unknown as TypedDocumentString<AdminSetDiscordBotTokenMutation, AdminSetDiscordBotTokenMutationVariables>;
export const AdminDisconnectBotDocument = new TypedDocumentString(`
    mutation AdminDisconnectBot($platform: String!) {
  adminDisconnectBot(platform: $platform)
}
    `) as unknown as TypedDocumentString<AdminDisconnectBotMutation, AdminDisconnectBotMutationVariables>;
export const ToggleBotForPlatformDocument = new TypedDocumentString(`
    mutation ToggleBotForPlatform($input: ToggleBotForPlatformInput!) {
  toggleBotForPlatform(input: $input) {
    platform
    status
    botEnabled
    isPausedByStaff
    botUsername
    lastHeartbeatAt
  }
}
    `) as unknown as TypedDocumentString<ToggleBotForPlatformMutation, ToggleBotForPlatformMutationVariables>;
export const RejoinBotDocument = new TypedDocumentString(`
    mutation RejoinBot($input: RejoinBotInput!) {
  rejoinBot(input: $input) {
    success
  }
}
    `) as unknown as TypedDocumentString<RejoinBotMutation, RejoinBotMutationVariables>;
export const AdminPauseBotDocument = new TypedDocumentString(`
    mutation AdminPauseBot($accountId: UUID!, $platform: String!) {
  adminPauseBot(accountId: $accountId, platform: $platform) {
    accountId
    accountName
    platform
    channelName
    status
    botEnabled
    isPausedByStaff
    lastHeartbeatAt
  }
}
    `) as unknown as TypedDocumentString<AdminPauseBotMutation, AdminPauseBotMutationVariables>;
export const AdminResumeBotDocument = new TypedDocumentString(`
    mutation AdminResumeBot($accountId: UUID!, $platform: String!) {
  adminResumeBot(accountId: $accountId, platform: $platform) {
    accountId
    accountName
    platform
    channelName
    status
    botEnabled
    isPausedByStaff
    lastHeartbeatAt
  }
}
    `) as unknown as TypedDocumentString<AdminResumeBotMutation, AdminResumeBotMutationVariables>;
export const AuthorizeDiscordGuildDocument = new TypedDocumentString(`
    mutation AuthorizeDiscordGuild($returnTo: String) {
  authorizeDiscordGuild(returnTo: $returnTo) {
    authorizeUrl
    state
  }
}
    `) as unknown as TypedDocumentString<AuthorizeDiscordGuildMutation, AuthorizeDiscordGuildMutationVariables>;
export const AdminDeleteDiscordGuildDocument = new TypedDocumentString(`
    mutation AdminDeleteDiscordGuild($id: UUID!) {
  adminDeleteDiscordGuild(id: $id)
}
    `) as unknown as TypedDocumentString<AdminDeleteDiscordGuildMutation, AdminDeleteDiscordGuildMutationVariables>;
export const AdminUpsertSystemConnectionDocument = new TypedDocumentString(`
    mutation AdminUpsertSystemConnection($platform: String!, $input: UpsertSystemConnectionInput!) {
  adminUpsertSystemConnection(platform: $platform, input: $input) {
    platform
    kind
    configured
    clientIdHint
    decryptable
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminUpsertSystemConnectionMutation, AdminUpsertSystemConnectionMutationVariables>;
export const AdminDeleteSystemConnectionDocument = new TypedDocumentString(`
    mutation AdminDeleteSystemConnection($platform: String!, $kind: SystemConnectionKind) {
  adminDeleteSystemConnection(platform: $platform, kind: $kind)
}
    `) as unknown as TypedDocumentString<AdminDeleteSystemConnectionMutation, AdminDeleteSystemConnectionMutationVariables>;
export const RefreshPlatformUserProfileDocument = new TypedDocumentString(`
    mutation RefreshPlatformUserProfile($platform: String!, $platformUserId: String!) {
  refreshPlatformUserProfile(platform: $platform, platformUserId: $platformUserId) {
    platform
    platformUserId
    username
    displayName
    avatarUrl
    description
    accountCreatedAt
    broadcasterType
    isFollower
    followedAt
    isModerator
    isVip
    isSubscriber
    subscriberTier
    isBanned
    banReason
    timeoutUntil
    messageCount
    firstSeenAt
    lastSeenAt
    enrichedAt
    notesCount
  }
}
    `) as unknown as TypedDocumentString<RefreshPlatformUserProfileMutation, RefreshPlatformUserProfileMutationVariables>;
export const CreateUserNoteDocument = new TypedDocumentString(`
    mutation CreateUserNote($platform: String!, $platformUserId: String!, $input: CreateUserNoteInput!) {
  createUserNote(
    platform: $platform
    platformUserId: $platformUserId
    input: $input
  ) {
    id
    body
    author {
      id
      displayName
      avatarUrl
    }
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<CreateUserNoteMutation, CreateUserNoteMutationVariables>;
export const UpdateUserNoteDocument = new TypedDocumentString(`
    mutation UpdateUserNote($id: UUID!, $input: UpdateUserNoteInput!) {
  updateUserNote(id: $id, input: $input) {
    id
    body
    author {
      id
      displayName
      avatarUrl
    }
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<UpdateUserNoteMutation, UpdateUserNoteMutationVariables>;
export const DeleteUserNoteDocument = new TypedDocumentString(`
    mutation DeleteUserNote($id: UUID!) {
  deleteUserNote(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteUserNoteMutation, DeleteUserNoteMutationVariables>;
export const CreateExtensionDocument = new TypedDocumentString(`
    mutation CreateExtension($input: CreateExtensionInput!) {
  createExtension(input: $input) {
    id
    teamId
    shortId
    slug
    name
    shortDescription
    description
    category
    visibility
    status
    pricing {
      type
      amount
      currency
      interval
    }
    iconKey
    screenshots
    tags
    supportUrl
    installCount
    ratingAvg
    ratingCount
    currentVersionId
    listedAt
    publishedAt
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<CreateExtensionMutation, CreateExtensionMutationVariables>;
export const UpdateExtensionDocument = new TypedDocumentString(`
    mutation UpdateExtension($id: UUID!, $input: UpdateExtensionInput!) {
  updateExtension(id: $id, input: $input) {
    id
    teamId
    shortId
    slug
    name
    shortDescription
    description
    category
    visibility
    status
    pricing {
      type
      amount
      currency
      interval
    }
    iconKey
    screenshots
    tags
    supportUrl
    installCount
    ratingAvg
    ratingCount
    currentVersionId
    listedAt
    publishedAt
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<UpdateExtensionMutation, UpdateExtensionMutationVariables>;
export const DeleteExtensionDocument = new TypedDocumentString(`
    mutation DeleteExtension($id: UUID!) {
  deleteExtension(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteExtensionMutation, DeleteExtensionMutationVariables>;
export const SetExtensionVisibilityDocument = new TypedDocumentString(`
    mutation SetExtensionVisibility($id: UUID!, $input: SetExtensionVisibilityInput!) {
  setExtensionVisibility(id: $id, input: $input) {
    id
    teamId
    shortId
    slug
    name
    shortDescription
    description
    category
    visibility
    status
    pricing {
      type
      amount
      currency
      interval
    }
    iconKey
    screenshots
    tags
    supportUrl
    installCount
    ratingAvg
    ratingCount
    currentVersionId
    listedAt
    publishedAt
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<SetExtensionVisibilityMutation, SetExtensionVisibilityMutationVariables>;
export const TransferExtensionDocument = new TypedDocumentString(`
    mutation TransferExtension($id: UUID!, $input: TransferExtensionInput!) {
  transferExtension(id: $id, input: $input) {
    id
    teamId
    shortId
    slug
    name
    shortDescription
    description
    category
    visibility
    status
    pricing {
      type
      amount
      currency
      interval
    }
    iconKey
    screenshots
    tags
    supportUrl
    installCount
    ratingAvg
    ratingCount
    currentVersionId
    listedAt
    publishedAt
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<TransferExtensionMutation, TransferExtensionMutationVariables>;
export const WithdrawExtensionVersionDocument = new TypedDocumentString(`
    mutation WithdrawExtensionVersion($id: UUID!, $version: String!) {
  withdrawExtensionVersion(id: $id, version: $version) {
    id
    version
    status
    changelog
    breaking
    needsEnhancedReview
    bundleSizeBytes
    reviewNotes
    submittedAt
    approvedAt
  }
}
    `) as unknown as TypedDocumentString<WithdrawExtensionVersionMutation, WithdrawExtensionVersionMutationVariables>;
export const SubmitExtensionVersionDocument = new TypedDocumentString(`
    mutation SubmitExtensionVersion($id: UUID!, $version: String!) {
  submitExtensionVersion(id: $id, version: $version) {
    id
    version
    status
    changelog
    breaking
    needsEnhancedReview
    bundleSizeBytes
    reviewNotes
    submittedAt
    approvedAt
  }
}
    `) as unknown as TypedDocumentString<SubmitExtensionVersionMutation, SubmitExtensionVersionMutationVariables>;
export const RequestExtensionPublicationDocument = new TypedDocumentString(`
    mutation RequestExtensionPublication($id: UUID!, $version: String!) {
  requestExtensionPublication(id: $id, version: $version) {
    id
    version
    status
    changelog
    breaking
    needsEnhancedReview
    bundleSizeBytes
    reviewNotes
    submittedAt
    approvedAt
  }
}
    `) as unknown as TypedDocumentString<RequestExtensionPublicationMutation, RequestExtensionPublicationMutationVariables>;
export const AbandonExtensionVersionDocument = new TypedDocumentString(`
    mutation AbandonExtensionVersion($id: UUID!, $version: String!) {
  abandonExtensionVersion(id: $id, version: $version) {
    id
    version
    status
    changelog
    breaking
    needsEnhancedReview
    bundleSizeBytes
    reviewNotes
    submittedAt
    approvedAt
  }
}
    `) as unknown as TypedDocumentString<AbandonExtensionVersionMutation, AbandonExtensionVersionMutationVariables>;
export const SetExtensionSecretDocument = new TypedDocumentString(`
    mutation SetExtensionSecret($id: UUID!, $key: String!, $input: SetExtensionSecretInput!) {
  setExtensionSecret(id: $id, key: $key, input: $input) {
    success
  }
}
    `) as unknown as TypedDocumentString<SetExtensionSecretMutation, SetExtensionSecretMutationVariables>;
export const DeleteExtensionSecretDocument = new TypedDocumentString(`
    mutation DeleteExtensionSecret($id: UUID!, $key: String!) {
  deleteExtensionSecret(id: $id, key: $key)
}
    `) as unknown as TypedDocumentString<DeleteExtensionSecretMutation, DeleteExtensionSecretMutationVariables>;
export const InviteExtensionTesterDocument = new TypedDocumentString(`
    mutation InviteExtensionTester($id: UUID!, $input: InviteExtensionTesterInput!) {
  inviteExtensionTester(id: $id, input: $input) {
    userId
    username
    displayName
    avatarUrl
    createdAt
  }
}
    `) as unknown as TypedDocumentString<InviteExtensionTesterMutation, InviteExtensionTesterMutationVariables>;
export const RemoveExtensionTesterDocument = new TypedDocumentString(`
    mutation RemoveExtensionTester($id: UUID!, $userId: UUID!) {
  removeExtensionTester(id: $id, userId: $userId)
}
    `) as unknown as TypedDocumentString<RemoveExtensionTesterMutation, RemoveExtensionTesterMutationVariables>;
export const GrantExtensionAccessDocument = new TypedDocumentString(`
    mutation GrantExtensionAccess($id: UUID!, $input: GrantExtensionAccessInput!) {
  grantExtensionAccess(id: $id, input: $input) {
    accountId
    accountName
    grantedBy
    createdAt
  }
}
    `) as unknown as TypedDocumentString<GrantExtensionAccessMutation, GrantExtensionAccessMutationVariables>;
export const RevokeExtensionAccessDocument = new TypedDocumentString(`
    mutation RevokeExtensionAccess($id: UUID!, $accountId: UUID!) {
  revokeExtensionAccess(id: $id, accountId: $accountId)
}
    `) as unknown as TypedDocumentString<RevokeExtensionAccessMutation, RevokeExtensionAccessMutationVariables>;
export const AdminApproveExtensionTestingDocument = new TypedDocumentString(`
    mutation AdminApproveExtensionTesting($id: UUID!) {
  adminApproveExtensionTesting(id: $id) {
    id
    extensionId
    extensionName
    extensionSlug
    version
    status
    breaking
    needsEnhancedReview
    approvals
    awaitsListing
    bundleSizeBytes
    changelog
    submittedAt
    approvedAt
    reviewNotes
  }
}
    `) as unknown as TypedDocumentString<AdminApproveExtensionTestingMutation, AdminApproveExtensionTestingMutationVariables>;
export const AdminPublishExtensionVersionDocument = new TypedDocumentString(`
    mutation AdminPublishExtensionVersion($id: UUID!) {
  adminPublishExtensionVersion(id: $id) {
    id
    extensionId
    extensionName
    extensionSlug
    version
    status
    breaking
    needsEnhancedReview
    approvals
    awaitsListing
    bundleSizeBytes
    changelog
    submittedAt
    approvedAt
    reviewNotes
  }
}
    `) as unknown as TypedDocumentString<AdminPublishExtensionVersionMutation, AdminPublishExtensionVersionMutationVariables>;
export const AdminRejectExtensionVersionDocument = new TypedDocumentString(`
    mutation AdminRejectExtensionVersion($id: UUID!, $input: RejectExtensionVersionInput!) {
  adminRejectExtensionVersion(id: $id, input: $input) {
    id
    extensionId
    extensionName
    extensionSlug
    version
    status
    breaking
    needsEnhancedReview
    approvals
    awaitsListing
    bundleSizeBytes
    changelog
    submittedAt
    approvedAt
    reviewNotes
  }
}
    `) as unknown as TypedDocumentString<AdminRejectExtensionVersionMutation, AdminRejectExtensionVersionMutationVariables>;
export const AdminRevokeExtensionVersionDocument = new TypedDocumentString(`
    mutation AdminRevokeExtensionVersion($id: UUID!, $input: RevokeExtensionVersionInput!) {
  adminRevokeExtensionVersion(id: $id, input: $input) {
    id
    extensionId
    extensionName
    extensionSlug
    version
    status
    breaking
    needsEnhancedReview
    approvals
    awaitsListing
    bundleSizeBytes
    changelog
    submittedAt
    approvedAt
    reviewNotes
  }
}
    `) as unknown as TypedDocumentString<AdminRevokeExtensionVersionMutation, AdminRevokeExtensionVersionMutationVariables>;
export const AdminSuspendExtensionDocument = new TypedDocumentString(`
    mutation AdminSuspendExtension($id: UUID!, $input: SuspendExtensionInput!) {
  adminSuspendExtension(id: $id, input: $input) {
    id
    slug
    name
    visibility
    status
    currentVersion
    suspendedAt
    suspensionReason
  }
}
    `) as unknown as TypedDocumentString<AdminSuspendExtensionMutation, AdminSuspendExtensionMutationVariables>;
export const AdminUnsuspendExtensionDocument = new TypedDocumentString(`
    mutation AdminUnsuspendExtension($id: UUID!) {
  adminUnsuspendExtension(id: $id) {
    id
    slug
    name
    visibility
    status
    currentVersion
    suspendedAt
    suspensionReason
  }
}
    `) as unknown as TypedDocumentString<AdminUnsuspendExtensionMutation, AdminUnsuspendExtensionMutationVariables>;
export const CreateDeveloperTeamDocument = new TypedDocumentString(`
    mutation CreateDeveloperTeam($input: CreateDeveloperTeamInput!) {
  createDeveloperTeam(input: $input) {
    id
    name
    slug
    description
    githubUrl
    websiteUrl
    avatarKey
    ownerId
    memberCount
    myRole {
      id
      slug
      name
    }
    myPermissions
    createdAt
  }
}
    `) as unknown as TypedDocumentString<CreateDeveloperTeamMutation, CreateDeveloperTeamMutationVariables>;
export const UpdateDeveloperTeamDocument = new TypedDocumentString(`
    mutation UpdateDeveloperTeam($id: UUID!, $input: UpdateDeveloperTeamInput!) {
  updateDeveloperTeam(id: $id, input: $input) {
    id
    name
    slug
    description
    githubUrl
    websiteUrl
    avatarKey
    ownerId
    memberCount
    myRole {
      id
      slug
      name
    }
    myPermissions
    createdAt
  }
}
    `) as unknown as TypedDocumentString<UpdateDeveloperTeamMutation, UpdateDeveloperTeamMutationVariables>;
export const DeleteDeveloperTeamDocument = new TypedDocumentString(`
    mutation DeleteDeveloperTeam($id: UUID!) {
  deleteDeveloperTeam(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteDeveloperTeamMutation, DeleteDeveloperTeamMutationVariables>;
export const UpdateDeveloperTeamMemberRoleDocument = new TypedDocumentString(`
    mutation UpdateDeveloperTeamMemberRole($id: UUID!, $memberId: UUID!, $input: UpdateDeveloperTeamMemberRoleInput!) {
  updateDeveloperTeamMemberRole(id: $id, memberId: $memberId, input: $input) {
    id
    userId
    displayName
    avatarUrl
    role {
      id
      slug
      name
    }
    joinedAt
  }
}
    `) as unknown as TypedDocumentString<UpdateDeveloperTeamMemberRoleMutation, UpdateDeveloperTeamMemberRoleMutationVariables>;
export const RemoveDeveloperTeamMemberDocument = new TypedDocumentString(`
    mutation RemoveDeveloperTeamMember($id: UUID!, $memberId: UUID!) {
  removeDeveloperTeamMember(id: $id, memberId: $memberId)
}
    `) as unknown as TypedDocumentString<RemoveDeveloperTeamMemberMutation, RemoveDeveloperTeamMemberMutationVariables>;
export const CreateDeveloperTeamInviteDocument = new TypedDocumentString(`
    mutation CreateDeveloperTeamInvite($id: UUID!, $input: CreateDeveloperTeamInviteInput!) {
  createDeveloperTeamInvite(id: $id, input: $input) {
    id
    code
    url
    role {
      id
      slug
      name
    }
    email
    expiresAt
    maxUses
    useCount
    createdBy
    createdAt
  }
}
    `) as unknown as TypedDocumentString<CreateDeveloperTeamInviteMutation, CreateDeveloperTeamInviteMutationVariables>;
export const DeleteDeveloperTeamInviteDocument = new TypedDocumentString(`
    mutation DeleteDeveloperTeamInvite($id: UUID!, $inviteId: UUID!) {
  deleteDeveloperTeamInvite(id: $id, inviteId: $inviteId)
}
    `) as unknown as TypedDocumentString<DeleteDeveloperTeamInviteMutation, DeleteDeveloperTeamInviteMutationVariables>;
export const AcceptDeveloperTeamInviteDocument = new TypedDocumentString(`
    mutation AcceptDeveloperTeamInvite($code: String!) {
  acceptDeveloperTeamInvite(code: $code) {
    id
    name
    slug
    description
    githubUrl
    websiteUrl
    avatarKey
    ownerId
    memberCount
    myRole {
      id
      slug
      name
    }
    myPermissions
    createdAt
  }
}
    `) as unknown as TypedDocumentString<AcceptDeveloperTeamInviteMutation, AcceptDeveloperTeamInviteMutationVariables>;
export const CreateDeveloperTeamRoleDocument = new TypedDocumentString(`
    mutation CreateDeveloperTeamRole($id: UUID!, $input: CreateDeveloperTeamRoleInput!) {
  createDeveloperTeamRole(id: $id, input: $input) {
    id
    slug
    name
    description
    permissions
    isSystem
    memberCount
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<CreateDeveloperTeamRoleMutation, CreateDeveloperTeamRoleMutationVariables>;
export const UpdateDeveloperTeamRoleDocument = new TypedDocumentString(`
    mutation UpdateDeveloperTeamRole($id: UUID!, $rid: UUID!, $input: UpdateDeveloperTeamRoleInput!) {
  updateDeveloperTeamRole(id: $id, rid: $rid, input: $input) {
    id
    slug
    name
    description
    permissions
    isSystem
    memberCount
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<UpdateDeveloperTeamRoleMutation, UpdateDeveloperTeamRoleMutationVariables>;
export const DeleteDeveloperTeamRoleDocument = new TypedDocumentString(`
    mutation DeleteDeveloperTeamRole($id: UUID!, $rid: UUID!) {
  deleteDeveloperTeamRole(id: $id, rid: $rid)
}
    `) as unknown as TypedDocumentString<DeleteDeveloperTeamRoleMutation, DeleteDeveloperTeamRoleMutationVariables>;
export const SubmitDeveloperApplicationDocument = new TypedDocumentString(`
    mutation SubmitDeveloperApplication($input: SubmitDeveloperApplicationInput!) {
  submitDeveloperApplication(input: $input) {
    id
    userId
    applicationType
    displayName
    slug
    description
    motivation
    whatToBuild
    githubUrl
    websiteUrl
    experience
    avatarKey
    status
    reviewNotes
    reviewedBy
    reviewedAt
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<SubmitDeveloperApplicationMutation, SubmitDeveloperApplicationMutationVariables>;
export const AdminApproveDeveloperApplicationDocument = new TypedDocumentString(`
    mutation AdminApproveDeveloperApplication($id: UUID!, $input: AdminApproveDeveloperApplicationInput) {
  adminApproveDeveloperApplication(id: $id, input: $input) {
    success
    newStatus
  }
}
    `) as unknown as TypedDocumentString<AdminApproveDeveloperApplicationMutation, AdminApproveDeveloperApplicationMutationVariables>;
export const AdminRejectDeveloperApplicationDocument = new TypedDocumentString(`
    mutation AdminRejectDeveloperApplication($id: UUID!, $input: AdminRejectDeveloperApplicationInput!) {
  adminRejectDeveloperApplication(id: $id, input: $input) {
    success
    newStatus
  }
}
    `) as unknown as TypedDocumentString<AdminRejectDeveloperApplicationMutation, AdminRejectDeveloperApplicationMutationVariables>;
export const SubmitDeveloperVerificationDocument = new TypedDocumentString(`
    mutation SubmitDeveloperVerification($input: SubmitDeveloperVerificationInput!) {
  submitDeveloperVerification(input: $input) {
    id
    developerId
    legalName
    companyName
    addressLine1
    addressLine2
    postalCode
    city
    country
    taxId
    tradeRegisterId
    documentKey
    status
    reviewNotes
    reviewedBy
    reviewedAt
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<SubmitDeveloperVerificationMutation, SubmitDeveloperVerificationMutationVariables>;
export const AdminApproveDeveloperVerificationDocument = new TypedDocumentString(`
    mutation AdminApproveDeveloperVerification($id: UUID!, $input: AdminApproveDeveloperVerificationInput) {
  adminApproveDeveloperVerification(id: $id, input: $input) {
    success
    newStatus
  }
}
    `) as unknown as TypedDocumentString<AdminApproveDeveloperVerificationMutation, AdminApproveDeveloperVerificationMutationVariables>;
export const AdminRejectDeveloperVerificationDocument = new TypedDocumentString(`
    mutation AdminRejectDeveloperVerification($id: UUID!, $input: AdminRejectDeveloperVerificationInput!) {
  adminRejectDeveloperVerification(id: $id, input: $input) {
    success
    newStatus
  }
}
    `) as unknown as TypedDocumentString<AdminRejectDeveloperVerificationMutation, AdminRejectDeveloperVerificationMutationVariables>;
export const UpdateDeveloperProfileDocument = new TypedDocumentString(`
    mutation UpdateDeveloperProfile($input: UpdateDeveloperProfileInput!) {
  updateDeveloperProfile(input: $input) {
    id
    userId
    displayName
    slug
    description
    githubUrl
    websiteUrl
    avatarKey
    verified
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<UpdateDeveloperProfileMutation, UpdateDeveloperProfileMutationVariables>;
export const UpdateDeveloperPayoutSettingsDocument = new TypedDocumentString(`
    mutation UpdateDeveloperPayoutSettings($input: UpdateDeveloperPayoutSettingsInput!) {
  updateDeveloperPayoutSettings(input: $input) {
    id
    userId
    teamId
    paymentConnectId
    paypalStyleEmail
    bankIban
    bankBic
    bankName
    payoutMethod
    revenueBalance
    totalEarned
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<UpdateDeveloperPayoutSettingsMutation, UpdateDeveloperPayoutSettingsMutationVariables>;
export const RequestDeveloperPayoutDocument = new TypedDocumentString(`
    mutation RequestDeveloperPayout($input: RequestDeveloperPayoutInput) {
  requestDeveloperPayout(input: $input) {
    id
    amount
    currency
    method
    status
    createdAt
    paidAt
  }
}
    `) as unknown as TypedDocumentString<RequestDeveloperPayoutMutation, RequestDeveloperPayoutMutationVariables>;
export const AdminUpdateExtensionLimitsDocument = new TypedDocumentString(`
    mutation AdminUpdateExtensionLimits($id: UUID!, $input: AdminUpdateExtensionLimitsInput!) {
  adminUpdateExtensionLimits(id: $id, input: $input) {
    success
  }
}
    `) as unknown as TypedDocumentString<AdminUpdateExtensionLimitsMutation, AdminUpdateExtensionLimitsMutationVariables>;
export const CreateLimitRequestDocument = new TypedDocumentString(`
    mutation CreateLimitRequest($input: CreateLimitRequestInput!) {
  createLimitRequest(input: $input) {
    id
    developerId
    requestedBy
    scope
    extensionId
    limitKey
    currentValue
    requestedValue
    reason
    status
    reviewNotes
    reviewedBy
    reviewedAt
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<CreateLimitRequestMutation, CreateLimitRequestMutationVariables>;
export const AdminReviewLimitRequestDocument = new TypedDocumentString(`
    mutation AdminReviewLimitRequest($id: UUID!, $input: AdminReviewLimitRequestInput!) {
  adminReviewLimitRequest(id: $id, input: $input) {
    id
    developerId
    requestedBy
    scope
    extensionId
    limitKey
    currentValue
    requestedValue
    reason
    status
    reviewNotes
    reviewedBy
    reviewedAt
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminReviewLimitRequestMutation, AdminReviewLimitRequestMutationVariables>;
export const CreateExtensionReviewDocument = new TypedDocumentString(`
    mutation CreateExtensionReview($id: UUID!, $input: CreateExtensionReviewInput!) {
  createExtensionReview(id: $id, input: $input) {
    id
    extensionId
    rating
    title
    body
    author {
      id
      displayName
      avatarUrl
    }
    developerReply
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<CreateExtensionReviewMutation, CreateExtensionReviewMutationVariables>;
export const UpdateExtensionReviewDocument = new TypedDocumentString(`
    mutation UpdateExtensionReview($id: UUID!, $reviewId: UUID!, $input: UpdateExtensionReviewInput!) {
  updateExtensionReview(id: $id, reviewId: $reviewId, input: $input) {
    id
    extensionId
    rating
    title
    body
    author {
      id
      displayName
      avatarUrl
    }
    developerReply
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<UpdateExtensionReviewMutation, UpdateExtensionReviewMutationVariables>;
export const DeleteExtensionReviewDocument = new TypedDocumentString(`
    mutation DeleteExtensionReview($id: UUID!, $reviewId: UUID!) {
  deleteExtensionReview(id: $id, reviewId: $reviewId)
}
    `) as unknown as TypedDocumentString<DeleteExtensionReviewMutation, DeleteExtensionReviewMutationVariables>;
export const SubmitExtensionFeedbackDocument = new TypedDocumentString(`
    mutation SubmitExtensionFeedback($id: UUID!, $input: SubmitExtensionFeedbackInput!) {
  submitExtensionFeedback(id: $id, input: $input) {
    id
    extensionId
    version
    category
    body
    createdAt
  }
}
    `) as unknown as TypedDocumentString<SubmitExtensionFeedbackMutation, SubmitExtensionFeedbackMutationVariables>;
export const InstallExtensionDocument = new TypedDocumentString(`
    mutation InstallExtension($input: InstallExtensionInput!) {
  installExtension(input: $input) {
    id
    accountId
    extensionId
    extensionSlug
    extensionName
    category
    version
    pinnedVersion
    enabled
    effective {
      runs
      reason
    }
    config
    configSchema
    effectiveConfig
    grantedPermissions
    updateAvailable
    updateRequiresConsent
    installedBy
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<InstallExtensionMutation, InstallExtensionMutationVariables>;
export const ConfigureExtensionDocument = new TypedDocumentString(`
    mutation ConfigureExtension($id: UUID!, $input: ConfigureExtensionInput!) {
  configureExtension(id: $id, input: $input) {
    id
    accountId
    extensionId
    extensionSlug
    extensionName
    category
    version
    pinnedVersion
    enabled
    effective {
      runs
      reason
    }
    config
    configSchema
    effectiveConfig
    grantedPermissions
    updateAvailable
    updateRequiresConsent
    installedBy
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<ConfigureExtensionMutation, ConfigureExtensionMutationVariables>;
export const AcceptExtensionUpdateDocument = new TypedDocumentString(`
    mutation AcceptExtensionUpdate($id: UUID!, $input: AcceptExtensionUpdateInput!) {
  acceptExtensionUpdate(id: $id, input: $input) {
    id
    accountId
    extensionId
    extensionSlug
    extensionName
    category
    version
    pinnedVersion
    enabled
    effective {
      runs
      reason
    }
    config
    configSchema
    effectiveConfig
    grantedPermissions
    updateAvailable
    updateRequiresConsent
    installedBy
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AcceptExtensionUpdateMutation, AcceptExtensionUpdateMutationVariables>;
export const UninstallExtensionDocument = new TypedDocumentString(`
    mutation UninstallExtension($id: UUID!) {
  uninstallExtension(id: $id)
}
    `) as unknown as TypedDocumentString<UninstallExtensionMutation, UninstallExtensionMutationVariables>;
export const SetExtensionStorageDocument = new TypedDocumentString(`
    mutation SetExtensionStorage($id: UUID!, $input: SetExtensionStorageInput!) {
  setExtensionStorage(id: $id, input: $input) {
    value
    version
  }
}
    `) as unknown as TypedDocumentString<SetExtensionStorageMutation, SetExtensionStorageMutationVariables>;
export const CallExtensionFunctionDocument = new TypedDocumentString(`
    mutation CallExtensionFunction($installId: UUID!, $function: String!, $input: CallExtensionFunctionInput!) {
  callExtensionFunction(installId: $installId, function: $function, input: $input)
}
    `) as unknown as TypedDocumentString<CallExtensionFunctionMutation, CallExtensionFunctionMutationVariables>;
export const IssueExtensionTokenDocument = new TypedDocumentString(`
    mutation IssueExtensionToken($id: UUID!, $input: IssueExtensionTokenInput!) {
  issueExtensionToken(id: $id, input: $input) {
    token
    expiresAt
  }
}
    `) as unknown as TypedDocumentString<IssueExtensionTokenMutation, IssueExtensionTokenMutationVariables>;
export const EmitEventDocument = new TypedDocumentString(`
    mutation EmitEvent($input: EmitEventInput!) {
  emitEvent(input: $input) {
    id
    accountId
    eventType
    platform
    platformUserId
    username
    displayName
    avatarUrl
    amount
    currency
    message
    data
    isTest
    occurredAt
  }
}
    `) as unknown as TypedDocumentString<EmitEventMutation, EmitEventMutationVariables>;
export const SendChatToPlatformDocument = new TypedDocumentString(`
    mutation SendChatToPlatform($input: SendChatToPlatformInput!) {
  sendChatToPlatform(input: $input) {
    sent
    messageId
    error
    errorCode
    platform
  }
}
    `) as unknown as TypedDocumentString<SendChatToPlatformMutation, SendChatToPlatformMutationVariables>;
export const ModerateChatDocument = new TypedDocumentString(`
    mutation ModerateChat($input: ModerationInput!) {
  moderateChat(input: $input) {
    success
    details
  }
}
    `) as unknown as TypedDocumentString<ModerateChatMutation, ModerateChatMutationVariables>;
export const StartRaidDocument = new TypedDocumentString(`
    mutation StartRaid($input: StartRaidInput!) {
  startRaid(input: $input) {
    platform
    status
    target
    targetId
    targetName
    startedAt
  }
}
    `) as unknown as TypedDocumentString<StartRaidMutation, StartRaidMutationVariables>;
export const CancelRaidDocument = new TypedDocumentString(`
    mutation CancelRaid($platform: String) {
  cancelRaid(platform: $platform) {
    success
  }
}
    `) as unknown as TypedDocumentString<CancelRaidMutation, CancelRaidMutationVariables>;
export const CreatePollDocument = new TypedDocumentString(`
    mutation CreatePoll($input: CreatePollInput!) {
  createPoll(input: $input) {
    id
    accountId
    platform
    platformPollId
    title
    choices {
      id
      title
      votes
    }
    status
    winningChoiceId
    startedAt
    endsAt
    endedAt
  }
}
    `) as unknown as TypedDocumentString<CreatePollMutation, CreatePollMutationVariables>;
export const EndPollDocument = new TypedDocumentString(`
    mutation EndPoll($id: UUID!, $input: EndPollInput!) {
  endPoll(id: $id, input: $input) {
    id
    accountId
    platform
    platformPollId
    title
    choices {
      id
      title
      votes
    }
    status
    winningChoiceId
    startedAt
    endsAt
    endedAt
  }
}
    `) as unknown as TypedDocumentString<EndPollMutation, EndPollMutationVariables>;
export const CreatePredictionDocument = new TypedDocumentString(`
    mutation CreatePrediction($input: CreatePredictionInput!) {
  createPrediction(input: $input) {
    id
    accountId
    platform
    platformPredictionId
    title
    outcomes {
      id
      title
      users
      channelPoints
    }
    status
    winningOutcomeId
    startedAt
    locksAt
    endedAt
  }
}
    `) as unknown as TypedDocumentString<CreatePredictionMutation, CreatePredictionMutationVariables>;
export const EndPredictionDocument = new TypedDocumentString(`
    mutation EndPrediction($id: UUID!, $input: EndPredictionInput!) {
  endPrediction(id: $id, input: $input) {
    id
    accountId
    platform
    platformPredictionId
    title
    outcomes {
      id
      title
      users
      channelPoints
    }
    status
    winningOutcomeId
    startedAt
    locksAt
    endedAt
  }
}
    `) as unknown as TypedDocumentString<EndPredictionMutation, EndPredictionMutationVariables>;
export const MarkNotificationReadDocument = new TypedDocumentString(`
    mutation MarkNotificationRead($id: UUID!) {
  markNotificationRead(id: $id) {
    success
  }
}
    `) as unknown as TypedDocumentString<MarkNotificationReadMutation, MarkNotificationReadMutationVariables>;
export const MarkAllNotificationsReadDocument = new TypedDocumentString(`
    mutation MarkAllNotificationsRead {
  markAllNotificationsRead {
    success
  }
}
    `) as unknown as TypedDocumentString<MarkAllNotificationsReadMutation, MarkAllNotificationsReadMutationVariables>;
export const RunNotificationActionDocument = new TypedDocumentString(`
    mutation RunNotificationAction($id: UUID!, $key: String!) {
  runNotificationAction(id: $id, key: $key) {
    success
  }
}
    `) as unknown as TypedDocumentString<RunNotificationActionMutation, RunNotificationActionMutationVariables>;
export const DeleteNotificationDocument = new TypedDocumentString(`
    mutation DeleteNotification($id: UUID!) {
  deleteNotification(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteNotificationMutation, DeleteNotificationMutationVariables>;
export const UpdateNotificationPreferenceDocument = new TypedDocumentString(`
    mutation UpdateNotificationPreference($notificationType: String!, $channel: NotificationChannel!) {
  updateNotificationPreference(
    notificationType: $notificationType
    channel: $channel
  ) {
    notificationType
    channel
    locked
  }
}
    `) as unknown as TypedDocumentString<UpdateNotificationPreferenceMutation, UpdateNotificationPreferenceMutationVariables>;
export const CreateSupportTicketDocument = new TypedDocumentString(`
    mutation CreateSupportTicket($input: CreateSupportTicketInput!) {
  createSupportTicket(input: $input) {
    id
    userId
    userDisplayName
    accountId
    subject
    body
    status
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<CreateSupportTicketMutation, CreateSupportTicketMutationVariables>;
export const AdminUpdateSupportTicketDocument = new TypedDocumentString(`
    mutation AdminUpdateSupportTicket($id: UUID!, $input: UpdateSupportTicketInput!) {
  adminUpdateSupportTicket(id: $id, input: $input) {
    id
    userId
    userDisplayName
    accountId
    subject
    body
    status
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminUpdateSupportTicketMutation, AdminUpdateSupportTicketMutationVariables>;
export const EraseYoutubeMemberDataDocument = new TypedDocumentString(`
    mutation EraseYoutubeMemberData($id: String!) {
  eraseYoutubeMemberData(id: $id) {
    erasedKeyCount
    deletedMessageCount
    affectedAccountIds
  }
}
    `) as unknown as TypedDocumentString<EraseYoutubeMemberDataMutation, EraseYoutubeMemberDataMutationVariables>;
export const EraseChatSubjectDataDocument = new TypedDocumentString(`
    mutation EraseChatSubjectData($input: EraseChatSubjectInput!) {
  eraseChatSubjectData(input: $input) {
    deletedMessageCount
    affectedAccountIds
  }
}
    `) as unknown as TypedDocumentString<EraseChatSubjectDataMutation, EraseChatSubjectDataMutationVariables>;
export const CreateBotCommandDocument = new TypedDocumentString(`
    mutation CreateBotCommand($input: CreateBotCommandInput!) {
  createBotCommand(input: $input) {
    id
    accountId
    name
    aliases
    description
    responseType
    response
    automationId
    platforms
    minRole
    cooldownGlobal
    cooldownUser
    enabled
    useCount
    isOverride
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<CreateBotCommandMutation, CreateBotCommandMutationVariables>;
export const UpdateBotCommandDocument = new TypedDocumentString(`
    mutation UpdateBotCommand($id: UUID!, $input: UpdateBotCommandInput!) {
  updateBotCommand(id: $id, input: $input) {
    id
    accountId
    name
    aliases
    description
    responseType
    response
    automationId
    platforms
    minRole
    cooldownGlobal
    cooldownUser
    enabled
    useCount
    isOverride
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<UpdateBotCommandMutation, UpdateBotCommandMutationVariables>;
export const DeleteBotCommandDocument = new TypedDocumentString(`
    mutation DeleteBotCommand($id: UUID!) {
  deleteBotCommand(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteBotCommandMutation, DeleteBotCommandMutationVariables>;
export const OverrideGlobalCommandDocument = new TypedDocumentString(`
    mutation OverrideGlobalCommand($id: UUID!, $input: OverrideGlobalCommandInput!) {
  overrideGlobalCommand(id: $id, input: $input) {
    id
    accountId
    name
    aliases
    description
    responseType
    response
    automationId
    platforms
    minRole
    cooldownGlobal
    cooldownUser
    enabled
    useCount
    isOverride
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<OverrideGlobalCommandMutation, OverrideGlobalCommandMutationVariables>;
export const ResetCommandOverrideDocument = new TypedDocumentString(`
    mutation ResetCommandOverride($id: UUID!) {
  resetCommandOverride(id: $id)
}
    `) as unknown as TypedDocumentString<ResetCommandOverrideMutation, ResetCommandOverrideMutationVariables>;
export const AdminCreateBotCommandDocument = new TypedDocumentString(`
    mutation AdminCreateBotCommand($input: CreateBotCommandInput!) {
  adminCreateBotCommand(input: $input) {
    id
    accountId
    name
    aliases
    description
    responseType
    response
    automationId
    platforms
    minRole
    cooldownGlobal
    cooldownUser
    enabled
    useCount
    isOverride
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminCreateBotCommandMutation, AdminCreateBotCommandMutationVariables>;
export const AdminUpdateBotCommandDocument = new TypedDocumentString(`
    mutation AdminUpdateBotCommand($id: UUID!, $input: UpdateBotCommandInput!) {
  adminUpdateBotCommand(id: $id, input: $input) {
    id
    accountId
    name
    aliases
    description
    responseType
    response
    automationId
    platforms
    minRole
    cooldownGlobal
    cooldownUser
    enabled
    useCount
    isOverride
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AdminUpdateBotCommandMutation, AdminUpdateBotCommandMutationVariables>;
export const AdminDeleteBotCommandDocument = new TypedDocumentString(`
    mutation AdminDeleteBotCommand($id: UUID!) {
  adminDeleteBotCommand(id: $id)
}
    `) as unknown as TypedDocumentString<AdminDeleteBotCommandMutation, AdminDeleteBotCommandMutationVariables>;
export const UpdateBotModuleDocument = new TypedDocumentString(`
    mutation UpdateBotModule($name: String!, $input: UpdateBotModuleInput!) {
  updateBotModule(name: $name, input: $input) {
    source
    name
    installId
    enabled
    config
    exemptRoles {
      moderator
      vip
      subscriber
    }
    killed
  }
}
    `) as unknown as TypedDocumentString<UpdateBotModuleMutation, UpdateBotModuleMutationVariables>;
export const DeleteBotModuleDocument = new TypedDocumentString(`
    mutation DeleteBotModule($name: String!) {
  deleteBotModule(name: $name)
}
    `) as unknown as TypedDocumentString<DeleteBotModuleMutation, DeleteBotModuleMutationVariables>;
export const KillBotModuleDocument = new TypedDocumentString(`
    mutation KillBotModule($input: KillBotModuleInput!) {
  killBotModule(input: $input)
}
    `) as unknown as TypedDocumentString<KillBotModuleMutation, KillBotModuleMutationVariables>;
export const AddSafeSongDocument = new TypedDocumentString(`
    mutation AddSafeSong($input: CopyrightSongInput!) {
  addSafeSong(input: $input) {
    id
    title
    artist
    spotifyTrackId
    isrc
    createdAt
  }
}
    `) as unknown as TypedDocumentString<AddSafeSongMutation, AddSafeSongMutationVariables>;
export const DeleteSafeSongDocument = new TypedDocumentString(`
    mutation DeleteSafeSong($id: UUID!) {
  deleteSafeSong(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteSafeSongMutation, DeleteSafeSongMutationVariables>;
export const AddBlockedSongDocument = new TypedDocumentString(`
    mutation AddBlockedSong($input: CopyrightSongInput!) {
  addBlockedSong(input: $input) {
    id
    title
    artist
    spotifyTrackId
    isrc
    createdAt
  }
}
    `) as unknown as TypedDocumentString<AddBlockedSongMutation, AddBlockedSongMutationVariables>;
export const DeleteBlockedSongDocument = new TypedDocumentString(`
    mutation DeleteBlockedSong($id: UUID!) {
  deleteBlockedSong(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteBlockedSongMutation, DeleteBlockedSongMutationVariables>;
export const ImportCopyrightPlaylistDocument = new TypedDocumentString(`
    mutation ImportCopyrightPlaylist($input: ImportCopyrightPlaylistInput!) {
  importCopyrightPlaylist(input: $input) {
    sync {
      id
      playlistId
      name
      list
      trackCount
      lastSyncedAt
      error
      createdAt
    }
    imported
    skipped
    isComplete
  }
}
    `) as unknown as TypedDocumentString<ImportCopyrightPlaylistMutation, ImportCopyrightPlaylistMutationVariables>;
export const DeleteCopyrightPlaylistSyncDocument = new TypedDocumentString(`
    mutation DeleteCopyrightPlaylistSync($id: UUID!) {
  deleteCopyrightPlaylistSync(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteCopyrightPlaylistSyncMutation, DeleteCopyrightPlaylistSyncMutationVariables>;
export const VoteCopyrightDocument = new TypedDocumentString(`
    mutation VoteCopyright($input: VoteCopyrightInput!) {
  voteCopyright(input: $input) {
    id
    song {
      id
      title
      artist
      spotifyTrackId
      isrc
    }
    vote
    reason
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<VoteCopyrightMutation, VoteCopyrightMutationVariables>;
export const CreateCopyrightReportDocument = new TypedDocumentString(`
    mutation CreateCopyrightReport($input: CreateCopyrightReportInput!) {
  createCopyrightReport(input: $input) {
    id
    song {
      id
      title
      artist
      spotifyTrackId
      isrc
    }
    vote
    reason
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<CreateCopyrightReportMutation, CreateCopyrightReportMutationVariables>;
export const CreateSafeRecommendationDocument = new TypedDocumentString(`
    mutation CreateSafeRecommendation($input: CreateSafeRecommendationInput!) {
  createSafeRecommendation(input: $input) {
    id
    song {
      id
      title
      artist
      spotifyTrackId
      isrc
    }
    vote
    reason
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<CreateSafeRecommendationMutation, CreateSafeRecommendationMutationVariables>;
export const AdminApproveCopyrightCandidateDocument = new TypedDocumentString(`
    mutation AdminApproveCopyrightCandidate($id: UUID!) {
  adminApproveCopyrightCandidate(id: $id) {
    id
    song {
      id
      title
      artist
      spotifyTrackId
      isrc
    }
    vote
    status
    accounts
    createdAt
  }
}
    `) as unknown as TypedDocumentString<AdminApproveCopyrightCandidateMutation, AdminApproveCopyrightCandidateMutationVariables>;
export const AdminDismissCopyrightCandidateDocument = new TypedDocumentString(`
    mutation AdminDismissCopyrightCandidate($id: UUID!) {
  adminDismissCopyrightCandidate(id: $id) {
    id
    song {
      id
      title
      artist
      spotifyTrackId
      isrc
    }
    vote
    status
    accounts
    createdAt
  }
}
    `) as unknown as TypedDocumentString<AdminDismissCopyrightCandidateMutation, AdminDismissCopyrightCandidateMutationVariables>;
export const CreateAutomationDocument = new TypedDocumentString(`
    mutation CreateAutomation($input: CreateAutomationInput!) {
  createAutomation(input: $input) {
    id
    accountId
    name
    description
    enabled
    triggerTypes
    version
    lastRunAt
    nextRunAt
    runCount
    createdBy
    createdAt
    updatedAt
    nodes {
      id
      type
      label
      config
      position {
        x
        y
      }
      installId
    }
    edges {
      id
      sourceNodeId
      sourceHandle
      targetNodeId
    }
  }
}
    `) as unknown as TypedDocumentString<CreateAutomationMutation, CreateAutomationMutationVariables>;
export const UpdateAutomationDocument = new TypedDocumentString(`
    mutation UpdateAutomation($input: UpdateAutomationInput!) {
  updateAutomation(input: $input) {
    id
    accountId
    name
    description
    enabled
    triggerTypes
    version
    lastRunAt
    nextRunAt
    runCount
    createdBy
    createdAt
    updatedAt
    nodes {
      id
      type
      label
      config
      position {
        x
        y
      }
      installId
    }
    edges {
      id
      sourceNodeId
      sourceHandle
      targetNodeId
    }
  }
}
    `) as unknown as TypedDocumentString<UpdateAutomationMutation, UpdateAutomationMutationVariables>;
export const DeleteAutomationDocument = new TypedDocumentString(`
    mutation DeleteAutomation($id: UUID!) {
  deleteAutomation(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteAutomationMutation, DeleteAutomationMutationVariables>;
export const DuplicateAutomationDocument = new TypedDocumentString(`
    mutation DuplicateAutomation($id: UUID!) {
  duplicateAutomation(id: $id) {
    id
    accountId
    name
    description
    enabled
    triggerTypes
    version
    lastRunAt
    nextRunAt
    runCount
    createdBy
    createdAt
    updatedAt
    nodes {
      id
      type
      label
      config
      position {
        x
        y
      }
      installId
    }
    edges {
      id
      sourceNodeId
      sourceHandle
      targetNodeId
    }
  }
}
    `) as unknown as TypedDocumentString<DuplicateAutomationMutation, DuplicateAutomationMutationVariables>;
export const UpdateAutomationGraphDocument = new TypedDocumentString(`
    mutation UpdateAutomationGraph($id: UUID!, $version: Int!, $nodes: [AutomationNodeInput!]!, $edges: [AutomationEdgeInput!]!) {
  updateAutomationGraph(id: $id, version: $version, nodes: $nodes, edges: $edges) {
    id
    accountId
    name
    description
    enabled
    triggerTypes
    version
    lastRunAt
    nextRunAt
    runCount
    createdBy
    createdAt
    updatedAt
    nodes {
      id
      type
      label
      config
      position {
        x
        y
      }
      installId
    }
    edges {
      id
      sourceNodeId
      sourceHandle
      targetNodeId
    }
  }
}
    `) as unknown as TypedDocumentString<UpdateAutomationGraphMutation, UpdateAutomationGraphMutationVariables>;
export const UpdateAutomationNodesDocument = new TypedDocumentString(`
    mutation UpdateAutomationNodes($id: UUID!, $version: Int!, $nodes: [AutomationNodeInput!]!) {
  updateAutomationNodes(id: $id, version: $version, nodes: $nodes) {
    id
    accountId
    name
    description
    enabled
    triggerTypes
    version
    lastRunAt
    nextRunAt
    runCount
    createdBy
    createdAt
    updatedAt
    nodes {
      id
      type
      label
      config
      position {
        x
        y
      }
      installId
    }
    edges {
      id
      sourceNodeId
      sourceHandle
      targetNodeId
    }
  }
}
    `) as unknown as TypedDocumentString<UpdateAutomationNodesMutation, UpdateAutomationNodesMutationVariables>;
export const UpdateAutomationEdgesDocument = new TypedDocumentString(`
    mutation UpdateAutomationEdges($id: UUID!, $version: Int!, $edges: [AutomationEdgeInput!]!) {
  updateAutomationEdges(id: $id, version: $version, edges: $edges) {
    id
    accountId
    name
    description
    enabled
    triggerTypes
    version
    lastRunAt
    nextRunAt
    runCount
    createdBy
    createdAt
    updatedAt
    nodes {
      id
      type
      label
      config
      position {
        x
        y
      }
      installId
    }
    edges {
      id
      sourceNodeId
      sourceHandle
      targetNodeId
    }
  }
}
    `) as unknown as TypedDocumentString<UpdateAutomationEdgesMutation, UpdateAutomationEdgesMutationVariables>;
export const ExecuteAutomationDocument = new TypedDocumentString(`
    mutation ExecuteAutomation($id: UUID!, $input: JSON, $triggerNodeId: UUID) {
  executeAutomation(id: $id, input: $input, triggerNodeId: $triggerNodeId) {
    runId
  }
}
    `) as unknown as TypedDocumentString<ExecuteAutomationMutation, ExecuteAutomationMutationVariables>;
export const CancelAutomationRunDocument = new TypedDocumentString(`
    mutation CancelAutomationRun($runId: UUID!) {
  cancelAutomationRun(runId: $runId) {
    id
    automationId
    status
    trigger
    isTest
    parentRunId
    error
    createdAt
    startedAt
    finishedAt
    stepCount
    steps {
      position
      nodeId
      status
      input
      output
      branch
      error
      startedAt
      durationMs
    }
  }
}
    `) as unknown as TypedDocumentString<CancelAutomationRunMutation, CancelAutomationRunMutationVariables>;
export const DryRunAutomationDocument = new TypedDocumentString(`
    mutation DryRunAutomation($id: UUID!, $input: JSON, $event: JSON, $eventId: UUID, $triggerNodeId: UUID) {
  dryRunAutomation(
    id: $id
    input: $input
    event: $event
    eventId: $eventId
    triggerNodeId: $triggerNodeId
  ) {
    status
    steps {
      nodeId
      status
      input
      output
      branch
      effect {
        type
        arguments
      }
      error
    }
  }
}
    `) as unknown as TypedDocumentString<DryRunAutomationMutation, DryRunAutomationMutationVariables>;
export const CreateOverlayDocument = new TypedDocumentString(`
    mutation CreateOverlay($input: CreateOverlayInput!) {
  createOverlay(input: $input) {
    id
    accountId
    name
    key
    width
    height
    background
    version
    thumbnailUploadId
    myAccess
    layerCount
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<CreateOverlayMutation, CreateOverlayMutationVariables>;
export const UpdateOverlayDocument = new TypedDocumentString(`
    mutation UpdateOverlay($input: UpdateOverlayInput!) {
  updateOverlay(input: $input) {
    id
    accountId
    name
    key
    width
    height
    background
    version
    thumbnailUploadId
    myAccess
    layerCount
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<UpdateOverlayMutation, UpdateOverlayMutationVariables>;
export const DeleteOverlayDocument = new TypedDocumentString(`
    mutation DeleteOverlay($id: UUID!) {
  deleteOverlay(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteOverlayMutation, DeleteOverlayMutationVariables>;
export const DuplicateOverlayDocument = new TypedDocumentString(`
    mutation DuplicateOverlay($id: UUID!) {
  duplicateOverlay(id: $id) {
    id
    accountId
    name
    key
    width
    height
    background
    version
    thumbnailUploadId
    myAccess
    layerCount
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<DuplicateOverlayMutation, DuplicateOverlayMutationVariables>;
export const UpdateOverlayLayersDocument = new TypedDocumentString(`
    mutation UpdateOverlayLayers($overlayId: UUID!, $layers: [OverlayLayerInput!]!, $version: Int) {
  updateOverlayLayers(overlayId: $overlayId, layers: $layers, version: $version) {
    id
    overlayId
    type
    name
    config
    visible
    sortOrder
    installId
    x
    y
    width
    height
    rotation
    opacity
    locked
  }
}
    `) as unknown as TypedDocumentString<UpdateOverlayLayersMutation, UpdateOverlayLayersMutationVariables>;
export const UpdateOverlayLayerDocument = new TypedDocumentString(`
    mutation UpdateOverlayLayer($overlayId: UUID!, $layerId: UUID!, $input: UpdateOverlayLayerInput!) {
  updateOverlayLayer(overlayId: $overlayId, layerId: $layerId, input: $input) {
    id
    overlayId
    type
    name
    config
    visible
    sortOrder
    installId
    x
    y
    width
    height
    rotation
    opacity
    locked
  }
}
    `) as unknown as TypedDocumentString<UpdateOverlayLayerMutation, UpdateOverlayLayerMutationVariables>;
export const RotateOverlayTokenDocument = new TypedDocumentString(`
    mutation RotateOverlayToken($overlayId: UUID!) {
  rotateOverlayToken(overlayId: $overlayId) {
    token
    tokenPrefix
    url
    createdAt
  }
}
    `) as unknown as TypedDocumentString<RotateOverlayTokenMutation, RotateOverlayTokenMutationVariables>;
export const CreateOverlayShareDocument = new TypedDocumentString(`
    mutation CreateOverlayShare($overlayId: UUID!, $input: CreateOverlayShareInput!) {
  createOverlayShare(overlayId: $overlayId, input: $input) {
    id
    overlayId
    label
    token
    tokenPrefix
    url
    expiresAt
    createdAt
    createdBy {
      id
      displayName
    }
  }
}
    `) as unknown as TypedDocumentString<CreateOverlayShareMutation, CreateOverlayShareMutationVariables>;
export const RevokeOverlayShareDocument = new TypedDocumentString(`
    mutation RevokeOverlayShare($id: UUID!) {
  revokeOverlayShare(id: $id)
}
    `) as unknown as TypedDocumentString<RevokeOverlayShareMutation, RevokeOverlayShareMutationVariables>;
export const SetOverlayAccessDocument = new TypedDocumentString(`
    mutation SetOverlayAccess($overlayId: UUID!, $userId: UUID!, $input: SetAccessInput!) {
  setOverlayAccess(overlayId: $overlayId, userId: $userId, input: $input) {
    id
    overlayId
    userId
    userName
    userAvatar
    role
    grantedBy
    createdAt
  }
}
    `) as unknown as TypedDocumentString<SetOverlayAccessMutation, SetOverlayAccessMutationVariables>;
export const RemoveOverlayAccessDocument = new TypedDocumentString(`
    mutation RemoveOverlayAccess($overlayId: UUID!, $userId: UUID!) {
  removeOverlayAccess(overlayId: $overlayId, userId: $userId)
}
    `) as unknown as TypedDocumentString<RemoveOverlayAccessMutation, RemoveOverlayAccessMutationVariables>;
export const CreateWidgetDocument = new TypedDocumentString(`
    mutation CreateWidget($input: CreateWidgetInput!) {
  createWidget(input: $input) {
    id
    accountId
    name
    type
    installId
    config
    width
    height
    enabled
    accessToken
    tokenPrefix
    url
    myAccess
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<CreateWidgetMutation, CreateWidgetMutationVariables>;
export const UpdateWidgetDocument = new TypedDocumentString(`
    mutation UpdateWidget($id: UUID!, $input: UpdateWidgetInput!) {
  updateWidget(id: $id, input: $input) {
    id
    accountId
    name
    type
    installId
    config
    width
    height
    enabled
    accessToken
    tokenPrefix
    url
    myAccess
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<UpdateWidgetMutation, UpdateWidgetMutationVariables>;
export const DeleteWidgetDocument = new TypedDocumentString(`
    mutation DeleteWidget($id: UUID!) {
  deleteWidget(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteWidgetMutation, DeleteWidgetMutationVariables>;
export const DuplicateWidgetDocument = new TypedDocumentString(`
    mutation DuplicateWidget($id: UUID!) {
  duplicateWidget(id: $id) {
    id
    accountId
    name
    type
    installId
    config
    width
    height
    enabled
    accessToken
    tokenPrefix
    url
    myAccess
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<DuplicateWidgetMutation, DuplicateWidgetMutationVariables>;
export const RotateWidgetTokenDocument = new TypedDocumentString(`
    mutation RotateWidgetToken($id: UUID!) {
  rotateWidgetToken(id: $id) {
    id
    accountId
    name
    type
    installId
    config
    width
    height
    enabled
    accessToken
    tokenPrefix
    url
    myAccess
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<RotateWidgetTokenMutation, RotateWidgetTokenMutationVariables>;
export const SetWidgetAccessDocument = new TypedDocumentString(`
    mutation SetWidgetAccess($widgetId: UUID!, $userId: UUID!, $input: SetAccessInput!) {
  setWidgetAccess(widgetId: $widgetId, userId: $userId, input: $input) {
    id
    widgetId
    userId
    userName
    userAvatar
    role
    grantedBy
    createdAt
  }
}
    `) as unknown as TypedDocumentString<SetWidgetAccessMutation, SetWidgetAccessMutationVariables>;
export const RemoveWidgetAccessDocument = new TypedDocumentString(`
    mutation RemoveWidgetAccess($widgetId: UUID!, $userId: UUID!) {
  removeWidgetAccess(widgetId: $widgetId, userId: $userId)
}
    `) as unknown as TypedDocumentString<RemoveWidgetAccessMutation, RemoveWidgetAccessMutationVariables>;
export const DeleteUploadDocument = new TypedDocumentString(`
    mutation DeleteUpload($id: UUID!) {
  deleteUpload(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteUploadMutation, DeleteUploadMutationVariables>;
export const UpdateSoundDocument = new TypedDocumentString(`
    mutation UpdateSound($id: UUID!, $input: UpdateSoundInput!) {
  updateSound(id: $id, input: $input) {
    id
    accountId
    name
    filename
    contentType
    sizeBytes
    durationMs
    waveform
    createdAt
    sourceExtensionName
  }
}
    `) as unknown as TypedDocumentString<UpdateSoundMutation, UpdateSoundMutationVariables>;
export const DeleteSoundDocument = new TypedDocumentString(`
    mutation DeleteSound($id: UUID!) {
  deleteSound(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteSoundMutation, DeleteSoundMutationVariables>;
export const PlaySoundDocument = new TypedDocumentString(`
    mutation PlaySound($id: UUID!, $input: PlaySoundInput) {
  playSound(id: $id, input: $input) {
    success
  }
}
    `) as unknown as TypedDocumentString<PlaySoundMutation, PlaySoundMutationVariables>;
export const StopSoundDocument = new TypedDocumentString(`
    mutation StopSound($id: UUID!, $input: StopSoundInput) {
  stopSound(id: $id, input: $input) {
    success
  }
}
    `) as unknown as TypedDocumentString<StopSoundMutation, StopSoundMutationVariables>;
export const CreateRewardDocument = new TypedDocumentString(`
    mutation CreateReward($input: CreateRewardInput!) {
  createReward(input: $input) {
    id
    accountId
    platform
    platformRewardId
    title
    cost
    enabled
    action
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<CreateRewardMutation, CreateRewardMutationVariables>;
export const UpdateRewardDocument = new TypedDocumentString(`
    mutation UpdateReward($input: UpdateRewardInput!) {
  updateReward(input: $input) {
    id
    accountId
    platform
    platformRewardId
    title
    cost
    enabled
    action
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<UpdateRewardMutation, UpdateRewardMutationVariables>;
export const DeleteRewardDocument = new TypedDocumentString(`
    mutation DeleteReward($id: UUID!) {
  deleteReward(id: $id) {
    success
  }
}
    `) as unknown as TypedDocumentString<DeleteRewardMutation, DeleteRewardMutationVariables>;
export const CreateSeTokenDocument = new TypedDocumentString(`
    mutation CreateSeToken($input: CreateSeTokenInput!) {
  createSeToken(input: $input) {
    id
    platform
    hint
    label
    createdAt
    updatedAt
    refusedAt
  }
}
    `) as unknown as TypedDocumentString<CreateSeTokenMutation, CreateSeTokenMutationVariables>;
export const DeleteSeTokenDocument = new TypedDocumentString(`
    mutation DeleteSeToken($id: UUID!) {
  deleteSeToken(id: $id) {
    success
  }
}
    `) as unknown as TypedDocumentString<DeleteSeTokenMutation, DeleteSeTokenMutationVariables>;
export const AdminDeleteSeTokenDocument = new TypedDocumentString(`
    mutation AdminDeleteSeToken($id: UUID!) {
  adminDeleteSeToken(id: $id) {
    success
  }
}
    `) as unknown as TypedDocumentString<AdminDeleteSeTokenMutation, AdminDeleteSeTokenMutationVariables>;
export const SpotifyPlayDocument = new TypedDocumentString(`
    mutation SpotifyPlay($input: SpotifyPlayInput) {
  spotifyPlay(input: $input) {
    success
  }
}
    `) as unknown as TypedDocumentString<SpotifyPlayMutation, SpotifyPlayMutationVariables>;
export const SpotifyPauseDocument = new TypedDocumentString(`
    mutation SpotifyPause {
  spotifyPause {
    success
  }
}
    `) as unknown as TypedDocumentString<SpotifyPauseMutation, SpotifyPauseMutationVariables>;
export const SpotifyNextDocument = new TypedDocumentString(`
    mutation SpotifyNext {
  spotifyNext {
    success
  }
}
    `) as unknown as TypedDocumentString<SpotifyNextMutation, SpotifyNextMutationVariables>;
export const SpotifyPreviousDocument = new TypedDocumentString(`
    mutation SpotifyPrevious {
  spotifyPrevious {
    success
  }
}
    `) as unknown as TypedDocumentString<SpotifyPreviousMutation, SpotifyPreviousMutationVariables>;
export const SpotifySeekDocument = new TypedDocumentString(`
    mutation SpotifySeek($input: SpotifySeekInput!) {
  spotifySeek(input: $input) {
    success
  }
}
    `) as unknown as TypedDocumentString<SpotifySeekMutation, SpotifySeekMutationVariables>;
export const SpotifyShuffleDocument = new TypedDocumentString(`
    mutation SpotifyShuffle($input: SpotifyShuffleInput!) {
  spotifyShuffle(input: $input) {
    success
  }
}
    `) as unknown as TypedDocumentString<SpotifyShuffleMutation, SpotifyShuffleMutationVariables>;
export const SpotifyRepeatDocument = new TypedDocumentString(`
    mutation SpotifyRepeat($input: SpotifyRepeatInput!) {
  spotifyRepeat(input: $input) {
    success
  }
}
    `) as unknown as TypedDocumentString<SpotifyRepeatMutation, SpotifyRepeatMutationVariables>;
export const SpotifySetVolumeDocument = new TypedDocumentString(`
    mutation SpotifySetVolume($input: SpotifySetVolumeInput!) {
  spotifySetVolume(input: $input) {
    success
  }
}
    `) as unknown as TypedDocumentString<SpotifySetVolumeMutation, SpotifySetVolumeMutationVariables>;
export const SpotifyAddToQueueDocument = new TypedDocumentString(`
    mutation SpotifyAddToQueue($input: SpotifyAddToQueueInput!) {
  spotifyAddToQueue(input: $input) {
    success
  }
}
    `) as unknown as TypedDocumentString<SpotifyAddToQueueMutation, SpotifyAddToQueueMutationVariables>;
export const SpotifySetDeviceDocument = new TypedDocumentString(`
    mutation SpotifySetDevice($input: SpotifySetDeviceInput!) {
  spotifySetDevice(input: $input) {
    success
  }
}
    `) as unknown as TypedDocumentString<SpotifySetDeviceMutation, SpotifySetDeviceMutationVariables>;
export const SpotifyPlayPlaylistDocument = new TypedDocumentString(`
    mutation SpotifyPlayPlaylist($id: String!) {
  spotifyPlayPlaylist(id: $id) {
    success
  }
}
    `) as unknown as TypedDocumentString<SpotifyPlayPlaylistMutation, SpotifyPlayPlaylistMutationVariables>;
export const SaveObsConfigDocument = new TypedDocumentString(`
    mutation SaveObsConfig($input: SaveObsConfigInput!) {
  saveObsConfig(input: $input) {
    port
    hasPassword
    remoteEnabled
    remoteHost
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<SaveObsConfigMutation, SaveObsConfigMutationVariables>;
export const DeleteObsConfigDocument = new TypedDocumentString(`
    mutation DeleteObsConfig {
  deleteObsConfig
}
    `) as unknown as TypedDocumentString<DeleteObsConfigMutation, DeleteObsConfigMutationVariables>;
export const TestObsConnectionDocument = new TypedDocumentString(`
    mutation TestObsConnection {
  testObsConnection {
    success
    error
    relayed
  }
}
    `) as unknown as TypedDocumentString<TestObsConnectionMutation, TestObsConnectionMutationVariables>;
export const StartObsStreamDocument = new TypedDocumentString(`
    mutation StartObsStream {
  startObsStream {
    success
    relayed
  }
}
    `) as unknown as TypedDocumentString<StartObsStreamMutation, StartObsStreamMutationVariables>;
export const StopObsStreamDocument = new TypedDocumentString(`
    mutation StopObsStream {
  stopObsStream {
    success
    relayed
  }
}
    `) as unknown as TypedDocumentString<StopObsStreamMutation, StopObsStreamMutationVariables>;
export const StartObsRecordDocument = new TypedDocumentString(`
    mutation StartObsRecord {
  startObsRecord {
    success
    relayed
  }
}
    `) as unknown as TypedDocumentString<StartObsRecordMutation, StartObsRecordMutationVariables>;
export const StopObsRecordDocument = new TypedDocumentString(`
    mutation StopObsRecord {
  stopObsRecord {
    success
    relayed
  }
}
    `) as unknown as TypedDocumentString<StopObsRecordMutation, StopObsRecordMutationVariables>;
export const SetObsSceneDocument = new TypedDocumentString(`
    mutation SetObsScene($input: SetObsSceneInput!) {
  setObsScene(input: $input) {
    success
    relayed
  }
}
    `) as unknown as TypedDocumentString<SetObsSceneMutation, SetObsSceneMutationVariables>;
export const SetObsSourceDocument = new TypedDocumentString(`
    mutation SetObsSource($input: SetObsSourceInput!) {
  setObsSource(input: $input) {
    success
    relayed
  }
}
    `) as unknown as TypedDocumentString<SetObsSourceMutation, SetObsSourceMutationVariables>;
export const StartSpotifyManualConnectDocument = new TypedDocumentString(`
    mutation StartSpotifyManualConnect {
  startSpotifyManualConnect {
    active
    remainingSeconds
  }
}
    `) as unknown as TypedDocumentString<StartSpotifyManualConnectMutation, StartSpotifyManualConnectMutationVariables>;
export const StopSpotifyManualConnectDocument = new TypedDocumentString(`
    mutation StopSpotifyManualConnect {
  stopSpotifyManualConnect {
    active
    remainingSeconds
  }
}
    `) as unknown as TypedDocumentString<StopSpotifyManualConnectMutation, StopSpotifyManualConnectMutationVariables>;
export const CreateIdeaDocument = new TypedDocumentString(`
    mutation CreateIdea($input: CreateIdeaInput!) {
  createIdea(input: $input) {
    id
    author {
      id
      displayName
      avatarUrl
    }
    category {
      id
      name
      label
      color
      sortOrder
      createdAt
    }
    tags {
      id
      name
      createdBy
      createdAt
    }
    title
    description
    status
    voteCountUp
    voteCountDown
    commentCount
    myVote
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<CreateIdeaMutation, CreateIdeaMutationVariables>;
export const UpdateIdeaDocument = new TypedDocumentString(`
    mutation UpdateIdea($id: UUID!, $input: UpdateIdeaInput!) {
  updateIdea(id: $id, input: $input) {
    id
    author {
      id
      displayName
      avatarUrl
    }
    category {
      id
      name
      label
      color
      sortOrder
      createdAt
    }
    tags {
      id
      name
      createdBy
      createdAt
    }
    title
    description
    status
    voteCountUp
    voteCountDown
    commentCount
    myVote
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<UpdateIdeaMutation, UpdateIdeaMutationVariables>;
export const DeleteIdeaDocument = new TypedDocumentString(`
    mutation DeleteIdea($id: UUID!) {
  deleteIdea(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteIdeaMutation, DeleteIdeaMutationVariables>;
export const UpdateIdeaStatusDocument = new TypedDocumentString(`
    mutation UpdateIdeaStatus($id: UUID!, $status: IdeaStatus!) {
  updateIdeaStatus(id: $id, status: $status) {
    id
    author {
      id
      displayName
      avatarUrl
    }
    category {
      id
      name
      label
      color
      sortOrder
      createdAt
    }
    tags {
      id
      name
      createdBy
      createdAt
    }
    title
    description
    status
    voteCountUp
    voteCountDown
    commentCount
    myVote
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<UpdateIdeaStatusMutation, UpdateIdeaStatusMutationVariables>;
export const VoteIdeaDocument = new TypedDocumentString(`
    mutation VoteIdea($id: UUID!, $voteType: IdeaVoteType!) {
  voteIdea(id: $id, voteType: $voteType) {
    id
    author {
      id
      displayName
      avatarUrl
    }
    category {
      id
      name
      label
      color
      sortOrder
      createdAt
    }
    tags {
      id
      name
      createdBy
      createdAt
    }
    title
    description
    status
    voteCountUp
    voteCountDown
    commentCount
    myVote
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<VoteIdeaMutation, VoteIdeaMutationVariables>;
export const RemoveVoteDocument = new TypedDocumentString(`
    mutation RemoveVote($id: UUID!) {
  removeVote(id: $id) {
    id
    author {
      id
      displayName
      avatarUrl
    }
    category {
      id
      name
      label
      color
      sortOrder
      createdAt
    }
    tags {
      id
      name
      createdBy
      createdAt
    }
    title
    description
    status
    voteCountUp
    voteCountDown
    commentCount
    myVote
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<RemoveVoteMutation, RemoveVoteMutationVariables>;
export const CreateIdeaCommentDocument = new TypedDocumentString(`
    mutation CreateIdeaComment($input: CreateIdeaCommentInput!) {
  createIdeaComment(input: $input) {
    id
    ideaId
    author {
      id
      displayName
      avatarUrl
    }
    parentId
    body
    createdAt
    updatedAt
    voteCountUp
    voteCountDown
    myVote
    replyCount
    replies {
      id
      ideaId
      author {
        id
        displayName
        avatarUrl
      }
      parentId
      body
      createdAt
      updatedAt
      voteCountUp
      voteCountDown
      myVote
      replyCount
    }
  }
}
    `) as unknown as TypedDocumentString<CreateIdeaCommentMutation, CreateIdeaCommentMutationVariables>;
export const UpdateIdeaCommentDocument = new TypedDocumentString(`
    mutation UpdateIdeaComment($id: UUID!, $body: String!) {
  updateIdeaComment(id: $id, body: $body) {
    id
    ideaId
    author {
      id
      displayName
      avatarUrl
    }
    parentId
    body
    createdAt
    updatedAt
    voteCountUp
    voteCountDown
    myVote
    replyCount
    replies {
      id
      ideaId
      author {
        id
        displayName
        avatarUrl
      }
      parentId
      body
      createdAt
      updatedAt
      voteCountUp
      voteCountDown
      myVote
      replyCount
    }
  }
}
    `) as unknown as TypedDocumentString<UpdateIdeaCommentMutation, UpdateIdeaCommentMutationVariables>;
export const DeleteIdeaCommentDocument = new TypedDocumentString(`
    mutation DeleteIdeaComment($id: UUID!) {
  deleteIdeaComment(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteIdeaCommentMutation, DeleteIdeaCommentMutationVariables>;
export const VoteIdeaCommentDocument = new TypedDocumentString(`
    mutation VoteIdeaComment($id: UUID!, $voteType: IdeaVoteType!) {
  voteIdeaComment(id: $id, voteType: $voteType) {
    id
    ideaId
    author {
      id
      displayName
      avatarUrl
    }
    parentId
    body
    createdAt
    updatedAt
    voteCountUp
    voteCountDown
    myVote
    replyCount
    replies {
      id
      ideaId
      author {
        id
        displayName
        avatarUrl
      }
      parentId
      body
      createdAt
      updatedAt
      voteCountUp
      voteCountDown
      myVote
      replyCount
    }
  }
}
    `) as unknown as TypedDocumentString<VoteIdeaCommentMutation, VoteIdeaCommentMutationVariables>;
export const RemoveIdeaCommentVoteDocument = new TypedDocumentString(`
    mutation RemoveIdeaCommentVote($id: UUID!) {
  removeIdeaCommentVote(id: $id) {
    id
    ideaId
    author {
      id
      displayName
      avatarUrl
    }
    parentId
    body
    createdAt
    updatedAt
    voteCountUp
    voteCountDown
    myVote
    replyCount
    replies {
      id
      ideaId
      author {
        id
        displayName
        avatarUrl
      }
      parentId
      body
      createdAt
      updatedAt
      voteCountUp
      voteCountDown
      myVote
      replyCount
    }
  }
}
    `) as unknown as TypedDocumentString<RemoveIdeaCommentVoteMutation, RemoveIdeaCommentVoteMutationVariables>;
export const CreateIdeaCategoryDocument = new TypedDocumentString(`
    mutation CreateIdeaCategory($input: CreateIdeaCategoryInput!) {
  createIdeaCategory(input: $input) {
    id
    name
    label
    color
    sortOrder
    createdAt
  }
}
    `) as unknown as TypedDocumentString<CreateIdeaCategoryMutation, CreateIdeaCategoryMutationVariables>;
export const UpdateIdeaCategoryDocument = new TypedDocumentString(`
    mutation UpdateIdeaCategory($id: UUID!, $input: UpdateIdeaCategoryInput!) {
  updateIdeaCategory(id: $id, input: $input) {
    id
    name
    label
    color
    sortOrder
    createdAt
  }
}
    `) as unknown as TypedDocumentString<UpdateIdeaCategoryMutation, UpdateIdeaCategoryMutationVariables>;
export const DeleteIdeaCategoryDocument = new TypedDocumentString(`
    mutation DeleteIdeaCategory($id: UUID!) {
  deleteIdeaCategory(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteIdeaCategoryMutation, DeleteIdeaCategoryMutationVariables>;
export const CreateIdeaTagDocument = new TypedDocumentString(`
    mutation CreateIdeaTag($name: String!) {
  createIdeaTag(name: $name) {
    id
    name
    createdBy
    createdAt
  }
}
    `) as unknown as TypedDocumentString<CreateIdeaTagMutation, CreateIdeaTagMutationVariables>;
export const DeleteIdeaTagDocument = new TypedDocumentString(`
    mutation DeleteIdeaTag($id: UUID!) {
  deleteIdeaTag(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteIdeaTagMutation, DeleteIdeaTagMutationVariables>;
export const DeleteStreamReportDocument = new TypedDocumentString(`
    mutation DeleteStreamReport($id: UUID!) {
  deleteStreamReport(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteStreamReportMutation, DeleteStreamReportMutationVariables>;
export const CreateSharedLinkDocument = new TypedDocumentString(`
    mutation CreateSharedLink($reportId: UUID!, $input: CreateSharedLinkInput!) {
  createSharedLink(reportId: $reportId, input: $input) {
    id
    reportId
    createdBy
    createdAt
    expiresAt
    hasPassword
    allowExport
    viewCount
    lastViewedAt
    status
    token
    url
  }
}
    `) as unknown as TypedDocumentString<CreateSharedLinkMutation, CreateSharedLinkMutationVariables>;
export const ExtendSharedLinkDocument = new TypedDocumentString(`
    mutation ExtendSharedLink($id: UUID!, $input: ExtendSharedLinkInput!) {
  extendSharedLink(id: $id, input: $input) {
    id
    reportId
    createdBy
    createdAt
    expiresAt
    hasPassword
    allowExport
    viewCount
    lastViewedAt
    status
  }
}
    `) as unknown as TypedDocumentString<ExtendSharedLinkMutation, ExtendSharedLinkMutationVariables>;
export const RevokeSharedLinkDocument = new TypedDocumentString(`
    mutation RevokeSharedLink($id: UUID!) {
  revokeSharedLink(id: $id)
}
    `) as unknown as TypedDocumentString<RevokeSharedLinkMutation, RevokeSharedLinkMutationVariables>;
export const UpdatePublicStatsChannelDocument = new TypedDocumentString(`
    mutation UpdatePublicStatsChannel($platform: String!, $input: UpdatePublicStatsChannelInput!) {
  updatePublicStatsChannel(platform: $platform, input: $input) {
    platform
    platformChannelId
    channelName
    isPublic
    showTopChatters
    optedOutVia
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<UpdatePublicStatsChannelMutation, UpdatePublicStatsChannelMutationVariables>;
export const AddToWatchlistDocument = new TypedDocumentString(`
    mutation AddToWatchlist($input: AddToWatchlistInput!) {
  addToWatchlist(input: $input) {
    id
    platform
    platformChannelId
    channelDisplayName
    avatarUrl
    isLive
    currentViewers
    addedAt
  }
}
    `) as unknown as TypedDocumentString<AddToWatchlistMutation, AddToWatchlistMutationVariables>;
export const RemoveFromWatchlistDocument = new TypedDocumentString(`
    mutation RemoveFromWatchlist($id: UUID!) {
  removeFromWatchlist(id: $id)
}
    `) as unknown as TypedDocumentString<RemoveFromWatchlistMutation, RemoveFromWatchlistMutationVariables>;
export const AdminUpdateCrawlerScopeDocument = new TypedDocumentString(`
    mutation AdminUpdateCrawlerScope($input: AdminUpdateCrawlerScopeInput!) {
  adminUpdateCrawlerScope(input: $input) {
    enabled
    platforms
    minViewers
    languages
    maxChannels
    intervalSecs
  }
}
    `) as unknown as TypedDocumentString<AdminUpdateCrawlerScopeMutation, AdminUpdateCrawlerScopeMutationVariables>;
export const AdminAddCrawlerWatchlistEntryDocument = new TypedDocumentString(`
    mutation AdminAddCrawlerWatchlistEntry($input: AdminAddCrawlerWatchlistEntryInput!) {
  adminAddCrawlerWatchlistEntry(input: $input) {
    id
    platform
    channel
    note
    createdBy
    createdAt
  }
}
    `) as unknown as TypedDocumentString<AdminAddCrawlerWatchlistEntryMutation, AdminAddCrawlerWatchlistEntryMutationVariables>;
export const AdminRemoveCrawlerWatchlistEntryDocument = new TypedDocumentString(`
    mutation AdminRemoveCrawlerWatchlistEntry($id: UUID!) {
  adminRemoveCrawlerWatchlistEntry(id: $id)
}
    `) as unknown as TypedDocumentString<AdminRemoveCrawlerWatchlistEntryMutation, AdminRemoveCrawlerWatchlistEntryMutationVariables>;
export const CreateWebhookEndpointDocument = new TypedDocumentString(`
    mutation CreateWebhookEndpoint($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) {
    id
    accountId
    url
    description
    eventTypes
    isEnabled
    disabledReason
    failingSince
    skippedCount
    previousSecretExpiresAt
    createdBy
    createdAt
    updatedAt
    secret
  }
}
    `) as unknown as TypedDocumentString<CreateWebhookEndpointMutation, CreateWebhookEndpointMutationVariables>;
export const UpdateWebhookEndpointDocument = new TypedDocumentString(`
    mutation UpdateWebhookEndpoint($input: UpdateWebhookEndpointInput!) {
  updateWebhookEndpoint(input: $input) {
    id
    accountId
    url
    description
    eventTypes
    isEnabled
    disabledReason
    failingSince
    skippedCount
    previousSecretExpiresAt
    createdBy
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<UpdateWebhookEndpointMutation, UpdateWebhookEndpointMutationVariables>;
export const DeleteWebhookEndpointDocument = new TypedDocumentString(`
    mutation DeleteWebhookEndpoint($endpointId: UUID!) {
  deleteWebhookEndpoint(endpointId: $endpointId)
}
    `) as unknown as TypedDocumentString<DeleteWebhookEndpointMutation, DeleteWebhookEndpointMutationVariables>;
export const RotateWebhookSecretDocument = new TypedDocumentString(`
    mutation RotateWebhookSecret($endpointId: UUID!) {
  rotateWebhookSecret(endpointId: $endpointId) {
    secret
    previousSecretExpiresAt
  }
}
    `) as unknown as TypedDocumentString<RotateWebhookSecretMutation, RotateWebhookSecretMutationVariables>;
export const TestWebhookEndpointDocument = new TypedDocumentString(`
    mutation TestWebhookEndpoint($endpointId: UUID!) {
  testWebhookEndpoint(endpointId: $endpointId) {
    id
    endpointId
    eventId
    eventType
    status
    attempts
    nextAttemptAt
    lastAttemptAt
    lastStatusCode
    lastError
    responseExcerpt
    durationMs
    occurredAt
    createdAt
  }
}
    `) as unknown as TypedDocumentString<TestWebhookEndpointMutation, TestWebhookEndpointMutationVariables>;
export const ReplayWebhookDeliveryDocument = new TypedDocumentString(`
    mutation ReplayWebhookDelivery($endpointId: UUID!, $deliveryId: UUID!) {
  replayWebhookDelivery(endpointId: $endpointId, deliveryId: $deliveryId) {
    id
    endpointId
    eventId
    eventType
    status
    attempts
    nextAttemptAt
    lastAttemptAt
    lastStatusCode
    lastError
    responseExcerpt
    durationMs
    occurredAt
    createdAt
  }
}
    `) as unknown as TypedDocumentString<ReplayWebhookDeliveryMutation, ReplayWebhookDeliveryMutationVariables>;
export const SetUsageBudgetDocument = new TypedDocumentString(`
    mutation SetUsageBudget($input: SetUsageBudgetInput!) {
  setUsageBudget(input: $input) {
    id
    subject
    subjectId
    unit
    period
    maximum
    warnPercent
    isStopping
    used
    remaining
    resetsAt
    stoppedUntil
    createdBy
    createdAt
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<SetUsageBudgetMutation, SetUsageBudgetMutationVariables>;
export const DeleteUsageBudgetDocument = new TypedDocumentString(`
    mutation DeleteUsageBudget($budgetId: UUID!) {
  deleteUsageBudget(budgetId: $budgetId)
}
    `) as unknown as TypedDocumentString<DeleteUsageBudgetMutation, DeleteUsageBudgetMutationVariables>;
