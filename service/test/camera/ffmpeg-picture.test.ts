import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, test } from 'node:test'
import { KEYFRAME_INPUT, takePicture } from '../../src/camera/ffmpeg/picture.ts'
import { H264, HEVC, makeClip, makeFolder, MJPEG, probe } from './_clips.ts'
import { fromFile, LIMITS, silent } from './_started-ffmpeg.ts'

const folder = await makeFolder()
const clip = (name: string) => join(folder, name)
const h264 = await makeClip(clip('h264.mp4'), H264)

/** Frames that refer to later ones, which a decoder waits for. */
const h264Ts = await makeClip(clip('h264.ts'), '-c:v libx264 -bf 3 -pix_fmt yuv420p', { gop: 75 })

const options = {
  command: 'ffmpeg',
  stdin: undefined,
  limits: LIMITS,
  signal: new AbortController().signal,
  log: silent,
}

describe('a picture', () => {
  test('is a JPEG of the full size', async () => {
    for (const path of [h264, await makeClip(clip('hevc.ts'), HEVC)]) {
      const jpeg = await takePicture({ ...options, input: fromFile(path) })

      const { codec, width, height, frames } = await probe(folder, jpeg)
      assert.deepEqual(
        { codec, width, height, frames },
        { codec: 'mjpeg', width: 320, height: 240, frames: 1 },
      )
    }
  })

  test('is of the keyframe, where MPEG-TS holds nothing else', async () => {
    const keyframe = await makeClip(clip('keyframe.ts'), H264, { seconds: 0.04 })

    const jpeg = await takePicture({
      ...options,
      input: KEYFRAME_INPUT,
      stdin: await readFile(keyframe),
    })

    assert.equal((await probe(folder, jpeg)).frames, 1)
  })

  test('comes while the camera has sent one keyframe and sends on', async () => {
    const stdin = new PassThrough()
    stdin.write((await readFile(h264Ts)).subarray(0, -(188 * 300)))

    const jpeg = await takePicture({ ...options, input: KEYFRAME_INPUT, stdin })

    assert.equal((await probe(folder, jpeg)).frames, 1)
    assert.ok(stdin.destroyed, 'the connection to the camera is not needed any more')
  })

  test('is whole where the source begins between two keyframes', async () => {
    const torn = (await readFile(h264Ts)).subarray(188 * 200)
    const next = await readFile(await makeClip(clip('next.ts'), H264, { size: '640x480' }))

    const stdin = Buffer.concat([torn, next])
    const jpeg = await takePicture({ ...options, input: KEYFRAME_INPUT, stdin })

    const expected = await takePicture({ ...options, input: KEYFRAME_INPUT, stdin: next })
    assert.ok(jpeg.equals(expected), `${jpeg.length} bytes in place of ${expected.length}`)
  })
})

describe('no picture', () => {
  test('comes of a camera that stalls: the sentence says so', async () => {
    const stdin = new PassThrough()
    const stalled = { ...options, input: KEYFRAME_INPUT, stdin, timeoutMilliseconds: 1_500 }

    await assert.rejects(takePicture(stalled), {
      name: 'PictureError',
      message: 'The camera gave no picture within 1.5 seconds.',
    })
  })

  test('comes of garbage', async () => {
    await writeFile(clip('garbage'), Buffer.alloc(100_000, 'garbage '))

    await assert.rejects(takePicture({ ...options, input: fromFile(clip('garbage')) }), {
      name: 'PictureError',
      message: 'The camera sends nothing that ffmpeg can read as video.',
    })
  })

  test('comes of a video without a frame', async () => {
    const tables = (await readFile(h264Ts)).subarray(0, 188 * 3)

    await assert.rejects(takePicture({ ...options, input: KEYFRAME_INPUT, stdin: tables }), {
      name: 'PictureError',
      message: 'The camera sent no picture that ffmpeg can read.',
    })
  })

  test('of more than 8 MB is kept', async () => {
    const noise = '-vf noise=alls=100:allf=t -c:v mjpeg -q:v 2 -pix_fmt yuvj420p'
    const path = await makeClip(clip('noise.avi'), noise, { size: '5120x2880', seconds: 0.04 })

    await assert.rejects(takePicture({ ...options, input: fromFile(path) }), {
      name: 'PictureError',
      message: 'The picture of the camera is larger than 8 MB.',
    })
  })

  test('of more pixels than 8K is decoded', async () => {
    const path = await makeClip(clip('huge.avi'), MJPEG, { size: '8000x8000', seconds: 0.04 })

    await assert.rejects(takePicture({ ...options, input: fromFile(path) }), {
      name: 'PictureError',
      message: 'The picture of the camera is too large.',
    })
  })

  test('is waited for by a caller who has gone', async () => {
    const controller = new AbortController()
    const picture = takePicture({
      ...options,
      input: KEYFRAME_INPUT,
      stdin: new PassThrough(),
      signal: controller.signal,
    })
    controller.abort()

    await assert.rejects(picture, { name: 'AbortError' })
  })
})
