// Package python has marigram's package for Python: the module, which policies in Python import, and the adapter of
// policies that were written for another interface. Users install it with pip, or get the files from marigram policies
// new.
package python

import _ "embed"

// Module is marigram.py, the package in one file. It needs the standard library of Python 3.9 or later alone.
//
//go:embed marigram/__init__.py
var Module []byte

// Ticks is ticks.py, the adapter of policies that were written for the interface of Can't Be Late and Frontier-CS.
//
//go:embed marigram/ticks.py
var Ticks []byte

// ADRS is adrs.py, which runs programs of the ADRS problems "Can't Be Late" for marigram judge.
//
//go:embed marigram/adrs.py
var ADRS string
