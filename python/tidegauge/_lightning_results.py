# SPDX-License-Identifier: Apache-2.0
"""What a LightningModule has logged in an epoch so far, for its mean at the end: Lightning forgets it when training goes on from a checkpoint
in the middle of the epoch, and what monitors that mean would decide otherwise.

Kept as plain values, since a checkpoint may be loaded without any classes.
"""
from __future__ import annotations

import importlib
from typing import Any

_META = ("fx", "name", "prog_bar", "logger", "on_step", "on_epoch", "add_dataloader_idx", "dataloader_idx")


def kept(results: Any, ended: bool, ranks: int) -> tuple:
    """(what can be kept, by name; names of what cannot: torchmetrics of an epoch that has not ended, and what other ranks have of it)."""
    out, lost = {}, []
    for key, metric in results.items():
        if metric.has_reset or not metric.meta.on_epoch:
            continue
        about = {name: getattr(metric.meta, name) for name in _META}
        if metric.is_tensor and ranks == 1:
            size = getattr(metric, "cumulated_batch_size", None)
            out[key] = {"value": metric.value, "size": size, "reduce": metric.meta.reduce_fx.__name__, **about}
        elif ended and ranks == 1:
            out[key] = {"value": metric.compute(), "size": None, "reduce": "sum", **about}
        else:
            lost.append(metric.meta.name)
    return out, lost


def add(results: Any, earlier: dict) -> None:
    """Adds what was logged before the resume to what has been logged since, and takes it out of `earlier`."""
    for key in list(earlier):
        metric = results.get(key)
        if metric is None or metric.has_reset or not metric.is_tensor:
            continue
        part = earlier.pop(key)
        before = part["value"].to(metric.value.device)
        if part["reduce"] in ("max", "min"):
            metric.value = metric.meta.reduce_fx(before, metric.value)
        else:
            metric.value = before + metric.value
        if part["size"] is not None:
            metric.cumulated_batch_size = part["size"].to(metric.value.device) + metric.cumulated_batch_size
        metric._computed = None


def make(results: Any, earlier: dict) -> list:
    """Makes those anew that will not be logged again in this epoch, since it has ended; their names."""
    module: Any = importlib.import_module(_module_name())
    made = list(earlier)
    for key in made:
        part = earlier.pop(key)
        meta = module._Metadata(reduce_fx=part["reduce"], **{name: part[name] for name in _META})
        meta.sync = module._Sync()
        metric = results[key] = module._ResultMetric(meta, True)
        metric.value = part["value"]
        if part["size"] is not None:
            metric.cumulated_batch_size = part["size"]
        metric._update_count = 1
    return made


def _module_name() -> str:
    from tidegauge.lightning import Trainer

    return Trainer.__module__.rpartition(".")[0] + ".connectors.logger_connector.result"
