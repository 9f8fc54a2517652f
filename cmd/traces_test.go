package cmd

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/catalogue"
)

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

// What cannot be written is a failure; what the format has no place for is an
// error of the input.
func TestExportExitCodes(t *testing.T) {
	dir := t.TempDir()
	prices, nameless := filepath.Join(dir, "prices.json"), filepath.Join(dir, "nameless")
	write(t, prices, `{"SpotPriceHistory": [{"AvailabilityZone": "us-east-1a", "InstanceType": "p3.2xlarge",
	"ProductDescription": "Linux/UNIX", "SpotPrice": "1.200000", "Timestamp": "2024-01-02T00:00:00.000Z"}]}`)
	set, _, err := catalogue.Load(prices, traces.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set.Pools[0].Product = ""
	if err := set.Write(nameless); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   []string
		stdout io.Writer
		want   int
	}{
		{[]string{prices}, io.Discard, 0},
		{[]string{prices}, full{}, cli.ExitFailed},
		{[]string{prices, "--out", filepath.Join(prices, "below", "out.json")}, io.Discard, cli.ExitFailed},
		{[]string{nameless}, full{}, cli.ExitUsage},
		{[]string{filepath.Join(dir, "none.json")}, io.Discard, cli.ExitUsage},
	} {
		var stderr bytes.Buffer
		args := append([]string{"traces", "export", "--format", "aws-json"}, c.args...)
		if code := execute(args, c.stdout, &stderr); code != c.want {
			t.Errorf("%v: exit %d, expected %d: %s", c.args, code, c.want, &stderr)
		}
	}
}
