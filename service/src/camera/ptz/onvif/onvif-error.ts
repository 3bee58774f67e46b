/**
 * Why a camera did not do what was asked: `unreachable` without an answer, `unauthorized` with an answer
 * that refuses the password, `fault` with one that refuses the command, `malformed` with any other.
 */
export type OnvifFailure = 'unreachable' | 'unauthorized' | 'fault' | 'malformed'

/** An error whose message may follow the name of a camera: `does not answer`. It has no host and no secret. */
export class OnvifError extends Error {
  override name = 'OnvifError'
  readonly failure: OnvifFailure
  /** The codes of a fault, such as `InvalidArgVal`. */
  readonly codes: readonly string[]
  /** What operators need besides, for the log. */
  readonly detail: string | undefined

  constructor(
    failure: OnvifFailure,
    message: string,
    { codes = [], detail }: { codes?: readonly string[]; detail?: string | undefined } = {},
  ) {
    super(message)
    this.failure = failure
    this.codes = codes
    this.detail = detail
  }
}

/** Whether a camera has answered that it does not do what was asked. */
export const isRefused = (error: unknown): boolean =>
  error instanceof OnvifError && (error.failure === 'fault' || error.failure === 'unauthorized')
