package try

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/marigram/marigram/traces"
)

// trace is a recorded trace in its flat form: the manifest is JSON, the tables are as they are.
type trace struct {
	Name, Manifest string
	Tables         tables
}

type tables struct {
	Pools          []traces.Pool
	Prices         []traces.PriceRow
	Capacity       []traces.CapacityRow
	Probes         []traces.ProbeRow
	InstanceEvents []traces.InstanceEventRow
	Jobs           []traces.JobRow
	Gaps           []traces.GapRow
}

// Packed returns the flat form of sets, in the order of their names.
func Packed(sets map[string]*traces.Set) ([]byte, error) {
	var list []trace
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		set := sets[name]
		manifest, err := json.Marshal(set.Manifest)
		if err != nil {
			return nil, err
		}
		list = append(list, trace{name, string(manifest),
			tables{set.Pools, set.Prices, set.Capacity, set.Probes, set.InstanceEvents, set.Jobs,
				set.Gaps}})
	}
	return put(nil, reflect.ValueOf(list)), nil
}

// unpacked reads what Packed returned: sets by their names.
func unpacked(b []byte) (map[string]*traces.Set, error) {
	r := reader{b: b}
	var list []trace
	r.read(reflect.ValueOf(&list).Elem())
	if r.err != nil {
		return nil, fmt.Errorf("traces: %w", r.err)
	}
	sets := map[string]*traces.Set{}
	for i := range list {
		tables := &list[i].Tables
		set := &traces.Set{
			Pools:          tables.Pools,
			Prices:         tables.Prices,
			Capacity:       tables.Capacity,
			Probes:         tables.Probes,
			InstanceEvents: tables.InstanceEvents,
			Jobs:           tables.Jobs,
			Gaps:           tables.Gaps,
		}
		if err := json.Unmarshal([]byte(list[i].Manifest), &set.Manifest); err != nil {
			return nil, fmt.Errorf("traces: %s: %w", list[i].Name, err)
		}
		sets[list[i].Name] = set
	}
	return sets, nil
}
