import { Copying } from './copying.ts'
import type { FromCopying, ToCopying } from './copy-state.ts'

/** What is left is written to the folder of the copy within this time. */
const FINISHING_MILLISECONDS = 5_000

let copying: Copying | undefined
let running: Promise<void> | undefined

/** The service may have ended meanwhile. */
const send = (message: FromCopying): void => {
  process.send?.(message, undefined, {}, () => {})
}

function finish(): void {
  // Leaving in order waits for what is being written, into a folder that may take nothing.
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), FINISHING_MILLISECONDS).unref()
  copying?.finish()
  send({ isClosed: true })
  void Promise.resolve(running).finally(() => {
    process.exit()
  })
}

process.on('message', (message: ToCopying) => {
  if ('finish' in message) return finish()
  copying = new Copying(message.start, (state) => send({ state }))
  running = copying.run()
})

// The service has ended: what it has committed is still copied.
process.on('disconnect', finish)

// A signal to the process group is for the service, which ends this process when it is done.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
