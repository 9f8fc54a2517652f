package objectstore

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// The server: Versity's gateway, which keeps objects as files. It is kept, is one Go
// program, and knows conditional puts.
const (
	gateway = "github.com/versity/versitygw/cmd/versitygw"
	version = "v1.8.0"
)

// Credentials of the server: texts that must be found nowhere else.
const (
	access = "AKIDOFTHETEST0042"
	secret = "s3cr3t-of-the-test-7d1f0c"
)

// server is one that can be killed and started again.
type server struct {
	t    *testing.T
	path string
	dir  string // what it keeps
	addr string
	cmd  *exec.Cmd
}

const bucket = "sweeps"

func startServer(t *testing.T) *server {
	t.Helper()
	s := &server{t: t, path: installed(t, "versitygw-"+version, "versitygw", goInstall(gateway+"@"+version)), dir: filepath.Join(t.TempDir(), "objects")}
	if err := os.MkdirAll(filepath.Join(s.dir, bucket), 0o755); err != nil {
		t.Fatal(err)
	}
	s.addr = "127.0.0.1:" + port(t)
	s.start()
	t.Cleanup(s.kill)
	return s
}

func (s *server) url() string { return "http://" + s.addr }

func (s *server) start() {
	s.t.Helper()
	side := filepath.Join(filepath.Dir(s.dir), "metadata") // no extended attributes: not every disk has them
	if err := os.MkdirAll(side, 0o755); err != nil {
		s.t.Fatal(err)
	}
	s.cmd = exec.Command(s.path, "--port", s.addr, "--quiet", "posix", "--sidecar", side, s.dir)
	s.cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+access, "ROOT_SECRET_KEY="+secret)
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		r, err := http.Get(s.url() + "/health")
		if err == nil {
			r.Body.Close()
			return
		}
		if time.Now().After(end) {
			s.t.Fatal("the server does not answer:", err)
		}
	}
}

func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// environment leads the command to a server, with the variables of Amazon's own tools.
func environment(url, secret string) []string {
	return append(os.Environ(), "AWS_ENDPOINT_URL_S3="+url, "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID="+access,
		"AWS_SECRET_ACCESS_KEY="+secret, "AWS_EC2_METADATA_DISABLED=true", "AWS_SHARED_CREDENTIALS_FILE="+os.DevNull)
}
