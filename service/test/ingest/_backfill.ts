import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { workplace } from '../cli/_cli.ts'
import { WebhookReceiver } from '../notifications/_webhook.ts'
import { freePort, withService, type TestService } from '../_service.ts'
import { INFLUX_ORIGIN } from '../../src/domain/rejects/reject-origin.ts'
import { Publisher } from './_messages.ts'

export const STATIONS = { ready: 1, derived: 2, combined: 3, waveform: 4 } as const

const SENSORS = {
  single: '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b3a01',
  first: '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b3a02',
  second: '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b3a03',
} as const

const threshold = (batch: number, stations: readonly number[], item: string): string => `
          - batchNo: 0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b2${batch}
            stations: [${stations.join(', ')}]
            clearAfter: 1
            items:
              - item: ${item}
                config: [{ thresholds: [{ level: 1, value: '(20,+)' }, { level: 2, value: '(10,20)' }] }]`

/** Stations that are fed in every way there is, all with the same two levels. */
const SITE = `timeZone: Etc/UTC
users: [{ id: 1, name: Office, structures: all }]
structureTypes: [{ id: 1, name: Bridge }]
factors:
  - { id: 1, name: Strain, items: [{ id: 11, key: v, name: Strain, unit: a, precision: 0.1 }] }
  - { id: 2, name: Vibration, items: [{ id: 21, key: pv, name: Peak, unit: g, precision: 0.1 }] }
structures:
  - id: 1
    name: Bridge
    type: 1
    latitude: 0
    longitude: 0
    factors:
      - factor: 1
        stations:
          - { id: ${STATIONS.ready}, name: Ready }
          - id: ${STATIONS.derived}
            name: Derived
            from: { sensors: [${SENSORS.single}], conversion: { kind: linear, value: v, k: 1 } }
          - id: ${STATIONS.combined}
            name: Combined
            from:
              sensors: [${SENSORS.first}, ${SENSORS.second}]
              conversion: { kind: linear, value: v, k: 1, combine: mean }
        thresholds:${threshold(1, [STATIONS.ready, STATIONS.derived, STATIONS.combined], 'v')}
      - factor: 2
        stations: [{ id: ${STATIONS.waveform}, name: Waveform }]
        thresholds:${threshold(2, [STATIONS.waveform], 'pv')}
    devices:
${Object.entries(SENSORS)
  .map(
    ([name, id]) =>
      `      - { id: ${id}, name: ${name}, kind: sensor, items: [{ key: v, name: V, unit: a }] }`,
  )
  .join('\n')}
`

const MAPPING = `format: csv
time: { column: Time, format: YYYY-MM-DD HH:mm:ss }
columns: [{ column: V, station: ${STATIONS.ready}, item: v }]
`

/** A service with every source of records, and a receiver of its notifications. */
export class Ingest implements AsyncDisposable {
  readonly service: TestService
  readonly receiver: WebhookReceiver
  readonly key: string
  readonly token: string
  readonly brokerUrl: string
  readonly #stack: AsyncDisposableStack

  private constructor(
    parts: Pick<Ingest, 'service' | 'receiver' | 'key' | 'token' | 'brokerUrl'>,
    stack: AsyncDisposableStack,
  ) {
    this.service = parts.service
    this.receiver = parts.receiver
    this.key = parts.key
    this.token = parts.token
    this.brokerUrl = parts.brokerUrl
    this.#stack = stack
  }

  static async start(): Promise<Ingest> {
    await using stack = new AsyncDisposableStack()
    const receiver = stack.use(await WebhookReceiver.start())
    const port = await freePort()
    const service = stack.use(
      await withService({
        site: SITE,
        deliveryPollMilliseconds: 20,
        settings: {
          'alarms.offlineCheckSeconds': 0,
          'ingest.broker.port': port,
          'ingest.broker.host': '127.0.0.1',
          'ingest.broker.tls': 'off',
          'ingest.broker.topics': [{ topic: 'site/{sensor}/up', preset: 'tsValues' }],
          'ingest.folders': [
            { path: '.', pattern: 'logger-*.csv', mapping: 'm.yaml', pollSeconds: 0.1 },
          ],
          'notifications.webhooks': [receiver.settings],
          'notifications.rules': [
            { name: 'all', to: ['hook'], events: ['new', 'repeated', 'escalated'] },
          ],
        },
      }),
    )
    await writeFile(join(service.folder, 'm.yaml'), MAPPING)
    const key = await service.createKey()
    const token = await service.issueToken()
    const brokerUrl = `mqtt://127.0.0.1:${port}`
    return new Ingest({ service, receiver, key, token, brokerUrl }, stack.move())
  }

  async manage(path: string, body: object): Promise<void> {
    const { status, text } = await this.service.call(`/manage/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    requireSuccess(status, text)
  }

  async ingest(source: string, body: unknown): Promise<void> {
    const { status, text, json } = await this.service.ingest(source, this.key, body)
    requireSuccess(status, text)
    if (json().rejected.length > 0) throw new Error(text)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }
}

function requireSuccess(status: number, text: string): void {
  if (status !== 200) throw new Error(`${status}: ${text}`)
}

/** One value of one instant. */
export type Sent = { at: number; value: number }

export type Source = {
  name: string
  station: number
  /** Whether the newest record from this source sends notifications; an import never does. */
  isNotified: boolean
  send(ingest: Ingest, sent: Sent): Promise<void>
}

/** Every source of records of a station. */
export const SOURCES: readonly Source[] = [
  {
    name: 'POST /ingest/v1/theme',
    station: STATIONS.ready,
    isNotified: true,
    send: (ingest, sent) => sendReady(ingest, STATIONS.ready, sent),
  },
  {
    name: 'POST /ingest/v1/raw',
    station: STATIONS.derived,
    isNotified: true,
    send: (ingest, { at, value }) =>
      ingest.ingest('raw', {
        records: [{ sensor: SENSORS.single, time: at, values: { v: value } }],
      }),
  },
  {
    name: 'POST /ingest/v1/raw, of two sensors of one station',
    station: STATIONS.combined,
    isNotified: true,
    async send(ingest, { at, value }) {
      for (const sensor of [SENSORS.first, SENSORS.second])
        await ingest.ingest('raw', { records: [{ sensor, time: at, values: { v: value } }] })
    },
  },
  {
    name: 'POST /ingest/v1/influx',
    station: STATIONS.derived,
    isNotified: true,
    async send({ service, key }, sent) {
      const { status, text } = await service.call('/ingest/v1/influx', {
        method: 'POST',
        headers: { 'content-type': 'text/plain; charset=utf-8', authorization: `Bearer ${key}` },
        body: lineOf(sent),
      })
      requireSuccess(status, text)
    },
  },
  {
    name: 'POST /ingest/v1/vibration',
    station: STATIONS.waveform,
    isNotified: true,
    send: (ingest, { at, value }) =>
      ingest.ingest('vibration', {
        station: STATIONS.waveform,
        collectTime: at,
        sampleFreq: 100,
        unit: 'g',
        samples: [0, value, -1, 0],
      }),
  },
  {
    name: 'a message of MQTT',
    station: STATIONS.derived,
    isNotified: true,
    async send({ brokerUrl, key }, { at, value }) {
      await using publisher = await Publisher.connect(brokerUrl, {
        username: 'logger',
        password: key,
        protocolVersion: 4,
      })
      await publisher.publish(
        `site/${SENSORS.single}/up`,
        JSON.stringify({ ts: at, values: { v: value } }),
      )
    },
  },
  { name: 'plumbline import', station: STATIONS.ready, isNotified: false, send: importBy([]) },
  {
    name: 'plumbline import --change-free',
    station: STATIONS.ready,
    isNotified: false,
    send: importBy(['--change-free']),
  },
  {
    name: 'a watched folder',
    station: STATIONS.ready,
    isNotified: true,
    send: ({ service }, sent) =>
      writeFile(join(service.folder, `logger-${sent.at}.csv`), fileOf(sent)),
  },
  {
    name: 'a reading by hand',
    station: STATIONS.ready,
    isNotified: true,
    send: (ingest, { at, value }) =>
      ingest.manage(`/stations/${STATIONS.ready}/readings`, {
        records: [{ time: at, values: { v: value } }],
      }),
  },
  {
    name: 'a refused line that is replayed',
    station: STATIONS.derived,
    isNotified: true,
    async send(ingest, sent) {
      const { rejects } = ingest.service.storage
      const refusal = {
        ...INFLUX_ORIGIN,
        place: 'line 1 (ns)',
        reason: 'the sensor was not known then',
        payload: Buffer.from(lineOf(sent)),
        receivedAt: sent.at,
        context: 'ns',
      }
      await rejects.add([refusal], { records: 10 })
      const [kept] = await rejects.list({ limit: 1 })
      await ingest.manage('/rejects/replay', { ids: [kept!.id] })
    },
  },
]

/** Sends a station value that is ready, over HTTP. */
export function sendReady(ingest: Ingest, station: number, { at, value }: Sent): Promise<void> {
  const key = station === STATIONS.waveform ? 'pv' : 'v'
  return ingest.ingest('theme', { records: [{ station, time: at, values: { [key]: value } }] })
}

const lineOf = ({ at, value }: Sent): string =>
  `gauge,sensor=${SENSORS.single} v=${value} ${at}000000\n`

const fileOf = ({ at, value }: Sent): string =>
  `Time,V\n${new Date(at).toISOString().slice(0, 19).replace('T', ' ')},${value}\n`

function importBy(flags: readonly string[]): Source['send'] {
  return async ({ service }, sent) => {
    await using place = await workplace()
    const file = join(place.folder, 'old.csv')
    await writeFile(file, fileOf(sent))
    const mapping = join(service.folder, 'm.yaml')
    const args = ['import', file, '--mapping', mapping, '--data', service.folder, ...flags]
    const { code, stderr } = await place.run(args)
    if (code !== 0) throw new Error(stderr)
  }
}
