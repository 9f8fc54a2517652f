// The page Try: a market, five numbers, and what the runs come to. Nothing is sent: the worker has the simulator.
"use strict";

const $ = (id) => document.getElementById(id), form = $("job"), largest = 64 << 20;
const waiting = new Map();
let last = 0, market = null;

const worker = new Worker("worker.js");
worker.onmessage = ({ data }) => {
  waiting.get(data.id)(data.answer);
  waiting.delete(data.id);
};

// ask asks the worker; an answer with an error is one.
const ask = (what, ...args) => new Promise((done, failed) => {
  waiting.set(++last, (text) => {
    const answer = JSON.parse(text);
    if (answer.error) failed(new Error(answer.error));
    else done(answer);
  });
  worker.postMessage({ id: last, what, args });
});

function fail(e) {
  $("error").textContent = e.message;
  $("status").textContent = "";
  document.body.dataset.failed = String(Number(document.body.dataset.failed || 0) + 1);
}

// use shows a market that was read.
function use(m, name) {
  market = m;
  const select = form.elements.type;
  select.replaceChildren(...m.types.map((t, i) => new Option(`${t.type} in ${t.region || "all regions"}: ${t.gpus} ${t.gpu}`, String(i))));
  $("types").hidden = m.types.length < 2;
  $("market").textContent = `${name}: ${(m.hours / 24).toFixed(1)} days of prices of ${[...new Set(m.types.map((t) => t.type))].join(", ")}`;
  chosen();
  $("go").disabled = false;
  $("status").textContent = "";
  $("error").textContent = "";
}

// chosen asks for the price on demand where the file's instance type has none that is known.
function chosen() {
  $("usd").hidden = !market || market.types[Number(form.elements.type.value)].usd > 0;
}

async function read(file) {
  form.elements.market.value = "file";
  $("go").disabled = true;
  try {
    if (file.size > largest) throw new Error(`${file.name} has ${file.size} bytes, expected at most ${largest}: fewer days, or marigram on your machine`);
    $("status").textContent = "The file is read.";
    use(await ask("marigramRead", file.name, new Uint8Array(await file.arrayBuffer())), file.name);
  } catch (e) {
    fail(e);
  }
  document.body.dataset.read = String(Number(document.body.dataset.read || 0) + 1);
}

async function recorded() {
  try {
    const response = await fetch("recorded.bin.gz");
    if (!response.ok) throw new Error(`recorded.bin.gz: ${response.status}`);
    use(await ask("marigramRecorded", "skynomad-aws-v100", new Uint8Array(await response.arrayBuffer())), "skynomad-aws-v100");
  } catch (e) {
    fail(e);
  }
  document.body.dataset.read = String(Number(document.body.dataset.read || 0) + 1);
}

async function simulate() {
  $("go").disabled = true;
  $("error").textContent = "";
  $("status").textContent = "Simulating.";
  $("page").hidden = $("save").hidden = true; // those of the last answer
  const number = (name) => Number(form.elements[name].value), began = performance.now();
  try {
    const { spec } = await ask("marigramSpec", JSON.stringify({ type: number("type"), gpus: number("gpus"), hours: number("hours"),
      everyS: 60 * number("every"), restartS: number("restart"), deadlineH: number("deadline"), usd: $("usd").hidden ? 0 : number("usd") }));
    const { verdict, assumptions, runs } = await ask("marigramRun", spec);
    $("verdict").textContent = verdict;
    $("assumptions").textContent = assumptions;
    $("assumptions").hidden = !assumptions;
    $("answer").hidden = false;
    $("spec").textContent = spec;
    $("command").textContent = "marigram run mine.yaml" + (spec.includes('"pulled:') ? " --pull" : "");
    const said = `${runs} runs in ${Math.round(performance.now() - began)} ms, in this browser`;
    $("status").textContent = `${said}. The figures are drawn.`;
    document.body.dataset.done = String(Number(document.body.dataset.done || 0) + 1);
    const { page } = await ask("marigramPage");
    $("page").hidden = $("save").hidden = false;
    $("page").srcdoc = page;
    URL.revokeObjectURL($("save").href);
    $("save").href = URL.createObjectURL(new Blob([page], { type: "text/html" }));
    $("status").textContent = `${said}; with figures ${Math.round(performance.now() - began)} ms.`;
    document.body.dataset.drawn = String(Number(document.body.dataset.drawn || 0) + 1);
  } catch (e) {
    fail(e);
  }
  $("go").disabled = false;
}

// The frame is as high as what it shows.
$("page").addEventListener("load", () => {
  const shown = $("page").contentDocument.documentElement, inside = $("page").contentWindow;
  const fit = () => { $("page").style.height = `${Math.ceil(shown.getBoundingClientRect().height) + 8}px`; };
  new inside.ResizeObserver(fit).observe(shown);
});
form.addEventListener("submit", (e) => {
  e.preventDefault();
  if (market) simulate();
});
form.elements.type.addEventListener("change", chosen);
$("file").addEventListener("change", () => $("file").files[0] && read($("file").files[0]));
for (const r of form.elements.market) r.addEventListener("change", () => r.checked && (r.value === "recorded" ? recorded() : $("file").files[0] ? read($("file").files[0]) : $("file").focus()));
$("drop").addEventListener("dragover", (e) => {
  e.preventDefault();
  $("drop").classList.add("over");
});
$("drop").addEventListener("dragleave", () => $("drop").classList.remove("over"));
$("drop").addEventListener("drop", (e) => {
  e.preventDefault();
  $("drop").classList.remove("over");
  if (e.dataTransfer.files[0]) read(e.dataTransfer.files[0]);
});
$("copy").addEventListener("click", () => navigator.clipboard.writeText($("spec").textContent).then(() => { $("copy").textContent = "Copied"; }, fail));

if ("recorded" in document.body.dataset) {
  $("ofsite").hidden = false;
  recorded();
} else {
  $("nosite").hidden = false;
  form.elements.market.value = "file";
  ask("").then(() => { $("status").textContent = "Choose a file of prices."; }, fail);
}
