//go:build js

// The program that a browser runs, in workers: specs and their runs, without files or network. It defines
// three functions, which return JSON: marigramOpen(text), marigramPart(text, settings, part, of), which runs a part of
// the seeds, and marigramTable(parts), which makes the table of all parts.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"syscall/js"

	"github.com/marigram/marigram/cmd/internal/printed"
	"github.com/marigram/marigram/cmd/live/sliders"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
)

func main() {
	js.Global().Set("marigramOpen", js.FuncOf(func(_ js.Value, args []js.Value) any { return answer(opened(args[0].String())) }))
	js.Global().Set("marigramPart", js.FuncOf(func(_ js.Value, args []js.Value) any {
		var settings []string
		if err := json.Unmarshal([]byte(args[1].String()), &settings); err != nil {
			return answer(nil, err)
		}
		return answer(run(args[0].String(), settings, args[2].Int(), args[3].Int()))
	}))
	js.Global().Set("marigramTable", js.FuncOf(func(_ js.Value, args []js.Value) any {
		var parts []part
		if err := json.Unmarshal([]byte(args[0].String()), &parts); err != nil {
			return answer(nil, err)
		}
		return answer(table(parts))
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

// part is what a part of the runs came to.
type part struct {
	Rows     []results.Summary `json:"rows"`
	Warnings []string          `json:"warnings"`
	Error    string            `json:"error,omitempty"`
}

func run(text string, settings []string, n, of int) (any, error) {
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
	set, err := study.RunPart(context.Background(), n, of)
	if err != nil {
		return nil, err
	}
	return part{Rows: set.Summaries, Warnings: study.Warnings}, nil
}

// result is what all runs came to.
type result struct {
	Table    string   `json:"table"` // as marigram run prints it
	Runs     int      `json:"runs"`
	Warnings []string `json:"warnings"`
}

// table puts the parts together; the first error of one is that of all.
func table(parts []part) (any, error) {
	var out result
	var rows []results.Summary
	for _, p := range parts {
		if p.Error != "" {
			return nil, errors.New(p.Error)
		}
		rows = append(rows, p.Rows...)
		out.Warnings = p.Warnings // the same of all
	}
	slices.SortFunc(rows, func(a, b results.Summary) int { return cmp.Compare(a.Run, b.Run) })
	out.Runs = len(rows)
	var text strings.Builder
	if err := printed.Aggregates(&text, experiments.Aggregates(rows)); err != nil {
		return nil, err
	}
	out.Table = text.String()
	return out, nil
}
