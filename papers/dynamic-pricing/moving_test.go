package dynamicpricing

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/testutil/pulled"
	"github.com/marigram/marigram/papers"
)

// A copy of the spec with fewer jobs and starts is drawn; what cannot be is an error that names the file.
func TestMoving(t *testing.T) {
	text, err := papers.SpecSource("dynamic-pricing/world")
	if err != nil {
		t.Fatal(err)
	}
	short := strings.Replace(string(text), "starts: 30", "starts: 1", 1)
	for _, line := range []string{"2d, v100_days: 2", "4d, v100_days: 4", "8d, v100_days: 8"} {
		short = strings.Replace(short, "      - {name: "+line+"}\n", "", 1)
	}
	draw := func(text string) error {
		path := filepath.Join(t.TempDir(), "own.yaml")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Moving(path)
		return err
	}
	t.Run("drawn", func(t *testing.T) {
		pulled.Dir(t, awsPrices)
		pulled.Dir(t, azurePrices)
		if err := draw(short); err != nil {
			t.Error(err)
		}
	})
	for old, bad := range map[string][2]string{
		"starts: 1":                 {"starts: 0", "expected 1 to 80"},
		"gb: 150":                   {"gb: -1", "expected 0 to"},
		"tiers-2020":                {"aws", "expected one of"},
		"boot_s":                    {"boots", "boots"},
		"dynamic-pricing-world":     {"dynamic-pricing-runs", "expected dynamic-pricing-world"},
		"name: dynamic-pricing/wor": {"[", "own.yaml"},
	} {
		if err := draw(strings.Replace(short, old, bad[0], 1)); err == nil || !strings.Contains(err.Error(), bad[1]) {
			t.Errorf("%s: %v, expected %q", bad[0], err, bad[1])
		}
	}
}
