package wasm

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/tetratelabs/wazero/api"

	"github.com/marigram/marigram/policies/external/message"
)

// instance is a module with its memory.
type instance struct {
	api.Module
	buffer, begin, decide api.Function
}

// check looks for what a module exports.
func (g *instance) check(ctx context.Context) error {
	version := g.ExportedFunction("marigram_version")
	if g.Memory() == nil {
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
	} {
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
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > mostModule:
		return nil, fmt.Errorf("%s: expected a regular file of at most %d bytes", path, mostModule)
	}
	return os.ReadFile(path)
}

const (
	mostModule = 64 << 20 // bytes of a file
	pagesPerMB = 16
)
