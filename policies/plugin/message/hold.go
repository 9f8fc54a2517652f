package message

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Hold is how many instances to hold, by pool: as JSON, an object of numbers by the names of
// pools or a list of a number a pool. Pools that an object does not name are 0.
type Hold struct {
	ByPool []int
	ByName map[string]int
}

// UnmarshalJSON implements json.Unmarshaler.
func (h *Hold) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte("[")) {
		return json.Unmarshal(text, &h.ByPool)
	}
	return json.Unmarshal(text, &h.ByName)
}

// MarshalJSON implements json.Marshaler.
func (h Hold) MarshalJSON() ([]byte, error) {
	if h.ByName != nil {
		return json.Marshal(h.ByName)
	}
	return json.Marshal(h.ByPool)
}

// Into writes the numbers by pool; the names are those of the pools.
func (h *Hold) Into(hold []int, names []string) error {
	if h.ByName == nil {
		if len(h.ByPool) != len(hold) {
			return fmt.Errorf("hold has %d numbers, expected %d, one a pool", len(h.ByPool), len(hold))
		}
		copy(hold, h.ByPool)
		return checkCounts(hold, names)
	}
	clear(hold)
	for name, n := range h.ByName {
		p := slices.Index(names, name)
		if p < 0 {
			return fmt.Errorf("hold names the pool %q, expected one of %q", name, names)
		}
		hold[p] = n
	}
	return checkCounts(hold, names)
}

// Most bounds the numbers of a plan: more is a mistake, not a wish.
const Max = 1 << 20

func checkCounts(hold []int, names []string) error {
	for p, n := range hold {
		if n < 0 || n > Max {
			return fmt.Errorf("hold of pool %q is %d, expected 0 to %d", names[p], n, Max)
		}
	}
	return nil
}
