//go:build js

// The program that a browser runs, in workers: specs and their runs, without files or network. It defines
// three functions: marigramOpen(text, traces), marigramPart(text, settings, part, of), which runs a part of the starts
// and seeds and returns bytes, and marigramTable(parts), which makes the table of all live. The others, and errors, are JSON.
package main

import (
	"encoding/json"
	"runtime/debug"
	"syscall/js"

	"github.com/marigram/marigram/cmd/live"
	"github.com/marigram/marigram/experiments/spec"
)

func main() {
	debug.SetGCPercent(400) // nothing else runs in a worker, and its memory is small
	js.Global().Set("marigramOpen", js.FuncOf(func(_ js.Value, args []js.Value) any { return answer(opened(args[0].String(), args[1])) }))
	js.Global().Set("marigramPart", js.FuncOf(func(_ js.Value, args []js.Value) any { return part(args) }))
	js.Global().Set("marigramTable", js.FuncOf(func(_ js.Value, args []js.Value) any { return answer(table(args[0])) }))
	select {}
}

func answer(x any, err error) string {
	if err != nil {
		x = map[string]string{"error": err.Error()}
	}
	text, err := json.Marshal(x)
	if err != nil {
		return `{"error":"the answer has no JSON form"}`
	}
	return string(text)
}

// opened is a spec and what can be set of it. Its recorded traces are kept.
func opened(text string, traces js.Value) (any, error) {
	sets, err := live.ReadTraces(bytesOf(traces))
	if err != nil {
		return nil, err
	}
	cells.Sets = sets
	s, err := spec.Parse("spec", []byte(text))
	if err != nil {
		return nil, err
	}
	return map[string]any{"name": s.Name, "about": s.About, "seeds": s.Seeds, "sliders": live.Sliders(s)}, s.Validate()
}

// part runs a part of the seeds: an array of bytes, or the error as JSON.
func part(args []js.Value) any {
	var settings []string
	if err := json.Unmarshal([]byte(args[1].String()), &settings); err != nil {
		return answer(nil, err)
	}
	p, err := run(args[0].String(), settings, args[2].Int(), args[3].Int())
	if err != nil {
		return answer(nil, err)
	}
	b := p.Bytes()
	out := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(out, b)
	return out
}

func bytesOf(array js.Value) []byte {
	b := make([]byte, array.Length())
	js.CopyBytesToGo(b, array)
	return b
}

// cells remembers what was run.
var cells live.Cells

func run(text string, settings []string, n, of int) (*live.Part, error) {
	var given []spec.Setting
	for _, x := range settings {
		set, err := spec.ParseSetting(x)
		if err != nil {
			return nil, err
		}
		given = append(given, set)
	}
	s, err := spec.Parse("spec", []byte(text), given...)
	if err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return cells.Run(s, n, of)
}

// table puts the parts together: arrays of bytes, in an array.
func table(list js.Value) (any, error) {
	var all []*live.Part
	for i := range list.Length() {
		p, err := live.ReadPart(bytesOf(list.Index(i)))
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return live.Join(all)
}
