// Writes the list of the public API from the declarations that `tsc -b` wrote: node release/api.ts
import { mkdirSync, writeFileSync } from "node:fs"
import { workspace } from "./Package.ts"
import { publicApi } from "./PublicApi.ts"

mkdirSync(`${workspace}/docs/api`, { recursive: true })
for (const { path, text } of publicApi()) writeFileSync(`${workspace}/${path}`, text)
