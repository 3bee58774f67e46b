import {
  LineCounter,
  isAlias,
  isMap,
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
import type { ValuePath } from '../schemas/value-path.ts'

const MOST_ALIASES = 1000
/** Some hundred thousand sensors; a longer text is no file that people write. */
const MOST_CHARACTERS = 16 * 1024 * 1024

export type YamlText = {
  /** What the text says; undefined when it is no YAML of ours. */
  value: unknown
  problems: { line: number; message: string }[]
  /** The line of a path; of the nearest thing above it when it is not there. */
  lineOf(path: ValuePath): number
}

/**
 * Reads YAML 1.2 (core): one document of at most 16 Mi characters, text keys, each once, no tags, few
 * aliases.
 */
export function readYaml(text: string): YamlText {
  const counter = new LineCounter()
  const problems: YamlText['problems'] = []
  const report = (offset: number, message: string) => {
    problems.push({ line: counter.linePos(offset).line, message })
  }
  if (text.length > MOST_CHARACTERS) {
    report(0, `the file has ${text.length} characters, expected at most ${MOST_CHARACTERS}`)
    return { value: undefined, problems, lineOf: () => 1 }
  }
  try {
    const document = parseDocument(text, {
      lineCounter: counter,
      prettyErrors: false,
      stringKeys: true,
      // The parser compares each key with all before it.
      uniqueKeys: false,
      resolveKnownTags: false,
      schema: 'core',
      logLevel: 'error',
    })
    for (const { code, pos, message } of [...document.errors, ...document.warnings]) {
      report(pos[0], PLAIN_WORDS[code] ?? `this is not YAML: ${parserWords(message)}`)
    }
    const targets = problems.length === 0 ? checkNodes(document, report) : new Map()
    const value = problems.length === 0 ? document.toJS({ maxAliasCount: MOST_ALIASES }) : undefined
    const places = new Places(document, targets)
    const lineOf = (path: ValuePath) => counter.linePos(places.offsetOf(path)).line
    return { value, problems, lineOf }
  } catch (error) {
    // Deep nesting exhausts the parser's stack, and nested aliases its patience.
    if (!(error instanceof RangeError || error instanceof ReferenceError)) throw error
    problems.push({ line: 1, message: 'the file is nested too deeply or repeats itself too often' })
    return { value: undefined, problems, lineOf: () => 1 }
  }
}

const PLAIN_WORDS: Partial<Record<string, string>> = {
  MULTIPLE_DOCS: 'a site file is one document: `---` must not begin a second one',
  NON_STRING_KEY: 'a key must be a text',
  TAB_AS_INDENT: 'this is indented with a tab; use blanks',
  TAG_RESOLVE_FAILED: 'tags (`!...`) have no meaning here; put the text in quotes',
  BAD_INDENT: 'this is not indented as what it belongs to',
  RESOURCE_EXHAUSTION: 'the file is nested too deeply',
}

/** The parser's words, without the piece of the text that it quotes: it may hold a password. */
function parserWords(message: string): string {
  const [words = ''] = message.split(': ')
  return words.slice(0, 1).toLowerCase() + words.slice(1)
}

type Targets = ReadonlyMap<Alias, Node>

/** Refuses keys that stand twice and aliases that cannot be followed; gives what aliases mean. */
function checkNodes(
  document: Document.Parsed,
  report: (at: number, message: string) => void,
): Targets {
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
      if (++count > MOST_ALIASES) {
        report(at, `more than ${MOST_ALIASES} aliases`)
        return visit.BREAK
      }
      const target = anchors.get(alias.source)
      if (target === undefined) report(at, `*${alias.source} refers to nothing above`)
      else if (path.includes(target)) report(at, `*${alias.source} stands inside what it refers to`)
      else targets.set(alias, target)
      return undefined
    },
  })
  return targets
}

function checkKeys({ items }: YAMLMap, report: (at: number, message: string) => void): void {
  const seen = new Set<unknown>()
  for (const { key } of items) {
    if (!isScalar(key)) continue
    if (seen.has(key.value)) report(key.range?.[0] ?? 0, 'this key stands here a second time')
    seen.add(key.value)
  }
}

/** Where the parts of a document stand in its text. */
class Places {
  readonly #document: Document.Parsed
  readonly #targets: Targets
  readonly #pairs = new WeakMap<YAMLMap, ReadonlyMap<unknown, Pair>>()

  constructor(document: Document.Parsed, targets: Targets) {
    this.#document = document
    this.#targets = targets
  }

  /** A member counts where its key stands, an element where it begins. */
  offsetOf(path: ValuePath): number {
    let node = this.#resolved(this.#document.contents)
    let offset = node?.range?.[0] ?? 0
    for (const step of path) {
      let next: unknown
      if (isMap(node)) {
        const pair = this.#pairsOf(node).get(String(step))
        if (pair === undefined) break
        offset = (pair.key as Node).range?.[0] ?? offset
        next = pair.value
      } else if (isSeq(node)) {
        next = node.items[Number(step)]
        offset = (next as Node | undefined)?.range?.[0] ?? offset
      }
      node = this.#resolved(next)
    }
    return offset
  }

  /** Gathered once: each of thousands of problems asks for its place. */
  #pairsOf(map: YAMLMap): ReadonlyMap<unknown, Pair> {
    const known = this.#pairs.get(map)
    if (known !== undefined) return known
    const pairs = new Map(map.items.map((pair) => [isScalar(pair.key) && pair.key.value, pair]))
    this.#pairs.set(map, pairs)
    return pairs
  }

  #resolved(node: unknown): Node | null | undefined {
    return isAlias(node) ? this.#targets.get(node) : (node as Node | null | undefined)
  }
}
