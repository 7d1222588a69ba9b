import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const textOf = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8").trim()
  } catch {
    // It is missing, or only root may read it.
    return undefined
  }
}

/** Hashes the ids of a machine and of its hardware. Neither leaves the machine as it is. */
export const machineHash = (id: string, hardware: string): string =>
  createHash("sha256").update(`souffleur ${id} ${hardware}`).digest("hex").slice(0, 32)

/**
 * Identifies this machine across boots. It hashes machine-id(5), which is unique unlike a name, and the id of the
 * (virtual) hardware. A copy of the disk has another hardware id, but only some users may read it. machine-id(5) asks
 * for the hash. `null`: there is no machine id.
 */
export const machineIdentity = (root = "/"): string | null => {
  const id = ["etc/machine-id", "var/lib/dbus/machine-id"]
    .map((file) => textOf(join(root, file)))
    .find((text) => text !== undefined && /^[0-9a-f]{32}$/u.test(text))
  if (id === undefined) return null
  return machineHash(id, textOf(join(root, "sys/class/dmi/id/product_uuid")) ?? "")
}
