import { PlumblineError } from '@plumbline/client'
import { texts } from '../texts/texts.svelte.ts'

/** What stands beside a field that the service has refused; undefined for other errors and without one. */
export const describeRefusal = (error: unknown): string | undefined =>
  error instanceof PlumblineError && error.kind === 'invalid'
    ? texts.common.failed.said(error.message)
    : undefined

/** What a person reads of a camera that gives nothing: why, as the service says it. */
export const describeCameraError = (error: unknown): string =>
  error instanceof PlumblineError && error.kind === 'unavailable'
    ? texts.common.failed.said(error.message)
    : describeError(error)

/** What a person reads of an error: the sentence of the service where it has one that helps. */
export function describeError(error: unknown): string {
  const { failed } = texts.common
  if (!(error instanceof PlumblineError)) {
    console.error(error)
    return failed.unknown
  }
  switch (error.kind) {
    case 'network':
      return failed.network
    case 'timeout':
      return failed.timeout
    case 'forbidden':
      return failed.forbidden
    case 'unavailable':
      return failed.unavailable
    case 'tooMany':
      return failed.tooMany(error.retryAfterSeconds ?? 60)
    default:
      return failed.said(error.message)
  }
}
