//go:build !js

package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// s3 is a bucket of Amazon's object store, or of a server with its interface.
type s3 struct {
	client minio.Core
	bucket string
}

const s3Hint = "credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, " +
	"~/.aws/credentials (AWS_PROFILE) or the role of the machine"

// newS3 returns a bucket. Server, region and credentials are where Amazon's own tools
// find them: AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, AWS_REGION or AWS_DEFAULT_REGION,
// AWS_ACCESS_KEY_ID and so on, the file of credentials, the role of the machine or pod.
func newS3(bucket string) (objects, error) {
	text := cmp.Or(os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), "https://s3.amazonaws.com")
	server, err := endpoint(text, "AWS_ENDPOINT_URL_S3")
	if err != nil {
		return nil, err
	}
	region := cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"))
	if region == "" && server.Host != "s3.amazonaws.com" {
		region = "us-east-1" // Amazon says which it is, other servers have but one
	}
	chain := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}
	role := cmp.Or(os.Getenv("AWS_WEB_IDENTITY_TOKEN_FILE"), os.Getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"),
		os.Getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI"))
	if role != "" || os.Getenv("AWS_EC2_METADATA_DISABLED") != "true" {
		chain = append(chain, &credentials.IAM{Client: &http.Client{Transport: quick}})
	}
	client, err := minio.NewCore(server.Host, &minio.Options{
		Creds:      credentials.NewChainCredentials(chain),
		Secure:     server.Scheme == "https",
		Region:     region,
		MaxRetries: 1, // again counts
	})
	if err != nil {
		return nil, err
	}
	return s3{*client, bucket}, nil
}

// quick finds out soon that a machine has no service that knows its role.
var quick = &http.Transport{
	DialContext:           (&net.Dialer{Timeout: time.Second}).DialContext,
	ResponseHeaderTimeout: 5 * time.Second,
}

// endpoint reads the address of a server from the variable of that name.
func endpoint(text, name string) (*url.URL, error) {
	server, err := url.Parse(text)
	if err != nil || server.Scheme != "http" && server.Scheme != "https" || server.Host == "" || server.User != nil ||
		server.RawQuery != "" {
		// The text is not repeated: it may have a password.
		return nil, fmt.Errorf("%s: not the address of a server, expected http://HOST:PORT or https://HOST", name)
	}
	return server, nil
}

func (s s3) get(ctx context.Context, key string) (io.ReadCloser, int64, error) {
	body, info, _, err := s.client.GetObject(ctx, s.bucket, key, minio.GetObjectOptions{})
	if err != nil {
		return nil, 0, s3Error(err)
	}
	return body, info.Size, nil
}

// largestPut is the largest object of one put; larger ones come in parts, which make an
// object when the last is there.
const largestPut = 5 << 30

func (s s3) put(ctx context.Context, key string, body *io.SectionReader, fresh bool) error {
	options := minio.PutObjectOptions{DisableMultipart: body.Size() <= largestPut, PartSize: 64 << 20}
	if fresh {
		options.SetMatchETagExcept("*")
	}
	_, err := s.client.Client.PutObject(ctx, s.bucket, key, body, body.Size(), options)
	return s3Error(err)
}

func (s s3) remove(ctx context.Context, key string) error {
	return s3Error(s.client.RemoveObject(ctx, s.bucket, key, minio.RemoveObjectOptions{}))
}

func (s s3) list(ctx context.Context, prefix string) (keys []string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the client's own listing where this one ends early
	for o := range s.client.Client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Prefix: prefix}) {
		if o.Err != nil {
			return nil, s3Error(o.Err)
		}
		if keys = append(keys, o.Key); len(keys) > maxListed {
			break
		}
	}
	return keys, nil
}

// s3Error says what an answer means. That of the server is named by its code.
func s3Error(err error) error {
	var e minio.ErrorResponse
	if err == nil || !errors.As(err, &e) {
		return err
	}
	if e.Code == "NoSuchKey" {
		return fs.ErrNotExist
	}
	text := fmt.Sprintf("%s: %s", e.Code, e.Error())
	if e.Code == "NoSuchBucket" || e.StatusCode == 0 { // what the client itself refuses
		return refusal{errors.New(text)}
	}
	return answer(e.StatusCode, text, s3Hint)
}
