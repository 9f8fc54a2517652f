package traces

import "testing"

func FuzzParseUSD(f *testing.F) {
	for _, s := range []string{"1.067100", "0.000000001", "10000", "-1", "1e9"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		nano, err := ParseUSD(text)
		if err != nil {
			return
		}
		if again, err := ParseUSD(FormatUSD(nano)); err != nil || again != nano {
			t.Errorf("%q is %d, printed and read %d, %v", text, nano, again, err)
		}
	})
}

func TestParseUSD(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1e9, "1.067100": 1_067_100_000, "0.000000001": 1, "007.5": 7_500_000_000, "10000": MaxPriceNano, "1.5000000000000": 1_500_000_000,
	} {
		if got, err := ParseUSD(text); err != nil || got != want {
			t.Errorf("%s: %d, %v, expected %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", ".", "1.", ".5", "-1", "+1", "1e3", "NaN", "Inf", "1,5", " 1", "1 ", "0x1", "10000.000000001",
		"99999999999999999999", "0.0000000001", "1.2.3"} {
		if got, err := ParseUSD(text); err == nil {
			t.Errorf("%q: read as %d", text, got)
		}
	}
	for nano, want := range map[int64]string{1_067_100_000: "1.067100", 1: "0.000000001", 12: "0.000000012", 3_060_000_000: "3.060000"} {
		if got := FormatUSD(nano); got != want {
			t.Errorf("%d: %s, expected %s", nano, got, want)
		}
	}
}
