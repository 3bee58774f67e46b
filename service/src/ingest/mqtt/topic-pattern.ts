import { RefusedError } from '../../errors/refused-error.ts'
import { shorten, show } from '../../errors/show.ts'

/** The named levels of a topic. */
export type Captures = ReadonlyMap<string, string>

/** A topic filter with named levels. */
type TopicPattern = {
  /** The topic filter for a broker: every named level is a `+`. */
  filter: string
  names: readonly string[]
  /** The named levels of a topic; undefined for a topic that does not match. */
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
  if (twice !== undefined) throw refuse(text, `it has {${twice}} twice`)

  const filters = levels.map((level, at) => (names[at] === undefined ? level : '+'))
  return {
    filter: filters.join('/'),
    names: given,
    match(topic) {
      const parts = topic.split('/')
      if (!matches(filters, parts)) return undefined
      const captures = new Map<string, string>()
      for (const [at, part] of parts.entries()) {
        const name = names[at]
        if (name !== undefined) captures.set(name, part)
      }
      return captures
    },
  }
}

/** MQTT 5 section 4.7: `#` also matches the level above it; only its name matches a `$` topic. */
function matches(filters: readonly string[], parts: readonly string[]): boolean {
  if (parts[0]?.startsWith('$') && (filters[0] === '+' || filters[0] === '#')) return false
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
