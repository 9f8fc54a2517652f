// Package cguest has greedy in C, compiled to WebAssembly; src has marigram.h, with which policies in C begin, and its source.
package cguest

import _ "embed"

// Greedy is the module of src/greedy.c.
//
//go:embed greedy.wasm
var Greedy []byte
