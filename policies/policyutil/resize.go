package policyutil

import "slices"

// Resize returns a slice of n elements in the memory of another one, so that a policy that decides again allocates
// nothing. Elements keep what was there before.
func Resize[T any](memory []T, n int) []T { return slices.Grow(memory[:0], n)[:n] }
