// Package judge compares policies of others with all of marigram's on a fixed set of studies.
//
// A Set is a versioned list of specs, each with its seeds or starts. Judge runs them and returns a Result: what
// each policy cost beside the least that any policy can cost in hindsight (package bound), how often it met
// the objective, and its rank with its interval. A set can be sealed for the owner of a Key, by
// anybody who has its Public part: its files are encrypted (HPKE, RFC 9180, with X25519, HKDF-SHA256 and AES-256-GCM), and
// what was judged by it is signed (Ed25519).
//
// A run that misses its objective also pays what the whole job costs under the policy ondemand, n times as the set
// says (Set.Late). A policy that is not for the model or the pools of a study counts there as ondemand.
package judge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/policies/plugin/confine"
	"github.com/marigram/marigram/policies/plugin/loader"
)

// ErrNotConfined says that a policy would not be kept from all that it should not see or do.
var ErrNotConfined = errors.New("this system cannot confine the program wholly")

// Judge runs a set with entries, policies that were handed in, beside all of marigram's that are for its studies.
// Each run of an entry knows of no other: its program is started for it, and confined. Where the system cannot do that
// wholly, an entry that is a program is an error (ErrNotConfined) unless the options allow it, and always on a sealed set.
// An entry that fails, or does not do the same when it is asked again, is out; that is no error.
func (s *Set) Judge(ctx context.Context, entries []*loader.Plugin, opt Options) (*Result, error) {
	records := map[string]*Entry{}
	for _, g := range entries {
		if records[g.Name] != nil {
			return nil, fmt.Errorf("two policies are called %s; give one another name: other=%s", g.Name, "COMMAND")
		}
		record, err := s.admit(g, opt.Unconfined)
		if err != nil {
			return nil, fmt.Errorf("policy %s: %w", g.Name, err)
		}
		if g.Sandbox != nil {
			defer g.Sandbox.Close()
		}
		records[g.Name] = record
	}
	t := &trial{options: opt, entries: entries}
	var left []LeftOut
	var err error
	if t.studies, left, err = s.open(entries, opt.Slow); err != nil {
		return nil, err
	}
	if err := t.run(ctx); err != nil {
		return nil, err
	}
	r := &Result{Format: Format, Set: SetRecord{s.Name, s.Version, s.SHA256, s.Sealed, s.Late, left}}
	if r.Policies, r.Studies, r.With, err = t.ranking(s.Late); err != nil {
		return nil, err
	}
	for i := range r.Policies {
		r.Policies[i].Entry = records[r.Policies[i].Policy]
	}
	r.warn()
	return r, nil
}

// admit makes an entry ready to be run, and says what it is.
func (s *Set) admit(g *loader.Plugin, unconfined bool) (*Entry, error) {
	missing := confine.Missing()
	if err := s.refuse(missing, unconfined); err != nil {
		return nil, err
	}
	if confine.Means() == "" {
		sum, err := g.SHA256()
		return &Entry{sum, "not confined", missing}, err
	}
	if err := g.Confine(); err != nil {
		return nil, err
	}
	return &Entry{g.Sandbox.SHA256, confine.Means(), missing}, nil
}

// refuse is an error where programs could do what is missing and nobody allowed that.
func (s *Set) refuse(missing []string, unconfined bool) error {
	switch can := strings.Join(missing, "; "); {
	case len(missing) == 0:
		return nil
	case s.Sealed:
		return fmt.Errorf("%w; it could: %s. A sealed set takes programs on Linux 5.13 or later with namespaces and seccomp",
			ErrNotConfined, can)
	case !unconfined:
		return fmt.Errorf("%w; it could: %s. Allow it with --unconfined", ErrNotConfined, can)
	}
	return nil
}

// warn says why the result may mislead.
func (r *Result) warn() {
	add := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(r.Warnings, text) {
			r.Warnings = append(r.Warnings, text)
		}
	}
	for _, x := range r.Set.LeftOut {
		add("study %s is left out: %s", x.Study, x.Why)
	}
	for i := range r.Studies {
		x := &r.Studies[i]
		if doubt := intervals.Doubt(x.independent(), x.Unit); doubt != "" {
			add("%s, %s: %s", x.Study, x.Objective, doubt)
		}
		if x.Hopeless > 0 {
			add("%s, %s: no policy can end %d more runs in time; they do not count", x.Study, x.Objective, x.Hopeless)
		}
	}
	for i := range r.Policies {
		if e := r.Policies[i].Entry; e != nil && len(e.NotConfined) > 0 {
			add("policy %s is not confined wholly; it could: %s", r.Policies[i].Policy, strings.Join(e.NotConfined, "; "))
		}
	}
}
