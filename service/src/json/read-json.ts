import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { RefusedError } from '../errors/refused-error.ts'
import { isObject } from './is-object.ts'
import { UnreadableRecord } from './unreadable-record.ts'
import {
  PART_BYTES,
  tooDeep,
  type JsonLimits,
  type JsonList,
  type JsonPart,
  type JsonScan,
} from './json-scan.ts'

/** The longest text that is parsed at once: in about 10 ms, at most 25 ms. */
const TEXT_MAXIMUM = 256 * 1024

/** A text of more bytes has more than `TEXT_MAXIMUM` characters. */
const TEXT_BYTES_MAXIMUM = 3 * TEXT_MAXIMUM + 3

/**
 * Parses JSON that was scanned by `scan`; undefined for an empty text.
 *
 * The long lists of the scan, which may have a million elements, are parsed in parts, with pauses in
 * which other requests continue. `what` is the name of the text in errors.
 */
export async function readJson(
  bytes: Uint8Array,
  scan: JsonScan,
  what: 'body' | 'payload' = 'body',
): Promise<unknown> {
  try {
    return await readText(bytes, scan)
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error
    throw new RefusedError('invalid', `the ${what} ${error.message}`, { cause: error.cause })
  }
}

/** An error of a text; its message follows the name of the text. */
class JsonProblem extends Error {}

async function readText(bytes: Uint8Array, scan: JsonScan): Promise<unknown> {
  requireShort(bytes, scan)
  if (scan.lists.length === 0) {
    const body = parse(textOf(bytes, 0, bytes.length))
    requireEveryList(body, scan)
    if (bytes.length > 2 * PART_BYTES) await setImmediate()
    return isUtf8(bytes) ? body : withoutBroken(body)
  }
  // Random, so that no other value of the text is equal to it.
  const mark = randomUUID()
  const body = parse(markLists(bytes, scan.lists, mark))
  requireEveryList(body, scan)
  const [first] = scan.lists
  if (Array.isArray(body) && first !== undefined) return readList(bytes, first, scan.limits)
  if (!isObject(body)) return body
  for (const [name, value] of Object.entries(body)) {
    const isMarked = Array.isArray(value) && value[0] === mark
    const list = isMarked ? scan.lists[Number(value[1])] : undefined
    if (list !== undefined) body[name] = await readList(bytes, list, scan.limits)
  }
  return body
}

/** Refuses two lists of one name: `JSON.parse` would silently drop all but the last. */
function requireEveryList(body: unknown, { memberLists }: JsonScan): void {
  if (memberLists === 0 || !isObject(body)) return
  if (Object.values(body).filter(Array.isArray).length < memberLists)
    throw new JsonProblem('has two lists of the same name')
}

/** Refuses a long text before it is decoded. */
function requireShort({ length }: Uint8Array, { lists }: JsonScan): void {
  const inLists = lists.reduce((sum, { from, to }) => sum + to - from, 0)
  if (length - inLists > TEXT_BYTES_MAXIMUM) throw tooLong()
}

/** Replaces each element of its lists that is not UTF-8; refuses a text that is not UTF-8 around them. */
function withoutBroken(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(readableOf)
  if (!isObject(body)) throw notUtf8()
  const lists = Object.entries(body).filter(([, value]) => Array.isArray(value))
  const around = { ...body, ...Object.fromEntries(lists.map(([name]) => [name, null])) }
  if (isBroken(around)) throw notUtf8()
  for (const [name, list] of lists) if (Array.isArray(list)) body[name] = list.map(readableOf)
  return body
}

const readableOf = (element: unknown): unknown => (isBroken(element) ? BROKEN : element)

/** Whether a text of a decoded value stands for bytes that are not UTF-8. */
const isBroken = (value: unknown): boolean => JSON.stringify(value).includes('\u{fffd}')

const BROKEN = new UnreadableRecord('a record has text that is not UTF-8: send JSON in UTF-8')

/** Returns the text around the lists, with a mark in place of each. */
function markLists(bytes: Uint8Array, lists: readonly JsonList[], mark: string): string {
  let text = ''
  let at = 0
  for (const [index, { from, to }] of lists.entries()) {
    text += `${soundText(bytes, at, from)}["${mark}",${index}]`
    at = to
  }
  return text + soundText(bytes, at, bytes.length)
}

function soundText(bytes: Uint8Array, from: number, to: number): string {
  if (!isUtf8(bytes.subarray(from, to))) throw notUtf8()
  return textOf(bytes, from, to)
}

async function readList(
  bytes: Uint8Array,
  { parts }: JsonList,
  limits: JsonLimits,
): Promise<unknown[]> {
  const list: unknown[] = []
  const [first] = parts
  if (first !== undefined && parts.length === 1 && isBlank(bytes, first)) return list
  for (const part of parts) {
    if (part.isTooDeep) list.push(new UnreadableRecord(tooDeep(limits)))
    else for (const element of readPart(bytes, part)) list.push(element)
    if (parts.length > 1) await setImmediate()
  }
  return list
}

/** An element that is too long to be parsed at once, or not UTF-8, is read as an `UnreadableRecord`. */
function readPart(bytes: Uint8Array, { from, to, count }: JsonPart): unknown[] {
  if (to - from > TEXT_MAXIMUM) return [TOO_LONG]
  const text = textOf(bytes, from, to)
  const elements = parse(`[${text}]`)
  // An empty element between two commas is no JSON.
  if (!Array.isArray(elements) || elements.length !== count) throw notJson()
  return isUtf8(bytes.subarray(from, to)) ? elements : elements.map(readableOf)
}

const isBlank = (bytes: Uint8Array, { from, to }: JsonPart): boolean =>
  to - from <= TEXT_MAXIMUM && textOf(bytes, from, to).trim() === ''

const TOO_LONG = new UnreadableRecord(
  `a record has at most ${TEXT_MAXIMUM} bytes of JSON, apart from its lists`,
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

const notJson = (cause?: unknown): JsonProblem => new JsonProblem('is not JSON', { cause })

const notUtf8 = (): JsonProblem => new JsonProblem('is not UTF-8: send JSON in UTF-8')

const tooLong = (): JsonProblem =>
  new JsonProblem(`has at most ${TEXT_MAXIMUM} characters apart from its lists`)

const textOf = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from)
    .toString()
    // Some editors and loggers write a byte order mark.
    .replace(from === 0 ? /^\uFEFF/ : '', '')
