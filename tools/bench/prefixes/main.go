// Command prefixes measures how much of their runs settings of a sweep share: from
// the begin of a run to the first instant at which the fleet, the prices, the job or
// the cost differ, two settings make one run. It prints, for each setting that is
// varied, what part of the simulated time would be left if each prefix were simulated
// once.
//
//	make -C tools tools && bin/tools/prefixes [-program bin/marigram] [-seeds 20]
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/marigram/marigram/experiments/results"
)

// varied is a setting of the quickstart and its values.
type varied struct {
	policy, key string
	values      []string
}

var sweeps = []varied{
	{"reactive", "market.replay.notice_s", []string{"0", "30", "60", "120", "300", "600"}},
	{"spotdnn", "market.replay.notice_s", []string{"0", "30", "60", "120", "300", "600"}},
	{"spotdnn-safe", "market.replay.notice_s", []string{"0", "30", "60", "120", "300", "600"}},
	{"reactive", "policy.patience_s", []string{"30", "60", "120", "300", "600", "1200"}},
	{"spotdnn", "policy.patience_s", []string{"30", "60", "120", "300", "600", "1200"}},
	{"spotdnn", "policy.over_prediction", []string{"0", "0.015", "0.03", "0.06", "0.12"}},
	{"spotdnn-safe", "policy.reserve_s", []string{"1", "60", "120", "300", "600"}},
	{"spotdnn-safe", "policy.slack", []string{"0.05", "0.1", "0.22", "0.4"}},
}

func main() {
	program := flag.String("program", "bin/marigram", "`file` of the program")
	seeds := flag.Int("seeds", 20, "seeds of each setting")
	flag.Parse()
	if err := run(*program, *seeds); err != nil {
		fmt.Fprintln(os.Stderr, "prefixes:", err)
		os.Exit(1)
	}
}

func run(program string, seeds int) error {
	dir, err := os.MkdirTemp("", "prefixes-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Println("| policy | setting | values | objective | simulated time that is left |\n|---|---|--:|---|--:|")
	for _, v := range sweeps {
		left, err := v.left(program, dir, seeds)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", v.policy, v.key, err)
		}
		for _, objective := range slices.Sorted(maps.Keys(left)) {
			fmt.Printf("| `%s` | `%s` | %d | %s | %.0f %% |\n", v.policy, v.key, len(v.values), objective, 100*left[objective])
		}
	}
	return nil
}

// left is, by objective, the time of the tree of runs by that of all runs.
func (v *varied) left(program, dir string, seeds int) (map[string]float64, error) {
	type which struct {
		objective string
		seed      int64
	}
	runs := map[which][][]moment{}
	for _, value := range v.values {
		out := filepath.Join(dir, "out")
		cmd := exec.Command(program, "run", "quickstart", "--policy", v.policy, "--seeds", strconv.Itoa(seeds), "-s", "timelines="+strconv.Itoa(seeds),
			"-s", v.key+"="+value, "--out", out, "--no-plots")
		if text, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%w\n%s", err, text)
		}
		set, err := results.ReadAll(out)
		if err != nil {
			return nil, err
		}
		one := map[which][]moment{}
		for _, spans := range runsOf(set.Spans) {
			for rows, err := range results.Stretches(spans) {
				if err != nil {
					return nil, err
				}
				for i := range rows {
					s := &rows[i]
					key := which{s.Objective, s.Seed}
					one[key] = append(one[key], momentOf(s))
				}
			}
		}
		for key, m := range one {
			runs[key] = append(runs[key], m)
		}
		if err := os.RemoveAll(out); err != nil {
			return nil, err
		}
	}
	all, tree := map[string]float64{}, map[string]float64{}
	for _, key := range slices.SortedFunc(maps.Keys(runs), func(a, b which) int { return int(a.seed - b.seed) }) {
		for _, r := range runs[key] {
			all[key.objective] += r[len(r)-1].end
		}
		tree[key.objective] += union(runs[key], 0, 0)
	}
	left := map[string]float64{}
	for objective := range all {
		left[objective] = tree[objective] / all[objective]
	}
	return left, nil
}

// runsOf parts rows by their runs.
func runsOf(spans []results.Span) (runs [][]results.Span) {
	for from, to := 0, 0; from < len(spans); from = to {
		for to < len(spans) && spans[to].Run == spans[from].Run {
			to++
		}
		runs = append(runs, spans[from:to])
	}
	return runs
}

// moment is what a timeline says of a pool in an interval; equal moments are equal
// states as far as a user sees.
type moment struct {
	start, end, price, rate, cost     float64
	ready, starting, noticed, waiting int32
	pool, market, activity            string
}

func momentOf(s *results.Span) moment {
	return moment{s.StartS, s.EndS, s.PriceUSDPerH, s.RateProgressPerS, s.CostUSD, s.Ready, s.Starting, s.Noticed, s.Waiting, s.Pool, s.Market,
		s.Activity}
}

// union is the time of the tree whose branches are runs that agree up to moment i,
// which is reached at an instant, in seconds.
func union(runs [][]moment, i int, at float64) float64 {
	var kinds [][][]moment // the runs that go on, by what they are at i
	for _, r := range runs {
		if i >= len(r) {
			continue
		}
		same := slices.IndexFunc(kinds, func(k [][]moment) bool { return k[0][i] == r[i] })
		if same < 0 {
			kinds, same = append(kinds, nil), len(kinds)
		}
		kinds[same] = append(kinds[same], r)
	}
	total := 0.0
	for _, k := range kinds {
		if alone := k[0]; len(k) == 1 {
			total += alone[len(alone)-1].end - at
			continue
		}
		total += k[0][i].end - at + union(k, i+1, k[0][i].end)
	}
	return total
}
