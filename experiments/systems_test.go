package experiments

import (
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/traces"
)

// thirty machines, of which one goes every half hour.
func shrinkingSet(hours int64) *traces.Set {
	s := &traces.Set{Pools: make([]traces.Pool, 1)}
	for i := range 30 {
		s.InstanceEvents = append(s.InstanceEvents, traces.InstanceEventRow{InstanceID: string(rune('A' + i)), Kind: traces.KindRunning})
	}
	for i := range min(2*hours-1, 15) {
		s.InstanceEvents = append(s.InstanceEvents, traces.InstanceEventRow{T: (i + 1) * 1800e6, InstanceID: string(rune('A' + i)), Kind: traces.KindTerminate})
	}
	s.Manifest.TEndUs = hours * 3600e6
	return s
}

// Every system gets a run from every start, and books all of its time; on a fleet
// that loses a machine every half hour Oobleck trains most and Bamboo least.
func TestSystems(t *testing.T) {
	study := Systems{Network: "BERT-Large", USDPerH: 1, Boot: 45 * time.Second, Every: time.Hour, Span: 3 * time.Hour,
		Interval: 10 * time.Minute, Prior: time.Hour, Settle: 30 * time.Second, Snapshot: 0.1}
	rows, err := study.Run(shrinkingSet(5))
	if err != nil || len(rows) != 5*3 {
		t.Fatalf("%d runs, %v", len(rows), err)
	}
	samples := map[string]float64{}
	for _, s := range rows {
		samples[s.Policy] += s.Samples
		if s.Preemptions != 6 && s.Preemptions != 5 {
			t.Errorf("%s: %d preemptions", s.Policy, s.Preemptions)
		}
	}
	for _, name := range []string{"checkpoint", "checkfreq", "varuna"} {
		if !(samples["bamboo"] < samples[name] && samples[name] < samples["oobleck"]) {
			t.Errorf("%v: %s is not between bamboo and oobleck", samples, name)
		}
	}
	for _, c := range []struct {
		study Systems
		want  string
	}{{Systems{Network: "GPT-5", Span: time.Hour, Every: time.Hour}, "GPT-5"}, {Systems{Network: "BERT-Large", Span: 6 * time.Hour, Every: time.Hour}, "at least 6h"},
		{Systems{Network: "BERT-Large", Span: time.Hour}, "more than 0"}} {
		if _, err := c.study.Run(shrinkingSet(5)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.study, err)
		}
	}
}
