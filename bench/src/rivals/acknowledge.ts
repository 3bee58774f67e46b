/** The service's own MQTT client, acknowledging what comes without storing it: the limit. */
import { pino } from 'pino'
import { loadSubscription } from '../../../service/src/ingest/mqtt/subscription.ts'
import { compileMapping } from '../../../service/src/ingest/mqtt/payload-mapping.ts'
import { nextMessage, sendToParent } from '../messages.ts'
import type { AcknowledgerSettings } from '../servers/rival.ts'

const settings = await nextMessage<AcknowledgerSettings>(process)
const limits = { depth: 32, members: 3_000_000 }
const mappings = settings.subscriptions.map((one) => compileMapping(one, limits))
let messages = 0
let first = 0
let last = 0
const ingest = {
  async take() {
    last = performance.now()
    if (messages++ === 0) first = last
  },
}
const connect = await loadSubscription({
  ...settings,
  name: 'limit',
  version: 5,
  tls: {},
  sessionExpirySeconds: 3600,
  mappings,
  ingest,
  log: pino({ level: 'silent' }),
  now: Date.now,
})
const client = connect()
process.on('message', () =>
  sendToParent({ messages, milliseconds: last - first, connected: client.connected() }),
)
process.on('disconnect', () => process.exit())
sendToParent({ messages: 0, milliseconds: 0, connected: 0 })
