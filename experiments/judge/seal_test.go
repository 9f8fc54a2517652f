package judge

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func made(t testing.TB, seed byte) *Key {
	t.Helper()
	k, err := fromSeed([32]byte{seed})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestKeys(t *testing.T) {
	k := made(t, 1)
	again, err := ParseKey(k.Bytes())
	if err != nil || !bytes.Equal(again.Bytes(), k.Bytes()) {
		t.Fatalf("%v", err)
	}
	p, err := ParsePublic(k.Public().Bytes())
	if err != nil || !bytes.Equal(p.Verify, k.Public().Verify) || !bytes.Equal(p.Seal, k.Public().Seal) {
		t.Fatalf("%+v, %v", p, err)
	}
	if bytes.Contains(k.Public().Bytes(), []byte("seed")) {
		t.Error("the public key has the seed")
	}
	if _, err := ParseKey(k.Public().Bytes()); err == nil {
		t.Error("a public key is read as a secret one")
	}
	if _, err := ParsePublic(k.Bytes()); err == nil {
		t.Error("a secret key is read as a public one")
	}
}

// TestOpen opens what was sealed, and nothing that was changed by a bit.
func TestOpen(t *testing.T) {
	k := made(t, 1)
	files := map[string][]byte{"a": []byte("the future"), "b": {0, 1, 2}}
	h := Header{Name: "x", Version: 1, SHA256: "s"}
	text, err := sealFiles(h, files, k.Public())
	if err != nil {
		t.Fatal(err)
	}
	got, opened, err := k.Open(text)
	if err != nil || got != h || len(opened) != 2 || string(opened["a"]) != "the future" {
		t.Fatalf("%v %v %v", got, opened, err)
	}
	if bytes.Contains(text, []byte("the future")) {
		t.Error("it can be read")
	}
	if _, _, err := made(t, 2).Open(text); err == nil {
		t.Error("it opens with another key")
	}
	at := bytes.Index(text, []byte(`"sealed"`)) + len(`"sealed": "`)
	for i := at; i < len(text)-8; i += 7 {
		changed := bytes.Clone(text)
		changed[i] ^= 1
		if _, _, err := k.Open(changed); err == nil {
			t.Fatalf("it opens with byte %d changed", i)
		}
	}
	for _, part := range []string{`"x"`, `"s"`} {
		if _, _, err := k.Open(bytes.Replace(text, []byte(part), []byte(`"y"`), 1)); err == nil {
			t.Errorf("it opens with %s changed", part)
		}
	}
}

type result struct{ Score float64 }

// TestVerify: what is signed is checked, whatever its spaces; changed, it is refused.
func TestVerify(t *testing.T) {
	k := made(t, 1)
	text, err := Sign(result{1.5}, k)
	if err != nil {
		t.Fatal(err)
	}
	public, other := k.Public(), made(t, 2).Public()
	var r result
	if key, err := Verify(text, &public, &r); err != nil || r.Score != 1.5 || !bytes.Equal(key, public.Verify) {
		t.Fatalf("%v %v", r, err)
	}
	if _, err := Verify(bytes.ReplaceAll(text, []byte("\n"), []byte(" ")), nil, &r); err != nil {
		t.Errorf("with other spaces: %v", err)
	}
	for what, c := range map[string]struct {
		text []byte
		by   *Public
		want string
	}{
		"a better score": {bytes.Replace(text, []byte("1.5"), []byte("1.4"), 1), &public, "its signature is wrong"},
		"another judge":  {text, &other, "another key"},
		"no signature":   {[]byte(`{"result":{}}`), nil, ErrUnsigned.Error()},
		"a short key":    {[]byte(`{"result":{},"signature":{"key":"AA==","ed25519":""}}`), nil, "a key of 1 bytes"},
		"nothing":        {[]byte(`{}`), nil, "no result"},
	} {
		if _, err := Verify(c.text, c.by, &r); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
	unsigned, err := Sign(result{1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(unsigned, nil, &r); !errors.Is(err, ErrUnsigned) {
		t.Error(err)
	}
}

// FuzzRead reads keys, sealed sets and results of strangers: no error is a panic, and none passes.
func FuzzRead(f *testing.F) {
	k := made(f, 1)
	sealed, err := sealFiles(Header{Name: "x"}, map[string][]byte{"a": nil}, k.Public())
	if err != nil {
		f.Fatal(err)
	}
	signed, err := Sign(result{1}, k)
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range [][]byte{k.Bytes(), k.Public().Bytes(), sealed, signed, nil, []byte("{}")} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		_, _ = ParseKey(text)
		_, _ = ParsePublic(text)
		_, _, _ = k.Open(text)
		var r result
		other := made(t, 3).Public()
		if _, err := Verify(text, &other, &r); err == nil {
			t.Error("a forged result passes")
		}
	})
}
