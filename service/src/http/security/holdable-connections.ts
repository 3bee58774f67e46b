import { readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import {
  descriptorsFor,
  shareConnections,
  type Connections,
} from '../../domain/access/connection-share.ts'

/** The connections of the settings, or as many as the process may open; then a warning is logged. */
export async function holdableConnections(wanted: Connections, log: Logger): Promise<Connections> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const descriptors = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? NaN)
  if (Number.isNaN(descriptors)) return wanted
  const share = shareConnections(descriptors, wanted)
  const needed = descriptorsFor(wanted)
  if (descriptors >= needed) return share
  const broker = wanted.broker === 0 ? '' : ` and ${share.broker} to the broker`
  log.warn(
    `The process may open ${descriptors} files and accepts at most ${share.interface} connections to the interface${broker}. Allow it ${needed} files (ulimit -n, LimitNOFILE= of systemd) or lower http.maxConnections${wanted.broker === 0 ? '' : ' and ingest.broker.maxConnections'}.`,
  )
  return share
}
