import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CameraControl } from '../../src/camera/ptz/camera-control.ts'
import { SourceError } from '../../src/camera/source/opened-source.ts'
import { eventually } from '../_eventually.ts'
import { OnvifTestCamera } from './_onvif-camera.ts'
import { envelope } from './_onvif-soap.ts'

const RIGHT = { pan: 1, tilt: 0, zoom: 0, seconds: 10 }

/** A camera and what controls it. */
async function withCamera({ channelNo = 1, answerMilliseconds = 5_000 } = {}) {
  const camera = await OnvifTestCamera.open()
  const logged: string[] = []
  const pinned: string[] = []
  const open = (onvif = camera.onvif) =>
    new CameraControl({
      camera: { id: 7, channelNo, onvif },
      pin: async (host) => {
        pinned.push(host)
        return '127.0.0.1'
      },
      log: { warn: (details, sentence) => logged.push(`${JSON.stringify(details)} ${sentence}`) },
      now: Date.now,
      answerMilliseconds,
    })
  return { camera, logged, pinned, open }
}

const refusal = (reason: string, message: string | RegExp) => ({
  name: 'RefusedError',
  reason,
  message,
})

describe('a camera', () => {
  test('moves with the speeds that were asked, and stops after the time', async () => {
    const { camera, open } = await withCamera()
    await using _camera = camera
    await using control = open()

    assert.equal(await control.move({ pan: -0.5, tilt: 1, zoom: 0.25, seconds: 0.3 }), 'moving')

    assert.deepEqual(camera.velocity, { pan: -0.5, tilt: 1, zoom: 0.25 })
    assert.equal(camera.profile, 'VideoSource_1_main')
    await eventually(() => assert.equal(camera.isMoving, false))
    const [{ milliseconds = 0, end } = {}] = camera.movements
    assert.equal(end, 'stop')
    assert.ok(milliseconds >= 250 && milliseconds < 1_000, String(milliseconds))
    assert.equal(camera.timeout, 'PT1S')
    assert.deepEqual(camera.refusals, [])
  })

  test('stops by itself when the service does not reach it any more', async () => {
    const { camera, open } = await withCamera()
    await using _camera = camera
    await using control = open()
    camera.misbehave = { Stop: () => ({ status: 500, body: 'no' }) }

    await control.move({ ...RIGHT, seconds: 0.2 })

    await eventually(() => assert.equal(camera.movements[0]?.end, 'timeout'))
    camera.misbehave = {}
  })

  test('stops at once when it is told to', async () => {
    const { camera, open } = await withCamera()
    await using _camera = camera
    await using control = open()
    await control.move(RIGHT)

    await control.stop()

    assert.deepEqual(
      camera.movements.map(({ end }) => end),
      ['stop'],
    )
  })

  test('follows the newest movement, whose time is its own', async () => {
    const { camera, open } = await withCamera()
    await using _camera = camera
    await using control = open()

    await control.move({ ...RIGHT, seconds: 0.1 })
    await control.move({ pan: 0, tilt: 1, zoom: 0, seconds: 0.5 })
    assert.deepEqual(camera.velocity, { pan: 0, tilt: 1, zoom: 0 })
    await eventually(() => assert.equal(camera.isMoving, false))

    const [first, second] = camera.movements
    assert.deepEqual([first?.end, second?.end], ['replaced', 'stop'])
    assert.ok((second?.milliseconds ?? 0) >= 450)
  })

  test('gets one command at a time; a movement that waits gives way to a newer one', async () => {
    const { camera, open } = await withCamera()
    await using _camera = camera
    await using control = open()
    const speeds = [0.1, 0.2, 0.3, 0.4]

    const states = await Promise.all(
      speeds.map((pan) => control.move({ pan, tilt: 0, zoom: 0, seconds: 5 })),
    )

    assert.deepEqual(states, ['replaced', 'replaced', 'replaced', 'moving'])
    assert.deepEqual(camera.commands, ['ContinuousMove'])
    assert.equal(camera.velocity.pan, 0.4)
  })

  test('is stopped when the command that came in place of a movement fails', async () => {
    const { camera, open } = await withCamera()
    await using _camera = camera
    await using control = open()
    await control.move(RIGHT)

    await assert.rejects(
      control.goToPreset('nowhere'),
      refusal('absent', 'Camera 7 has no preset "nowhere".'),
    )

    await eventually(() => assert.equal(camera.movements[0]?.end, 'stop'))
  })

  test('is stopped when it does not answer a movement, which it may have begun', async () => {
    const { camera, open } = await withCamera({ answerMilliseconds: 200 })
    await using _camera = camera
    await using control = open()
    await control.listPresets()
    camera.misbehave = { ContinuousMove: () => 'silence' }

    await assert.rejects(control.move(RIGHT), refusal('unavailable', 'Camera 7 does not answer.'))

    await eventually(() => assert.equal(camera.commands.at(-1), 'Stop'))
  })

  test('is stopped when its control is closed, and then takes no command', async () => {
    const { camera, open } = await withCamera()
    await using _camera = camera
    const control = open()
    await control.move(RIGHT)

    await control[Symbol.asyncDispose]()

    assert.equal(camera.movements[0]?.end, 'stop')
    await assert.rejects(control.stop(), refusal('unavailable', 'The service is stopping.'))
  })

  test('does not keep a control from closing by its silence', async () => {
    const { camera, open } = await withCamera({ answerMilliseconds: 60_000 })
    await using _camera = camera
    const control = open()
    camera.misbehave = { GetProfiles: () => 'silence' }
    const moves = [control.move(RIGHT), control.listPresets()]
    await eventually(() => assert.ok(camera.requests.includes('GetProfiles')))

    const start = performance.now()
    await control[Symbol.asyncDispose]()

    assert.ok(performance.now() - start < 5_000)
    for (const { status } of await Promise.allSettled(moves)) assert.equal(status, 'rejected')
  })

  test('has a limit on waiting commands, but not on stopping', async () => {
    const { camera, open } = await withCamera({ answerMilliseconds: 300 })
    await using _camera = camera
    await using control = open()
    camera.misbehave = { GetSystemDateAndTime: () => 'silence' }

    const waiting = Array.from({ length: 8 }, () => control.listPresets())
    const all = Promise.allSettled(waiting)

    await assert.rejects(
      control.listPresets(),
      refusal('unavailable', 'Too many commands wait for camera 7.'),
    )
    camera.misbehave = {}
    await control.stop()
    await all
    assert.equal(camera.commands.at(-1), 'Stop')
  })
})

describe('presets', () => {
  test('are saved, listed, reached and removed', async () => {
    const { camera, open } = await withCamera()
    await using _camera = camera
    await using control = open()

    const name = '东塔 <1> & "2"'
    const saved = await control.savePreset(name)
    assert.deepEqual(await control.listPresets(), [{ token: saved.token, name }])

    await control.move({ ...RIGHT, seconds: 5 })
    assert.equal(await control.goToPreset(saved.token), 'moving')
    assert.equal(camera.isMoving, false)

    await control.removePreset(saved.token)
    assert.deepEqual(await control.listPresets(), [])
    await assert.rejects(
      control.removePreset(saved.token),
      refusal('absent', `Camera 7 has no preset ${JSON.stringify(saved.token)}.`),
    )
  })

  test('of the same name are replaced', async () => {
    const { camera, open } = await withCamera()
    await using _camera = camera
    await using control = open()

    const first = await control.savePreset('East')
    assert.deepEqual(await control.savePreset('East'), first)

    assert.equal(camera.presets.size, 1)
  })

  test('reached are not left by the stop of a movement before', async () => {
    const { camera, open } = await withCamera()
    await using _camera = camera
    await using control = open()
    const { token } = await control.savePreset('East')
    await control.move({ ...RIGHT, seconds: 0.1 })

    await control.goToPreset(token)
    await control.move({ ...RIGHT, seconds: 0.4 })
    await eventually(() => assert.equal(camera.isMoving, false))

    assert.deepEqual(camera.commands.slice(-4), [
      'GetPresets',
      'GotoPreset',
      'ContinuousMove',
      'Stop',
    ])
  })
})

describe('a camera is opened', () => {
  test('once for many commands', async () => {
    const { camera, pinned, open } = await withCamera()
    await using _camera = camera
    await using control = open()

    await control.move(RIGHT)
    await control.stop()

    assert.deepEqual(camera.requests, [
      'GetSystemDateAndTime',
      'GetServices',
      'GetProfiles',
      'ContinuousMove',
      'Stop',
    ])
    assert.deepEqual(pinned, ['127.0.0.1'])
  })

  test('with a digest by its own clock, which may be wrong', async () => {
    const { camera, open } = await withCamera()
    await using _camera = camera
    await using control = open()
    camera.clockAhead = -86_400_000 * 400

    await control.move(RIGHT)

    assert.equal(camera.isMoving, true)
    assert.deepEqual(camera.refusals, [])
  })

  test('again when its clock was set', async () => {
    const { camera, open } = await withCamera()
    await using _camera = camera
    await using control = open()
    await control.listPresets()
    camera.clockAhead = 3_600_000

    await control.move(RIGHT)

    assert.deepEqual(camera.refusals, ['wrong time'])
  })

  test('with HTTP digest where it asks for that, one challenge for many commands', async () => {
    const { camera, open } = await withCamera()
    await using _camera = camera
    await using control = open()
    camera.security = 'digest'

    await control.move(RIGHT)
    await control.stop()

    assert.deepEqual(camera.refusals, ['no authorization'])
    assert.deepEqual(camera.commands, ['ContinuousMove', 'Stop'])
  })

  test('by GetCapabilities where it is old', async () => {
    const { camera, open } = await withCamera()
    await using _camera = camera
    await using control = open()
    camera.isOld = true

    await control.move(RIGHT)

    assert.ok(camera.requests.includes('GetCapabilities'))
  })

  test('at the channel that the site file names', async () => {
    const { camera, open } = await withCamera({ channelNo: 2 })
    await using _camera = camera
    await using control = open()
    camera.sources = [
      { token: 'A', hasPTZ: true },
      { token: 'B', hasPTZ: true },
    ]

    await control.move(RIGHT)

    assert.equal(camera.profile, 'B_main')
  })
})

describe('it is said of a camera', () => {
  test('that it refuses the password, which is not tried again at once', async () => {
    for (const security of ['wsse', 'digest'] as const) {
      const { camera, open } = await withCamera()
      await using _camera = camera
      camera.security = security
      await using control = open(camera.onvif.replace(/:[^:@]*@/, ':sec-ret@'))
      const expected = refusal('unavailable', 'Camera 7 refuses the user name or the password.')

      await assert.rejects(control.move(RIGHT), expected)
      const { length } = camera.requests
      await assert.rejects(control.move(RIGHT), expected)

      assert.equal(camera.requests.length, length)
      assert.ok(camera.refusals.includes('wrong digest'))
    }
  })

  test('that it does not answer: no connection, silence, or one byte after the other', async () => {
    const { camera, logged, open } = await withCamera({ answerMilliseconds: 200 })
    const expected = refusal('unavailable', 'Camera 7 does not answer.')
    {
      await using _camera = camera
      for (const misbehave of [
        (): 'silence' => 'silence',
        (response: { write(text: string): unknown }): 'silence' => {
          const timer = setInterval(() => response.write(' '), 20)
          setTimeout(() => clearInterval(timer), 1_000)
          return 'silence'
        },
      ]) {
        camera.misbehave = { GetServices: misbehave }
        await using control = open()
        await assert.rejects(control.move(RIGHT), expected)
      }
    }
    await using control = open()
    await assert.rejects(control.listPresets(), expected)

    assert.deepEqual(
      logged.at(-1),
      '{"camera":7,"detail":"ECONNREFUSED"} Camera 7 does not answer.',
    )
    assert.ok(!logged.join('').includes(camera.password))
  })

  test('that it has no PTZ, or none for the channel', async () => {
    const { camera, open } = await withCamera({ channelNo: 2 })
    await using _camera = camera
    camera.sources = []
    {
      await using control = open()
      await assert.rejects(
        control.move(RIGHT),
        refusal('unavailable', 'Camera 7 has no PTZ service.'),
      )
    }
    camera.sources = [
      { token: 'A', hasPTZ: true },
      { token: 'B', hasPTZ: false },
    ]
    await using control = open()
    await assert.rejects(
      control.move(RIGHT),
      refusal('unavailable', 'Camera 7 has no PTZ for channel 2.'),
    )
  })

  test('that its host is not allowed, or its address no address', async () => {
    const { camera, open } = await withCamera()
    await using _camera = camera
    await using control = new CameraControl({
      camera: { id: 7, channelNo: 1, onvif: camera.onvif },
      pin: () => Promise.reject(new SourceError('The address is not in the list.')),
      log: { warn: () => {} },
      now: Date.now,
    })
    await assert.rejects(
      control.move(RIGHT),
      refusal('unavailable', 'Camera 7 cannot be reached: The address is not in the list.'),
    )
    await using other = open('http://u:sec-ret@[')
    await assert.rejects(
      other.move(RIGHT),
      refusal('invalid', 'The ONVIF address of camera 7 is not valid.'),
    )
    assert.deepEqual(camera.requests, [])
  })

  test('that it refuses a command, by its code and not by its text', async () => {
    const { camera, open } = await withCamera()
    await using _camera = camera
    await using control = open()
    const { token } = await control.savePreset('East')
    camera.misbehave = { RemovePreset: () => ({ status: 400, body: FIXED }) }

    await assert.rejects(
      control.removePreset(token),
      refusal('unavailable', 'Camera 7 refuses the command (CannotRemove).'),
    )
  })

  test('that it leads elsewhere, where nothing is asked', async () => {
    await using elsewhere = await OnvifTestCamera.open()
    const { camera, open } = await withCamera()
    await using _camera = camera
    // As one behind a router, which knows its inner address only.
    for (const named of [elsewhere.named, '10.9.8.7', 'x@127.0.0.1']) {
      camera.named = named
      await using control = open()
      await control.move(RIGHT)
    }
    camera.named = `127.0.0.1:${camera.port}`
    camera.misbehave = {
      GetProfiles: () => ({
        status: 307,
        headers: { location: `http://${elsewhere.named}/onvif/device_service` },
        body: '',
      }),
    }
    await using control = open()
    await assert.rejects(
      control.move(RIGHT),
      refusal('unavailable', 'Camera 7 answers with status 307.'),
    )

    assert.deepEqual(elsewhere.requests, [])
  })

  test('that it answers nonsense, which costs nobody else anything', async () => {
    const { camera, open } = await withCamera()
    await using _camera = camera
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from(
      { length: 20 },
      (_, at) => `<!ENTITY b${at} "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">`,
    ).join('')}]><x>&b19;</x>`
    for (const [body, message] of [
      ['x'.repeat(2_000_000), 'answers with no XML'],
      [envelope(`<a>${' '.repeat(2_000_000)}</a>`), 'answers with too many bytes'],
      [envelope('<a/>'.repeat(30_000)), 'answers with too many elements'],
      ['<a>'.repeat(1_000), 'answers with too many elements'],
      ['<?xml version="1.0"?><s xmlns="'.padEnd(400_000, 'xmlns'), 'answers with no XML'],
      [bomb, 'answers with XML with a document type'],
      [envelope('<a>&b;</a>'), 'answers with no XML'],
      [envelope(''), 'answers with something else than SOAP'],
      ['<html/>', 'answers with something else than SOAP'],
      ['', 'answers with no XML'],
      [envelope('<GetProfilesResponse/>'), 'has no PTZ for channel 1'],
    ] as const) {
      camera.misbehave = { GetProfiles: () => ({ body }) }
      await using control = open()
      const start = performance.now()
      await assert.rejects(
        control.move(RIGHT),
        refusal('unavailable', `Camera 7 ${message}.`),
        body.slice(0, 60),
      )
      assert.ok(performance.now() - start < 2_000, body.slice(0, 60))
    }
  })
})

const FIXED = envelope(
  '<SOAP-ENV:Fault><SOAP-ENV:Code><SOAP-ENV:Value>SOAP-ENV:Sender</SOAP-ENV:Value><SOAP-ENV:Subcode><SOAP-ENV:Value>ter:CannotRemove</SOAP-ENV:Value></SOAP-ENV:Subcode></SOAP-ENV:Code><SOAP-ENV:Reason><SOAP-ENV:Text>rtsp://admin:secret@192.0.2.1</SOAP-ENV:Text></SOAP-ENV:Reason></SOAP-ENV:Fault>',
)
