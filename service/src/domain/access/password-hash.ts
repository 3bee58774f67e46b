import { argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const argon2Of = promisify(argon2)

type Cost = { memory: number; passes: number; parallelism: number }

/** OWASP's parameters for argon2id: 19 MiB, 2 passes, 1 lane. */
const COST: Cost = { memory: 19_456, passes: 2, parallelism: 1 }

export const SALT_BYTES = 16
const TAG_BYTES = 32

/** The most that a stored text may ask for, in KiB and passes. */
const MEMORY_MAXIMUM = 262_144
const PASSES_MAXIMUM = 16

/** Hashes a password by argon2id (RFC 9106); returns it as PHC text, with its parameters and salt. */
export async function hashPassword(password: string, salt: Uint8Array): Promise<string> {
  const tag = await hashWith(password, salt, COST, TAG_BYTES)
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${encode(salt)}$${encode(tag)}`
}

/** Whether a password is the one of a PHC text; false for a text of another form. */
export async function isPasswordOf(phc: string, password: string): Promise<boolean> {
  const parsed = parse(phc)
  if (parsed === undefined) return false
  const { salt, tag, cost } = parsed
  return timingSafeEqual(await hashWith(password, salt, cost, tag.length), tag)
}

/** A PHC text that no password has: comparing with it takes as long as with any other. */
export const UNKNOWN_PASSWORD = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${encode(new Uint8Array(SALT_BYTES))}$${encode(new Uint8Array(TAG_BYTES))}`

const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/

function parse(phc: string): { cost: Cost; salt: Buffer; tag: Buffer } | undefined {
  const [whole, memory, passes, parallelism, salt = '', tag = ''] = PHC.exec(phc) ?? []
  if (whole === undefined) return undefined
  const cost = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  }
  const isMeant =
    cost.memory <= MEMORY_MAXIMUM &&
    cost.passes >= 1 &&
    cost.passes <= PASSES_MAXIMUM &&
    cost.parallelism >= 1 &&
    cost.memory >= 8 * cost.parallelism
  if (!isMeant) return undefined
  return { cost, salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') }
}

/** Different keyboards write one letter in several ways, so it is normalised first (NFKC). */
async function hashWith(
  password: string,
  nonce: Uint8Array,
  cost: Cost,
  tagLength: number,
): Promise<Buffer> {
  const message = Buffer.from(password.normalize('NFKC'))
  return argon2Of('argon2id', { message, nonce, ...cost, tagLength })
}

function encode(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '')
}
