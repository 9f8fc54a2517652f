package wasm

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero/api"

	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/policies/plugin/wasm/meter"
)

// instance is a module at work.
type instance struct {
	api.Module
	buffer, begin, decide api.Function
	settings              api.Function        // nil: it does not say which it has
	globals               []api.MutableGlobal // those that can change
}

// state is all that a module remembers.
type state struct {
	memory  []byte
	globals []uint64
}

// state returns a copy of what the module remembers.
func (g *instance) state() (s state) {
	memory, _ := g.Memory().Read(0, g.Memory().Size())
	s.memory = append([]byte(nil), memory...)
	for _, x := range g.globals {
		s.globals = append(s.globals, x.Get())
	}
	return s
}

// set lets the module, whose memory has the right size, remember something else.
func (g *instance) set(s state) {
	g.Memory().Write(0, s.memory)
	for i, x := range g.globals {
		x.Set(s.globals[i])
	}
}

// is makes it the instance of a module, and looks for what a module exports.
func (g *instance) is(ctx context.Context, m api.Module) error {
	g.Module = m
	g.buffer, g.begin, g.decide = m.ExportedFunction("marigram_buffer"), m.ExportedFunction("marigram_begin"), m.ExportedFunction("marigram_decide")
	g.settings = m.ExportedFunction("marigram_settings")
	for i := range g.globals {
		var can bool
		if g.globals[i], can = m.ExportedGlobal(meter.Global(i)).(api.MutableGlobal); !can {
			return fmt.Errorf("its global %d cannot be kept", i)
		}
	}
	version := m.ExportedFunction("marigram_version")
	if m.Memory() == nil {
		return errors.New("it exports no memory")
	}
	i32, i64 := api.ValueTypeI32, api.ValueTypeI64
	for _, f := range []struct {
		name   string
		f      api.Function
		takes  []api.ValueType
		result []api.ValueType
	}{
		{"marigram_version", version, nil, []api.ValueType{i32}},
		{"marigram_buffer", g.buffer, []api.ValueType{i32}, []api.ValueType{i32}},
		{"marigram_begin", g.begin, []api.ValueType{i32, i32}, nil},
		{"marigram_decide", g.decide, []api.ValueType{i32, i32}, []api.ValueType{i64}},
		{"marigram_settings", g.settings, nil, []api.ValueType{i64}},
	} {
		if f.f == nil && f.name == "marigram_settings" {
			continue
		}
		if f.f == nil {
			return fmt.Errorf("it exports no function %s", f.name)
		}
		d := f.f.Definition()
		if string(d.ParamTypes()) != string(f.takes) || string(d.ResultTypes()) != string(f.result) {
			return fmt.Errorf("function %s has other parameters or results than expected", f.name)
		}
	}
	got, err := version.Call(ctx)
	if err != nil {
		return err
	}
	if got[0] != message.Version {
		return fmt.Errorf("it speaks version %d of the messages, expected %d", got[0], message.Version)
	}
	return nil
}

func readModule(path string) ([]byte, error) {
	return store.ReadAll(context.Background(), path, maxModule)
}

const (
	maxModule  = 64 << 20 // bytes of a file
	pagesPerMB = 16
)
