import {
  summarizeHours,
  type HourSummary,
} from '../../../service/src/domain/records/hour-summary.ts'
import { POINTS_AT_ONCE, writePoints } from '../../../service/src/domain/vibration/point-text.ts'
import { decodeHours, encodeHours } from '../../../service/src/storage/sealed-days/hour-codec.ts'
import { getRequest } from '../load/requests.ts'
import { deflateHours, inflateHours, writePlainPoints } from '../plain-encodings.ts'
import type { Bench, Finding, Scenario } from '../scenario.ts'
import { series, SITE_ZONE } from '../series.ts'
import { makeDataFolder } from '../servers/data-folder.ts'
import { sealDays } from '../servers/seal.ts'
import { DAY_RECORDS, ITEM_KEYS } from '../site.ts'
import { median } from '../statistics.ts'
import { SAMPLE_HZ, VIBRATION_SITE, waveform } from '../waveforms.ts'
import { makeYearFolder, readAlone } from './long-answers.ts'
import { CHART_OF_YEAR } from './sealed-days.ts'
import { NO_CACHE, startVibration, storeLongWaveforms } from './vibration.ts'

const MILLION = 1_000_000
const DAYS = 365

/** An own encoding stays where the platform's would cost more than such a part of a response. */
const WORTH = { atLeast: 0.2 }

export const encodings: Scenario = {
  title: 'Own encodings beside those of the platform: text of numbers, summaries of hours',

  async run(bench) {
    bench.say('text of numbers')
    const texts = await measureTexts(bench)
    bench.say('summaries of hours')
    return [...texts, ...(await measureHours(bench))]
  },
}

async function measureTexts({ load, isQuick }: Bench): Promise<Finding[]> {
  await using folder = await makeDataFolder([], VIBRATION_SITE)
  await using target = await startVibration(folder, NO_CACHE)
  await storeLongWaveforms(load, target, folder)
  const request = getRequest({ path: target.path('raw', 1_000) })
  await load.run(target, { connections: 1, requests: [request, request] })
  const requests = Array.from({ length: isQuick ? 3 : 15 }, () => request)
  const read = await load.run(target, { connections: 1, requests })

  const samples = Float64Array.from(waveform(MILLION))
  const scale = { name: 'time', base: 0, factor: 1, divisor: SAMPLE_HZ } as const
  const times = compareTimes(isQuick, {
    own: () => writeAll(samples, (part, first) => writePoints(part, first, scale)),
    platform: () => writeAll(samples, (part, first) => writePlainPoints(part, first, SAMPLE_HZ)),
  })
  return describe(`${MILLION} points of a waveform`, 'String(x)', times, cpuPerResponse(read))
}

function writeAll(
  samples: Float64Array,
  write: (part: Float64Array, first: number) => Uint8Array,
): number {
  let bytes = 0
  for (let first = 0; first < samples.length; first += POINTS_AT_ONCE)
    bytes += write(samples.subarray(first, first + POINTS_AT_ONCE), first).length
  return bytes
}

async function measureHours({ load, isQuick }: Bench): Promise<Finding[]> {
  await using folder = await makeYearFolder()
  await sealDays(folder.path)
  const read = await readAlone(load, folder, CHART_OF_YEAR, isQuick ? 5 : 30)

  const days = hoursOfYear()
  const own = days.map((hours) => encodeHours(hours))
  const platform = days.map((hours) => deflateHours(hours))
  const [item] = ITEM_KEYS
  const times = compareTimes(isQuick, {
    own: () => own.reduce((sum, bytes) => sum + decodeHours(bytes, item).length, 0),
    platform: () => platform.reduce((sum, bytes) => sum + inflateHours(bytes, item).length, 0),
  })
  return [
    ...describe('chart of a year', 'DEFLATE of doubles', times, cpuPerResponse(read)),
    { what: 'hours of a day, three items: own encoding', value: bytesADay(own), unit: 'bytes' },
    { what: 'hours of a day, three items: DEFLATE', value: bytesADay(platform), unit: 'bytes' },
  ]
}

const bytesADay = (days: readonly Uint8Array[]): number =>
  days.reduce((sum, { length }) => sum + length, 0) / DAYS

function hoursOfYear(): HourSummary[][] {
  const records = [...series(DAY_RECORDS * DAYS)]
  return Array.from({ length: DAYS }, (_, day) => {
    const ofDay = records.slice(day * DAY_RECORDS, (day + 1) * DAY_RECORDS)
    const texts = ofDay.map(({ values }) =>
      JSON.stringify(Object.fromEntries(ITEM_KEYS.map((key, at) => [key, values[at]]))),
    )
    return summarizeHours(
      texts.join(),
      ofDay.map(({ instant }) => instant),
      SITE_ZONE,
    )
  })
}

type Times = { own: number; platform: number }

/** The median processor time, in milliseconds, of two ways that give the same result, measured in turns. */
function compareTimes(
  isQuick: boolean,
  { own, platform }: { own: () => number; platform: () => number },
): Times {
  if (own() !== platform()) throw new Error('the two encodings do not give the same result')
  const times = Array.from({ length: isQuick ? 3 : 15 }, () => ({
    own: timeOf(own),
    platform: timeOf(platform),
  }))
  return {
    own: median(times.map((time) => time.own)),
    platform: median(times.map((time) => time.platform)),
  }
}

function timeOf(run: () => number): number {
  const begin = process.threadCpuUsage()
  run()
  const { user, system } = process.threadCpuUsage(begin)
  return (user + system) / 1000
}

const cpuPerResponse = (read: { serverCpuMilliseconds: number; responses: number }): number =>
  read.serverCpuMilliseconds / read.responses

const describe = (what: string, name: string, times: Times, response: number): Finding[] => [
  {
    what: `${what}: what ${name} would cost more, by the CPU of a response`,
    value: (times.platform - times.own) / response,
    target: WORTH,
  },
  { what: `${what}: own encoding`, value: times.own, unit: 'ms' },
  { what: `${what}: ${name}`, value: times.platform, unit: 'ms' },
  { what: `${what}: server CPU per response`, value: response, unit: 'ms' },
]
