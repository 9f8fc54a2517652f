package judge

import (
	"bytes"
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/hpke"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
)

// Key is the secret key of a judge's owner.
type Key struct {
	seed [32]byte
	open hpke.PrivateKey
	sign ed25519.PrivateKey
}

// Public is the part of a Key that is for everybody.
type Public struct {
	Seal   []byte `json:"seal"`   // X25519: sets are sealed for it
	Verify []byte `json:"verify"` // Ed25519: it checks signatures
}

// NewKey makes a key of random numbers of the system.
func NewKey() (*Key, error) {
	var seed [32]byte
	if _, err := rand.Read(seed[:]); err != nil {
		return nil, err
	}
	return fromSeed(seed)
}

// fromSeed makes both keys of 32 bytes.
func fromSeed(seed [32]byte) (*Key, error) {
	k := &Key{seed: seed}
	part := func(what string) ([]byte, error) {
		return hkdf.Key(sha256.New, seed[:], nil, "marigram judge "+what, 32)
	}
	forSealing, err := part("seal")
	if err != nil {
		return nil, err
	}
	forSigning, err := part("sign")
	if err != nil {
		return nil, err
	}
	if k.open, err = kem().DeriveKeyPair(forSealing); err != nil {
		return nil, err
	}
	k.sign = ed25519.NewKeyFromSeed(forSigning)
	return k, nil
}

func kem() hpke.KEM { return hpke.DHKEM(ecdh.X25519()) }

// Public returns the public part.
func (k *Key) Public() Public {
	return Public{k.open.PublicKey().Bytes(), k.sign.Public().(ed25519.PublicKey)}
}

type keyFile struct {
	Kind string `json:"kind"`
	V    int    `json:"v"`
	Seed []byte `json:"seed,omitempty"`
	*Public
}

const (
	secretKind = "marigram judge key: keep it secret"
	publicKind = "marigram judge public key"
	version    = 1
)

// Bytes returns the form of a key in a file, which only its owner may read.
func (k *Key) Bytes() []byte { return written(keyFile{Kind: secretKind, V: version, Seed: k.seed[:]}) }

// Bytes returns the form of a public key in a file.
func (p Public) Bytes() []byte { return written(keyFile{Kind: publicKind, V: version, Public: &p}) }

func written(v any) []byte {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err) // it has no such values
	}
	return append(text, '\n')
}

func parseKey(text []byte, kind string) (f keyFile, err error) {
	if err = json.Unmarshal(text, &f); err != nil {
		return f, fmt.Errorf("no key: %w", err)
	}
	switch {
	case f.Kind != kind:
		return f, fmt.Errorf("it is %q, expected %q", f.Kind, kind)
	case f.V != version:
		return f, fmt.Errorf("a key of version %d, expected %d", f.V, version)
	}
	return f, nil
}

// ParseKey reads a secret key.
func ParseKey(text []byte) (*Key, error) {
	f, err := parseKey(text, secretKind)
	if err != nil {
		return nil, err
	}
	if len(f.Seed) != 32 {
		return nil, fmt.Errorf("a seed of %d bytes, expected 32", len(f.Seed))
	}
	return fromSeed([32]byte(f.Seed))
}

// ParsePublic reads a public key.
func ParsePublic(text []byte) (Public, error) {
	f, err := parseKey(text, publicKind)
	if err != nil {
		return Public{}, err
	}
	if f.Public == nil || len(f.Verify) != ed25519.PublicKeySize {
		return Public{}, errors.New("a public key without its parts")
	}
	if _, err := kem().NewPublicKey(f.Seal); err != nil {
		return Public{}, fmt.Errorf("part seal: %w", err)
	}
	return *f.Public, nil
}

// signed is a result with who says so.
type signed struct {
	Result    json.RawMessage `json:"result"`
	Signature *signature      `json:"signature,omitempty"` // none: nobody does
}

type signature struct {
	Key     []byte `json:"key"` // Public.Verify
	Ed25519 []byte `json:"ed25519"`
}

// ErrUnsigned says that a result has no signature.
var ErrUnsigned = errors.New("it is not signed: anybody can have written it")

// message is what is signed: the result as JSON without spaces.
func message(result []byte) ([]byte, error) {
	out := bytes.NewBufferString("marigram judged\n")
	err := json.Compact(out, result)
	return out.Bytes(), err
}

// Sign returns the file of a result, signed by a key; nil signs nothing.
func Sign(result any, k *Key) ([]byte, error) {
	text, err := json.Marshal(result)
	if err != nil {
		return nil, err
	}
	s := signed{Result: text}
	if k != nil {
		m, err := message(text)
		if err != nil {
			return nil, err
		}
		s.Signature = &signature{k.Public().Verify, ed25519.Sign(k.sign, m)}
	}
	return written(s), nil
}

// Verify checks the signature of a file that Sign wrote, and reads its result. A result of another key
// than the public one is an error, nil takes that which the file names.
func Verify(text []byte, by *Public, result any) (key []byte, err error) {
	var s signed
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("no result: %w", err)
	}
	if s.Result == nil {
		return nil, errors.New("no result in it")
	}
	if err := json.Unmarshal(s.Result, result); err != nil {
		return nil, fmt.Errorf("no result: %w", err)
	}
	if s.Signature == nil {
		return nil, ErrUnsigned
	}
	if len(s.Signature.Key) != ed25519.PublicKeySize {
		return nil, fmt.Errorf("a key of %d bytes, expected %d", len(s.Signature.Key), ed25519.PublicKeySize)
	}
	m, err := message(s.Result)
	if err != nil {
		return nil, err
	}
	if by != nil && !bytes.Equal(by.Verify, s.Signature.Key) {
		return nil, errors.New("it is signed by another key than the one given")
	}
	if !ed25519.Verify(s.Signature.Key, m, s.Signature.Ed25519) {
		return nil, errors.New("its signature is wrong: the result was changed after it was signed")
	}
	return s.Signature.Key, nil
}
