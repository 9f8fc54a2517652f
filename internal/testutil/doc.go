// Package testutil has what tests of several packages need: golden files, recorded tables and public data sets,
// texts in the formats of others, and a headless browser.
package testutil
