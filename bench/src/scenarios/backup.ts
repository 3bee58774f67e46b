import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { minuteBatch } from '../batches.ts'
import { postRequest } from '../load/requests.ts'
import type { Bench, Finding, Scenario } from '../scenario.ts'
import { SealedFile, widen } from '../sealed.ts'
import { keep } from '../servers/child.ts'
import { makeDataFolder, makeTemporaryFolder, type DataFolder } from '../servers/data-folder.ts'
import { sealDays } from '../servers/seal.ts'
import { startService } from '../servers/service.ts'
import { DAY, DAY_RECORDS, FIRST_INSTANT, STATION_COUNT, stationIds } from '../site.ts'
import { median, ratio } from '../statistics.ts'
import { sizeOf } from './disk.ts'

const ROUNDS = 5
const BATCHES_A_SECOND = 20

/** Ten million records; the huge run has ten times as many stations. */
const DAYS = 35

export const backups: Scenario = {
  title: 'Backup beside a running service, by cp of the same bytes',

  async run(bench) {
    const { isQuick, isHuge, say } = bench
    await using stack = new AsyncDisposableStack()
    const days = isQuick ? 2 : DAYS
    say('filling and sealing')
    const folder = stack.use(
      await makeDataFolder([{ stations: stationIds(), records: (days + 1) * DAY_RECORDS }]),
    )
    await sealDays(folder.path, FIRST_INSTANT + days * DAY)
    const times = isHuge ? 10 : 1
    const last = widen(folder.database, times)
    const to = await makeTemporaryFolder(stack)
    const copies = await measureCopies(folder, to, isQuick ? 2 : ROUNDS)
    say('one more day')
    await backUp(folder, join(to, 'days'))
    await sealDays(folder.path)
    widen(folder.database, times, last)
    const day = describeDay(folder, last, await backUp(folder, join(to, 'days')))
    say('ingest beside backups')
    const beside = await measureIngest(bench, folder, to, days + 1)
    return [...copies, ...day, ...beside]
  },
}

type Made = { milliseconds: number; bytes: number; seconds: number }

function describeDay(
  { database }: DataFolder,
  last: number,
  { milliseconds, bytes }: Made,
): Finding[] {
  using sealed = new SealedFile(database)
  const { records, bytes: ofDay } = sealed.measureAfter(last)
  return [
    {
      what: 'a backup after one more day, its whole process',
      value: milliseconds,
      unit: 'ms',
      target: { atMost: 2_000 },
    },
    { what: 'a backup after one more day', value: bytes / 1_000_000, unit: 'MB' },
    { what: 'that day, sealed', value: ofDay / 1_000_000, unit: 'MB' },
    { what: 'that day', value: records, unit: 'records' },
  ]
}

async function measureCopies(folder: DataFolder, to: string, rounds: number): Promise<Finding[]> {
  const [copied, whole, made]: [number[], number[], number[]] = [[], [], []]
  let second: Made | undefined
  for (let round = 0; round < rounds; round++) {
    copied.push(await timeCopy(folder.database, join(to, 'copy.db')))
    const first = await backUp(folder, join(to, `backups-${round}`))
    whole.push(first.milliseconds)
    made.push(first.seconds * 1000)
    second = await backUp(folder, join(to, `backups-${round}`))
    await rm(join(to, `backups-${round}`), { recursive: true })
  }
  const speed = ratio(copied, made)
  const withStart = ratio(copied, whole)
  const megabytes = (await sizeOf(folder.database)) / 1_000_000
  return [
    {
      what: 'first backup, by cp and fsync of the same bytes: speed, without the start of its process',
      value: speed.median,
      range: [speed.least, speed.greatest],
      target: { atLeast: 0.5 },
    },
    {
      what: 'the same, with the start of its process',
      value: withStart.median,
      range: [withStart.least, withStart.greatest],
    },
    { what: 'the database', value: megabytes, unit: 'MB' },
    { what: 'cp and fsync', value: median(copied), unit: 'ms' },
    { what: 'first backup, its whole process', value: median(whole), unit: 'ms' },
    {
      what: 'a backup after nothing new, its whole process',
      value: second?.milliseconds ?? NaN,
      unit: 'ms',
      target: { atMost: 2_000 },
    },
    { what: 'a backup after nothing new', value: (second?.bytes ?? NaN) / 1_000_000, unit: 'MB' },
  ]
}

/** Live records at a steady pace, alone and while backups are made one after the other. */
async function measureIngest(
  { load, isQuick }: Bench,
  folder: DataFolder,
  to: string,
  days: number,
): Promise<Finding[]> {
  const count = isQuick ? 40 : 300
  await using service = await startService(folder.path)
  const target = { ...service, ca: folder.ca }
  let minute = days * DAY_RECORDS
  const send = (batches: number) =>
    load.run(target, {
      connections: 4,
      requests: Array.from({ length: batches }, () =>
        postRequest(
          '/ingest/v1/theme',
          folder.ingestKey,
          JSON.stringify({ records: minuteBatch(minute++) }),
        ),
      ),
      everyMilliseconds: 1000 / BATCHES_A_SECOND,
      expectedBody: JSON.stringify({ accepted: STATION_COUNT, replaced: 0, rejected: [] }),
    })
  await send(40)
  const alone = await send(count)
  const done = new AbortController()
  const making = (async () => {
    const made: Made[] = []
    for (let at = 0; !done.signal.aborted; at++) {
      made.push(await backUp(folder, join(to, `beside-${at}`)))
    }
    return made
  })()
  const beside = await send(count)
  done.abort()
  const made = await making
  const what = `ingest, ${BATCHES_A_SECOND} batches of ${STATION_COUNT} a second`
  return [
    {
      what: `${what}: 99th percentile while first backups are made, by that of before`,
      value: beside.response.p99 / alone.response.p99,
      target: { atMost: 2 },
    },
    { what: `${what}, before: 99th percentile`, value: alone.response.p99, unit: 'ms' },
    { what: `${what}, beside backups: 99th percentile`, value: beside.response.p99, unit: 'ms' },
    { what: 'first backups that were made meanwhile', value: made.length },
  ]
}

async function backUp(folder: DataFolder, to: string): Promise<Made> {
  const begin = performance.now()
  const child = spawn('plumbline', ['backup', to, '--data', folder.path, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  keep(child)
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  if (code !== 0) throw new Error(`plumbline backup ended with ${code}`)
  return { ...(JSON.parse(said) as Made), milliseconds: performance.now() - begin }
}

async function timeCopy(file: string, to: string): Promise<number> {
  const begin = performance.now()
  await copyFile(file, to)
  const handle = await open(to, 'r')
  await handle.sync()
  await handle.close()
  const milliseconds = performance.now() - begin
  await rm(to)
  return milliseconds
}
