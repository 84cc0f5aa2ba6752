package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// system lists folders in which everything is public. Of /etc, that is what everybody may
// read: root's own tests cannot read the passwords in /etc/shadow.
var system = []string{
	"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/usr", "/opt", "/nix", "/gnu", "/snap", "/var/lib", "/proc",
	"/sys", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", // not /dev: disks hold every home
	"/run/current-system", "/home/linuxbrew",
}

// Readable returns what programs on path, a PATH variable, need to read: the system,
// and toolchains outside it, such as those in the user's home. The result is for
// Rules.Read. It does not include the home itself, temporary folders, or anything else
// that is mounted.
func Readable(path, home string) []string {
	etc, _ := filepath.Glob("/etc/*")
	if len(etc) == 0 { // this process is confined itself, which limits what others read in it
		etc = []string{"/etc"}
	}
	out := slices.Concat(etc, system)
	for _, dir := range filepath.SplitList(path) {
		if real, err := filepath.EvalSymlinks(dir); filepath.IsAbs(dir) && err == nil {
			out = append(out, toolchain(real, home)...)
		}
	}
	out = slices.DeleteFunc(out, func(dir string) bool {
		info, err := os.Stat(dir)
		const everybody = 0o4
		return err != nil || slices.Contains(etc, dir) && info.Mode()&everybody == 0
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// toolchain returns what the programs in dir need. If dir is a toolchain's bin folder,
// that is the whole toolchain, unless the folder also holds keys, as some do.
func toolchain(dir, home string) []string {
	top := filepath.Dir(dir)
	inside := func(outer, path string) bool {
		rel, err := filepath.Rel(outer, path)
		return err == nil && filepath.IsLocal(rel)
	}
	name := filepath.Base(top)
	switch {
	case slices.ContainsFunc(system, func(s string) bool { return inside(s, dir) }):
		return nil
	case inside(top, home), top == "/", top == os.TempDir():
		return []string{dir}
	case name == ".local":
		return []string{dir, filepath.Join(top, "lib"), filepath.Join(top, "share/uv"), filepath.Join(top, "share/pipx"),
			filepath.Join(top, "share/mise")}
	case name == ".cargo":
		return []string{dir, filepath.Join(filepath.Dir(top), ".rustup")}
	case strings.HasPrefix(filepath.Base(dir), "bin"), filepath.Base(dir) == "shims":
		return []string{top}
	}
	return []string{dir}
}
