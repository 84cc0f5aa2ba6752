package shell

import "strings"

// Options that several programs share.
const (
	help     = " --help --version"
	sums     = "-btz --binary --tag --text --zero" + help
	patterns = "-EFGPivwxcloqsbHhnTZzaIUyL -e: -m: -A: -B: -C: -# --color? --colour? --include: --exclude: --exclude-dir: --binary-files: --label: " +
		"--line-buffered --null --null-data --max-count: --after-context: --before-context: --context: --regexp: --count --ignore-case --no-ignore-case " +
		"--invert-match --word-regexp --line-regexp --files-with-matches --files-without-match --only-matching --quiet --silent --no-messages --byte-offset " +
		"--with-filename --no-filename --line-number --initial-tab --text --extended-regexp --fixed-strings --basic-regexp --perl-regexp --binary " +
		"--group-separator: --no-group-separator -f< --file< -r --recursive" + help
)

// readers are the programs that need no rule as long as they read what the
// file tools may read, too.
var readers = map[string]usage{
	"cat":  {options: "-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting" + help, operands: "<"},
	"head": {options: "-c: -n: -qvz -# --bytes: --lines: --quiet --silent --verbose --zero-terminated" + help, operands: "<"},
	"tail": {options: "-c: -n: -fFqvz -s: -# --bytes: --lines: --follow? --quiet --silent --verbose --zero-terminated --retry --pid: --sleep-interval: " +
		"--max-unchanged-stats:" + help, operands: "<"},
	"wc": {options: "-cmlLw --bytes --chars --lines --max-line-length --words" + help, operands: "<"},
	"nl": {options: "-b: -d: -f: -h: -i: -l: -n: -p -s: -v: -w: --body-numbering: --footer-numbering: --header-numbering: --join-blank-lines: " +
		"--line-increment: --no-renumber --number-format: --number-separator: --number-width: --section-delimiter: --starting-line-number:" + help, operands: "<"},
	"tac":   {options: "-br -s: --before --regex --separator:" + help, operands: "<"},
	"rev":   {operands: "<"},
	"cut":   {options: "-b: -c: -d: -f: -nsz --bytes: --characters: --complement --delimiter: --fields: --only-delimited --output-delimiter: --zero-terminated" + help, operands: "<"},
	"paste": {options: "-d: -sz --delimiters: --serial --zero-terminated" + help, operands: "<"},
	"comm":  {options: "-123z --check-order --nocheck-order --output-delimiter: --total --zero-terminated" + help, operands: "<"},
	"cmp":   {options: "-bls -i: -n: --bytes: --ignore-initial: --print-bytes --quiet --silent --verbose" + help, operands: "<<::"},
	"diff": {options: "-abBdeEinNpqrstTuwyZc -C: -U: -W: -F: -I: -x: -# --brief --color? --context? --ed --exclude: --expand-tabs --horizon-lines: " +
		"--ignore-all-space --ignore-blank-lines --ignore-case --ignore-file-name-case --ignore-matching-lines: --ignore-space-change --ignore-tab-expansion " +
		"--ignore-trailing-space --initial-tab --label: --left-column --minimal --new-file --no-dereference --normal --rcs --recursive " +
		"--report-identical-files --show-c-function --show-function-line: --side-by-side --speed-large-files --strip-trailing-cr --suppress-blank-empty " +
		"--suppress-common-lines --tabsize: --text --unidirectional-new-file --unified? --width:" + help, operands: "D"},
	"ls": {options: "-1aAbBcCdfFgGhHiIklLmnNopqQrRsStTuUvxX -w: --all --almost-all --author --block-size: --classify? --color? --dereference --directory " +
		"--escape --file-type --format: --full-time --group-directories-first --hide-control-chars --hide: --human-readable --ignore-backups --ignore: " +
		"--indicator-style: --inode --kibibytes --literal --no-group --numeric-uid-gid --quote-name --quoting-style: --recursive --reverse " +
		"--show-control-chars --si --size --sort: --tabsize: --time-style: --time: --width: --zero" + help, operands: "="},
	"stat": {options: "-Lft -c: --cached: --dereference --file-system --format: --printf: --terse" + help, operands: "="},
	"du": {options: "-0abcDhHklmPsSx -B: -d: -t: --all --apparent-size --block-size: --bytes --count-links --exclude: --human-readable --inodes " +
		"--max-depth: --no-dereference --null --one-file-system --separate-dirs --si --summarize --threshold: --time-style: --time? --total" + help, operands: "="},
	"grep": {options: patterns, decide: searchesPattern}, "egrep": {options: patterns, decide: searchesPattern}, "fgrep": {options: patterns, decide: searchesPattern},
	"realpath": {options: "-emLPqsz --canonicalize-existing --canonicalize-missing --logical --no-symlinks --physical --quiet --relative-base= --relative-to= --strip --zero" + help, operands: "="},
	"readlink": {options: "-efmnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero" + help, operands: "="},
	"md5sum":   {options: sums, operands: "<"}, "sha1sum": {options: sums, operands: "<"}, "sha256sum": {options: sums, operands: "<"},
	"cksum": {options: "-rsz -a: -l: --algorithm: --length: --debug --tag --untagged --zero" + help, operands: "<"},
	"tree": {options: "-adfipsughDFqNQrtvUcSnACJX -L: -P: -I: --noreport --dirsfirst --filesfirst --prune --filelimit: --charset: --si --du " +
		"--timefmt: --matchdirs --ignore-case --inodes --device --sort: --gitignore" + help, operands: "="},
	"file": {options: "-bEhiIkLnNrs0v -e: -F: --apple --brief --debug --dereference --exclude: --extension --keep-going --mime --mime-encoding --mime-type " +
		"--no-buffer --no-dereference --no-pad --print0 --raw --separator:" + help, operands: "="},
	"sort": {options: "-bcCdfghiMmnRrsuVz -k: -t: -S: -o> --check? --debug --dictionary-order --field-separator: --general-numeric-sort --human-numeric-sort " +
		"--ignore-case --ignore-leading-blanks --ignore-nonprinting --key: --merge --month-sort --numeric-sort --output> --parallel: --random-sort --reverse " +
		"--sort: --stable --unique --version-sort --zero-terminated --buffer-size: --batch-size:" + help, operands: "<"},
	"uniq": {options: "-cdDiuz -f: -s: -w: --all-repeated? --check-chars: --count --group? --ignore-case --repeated --skip-chars: --skip-fields: --unique --zero-terminated" + help,
		operands: "<>"},
	"rg": {options: "-abcFHiIlNnoPpqsSUuvwx0. -A: -B: -C: -E: -d: -e: -f< -g: -j: -m: -M: -r: -t: -T: --after-context: --before-context: --context: " +
		"--case-sensitive --color: --colors: --column --count --count-matches --fixed-strings --files --files-with-matches --files-without-match --glob: " +
		"--glob-case-insensitive --heading --hidden --iglob: --ignore-case --invert-match --json --line-number --line-regexp --max-columns: --max-count: " +
		"--max-depth: --max-filesize: --multiline --multiline-dotall --no-config --no-filename --no-heading --no-ignore --no-ignore-dot --no-ignore-vcs " +
		"--no-ignore-parent --no-ignore-global --no-ignore-exclude --no-line-number --no-messages --null --only-matching --passthru --pcre2 --pretty --quiet --regexp: --replace: " +
		"--smart-case --sort: --sortr: --stats --text --threads: --trim --type: --type-list --type-not: --unrestricted --vimgrep --with-filename --word-regexp" + help,
		decide: ripgrep},
	"find": {whole: true, decide: findRoots, options: "-P -name: -iname: -path: -ipath: -wholename: -iwholename: -type: -xtype: -maxdepth: -mindepth: -print -print0 -printf: -ls -not " +
		"-size: -mtime: -mmin: -atime: -amin: -ctime: -cmin: -newer= -empty -o -a -and -or -prune -regex: -iregex: -regextype: -perm: -user: -group: " +
		"-uid: -gid: -nouser -nogroup -links: -inum: -samefile= -depth -xdev -mount -readable -writable -executable -true -false -quit -daystart -noleaf --help --version"},
	"cd": {options: "-LP", operands: "=", decide: oneOperand},

	"pwd": {options: "-LP"}, "true": {words: true}, "false": {words: true},
	"echo": {words: true}, ":": {words: true},
	"basename": {options: "-az -s: --multiple --suffix: --zero" + help, operands: ":"},
	"dirname":  {options: "-z --zero" + help, operands: ":"},
	"uname":    {options: "-asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system" + help},
	"whoami":   {options: help},
	"id":       {options: "-agGnruzZ --context --group --groups --name --real --user --zero" + help, operands: ":"},
	"seq":      {options: "-w -f: -s: --equal-width --format: --separator:" + help, operands: ":"},
	"tr":       {options: "-cCdst --complement --delete --squeeze-repeats --truncate-set1" + help, operands: ":", ordered: true},
	"sleep":    {options: help, operands: ":"},
	"which":    {options: "-as", operands: ":"},
	"type":     {options: "-afptP", operands: ":"},
	"printf":   {options: "-v:", operands: ":", ordered: true},
	"date":     {options: "-uR -I? --date: --debug --iso-8601? --resolution --rfc-3339: --rfc-email --universal --utc" + help, operands: ":", decide: onlyFormats},
	"hostname": {options: "-AdfiIs --all-fqdns --all-ip-addresses --domain --fqdn --ip-address --long --short"},
	"command":  {options: "-vVp", operands: ":", decide: onlyTells},
}

// searchesPattern: the first operand is the pattern, unless an option is.
func searchesPattern(a *arguments) string {
	a.roles = ":<"
	if a.has("-r", "--recursive") {
		a.roles = ":d"
	}
	if a.has("-e", "--regexp", "-f", "--file") {
		a.roles = a.roles[1:]
	} else if len(a.operands) == 0 {
		return ""
	}
	if len(a.operands) == len(a.roles)-1 && a.has("-r", "--recursive") {
		a.operands = append(a.operands, Word{Text: ".", Known: true})
	}
	return ""
}

// ripgrep leaves hidden files out unless an option or a pattern of files wants
// them; what it is told to read is read in any case.
func ripgrep(a *arguments) string {
	seen := "v"
	for _, o := range a.options {
		switch o.name {
		case "-u", "--unrestricted", "-.", "--hidden":
			seen = "d"
		case "-g", "--glob", "--iglob":
			if !strings.HasPrefix(o.value.Text, "!") {
				seen = "d"
			}
		}
	}
	a.roles = ":" + seen
	if a.has("-e", "--regexp", "-f", "--file", "--files", "--type-list") {
		a.roles = seen
	}
	if len(a.operands) == len(a.roles)-1 && !a.has("--type-list") {
		a.operands = append(a.operands, Word{Text: ".", Known: true})
	}
	return ""
}

// findRoots: what stands before the first test are the files that it begins at.
func findRoots(a *arguments) string {
	a.roles = "="
	rest := a.operands[:0:0]
	for _, w := range a.operands {
		if !w.Known || !strings.Contains("( ) ! ,", w.Text) {
			rest = append(rest, w)
		}
	}
	a.operands = rest
	return ""
}

func oneOperand(a *arguments) string {
	return dangerIf(len(a.operands) != 1 || a.operands[0].Text == "-", "goes to a folder that is not named")
}

// onlyFormats: any other operand is a time to set.
func onlyFormats(a *arguments) string {
	for _, w := range a.operands {
		if !w.Known || !strings.HasPrefix(w.Text, "+") {
			return "sets the clock"
		}
	}
	return ""
}

func onlyTells(a *arguments) string {
	return dangerIf(len(a.operands) > 0 && !a.has("-v", "-V"), "runs a program")
}
