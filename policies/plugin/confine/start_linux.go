package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rooted are namespaces of processes, files, network, shared memory and names.
const rooted = syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS

// means are those of this system.
type means struct {
	flags    uintptr // namespaces
	user     bool    // the plug-in runs as a user of its own on this system
	filter   bool    // of calls
	landlock bool
	works    bool   // all of this does
	why      string // there are no namespaces
}

// system is found by trying: what a kernel says that it has, a container may refuse.
var system = sync.OnceValue(func() means {
	m := means{filter: filters(), landlock: landlock() > 0}
	var whys []string
	var last error
	ways := []means{{flags: rooted | syscall.CLONE_NEWUSER}, {}}
	if os.Geteuid() == 0 {
		ways = append([]means{{flags: rooted, user: true}}, ways...)
	}
	for _, way := range ways {
		way.filter, way.landlock = m.filter, m.landlock
		err := way.try()
		if last = err; err == nil {
			way.works, way.why = true, strings.Join(whys, "; ")
			return way
		}
		if way.flags != 0 {
			whys = append(whys, map[bool]string{true: "as root: ", false: "in a user namespace: "}[way.user]+err.Error())
		}
	}
	m.why = strings.Join(append(whys, "without namespaces: "+last.Error()), "; ")
	return m
})

// try confines a program that does nothing.
func (m means) try() error {
	if m.flags == 0 && !m.filter && !m.landlock {
		return errors.New("the kernel has no Landlock, and no filter of calls for this processor")
	}
	base, err := os.MkdirTemp("", "policy-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(base)
	r := &Sandbox{base: base}
	if err := r.folders(); err != nil {
		return err
	}
	c := exec.Command("test")
	c.Err = nil
	var said strings.Builder
	c.Stderr = &said
	s := r.stage(c, m)
	s.Test = true
	end, err := s.start(c, m)
	if err == nil {
		err = c.Wait()
		end()
	}
	if err != nil {
		return errors.New(strings.TrimSpace(fmt.Sprintf("%v %s", err, said.String())))
	}
	return nil
}

// Means says by what programs are confined here; empty if they cannot be.
func Means() string {
	m := system()
	if !m.works {
		return ""
	}
	var all []string
	add := func(is bool, what string) {
		if is {
			all = append(all, what)
		}
	}
	add(m.flags != 0, "a root folder and namespaces of its own")
	add(m.user, "a user of its own")
	add(m.filter, "a list of allowed calls")
	add(m.landlock, "Landlock")
	add(parent() != "", "a control group")
	add(true, "limits")
	return strings.Join(all, ", ")
}

// Missing says what a program can do here although it should not; empty where it is confined wholly.
func Missing() (all []string) {
	m := system()
	if !m.works {
		return []string{"all that its user can do: " + m.why}
	}
	if m.flags == 0 {
		all = append(all, "ask for the size, the times and the owner of any file, and so see when an earlier run read its files (no namespaces: "+m.why+")",
			"see and signal other processes of its user")
		if !m.landlock {
			all = append(all, "read and write the files of its user (no Landlock)")
		}
	}
	if !m.filter {
		all = append(all, "take memory beyond its bound, start more programs, and call all of the kernel (no filter of calls)")
		if m.flags == 0 {
			all = append(all, "change the rights, owners and attributes of the files of its user")
		}
	}
	return all
}

// runs numbers the programs that this process started.
var runs atomic.Uint32

// users is the first of the numbers of users that programs get: no system gives such numbers to people.
const users = 1 << 30

// newUser is a number that no other program of this system has at the same time, unless this process runs
// more than 256 at once: 22 bits of the process, 8 of the program.
func newUser() int { return users + os.Getpid()<<8&(1<<30-1) + int(runs.Add(1)&0xff) }

// inside is where the program finds its files.
func (r *Sandbox) inside() string {
	if system().flags != 0 {
		return folder
	}
	return r.files()
}

// stage is what is done to start a program.
func (r *Sandbox) stage(c *exec.Cmd, m means) *stage {
	s := &stage{Args: c.Args, Dir: r.files(), Files: r.files(), Read: r.read, MB: r.Memory(), Filter: m.filter}
	if m.flags != 0 {
		s.Dir, s.Root = folder, filepath.Join(r.base, "root")
	}
	if m.user {
		s.User = newUser()
	}
	return s
}

// Start starts the room's program: c has its arguments, standard input and outputs. Nothing that it reads, writes or
// talks to is beyond the room but what any program needs to start. What keeps it from being confined or started is
// written to its standard error. The caller calls end when the program has ended.
func (r *Sandbox) Start(c *exec.Cmd) (end func(), err error) {
	m := system()
	if !m.works {
		return nil, fmt.Errorf("%w: %s", ErrUnable, m.why)
	}
	return r.stage(c, m).start(c, m)
}

func (s *stage) start(c *exec.Cmd, m means) (end func(), err error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	c.Path, c.Args = "/proc/self/exe", []string{marker, string(text)}
	c.Env, c.Dir = environment(), "/"
	if c.SysProcAttr == nil {
		c.SysProcAttr = &syscall.SysProcAttr{}
	}
	c.SysProcAttr.Cloneflags |= m.flags
	if m.flags&syscall.CLONE_NEWUSER != 0 {
		// Within its namespace it is root until it has its own folders; then it gives all rights of root away.
		c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
		c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
	}
	g := newGroup(s.MB)
	if g != nil {
		c.SysProcAttr.UseCgroupFD, c.SysProcAttr.CgroupFD = true, int(g.dir.Fd())
	}
	if err := c.Start(); err != nil {
		g.close()
		return nil, err
	}
	return g.close, nil
}

// init confines this process and becomes the plug-in, if it was started for that. It is done before anything else of
// the program begins.
func init() {
	if len(os.Args) != 2 || os.Args[0] != marker {
		return
	}
	var s stage
	err := json.Unmarshal([]byte(os.Args[1]), &s)
	if err == nil {
		err = s.become()
	}
	fmt.Fprintf(os.Stderr, "confine: %v\n", err)
	os.Exit(126)
}

// become confines this thread, which becomes the plug-in; the others end with that.
func (s *stage) become() error {
	debug.SetGCPercent(-1) // nothing else runs from here on
	syscall.Umask(0o022)
	if s.Root != "" {
		if err := s.newRoot(); err != nil {
			return err
		}
		if err := unix.Sethostname([]byte("policy")); err != nil {
			return fmt.Errorf("sethostname: %w", err)
		}
	}
	if err := os.Chdir(s.Dir); err != nil {
		return err
	}
	if err := s.limit(); err != nil {
		return err
	}
	if err := s.dropRights(); err != nil {
		return err
	}
	if err := s.restrict(); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	if err := unix.CloseRange(3, 1<<32-1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("close_range: %w", err)
	}
	if s.Filter {
		if err := filter(); err != nil {
			return fmt.Errorf("seccomp: %w", err)
		}
	}
	if s.Test {
		os.Exit(0)
	}
	return s.exec()
}

// exec bounds the memory of this process and makes it the plug-in. Between these two it must not take memory, since what
// starts the plug-in has more addresses than it may have; nor can it return an error after that.
func (s *stage) exec() error {
	path, err := unix.BytePtrFromString(s.Args[0])
	if err != nil {
		return err
	}
	args, err := syscall.SlicePtrFromStrings(s.Args)
	if err != nil {
		return err
	}
	env, err := syscall.SlicePtrFromStrings(environment())
	if err != nil {
		return err
	}
	failed, largest := "confine: start "+s.Args[0]+": ", unix.Rlimit{Cur: uint64(s.MB) << 20, Max: uint64(s.MB) << 20}
	if _, _, errno := unix.RawSyscall6(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_AS, uintptr(unsafe.Pointer(&largest)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("bound its memory: %w", errno)
	}
	_, _, errno := unix.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(&args[0])), uintptr(unsafe.Pointer(&env[0])))
	for _, text := range [...]string{failed, errno.Error(), "\n"} {
		_, _, _ = unix.RawSyscall(unix.SYS_WRITE, 2, uintptr(unsafe.Pointer(unsafe.StringData(text))), uintptr(len(text)))
	}
	_, _, _ = unix.RawSyscall(unix.SYS_EXIT_GROUP, 126, 0, 0)
	return errno
}
