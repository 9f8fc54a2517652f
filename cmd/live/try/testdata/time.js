// The time of Try without a browser: node time.js FOLDER, of the module and wasm_exec.js. A file of 40 days in two zones is read and run twice.
"use strict";
const fs = require("fs"), { performance } = require("perf_hooks"), folder = require("path").resolve(process.argv[2]);
require(folder + "/wasm_exec.js");

// timed prints the time and the processor time, all threads, of a call.
const timed = (what, f) => {
  const wall = performance.now(), cpu = process.cpuUsage();
  const out = JSON.parse(f()), { user, system } = process.cpuUsage(cpu);
  if (out.error) throw new Error(out.error);
  console.log(`${what}: ${Math.round(performance.now() - wall)} ms, ${Math.round((user + system) / 1e3)} ms of processor time`);
  return out;
};

const rows = [];
for (let h = 0; h < 40 * 24; h++) {
  for (const zone of ["us-east-1a", "us-east-1b"]) {
    rows.push({ AvailabilityZone: zone, InstanceType: "p3.2xlarge", ProductDescription: "Linux/UNIX", SpotPrice: (1 + (h % 30) / 100).toFixed(2),
      Timestamp: new Date(Date.UTC(2026, 0, 1) + h * 3600e3).toISOString().replace(".000", "") });
  }
}
const go = new Go();
WebAssembly.instantiate(fs.readFileSync(folder + "/marigram.wasm"), go.importObject).then(({ instance }) => {
  go.run(instance);
  timed("read", () => marigramRead("prices.json", new TextEncoder().encode(JSON.stringify({ SpotPriceHistory: rows }))));
  const job = JSON.stringify({ type: 0, gpus: 4, hours: 10, everyS: 1800, restartS: 300, deadlineH: 15, usd: 0 });
  for (const time of ["first", "second"]) {
    const { spec } = timed(time + " spec", () => marigramSpec(job));
    const { runs } = timed(time + " verdict", () => marigramRun(spec));
    timed(`${time} figures (${runs} runs)`, () => marigramPage());
  }
  process.exit(0);
});
