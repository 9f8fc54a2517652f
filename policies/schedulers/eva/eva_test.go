package eva

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
)

// types are those of the recorded decisions.
func types(t *testing.T) []Type {
	var out []Type
	for _, r := range testutil.Rows(t, "papers/eva/testdata/eva_instance_types.csv") {
		out = append(out, Type{Name: r["type"], USD: testutil.Number(t, r["usd_per_h"]), Free: Unlimited,
			Full: Resources{testutil.Number(t, r["gpus"]), testutil.Number(t, r["vcpus"]), testutil.Number(t, r["memory_gb"])}})
	}
	return out
}

// demand reads GPUs;cores;GB by type; an empty cell is a family that does not run the task.
func demand(t *testing.T, r map[string]string, column string) (out []Resources) {
	for _, typ := range testutil.Rows(t, "papers/eva/testdata/eva_instance_types.csv") {
		cell, d := r[fmt.Sprintf(column, typ["family"])], Nowhere
		if cell != "" {
			for i, x := range strings.Split(cell, ";") {
				d[i] = testutil.Number(t, x)
			}
		}
		out = append(out, d)
	}
	return out
}

// Every recorded plan of waiting tasks, with nothing learned: the instances, in order, and their
// tasks in the order chosen.
func TestPacking(t *testing.T) {
	check := near.Count(t)
	tasks := map[string][]*Task{}
	inJob := map[string]int{}
	rows := testutil.Rows(t, "papers/eva/testdata/eva_packing_tasks.csv")
	for _, r := range rows {
		inJob[r["case"]+" "+r["job"]]++
	}
	for _, r := range rows {
		tasks[r["case"]] = append(tasks[r["case"]], &Task{ID: int(testutil.Number(t, r["task"])), Kind: len(tasks[r["case"]]),
			Demand: demand(t, r, "demand_%s_gpu_cpu_gb"), Tasks: inJob[r["case"]+" "+r["job"]]})
	}
	want := map[string][]string{}
	for _, r := range testutil.Rows(t, "papers/eva/testdata/eva_packing_plans.csv") {
		want[r["case"]] = append(want[r["case"]], r["type"]+": "+r["tasks"])
	}
	summary := map[string]map[string]string{}
	for _, r := range testutil.Rows(t, "papers/eva/testdata/eva_packing_summary.csv") {
		summary[r["case"]] = r
	}
	for name, list := range tasks {
		p := Planner{Types: types(t), Speed: &Speeds{}, Released: true}
		plan := p.TopDown(nil, list, nil)
		var got []string
		for _, x := range plan {
			var ids []string
			for _, k := range x.Tasks {
				ids = append(ids, strconv.Itoa(k.ID))
			}
			got = append(got, p.Types[x.Type].Name+": "+strings.Join(ids, " "))
		}
		if fmt.Sprint(got) != fmt.Sprint(want[name]) {
			t.Errorf("case %s: %q, recorded %q", name, got, want[name])
		}
		planned, apart := 0.0, 0.0
		for _, x := range plan {
			planned += p.Types[x.Type].USD
		}
		for _, k := range list {
			_, usd := p.Cheapest(k)
			apart += usd
		}
		r := summary[name]
		for column, v := range map[string]float64{"tasks": float64(len(list)), "instances": float64(len(plan)), "plan_usd_per_h": planned,
			"separate_usd_per_h": apart} {
			if w := testutil.Number(t, r[column]); check.OffRel(v, w, 1e-9) {
				t.Errorf("case %s, %s: %v, recorded %v", name, column, v, w)
			}
		}
	}
}

// Powers that CPython 3.11.7 prints.
func TestPower(t *testing.T) {
	for n, want := range []float64{1, 0.95, 0.9025, 0.8573749999999999, 0.8145062499999999, 0.7737809374999998, 0.7350918906249998, 0.6983372960937497} {
		if got := powers()[n]; got != want {
			t.Errorf("0.95 to the power of %d: %v, expected %v", n, got, want)
		}
	}
}
