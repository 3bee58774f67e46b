import { createHmac, timingSafeEqual } from 'node:crypto'

export type Quality = 'h' | 'd'

/** What an address opens: one camera in one quality for one user, before an instant. */
export type Grant = {
  camera: number
  quality: Quality
  /** Seconds since 1970. */
  expires: number
  user: number
}

/** What identifies a camera beside its id, which another camera may have later. */
export type Device = { serialNo: string; channelNo: number }

const GRANT = /^(0|[1-9]\d{0,9})\.([hd])\.(0|[1-9]\d{0,11})\.(0|[1-9]\d{0,9})\.([\w-]{43})$/

/** `<camera>.<quality>.<expires>.<user>.<signature>`: no character is escaped in a path. */
export function formatGrant(grant: Grant, device: Device, secret: Uint8Array): string {
  const { camera, quality, expires, user } = grant
  return `${camera}.${quality}.${expires}.${user}.${sign(grant, device, secret)}`
}

/** The parts of a text that has the form of a grant, whether or not its signature is right. */
export function parseGrant(text: string): { grant: Grant; signature: string } | undefined {
  const [, camera, quality, expires, user, signature = ''] = GRANT.exec(text) ?? []
  if (quality !== 'h' && quality !== 'd') return undefined
  return {
    grant: { camera: Number(camera), quality, expires: Number(expires), user: Number(user) },
    signature,
  }
}

/** Whether a signature is that of a grant for a camera, character by character. */
export const isSignedFor = (
  { grant, signature }: { grant: Grant; signature: string },
  device: Device,
  secret: Uint8Array,
): boolean => timingSafeEqual(Buffer.from(signature), Buffer.from(sign(grant, device, secret)))

/** HMAC-SHA-256 over all that a grant says, and the camera that it is for. */
function sign(
  { camera, quality, expires, user }: Grant,
  { serialNo, channelNo }: Device,
  secret: Uint8Array,
): string {
  const claim = ['stream', camera, serialNo, channelNo, quality, expires, user]
  return createHmac('sha256', secret).update(JSON.stringify(claim)).digest('base64url')
}
