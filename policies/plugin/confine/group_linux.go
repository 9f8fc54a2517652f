package confine

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// group is a control group (version 2) of one run: it also counts what the kernel holds for a program, such as pipes.
// A nil group is none.
type group struct{ dir *os.File }

// parent is the folder in which this process may make groups that bound memory and tasks, "" if there is none.
var parent = sync.OnceValue(func() string {
	mount, own := hierarchy()
	if mount == "" {
		return ""
	}
	for _, dir := range []string{filepath.Dir(filepath.Join(mount, own)), mount} {
		if !strings.HasPrefix(dir, mount) {
			continue
		}
		if usable(dir) {
			return dir
		}
	}
	return ""
})

// usable reports whether a process can be started in a group that is made there: who may make groups may not always
// put processes into them.
func usable(dir string) bool {
	g := groupIn(dir, MemoryMB)
	if g == nil {
		return false
	}
	defer g.close()
	c := exec.Command("/proc/self/exe")
	c.Args = []string{marker, "nothing"}
	c.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(g.dir.Fd())}
	if c.Start() != nil {
		return false
	}
	_ = c.Wait()
	return true
}

// hierarchy is where the groups of version 2 are, and which is that of this process.
func hierarchy() (mount, own string) {
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", ""
	}
	for line := range strings.Lines(string(text)) {
		if name, is := strings.CutPrefix(strings.TrimSpace(line), "0::"); is {
			own = name
		}
	}
	mounts, err := os.Open("/proc/self/mounts")
	if err != nil {
		return "", ""
	}
	defer mounts.Close()
	for lines := bufio.NewScanner(mounts); lines.Scan(); {
		if f := strings.Fields(lines.Text()); len(f) > 2 && f[2] == "cgroup2" {
			return f[1], own
		}
	}
	return "", ""
}

// newGroup is a group for a program with that memory, nil where there can be none. The copies of its files, in memory, and
// what starts it come on top.
func newGroup(mb int) *group {
	if parent() == "" {
		return nil
	}
	return groupIn(parent(), mb)
}

func groupIn(parent string, mb int) *group {
	dir, err := os.MkdirTemp(parent, "policy-")
	if err != nil {
		return nil
	}
	for file, value := range map[string]int{"memory.max": mb<<20 + 2*maxBytes, "memory.swap.max": 0, "pids.max": Threads} {
		// The files are there if the controllers are on; without swap there is no file for it.
		f, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString(strconv.Itoa(value))
			f.Close()
		}
		if err != nil && file != "memory.swap.max" {
			_ = os.Remove(dir)
			return nil
		}
	}
	f, err := os.OpenFile(dir, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		_ = os.Remove(dir)
		return nil
	}
	return &group{f}
}

// close removes the group of a program that has ended.
func (g *group) close() {
	if g != nil {
		g.dir.Close()
		_ = os.Remove(g.dir.Name())
	}
}

// marker is the name of the program in that case.
const marker = "marigram: a confined policy"
