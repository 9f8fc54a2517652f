package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	_ "github.com/marigram/marigram/papers/extensions"
)

// screens are the windows in which the page is tested.
var screens = []struct {
	name          string
	width, height int
	mobile        bool
}{{"desktop", 1280, 720, false}, {"tablet", 700, 900, false}, {"phone", 390, 844, true}}

// The page in a browser, opened from disk: the first screen has the verdict, no error,
// no request, nothing over something else, no row without text, every figure in the
// page's scheme, everything within reach of the keyboard, in light and in dark.
// MARIGRAM_PAGE is another page to test, MARIGRAM_SCREENSHOTS a folder for pictures.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes its time")
	}
	b := testutil.OpenBrowser(t)
	path := os.Getenv("MARIGRAM_PAGE")
	if path == "" {
		path = filepath.Join(t.TempDir(), "report.html")
		if err := os.WriteFile(path, []byte(pageOf(t, synthetic(30, 150))), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	inWindows(t, b, path)
	b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.Visit("file://" + path) // scrolling has moved the place that the tab key goes on from
	if os.Getenv("MARIGRAM_PAGE") == "" {
		keyboard(t, b)
	}
	pointer(t, b)
	tables(t, b)
	if pdf := b.Keep("print.pdf", "Page.printToPDF", map[string]any{"printBackground": true}); !bytes.HasPrefix(pdf, []byte("%PDF")) {
		t.Error("the page does not print")
	}
	silent(t, b, path)
}

// The same of a sweep over starts with seven policies.
func TestBrowserSweep(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes its time")
	}
	b := testutil.OpenBrowser(t)
	path := filepath.Join(t.TempDir(), "sweep.html")
	if err := os.WriteFile(path, []byte(pageOfStudy(t, swept())), 0o666); err != nil {
		t.Fatal(err)
	}
	inWindows(t, b, path)
	var opened struct{ Case, Run, First string }
	b.Eval(`({ case: document.querySelector("#case").selectedOptions[0].textContent, run: document.querySelector("#run").selectedOptions[0].textContent,
  first: document.querySelector("#instant tbody").rows[0].textContent })`, &opened)
	if !strings.Contains(opened.Case, "the median cost of uniform-progress") || opened.Run != "uniform-progress" || !strings.HasPrefix(opened.First,
		"uniform-progress") {
		t.Errorf("the menus open on %+v, expected the best policy", opened)
	}
	silent(t, b, path)
}

// inWindows tests a page in all windows and schemes.
func inWindows(t *testing.T, b *testutil.Browser, path string) {
	t.Helper()
	for _, s := range screens {
		b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": s.width, "height": s.height, "deviceScaleFactor": 1, "mobile": s.mobile}, nil)
		for _, scheme := range []string{"light", "dark"} {
			b.Call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
			b.Visit("file://" + path)
			name := s.name + "-" + scheme
			firstScreen(t, b, name)
			checkLayout(t, b, name, scheme)
			if s.name == "desktop" || s.name == "phone" && scheme == "dark" {
				papers(t, b, name, scheme)
			}
			pictures(b, name)
		}
	}
}

// pictures keeps what there is to see, where MARIGRAM_SCREENSHOTS says.
func pictures(b *testutil.Browser, name string) {
	if os.Getenv("MARIGRAM_SCREENSHOTS") == "" {
		return
	}
	b.Eval(`scrollTo(0, 0)`, nil)
	b.Keep("first-"+name+".png", "Page.captureScreenshot", nil)
	b.Eval(`document.querySelectorAll("#decisions details")[0].open = true`, nil)
	b.Keep("whole-"+name+".png", "Page.captureScreenshot", map[string]any{"captureBeyondViewport": true})
	b.Eval(`document.querySelector("#instant").scrollIntoView()`, nil)
	b.Keep("runs-"+name+".png", "Page.captureScreenshot", nil)
}

// silent checks that the page said nothing to the console and asked for nothing.
func silent(t *testing.T, b *testutil.Browser, path string) {
	t.Helper()
	for _, e := range b.Events {
		switch e.Method {
		case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening":
			t.Errorf("%s: %s", e.Method, e.Params)
		case "Network.requestWillBeSent":
			var x struct{ Request struct{ URL string } }
			if err := json.Unmarshal(e.Params, &x); err != nil || x.Request.URL != "file://"+path {
				t.Errorf("the page asks for %s (%v)", x.Request.URL, err)
			}
		}
	}
}

// firstScreen checks that the verdict, whole, and the beginning of its figure are seen
// without scrolling.
func firstScreen(t *testing.T, b *testutil.Browser, name string) {
	t.Helper()
	check := near.Count(t)
	var seen struct {
		Verdict string
		Bottom  float64
		Figure  float64 // top
		Height  float64
	}
	b.Eval(`(() => {
  const v = document.querySelector(".verdict"), f = document.querySelector(".ranking svg").getBoundingClientRect();
  return { verdict: v.textContent, bottom: v.getBoundingClientRect().bottom, figure: f.top + Math.min(f.height, 200), height: innerHeight };
})()`, &seen)
	if check.Above(seen.Bottom, seen.Height) || !strings.Contains(seen.Verdict, "USD") || !strings.Contains(seen.Verdict, "late in") {
		t.Errorf("%s: the first screen, %v high, does not have the verdict, which ends at %v: %q", name, seen.Height, seen.Bottom, seen.Verdict)
	}
	if check.Above(seen.Figure, seen.Height) {
		t.Errorf("%s: the first screen, %v high, has no figure: its first part ends at %v", name, seen.Height, seen.Figure)
	}
}

// checkLayout checks what can be measured of what the page shows.
func checkLayout(t *testing.T, b *testutil.Browser, name, scheme string) {
	t.Helper()
	check := near.Count(t)
	var seen struct {
		Overlaps  []string
		Blank     []string
		Wide      float64
		Contrasts map[string]float64
		Dark      bool
		Charts    int
	}
	b.Eval(layoutScript, &seen)
	if len(seen.Overlaps) > 0 {
		t.Errorf("%s: text over text:\n%s", name, strings.Join(seen.Overlaps[:min(len(seen.Overlaps), 10)], "\n"))
	}
	if len(seen.Blank) > 0 {
		t.Errorf("%s: rows of which nothing but their head is seen, or text beyond the window:\n%s", name, strings.Join(seen.Blank[:min(len(seen.Blank), 10)], "\n"))
	}
	if check.Above(seen.Wide, 0) {
		t.Errorf("%s: the page is %v pixels wider than its window", name, seen.Wide)
	}
	for color, ratio := range seen.Contrasts {
		if check.Below(ratio, 4.5) { // WCAG 2.2, 1.4.3
			t.Errorf("%s: contrast of %s with the paper %v, expected 4.5", name, color, ratio)
		}
	}
	if seen.Dark != (scheme == "dark") {
		t.Errorf("%s: a dark page: %v", name, seen.Dark)
	}
	if seen.Charts != 5 {
		t.Errorf("%s: %d charts, expected 5", name, seen.Charts)
	}
}

// layoutScript measures: pieces of text whose boxes overlap, rows without text and text
// beyond the window, and how text contrasts.
const layoutScript = `(() => {
  const width = document.documentElement.clientWidth; // innerWidth grows with what is too wide on a phone
  const boxes = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), blank = [];
  for (let n; (n = walk.nextNode());) {
    const style = getComputedStyle(n.parentElement);
    if (!n.data.trim() || style.visibility === "hidden" || n.parentElement.closest("script,noscript,style,option") ||
      n.parentElement.closest("details:not([open]) > :not(summary)")) continue;
    const range = document.createRange();
    range.selectNodeContents(n);
    for (const r of range.getClientRects()) {
      if (r.width && r.height && !n.parentElement.closest("[transform*=rotate]")) boxes.push({ r, text: n.data.trim().slice(0, 60) });
      if (r.right > width + 1 && !n.parentElement.closest("svg")) blank.push("beyond the window: " + n.data.trim().slice(0, 60));
    }
  }
  for (const row of document.querySelectorAll("tbody tr:not(.u-series)"))
    if (row.checkVisibility() && ![...row.cells].slice(1).some((c) => {
      const r = c.getBoundingClientRect();
      return c.textContent.trim() && r.left < width - 20 && r.height;
    }))
      blank.push("blank: " + row.textContent.trim().slice(0, 60));
  for (const e of document.body.querySelectorAll("*"))
    if (e.getBoundingClientRect().right > width + 1 && e.checkVisibility() && !e.closest("svg,.u-wrap"))
      blank.push("beyond the window: " + e.tagName + " " + (e.id || e.className));
  boxes.sort((a, b) => a.r.top - b.r.top);
  const overlaps = [];
  for (let i = 0; i < boxes.length; i++)
    for (let k = i + 1; k < boxes.length && boxes[k].r.top < boxes[i].r.bottom; k++) {
      const a = boxes[i].r, b = boxes[k].r, slack = Math.min(a.height, b.height) * 0.35;
      if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > slack)
        overlaps.push(boxes[i].text + " | " + boxes[k].text);
    }
  const rgb = (name) => {
    const c = document.createElement("canvas").getContext("2d");
    c.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name);
    return [1, 3, 5].map((i) => parseInt(c.fillStyle.slice(i, i + 2), 16) / 255);
  };
  const light = (name) => rgb(name).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const contrasts = {}, paper = light("--paper");
  for (const name of ["--ink", "--soft", "--link", "--good", "--poor"])
    contrasts[name] = (Math.max(light(name), paper) + 0.05) / (Math.min(light(name), paper) + 0.05);
  return { overlaps, blank, contrasts, wide: document.documentElement.scrollWidth - width, dark: paper < 0.2,
    charts: document.querySelectorAll("#compare canvas, #charts canvas").length };
})()`

// papers counts the pixels of every figure: in the dark scheme most of them are
// dark and hardly any is white, in the light one it is the other way round.
func papers(t *testing.T, b *testutil.Browser, name, scheme string) {
	t.Helper()
	var boxes []struct{ X, Y, Width, Height float64 }
	b.Eval(`[...document.querySelectorAll("figure, #compare canvas, #charts canvas")].map((e) => e.getBoundingClientRect())
  .map((r) => ({x: r.x, y: r.y + scrollY, width: r.width, height: r.height}))`, &boxes)
	if len(boxes) < 7 {
		t.Errorf("%s: %d figures and charts", name, len(boxes))
	}
	for i, box := range boxes {
		shot := b.Keep(fmt.Sprintf("%s-figure-%d.png", name, i), "Page.captureScreenshot", map[string]any{"captureBeyondViewport": true,
			"clip": map[string]any{"x": box.X, "y": box.Y, "width": box.Width, "height": box.Height, "scale": 1}})
		picture, err := png.Decode(bytes.NewReader(shot))
		if err != nil {
			t.Fatal(err)
		}
		light, dark, all := 0, 0, picture.Bounds().Dx()*picture.Bounds().Dy()
		for y := range picture.Bounds().Dy() {
			for x := range picture.Bounds().Dx() {
				switch level := color.GrayModel.Convert(picture.At(x, y)).(color.Gray).Y; {
				case level > 240:
					light++
				case level < 60:
					dark++
				}
			}
		}
		if scheme == "dark" && (light > all/100 || dark < all/2) || scheme == "light" && light < all/2 {
			t.Errorf("%s: figure %d: %d pixels are white and %d dark, of %d", name, i, light, dark, all)
		}
	}
}

// keyboard walks through the page with the tab key and works its controls.
func keyboard(t *testing.T, b *testutil.Browser) {
	t.Helper()
	b.Eval(`document.activeElement.blur(), window.scrollTo(0, 0)`, nil)
	var stops []string
	for range 120 {
		b.Press("Tab", 9, "")
		var stop string
		b.Eval(`(e => e.id || e.dataset.do || e.getAttribute("aria-label") || e.textContent)(document.activeElement)`, &stop)
		stops = append(stops, stop)
	}
	at := 0
	for _, want := range []string{"Warnings", "Objectives", "Provenance", "verdict", "total", "case", "in", "out", "left", "right", "all", "spotdnn",
		"Instances held", "Done", "Cost so far", "run", "Held", "p3 spot", "Price", "candidates"} {
		k := slices.IndexFunc(stops[at:], func(s string) bool {
			return s == want || strings.HasPrefix(s, want+" (") || strings.HasPrefix(s, want+" of") || strings.HasSuffix(s, want)
		})
		if k < 0 {
			t.Errorf("the tab key does not come to %q after %q: %q", want, stops[:at], stops)
			return
		}
		at += k
	}
	var before, after string
	picture := `document.querySelector("#compare canvas").toDataURL()`
	press := func(selector, what string) {
		b.Eval(picture, &before)
		b.Eval(`document.querySelector("`+selector+`").focus()`, nil)
		b.Press("Enter", 13, "\r")
		b.Eval(`new Promise(requestAnimationFrame).then(() => `+picture+`)`, &after)
		if before == after {
			t.Errorf("the button that %s changes nothing", what)
		}
	}
	press("[data-do=in]", "zooms in")
	press("#instant button", "hides a policy")
	b.Eval(`document.querySelector("#charts > div").focus()`, nil)
	b.Press("ArrowRight", 39, "")
	b.Eval(`document.getElementById("instant").textContent`, &after)
	if !strings.Contains(after, "At 0:00:00") {
		t.Errorf("an arrow key reads %q", after)
	}
	for _, id := range []string{"run", "case"} {
		const said = `document.getElementById("facts").textContent + document.getElementById("decisions").textContent`
		b.Eval(said, &before)
		b.Eval(`document.getElementById("`+id+`").focus()`, nil)
		b.Press("End", 35, "")
		b.Eval(said, &after)
		if before == after {
			t.Errorf("the last choice of %s says what the first says", id)
		}
	}
}

// pointer reads values under the pointer, of all policies at one instant, and zooms
// into a stretch by dragging.
func pointer(t *testing.T, b *testutil.Browser) {
	t.Helper()
	var box struct{ X, Y, Width, Height float64 }
	const over = `document.querySelector("#compare .u-over")`
	b.Eval(`document.querySelector("[data-do=all]").click()`, nil)
	b.Eval(over+`.scrollIntoView({block: "center"}), (r => ({x: r.x, y: r.y, width: r.width, height: r.height}))(`+over+`.getBoundingClientRect())`, &box)
	mouse := func(kind string, share float64, button string) {
		b.Call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": box.X + share*box.Width, "y": box.Y + box.Height/2, "button": button,
			"clickCount": 1}, nil)
	}
	const later = `new Promise(requestAnimationFrame).then(() => `
	var said, before, after string
	mouse("mouseMoved", 0.5, "none")
	b.Eval(later+`[document.querySelector("#instant"), ...document.querySelectorAll(".u-legend")].map((e) => e.innerText).join(" | "))`, &said)
	for _, want := range []string{"At 0:0", "spotdnn", "mine", "useful", "%", "p3 spot", "USD/h"} {
		if !strings.Contains(said, want) && os.Getenv("MARIGRAM_PAGE") == "" {
			t.Errorf("under the pointer stands %q, expected %q in it", said, want)
		}
	}
	const pictures = `[...document.querySelectorAll("#charts canvas")].map((c) => c.toDataURL()).join())`
	b.Eval(later+pictures, &before)
	mouse("mousePressed", 0.4, "left")
	mouse("mouseMoved", 0.6, "left")
	mouse("mouseReleased", 0.6, "left")
	b.Eval(later+pictures, &after)
	if before == after {
		t.Error("dragging over a stretch does not zoom into it")
	}
}

// tables sorts one by a column, up and down.
func tables(t *testing.T, b *testutil.Browser) {
	t.Helper()
	var columns [][]float64
	b.Eval(`(() => {
  const table = document.querySelector("#costs table"), head = table.tHead.rows[0].cells[2].querySelector("button");
  const read = () => [...table.tBodies[0].rows].map((r) => parseFloat(r.cells[2].textContent));
  head.click();
  const up = read();
  head.click();
  return [up, read()];
})()`, &columns)
	down := slices.Clone(columns[1])
	slices.Reverse(down)
	if !slices.IsSorted(columns[0]) || !slices.IsSorted(down) || len(down) < 2 {
		t.Errorf("a table is sorted as %v and %v", columns[0], columns[1])
	}
}
