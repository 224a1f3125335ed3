//! Configuration of the public listener.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use url::{Host, Url};

use super::{
    Environment, Reader,
    address::{address, holds_userinfo, http_url, is_loopback, optional_http_url},
};

/// Configuration of the public listener.
#[derive(Debug, Clone)]
pub struct HttpConfig {
    /// Address that the public listener binds.
    pub bind: SocketAddr,
    /// Address that the internal listener of the API binds.
    pub metrics_bind: SocketAddr,
    /// Origin under which clients reach the API. Platform callbacks are built from it.
    pub public_url: Url,
    /// Origin of the dashboard. Links in mails lead to it.
    pub web_url: Url,
    /// Origin of the dashboard of operators, if there is one. Browsers may be sent back to it.
    pub admin_url: Option<Url>,
    /// Origin of the files of published extension versions, when they have their own.
    pub bundle_url: Option<Url>,
    /// Origins of browsers that may call with credentials, as browsers write them.
    pub allowed_origins: Vec<String>,
    /// Number of trusted proxies in front, as counted in `X-Forwarded-For`
    /// (reference/limits.md#client-address).
    pub trusted_proxy_hops: usize,
    /// Worker threads of `actix-web`.
    pub threads: usize,
    /// Text of `/.well-known/security.txt`.
    pub security_txt: String,
}

/// Documents and explorers that are served (reference/conventions.md#discovery-routes).
#[derive(Debug, Clone)]
pub struct ExplorersConfig {
    /// The GraphQL explorer.
    pub graphiql: bool,
    /// The explorer of the REST API.
    pub swagger_ui: bool,
    /// The readable documentation of the REST API.
    pub api_doc: bool,
    /// The OpenAPI document.
    pub openapi: bool,
    /// The AsyncAPI document of the WebSocket protocol.
    pub asyncapi: bool,
    /// The page that shows a live channel.
    pub live: bool,
    /// Folder with the files of GraphiQL, which `scripts/graphiql` fetches.
    pub graphiql_dir: String,
    /// The handbook.
    pub docs: bool,
    /// Folder with the pages of the handbook, which `scripts/handbook` builds.
    pub docs_dir: String,
}

impl HttpConfig {
    /// True for the `Host` of the origin that serves only files of published extension versions.
    #[must_use]
    pub fn is_bundle_host(&self, host: &str) -> bool {
        self.bundle_url.as_ref().is_some_and(|url| {
            let name = url.host_str().unwrap_or_default();
            match (host.rsplit_once(':'), url.port_or_known_default()) {
                (Some((host, port)), Some(known)) if port.parse() == Ok(known) => {
                    host.eq_ignore_ascii_case(name)
                }
                _ => url.port().is_none() && host.eq_ignore_ascii_case(name),
            }
        })
    }

    /// True for an origin whose pages may use the credentials of a person: the public origin and those that
    /// are listed. In development all names of this machine count as one origin, because people type any of
    /// them.
    #[must_use]
    pub fn allows_origin(&self, origin: &str, environment: Environment) -> bool {
        let own = self.public_url.origin().ascii_serialization();
        let is_listed = self.allowed_origins.iter().any(|allowed| allowed.trim_end_matches('/') == origin);
        let is_development = environment == Environment::Development;
        origin == own || is_listed || (is_development && is_same_loopback(origin, &self.public_url))
    }
}

/// True for an origin, as browsers write it, that is another name of the same port of this machine.
fn is_same_loopback(origin: &str, own: &Url) -> bool {
    let Ok(url) = Url::parse(origin) else { return false };
    url.origin().ascii_serialization() == origin
        && is_loopback_name(&url)
        && is_loopback_name(own)
        && url.scheme() == own.scheme()
        && url.port_or_known_default() == own.port_or_known_default()
}

/// True for the three names that a browser on this machine may show for a server which listens on loopback.
fn is_loopback_name(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address == Ipv4Addr::LOCALHOST,
        Some(Host::Ipv6(address)) => address == Ipv6Addr::LOCALHOST,
        None => false,
    }
}

pub(super) fn http(reader: &mut Reader, environment: Environment) -> HttpConfig {
    let public_url = public_url(reader, environment);
    HttpConfig {
        bundle_url: bundle_url(reader, &public_url),
        bind: address(reader, "LUMIO_HTTP_BIND", ([127, 0, 0, 1], 8080)),
        metrics_bind: address(reader, "LUMIO_METRICS_BIND", ([127, 0, 0, 1], 9100)),
        web_url: web_url(reader, environment, &public_url),
        admin_url: optional_http_url(reader, "LUMIO_ADMIN_URL", "https://admin.example.com"),
        allowed_origins: allowed_origins(reader),
        trusted_proxy_hops: reader.within("LUMIO_TRUSTED_PROXY_HOPS", 0, 0, 8),
        threads: reader.threads("LUMIO_HTTP_THREADS"),
        security_txt: reader.text("LUMIO_SECURITY_TXT", &security_txt(&public_url)),
        public_url,
    }
}

/// Reads the public URL. Platforms send browsers back to it and mails lead to it, so outside development
/// other machines must be able to reach it.
fn public_url(reader: &mut Reader, environment: Environment) -> Url {
    const NAME: &str = "LUMIO_PUBLIC_URL";
    let url = http_url(reader, NAME, "http://localhost:8080");
    if environment.is_deployment() && is_loopback(&url) {
        reader.mistake(
            NAME,
            "must be set outside development to the address under which browsers and platforms reach the API, \
             such as https://api.example.com",
        );
    }
    url
}

fn web_url(reader: &mut Reader, environment: Environment, public_url: &Url) -> Url {
    const NAME: &str = "LUMIO_WEB_URL";
    if !environment.is_deployment() {
        return http_url(reader, NAME, "http://localhost:3000");
    }
    let url = http_url(reader, NAME, public_url.as_str());
    if reader.optional(NAME).is_some() && is_loopback(&url) {
        reader.mistake(
            NAME,
            "must be the address of the dashboard outside development, such as https://app.example.com",
        );
    }
    url
}

/// Default text with a contact under the domain of the deployment.
fn security_txt(public_url: &Url) -> String {
    match public_url.host() {
        Some(Host::Domain(name)) => format!("Contact: mailto:security@{name}\n"),
        _ => format!("Contact: {public_url}\n"),
    }
}

/// Reads the origin of bundles. Its host must differ from that of the API: cookies are shared by all origins
/// of a host.
fn bundle_url(reader: &mut Reader, public_url: &Url) -> Option<Url> {
    const NAME: &str = "LUMIO_BUNDLE_URL";
    let url = optional_http_url(reader, NAME, "https://bundles.example")?;
    if origin(url.as_str()).is_none() {
        reader.mistake(NAME, "must be an origin such as https://bundles.example, without a path");
        return None;
    }
    if url.host_str() == public_url.host_str() {
        reader.mistake(NAME, "must have another host than LUMIO_PUBLIC_URL");
        return None;
    }
    Some(url)
}

fn allowed_origins(reader: &mut Reader) -> Vec<String> {
    const NAME: &str = "LUMIO_ALLOWED_ORIGINS";
    let origins: Option<Vec<String>> = reader.list(NAME).iter().map(|text| origin(text)).collect();
    if origins.is_none() {
        reader.mistake(
            NAME,
            "must be origins such as https://app.example, several separated by commas; `*` is none",
        );
    }
    origins.unwrap_or_default()
}

/// Origin as browsers write it: scheme, host, and the port unless it is the default of the scheme.
fn origin(text: &str) -> Option<String> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let is_bare =
        url.path() == "/" && url.query().is_none() && url.fragment().is_none() && !holds_userinfo(&url);
    // A host with `*` parses, but no browser sends such an origin.
    (is_bare && !text.contains('*')).then(|| url.origin().ascii_serialization())
}

pub(super) fn explorers(reader: &mut Reader, environment: Environment) -> ExplorersConfig {
    let default = environment == Environment::Development;
    ExplorersConfig {
        graphiql: reader.flag("LUMIO_GRAPHIQL", default),
        swagger_ui: reader.flag("LUMIO_SWAGGER_UI", default),
        api_doc: reader.flag("LUMIO_API_DOC", default),
        openapi: reader.flag("LUMIO_OPENAPI", default),
        asyncapi: reader.flag("LUMIO_ASYNCAPI", default),
        live: reader.flag("LUMIO_LIVE", default),
        graphiql_dir: reader.text("LUMIO_GRAPHIQL_DIR", "/var/lib/lumio/graphiql"),
        docs: reader.flag("LUMIO_DOCS", default),
        docs_dir: reader.text("LUMIO_DOCS_DIR", "/var/lib/lumio/docs"),
    }
}
