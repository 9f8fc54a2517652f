//go:build unix

package wasm_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/policies/plugin/wasm"
	"github.com/marigram/marigram/sim/simtest"
)

// A module that takes too long to compile is given up, and the compiler stops: it is not left to go on by itself.
func TestCompilerStops(t *testing.T) {
	const functions = 40_000
	defer wasm.SetMinCompiling(20 * time.Millisecond)()
	began := simtest.CPUTime()
	if _, err := wasm.Open(wasm.Module{Path: large(t, functions/20), Patience: slow}); err == nil || !strings.Contains(err.Error(), "exports no function") {
		t.Fatalf("%v, expected that it is compiled", err)
	}
	largest := 10 * (simtest.CPUTime() - began) // half of what the whole module takes
	path, before := large(t, functions), runtime.NumGoroutine()
	_, err := wasm.Open(wasm.Module{Path: path, Patience: 20 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "it is not compiled after 20ms") {
		t.Errorf("%v, expected that it is given up", err)
	}
	// A goroutine that has said its last word is counted until it has returned, which takes a while on a busy machine,
	// but no work.
	for began := simtest.CPUTime(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if worked := simtest.CPUTime() - began; worked > largest {
			t.Fatalf("%d goroutines go on, after %v of processor time of at most %v", runtime.NumGoroutine()-before, worked, largest)
		}
	}
}

// large writes a module of n functions.
func large(t *testing.T, functions uint64) string {
	t.Helper()
	section := func(id byte, body []byte) []byte {
		return append(binary.AppendUvarint([]byte{id}, uint64(len(body))), body...)
	}
	body := append(append([]byte{0}, bytes.Repeat([]byte{0x41, 1, 0x1a}, 60)...), 0x0b) // i32.const 1, drop
	sized := append(binary.AppendUvarint(nil, uint64(len(body))), body...)
	many := binary.AppendUvarint(nil, functions)
	module := append([]byte("\x00asm\x01\x00\x00\x00"), section(1, []byte{1, 0x60, 0, 0})...)
	module = append(module, section(3, append(many[:len(many):len(many)], make([]byte, functions)...))...)
	module = append(module, section(10, append(many[:len(many):len(many)], bytes.Repeat(sized, int(functions))...))...)
	path := filepath.Join(t.TempDir(), "large.wasm")
	if err := os.WriteFile(path, module, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
