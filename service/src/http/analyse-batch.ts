import type { FastifyReply } from 'fastify'
import { analyse } from '../analysis/analyse.ts'
import type { TaskName, TaskOptions, TaskResult } from '../analysis/tasks.ts'
import { RefusedError } from '../domain/refused-error.ts'
import type { VibrationHeader, VibrationStore } from '../storage/storage.ts'
import { gatherSamples } from './batches.ts'
import { goneSignal } from './client-gone.ts'

export type AnalyseBatch = <Name extends TaskName>(
  reply: FastifyReply,
  batch: VibrationHeader,
  name: Name,
  options: TaskOptions<Name>,
) => Promise<TaskResult<Name>>

/** Analyses batches of up to so many samples, each for as long as its client waits. */
export const batchAnalysis =
  (vibration: Pick<VibrationStore, 'readSamples'>, samplesMaximum: number): AnalyseBatch =>
  (reply, batch, name, options) => {
    const { count: length, sampleFreq } = batch
    if (length > samplesMaximum)
      throw new RefusedError(
        'invalid',
        `the waveform has ${length} samples, at most ${samplesMaximum} are analysed (vibration.maxAnalysisSamples)`,
      )
    const read = (signal?: AbortSignal) => gatherSamples(vibration, batch, signal)
    const waveform = { length, sampleHz: Number(sampleFreq), read }
    return analyse(name, waveform, options, goneSignal(reply.raw))
  }
