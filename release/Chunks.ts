import type { OutputChunk } from "rolldown"

/** Returns the modules that a chunk loads, its own and those of all chunks that it imports. */
const loadedBy = (chunk: OutputChunk, all: ReadonlyMap<string, OutputChunk>): ReadonlySet<string> => {
  const found = new Set([chunk])
  for (const each of found)
    for (const name of each.imports) {
      const one = all.get(name)
      if (one !== undefined) found.add(one)
    }
  return new Set([...found].flatMap(({ moduleIds }) => moduleIds))
}

/**
 * Joins the many small chunks of a build into few, because each file takes a start half a millisecond. Returns the
 * chunk of each module. A chunk has all that the modules of its name load, without what is in the chunks before it. So
 * no two chunks need each other. The rest stays as it was. Throws where a module is no entry of a chunk.
 */
export const joined = (
  chunks: ReadonlyArray<OutputChunk>,
  parts: Readonly<Record<string, ReadonlyArray<string>>>
): ReadonlyMap<string, string> => {
  const all = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const names = new Map<string, string>()
  for (const [name, entries] of Object.entries(parts))
    for (const entry of entries) {
      const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/${entry}.ts`))
      if (chunk === undefined) throw new Error(`${entry}.ts is not loaded by an import()`)
      for (const module of loadedBy(chunk, all)) if (!names.has(module)) names.set(module, name)
    }
  return names
}
