//! Name resolution that returns public addresses only. The connection goes to exactly the addresses that were
//! checked, so a name that changes between check and use gains nothing.

use std::{
    error::Error,
    io,
    net::{IpAddr, SocketAddr},
};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use foundation::egress::is_public;

/// Marks a failed request as refused by the gate. Holds no address: handler code learns none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the host has an address that is not on the public internet")]
pub struct NotPublic;

/// Resolver of the machine behind the check.
pub struct PublicResolver;

impl Resolve for PublicResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let addresses: Addrs = Box::new(checked(found)?.into_iter());
            Ok(addresses)
        })
    }
}

/// Returns the addresses, if there are any and every one is public.
fn checked(found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, Box<dyn Error + Send + Sync>> {
    if found.is_empty() {
        return Err(io::Error::from(io::ErrorKind::NotFound).into());
    }
    if found.iter().map(SocketAddr::ip).all(|address: IpAddr| is_public(address)) {
        Ok(found)
    } else {
        Err(NotPublic.into())
    }
}

/// True when the gate caused the failure of a request.
pub fn is_refused(error: &reqwest::Error) -> bool {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.is::<NotPublic>() {
            return true;
        }
        cause = error.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use super::*;

    fn addresses(texts: &[&str]) -> Vec<SocketAddr> {
        texts.iter().map(|text| SocketAddr::new(text.parse().unwrap(), 0)).collect()
    }

    #[test]
    fn resolver_refuses_all_addresses_for_one_inner_address() {
        assert_eq!(checked(addresses(&["1.1.1.1", "2606:4700::1"])).unwrap().len(), 2);
        for mixed in [&["1.1.1.1", "127.0.0.1"][..], &["169.254.169.254"], &["1.1.1.1", "::ffff:10.0.0.1"]] {
            assert!(checked(addresses(mixed)).unwrap_err().is::<NotPublic>(), "{mixed:?}");
        }
        assert!(checked(Vec::new()).is_err());
    }

    #[tokio::test]
    async fn resolver_refuses_names_of_the_own_machine() {
        let client = reqwest::Client::builder()
            .dns_resolver(Arc::new(PublicResolver))
            .timeout(Duration::from_secs(5))
            .no_proxy()
            .build()
            .unwrap();
        let error = client.get("https://localhost/").send().await.unwrap_err();
        assert!(is_refused(&error), "{error:?}");
    }
}
