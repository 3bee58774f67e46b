import { dirname } from 'node:path'
import { boundedText } from '../../encodings/bounded-text.ts'

/** The origin of a reject. */
export type RejectOrigin = {
  /** Determines how it is replayed. */
  kind: 'mqtt' | 'broker' | 'influx' | 'file'
  /** Its name in lists, commands and metrics. */
  origin: string
  /** The unit of the limit on rejects: the origin itself, or the folder of a file. */
  source: string
}

export const mqttOrigin = (name: string): RejectOrigin => originOf('mqtt', `mqtt ${name}`)

export const BROKER_ORIGIN = originOf('broker', 'broker')

export const INFLUX_ORIGIN = originOf('influx', 'influx')

/** Returns the origin of a file; a file in an archive has its own name and the archive's path. */
export const fileOrigin = (path: string, name = path): RejectOrigin =>
  originOf('file', `file ${name}`, `file ${dirname(path)}`)

function originOf(kind: RejectOrigin['kind'], origin: string, source = origin): RejectOrigin {
  return { kind, origin: boundedText(origin), source: boundedText(source) }
}
