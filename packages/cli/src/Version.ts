/** The version of the published package. */
export const version = "0.1.0"
