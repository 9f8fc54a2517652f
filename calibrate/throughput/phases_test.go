package throughput

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/sim"
)

// Half the work at half the speed, a quarter at twice: 1 + 0.125 + 0.25.
func TestPhases(t *testing.T) {
	p, err := ReadPhases("p.csv", strings.NewReader("kind,phase,work,factor\na,1,0.5,0.5\na,2,0.25,2\n*,1,1,4\na,3,0.25,1\n"))
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]float64{"a": 1.375, "b": 0.25} {
		if got := p.Stretch(kind); got != want {
			t.Errorf("%s: %v, expected %v", kind, got, want)
		}
	}
	if got := (&Phases{}).Stretch("a"); got != 1 {
		t.Errorf("without phases: %v", got)
	}
	for row, want := range map[string]string{
		"a,2,1,1\n":            "p.csv:2:3: phase: 2, expected 1, the next phase of a",
		"a,1,0.5,1\na,1,1,1\n": "p.csv:3:3: phase: 1, expected 2",
		"a,1,0.5,1\n":          "the phases of a have 0.5 of its work together, expected 1",
		"a,1,1,0\n":            "factor",
		"a,1,2,1\n":            "work",
		",1,1,1\n":             "expected a name",
	} {
		if _, err := ReadPhases("p.csv", strings.NewReader("kind,phase,work,factor\n"+row)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", row, err, want)
		}
	}
}

// Rows by server are for their numbers on servers, in any order; a number without a row is that of the fewest servers.
func TestPlacements(t *testing.T) {
	table, err := Read("t.csv", strings.NewReader("kind,gpus,v100\na,2,5\na,1+1,3\na,2+1+1,6\na,1+3,7\na,4+2,8\n"))
	if err != nil {
		t.Fatal(err)
	}
	for gpus, want := range map[int]float64{2: 5, 4: 7, 6: 8} {
		if got := table.Speed("a", "v100", gpus); got != want {
			t.Errorf("%d GPUs: %v, expected %v", gpus, got, want)
		}
	}
	g := Gang{GPUs: 4, Speeds: []float64{7, 7, 7}, Spread: NewSpread([]int32{0, 0, 0}, table.Placements("a"))}
	g.Network = &Network{Keeps: []float64{1, 0.5}}
	for _, x := range []struct {
		workers []int32
		want    float64
	}{
		{[]int32{1, 2, 1}, 6}, {[]int32{2, 1, 1}, 6}, {[]int32{3, 0, 1}, 7},
		{[]int32{4, 0, 0}, 7}, {[]int32{2, 2, 0}, 3.5}, // by the number, and the network
	} {
		l := sim.Layout{Workers: x.workers, Pools: []int32{0, 1, 2}}
		if got := g.Rate(&l).Progress; got != x.want {
			t.Errorf("%v: %v, expected %v", x.workers, got, x.want)
		}
		if n := testing.AllocsPerRun(10, func() { g.Rate(&l) }); n != 0 {
			t.Errorf("%v: %v allocations", x.workers, n)
		}
	}
	for row, want := range map[string]string{
		"a,2+0,1\n":          `t.csv:2:3: gpus: "2+0", expected a whole number`,
		"a,2+,1\n":           "expected a whole number of 1 to",
		"a,1+2,1\na,2+1,1\n": `"a" on 2+1 GPUs is given twice`,
	} {
		if _, err := Read("t.csv", strings.NewReader("kind,gpus,v100\n"+row)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", row, err, want)
		}
	}
}
