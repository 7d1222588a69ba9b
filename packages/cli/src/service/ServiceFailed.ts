import { Schema } from "effect"

/** The service manager refused a command. `message` names the command. Exit code 1. */
export class ServiceFailed extends Schema.TaggedError<ServiceFailed>()("ServiceFailed", { message: Schema.String }) {}
