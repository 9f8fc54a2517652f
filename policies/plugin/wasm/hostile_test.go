package wasm_test

import (
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/policies/plugin/wasm"
)

// TestHostile runs modules that do harm as well as they can: each is refused or ended, with the reason.
func TestHostile(t *testing.T) {
	endless := []byte{opLoop, empty, opBranch, 0, opEnd}
	with := func(change func(p *parts)) []byte {
		p := idle()
		change(&p)
		return p.module()
	}
	for name, c := range map[string]struct {
		module []byte
		want   string
	}{
		"no module":              {[]byte("print(1)"), "does not begin as a module"},
		"a module cut off":       {idle().module()[:60], "it ends too early"},
		"no exports":             {[]byte("\x00asm\x01\x00\x00\x00"), "it exports no function marigram_version"},
		"another version":        {with(func(p *parts) { p.version = i32(7) }), "it speaks version 7 of the messages, expected 1"},
		"endless, at the start":  {with(func(p *parts) { p.begin = endless }), "no answer within 100ms"},
		"endless, in a decision": {with(func(p *parts) { p.decide = append(endless, i64(0)...) }), "no answer within 100ms"},
		"endless, by calls":      {with(func(p *parts) { p.decide = append(twice(40), i64(0)...) }), "no answer within 100ms"},
		"a global of its meter":  {with(func(p *parts) { p.decide = append(i64(1<<60), opGlobalSet, 0, opUnreachable) }), "a global that there is not"},
		"a table of 4 G":         {with(func(p *parts) { p.table = []byte{1, 0x70, 0, 0xff, 0xff, 0xff, 0xff, 0x0f} }), "a table of 4294967295 elements"},
		"a table that remembers": {with(func(p *parts) { p.decide = []byte{opTableSet, 0} }), "table.set"},
		"a buffer outside":       {with(func(p *parts) { p.buffer = i32(-1) }), "do not fit into its memory"},
		"a plan outside":         {with(func(p *parts) { p.decide = i64(-1) }), "outside of its memory"},
		"no plan":                {with(func(p *parts) { p.decide = i64(0) }), "the message ends 4 bytes too early"},
		"a plan of zeros":        {with(func(p *parts) { p.decide = i64(2000<<32 | 8) }), "a message of kind 0"},
		"it gives up":            {with(func(p *parts) { p.begin = []byte{opUnreachable} }), "unreachable"},
		"all memory": {with(func(p *parts) { // as much as it gets, and then it looks beyond
			p.begin = append(append([]byte{opLoop, empty}, i32(1)...), opGrow, 0, opDrop, opBranch, 0, opEnd)
		}), "no answer within 100ms"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := tried(wasm.Module{Path: written(t, c.module), Patience: 100 * time.Millisecond, MemoryMB: 8})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// twice calls a function that calls itself twice, to a depth: without a loop, in 2^depth steps.
func twice(depth int64) []byte { return append(i32(depth), opCall, 4) }

// tried opens a module and asks it once.
func tried(m wasm.Module) error {
	carrier, err := wasm.Open(m)
	if err != nil {
		return err
	}
	defer carrier.Close()
	run := message.Begin{Type: "begin", Pools: make([]message.Pool, 2)}
	if err := carrier.Begin(&run); err != nil {
		return err
	}
	_, err = carrier.Decide(&message.View{World: run.World, Prices: []float64{1, 2}}, nil)
	return err
}
