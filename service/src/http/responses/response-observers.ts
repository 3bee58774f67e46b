import type { ServerResponse } from 'node:http'

/** A response that is over; the route is the operation's path, never the URL. */
export type EndedResponse = { method: string; route: string; status: number; milliseconds: number }

type Begun = { method: string; route: string; start: number }

/** Notifies those who count responses. */
export class ResponseObservers {
  readonly #observers: ((ended: EndedResponse) => void)[] = []

  observe(observer: (ended: EndedResponse) => void): void {
    this.#observers.push(observer)
  }

  /** Notifies of a response when it is over; `start` is when its request came. */
  expect(response: ServerResponse, { method, route, start }: Begun): void {
    let isNotified = false
    const end = (): void => {
      if (isNotified) return
      isNotified = true
      const milliseconds = performance.now() - start
      const ended = { method, route, status: response.statusCode, milliseconds }
      for (const observer of this.#observers) observer(ended)
    }
    response.once('finish', end)
    response.once('close', end)
  }
}
