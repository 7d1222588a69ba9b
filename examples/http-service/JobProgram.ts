import { existsSync, writeFileSync } from "node:fs"

// The work of a job: it counts words. The first time it breaks down half-way, as programs do.
const [words = ""] = process.argv.slice(2)
if (!existsSync("tried")) {
  writeFileSync("tried", "")
  process.kill(process.pid, "SIGKILL")
}
writeFileSync("count", `${words.split(/\s+/u).filter((word) => word !== "").length}`)
