/**
 * Leads a browser on that was let in: the link of a notice has no secret path. The page leaves that path in the storage
 * of its own origin, which no other port can read.
 */
export const doorScript = `const path = localStorage.getItem("souffleur") ?? ""
if (/^\\/[0-9a-f]{20}\\/$/.test(path) && !location.pathname.startsWith(path))
  location.replace(path + location.pathname.slice(1) + location.search)
`
