import type { FastifyReply } from 'fastify'
import { isLong, type Analyser } from '../../analysis/analyser.ts'
import type { TaskName, TaskOptions, TaskResult } from '../../analysis/tasks.ts'
import { FairQueue } from '../../concurrency/fair-queue.ts'
import { fix, type Fixed } from '../../encodings/fixed-numbers.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { StoredWaveform, WaveformStore } from '../../storage/storage.ts'
import { readAllSamples } from './choose-waveform.ts'
import { goneSignal } from '../responses/client-gone.ts'

/** Different analyses of one user that wait; further ones are refused. */
const WAITING = 32

export type AnalyseWaveform = <Name extends TaskName>(
  reply: FastifyReply,
  waveform: StoredWaveform,
  name: Name,
  options: TaskOptions<Name>,
) => Promise<Fixed<TaskResult<Name>>>

/**
 * Analyses waveforms of up to `samplesMaximum` samples, as long as a client waits for the result.
 *
 * Long analyses run one after another, and users take turns. Equal analyses that wait at the same
 * time run once and share an immutable result.
 */
export function waveformAnalysis(
  analyser: Analyser,
  waveforms: Pick<WaveformStore, 'readSamples'>,
  samplesMaximum: number,
): AnalyseWaveform {
  const queue = new FairQueue<number>({ name: 'analyses', waitingMaximum: WAITING })

  return async <Name extends TaskName>(
    reply: FastifyReply,
    waveform: StoredWaveform,
    name: Name,
    options: TaskOptions<Name>,
  ): Promise<Fixed<TaskResult<Name>>> => {
    const { count: length, sampleFreq } = waveform
    if (length > samplesMaximum)
      throw new RefusedError(
        'invalid',
        `the waveform has ${length} samples, at most ${samplesMaximum} are analysed (vibration.maxAnalysisSamples)`,
      )
    const read = (signal?: AbortSignal) => readAllSamples(waveforms, waveform, signal)
    const analyse = (signal?: AbortSignal) =>
      analyser.analyse(name, { length, sampleHz: Number(sampleFreq), read }, options, signal)
    if (!isLong(length)) return fix(await analyse())
    const request = {
      user: reply.request.caller.userNumber,
      key: `${name} ${waveform.id} ${JSON.stringify(options)}`,
      signal: goneSignal(reply.raw),
    }
    return queue.run(request, async (signal) => fix(await analyse(signal)))
  }
}
