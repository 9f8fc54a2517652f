package gym

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/message"
)

// Version is that of the messages between a Server and its client.
const Version = 3

// Welcome is a server's first message, a line of JSON. All others are binary, little-endian and
// without gaps: their length in bytes, u32, and n bytes, which begin with a kind, u32.
type Welcome struct {
	Type      string         `json:"type"` // "gym"
	V         int            `json:"v"`    // Version
	Spec      string         `json:"spec"`
	Objective string         `json:"objective"`
	WithinS   float64        `json:"within_s"` // from the submission to the deadline
	StepS     float64        `json:"step_s"`
	Seed      int64          `json:"seed"`             // the spec's first
	Recorded  bool           `json:"recorded"`         // episodes begin anywhere in recorded traces
	Starts    string         `json:"starts,omitempty"` // the part of recorded traces with the starts; empty: all
	Pools     []message.Pool `json:"pools"`
	Actions   []Action       `json:"action"`
	Groups    []string       `json:"groups,omitempty"` // of many jobs: the GPUs that an action chooses from, from 1
	Fields    []Field        `json:"observation"`
}

// The kinds of a client's messages. Environments have numbers below MaxEnvs; they are made when they
// are reset or forked to.
const (
	// KindReset: n, and n times: environment u32, seed i64, start f64 in seconds from the start of the traces; not a
	// number: drawn by the seed.
	KindReset = 1
	KindStep  = 2 // n, and n times: environment u32, and u32 of every number of an action
	KindFork  = 3 // n, and n times: from u32, to u32
	KindView  = 4 // environment u32
	KindAsk   = 5 // environment u32, and a question as policies ask it, in JSON
)

// The kinds of a server's messages.
const (
	KindError = 0 // a text: the message had no effect, or on the environments before the one it names
	// KindRows, after KindReset, KindStep and KindFork: n rows of f64, the observation and then reward, USD so far,
	// start in seconds, End.
	KindRows    = 1
	KindMessage = 2 // a message as policies get it, in JSON: a view, or an answer
)

// MaxEnvs is how many environments a server has at most.
const MaxEnvs = 65536

// maxBytes is the longest message.
const maxBytes = 64 << 20

// Server answers one client.
type Server struct {
	study *Study
	envs  []*Env
	view  message.View
	asks  plugin.Answerer
	hold  []int32
	row   []float64
	out   []byte
}

// Serve greets, and answers what comes in until it ends.
func (g *Study) Serve(in io.Reader, out io.Writer) error {
	s := &Server{study: g, hold: make([]int32, len(g.Actions()))}
	w := bufio.NewWriterSize(out, 1<<16)
	r := bufio.NewReaderSize(in, 1<<16)
	if err := json.NewEncoder(w).Encode(g.welcome()); err != nil {
		return err
	}
	var request []byte
	for {
		if err := w.Flush(); err != nil {
			return err
		}
		var err error
		if request, err = read(r, request); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		s.out = append(s.out[:0], 0, 0, 0, 0)
		if err := s.answer(request); err != nil {
			s.out = append(s.u32(s.out[:4], KindError), err.Error()...)
		}
		binary.LittleEndian.PutUint32(s.out, uint32(len(s.out)-4))
		if _, err := w.Write(s.out); err != nil {
			return err
		}
	}
}

func (g *Study) welcome() Welcome {
	welcome := Welcome{
		Type:     "gym",
		V:        Version,
		Spec:     g.study.Spec.Name,
		WithinS:  g.task.within().Seconds(),
		StepS:    g.rules.Step.Seconds(),
		Seed:     g.study.Spec.Seed,
		Recorded: g.starts != nil,
		Starts:   g.rules.Part,
		Pools:    plugin.Pools(g.pools),
		Actions:  g.Actions(),
		Groups:   g.Groups(),
		Fields:   g.Fields(),
	}
	if all := g.study.Spec.Objectives; len(all) > 0 {
		welcome.Objective = all[g.rules.Objective].Name
	}
	return welcome
}

// read reads a message without its length.
func read(r io.Reader, into []byte) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("the input ends within the length of a message: %w", err)
		}
		return into, err
	}
	length := binary.LittleEndian.Uint32(size[:])
	if length < 8 || length > maxBytes {
		return into, fmt.Errorf("a message of %d bytes, expected 8 to %d", length, maxBytes)
	}
	into = slices.Grow(into[:0], int(length))[:length]
	if got, err := io.ReadFull(r, into); err != nil {
		return into, fmt.Errorf("the input ends after %d of the %d bytes of a message", got, length)
	}
	return into, nil
}

func (s *Server) u32(b []byte, x uint32) []byte { return binary.LittleEndian.AppendUint32(b, x) }

// answer answers one message of at least 8 bytes.
func (s *Server) answer(m []byte) error {
	kind := binary.LittleEndian.Uint32(m)
	n := int(binary.LittleEndian.Uint32(m[4:]))
	rest := m[8:]
	var size int
	var one func([]byte) error
	switch kind {
	case KindReset:
		size = 20
		one = s.reset
	case KindStep:
		size = 4 + 4*len(s.hold)
		one = s.act
	case KindFork:
		size = 8
		one = s.fork
	case KindView, KindAsk:
		return s.tell(kind, n, rest)
	default:
		return fmt.Errorf("a message of kind %d, expected %d to %d", kind, KindReset, KindAsk)
	}
	if n > MaxEnvs || len(rest) != n*size {
		return fmt.Errorf("a message of kind %d for %d environments with %d bytes, expected %d for each of at most %d",
			kind, n, len(rest), size, MaxEnvs)
	}
	s.out = s.u32(s.u32(s.out, KindRows), uint32(n))
	for ; len(rest) > 0; rest = rest[size:] {
		if err := one(rest[:size]); err != nil {
			return fmt.Errorf("environment %d: %w", binary.LittleEndian.Uint32(rest), err)
		}
	}
	return nil
}

func (s *Server) reset(m []byte) error {
	env, err := s.env(m, true)
	if err != nil {
		return err
	}
	seed := int64(binary.LittleEndian.Uint64(m[4:]))
	start := math.Float64frombits(binary.LittleEndian.Uint64(m[12:]))
	if math.IsNaN(start) {
		start = s.study.Start(seed).Seconds()
	}
	if !(start >= 0 && start <= 1e9) {
		return fmt.Errorf("a start of %v s, expected 0 to 1e9, or not a number for one that is drawn", start)
	}
	if err := env.Reset(seed, time.Duration(start*1e6)*time.Microsecond); err != nil {
		return err
	}
	s.addRow(env, Outcome{})
	return nil
}

func (s *Server) act(m []byte) error {
	env, err := s.env(m, false)
	if err != nil {
		return err
	}
	for p := range s.hold {
		s.hold[p] = int32(binary.LittleEndian.Uint32(m[4+4*p:]))
	}
	outcome, err := env.Act(s.hold)
	if err == nil {
		s.addRow(env, outcome)
	}
	return err
}

func (s *Server) fork(m []byte) error {
	from, err := s.env(m, false)
	if err != nil {
		return err
	}
	to, err := s.env(m[4:], true)
	if err != nil {
		return err
	}
	if from != to {
		if err := from.Fork(to); err != nil {
			return err
		}
	}
	s.addRow(to, Outcome{USD: to.usd, End: to.end})
	return nil
}

// env returns the environment whose number begins a part of a message.
func (s *Server) env(m []byte, create bool) (*Env, error) {
	n := int(binary.LittleEndian.Uint32(m))
	switch {
	case n >= MaxEnvs:
		return nil, fmt.Errorf("expected a number below %d", MaxEnvs)
	case !create && (n >= len(s.envs) || s.envs[n] == nil):
		return nil, ErrOver
	}
	for len(s.envs) <= n {
		s.envs = append(s.envs, nil)
	}
	if s.envs[n] == nil {
		s.envs[n] = s.study.New()
	}
	return s.envs[n], nil
}

// addRow adds a row to the answer.
func (s *Server) addRow(env *Env, outcome Outcome) {
	s.row = append(env.Observe(s.row[:0]), outcome.Reward, outcome.USD, env.start.Seconds(), float64(outcome.End))
	for _, number := range s.row {
		s.out = binary.LittleEndian.AppendUint64(s.out, math.Float64bits(number))
	}
}

// tell answers with a message as policies get it.
func (s *Server) tell(kind uint32, env int, rest []byte) error {
	if env >= len(s.envs) || s.envs[env] == nil {
		return fmt.Errorf("environment %d: %w", env, ErrOver)
	}
	view, err := s.envs[env].View()
	if err != nil {
		return fmt.Errorf("environment %d: %w", env, err)
	}
	s.out = s.u32(s.out, KindMessage)
	if kind == KindAsk {
		var q message.Ask
		if err := json.Unmarshal(rest, &q); err != nil {
			return fmt.Errorf("a question: %w", err)
		}
		answer, err := json.Marshal(s.asks.Answer(view, &q))
		s.out = append(s.out, answer...)
		return err
	}
	s.view.World = int64(env)
	plugin.Gather(&s.view, view)
	s.out, err = s.view.AppendJSON(s.out)
	return err
}
