package app

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"minigem/internal/settings"
)

// dotEnv are the variables of the first .env file, in the form of os.Environ.
// The environment itself wins over them.
func dotEnv(sys *System, c *Configuration) []string {
	file, err := settings.LoadEnv(settings.EnvOptions{
		Home: c.Home, Dir: c.Dir, Trusted: c.Trust.Trusted, Lookup: sys.LookupEnv,
		Excluded: c.Settings.Advanced.ExcludedEnvVars, IgnoreLocal: c.Settings.Advanced.IgnoreLocalEnv,
	})
	if err != nil {
		c.Notices = append(c.Notices, err.Error())
		return nil
	}
	var env []string
	project := file.Path != "" && filepath.Dir(file.Path) != c.Home && filepath.Dir(file.Path) != c.DotGemini
	for _, v := range file.Vars {
		if project && bringsCode().MatchString(v.Name) {
			c.keptFromHooks = append(c.keptFromHooks, v.Name)
		}
		env = append(env, v.Name+"="+v.Value)
	}
	return env
}

// bringsCode matches the variables that make programs run code from elsewhere.
// In a project's .env file, which the agent can write, they would change what
// the user's own hooks do, a guard's block among it; a hook that needs one says
// so in its "env".
var bringsCode = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(PATH|HOME|IFS|ENV|BASH_ENV|BASHOPTS|SHELLOPTS|PS4|BASH_FUNC_.*|LD_.*|DYLD_.*|NODE_OPTIONS|NODE_PATH|PYTHON(HOME|PATH|STARTUP)|PERL5(LIB|OPT)|RUBY(LIB|OPT)|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|GIT_(CONFIG|EXEC|SSH|EXTERNAL|PAGER).*)$`)
})

// tellKeptFromHooks tells of what a project's .env file sets and hooks do not get.
func (c *Configuration) tellKeptFromHooks() {
	if len(c.keptFromHooks) > 0 && len(c.Hooks.Hooks) > 0 {
		c.Notices = append(c.Notices, fmt.Sprintf("the project's .env sets %s, which hooks do not get: it would put other code into them; "+
			"a hook that needs it says so in its \"env\"", strings.Join(c.keptFromHooks, ", ")))
	}
}
