// Package python has what policies in Python begin with: marigram.py, and an example.
package python

import _ "embed"

// Module is marigram.py, which policies import: one file that needs the standard library alone.
//
//go:embed marigram.py
var Module []byte

// Example is a short policy.
//
//go:embed cheapest.py
var Example []byte

// Learner is a program that learns a policy in marigram.VectorEnv.
//
//go:embed learn.py
var Learner []byte

// Ticks is ticks.py, the adapter of policies that were written for the interface of Can't Be Late and
// Frontier-CS.
//
//go:embed ticks.py
var Ticks []byte

// TicksExample is a short policy for that interface.
//
//go:embed uniform.py
var TicksExample []byte
