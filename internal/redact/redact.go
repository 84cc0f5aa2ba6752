// Package redact protects secrets of the environment: it decides which variables a
// child process does not get and which values are secrets, and masks those in texts.
// Callers pass in settings and environments, which it does not modify.
package redact

import (
	"slices"
	"strings"
	"sync"
)

// Config is the setting "security.environmentVariableRedaction".
type Config struct {
	Enabled bool
	Allowed []string // names that always pass
	Blocked []string // names that never pass
	// Strict passes only well-known variables. It turns redaction on by itself, see
	// [Strict].
	Strict bool
}

// Strict reports whether the environment is that of a GitHub workflow, in which only
// well-known variables pass even if redaction is off (core/hooks/hookRunner.ts).
func Strict(env []string) bool {
	return slices.ContainsFunc(env, func(kv string) bool {
		name, value, _ := strings.Cut(kv, "=")
		return name == "GITHUB_SHA" && value != "" || name == "SURFACE" && value == "Github"
	})
}

// Sanitize returns env, in the form of os.Environ, without what a child process should
// not see. If there is nothing to do, it returns env itself. Names are compared without
// regard to case. The first of these rules that applies to a variable decides
// (core/hooks/hookRunner.ts): GEMINI_CLI_ names stay; values that look like secrets go;
// GIT_CONFIG_ names stay; allowed names stay; blocked ones go; well-known ones stay;
// known secrets go; with Strict everything goes; names that suggest secrets go; the
// rest stays.
func Sanitize(env []string, c Config) []string {
	if !c.Enabled && !c.Strict {
		return env
	}
	allowed, blocked := upper(c.Allowed), upper(c.Blocked)
	out := make([]string, 0, len(env))
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if keeps(strings.ToUpper(name), value, allowed, blocked, c.Strict) {
			out = append(out, kv)
		}
	}
	return out
}

func keeps(name, value string, allowed, blocked []string, strict bool) bool {
	switch {
	case strings.HasPrefix(name, "GEMINI_CLI_"):
		return true
	case LooksSecret(value):
		return false
	case strings.HasPrefix(name, "GIT_CONFIG_"), slices.Contains(allowed, name):
		return true
	case slices.Contains(blocked, name):
		return false
	case slices.Contains(wellKnown(), name):
		return true
	case slices.Contains(neverPassed, name), strict:
		return false
	}
	return !namesSecret(name)
}

func upper(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strings.ToUpper(n)
	}
	return out
}

// wellKnown lists variables that programs cannot do without.
var wellKnown = sync.OnceValue(func() []string {
	return strings.Fields(`
	PATH HOME SHELL USER LOGNAME LANG LANGUAGE LC_ALL LC_CTYPE TERM COLORTERM TZ PWD TMPDIR TMP TEMP SYSTEMROOT
	SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERPROFILE USERNAME APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES HOMEDRIVE
	HOMEPATH GITHUB_ACTIONS GITHUB_WORKSPACE GITHUB_REPOSITORY GITHUB_REF GITHUB_SHA GITHUB_EVENT_NAME
	GITHUB_RUN_ID GITHUB_JOB RUNNER_OS RUNNER_TEMP CI`)
})

// neverPassed lists variables that contain secrets, or lead to them, although their
// names do not suggest it.
var neverPassed = []string{
	"DATABASE_URL", "REDIS_URL", "MONGODB_URI", "MONGO_URL", "POSTGRES_URL", "AMQP_URL", "CLIENT_ID", "DB_URI",
	"CONNECTION_STRING",
	"AWS_DEFAULT_REGION", "AZURE_CLIENT_ID", "AZURE_TENANT_ID", "SLACK_WEBHOOK_URL",
	"GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_ACCOUNT", "FIREBASE_PROJECT_ID",
}

// secretWords lists parts of names that suggest secrets.
var secretWords = []string{
	"TOKEN", "SECRET", "PASSWORD", "PASSWD", "KEY", "AUTH", "CREDENTIAL", "CREDS", "PRIVATE", "CERT",
}

func namesSecret(name string) bool {
	return slices.ContainsFunc(secretWords, func(w string) bool { return strings.Contains(name, w) })
}

// LooksSecret reports whether a value looks like a secret.
func LooksSecret(value string) bool {
	return len(value) >= 8 && slices.ContainsFunc(shapes, func(s rule) bool {
		return s.mayMatch(value) && s.compiled().MatchString(value)
	})
}
