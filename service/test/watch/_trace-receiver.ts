import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A span as it was received. */
export type ReceivedSpan = {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  status: { code?: number }
  attributes: Record<string, unknown>
}

type OtlpSpan = Omit<ReceivedSpan, 'attributes'> & {
  attributes: { key: string; value: Record<string, unknown> }[]
}

/** A receiver of traces on the loopback address. */
export class TraceReceiver implements AsyncDisposable {
  readonly spans: ReceivedSpan[] = []
  readonly headers: IncomingHttpHeaders[] = []
  readonly bodies: string[] = []
  readonly #server

  /** `status` is the response; without one the receiver hangs. */
  constructor(status: number | undefined) {
    this.#server = createServer(async (request, response) => {
      this.headers.push(request.headers)
      if (status === undefined) return
      const body = await text(request)
      this.bodies.push(body)
      if (status === 200) this.spans.push(...spansOf(body))
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
  }

  static async start(status?: number): Promise<TraceReceiver> {
    const receiver = new TraceReceiver(status)
    receiver.#server.listen(0, '127.0.0.1')
    await once(receiver.#server, 'listening')
    return receiver
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}/v1/traces`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

function spansOf(body: string): ReceivedSpan[] {
  const { resourceSpans }: { resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[] } =
    JSON.parse(body)
  return resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: Object.fromEntries(
          span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]),
        ),
      })),
    ),
  )
}
