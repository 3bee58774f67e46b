import Sqlite from 'better-sqlite3'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { applySite } from '../../../service/src/site/apply/apply.ts'
import { openSqlite } from '../../../service/src/storage/sqlite/open.ts'
import { publishAll, type Publishing } from '../load/publish.ts'
import { cpuMilliseconds } from '../process-figures.ts'
import type { Finding, Scenario } from '../scenario.ts'
import { makeTemporaryFolder } from '../servers/data-folder.ts'
import { startMosquitto } from '../servers/mosquitto.ts'
import { startAcknowledger, type Progress } from '../servers/rival.ts'
import { startService } from '../servers/service.ts'
import { FIRST_INSTANT, MINUTE, sensorId, siteText } from '../site.ts'
import { median, ratio } from '../statistics.ts'

const SENSORS = 200
const CONNECTIONS = 4

export const mqtt: Scenario = {
  title: 'MQTT ingest, QoS 1: every message is on the disk before it is acknowledged',

  async run({ isQuick, say }) {
    const findings: Finding[] = []
    for (const way of WAYS) {
      say(way.name)
      findings.push(...(await measureWay(way, isQuick)))
    }
    return findings
  },
}

type Way = { name: string; sensor: number; feeds: boolean; atLeast?: number }

const WAYS: readonly Way[] = [
  { name: 'one raw record a message, 4 connections', sensor: 0, feeds: false, atLeast: 8000 },
  { name: 'and a station’s record derived from each', sensor: 0, feeds: true },
]

async function measureWay(way: Way, isQuick: boolean): Promise<Finding[]> {
  const rounds = isQuick ? 2 : 5
  const messages = isQuick ? 20_000 : 40_000
  const rates: number[] = []
  const limits: number[] = []
  const cpu: number[] = []
  await using stack = new AsyncDisposableStack()
  const folder = await makeTemporaryFolder(stack)
  await introduce(folder, way.feeds)
  for (let round = 0; round <= rounds; round++) {
    const batch = Array.from({ length: messages }, (_, at) => message(round * messages + at))
    const limit = await drain(folder, batch, startLimit)
    const service = await drain(folder, batch, startIngest)
    // The first round lets the file grow and the compiler see the code.
    if (round === 0) continue
    limits.push(limit.rate)
    rates.push(service.rate)
    cpu.push(service.cpuMicroseconds)
  }
  requireStored(folder, (rounds + 1) * messages)

  const { median: value, least, greatest } = ratio(rates, limits)
  const { name, atLeast } = way
  return [
    { what: `${name}: of the same client that stores nothing`, value, range: [least, greatest] },
    {
      what: name,
      value: median(rates),
      unit: 'messages/s',
      range: [Math.min(...rates), Math.max(...rates)],
      ...(atLeast === undefined ? {} : { target: { atLeast } }),
    },
    { what: `${name}: service CPU per message`, value: median(cpu), unit: 'µs' },
  ]
}

type Receiver = AsyncDisposable & { readonly pid: number; ask(): Promise<Progress> }
type Start = (folder: string, port: number) => Promise<Receiver>

/** Lets a broker keep messages for an absent subscriber, then measures how fast it reads them. */
async function drain(folder: string, batch: readonly Publishing[], start: Start) {
  await using broker = await startMosquitto(folder, await freePort())
  {
    await using receiver = await start(folder, broker.port)
    while ((await receiver.ask()).connected < CONNECTIONS) await wait(20)
  }
  await publishAll(broker.port, batch)

  await using receiver = await start(folder, broker.port)
  const cpu = cpuMilliseconds(receiver.pid)
  for (;;) {
    const { messages, milliseconds } = await receiver.ask()
    if (messages >= batch.length) {
      const used = cpuMilliseconds(receiver.pid) - cpu
      return { rate: (messages / milliseconds) * 1000, cpuMicroseconds: (used / messages) * 1000 }
    }
    await wait(20)
  }
}

const settingsOf = (port: number) => ({
  url: `mqtt://127.0.0.1:${port}`,
  connections: CONNECTIONS,
  sharedGroup: 'bench',
  clientId: 'bench',
  subscriptions: [{ topic: 'site/{sensor}/up', preset: 'tsValues' as const }],
})

const startLimit: Start = async (_, port) => startAcknowledger(settingsOf(port))

const startIngest: Start = async (folder, port) => {
  const opsPort = await freePort()
  const service = await startService(folder, [], {
    PLUMBLINE_INGEST_MQTT: JSON.stringify([{ name: 'bench', ...settingsOf(port) }]),
    PLUMBLINE_OPS_PORT: String(opsPort),
  })
  let first: { messages: number; at: number } | undefined
  const ask = async (): Promise<Progress> => {
    const response = await fetch(`http://127.0.0.1:${opsPort}/health/ingest`)
    const { sources } = (await response.json()) as {
      sources: [{ connected: number; counts: { messages: number } }]
    }
    const [{ connected, counts }] = sources
    const now = performance.now()
    if (counts.messages > 0) first ??= { messages: counts.messages, at: now }
    // Those that were there at the first look took some time too, at the same pace.
    const share = first === undefined ? 0 : counts.messages / (counts.messages - first.messages)
    return { ...counts, connected, milliseconds: share * (now - (first?.at ?? now)) }
  }
  return { ...service, ask }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const message = (number: number): Publishing => ({
  topic: `site/${sensorId(number % SENSORS)}/up`,
  payload: JSON.stringify({
    ts: FIRST_INSTANT + Math.floor(number / SENSORS) * MINUTE,
    values: { x: Math.round(Math.sin(number) * 1e4) / 1e4, y: (number % 977) / 10, z: 20.5 },
  }),
})

const items = ['x', 'y', 'z'].map((key) => `{ key: ${key}, name: ${key}, unit: mm }`).join(', ')

const site = (feeds: boolean): string =>
  siteText({
    factor: 'Displacement',
    items: ['{ id: 1, key: x, name: X, unit: mm, precision: 0.01 }'],
    stations: Array.from({ length: feeds ? SENSORS : 1 }, (_, at) => {
      const from = `from: { sensors: [${sensorId(at)}], conversion: [{ kind: linear, item: x, value: x, k: 2 }] }`
      return `{ id: ${at + 1}, name: S${at}${feeds ? `, ${from}` : ''} }`
    }),
    devices: Array.from(
      { length: SENSORS },
      (_, at) => `{ id: ${sensorId(at)}, name: D${at}, kind: sensor, items: [${items}] }`,
    ),
  })

async function introduce(folder: string, feeds: boolean): Promise<void> {
  await using storage = await openSqlite(folder)
  await applySite(storage, { text: site(feeds), fileName: 'site.yaml' })
}

function requireStored(folder: string, sent: number): void {
  const database = new Sqlite(join(folder, 'plumbline.db'), { readonly: true })
  try {
    const stored = database.prepare('select count(*) from raw_records').pluck().get()
    if (stored !== sent) throw new Error(`${sent} messages were sent, ${String(stored)} are stored`)
  } finally {
    database.close()
  }
}
