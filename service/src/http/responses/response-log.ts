import type { ServerResponse } from 'node:http'

/** An answer that was given; the route is the operation's path, never the URL. */
export type Responded = { method: string; route: string; status: number; milliseconds: number }

/** Tells those who count what was answered. */
export class Answers {
  readonly #observers: ((responded: Responded) => void)[] = []

  observe(observer: (responded: Responded) => void): void {
    this.#observers.push(observer)
  }

  tell(responded: Responded): void {
    for (const observer of this.#observers) observer(responded)
  }

  /** Tells of an answer that is about to be written, once it is over, `start` being its clock's. */
  expect(response: ServerResponse, begun: { method: string; route: string; start: number }): void {
    const { method, route, start } = begun
    let isNotified = false
    const end = (): void => {
      if (isNotified) return
      isNotified = true
      const milliseconds = performance.now() - start
      this.tell({ method, route, status: response.statusCode, milliseconds })
    }
    response.once('finish', end)
    response.once('close', end)
  }
}
