//! Registration of documented routes: on the threads that serve without their documentation, which is built only
//! for the document and the table of routes.

use actix_web::{Route, dev::HttpServiceFactory, web};
use utoipa::{
    Path,
    openapi::{Components, OpenApi, OpenApiBuilder, Paths, RefOr, schema::Schema},
};
use utoipa_actix_web::OpenApiFactory;

use super::route_groups::RouteGroups;

/// Configuration of an application to which domains add their documented routes.
pub struct ServiceConfig<'a> {
    services: &'a mut web::ServiceConfig,
    collected: Collected,
}

/// Documentation that a registration collects.
enum Collected {
    /// Each thread that serves registers every route: building schemas there costs a tenth of a second.
    Nothing,
    /// Nothing either: the routes are divided by their first segments.
    Groups(RouteGroups),
    Paths(Paths),
    PathsAndSchemas(Paths, Vec<(String, RefOr<Schema>)>),
}

impl<'a> ServiceConfig<'a> {
    /// Registers routes to serve them.
    pub const fn new(services: &'a mut web::ServiceConfig) -> Self {
        Self { services, collected: Collected::Nothing }
    }

    /// Registers routes to serve them in groups: a request tries only the patterns of its own. [`Self::finish`] must
    /// follow.
    pub fn grouped(services: &'a mut web::ServiceConfig) -> Self {
        Self { services, collected: Collected::Groups(RouteGroups::default()) }
    }

    /// Registers the groups; `default` serves what no route of a group matches.
    pub fn finish(self, default: impl Fn() -> Route) {
        if let Collected::Groups(groups) = self.collected {
            groups.register(self.services, default);
        }
    }
}

impl ServiceConfig<'_> {
    /// Registers routes to read their paths and operations, without the schemas to which these refer.
    pub fn of_paths(services: &mut web::ServiceConfig) -> ServiceConfig<'_> {
        ServiceConfig { services, collected: Collected::Paths(Paths::new()) }
    }

    /// Registers routes to document them.
    pub fn documented(services: &mut web::ServiceConfig) -> ServiceConfig<'_> {
        ServiceConfig { services, collected: Collected::PathsAndSchemas(Paths::new(), Vec::new()) }
    }

    /// Adds a handler with its documentation.
    pub fn service<F>(&mut self, factory: F) -> &mut Self
    where
        F: HttpServiceFactory + OpenApiFactory + Path + 'static,
    {
        match &mut self.collected {
            Collected::Nothing => {}
            Collected::Groups(groups) => {
                groups.add(&F::path(), factory);
                return self;
            }
            Collected::Paths(paths) => paths.merge(factory.paths()),
            Collected::PathsAndSchemas(paths, schemas) => {
                paths.merge(factory.paths());
                factory.schemas(schemas);
            }
        }
        self.services.service(factory);
        self
    }

    /// Adds a route that has no documentation.
    pub fn route(&mut self, path: &str, route: Route) -> &mut Self {
        self.services.route(path, route);
        self
    }

    /// Document of the routes that were added.
    #[must_use]
    pub fn into_document(self) -> OpenApi {
        let document = OpenApiBuilder::new();
        match self.collected {
            Collected::Nothing | Collected::Groups(_) => document.build(),
            Collected::Paths(paths) => document.paths(paths).build(),
            Collected::PathsAndSchemas(paths, schemas) => {
                let mut components = Components::new();
                components.schemas.extend(schemas);
                document.paths(paths).components(Some(components)).build()
            }
        }
    }
}
