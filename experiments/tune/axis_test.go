package tune

import (
	"reflect"
	"testing"

	"github.com/marigram/marigram/experiments/spec"
	_ "github.com/marigram/marigram/papers/extensions"
)

var safePolicy = spec.Policy{Name: "spotdnn-safe"}

// A name alone stands for all names of a setting and for both values of a switch.
func TestAxesOfNames(t *testing.T) {
	for text, want := range map[string][]any{
		"policy.plan=one-cluster,any": {"one-cluster", "any"},
		"policy.plan":                 nil,
	} {
		a, err := parseAxis(text, &spec.Policy{Name: "ondemand"})
		if err != nil {
			t.Fatal(err)
		}
		if a.path != "policy.plan" || len(a.values) < 2 || want != nil && !reflect.DeepEqual(a.values, want) {
			t.Errorf("%s: %+v", text, a)
		}
	}
	switches, err := parseAxis("policy.revalidate", &spec.Policy{Name: "skynomad"})
	if err != nil || !reflect.DeepEqual(switches.values, []any{false, true}) {
		t.Errorf("%+v, %v", switches, err)
	}
	numbers, err := parseAxis("policy.reserve_s=5,7", &safePolicy)
	if err != nil || len(numbers.values) != 2 {
		t.Errorf("%+v, %v", numbers, err)
	}
}

// What is not an axis is an error, never a panic.
func FuzzParseAxis(f *testing.F) {
	for _, text := range []string{"policy.reserve_s=30..900", "policy.patience_s=30,120", "policy.slack", "a=b", "policy.=..", "=",
		"policy.slack=.nan...inf", "x=[", "0= ", "policy.slack=0..1e999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parseAxis(text, &safePolicy)
		if err != nil {
			return
		}
		if a.path == "" || len(a.values) == 0 {
			t.Errorf("%q: %+v", text, a)
		}
	})
}
