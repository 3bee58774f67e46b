import { createHmac } from 'node:crypto'

/** Checks the grant of a playback address like a media server; undefined if it is refused. */
export function checkGrant(address: string, secret: Uint8Array, now: number) {
  const match = /\/(([\d]+)\.([hd])\.(\d+))\.([\w-]{43})(?:\/|\.flv|$)/.exec(address)
  const [, claim = '', camera, quality, seconds, signature] = match ?? []
  const expected = createHmac('sha256', secret).update(claim).digest('base64url')
  const expiresAt = Number(seconds) * 1000
  if (signature !== expected || expiresAt <= now) return undefined
  return { camera: Number(camera), quality, expiresAt }
}
