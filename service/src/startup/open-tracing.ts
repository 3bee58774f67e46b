import type { Logger } from 'pino'
import type { Config } from '../config/settings.ts'
import { readVersion } from '../config/version.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { traced, withMembers } from '../tracing/traced.ts'
import type { Tracing } from '../tracing/tracing.ts'
import type { Storage } from '../storage/storage.ts'
import { readSecretFile } from './setting-files.ts'

const HEADER = /^([!#$%&'*+.^_`|~\w-]+): *(\S[^\r\n]*)$/

/** Opens traces; loads the code for them only when the settings have a receiver. */
export async function openTracing(config: Config, log: Logger): Promise<Tracing | undefined> {
  const url = config['traces.url']
  if (url === '') return undefined
  const headers = await readHeader(config['traces.headerFile'])
  const { OtlpTracing } = await import('../tracing/otlp-tracing.ts')
  const share = config['traces.sampleShare']
  return new OtlpTracing({ url, headers, share, version: readVersion(), log })
}

/** A storage whose writes are spans. */
export function traceStorage(tracing: Tracing | undefined, storage: Storage): Storage {
  if (tracing === undefined) return storage
  const name = 'database write'
  return withMembers(storage, {
    records: traced(tracing, storage.records, { write: name }),
    waveforms: traced(tracing, storage.waveforms, { write: name }),
    alarms: traced(tracing, storage.alarms, { write: name }),
    traffic: traced(tracing, storage.traffic, { write: name }),
    devices: traced(tracing, storage.devices, { writeContacts: name, writeErrors: name }),
  })
}

async function readHeader(file: string): Promise<Record<string, string>> {
  if (file === '') return {}
  const [, name = '', value = ''] =
    HEADER.exec(await readSecretFile(file, 'traces.headerFile')) ?? []
  if (name !== '') return { [name]: value }
  throw new RefusedError(
    'invalid',
    `traces.headerFile: ${file} has no header, such as "Name: value"`,
  )
}
