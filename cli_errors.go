package main

import "errors"

// Exit codes.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitMissed      = 3  // a claim misses its tolerance
	exitTerminated  = 75 // a sweep was told to end; the same command goes on with it
	exitInterrupted = 130
)

// exitCode returns the code that a program ends with after an error: of the command
// line or its input, unless failed or missed says otherwise.
func exitCode(err error) int {
	switch {
	case errors.As(err, new(failureError)):
		return exitFailed
	case errors.As(err, new(missedError)):
		return exitMissed
	}
	return exitUsage
}

type (
	failureError   struct{ error }
	missedError    struct{ error }
	resumableError struct{ error }
	partialError   struct {
		error
		kept []string
	}
)

func (e failureError) Unwrap() error { return e.error }
func (e partialError) Unwrap() error { return e.error }

// failed makes an error one that is no fault of the command line or of its input;
// nil stays nil.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return failureError{err}
}

// missed makes an error that of claims that do not hold.
func missed(err error) error { return missedError{err} }

// resumable makes an error that of work that was interrupted and that the same
// command goes on with.
func resumable(err error) error { return resumableError{err} }

// isResumable reports whether the same command goes on with what was interrupted.
func isResumable(err error) bool { return errors.As(err, new(resumableError)) }

// partial makes an error one after which a part of what was asked for is done and
// stays.
func partial(err error, done []string) error { return partialError{err, done} }

// kept returns what is done of what was asked for, nil if that is nothing.
func kept(err error) []string {
	var part partialError
	errors.As(err, &part)
	return part.kept
}
