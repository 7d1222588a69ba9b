import { Schema } from "effect"

/** The service manager did not do what it was told; `message` names the command. Exit code 1. */
export class ServiceFailed extends Schema.TaggedError<ServiceFailed>()("ServiceFailed", { message: Schema.String }) {}
