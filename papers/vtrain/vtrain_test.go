package vtrain

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/layout"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/internal/testutil/pulled"
)

// recorded returns the measured layouts; the test is skipped without them.
func recorded(t *testing.T) []row {
	t.Helper()
	pulled.Dir(t, "vtrain")
	rows, err := measured()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func a100(t *testing.T) layout.LayerTimes {
	t.Helper()
	times, err := layout.LayerTimesOf("A100-80")
	if err != nil {
		t.Fatal(err)
	}
	return times
}

// Neither half is much more than the other, and what was not fitted is computed within the errors that are promised.
func TestHeldOut(t *testing.T) {
	rows := recorded(t)
	fitted, held := halves(rows)
	near.In(t, "fitted half", float64(len(fitted)), 0.4*float64(len(rows)), 0.6*float64(len(rows)))
	one, many, err := meanErrors(a100(t), held)
	if err != nil {
		t.Fatal(err)
	}
	if !near.Between(one, 0.001, 0.06) || !near.Between(many, 0.001, 0.10) {
		t.Errorf("mean errors of %.2f %% on one node and %.2f %% on many, expected at most 6 and 10", 100*one, 100*many)
	}
	testutil.Compared(t, "vtrain", len(held))
}

// The numbers of the table are those of a fit that begins at round numbers.
func TestRefit(t *testing.T) {
	if testing.Short() {
		t.Skip("a fit takes long")
	}
	rows := recorded(t)
	half, _ := halves(rows)
	want := a100(t)
	got, err := fit(start(want), half)
	if err != nil {
		t.Fatal(err)
	}
	for k, of := range []struct {
		name      string
		tolerance float64 // relative; numbers that the rows say little of move each other
	}{{"products", 0.03}, {"stream", 1}, {"attention", 0.05}, {"inside", 0.5}, {"latency", 0.1}, {"launch", 0.03}, {"launch_tp", 0.5},
		{"stage", 0.15}, {"network", 0.2}} {
		near.Rel(t, of.name, *numbers(&got)[k], *numbers(&want)[k], of.tolerance)
	}
	one, many, err := meanErrors(got, half)
	if err != nil {
		t.Fatal(err)
	}
	oneOfTable, manyOfTable, err := meanErrors(want, half)
	if err != nil {
		t.Fatal(err)
	}
	near.Abs(t, "error on one node", oneOfTable, one, 0.002)
	near.Abs(t, "error on many nodes", manyOfTable, many, 0.005)
}

// residuals.csv has the errors on what was not fitted, by width, tensor parallelism and micro-batch.
func TestResiduals(t *testing.T) {
	rows := recorded(t)
	if len(rows) != 1054 {
		t.Skipf("%d rows: the table is of the 1,054 that were looked at", len(rows))
	}
	_, held := halves(rows)
	law := newPredictor(a100(t))
	groups := map[[4]int]*group{}
	for i := range held {
		r := &held[i]
		off, err := law.off(r)
		if err != nil {
			t.Fatal(err)
		}
		nodes := 1
		if r.many() {
			nodes = r.gpus / nodeGPUs
		}
		key := [4]int{nodes, r.hidden, r.tp, r.micro}
		if groups[key] == nil {
			groups[key] = &group{}
		}
		groups[key].add(off)
	}
	var text strings.Builder
	text.WriteString("nodes,hidden,tensor_parallelism,micro_batch,layouts,mean_error_pct,bias_pct,largest_error_pct\n")
	keys := slices.SortedFunc(maps.Keys(groups), func(a, b [4]int) int { return slices.Compare(a[:], b[:]) })
	for _, key := range keys {
		g := groups[key]
		fmt.Fprintf(&text, "%d,%d,%d,%d,%d,%.1f,%.1f,%.1f\n", key[0], key[1], key[2], key[3], g.rows, g.mean, g.bias, g.largest)
	}
	testutil.GoldenText(t, "residuals.csv", text.String())
}

// Rows are read by either names of their columns, with a byte order mark or without; what cannot be is refused.
func TestParse(t *testing.T) {
	const theirs = "\ufeffParameters (billion),# GPUs,global batch,micro batch,hidden size,attention heads,# layers,sequence length," +
		"tensor parallelism,data parallelism,pipeline parallelism,iteration time (ms)\r\n1.5,8,16,2,512,8,12,256,2,2,2,250.5\r\n"
	const part = "set,gpus,global_batch,micro_batch,hidden,heads,layers,seq,tp,dp,pp,step_ms\nsingle,8,16,2,512,8,12,256,2,2,2,250.5\n"
	var read [2][]row
	for i, text := range []string{theirs, part} {
		rows, err := parse(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		read[i] = rows
	}
	if len(read[0]) != 1 || read[0][0].seconds != read[1][0].seconds || read[0][0].String() != read[1][0].String() {
		t.Errorf("%v, expected %v", read[0], read[1])
	}
	near.Abs(t, "seconds", read[0][0].seconds, 0.2505, 1e-12)
	for text, want := range map[string]string{
		strings.Replace(part, "step_ms", "ms", 1):          "line 2: no column iteration time (ms)",
		strings.Replace(part, ",250.5", ",-1", 1):          `iteration time (ms) is "-1"`,
		strings.Replace(part, ",250.5", ",NaN", 1):         `iteration time (ms) is "NaN"`,
		strings.Replace(part, "single,8", "single,9", 1):   "they do not go together",
		strings.Replace(part, "single,8", "single,0", 1):   `# GPUs is "0"`,
		strings.Replace(part, "2,2,2,250", "2,4,1,250", 1): "",
	} {
		_, err := parse(strings.NewReader(text))
		if said := fmt.Sprint(err); want == "" && err != nil || want != "" && !strings.Contains(said, want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}
