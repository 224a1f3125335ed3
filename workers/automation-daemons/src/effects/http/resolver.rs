//! Name resolution that returns public addresses only. The connection goes to exactly the addresses that were
//! checked, so a name that changes between check and use gains nothing.

use std::error::Error;

use foundation::egress::{HostRule, NoAddress};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::Host;

/// Resolver of the machine behind the check.
pub(super) struct PublicResolver;

impl Resolve for PublicResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let host = Host::Domain(name.as_str().to_owned());
            let addresses: Addrs = Box::new(HostRule::default().resolve(&host, 0).await?.into_iter());
            Ok(addresses)
        })
    }
}

/// True when the gate caused the failure of a request.
pub(super) fn is_refused(error: &reqwest::Error) -> bool {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if matches!(error.downcast_ref(), Some(NoAddress::NotPublic)) {
            return true;
        }
        cause = error.source();
    }
    false
}
