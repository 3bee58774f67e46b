import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mediaServer, type MediaServerOptions } from './media-server.ts'

const OPTIONS: MediaServerOptions = {
  templates: {
    hls: 'https://m.example/live/{camera}-{quality}/index.m3u8?grant={grant}',
    rtmp: 'rtmp://m.example/live/{serialNo}-{channel}?grant={grant}',
    flv: '',
  },
  signing: 'grant',
  signingKey: '',
}

const PLAYBACK = {
  camera: { id: 12, serialNo: 'C 3', channelNo: 2 },
  quality: 'h',
  grant: '12.h.1780000000.x_-',
  expiresAt: 1_780_000_000_900,
} as const

const withHls = (hls: string) => ({ ...OPTIONS, templates: { ...OPTIONS.templates, hls } })

describe('addresses of a media server', () => {
  test('have the camera, the quality and the grant', () => {
    const server = mediaServer(OPTIONS)

    assert.equal(
      server.addressOf('hls', PLAYBACK),
      'https://m.example/live/12-h/index.m3u8?grant=12.h.1780000000.x_-',
    )
    assert.equal(
      server.addressOf('rtmp', PLAYBACK),
      'rtmp://m.example/live/C%203-2?grant=12.h.1780000000.x_-',
    )
  })

  test('do not exist for a protocol without a template', () => {
    assert.equal(mediaServer(OPTIONS).addressOf('flv', PLAYBACK), undefined)
  })

  test('are signed until the second of their end', () => {
    const server = mediaServer({
      templates: { hls: '', flv: '', rtmp: 'rtmp://p.example/live/{camera}-{quality}' },
      signing: 'tencent',
      signingKey: 'k',
    })

    assert.match(
      server.addressOf('rtmp', PLAYBACK) ?? '',
      /^rtmp:\/\/p\.example\/live\/12-h\?txSecret=[0-9a-f]{32}&txTime=6A18A500$/,
    )
  })

  test('are refused with their setting when they could not be right', () => {
    for (const [options, reason] of [
      [withHls('https://m.example/{id}'), /^media\.hls: the placeholder \{id\} is not known/],
      [withHls('rtmp://m.example/{grant}'), /^media\.hls: .* begin with https:\/\/ or http:\/\/$/],
      [withHls('https://m.example/{camera}'), /^media\.hls: the address has no \{grant\}/],
      [{ ...OPTIONS, signing: 'aliyun-a' }, /^media\.signing: aliyun-a signs with a key; name its/],
    ] as const)
      assert.throws(() => mediaServer(options), { name: 'RefusedError', message: reason })
  })
})
