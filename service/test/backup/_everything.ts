import assert from 'node:assert/strict'
import { MAPPING, type Action } from '../engines/_actions.ts'
import { DAYS, FIRST, HOUR, local, MINUTE, START } from '../engines/_records.ts'
import { SECRETS } from '../engines/_twins.ts'
import type { Answer, Twin } from '../engines/_twin.ts'
import { IDS } from '../_site.ts'

const STATIONS = [1001, 1002, 1003, 1004, 1031, 1041, 2001, 2002, 2003]
const SENSORS = [IDS.wire, IDS.gauge, IDS.riverGauge]
/** A restored waveform keeps its id, by which it may be named. */
const WAVEFORMS = 20
const ALARMS = 60

const whole = { startTime: '2024-01-01 00:00:00', endTime: '2028-01-01 00:00:00' }
const authorization = { authorization: `Bearer ${SECRETS.token}` }

const get = (path: string, query: Record<string, string> = {}): Action => ({
  do: 'send',
  path: `/manage/v1${path}?${new URLSearchParams(query)}`,
  call: { headers: authorization },
})

const command = (...args: string[]): Action => ({ do: 'command', args })

/** The instant of a raw value, and the local time of the bridge then. */
const EXPLAINED = START - HOUR / 2
const explained = local(EXPLAINED + 8 * HOUR)

const exportOf = (structure: string, kind: string): Action => {
  const chosen = ['--structure', structure, '--kind', kind, '--quality']
  const span = ['--from', '2024-01-01', '--to', '2027-12-31']
  return command('export', ...chosen, ...span, '--format', 'csv', '--output', '-')
}

const hours = Array.from({ length: DAYS * 24 }, (_, at) => local(FIRST + at * HOUR))

const waveformQuestions = (query: Record<string, string>): Action[] => [
  get('/stations/1031/vibration/psd', query),
  get('/stations/1031/vibration/peaks', query),
  get('/stations/1031/vibration/spectrogram', query),
  get('/stations/1031/vibration/integrated', { ...query, to: 'velocity', low: '0.5' }),
  get('/stations/1031/vibration/cable-force', {
    ...query,
    massPerMetre: '50',
    length: '100',
    low: '1',
    high: '20',
  }),
]

/** Everything that `/manage/v1` and the commands tell of the data. */
export const QUESTIONS: readonly Action[] = [
  get('/clocks'),
  get('/deliveries', { limit: '1000' }),
  get('/maintenance', { all: 'true' }),
  get('/rejects', { limit: '500' }),
  ...STATIONS.flatMap((id) => [
    get(`/stations/${id}/records`, { ...whole, limit: '10000' }),
    get(`/stations/${id}/readings`),
    get('/series', { stations: `${id}`, points: '500', ...whole }),
    get('/series', { stations: `${id}`, startTime: hours[0]!, endTime: hours.at(-1)! }),
  ]),
  ...SENSORS.map((id) => get(`/sensors/${id}/records`, { ...whole, limit: '10000' })),
  ...[1001, 1003, 1004].flatMap((id) =>
    [...hours, explained].map((time) => get(`/stations/${id}/explain`, { time })),
  ),
  get('/stations/1031/vibration/batches', { limit: '1000' }),
  ...waveformQuestions({}),
  ...Array.from({ length: WAVEFORMS }, (_, at) =>
    waveformQuestions({ batch: `${at + 1}`, window: 'hamming' }),
  ).flat(),
  ...Array.from({ length: ALARMS }, (_, at) => get(`/alarms/${at + 1}/snapshots`)),
  get('/alarms/1/snapshots/1'),
  command('changes', '--json'),
  command('rejects', 'list', '--json'),
  command('notifications', 'log', '--json'),
  command('maintenance', 'list', '--all', '--json'),
  command('app', 'list', '--json'),
  command('key', 'list', '--json'),
  command('site', 'show'),
  ...['1', '2'].flatMap((structure) => ['theme', 'raw'].map((kind) => exportOf(structure, kind))),
]

const post = (path: string, body: unknown): Action => ({
  do: 'send',
  path,
  call: {
    method: 'POST',
    headers: { ...authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  },
})

/** Stores what random actions do not: waveforms to analyse, a reject, maintenance, changes, a delivery, a picture. */
export async function addTheRest(twin: Twin): Promise<void> {
  const { storage } = twin.service
  const samples = Array.from({ length: 2_000 }, (_, at) => Math.sin(at / 3) / 10)
  const waveform = { station: 1031, sampleFreq: 50, unit: 'cm/s2', samples }
  const answers = [
    ...(await Promise.all(
      [1, 2].map((hoursAgo) =>
        twin.act(ingest('vibration', { ...waveform, collectTime: START - hoursAgo * HOUR })),
      ),
    )),
    await twin.act(
      ingest('raw', {
        records: [{ sensor: IDS.gauge, time: EXPLAINED, values: { reading: 12.5 } }],
      }),
    ),
    await twin.act({
      do: 'send',
      path: '/ingest/v1/influx?precision=ms',
      call: {
        method: 'POST',
        headers: { authorization: `Bearer ${SECRETS.key}`, 'content-type': 'text/plain' },
        body: `gauge,sensor=${IDS.gauge} reading=broken ${START}`,
      },
    }),
    await twin.act(
      post('/manage/v1/maintenance', {
        stations: [1001],
        startsAt: START,
        endsAt: START + 30 * HOUR,
        reason: '换传感器',
      }),
    ),
    await twin.act(
      post('/manage/v1/stations/1004/quality', {
        quality: 'bad: cable cut',
        startTime: explained,
        endTime: explained,
      }),
    ),
  ]
  const csv = `Time,S,T\n${local(START - HOUR)},12.5,20\n`
  const imported = await twin.act({ do: 'import', csv, mapping: MAPPING, flags: [] })
  assert.equal(imported.status, 0, imported.text)
  for (const { status, text } of answers) assert.ok(status < 300, `${status}: ${text}`)
  await storage.copying.write([
    {
      sql: 'insert into alarm_snapshots (alarm_id, camera_id, due_at) values (?, ?, ?)',
      width: 3,
      values: [1, 1, START],
    },
    {
      sql: `insert into deliveries (kind, alarm_id, step, structure_id, channel, rules, message, state,
          attempts, created_at, due_at, next_at, delivered_at)
        values ('alarm', 1, 0, 1, 'hook', '["office"]', '{}', 'delivered', 1, ?, ?, ?, ?)`,
      width: 4,
      values: [START, START, START, START],
    },
  ])
  const jpeg = Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7) % 256))
  const picture = { camera: 1, takenAt: START + MINUTE, jpeg }
  await storage.snapshots.take(await storage.snapshots.listWaiting(10), picture)
}

const ingest = (endpoint: string, body: unknown): Action => ({
  do: 'send',
  path: `/ingest/v1/${endpoint}`,
  call: {
    method: 'POST',
    headers: { authorization: `Bearer ${SECRETS.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  },
})

/** An answer without what is known of the present run only: which clocks are behind. */
export function withoutRun(action: Action, answer: Answer): Answer {
  if (kindOf(action) !== '/manage/v1/clocks') return answer
  const { behind: _behind, ...rest } = JSON.parse(answer.text)
  const text = JSON.stringify(rest)
  return { status: answer.status, headers: '', text, bytes: Buffer.from(text) }
}

/** The answers have something to lose: of each kind of question one is not empty. */
export function requireSubstance(answers: ReadonlyMap<Action, Answer>): void {
  const found = new Map<string, number>()
  for (const [action, { status, text }] of answers) {
    const isGood = action.do === 'send' ? status === 200 : status === 0
    const kind = kindOf(action)
    found.set(kind, Math.max(found.get(kind) ?? 0, isGood ? text.length : 0))
  }
  const empty = Array.from(found).filter(([, length]) => length < 10)
  assert.deepEqual(empty, [])
}

const kindOf = (action: Action): string => {
  if (action.do === 'command') return action.args.slice(0, 2).join(' ')
  if (action.do !== 'send') return action.do
  return action.path.replace(/\?.*/, '').replaceAll(/\/(\d+|[0-9a-f-]{36})(?=\/|$)/g, '/:id')
}
