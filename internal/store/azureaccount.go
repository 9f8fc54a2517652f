//go:build !js

package store

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
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

const storageScope = "https://storage.azure.com/.default"

// azureTokens returns what gets tokens: of a service principal or a workload identity, else
// of the machine, else of the Azure CLI.
func azureTokens() oauth2.TokenSource {
	tenant, client := os.Getenv("AZURE_TENANT_ID"), os.Getenv("AZURE_CLIENT_ID")
	c := clientcredentials.Config{ClientID: client, ClientSecret: os.Getenv("AZURE_CLIENT_SECRET"), Scopes: []string{storageScope},
		TokenURL: "https://login.microsoftonline.com/" + url.PathEscape(tenant) + "/oauth2/v2.0/token", AuthStyle: oauth2.AuthStyleInParams}
	switch file := os.Getenv("AZURE_FEDERATED_TOKEN_FILE"); {
	case tenant != "" && client != "" && c.ClientSecret != "":
		return c.TokenSource(context.Background())
	case tenant != "" && client != "" && file != "":
		return federated{c, file}
	}
	return &ambient{client: client}
}

// federated gets tokens for the token in a file, which is renewed there.
type federated struct {
	clientcredentials.Config
	file string
}

func (f federated) Token() (*oauth2.Token, error) {
	text, err := os.ReadFile(f.file)
	if err != nil {
		return nil, err
	}
	f.EndpointParams = url.Values{"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
		"client_assertion": {string(bytes.TrimSpace(text))}}
	return f.Config.Token(context.Background())
}

// ambient gets tokens of the machine, or of whoever is logged in.
type ambient struct {
	client string
	mu     sync.Mutex
	cli    bool // the machine has none
}

func (a *ambient) Token() (*oauth2.Token, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.cli {
		if t, err := a.machine(); err == nil {
			return t, nil
		}
	}
	a.cli = true
	out, err := exec.Command("az", "account", "get-access-token", "--resource", "https://storage.azure.com/", "--output", "json").Output()
	if err != nil {
		return nil, err
	}
	var t struct {
		AccessToken string `json:"accessToken"`
		ExpiresOn   int64  `json:"expires_on"`
	}
	if err := json.Unmarshal(out, &t); err != nil || t.AccessToken == "" {
		return nil, errors.New("az gave no token")
	}
	return &oauth2.Token{AccessToken: t.AccessToken, Expiry: time.Unix(t.ExpiresOn, 0)}, nil
}

// machine asks the service that knows the identity of a machine.
func (a *ambient) machine() (*oauth2.Token, error) {
	q := url.Values{"api-version": {"2018-02-01"}, "resource": {"https://storage.azure.com/"}}
	if a.client != "" {
		q.Set("client_id", a.client)
	}
	r, err := http.NewRequest(http.MethodGet, "http://169.254.169.254/metadata/identity/oauth2/token?"+q.Encode(), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Metadata", "true")
	answer, err := (&http.Client{Transport: quick}).Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var t struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   string `json:"expires_in"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&t); err != nil || t.AccessToken == "" {
		return nil, errors.New("the machine gave no token")
	}
	seconds, err := strconv.ParseInt(t.ExpiresIn, 10, 64)
	return &oauth2.Token{AccessToken: t.AccessToken, Expiry: time.Now().Add(time.Duration(seconds) * time.Second)}, err
}
