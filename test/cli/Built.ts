import { build } from "./Build.ts"

const builtHere = () => {
  const { bundle, remove } = build()
  process.once("exit", remove)
  return bundle
}

/** Built once a run. */
export const bundle = process.env["VITEST"] === "true" ? (await import("vitest")).inject("bundle") : builtHere()
