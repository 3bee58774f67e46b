import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'

/** The stations of a structure that have newer records. */
export type NewestChange = Readonly<{ structure: number; stations: readonly number[] }>

type NewestChangesOptions = {
  records: Pick<Storage['records'], 'findNewest'>
  catalogue: CurrentCatalogue
  horizon(): number
}

/** Compares the newest records of all stations with those of the time before. */
export class NewestChanges {
  readonly #options: NewestChangesOptions
  #known: ReadonlyMap<number, number> | undefined

  constructor(options: NewestChangesOptions) {
    this.#options = options
  }

  /** Remembers the newest records, unless they are remembered already. */
  async begin(): Promise<void> {
    if (this.#known === undefined) await this.find()
  }

  /** What is newer than at the last call; nothing at the first one. */
  async find(): Promise<NewestChange[]> {
    const { records, catalogue, horizon } = this.#options
    const stations = [...(await catalogue()).stations.values()]
    const ids = stations.map(({ entry }) => entry.id)
    const newest = await records.findNewest('theme', ids, horizon())
    const before = this.#known
    this.#known = new Map(ids.map((id, at) => [id, newest[at] ?? -Infinity]))
    if (before === undefined) return []
    const changed = stations.filter(({ entry: { id } }) => {
      const earlier = before.get(id)
      return earlier !== undefined && (this.#known?.get(id) ?? -Infinity) > earlier
    })
    const byStructure = Map.groupBy(changed, ({ entry }) => entry.structure)
    return Array.from(byStructure, ([structure, members]) => ({
      structure,
      stations: members.map(({ entry }) => entry.id),
    }))
  }

  /** The next call is a first one again. */
  forget(): void {
    this.#known = undefined
  }
}
