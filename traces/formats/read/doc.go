// Package read reads the text of files for importers, piece by piece, and knows where it
// is, so that a complaint names line and column.
//
// A [Source] is one file, unpacked if it was packed. [Source.Lines] yields its lines,
// and [Line.Fields] splits one; [NewCursor] walks through JSON, value by value. What
// was read badly is a [traces.DataError], of [Source.Errorf], [Line.ErrorAt] or
// [Cursor.Errorf]. The functions of this package read what is written in many formats:
// instants, seconds, numbers of machines, names.
package read
