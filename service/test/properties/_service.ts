import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Agent } from 'node:https'
import type { Operation } from '@plumbline/contract'
import { hashSecret } from '../../src/domain/access/secret.ts'
import { INFLUX_ORIGIN } from '../../src/domain/rejects/reject-origin.ts'
import { freePort } from '../_service.ts'
import { addAccount, openSession, PASSWORD } from '../_accounts.ts'
import { withService, type HttpResponse, type Call, type TestService } from '../_service.ts'
import { IDS, SITE } from '../_site.ts'
import { makeClip } from '../camera/_camera-clips.ts'
import { OnvifTestCamera } from '../camera/_onvif-camera.ts'
import { storeAlarms } from '../storage/_stored-alarms.ts'

/** A plate that no sentence, log line or metric may repeat. */
export const PLATE = '滬A·S3CR3T'

/** A channel without a receiver. */
export const CHANNEL = 'duty'

/** The token of a preset that its camera has. */
export const PRESET = 'home'

/** An application that requests may change and revoke. */
export const SPARE_APP = '4a7d2a0c-9b0f-4f5e-8a44-0a2a4a5b6c01'

/** A site file that changes nothing. */
export const SITE_PART = 'projects:\n  - { id: 7, name: 过江通道 }\n'

/** A mapping of a file with two columns. */
export const MAPPING = `format: csv
time: { column: Time, format: YYYY-MM-DD HH:mm:ss }
columns: [{ column: S, station: 1002, item: strain }]
`

/** A line that a reject becomes when a person corrects it, in Base64. */
export const CORRECTED = Buffer.from(
  `m,sensor=${IDS.gauge} reading=1 ${Date.UTC(2026, 0, 1) / 1000}`,
).toString('base64')

/** A running service, and everything secret that is sent to it. */
export class Fuzzed implements AsyncDisposable {
  readonly service: TestService
  readonly token: string
  /** One that bodies carry; it may be invalidated. */
  readonly spareToken: string
  readonly key: string
  readonly cookie: string
  /** One that may be signed out. */
  readonly spareCookie: string
  readonly appId: string
  readonly secret: string
  readonly #fillKey: string
  readonly #camera: OnvifTestCamera
  readonly #opsPort: number
  readonly #agent = new Agent({ keepAlive: true })
  #siteVersion = 0
  #importId = 0

  constructor(parts: {
    service: TestService
    token: string
    spareToken: string
    key: string
    cookie: string
    spareCookie: string
    appId: string
    secret: string
    fillKey: string
    opsPort: number
    camera: OnvifTestCamera
  }) {
    this.service = parts.service
    this.token = parts.token
    this.spareToken = parts.spareToken
    this.key = parts.key
    this.cookie = parts.cookie
    this.spareCookie = parts.spareCookie
    this.appId = parts.appId
    this.secret = parts.secret
    this.#fillKey = parts.fillKey
    this.#camera = parts.camera
    this.#opsPort = parts.opsPort
  }

  get basic(): string {
    return Buffer.from(`${this.appId}:${this.secret}`).toString('base64')
  }

  get secrets(): string[] {
    const { token, spareToken, key, cookie, spareCookie, secret, basic } = this
    const texts = [token, spareToken, key, cookie, spareCookie, secret, basic, PASSWORD, PLATE]
    return texts.flatMap((text) => [text, encodeURIComponent(text), JSON.stringify(text)])
  }

  async call(path: string, call: Call = {}): Promise<HttpResponse> {
    const response = await this.service.call(path, { ...call, agent: this.#agent })
    this.#assertKind(response)
    return response
  }

  /** No 5xx for any input, and every refusal is two texts that repeat no secret. */
  #assertKind({ status, text }: HttpResponse): void {
    assert.ok(status < 500, `${status} ${text}`)
    if (status < 400) return
    const body = JSON.parse(text) as Record<string, unknown>
    assert.deepEqual(Object.keys(body), ['name', 'message'])
    assert.ok(typeof body['name'] === 'string' && body['name'] !== '')
    assert.ok(typeof body['message'] === 'string' && body['message'].endsWith('.'), text)
    this.assertDiscreet(text, 'an answer')
  }

  assertDiscreet(text: string, place: string): void {
    for (const secret of this.secrets)
      if (text.includes(secret)) assert.fail(`${place} repeats ${secret}: ${around(text, secret)}`)
  }

  /** Nothing secret is in the log or in the metrics, and nothing failed on the way. */
  async assertNothingLeaked(): Promise<void> {
    const logged = this.service.logged.join('')
    assert.ok(logged.includes('"request completed"'))
    this.assertDiscreet(logged, 'the log')
    assert.deepEqual(logged.match(/.*"level":[56]0.*/g) ?? [], [])
    const metrics = await fetch(`http://127.0.0.1:${this.#opsPort}/metrics`)
    this.assertDiscreet(await metrics.text(), 'the metrics')
  }

  /** The version of the site when the last operation was prepared. */
  get siteVersion(): number {
    return this.#siteVersion
  }

  /** An import that waits for its file, where the last operation that was prepared names one. */
  get importId(): number {
    return this.#importId
  }

  /**
   * Prepares requests to an operation: sends the records again that earlier ones may have deleted or
   * written over, restores a preset, and begins an import.
   */
  async prepare({ url }: Operation): Promise<void> {
    restorePreset(this.#camera)
    await sendRecords(this.service, this.#fillKey)
    this.#siteVersion = await this.service.storage.site.version()
    if (url.includes('/:importId')) this.#importId = await this.#beginImport()
  }

  async #beginImport(): Promise<number> {
    const begun = await this.call(`/manage/v1/imports?token=${this.token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'begun.csv', mapping: MAPPING }),
    })
    assert.equal(begun.status, 200, begun.text)
    return begun.json().id
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy()
    await this.service[Symbol.asyncDispose]()
    await this.#camera[Symbol.asyncDispose]()
  }
}

function restorePreset({ presets }: OnvifTestCamera): void {
  presets.set(PRESET, { name: 'Home 原位', position: { pan: 0, tilt: 0, zoom: 0 } })
}

export async function withFuzzed(): Promise<Fuzzed> {
  const opsPort = await freePort()
  const camera = await OnvifTestCamera.open()
  const service = await withService({
    site: withCameras(camera),
    settings: {
      'cameras.hosts': ['127.0.0.1'],
      'ops.port': opsPort,
      'tokens.failuresPerMinute': 1_000_000,
      'access.failuresPerMinute': 1_000_000,
      'accounts.failuresPerMinute': 1_000_000,
      'notifications.webhooks': [
        { name: CHANNEL, url: 'https://127.0.0.1:9/', secret: 'not told' },
      ],
    },
  })
  await makeClip(service.folder, 'clip.mp4')
  restorePreset(camera)
  const { appId, appSecret: secret } = await service.createApplication()
  const spare = {
    id: SPARE_APP,
    userId: 1,
    name: 'spare',
    scope: 'read',
    createdAt: FIRST,
  } as const
  await service.storage.applications.add(spare, hashSecret(randomUUID()))
  const grant = { grant_type: 'client_credentials' }
  const issue = async (): Promise<string> => {
    const issued = await service.postForm('/oauth2/token', { appId, appSecret: secret }, grant)
    return issued.json<{ token: string }>().token
  }
  const [token, spareToken] = [await issue(), await issue()]
  await addAlarmsAndWindows(service)
  await addSnapshot(service)
  await addRejects(service)
  const fillKey = await service.createKey('fill')
  await sendRecords(service, fillKey)
  const key = await service.createKey()
  const anna = { name: 'anna', role: 'viewer', userId: 1 } as const
  const accountId = await addAccount(service.storage, anna)
  const openOne = () => openSession(service.storage, accountId)
  const [cookie, spareCookie] = [await openOne(), await openOne()]
  const cookies = { cookie, spareCookie }
  return new Fuzzed({
    service,
    ...cookies,
    token,
    spareToken,
    key,
    appId,
    secret,
    fillKey,
    opsPort,
    camera,
  })
}

/** The times of records, one a day. */
const TIMES = Array.from({ length: 50 }, (_, at) => Date.UTC(2026, 0, 1) + at * 86_400_000)
const [FIRST = 0] = TIMES

/** Before any record comes: the alarms that records raise get numbers of their own. */
async function addAlarmsAndWindows({ storage }: TestService): Promise<void> {
  const moment = '2026-01-01 00:00:00'
  const alarms = Array.from({ length: 40 }, (_, at) => ({
    id: at + 1,
    structure: 1 + (at % 2),
    source: { id: `s${at}`, name: `Point ${at}` },
    sourceType: at % 3,
    category: 1 + (at % 5),
    alarmTypeCode: '3007',
    level: 1 + (at % 3),
    content: 'content',
    count: at + 1,
    state: at % 5,
    startTime: moment,
    endTime: moment,
    details: [],
  }))
  await storeAlarms(storage, alarms)
  const work = { structures: [1], stations: [], reason: 'work' }
  for (let window = 0; window < 40; window++)
    await storage.maintenance.add({
      ...work,
      startsAt: FIRST,
      endsAt: Date.UTC(2100, 0),
      createdAt: FIRST,
    })
}

/** Lines that stay rejected until they are corrected. */
async function addRejects({ storage }: TestService): Promise<void> {
  await storage.rejects.add(
    Array.from({ length: 45 }, (_, at) => ({
      ...INFLUX_ORIGIN,
      place: `line ${at + 1} (s)`,
      reason: 'it was wrong',
      payload: Buffer.from('m,sensor=none reading=1'),
      receivedAt: FIRST,
      context: 's',
    })),
    { records: 100 },
  )
}

/** Some records of every kind, so that no response is empty. */
async function sendRecords(service: TestService, key: string): Promise<void> {
  const vehicle = { structure: 1, lane: '1', direction: 0, axleCount: 2, load: 8, license: PLATE }
  const batches: Record<string, unknown> = {
    theme: { records: TIMES.map((time) => ({ station: 1001, time, values: { strain: time } })) },
    raw: { records: TIMES.map((time) => ({ sensor: IDS.gauge, time, values: { reading: 1 } })) },
    traffic: { records: TIMES.map((time) => ({ ...vehicle, time })) },
    vibration: { station: 1031, collectTime: FIRST, sampleFreq: 9, unit: '', samples: [1, 2] },
  }
  for (const [way, batch] of Object.entries(batches))
    assert.equal((await service.ingest(way, key, batch)).status, 200, way)
}

/** The site with cameras that play, one of which can be moved. */
const withCameras = (camera: OnvifTestCamera): string =>
  SITE.replace(
    "source: 'rtsp://192.0.2.10/1'",
    `source: 'file:clip.mp4', onvif: '${camera.onvif}'`,
  ).replace("source: 'rtsp://192.0.2.11/1'", "source: 'file:clip.mp4'")

/** A picture of the first alarm. */
async function addSnapshot({ storage }: TestService): Promise<void> {
  const snapshot = { alarm: 1, camera: 1, dueAt: Date.now() }
  const nothing = { entries: [], deliveries: [], reminders: [], endedAlarms: [] }
  await storage.outbox.fanOut({ ...nothing, snapshots: [snapshot] })
  const waiting = await storage.snapshots.listWaiting(1)
  const jpeg = new Uint8Array([0xff, 0xd8, 0xff, 0xd9])
  await storage.snapshots.take(waiting, { camera: 1, takenAt: Date.now(), jpeg })
}

const around = (text: string, secret: string): string => {
  const at = text.indexOf(secret)
  return text.slice(Math.max(0, at - 300), at + 300)
}
