package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// holder is a command that does something of its own and runs another one: a
// rule has to allow both, and may hold back either.
type holder struct {
	options
	operands int    // words before the command
	script   string // the option whose value is a script for a shell
	joined   bool   // the words of the command are joined, and read by a shell
	stdin    bool   // without a command it runs what it reads
}

var holders = map[string]holder{
	"flock":   {options: options{flags: "senuxoFv", values: "wEc", long: []string{"shared", "exclusive", "nonblock", "verbose"}}, operands: 1, script: "c"},
	"script":  {options: options{flags: "aefq", values: "cEImoOBTt", long: []string{"quiet", "append", "flush", "return"}}, operands: -1, script: "c", stdin: true},
	"newgrp":  {operands: -1, stdin: true},
	"su":      {options: options{flags: "lmp", values: "csgGw", long: []string{"login"}}, operands: -1, script: "c", stdin: true},
	"runuser": {options: options{flags: "lmp", values: "csgGwu"}, script: "c", stdin: true},
	"sg":      {options: options{values: "c"}, operands: 1, script: "c", joined: true, stdin: true},
	"watch":   {options: options{flags: "bcdegprtwx", values: "nqs", long: []string{"beep", "color", "differences", "errexit", "chgexit", "no-title", "exec"}}, joined: true},
	"strace":  {options: options{flags: "cCdfFhiknqrtTvVwxyYzZ", values: "aAbeEIoOpPsSuUX", long: []string{"follow-forks"}}},
	"ltrace":  {options: options{flags: "cCfhiLrStTVx", values: "aADeFlnopsuwX"}},
	"taskset": {options: options{flags: "ac", values: "p"}, operands: 1},
	"chrt":    {options: options{flags: "abdfiorv", values: "TPDp"}, operands: 1},
	"setarch": {options: options{flags: "BFILRSTXZv3"}, operands: 1},
	"linux32": {options: options{flags: "BFILRSTXZv3"}}, "linux64": {options: options{flags: "BFILRSTXZv3"}},
	"i386": {options: options{flags: "BFILRSTXZv3"}}, "x86_64": {options: options{flags: "BFILRSTXZv3"}},
	"unshare": {options: options{flags: "mnipuUrCTfc", values: "RwSG", long: []string{"map-root-user", "fork", "mount", "net", "pid", "user", "ipc", "uts", "mount-proc", "map-current-user"}}, stdin: true},
	"nsenter": {options: options{flags: "mnipuUCTaFr", values: "tSGw", long: []string{"all", "mount", "net", "pid", "user", "ipc", "uts", "no-fork"}}, stdin: true},
	"chroot":  {operands: 1, stdin: true}, "setpriv": {options: options{long: []string{"no-new-privs", "clear-groups", "keep-groups", "init-groups", "reset-env"}}},
	"prlimit": {options: options{flags: "v", values: "p"}}, "numactl": {options: options{flags: "al", values: "NmCip"}},
	"cpulimit": {options: options{flags: "qvz", values: "lp"}}, "unbuffer": {options: options{flags: "p"}}, "rlwrap": {options: options{flags: "aAcimnrRsvwN", values: "bCDefgHlMoOpPqSzt"}},
	"fakeroot": {options: options{values: "lsib"}, stdin: true}, "xvfb-run": {options: options{flags: "al", values: "efnpsw", long: []string{"auto-servernum"}}},
	"dbus-run-session": {}, "systemd-inhibit": {}, "systemd-run": {options: options{flags: "tPqrdS", values: "puMH", long: []string{"user", "scope", "pty", "pipe", "wait", "quiet", "system", "collect", "same-dir"}}},
	"parallel": {options: options{flags: "kqtmXu0vr", values: "jIDSNLnPad", long: []string{"will-cite", "keep-order", "dry-run", "bar"}}, joined: true, stdin: true},
	"entr":     {options: options{flags: "acdnprsz"}}, "chronic": {}, "ifne": {options: options{flags: "n"}}, "sem": {options: options{values: "j"}, joined: true},
	"proxychains": {options: options{flags: "q", values: "f"}}, "proxychains4": {options: options{flags: "q", values: "f"}}, "torify": {}, "torsocks": {}, "caffeinate": {options: options{flags: "dimsu", values: "tw"}},
	"valgrind": {}, "ld.so": {}, "ld-linux-x86-64.so.2": {}, "ld-linux-aarch64.so.1": {},
	"at": {operands: -1, stdin: true}, "batch": {operands: -1, stdin: true}, "hyperfine": {options: options{flags: "Ni", values: "wrmMpSPLn"}, joined: true},
	"pkexec": {options: options{long: []string{"disable-internal-agent", "keep-cwd"}}, stdin: true}, "retry": {}, "dumb-init": {}, "tini": {options: options{flags: "gsvw"}}, "gosu": {operands: 1}, "su-exec": {operands: 1},
}

// run records what the command holds. What cannot be read may be anything.
func (h holder) run(w *walker, words []Word, source string) Kind {
	if script, at := h.scriptIn(words); at >= 0 {
		if !script.Known {
			w.opaque(source)
		} else {
			w.nested(script.Text, source, syntax.LangBash, syntax.LangPOSIX)
		}
		return Plain
	}
	i, ok := h.skip(words, 1)
	if h.operands < 0 { // no command: the operands are files or times
		if h.stdin {
			w.input(source, syntax.LangBash, syntax.LangPOSIX)
		}
		return Plain
	}
	if i += h.operands; ok && h.operands > 0 && i < len(words) {
		i, ok = h.skip(words, i)
	}
	switch {
	case !ok:
		w.opaque(source)
	case i >= len(words):
		if h.stdin {
			w.input(source, syntax.LangBash, syntax.LangPOSIX)
		}
	case h.joined:
		w.joined(words[i:], source)
	default:
		w.inner(words[i:], source)
	}
	return Plain
}

// scriptIn finds the value of the option that is a script, wherever it stands.
func (h holder) scriptIn(words []Word) (script Word, at int) {
	if h.script == "" {
		return Word{}, -1
	}
	for i := 1; i < len(words); i++ {
		t := words[i].Text
		switch {
		case !words[i].Known:
			return Word{}, i
		case t == "--command" || strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "--") && strings.HasSuffix(t, h.script):
			if i+1 < len(words) {
				return words[i+1], i
			}
			return Word{}, i
		case strings.HasPrefix(t, "--command="):
			return Word{Text: strings.TrimPrefix(t, "--command="), Known: true}, i
		case strings.HasPrefix(t, "-"+h.script):
			return Word{Text: t[2:], Known: true}, i
		}
	}
	return Word{}, -1
}

// joined words are read by a shell.
func (w *walker) joined(words []Word, source string) {
	if anyUnknown(words) || strings.HasPrefix(words[0].Text, ":::") {
		w.opaque(source)
		return
	}
	texts := make([]string, len(words))
	for i, a := range words {
		texts[i] = a.Text
	}
	w.nested(strings.Join(texts, " "), source, syntax.LangBash, syntax.LangPOSIX)
}
