// Keeps records and pictures out of the workbench's module, which everyone downloads who requires it.
module github.com/nbbnn/workbench/docs/results

go 1.27.4
