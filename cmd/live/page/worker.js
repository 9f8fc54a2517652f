// Runs the simulator beside the page, so that the page answers while it works. The page sends the compiled module first.
"use strict";
importScripts("wasm_exec.js");

let ready;

onmessage = async ({ data: { id, what, module, args } }) => {
  try {
    if (what === "load") {
      const go = new Go();
      ready = WebAssembly.instantiate(module, go.importObject).then((instance) => {
        go.run(instance); // it defines marigramOpen, marigramPart and marigramTable, and stays
      });
      await ready;
      postMessage({ id, answer: "{}" });
      return;
    }
    await ready;
    const does = { open: () => marigramOpen(...args), part: () => marigramPart(...args), table: () => marigramTable(...args) };
    const answer = does[what]();
    postMessage({ id, answer }, answer.buffer ? [answer.buffer] : []);
  } catch (e) {
    postMessage({ id, answer: JSON.stringify({ error: String(e) }) });
  }
};
