//! Rows of declared tables.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName,
    pg::Pg,
    query_builder::{BoxedSqlQuery, SqlQuery},
    sql_query,
    sql_types::{Array, BigInt, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::{Table, TableScope};
use sandbox::{DeleteRow, GetRow, HostError, InsertRow, PatchRow, QueryRows};
use serde_json::{Map, Value, json};
use shared::clock::rfc3339;
use uuid::Uuid;

use super::{
    Owner,
    filter::{Column, Condition, Operand, Operator, conditions},
    problem::Problem,
    quota::{QuotaKey, UsageChanges},
    tables::{new_row, patched_row, shortened, size, table},
};

/// Number of rows that a query returns by default.
pub(crate) const DEFAULT_LIMIT: i64 = 100;
/// Maximum number of rows that a query returns.
pub(crate) const MAX_ROWS: i64 = 1000;
/// Maximum number of rows that a query skips.
pub(crate) const MAX_OFFSET: i64 = 1_000_000;
/// Maximum size of the rows of a response, in bytes; the statement below has it too.
pub(crate) const MAX_RESPONSE_BYTES: i64 = 4_194_304;
/// Wrapper of a statement for rows: adds up their sizes before any of their data is read. A response may hold
/// 4 MiB.
const FOUND: &str =
    "SELECT id, CASE WHEN sum(bytes) OVER () <= 4194304 THEN data END AS data, created_at, updated_at
     FROM (";

/// Condition for an invocation's own rows; the statements below number their parameters after these four.
const OWN: &str =
    "extension_id = $1 AND account_id = $2 AND install_id IS NOT DISTINCT FROM $3 AND table_name = $4";

type Statement = BoxedSqlQuery<'static, Pg, SqlQuery>;

/// Row of a response.
#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    /// Null when the rows of the response together are too large.
    #[diesel(sql_type = Nullable<Jsonb>)]
    data: Option<Value>,
    #[diesel(sql_type = Timestamptz)]
    created_at: DateTime<Utc>,
    #[diesel(sql_type = Timestamptz)]
    updated_at: DateTime<Utc>,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Jsonb)]
    data: Value,
    #[diesel(sql_type = BigInt)]
    bytes: i64,
    #[diesel(sql_type = Timestamptz)]
    created_at: DateTime<Utc>,
    #[diesel(sql_type = Timestamptz)]
    updated_at: DateTime<Utc>,
}

/// Statement under construction, with the number of its next parameter.
struct Builder {
    statement: Statement,
    next: usize,
}

pub(super) async fn query(
    connection: &mut AsyncPgConnection,
    owner: &Owner,
    tables: &BTreeMap<String, Table>,
    query: &QueryRows,
) -> Result<Value, Problem> {
    let what = "ctx.db.query";
    let table = table(tables, &query.table)?;
    let conditions = conditions(what, table, query.filter.as_ref())?;
    let limit = bounded(what, "limit", query.limit.as_ref(), DEFAULT_LIMIT, 1, MAX_ROWS)?;
    let offset = bounded(what, "offset", query.offset.as_ref(), 0, 0, MAX_OFFSET)?;
    let mut builder = Builder::select(FOUND, owner, table, &query.table);
    builder.add_conditions(conditions);
    let order = builder.add_order(what, table, query)?;
    let rows = builder.within_size(&order, limit, offset).load::<Found>(connection).await?;
    answer(what, rows)
}

pub(super) async fn get(
    connection: &mut AsyncPgConnection,
    owner: &Owner,
    tables: &BTreeMap<String, Table>,
    get: &GetRow,
) -> Result<Value, Problem> {
    let what = "ctx.db.get";
    let table = table(tables, &get.table)?;
    let conditions = conditions(what, table, get.filter.as_ref())?;
    let mut builder = Builder::select("", owner, table, &get.table);
    builder.add_conditions(conditions);
    builder.sql(" ORDER BY created_at, id LIMIT 1");
    let row = builder.statement.get_result::<Row>(connection).await.optional()?;
    Ok(row.map_or(Value::Null, Row::view))
}

pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    owner: &Owner,
    tables: &BTreeMap<String, Table>,
    insert: &InsertRow,
    usage: &mut UsageChanges,
    now: DateTime<Utc>,
) -> Result<Value, Problem> {
    let table = table(tables, &insert.table)?;
    let data = new_row(&insert.table, table, &insert.row)?;
    let (bytes, install_id) =
        (size(&insert.table, &data, usage.max_value_bytes())?, install_of(owner, table));
    usage.add(connection, QuotaKey::of_rows(owner, install_id), bytes, 0).await?;
    let row: Row = sql_query(
        "INSERT INTO extension_rows
            (extension_id, account_id, install_id, table_name, id, data, bytes, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
         RETURNING id, data, bytes, created_at, updated_at",
    )
    .bind::<SqlUuid, _>(owner.extension_id)
    .bind::<SqlUuid, _>(owner.account_id)
    .bind::<Nullable<SqlUuid>, _>(install_id)
    .bind::<Text, _>(&insert.table)
    .bind::<SqlUuid, _>(shared::id::new())
    .bind::<Jsonb, _>(Value::Object(data))
    .bind::<BigInt, _>(bytes)
    .bind::<Timestamptz, _>(now)
    .get_result(connection)
    .await?;
    Ok(row.view())
}

pub(super) async fn patch(
    connection: &mut AsyncPgConnection,
    owner: &Owner,
    tables: &BTreeMap<String, Table>,
    patch: &PatchRow,
    usage: &mut UsageChanges,
    now: DateTime<Utc>,
) -> Result<Value, Problem> {
    let table = table(tables, &patch.table)?;
    let Ok(id) = Uuid::try_parse(&patch.id) else { return Ok(Value::Null) };
    let install_id = install_of(owner, table);
    let found: Option<Row> = sql_query(format!(
        "SELECT id, data, bytes, created_at, updated_at FROM extension_rows WHERE {OWN} AND id = $5 FOR UPDATE"
    ))
    .bind::<SqlUuid, _>(owner.extension_id)
    .bind::<SqlUuid, _>(owner.account_id)
    .bind::<Nullable<SqlUuid>, _>(install_id)
    .bind::<Text, _>(&patch.table)
    .bind::<SqlUuid, _>(id)
    .get_result(connection)
    .await
    .optional()?;
    let Some(found) = found else { return Ok(Value::Null) };
    let before = found.data.as_object().cloned().unwrap_or_default();
    let data = patched_row(&patch.table, table, before, &patch.partial)?;
    let bytes = size(&patch.table, &data, usage.max_value_bytes())?;
    usage.add(connection, QuotaKey::of_rows(owner, install_id), bytes - found.bytes, 0).await?;
    let row: Row = sql_query(format!(
        "UPDATE extension_rows SET data = $6, bytes = $7, updated_at = $8 WHERE {OWN} AND id = $5
         RETURNING id, data, bytes, created_at, updated_at"
    ))
    .bind::<SqlUuid, _>(owner.extension_id)
    .bind::<SqlUuid, _>(owner.account_id)
    .bind::<Nullable<SqlUuid>, _>(install_id)
    .bind::<Text, _>(&patch.table)
    .bind::<SqlUuid, _>(id)
    .bind::<Jsonb, _>(Value::Object(data))
    .bind::<BigInt, _>(bytes)
    .bind::<Timestamptz, _>(now)
    .get_result(connection)
    .await?;
    Ok(row.view())
}

pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    owner: &Owner,
    tables: &BTreeMap<String, Table>,
    delete: &DeleteRow,
    usage: &mut UsageChanges,
) -> Result<Value, Problem> {
    let table = table(tables, &delete.table)?;
    let Ok(id) = Uuid::try_parse(&delete.id) else { return Ok(Value::Null) };
    let install_id = install_of(owner, table);
    let row: Option<Row> = sql_query(format!(
        "DELETE FROM extension_rows WHERE {OWN} AND id = $5 RETURNING id, data, bytes, created_at, updated_at"
    ))
    .bind::<SqlUuid, _>(owner.extension_id)
    .bind::<SqlUuid, _>(owner.account_id)
    .bind::<Nullable<SqlUuid>, _>(install_id)
    .bind::<Text, _>(&delete.table)
    .bind::<SqlUuid, _>(id)
    .get_result(connection)
    .await
    .optional()?;
    let Some(row) = row else { return Ok(Value::Null) };
    usage.add(connection, QuotaKey::of_rows(owner, install_id), -row.bytes, 0).await?;
    Ok(row.view())
}

impl Row {
    fn view(self) -> Value {
        view(self.id, self.data, self.created_at, self.updated_at)
    }
}

/// Returns a row as handlers see it.
pub(crate) fn view(id: Uuid, data: Value, created_at: DateTime<Utc>, updated_at: DateTime<Utc>) -> Value {
    let mut row = Map::new();
    row.insert("id".to_owned(), json!(id));
    if let Value::Object(data) = data {
        row.extend(data);
    }
    row.insert("created_at".to_owned(), json!(rfc3339(created_at)));
    row.insert("updated_at".to_owned(), json!(rfc3339(updated_at)));
    Value::Object(row)
}

impl Builder {
    /// Begins a statement; `outer` precedes it.
    fn select(outer: &str, owner: &Owner, table: &Table, name: &str) -> Self {
        let statement = sql_query(format!(
            "{outer}SELECT id, data, bytes, created_at, updated_at FROM extension_rows WHERE {OWN}"
        ))
        .into_boxed::<Pg>()
        .bind::<SqlUuid, _>(owner.extension_id)
        .bind::<SqlUuid, _>(owner.account_id)
        .bind::<Nullable<SqlUuid>, _>(install_of(owner, table))
        .bind::<Text, _>(name.to_owned());
        Self { statement, next: 5 }
    }

    fn sql(&mut self, text: &str) {
        self.change(|statement| statement.sql(text));
    }

    fn change(&mut self, change: impl FnOnce(Statement) -> Statement) {
        let statement = std::mem::replace(&mut self.statement, sql_query("").into_boxed());
        self.statement = change(statement);
    }

    /// Returns the placeholder of the next bound parameter.
    fn place(&mut self) -> String {
        self.next += 1;
        format!("${}", self.next - 1)
    }

    /// Returns the text of a column; names of declared ones are parameters.
    fn column(&mut self, column: &Column) -> String {
        match column {
            Column::Id => "id".to_owned(),
            Column::CreatedAt => "created_at".to_owned(),
            Column::UpdatedAt => "updated_at".to_owned(),
            Column::Data(name) => {
                let (place, name) = (self.place(), name.clone());
                self.change(|statement| statement.bind::<Text, _>(name));
                format!("(data -> {place})")
            }
        }
    }

    fn add_conditions(&mut self, conditions: Vec<Condition>) {
        for Condition { column, operator, operands } in conditions {
            let column = self.column(&column);
            if operator == Operator::In {
                self.add_in(&column, operands);
                continue;
            }
            let Some(operand) = operands.into_iter().next() else { continue };
            if operand == Operand::Null {
                self.sql(&format!(
                    " AND {column} IS {}NULL",
                    if operator == Operator::Ne { "NOT " } else { "" }
                ));
                continue;
            }
            let text = format!(" AND {column} {} {}", operator.sql(), self.place());
            self.change(|statement| match operand {
                Operand::Id(id) => statement.sql(text).bind::<SqlUuid, _>(id),
                Operand::Time(time) => statement.sql(text).bind::<Timestamptz, _>(time),
                Operand::Json(value) => statement.sql(text).bind::<Jsonb, _>(value),
                Operand::Null => statement,
            });
        }
    }

    fn add_in(&mut self, column: &str, operands: Vec<Operand>) {
        let text = format!(" AND {column} = ANY({})", self.place());
        let (mut ids, mut times, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for operand in operands {
            match operand {
                Operand::Id(id) => ids.push(id),
                Operand::Time(time) => times.push(time),
                Operand::Json(value) => values.push(value),
                Operand::Null => {}
            }
        }
        self.change(|statement| {
            let statement = statement.sql(text);
            match column {
                "id" => statement.bind::<Array<SqlUuid>, _>(ids),
                "created_at" | "updated_at" => statement.bind::<Array<Timestamptz>, _>(times),
                _ => statement.bind::<Array<Jsonb>, _>(values),
            }
        });
    }

    /// Adds the order and returns its text, which may be repeated: it binds nothing again.
    fn add_order(&mut self, what: &str, table: &Table, query: &QueryRows) -> Result<String, HostError> {
        let (column, is_descending) = order_of(what, table, query)?;
        let direction = if is_descending { "DESC" } else { "ASC" };
        let column = self.column(&column);
        let order = format!(" ORDER BY {column} {direction} NULLS LAST, id {direction}");
        self.sql(&order);
        Ok(order)
    }

    /// Ends a statement that began with [`FOUND`].
    fn within_size(mut self, order: &str, limit: i64, offset: i64) -> Statement {
        let text = format!(" LIMIT {} OFFSET {}) AS found{order}", self.place(), self.place());
        self.statement.sql(text).bind::<BigInt, _>(limit).bind::<BigInt, _>(offset)
    }
}

fn install_of(owner: &Owner, table: &Table) -> Option<Uuid> {
    (table.scope == TableScope::Instance).then_some(owner.install_id)
}

/// Returns the column of a query's order, and whether it is descending.
///
/// # Errors
/// A column that is not there, or another direction.
pub(crate) fn order_of(what: &str, table: &Table, query: &QueryRows) -> Result<(Column, bool), HostError> {
    let name = query.order_by.as_deref().unwrap_or("created_at");
    let column = Column::of(table, name).ok_or_else(|| {
        HostError::argument(format!("{what}: orderBy names no column: {}", shortened(name)))
    })?;
    match query.order_dir.as_deref() {
        None | Some("asc") => Ok((column, false)),
        Some("desc") => Ok((column, true)),
        Some(_) => Err(HostError::argument(format!("{what}: orderDir must be asc or desc"))),
    }
}

/// Returns the refusal of rows that are too large together.
pub(crate) fn rows_too_large(what: &str) -> HostError {
    HostError::limit(format!("{what}: the rows are larger than 4 MB together; ask for fewer with limit"))
}

fn answer(what: &str, rows: Vec<Found>) -> Result<Value, Problem> {
    let rows = rows.into_iter().map(|row| Some(view(row.id, row.data?, row.created_at, row.updated_at)));
    rows.collect::<Option<Value>>().ok_or_else(|| rows_too_large(what).into())
}

/// Reads a number of a query.
///
/// # Errors
/// A number that is not whole, or out of bounds.
pub(crate) fn bounded(
    what: &str,
    field: &str,
    given: Option<&Value>,
    usual: i64,
    least: i64,
    max: i64,
) -> Result<i64, HostError> {
    let Some(given) = given.filter(|given| !given.is_null()) else { return Ok(usual) };
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and within the bounds")]
    let whole = given.as_i64().or_else(|| {
        given
            .as_f64()
            .filter(|number| number.fract() == 0.0 && number.abs() < 1e15)
            .map(|number| number as i64)
    });
    whole.filter(|number| (least..=max).contains(number)).ok_or_else(|| {
        HostError::argument(format!("{what}: {field} must be a whole number between {least} and {max}"))
    })
}
