import { BATCH_MAXIMUM, type Replacement } from '@plumbline/contract'
import type { TopicSettings } from '../../config/mqtt-settings.ts'
import { mapInSlices } from '../../concurrency/in-slices.ts'
import type { KeyTargets } from '../../domain/access/key-targets.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { UnreadableRecord } from '../../json/unreadable-record.ts'
import { show } from '../../errors/show.ts'
import type { JsonLimits } from '../../json/json-scan.ts'
import { parseJsonPath, selectAll } from './json-path.ts'
import { readContent } from './message-content.ts'
import { PRESETS } from './presets.ts'
import { readMessageTime } from './message-time.ts'
import { withUnits } from '../records/values-in-units.ts'
import { parseTopicPattern, type Captures } from './topic-pattern.ts'
import { qualityReader } from './message-quality.ts'
import { valueReader } from './message-values.ts'
import { parseValueSource, type RecordContext, type ValueSource } from './value-source.ts'

/** A message as it was received. */
export type ReceivedMessage = {
  topic: string
  payload: Uint8Array
  receivedAt: number
  /** What the key of its sender may write to; null or left out: everything. */
  targets?: KeyTargets | null
}

/** A record to be stored, or the sentence that says why there is none, or one that is ignored. */
export type MappedRecord = { record: MessageRecord } | { problem: string } | { isEmpty: true }

/** A raw record as a message holds it: checked when it is stored. */
export type MessageRecord = {
  sensor: unknown
  time: unknown
  values: unknown
  /** Left out where nothing is said. */
  quality?: unknown
}

export type PayloadMapping = {
  /** The topic filter of the subscription. */
  filter: string
  /** What its records do to stored ones of the same sensor and instant. */
  replace: Replacement
  /** Whether a record takes the time of its arrival. */
  hasArrivalTime: boolean
  matches(topic: string): boolean
  /** The records of a message, in order; undefined when its topic does not match. */
  read(
    message: ReceivedMessage,
  ): Promise<{ records: MappedRecord[] } | { problem: string }> | undefined
}

/** Why a message is rejected whose topic matches no mapping. */
export const NO_SUBSCRIPTION = 'the settings have no subscription for this topic'

/**
 * Compiles how messages become records. Throws a `RefusedError` for settings that contradict each
 * other or are incomplete.
 */
export function compileMapping(given: TopicSettings, limits: JsonLimits): PayloadMapping {
  const settings = complete(given)
  const pattern = parseTopicPattern(settings.topic)
  const source = (text: string): ValueSource => parseValueSource(text, pattern.names)

  const sensor = source(settings.sensor)
  const time = settings.time === 'arrival' ? undefined : source(settings.time)
  const readValues = valueReader(settings, source)
  const readQuality = qualityReader(settings, source)
  const lists = parseJsonPath(settings.records)
  const units = new Map(Object.entries(settings.units ?? {}))
  const aliases = new Map(Object.entries(settings.sensors ?? {}))
  const isBareValue = settings.value === '@' || settings.value === '$'
  const timeUnit = settings.timeUnit ?? 'milliseconds'

  const readRecord = (context: RecordContext, receivedAt: number): MappedRecord => {
    if (context.record instanceof UnreadableRecord) return { problem: context.record.reason }
    const name = sensor.read(context)
    if (typeof name !== 'string' && typeof name !== 'number')
      return { problem: `${show(sensor.text)} must hold the sensor, not ${show(name)}` }
    const sent = time?.read(context)
    if (time !== undefined && (sent === undefined || sent === null))
      return { problem: `${show(time.text)} must hold the time, but there is nothing` }
    const values = readValues(context)
    if (settings.empty === 'ignore' && isEmpty(values)) return { isEmpty: true }
    if ('problem' in values) return { problem: values.problem }
    const sentQuality = readQuality(context)
    if ('problem' in sentQuality) return sentQuality
    const { quality } = sentQuality
    return {
      record: {
        sensor: aliases.get(String(name)) ?? String(name),
        time: time === undefined ? receivedAt : readMessageTime(sent, timeUnit),
        values: withUnits(values.values, units),
        ...(quality === undefined ? {} : { quality }),
      },
    }
  }

  const readMessage = async ({ payload, receivedAt }: ReceivedMessage, captures: Captures) => {
    const content = await readContent(payload, { isBareValue, limits })
    if ('problem' in content) return content
    const { message } = content
    const found = selectAll(lists, message).flatMap((one) => (Array.isArray(one) ? one : [one]))
    if (found.length === 0)
      return { problem: `the message holds no record at ${show(settings.records)}` }
    if (found.length > BATCH_MAXIMUM)
      return {
        problem: `the message holds ${found.length} records, expected at most ${BATCH_MAXIMUM}`,
      }
    const records = await mapInSlices(found, (record) =>
      readRecord({ message, record, captures }, receivedAt),
    )
    return { records }
  }

  return {
    filter: pattern.filter,
    replace: settings.replace ?? 'keys',
    hasArrivalTime: time === undefined,
    matches: (topic) => pattern.match(topic) !== undefined,
    read(message) {
      const captures = pattern.match(message.topic)
      return captures && readMessage(message, captures)
    },
  }
}

const isEmpty = (read: ReturnType<ReturnType<typeof valueReader>>): boolean =>
  'problem' in read ? read.isEmpty === true : Object.keys(read.values).length === 0

type CompleteSettings = TopicSettings & { sensor: string; time: string; records: string }

/** Adds the preset; settings of the place of the values replace all those of the preset. */
function complete(own: TopicSettings): CompleteSettings {
  const preset = { ...(own.preset === undefined ? {} : PRESETS[own.preset]) }
  const hasAny = (...names: (keyof TopicSettings)[]) =>
    names.some((name) => own[name] !== undefined)
  if (hasAny('fields', 'key', 'value')) delete preset.values
  if (hasAny('fields', 'values')) {
    delete preset.key
    delete preset.value
  }
  if (hasAny('qualities')) delete preset.quality
  const { sensor, time = 'arrival', records = '$', ...rest } = { ...preset, ...own }
  if (sensor === undefined)
    throw new RefusedError('invalid', 'it must say where the sensor is: set preset or sensor')
  return { ...rest, sensor, time, records }
}
