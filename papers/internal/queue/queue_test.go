package queue

import (
	"testing"

	"github.com/marigram/marigram/internal/near"
)

func TestErlang(t *testing.T) {
	check := near.Count(t)
	// Two servers and a load of 1: B = (1/2)/(1 + 1 + 1/2), C = B/(1 - (1/2)(1-B)).
	if got := ErlangB(2, 1); check.Off(got, 0.2, 1e-15) {
		t.Errorf("B = %v, expected 0.2", got)
	}
	if got := ErlangC(2, 1); check.Off(got, 1.0/3, 1e-15) {
		t.Errorf("C = %v, expected 1/3", got)
	}
	if got := ErlangC(1, 0.7); check.Off(got, 0.7, 1e-15) {
		t.Errorf("C of one server is the load, got %v", got)
	}
}
