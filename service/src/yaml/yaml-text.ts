import {
  LineCounter,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  parseDocument,
  visit,
  type Alias,
  type Document,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml'
import { show } from '../errors/show.ts'
import type { ValuePath } from '../schemas/value-path.ts'

const ALIASES_MAXIMUM = 1000
/** Enough for some hundred thousand sensors. */
const CHARACTERS_MAXIMUM = 16 * 1024 * 1024

type YamlText = {
  /** The value of the text; undefined if there are problems. */
  value: unknown
  problems: { line: number; message: string }[]
  /** Returns the line of a path, or of the nearest part above it that exists. */
  lineOf(path: ValuePath): number
}

/**
 * Parses YAML 1.2 (core schema): one document of at most 16 Mi characters with unique text keys, at
 * most 1,000 aliases and no tags.
 */
export function readYaml(text: string): YamlText {
  const counter = new LineCounter()
  const problems: YamlText['problems'] = []
  const lineAt = (offset: number) => counter.linePos(offset).line
  const report: Report = (offset, message) => {
    const text = typeof message === 'string' ? message : message(lineAt)
    problems.push({ line: lineAt(offset), message: text })
  }
  if (text.length > CHARACTERS_MAXIMUM) {
    report(0, `the file has ${text.length} characters, expected at most ${CHARACTERS_MAXIMUM}`)
    return { value: undefined, problems, lineOf: () => 1 }
  }
  try {
    const document = parseDocument(text, {
      lineCounter: counter,
      prettyErrors: false,
      stringKeys: true,
      // The parser's check compares each key with all keys before it; `checkKeys` takes linear time.
      uniqueKeys: false,
      resolveKnownTags: false,
      schema: 'core',
      logLevel: 'error',
    })
    for (const { code, pos, message } of [...document.errors, ...document.warnings]) {
      report(pos[0], SENTENCES[code] ?? `this is not YAML: ${withoutQuote(message)}`)
    }
    const targets = problems.length === 0 ? checkNodes(document, report) : new Map()
    const value =
      problems.length === 0 ? document.toJS({ maxAliasCount: ALIASES_MAXIMUM }) : undefined
    const places = new Places(document, targets)
    const lineOf = (path: ValuePath) => lineAt(places.offsetOf(path))
    return { value, problems, lineOf }
  } catch (error) {
    // Deep nesting overflows the parser's stack, and nested aliases exceed its limit.
    if (!(error instanceof RangeError || error instanceof ReferenceError)) throw error
    problems.push({ line: 1, message: 'the file is nested too deeply or repeats itself too often' })
    return { value: undefined, problems, lineOf: () => 1 }
  }
}

const SENTENCES: Partial<Record<string, string>> = {
  MULTIPLE_DOCS: 'the file is one document: `---` must not begin a second one',
  NON_STRING_KEY: 'a key must be a text',
  TAB_AS_INDENT: 'this is indented with a tab; use blanks',
  TAG_RESOLVE_FAILED: 'tags (`!...`) have no meaning here; put the text in quotes',
  BAD_INDENT: 'this is not indented like the lines it belongs to',
  RESOURCE_EXHAUSTION: 'the file is nested too deeply',
}

/** The parser's message without the quoted part of the text, which may contain a password. */
function withoutQuote(message: string): string {
  const [sentence = ''] = message.split(': ')
  return sentence.slice(0, 1).toLowerCase() + sentence.slice(1)
}

/** Reports a problem at an offset; its message may name the line of another one. */
type Report = (at: number, message: string | ((lineAt: (at: number) => number) => string)) => void

type AliasTargets = ReadonlyMap<Alias, Node>

/** Reports repeated keys and aliases without a target; returns the targets of aliases. */
function checkNodes(document: Document.Parsed, report: Report): AliasTargets {
  const targets = new Map<Alias, Node>()
  const anchors = new Map<string, Node>()
  let count = 0
  visit(document, {
    Value(_key, node) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node)
      if (isMap(node)) checkKeys(node, report)
    },
    Alias(_key, alias, path) {
      const at = alias.range?.[0] ?? 0
      if (++count > ALIASES_MAXIMUM) {
        report(at, `more than ${ALIASES_MAXIMUM} aliases`)
        return visit.BREAK
      }
      const target = anchors.get(alias.source)
      if (target === undefined) report(at, `*${alias.source} refers to nothing above`)
      else if (path.includes(target))
        report(at, `*${alias.source} is inside the part that it refers to`)
      else targets.set(alias, target)
      return undefined
    },
  })
  return targets
}

function checkKeys({ items }: YAMLMap, report: Report): void {
  const seen = new Map<unknown, number>()
  for (const { key } of items) {
    if (!isScalar(key)) continue
    const at = key.range?.[0] ?? 0
    const first = seen.get(key.value)
    if (first === undefined) seen.set(key.value, at)
    else report(at, (line) => `the key ${show(key.value)} is on line ${line(first)} already`)
  }
}

/** The offsets of the parts of a document in its text. */
class Places {
  readonly #document: Document.Parsed
  readonly #targets: AliasTargets
  readonly #pairs = new WeakMap<YAMLMap, ReadonlyMap<unknown, Pair>>()

  constructor(document: Document.Parsed, targets: AliasTargets) {
    this.#document = document
    this.#targets = targets
  }

  /** Returns the offset of a part: of a member's key, or of an element. */
  offsetOf(path: ValuePath): number {
    let node = this.#resolved(this.#document.contents)
    let offset = node?.range?.[0] ?? 0
    for (const step of path) {
      let next: unknown
      if (isMap(node)) {
        const pair = this.#pairsOf(node).get(String(step))
        if (pair === undefined) break
        offset = offsetOfNode(pair.key) ?? offset
        next = pair.value
      } else if (isSeq(node)) {
        next = node.items[Number(step)]
        offset = offsetOfNode(next) ?? offset
      }
      node = this.#resolved(next)
    }
    return offset
  }

  /** The pairs of a map by key, collected once for thousands of problems. */
  #pairsOf(map: YAMLMap): ReadonlyMap<unknown, Pair> {
    return this.#pairs.getOrInsertComputed(
      map,
      () => new Map(map.items.map((pair) => [isScalar(pair.key) && pair.key.value, pair])),
    )
  }

  #resolved(node: unknown): Node | undefined {
    if (isAlias(node)) return this.#targets.get(node)
    return isNode(node) ? node : undefined
  }
}

const offsetOfNode = (node: unknown): number | undefined =>
  isNode(node) ? node.range?.[0] : undefined
