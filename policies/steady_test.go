package policies_test

import (
	"os"
	"strings"
	"testing"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// Steady holds two instances of the cheapest pool at the start.
type Steady struct{}

func (Steady) Name() string { return "steady" }

func (Steady) Decide(v sim.View, plan *sim.Plan) {
	if v.Job(0).Want() > 0 {
		return // what was wanted stays wanted: what is lost is asked for again
	}
	cheapest := 0
	for p := range v.Pools() {
		if v.Price(p) < v.Price(cheapest) {
			cheapest = p
		}
	}
	plan.Jobs[0].Hold[cheapest] = 2
	plan.Because("the cheapest pool at the start")
}

// The policy of the README is this one, and it passes the suite.
func TestReadmePolicy(t *testing.T) {
	source, err := os.ReadFile("steady_test.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(source), "// Steady holds")
	code, _, _ := strings.Cut(rest, "// The policy of the README")
	if !strings.Contains(string(readme), strings.TrimSpace(code)) {
		t.Error("the README shows another policy than the one that is tested")
	}
	simtest.Suite(t, func(*sim.Market) sim.Policy { return Steady{} })
}
