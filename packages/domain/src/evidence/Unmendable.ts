import { Schema } from "effect"

/**
 * The ends that no launch can mend, since a person must act first (spec: behaviour#what-no-launch-mends). `login`: the
 * service does not know the user any more. `account`: it refuses the account, for money or by its organisation.
 * `model`: it has no such model, or none for this account. `cap`: the user gave the agent so much, and no more.
 */
export const Unmendable = Schema.Literals(["login", "account", "model", "cap"])
export type Unmendable = typeof Unmendable.Type
/** Tells whether a turn ended for such a reason. */
export const isUnmendable = Schema.is(Unmendable)

/** Tells whether a watch is in standby because the service refused the login or the account of its agent. */
export const isLoginRefused = <S extends { readonly stage: string }>(standby: S | undefined): standby is S =>
  standby?.stage === "login" || standby?.stage === "account"

/** Says what ended a turn, after the name of an agent and "stopped at". */
export const unmendableInWords: Readonly<Record<Unmendable, string>> = {
  login: "a refusal of its login",
  account: "a refusal of its account",
  model: "a refusal of its model",
  cap: "a cap of your own"
}
/** Says it of an error that souffleur does not know. The service's words stay out of the log. */
export const unknownError = "an error of the service that souffleur does not know"

/** Says what a person does, before "souffleur retry". */
export const mendedBy: Readonly<Record<Unmendable | "unknown-error", string>> = {
  login: "log in with the agent itself",
  account: "see to the account: its payment, its plan, its organisation",
  model: "see to the name of the model, and to the address of the service",
  cap: "decide whether it may use as much again",
  "unknown-error": 'read its words in "souffleur status"'
}

/** The tries of an error that souffleur does not know, each after a longer wait. After them a person is asked. */
export const unknownTries = 3
