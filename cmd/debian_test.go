package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/sweep"
)

// debian unpacks a package, with what it needs beyond what is installed, into a
// folder of its own, and returns the environment in which programs find it. It
// skips, saying why, where the package cannot be had.
func debian(t *testing.T, name string) []string {
	t.Helper()
	archives := t.TempDir()
	root := kept(t, filepath.Join("debian", name), "usr", func(dir string) *exec.Cmd {
		return exec.Command("sh", "-c", `set -e
mkdir -p "$1/partial" "$2"
get() { apt-get -q -o Debug::NoLocking=1 -o Dir::Cache::archives="$1" --download-only --no-install-recommends --yes install "$2"; }
get "$1" "$3" || { apt-get -q update; get "$1" "$3"; }
find "$1" -name '*.deb' -exec dpkg -x {} "$2" ';'`, "sh", archives, dir, name)
	})
	libraries, err := filepath.Glob(filepath.Join(root, "usr/lib/*-linux-gnu*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range libraries {
		libraries = append(libraries, filepath.Join(dir, "blas"), filepath.Join(dir, "lapack")) // Debian's alternatives
	}
	return append(os.Environ(), "PATH="+filepath.Join(root, "usr/bin")+":"+os.Getenv("PATH"),
		"PYTHONPATH="+filepath.Join(root, "usr/lib/python3/dist-packages"), "LD_LIBRARY_PATH="+strings.Join(libraries, ":"))
}

// kept returns a folder of the user's cache that a command fills once, in which there is a file then; the test is
// skipped, saying why, where that cannot be. The folder appears when it is whole: other tests may want it at the same
// time.
func kept(t *testing.T, name, file string, fill func(dir string) *exec.Cmd) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("no cache folder:", err)
	}
	dir := filepath.Join(cache, "marigram-tests", name)
	there := func() bool { _, err := os.Stat(filepath.Join(dir, file)); return err == nil }
	if there() {
		return dir
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Skipf("no %s: %v", name, err)
	}
	made, err := os.MkdirTemp(filepath.Dir(dir), ".new-*")
	if err != nil {
		t.Skipf("no %s: %v", name, err)
	}
	defer os.RemoveAll(made)
	cmd := fill(made)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("no %s: %v: %v\n%s", name, cmd.Args, err, out)
	}
	if err := os.Rename(made, dir); err != nil && !there() { // half of it is left by something that was killed
		os.RemoveAll(dir)
		err = os.Rename(made, dir)
		if err != nil && !there() {
			t.Skipf("no %s: %v", name, err)
		}
	}
	return dir
}

// firstBlock returns the first block of code in that language of a Markdown file that
// has a word in it.
func firstBlock(t *testing.T, file, language, word string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range strings.Split(string(text), "```"+language+"\n")[1:] {
		if code, _, _ = strings.Cut(code, "```"); strings.Contains(code, word) {
			return code
		}
	}
	t.Fatalf("%s has no %s with %q", file, language, word)
	return ""
}

// small writes notice.yaml, a sweep of two cells and 144 runs.
func small(t *testing.T, dir string) string {
	t.Helper()
	file := filepath.Join(dir, "notice.yaml")
	write(t, file, "base: quickstart\nseeds: 12\nchunk_runs: 12\nmatrix:\n  market.replay.notice_s: [30, 120]\n")
	return file
}

// The lines for pandas of docs/sweeps.md say what compare says.
func TestProgramsPandas(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: pandas is another program")
	}
	env := debian(t, "python3-pandas")
	dir := t.TempDir()
	out := filepath.Join(dir, "sweep")
	for _, args := range [][]string{{"sweep", small(t, dir), "--out", out}, {"sweep", "merge", out, "-o", filepath.Join(dir, "runs.csv")}} {
		if code, _, stderr := marigram(args...); code != 0 {
			t.Fatal(stderr)
		}
	}
	code := firstBlock(t, "docs/sweeps.md", "python", "runs.csv") + "means.reset_index().to_json('means.json', orient='records')\n"
	cmd := exec.Command("/usr/bin/python3", "-c", code)
	cmd.Dir, cmd.Env = dir, env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "means.json"))
	if err != nil {
		t.Fatal(err)
	}
	type mean struct {
		NoticeS           int `json:"notice_s"`
		Objective, Policy string
		N                 int
		USD, Met          float64
	}
	var means []mean
	if err := json.Unmarshal(text, &means); err != nil {
		t.Fatal(err)
	}
	_, text2, _ := marigram("compare", out, "--json")
	var want []sweep.Comparison
	if err := json.Unmarshal([]byte(text2), &want); err != nil {
		t.Fatal(err)
	}
	found := map[string]mean{}
	for _, m := range means {
		found[fmt.Sprintf(`{"market.replay.notice_s":%d} %s %s`, m.NoticeS, m.Objective, m.Policy)] = m
	}
	near := func(a, b float64) bool { return a-b < 1e-6 && b-a < 1e-6 }
	for _, c := range want {
		if m := found[c.Parameters+" "+c.Objective+" "+c.Policy]; m.N != c.N || !near(m.USD, c.Value) || !near(m.Met, 1-c.Missed) {
			t.Errorf("pandas says %+v, compare %+v", m, c)
		}
	}
	if len(want) != 16 || len(means) != 16 {
		t.Errorf("%d means, compare has %d, expected 16: two cells, two objectives, four policies", len(means), len(want))
	}
}

// The line for GNU parallel makes a sweep, and once more what failed of it.
func TestProgramsParallel(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: parallel is another program")
	}
	env := debian(t, "parallel")
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "marigram")); err != nil { // see TestMain
		t.Fatal(err)
	}
	line := strings.NewReplacer("seq 0 63", "seq 0 4", "{}/64", "{}/5").Replace(firstBlock(t, "experiments/slurm/README.md", "sh", "parallel"))
	run := func() (string, error) {
		cmd := exec.Command("sh", "-c", `PATH=$PWD:$PATH; `+line)
		cmd.Dir, cmd.Env = dir, append(env, "PARALLEL_HOME="+dir, "HOME="+dir)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run(); err == nil || strings.Count(out, "notice.yaml: no such file") != 5 {
		t.Fatalf("without a sweep: %v\n%s", err, out)
	}
	file := small(t, dir)
	if out, err := run(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	alone := filepath.Join(dir, "alone")
	if code, _, stderr := marigram("sweep", file, "--out", alone); code != 0 {
		t.Fatal(stderr)
	}
	var merged []string
	for _, folder := range []string{alone, filepath.Join(dir, "sweep")} {
		if code, _, stderr := marigram("sweep", "merge", folder, "-o", folder+".parquet"); code != 0 {
			t.Fatal(stderr)
		}
		b, err := os.ReadFile(folder + ".parquet")
		if err != nil {
			t.Fatal(err)
		}
		merged = append(merged, string(b))
	}
	if merged[0] != merged[1] {
		t.Error("parallel's sweep has other bytes than that of one process")
	}
}
