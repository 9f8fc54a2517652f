package cmd

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/marigram/marigram/cmd/internal/cli"
)

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

// What cannot be written is a failure; what cannot be read is an error of the input.
func TestExitCodesOfTraces(t *testing.T) {
	dir := t.TempDir()
	prices := filepath.Join(dir, "prices.json")
	write(t, prices, `{"SpotPriceHistory": [{"AvailabilityZone": "us-east-1a", "InstanceType": "p3.2xlarge",
	"ProductDescription": "Linux/UNIX", "SpotPrice": "1.200000", "Timestamp": "2024-01-02T00:00:00.000Z"}]}`)
	for _, c := range []struct {
		args   []string
		stdout io.Writer
		want   int
	}{
		{[]string{"stats", prices}, io.Discard, 0},
		{[]string{"stats", prices}, full{}, cli.ExitFailed},
		{[]string{"import", prices, "--out", filepath.Join(prices, "below")}, io.Discard, cli.ExitFailed},
		{[]string{"stats", filepath.Join(dir, "none.json")}, full{}, cli.ExitUsage},
	} {
		var stderr bytes.Buffer
		if code := execute(append([]string{"traces"}, c.args...), c.stdout, &stderr); code != c.want {
			t.Errorf("%v: exit %d, expected %d: %s", c.args, code, c.want, &stderr)
		}
	}
}
