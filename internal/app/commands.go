package app

import (
	"minigem/internal/slash"
	"path/filepath"
)

// CustomCommands returns the commands of the user, of the project if the folder is
// trusted, and of extensions. Their names differ from those in taken and from the chat's
// commands.
func (c *Configuration) CustomCommands(taken []string, warn func(string)) []slash.Custom {
	sources := []slash.Source{{Prefix: "user.", Dir: filepath.Join(c.DotGemini, "commands")}}
	if own := filepath.Join(c.Dir, ".gemini"); c.Trust.Trusted && own != filepath.Clean(c.DotGemini) {
		sources = append(sources, slash.Source{Prefix: "workspace.", Dir: filepath.Join(own, "commands")})
	}
	for _, e := range c.Extensions.Used {
		sources = append(sources, slash.Source{Prefix: e.Name + ":", Dir: filepath.Join(e.Dir, "commands")})
	}
	found, problems := slash.LoadAll(sources, append(slash.Names(), taken...))
	for _, p := range problems {
		warn(c.ShortenIn(p.Error()))
	}
	return found
}
