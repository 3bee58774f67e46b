import fc from 'fast-check'
import { IDS, ODD_KEYS } from '../_site.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Some days around the night in which Berlin puts its clocks forward. */
export const FIRST = Date.UTC(2026, 2, 26)
export const DAYS = 8
/** Where the clock of the services begins. */
export const START = FIRST + DAYS * DAY

/** A day mostly, seldom long ago, and sometimes ahead of the clock. */
export const instant = fc.oneof(
  { weight: 12, arbitrary: fc.nat(DAYS * 96).map((quarter) => FIRST + (quarter * HOUR) / 4) },
  { weight: 4, arbitrary: fc.nat(DAYS * DAY).map((at) => FIRST + at) },
  { weight: 3, arbitrary: fc.nat(240).map((minute) => START + minute * MINUTE) },
  { weight: 1, arbitrary: fc.nat(400).map((day) => START - day * DAY) },
  {
    weight: 1,
    arbitrary: fc.nat(90).map((minute) => Date.UTC(2026, 2, 29, 0, 30) + minute * MINUTE),
  },
)

export const local = (time: number): string =>
  new Date(time).toISOString().slice(0, 19).replace('T', ' ')

/** A time as senders write it: as a number, local, with an offset, or wrong. */
export const time: fc.Arbitrary<string | number> = instant.chain((at) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(at) },
    { weight: 4, arbitrary: fc.constant(local(at)) },
    { weight: 2, arbitrary: fc.constant(new Date(at).toISOString()) },
    { weight: 1, arbitrary: fc.constantFrom('2026-02-30 00:00:00', '', 'now', -1, 8.64e15, 1e300) },
  ),
)

const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: -400, max: 400 }) },
  { weight: 4, arbitrary: fc.integer({ min: -4000, max: 4000 }).map((tenths) => tenths / 10) },
  { weight: 3, arbitrary: fc.constantFrom(7, 7, 4.5, 5.5, 350, -350, 20) },
  { weight: 2, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  { weight: 2, arbitrary: fc.constant(null) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(-0, 0.1 + 0.2, 1e21, 5e-324, 1.7976931348623157e308, '3', true, {}),
  },
)

const KEYS: Readonly<Record<number, readonly string[]>> = {
  1001: ['strain', 'temperature'],
  1002: ['strain', 'temperature'],
  1003: ['strain', 'temperature'],
  1031: ['pv', 'ppv', 'trms'],
  1041: ['temperature'],
  2001: ['waterLevel'],
  2002: ODD_KEYS,
}
const STATIONS = [1001, 1001, 1002, 1003, 1031, 1041, 2001, 2001, 2002, 2003, 9]

export const valuesOf = (keys: readonly string[]): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 20, arbitrary: fc.dictionary(fc.constantFrom(...keys, ...keys, 'none'), value) },
    { weight: 1, arbitrary: fc.constantFrom({}, null, [], 'x') },
  )

export const quality = fc.oneof(
  { weight: 12, arbitrary: fc.constant(undefined) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'good',
      'uncertain',
      'bad',
      'bad: 电缆断了',
      'BadSensorFailure',
      0x80_00_00_00,
      { strain: 'bad: cable cut', temperature: null },
      { waterLevel: 'uncertain' },
      null,
      'wrong word',
    ),
  },
)

export const station = fc.constantFrom(...STATIONS)
export const sensor = fc.constantFrom(IDS.wire, IDS.wire, IDS.gauge, IDS.riverGauge, IDS.logger)

export const theme = station.chain((station) =>
  fc.record({
    station: fc.constant(station),
    time,
    values: valuesOf(KEYS[station] ?? ['strain']),
    quality,
  }),
)
export const raw = sensor.chain((sensor) =>
  fc.record({
    sensor: fc.constant(sensor),
    time,
    values: valuesOf(['frequency', 'temperature', 'reading', '__proto__']),
    quality,
  }),
)
export const vehicle = fc.record(
  {
    structure: fc.constantFrom(1, 1, 1, 2, 9),
    time,
    lane: fc.constantFrom('1', '2', '应急'),
    direction: fc.constantFrom(0, 1, 1, 2),
    axleCount: fc.integer({ min: 0, max: 6 }),
    load: fc.constantFrom(8, 30.25, 55.5, 1e-7, -1),
    id: fc.constantFrom('a1', 'a2', ''),
    license: fc.constantFrom('滬A·12345', '川B 8888', 'a_%b', '', 'İ'),
    axleLoad: fc.constantFrom('1,2,3', ''),
    overload: fc.boolean(),
  },
  { requiredKeys: ['structure', 'time', 'lane', 'direction', 'axleCount', 'load'] },
)
/** Instants of waveforms, so few that requests meet them, in the local time of the bridge. */
export const collectTime = fc.nat(DAYS * 3).map((at) => local(FIRST + at * 8 * HOUR))

export const waveform = fc.record({
  station: fc.constantFrom(1031, 1031, 1031, 1001, 9),
  collectTime: fc.oneof({ weight: 4, arbitrary: collectTime }, { weight: 1, arbitrary: time }),
  sampleFreq: fc.constantFrom(50, '100', 0.5, 0, 'x'),
  unit: fc.constantFrom('cm/s2', '', 'g'),
  samples: fc.oneof(
    fc.array(fc.double({ noNaN: true, min: -1, max: 1 }), { minLength: 1, maxLength: 40 }),
    fc
      .integer({ min: 64, max: 3000 })
      .map((count) => Array.from({ length: count }, (_, at) => Math.sin(at / 3))),
  ),
})
export const heartbeat = fc.record(
  {
    device: fc.oneof(
      { weight: 3, arbitrary: sensor },
      { weight: 2, arbitrary: fc.constant(IDS.logger) },
    ),
    time,
    error: fc.constantFrom('电池低', ''),
  },
  { requiredKeys: ['device', 'time'] },
)

/** Many records of one station, in a row: days that are sealed in several parts. */
export const series = fc
  .record({
    station: fc.constantFrom(1001, 1002, 2001, 2002),
    at: instant,
    count: fc.constantFrom(70, 700, 2500),
    step: fc.constantFrom(1000, MINUTE, 20 * MINUTE),
  })
  .map(({ station, at, count, step }) => {
    const [key = ''] = KEYS[station] ?? []
    const values = (time: number) => ({ [key]: Number((Math.sin(time / 5e6) * 6).toFixed(5)) })
    return Array.from({ length: count }, (_, index) => ({
      station,
      time: at + index * step,
      values: values(at + index * step),
    }))
  })

export const batch = <Record>(record: fc.Arbitrary<Record>): fc.Arbitrary<Record[]> =>
  fc.oneof(
    fc.array(record, { maxLength: 4 }),
    fc.array(record, { minLength: 5, maxLength: 40 }),
    // Twice in one batch.
    fc.tuple(record, record).map(([one, other]) => [one, other, one]),
  )
