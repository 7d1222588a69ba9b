export * as CommsSchema from "./CommsSchema.ts"
export * as CommsSqlite from "./CommsSqlite.ts"
