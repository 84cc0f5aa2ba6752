package confine

import (
	"bufio"
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Programs returns the files that have to be executed to run the named programs, for
// Rules.Execute: each program as it is found on path, a PATH variable, and its loader or
// interpreter, unless that is a shell, which could start more. A name that is not found,
// such as that of a shell's own command, is left out.
func Programs(path string, names ...string) []string {
	out := []string{}
	var add func(name string)
	add = func(name string) {
		file := find(path, name)
		if file == "" || slices.Contains(out, file) {
			return
		}
		out = append(out, file)
		for _, by := range startedBy(file) {
			add(by)
		}
	}
	for _, name := range names {
		add(name)
	}
	return out
}

// find returns the file that a shell would execute for name, or "".
func find(path, name string) string {
	files := []string{name}
	if !strings.Contains(name, "/") {
		files = nil
		for _, dir := range filepath.SplitList(path) {
			files = append(files, filepath.Join(dir, name))
		}
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err == nil && filepath.IsAbs(file) && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file
		}
	}
	return ""
}

// startedBy returns the programs by which the kernel starts file: a loader, or what the
// first line of a script names.
func startedBy(file string) []string {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	const longest = 256 // the kernel reads no more
	first, _ := bufio.NewReaderSize(f, longest).ReadSlice('\n')
	if script, ok := strings.CutPrefix(string(first), "#!"); ok {
		words := strings.Fields(script)
		words = words[:min(len(words), 2)] // "/usr/bin/env python3" starts both
		if slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix(w, "sh") }) {
			return nil
		}
		return words
	}
	program, err := elf.NewFile(f)
	if err != nil {
		return nil
	}
	for _, p := range program.Progs {
		if p.Type == elf.PT_INTERP {
			loader := make([]byte, min(p.Filesz, 4096))
			n, _ := p.ReadAt(loader, 0)
			return []string{strings.TrimRight(string(loader[:n]), "\x00")}
		}
	}
	return nil
}
