package columnar

import (
	"context"
	"fmt"
)

// A browser has no files, and Apache Arrow is two thirds of a program: there, tables end with an error.

func none(path string) error {
	return fmt.Errorf("%s: a browser neither reads nor writes tables", path)
}

// Writer writes a table.
type Writer[T any] struct{}

// Create begins a table.
func Create[T any](path string, _ map[string]string) (*Writer[T], error) { return nil, none(path) }

// SetMeta replaces the metadata.
func (*Writer[T]) SetMeta(map[string]string) {}

// Append adds rows.
func (*Writer[T]) Append([]T) error { return nil }

// Finish completes the file under its temporary name.
func (*Writer[T]) Finish() error { return nil }

// Close completes the table.
func (*Writer[T]) Close() error { return nil }

// Abort removes what was written.
func (*Writer[T]) Abort() {}

// Write writes a table.
func Write[T any](path string, _ map[string]string, _ []T) error { return none(path) }

// WriteUntil writes a table.
func WriteUntil[T any](_ context.Context, path string, _ map[string]string, _ []T) error {
	return none(path)
}

// Memory is what a writer writes with.
type Memory struct{}

// WriteIn writes a table.
func WriteIn[T any](_ context.Context, _ *Memory, path string, _ map[string]string, _ []T) error {
	return none(path)
}

// ReadUntil reads a table.
func ReadUntil[T any](_ context.Context, path string) ([]T, map[string]string, error) {
	return nil, nil, none(path)
}

// InspectUntil reads the metadata of a table.
func InspectUntil(_ context.Context, path string) (map[string]string, int64, error) {
	return nil, 0, none(path)
}

// Read reads a table.
func Read[T any](path string) ([]T, map[string]string, error) { return nil, nil, none(path) }

// Scan reads a table piece by piece.
func Scan[T any](path string, _ func([]T) error) (map[string]string, error) { return nil, none(path) }

// Inspect reads the metadata of a table.
func Inspect(path string) (map[string]string, int64, error) { return nil, 0, none(path) }
