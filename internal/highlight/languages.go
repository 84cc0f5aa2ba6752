package highlight

import "strings"

// language describes what is special in a language. Everything else is plain.
type language struct {
	line       []string    // begin a comment up to the end of the line; "#" only at the start of a word
	block      [][2]string // begin and end of a comment
	quotes     []quote     // longer marks first
	words      string      // keywords, separated by blanks
	fold       bool        // keywords are case-insensitive
	calls      bool        // name( is a call
	variables  bool        // $name
	decorators bool        // @name
	keys       bool        // a string before a colon is a key
	assigned   string      // one of these after the first word of a line makes it a key
	inWords    string      // part of words, in addition to letters and digits
	section    bool        // a line that begins with [ is a heading
	tags       bool        // text outside a tag is plain
}

// quote is a mark that begins and ends a string.
type quote struct {
	mark   string
	escape bool // a backslash escapes
	lines  bool // may continue on the next line
	char   bool // contains a single character, or is not a string
	value  bool // begins a value, or is an apostrophe
}

var (
	double    = quote{mark: `"`, escape: true}
	single    = quote{mark: `'`, escape: true}
	char      = quote{mark: `'`, char: true}
	backtick  = quote{mark: "`", escape: true, lines: true}
	ofC       = [][2]string{{"/*", "*/"}}
	ofHTML    = [][2]string{{"<!--", "-->"}}
	slashes   = []string{"//"}
	hash      = []string{"#"}
	literals  = "true false null"
	ofScripts = "break case catch class const continue debugger default delete do else export extends finally for " +
		"function if import in instanceof let new of " +
		"return static super switch this throw try typeof var void while with yield async await true false null undefined"
)

// names maps aliases to languages.
var names = map[string]string{
	"golang": "go", "py": "python", "python3": "python", "sh": "bash", "shell": "bash", "zsh": "bash", "console": "bash",
	"terminal": "bash", "fish": "bash",
	"jsonc": "json", "json5": "json", "jsonl": "json", "js": "javascript", "jsx": "javascript", "mjs": "javascript",
	"node": "javascript",
	"ts":   "typescript", "tsx": "typescript", "c++": "c", "cpp": "c", "cc": "c", "h": "c", "hpp": "c", "objc": "c",
	"cs": "csharp", "c#": "csharp",
	"rs": "rust", "rb": "ruby", "kt": "kotlin", "yml": "yaml", "ini": "toml", "conf": "toml", "properties": "toml",
	"htm": "html", "xml": "html", "svg": "html",
	"vue": "html", "docker": "dockerfile", "make": "makefile", "mk": "makefile", "scss": "css", "less": "css",
	"postgresql": "sql", "mysql": "sql", "sqlite": "sql",
	"env": "bash", "dotenv": "bash",
}

var languages = map[string]*language{
	"go": {line: slashes, block: ofC, quotes: []quote{double, char, {mark: "`", lines: true}}, calls: true,
		words: "break case chan const continue default defer else fallthrough for func go goto if import interface map " +
			"package range return select struct switch type var " +
			"true false nil iota any bool byte error int int64 string rune float64"},
	"python": {line: hash, quotes: []quote{{mark: `"""`, escape: true, lines: true},
		{mark: "'''", escape: true, lines: true}, double, single}, calls: true, decorators: true,
		words: "and as assert async await break class continue def del elif else except finally for from global if import " +
			"in is lambda match case nonlocal not or pass raise return try while with yield " +
			"True False None self"},
	"bash": {line: hash, quotes: []quote{{mark: `"`, escape: true, lines: true}, {mark: "'", lines: true}},
		variables: true, assigned: "=", inWords: "-",
		words: "if then else elif fi for in do done while until case esac function select return exit export local " +
			"readonly declare set unset source trap shift break continue true false"},
	"json": {line: slashes, block: ofC, quotes: []quote{double}, keys: true, words: literals},
	"javascript": {line: slashes, block: ofC, quotes: []quote{double, single, backtick}, calls: true, inWords: "$",
		decorators: true,
		words:      ofScripts},
	"typescript": {line: slashes, block: ofC, quotes: []quote{double, single, backtick}, calls: true, inWords: "$",
		decorators: true,
		words: ofScripts +
			" abstract any as asserts boolean declare enum implements interface is keyof namespace never number private " +
			"protected public readonly satisfies string type unknown"},
	"java": {line: slashes, block: ofC, quotes: []quote{{mark: `"""`, escape: true, lines: true}, double, char},
		calls: true, decorators: true,
		words: "abstract assert boolean break byte case catch char class continue default do double else enum extends " +
			"final finally float for if implements import instanceof int interface long new " +
			"null package permits private protected public record return sealed short static super switch synchronized this " +
			"throw throws try var void volatile while yield true false"},
	"kotlin": {line: slashes, block: ofC, quotes: []quote{{mark: `"""`, lines: true}, double, char}, calls: true,
		decorators: true,
		words: "as break by class companion const constructor continue data do else enum false for fun if import in init " +
			"interface internal is lateinit null object open override package private protected " +
			"public return sealed super suspend this throw true try typealias val var when while"},
	"c": {line: slashes, block: ofC, quotes: []quote{double, char}, calls: true,
		words: "auto bool break case catch char class const constexpr continue default delete do double else enum " +
			"explicit extern false final float for friend goto if inline int long namespace new nullptr NULL " +
			"operator override private protected public return short signed sizeof static struct switch template this throw " +
			"true try typedef typename union unsigned using virtual void volatile while " +
			"include define ifdef ifndef endif pragma"},
	"csharp": {line: slashes, block: ofC, quotes: []quote{double, char}, calls: true,
		words: "abstract as async await base bool break byte case catch char class const continue decimal default " +
			"delegate do double else enum event explicit extern false finally fixed float for foreach get " +
			"if implicit in init int interface internal is lock long namespace new null object operator out override params " +
			"private protected public readonly record ref return sealed set short static string " +
			"struct switch this throw true try typeof uint using var virtual void volatile where while yield"},
	"rust": {line: slashes, block: ofC, quotes: []quote{{mark: `"`, escape: true, lines: true}, char}, calls: true,
		words: "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod " +
			"move mut pub ref return self Self static struct super trait true type unsafe use where while " +
			"bool char str String Vec Option Result Some None Ok Err i32 i64 u8 u32 u64 usize f64"},
	"ruby": {line: hash, block: [][2]string{{"=begin", "=end"}}, quotes: []quote{double, single}, calls: true,
		inWords: "?!",
		words: "alias and begin break case class def defined? do else elsif end ensure false for if in module next nil " +
			"not or redo rescue retry return self super then true undef unless until when while yield " +
			"require require_relative attr_reader attr_accessor puts raise"},
	"php": {line: []string{"//", "#"}, block: ofC, quotes: []quote{double, single}, calls: true, variables: true,
		words: "abstract and array as break callable case catch class clone const continue declare default do echo else " +
			"elseif enum extends false final finally fn for foreach function global if implements " +
			"include instanceof interface isset list match namespace new null or print private protected public readonly " +
			"require require_once return static switch this throw trait true try unset use var while yield php"},
	"swift": {line: slashes, block: ofC, quotes: []quote{{mark: `"""`, escape: true, lines: true}, double}, calls: true,
		decorators: true,
		words: "actor any as async await break case catch class continue default defer deinit do else enum extension " +
			"false fileprivate for func guard if import in init inout internal is lazy let nil open " +
			"override private protocol public repeat return self Self some static struct super switch throw throws true try " +
			"typealias var weak where while"},
	"lua": {line: []string{"--"}, block: [][2]string{{"--[[", "]]"}}, quotes: []quote{double, single}, calls: true,
		words: "and break do else elseif end false for function goto if in local nil not or repeat return then true until " +
			"while"},
	"sql": {line: []string{"--"}, block: ofC, quotes: []quote{{mark: "'", lines: true}, {mark: `"`}}, calls: true,
		fold: true,
		words: "add all alter and as asc begin between by cascade case check column commit constraint create cross " +
			"default delete desc distinct drop else end exists foreign from full group having if in index " +
			"inner insert into is join key left like limit not null offset on or order outer primary references returning " +
			"right rollback select set table then transaction union unique update using values view " +
			"when where with int integer text varchar boolean timestamp true false"},
	"yaml": {line: hash, quotes: []quote{{mark: `"`, escape: true, value: true}, {mark: "'", value: true}}, assigned: ":",
		inWords: "-./", words: "true false null yes no on off"},
	"toml": {line: []string{"#", ";"}, quotes: []quote{{mark: `"""`, escape: true, lines: true},
		{mark: "'''", lines: true}, double, {mark: "'"}}, assigned: "=", inWords: "-.", section: true,
		words: literals},
	"html": {block: ofHTML, quotes: []quote{{mark: `"`, lines: true}, {mark: "'", lines: true}}, tags: true,
		inWords: "-:"},
	"css": {block: ofC, quotes: []quote{double, single}, assigned: ":", inWords: "-", decorators: true},
	"dockerfile": {line: hash, quotes: []quote{double, single}, variables: true,
		words: "FROM RUN CMD LABEL EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG ONBUILD STOPSIGNAL HEALTHCHECK " +
			"SHELL AS"},
	"makefile": {line: hash, quotes: []quote{double, single}, variables: true, assigned: ":=", inWords: "-.",
		words: "ifeq ifneq ifdef ifndef else endif include define endef export"},
}

// set makes a set of words separated by blanks.
func set(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}
