import { once } from 'node:events'
import { startJob, type JobOptions } from './job.ts'
import { Leadership, type LeadershipOptions } from './leadership.ts'

/** The time after which another instance takes over from one that died. */
const TERM_MILLISECONDS = 10_000

type OpenAsLeaderOptions<Opened> = Pick<LeadershipOptions, 'name' | 'leases' | 'now'> & {
  log: JobOptions['log']
  /** Opens the part, which is closed when this instance no longer leads. */
  open(): Opened
  /** Called when another instance leads. */
  onOther?(): void
}

export type LeaderPart<Opened> = AsyncDisposable & {
  /** The part that is open in this instance; undefined while another one leads. */
  readonly opened: Opened | undefined
}

/** Keeps a part open in one instance at a time; returns after the first request for the lease. */
export async function openAsLeader<Opened extends AsyncDisposable>(
  options: OpenAsLeaderOptions<Opened>,
): Promise<LeaderPart<Opened>> {
  const { name, log, open, onOther } = options
  const leadership = new Leadership({ ...options, termMilliseconds: TERM_MILLISECONDS })
  const requested = Promise.withResolvers<void>()
  let opened: Opened | undefined
  let isOther = false

  const lead = async (signal: AbortSignal): Promise<void> => {
    await using part = open()
    opened = part
    requested.resolve()
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
        requested.resolve()
      }
    },
  })
  await requested.promise
  return {
    get opened() {
      return opened
    },
    [Symbol.asyncDispose]: () => job[Symbol.asyncDispose](),
  }
}
