package main

// resumable is the error of work that was interrupted and that the same command
// goes on with.
type resumable struct{ error }

// missed is the error of claims that do not hold.
type missed struct{ error }

// failure is an error that is no fault of the command line or of its input.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// partial is an error after which a part of what was asked for is done and stays.
type partial struct {
	error
	kept []string
}

func (p partial) Unwrap() error { return p.error }

// failed makes an error a failure; nil stays nil.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return failure{err}
}
