package judge

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/marigram/marigram/experiments/market"
)

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
