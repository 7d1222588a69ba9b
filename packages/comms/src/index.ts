export * as CommsErrand from "./CommsErrand.ts"
export * as CommsLinkSqlite from "./CommsLinkSqlite.ts"
export * as CommsSchema from "./CommsSchema.ts"
export * as CommsSqlite from "./CommsSqlite.ts"
