package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces/catalogue"
)

// built is the folder of the compiled files, which take a minute to build.
func built(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("MARIGRAM_PLAYGROUND")
	if dir == "" {
		t.Skip("MARIGRAM_PLAYGROUND is not set: the page with sliders is not opened in a browser (make test-playground does)")
	}
	return dir
}

// visit opens the page of a spec in a browser, with its first table, and returns the address.
func visit(t *testing.T, b *testutil.Browser, name string) string {
	t.Helper()
	s, err := spec.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	_, text := s.Source()
	dir := t.TempDir()
	if err := write(dir, built(t), text); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	b.Visit(server.URL + "/index.html")
	b.Eval(`new Promise(r => { const f = () => document.body.dataset.done >= 1 || document.getElementById("error").textContent ?
		r() : setTimeout(f, 20); f(); })`, nil)
	return server.URL
}

// TestRecordedPage opens the page of recorded machines: its table is that of the command.
func TestRecordedPage(t *testing.T) {
	if _, err := catalogue.PulledDir("skynomad-aws-v100"); errors.Is(err, catalogue.ErrNotPulled) {
		t.Skip("skynomad-aws-v100 is not pulled: the page of recorded machines is not opened (make data pulls it)")
	}
	b := testutil.OpenBrowser(t)
	visit(t, b, "recorded")
	same(t, b, "recorded", nil)
	b.Eval(`{ const x = document.querySelector('[name="market.replay.notice_s"]'); x.focus(); x.value = 30; x.dispatchEvent(new Event("input")); }
		new Promise(r => { const f = () => document.body.dataset.done >= 2 ? r() : setTimeout(f, 20); f(); })`, nil)
	same(t, b, "recorded", []string{"market.replay.notice_s=30"})
	b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 1360, "height": 860, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.Eval(`scrollTo(0, 0)`, nil)
	b.Keep("playground.png", "Page.captureScreenshot", nil)
}

// TestPage opens the page of the quickstart in a browser and moves sliders: its tables are those of the
// command, byte for byte.
func TestPage(t *testing.T) {
	b := testutil.OpenBrowser(t)
	url := visit(t, b, "quickstart")
	same(t, b, "quickstart", nil)

	b.Eval(`{ const x = document.querySelector('[name="market.replay.notice_s"]'); x.focus(); x.value = 30; x.dispatchEvent(new Event("input")); }
		new Promise(r => { const f = () => document.body.dataset.done >= 2 ? r() : setTimeout(f, 20); f(); })`, nil)
	same(t, b, "quickstart", []string{"market.replay.notice_s=30"})
	b.Press("ArrowRight", 39, "")
	b.Eval(`new Promise(r => { const f = () => document.body.dataset.done >= 3 ? r() : setTimeout(f, 20); f(); })`, nil)
	var command string
	b.Eval(`document.getElementById("command").textContent`, &command)
	same(t, b, "quickstart", []string{strings.TrimPrefix(command, "marigram run spec.yaml -s ")})

	b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true}, nil)
	var wide bool
	b.Eval(`document.documentElement.scrollWidth > innerWidth`, &wide)
	if wide {
		t.Error("the page is wider than a phone")
	}
	b.Keep("playground-phone.png", "Page.captureScreenshot", nil)
	for _, e := range b.Events {
		if strings.HasPrefix(e.Method, "Log.") || e.Method == "Runtime.consoleAPICalled" || e.Method == "Runtime.exceptionThrown" {
			t.Errorf("the browser says %s", e.Params)
		}
		var r struct{ Request struct{ URL string } }
		if e.Method == "Network.requestWillBeSent" {
			if err := json.Unmarshal(e.Params, &r); err == nil && !strings.HasPrefix(r.Request.URL, url) && !strings.HasPrefix(r.Request.URL, "data:") {
				t.Errorf("the page asks for %s", r.Request.URL)
			}
		}
	}
}

// same compares the table of the page with that of the command under the same settings.
func same(t *testing.T, b *testutil.Browser, name string, settings []string) {
	t.Helper()
	var given []spec.Setting
	for _, x := range settings {
		set, err := spec.ParseSetting(x)
		if err != nil {
			t.Fatal(err)
		}
		given = append(given, set)
	}
	s, err := spec.Open(name, given...)
	if err != nil {
		t.Fatal(err)
	}
	study, err := experiments.NewStudy(s)
	if err != nil {
		t.Fatal(err)
	}
	study.Timelines = 0
	set, err := study.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	term.Aggregates(&want, experiments.Aggregates(set.Summaries))
	var got, status string
	b.Eval(`document.getElementById("table").textContent`, &got)
	b.Eval(`document.getElementById("status").textContent + document.getElementById("error").textContent`, &status)
	t.Log(status)
	if got != want.String() {
		t.Errorf("under %v the page says\n%s\nand the command\n%s", settings, got, want.String())
	}
}

// TestJSON reads the JSON of specs, which is YAML as well: they mean what the specs do.
func TestJSON(t *testing.T) {
	for _, name := range spec.Builtin() {
		s, err := spec.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		_, text := s.Source()
		asJSON, err := spec.JSON(name, text)
		if err != nil {
			t.Fatal(err)
		}
		same, err := spec.Parse(name, asJSON)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, asJSON)
		}
		if s.Meaning() != same.Meaning() {
			t.Errorf("%s means\n%s\nand its JSON\n%s", name, s.Meaning(), same.Meaning())
		}
	}
}

// TestRefuses lists what a browser cannot run.
func TestRefuses(t *testing.T) {
	for name, want := range map[string]string{"cluster-gavel": "many jobs"} {
		s, err := spec.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		_, text := s.Source()
		if err := write(t.TempDir(), t.TempDir(), text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected an error with %q", name, err, want)
		}
	}
	s, err := spec.Open("quickstart")
	if err != nil {
		t.Fatal(err)
	}
	_, text := s.Source()
	if err := write(t.TempDir(), t.TempDir(), text); err == nil || !strings.Contains(err.Error(), "make playground builds it") {
		t.Errorf("without the compiled files: %v", err)
	}
}
