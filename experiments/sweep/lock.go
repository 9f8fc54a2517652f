package sweep

import (
	"context"
	"fmt"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/marigram/marigram/internal/store"
)

// patience is how long another process may have the lock before the user is told that this one waits.
const patience = 200 * time.Millisecond

// lock waits until no other process makes the chunks of the shard, and returns how to let the next one: two that make them
// together would do everything twice. There is none in buckets, and none where a file system has no locks, which is said.
func (f *Folder) lock(ctx context.Context, shard Shard, notice func(string)) (unlock func(), err error) {
	if store.IsRemote(f.Dir) {
		return func() {}, nil
	}
	if err := store.MakeFolder(f.chunks()); err != nil {
		return nil, err
	}
	type locked struct {
		unlock func()
		err    error
	}
	got := make(chan locked)
	go func() {
		path := store.Join(f.chunks(), fmt.Sprintf("shard-%d-of-%d.lock", shard.I, shard.N))
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
		case x := <-got:
			if x.err != nil {
				notice(fmt.Sprintf("%s cannot be locked (%v): another process in it would do the same work once more", f.Dir, x.err))
				return func() {}, nil
			}
			return x.unlock, nil
		case <-told:
			notice(fmt.Sprintf("another process makes the chunks of %s: waiting for it (--shard gives each process a part)", f.Dir))
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
