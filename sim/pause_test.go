package sim_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// pausing is a model whose changes cost a pause.
type pausing struct {
	simtest.Linear
	pause sim.Pause
}

func (m pausing) Change(*sim.Change) sim.Pause { return m.pause }

// growing holds one more instance each hour.
type growing struct{}

func (growing) Name() string { return "growing" }

func (growing) Decide(v sim.View, plan *sim.Plan) {
	plan.Jobs[0].Hold[0] = 1 + int(v.Now().Sub(v.Start())/time.Hour)
	plan.WakeIn(time.Hour)
}

// A model whose changes give time or money back is an error of the model, which a run does not hide.
func TestPausesAreChecked(t *testing.T) {
	market, err := sim.NewMarket(sim.At(4*3600), []sim.Trace{{Pool: sim.Pool{Name: "a", InstanceType: "a", Quota: 8}, Prices: []sim.Price{{USD: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	said := func(pause sim.Pause) (text string) {
		defer func() {
			if r := recover(); r != nil {
				text = fmt.Sprint(r)
			}
		}()
		job := sim.Job{Model: pausing{simtest.Linear{PerWorker: 1}, pause}, Objective: sim.Objective{Loss: simtest.LossAt(1e9), Within: time.Hour}}
		w, err := sim.New(sim.Config{Market: market, Jobs: []sim.Job{job}, Policy: growing{}})
		if err != nil {
			t.Fatal(err)
		}
		w.Run()
		return ""
	}
	for _, bad := range []sim.Pause{{Stall: -1}, {Stall: math.MinInt64}, {USD: -1}, {USD: math.NaN()}, {DropStep: true, DropShare: math.NaN()},
		{DropStep: true, DropShare: 1.5}} {
		if text := said(bad); !strings.Contains(text, "sim: Model.Change") {
			t.Errorf("%+v: %q, expected a panic that names Model.Change", bad, text)
		}
	}
	for _, good := range []sim.Pause{{}, {Stall: time.Minute}, {USD: 1}, {DropStep: true, DropShare: 1}} {
		if text := said(good); text != "" {
			t.Errorf("%+v: %s", good, text)
		}
	}
}
