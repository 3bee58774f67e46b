/** The site every scenario measures: two hundred stations of three items, one record a minute. */
export const STATION_COUNT = 200
export const ITEM_KEYS = ['x', 'y', 'z'] as const
export const MINUTE = 60_000
export const DAY_RECORDS = 1_440
export const DAY = DAY_RECORDS * MINUTE
export const YEAR_RECORDS = 525_600

/** Local midnight of the first day; records lie behind today's, so that no clock refuses them. */
export const FIRST_INSTANT = Date.parse('2024-01-01T00:00:00+08:00')

export const stationIds = (count = STATION_COUNT): number[] =>
  Array.from({ length: count }, (_, index) => index + 1)

export const stationName = (id: number): string => `Inclinometer ${id}`

export const ITEMS = Object.fromEntries(
  ITEM_KEYS.map((key) => [key, { name: `Displacement ${key}`, unit: 'mm' }]),
)

/** A site of one structure and one factor; each of the lists holds YAML mappings of a line. */
export const siteText = ({
  factor,
  items,
  stations,
  devices = [],
}: {
  factor: string
  items: readonly string[]
  stations: readonly string[]
  devices?: readonly string[]
}): string => `
timeZone: Asia/Shanghai
users: [{ id: 1, name: Bench, structures: all }]
structureTypes: [{ id: 2, name: Bridge }]
factors:
  - id: 1
    name: ${factor}
    items:
${items.map((item) => `      - ${item}`).join('\n')}
structures:
  - id: 1
    name: Measured bridge
    type: 2
    latitude: 30
    longitude: 114
    portrait: ''
    devices: [${devices.join(', ')}]
    factors:
      - factor: 1
        stations:
${stations.map((station) => `          - ${station}`).join('\n')}
`

export const SITE = siteText({
  factor: 'Displacement',
  items: ITEM_KEYS.map(
    (key, at) =>
      `{ id: ${at + 1}, key: ${key}, name: Displacement ${key}, unit: mm, precision: 0.01 }`,
  ),
  stations: stationIds().map(
    (id) => `{ id: ${id}, name: ${stationName(id)}, portrait: '', labels: [] }`,
  ),
})

export const STATIONS_A_STRUCTURE = 100

/** A site of many structures of a hundred stations each, with the items of the measured site. */
export function manyStations(count: number): string {
  const [head] = SITE.split('structures:\n  - id: 1')
  const structures = Array.from({ length: count / STATIONS_A_STRUCTURE }, (_, structure) => [
    `  - { id: ${structure + 1}, name: Bridge ${structure + 1}, type: 2, latitude: 30, longitude: 114,`,
    `      portrait: '', factors: [{ factor: 1, stations: [`,
    ...Array.from({ length: STATIONS_A_STRUCTURE }, (__, at) => {
      const id = structure * STATIONS_A_STRUCTURE + at + 1
      return `      { id: ${id}, name: ${stationName(id)}, portrait: '', labels: [] },`
    }),
    '      ] }] }',
  ])
  return `${head ?? ''}structures:\n${structures.flat().join('\n')}\n`
}

/** The id of a sensor by its number. */
export const sensorId = (number: number): string =>
  `6f1c1f9e-7c0e-4d0e-9d7a-${number.toString(16).padStart(12, '0')}`
