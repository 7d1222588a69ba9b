import { Effect } from "effect"
import { Souffleur } from "../src/index.ts"

const [stateDir = "", home = "", id = ""] = process.argv.slice(2)

// A program of an app, which keeps the watch of this id: `node Keeps.ts STATE HOME ID`.
await Effect.runPromise(
  Souffleur.use(({ resume }) => Effect.flatMap(resume(id), ({ awaitEnd }) => awaitEnd)).pipe(
    Effect.scoped,
    Effect.provide(
      Souffleur.layerNode({ stateDir, environment: { HOME: home, PATH: "/usr/bin:/bin", XDG_RUNTIME_DIR: home } })
    )
  )
)
