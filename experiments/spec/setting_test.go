package spec

import (
	"reflect"
	"strings"
	"testing"
)

func TestSettings(t *testing.T) {
	s, err := Open("quickstart", Setting{"market.replay.notice_s", uint64(30)}, Setting{"objectives.1.time_s", 100.5},
		Setting{"seeds", uint64(7)}, Setting{"policy", []any{"spotdnn", "reactive"}}, Setting{"policy.patience_s", uint64(9)},
		Setting{"market.pools.4.quota", uint64(3)}, Setting{"model.training.mode", "bsp"}, Setting{"market.synthetic", map[string]any{"zones": uint64(3)}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Market.Replay.NoticeS == nil || *s.Market.Replay.NoticeS != 30 || s.Market.Replay.Adapter != "count_cap" {
		t.Errorf("replay %+v, want a notice of 30 s and the rest as it was", s.Market.Replay)
	}
	if s.Objectives[1].TimeS != 100.5 || s.HorizonS != 7200 || s.Seeds != 7 || *s.Market.Pools[4].Quota != 3 || s.Model.Training.Mode != "bsp" {
		t.Errorf("%+v, want the settings, and what is derived from them", s)
	}
	if *s.Market.Synthetic != (Synthetic{Zones: 3}) {
		t.Errorf("synthetic %+v, want what was set and no more", s.Market.Synthetic)
	}
	want := []Policy{{Name: "spotdnn", Settings: map[string]any{"patience_s": uint64(9)}}, {Name: "reactive", Settings: map[string]any{"patience_s": uint64(9)}}}
	if !reflect.DeepEqual(s.Policies, want) {
		t.Errorf("policies %+v, want %+v", s.Policies, want)
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
		{"objectives.0.loss", 0.1, []string{"0.1, expected more than 0.5"}},
		{"policy", "spotdn", []string{`policy: unknown policy "spotdn"`, `did you mean "spotdnn"?`}},
		{"policy.patience", 1, []string{`none of the policies has a setting "patience"`}},
		{"policy.patience_s", "long", []string{"policy.patience_s: policy reactive: patience_s is long, expected a number"}},
		{"policy.patience_s", -1, []string{"patience_s is -1, expected 0 to 86400"}},
	} {
		_, err := Open("quickstart", Setting{c.path, c.value})
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
