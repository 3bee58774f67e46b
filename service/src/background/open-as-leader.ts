import { once } from 'node:events'
import { startJob, type JobOptions } from './job.ts'
import { Leadership, type LeadershipOptions } from './leadership.ts'

/** Within this time another instance opens what a dead one had open. */
const TERM_MILLISECONDS = 10_000

export type LedOptions<Opened> = Pick<LeadershipOptions, 'name' | 'leases' | 'now'> & {
  log: JobOptions['log']
  /** Opens a part that is closed when this instance no longer leads. */
  open(): Opened
  /** Called when it is known that another instance leads. */
  onOther?(): void
}

export type Led<Opened> = AsyncDisposable & {
  /** The part that is open here; undefined while this instance does not lead. */
  readonly opened: Opened | undefined
}

/** Keeps a part open in one instance at a time; has asked for the lease when it returns. */
export async function openAsLeader<Opened extends AsyncDisposable>(
  options: LedOptions<Opened>,
): Promise<Led<Opened>> {
  const { name, log, open, onOther } = options
  const leadership = new Leadership({ ...options, termMilliseconds: TERM_MILLISECONDS })
  const asked = Promise.withResolvers<void>()
  let opened: Opened | undefined
  let isOther = false

  const lead = async (signal: AbortSignal): Promise<void> => {
    await using part = open()
    opened = part
    asked.resolve()
    if (!signal.aborted) await once(signal, 'abort')
    opened = undefined
  }
  const job = startJob({
    name: `Leader election of ${name}`,
    everyMilliseconds: leadership.renewalMilliseconds,
    firstMilliseconds: 0,
    log,
    async run(stop) {
      try {
        const isLeader = await leadership.run(lead, stop)
        if (!isLeader && !isOther && !stop.aborted) onOther?.()
        isOther = !isLeader
      } finally {
        asked.resolve()
      }
    },
  })
  await asked.promise
  return {
    get opened() {
      return opened
    },
    [Symbol.asyncDispose]: () => job[Symbol.asyncDispose](),
  }
}
