//! GraphQL field of `doctor`.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::ConnectionDiagnosis;

/// Query fields.
pub struct ConnectionDoctorQueries;

#[graphql_object(context = Cx)]
impl ConnectionDoctorQueries {
    async fn connection_doctor(ctx: &Cx) -> Result<Vec<ConnectionDiagnosis>> {
        super::connection_doctor(ctx).await
    }
}
