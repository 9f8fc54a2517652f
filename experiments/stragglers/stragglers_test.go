package stragglers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/columnar"
	"github.com/marigram/marigram/internal/near"
)

// drawn makes the operations of steps of a pipeline by hand: forward takes 1 s and backward 2 s, times a factor of each
// worker; communication takes none.
func drawn(dp, pp, batches, steps int, factor func(rank, stage, batch, step int) float64) (rows []Operation) {
	for step := range steps {
		for rank := range dp {
			for stage := range pp {
				add := func(kind string, sequence int, start, duration float64) {
					rows = append(rows, Operation{DPRank: int32(rank), Stage: int32(stage), Rank: int32(rank*pp + stage), Step: int64(step),
						Type: kind, StartS: start, Duration: duration, Sequence: int32(sequence), Model: int32(stage)})
				}
				at := float64(stage)
				for batch := range batches {
					add(forward, batch, at, factor(rank, stage, batch, step))
					add(forwardRecv, batch, at, 0)
					at += factor(rank, stage, batch, step)
					add(forwardSend, batch, at, 0)
				}
				at += 10 * float64(pp-stage)
				for batch := range batches {
					add(backward, batch, at, 2*factor(rank, stage, batch, step))
					add(backwardRecv, batch, at, 0)
					at += 2 * factor(rank, stage, batch, step)
					add(backwardSend, batch, at, 0)
				}
				at += 1000
				add(collect, 0, at, 0)
				add(reduceScatter, 0, at, 0)
				add(clip, 0, at, 0)
				add(optimize, 0, at, 0)
			}
		}
	}
	return rows
}

func analysed(t *testing.T, meta Meta, rows []Operation) *Analysis {
	t.Helper()
	meta.TP, meta.DSP, meta.VPP = 1, 1, 1
	job, err := New(meta, rows)
	if err != nil {
		t.Fatal(err)
	}
	a, err := job.Analyse()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Data parallelism: the slowest worker is the step, and replacing it gives its factor back; S says less, as its ideal is
// a mean over the slow worker too.
func TestOneSlowReplica(t *testing.T) {
	const slow = 1.8
	a := analysed(t, Meta{DP: 4, PP: 1}, drawn(4, 1, 3, 2, func(rank, _, _, _ int) float64 {
		if rank == 2 {
			return slow
		}
		return 1
	}))
	numbers := near.Count(t)
	numbers.Rel("S", a.S, slow/((3+slow)/4), 1e-6)
	numbers.Rel("if replaced", a.Replaced[2], slow, 1e-6)
	numbers.Rel("another replaced", a.Replaced[0], 1, 1e-6)
	numbers.Rel("factor", a.Factors[2].Compute, slow, 1e-6)
	numbers.Abs("M_W", a.MW.Share(), 1, 1e-6)
	if causes := a.Causes(); len(causes) != 1 || !strings.Contains(causes[0].What, "worker (2, 0)") {
		t.Errorf("causes %+v", causes)
	}
	if slowest := a.Slow(2); len(slowest) != 1 || slowest[0].Instance != 1 || slowest[0].ToS != nil {
		t.Errorf("slow instances %+v", slowest)
	}
}

// A pipeline whose last stage takes longer: stages are the cause, and no machine.
func TestLongStage(t *testing.T) {
	a := analysed(t, Meta{DP: 2, PP: 3}, drawn(2, 3, 8, 1, func(_, stage, _, _ int) float64 {
		if stage == 2 {
			return 1.5
		}
		return 1
	}))
	causes := a.Causes()
	if len(causes) != 1 || !strings.Contains(causes[0].Do, "move layers") {
		t.Errorf("causes %+v", causes)
	}
	if _, gain := a.MostReplaced(); gain > 1+1e-6 {
		t.Errorf("a replaced machine makes steps %v times as fast", gain)
	}
}

// Micro-batches of different lengths: another machine would change nothing.
func TestUnevenBatches(t *testing.T) {
	a := analysed(t, Meta{DP: 3, PP: 1}, drawn(3, 1, 2, 6, func(rank, _, _, step int) float64 {
		return 1 + 0.5*float64((rank+step)%3)
	}))
	causes := a.Causes()
	if len(causes) != 1 || !strings.Contains(causes[0].What, "micro-batches") {
		t.Errorf("causes %+v", causes)
	}
}

// The order of the rows says nothing, and a simulation of the ideal with all kept is the original.
func TestOrderOfRows(t *testing.T) {
	rows := drawn(2, 2, 4, 2, func(rank, stage, batch, step int) float64 { return 1 + 0.1*float64(rank+2*stage+batch+step) })
	first := analysed(t, Meta{DP: 2, PP: 2}, rows)
	slices.Reverse(rows)
	second := analysed(t, Meta{DP: 2, PP: 2}, rows)
	one, errOne := json.Marshal(first.Values())
	two, errTwo := json.Marshal(second.Values())
	if errOne != nil || errTwo != nil || !bytes.Equal(one, two) {
		t.Error("other values from the same rows in another order")
	}
}

// What cannot be a trace is refused, and the error says what is expected.
func TestRefused(t *testing.T) {
	good := func() []Operation { return drawn(2, 2, 3, 2, func(int, int, int, int) float64 { return 1 }) }
	for want, change := range map[string]func(rows []Operation) []Operation{
		"every worker has the same operations": func(rows []Operation) []Operation { rows[len(rows)-1].Sequence = 7; return rows },
		"is there twice":                       func(rows []Operation) []Operation { rows[len(rows)-1] = rows[len(rows)-2]; return rows },
		"expected dp_rank, stage and mc below": func(rows []Operation) []Operation { rows[0].DPRank = 2; return rows },
		"one rank for each dp_rank and stage":  func(rows []Operation) []Operation { rows[len(rows)-1].Rank = 0; return rows },
		"each of 2 dp ranks has in each of 2":  func(rows []Operation) []Operation { return rows[:len(rows)-1] },
		"expected operations of the types": func(rows []Operation) []Operation {
			return slices.DeleteFunc(rows, func(o Operation) bool { return o.Type == collect })
		},
		"that carry something": func(rows []Operation) []Operation {
			return slices.DeleteFunc(rows, func(o Operation) bool { return o.Type == forwardSend && o.Sequence == 2 })
		},
		"wait for each other in a circle": func(rows []Operation) []Operation {
			for _, one := range rows { // the second reduction began before the first
				if one.Type == reduceScatter {
					one.Sequence = 1
					one.StartS--
					rows = append(rows, one)
				}
			}
			return rows
		},
	} {
		_, err := New(Meta{DP: 2, PP: 2, TP: 1, DSP: 1, VPP: 1}, change(good()))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}
}

func TestMetaRefused(t *testing.T) {
	for text, want := range map[string]string{
		"dp_size: 2":                             "pp_size",
		"dp_size: 0\npp_size: 1":                 "m.yaml:1:10",
		"dp_size: 2\npp_size: 2\nworld_size: 5":  "m.yaml:3:13: world_size: 5, expected dp_size x pp_size",
		"dp_size: 2\npp_size: 2\ntensor_size: 5": "tensor_size",
		"[]":                                     "m.yaml",
	} {
		if _, err := ParseMeta("m.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %s", text, err, want)
		}
	}
}

// Parquet and CSV say the same.
func TestForms(t *testing.T) {
	rows := drawn(1, 1, 1, 1, func(int, int, int, int) float64 { return 0.1 })
	dir := t.TempDir()
	parquet := filepath.Join(dir, "a.parquet")
	if err := columnar.Write(parquet, nil, rows); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(dir, "a.csv")
	file, err := columnar.CreateCSV[Operation](text)
	if err == nil {
		err = file.Append(rows)
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	first, err := ReadOperations(t.Context(), parquet)
	if err != nil {
		t.Fatal(err)
	}
	second, err := ReadOperations(t.Context(), text)
	if err != nil || !slices.Equal(first, second) || first[0].Duration != float64(float32(0.1)) {
		t.Errorf("%v, %v and %v", err, first, second)
	}
}

// Whatever a table is, it is refused or analysed.
func FuzzOperations(f *testing.F) {
	var text bytes.Buffer
	fmt.Fprintln(&text, "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc")
	for _, one := range drawn(2, 2, 2, 1, func(int, int, int, int) float64 { return 1 }) {
		fmt.Fprintf(&text, "%d,%d,%d,%d,%s,%v,%v,%d,%d,%d,%d\n", one.DPRank, one.Stage, one.Rank, one.Step, one.Type, one.StartS,
			one.Duration, one.Sequence, one.Chunk, one.Batch, one.Model)
	}
	f.Add(text.String(), "dp_size: 2\npp_size: 2\n")
	f.Add(strings.ReplaceAll(text.String(), "forward-send", "separate-grads-all-reduce"), "dp_size: 2\npp_size: 2\nvpp_size: 2\n")
	f.Add("dp_rank,stage\n1,nan\n", "dp_size: 65536\npp_size: 4096\n")
	path := filepath.Join(f.TempDir(), "a.csv")
	f.Fuzz(func(t *testing.T, text, meta string) {
		sizes, err := ParseMeta("m", []byte(meta))
		if err != nil {
			return
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		rows, err := ReadOperations(t.Context(), path)
		if err != nil {
			return
		}
		job, err := New(sizes, rows)
		if err != nil {
			return
		}
		a, err := job.Analyse()
		if err == nil && !(a.S > 0) {
			t.Errorf("S %v", a.S)
		}
	})
}
