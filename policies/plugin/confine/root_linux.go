package confine

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// needed is what programs need of a system to start: the dynamic linker, libraries, other programs that run them
// (#!), and what Python reads.
var needed = []string{"/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/bin", "/bin", "/lib", "/lib64", "/usr/local/lib",
	"/usr/share/zoneinfo", "/etc/alternatives", "/etc/ld.so.cache", "/dev/null", "/dev/urandom"}

// folder is where the program finds its files.
const folder = "/policy"

// newRoot makes a root folder in memory with copies of the plug-in's files and what it may read, moves this process
// into it, and makes it read-only. What is not in it has no name for the plug-in, whatever it calls.
func (s *stage) newRoot() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mount / as private: %w", err)
	}
	size := fmt.Sprintf("size=%d,nr_inodes=%d,mode=755", maxBytes+1<<20, 4*maxFiles)
	if err := unix.Mount("tmpfs", s.Root, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, size); err != nil {
		return fmt.Errorf("mount a tmpfs: %w", err)
	}
	if err := os.CopyFS(filepath.Join(s.Root, folder), os.DirFS(s.Files)); err != nil {
		return err
	}
	read := slices.Concat(needed, s.Read)
	slices.SortStableFunc(read, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	for _, path := range read {
		if err := s.show(path); err != nil {
			return err
		}
	}
	if err := os.Chdir(s.Root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil { // the former root lies upon the new one,
		return fmt.Errorf("pivot_root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil { // and goes
		return fmt.Errorf("unmount the former root: %w", err)
	}
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &readOnly); err != nil {
		return fmt.Errorf("mount_setattr: %w", err)
	}
	return nil
}

// show makes a file or folder appear in the new root where it is in the system's, and whatever is below. Of links
// of the system it copies the text.
func (s *stage) show(path string) error {
	at := filepath.Join(s.Root, path)
	if _, err := os.Lstat(at); err == nil {
		return nil // with a folder above
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	if slices.Contains(needed, path) && info.Mode()&fs.ModeSymlink != 0 {
		text, err := os.Readlink(path)
		if err != nil {
			return err
		}
		return os.Symlink(text, at)
	}
	if info, err = os.Stat(path); err != nil {
		return err
	}
	if info.IsDir() {
		err = os.Mkdir(at, 0o755)
	} else {
		err = os.WriteFile(at, nil, 0o444)
	}
	if err != nil {
		return err
	}
	if err := unix.Mount(path, at, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return &os.PathError{Op: "bind mount", Path: path, Err: err}
	}
	return nil
}
