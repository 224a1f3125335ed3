use sandbox::{DeleteRow, GetRow, InsertRow, ListValues, PatchRow, QueryRows, SetValue, ValueAt, ValueScope};
use serde_json::json;
use uuid::Uuid;

use super::*;

struct Install {
    owner: Owner,
    tables: BTreeMap<String, Table>,
    limits: ResolvedLimits,
    store: Store,
}

impl Install {
    fn new(viewer: Option<&str>) -> Self {
        let columns = json!({ "player": "string", "points": { "type": "number", "optional": true }, "tags": { "type": "string[]", "optional": true } });
        let tables = json!({ "scores": { "columns": columns }, "shared": { "scope": "account", "columns": { "note": "string" } } });
        let owner = Owner {
            extension_id: Uuid::from_u128(1),
            account_id: Uuid::from_u128(2),
            install_id: Uuid::from_u128(3),
            viewer: viewer.map(str::to_owned),
        };
        Self {
            owner,
            tables: serde_json::from_value(tables).unwrap(),
            limits: ResolvedLimits::default(),
            store: Store::default(),
        }
    }

    fn ask(&mut self, request: &HostRequest) -> Result<Value, String> {
        let cx = StoreContext {
            owner: &self.owner,
            tables: &self.tables,
            limits: &self.limits,
            now: DateTime::UNIX_EPOCH,
        };
        self.store.perform(&cx, request).map_err(|error| error.to_string())
    }

    fn insert(&mut self, row: Value) -> Value {
        self.ask(&HostRequest::InsertRow(InsertRow { table: "scores".into(), row })).unwrap()
    }

    fn players(&mut self, query: QueryRows) -> Vec<String> {
        let rows = self.ask(&HostRequest::QueryRows(QueryRows { table: "scores".into(), ..query })).unwrap();
        let players = rows.as_array().unwrap().iter().map(|row| row["player"].as_str().unwrap().to_owned());
        players.collect()
    }
}

fn set(scope: ValueScope, key: &str, value: Value) -> HostRequest {
    HostRequest::SetValue(SetValue { scope, key: key.to_owned(), value })
}

fn filtered(filter: Value) -> QueryRows {
    QueryRows { filter: Some(filter), ..QueryRows::default() }
}

#[test]
fn store_keeps_values_of_each_scope_apart() {
    let mut install = Install::new(Some("twitch:7"));
    let at = |scope| HostRequest::GetValue(ValueAt { scope, key: "a".into() });
    for (scope, value) in [(ValueScope::Global, 1), (ValueScope::Install, 2), (ValueScope::User, 3)] {
        install.ask(&set(scope, "a", json!(value))).unwrap();
    }
    for (scope, value) in [(ValueScope::Global, 1), (ValueScope::Install, 2), (ValueScope::User, 3)] {
        assert_eq!(install.ask(&at(scope)), Ok(json!(value)));
    }
    install.ask(&set(ValueScope::Install, "b:1", json!(null))).unwrap();
    let list = HostRequest::ListValues(ListValues { scope: ValueScope::Install, prefix: "b".into() });
    assert_eq!(install.ask(&list), Ok(json!([{ "key": "b:1", "value": null }])));
    let delete = HostRequest::DeleteValue(ValueAt { scope: ValueScope::Install, key: "a".into() });
    assert_eq!((install.ask(&delete), install.ask(&delete)), (Ok(json!(true)), Ok(json!(false))));
    let mut anonymous = Install::new(None);
    assert!(anonymous.ask(&at(ValueScope::User)).unwrap_err().contains("no scope user"));
}

#[test]
fn store_bounds_values_and_quotas() {
    let mut install = Install::new(Some("twitch:7"));
    let large = set(ValueScope::Install, "a", json!("x".repeat(65_535)));
    assert!(install.ask(&large).unwrap_err().starts_with("LimitError: ctx.db.set: the value is 65537 bytes"));
    let filling = json!("x".repeat(60_000));
    let stored =
        (0..100).take_while(|n| install.ask(&set(ValueScope::User, &n.to_string(), filling.clone())).is_ok());
    assert_eq!(stored.count(), 17, "a viewer has one megabyte");
    let refused = install.ask(&set(ValueScope::User, "more", filling)).unwrap_err();
    assert_eq!(refused, "LimitError: ctx.db: the quota of the scope user is used up: 1 MB, 1000 keys");
    for n in 0..1000 {
        install.ask(&set(ValueScope::Install, &n.to_string(), json!(1))).unwrap();
    }
    assert!(install.ask(&set(ValueScope::Install, "more", json!(1))).unwrap_err().contains("1000 keys"));
    install.ask(&set(ValueScope::Install, "1", json!(2))).unwrap();
}

#[test]
fn store_filters_and_orders_rows() {
    let mut install = Install::new(None);
    for (player, points) in [("ada", json!(3)), ("bob", json!(1)), ("cyd", Value::Null), ("dan", json!(2.5))]
    {
        install.insert(json!({ "player": player, "points": points }));
    }
    for (filter, players) in [
        (json!({ "player": "bob" }), vec!["bob"]),
        (json!({ "points": { "gte": 2.5 } }), vec!["ada", "dan"]),
        (json!({ "points": { "lt": 3 } }), vec!["bob", "dan"]),
        (json!({ "points": null }), vec!["cyd"]),
        (json!({ "points": { "ne": null } }), vec!["ada", "bob", "dan"]),
        (json!({ "points": { "ne": 1 } }), vec!["ada", "cyd", "dan"]),
        (json!({ "player": { "in": ["ada", "cyd"] } }), vec!["ada", "cyd"]),
        (json!([{ "points": { "gt": 1 } }, { "player": { "ne": "ada" } }]), vec!["dan"]),
    ] {
        let mut found = install.players(filtered(filter.clone()));
        found.sort();
        assert_eq!(found, players, "{filter}");
    }
    let ordered = |dir: &str| QueryRows {
        order_by: Some("points".into()),
        order_dir: Some(dir.to_owned()),
        limit: Some(json!(3)),
        offset: Some(json!(1)),
        ..QueryRows::default()
    };
    assert_eq!(install.players(ordered("asc")), ["dan", "ada", "cyd"]);
    assert_eq!(install.players(ordered("desc")), ["dan", "bob", "cyd"]);
}

#[test]
fn store_changes_and_deletes_rows_by_id() {
    let mut install = Install::new(None);
    let row = install.insert(json!({ "player": "ada", "points": 1 }));
    let id = row["id"].as_str().unwrap().to_owned();
    assert_eq!(row["created_at"], "1970-01-01T00:00:00.000Z");
    let patch = |id: &str, partial: Value| {
        HostRequest::PatchRow(PatchRow { table: "scores".into(), id: id.to_owned(), partial })
    };
    let patched = install.ask(&patch(&id, json!({ "points": 2, "tags": ["x"] }))).unwrap();
    assert_eq!(
        (&patched["points"], &patched["tags"], &patched["player"]),
        (&json!(2), &json!(["x"]), &json!("ada"))
    );
    assert_eq!(install.ask(&patch("x", json!({}))), Ok(Value::Null));
    assert!(
        install
            .ask(&patch(&id, json!({ "points": "two" })))
            .unwrap_err()
            .contains("scores.points must be number")
    );
    let get = HostRequest::GetRow(GetRow { table: "scores".into(), filter: Some(json!({ "id": id })) });
    assert_eq!(install.ask(&get).unwrap()["points"], 2);
    let delete = HostRequest::DeleteRow(DeleteRow { table: "scores".into(), id });
    assert_eq!(install.ask(&delete).unwrap()["points"], 2);
    assert_eq!((install.ask(&delete), install.ask(&get)), (Ok(Value::Null), Ok(Value::Null)));
    let unknown = HostRequest::GetRow(GetRow { table: "score".into(), filter: None });
    assert!(install.ask(&unknown).unwrap_err().contains("there is no table score; declared: scores, shared"));
}
