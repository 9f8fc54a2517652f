// Package wasm carries the messages of external policies to a WebAssembly module, in their flat
// form. A module has no clock, no files, no network, and no randomness but what the run's seed
// gives.
//
// It exports its memory and
//
//	marigram_version() -> i32              message.Version
//	marigram_buffer(bytes i32) -> i32      where messages of up to so many bytes are to be written from now on
//	marigram_begin(at, bytes i32)          a run begins (message.Begin)
//	marigram_decide(at, bytes i32) -> i64  a view; the plan: its place times 2^32, plus its length
//
// and may import, from the module marigram,
//
//	ask(at, bytes, answer i32)             writes the message.Answer of a message.Ask, 68 bytes
//	setting(at, bytes i32) -> f64          a setting of the spec by name; not-a-number if it has none
//	setting_text(at, bytes, to, room i32) -> i32   one that is a name: up to room bytes of it; its length, -1 if there is none
//	random(n i64) -> i64                   the n-th random number of the run, 64 bits
//	log(at, bytes i32)                     text that an error would show
//
// and WASI (wasi_snapshot_preview1), in which the clock shows the simulated time. What a policy
// remembers it keeps in its memory, of which every run has its own.
package wasm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/marigram/marigram/policies/external"
	"github.com/marigram/marigram/policies/external/message"
)

// Module says which module to run.
type Module struct {
	Path     string
	Settings map[string]float64 // of the policy: numbers, and switches as 0 and 1
	Texts    map[string]string  // settings that are names
	Patience time.Duration      // for one answer; 0 means Patience
	MemoryMB int                // that the module may take; 0 means 64
}

// Patience is how long a module may take for one answer if nothing else is said.
const Patience = 30 * time.Second

// code remembers the machine code of modules by their bytes: workers share it.
var code = wazero.NewCompilationCache()

// carrier runs a module. It implements external.Carrier.
type carrier struct {
	Module
	*services
	ctx     context.Context // it is done when the module is to stop
	cancel  context.CancelFunc
	watch   *time.Timer // ends an answer that takes too long
	runtime wazero.Runtime
	binary  wazero.CompiledModule

	mu     sync.Mutex
	guest  instance
	begin  []byte // memory of a module that has seen nothing
	worlds map[int64]*world
	newest int64
	failed error

	message []byte
}

// Open compiles a module.
func Open(m Module) (external.Carrier, error) {
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
	c.services = &services{settings: m.Settings, texts: m.Texts, current: &world{ended: true}}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.watch = time.AfterFunc(time.Hour, c.cancel)
	c.watch.Stop()
	c.runtime = wazero.NewRuntimeWithConfig(c.ctx, wazero.NewRuntimeConfig().WithCompilationCache(code).
		WithCloseOnContextDone(true).WithMemoryLimitPages(uint32(m.MemoryMB*pagesPerMB)))
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
	if c.binary, err = c.runtime.CompileModule(c.ctx, binary); err != nil {
		return err
	}
	if err := c.instantiate(); err != nil {
		return err
	}
	memory, _ := c.guest.Memory().Read(0, c.guest.Memory().Size())
	c.begin = append([]byte(nil), memory...)
	return nil
}

// instantiate makes an instance, in place of the one before.
func (c *carrier) instantiate() error {
	if c.guest.Module != nil {
		c.guest.Close(c.ctx)
	}
	return c.timed(func() error {
		m, err := c.runtime.InstantiateModule(c.ctx, c.binary, c.config())
		if err != nil {
			return err
		}
		c.guest = instance{m, m.ExportedFunction("marigram_buffer"), m.ExportedFunction("marigram_begin"),
			m.ExportedFunction("marigram_decide")}
		return c.guest.check(c.ctx)
	})
}

// timed does something that the module may take its patience for.
func (c *carrier) timed(do func() error) error {
	c.watch.Reset(c.Patience)
	err := do()
	c.watch.Stop()
	if err != nil && c.ctx.Err() != nil {
		return fmt.Errorf("no answer within %v", c.Patience)
	}
	return err
}

// Begin implements external.Carrier.
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
		*w = *parent
		w.memory = c.memoryOf(parent)
		c.worlds[b.World] = w
		return nil
	}
	c.worlds[b.World] = w
	c.message = b.AppendFlat(c.message[:0])
	return c.fail(c.timed(func() error {
		if err := c.enter(w); err != nil {
			return err
		}
		at, err := c.put(c.message)
		if err != nil {
			return err
		}
		_, err = c.guest.begin.Call(c.ctx, uint64(at), uint64(len(c.message)))
		return err
	}))
}

// memoryOf returns a copy of the memory of a run.
func (c *carrier) memoryOf(w *world) []byte {
	from := w.memory
	if w == c.current {
		from, _ = c.guest.Memory().Read(0, c.guest.Memory().Size())
	} else if from == nil {
		from = c.begin
	}
	return append([]byte(nil), from...)
}

// enter gives the module the memory of a run.
func (c *carrier) enter(w *world) error {
	if w == c.current {
		return nil
	}
	if !c.current.ended {
		c.current.memory = c.memoryOf(c.current)
	}
	memory := w.memory
	if memory == nil {
		memory = c.begin
	}
	c.current = w
	if have := c.guest.Memory().Size(); int(have) != len(memory) {
		if err := c.instantiate(); err != nil {
			return err
		}
		missing := len(memory) - int(c.guest.Memory().Size())
		if _, ok := c.guest.Memory().Grow(uint32(max(missing, 0) / (1 << 16))); !ok {
			return fmt.Errorf("its memory is larger than %d MB", c.MemoryMB)
		}
	}
	c.guest.Memory().Write(0, memory)
	w.memory = nil
	return nil
}

// put writes a message where the module wants it.
func (c *carrier) put(b []byte) (at uint32, err error) {
	w := c.current
	if len(b) > w.room {
		got, err := c.guest.buffer.Call(c.ctx, uint64(2*len(b)))
		if err != nil {
			return 0, err
		}
		w.at, w.room = uint32(got[0]), 2*len(b)
	}
	if !c.guest.Memory().Write(w.at, b) {
		return 0, fmt.Errorf("marigram_buffer gave %d, which leaves no room for %d bytes in its memory", w.at, len(b))
	}
	return w.at, nil
}

// Decide implements external.Carrier.
func (c *carrier) Decide(v *message.View, answer func(*message.Ask) message.Answer) (*message.Plan, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil {
		return nil, c.failed
	}
	c.answer = answer
	plan, err := c.decide(v)
	c.answer = nil
	return plan, c.fail(err)
}

func (c *carrier) decide(v *message.View) (plan *message.Plan, err error) {
	w := c.worlds[v.World]
	w.nowS = v.NowS
	c.message = v.AppendFlat(c.message[:0])
	err = c.timed(func() error {
		if err := c.enter(w); err != nil {
			return err
		}
		at, err := c.put(c.message)
		if err != nil {
			return err
		}
		got, err := c.guest.decide.Call(c.ctx, uint64(at), uint64(len(c.message)))
		if err != nil {
			return err
		}
		from, n := uint32(got[0]>>32), uint32(got[0])
		text, inside := c.guest.Memory().Read(from, n)
		if !inside {
			return fmt.Errorf("its plan is %d bytes at %d, outside of its memory", n, from)
		}
		if plan, err = message.ParseFlat(text); err == nil && plan.Ask != nil {
			return errors.New("a question instead of a plan: modules ask by the function ask")
		}
		return err
	})
	return plan, err
}

// End implements external.Carrier.
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
		err = fmt.Errorf("%w; its last words: %s", err, words)
	}
	c.close(err)
	return err
}

// Close implements external.Carrier.
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
	c.watch.Stop()
	c.cancel()
	_ = c.runtime.Close(context.Background())
}
