import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { connect } from 'node:tls'
import { eventually } from '../_eventually.ts'
import { withTracking } from '../_tracking-site.ts'
import { withService, type TestService } from '../_service.ts'

const WAVE = 1031
const MODES = 1051
/** Long enough for a thread. */
const LONG = 20_000
const DAYS = ['01', '02', '03', '04', '05'] as const
/** So many analyses of one user wait. */
const WAITING = 32

/** A station that tracks waveforms, and a second user who sees the bridge. */
const TRACKED = withTracking([{ id: MODES, waveforms: WAVE }]).replace(
  'name: Nobody, structures: []',
  'name: Guest, structures: [1]',
)

let service: TestService
let owner: string
let guest: string
let key: string
/** Requests that have found their waveform. */
let found = 0
/** Days of the waveforms that were read for an analysis, in their order. */
let read: number[] = []
const days = new Map<number, number>()
let gate = Promise.withResolvers<void>()

before(async () => {
  service = await withService({ site: TRACKED, settings: { 'vibration.cacheMegabytes': 0 } })
  owner = await service.issueToken(1)
  guest = await service.issueToken(3)
  key = await service.createKey()
  for (const day of DAYS) assert.equal((await send(`2026-03-${day} 12:00:00`)).status, 200)

  const { waveforms } = service.storage
  const find = waveforms.find.bind(waveforms)
  waveforms.find = async (...given) => {
    const header = await find(...given)
    found++
    if (header !== undefined) days.set(header.id, new Date(header.collectTime).getUTCDate())
    return header
  }
  const readSamples = waveforms.readSamples.bind(waveforms)
  waveforms.readSamples = async function* (batch) {
    read.push(days.get(batch.id)!)
    await gate.promise
    yield* readSamples(batch)
  }
})

after(() => service[Symbol.asyncDispose]())

beforeEach(() => {
  read = []
  gate = Promise.withResolvers()
})

afterEach(() => gate.resolve())

/** A sine in something like noise. */
const SAMPLES = Array.from(
  { length: LONG },
  (_, n) => Math.sin((2 * Math.PI * 3 * n) / 100) + ((n * 7_919) % 1_000) / 2_000,
)

const send = (collectTime: string) =>
  service.ingest('vibration', key, {
    station: WAVE,
    collectTime,
    sampleFreq: 100,
    unit: 'cm/s2',
    samples: SAMPLES,
  })

const pathOf = (day: number, segment: number) =>
  `/manage/v1/stations/${WAVE}/vibration/psd?collectTime=${encodeURIComponent(`2026-03-0${day} 12:00:00`)}&segment=${segment}`

const getPath = (path: string, token: string) =>
  service.call(path, { headers: { authorization: `Bearer ${token}` } })

/** Sends a request, and returns once it waits for its analysis. */
async function sendInOrder<Sent>(send: () => Sent): Promise<{ response: Sent }> {
  const before = found
  const response = send()
  await eventually(() => assert.ok(found > before))
  for (let turn = 0; turn < 5; turn++) await setImmediate()
  return { response }
}

const psd = (token: string, day: number, segment = 8) =>
  sendInOrder(() => getPath(pathOf(day, segment), token))

/** Sends a request, and returns what ends the connection before its response. */
async function leaving(path: string): Promise<() => Promise<void>> {
  const port = Number(new URL(service.service.origin).port)
  const socket = connect({ port, host: 'localhost', ca: service.certificate })
  socket.on('error', () => {})
  await sendInOrder(() =>
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${owner}\r\n\r\n`),
  )
  return async () => {
    socket.destroy()
    await once(socket, 'close')
    // A later request gets its response after the disconnect was noticed.
    for (let turn = 0; turn < 2; turn++)
      assert.equal((await getPath('/api/v1/structures', owner)).status, 200)
  }
}

test('analyses by request do not hold up waveforms whose frequencies are tracked', async () => {
  const { response: held } = await psd(owner, 1)
  await eventually(() => assert.equal(read.length, 1))
  let sent = 0
  const sending = send('2026-04-01 12:00:00').then(({ status }) => (sent = status))

  await eventually(() => assert.equal(sent, 200))
  const path = `/stations/theme/data?stations=${MODES}&startTime=2026-04-01+00:00:00&endTime=2026-04-02+00:00:00`
  const { stations } = (await service.get(path, owner)).json()

  assert.equal(stations[0].data[0].f1, 3)
  gate.resolve()
  await sending
  assert.equal((await held).status, 200)
})

test('users take turns: one analysis of another user goes before many of one user', async () => {
  const requested = [
    await psd(owner, 1),
    await psd(owner, 2),
    await psd(owner, 3),
    await psd(owner, 4),
  ]
  requested.push(await psd(guest, 5))

  gate.resolve()
  const responses = await Promise.all(requested.map(({ response }) => response))

  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  )
  assert.deepEqual(read, [1, 5, 2, 3, 4])
})

test('equal concurrent requests are one computation, also when some clients leave', async () => {
  const requested = [await psd(owner, 1)]
  const leave = await leaving(pathOf(2, 8))
  requested.push(await psd(owner, 2), await psd(guest, 2), await psd(owner, 2))
  await leave()

  gate.resolve()
  const [, ...equal] = await Promise.all(requested.map(({ response }) => response))

  assert.deepEqual(read, [1, 2])
  for (const { status, text } of equal) {
    assert.equal(status, 200)
    assert.equal(text, equal[0]!.text)
  }
})

test('an analysis whose clients have all left is not started', async () => {
  const { response: held } = await psd(owner, 1, 16)
  const leaves = [await leaving(pathOf(2, 16)), await leaving(pathOf(2, 16))]
  const { response: behind } = await psd(owner, 3, 16)
  for (const leave of leaves) await leave()

  gate.resolve()

  assert.deepEqual([(await held).status, (await behind).status], [200, 200])
  assert.deepEqual(read, [1, 3])
  assert.deepEqual(
    service.logged.filter((line) => /"level":[456]0/.test(line)),
    [],
  )
})

test('a shared spectrum is whole for each client', async () => {
  const path = `/stations/${WAVE}/vibration/fft?collectTime=2026-03-01+12:00:00`
  const requested = [await psd(owner, 2, 32)]
  for (const token of [owner, guest, owner])
    requested.push(await sendInOrder(() => service.get(path, token)))

  gate.resolve()
  const [, ...equal] = await Promise.all(requested.map(({ response }) => response))

  assert.deepEqual(read, [2, 1])
  for (const { text } of equal) {
    assert.equal(JSON.parse(text).data.length, LONG / 2 + 1)
    assert.equal(text, equal[0]!.text)
  }
})

test('waiting analyses of one user beyond the limit are a 503, and those of others run', async () => {
  const requested = [await psd(owner, 1, 64)]
  for (let more = 1; more <= WAITING; more++) requested.push(await psd(owner, 1, 64 + more))

  const refused = await getPath(pathOf(1, 200), owner)
  requested.push(await psd(owner, 1, 65), await psd(guest, 1, 200))
  gate.resolve()
  const responses = await Promise.all(requested.map(({ response }) => response))

  assert.equal(refused.status, 503)
  assert.match(String(refused.headers['retry-after']), /^\d+$/)
  assert.deepEqual(refused.json(), {
    name: 'Unavailable',
    message:
      'The user has 32 waiting analyses, which is the maximum: try again when one has ended.',
  })
  assert.ok(responses.every(({ status }) => status === 200))
  assert.equal(read.length, 1 + WAITING + 1)
})
