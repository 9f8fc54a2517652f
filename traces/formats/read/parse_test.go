package read

import "testing"

func TestPercentBand(t *testing.T) {
	for text, want := range map[string][2]float64{"0-5": {0, 5}, "15-20": {15, 20}, "5-10%": {5, 10}, "20+": {20, -1}, ">20%": {20, -1}, "<5%": {0, 5}} {
		lo, hi, err := PercentBand(text)
		if err != nil || *lo != want[0] || (hi == nil) != (want[1] < 0) || hi != nil && *hi != want[1] {
			t.Errorf("%s: %v %v %v", text, lo, hi, err)
		}
	}
	for _, text := range []string{"", "5", "10-5", "5-5", "0-101", "-5", "101+", "NaN-5", "<", "a-b", "1e2-5"} {
		if _, _, err := PercentBand(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}
