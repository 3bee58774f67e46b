import type { Factor, FactorStations, Structure } from '@plumbline/client'
import { client } from './api.ts'
import type { StationPlace } from './station-place.ts'

/** The structures that the session sees, with their factors and stations; each is asked for once. */
class Structures {
  #list = $state.raw<readonly Structure[]>([])
  #listed: Promise<readonly Structure[]> | undefined
  readonly #parts = new Map<number, Promise<StationPlace[]>>()
  #lastId = $state<number | undefined>()

  get list(): readonly Structure[] {
    return this.#list
  }

  /** The structure that was shown last; views of one structure open with it. */
  get lastId(): number | undefined {
    return this.#lastId
  }

  set lastId(id: number | undefined) {
    this.#lastId = id
  }

  find(id: number): Structure | undefined {
    return this.#list.find((one) => one.id === id)
  }

  load(): Promise<readonly Structure[]> {
    this.#listed ??= client.listStructures().then(
      (list) => (this.#list = list),
      (error) => {
        this.#listed = undefined
        throw error
      },
    )
    return this.#listed
  }

  /** Asks again for everything, after the site has changed. */
  reload(): void {
    this.#listed = undefined
    this.#parts.clear()
    void this.load().catch(() => {})
  }

  /** The stations of a structure with their factors, in the order of the site. */
  stationsOf(structureId: number): Promise<StationPlace[]> {
    const known = this.#parts.get(structureId)
    if (known !== undefined) return known
    const asked = this.#readStations(structureId)
    this.#parts.set(structureId, asked)
    asked.catch(() => this.#parts.delete(structureId))
    return asked
  }

  /** Where stations belong; those that the session does not see are left out. */
  async findStations(ids: readonly number[]): Promise<StationPlace[]> {
    const found = new Map<number, StationPlace>()
    const list = await this.load()
    const last = list.filter(({ id }) => id === this.#lastId)
    for (const { id } of new Set([...last, ...list])) {
      for (const station of await this.stationsOf(id)) {
        if (ids.includes(station.id)) found.set(station.id, station)
      }
      if (found.size === ids.length) break
    }
    return ids.flatMap((id) => found.get(id) ?? [])
  }

  async #readStations(structureId: number): Promise<StationPlace[]> {
    const [list, factors, stations] = await Promise.all([
      this.load(),
      client.listFactors({ structureId }),
      client.listStations({ structureId }),
    ])
    const structure = list.find(({ id }) => id === structureId)
    return structure === undefined ? [] : placesOf(structure, factors, stations)
  }
}

function placesOf(
  structure: Structure,
  factors: readonly Factor[],
  stations: readonly FactorStations[],
): StationPlace[] {
  const factorById = new Map(factors.map((factor) => [factor.id, factor]))
  return stations.flatMap(({ factorId, groups }) => {
    const factor = factorById.get(factorId)
    if (factor === undefined) return []
    return groups.flatMap((group) =>
      group.stations.map(({ id, name }) => ({
        id,
        name,
        structure,
        factor,
        groupId: group.id,
        groupName: group.name,
      })),
    )
  })
}

export const structures = new Structures()
