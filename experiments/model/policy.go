package model

import (
	"reflect"

	"github.com/marigram/marigram/internal/fields"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// Policy is a policy of a spec.
type Policy struct {
	Name     string
	Needs    policies.Needs
	Settings map[string]any // that the spec gives it
	Own      any            // its keys of Kind.Own; nil where the kind has none
	Fleet    int            // most instances that it can hold at once

	// New makes the policy with its settings.
	New func() (sim.Policy, error)
}

// ownKeys is the keys that kinds have registered for policies: a struct of each kind with Kind.Own.
var ownKeys fields.Extension

// registerOwn makes the keys known that a policy has for jobs of a kind.
func registerOwn(k *Kind) {
	if k.Own == nil {
		return
	}
	ownKeys.Add(reflect.StructField{Name: ownField(k), Type: reflect.TypeOf(k.Own()).Elem(), Tag: `json:",inline"`})
}

func ownField(k *Kind) string { return "Own_" + k.Key }

// PolicySection is the part of a policy that kinds are registered for: what their jobs are under this policy. It is a
// field without a key (fields.Open).
type PolicySection struct {
	own any // a pointer to a struct of those that Kind.Own returns; nil until something is read into it
}

// Registered implements fields.Open.
func (s *PolicySection) Registered() reflect.Value {
	if s.own == nil {
		s.own = ownKeys.New().Addr().Interface()
	}
	return reflect.ValueOf(s.own).Elem()
}

// Of returns a pointer to the keys for jobs of a kind, as Kind.Own does; nil where the kind has none.
func (s *PolicySection) Of(k *Kind) any {
	if k == nil || k.Own == nil {
		return nil
	}
	return s.Registered().FieldByName(ownField(k)).Addr().Interface()
}

// Given returns which of the keys for jobs of a kind the policy has.
func (s *PolicySection) Given(k *Kind) (given []string) {
	own := s.Of(k)
	if own == nil {
		return nil
	}
	keys := reflect.ValueOf(own).Elem()
	for i := range keys.NumField() {
		if !keys.Field(i).IsNil() {
			given = append(given, fields.Key(keys.Type().Field(i)))
		}
	}
	return given
}
