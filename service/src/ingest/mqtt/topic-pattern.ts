import { RefusedError } from '../../errors/refused-error.ts'
import { shorten, show } from '../../errors/show.ts'

/** The levels of a topic that a pattern names. */
export type Captures = ReadonlyMap<string, string>

/** Which topics are meant, and what their levels are called. */
export type TopicPattern = {
  /** What a broker is asked for: every named level is a `+`. */
  filter: string
  names: readonly string[]
  /** What the named levels of a topic hold; undefined for a topic that is not meant. */
  match(topic: string): Captures | undefined
}

const NAMED = /^\{([A-Za-z]\w*)\}$/
const BYTES_MAXIMUM = 65_535

/** Reads an MQTT topic filter in which a level may be named, such as `site/{sensor}/+/{key}`. */
export function parseTopicPattern(text: string): TopicPattern {
  const levels = text.split('/')
  const names = levels.map((level) => NAMED.exec(level)?.[1])
  refuseWrong(text, levels)
  const given = names.filter((name) => name !== undefined)
  const seen = new Set<string>()
  const twice = given.find((name) => seen.size === seen.add(name).size)
  if (twice !== undefined) throw refuse(text, `{${twice}} stands in it twice`)

  const filters = levels.map((level, at) => (names[at] === undefined ? level : '+'))
  return {
    filter: filters.join('/'),
    names: given,
    match(topic) {
      const parts = topic.split('/')
      if (!matches(filters, parts)) return undefined
      const captures = new Map<string, string>()
      for (const [at, name] of names.entries())
        if (name !== undefined) captures.set(name, parts[at]!)
      return captures
    },
  }
}

/** MQTT 5 section 4.7: `#` also means the level above it; a `$` topic is asked for by its name. */
function matches(filters: readonly string[], parts: readonly string[]): boolean {
  if (parts[0]!.startsWith('$') && (filters[0] === '+' || filters[0] === '#')) return false
  for (const [at, filter] of filters.entries()) {
    if (filter === '#') return true
    if (at >= parts.length || (filter !== '+' && filter !== parts[at])) return false
    if (at === parts.length - 1 && filters[at + 1] === '#' && filters.length === at + 2) return true
  }
  return filters.length === parts.length
}

function refuseWrong(text: string, levels: readonly string[]): void {
  if (text === '' || text.includes('\0'))
    throw refuse(text, 'it is empty or holds a null character')
  if (Buffer.byteLength(text) > BYTES_MAXIMUM) throw refuse(text.slice(0, 60), 'it is too long')
  if (text.startsWith('$share/')) throw refuse(text, 'the shared group is a setting of its own')
  for (const [at, level] of levels.entries()) {
    if (level === '+' || NAMED.test(level)) continue
    if (level === '#' && at === levels.length - 1) continue
    if (/[+#{}]/.test(level))
      throw refuse(
        text,
        `level ${at + 1} "${shorten(level)}" must be text, +, a name such as {sensor}, or # at the end`,
      )
  }
}

const refuse = (text: string, reason: string) =>
  new RefusedError('invalid', `the topic ${show(text)} is wrong: ${reason}`)
