package adrs

import (
	"cmp"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/internal/testutil/pulled"
	"github.com/marigram/marigram/policies/plugin/loader"
)

// BenchmarkProgram runs the 1,080 cases of one zone once with a program in Python, and reports the processor time of
// the judge and of the program together: MARIGRAM_ADRS_PROGRAM is its file, or it is the plain rule of spot.
func BenchmarkProgram(b *testing.B) {
	testutil.Python(b)
	pulled.Dir(b, setName)
	plain := filepath.Join(b.TempDir(), "plain.py")
	if err := os.WriteFile(plain, []byte(programs["function"]), 0o600); err != nil {
		b.Fatal(err)
	}
	all, err := open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	cases, err := all.oneZone()
	if err != nil {
		b.Fatal(err)
	}
	g, err := loader.ParseFile("published=" + cmp.Or(os.Getenv("MARIGRAM_ADRS_PROGRAM"), plain))
	if err != nil {
		b.Fatal(err)
	}
	if err := adapted(g); err != nil {
		b.Fatal(err)
	}
	before := spent(b)
	for b.Loop() {
		share := (len(cases) + maxCopies - 1) / maxCopies
		if _, _, _, err := runCopies(g, cases, share, func() {}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((spent(b)-before)/float64(b.N), "cpu-s/op")
}

// BenchmarkNative runs the 1,080 cases of one zone once with a plain rule in Go.
func BenchmarkNative(b *testing.B) {
	pulled.Dir(b, setName)
	all, err := open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	cases, err := all.oneZone()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := plain(spotRule{})(b.Context(), cases); err != nil {
			b.Fatal(err)
		}
	}
}

// spent is the processor time of this process and of those that have ended below it, s.
func spent(b *testing.B) (seconds float64) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var used syscall.Rusage
		if err := syscall.Getrusage(who, &used); err != nil {
			b.Fatal(err)
		}
		seconds += float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
	}
	return seconds
}
