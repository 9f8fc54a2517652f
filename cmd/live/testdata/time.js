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
  console.log(`opened in ${ms(() => marigramOpen(spec))[1]} ms`);
  for (let i = 1; i <= 5; i++) {
    const [a, first] = ms(() => marigramPart(spec, "[]", 0, 2)), [b, second] = ms(() => marigramPart(spec, "[]", 1, 2));
    const [table, joined] = ms(() => marigramTable([a, b]));
    console.log(`answer ${i}: ${JSON.parse(table).runs} runs; each half of the seeds ${first} and ${second} ms, the table ${joined} ms`);
  }
  process.exit(0);
}
main();
