// Package testutil has what tests of several packages need: golden files, recorded tables next to the repository,
// texts in the formats of others, and a headless browser.
package testutil
