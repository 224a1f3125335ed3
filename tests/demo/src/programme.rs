//! Steps of a developer: the application and its approval, an extension, its review and its install.

use anyhow::Result;
use reqwest::{
    Method,
    multipart::{Form, Part},
};
use serde_json::json;

use crate::{
    api::{Api, fields, text},
    bundle,
    stand_in::StandIn,
    steps::{Creator, Demo, Installed, exchange, result},
};

const VERSION: &str = "1.0.0";

/// An extension with a version that waits for its review.
struct Uploaded {
    extension_id: String,
    version_id: String,
}

impl Demo {
    /// A published extension of a new developer, installed for the creator.
    ///
    /// # Errors
    /// An error when a step fails.
    pub async fn install(
        &self,
        api: &Api,
        stand_in: &StandIn,
        creator: &Creator,
        run: &str,
    ) -> Result<Installed> {
        let staff = self.staff(api, stand_in, run).await?;
        let developer = join_programme(api, stand_in, &staff, run).await?;
        let Uploaded { extension_id, version_id } = self.upload(&developer, run).await?;
        let published =
            staff.post(&format!("/v1/admin/extension-versions/{version_id}/publish"), json!({})).await?;
        result("POST /v1/admin/extension-versions/{id}/publish", &published["data"]["status"]);
        let install_id = install_for(creator, &extension_id).await?;
        Ok(Installed { install_id, extension_id, developer })
    }

    /// A member of operator staff.
    async fn staff(&self, api: &Api, stand_in: &StandIn, run: &str) -> Result<Api> {
        let person = stand_in.create_user("twitch", &format!("operator_{run}")).await?;
        let (signed_in, id) = exchange(api, &person).await?;
        self.operator.run(&["grant-admin", "--user", &id]).await?;
        Ok(signed_in)
    }

    /// Creates a public extension and uploads its first version, as a developer's tool does.
    async fn upload(&self, developer: &Api, run: &str) -> Result<Uploaded> {
        let by_key = with_key(developer).await?;
        let body = json!({ "name": format!("Greeter {run}"), "short_description": "Greets people in chat.",
                           "description": "Answers !hello and thanks raiders.", "pricing": { "type": "free" } });
        let made = by_key.post("/developer/v1/extensions", body).await?;
        let extension_id = text(&made, "/extension/id")?.to_owned();
        result("POST /developer/v1/extensions", &made["extension"]);

        let path = format!("/developer/v1/extensions/{extension_id}");
        let archive = bundle::pack(&self.extension, &extension_id, VERSION)?;
        let size = archive.len();
        let form = Form::new()
            .text("version", VERSION)
            .text("changelog", "First version.")
            .part("bundle", Part::bytes(archive).file_name("greeter.tar.gz").mime_str("application/gzip")?);
        let uploaded = by_key.upload(&format!("{path}/versions"), form).await?;
        let version_id = text(&uploaded, "/version/id")?.to_owned();
        result(&format!("POST …/versions ({size} bytes)"), &uploaded["version"]);
        by_key.call(Method::PATCH, &path, Some(json!({ "visibility": "public" }))).await?;
        Ok(Uploaded { extension_id, version_id })
    }
}

/// A person who applies for the developer programme and whom staff approves.
async fn join_programme(api: &Api, stand_in: &StandIn, staff: &Api, run: &str) -> Result<Api> {
    let person = stand_in.create_user("twitch", &format!("developer_{run}")).await?;
    let (developer, _id) = exchange(api, &person).await?;
    let application = json!({
        "application_type": "solo", "display_name": format!("Greeters {run}"), "slug": format!("greeters-{run}"),
        "description": "Small bots.", "motivation": "Streamers ask for them.", "what_to_build": "A bot that greets.",
    });
    let submitted = developer.post("/v1/developer/application", application).await?;
    let id = text(&submitted, "/data/id")?;
    result("POST /v1/developer/application", &fields(&submitted["data"], &["slug", "status"]));

    let approval = json!({ "notes": "Welcome." });
    let approved = staff.post(&format!("/v1/admin/developer-applications/{id}/approve"), approval).await?;
    result("POST /v1/admin/developer-applications/{id}/approve", &approved["data"]);
    let profile = developer.get("/v1/developer/profile").await?;
    result("GET /v1/developer/profile", &fields(&profile["data"], &["display_name", "slug", "verified"]));
    Ok(developer)
}

/// The developer by a key with the rights of a developer's tool.
async fn with_key(developer: &Api) -> Result<Api> {
    let permissions = [
        "extension-dev:read",
        "extension-dev:create",
        "extension-dev:edit",
        "extension-dev:publish",
        "extension-dev:analytics",
    ];
    let created =
        developer.post("/v1/api-keys", json!({ "label": "cli", "permissions": permissions })).await?;
    Ok(developer.with(text(&created, "/data/key")?))
}

/// Installs an extension in the creator's account; returns the id of the install.
async fn install_for(creator: &Creator, extension_id: &str) -> Result<String> {
    let consent = json!({ "extension_id": extension_id, "config": { "greeting": "Welcome" },
                          "granted_permissions": ["chat:read", "chat:send", "events:read"] });
    let install = creator.api.post("/v1/extension-installs", consent).await?;
    result("POST /v1/extension-installs", &fields(&install["data"], &["id", "version", "enabled"]));
    Ok(text(&install, "/data/id")?.to_owned())
}
