package plugin

import (
	"strings"
	"sync"
)

// Tail keeps the end of what a plug-in writes, for its Failure.
type Tail struct {
	mu   sync.Mutex
	text []byte
}

const kept = 2000 // bytes

// Write implements io.Writer.
func (t *Tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b[max(0, len(b)-kept):]...)
	t.text = t.text[max(0, len(t.text)-kept):]
	return len(b), nil
}

func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.text), "?"))
}
