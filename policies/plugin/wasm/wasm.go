// Package wasm carries the messages of external policies to a WebAssembly module, in their flat
// form. A module has no clock, no files, no network, and no randomness but what the run's seed
// gives.
//
// It exports its memory and
//
//	marigram_version() -> i32              message.Version
//	marigram_buffer(bytes i32) -> i32      where messages of up to n bytes are to be written from now on
//	marigram_begin(at, bytes i32)          a run begins (message.Begin)
//	marigram_decide(at, bytes i32) -> i64  a view; the plan: its place times 2^32, plus its length
//
// and may export
//
//	marigram_settings() -> i64             the settings that it has (message.ParseSettings); the place times 2^32, plus the length
//
// and may import, from the module marigram,
//
//	ask(at, bytes, answer i32)             writes the message.Answer of a message.Ask, 68 bytes
//	ask_pool(at, bytes, to, room i32) -> i32       the same of a question about a pool: up to room bytes of the answer; its length
//	setting(at, bytes i32) -> f64          a setting of the spec by name; not-a-number if it has none
//	setting_text(at, bytes, to, room i32) -> i32   one that is a name: up to room bytes of it; its length, -1 if there is none
//	random(n i64) -> i64                   the n-th random number of the run, 64 bits
//	log(at, bytes i32)                     text that an error would show
//
// and WASI (wasi_snapshot_preview1), in which the clock shows the simulated time. What a policy
// remembers it keeps in its memory and its globals, of which every run has its own. Package meter says what it may
// not have.
package wasm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/policies/plugin/wasm/meter"
)

// Module says which module to run.
type Module struct {
	Path     string
	Settings map[string]float64 // of the policy: numbers, and switches as 0 and 1
	Texts    map[string]string  // settings that are names
	Patience time.Duration      // for one answer; 0 means Patience
	MemoryMB int                // that the module may take; 0 means 64
}

// Patience is how long a module may take for one answer, and to be compiled, if nothing else is said.
const Patience = 30 * time.Second

// code remembers the machine code of modules by their bytes: workers share it.
var code = wazero.NewCompilationCache()

// carrier runs a module. It implements plugin.Carrier.
type carrier struct {
	Module
	*services
	ctx     context.Context
	runtime wazero.Runtime
	binary  wazero.CompiledModule

	mu       sync.Mutex
	instance instance
	begin    state // of a module that has seen nothing
	worlds   map[int64]*world
	newest   int64
	failed   error

	compiling bool // still, after it was given up

	message []byte
	stack   [2]uint64 // parameters and results of a call
}

// Open compiles a module.
func Open(m Module) (plugin.Carrier, error) {
	binary, err := readModule(m.Path)
	if err != nil {
		return nil, err
	}
	if m.Patience == 0 {
		m.Patience = Patience
	}
	if m.MemoryMB == 0 {
		m.MemoryMB = 64
	}
	c := &carrier{Module: m, worlds: map[int64]*world{}}
	c.services = &services{settings: m.Settings, texts: m.Texts, current: &world{ended: true}, patience: m.Patience}
	c.ctx = context.Background()
	c.runtime = wazero.NewRuntimeWithConfig(c.ctx, wazero.NewRuntimeConfig().WithCompilationCache(code).
		WithMemoryLimitPages(uint32(m.MemoryMB*pagesPerMB)))
	if err := c.load(binary); err != nil {
		return nil, c.fail(fmt.Errorf("%s: %w", m.Path, err))
	}
	return c, nil
}

// load compiles the module and makes its first instance.
func (c *carrier) load(binary []byte) (err error) {
	if _, err = wasi_snapshot_preview1.Instantiate(c.ctx, c.runtime); err != nil {
		return err
	}
	if err = c.offer(c.ctx, c.runtime); err != nil {
		return err
	}
	counting, changing, err := meter.Rewrite(binary)
	if err != nil {
		return err
	}
	c.instance.globals = make([]api.MutableGlobal, changing)
	if err := c.compile(counting); err != nil {
		return err
	}
	if err := c.instantiate(); err != nil {
		return err
	}
	c.begin = c.instance.state()
	return nil
}

// compile compiles the module. What takes too long is given up: the compiler stops after the function at hand.
func (c *carrier) compile(binary []byte) error {
	type result struct {
		binary wazero.CompiledModule
		err    error
	}
	largest := max(c.Patience, minCompiling)
	// One worker would not look whether it is to stop.
	ctx, cancel := context.WithTimeout(experimental.WithCompilationWorkers(c.ctx, 2), largest)
	defer cancel()
	done := make(chan result, 1)
	go func() {
		compiled, err := c.runtime.CompileModule(ctx, binary)
		done <- result{compiled, err}
	}()
	select {
	case r := <-done:
		if r.err == nil || ctx.Err() == nil {
			c.binary = r.binary
			return r.err
		}
	case <-time.After(largest + time.Second):
		c.compiling = true
	}
	return fmt.Errorf("it is not compiled after %v", largest)
}

// minCompiling is how long a module may take to be compiled where its patience is shorter.
var minCompiling = 10 * time.Second

// instantiate makes an instance, in place of the one before.
func (c *carrier) instantiate() error {
	if c.instance.Module != nil {
		c.instance.Close(c.ctx)
	}
	c.until = time.Time{}
	m, err := c.runtime.InstantiateModule(c.ctx, c.binary, c.config())
	if err != nil {
		return c.late(err)
	}
	return c.late(c.instance.is(c.ctx, m))
}

// late returns the error of a module, which is that it was stopped if it was.
func (c *carrier) late(err error) error {
	if err != nil && c.stopped {
		return fmt.Errorf("no answer within %v", c.Patience)
	}
	return err
}

// Settings implements plugin.Carrier.
func (c *carrier) Settings() ([]message.Setting, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil || c.instance.settings == nil {
		return nil, c.failed
	}
	c.until = time.Time{}
	got, err := c.instance.settings.Call(c.ctx)
	if err != nil {
		return nil, c.fail(c.late(err))
	}
	from, n := uint32(got[0]>>32), uint32(got[0])
	text, inside := c.instance.Memory().Read(from, n)
	if !inside {
		return nil, c.fail(fmt.Errorf("its settings are %d bytes at %d, outside of its memory", n, from))
	}
	settings, err := message.ParseSettings(text)
	return settings, c.fail(err)
}

// Begin implements plugin.Carrier.
func (c *carrier) Begin(b *message.Begin) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil {
		return c.failed
	}
	c.newest++
	b.World = c.newest
	w := &world{random: b.Random, nowS: b.StartS}
	if b.From != nil {
		parent := c.worlds[*b.From]
		*w = world{state: c.stateOf(parent), random: parent.random, read: parent.read, nowS: parent.nowS, at: parent.at, space: parent.space}
		c.worlds[b.World] = w
		return nil
	}
	c.worlds[b.World] = w
	c.message = b.AppendFlat(c.message[:0])
	c.until = time.Time{}
	return c.fail(c.late(c.tell(w)))
}

// tell tells the module of a run.
func (c *carrier) tell(w *world) error {
	if err := c.enter(w); err != nil {
		return err
	}
	at, err := c.put(c.message)
	if err != nil {
		return err
	}
	_, err = c.instance.begin.Call(c.ctx, uint64(at), uint64(len(c.message)))
	return err
}

// stateOf returns a copy of what the module remembers of a run.
func (c *carrier) stateOf(w *world) state {
	switch {
	case w == c.current:
		return c.instance.state()
	case w.memory == nil:
		return c.begin
	}
	return w.state // nobody writes to it
}

// enter gives the module what it remembers of a run.
func (c *carrier) enter(w *world) error {
	if w == c.current {
		return nil
	}
	if !c.current.ended {
		c.current.state = c.instance.state()
	}
	s := w.state
	if s.memory == nil {
		s = c.begin
	}
	c.current = w
	if have := c.instance.Memory().Size(); int(have) != len(s.memory) {
		if err := c.instantiate(); err != nil {
			return err
		}
		missing := len(s.memory) - int(c.instance.Memory().Size())
		if _, ok := c.instance.Memory().Grow(uint32(max(missing, 0) / (1 << 16))); !ok {
			return fmt.Errorf("its memory is larger than %d MB", c.MemoryMB)
		}
	}
	c.instance.set(s)
	w.state = state{}
	return nil
}

// put writes a message where the module wants it.
func (c *carrier) put(b []byte) (at uint32, err error) {
	w := c.current
	if len(b) > w.space {
		got, err := c.instance.buffer.Call(c.ctx, uint64(2*len(b)))
		if err != nil {
			return 0, err
		}
		w.at, w.space = uint32(got[0]), 2*len(b)
	}
	if !c.instance.Memory().Write(w.at, b) {
		return 0, fmt.Errorf("marigram_buffer gave %d, where %d bytes do not fit into its memory", w.at, len(b))
	}
	return w.at, nil
}

// Decide implements plugin.Carrier.
func (c *carrier) Decide(v *message.View, answer func(*message.Ask) message.Answer) (*message.Plan, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil {
		return nil, c.failed
	}
	c.answer, c.until = answer, time.Time{}
	plan, err := c.decide(v)
	c.answer = nil
	if err != nil {
		return nil, c.fail(c.late(err))
	}
	return plan, nil
}

func (c *carrier) decide(v *message.View) (*message.Plan, error) {
	w := c.worlds[v.World]
	w.nowS = v.NowS
	if err := c.enter(w); err != nil {
		return nil, err
	}
	c.message = v.AppendFlat(c.message[:0])
	at, err := c.put(c.message)
	if err != nil {
		return nil, err
	}
	c.stack = [2]uint64{uint64(at), uint64(len(c.message))}
	if err := c.instance.decide.CallWithStack(c.ctx, c.stack[:]); err != nil {
		return nil, err
	}
	from, n := uint32(c.stack[0]>>32), uint32(c.stack[0])
	text, inside := c.instance.Memory().Read(from, n)
	if !inside {
		return nil, fmt.Errorf("its plan is %d bytes at %d, outside of its memory", n, from)
	}
	plan, err := w.plans.Parse(text)
	if err == nil && plan.Ask != nil {
		err = errors.New("a question instead of a plan: modules ask by the function ask")
	}
	return plan, err
}

// End implements plugin.Carrier.
func (c *carrier) End(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.worlds[n].ended = true
	delete(c.worlds, n)
}

// fail closes the carrier after an error, which it returns with the module's last words.
func (c *carrier) fail(err error) error {
	if err == nil || c.failed != nil {
		return err
	}
	if words := c.last.String(); words != "" {
		why, _, _ := strings.Cut(err.Error(), "\nwasm stack trace:") // of numbers, mostly
		err = fmt.Errorf("%s; its last words: %s", why, words)
	}
	c.close(err)
	return err
}

// Close implements plugin.Carrier.
func (c *carrier) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed == nil {
		c.close(errors.New("it is closed"))
	}
	return nil
}

func (c *carrier) close(why error) {
	c.failed = why
	if c.compiling {
		return
	}
	_ = c.runtime.Close(context.Background())
}
