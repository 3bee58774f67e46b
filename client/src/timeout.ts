import { PlumblineError } from './plumbline-error.ts'

type Bounded = { signal: AbortSignal | undefined; deadline: number }

/** Runs a call with a signal that is aborted by the caller's, or when the time is over. */
export async function withTimeout<Result>(
  milliseconds: number | undefined,
  outer: AbortSignal | undefined,
  run: (bounded: Bounded) => Promise<Result>,
): Promise<Result> {
  outer?.throwIfAborted()
  if (milliseconds === undefined) return run({ signal: outer, deadline: Infinity })
  const controller = new AbortController()
  const onAbort = () => controller.abort(outer!.reason)
  outer?.addEventListener('abort', onAbort, { once: true })
  const timer = setTimeout(() => controller.abort(toError(milliseconds)), milliseconds)
  try {
    return await run({ signal: controller.signal, deadline: Date.now() + milliseconds })
  } finally {
    clearTimeout(timer)
    outer?.removeEventListener('abort', onAbort)
  }
}

const toError = (milliseconds: number): PlumblineError =>
  new PlumblineError({
    name: 'TimeoutError',
    kind: 'timeout',
    message: `The call did not end within ${milliseconds} ms.`,
  })
