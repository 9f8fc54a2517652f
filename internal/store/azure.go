//go:build !js

package store

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/url"
)

// azure is a container of Azure's blob storage, by its REST interface. Microsoft's own
// library for it is larger than the four requests by far.
type azure struct {
	account
	container string
}

// newAzure returns a container. Account and credentials are where Azure's own tools find
// them.
func newAzure(container string) (objects, error) {
	a, err := azureAccount()
	if err != nil {
		return nil, err
	}
	return azure{a, container}, nil
}

func (a azure) url(key string, q url.Values) *url.URL {
	u := *a.server
	u.Path += "/" + a.container
	if key != "" {
		u.Path += "/" + key
	}
	u.RawQuery = q.Encode()
	return &u
}

// send sends a request. Errors say what the store says, and no address: it may have a
// signature.
func (a azure) send(ctx context.Context, method string, u *url.URL, body *io.SectionReader, header map[string]string) (*http.Response, error) {
	r, err := newRequest(ctx, method, u.String(), body)
	if err != nil {
		return nil, err
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	if err := a.authorize(r); err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(r)
	if e := new(url.Error); errors.As(err, &e) {
		err = e.Err
	}
	return received(answer, err)(azureError)
}

func azureError(status int, text []byte) error {
	var e struct{ Code, Message string }
	if xml.Unmarshal(text, &e) != nil || e.Code == "" {
		e.Code = http.StatusText(status)
	}
	switch e.Code {
	case "ContainerNotFound", "InvalidResourceName":
		return refusal{errors.New(e.Code)}
	case "BlobAlreadyExists":
		return answer(http.StatusPreconditionFailed, e.Code, "")
	}
	return answer(status, e.Code, azureHint)
}

func (a azure) get(ctx context.Context, key string) (io.ReadCloser, int64, error) {
	r, err := a.send(ctx, http.MethodGet, a.url(key, nil), nil, nil)
	if err != nil {
		return nil, 0, err
	}
	return sized(r)
}

func (a azure) put(ctx context.Context, key string, body *io.SectionReader, fresh bool) error {
	header := map[string]string{"X-Ms-Blob-Type": "BlockBlob"}
	if fresh {
		header["If-None-Match"] = "*"
	}
	return finished(a.send(ctx, http.MethodPut, a.url(key, nil), body, header))
}

func (a azure) remove(ctx context.Context, key string) error {
	return finished(a.send(ctx, http.MethodDelete, a.url(key, nil), nil, nil))
}

func (a azure) list(ctx context.Context, prefix string) (keys []string, err error) {
	q := url.Values{"restype": {"container"}, "comp": {"list"}, "prefix": {prefix}, "delimiter": {"/"}}
	for {
		r, err := a.send(ctx, http.MethodGet, a.url("", q), nil, nil)
		if err != nil {
			return nil, err
		}
		var page struct {
			Blobs struct {
				Blob       []struct{ Name string }
				BlobPrefix []struct{ Name string }
			}
			NextMarker string
		}
		err = xml.NewDecoder(io.LimitReader(r.Body, listed)).Decode(&page)
		r.Body.Close()
		if err != nil {
			return nil, err
		}
		for _, o := range append(page.Blobs.Blob, page.Blobs.BlobPrefix...) {
			keys = append(keys, o.Name)
		}
		if page.NextMarker == "" || len(keys) > maxListed {
			return keys, nil
		}
		q.Set("marker", page.NextMarker)
	}
}
