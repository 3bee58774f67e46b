import type { Import } from '@plumbline/client'
import { SvelteMap } from 'svelte/reactivity'
import { client, isAborted, isNetworkError } from '../../../state/api.ts'
import { connection } from '../../../state/connection.svelte.ts'

/** Bytes that are sent at once: what a slow connection carries within a minute. */
const PART_BYTES = 1_000_000

export type Upload = { sent: number; of: number }

export type ImportRequest = {
  mapping: string
  members?: string
  replace?: 'keys' | 'whole'
  dryRun?: boolean
}

/** The files that this browser is sending. They go on while other pages are shown. */
class Uploads {
  readonly #running = new SvelteMap<number, Upload>()
  readonly #aborts = new Map<number, AbortController>()

  constructor() {
    addEventListener('beforeunload', (event) => {
      if (this.#running.size > 0) event.preventDefault()
    })
  }

  of(importId: number): Upload | undefined {
    return this.#running.get(importId)
  }

  /** Begins an import; resolves when the service has taken its mapping, before the file is sent. */
  async start(file: File, request: ImportRequest): Promise<{ begun: Import; sent: Promise<void> }> {
    const begun = await client.startImport({ name: file.name, ...request })
    const abort = new AbortController()
    this.#aborts.set(begun.id, abort)
    this.#running.set(begun.id, { sent: 0, of: file.size })
    const sent = this.#send(begun.id, file, abort.signal).finally(() => {
      this.#running.delete(begun.id)
      this.#aborts.delete(begun.id)
    })
    return { begun, sent }
  }

  async cancel(importId: number): Promise<void> {
    this.#aborts.get(importId)?.abort()
    await client.cancelImport({ importId })
  }

  async #send(importId: number, file: File, signal: AbortSignal): Promise<void> {
    let offset = 0
    while (!signal.aborted) {
      const part = file.slice(offset, offset + PART_BYTES)
      const end = offset + part.size
      const isLast = end >= file.size
      try {
        await client.sendImportFile(
          { importId, offset, part, ...(isLast && { isLast }) },
          { signal },
        )
        offset = end
      } catch (error) {
        if (isAborted(error) || signal.aborted) return
        if (!isNetworkError(error)) throw error
        // A lost connection costs the part that was under way.
        await connection.untilFound()
        continue
      }
      this.#running.set(importId, { sent: offset, of: file.size })
      if (isLast) return
    }
  }
}

export const uploads = new Uploads()
