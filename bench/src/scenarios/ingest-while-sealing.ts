import { setTimeout as delay } from 'node:timers/promises'
import { minuteBatch } from '../batches.ts'
import type { LoadProcess, Measured } from '../load/load.ts'
import { postRequest } from '../load/requests.ts'
import type { Bench, Finding } from '../scenario.ts'
import { SealedFile } from '../sealed.ts'
import { makeDataFolder, type DataFolder } from '../servers/data-folder.ts'
import { startService } from '../servers/service.ts'
import { DAY, DAY_RECORDS, FIRST_INSTANT, STATION_COUNT, stationIds } from '../site.ts'
import { requireStored } from './ingest.ts'

const BATCHES_A_SECOND = 20
const WARM_UP_BATCHES = 40
/** When the service begins to seal: after its start, and after the warm-up. */
const SEAL_EVERY_MINUTES = 0.05
const PATIENCE_MILLISECONDS = 30_000

/** Live records come in at a steady pace, first with nothing else to do, then while days are sealed. */
export async function ingestWhileSealing({ load, isQuick }: Bench): Promise<Finding[]> {
  const days = isQuick ? 2 : 14
  const batches = isQuick ? 40 : 300
  await using folder = await makeDataFolder([
    { stations: stationIds(), records: days * DAY_RECORDS },
  ])
  const live = new LiveRecords(load, folder, days * DAY_RECORDS)
  // Only the days that were there before are past: the live one stays open.
  const settings = {
    PLUMBLINE_SEAL_AFTER_DAYS: String((Date.now() - FIRST_INSTANT) / DAY - days),
    PLUMBLINE_SEAL_EVERY_MINUTES: '0',
  }
  const idle = await live.measure(batches, settings)

  using sealed = new SealedFile(folder.database)
  let begun = 0
  const sealing = await live.measure(
    batches,
    { ...settings, PLUMBLINE_SEAL_EVERY_MINUTES: String(SEAL_EVERY_MINUTES) },
    async () => {
      begun = await waitForSealed(sealed)
    },
  )
  const ended = sealed.count()
  requireStored(folder.database, (days * DAY_RECORDS + live.minutes) * STATION_COUNT)
  const what = `ingest, ${BATCHES_A_SECOND} batches of ${STATION_COUNT} a second`
  return [
    {
      what: `${what}: 99th percentile while the service seals by that of before`,
      value: sealing.response.p99 / idle.response.p99,
      target: { atMost: 2 },
    },
    {
      what: `${what}: station-days still to seal at the end, so that it sealed all the while`,
      value: days * STATION_COUNT - ended,
      unit: 'days',
      target: { atLeast: 1 },
    },
    ...describeTimes(`${what}, before`, idle),
    {
      what: `${what}, before: server CPU per batch`,
      value: idle.serverCpuMilliseconds / idle.responses,
      unit: 'ms',
    },
    ...describeTimes(`${what}, while it seals`, sealing),
    {
      what: 'records sealed meanwhile, with the part of a core it takes beside answering',
      value: ((ended - begun) * DAY_RECORDS * 1000) / sealing.milliseconds,
      unit: 'records/s',
    },
  ]
}

const describeTimes = (what: string, { response }: Measured) => [
  { what: `${what}: median`, value: response.median, unit: 'ms' },
  { what: `${what}: 99th percentile`, value: response.p99, unit: 'ms' },
  { what: `${what}: slowest`, value: response.greatest, unit: 'ms' },
]

/** A record a minute of every station, on top of what a folder has. */
class LiveRecords {
  /** How many minutes were acknowledged. */
  minutes = 0
  readonly #load: LoadProcess
  readonly #folder: DataFolder
  readonly #first: number

  constructor(load: LoadProcess, folder: DataFolder, first: number) {
    this.#load = load
    this.#folder = folder
    this.#first = first
  }

  async measure(
    batches: number,
    settings: Record<string, string>,
    begin: () => Promise<void> = async () => {},
  ): Promise<Measured> {
    await using service = await startService(this.#folder.path, [], settings)
    const target = { ...service, ca: this.#folder.ca }
    const send = (count: number) =>
      this.#load.run(target, {
        connections: 4,
        requests: Array.from({ length: count }, () => this.#nextRequest()),
        everyMilliseconds: 1000 / BATCHES_A_SECOND,
        expectedBody: JSON.stringify({ accepted: STATION_COUNT, replaced: 0, rejected: [] }),
      })
    await send(WARM_UP_BATCHES)
    await begin()
    return await send(batches)
  }

  #nextRequest(): Buffer {
    const records = minuteBatch(this.#first + this.minutes++)
    return postRequest('/ingest/v1/theme', this.#folder.ingestKey, JSON.stringify({ records }))
  }
}

async function waitForSealed(sealed: SealedFile): Promise<number> {
  const end = performance.now() + PATIENCE_MILLISECONDS
  while (performance.now() < end) {
    const count = sealed.count()
    if (count > 0) return count
    await delay(20)
  }
  throw new Error('the service does not begin to seal')
}
