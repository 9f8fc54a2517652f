package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/marigram/marigram/internal/store"
)

// timings are the wall-clock facts of one process, a line a chunk. They are no
// results: those must not depend on who made them. The file is written anew now and
// then, since what is in an object store cannot be added to.
type timings struct {
	path  string // without its ending
	who   string
	mu    sync.Mutex // workers take turns
	text  []byte
	file  string    // what is written; empty: nothing yet
	wrote time.Time // when
}

func (f *Folder) timings(shard Shard) *timings {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return &timings{path: store.Join(f.chunks(), timingsDir, fmt.Sprintf("%s-%d", host, os.Getpid())),
		who: fmt.Sprintf("%s,%d,%d/%d", host, os.Getpid(), shard.I, shard.N), text: []byte(timingsHeader)}
}

const timingsHeader = "host,pid,shard,worker,chunk,runs,failed,started_unix_s,wall_s\n"

// timingsEvery is how long a line may be in memory only: what a process that is killed
// leaves out of the facts about itself.
const timingsEvery = 10 * time.Second

// add appends a line.
func (t *timings) add(ctx context.Context, worker, chunk, runs int, failed int64, began time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = fmt.Appendf(t.text, "%s,%d,%d,%d,%d,%.3f,%.6f\n", t.who, worker, chunk, runs, failed,
		float64(began.UnixMilli())/1e3, time.Since(began).Seconds())
	if time.Since(t.wrote) < timingsEvery {
		return nil
	}
	return t.write(ctx)
}

// lastWords is how long a process that was told to stop may take to write its facts.
const lastWords = 5 * time.Second

// flush writes what was added, also when ctx is done.
func (t *timings) flush(ctx context.Context) error {
	if ctx.Err() != nil {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
		defer cancel()
		ctx = late
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.text) == len(timingsHeader) {
		return nil
	}
	return t.write(ctx)
}

// write writes the file: the first time under a name that is free, as other machines and
// earlier processes may have had the same host and number.
func (t *timings) write(ctx context.Context) (err error) {
	t.wrote = time.Now()
	if t.file != "" {
		return store.WriteBytes(ctx, t.file, t.text)
	}
	for taken := 1; ; taken++ {
		file := t.path + ".csv"
		if taken > 1 {
			file = fmt.Sprintf("%s-%d.csv", t.path, taken)
		}
		if err = store.WriteNew(ctx, file, t.text); !errors.Is(err, fs.ErrExist) {
			t.file = file
			return err
		}
	}
}
