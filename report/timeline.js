
"use strict";
(() => {
  const runs = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const stepped = uPlot.paths.stepped({ align: 1 });
  let plots = [], run = null;

  const element = (tag, text, parent) => {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    if (parent) parent.append(e);
    return e;
  };

  // clock writes hours as h:mm:ss.
  const clock = (h) => {
    const s = Math.round(h * 3600), two = (n) => String(n).padStart(2, "0");
    return Math.floor(s / 3600) + ":" + two(Math.floor(s / 60) % 60) + ":" + two(s % 60);
  };

  // number writes a value of a legend.
  const number = (unit) => (u, v) => (v == null ? "" : +v.toPrecision(5) + " " + unit);

  const line = (label, color, unit, more) =>
    Object.assign({ label, stroke: color, width: 1.5, points: { show: false }, value: number(unit) }, more);

  // panels says what the charts of a run show: their title, unit, series and values.
  const panels = (r) => {
    const steps = (pick, unit) => ({
      series: r.series.map((s) => line(s.name, s.color, unit, { paths: stepped, dash: s.dashed ? [6, 4] : undefined })),
      values: r.series.map(pick), unit,
    });
    return [
      { title: "Held (instances)", ...steps((s) => s.held, "") },
      { title: "Price (USD/h each)", ...steps((s) => s.price, "USD/h") },
      { title: "Progress (%)", series: [line("progress", ink("--ink"), "%")], values: [r.progress], unit: "%" },
      { title: "Cost (USD)", series: [line("cost", ink("--ink"), "USD")], values: [r.cost], unit: "USD" },
    ];
  };

  // zoom shows the hours from a to b in all charts.
  const zoom = (a, b) => {
    const first = run.at[0], last = Math.max(run.at[run.at.length - 1], run.goal * 1.02), least = (last - first) / 2000;
    const wide = Math.min(Math.max(b - a, least), last - first);
    a = Math.min(Math.max(a, first), last - wide);
    for (const u of plots) u.setScale("x", { min: a, max: a + wide });
  };

  // marks shows the objective in a chart, and the decisions that changed the plan.
  const marks = (u) => {
    const c = u.ctx, { left, top, width, height } = u.bbox;
    const upright = (h, color, dash, long) => {
      const x = u.valToPos(h, "x", true);
      if (x < left || x > left + width) return;
      c.save();
      c.strokeStyle = color;
      c.setLineDash(dash);
      c.beginPath();
      c.moveTo(x, top + height * (1 - long));
      c.lineTo(x, top + height);
      c.stroke();
      c.restore();
    };
    upright(run.goal, ink("--soft"), [3, 3], 1);
    for (const d of run.decisions) if (d.changed) upright(d.at, ink("--link"), [], 0.06);
  };

  const read = (i) => {
    if (i == null) return;
    const held = run.series.map((s) => s.held[i] + " " + s.name).join(", ") || "nothing";
    byId("readout").textContent = clock(run.at[i]) + ": " + held + "; " + run.progress[i] + " % done, " + run.cost[i] + " USD";
  };

  const draw = () => {
    for (const u of plots) u.destroy();
    byId("charts").replaceChildren();
    const axis = (more) => Object.assign({ stroke: ink("--ink"), grid: { stroke: ink("--line"), width: 1 }, ticks: { stroke: ink("--line"), width: 1 } }, more);
    const width = byId("charts").clientWidth || 900;
    plots = panels(run).map((p) => {
      const box = element("div", undefined, byId("charts"));
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", p.title + " over the time of " + run.name + "; arrow keys read values");
      const u = new uPlot({
        title: p.title, width, height: 190,
        cursor: { sync: { key: "run" }, drag: { x: true, y: false } },
        scales: { x: { time: false }, y: { range: (u, low, high) => [0, high > 0 ? high * 1.05 : 1] } },
        axes: [axis({ values: (u, list) => list.map((h) => +h.toFixed(4) + " h") }), axis({ size: 60, values: (u, list) => list.map((v) => +v.toPrecision(4)) })],
        series: [{ label: "time", value: (u, h) => (h == null ? "" : clock(h)) }, ...p.series],
        hooks: {
          draw: [marks],
          setSelect: [(u) => { if (u.select.width > 0) zoom(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")); }],
        },
      }, [run.at, ...p.values], box);
      box.addEventListener("keydown", (e) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
        if (!step) return;
        e.preventDefault();
        const i = Math.min(Math.max((u.cursor.idx ?? (step > 0 ? -1 : run.at.length)) + step, 0), run.at.length - 1);
        u.setCursor({ left: u.valToPos(run.at[i], "x"), top: 10 });
        read(i);
      });
      return u;
    });
    zoom(run.at[0], 1e9);
  };

  const weighed = (d, cell) => {
    const text = (i) => run.texts[i];
    const box = element("details", undefined, cell);
    element("summary", d.weighed ? d.weighed + " candidates" : "what it saw", box);
    element("div", "saw: " + text(d.saw), box);
    if (text(d.inputs)) element("div", "reckoned with: " + text(d.inputs), box);
    if (!d.candidates.length) return;
    const table = element("table", undefined, box), head = element("tr", undefined, element("thead", undefined, table));
    for (const h of ["candidate", "score", "", "note"]) element("th", h, head).scope = "col";
    const body = element("tbody", undefined, table);
    for (const [name, score, unit, note, taken] of d.candidates) {
      const row = element("tr", undefined, body);
      if (taken) row.className = "best";
      element("td", text(name), row);
      element("td", score == null ? "" : score + " " + text(unit), row).className = "n";
      element("td", taken ? "taken" : "", row);
      element("td", text(note), row);
    }
    if (d.weighed > d.candidates.length) element("div", d.weighed - d.candidates.length + " more: marigram explain lists all.", box);
  };

  const list = () => {
    const body = document.querySelector("#decisions tbody");
    body.replaceChildren();
    for (const d of run.decisions) {
      const row = element("tr", undefined, body);
      if (!d.changed) row.className = "same";
      element("td", clock(d.at), row).className = "n";
      element("td", run.texts[d.trigger], row);
      element("td", run.texts[d.wants], row);
      const why = element("td", run.texts[d.why] || (d.changed ? "" : "as before"), row);
      weighed(d, why);
    }
  };

  const choose = (i) => {
    run = runs[i];
    byId("facts").textContent = run.name + ": " + run.facts.join("; ") + ".";
    byId("readout").textContent = "";
    draw();
    list();
  };

  byId("run").addEventListener("change", (e) => choose(e.target.value));
  for (const button of document.querySelectorAll("[data-do]"))
    button.addEventListener("click", () => {
      const { min, max } = plots[0].scales.x, w = max - min;
      const to = { in: [min + w / 4, max - w / 4], out: [min - w / 2, max + w / 2], left: [min - w / 2, max - w / 2], right: [min + w / 2, max + w / 2], all: [run.at[0], 1e9] };
      zoom(...to[button.dataset.do]);
    });
  for (const media of ["(prefers-color-scheme: dark)", "print"]) matchMedia(media).addEventListener("change", draw);
  addEventListener("resize", () => { for (const u of plots) u.setSize({ width: byId("charts").clientWidth, height: 190 }); });
  choose(byId("run").value);
})();
