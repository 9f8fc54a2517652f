package throughput

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
)

// The table says what the authors' file says, of every pair in either order.
func TestGavelPairs(t *testing.T) {
	table := Gavel()
	kind := func(r map[string]string, which string) int {
		name := r["model_"+which]
		if batch := r["batch_"+which]; batch != "" {
			name += fmt.Sprintf(" (batch size %s)", batch)
		}
		return slices.Index(table.Kinds, name)
	}
	compared := 0
	for _, r := range testutil.Rows(t, "papers/gavel/testdata/gavel_colocation_throughputs.csv") {
		if r["placement"] != "consolidated" {
			continue
		}
		compared++
		speeds := GavelPairs().Together(kind(r, "a"), kind(r, "b"), int(testutil.Number(t, r["n_gpus_a"])))
		want := Pair{testutil.Number(t, r["steps_per_s_a"]), testutil.Number(t, r["steps_per_s_b"])}
		if m := slices.Index(table.GPUs, r["gpu_type"]); speeds == nil || speeds[m] != want {
			t.Fatalf("%v: %v, expected %v", r, speeds, want)
		}
	}
	if compared != 5277 || GavelPairs().Together(0, 0, 3) != nil {
		t.Errorf("%d speeds", compared)
	}
}

const (
	aloneCSV = "kind,gpus,V100,k80\nlm,1,4,1\nlm,2,7,2\nrnn,*,10,5\n"
	pairsCSV = "kind,beside,gpus,v100,K80\nlm,rnn,1,3,0.5\nrnn,lm,1,5,1\nlm,lm,1,2,0\nlm,rnn,2,7,2\n"
)

// A job keeps the part of its speed alone that the table has beside the other; of a pair of which only one is listed, nothing.
func TestReadPairs(t *testing.T) {
	alone, err := Read("alone.csv", strings.NewReader(aloneCSV))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ReadPairs("pairs.csv", strings.NewReader(pairsCSV), alone)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		of, with, gpu string
		gpus          int
		want          float64
	}{{"lm", "rnn", "v100", 1, 0.75}, {"rnn", "lm", "v100", 1, 0.5}, {"rnn", "lm", "k80", 1, 0.2}, {"lm", "lm", "v100", 1, 0.5}, {"lm", "lm", "k80", 1, 0},
		{"lm", "rnn", "v100", 2, 0}, {"rnn", "rnn", "v100", 1, 0}, {"lm", "other", "v100", 1, 0}, {"lm", "rnn", "h100", 1, 0}, {"lm", "rnn", "v100", 4, 0}} {
		if got := p.Keeps(alone, x.of, x.with, x.gpu, x.gpus); got != x.want {
			t.Errorf("%+v: %v", x, got)
		}
	}
	for text, want := range map[string]string{
		"kind,beside,gpus\nlm,rnn,1\n":                    "no column of speeds",
		"kind,beside,gpus,v100\nlm,rnn,1,4.5\n":           "p.csv:2:10: v100: 4.5 steps/s next to another job, but 4 alone",
		"kind,beside,gpus,v100\nlm,rnn,1,3\nlm,rnn,1,3\n": "p.csv:3",
		"kind,beside,gpus,v100\nlm,,1,3\n":                "expected two kinds",
		"kind,beside,gpus,v100\nlm,rnn,*,3\n":             "gpus",
		"kind,gpus,v100\nlm,1,3\n":                        `no column "beside"`,
	} {
		if _, err := ReadPairs("p.csv", strings.NewReader(text), alone); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
}

func FuzzReadPairs(f *testing.F) {
	f.Add(pairsCSV)
	alone, err := Read("alone.csv", strings.NewReader(aloneCSV))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ReadPairs("p.csv", strings.NewReader(text), alone)
		if err != nil {
			return
		}
		for _, gpu := range alone.GPUs {
			if x := p.Keeps(alone, "lm", "rnn", gpu, 1); !(x >= 0 && x <= 1) {
				t.Errorf("keeps %v", x)
			}
		}
	})
}
