//! Name resolution that returns public addresses only. The connection goes to exactly the addresses that were
//! checked, so a name that changes between check and use gains nothing.

use std::error::Error;

use foundation::egress::{HostRule, NoAddress};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::Host;

/// Resolver of the machine behind the check.
pub(crate) struct PublicResolver;

impl Resolve for PublicResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let host = Host::Domain(name.as_str().to_owned());
            let addresses: Addrs = Box::new(HostRule::default().resolve(&host, 0).await?.into_iter());
            Ok(addresses)
        })
    }
}

/// Reason why the check let a request have no address; `None` for another failure.
pub(crate) fn refusal(error: &reqwest::Error) -> Option<NoAddress> {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(refusal) = error.downcast_ref::<NoAddress>() {
            return Some(*refusal);
        }
        cause = error.source();
    }
    None
}
