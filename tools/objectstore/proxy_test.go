package objectstore

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A fault is what the network does to a request.
const (
	well      = "well"
	lost      = "request lost"
	cutPut    = "put cut off half-way"
	unheard   = "answer lost"
	cutGet    = "answer cut off half-way"
	slowDown  = "told to slow down"
	slow      = "slow"
	hiding    = time.Minute // how long a list does not show what was put
	slowBytes = 4 << 10     // of a slow put, between two pauses
)

// proxy stands between the workers and the server, and fails now and then.
type proxy struct {
	server *url.URL
	client *http.Transport
	faults float64 // probability

	mu      sync.Mutex
	rand    *rand.Rand
	counts  map[string]int // requests by method and kind of answer
	did     map[string]int // by fault
	hidden  map[string]time.Time
	unshown int // keys that were left out of lists
}

// newProxy starts one, and returns its address.
func newProxy(t *testing.T, server string, faults float64) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{server: u, client: &http.Transport{}, faults: faults, rand: rand.New(rand.NewPCG(1, 2)),
		counts: map[string]int{}, did: map[string]int{}, hidden: map[string]time.Time{}}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	return p, s.URL
}

// fault draws what becomes of a request.
func (p *proxy) fault(method string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	what := well
	if p.rand.Float64() < p.faults {
		all := []string{lost, unheard, slowDown, slow}
		if method == http.MethodPut {
			all = append(all, cutPut)
		} else {
			all = append(all, cutGet)
		}
		what = all[p.rand.IntN(len(all))]
	}
	p.did[what]++
	return what
}

// lose ends a connection without an answer.
func lose(w http.ResponseWriter) {
	if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
		c.Close()
	}
}

// halting reads the first half of a body, and then fails; or all of it, slowly.
type halting struct {
	io.Reader
	left int64 // -1: all
	slow bool
}

func (h *halting) Read(b []byte) (int, error) {
	if h.left == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	if h.slow {
		time.Sleep(20 * time.Millisecond)
		b = b[:min(len(b), slowBytes)]
	}
	if h.left > 0 {
		b = b[:min(int64(len(b)), h.left)]
	}
	n, err := h.Reader.Read(b)
	if h.left > 0 {
		h.left -= int64(n)
	}
	return n, err
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	what := p.fault(r.Method)
	switch what {
	case lost:
		lose(w)
		return
	case slowDown:
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprint(w, "<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>")
		return
	}
	body := &halting{Reader: r.Body, left: -1, slow: what == slow}
	if what == cutPut {
		body.left = max(r.ContentLength/2, 1)
	}
	out := r.Clone(r.Context()) // with the host that was signed
	out.URL.Scheme, out.URL.Host, out.RequestURI, out.Body = p.server.Scheme, p.server.Host, "", io.NopCloser(body)
	if r.ContentLength == 0 {
		out.Body = http.NoBody
	}
	answer, err := p.client.RoundTrip(out)
	if err != nil {
		lose(w)
		return
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	p.count(r, answer.StatusCode)
	if err != nil || what == unheard {
		lose(w)
		return
	}
	if r.URL.Query().Has("list-type") && p.faults > 0 {
		text = p.hide(text)
		answer.Header.Del("Content-Length")
	}
	maps.Copy(w.Header(), answer.Header)
	w.WriteHeader(answer.StatusCode)
	if what == cutGet && len(text) > 1 {
		w.Write(text[:len(text)/2])
		w.(http.Flusher).Flush()
		lose(w)
		return
	}
	w.Write(text)
}

// count notes an answer of the server, and when what was put may be seen in lists.
func (p *proxy) count(r *http.Request, status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	kind := r.Method
	if r.URL.Query().Has("list-type") {
		kind = "LIST"
	}
	p.counts[fmt.Sprint(kind, " ", status)]++
	if r.Method == http.MethodPut && status < 300 {
		_, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		p.hidden[key] = time.Now().Add(hiding)
	}
}

var listed = regexp.MustCompile(`(?s)<Contents>.*?</Contents>`)

// hide takes what was put of late out of a list.
func (p *proxy) hide(text []byte) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return listed.ReplaceAllFunc(text, func(entry []byte) []byte {
		for key, until := range p.hidden {
			if time.Now().Before(until) && bytes.Contains(entry, []byte("<Key>"+key+"</Key>")) {
				p.unshown++
				return nil
			}
		}
		return entry
	})
}

// String says what came by.
func (p *proxy) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var texts []string
	for _, m := range []map[string]int{p.counts, p.did} {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			texts = append(texts, fmt.Sprint(name, ": ", m[name]))
		}
	}
	return strings.Join(append(texts, fmt.Sprint("not in lists: ", p.unshown)), ", ")
}
