import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  getCableForce,
  getVibrationIntegrated,
  getVibrationPeaks,
  getVibrationPsd,
  getVibrationSpectrogram,
  listVibrationBatches,
  type WaveformBatch,
} from '@plumbline/contract'
import { RefusedError } from '../../errors/refused-error.ts'
import { cableForce } from '../../domain/vibration/cable-force.ts'
import { integralUnit } from '../../domain/vibration/integrate.ts'
import { segmentStep, defaultSegment, type Segmentation } from '../../domain/vibration/segments.ts'
import { formatTrigger } from '../../domain/vibration/trigger.ts'
import type { Storage, StoredWaveform } from '../../storage/storage.ts'
import type { AnalyseWaveform } from '../requests/analyse-waveform.ts'
import type { ResponseCache } from '../responses/response-cache.ts'
import { findWaveform, type WaveformChoice } from '../requests/choose-waveform.ts'
import type { Caller } from '../security/caller.ts'
import { sendJson } from '../responses/send-json.ts'
import { writeLists, type NumberLists } from '../responses/number-lists.ts'
import { checkManageWindow, toNewest } from '../requests/manage-window.ts'
import { checkMoment } from '../requests/window.ts'

type AnalysisRoutesOptions = {
  storage: Pick<Storage, 'waveforms'>
  cache: ResponseCache
  analyse: AnalyseWaveform
  horizon(): number
}

/** Values of a spectrogram, which are about 20 MB of JSON. */
const SPECTROGRAM_VALUES = 1_000_000

export const analysisRoutes: FastifyPluginAsyncTypebox<AnalysisRoutesOptions> = async (
  app,
  { storage: { waveforms }, cache, analyse, horizon },
) => {
  const find = async (caller: Caller, stationId: number, choice: WaveformChoice) => {
    const { collectTime, batch } = choice
    if (collectTime !== undefined) checkMoment('collectTime', collectTime)
    if (collectTime !== undefined && batch !== undefined)
      throw new RefusedError('invalid', 'give "collectTime" or "batch", not both')
    return findWaveform(waveforms, caller, stationId, choice)
  }

  app.route({
    ...listVibrationBatches,
    handler: async ({ caller, params, query }) => {
      const { limit, ...window } = query
      checkManageWindow(window)
      const { entry, structure } = caller.findStation(params.stationId)
      caller.permit(entry.structure, `station ${entry.id}`)
      const instants = toNewest(window, structure.zone, horizon())
      const list = await waveforms.list({ station: entry.id, ...instants, limit })
      return list.map((waveform) => describeWaveform(waveform, structure.zone))
    },
  })

  app.route({
    ...getVibrationPsd,
    handler: async ({ caller, params, query }, reply) => {
      const waveform = await find(caller, params.stationId, query)
      const segmentation = segmentationOf(query, waveform)
      const write = async (): Promise<NumberLists> => {
        const found = await analyse(reply, waveform, 'psd', segmentation)
        const { density, stepHz, segments, bandwidthHz } = found
        const unit = waveform.unit === '' ? '1/Hz' : `(${waveform.unit})²/Hz`
        const details = { unit, step: stepHz, segments, bandwidth: bandwidthHz }
        return {
          head: { batch: describe(caller, waveform), ...segmentation, ...details },
          lists: { density },
        }
      }
      return sendJson(
        reply,
        cache.serve(keyOf('psd', waveform, segmentation), () => writeLists(write)),
      )
    },
  })

  app.route({
    ...getVibrationPeaks,
    handler: async ({ caller, params, query }, reply) => {
      const { window, prominence, limit, ...rest } = query
      const band = bandOf(rest)
      const waveform = await find(caller, params.stationId, query)
      const choice = { ...band, window, prominence, limit }
      const { peaks } = await analyse(reply, waveform, 'peaks', choice)
      return { batch: describe(caller, waveform), window, unit: waveform.unit, peaks: [...peaks] }
    },
  })

  app.route({
    ...getVibrationSpectrogram,
    handler: async ({ caller, params, query }, reply) => {
      const waveform = await find(caller, params.stationId, query)
      const segmentation = segmentationOf(query, waveform)
      refuseLarge(segmentation, waveform)
      const write = async (): Promise<NumberLists> => {
        const found = await analyse(reply, waveform, 'spectrogram', segmentation)
        const { times, lines, stepHz, amplitudes } = found
        return {
          head: {
            batch: describe(caller, waveform),
            ...segmentation,
            unit: waveform.unit,
            step: stepHz,
          },
          lists: { times, amplitudes: { rows: times.length, columns: lines, values: amplitudes } },
        }
      }
      return sendJson(
        reply,
        cache.serve(keyOf('spectrogram', waveform, segmentation), () => writeLists(write)),
      )
    },
  })

  app.route({
    ...getVibrationIntegrated,
    handler: async ({ caller, params, query }, reply) => {
      const { to } = query
      const band = bandOf(query)
      const waveform = await find(caller, params.stationId, query)
      const sampleHz = Number(waveform.sampleFreq)
      const high = Math.min(band.high, sampleHz / 2)
      const times = to === 'velocity' ? 1 : 2
      const write = async (): Promise<NumberLists> => {
        const options = { times, low: band.low, high: band.high } as const
        const { samples } = await analyse(reply, waveform, 'integral', options)
        const unit = integralUnit(waveform.unit, times)
        const head = { batch: describe(caller, waveform), to, low: band.low, high, unit }
        return { head, lists: { samples } }
      }
      const key = keyOf('integral', waveform, { ...band, times })
      return sendJson(
        reply,
        cache.serve(key, () => writeLists(write)),
      )
    },
  })

  app.route({
    ...getCableForce,
    handler: async ({ caller, params, query }, reply) => {
      const { massPerMetre, length, mode, ratio } = query
      const bands = [{ ...bandOf(query), ratio }]
      const waveform = await find(caller, params.stationId, query)
      const { frequencies } = await analyse(reply, waveform, 'frequencies', { bands })
      const frequency = frequencies[0] ?? null
      const force =
        frequency === null ? null : cableForce({ massPerMetre, length, frequency, mode })
      return { batch: describe(caller, waveform), frequency, force }
    },
  })
}

const describe = (caller: Caller, waveform: StoredWaveform) =>
  describeWaveform(waveform, caller.findStation(waveform.station).structure.zone)

function describeWaveform(
  { id, collectTime, trigger, unit, sampleFreq, count }: StoredWaveform,
  zone: { toLocal(instant: number): string },
): WaveformBatch {
  const time = zone.toLocal(collectTime)
  return { id, collectTime: time, trigger: formatTrigger(trigger), unit, sampleFreq, count }
}

const keyOf = (analysis: string, { id }: StoredWaveform, options: object): string =>
  `${analysis} ${id} ${JSON.stringify(options)}`

type SegmentationQuery = Pick<Segmentation, 'window' | 'overlap'> & { segment?: number | undefined }

const segmentationOf = (
  { window, segment, overlap }: SegmentationQuery,
  { count }: StoredWaveform,
): Segmentation => ({ window, segment: Math.min(segment ?? defaultSegment(count), count), overlap })

function bandOf({ low = 0, high = Infinity }: { low?: number; high?: number | undefined }) {
  if (low <= high) return { low, high }
  throw new RefusedError('invalid', 'the query parameter "low" lies above "high"')
}

function refuseLarge({ segment, overlap }: Segmentation, { count }: StoredWaveform): void {
  const segments = Math.floor((count - segment) / segmentStep(segment, overlap)) + 1
  const values = segments * (Math.floor(segment / 2) + 1)
  if (values > SPECTROGRAM_VALUES)
    throw new RefusedError(
      'invalid',
      `the spectrogram would have ${values} values, at most ${SPECTROGRAM_VALUES} are allowed: choose a smaller "overlap"`,
    )
}
