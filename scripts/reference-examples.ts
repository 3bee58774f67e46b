import type { Operation } from '../contract/src/index.ts'
import { readInterfaceExamples, type ExampleRequest } from './interface-examples.ts'

/** The first request and the first response of an operation in the interface document. */
export type ReferenceExample = {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  response?: unknown
}

/** The examples of the reference by operation; those that the document does not have are left out. */
export function referenceExamples(): Record<string, ReferenceExample> {
  return Object.fromEntries(
    Array.from(readInterfaceExamples(), ([operation, { requests, responses }]) => {
      const [request] = requests
      const [response] = responses
      return [
        operation.operationId,
        {
          ...(request === undefined ? {} : describe(request, operation)),
          ...(response === undefined ? {} : { response }),
        },
      ]
    }),
  )
}

function describe(
  { params, query, body, contentType }: ExampleRequest,
  { schema, consumes = ['application/json'] }: Operation,
): ReferenceExample {
  const hasBody = schema.body !== undefined && body !== undefined && consumes[0] === contentType
  return {
    ...(Object.keys(params).length === 0 ? {} : { params }),
    ...(Object.keys(query).length === 0 ? {} : { query }),
    ...(hasBody ? { body: bodyOf(body, contentType) } : {}),
  }
}

const bodyOf = (text: string, contentType: string): unknown =>
  contentType === 'application/json'
    ? JSON.parse(text)
    : Object.fromEntries(new URLSearchParams(text))
