import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { type stage, until } from "../cli/CliStage.ts"

const program = "/lib/systemd/systemd"

/**
 * True if the user manager of systemd cannot run here. It needs root for a mount namespace and a cgroup. In the
 * namespace, the machine looks booted by systemd.
 */
export const managerMissing = process.getuid?.() !== 0 || !fs.existsSync(program)

/** Finds the hierarchy for systemd on this machine: its own, or that of cgroup v2. */
const hierarchy = () =>
  ["/sys/fs/cgroup/systemd", "/sys/fs/cgroup"].find((folder) => fs.existsSync(join(folder, "cgroup.procs")))

const begin = `mkdir "$0" && echo $$ > "$0/cgroup.procs" && mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system && exec ${program} --user`

/**
 * Starts a real `systemd --user` of the test's own. It sees only the units of the stage's home, and ends with the test.
 */
export const userManager = Effect.fnUntraced(function* (the: Effect.Success<ReturnType<typeof stage>>) {
  const group = join(hierarchy() ?? "/nowhere", `souffleur-test-${process.pid}-${the.session.slice(0, 8)}`)
  const runtime = join(the.home, "run")
  const variables = { XDG_CONFIG_HOME: join(the.home, "config"), SYSTEMD_LOG_TARGET: "null" }
  const manager = the.spawned("unshare", ["-m", "sh", "-c", begin, group], variables)
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      manager.kill("SIGKILL")
      yield* manager.ended
      const folders = fs.existsSync(group)
        ? (fs.readdirSync(group, { recursive: true, withFileTypes: true }) as Array<fs.Dirent>)
        : []
      const nested = folders.filter((one) => one.isDirectory()).map((one) => join(one.parentPath, one.name))
      // Processes that are left in the groups end with the stage. The empty groups are removed, innermost first.
      for (const folder of [group, ...nested]) {
        for (const pid of fs.readFileSync(join(folder, "cgroup.procs"), "utf8").split("\n").filter(Boolean))
          process.kill(Number(pid), "SIGKILL")
      }
      for (const folder of [...nested.toReversed(), group]) {
        yield* until(
          Effect.sync(() => fs.readFileSync(join(folder, "cgroup.procs"), "utf8")),
          (pids) => pids === ""
        )
        fs.rmdirSync(folder)
      }
    }).pipe(Effect.when(Effect.sync(() => fs.existsSync(group))))
  )
  const systemctl = (...words: ReadonlyArray<string>) =>
    spawnSync("systemctl", ["--user", ...words], { env: { ...the.environment, ...variables }, encoding: "utf8" })
  yield* until(
    Effect.sync(
      () =>
        fs.existsSync(join(runtime, "systemd", "private")) &&
        systemctl("show", "--property", "SystemState", "--value").stdout.trim()
    ),
    (state) => state === "running" || state === "degraded"
  )
  return {
    variables,
    systemctl,
    /** Reads a property of a unit from the manager. */
    shows: (unit: string, property: string) => systemctl("show", unit, "--property", property, "--value").stdout.trim()
  }
})
