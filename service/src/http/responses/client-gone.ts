import type { ServerResponse } from 'node:http'
import { RefusedError } from '../../errors/refused-error.ts'

/** Aborted when the client of a response goes before all of it was sent. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  const abort = (): void => {
    if (!response.writableFinished)
      gone.abort(new RefusedError('invalid', 'the client has gone before its answer'))
  }
  if (response.closed || response.socket?.destroyed === true) abort()
  else response.once('close', abort)
  return gone.signal
}
