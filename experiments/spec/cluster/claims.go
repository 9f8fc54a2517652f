package cluster

import (
	"fmt"
	"reflect"

	"github.com/marigram/marigram/internal/fields"
)

// Claims is keys of jobs that a package has registered: what users ask of a scheduler beside GPUs. A pointer to a
// struct implements it, whose fields have the keys.
type Claims interface {
	// Key is the key without which the others mean nothing.
	Key() string
	// Given reports whether a spec has that key.
	Given() bool
	// Files are those that the keys name.
	Files() []string
	// Open reads what the keys name. Path returns the path of a file that the spec names.
	Open(path func(name string) string) (Claimant, error)
}

// Claimant knows what users ask. It is safe for concurrent use.
type Claimant interface {
	// Claim returns what a job asks of its scheduler (sim.Job.Claim), and in which queue it is. The result must not
	// change.
	Claim(user, vc, kind string) (claim any, queue string, err error)
	// Warnings are why what was read may mislead.
	Warnings() []string
}

var claimKeys fields.Extension

// RegisterClaims makes keys of jobs known, by a name of its own. It is for init functions.
func RegisterClaims[T any](name string) {
	if _, is := any(new(T)).(Claims); !is {
		panic(fmt.Sprintf("cluster: %T is no Claims", new(T)))
	}
	claimKeys.Add(reflect.StructField{Name: "Claims_" + name, Type: reflect.TypeFor[T](), Tag: `json:",inline"`})
}

// ClaimsSection is the keys of jobs that packages have registered. It is a field without a key (fields.Open).
type ClaimsSection struct {
	made any // a pointer to a struct of the registered ones; nil until something is read into it
}

// Registered implements fields.Open.
func (s *ClaimsSection) Registered() reflect.Value {
	if s.made == nil {
		s.made = claimKeys.New().Addr().Interface()
	}
	return reflect.ValueOf(s.made).Elem()
}

// Chosen returns the claims that a spec has, nil if it has none.
func (s *ClaimsSection) Chosen() Claims {
	all := s.Registered()
	for i := range all.NumField() {
		if c := all.Field(i).Addr().Interface().(Claims); c.Given() {
			return c
		}
	}
	return nil
}

// UnmarshalYAML decodes the keys of the struct and those that packages have registered.
func (j *Jobs) UnmarshalYAML(decode func(any) error) error { return fields.Decode(j, decode) }

// MarshalYAML returns them.
func (j *Jobs) MarshalYAML() (any, error) { return fields.Plain(j), nil }
