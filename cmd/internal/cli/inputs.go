package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"math"

	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/catalogue"
	"github.com/marigram/marigram/traces/describe"
)

// OpenMeasured reads a profile: a file, or one that comes with marigram by name.
func OpenMeasured(name string) (*fit.Measured, error) {
	p, err := fit.OpenMeasured(name)
	if errors.Is(err, fs.ErrNotExist) {
		published, other := fit.PublishedMeasured(name)
		if other != nil {
			return nil, fmt.Errorf("%w (and %w)", err, other)
		}
		return published, nil
	}
	return p, err
}

// LoadTrace reads a trace for a command that has no options of formats, and says how to
// write the neutral form where the trace needs one.
func LoadTrace(path string) (*traces.Set, error) {
	set, _, err := catalogue.Load(path, traces.Options{})
	var bad *traces.DataError
	if errors.As(err, &bad) && bad.Option != "" {
		return nil, fmt.Errorf("%w; this command has no --%s: write the neutral form with marigram traces import %s --%[2]s ... --out FOLDER, and give it FOLDER",
			err, bad.Option, path)
	}
	return set, err
}

// CountedPools returns the pool of that name, or where it is empty all that have
// counts of machines.
func CountedPools(set *traces.Set, name string) ([]int, error) {
	if name != "" {
		i := set.PoolNamed(name)
		if i < 0 {
			return nil, fmt.Errorf("no pool %q%s", name, nearPool(set, name))
		}
		return []int{i}, nil
	}
	var pools []int
	for _, o := range describe.Observe(set) {
		if len(o.Count) > 0 {
			pools = append(pools, o.Pool)
		}
	}
	if len(pools) == 0 {
		return nil, errors.New("no pool has counts of machines")
	}
	return pools, nil
}

// nearPool hints at the pool that may have been meant.
func nearPool(set *traces.Set, name string) string {
	var names []string
	for i := range set.Pools {
		names = append(names, set.Pools[i].Name)
	}
	if hint := registry.DidYouMean("; ", name, names); hint != "" {
		return hint
	}
	return fmt.Sprintf("; the trace has %d pools, the first is %q", len(names), names[0])
}

// CheckGuards refuses bounds of a forecast that cannot be.
func CheckGuards(smallest, largest float64) error {
	if !(smallest >= 0 && largest >= 0 && (largest == 0 || largest >= smallest)) || math.IsInf(smallest, 0) {
		return fmt.Errorf("--min %v --max %v, expected 0 or more, and max 0 or at least min", smallest, largest)
	}
	return nil
}
