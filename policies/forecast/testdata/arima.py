"""Writes arima.json: fits of statsmodels 0.13.5 to three made-up series, for arima_test.go.

    python3 arima.py > arima.json

The likelihood is the exact one of the differences (simple_differencing), as in ARIMA of the package.
"""
import json
import warnings

import numpy as np
from statsmodels.tsa.statespace.sarimax import SARIMAX

warnings.simplefilter("ignore")


def noise(n, state):
    """Sums of twelve draws of a linear congruential generator: the same numbers everywhere."""
    out = []
    for _ in range(n):
        total = -6.0
        for _ in range(12):
            state = (1664525 * state + 1013904223) % 2**32
            total += state / 2**32
        out.append(total)
    return out


def series():
    level, walk, e = 20.0, [], noise(60, 1)
    for k, v in enumerate(e):  # counts that wander up
        level += 0.2 + 1.2 * v + (0.5 * e[k - 1] if k else 0)
        walk.append(float(round(level)))
    y, x, cycle = 0.0, 0.0, []
    for v in noise(80, 2):  # a damped cycle around 10
        y, x = 1.2 * y - 0.6 * x + v, y
        cycle.append(round(10 + y, 3))
    slope, trend, t = 0.0, [], 0.0
    for v in noise(50, 3):  # a slope that wanders
        slope += 0.3 * v
        t += slope
        trend.append(round(t, 3))
    return {"walk": walk, "cycle": cycle, "trend": trend}


def fit(x, p, d, q, drift, horizon=7):
    model = SARIMAX(x, order=(p, d, q), trend="c" if drift else "n", simple_differencing=True)
    best = None
    for method in ("lbfgs", "nm", "powell"):
        r = model.fit(disp=0, method=method, maxiter=20000)
        r = model.fit(r.params, disp=0, method="nm", maxiter=20000, xtol=1e-9, ftol=1e-11)
        if best is None or r.llf > best.llf:
            best = r
    f = np.asarray(best.forecast(horizon))
    for k in range(d - 1, -1, -1):
        f = np.diff(x, k)[-1] + np.cumsum(f)
    params = list(best.params)
    mu = params.pop(0) / (1 - sum(params[:p])) if drift else 0.0
    digits = {"ar": params[:p], "ma": params[p:p + q], "mean": mu, "variance": params[-1],
              "log_likelihood": best.llf, "forecast": f}
    return {name: np.round(v, 7).tolist() for name, v in digits.items()}


data, fits = series(), []
for name, p, d, q, drift in [
        ("walk", 1, 1, 0, True), ("walk", 1, 1, 0, False), ("walk", 0, 1, 1, False), ("walk", 0, 1, 1, True),
        ("walk", 1, 1, 1, False), ("walk", 0, 1, 0, True), ("walk", 2, 1, 1, True), ("walk", 0, 1, 2, False),
        ("cycle", 2, 0, 0, True), ("cycle", 1, 0, 0, True), ("cycle", 3, 0, 0, True), ("cycle", 2, 0, 1, True),
        ("cycle", 1, 0, 3, True), ("cycle", 2, 0, 0, False), ("trend", 0, 2, 1, False), ("trend", 1, 2, 0, False),
        ("trend", 1, 2, 1, False), ("trend", 0, 2, 2, True)]:
    fits.append({"series": name, "p": p, "d": d, "q": q, "drift": drift, **fit(data[name], p, d, q, drift)})
print('{"series": ' + json.dumps(data) + ',\n"fits": [' + ",\n".join(map(json.dumps, fits)) + "]}")
