//! Access of callers to the overlays whose layers a graph shows or hides (reference/overlays.md#access).

use lumio_tests::{Answer, Caller, Person, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::common::{AUTOMATION, create, edge, gql_put, graphql, id_of, make, node, path, put};

const MISSING: &str = "Missing access to this overlay";
const PERMISSIONS: [&str; 3] = ["automations:read", "automations:create", "automations:edit"];

/// An automation of the owner, an overlay with a layer, and a member who may edit automations.
struct Scene {
    app: TestApp,
    owner: Person,
    editor: Person,
    automation: Uuid,
    overlay: Uuid,
    layer: Uuid,
    trigger: Uuid,
    toggle: Uuid,
}

impl Scene {
    async fn start() -> Self {
        let app = TestApp::start().await;
        let owner = app.owner().await;
        let editor = app.member_with(owner.account_id, &PERMISSIONS).await;
        let sql = "INSERT INTO overlays (id, account_id, name, key, width, height, background, token)
            VALUES (gen_random_uuid(), $1, 'o', left(md5($1::text), 12), 1920, 1080, 'transparent', '') RETURNING id";
        let overlay = make(&app, owner.account_id, sql).await;
        let sql = "INSERT INTO overlay_layers (id, account_id, overlay_id, layer_type, name, sort_order, width, height)
            SELECT gen_random_uuid(), account_id, id, 'text', 'l', 0, 1, 1 FROM overlays WHERE id = $1 RETURNING id";
        let layer = make(&app, overlay, sql).await;
        let automation = id_of(&create(&owner, "Layers").await);
        let (trigger, toggle) = (Uuid::now_v7(), Uuid::now_v7());
        Self { app, owner, editor, automation, overlay, layer, trigger, toggle }
    }

    /// Sets the role of a member for the overlay.
    async fn entry(&self, member: Uuid, role: &str) {
        let path = format!("/v1/overlays/{}/access/{member}", self.overlay);
        self.owner.put(&path, json!({ "role": role })).await.expect(200);
    }

    /// Leaves the editor out: another member has the only entry.
    async fn leave_editor_out(&self) {
        let other = self.app.member_as(self.owner.account_id, "viewer").await;
        self.entry(other.user_id, "editor").await;
    }

    fn nodes(&self, overlay: impl ToString, visible: &Value) -> Vec<Value> {
        let config = json!({ "overlay_id": overlay.to_string(), "layer_id": self.layer, "visible": visible });
        vec![node(self.trigger, "manual", json!({})), node(self.toggle, "toggle_layer", config)]
    }

    async fn put(&self, caller: &Caller, version: i32, nodes: &[Value]) -> Answer {
        put(caller, self.automation, version, nodes, &[edge(self.trigger, "out", self.toggle)]).await
    }

    async fn gql_put(&self, caller: &Caller, version: i32, nodes: &[Value]) -> Answer {
        gql_put(caller, self.automation, version, nodes, &[edge(self.trigger, "out", self.toggle)]).await
    }

    /// Asserts that the editor cannot save these nodes, over both protocols.
    async fn refuses(&self, version: i32, nodes: &[Value]) {
        let rest = self.put(&self.editor, version, nodes).await;
        both_refused(&rest, &self.gql_put(&self.editor, version, nodes).await, 403, "FORBIDDEN", MISSING);
        let problem = json!({ "node_id": self.toggle, "edge_id": null, "message": MISSING });
        assert_eq!(rest.body["details"]["nodes"], json!([problem]));
    }
}

#[tokio::test]
async fn update_automation_graph_needs_access_to_the_overlays_of_new_and_changed_nodes() {
    let scene = Scene::start().await;
    let (owner, editor) = (&scene.owner, &scene.editor);
    let shown = scene.nodes(scene.overlay, &json!(true));
    scene.leave_editor_out().await;
    scene.refuses(1, &shown).await;
    scene.refuses(1, &scene.nodes(format!(" {} ", scene.overlay), &json!(true))).await;
    scene.entry(editor.user_id, "viewer").await;
    scene.refuses(1, &shown).await;
    scene.put(owner, 1, &shown).await.expect(200);

    // A node that stays as it is does not count, whoever saves the graph.
    let mut more = shown.clone();
    more.push(node(Uuid::now_v7(), "set_variable", json!({ "name": "x", "value": "1" })));
    scene.put(editor, 2, &more).await.expect(200);
    scene.refuses(3, &scene.nodes(scene.overlay, &json!(false))).await;
    // An overlay that the account does not have is a draft, as before.
    scene.put(editor, 3, &scene.nodes(Uuid::now_v7(), &json!(true))).await.expect(200);

    scene.entry(editor.user_id, "editor").await;
    scene.put(editor, 4, &shown).await.expect(200);
    let key = scene.app.service_key(owner.account_id, &["automations:edit"]).await;
    scene.put(&key, 5, &scene.nodes(scene.overlay, &json!("toggle"))).await.expect(200);
    scene.app.stop().await;
}

#[tokio::test]
async fn update_automation_graph_takes_a_template_for_any_overlay() {
    let scene = Scene::start().await;
    let by_template = scene.nodes("{{vars.overlay}}", &json!(true));
    scene.put(&scene.editor, 1, &by_template).await.expect(200);
    scene.leave_editor_out().await;
    // Another node may set the variable to the overlay: the node counts also when it stays as it is.
    scene.refuses(2, &by_template).await;
    scene.put(&scene.owner, 2, &by_template).await.expect(200);
    scene.entry(scene.editor.user_id, "editor").await;
    scene.put(&scene.editor, 3, &by_template).await.expect(200);
    scene.app.stop().await;
}

#[tokio::test]
async fn duplicate_automation_needs_access_to_the_overlays_of_its_nodes() {
    let scene = Scene::start().await;
    scene.put(&scene.owner, 1, &scene.nodes(scene.overlay, &json!(true))).await.expect(200);
    scene.leave_editor_out().await;
    let ids = [("id", scene.automation)];
    let copy = async |caller: &Caller| {
        caller.post(&format!("{}/duplicate", path(scene.automation)), json!({})).await
    };
    let gql_copy = graphql(&scene.editor, "mutation", "duplicateAutomation", &ids, AUTOMATION).await;
    both_refused(&copy(&scene.editor).await, &gql_copy, 403, "FORBIDDEN", MISSING);
    copy(&scene.owner).await.expect(201);
    scene.entry(scene.editor.user_id, "editor").await;
    copy(&scene.editor).await.expect(201);
    scene.app.stop().await;
}
