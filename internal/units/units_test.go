package units

import (
	"math"
	"testing"
)

func TestUSD(t *testing.T) {
	for _, c := range []struct {
		x                   float64
		want, about, signed string
	}{
		{0, "0.00", "0.00", "+0.00"}, {213.4567, "213.46", "213", "+213.46"}, {46.2914, "46.29", "46.3", "+46.29"}, {-75.998, "-76.00", "-76.0", "-76.00"},
		{1.2345, "1.23", "1.23", "+1.23"}, {0.99999, "1.00", "1.00", "+1.00"}, {0.012345, "0.0123", "0.0123", "+0.0123"}, {-0.5, "-0.50", "-0.50", "-0.50"},
		{12345.678, "12345.68", "12346", "+12345.68"}, {3.2e-7, "0.00000032", "0.00000032", "+0.00000032"}, {99.96, "99.96", "100", "+99.96"},
	} {
		if got := [3]string{USD(c.x), AboutUSD(c.x), SignedUSD(c.x)}; got != [3]string{c.want, c.about, c.signed} {
			t.Errorf("%v: %q, want %q, %q, %q", c.x, got, c.want, c.about, c.signed)
		}
	}
	if got := USD(math.NaN()); got != "NaN" {
		t.Errorf("no number: %q", got)
	}
}

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{0: "0 %", 1: "100 %", 0.7: "70 %", 0.99967: "99.9 %", 0.9999999: "99.9 %", 0.9967: "99.7 %",
		1e-6: "under 0.01 %", 0.0033333: "0.333 %", 1.5: "150 %"} {
		if got := Percent(share); got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
}

func TestThousands(t *testing.T) {
	for _, c := range []struct {
		x      float64
		digits int
		want   string
	}{
		{1234567, 3, "1,230,000"},
		{61234, 2, "61,000"},
		{999.6, 3, "1,000"},
		{52.34, 3, "52.3"},
		{100, 2, "100"},
		{0.01234, 2, "0.012"},
	} {
		if got := Thousands(c.x, c.digits); got != c.want {
			t.Errorf("%v to %d digits: %q, want %q", c.x, c.digits, got, c.want)
		}
	}
}
