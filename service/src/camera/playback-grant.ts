import { createHmac, timingSafeEqual } from 'node:crypto'
import type { StreamProtocol } from '@plumbline/contract'

/** The addresses of media servers, and the secret that signs playback addresses. */
export type MediaSettings = Readonly<{
  addresses: Readonly<Record<StreamProtocol, string>>
  secret: Uint8Array
}>

/** The content of an address: one camera in one quality until an instant. */
export type PlaybackGrant = { camera: number; quality: 'h' | 'd'; expiresAt: number }

/** The end of the path for a player of the protocol. */
const SUFFIXES = { hls: '/index.m3u8', rtmp: '', flv: '.flv' } as const satisfies Record<
  StreamProtocol,
  string
>

/** Returns an address with its grant in the path, so that media segments inherit it. */
export function playbackAddress(
  protocol: StreamProtocol,
  grant: PlaybackGrant,
  { addresses, secret }: MediaSettings,
): string {
  const base = addresses[protocol].replace(/\/+$/, '')
  return `${base}/${formatGrant(grant, secret)}${SUFFIXES[protocol]}`
}

/** `<camera>.<quality>.<expiry in seconds>.<signature>`: only letters that a path keeps as they are. */
export function formatGrant(
  { camera, quality, expiresAt }: PlaybackGrant,
  secret: Uint8Array,
): string {
  const claim = `${camera}.${quality}.${Math.floor(expiresAt / 1000)}`
  return `${claim}.${sign(claim, secret)}`
}

/** Reads a grant that this service signed and that has not expired; anything else is undefined. */
export function parseGrant(
  text: string,
  secret: Uint8Array,
  now: number,
): PlaybackGrant | undefined {
  const match = /^((\d{1,10})\.([hd])\.(\d{1,12}))\.([\w-]{43})$/.exec(text)
  if (match === null) return undefined
  const [, claim = '', camera, quality, seconds, signature = ''] = match
  const expected = Buffer.from(sign(claim, secret))
  if (!timingSafeEqual(expected, Buffer.from(signature))) return undefined
  const expiresAt = Number(seconds) * 1000
  if (expiresAt <= now) return undefined
  return { camera: Number(camera), quality: quality === 'h' ? 'h' : 'd', expiresAt }
}

const sign = (claim: string, secret: Uint8Array): string =>
  createHmac('sha256', secret).update(claim).digest('base64url')
