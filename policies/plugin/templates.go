package plugin

import "embed"

// templates are what policies of your own begin with, in Python, C and Go: what they include, and short examples.
//
//go:embed templates/*.py templates/c/marigram.h templates/c/start.c templates/start.go.txt
var templates embed.FS

// Template returns a file that policies of your own begin with. It panics where there is none of the name. There are:
//
//	cheapest.py   a short policy in Python (package python has what it imports)
//	learn.py      a program that learns a policy in marigram.VectorEnv
//	uniform.py    a short policy for the interface of Can't Be Late and Frontier-CS (package python has its adapter)
//	c/marigram.h  what policies in C include, one file that needs no C library
//	c/start.c     a short policy in C
//	start.go.txt  a short policy in Go, to be compiled to WebAssembly (package gomodule)
func Template(name string) []byte {
	data, err := templates.ReadFile("templates/" + name)
	if err != nil {
		panic(err)
	}
	return data
}
