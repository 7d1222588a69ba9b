import type { OutputChunk } from "rolldown"

/** Returns the modules that a module loads, with itself. */
const loadedBy = (module: OutputChunk, all: ReadonlyMap<string, OutputChunk>): ReadonlyArray<string> => {
  const found = new Set([module])
  for (const each of found)
    for (const name of each.imports) {
      const one = all.get(name)
      if (one !== undefined) found.add(one)
    }
  return [...found].flatMap(({ moduleIds }) => moduleIds)
}

/**
 * Joins the modules of a build into few chunks, because each file takes a start half a millisecond. Returns the chunk
 * of each module. A chunk has all that the modules of its name load, without what is in the chunks before it. So no two
 * chunks need each other. The rest stays as it was. `modules`: a build that kept them apart (`preserveModules`). Larger
 * pieces would bring modules that no entry needs. Throws where a module is not loaded at all.
 */
export const joined = (
  modules: ReadonlyArray<OutputChunk>,
  parts: Readonly<Record<string, ReadonlyArray<string>>>
): ReadonlyMap<string, string> => {
  const all = new Map(modules.map((module) => [module.fileName, module]))
  const names = new Map<string, string>()
  for (const [name, entries] of Object.entries(parts))
    for (const entry of entries) {
      const module = modules.find(({ facadeModuleId }) =>
        [`/${entry}.ts`, `/${entry}.js`].some((end) => facadeModuleId?.endsWith(end))
      )
      if (module === undefined) throw new Error(`${entry} is not loaded`)
      for (const id of loadedBy(module, all)) if (!names.has(id)) names.set(id, name)
    }
  return names
}
