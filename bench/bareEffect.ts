// Effect's runtime and a schedule of one second: the least that any program on Effect needs.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Schedule } from "effect"

NodeRuntime.runMain(Effect.repeat(Effect.void, Schedule.spaced("1 second")))
