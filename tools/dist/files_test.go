package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// What cites and archives a release has the version of the newest one.
func TestCitation(t *testing.T) {
	changes, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	newest := regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)`).FindSubmatch(changes)
	if newest == nil {
		t.Fatal("CHANGELOG.md has no version")
	}
	var cited struct {
		Version  string `json:"version"`
		Released string `json:"date-released"`
		Title    string `json:"title"`
		License  string `json:"license"`
	}
	readYAML(t, "CITATION.cff", &cited)
	if cited.Version != string(newest[1]) || cited.Released != string(newest[2]) {
		t.Errorf("CITATION.cff has %s of %s, expected %s of %s", cited.Version, cited.Released, newest[1], newest[2])
	}
	text, err := os.ReadFile(".zenodo.json")
	if err != nil {
		t.Fatal(err)
	}
	var archived struct{ Version, Title, License string }
	if err := json.Unmarshal(text, &archived); err != nil {
		t.Fatal(err)
	}
	if archived.Version != cited.Version || archived.Title != cited.Title || archived.License != cited.License {
		t.Errorf(".zenodo.json has %+v, expected what CITATION.cff has: %+v", archived, cited)
	}
}

// Forms of issues have a name, a description, and fields of known types with labels.
func TestIssueForms(t *testing.T) {
	files, _ := filepath.Glob(".github/ISSUE_TEMPLATE/*.yml")
	forms := 0
	for _, name := range files {
		if filepath.Base(name) == "config.yml" {
			continue
		}
		forms++
		var form struct {
			Name        string `json:"name"`
			Description string `json:"description"`
			Body        []struct {
				Type       string `json:"type"`
				ID         string `json:"id"`
				Attributes struct {
					Label string `json:"label"`
				} `json:"attributes"`
			} `json:"body"`
		}
		readYAML(t, name, &form)
		if form.Name == "" || form.Description == "" || len(form.Body) == 0 {
			t.Errorf("%s: %+v", name, form)
		}
		for _, field := range form.Body {
			if field.Type != "input" && field.Type != "textarea" || field.ID == "" || field.Attributes.Label == "" {
				t.Errorf("%s: %+v", name, field)
			}
		}
	}
	if forms < 3 {
		t.Errorf("%d forms", forms)
	}
}
