// Package cguest has greedy in C, compiled to WebAssembly, and what policies in C begin with: marigram.h, and an example.
package cguest

import _ "embed"

// Greedy is the module of src/greedy.c.
//
//go:embed greedy.wasm
var Greedy []byte

// Header is marigram.h, which policies in C include: one file that needs no C library.
//
//go:embed src/marigram.h
var Header []byte

// Example is a short policy in C.
//
//go:embed src/start.c
var Example []byte
