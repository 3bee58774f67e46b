import { parseAddress, writeAddress, type Address } from './address.ts'

type Query = Record<string, string | undefined>

/** The address behind `#`, as `/stations/1001?from=…`; views read it and write it. */
class Router {
  #address = $state.raw<Address>(parseAddress(location.hash))
  #guards = new Set<() => boolean>()
  #returning = false

  constructor() {
    addEventListener('hashchange', ({ oldURL }) => this.#follow(new URL(oldURL).hash))
    addEventListener('beforeunload', (event) => {
      if ([...this.#guards].some((mayLose) => !mayLose())) event.preventDefault()
    })
  }

  get path(): string {
    return this.#address.path
  }

  get query(): Readonly<Record<string, string>> {
    return this.#address.query
  }

  go(path: string, query: Query = {}): void {
    location.hash = writeAddress(path, query)
  }

  /** Changes members of the query string; `undefined` removes one. Without an entry in the history. */
  setQuery(query: Query): void {
    const address = writeAddress(this.path, { ...this.query, ...query })
    if (address === writeAddress(this.path, this.query)) return
    history.replaceState(history.state, '', address)
    this.#address = parseAddress(address)
  }

  /** Asks before the page is left while `isDirty`; returns the end of it, for `$effect`. */
  guard(isDirty: () => boolean, question: () => string): () => void {
    const mayLose = () => !isDirty() || this.#ask(question())
    this.#guards.add(mayLose)
    return () => this.#guards.delete(mayLose)
  }

  #ask(question: string): boolean {
    return this.#returning || confirm(question)
  }

  #follow(oldHash: string): void {
    if (this.#returning) {
      this.#returning = false
      return
    }
    const next = parseAddress(location.hash)
    if (next.path !== this.path && [...this.#guards].some((mayLose) => !mayLose())) {
      this.#returning = true
      location.hash = oldHash
      return
    }
    this.#address = next
  }
}

export const router = new Router()
