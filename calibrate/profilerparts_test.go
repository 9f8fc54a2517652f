package calibrate_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/internal/testutil"
)

// says runs lines of Python in the profiler's folder.
func says(t *testing.T, code string) string {
	t.Helper()
	cmd := exec.Command(python(t), "-c", code)
	cmd.Dir = "profiler"
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// The layers of BERT-Large and GPT-2 1.5B have as many parameters as Parcae's code
// counts.
func TestProfilerTransformers(t *testing.T) {
	type fact struct {
		Model      string  `col:"model"`
		Layers     int     `col:"layers"`
		Parameters float64 `col:"parameters"`
	}
	var want []string
	for _, l := range facts.Read[fact]("liveput_layers") {
		if l.Layers > 1 && (l.Model == "bert" || l.Model == "gpt-1.5b") {
			want = append(want, strconv.Itoa(int(l.Parameters)))
		}
	}
	got := says(t, `
import networks, language
for name in ("bert-large", "gpt2-1.5b"):
    kind, width, _, heads = networks.LANGUAGE[name][:4]
    print(sum(p.numel() for p in language.Block(width, heads, kind == "gpt2").parameters()))`)
	if strings.Join(strings.Fields(got), " ") != strings.Join(want, " ") || len(want) != 2 {
		t.Errorf("layers of %q parameters, Parcae has %v", got, want)
	}
}

// The largest batch is found from any guess, and from the right one in three steps.
func TestProfilerLargest(t *testing.T) {
	if got := says(t, `
import training, timing
tries = 0
def fits(memory, clock, samples):
    global tries
    tries += 1
    return samples <= memory
training.fits = fits
for memory in [*range(70), 1000, 16384, 1 << 20]:
    for guess in (-5, 1, 2, memory - 1, memory, memory + 3, 2 * memory, 1 << 21):
        tries = 0
        found = training.largest_batch(memory, None, timing.Rule(10, 3, 0.05), guess)
        assert found == memory, (memory, guess, found)
        assert guess != memory or tries < 4, (memory, tries)
assert training.largest_batch(1, None, timing.Rule(10, 3, 0.05), 5, least=2) == 0
assert training.largest_batch(2, None, timing.Rule(10, 3, 0.05), 1, least=2) == 2
print("ok")`); got != "ok" {
		t.Error(got)
	}
}

// BERT and GPT-2 train and are measured, layer by layer: 2 with the embedding and
// the head.
func TestProfilerLanguage(t *testing.T) {
	out := t.TempDir()
	if said, err := profile(t, out, "--max-spread=1000", "--models=tiny-bert,tiny-gpt2"); err != nil {
		t.Fatal(err, said)
	}
	for _, name := range []string{"tiny-bert", "tiny-gpt2"} {
		layers, err := pipeline.OpenLayers(filepath.Join(out, name+"-fp32-4.layers.csv"))
		if err != nil || len(layers) != 4 || layers[0].Name != "embedding" || layers[3].Name != "head" || layers[0].OutputBytes != 4*4*16*32 {
			t.Errorf("%+v, %v", layers, err)
		}
	}
}

// Two processes exchange, and the first writes it down.
func TestProfilerAllReduce(t *testing.T) {
	program, out := python(t), t.TempDir()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	free.Close()
	start := func(rank int) *exec.Cmd {
		cmd := exec.Command(program, "profiler/profiler.py", "--quick", "--device=cpu", "--only=all-reduce", "--max-spread=1000", "--out", out)
		cmd.Env = append(os.Environ(), "MASTER_ADDR=127.0.0.1", "MASTER_PORT="+port, "WORLD_SIZE=2", fmt.Sprint("RANK=", rank), fmt.Sprint("LOCAL_RANK=", rank),
			"USE_LIBUV=0") // some builds of torch are without it
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	for _, cmd := range []*exec.Cmd{start(1), start(0)} {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(out, "measurements.csv"))
	if err != nil || strings.Count(string(text), "all_reduce_s,,,,") != 2 || strings.Contains(string(text), "absent") {
		t.Errorf("%v: %s", err, text)
	}
}

// When the time is over, all is left for the next run: of the process that measures
// the network, and of the one that starts others.
func TestProfilerTimeOver(t *testing.T) {
	out := t.TempDir()
	text, err := exec.Command(python(t), "profiler/profiler.py", "--full", "--device=cpu", "--models=tiny", "--precisions=fp32",
		"--only=steps,startup", "--budget=0", "--out", out).CombinedOutput()
	if said := string(text); err != nil || !strings.Contains(said, "0 figures;") || !strings.Contains(said, "; 6 tasks left") ||
		!strings.Contains(said, "; 1 tasks left") {
		t.Errorf("%v: %s", err, said)
	}
}

// A network whose layers were measured is freed once it is not in use: on a GPU it
// would take the memory of the next.
func TestProfilerFrees(t *testing.T) {
	if got := says(t, `
import gc, weakref, torch
import clock, networks, timing, training
network = networks.Network("tiny-gpt2", torch.device("cpu"))
training.layers(network, clock.Clock(network.device), timing.Rule(10, 3, 1e9), 2)
model = weakref.ref(network.model.get_parameter(next(network.model.named_parameters())[0]))
del network
gc.collect()
print(model() is None)`); got != "True" {
		t.Errorf("freed: %s", got)
	}
}

// What a second run refuses keeps the value of the first; what it measures replaces it.
func TestProfilerKeepsMeasured(t *testing.T) {
	cmd := exec.Command(testutil.Python(t), "-B", "-c", `
import pathlib, sys
from journal import Journal
j = Journal(pathlib.Path(sys.argv[1]), {})
row = lambda q, value, note="": {"quantity": q, "value": value, "note": note}
refused = "refused: spread 0.2 over 0.05"
of = ("steps", "m", "bf16", 8, 0)
first = [row("step_s", 1.0), row("forward_s", None, refused), dict(row("layers", None), layers=[1])]
assert j.better(of, first) == first
j.put(of, first)
assert j.better(of, [row("step_s", None, refused), row("forward_s", 2.0), row("layers", None, refused)]) == [first[0], row("forward_s", 2.0), first[2]]
assert j.better(of, [row("step_s", 3.0)]) == [row("step_s", 3.0)]
print("ok")`, filepath.Join(t.TempDir(), "resume.jsonl"))
	cmd.Dir = "profiler"
	if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "ok" {
		t.Errorf("%v: %s", err, out)
	}
}

// What was never tried comes before what an earlier run was refused; what this run was
// refused is not repeated in it.
func TestProfilerOrder(t *testing.T) {
	cmd := exec.Command(testutil.Python(t), "-B", "-c", `
import pathlib, sys
from journal import Journal
from profiler import Run, passes
from timing import Rule
path, refused, tried = pathlib.Path(sys.argv[1]), "refused: spread 0.2 over 0.05", []
def once(found, deadline=float("inf")):
    run = Run(Journal(path, {}), Rule(10, 3, .05, .25, deadline), ["steps"], 1)
    def tasks(run):
        for name in ("a", "b", "c"):
            run.do("steps", lambda: tried.append(name) or {"step_s": found[name]}, name)
    passes(run, tasks)
    return run.left
assert once({"a": refused, "b": 1.0, "c": refused}) == 0 and tried == ["a", "b", "c"], tried
path.write_text("".join(line for line in path.open() if '"c"' not in line))
tried.clear()
assert once({"a": 2.0, "c": 3.0}) == 0 and tried == ["c", "a"], tried
path.write_text("".join(line for line in path.open() if '"c"' not in line))
assert once({}, deadline=0.0) == 1
print("ok")`, filepath.Join(t.TempDir(), "resume.jsonl"))
	cmd.Dir = "profiler"
	if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "ok") {
		t.Errorf("%v: %s", err, out)
	}
}
