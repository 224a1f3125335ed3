//! Roots whose fields come from one object for each domain.
//!
//! juniper allows one impl block for a type. This macro joins several objects into one root: their fields in
//! the schema, and each field resolved by the object that declared it. It relies on parts of juniper that are
//! public but not documented, so juniper is pinned and only this file uses them.

/// Declares a root. With `serial` its fields run one after the other, as mutations must; juniper itself polls
/// them concurrently.
#[macro_export]
macro_rules! graphql_root {
    ($(#[doc = $doc:literal])* $name:ident { $($part:path),+ $(,)? }) => {
        $crate::graphql_root!(@declare false, $(#[doc = $doc])* $name { $($part),+ });
    };
    ($(#[doc = $doc:literal])* serial $name:ident { $($part:path),+ $(,)? }) => {
        $crate::graphql_root!(@declare true, $(#[doc = $doc])* $name { $($part),+ });
    };
    (@declare $serial:literal, $(#[doc = $doc:literal])* $name:ident { $($part:path),+ }) => {
        $(#[doc = $doc])*
        pub struct $name;

        const _: () = {
            use ::juniper::{
                Arguments, BoxFuture, DefaultScalarValue, ExecutionResult, Executor, GraphQLType, GraphQLValue,
                GraphQLValueAsync, Registry, marker, meta::MetaType,
            };
            use ::std::{collections::HashMap, sync::OnceLock};

            /// Part that declared each field; filled when the schema is built.
            static OWNERS: OnceLock<HashMap<String, &'static str>> = OnceLock::new();

            impl GraphQLType for $name {
                fn name(_: &()) -> Option<$crate::graphql::ArcStr> {
                    Some($crate::graphql::ArcStr::from(stringify!($name)))
                }

                fn meta(_: &(), registry: &mut Registry) -> MetaType {
                    let (mut fields, mut owners) = (Vec::new(), HashMap::new());
                    $(
                        if let MetaType::Object(part) = <$part as GraphQLType>::meta(&(), registry) {
                            for field in part.fields.into_iter().filter(|field| field.name != "__typename") {
                                let earlier = owners.insert(field.name.to_string(), stringify!($part));
                                assert!(earlier.is_none(), "two domains declare the field `{}`", field.name);
                                fields.push($crate::graphql::described(field, registry));
                            }
                        }
                    )+
                    OWNERS.get_or_init(|| owners);
                    let description = concat!($($doc),*).trim_start();
                    registry.build_object_type::<$name>(&(), &fields).description(description).into_meta()
                }
            }

            impl marker::IsOutputType<DefaultScalarValue> for $name {}

            impl GraphQLValue for $name {
                type Context = $crate::Cx;
                type TypeInfo = ();

                fn type_name(&self, info: &()) -> Option<$crate::graphql::ArcStr> {
                    <Self as GraphQLType>::name(info)
                }

                fn concrete_type_name(&self, _: &Self::Context, _: &()) -> String {
                    stringify!($name).into()
                }
            }

            impl GraphQLValueAsync for $name {
                fn resolve_field_async<'a>(
                    &'a self,
                    info: &'a (),
                    field: &'a str,
                    arguments: &'a Arguments,
                    executor: &'a Executor<Self::Context>,
                ) -> BoxFuture<'a, ExecutionResult> {
                    let resolved = match OWNERS.get().and_then(|owners| owners.get(field)).copied() {
                        $(
                            Some(part) if part == stringify!($part) => {
                                GraphQLValueAsync::resolve_field_async(&$part, info, field, arguments, executor)
                            }
                        )+
                        _ => return Box::pin(async { Err("unknown field".into()) }),
                    };
                    // Each field has its own shares of the databases.
                    let resolved = $crate::graphql::operation(resolved);
                    if !$serial {
                        return Box::pin(resolved);
                    }
                    Box::pin(async move {
                        let _lock = executor.context().mutation_lock().lock().await;
                        resolved.await
                    })
                }
            }
        };
    };
}
