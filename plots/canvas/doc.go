// Package canvas is what the figures of marigram share: the sheet with its title, keys
// and rows of panels, the palette and the styles of policies, ticks, and what writes a
// figure as SVG, PNG and PDF or into a page that has a dark scheme. Lengths are in
// points of 1/72 inch. Package plots draws the figures themselves with it.
package canvas
