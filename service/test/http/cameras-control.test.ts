import assert from 'node:assert/strict'
import { request } from 'node:https'
import { after, before, describe, test } from 'node:test'
import { OnvifTestCamera } from '../camera/_onvif-camera.ts'
import { eventually } from '../_eventually.ts'
import { SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'

let camera: OnvifTestCamera
let service: TestService
let token: string

before(async () => {
  camera = await OnvifTestCamera.open()
  const site = SITE.replace(
    "/192.0.2.10/1' }",
    `/192.0.2.10/1', onvif: '${camera.onvif}' }`,
  ).replace("type: fixed, source: 'rtsp://192.0.2.11/1'", '$&, hasPTZ: true')
  service = await withService({ site, settings: { 'cameras.hosts': ['127.0.0.1'] } })
  token = await service.issueToken(1, 'operate')
})

after(async () => {
  await service[Symbol.asyncDispose]()
  await camera[Symbol.asyncDispose]()
})

const call = (method: string, path: string, body?: unknown, own = token) =>
  service.call(`/manage/v1/cameras/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${own}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  })

describe('moveCamera', () => {
  test('moves the camera for its seconds, and logs who moved it', async () => {
    const response = await call('POST', '1/ptz/move', { pan: -0.5, tilt: 0.25, seconds: 0.2 })

    assert.equal(response.status, 200)
    assert.deepEqual(response.json(), { state: 'moving' })
    assert.deepEqual(camera.velocity, { pan: -0.5, tilt: 0.25, zoom: 0 })
    await eventually(() => assert.equal(camera.movements.at(-1)?.end, 'stop'))
    const line = service.logged.find((one) => one.includes('a camera was moved')) ?? ''
    assert.match(line, /"user":1,"camera":1,"pan":-0.5,"tilt":0.25,"zoom":0,"seconds":0.2/)
    assert.ok(!service.logged.join('').includes(camera.onvif))
  })

  test('stops the camera though the client is gone', async () => {
    const { length: before } = camera.movements
    const { promise, resolve } = Promise.withResolvers<void>()
    const sent = request(`${service.service.origin}/manage/v1/cameras/1/ptz/move`, {
      method: 'POST',
      ca: service.certificate,
      agent: false,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    })
    sent.on('error', () => resolve())
    camera.misbehave = {
      ContinuousMove: () => {
        sent.destroy()
        return undefined
      },
    }
    sent.end(JSON.stringify({ pan: 1, seconds: 0.3 }))
    await promise
    camera.misbehave = {}

    await eventually(() => assert.equal(camera.movements.length, before + 1))
    assert.equal(camera.movements.at(-1)?.end, 'stop')
  })

  test('names what is wrong with speeds and seconds', async () => {
    for (const [body, reason] of [
      [{}, /one of "pan", "tilt" and "zoom" must not be 0/],
      [{ pan: 1.1 }, /"pan" must be a number from -1 to 1/],
      [{ zoom: 'fast' }, /"zoom" must be a number/],
      [{ tilt: 1, seconds: 0 }, /"seconds" must be a number from 0\.1 to 10/],
      [{ tilt: 1, seconds: 11 }, /"seconds" must be a number from 0\.1 to 10/],
    ] as const) {
      const response = await call('POST', '1/ptz/move', body)

      assert.equal(response.status, 400, JSON.stringify(body))
      assert.match(response.json().message, /^Camera not moved: /)
      assert.match(response.json().message, reason)
    }
  })

  test('401, 403 and 404 come before 400', async () => {
    const river = await service.issueToken(2, 'operate')
    const reader = await service.issueToken(1, 'read')

    assert.equal((await call('POST', '1/ptz/move', { pan: 1 }, 'x')).status, 401)
    assert.equal((await call('POST', '1/ptz/move', { pan: 1 }, reader)).status, 403)
    assert.equal((await call('POST', '9/ptz/move', {})).status, 404)
    assert.equal((await call('POST', '1/ptz/move', {}, river)).status, 403)
  })

  test('is a 400 for a camera that cannot be moved', async () => {
    const response = await call('POST', '2/ptz/move', { pan: 1 })

    assert.equal(response.status, 400)
    assert.equal(
      response.json().message,
      'Camera not moved: camera 2 cannot be moved: it has no onvif in the site file.',
    )
  })

  test('is a 503 with the reason while the camera refuses', async () => {
    camera.misbehave = { ContinuousMove: () => ({ status: 500, body: 'secret text' }) }
    const response = await call('POST', '1/ptz/move', { pan: 1 })
    camera.misbehave = {}

    assert.equal(response.status, 503)
    assert.deepEqual(response.json(), {
      name: 'Unavailable',
      message: 'Camera 1 answers with status 500.',
    })
  })
})

describe('stopCamera', () => {
  test('ends a movement', async () => {
    await call('POST', '1/ptz/move', { zoom: 1, seconds: 10 })

    const response = await call('POST', '1/ptz/stop')

    assert.equal(response.status, 204)
    assert.equal(camera.isMoving, false)
    assert.equal((await call('POST', '9/ptz/stop')).status, 404)
  })
})

describe('saveCameraPreset', () => {
  test('stores the position under a name', async () => {
    const response = await call('POST', '1/ptz/presets', { name: '东塔 <east>' })

    assert.equal(response.status, 200)
    const { token: preset, name } = response.json()
    assert.equal(name, '东塔 <east>')
    assert.equal(camera.presets.get(preset)?.name, '东塔 <east>')
  })

  test('needs a name', async () => {
    for (const body of [{}, { name: '' }, { name: 'x'.repeat(65) }]) {
      const response = await call('POST', '1/ptz/presets', body)

      assert.equal(response.status, 400)
      assert.match(response.json().message, /^Preset not saved: .*"name"/)
    }
  })
})

describe('listCameraPresets', () => {
  test('lists what the camera has stored', async () => {
    camera.presets.clear()
    camera.presets.set('a/b ?', { name: 'Pier', position: { pan: 1, tilt: 0, zoom: 0 } })

    const response = await call('GET', '1/ptz/presets')

    assert.deepEqual(response.json(), [{ token: 'a/b ?', name: 'Pier' }])
  })
})

describe('goToCameraPreset', () => {
  test('moves to a preset by its token, of whatever characters', async () => {
    camera.presets.set('a/b ?', { name: 'Pier', position: { pan: 1, tilt: 0, zoom: 0 } })

    const response = await call('POST', `1/ptz/presets/${encodeURIComponent('a/b ?')}/goto`)

    assert.deepEqual(response.json(), { state: 'moving' })
    assert.equal(camera.commands.at(-1), 'GotoPreset')
  })

  test('of a preset that the camera does not have is a 404', async () => {
    const response = await call('POST', '1/ptz/presets/nowhere/goto')

    assert.equal(response.status, 404)
    assert.equal(response.json().message, 'Camera 1 has no preset "nowhere".')
  })
})

describe('removeCameraPreset', () => {
  test('removes a preset once', async () => {
    camera.presets.set('p1', { name: 'Pier', position: { pan: 1, tilt: 0, zoom: 0 } })

    assert.equal((await call('DELETE', '1/ptz/presets/p1')).status, 204)
    assert.equal(camera.presets.has('p1'), false)
    assert.equal((await call('DELETE', '1/ptz/presets/p1')).status, 404)
  })
})
