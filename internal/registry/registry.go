// Package registry keeps what is known by name, such as policies, formats and models. The error of an unknown name says
// which one was meant, or lists them all.
package registry

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/marigram/marigram/internal/gone"
)

// Registry holds values by name, in the order of the names. Packages add theirs in init functions; then it is only
// read.
type Registry[T any] struct {
	what   string
	names  []string
	values []T
}

// New returns an empty registry. Errors call a value of it what, for instance "policy".
func New[T any](what string) *Registry[T] { return &Registry[T]{what: what} }

// Of returns a registry of a list, with the names that name gives. It panics as Add does.
func Of[T any](what string, name func(T) string, list ...T) *Registry[T] {
	made := New[T](what)
	for _, value := range list {
		made.Add(name(value), value)
	}
	return made
}

// Add adds a value. It panics where the name is empty, or taken.
func (r *Registry[T]) Add(name string, x T) {
	at, taken := slices.BinarySearch(r.names, name)
	if name == "" || taken {
		panic(fmt.Sprintf("%s %q: expected a name that no other %[1]s has", r.what, name))
	}
	r.names = slices.Insert(r.names, at, name)
	r.values = slices.Insert(r.values, at, x)
}

// Get returns the value of a name, false where there is none.
func (r *Registry[T]) Get(name string) (x T, known bool) {
	at, known := slices.BinarySearch(r.names, name)
	if known {
		x = r.values[at]
	}
	return x, known
}

// Named is Get with the error of Unknown.
func (r *Registry[T]) Named(name string) (T, error) {
	value, known := r.Get(name)
	if !known {
		return value, Unknown(r.what, name, r.names)
	}
	return value, nil
}

// Names returns the names, sorted.
func (r *Registry[T]) Names() []string { return slices.Clone(r.names) }

// All returns the values in the order of their names.
func (r *Registry[T]) All() []T { return slices.Clone(r.values) }

// Unknown is the error of a name that is not known: what to use instead where it is gone, or the nearest one, or
// where none is near all of them.
func Unknown(what, name string, known []string) error {
	if sentence := gone.Instead(what, name); sentence != "" {
		return errors.New(sentence)
	}
	if hint := DidYouMean("; ", name, known); hint != "" {
		return fmt.Errorf("unknown %s %q%s", what, name, hint)
	}
	return fmt.Errorf("unknown %s %q, expected one of: %s", what, name, strings.Join(known, ", "))
}

// DidYouMean asks for the nearest name, behind the separator; it is empty where none is near.
func DidYouMean(separator, name string, known []string) string {
	if near := Nearest(name, known); near != "" {
		return fmt.Sprintf("%sdid you mean %q?", separator, near)
	}
	return ""
}

// Nearest returns the candidate nearest to name in spelling, "" if none is near: one that has nothing of it is not.
func Nearest(name string, candidates []string) string {
	best := ""
	smallest := min(max(2, len(name)/3)+1, max(len(name), 1))
	for _, candidate := range candidates {
		edits := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(candidate))
		if edits < smallest {
			best = candidate
			smallest = edits
		}
	}
	return best
}
