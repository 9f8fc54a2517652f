
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const stepped = uPlot.paths.stepped({ align: 1 });
  const hidden = new Set(); // policies whose lines are not shown
  let runs = [], run = null; // of the case, its best policy first; the one in detail
  let plots = []; // those that compare, then those of the run
  let compared = null; // what those that compare draw

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

  // digits writes a number with five digits, dollars to the cent.
  const digits = (v, unit) => (v == null ? "" : (unit === "USD" && Math.abs(v) >= 1 ? v.toFixed(2) : +v.toPrecision(5)) + (unit ? " " + unit : ""));
  const number = (unit) => (u, v) => digits(v, unit);

  // swatch is the line and the point of a style.
  const swatch = (style) => {
    const make = (tag, more, parent) => {
      const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [k, v] of Object.entries(more)) e.setAttribute(k, v);
      parent?.append(e);
      return e;
    };
    const color = `var(${style.color})`, svg = make("svg", { class: "dot", viewBox: "-15 -6 30 12", "aria-hidden": "true", style: `fill:${color};stroke:${color}` });
    make("path", { d: "M-15 0H15", "stroke-width": 2, "stroke-dasharray": style.dashes.join(" ") }, svg);
    if (style.outline.length) make("polygon", { points: style.outline.map(([x, y]) => [4 * x, -4 * y]).join(" "), stroke: "none" }, svg);
    else make("circle", { r: 4, stroke: "none" }, svg);
    return svg;
  };

  const line = (label, color, unit, more) =>
    Object.assign({ label, stroke: color, width: 1.5, points: { show: false }, value: number(unit) }, more);

  // between returns the place of the last instant of a run that is not after h.
  const between = (at, h) => {
    let low = 0, high = at.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (at[mid] <= h) low = mid;
      else high = mid - 1;
    }
    return low;
  };

  // read returns what a run holds, has done and has cost at h hours; nothing after its end.
  const read = (r, h) => {
    const last = r.at.length - 1, i = between(r.at, h);
    if (h < r.at[0] || h > r.at[last] + 1e-9) return null;
    const share = i < last ? (h - r.at[i]) / (r.at[i + 1] - r.at[i]) : 0;
    const along = (v) => (i < last ? v[i] + share * (v[i + 1] - v[i]) : v[i]);
    return { held: r.series.reduce((sum, s) => sum + s.held[i], 0), progress: along(r.progress), cost: along(r.cost), activity: r.texts[r.activity[i]] };
  };

  // compare puts the runs of a case on one time axis.
  const compare = () => {
    const at = [...new Set(runs.flatMap((r) => r.at))].sort((a, b) => a - b);
    const rows = runs.map((r) => at.map((h) => read(r, h)));
    const pick = (key) => rows.map((row) => row.map((x) => x && x[key]));
    return { at, held: pick("held"), progress: pick("progress"), cost: pick("cost") };
  };

  // panels say what charts show: their title, time axis, series and values.
  const comparing = () => {
    const of = (unit, more) => runs.map((r) => line(r.policy, ink(r.style.color), unit, { dash: r.style.dashes.length ? r.style.dashes.map((d) => 1.3 * d) : undefined, style: r.style, show: !hidden.has(r.policy), ...more }));
    return [
      { title: "Instances held", at: compared.at, series: of("", { paths: stepped }), values: compared.held },
      { title: "Done (%)", at: compared.at, series: of("%"), values: compared.progress },
      { title: "Cost so far (USD)", at: compared.at, series: of("USD"), values: compared.cost },
    ];
  };
  const detailed = () => {
    const steps = (pick, unit) => ({
      at: run.at, values: run.series.map(pick),
      series: run.series.map((s) => line(s.name, ink(s.color), unit, { paths: stepped, dash: s.dashed ? [6, 4] : undefined })),
    });
    return [{ title: "Held (instances)", ...steps((s) => s.held, "") }, { title: "Price (USD/h each)", ...steps((s) => s.price, "USD/h") }];
  };

  // zoom shows the hours from a to b in all charts.
  const zoom = (a, b) => {
    const first = compared.at[0], last = Math.max(compared.at[compared.at.length - 1], run.goal * 1.02), least = (last - first) / 2000;
    const wide = Math.min(Math.max(b - a, least), last - first);
    a = Math.min(Math.max(a, first), last - wide);
    for (const u of plots) u.setScale("x", { min: a, max: a + wide });
  };

  // marks shows the objective in a chart, and the points of styles along their lines; of
  // one run also the decisions that changed the plan.
  const marks = (decisions) => (u) => {
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
    if (run.goal) upright(run.goal, ink("--soft"), [3, 3], 1);
    if (decisions) for (const d of run.decisions) if (d.changed) upright(d.at, ink("--link"), [], 0.06);
    const shown = u.series.filter((s) => s.style && s.show).length;
    let k = 0;
    u.series.forEach((s, i) => {
      if (!s.style || !s.show) return;
      const every = 120 * devicePixelRatio, size = 4 * devicePixelRatio;
      c.save();
      c.fillStyle = ink(s.style.color);
      for (let x = left + (every * (0.5 + k)) / shown; x < left + width; x += every) {
        const h = u.posToVal(x / devicePixelRatio - left / devicePixelRatio, "x"), j = between(u.data[0], h);
        const v = u.data[i][j], next = u.data[i][j + 1] ?? v;
        if (v == null) continue;
        const share = s.paths === stepped || u.data[0][j + 1] === undefined ? 0 : (h - u.data[0][j]) / (u.data[0][j + 1] - u.data[0][j]);
        const y = u.valToPos(v + share * (next - v), "y", true);
        c.beginPath();
        if (s.style.outline.length) for (const [px, py] of s.style.outline) c.lineTo(x + size * px, y - size * py);
        else c.arc(x, y, size, 0, 7);
        c.fill();
      }
      c.restore();
      k++;
    });
  };

  // instant says what every policy holds and has done at h hours; null: at the end.
  const instant = (h) => {
    const table = byId("instant"), body = table.tBodies[0];
    table.caption.textContent = h == null ? "At the end of each run:" : "At " + clock(h) + ":";
    runs.forEach((r, i) => {
      const x = read(r, h ?? r.at[r.at.length - 1]), cells = body.rows[i].cells;
      const end = r.at[r.at.length - 1], late = r.goal > 0 && end > r.goal + 1e-4;
      cells[1].textContent = x ? digits(x.held) : "0";
      cells[2].textContent = x && h != null ? x.activity : "ended at " + clock(end) + (late ? ", late" : "");
      cells[2].classList.toggle("poor", late && !(x && h != null));
      cells[3].textContent = digits(x ? x.progress : r.progress[r.progress.length - 1], "%");
      cells[4].textContent = digits(x ? x.cost : r.cost[r.cost.length - 1], "USD").replace(" USD", "");
    });
  };

  // legend lists the policies of the case; a button shows or hides one.
  const legend = () => {
    const body = byId("instant").tBodies[0];
    body.replaceChildren();
    runs.forEach((r, i) => {
      const row = element("tr", undefined, body), head = element("th", undefined, row), button = element("button", undefined, head);
      head.scope = "row";
      button.type = "button";
      button.append(swatch(r.style), r.policy);
      button.setAttribute("aria-pressed", !hidden.has(r.policy));
      button.addEventListener("click", () => {
        if (!hidden.delete(r.policy)) hidden.add(r.policy);
        button.setAttribute("aria-pressed", !hidden.has(r.policy));
        for (const u of plots) if (u.compares) u.setSeries(i + 1, { show: !hidden.has(r.policy) });
      });
      for (const c of ["n", "", "n", "n"]) element("td", undefined, row).className = c;
    });
    instant(null);
  };

  const axis = (more) => Object.assign({ stroke: ink("--ink"), grid: { stroke: ink("--line"), width: 1 }, ticks: { stroke: ink("--line"), width: 1 } }, more);

  // chart draws a panel into a box that the keyboard reaches.
  const chart = (p, parent, compares) => {
    const box = element("div", undefined, parent);
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", p.title + (compares ? " of all policies" : " over the time of " + run.name) + "; arrow keys read values");
    const u = new uPlot({
      title: p.title, width: parent.clientWidth || 900, height: 190,
      legend: { show: !compares },
      cursor: { sync: { key: "run", setSeries: false }, drag: { x: true, y: false }, points: { show: !compares } },
      scales: { x: { time: false }, y: { range: (u, low, high) => [0, high > 0 ? high * 1.05 : 1] } },
      axes: [axis({ values: (u, list) => list.map((h) => +h.toFixed(4) + " h") }), axis({ size: 60, values: (u, list) => list.map((v) => +v.toPrecision(4)) })],
      series: [{ label: "time", value: (u, h) => (h == null ? "" : clock(h)) }, ...p.series],
      hooks: {
        draw: [marks(!compares)],
        setCursor: [(u) => { if (u.compares && u === plots[0]) instant(u.cursor.left >= 0 ? u.posToVal(u.cursor.left, "x") : null); }],
        setSelect: [(u) => { if (u.select.width > 0) zoom(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")); }],
      },
    }, [p.at, ...p.values], box);
    u.compares = compares;
    box.addEventListener("keydown", (e) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
      if (!step) return;
      e.preventDefault();
      const i = Math.min(Math.max((u.cursor.idx ?? (step > 0 ? -1 : p.at.length)) + step, 0), p.at.length - 1);
      u.setCursor({ left: u.valToPos(p.at[i], "x"), top: 10 });
      instant(p.at[i]);
    });
    for (const head of box.querySelectorAll(".u-legend .u-series:not(:first-child) th")) { // its lines toggle by mouse; by keyboard as well
      head.tabIndex = 0;
      head.setAttribute("role", "button");
      head.addEventListener("keydown", (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); head.click(); } });
    }
    return u;
  };

  const draw = () => {
    for (const u of plots) u.destroy();
    plots = [];
    for (const [id, panels, compares] of [["compare", comparing, true], ["charts", detailed, false]]) {
      byId(id).replaceChildren();
      for (const p of panels()) plots.push(chart(p, byId(id), compares));
    }
    zoom(compared.at[0], 1e9);
  };

  const weighed = (d, cell) => {
    const text = (i) => run.texts[i];
    const box = element("details", undefined, cell);
    element("summary", d.weighed ? d.weighed + " candidates" : "what it saw", box);
    element("div", "state: " + text(d.state), box);
    if (text(d.inputs)) element("div", "inputs: " + text(d.inputs), box);
    if (!d.candidates.length) return;
    const table = element("table", undefined, box), head = element("tr", undefined, element("thead", undefined, table));
    for (const h of ["candidate", "score", "", "note"]) element("th", h, head).scope = "col";
    const body = element("tbody", undefined, table);
    for (const [name, score, unit, note, chosen] of d.candidates) {
      const row = element("tr", undefined, body);
      if (chosen) row.className = "best";
      element("td", text(name), row);
      element("td", score == null ? "" : score + " " + text(unit), row).className = "n";
      element("td", chosen ? "chosen" : "", row);
      element("td", text(note), row);
    }
    if (d.weighed > d.candidates.length) element("div", d.weighed - d.candidates.length + " more: marigram explain lists all.", box);
  };

  // list shows the decisions of the run: the first, and the others when that is asked for.
  const list = (all) => {
    const body = document.querySelector("#decisions tbody"), few = 25, shown = all ? run.decisions : run.decisions.slice(0, few);
    body.replaceChildren();
    byId("some").replaceChildren();
    if (shown.length < run.decisions.length) {
      const button = element("button", `Show all ${run.decisions.length}, not only the first ${few}`, byId("some"));
      button.type = "button";
      button.addEventListener("click", () => list(true));
    }
    for (const d of shown) {
      const row = element("tr", undefined, body);
      if (!d.changed) row.className = "same";
      const cell = (label, text) => {
        const td = element("td", text, row);
        td.dataset.label = label;
        return td;
      };
      cell("at", clock(d.at)).className = "n";
      cell("asked for", run.texts[d.trigger]);
      cell("plan", run.texts[d.plan]);
      weighed(d, cell("reason", run.texts[d.reason] || (d.changed ? "" : "as before")));
    }
  };

  const detail = (i) => {
    run = runs[i];
    byId("facts").textContent = run.name + ": " + run.facts.join("; ") + ".";
    draw();
    list();
  };

  // choose shows a case, in detail the run of the policy that was shown, or of the best.
  const choose = (i) => {
    const before = run && run.policy;
    runs = data.cases[i].runs.map((k) => data.runs[k]);
    compared = compare();
    byId("run").replaceChildren();
    runs.forEach((r, k) => { element("option", r.policy, byId("run")).value = k; });
    const at = Math.max(runs.findIndex((r) => r.policy === before), 0);
    byId("run").value = at;
    legend();
    detail(at);
  };

  byId("case").addEventListener("change", (e) => choose(e.target.value));
  byId("run").addEventListener("change", (e) => detail(e.target.value));
  for (const button of document.querySelectorAll("[data-do]"))
    button.addEventListener("click", () => {
      const { min, max } = plots[0].scales.x, w = max - min;
      const to = { in: [min + w / 4, max - w / 4], out: [min - w / 2, max + w / 2], left: [min - w / 2, max - w / 2], right: [min + w / 2, max + w / 2], all: [compared.at[0], 1e9] };
      zoom(...to[button.dataset.do]);
    });
  for (const media of ["(prefers-color-scheme: dark)", "print"]) matchMedia(media).addEventListener("change", draw);
  addEventListener("resize", () => { for (const u of plots) u.setSize({ width: u.root.parentElement.clientWidth, height: 190 }); });
  choose(byId("case").value);
})();
