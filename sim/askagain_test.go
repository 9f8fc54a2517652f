package sim

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// eager asks for one instance more as soon as it has those that it asked for, up to
// most, and notes what it sees.
type eager struct {
	max   int
	seen  []int // ready, whenever it is asked at the start
	fired []Trigger
}

func (*eager) Name() string { return "eager" }

func (e *eager) Decide(v View, plan *Plan) {
	if v.Now() > v.Start() {
		return
	}
	ready := v.Held(0, 0).Ready
	e.seen, e.fired = append(e.seen, ready), append(e.fired, v.Trigger())
	plan.SetReason("one more")
	if ready < e.max {
		plan.Jobs[0].Hold[0] = ready + 1
		plan.AskAgain()
	}
}

func askWorld(t *testing.T, p Policy) *World {
	t.Helper()
	m, err := NewMarket(Time(0).Add(time.Hour), []Trace{{Pool: Pool{Name: "a", Quota: 200}, Prices: []Price{{USD: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(Config{Market: m, Jobs: []Job{{Model: flat{}, Objective: Objective{Within: time.Hour}}}, Policy: p})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A policy that asks again sees at the same instant what its plan brought about.
func TestAskAgain(t *testing.T) {
	e := &eager{max: 3}
	total := askWorld(t, e).Run()
	if len(e.seen) != 4 || e.seen[3] != 3 || e.fired[0] != TriggerStart || e.fired[1] != TriggerAgain {
		t.Errorf("it saw %v ready, triggers %v", e.seen, e.fired)
	}
	if total.Wakes != 0 || total.Decisions != 4 || total.Grants != 3 {
		t.Errorf("%d wakes, %d decisions, %d grants, expected 0, 4, 3", total.Wakes, total.Decisions, total.Grants)
	}
}

// A policy that is never content panics, with what it asked for.
func TestAskAgainForEver(t *testing.T) {
	defer func() {
		text := fmt.Sprint(recover())
		for _, part := range []string{"policy eager", "100th time", `reason "one more"`, "Hold:[100]"} {
			if !strings.Contains(text, part) {
				t.Errorf("the panic lacks %s: %s", part, text)
			}
		}
	}()
	askWorld(t, &eager{max: 150}).Run()
}
