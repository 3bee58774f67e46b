import { readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import {
  descriptorsFor,
  shareConnections,
  type Connections,
} from '../../domain/access/connection-share.ts'

/** As many connections as are wanted, or as many as the process can hold; the log says which. */
export async function holdableConnections(wanted: Connections, log: Logger): Promise<Connections> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const descriptors = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? NaN)
  if (Number.isNaN(descriptors)) return wanted
  const held = shareConnections(descriptors, wanted)
  const needed = descriptorsFor(wanted)
  if (descriptors >= needed) return held
  const broker = wanted.broker === 0 ? '' : ` and ${held.broker} to the broker`
  log.warn(
    `this process may open ${descriptors} files and holds at most ${held.interface} connections to the interface${broker}; allow it ${needed} files (ulimit -n, LimitNOFILE= of systemd) or lower http.maxConnections${wanted.broker === 0 ? '' : ' and ingest.broker.maxConnections'}`,
  )
  return held
}
