package meter_test

import (
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/marigram/marigram/policies/plugin/wasm/meter"
)

// compiled returns a module of a compiler of C.
func compiled(t testing.TB) []byte {
	t.Helper()
	module, err := os.ReadFile("../testdata/greedy.wasm")
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// TestRewrite rewrites a module of a compiler of C: what comes out is one, and its functions are where they were.
func TestRewrite(t *testing.T) {
	greedy := compiled(t)
	out, changing, err := meter.Rewrite(greedy)
	if err != nil || changing == 0 {
		t.Fatalf("%d globals that change, %v", changing, err)
	}
	r := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigInterpreter())
	defer r.Close(context.Background())
	before, err := r.CompileModule(t.Context(), greedy)
	if err != nil {
		t.Fatal(err)
	}
	after, err := r.CompileModule(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(after.ImportedFunctions()), len(before.ImportedFunctions())+1; got != want {
		t.Errorf("%d imported functions, want %d", got, want)
	}
	for name, f := range before.ExportedFunctions() {
		if after.ExportedFunctions()[name].Index() != f.Index()+1 {
			t.Errorf("%s is function %d, want %d", name, after.ExportedFunctions()[name].Index(), f.Index()+1)
		}
	}
}

// FuzzRewrite rewrites broken modules: an error or a module, no panic, and not much more than went in.
func FuzzRewrite(f *testing.F) {
	f.Add(compiled(f))
	f.Fuzz(func(t *testing.T, binary []byte) {
		out, _, err := meter.Rewrite(binary)
		if err == nil && (len(out) > 1000+60*len(binary) || !bytes.HasPrefix(out, []byte("\x00asm"))) {
			t.Errorf("%d bytes became %d", len(binary), len(out))
		}
	})
}
