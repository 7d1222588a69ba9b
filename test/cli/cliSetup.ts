import type { TestProject } from "vitest/node"
import { build } from "./Build.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The command as it is published. */
    readonly bundle: string
  }
}

/** Once for the suite, for every test that runs the command. */
export default ({ provide }: TestProject): (() => void) => {
  const { bundle, remove } = build()
  provide("bundle", bundle)
  return remove
}
