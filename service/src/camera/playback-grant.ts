import { createHmac, timingSafeEqual } from 'node:crypto'
import type { StreamProtocol } from '@plumbline/contract'

/** Where players find media servers, and the secret that addresses are signed with. */
export type MediaSettings = Readonly<{
  addresses: Readonly<Record<StreamProtocol, string>>
  secret: Uint8Array
}>

/** What an address allows: one camera in one quality until a moment. */
export type PlaybackGrant = { camera: number; quality: 'h' | 'd'; expiresAt: number }

/** What a protocol's player wants at the end of the path. */
const SUFFIXES = { hls: '/index.m3u8', rtmp: '', flv: '.flv' } as const satisfies Record<
  StreamProtocol,
  string
>

/** An address that carries its own grant in the path, so that segments inherit it. */
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
