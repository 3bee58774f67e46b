import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getVibrationFft, getVibrationRaw } from '@plumbline/contract'
import type { Storage } from '../../storage/storage.ts'
import type { AnalyseWaveform } from '../requests/analyse-waveform.ts'
import type { PointTexts } from '../responses/point-texts.ts'
import type { ResponseCache } from '../responses/response-cache.ts'
import { findWaveform } from '../requests/choose-waveform.ts'
import { sendJson } from '../responses/send-json.ts'
import { writeFft, writeRaw } from '../responses/waveform-text.ts'
import { checkMoment } from '../requests/window.ts'

type VibrationRoutesOptions = {
  storage: Pick<Storage, 'waveforms'>
  cache: ResponseCache
  analyse: AnalyseWaveform
  points: PointTexts
}

export const vibrationRoutes: FastifyPluginAsyncTypebox<VibrationRoutesOptions> = async (
  app,
  { storage: { waveforms }, cache, analyse, points },
) => {
  app.route({
    ...getVibrationRaw,
    handler: async ({ caller, params, query }, reply) => {
      checkMoment('collectTime', query.collectTime)
      const waveform = await findWaveform(waveforms, caller, params.stationId, query)
      const write = () => writeRaw(points, waveform, waveforms.readSamples(waveform))
      return sendJson(reply, cache.serve(`raw ${waveform.id}`, write))
    },
  })

  app.route({
    ...getVibrationFft,
    handler: async ({ caller, params, query }, reply) => {
      checkMoment('collectTime', query.collectTime)
      const waveform = await findWaveform(waveforms, caller, params.stationId, query)
      async function* write() {
        const { amplitude } = await analyse(reply, waveform, 'amplitude', {})
        yield* writeFft(points, waveform, amplitude)
      }
      return sendJson(reply, cache.serve(`fft ${waveform.id}`, write))
    },
  })
}
