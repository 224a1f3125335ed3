//! `ctx.fetch` of local runs: the internet behind the same gate, or recorded answers.

use std::sync::Arc;

use sandbox::{FetchRequest, FetchResponse, HostError};
use url::Url;

use crate::egress::{AllowList, Budget, Egress, MAX_RESPONSE_BODY_BYTES, answer_too_large, check};

/// Network of a local runtime.
#[derive(Clone)]
pub enum Network {
    /// The internet, through the gate of the runtime.
    Open(OpenNetwork),
    /// Recorded answers only.
    Recorded(Arc<Vec<FetchAnswer>>),
}

/// Client of the internet.
#[derive(Clone)]
pub struct OpenNetwork(Egress);

/// Answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchAnswer {
    /// Method in upper case; any when absent.
    pub method: Option<String>,
    /// Address.
    pub url: Url,
    /// Response.
    pub response: FetchResponse,
}

/// Failure of a request.
pub(super) enum Missed {
    /// The request fails as it would in the runtime.
    Failed(HostError),
    /// No recorded answer is for this request.
    Unanswered(String),
}

impl Network {
    /// Returns the internet. `test_hosts` are `host:port` of services that may be reached without a check, as
    /// `LUMIO_EGRESS_TEST_HOSTS` names them for the runtime.
    ///
    /// # Errors
    /// TLS roots that cannot be loaded.
    pub fn open(test_hosts: &[String]) -> shared::Result<Self> {
        Ok(Self::Open(OpenNetwork(Egress::new(test_hosts)?)))
    }

    /// Returns recorded answers; the first that fits is given, however often.
    #[must_use]
    pub fn recorded(answers: Vec<FetchAnswer>) -> Self {
        Self::Recorded(Arc::new(answers))
    }

    pub(super) async fn fetch(
        &self,
        allowed: &AllowList,
        request: FetchRequest,
        budget: &Budget,
    ) -> Result<FetchResponse, Missed> {
        match self {
            Self::Open(OpenNetwork(egress)) => {
                egress.fetch(allowed, request, budget).await.map_err(|failure| Missed::Failed(failure.error))
            }
            Self::Recorded(answers) => recorded(answers, allowed, request, budget),
        }
    }
}

fn recorded(
    answers: &[FetchAnswer],
    allowed: &AllowList,
    request: FetchRequest,
    budget: &Budget,
) -> Result<FetchResponse, Missed> {
    let (url, method) = check(allowed, request).map_err(Missed::Failed)?;
    let fits = |answer: &&FetchAnswer| {
        answer.url == url && answer.method.as_ref().is_none_or(|wanted| wanted == method.as_str())
    };
    let Some(answer) = answers.iter().find(fits) else {
        return Err(Missed::Unanswered(format!("{method} {url}")));
    };
    let size = answer.response.body.len();
    if size > MAX_RESPONSE_BODY_BYTES {
        return Err(Missed::Failed(answer_too_large()));
    }
    budget.take(size).map_err(Missed::Failed)?;
    Ok(FetchResponse { url: url.into(), ..answer.response.clone() })
}
