// Package templates has what policies of your own begin with, in Python, C and Go: what they include, and short examples.
package templates

import _ "embed"

// Cheapest is a short policy in Python.
//
//go:embed cheapest.py
var Cheapest []byte

// Learner is a program that learns a policy in marigram.VectorEnv.
//
//go:embed learn.py
var Learner []byte

// Uniform is a short policy in Python for the interface of Can't Be Late and Frontier-CS (package python has its adapter).
//
//go:embed uniform.py
var Uniform []byte

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
