// Types of extensions of Lumio: handlers (server.js), layers (layer.js) and the manifest.
// Printed by `lumio-ext types`; do not edit.

declare namespace Lumio {
  /** Caller of a handler. */
  interface Auth {
    /** Place that the call comes from. */
    readonly surface: Surface;
    /** Rights of the caller in the account. */
    readonly role: "owner" | "editor" | "viewer" | "anonymous";
    readonly accountId: string;
    readonly installId: string;
    /** Person of Lumio; null for chatters and automations. */
    readonly userId: string | null;
    /** Platform's id of the chatter. */
    readonly platformUserId: string | null;
    /** Displayed name of the chatter. */
    readonly platformUserName: string | null;
  }

  /** Person on a platform. */
  interface Chatter {
    /** Platform's id. */
    readonly id: string;
    readonly username: string | null;
    readonly displayName: string | null;
    readonly platform: Platform | null;
    /** Roles in the channel, highest first; none for events. */
    readonly roles: Role[];
    /** True for broadcasters too. */
    readonly isModerator: boolean;
    readonly isVip: boolean;
    readonly isSubscriber: boolean;
    readonly isFollower: boolean;
  }

  /** Badge beside a name. */
  interface Badge {
    readonly id: string;
    readonly version: string;
    readonly info: string | null;
  }

  /** Emote in a message. */
  interface Emote {
    readonly id: string;
    /** Word that it replaces. */
    readonly name: string;
  }

  /** Chat message. */
  interface Message {
    /** Platform's id. */
    readonly id: string;
    readonly platform: Platform;
    readonly channelId: string | null;
    readonly text: string;
    readonly user: Chatter;
    readonly emotes: Emote[];
    readonly badges: Badge[];
    /** True when written with `/me`. */
    readonly isAction: boolean;
    /** Platform's id of the message that it replies to. */
    readonly replyTo: string | null;
    /** RFC 3339. */
    readonly sentAt: string;
  }

  /** Input of a command. */
  interface CommandInput {
    readonly trigger: "command";
    /** Name of the command. */
    readonly command: string;
    /** Alias that was used; null when the name was. */
    readonly alias: string | null;
    /** Words after the name; at most 100. */
    readonly args: string[];
    /** Text after the name. */
    readonly argsText: string;
    readonly message: Message;
  }

  /** Input of a keyword. */
  interface KeywordInput {
    readonly trigger: "keyword";
    /** Keyword. */
    readonly value: string;
    readonly groups: never[];
    readonly message: Message;
  }

  /** Input of a pattern. */
  interface PatternInput {
    readonly trigger: "pattern";
    /** Pattern. */
    readonly regex: string;
    /** The whole match, then each group; null for one without part. */
    readonly groups: (string | null)[];
    readonly message: Message;
  }

  /** Input of moderation. */
  interface ModerateInput {
    readonly trigger: "moderate";
    readonly message: Message;
  }

  /** Input of an event. */
  interface EventInput<Type extends EventType = EventType> {
    readonly trigger: "event";
    readonly event: AccountEvent<Type>;
  }

  /** Event of the account. */
  interface AccountEvent<Type extends EventType = EventType> {
    readonly id: string;
    readonly account_id: string;
    readonly event_type: Type;
    readonly platform: string | null;
    /** Platform's id of the person who caused it. */
    readonly platform_user_id: string | null;
    readonly username: string | null;
    readonly display_name: string | null;
    readonly avatar_url: string | null;
    /** Bits, viewers, gifts, or minor units of `currency`. */
    readonly amount: number | null;
    /** `bits`, `points` or three capital letters. */
    readonly currency: string | null;
    /** Text that the person sent with it. */
    readonly message: string | null;
    /** Keys of the type. */
    readonly data: EventData[Type];
    readonly is_test: boolean;
    /** RFC 3339. */
    readonly occurred_at: string;
  }

  /** Input of a timer. */
  interface TimerInput {
    readonly trigger: "timer";
    /** Name of the timer. */
    readonly name: string;
    readonly platform: string;
    /** Number of the run; it grows. */
    readonly run: number;
  }

  /** Input of a trigger node that is polled. */
  interface PollInput<State = any, Settings = any> {
    readonly source: "poll";
    /** State of the last call. */
    readonly state: State | null;
    /** Settings of the node. */
    readonly config: Settings;
  }

  /** Input of a trigger node that receives webhooks. */
  interface WebhookInput<State = any, Settings = any> {
    readonly source: "webhook";
    readonly body: any;
    readonly headers: { [name: string]: string };
    /** State of the last call. */
    readonly state: State | null;
    /** Settings of the node. */
    readonly config: Settings;
  }

  /** Input of an action or logic node. */
  interface NodeInput<Settings = any, Payload = any> {
    readonly source: "automation";
    readonly automation_id: string;
    readonly is_test: boolean;
    /** Settings of the node, with their templates filled in. */
    readonly config: Settings;
    /** Payload of the automation's trigger. */
    readonly input: Payload;
  }

  /** `ctx` of a query: it reads. */
  interface QueryContext {
    /** Caller. */
    readonly auth: Auth;
    /** Settings of the install, with defaults. */
    readonly config: Config;
    /** Writes lines to the log of the install. */
    log: Log;
    readonly cache: {
      /** Returns a cached value, or null. */
      get<Value = any>(key: Key): Promise<Value | null>;
    };
    readonly db: {
      /** Returns rows of a table, in the order of `created_at` unless `orderBy` is given. */
      query<Columns extends object = Values>(table: string, options?: QueryOptions): Promise<Row<Columns>[]>;
      /** Returns a value, or null. */
      get<Value = any>(scope: Scope, ...key: [Key, ...Key[]]): Promise<Value | null>;
      /** Returns the oldest row that matches, or null. */
      get<Columns extends object = Values>(table: string, options?: { filter?: Filter }): Promise<Row<Columns> | null>;
      /** Returns the values of a scope by key, at most 1,000. */
      list<Value = any>(scope: Scope, prefix?: string): Promise<{ key: string; value: Value }[]>;
    };
  }

  /** `ctx` of a mutation: it reads and writes, in one transaction. */
  interface MutationContext {
    /** Caller. */
    readonly auth: Auth;
    /** Settings of the install, with defaults. */
    readonly config: Config;
    /** Writes lines to the log of the install. */
    log: Log;
    /** Sends a message to the pages of the install, as `ext:push`. */
    push(topic: string, payload: unknown): Promise<null>;
    readonly cache: {
      /** Returns a cached value, or null. */
      get<Value = any>(key: Key): Promise<Value | null>;
      /** Caches a value, for a day unless `ttlSecs` is given. */
      set(key: Key, value: unknown, ttlSecs?: number): Promise<null>;
      /** Deletes a cached value; false when there was none. */
      delete(key: Key): Promise<boolean>;
      /** Adds to a cached number and returns the sum. `ttlSecs` applies when the key is created. */
      incr(key: Key, by?: number, ttlSecs?: number): Promise<number>;
    };
    readonly db: {
      /** Returns rows of a table, in the order of `created_at` unless `orderBy` is given. */
      query<Columns extends object = Values>(table: string, options?: QueryOptions): Promise<Row<Columns>[]>;
      /** Returns a value, or null. */
      get<Value = any>(scope: Scope, ...key: [Key, ...Key[]]): Promise<Value | null>;
      /** Returns the oldest row that matches, or null. */
      get<Columns extends object = Values>(table: string, options?: { filter?: Filter }): Promise<Row<Columns> | null>;
      /** Inserts a row and returns it. */
      insert<Columns extends object = Values>(table: string, row: Columns): Promise<Row<Columns>>;
      /** Changes columns of a row and returns it; null without such a row. */
      patch<Columns extends object = Values>(table: string, id: string, partial: Partial<Columns>): Promise<Row<Columns> | null>;
      /** Stores a value. Several keys are joined with `:`. */
      set(scope: Scope, ...keyAndValue: [Key, ...Key[], unknown]): Promise<null>;
      /** Deletes a value; false when there was none. */
      delete(scope: Scope, ...key: [Key, ...Key[]]): Promise<boolean>;
      /** Deletes a row and returns it; null without such a row. */
      delete(table: string, id: string): Promise<Row | null>;
      /** Returns the values of a scope by key, at most 1,000. */
      list<Value = any>(scope: Scope, prefix?: string): Promise<{ key: string; value: Value }[]>;
    };
  }

  /** `ctx` of an action, of handlers of bot modules and of automation nodes: it reaches everything. */
  interface ActionContext {
    /** Caller. */
    readonly auth: Auth;
    /** Settings of the install, with defaults. */
    readonly config: Config;
    /** Chatter behind a chat message or an event; absent without one. */
    readonly user?: Chatter;
    /** Writes lines to the log of the install. */
    log: Log;
    /** Sends a request to a host of `egress.allowHosts`. */
    fetch(url: string, init?: FetchInit): Promise<FetchResponse>;
    /** Runs a function after the result has reached the caller; at most 16. */
    defer(callback: () => unknown): void;
    /** Sends a message to the pages of the install, as `ext:push`. */
    push(topic: string, payload: unknown): Promise<null>;
    readonly actions: {
      /** Executes a host action in the name of the account's bot. */
      run<Name extends keyof Actions>(action: Name, payload: Actions[Name]["payload"]): Promise<Actions[Name]["result"]>;
    };
    readonly cache: {
      /** Returns a cached value, or null. */
      get<Value = any>(key: Key): Promise<Value | null>;
      /** Caches a value, for a day unless `ttlSecs` is given. */
      set(key: Key, value: unknown, ttlSecs?: number): Promise<null>;
      /** Deletes a cached value; false when there was none. */
      delete(key: Key): Promise<boolean>;
      /** Adds to a cached number and returns the sum. `ttlSecs` applies when the key is created. */
      incr(key: Key, by?: number, ttlSecs?: number): Promise<number>;
    };
    readonly db: {
      /** Returns rows of a table, in the order of `created_at` unless `orderBy` is given. */
      query<Columns extends object = Values>(table: string, options?: QueryOptions): Promise<Row<Columns>[]>;
      /** Returns a value, or null. */
      get<Value = any>(scope: Scope, ...key: [Key, ...Key[]]): Promise<Value | null>;
      /** Returns the oldest row that matches, or null. */
      get<Columns extends object = Values>(table: string, options?: { filter?: Filter }): Promise<Row<Columns> | null>;
      /** Inserts a row and returns it. */
      insert<Columns extends object = Values>(table: string, row: Columns): Promise<Row<Columns>>;
      /** Changes columns of a row and returns it; null without such a row. */
      patch<Columns extends object = Values>(table: string, id: string, partial: Partial<Columns>): Promise<Row<Columns> | null>;
      /** Stores a value. Several keys are joined with `:`. */
      set(scope: Scope, ...keyAndValue: [Key, ...Key[], unknown]): Promise<null>;
      /** Deletes a value; false when there was none. */
      delete(scope: Scope, ...key: [Key, ...Key[]]): Promise<boolean>;
      /** Deletes a row and returns it; null without such a row. */
      delete(table: string, id: string): Promise<Row | null>;
      /** Returns the values of a scope by key, at most 1,000. */
      list<Value = any>(scope: Scope, prefix?: string): Promise<{ key: string; value: Value }[]>;
    };
    readonly secrets: {
      /** Returns a secret of the extension, or null. */
      get(name: string): string | null;
    };
  }

  /** `ctx` of handlers of chat messages. */
  interface ChatContext extends ActionContext {
    readonly user: Chatter;
  }

  /** Platform with a chat. */
  type Platform = "twitch" | "youtube" | "kick" | "trovo";
  /** Role in a channel. */
  type Role = "broadcaster" | "moderator" | "vip" | "subscriber" | "follower";
  /** Place that a call comes from. */
  type Surface = "bot" | "automation" | "editor" | "layer" | "interactive";
  /** Kind of a server function. */
  type FunctionKind = "query" | "mutation" | "action";
  /** Settings by key. */
  type Config = { readonly [key: string]: any };

  /** Scope of key-value storage: the extension in all accounts, the install, or one viewer in it. */
  type Scope = "global" | "install" | "user";
  /** Key of a value; several are joined with `:`. */
  type Key = string | number;
  /** Columns of a row. */
  type Values = { [column: string]: any };
  /** Row of a table. */
  type Row<Columns extends object = Values> = Columns & {
    readonly id: string;
    readonly created_at: string;
    readonly updated_at: string;
  };
  /** Operator of a condition. */
  type Operator = "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "in";
  /** Condition on a column. */
  type Condition = { column: string; operator: Operator; value: any };
  /** Conditions, all of which must hold: columns with values or operators, or conditions. */
  type Filter = { [column: string]: any } | Condition | (Condition | { [column: string]: any })[];
  /** Options of a query. */
  interface QueryOptions {
    filter?: Filter;
    orderBy?: string;
    orderDir?: "asc" | "desc";
    /** 1 to 1,000; 100 when absent. */
    limit?: number;
    offset?: number;
  }

  /** Log of the install. Lines are cut to 4 KiB; a run has at most 100. */
  interface Log {
    info(...values: unknown[]): void;
    warn(...values: unknown[]): void;
    error(...values: unknown[]): void;
  }

  /** Options of `ctx.fetch`. */
  interface FetchInit {
    method?: string;
    headers?: { [name: string]: string } | [string, string][] | Map<string, string>;
    body?: string | ArrayBuffer | ArrayBufferView | null;
    redirect?: "follow" | "manual" | "error";
  }
  /** Response of `ctx.fetch`. */
  interface FetchResponse {
    readonly status: number;
    readonly statusText: string;
    readonly ok: boolean;
    readonly url: string;
    readonly redirected: boolean;
    readonly headers: FetchHeaders;
    text(): Promise<string>;
    json(): Promise<any>;
    arrayBuffer(): Promise<ArrayBuffer>;
    bytes(): Promise<Uint8Array>;
  }
  /** Header fields of a response, with names in lower case. */
  interface FetchHeaders extends Iterable<[string, string]> {
    get(name: string): string | null;
    has(name: string): boolean;
    forEach(callback: (value: string, name: string) => void): void;
    keys(): IterableIterator<string>;
    values(): IterableIterator<string>;
    entries(): IterableIterator<[string, string]>;
  }

  /** Host actions by name, with their payloads and results. */
  interface Actions {
    "chat:send": { payload: { message: string; platform?: Platform; reply_to?: string }; result: { platform: Platform; message_id: string | null } };
    "chat:delete": { payload: { messageId: string; platform?: Platform }; result: { platform: Platform } };
    "chat:ban": { payload: { userId: string; platform?: Platform; reason?: string }; result: { platform: Platform } };
    "chat:unban": { payload: { userId: string; platform?: Platform; reason?: string }; result: { platform: Platform } };
    "chat:timeout": { payload: { userId: string; platform?: Platform; reason?: string; durationSeconds?: number }; result: { platform: Platform } };
    "events:emit": { payload: { eventType: `custom:${string}`; data?: { [key: string]: any } }; result: { event_id: string } };
  }

  /** Action that the handler of a bot module requests. Ids that are left out are those of the triggering message or user. */
  type BotAction =
    | { action: "send_message"; message: string; reply_to?: string | null }
    | { action: "delete"; message_id?: string | null }
    | { action: "timeout"; user_id?: string | null; duration_secs?: number | null; reason?: string | null }
    | { action: "ban"; user_id?: string | null; reason?: string | null }
    | { action: "none" };
  /** Result of the handler of a bot module: nothing, an action, or at most five. */
  type BotResult = BotAction | BotAction[] | null | undefined | void;
  /** Result of a trigger node. */
  type TriggerResult = { fired: false; state?: any } | { fired: true; output: { [key: string]: any }; state?: any } | null | undefined | void;
  /** Result of an action node: its output. */
  type NodeResult = { [key: string]: any } | null | undefined | void;
  /** Result of a logic node; `branch` names the handle whose edges follow. */
  type LogicResult = { branch?: string | null; output?: { [key: string]: any } | null } | null | undefined | void;

  /** Place and age of an event that a layer receives. */
  interface EventMeta {
    readonly id: string;
    readonly timestamp: string;
    readonly age_ms: number;
  }
  /** Data of the events that layers listen to. `event:*` needs `events:read`, `chat:*` needs `chat:read`. */
  interface LayerEvents {
    "event:new": AccountEvent;
    "ext:push": { install_id: string; topic: string; payload: any };
    [other: string]: any;
  }
  /** Second argument of `mount` of `layer.js`. */
  interface LayerHost {
    /** Settings of manifest, install and layer, without secrets. */
    readonly config: Config;
    /** Size of the layer in pixels, as it is now. */
    readonly size: { readonly width: number; readonly height: number };
    /** Alerts of the account, as they are now. */
    readonly alerts: { readonly muted: boolean; readonly volume: number };
    /** Overlay of the page, as it is now. The page of a widget is never that of the default overlay. */
    readonly overlay: { readonly is_default: boolean };
    /** Latest events, newest last, when a layer of the page lists events. */
    readonly recent: readonly AccountEvent[];
    /** Data of the last `spotify:track`, or null. */
    readonly now_playing: EventData["spotify:track"] | null;
    /** Addresses of emotes by their word. */
    readonly emotes: { readonly [word: string]: any };
    /** Shared storage of the install. */
    readonly storage: { readonly value: any; on(listener: (value: any) => void): () => void };
    /** Calls a listener for each event of a type; returns a function that ends it. */
    on<Type extends keyof LayerEvents>(type: Type, listener: (data: LayerEvents[Type], meta: EventMeta) => void): () => void;
    /** Address of an upload or a sound that a setting names, or null. */
    asset(id: string): string | null;
    /** Plays a sound at 0 to 1 of the volume of alerts, unless they are muted. */
    play(address: string, volume?: number): { stop(): void };
    /** Milliseconds of the server's clock. */
    serverTime(): number;
    /** True for an event that is too old for an alert. */
    isOld(event: AccountEvent): boolean;
  }
  /** Exports of `layer.js`. */
  interface Layer {
    events?: readonly string[];
    mount(root: HTMLElement, lumio: LayerHost): void | (() => void);
  }

  /** Payloads of the event types. */
  interface EventData {
    "twitch:follower": {
      user_name: string | null;
      user_id: string | null;
      /** RFC 3339. */
      followed_at: string | null;
    };
    "twitch:subscribe": {
      user_name: string | null;
      user_id: string | null;
      /** In the words of the platform. */
      tier: string | null;
      months: number | null;
      message: string | null;
    };
    "twitch:resub": {
      user_name: string | null;
      user_id: string | null;
      /** In the words of the platform. */
      tier: string | null;
      months: number | null;
      message: string | null;
    };
    "twitch:gift_sub": {
      gifter_name: string | null;
      gifter_user_id: string | null;
      recipient_name: string | null;
      recipient_user_id: string | null;
      /** In the words of the platform. */
      tier: string | null;
    };
    "twitch:cheer": {
      user_name: string | null;
      user_id: string | null;
      bits: number | null;
      message: string | null;
    };
    "twitch:raid": {
      from_broadcaster_name: string | null;
      from_broadcaster_id: string | null;
      viewer_count: number | null;
    };
    "twitch:reward": {
      user_name: string | null;
      user_id: string | null;
      reward_id: string | null;
      reward_title: string | null;
      reward_cost: number | null;
      input: string | null;
      /** State, in the words of the platform. */
      status: string | null;
    };
    "twitch:hype_train": {
      level: number | null;
      total: number | null;
      progress: number | null;
      goal: number | null;
    };
    "twitch:hype_train_end": {
      level: number | null;
      total: number | null;
    };
    "twitch:poll": {
      poll_id: string | null;
      title: string | null;
      choices: { [key: string]: any }[] | null;
      /** State, in the words of the platform. */
      status: string | null;
      winning_choice_id: string | null;
    };
    "twitch:poll_end": {
      poll_id: string | null;
      title: string | null;
      choices: { [key: string]: any }[] | null;
      /** State, in the words of the platform. */
      status: string | null;
      winning_choice_id: string | null;
    };
    "twitch:prediction": {
      prediction_id: string | null;
      title: string | null;
      outcomes: { [key: string]: any }[] | null;
      winning_outcome_id: string | null;
      /** State, in the words of the platform. */
      status: string | null;
    };
    "twitch:prediction_lock": {
      prediction_id: string | null;
      title: string | null;
      outcomes: { [key: string]: any }[] | null;
      winning_outcome_id: string | null;
      /** State, in the words of the platform. */
      status: string | null;
    };
    "twitch:prediction_end": {
      prediction_id: string | null;
      title: string | null;
      outcomes: { [key: string]: any }[] | null;
      winning_outcome_id: string | null;
      /** State, in the words of the platform. */
      status: string | null;
    };
    "twitch:goal": {
      goal_id: string | null;
      type: string | null;
      description: string | null;
      current_amount: number | null;
      target_amount: number | null;
      is_achieved: boolean | null;
    };
    "twitch:goal_end": {
      goal_id: string | null;
      type: string | null;
      description: string | null;
      current_amount: number | null;
      target_amount: number | null;
      is_achieved: boolean | null;
    };
    "twitch:ad_break": {
      duration_seconds: number | null;
      /** RFC 3339. */
      started_at: string | null;
    };
    "twitch:ban": {
      user_name: string | null;
      user_id: string | null;
      reason: string | null;
      moderator_name: string | null;
    };
    "twitch:unban": {
      user_name: string | null;
      user_id: string | null;
      reason: string | null;
      moderator_name: string | null;
    };
    "twitch:stream_online": {
      broadcaster_name: string | null;
      broadcaster_id: string | null;
      /** RFC 3339. */
      started_at: string | null;
    };
    "twitch:stream_offline": {
      broadcaster_name: string | null;
      broadcaster_id: string | null;
    };
    "twitch:stream_update": {
      title: string | null;
      category_name: string | null;
      category_id: string | null;
    };
    "youtube:subscriber": {
      user_name: string | null;
      user_id: string | null;
      /** RFC 3339. */
      subscribed_at: string | null;
    };
    "youtube:member": {
      user_name: string | null;
      user_id: string | null;
      /** In the words of the platform. */
      level_name: string | null;
      is_upgrade: boolean | null;
      is_gift: boolean | null;
      gifter_user_id: string | null;
    };
    "youtube:member_milestone": {
      user_name: string | null;
      user_id: string | null;
      /** In the words of the platform. */
      level_name: string | null;
      months: number | null;
      message: string | null;
    };
    "youtube:member_gift": {
      gifter_name: string | null;
      gifter_user_id: string | null;
      count: number | null;
      /** In the words of the platform. */
      level_name: string | null;
    };
    "youtube:superchat": {
      user_name: string | null;
      user_id: string | null;
      amount_micros: number | null;
      /** Three capital letters. */
      currency: string | null;
      amount_display: string | null;
      tier: number | null;
      message: string | null;
    };
    "youtube:supersticker": {
      user_name: string | null;
      user_id: string | null;
      amount_micros: number | null;
      /** Three capital letters. */
      currency: string | null;
      amount_display: string | null;
      tier: number | null;
      sticker_id: string | null;
      sticker_text: string | null;
    };
    "youtube:stream_online": {
      broadcaster_name: string | null;
      broadcaster_id: string | null;
      broadcast_id: string | null;
      title: string | null;
      /** RFC 3339. */
      started_at: string | null;
    };
    "youtube:stream_offline": {
      broadcaster_name: string | null;
      broadcaster_id: string | null;
      broadcast_id: string | null;
      title: string | null;
      /** RFC 3339. */
      started_at: string | null;
    };
    "kick:follower": {
      user_name: string | null;
      user_id: string | null;
      /** RFC 3339. */
      followed_at: string | null;
    };
    "kick:subscribe": {
      user_name: string | null;
      user_id: string | null;
      /** In the words of the platform. */
      tier: string | null;
      months: number | null;
      message: string | null;
    };
    "kick:gift_sub": {
      gifter_name: string | null;
      gifter_user_id: string | null;
      recipient_name: string | null;
      recipient_user_id: string | null;
      /** In the words of the platform. */
      tier: string | null;
    };
    "kick:raid": {
      from_broadcaster_name: string | null;
      from_broadcaster_id: string | null;
      viewer_count: number | null;
    };
    "kick:stream_online": {
      broadcaster_name: string | null;
      broadcaster_id: string | null;
      /** RFC 3339. */
      started_at: string | null;
    };
    "kick:stream_offline": {
      broadcaster_name: string | null;
      broadcaster_id: string | null;
    };
    "trovo:follower": {
      user_name: string | null;
      user_id: string | null;
      /** RFC 3339. */
      followed_at: string | null;
    };
    "trovo:subscribe": {
      user_name: string | null;
      user_id: string | null;
      /** In the words of the platform. */
      tier: string | null;
      months: number | null;
      message: string | null;
    };
    "trovo:gift_sub": {
      gifter_name: string | null;
      gifter_user_id: string | null;
      recipient_name: string | null;
      recipient_user_id: string | null;
      /** In the words of the platform. */
      tier: string | null;
      count: number | null;
    };
    "trovo:spell": {
      user_name: string | null;
      user_id: string | null;
      spell_name: string | null;
      count: number | null;
      value: number | null;
      value_type: string | null;
    };
    "trovo:raid": {
      from_broadcaster_name: string | null;
      from_broadcaster_id: string | null;
      viewer_count: number | null;
    };
    "trovo:stream_online": {
      broadcaster_name: string | null;
      broadcaster_id: string | null;
      /** RFC 3339. */
      started_at: string | null;
    };
    "trovo:stream_offline": {
      broadcaster_name: string | null;
      broadcaster_id: string | null;
    };
    "streamelements:tip": {
      user_name: string | null;
      user_id: string | null;
      /** Minor units of the currency. */
      amount: number | null;
      /** Three capital letters. */
      currency: string | null;
      message: string | null;
    };
    "spotify:track": {
      track_id: string | null;
      title: string | null;
      artist: string | null;
      album: string | null;
      duration_ms: number | null;
    };
    "shopify:order": {
      order_id: string | null;
      order_number: number | null;
      user_name: string | null;
      user_id: string | null;
      /** Minor units of the currency. */
      amount: number | null;
      /** Three capital letters. */
      currency: string | null;
      item_count: number | null;
    };
    /** Event of an account or an extension. */
    [custom: `custom:${string}`]: { [key: string]: any };
  }

  /** Type of an event. */
  type EventType = keyof EventData;

  /** `lumio.config.json`. */
  interface Manifest {
    /** Address of this schema, for editors. */
    $schema?: string;
    /** Node of automations. */
    automation_node?: {
      /** Color. */
      color?: string | null;
      /** Export that is called. */
      handler: string;
      /** Icon. */
      icon?: string | null;
      /** JSON Schema of the settings of the node. */
      input_schema?: any;
      /** Display name. */
      name: string;
      /** Role of the node in an automation. */
      node_type: "trigger" | "action" | "logic";
      /** JSON Schema of the output of the node. */
      output_schema?: any;
      /** Interval of the polls, for polling triggers only. */
      poll_interval_seconds?: number | null;
      /** Source of the starts; for triggers only. */
      trigger_mode?: "webhook" | "polling" | "both" | null;
    } | null;
    /** Handlers of chat messages, events and timers. */
    bot_module?: {
      /** Chat commands. */
      commands?: Array<{
        /** Further name. */
        alias?: string | null;
        /** Seconds between two uses. */
        cooldown_global?: number;
        /** Seconds between two uses of one chatter. */
        cooldown_user?: number;
        /** False when switched off. */
        enabled?: boolean;
        /** Export that is called. */
        handler: string;
        /** Least role that may use it; `everyone` when absent. */
        min_role?: "broadcaster" | "moderator" | "vip" | "subscriber" | "follower" | "everyone";
        /** Name without prefix. */
        name: string;
      }>;
      /** Events of the account. */
      events?: Array<{
        /** Type of the event catalogue, or `custom:` and a name. */
        event_type: EventType;
        /** Export that is called. */
        handler: string;
      }>;
      /** Whole words in messages. */
      keywords?: Array<{
        /** False when switched off. */
        enabled?: boolean;
        /** Export that is called. */
        handler: string;
        /** Word or words, in any case. */
        value: string;
      }>;
      /** Export that gets every message for moderation. */
      moderate?: string | null;
      /** Regular expressions on messages. */
      patterns?: Array<{
        /** False when switched off. */
        enabled?: boolean;
        /** Export that is called. */
        handler: string;
        /** Regular expression of a linear-time engine. */
        regex: string;
      }>;
      /** Platforms that the module runs on; empty means all. */
      platforms?: Array<"twitch" | "youtube" | "kick" | "trovo">;
      /** Periodic triggers. */
      timers?: Array<{
        /** Export that is called. */
        handler: string;
        /** Interval in seconds. */
        interval_secs: number;
        /** Chat lines since the last run that a run requires. */
        min_chat_lines?: number;
        /** Unique name. */
        name: string;
        /** Platforms; empty means those of the module. */
        platforms?: Array<"twitch" | "youtube" | "kick" | "trovo">;
      }>;
    } | null;
    /** Kind of extension. `bot_module` and `automation_node` require the section of that name. */
    category: "widget" | "bot_module" | "automation_node" | "theme" | "integration";
    /** Settings of an install, by key. */
    config_schema?: { [name: string]: {
      /** Value where the account has set none. It must satisfy the setting. */
      default?: any;
      /** Help text in forms. */
      help?: string | null;
      /** Label in forms. */
      label: string;
      /** Maximum of a number, or of the count of characters or entries. */
      max?: number | null;
      /** Minimum of a number, or of the count of characters or entries. */
      min?: number | null;
      /** Choices; exactly for the type `select`. */
      options?: Array<string | {
        /** Label of the choice. */
        label: string;
        /** Stored value. */
        value: string;
      }>;
      /** True when a value is required. */
      required?: boolean;
      /** True when the value is encrypted and never returned; for `string` and `text`. */
      secret?: boolean;
      /** Type of the value. */
      type: "string" | "number" | "boolean" | "select" | "color" | "text" | "sound" | "image" | "string_list";
    } };
    /** Description of the extension. */
    description: string;
    /** Hosts and ports that `ctx.fetch` may reach. */
    egress?: {
      /** Host names in lower case, without scheme, port or path; one leading `*.` stands for one label. */
      allowHosts?: string[];
      /** Ports beside 443; never 80. */
      allowPorts?: number[];
    };
    /** Id of the extension; absent means the extension that the version is uploaded to. */
    extensionId?: string;
    /** Names of fonts that the pages use. */
    fonts?: string[];
    /** Server functions that pages call, by name. */
    functions?: { [name: string]: {
      /** One statement on a table in place of code. */
      declarative?: any;
      /** True when only the surface `editor` may call it. */
      editor_only?: boolean;
      /** Export that implements it; absent means the export of the function's name. */
      handler?: string | null;
      /** Effect of the function. */
      kind: "query" | "mutation" | "action";
    } };
    /** Name of the extension. */
    name: string;
    /** Permissions that the account must grant. */
    permissions?: Array<"events:read" | "events:emit" | "chat:read" | "chat:send" | "chat:delete" | "chat:ban" | "obs:set_scene" | "obs:set_source_visible" | "obs:start_stream" | "obs:stop_stream" | "overlay:update_layer">;
    /** Intended price; the record of the extension decides. */
    pricing?: {
      /** Kind of price. */
      type: "free" | "one_time" | "subscription";
    } | null;
    /** True when the bundle has a `server.js`. */
    server?: boolean;
    /** Sounds of the bundle. */
    sounds?: Array<{
      /** Path in the bundle, below `sounds/`. */
      file: string;
      /** Unique name. */
      key: string;
      /** Label in forms. */
      label: string;
    }>;
    /** Tables of `ctx.db`, by name. */
    tables?: { [name: string]: {
      /** Columns by name: a type, or a type with `optional`. `id`, `created_at` and `updated_at` are added. */
      columns: { [name: string]: "string" | "number" | "boolean" | "string[]" | "number[]" | "object" | {
        /** True when the column may be null. */
        optional?: boolean;
        /** Type of the column. */
        type: "string" | "number" | "boolean" | "string[]" | "number[]" | "object";
      } };
      /** Owner of the rows: the install (`instance`, the default), or the account with all its installs. */
      scope?: "instance" | "account";
    } };
    /** Surfaces with code: `editor.js`, `layer.js`, `interactive.js`. Widgets and themes need at least one. */
    targets?: Array<"editor" | "layer" | "interactive">;
    /** Semantic version, greater than every published one. */
    version: string;
    /** Intended visibility; the record of the extension decides. */
    visibility?: "private" | "unlisted" | "public" | "paid" | null;
  }
}

declare module "@lumio/sdk/server" {
  /** Rule of a value. */
  export interface Validator<Value> {
    readonly type: string;
    readonly __value?: Value;
    optional(): Validator<Value | undefined>;
  }
  /** Rules by the name of their field. */
  export type Fields = { [name: string]: Validator<any> };
  /** Value that satisfies a rule. */
  export type ValueOf<Rule> = Rule extends Validator<infer Value> ? Value : never;
  /** Object that satisfies rules. */
  export type ArgumentsOf<Rules extends Fields> = { [Name in keyof Rules]: ValueOf<Rules[Name]> };

  /** Rules of arguments and columns. */
  export const v: {
    any(): Validator<any>;
    string(): Validator<string>;
    number(): Validator<number>;
    boolean(): Validator<boolean>;
    null(): Validator<null>;
    literal<const Value extends string | number | boolean | null>(value: Value): Validator<Value>;
    array<Value>(items: Validator<Value>): Validator<Value[]>;
    object<Rules extends Fields>(fields: Rules): Validator<ArgumentsOf<Rules>>;
    record<Value>(values: Validator<Value>): Validator<{ [key: string]: Value }>;
    optional<Value>(value: Validator<Value>): Validator<Value | undefined>;
    union<Rules extends Validator<any>[]>(...members: Rules): Validator<ValueOf<Rules[number]>>;
  };

  /** Server function. */
  export interface Definition<Kind extends Lumio.FunctionKind> {
    readonly kind: Kind;
  }
  /** Handler, or its arguments with it. */
  export type Definable<Context, Rules extends Fields, Result> =
    | ((ctx: Context, args: any) => Result)
    | { args?: Rules; handler: (ctx: Context, args: ArgumentsOf<Rules>) => Result };

  /** Reads data. May run again at any time. */
  export function query<Rules extends Fields, Result>(definition: Definable<Lumio.QueryContext, Rules, Result>): Definition<"query">;
  /** Changes data, in one transaction. */
  export function mutation<Rules extends Fields, Result>(definition: Definable<Lumio.MutationContext, Rules, Result>): Definition<"mutation">;
  /** Reaches the network, secrets and host actions. */
  export function action<Rules extends Fields, Result>(definition: Definable<Lumio.ActionContext, Rules, Result>): Definition<"action">;

  /** Table with its columns. */
  export interface Table {
    readonly columns: Fields;
    readonly scope: "instance" | "account";
    storage(scope: "instance" | "account"): Table;
  }
  /** Table with its columns; id, created_at and updated_at are added. */
  export function defineTable(columns: Fields): Table;
  /** Tables of an extension by name. */
  export function defineSchema<Tables extends { [name: string]: Table }>(tables: Tables): { readonly tables: Tables };

  /** Place of an argument in a declarative function. */
  export type Argument = { readonly arg: string };
  /** Server function that is one statement on a table. */
  export interface Declaration {
    readonly kind: "query" | "mutation";
    readonly editorOnly: boolean;
    readonly declarative: { readonly operation: string; readonly table: string };
  }
  /** Options of a declarative function. */
  export interface DeclarationOptions {
    editorOnly?: boolean;
  }
  /** Argument of the call. */
  export function arg(name: string): Argument;
  /** Condition on a column. */
  export function filter(column: string, operator: Lumio.Operator, value: unknown): Lumio.Condition;
  /** Returns rows. */
  export function queryRows(
    table: string,
    options?: { filter?: Lumio.Filter; orderBy?: string; orderDir?: "asc" | "desc"; limit?: number | Argument; offset?: number | Argument } & DeclarationOptions,
  ): Declaration;
  /** Inserts a row. */
  export function insertRow(table: string, data: { [column: string]: unknown }, options?: DeclarationOptions): Declaration;
  /** Changes a row. */
  export function patchRow(table: string, id: string | Argument, data: { [column: string]: unknown }, options?: DeclarationOptions): Declaration;
  /** Deletes a row. */
  export function deleteRow(table: string, id: string | Argument, options?: DeclarationOptions): Declaration;
}

declare module "@zaflun/lumio-sdk/server" {
  export * from "@lumio/sdk/server";
}
