package read

import (
	"errors"
	"strconv"
)

var percentBandForm = Pattern(`^(?:(\d{1,3})-(\d{1,3})|(\d{1,3})\+|>(\d{1,3})|<(\d{1,3}))%?$`)

// PercentBand reads a band such as 5-10, 20+, <5% or >20%: its ends in percent,
// null where it is open.
func PercentBand(text string) (lo, hi *float64, err error) {
	m := percentBandForm().FindStringSubmatch(text)
	if m == nil {
		return nil, nil, errors.New("expected a band of percents such as 5-10, 20+, <5% or >20%")
	}
	end := func(group int) *float64 {
		n, err := strconv.Atoi(m[group])
		if err != nil { // the band has no such end
			return nil
		}
		x := float64(n)
		return &x
	}
	switch {
	case m[1] != "":
		lo, hi = end(1), end(2)
	case m[5] != "":
		lo, hi = new(float64), end(5)
	default:
		lo = end(3)
		if lo == nil {
			lo = end(4)
		}
	}
	if *lo > 100 || hi != nil && (*hi > 100 || *lo >= *hi) {
		return nil, nil, errors.New("expected a band that rises within 0 to 100 percent")
	}
	return lo, hi, nil
}
