//! Name resolution of HTTP clients that returns public addresses only. The connection goes to exactly the addresses
//! that were checked, so a name that changes between check and use gains nothing.

use std::error::Error;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::Host;

use super::{HostRule, NoAddress};

/// Resolver of the machine behind the check.
#[derive(Debug)]
pub struct PublicResolver;

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
#[must_use]
pub fn refusal(error: &reqwest::Error) -> Option<NoAddress> {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(refusal) = error.downcast_ref::<NoAddress>() {
            return Some(*refusal);
        }
        cause = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use super::*;

    #[tokio::test]
    async fn refusal_of_names_of_the_own_machine_and_of_unknown_ones() {
        let client = reqwest::Client::builder()
            .dns_resolver(Arc::new(PublicResolver))
            .timeout(Duration::from_secs(20))
            .no_proxy()
            .build()
            .unwrap();
        for (url, expected) in [
            ("https://localhost/", NoAddress::NotPublic),
            ("https://no-such-host.invalid/", NoAddress::Unknown),
        ] {
            let error = client.get(url).send().await.unwrap_err();
            assert_eq!(refusal(&error), Some(expected), "{error:?}");
        }
    }
}
