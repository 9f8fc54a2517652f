package spec

import (
	"reflect"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/specs"
)

const formerSpec = `name: former
model: {published: spotdnn-resnet110, training: &own {spread: 0.2}}
objectives:
  - {loss: 0.8, time_s: 2400}
market:
  synthetic: {zones: 1}
  boot: {median_s: 60, "spread": 0.3}
  pools:
    - type: p3.2xlarge
      quota: 2
      on_demand_usd_per_h: 3.06
      replay: {adapter: launch_only, life: {law: exponential, mean_h: 2}}
`

// Former names of keys are read as the present ones, with a warning for each; errors
// show the text as it is written.
func TestFormerKeys(t *testing.T) {
	old, err := Parse("old.yaml", []byte(formerSpec))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(old.Warnings()); n != 3 {
		t.Errorf("warnings %q, expected 3: of spread, life and law", old.Warnings())
	}
	present := strings.NewReplacer("spread", "sigma", "life:", "lifetime:", "law", "distribution").Replace(formerSpec)
	now, err := Parse("new.yaml", []byte(present))
	if err != nil || len(now.Warnings()) > 0 {
		t.Fatal(err, now.Warnings())
	}
	if !reflect.DeepEqual(old.Market, now.Market) || !reflect.DeepEqual(old.Model, now.Model) || *now.Market.Boot.Sigma != 0.3 {
		t.Errorf("%+v, want %+v", old, now)
	}
	for text, want := range map[string]string{
		strings.Replace(formerSpec, `"spread": 0.3`, `"spread": -0.3`, 1):      `old.yaml:7:34: market.boot.sigma: -0.3, expected 0 to 3`,
		strings.Replace(formerSpec, `"spread": 0.3`, `spread: 1, sigma: 1`, 1): `duplicate key "sigma"`,
	} {
		if _, err := Parse("old.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}
}

// Settings by path know former names too, in the path and in the value.
func TestFormerPaths(t *testing.T) {
	for _, x := range []Setting{{"market.boot.spread", 0.3}, {"market.boot", map[string]any{"spread": 0.3}}} {
		s, err := Open("quickstart", x)
		if err != nil || s.Market.Boot.Sigma == nil || *s.Market.Boot.Sigma != 0.3 || len(s.Warnings()) != 1 {
			t.Errorf("%v: %v, %+v, %q", x, err, s.Market.Boot, s.Warnings())
		}
	}
}

// Settings of policies know former names and numbers, in the file and by path; a
// path that sets what the file sets by its former name replaces it.
func TestFormerPolicySettings(t *testing.T) {
	data, err := specs.Studies.ReadFile("shrinking-fleet.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("rule: daly", "rule: 2", "{name: bamboo,", "{name: bamboo, settings: {spread: 0},").Replace(string(data))
	s, err := Parse("old.yaml", []byte(text), Setting{"policy.across_zones", true}, Setting{"policy.rule", uint64(3)})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"rule: 2 is now written rule: daly", "spread is now called across_zones", "across_zones: 0 is now written across_zones: false",
		"rule: 3 is now written rule: exact"}
	if got := s.Warnings(); len(got) != len(want) {
		t.Errorf("warnings %q, want those of %q", got, want)
	}
	for _, w := range want {
		if !strings.Contains(strings.Join(s.Warnings(), "\n"), w) {
			t.Errorf("warnings %q, want %q among them", s.Warnings(), w)
		}
	}
	if set := s.Policies[3].Settings; len(set) != 1 || set["across_zones"] != true {
		t.Errorf("bamboo's settings are %v, want what the path says alone", set)
	}
}
