package schedulers_test

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
)

// Every job of every schedule that Tiresias's simulator ran ends in the second in which it
// did there.
func TestTiresias(t *testing.T) {
	files := testutil.Files(t, "papers/tiresias/testdata/tiresias_tr*.csv")
	compared := 0
	for _, path := range files {
		rows := testutil.Rows(t, path)
		for column := range rows[0] {
			name, ok := strings.CutPrefix(column, "end_s__")
			if !ok {
				continue
			}
			part := strings.Split(name, "__")
			ends := simulate(t, rows, servers(t, part[0]), schedule(t, part[1], part[2]))
			for i, r := range rows {
				if want := testutil.Number(t, r[column]); ends[i] != want {
					t.Fatalf("%s, %s, job %s ends after %v s, the simulator has %v", filepath.Base(path), column, r["job_id"], ends[i], want)
				}
				compared++
			}
		}
	}
	t.Logf("%d ends compared", compared)
}

// servers reads the name of a cluster: n, perhaps switches x, servers, g, GPUs of each.
func servers(t testing.TB, name string) []sim.Trace {
	switches, nodes, gpus := 1, 0, 0
	if n, _ := fmt.Sscanf(name, "n%dx%dg%d", &switches, &nodes, &gpus); n != 3 {
		switches = 1
		if n, _ := fmt.Sscanf(name, "n%dg%d", &nodes, &gpus); n != 2 {
			t.Fatalf("a cluster named %s", name)
		}
	}
	var pools []sim.Trace
	for k := range switches * nodes {
		pools = append(pools, sim.Trace{
			Pool:   sim.Pool{Name: strconv.Itoa(k), Region: strconv.Itoa(k / nodes), Quota: gpus, Reserved: true},
			Prices: []sim.Price{{}},
		})
	}
	return pools
}

// schedule is a policy by the names of the oracles.
func schedule(t *testing.T, placement, name string) sim.Policy {
	where := schedulers.Anywhere
	if placement == "yarn" {
		where = schedulers.Consolidated
	}
	las := &schedulers.LAS{Limits: schedulers.DefaultLimits, AsReleased: true}
	switch {
	case name == "fifo", name == "fjf":
		return &schedulers.FIFO{Placement: where, Backfill: name == "fjf"}
	case name == "shortest":
		return &schedulers.Shortest{Key: schedulers.RemainingTime}
	case name == "shortest-gpu":
		return &schedulers.Shortest{Key: schedulers.RemainingService}
	case name == "sjf":
		return &schedulers.Shortest{Key: schedulers.Size}
	case name == "dlas":
		las.TimeOnly = true
	case name == "dlas-gpu-gittins":
		las.Gittins = gittins(t)
	case strings.HasPrefix(name, "dlas-gpu-"):
		k, err := strconv.ParseFloat(strings.TrimPrefix(name, "dlas-gpu-"), 64)
		if err != nil {
			t.Fatal(err)
		}
		las.Promote = k
	case name != "dlas-gpu":
		t.Fatalf("a schedule named %s", name)
	}
	return las
}

func gittins(t *testing.T) *schedulers.Gittins {
	var services []float64
	for _, r := range testutil.Rows(t, "papers/tiresias/testdata/tiresias_gittins_gpu_seconds.csv") {
		services = append(services, testutil.Number(t, r["gpu_seconds"]))
	}
	return schedulers.NewGittins(services, schedulers.DefaultLimits.First)
}

// simulate returns the seconds at which the jobs of a table end.
func simulate(t *testing.T, rows []map[string]string, pools []sim.Trace, p sim.Policy) []float64 {
	m, err := sim.NewMarket(sim.At(1e9), pools)
	if err != nil {
		t.Fatal(err)
	}
	jobs := make([]sim.Job, len(rows))
	for i, r := range rows {
		jobs[i] = sim.Job{
			Submit:    time.Duration(testutil.Number(t, r["submit_time_s"])) * time.Second,
			Model:     &throughput.Gang{GPUs: int(testutil.Number(t, r["num_gpu"])), Total: testutil.Number(t, r["duration_s"])},
			Objective: sim.Objective{Within: time.Hour},
		}
	}
	w, err := sim.New(sim.Config{Market: m, Jobs: jobs, Policy: p})
	if err != nil {
		t.Fatal(err)
	}
	ends := make([]float64, len(rows))
	for i, j := range w.Run().Jobs {
		ends[i] = (jobs[i].Submit + j.Elapsed).Seconds()
		if !j.Finished {
			ends[i] = math.NaN()
		}
	}
	return ends
}
