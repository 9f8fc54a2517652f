package store

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// serve answers requests of a test.
func serve(t *testing.T, answer func(w http.ResponseWriter, r *http.Request)) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(answer))
	t.Cleanup(s.Close)
	return s.URL
}

// bucketFor is a bucket of a server: clients are kept by the bucket, and a server of a test that is repeated is
// another.
func bucketFor(server, bucket string) string {
	return bucket + "-" + server[strings.LastIndex(server, ":")+1:]
}

// Amazon's errors are told apart by their codes.
func TestAmazon(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		code, status := "NoSuchKey", http.StatusNotFound
		switch {
		case strings.HasPrefix(r.URL.Path, "/nowhere"):
			code = "NoSuchBucket"
		case r.Header.Get("If-None-Match") == "*":
			code, status = "PreconditionFailed", http.StatusPreconditionFailed
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, "<Error><Code>%s</Code><Message>no</Message></Error>", code)
	})
	t.Setenv("AWS_ENDPOINT_URL_S3", server)
	t.Setenv("AWS_ACCESS_KEY_ID", "x")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "y")
	if _, err := Open(t.Context(), "s3://"+bucketFor(server, "amazon")+"/a"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Open(t.Context(), "s3://"+bucketFor(server, "nowhere")+"/a"); !errors.Is(err, ErrUnreached) || !strings.Contains(err.Error(), "NoSuchBucket") {
		t.Error(err)
	}
	if err := WriteNew(t.Context(), "s3://"+bucketFor(server, "amazon")+"/a", []byte("x")); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
}
