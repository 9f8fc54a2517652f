package wasm

import (
	"context"
	"encoding/binary"
	"math"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/policies/plugin/wasm/meter"
	"github.com/marigram/marigram/sim"
)

// services are what a module may import from marigram.
type services struct {
	settings map[string]float64
	texts    map[string]string
	current  *world                            // the run that has the module
	answer   func(*message.Ask) message.Answer // in a decision
	last     plugin.Tail                       // what the module has said

	patience time.Duration
	until    time.Time // when the call at hand is stopped; zero: it has done little yet
	stopped  bool
}

// world is a run of the module.
type world struct {
	state  // when another has the module; no memory: nothing has been written yet
	random uint64
	read   uint64  // random numbers that WASI gave out
	nowS   float64 // for WASI's clock
	at     uint32  // where messages of up to space bytes are written
	space  int
	ended  bool
	plans  message.Plans // memory of its last plan
}

// offer makes the functions that a module may import.
func (c *services) offer(ctx context.Context, r wazero.Runtime) error {
	i32, i64, f64 := api.ValueTypeI32, api.ValueTypeI64, api.ValueTypeF64
	b := r.NewHostModuleBuilder(meter.Host)
	for _, f := range []struct {
		name   string
		do     api.GoModuleFunc
		takes  []api.ValueType
		result []api.ValueType
	}{
		{"ask", c.ask, []api.ValueType{i32, i32, i32}, nil},
		{"ask_pool", c.askPool, []api.ValueType{i32, i32, i32, i32}, []api.ValueType{i32}},
		{"setting", c.setting, []api.ValueType{i32, i32}, []api.ValueType{f64}},
		{"setting_text", c.settingText, []api.ValueType{i32, i32, i32, i32}, []api.ValueType{i32}},
		{"random", c.random, []api.ValueType{i64}, []api.ValueType{i64}},
		{"log", c.log, []api.ValueType{i32, i32}, nil},
		{meter.Pace, c.pace, nil, []api.ValueType{i64}},
	} {
		b = b.NewFunctionBuilder().WithGoModuleFunction(f.do, f.takes, f.result).Export(f.name)
	}
	_, err := b.Instantiate(ctx)
	return err
}

// text returns what the first two parameters of a call point at; a place outside of the module's
// memory ends the call.
func text(m api.Module, stack []uint64) []byte {
	b, inside := m.Memory().Read(uint32(stack[0]), uint32(stack[1]))
	if !inside {
		panic("a text outside of the module's memory")
	}
	return b
}

func (c *services) ask(_ context.Context, m api.Module, stack []uint64) {
	a := c.answerTo(text(m, stack))
	if a.Pool != nil {
		panic("ask: a question about a pool, expected it by ask_pool")
	}
	if !m.Memory().Write(uint32(stack[2]), a.AppendFlat(nil)) {
		panic("ask: the answer does not fit into the module's memory")
	}
}

// answerTo answers a question of the module.
func (c *services) answerTo(question []byte) message.Answer {
	q, err := message.ParseFlat(question)
	switch {
	case err != nil:
		panic("ask: " + err.Error())
	case q.Ask == nil || c.answer == nil:
		panic("ask: no question, or not in a decision")
	}
	return c.answer(q.Ask)
}

func (c *services) askPool(_ context.Context, m api.Module, stack []uint64) {
	a := c.answerTo(text(m, stack))
	b := a.AppendFlat(nil)
	if !m.Memory().Write(uint32(stack[2]), b[:min(len(b), int(uint32(stack[3])))]) {
		panic("ask_pool: a place outside of the module's memory")
	}
	stack[0] = uint64(len(b))
}

func (c *services) setting(_ context.Context, m api.Module, stack []uint64) {
	x, known := c.settings[string(text(m, stack))]
	if !known {
		x = math.NaN()
	}
	stack[0] = math.Float64bits(x)
}

func (c *services) settingText(_ context.Context, m api.Module, stack []uint64) {
	x, known := c.texts[string(text(m, stack))]
	if !known {
		stack[0] = math.MaxUint32
		return
	}
	if !m.Memory().WriteString(uint32(stack[2]), x[:min(len(x), int(uint32(stack[3])))]) {
		panic("setting_text: a place outside of the module's memory")
	}
	stack[0] = uint64(len(x))
}

func (c *services) random(_ context.Context, _ api.Module, stack []uint64) {
	stack[0] = c.current.bits(stack[0])
}

func (c *services) log(_ context.Context, m api.Module, stack []uint64) {
	_, _ = c.last.Write(append(text(m, stack), '\n'))
}

// pace is what a module calls when it has worked for a while: it is stopped if its patience is over.
func (c *services) pace(_ context.Context, _ api.Module, stack []uint64) {
	switch now := time.Now(); {
	case c.until.IsZero():
		c.until = now.Add(c.patience)
	case now.After(c.until):
		c.stopped = true
		panic("it is stopped")
	}
	stack[0] = meter.Chunk
}

// bits returns the n-th random number of a run.
func (w *world) bits(n uint64) uint64 { return sim.Rand{Seed: w.random}.Bits(sim.PurposePolicy, 0, n) }

// config is what a module finds of a system: the simulated time, and random numbers of the run.
func (c *services) config() wazero.ModuleConfig {
	const resolution = 1000                                      // ns
	now := func() int64 { return 1 + int64(c.current.nowS*1e9) } // a clock at 0 is none to some runtimes
	return wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize").WithStdout(&c.last).WithStderr(&c.last).
		WithWalltime(func() (int64, int32) { return now() / 1e9, int32(now() % 1e9) }, resolution).
		WithNanotime(now, resolution).WithNanosleep(func(int64) {}).WithRandSource(randomBytes{c})
}

// randomBytes reads random numbers of the run that has the module.
type randomBytes struct{ *services }

func (r randomBytes) Read(b []byte) (int, error) {
	w := r.current
	for i := 0; i < len(b); i += 8 {
		var eight [8]byte
		binary.LittleEndian.PutUint64(eight[:], w.bits(math.MaxUint64-w.read))
		w.read++
		copy(b[i:], eight[:])
	}
	return len(b), nil
}
