package objectstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

var marigram = flag.String("marigram", "", "program to test")

const (
	workers = 8
	spec    = "base: quickstart\nseeds: 80\nchunk_runs: 8\nmatrix: {market.replay.notice_s: [30, 120]}\n"
	chunks  = 160
)

// place is a folder of its own with the spec in it, and everything that was printed there.
type place struct {
	t   *testing.T
	dir string
	mu  sync.Mutex
	log bytes.Buffer
}

func newPlace(t *testing.T) *place {
	t.Helper()
	if *marigram == "" {
		t.Skip("no program: make -C tools test-object-store")
	}
	p := &place{t: t, dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(p.dir, "notice.yaml"), []byte(spec), 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

// run runs a command of marigram, with what it prints in the log as well.
func (p *place) run(ctx context.Context, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, *marigram, args...)
	cmd.Dir, cmd.Env = p.dir, env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log.Write(stdout.Bytes())
	p.log.Write(stderr.Bytes())
	if err != nil {
		err = fmt.Errorf("%v: %w\n%s", args, err, stderr.String())
	}
	return stdout.String(), err
}

func (p *place) must(env []string, args ...string) string {
	p.t.Helper()
	out, err := p.run(p.t.Context(), env, args...)
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

// merged returns the SHA-256 of a sweep's merged file.
func (p *place) merged(env []string, out string) string {
	p.t.Helper()
	path := filepath.Join(p.t.TempDir(), "all.parquet")
	p.must(env, "sweep", "merge", out, "-o", path)
	b, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(b))
}

// shards runs a sweep in eight processes at one time; each has attempts to come to its end.
func (p *place) shards(attempt func(shard int)) {
	var all sync.WaitGroup
	for i := range workers {
		all.Go(func() { attempt(i) })
	}
	all.Wait()
}

// complete checks that nothing is missing and nothing else is there.
func (p *place) complete(env []string, out string) {
	p.t.Helper()
	s := p.status(env, out)
	if s.Done != chunks || len(s.Missing)+len(s.Faults)+len(s.Strays) > 0 {
		p.t.Errorf("%s: %+v, want %d chunks and nothing else", out, s, chunks)
	}
}

type status struct {
	Done    int
	Missing []int
	Faults  []string
	Strays  []string
}

func (p *place) status(env []string, out string) (s status) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(p.must(env, "sweep", "status", "--json", out)), &s); err != nil {
		p.t.Fatal(err)
	}
	return s
}

// The same sweep comes to the same bytes from a folder, from a bucket that eight
// processes write at one time, and from one that they write while they are killed, their
// connections are lost, puts are cut off or slow, lists do not show what is fresh, and
// the server itself is killed and started again. At no time is there half a chunk.
func TestSweep(t *testing.T) {
	p := newPlace(t)
	s := startServer(t)
	began := time.Now()
	p.must(os.Environ(), "sweep", "notice.yaml", "--out", "folder")
	want := p.merged(os.Environ(), "folder")
	t.Logf("folder:             %s in %.1f s", want, time.Since(began).Seconds())

	quiet, url := newProxy(t, s.url(), 0)
	env, out := environment(url, secret), "s3://"+bucket+"/quiet/sweep"
	began = time.Now()
	p.shards(func(shard int) {
		if _, err := p.run(t.Context(), env, "sweep", "notice.yaml", "--out", out, "-j", "1", "--shard", fmt.Sprint(shard, "/", workers)); err != nil {
			t.Error(err)
		}
	})
	took := time.Since(began)
	t.Logf("requests of %d chunks and %d processes: %v", chunks, workers, quiet)
	got := p.merged(env, out)
	t.Logf("S3, %d processes:    %s in %.1f s", workers, got, took.Seconds())
	if got != want {
		t.Error("other bytes in the bucket than in the folder")
	}
	p.complete(env, out)

	p.faults(s, want)
	p.readers(s, env, out)
	p.secrets(s)
}

// faults runs the sweep where everything fails now and then.
func (p *place) faults(s *server, want string) {
	t := p.t
	bad, url := newProxy(t, s.url(), 0.2)
	env, direct, out := environment(url, secret), environment(s.url(), secret), "s3://"+bucket+"/faults/sweep"
	began := time.Now()
	watched, stop := p.watch(direct, out)
	var kills, reported atomic.Int64
	restarted := make(chan struct{})
	go func() { // the server is gone for two seconds
		defer close(restarted)
		time.Sleep(3 * time.Second)
		s.kill()
		time.Sleep(2 * time.Second)
		s.start()
	}()
	dice := rand.New(rand.NewPCG(3, 4))
	var mu sync.Mutex
	p.shards(func(shard int) {
		for n := 1; ; n++ {
			mu.Lock()
			life := time.Duration(300+dice.IntN(1500)) * time.Millisecond
			mu.Unlock()
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			if n <= 3 { // as often as that it is killed
				ctx, cancel = context.WithTimeout(t.Context(), life)
			}
			_, err := p.run(ctx, env, "sweep", "notice.yaml", "--out", out, "-j", "2", "--shard", fmt.Sprint(shard, "/", workers))
			ended := ctx.Err() != nil
			cancel()
			switch {
			case err == nil:
				return
			case ended:
				kills.Add(1)
			default:
				if reported.Add(1); n > 10 {
					t.Error(err)
					return
				}
				t.Error("a fault of the network was not endured:", err)
			}
		}
	})
	took := time.Since(began)
	<-restarted
	p.must(env, "sweep", "status", out) // while lists do not show everything
	close(stop)
	states := <-watched
	t.Logf("faults: %d processes killed; %v", kills.Load(), bad)
	got := p.merged(env, out)
	t.Logf("S3 after faults:    %s in %.1f s; looked at %d times meanwhile", got, took.Seconds(), states)
	if got != want {
		t.Error("other bytes after faults than in the folder")
	}
	if kills.Load() == 0 || states == 0 || bad.did[cutPut] == 0 || bad.did[unheard] == 0 || bad.did[lost] == 0 || bad.did[cutGet] == 0 ||
		bad.did[slow] == 0 || bad.unshown == 0 {
		t.Error("some fault did not happen")
	}
	p.complete(direct, out)
}

// watch looks at a sweep again and again, past the proxy: what is there is whole.
func (p *place) watch(env []string, out string) (looks chan int, stop chan struct{}) {
	looks, stop = make(chan int, 1), make(chan struct{})
	go func() {
		for n := 0; ; {
			select {
			case <-stop:
				looks <- n
				return
			case <-time.After(200 * time.Millisecond):
			}
			text, err := p.run(p.t.Context(), env, "sweep", "status", "--json", out)
			var s status
			if err != nil || json.Unmarshal([]byte(text), &s) != nil {
				continue // it is not begun, or the server is down
			}
			if n++; len(s.Faults) > 0 {
				p.t.Errorf("half a chunk can be seen: %v", s.Faults)
			}
		}
	}()
	return looks, stop
}

// readers checks that commands print of a bucket what they print of a folder.
func (p *place) readers(s *server, env []string, out string) {
	p.t.Helper()
	for _, args := range [][]string{{"compare", "DIR", "--all"}, {"compare", "DIR", "--json"}, {"sweep", "status", "DIR"}} {
		var texts [2]string
		for i, dir := range []string{"folder", out} {
			call := strings.Split(strings.ReplaceAll(strings.Join(args, " "), "DIR", dir), " ")
			texts[i] = p.must(env, call...)
		}
		if texts[0] != texts[1] {
			p.t.Errorf("%v: of the folder\n%s\nof the bucket\n%s", args, texts[0], texts[1])
		}
	}
	base := "s3://" + bucket + "/read/"
	p.must(env, "report", out, "-o", base+"page.html")
	p.must(env, "plot", "paired", out, "--where", "market.replay.notice_s=30", "-o", base+"paired.svg")
	p.must(env, "sweep", "merge", out, "-o", base+"all.parquet")
	p.must(env, "run", "quickstart", "--seeds", "2", "--no-plots", "--out", base+"run")
	p.must(env, "run", "quickstart", "--seeds", "2", "--no-plots", "--out", "run")
	if a, b := p.must(env, "compare", "run"), p.must(env, "compare", base+"run"); a != b {
		p.t.Errorf("a run in a bucket:\n%s\nin a folder\n%s", b, a)
	}
	// The spec may be there, too: the plan is the same.
	if err := os.WriteFile(filepath.Join(s.dir, bucket, "read", "notice.yaml"), []byte(spec), 0o644); err != nil {
		p.t.Fatal(err)
	}
	if text, all := p.must(env, "sweep", base+"notice.yaml", "--out", out), fmt.Sprintf("0 written, %d already done", chunks); !strings.Contains(text, all) {
		p.t.Errorf("%s, want %s", text, all)
	}
}

// secrets checks that no credential is in what was printed and written, nor in what the
// server keeps of it, and that a wrong one is said without its text.
func (p *place) secrets(s *server) {
	t := p.t
	if _, err := p.run(t.Context(), environment(s.url(), secret+"wrong"), "sweep", "status", "s3://"+bucket+"/quiet/sweep"); err == nil ||
		!strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") {
		t.Errorf("a wrong secret: %v, want where credentials come from", err)
	}
	for _, path := range []string{"s3://" + access + ":" + secret + "@" + bucket + "/x", "s3://" + bucket + "/x?key=" + secret} {
		if _, err := p.run(t.Context(), environment(s.url(), secret), "sweep", "notice.yaml", "--out", path); err == nil {
			t.Errorf("%s is taken", path)
		}
	}
	looked := 0
	look := func(name string, text []byte) {
		looked += len(text)
		for _, word := range []string{secret, access} {
			if bytes.Contains(text, []byte(word)) {
				t.Errorf("%s has the credential %s", name, word)
			}
		}
	}
	look("what was printed", p.log.Bytes())
	for _, dir := range []string{p.dir, s.dir} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			look(path, text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("no credential in %d bytes", looked)
}

// Of two sweeps that are begun at one place at one time, one has it.
func TestOnePlan(t *testing.T) {
	p := newPlace(t)
	env, out := environment(startServer(t).url(), secret), "s3://"+bucket+"/one"
	var mu sync.Mutex
	ends := map[string]int{}
	p.shards(func(i int) {
		seeds := fmt.Sprint(10 + i%2)
		_, err := p.run(t.Context(), env, "sweep", "quickstart", "--seeds", seeds, "--out", out, "-j", "1")
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err == nil:
			ends["done with seeds "+seeds]++
		case strings.Contains(err.Error(), "belongs to plan"):
			ends["refused with seeds "+seeds]++
		default:
			t.Error(err)
		}
	})
	if len(ends) != 2 || ends["done with seeds 10"]+ends["done with seeds 11"] != workers/2 {
		t.Errorf("%v, want one plan's four done, and the other's four refused", ends)
	}
}

// A worker that is reported to stop does so, though the store does not answer.
func TestStops(t *testing.T) {
	p := newPlace(t)
	store, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip("no port on this machine:", err)
	}
	defer store.Close()
	asked := make(chan error, 1)
	go func() {
		c, err := store.Accept() // it is the only one; others wait in the queue of the kernel
		if asked <- err; err == nil {
			t.Cleanup(func() { c.Close() })
		}
	}()
	cmd := exec.Command(*marigram, "sweep", "notice.yaml", "--out", "s3://"+bucket+"/hangs")
	cmd.Dir, cmd.Env = p.dir, environment("http://"+store.Addr().String(), secret)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// It would wait for an answer longer than that.
	hung := time.AfterFunc(50*time.Second, func() { _ = cmd.Process.Kill() })
	defer hung.Stop()
	if err := <-asked; err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 75 {
		t.Errorf("%v, want exit status 75", err)
	}
}
