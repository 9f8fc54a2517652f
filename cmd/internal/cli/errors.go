package cli

import (
	"errors"

	"github.com/marigram/marigram/experiments/results"
)

// Exit codes.
const (
	ExitFailed      = 1
	ExitUsage       = 2
	ExitMissed      = 3  // a claim misses its tolerance
	ExitAtRisk      = 4  // an objective is at risk
	ExitUnmet       = 5  // an objective falls short of what is required of it
	ExitTerminated  = 75 // a sweep was told to end; the same command goes on with it
	ExitInterrupted = 130
)

// ExitCode returns the code that a program ends with after an error: of the command
// line or its input, unless Failed, Missed, AtRisk or Unmet says otherwise, or it is a defect of
// the program (results.BelowBound).
func ExitCode(err error) int {
	switch {
	case errors.As(err, new(failureError)), errors.As(err, new(*results.BelowBound)):
		return ExitFailed
	case errors.As(err, new(missedError)):
		return ExitMissed
	case errors.As(err, new(riskError)):
		return ExitAtRisk
	case errors.As(err, new(unmetError)):
		return ExitUnmet
	}
	return ExitUsage
}

type (
	failureError   struct{ error }
	missedError    struct{ error }
	riskError      struct{ error }
	unmetError     struct{ error }
	resumableError struct{ error }
	partialError   struct {
		error
		kept []string
	}
)

// Unwrap returns the error.
func (e failureError) Unwrap() error { return e.error }

// Unwrap returns the error.
func (e partialError) Unwrap() error { return e.error }

// Failed makes an error one that is no fault of the command line or of its input;
// nil stays nil.
func Failed(err error) error {
	if err == nil {
		return nil
	}
	return failureError{err}
}

// Missed makes an error that of claims that do not hold.
func Missed(err error) error { return missedError{err} }

// AtRisk makes an error that of an objective that is at risk.
func AtRisk(err error) error { return riskError{err} }

// Unmet makes an error that of an objective that falls short of what is required of it.
func Unmet(err error) error { return unmetError{err} }

// Resumable makes an error that of work that was interrupted and that the same
// command goes on with.
func Resumable(err error) error { return resumableError{err} }

// IsResumable reports whether the same command goes on with what was interrupted.
func IsResumable(err error) bool { return errors.As(err, new(resumableError)) }

// Partial makes an error one after which a part of what was asked for is done and
// stays.
func Partial(err error, done []string) error { return partialError{err, done} }

// Kept returns what is done of what was asked for, nil if that is nothing.
func Kept(err error) []string {
	var part partialError
	errors.As(err, &part)
	return part.kept
}
