import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const textOf = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8").trim()
  } catch {
    // Missing, or root's alone.
    return undefined
  }
}

/**
 * By what this machine is known from boot to boot: machine-id(5), which a name does not tell apart, and the id of its
 * (virtual) hardware, which a copy of its disk has not, where this user may read that. Hashed, as machine-id(5) asks of
 * who tells it. `null`: there is none.
 */
export const machineIdentity = (root = "/"): string | null => {
  const id = ["etc/machine-id", "var/lib/dbus/machine-id"]
    .map((file) => textOf(join(root, file)))
    .find((text) => text !== undefined && /^[0-9a-f]{32}$/u.test(text))
  if (id === undefined) return null
  const hardware = textOf(join(root, "sys/class/dmi/id/product_uuid")) ?? ""
  return createHash("sha256").update(`souffleur ${id} ${hardware}`).digest("hex").slice(0, 32)
}
