package main

import "minigem/internal/settings"

// dotEnv are the variables of the first .env file, in the form of os.Environ.
// The environment itself wins over them.
func dotEnv(sys *system, c *configuration) []string {
	file, err := settings.LoadEnv(settings.EnvOptions{
		Home: c.home, Dir: c.dir, Trusted: c.trust.trusted, Lookup: sys.LookupEnv,
		Excluded: c.settings.Advanced.ExcludedEnvVars, IgnoreLocal: c.settings.Advanced.IgnoreLocalEnv,
	})
	if err != nil {
		c.notices = append(c.notices, err.Error())
		return nil
	}
	var env []string
	for _, v := range file.Vars {
		env = append(env, v.Name+"="+v.Value)
	}
	return env
}
