// Keeps golden pictures out of the workbench's module, which everyone downloads who requires it.
module github.com/nbbnn/workbench/viz/testdata

go 1.27.4
