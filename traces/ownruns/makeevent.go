package ownruns

import (
	"math"
)

// NewEvent is an event that says nothing but its kind.
func NewEvent(at int64, kind Kind) Event {
	return Event{T: at, Kind: kind, Value: math.NaN()}
}

// MachineEvent is an event of a machine.
func MachineEvent(at int64, kind Kind, instance, zone string) Event {
	e := NewEvent(at, kind)
	e.Instance = instance
	e.Zone = zone
	return e
}

// ValueEvent is an event of the run with a value.
func ValueEvent(at int64, kind Kind, value float64) Event {
	e := NewEvent(at, kind)
	e.Value = value
	return e
}
