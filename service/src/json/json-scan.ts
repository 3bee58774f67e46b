import { setImmediate } from 'node:timers/promises'
import { RefusedError } from '../errors/refused-error.ts'

export type JsonLimits = {
  /** Lists and objects inside each other. */
  depth: number
  /** Members of objects and elements of lists, all together. */
  members: number
}

/** Elements of a list that are parsed together; what is between the commas around them. */
export type JsonPart = { from: number; to: number; count: number; isTooDeep?: boolean }

/** A list that is a member of the text, or the text itself; its brackets are at `from` and before `to`. */
export type JsonList = { from: number; to: number; parts: JsonPart[] }

/** So many bytes of a text that is there as a whole are looked through at once: 2 ms at most. */
const BYTES_AT_ONCE = 256 * 1024

/** An element of so many bytes is a part by itself; short ones together are at most twice that. */
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
 * Looks through JSON as it comes, a byte at a time: counts what is in it, and notes where the long
 * lists of the outermost object, or the outermost list, can be cut.
 *
 * It does not say whether the text is JSON: whoever parses its parts and what is around them does.
 */
export class JsonScan {
  readonly lists: JsonList[] = []
  readonly limits: JsonLimits
  /** How many members of the outermost object are lists. */
  memberLists = 0
  readonly #takesList: boolean
  #at = 0
  #depth = 0
  #members = 0
  #isText = false
  #isEscaped = false
  #isObject = false
  #list: JsonList | undefined
  /** How deep the list lies. */
  #listDepth = 1
  #part: JsonPart = NO_PART
  #isTooDeep = false

  /** Whether it has counted more than may be, in all texts together. */
  get isFull(): boolean {
    return this.#members > this.limits.members
  }

  /** The outermost list is cut only where that is asked for. */
  constructor(limits: JsonLimits, { takesList = false }: { takesList?: boolean } = {}) {
    this.limits = limits
    this.#takesList = takesList
  }

  push(bytes: Uint8Array): void {
    const { length } = bytes
    let isText = this.#isText
    let isEscaped = this.#isEscaped
    for (let at = 0; at < length; at++) {
      const byte = bytes[at]!
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

  /** Looks through a text that is there as a whole; others have their turn meanwhile. */
  async pushInSlices(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
      if (at > 0) await setImmediate()
      this.push(bytes.subarray(at, at + BYTES_AT_ONCE))
    }
  }

  /** What follows is another text; what is in it counts as well. */
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
    if (this.#list !== undefined && this.#depth === this.#listDepth + 1) this.#endElement(at)
  }

  #open(byte: number, at: number): void {
    this.#count()
    if (this.#depth === 0) this.#isObject = byte === OPEN_OBJECT
    if (byte === OPEN_LIST && this.#isCut()) {
      if (this.#depth === 1) this.memberLists++
      this.#listDepth = this.#depth
      this.#list = { from: at, to: 0, parts: [] }
      this.#part = { from: at + 1, to: at + 1, count: 0 }
    }
    if (++this.#depth <= this.limits.depth) return
    // One element of a list that is nested too deeply does not spoil the others.
    if (this.#list === undefined) throw new RefusedError('invalid', tooDeep(this.limits))
    this.#isTooDeep = true
  }

  /** Whether a list that begins here is one that can be cut. */
  #isCut(): boolean {
    if (this.#list !== undefined) return false
    return this.#depth === 0 ? this.#takesList : this.#depth === 1 && this.#isObject
  }

  #close(byte: number, at: number): void {
    this.#depth--
    if (this.#list === undefined || this.#depth !== this.#listDepth) return
    const list = this.#list
    this.#endElement(at)
    if (this.#part.count > 0) list.parts.push(this.#part)
    this.#list = undefined
    list.to = at + 1
    const isKept = list.to - list.from > PART_BYTES || list.parts.some((part) => part.isTooDeep)
    // Whatever else ends as no list does is for the parser to refuse.
    if (isKept && byte === CLOSE_LIST) this.lists.push(list)
  }

  /** An element that is long is a part by itself, and so are those before it together. */
  #endElement(at: number): void {
    const { parts } = this.#list!
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
        `the JSON holds too much: at most ${this.limits.members} members and elements (http.maxJsonMembers)`,
      )
  }
}

export const tooDeep = ({ depth }: JsonLimits): string =>
  `the JSON is nested too deeply: at most ${depth} levels (http.maxJsonDepth)`
