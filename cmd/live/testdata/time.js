// Sizes of the playground's module, and the processor time that it takes in Node: make bench-playground.
"use strict";
const fs = require("fs"), zlib = require("zlib"), folder = process.argv[2];
require(fs.realpathSync(`${folder}/wasm_exec.js`));

const ms = (does) => {
  const before = process.cpuUsage(), answer = does(), { user, system } = process.cpuUsage(before);
  if (typeof answer === "string" && JSON.parse(answer).error) throw new Error(answer);
  return [answer, Math.round((user + system) / 1000)];
};

async function main() {
  const bytes = fs.readFileSync(`${folder}/marigram.wasm`), spec = fs.readFileSync(`${folder}/spec.json`, "utf8");
  console.log(`${(bytes.length / 1e6).toFixed(1)} MB, ${(zlib.gzipSync(bytes, { level: 9 }).length / 1e6).toFixed(1)} MB by gzip, ${(zlib.brotliCompressSync(bytes).length / 1e6).toFixed(1)} MB by brotli`);
  const go = new Go();
  go.run((await WebAssembly.instantiate(bytes, go.importObject)).instance);
  const [opened, took] = ms(() => marigramOpen(spec, fs.readFileSync(`${folder}/recorded.bin`))), { sliders } = JSON.parse(opened);
  console.log(`opened in ${took} ms`);
  const run = (what, ...settings) => {
    const given = JSON.stringify(settings);
    const [a, first] = ms(() => marigramPart(spec, given, 0, 2)), [b, second] = ms(() => marigramPart(spec, given, 1, 2));
    const [table, joined] = ms(() => marigramTable([a, b]));
    console.log(`${what}: ${JSON.parse(table).runs} runs; each half of the seeds ${first} and ${second} ms, the table ${joined} ms`);
  };
  for (let i = 0; i < 5; i++) run(`notice ${120 + i} s`, `market.replay.notice_s=${120 + i}`);
  for (const s of sliders) if (s.path.startsWith("policy.") && typeof s.value === "number") run(`${s.path} (${s.group})`, `${s.path}=${s.value < s.max ? s.value + (s.whole ? 1 : (s.max - s.value) / 100) : s.min}`, "market.replay.notice_s=124");
  process.exit(0);
}
main();
