package catalogue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// The files of a made-up data set.
var invented = map[string]string{
	"logs/v=1/a b.csv": "0,add,n1\n60000,add,n2\n120000,remove,n1\n",
	"logs/v=1/c.csv":   "0,add,n1\n60000,remove,n1\n",
}

func inventedEntry() *Entry {
	e := &Entry{Name: "made-up", Repo: "owner/name", Commit: "0123abc", Licence: "MIT", format: "node-events",
		options: traces.Options{Semantics: traces.SemanticsHeld}, folder: "made-up-copy", moved: []moved{{"logs/", "kept/"}}}
	for _, path := range []string{"logs/v=1/a b.csv", "logs/v=1/c.csv"} {
		sum := sha256.Sum256([]byte(invented[path]))
		e.Files = append(e.Files, File{Path: path, Bytes: int64(len(invented[path])), SHA256: hex.EncodeToString(sum[:])})
	}
	return e
}

// home is a server in the place of the public one.
type home struct{ server *httptest.Server }

func (h home) RoundTrip(r *http.Request) (*http.Response, error) {
	if got := r.URL.Scheme + "://" + r.URL.Host; got != publicHome {
		return nil, fmt.Errorf("asked %s, expected %s", got, publicHome)
	}
	to, _ := url.Parse(h.server.URL)
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = to.Scheme, to.Host
	return http.DefaultTransport.RoundTrip(r)
}

func client(t *testing.T, f http.HandlerFunc) func(context.Context, string, int64) (io.ReadCloser, error) {
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return HTTP(&http.Client{Transport: home{s}})
}

func serve(w http.ResponseWriter, r *http.Request) {
	path, _ := strings.CutPrefix(r.URL.Path, "/owner/name/0123abc/")
	text, ok := invented[path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	fmt.Fprint(w, text)
}

// filesUnder lists what is in a folder.
func filesUnder(t *testing.T, dir string) string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	return strings.Join(names, " ")
}

func TestPull(t *testing.T) {
	cache, calls, e := filepath.Join(t.TempDir(), "a", "b"), 0, inventedEntry()
	var last PullProgress
	opt := PullOptions{Cache: cache, Progress: func(p PullProgress) { last = p },
		Download: client(t, func(w http.ResponseWriter, r *http.Request) { calls++; serve(w, r) })}
	p, err := Pull(t.Context(), e, opt)
	if err != nil {
		t.Fatal(err)
	}
	if p.Already || p.Report.Files != 2 || p.Report.Rows != 5 || p.Dir != filepath.Join(cache, "made-up") || filesUnder(t, cache) != "made-up" {
		t.Errorf("%+v in %s", p, filesUnder(t, cache))
	}
	if last.Bytes != e.Bytes() || last.Total != e.Bytes() || last.File != "logs/v=1/c.csv" {
		t.Errorf("progress ends at %+v", last)
	}
	s, err := traces.Read(p.Dir)
	if err != nil {
		t.Fatal(err)
	}
	m := s.Manifest
	if m.TraceID != "made-up" || m.Source.Repo != e.Repo || m.Source.Commit != e.Commit || m.Source.Licence != "MIT" || m.Source.Files[0].Path != "a b.csv" {
		t.Errorf("manifest %+v", m)
	}
	if p, err = Pull(t.Context(), e, opt); err != nil || !p.Already || calls != 2 {
		t.Errorf("second time: %+v, %v, %d downloads", p, err, calls)
	}
}

// A set that was damaged, or made with other options, is pulled anew.
func TestPullAnew(t *testing.T) {
	e, opt := inventedEntry(), PullOptions{Cache: t.TempDir(), Download: client(t, serve)}
	for _, spoil := range []func(dir string) error{
		func(string) error { return nil },
		func(dir string) error { return os.Remove(filepath.Join(dir, "instance_events.parquet")) },
		func(dir string) error { return os.WriteFile(filepath.Join(dir, "pools.parquet"), []byte("no"), 0o666) },
		func(string) error { e.options.Semantics = traces.SemanticsAutoscaling; return nil },
	} {
		if err := spoil(filepath.Join(opt.Cache, e.Name)); err != nil {
			t.Fatal(err)
		}
		p, err := Pull(t.Context(), e, opt)
		if err != nil || p.Already {
			t.Fatalf("%+v, %v", p, err)
		}
		if _, err := traces.Read(p.Dir); err != nil || filesUnder(t, opt.Cache) != "made-up" {
			t.Errorf("%v; in the cache: %s", err, filesUnder(t, opt.Cache))
		}
	}
}

func TestPullRefuses(t *testing.T) {
	second := func(f http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "c.csv") {
				f(w, r)
				return
			}
			serve(w, r)
		}
	}
	for name, c := range map[string]struct {
		serve http.HandlerFunc
		want  string
	}{
		"404": {second(http.NotFound), "logs/v=1/c.csv: " + publicHome + "/owner/name/0123abc/logs/v=1/c.csv answered 404 Not Found"},
		"changed": {second(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "0,add,n1\n60000,remove,n2\n") }),
			"logs/v=1/c.csv: SHA-256 is "},
		"ends early": {second(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "0,add") }),
			"logs/v=1/c.csv: ends after 5 bytes, expected 25"},
		"cut": {second(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "25")
			fmt.Fprint(w, "0,add")
		}), "logs/v=1/c.csv: ends after 5 bytes, expected 25"},
		"announces more": {second(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, invented["logs/v=1/c.csv"]+"x") }),
			"says that it sends 26 bytes, expected 25"},
		"endless": {second(func(w http.ResponseWriter, _ *http.Request) {
			for range 1000 {
				fmt.Fprint(w, strings.Repeat("x", 1000))
				w.(http.Flusher).Flush()
			}
		}), "logs/v=1/c.csv: is longer than the 25 bytes"},
	} {
		cache := t.TempDir()
		_, err := Pull(t.Context(), inventedEntry(), PullOptions{Cache: cache, Download: client(t, c.serve)})
		if err == nil || !strings.Contains(err.Error(), "made-up: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", name, err, c.want)
		}
		if left := filesUnder(t, cache); left != "" {
			t.Errorf("%s: leaves %s", name, left)
		}
	}
}

func TestPullOffline(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close()
	_, err := Pull(t.Context(), inventedEntry(), PullOptions{Cache: t.TempDir(), Download: HTTP(&http.Client{Transport: home{s}})})
	if err == nil || !strings.Contains(err.Error(), "logs/v=1/a b.csv: cannot be downloaded") || !strings.Contains(err.Error(), "--from") {
		t.Error(err)
	}
}

func TestPullInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cache, e := t.TempDir(), inventedEntry()
	dir := filepath.Join(cache, e.Name)
	if err := os.Mkdir(dir, 0o777); err != nil { // an older one stays
		t.Fatal(err)
	}
	_, err := Pull(ctx, e, PullOptions{Cache: cache, Download: client(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "0,add")
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	})})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "a b.csv: interrupted") || filesUnder(t, cache) != "made-up" ||
		filesUnder(t, dir) != "" {
		t.Errorf("%v; in the cache: %s", err, filesUnder(t, cache))
	}
}

func TestPullUnwritable(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "cache")
	if err := os.WriteFile(cache, []byte("a file"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Pull(t.Context(), inventedEntry(), PullOptions{Cache: filepath.Join(cache, "traces"), Download: client(t, serve)})
	if err == nil || !strings.Contains(err.Error(), "cache: ") || !strings.Contains(err.Error(), cache) {
		t.Error(err)
	}
}

func TestPullNotAllowed(t *testing.T) {
	e, opt := inventedEntry(), PullOptions{Cache: t.TempDir(), Download: client(t, serve)}
	e.Licence = ""
	if _, err := Pull(t.Context(), e, opt); !errors.Is(err, ErrNoLicence) || !strings.Contains(err.Error(), e.Repo) {
		t.Error(err)
	}
	opt.AcceptNoLicence = true
	p, err := Pull(t.Context(), e, opt)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := traces.Read(p.Dir); err != nil || s.Manifest.Source.Licence != "none stated" {
		t.Errorf("licence %q, %v", s.Manifest.Source.Licence, err)
	}
	e.Files, e.Unsummed = nil, "why not"
	if _, err := Pull(t.Context(), e, opt); !errors.Is(err, ErrNoChecksum) || !strings.Contains(err.Error(), "why not") {
		t.Error(err)
	}
}

// A file that is what was published but not what the importer expects.
func TestPullBadData(t *testing.T) {
	e, cache := inventedEntry(), t.TempDir()
	e.format = "step-counts"
	_, err := Pull(t.Context(), e, PullOptions{Cache: cache, Download: client(t, serve)})
	var bad *traces.DataError
	if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), "made-up: logs/v=1/a b.csv:1:1: ") || filesUnder(t, cache) != "" {
		t.Errorf("%v; in the cache: %s", err, filesUnder(t, cache))
	}
}

func TestPullFrom(t *testing.T) {
	for _, layout := range []struct{ below, local string }{{"", "logs/"}, {"", "kept/"}, {"made-up-copy", "kept/"}} {
		from := t.TempDir()
		for path, text := range invented {
			to := filepath.Join(from, layout.below, layout.local, strings.TrimPrefix(path, "logs/"))
			if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o777), os.WriteFile(to, []byte(text), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		if p, err := Pull(t.Context(), inventedEntry(), PullOptions{From: from, Cache: t.TempDir()}); err != nil || p.Report.Rows != 5 {
			t.Errorf("%+v: %+v, %v", layout, p, err)
		}
	}
	cache := t.TempDir()
	_, err := Pull(t.Context(), inventedEntry(), PullOptions{From: t.TempDir(), Cache: cache})
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), filepath.Join("made-up-copy", "kept", "v=1", "a b.csv")) || filesUnder(t, cache) != "" {
		t.Errorf("%v; in the cache: %s", err, filesUnder(t, cache))
	}
}

// Every set whose files make data has put into the cache can be pulled from there.
func TestPullRecorded(t *testing.T) {
	from := tracetest.Recorded(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", os.Getenv("XDG_CACHE_HOME"))
	for _, e := range Catalogue() {
		t.Run(e.Name, func(t *testing.T) {
			if err := e.Pullable(); err != nil {
				t.Skip(err)
			}
			p, err := Pull(t.Context(), &e, PullOptions{From: from, AcceptNoLicence: true})
			if errors.Is(err, os.ErrNotExist) {
				t.Skip(err)
			}
			if err != nil && e.format == "" && strings.Contains(err.Error(), "has no known format") {
				t.Skipf("no importer of this build reads it: %v", err)
			}
			if err != nil {
				t.Fatal(err)
			}
			if e.Kept != "" {
				if !e.keptIn(p.Dir) {
					t.Errorf("%s does not have the files", p.Dir)
				}
				return
			}
			s, _, err := Load(PulledPrefix+e.Name, traces.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !e.matches(s) {
				t.Errorf("what was pulled is not taken for it: %+v", s.Manifest)
			}
			t.Logf("%d rows in %d pools from %s to %s", p.Report.Unique, p.Report.Pools, p.Report.First, p.Report.Last)
		})
	}
}

func TestPulledDir(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", os.Getenv("XDG_CACHE_HOME"))
	for name, want := range map[string]string{"bamboo-aws-p3": "traces pull bamboo-aws-p3", "../x": "unknown data set"} {
		if _, _, err := Load(PulledPrefix+name, traces.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", name, err, want)
		}
	}
}

// Revisions of one file are downloaded at their own commits, and read from folders by
// commit.
func TestPullRevisions(t *testing.T) {
	e := inventedEntry()
	e.Files, e.Kept = e.Files[:0], "revisions"
	var texts []string
	for i, commit := range []string{"aaaa", "bbbb"} {
		texts = append(texts, fmt.Sprintf("0,add,n%d\n60000,remove,n%d\n", i, i))
		sum := sha256.Sum256([]byte(texts[i]))
		e.Files = append(e.Files, File{Path: "x.csv", Bytes: int64(len(texts[i])), SHA256: hex.EncodeToString(sum[:]), Commit: commit})
	}
	serve := func(w http.ResponseWriter, r *http.Request) {
		for i, f := range e.Files {
			if r.URL.Path == "/owner/name/"+f.Commit+"/x.csv" {
				fmt.Fprint(w, texts[i])
			}
		}
	}
	if p, err := Pull(t.Context(), e, PullOptions{Cache: t.TempDir(), Download: client(t, serve)}); err != nil || p.Report.Files != 2 {
		t.Errorf("%+v, %v", p, err)
	}
	from := t.TempDir()
	for i, f := range e.Files {
		if err := errors.Join(os.Mkdir(filepath.Join(from, f.Commit), 0o777), os.WriteFile(filepath.Join(from, f.Commit, "x.csv"), []byte(texts[i]),
			0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if p, err := Pull(t.Context(), e, PullOptions{Cache: t.TempDir(), From: from}); err != nil || p.Report.Files != 2 {
		t.Errorf("%+v, %v", p, err)
	}
}

// A set that no importer reads alone is checked and kept as it is.
func TestPullKept(t *testing.T) {
	e, calls := inventedEntry(), 0
	e.format, e.Kept = "", "jobs of a game"
	opt := PullOptions{Cache: t.TempDir(), Download: client(t, func(w http.ResponseWriter, r *http.Request) { calls++; serve(w, r) })}
	for _, already := range []bool{false, true} {
		p, err := Pull(t.Context(), e, opt)
		if err != nil || p.Already != already || p.Report.Files != 2 || calls != 2 {
			t.Fatalf("%+v, %v, %d downloads", p, err, calls)
		}
	}
	path := filepath.Join(opt.Cache, "made-up", "logs", "v=1", "c.csv")
	if text, err := os.ReadFile(path); err != nil || string(text) != invented["logs/v=1/c.csv"] {
		t.Errorf("%q, %v", text, err)
	}
	if err := os.WriteFile(path, []byte("damaged"), 0o666); err != nil {
		t.Fatal(err)
	}
	if p, err := Pull(t.Context(), e, opt); err != nil || p.Already || calls != 4 {
		t.Errorf("%+v, %v, %d downloads", p, err, calls)
	}
}
