"""The files that a run leaves: tables for marigram, and all there is as CSV and JSON."""

import csv
import io
import json
import os

RUNS = ["model", "gpu", "gpus", "batch_per_gpu", "step_time_s", "gradient_mb", "memory_mb", "gpu_memory_gb", "device_version", "software_version", "date", "source"]
LAYERS = ["layer", "forward_s", "backward_s", "weight_bytes", "activation_bytes", "output_bytes"]
# Units are in the names of the quantities; value is their median.
MEASUREMENTS = ["quantity", "model", "precision", "batch_per_gpu", "size_mb", "gpus", "value", "spread", "repeats", "date", "note"]
# as networks.Network.use says
PRECISIONS = {"fp32": "fp32", "tf32": "fp32 with products in tf32", "bf16": "bf16 by autocast, weights in fp32"}
SOURCE = "calibrate/profiler of marigram"


def write(folder, records, provenance):
    """Writes every file whole or not at all, and returns their names."""
    files = {"measurements.csv": table(MEASUREMENTS, (r for r in records if "layers" not in r))}
    files["profile.json"] = json.dumps({"provenance": provenance, "measurements": records}, indent=1) + "\n"
    for precision in sorted({r["precision"] for r in records if r["quantity"] == "step_s" and r["value"] is not None}):
        files[f"{precision}.runs.csv"] = table(RUNS, runs([r for r in records if r["precision"] == precision], provenance, precision))
    for r in records:
        if "layers" in r:
            files[f"{r['model']}-{r['precision']}-{r['batch_per_gpu']}.layers.csv"] = table(LAYERS, r["layers"])
    for name, text in files.items():
        with open(folder / (name + ".tmp"), "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(folder / (name + ".tmp"), folder / name)
    return sorted(files)


def runs(records, provenance, precision):
    """Rows of a profile of runs (PROFILES.md), by network and batch."""
    found = {(r["quantity"], r["model"], r["batch_per_gpu"]): r for r in records}
    for (quantity, model, batch), r in sorted(found.items(), key=lambda item: (item[0][1], item[0][2] or 0, item[0][0])):
        if quantity != "step_s" or r["value"] is None:
            continue
        memory = found.get(("peak_memory_mb", model, batch), {"value": None})
        yield {
            "model": model, "gpu": provenance["gpu"], "gpus": r["gpus"], "batch_per_gpu": batch, "step_time_s": r["value"],
            "gradient_mb": found["gradient_mb", model, batch]["value"], "memory_mb": memory["value"], "gpu_memory_gb": provenance["memory_gb"],
            "device_version": f"{provenance['device']}, driver {provenance['driver'] or 'none'}",
            "software_version": f"torch {provenance['torch']}, CUDA {provenance['cuda'] or 'none'}, {PRECISIONS[precision]}",
            "date": r["date"], "source": SOURCE,
        }


def table(columns, rows):
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({c: "" if row[c] is None else f"{row[c]:.7g}" if isinstance(row[c], float) else row[c] for c in columns})
    return out.getvalue()
