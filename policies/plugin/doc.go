// Package plugin is the door to policies that are not Go packages of this program: a process
// that answers on its standard output, or a WebAssembly module. Both get one message a
// decision, the view, and answer with one, the plan. docs/protocol.md describes the messages.
//
// Packages process and wasm carry the messages.
package plugin
