/** The stand-in for the agent that `Kind.ts` names: it imitates that agent's files and command line. */
export { exitCodes, idle, type Part, pidFile, type Session, standIn, argumentsOf } from "@souffleur/agents/stand-in"
