import { readFileSync } from 'node:fs'
import { OPERATIONS, type Operation } from '../contract/src/index.ts'
import { readCurl, type CurlRequest } from './read-curl.ts'

/** A request of the interface document, by the parts of its operation. */
export type ExampleRequest = Pick<CurlRequest, 'query' | 'body' | 'contentType'> & {
  params: Record<string, string>
}

export type OperationExamples = { requests: ExampleRequest[]; responses: unknown[] }

const DOCUMENT = new URL('../docs/interface.md', import.meta.url)

/** In place of the variable of the examples. */
const TOKEN = '0f7a0e3c-2d0a-4a55-8a1f-9b6f3f0f6f52'

const BASES: Readonly<Record<string, string>> = {
  $BASE: '/api/v1',
  $INGEST: '/ingest/v1',
  $MANAGE: '/manage/v1',
}

/**
 * The examples of `docs/interface.md` below the heading of each operation. Throws where a fence of
 * JSON does not parse, or a `curl` line is not one of the operation of its heading.
 */
export function readInterfaceExamples(): Map<Operation, OperationExamples> {
  const sections = readFileSync(DOCUMENT, 'utf8').split(/^(?=##)/m)
  const byHeading = new Map(OPERATIONS.map((operation) => [headingOf(operation), operation]))
  const found = new Map<Operation, OperationExamples>()
  for (const section of sections) {
    const heading = /^### (.+)$/m.exec(section)?.[1] ?? ''
    const operation = byHeading.get(heading)
    const responses = fences(section, 'json').map((text) => parse(text, heading))
    if (operation === undefined) continue
    const requests = fences(section, 'sh').map((text) => toRequest(text, operation))
    found.set(operation, { requests, responses })
  }
  return found
}

/** `GET /structures/{structureId}`; only paths below `/api/v1` are written short. */
export const headingOf = ({ method, base, url }: Operation): string =>
  `${method} ${base === '/api/v1' ? '' : base}${url.replaceAll(/:(\w+)/g, '{$1}')}`

const fences = (section: string, language: string): string[] =>
  Array.from(
    section.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm')),
    ([, text = '']) => text,
  )

function parse(text: string, heading: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`docs/interface.md, ${heading}: a fence of JSON does not parse`, {
      cause: error,
    })
  }
}

function toRequest(text: string, operation: Operation): ExampleRequest {
  const { method, url, query, body, contentType } = readCurl(text.replaceAll('$TOKEN', TOKEN))
  const [base = '', ...rest] = url.split('/')
  const path = `${BASES[base] ?? base}/${rest.join('/')}`
  const pattern = `${operation.base}${operation.url}`.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')
  const match = new RegExp(`^${pattern}$`).exec(path)
  if (match === null || method !== operation.method)
    throw new Error(
      `docs/interface.md shows ${method} ${path} below the heading ${headingOf(operation)}`,
    )
  return { params: { ...match.groups }, query, body, contentType }
}
