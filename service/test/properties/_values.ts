import fc from 'fast-check'
import { IDS } from '../_site.ts'
import { CHANNEL, CORRECTED, MAPPING, PLATE, PRESET, SITE_PART, SPARE_APP } from './_service.ts'
import { PASSWORD } from '../_accounts.ts'

/** What a schema of the contract says of one value, as far as it matters here. */
export type Node = {
  type?: string
  const?: unknown
  anyOf?: Node[]
  items?: Node
  properties?: Record<string, Node>
  required?: string[]
  patternProperties?: Record<string, Node>
  default?: unknown
  pattern?: string
  format?: string
  flag?: boolean
  list?: boolean
}

export const nodeOf = (schema: unknown): Node => (schema ?? {}) as Node

/** Texts that programs stumble over. */
const ODD_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '%',
  '%00',
  '%zz',
  '_',
  "'",
  '"',
  "' or 1=1 --",
  '../../etc/passwd',
  '__proto__',
  'constructor',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  '-0',
  '1e999',
  '9007199254740993',
  '-1',
  '0',
  '2147483648',
  '1.5',
  '0x10',
  'true',
  '[]',
  '[1,2',
  '{}',
  ',',
  ',,,',
  '1,,2',
  '2026-02-30 00:00:00',
  '0000-00-00 00:00:00',
  '9999-12-31 23:59:59',
  '\u{feff}',
  '\u202e',
  '🌉',
  'İ',
  PLATE,
]

export const garbageText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...ODD_TEXTS),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constant('x'.repeat(300)),
)

const IDS_IN_USE = [1, 2, 3, 15, 33, 1001, 1002, 1003, 1031, 2001]

const date = fc
  .date({ min: new Date('2025-12-01'), max: new Date('2026-12-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 19).replace('T', ' '))

const draft = (station: number) => ({
  stations: [station],
  items: [{ item: 'strain', range: { low: -1000, level: 1 } }],
})

/** Values that mean something in the site, by the names that parameters have. */
const MEANINGFUL: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  structureId: fc.constantFrom(1, 1, 1, 2, 3, 9),
  structId: fc.constantFrom(1, 1, 2),
  factorId: fc.constantFrom(15, 15, 33, 17),
  stationId: fc.constantFrom(1031, 1031, 1001),
  accountId: fc.constantFrom(1, 1, 99),
  alarmId: fc.integer({ min: 1, max: 45 }),
  windowId: fc.integer({ min: 1, max: 45 }),
  channel: fc.constantFrom(CHANNEL, CHANNEL, 'none'),
  userId: fc.constantFrom(1, 1, 1, 2, 9),
  collectTime: fc.oneof(fc.constant('2026-01-01 08:00:00'), date),
  time: fc.oneof(fc.constant('2026-01-01 08:00:00'), date),
  startTime: fc.oneof(fc.constant('2026-01-01 00:00:00'), date),
  endTime: fc.oneof(fc.constant('2026-12-31 00:00:00'), date),
  protocol: fc.constantFrom('hls', 'hls,rtmp', 'FLV', 'hls,flv,rtmp'),
  serialNo: fc.constantFrom('C30411203', 'C30411203', 'C2', PLATE),
  channelNo: fc.constantFrom(1, 3),
  cameraId: fc.constantFrom(1, 1, 1, 2, 9),
  snapshotId: fc.constantFrom(1, 1, 2),
  preset: fc.constantFrom(PRESET, PRESET, 'none'),
  seconds: fc.constantFrom(0.1, 1),
  license: fc.constantFrom(PLATE, '', 'A'),
  expireTime: fc.integer({ min: 30, max: 62_208_000 }),
  limit: fc.integer({ min: 1, max: 10_000 }),
  batch: fc.constantFrom(1, 1, 2),
  segment: fc.constantFrom(8, 64),
  overlap: fc.constantFrom(0, 0.5),
  prominence: fc.constantFrom(0, 0.1),
  massPerMetre: fc.constantFrom(60, 0.5),
  length: fc.constantFrom(100, 20),
  mode: fc.constantFrom(1, 3),
  ratio: fc.constantFrom(1, 5),
  low: fc.constantFrom(0.1, 1),
  high: fc.constantFrom(2, 50),
  points: fc.constantFrom(1, 2, 1_000, 10_000),
  items: fc.constantFrom('strain', 'temperature,strain', '', 'none'),
  structures: fc.constantFrom([1], [2, 1], []),
  structure: fc.constantFrom(1, 1, 2),
  factor: fc.constantFrom(15, 15, 33),
  batchNo: fc.constantFrom(
    '0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b11',
    '0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b12',
  ),
  scope: fc.constantFrom('read', 'admin'),
  appId: fc.constantFrom(SPARE_APP, SPARE_APP, IDS.wire),
  text: fc.constantFrom(SITE_PART, SITE_PART, 'projects: 7', '{}'),
  version: fc.integer({ min: 1, max: 9 }),
  mapping: fc.constantFrom(MAPPING, MAPPING, 'format: csv'),
  rejectId: fc.integer({ min: 1, max: 45 }),
  payload: fc.constantFrom(CORRECTED, CORRECTED, 'bQ=='),
  importId: fc.integer({ min: 1, max: 20 }),
  changeId: fc.integer({ min: 1, max: 45 }),
  isLast: fc.constant(false),
  offset: fc.constantFrom(0, 0, 1, 5),
  until: fc.constantFrom(Date.now() + 3_600_000, Date.now() + 86_400_000, 1),
  x: fc.constantFrom(0, 0.5, 1),
  y: fc.constantFrom(0, 0.5, 1),
  classes: fc.constantFrom([12, 40], [0.5], [2, 1]),
  thresholds: fc.constantFrom(draft(1001), draft(1003), draft(1004), { stations: [1004] }, {}),
}

const marking = fc.record(
  {
    quality: fc.constantFrom('bad: cable cut', 'good', 'uncertain', 'broken'),
    items: fc.constantFrom(['strain'], ['frequency'], ['none'], []),
    startTime: fc.constant('2026-01-01 00:00:00'),
    endTime: date,
    dryRun: fc.boolean(),
  },
  { requiredKeys: ['quality', 'startTime', 'endTime'] },
)

const password = fc.constantFrom(PASSWORD, PASSWORD, 'wrong wrong wrong', '')

const account = {
  displayName: fc.constantFrom('Anna', '安娜'),
  role: fc.constantFrom('viewer', 'operator', 'administrator', 'root'),
  userId: fc.constantFrom(1, 2, 9),
}

/** Whole bodies of operations that random members of the body seldom satisfy together. */
export const BODIES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  deleteRecords: fc.record(
    {
      station: fc.constantFrom(1001, 1031),
      startTime: fc.constant('2026-01-01 00:00:00'),
      endTime: date,
      dryRun: fc.boolean(),
    },
    { requiredKeys: ['station', 'startTime', 'endTime'] },
  ),
  markStation: marking,
  addReadings: fc.constant({ records: [{ time: '2026-01-01 08:00:00', values: { pv: 1 } }] }),
  signIn: fc.record({ name: fc.constantFrom('anna', 'ANNA', 'nobody'), password }),
  // The same one: the session that sends it goes on.
  changePassword: fc.record({ password, newPassword: fc.constant(PASSWORD) }),
  beginTotp: fc.record({ password }),
  confirmTotp: fc.constant({ code: '000000' }),
  removeTotp: fc.record({ password }),
  createAccount: fc.record({ ...account, name: fc.constantFrom('berta', 'Carl', 'two words') }),
  changeAccount: fc.record({ ...account, isDisabled: fc.constant(false) }),
  markSensor: marking,
}

/** A value that a schema accepts, mostly one that means something in the site. */
export function valid(node: Node, name = ''): fc.Arbitrary<unknown> {
  if (node.const !== undefined) return fc.constant(node.const)
  if (node.anyOf !== undefined) return fc.oneof(...node.anyOf.map((one) => valid(one, name)))
  if (node.format === 'uuid' && name !== 'batchNo' && name !== 'appId')
    return fc.constantFrom(IDS.wire, IDS.gauge, IDS.logger)
  const meaningful = MEANINGFUL[name]
  if (meaningful !== undefined) return meaningful
  if (node.pattern !== undefined) return date
  if (name === 'stations')
    return fc
      .array(fc.constantFrom(1001, 1002, 1001, 1031), { maxLength: 4 })
      .map((ids) => (node.type === 'string' ? String(ids) : ids))
  switch (node.type) {
    case 'integer':
      return fc.constantFrom(...IDS_IN_USE)
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(valid(node.items ?? {}, name), { minLength: 1, maxLength: 4 })
    case 'object':
      return node.properties === undefined
        ? fc.dictionary(fc.constantFrom('strain', 'temperature', 'pv', 'x'), fc.double(), {
            maxKeys: 3,
          })
        : fc.record(
            Object.fromEntries(
              Object.entries(node.properties).map(([key, property]) => [key, valid(property, key)]),
            ),
            { requiredKeys: node.required ?? [] },
          )
    default:
      return garbageText
  }
}
