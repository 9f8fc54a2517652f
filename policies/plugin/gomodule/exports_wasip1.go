package gomodule

import (
	"encoding/json"
	"unsafe"

	"github.com/marigram/marigram/policies/plugin/message"
)

var (
	made    func() Policy
	policy  Policy
	view    message.View
	in, out []byte
)

// Serve says how to make the policy of a run. Call it in an init function.
func Serve(policy func() Policy) { made = policy }

func begin(text []byte) {
	b, err := message.ParseBegin(text)
	if err != nil {
		panic(err)
	}
	policy = made()
	policy.Begin(b)
}

func decide(text []byte) []byte {
	if err := view.Parse(text); err != nil {
		panic(err)
	}
	var plan message.Plan
	policy.Decide(&view, &plan)
	out = plan.AppendFlat(out[:0])
	return out
}

//go:wasmexport marigram_version
func version() uint32 { return message.Version }

//go:wasmexport marigram_buffer
func buffer(n uint32) uint32 {
	in = make([]byte, n)
	return place(in)
}

//go:wasmexport marigram_begin
func exportedBegin(_, n uint32) { begin(in[:n]) }

//go:wasmexport marigram_decide
func exportedDecide(_, n uint32) uint64 {
	b := decide(in[:n])
	return uint64(place(b))<<32 | uint64(len(b))
}

// A module that declares nothing says null.
//
//go:wasmexport marigram_settings
func exportedSettings() uint64 {
	b, err := json.Marshal(declared)
	if err != nil {
		panic(err)
	}
	out = b
	return uint64(place(b))<<32 | uint64(len(b))
}

func place(b []byte) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

//go:wasmimport marigram ask
func ask(at, n, answer uint32)

//go:wasmimport marigram ask_pool
func askPool(at, n, to, space uint32) uint32

//go:wasmimport marigram setting
func setting(at, n uint32) float64

//go:wasmimport marigram setting_text
func settingText(at, n, to, space uint32) uint32

//go:wasmimport marigram random
func random(n uint64) uint64

var answer [68]byte

// Ask asks how a job would do on n instances.
func Ask(q *message.Ask) message.Answer {
	b := q.AppendFlat(nil)
	ask(place(b), uint32(len(b)), place(answer[:]))
	a, err := message.ParseAnswer(answer[:])
	if err != nil {
		panic(err)
	}
	return a
}

// AskPool asks what was seen of a pool; nil if the question names what is not in the view, or the future.
func AskPool(q *message.Ask) *message.PoolAnswer {
	b := q.AppendFlat(nil)
	for to := make([]byte, 256); ; to = make([]byte, 2*len(to)) {
		n := askPool(place(b), uint32(len(b)), place(to), uint32(len(to)))
		if n > uint32(len(to)) {
			continue
		}
		a, err := message.ParsePoolAnswer(to[:n])
		if err != nil {
			panic(err)
		}
		return a
	}
}

// Setting returns a setting of the spec, or a default.
func Setting(name string, otherwise float64) float64 {
	b := []byte(name)
	if x := setting(place(b), uint32(len(b))); x == x {
		return x
	}
	return otherwise
}

// SettingText returns a setting of the spec that is a name, or a default.
func SettingText(name, otherwise string) string {
	var to [256]byte
	b := []byte(name)
	if n := settingText(place(b), uint32(len(b)), place(to[:]), uint32(len(to))); n <= uint32(len(to)) {
		return string(to[:n])
	}
	return otherwise
}

// Random returns the n-th random number of the run, in [0, 1).
func Random(n uint64) float64 { return float64(random(n)>>11) * 0x1p-53 }
