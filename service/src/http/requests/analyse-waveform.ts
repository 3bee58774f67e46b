import type { FastifyReply } from 'fastify'
import { isLong, type Analyser } from '../../analysis/analyser.ts'
import type { TaskName, TaskOptions, TaskResult } from '../../analysis/tasks.ts'
import { FairQueue } from '../../concurrency/fair-queue.ts'
import { fix, type Fixed } from '../../encodings/fixed-numbers.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { StoredWaveform, WaveformStore } from '../../storage/storage.ts'
import { gatherSamples } from './choose-waveform.ts'
import { goneSignal } from '../responses/client-gone.ts'

/** So many different analyses of one user wait. */
const WAITING = 32

export type AnalyseBatch = <Name extends TaskName>(
  reply: FastifyReply,
  batch: StoredWaveform,
  name: Name,
  options: TaskOptions<Name>,
) => Promise<Fixed<TaskResult<Name>>>

/**
 * Analyses batches of up to so many samples, each for as long as a client waits for it.
 *
 * Users take turns with long ones; equal ones at once are one, whose result nobody can change.
 */
export function batchAnalysis(
  analyser: Analyser,
  vibration: Pick<WaveformStore, 'readSamples'>,
  samplesMaximum: number,
): AnalyseBatch {
  const queue = new FairQueue<number>({ name: 'analyses', waitingMaximum: WAITING })

  return async <Name extends TaskName>(
    reply: FastifyReply,
    batch: StoredWaveform,
    name: Name,
    options: TaskOptions<Name>,
  ): Promise<Fixed<TaskResult<Name>>> => {
    const { count: length, sampleFreq } = batch
    if (length > samplesMaximum)
      throw new RefusedError(
        'invalid',
        `the waveform has ${length} samples, at most ${samplesMaximum} are analysed (vibration.maxAnalysisSamples)`,
      )
    const read = (signal?: AbortSignal) => gatherSamples(vibration, batch, signal)
    const analyse = (signal?: AbortSignal) =>
      analyser.analyse(name, { length, sampleHz: Number(sampleFreq), read }, options, signal)
    if (!isLong(length)) return fix(await analyse())
    const asked = {
      user: reply.request.caller.userId,
      key: `${name} ${batch.id} ${JSON.stringify(options)}`,
      signal: goneSignal(reply.raw),
    }
    return queue.ask(asked, async (signal) => fix(await analyse(signal)))
  }
}
