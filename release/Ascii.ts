import type { Plugin } from "rolldown"

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

/**
 * Writes a bundle in ASCII, with the same strings. V8 keeps a source with one other character at two bytes a character,
 * as long as its process lives.
 */
export const ascii: Plugin = {
  name: "ascii",
  generateBundle(_, bundle) {
    for (const one of Object.values(bundle))
      if (one.type === "chunk") one.code = one.code.replaceAll(/[^\0-\x7f]/g, escaped)
  }
}
