import * as fs from "node:fs"
import { join } from "node:path"

/** Keeps its arguments, one line a call, as every stand-in does. */
const kept = `#!/bin/sh
at=$(dirname "$0")
{ for one in "$@"; do printf '%s\\037' "$one"; done; echo; } >> "$at/calls"
`

/**
 * Does what notify-send(1) of libnotify 0.8 says: an id is printed, and an action waits for the person. The file `choice`
 * beside it is the person. It has the chosen action, or nothing for a closed notice.
 */
const withActions = `${kept}
for one in "$@"; do
  case "$one" in
    --) break ;;
    --print-id) echo 7 ;;
    --action=*) action=yes ;;
  esac
done
[ -z "$action" ] && exit
echo $$ > "$at/pid"
while [ ! -e "$at/choice" ]; do sleep 0.05; done
cat "$at/choice"
`

/** Does what notify-send before libnotify 0.8 does with an option that it does not know. */
const withoutActions = `${kept}
for one in "$@"; do
  case "$one" in
    --) break ;;
    --print-id|--replace-id=*|--action=*) echo "Unknown option $one" >&2; exit 1 ;;
  esac
done
`

/** There is no bus of a desktop. */
const withoutDesktop = `${kept}
echo "Cannot autolaunch D-Bus without X11 \\$DISPLAY" >&2
exit 1
`

const scripts = { withActions, withoutActions, withoutDesktop }

/** Writes a program named notify-send into a folder, which a test puts into its path. */
export const desktopStandIn = (folder: string, conduct: keyof typeof scripts) => {
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(join(folder, "notify-send"), scripts[conduct], { mode: 0o755 })
  return {
    program: join(folder, "notify-send"),
    /** Returns the arguments of each call. */
    calls: (): ReadonlyArray<ReadonlyArray<string>> =>
      fs.existsSync(join(folder, "calls"))
        ? fs
            .readFileSync(join(folder, "calls"), "utf8")
            .split("\u001F\n")
            .slice(0, -1)
            .map((line) => line.split("\u001F"))
        : [],
    /** Chooses an action; empty: closes the notice. */
    choose: (action: string) => {
      fs.writeFileSync(join(folder, "choice.new"), action)
      fs.renameSync(join(folder, "choice.new"), join(folder, "choice"))
    },
    /** Returns the process that waits for a choice; 0: none does. */
    waiting: (): number =>
      fs.existsSync(join(folder, "pid")) ? Number(fs.readFileSync(join(folder, "pid"), "utf8")) : 0
  }
}
