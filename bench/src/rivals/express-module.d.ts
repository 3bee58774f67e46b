/** The little of Express that the rival uses; the package brings no types. */
declare module 'express' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  type Request = IncomingMessage & { query: Record<string, string | undefined> }
  type Response = ServerResponse & {
    status(code: number): Response
    send(body: unknown): Response
    json(body: unknown): Response
  }
  export type Handler = (
    request: Request,
    response: Response,
    next: () => void,
  ) => void | Promise<void>
  type Application = RequestListener & {
    use(handler: Handler): void
    get(path: string, ...handlers: Handler[]): void
  }
  export default function express(): Application
}
