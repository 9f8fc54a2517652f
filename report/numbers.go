package report

import (
	"fmt"
	"image/color"
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

func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

func hexColor(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
