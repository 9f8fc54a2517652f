package judge

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
)

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
