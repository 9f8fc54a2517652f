package pool_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/notebooks"
	policy "github.com/marigram/marigram/papers/notebooks/pool"
	"github.com/marigram/marigram/sim"
)

// teller keeps what a policy says of its hosts and cells.
type teller []string

func (*teller) Span(*sim.Span) {}

func (x *teller) Decision(v sim.View, plan *sim.Plan, _ bool) {
	for _, c := range plan.Candidates() {
		*x = append(*x, fmt.Sprintf("%v: %s: %v %s: %s %v", v.Now().Sub(0), c.Name, c.Score, c.Unit, c.Note, c.Chosen))
	}
}

// Decisions say where cells run, which begin, and what waits.
func TestCellsAreExplained(t *testing.T) {
	cells := func(start int) []notebooks.Cell { return []notebooks.Cell{{Start: start, Duration: 100, GPUs: 8}} }
	platform, err := notebooks.NewPlatform([]notebooks.Session{{Number: 3, Stop: 400, GPUs: 8, Cells: cells(5)},
		{Number: 7, Stop: 400, GPUs: 8, Cells: cells(10)}}, 8)
	if err != nil {
		t.Fatal(err)
	}
	m, err := sim.NewMarket(sim.At(7200), []sim.Trace{{Pool: sim.Pool{Name: "hosts", Quota: 1}, Prices: []sim.Price{{USD: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	p, said := policy.New(policy.Autoscaled), teller{}
	p.MinHosts, p.Buffer, p.MaxHosts = 1, 0, 1
	w, err := sim.New(sim.Config{Market: m, Policy: p, Recorder: &said, Jobs: []sim.Job{{Model: platform, Objective: sim.Objective{Within: time.Hour}}}})
	if err != nil {
		t.Fatal(err)
	}
	w.Run()
	text := strings.Join(said, "\n")
	for _, want := range []string{
		"5s: host 1 in hosts: 0 idle GPUs: session 3 cell 1 (8) begins true",
		"10s: session 7 cell 1: 0 s waited: waits: no host that serves has 8 idle GPUs false",
		"1m45s: host 1 in hosts: 0 idle GPUs: session 7 cell 1 (8) begins true",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}
