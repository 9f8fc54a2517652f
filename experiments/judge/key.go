package judge

import (
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
	return f, checkKind("a key", f.Kind, kind, f.V)
}

// checkKind checks what a file says that it is.
func checkKind(what, kind, want string, v int) error {
	switch {
	case kind != want:
		return fmt.Errorf("it is %q, expected %q", kind, want)
	case v != version:
		return fmt.Errorf("%s of version %d, expected %d", what, v, version)
	}
	return nil
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
