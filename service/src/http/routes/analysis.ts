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
import type { AnalyseBatch } from '../requests/analyse-waveform.ts'
import type { ResponseCache } from '../responses/response-cache.ts'
import { findBatch, type BatchChoice } from '../requests/choose-waveform.ts'
import type { Caller } from '../security/caller.ts'
import { sendJson } from '../responses/send-json.ts'
import { writeLists, type Lists } from '../responses/number-lists.ts'
import { checkMoment, checkWindow, toNewest } from '../requests/window.ts'

type Options = {
  storage: Pick<Storage, 'waveforms'>
  cache: ResponseCache
  analyse: AnalyseBatch
  horizon(): number
}

/** More values no spectrogram has: they are some 20 MB of JSON. */
const SPECTROGRAM_VALUES = 1_000_000

export const analysisRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { storage: { waveforms }, cache, analyse, horizon },
) => {
  const find = async (caller: Caller, stationId: number, choice: BatchChoice) => {
    const { collectTime, batch } = choice
    if (collectTime !== undefined) checkMoment('collectTime', collectTime)
    if (collectTime !== undefined && batch !== undefined)
      throw new RefusedError('invalid', 'give "collectTime" or "batch", not both')
    return findBatch(waveforms, caller, stationId, choice)
  }

  app.route({
    ...listVibrationBatches,
    handler: async ({ caller, params, query }) => {
      const { limit, ...window } = query
      checkWindow(window)
      const { entry, structure } = caller.findStation(params.stationId)
      caller.permit(entry.structure, `Station ${entry.id}`)
      const instants = toNewest(window, structure.zone, horizon())
      const headers = await waveforms.list({ station: entry.id, ...instants, limit })
      return headers.map((header) => describeBatch(header, structure.zone))
    },
  })

  app.route({
    ...getVibrationPsd,
    handler: async ({ caller, params, query }, reply) => {
      const header = await find(caller, params.stationId, query)
      const cut = segmentationOf(query, header)
      const write = async (): Promise<Lists> => {
        const found = await analyse(reply, header, 'psd', cut)
        const { density, stepHz, segments, bandwidthHz } = found
        const unit = header.unit === '' ? '1/Hz' : `(${header.unit})²/Hz`
        const facts = { unit, step: stepHz, segments, bandwidth: bandwidthHz }
        return { head: { batch: describe(caller, header), ...cut, ...facts }, lists: { density } }
      }
      return sendJson(
        reply,
        cache.serve(keyOf('psd', header, cut), () => writeLists(write)),
      )
    },
  })

  app.route({
    ...getVibrationPeaks,
    handler: async ({ caller, params, query }, reply) => {
      const { window, prominence, limit, ...rest } = query
      const band = bandOf(rest)
      const header = await find(caller, params.stationId, query)
      const choice = { ...band, window, prominence, limit }
      const { peaks } = await analyse(reply, header, 'peaks', choice)
      return { batch: describe(caller, header), window, unit: header.unit, peaks: [...peaks] }
    },
  })

  app.route({
    ...getVibrationSpectrogram,
    handler: async ({ caller, params, query }, reply) => {
      const header = await find(caller, params.stationId, query)
      const cut = segmentationOf(query, header)
      refuseLarge(cut, header)
      const write = async (): Promise<Lists> => {
        const found = await analyse(reply, header, 'spectrogram', cut)
        const { times, lines, stepHz, amplitudes } = found
        return {
          head: { batch: describe(caller, header), ...cut, unit: header.unit, step: stepHz },
          lists: { times, amplitudes: { rows: times.length, columns: lines, values: amplitudes } },
        }
      }
      return sendJson(
        reply,
        cache.serve(keyOf('spectrogram', header, cut), () => writeLists(write)),
      )
    },
  })

  app.route({
    ...getVibrationIntegrated,
    handler: async ({ caller, params, query }, reply) => {
      const { to } = query
      const band = bandOf(query)
      const header = await find(caller, params.stationId, query)
      const sampleHz = Number(header.sampleFreq)
      const high = Math.min(band.high, sampleHz / 2)
      const times = to === 'velocity' ? 1 : 2
      const write = async (): Promise<Lists> => {
        const options = { times, low: band.low, high: band.high } as const
        const { samples } = await analyse(reply, header, 'integral', options)
        const unit = integralUnit(header.unit, times)
        const head = { batch: describe(caller, header), to, low: band.low, high, unit }
        return { head, lists: { samples } }
      }
      const key = keyOf('integral', header, { ...band, times })
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
      const header = await find(caller, params.stationId, query)
      const { frequencies } = await analyse(reply, header, 'frequencies', { bands })
      const frequency = frequencies[0] ?? null
      const force =
        frequency === null ? null : cableForce({ massPerMetre, length, frequency, mode })
      return { batch: describe(caller, header), frequency, force }
    },
  })
}

const describe = (caller: Caller, header: StoredWaveform) =>
  describeBatch(header, caller.findStation(header.station).structure.zone)

function describeBatch(
  { id, collectTime, trigger, unit, sampleFreq, count }: StoredWaveform,
  zone: { toLocal(instant: number): string },
): WaveformBatch {
  const time = zone.toLocal(collectTime)
  return { id, collectTime: time, trigger: formatTrigger(trigger), unit, sampleFreq, count }
}

const keyOf = (what: string, { id }: StoredWaveform, options: object): string =>
  `${what} ${id} ${JSON.stringify(options)}`

type Asked = Pick<Segmentation, 'window' | 'overlap'> & { segment?: number | undefined }

const segmentationOf = (
  { window, segment, overlap }: Asked,
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
