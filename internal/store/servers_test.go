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

// bucketFor is a bucket of a server: clients are kept by the bucket, and a server of a test that is repeated is another.
func bucketFor(server, bucket string) string {
	return bucket + "-" + server[strings.LastIndex(server, ":")+1:]
}

// Google's lists come page by page; an object that is not there is told from a bucket that
// is not.
func TestGooglePages(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.Contains(r.URL.Path, "nowhere"):
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":{"message":"The specified bucket does not exist."}}`)
		case r.URL.Query().Get("alt") == "media":
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":{"message":"No such object: pages/a/x"}}`)
		case r.URL.Query().Get("pageToken") == "":
			fmt.Fprint(w, `{"items":[{"name":"a/x"}],"prefixes":["a/y/"],"nextPageToken":"2"}`)
		default:
			fmt.Fprint(w, `{"items":[{"name":"a/z"}]}`)
		}
	})
	t.Setenv("STORAGE_EMULATOR_HOST", server)
	if names, err := List(t.Context(), "gs://"+bucketFor(server, "pages")+"/a"); err != nil || strings.Join(names, " ") != "x y z" {
		t.Errorf("%q, %v", names, err)
	}
	if _, err := Open(t.Context(), "gs://"+bucketFor(server, "pages")+"/a/x"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Open(t.Context(), "gs://"+bucketFor(server, "nowhere")+"/a"); !errors.Is(err, ErrUnreached) || errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A signature in an address of Azure's is in no error, whether the store refuses it or is gone.
func TestAzureSignature(t *testing.T) {
	const signature = "sv=2023-11-03&sig=hush"
	asked := ""
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.RawQuery
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `<Error><Code>AuthenticationFailed</Code><Message>sig=hush was wrong</Message></Error>`)
	})
	t.Setenv("AZURE_STORAGE_CONNECTION_STRING", "BlobEndpoint="+server+"/account;SharedAccessSignature="+signature)
	_, err := Open(t.Context(), "azblob://"+bucketFor(server, "signed")+"/a")
	if !errors.Is(err, ErrUnreached) || !strings.Contains(asked, "sig=hush") || !strings.Contains(err.Error(), "AZURE_STORAGE_SAS_TOKEN") ||
		strings.Contains(err.Error(), "hush") {
		t.Errorf("%v, asked with %s", err, asked)
	}
	for _, given := range []string{"AccountName=x;AccountKey=hush!", "BlobEndpoint=http://user:hush@x", "AccountName=x;SharedAccessSignature=%zzhush"} {
		t.Setenv("AZURE_STORAGE_CONNECTION_STRING", given)
		if _, err := azureAccount(); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", given, err)
		}
	}
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
