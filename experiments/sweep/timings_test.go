package sweep

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// However many workers end their first chunks at one instant, the header is the first
// line, and there is one: readers take the types of the columns from what follows it.
func TestTimingsBeginWithTheHeader(t *testing.T) {
	const workers = 8
	for range 200 {
		facts := &timings{path: filepath.Join(t.TempDir(), "host-1"), who: "host,1,0/1", text: []byte(timingsHeader)}
		var ready, done sync.WaitGroup
		ready.Add(workers)
		for worker := range workers {
			done.Go(func() {
				ready.Done()
				ready.Wait()
				if err := facts.add(t.Context(), worker, worker, 4, 0, time.Now()); err != nil {
					t.Error(err)
				}
			})
		}
		done.Wait()
		if err := facts.flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(facts.file)
		if err != nil || !strings.HasPrefix(string(text), timingsHeader) || strings.Count(string(text), "\n") != 1+workers {
			t.Fatalf("%v\n%s", err, text)
		}
	}
}
