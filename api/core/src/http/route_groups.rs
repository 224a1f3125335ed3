//! Groups of routes by their first segments.
//!
//! The router compares a path with one pattern after the other, and one with parameters costs a regular expression. So
//! the routes are divided into scopes with a guard, of which a request enters one.

use std::mem;

use actix_web::{
    Route, Scope,
    dev::{HttpServiceFactory, Url},
    guard::{Guard, GuardContext, fn_guard},
    web,
};

/// Segments whose group is divided by the next segment.
const DIVIDED: [&str; 2] = ["v1", "admin"];
/// Longest path that is decoded to find its group, in bytes. Each guard that is tried decodes it.
const MAX_ENCODED_BYTES: usize = 2048;

/// Scopes with the first segments of their paths, in the order in which their first routes were added.
#[derive(Default)]
pub struct RouteGroups {
    groups: Vec<(String, Scope)>,
}

impl RouteGroups {
    /// Adds a route to the group of its path.
    ///
    /// # Panics
    /// When one of the first segments of the path is a parameter: no request would reach its group.
    pub fn add(&mut self, path: &str, factory: impl HttpServiceFactory + 'static) {
        let key = key(path);
        assert!(!key.contains('{'), "the route {path} needs a literal segment before its first parameter");
        let at = self.groups.iter().position(|(known, _)| known == key).unwrap_or_else(|| {
            self.groups.push((key.to_owned(), web::scope("")));
            self.groups.len() - 1
        });
        let group = &mut self.groups[at].1;
        *group = mem::replace(group, web::scope("")).service(factory);
    }

    /// Registers each group. `default` serves the paths of a group that match none of its routes.
    pub fn register(self, services: &mut web::ServiceConfig, default: impl Fn() -> Route) {
        for (key, group) in self.groups {
            services.service(group.guard(of_group(key)).default_service(default()));
        }
    }
}

fn of_group(group: String) -> impl Guard {
    fn_guard(move |context: &GuardContext<'_>| {
        let uri = &context.head().uri;
        match first_difference(uri.path(), &group) {
            // Most groups end here, because a request tries one after the other.
            Some(byte) if byte != b'%' => false,
            _ if key(uri.path()) == group => true,
            // Decoded as the router decodes it.
            _ => is_encoded(uri.path()) && key(Url::new(uri.clone()).path()) == group,
        }
    })
}

/// First byte in which a path differs from the path of a group; `None` where one ends before.
fn first_difference(path: &str, group: &str) -> Option<u8> {
    let mut bytes = path.bytes().skip(1).zip(group.bytes());
    bytes.find(|(byte, of_group)| byte != of_group).map(|(byte, _)| byte)
}

/// True for a path that is decoded to find its group.
fn is_encoded(path: &str) -> bool {
    path.len() <= MAX_ENCODED_BYTES && path.contains('%')
}

/// First segments of a path: those whose groups are divided, and the next one.
fn key(path: &str) -> &str {
    let path = path.strip_prefix('/').unwrap_or(path);
    let mut end = 0;
    for segment in path.split_inclusive('/') {
        end += segment.len();
        if !DIVIDED.contains(&segment.trim_end_matches('/')) {
            break;
        }
    }
    path[..end].trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use actix_web::{
        App, HttpResponse,
        http::StatusCode,
        test::{TestRequest, call_service, init_service, read_body},
    };

    use super::*;

    #[test]
    fn key_of_a_path_is_its_first_segments() {
        let cases = [
            ("/v1/api-keys", "v1/api-keys"),
            ("/v1/api-keys/{id}", "v1/api-keys"),
            ("/v1/admin/users/{id}/roles", "v1/admin/users"),
            ("/developer/v1/extensions", "developer"),
            ("/admin/v1/x", "admin/v1/x"),
            ("/v1", "v1"),
            ("/v1/", "v1"),
            ("/", ""),
            ("*", "*"),
        ];
        for (path, expected) in cases {
            assert_eq!(key(path), expected, "{path}");
        }
    }

    #[actix_web::test]
    async fn groups_serve_their_routes_and_the_default() {
        let app = init_service(App::new().configure(|services| {
            let mut groups = RouteGroups::default();
            for path in ["/v1/keys", "/v1/keys/{id}", "/v1/admin/keys/{id}"] {
                let served = move || async move { HttpResponse::Ok().body(path) };
                groups.add(path, web::resource(path).route(web::get().to(served)));
            }
            groups.register(services, || web::to(|| async { HttpResponse::Gone().finish() }));
        }))
        .await;
        let cases = [
            ("/v1/keys", StatusCode::OK, "/v1/keys"),
            ("/v1/keys/a", StatusCode::OK, "/v1/keys/{id}"),
            ("/v1/%6Beys/a", StatusCode::OK, "/v1/keys/{id}"),
            ("/%761/%6Beys/%61", StatusCode::OK, "/v1/keys/{id}"),
            ("/v1/admin/keys/a", StatusCode::OK, "/v1/admin/keys/{id}"),
            ("/v1/keys/a/b", StatusCode::GONE, ""),
            ("/v1/key", StatusCode::NOT_FOUND, ""),
            ("/v1/keysa", StatusCode::NOT_FOUND, ""),
            ("/v1/%78eys", StatusCode::NOT_FOUND, ""),
            ("/v1/admin/other", StatusCode::NOT_FOUND, ""),
            ("/v1/keys%2Fa", StatusCode::NOT_FOUND, ""),
        ];
        for (path, status, body) in cases {
            let response = call_service(&app, TestRequest::get().uri(path).to_request()).await;
            assert_eq!(response.status(), status, "{path}");
            assert_eq!(read_body(response).await, body, "{path}");
        }
    }
}
