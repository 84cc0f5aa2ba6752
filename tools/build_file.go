package tools

import (
	"path/filepath"
	"strings"
)

// IsBuildFile reports whether a file decides what is built, installed or run, so that a
// person should see its changes. It looks at the name only. The list is from Gemini CLI
// 0.61; case does not matter.
func IsBuildFile(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return strings.Contains(buildFiles, " "+name+" ") || filepath.Ext(name) == ".mk"
}

// buildFiles has each name between blanks, so that one search finds a whole name.
const buildFiles = " package.json package-lock.json go.mod go.sum cargo.toml pom.xml build.gradle build.gradle.kts " +
	"settings.gradle settings.gradle.kts setup.py setup.cfg pyproject.toml makefile gnumakefile " +
	"cmakelists.txt build build.bazel workspace workspace.bazel dockerfile "
