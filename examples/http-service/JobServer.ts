import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Layer } from "effect"
import { HttpRouter } from "effect/http"
import { createServer } from "node:http"
import { Jobs } from "./Jobs.ts"
import * as JobRoutes from "./JobRoutes.ts"

/** The service on loopback, with its state in a folder. Port 0: any port that is free. */
export const layer = (folder: string, port: number) =>
  HttpRouter.serve(JobRoutes.layer, { disableLogger: true }).pipe(
    Layer.provide(Jobs.layer(folder)),
    Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port }))
  )

if (import.meta.main) NodeRuntime.runMain(Layer.launch(layer(process.cwd(), 8080)))
