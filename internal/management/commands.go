package management

const (
	gemini = "Gemini CLI"
	claude = "Claude Code"
	codex  = "Codex"
)

// Answers that several commands share.
const (
	useKey = "set GEMINI_API_KEY, or GOOGLE_GENAI_USE_VERTEXAI with GOOGLE_CLOUD_PROJECT; there is nothing to " +
		"sign in to or out of"
	useReleases = "install the new version over the old one, as it was installed first; nothing updates itself"
	useSessions = "minigem sessions list shows this project's sessions, minigem --resume ID goes on with one, " +
		"minigem --delete-session ID deletes one"
	useStream   = "programs drive it with minigem -p \"...\" -o stream-json"
	useOneShot  = "one prompt without a terminal is minigem -p \"...\""
	useSettings = "settings are in ~/.gemini/settings.json and .gemini/settings.json, and minigem settings list " +
		"--origin shows what is in force"
	useChecks = "minigem settings list --origin, minigem hooks lint and minigem policies show what is in force and " +
		"what is wrong with it"
	noCloud       = "nothing runs anywhere but here; " + useOneShot
	useReview     = "git diff | minigem -p \"Review this\""
	useBackground = "no session runs in the background; " + useSessions
)

// Commands lists the commands of other agents, according to their --help: Gemini CLI
// 0.61, Claude Code 2.1 and Codex 0.169, including earlier ones. Those that minigem has
// under the same name are left out. A word only counts as a command if takes says so:
// in "review this file" it begins a sentence.
var Commands = []Command{
	{Words: []string{"gemma"}, Of: []string{gemini}, Subs: []string{"setup", "start", "stop", "status", "logs"},
		Instead: "it starts no local model, but uses one that runs: minigem --model ollama/NAME"},
	{Words: []string{"update", "upgrade", "install", "migrate-installer"}, Of: []string{gemini, claude, codex},
		Subs: []string{"latest", "stable"}, URL: true, Instead: useReleases},
	{Words: []string{"uninstall"}, Of: []string{gemini, claude}, URL: true,
		Instead: "remove the program and ~/.gemini, where its settings and sessions are"},

	{Words: []string{"plugin", "plugins"}, Of: []string{claude, codex}, URL: true,
		Subs:    []string{"install", "uninstall", "list", "marketplace", "enable", "disable", "validate", "update"},
		Instead: "minigem hooks migrate --from-claude takes over hooks, and minigem extensions installs extensions"},
	{Words: []string{"config"}, Of: []string{claude}, Subs: []string{"list", "get", "set", "add", "remove"},
		Instead: useSettings},
	{Words: []string{"features"}, Of: []string{codex}, Subs: []string{"list", "enable", "disable"}, Instead: useSettings},
	{Words: []string{"doctor", "auto-mode"}, Of: []string{claude, codex}, Instead: useChecks},
	{Words: []string{"auth", "login", "logout", "setup-token"}, Of: []string{claude, codex},
		Subs: []string{"login", "logout", "status"}, Instead: useKey},
	{Words: []string{"agent"}, Of: []string{gemini, claude, codex},
		Instead: "subagents are files in .gemini/agents (docs/SUBAGENTS.md), and minigem agents is about other agents " +
			"that are installed; " + useSessions},
	{Words: []string{"attach", "logs", "respawn", "stop", "kill", "rm", "ps", "queue"}, Of: []string{claude, codex},
		Instead: useBackground},
	{Words: []string{"resume", "fork", "archive", "unarchive", "delete", "purge", "project", "migrate-rollouts"},
		Of: []string{claude, codex}, Instead: useSessions},
	{Words: []string{"import"}, Of: []string{claude},
		Instead: "minigem hooks migrate --from-claude takes over the hooks of Claude Code; context files of other names " +
			"go into context.fileName of settings.json"},
	{Words: []string{"review", "ultrareview"}, Of: []string{claude, codex}, Instead: useReview},
	{Words: []string{"gateway", "remote-control", "app-server", "mcp-server", "exec-server", "proto", "serve", "acp",
		"responses-api-proxy", "stdio-to-uds"},
		Of: []string{claude, codex}, Instead: "it does not run as a server; " + useStream},

	{Words: []string{"exec", "e", "run"}, Of: []string{codex}, Subs: []string{"resume", "review"}, Instead: useOneShot},
	{Words: []string{"apply", "a"}, Of: []string{codex},
		Instead: "tools write to the files themselves; /restore in the chat takes edits back where " +
			"general.checkpointing.enabled is set"},
	{Words: []string{"sandbox", "execpolicy"}, Of: []string{codex}, Subs: []string{"macos", "linux", "windows", "check"},
		Instead: "minigem policies shows what may run without asking"},
	{Words: []string{"debug"}, Of: []string{codex}, Subs: []string{"seatbelt", "landlock", "app-server", "prompt-input"},
		Instead: "minigem --debug -p \"...\" says what is being done, --hook-trace FILE what hooks did"},
	{Words: []string{"cloud", "cloud-tasks", "app", "migrate-nfs-db"}, Of: []string{codex},
		Subs:    []string{"exec", "status", "list", "apply", "diff"},
		Instead: noCloud},

	// Words that belong to no agent, and minigem's own words without their group.
	{Words: []string{"status"}, Instead: "/about and /stats in the chat show the session; " + useChecks},
	{Words: []string{"models"}, Subs: []string{"list"},
		Instead: "choose a model with minigem --model NAME; a server of your own lists its models itself, as ollama list " +
			"does"},
	{Words: []string{"chat"}, Instead: "minigem without arguments is the chat"},
	{Words: []string{"init"}, Instead: "/init in the chat lets the model write a GEMINI.md"},
	{Words: []string{"test"}, Instead: "cases of hooks are run with minigem hooks test FILE"},
	{Words: []string{"setting"}, Instead: useSettings, Subs: []string{"list"}},
}
