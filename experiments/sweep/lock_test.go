package sweep

import (
	"strings"
	"sync"
	"testing"
)

// Two that make the same chunks at one time make each once, and the one that waits says so. Two shards go on side by
// side.
func TestTwoProcessesMakeNoChunkTwice(t *testing.T) {
	p := planOf(t, "base: quickstart\nseeds: 64\nchunk_runs: 32\nmatrix: {policy: [reactive], objectives: [[{loss: 0.8, time_s: 2400}]]}\n")
	f := begin(t, p)
	unlock, err := f.lock(t.Context(), Whole, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	other, err := f.lock(t.Context(), Shard{I: 1, N: 2}, func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	other()
	var reports [2]Report
	var told [2][]string
	var waiting, all sync.WaitGroup
	for i := range reports {
		waiting.Add(1)
		all.Go(func() {
			heard := sync.OnceFunc(waiting.Done)
			var err error
			reports[i], err = f.Run(t.Context(), Options{Workers: 1, Shard: Whole, Notice: func(text string) {
				told[i] = append(told[i], text)
				heard()
			}})
			if err != nil {
				t.Error(err)
			}
		})
	}
	waiting.Wait() // both have said that they wait
	unlock()
	all.Wait()
	made, skipped := reports[0].Made+reports[1].Made, reports[0].Skipped+reports[1].Skipped
	if made != p.Chunks() || skipped != p.Chunks() {
		t.Errorf("%d chunks made and %d found, expected %d and %[3]d", made, skipped, p.Chunks())
	}
	for i := range told {
		if len(told[i]) != 1 || !strings.Contains(told[i][0], "another process makes the chunks of") {
			t.Errorf("%q, expected that it waits for another process", told[i])
		}
	}
}
