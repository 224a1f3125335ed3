//! A developer at the developer API, and the bundles they upload.

use std::io::Write;

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};
use shared::{
    id,
    schema::{extension_installs, extension_versions, extensions},
};
use tar::{Builder, Header};
use uuid::Uuid;

use crate::{Answer, Caller, Person, TestApp};

/// A person with a developer profile and a key for the developer API.
pub struct Studio {
    pub person: Person,
    pub key: Caller,
    pub profile_id: Uuid,
}

/// Handler code that parses.
pub const SERVER: &str =
    "export async function hello(ctx, input) { return { action: 'send_message', message: 'hi' } }";

impl TestApp {
    /// A developer with an account on the plan `pro` and a key with every permission of the developer API.
    pub async fn studio(&self) -> Studio {
        let person = self.owner().await;
        let profile_id = self.developer_profile(person.user_id).await;
        let key = self.personal_key(&person, &["extension-dev:*"]).await;
        Studio { person, key, profile_id }
    }

    /// Writes an extension with one approved version, as its manifest names them; returns the id of the version.
    pub async fn plant_extension(&self, manifest: &Value, code: &str) -> Uuid {
        let (extension_id, version_id) = (id_at(manifest, "extensionId"), id::new());
        let text = |name: &str| manifest[name].as_str().expect("a text").to_owned();
        let mut db = self.databases.postgres.get().await.unwrap();
        insert_into(extensions::table)
            .values((
                extensions::id.eq(extension_id),
                extensions::short_id.eq(extension_id.simple().to_string()),
                extensions::slug.eq(extension_id.to_string()),
                extensions::name.eq(text("name")),
                extensions::category.eq(text("category")),
                extensions::status.eq("approved"),
            ))
            .execute(&mut *db)
            .await
            .unwrap();
        insert_into(extension_versions::table)
            .values((
                extension_versions::id.eq(version_id),
                extension_versions::extension_id.eq(extension_id),
                extension_versions::version.eq(text("version")),
                extension_versions::status.eq("approved"),
                extension_versions::manifest.eq(manifest),
                extension_versions::bundle_size_bytes.eq(1),
                extension_versions::handler_code.eq(code),
            ))
            .execute(&mut *db)
            .await
            .unwrap();
        version_id
    }

    /// Writes an install of a version in an account; returns its id.
    pub async fn plant_install(
        &self,
        account: Uuid,
        (extension, version): (Uuid, Uuid),
        granted: &[&str],
    ) -> Uuid {
        let install_id = id::new();
        insert_into(extension_installs::table)
            .values((
                extension_installs::id.eq(install_id),
                extension_installs::account_id.eq(account),
                extension_installs::extension_id.eq(extension),
                extension_installs::version_id.eq(version),
                extension_installs::granted_permissions.eq(granted.to_vec()),
            ))
            .execute(&mut *self.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
        install_id
    }
}

fn id_at(object: &Value, field: &str) -> Uuid {
    object[field].as_str().expect("an id").parse().expect("an id")
}

impl Studio {
    /// Creates an extension; returns its id.
    pub async fn extension(&self, name: &str) -> Uuid {
        let answer = self.key.post("/developer/v1/extensions", json!({ "name": name })).await;
        id_of(&answer.expect(201)["extension"])
    }

    /// Creates an extension that every account may install once it is published.
    pub async fn public_extension(&self, name: &str) -> Uuid {
        let id = self.extension(name).await;
        let path = format!("/developer/v1/extensions/{id}");
        self.key.patch(&path, json!({ "visibility": "public" })).await.expect(200);
        id
    }

    /// Uploads a version; returns the response.
    pub async fn upload(&self, extension: Uuid, version: &str, bundle: &[u8]) -> Answer {
        self.upload_form(
            extension,
            &[("version", version.as_bytes()), ("changelog", b"New."), ("bundle", bundle)],
        )
        .await
    }

    /// Uploads a form as it is.
    pub async fn upload_form(&self, extension: Uuid, fields: &[(&str, &[u8])]) -> Answer {
        let path = format!("/developer/v1/extensions/{extension}/versions");
        let (content_type, body) = multipart(fields);
        self.key.post_raw(&path, &content_type, body).await
    }

    /// Uploads a version with these changes to the plain manifest; returns the version's id.
    pub async fn version(&self, extension: Uuid, version: &str, changes: &Value) -> Uuid {
        let bundle = bundle(&manifest(extension, version, changes), Some(SERVER));
        id_of(&self.upload(extension, version, &bundle).await.expect(202)["version"])
    }
}

/// A bot module with one command, and the given fields merged over it.
#[must_use]
pub fn manifest(extension: Uuid, version: &str, changes: &Value) -> Value {
    let mut manifest = json!({
        "extensionId": extension,
        "name": "Greeter",
        "description": "Greets people.",
        "category": "bot_module",
        "version": version,
        "server": true,
        "permissions": ["chat:read", "chat:send"],
        "bot_module": { "commands": [{ "name": "hello", "handler": "hello" }] },
    });
    for (name, value) in changes.as_object().into_iter().flatten() {
        manifest[name] = value.clone();
    }
    manifest
}

/// A bundle of a manifest and handler code.
#[must_use]
pub fn bundle(manifest: &Value, server: Option<&str>) -> Vec<u8> {
    let manifest = manifest.to_string();
    let mut files = vec![("lumio.config.json", manifest.as_bytes())];
    files.extend(server.map(|server| ("server.js", server.as_bytes())));
    archive(&files)
}

/// A `.tar.gz` archive with any names.
#[must_use]
pub fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = Header::new_gnu();
        header.as_gnu_mut().expect("a GNU header").name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        builder.append(&header, *content).expect("an entry");
    }
    let tar = builder.into_inner().expect("an archive");
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&tar).expect("memory");
    encoder.finish().expect("memory")
}

/// A multipart body and its content type.
#[must_use]
pub fn multipart(fields: &[(&str, &[u8])]) -> (String, Vec<u8>) {
    const BOUNDARY: &str = "lumio-test-boundary";
    let mut body = Vec::new();
    for (name, content) in fields {
        let file = if *name == "bundle" { "; filename=\"bundle.tar.gz\"" } else { "" };
        body.extend(
            format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n").bytes(),
        );
        body.extend_from_slice(content);
        body.extend(b"\r\n");
    }
    body.extend(format!("--{BOUNDARY}--\r\n").bytes());
    (format!("multipart/form-data; boundary={BOUNDARY}"), body)
}

fn id_of(value: &Value) -> Uuid {
    value["id"].as_str().and_then(|id| id.parse().ok()).unwrap_or_else(|| panic!("no id in {value}"))
}
