import sax, { type Tag } from 'sax'
import { OnvifError } from './onvif-error.ts'

/** An element with its names without prefixes. */
export type XmlElement = Readonly<{
  name: string
  attributes: ReadonlyMap<string, string>
  children: readonly XmlElement[]
  /** The text between its children. */
  text: string
}>

type OpenElement = {
  name: string
  attributes: Map<string, string>
  children: OpenElement[]
  text: string
}

const MOST_ELEMENTS = 20_000
const MOST_DEPTH = 64

/**
 * Reads the XML that a camera sends, portion by portion; throws an `OnvifError` for what is no XML, for a
 * document type, which could define entities, and for more elements than any answer has.
 */
export class XmlReader {
  readonly #parser = sax.parser(true)
  readonly #open: OpenElement[] = []
  #root: OpenElement | undefined
  #elements = 0
  #problem: string | undefined

  constructor() {
    Object.assign(this.#parser, {
      onerror: () => this.#fail('no XML'),
      ondoctype: () => this.#fail('XML with a document type'),
      onopentag: (tag: Tag) => this.#begin(tag),
      ontext: (text: string) => this.#add(text),
      oncdata: (text: string) => this.#add(text),
      onclosetag: () => void this.#open.pop(),
    })
  }

  push(text: string): void {
    this.#parser.write(text)
    this.#throwProblem()
  }

  /** The root, once all has been pushed. */
  end(): XmlElement {
    this.#parser.close()
    this.#throwProblem()
    if (this.#root === undefined) throw malformed('no XML')
    return this.#root
  }

  #begin({ name, attributes }: Tag): void {
    if (++this.#elements > MOST_ELEMENTS || this.#open.length >= MOST_DEPTH)
      return this.#fail('too many elements')
    const pairs = Object.entries(attributes).map(([key, value]): [string, string] => [
      withoutPrefix(key),
      value,
    ])
    const element = {
      name: withoutPrefix(name),
      attributes: new Map(pairs),
      children: [],
      text: '',
    }
    this.#open.at(-1)?.children.push(element)
    this.#root ??= element
    this.#open.push(element)
  }

  #add(text: string): void {
    const element = this.#open.at(-1)
    if (element !== undefined) element.text += text
  }

  #fail(what: string): void {
    this.#problem ??= what
  }

  #throwProblem(): void {
    if (this.#problem !== undefined) throw malformed(this.#problem)
  }
}

/** The first element at the end of a path of names; undefined without one. */
export const findElement = (
  from: XmlElement | undefined,
  ...path: readonly string[]
): XmlElement | undefined =>
  path.reduce<XmlElement | undefined>(
    (at, name) => at?.children.find((child) => child.name === name),
    from,
  )

export const childrenNamed = (from: XmlElement | undefined, name: string): readonly XmlElement[] =>
  from?.children.filter((child) => child.name === name) ?? []

/** The text of the element at the end of a path, without white space around it. */
export const textAt = (from: XmlElement | undefined, ...path: readonly string[]): string =>
  findElement(from, ...path)?.text.trim() ?? ''

/** The text for an element or an attribute, without the characters that XML does not have. */
export const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[<>&"'\r]/g, (character) => `&#${character.codePointAt(0)};`)

const withoutPrefix = (name: string): string => name.slice(name.indexOf(':') + 1)

const malformed = (what: string) => new OnvifError('malformed', `answers with ${what}`)
