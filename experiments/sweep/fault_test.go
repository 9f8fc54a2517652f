package sweep

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const tiny = "base: quickstart\nseeds: 6\nchunk_runs: 6\nmatrix: {policy: [reactive]}\n"

// What is in the place of a chunk and is not it is named, kept, and the chunk made
// again; merge refuses it.
func TestFaultyChunks(t *testing.T) {
	p := planOf(t, tiny)
	f := begin(t, p)
	runAll(t, f, Options{Workers: 2, Shard: Whole})
	want := merged(t, f)
	other := begin(t, planOf(t, strings.Replace(tiny, "reactive", "ondemand", 1)))
	runAll(t, other, Options{Workers: 2, Shard: Whole})
	for name, fault := range map[string]func(b []byte) []byte{
		"checksum":      func(b []byte) []byte { b[len(b)/3] ^= 1; return b },
		"PAR1":          func(b []byte) []byte { return b[:len(b)/2] },
		"begin and end": func([]byte) []byte { return nil },
		"belongs to plan " + other.Plan.Hash[:12] + ", expected " + p.Hash[:12]: func([]byte) []byte { return read(t, other.Part(1)) },
		"is chunk 0, expected 1": func([]byte) []byte { return read(t, f.Part(0)) },
	} {
		bad := fault(read(t, f.Part(1)))
		overwrite(t, f.Part(1), bad)
		s, err := f.Status()
		if err != nil || len(s.Faults) != 1 || !strings.Contains(s.Faults[0], name) || !strings.Contains(s.Faults[0], f.Part(1)) ||
			!slices.Equal(s.Missing, []int{1}) {
			t.Errorf("%s: status %+v, %v", name, s, err)
		}
		to := filepath.Join(t.TempDir(), "all.parquet")
		if _, err := f.Merge(context.Background(), to); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: merge says %v", name, err)
		}
		if _, err := os.Stat(to); err == nil {
			t.Errorf("%s: merge left a file", name)
		}
		var said []string
		r := runAll(t, f, Options{Workers: 1, Shard: Whole, Notice: func(s string) { said = append(said, s) }})
		if r.Made != 1 || len(said) != 1 || !strings.Contains(said[0], name) {
			t.Errorf("%s: %+v, said %q, want one chunk made again and named", name, r, said)
		}
		if got := merged(t, f); got != want {
			t.Errorf("%s: other bytes afterwards", name)
		}
		kept, err := filepath.Glob(f.Part(1) + ".*")
		if err != nil || len(kept) != 1 || string(read(t, kept[0])) != string(bad) {
			t.Errorf("%s: kept %v, %v, want the file that was there", name, kept, err)
		}
		for _, file := range kept {
			os.Remove(file)
		}
	}
}

// A chunk that is missing is named.
func TestMergeIncomplete(t *testing.T) {
	f := begin(t, planOf(t, tiny))
	runAll(t, f, Options{Workers: 1, Shard: Shard{0, 2}})
	if f.Plan.Chunks() != 2 {
		t.Fatalf("%d chunks, want 2", f.Plan.Chunks())
	}
	_, err := f.Merge(context.Background(), filepath.Join(t.TempDir(), "all.parquet"))
	if err == nil || !strings.Contains(err.Error(), "1 of 2 chunks are missing: 1") {
		t.Errorf("%v, want chunk 1 named", err)
	}
}

// What killed processes left of a chunk goes when it is made, what they left of
// the plan when the sweep goes on.
func TestLeftovers(t *testing.T) {
	f := begin(t, planOf(t, tiny))
	for _, left := range []string{filepath.Join(f.chunks(), ".part-000001.parquet.123.tmp"), filepath.Join(f.Dir, ".plan.json.123.tmp")} {
		overwrite(t, left, []byte("half"))
		if s, err := f.Status(); err != nil || !slices.Contains(s.Strays, left) {
			t.Errorf("%+v, %v, want %s among the strays", s, err, left)
		}
	}
	if _, err := f.Plan.Begin(f.Dir); err != nil {
		t.Fatal(err)
	}
	runAll(t, f, Options{Workers: 1, Shard: Whole})
	if s, err := f.Status(); err != nil || len(s.Strays) > 0 {
		t.Errorf("%+v, %v, want no strays", s, err)
	}
}

// All tasks of an array may begin at one time.
func TestBeginTogether(t *testing.T) {
	p := planOf(t, tiny)
	dir := t.TempDir()
	errs := make(chan error)
	const tasks = 32
	for range tasks {
		go func() {
			_, err := p.Begin(dir)
			errs <- err
		}()
	}
	for range tasks {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	f := &Folder{Plan: p, Dir: dir}
	if s, err := f.Status(); err != nil || len(s.Strays) > 0 {
		t.Errorf("%+v, %v, want no strays", s, err)
	}
}

// small mounts a disk of that size (mount's), or skips.
func small(t *testing.T, size string) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("a small disk is mounted: for the superuser only")
	}
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("no small disk: %v %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", disk).CombinedOutput(); err != nil {
			t.Errorf("%v %s", err, out)
		}
	})
	return disk
}

func remount(t *testing.T, disk, options string) {
	t.Helper()
	if out, err := exec.Command("mount", "-o", "remount,"+options, disk).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
}

// named fails unless an error says all that.
func named(t *testing.T, err error, what ...string) {
	t.Helper()
	for _, x := range what {
		if err == nil || !strings.Contains(err.Error(), x) {
			t.Errorf("%v, want %s named", err, x)
		}
	}
}

// Of a full disk the file is named, and what was made stays and is used.
func TestFullDisk(t *testing.T) {
	p := planOf(t, strings.Replace(tiny, "seeds: 6", "seeds: 60", 1))
	disk := small(t, "120k")
	f, err := p.Begin(filepath.Join(disk, "out"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Run(context.Background(), Options{Workers: 2, Shard: Whole})
	named(t, err, "no space left", ".parquet")
	s, err := f.Status()
	if err != nil || s.Done < r.Made || s.Done == 0 || len(s.Faults) > 0 || len(s.Strays) > 0 {
		t.Errorf("%+v, %v, want %d whole chunks and nothing else", s, err, r.Made)
	}
	remount(t, disk, "size=10m")
	if r := runAll(t, f, Options{Workers: 2, Shard: Whole}); r.Skipped != s.Done {
		t.Errorf("%d chunks were used, want %d", r.Skipped, s.Done)
	}
	whole := begin(t, p)
	runAll(t, whole, Options{Workers: 2, Shard: Whole})
	if merged(t, f) != merged(t, whole) {
		t.Error("other bytes than on a large disk")
	}
}

// A disk that is too small for the plan or for what is merged: the file is named,
// and nothing is left of it.
func TestFullDiskForOneFile(t *testing.T) {
	f := begin(t, planOf(t, tiny))
	runAll(t, f, Options{Workers: 1, Shard: Whole})
	disk := small(t, "4k") // a page, which a folder does not take
	for _, name := range []string{"all.parquet", "all.csv"} {
		_, err := f.Merge(context.Background(), filepath.Join(disk, name))
		named(t, err, name, "no space left")
	}
	overwrite(t, filepath.Join(disk, "full"), make([]byte, 4096))
	_, err := f.Plan.Begin(filepath.Join(disk, "out"))
	named(t, err, filepath.Join(disk, "out"), "no space left")
	left, err := filepath.Glob(filepath.Join(disk, "*/*"))
	if entries, e := os.ReadDir(disk); err != nil || e != nil || len(left) > 0 || len(entries) > 2 {
		t.Errorf("%v %v, want nothing but what filled the disk and an empty folder", left, entries)
	}
}

// Of a disk that became read-only the file is named; what was made can be read.
func TestReadOnlyDisk(t *testing.T) {
	p := planOf(t, tiny)
	disk := small(t, "10m")
	f, err := p.Begin(filepath.Join(disk, "out"))
	if err != nil {
		t.Fatal(err)
	}
	runAll(t, f, Options{Workers: 1, Shard: Shard{0, 2}})
	remount(t, disk, "ro")
	_, err = f.Run(context.Background(), Options{Workers: 1, Shard: Whole})
	named(t, err, f.partName(1), "read-only")
	if _, err := p.Begin(filepath.Join(disk, "other")); err == nil {
		t.Error("a folder is begun on a disk that is read-only")
	}
	remount(t, disk, "rw")
	runAll(t, f, Options{Workers: 1, Shard: Whole})
	remount(t, disk, "ro")
	silent := func(s string) { t.Errorf("%s, want nothing said where nothing is made", s) }
	if r := runAll(t, f, Options{Workers: 1, Shard: Whole, Notice: silent}); r.Skipped != 2 {
		t.Errorf("%+v, want what is complete to be used", r)
	}
	merged(t, f)
}

// A folder that belongs to somebody else is named.
func TestNotOurs(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("the superuser may write everywhere")
	}
	f := begin(t, planOf(t, tiny))
	if err := os.Chmod(f.chunks(), 0o555); err != nil {
		t.Fatal(err)
	}
	_, err := f.Run(context.Background(), Options{Workers: 1, Shard: Whole})
	named(t, err, f.partName(0), "permission denied")
	if err := os.Chmod(f.chunks(), 0o755); err != nil {
		t.Fatal(err)
	}
	runAll(t, f, Options{Workers: 1, Shard: Whole})
}

// A folder that cannot be written is named.
func TestUnwritable(t *testing.T) {
	p := planOf(t, tiny)
	file := filepath.Join(t.TempDir(), "file")
	overwrite(t, file, nil)
	if _, err := p.Begin(filepath.Join(file, "out")); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("%v, want %s named", err, file)
	}
	f := begin(t, p)
	if err := os.Mkdir(f.Part(1), 0o755); err != nil {
		t.Fatal(err)
	}
	overwrite(t, filepath.Join(f.Part(1), "x"), nil)
	var said []string
	runAll(t, f, Options{Workers: 1, Shard: Whole, Notice: func(s string) { said = append(said, s) }})
	if len(said) != 1 || !strings.Contains(said[0], "not a regular file") {
		t.Errorf("a folder in the place of a chunk: %q", said)
	}
	if err := os.RemoveAll(f.chunks()); err != nil {
		t.Fatal(err)
	}
	said = nil
	_, err := f.Run(context.Background(), Options{Workers: 1, Shard: Whole, Notice: func(s string) { said = append(said, s) }})
	named(t, err, "part-000000.parquet")
	if len(said) > 0 {
		t.Errorf("the folder is gone: %q beside the error, want it said once", said)
	}
}

// A plan that was changed by hand is refused.
func TestChangedPlan(t *testing.T) {
	f := begin(t, planOf(t, tiny))
	path := filepath.Join(f.Dir, PlanFile)
	overwrite(t, path, []byte(strings.Replace(string(read(t, path)), `"seeds": 6,`, `"seeds": 7,`, 1)))
	if _, err := OpenFolder(f.Dir); err == nil || !strings.Contains(err.Error(), "changed after it was written") {
		t.Errorf("%v", err)
	}
	if _, err := OpenFolder(t.TempDir()); err == nil || !strings.Contains(err.Error(), "there is no sweep") {
		t.Errorf("%v", err)
	}
}

// Runs that fail are rows with their error; the others are as ever, and retry
// makes their chunks again.
func TestFailedRuns(t *testing.T) {
	p := planOf(t, `base: quickstart
seeds: 2
chunk_runs: 4
matrix:
  objectives: [[{loss: 0.8, time_s: 60}]]
  policy: [reactive]
  market.synthetic.regions: [1, 64]
  market.pools.0.quota: [4096]
  market.pools.1.quota: [4096]
  market.synthetic.zones: [3]
`)
	f := begin(t, p)
	r := runAll(t, f, Options{Workers: 2, Shard: Whole})
	var failed, good int
	for _, row := range rowsOf(t, f) {
		if bad := strings.Contains(row.Parameters, `"market.synthetic.regions":64`); bad != (row.Error != "") {
			t.Errorf("%s: error %q", row.Parameters, row.Error)
		}
		if row.Error == "" {
			good++
			continue
		}
		failed++
		if !strings.Contains(row.Error, "more than 1048576 instances") || row.CostUSD == row.CostUSD || row.Policy != "reactive" {
			t.Errorf("%+v, want what it was, why it failed, and no cost", row)
		}
	}
	if failed != 2 || good != 2 || len(r.Broken) != 1 {
		t.Errorf("%d failed, %d did not, %+v, want 2, 2 and 1 chunk", failed, good, r)
	}
	if list, err := f.Failures(r.Broken, 1); err != nil || len(list) != 1 || list[0].Run != 2 {
		t.Errorf("%+v, %v, want run 2", list, err)
	}
	before := merged(t, f)
	if r := runAll(t, f, Options{Workers: 1, Shard: Whole}); r.Made != 0 || len(r.Broken) != 1 {
		t.Errorf("%+v, want nothing made again", r)
	}
	if r := runAll(t, f, Options{Workers: 1, Shard: Whole, Retry: true}); r.Made != 1 || len(r.Broken) != 1 {
		t.Errorf("%+v, want one chunk made again", r)
	}
	if merged(t, f) != before {
		t.Error("other bytes after retry")
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func overwrite(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}
