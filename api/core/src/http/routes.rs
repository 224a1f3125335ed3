//! Documented routes, read before the router runs: for the credential check, for wrong methods and for the
//! labels of metrics and logs.

use std::{collections::HashMap, sync::Arc};

use actix_web::{HttpMessage, HttpRequest, http::Method, web::Data};

use crate::{access::Rule, deprecations::Deprecation};

/// Facts of a documented operation that layers need.
#[derive(Debug, Clone, Copy, Default)]
pub struct Documented {
    /// Rule of the operation; `None` for a route that is no operation.
    pub rule: Option<&'static Rule>,
    /// Notice of a deprecated operation.
    pub deprecation: Option<&'static Deprecation>,
}

/// One path with its methods.
#[derive(Debug, Clone)]
pub struct Route {
    /// Path as declared, for example `/v1/api-keys/{id}`.
    pub pattern: String,
    /// Methods that need a credential.
    pub guarded: Vec<Method>,
    /// Methods that need no credential.
    pub open: Vec<Method>,
    /// Names of the documented query parameters by method; methods without any are absent.
    pub query: Vec<(Method, Vec<String>)>,
    /// Facts of the operation of each method.
    pub operations: Vec<(Method, Documented)>,
}

impl Route {
    /// Every method, for the `Allow` header.
    pub fn methods(&self) -> impl Iterator<Item = &Method> {
        self.guarded.iter().chain(&self.open)
    }

    /// Names of the query parameters that a method documents; `None` when it documents none.
    #[must_use]
    pub fn query_of(&self, method: &Method) -> Option<&[String]> {
        self.query.iter().find(|(known, _)| known == method).map(|(_, names)| names.as_slice())
    }

    /// Facts of the operation of a method; `None` for a method that the path does not have.
    #[must_use]
    pub fn documented(&self, method: &Method) -> Option<&Documented> {
        self.operations.iter().find(|(known, _)| known == method).map(|(_, documented)| documented)
    }
}

/// Every documented route, found by path.
#[derive(Debug, Default)]
pub struct Routes {
    routes: Vec<Arc<Route>>,
    root: Node,
}

/// Documented route of a request, `None` for a path without one.
struct Found(Option<Arc<Route>>);

/// Documented route of the path of a request. It is found once, at the first call.
#[must_use]
pub fn route_of(request: &HttpRequest) -> Option<Arc<Route>> {
    if let Some(Found(route)) = request.extensions().get::<Found>() {
        return route.clone();
    }
    let route = request.app_data::<Data<Routes>>()?.find(request.path()).cloned();
    request.extensions_mut().insert(Found(route.clone()));
    route
}

/// One segment of a path. A literal wins over a parameter, as in the router.
#[derive(Debug, Default)]
struct Node {
    literals: HashMap<String, Node>,
    parameter: Option<Box<Node>>,
    /// Route of a parameter for all further segments.
    rest: Option<usize>,
    route: Option<usize>,
}

/// Parameter of the rest of a path: OpenAPI has no notation for one.
const REST: &str = "{path}";

/// Access to a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It needs a credential.
    Guarded,
    /// It needs no credential.
    Open,
}

impl Routes {
    /// Adds a method of a path.
    pub fn add(
        &mut self,
        pattern: &str,
        method: Method,
        access: Access,
        query: Vec<String>,
        documented: Documented,
    ) {
        let mut node = &mut self.root;
        for segment in segments(pattern).filter(|segment| *segment != REST) {
            node = if segment.starts_with('{') {
                node.parameter.get_or_insert_with(Box::default)
            } else {
                node.literals.entry(segment.to_owned()).or_default()
            };
        }
        let place = if segments(pattern).last() == Some(REST) { &mut node.rest } else { &mut node.route };
        let index = *place.get_or_insert_with(|| {
            self.routes.push(Arc::new(Route {
                pattern: pattern.to_owned(),
                guarded: Vec::new(),
                open: Vec::new(),
                query: Vec::new(),
                operations: Vec::new(),
            }));
            self.routes.len() - 1
        });
        let route = Arc::make_mut(&mut self.routes[index]);
        if !query.is_empty() {
            route.query.push((method.clone(), query));
        }
        route.operations.push((method.clone(), documented));
        match access {
            Access::Guarded => route.guarded.push(method),
            Access::Open => route.open.push(method),
        }
    }

    /// Route of a path, for any method.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<&Arc<Route>> {
        let segments: Vec<&str> = segments(path).collect();
        self.root.find(&segments).map(|index| &self.routes[index])
    }
}

impl Node {
    fn find(&self, segments: &[&str]) -> Option<usize> {
        let Some((first, rest)) = segments.split_first() else { return self.route };
        let literal = self.literals.get(*first).and_then(|node| node.find(rest));
        literal.or_else(|| self.parameter.as_ref().filter(|_| !first.is_empty())?.find(rest)).or(self.rest)
    }
}

fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').skip(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Routes {
        fn adds(&mut self, pattern: &str, method: Method, access: Access) {
            self.add(pattern, method, access, Vec::new(), Documented::default());
        }
    }

    fn routes() -> Routes {
        let mut routes = Routes::default();
        routes.adds("/v1/api-keys/{id}", Method::DELETE, Access::Guarded);
        routes.adds("/v1/api-keys/permissions", Method::GET, Access::Guarded);
        routes.adds("/v1/invites/{code}", Method::GET, Access::Open);
        routes.adds("/v1/invites/{code}", Method::DELETE, Access::Guarded);
        routes
    }

    #[test]
    fn routes_prefer_a_literal_to_a_parameter() {
        let routes = routes();
        let pattern = |path| routes.find(path).map(|route| route.pattern.as_str());
        assert_eq!(pattern("/v1/api-keys/permissions"), Some("/v1/api-keys/permissions"));
        assert_eq!(pattern("/v1/api-keys/permission"), Some("/v1/api-keys/{id}"));
        for unknown in ["", "/", "/v1", "/v1/api-keys", "/v1/api-keys/", "/v1/api-keys/a/b"] {
            assert_eq!(pattern(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn routes_match_the_rest_parameter_last() {
        let mut routes = Routes::default();
        routes.adds("/v1/files/{id}/{path}", Method::GET, Access::Open);
        routes.adds("/v1/files/{id}/index.js", Method::GET, Access::Open);
        let pattern = |path| routes.find(path).map(|route| route.pattern.as_str());
        for path in ["/v1/files/1/a.js", "/v1/files/1/a/b.js", "/v1/files/1/index.js/b", "/v1/files/1//a"] {
            assert_eq!(pattern(path), Some("/v1/files/{id}/{path}"), "{path}");
        }
        assert_eq!(pattern("/v1/files/1/index.js"), Some("/v1/files/{id}/index.js"));
        assert_eq!((pattern("/v1/files/1"), pattern("/v1/files")), (None, None));
    }

    #[test]
    fn methods_of_one_path_are_joined() {
        let routes = routes();
        let route = routes.find("/v1/invites/abc").unwrap();
        assert_eq!((&route.open[..], &route.guarded[..]), (&[Method::GET][..], &[Method::DELETE][..]));
        assert_eq!(route.methods().count(), 2);
    }
}
