/** Whether the service answers. Every request of the console reports here; a probe asks while it is lost. */
class Connection {
  #isLost = $state(false)
  #attempts = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #waiting: Array<() => void> = []

  constructor() {
    addEventListener('online', () => {
      this.#attempts = 0
      void this.probe()
    })
    addEventListener('offline', () => this.lost())
  }

  get isLost(): boolean {
    return this.#isLost
  }

  lost(): void {
    if (this.#isLost) return
    this.#isLost = true
    this.#attempts = 0
    this.#probeLater()
  }

  found(): void {
    clearTimeout(this.#timer)
    if (!this.#isLost) return
    this.#isLost = false
    for (const resume of this.#waiting.splice(0)) resume()
  }

  /** Resolves at once, or when the service answers again. */
  untilFound(): Promise<void> {
    return this.#isLost ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve()
  }

  /** Asks whether the service is there. */
  async probe(): Promise<void> {
    clearTimeout(this.#timer)
    try {
      await fetch('/console/', {
        method: 'HEAD',
        cache: 'no-store',
        signal: AbortSignal.timeout(5000),
      })
      this.found()
    } catch {
      if (this.#isLost) this.#probeLater()
      else this.lost()
    }
  }

  #probeLater(): void {
    this.#attempts += 1
    const seconds = Math.min(2 ** this.#attempts, 15)
    this.#timer = setTimeout(() => void this.probe(), seconds * 1000)
  }
}

export const connection = new Connection()
