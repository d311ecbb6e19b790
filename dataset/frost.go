package dataset

// TextureFolder returns the folder of textures for the corruption frost. The name "frost" stands
// for the reference's textures in the directory of data sets; any other text is the path of a
// folder, and "" stays "", which means drawn textures.
func TextureFolder(nameOrFolder string) (string, error) {
	if nameOrFolder != "frost" {
		return nameOrFolder, nil
	}
	return Folder(nameOrFolder, "")
}
