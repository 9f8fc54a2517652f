package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/marigram/marigram/internal/store"
)

// patience is how long another process may have the lock before the user is told that this one waits.
const patience = 200 * time.Millisecond

// lockFile matches the names of the files that lock writes. They stay: a process that waits for a file that is removed
// would hold another lock than one that comes later.
var lockFile = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^shard-\d+-of-\d+\.lock$`) })

// lock waits until no other process makes the chunks of the shard, and returns how to let the next one: two that make
// them together would do everything twice. There is none in buckets, and none where a file system has no locks, which
// is said. Where no file can be made there is none, and nothing is said: the first chunk that has to be made gives the
// error.
func (f *Folder) lock(ctx context.Context, shard Shard, notice func(string)) (unlock func(), err error) {
	if store.IsRemote(f.Dir) {
		return func() {}, nil
	}
	path := store.Join(f.chunks(), fmt.Sprintf("shard-%d-of-%d.lock", shard.I, shard.N))
	type locked struct {
		unlock func()
		err    error
	}
	got := make(chan locked)
	go func() {
		unlock, err := lockedfile.MutexAt(path).Lock()
		select {
		case got <- locked{unlock, err}:
		case <-ctx.Done(): // nobody waits any more
			if err == nil {
				unlock()
			}
		}
	}()
	told := time.After(patience)
	for {
		select {
		case lock := <-got:
			if lock.err == nil {
				return lock.unlock, nil
			}
			if !isUnwritable(path, lock.err) {
				notice(fmt.Sprintf("%s cannot be locked (%v): another process in it would do the same work once more",
					f.Dir, lock.err))
			}
			return func() {}, nil
		case <-told:
			notice(fmt.Sprintf("another process makes the chunks of %s: "+
				"waiting for it (--shard gives each process a part)", f.Dir))
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// isUnwritable reports whether a lock was refused because its file could not be made: the folder takes no files at all.
// A file that is there and cannot be opened is that of another user, whose chunks this process could make once more.
func isUnwritable(path string, err error) bool {
	if errors.Is(err, syscall.EROFS) {
		return true
	}
	_, missing := os.Stat(path)
	return errors.Is(missing, fs.ErrNotExist)
}
