package report

import (
	"fmt"
	"math"
	"strconv"
)

// finite returns nil for numbers that JSON does not have.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// short rounds to five digits, which is more than a screen shows.
func short(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 5, 64), 64)
	if err != nil {
		panic(err) // what FormatFloat writes can be read
	}
	return y
}

// span puts seconds into words.
func span(s float64) string {
	switch {
	case s < 90:
		return fmt.Sprintf("%.3g s", s)
	case s < 90*60:
		return fmt.Sprintf("%.3g min", s/60)
	}
	return fmt.Sprintf("%.4g h", s/3600)
}

// short5 writes five digits.
func short5(x float64) string { return strconv.FormatFloat(short(x), 'g', -1, 64) }

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}
