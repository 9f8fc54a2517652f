// Runs the simulator beside the page.
"use strict";
importScripts("wasm_exec.js");

let ready;

onmessage = async ({ data: { id, what, args } }) => {
  try {
    if (!ready) {
      const go = new Go();
      ready = (async () => {
        const response = await fetch("marigram.wasm");
        if (!response.ok) throw new Error(`marigram.wasm: ${response.status}`);
        const { instance } = await WebAssembly.instantiate(await response.arrayBuffer(), go.importObject);
        go.run(instance); // it defines the functions and stays
      })();
    }
    await ready;
    postMessage({ id, answer: what ? self[what](...args) : "{}" });
  } catch (e) {
    postMessage({ id, answer: JSON.stringify({ error: String(e) }) });
  }
};
