package sandbox

type way struct {
	name, line, needs string
	nowhere           bool // not even allowed inside the writable folder
}

// ways lists the ways of writing that are tried in a confined command. The command line
// finds a folder in $D that contains the file "old" with the text "old" and the folder
// "sub". $IN is such a folder that it may write to. $ID is a name that nothing else
// has. The command changes something in $D.
var ways = []way{
	{"redirect", `echo x > "$D/new"`, "", false},
	{"redirect over", `echo x >| "$D/old"`, "", false},
	{"append", `echo x >> "$D/old"`, "", false},
	{"open for reading and writing", `exec 3<> "$D/old"; echo x >&3`, "", false},
	{"cp", `cp "$IN/old" "$D/new"`, "", false},
	{"mv into", `mv "$IN/old" "$D/new"`, "", false},
	{"mv out of", `mv "$D/old" "$IN/$ID"`, "", false},
	{"mv within", `mv "$D/old" "$D/new"`, "", false},
	{"ln", `ln "$D/old" "$D/new"`, "", false},
	{"ln -s", `ln -s /etc/hostname "$D/new"`, "", false},
	{"write through a link", `ln -s "$D/new" "$IN/$ID"; echo x > "$IN/$ID"`, "", false},
	{"write through a hard link", `ln "$D/old" "$D/../$ID" && echo x > "$D/../$ID"`, "", false},
	{"mkdir", `mkdir "$D/new"`, "", false},
	{"rmdir", `rmdir "$D/sub"`, "", false},
	{"rm", `rm -f "$D/old"`, "", false},
	{"chmod", `chmod 777 "$D/old"`, "", false},
	{"chmod of the folder", `chmod 711 "$D"`, "", false},
	{"touch", `touch "$D/new"`, "", false},
	{"touch an old time", `touch -d 2001-01-01 "$D/old"`, "", false},
	{"truncate", `truncate -s 1 "$D/old"`, "truncate", false},
	{"dd", `dd if=/dev/zero of="$D/new" bs=1 count=1`, "dd", false},
	{"tee", `echo x | tee "$D/new"`, "tee", false},
	{"sed -i", `sed -i s/old/new/ "$D/old"`, "sed", false},
	{"install", `install -m 700 "$IN/old" "$D/new"`, "install", false},
	{"mkfifo", `mkfifo "$D/new"`, "mkfifo", false},
	{"mknod", `mknod "$D/new" p`, "mknod", false},
	{"perl", `perl -e 'open(F, ">", "$ENV{D}/new") or die; print F "x"'`, "perl", false},
	{"python", `python3 -c 'import os; os.truncate(os.environ["D"] + "/old", 0)'`, "python3", false},
	{"a socket's name", `python3 -c 'import os; os.mknod(os.environ["D"] + "/new", 0o140644)'`, "python3", false},
	{"an attribute", `setfattr -n user.x -v x "$D/old"`, "setfattr", false},
	{"sqlite", `sqlite3 "$D/new" 'create table a (b)'`, "sqlite3", false},
	{"tar -x", `tar -cf - -C "$IN" old | tar -xf - -C "$D" --transform s/old/new/`, "tar", false},
	{"git init", `git init -q "$D/new"`, "git", false},
	{"a script of its own", `printf '#!/bin/sh\ntouch "$D/new"\n' > "$IN/$ID"; chmod +x "$IN/$ID"; "$IN/$ID"`, "", false},
	{"a background child", `(sleep 0; echo x > "$D/new") & wait`, "", false},
	{"setsid", `setsid -w touch "$D/new"`, "setsid", false},
	{"nohup", `nohup touch "$D/new" & wait $!`, "nohup", false},
	{"a name in /proc/self/fd", `exec 3< "$D/old"; echo x > /proc/self/fd/3`, "", false},
	{"a folder's descriptor", `exec 3< "$D"; touch /proc/self/fd/3/new`, "", false},
	{"its own root", `touch "/proc/self/root$D/new"`, "", false},
	{"its own working directory", `cd "$D"; touch new`, "", false},
	{"the root of another", `touch "/proc/$PPID/root$D/new"`, "", true},
	{"a new namespace", `unshare -rm sh -c 'mount -o remount,bind,rw / ; touch "$D/new"'`, "unshare", true},
	{"rsync", `rsync "$IN/old" "$D/new"`, "rsync", false},
	{"find -delete", `find "$D" -name old -delete`, "find", false},
	{"swap in the middle", `rm -rf "$IN/sub"; ln -s "$D" "$IN/sub"; cp "$IN/old" "$IN/sub/new"; rm -f "$IN/sub"; mkdir "$IN/sub"`, "", false},
}
