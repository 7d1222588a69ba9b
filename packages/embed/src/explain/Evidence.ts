import { type Event, type Watch, Words } from "@souffleur/domain"

/** The owner of a Conductor from before a restart of the machine is of another boot. */
const rebooted = ({ conductor, owner }: Watch) =>
  conductor !== undefined && owner !== undefined && conductor.bootId !== owner.process.bootId

/** Returns the evidence of a decision, in lines for a person. */
export const evidence = (
  { conductorState, contextTokens, end, heartbeat, heartbeatAge, process, signs, staleAfter }: Event.Evidence,
  watch: Watch
): ReadonlyArray<string> => [
  watch.conductor === undefined
    ? "no process was known"
    : `process ${watch.conductor.pid} (started at tick ${watch.conductor.startTime}) was ${process}${rebooted(watch) ? ": the machine has restarted since" : ""}`,
  ...(end === null ? [] : [`it ended ${Words.ended(end)}`]),
  ...(watch.comms === null
    ? []
    : [
        heartbeat === null
          ? "task-00 had no heartbeat"
          : `the heartbeat of task-00 was ${heartbeat}, ${heartbeatAge === null ? "which says nothing" : `${Words.duration(heartbeatAge)} old`}; the limit is ${Words.duration(staleAfter)}`,
        conductorState === null ? "comms did not tell a state" : `task-00 was in state ${conductorState}`
      ]),
  ...signs.map(({ age, says, source }) =>
    source === "processor"
      ? `it has used no processor for ${Words.duration(age)}`
      : `${source}: ${says}${age === null ? "" : `, ${Words.duration(age)} old`}`
  ),
  ...(contextTokens === null ? [] : [`${Words.count(contextTokens)} tokens of context were in use`])
]
