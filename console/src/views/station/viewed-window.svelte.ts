import { formatLocal, parseLocal } from '../../chart/local-time.ts'
import { toast } from '../../design/index.ts'
import { describeError } from '../../state/describe-error.ts'
import { load } from '../../state/load.svelte.ts'
import { router } from '../../state/router.svelte.ts'
import { findNewestWindow, findWholeWindow } from './extent.ts'
import type { Window } from './window.ts'

/** Pauses in moving after which the address follows and finer data are asked for. */
const SETTLED_MILLISECONDS = 150

/** The window of a chart: that of the address, or else around the newest record. Made with a component. */
export class ViewedWindow {
  readonly #stationIds: () => number[]
  #moving = $state.raw<Window | undefined>()
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #asked = $derived(readWindow(router.query['from'], router.query['to']))
  readonly #newest = load(async (signal) =>
    this.#asked !== undefined || this.#stationIds().length === 0
      ? undefined
      : findNewestWindow(this.#stationIds(), signal),
  )
  readonly #settled = $derived(this.#asked ?? (this.#newest.value || undefined))

  constructor(stationIds: () => number[]) {
    this.#stationIds = stationIds
  }

  /** That of the address. */
  get asked(): Window | undefined {
    return this.#asked
  }

  /** The window whose data are shown. */
  get settled(): Window | undefined {
    return this.#settled
  }

  /** The window that is seen, which may be moving. */
  get shown(): Window | undefined {
    return this.#moving ?? this.#settled
  }

  /** Whether the stations have no record at all. */
  get hasNothing(): boolean {
    return this.#asked === undefined && this.#newest.value === null
  }

  get error(): unknown {
    return this.#newest.error
  }

  /** Looks for the newest record again. */
  readonly reload = (): void => this.#newest.reload()

  readonly move = (next: Window): void => {
    this.#moving = next
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      router.setQuery({ from: formatLocal(next.from), to: formatLocal(next.to) })
      this.#moving = undefined
    }, SETTLED_MILLISECONDS)
  }

  /** Goes with the newest record. */
  readonly follow = (): void => router.setQuery({ from: undefined, to: undefined })

  /** Moves to where all the records are. */
  readonly showAll = async (): Promise<void> => {
    try {
      this.move(await findWholeWindow(this.#stationIds()))
    } catch (error) {
      toast(describeError(error), { isError: true })
    }
  }
}

function readWindow(from = '', to = ''): Window | undefined {
  const read = { from: parseLocal(from), to: parseLocal(to) }
  return read.from < read.to ? read : undefined
}
