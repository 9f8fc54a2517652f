package confine

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// Bounds of a program beside its memory.
const (
	descriptors = 256
	lastCap     = 63 // no kernel has more; it refuses those that it does not know
)

// limit bounds what the plug-in takes beside memory. It is one process (the filter), so that its addresses, which exec bounds,
// bound its memory.
func (s *stage) limit() error {
	for what, largest := range map[int]uint64{
		unix.RLIMIT_NPROC:    Threads,
		unix.RLIMIT_NOFILE:   descriptors,
		unix.RLIMIT_CORE:     1, // byte: 0 would leave cores that the system pipes to a program (core(5))
		unix.RLIMIT_MEMLOCK:  0,
		unix.RLIMIT_MSGQUEUE: 0,
	} {
		if what == unix.RLIMIT_NPROC && s.Root == "" {
			continue // it would count all that the user runs
		}
		if err := syscall.Setrlimit(what, &syscall.Rlimit{Cur: largest, Max: largest}); err != nil {
			return fmt.Errorf("setrlimit %d: %w", what, err)
		}
	}
	return nil
}

// dropRights makes this thread the plug-in's user, without capabilities, and keeps it from getting any.
func (s *stage) dropRights() error {
	for c := range uintptr(lastCap + 1) {
		_ = unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0) // refused without CAP_SETPCAP: then no_new_privs does it
	}
	if s.User != 0 {
		if err := syscall.Setgroups(nil); err != nil {
			return fmt.Errorf("setgroups: %w", err)
		}
		if err := syscall.Setresgid(s.User, s.User, s.User); err != nil {
			return fmt.Errorf("setresgid: %w", err)
		}
		if err := syscall.Setresuid(s.User, s.User, s.User); err != nil {
			return fmt.Errorf("setresuid: %w", err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	head, none := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, [2]unix.CapUserData{}
	if err := unix.Capset(&head, &none[0]); err != nil {
		return fmt.Errorf("capset: %w", err)
	}
	return nil
}

// stage is what this program does when it is started as the one that confines itself and then becomes the plug-in.
type stage struct {
	Args  []string // the plug-in
	Dir   string   // where it runs, as it sees it
	Files string   // the folder on this system with the plug-in's files
	Root  string   // an empty folder on this system that becomes its root; "": it keeps the system's
	Read  []string // what it may read beside its files and what any program needs
	User  int      // as whom it runs; 0: as who started it
	MB    int      // of addresses

	Filter bool // calls of the system
	Test   bool // ends where it would become the plug-in
}
