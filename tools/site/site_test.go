package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/testutil"
)

// written is the folder of the site, which takes a minute to build.
func written(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("MARIGRAM_SITE")
	if dir == "" {
		t.Skip("MARIGRAM_SITE is not set: the site is not looked at (make -C tools test-site does)")
	}
	return dir
}

// TestLinks follows every link between pages, with its fragment.
func TestLinks(t *testing.T) {
	dir := written(t)
	pages, ids := map[string]string{}, map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		pages[filepath.ToSlash(name)] = ""
		if filepath.Ext(path) == ".html" {
			data, err := os.ReadFile(path)
			pages[filepath.ToSlash(name)] = string(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range pages {
		for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(text, -1) {
			ids[name+"#"+m[1]] = true
		}
	}
	links := 0
	for name, text := range pages {
		for _, m := range regexp.MustCompile(`(?:href|src)="([^":]+)"`).FindAllStringSubmatch(text, -1) {
			to, fragment, _ := strings.Cut(m[1], "#")
			if to == "" {
				to = filepath.Base(name)
			}
			at := filepath.ToSlash(filepath.Join(filepath.Dir(name), to))
			if _, is := pages[at]; !is {
				t.Errorf("%s: no page %s", name, m[1])
			} else if fragment != "" && !ids[at+"#"+fragment] {
				t.Errorf("%s: no place %s", name, m[1])
			}
			links++
		}
	}
	t.Logf("%d links of %d files", links, len(pages))
}

// TestSizes: the module has at most 4 MB compressed, and what a page needs for its first picture less than 100 kB.
func TestSizes(t *testing.T) {
	dir := written(t)
	size := func(name string) int {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return len(data)
	}
	for _, page := range []string{"index.html", "docs/README.html", "docs/tutorial.html"} {
		if n := size(page) + size("site.css") + size("search.js"); n > 100_000 {
			t.Errorf("%s has %d bytes before its first picture, expected at most 100,000", page, n)
		}
	}
	if n := size("try/index.html") + size("site.css") + size("search.js") + size("try/try.js"); n > 100_000 {
		t.Errorf("Try has %d bytes before its first picture, expected at most 100,000", n)
	}
	module, err := os.ReadFile(filepath.Join(dir, "try/marigram.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // a level that there is
	w.Write(module)
	if w.Close(); packed.Len() > 4_900_000 { // brotli, a minute of work, makes 0.7 of that
		t.Errorf("the module has %d bytes by gzip, expected at most 4.9 MB, which are less than 4 MB by brotli", packed.Len())
	}
	t.Logf("module: %d bytes, %d by gzip", len(module), packed.Len())
}

// prices is a file of hourly prices of two zones, as the AWS CLI prints it.
func prices() string {
	var rows []string
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for h := range 24 * 40 {
		for z, zone := range []string{"us-east-1a", "us-east-1b"} {
			at := begin.Add(time.Duration(h) * time.Hour).Format(time.RFC3339)
			rows = append(rows, testutil.AWSRow(zone, fmt.Sprintf("%.4f", 0.9+0.1*float64(z)+0.01*float64(h%37)), at))
		}
	}
	return testutil.AWSPage("", rows...)
}

// page is Try in a browser.
type page struct {
	*testutil.Browser
	t   *testing.T
	url string
}

func open(t *testing.T) *page {
	t.Helper()
	b := testutil.OpenBrowser(t)
	server := httptest.NewServer(http.FileServer(http.Dir(written(t))))
	t.Cleanup(server.Close)
	p := &page{b, t, server.URL}
	b.Visit(server.URL + "/try/index.html")
	p.wait(`document.getElementById("status").textContent !== "The simulator is loading."`)
	return p
}

func (p *page) wait(condition string) {
	p.t.Helper()
	p.Eval(`new Promise(r => { const f = () => (`+condition+`) ? r() : setTimeout(f, 20); f(); })`, nil)
}

func (p *page) text(id string) (out string) {
	p.t.Helper()
	p.Eval(`document.getElementById("`+id+`").textContent`, &out)
	return out
}

// drop drops a file onto the page.
func (p *page) drop(name, text string) {
	p.t.Helper()
	quoted, _ := json.Marshal(text)
	p.Eval(`{ document.body.dataset.read = "0"; const d = new DataTransfer(); d.items.add(new File([`+string(quoted)+`], "`+name+`"));
		document.getElementById("drop").dispatchEvent(new DragEvent("drop", {dataTransfer: d, bubbles: true, cancelable: true})); }`, nil)
	p.wait(`document.body.dataset.read >= 1`)
}

// requests are what the page asked for, and what the browser complained of.
func (p *page) requests() (n int) {
	for _, e := range p.Events {
		var r struct{ Request struct{ URL string } }
		switch {
		case strings.HasPrefix(e.Method, "Log.") || e.Method == "Runtime.consoleAPICalled" || e.Method == "Runtime.exceptionThrown":
			p.t.Errorf("the browser says %s", e.Params)
		case e.Method == "Network.requestWillBeSent":
			if err := json.Unmarshal(e.Params, &r); err == nil && strings.HasPrefix(r.Request.URL, "http") {
				n++
				if !strings.HasPrefix(r.Request.URL, p.url) {
					p.t.Errorf("the page asks for %s", r.Request.URL)
				}
			}
		}
	}
	return n
}

// TestTry drops prices, runs by keyboard, and looks at the answer at two widths, light and dark. No request is made
// after the page was loaded.
func TestTry(t *testing.T) {
	p := open(t)
	p.Eval(`1`, nil)
	before := p.requests()
	p.drop("prices.json", prices())
	if text := p.text("market"); !strings.Contains(text, "40.0 days of prices of p3.2xlarge") {
		t.Errorf("market: %q, error %q", text, p.text("error"))
	}
	p.Eval(`document.querySelector("[name=deadline]").focus()`, nil)
	p.Press("Enter", 13, "\r")
	p.wait(`document.body.dataset.done >= 1 || document.getElementById("error").textContent`)
	t.Log(p.text("status"), p.text("error"))
	var drawn bool
	if p.Eval(`"drawn" in document.body.dataset`, &drawn); drawn {
		t.Error("the figures are there before the verdict is")
	}
	if text := p.text("assumptions"); !strings.Contains(text, "under three assumptions") || !strings.Contains(p.text("verdict"), "USD") {
		t.Errorf("assumptions: %q", text)
	}
	p.wait(`document.body.dataset.drawn >= 1 && document.getElementById("page").contentDocument.querySelector(".verdict")`)
	t.Log(p.text("status"))
	var verdict string
	var figures, charts int
	p.wait(`document.getElementById("page").contentDocument.querySelector("#compare canvas")`)
	p.Eval(`document.getElementById("page").contentDocument.querySelector(".verdict").textContent`, &verdict)
	p.Eval(`document.getElementById("page").contentDocument.querySelectorAll("figure svg").length`, &figures)
	p.Eval(`document.getElementById("page").contentDocument.querySelectorAll("#charts canvas").length`, &charts)
	if !strings.Contains(verdict, "USD") || figures < 2 || charts == 0 {
		t.Errorf("verdict %q, %d figures, %d timelines", verdict, figures, charts)
	}
	t.Log(verdict, figures, charts)
	if spec := p.text("spec"); !strings.Contains(spec, "path: \"prices.json\"") || !strings.Contains(spec, "interval_s: 1800") {
		t.Errorf("spec:\n%s", spec)
	} else if dir := os.Getenv("MARIGRAM_SCREENSHOTS"); dir != "" {
		os.WriteFile(dir+"/mine.yaml", []byte(spec), 0o666)
		os.WriteFile(dir+"/prices.json", []byte(prices()), 0o666)
		os.WriteFile(dir+"/said.txt", []byte(p.text("assumptions")), 0o666)
	}
	if after := p.requests(); after != before {
		t.Errorf("%d requests after the page was loaded", after-before)
	}
	for _, scheme := range []string{"light", "dark"} {
		p.Call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
		for _, width := range []int{390, 1360} {
			p.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}, nil)
			p.Eval(`new Promise(r => setTimeout(r, 500))`, nil)
			var wide, cut int
			p.Eval(`document.documentElement.scrollWidth`, &wide)
			p.Eval(`document.getElementById("page").contentDocument.documentElement.scrollHeight - document.getElementById("page").clientHeight`, &cut)
			if wide > width || cut > 0 {
				t.Errorf("the page is %d wide on a screen of %d; the report is cut by %d", wide, width, cut)
			}
			for i, y := range []string{"0", `document.getElementById("answer").offsetTop`} {
				p.Eval(`scrollTo(0, `+y+`); new Promise(r => setTimeout(r, 300))`, nil)
				p.Keep(fmt.Sprintf("try-%s-%d-%d.png", scheme, width, i), "Page.captureScreenshot", nil)
			}
		}
	}
}

// TestCSV drops a plain CSV of prices.
func TestCSV(t *testing.T) {
	p := open(t)
	p.drop("prices.csv", "timestamp,zone,instance_type,price\n2026-01-01T00:00:00Z,us-east-1a,p3.2xlarge,1.0\n2026-02-10T00:00:00Z,us-east-1a,p3.2xlarge,1.2\n")
	if text := p.text("market"); !strings.Contains(text, "40.0 days of prices of p3.2xlarge") {
		t.Errorf("market: %q, error %q", text, p.text("error"))
	}
	p.Eval(`document.getElementById("go").click()`, nil)
	p.wait(`document.body.dataset.done >= 1 || document.getElementById("error").textContent`)
	if !strings.Contains(p.text("verdict"), "USD") {
		t.Errorf("verdict %q, error %q", p.text("verdict"), p.text("error"))
	}
	p.wait(`document.body.dataset.drawn >= 1`)
	p.requests()
}

// TestRecorded runs the market of the site.
func TestRecorded(t *testing.T) {
	if _, err := os.Stat(filepath.Join(written(t), "try/recorded.bin.gz")); err != nil {
		t.Skip("skynomad-aws-v100 is not pulled: the site has no recorded market")
	}
	p := open(t)
	p.wait(`document.body.dataset.read >= 1`)
	p.Eval(`document.getElementById("go").click()`, nil)
	p.wait(`document.body.dataset.done >= 1 || document.getElementById("error").textContent`)
	t.Log(p.text("market"), p.text("status"), p.text("error"))
	p.wait(`document.body.dataset.drawn >= 1 && document.getElementById("page").contentDocument.querySelector(".verdict")`)
	if !strings.Contains(p.text("verdict"), "USD") {
		t.Errorf("verdict %q", p.text("verdict"))
	}
	if cmd := p.text("command"); cmd != "marigram run mine.yaml --pull" {
		t.Errorf("command %q", cmd)
	}
	p.requests()
	p.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 1360, "height": 1000, "deviceScaleFactor": 1, "mobile": false}, nil)
	p.Keep("try-recorded.png", "Page.captureScreenshot", nil)
}

// TestHostile drops files that are none of prices: each is an error in words, nothing of it runs, and the page goes on.
func TestHostile(t *testing.T) {
	p := open(t)
	row := testutil.AWSRow("us-east-1a", "1.0", testutil.T0)
	for name, text := range map[string]string{
		"empty":   "",
		"nested":  strings.Repeat("[", 200_000),
		"deep":    `{"SpotPriceHistory": ` + strings.Repeat(`[{"a": `, 100_000),
		"nan":     testutil.AWSPage("", strings.Replace(row, `"1.0"`, `"NaN"`, 1)),
		"type":    testutil.AWSPage("", strings.Replace(row, `"1.0"`, `{"a": []}`, 1)),
		"huge":    testutil.AWSPage("", strings.Replace(row, `"1.0"`, `"1e999"`, 1)),
		"long":    `{"SpotPriceHistory": [{"AvailabilityZone": "` + strings.Repeat("x", 3<<20) + `"}]}`,
		"markup":  `<script>document.body.dataset.bad = 1</script><img src=x onerror="document.body.dataset.bad = 1">`,
		"name":    testutil.AWSPage("", strings.Replace(row, "p3.2xlarge", `<img src=x onerror=alert(1)>`, 1)),
		"binary":  "\x00\x01\x02\xff\xfe",
		"no rows": testutil.AWSPage(""),
		"one row": testutil.AWSPage("", row),
	} {
		p.Eval(`document.getElementById("error").textContent = ""`, nil)
		p.drop(name+".json", text)
		if said := p.text("error"); said == "" && name != "one row" {
			t.Errorf("%s is accepted: %s", name, p.text("market"))
		} else {
			t.Logf("%s: %.200s", name, said)
		}
	}
	// One row has no time in which a job could run.
	p.Eval(`document.getElementById("go").disabled || document.getElementById("go").click()`, nil)
	p.drop("prices.json", prices())
	var bad bool
	if p.Eval(`"bad" in document.body.dataset`, &bad); bad || p.text("error") != "" {
		t.Errorf("a script of a file ran: %v; after hostile files prices are refused: %s", bad, p.text("error"))
	}
	p.Eval(`{ const f = document.getElementById("job"); f.elements.gpus.value = 3; f.elements.deadline.value = 1; f.requestSubmit(); }`, nil)
	p.wait(`document.getElementById("error").textContent`)
	t.Log(p.text("error"))
	p.requests()
}

// TestSearch finds a page by keyboard.
func TestSearch(t *testing.T) {
	b := testutil.OpenBrowser(t)
	server := httptest.NewServer(http.FileServer(http.Dir(written(t))))
	t.Cleanup(server.Close)
	b.Visit(server.URL + "/docs/README.html")
	b.Eval(`{ const x = document.getElementById("search"); x.focus(); x.value = "young's interval"; x.dispatchEvent(new Event("input")); }
		new Promise(r => { const f = () => document.querySelector("#found a") ? r() : setTimeout(f, 20); f(); })`, nil)
	var first, title string
	b.Eval(`document.querySelector("#found a").textContent`, &first)
	b.Keep("search.png", "Page.captureScreenshot", nil)
	b.Press("Enter", 13, "\r")
	b.Eval(`new Promise(r => setTimeout(r, 500))`, nil)
	b.Eval(`document.title`, &title)
	if first == "" || !strings.HasPrefix(title, first) {
		t.Errorf("found %q, opened %q", first, title)
	}
	b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true}, nil)
	var wide int
	if b.Eval(`document.documentElement.scrollWidth`, &wide); wide > 390 {
		t.Errorf("a page is %d wide on a phone of 390", wide)
	}
	b.Keep("docs-phone.png", "Page.captureScreenshot", nil)
}
