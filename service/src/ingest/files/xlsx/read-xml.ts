import sax, { type Tag } from 'sax'
import { RefusedError } from '../../../errors/refused-error.ts'

/** What is done with the elements of an XML file; names come without their prefix. */
export type XmlHandlers = {
  open(name: string, attributes: Readonly<Record<string, string>>): void
  text?(text: string): void
  close?(name: string): void
}

/**
 * Passes the elements of an XML file to handlers, and yields after each portion of its bytes. Throws a
 * `RefusedError` where it is no XML.
 */
export async function* readXml(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  { open, text, close }: XmlHandlers,
): AsyncGenerator<void> {
  const parser = sax.parser(true)
  const decoder = new TextDecoder()
  let problem: Error | undefined
  Object.assign(parser, {
    onerror(error: Error) {
      problem ??= error
    },
    onopentag: (tag: Tag) => open(withoutPrefix(tag.name), toTexts(tag.attributes)),
    ontext: (part: string) => text?.(part),
    oncdata: (part: string) => text?.(part),
    onclosetag: (tag: string) => close?.(withoutPrefix(tag)),
  })
  const throwProblem = (): void => {
    if (problem === undefined) return
    const [reason] = problem.message.split('\n')
    throw new RefusedError('invalid', `${name} is no valid XML: ${reason}`)
  }
  for await (const chunk of chunks) {
    parser.write(decoder.decode(chunk, { stream: true }))
    throwProblem()
    yield
  }
  parser.close()
  throwProblem()
  yield
}

const withoutPrefix = (name: string): string => name.slice(name.indexOf(':') + 1)

/** Attributes by their names without a prefix. */
function toTexts(attributes: Readonly<Record<string, string>>): Record<string, string> {
  const texts: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(attributes)) texts[withoutPrefix(name)] = value
  return texts
}
