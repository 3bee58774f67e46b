import { join } from 'node:path'
import { parseNumber, round, type ThemeRecord, type VibrationBatch } from './records.ts'
import { readOnlyMember, readZip } from './zip.ts'

const STRAIN = 1001
const FORCE_1 = 1002
const FORCE_2 = 1003
const INCLINATION = 1004
const AIR_TEMPERATURE = 1005
const ACCELERATION = 1006

const SAMPLE_HZ = 100
const BATCH_SECONDS = 60

/** One column of a 100 Hz file that becomes a station's one-second means. */
type Channel = { station: number; key: string; column: number; digits: number }
type Row = { time: string; fields: string[] }

export function readMunichTestBridge(folder: string): {
  theme: ThemeRecord[]
  vibration: VibrationBatch[]
} {
  const reference = readRows(
    readOnlyMember(join(folder, 'ReferenceStateForceAt100Hz.csv.zip')).toString('latin1'),
    'Time (-),FRC-01 (kN),FRC-02 (kN)',
  )
  const loadTest = readRows(
    readOnlyMember(join(folder, 'UniBw_2022-04-11_ref_support_load_01AllM100Hz.csv.zip')).toString(
      'latin1',
    ),
    'Time (-),ACC01_z [g],DMS_AS [um/m],FRC-01 [kN],INC01 [deg]',
  ).map(({ time, fields }) => ({ time: swapDayAndMonth(time), fields }))

  return {
    theme: [
      ...secondMeans(loadTest, { station: STRAIN, key: 'strain', column: 2, digits: 4 }),
      ...secondMeans(reference, { station: FORCE_1, key: 'force', column: 1, digits: 5 }),
      ...secondMeans(loadTest, { station: FORCE_1, key: 'force', column: 3, digits: 5 }),
      ...secondMeans(reference, { station: FORCE_2, key: 'force', column: 2, digits: 5 }),
      ...secondMeans(loadTest, { station: INCLINATION, key: 'angle', column: 4, digits: 6 }),
      ...airTemperatures(join(folder, 'TemperatureData2022-04-11.zip')),
    ],
    vibration: minuteBatches(loadTest),
  }
}

function readRows(text: string, header: string): Row[] {
  const [first, ...lines] = text.trimEnd().split(/\r?\n/)
  if (first !== header) throw new Error(`expected the columns ${header}, found ${first}`)
  return lines.map((line) => {
    const fields = line.split(',')
    return { time: fields[0] ?? '', fields }
  })
}

/** The load test file says 2022-11-04 for 2022-04-11. */
function swapDayAndMonth(time: string): string {
  return time.replace(/^(\d{4})-(\d\d)-(\d\d)/, '$1-$3-$2')
}

function secondMeans(rows: readonly Row[], channel: Channel): ThemeRecord[] {
  const { station, key, column, digits } = channel
  const seconds = Map.groupBy(rows, ({ time }) => time.slice(0, 19))
  return [...seconds].map(([time, samples]) => {
    const sum = samples.reduce((total, { fields }) => total + parseNumber(fields[column]), 0)
    return { station, time, values: { [key]: round(sum / samples.length, digits) } }
  })
}

function minuteBatches(rows: readonly Row[]): VibrationBatch[] {
  const batches: VibrationBatch[] = []
  for (let at = 0; at < rows.length; at += BATCH_SECONDS * SAMPLE_HZ) {
    const batch = rows.slice(at, at + BATCH_SECONDS * SAMPLE_HZ)
    batches.push({
      station: ACCELERATION,
      collectTime: batch[0]?.time.slice(0, 19) ?? '',
      sampleFreq: SAMPLE_HZ,
      unit: 'g',
      samples: batch.map(({ fields }) => singlePrecision(parseNumber(fields[1]))),
    })
  }
  return batches
}

/** Seven significant digits, about what single precision holds: far below the sensor's noise. */
function singlePrecision(value: number): number {
  return Number(value.toPrecision(7))
}

/** The first reading of every ten seconds; the logger resolves 0.1 °C, the rest is float noise. */
function airTemperatures(path: string): ThemeRecord[] {
  const records: ThemeRecord[] = []
  for (const file of readZip(path).values()) {
    const rows = readRows(file.toString('latin1'), 'Time (-),Air Temperature (°C),')
    const tenSeconds = Map.groupBy(rows, ({ time }) => time.slice(0, 18))
    for (const [reading] of tenSeconds.values()) {
      if (reading === undefined) continue
      records.push({
        station: AIR_TEMPERATURE,
        time: dayFirstTime(reading.time),
        values: { temperature: round(parseNumber(reading.fields[1]), 1) },
      })
    }
  }
  return records.toSorted((a, b) => (a.time < b.time ? -1 : 1))
}

/** `11.04.2022 08:36:25.984` is `2022-04-11 08:36:25`. */
function dayFirstTime(time: string): string {
  return time.slice(0, 19).replace(/^(\d\d)\.(\d\d)\.(\d{4})/, '$3-$2-$1')
}
