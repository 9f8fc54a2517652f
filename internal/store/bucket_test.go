package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
)

// memory is an object store of a test; before a request, fault may answer in its place,
// or after it.
type memory struct {
	mu     sync.Mutex
	of     map[string][]byte
	before func(op, key string) error
	after  func(op, key string) error
}

func (m *memory) ask(op, key string, do func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.before != nil {
		if err := m.before(op, key); err != nil {
			return err
		}
	}
	err := do()
	if m.after != nil && err == nil {
		err = m.after(op, key)
	}
	return err
}

func (m *memory) get(_ context.Context, key string) (body io.ReadCloser, size int64, err error) {
	err = m.ask("get", key, func() error {
		b, there := m.of[key]
		if !there {
			return fs.ErrNotExist
		}
		body, size = io.NopCloser(bytes.NewReader(b)), int64(len(b))
		return nil
	})
	return body, size, err
}

func (m *memory) put(_ context.Context, key string, body *io.SectionReader, fresh bool) error {
	return m.ask("put", key, func() error {
		if _, there := m.of[key]; there && fresh {
			return fs.ErrExist
		}
		b, err := io.ReadAll(body)
		m.of[key] = b
		return err
	})
}

func (m *memory) remove(_ context.Context, key string) error {
	return m.ask("remove", key, func() error { delete(m.of, key); return nil })
}

func (m *memory) list(_ context.Context, prefix string) (keys []string, err error) {
	err = m.ask("list", prefix, func() error {
		for key := range m.of {
			if rest, has := strings.CutPrefix(key, prefix); has {
				if at := strings.Index(rest, "/"); at >= 0 {
					rest = rest[:at+1]
				}
				keys = append(keys, prefix+rest)
			}
		}
		return nil
	})
	return keys, err
}

// keep puts a store of a test in the place of a bucket's.
func keep(t *testing.T, name string) *memory {
	t.Helper()
	m := &memory{of: map[string][]byte{}}
	buckets.Lock()
	defer buckets.Unlock()
	buckets.of["s3://"+name] = bucket{m}
	return m
}

// A folder and a bucket do the same.
func TestAlike(t *testing.T) {
	keep(t, "alike")
	for _, dir := range []string{t.TempDir(), "s3://alike/x"} {
		ctx, path := t.Context(), Join(dir, "a.txt")
		if _, err := Open(ctx, path); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
			t.Error(dir, err)
		}
		if names, err := List(ctx, Join(dir, "none")); err != nil || len(names) > 0 {
			t.Error(dir, names, err)
		}
		if err := WriteNew(ctx, path, []byte("one")); err != nil {
			t.Error(err)
		}
		if err := WriteNew(ctx, path, []byte("two")); !errors.Is(err, fs.ErrExist) {
			t.Error(dir, err)
		}
		p, err := Create(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(p, "three")
		wantBytes(t, path, "one") // until Commit
		if err := errors.Join(p.Finish(), p.Commit()); err != nil {
			t.Error(err)
		}
		p.Abort()
		wantBytes(t, path, "three")
		to, err := SetAside(ctx, path, "damaged")
		if err != nil || to != path+".damaged-1" {
			t.Error(to, err)
		}
		wantBytes(t, to, "three")
		if there, err := Exists(ctx, path); there || err != nil {
			t.Error(there, err)
		}
		files := func(names ...string) {
			t.Helper()
			_, err := Files(ctx, dir, []string{"*.csv"}, func(stage string) ([]string, error) {
				for _, name := range names {
					if err := WriteBytes(ctx, Join(stage, name), []byte(name)); err != nil {
						return nil, err
					}
				}
				return names, nil
			})
			if err != nil {
				t.Error(err)
			}
		}
		files("b.csv", "c.csv")
		files("c.csv", "d.csv")
		if names, err := List(ctx, dir); err != nil || !slices.Equal(names, []string{"a.txt.damaged-1", "c.csv", "d.csv"}) {
			t.Errorf("%q, %v", names, err)
		}
		if err := errors.Join(Remove(ctx, to), Remove(ctx, to)); err != nil {
			t.Error(err)
		}
		if _, err := ReadAll(ctx, Join(dir, "c.csv"), 4); err == nil || !strings.Contains(err.Error(), "larger than 4 bytes") {
			t.Error(err)
		}
	}
}

func wantBytes(t *testing.T, path, want string) {
	t.Helper()
	if b, err := ReadAll(t.Context(), path, 1<<20); err != nil || string(b) != want {
		t.Errorf("%s: %q, %v, want %q", path, b, err, want)
	}
}

var errLost = errors.New("connection lost")

// The answer to a put was lost, and it is sent again: it was this caller's.
func TestAnswerLost(t *testing.T) {
	m := keep(t, "lost")
	puts := 0
	m.after = func(op, _ string) error {
		if op == "put" {
			if puts++; puts == 1 {
				return errLost
			}
		}
		return nil
	}
	if err := WriteNew(t.Context(), "s3://lost/a", []byte("mine")); err != nil || puts != 1 {
		t.Error(err, puts)
	}
	if err := WriteNew(t.Context(), "s3://lost/a", []byte("other")); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
}

// What would come again is not asked again; nothing is said of the object.
func TestRefused(t *testing.T) {
	m := keep(t, "refused")
	asked := 0
	m.before = func(string, string) error { asked++; return answer(403, "AccessDenied", "hint") }
	_, err := Open(t.Context(), "s3://refused/a")
	if !errors.Is(err, ErrUnreached) || errors.Is(err, fs.ErrNotExist) || asked != 1 || !strings.Contains(err.Error(), "AccessDenied (403); hint") {
		t.Error(err, asked)
	}
	if there, err := Exists(t.Context(), "s3://refused/a"); err == nil {
		t.Error(there, "want an error, not an answer")
	}
	for status, temporary := range map[int]bool{429: true, 500: true, 503: true, 409: true, 408: true, 400: false, 401: false, 416: false} {
		if refused := errors.As(answer(status, "x", ""), new(refusal)); refused == temporary {
			t.Errorf("%d: refused is %v", status, refused)
		}
	}
}

// A caller that is told to stop does so.
func TestGivenUp(t *testing.T) {
	m := keep(t, "given-up")
	ctx, cancel := context.WithCancel(t.Context())
	m.before = func(string, string) error { cancel(); return errLost }
	if _, err := Open(ctx, "s3://given-up/a"); !errors.Is(err, context.Canceled) || !errors.Is(err, ErrUnreached) {
		t.Error(err)
	}
}

// An object that ends early is not taken for a short one.
func TestCutOff(t *testing.T) {
	if _, err := hold(strings.NewReader("half"), 8); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

// What is larger than memory is to hold goes to disk, and is the same.
func TestLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("short: 65 MiB")
	}
	keep(t, "large")
	want := bytes.Repeat([]byte("0123456789abcdef"), inMemory/16+1)
	if err := WriteBytes(t.Context(), "s3://large/a", want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadAll(t.Context(), "s3://large/a", int64(len(want)))
	if err != nil || !bytes.Equal(got, want) {
		t.Error(err, len(got))
	}
}
