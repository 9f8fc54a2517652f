package spec

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/model/parameterservers"
)

func TestSettings(t *testing.T) {
	s, err := Open("quickstart", Setting{Path: "market.replay.notice_s", Value: uint64(30)}, Setting{Path: "objectives.1.time_s", Value: 100.5},
		Setting{Path: "seeds", Value: uint64(7)}, Setting{Path: "policy", Value: []any{"spotdnn", "reactive"}}, Setting{Path: "policy.patience_s", Value: uint64(9)},
		Setting{Path: "market.pools.4.quota", Value: uint64(3)}, Setting{Path: "model.training.mode", Value: "bsp"},
		Setting{Path: "market.synthetic", Value: map[string]any{"zones": uint64(3)}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Market.Replay.NoticeS == nil || *s.Market.Replay.NoticeS != 30 || s.Market.Replay.Adapter != "count_cap" {
		t.Errorf("replay %+v, want a notice of 30 s and the rest as it was", s.Market.Replay)
	}
	_, job := s.kind()
	mode := job.(*parameterservers.Workers).Training.Mode
	if s.Objectives[1].TimeS != 100.5 || s.HorizonS != 7200 || s.Seeds != 7 ||
		*s.Market.Pools[4].Quota != 3 || mode != "bsp" {
		t.Errorf("%+v, want the settings, and what is derived from them", s)
	}
	if *s.Market.Synthetic != (Synthetic{Zones: 3}) {
		t.Errorf("synthetic %+v, want what was set and no more", s.Market.Synthetic)
	}
	want := "policies:\n  - name: spotdnn\n    settings:\n      patience_s: 9\n" +
		"  - name: reactive\n    settings:\n      patience_s: 9\n"
	if got := YAML(s.Policies...); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
}

// A setting of one policy is an element of its settings: of those that it has, or the first.
func TestSettingOfOnePolicy(t *testing.T) {
	const text = "name: x\nmodel: {published: spotdnn-resnet110}\nobjectives: [{loss: 0.6, within: 1h}]\n" +
		"policies: [{name: reactive, settings: {patience_s: 9}}, {name: spotdnn}]\n" +
		"market:\n  synthetic: {zones: 1}\n  pools: [{type: p3.2xlarge, quota: 2, on_demand_usd_per_h: 3}]\n"
	s, err := Parse("x.yaml", []byte(text), Setting{Path: "policies.0.settings.patience_s", Value: uint64(7)},
		Setting{Path: "policies.1.settings.patience_s", Value: uint64(8)})
	if err != nil {
		t.Fatal(err)
	}
	want := "policies:\n  - name: reactive\n    settings:\n      patience_s: 7\n" +
		"  - name: spotdnn\n    settings:\n      patience_s: 8\n"
	if got := YAML(s.Policies...); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	s, err = Parse("x.yaml", []byte(text), Setting{Path: "policy.patience_s", Value: uint64(5)},
		Setting{Path: "policy.spotdnn.patience_s", Value: uint64(6)})
	if err != nil {
		t.Fatal(err)
	}
	want = strings.NewReplacer("7", "5", "8", "6").Replace(want)
	if got := YAML(s.Policies...); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	if said := s.Warnings(); len(said) != 1 || !strings.Contains(said[0], "changes reactive, spotdnn; policy.reactive.") {
		t.Errorf("%q, want that the setting is of two policies", said)
	}
	for path, want := range map[string]string{
		"policy.spotdn.patience_s":         `no policy "spotdn", expected one of reactive, spotdnn`,
		"policy.spotdnn.patience":          `no setting "patience"`,
		"policies.0.settings.patience":     `has no setting "patience"`,
		"policies.0.settings.patience_s.x": "goes beyond a value",
	} {
		_, err := Parse("x.yaml", []byte(text), Setting{Path: path, Value: uint64(7)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

func TestBadSettings(t *testing.T) {
	for _, c := range []struct {
		path  string
		value any
		want  []string
	}{
		{"market.repaly.notice_s", 1, []string{`no key "repaly"`, `did you mean "replay"?`}},
		{"market.replay.notice_s", "30s", []string{"market.replay.notice_s: 30s", "is 30 seconds"}},
		{"market.replay.notice_s", -1, []string{"notice_s: -1, expected 0 to 86400", "quickstart.yaml:"}},
		{"market.replay.notice_s.x", 1, []string{"goes beyond a value"}},
		{"market.pools.5.quota", 1, []string{"no element \"5\""}},
		{"market.pools.x.quota", 1, []string{"no element \"x\""}},
		{"market.pools.0.quota", 1.5, []string{"1.5, expected a whole number"}},
		{"market.synthetic", map[string]any{"zone": 2}, []string{"unknown field", "zone"}},
		{"policies", []any{map[string]any{"name": "mdp", "grid": 96}}, []string{
			`policies[0]: unknown field "grid"`, "below its key settings: settings: {grid: 96}"}},
		{"policies", []any{map[string]any{"name": "mdp", "params": map[string]any{"grid": 96}}}, []string{
			`policies[0]: unknown field "params"`, "below its key settings, such as"}},
		{"policies", []any{map[string]any{"name": "mdp", "gird": 96}}, []string{"below its key settings: settings: {grid: ...}"}},
		{"policies", []any{map[string]any{"name": "mdp", "setings": 96}}, []string{`did you mean "settings"?`}},
		{"policies", []any{map[string]any{"name": "mdp", "answer_s": "a"}}, []string{"policies[0].answer_s: a, expected a number"}},
		{"policies", []any{"mdp"}, []string{"policies[0]: expected keys with values", "{name: mdp}"}},
		{"policies.0.grid", 96, []string{`no key "grid"; settings of a policy go below`}},
		{"market.pools", []any{map[string]any{"quota": 1.5}}, []string{"market.pools[0].quota: 1.5, expected a whole number"}},
		{"objectives.0.loss", 0.1, []string{"0.1, expected more than 0.5"}},
		{"policy", "spotdn", []string{`policy: unknown policy "spotdn"`, `did you mean "spotdnn"?`}},
		{"policy.patience", 1, []string{`none of the policies has a setting "patience"`}},
		{"policy.patience_s", "long", []string{"policy.patience_s: policy reactive: patience_s is long, expected a number"}},
		{"policy.patience_s", -1, []string{"patience_s is -1, expected 0 to 86400"}},
	} {
		_, err := Open("quickstart", Setting{Path: c.path, Value: c.value})
		if err == nil {
			t.Errorf("%s = %v is accepted", c.path, c.value)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s = %v: %q, want %q in it", c.path, c.value, err, want)
			}
		}
	}
}

// A 0 that would be taken for an absent key is refused in the file, as a setting, and within a section that is set; a
// section that is set without the key is not.
func TestZeros(t *testing.T) {
	const text = "name: x\nmodel: {published: spotdnn-resnet110}\nobjectives: [{loss: 0.6, within: 1h}]\nmarket:\n  synthetic: {zones: 1}\n  " +
		"pools: [{type: p3.2xlarge, quota: 2, on_demand_usd_per_h: 3}]\n"
	const many = "name: x\nmarket:\n  servers: [{gpu: a100, gpus: 4}]\njobs: {trace: jobs.csv}\npolicies: [{name: fifo}]\n"
	for _, x := range []struct{ text, set, want string }{
		{text, "market.synthetic.zones=0", "market.synthetic.zones: 0, expected 1 to 26"},
		{text, "market.synthetic={machines: 0}", "market.synthetic.machines: 0, expected 1 to 1000000"},
		{text, "market.synthetic={machines: 3}", ""},
		{strings.Replace(text, "zones: 1", "zones: 0", 1), "seed=2", "x.yaml:5:22: market.synthetic.zones: 0, expected 1 to 26"},
		{strings.Replace(text, "zones: 1", "zones: 0", 1), "market.synthetic={machines: 3}", ""},
		{text, "market.billing={checkpoint: {gb: 1, keep: 0}}", "market.billing.checkpoint.keep: 0, expected 1 to 1000000"},
		{many, "market.servers.0.count=0", "market.servers[0].count: 0, expected 1 to 65536"},
		{many, "market.servers=[{gpu: a100, gpus: 4, per_rack: 0}]", "market.servers[0].per_rack: 0, expected 1 to 65536"},
		{strings.Replace(many, "jobs.csv", "jobs.csv, limit: 0", 1), "seed=2", "x.yaml:4:32: jobs.limit: 0, expected 1 to 4194304"},
	} {
		set, err := ParseSetting(x.set)
		if err == nil {
			_, err = Parse("x.yaml", []byte(x.text), set)
		}
		if (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want+"; leave it out for the default") {
			t.Errorf("%s: %v, expected %q", x.set, err, x.want)
		}
	}
}

// What changes nothing is said of a section that is set, too, and of a cluster of servers of one's own.
func TestUnusedOfSettings(t *testing.T) {
	const text = "name: x\nmodel: {published: spotdnn-resnet110}\nobjectives: [{loss: 0.6, within: 1h}]\nmarket:\n  synthetic: {zones: 1}\n  " +
		"pools: [{type: p3.2xlarge, quota: 2, on_demand_usd_per_h: 3}]\n"
	const many = "name: x\nmarket:\n  servers: [{gpu: a100, gpus: 4}]\njobs: {trace: jobs.csv}\npolicies: [{name: fifo}]\n"
	for _, x := range []struct{ text, set, want string }{
		{text, "market.billing={disk_gb: 3}", "market.billing.disk_gb has no effect"},
		{text, "market.billing={disk_gb: 3, disk_usd_per_gb_month: 1}", ""},
		{many, "market.billing={storage_gb: 3, storage_usd_per_gb_month: 1}", "storage of many jobs is not charged"},
		{many, "market.billing={checkpoint: {gb: 3, usd_per_gb_month: 1}}", "market.billing.checkpoint has no effect"},
		{many, "market.boot={median_s: 3}", "market.boot has no effect"},
		{many, "market.replay.notice_s=3", "market.replay has no effect: there is no spot pool"},
		{strings.Replace(many, "gpus: 4}", "gpus: 4}, {gpu: a100, gpus: 4, on_demand: true}", 1), "market.boot={median_s: 3}", ""},
	} {
		set, err := ParseSetting(x.set)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Parse("x.yaml", []byte(x.text), set)
		if err != nil {
			t.Fatal(x.set, err)
		}
		if said := strings.Join(s.warnUnused(), "\n"); (x.want == "") != (said == "") || !strings.Contains(said, x.want) {
			t.Errorf("%s: %q is said, expected %q", x.set, said, x.want)
		}
	}
}

// An objective that any cluster of the spec meets before it trains is refused where it stands.
func TestObjectiveMetBeforeTraining(t *testing.T) {
	text := func(loss string) []byte {
		return []byte(`name: met
model: {published: spotdnn-resnet110}
objectives:
  - {loss: ` + loss + `, time_s: 7200}
policies: [{name: reactive}]
market:
  synthetic: {zones: 2}
  pools: [{type: p3.2xlarge, quota: 4, on_demand_quota: 4, on_demand_usd_per_h: 3.06}]
`)
	}
	_, err := Parse("met.yaml", text("54"))
	if err == nil || !strings.Contains(err.Error(), "met.yaml:4:") || !strings.Contains(err.Error(), "objectives[0].loss: 54, expected less than") {
		t.Errorf("%v", err)
	}
	if _, err := Parse("met.yaml", text("0.54")); err != nil {
		t.Error(err)
	}
}

// One policy under two names: each has its settings, what is set for all that have it is set in both, and names say
// nothing else.
func TestPolicyUnderTwoNames(t *testing.T) {
	text := func(policies string) []byte {
		return []byte(`
name: two
model: {published: spotdnn-resnet110, begin_loss: 4.6}
objectives: [{loss: 0.8, time_s: 7200}]
policies: [` + policies + `]
market:
  synthetic: {zones: 2}
  pools: [{type: p3.2xlarge, quota: 4, on_demand_quota: 4, on_demand_usd_per_h: 3.06}]
`)
	}
	const two = `{name: tight, policy: spotdnn-safe, settings: {reserve_s: 60}}, {name: wide, policy: spotdnn-safe}`
	s, err := Parse("two", text(two), Setting{Path: "policy.patience_s", Value: 30})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"tight", "wide"} {
		p := &s.Policies[i]
		if _, err := p.New(); err != nil || p.Name != want || p.Settings["patience_s"] != 30 {
			t.Errorf("%+v, %v", p, err)
		}
	}
	if s.Policies[0].Settings["reserve_s"] == s.Policies[1].Settings["reserve_s"] {
		t.Error("both have one reserve")
	}
	for policies, want := range map[string]string{
		`{name: tight, policy: spotdn}`:                                  `did you mean "spotdnn"`,
		`{name: reactive, policy: spotdnn}`:                              "is the name of a policy of marigram",
		`{name: tight, policy: spotdnn}, {name: tight, policy: spotdnn}`: "given twice",
		`{name: tight, policy: spotdnn, command: [a]}`:                   "next to command",
		`{name: tight, policy: fifo}`:                                    "scheduler of many jobs",
	} {
		if _, err := Parse("two", text(policies)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", policies, err, want)
		}
	}
}
