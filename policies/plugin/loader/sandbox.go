package loader

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Confine has the program started by bwrap (bubblewrap), in namespaces of its own: it sees the programs and libraries
// of the system and the folders of the files that its command names, read-only, and no network, other process or
// environment. Where bwrap is not installed it is an error.
func (g *Plugin) Confine() error {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		return errors.New("a sandbox needs the program bwrap (package bubblewrap), which is not installed: " +
			"install it, or run the judge in a container (docs/protocol.md)")
	}
	program, needs, err := installed(g.Command[0], g.Dir)
	if err != nil {
		return err
	}
	// PYTHONHASHSEED: hashes of texts do not differ from run to run.
	args := strings.Fields(bwrap + " --unshare-all --die-with-parent --new-session --clearenv " +
		"--setenv PATH /usr/bin:/bin --setenv LC_ALL C.UTF-8 --setenv PYTHONHASHSEED 0 " +
		"--setenv PYTHONDONTWRITEBYTECODE 1 --dev /dev --tmpfs /tmp")
	if os.Geteuid() == 0 { // bwrap leaves root its capabilities: a program could remount its folder to write to it
		args = append(args, "--cap-drop", "ALL")
	}
	for _, folder := range []string{"/usr", "/bin", "/lib", "/lib64", "/etc/alternatives", "/etc/ld.so.cache"} {
		args = append(args, "--ro-bind-try", folder, folder)
	}
	args = append(args, "--dir", g.Dir) // so that it is there where it is not bound
	for _, file := range g.Files() {
		needs = append(needs, filepath.Dir(g.path(file)))
	}
	slices.Sort(needs)
	for _, folder := range slices.Compact(needs) {
		args = append(args, "--ro-bind", folder, folder)
	}
	args = append(args, "--chdir", g.Dir, "--", program)
	g.confined = append(args, g.Command[1:]...)
	return nil
}

// installed returns the path of a program, and what has to be readable beside the system's folders for it to start.
// Python is asked where it lives: what is called python3 may be a script that looks for it.
func installed(program, dir string) (path string, needs []string, err error) {
	if strings.ContainsRune(program, filepath.Separator) && !filepath.IsAbs(program) {
		return filepath.Join(dir, program), nil, nil // one of its files
	}
	if path, err = exec.LookPath(program); err != nil {
		return "", nil, err
	}
	if !strings.HasPrefix(filepath.Base(path), "python") {
		return path, nil, nil
	}
	const where = "import sys; print(sys.executable, sys.prefix, sys.base_prefix, sep='\\n')"
	out, err := exec.Command(path, "-I", "-c", where).Output()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != 3 {
		return "", nil, fmt.Errorf("%s does not say where it is installed: %w", path, err)
	}
	for _, prefix := range lines[1:] {
		if prefix != "/" && prefix != "/usr" {
			needs = append(needs, prefix)
		}
	}
	return lines[0], needs, nil
}
