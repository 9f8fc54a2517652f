package formats_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/columnar"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
)

// heapWatch is a context that notes the most live heap at any of the moments at
// which an import asks it whether to go on: every read, every part written.
type heapWatch struct {
	context.Context
	peak uint64
}

func (h *heapWatch) Err() error {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	h.peak = max(h.peak, m.HeapAlloc)
	return nil
}

// peakOf imports a file and returns the most live heap, in bytes.
func peakOf(t *testing.T, path string, spill, rows int) int {
	t.Helper()
	h := heapWatch{Context: context.Background()}
	report, err := formats.ImportToSpilling(&h, spill, []string{path}, traces.Options{}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if report.Unique != rows {
		t.Fatalf("%d rows, expected %d", report.Unique, rows)
	}
	return int(h.peak)
}

// textFile writes n prices as the AWS command prints them as text, packed.
func textFile(t *testing.T, rows int) string {
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, "SPOTPRICEHISTORY\tus-east-1%c\tp%d.%dxlarge\tLinux/UNIX\t%d.%06d\t%s\n", 'a'+i%5, 2+i%4, 1+i/4%5, i%30, i*7919%1_000_000,
			traces.Stamp(1_675_300_000_000_000+1_000_000*int64(i)))
	}
	path := filepath.Join(t.TempDir(), "2023-02.txt.zst")
	if err := os.WriteFile(path, []byte(testutil.Zstded(t, b.String())), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// The memory of an import does not grow with the file: five times the rows take
// no more. Held in memory, they would.
func TestFlatMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 100 MB")
	}
	const (
		rows  = columnar.GroupRows + 1 // the writer needs 3 MB more for a second whole group
		slack = 5 << 20                // two thirds of what four times the rows need
		spill = 8 << 10
	)
	for range testutil.Size(0, 1) {
		page := func(n int) string { return awsPageFile(t, func(i, _ int) bool { return i < n }) }
		one, five := peakOf(t, page(rows), spill, rows), peakOf(t, page(5*rows), spill, 5*rows)
		t.Logf("JSON: %d KB for %d rows, %d KB for five times as many", one/1000, rows, five/1000)
		if five > one+slack {
			t.Errorf("JSON: %d bytes of heap for %d rows, %d for five times as many", one, rows, five)
		}
	}
	large := textFile(t, 5*rows)
	one, five := peakOf(t, textFile(t, rows), spill, rows), peakOf(t, large, spill, 5*rows)
	held := peakOf(t, large, 5*rows+1, 5*rows)
	t.Logf("text: %d KB for %d rows, %d KB for five times as many, %d KB where none are spilled", one/1000, rows, five/1000, held/1000)
	if five > one+slack {
		t.Errorf("text: %d bytes of heap for %d rows, %d for five times as many", one, rows, five)
	}
	if held < one+slack {
		t.Errorf("text: %d bytes of heap where none are spilled: this test sees nothing", held)
	}
}
