package policies_test

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/policies"
)

// bad is what a setting does not take.
func bad(s *policies.Setting) any {
	switch s.Value.(type) {
	case bool:
		return "yes"
	case string:
		return "no such name"
	}
	return s.Max + 1
}

// last is the last of the values that a setting takes.
func last(s *policies.Setting) any {
	switch s.Value.(type) {
	case bool:
		return true
	case string:
		return s.Names[len(s.Names)-1]
	}
	return s.Max
}

func TestSettings(t *testing.T) {
	for _, info := range policies.List() {
		p := info.Defaults()
		for _, s := range policies.Settings(p) {
			if err := s.Set(bad(&s)); err == nil || !strings.Contains(err.Error(), s.Expected()) {
				t.Errorf("%s: %s takes %v: %v", info.Name, s.Name, bad(&s), err)
			}
			if err := s.Set(last(&s)); err != nil {
				t.Errorf("%s: %v", info.Name, err)
			}
		}
		for _, s := range policies.Settings(p) {
			if s.Value != last(&s) {
				t.Errorf("%s: %s was set to %v and is %v", info.Name, s.Name, last(&s), s.Value)
			}
		}
	}
	if _, err := policies.New("spotdn"); err == nil || !strings.Contains(err.Error(), "spotdnn") {
		t.Errorf("got %v", err)
	}
}

func TestBadSettings(t *testing.T) {
	for _, c := range []struct {
		policy string
		set    map[string]any
		want   string
	}{
		{"checkpoint", map[string]any{"rule": "dally"},
			"policy checkpoint: rule is dally, expected young, daly-first, daly or exact"},
		{"checkpoint", map[string]any{"rule": 4}, "rule is 4, expected young, daly-first, daly or exact"},
		{"checkpoint", map[string]any{"rule": true}, "rule is true, expected young, daly-first, daly or exact"},
		{"checkpoint", map[string]any{"save_on_notice": 2}, "save_on_notice is 2, expected true or false"},
		{"checkpoint", map[string]any{"save_on_notice": 0.5}, "save_on_notice is 0.5, expected true or false"},
		{"checkpoint", map[string]any{"interval_s": "60"}, "interval_s is 60, expected a number"},
		{"checkpoint", map[string]any{"interval_s": true}, "interval_s is true, expected a number"},
		{"checkpoint", map[string]any{"interval_s": nil}, "interval_s is <nil>, expected a number"},
		{"checkpoint", map[string]any{"interval_s": 0.5}, "interval_s is 0.5, expected 0 or at least 1"},
		{"checkpoint", map[string]any{"interval_s": -1}, "interval_s is -1, expected 0 to 604800"},
		{"checkpoint", map[string]any{"instances": 1.5}, "instances is 1.5, expected a whole number"},
		{"checkpoint", map[string]any{"save_on_notice": 1}, "save_on_notice is 1, expected true or false"},
		{"bamboo", map[string]any{"spread": true}, `policy bamboo has no setting "spread"; it has instances, risk`},
		{"fixed", map[string]any{"patience_s": 1}, `policy fixed has no setting "patience_s"; it has instances, replace`},
	} {
		p, err := policies.New(c.policy)
		if err != nil {
			t.Fatal(err)
		}
		if err := policies.Configure(p, c.set); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %q", c.set, err, c.want)
		}
	}
}
