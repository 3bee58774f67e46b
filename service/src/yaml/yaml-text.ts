import {
  LineCounter,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  visit,
  type Document,
  type Node,
} from 'yaml'
import type { YamlPath } from './yaml-file-error.ts'

const MOST_ALIASES = 1000

export type YamlText = {
  /** What the text says; undefined when it is no YAML of ours. */
  value: unknown
  problems: { line: number; message: string }[]
  /** The line of a path; of the nearest thing above it when it is not there. */
  lineOf(path: YamlPath): number
}

/** Reads YAML 1.2 (core): one document, text keys, each once, no tags, few aliases. */
export function readYaml(text: string): YamlText {
  const counter = new LineCounter()
  const problems: YamlText['problems'] = []
  const report = (offset: number, message: string) => {
    problems.push({ line: counter.linePos(offset).line, message })
  }
  try {
    const document = parseDocument(text, {
      lineCounter: counter,
      prettyErrors: false,
      stringKeys: true,
      resolveKnownTags: false,
      schema: 'core',
      logLevel: 'error',
    })
    for (const { code, pos, message } of [...document.errors, ...document.warnings]) {
      report(pos[0], PLAIN_WORDS[code] ?? `this is not YAML: ${parserWords(message)}`)
    }
    if (problems.length === 0) checkAliases(document, report)
    const value = problems.length === 0 ? document.toJS({ maxAliasCount: MOST_ALIASES }) : undefined
    const lineOf = (path: YamlPath) => counter.linePos(offsetOf(document, path)).line
    return { value, problems, lineOf }
  } catch (error) {
    // Deep nesting exhausts the parser's stack, and nested aliases its patience.
    if (!(error instanceof RangeError || error instanceof ReferenceError)) throw error
    problems.push({ line: 1, message: 'the file is nested too deeply or repeats itself too often' })
    return { value: undefined, problems, lineOf: () => 1 }
  }
}

const PLAIN_WORDS: Partial<Record<string, string>> = {
  DUPLICATE_KEY: 'this key stands here a second time',
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

function checkAliases(document: Document.Parsed, report: (at: number, message: string) => void) {
  let count = 0
  visit(document, {
    Alias(_key, alias, path) {
      const at = alias.range?.[0] ?? 0
      if (++count > MOST_ALIASES) {
        report(at, `more than ${MOST_ALIASES} aliases`)
        return visit.BREAK
      }
      const target = alias.resolve(document)
      if (target === undefined) report(at, `*${alias.source} refers to nothing above`)
      else if (path.includes(target)) report(at, `*${alias.source} stands inside what it refers to`)
      return undefined
    },
  })
}

/** A member counts where its key stands, an element where it begins. */
function offsetOf(document: Document.Parsed, path: YamlPath): number {
  let node = resolved(document, document.contents)
  let offset = node?.range?.[0] ?? 0
  for (const step of path) {
    let next: unknown
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === String(step))
      if (pair === undefined) break
      offset = (pair.key as Node).range?.[0] ?? offset
      next = pair.value
    } else if (isSeq(node)) {
      next = node.items[Number(step)]
      offset = (next as Node | undefined)?.range?.[0] ?? offset
    }
    node = resolved(document, next)
  }
  return offset
}

function resolved(document: Document.Parsed, node: unknown): Node | null | undefined {
  return isAlias(node) ? node.resolve(document) : (node as Node | null | undefined)
}
