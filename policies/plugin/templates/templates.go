// Package templates has what policies of your own begin with, in Python, C and Go: what they include, and short examples.
package templates

import _ "embed"

// Python is marigram.py, which policies import: one file that needs the standard library alone. Cheapest is a short policy.
var (
	//go:embed marigram.py
	Python []byte
	//go:embed cheapest.py
	Cheapest []byte
)

// Learner is a program that learns a policy in marigram.VectorEnv.
//
//go:embed learn.py
var Learner []byte

// Ticks is ticks.py, the adapter of policies that were written for the interface of Can't Be Late and Frontier-CS. Uniform is
// a short policy for that interface.
var (
	//go:embed ticks.py
	Ticks []byte
	//go:embed uniform.py
	Uniform []byte
)

// Header is marigram.h, which policies in C include: one file that needs no C library. C is a short policy.
var (
	//go:embed c/marigram.h
	Header []byte
	//go:embed c/start.c
	C []byte
)

// Go is a short policy in Go, to be compiled to WebAssembly (package gomodule).
//
//go:embed start.go.txt
var Go []byte
