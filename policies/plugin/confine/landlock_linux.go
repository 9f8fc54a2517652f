package confine

import (
	"errors"
	"os"
	"slices"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const reading = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR

// handled are the rights of files, of TCP and of signals and abstract sockets that a version of Landlock can
// take away: all of them are.
func handled(version int) (attr unix.LandlockRulesetAttr, size uintptr) {
	files := [...]uint{13, 14, 15, 15, 16} // bits by version, the last of all later ones
	attr.Handled_access_fs = 1<<files[min(version, len(files))-1] - 1
	switch {
	case version >= 6:
		attr.Handled_access_net, attr.Scoped = 3, 3
		return attr, 24
	case version >= 4:
		attr.Handled_access_net = 3
		return attr, 16
	}
	return attr, 8
}

// landlock is its version, 0 if there is none.
var landlock = sync.OnceValue(func() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
})

// restrict takes all rights to files from the present thread but to read what the plug-in may, and to write to /dev/null.
// Where it has a root of its own this says the same once more.
func (s *stage) restrict() error {
	if landlock() == 0 {
		return nil
	}
	attr, size := handled(landlock())
	rules, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return errno
	}
	defer syscall.Close(int(rules))
	read := []string{"/"}
	if s.Root == "" {
		read = append(slices.Concat(needed, s.Read), s.Files)
	}
	for _, path := range read {
		if err := allow(int(rules), path, reading); err != nil {
			return err
		}
	}
	if err := allow(int(rules), "/dev/null", unix.LANDLOCK_ACCESS_FS_READ_FILE|unix.LANDLOCK_ACCESS_FS_WRITE_FILE); err != nil {
		return err
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, rules, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// allow adds a rule for what is at a path and below; what does not exist needs none.
func allow(rules int, path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return err
	}
	if info.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &^= unix.LANDLOCK_ACCESS_FS_READ_DIR
	}
	rule := [12]byte{} // packed: 8 bytes of rights, 4 of the descriptor
	*(*uint64)(unsafe.Pointer(&rule[0])) = access
	*(*int32)(unsafe.Pointer(&rule[8])) = int32(fd)
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)),
		0, 0, 0); errno != 0 {
		return &os.PathError{Op: "allow", Path: path, Err: errno}
	}
	return nil
}
