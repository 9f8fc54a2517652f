package experiments

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/catalogue"
	"github.com/marigram/marigram/traces/formats"
)

// A spec names a pulled set by its name; one that is not pulled, or is given a
// format, is an error at the trace's place.
func TestPulledTrace(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("HOME", dir)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const prices = "dime-aws-spot-prices"
	markets := func(more string) (*market.Markets, error) {
		s, err := spec.Open(write("spec.yaml", `name: pulled
model: {published: spotdnn-resnet110}
objectives: [{loss: 0.8, time_s: 2400}]
market:
  traces:
    - {name: prices, path: pulled:`+prices+more+`}
  pools:
    - {type: p3.2xlarge, quota: 2, prices: {trace: prices}}
`))
		if err != nil {
			t.Fatal(err)
		}
		return market.Of(s)
	}
	if _, err := markets(""); err == nil || !strings.Contains(err.Error(), "spec.yaml:6") || !strings.Contains(err.Error(), "traces pull "+prices+"\n") ||
		!strings.Contains(err.Error(), "-s market.traces.0.path=FOLDER") {
		t.Errorf("not pulled: %v", err)
	}
	if _, err := markets(", format: aws-spot-price"); err == nil || !strings.Contains(err.Error(), "expected none") {
		t.Errorf("with a format: %v", err)
	}
	file := write("prices.json", `{"SpotPriceHistory": [
  {"AvailabilityZone": "us-east-1a", "InstanceType": "p3.2xlarge", "ProductDescription": "Linux/UNIX", "SpotPrice": "1.200000", `+
		`"Timestamp": "2024-01-02T00:00:00.000Z"},
  {"AvailabilityZone": "us-east-1a", "InstanceType": "p3.2xlarge", "ProductDescription": "Linux/UNIX", "SpotPrice": "1.000000", `+
		`"Timestamp": "2024-01-01T00:00:00.000Z"}]}`)
	set, _, err := formats.Import("", []string{file}, traces.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cache, err := catalogue.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Write(filepath.Join(cache, prices)); err != nil {
		t.Fatal(err)
	}
	m, err := markets("")
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Inputs) != 1 || m.Inputs[0].SHA256 != set.Manifest.Source.Files[0].SHA256 {
		t.Errorf("inputs %+v, expected the files that the set was made of", m.Inputs)
	}
}
