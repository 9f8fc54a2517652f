package experiments_test

import (
	"context"
	"fmt"
	"log"
	"reflect"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// A market, a model, objectives and policies in, rows out: four instances on spot that are gone from the second to
// the third hour, and eight on demand.
func ExampleRuns() {
	spot := sim.Pool{Name: "a", InstanceType: "p3.2xlarge", Quota: 4, Notice: 2 * time.Minute}
	expensive := sim.Pool{Name: "b", InstanceType: "p3.2xlarge", Quota: 8, OnDemand: true}
	market, err := sim.NewMarket(sim.At(48*3600), []sim.Trace{
		{Pool: spot, Prices: []sim.Price{{USD: 0.9}}, Capacity: []sim.Capacity{{N: 4}, {At: sim.At(7200), N: 0}, {At: sim.At(10800), N: 4}}},
		{Pool: expensive, Prices: []sim.Price{{USD: 3.06}}}})
	if err != nil {
		log.Fatal(err)
	}
	profile, coefficients, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		log.Fatal(err)
	}
	model, err := ps.NewASP(profile, coefficients, ps.FormArtifact, []string{"p3.2xlarge", "p3.2xlarge"}) // a type for each pool
	if err != nil {
		log.Fatal(err)
	}
	onDemand, _ := policies.New("ondemand")
	reactive, _ := policies.New("reactive")
	runs := experiments.Runs{Name: "mine", Market: market, Job: sim.Job{Model: model, ParameterServers: 1, ParameterServerPrice: 0.192},
		Policies: []sim.Policy{onDemand, reactive}, Objectives: []sim.Objective{{Loss: 0.6, Within: 150 * time.Minute}, {Loss: 0.6, Within: 12 * time.Hour}}}
	rows, err := runs.Rows(context.Background())
	for _, r := range rows {
		fmt.Printf("%s, %s: met %v, %.2f USD\n", r.Objective, r.Policy, r.Met, r.CostUSD)
	}
	fmt.Println(err)
	// Output:
	// loss-0.6-in-150min, ondemand: met true, 14.75 USD
	// loss-0.6-in-150min, reactive: met false, 5.01 USD
	// loss-0.6-in-12h, ondemand: met true, 10.92 USD
	// loss-0.6-in-12h, reactive: met true, 3.87 USD
	// <nil>
}

// TestRuns: the rows are those of the worlds that one would make by hand, the same twice, and a context
// that is done ends them.
func TestRuns(t *testing.T) {
	pool := sim.Trace{Pool: sim.Pool{Name: "a", InstanceType: "p3.2xlarge", Quota: 4}, Prices: []sim.Price{{USD: 1}},
		Capacity: []sim.Capacity{{N: 4}}}
	market, err := sim.NewMarket(sim.At(48*3600), []sim.Trace{pool})
	if err != nil {
		t.Fatal(err)
	}
	profile, coefficients, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		t.Fatal(err)
	}
	model, err := ps.NewASP(profile, coefficients, ps.FormArtifact, []string{"p3.2xlarge"})
	if err != nil {
		t.Fatal(err)
	}
	runs := func() *experiments.Runs {
		p, err := policies.New("reactive")
		if err != nil {
			t.Fatal(err)
		}
		return &experiments.Runs{Name: "x", Market: market, Job: sim.Job{Model: model, ParameterServers: 1, ParameterServerPrice: 0.192},
			Objectives: []sim.Objective{{Loss: 0.6, Within: 6 * time.Hour}},
			Policies:   []sim.Policy{p}, Seed: 5, Seeds: 3}
	}
	rows, err := runs().Rows(t.Context())
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	again, err := runs().Rows(t.Context())
	if err != nil || !reflect.DeepEqual(rows, again) {
		t.Errorf("twice is not the same: %v", err)
	}
	for i := range rows {
		p, err := policies.New("reactive")
		if err != nil {
			t.Fatal(err)
		}
		w, err := sim.New(sim.Config{Market: market, Policy: p, Seed: uint64(5 + i), Billing: sim.PerSecond(), Horizon: 18 * time.Hour,
			Jobs: []sim.Job{{Model: model, ParameterServers: 1, ParameterServerPrice: 0.192, Objective: sim.Objective{Loss: 0.6, Within: 6 * time.Hour}}}})
		if err != nil {
			t.Fatal(err)
		}
		if total := w.Run(); rows[i].CostUSD != total.Bill.Total() || rows[i].Seed != int64(5+i) || rows[i].Unit != results.ByStart {
			t.Errorf("%+v, want %v", rows[i], total.Bill.Total())
		}
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := runs().Rows(done); err == nil {
		t.Error("a context that is done does not end it")
	}
}
