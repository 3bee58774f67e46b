import { createHmac, timingSafeEqual } from 'node:crypto'

/** Seconds of a time step (RFC 6238). */
const STEP_SECONDS = 30

const DIGITS = 6

/** The bytes of a secret: those of a SHA-1, which every authenticator knows. */
export const TOTP_SECRET_BYTES = 20

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Base32 without padding (RFC 4648). */
export function base32(bytes: Uint8Array): string {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => ALPHABET.charAt(Number.parseInt(five.padEnd(5, '0'), 2)))
    .join('')
}

/** The code of a time step (RFC 4226, RFC 6238 with SHA-1). */
export function totpCode(secret: Uint8Array, step: number, digits: number = DIGITS): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/**
 * The time step whose code a person typed; undefined for a wrong one. The step before and after count
 * too, since clocks differ.
 */
export function findTotpStep(secret: Uint8Array, typed: string, now: number): number | undefined {
  const code = typed.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(code)) return undefined
  const present = Math.floor(now / 1000 / STEP_SECONDS)
  return [present, present - 1, present + 1].find(
    (step) => step >= 0 && timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code)),
  )
}

/** The address that an authenticator reads from a QR code. */
export function totpUri(
  secret: Uint8Array,
  { name, host }: { name: string; host: string },
): string {
  const label = `${encodeURIComponent(`Plumbline ${host}`)}:${encodeURIComponent(name)}`
  const issuer = encodeURIComponent(`Plumbline ${host}`)
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${issuer}`
}
