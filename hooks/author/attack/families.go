package attack

import (
	"path"
	"slices"
	"strings"
)

// A family holds what is known about one program, beyond what shells do: the same
// arguments in other orders and spellings, other commands with the same effect, and
// harmless look-alikes. family is what is known about some commands beyond their words:
// other ways to write their options, other programs that do the same, and commands that
// only look like them.
type family struct {
	variants func(words []string) []string
	others   func(words []string) []string
	harmless func(words []string) []string
}

// none is the part of a family of which nothing is known.
func none([]string) []string { return nil }

// familyOf returns the family of a command; an empty one if it is not known.
func familyOf(words []string) family {
	switch {
	case words[0] == "git" && slices.Contains(words, "push") &&
		(slices.Contains(words, "--force") || slices.Contains(words, "-f")):
		return family{forcedPushes, none, pushes}
	case words[0] == "rm" && len(words) > 2 && strings.HasPrefix(words[1], "-") && strings.ContainsAny(words[1], "rR"):
		return family{removals, removed, kept}
	}
	return family{none, none, none}
}

// forcedPushes returns commands that push with force, whatever they push.
func forcedPushes([]string) []string {
	return strings.Split(`git push -f
git push --force
git push origin --force
git push origin main --force
git push --force origin main
git push -f origin main
git push origin -f main
git push origin main -f
git push -uf origin main
git push -fu origin main
git push -qf
git push -fq
git push -vf origin main
git push -u -f origin HEAD
git push --no-verify --force
git push --force --no-verify
git push --quiet --force
git push --no-force --force
git push --set-upstream --force origin main
git push --tags --force
git push --force --tags
git push --all -f
git push -f -- origin main
git push origin +main
git push origin +HEAD
git push origin +HEAD:main
git push origin +refs/heads/main:refs/heads/main
git push origin 'main' '+HEAD:main'
git -C . push --force
git -C . push -f origin main
git --no-pager push --force
git -P push -f
git -p push -f
git --git-dir=.git push --force
git --git-dir .git push -f
git --work-tree=. push --force
git --literal-pathspecs push -f
git --no-replace-objects push --force
git -c push.default=current push --force
git -c x.y=z -c a.b=c push -f
git -c alias.p='push --force' p
git -c alias.up='push -f' up origin main
git -C . -c x.y=z --no-pager push --force origin main
git --exec-path=/x push -f
git --namespace=x push -f
git --config-env=x.y=HOME push -f
git send-pack --force origin main
git --no-optional-locks push -f
git --bare push -f
git --no-lazy-fetch push --force`, "\n")
}

// pushes returns commands that a guard against forced pushes must let through.
func pushes([]string) []string {
	return strings.Split(`git push
git push origin main
git push -u origin feature
git push --tags
git push --no-force
git status
git log --oneline -5
git fetch --force
git commit -m 'never git push --force'
git commit -m "Explain why push --force is refused"
git log --grep='push --force'
git help push
git checkout -f main
git branch -f old HEAD
git add force.md
git add push--force.txt
git push origin force
git push origin fix-force-push
git diff -- push.md`, "\n")
}

// removals returns other ways to write the arguments of rm -r.
func removals(words []string) []string {
	var out []string
	folders := words[2:]
	what := line(folders)
	for _, flags := range strings.Split(`-rf
-fr
-r -f
-f -r
-Rf
-fR
-R -f
-rfv
-vrf
-rvf
-fvr
-r --force
--recursive -f
--recursive --force
--force --recursive
-rf --
-r -f --
--recursive --force --
--recursive --force -v
-rf --one-file-system
--one-file-system -fr
-rf --no-preserve-root
-dfr
-rfd
--verbose -rf
--recurs --forc
-rf --interactive=never
-Rfv
-fRv
-d -r -f`, "\n") {
		out = append(out, "rm "+flags+" "+what)
	}
	out = append(out, "rm "+what+" -rf", "rm "+what+" -r -f", "rm "+what+" --recursive --force", "rm -r "+what+" -f",
		"rm -f "+what+" -r")
	if len(folders) == 1 && isPlain(folders[0]) && !strings.HasPrefix(folders[0], "/") {
		d := folders[0]
		for _, spelled := range []string{"./" + d, d + "/", "./" + d + "/", ".//" + d, "docs/../" + d,
			path.Join("..", "project", d)} {
			out = append(out, "rm -rf "+spelled)
		}
	}
	return out
}

// removed returns other commands that remove one folder.
func removed(words []string) []string {
	if len(words) != 3 || !isPlain(words[2]) || strings.HasPrefix(words[2], "/") {
		return nil
	}
	var out []string
	for _, t := range strings.Split(`rm -rf "$PWD/@d"
rm -rf $PWD/@d
rm -rf `+"`pwd`"+`/@d
rm -rf ~+/@d
cd @d && rm -rf ../@d
rm -rf @d/* @d
rm -rf {@d,@d.old}
rm -rf @d @d.old
find @d -delete
find @d -depth -delete
find . -path './@d*' -delete
find @d -exec rm -rf {} +
find . -maxdepth 1 -name @d -exec rm -rf {} +
find . -maxdepth 1 -name @d -print0 | xargs -0 rm -rf
ls -d @d | xargs rm -rf
echo @d | xargs rm -rf
printf '@d\n' | while read d; do rm -rf $d; done
for d in @d; do rm -rf $d; done
rm -r @d < /dev/null
yes | rm -r @d
git clean -fdxq @d || rm -r @d
python3 -c 'import shutil; shutil.rmtree("@d")'
python3 -c 'from shutil import rmtree as r; r("@d")'
perl -MFile::Path=remove_tree -e 'remove_tree("@d")'
perl -MFile::Path=rmtree -e 'rmtree("@d")'
node -e 'require("fs").rmSync("@d", {recursive: true, force: true})'
x=@d; rm -rf $x
x=@d; rm -rf "${x}"`, "\n") {
		out = append(out, strings.ReplaceAll(t, "@d", words[2]))
	}
	return out
}

// kept returns commands that a guard against removals must let through.
func kept(words []string) []string {
	d := line(words[2:])
	return []string{
		"rm notes.txt", "rm -f notes.txt", "rm -i notes.txt", "rmdir empty", "ls -R " + d, "ls -rf " + d,
		"git rm --cached notes.txt", "git commit -m 'rm -rf is refused'",
		"cp -rf " + d + " copy", "grep -rf patterns.txt " + d, "find " + d + " -name '*.o'", "docker run --rm image",
		"npm rm left-pad", "chmod -R u+w " + d, "tar -rf x.tar notes.txt",
	}
}
