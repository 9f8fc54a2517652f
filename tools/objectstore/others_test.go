package objectstore

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Emulators of the other two stores.
const (
	fakeGCS = "github.com/fsouza/fake-gcs-server@v1.56.1"
	azurite = "azurite@3.37.0"
)

// port is one that is free. Systems give connections ports above these, so that none of them has it while the server is away.
func port(t *testing.T) string {
	t.Helper()
	for range 100 {
		p := fmt.Sprint(10_000 + rand.IntN(20_000))
		if free, err := net.Listen("tcp", "127.0.0.1:"+p); err == nil {
			free.Close()
			return p
		}
	}
	t.Skip("no port on this machine")
	return ""
}

// background starts a server and waits until it answers.
func background(t *testing.T, env []string, url, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Dir = append(os.Environ(), env...), t.TempDir()
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Skip(name, err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		r, err := http.Get(url)
		if err == nil {
			r.Body.Close()
			return
		}
		if time.Now().After(end) {
			t.Fatal(name, "does not answer:", err)
		}
	}
}

// installed returns a program in a folder of the cache, which is made with a command once.
func installed(t *testing.T, folder, file string, install func(dir string) *exec.Cmd) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("no cache folder:", err)
	}
	dir := filepath.Join(cache, "marigram-tests", folder)
	path := filepath.Join(dir, file)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Skip(err)
	}
	made, err := os.MkdirTemp(filepath.Dir(dir), ".new-*") // the folder appears when it is whole
	if err != nil {
		t.Skip(err)
	}
	defer os.RemoveAll(made)
	cmd := install(made)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("%v: %v\n%s", cmd.Args, err, out)
	}
	if err := os.Rename(made, dir); err != nil {
		os.RemoveAll(dir) // half of one, of a test that was killed
		err = os.Rename(made, dir)
		if _, none := os.Stat(path); err != nil && none != nil {
			t.Skip(err)
		}
	}
	return path
}

func goInstall(module string) func(dir string) *exec.Cmd {
	return func(dir string) *exec.Cmd {
		cmd := exec.Command("go", "install", module)
		cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=")
		return cmd
	}
}

const fewSeeds = "10"

// sameBytes runs a sweep in a bucket by eight processes, and compares it with a folder.
func (p *place) sameBytes(env []string, out string) {
	t := p.t
	p.must(os.Environ(), "sweep", "notice.yaml", "--seeds", fewSeeds, "--out", "folder")
	p.shards(func(shard int) {
		if _, err := p.run(t.Context(), env, "sweep", "notice.yaml", "--seeds", fewSeeds, "--out", out, "-j", "1", "--shard",
			fmt.Sprint(shard, "/", workers)); err != nil {
			t.Error(err)
		}
	})
	want, got := p.merged(os.Environ(), "folder"), p.merged(env, out)
	t.Logf("folder %s\n%s %s", want, out, got)
	if got != want {
		t.Error("other bytes in the bucket than in the folder")
	}
	if s := p.status(env, out); len(s.Missing)+len(s.Faults)+len(s.Strays) > 0 {
		t.Errorf("%+v, want chunks and nothing else", s)
	}
	p.must(env, "report", out, "-o", out+"/page.html")
	if s := p.status(env, out); strings.Join(s.Strays, " ") != out+"/page.html" {
		t.Errorf("%+v, want the page to be listed", s)
	}
	if _, err := p.run(t.Context(), env, "sweep", "quickstart", "--seeds", "2", "--out", out); err == nil || !strings.Contains(err.Error(), "belongs to plan") {
		t.Errorf("another plan: %v", err)
	}
	if _, err := p.run(t.Context(), env, "sweep", "quickstart", "--seeds", "2", "--out", strings.Replace(out, bucket, "nowhere", 1)); err == nil {
		t.Error("a bucket that is not there is taken")
	}
}

func TestGoogle(t *testing.T) {
	p := newPlace(t)
	program := installed(t, "fake-gcs-server-v1.56.1", "fake-gcs-server", goInstall(fakeGCS))
	host := "127.0.0.1:" + port(t)
	url := "http://" + host + "/storage/v1/b"
	background(t, nil, url, program, "-scheme", "http", "-host", "127.0.0.1", "-port", strings.TrimPrefix(host, "127.0.0.1:"), "-backend", "memory",
		"-public-host", host)
	r, err := http.Post(url+"?project=test", "application/json", strings.NewReader(`{"name":"`+bucket+`"}`))
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatal(err, r)
	}
	r.Body.Close()
	p.sameBytes(append(os.Environ(), "STORAGE_EMULATOR_HOST="+host), "gs://"+bucket+"/a/sweep")
}

func TestAzure(t *testing.T) {
	p := newPlace(t)
	program := installed(t, strings.ReplaceAll(azurite, "@", "-"), "node_modules/.bin/azurite-blob", func(dir string) *exec.Cmd {
		return exec.Command("npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--prefix", dir, azurite)
	})
	key := base64.StdEncoding.EncodeToString([]byte("a key of this test, and of nothing else"))
	url := "http://127.0.0.1:" + port(t) + "/tester"
	background(t, []string{"AZURITE_ACCOUNTS=tester:" + key}, url, program, "--blobHost", "127.0.0.1", "--blobPort",
		url[len("http://127.0.0.1:"):len(url)-len("/tester")],
		"--inMemoryPersistence", "--silent", "--skipApiVersionCheck")
	newContainer(t, url, key)
	env := append(os.Environ(), "AZURE_STORAGE_CONNECTION_STRING=AccountName=tester;AccountKey="+key+";BlobEndpoint="+url)
	p.sameBytes(env, "azblob://"+bucket+"/a/sweep")
	if bytes.Contains(p.log.Bytes(), []byte(key)) {
		t.Error("the key was printed")
	}
	_, err := p.run(t.Context(), append(os.Environ(), "AZURE_STORAGE_CONNECTION_STRING=AccountName=tester;AccountKey=AAAA"+key[4:]+";BlobEndpoint="+url),
		"sweep", "status", "azblob://"+bucket+"/a/sweep")
	if err == nil || !strings.Contains(err.Error(), "AZURE_STORAGE_KEY") || strings.Contains(err.Error(), key[4:]) {
		t.Errorf("a wrong key: %v, want where credentials come from", err)
	}
}

// newContainer makes the container of the test.
func newContainer(t *testing.T, url, key string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPut, url+"/"+bucket+"?restype=container", nil)
	if err != nil {
		t.Fatal(err)
	}
	date := time.Now().UTC().Format(http.TimeFormat)
	text := "PUT\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:" + date + "\nx-ms-version:2023-11-03\n/tester/tester/" + bucket + "\nrestype:container"
	secret, _ := base64.StdEncoding.DecodeString(key)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(text))
	r.Header.Set("X-Ms-Date", date)
	r.Header.Set("X-Ms-Version", "2023-11-03")
	r.Header.Set("Authorization", "SharedKey tester:"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		t.Fatal("no container: ", answer.Status)
	}
}
