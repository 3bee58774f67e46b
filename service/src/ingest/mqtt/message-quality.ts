import type { TopicSettings } from '../../config/mqtt-settings.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { isObject } from '../../json/is-object.ts'
import { flagReader, refuseIdleFlags, type SentQuality } from '../records/sent-flags.ts'
import type { RecordContext, ValueSource } from './value-source.ts'

type ReadQuality = (context: RecordContext) => SentQuality

type Settings = Pick<TopicSettings, 'quality' | 'qualities' | 'flags' | 'otherwise' | 'items'>

const NOTHING_SAID: SentQuality = { quality: undefined }

/** Compiles the settings that say where the quality of the values of a record lies. */
export function qualityReader(
  settings: Settings,
  source: (text: string) => ValueSource,
): ReadQuality {
  const { quality, qualities, items } = settings
  if (quality !== undefined && qualities !== undefined)
    throw new RefusedError('invalid', 'it may say where qualities are by quality or qualities')
  if (quality === undefined && qualities === undefined) {
    refuseIdleFlags(settings, 'quality or qualities')
    return () => NOTHING_SAID
  }
  const readFlag = flagReader(settings)
  const readEach = eachReader(new Map(Object.entries(items ?? {})), readFlag)
  if (quality !== undefined) {
    const sent = source(quality)
    // All records of a message may name the same object of it.
    const collected = new WeakMap<object, SentQuality>()
    return (context) => {
      const found = sent.read(context)
      return isObject(found)
        ? collected.getOrInsertComputed(found, () => readEach(found))
        : readFlag(found)
    }
  }
  const sources = Object.entries(qualities ?? {}).map(
    ([name, text]) => [name, source(text)] as const,
  )
  return (context) =>
    readEach(Object.fromEntries(sources.map(([name, { read }]) => [name, read(context)])))
}

type QualityByName = Readonly<Record<string, unknown>>

/** Reads the qualities of an object by item key; those of keys that are skipped are left out. */
const eachReader =
  (keys: ReadonlyMap<string, string>, readFlag: (sent: unknown) => SentQuality) =>
  (found: QualityByName): SentQuality => {
    let read: Record<string, unknown> | undefined
    for (const name in found) {
      const key = keys.get(name) ?? name
      if (key === '') continue
      const one = readFlag(found[name])
      if ('problem' in one) return one
      if (one.quality === undefined) continue
      read ??= noQualities()
      read[key] = one.quality
    }
    return { quality: read }
  }

/** Keys are data: `__proto__` is a member like any other. */
const noQualities = (): Record<string, unknown> => Object.create(null)
