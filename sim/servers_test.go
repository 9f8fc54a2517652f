package sim

import (
	"testing"
	"time"
)

// TestServersBelowNone: misuse panics, whatever else the plan changes.
func TestServersBelowNone(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a negative number of parameter servers is taken")
		}
	}()
	m, err := NewMarket(Time(0).Add(time.Hour), []Trace{{Pool: Pool{Name: "a", Quota: 1}, Prices: []Price{{USD: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(Config{Market: m, Jobs: []Job{{Model: flat{}, Objective: Objective{Within: time.Hour}}}, Policy: debtor{}})
	if err != nil {
		t.Fatal(err)
	}
	w.Run()
}

// debtor wants fewer parameter servers than none.
type debtor struct{}

func (debtor) Name() string { return "debtor" }

func (debtor) Decide(_ View, plan *Plan) { plan.Jobs[0].Hold[0], plan.Jobs[0].Servers = 1, -1 }
