package report

import (
	"reflect"
	"testing"

	"github.com/marigram/marigram/experiments/results"
)

// A failure names what failed, what the job gave back, and as many instances in its place as were lost: those granted
// next.
func TestFailuresOfARun(t *testing.T) {
	ready := func(s float64) *float64 { return &s }
	set := func(pool string, granted, until float64, end string) results.Instance {
		return results.Instance{Pool: pool, GrantedS: granted, ReadyS: ready(granted + 1), EndS: until, End: end}
	}
	r := &run{rows: rows{Instances: []results.Instance{
		set("a", 0, 10, results.Failed), set("a", 0, 10, results.Failed), set("b", 0, 50, results.Released), set("b", 0, 50, results.Failed),
		set("c", 10, 50, results.Released), set("c", 20, 50, results.Released), // in place of a
		set("d", 70, 90, results.Held), set("e", 71, 90, results.Held), set("f", 72, 90, results.Failed), set("g", 75, 90, results.Held),
	}}}
	want := []Failure{
		{AtS: 10, Failed: "2 a", Instances: 2, GrantedS: ready(20), ReadyS: ready(21), InPlace: "2 c"},
		{AtS: 50, Failed: "1 b", Instances: 1, GaveBack: 3, GrantedS: ready(75), ReadyS: ready(76), InPlace: "4 of 4 pools"},
		{AtS: 90, Failed: "1 f", Instances: 1},
	}
	if got := r.failures(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, expected %+v", got, want)
	}
}
