import { setImmediate } from 'node:timers/promises'
import { RefusedError } from '../errors/refused-error.ts'

export type JsonLimits = {
  /** The maximum nesting of lists and objects. */
  depth: number
  /** The maximum number of members of objects and elements of lists together. */
  members: number
}

/** Consecutive elements of a list that are parsed together, without the commas around them. */
export type JsonPart = { from: number; to: number; count: number; isTooDeep?: boolean }

/** A list that is a member of the text, or the whole text, from its first to after its last bracket. */
export type JsonList = { from: number; to: number; parts: JsonPart[] }

/** The bytes of a complete text that are scanned at once, in at most 2 ms. */
const SLICE_BYTES = 256 * 1024

/** An element of this size is a part of its own; a part of short elements has at most twice that. */
export const PART_BYTES = 32 * 1024

const NO_PART: JsonPart = { from: 0, to: 0, count: 0 }

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Scans JSON as it arrives: counts members and elements, and finds where the long lists of the
 * outermost object, or the outermost list, can be divided.
 *
 * It does not validate: parsing the parts and the text around them does.
 */
export class JsonScan {
  readonly lists: JsonList[] = []
  readonly limits: JsonLimits
  /** The number of members of the outermost object that are lists. */
  memberLists = 0
  readonly #takesList: boolean
  #at = 0
  #depth = 0
  #members = 0
  #isText = false
  #isEscaped = false
  #isObject = false
  #list: JsonList | undefined
  /** The depth of the list. */
  #listDepth = 1
  #part: JsonPart = NO_PART
  #isTooDeep = false

  /** Whether all texts together exceed the maximum number of members. */
  get isFull(): boolean {
    return this.#members > this.limits.members
  }

  /** With `takesList` an outermost list is divided too. */
  constructor(limits: JsonLimits, { takesList = false }: { takesList?: boolean } = {}) {
    this.limits = limits
    this.#takesList = takesList
  }

  /** Scans the next bytes of the text. */
  push(bytes: Uint8Array): void {
    const { length } = bytes
    let isText = this.#isText
    let isEscaped = this.#isEscaped
    for (let at = 0; at < length; at++) {
      const byte = bytes[at]
      if (isText) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isText = false
      } else if (byte === QUOTE) isText = true
      else if (byte === COMMA) this.#separate(this.#at + at)
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#open(byte, this.#at + at)
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#close(byte, this.#at + at)
    }
    this.#isText = isText
    this.#isEscaped = isEscaped
    this.#at += length
  }

  /** Scans a complete text, with pauses in which other requests continue. */
  async pushInSlices(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
      if (at > 0) await setImmediate()
      this.push(bytes.subarray(at, at + SLICE_BYTES))
    }
  }

  /** Starts another text; the numbers of members are added up. */
  startNext(): void {
    this.lists.length = 0
    this.memberLists = 0
    this.#at = 0
    this.#depth = 0
    this.#isText = false
    this.#isEscaped = false
    this.#isObject = false
    this.#isTooDeep = false
    this.#list = undefined
    this.#part = NO_PART
  }

  #separate(at: number): void {
    this.#count()
    const list = this.#list
    if (list !== undefined && this.#depth === this.#listDepth + 1) this.#endElement(list, at)
  }

  #open(byte: number, at: number): void {
    this.#count()
    if (this.#depth === 0) this.#isObject = byte === OPEN_OBJECT
    if (byte === OPEN_LIST && this.#isDivided()) {
      if (this.#depth === 1) this.memberLists++
      this.#listDepth = this.#depth
      this.#list = { from: at, to: 0, parts: [] }
      this.#part = { from: at + 1, to: at + 1, count: 0 }
    }
    if (++this.#depth <= this.limits.depth) return
    // In a divided list only the element that is nested too deeply is refused.
    if (this.#list === undefined) throw new RefusedError('invalid', tooDeep(this.limits))
    this.#isTooDeep = true
  }

  /** Whether a list that begins here is divided. */
  #isDivided(): boolean {
    if (this.#list !== undefined) return false
    return this.#depth === 0 ? this.#takesList : this.#depth === 1 && this.#isObject
  }

  #close(byte: number, at: number): void {
    this.#depth--
    const list = this.#list
    if (list === undefined || this.#depth !== this.#listDepth) return
    this.#endElement(list, at)
    if (this.#part.count > 0) list.parts.push(this.#part)
    this.#list = undefined
    list.to = at + 1
    const isKept = list.to - list.from > PART_BYTES || list.parts.some((part) => part.isTooDeep)
    // A wrong closing bracket is refused by the parser.
    if (isKept && byte === CLOSE_LIST) this.lists.push(list)
  }

  /** A long element is a part of its own, and the elements before it are another part. */
  #endElement({ parts }: JsonList, at: number): void {
    const part = this.#part
    const from = part.count === 0 ? part.from : part.to + 1
    const isTooDeep = this.#isTooDeep
    this.#isTooDeep = false
    if (isTooDeep) {
      if (part.count > 0) parts.push(part)
      parts.push({ from, to: at, count: 1, isTooDeep })
      this.#part = { from: at + 1, to: at + 1, count: 0 }
      return
    }
    if (at - from < PART_BYTES && at - part.from < 2 * PART_BYTES) {
      part.count++
      part.to = at
      return
    }
    if (part.count > 0) parts.push(part)
    this.#part = { from, to: at, count: 1 }
  }

  #count(): void {
    if (++this.#members > this.limits.members)
      throw new RefusedError(
        'invalid',
        `the JSON is too large: at most ${this.limits.members} members and elements (http.maxJsonMembers)`,
      )
  }
}

/** The sentence of the error of JSON that is nested too deeply. */
export const tooDeep = ({ depth }: JsonLimits): string =>
  `the JSON is nested too deeply: at most ${depth} levels (http.maxJsonDepth)`
