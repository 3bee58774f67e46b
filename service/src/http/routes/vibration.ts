import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getVibrationFft, getVibrationRaw } from '@plumbline/contract'
import { RefusedError } from '../../domain/refused-error.ts'
import type { Storage, VibrationHeader } from '../../storage/storage.ts'
import type { Caller } from '../caller.ts'
import { sendJson } from '../json-stream.ts'
import { computeSpectrum } from '../spectrum-thread.ts'
import { checkMoment, toInstants } from '../window.ts'

type Options = { storage: Pick<Storage, 'vibration'> }

/** So many points become text at a time; other requests are answered in between. */
const POINTS_AT_ONCE = 4_096

export const vibrationRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { storage }) => {
  const find = async (caller: Caller, stationId: number, collectTime: string) => {
    checkMoment('collectTime', collectTime)
    const { entry, structure } = caller.findStation(stationId)
    const { from, to } = toInstants(
      { startTime: collectTime, endTime: collectTime },
      structure.zone,
    )
    // Whether a foreign station has the batch is not told: existence here is the station's.
    caller.permit(entry.structure, `Station ${stationId}`)
    const batch = await storage.vibration.find(stationId, from, to)
    if (batch === undefined)
      throw new RefusedError(
        'absent',
        `Station ${stationId} has no vibration batch of ${collectTime}.`,
      )
    return batch
  }

  app.route({
    ...getVibrationRaw,
    handler: async ({ caller, params, query }, reply) => {
      const batch = await find(caller, params.stationId, query.collectTime)
      return sendJson(reply, writeRaw(batch, storage.vibration.readSamples(batch.id)))
    },
  })

  app.route({
    ...getVibrationFft,
    handler: async ({ caller, params, query }, reply) => {
      const batch = await find(caller, params.stationId, query.collectTime)
      const samples = new Float64Array(batch.count)
      let at = 0
      for await (const piece of storage.vibration.readSamples(batch.id)) {
        samples.set(piece, at)
        at += piece.length
      }
      const amplitude = await computeSpectrum(samples, Number(batch.sampleFreq))
      return sendJson(reply, writeFft(batch, amplitude))
    },
  })
}

const opening = ({ unit, sampleFreq, count }: VibrationHeader): string =>
  `{"config":${JSON.stringify({ unit, sampleFreq, count })},"data":[`

async function* writeRaw(
  batch: VibrationHeader,
  pieces: AsyncIterable<Float64Array>,
): AsyncGenerator<string> {
  yield opening(batch)
  let point = 0
  for await (const samples of pieces)
    for (let at = 0; at < samples.length; at += POINTS_AT_ONCE) {
      let text = ''
      for (const sample of samples.subarray(at, at + POINTS_AT_ONCE)) {
        text += `${point === 0 ? '' : ','}{"value":"${sample}","time":"${++point}"}`
      }
      yield text
    }
  yield ']}'
}

async function* writeFft(batch: VibrationHeader, amplitude: Float64Array): AsyncGenerator<string> {
  yield opening(batch)
  const sampleHz = Number(batch.sampleFreq)
  for (let at = 0; at < amplitude.length; at += POINTS_AT_ONCE) {
    let text = ''
    for (let k = at; k < Math.min(at + POINTS_AT_ONCE, amplitude.length); k++) {
      const frequency = (k * sampleHz) / batch.count
      text += `${k === 0 ? '' : ','}{"value":"${amplitude[k]}","frequency":"${frequency}"}`
    }
    yield text
  }
  yield ']}'
}
