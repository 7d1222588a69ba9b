import type { Plugin } from "rolldown"

/** Functions of Node that few commands call. Each of these modules takes a start as long as a fifth of bare Node. */
const late: Readonly<Record<string, ReadonlyArray<string>>> = {
  "node:child_process": ["execFile", "spawn", "spawnSync"],
  "node:crypto": ["createHash", "createHmac", "createPrivateKey", "pbkdf2Sync", "randomBytes", "X509Certificate"],
  "node:readline": ["createInterface", "emitKeypressEvents"],
  "node:worker_threads": ["Worker"]
}

/** Makes a function that loads the module of another one with the first call. `new` gets that one's object. */
const loadsLater = (module: string) => (name: string) =>
  `export function ${name}(...args) {
  const { ${name} } = process.getBuiltinModule("${module}")
  return new.target === undefined ? ${name}(...args) : new ${name}(...args)
}`

/** A line of Effect's help. It reads the rules of all scripts, for a third of bare Node's start. */
const segmenter =
  'const graphemeSegmenter = /*#__PURE__*/new Intl.Segmenter(undefined, {\n  granularity: "grapheme"\n});'

/** The same, made with the first text that is not plain ASCII. In ASCII, each character is a grapheme. */
const lateSegmenter = `let graphemes
const graphemeSegmenter = {
  segment: (text) => /^[ -~]*$/.test(text)
    ? Array.from(text, (segment) => ({ segment }))
    : (graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" })).segment(text)
}`

/** Has a bundle load parts of Node and of Effect with their first use, and no sooner. Their behaviour is kept. */
export const lateParts: Plugin = {
  name: "late-parts",
  resolveId: (id, importer) => (id in late && importer !== undefined ? `\0late:${id}` : undefined),
  load: (id) => {
    const module = id.startsWith("\0late:") ? id.slice("\0late:".length) : ""
    return late[module]?.map(loadsLater(module)).join("\n")
  },
  transform: (code, id) => {
    if (!id.endsWith("/effect/dist/cli/CliOutput.js")) return undefined
    if (!code.includes(segmenter)) throw new Error(`${id}: the segmenter of graphemes is not where it was`)
    return code.replace(segmenter, lateSegmenter)
  }
}
