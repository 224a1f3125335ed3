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
