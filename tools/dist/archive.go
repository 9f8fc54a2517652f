package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"
)

// file is one of an archive.
type file struct {
	name string
	text []byte
	mode fs.FileMode
}

// pack writes the archive of a target.
func (m *making) pack(t target) error {
	program, err := os.ReadFile(m.built(t))
	if err != nil {
		return err
	}
	licences, err := licences(t)
	if err != nil {
		return err
	}
	files := slices.Concat([]file{{t.program(), program, 0o755}}, m.shared, licences)
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	pack := tarball
	if t.archive() == ".zip" {
		pack = zipped
	}
	text, err := pack("marigram-"+m.version+"-"+t.String(), files, m.at)
	if err != nil {
		return err
	}
	return os.WriteFile(m.name(t, t.archive()), text, 0o644)
}

// tarball is files in a folder, as .tar.gz.
func tarball(folder string, files []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(compressed)
	for _, f := range files {
		h := &tar.Header{Name: folder + "/" + f.name, Mode: int64(f.mode), Size: int64(len(f.text)), ModTime: at, Format: tar.FormatPAX}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	err = compressed.Close()
	return b.Bytes(), err
}

// zipped is files in a folder, as .zip.
func zipped(folder string, files []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: at}
		h.SetMode(f.mode)
		one, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := one.Write(f.text); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

const sumsFile = "SHA256SUMS"

// sums writes the sums of all files that are released, as sha256sum checks them.
func (m *making) sums() error {
	entries, err := os.ReadDir(m.out)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		sum, err := sumOf(filepath.Join(m.out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, e.Name())
	}
	return os.WriteFile(filepath.Join(m.out, sumsFile), []byte(b.String()), 0o644)
}

func sumOf(path string) (string, error) {
	text, err := os.ReadFile(path)
	return fmt.Sprintf("%x", sha256.Sum256(text)), err
}

// formula writes the formula of Homebrew.
func (m *making) formula() error {
	sums := map[string]string{}
	for _, t := range targets {
		sum, err := sumOf(m.name(t, t.archive()))
		if err != nil {
			return err
		}
		sums[t.String()] = sum
	}
	text, err := formulaOf("release/marigram.rb.tmpl", m.version, sums)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(m.out, "marigram.rb"), []byte(text), 0o644)
}

func formulaOf(path, version string, sums map[string]string) (string, error) {
	t, err := template.New(filepath.Base(path)).Option("missingkey=error").ParseFiles(path)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, map[string]any{"Version": version, "Sums": sums})
	return b.String(), err
}
