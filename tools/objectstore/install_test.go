package objectstore

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// port is one that is free. Systems give connections ports above these, so that none of them has it while the server is
// away.
func port(t *testing.T) string {
	t.Helper()
	for range 100 {
		p := fmt.Sprint(10_000 + rand.IntN(20_000))
		if free, err := net.Listen("tcp", "127.0.0.1:"+p); err == nil {
			free.Close()
			return p
		}
	}
	t.Skip("no port on this machine")
	return ""
}

// installed returns a program in a folder of the cache, which is made with a command once.
func installed(t *testing.T, folder, file string, install func(dir string) *exec.Cmd) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("no cache folder:", err)
	}
	dir := filepath.Join(cache, "marigram-tests", folder)
	path := filepath.Join(dir, file)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Skip(err)
	}
	made, err := os.MkdirTemp(filepath.Dir(dir), ".new-*") // the folder appears when it is whole
	if err != nil {
		t.Skip(err)
	}
	defer os.RemoveAll(made)
	cmd := install(made)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("%v: %v\n%s", cmd.Args, err, out)
	}
	if err := os.Rename(made, dir); err != nil {
		os.RemoveAll(dir) // half of one, of a test that was killed
		err = os.Rename(made, dir)
		if _, none := os.Stat(path); err != nil && none != nil {
			t.Skip(err)
		}
	}
	return path
}

func goInstall(module string) func(dir string) *exec.Cmd {
	return func(dir string) *exec.Cmd {
		cmd := exec.Command("go", "install", module)
		cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=")
		return cmd
	}
}
