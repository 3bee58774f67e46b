import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getVibrationFft, getVibrationRaw } from '@plumbline/contract'
import type { Storage } from '../../storage/storage.ts'
import type { AnalyseBatch } from '../requests/analyse-waveform.ts'
import type { PointTexts } from '../responses/point-texts.ts'
import type { ResponseCache } from '../responses/response-cache.ts'
import { findBatch } from '../requests/choose-waveform.ts'
import { sendJson } from '../responses/send-json.ts'
import { writeFft, writeRaw } from '../responses/waveform-text.ts'
import { checkMoment } from '../requests/window.ts'

type Options = {
  storage: Pick<Storage, 'waveforms'>
  cache: ResponseCache
  analyse: AnalyseBatch
  points: PointTexts
}

export const vibrationRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { storage: { waveforms }, cache, analyse, points },
) => {
  app.route({
    ...getVibrationRaw,
    handler: async ({ caller, params, query }, reply) => {
      checkMoment('collectTime', query.collectTime)
      const batch = await findBatch(waveforms, caller, params.stationId, query)
      const write = () => writeRaw(points, batch, waveforms.readSamples(batch))
      return sendJson(reply, cache.serve(`raw ${batch.id}`, write))
    },
  })

  app.route({
    ...getVibrationFft,
    handler: async ({ caller, params, query }, reply) => {
      checkMoment('collectTime', query.collectTime)
      const batch = await findBatch(waveforms, caller, params.stationId, query)
      async function* write() {
        const { amplitude } = await analyse(reply, batch, 'amplitude', {})
        yield* writeFft(points, batch, amplitude)
      }
      return sendJson(reply, cache.serve(`fft ${batch.id}`, write))
    },
  })
}
