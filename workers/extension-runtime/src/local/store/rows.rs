//! Rows of declared tables.

use extension_model::{Table, TableScope};
use sandbox::{DeleteRow, GetRow, HostError, InsertRow, PatchRow, QueryRows};
use serde_json::Value;
use uuid::Uuid;

use super::{
    Store, StoreContext,
    compare::{holds, in_order},
    row::StoredRow,
};
use crate::storage::{
    Owner,
    filter::{Column, Condition, conditions},
    quota::QuotaKey,
    rows::{DEFAULT_LIMIT, MAX_OFFSET, MAX_RESPONSE_BYTES, MAX_ROWS, bounded, order_of, rows_too_large},
    tables::{new_row, patched_row, size, table},
};

/// Returns the quota of the rows of a table.
pub(super) fn quota_key(owner: &Owner, table: &Table) -> QuotaKey {
    QuotaKey::of_rows(owner, (table.scope == TableScope::Instance).then_some(owner.install_id))
}

pub(super) fn query(store: &Store, cx: &StoreContext<'_>, query: &QueryRows) -> Result<Value, HostError> {
    let what = "ctx.db.query";
    let table = table(cx.tables, &query.table)?;
    let conditions = conditions(what, table, query.filter.as_ref())?;
    let limit = bounded(what, "limit", query.limit.as_ref(), DEFAULT_LIMIT, 1, MAX_ROWS)?;
    let offset = bounded(what, "offset", query.offset.as_ref(), 0, 0, MAX_OFFSET)?;
    let (column, is_descending) = order_of(what, table, query)?;
    let count = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    let rows = found(store, &query.table, &conditions, &column, is_descending);
    let rows: Vec<_> = rows.into_iter().skip(count(offset)).take(count(limit)).collect();
    if rows.iter().map(|row| row.bytes).sum::<i64>() > MAX_RESPONSE_BYTES {
        return Err(rows_too_large(what));
    }
    Ok(rows.into_iter().map(StoredRow::view).collect())
}

pub(super) fn get(store: &Store, cx: &StoreContext<'_>, get: &GetRow) -> Result<Value, HostError> {
    let table = table(cx.tables, &get.table)?;
    let conditions = conditions("ctx.db.get", table, get.filter.as_ref())?;
    let rows = found(store, &get.table, &conditions, &Column::CreatedAt, false);
    Ok(rows.first().map_or(Value::Null, |row| row.view()))
}

pub(super) fn insert(
    store: &mut Store,
    cx: &StoreContext<'_>,
    insert: &InsertRow,
) -> Result<Value, HostError> {
    let table = table(cx.tables, &insert.table)?;
    let data = new_row(&insert.table, table, &insert.row)?;
    let bytes = size(&insert.table, &data, cx.max_value_bytes())?;
    store.admit(cx, &quota_key(cx.owner, table), bytes, 0)?;
    let row = StoredRow { id: shared::id::new(), data, bytes, created_at: cx.now, updated_at: cx.now };
    let view = row.view();
    store.rows.entry(insert.table.clone()).or_default().push(row);
    Ok(view)
}

pub(super) fn patch(store: &mut Store, cx: &StoreContext<'_>, patch: &PatchRow) -> Result<Value, HostError> {
    let table = table(cx.tables, &patch.table)?;
    let Some(found) = position(store, &patch.table, &patch.id) else { return Ok(Value::Null) };
    let rows = store.rows.get(&patch.table).map_or(&[] as &[StoredRow], Vec::as_slice);
    let Some(before) = rows.get(found) else { return Ok(Value::Null) };
    let data = patched_row(&patch.table, table, before.data.clone(), &patch.partial)?;
    let bytes = size(&patch.table, &data, cx.max_value_bytes())?;
    let row = StoredRow { data, bytes, updated_at: cx.now, ..before.clone() };
    store.admit(cx, &quota_key(cx.owner, table), bytes - before.bytes, 0)?;
    let view = row.view();
    if let Some(stored) = store.rows.get_mut(&patch.table).and_then(|rows| rows.get_mut(found)) {
        *stored = row;
    }
    Ok(view)
}

pub(super) fn delete(
    store: &mut Store,
    cx: &StoreContext<'_>,
    delete: &DeleteRow,
) -> Result<Value, HostError> {
    table(cx.tables, &delete.table)?;
    let Some(found) = position(store, &delete.table, &delete.id) else { return Ok(Value::Null) };
    let removed = store.rows.get_mut(&delete.table).map(|rows| rows.remove(found));
    Ok(removed.map_or(Value::Null, |row| row.view()))
}

fn position(store: &Store, table: &str, id: &str) -> Option<usize> {
    let id = Uuid::try_parse(id).ok()?;
    store.rows.get(table)?.iter().position(|row| row.id == id)
}

fn found<'a>(
    store: &'a Store,
    table: &str,
    conditions: &[Condition],
    column: &Column,
    is_descending: bool,
) -> Vec<&'a StoredRow> {
    let rows = store.rows.get(table).into_iter().flatten();
    let mut rows: Vec<_> = rows.filter(|row| conditions.iter().all(|one| holds(row, one))).collect();
    rows.sort_by(|one, other| in_order(one, other, column, is_descending));
    rows
}
