// Runs the simulator beside the page, so that the page answers while it works.
"use strict";
importScripts("wasm_exec.js");

const ready = (async () => {
  const go = new Go();
  const response = await fetch("marigram.wasm");
  if (!response.ok) throw new Error("marigram.wasm: " + response.status);
  const { instance } = await WebAssembly.instantiate(await response.arrayBuffer(), go.importObject);
  go.run(instance); // it defines marigramOpen and marigramRun, and stays
})();

onmessage = async ({ data: { id, what, text, settings } }) => {
  try {
    await ready;
    const began = performance.now();
    const answer = what === "open" ? marigramOpen(text) : marigramRun(text, JSON.stringify(settings));
    postMessage({ id, answer: JSON.parse(answer), ms: performance.now() - began });
  } catch (e) {
    postMessage({ id, answer: { error: String(e) }, ms: 0 });
  }
};
