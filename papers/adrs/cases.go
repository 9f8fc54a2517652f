package adrs

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/traces/catalogue"
	"github.com/marigram/marigram/traces/formats/read"
)

// What all cases have in common: examples/ADRS/cant_be_late/problem.py and cant_be_late_multi/problem.py of ttanv/levi
// 1283dca.
const (
	workS        = 48 * 3600 // of the job, s
	onDemandUSD  = 3.06      // an hour
	spotUSD      = 0.9731    // an hour, where a window has no prices
	longestS     = 70 * 3600 // a window that is shorter is no case, s
	windowsASet  = 30
	zonesDeadlnS = 52 * 3600
	zonesRestart = 0.2 * 3600
)

// The deadlines and restarts of the cases of one zone, s.
var (
	deadlinesS = []float64{52 * 3600, 70 * 3600}
	restarts   = []float64{0.02 * 3600, 0.05 * 3600, 0.1 * 3600}
)

// pools are the histories of the cases of one zone, in the order of the evaluators. No case reads the last two.
var (
	pools = []string{"us-west-2a_k80_8", "us-west-2b_k80_1", "us-west-2b_k80_8", "us-west-2a_v100_1",
		"us-west-2a_v100_8", "us-west-2b_v100_1"}
	unusedPools = []string{"us-west-2a_k80_1", "us-west-2b_v100_8"}
)

// scenarios are the cases of many zones: zones in their order, and windows of each.
var scenarios = []struct {
	name    string
	windows int
	zones   []string
}{
	{"2_zones_same_region", 8, []string{"us-east-1a", "us-east-1c"}},
	{"2_regions_east_west", 8, []string{"us-east-2a", "us-west-2a"}},
	{"3_regions_diverse", 6, []string{"us-east-1a", "us-east-2b", "us-west-2c"}},
	{"3_zones_same_region", 6, []string{"us-east-1a", "us-east-1c", "us-east-1d"}},
	{"5_regions_high_diversity", 4, []string{"us-east-1a", "us-east-1f", "us-west-2a", "us-west-2b", "us-east-2b"}},
	{"all_9_regions", 2, []string{"us-east-2a", "us-west-2c", "us-east-1d", "us-east-2b", "us-west-2a", "us-east-1f",
		"us-east-1a", "us-west-2b", "us-east-1c"}},
}

// Window is what was recorded of one zone.
type Window struct {
	GapS float64 // of ticks
	Up   []bool  // by tick: spot is available
	USD  float64 // of spot, an hour
}

// Case is one run that a program is judged by.
type Case struct {
	ID        string // set/file/dR/oD in hours, or scenario/file
	Group     string // set or scenario
	WorkS     float64
	DeadlineS float64
	RestartS  float64
	Zones     []Window // at least one, with the same ticks
}

// ticks returns how many ticks all zones have.
func (c *Case) ticks() int {
	least := len(c.Zones[0].Up)
	for _, zone := range c.Zones {
		least = min(least, len(zone.Up))
	}
	return least
}

// archives are the members of the published archives that are read.
type archives struct {
	windows map[string]map[string][]byte // one zone: by pool and file name; 30 of 300 are read
	whole   map[string]Window            // histories by pool
	zones   map[string]Window            // many zones: by zone/file
}

// The members of both archives, as they were published and as local copies hold them. The folders of the three
// overheads hold the same windows: one is read.
var (
	windowMember = regexp.MustCompile(
		`(?:overhead=0\.02/real/([a-z0-9_-]+)/traces/random_start|cant-be-late/random_start/([a-z0-9_-]+))/(\d+\.json)$`)
	wholeMember = regexp.MustCompile(`(?:^real|cant-be-late)/ping_based/([a-z0-9_-]+)\.json$`)
	zoneMember  = regexp.MustCompile(`converted_multi_region_aligned/([a-z0-9-]+)_v100_1/(\d)\.json$`)
)

// open reads the pulled archives.
func open(ctx context.Context) (*archives, error) {
	dir, err := catalogue.PulledDir(setName)
	if err != nil {
		return nil, err
	}
	entry, err := catalogue.EntryNamed(setName)
	if err != nil {
		return nil, err
	}
	all := &archives{map[string]map[string][]byte{}, map[string]Window{}, map[string]Window{}}
	for _, file := range entry.Files {
		path := filepath.Join(dir, filepath.FromSlash(file.Path))
		if err := all.read(ctx, path); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return all, nil
}

// setName is the set's in the catalogue.
const setName = "adrs-cant-be-late"

func (a *archives) read(ctx context.Context, path string) error {
	text, err := read.Unpacked(ctx, path)
	if err != nil {
		return err
	}
	defer text.Close()
	members := tar.NewReader(text)
	for {
		member, err := members.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := a.add(member.Name, members); err != nil {
			return fmt.Errorf("%s: %w", member.Name, err)
		}
	}
}

func (a *archives) add(name string, text io.Reader) error {
	window := windowMember.FindStringSubmatch(name)
	whole := wholeMember.FindStringSubmatch(name)
	zone := zoneMember.FindStringSubmatch(name)
	if window == nil && whole == nil && zone == nil {
		return nil
	}
	const largest = 1 << 20
	bytes, err := io.ReadAll(io.LimitReader(text, largest))
	if err != nil {
		return err
	}
	if window != nil {
		pool := window[1] + window[2]
		if a.windows[pool] == nil {
			a.windows[pool] = map[string][]byte{}
		}
		a.windows[pool][window[3]] = bytes
		return nil
	}
	read, err := readWindow(bytes)
	switch {
	case err != nil:
		return err
	case whole != nil:
		a.whole[whole[1]] = read
	default:
		a.zones[zone[1]+"/"+zone[2]] = read
	}
	return nil
}

// readWindow reads a file of the format adrs-trace.
func readWindow(text []byte) (w Window, err error) {
	var file struct {
		Metadata struct {
			Gap float64 `json:"gap_seconds"`
		} `json:"metadata"`
		Data   []int     `json:"data"`
		Prices []float64 `json:"prices"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return w, err
	}
	if gap := file.Metadata.Gap; !(gap >= 1 && gap <= 3600) {
		return w, fmt.Errorf("metadata.gap_seconds is %v, expected 1 to 3600", gap)
	}
	w = Window{GapS: file.Metadata.Gap, Up: make([]bool, len(file.Data)), USD: spotUSD}
	for i, preempted := range file.Data {
		if preempted != 0 && preempted != 1 {
			return w, fmt.Errorf("data[%d] is %d, expected 0 (available) or 1", i, preempted)
		}
		w.Up[i] = preempted == 0
	}
	if len(file.Prices) > 0 {
		w.USD = file.Prices[0] // TraceEnv.get_constant_cost_map of sky_spot/env.py: for the whole run
	}
	if !(w.USD > 0 && w.USD < onDemandUSD) {
		return w, fmt.Errorf("prices[0] is %v, expected a price below that on demand", w.USD)
	}
	return w, nil
}

// oneZone returns the 1,080 cases of one zone, in the order of the evaluators.
func (a *archives) oneZone() (all []Case, err error) {
	windows := map[string][]named{}
	for _, pool := range pools {
		if windows[pool], err = choose(a.windows[pool]); err != nil {
			return nil, fmt.Errorf("%s: %w", pool, err)
		}
	}
	for _, restart := range restarts {
		for _, pool := range pools {
			for _, w := range windows[pool] {
				all = append(all, variants(pool+"/"+w.name, pool, w.Window, restart)...)
			}
		}
	}
	return all, nil
}

// variants are the cases of a window: one a deadline.
func variants(name, group string, w Window, restart float64) (all []Case) {
	for _, deadline := range deadlinesS {
		all = append(all, Case{
			ID:    fmt.Sprintf("%s/d%g/o%.2f", name, deadline/3600, restart/3600),
			Group: group, WorkS: workS, DeadlineS: deadline, RestartS: restart, Zones: []Window{w},
		})
	}
	return all
}

// named is a window with the name of its file.
type named struct {
	name string
	Window
}

// choose reads 30 windows, evenly spaced among their files sorted as texts (_select_evenly_spaced of problem.py, whose
// condition that a window has 70 h is met by all 300).
func choose(windows map[string][]byte) (chosen []named, err error) {
	files := slices.Sorted(maps.Keys(windows))
	if len(files) < windowsASet {
		return nil, fmt.Errorf("%d windows, expected at least %d", len(files), windowsASet)
	}
	before := -1
	for j := range windowsASet {
		at := int(math.RoundToEven(float64(j*(len(files)-1)) / (windowsASet - 1)))
		before = min(max(at, before+1), len(files)-1)
		w, err := readWindow(windows[files[before]])
		if err == nil && float64(len(w.Up))*w.GapS < longestS {
			err = fmt.Errorf("%d ticks, expected at least 70 h", len(w.Up))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", files[before], err)
		}
		chosen = append(chosen, named{strings.TrimSuffix(files[before], ".json"), w})
	}
	return chosen, nil
}

// manyZones returns the 34 cases of many zones, in the order of the evaluators.
func (a *archives) manyZones() (all []Case, err error) {
	for _, s := range scenarios {
		for window := range s.windows {
			c := Case{ID: s.name + "/" + strconv.Itoa(window), Group: s.name, WorkS: workS,
				DeadlineS: zonesDeadlnS, RestartS: zonesRestart}
			for _, zone := range s.zones {
				w, is := a.zones[zone+"/"+strconv.Itoa(window)]
				if !is {
					return nil, fmt.Errorf("%s: no window %d of %s", s.name, window, zone)
				}
				c.Zones = append(c.Zones, w)
			}
			all = append(all, c)
		}
	}
	return all, nil
}
