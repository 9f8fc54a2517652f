package confine

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"unsafe"
)

// Numbers of the kernel's interface (include/uapi/linux/landlock.h), the same on all processors.
const (
	sysCreateRuleset = 444
	sysAddRule       = 445
	sysRestrictSelf  = 446
	sysCloseRange    = 436
	closeOnExec      = 1 << 2 // of close_range

	askVersion     = 1
	pathBeneath    = 1
	noNewPrivs     = 38 // of prctl
	openPath       = 0x200000
	accessExecute  = 1 << 0
	accessWrite    = 1 << 1
	accessReadFile = 1 << 2
	accessReadDir  = 1 << 3
	reading        = accessExecute | accessReadFile | accessReadDir
)

// handled are the rights of files, of TCP and of signals and abstract sockets that a version of Landlock can
// take away: all of them are.
func handled(version int) (attr [3]uint64, size uintptr) {
	files := [...]uint{13, 14, 15, 15, 16} // bits by version, the last of all later ones
	attr[0] = 1<<files[min(version, len(files))-1] - 1
	switch {
	case version >= 6:
		attr[1], attr[2] = 3, 3
		return attr, 24
	case version >= 4:
		attr[1] = 3
		return attr, 16
	}
	return attr, 8
}

// system is what programs need of a system to start: the dynamic linker, libraries, and Python's.
var system = []string{"/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/bin", "/bin", "/lib", "/lib64", "/usr/local/lib", "/etc/ld.so.cache",
	"/dev/urandom"}

// version is that of Landlock, 0 if there is none.
var version = sync.OnceValue(func() int {
	v, _, errno := syscall.Syscall(sysCreateRuleset, 0, 0, askVersion)
	if errno != 0 {
		return 0
	}
	return int(v)
})

// namespaces are what a program gets of its own: users, processes, network and shared memory.
const namespaces = syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC

// separable reports whether this process may start one with namespaces of its own.
var separable = sync.OnceValue(func() bool {
	c := exec.Command("/bin/true")
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: namespaces}
	return c.Run() == nil
})

// Means says by what programs are confined here; empty if they cannot be.
func Means() string {
	switch {
	case version() == 0:
		return ""
	case separable():
		return "landlock, namespaces"
	}
	return "landlock"
}

// Start starts the room's program: c has its standard input and outputs. Nothing that it reads, writes or
// talks to is beyond the room but what any program needs to start.
func (r *Room) Start(c *exec.Cmd) error {
	if version() == 0 {
		return ErrUnable
	}
	c.Env, c.Dir = environment(), r.Dir
	if c.SysProcAttr == nil {
		c.SysProcAttr = &syscall.SysProcAttr{}
	}
	if separable() {
		c.SysProcAttr.Cloneflags |= namespaces
	}
	// Descriptors that this process was itself started with are not for others.
	if _, _, errno := syscall.Syscall(sysCloseRange, 3, math.MaxUint32, closeOnExec); errno != 0 {
		return fmt.Errorf("confine: close_range: %w", errno)
	}
	done := make(chan error)
	go func() {
		// The thread is restricted, and what it starts; it ends with this goroutine, which keeps it.
		runtime.LockOSThread()
		if err := r.restrict(); err != nil {
			done <- fmt.Errorf("confine: %w", err)
			return
		}
		done <- c.Start()
	}()
	if err := <-done; err != nil {
		return err
	}
	return r.bound(c)
}

const (
	addressSpace = 9 // RLIMIT_AS
	processes    = 6 // RLIMIT_NPROC
)

// bound bounds the memory of a program that has just begun, and of what it starts, and how much that is. The kernel counts
// the processes of a user: those of a namespace are the program's alone, in others they would be everybody's.
func (r *Room) bound(c *exec.Cmd) error {
	err := limit(c, addressSpace, uint64(r.Memory())<<20)
	if err == nil && separable() {
		err = limit(c, processes, Processes)
	}
	if err != nil {
		_ = c.Process.Kill()
		_ = c.Wait()
		return fmt.Errorf("confine: the memory and the processes of the program cannot be bounded: %w", err)
	}
	return nil
}

// limit sets a limit of a program that has just begun.
func limit(c *exec.Cmd, what uintptr, most uint64) error {
	both := [2]uint64{most, most}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(c.Process.Pid), what, uintptr(unsafe.Pointer(&both)), 0, 0, 0)
	if errno != 0 && errno != syscall.ESRCH { // it has ended already
		return errno
	}
	return nil
}

// restrict takes all rights from the present thread but to read the room and what the program is run by.
func (r *Room) restrict() error {
	attr, size := handled(version())
	rules, _, errno := syscall.Syscall(sysCreateRuleset, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return errno
	}
	defer syscall.Close(int(rules))
	for _, path := range append(append([]string{r.Dir}, system...), r.read...) {
		if err := allow(int(rules), path, reading); err != nil {
			return err
		}
	}
	if err := allow(int(rules), "/dev/null", accessReadFile|accessWrite); err != nil {
		return err
	}
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, noNewPrivs, 1, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	if _, _, errno := syscall.RawSyscall(sysRestrictSelf, rules, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// allow adds a rule for what is at a path and below; what does not exist needs none.
func allow(rules int, path string, access uint64) error {
	fd, err := syscall.Open(path, openPath|syscall.O_CLOEXEC, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	var info syscall.Stat_t
	if err := syscall.Fstat(fd, &info); err != nil {
		return err
	}
	if info.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		access &^= accessReadDir
	}
	rule := [12]byte{} // packed: 8 bytes of rights, 4 of the descriptor
	*(*uint64)(unsafe.Pointer(&rule[0])) = access
	*(*int32)(unsafe.Pointer(&rule[8])) = int32(fd)
	if _, _, errno := syscall.Syscall6(sysAddRule, uintptr(rules), pathBeneath, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
		return &os.PathError{Op: "allow", Path: path, Err: errno}
	}
	return nil
}
