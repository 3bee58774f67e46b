import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import { callHttps } from '../_service.ts'
import type { Answer, Fixture } from './_fixture.ts'

const SITE = fileURLToPath(new URL('./site.yaml', import.meta.url))
const SENSOR = '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01'
const DTU = '2d7e0c50-2f0e-4a3c-8f62-6a1e2f1f0001'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const READY = /^listening on (https:\/\/\S+)$/

type Call = { status: number; json: any }

/** Fills a data folder by the program in a checkout, through its commands and its interface. */
export async function fillBy(checkout: string): Promise<{ fixture: Fixture; database: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-fixture-'))
  try {
    const data = join(folder, 'data')
    const program = new Program(join(checkout, 'service', 'bin', 'plumbline.js'), data)
    const fixture = await fill(program)
    return { fixture, database: await readFile(join(data, 'plumbline.db')) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function fill(program: Program): Promise<Fixture> {
  const madeAt = Date.now()
  await program.run('site', 'apply', SITE)
  // Scopes came with version 19: before it every application may do everything.
  const application = await program
    .json('app', 'create', '--user', '1', '--name', 'fixture', '--scope', 'admin')
    .catch(() => program.json('app', 'create', '--user', '1', '--name', 'fixture'))
  const { key } = await program.json('key', 'create', '--name', 'fixture')
  const at = localTimes(madeAt)

  let fixture: Omit<Fixture, 'version'>
  {
    await using service = await program.serve(application, key)
    await service.store('theme', { records: pastRecords(madeAt) })
    await service.store('raw', { records: rawRecords(madeAt) })
    await service.store('traffic', { records: vehicles(madeAt) })
    for (const hoursAgo of [90, 2])
      await service.store('vibration', waveform(madeAt - hoursAgo * HOUR))
    await program.run('seal', '--after-days', '2')

    // They arrive for a sealed day: one corrects a record, one is new.
    await service.store('theme', {
      records: [
        { station: 1001, time: madeAt - 4 * DAY, values: { temperature: 77.7 } },
        { station: 1001, time: madeAt - 4 * DAY + 1, values: { strain: 0.1 } },
      ],
    })
    await raiseAlarms(service, madeAt)
    await service.store('heartbeats', {
      devices: [{ device: DTU, time: madeAt - MINUTE, error: 'battery low' }],
    })
    await service.influx(
      `wire,sensor=${SENSOR} frequency=1612.5,temperature=21.5 ${madeAt - 3 * MINUTE}
wire,sensor=${SENSOR} frequency=broken ${madeAt - 2 * MINUTE}
wire,sensor=ffffffff-0000-0000-0000-000000000000 frequency=1 ${madeAt - MINUTE}`,
    )
    await service.manage('/structures/1/factors/15/threshold/batches', {
      thresholds: {
        batchNo: '0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b21',
        stations: [1006],
        items: [{ item: 'strain', config: [{ thresholds: [{ level: 2, value: '(9000,+)' }] }] }],
      },
    })
    await service.manage('/stations/2001/readings', {
      author: 'Li Wei',
      records: [{ time: at.river(3 * HOUR), values: { waterLevel: 3.25 }, note: 'by staff gauge' }],
    })
    // Marks came with version 20.
    await service.manage(
      '/stations/1001/quality',
      {
        quality: 'bad: cable cut',
        items: ['temperature'],
        startTime: at.bridge(4 * DAY + 4 * HOUR),
        endTime: at.bridge(4 * DAY + 2 * HOUR),
      },
      { mayBeUnknown: true },
    )
    await service.store(
      'theme',
      {
        records: [
          {
            station: 1002,
            time: madeAt - 20 * HOUR,
            values: { strain: 5.5, temperature: 20 },
            quality: { strain: 'uncertain: estimated' },
          },
        ],
      },
      { mayBeUnknown: true },
    )

    const deleted = themePath([1003], at.bridge(5 * DAY), at.bridge(0))
    const before = await service.answer({ method: 'GET', path: deleted })
    const { change } = await service.manage('/records/delete', {
      station: 1003,
      startTime: at.bridge(4 * DAY),
      endTime: at.bridge(3 * DAY),
    })

    fixture = {
      madeAt,
      application,
      token: service.token,
      key,
      answers: await readAll(service, at),
      deletion: { change, before },
    }
  }
  return { version: program.databaseVersion(), ...fixture }
}

/** The times of both structures, so long before the fixture was made, in their local time. */
function localTimes(madeAt: number) {
  const format = (timeZone: string) => {
    const parts = new Intl.DateTimeFormat('sv-SE', {
      timeZone,
      dateStyle: 'short',
      timeStyle: 'medium',
    })
    return (ago: number) => parts.format(madeAt - ago)
  }
  return { bridge: format('Asia/Shanghai'), river: format('Europe/Berlin') }
}

/** Ten minutes apart for six days, of which the older ones are sealed. */
function pastRecords(madeAt: number) {
  const instants = Array.from({ length: 5 * 144 }, (_, at) => madeAt - 6 * DAY + at * 10 * MINUTE)
  return instants.flatMap((time, at) => [
    {
      station: 1001,
      time,
      values: { strain: Math.round(900 * Math.sin(at / 50)) / 10, temperature: (at % 200) / 10 },
    },
    { station: 1003, time, values: { strain: -((at * 7) % 1000) / 8 } },
    { station: 2001, time, values: { waterLevel: 2 + (at % 1000) / 1000 } },
  ])
}

const rawRecords = (madeAt: number) =>
  Array.from({ length: 300 }, (_, at) => ({
    sensor: SENSOR,
    time: madeAt - 5 * DAY + at * 20 * MINUTE,
    values: { frequency: 1500 + (at % 90) / 10, temperature: 20 + (at % 30) / 10 },
  })).filter(({ time }) => time < madeAt)

const vehicles = (madeAt: number) =>
  Array.from({ length: 40 }, (_, at) => ({
    structure: 1,
    time: madeAt - at * 3 * HOUR - 1234,
    id: `wim-${at}`,
    license: `鄂A${10_000 + at}`,
    lane: String(1 + (at % 3)),
    direction: at % 2,
    axleCount: 2 + (at % 4),
    load: 10 + at,
    axleLoad: '5,5',
    overload: at % 5 === 0,
    speed: 60 + at,
  }))

const waveform = (collectTime: number) => ({
  station: 1031,
  collectTime,
  sampleFreq: 100,
  unit: 'cm/s2',
  samples: Array.from({ length: 400 }, (_, at) => Math.round(1e4 * Math.sin(at / 7)) / 1e6),
})

/** One alarm in each state, and one of a slot of the day. */
async function raiseAlarms(service: RunningService, madeAt: number): Promise<void> {
  const send = (station: number, minutesAgo: number, strain: number) =>
    service.store('theme', {
      records: [{ station, time: madeAt - minutesAgo * MINUTE, values: { strain } }],
    })
  await send(1001, 9, 250)
  for (const minutesAgo of [9, 8]) await send(1002, minutesAgo, 250 + minutesAgo)
  await send(1003, 9, 250)
  await send(1003, 8, 350.5)
  await send(1004, 9, 250)
  await send(1004, 8, 1.5)
  await send(1005, 9, -1234.5)
  await service.store('theme', {
    records: [{ station: 2001, time: madeAt - 9 * MINUTE, values: { waterLevel: 6.5 } }],
  })
  const { alarms } = await service
    .call('POST', '/api/v1/users/1/alarms', { status: 'new' })
    .then(({ json }) => json)
  const confirmed = alarms
    .flatMap((structure: any) => structure.alarms)
    .find(({ source }: any) => source.id === '1005')
  await service.manage(`/alarms/${confirmed.id}/confirm`, { comment: 'Crane at work.' })
}

const themePath = (stations: number[], from: string, to: string): string =>
  `/api/v1/stations/theme/data?${new URLSearchParams({ stations: stations.join(), startTime: from, endTime: to })}`

async function readAll(
  service: RunningService,
  at: ReturnType<typeof localTimes>,
): Promise<Answer[]> {
  const window = (from: number, to: number, format = at.bridge) =>
    new URLSearchParams({ startTime: format(from), endTime: format(to) }).toString()
  const all = window(7 * DAY, 0)
  const get = (path: string): Promise<Answer> => service.answer({ method: 'GET', path })
  const post = (path: string, body: unknown): Promise<Answer> =>
    service.answer({ method: 'POST', path, body })

  const answers = [
    await get('/api/v1/structures'),
    await get('/api/v1/structures/1/factors'),
    await get('/api/v1/structures/1/stations'),
    await get('/api/v1/structures/2/stations'),
    await get(
      themePath([1001, 1002, 1003, 1004, 1005, 1006, 1031], at.bridge(7 * DAY), at.bridge(0)),
    ),
    await get(themePath([2001], at.river(7 * DAY), at.river(0))),
    await get('/api/v1/stations/theme/data?stations=1001,1006,2001&limit=5'),
    await post(`/api/v1/structures/1/factors/15/stations/data?${all}`, { stations: [1001, 1002] }),
    await get(`/api/v1/structures/1/traffic-flow?${all}`),
    await get(`/api/v1/structures/1/traffic-flow?${all}&overload=true`),
    await get(`/api/v1/structures/1/factors/15/threshold/batches`),
    await get(`/api/v1/structures/2/factors/17/threshold/batches`),
    await get('/api/v1/users/1/alarms/new/count'),
    await get('/api/v1/users/1/alarms/history/count'),
    await post('/api/v1/users/1/alarms?limit=100', { status: 'new' }),
    await post('/api/v1/users/1/alarms?limit=100', { status: 'history' }),
    await get('/api/v1/user/camera/list'),
    await get(`/manage/v1/series?stations=1001,1006&points=40&${all}`),
    await get(`/manage/v1/stations/1001/records?${window(5 * DAY, 3 * DAY)}`),
    await get(`/manage/v1/sensors/${SENSOR}/records?${all}`),
    await get(`/manage/v1/stations/1006/explain?time=${encodeURIComponent(at.bridge(5 * DAY))}`),
    await get('/manage/v1/stations/2001/readings'),
    await get('/manage/v1/stations/1031/vibration/batches'),
    await get('/manage/v1/rejects'),
  ]
  for (const ago of [90 * HOUR, 2 * HOUR]) {
    const collectTime = encodeURIComponent(at.bridge(ago))
    for (const kind of ['raw', 'fft'])
      answers.push(await get(`/api/v1/stations/1031/vibration/${kind}?collectTime=${collectTime}`))
  }
  for (let id = 1; id <= 7; id++) answers.push(await get(`/api/v1/alarms/${id}/details`))
  // What an earlier version did not know is no promise of it.
  return answers.filter(({ status }) => status === 200)
}

/** The program of a checkout over one data folder. */
class Program {
  readonly #file: string
  readonly #data: string

  constructor(file: string, data: string) {
    this.#file = file
    this.#data = data
  }

  async run(...args: string[]): Promise<string> {
    const child = this.#start(args)
    const chunks: { stdout: string; stderr: string } = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => (chunks[name] += text))
    const [code] = await once(child, 'close')
    if (code !== 0) throw new Error(`plumbline ${args.join(' ')}: ${chunks.stderr}`)
    return chunks.stdout
  }

  async json(...args: string[]): Promise<any> {
    return JSON.parse(await this.run(...args, '--json'))
  }

  async serve(application: Fixture['application'], key: string): Promise<RunningService> {
    const child = this.#start(['serve', '--host', '127.0.0.1', '--port', '0'])
    child.stderr.resume()
    const stop = async () => {
      const ended = once(child, 'close')
      child.kill('SIGTERM')
      await ended
    }
    for await (const line of createInterface({ input: child.stdout })) {
      const origin = READY.exec(line)?.[1]
      if (origin === undefined) continue
      child.stdout.resume()
      const certificate = readFileSync(join(this.#data, 'tls', 'certificate.pem'), 'utf8')
      const service = new RunningService({ origin, certificate, key, stop })
      await service.logIn(application)
      return service
    }
    throw new Error('the service did not start')
  }

  databaseVersion(): number {
    const database = new Sqlite(join(this.#data, 'plumbline.db'), { readonly: true })
    const version = Number(database.pragma('user_version', { simple: true }))
    database.close()
    return version
  }

  #start(args: readonly string[]) {
    return spawn(process.execPath, [this.#file, ...args, '--data', this.#data], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, PLUMBLINE_OPS_PORT: '0', PLUMBLINE_SEAL_EVERY_MINUTES: '0' },
    })
  }
}

type RunningParts = {
  origin: string
  certificate: string
  key: string
  stop: () => Promise<void>
}

class RunningService implements AsyncDisposable {
  readonly #parts: RunningParts
  token = ''

  constructor(parts: RunningParts) {
    this.#parts = parts
  }

  async logIn({ appId, appSecret }: Fixture['application']): Promise<void> {
    const basic = Buffer.from(`${appId}:${appSecret}`).toString('base64')
    const { origin, certificate } = this.#parts
    const response = await callHttps(`${origin}/api/v1/oauth2/token`, certificate, {
      method: 'POST',
      headers: {
        authorization: `Basic ${basic}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    })
    this.token = response.json<{ token: string }>().token
  }

  async call(
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
    secret = this.token,
  ): Promise<Call> {
    const { origin, certificate } = this.#parts
    const response = await callHttps(`${origin}${path}`, certificate, {
      method,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    return { status: response.status, json: response.text === '' ? undefined : response.json() }
  }

  async answer(request: Pick<Answer, 'method' | 'path' | 'body'>): Promise<Answer> {
    const { status, json } = await this.call(request.method, request.path, request.body)
    return { ...request, status, answer: json }
  }

  async store(endpoint: string, body: unknown, { mayBeUnknown = false } = {}): Promise<void> {
    const { key } = this.#parts
    const { status, json } = await this.call('POST', `/ingest/v1/${endpoint}`, body, key)
    if ((status !== 200 || json.rejected.length > 0) && !mayBeUnknown)
      throw new Error(`${endpoint}: ${status} ${JSON.stringify(json).slice(0, 500)}`)
  }

  /** Some of its lines are to be rejected. */
  async influx(lines: string): Promise<void> {
    const { origin, certificate, key } = this.#parts
    const { status, text } = await callHttps(
      `${origin}/ingest/v1/influx?precision=ms`,
      certificate,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'text/plain' },
        body: lines,
      },
    )
    if (status !== 200) throw new Error(`influx: ${status} ${text}`)
  }

  async manage(path: string, body: unknown, { mayBeUnknown = false } = {}): Promise<any> {
    const { status, json } = await this.call('POST', `/manage/v1${path}`, body)
    if (status >= 300 && !(mayBeUnknown && status === 404))
      throw new Error(`${path}: ${status} ${JSON.stringify(json)}`)
    return json
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.stop()
  }
}
