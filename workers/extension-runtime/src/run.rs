//! Handler run: the install whose code runs, and its input.

use std::{collections::BTreeMap, sync::Arc};

use extension_model::Table;
use sandbox::{Context, FunctionKind, Limits};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{egress::AllowList, modules::Source};

/// Install as its handlers need it.
#[derive(Debug, Clone, PartialEq)]
pub struct Runnable {
    /// Id of the install.
    pub install_id: Uuid,
    /// Account of the install.
    pub account_id: Uuid,
    /// Extension of the install.
    pub extension_id: Uuid,
    /// Code of the version.
    pub source: Source,
    /// Hosts and ports that the version may reach.
    pub allow_list: AllowList,
    /// Tables that the version declares.
    pub tables: Arc<BTreeMap<String, Table>>,
    /// Values of the configuration that are removed from everything that is written.
    pub secret_settings: Vec<String>,
}

/// Run of a handler.
#[derive(Debug, Clone)]
pub struct Run {
    /// Name of the export.
    pub handler: Arc<str>,
    /// Kind that the handler is called as.
    pub kind: FunctionKind,
    /// Data members of `ctx`.
    pub context: Context,
    /// Second argument of the handler.
    pub input: Value,
    /// Limits of the run.
    pub limits: Limits,
    /// Seed of `Math.random`.
    pub seed: u64,
    /// Permanent name of the run: its effects are not repeated for another run of this name.
    pub invocation_id: String,
    /// Name in metrics and logs: `command`, `event`, `function` …
    pub trigger: &'static str,
    /// Person of the storage's scope `user`; null for none.
    pub viewer: Option<String>,
    /// Platform of the trigger; null for none.
    pub platform: Option<String>,
    /// Platform's id of the user behind the trigger; null for none.
    pub platform_user_id: Option<String>,
    /// Lumio user who called it; null for none.
    pub user_id: Option<Uuid>,
    /// True for a test, which leaves no count behind.
    pub is_test: bool,
    /// Cancelled once the result has reached its caller or is given up: deferred functions run then.
    pub delivered: CancellationToken,
}
