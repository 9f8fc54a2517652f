// Package confine runs programs of others so that they see nothing but their own files and what
// they are told: no environment, no file of anybody else, no network, no other process; and so that nothing
// of a run is left for the next.
//
// The kernel does it: a root folder of its own in memory, made for one run, namespaces, a user without rights,
// a list of allowed calls (seccomp), Landlock, and limits. The program that confines starts itself once more for that
// (init), so a Go program that imports this package and is started with the first argument of marker does nothing else.
// Means says what there is, Missing what a program can do all the same.
package confine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Sandbox is a folder with copies of a program's files, out of which it does not get.
type Sandbox struct {
	Dir    string   // where the program runs, as it sees it
	Args   []string // the program, and its arguments as they are there
	SHA256 string   // of the command, and of the names and contents of the files

	// MemoryMB is how many MB (2^20 bytes) of addresses the program may have; 0 means MemoryMB. Programs that
	// reserve more than they use, such as node, need more.
	MemoryMB int

	base string   // the folder with its folders
	read []string // what it may read beside Dir: what it is run by
}

// MemoryMB is the memory of a confined program if nothing else is said.
const MemoryMB = 2048

// Threads is how many threads a program may have at one time. It is one process: it cannot start another.
const Threads = 256

// Memory is the memory of a program in the room, MB.
func (r *Sandbox) Memory() int {
	if r.MemoryMB == 0 {
		return MemoryMB
	}
	return r.MemoryMB
}

// ErrUnable says that this system cannot confine a program.
var ErrUnable = errors.New("this system cannot confine a program: it takes Linux 5.13 or later")

const (
	maxFiles = 1000
	maxBytes = 64 << 20 // of all files
)

// New copies what a command names of a folder, and the Python files beside, into a new folder below the one for
// temporary files. Close removes it.
func New(args []string, dir string, files []string) (r *Sandbox, err error) {
	r = &Sandbox{Args: slices.Clone(args)}
	if r.base, err = os.MkdirTemp("", "policy-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			r.Close()
		}
	}()
	if err = r.folders(); err != nil {
		return nil, err
	}
	r.Dir = r.inside()
	copied, sums, err := r.copyAll(dir, files)
	if err != nil {
		return nil, err
	}
	for i, arg := range r.Args {
		if name, is := copied[absolute(dir, arg)]; is {
			r.Args[i] = name
		}
	}
	r.SHA256 = fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%q\n%s", r.Args, sums)))
	return r, r.findProgram(copied)
}

// Close removes the room.
func (r *Sandbox) Close() { _ = os.RemoveAll(r.base) }

// folders makes the folder of the program's files, from which each run gets copies, and an empty one that becomes the
// root of each run.
func (r *Sandbox) folders() error {
	return errors.Join(os.Mkdir(r.files(), 0o755), os.Mkdir(filepath.Join(r.base, "root"), 0o755))
}

func (r *Sandbox) files() string { return filepath.Join(r.base, "files") }

func absolute(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// copyAll copies the files and what Python may import beside them. It returns their names in the room by
// their paths, and their checksums with their names, line by line.
func (r *Sandbox) copyAll(dir string, files []string) (copied map[string]string, sums string, err error) {
	var paths []string
	for _, file := range files {
		path := absolute(dir, file)
		paths = append(paths, path)
		if filepath.Ext(path) != ".py" {
			continue
		}
		modules, err := filepath.Glob(filepath.Join(escaped(filepath.Dir(path)), "*.py"))
		if err != nil {
			return nil, "", err
		}
		paths = append(paths, modules...)
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	if len(paths) > maxFiles {
		return nil, "", fmt.Errorf("%d files next to the policy, expected at most %d", len(paths), maxFiles)
	}
	left := int64(maxBytes)
	copied = map[string]string{}
	for _, path := range paths {
		name := filepath.Base(path)
		sum, n, err := copyFile(filepath.Join(r.files(), name), path, left)
		if errors.Is(err, fs.ErrExist) {
			return nil, "", fmt.Errorf("two files of the policy are called %s, expected one", name)
		}
		if err != nil {
			return nil, "", err
		}
		left -= n
		copied[path] = name
		sums += sum + " " + name + "\n"
	}
	return copied, sums, nil
}

// escaped is a path as a pattern of filepath.Glob.
func escaped(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(path)
}

// copyFile copies a regular file of at most n bytes, and returns its SHA-256 and its size.
func copyFile(to, from string, largest int64) (sum string, n int64, err error) {
	info, err := os.Stat(from)
	if err != nil {
		return "", 0, err
	}
	if !info.Mode().IsRegular() {
		return "", 0, fmt.Errorf("%s: expected a regular file", from)
	}
	in, err := os.Open(from)
	if err != nil {
		return "", 0, err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o400)
	if err != nil {
		return "", 0, err
	}
	hash := sha256.New()
	n, err = io.Copy(io.MultiWriter(out, hash), io.LimitReader(in, largest+1))
	err = errors.Join(err, out.Close())
	if err == nil && n > largest {
		err = fmt.Errorf("%s: the files of a policy have more than %d bytes", from, maxBytes)
	}
	return hex.EncodeToString(hash.Sum(nil)), n, err
}

// findProgram finds the program of the command, and what it needs to start. Python is asked where it
// lives: what is called python3 may be a script that looks for it.
func (r *Sandbox) findProgram(copied map[string]string) error {
	if slices.Contains(slices.Collect(maps.Values(copied)), r.Args[0]) {
		r.Args[0] = filepath.Join(r.Dir, r.Args[0])
		return nil
	}
	path, err := exec.LookPath(r.Args[0])
	if err != nil {
		return err
	}
	if strings.HasPrefix(filepath.Base(path), "python") {
		const where = "import sys; print(sys.executable, sys.prefix, sys.base_prefix, sep='\\n')"
		out, err := exec.Command(path, "-I", "-c", where).Output()
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if err != nil || len(lines) != 3 {
			return fmt.Errorf("%s does not say where it is installed: %w", path, err)
		}
		path = lines[0]
		for _, prefix := range lines[1:] {
			if prefix != "/" && prefix != "/usr" && prefix != "/usr/local" { // what is needed of these all may read
				r.read = append(r.read, prefix)
			}
		}
	}
	if path, err = filepath.Abs(path); err != nil {
		return err
	}
	r.Args[0] = path
	real, err := filepath.EvalSymlinks(path)
	r.read = append(r.read, path, real)
	return err
}

// environment is all that a confined program finds of one. Python's hashes of texts do not differ from run
// to run.
func environment() []string {
	return []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1"}
}
