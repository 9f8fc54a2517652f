//go:build !js

package store

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"golang.org/x/oauth2/google"
)

// gs is a bucket of Google Cloud Storage, by its JSON interface. Google's own library for
// it brings gRPC and is many times the size of the four requests.
type gs struct {
	client *http.Client
	server string
	bucket string
}

const gsHint = "credentials come from GOOGLE_APPLICATION_CREDENTIALS, gcloud auth application-default login or the account of the machine"

// newGS returns a bucket. Credentials are where Google's own tools find them (application
// default credentials); of an emulator (STORAGE_EMULATOR_HOST) there are none.
func newGS(bucket string) (objects, error) {
	if host := os.Getenv("STORAGE_EMULATOR_HOST"); host != "" {
		if !strings.Contains(host, "://") {
			host = "http://" + host
		}
		server, err := endpoint(host, "STORAGE_EMULATOR_HOST")
		if err != nil {
			return nil, err
		}
		return gs{http.DefaultClient, server.Scheme + "://" + server.Host, bucket}, nil
	}
	client, err := google.DefaultClient(context.Background(), "https://www.googleapis.com/auth/devstorage.read_write")
	if err != nil {
		return nil, fmt.Errorf("no credentials; %s", gsHint) // the error could name what is in a file
	}
	return gs{client, "https://storage.googleapis.com", bucket}, nil
}

func (g gs) object(key string) string {
	return g.server + "/storage/v1/b/" + url.PathEscape(g.bucket) + "/o/" + url.PathEscape(key)
}

// send sends a request. Errors say what the store says.
func (g gs) send(ctx context.Context, method, url string, body *io.SectionReader) (*http.Response, error) {
	r, err := newRequest(ctx, method, url, body)
	if err != nil {
		return nil, err
	}
	return received(g.client.Do(r))(gsError)
}

func gsError(status int, text []byte) error {
	var e struct{ Error struct{ Message string } }
	if json.Unmarshal(text, &e) != nil || e.Error.Message == "" {
		e.Error.Message = http.StatusText(status)
	}
	if status == http.StatusNotFound && strings.Contains(e.Error.Message, "bucket") {
		return refusal{fmt.Errorf("%s", e.Error.Message)}
	}
	return answer(status, e.Error.Message, gsHint)
}

func (g gs) get(ctx context.Context, key string) (io.ReadCloser, int64, error) {
	r, err := g.send(ctx, http.MethodGet, g.object(key)+"?alt=media", nil)
	if err != nil {
		return nil, 0, err
	}
	return sized(r)
}

func (g gs) put(ctx context.Context, key string, body *io.SectionReader, fresh bool) error {
	q := url.Values{"uploadType": {"media"}, "name": {key}}
	if fresh {
		q.Set("ifGenerationMatch", "0")
	}
	r, err := g.send(ctx, http.MethodPost, g.server+"/upload/storage/v1/b/"+url.PathEscape(g.bucket)+"/o?"+q.Encode(), body)
	return finished(r, err)
}

func (g gs) remove(ctx context.Context, key string) error {
	r, err := g.send(ctx, http.MethodDelete, g.object(key), nil)
	return finished(r, err)
}

func (g gs) list(ctx context.Context, prefix string) (keys []string, err error) {
	q := url.Values{"prefix": {prefix}, "delimiter": {"/"}, "fields": {"items(name),prefixes,nextPageToken"}}
	for {
		r, err := g.send(ctx, http.MethodGet, g.server+"/storage/v1/b/"+url.PathEscape(g.bucket)+"/o?"+q.Encode(), nil)
		if err != nil {
			return nil, err
		}
		var page struct {
			Items         []struct{ Name string }
			Prefixes      []string
			NextPageToken string
		}
		err = json.NewDecoder(io.LimitReader(r.Body, listed)).Decode(&page)
		r.Body.Close()
		if err != nil {
			return nil, err
		}
		for _, o := range page.Items {
			keys = append(keys, o.Name)
		}
		keys = append(keys, page.Prefixes...)
		if page.NextPageToken == "" || len(keys) > maxListed {
			return keys, nil
		}
		q.Set("pageToken", page.NextPageToken)
	}
}
