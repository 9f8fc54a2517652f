package reference

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
)

func oracleRows(t testing.TB, name string) [][]string {
	t.Helper()
	return testutil.Table(t, "papers/oobleck/testdata/"+name)[1:]
}

// profileOf has the layers of the oracle's profiles.
func profileOf(t testing.TB, name string, layers, gpus int) *Profile {
	t.Helper()
	p := &Profile{GPUsPerNode: gpus, AllReduce: func(_, gpus int) float64 { return 0.02 * float64(gpus) }}
	for i := range layers {
		p.Layers = append(p.Layers, map[string]float64{"uniform": 4, "ramp": 3 + 0.15*float64(i),
			"mod5": 3 + 0.3*float64(i%5)}[name])
	}
	return p
}

func plain(list []int) string { return strings.Trim(fmt.Sprint(list), "[]") }

// The compiled planner of the repository, with its members set to zero.
func TestOobleckTemplates(t *testing.T) {
	check := near.Count(t)
	equal, rows := 0, oracleRows(t, "oobleck_planner.csv")
	for _, r := range rows {
		layers, _ := strconv.Atoi(r[0])
		gpus, _ := strconv.Atoi(r[4])
		nodes, _ := strconv.Atoi(r[5])
		want, err := strconv.ParseFloat(r[9], 64)
		if err != nil {
			t.Fatal(err)
		}
		got, err := PlanTemplate(profileOf(t, r[1], layers, gpus), nodes)
		if err != nil || check.OffRel(got.Time, want, 1e-9) || plain(got.Layers) != r[7] || plain(got.GPUs) != r[8] {
			t.Errorf("%v: %+v, %v", r, got, err)
			continue
		}
		equal++
	}
	t.Logf("%d of %d templates", equal, len(rows))
}
