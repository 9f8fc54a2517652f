//go:build !js

package store

import (
	"context"
	"errors"
	"io"
	"net/http"
)

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
