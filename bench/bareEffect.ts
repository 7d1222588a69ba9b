// Effect's own runtime and a schedule of a second: what no program on it does without.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Schedule } from "effect"

NodeRuntime.runMain(Effect.repeat(Effect.void, Schedule.spaced("1 second")))
