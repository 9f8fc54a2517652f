package try

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"
)

// The flat form of a value is that of its fields, one after another: numbers in 8 bytes, little-endian, a switch in
// one, texts and lists behind their length, a pointer behind a byte that says whether it points to anything.

// put appends the flat form of a value.
func put(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			b = put(b, v.Field(i))
		}
		return b
	case reflect.Slice:
		b = word(b, uint64(v.Len()))
		for i := range v.Len() {
			b = put(b, v.Index(i))
		}
		return b
	case reflect.Pointer:
		if v.IsNil() {
			return append(b, 0)
		}
		return put(append(b, 1), v.Elem())
	case reflect.String:
		return append(word(b, uint64(v.Len())), v.String()...)
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	case reflect.Int32, reflect.Int64:
		return word(b, uint64(v.Int()))
	case reflect.Float64:
		return word(b, math.Float64bits(v.Float()))
	}
	panic("try: a field of type " + v.Type().String())
}

func word(bytes []byte, x uint64) []byte { return binary.LittleEndian.AppendUint64(bytes, x) }

// errShort is the error of bytes that end too early.
var errShort = errors.New("the bytes are not whole")

// reader reads flat forms; after an error everything is empty.
type reader struct {
	b   []byte
	err error
}

// take returns the next n bytes.
func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.b = nil
		r.err = errShort
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) word() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) flag() bool {
	bytes := r.take(1)
	return bytes != nil && bytes[0] != 0
}

// read sets a value to what follows.
func (r *reader) read(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			r.read(v.Field(i))
		}
	case reflect.Slice:
		count := r.word()
		if count > uint64(len(r.b)) { // an element has at least a byte
			r.take(count)
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), int(count), int(count)))
		for i := range v.Len() {
			r.read(v.Index(i))
		}
	case reflect.Pointer:
		if r.flag() {
			v.Set(reflect.New(v.Type().Elem()))
			r.read(v.Elem())
		}
	case reflect.String:
		v.SetString(string(r.take(r.word())))
	case reflect.Bool:
		v.SetBool(r.flag())
	case reflect.Int32, reflect.Int64:
		v.SetInt(int64(r.word()))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(r.word()))
	default:
		panic("try: a field of type " + v.Type().String())
	}
}
