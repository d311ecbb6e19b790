package dataset

// TextureFolder finds the textures of the corruption frost: the name "frost" is the source of the reference's, which is looked
// for in the directory of data sets; everything else is the path of a folder, and "" stays "", for textures that are drawn.
func TextureFolder(nameOrFolder string) (string, error) {
	if nameOrFolder != "frost" {
		return nameOrFolder, nil
	}
	return Folder(nameOrFolder, "")
}
