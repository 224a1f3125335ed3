//! Metrics of one process (reference/telemetry.md#metrics). Every series carries the labels `service` and
//! `env`.

use std::{
    any::Any,
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use prometheus::{
    Encoder, GaugeVec, HistogramOpts, HistogramVec, IntCounterVec, IntGaugeVec, Opts, Registry, TextEncoder,
    core::Collector,
};

use shared::{Error, Result, config::Environment};

/// Registry of a process. It is not global, so that tests can run several servers in one process.
#[derive(Clone, Debug)]
pub struct Metrics {
    registry: Registry,
    /// Families by name, so that a daemon that is started again in its process continues its counts.
    families: Arc<Mutex<HashMap<String, Box<dyn Any + Send + Sync>>>>,
}

impl Metrics {
    /// Creates a registry for a service (`lumio-api`, `lumio-worker`), with the `process_*` metrics.
    ///
    /// # Errors
    /// None in practice: the labels are fixed.
    pub fn new(service: &str, environment: Environment) -> Result<Self> {
        let labels = HashMap::from([
            ("service".to_owned(), service.to_owned()),
            ("env".to_owned(), environment.as_str().to_owned()),
        ]);
        let registry = Registry::new_custom(None, Some(labels)).map_err(internal)?;
        let metrics = Self { registry, families: Arc::default() };
        #[cfg(target_os = "linux")]
        metrics.collector(prometheus::process_collector::ProcessCollector::for_self())?;
        Ok(metrics)
    }

    /// Family of counters. One without labels begins at 0, so that a rate sees its first increment.
    ///
    /// # Errors
    /// A malformed name, or one of a family of another kind.
    pub fn counters(&self, name: &str, help: &str, labels: &[&str]) -> Result<IntCounterVec> {
        let counters = self.register(name, IntCounterVec::new(Opts::new(name, help), labels))?;
        if labels.is_empty() {
            counters.with_label_values::<&str>(&[]);
        }
        Ok(counters)
    }

    /// Family of whole-number gauges.
    ///
    /// # Errors
    /// A malformed name, or one of a family of another kind.
    pub fn gauges(&self, name: &str, help: &str, labels: &[&str]) -> Result<IntGaugeVec> {
        self.register(name, IntGaugeVec::new(Opts::new(name, help), labels))
    }

    /// Family of gauges.
    ///
    /// # Errors
    /// A malformed name, or one of a family of another kind.
    pub fn float_gauges(&self, name: &str, help: &str, labels: &[&str]) -> Result<GaugeVec> {
        self.register(name, GaugeVec::new(Opts::new(name, help), labels))
    }

    /// Family of histograms with the given upper bounds.
    ///
    /// # Errors
    /// A malformed name, or one of a family of another kind.
    pub fn histograms(
        &self,
        name: &str,
        help: &str,
        labels: &[&str],
        buckets: &[f64],
    ) -> Result<HistogramVec> {
        self.register(
            name,
            HistogramVec::new(HistogramOpts::new(name, help).buckets(buckets.to_vec()), labels),
        )
    }

    /// Adds a custom collector.
    ///
    /// # Errors
    /// A name that is taken.
    pub fn collector(&self, collector: impl Collector + 'static) -> Result<()> {
        self.registry.register(Box::new(collector)).map_err(internal)
    }

    /// All series in Prometheus text format 0.0.4.
    ///
    /// # Errors
    /// A collector with inconsistent series.
    pub fn render(&self) -> Result<String> {
        let mut text = Vec::new();
        TextEncoder::new().encode(&self.registry.gather(), &mut text).map_err(internal)?;
        String::from_utf8(text).map_err(|error| Error::Internal(error.to_string()))
    }

    /// Returns the existing family of this name and kind, or registers the new one.
    fn register<C>(&self, name: &str, collector: prometheus::Result<C>) -> Result<C>
    where
        C: Collector + Clone + Send + Sync + 'static,
    {
        let mut families = self.families.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = families.get(name).and_then(|family| family.downcast_ref::<C>()) {
            return Ok(known.clone());
        }
        let collector = collector.map_err(internal)?;
        self.registry.register(Box::new(collector.clone())).map_err(internal)?;
        families.insert(name.to_owned(), Box::new(collector.clone()));
        Ok(collector)
    }
}

fn internal(error: prometheus::Error) -> Error {
    Error::Internal(format!("metrics: {error}"))
}
