import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild, type Child } from '../_child.ts'
import { runs } from '../_random.ts'
import { callHttps, type HttpResponse } from '../_service.ts'
import { limitMemory } from './_memory-limit.ts'
import { KEY, makeDataFolder, TOKEN, type DataFolder } from './_site.ts'

const LIMIT = 512 * 2 ** 20
const ROUNDS = runs(5, 1)
const BATCH = runs(100_000, 20_000)
/** One is long, one can be analysed in this memory. */
const SAMPLES = [runs(600_000, 300_000), 200_000]
const START = Date.UTC(2025, 0, 1)
const MINUTE = 60_000
const STATIONS = [1, 2, 3, 4]
/** Clients wait, so that the service can store what it has. */
const RETRY_MILLISECONDS = 200

const headers = { authorization: `Bearer ${KEY}` }

const read = (child: Child, path: string): Promise<HttpResponse> =>
  callHttps(
    `${child.origin}${path}${path.includes('?') ? '&' : '?'}token=${TOKEN}`,
    child.certificate,
    {
      headers: { 'accept-encoding': 'gzip' },
    },
  )

const localTime = (instant: number): string =>
  new Date(instant).toISOString().slice(0, 19).replace('T', ' ')

const window = (days: number) =>
  new URLSearchParams({
    startTime: localTime(START),
    endTime: localTime(START + days * 86_400_000),
  }).toString()

/** A batch of the largest size that the interface takes, of one station. */
function storeBatch(child: Child, station: number, round: number): Promise<HttpResponse> {
  const first = START + round * BATCH * MINUTE
  const body = Array.from(
    { length: BATCH },
    (_, at) =>
      `{"station":${station},"time":${first + at * MINUTE},"values":{"v":${Math.sin(at).toFixed(4)}}}`,
  ).join('\n')
  return callHttps(`${child.origin}/ingest/v1/theme`, child.certificate, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body,
  })
}

function storeWaveform(child: Child, second: number, length: number): Promise<HttpResponse> {
  const samples = Float32Array.from({ length }, (_, at) => Math.sin(at / (7 + second)))
  return callHttps(
    `${child.origin}/ingest/v1/vibration?station=7&collectTime=${START + second * 1000}&sampleFreq=100&unit=&encoding=float32`,
    child.certificate,
    {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/octet-stream' },
      body: new Uint8Array(samples.buffer),
    },
  )
}

/** Bodies that do not fit into the memory together get 503, and are sent again. */
async function untilStored(send: () => Promise<HttpResponse>): Promise<HttpResponse> {
  while (true) {
    const response = await send()
    if (response.status !== 503) return response
    await sleep(RETRY_MILLISECONDS)
  }
}

test('a service in 512 MB of memory bears large batches, long waveforms and readers of years', async (t) => {
  await using data = await makeOnDisk()
  await using limit = limitMemory(`plumbline-test-${process.pid}`, LIMIT)
  await using child = await startChild(
    data.folder,
    {
      PLUMBLINE_MEMORY_MEGABYTES: '512',
      PLUMBLINE_SEAL_EVERY_MINUTES: '0.05',
      // As docs/operating.md advises for such a container.
      NODE_OPTIONS: '--max-old-space-size=160',
      MALLOC_ARENA_MAX: '2',
    },
    limit === undefined ? {} : { before: limit.join },
  )
  const statuses = new Map<string, number>()
  const count = async (what: string, response: Promise<HttpResponse>) => {
    const name = `${what} ${(await response).status}`
    statuses.set(name, (statuses.get(name) ?? 0) + 1)
  }
  const readDays = (stations: string, days: number) =>
    read(child, `/api/v1/stations/theme/data?stations=${stations}&${window(days)}`)
  const readWaveform = (kind: string, second: number) =>
    read(
      child,
      `/api/v1/stations/7/vibration/${kind}?collectTime=${encodeURIComponent(localTime(START + second * 1000))}`,
    )

  for (let round = 0; round < ROUNDS; round++) {
    const seconds = [2 * round, 2 * round + 1]
    await Promise.all([
      ...STATIONS.map((station) =>
        count(
          'batch',
          untilStored(() => storeBatch(child, station, round)),
        ),
      ),
      ...seconds.map((second, at) =>
        count(
          'waveform',
          untilStored(() => storeWaveform(child, second, SAMPLES[at]!)),
        ),
      ),
    ])
    await Promise.all([
      ...STATIONS.map((station) => count('year', readDays(String(station), 365))),
      ...Array.from({ length: 20 }, (_, day) => count('days', readDays(STATIONS.join(), day + 1))),
      ...seconds.map((second) => count('raw', readWaveform('raw', second))),
      count('fft', readWaveform('fft', seconds[1]!)),
    ])
  }
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
  const peak = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024

  const inGroup =
    limit === undefined ? 'no control group' : `control group ${megabytes(limit.peakBytes())}`
  t.diagnostic(`${megabytes(peak)} resident, ${inGroup}, ${JSON.stringify([...statuses])}`)
  assert.deepEqual(Object.fromEntries(statuses), {
    'batch 200': 4 * ROUNDS,
    'waveform 200': 2 * ROUNDS,
    'year 200': 4 * ROUNDS,
    'days 200': 20 * ROUNDS,
    'raw 200': 2 * ROUNDS,
    'fft 200': ROUNDS,
  })
  assert.equal(limit?.kills() ?? 0, 0)
  assert.ok(peak < LIMIT, megabytes(peak))
})

/** The files of a folder in memory would count as memory of the service. */
async function makeOnDisk(): Promise<DataFolder> {
  const { TMPDIR: before } = process.env
  process.env['TMPDIR'] = '/var/tmp'
  try {
    return await makeDataFolder()
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`
