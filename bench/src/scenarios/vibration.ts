import { spectrum } from '../../../service/src/domain/vibration/spectrum.ts'
import { absolutes, advantage, compare } from '../compare.ts'
import { fetchHttps } from '../load/fetch.ts'
import { LoadProcess, type Target } from '../load/load.ts'
import { getRequest } from '../load/requests.ts'
import { forgetPeak, peakMegabytes, residentMegabytes } from '../process-figures.ts'
import type { Bench, Finding, Scenario } from '../scenario.ts'
import { makeDataFolder, type DataFolder } from '../servers/data-folder.ts'
import { startRival } from '../servers/rival.ts'
import { issueToken, startService } from '../servers/service.ts'
import { median } from '../statistics.ts'
import {
  CHANNELS,
  LONG_CHANNEL,
  SAMPLE_HZ,
  secondText,
  VIBRATION_SITE,
  waveform,
  waveformRequest,
} from '../waveforms.ts'

const MILLION = 1_000_000
const SHORT = 65_536
const INGEST_SECONDS = 10
const READERS = 8

const STORED = JSON.stringify({ accepted: 1, replaced: 0, rejected: [] })

export const vibration: Scenario = {
  title: 'Vibration: spectra and waveforms of 65,536 and of 1,000,000 points, and their ingest',

  async run(bench) {
    await using folder = await makeDataFolder([], VIBRATION_SITE)
    const ingest = await measureIngest(bench, folder)
    const spectra = await measureSpectra(bench, folder)
    const waves = await measureWaveforms(bench, folder)
    const findings = [...spectra, ...waves, ...ingest]
    return findings.toSorted(
      (a, b) => Number(b.target !== undefined) - Number(a.target !== undefined),
    )
  },
}

export const NO_CACHE = { PLUMBLINE_VIBRATION_CACHE_MEGABYTES: '0' }

type Readable = Target & { path(way: 'raw' | 'fft', seconds: number): string; token: string }

/** Starts a service on a folder of waveforms. */
export async function startVibration(
  folder: DataFolder,
  settings: Record<string, string> = {},
): Promise<Readable> {
  const server = await startService(folder.path, [], settings)
  const token = await issueToken(server, folder)
  const path = (way: string, seconds: number) =>
    `/api/v1/stations/${LONG_CHANNEL}/vibration/${way}?${new URLSearchParams({
      collectTime: secondText(seconds),
      token,
    })}`
  return { ...server, ca: folder.ca, token, path }
}

/** Fifty channels send ten seconds each every ten seconds, one after the other. */
async function measureIngest(
  { load, isQuick, say }: Bench,
  folder: DataFolder,
): Promise<Finding[]> {
  say('ingest')
  await using target = await startVibration(folder)
  const everyMilliseconds = (INGEST_SECONDS * 1000) / CHANNELS
  const samples = waveform(INGEST_SECONDS * SAMPLE_HZ)
  const rounds = isQuick ? 1 : 4
  const requests = Array.from({ length: CHANNELS * rounds }, (_, at) =>
    waveformRequest(folder.ingestKey, {
      station: (at % CHANNELS) + 1,
      seconds: INGEST_SECONDS * Math.floor(at / CHANNELS),
      samples,
    }),
  )
  const job = { connections: 4, requests, expectedBody: STORED }
  const measured = await load.run(target, { ...job, everyMilliseconds })

  await storeLongWaveforms(load, target, folder)
  const what = `ingest of ${CHANNELS} channels x ${SAMPLE_HZ} Hz in batches of ${INGEST_SECONDS} s`
  return [
    {
      what: `${what}: cores`,
      value: measured.serverCpuMilliseconds / measured.milliseconds,
      unit: 'cores',
      target: { atMost: 1 },
    },
    { what: `${what}: answer, 99th percentile`, value: measured.response.p99, unit: 'ms' },
  ]
}

async function measureSpectra({ load, isQuick, say }: Bench, folder: DataFolder) {
  say('spectra')
  await using target = await startVibration(folder, NO_CACHE)
  const times = isQuick ? 5 : 30
  const ask = (seconds: number, count: number) =>
    load.run(target, {
      connections: 1,
      requests: Array.from({ length: count }, () =>
        getRequest({ path: target.path('fft', seconds) }),
      ),
    })
  await ask(0, 5)
  const short = await ask(0, times)
  const transform = measureTransform(SHORT)
  const findings: Finding[] = [
    {
      what: `fft of ${SHORT} points, nothing cached: median of ${times}`,
      value: short.response.median,
      unit: 'ms',
      target: { atMost: 60 },
    },
    {
      what: `fft of ${SHORT} points: part of it that is not the transform`,
      value: 1 - transform / short.response.median,
      target: { atLeast: 0.5 },
    },
  ]

  const rounds = isQuick ? 2 : 10
  await ask(1_000, 1)
  const long = await ask(1_000, rounds)
  await using others = new LoadProcess()
  const newest = getRequest({
    path: `/api/v1/stations/theme/data?stations=1&limit=1&token=${target.token}`,
  })
  const small = { connections: 4, requests: [newest], everyMilliseconds: 5 }
  const idle = await others.run(target, { ...small, milliseconds: isQuick ? 500 : 2_000 })
  const milliseconds = isQuick ? 2_000 : 10_000
  const [beside] = await Promise.all([
    others.run(target, { ...small, milliseconds }),
    load.run(target, {
      connections: 1,
      requests: [getRequest({ path: target.path('fft', 1_000) })],
      milliseconds,
    }),
  ])
  return [
    ...findings,
    {
      what: `fft of ${MILLION} points, nothing cached: median of ${rounds}`,
      value: long.response.median,
      unit: 'ms',
      target: { atMost: 1500 },
    },
    {
      what: `newest record meanwhile: 99th percentile`,
      value: beside.response.p99,
      unit: 'ms',
      target: { atMost: 50 },
    },
    { what: 'newest record before: 99th percentile', value: idle.response.p99, unit: 'ms' },
    { what: `transform of ${SHORT} points alone, median`, value: transform, unit: 'ms' },
    {
      what: `transform of ${MILLION} points alone, median`,
      value: measureTransform(MILLION),
      unit: 'ms',
    },
  ]
}

/** Stores a waveform of 65,536 points at second 0, and one of a million at second 1,000. */
export async function storeLongWaveforms(
  load: LoadProcess,
  target: Target,
  { ingestKey }: DataFolder,
): Promise<void> {
  const requests = [
    { seconds: 0, samples: waveform(SHORT) },
    { seconds: 1_000, samples: waveform(MILLION, 2) },
  ].map((wave) => waveformRequest(ingestKey, { station: LONG_CHANNEL, ...wave }))
  await load.run(target, { connections: 1, requests, expectedBody: STORED })
}

function measureTransform(count: number): number {
  const samples = Float64Array.from(waveform(count))
  const times = Array.from({ length: 7 }, () => {
    const begin = performance.now()
    spectrum(samples, SAMPLE_HZ)
    return performance.now() - begin
  })
  return median(times)
}

const requestOf = (target: Readable) => getRequest({ path: target.path('raw', 1_000) })

async function measureWaveforms({ load, isQuick, say }: Bench, folder: DataFolder) {
  say('waveforms')
  await using stack = new AsyncDisposableStack()
  const cached = stack.use(await startVibration(folder))
  const fresh = stack.use(await startVibration(folder, NO_CACHE))
  const path = cached.path('raw', 1_000)
  const { body } = await fetchHttps({ ...cached, path })
  const other = await fetchHttps({ ...fresh, path: fresh.path('raw', 1_000) })
  if (!body.equals(other.body)) throw new Error('the answers differ')
  const { tls, ca } = folder
  const limit = stack.use(await startRival('bare', { tls, responses: new Map([[path, body]]) }))

  const contenders = {
    cached: { name: 'raw, cached', target: cached, requests: [requestOf(cached)] },
    fresh: { name: 'raw, nothing cached', target: fresh, requests: [requestOf(fresh)] },
    bare: { name: 'bare server', target: { ...limit, ca }, requests: [getRequest({ path })] },
  }
  const rounds = { rounds: isQuick ? 2 : 7, milliseconds: isQuick ? 700 : 2_500, connections: 2 }
  const { bare, ...own } = await compare(load, contenders, rounds)

  const before = residentMegabytes(fresh.pid)
  forgetPeak(fresh.pid)
  const many = Array.from({ length: READERS * 2 }, () => requestOf(fresh))
  await load.run(fresh, { connections: READERS, requests: many })
  const target = { atLeast: 0.5 }
  const [rate, cpu] = advantage(
    `raw of ${MILLION} points, nothing cached, of the bare server`,
    own.fresh,
    bare,
  )
  return [
    ...advantage(`raw of ${MILLION} points, cached, of the bare server`, own.cached, bare, {
      target,
    }),
    { ...rate, target },
    cpu,
    {
      what: `raw of ${MILLION} points: growth while ${READERS} read, for each`,
      value: (peakMegabytes(fresh.pid) - before) / READERS,
      unit: 'MB',
      target: { atMost: 8 },
    },
    { what: `raw of ${MILLION} points`, value: body.length / 2 ** 20, unit: 'MB' },
    ...absolutes('cached', own.cached),
    ...absolutes('nothing cached', own.fresh),
    ...absolutes('bare server', bare),
  ] satisfies Finding[]
}
