package wasm_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/policies/plugin/wasm"
)

// parts are the bodies of the functions of a small module, in instructions of WebAssembly.
type parts struct {
	version, buffer, begin, decide []byte
	texts                          bool   // it imports setting_text, which is function 0
	data                           []byte // where its plan is otherwise
	table, globals                 []byte // sections
}

const (
	opUnreachable = 0x00
	opLoop        = 0x03
	opEnd         = 0x0b
	opBranch      = 0x0c
	opCall        = 0x10
	opDrop        = 0x1a
	opIf          = 0x04
	opLocalGet    = 0x20
	opGlobalGet   = 0x23
	opGlobalSet   = 0x24
	opTableSet    = 0x26
	opGrow        = 0x40
	opI32         = 0x41
	opI64         = 0x42
	empty         = 0x40 // type of a block without a result
)

// planAt is where the module has its plan, which leaves everything as it is.
const planAt = 65536 - 1024

// idle is a module that does nothing.
func idle() parts {
	plan := idlePlan()
	return parts{version: i32(message.Version), buffer: i32(0), decide: i64(planAt<<32 | int64(len(plan)))}
}

func idlePlan() []byte { return new(message.Plan).AppendFlat(nil) }

func i32(x int64) []byte { return append([]byte{opI32}, signed(x)...) }
func i64(x int64) []byte { return append([]byte{opI64}, signed(x)...) }

// signed is a number as LEB128.
func signed(x int64) (b []byte) {
	for {
		low := byte(x & 0x7f)
		if x >>= 7; x == 0 && low&0x40 == 0 || x == -1 && low&0x40 != 0 {
			return append(b, low)
		}
		b = append(b, low|0x80)
	}
}

// sized is a list of bytes with its length before it.
func sized(b ...byte) []byte { return append(binary.AppendUvarint(nil, uint64(len(b))), b...) }

func list(n int, b ...byte) []byte { return append(binary.AppendUvarint(nil, uint64(n)), b...) }

// branching is a function of a depth that calls itself twice with one less, if that is at least 0.
func branching(self byte) []byte {
	again := []byte{opLocalGet, 0, opI32, 1, 0x6b, opCall, self}
	return append(append([]byte{opLocalGet, 0, opI32, 0, 0x48, opIf, empty, 0x0f, opEnd}, again...), again...)
}

// module is a module of five functions, and a page of memory with a plan.
func (p parts) module() []byte {
	b := []byte("\x00asm\x01\x00\x00\x00")
	section := func(id byte, content []byte) { b = append(append(b, id), sized(content...)...) }
	section(1, list(6, 0x60, 0, 1, 0x7f, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 2, 0x7f, 0x7f, 0, 0x60, 2, 0x7f, 0x7f, 1, 0x7e,
		0x60, 4, 0x7f, 0x7f, 0x7f, 0x7f, 1, 0x7f, 0x60, 1, 0x7f, 0))
	first := 0
	if p.texts {
		section(2, append(append(append(list(1), sized([]byte("marigram")...)...), sized([]byte("setting_text")...)...), 0, 4))
		first = 1
	}
	section(3, list(5, 0, 1, 2, 3, 5))
	if p.table != nil {
		section(4, p.table)
	}
	section(5, list(1, 0, 1))
	if p.globals != nil {
		section(6, p.globals)
	}
	exports := list(5)
	exports = append(append(exports, sized([]byte("memory")...)...), 2, 0)
	for i, name := range []string{"marigram_version", "marigram_buffer", "marigram_begin", "marigram_decide"} {
		exports = append(append(exports, sized([]byte(name)...)...), 0, byte(first+i))
	}
	section(7, exports)
	code := list(5)
	for _, body := range [][]byte{p.version, p.buffer, p.begin, p.decide, branching(byte(first + 4))} {
		code = append(code, sized(append(append([]byte{0}, body...), opEnd)...)...)
	}
	section(10, code)
	data := p.data
	if data == nil {
		data = idlePlan()
	}
	section(11, append(append(append(list(1, 0), i32(planAt)...), opEnd), sized(data...)...))
	return b
}

// written is a module as a file.
func written(t testing.TB, binary []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policy.wasm")
	if err := os.WriteFile(path, binary, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSettingText runs a module that says a setting, a name, as the reason of its plan: cut to the room that it
// has for it, and -1 for a setting that there is not.
func TestSettingText(t *testing.T) {
	plan := (&message.Plan{Because: "......"}).AppendFlat(nil)
	text := bytes.IndexByte(plan, '.')
	p := idle()
	p.texts, p.data = true, append(append([]byte(nil), plan...), "order"...)
	for _, arg := range []int{planAt + len(plan), len("order"), planAt + text, 6} {
		p.decide = append(p.decide[:len(p.decide):len(p.decide)], i32(int64(arg))...)
	}
	p.decide = append(p.decide[len(idle().decide):], opCall, 0, opDrop)
	p.decide = append(p.decide, i64(planAt<<32|int64(len(plan)))...)
	path := written(t, p.module())
	for value, want := range map[string]string{"price": "price.", "cheapest": "cheape", "": "......"} {
		m := wasm.Module{Path: path, Texts: map[string]string{"order": value}}
		if value == "" {
			m.Texts = nil
		}
		carrier, err := wasm.Open(m)
		if err != nil {
			t.Fatal(err)
		}
		run := message.Begin{Type: "begin", Pools: make([]message.Pool, 2)}
		if err := carrier.Begin(&run); err != nil {
			t.Fatal(err)
		}
		got, err := carrier.Decide(&message.View{World: run.World, Prices: []float64{1, 2}}, nil)
		if err != nil || got.Because != want {
			t.Errorf("%q: %v, %v, want %q", value, got, err, want)
		}
		carrier.Close()
	}
}

// TestGlobals runs a module that counts its decisions in a global, and fails at the third: of each run, not of all.
func TestGlobals(t *testing.T) {
	p := idle()
	p.globals = append(list(1, 0x7f, 1), opI32, 0, opEnd)
	count := []byte{opGlobalGet, 0, opI32, 1, 0x6a, opGlobalSet, 0, opGlobalGet, 0, opI32, 3, 0x46, opIf, empty, opUnreachable, opEnd}
	p.decide = append(count, p.decide...)
	carrier, err := wasm.Open(wasm.Module{Path: written(t, p.module())})
	if err != nil {
		t.Fatal(err)
	}
	defer carrier.Close()
	var runs [3]int64
	for i := range runs {
		run := message.Begin{Type: "begin", Pools: make([]message.Pool, 2)}
		if i == 2 {
			run.From = &runs[0] // a copy, before its first decision
		}
		if err := carrier.Begin(&run); err != nil {
			t.Fatal(err)
		}
		runs[i] = run.World
	}
	for range 2 {
		for _, world := range runs {
			if _, err := carrier.Decide(&message.View{World: world, Prices: []float64{1, 2}}, nil); err != nil {
				t.Fatalf("run %d: %v", world, err)
			}
		}
	}
	if _, err := carrier.Decide(&message.View{World: runs[1], Prices: []float64{1, 2}}, nil); err == nil {
		t.Error("the module did not count")
	}
}

// BenchmarkDecision is one decision of a module that does nothing: what the door costs, there and
// back, with eight pools of which the job holds four.
func BenchmarkDecision(b *testing.B) {
	carrier, err := wasm.Open(wasm.Module{Path: written(b, idle().module())})
	if err != nil {
		b.Fatal(err)
	}
	defer carrier.Close()
	run := message.Begin{Type: "begin", Pools: make([]message.Pool, 8)}
	if err := carrier.Begin(&run); err != nil {
		b.Fatal(err)
	}
	view := message.View{Type: "decide", World: run.World, Prices: make([]float64, 8), Jobs: make([]message.Job, 1)}
	for p := range 4 {
		view.Jobs[0].Held = append(view.Jobs[0].Held, message.Held{Pool: p, Want: 1, Ready: 1})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := carrier.Decide(&view, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzModule feeds the carrier with broken modules: they are refused, or end with an error.
func FuzzModule(f *testing.F) {
	f.Add(idle().module())
	f.Add([]byte("\x00asm\x01\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, binary []byte) {
		carrier, err := wasm.Open(wasm.Module{Path: written(t, binary), Patience: 200e6, MemoryMB: 8})
		if err != nil {
			return
		}
		defer carrier.Close()
		run := message.Begin{Type: "begin", Pools: make([]message.Pool, 2), StartS: math.Pi}
		if carrier.Begin(&run) == nil {
			_, _ = carrier.Decide(&message.View{World: run.World, Prices: []float64{1, 2}}, nil)
		}
	})
}
