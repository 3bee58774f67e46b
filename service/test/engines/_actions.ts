import fc from 'fast-check'
import { IDS } from '../_site.ts'
import type { Secrets, Sent } from '../properties/_requests.ts'
import {
  batch,
  DAYS,
  FIRST,
  heartbeat,
  HOUR,
  instant,
  local,
  MINUTE,
  quality,
  raw,
  sensor,
  series,
  station,
  theme,
  time,
  valuesOf,
  vehicle,
  waveform,
} from './_records.ts'
import { SITES } from './_site.ts'

/** What is done to the data of both engines. */
export type Action =
  | (Sent & { do: 'send' })
  | { do: 'command'; args: readonly string[] }
  | { do: 'import'; csv: string; mapping: string; flags: readonly string[] }
  | { do: 'apply'; site: number }
  | { do: 'undo'; back: number; flags: readonly string[] }
  | { do: 'evaluate' }

/** An action, and by how much the clock moves before it. */
export type Step = { action: Action; milliseconds: number }

const window = fc
  .tuple(fc.nat(DAYS * 24), fc.integer({ min: 0, max: 40 }))
  .map(([hour, hours]) => ({
    startTime: local(FIRST + hour * HOUR),
    endTime: local(FIRST + (hour + hours) * HOUR),
  }))

const choice = fc.constantFrom<Record<string, unknown>[]>(
  { station: 1001 },
  { station: 1001, kinds: ['theme'] },
  { station: 1031 },
  { station: 2001 },
  { sensor: IDS.wire },
  { sensor: IDS.gauge },
  { structure: 1, factor: 15 },
  { structure: 1, kinds: ['traffic'] },
  { structure: 2 },
  { station: 9 },
)

/** A request with a JSON body. */
const post = (path: string, body: unknown, authorization: string, method = 'POST'): Action => ({
  do: 'send',
  path,
  call: {
    method,
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify(body),
  },
})

/** Requests with a JSON body. */
function requestsOf({ token, key, basic }: Secrets): fc.Arbitrary<Action> {
  const ingest = (endpoint: string, body: unknown): Action =>
    post(`/ingest/v1/${endpoint}`, body, `Bearer ${key}`)
  const manage = (path: string, body: unknown, method?: string): Action =>
    post(`/manage/v1${path}`, body, `Bearer ${token}`, method)
  const form = (path: string, body: Record<string, string>): Action => ({
    do: 'send',
    path: `/api/v1/oauth2/${path}`,
    call: {
      method: 'POST',
      headers: {
        authorization: `Basic ${basic}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams(body).toString(),
    },
  })
  const replace = fc.constantFrom('', '', '?replace=whole', '?replace=keys')
  const marking = fc.record(
    {
      quality: fc.constantFrom('bad: cable cut', 'uncertain', 'good', 'broken'),
      items: fc.constantFrom(['strain'], ['temperature'], ['frequency']),
      dryRun: fc.boolean(),
    },
    { requiredKeys: ['quality'] },
  )
  const batchNos = Array.from({ length: 4 }, (_, at) => `7e1f2f6a-0000-4000-8000-00000000000${at}`)
  const draft = fc.record({
    batchNo: fc.constantFrom(...batchNos),
    stations: fc.constantFrom([1003], [1004], [1003, 1004], [9]),
    items: fc.constantFrom(
      [{ item: 'strain', config: [{ thresholds: [{ level: 1, value: '(100,+)' }] }] }],
      [{ item: 'strain', range: { low: -100, level: 2 } }],
    ),
  })
  return fc.oneof(
    {
      weight: 24,
      arbitrary: fc
        .tuple(batch(theme), replace)
        .map(([records, query]) => ingest(`theme${query}`, { records })),
    },
    {
      weight: 14,
      arbitrary: fc
        .tuple(batch(raw), replace)
        .map(([records, query]) => ingest(`raw${query}`, { records })),
    },
    { weight: 3, arbitrary: series.map((records) => ingest('theme', { records })) },
    { weight: 7, arbitrary: batch(vehicle).map((records) => ingest('traffic', { records })) },
    { weight: 6, arbitrary: waveform.map((one) => ingest('vibration', one)) },
    { weight: 5, arbitrary: batch(heartbeat).map((devices) => ingest('heartbeats', { devices })) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(
          station,
          fc.array(
            fc.record({
              time,
              values: valuesOf(['strain', 'temperature', 'waterLevel']),
              quality,
              note: fc.constantFrom('雨', ''),
            }),
            { minLength: 1, maxLength: 3 },
          ),
        )
        .map(([id, records]) => manage(`/stations/${id}/readings`, { records })),
    },
    {
      weight: 5,
      arbitrary: fc
        .integer({ min: 1, max: 60 })
        .map((id) => manage(`/alarms/${id}/confirm`, { comment: `已确认 ${id}` })),
    },
    {
      weight: 4,
      arbitrary: fc
        .tuple(station, marking, window)
        .map(([id, body, span]) => manage(`/stations/${id}/quality`, { ...body, ...span })),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(sensor, marking, window)
        .map(([id, body, span]) => manage(`/sensors/${id}/quality`, { ...body, ...span })),
    },
    {
      weight: 4,
      arbitrary: fc
        .tuple(choice, window, fc.boolean())
        .map(([chosen, span, dryRun]) => manage('/records/delete', { ...chosen, ...span, dryRun })),
    },
    {
      weight: 2,
      arbitrary: draft.map((thresholds) =>
        manage('/structures/1/factors/15/threshold/batches', { thresholds }),
      ),
    },
    {
      weight: 1,
      arbitrary: draft.map(({ batchNo, ...thresholds }) =>
        manage(`/structures/1/factors/15/threshold/batches/${batchNo}`, { thresholds }, 'PUT'),
      ),
    },
    { weight: 1, arbitrary: fc.constant(form('token', { grant_type: 'client_credentials' })) },
    { weight: 1, arbitrary: fc.constant(form('token/refresh', { token })) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('', 'x', '00000000-0000-4000-8000-000000000000')
        .map((text) => form('token/invalidate', { token: text })),
    },
  )
}

export const MAPPING = `format: csv
time: { column: Time, format: YYYY-MM-DD HH:mm:ss }
columns:
  - { column: S, station: 1002, item: strain }
  - { column: T, station: 1002, item: temperature }
`

const imported = fc
  .tuple(
    fc.array(
      fc.tuple(
        instant.map(local),
        fc.constantFrom('1', '-2.5', '310', '', 'x'),
        fc.constantFrom('20', '45', ''),
      ),
      { minLength: 1, maxLength: 30 },
    ),
    fc.constantFrom([], [], ['--replace', 'whole'], ['--dry-run'], ['--change-free']),
  )
  .map(([rows, flags]): Action => ({
    do: 'import',
    csv: ['Time,S,T', ...rows.map((row) => row.join(',')), ''].join('\n'),
    mapping: MAPPING,
    flags,
  }))

const commands: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: imported },
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.integer({ min: 0, max: 2 }), fc.constantFrom([], [], ['--keep']))
      .map(([back, flags]): Action => ({ do: 'undo', back, flags })),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom('0', '1', '3')
      .map((days): Action => ({ do: 'command', args: ['seal', '--after-days', days, '--json'] })),
  },
  { weight: 2, arbitrary: fc.nat(SITES.length).map((site): Action => ({ do: 'apply', site })) },
  {
    weight: 1,
    arbitrary: fc.constant<Action>({
      do: 'command',
      args: ['retention', '--yes', '--confirm-clock'],
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Action>({
      do: 'command',
      args: [
        'recompute',
        '--structure',
        '1',
        '--from',
        '2026-03-27',
        '--to',
        '2026-03-30',
        '--commit',
      ],
    }),
  },
  { weight: 1, arbitrary: fc.constant<Action>({ do: 'command', args: ['unseal', '--json'] }) },
  { weight: 3, arbitrary: fc.constant<Action>({ do: 'evaluate' }) },
)

/** Mostly requests, some commands; the clock goes on between them. */
export const steps = (secrets: Secrets): fc.Arbitrary<Step> =>
  fc.record({
    action: fc.oneof(
      { weight: 92, arbitrary: requestsOf(secrets) },
      { weight: 8, arbitrary: commands },
    ),
    milliseconds: fc.constantFrom(0, 0, 250, 1000, MINUTE, 10 * MINUTE),
  })
