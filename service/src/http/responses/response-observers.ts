import type { ServerResponse } from 'node:http'

/** A response that has ended; the route is the path of its operation, never the URL. */
type EndedResponse = { method: string; route: string; status: number; milliseconds: number }

type ResponseObserver = (ended: EndedResponse, response: ServerResponse) => void

/** The request of a response; `start` is when it arrived, by `performance.now()`. */
type RequestStart = { method: string; route: string; start: number }

/** Calls observers, such as metrics, once for each response that ends. */
export class ResponseObservers {
  readonly #observers: ResponseObserver[] = []
  readonly #forgotten = new WeakSet<ServerResponse>()

  observe(observer: ResponseObserver): void {
    this.#observers.push(observer)
  }

  /** Calls no observer for a response, since another process observes it. */
  forget(response: ServerResponse): void {
    this.#forgotten.add(response)
  }

  /** Calls the observers when the response is sent or its connection is closed. */
  watch(response: ServerResponse, { method, route, start }: RequestStart): void {
    let hasEnded = false
    const end = (): void => {
      if (hasEnded || this.#forgotten.has(response)) return
      hasEnded = true
      const milliseconds = performance.now() - start
      const ended = { method, route, status: response.statusCode, milliseconds }
      for (const observer of this.#observers) observer(ended, response)
    }
    response.once('finish', end)
    response.once('close', end)
  }
}
