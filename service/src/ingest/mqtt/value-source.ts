import { RefusedError } from '../../errors/refused-error.ts'
import { isSingle, parseJsonPath, selectOne } from './json-path.ts'
import type { Captures } from './topic-pattern.ts'

/** What a value of a record can be read from. */
export type RecordContext = { message: unknown; record: unknown; captures: Captures }

export type ValueSource = {
  /** The text of the settings. */
  text: string
  read(context: RecordContext): unknown
}

/**
 * Compiles where a value comes from: `$…` in the message, `@…` in the record, else a text in which
 * `{name}` stands for a level of the topic.
 */
export function parseValueSource(text: string, names: readonly string[]): ValueSource {
  if (!/^[$@]/.test(text)) return { text, read: parseTemplate(text, names) }
  const path = parseJsonPath(text)
  if (!isSingle(path))
    throw new RefusedError('invalid', `the path ${JSON.stringify(text)} must lead to one value`)
  return {
    text,
    read: ({ message, record }) => selectOne(path, path.from === 'message' ? message : record),
  }
}

function parseTemplate(text: string, names: readonly string[]): ValueSource['read'] {
  const parts = text.split(/\{([^{}]*)\}/)
  for (const [at, name] of parts.entries())
    if (at % 2 === 1 && !names.includes(name))
      throw new RefusedError(
        'invalid',
        `${JSON.stringify(text)} names {${name}}, which is no level of the topic`,
      )
  return ({ captures }) =>
    parts.map((part, at) => (at % 2 === 0 ? part : captures.get(part))).join('')
}
