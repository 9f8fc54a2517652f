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
		facts := &timings{path: filepath.Join(t.TempDir(), "host-1.csv"), who: "host,1,0/1"}
		var ready, done sync.WaitGroup
		ready.Add(workers)
		for worker := range workers {
			done.Go(func() {
				ready.Done()
				ready.Wait()
				if err := facts.add(worker, worker, 4, 0, time.Now()); err != nil {
					t.Error(err)
				}
			})
		}
		done.Wait()
		text, err := os.ReadFile(facts.path)
		if err != nil || !strings.HasPrefix(string(text), timingsHeader) || strings.Count(string(text), "\n") != 1+workers {
			t.Fatalf("%v\n%s", err, text)
		}
	}
}
