export type PeriodicJobOptions = {
  run(signal: AbortSignal): Promise<void>
  onError(error: Error): void
  everyMilliseconds: number
  /** How long after the start it runs first; left out: one interval. */
  firstMilliseconds?: number | undefined
}

/**
 * Runs again and again, never twice at once, until it is disposed; then the last run ends first.
 *
 * A run that takes longer than the interval leaves out the times it has missed.
 */
export function startPeriodicJob(options: PeriodicJobOptions): AsyncDisposable {
  const { run, onError, everyMilliseconds, firstMilliseconds } = options
  const stop = new AbortController()
  let running: Promise<void> | undefined
  const next = (): void => {
    running ??= Promise.try(run, stop.signal)
      .catch((error: unknown) => onError(error as Error))
      .finally(() => (running = undefined))
  }
  const first = firstMilliseconds === undefined ? undefined : setTimeout(next, firstMilliseconds)
  first?.unref()
  const timer = setInterval(next, everyMilliseconds).unref()
  return {
    async [Symbol.asyncDispose]() {
      clearTimeout(first)
      clearInterval(timer)
      stop.abort()
      await running
    },
  }
}
