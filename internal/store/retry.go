//go:build !js

package store

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	for n, pause := 1, firstPause; ; n, pause = n+1, min(2*pause, longestPause) {
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
		if d := new(net.DNSError); errors.As(err, &d) && d.IsNotFound {
			enough = unknownHost
		}
		if time.Since(failed) > enough {
			err = fmt.Errorf("%w (the last of %d attempts in %v)", err, n, time.Since(failed).Round(time.Second))
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

// newRequest is a request with a body, of which its length is said; nil: none.
func newRequest(ctx context.Context, method, url string, body *io.SectionReader) (*http.Request, error) {
	if body == nil {
		return http.NewRequestWithContext(ctx, method, url, nil)
	}
	r, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return nil, err
	}
	if r.ContentLength = body.Size(); r.ContentLength == 0 {
		r.Body = http.NoBody
	}
	r.Header.Set("Content-Type", "application/octet-stream")
	return r, nil
}

// maxSaid is how much of what a store says of an error is read.
const maxSaid = 64 << 10

// received returns an answer, or what an error of the store means by explain.
func received(r *http.Response, err error) func(explain func(status int, text []byte) error) (*http.Response, error) {
	return func(explain func(int, []byte) error) (*http.Response, error) {
		if err != nil || r.StatusCode < 300 {
			return r, err
		}
		defer r.Body.Close()
		text, err := io.ReadAll(io.LimitReader(r.Body, maxSaid))
		if err != nil {
			return nil, err
		}
		return nil, explain(r.StatusCode, text)
	}
}

// sized returns the body of an answer, whose length has to be said.
func sized(r *http.Response) (io.ReadCloser, int64, error) {
	if r.ContentLength < 0 {
		r.Body.Close()
		return nil, 0, errors.New("the answer has no length")
	}
	return r.Body, r.ContentLength, nil
}

// finished reads an answer that says nothing more, so that its connection is used again.
func finished(r *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer r.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(r.Body, maxSaid))
	return err
}
