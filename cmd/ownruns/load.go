package ownruns

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/backtest"
	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/ownruns"
)

// load says what else is known of the runs.
type load struct {
	Fleet string `flag:"fleet" help:"record of the machines of the one run, if it is in a <file> of its own"`
	Bill  string `flag:"bill" help:"record of what was charged for the one run, if it is in a <file> of its own"`
	cli.RecordFlags
	Prices string         `flag:"prices" help:"<trace> of the prices at which machines were held: a file, a folder or pulled:NAME"`
	opt    traces.Options // what the flags of records say
}

// runs reads all runs, and the types of published ones that do not train.
func (l *load) runs(args []string) (runs []*ownruns.Run, idle []string, err error) {
	if l.opt, err = l.Options(); err != nil {
		return nil, nil, err
	}
	for _, arg := range args {
		more, types, err := l.arg(arg)
		if err != nil {
			return nil, nil, err
		}
		runs = append(runs, more...)
		idle = append(idle, types...)
	}
	if (l.Fleet != "" || l.Bill != "" || !l.opt.Start.IsZero()) && len(runs) != 1 {
		return nil, nil, fmt.Errorf("--fleet, --bill and --start belong to one run, and there are %d; "+
			"put the machines and charges of each run into its file", len(runs))
	}
	for _, path := range []string{l.Fleet, l.Bill} {
		if path != "" {
			if runs[0], err = l.merged(runs[0], path); err != nil {
				return nil, nil, err
			}
		}
	}
	return runs, idle, l.addPrices(runs)
}

// arg reads what one argument names.
func (l *load) arg(arg string) (runs []*ownruns.Run, idle []string, err error) {
	info, err := os.Stat(arg)
	if errors.Is(err, fs.ErrNotExist) {
		set, known := backtest.Published(arg)
		if !known {
			return nil, nil, fmt.Errorf("%w%s", err, nearSet(arg))
		}
		runs, err = set.Runs()
		return runs, set.Idle, err
	}
	if err != nil {
		return nil, nil, err
	}
	files := [][]string{{arg}}
	if info.IsDir() {
		if files, err = filesIn(arg); err != nil {
			return nil, nil, err
		}
	}
	for _, paths := range files {
		opt := l.opt
		if len(paths) > 1 {
			opt.TraceID = filepath.Base(filepath.Dir(paths[0]))
		}
		run, err := formats.ImportRun(l.Format, paths, opt)
		if err != nil {
			return nil, nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil, nil
}

// filesIn returns the files of each run of a folder: a file is a run, and a folder is one with all files in it. Names
// that begin with a dot are left out.
func filesIn(dir string) (runs [][]string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		switch {
		case strings.HasPrefix(entry.Name(), "."):
		case entry.Type().IsRegular():
			runs = append(runs, []string{path})
		case entry.IsDir():
			files, err := filepath.Glob(filepath.Join(path, "[^.]*"))
			if err != nil || len(files) == 0 {
				return nil, fmt.Errorf("%s: no files, expected the records of one run", path)
			}
			runs = append(runs, files)
		}
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("%s: no files, expected one for each run", dir)
	}
	return runs, nil
}

// nearSet hints at the published set that may have been meant.
func nearSet(name string) string {
	var names []string
	for _, set := range backtest.PublishedSets() {
		names = append(names, set.Name)
	}
	return registry.DidYouMean("; ", name, names)
}

// merged adds the events of another file to a run.
func (l *load) merged(r *ownruns.Run, path string) (*ownruns.Run, error) {
	opt := l.opt
	opt.Start = time.Time{}
	more, err := formats.ImportRun(l.Format, []string{path}, opt)
	if err != nil {
		return nil, err
	}
	return ownruns.Merge(r.Name, r, more)
}

// addPrices adds the prices of a trace to all runs: those of the types that a run held, from the last before it began.
func (l *load) addPrices(runs []*ownruns.Run) error {
	if l.Prices == "" {
		return nil
	}
	set, err := cli.LoadTrace(l.Prices)
	if err != nil {
		return err
	}
	all, err := ownruns.FromTrace(set)
	if err != nil {
		return fmt.Errorf("%s: %w", l.Prices, err)
	}
	for i, run := range runs {
		if run.Relative != all.Relative {
			return fmt.Errorf("--prices %s: its clock and that of run %s differ: "+
				"one counts from 1970, the other from its own beginning", l.Prices, run.Name)
		}
		of, err := ownruns.New(run.Name, run.Relative, all.Files, pricesOf(run, all.Events))
		if err != nil {
			return err
		}
		if len(of.Events) == 0 {
			return fmt.Errorf("--prices %s: no price of the instance types that run %s held", l.Prices, run.Name)
		}
		if runs[i], err = ownruns.Merge(run.Name, run, of); err != nil {
			return err
		}
	}
	return nil
}

// pricesOf returns the prices that concern a run: until twice its length, for simulations that take longer than it did.
func pricesOf(r *ownruns.Run, events []ownruns.Event) (out []ownruns.Event) {
	type pool struct {
		kind, zone string
		onDemand   bool
	}
	held := map[pool]bool{}
	for _, holding := range r.Holdings() {
		held[pool{holding.Type, holding.Zone, holding.OnDemand}] = true
	}
	end, _ := r.Finish()
	before := map[pool]ownruns.Event{}
	for _, event := range events {
		of := pool{event.Type, event.Zone, event.OnDemand}
		switch {
		case event.Kind != ownruns.Price || !held[of] || event.T > end+(end-r.Zero):
		case event.T <= r.Zero:
			before[of] = event
		default:
			out = append(out, event)
		}
	}
	first := slices.SortedFunc(maps.Values(before), func(a, b ownruns.Event) int {
		return cmp.Or(cmp.Compare(a.T, b.T), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return append(out, first...)
}
