import type { WriteJob, WriteJobPart, WriterMessage } from './write-messages.ts'

/** The jobs that the writer thread has received and not yet run. */
export class ReceivedJobs {
  readonly #queue: WriteJob[] = []
  /** Values that came before their job, by its id and the index of the statement. */
  readonly #parts = new Map<number, Map<number, unknown[]>>()
  #isClosing = false

  get length(): number {
    return this.#queue.length
  }

  get isClosing(): boolean {
    return this.#isClosing
  }

  add(message: WriterMessage): void {
    if (message === 'close') this.#isClosing = true
    else if ('statement' in message) this.#addPart(message)
    else this.#queue.push(this.#complete(message))
  }

  next(): WriteJob | undefined {
    return this.#queue.shift()
  }

  takeAll(most: number): WriteJob[] {
    return this.#queue.splice(0, most)
  }

  #addPart({ id, statement, values }: WriteJobPart): void {
    const received = this.#parts
      .getOrInsertComputed(id, () => new Map<number, unknown[]>())
      .getOrInsertComputed(statement, () => [])
    for (const value of values) received.push(value)
  }

  /** The job with the values that came before it. */
  #complete(job: WriteJob): WriteJob {
    const { id, statements } = job
    const parts = this.#parts.get(id)
    if (parts === undefined) return job
    this.#parts.delete(id)
    return {
      id,
      statements: statements.map((one, at) => ({ ...one, values: parts.get(at) ?? one.values })),
    }
  }
}
