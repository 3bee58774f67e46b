import { relative } from 'node:path'
import type { PlayerPage } from '../camera/player-page.ts'
import type { DemoState } from './demo-state.ts'

/** The introduction to the demo site: credentials and commands to paste. */
export function introduce(
  origin: string,
  certificateFile: string,
  { application: { appId, appSecret }, account }: Pick<DemoState, 'application' | 'account'>,
  camera: PlayerPage,
): string {
  const curl = `curl -s --cacert ${quote(relative('.', certificateFile))}`
  const base = `${origin}/api/v1`
  return `
The demo site holds real measurements of two bridges and a slope; its traffic is generated.

Open the console at: ${origin}/${describeAccount(account)}
(The certificate is the service's own: the browser asks whether to go on.)

Programs read the same data with an application:
  application id:     ${appId}
  application secret: ${appSecret}

Paste these in another terminal, in this folder:

TOKEN=$(${curl} -u ${appId}:${appSecret} -d grant_type=client_credentials ${base}/oauth2/token | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
${curl} "${base}/structures?token=$TOKEN"
${curl} "${base}/stations/theme/data?stations=1001,2101&limit=3&token=$TOKEN"

Browse the interface at: ${origin}/docs
${describeCamera(camera)}
`
}

const describeAccount = (account: DemoState['account']): string =>
  account === undefined
    ? ''
    : `
  account:  ${account.name}
  password: ${account.password}`

const describeCamera = ({ address, problem }: PlayerPage): string =>
  problem === undefined
    ? `Watch the test picture at: ${address}`
    : `The camera of the demo site does not play yet: ${problem}
Then watch the test picture at: ${address}`

/** Quotes a path for a shell, where it needs that. */
const quote = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
