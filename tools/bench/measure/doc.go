// Package measure measures how fast and how large computations are, and writes the tables of
// docs/performance.md from such measurements. What is measured is none of its business: it times
// functions, compares programs in alternation and knows the speed of a plain matrix product on the
// engine in use.
package measure
