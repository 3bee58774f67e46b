import { RefusedError } from '../../errors/refused-error.ts'
import { shorten } from '../../errors/show.ts'

export const PLACEHOLDERS = [
  'camera',
  'serialNo',
  'channel',
  'quality',
  'grant',
  'expires',
] as const

/** A name that stands in braces in an address template. */
export type Placeholder = (typeof PLACEHOLDERS)[number]

/** What the placeholders of one address stand for; `expires` in seconds since 1970. */
export type AddressValues = Readonly<Record<Placeholder, string | number>>

/** The address of a stream on a media server, with placeholders. */
export type AddressTemplate = Readonly<{
  placeholders: ReadonlySet<Placeholder>
  /** The address with its values, each percent-encoded where it stands. */
  write(values: AddressValues): string
}>

/** Values that name a camera, at least one of which an address needs. */
const NAMES_CAMERA: readonly Placeholder[] = ['camera', 'serialNo', 'grant']

const KNOWN = PLACEHOLDERS.map((name) => `{${name}}`).join(', ')

/**
 * Reads an address such as `https://media.example/live/{camera}-{quality}.m3u8?grant={grant}`; throws a
 * `RefusedError` for an address that could not be written, and for one that would be the same for all cameras.
 */
export function parseAddressTemplate(text: string): AddressTemplate {
  const parts = text.split(/\{([^{}]*)\}/)
  const fixed = parts.filter((_, at) => at % 2 === 0)
  const names = parts.filter((_, at) => at % 2 === 1)
  const placeholders = new Set(names.map(readPlaceholder))
  checkFixed(fixed)
  if (!NAMES_CAMERA.some((name) => placeholders.has(name)))
    throw refuse('the address is the same for all cameras: add {camera} to it')
  return {
    placeholders,
    write: (values) =>
      parts
        .map((part, at) => (at % 2 === 0 ? part : encode(readPlaceholder(part), values)))
        .join(''),
  }
}

function readPlaceholder(name: string): Placeholder {
  const known = PLACEHOLDERS.find((one) => one === name)
  if (known !== undefined) return known
  throw refuse(`the placeholder {${shorten(name)}} is not known; the placeholders are ${KNOWN}`)
}

/** Checks what stands between the placeholders: a scheme and a host first, and nothing that ends an address early. */
function checkFixed(fixed: readonly string[]): void {
  const [start = ''] = fixed
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#\s@]+\//.test(start))
    throw refuse(
      'the address must begin with a scheme and a host without user and placeholder, such as https://media.example/',
    )
  const [wrong] = /[{}#\s]|%(?![0-9A-Fa-f]{2})/.exec(fixed.join('')) ?? []
  if (wrong !== undefined)
    throw refuse(`the address has a ${JSON.stringify(wrong)} that stands for nothing`)
  if (!isDecodable(fixed.join('/')) || !URL.canParse(fixed.join('x')))
    throw refuse('the address is not valid')
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** A step of a path that is `.` or `..` would be taken out of it with the step before it. */
function encode(name: Placeholder, values: AddressValues): string {
  const value = String(values[name])
  if (/^\.{0,2}$/.test(value))
    throw refuse(`the value ${JSON.stringify(value)} of {${name}} cannot stand in an address`)
  return encodeURIComponent(value.toWellFormed())
}

const refuse = (message: string) => new RefusedError('invalid', message)
