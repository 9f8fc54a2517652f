// Settings as sliders, and what the runs come to under them. No framework, no network but this folder.
"use strict";

const $ = (id) => document.getElementById(id);
const waiting = new Map();
let last = 0;

// One worker a processor: they share the starts and seeds of the runs.
const workers = Array.from({ length: Math.max(1, Math.min(navigator.hardwareConcurrency || 1, 8)) }, () => {
  const worker = new Worker("worker.js");
  worker.onmessage = ({ data }) => {
    waiting.get(data.id)(data.answer);
    waiting.delete(data.id);
  };
  worker.onerror = (e) => fail(e.message);
  return worker;
});

// ask asks a worker; the answer is JSON, or the bytes of a part.
function ask(worker, message) {
  return new Promise((answered) => {
    waiting.set(++last, answered);
    worker.postMessage({ id: last, ...message });
  });
}

async function get(file) {
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file}: ${response.status}`);
  return response;
}

// load compiles the simulator once, for all workers.
async function load() {
  const module = await WebAssembly.compile(await (await get("marigram.wasm")).arrayBuffer());
  const answers = await Promise.all(workers.map((w) => ask(w, { what: "load", module })));
  const bad = answers.map(JSON.parse).find((a) => a.error);
  if (bad) throw new Error(bad.error);
}

// simulate runs the spec under settings, the starts and seeds shared by all workers, and returns the table.
async function simulate() {
  const given = JSON.stringify([...changed].map(([path, value]) => `${path}=${JSON.stringify(value)}`));
  const parts = await Promise.all(workers.map((w, i) => ask(w, { what: "part", args: [text, given, i, workers.length] })));
  const bad = parts.find((p) => typeof p === "string"); // an error, as JSON
  return JSON.parse(bad || await ask(workers[0], { what: "table", args: [parts] }));
}

function fail(text) {
  $("error").textContent = text;
  $("status").textContent = "";
}

let text = "", sliders = [], busy = false, again = false;
const changed = new Map(); // path to value

// settings are what differs from the spec, as marigram run -s takes it.
const settings = () => [...changed].map(([path, value]) => `${path}=${value}`);

async function run() {
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  do {
    again = false;
    $("status").textContent = "Simulating.";
    const given = settings();
    const began = performance.now();
    const answer = await simulate();
    const ms = performance.now() - began;
    $("command").textContent = ["marigram run spec.yaml", ...given.map((s) => `-s ${s}`)].join(" ");
    if (answer.error) {
      fail(answer.error);
      continue;
    }
    $("error").textContent = "";
    $("table").textContent = answer.table;
    $("status").textContent = `${answer.runs} runs in ${Math.round(ms)} ms, in this browser.`;
    const doubts = answer.warnings || [];
    $("doubts").hidden = doubts.length === 0;
    $("doubts").firstElementChild.textContent = `${doubts.length} warnings`;
    $("warnings").textContent = doubts.join("\n");
  } while (again);
  busy = false;
  document.body.dataset.done = String(Number(document.body.dataset.done || 0) + 1);
}

function show(s, label, output, value) {
  if (String(value) === String(s.value)) changed.delete(s.path);
  else changed.set(s.path, value);
  output.textContent = typeof value === "number" ? String(value) : "";
  label.classList.toggle("changed", changed.has(s.path));
}

function control(s) {
  const label = document.createElement("label"), name = document.createElement("span"), output = document.createElement("output");
  name.textContent = s.label;
  label.title = s.doc || "";
  label.append(name, output);
  let input;
  if (s.names) {
    input = document.createElement("select");
    for (const n of s.names) input.add(new Option(n, n, n === s.value, n === s.value));
  } else {
    input = document.createElement("input");
    input.type = typeof s.value === "boolean" ? "checkbox" : "range";
    if (input.type === "checkbox") input.checked = s.value;
    else {
      const span = (s.max || 0) - (s.min || 0);
      Object.assign(input, { min: s.min || 0, max: s.max || 0, step: s.whole ? Math.max(1, Math.pow(10, Math.floor(Math.log10(span / 100 || 1)))) : "any", value: s.value });
    }
  }
  input.name = s.path;
  const read = () => {
    if (s.names) return input.value;
    if (input.type === "checkbox") return input.checked;
    const x = Number(input.value);
    return s.whole ? Math.round(x) : Number(x.toPrecision(4));
  };
  show(s, label, output, s.value);
  input.addEventListener("input", () => {
    show(s, label, output, read());
    run();
  });
  label.append(input);
  return label;
}

async function start() {
  let traces;
  try {
    text = await (await get("spec.json")).text();
    traces = new Uint8Array(await (await get("recorded.bin")).arrayBuffer());
    await load();
  } catch (e) {
    return fail(e.message);
  }
  const answers = (await Promise.all(workers.map((w) => ask(w, { what: "open", args: [text, traces] })))).map(JSON.parse);
  const answer = answers.find((a) => a.error) || answers[0];
  if (answer.error) return fail(answer.error);
  $("name").textContent = answer.name;
  $("about").textContent = answer.about || "";
  document.title = answer.name + " – marigram";
  sliders = answer.sliders;
  const groups = new Map();
  for (const s of sliders) {
    if (!groups.has(s.group)) {
      const set = document.createElement("fieldset"), legend = document.createElement("legend");
      legend.textContent = s.group;
      set.append(legend);
      groups.set(s.group, set);
      $("settings").append(set);
    }
    groups.get(s.group).append(control(s));
  }
  const reset = document.createElement("button");
  reset.type = "button";
  reset.textContent = "As in the spec";
  reset.addEventListener("click", () => {
    changed.clear();
    $("settings").replaceChildren();
    for (const g of groups.values()) g.replaceChildren(g.firstElementChild);
    for (const s of sliders) groups.get(s.group).append(control(s));
    $("settings").append(...groups.values(), reset);
    run();
  });
  $("settings").append(reset);
  $("settings").addEventListener("submit", (e) => e.preventDefault());
  await run();
}

start();
