package judge

import (
	"bytes"
	"compress/gzip"
	"crypto/hpke"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"

	"github.com/marigram/marigram/experiments/market"
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
	switch {
	case e.Kind != sealedKind:
		return e, fmt.Errorf("it is %q, expected %q", e.Kind, sealedKind)
	case e.V != version:
		return e, fmt.Errorf("a sealed set of version %d, expected %d", e.V, version)
	}
	return e, nil
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

// Seal encrypts a set for the owner of a key, with the traces that its studies name: whoever opens it
// needs no other file.
func (s *Set) Seal(to Public) ([]byte, error) {
	files := maps.Clone(s.files)
	for _, x := range s.Studies {
		parsed, err := s.spec(x)
		if err != nil {
			return nil, err
		}
		for _, name := range parsed.OtherFiles() {
			if name != "" {
				return nil, parsed.ErrorAt("$.model", "%s is a file of its own, which a sealed set cannot hold; expected a published model, or its "+
					"numbers in the spec", name)
			}
		}
		for i := range parsed.Market.Traces {
			h := &parsed.Market.Traces[i]
			if _, has := files[traceFile(x, h.Name)]; has {
				continue
			}
			set, err := market.Load(parsed, h)
			if err != nil {
				return nil, parsed.ErrorAt(fmt.Sprintf("$.market.traces[%d]", i), "%v", err)
			}
			if files[traceFile(x, h.Name)], err = json.Marshal(set); err != nil {
				return nil, err
			}
		}
	}
	// Nobody can tell by the checksum whether a set has this or that public trace.
	salt := make([]byte, 32)
	if _, err := rand.Read(salt); err != nil {
		return nil, err
	}
	files[saltFile] = salt
	whole := (&Set{}).hold("", files)
	return sealFiles(Header{Name: s.Name, Version: s.Version, About: s.About, SHA256: whole.SHA256}, files, to)
}

const saltFile = "salt"

// OpenSealed opens a sealed set with its owner's key. Nothing of it is written anywhere.
func OpenSealed(text []byte, key *Key) (*Set, error) {
	h, files, err := key.Open(text)
	if err != nil {
		return nil, err
	}
	s, err := parse(setFile, files[setFile])
	if err != nil {
		return nil, err
	}
	for _, x := range s.Studies {
		if files[x.Spec] == nil {
			return nil, fmt.Errorf("the sealed set has no file %s", x.Spec)
		}
	}
	s.hold("", files)
	if s.Sealed = true; s.SHA256 != h.SHA256 || s.Name != h.Name || s.Version != h.Version {
		return nil, fmt.Errorf("the sealed set is not what its header says: %s, version %d", h.Name, h.Version)
	}
	return s, nil
}
