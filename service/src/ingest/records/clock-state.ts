import type { Catalogue } from '../../domain/site/catalogue.ts'
import type { EarlySource, Storage } from '../../storage/storage.ts'

/** A source that the site declares. */
export type DeclaredSource = { name: string; structure: number }

/** A source whose records are early, for operators. */
export type AheadSource = Pick<EarlySource, 'kind' | 'source' | 'since' | 'lastAt'> &
  DeclaredSource & { leadSeconds: number }

const DAY = 86_400_000

/** The sources that have sent early records within a day and that the site declares. */
export async function listAhead(
  early: Pick<Storage['earlyRecords'], 'listSources'>,
  catalogue: Catalogue,
  now: number,
): Promise<AheadSource[]> {
  const sources = await early.listSources()
  return sources.flatMap(({ kind, source, since, lastAt, lead }) => {
    const known = findSource(catalogue, kind, source)
    if (known === undefined || Math.abs(now - lastAt) > DAY) return []
    return [{ kind, source, ...known, leadSeconds: Math.round(lead / 1000), since, lastAt }]
  })
}

/** Finds a source by its id; undefined where the site declares none. */
export function findSource(
  { stations, sensors, structures, devices }: Catalogue,
  kind: EarlySource['kind'],
  source: string,
): DeclaredSource | undefined {
  switch (kind) {
    case 'theme':
    case 'vibration': {
      const { entry } = stations.get(Number(source)) ?? {}
      return entry && { name: entry.name, structure: entry.structure }
    }
    case 'raw': {
      const { entry, structure } = sensors.get(source) ?? {}
      return entry && structure && { name: entry.name, structure: structure.entry.id }
    }
    case 'traffic': {
      const { entry } = structures.get(Number(source)) ?? {}
      return entry && { name: entry.name, structure: entry.id }
    }
    case 'heartbeat': {
      const device = devices.get(source)
      return device && { name: device.name, structure: device.structure }
    }
  }
}
