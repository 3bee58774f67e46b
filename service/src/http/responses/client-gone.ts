import type { ServerResponse } from 'node:http'
import { RefusedError } from '../../errors/refused-error.ts'

/** Aborted when the client closes its connection before it has received the whole response. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  const abort = (): void => {
    if (!response.writableFinished)
      gone.abort(
        new RefusedError('invalid', 'the client closed the connection before its response'),
      )
  }
  if (response.closed || response.socket?.destroyed === true) abort()
  else response.once('close', abort)
  return gone.signal
}
