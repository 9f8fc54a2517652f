package judge

import (
	"bytes"
	"compress/gzip"
	"crypto/hpke"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Header is what everybody can read of a sealed set. It cannot be changed without the seal noticing.
type Header struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
	About   string `json:"about,omitempty"`
	SHA256  string `json:"sha256"` // of the set
}

type envelope struct {
	Kind   string `json:"kind"`
	V      int    `json:"v"`
	Header Header `json:"header"`
	Sealed []byte `json:"sealed"`
}

const (
	sealedKind = "marigram sealed set"
	maxFiles   = 1 << 30 // bytes of a set, unpacked
)

// sealFiles encrypts files for the owner of a key.
func sealFiles(h Header, files map[string][]byte, to Public) ([]byte, error) {
	key, err := kem().NewPublicKey(to.Seal)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(files)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(text); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	sealed, err := hpke.Seal(key, hpke.HKDFSHA256(), hpke.AES256GCM(), info(h), packed.Bytes())
	if err != nil {
		return nil, err
	}
	return written(envelope{sealedKind, version, h, sealed}), nil
}

// info binds the header to what is sealed.
func info(h Header) []byte {
	text, err := json.Marshal(h)
	if err != nil {
		panic(err) // it has no such values
	}
	return append([]byte(sealedKind+"\n"), text...)
}

// ReadHeader reads what is open of a sealed set.
func ReadHeader(text []byte) (Header, error) {
	e, err := parseEnvelope(text)
	return e.Header, err
}

func parseEnvelope(text []byte) (e envelope, err error) {
	if err = json.Unmarshal(text, &e); err != nil {
		return e, fmt.Errorf("no sealed set: %w", err)
	}
	return e, checkKind("a sealed set", e.Kind, sealedKind, e.V)
}

// Open decrypts the files of a sealed set. They stay in memory.
func (k *Key) Open(text []byte) (Header, map[string][]byte, error) {
	e, err := parseEnvelope(text)
	if err != nil {
		return e.Header, nil, err
	}
	packed, err := hpke.Open(k.open, hpke.HKDFSHA256(), hpke.AES256GCM(), info(e.Header), e.Sealed)
	if err != nil {
		return e.Header, nil, errors.New("it does not open: it was sealed for another key, or was changed since")
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return e.Header, nil, err
	}
	plain, err := io.ReadAll(io.LimitReader(z, maxFiles+1))
	if err != nil {
		return e.Header, nil, err
	}
	if len(plain) > maxFiles {
		return e.Header, nil, fmt.Errorf("a set of more than %d bytes", maxFiles)
	}
	var files map[string][]byte
	err = json.Unmarshal(plain, &files)
	return e.Header, files, err
}
