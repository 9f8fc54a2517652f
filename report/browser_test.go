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
)

// The page in a browser, opened from disk: no error, no request, nothing over
// something else, everything within reach of the keyboard, in light and in dark.
// MARIGRAM_PAGE is another page to look at, MARIGRAM_SCREENSHOTS a folder for pictures.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes its time")
	}
	b := open(t)
	path := os.Getenv("MARIGRAM_PAGE")
	if path == "" {
		path = filepath.Join(t.TempDir(), "report.html")
		if err := os.WriteFile(path, []byte(pageOf(t, made(2, 500))), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, width := range []int{1280, 700} {
		b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false}, nil)
		for _, scheme := range []string{"light", "dark"} {
			b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
			b.visit(path)
			look(t, b, scheme)
			papers(t, b, scheme)
			name := scheme + map[int]string{1280: "", 700: "-narrow"}[width] + ".png"
			b.eval(`document.querySelectorAll("#decisions details")[0].open = true`, nil)
			if shot := b.keep(name, "Page.captureScreenshot", map[string]any{"captureBeyondViewport": true}); !bytes.HasPrefix(shot, []byte("\x89PNG")) {
				t.Errorf("%s: no picture", name)
			}
			b.eval(`document.querySelector("#runs").scrollIntoView()`, nil)
			b.keep("runs-"+name, "Page.captureScreenshot", nil)
		}
	}
	b.visit(path) // scrolling has moved the place that the tab key goes on from
	keyboard(t, b)
	pointer(t, b)
	if pdf := b.keep("print.pdf", "Page.printToPDF", map[string]any{"printBackground": true}); !bytes.HasPrefix(pdf, []byte("%PDF")) {
		t.Error("the page does not print")
	}
	for _, e := range b.events {
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

// look checks what can be measured of how the page looks.
func look(t *testing.T, b *browser, scheme string) {
	t.Helper()
	var seen struct {
		Overlaps  []string
		Wide      float64
		Contrasts map[string]float64
		Dark      bool
		Charts    int
	}
	b.eval(lookScript, &seen)
	if len(seen.Overlaps) > 0 {
		t.Errorf("%s: text over text:\n%s", scheme, strings.Join(seen.Overlaps[:min(len(seen.Overlaps), 10)], "\n"))
	}
	if seen.Wide > 0 {
		t.Errorf("%s: the page is %v pixels wider than its window", scheme, seen.Wide)
	}
	for color, ratio := range seen.Contrasts {
		if ratio < 4.5 { // WCAG 2.2, 1.4.3
			t.Errorf("%s: contrast of %s with the paper %v, expected 4.5", scheme, color, ratio)
		}
	}
	if seen.Dark != (scheme == "dark") {
		t.Errorf("%s: a dark page: %v", scheme, seen.Dark)
	}
	if seen.Charts != 4 {
		t.Errorf("%s: %d charts, expected 4", scheme, seen.Charts)
	}
}

// papers looks at the pixels of every figure: in the dark scheme most of them are
// dark and hardly any is white, in the light one it is the other way round.
func papers(t *testing.T, b *browser, scheme string) {
	t.Helper()
	var boxes []struct{ X, Y, Width, Height float64 }
	b.eval(`[...document.querySelectorAll("figure, #charts canvas")].map((e) => e.getBoundingClientRect()).map((r) => ({x: r.x, y: r.y + scrollY, width: r.width, height: r.height}))`, &boxes)
	if len(boxes) < 5 {
		t.Errorf("%s: %d figures and charts", scheme, len(boxes))
	}
	for i, box := range boxes {
		shot := b.keep(fmt.Sprintf("%s-figure-%d.png", scheme, i), "Page.captureScreenshot", map[string]any{"captureBeyondViewport": true,
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
			t.Errorf("%s: figure %d: %d pixels are white and %d dark, of %d", scheme, i, light, dark, all)
		}
	}
}

// lookScript measures: pieces of text whose boxes overlap, and how text contrasts.
const lookScript = `(() => {
  const boxes = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n; (n = walk.nextNode());) {
    const style = getComputedStyle(n.parentElement);
    if (!n.data.trim() || style.visibility === "hidden" || n.parentElement.closest("script,noscript,style,option") || n.parentElement.closest("details:not([open]) > :not(summary)")) continue;
    const range = document.createRange();
    range.selectNodeContents(n);
    for (const r of range.getClientRects()) if (r.width && r.height) boxes.push({ r, text: n.data.trim().slice(0, 60) });
  }
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
  const light = (name) => rgb(name).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const contrasts = {}, paper = light("--paper");
  for (const name of ["--ink", "--soft", "--link", "--good", "--poor"]) contrasts[name] = (Math.max(light(name), paper) + 0.05) / (Math.min(light(name), paper) + 0.05);
  return { overlaps, contrasts, wide: document.documentElement.scrollWidth - innerWidth, dark: paper < 0.2, charts: document.querySelectorAll("#charts canvas").length };
})()`

// keyboard walks through the page with the tab key and works its controls.
func keyboard(t *testing.T, b *browser) {
	t.Helper()
	b.eval(`document.activeElement.blur(), window.scrollTo(0, 0)`, nil)
	var stops []string
	for range 40 {
		b.press("Tab", 9, "")
		var stop string
		b.eval(`(e => e.id || e.dataset.do || e.getAttribute("aria-label") || e.textContent)(document.activeElement)`, &stop)
		stops = append(stops, stop)
	}
	at := 0
	for _, want := range []string{"Objectives", "Provenance", "run", "in", "out", "left", "right", "all", "Held", "Price", "Progress", "Cost", "candidates"} {
		k := slices.IndexFunc(stops[at:], func(s string) bool { return s == want || strings.HasPrefix(s, want+" (") || strings.HasSuffix(s, want) })
		if k < 0 {
			t.Errorf("the tab key does not come to %q after %q: %q", want, stops[:at], stops)
			return
		}
		at += k
	}
	var before, after string
	picture := `document.querySelector("#charts canvas").toDataURL()`
	b.eval(picture, &before)
	b.eval(`document.querySelector("[data-do=in]").focus()`, nil)
	b.press("Enter", 13, "\r")
	b.eval(`new Promise(requestAnimationFrame).then(() => `+picture+`)`, &after)
	if before == after {
		t.Error("the button that zooms in changes nothing")
	}
	b.eval(`document.querySelector("#charts > div").focus()`, nil)
	b.press("ArrowRight", 39, "")
	b.eval(`document.getElementById("readout").textContent`, &after)
	if !strings.Contains(after, "% done") {
		t.Errorf("an arrow key reads %q", after)
	}
	b.eval(`document.getElementById("facts").textContent + document.getElementById("decisions").textContent`, &before)
	b.eval(`document.getElementById("run").focus()`, nil)
	b.press("End", 35, "")
	b.eval(`document.getElementById("facts").textContent + document.getElementById("decisions").textContent`, &after)
	if before == after {
		t.Error("the last run says what the first says")
	}
}

// pointer reads values under the pointer and zooms into a stretch by dragging.
func pointer(t *testing.T, b *browser) {
	t.Helper()
	var box struct{ X, Y, Width, Height float64 }
	const over = `document.querySelector("#charts .u-over")`
	b.eval(over+`.scrollIntoView({block: "center"}), (r => ({x: r.x, y: r.y, width: r.width, height: r.height}))(`+over+`.getBoundingClientRect())`, &box)
	mouse := func(kind string, share float64, button string) {
		b.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": box.X + share*box.Width, "y": box.Y + box.Height/2, "button": button, "clickCount": 1}, nil)
	}
	const later = `new Promise(requestAnimationFrame).then(() => `
	var legends, before, after string
	mouse("mouseMoved", 0.5, "none")
	b.eval(later+`[...document.querySelectorAll(".u-legend")].map((e) => e.textContent).join(" | "))`, &legends)
	for _, want := range []string{"time0:30:12", "p3 spot", "USD/h", "progress50 %"} {
		if !strings.Contains(legends, want) && os.Getenv("MARIGRAM_PAGE") == "" {
			t.Errorf("under the pointer stands %q, expected %q in it", legends, want)
		}
	}
	const pictures = `[...document.querySelectorAll("#charts canvas")].map((c) => c.toDataURL()).join())`
	b.eval(later+pictures, &before)
	mouse("mousePressed", 0.4, "left")
	mouse("mouseMoved", 0.6, "left")
	mouse("mouseReleased", 0.6, "left")
	b.eval(later+pictures, &after)
	if before == after {
		t.Error("dragging over a stretch does not zoom into it")
	}
}
