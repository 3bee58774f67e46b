import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SourceOptions } from '../../src/camera/source/open-source.ts'
import { eventually } from '../_eventually.ts'
import { readWithFfmpeg } from './_ffmpeg.ts'
import { startHlsCamera } from './_hls-camera.ts'
import { startHttpCamera, startTcpServer } from './_http-camera.ts'
import { openSource } from './_open.ts'
import { video } from './_videos.ts'

const HEAD = '#EXTM3U\n#EXT-X-TARGETDURATION:1\n'

const ELSEWHERE = 'The camera leads to another address, which is not followed.'

/** What paths of a camera respond: a text, bytes, or something else every time. */
type Pages = Readonly<Record<string, string | Buffer | (() => string)>>

/** A camera with these pages, and the paths that were asked for. */
async function startPages(pages: Pages) {
  const asked: string[] = []
  const camera = await startHttpCamera((request, response) => {
    const { url = '' } = request
    asked.push(url)
    const page = pages[url]
    if (page === undefined) response.writeHead(404).end()
    else response.end(typeof page === 'function' ? page() : page)
  })
  return Object.assign(camera, { asked })
}

const openAt = (port: number, options?: Partial<SourceOptions>) =>
  openSource(`http://127.0.0.1:${port}/live.m3u8`, options)

describe('a live stream of HLS', () => {
  for (const form of ['ts', 'mp4', 'ranges'] as const)
    test(`is read segment by segment, and ffmpeg sees no playlist (${form})`, async () => {
      await using camera = await startHlsCamera(form)
      await using opened = await openAt(camera.port)

      const { pictures, video, said, commandLine } = await readWithFfmpeg(opened, { pictures: 130 })

      assert.equal(pictures, 130, said)
      assert.match(video, /^h264/)
      assert.doesNotMatch(said, /discontinuity|corrupt|Non-monotonous|error/i)
      assert.ok(!commandLine.includes('127.0.0.1'), commandLine)
      assert.equal(opened.failure(), undefined)
    })

  test('is that with the most bits of those on the host of the camera', async () => {
    await using inner = await startTcpServer()
    await using camera = await startPages({
      '/live.m3u8': `#EXTM3U
        #EXT-X-STREAM-INF:BANDWIDTH=1000
        low.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=3000
        http://127.0.0.1:${inner.port}/inner.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=2000
        /sub/high.m3u8?a=b`,
      '/sub/high.m3u8?a=b': `${HEAD}#EXTINF:1,\nhigh.ts?c=d\n#EXT-X-ENDLIST\n`,
      '/sub/high.ts?c=d': await video('ts'),
    })
    await using opened = await openAt(camera.port)

    const { pictures } = await readWithFfmpeg(opened, { pictures: 1_000 })

    assert.equal(pictures, 50)
    assert.equal(opened.failure(), 'The camera ended the stream.')
    assert.deepEqual(camera.asked, ['/live.m3u8', '/sub/high.m3u8?a=b', '/sub/high.ts?c=d'])
    assert.equal(inner.connections, 0)
  })
})

describe('a playlist that does not behave', () => {
  test('leads to no file and no other host, and nothing more is got', async () => {
    await using inner = await startTcpServer()
    const address = `127.0.0.1:${inner.port}`
    for (const reference of [
      `http://${address}/x.ts`,
      `//${address}/x.ts`,
      `https://${address}/x.ts`,
      `tcp://${address}`,
      'file:///etc/passwd',
      'data:video/mp2t;base64,Rw==',
      'crypto:a.ts',
      'concat:a.ts|b.ts',
      'http://169.254.169.254/latest/meta-data',
    ])
      for (const text of [
        `${HEAD}#EXTINF:1,\na.ts\n#EXTINF:1,\n${reference}\n#EXTINF:1,\na.ts\n`,
        `${HEAD}#EXT-X-MAP:URI="${reference}"\n#EXTINF:1,\na.ts\n`,
        `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${reference}\n`,
      ]) {
        await using camera = await startPages({ '/live.m3u8': text, '/a.ts': await video('ts') })

        await assert.rejects(openAt(camera.port), { name: 'SourceError', message: ELSEWHERE }, text)
        assert.deepEqual(camera.asked, ['/live.m3u8'])
      }
    assert.equal(inner.connections, 0)
  })

  test('leads nowhere later either', async () => {
    await using inner = await startTcpServer()
    let reads = 0
    const live = () => {
      const next = reads++ < 1 ? '' : `#EXTINF:1,\nhttp://127.0.0.1:${inner.port}/b.ts\n`
      return `${HEAD}#EXTINF:1,\na.ts\n${next}`
    }
    await using camera = await startPages({ '/live.m3u8': live, '/a.ts': await video('ts') })
    await using opened = await openAt(camera.port)

    await readWithFfmpeg(opened, { pictures: 1_000 })

    assert.equal(opened.failure(), ELSEWHERE)
    assert.equal(inner.connections, 0)
  })

  test('is refused when it is encrypted, huge, of no streams or of playlists', async () => {
    const master = '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlive.m3u8\n'
    for (const [text, message] of [
      [
        `${HEAD}#EXT-X-KEY:METHOD=AES-128,URI="k"\n#EXTINF:1,\na.ts\n`,
        'The stream of the camera is encrypted, which is not played.',
      ],
      [HEAD + '# comment\n'.repeat(100_000), 'The playlist of the camera has more than 256 KB.'],
      [master, 'The playlist of the camera leads from playlist to playlist.'],
      ['#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n', 'The playlist of the camera has no streams.'],
      ['<html>', 'The camera sent no playlist of HLS.'],
      [`${HEAD}#EXTINF:1,\ngone.ts\n`, 'The camera has no stream of this path.'],
      [
        `${HEAD}#EXTINF:1,\nlive.m3u8\n`,
        'The camera sends none of MPEG-TS, FLV, MP4 in fragments, Matroska, Motion JPEG and HLS.',
      ],
    ] as const) {
      await using camera = await startPages({ '/live.m3u8': text })

      await assert.rejects(openAt(camera.port), { name: 'SourceError', message })
      await eventually(() => assert.equal(camera.open.size, 0))
    }
  })

  test('is given up when it has no end, breaks off, or has nothing new', async () => {
    const options = { stallSeconds: 1 }
    await using endless = await startHttpCamera((_, response) => {
      const timer = setInterval(() => response.write('#EXTM3U\n'), 50)
      response.on('close', () => clearInterval(timer))
    })
    await assert.rejects(openAt(endless.port, options), {
      name: 'SourceError',
      message: 'The playlist of the camera did not end within 1 seconds.',
    })

    await using broken = await startHttpCamera((_, response) => {
      response.writeHead(200, { 'content-length': 1_000 }).write('#EXTM3U\n')
      setTimeout(() => response.destroy(), 50)
    })
    await assert.rejects(openAt(broken.port, options), {
      name: 'SourceError',
      message: 'The connection to the camera broke.',
    })

    const pages = { '/live.m3u8': `${HEAD}#EXTINF:1,\na.ts\n`, '/a.ts': await video('ts') }
    await using frozen = await startPages(pages)
    await using opened = await openAt(frozen.port, options)
    await readWithFfmpeg(opened, { pictures: 1_000 })
    assert.equal(opened.failure(), 'The camera sent nothing for 3 seconds.')
    assert.ok(frozen.asked.length < 15, String(frozen.asked.length))
  })

  test('is given up when its segments are too large, or of another format', async () => {
    await using flooding = await startPages({
      '/live.m3u8': `${HEAD}#EXTINF:1,\na.ts\n`,
      '/a.ts': Buffer.concat(Array.from({ length: 60 }, () => Buffer.alloc(188 * 1_000, 'G'))),
    })
    await using flood = await openAt(flooding.port, { maxMegabits: 2 })
    await readWithFfmpeg(flood, { pictures: 1_000 })
    assert.equal(flood.failure(), 'The camera sent more than 2 Mbit/s.')

    let reads = 0
    await using changing = await startPages({
      '/live.m3u8': () =>
        `${HEAD}#EXT-X-MEDIA-SEQUENCE:${reads}\n#EXT-X-MAP:URI="${reads++}.mp4"\n#EXTINF:1,\na.mp4\n`,
      '/0.mp4': await video('mp4'),
      '/a.mp4': await video('mp4'),
    })
    await using changed = await openAt(changing.port)
    await readWithFfmpeg(changed, { pictures: 1_000 })
    assert.equal(changed.failure(), 'The camera changed the format of its stream.')
  })
})
