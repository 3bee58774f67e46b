import { relative } from 'node:path'
import type { Credentials } from '../site/applications.ts'

/** The introduction to the demo site: credentials and commands to paste. */
export function introduce(
  origin: string,
  certificateFile: string,
  { appId, appSecret }: Credentials,
): string {
  const curl = `curl -s --cacert ${quote(relative('.', certificateFile))}`
  const base = `${origin}/api/v1`
  return `
The demo site holds real measurements of two bridges and a slope; its traffic is generated.
  application id:     ${appId}
  application secret: ${appSecret}

Paste these in another terminal, in this folder:

TOKEN=$(${curl} -u ${appId}:${appSecret} -d grant_type=client_credentials ${base}/oauth2/token | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
${curl} "${base}/structures?token=$TOKEN"
${curl} "${base}/stations/theme/data?stations=1001,2101&limit=3&token=$TOKEN"

Browse the interface at: ${origin}/docs
`
}

/** Quotes a path for a shell, where it needs that. */
const quote = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
