package experiments

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"reflect"
	"sync"

	"github.com/marigram/marigram/experiments/results"
)

// spill holds what happened in runs in a file without a name, until all runs before them are over. It may be used by several
// goroutines.
type spill struct {
	guard sync.Mutex
	file  *os.File // nil: nothing yet; closed when nobody has it any more
	end   int64
	of    map[int64]stored // by run
}

// stored is where a run lies in the file.
type stored struct{ at, size int64 }

// put keeps what happened in a run.
func (s *spill) put(run int64, set *results.Set) error {
	p := packer{words: map[string]uint64{}}
	p.put(reflect.ValueOf(set).Elem())
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.file == nil {
		f, err := os.CreateTemp("", "marigram-timelines-*")
		if err != nil {
			return err
		}
		if err := os.Remove(f.Name()); err != nil {
			return errors.Join(err, f.Close())
		}
		s.file, s.of = f, map[int64]stored{}
	}
	if _, err := s.file.WriteAt(p.out, s.end); err != nil {
		return err
	}
	s.of[run] = stored{s.end, int64(len(p.out))}
	s.end += int64(len(p.out))
	return nil
}

// get returns what put has of a run; nil: nothing.
func (s *spill) get(run int64) (*results.Set, error) {
	x, has := s.of[run]
	if !has {
		return nil, nil
	}
	u := unpacker{in: make([]byte, x.size)}
	if _, err := s.file.ReadAt(u.in, x.at); err != nil {
		return nil, err
	}
	set := new(results.Set)
	u.get(reflect.ValueOf(set).Elem())
	return set, nil
}

// packer writes values as bytes: each text once, numbers to the last bit, pointers to zero unlike none.
type packer struct {
	out   []byte
	words map[string]uint64
}

func (p *packer) put(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			p.put(v.Field(i))
		}
	case reflect.Slice:
		p.out = binary.AppendUvarint(p.out, uint64(v.Len()))
		for i := range v.Len() {
			p.put(v.Index(i))
		}
	case reflect.Pointer:
		if v.IsNil() {
			p.out = append(p.out, 0)
			return
		}
		p.out = append(p.out, 1)
		p.put(v.Elem())
	case reflect.Bool:
		n := byte(0)
		if v.Bool() {
			n = 1
		}
		p.out = append(p.out, n)
	case reflect.Int, reflect.Int32, reflect.Int64:
		p.out = binary.AppendVarint(p.out, v.Int())
	case reflect.Float64:
		p.out = binary.LittleEndian.AppendUint64(p.out, math.Float64bits(v.Float()))
	case reflect.String:
		p.text(v.String())
	default:
		panic("experiments: rows with a field of type " + v.Type().String())
	}
}

func (p *packer) text(s string) {
	k, known := p.words[s]
	if !known {
		k = uint64(len(p.words))
		p.words[s] = k
	}
	if p.out = binary.AppendUvarint(p.out, k); !known {
		p.out = append(binary.AppendUvarint(p.out, uint64(len(s))), s...)
	}
}

// unpacker reads what a packer wrote.
type unpacker struct {
	in    []byte
	words []string
}

func (u *unpacker) number() uint64 {
	n, size := binary.Uvarint(u.in)
	u.in = u.in[size:]
	return n
}

func (u *unpacker) byte() byte {
	b := u.in[0]
	u.in = u.in[1:]
	return b
}

func (u *unpacker) get(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			u.get(v.Field(i))
		}
	case reflect.Slice:
		n := int(u.number())
		if n == 0 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			u.get(v.Index(i))
		}
	case reflect.Pointer:
		if u.byte() == 1 {
			v.Set(reflect.New(v.Type().Elem()))
			u.get(v.Elem())
		}
	case reflect.Bool:
		v.SetBool(u.byte() == 1)
	case reflect.Int, reflect.Int32, reflect.Int64:
		n, size := binary.Varint(u.in)
		u.in = u.in[size:]
		v.SetInt(n)
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64(u.in)))
		u.in = u.in[8:]
	case reflect.String:
		v.SetString(u.text())
	}
}

func (u *unpacker) text() string {
	k := u.number()
	if k == uint64(len(u.words)) {
		n := u.number()
		u.words = append(u.words, string(u.in[:n]))
		u.in = u.in[n:]
	}
	return u.words[k]
}
