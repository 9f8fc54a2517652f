package spec

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/marigram/marigram/experiments/internal/document"
	"github.com/marigram/marigram/experiments/specs"
	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/policies"
)

// maxSpecBytes bounds a spec file; quantities are bounded where they are checked.
const maxSpecBytes = 64 << 10

// Builtin returns the names of the specs that come with marigram.
func Builtin() []string {
	entries, _ := specs.Studies.ReadDir(".")
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	sort.Strings(names)
	return names
}

// Open reads a spec, a file or one that comes with marigram by its name, with
// other values where settings say so.
func Open(name string, settings ...Setting) (*Spec, error) { return Reading{}.Open(name, settings...) }

// Open is Open in this way of reading.
func (r Reading) Open(name string, settings ...Setting) (*Spec, error) {
	data, err := store.ReadInput(name, maxSpecBytes)
	if store.InputAbsent(name) {
		data, inside := specs.Studies.ReadFile(name + ".yaml")
		if inside != nil {
			if name == "-" {
				return nil, errors.New("- is no file, expected /dev/stdin for the standard input")
			}
			builtin := Builtin()
			return nil, fmt.Errorf("%w (nor is it a spec that comes with marigram: %s)%s",
				err, strings.Join(builtin, ", "), registry.DidYouMean("\n", name, builtin))
		}
		return r.parse(name+".yaml", data, settings)
	}
	if err != nil {
		return nil, err
	}
	return r.parse(name, data, settings)
}

// Parse reads a spec from YAML, with other values where settings say so. Errors
// give file, line and column, an excerpt, and for an unknown key the nearest that
// is known; or the setting.
func Parse(name string, data []byte, settings ...Setting) (s *Spec, err error) {
	return Reading{}.parse(name, data, settings)
}

func (r Reading) parse(name string, data []byte, settings []Setting) (s *Spec, err error) {
	if len(data) > maxSpecBytes {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, maxSpecBytes)
	}
	defer document.Guard(name, &s, &err)
	doc, err := document.Parse(name, "a spec", data)
	if err != nil {
		return nil, err
	}
	doc.Hint = hint
	s = &Spec{Seed: 1, Seeds: 1, reading: r}
	if err := doc.Decode(s); err != nil {
		if isSweep(data) {
			return nil, fmt.Errorf("%w\nthis is a file of a sweep: marigram sweep %s --dry-run checks it, "+
				"marigram sweep %[2]s --out DIR runs it", err, name)
		}
		return nil, err
	}
	s.doc = *doc
	return s, s.complete(settings)
}

// hint helps whoever wrote a span with its unit where the key has the unit.
func hint(msg, value string) string {
	if _, err := policies.Named(value); err == nil {
		return fmt.Sprintf("\na policy is a section: {name: %s}; run --policy and -s policy take plain names", value)
	}
	d, err := ParseDuration(value)
	if err != nil || !strings.Contains(msg, "float64") {
		return ""
	}
	out := fmt.Sprintf("\nquantities are plain numbers in the unit that ends the key: %s is %v seconds", value,
		d.Seconds())
	if strings.Contains(msg, "Spec.Objectives") {
		out += fmt.Sprintf("; an objective may use within: %s instead", value)
	}
	return out
}

// isSweep reports whether a document has the keys that only files of sweeps have (package sweep).
func isSweep(data []byte) bool {
	var top map[string]any
	if err := yaml.Unmarshal(data, &top); err != nil {
		return false
	}
	for _, key := range []string{"base", "matrix", "zip"} {
		if _, has := top[key]; has {
			return true
		}
	}
	return false
}

// complete puts the settings in and gives what is left out its default.
func (s *Spec) complete(settings []Setting) error {
	for _, x := range settings {
		if x.ofPolicies() {
			continue
		}
		if err := s.apply(x); err != nil {
			return err
		}
	}
	if err := s.doc.Check(s); err != nil {
		return err
	}
	if err := s.readTimes(); err != nil {
		return err
	}
	s.defaults()
	if err := s.Validate(); err != nil {
		return err
	}
	for _, x := range settings { // before their settings
		if x.Path != policyPath {
			continue
		}
		if err := s.apply(x); err != nil {
			return err
		}
	}
	for _, g := range s.reading.Plugins {
		if err := s.AddPlugin(g); err != nil {
			return fmt.Errorf("--policy-command: %w", err)
		}
	}
	for _, x := range settings {
		if !IsPolicySetting(x.Path) {
			continue
		}
		if err := s.apply(x); err != nil {
			return err
		}
	}
	return nil
}

// defaultPrices gives prices that are constant the trace of the capacity, where they name none, and pools that have no
// spot instances the price on demand.
func (s *Spec) defaultPrices() {
	for i := range s.Market.Pools {
		p := &s.Market.Pools[i]
		if p.Quota != nil && *p.Quota == 0 && p.Prices == nil && s.Market.Synthetic == nil {
			p.Prices = &Series{USDPerH: p.OnDemandUSDPerH}
		}
		if p.Prices == nil || p.Capacity == nil {
			continue
		}
		constant := p.Prices.USDPerH > 0 && p.Prices.Trace == ""
		if constant && p.Capacity.Trace != "" {
			prices := *p.Prices
			prices.Trace = p.Capacity.Trace
			prices.Pool = p.Capacity.Pool
			p.Prices = &prices
		}
	}
}

func (s *Spec) defaults() {
	s.defaultPrices()
	s.Workload().setDefaults()
}
