"""Metric families from samples: a pair of label values and a number; None gives no sample."""

from collections.abc import Sequence
from typing import Any

from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric


def gauge(name: str, text: str, labels: list[str], samples: Sequence[tuple[tuple[str, ...], Any]]) -> Metric:
    """A gauge."""
    family = GaugeMetricFamily(name, text, labels=labels)
    for values, value in samples:
        if value is not None:
            family.add_metric(values, float(value))
    return family


def counter(name: str, text: str, labels: list[str], samples: Sequence[tuple[tuple[str, ...], Any]]) -> Metric:
    """A counter, whose name gets ``_total``."""
    family = CounterMetricFamily(name, text, labels=labels)
    for values, value in samples:
        family.add_metric(values, float(value))
    return family
