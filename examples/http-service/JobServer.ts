import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Souffleur } from "@souffleur/embed"
import { Layer } from "effect"
import { HttpRouter } from "effect/http"
import { createServer } from "node:http"
import * as JobRoutes from "./JobRoutes.ts"
import { Jobs } from "./Jobs.ts"

/** The service on loopback, with its jobs and its state in a folder. Port 0: any port that is free. */
export const layer = (folder: string, port: number) =>
  HttpRouter.serve(JobRoutes.layer(folder), { disableLogger: true }).pipe(
    Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port })),
    // It listens when the jobs go on, so that no request comes too early.
    Layer.provide(Jobs.layer),
    Layer.provide(Souffleur.layerNode({ stateDir: `${folder}/state` }))
  )

if (import.meta.main) NodeRuntime.runMain(Layer.launch(layer(process.cwd(), 8080)))
