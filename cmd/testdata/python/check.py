"""What the installed package answers, beside what the installed program prints: check.py FOLDER-OF-THE-PROGRAM."""

import json
import math
import os
import subprocess
import sys
import tempfile

import marigram

folder = sys.argv[1]
assert os.path.dirname(marigram.program()) == folder, marigram.program()
package = os.path.dirname(marigram.__file__)
assert os.path.exists(os.path.join(package, "py.typed")) and "site-packages" in package

rows = marigram.run("quickstart", policies=["reactive", "ondemand"], seed=3, seeds=4, settings={"policy.patience_s": 60}, form="dicts")
line = [os.path.join(folder, "marigram"), "run", "quickstart", "--policy=reactive,ondemand", "--seed=3", "--seeds=4", "--set=policy.patience_s=60", "--json"]
printed = json.loads(subprocess.run(line, check=True, capture_output=True, text=True).stdout)
assert len(rows) == 16 and len(printed) == 4
for group in printed:
    own = [r for r in rows if r["objective"] == group["objective"] and r["policy"] == group["policy"]]
    assert [r["seed"] for r in own] == [3, 4, 5, 6]
    assert math.isclose(sum(r["cost_usd"] for r in own) / 4, group["cost_usd"]["mean"], rel_tol=1e-12)
    assert sum(r["met"] is True for r in own) == group["met"]
    assert all(r["missed_by_s"] is None for r in own if r["met"])

# A dictionary is a spec, with paths relative to the present folder.
spec = {
    "name": "mine", "model": {"published": "spotdnn-resnet110"}, "objectives": [{"loss": 0.8, "within": "2h"}], "policies": [{"name": "reactive"}],
    "market": {
        "traces": [{"name": "fleet", "path": "fleet.csv", "format": "availability-csv", "polarity": "1=available"}],
        "pools": [{"type": "p3.2xlarge", "quota": 4, "on_demand_quota": 4, "on_demand_usd_per_h": 3.06, "capacity": {"trace": "fleet"},
                   "prices": {"trace": "fleet", "usd_per_h": 1}, "replay": {"adapter": "count_cap"}}],
    },
}
with tempfile.TemporaryDirectory() as temp:
    os.chdir(temp)
    with open("fleet.csv", "w") as f:
        f.write("date,availability\n2026-02-20 00:00:00,2\n2026-02-21 11:45:00,2\n")
    (row,) = marigram.run(spec, out="out", form="dicts")
    assert row["scenario"] == "mine" and os.path.exists("out/summary.parquet")
    spec["sedes"] = 3
    try:
        marigram.run(spec)
        raise SystemExit("a wrong key is accepted")
    except marigram.Failed as e:
        assert 'unknown field "sedes"' in str(e), e
    # Forms that are not installed are errors of Python, and others are named.
    for form in ("arrow", "pandas"):
        try:
            del spec["sedes"]
        except KeyError:
            pass
        try:
            table = marigram.run(spec, form=form)
            assert len(table) == 1
        except ModuleNotFoundError:
            pass
    try:
        marigram.run(spec, form="sheet")
        raise SystemExit("a form that is none is accepted")
    except ValueError as e:
        assert "expected one of arrow, pandas, dicts" in str(e), e

env = marigram.VectorEnv(2)
seen, _ = env.reset(seed=1)
assert len(seen) == 2 and len(seen[0]) == len(env.fields)
env.close()
