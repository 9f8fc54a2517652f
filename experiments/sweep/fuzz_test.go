package sweep

import (
	"strings"
	"testing"
)

// What is taken for a sweep has a base and bounds that hold; what is not is an
// error with its file.
func FuzzParse(f *testing.F) {
	f.Add("base: quickstart\nseeds: 12\nchunk_runs: 12\nmatrix:\n  market.replay.notice_s: [30, 120]\n")
	f.Add("base: quickstart\nstarts: {every: 6h}\nzip: {horizon_s: [1, 2], policy: [reactive, spotdnn]}\ninclude: [{policy: reactive}]\n")
	f.Add("base: quickstart\nstarts: {random: 3}\nexclude: [{policy: x}]\n---\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parse("f.yaml", []byte(text))
		switch {
		case err != nil && !strings.HasPrefix(err.Error(), "f.yaml"):
			t.Errorf("an error without its file: %v", err)
		case err == nil && (s.Base == "" || s.Seeds < 0 || s.Chunk < 0 || s.Chunk > MaxChunk || s.Starts.EveryS != 0 && !(s.Starts.EveryS >= 1)):
			t.Errorf("accepted %+v", s)
		}
	})
}
