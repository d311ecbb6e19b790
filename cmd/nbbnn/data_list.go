package main

import (
	"fmt"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/quantity"
)

// dataEntry is a line of `data list`.
type dataEntry struct {
	Name      string     `json:"name"`
	Title     string     `json:"title"`
	Available bool       `json:"available"`
	Folder    string     `json:"folder,omitempty"` // where it is, or would be
	Page      string     `json:"page,omitempty"`
	Files     []dataFile `json:"files,omitempty"` // to download
	Note      string     `json:"note,omitempty"`
}

// dataFile is a download, with what was published about it: zero and "" for what wasn't.
type dataFile struct {
	Name      string   `json:"name"`
	Addresses []string `json:"addresses"`
	Bytes     int64    `json:"bytes"`
	MD5       string   `json:"md5"`
	SHA256    string   `json:"sha256"`
}

// dataList looks for the files of each data set; it doesn't read them.
func (a *app) dataList() error {
	directory, err := dataset.Directory("")
	if err != nil {
		return err
	}
	entries := []dataEntry{{Name: dataset.Shapes10, Title: "Shapes10, drawn by the workbench, needs no file", Available: true}}
	for _, source := range dataset.Sources() {
		entries = append(entries, newDataEntry(source, directory))
	}
	if a.json {
		return a.printJSON(entries)
	}
	for _, entry := range entries {
		fmt.Fprintf(a.out, "%-21s %s  %10s  %s\n", entry.Name, a.dataStatus(entry), entry.size(), entry.Title)
	}
	fmt.Fprintf(a.out, "\nThey are looked for in %s; `nbbnn data get NAME` brings one.\n", directory)
	return nil
}

func newDataEntry(source dataset.Source, directory string) dataEntry {
	folder, missing := source.Find(directory)
	entry := dataEntry{
		Name: source.Name, Title: source.Title, Available: len(missing) == 0, Folder: folder, Page: source.Page, Note: source.Note,
	}
	for _, file := range source.Archives {
		entry.Files = append(entry.Files, dataFile{file.Name, file.Addresses, file.Size, file.MD5, file.SHA256})
	}
	return entry
}

// dataStatus is as wide as its longest word, whatever its colour.
func (a *app) dataStatus(entry dataEntry) string {
	if entry.Available {
		return a.paintOut(green, "ready  ")
	}
	return a.paintOut(yellow, "missing")
}

// size is that of the download, as far as it was published.
func (e dataEntry) size() string {
	var total int64
	for _, file := range e.Files {
		total += file.Bytes
	}
	if total == 0 {
		return ""
	}
	return megabytes(total)
}

// megabytes writes a number of bytes: 1,795 MB.
func megabytes(bytes int64) string { return quantity.Thousands(float64(bytes)/1e6) + " MB" }
