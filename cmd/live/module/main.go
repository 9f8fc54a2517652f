//go:build js

// The program that a browser runs, in a worker: specs and their runs, without files or network. It defines
// two functions: marigramOpen(text) and marigramRun(text, settings), which return JSON.
package main

import (
	"context"
	"encoding/json"
	"strings"
	"syscall/js"

	"github.com/marigram/marigram/cmd/internal/printed"
	"github.com/marigram/marigram/cmd/live/sliders"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
)

func main() {
	js.Global().Set("marigramOpen", js.FuncOf(func(_ js.Value, args []js.Value) any { return answer(opened(args[0].String())) }))
	js.Global().Set("marigramRun", js.FuncOf(func(_ js.Value, args []js.Value) any {
		var settings []string
		if err := json.Unmarshal([]byte(args[1].String()), &settings); err != nil {
			return answer(nil, err)
		}
		return answer(run(args[0].String(), settings))
	}))
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

// opened is a spec and what can be set of it.
func opened(text string) (any, error) {
	s, err := spec.Parse("spec", []byte(text))
	if err != nil {
		return nil, err
	}
	return map[string]any{"name": s.Name, "about": s.About, "seeds": s.Seeds, "sliders": sliders.Of(s)}, s.Validate()
}

// Result is what runs came to.
type result struct {
	Table    string                  `json:"table"` // as marigram run prints it
	Rows     []experiments.Aggregate `json:"rows"`
	Warnings []string                `json:"warnings"`
}

func run(text string, settings []string) (any, error) {
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
	study, err := experiments.NewStudy(s)
	if err != nil {
		return nil, err
	}
	study.Timelines = 0
	set, err := study.Run(context.Background())
	if err != nil {
		return nil, err
	}
	out := result{Rows: experiments.Aggregates(set.Summaries), Warnings: study.Warnings}
	var table strings.Builder
	if err := printed.Aggregates(&table, out.Rows); err != nil {
		return nil, err
	}
	out.Table = table.String()
	return out, nil
}
