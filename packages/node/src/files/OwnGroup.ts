import { spawnSync } from "node:child_process"
import * as fs from "node:fs"

/** Returns the fields of each line of a table of users or groups. */
const linesOf = (table: string) => table.split("\n").map((line) => line.split(":"))

/**
 * Returns whether a group is this user's first one and has no other member, by the tables of this host. A group that is
 * not in them, as one of a directory service, may have any member.
 */
export const isAloneIn = (gid: number, uid: number, tables: { readonly passwd: string; readonly group: string }) => {
  const first = linesOf(tables.passwd).filter(([, , , its]) => its === String(gid))
  const groups = linesOf(tables.group).filter(([, , its]) => its === String(gid))
  const names = new Set(["", ...first.map(([name]) => name)])
  return (
    first.length > 0 &&
    first.every(([, , its]) => its === String(uid)) &&
    groups.length > 0 &&
    groups.every(([, , , members = ""]) => members.split(",").every((name) => names.has(name)))
  )
}

/** Returns whether a file is known to have no access control list. `ls` marks one with a plus. */
const hasNoList = (path: string) => {
  const { status, stdout } = spawnSync("/bin/ls", ["-ldn", "--", path], { encoding: "utf8", timeout: 5000 })
  return status === 0 && /^\S{10}[^+]/u.test(stdout)
}

/** Returns whether nobody but this user may write a file by its group. `false` where that cannot be known. */
export const isOwnGroup = (path: string, gid: number, uid: number): boolean => {
  try {
    const [passwd, group] = ["/etc/passwd", "/etc/group"].map((table) => fs.readFileSync(table, "utf8"))
    return isAloneIn(gid, uid, { passwd: passwd!, group: group! }) && hasNoList(path)
  } catch {
    return false
  }
}
