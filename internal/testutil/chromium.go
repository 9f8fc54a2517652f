package testutil

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// Browser is a Chromium that is told what to do: messages end with a zero byte.
type Browser struct {
	t       *testing.T
	in      io.Writer
	out     *bufio.Reader
	session string
	last    int
	Events  []Message // that came
}

// Message is one of the protocol.
type Message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// OpenBrowser starts a browser on an empty page, and skips the test where there is none.
func OpenBrowser(t *testing.T) *Browser {
	t.Helper()
	path := os.Getenv("MARIGRAM_CHROMIUM")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = cmp.Or(path, found)
		}
	}
	if path == "" {
		t.Skip("no Chromium on PATH and MARIGRAM_CHROMIUM is not set: the page is not looked at in a browser")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	cmd := exec.CommandContext(ctx, path,
		"--headless",
		"--no-sandbox",
		"--disable-gpu",
		"--disable-quic",
		"--no-first-run",
		"--disable-background-networking",
		"--disable-component-update",
		"--disable-sync",
		"--disable-dev-shm-usage",
		"--user-data-dir="+t.TempDir(),
		"--remote-debugging-pipe",
		"about:blank")
	theirs, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, ours, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{theirs, ours}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	ours.Close()
	b := &Browser{t: t, in: in, out: bufio.NewReader(out)}
	t.Cleanup(func() {
		b.session = ""
		b.send("Browser.close", nil)
		_ = cmd.Wait()
		cancel()
		in.Close()
		out.Close()
	})
	var target struct{ TargetID string }
	b.Call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.Call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Runtime", "Log", "Network", "Page"} {
		b.Call(domain+".enable", nil, nil)
	}
	return b
}

func (b *Browser) send(method string, params any) {
	b.last++
	text, err := json.Marshal(struct {
		ID      int    `json:"id"`
		Session string `json:"sessionId,omitempty"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{b.last, b.session, method, params})
	if err != nil {
		b.t.Fatal(err)
	}
	_, _ = b.in.Write(append(text, 0)) // that it is gone shows in what it does not answer
}

// receive returns the next message; events are kept.
func (b *Browser) receive() Message {
	b.t.Helper()
	text, err := b.out.ReadBytes(0)
	if err != nil {
		b.t.Fatal("the browser is gone: ", err)
	}
	var m Message
	if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
		b.t.Fatal(err)
	}
	if m.Method != "" {
		b.Events = append(b.Events, m)
	}
	return m
}

// Call calls a method of the protocol and reads what it returns.
func (b *Browser) Call(method string, params, result any) {
	b.t.Helper()
	b.send(method, params)
	for {
		m := b.receive()
		if m.ID != b.last {
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error)
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				b.t.Fatal(err)
			}
		}
		return
	}
}

// Visit opens a page and waits until it is loaded.
func (b *Browser) Visit(url string) {
	b.t.Helper()
	b.Call("Page.navigate", map[string]any{"url": url}, nil)
	for b.receive().Method != "Page.loadEventFired" {
	}
}

// Eval runs a script in the page and reads what it returns.
func (b *Browser) Eval(script string, result any) {
	b.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	params := map[string]any{"expression": script, "returnByValue": true, "awaitPromise": true}
	b.Call("Runtime.evaluate", params, &answer)
	if answer.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", script, answer.ExceptionDetails)
	}
	if result != nil {
		if err := json.Unmarshal(answer.Result.Value, result); err != nil {
			b.t.Fatalf("%s: %v of %s", script, err, answer.Result.Value)
		}
	}
}

// Press presses and releases a key.
func (b *Browser) Press(key string, code int, text string) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.Call("Input.dispatchKeyEvent", map[string]any{
			"type":                  kind,
			"key":                   key,
			"code":                  key,
			"windowsVirtualKeyCode": code,
			"text":                  text,
		}, nil)
	}
}

// Keep saves a picture or a print of the page where MARIGRAM_SCREENSHOTS says.
func (b *Browser) Keep(name, method string, params any) []byte {
	b.t.Helper()
	var shot struct{ Data []byte }
	b.Call(method, params, &shot)
	if dir := os.Getenv("MARIGRAM_SCREENSHOTS"); dir != "" {
		if err := os.WriteFile(fmt.Sprintf("%s/%s", dir, name), shot.Data, 0o666); err != nil {
			b.t.Fatal(err)
		}
	}
	return shot.Data
}
