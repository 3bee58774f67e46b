import { codeOf } from '../../../errors/thrown.ts'
import { hasMember, textMember } from '../hooks/hook-request.ts'
import type { MediaMtxPath, PathChange } from './path-changes.ts'

const ANSWER_MILLISECONDS = 10_000
const PAGE_BYTES = 8_000_000
const PAGE_ITEMS = 100
const MOST_PAGES = 1_000

export type MediaMtxApiOptions = Readonly<{
  /** `media.mediamtxApi`. */
  api: string
  /** `media.mediamtxUser`; empty: the API needs none. */
  user: string
  password: string
}>

/** Somebody who plays a path. */
export type MediaMtxSession = Readonly<{ kind: string; id: string; path: string; query: string }>

/**
 * Why MediaMTX did not do what was asked, without what it answered: its errors repeat sources with
 * their passwords.
 */
export class MediaMtxError extends Error {
  override name = 'MediaMtxError'
  /** The status of the answer; undefined without one. */
  readonly status: number | undefined

  constructor(message: string, options: ErrorOptions & { status?: number } = {}) {
    super(message, options)
    this.status = options.status
  }
}

/** The API v3 of MediaMTX (https://github.com/bluenviron/mediamtx/blob/main/api/openapi.yaml). */
export class MediaMtxApi {
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>

  constructor({ api, user, password }: MediaMtxApiOptions) {
    this.#base = `${api.replace(/\/+$/, '')}/v3`
    const credentials = Buffer.from(`${user}:${password}`).toString('base64')
    this.#headers = user === '' ? {} : { authorization: `Basic ${credentials}` }
  }

  /** The configured paths. */
  async listPaths(signal: AbortSignal): Promise<MediaMtxPath[]> {
    const items = await this.#list('config/paths', signal)
    return items.flatMap((item) => {
      const [name, source] = [textMember(item, 'name'), textMember(item, 'source')]
      if (name === undefined || source === undefined) return []
      const isOnDemand = hasMember(item, 'sourceOnDemand') && Reflect.get(item, 'sourceOnDemand')
      return [{ name, source, sourceOnDemand: isOnDemand === true }]
    })
  }

  async applyChange(change: PathChange, signal: AbortSignal): Promise<void> {
    const path = `config/paths/${change.kind}/${change.name}`
    if (change.kind === 'delete') return void (await this.#send(path, signal, { method: 'DELETE' }))
    const method = change.kind === 'add' ? 'POST' : 'PATCH'
    const body = JSON.stringify({ source: change.source, sourceOnDemand: true })
    await this.#send(path, signal, { method, body })
  }

  /** The open sessions of one kind, such as `rtmpconns`; none where MediaMTX does not know the kind. */
  async listSessions(kind: string, signal: AbortSignal): Promise<MediaMtxSession[]> {
    const items = await unlessAbsent(this.#list(kind, signal), [])
    return items.flatMap((item) => {
      const [id, path] = [textMember(item, 'id'), textMember(item, 'path')]
      if (id === undefined || path === undefined || !/^[\w-]+$/.test(id)) return []
      return [{ kind, id, path, query: textMember(item, 'query') ?? '' }]
    })
  }

  async endSession({ kind, id }: MediaMtxSession, signal: AbortSignal): Promise<void> {
    await unlessAbsent(this.#send(`${kind}/kick/${id}`, signal, { method: 'POST' }), '')
  }

  /** All items of a list, page by page. */
  async #list(list: string, signal: AbortSignal): Promise<unknown[]> {
    const items: unknown[] = []
    for (let page = 0; page < MOST_PAGES; page++) {
      const path = `${list}/list?itemsPerPage=${PAGE_ITEMS}&page=${page}`
      const answer = parse(await this.#send(path, signal))
      items.push(...answer.items)
      if (page + 1 >= answer.pageCount) break
    }
    return items
  }

  /** Sends a request; returns the text of an answer with a status 2xx. */
  async #send(path: string, signal: AbortSignal, init: RequestInit = {}): Promise<string> {
    const late = AbortSignal.timeout(ANSWER_MILLISECONDS)
    try {
      const response = await fetch(`${this.#base}/${path}`, {
        ...init,
        headers: { ...this.#headers, 'content-type': 'application/json' },
        redirect: 'manual',
        signal: AbortSignal.any([signal, late]),
      })
      const text = await readText(response)
      if (response.ok) return text
      throw refusal(response.status)
    } catch (error) {
      if (error instanceof MediaMtxError) throw error
      signal.throwIfAborted()
      const why = late.aborted ? 'no answer within 10 s' : reasonOf(error)
      throw new MediaMtxError(`MediaMTX cannot be reached: ${why}.`)
    }
  }
}

const refusal = (status: number): MediaMtxError =>
  new MediaMtxError(
    status === 401
      ? 'MediaMTX refuses the user of its API: check media.mediamtxUser and media.mediamtxPasswordFile, or exclude the action api from its authentication.'
      : `MediaMTX answered with status ${status}.`,
    { status },
  )

async function unlessAbsent<Result>(work: Promise<Result>, absent: Result): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (error instanceof MediaMtxError && error.status === 404) return absent
    throw error
  }
}

/** The code of a failed connection: the message of the library may have an address. */
const reasonOf = (error: unknown): string =>
  (error instanceof Error ? codeOf(error.cause) : undefined) ?? 'the connection failed'

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > PAGE_BYTES) throw new MediaMtxError('MediaMTX answered with too many bytes.')
    text += decoder.decode(chunk, { stream: true })
  }
  return text
}

function parse(text: string): { items: readonly unknown[]; pageCount: number } {
  const answer = parseJson(text)
  const items: unknown = hasMember(answer, 'items') ? Reflect.get(answer, 'items') : undefined
  const pages: unknown = hasMember(answer, 'pageCount') ? Reflect.get(answer, 'pageCount') : 1
  // A list without items is null in some versions.
  if (items === null) return { items: [], pageCount: 0 }
  if (!Array.isArray(items) || typeof pages !== 'number')
    throw new MediaMtxError('MediaMTX answered with something else than a list.')
  return { items, pageCount: pages }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new MediaMtxError('MediaMTX answered with something else than JSON.')
  }
}
