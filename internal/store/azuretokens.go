//go:build !js

package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

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
