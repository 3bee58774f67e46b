import { inSlices } from '../../concurrency/in-slices.ts'
import { TaskThread } from '../../threads/task-thread.ts'
import { inTurn } from '../../concurrency/serial-queue.ts'
import { PreparedSamples } from './prepared-samples.ts'
import type { PlannedBatch } from './assign-channels.ts'
import { SAMPLE_BYTES, type Encoding } from './decode-samples.ts'
import type { FilePlan } from './read-file.ts'
import type { WAVEFORM_TASKS } from './waveform-tasks.ts'

/** Up to this, others wait for 2 to 4 ms while a body is read: measured with CSV and miniSEED. */
const LARGE_BYTES = 256 * 1024

const thread = new TaskThread(new URL('./waveform-worker.ts', import.meta.url), 'waveforms')

export const isLarge = (bytes: Uint8Array): boolean => bytes.length > LARGE_BYTES

/**
 * Does what there is to do with a large body, one after the other: each takes many times its own
 * bytes of memory, until it is stored.
 */
export const whenLargeMay = <Result>(work: () => Promise<Result>): Promise<Result> =>
  inTurn(thread, work)

/** A batch as the ingest takes it, its samples prepared. */
export type PreparedBatch = Omit<PlannedBatch, 'samples'> & { samples: PreparedSamples }

/** Reads a file as `readFile` does, beside the main thread. Takes the bytes over. */
export async function readLargeFile(
  bytes: Uint8Array,
  plan: FilePlan,
): Promise<{ batches: PreparedBatch[]; unmapped: string[] }> {
  const { prepared, unmapped } = await run('file', bytes, plan)
  const batches = prepared.map(({ batch, preparation }) => ({
    ...batch,
    samples: new PreparedSamples(preparation),
  }))
  return { batches, unmapped }
}

/** Decodes bare samples beside the main thread. Takes the bytes over. */
export async function decodeLargeSamples(
  bytes: Uint8Array,
  encoding: Encoding,
): Promise<PreparedSamples> {
  const { prepared } = await run('samples', bytes, encoding)
  return new PreparedSamples(prepared[0]!.preparation)
}

/** Above this a list of samples is prepared beside the main thread, as its bytes would be. */
const LARGE_COUNT = LARGE_BYTES / SAMPLE_BYTES.float64

/** A batch whose samples are prepared beside the main thread where they are many and numbers. */
export async function prepareLargeBatch(batch: unknown): Promise<unknown> {
  const { samples } = (batch ?? {}) as { samples?: unknown }
  if (!Array.isArray(samples) || samples.length <= LARGE_COUNT) return batch
  const own = new Float64Array(samples.length)
  let isWhole = true
  await inSlices(samples, (sample: unknown, at) => {
    if (typeof sample === 'number') own[at] = sample
    else isWhole = false
  })
  if (!isWhole) return batch
  const bytes = new Uint8Array(own.buffer)
  const prepared = await whenLargeMay(() => decodeLargeSamples(bytes, 'float64'))
  return { ...(batch as object), samples: prepared }
}

type Tasks = typeof WAVEFORM_TASKS

async function run<Name extends keyof Tasks>(
  name: Name,
  bytes: Uint8Array,
  told: Parameters<Tasks[Name]>[1],
): Promise<ReturnType<Tasks[Name]>> {
  // Bytes that share their memory with others stay there, and a copy goes.
  const isWhole = bytes.buffer instanceof ArrayBuffer && bytes.length === bytes.buffer.byteLength
  const own = (isWhole ? bytes : new Uint8Array(bytes)) as Uint8Array<ArrayBuffer>
  return (await thread.run({ name, given: [own, told] }, [own.buffer])) as ReturnType<Tasks[Name]>
}
