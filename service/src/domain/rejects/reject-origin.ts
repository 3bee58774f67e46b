import { dirname } from 'node:path'

/** Where a rejected record came in. */
export type RejectOrigin = {
  /** Tells how it is replayed. */
  kind: 'mqtt' | 'broker' | 'influx' | 'file'
  /** Its name in lists, commands and metrics. */
  origin: string
  /** What its rejects are bounded by together: itself, or the folder in which a file lies. */
  source: string
}

export const mqttOrigin = (name: string): RejectOrigin => originOf('mqtt', `mqtt ${name}`)

export const BROKER_ORIGIN = originOf('broker', 'broker')

export const INFLUX_ORIGIN = originOf('influx', 'influx')

/** A file; one in an archive has a name of its own, `name`, and the archive's path. */
export const fileOrigin = (path: string, name = path): RejectOrigin =>
  originOf('file', `file ${name}`, `file ${dirname(path)}`)

function originOf(kind: RejectOrigin['kind'], origin: string, source = origin): RejectOrigin {
  return { kind, origin, source }
}
