import { createHmac } from 'node:crypto'
import type { StreamProtocol } from '@plumbline/contract'

/** The addresses of media servers, and the secret that signs playback addresses. */
export type MediaSettings = Readonly<{
  addresses: Readonly<Record<StreamProtocol, string>>
  secret: Uint8Array
}>

/** The content of an address: one camera in one quality until an instant. */
type PlaybackGrant = { camera: number; quality: 'h' | 'd'; expiresAt: number }

/** The end of the path for a player of the protocol. */
const SUFFIXES: Readonly<Record<StreamProtocol, string>> = {
  hls: '/index.m3u8',
  rtmp: '',
  flv: '.flv',
}

/** Returns an address with its signed grant in the path, so that media segments inherit it. */
export function playbackAddress(
  protocol: StreamProtocol,
  grant: PlaybackGrant,
  { addresses, secret }: MediaSettings,
): string {
  const base = addresses[protocol].replace(/\/+$/, '')
  return `${base}/${formatGrant(grant, secret)}${SUFFIXES[protocol]}`
}

/** `<camera>.<quality>.<expiry in seconds>.<signature>`: no character is escaped in a path. */
function formatGrant({ camera, quality, expiresAt }: PlaybackGrant, secret: Uint8Array): string {
  const claim = `${camera}.${quality}.${Math.floor(expiresAt / 1000)}`
  return `${claim}.${createHmac('sha256', secret).update(claim).digest('base64url')}`
}
