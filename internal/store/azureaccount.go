//go:build !js

package store

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

const azureHint = "the account is AZURE_STORAGE_ACCOUNT; credentials come from AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_SAS_TOKEN, AZURE_STORAGE_KEY, " +
	"a service principal or workload identity (AZURE_CLIENT_ID and AZURE_TENANT_ID), the identity of the machine or az login"

// account is a storage account and what its requests are authorized with: one of a key,
// a signature in the address, and tokens.
type account struct {
	server *url.URL
	name   string
	key    []byte
	sas    url.Values
	tokens oauth2.TokenSource
}

// azureAccount reads the variables of the Azure CLI and of Azure's libraries.
func azureAccount() (a account, err error) {
	given := connection(os.Getenv("AZURE_STORAGE_CONNECTION_STRING"))
	one := func(name, variable string) string {
		if v := given[name]; v != "" {
			return v
		}
		return os.Getenv(variable)
	}
	a.name = one("AccountName", "AZURE_STORAGE_ACCOUNT")
	server := one("BlobEndpoint", "AZURE_STORAGE_BLOB_ENDPOINT")
	if server == "" {
		if a.name == "" {
			return a, fmt.Errorf("AZURE_STORAGE_ACCOUNT is not set; %s", azureHint)
		}
		server = "https://" + url.PathEscape(a.name) + ".blob.core.windows.net"
	}
	if a.server, err = endpoint(strings.TrimRight(server, "/"), "AZURE_STORAGE_CONNECTION_STRING (BlobEndpoint)"); err != nil {
		return a, err
	}
	if text := one("SharedAccessSignature", "AZURE_STORAGE_SAS_TOKEN"); text != "" {
		a.sas, err = url.ParseQuery(strings.TrimPrefix(text, "?"))
		if err != nil {
			err = errors.New("AZURE_STORAGE_SAS_TOKEN is no signature") // without its text
		}
		return a, err
	}
	if text := one("AccountKey", "AZURE_STORAGE_KEY"); text != "" {
		if a.key, err = base64.StdEncoding.DecodeString(text); err != nil {
			err = errors.New("AZURE_STORAGE_KEY is not in base64") // without its text
		}
		return a, err
	}
	a.tokens = oauth2.ReuseTokenSource(nil, azureTokens())
	return a, nil
}

// connection takes a connection string apart: Name=value;Name=value.
func connection(text string) map[string]string {
	all := map[string]string{}
	for part := range strings.SplitSeq(text, ";") {
		if name, value, is := strings.Cut(part, "="); is {
			all[name] = value
		}
	}
	return all
}

// storageVersion is the version of the interface.
const storageVersion = "2023-11-03"

// authorize adds what lets a request pass.
func (a account) authorize(r *http.Request) error {
	r.Header.Set("X-Ms-Version", storageVersion)
	r.Header.Set("X-Ms-Date", time.Now().UTC().Format(http.TimeFormat))
	switch {
	case a.sas != nil:
		q := r.URL.Query()
		for name, values := range a.sas {
			q[name] = values
		}
		r.URL.RawQuery = q.Encode()
	case a.key != nil:
		mac := hmac.New(sha256.New, a.key)
		mac.Write([]byte(a.signed(r)))
		r.Header.Set("Authorization", "SharedKey "+a.name+":"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	default:
		token, err := a.tokens.Token()
		if err != nil {
			return refusal{fmt.Errorf("no credentials; %s", azureHint)} // the error could have one in it
		}
		token.SetAuthHeader(r)
	}
	return nil
}

// signed is the text whose signature a key makes: learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key.
func (a account) signed(r *http.Request) string {
	length := ""
	if r.ContentLength > 0 {
		length = strconv.FormatInt(r.ContentLength, 10)
	}
	h := r.Header.Get
	lines := []string{r.Method, h("Content-Encoding"), h("Content-Language"), length, h("Content-MD5"), h("Content-Type"), "",
		h("If-Modified-Since"), h("If-Match"), h("If-None-Match"), h("If-Unmodified-Since"), h("Range")}
	var own []string
	for name := range r.Header {
		if lower := strings.ToLower(name); strings.HasPrefix(lower, "x-ms-") {
			own = append(own, lower+":"+h(name))
		}
	}
	slices.Sort(own)
	lines = append(lines, own...)
	lines = append(lines, "/"+a.name+r.URL.EscapedPath())
	var query []string
	for name, values := range r.URL.Query() {
		slices.Sort(values)
		query = append(query, strings.ToLower(name)+":"+strings.Join(values, ","))
	}
	slices.Sort(query)
	return strings.Join(append(lines, query...), "\n")
}
