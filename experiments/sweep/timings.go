package sweep

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// timings are the wall-clock facts of one process, a line a chunk. They are no
// results: those must not depend on who made them.
type timings struct {
	path string
	who  string
	mu   sync.Mutex // workers take turns, so that nobody's line precedes the header
}

func (f *Folder) timings(shard Shard) *timings {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	name := fmt.Sprintf("%s-%d.csv", host, os.Getpid())
	return &timings{path: filepath.Join(f.chunks(), timingsDir, name),
		who: fmt.Sprintf("%s,%d,%d/%d", host, os.Getpid(), shard.I, shard.N)}
}

const timingsHeader = "host,pid,shard,worker,chunk,runs,failed,started_unix_s,wall_s\n"

// add appends a line in one write, with the header before the first.
func (t *timings) add(worker, chunk, runs int, failed int64, began time.Time) error {
	line := fmt.Sprintf("%s,%d,%d,%d,%d,%.3f,%.6f\n", t.who, worker, chunk, runs, failed, float64(began.UnixMilli())/1e3,
		time.Since(began).Seconds())
	t.mu.Lock()
	defer t.mu.Unlock()
	out, err := os.OpenFile(t.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	info, err := out.Stat()
	if err == nil {
		if info.Size() == 0 {
			line = timingsHeader + line
		}
		_, err = out.WriteString(line)
	}
	return errors.Join(err, out.Close())
}
