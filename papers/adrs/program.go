package adrs

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/loader"
	"github.com/marigram/marigram/policies/plugin/process"
	"github.com/marigram/marigram/python"
)

// patience is how long a program may take for one answer, and a copy to be loaded.
const patience = 30 * time.Second

// published is a program in Python at work: one process with copies of the program, which run cases side by side.
type published struct {
	proc    *exec.Cmd
	in, out *os.File
	words   *plugin.Tail // the last that it wrote to its standard error
	class   bool         // it is a class of the leaderboard, not a function of LEVI
	copies  []copied
	message []byte
	answers []byte
	over    chan struct{} // the process has ended
}

// copied is a copy of the program at work on its cases.
type copied struct {
	referee Referee
	at, end int // the present case, and that after its last one
}

// start starts a program under the adapter, in so many copies.
func start(g *loader.Plugin, copies int) (*published, error) {
	inRead, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, outWrite, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, inRead.Close(), in.Close())
	}
	command := append(slices.Clone(g.Started()), strconv.Itoa(copies))
	p := &published{proc: exec.Command(command[0], command[1:]...), in: in, out: out, words: &plugin.Tail{},
		copies: make([]copied, copies), over: make(chan struct{})}
	p.proc.Dir = g.Dir
	p.proc.Stdin = inRead
	p.proc.Stdout = outWrite
	p.proc.Stderr = p.words
	p.proc.WaitDelay = time.Second
	process.Alone(p.proc)
	err = p.proc.Start()
	inRead.Close()
	outWrite.Close()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %q: %w", command[0], err), in.Close(), out.Close())
	}
	go func() {
		_ = p.proc.Wait()
		close(p.over)
	}()
	for range copies { // each says that it is loaded
		if _, err := p.read(1); err != nil {
			p.stop()
			return nil, err
		}
	}
	p.class = p.answers[0] == 'c'
	return p, nil
}

// adapted puts the adapter before the program: python3 program.py becomes python3 -c ADAPTER program.py.
func adapted(g *loader.Plugin) error {
	at := slices.IndexFunc(g.Command, func(word string) bool { return len(word) > 3 && word[len(word)-3:] == ".py" })
	if at < 1 {
		return fmt.Errorf("policy %s: command %q, expected a Python file: the programs of this set are in Python",
			g.Name, g.Command)
	}
	g.Command = slices.Insert(slices.Clone(g.Command), at, "-c", python.ADRS)
	return nil
}

// run runs cases, each copy a share of them in their order, and calls each for the outcomes, which come in no order. An
// error of the program names the case.
func (p *published) run(cases []Case, share int, each func(at int, r *Referee, out Outcome)) error {
	for i := range p.copies {
		p.copies[i].at = min(i*share, len(cases))
		p.copies[i].end = min((i+1)*share, len(cases))
	}
	fresh := true
	for {
		asked, err := p.ask(cases, fresh)
		if err != nil {
			return err
		}
		if len(asked) == 0 {
			return nil
		}
		fresh = false
		binary.LittleEndian.PutUint32(p.message, uint32(len(p.message)-4))
		if _, err := p.in.Write(p.message); err != nil {
			return p.ended()
		}
		if failed, err := p.read(len(asked)); err != nil {
			return p.inCase(cases, failed, err)
		}
		for k, answer := range p.answers {
			c := &p.copies[asked[k]]
			over, err := c.referee.play(Choice{Kind(answer % 3), int(answer / 3)})
			if err != nil {
				return p.inCase(cases, asked[k], err)
			}
			if over {
				out := c.referee.out
				if !p.class { // LEVI bills what runs after the end
					out.RanUSD += out.afterUSD
					out.BilledUSD += out.afterUSD
				}
				each(c.at, &c.referee, out)
				c.at++
				c.referee.ticks = 0 // the next case begins
			}
		}
	}
}

// ask writes the message of a tick of all copies that have a case, and returns which these are.
func (p *published) ask(cases []Case, fresh bool) (asked []int, err error) {
	m := append(p.message[:0], 0, 0, 0, 0)
	for i := range p.copies {
		c := &p.copies[i]
		if c.at == c.end {
			continue
		}
		if fresh || c.referee.ticks == 0 {
			c.referee.begin(&cases[c.at])
			m = appendCase(m, i, &cases[c.at])
		}
		v, err := c.referee.look()
		if err != nil {
			return nil, p.inCase(cases, i, err)
		}
		m = append(m, 2, byte(i), byte(v.Last))
		m = binary.LittleEndian.AppendUint16(m, v.Up)
		m = appendFloats(m, v.WorkS, v.LeftS)
		asked = append(asked, i)
	}
	p.message = m
	return asked, nil
}

func (p *published) inCase(cases []Case, i int, err error) error {
	c := &p.copies[i]
	return fmt.Errorf("case %s, tick %d: %w", cases[min(c.at, len(cases)-1)].ID, c.referee.view.Tick, err)
}

// appendCase tells a copy what is fixed of a case. The program does not learn which it is.
func appendCase(m []byte, i int, c *Case) []byte {
	m = appendFloats(append(m, 1, byte(i)), c.WorkS, c.DeadlineS, c.RestartS, c.Zones[0].GapS)
	m = append(m, byte(len(c.Zones)))
	for _, zone := range c.Zones {
		m = appendFloats(m, zone.USD)
	}
	return m
}

func appendFloats(to []byte, all ...float64) []byte {
	for _, x := range all {
		to = binary.LittleEndian.AppendUint64(to, math.Float64bits(x))
	}
	return to
}

// failure begins the answer of a program that failed: the copy, the length of a text and the text follow.
const failure = 255

// read reads a byte of each of n copies. A failure names the copy.
func (p *published) read(n int) (copy int, err error) {
	if err := p.out.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return 0, err
	}
	p.answers = slices.Grow(p.answers[:0], n)[:n]
	if _, err := io.ReadFull(p.out, p.answers[:1]); err != nil {
		return 0, p.silent(err)
	}
	if p.answers[0] != failure {
		if _, err := io.ReadFull(p.out, p.answers[1:]); err != nil {
			return 0, p.silent(err)
		}
		return 0, nil
	}
	var head [5]byte
	if _, err := io.ReadFull(p.out, head[:]); err != nil {
		return 0, p.silent(err)
	}
	text := make([]byte, min(binary.LittleEndian.Uint32(head[1:]), 1<<14))
	if _, err := io.ReadFull(p.out, text); err != nil {
		return 0, p.silent(err)
	}
	return min(int(head[0]), len(p.copies)-1), errors.New(string(text))
}

func (p *published) silent(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("no answer within %v", patience)
	}
	return p.ended()
}

func (p *published) ended() error {
	err := errors.New("it ended, or closed its standard output, without an answer")
	if words := p.words.String(); words != "" {
		err = fmt.Errorf("%w; its last words: %s", err, words)
	}
	return err
}

// stop ends the process.
func (p *published) stop() {
	p.in.Close()
	p.out.Close()
	process.Kill(p.proc)
	<-p.over
}
