import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PlaybackRequest } from '../playback-addresses.ts'
import { externalAddresses, type ExternalAddressesOptions } from './external-addresses.ts'

const OPTIONS: ExternalAddressesOptions = {
  templates: {
    hls: 'https://m.example/live/{camera}-{quality}/index.m3u8?grant={grant}',
    rtmp: 'rtmp://m.example/live/{serialNo}-{channel}?grant={grant}',
    flv: '',
  },
  signing: 'grant',
  signingKey: '',
}

const REQUEST: PlaybackRequest = {
  camera: {
    kind: 'camera',
    id: 12,
    structure: 1,
    location: 'Weir',
    serialNo: 'C 3',
    channelNo: 2,
    hasPTZ: false,
    type: 'fixed',
    source: 'rtsp://192.0.2.10/1',
  },
  quality: 'h',
  grant: '12.h.1780000000.1.x_-',
  expires: 1_780_000_000,
}

const withHls = (hls: string) => ({ ...OPTIONS, templates: { ...OPTIONS.templates, hls } })

describe('addresses of a media server', () => {
  test('have the camera, the quality and the grant', () => {
    const { hls, rtmp } = externalAddresses(OPTIONS)

    assert.equal(
      hls?.(REQUEST),
      'https://m.example/live/12-h/index.m3u8?grant=12.h.1780000000.1.x_-',
    )
    assert.equal(rtmp?.(REQUEST), 'rtmp://m.example/live/C%203-2?grant=12.h.1780000000.1.x_-')
  })

  test('exist for the protocols that it plays', () => {
    assert.deepEqual(Object.keys(externalAddresses(OPTIONS)), ['hls', 'rtmp'])
  })

  test('are signed until the second of their end', () => {
    const { rtmp } = externalAddresses({
      templates: { hls: '', flv: '', rtmp: 'rtmp://p.example/live/{camera}-{quality}' },
      signing: 'tencent',
      signingKey: 'k',
    })

    assert.match(
      rtmp?.(REQUEST) ?? '',
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
      assert.throws(() => externalAddresses(options), { name: 'RefusedError', message: reason })
  })
})
