//! Content of the storage before and after runs, as fixtures write it.

use std::collections::BTreeMap;

use sandbox::{HostError, HostRequest, InsertRow, ListValues, QueryRows, SetValue, ValueScope};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{moment::Moment, runtime::LocalRuntime, store::StoreContext};
use crate::storage::rows::MAX_ROWS;

/// Values and rows of an install.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Contents {
    /// Values by scope (`global`, `install`, `user`) and key. Those of `user` are of the person of the trigger.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, BTreeMap<String, Value>>,
    /// Rows by table, oldest first.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tables: BTreeMap<String, Vec<Value>>,
}

impl LocalRuntime {
    /// Stores values and rows, by the rules that apply to handlers.
    ///
    /// # Errors
    /// The first value or row that is refused.
    pub fn fill(&self, contents: &Contents, viewer: Option<&str>, moment: &Moment) -> Result<(), HostError> {
        for (scope, values) in &contents.values {
            let scope: ValueScope = serde_json::from_value(scope.as_str().into())
                .map_err(|_unknown| HostError::argument("values: the scopes are global, install and user"))?;
            for (key, value) in values {
                let set = SetValue { scope, key: key.clone(), value: value.clone() };
                self.store(&HostRequest::SetValue(set), viewer, moment)?;
            }
        }
        for (table, rows) in &contents.tables {
            for row in rows {
                let insert = InsertRow { table: table.clone(), row: row.clone() };
                self.store(&HostRequest::InsertRow(insert), viewer, moment)?;
            }
        }
        Ok(())
    }

    /// Returns the stored values and rows; those of the scope `user` are of this person.
    ///
    /// # Errors
    /// None in practice: the tables are declared.
    pub fn contents(&self, viewer: Option<&str>, moment: &Moment) -> Result<Contents, HostError> {
        let mut contents = Contents::default();
        let scopes =
            [("global", ValueScope::Global), ("install", ValueScope::Install), ("user", ValueScope::User)];
        for (name, scope) in
            scopes.into_iter().filter(|(_, scope)| *scope != ValueScope::User || viewer.is_some())
        {
            let list = ListValues { scope, prefix: String::new() };
            let entries = self.store(&HostRequest::ListValues(list), viewer, moment)?;
            let entries = entries.as_array().cloned().unwrap_or_default();
            let values = entries.into_iter().filter_map(|mut entry| {
                Some((entry.get("key")?.as_str()?.to_owned(), entry.get_mut("value")?.take()))
            });
            contents.values.insert(name.to_owned(), values.collect());
        }
        for table in self.of_call.runnable.tables.keys() {
            let query =
                QueryRows { table: table.clone(), limit: Some(json!(MAX_ROWS)), ..QueryRows::default() };
            let rows = self.store(&HostRequest::QueryRows(query), viewer, moment)?;
            contents.tables.insert(table.clone(), rows.as_array().cloned().unwrap_or_default());
        }
        Ok(contents)
    }

    /// Performs a request of the storage outside of a handler.
    pub(super) fn store(
        &self,
        request: &HostRequest,
        viewer: Option<&str>,
        moment: &Moment,
    ) -> Result<Value, HostError> {
        let owner = self.owner(viewer.map(str::to_owned));
        let (tables, limits) = (&self.of_call.runnable.tables, &self.limits);
        let cx = StoreContext { owner: &owner, tables, limits, now: moment.at() };
        self.memory.lock().store.perform(&cx, request)
    }
}
