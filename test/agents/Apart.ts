import { spawnSync } from "node:child_process"

/** A user other than root needs to be root there. */
const mapped = process.getuid?.() === 0 ? [] : ["--map-root-user"]
/** The words of `unshare` that give a program a network of its own, with loopback alone. */
export const apart = ["--net", ...mapped, "--", "sh", "-c", 'ip link set lo up && exec "$0" "$@"']

const tried = spawnSync("unshare", [...apart, "true"], { encoding: "utf8" })
/** False where the machine refuses it, which a line says. */
export const onLoopbackAlone = tried.status === 0
if (!onLoopbackAlone)
  console.error(`not on loopback alone: ${(tried.error?.message ?? tried.stderr).trim().replaceAll("\n", " ")}`)
