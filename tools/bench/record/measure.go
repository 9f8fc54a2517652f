package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/internal/stats"
)

// here describes a tree and the machine.
func here(tree string) (place, error) {
	commit, err := git(tree, "log", "-1", "--format=%h %cs")
	if err != nil {
		return place{}, err
	}
	var p place
	p.Commit, p.Date, _ = strings.Cut(commit, " ")
	changed, err := git(tree, "status", "--porcelain", "--untracked-files=no", "--", ":!"+table)
	if err != nil {
		return place{}, err
	}
	if changed != "" {
		p.Commit += "+"
	}
	p.Machine = fmt.Sprintf("%d x %s, %s/%s, %s", runtime.NumCPU(), processor(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	return p, nil
}

func git(tree string, args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-C", tree}, args...)...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// processor is the model that Linux names, or "unknown processor".
func processor() string {
	data, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(data)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// measure runs all headlines of a tree n times, in turns, and returns the
// medians of those that the tree has.
func measure(tree string, rounds int, at place) ([]record, error) {
	dir, err := os.MkdirTemp("", "record-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	values := make([][]float64, len(headlines))
	for round := range rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, rounds)
		for i := range headlines {
			v, err := once(tree, dir, &headlines[i])
			if errors.Is(err, errNone) {
				fmt.Fprintln(os.Stderr, "not recorded:", err)
				continue
			}
			if err != nil {
				return nil, err
			}
			values[i] = append(values[i], v)
		}
	}
	var out []record
	for i, h := range headlines {
		v := slices.Sorted(slices.Values(values[i]))
		if len(v) == 0 {
			continue
		}
		out = append(out, record{place: at, Benchmark: h.name, Unit: h.recorded, Median: stats.Median(v), Min: v[0], Max: v[len(v)-1],
			Rounds: rounds})
	}
	return out, nil
}

// errNone says that a tree has not got a benchmark, an old one for instance.
var errNone = errors.New("there is no such benchmark")

// once runs a benchmark, whose program is compiled into dir the first time.
func once(tree, dir string, h *headline) (float64, error) {
	program := filepath.Join(dir, strings.ReplaceAll(strings.Trim(h.folder, "./"), "/", "-")+".test")
	if _, err := os.Stat(program); err != nil {
		build := exec.Command("go", "test", "-c", "-o", program, h.folder)
		build.Dir = tree
		if out, err := build.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("%s: %w\n%s", h.folder, err, out)
		}
	}
	var parts []string // of the name, each of which is to match whole
	for part := range strings.SplitSeq(h.benchmark, "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	cmd := exec.Command(program, "-test.run=^$", "-test.short", "-test.benchtime=1s", "-test.bench="+strings.Join(parts, "/"))
	cmd.Dir = filepath.Join(tree, h.folder)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%s %s: %w\n%s", h.folder, h.benchmark, err, out)
	}
	printed, err := parse(out, h)
	if err != nil {
		return 0, err
	}
	return h.value(printed), nil
}

// parse finds the value of a headline in what testing prints: name-PROCESSORS, times,
// and pairs of value and unit.
func parse(out []byte, h *headline) (float64, error) {
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		f := strings.Fields(s.Text())
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		if name, _, _ := strings.Cut(f[0], "-"); name != h.benchmark {
			continue
		}
		for i := 2; i+1 < len(f); i += 2 {
			if f[i+1] != h.unit {
				continue
			}
			if v, err := strconv.ParseFloat(f[i], 64); err == nil && v > 0 {
				return v, nil
			}
			return 0, fmt.Errorf("%s: %s %s, expected more than 0", h.benchmark, f[i], h.unit)
		}
	}
	return 0, fmt.Errorf("%s %s prints no %s: %w", h.folder, h.benchmark, h.unit, errNone)
}
