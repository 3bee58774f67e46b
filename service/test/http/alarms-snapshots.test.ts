import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventually } from '../_eventually.ts'
import { withService, type TestService } from '../_service.ts'
import { siteWith } from '../camera/_cameras.ts'
import { makeClip, probe } from '../camera/_camera-clips.ts'

let service: TestService
let token: string
let riverToken: string
let key: string

before(async () => {
  service = await withService({
    site: siteWith([
      { id: 1, source: 'file:clip.mp4' },
      { id: 2, source: 'file:gone.mp4', structure: 2 },
    ]),
  })
  token = await service.issueToken(1)
  riverToken = await service.issueToken(2)
  key = await service.createKey()
  await makeClip(service.folder, 'clip.mp4')
})

after(() => service[Symbol.asyncDispose]())

const manage = (path: string, own = token) =>
  service.call(`/manage/v1${path}`, { headers: { authorization: `Bearer ${own}` } })

async function raise(station: number, time: string): Promise<number> {
  const report = await service.ingest('theme', key, {
    records: [{ station, time, values: { strain: 250 } }],
  })
  assert.deepEqual(report.json().rejected, [])
  return eventually(async () => {
    const { alarms } = (await service.post('/users/1/alarms', token, { status: 'new' })).json()
    const all = alarms.flatMap((group: { alarms: object[] }) => group.alarms)
    const found = all.find((one: { source: { id: string } }) => one.source.id === String(station))
    assert.ok(found, JSON.stringify(alarms))
    return found.id
  })
}

describe('listAlarmSnapshots', () => {
  test('a new alarm of a station with a camera gets a picture, with its time', async () => {
    const alarm = await raise(1001, new Date().toISOString())

    const [snapshot] = await eventually(async () => {
      const list = (await manage(`/alarms/${alarm}/snapshots`)).json()
      assert.ok(list[0]?.time, JSON.stringify(list))
      return list
    })

    assert.deepEqual(Object.keys(snapshot), ['id', 'camera', 'time', 'problem'])
    assert.equal(snapshot.camera, 1)
    assert.match(snapshot.time, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    assert.equal((await manage(`/alarms/${alarm}/snapshots`, riverToken)).status, 403)
    assert.equal((await manage('/alarms/999/snapshots')).status, 404)
  })

  test('a station without a camera has none', async () => {
    const alarm = await raise(1002, new Date().toISOString())

    assert.deepEqual((await manage(`/alarms/${alarm}/snapshots`)).json(), [])
  })
})

describe('getAlarmSnapshot', () => {
  test('it is the picture of that alarm only', async () => {
    const { alarms } = (await service.post('/users/1/alarms', token, { status: 'new' })).json()
    const all = alarms.flatMap(
      (group: { alarms: { id: number; source: { id: string } }[] }) => group.alarms,
    )
    const [with1, without] = ['1001', '1002'].map(
      (id) => all.find((one: { source: { id: string } }) => one.source.id === id).id,
    )
    const [snapshot] = (await manage(`/alarms/${with1}/snapshots`)).json()

    const picture = await manage(`/alarms/${with1}/snapshots/${snapshot.id}`)

    assert.equal(picture.status, 200)
    assert.equal((await probe(picture.bytes)).width, 320)
    assert.equal((await manage(`/alarms/${without}/snapshots/${snapshot.id}`)).status, 404)
    assert.equal(
      (await manage(`/alarms/${with1}/snapshots/${snapshot.id}`, riverToken)).status,
      403,
    )
    assert.equal((await manage(`/alarms/${with1}/snapshots/999`)).status, 404)
  })
})
