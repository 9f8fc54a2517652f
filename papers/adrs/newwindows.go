package adrs

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/papers/skynomad"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/catalogue"
)

// newWindows returns cases that no program was fitted to, and that chose nothing of the planner.
func (a *archives) newWindows(name string) ([]namedCases, error) {
	if name == "adrs" {
		return a.newOfOneZone()
	}
	zones, err := a.newOfManyZones()
	if err != nil {
		return nil, err
	}
	return []namedCases{zones}, nil
}

// newOfOneZone returns windows of the two histories that no case reads, and of zones of 2023, probed every 195 s and
// read every 600 s: of the nine, or the six, that are pulled.
func (a *archives) newOfOneZone() (all []namedCases, err error) {
	unused := namedCases{name: "unused 2022"}
	for _, pool := range unusedPools {
		unused.cases = append(unused.cases, cut(pool, a.whole[pool].Up, 4)...)
	}
	all = append(all, unused)
	dir, err := catalogue.PulledDir("skynomad-aws-v100-availability-all")
	if err != nil {
		dir, err = catalogue.PulledDir("skynomad-aws-v100-availability")
	}
	if err != nil {
		return all, err
	}
	set, err := traces.Read(dir)
	if err != nil {
		return all, err
	}
	zones := namedCases{name: fmt.Sprintf("%d zones of 2023", len(set.Pools))}
	for _, pool := range set.Pools {
		zones.cases = append(zones.cases, cut(pool.Name, everyTick(set, pool.PoolID), 12)...)
	}
	return append(all, zones), nil
}

// cut returns the cases of so many windows of a history that share no tick.
func cut(pool string, up []bool, windows int) (all []Case) {
	length := len(up) / windows
	for w := range windows {
		window := Window{GapS: lawTickS, Up: up[w*length : (w+1)*length], USD: spotUSD}
		for _, restart := range restarts {
			all = append(all, variants(fmt.Sprintf("%s/new%d", pool, w), pool, window, restart)...)
		}
	}
	return all
}

// everyTick reads the polls of a pool at ticks of lawTickS: each is the last poll before it.
func everyTick(set *traces.Set, pool int32) (up []bool) {
	next := int64(math.MinInt64)
	last := false
	for _, poll := range set.Capacity {
		if poll.PoolID != pool {
			continue
		}
		if next == math.MinInt64 {
			next = poll.T
		}
		for ; poll.T > next; next += (lawTickS * time.Second).Microseconds() {
			up = append(up, last)
		}
		last = poll.Available > 0
	}
	return up
}

// newOfManyZones returns the cases of the same zones in windows that share no tick with those of the set, from the
// histories that its windows were cut from.
func (a *archives) newOfManyZones() (namedCases, error) {
	histories, err := zoneHistories()
	if err != nil {
		return namedCases{}, fmt.Errorf("no new windows of many zones: %w", err)
	}
	starts, err := a.unread(histories)
	if err != nil {
		return namedCases{}, err
	}
	all := namedCases{name: "other windows of 2023"}
	for _, s := range scenarios {
		for _, start := range starts {
			all.cases = append(all.cases, ofHistories(s.name, s.zones, histories, start))
		}
	}
	return all, nil
}

// zoneHistories reads the histories of all zones of the scenarios.
func zoneHistories() (map[string]history, error) {
	var names []string
	for _, s := range scenarios {
		names = append(names, s.zones...)
	}
	slices.Sort(names)
	zones, err := skynomad.V100Zones(slices.Compact(names)...)
	if err != nil {
		return nil, err
	}
	histories := map[string]history{}
	for _, zone := range zones {
		histories[zone.Name] = history{zone.Available, zone.SpotUSD}
	}
	return histories, nil
}

// history is all that was recorded of a zone of 2023, by tick of zonesTickS.
type history struct {
	up  []bool
	usd []float64
}

// zonesTickS is the tick of the histories of 2023, s; zonesWindow is how many a new window has: a program that is late
// has some left to end in.
const (
	zonesTickS  = 195
	zonesWindow = zonesDeadlnS/zonesTickS + 6
)

// ofHistories is the case of zones from a tick on. The price of spot is that of its first tick, as in the set.
func ofHistories(group string, zones []string, histories map[string]history, start int) Case {
	c := Case{
		ID:        group + "/new" + strconv.Itoa(start),
		Group:     group,
		WorkS:     workS,
		DeadlineS: zonesDeadlnS,
		RestartS:  zonesRestart,
	}
	for _, zone := range zones {
		of := histories[zone]
		c.Zones = append(c.Zones, Window{GapS: zonesTickS, Up: of.up[start : start+zonesWindow], USD: of.usd[start]})
	}
	return c
}

// unread returns the starts of windows that share no tick with each other and with the windows of the cases, which are
// found in the histories by what they hold.
func (a *archives) unread(histories map[string]history) (starts []int, err error) {
	ticks := math.MaxInt // that all zones have
	for _, of := range histories {
		ticks = min(ticks, len(of.up))
	}
	read := make([]bool, ticks)
	numbered := map[string]map[string][]bool{} // by the number of the window and zone
	for key, window := range a.zones {
		zone, number, _ := strings.Cut(key, "/")
		if numbered[number] == nil {
			numbered[number] = map[string][]bool{}
		}
		numbered[number][zone] = window.Up
	}
	for number, windows := range numbered {
		at, length := placeOf(windows, histories)
		if at < 0 || at+length > len(read) {
			return nil, fmt.Errorf("window %s is not in the histories of its zones, or there twice", number)
		}
		for i := range length {
			read[at+i] = true
		}
	}
	for start := 0; start+zonesWindow <= len(read); {
		if next := slices.Index(read[start:start+zonesWindow], true); next >= 0 {
			start += next + 1
			continue
		}
		starts = append(starts, start)
		start += zonesWindow
	}
	return starts, nil
}

// placeOf returns the tick from which on histories have what windows of the same time hold, and how long these are; -1
// if there is none, or two.
func placeOf(windows map[string][]bool, histories map[string]history) (at, length int) {
	ticks := math.MaxInt
	for zone, up := range windows {
		ticks = min(ticks, len(histories[zone].up))
		length = max(length, len(up))
	}
	at = -1
	for start := 0; start+length <= ticks; start++ {
		same := true
		for zone, up := range windows {
			same = same && slices.Equal(up, histories[zone].up[start:start+len(up)])
		}
		if same && at >= 0 {
			return -1, 0
		}
		if same {
			at = start
		}
	}
	return at, length
}
