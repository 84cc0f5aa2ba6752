package shell

import (
	"path"
	"slices"
	"strings"
)

// writers are programs that change files, or reach farther than reading: they
// need a rule, and even with one their arguments have to be understood, since a
// rule about a program means no settings and no scripts of hooks. Backups
// (--backup, -b, -S) are not listed: they write under names of their own.
var writers = map[string]usage{
	"tee": {options: "-aip --append --ignore-interrupts --output-error?" + help, operands: ">"},
	"cp": {moves: true, decide: copies, options: "-adfHiLnpPrRTuvxZ -t/ --archive --attributes-only --dereference --force --interactive --no-clobber " +
		"--no-dereference --no-preserve: --no-target-directory --one-file-system --preserve? --recursive --reflink? --remove-destination --sparse: " +
		"--strip-trailing-slashes --target-directory/ --update? --verbose" + help},
	"mv": {moves: true, decide: moved, options: "-finTuvZ -t/ --force --interactive --no-clobber --no-target-directory --strip-trailing-slashes " +
		"--target-directory/ --update? --verbose" + help},
	"install": {moves: true, decide: copies, options: "-cCDdpTv -g: -m: -o: -t/ --compare --directory --group: --mode: --no-target-directory --owner: " +
		"--preserve-timestamps --target-directory/ --verbose" + help},
	"ln": {moves: true, decide: links, options: "-finsLPTv -t/ --force --interactive --logical --no-dereference --no-target-directory --physical " +
		"--symbolic --target-directory/ --verbose" + help},
	"rsync": {moves: true, decide: copies, options: "-avrltpgoDzhnucxiqPmHAXS --archive --verbose --recursive --links --times --perms --compress --dry-run --progress " +
		"--stats --checksum --update --delete --exclude: --include: --human-readable --quiet --itemize-changes --existing --ignore-existing"},
	"scp":      {moves: true, decide: copies, options: "-346BCpqrTv -c: -i< -l: -P:"},
	"link":     {moves: true, operands: "^"},
	"unlink":   {operands: "^"},
	"truncate": {options: "-co -r= -s: --io-blocks --no-create --reference= --size:" + help, operands: ">"},
	"touch":    {options: "-acfhm -d: -r= -t: --date: --no-create --no-dereference --reference= --time:" + help, operands: ">"},
	"mkdir":    {options: "-pvZ -m: --mode: --parents --verbose" + help, operands: ">"},
	"rmdir":    {options: "-pv --ignore-fail-on-non-empty --parents --verbose" + help, operands: ">"},
	"rm":       {options: "-dfiIrRv --dir --force --interactive? --one-file-system --recursive --verbose" + help, operands: "^"},
	"chmod":    {options: "-cfRv --changes --quiet --recursive --reference= --silent --verbose" + help, operands: ":^", decide: afterReference},
	"chown":    {options: "-cfRv --changes --quiet --recursive --reference= --silent --verbose" + help, operands: ":^", decide: afterReference},
	"chgrp":    {options: "-cfRv --changes --quiet --recursive --reference= --silent --verbose" + help, operands: ":^", decide: afterReference},
	"sed": {options: "-nErsuz -e: -i? -l: --binary --debug --expression: --follow-symlinks --in-place? --line-length: --null-data --posix --quiet " +
		"--regexp-extended --sandbox --separate --silent --unbuffered" + help, decide: edits},
	"awk":    {options: "-F: -v: --field-separator: --assign: --posix --traditional --re-interval --version --help", ordered: true, decide: awkFiles},
	"split":  {options: "-dxeu -a: -b: -C: -l: -n: -t:" + help, decide: numbered},
	"csplit": {options: "-ksqz -f: -n:" + help, decide: numbered},
	"patch":  {moves: true, options: "-p: -i< -d/ -NRsluEtf --strip: --input< --directory/ --forward --reverse --silent --dry-run --batch --force --unified", decide: patched},
	"tar": {moves: true, bundled: true, decide: archive, options: "-cxtruvzjJakmOpw -f: -C/ --create --extract --get --list --append --update --verbose --gzip --bzip2 --xz --zstd " +
		"--auto-compress --file: --directory/ --exclude: --strip-components: --to-stdout --keep-old-files --exclude-vcs --wildcards" + help},
	"unzip": {moves: true, options: "-ltvpqonjuf -d/", decide: unpacked},
	"zip":   {options: "-rqjvul0123456789", decide: zipped},
	"gzip":  compressor, "gunzip": compressor, "bzip2": compressor, "bunzip2": compressor, "xz": compressor, "unxz": compressor,
	"zcat": {operands: "<"}, "bzcat": {operands: "<"}, "xzcat": {operands: "<"},
	"xxd": {whole: true, options: "-a -b -c: -e -E -g: -i -l: -o: -p -ps -plain -postscript -r -revert -s: -u -d -C -v", operands: "<>"},
	"curl": {options: "-sSLfvkIiG46gN# -X: -H: -d: -u: -A: -e: -m: -o> -w: -r: -b: --silent --show-error --location --fail --fail-with-body --verbose --insecure --head " +
		"--include --get --request: --header: --data: --data-raw: --user: --user-agent: --referer: --max-time: --connect-timeout: --retry: --retry-delay: " +
		"--compressed --output> --write-out: --range: --url: --http1.1 --http2 --no-progress-meter --globoff --max-redirs: --json: --ipv4 --ipv6 --help --version",
		operands: ":", decide: fetched},
	"wget": {options: "-qSv -O> -t: -T: -U: --quiet --server-response --verbose --no-verbose --output-document> --tries: --timeout: --user-agent: --header: " +
		"--spider --no-check-certificate --max-redirect: --help --version", operands: ":", decide: named},
	"ssh":  {options: "-46ACnNqtTvx -p: -l: -i<", operands: "*", ordered: true},
	"sftp": {decide: func(*arguments) string { return "copies files that its arguments do not name" }},
	"man":  {options: "-afkw -s: --all --whatis --apropos --where --help --version", operands: ":", decide: pages},
	"less": {options: "-eEFgiIKMmnNqQRrSsXx:", operands: "<", decide: pages}, "more": {options: "-dflcpsu", operands: "<", decide: pages},
}

var compressor = usage{options: "-cdfklntvq0123456789 --stdout --to-stdout --decompress --uncompress --force --keep --list --test --verbose --quiet --fast --best" + help, decide: packed}

func (a *arguments) value(names ...string) (w Word, ok bool) {
	for _, o := range a.options {
		if slices.Contains(names, o.name) {
			w, ok = o.value, true
		}
	}
	return w, ok
}

func (a *arguments) writes(w Word, below bool) {
	a.files = append(a.files, Path{Word: w, Writes: true, Below: below})
}

func (a *arguments) reads(w Word, below bool) {
	a.files = append(a.files, Path{Word: w, Below: below, Links: below})
}

// here is the working directory.
var here = Word{Text: ".", Known: true}

// within is the word w, seen from the directory dir.
func within(dir, w Word) Word {
	if path.IsAbs(w.Text) {
		return w
	}
	return Word{Text: path.Join(dir.Text, w.Text), Known: dir.Known && w.Known}
}

// destination takes the one from the operands of a program that copies.
func (a *arguments) destination() (dst Word, why string) {
	if dst, ok := a.value("-t", "--target-directory"); ok {
		return dst, ""
	}
	if len(a.operands) < 2 {
		return dst, "has no destination"
	}
	dst = a.operands[len(a.operands)-1]
	a.operands = a.operands[:len(a.operands)-1]
	return dst, ""
}

// copies: the sources go to the last operand, or into it.
func copies(a *arguments) string {
	if a.has("-d", "--directory") && !a.has("-T") && len(a.operands) == 1 {
		a.roles = ">" // install -d
		return ""
	}
	dst, why := a.destination()
	if why != "" {
		return why
	}
	whole := a.has("-T", "--no-target-directory")
	for _, src := range a.operands {
		if strings.Contains(src.Text, ":") && !strings.HasPrefix(src.Text, "/") {
			continue // from another machine
		}
		a.reads(src, true)
		name := path.Base(src.Text)
		whole = whole || name == "." || name == ".." || strings.HasSuffix(src.Text, "/")
		a.writes(within(dst, Word{Text: name, Known: src.Known}), true)
	}
	if whole || path.Clean(dst.Text) != "." {
		a.writes(dst, true)
	}
	a.operands = nil
	return ""
}

// moved is copies, and the sources go.
func moved(a *arguments) string {
	sources := slices.Clone(a.operands)
	if !a.has("-t", "--target-directory") && len(sources) > 0 {
		sources = sources[:len(sources)-1]
	}
	for _, src := range sources {
		a.writes(src, true)
	}
	return copies(a)
}

// links: through a link its target can be changed.
func links(a *arguments) string {
	if len(a.operands) == 1 {
		a.operands = append(a.operands, here)
	}
	dst, why := a.destination()
	if why != "" {
		return why
	}
	for _, src := range a.operands {
		a.writes(src, true)
		a.writes(within(dst, Word{Text: path.Base(src.Text), Known: src.Known}), true)
		for _, dir := range []string{dst.Text, path.Dir(dst.Text)} { // where the link may lie
			a.writes(within(Word{Text: dir, Known: dst.Known}, src), true)
		}
	}
	if path.Clean(dst.Text) != "." {
		a.writes(dst, true)
	}
	a.operands = nil
	return ""
}

func afterReference(a *arguments) string {
	if a.has("--reference") {
		a.roles = "^"
	}
	return ""
}

// numbered: the names begin with a prefix; in the folder of it, any may be
// made.
func numbered(a *arguments) string {
	prefix, ok := a.value("-f")
	if !ok && len(a.operands) > 1 {
		prefix, a.operands = a.operands[1], a.operands[:1]
	} else if !ok {
		prefix = Word{Text: "x", Known: true}
	}
	a.writes(Word{Text: path.Dir(prefix.Text), Known: prefix.Known}, true)
	a.roles = "<:"
	return ""
}

func (a *arguments) folder(names ...string) Word {
	if dir, ok := a.value(names...); ok {
		return dir
	}
	return here
}

// patched: the patch says which files.
func patched(a *arguments) string {
	if !a.has("--dry-run") {
		a.writes(a.folder("-d", "--directory"), true)
	}
	a.roles = ">"
	return ""
}

func unpacked(a *arguments) string {
	if !a.has("-l", "-t", "-v", "-p") {
		a.writes(a.folder("-d"), true)
	}
	a.roles = "<:"
	return ""
}

func zipped(a *arguments) string {
	if len(a.operands) > 0 {
		a.writes(Word{Text: a.operands[0].Text + ".zip", Known: a.operands[0].Known}, false)
	}
	a.roles = ">D"
	return ""
}

// packed: a file is replaced by one with an ending more or less.
func packed(a *arguments) string {
	if a.has("-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test") {
		a.roles = "<"
		return ""
	}
	a.roles = ">"
	for _, w := range a.operands {
		for _, name := range []string{strings.TrimSuffix(w.Text, path.Ext(w.Text)), w.Text + ".gz", w.Text + ".bz2", w.Text + ".xz"} {
			a.writes(Word{Text: name, Known: w.Known}, false)
		}
	}
	return ""
}

// archive is tar, with options in words of their own and the archive in -f.
func archive(a *arguments) string {
	file, named := a.value("-f", "--file")
	dir := a.folder("-C", "--directory")
	dirs := 0
	for _, o := range a.options {
		if o.name == "-C" || o.name == "--directory" {
			dirs++
		}
	}
	if dirs > 1 || named && strings.Contains(file.Text, ":") {
		return "works in several folders, or on another machine"
	}
	makes := a.has("-c", "-r", "-u", "--create", "--append", "--update")
	if named && file.Text != "-" {
		a.files = append(a.files, Path{Word: file, Writes: makes})
	}
	switch {
	case makes:
		for _, w := range a.operands {
			a.reads(within(dir, w), true)
		}
	case a.has("-x", "--extract", "--get") && !a.has("-O", "--to-stdout"):
		a.writes(dir, true)
	}
	a.operands = nil
	return ""
}

// fetched: values that begin with @ are files, and the format of --write-out
// can name one.
func fetched(a *arguments) string {
	for _, o := range a.options {
		at := strings.HasPrefix(o.value.Text, "@") || o.name == "-b" && !strings.Contains(o.value.Text, "=")
		if at || filesByURL().MatchString(o.value.Text) || strings.Contains(o.value.Text, "%output") || (o.name == "-o" || o.name == "--output") && strings.Contains(o.value.Text, "#") {
			return "uses files, or names them by a pattern"
		}
	}
	return dangerIf(slices.ContainsFunc(a.operands, func(w Word) bool { return filesByURL().MatchString(w.Text) }), "reads a file that its address names")
}

func named(a *arguments) string {
	return dangerIf(!a.has("-O", "--output-document", "--spider"), "writes a file that the address names")
}

// pages: "+" is a command, and a path is not a page of the manual.
func pages(a *arguments) string {
	for _, w := range a.operands {
		if strings.HasPrefix(w.Text, "+") || a.roles == ":" && strings.Contains(w.Text, "/") {
			return "may run commands of the pager"
		}
	}
	return ""
}

// awkFiles: the program may do nothing but compute and print. Whatever runs,
// reads or writes needs one of these, and nothing is evaluated later.
func awkFiles(a *arguments) string {
	if len(a.operands) == 0 {
		return "has no program"
	}
	program := a.operands[0]
	if !program.Known || awkActs().MatchString(program.Text) || strings.Contains(program.Text, "\\\n") {
		return "has a program that may run commands, or use files"
	}
	a.roles = ":<"
	return ""
}
