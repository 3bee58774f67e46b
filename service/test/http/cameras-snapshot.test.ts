import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { withService, type TestService } from '../_service.ts'
import { siteWith } from '../camera/_cameras.ts'
import { makeClip, probe } from '../camera/_camera-clips.ts'

let service: TestService
let token: string
let riverToken: string

before(async () => {
  service = await withService({
    site: siteWith([
      { id: 1, source: 'file:clip.mp4' },
      { id: 2, source: 'file:gone.mp4', structure: 2 },
    ]),
  })
  token = await service.issueToken(1)
  riverToken = await service.issueToken(2)
  await makeClip(service.folder, 'clip.mp4')
})

after(() => service[Symbol.asyncDispose]())

const manage = (path: string, own = token) =>
  service.call(`/manage/v1${path}`, { headers: { authorization: `Bearer ${own}` } })

describe('getCameraSnapshot', () => {
  test('it is a JPEG of the whole picture; requests at the same time share one', async () => {
    const [one, other] = await Promise.all([
      manage('/cameras/1/snapshot'),
      manage('/cameras/1/snapshot'),
    ])

    assert.equal(one.status, 200, one.text)
    assert.equal(one.headers['content-type'], 'image/jpeg')
    assert.deepEqual([...one.bytes.subarray(0, 2)], [0xff, 0xd8])
    const found = await probe(one.bytes)
    assert.deepEqual([found.codec, found.width, found.height], ['mjpeg', 320, 180])
    assert.deepEqual(one.bytes, other.bytes)
  })

  test('404 without the camera, 403 without access, 503 with the reason without a picture', async () => {
    assert.equal((await manage('/cameras/9/snapshot')).status, 404)
    assert.equal((await manage('/cameras/1/snapshot', riverToken)).status, 403)
    const failed = await manage('/cameras/2/snapshot', riverToken)
    assert.equal(failed.status, 503)
    assert.match(failed.json().message, /has no file of this name/)
  })
})
