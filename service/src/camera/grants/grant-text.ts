import { createHmac, timingSafeEqual } from 'node:crypto'

export type Quality = 'h' | 'd'

/** Whose an address is: a user of the site file, by an application, or an account. */
export type GrantHolder = { user: number } | { account: number }

/** What an address opens: one camera in one quality for one holder, before an instant. */
export type Grant = {
  camera: number
  quality: Quality
  /** Seconds since 1970. */
  expires: number
  holder: GrantHolder
}

/** What identifies a camera beside its id, which another camera may have later. */
export type Device = { serialNo: string; channelNo: number }

const GRANT = /^(0|[1-9]\d{0,9})\.([hd])\.(0|[1-9]\d{0,11})\.(a?)(0|[1-9]\d{0,9})\.([\w-]{43})$/

/**
 * `<camera>.<quality>.<expires>.<holder>.<signature>`, the holder a user as `3` or an account as `a3`: no
 * character is escaped in a path.
 */
export function formatGrant(grant: Grant, device: Device, secret: Uint8Array): string {
  const { camera, quality, expires, holder } = grant
  const signature = sign(grant, device, secret)
  return `${camera}.${quality}.${expires}.${textOf(holder)}.${signature}`
}

/** The parts of a text that has the form of a grant, whether or not its signature is right. */
export function parseGrant(text: string): { grant: Grant; signature: string } | undefined {
  const [, camera, quality, expires, kind, number, signature = ''] = GRANT.exec(text) ?? []
  if (quality !== 'h' && quality !== 'd') return undefined
  const holder = kind === 'a' ? { account: Number(number) } : { user: Number(number) }
  return {
    grant: { camera: Number(camera), quality, expires: Number(expires), holder },
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
  { camera, quality, expires, holder }: Grant,
  { serialNo, channelNo }: Device,
  secret: Uint8Array,
): string {
  const who = 'user' in holder ? holder.user : textOf(holder)
  const claim = ['stream', camera, serialNo, channelNo, quality, expires, who]
  return createHmac('sha256', secret).update(JSON.stringify(claim)).digest('base64url')
}

const textOf = (holder: GrantHolder): string =>
  'user' in holder ? String(holder.user) : `a${holder.account}`
