import { CSV_TIME_KINDS, WAVEFORM_FORMATS, type WaveformFormat } from '@plumbline/contract'
import type { CsvWaveformOptions } from '../../domain/waveforms/csv-options.ts'
import { invalid } from '../../domain/waveforms/waveform.ts'
import { show } from '../../errors/show.ts'
import type { ChannelPlan } from './assign-channels.ts'
import type { WaveformFile } from './waveform-file.ts'

type Query = Readonly<Record<string, unknown>>

/** Reads how a file of waveforms is stored from the texts of a query. */
export function readFileQuery(texts: object): WaveformFile {
  const query: Query = { ...texts }
  if (textOf(query, 'encoding') !== undefined)
    throw invalid('either "format", for a file, or "encoding", for bare samples, not both')
  const sampleHz = numberOf(query, 'sampleFreq')
  const collectTime = textOf(query, 'collectTime')
  return {
    ...readTargets(query),
    format: readFormat(textOf(query, 'format') ?? ''),
    collectTime: collectTime === undefined ? undefined : epochOrText(collectTime),
    sampleHz,
    unit: textOf(query, 'unit'),
    count: numberOf(query, 'count'),
    options: { csv: readCsv(query, sampleHz) },
  }
}

function readFormat(text: string): WaveformFormat | undefined {
  const wanted = text.trim().toLowerCase()
  if (wanted === 'auto') return undefined
  const format = WAVEFORM_FORMATS.find((name) => name.toLowerCase() === wanted)
  if (format !== undefined) return format
  const known = WAVEFORM_FORMATS.join(', ')
  throw invalid(`the query parameter "format" must be auto or one of ${known}, not ${show(text)}`)
}

function readTargets(query: Query): Pick<ChannelPlan, 'channels' | 'only'> {
  const station = textOf(query, 'station')
  const channels = textOf(query, 'channels')
  if (station !== undefined && channels !== undefined)
    throw invalid('either "station", for a file of one channel, or "channels", not both')
  if (station !== undefined) return { channels: [], only: { station: toId(station) } }
  if (channels !== undefined) return { channels: readChannels(channels) }
  throw invalid('expected "station", for a file of one channel, or "channels" as NAME:STATION,...')
}

/** Reads `NAME:STATION,NAME:STATION`; a name may have colons, and commas written as `\,`. */
function readChannels(text: string): { channel: string; station: unknown }[] {
  return text.split(/(?<!\\),/).map((pair) => {
    const colon = pair.lastIndexOf(':')
    const channel = pair.slice(0, colon).trim().replaceAll('\\,', ',')
    const station = toId(pair.slice(colon + 1))
    if (colon > 0 && channel !== '' && typeof station === 'number') return { channel, station }
    throw invalid(`"channels" must be a list of NAME:STATION, found ${show(pair)}`)
  })
}

function readCsv(query: Query, sampleHz: number | undefined): CsvWaveformOptions {
  const delimiter = textOf(query, 'delimiter')
  const headerRow = numberOf(query, 'headerRow')
  const column = textOf(query, 'timeColumn')
  const kindText = textOf(query, 'timeKind') ?? 'text'
  const kind = CSV_TIME_KINDS.find((one) => one === kindText)
  if (kind === undefined)
    throw invalid(`"timeKind" must be one of ${CSV_TIME_KINDS.join(', ')}, not ${show(kindText)}`)
  if (headerRow !== undefined && !(Number.isInteger(headerRow) && headerRow >= 0))
    throw invalid(`"headerRow" must be a line's number, or 0 for none, not ${headerRow}`)
  return {
    ...(delimiter === undefined ? {} : { delimiter: delimiter === 'tab' ? '\t' : delimiter }),
    ...(headerRow === undefined ? {} : { headerRow }),
    ...(sampleHz === undefined ? {} : { sampleHz }),
    ...(column === undefined
      ? {}
      : { time: { column: /^\d{1,6}$/.test(column) ? Number(column) : column, kind } }),
  }
}

function textOf(query: Query, name: string): string | undefined {
  const value = query[name]
  if (value === undefined || typeof value === 'string') return value
  throw invalid(`the query parameter "${name}" is given more than once`)
}

function numberOf(query: Query, name: string): number | undefined {
  const text = textOf(query, name)
  if (text === undefined) return undefined
  const number = text.trim() === '' ? NaN : Number(text)
  if (Number.isFinite(number)) return number
  throw invalid(`"${name}" must be a number, not ${show(text)}`)
}

const toId = (text: string): unknown => (/^\d{1,15}$/.test(text.trim()) ? Number(text) : text)

const epochOrText = (text: string): unknown =>
  /^-?\d{1,15}$/.test(text.trim()) ? Number(text) : text
