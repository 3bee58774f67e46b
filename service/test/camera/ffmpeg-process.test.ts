import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  frameHeights,
  H264,
  H264_TEN_BITS,
  HEVC,
  makeClip,
  makeFolder,
  MJPEG,
  probe,
} from './_clips.ts'
import { fromFile, fromPipe, readAll, startFfmpeg } from './_started-ffmpeg.ts'

const folder = await makeFolder()
const clip = (name: string) => join(folder, name)
const h264 = await makeClip(clip('h264.mp4'), H264, { sound: true })
const h264Ts = await makeClip(clip('h264.ts'), H264)
const hevc = await makeClip(clip('hevc.ts'), HEVC)
const mjpeg = await makeClip(clip('mjpeg.avi'), MJPEG)
const tenBits = await makeClip(clip('ten-bits.mp4'), H264_TEN_BITS)

const transcode = (height?: number) => ({ kind: 'transcode', height }) as const

describe('video that is copied', () => {
  test('comes as MPEG-TS and as FLV, frame for frame, without sound', async () => {
    await using ffmpeg = startFfmpeg({ input: fromFile(h264) })

    const { ts, flv, problem, detail } = await readAll(ffmpeg)

    const original = { ...(await probe(folder, h264Ts)), frames: 75, keyframes: [0, 1, 2] }
    assert.deepEqual(await probe(folder, ts), original)
    assert.deepEqual(await probe(folder, flv), original)
    assert.deepEqual({ problem, detail }, { problem: 'The camera ended its video.', detail: '' })
  })

  test('comes whole from MPEG-TS on standard input', async () => {
    const stdin = createReadStream(h264Ts)
    await using ffmpeg = startFfmpeg({ input: fromPipe('mpegts'), stdin })

    const { ts, flv } = await readAll(ffmpeg)

    const original = await probe(folder, h264Ts)
    assert.deepEqual(await probe(folder, ts), original)
    assert.deepEqual(await probe(folder, flv), original)
  })

  test('comes as MPEG-TS alone where FLV cannot hold it', async () => {
    await using ffmpeg = startFfmpeg({ input: fromFile(hevc) })

    const { ts, flv } = await readAll(ffmpeg)

    const { codec, frames } = await probe(folder, ts)
    assert.deepEqual({ codec, frames, flv: flv.length }, { codec: 'hevc', frames: 75, flv: 0 })
  })

  test('may change its size, in both outputs', async () => {
    const large = await makeClip(clip('large.ts'), H264, { size: '640x480', seconds: 1 })
    const joined = clip('two-sizes.ts')
    await writeFile(joined, Buffer.concat([await readFile(h264Ts), await readFile(large)]))
    await using ffmpeg = startFfmpeg({ input: fromFile(joined) })

    const { ts, flv } = await readAll(ffmpeg)

    assert.deepEqual(await frameHeights(folder, ts), [240, 480])
    assert.deepEqual(await frameHeights(folder, flv), [240, 480])
    const headers = flv.toString('latin1').split('\x17\0\0\0\0').length - 1
    assert.ok(headers >= 2, 'a new sequence header')
  })
})

describe('video that is transcoded', () => {
  const expected = {
    codec: 'h264',
    profile: 'High',
    width: 320,
    height: 240,
    pixels: 'yuv420p',
    frames: 75,
    keyframes: [0, 2],
  }
  const sources = { 'Motion JPEG': mjpeg, HEVC: hevc, 'H.264 with ten bits': tenBits }
  for (const [name, path] of Object.entries(sources))
    test(`is H.264 that browsers play, with a keyframe every two seconds: ${name}`, async () => {
      await using ffmpeg = startFfmpeg({ input: fromFile(path), output: transcode() })

      const { ts, flv } = await readAll(ffmpeg)

      assert.deepEqual(await probe(folder, ts), expected)
      assert.deepEqual(await probe(folder, flv), expected)
    })

  const sizes = [
    { size: '320x240', height: 120, becomes: '160x120' },
    { size: '320x240', height: 480, becomes: '320x240' },
    { size: '321x241', height: 101, becomes: '134x100' },
    { size: '321x241', height: undefined, becomes: '320x240' },
    { size: '4000x200', height: 200, becomes: '3840x192' },
    { size: '1600x1200', height: undefined, becomes: '1440x1080' },
  ]
  for (const { size, height, becomes } of sizes)
    test(`of ${size} becomes ${becomes} for the height ${height}`, async () => {
      const path = await makeClip(clip(`${size}-${height}.avi`), MJPEG, { size, seconds: 0.2 })
      await using ffmpeg = startFfmpeg({ input: fromFile(path), output: transcode(height) })

      const { ts } = await readAll(ffmpeg)

      const video = await probe(folder, ts)
      assert.equal(`${video.width}x${video.height}`, becomes)
    })

  test('keeps its size when the camera changes that of its picture', async () => {
    const small = await makeClip(clip('small.ts'), HEVC, { size: '160x120', seconds: 1 })
    const joined = Buffer.concat([await readFile(hevc), await readFile(small)])
    await writeFile(clip('joined.ts'), joined)
    await using ffmpeg = startFfmpeg({ input: fromFile(clip('joined.ts')), output: transcode() })

    const { ts } = await readAll(ffmpeg)

    const { width, height, frames } = await probe(folder, ts)
    assert.deepEqual({ width, height }, { width: 320, height: 240 })
    assert.ok(frames > 75, `${frames} frames`)
  })
})

describe('a source without video that can be read', () => {
  test('is named as what it is', async () => {
    const sound = await makeClip(clip('sound.ts'), '-vn -c:a aac', { sound: true })
    await writeFile(clip('garbage'), Buffer.alloc(100_000, 'garbage '))

    assert.equal(await problemOf(sound), 'The camera sends no video.')
    assert.equal(
      await problemOf(clip('garbage')),
      'The camera sends nothing that ffmpeg can read as video.',
    )
  })
})

async function problemOf(path: string): Promise<string> {
  await using ffmpeg = startFfmpeg({ input: fromFile(path) })
  const { problem } = await readAll(ffmpeg)
  return problem
}
