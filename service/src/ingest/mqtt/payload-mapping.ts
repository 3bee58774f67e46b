import { BATCH_MAXIMUM } from '@plumbline/contract'
import type { TopicSettings } from '../../config/mqtt-settings.ts'
import { mapInSlices } from '../../concurrency/in-slices.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { UnreadableRecord } from '../../json/unreadable-record.ts'
import { show } from '../../errors/show.ts'
import type { JsonLimits } from '../../json/json-scan.ts'
import { parseJsonPath, selectAll } from './json-path.ts'
import { readContent } from './message-content.ts'
import { PRESETS } from './presets.ts'
import { readMessageTime } from './message-time.ts'
import { parseTopicPattern, type Captures } from './topic-pattern.ts'
import { valueReader } from './message-values.ts'
import { parseValueSource, type Surroundings, type ValueSource } from './value-source.ts'

/** A message as it came. */
export type Message = { topic: string; payload: Uint8Array; receivedAt: number }

/** A record to be stored, or the sentence that says why there is none. */
export type MappedRecord = { record: RawRecord } | { problem: string }
export type RawRecord = { sensor: unknown; time: unknown; values: unknown }

export type PayloadMapping = {
  /** The topics to ask a broker for. */
  filter: string
  /** Whether records of one sensor and instant complete each other. */
  isMerged: boolean
  /** Whether a record's time is that of its arrival. */
  hasArrivalTime: boolean
  means(topic: string): boolean
  /** The records of a message, in order; undefined when its topic is not meant. */
  read(message: Message): Promise<{ records: MappedRecord[] } | { problem: string }> | undefined
}

/**
 * Compiles how messages, held to limits, become records; refuses settings that cannot be meant so.
 */
export function compileMapping(given: TopicSettings, limits: JsonLimits): PayloadMapping {
  const settings = complete(given)
  const pattern = parseTopicPattern(settings.topic)
  const source = (text: string): ValueSource => parseValueSource(text, pattern.names)

  const sensor = source(settings.sensor)
  const time = settings.time === 'arrival' ? undefined : source(settings.time)
  const readValues = valueReader(settings, source)
  const lists = parseJsonPath(settings.records)
  const aliases = new Map(Object.entries(settings.sensors ?? {}))
  const isBareValue = settings.value === '@' || settings.value === '$'
  const unit = settings.timeUnit ?? 'milliseconds'

  const readRecord = (surroundings: Surroundings, receivedAt: number): MappedRecord => {
    if (surroundings.record instanceof UnreadableRecord)
      return { problem: surroundings.record.reason }
    const name = sensor.read(surroundings)
    if (typeof name !== 'string' && typeof name !== 'number')
      return { problem: `${show(sensor.text)} must hold the sensor, not ${show(name)}` }
    const moment = time?.read(surroundings)
    if (time !== undefined && (moment === undefined || moment === null))
      return { problem: `${show(time.text)} must hold the time, but there is nothing` }
    const values = readValues(surroundings)
    if ('problem' in values) return values
    return {
      record: {
        sensor: aliases.get(String(name)) ?? String(name),
        time: time === undefined ? receivedAt : readMessageTime(moment, unit),
        values: values.values,
      },
    }
  }

  const readMessage = async ({ payload, receivedAt }: Message, captures: Captures) => {
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
    isMerged: settings.merge ?? false,
    hasArrivalTime: time === undefined,
    means: (topic) => pattern.match(topic) !== undefined,
    read(message) {
      const captures = pattern.match(message.topic)
      return captures && readMessage(message, captures)
    },
  }
}

type Complete = TopicSettings & { sensor: string; time: string; records: string }

/** Whoever says where the values lie means that way alone, whatever the preset says. */
function complete(given: TopicSettings): Complete {
  const own = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as TopicSettings
  const preset = { ...(own.preset === undefined ? {} : PRESETS[own.preset]) }
  const isOther = (...ways: (keyof TopicSettings)[]) => ways.some((way) => own[way] !== undefined)
  if (isOther('fields', 'key', 'value')) delete preset.values
  if (isOther('fields', 'values')) {
    delete preset.key
    delete preset.value
  }
  const { sensor, time = 'arrival', records = '$', ...rest } = { ...preset, ...own }
  if (sensor === undefined)
    throw new RefusedError('invalid', 'it must say where the sensor is: set preset or sensor')
  return { ...rest, sensor, time, records }
}
