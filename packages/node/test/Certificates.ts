import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"

const openssl = (folder: string, ...args: ReadonlyArray<string>) =>
  execFileSync("openssl", args, { cwd: folder, stdio: ["ignore", "ignore", "ignore"] })

const works = () => {
  try {
    openssl("/", "version")
    return true
  } catch {
    return false
  }
}

/** Why tests of certificates are skipped; `undefined`: openssl is there. */
export const noOpenssl = works() ? undefined : "there is no openssl"

/** Makes a certificate authority of its own in a folder, and certificates of it for localhost and an address. */
export const authority = (folder: string, address = "127.0.0.1") => {
  fs.writeFileSync(join(folder, "names"), `subjectAltName=DNS:localhost,IP:${address}\n`)
  const ca = join(folder, "ca.pem")
  const made = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=an authority"]
  openssl(folder, "req", ...made, "-keyout", "ca.key", "-out", ca)
  return {
    ca,
    certificate: (name: string) => {
      const files = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) }
      const asked = ["-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout", files.key]
      openssl(folder, "req", ...asked, "-out", "asked")
      const signed = ["-CA", ca, "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names"]
      openssl(folder, "x509", "-req", "-in", "asked", ...signed, "-out", files.cert)
      fs.chmodSync(files.key, 0o600)
      return files
    }
  }
}
