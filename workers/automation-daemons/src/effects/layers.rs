//! Visibility of layers of overlays.

use automation_model::effects::{ToggleLayer, Visibility};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Bool, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use live_model::rewards::layers::set_visible;
use serde_json::json;
use shared::Result;

use super::{Effects, Failure, Outcome, RunIdentity, features::must_be_on};

#[derive(QueryableByName)]
struct Layer {
    #[diesel(sql_type = Bool)]
    visible: bool,
}

impl Effects {
    /// Shows or hides a layer. Editors and pages learn of it when the change is stored.
    pub(super) async fn toggle_layer(&self, run: &RunIdentity, toggle: &ToggleLayer) -> Outcome {
        let mut connection = self.context.databases.postgres.get().await?;
        must_be_on(&mut connection, run, "toggle_layer").await?;
        let now = self.context.clock.now();
        let shown = connection
            .transaction(async |connection| {
                let Some(layer) = locked(connection, run, toggle).await? else { return Ok(None) };
                let visible = match toggle.visible {
                    Visibility::Shown => true,
                    Visibility::Hidden => false,
                    Visibility::Toggle => !layer.visible,
                };
                let changed = set_visible(connection, run.account_id, toggle.layer_id, visible, now).await?;
                Ok::<_, shared::Error>(changed.map(|_has_changed| visible))
            })
            .await?;
        let visible = shown.ok_or_else(|| Failure::new("Layer not found"))?;
        Ok(json!({ "visible": visible }))
    }
}

/// The layer, when the account has it in this overlay. The overlay stays locked, as by every change of it.
async fn locked(
    connection: &mut AsyncPgConnection,
    run: &RunIdentity,
    toggle: &ToggleLayer,
) -> Result<Option<Layer>> {
    let sql = "
        SELECT layer.visible FROM overlays JOIN overlay_layers AS layer ON layer.overlay_id = overlays.id
        WHERE overlays.account_id = $1 AND layer.account_id = $1 AND overlays.id = $2 AND layer.id = $3
        FOR NO KEY UPDATE OF overlays";
    Ok(sql_query(sql)
        .bind::<SqlUuid, _>(run.account_id)
        .bind::<SqlUuid, _>(toggle.overlay_id)
        .bind::<SqlUuid, _>(toggle.layer_id)
        .get_result(connection)
        .await
        .optional()?)
}
