import fc from 'fast-check'

const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
  fc.constantFrom('yes', '12', '~', 'a: b', '- a', ' a', "it's", '2025-01-01', '桥梁', 'a\nb', '#'),
)
const number = fc.double({ noNaN: true, min: -1e6, max: 1e6 })
const unit = fc.constantFrom('', 'mm', 'µε', '°C', 'counts')
const keys = fc.uniqueArray(
  fc.oneof(
    fc.constantFrom('strain', 'x', '__proto__', 'constructor', 'water level', '12', 'a=b', '应变'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }).filter((key) => key !== 'time'),
  ),
  { minLength: 1, maxLength: 3 },
)
const zone = fc.constantFrom('UTC', 'Asia/Shanghai', 'Europe/Berlin')

const optional = <Value>(name: string, value: fc.Arbitrary<Value>) =>
  fc.option(value, { nil: undefined }).map((one) => (one === undefined ? {} : { [name]: one }))

const joined = (...parts: fc.Arbitrary<object>[]) =>
  fc.tuple(...parts).map((objects) => Object.assign({}, ...objects) as Record<string, unknown>)

const record = fc.record

/** Counts up from 1, so that no id is used twice; a hexadecimal digit may be a capital letter. */
class Ids {
  #last = 0
  next = (): number => ++this.#last
  uuid = (): string => `6F1C1f9e-7c0e-4d0e-9d7a-${String(this.next()).padStart(12, '0')}`
}

const levels = (name: string) =>
  fc
    .uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 2 })
    .map((list) => list.map((level, at) => ({ level, [name]: at + 1.5 })))

const rate = joined(
  fc.constantFrom(
    { per: 'hour' },
    { per: 'day', days: 3 },
    { per: 'hour', overMinutes: 15, direction: 'rising', clause: 'GB 1' },
    { per: 'day', consecutive: true, unconfirmed: true },
    { per: 'day', longestGap: 3 },
  ),
  levels('limit').map((list) => ({ levels: list })),
)

const rules = joined(
  optional('rates', fc.array(rate, { maxLength: 2 })),
  optional('range', fc.constantFrom({ low: -200, high: 200, level: 3 }, { low: -1, level: 1 })),
  optional('frozen', fc.constantFrom({ hours: 24, level: 3 }, { hours: 1, epsilon: 2, level: 1 })),
  optional(
    'design',
    levels('percent').map((list) => ({ value: 40, levels: list, isSymmetric: false })),
  ),
)

const config = fc.constantFrom(
  [{ thresholds: [{ level: 1, value: '( - , -300 ) ；[300,+∞]' }] }],
  [{ startTime: null, thresholds: [{ level: 2, value: '(-,5)' }], unconfirmed: true }],
)

const slots = [
  { startTime: '06:00', endTime: '22:00:00', thresholds: [{ level: 1, value: '(5,+)' }] },
  { startTime: '22:00:00', endTime: '06:00:00', thresholds: [{ level: 1, value: '(4,+)' }] },
]

const batchSettings = joined(
  optional('enabled', fc.boolean()),
  optional('raiseAfter', fc.constantFrom({ records: 3 }, { records: 2, of: 5 }, { minutes: 1.5 })),
  optional('clearAfter', fc.integer({ min: 1, max: 9 })),
  optional('clearAfterMinutes', fc.integer({ min: 0, max: 90 })),
  optional('needsPerson', fc.boolean()),
)

type Draft = {
  ids: Ids
  factors: readonly FactorDraft[]
}
type FactorDraft = {
  id: number
  timeDivision: boolean
  items: { key: string }[]
}

const itemOf = ({ items, timeDivision }: FactorDraft) =>
  fc.tuple(rules, config, fc.boolean()).map(([rest, list, isDivided]) => ({
    item: items[0]!.key,
    ...(isDivided && timeDivision ? { timeDivision: true, config: slots } : { config: list }),
    hysteresis: { percent: 5 },
    ...rest,
  }))

type DeviceDraft = { id: string; items: { key: string }[] }

/** A device without a parent, or sensors below it. */
const devices = ({ ids }: Draft) =>
  fc
    .array(fc.tuple(text, keys, unit, fc.boolean(), fc.option(fc.integer({ min: 1, max: 600 }))), {
      minLength: 1,
      maxLength: 3,
    })
    .map((list) => {
      const dtu = { id: ids.uuid(), name: 'DTU', kind: 'dtu', intervalSeconds: null }
      const sensors = list.map(([name, sent, ofItem, isBelow, intervalSeconds]) => ({
        id: ids.uuid(),
        name,
        kind: 'sensor',
        ...(isBelow ? { parent: dtu.id } : {}),
        ...(intervalSeconds === null ? {} : { intervalSeconds }),
        items: sent.map((key) => ({ key, name: 'N', ...(ofItem === '' ? {} : { unit: ofItem }) })),
      }))
      return { all: [...sensors, dtu], sensors }
    })

const from = (factor: FactorDraft, [first, ...others]: readonly DeviceDraft[]) => {
  const [key = ''] = first?.items.map((item) => item.key) ?? []
  const item = factor.items[0]!.key
  const other = others[0]
  const base = { item, sensor: first?.id.toLowerCase() }
  const linear = { ...base, kind: 'linear', k: 0.5, value: key }
  return fc.constantFrom(
    { sensors: [first?.id] },
    { sensors: [first?.id], alignSeconds: 0, conversion: linear },
    {
      sensors: [first?.id],
      conversion: [linear, { ...linear, c: -1, validFrom: '2025-01-31 08:00:00' }],
    },
    {
      sensors: [first?.id, ...others.map(({ id }) => id)],
      alignSeconds: 5,
      conversion: {
        kind: 'expression',
        item,
        formula: 'a * 2 + offset',
        offset: 2,
        a: `${(other ?? first)?.id}/${(other ?? first)?.items[0]?.key}`,
      },
    },
    {
      sensors: [first?.id],
      conversion: { kind: 'linear', item, k: 2, value: key, combine: 'mean' },
    },
  )
}

const stationsOf = (draft: Draft, factor: FactorDraft, sensors: readonly DeviceDraft[]) =>
  fc.array(
    joined(
      record({ name: text }),
      optional('portrait', text),
      optional('labels', fc.array(text, { maxLength: 2 })),
      optional('groupParams', fc.dictionary(text, fc.oneof(number, text, fc.boolean()))),
      optional('multiParams', fc.dictionary(text, fc.jsonValue({ noUnicodeString: true }))),
      sensors.length === 0 ? fc.constant({}) : optional('from', from(factor, sensors)),
    ).map((station) => ({ id: draft.ids.next(), ...station })),
    { maxLength: 3 },
  )

const settlement = (draft: Draft, { items }: FactorDraft) =>
  fc.constant(null).map(() => ({
    id: draft.ids.next(),
    name: 'Line',
    params: { isBase: { name: 'Base' } },
    conversion: { kind: 'settlement', item: items[0]!.key },
    stations: [{ id: draft.ids.next(), name: 'B', groupParams: { isBase: true } }],
  }))

const group = (draft: Draft, factor: FactorDraft, sensors: readonly DeviceDraft[]) =>
  joined(
    record({ name: text, stations: stationsOf(draft, factor, sensors) }),
    optional('typeId', text),
    optional('params', fc.dictionary(text, record({ name: text, unit }))),
  ).map((one) => ({ id: draft.ids.next(), ...one }))

const configured = (draft: Draft, factor: FactorDraft, sensors: readonly DeviceDraft[]) =>
  fc
    .tuple(
      fc.array(fc.oneof(group(draft, factor, sensors), settlement(draft, factor)), {
        maxLength: 2,
      }),
      stationsOf(draft, factor, sensors),
      fc.array(fc.tuple(itemOf(factor), batchSettings), { maxLength: 1 }),
    )
    .map(([groups, stations, batches]) => ({
      factor: factor.id,
      groups,
      stations,
      ...(stations.length === 0
        ? {}
        : {
            thresholds: batches.map(([item, settings]) => ({
              batchNo: draft.ids.uuid(),
              stations: stations.map(({ id }) => id),
              items: [item],
              ...settings,
            })),
          }),
    }))

const source = fc.constantFrom(
  'rtsp://192.0.2.10/1',
  'rtsp://u:p/a@s@h/1',
  'http://h/video?user=u&pwd=p',
  'rtsp://h/user=u&password=p&channel=1.sdp',
)

const camera = ({ ids }: Draft) =>
  joined(
    record({ location: text, type: text, source }),
    optional('hasPTZ', fc.boolean()),
    optional('channelNo', fc.integer({ min: 0, max: 9 })),
    optional(
      'standard',
      fc.constantFrom(
        { height: 480 },
        { source: 'rtsp://u:p@h/2' },
        { source: 'rtsp://h', height: 240 },
      ),
    ),
    optional('onvif', fc.constantFrom('http://u:p@h/onvif/device_service', 'https://h')),
  ).map((one) => ({ id: ids.next(), serialNo: `C${ids.next()}`, ...one }))

const structure = (draft: Draft) =>
  devices(draft).chain(({ all, sensors }) =>
    joined(
      record({ name: text, latitude: fc.constant(1.5), longitude: fc.constant(-2) }),
      optional('portrait', text),
      optional('timeZone', zone),
      optional('alarms', fc.constantFrom({}, { severity: 'highestFirst', offlineAfter: 2.5 })),
      optional('retention', fc.constantFrom({}, { theme: '10y', traffic: '90d' })),
      optional('traffic', fc.constantFrom(TRAFFIC, { ...TRAFFIC, names: { license: '车牌' } })),
      fc
        .tuple(...draft.factors.map((factor) => configured(draft, factor, sensors)))
        .map((factors) => ({ factors })),
      fc.array(camera(draft), { maxLength: 2 }).map((cameras) => ({ cameras })),
    ).map((one) => ({ id: draft.ids.next(), type: 1, projects: [7], devices: all, ...one })),
  )

const TRAFFIC = { loadUnit: 't', axleLoadUnit: 'kg' }

const factor = (ids: Ids) =>
  fc.tuple(keys, unit, text, fc.boolean()).map(([list, ofItem, name, timeDivision]) => ({
    id: ids.next(),
    name,
    ...(timeDivision ? { timeDivision, structureTypes: [1] } : { timeDivision }),
    items: list.map((key) => ({ id: ids.next(), key, name, unit: ofItem, precision: 0.1 })),
  }))

/** Site files that are valid, as values. */
export const siteFiles = fc.constant(null).chain(() => {
  const ids = new Ids()
  return fc.array(factor(ids), { minLength: 1, maxLength: 2 }).chain((factors) =>
    fc
      .tuple(fc.array(structure({ ids, factors }), { maxLength: 3 }), zone)
      .map(([structures, timeZone]) => ({
        timeZone,
        users: [
          { id: 1, name: 'all', structures: 'all' },
          { id: 2, name: 'some', structures: structures.map(({ id }) => id) },
        ],
        projects: [{ id: 7, name: 'P' }],
        structureTypes: [{ id: 1, name: 'T' }],
        factors,
        structures,
      })),
  )
})
