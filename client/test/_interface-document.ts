import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

const DOCUMENT = new URL('../../docs/interface.md', import.meta.url)

/** A row of a parameter table: where the value goes, whether it is needed, what it is otherwise. */
export type Parameter = { in: string; required: boolean; default: string }

export type Section = { noun: string; parameters: Map<string, Parameter>; hasExample: boolean }

/** The operations of docs/interface.md by heading, `GET /structures`. */
export function readInterfaceDocument(): Map<string, Section> {
  const sections = new Map<string, Section>()
  let noun = ''
  for (const part of readFileSync(DOCUMENT, 'utf8').split(/^(?=##)/m)) {
    const [heading = '', ...lines] = part.split('\n')
    if (heading.startsWith('## ')) noun = heading.slice(3).toLowerCase()
    if (!/^### (GET|POST|PUT|DELETE) /.test(heading)) continue
    const name = heading.slice(4)
    if (sections.has(name)) throw new Error(`${basename(DOCUMENT.pathname)} has ${name} twice`)
    const hasExample = /```sh\n[^`]*curl /.test(part)
    sections.set(name, { noun, parameters: parametersIn(lines), hasExample })
  }
  return sections
}

function parametersIn(lines: string[]): Map<string, Parameter> {
  const start = lines.findIndex((line) => /^\| Name +\| In +\|/.test(line))
  const parameters = new Map<string, Parameter>()
  if (start === -1) return parameters
  for (const line of lines.slice(start + 2)) {
    if (!line.startsWith('|')) break
    const [, name = '', where = '', , required, standard = ''] = line
      .split('|')
      .map((cell) => cell.trim())
    parameters.set(name.replaceAll('`', ''), {
      in: where.split(' or ').toSorted().join(' or '),
      required: required === 'yes',
      default: standard,
    })
  }
  return parameters
}
