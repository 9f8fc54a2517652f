//go:build !wasip1

package gomodule

import (
	"math"

	"github.com/marigram/marigram/policies/plugin/message"
)

// Serve says how to make the policy of a run. Call it in an init function. Outside of WebAssembly
// nobody asks.
func Serve(func() Policy) {}

// Ask asks how a job would do on n instances. Outside of WebAssembly, where a test may call a
// policy, nobody answers: numbers are absent.
func Ask(*message.Ask) message.Answer { return message.Answer{Type: "answer", Max: math.MaxInt32} }

// AskPool asks what was seen of a pool. Outside of WebAssembly nobody answers: it is nil.
func AskPool(*message.Ask) *message.PoolAnswer { return nil }

// Setting returns a setting of the spec, or a default.
func Setting(_ string, otherwise float64) float64 { return otherwise }

// SettingText returns a setting of the spec that is a name, or a default.
func SettingText(_, otherwise string) string { return otherwise }

// Random returns the n-th random number of the run, in [0, 1).
func Random(uint64) float64 { return 0 }
