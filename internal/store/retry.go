//go:build !js

package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"time"
)

const (
	// patience is how long a request is repeated, from its first failure on: connections that
	// are lost for a while, and stores that ask to slow down, cost nothing but time.
	patience = 2 * time.Minute
	// unknownHost is the same for a name that no server has, which is rather misspelt.
	unknownHost = 10 * time.Second
	// firstPause doubles from one attempt to the next, up to longestPause; each is drawn from
	// its half to its whole, so that many workers do not come at one time.
	firstPause, longestPause = 200 * time.Millisecond, 10 * time.Second
	// quiet is how long requests are repeated before that is said.
	quiet = 5 * time.Second
	// An attempt has a minute, and a second for n bytes: one that hangs is given up.
	attempt, slowest = time.Minute, 64 << 10
)

// unreached is an error of a request that brought no answer, or a refusal.
type unreached struct{ error }

func (u unreached) Unwrap() error { return u.error }

func (unreached) Is(target error) bool { return target == ErrUnreached }

// refusal is an answer that would come again.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// again sends a request, also again where it failed and may not next time. Errors name the
// path. A put that is sent again may have succeeded before: it writes the same bytes.
func again(ctx context.Context, op, path string, size int64, send func(context.Context) error) error {
	var failed time.Time
	said := false
	pause := firstPause
	for attempts := 1; ; attempts++ {
		limited, cancel := context.WithTimeout(ctx, attempt+time.Duration(size/slowest)*time.Second)
		err := send(limited)
		cancel()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return &fs.PathError{Op: op, Path: path, Err: unreached{context.Cause(ctx)}}
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrExist):
			return &fs.PathError{Op: op, Path: path, Err: err}
		case errors.As(err, new(refusal)):
			return &fs.PathError{Op: op, Path: path, Err: unreached{err}}
		}
		if failed.IsZero() {
			failed = time.Now()
		}
		enough := patience
		if unknown, is := errors.AsType[*net.DNSError](err); is && unknown.IsNotFound {
			enough = unknownHost
		}
		if time.Since(failed) > enough {
			err = fmt.Errorf("%w (the last of %d attempts in %v)", err, attempts, time.Since(failed).Round(time.Second))
			return &fs.PathError{Op: op, Path: path, Err: unreached{err}}
		}
		if tell, is := ctx.Value(noticeKey{}).(func(string)); is && !said && time.Since(failed) > quiet {
			tell(fmt.Sprintf("%s %s: %v; it is tried again, for %v in all", op, path, err, enough))
			said = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause/2 + rand.N(pause/2)):
		}
		pause = min(2*pause, longestPause)
	}
}

// answer makes an error of a status that is none of success: text is what the store says.
func answer(status int, text string, hint string) error {
	err := fmt.Errorf("%s (%d)", text, status)
	switch status {
	case http.StatusNotFound:
		return fs.ErrNotExist
	case http.StatusPreconditionFailed:
		return fs.ErrExist
	case http.StatusUnauthorized, http.StatusForbidden:
		return refusal{fmt.Errorf("%w; %s", err, hint)}
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return err
	}
	if status >= 400 && status < 500 {
		return refusal{err}
	}
	return err
}
