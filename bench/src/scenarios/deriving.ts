import { BATCH_RECORDS } from '../batches.ts'
import { measureBeside, type Shares, type Way } from '../beside.ts'
import type { LoadProcess } from '../load/load.ts'
import type { Finding, Scenario } from '../scenario.ts'
import { SITE_ZONE } from '../series.ts'
import { FIRST_INSTANT, MINUTE, STATION_COUNT, sensorId, siteText, stationIds } from '../site.ts'

export const deriving: Scenario = {
  title: 'Deriving: raw records of two values that become station values',

  async run({ load, isQuick, say }) {
    const findings: Finding[] = []
    for (const way of WAYS)
      for (const made of MADE) {
        say(`${way.name}, ${made.name}`)
        findings.push(...(await measure(load, way, made, isQuick)))
      }
    return findings
  },
}

/** The record of a vibrating-wire sensor at a minute counted from the first instant. */
const rawRecord = (sensor: number, minute: number) => ({
  sensor: sensorId(sensor),
  time: SITE_ZONE.toLocal(FIRST_INSTANT + minute * MINUTE),
  values: {
    frequency: 1500 + ((minute * 7 + sensor) % 997) / 10,
    temperature: 10 + (minute % 200) / 10,
  },
})

/** A station record of about the size of the one that is derived from a raw record. */
const toReady = ({ sensor, time, values }: ReturnType<typeof rawRecord>) => ({
  station: Number.parseInt(sensor.slice(-12), 16),
  time,
  values: { strain: Math.round(values.frequency * 10) / 10 },
})

type RawWay = Omit<Way, 'records'> & {
  name: string
  records(number: number): ReturnType<typeof rawRecord>[]
}

const MINUTES = BATCH_RECORDS / STATION_COUNT

const WAYS: readonly RawWay[] = [
  {
    name: 'batches of 1,000',
    path: 'raw',
    connections: 4,
    requests: 100,
    records: (number) =>
      Array.from({ length: MINUTES }, (_, at) => number * MINUTES + at).flatMap((minute) =>
        stationIds().map((sensor) => rawRecord(sensor, minute)),
      ),
  },
  {
    name: 'single records, 64 clients',
    path: 'raw',
    connections: 64,
    requests: 6_000,
    records: (number) => [
      rawRecord((number % STATION_COUNT) + 1, Math.floor(number / STATION_COUNT)),
    ],
  },
]

const RAW_ITEMS =
  '{ key: frequency, name: Frequency, unit: Hz }, { key: temperature, name: Temperature, unit: °C }'

const STRAIN = `kind: vibratingWireStrain, item: strain, k: 0.00391, kt: 12.2, f0: 1580.2, t0: 19.5`

/** What becomes of the raw records: the stations of 200 sensors. */
const MADE: readonly { name: string; stations: readonly string[]; target?: Finding['target'] }[] = [
  {
    name: 'strain of vibrating wires',
    stations: listStations((id) => `sensors: [${sensorId(id)}], conversion: { ${STRAIN} }`),
    target: { atLeast: 0.7 },
  },
  {
    name: 'strain, and the temperature as a formula',
    stations: listStations(
      (id) =>
        `sensors: [${sensorId(id)}], conversion: [{ ${STRAIN} }, { kind: expression, item: temperature, formula: 'temperature - 0.1' }]`,
    ),
    target: { atLeast: 0.7 },
  },
  {
    name: 'strain with the temperature of a second sensor within 5 s',
    stations: listStations((id) => {
      const [first, second] = [sensorId(id), sensorId((id % STATION_COUNT) + 1)]
      return `sensors: [${first}, ${second}], alignSeconds: 5, conversion: { ${STRAIN}, temperature: ${second}/temperature }`
    }),
  },
]

function listStations(from?: (id: number) => string): string[] {
  const made = (id: number): string => (from === undefined ? '' : `, from: { ${from(id)} }`)
  return stationIds().map((id) => `{ id: ${id}, name: S-${id}${made(id)} }`)
}

const siteOf = (stations: readonly string[]): string =>
  siteText({
    factor: 'Strain',
    items: [
      '{ id: 1, key: strain, name: Strain, unit: µε, precision: 0.1 }',
      '{ id: 2, key: temperature, name: Temperature, unit: °C, precision: 0.1 }',
    ],
    stations,
    devices: stationIds().map(
      (id) => `{ id: ${sensorId(id)}, name: VW-${id}, kind: sensor, items: [${RAW_ITEMS}] }`,
    ),
  })

async function measure(
  load: LoadProcess,
  way: RawWay,
  { name, stations, target }: (typeof MADE)[number],
  isQuick: boolean,
): Promise<Finding[]> {
  const sites = { plain: siteOf(listStations()), loaded: siteOf(stations) }
  const ready = { path: 'theme', records: (number: number) => way.records(number).map(toReady) }
  const { rate, cpu, sent } = await measureBeside(load, way, sites, isQuick ? 2 : 5, ready)
  const what = `${way.name}: ${name}`
  return [
    {
      what: `${what}: of the raw records/s without stations`,
      value: rate.median,
      range: [rate.least, rate.greatest],
      ...(target === undefined ? {} : { target }),
    },
    { what: `${what}: CPU by that without`, value: cpu.median, range: [cpu.least, cpu.greatest] },
    ...(sent === undefined ? [] : describeSent(what, sent)),
  ]
}

const describeSent = (what: string, { rate, cpu }: Shares): Finding[] => [
  {
    what: `${what}: of the raw records/s where clients send the station records too`,
    value: rate.median,
    range: [rate.least, rate.greatest],
  },
  {
    what: `${what}: CPU by that where clients send them`,
    value: cpu.median,
    range: [cpu.least, cpu.greatest],
  },
]
