// Package table reads small CSV files with a header; its errors name file, line,
// column, value and what was expected.
package table
