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
