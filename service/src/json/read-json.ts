import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { RefusedError } from '../errors/refused-error.ts'
import { UnreadableRecord } from './unreadable-record.ts'
import {
  PART_BYTES,
  tooDeep,
  type JsonLimits,
  type JsonList,
  type JsonPart,
  type JsonScan,
} from './json-scan.ts'

/** The longest text that is parsed at once: 10 ms of whatever it is, 25 of the worst. */
const TEXT_MAXIMUM = 256 * 1024

/** More bytes than these are more characters than may be, whatever they are. */
const TEXT_BYTES_MAXIMUM = 3 * TEXT_MAXIMUM + 3

/**
 * Parses JSON that was looked through by `scan`; undefined where there is nothing in it.
 *
 * Long lists that the scan has found, which may have a million elements, are parsed in parts, and
 * others have their turn between these. `what` names the text in sentences.
 */
export async function readJson(
  bytes: Uint8Array,
  scan: JsonScan,
  what: 'body' | 'payload' = 'body',
): Promise<unknown> {
  try {
    return await readText(bytes, scan)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new RefusedError('invalid', `the ${what} ${error.message}`, { cause: error.cause })
  }
}

/** What is wrong with a text, to be said behind its name. */
class Problem extends Error {}

async function readText(bytes: Uint8Array, scan: JsonScan): Promise<unknown> {
  requireShort(bytes, scan)
  if (scan.lists.length === 0) {
    const body = parse(textOf(bytes, 0, bytes.length))
    requireEveryList(body, scan)
    if (bytes.length > 2 * PART_BYTES) await setImmediate()
    return body
  }
  // Not to be guessed: nothing else that is in the text is taken for it.
  const mark = randomUUID()
  const body = parse(markLists(bytes, scan.lists, mark)) as Record<string, unknown>
  requireEveryList(body, scan)
  if (Array.isArray(body)) return readList(bytes, scan.lists[0]!, scan.limits)
  for (const [name, value] of Object.entries(body)) {
    if (!Array.isArray(value) || value[0] !== mark) continue
    body[name] = await readList(bytes, scan.lists[value[1] as number]!, scan.limits)
  }
  return body
}

/** Of members of one name JSON keeps the last: what else was sent would be lost without a word. */
function requireEveryList(body: unknown, { memberLists }: JsonScan): void {
  if (memberLists === 0 || typeof body !== 'object' || body === null) return
  if (Object.values(body).filter(Array.isArray).length < memberLists)
    throw new Problem('has two lists of the same name')
}

/** What is too long is not even decoded. */
function requireShort({ length }: Uint8Array, { lists }: JsonScan): void {
  const inLists = lists.reduce((sum, { from, to }) => sum + to - from, 0)
  if (length - inLists > TEXT_BYTES_MAXIMUM) throw tooLong()
}

/** What is around the lists, with a mark in the place of each. */
function markLists(bytes: Uint8Array, lists: readonly JsonList[], mark: string): string {
  let text = ''
  let at = 0
  for (const [index, { from, to }] of lists.entries()) {
    text += `${textOf(bytes, at, from)}["${mark}",${index}]`
    at = to
  }
  return text + textOf(bytes, at, bytes.length)
}

async function readList(
  bytes: Uint8Array,
  { parts }: JsonList,
  limits: JsonLimits,
): Promise<unknown[]> {
  const list: unknown[] = []
  if (parts.length === 1 && isBlank(bytes, parts[0]!)) return list
  for (const part of parts) {
    if (part.isTooDeep) list.push(new UnreadableRecord(tooDeep(limits)))
    else for (const element of readPart(bytes, part)) list.push(element)
    if (parts.length > 1) await setImmediate()
  }
  return list
}

/** One element that is too long to be parsed at once is none: it is refused where it is stored. */
function readPart(bytes: Uint8Array, { from, to, count }: JsonPart): unknown[] {
  if (to - from > TEXT_MAXIMUM) return [TOO_LONG]
  const text = textOf(bytes, from, to)
  const elements = parse(`[${text}]`) as unknown[]
  // Between two commas there must be something.
  if (elements.length !== count) throw notJson()
  return elements
}

const isBlank = (bytes: Uint8Array, { from, to }: JsonPart): boolean =>
  to - from <= TEXT_MAXIMUM && textOf(bytes, from, to).trim() === ''

const TOO_LONG = new UnreadableRecord(
  `a record is at most ${TEXT_MAXIMUM} bytes of JSON, but for its own lists`,
)

function parse(text: string): unknown {
  if (text.length > TEXT_MAXIMUM) throw tooLong()
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch (error) {
    throw notJson(error)
  }
}

const notJson = (cause?: unknown): Problem => new Problem('is not JSON', { cause })

const tooLong = (): Problem =>
  new Problem(`may hold at most ${TEXT_MAXIMUM} characters beside its lists`)

const textOf = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from)
    .toString()
    // The byte order mark that some editors and loggers write.
    .replace(from === 0 ? /^\uFEFF/ : '', '')
